// The eager API of 2017, for programs that were written for it.
//
// With TFE_API_2017 defined before the first include, the thirteen names below mean these functions;
// without, these can be called by their own names. All other functions are the same in both. The
// documentation of the plain function holds, but for what is said here.
#ifndef TENSORFLOW_C_EAGER_C_API_2017_H_
#define TENSORFLOW_C_EAGER_C_API_2017_H_

#include "tensorflow/c/eager/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Takes the options of sessions, of which the ConfigProto counts.
TF_CAPI_EXPORT extern TFE_Context* TFE_NewContext_2017(const TF_SessionOptions* opts,
                                                       TF_Status* status);

// Has a status, and sets it to OK.
TF_CAPI_EXPORT extern void TFE_DeleteContext_2017(TFE_Context* ctx, TF_Status* status);

// Has no status: NULL for NULL, or when the tensor cannot be used.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_NewTensorHandle_2017(TF_Tensor* t);

// Have no status: -1 for NULL, and for an index that no dimension has.
TF_CAPI_EXPORT extern int TFE_TensorHandleNumDims_2017(TFE_TensorHandle* h);
TF_CAPI_EXPORT extern int64_t TFE_TensorHandleDim_2017(TFE_TensorHandle* h, int dim_index);

// Has no status: NULL for NULL.
TF_CAPI_EXPORT extern const char* TFE_TensorHandleDeviceName_2017(TFE_TensorHandle* h);

// Refuses a value that is not in host memory, with UNIMPLEMENTED: copy it to the CPU first.
TF_CAPI_EXPORT extern TF_Tensor* TFE_TensorHandleResolve_2017(TFE_TensorHandle* h,
                                                              TF_Status* status);

// Copies the elements even when they are on that device already.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_TensorHandleCopyToDevice_2017(TFE_TensorHandle* h,
                                                                          TFE_Context* ctx,
                                                                          const char* device_name,
                                                                          TF_Status* status);

// Takes the context once more; INVALID_ARGUMENT when it is not the op's.
TF_CAPI_EXPORT extern void TFE_OpSetDevice_2017(TFE_Op* op, TFE_Context* ctx,
                                                const char* device_name, TF_Status* status);

// UNIMPLEMENTED when the op is a function.
TF_CAPI_EXPORT extern TF_AttrType TFE_OpGetAttrType_2017(TFE_Op* op, const char* attr_name,
                                                         unsigned char* is_list,
                                                         TF_Status* status);

// The value ends at its first NUL. NULL is ignored.
TF_CAPI_EXPORT extern void TFE_OpSetAttrString_2017(TFE_Op* op, const char* attr_name,
                                                    const char* value);

// Likewise for each value.
TF_CAPI_EXPORT extern void TFE_OpSetAttrStringList_2017(TFE_Op* op, const char* attr_name,
                                                        const char** value, int num_values);

// Gives as many results as there is room for, and sets `*num_retvals` to that number. After an error both
// are as they were. The op keeps its inputs and can be executed again.
TF_CAPI_EXPORT extern void TFE_Execute_2017(TFE_Op* op, TFE_TensorHandle** retvals,
                                            int* num_retvals, TF_Status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#ifdef TFE_API_2017
#define TFE_NewContext TFE_NewContext_2017
#define TFE_DeleteContext TFE_DeleteContext_2017
#define TFE_NewTensorHandle TFE_NewTensorHandle_2017
#define TFE_TensorHandleNumDims TFE_TensorHandleNumDims_2017
#define TFE_TensorHandleDim TFE_TensorHandleDim_2017
#define TFE_TensorHandleDeviceName TFE_TensorHandleDeviceName_2017
#define TFE_TensorHandleResolve TFE_TensorHandleResolve_2017
#define TFE_TensorHandleCopyToDevice TFE_TensorHandleCopyToDevice_2017
#define TFE_OpSetDevice TFE_OpSetDevice_2017
#define TFE_OpGetAttrType TFE_OpGetAttrType_2017
#define TFE_OpSetAttrString TFE_OpSetAttrString_2017
#define TFE_OpSetAttrStringList TFE_OpSetAttrStringList_2017
#define TFE_Execute TFE_Execute_2017
#endif

#endif  // TENSORFLOW_C_EAGER_C_API_2017_H_
