// Eager execution: functions that TensorFlow calls experimental.
#ifndef TENSORFLOW_C_EAGER_C_API_EXPERIMENTAL_H_
#define TENSORFLOW_C_EAGER_C_API_EXPERIMENTAL_H_

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/eager/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes `op_to_reset` what TFE_NewOp would return for that name, without attrs and inputs, on
// `raw_device_name` (NULL or empty: placed by the inputs). Cheaper than a new op. After an error the op
// can only be reset or deleted.
TF_CAPI_EXPORT extern void TFE_OpReset(TFE_Op* op_to_reset, const char* op_or_function_name,
                                       const char* raw_device_name, TF_Status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_C_EAGER_C_API_EXPERIMENTAL_H_
