// Contexts, their options, the device list, and how devices may be spelt.
#include "api.h"

static const char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

static void context_options(void) {
  TFE_ContextOptions* options = TFE_NewContextOptions();
  REQUIRE(options != NULL);
  // ConfigProto {intra_op_parallelism_threads: 1, inter_op_parallelism_threads: 1}
  Pb config = {0};
  pb_int(&config, 2, 1);
  pb_int(&config, 5, 1);
  TFE_ContextOptionsSetConfig(options, config.data, config.size, status);
  CHECK_OK(status);
  pb_free(&config);
  TFE_ContextOptionsSetConfig(options, "\xff\xff\xff", 3, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_ContextOptionsSetConfig(options, NULL, 0, status);
  if (!on_tensorflow()) CHECK_OK(status);  // TensorFlow leaves the status as it was
  TFE_ContextOptionsSetAsync(options, 0);
  TFE_ContextOptionsSetDevicePlacementPolicy(options, TFE_DEVICE_PLACEMENT_EXPLICIT);
  TFE_Context* ctx = TFE_NewContext(options, status);
  REQUIRE_OK(status);
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* product = binary(ctx, "MatMul", m, m);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteContext(ctx);

  // Options may make many contexts.
  TFE_ContextOptionsSetDevicePlacementPolicy(options, TFE_DEVICE_PLACEMENT_SILENT);
  TFE_Context* one = TFE_NewContext(options, status);
  REQUIRE_OK(status);
  TFE_Context* two = TFE_NewContext(options, status);
  REQUIRE_OK(status);
  TFE_DeleteContextOptions(options);
  product = binary(one, "MatMul", m, m);
  CHECK_OK(status);
  // A handle of one context is good in the other.
  TFE_TensorHandle* sum = binary(two, "AddV2", product, m);
  CHECK_OK(status);
  CHECK_FLOATS(sum, 8, 12, 18, 26);
  TFE_DeleteContext(one);
  TFE_DeleteContext(two);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteTensorHandle(sum);
  TFE_DeleteTensorHandle(m);
}

static void session_options(void) {
  TF_SessionOptions* options = TF_NewSessionOptions();
  REQUIRE(options != NULL);
  Pb config = {0};
  pb_int(&config, 2, 1);
  TF_SetConfig(options, config.data, config.size, status);
  CHECK_OK(status);
  pb_free(&config);
  TF_SetConfig(options, "\xff\xff\xff", 3, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TF_SetTarget(options, "");
  TF_SetTarget(options, "grpc://nowhere");
  TF_DeleteSessionOptions(options);
}

static void device_list(void) {
  TFE_Context* ctx = new_context();
  TF_DeviceList* list = TFE_ContextListDevices(ctx, status);
  REQUIRE_OK(status);
  const int n = TF_DeviceListCount(list);
  CHECK(n >= 1);
  CHECK_STR(kCpu, TF_DeviceListName(list, 0, status));
  CHECK_STR("CPU", TF_DeviceListType(list, 0, status));
  CHECK(TF_DeviceListMemoryBytes(list, 0, status) > 0);
  CHECK_OK(status);
  TF_DeviceListIncarnation(list, 0, status);
  CHECK_OK(status);
  const int wrong[] = {n, 99, -1, INT32_MIN, INT32_MAX};
  for (int i = 0; i < 5; ++i) {
    CHECK(TF_DeviceListName(list, wrong[i], status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK(TF_DeviceListType(list, wrong[i], status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(-1, TF_DeviceListMemoryBytes(list, wrong[i], status));
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(0, TF_DeviceListIncarnation(list, wrong[i], status));
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  // Names are the list's own: two lists agree, and either outlives the other and the context.
  TF_DeviceList* other = TFE_ContextListDevices(ctx, status);
  TF_DeleteDeviceList(list);
  TFE_DeleteContext(ctx);
  CHECK_STR(kCpu, TF_DeviceListName(other, 0, status));
  TF_DeleteDeviceList(other);
}

// All the spellings of the one device that there is, in every place that takes a device.
static void spellings(void) {
  static const struct {
    const char* text;
    const char* told;  // by TFE_OpGetDevice
    bool op, copy;     // whether TensorFlow can use it there
  } kSpellings[] = {
      {"CPU:0", "/device:CPU:0", false, true},
      {"cpu:0", "/device:CPU:0", false, false},
      {"/cpu:0", "/device:CPU:0", true, false},
      {"/CPU:0", "/device:CPU:0", true, false},
      {"/device:CPU:0", "/device:CPU:0", true, true},
      {"/device:cpu:0", "/device:CPU:0", false, false},
      {"/job:localhost/replica:0/task:0/device:CPU:0", kCpu, true, true},
      {"/job:localhost/replica:0/task:0/cpu:0", kCpu, true, true},
      {"/job:localhost/replica:0/task:0/device:cpu:0", kCpu, false, false},
      {"/job:localhost/device:CPU:0", "/job:localhost/device:CPU:0", true, false},
      {"/task:0/device:CPU:0", "/task:0/device:CPU:0", true, false},
      {"", "", true, true},
  };
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  for (size_t i = 0; i < sizeof kSpellings / sizeof kSpellings[0]; ++i) {
    const char* text = kSpellings[i].text;
    TFE_Op* op = new_op(ctx, "MatMul");
    TFE_OpSetDevice(op, text, status);
    const bool known = !on_tensorflow() || kSpellings[i].op;
    if (known) {
      if (TF_GetCode(status) != TF_OK) fprintf(stderr, "op device '%s':\n", text);
      CHECK_OK(status);
      CHECK_STR(kSpellings[i].told, TFE_OpGetDevice(op, status));
      CHECK_OK(status);
      add_input(op, m);
      add_input(op, m);
      TFE_TensorHandle* product = execute(op);
      CHECK_OK(status);
      CHECK_STR(kCpu, TFE_TensorHandleDeviceName(product, status));
      CHECK_STR(kCpu, TFE_TensorHandleBackingDeviceName(product, status));
      TFE_DeleteTensorHandle(product);
    }
    TFE_DeleteOp(op);

    TFE_TensorHandle* copy = TFE_TensorHandleCopyToDevice(m, ctx, text, status);
    const bool copies = !on_tensorflow() || kSpellings[i].copy;
    if (copies != (copy != NULL)) fprintf(stderr, "copy to '%s':\n", text);
    CHECK_CODE(copies ? TF_OK : TF_INVALID_ARGUMENT, status);
    CHECK_INT(copies, copy != NULL);
    if (copy != NULL) {
      CHECK_STR(kCpu, TFE_TensorHandleDeviceName(copy, status));
      CHECK_FLOATS(copy, 1, 2, 3, 4);
    }
    TFE_DeleteTensorHandle(copy);
  }
  TFE_DeleteTensorHandle(m);
  TFE_DeleteContext(ctx);
}

static void no_such_device(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  // No device names: the op says so at once.
  const char* nonsense[] = {"not a device", "localhost", "/device:CPU:0:0", "/device:CPU:x",
                            "/job:a/device:", "//device:CPU:0"};
  for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; ++i) {
    TFE_Op* op = new_op(ctx, "MatMul");
    TFE_OpSetDevice(op, nonsense[i], status);
    if (TF_GetCode(status) != TF_INVALID_ARGUMENT) fprintf(stderr, "device '%s':\n", nonsense[i]);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_STR("", TFE_OpGetDevice(op, status));
    CHECK(TFE_TensorHandleCopyToDevice(m, ctx, nonsense[i], status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    TFE_DeleteOp(op);
  }
  // Names of devices that there are not: Execute says so, and then the op may be given another.
  const char* absent[] = {"/device:CPU:1", "/device:GPU:99", "/device:TPU:0",
                          "/job:worker/task:3/device:CPU:0", "/task:1"};
  for (size_t i = 0; i < sizeof absent / sizeof absent[0]; ++i) {
    TFE_Op* op = new_op(ctx, "MatMul");
    TFE_OpSetDevice(op, absent[i], status);
    CHECK_OK(status);
    add_input(op, m);
    add_input(op, m);
    CHECK(execute(op) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    TFE_OpSetDevice(op, "/device:CPU:0", status);
    CHECK_OK(status);
    TFE_TensorHandle* product = execute(op);
    CHECK_OK(status);
    CHECK_FLOATS(product, 7, 10, 15, 22);
    TFE_DeleteTensorHandle(product);
    TFE_DeleteOp(op);
    CHECK(TFE_TensorHandleCopyToDevice(m, ctx, absent[i], status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  TFE_DeleteTensorHandle(m);
  TFE_DeleteContext(ctx);
}

// The device may be set before and after the inputs, and taken back.
static void set_and_unset(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "MatMul");
  CHECK_STR("", TFE_OpGetDevice(op, status));
  TFE_OpSetDevice(op, "/device:GPU:0", status);
  CHECK_OK(status);
  CHECK_STR("/device:GPU:0", TFE_OpGetDevice(op, status));
  add_input(op, m);
  TFE_OpSetDevice(op, "", status);
  CHECK_OK(status);
  CHECK_STR("", TFE_OpGetDevice(op, status));
  add_input(op, m);
  TFE_OpSetDevice(op, "/device:GPU:0", status);
  TFE_OpSetDevice(op, NULL, status);
  CHECK_OK(status);
  CHECK_STR("", TFE_OpGetDevice(op, status));
  TFE_TensorHandle* product = execute(op);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
  TFE_DeleteContext(ctx);
}

// On one device a copy shares the elements.
static void copies_share(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* copy = TFE_TensorHandleCopyToDevice(m, ctx, "CPU:0", status);
  CHECK_OK(status);
  CHECK(copy != m);
  TF_Tensor* a = TFE_TensorHandleResolve(m, status);
  TF_Tensor* b = TFE_TensorHandleResolve(copy, status);
  CHECK(TF_TensorData(a) == TF_TensorData(b));
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TFE_DeleteTensorHandle(m);
  CHECK_FLOATS(copy, 1, 2, 3, 4);
  TFE_DeleteTensorHandle(copy);
  TFE_DeleteContext(ctx);
}

// Handles know their device, value and shape after the context is gone (TensorFlow's crash).
static void handles_outlive_the_context(void) {
  if (on_tensorflow()) return;
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* product = binary(ctx, "MatMul", m, m);
  TFE_TensorHandle* copy = TFE_TensorHandleCopyToDevice(product, ctx, "CPU:0", status);
  TFE_DeleteContext(ctx);
  CHECK_STR(kCpu, TFE_TensorHandleDeviceName(product, status));
  CHECK_OK(status);
  CHECK_STR(kCpu, TFE_TensorHandleBackingDeviceName(copy, status));
  CHECK_INT(2, TFE_TensorHandleNumDims(product, status));
  TFE_TensorHandle* again = TFE_TensorHandleCopySharingTensor(copy, status);
  CHECK_OK(status);
  CHECK_FLOATS(again, 7, 10, 15, 22);
  // And they are good in a later context.
  ctx = new_context();
  TFE_TensorHandle* sum = binary(ctx, "AddV2", again, m);
  CHECK_OK(status);
  CHECK_FLOATS(sum, 8, 12, 18, 26);
  TFE_DeleteContext(ctx);
  TFE_DeleteTensorHandle(sum);
  TFE_DeleteTensorHandle(again);
  TFE_DeleteTensorHandle(copy);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteTensorHandle(m);
}

// A handle with a resource keeps what it refers to, or says that it is gone; it does not crash.
static void resources_outlive_the_context(void) {
  if (on_tensorflow()) return;
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* variable = variable_handle(ctx, "v", TF_FLOAT);
  TFE_TensorHandle* value = float_scalar(4);
  assign_variable(ctx, variable, value);
  CHECK_OK(status);
  TFE_DeleteContext(ctx);
  CHECK_INT(TF_RESOURCE, TFE_TensorHandleDataType(variable));
  ctx = new_context();
  TFE_TensorHandle* read = read_variable(ctx, variable, TF_FLOAT);
  CHECK((read != NULL) == (TF_GetCode(status) == TF_OK));
  TFE_DeleteTensorHandle(read);
  TFE_DeleteTensorHandle(value);
  TFE_DeleteTensorHandle(variable);
  TFE_DeleteContext(ctx);
}

int main(void) {
  status = TF_NewStatus();
  RUN(context_options);
  RUN(session_options);
  RUN(device_list);
  RUN(spellings);
  RUN(no_such_device);
  RUN(set_and_unset);
  RUN(copies_share);
  RUN(handles_outlive_the_context);
  RUN(resources_outlive_the_context);
  TF_DeleteStatus(status);
  return check_result("devices");
}
