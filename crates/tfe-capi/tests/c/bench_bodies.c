// The bodies of the first eager API's benchmarks, a number of turns each (100 where none is given):
// nothing may be lost or touched twice in any of them.
// build: 2.21 2017
#include "api.h"

static int turns = 100;

static void init_op(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  for (int i = 0; i < turns; ++i) {
    TFE_Op* op = matmul_op(ctx, m, m);
    TFE_DeleteOp(op);
  }
  TFE_DeleteTensorHandle(m);
  delete_context(ctx);
}

static void execute_op(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = matmul_op(ctx, m, m);
  for (int i = 0; i < turns; ++i) {
#ifndef TFE_API_2017
    if (i != 0) {  // the inputs went with the turn before
      add_input(op, m);
      add_input(op, m);
    }
#endif
    TFE_TensorHandle* product = execute(op);
    REQUIRE_OK(status);
    TFE_DeleteTensorHandle(product);
  }
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  delete_context(ctx);
}

// The same with an op of its own for each turn.
static void execute_new_op(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  for (int i = 0; i < turns; ++i) {
    TFE_Op* op = matmul_op(ctx, m, m);
    TFE_TensorHandle* product = execute(op);
    REQUIRE_OK(status);
    CHECK_FLOATS(product, 7, 10, 15, 22);
    TFE_DeleteTensorHandle(product);
    TFE_DeleteOp(op);
  }
  TFE_DeleteTensorHandle(m);
  delete_context(ctx);
}

static void execute_function(void) {
  TFE_Context* ctx = new_context();
  add_function(ctx, matmul_function("MatMulFunction", "matmul:product"));
  REQUIRE_OK(status);
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "MatMulFunction");
  add_input(op, m);
  for (int i = 0; i < turns; ++i) {
#ifndef TFE_API_2017
    if (i != 0) add_input(op, m);
#endif
    TFE_TensorHandle* product = execute(op);
    REQUIRE_OK(status);
    CHECK_FLOATS(product, 7, 10, 15, 22);
    TFE_DeleteTensorHandle(product);
  }
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  delete_context(ctx);
}

static void read_variable_op(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* variable = variable_handle(ctx, "", TF_FLOAT);
  TFE_TensorHandle* five = float_scalar(5);
  assign_variable(ctx, variable, five);
  REQUIRE_OK(status);
  TFE_DeleteTensorHandle(five);
  TFE_Op* op = new_op(ctx, "ReadVariableOp");
  TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  add_input(op, variable);
  for (int i = 0; i < turns; ++i) {
#ifndef TFE_API_2017
    if (i != 0) add_input(op, variable);
#endif
    TFE_TensorHandle* value = execute(op);
    REQUIRE_OK(status);
    CHECK_INT(TF_FLOAT, TFE_TensorHandleDataType(value));
    CHECK_INT(0, handle_num_dims(value));
    CHECK_FLOATS(value, 5);
    TFE_DeleteTensorHandle(value);
  }
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(variable);
  delete_context(ctx);
}

int main(int argc, char** argv) {
  if (argc > 1) turns = atoi(argv[1]);
  status = TF_NewStatus();
  RUN(init_op);
  RUN(execute_op);
  RUN(execute_new_op);
  RUN(execute_function);
  RUN(read_variable_op);
  TF_DeleteStatus(status);
  return check_result("bench_bodies " API_NAME);
}
