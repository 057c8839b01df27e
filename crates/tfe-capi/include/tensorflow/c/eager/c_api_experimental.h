// Eager execution: functions that TensorFlow calls experimental.
#ifndef TENSORFLOW_C_EAGER_C_API_EXPERIMENTAL_H_
#define TENSORFLOW_C_EAGER_C_API_EXPERIMENTAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/eager/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- contexts --------------------------------------------------------------------------------------

// Asks for another runtime of TensorFlow's, which is not here: with `use_tfrt`, TFE_NewContext fails
// with UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TFE_ContextOptionsSetTfrt(TFE_ContextOptions* options, bool use_tfrt);

// Whether an op whose device is not there, or has no kernel for it, runs on the CPU instead. For the
// calls that follow, on all threads.
TF_CAPI_EXPORT extern void TFE_ContextSetSoftDevicePlacement(TFE_Context* ctx, unsigned char enable,
                                                             TF_Status* status);

// Whether each call writes its op and device to standard error.
TF_CAPI_EXPORT extern void TFE_ContextSetLogDevicePlacement(TFE_Context* ctx, unsigned char enable,
                                                            TF_Status* status);

// Allows an op to be run by way of a function of its own, and a function to be compiled. Neither
// changes a result, and neither is done: the calls succeed and have no effect.
TF_CAPI_EXPORT extern void TFE_ContextSetRunEagerOpAsFunction(TFE_Context* ctx, unsigned char enable,
                                                              TF_Status* status);
TF_CAPI_EXPORT extern void TFE_ContextSetJitCompileRewrite(TFE_Context* ctx, unsigned char enable,
                                                           TF_Status* status);

// A number that is the same in the contexts that work together on several machines: 0, as here each
// works alone.
TF_CAPI_EXPORT extern uint64_t TFE_GetContextId(TFE_Context* ctx);

// Puts "/job:localhost/replica:0/task:0" into a buffer, in place of what it holds.
TF_CAPI_EXPORT extern void TFE_HostAddressSpace(TFE_Context* ctx, TF_Buffer* buf);

// Fills a buffer, which must be empty, with the names of ops that ran in functions: with none, as they
// are not noted (nor are they by TensorFlow as it ships).
TF_CAPI_EXPORT extern void TFE_GetExecutedOpNames(TFE_Context* ctx, TF_Buffer* buf,
                                                  TF_Status* status);

// ---- functions -------------------------------------------------------------------------------------

// Puts the serialized FunctionDef of a context's function into a buffer, in place of what it holds.
// NOT_FOUND when there is no function of that name here and in the next two.
TF_CAPI_EXPORT extern void TFE_ContextGetFunctionDef(TFE_Context* ctx, const char* function_name,
                                                     TF_Buffer* buf, TF_Status* status);

// The same as an object.
TF_CAPI_EXPORT extern TF_Function* TFE_ContextGetFunction(TFE_Context* ctx, const char* name,
                                                          TF_Status* status);

// Fills a buffer, which must be empty, with a serialized GraphDebugInfo, which says where in a program
// the nodes were made: an empty one, as a FunctionDef does not tell.
TF_CAPI_EXPORT extern void TFE_ContextGetGraphDebugInfo(TFE_Context* ctx, const char* function_name,
                                                        TF_Buffer* buf, TF_Status* status);

// ---- tensor handles --------------------------------------------------------------------------------

// A tensor with memory of its own, not initialized, as by TF_AllocateTensor; an error where that gives
// NULL.
TF_CAPI_EXPORT extern TF_Tensor* TFE_AllocateHostTensor(TFE_Context* ctx, TF_DataType dtype,
                                                        const int64_t* dims, int num_dims,
                                                        TF_Status* status);

// As TFE_NewTensorHandle: a handle belongs to no context.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_NewTensorHandleFromTensor(TFE_Context* ctx,
                                                                      TF_Tensor* t,
                                                                      TF_Status* status);

// A handle over memory of the caller on a device that is host memory, of elements that are plain bytes.
// It is used in place when it is aligned to its elements, else copied at once. `deallocator`, which may
// be NULL, is called exactly once, by whichever thread lets go of the memory last: at once when the
// elements were copied, or after an error. UNIMPLEMENTED for a device with memory of its own.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_NewTensorHandleFromDeviceMemory(
    TFE_Context* ctx, const char* device_name, TF_DataType dtype, const int64_t* dims, int num_dims,
    void* data, size_t len, void (*deallocator)(void* data, size_t len, void* arg),
    void* deallocator_arg, TF_Status* status);

// The first element where it lies, of elements that are plain bytes, until the handle is deleted.
// UNIMPLEMENTED for memory of a device.
TF_CAPI_EXPORT extern void* TFE_TensorHandleDevicePointer(TFE_TensorHandle* h, TF_Status* status);

// The bytes of the elements; 0 after an error.
TF_CAPI_EXPORT extern size_t TFE_TensorHandleDeviceMemorySize(TFE_TensorHandle* h,
                                                              TF_Status* status);

// "CPU" or "GPU": the type of the device of TFE_TensorHandleDeviceName. Lives as long as the handle.
TF_CAPI_EXPORT extern const char* TFE_TensorHandleDeviceType(TFE_TensorHandle* h,
                                                             TF_Status* status);

// Its number among those of its type; -1 after an error.
TF_CAPI_EXPORT extern int TFE_TensorHandleDeviceID(TFE_TensorHandle* h, TF_Status* status);

// The error of the op that made the value: none, or there were no handle.
TF_CAPI_EXPORT extern void TFE_TensorHandleGetStatus(TFE_TensorHandle* h, TF_Status* status);

// ---- ops -------------------------------------------------------------------------------------------

// Makes `op_to_reset` what TFE_NewOp would return for that name, without attrs and inputs, on
// `raw_device_name` (NULL or empty: placed by the inputs). Cheaper than a new op. After an error the op
// can only be reset or deleted.
TF_CAPI_EXPORT extern void TFE_OpReset(TFE_Op* op_to_reset, const char* op_or_function_name,
                                       const char* raw_device_name, TF_Status* status);

// The attrs of an op, as they are at the time of each call that reads them.
typedef struct TFE_OpAttrs TFE_OpAttrs;

// They belong to the op and live as long as it does.
TF_CAPI_EXPORT extern const TFE_OpAttrs* TFE_OpGetAttrs(const TFE_Op* op);

// Sets those attrs of `op` that it has not, and that are set in `attrs`. What the op's definition does
// not have is ignored by TFE_Execute.
TF_CAPI_EXPORT extern void TFE_OpAddAttrs(TFE_Op* op, const TFE_OpAttrs* attrs);

// Fills a buffer, which must be empty, with a serialized NameAttrList: the op's name and all attrs that
// have a value, defaults included.
TF_CAPI_EXPORT extern void TFE_OpAttrsSerialize(const TFE_OpAttrs* attrs, TF_Buffer* buf,
                                                TF_Status* status);

// Sets an attr to a serialized AttrValue; INVALID_ARGUMENT when the bytes are none.
TF_CAPI_EXPORT extern void TFE_OpSetAttrValueProto(const TFE_Op* op, const char* attr_name,
                                                   const void* proto, size_t proto_len,
                                                   TF_Status* status);

// ---- custom devices --------------------------------------------------------------------------------

#define TFE_CUSTOM_DEVICE_VERSION 4

#ifdef __cplusplus
#define TFE_MEMBER_DEFAULT(value) = value
#else
#define TFE_MEMBER_DEFAULT(value)
#endif

// A device that a program makes of functions: it is handed whole ops, and does with them as it likes.
// In C `version` and the members that are not wanted must be set, to TFE_CUSTOM_DEVICE_VERSION and to
// NULL.
//
// The functions are called by any thread that uses the context, by several at a time, and may call all
// functions of this library but TFE_DeleteContext. `context` is the context of the device. Handles and
// ops that they are given are theirs until they return; handles that they give are the library's from
// then on. What they say by the status is the status of the call that they are called for; it is OK at
// first, and when it is not at the end, what they give is not looked at.
typedef struct TFE_CustomDevice {
  int version TFE_MEMBER_DEFAULT(TFE_CUSTOM_DEVICE_VERSION);

  // A handle on this device to the value of a handle, which may be on any device, this one included.
  TFE_TensorHandle* (*copy_tensor_to_device)(TFE_Context* context, TFE_TensorHandle* tensor,
                                             TF_Status* status, void* device_info);

  // A handle on another device, which is no custom device, to a value of this one. The name is the one
  // that the caller gave to TFE_TensorHandleCopyToDevice, in his spelling.
  TFE_TensorHandle* (*copy_tensor_from_device)(TFE_Context* context, TFE_TensorHandle* tensor,
                                               const char* target_device_name, TF_Status* status,
                                               void* device_info);

  // Executes an op. `op` has the name, the attrs that were set, the inputs, wherever they are, and the
  // device that was asked for, if one was; whether they fit each other was not looked at. `*num_outputs`
  // is how many handles there is room for in `outputs`, and must be set to their number.
  void (*execute)(const TFE_Op* op, int* num_outputs, TFE_TensorHandle** outputs, TF_Status* s,
                  void* device_info);

  // Called once: when the context is deleted, or the device could not be registered. A call that runs
  // on the device at that time comes to its end first.
  void (*delete_device)(void* device_info);

  // TFE_CreatePackedTensorHandle for handles of which this device is that of the first on any custom
  // device. NULL is UNIMPLEMENTED.
  TFE_TensorHandle* (*pack)(TFE_Context* context, TFE_TensorHandle** handles, int num_handles,
                            TF_Status* s, void* device_info) TFE_MEMBER_DEFAULT(nullptr);

  // Whether an op with inputs on this device, and on no other custom device, is to be executed here,
  // even where another device was asked for. Otherwise its inputs are copied off this device. NULL says
  // yes to ops that no device was asked for. The status is not looked at.
  bool (*shall_pin_to_this_device)(const TFE_Op* op, TF_Status* s) TFE_MEMBER_DEFAULT(nullptr);
} TFE_CustomDevice;

// Adds a device to a context; calls that run meanwhile on other threads are not disturbed. Ops are
// executed on it that ask for it by TFE_OpSetDevice, and ops with inputs on it, unless
// shall_pin_to_this_device says otherwise. The name must be a full one,
// "/job:<name>/replica:<replica>/task:<task>/device:<type>:<device_num>", or INVALID_ARGUMENT, and not
// that of another device, or ALREADY_EXISTS. delete_device is called after an error, too.
// TFE_ContextListDevices does not tell of custom devices.
TF_CAPI_EXPORT extern void TFE_RegisterCustomDevice(TFE_Context* ctx, TFE_CustomDevice device,
                                                    const char* device_name, void* device_info,
                                                    TF_Status* status);

// Whether a device of that name, in any spelling, was registered so.
TF_CAPI_EXPORT extern bool TFE_IsCustomDevice(TFE_Context* ctx, const char* device_name);

// What a handle on a custom device asks for its value. The functions may be called by several threads at
// a time, and outlive the context.
typedef struct TFE_CustomDeviceTensorHandleMethods {
  int version TFE_MEMBER_DEFAULT(TFE_CUSTOM_DEVICE_VERSION);

  // The number of dimensions; -1 if it is not known.
  int (*num_dims)(void* data, TF_Status* status);

  // The length of a dimension.
  int64_t (*dim)(void* data, int dim_index, TF_Status* status);

  // Called once, when the last handle to the value is deleted.
  void (*deallocator)(void* data);

  // Text about the value, for messages. The buffer is the library's from then on. NULL leaves it out.
  TF_Buffer* (*summarize)(void* data, TF_Status* status) TFE_MEMBER_DEFAULT(nullptr);
} TFE_CustomDeviceTensorHandle;

#undef TFE_MEMBER_DEFAULT

// A handle to a value on a custom device, which TFE_TensorHandleDevicePointer gives back. The
// deallocator is called after an error, too.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_NewCustomDeviceTensorHandle(
    TFE_Context* ctx, const char* device_name, TF_DataType dtype, void* data,
    TFE_CustomDeviceTensorHandle methods, TF_Status* status);

// A handle to several values, made by `pack` of the custom device that is that of the first handle on
// any. UNIMPLEMENTED for handles of which none is on a custom device.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_CreatePackedTensorHandle(TFE_Context* ctx,
                                                                     TFE_TensorHandle** handles,
                                                                     int* num_handles,
                                                                     TF_Status* status);

// ---- cancellation ----------------------------------------------------------------------------------

// What a program cancels calls by. May be used from many threads at once.
typedef struct TFE_CancellationManager TFE_CancellationManager;

// A place for a callback.
typedef int64_t TFE_CancellationToken;

// A function of the caller and what it is called with.
typedef struct TFE_CancelCallback {
  void (*callback)(void* context);
  void* context;
} TFE_CancelCallback;

TF_CAPI_EXPORT extern TFE_CancellationManager* TFE_NewCancellationManager(void);

// Calls the callbacks that are left, as TFE_CancellationManagerStartCancel does.
TF_CAPI_EXPORT extern void TFE_DeleteCancellationManager(TFE_CancellationManager* manager);

// Whether it was cancelled and all callbacks have returned; false for NULL.
TF_CAPI_EXPORT extern bool TFE_CancellationManagerIsCancelled(TFE_CancellationManager* manager);

// Whether it is being cancelled: callbacks run; false for NULL.
TF_CAPI_EXPORT extern bool TFE_CancellationManagerIsCancelling(TFE_CancellationManager* manager);

// Calls each callback once, on this thread, and returns when all have. A second call does nothing.
TF_CAPI_EXPORT extern void TFE_CancellationManagerStartCancel(TFE_CancellationManager* manager);

// A new token: 0, 1, 2 ...; -1 for NULL.
TF_CAPI_EXPORT extern TFE_CancellationToken TFE_CancellationManagerGetToken(
    TFE_CancellationManager* manager);

// Registers a callback for a token, in place of an earlier one. False, and nothing is registered, once
// it was cancelled, or for NULL. The name is for messages and may be NULL.
TF_CAPI_EXPORT extern bool TFE_CancellationManagerRegisterCallback(
    TFE_CancellationManager* manager, TFE_CancellationToken token,
    const TFE_CancelCallback* c_callback, const char* callback_name);

// Drops the callback of a token, if there is one: it is not called any more. False once it was
// cancelled; then all callbacks have returned.
TF_CAPI_EXPORT extern bool TFE_CancellationManagerDeregisterCallback(
    TFE_CancellationManager* manager, TFE_CancellationToken token);

// The same without waiting for callbacks that run.
TF_CAPI_EXPORT extern bool TFE_CancellationManagerTryDeregisterCallback(
    TFE_CancellationManager* manager, TFE_CancellationToken token);

// Lets a manager cancel an op; NULL takes it back, and so does TFE_OpReset. A function that is executed
// when its manager was cancelled gives TF_CANCELLED and does not run; a call that runs comes to its end,
// and primitive ops always run. The op may outlive the manager.
TF_CAPI_EXPORT extern void TFE_OpSetCancellationManager(TFE_Op* op,
                                                        TFE_CancellationManager* cancellation_manager,
                                                        TF_Status* status);

// ---- executors -------------------------------------------------------------------------------------

// What TensorFlow queues the calls of a thread in. Here a call runs before TFE_Execute returns, whatever
// the executor, so that there is never anything to wait for, and no error to clear.
typedef struct TFE_Executor TFE_Executor;

// The last two arguments are about queues and have no effect.
TF_CAPI_EXPORT extern TFE_Executor* TFE_NewExecutor(bool is_async, bool enable_streaming_enqueue,
                                                    int in_flight_nodes_limit);

TF_CAPI_EXPORT extern void TFE_DeleteExecutor(TFE_Executor* executor);

// What TFE_NewExecutor was told, or the context's options; false for NULL.
TF_CAPI_EXPORT extern bool TFE_ExecutorIsAsync(TFE_Executor* executor);

TF_CAPI_EXPORT extern void TFE_ExecutorWaitForAllPendingNodes(TFE_Executor* executor,
                                                              TF_Status* status);

TF_CAPI_EXPORT extern void TFE_ExecutorClearError(TFE_Executor* executor);

// Sets the executor of the calling thread; NULL: that of the context again. It may be deleted at once.
TF_CAPI_EXPORT extern void TFE_ContextSetExecutorForThread(TFE_Context* ctx, TFE_Executor* executor);

// The executor of the calling thread, as an object of its own that the caller deletes.
TF_CAPI_EXPORT extern TFE_Executor* TFE_ContextGetExecutorForThread(TFE_Context* ctx);

// Waits for all calls of all threads to end: there are none by then.
TF_CAPI_EXPORT extern void TFE_ContextAsyncWait(TFE_Context* ctx, TF_Status* status);

// ---- not there yet ---------------------------------------------------------------------------------

typedef struct TFE_MonitoringBoolGauge0 TFE_MonitoringBoolGauge0;
typedef struct TFE_MonitoringBoolGauge1 TFE_MonitoringBoolGauge1;
typedef struct TFE_MonitoringBoolGauge2 TFE_MonitoringBoolGauge2;
typedef struct TFE_MonitoringBoolGaugeCell TFE_MonitoringBoolGaugeCell;
typedef struct TFE_MonitoringCounter0 TFE_MonitoringCounter0;
typedef struct TFE_MonitoringCounter1 TFE_MonitoringCounter1;
typedef struct TFE_MonitoringCounter2 TFE_MonitoringCounter2;
typedef struct TFE_MonitoringCounterCell TFE_MonitoringCounterCell;
typedef struct TFE_MonitoringIntGauge0 TFE_MonitoringIntGauge0;
typedef struct TFE_MonitoringIntGauge1 TFE_MonitoringIntGauge1;
typedef struct TFE_MonitoringIntGauge2 TFE_MonitoringIntGauge2;
typedef struct TFE_MonitoringIntGaugeCell TFE_MonitoringIntGaugeCell;
typedef struct TFE_MonitoringSampler0 TFE_MonitoringSampler0;
typedef struct TFE_MonitoringSampler1 TFE_MonitoringSampler1;
typedef struct TFE_MonitoringSampler2 TFE_MonitoringSampler2;
typedef struct TFE_MonitoringSamplerCell TFE_MonitoringSamplerCell;
typedef struct TFE_MonitoringStringGauge0 TFE_MonitoringStringGauge0;
typedef struct TFE_MonitoringStringGauge1 TFE_MonitoringStringGauge1;
typedef struct TFE_MonitoringStringGauge2 TFE_MonitoringStringGauge2;
typedef struct TFE_MonitoringStringGauge3 TFE_MonitoringStringGauge3;
typedef struct TFE_MonitoringStringGauge4 TFE_MonitoringStringGauge4;
typedef struct TFE_MonitoringStringGaugeCell TFE_MonitoringStringGaugeCell;
typedef struct TFE_MonitoringBuckets TFE_MonitoringBuckets;

// See the end of c_api.h.
//
// Generated by `cargo xtask codegen`, down to the line that says so. Do not edit.
TF_CAPI_EXPORT extern bool TFE_ContextCheckAlive(TFE_Context*, const char*, TF_Status*);
TF_CAPI_EXPORT extern void TFE_ContextDisableGraphCollection(TFE_Context*);
TF_CAPI_EXPORT extern void TFE_ContextEnableGraphCollection(TFE_Context*);
TF_CAPI_EXPORT extern void TFE_ContextSetServerDefWithTimeout(TFE_Context*, int, const void*,
                                                              size_t, int64_t, TF_Status*, bool);
TF_CAPI_EXPORT extern void TFE_ContextSetServerDefWithTimeoutAndRetries(TFE_Context*, int,
                                                                        const void*, size_t,
                                                                        int64_t, int, TF_Status*,
                                                                        bool);
TF_CAPI_EXPORT extern void TFE_ContextUpdateServerDef(TFE_Context*, int, const void*, size_t,
                                                      TF_Status*);
TF_CAPI_EXPORT extern void TFE_ContextUpdateServerDefWithTimeout(TFE_Context*, int, const void*,
                                                                 size_t, int64_t, TF_Status*);
TF_CAPI_EXPORT extern void TFE_DeleteConfigKeyValue(TFE_Context*, const char*, TF_Status*);
TF_CAPI_EXPORT extern void TFE_GetConfigKeyValue(TFE_Context*, const char*, int64_t, TF_Buffer*,
                                                 TF_Status*);
TF_CAPI_EXPORT extern void TFE_GetTaskStates(TFE_Context*, const TF_Buffer*, void*, TF_Status*);
TF_CAPI_EXPORT extern void TFE_InitializeLocalOnlyContext(TFE_Context*, int, const void*, size_t,
                                                          TF_Status*);
TF_CAPI_EXPORT extern void TFE_InsertConfigKeyValue(TFE_Context*, const char*, const char*,
                                                    TF_Status*);
TF_CAPI_EXPORT extern void TFE_MonitoringBoolGaugeCellSet(TFE_MonitoringBoolGaugeCell*, bool);
TF_CAPI_EXPORT extern bool TFE_MonitoringBoolGaugeCellValue(TFE_MonitoringBoolGaugeCell*);
TF_CAPI_EXPORT extern void TFE_MonitoringCounterCellIncrementBy(TFE_MonitoringCounterCell*,
                                                                int64_t);
TF_CAPI_EXPORT extern int64_t TFE_MonitoringCounterCellValue(TFE_MonitoringCounterCell*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteBoolGauge0(TFE_MonitoringBoolGauge0*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteBoolGauge1(TFE_MonitoringBoolGauge1*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteBoolGauge2(TFE_MonitoringBoolGauge2*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteBuckets(TFE_MonitoringBuckets*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteCounter0(TFE_MonitoringCounter0*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteCounter1(TFE_MonitoringCounter1*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteCounter2(TFE_MonitoringCounter2*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteIntGauge0(TFE_MonitoringIntGauge0*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteIntGauge1(TFE_MonitoringIntGauge1*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteIntGauge2(TFE_MonitoringIntGauge2*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteSampler0(TFE_MonitoringSampler0*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteSampler1(TFE_MonitoringSampler1*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteSampler2(TFE_MonitoringSampler2*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteStringGauge0(TFE_MonitoringStringGauge0*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteStringGauge1(TFE_MonitoringStringGauge1*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteStringGauge2(TFE_MonitoringStringGauge2*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteStringGauge3(TFE_MonitoringStringGauge3*);
TF_CAPI_EXPORT extern void TFE_MonitoringDeleteStringGauge4(TFE_MonitoringStringGauge4*);
TF_CAPI_EXPORT extern TFE_MonitoringBoolGaugeCell* TFE_MonitoringGetCellBoolGauge0(
    TFE_MonitoringBoolGauge0*);
TF_CAPI_EXPORT extern TFE_MonitoringBoolGaugeCell* TFE_MonitoringGetCellBoolGauge1(
    TFE_MonitoringBoolGauge1*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringBoolGaugeCell* TFE_MonitoringGetCellBoolGauge2(
    TFE_MonitoringBoolGauge2*, const char*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringCounterCell* TFE_MonitoringGetCellCounter0(
    TFE_MonitoringCounter0*);
TF_CAPI_EXPORT extern TFE_MonitoringCounterCell* TFE_MonitoringGetCellCounter1(
    TFE_MonitoringCounter1*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringCounterCell* TFE_MonitoringGetCellCounter2(
    TFE_MonitoringCounter2*, const char*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringIntGaugeCell* TFE_MonitoringGetCellIntGauge0(
    TFE_MonitoringIntGauge0*);
TF_CAPI_EXPORT extern TFE_MonitoringIntGaugeCell* TFE_MonitoringGetCellIntGauge1(
    TFE_MonitoringIntGauge1*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringIntGaugeCell* TFE_MonitoringGetCellIntGauge2(
    TFE_MonitoringIntGauge2*, const char*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringSamplerCell* TFE_MonitoringGetCellSampler0(
    TFE_MonitoringSampler0*);
TF_CAPI_EXPORT extern TFE_MonitoringSamplerCell* TFE_MonitoringGetCellSampler1(
    TFE_MonitoringSampler1*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringSamplerCell* TFE_MonitoringGetCellSampler2(
    TFE_MonitoringSampler2*, const char*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGaugeCell* TFE_MonitoringGetCellStringGauge0(
    TFE_MonitoringStringGauge0*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGaugeCell* TFE_MonitoringGetCellStringGauge1(
    TFE_MonitoringStringGauge1*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGaugeCell* TFE_MonitoringGetCellStringGauge2(
    TFE_MonitoringStringGauge2*, const char*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGaugeCell* TFE_MonitoringGetCellStringGauge3(
    TFE_MonitoringStringGauge3*, const char*, const char*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGaugeCell* TFE_MonitoringGetCellStringGauge4(
    TFE_MonitoringStringGauge4*, const char*, const char*, const char*, const char*);
TF_CAPI_EXPORT extern void TFE_MonitoringIntGaugeCellSet(TFE_MonitoringIntGaugeCell*, int64_t);
TF_CAPI_EXPORT extern int64_t TFE_MonitoringIntGaugeCellValue(TFE_MonitoringIntGaugeCell*);
TF_CAPI_EXPORT extern TFE_MonitoringBoolGauge0* TFE_MonitoringNewBoolGauge0(const char*, TF_Status*,
                                                                            const char*);
TF_CAPI_EXPORT extern TFE_MonitoringBoolGauge1* TFE_MonitoringNewBoolGauge1(const char*, TF_Status*,
                                                                            const char*,
                                                                            const char*);
TF_CAPI_EXPORT extern TFE_MonitoringBoolGauge2* TFE_MonitoringNewBoolGauge2(const char*, TF_Status*,
                                                                            const char*,
                                                                            const char*,
                                                                            const char*);
TF_CAPI_EXPORT extern TFE_MonitoringCounter0* TFE_MonitoringNewCounter0(const char*, TF_Status*,
                                                                        const char*);
TF_CAPI_EXPORT extern TFE_MonitoringCounter1* TFE_MonitoringNewCounter1(const char*, TF_Status*,
                                                                        const char*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringCounter2* TFE_MonitoringNewCounter2(const char*, TF_Status*,
                                                                        const char*, const char*,
                                                                        const char*);
TF_CAPI_EXPORT extern TFE_MonitoringBuckets* TFE_MonitoringNewExponentialBuckets(double, double,
                                                                                 int);
TF_CAPI_EXPORT extern TFE_MonitoringIntGauge0* TFE_MonitoringNewIntGauge0(const char*, TF_Status*,
                                                                          const char*);
TF_CAPI_EXPORT extern TFE_MonitoringIntGauge1* TFE_MonitoringNewIntGauge1(const char*, TF_Status*,
                                                                          const char*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringIntGauge2* TFE_MonitoringNewIntGauge2(const char*, TF_Status*,
                                                                          const char*, const char*,
                                                                          const char*);
TF_CAPI_EXPORT extern TFE_MonitoringSampler0* TFE_MonitoringNewSampler0(const char*,
                                                                        TFE_MonitoringBuckets*,
                                                                        TF_Status*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringSampler1* TFE_MonitoringNewSampler1(const char*,
                                                                        TFE_MonitoringBuckets*,
                                                                        TF_Status*, const char*,
                                                                        const char*);
TF_CAPI_EXPORT extern TFE_MonitoringSampler2* TFE_MonitoringNewSampler2(const char*,
                                                                        TFE_MonitoringBuckets*,
                                                                        TF_Status*, const char*,
                                                                        const char*, const char*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGauge0* TFE_MonitoringNewStringGauge0(const char*,
                                                                                TF_Status*,
                                                                                const char*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGauge1* TFE_MonitoringNewStringGauge1(const char*,
                                                                                TF_Status*,
                                                                                const char*,
                                                                                const char*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGauge2* TFE_MonitoringNewStringGauge2(const char*,
                                                                                TF_Status*,
                                                                                const char*,
                                                                                const char*,
                                                                                const char*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGauge3* TFE_MonitoringNewStringGauge3(const char*,
                                                                                TF_Status*,
                                                                                const char*,
                                                                                const char*,
                                                                                const char*,
                                                                                const char*);
TF_CAPI_EXPORT extern TFE_MonitoringStringGauge4* TFE_MonitoringNewStringGauge4(const char*,
                                                                                TF_Status*,
                                                                                const char*,
                                                                                const char*,
                                                                                const char*,
                                                                                const char*,
                                                                                const char*);
TF_CAPI_EXPORT extern void TFE_MonitoringSamplerCellAdd(TFE_MonitoringSamplerCell*, double);
TF_CAPI_EXPORT extern void TFE_MonitoringSamplerCellValue(TFE_MonitoringSamplerCell*, TF_Buffer*);
TF_CAPI_EXPORT extern void TFE_MonitoringStringGaugeCellSet(TFE_MonitoringStringGaugeCell*,
                                                            const char*);
TF_CAPI_EXPORT extern void TFE_MonitoringStringGaugeCellValue(TFE_MonitoringStringGaugeCell*,
                                                              TF_Buffer*);
TF_CAPI_EXPORT extern void TFE_ReportErrorToCluster(TFE_Context*, int, const char*, TF_Status*);
TF_CAPI_EXPORT extern void TFE_SetLogicalCpuDevices(TFE_Context*, int, const char*, TF_Status*);
TF_CAPI_EXPORT extern void TFE_WaitAtBarrier(TFE_Context*, const char*, int64_t, TF_Status*);
// Generated to here.

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_C_EAGER_C_API_EXPERIMENTAL_H_
