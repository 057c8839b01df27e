// The part of the C API that is not about eager execution: version, session options, devices, the
// list of ops. It also includes the headers of statuses, tensors, strings and buffers.
//
// Rules that hold for every function of this library:
//
// Errors     A function that can fail takes a TF_Status last and sets it on every path, to TF_OK too.
//            What it returns is NULL, 0 or -1 after an error, and results through pointers are set to
//            NULL. No call ends the process.
// NULL       Deleting NULL does nothing. Any other NULL for an object, a name or a result gives
//            TF_INVALID_ARGUMENT where there is a status, and a harmless value, told at the function,
//            where there is none. Arrays of no elements may be NULL. A NULL status is allowed: the
//            outcome is then seen in the returned value only.
// Ownership  What a function named New, Allocate, Copy, Resolve, List… or Get…List returns belongs to
//            the caller, who frees it with the Delete of its type. Other pointers that are returned
//            belong to the object they were asked of. Arguments stay the caller's, and are no longer
//            needed once the call returns, unless told otherwise.
// Threads    A TFE_Context and a TFE_TensorHandle may be used from many threads at once. Other objects
//            belong to one thread at a time.
#ifndef TENSORFLOW_C_C_API_H_
#define TENSORFLOW_C_C_API_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_attrtype.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/c/tf_tstring.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of TensorFlow whose API and ABI this library has, such as "2.21.0". Never freed.
TF_CAPI_EXPORT extern const char* TF_Version(void);

// ---- session options -------------------------------------------------------------------------------

// How a context is to be set up, in the form that sessions share (eager/c_api_2017.h takes it).
typedef struct TF_SessionOptions TF_SessionOptions;

TF_CAPI_EXPORT extern TF_SessionOptions* TF_NewSessionOptions(void);

// The address of a remote runtime. There is none here: a context made from options with a target that
// is not empty is an error.
TF_CAPI_EXPORT extern void TF_SetTarget(TF_SessionOptions* options, const char* target);

// A serialized ConfigProto; bytes that are none give INVALID_ARGUMENT.
TF_CAPI_EXPORT extern void TF_SetConfig(TF_SessionOptions* options, const void* proto,
                                        size_t proto_len, TF_Status* status);

TF_CAPI_EXPORT extern void TF_DeleteSessionOptions(TF_SessionOptions* options);

// ---- devices ---------------------------------------------------------------------------------------

// The devices of a context when it was asked. Outlives the context.
typedef struct TF_DeviceList TF_DeviceList;

TF_CAPI_EXPORT extern void TF_DeleteDeviceList(TF_DeviceList* list);

// The number of devices; 0 for NULL.
TF_CAPI_EXPORT extern int TF_DeviceListCount(const TF_DeviceList* list);

// The full name, "/job:localhost/replica:0/task:0/device:CPU:0". An index that no device has gives
// INVALID_ARGUMENT here and in the next three.
TF_CAPI_EXPORT extern const char* TF_DeviceListName(const TF_DeviceList* list, int index,
                                                    TF_Status* status);

// "CPU" or "GPU".
TF_CAPI_EXPORT extern const char* TF_DeviceListType(const TF_DeviceList* list, int index,
                                                    TF_Status* status);

// The bytes of memory that the device may use; -1 after an error.
TF_CAPI_EXPORT extern int64_t TF_DeviceListMemoryBytes(const TF_DeviceList* list, int index,
                                                       TF_Status* status);

// A number that tells this device from one of the same name in another context or process; 0 after an
// error.
TF_CAPI_EXPORT extern uint64_t TF_DeviceListIncarnation(const TF_DeviceList* list, int index,
                                                        TF_Status* status);

// ---- ops -------------------------------------------------------------------------------------------

// All ops that are known, as a serialized OpList.
TF_CAPI_EXPORT extern TF_Buffer* TF_GetAllOpList(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_C_C_API_H_
