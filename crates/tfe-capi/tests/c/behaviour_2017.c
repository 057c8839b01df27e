// What the API of 2017 does otherwise than that of 2.21, function by function.
// build: 2017
#include "api.h"

static const char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

static void contexts(void) {
  TF_SessionOptions* options = TF_NewSessionOptions();
  Pb config = {0};
  pb_int(&config, 2, 1);  // intra_op_parallelism_threads
  TF_SetConfig(options, config.data, config.size, status);
  CHECK_OK(status);
  pb_free(&config);
  TFE_Context* ctx = TFE_NewContext(options, status);
  CHECK_OK(status);
  REQUIRE(ctx != NULL);
  TF_SetStatus(status, TF_ABORTED, "older");
  TFE_DeleteContext(ctx, status);
  CHECK_OK(status);
  // Sessions elsewhere cannot run ops here.
  if (!on_tensorflow()) {
    TF_SetTarget(options, "grpc://localhost:1");
    CHECK(TFE_NewContext(options, status) == NULL);
    CHECK(TF_GetCode(status) != TF_OK);
    TF_SetTarget(options, "");
    ctx = TFE_NewContext(options, status);
    CHECK_OK(status);
    TFE_DeleteContext(ctx, status);
  }
  TF_DeleteSessionOptions(options);
}

static void handles(void) {
  const float data[] = {1, 2, 3, 4, 5, 6};
  TF_Tensor* t = tensor_of(TF_FLOAT, data, DIMS(2, 3));
  TFE_TensorHandle* h = TFE_NewTensorHandle(t);
  REQUIRE(h != NULL);
  CHECK_INT(2, TFE_TensorHandleNumDims(h));
  CHECK_INT(2, TFE_TensorHandleDim(h, 0));
  CHECK_INT(3, TFE_TensorHandleDim(h, 1));
  CHECK_INT(-1, TFE_TensorHandleDim(h, 2));
  CHECK_INT(-1, TFE_TensorHandleDim(h, -1));
  CHECK_STR(kCpu, TFE_TensorHandleDeviceName(h));
  // As in 2.21 handle and tensor are one memory.
  TF_Tensor* resolved = TFE_TensorHandleResolve(h, status);
  CHECK_OK(status);
  CHECK(TF_TensorData(resolved) == TF_TensorData(t));
  TF_DeleteTensor(resolved);
  TF_DeleteTensor(t);
  CHECK_FLOATS(h, 1, 2, 3, 4, 5, 6);
  TFE_DeleteTensorHandle(h);
  h = float_scalar(1);
  CHECK_INT(0, TFE_TensorHandleNumDims(h));
  CHECK_INT(-1, TFE_TensorHandleDim(h, 0));
  TFE_DeleteTensorHandle(h);
}

// A copy on one device is a copy.
static void copies(void) {
  TFE_Context* ctx = new_context();
  const float data[] = {1, 2};
  TF_Tensor* t = tensor_of(TF_FLOAT, data, DIMS(2));
  TFE_TensorHandle* h = TFE_NewTensorHandle(t);
  const char* devices[] = {"CPU:0", "/device:CPU:0", kCpu};
  for (int i = 0; i < 3; ++i) {
    ((float*)TF_TensorData(t))[0] = 1;
    TFE_TensorHandle* copy = TFE_TensorHandleCopyToDevice(h, ctx, devices[i], status);
    CHECK_OK(status);
    CHECK_FLOATS(copy, 1, 2);
    TF_Tensor* elements = TFE_TensorHandleResolve(copy, status);
    CHECK(TF_TensorData(elements) != TF_TensorData(t));
    ((float*)TF_TensorData(t))[0] = 99;
    CHECK_FLOATS(copy, 1, 2);
    CHECK_FLOATS(h, 99, 2);
    TF_DeleteTensor(elements);
    CHECK_STR(kCpu, TFE_TensorHandleDeviceName(copy));
    TFE_DeleteTensorHandle(copy);
  }
  CHECK(TFE_TensorHandleCopyToDevice(h, ctx, "GPU:99", status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TF_DeleteTensor(t);
  TFE_DeleteTensorHandle(h);

  // Of strings and of nothing too.
  if (!on_tensorflow()) {
    t = TF_AllocateTensor(TF_STRING, DIMS(2), 2 * sizeof(TF_TString));
    TF_TString* strings = TF_TensorData(t);
    TF_TString_Copy(&strings[0], "short", 5);
    TF_TString_Copy(&strings[1], "longer than twenty-two bytes", 28);
    h = TFE_NewTensorHandle(t);
    TFE_TensorHandle* copy = TFE_TensorHandleCopyToDevice(h, ctx, "CPU:0", status);
    CHECK_OK(status);
    TF_TString_Copy(&strings[1], "changed", 7);
    TF_DeleteTensor(t);
    TFE_DeleteTensorHandle(h);
    t = TFE_TensorHandleResolve(copy, status);
    strings = TF_TensorData(t);
    CHECK_STR("short", TF_TString_GetDataPointer(&strings[0]));
    CHECK_STR("longer than twenty-two bytes", TF_TString_GetDataPointer(&strings[1]));
    TF_DeleteTensor(t);
    TFE_DeleteTensorHandle(copy);
  }
  h = handle_of(TF_FLOAT, NULL, DIMS(0, 3));
  TFE_TensorHandle* copy = TFE_TensorHandleCopyToDevice(h, ctx, "CPU:0", status);
  CHECK_OK(status);
  CHECK_INT(3, TFE_TensorHandleDim(copy, 1));
  TFE_DeleteTensorHandle(copy);
  TFE_DeleteTensorHandle(h);
  // A copied resource handle refers to the same resource.
  TFE_TensorHandle* variable = variable_handle(ctx, "v", TF_FLOAT);
  TFE_TensorHandle* value = float_scalar(6);
  assign_variable(ctx, variable, value);
  if (!on_tensorflow()) {
    copy = TFE_TensorHandleCopyToDevice(variable, ctx, "CPU:0", status);
    CHECK_OK(status);
    TFE_TensorHandle* read = read_variable(ctx, copy, TF_FLOAT);
    CHECK_FLOATS(read, 6);
    TFE_DeleteTensorHandle(read);
    TFE_DeleteTensorHandle(copy);
  }
  TFE_DeleteTensorHandle(value);
  TFE_DeleteTensorHandle(variable);
  delete_context(ctx);
}

static void devices(void) {
  TFE_Context* ctx = new_context();
  TFE_Context* other = new_context();
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = matmul_op(ctx, m, m);
  TFE_OpSetDevice(op, ctx, "/device:CPU:0", status);
  CHECK_OK(status);
  CHECK_STR("/device:CPU:0", TFE_OpGetDevice(op, status));
  TFE_OpSetDevice(op, other, "/device:CPU:0", status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_OpSetDevice(op, ctx, "not a device", status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_TensorHandle* product = execute(op);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  delete_context(other);
  delete_context(ctx);
}

static void strings(void) {
  TFE_Context* ctx = new_context();
  TF_Tensor* t = TF_AllocateTensor(TF_STRING, SCALAR, sizeof(TF_TString));
  TF_StringInit(TF_TensorData(t));
  TF_StringCopy(TF_TensorData(t), "x", 1);
  TFE_TensorHandle* x = TFE_NewTensorHandle(t);
  TF_DeleteTensor(t);
  char separator[] = "--\0not this";
  TFE_Op* op = new_op(ctx, "StringJoin");
  TFE_OpAddInputList(op, (TFE_TensorHandle*[]){x, x}, 2, status);
  TFE_OpSetAttrString(op, "separator", separator);
  memset(separator, '?', 2);
  const char* list[] = {"a", "bc"};
  TFE_OpSetAttrStringList(op, "bogus", list, 2);
  TFE_OpSetAttrStringList(op, "bogus2", NULL, 0);
  TFE_TensorHandle* joined = execute(op);
  REQUIRE_OK(status);
  t = TFE_TensorHandleResolve(joined, status);
  CHECK_STR("x--x", TF_TString_GetDataPointer(TF_TensorData(t)));
  CHECK_INT(4, TF_TString_GetSize(TF_TensorData(t)));
  TF_DeleteTensor(t);
  TFE_DeleteTensorHandle(joined);
  TFE_DeleteTensorHandle(x);
  TFE_DeleteOp(op);
  // A list is recorded: it is of a wrong kind for this attr.
  TFE_TensorHandle* m = matrix();
  op = new_op(ctx, "MatMul");
  TFE_OpSetAttrStringList(op, "transpose_a", list, 2);
  add_input(op, m);
  add_input(op, m);
  CHECK(execute(op) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  delete_context(ctx);
}

static void attr_types(void) {
  TFE_Context* ctx = new_context();
  unsigned char is_list = 7;
  TFE_Op* op = new_op(ctx, "MatMul");
  CHECK_INT(TF_ATTR_TYPE, TFE_OpGetAttrType(op, "T", &is_list, status));
  CHECK_OK(status);
  CHECK_INT(0, is_list);
  TFE_DeleteOp(op);
  add_function(ctx, matmul_function("Fn", "matmul:product"));
  CHECK_OK(status);
  op = new_op(ctx, "Fn");
  is_list = 7;
  TFE_OpGetAttrType(op, "T", &is_list, status);
  CHECK_CODE(TF_UNIMPLEMENTED, status);
  CHECK_INT(7, is_list);
  TFE_DeleteOp(op);
  delete_context(ctx);
}

// As many results as there is room for; the others are let go of.
static void fewer_results(void) {
  TFE_Context* ctx = new_context();
  const float data[] = {3, 1, 4, 1};
  TFE_TensorHandle *x = handle_of(TF_FLOAT, data, DIMS(4)), *k = int32_scalar(2);
  TFE_Op* op = new_op(ctx, "TopKV2");
  add_input(op, x);
  add_input(op, k);
  for (int room = 0; room < 5; ++room) {
    TFE_TensorHandle* results[5] = {x, x, x, x, x};
    int n = room;
    TFE_Execute(op, room == 0 ? NULL : results, &n, status);
    CHECK_OK(status);
    CHECK_INT(room < 2 ? room : 2, n);
    if (n > 0) CHECK_FLOATS(results[0], 4, 3);
    if (n > 1) CHECK_INT(TF_INT32, TFE_TensorHandleDataType(results[1]));
    for (int i = 0; i < n; ++i) TFE_DeleteTensorHandle(results[i]);
    for (int i = n; i < 5; ++i) CHECK(results[i] == x);
  }
  if (!on_tensorflow()) {
    int n = -1;
    TFE_Execute(op, NULL, &n, status);
    CHECK(TF_GetCode(status) == TF_INVALID_ARGUMENT ? n == -1 : n == 0);
  }
  TFE_DeleteOp(op);

  // A failing call writes nothing.
  op = new_op(ctx, "TopKV2");
  add_input(op, k);
  add_input(op, k);
  TFE_TensorHandle* kept[3] = {x, x, x};
  int places = 3;
  TFE_Execute(op, kept, &places, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(3, places);
  for (int i = 0; i < 3; ++i) CHECK(kept[i] == x);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(x);
  TFE_DeleteTensorHandle(k);

  // A function's as well.
  Function f = fn_new("Both");
  fn_input(&f, "a", TF_FLOAT);
  fn_output(&f, "one", TF_FLOAT);
  fn_output(&f, "two", TF_FLOAT);
  fn_node(&f, "sum", "AddV2", "a a");
  fn_attr_type(&f, "T", TF_FLOAT);
  fn_return(&f, "one", "a");
  fn_return(&f, "two", "sum:z:0");
  add_function(ctx, fn_done(&f));
  CHECK_OK(status);
  TFE_TensorHandle* m = matrix();
  op = new_op(ctx, "Both");
  add_input(op, m);
  TFE_TensorHandle* result = NULL;
  int n = 1;
  TFE_Execute(op, &result, &n, status);
  CHECK_OK(status);
  CHECK_INT(1, n);
  CHECK_FLOATS(result, 1, 2, 3, 4);
  TFE_DeleteTensorHandle(result);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  delete_context(ctx);
}

// The op keeps its inputs: it can be executed again, also after its handles are gone, and after an
// error.
static void executed_again(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = matmul_op(ctx, m, m);
  TFE_DeleteTensorHandle(m);
  for (int turn = 0; turn < 4; ++turn) {
    TFE_TensorHandle* product = execute(op);
    CHECK_OK(status);
    CHECK_FLOATS(product, 7, 10, 15, 22);  // the inputs are never computed over
    TFE_DeleteTensorHandle(product);
    CHECK_INT(2, TFE_OpGetFlatInputCount(op, status));
  }
  TFE_DeleteOp(op);

  m = matrix();
  TFE_TensorHandle* two = float_scalar(2);
  op = new_op(ctx, "Mul");
  add_input(op, m);
  add_input(op, two);
  TFE_DeleteTensorHandle(m);
  for (int turn = 0; turn < 3; ++turn) {
    TFE_TensorHandle* doubled = execute(op);
    CHECK_OK(status);
    CHECK_FLOATS(doubled, 2, 4, 6, 8);
    TFE_DeleteTensorHandle(doubled);
  }
  // An input too many stays too many.
  add_input(op, two);
  if (!on_tensorflow()) {
    CHECK(execute(op) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(3, TFE_OpGetFlatInputCount(op, status));
    CHECK(execute(op) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  TFE_DeleteOp(op);

  add_function(ctx, matmul_function("Fn", "matmul:product"));
  CHECK_OK(status);
  m = matrix();
  op = new_op(ctx, "Fn");
  add_input(op, m);
  TFE_DeleteTensorHandle(m);
  for (int turn = 0; turn < 3; ++turn) {
    TFE_TensorHandle* product = execute(op);
    CHECK_OK(status);
    CHECK_FLOATS(product, 7, 10, 15, 22);
    TFE_DeleteTensorHandle(product);
  }
  TFE_DeleteOp(op);

  // A read executed again sees what was assigned between.
  TFE_TensorHandle* variable = variable_handle(ctx, "v", TF_FLOAT);
  op = new_op(ctx, "ReadVariableOp");
  TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  add_input(op, variable);
  CHECK(execute(op) == NULL);
  CHECK_CODE(TF_FAILED_PRECONDITION, status);
  for (int turn = 0; turn < 3; ++turn) {
    TFE_TensorHandle* value = float_scalar((float)turn);
    assign_variable(ctx, variable, value);
    CHECK_OK(status);
    TFE_DeleteTensorHandle(value);
    value = execute(op);
    CHECK_OK(status);
    CHECK_FLOATS(value, (float)turn);
    TFE_DeleteTensorHandle(value);
  }
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(variable);
  TFE_DeleteTensorHandle(two);
  delete_context(ctx);
}

// Both forms may be used side by side, on the same objects.
static void side_by_side(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = matmul_op(ctx, m, m);
  TFE_TensorHandle* product = NULL;
  int n = 1;
  TFE_Execute_2017(op, &product, &n, status);
  CHECK_OK(status);
  CHECK_INT(2, TFE_TensorHandleNumDims_2017(product));
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
#undef TFE_Execute
#undef TFE_TensorHandleNumDims
  TFE_Execute(op, &product, &n, status);
  CHECK_OK(status);
  CHECK_INT(2, TFE_TensorHandleNumDims(product, status));
  CHECK_INT(0, TFE_OpGetFlatInputCount(op, status));
  TFE_DeleteTensorHandle(product);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  delete_context(ctx);
}

int main(void) {
  status = TF_NewStatus();
  RUN(contexts);
  RUN(handles);
  RUN(copies);
  RUN(devices);
  RUN(strings);
  RUN(attr_types);
  RUN(fewer_results);
  RUN(executed_again);
  RUN(side_by_side);
  TF_DeleteStatus(status);
  return check_result("behaviour_2017");
}
