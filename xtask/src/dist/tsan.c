/* Linked into the ThreadSanitizer build of the library.
 *
 * Reference counts are decremented with release order, and whoever brings one to zero then passes an acquire fence.
 * ThreadSanitizer does not see fences, so it would report the last owner's deallocation. Here the decrement itself
 * acquires: what the standard library does when it is built for ThreadSanitizer. */
#include <stdint.h>

#define STRENGTHEN(bits)                                                                               \
  uint##bits##_t __real___tsan_atomic##bits##_fetch_sub(volatile uint##bits##_t *, uint##bits##_t, int); \
  uint##bits##_t __wrap___tsan_atomic##bits##_fetch_sub(volatile uint##bits##_t *at, uint##bits##_t by, \
                                                        int order) {                                   \
    if (order == __ATOMIC_RELEASE) order = __ATOMIC_ACQ_REL;                                           \
    return __real___tsan_atomic##bits##_fetch_sub(at, by, order);                                      \
  }

STRENGTHEN(32)
STRENGTHEN(64)
