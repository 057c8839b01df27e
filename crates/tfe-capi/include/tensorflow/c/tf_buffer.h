// TF_Buffer: a block of bytes that one side fills and the other reads, mostly a serialized protocol
// buffer.
#ifndef TENSORFLOW_C_TF_BUFFER_H_
#define TENSORFLOW_C_TF_BUFFER_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// The members are the caller's to read and to set. A buffer whose `data_deallocator` is NULL does not
// own its bytes.
typedef struct TF_Buffer {
  const void* data;
  size_t length;
  void (*data_deallocator)(void* data, size_t length);
} TF_Buffer;

// A buffer with a copy of `proto_len` bytes.
TF_CAPI_EXPORT extern TF_Buffer* TF_NewBufferFromString(const void* proto, size_t proto_len);

// An empty buffer: all members 0.
TF_CAPI_EXPORT extern TF_Buffer* TF_NewBuffer(void);

// Calls `data_deallocator` on the bytes when it is set, then frees the buffer.
TF_CAPI_EXPORT extern void TF_DeleteBuffer(TF_Buffer* buffer);

// The members by value: a view of bytes that `buffer` goes on owning.
TF_CAPI_EXPORT extern TF_Buffer TF_GetBuffer(TF_Buffer* buffer);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_C_TF_BUFFER_H_
