// The part of the C API that is not about eager execution: version, session options, devices, the
// lists of ops and kernels, function definitions; graphs and sessions are declared only. It also
// includes the headers of statuses, tensors, strings and buffers.
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

#include <stdbool.h>
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

// Makes `to` the tensor of a serialized TensorProto. INVALID_ARGUMENT when the bytes are none, or say
// what is no tensor; `to` stays as it is then.
TF_CAPI_EXPORT extern void TF_TensorFromProto(const TF_Buffer* from, TF_Tensor* to,
                                              TF_Status* status);

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

// The kernels that the library has, as a serialized KernelList: for which op and device each is, and
// which types its attrs may have. An attr that is not named may have any type of the op's definition.
TF_CAPI_EXPORT extern TF_Buffer* TF_GetAllRegisteredKernels(TF_Status* status);

// Those of one op: an empty list when there are none, or no such op.
TF_CAPI_EXPORT extern TF_Buffer* TF_GetRegisteredKernelsForOp(const char* name, TF_Status* status);

// ---- functions -------------------------------------------------------------------------------------

// The definition of a function, on its own: TFE_ContextAddFunction (eager/c_api.h) makes it known to a
// context.
typedef struct TF_Function TF_Function;

// From a serialized FunctionDef. INVALID_ARGUMENT for bytes that are none; whether the definition
// makes sense is checked when it is added to a context.
TF_CAPI_EXPORT extern TF_Function* TF_FunctionImportFunctionDef(const void* proto, size_t proto_len,
                                                                TF_Status* status);

TF_CAPI_EXPORT extern void TF_DeleteFunction(TF_Function* func);

// The name; it lives as long as the function. NULL for NULL.
TF_CAPI_EXPORT extern const char* TF_FunctionName(TF_Function* func);

// Fills a buffer, which must be empty, with the serialized FunctionDef.
TF_CAPI_EXPORT extern void TF_FunctionToFunctionDef(TF_Function* func, TF_Buffer* output_func_def,
                                                    TF_Status* status);

// Sets an attr of the function itself (not of its nodes) to a serialized AttrValue.
TF_CAPI_EXPORT extern void TF_FunctionSetAttrValueProto(TF_Function* func, const char* attr_name,
                                                        const void* proto, size_t proto_len,
                                                        TF_Status* status);

// Fills a buffer, which must be empty, with the serialized AttrValue of one. INVALID_ARGUMENT when the
// function has no such attr.
TF_CAPI_EXPORT extern void TF_FunctionGetAttrValueProto(TF_Function* func, const char* attr_name,
                                                        TF_Buffer* output_attr_value,
                                                        TF_Status* status);

// ---- not there yet ---------------------------------------------------------------------------------

typedef struct TF_ApiDefMap TF_ApiDefMap;
typedef struct TF_DeprecatedSession TF_DeprecatedSession;
typedef struct TF_FunctionOptions TF_FunctionOptions;
typedef struct TF_Graph TF_Graph;
typedef struct TF_ImportGraphDefOptions TF_ImportGraphDefOptions;
typedef struct TF_ImportGraphDefResults TF_ImportGraphDefResults;
typedef struct TF_Library TF_Library;
typedef struct TF_Operation TF_Operation;
typedef struct TF_OperationDescription TF_OperationDescription;
typedef struct TF_Server TF_Server;
typedef struct TF_Session TF_Session;

// Bytes that belong to somebody else.
typedef struct TF_StringView {
  const char* data;
  size_t len;
} TF_StringView;

// An input of an operation.
typedef struct TF_Input {
  TF_Operation* oper;
  int index;
} TF_Input;

// An output of an operation.
typedef struct TF_Output {
  TF_Operation* oper;
  int index;
} TF_Output;

// What is told of an attr of an operation.
typedef struct TF_AttrMetadata {
  unsigned char is_list;
  int64_t list_size;   // of a list
  TF_AttrType type;    // of the value, or of the elements
  int64_t total_size;  // of strings: bytes; of shapes: dimensions
} TF_AttrMetadata;

// A while loop in the making.
typedef struct TF_WhileParams {
  const int ninputs;
  TF_Graph* const cond_graph;
  const TF_Output* const cond_inputs;
  TF_Output cond_output;
  TF_Graph* const body_graph;
  const TF_Output* const body_inputs;
  TF_Output* const body_outputs;
  const char* name;
} TF_WhileParams;

// Declared and exported, so that programs which name them build and start. Each sets TF_UNIMPLEMENTED
// where it has a status, and returns NULL or 0; docs/c-api.md lists them.
//
// Generated by `cargo xtask codegen`, down to the line that says so. Do not edit.
TF_CAPI_EXPORT extern void TF_AbortWhile(const TF_WhileParams*);
TF_CAPI_EXPORT extern void TF_AddControlInput(TF_OperationDescription*, TF_Operation*);
TF_CAPI_EXPORT extern void TF_AddGradients(TF_Graph*, TF_Output*, int, TF_Output*, int, TF_Output*,
                                           TF_Status*, TF_Output*);
TF_CAPI_EXPORT extern void TF_AddGradientsWithPrefix(TF_Graph*, const char*, TF_Output*, int,
                                                     TF_Output*, int, TF_Output*, TF_Status*,
                                                     TF_Output*);
TF_CAPI_EXPORT extern void TF_AddInput(TF_OperationDescription*, TF_Output);
TF_CAPI_EXPORT extern void TF_AddInputList(TF_OperationDescription*, const TF_Output*, int);
TF_CAPI_EXPORT extern void TF_AddOperationControlInput(TF_Graph*, TF_Operation*, TF_Operation*);
TF_CAPI_EXPORT extern void TF_AddWhileInputHack(TF_Graph*, TF_Output, TF_Operation*, TF_Status*);
TF_CAPI_EXPORT extern TF_Buffer* TF_ApiDefMapGet(TF_ApiDefMap*, const char*, size_t, TF_Status*);
TF_CAPI_EXPORT extern void TF_ApiDefMapPut(TF_ApiDefMap*, const char*, size_t, TF_Status*);
TF_CAPI_EXPORT extern void TF_ClearAttr(TF_Graph*, TF_Operation*, const char*, TF_Status*);
TF_CAPI_EXPORT extern void TF_CloseDeprecatedSession(TF_DeprecatedSession*, TF_Status*);
TF_CAPI_EXPORT extern void TF_CloseSession(TF_Session*, TF_Status*);
TF_CAPI_EXPORT extern void TF_ColocateWith(TF_OperationDescription*, TF_Operation*);
TF_CAPI_EXPORT extern void TF_DeleteApiDefMap(TF_ApiDefMap*);
TF_CAPI_EXPORT extern void TF_DeleteDeprecatedSession(TF_DeprecatedSession*, TF_Status*);
TF_CAPI_EXPORT extern void TF_DeleteGraph(TF_Graph*);
TF_CAPI_EXPORT extern void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions*);
TF_CAPI_EXPORT extern void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults*);
TF_CAPI_EXPORT extern void TF_DeleteLibraryHandle(TF_Library*);
TF_CAPI_EXPORT extern void TF_DeletePRunHandle(const char*);
TF_CAPI_EXPORT extern void TF_DeleteServer(TF_Server*);
TF_CAPI_EXPORT extern void TF_DeleteSession(TF_Session*, TF_Status*);
TF_CAPI_EXPORT extern TF_DeviceList* TF_DeprecatedSessionListDevices(TF_DeprecatedSession*,
                                                                     TF_Status*);
TF_CAPI_EXPORT extern void TF_ExtendGraph(TF_DeprecatedSession*, const void*, size_t, TF_Status*);
TF_CAPI_EXPORT extern void TF_ExtendSession(TF_Session*, TF_Status*);
TF_CAPI_EXPORT extern TF_Operation* TF_FinishOperation(TF_OperationDescription*, TF_Status*);
TF_CAPI_EXPORT extern TF_Operation* TF_FinishOperationLocked(TF_OperationDescription*, TF_Status*);
TF_CAPI_EXPORT extern void TF_FinishWhile(const TF_WhileParams*, TF_Status*, TF_Output*);
TF_CAPI_EXPORT extern TF_Buffer* TF_GetHandleShapeAndType(TF_Graph*, TF_Output);
TF_CAPI_EXPORT extern TF_Buffer TF_GetOpList(TF_Library*);
TF_CAPI_EXPORT extern void TF_GraphCopyFunction(TF_Graph*, const TF_Function*, const TF_Function*,
                                                TF_Status*);
TF_CAPI_EXPORT extern int TF_GraphGetFunctions(TF_Graph*, TF_Function**, int, TF_Status*);
TF_CAPI_EXPORT extern void TF_GraphGetOpDef(TF_Graph*, const char*, TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern int TF_GraphGetTensorNumDims(TF_Graph*, TF_Output, TF_Status*);
TF_CAPI_EXPORT extern void TF_GraphGetTensorShape(TF_Graph*, TF_Output, int64_t*, int, TF_Status*);
TF_CAPI_EXPORT extern void TF_GraphImportGraphDef(TF_Graph*, const TF_Buffer*,
                                                  const TF_ImportGraphDefOptions*, TF_Status*);
TF_CAPI_EXPORT extern TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResults(
    TF_Graph*, const TF_Buffer*, const TF_ImportGraphDefOptions*, TF_Status*);
TF_CAPI_EXPORT extern TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResultsNoSerialization(
    TF_Graph*, const TF_Buffer*, const TF_ImportGraphDefOptions*, TF_Status*);
TF_CAPI_EXPORT extern void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph*, const TF_Buffer*,
                                                                   const TF_ImportGraphDefOptions*,
                                                                   TF_Output*, int, TF_Status*);
TF_CAPI_EXPORT extern TF_Operation* TF_GraphNextOperation(TF_Graph*, size_t*);
TF_CAPI_EXPORT extern int TF_GraphNumFunctions(TF_Graph*);
TF_CAPI_EXPORT extern TF_Operation* TF_GraphOperationByName(TF_Graph*, const char*);
TF_CAPI_EXPORT extern void TF_GraphSetTensorShape(TF_Graph*, TF_Output, const int64_t*, const int,
                                                  TF_Status*);
TF_CAPI_EXPORT extern TF_Function* TF_GraphToFunction(const TF_Graph*, const char*, unsigned char,
                                                      int, const TF_Operation* const*, int,
                                                      const TF_Output*, int, const TF_Output*,
                                                      const char* const*, const TF_FunctionOptions*,
                                                      const char*, TF_Status*);
TF_CAPI_EXPORT extern TF_Function* TF_GraphToFunctionWithControlOutputs(const TF_Graph*,
                                                                        const char*, unsigned char,
                                                                        int,
                                                                        const TF_Operation* const*,
                                                                        int, const TF_Output*, int,
                                                                        const TF_Output*,
                                                                        const char* const*, int,
                                                                        const TF_Operation* const*,
                                                                        const char* const*,
                                                                        const TF_FunctionOptions*,
                                                                        const char*, TF_Status*);
TF_CAPI_EXPORT extern void TF_GraphToGraphDef(TF_Graph*, TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern void TF_GraphVersions(TF_Graph*, TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions*,
                                                                        TF_Operation*);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions*,
                                                                   const char*, int, TF_Output);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions*,
                                                                      const char*);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions*,
                                                                   const char*, int);
TF_CAPI_EXPORT extern int TF_ImportGraphDefOptionsNumReturnOperations(
    const TF_ImportGraphDefOptions*);
TF_CAPI_EXPORT extern int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions*);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsRemapControlDependency(
    TF_ImportGraphDefOptions*, const char*, TF_Operation*);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions*,
                                                                    const char*);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions*,
                                                             const char*);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions*,
                                                                    unsigned char);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions*,
                                                                     unsigned char);
TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsMissingUnusedInputMappings(
    TF_ImportGraphDefResults*, int*, const char***, int**);
TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults*, int*,
                                                                    TF_Operation***);
TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults*, int*,
                                                                 TF_Output**);
TF_CAPI_EXPORT extern TF_Library* TF_LoadLibrary(const char*, TF_Status*);
TF_CAPI_EXPORT extern TF_Session* TF_LoadSessionFromSavedModel(const TF_SessionOptions*,
                                                               const TF_Buffer*, const char*,
                                                               const char* const*, int, TF_Graph*,
                                                               TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern TF_ApiDefMap* TF_NewApiDefMap(TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern TF_DeprecatedSession* TF_NewDeprecatedSession(const TF_SessionOptions*,
                                                                    TF_Status*);
TF_CAPI_EXPORT extern TF_Graph* TF_NewGraph(void);
TF_CAPI_EXPORT extern TF_ImportGraphDefOptions* TF_NewImportGraphDefOptions(void);
TF_CAPI_EXPORT extern TF_OperationDescription* TF_NewOperation(TF_Graph*, const char*, const char*);
TF_CAPI_EXPORT extern TF_OperationDescription* TF_NewOperationLocked(TF_Graph*, const char*,
                                                                     const char*);
TF_CAPI_EXPORT extern TF_Server* TF_NewServer(const void*, size_t, TF_Status*);
TF_CAPI_EXPORT extern TF_Session* TF_NewSession(TF_Graph*, const TF_SessionOptions*, TF_Status*);
TF_CAPI_EXPORT extern TF_WhileParams TF_NewWhile(TF_Graph*, TF_Output*, int, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationAllInputs(TF_Operation*, TF_Output*, int);
TF_CAPI_EXPORT extern const char* TF_OperationDevice(TF_Operation*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrBool(TF_Operation*, const char*, unsigned char*,
                                                   TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrBoolList(TF_Operation*, const char*, unsigned char*,
                                                       int, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrFloat(TF_Operation*, const char*, float*, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrFloatList(TF_Operation*, const char*, float*, int,
                                                        TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrInt(TF_Operation*, const char*, int64_t*, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrIntList(TF_Operation*, const char*, int64_t*, int,
                                                      TF_Status*);
TF_CAPI_EXPORT extern TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation*, const char*,
                                                                  TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrName(TF_Operation*, int, char*, TF_Status*);
TF_CAPI_EXPORT extern int TF_OperationGetAttrNameLength(TF_Operation*, int);
TF_CAPI_EXPORT extern void TF_OperationGetAttrShape(TF_Operation*, const char*, int64_t*, int,
                                                    TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrShapeList(TF_Operation*, const char*, int64_t**, int*,
                                                        int, int64_t*, int, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrString(TF_Operation*, const char*, void*, size_t,
                                                     TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrStringList(TF_Operation*, const char*, void**,
                                                         size_t*, int, void*, size_t, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensor(TF_Operation*, const char*, TF_Tensor**,
                                                     TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorList(TF_Operation*, const char*, TF_Tensor**,
                                                         int, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorShapeProto(TF_Operation*, const char*,
                                                               TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorShapeProtoList(TF_Operation*, const char*,
                                                                   TF_Buffer**, int, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrType(TF_Operation*, const char*, TF_DataType*,
                                                   TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrTypeList(TF_Operation*, const char*, TF_DataType*,
                                                       int, TF_Status*);
TF_CAPI_EXPORT extern void TF_OperationGetAttrValueProto(TF_Operation*, const char*, TF_Buffer*,
                                                         TF_Status*);
TF_CAPI_EXPORT extern int TF_OperationGetControlInputs(TF_Operation*, TF_Operation**, int);
TF_CAPI_EXPORT extern int TF_OperationGetControlOutputs(TF_Operation*, TF_Operation**, int);
TF_CAPI_EXPORT extern int TF_OperationGetNumAttrs(TF_Operation*);
TF_CAPI_EXPORT extern TF_Output TF_OperationInput(TF_Input);
TF_CAPI_EXPORT extern int TF_OperationInputListLength(TF_Operation*, const char*, TF_Status*);
TF_CAPI_EXPORT extern TF_DataType TF_OperationInputType(TF_Input);
TF_CAPI_EXPORT extern const char* TF_OperationName(TF_Operation*);
TF_CAPI_EXPORT extern int TF_OperationNumControlInputs(TF_Operation*);
TF_CAPI_EXPORT extern int TF_OperationNumControlOutputs(TF_Operation*);
TF_CAPI_EXPORT extern int TF_OperationNumInputs(TF_Operation*);
TF_CAPI_EXPORT extern int TF_OperationNumOutputs(TF_Operation*);
TF_CAPI_EXPORT extern const char* TF_OperationOpType(TF_Operation*);
TF_CAPI_EXPORT extern int TF_OperationOutputConsumers(TF_Output, TF_Input*, int);
TF_CAPI_EXPORT extern int TF_OperationOutputListLength(TF_Operation*, const char*, TF_Status*);
TF_CAPI_EXPORT extern int TF_OperationOutputNumConsumers(TF_Output);
TF_CAPI_EXPORT extern TF_DataType TF_OperationOutputType(TF_Output);
TF_CAPI_EXPORT extern void TF_OperationToNodeDef(TF_Operation*, TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern void TF_PRun(TF_DeprecatedSession*, const char*, const char**, TF_Tensor**,
                                   int, const char**, TF_Tensor**, int, const char**, int,
                                   TF_Status*);
TF_CAPI_EXPORT extern void TF_PRunSetup(TF_DeprecatedSession*, const char**, int, const char**, int,
                                        const char**, int, const char**, TF_Status*);
TF_CAPI_EXPORT extern void TF_RegisterFilesystemPlugin(const char*, TF_Status*);
TF_CAPI_EXPORT extern void TF_RegisterLogListener(void (*)(const char*));
TF_CAPI_EXPORT extern void TF_RemoveAllControlInputs(TF_Graph*, TF_Operation*);
TF_CAPI_EXPORT extern void TF_Reset(const TF_SessionOptions*, const char**, int, TF_Status*);
TF_CAPI_EXPORT extern void TF_Run(TF_DeprecatedSession*, const TF_Buffer*, const char**,
                                  TF_Tensor**, int, const char**, TF_Tensor**, int, const char**,
                                  int, TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern void TF_ServerJoin(TF_Server*, TF_Status*);
TF_CAPI_EXPORT extern void TF_ServerStart(TF_Server*, TF_Status*);
TF_CAPI_EXPORT extern void TF_ServerStop(TF_Server*, TF_Status*);
TF_CAPI_EXPORT extern const char* TF_ServerTarget(TF_Server*);
TF_CAPI_EXPORT extern TF_DeviceList* TF_SessionListDevices(TF_Session*, TF_Status*);
TF_CAPI_EXPORT extern void TF_SessionPRun(TF_Session*, const char*, const TF_Output*,
                                          TF_Tensor* const*, int, const TF_Output*, TF_Tensor**,
                                          int, const TF_Operation* const*, int, TF_Status*);
TF_CAPI_EXPORT extern void TF_SessionPRunSetup(TF_Session*, const TF_Output*, int, const TF_Output*,
                                               int, const TF_Operation* const*, int, const char**,
                                               TF_Status*);
TF_CAPI_EXPORT extern void TF_SessionRun(TF_Session*, const TF_Buffer*, const TF_Output*,
                                         TF_Tensor* const*, int, const TF_Output*, TF_Tensor**, int,
                                         const TF_Operation* const*, int, TF_Buffer*, TF_Status*);
TF_CAPI_EXPORT extern void TF_SetAttr(TF_Graph*, TF_Operation*, const char*, TF_Buffer*,
                                      TF_Status*);
TF_CAPI_EXPORT extern void TF_SetAttrBool(TF_OperationDescription*, const char*, unsigned char);
TF_CAPI_EXPORT extern void TF_SetAttrBoolList(TF_OperationDescription*, const char*,
                                              const unsigned char*, int);
TF_CAPI_EXPORT extern void TF_SetAttrFloat(TF_OperationDescription*, const char*, float);
TF_CAPI_EXPORT extern void TF_SetAttrFloatList(TF_OperationDescription*, const char*, const float*,
                                               int);
TF_CAPI_EXPORT extern void TF_SetAttrFuncName(TF_OperationDescription*, const char*, const char*,
                                              size_t);
TF_CAPI_EXPORT extern void TF_SetAttrInt(TF_OperationDescription*, const char*, int64_t);
TF_CAPI_EXPORT extern void TF_SetAttrIntList(TF_OperationDescription*, const char*, const int64_t*,
                                             int);
TF_CAPI_EXPORT extern void TF_SetAttrPlaceholder(TF_OperationDescription*, const char*,
                                                 const char*);
TF_CAPI_EXPORT extern void TF_SetAttrShape(TF_OperationDescription*, const char*, const int64_t*,
                                           int);
TF_CAPI_EXPORT extern void TF_SetAttrShapeList(TF_OperationDescription*, const char*,
                                               const int64_t* const*, const int*, int);
TF_CAPI_EXPORT extern void TF_SetAttrString(TF_OperationDescription*, const char*, const void*,
                                            size_t);
TF_CAPI_EXPORT extern void TF_SetAttrStringList(TF_OperationDescription*, const char*,
                                                const void* const*, const size_t*, int);
TF_CAPI_EXPORT extern void TF_SetAttrTensor(TF_OperationDescription*, const char*, TF_Tensor*,
                                            TF_Status*);
TF_CAPI_EXPORT extern void TF_SetAttrTensorList(TF_OperationDescription*, const char*,
                                                TF_Tensor* const*, int, TF_Status*);
TF_CAPI_EXPORT extern void TF_SetAttrTensorShapeProto(TF_OperationDescription*, const char*,
                                                      const void*, size_t, TF_Status*);
TF_CAPI_EXPORT extern void TF_SetAttrTensorShapeProtoList(TF_OperationDescription*, const char*,
                                                          const void* const*, const size_t*, int,
                                                          TF_Status*);
TF_CAPI_EXPORT extern void TF_SetAttrType(TF_OperationDescription*, const char*, TF_DataType);
TF_CAPI_EXPORT extern void TF_SetAttrTypeList(TF_OperationDescription*, const char*,
                                              const TF_DataType*, int);
TF_CAPI_EXPORT extern void TF_SetAttrValueProto(TF_OperationDescription*, const char*, const void*,
                                                size_t, TF_Status*);
TF_CAPI_EXPORT extern void TF_SetDevice(TF_OperationDescription*, const char*);
TF_CAPI_EXPORT extern void TF_SetFullType(TF_Graph*, TF_Operation*, const TF_Buffer*);
TF_CAPI_EXPORT extern void TF_SetHandleShapeAndType(TF_Graph*, TF_Output, const void*, size_t,
                                                    TF_Status*);
TF_CAPI_EXPORT extern void TF_SetRequestedDevice(TF_Graph*, TF_Operation*, const char*);
TF_CAPI_EXPORT extern void TF_SetRequireShapeInferenceFns(TF_Graph*, bool);
TF_CAPI_EXPORT extern unsigned char TF_TryEvaluateConstant(TF_Graph*, TF_Output, TF_Tensor**,
                                                           TF_Status*);
TF_CAPI_EXPORT extern void TF_UpdateEdge(TF_Graph*, TF_Output, TF_Input, TF_Status*);
// Generated to here.

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_C_C_API_H_
