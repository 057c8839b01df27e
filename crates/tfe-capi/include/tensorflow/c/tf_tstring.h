// The elements of TF_STRING tensors, as exported functions, for languages that cannot call the inline
// ones of tsl/platform/ctstring.h. Both work on the same 24 bytes and may be mixed.
#ifndef TENSORFLOW_C_TF_TSTRING_H_
#define TENSORFLOW_C_TF_TSTRING_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/core/platform/ctstring.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes the 24 bytes an empty string, whatever they held: to be called first, and only once. Zeroed
// memory is an empty string too.
TF_CAPI_EXPORT extern void TF_StringInit(TF_TString* t);

// Makes `dst` a copy of `size` bytes, which need not end in NUL and may contain it.
TF_CAPI_EXPORT extern void TF_StringCopy(TF_TString* dst, const char* src, size_t size);

// Makes `dst` refer to bytes that go on belonging to the caller and must outlive it.
TF_CAPI_EXPORT extern void TF_StringAssignView(TF_TString* dst, const char* src, size_t size);

// The bytes, until the string is next changed. A copied string has a NUL after its last byte, a view
// only what the caller put there.
TF_CAPI_EXPORT extern const char* TF_StringGetDataPointer(const TF_TString* tstr);

TF_CAPI_EXPORT extern TF_TString_Type TF_StringGetType(const TF_TString* str);

TF_CAPI_EXPORT extern size_t TF_StringGetSize(const TF_TString* tstr);

// The size that the string can grow to where it lies; 0 for views.
TF_CAPI_EXPORT extern size_t TF_StringGetCapacity(const TF_TString* str);

// Frees what the string holds and leaves it empty.
TF_CAPI_EXPORT extern void TF_StringDealloc(TF_TString* tstr);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_C_TF_TSTRING_H_
