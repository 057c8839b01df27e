// Ops: inputs and results, executing one again, resetting it, what may be computed over.
#include "api.h"
#include "tensorflow/c/eager/c_api_experimental.h"

static TFE_Context* ctx;

static void inputs(void) {
  TFE_TensorHandle *a = float_scalar(1), *b = float_scalar(2), *axis = int32_scalar(0);
  TFE_Op* op = new_op(ctx, "ConcatV2");
  CHECK_STR("ConcatV2", TFE_OpGetName(op, status));
  CHECK(TFE_OpGetContext(op, status) == ctx);
  CHECK_INT(0, TFE_OpGetFlatInputCount(op, status));
  TFE_OpAddInputList(op, (TFE_TensorHandle*[]){a, b, a}, 3, status);
  CHECK_OK(status);
  add_input(op, axis);
  CHECK_INT(4, TFE_OpGetFlatInputCount(op, status));
  CHECK_OK(status);
  CHECK_INT(3, TFE_OpGetInputLength(op, "values", status));
  CHECK_OK(status);
  CHECK_INT(1, TFE_OpGetInputLength(op, "axis", status));
  CHECK_OK(status);
  TFE_OpGetInputLength(op, "bogus", status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteTensorHandle(a);
  TFE_DeleteTensorHandle(b);
  // The op holds what it was given.
  TFE_TensorHandle* second = TFE_OpGetFlatInput(op, 1, status);
  CHECK_FLOATS(second, 2);
  if (!on_tensorflow()) {  // reads what is not there
    CHECK(TFE_OpGetFlatInput(op, 0, status) != NULL);
    CHECK_OK(status);
    CHECK(TFE_OpGetFlatInput(op, 4, status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK(TFE_OpGetFlatInput(op, -1, status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(axis);
}

static void output_lengths(void) {
  TFE_Op* op = new_op(ctx, "TopKV2");
  CHECK_INT(1, TFE_OpGetOutputLength(op, "values", status));
  CHECK_OK(status);
  CHECK_INT(1, TFE_OpGetOutputLength(op, "indices", status));
  CHECK_OK(status);
  TFE_OpGetOutputLength(op, "bogus", status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteOp(op);
  op = new_op(ctx, "Split");
  TFE_OpGetOutputLength(op, "output", status);
  CHECK_CODE(TF_NOT_FOUND, status);
  TFE_OpSetAttrInt(op, "num_split", 3);
  CHECK_INT(3, TFE_OpGetOutputLength(op, "output", status));
  CHECK_OK(status);
  TFE_DeleteOp(op);
}

// After Execute an op has its attrs, and no inputs.
static void executed_again(void) {
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "MatMul");
  TFE_OpSetAttrBool(op, "transpose_a", 1);
  for (int turn = 0; turn < 3; ++turn) {
    TFE_TensorHandle* product = execute_on(op, m, m);
    CHECK_FLOATS(product, 10, 14, 14, 20);
    TFE_DeleteTensorHandle(product);
    CHECK_INT(0, TFE_OpGetFlatInputCount(op, status));
    CHECK(execute(op) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
}

// Too little room for results is told before anything is lost.
static void room_for_results(void) {
  const float data[] = {3, 1, 4, 1};
  TFE_TensorHandle *x = handle_of(TF_FLOAT, data, DIMS(4)), *k = int32_scalar(2);
  TFE_Op* op = new_op(ctx, "TopKV2");
  add_input(op, x);
  add_input(op, k);
  for (int room = -1; room < 2; ++room) {
    TFE_TensorHandle* results[2] = {x, x};
    int n = room;
    TFE_Execute(op, results, &n, status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(room, n);
    CHECK(results[0] == x && results[1] == x);
    CHECK_INT(2, TFE_OpGetFlatInputCount(op, status));
  }
  TFE_TensorHandle* results[3] = {NULL, NULL, x};
  int n = 3;
  TFE_Execute(op, results, &n, status);
  CHECK_OK(status);
  CHECK_INT(2, n);
  CHECK_FLOATS(results[0], 4, 3);
  CHECK_INT(TF_INT32, TFE_TensorHandleDataType(results[1]));
  CHECK(results[2] == x);
  TFE_DeleteTensorHandle(results[0]);
  TFE_DeleteTensorHandle(results[1]);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(x);
  TFE_DeleteTensorHandle(k);
}

// A kernel that fails leaves nothing behind: as many results as it has are NULL.
static void failed_results(void) {
  TFE_TensorHandle *a = handle_of(TF_FLOAT, (const float[2]){1, 2}, DIMS(2)),
                   *b = handle_of(TF_FLOAT, (const float[3]){1, 2, 3}, DIMS(3));
  TFE_Op* op = new_op(ctx, "AddV2");
  add_input(op, a);
  add_input(op, b);
  TFE_TensorHandle* results[2] = {a, b};
  int n = 2;
  TFE_Execute(op, results, &n, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(1, n);
  CHECK(results[0] == NULL && results[1] == b);
  if (!on_tensorflow()) {
    // The message names op and shapes.
    CHECK(strstr(TF_Message(status), "AddV2") != NULL);
    CHECK(strstr(TF_Message(status), "[2]") != NULL && strstr(TF_Message(status), "[3]") != NULL);
  }
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(a);
  TFE_DeleteTensorHandle(b);
}

// A name that is nearly that of an op: what was meant is said, behind the words of TensorFlow.
static void nearly_an_op(void) {
  CHECK(TFE_NewOp(ctx, "Reluu", status) == NULL);
  CHECK_CODE(TF_NOT_FOUND, status);
  CHECK(strstr(TF_Message(status), "'Reluu' is neither a type of a primitive operation nor") != NULL);
  if (!on_tensorflow()) CHECK(strstr(TF_Message(status), "Did you mean 'Relu' or ") != NULL);
}

static void reset(void) {
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "MatMul");
  TFE_OpSetAttrBool(op, "transpose_a", 1);
  add_input(op, m);
  TFE_OpReset(op, "AddV2", NULL, status);
  CHECK_OK(status);
  CHECK_STR("AddV2", TFE_OpGetName(op, status));
  CHECK_INT(0, TFE_OpGetFlatInputCount(op, status));
  CHECK_STR("", TFE_OpGetDevice(op, status));
  TFE_TensorHandle* sum = execute_on(op, m, m);
  CHECK_FLOATS(sum, 2, 4, 6, 8);
  TFE_DeleteTensorHandle(sum);
  TFE_OpReset(op, "MatMul", "/device:CPU:0", status);
  CHECK_OK(status);
  CHECK_STR("/device:CPU:0", TFE_OpGetDevice(op, status));
  sum = execute_on(op, m, m);
  CHECK_FLOATS(sum, 7, 10, 15, 22);  // not transposed
  TFE_DeleteTensorHandle(sum);
  add_function(ctx, matmul_function("Fn", "matmul:product:0"));
  TFE_OpReset(op, "Fn", "", status);
  CHECK_OK(status);
  CHECK_STR("Fn", TFE_OpGetName(op, status));
  add_input(op, m);
  sum = execute(op);
  CHECK_OK(status);
  CHECK_FLOATS(sum, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(sum);
  TFE_OpReset(op, "NoSuchOp", NULL, status);
  CHECK_CODE(TF_NOT_FOUND, status);
  TFE_OpReset(op, "MatMul", "not a device", status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_OpReset(op, "MatMul", NULL, status);
  CHECK_OK(status);
  sum = execute_on(op, m, m);
  CHECK_FLOATS(sum, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(sum);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  TFE_ContextRemoveFunction(ctx, "Fn", status);
}

// An input of the op that no one else holds may be computed over, one that is held may not.
static void inputs_stay_as_they_are(void) {
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* two = float_scalar(2);
  TFE_TensorHandle* same = TFE_TensorHandleCopySharingTensor(m, status);
  TFE_Op* op = new_op(ctx, "Mul");
  add_input(op, same);
  add_input(op, two);
  TFE_DeleteTensorHandle(same);
  TFE_TensorHandle* doubled = execute(op);
  CHECK_OK(status);
  TFE_DeleteOp(op);
  CHECK_FLOATS(doubled, 2, 4, 6, 8);
  CHECK_FLOATS(m, 1, 2, 3, 4);
  TF_Tensor* t = TFE_TensorHandleResolve(m, status);
  TFE_DeleteTensorHandle(doubled);
  op = new_op(ctx, "Mul");
  add_input(op, m);
  add_input(op, m);
  TFE_DeleteTensorHandle(m);
  doubled = execute(op);
  TFE_DeleteOp(op);
  CHECK_FLOATS(doubled, 1, 4, 9, 16);
  CHECK_INT(3, ((const float*)TF_TensorData(t))[2]);
  TF_DeleteTensor(t);
  TFE_DeleteTensorHandle(doubled);
  TFE_DeleteTensorHandle(two);
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(inputs);
  RUN(output_lengths);
  RUN(executed_again);
  RUN(room_for_results);
  RUN(failed_results);
  RUN(nearly_an_op);
  RUN(reset);
  RUN(inputs_stay_as_they_are);
  TFE_DeleteContext(ctx);
  TF_DeleteStatus(status);
  return check_result("ops");
}
