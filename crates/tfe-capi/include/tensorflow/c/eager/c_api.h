// Eager execution: invokes an op or a function on values, one call at a time.
//
//   TFE_ContextOptions* options = TFE_NewContextOptions();
//   TFE_Context* ctx = TFE_NewContext(options, status);
//   TFE_Op* op = TFE_NewOp(ctx, "MatMul", status);
//   TFE_OpAddInput(op, a, status);
//   TFE_OpAddInput(op, b, status);
//   TFE_TensorHandle* product;
//   int num_results = 1;
//   TFE_Execute(op, &product, &num_results, status);
//
// The rules on errors, NULL, ownership and threads are at the top of tensorflow/c/c_api.h.
//
// A program written for this API as it was in 2017 defines TFE_API_2017 before it includes this file:
// see c_api_2017.h.
#ifndef TENSORFLOW_C_EAGER_C_API_H_
#define TENSORFLOW_C_EAGER_C_API_H_

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- context options -------------------------------------------------------------------------------

typedef struct TFE_ContextOptions TFE_ContextOptions;

TF_CAPI_EXPORT extern TFE_ContextOptions* TFE_NewContextOptions(void);

// A serialized ConfigProto; bytes that are none give INVALID_ARGUMENT.
TF_CAPI_EXPORT extern void TFE_ContextOptionsSetConfig(TFE_ContextOptions* options,
                                                       const void* proto, size_t proto_len,
                                                       TF_Status* status);

// What Execute does with an input on another device than the op needs it on.
typedef enum TFE_ContextDevicePlacementPolicy {
  TFE_DEVICE_PLACEMENT_EXPLICIT = 0,             // refuses: the caller copies
  TFE_DEVICE_PLACEMENT_WARN = 1,                 // copies, and logs it
  TFE_DEVICE_PLACEMENT_SILENT = 2,               // copies
  TFE_DEVICE_PLACEMENT_SILENT_FOR_INT32 = 3      // copies int32, refuses the rest
} TFE_ContextDevicePlacementPolicy;

// Allows ops to run later than TFE_Execute returns. They do not: whatever is allowed, a call runs its
// op before it returns, its results are ready and its errors are told at once. What is set is seen by
// TFE_ExecutorIsAsync (c_api_experimental.h) only.
TF_CAPI_EXPORT extern void TFE_ContextOptionsSetAsync(TFE_ContextOptions* options,
                                                      unsigned char enable);

// TFE_DEVICE_PLACEMENT_SILENT where it is not set.
TF_CAPI_EXPORT extern void TFE_ContextOptionsSetDevicePlacementPolicy(
    TFE_ContextOptions* options, TFE_ContextDevicePlacementPolicy policy);

TF_CAPI_EXPORT extern void TFE_DeleteContextOptions(TFE_ContextOptions* options);

// ---- contexts --------------------------------------------------------------------------------------

// What ops run in: devices, functions, variables, cached kernels. Two contexts share nothing.
typedef struct TFE_Context TFE_Context;

TF_CAPI_EXPORT extern TFE_Context* TFE_NewContext(const TFE_ContextOptions* opts,
                                                  TF_Status* status);

// Handles may outlive their context, with their values; so may ops, those that another thread is executing
// included. Variables and queues go with the context: a call that waits at a queue ends with CANCELLED.
TF_CAPI_EXPORT extern void TFE_DeleteContext(TFE_Context* ctx);

TF_CAPI_EXPORT extern TF_DeviceList* TFE_ContextListDevices(TFE_Context* ctx, TF_Status* status);

// Drops the cached kernels. The next call of each op is slower; a seeded random op starts anew.
TF_CAPI_EXPORT extern void TFE_ContextClearCaches(TFE_Context* ctx);

// Sets the placement policy of the calling thread, in place of the one that the context was made with.
// A number that is no policy is ignored.
TF_CAPI_EXPORT extern void TFE_ContextSetThreadLocalDevicePlacementPolicy(
    TFE_Context* ctx, TFE_ContextDevicePlacementPolicy policy);

// The policy that counts on the calling thread; TFE_DEVICE_PLACEMENT_SILENT for NULL.
TF_CAPI_EXPORT extern TFE_ContextDevicePlacementPolicy
TFE_ContextGetDevicePlacementPolicy(TFE_Context* ctx);

// Begins and ends a step, to which TensorFlow ties the life of some resources. Nothing here lives for
// a step: the calls have no effect.
TF_CAPI_EXPORT extern void TFE_ContextStartStep(TFE_Context* ctx);
TF_CAPI_EXPORT extern void TFE_ContextEndStep(TFE_Context* ctx);

// ---- tensor handles --------------------------------------------------------------------------------

// A value on some device of some context, or in host memory of none. Values do not change, but for
// what is written through a TF_Tensor that shares them.
typedef struct TFE_TensorHandle TFE_TensorHandle;

// A handle in host memory that shares `t`'s elements and outlives it.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_NewTensorHandle(const TF_Tensor* t, TF_Status* status);

TF_CAPI_EXPORT extern void TFE_DeleteTensorHandle(TFE_TensorHandle* h);

// The element type; 0, which is no type, for NULL.
TF_CAPI_EXPORT extern TF_DataType TFE_TensorHandleDataType(TFE_TensorHandle* h);

// The number of dimensions; -1 after an error.
TF_CAPI_EXPORT extern int TFE_TensorHandleNumDims(TFE_TensorHandle* h, TF_Status* status);

// The number of elements; -1 after an error.
TF_CAPI_EXPORT extern int64_t TFE_TensorHandleNumElements(TFE_TensorHandle* h, TF_Status* status);

// The length of a dimension, 0 being the first; -1 after an error, of which one is an index that no
// dimension has.
TF_CAPI_EXPORT extern int64_t TFE_TensorHandleDim(TFE_TensorHandle* h, int dim_index,
                                                  TF_Status* status);

// The full name of the device of the op that made the value. Lives as long as the handle.
TF_CAPI_EXPORT extern const char* TFE_TensorHandleDeviceName(TFE_TensorHandle* h,
                                                             TF_Status* status);

// The full name of the device whose memory holds the value: the CPU for a result that a GPU op leaves
// in host memory. Lives as long as the handle.
TF_CAPI_EXPORT extern const char* TFE_TensorHandleBackingDeviceName(TFE_TensorHandle* h,
                                                                    TF_Status* status);

// Another handle to the same value, to be deleted on its own.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_TensorHandleCopySharingTensor(TFE_TensorHandle* h,
                                                                          TF_Status* status);

// The value in host memory: shared when it is there already, else a copy.
TF_CAPI_EXPORT extern TF_Tensor* TFE_TensorHandleResolve(TFE_TensorHandle* h, TF_Status* status);

// The same value on the device of that name (any spelling that TFE_OpSetDevice takes; empty: the
// CPU). The elements are shared when they are on that device already.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_TensorHandleCopyToDevice(TFE_TensorHandle* h,
                                                                     TFE_Context* ctx,
                                                                     const char* device_name,
                                                                     TF_Status* status);

// How the value lies in the memory of its device.
typedef struct TFE_TensorDebugInfo TFE_TensorDebugInfo;

TF_CAPI_EXPORT extern TFE_TensorDebugInfo* TFE_TensorHandleTensorDebugInfo(TFE_TensorHandle* h,
                                                                           TF_Status* status);

TF_CAPI_EXPORT extern void TFE_DeleteTensorDebugInfo(TFE_TensorDebugInfo* debug_info);

// The number of dimensions there, which are those of the handle; -1 for NULL.
TF_CAPI_EXPORT extern int TFE_TensorDebugInfoOnDeviceNumDims(TFE_TensorDebugInfo* debug_info);

// The length of one, without padding; -1 when there is none.
TF_CAPI_EXPORT extern int64_t TFE_TensorDebugInfoOnDeviceDim(TFE_TensorDebugInfo* debug_info,
                                                             int dim_index);

// ---- ops -------------------------------------------------------------------------------------------

// An op or function to be executed: its name, device, attrs and inputs.
typedef struct TFE_Op TFE_Op;

// NOT_FOUND when neither an op nor a function of the context has that name. `ctx` must outlive the op.
TF_CAPI_EXPORT extern TFE_Op* TFE_NewOp(TFE_Context* ctx, const char* op_or_function_name,
                                        TF_Status* status);

TF_CAPI_EXPORT extern void TFE_DeleteOp(TFE_Op* op);

TF_CAPI_EXPORT extern const char* TFE_OpGetName(const TFE_Op* op, TF_Status* status);

// The context of TFE_NewOp, which goes on belonging to the caller.
TF_CAPI_EXPORT extern TFE_Context* TFE_OpGetContext(const TFE_Op* op, TF_Status* status);

// Sets the device to run on: "CPU:0", "cpu:0", "/cpu:0", "/device:CPU:0", "CPU" or a full name. Empty
// or NULL: placed by the inputs, as without this call. INVALID_ARGUMENT when the text is no device
// name; whether there is such a device is seen by Execute.
TF_CAPI_EXPORT extern void TFE_OpSetDevice(TFE_Op* op, const char* device_name, TF_Status* status);

// The device that was set, as "/device:CPU:0" or more of the full name, as much as was given; empty
// where none was.
TF_CAPI_EXPORT extern const char* TFE_OpGetDevice(const TFE_Op* op, TF_Status* status);

// Adds the next input. The op holds the value, so the handle may be deleted. Attrs that the input
// tells, such as T, are set from it where they are not yet.
TF_CAPI_EXPORT extern void TFE_OpAddInput(TFE_Op* op, TFE_TensorHandle* input, TF_Status* status);

// Adds all values of the next input, which must be a list (N*T, or list(type)), and sets the length
// attr as well.
TF_CAPI_EXPORT extern void TFE_OpAddInputList(TFE_Op* op, TFE_TensorHandle** inputs, int num_inputs,
                                              TF_Status* status);

// The number of values added so far, lists counted out.
TF_CAPI_EXPORT extern int TFE_OpGetFlatInputCount(const TFE_Op* op, TF_Status* status);

// One of them, which goes on belonging to the op. An index that no input has gives INVALID_ARGUMENT.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_OpGetFlatInput(const TFE_Op* op, int index,
                                                           TF_Status* status);

// The kind of an attr, and through `is_list` whether it is a list. After an error `*is_list` stays as
// it is, and the kind means nothing. INVALID_ARGUMENT when there is no such attr.
TF_CAPI_EXPORT extern TF_AttrType TFE_OpGetAttrType(TFE_Op* op, const char* attr_name,
                                                    unsigned char* is_list, TF_Status* status);

// The same without an op at hand; NOT_FOUND when there is no op or function of that name.
TF_CAPI_EXPORT extern TF_AttrType TFE_OpNameGetAttrType(TFE_Context* ctx,
                                                        const char* op_or_function_name,
                                                        const char* attr_name,
                                                        unsigned char* is_list, TF_Status* status);

// The functions below set an attr. The first value of an attr counts: setting it again, or after an
// input has told it, does nothing. Attrs that are never set have the default of the op. Values are
// checked by Execute. Names are not: as in TensorFlow an attr that the op does not have, a misspelled
// one too, is ignored, and the attrs of a function do not follow from its inputs; TFE_OpGetAttrType
// tells whether there is an attr of a name. Those without a status ignore a NULL op or name.

// `length` bytes, which may contain NUL.
TF_CAPI_EXPORT extern void TFE_OpSetAttrString(TFE_Op* op, const char* attr_name,
                                               const void* value, size_t length);
TF_CAPI_EXPORT extern void TFE_OpSetAttrInt(TFE_Op* op, const char* attr_name, int64_t value);
TF_CAPI_EXPORT extern void TFE_OpSetAttrFloat(TFE_Op* op, const char* attr_name, float value);
TF_CAPI_EXPORT extern void TFE_OpSetAttrBool(TFE_Op* op, const char* attr_name,
                                             unsigned char value);
TF_CAPI_EXPORT extern void TFE_OpSetAttrType(TFE_Op* op, const char* attr_name, TF_DataType value);

// A dimension of -1 is unknown; `num_dims` of -1: the rank is. More than 254 dimensions give
// INVALID_ARGUMENT.
TF_CAPI_EXPORT extern void TFE_OpSetAttrShape(TFE_Op* op, const char* attr_name,
                                              const int64_t* dims, const int num_dims,
                                              TF_Status* out_status);

// A function, with the attrs that are set on `value` (whose inputs and device do not count).
TF_CAPI_EXPORT extern void TFE_OpSetAttrFunction(TFE_Op* op, const char* attr_name,
                                                 const TFE_Op* value);

// A function without attrs, by a name of `length` bytes.
TF_CAPI_EXPORT extern void TFE_OpSetAttrFunctionName(TFE_Op* op, const char* attr_name,
                                                     const char* data, size_t length);

// The elements are copied: what is written to the tensor later does not count.
TF_CAPI_EXPORT extern void TFE_OpSetAttrTensor(TFE_Op* op, const char* attr_name, TF_Tensor* tensor,
                                               TF_Status* status);

TF_CAPI_EXPORT extern void TFE_OpSetAttrStringList(TFE_Op* op, const char* attr_name,
                                                   const void* const* values,
                                                   const size_t* lengths, int num_values);
TF_CAPI_EXPORT extern void TFE_OpSetAttrIntList(TFE_Op* op, const char* attr_name,
                                                const int64_t* values, int num_values);
TF_CAPI_EXPORT extern void TFE_OpSetAttrFloatList(TFE_Op* op, const char* attr_name,
                                                  const float* values, int num_values);
TF_CAPI_EXPORT extern void TFE_OpSetAttrBoolList(TFE_Op* op, const char* attr_name,
                                                 const unsigned char* values, int num_values);
TF_CAPI_EXPORT extern void TFE_OpSetAttrTypeList(TFE_Op* op, const char* attr_name,
                                                 const TF_DataType* values, int num_values);
TF_CAPI_EXPORT extern void TFE_OpSetAttrShapeList(TFE_Op* op, const char* attr_name,
                                                  const int64_t** dims, const int* num_dims,
                                                  int num_values, TF_Status* out_status);
TF_CAPI_EXPORT extern void TFE_OpSetAttrFunctionList(TFE_Op* op, const char* attr_name,
                                                     const TFE_Op** value, int num_values);

// The number of values that an input has, by the name in the op's definition: more than 1 for lists.
// -1 after an error, of which one is an unknown name.
TF_CAPI_EXPORT extern int TFE_OpGetInputLength(TFE_Op* op, const char* input_name,
                                               TF_Status* status);

// The same for an output, as far as the attrs set so far tell it.
TF_CAPI_EXPORT extern int TFE_OpGetOutputLength(TFE_Op* op, const char* output_name,
                                                TF_Status* status);

// Runs the op. `*num_retvals` tells how many results `retvals` has room for: at least as many as the
// op has, or INVALID_ARGUMENT. On success it is set to the number of results and the op keeps its
// attrs, but no inputs. After an error of the op's kernel it is the number of results as well, and so many
// `retvals` are NULL. After an error before the kernel was found (a type, an attr, a device, too little
// room) `*num_retvals` and `retvals` are as they were. Places beyond the op's results are never touched.
TF_CAPI_EXPORT extern void TFE_Execute(TFE_Op* op, TFE_TensorHandle** retvals, int* num_retvals,
                                       TF_Status* status);

// ---- functions -------------------------------------------------------------------------------------

// Adds a serialized FunctionDef; from then on TFE_NewOp knows its name. The same may be added again,
// and is then to be removed as often; another body under the same name, or the name of an op, is
// INVALID_ARGUMENT. Nodes of the body are checked when the function is first executed.
//
// A file of functions is a FunctionDefLibrary as a rule, which is INVALID_ARGUMENT here: each of its functions
// is added by a call of its own. Without a library for messages they are found like this:
//
//   const unsigned char *p = file, *end = p + file_size;
//   while (p < end && *p++ == 0x0a) {  // field 1: a FunctionDef, after its length
//     size_t size = 0;
//     for (int shift = 0; p < end; shift += 7) {
//       size |= (size_t)(*p & 0x7f) << shift;
//       if ((*p++ & 0x80) == 0) break;
//     }
//     if (size > (size_t)(end - p)) break;  // the file is damaged
//     TFE_ContextAddFunctionDef(ctx, (const char*)p, size, status);
//     p += size;
//   }
TF_CAPI_EXPORT extern void TFE_ContextAddFunctionDef(TFE_Context* ctx,
                                                     const char* serialized_function_def,
                                                     size_t size, TF_Status* status);

// The same from a definition on its own (c_api.h), which goes on belonging to the caller.
TF_CAPI_EXPORT extern void TFE_ContextAddFunction(TFE_Context* ctx, TF_Function* function,
                                                  TF_Status* status);

// INVALID_ARGUMENT when there is no such function. Calls that run now come to their end.
TF_CAPI_EXPORT extern void TFE_ContextRemoveFunction(TFE_Context* ctx, const char* name,
                                                     TF_Status* status);

// 1 or 0; 0 for NULL.
TF_CAPI_EXPORT extern unsigned char TFE_ContextHasFunction(TFE_Context* ctx, const char* name);

// ---- not there yet ---------------------------------------------------------------------------------

// See the end of c_api.h.
//
// Generated by `cargo xtask codegen`, down to the line that says so. Do not edit.
TF_CAPI_EXPORT extern void TFE_ContextDisableRunMetadata(TFE_Context*);
TF_CAPI_EXPORT extern void TFE_ContextEnableRunMetadata(TFE_Context*);
TF_CAPI_EXPORT extern void TFE_ContextExportRunMetadata(TFE_Context*, TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern void TFE_ContextSetServerDef(TFE_Context*, int, const void*, size_t,
                                                   TF_Status*);
// Generated to here.

#ifdef __cplusplus
}  // extern "C"
#endif

#ifdef TFE_API_2017
#include "tensorflow/c/eager/c_api_2017.h"
#endif

#endif  // TENSORFLOW_C_EAGER_C_API_H_
