// Layout and inline functions of TF_TString. Include tsl/platform/ctstring.h.
//
// A TF_TString is 24 bytes. The two low bits of the first byte tell which of four forms they have:
//
//   small    size << 2 in one byte, then up to 22 bytes and a NUL, all in place
//   large    size << 2 | 1, capacity, pointer to bytes from malloc that end in NUL
//   offset   size << 2 | 2 and the distance from the string itself to bytes that lie beside it
//   view     size << 2 | 3, pointer to bytes of somebody else, and who to tell when they are let go
//
// Library and client both free and reallocate these bytes, with free() and realloc() of one C library.
// Functions that need memory leave the string as it was when there is none.
#ifndef TENSORFLOW_TSL_PLATFORM_CTSTRING_INTERNAL_H_
#define TENSORFLOW_TSL_PLATFORM_CTSTRING_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "TF_TString: only the little-endian layout is known here"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TF_TString_Type {
  TF_TSTR_SMALL = 0x00,
  TF_TSTR_LARGE = 0x01,
  TF_TSTR_OFFSET = 0x02,
  TF_TSTR_VIEW = 0x03,
  TF_TSTR_TYPE_MASK = 0x03
} TF_TString_Type;

// A count of the views on some bytes: `ref` adds one, `unref` takes one away and returns true when
// none is left.
struct TStringOwnerCApi;
typedef void (*tstring_owner_ref_t)(struct TStringOwnerCApi* self);
typedef bool (*tstring_owner_unref_t)(struct TStringOwnerCApi* self);
typedef struct TStringOwnerCApi {
  tstring_owner_ref_t ref;
  tstring_owner_unref_t unref;
  void* obj;
} TStringOwnerCApi;

enum { TF_TString_SmallCapacity = 22 };

typedef struct TF_TString_Small {
  uint8_t size;
  char str[TF_TString_SmallCapacity + 1];
} TF_TString_Small;

typedef struct TF_TString_Large {
  size_t size;
  size_t cap;
  char* ptr;
} TF_TString_Large;

typedef struct TF_TString_Offset {
  uint32_t size;
  uint32_t offset;
  uint32_t count;
} TF_TString_Offset;

typedef struct TF_TString_View {
  size_t size;
  const char* ptr;
  TStringOwnerCApi* owner_ref;
} TF_TString_View;

typedef struct TF_TString_Raw {
  uint8_t raw[24];
} TF_TString_Raw;

typedef union TF_TString_Union {
  TF_TString_Large large;
  TF_TString_Offset offset;
  TF_TString_View view;
  TF_TString_Raw raw;
} TF_TString_Union;

typedef struct TF_TString {
  union {
    TF_TString_Small smll;  // `small` is a macro on some systems
    TF_TString_Large large;
    TF_TString_Offset offset;
    TF_TString_View view;
    TF_TString_Raw raw;
  } u;
} TF_TString;

#ifdef __cplusplus
static_assert(sizeof(TF_TString) == 24, "the layout is shared with the library");
#else
_Static_assert(sizeof(TF_TString) == 24, "the layout is shared with the library");
#endif

static inline TF_TString_Type TF_TString_GetType(const TF_TString* str) {
  return (TF_TString_Type)(str->u.raw.raw[0] & TF_TSTR_TYPE_MASK);
}

static inline size_t TF_TString_GetSize(const TF_TString* str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL: return str->u.smll.size >> 2;
    case TF_TSTR_LARGE: return str->u.large.size >> 2;
    case TF_TSTR_OFFSET: return str->u.offset.size >> 2;
    default: return str->u.view.size >> 2;
  }
}

// The size that the string can grow to where it lies; 0 when the bytes are not its own.
static inline size_t TF_TString_GetCapacity(const TF_TString* str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL: return TF_TString_SmallCapacity;
    case TF_TSTR_LARGE: return str->u.large.cap;
    default: return 0;
  }
}

static inline const char* TF_TString_GetDataPointer(const TF_TString* str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL: return str->u.smll.str;
    case TF_TSTR_LARGE: return str->u.large.ptr;
    case TF_TSTR_OFFSET: return (const char*)str + str->u.offset.offset;
    default: return str->u.view.ptr;
  }
}

// Makes 24 bytes of any content an empty string.
static inline void TF_TString_Init(TF_TString* str) {
  memset(str, 0, sizeof *str);
}

// Lets go of the bytes and leaves an empty string.
static inline void TF_TString_Dealloc(TF_TString* str) {
  const TF_TString_Type type = TF_TString_GetType(str);
  if (type == TF_TSTR_LARGE) {
    free(str->u.large.ptr);
  } else if (type == TF_TSTR_VIEW && str->u.view.owner_ref != NULL) {
    (void)str->u.view.owner_ref->unref(str->u.view.owner_ref);
  }
  TF_TString_Init(str);
}

// For the functions below: replaces the bytes of `str` by `size` bytes, of which the first `keep` are
// taken from the old ones, in memory for `cap`. Returns NULL when there is none.
static inline char* TF_TString_Replace(TF_TString* str, size_t size, size_t keep, size_t cap) {
  TF_TString old;
  const char* from;
  memcpy(&old, str, sizeof old);
  from = TF_TString_GetType(&old) == TF_TSTR_SMALL    ? old.u.smll.str
         : TF_TString_GetType(&old) == TF_TSTR_OFFSET ? TF_TString_GetDataPointer(str)
                                                      : TF_TString_GetDataPointer(&old);
  if (cap <= TF_TString_SmallCapacity) {
    TF_TString_Init(str);
    str->u.smll.size = (uint8_t)(size << 2);
    if (keep != 0) memcpy(str->u.smll.str, from, keep);
    TF_TString_Dealloc(&old);
    return str->u.smll.str;
  }
  if (cap > (SIZE_MAX >> 2) - 16) return NULL;  // two bits of the size hold the form
  cap = ((cap + 16) & ~(size_t)15) - 1;         // bytes and NUL fill a multiple of 16
  if (TF_TString_GetType(&old) == TF_TSTR_LARGE) {
    char* ptr = (char*)realloc(old.u.large.ptr, cap + 1);
    if (ptr == NULL) return NULL;
    str->u.large.ptr = ptr;
  } else {
    char* ptr = (char*)malloc(cap + 1);
    if (ptr == NULL) return NULL;
    if (keep != 0) memcpy(ptr, from, keep);
    TF_TString_Dealloc(&old);
    str->u.large.ptr = ptr;
  }
  str->u.large.size = size << 2 | TF_TSTR_LARGE;
  str->u.large.cap = cap;
  str->u.large.ptr[size] = '\0';
  return str->u.large.ptr;
}

// Changes the size; bytes that are new have no defined content. Returns the bytes.
static inline char* TF_TString_ResizeUninitialized(TF_TString* str, size_t new_size) {
  const size_t size = TF_TString_GetSize(str);
  const size_t cap = TF_TString_GetCapacity(str);
  const size_t keep = new_size < size ? new_size : size;
  if (new_size <= TF_TString_SmallCapacity) {
    if (TF_TString_GetType(str) != TF_TSTR_SMALL) {
      return TF_TString_Replace(str, new_size, keep, new_size);
    }
    str->u.smll.size = (uint8_t)(new_size << 2);
    str->u.smll.str[new_size] = '\0';
    return str->u.smll.str;
  }
  if (new_size > cap) return TF_TString_Replace(str, new_size, keep, new_size);
  if (new_size < size && new_size < cap / 2) {
    return TF_TString_Replace(str, new_size, keep, cap / 2);
  }
  str->u.large.size = new_size << 2 | TF_TSTR_LARGE;
  str->u.large.ptr[new_size] = '\0';
  return str->u.large.ptr;
}

// Changes the size and fills what is new with `c`.
static inline char* TF_TString_Resize(TF_TString* str, size_t new_size, char c) {
  const size_t size = TF_TString_GetSize(str);
  char* bytes = TF_TString_ResizeUninitialized(str, new_size);
  if (bytes != NULL && new_size > size) memset(bytes + size, c, new_size - size);
  return bytes;
}

// The bytes, to be written; those of a view or offset string are copied first.
static inline char* TF_TString_GetMutableDataPointer(TF_TString* str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL: return str->u.smll.str;
    case TF_TSTR_LARGE: return str->u.large.ptr;
    default: return TF_TString_ResizeUninitialized(str, TF_TString_GetSize(str));
  }
}

// Makes room for at least `new_cap` bytes without a change of the size.
static inline void TF_TString_Reserve(TF_TString* str, size_t new_cap) {
  const size_t size = TF_TString_GetSize(str);
  if (new_cap <= TF_TString_SmallCapacity || new_cap <= TF_TString_GetCapacity(str)) return;
  (void)TF_TString_Replace(str, size, size, new_cap < size ? size : new_cap);
}

// As TF_TString_Reserve, at least doubling the room that there is.
static inline void TF_TString_ReserveAmortized(TF_TString* str, size_t new_cap) {
  const size_t cap = TF_TString_GetCapacity(str);
  if (new_cap > cap) TF_TString_Reserve(str, new_cap > 2 * cap ? new_cap : 2 * cap);
}

// Makes `dst` refer to bytes of `owner_ref`'s, whose count it adds to. NULL: bytes of the caller's.
static inline void TF_TString_AssignViewWithOwner(TF_TString* dst, const char* src, size_t size,
                                                  TStringOwnerCApi* owner_ref) {
  if (owner_ref != NULL) owner_ref->ref(owner_ref);
  TF_TString_Dealloc(dst);
  dst->u.view.size = size << 2 | TF_TSTR_VIEW;
  dst->u.view.ptr = src;
  dst->u.view.owner_ref = owner_ref;
}

// Makes `dst` refer to bytes that must outlive it.
static inline void TF_TString_AssignView(TF_TString* dst, const char* src, size_t size) {
  TF_TString_AssignViewWithOwner(dst, src, size, NULL);
}

// Adds a copy of `size` bytes at the end. They may be part of `dst` itself.
static inline void TF_TString_AppendN(TF_TString* dst, const char* src, size_t size) {
  const size_t old = TF_TString_GetSize(dst);
  const uintptr_t start = (uintptr_t)TF_TString_GetDataPointer(dst);
  const bool own = (uintptr_t)src >= start && (uintptr_t)src < start + old;
  const size_t at = own ? (size_t)((uintptr_t)src - start) : 0;
  char* bytes;
  if (size == 0) return;
  TF_TString_ReserveAmortized(dst, old + size);
  bytes = TF_TString_ResizeUninitialized(dst, old + size);
  if (bytes != NULL) memmove(bytes + old, own ? bytes + at : src, size);
}

static inline void TF_TString_Append(TF_TString* dst, const TF_TString* src) {
  TF_TString_AppendN(dst, TF_TString_GetDataPointer(src), TF_TString_GetSize(src));
}

// Makes `dst` a copy of `size` bytes. They may be part of `dst` itself.
static inline void TF_TString_Copy(TF_TString* dst, const char* src, size_t size) {
  const uintptr_t start = (uintptr_t)TF_TString_GetDataPointer(dst);
  const size_t old = TF_TString_GetSize(dst);
  if ((uintptr_t)src >= start && (uintptr_t)src < start + old) {
    char* own = TF_TString_GetMutableDataPointer(dst);
    if (own == NULL) return;
    memmove(own, own + ((uintptr_t)src - start), size);
    (void)TF_TString_ResizeUninitialized(dst, size);
  } else {
    char* bytes = TF_TString_ResizeUninitialized(dst, size);
    if (bytes != NULL && size != 0) memcpy(bytes, src, size);
  }
}

// Makes `dst` equal to `src`: a copy, or another view of the same bytes when `src` is one. An offset
// string is viewed.
static inline void TF_TString_Assign(TF_TString* dst, const TF_TString* src) {
  const char* bytes = TF_TString_GetDataPointer(src);
  const size_t size = TF_TString_GetSize(src);
  if (dst == src) return;
  switch (TF_TString_GetType(src)) {
    case TF_TSTR_SMALL:
    case TF_TSTR_LARGE: TF_TString_Copy(dst, bytes, size); return;
    case TF_TSTR_VIEW:
      TF_TString_AssignViewWithOwner(dst, bytes, size, src->u.view.owner_ref);
      return;
    default: TF_TString_AssignView(dst, bytes, size); return;
  }
}

// Makes `dst` what `src` was and leaves `src` empty. An offset string stays, and is viewed.
static inline void TF_TString_Move(TF_TString* dst, TF_TString* src) {
  if (dst == src) return;
  if (TF_TString_GetType(src) == TF_TSTR_OFFSET) {
    TF_TString_AssignView(dst, TF_TString_GetDataPointer(src), TF_TString_GetSize(src));
    return;
  }
  TF_TString_Dealloc(dst);
  memcpy(dst, src, sizeof *dst);
  TF_TString_Init(src);
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_TSL_PLATFORM_CTSTRING_INTERNAL_H_
