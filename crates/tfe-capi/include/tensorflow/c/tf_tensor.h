// TF_Tensor: an array in host memory. Handles (eager/c_api.h) are made from tensors and resolve to
// tensors.
#ifndef TENSORFLOW_C_TF_TENSOR_H_
#define TENSORFLOW_C_TF_TENSOR_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where memory is wanted, for functions that allocate on behalf of a plug-in.
typedef struct TF_AllocatorAttributes {
  size_t struct_size;
  TF_Bool on_host;
} TF_AllocatorAttributes;

#define TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE TF_OFFSET_OF_END(TF_AllocatorAttributes, on_host)

// A type, a shape and the elements, row after row without gaps. The elements are shared: a handle made
// from a tensor, and every tensor that the handle resolves to, have the same memory, and live on their
// own after the tensor is deleted. Writing through TF_TensorData once a handle shares it is seen there.
typedef struct TF_Tensor TF_Tensor;

// A tensor over memory of the caller. `data` is used in place when it is aligned to 64 bytes, else the
// elements are copied at once (strings are used in place when aligned to 8). `deallocator` is called
// exactly once, with `data`, `len` and `deallocator_arg`, by whichever thread lets go of the memory
// last: at once when the elements were copied or no tensor could be made. It may be NULL.
//
// For TF_STRING the elements are TF_TString that the deallocator frees.
//
// NULL when `len` is smaller than the elements need, when a dimension is negative, when there are more
// than 254 of them or too many elements, when the type is none of TF_DataType, or one whose elements
// only the library can make (TF_RESOURCE, TF_VARIANT).
TF_CAPI_EXPORT extern TF_Tensor* TF_NewTensor(TF_DataType type, const int64_t* dims, int num_dims,
                                              void* data, size_t len,
                                              void (*deallocator)(void* data, size_t len, void* arg),
                                              void* deallocator_arg);

// The alignment in bytes with which TF_NewTensor uses memory in place: 64.
TF_CAPI_EXPORT extern size_t TF_TensorDefaultAlignment(void);

// A tensor with memory of its own, aligned to 64 bytes and not initialized (TF_STRING: empty strings,
// which the tensor frees). `len` is the number of bytes; NULL as for TF_NewTensor, or when the memory
// cannot be had.
TF_CAPI_EXPORT extern TF_Tensor* TF_AllocateTensor(TF_DataType type, const int64_t* dims,
                                                   int num_dims, size_t len);

// A tensor that took over `tensor`'s elements, when nothing else shares them; else NULL, and `tensor`
// stays as it is.
TF_CAPI_EXPORT extern TF_Tensor* TF_TensorMaybeMove(TF_Tensor* tensor);

TF_CAPI_EXPORT extern void TF_DeleteTensor(TF_Tensor* tensor);

// The element type; 0, which is no type, for NULL.
TF_CAPI_EXPORT extern TF_DataType TF_TensorType(const TF_Tensor* tensor);

// Gives the tensor another shape. It must not have more elements than the memory holds; other shapes
// leave the tensor as it is.
TF_CAPI_EXPORT extern void TF_SetShape(TF_Tensor* tensor, const int64_t* dims, int num_dims);

// The number of dimensions; -1 for NULL.
TF_CAPI_EXPORT extern int TF_NumDims(const TF_Tensor* tensor);

// The length of a dimension, 0 being the first; -1 when there is none, or for NULL.
TF_CAPI_EXPORT extern int64_t TF_Dim(const TF_Tensor* tensor, int dim_index);

// The bytes behind TF_TensorData; 0 for NULL.
TF_CAPI_EXPORT extern size_t TF_TensorByteSize(const TF_Tensor* tensor);

// The first element. Not NULL even when there are no elements; NULL only for NULL.
TF_CAPI_EXPORT extern void* TF_TensorData(const TF_Tensor* tensor);

// The number of elements; 0 for NULL.
TF_CAPI_EXPORT extern int64_t TF_TensorElementCount(const TF_Tensor* tensor);

// Makes `to` share `from`'s memory, with another type and shape. INVALID_ARGUMENT when the bytes are
// not equal in number, or when one type is TF_STRING, TF_RESOURCE or TF_VARIANT and the other is not
// the same; `to` stays as it is then.
TF_CAPI_EXPORT extern void TF_TensorBitcastFrom(const TF_Tensor* from, TF_DataType type,
                                                TF_Tensor* to, const int64_t* new_dims,
                                                int num_new_dims, TF_Status* status);

// Whether the first element is aligned as the kernels like it; false for NULL.
TF_CAPI_EXPORT extern bool TF_TensorIsAligned(const TF_Tensor* tensor);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_C_TF_TENSOR_H_
