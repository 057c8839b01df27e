// Where TFE_Execute puts results, and where it does not: places beyond the op's results are never
// touched, as there are callers whose *num_retvals is greater than their array.
#include "api.h"

enum { kPlaces = 10 };

static TFE_Context* ctx;
static TFE_TensorHandle* canary;

typedef struct Call {
  const char* op;
  TFE_TensorHandle* inputs[3];
  int room;  // *num_retvals before the call
} Call;

// Executes, and checks code and *num_retvals afterwards, and that the first `written` places are
// handles or, after an error, null, and the others as they were.
static void check_call(Call call, TF_Code code, int num_retvals, int written, int line) {
  TFE_Op* op = new_op(ctx, call.op);
  if (strcmp(call.op, "Split") == 0) TFE_OpSetAttrInt(op, "num_split", 3);
  for (int i = 0; i < 3 && call.inputs[i] != NULL; ++i) add_input(op, call.inputs[i]);
  TFE_TensorHandle* results[kPlaces];
  for (int i = 0; i < kPlaces; ++i) results[i] = canary;
  int n = call.room;
  TFE_Execute(op, results, &n, status);
  check_code(code, status, __FILE__, line);
  check_int(num_retvals, n, __FILE__, line, "*num_retvals");
  for (int i = 0; i < kPlaces; ++i) {
    if (i >= written) {
      check_that(results[i] == canary, __FILE__, line, "a place is untouched");
    } else if (code == TF_OK) {
      check_that(results[i] != canary && results[i] != NULL, __FILE__, line, "a place has a result");
      TFE_DeleteTensorHandle(results[i]);
    } else {
      check_that(results[i] == NULL, __FILE__, line, "a place is null");
    }
  }
  TFE_DeleteOp(op);
}
#define CHECK_CALL(code, num_retvals, written, ...) \
  check_call((Call)__VA_ARGS__, (code), (num_retvals), (written), __LINE__)

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  canary = float_scalar(1);
  const float data[] = {1, 2, 3, 4, 5, 6};
  TFE_TensorHandle *m = matrix(), *wide = handle_of(TF_FLOAT, data, DIMS(2, 3));
  TFE_TensorHandle *two = int32_scalar(2), *five = int32_scalar(5), *one = int32_scalar(1);

  CHECK_CALL(TF_OK, 1, 1, {"MatMul", {m, m}, 8});
  CHECK_CALL(TF_OK, 2, 2, {"TopKV2", {wide, two}, 8});
  CHECK_CALL(TF_OK, 3, 3, {"Split", {one, wide}, 3});
  CHECK_CALL(TF_OK, 0, 0, {"NoOp", {NULL}, 8});

  // The kernel fails.
  CHECK_CALL(TF_INVALID_ARGUMENT, 1, 1, {"MatMul", {wide, wide}, 8});
  CHECK_CALL(TF_INVALID_ARGUMENT, 1, 1, {"MatMul", {wide, wide}, 1});
  CHECK_CALL(TF_INVALID_ARGUMENT, 2, 2, {"TopKV2", {wide, five}, 8});
  CHECK_CALL(TF_INVALID_ARGUMENT, 3, 3, {"Split", {one, m}, 8});

  // There is too little room.
  CHECK_CALL(TF_INVALID_ARGUMENT, 0, 0, {"MatMul", {m, m}, 0});
  CHECK_CALL(TF_INVALID_ARGUMENT, -1, 0, {"MatMul", {m, m}, -1});
  CHECK_CALL(TF_INVALID_ARGUMENT, -1, 0, {"NoOp", {NULL}, -1});
  CHECK_CALL(TF_INVALID_ARGUMENT, 1, 0, {"TopKV2", {wide, two}, 1});
  CHECK_CALL(TF_INVALID_ARGUMENT, 1, 0, {"TopKV2", {wide, five}, 1});

  // No kernel is found.
  CHECK_CALL(TF_INVALID_ARGUMENT, 8, 0, {"MatMul", {NULL}, 8});
  CHECK_CALL(TF_INVALID_ARGUMENT, 8, 0, {"Cos", {two}, 8});

  TFE_DeleteTensorHandle(m);
  TFE_DeleteTensorHandle(wide);
  TFE_DeleteTensorHandle(two);
  TFE_DeleteTensorHandle(five);
  TFE_DeleteTensorHandle(one);
  TFE_DeleteTensorHandle(canary);
  TFE_DeleteContext(ctx);
  TF_DeleteStatus(status);
  return check_result("results");
}
