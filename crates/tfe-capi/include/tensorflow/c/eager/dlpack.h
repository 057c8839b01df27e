// Tensors from and to other libraries, without a copy: DLPack, https://dmlc.github.io/dlpack.
//
// A `void*` below is a `DLManagedTensor*` of DLPack's own header, which is not needed here. C calls the
// functions as they are; in C++ they are in the namespace `tensorflow`, as those of TensorFlow.
//
// Python's `__dlpack__` wants a capsule of the name kDlTensorCapsuleName around such a pointer.
#ifndef TENSORFLOW_C_EAGER_DLPACK_H_
#define TENSORFLOW_C_EAGER_DLPACK_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/eager/c_api.h"

#ifdef __cplusplus
namespace tensorflow {

const char* const kDlTensorCapsuleName = "dltensor";
#else
#define kDlTensorCapsuleName "dltensor"
#endif

// The handle's memory as a DLManagedTensor, which the caller hands on or frees with its `deleter`. It
// keeps the memory alive on its own; what is written there is seen by all that share it.
//
// Booleans, integers, half, bfloat16, float, double, complex numbers and 8-bit floats. INVALID_ARGUMENT
// for what DLPack cannot say: strings, resources, variants, quantized numbers, and types narrower than
// a byte, which lie there otherwise. UNIMPLEMENTED for memory of a device.
TF_CAPI_EXPORT extern void* TFE_HandleToDLPack(TFE_TensorHandle* h, TF_Status* status);

// A handle over the memory of a DLManagedTensor, whose `deleter` (which may be NULL) is called exactly
// once: by the thread that lets go of the memory last, or at once when the elements were copied, which
// they are where they are not aligned to their size. After an error it is not called and `dlm` goes on
// belonging to the caller.
//
// Takes elements that lie row after row without gaps in host memory (kDLCPU), and the types above.
// INVALID_ARGUMENT for other strides, several lanes, a shape that is none, and other memory.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_HandleFromDLPack(void* dlm, TF_Status* status,
                                                             TFE_Context* ctx);

// Calls the `deleter` of a DLManagedTensor if it has one. NULL is ignored.
TF_CAPI_EXPORT extern void TFE_CallDLManagedTensorDeleter(void* dlm_ptr);

// The DLDevice of the handle, for Python's `__dlpack_device__`; the caller frees it with free().
TF_CAPI_EXPORT extern void* TFE_GetDLDevice(TFE_TensorHandle* h, TF_Status* status);

#ifdef __cplusplus
}  // namespace tensorflow
#endif

#endif  // TENSORFLOW_C_EAGER_DLPACK_H_
