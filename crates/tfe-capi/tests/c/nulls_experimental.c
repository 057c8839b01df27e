// NULL in every place of the functions that nulls.c does not have: those of the experimental headers, of function
// definitions and of kernels.
#include "api.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/eager/c_api_experimental.h"

static TFE_Context* ctx;

// As in nulls.c.
static void refused(const char* what, int line) {
  if (TF_GetCode(status) != TF_INVALID_ARGUMENT) fprintf(stderr, "%s\n", what);
  check_code(TF_INVALID_ARGUMENT, status, __FILE__, line);
  check_that(TF_Message(status)[0] != '\0', __FILE__, line, "there is a message");
  TF_SetStatus(status, TF_ABORTED, "of the call before");
}
#define REFUSED(call) \
  do { \
    call; \
    refused(#call, __LINE__); \
  } while (0)
#define REFUSED_NULL(call) REFUSED(CHECK((call) == NULL))

static void deletes(void) {
  TF_DeleteFunction(NULL);
  TFE_DeleteTensorDebugInfo(NULL);
  TFE_DeleteExecutor(NULL);
  TFE_DeleteCancellationManager(NULL);
}

static void library(void) {
  REFUSED_NULL(TF_GetRegisteredKernelsForOp(NULL, status));
  CHECK(TF_GetRegisteredKernelsForOp(NULL, NULL) == NULL);
  TF_Buffer* list = TF_GetAllRegisteredKernels(NULL);
  CHECK(list != NULL);
  TF_DeleteBuffer(list);
  REFUSED(CHECK_INT(0, TF_OpIsStateful(NULL, status)));
  CHECK_INT(0, TF_OpIsStateful(NULL, NULL));
  CHECK_INT(1, TF_OpIsStateful("VarHandleOp", NULL));
  TF_MakeInternalErrorStatus(NULL, "x");
  TF_MakeInternalErrorStatus(status, NULL);
  CHECK_CODE(TF_INTERNAL, status);
  const float x = 1;
  TF_Tensor* t = tensor_of(TF_FLOAT, &x, SCALAR);
  TF_Buffer* buffer = TF_NewBufferFromString("\x08\x01", 2);
  REFUSED(TF_TensorFromProto(NULL, t, status));
  REFUSED(TF_TensorFromProto(buffer, NULL, status));
  buffer->length = 0;
  REFUSED(TF_TensorFromProto(buffer, t, status));
  TF_TensorFromProto(NULL, NULL, NULL);
  TF_DeleteBuffer(buffer);
  TF_DeleteTensor(t);
}

static void function_definitions(void) {
  REFUSED_NULL(TF_FunctionImportFunctionDef(NULL, 3, status));
  CHECK(TF_FunctionImportFunctionDef(NULL, 3, NULL) == NULL);
  TF_Function* f = TF_FunctionImportFunctionDef("", 0, NULL);
  REQUIRE(f != NULL);
  TF_Buffer* buffer = TF_NewBuffer();
  CHECK(TF_FunctionName(NULL) == NULL);
  REFUSED(TF_FunctionToFunctionDef(NULL, buffer, status));
  REFUSED(TF_FunctionToFunctionDef(f, NULL, status));
  REFUSED(TF_FunctionSetAttrValueProto(NULL, "a", "", 0, status));
  REFUSED(TF_FunctionSetAttrValueProto(f, NULL, "", 0, status));
  REFUSED(TF_FunctionSetAttrValueProto(f, "a", NULL, 3, status));
  TF_FunctionSetAttrValueProto(f, "a", NULL, 0, NULL);
  REFUSED(TF_FunctionGetAttrValueProto(NULL, "a", buffer, status));
  REFUSED(TF_FunctionGetAttrValueProto(f, NULL, buffer, status));
  REFUSED(TF_FunctionGetAttrValueProto(f, "a", NULL, status));
  TF_FunctionGetAttrValueProto(f, "a", buffer, NULL);

  REFUSED(TFE_ContextAddFunction(NULL, f, status));
  REFUSED(TFE_ContextAddFunction(ctx, NULL, status));
  TFE_ContextAddFunction(NULL, NULL, NULL);
  TF_DeleteFunction(f);
  add_function(ctx, matmul_function("Squared", "matmul:product:0"));
  REFUSED_NULL(TFE_ContextGetFunction(NULL, "Squared", status));
  REFUSED_NULL(TFE_ContextGetFunction(ctx, NULL, status));
  TF_DeleteFunction(TFE_ContextGetFunction(ctx, "Squared", NULL));
  REFUSED(TFE_ContextGetFunctionDef(NULL, "Squared", buffer, status));
  REFUSED(TFE_ContextGetFunctionDef(ctx, NULL, buffer, status));
  REFUSED(TFE_ContextGetFunctionDef(ctx, "Squared", NULL, status));
  REFUSED(TFE_ContextGetGraphDebugInfo(NULL, "Squared", buffer, status));
  REFUSED(TFE_ContextGetGraphDebugInfo(ctx, NULL, buffer, status));
  REFUSED(TFE_ContextGetGraphDebugInfo(ctx, "Squared", NULL, status));
  TF_DeleteBuffer(buffer);
}

static void contexts(void) {
  TFE_ContextOptionsSetTfrt(NULL, true);
  REFUSED(TFE_ContextSetSoftDevicePlacement(NULL, 1, status));
  REFUSED(TFE_ContextSetLogDevicePlacement(NULL, 1, status));
  REFUSED(TFE_ContextSetRunEagerOpAsFunction(NULL, 1, status));
  REFUSED(TFE_ContextSetJitCompileRewrite(NULL, 1, status));
  TFE_ContextSetSoftDevicePlacement(ctx, 0, NULL);
  TFE_ContextSetThreadLocalDevicePlacementPolicy(NULL, TFE_DEVICE_PLACEMENT_EXPLICIT);
  CHECK_INT(TFE_DEVICE_PLACEMENT_SILENT, TFE_ContextGetDevicePlacementPolicy(NULL));
  TFE_ContextStartStep(NULL);
  TFE_ContextEndStep(NULL);
  CHECK_INT(0, TFE_GetContextId(NULL));
  CHECK(!TFE_IsCustomDevice(NULL, NULL));
  TF_Buffer* buffer = TF_NewBuffer();
  TFE_HostAddressSpace(NULL, buffer);
  TFE_HostAddressSpace(ctx, NULL);
  CHECK(buffer->data == NULL);
  REFUSED(TFE_GetExecutedOpNames(NULL, buffer, status));
  REFUSED(TFE_GetExecutedOpNames(ctx, NULL, status));
  TF_DeleteBuffer(buffer);
}

static void executors_and_cancellation(void) {
  CHECK(!TFE_ExecutorIsAsync(NULL));
  REFUSED(TFE_ExecutorWaitForAllPendingNodes(NULL, status));
  TFE_ExecutorClearError(NULL);
  TFE_ContextSetExecutorForThread(NULL, NULL);
  CHECK(TFE_ContextGetExecutorForThread(NULL) == NULL);
  REFUSED(TFE_ContextAsyncWait(NULL, status));
  TFE_ContextAsyncWait(ctx, NULL);

  TFE_CancellationManager* m = TFE_NewCancellationManager();
  const TFE_CancelCallback nothing = {NULL, NULL};
  CHECK(!TFE_CancellationManagerIsCancelled(NULL));
  CHECK(!TFE_CancellationManagerIsCancelling(NULL));
  CHECK_INT(-1, TFE_CancellationManagerGetToken(NULL));
  CHECK(!TFE_CancellationManagerRegisterCallback(NULL, 0, &nothing, NULL));
  CHECK(!TFE_CancellationManagerRegisterCallback(m, 0, NULL, NULL));
  CHECK(TFE_CancellationManagerRegisterCallback(m, 0, &nothing, NULL));
  CHECK(!TFE_CancellationManagerDeregisterCallback(NULL, 0));
  CHECK(!TFE_CancellationManagerTryDeregisterCallback(NULL, 0));
  TFE_CancellationManagerStartCancel(NULL);
  TFE_CancellationManagerStartCancel(m);
  REFUSED(TFE_OpSetCancellationManager(NULL, m, status));
  TFE_OpSetCancellationManager(NULL, NULL, NULL);
  TFE_DeleteCancellationManager(m);
}

static void handles(void) {
  const float x = 1;
  TF_Tensor* t = tensor_of(TF_FLOAT, &x, SCALAR);
  REFUSED_NULL(TFE_AllocateHostTensor(NULL, TF_FLOAT, SCALAR, status));
  REFUSED_NULL(TFE_AllocateHostTensor(ctx, TF_FLOAT, NULL, 1, status));
  CHECK(TFE_AllocateHostTensor(NULL, TF_FLOAT, SCALAR, NULL) == NULL);
  REFUSED_NULL(TFE_NewTensorHandleFromTensor(NULL, t, status));
  REFUSED_NULL(TFE_NewTensorHandleFromTensor(ctx, NULL, status));
  REFUSED_NULL(TFE_NewTensorHandleFromScalar(TF_FLOAT, NULL, 4, status));
  REFUSED_NULL(TFE_NewTensorHandleFromDeviceMemory(NULL, "CPU:0", TF_FLOAT, SCALAR, TF_TensorData(t),
                                                   4, NULL, NULL, status));
  REFUSED_NULL(TFE_NewTensorHandleFromDeviceMemory(ctx, "CPU:0", TF_FLOAT, NULL, 1, TF_TensorData(t),
                                                   4, NULL, NULL, status));
  REFUSED_NULL(TFE_TensorHandleDevicePointer(NULL, status));
  REFUSED(CHECK_INT(0, TFE_TensorHandleDeviceMemorySize(NULL, status)));
  REFUSED_NULL(TFE_TensorHandleDeviceType(NULL, status));
  REFUSED(CHECK_INT(-1, TFE_TensorHandleDeviceID(NULL, status)));
  REFUSED(TFE_TensorHandleGetStatus(NULL, status));
  REFUSED_NULL(TFE_TensorHandleTensorDebugInfo(NULL, status));
  CHECK_INT(-1, TFE_TensorDebugInfoOnDeviceNumDims(NULL));
  CHECK_INT(-1, TFE_TensorDebugInfoOnDeviceDim(NULL, 0));
  TF_DeleteTensor(t);
}

static void attrs(void) {
  TFE_Op* op = new_op(ctx, "MatMul");
  TF_Buffer* buffer = TF_NewBuffer();
  CHECK(TFE_OpGetAttrs(NULL) == NULL);
  TFE_OpAddAttrs(NULL, TFE_OpGetAttrs(op));
  TFE_OpAddAttrs(op, NULL);
  REFUSED(TFE_OpAttrsSerialize(NULL, buffer, status));
  REFUSED(TFE_OpAttrsSerialize(TFE_OpGetAttrs(op), NULL, status));
  REFUSED(TFE_OpSetAttrValueProto(NULL, "transpose_a", "\x28\x01", 2, status));
  REFUSED(TFE_OpSetAttrValueProto(op, NULL, "\x28\x01", 2, status));
  REFUSED(TFE_OpSetAttrValueProto(op, "transpose_a", NULL, 2, status));
  TFE_OpSetAttrValueProto(NULL, NULL, NULL, 0, NULL);
  TF_DeleteBuffer(buffer);
  TFE_DeleteOp(op);
}

int main(void) {
  status = TF_NewStatus();
  RUN(deletes);
  CHECK(true);
  if (!on_tensorflow()) {
    ctx = new_context();
    RUN(library);
    RUN(function_definitions);
    RUN(contexts);
    RUN(executors_and_cancellation);
    RUN(handles);
    RUN(attrs);
    delete_context(ctx);
  }
  TF_DeleteStatus(status);
  return check_result("nulls_experimental");
}
