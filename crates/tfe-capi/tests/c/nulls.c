// NULL in every place: deleting it does nothing, elsewhere it is an error where there is a status and
// gives a harmless value where there is none. No call ends the process.
// build: 2.21 2017
#include "api.h"
#include "tensorflow/c/eager/c_api_experimental.h"

static TFE_Context* ctx;

// The call must have failed. The status is set to something else before the next one.
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
  TF_DeleteStatus(NULL);
  TF_DeleteBuffer(NULL);
  TF_DeleteTensor(NULL);
  TF_DeleteDeviceList(NULL);
  TF_DeleteSessionOptions(NULL);
  TFE_DeleteContextOptions(NULL);
  TFE_DeleteTensorHandle(NULL);
  TFE_DeleteOp(NULL);
  delete_context(NULL);
  if (on_tensorflow()) return;
  TSL_DeleteStatus(NULL);
  TF_StringDealloc(NULL);
}

static void visit(const char* key, const char* value, void* capture) {
  (void)key, (void)value, (void)capture;
  CHECK(false);
}

static void statuses(void) {
  TF_SetStatus(NULL, TF_ABORTED, "x");
  TF_SetPayload(NULL, "k", "v");
  TF_ForEachPayload(NULL, visit, NULL);
  TF_SetStatusFromIOError(NULL, 2, "x");
  CHECK_INT(TF_INVALID_ARGUMENT, TF_GetCode(NULL));
  CHECK_STR("", TF_Message(NULL));
  TSL_SetStatus(NULL, TSL_ABORTED, "x");
  TSL_SetPayload(NULL, "k", "v");
  TSL_ForEachPayload(NULL, visit, NULL);
  TSL_SetStatusFromIOError(NULL, 2, "x");
  CHECK_INT(TSL_INVALID_ARGUMENT, TSL_GetCode(NULL));
  CHECK_STR("", TSL_Message(NULL));

  TF_Status* s = TF_NewStatus();
  TF_SetStatus(s, TF_ABORTED, NULL);
  CHECK_INT(TF_ABORTED, TF_GetCode(s));
  CHECK_STR("", TF_Message(s));
  TF_SetPayload(s, NULL, "v");
  TF_SetPayload(s, "k", NULL);
  TF_ForEachPayload(s, NULL, NULL);
  TF_SetStatusFromIOError(s, 2, NULL);
  CHECK_INT(TF_NOT_FOUND, TF_GetCode(s));
  TF_DeleteStatus(s);
}

static void buffers_and_strings(void) {
  const TF_Buffer none = TF_GetBuffer(NULL);
  CHECK(none.data == NULL && none.length == 0 && none.data_deallocator == NULL);
  TF_Buffer* empty = TF_NewBufferFromString(NULL, 0);
  REQUIRE(empty != NULL);
  CHECK_INT(0, empty->length);
  TF_DeleteBuffer(empty);
  CHECK(TF_NewBufferFromString(NULL, 5) == NULL);

  TF_StringInit(NULL);
  TF_StringCopy(NULL, "x", 1);
  TF_StringAssignView(NULL, "x", 1);
  CHECK(TF_StringGetDataPointer(NULL) == NULL);
  CHECK_INT(0, TF_StringGetSize(NULL));
  CHECK_INT(0, TF_StringGetCapacity(NULL));
  CHECK_INT(TF_TSTR_SMALL, TF_StringGetType(NULL));
  TF_TString s;
  TF_StringInit(&s);
  TF_StringCopy(&s, "kept", 4);
  TF_StringCopy(&s, NULL, 1);
  CHECK_INT(4, TF_StringGetSize(&s));
  TF_StringAssignView(&s, NULL, 1);
  CHECK_INT(4, TF_StringGetSize(&s));
  TF_StringCopy(&s, NULL, 0);
  CHECK_INT(0, TF_StringGetSize(&s));
  TF_StringDealloc(&s);
}

static void tensors(void) {
  CHECK_INT(0, TF_TensorType(NULL));
  CHECK_INT(-1, TF_NumDims(NULL));
  CHECK_INT(-1, TF_Dim(NULL, 0));
  CHECK_INT(0, TF_TensorByteSize(NULL));
  CHECK(TF_TensorData(NULL) == NULL);
  CHECK_INT(0, TF_TensorElementCount(NULL));
  CHECK(!TF_TensorIsAligned(NULL));
  CHECK(TF_TensorMaybeMove(NULL) == NULL);
  TF_SetShape(NULL, DIMS(1));
  const float x = 1;
  TF_Tensor* t = tensor_of(TF_FLOAT, &x, SCALAR);
  REFUSED(TF_TensorBitcastFrom(NULL, TF_INT32, t, SCALAR, status));
  REFUSED(TF_TensorBitcastFrom(t, TF_INT32, NULL, SCALAR, status));
  REFUSED(TF_TensorBitcastFrom(t, TF_INT32, t, NULL, 1, status));
  TF_TensorBitcastFrom(NULL, TF_INT32, NULL, NULL, 1, NULL);
  TF_DeleteTensor(t);
}

static void contexts_and_devices(void) {
  TF_SetTarget(NULL, "x");
  TF_SessionOptions* session = TF_NewSessionOptions();
  TF_SetTarget(session, NULL);
  REFUSED(TF_SetConfig(NULL, "", 0, status));
  REFUSED(TF_SetConfig(session, NULL, 5, status));
  TF_SetConfig(session, NULL, 5, NULL);
  TFE_ContextOptions* options = TFE_NewContextOptions();
  REFUSED(TFE_ContextOptionsSetConfig(NULL, "", 0, status));
  REFUSED(TFE_ContextOptionsSetConfig(options, NULL, 5, status));
  TFE_ContextOptionsSetAsync(NULL, 1);
  TFE_ContextOptionsSetDevicePlacementPolicy(NULL, TFE_DEVICE_PLACEMENT_SILENT);
  REFUSED_NULL(TFE_NewContext(NULL, status));
  CHECK(TFE_NewContext(NULL, NULL) == NULL);
#ifdef TFE_API_2017
  TFE_Context* unseen = TFE_NewContext(session, NULL);
  CHECK(unseen != NULL);
  TFE_DeleteContext(unseen, NULL);
#else
  TFE_Context* unseen = TFE_NewContext(options, NULL);
  CHECK(unseen != NULL);
  TFE_DeleteContext(unseen);
#endif
  TFE_DeleteContextOptions(options);
  TF_DeleteSessionOptions(session);

  TFE_ContextClearCaches(NULL);
  REFUSED_NULL(TFE_ContextListDevices(NULL, status));
  CHECK(TFE_ContextListDevices(NULL, NULL) == NULL);
  CHECK_INT(0, TF_DeviceListCount(NULL));
  REFUSED_NULL(TF_DeviceListName(NULL, 0, status));
  REFUSED_NULL(TF_DeviceListType(NULL, 0, status));
  REFUSED(CHECK_INT(-1, TF_DeviceListMemoryBytes(NULL, 0, status)));
  REFUSED(CHECK_INT(0, TF_DeviceListIncarnation(NULL, 0, status)));
  TF_DeviceList* list = TFE_ContextListDevices(ctx, NULL);
  CHECK(TF_DeviceListName(list, 0, NULL) != NULL);
  CHECK(TF_DeviceListName(list, 9, NULL) == NULL);
  CHECK(TF_DeviceListType(list, 9, NULL) == NULL);
  CHECK_INT(-1, TF_DeviceListMemoryBytes(list, 9, NULL));
  CHECK_INT(0, TF_DeviceListIncarnation(list, 9, NULL));
  TF_DeleteDeviceList(list);
}

static void handles(void) {
  TFE_TensorHandle* m = matrix();
  CHECK_INT(0, TFE_TensorHandleDataType(NULL));
#ifdef TFE_API_2017
  CHECK(TFE_NewTensorHandle(NULL) == NULL);
  CHECK_INT(-1, TFE_TensorHandleNumDims(NULL));
  CHECK_INT(-1, TFE_TensorHandleDim(NULL, 0));
  CHECK_INT(-1, TFE_TensorHandleDim(m, 2));
  CHECK_INT(-1, TFE_TensorHandleDim(m, -1));
  CHECK(TFE_TensorHandleDeviceName(NULL) == NULL);
#else
  REFUSED_NULL(TFE_NewTensorHandle(NULL, status));
  CHECK(TFE_NewTensorHandle(NULL, NULL) == NULL);
  REFUSED(CHECK_INT(-1, TFE_TensorHandleNumDims(NULL, status)));
  REFUSED(CHECK_INT(-1, TFE_TensorHandleDim(NULL, 0, status)));
  REFUSED(CHECK_INT(-1, TFE_TensorHandleDim(m, 2, status)));
  REFUSED_NULL(TFE_TensorHandleDeviceName(NULL, status));
  CHECK_INT(2, TFE_TensorHandleNumDims(m, NULL));
  CHECK_INT(2, TFE_TensorHandleDim(m, 0, NULL));
  CHECK(TFE_TensorHandleDeviceName(m, NULL) != NULL);
#endif
  REFUSED(CHECK_INT(-1, TFE_TensorHandleNumElements(NULL, status)));
  REFUSED_NULL(TFE_TensorHandleBackingDeviceName(NULL, status));
  REFUSED_NULL(TFE_TensorHandleCopySharingTensor(NULL, status));
  REFUSED_NULL(TFE_TensorHandleResolve(NULL, status));
  REFUSED_NULL(TFE_TensorHandleCopyToDevice(NULL, ctx, "CPU:0", status));
  REFUSED_NULL(TFE_TensorHandleCopyToDevice(m, NULL, "CPU:0", status));
  REFUSED_NULL(TFE_TensorHandleCopyToDevice(m, ctx, NULL, status));
  CHECK_INT(4, TFE_TensorHandleNumElements(m, NULL));
  TF_Tensor* t = TFE_TensorHandleResolve(m, NULL);
  CHECK(t != NULL);
  TF_DeleteTensor(t);
  TFE_DeleteTensorHandle(TFE_TensorHandleCopySharingTensor(m, NULL));
  CHECK(TFE_TensorHandleCopyToDevice(m, ctx, "GPU:99", NULL) == NULL);
  TFE_DeleteTensorHandle(m);
}

static void ops(void) {
  TFE_TensorHandle* m = matrix();
  unsigned char is_list = 7;
  REFUSED_NULL(TFE_NewOp(NULL, "MatMul", status));
  REFUSED_NULL(TFE_NewOp(ctx, NULL, status));
  CHECK(TFE_NewOp(ctx, "NoSuchOp", NULL) == NULL);
  TFE_Op* op = TFE_NewOp(ctx, "MatMul", NULL);
  REQUIRE(op != NULL);
  REFUSED_NULL(TFE_OpGetName(NULL, status));
  REFUSED_NULL(TFE_OpGetContext(NULL, status));
  REFUSED_NULL(TFE_OpGetDevice(NULL, status));
  REFUSED(set_device(NULL, ctx, "CPU:0"));
#ifdef TFE_API_2017
  REFUSED(TFE_OpSetDevice(op, NULL, "CPU:0", status));
  TFE_OpSetDevice(op, ctx, "nonsense", NULL);
#else
  TFE_OpSetDevice(op, "nonsense", NULL);
#endif
  REFUSED(TFE_OpAddInput(NULL, m, status));
  REFUSED(TFE_OpAddInput(op, NULL, status));
  TFE_OpAddInput(NULL, NULL, NULL);
  REFUSED(TFE_OpAddInputList(NULL, &m, 1, status));
  REFUSED(TFE_OpAddInputList(op, NULL, 1, status));
  REFUSED(TFE_OpAddInputList(op, (TFE_TensorHandle*[]){m, NULL}, 2, status));
  REFUSED(TFE_OpAddInputList(op, &m, -1, status));
  CHECK_INT(0, TFE_OpGetFlatInputCount(op, status));
  REFUSED(TFE_OpGetFlatInputCount(NULL, status));
  REFUSED_NULL(TFE_OpGetFlatInput(NULL, 0, status));
  REFUSED_NULL(TFE_OpGetFlatInput(op, 0, status));
  REFUSED(TFE_OpGetAttrType(NULL, "T", &is_list, status));
  REFUSED(TFE_OpGetAttrType(op, NULL, &is_list, status));
  REFUSED(TFE_OpGetAttrType(op, "T", NULL, status));
  REFUSED(TFE_OpNameGetAttrType(NULL, "MatMul", "T", &is_list, status));
  REFUSED(TFE_OpNameGetAttrType(ctx, NULL, "T", &is_list, status));
  REFUSED(TFE_OpNameGetAttrType(ctx, "MatMul", NULL, &is_list, status));
  REFUSED(TFE_OpNameGetAttrType(ctx, "MatMul", "T", NULL, status));
  CHECK_INT(7, is_list);
  REFUSED(CHECK_INT(-1, TFE_OpGetInputLength(NULL, "a", status)));
  REFUSED(CHECK_INT(-1, TFE_OpGetInputLength(op, NULL, status)));
  REFUSED(CHECK_INT(-1, TFE_OpGetOutputLength(NULL, "product", status)));
  REFUSED(CHECK_INT(-1, TFE_OpGetOutputLength(op, NULL, status)));
  REFUSED(TFE_OpReset(NULL, "MatMul", NULL, status));
  REFUSED(TFE_OpReset(op, NULL, NULL, status));
  TFE_OpReset(op, "MatMul", NULL, NULL);
  TFE_OpAddInput(op, m, NULL);
  TFE_OpAddInput(op, m, NULL);

  TFE_TensorHandle* result = m;
  int n = 1;
  REFUSED(TFE_Execute(NULL, &result, &n, status));
  CHECK(result == m);
  CHECK_INT(1, n);
  REFUSED(TFE_Execute(op, &result, NULL, status));
  REFUSED(TFE_Execute(op, NULL, &n, status));
  CHECK_INT(1, n);
  TFE_Execute(NULL, NULL, NULL, NULL);
  TFE_Execute(op, &result, &n, NULL);
  CHECK_FLOATS(result, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(result);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
}

static void attrs(void) {
  static const int64_t k2[] = {2, 2};
  static const int64_t* const kShapes[] = {k2, NULL};
  static const int kRanks[] = {2, 2};
  const float one = 1;
  TF_Tensor* t = tensor_of(TF_FLOAT, &one, SCALAR);
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "MatMul");
  // Without a status: a NULL op or name is ignored.
  for (int i = 0; i < 2; ++i) {
    TFE_Op* to = i == 0 ? NULL : op;
    const char* name = i == 0 ? "transpose_a" : NULL;
    set_attr_string(to, name, "x");
    set_attr_strings(to, name, (const char*[]){"x"}, 1);
    TFE_OpSetAttrInt(to, name, 1);
    TFE_OpSetAttrFloat(to, name, 1);
    TFE_OpSetAttrBool(to, name, 1);
    TFE_OpSetAttrType(to, name, TF_FLOAT);
    TFE_OpSetAttrFunction(to, name, op);
    TFE_OpSetAttrFunctionName(to, name, "f", 1);
    TFE_OpSetAttrIntList(to, name, k2, 2);
    TFE_OpSetAttrFloatList(to, name, &one, 1);
    TFE_OpSetAttrBoolList(to, name, (const unsigned char*)"x", 1);
    TFE_OpSetAttrTypeList(to, name, (const TF_DataType[]){TF_FLOAT}, 1);
    TFE_OpSetAttrFunctionList(to, name, (const TFE_Op*[]){op}, 1);
    REFUSED(TFE_OpSetAttrShape(to, name, k2, 2, status));
    REFUSED(TFE_OpSetAttrShapeList(to, name, (const int64_t**)kShapes, kRanks, 1, status));
    REFUSED(TFE_OpSetAttrTensor(to, name, t, status));
  }
  // Values: what is no value sets nothing.
  TFE_OpSetAttrFunction(op, "bogus", NULL);
  TFE_OpSetAttrFunctionName(op, "bogus", NULL, 3);
  TFE_OpSetAttrIntList(op, "bogus", NULL, 2);
  TFE_OpSetAttrFloatList(op, "bogus", NULL, 2);
  TFE_OpSetAttrBoolList(op, "bogus", NULL, 2);
  TFE_OpSetAttrTypeList(op, "bogus", NULL, 2);
  TFE_OpSetAttrFunctionList(op, "bogus", NULL, 2);
  TFE_OpSetAttrFunctionList(op, "bogus", (const TFE_Op*[]){op, NULL}, 2);
  TFE_OpSetAttrIntList(op, "bogus", k2, -1);
#ifdef TFE_API_2017
  TFE_OpSetAttrString(op, "bogus", NULL);
  TFE_OpSetAttrStringList(op, "bogus", NULL, 2);
  TFE_OpSetAttrStringList(op, "bogus", (const char*[]){"x", NULL}, 2);
#else
  TFE_OpSetAttrString(op, "bogus", NULL, 3);
  TFE_OpSetAttrStringList(op, "bogus", NULL, NULL, 2);
  TFE_OpSetAttrStringList(op, "bogus", (const void* const[]){"x", NULL}, (const size_t[]){1, 1}, 2);
  TFE_OpSetAttrStringList(op, "bogus", (const void* const[]){"x", "y"}, NULL, 2);
#endif
  REFUSED(TFE_OpSetAttrShape(op, "bogus", NULL, 2, status));
  REFUSED(TFE_OpSetAttrShapeList(op, "bogus", NULL, kRanks, 2, status));
  REFUSED(TFE_OpSetAttrShapeList(op, "bogus", (const int64_t**)kShapes, NULL, 2, status));
  REFUSED(TFE_OpSetAttrShapeList(op, "bogus", (const int64_t**)kShapes, kRanks, 2, status));
  REFUSED(TFE_OpSetAttrShapeList(op, "bogus", (const int64_t**)kShapes, kRanks, -1, status));
  REFUSED(TFE_OpSetAttrTensor(op, "bogus", NULL, status));
  TFE_OpSetAttrShape(op, "bogus", NULL, 2, NULL);
  TFE_OpSetAttrTensor(op, "bogus", NULL, NULL);
  // The op is as good as new.
  add_input(op, m);
  add_input(op, m);
  TFE_TensorHandle* product = execute(op);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  TF_DeleteTensor(t);
}

static void functions(void) {
  REFUSED(TFE_ContextAddFunctionDef(NULL, "", 0, status));
  REFUSED(TFE_ContextAddFunctionDef(ctx, NULL, 5, status));
  TFE_ContextAddFunctionDef(ctx, "\xff", 1, NULL);
  REFUSED(TFE_ContextRemoveFunction(NULL, "Fn", status));
  REFUSED(TFE_ContextRemoveFunction(ctx, NULL, status));
  TFE_ContextRemoveFunction(ctx, "Fn", NULL);
  CHECK_INT(0, TFE_ContextHasFunction(NULL, "Fn"));
  CHECK_INT(0, TFE_ContextHasFunction(ctx, NULL));
}

int main(void) {
  status = TF_NewStatus();
  RUN(deletes);
  CHECK(true);
  if (!on_tensorflow()) {
    ctx = new_context();
    RUN(statuses);
    RUN(buffers_and_strings);
    RUN(tensors);
    RUN(contexts_and_devices);
    RUN(handles);
    RUN(ops);
    RUN(attrs);
    RUN(functions);
    delete_context(ctx);
  }
  TF_DeleteStatus(status);
  return check_result("nulls " API_NAME);
}
