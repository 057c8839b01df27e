// Functions: what a FunctionDef may say, and what calling it gives.
#include "api.h"

static TFE_Context* ctx;

static void output_spellings(void) {
  static const struct {
    const char* value;
    bool known;
  } kValues[] = {{"matmul:product", true},     {"matmul:product:0", true},  {"a", true},
                 {"matmul", false},            {"matmul:0", false},         {"matmul:nope", false},
                 {"matmul:product:1", false},  {"matmul:product:x", false}, {"b:product", false},
                 {"", false},                  {"matmul:product:-1", false}};
  TFE_TensorHandle* m = matrix();
  for (size_t i = 0; i < sizeof kValues / sizeof kValues[0]; ++i) {
    add_function(ctx, matmul_function("Fn", kValues[i].value));
    CHECK_OK(status);
    TFE_TensorHandle* result = call1(ctx, "Fn", m, NULL);
    if (kValues[i].known != (result != NULL)) fprintf(stderr, "value '%s':\n", kValues[i].value);
    CHECK_CODE(kValues[i].known ? TF_OK : TF_INVALID_ARGUMENT, status);
    CHECK_INT(kValues[i].known, result != NULL);
    if (i < 2) CHECK_FLOATS(result, 7, 10, 15, 22);
    if (i == 2) CHECK_FLOATS(result, 1, 2, 3, 4);
    TFE_DeleteTensorHandle(result);
    remove_function(ctx, "Fn");
  }
  TFE_DeleteTensorHandle(m);
}

// Two inputs, three results, four nodes in no particular order.
static void several_of_all(void) {
  Function f = fn_new("Several");
  fn_input(&f, "a", TF_FLOAT);
  fn_input(&f, "b", TF_FLOAT);
  fn_output(&f, "sum", TF_FLOAT);
  fn_output(&f, "as_int", TF_INT32);
  fn_output(&f, "b_again", TF_FLOAT);
  fn_node(&f, "cast", "Cast", "product:z:0");
  fn_attr_type(&f, "SrcT", TF_FLOAT);
  fn_attr_type(&f, "DstT", TF_INT32);
  fn_node(&f, "product", "Mul", "s:z:0 half:output:0");
  fn_attr_type(&f, "T", TF_FLOAT);
  fn_node(&f, "s", "AddV2", "a b");
  fn_attr_type(&f, "T", TF_FLOAT);
  fn_node(&f, "half", "Const", "");
  fn_attr_type(&f, "dtype", TF_FLOAT);
  fn_attr_float_tensor(&f, "value", 0.5f);
  fn_return(&f, "as_int", "cast:y:0");
  fn_return(&f, "sum", "s:z:0");
  fn_return(&f, "b_again", "b");
  define_function(ctx, &f);
  TFE_TensorHandle *a = float_scalar(3), *b = float_scalar(8);
  for (int turn = 0; turn < 2; ++turn) {
    TFE_Op* op = new_op(ctx, "Several");
    add_input(op, a);
    add_input(op, b);
    TFE_TensorHandle* results[4] = {NULL};
    int n = 4;
    TFE_Execute(op, results, &n, status);
    CHECK_OK(status);
    REQUIRE(n == 3);
    CHECK_FLOATS(results[0], 11);
    CHECK_INT(TF_INT32, TFE_TensorHandleDataType(results[1]));
    TF_Tensor* t = TFE_TensorHandleResolve(results[1], status);
    CHECK_INT(5, *(const int32_t*)TF_TensorData(t));
    TF_DeleteTensor(t);
    CHECK_FLOATS(results[2], 8);
    for (int i = 0; i < 3; ++i) TFE_DeleteTensorHandle(results[i]);
    TFE_DeleteOp(op);
  }
  TFE_DeleteTensorHandle(a);
  TFE_DeleteTensorHandle(b);
  remove_function(ctx, "Several");
}

// Lists in, several results of one op out.
static void lists_and_many_outputs(void) {
  Function f = fn_new("Top");
  fn_input(&f, "a", TF_FLOAT);
  fn_input(&f, "b", TF_FLOAT);
  fn_input(&f, "zero", TF_INT32);
  fn_input(&f, "k", TF_INT32);
  fn_output(&f, "largest", TF_FLOAT);
  fn_output(&f, "where", TF_INT32);
  fn_node(&f, "all", "ConcatV2", "a b a zero");
  fn_attr_int(&f, "N", 3);
  fn_attr_type(&f, "T", TF_FLOAT);
  fn_node(&f, "top", "TopKV2", "all:output:0 k");
  fn_attr_type(&f, "T", TF_FLOAT);
  fn_return(&f, "largest", "top:values:0");
  fn_return(&f, "where", "top:indices:0");
  define_function(ctx, &f);
  TFE_TensorHandle* in[] = {handle_of(TF_FLOAT, (const float[]){1, 5}, DIMS(2)),
                            handle_of(TF_FLOAT, (const float[]){7, 2, 6}, DIMS(3)), int32_scalar(0),
                            int32_scalar(3)};
  TFE_Op* op = new_op(ctx, "Top");
  for (int i = 0; i < 4; ++i) add_input(op, in[i]);
  TFE_TensorHandle* results[2] = {NULL};
  int n = 2;
  TFE_Execute(op, results, &n, status);
  REQUIRE_OK(status);
  CHECK_FLOATS(results[0], 7, 6, 5);
  TF_Tensor* t = TFE_TensorHandleResolve(results[1], status);
  const int32_t want[] = {2, 4, 1};
  CHECK(TF_TensorByteSize(t) == sizeof want && memcmp(TF_TensorData(t), want, sizeof want) == 0);
  TF_DeleteTensor(t);
  TFE_DeleteTensorHandle(results[0]);
  TFE_DeleteTensorHandle(results[1]);
  TFE_DeleteOp(op);
  for (int i = 0; i < 4; ++i) TFE_DeleteTensorHandle(in[i]);
  remove_function(ctx, "Top");
}

// double(a) = a + a; four(a) = double(double(a)); eight(a) = double(four(a)).
static void nested(void) {
  Function f = fn_new("Double");
  fn_input(&f, "a", TF_FLOAT);
  fn_output(&f, "twice", TF_FLOAT);
  fn_node(&f, "sum", "AddV2", "a a");
  fn_attr_type(&f, "T", TF_FLOAT);
  fn_return(&f, "twice", "sum:z:0");
  define_function(ctx, &f);
  f = fn_new("Four");
  fn_input(&f, "a", TF_FLOAT);
  fn_output(&f, "four", TF_FLOAT);
  fn_node(&f, "one", "Double", "a");
  fn_node(&f, "two", "Double", "one:twice:0");
  fn_return(&f, "four", "two:twice:0");
  define_function(ctx, &f);
  f = fn_new("Eight");
  fn_input(&f, "a", TF_FLOAT);
  fn_output(&f, "eight", TF_FLOAT);
  fn_node(&f, "four", "Four", "a");
  fn_node(&f, "eight", "Double", "four:four:0");
  fn_return(&f, "eight", "eight:twice");
  define_function(ctx, &f);
  TFE_TensorHandle* x = float_scalar(1.5f);
  TFE_TensorHandle* result = call1(ctx, "Eight", x, NULL);
  CHECK_OK(status);
  CHECK_FLOATS(result, 12);
  TFE_DeleteTensorHandle(result);
  // What a function calls may be gone when it is called.
  remove_function(ctx, "Double");
  remove_function(ctx, "Eight");
  TFE_ContextClearCaches(ctx);
  result = call1(ctx, "Four", x, NULL);
  CHECK(result == NULL);
  CHECK_CODE(TF_NOT_FOUND, status);
  remove_function(ctx, "Four");
  TFE_DeleteTensorHandle(x);
}

// name(a: T) -> (m: T): twice a; the type comes from an attr of the function.
static void attr_placeholders(void) {
  Function f = fn_new("Generic");
  fn_arg(&f, 2, "a", 0, "T");
  fn_arg(&f, 3, "m", 0, "T");
  fn_type_attr(&f, "T");
  fn_node(&f, "sum", "AddV2", "a a");
  fn_attr_placeholder(&f, "T", "T");
  fn_return(&f, "m", "sum:z:0");
  define_function(ctx, &f);
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "Generic");
  TFE_OpSetAttrType(op, "T", TF_FLOAT);
  add_input(op, m);
  TFE_TensorHandle* result = execute(op);
  CHECK_OK(status);
  CHECK_FLOATS(result, 2, 4, 6, 8);
  TFE_DeleteTensorHandle(result);
  TFE_DeleteOp(op);
  const int32_t data[] = {5};
  TFE_TensorHandle* i = handle_of(TF_INT32, data, DIMS(1));
  op = new_op(ctx, "Generic");
  TFE_OpSetAttrType(op, "T", TF_INT32);
  add_input(op, i);
  result = execute(op);
  CHECK_OK(status);
  CHECK_INT(TF_INT32, TFE_TensorHandleDataType(result));
  TFE_DeleteTensorHandle(result);
  // The other type under the first one's attr.
  TFE_OpSetAttrType(op, "T", TF_FLOAT);
  add_input(op, m);
  CHECK(execute(op) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  // What is set after the inputs holds too, and nothing follows from the inputs.
  TFE_DeleteOp(op);
  op = new_op(ctx, "Generic");
  add_input(op, m);
  TFE_OpSetAttrType(op, "T", TF_INT32);
  CHECK(execute(op) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteOp(op);
  op = new_op(ctx, "Generic");
  add_input(op, m);
  CHECK(execute(op) == NULL);
  CHECK_CODE(TF_NOT_FOUND, status);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(i);
  TFE_DeleteTensorHandle(m);
  remove_function(ctx, "Generic");
}

// set(v, x) -> y: assigns x to v, then reads it; only a control edge puts them in order.
static void control_edges_and_state(void) {
  Function f = fn_new("SetAndGet");
  fn_input(&f, "v", TF_RESOURCE);
  fn_input(&f, "x", TF_FLOAT);
  fn_output(&f, "y", TF_FLOAT);
  fn_stateful(&f);
  fn_node(&f, "get", "ReadVariableOp", "v ^set");
  fn_attr_type(&f, "dtype", TF_FLOAT);
  fn_node(&f, "set", "AssignVariableOp", "v x");
  fn_attr_type(&f, "dtype", TF_FLOAT);
  fn_return(&f, "y", "get:value:0");
  define_function(ctx, &f);
  TFE_TensorHandle* v = variable_handle(ctx, "in_function", TF_FLOAT);
  for (int i = 0; i < 5; ++i) {
    TFE_TensorHandle* x = float_scalar((float)i);
    TFE_TensorHandle* y = call1(ctx, "SetAndGet", v, x);
    CHECK_OK(status);
    CHECK_FLOATS(y, (float)i);
    TFE_DeleteTensorHandle(y);
    TFE_DeleteTensorHandle(x);
  }
  remove_function(ctx, "SetAndGet");

  // A node that nothing needs runs when it changes state, and when a control output names it.
  f = fn_new("Set");
  fn_input(&f, "v", TF_RESOURCE);
  fn_input(&f, "x", TF_FLOAT);
  fn_stateful(&f);
  fn_node(&f, "set", "AssignVariableOp", "v x");
  fn_attr_type(&f, "dtype", TF_FLOAT);
  fn_control_return(&f, "done", "set");
  define_function(ctx, &f);
  f = fn_new("SetUnasked");
  fn_input(&f, "v", TF_RESOURCE);
  fn_input(&f, "x", TF_FLOAT);
  fn_stateful(&f);
  fn_node(&f, "set", "AssignVariableOp", "v x");
  fn_attr_type(&f, "dtype", TF_FLOAT);
  define_function(ctx, &f);
  for (int i = 0; i < 2; ++i) {
    TFE_TensorHandle* x = float_scalar(10 + (float)i);
    TFE_Op* op = new_op(ctx, i == 0 ? "Set" : "SetUnasked");
    add_input(op, v);
    add_input(op, x);
    execute_void(op);
    CHECK_OK(status);
    TFE_DeleteOp(op);
    TFE_TensorHandle* y = read_variable(ctx, v, TF_FLOAT);
    CHECK_FLOATS(y, 10 + (float)i);
    TFE_DeleteTensorHandle(y);
    TFE_DeleteTensorHandle(x);
  }
  remove_function(ctx, "Set");
  remove_function(ctx, "SetUnasked");

  // A node that fails is not run when nothing needs it.
  f = fn_new("Pruned");
  fn_input(&f, "a", TF_FLOAT);
  fn_output(&f, "same", TF_FLOAT);
  fn_node(&f, "bad", "MatMul", "a a");
  fn_attr_type(&f, "T", TF_FLOAT);
  fn_return(&f, "same", "a");
  define_function(ctx, &f);
  TFE_TensorHandle* x = float_scalar(1);  // no matrix
  TFE_TensorHandle* y = call1(ctx, "Pruned", x, NULL);
  CHECK_OK(status);
  CHECK_FLOATS(y, 1);
  TFE_DeleteTensorHandle(y);
  TFE_DeleteTensorHandle(x);
  remove_function(ctx, "Pruned");
  TFE_DeleteTensorHandle(v);
}

// A variable that lives in the function, and one outside by the same name.
static void variables_inside(void) {
  Function f = fn_new("Remember");
  fn_input(&f, "x", TF_FLOAT);
  fn_output(&f, "handle", TF_RESOURCE);
  fn_stateful(&f);
  fn_node(&f, "v", "VarHandleOp", "");
  fn_attr_type(&f, "dtype", TF_FLOAT);
  fn_attr_scalar_shape(&f, "shape");
  fn_attr_text(&f, "shared_name", "remembered");
  fn_node(&f, "set", "AssignVariableOp", "v:resource:0 x");
  fn_attr_type(&f, "dtype", TF_FLOAT);
  fn_control_return(&f, "done", "set");
  fn_return(&f, "handle", "v:resource:0");
  define_function(ctx, &f);
  TFE_TensorHandle* x = float_scalar(42);
  TFE_TensorHandle* inside = call1(ctx, "Remember", x, NULL);
  REQUIRE_OK(status);
  CHECK_INT(TF_RESOURCE, TFE_TensorHandleDataType(inside));
  TFE_TensorHandle* y = read_variable(ctx, inside, TF_FLOAT);
  CHECK_OK(status);
  CHECK_FLOATS(y, 42);
  TFE_DeleteTensorHandle(y);
  TFE_TensorHandle* outside = variable_handle(ctx, "remembered", TF_FLOAT);
  y = read_variable(ctx, outside, TF_FLOAT);
  CHECK_OK(status);
  CHECK_FLOATS(y, 42);
  TFE_DeleteTensorHandle(y);
  TFE_DeleteTensorHandle(outside);
  TFE_DeleteTensorHandle(inside);
  TFE_DeleteTensorHandle(x);
  remove_function(ctx, "Remember");
}

// Without inputs, without outputs, without nodes.
static void small_bodies(void) {
  Function f = fn_new("Nothing");
  define_function(ctx, &f);
  TFE_Op* op = new_op(ctx, "Nothing");
  execute_void(op);
  CHECK_OK(status);
  TFE_DeleteOp(op);
  remove_function(ctx, "Nothing");

  f = fn_new("Seven");
  fn_output(&f, "seven", TF_FLOAT);
  fn_node(&f, "c", "Const", "");
  fn_attr_type(&f, "dtype", TF_FLOAT);
  fn_attr_float_tensor(&f, "value", 7);
  fn_return(&f, "seven", "c:output:0");
  define_function(ctx, &f);
  TFE_TensorHandle* seven = call1(ctx, "Seven", NULL, NULL);
  CHECK_OK(status);
  CHECK_FLOATS(seven, 7);
  TFE_DeleteTensorHandle(seven);
  remove_function(ctx, "Seven");

  // An input given out twice, next to one that is not used.
  f = fn_new("Twice");
  fn_input(&f, "a", TF_FLOAT);
  fn_input(&f, "unused", TF_STRING);
  fn_output(&f, "one", TF_FLOAT);
  fn_output(&f, "two", TF_FLOAT);
  fn_return(&f, "one", "a");
  fn_return(&f, "two", "a");
  define_function(ctx, &f);
  TFE_TensorHandle* m = matrix();
  TF_Tensor* t = TF_AllocateTensor(TF_STRING, SCALAR, sizeof(TF_TString));
  TF_StringInit(TF_TensorData(t));
  TFE_TensorHandle* text = TFE_NewTensorHandle(t, status);
  TF_DeleteTensor(t);
  op = new_op(ctx, "Twice");
  add_input(op, m);
  add_input(op, text);
  TFE_TensorHandle* results[2] = {NULL};
  int n = 2;
  TFE_Execute(op, results, &n, status);
  CHECK_OK(status);
  CHECK_FLOATS(results[0], 1, 2, 3, 4);
  TFE_DeleteTensorHandle(results[0]);
  CHECK_FLOATS(results[1], 1, 2, 3, 4);
  TFE_DeleteTensorHandle(results[1]);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(text);
  TFE_DeleteTensorHandle(m);
  remove_function(ctx, "Twice");
}

// A body may compute over what only it holds, never over what the caller goes on holding.
static void inputs_stay_as_they_are(void) {
  Function f = fn_new("Chain");
  fn_input(&f, "a", TF_FLOAT);
  fn_output(&f, "out", TF_FLOAT);
  char name[16], input[32] = "a";
  for (int i = 0; i < 20; ++i) {
    snprintf(name, sizeof name, "n%d", i);
    char both[40];
    snprintf(both, sizeof both, "%s a", input);
    fn_node(&f, name, "AddV2", both);
    fn_attr_type(&f, "T", TF_FLOAT);
    snprintf(input, sizeof input, "%s:z:0", name);
  }
  fn_return(&f, "out", input);
  define_function(ctx, &f);
  TFE_TensorHandle* m = matrix();
  for (int turn = 0; turn < 2; ++turn) {
    TFE_TensorHandle* out = call1(ctx, "Chain", m, NULL);
    CHECK_OK(status);
    CHECK_FLOATS(out, 21, 42, 63, 84);
    CHECK_FLOATS(m, 1, 2, 3, 4);
    TFE_DeleteTensorHandle(out);
  }
  TFE_DeleteTensorHandle(m);
  remove_function(ctx, "Chain");
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(output_spellings);
  RUN(several_of_all);
  RUN(lists_and_many_outputs);
  RUN(nested);
  RUN(attr_placeholders);
  RUN(control_edges_and_state);
  RUN(variables_inside);
  RUN(small_bodies);
  RUN(inputs_stay_as_they_are);
  TFE_DeleteContext(ctx);
  TF_DeleteStatus(status);
  return check_result("functions");
}
