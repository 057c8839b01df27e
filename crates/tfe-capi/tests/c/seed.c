// The tests of the first eager API and of its runtime, as far as C can say them.
// build: 2.21 2017
#include "api.h"

static void context(void) {
  TFE_Context* ctx = new_context();
  TF_DeviceList* devices = TFE_ContextListDevices(ctx, status);
  CHECK_OK(status);
  delete_context(ctx);

  // The list outlives its context.
  const int n = TF_DeviceListCount(devices);
  CHECK(n >= 1);
  for (int i = 0; i < n; ++i) {
    const char* name = TF_DeviceListName(devices, i, status);
    CHECK_OK(status);
    CHECK(name != NULL && name[0] != '\0');
  }
  TF_DeleteDeviceList(devices);
}

static void tensor_handle(void) {
  TFE_TensorHandle* h = matrix();
  CHECK_INT(TF_FLOAT, TFE_TensorHandleDataType(h));
  CHECK_INT(2, handle_num_dims(h));
  CHECK_INT(2, handle_dim(h, 0));
  CHECK_INT(2, handle_dim(h, 1));
  CHECK_FLOATS(h, 1, 2, 3, 4);
  TFE_DeleteTensorHandle(h);
}

static void copy_between_devices(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* on_cpu = matrix();
  TF_DeviceList* devices = TFE_ContextListDevices(ctx, status);
  REQUIRE_OK(status);
  for (int i = 0; i < TF_DeviceListCount(devices); ++i) {
    const char* name = TF_DeviceListName(devices, i, status);
    CHECK_OK(status);
    TFE_TensorHandle* there = TFE_TensorHandleCopyToDevice(on_cpu, ctx, name, status);
    REQUIRE_OK(status);
    CHECK_STR(name, handle_device(there));
    TFE_TensorHandle* back = TFE_TensorHandleCopyToDevice(there, ctx, "CPU:0", status);
    REQUIRE_OK(status);
    CHECK_FLOATS(back, 1, 2, 3, 4);
    TFE_DeleteTensorHandle(there);
    TFE_DeleteTensorHandle(back);
  }
  TF_DeleteDeviceList(devices);
  TFE_DeleteTensorHandle(on_cpu);
  delete_context(ctx);
}

static void execute_matmul(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = matmul_op(ctx, m, m);
  TFE_TensorHandle* results[2] = {NULL, NULL};
  int n = 2;  // one more than there are
  TFE_Execute(op, results, &n, status);
  CHECK_OK(status);
  REQUIRE(n == 1);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  delete_context(ctx);

  // The result outlives op, inputs and context.
  CHECK_FLOATS(results[0], 7, 10, 15, 22);
  TFE_DeleteTensorHandle(results[0]);
}

static void function_def_and_execute(void) {
  TFE_Context* ctx = new_context();
  add_function(ctx, matmul_function("MatMulFunction", "matmul:product"));
  CHECK_OK(status);
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "MatMulFunction");
  add_input(op, m);
  TFE_TensorHandle* product = execute(op);
  CHECK_OK(status);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  delete_context(ctx);
}

static void variables(void) {
  TFE_Context* ctx = new_context();
  TFE_Op* op = new_op(ctx, "VarHandleOp");
  TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  TFE_OpSetAttrShape(op, "shape", NULL, 0, status);
  CHECK_OK(status);
  set_attr_string(op, "container", "");
  set_attr_string(op, "shared_name", "");
  TFE_TensorHandle* variable = execute(op);
  TFE_DeleteOp(op);
  REQUIRE_OK(status);
  CHECK_INT(TF_RESOURCE, TFE_TensorHandleDataType(variable));

  TFE_TensorHandle* twelve = float_scalar(12);
  assign_variable(ctx, variable, twelve);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(twelve);

  TFE_TensorHandle* value = read_variable(ctx, variable, TF_FLOAT);
  REQUIRE_OK(status);
  CHECK_INT(0, handle_num_dims(value));
  CHECK_FLOATS(value, 12);
  TFE_DeleteTensorHandle(variable);
  TFE_DeleteTensorHandle(value);
  delete_context(ctx);
}

static void attr_type_map_lookup(void) {
  TFE_Context* ctx = new_context();
  unsigned char is_list = 7;
  TFE_OpNameGetAttrType(ctx, "ThisOpDoesNotExist", "T", &is_list, status);
  CHECK_CODE(TF_NOT_FOUND, status);
  CHECK_INT(7, is_list);
  TFE_OpNameGetAttrType(ctx, "MatMul", "this_attr_does_not_exist", &is_list, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(7, is_list);
  CHECK_INT(TF_ATTR_BOOL, TFE_OpNameGetAttrType(ctx, "MatMul", "transpose_a", &is_list, status));
  CHECK_OK(status);
  CHECK_INT(0, is_list);
  CHECK_INT(TF_ATTR_INT, TFE_OpNameGetAttrType(ctx, "Squeeze", "squeeze_dims", &is_list, status));
  CHECK_OK(status);
  CHECK_INT(1, is_list);

  // The same, asked of an op.
  TFE_Op* op = new_op(ctx, "MatMul");
  is_list = 7;
  TFE_OpGetAttrType(op, "this_attr_does_not_exist", &is_list, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(7, is_list);
  CHECK_INT(TF_ATTR_BOOL, TFE_OpGetAttrType(op, "transpose_a", &is_list, status));
  CHECK_OK(status);
  CHECK_INT(0, is_list);
  TFE_DeleteOp(op);
  delete_context(ctx);
}

// A kernel that is made once and run again with other inputs: seen from C, new ops of equal attrs.
static void kernel_and_device_run(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* square = binary(ctx, "MatMul", m, m);
  CHECK_OK(status);
  CHECK_FLOATS(square, 7, 10, 15, 22);
  TFE_TensorHandle* cube = binary(ctx, "MatMul", square, m);
  CHECK_OK(status);
  CHECK_FLOATS(cube, 37, 54, 81, 118);
  TFE_DeleteTensorHandle(m);
  TFE_DeleteTensorHandle(square);
  TFE_DeleteTensorHandle(cube);
  delete_context(ctx);
}

int main(void) {
  status = TF_NewStatus();
  RUN(context);
  RUN(tensor_handle);
  RUN(copy_between_devices);
  RUN(execute_matmul);
  RUN(function_def_and_execute);
  RUN(variables);
  RUN(attr_type_map_lookup);
  RUN(kernel_and_device_run);
  TF_DeleteStatus(status);
  return check_result("seed " API_NAME);
}
