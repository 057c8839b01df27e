// Functions: how they come and go, and what is wrong with a definition, a body or a call.
#include "api.h"

static TFE_Context* ctx;

// ---- adding and removing ------------------------------------------------------------------------

static void add_and_remove(void) {
  TFE_TensorHandle* m = matrix();
  CHECK_INT(0, TFE_ContextHasFunction(ctx, "Fn"));
  add_function(ctx, matmul_function("Fn", "matmul:product:0"));
  CHECK_OK(status);
  CHECK_INT(1, TFE_ContextHasFunction(ctx, "Fn"));
  CHECK_INT(0, TFE_ContextHasFunction(ctx, "fn"));
  CHECK_INT(0, TFE_ContextHasFunction(ctx, "MatMul"));
  // The same body again is fine, another is not.
  add_function(ctx, matmul_function("Fn", "matmul:product:0"));
  CHECK_OK(status);
  add_function(ctx, matmul_function("Fn", "a"));
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_TensorHandle* result = call1(ctx, "Fn", m, NULL);
  CHECK_FLOATS(result, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(result);
  // An op made before is not made void by the removal of its function; it fails.
  TFE_Op* op = new_op(ctx, "Fn");
  add_input(op, m);
  remove_function(ctx, "Fn");
  CHECK_INT(1, TFE_ContextHasFunction(ctx, "Fn"));  // it was added twice
  remove_function(ctx, "Fn");
  CHECK_INT(0, TFE_ContextHasFunction(ctx, "Fn"));
  if (!on_tensorflow()) {  // still has its kernel
    CHECK(execute(op) == NULL);
    CHECK_CODE(TF_NOT_FOUND, status);
  }
  TFE_DeleteOp(op);
  CHECK(TFE_NewOp(ctx, "Fn", status) == NULL);
  CHECK_CODE(TF_NOT_FOUND, status);
  TFE_ContextRemoveFunction(ctx, "Fn", status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  // Under the name of one that was removed another may come, with its own body.
  for (int turn = 0; turn < 3; ++turn) {
    add_function(ctx, matmul_function("Fn", turn % 2 == 0 ? "a" : "matmul:product"));
    CHECK_OK(status);
    result = call1(ctx, "Fn", m, NULL);
    CHECK_OK(status);
    if (turn % 2 == 0) CHECK_FLOATS(result, 1, 2, 3, 4);
    else CHECK_FLOATS(result, 7, 10, 15, 22);
    TFE_DeleteTensorHandle(result);
    remove_function(ctx, "Fn");
  }
  TFE_DeleteTensorHandle(m);
}

static void bad_definitions(void) {
  add_function(ctx, matmul_function("MatMul", "matmul:product:0"));
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_ContextAddFunctionDef(ctx, "\xff\xfe\xfd", 3, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  // A name may be anything that no op has.
  TFE_TensorHandle* m = matrix();
  add_function(ctx, matmul_function("9 bad name", "matmul:product:0"));
  CHECK_OK(status);
  TFE_TensorHandle* result = call1(ctx, "9 bad name", m, NULL);
  CHECK_OK(status);
  CHECK_FLOATS(result, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(result);
  TFE_DeleteTensorHandle(m);
  remove_function(ctx, "9 bad name");
}

static void functions_belong_to_a_context(void) {
  TFE_Context* other = new_context();
  add_function(other, matmul_function("Theirs", "matmul:product:0"));
  CHECK_OK(status);
  CHECK_INT(1, TFE_ContextHasFunction(other, "Theirs"));
  CHECK_INT(0, TFE_ContextHasFunction(ctx, "Theirs"));
  CHECK(TFE_NewOp(ctx, "Theirs", status) == NULL);
  CHECK_CODE(TF_NOT_FOUND, status);
  TFE_DeleteContext(other);
}

// ---- what is wrong with a body ------------------------------------------------------------------

// Fn(a: float) -> (m: float) with one node of one kind.
static Function one_node(const char* node, const char* op, const char* inputs, const char* value,
                         bool with_type) {
  Function f = fn_new("Fn");
  fn_input(&f, "a", TF_FLOAT);
  fn_output(&f, "m", TF_FLOAT);
  fn_node(&f, node, op, inputs);
  if (with_type) fn_attr_type(&f, "T", TF_FLOAT);
  if (value != NULL) fn_return(&f, "m", value);
  return f;
}

static void fails(Function f, TF_Code code, const char* what) {
  add_function(ctx, fn_done(&f));
  CHECK_OK(status);
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* result = call1(ctx, "Fn", m, NULL);
  if (TF_GetCode(status) != code) fprintf(stderr, "%s:\n", what);
  CHECK(result == NULL);
  CHECK_CODE(code, status);
  CHECK(TF_Message(status)[0] != '\0');
  TFE_DeleteTensorHandle(result);
  TFE_DeleteTensorHandle(m);
  remove_function(ctx, "Fn");
}

static void bad_bodies(void) {
  fails(one_node("x", "NoSuchOp", "a", "x:y:0", true), TF_NOT_FOUND, "unknown op");
  fails(one_node("x", "Identity", "a", NULL, true), TF_INVALID_ARGUMENT, "no return");
  fails(one_node("x", "Identity", "a", "q:output:0", true), TF_INVALID_ARGUMENT, "unknown return");
  fails(one_node("x", "Identity", "zz", "x:output:0", true), TF_INVALID_ARGUMENT, "unknown input");
  fails(one_node("x", "Identity", "x:output:0", "x:output:0", true), TF_INVALID_ARGUMENT, "cycle");
  fails(one_node("x", "Identity", "a", "x:output:0", false), TF_NOT_FOUND, "no T");
  fails(one_node("x", "MatMul", "a", "x:product:0", true), TF_INVALID_ARGUMENT, "too few inputs");
  fails(one_node("x", "Identity", "a a", "x:output:0", true), TF_INVALID_ARGUMENT,
        "too many inputs");
  fails(one_node("x", "Identity", "^x a", "x:output:0", true), TF_INVALID_ARGUMENT,
        "control input first");
  fails(one_node("x", "Identity", "a ^zz", "x:output:0", true), TF_INVALID_ARGUMENT,
        "unknown control input");
  Function f = one_node("x", "Identity", "a", "x:output:0", true);
  fn_node(&f, "x", "Identity", "a");
  fn_attr_type(&f, "T", TF_FLOAT);
  fails(f, TF_INVALID_ARGUMENT, "a name twice");
  f = one_node("a", "Identity", "a", "a:output:0", true);
  fails(f, TF_INVALID_ARGUMENT, "a node named like an input");
  f = one_node("x", "Cast", "a", "x:y:0", false);
  fn_attr_type(&f, "SrcT", TF_FLOAT);
  fn_attr_type(&f, "DstT", TF_INT32);
  fails(f, TF_INVALID_ARGUMENT, "return of another type");
  f = one_node("x", "Cast", "a", NULL, false);
  fn_attr_type(&f, "SrcT", TF_FLOAT);
  fn_attr_type(&f, "DstT", TF_INT32);
  fn_node(&f, "y", "Identity", "x:y:0");
  fn_attr_type(&f, "T", TF_FLOAT);
  fn_return(&f, "m", "y:output:0");
  fails(f, TF_INVALID_ARGUMENT, "input of another type");
  f = one_node("x", "Identity", "a", "x:output:0", true);
  fn_attr_int(&f, "bogus", 1);
  add_function(ctx, fn_done(&f));
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* result = call1(ctx, "Fn", m, NULL);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(result);
  remove_function(ctx, "Fn");
  TFE_DeleteTensorHandle(m);

  // A function that calls itself, and two that call each other (TensorFlow's end the process).
  if (on_tensorflow()) return;
  fails(one_node("x", "Fn", "a", "x:m:0", false), TF_INVALID_ARGUMENT, "recursion");
  f = fn_new("Other");
  fn_input(&f, "a", TF_FLOAT);
  fn_output(&f, "m", TF_FLOAT);
  fn_node(&f, "x", "Fn", "a");
  fn_return(&f, "m", "x:m:0");
  define_function(ctx, &f);
  fails(one_node("x", "Other", "a", "x:m:0", false), TF_INVALID_ARGUMENT, "mutual recursion");
  remove_function(ctx, "Other");
}

static void bad_calls(void) {
  add_function(ctx, matmul_function("Fn", "matmul:product:0"));
  CHECK_OK(status);
  TFE_TensorHandle *m = matrix(), *i = int32_scalar(1);
  CHECK(call1(ctx, "Fn", NULL, NULL) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(call1(ctx, "Fn", m, m) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(call1(ctx, "Fn", i, NULL) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  const float data[6] = {0};
  TFE_TensorHandle* oblong = handle_of(TF_FLOAT, data, DIMS(2, 3));
  CHECK(call1(ctx, "Fn", oblong, NULL) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(strstr(TF_Message(status), "Fn") != NULL);
  TFE_Op* op = new_op(ctx, "Fn");
  add_input(op, m);
  int n = 0;
  TFE_Execute(op, NULL, &n, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_OpSetAttrInt(op, "bogus", 3);
  TFE_OpSetDevice(op, "/device:CPU:0", status);
  TFE_TensorHandle* result = execute(op);
  CHECK_OK(status);
  CHECK_FLOATS(result, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(result);
  CHECK(execute(op) == NULL);  // its input is gone
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteOp(op);

  op = new_op(ctx, "Fn");
  CHECK_STR("Fn", TFE_OpGetName(op, status));
  unsigned char is_list = 7;
  TFE_OpGetAttrType(op, "T", &is_list, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(7, is_list);
  TFE_OpNameGetAttrType(ctx, "Fn", "T", &is_list, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(oblong);
  TFE_DeleteTensorHandle(i);
  TFE_DeleteTensorHandle(m);
  remove_function(ctx, "Fn");
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(add_and_remove);
  RUN(bad_definitions);
  RUN(functions_belong_to_a_context);
  RUN(bad_bodies);
  RUN(bad_calls);
  TFE_DeleteContext(ctx);
  TF_DeleteStatus(status);
  return check_result("function_faults");
}
