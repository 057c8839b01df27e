// Custom devices: one that logs what it is handed and has the CPU do it, alone and beside another; what
// goes wrong; what is let go of, and when.
// threads
#include <pthread.h>

#include "api.h"
#include "tensorflow/c/eager/c_api_experimental.h"

#define LOCAL "/job:localhost/replica:0/task:0/device:"
static const char kCpu[] = LOCAL "CPU:0";
static const char kLog0[] = LOCAL "LOG:0";
static const char kLog1[] = LOCAL "LOG:1";

static TFE_Context* ctx;

// ---- the device -----------------------------------------------------------------------------------

enum Pin { kPinNever, kPinAlways, kPinByDefault };

typedef struct Device {
  const char* name;
  atomic_int to, from, executed, deleted;
  // What the last op was executed with.
  char device[100];
  int room, inputs;
  TF_Code fails;
  int claims;         // results, where not 0
  bool gives_null;
} Device;

typedef struct Value {
  TFE_TensorHandle* on_cpu;
} Value;

static atomic_int values_made, values_freed;
static enum Pin pin = kPinAlways;
static char pin_device[100];

static int value_num_dims(void* data, TF_Status* s) {
  return TFE_TensorHandleNumDims(((Value*)data)->on_cpu, s);
}

static int64_t value_dim(void* data, int i, TF_Status* s) {
  return TFE_TensorHandleDim(((Value*)data)->on_cpu, i, s);
}

static void value_deallocator(void* data) {
  atomic_fetch_add(&values_freed, 1);
  TFE_DeleteTensorHandle(((Value*)data)->on_cpu);
  free(data);
}

static TF_Buffer* value_summarize(void* data, TF_Status* s) {
  (void)data, (void)s;
  return TF_NewBufferFromString("logged", 6);
}

static TFE_CustomDeviceTensorHandle methods(void) {
  const TFE_CustomDeviceTensorHandle m = {TFE_CUSTOM_DEVICE_VERSION, value_num_dims, value_dim,
                                          value_deallocator, value_summarize};
  return m;
}

// A handle on a device to a value that the CPU has; takes over `on_cpu`.
static TFE_TensorHandle* wrap(TFE_Context* c, const char* device, TFE_TensorHandle* on_cpu,
                              TF_Status* s) {
  Value* value = malloc(sizeof *value);
  REQUIRE(value != NULL);
  value->on_cpu = on_cpu;
  atomic_fetch_add(&values_made, 1);
  return TFE_NewCustomDeviceTensorHandle(c, device, TFE_TensorHandleDataType(on_cpu), value,
                                         methods(), s);
}

// Another handle on the CPU to a value of any device of this kind.
static TFE_TensorHandle* unwrap(TFE_TensorHandle* h, TF_Status* s) {
  if (strcmp(TFE_TensorHandleDeviceName(h, s), kCpu) == 0) {
    return TFE_TensorHandleCopySharingTensor(h, s);
  }
  Value* value = TFE_TensorHandleDevicePointer(h, s);
  CHECK_OK(s);
  return TFE_TensorHandleCopySharingTensor(value->on_cpu, s);
}

static bool is_failing(const Device* d, const char* what, TF_Status* s) {
  CHECK_OK(s);
  if (d->fails != TF_OK) TF_SetStatus(s, d->fails, what);
  return d->fails != TF_OK;
}

static TFE_TensorHandle* copy_to(TFE_Context* c, TFE_TensorHandle* h, TF_Status* s, void* info) {
  Device* d = info;
  atomic_fetch_add(&d->to, 1);
  if (is_failing(d, "no copy to", s) || d->gives_null) return NULL;
  return wrap(c, d->name, unwrap(h, s), s);
}

// Of this thread: devices are called on many.
static _Thread_local char last_target[100];

static TFE_TensorHandle* copy_from(TFE_Context* c, TFE_TensorHandle* h, const char* target,
                                   TF_Status* s, void* info) {
  Device* d = info;
  (void)c;
  atomic_fetch_add(&d->from, 1);
  snprintf(last_target, sizeof last_target, "%s", target);
  if (is_failing(d, "no copy from", s) || d->gives_null) return NULL;
  return unwrap(h, s);
}

static void execute_op(const TFE_Op* op, int* n, TFE_TensorHandle** outputs, TF_Status* s,
                       void* info) {
  Device* d = info;
  const int all = atomic_fetch_add(&d->executed, 1);
  if (all < 1000) {  // threads come later
    snprintf(d->device, sizeof d->device, "%s", TFE_OpGetDevice(op, s));
    d->room = *n;
    d->inputs = TFE_OpGetFlatInputCount(op, s);
  }
  if (is_failing(d, "no op", s)) return;
  TFE_Context* c = TFE_OpGetContext(op, s);
  TFE_Op* inner = TFE_NewOp(c, TFE_OpGetName(op, s), s);
  if (inner == NULL) return;
  TFE_OpAddAttrs(inner, TFE_OpGetAttrs(op));
  const int inputs = TFE_OpGetFlatInputCount(op, s);
  for (int i = 0; i < inputs; ++i) {
    TFE_TensorHandle* input = unwrap(TFE_OpGetFlatInput(op, i, s), s);
    TFE_OpAddInput(inner, input, s);
    TFE_DeleteTensorHandle(input);
  }
  TFE_TensorHandle* results[4];
  int count = 4;
  TFE_Execute(inner, results, &count, s);
  TFE_DeleteOp(inner);
  if (TF_GetCode(s) != TF_OK) return;
  for (int i = 0; i < count; ++i) {
    if (d->gives_null || i >= *n) {
      TFE_DeleteTensorHandle(results[i]);
    } else {
      outputs[i] = wrap(c, d->name, results[i], s);
    }
  }
  *n = d->claims != 0 ? d->claims : count;
}

static void delete_device(void* info) { atomic_fetch_add(&((Device*)info)->deleted, 1); }

static TFE_TensorHandle* pack_handles(TFE_Context* c, TFE_TensorHandle** handles, int n,
                                      TF_Status* s, void* info) {
  Device* d = info;
  CHECK(c == ctx);
  CHECK_INT(2, n);
  if (is_failing(d, "no pack", s)) return NULL;
  return TFE_TensorHandleCopySharingTensor(handles[1], s);
}

static bool shall_pin(const TFE_Op* op, TF_Status* s) {
  snprintf(pin_device, sizeof pin_device, "%s", TFE_OpGetDevice(op, s));
  return pin == kPinAlways;
}

static TFE_CustomDevice functions(void) {
  const TFE_CustomDevice f = {TFE_CUSTOM_DEVICE_VERSION, copy_to, copy_from,    execute_op,
                              delete_device,             pack_handles, shall_pin};
  return f;
}

static void register_device(TFE_Context* c, const char* name, Device* d) {
  TFE_CustomDevice f = functions();
  if (pin == kPinByDefault) {
    f.shall_pin_to_this_device = NULL;
    f.pack = NULL;
  }
  d->name = name;
  TFE_RegisterCustomDevice(c, f, name, d, status);
}

static Device log0, log1;

// ---- help -----------------------------------------------------------------------------------------

static TFE_TensorHandle* on(TFE_TensorHandle* h, const char* device) {
  TFE_TensorHandle* copy = TFE_TensorHandleCopyToDevice(h, ctx, device, status);
  CHECK_OK(status);
  REQUIRE(copy != NULL);
  return copy;
}

// A unary op on a device, NULL for none.
static TFE_TensorHandle* neg(const char* device, TFE_TensorHandle* h) {
  TFE_Op* op = new_op(ctx, "Neg");
  if (device != NULL) TFE_OpSetDevice(op, device, status);
  add_input(op, h);
  TFE_TensorHandle* result = execute(op);
  TFE_DeleteOp(op);
  return result;
}

static void check_on(const char* device, TFE_TensorHandle* h) {
  TF_Status* s = TF_NewStatus();
  if (CHECK(h != NULL)) {
    CHECK_STR(device, TFE_TensorHandleDeviceName(h, s));
    CHECK_STR(device, TFE_TensorHandleBackingDeviceName(h, s));
    CHECK_OK(s);
    CHECK_FLOATS(h, -1, -2, -3, -4);
    TFE_DeleteTensorHandle(h);
  }
  TF_DeleteStatus(s);
}

// ---- tests ----------------------------------------------------------------------------------------

static void registering(void) {
  static const struct {
    const char* name;
    TF_Code code;
  } kBad[] = {{kCpu, TF_ALREADY_EXISTS},
              {"nonsense", TF_INVALID_ARGUMENT},
              {"LOG:0", TF_INVALID_ARGUMENT},
              {"/device:LOG:0", TF_INVALID_ARGUMENT},
              {"/job:localhost/replica:0/task:0", TF_INVALID_ARGUMENT},
              {"", TF_INVALID_ARGUMENT}};  // to TensorFlow the name of a physical device
  for (int i = 0; i < (on_tensorflow() ? 5 : 6); ++i) {
    Device bad = {0};
    register_device(ctx, kBad[i].name, &bad);
    CHECK_CODE(kBad[i].code, status);
    CHECK_INT(1, bad.deleted);
  }
  CHECK(!TFE_IsCustomDevice(ctx, kLog0));
  register_device(ctx, kLog0, &log0);
  CHECK_OK(status);
  Device twice = {0};
  register_device(ctx, kLog0, &twice);
  CHECK_CODE(TF_ALREADY_EXISTS, status);
  CHECK_STR("/job:localhost/replica:0/task:0/device:LOG:0 already registered as a custom device.",
            TF_Message(status));
  CHECK_INT(1, twice.deleted);
  pin = kPinByDefault;
  register_device(ctx, kLog1, &log1);
  pin = kPinAlways;
  CHECK_OK(status);
  CHECK_INT(0, log0.deleted);

  CHECK(TFE_IsCustomDevice(ctx, kLog0));
  CHECK(TFE_IsCustomDevice(ctx, kLog1));
  CHECK(!TFE_IsCustomDevice(ctx, kCpu));
  CHECK(!TFE_IsCustomDevice(ctx, LOCAL "LOG:2"));
  CHECK(!TFE_IsCustomDevice(ctx, "nonsense"));
  CHECK(!TFE_IsCustomDevice(ctx, ""));
  TF_DeviceList* list = TFE_ContextListDevices(ctx, status);
  CHECK_INT(1, TF_DeviceListCount(list));
  TF_DeleteDeviceList(list);
  if (on_tensorflow()) return;  // it dies of the rest, and takes full names only

  CHECK(TFE_IsCustomDevice(ctx, "LOG:0"));
  CHECK(TFE_IsCustomDevice(ctx, "/device:LOG:1"));
  for (int i = 0; i < 4; ++i) {
    TFE_CustomDevice f = functions();
    Device bad = {0};
    if (i == 0) f.copy_tensor_to_device = NULL;
    if (i == 1) f.copy_tensor_from_device = NULL;
    if (i == 2) f.execute = NULL;
    if (i == 3) f.delete_device = NULL;
    TFE_RegisterCustomDevice(ctx, f, LOCAL "LOG:5", &bad, status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(i == 3 ? 0 : 1, bad.deleted);
  }
  Device bad = {0};
  register_device(NULL, LOCAL "LOG:5", &bad);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  register_device(ctx, NULL, &bad);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(2, bad.deleted);
  CHECK(!TFE_IsCustomDevice(ctx, LOCAL "LOG:5"));
}

static void copies(void) {
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* h = on(m, kLog0);
  CHECK_INT(1, log0.to);
  CHECK_STR(kLog0, TFE_TensorHandleDeviceName(h, status));
  CHECK_INT(TF_FLOAT, TFE_TensorHandleDataType(h));
  CHECK_INT(2, TFE_TensorHandleNumDims(h, status));
  CHECK_INT(2, TFE_TensorHandleDim(h, 1, status));
  CHECK_INT(4, TFE_TensorHandleNumElements(h, status));
  CHECK_OK(status);
  TFE_TensorHandleGetStatus(h, status);
  CHECK_OK(status);
  CHECK(TFE_TensorHandleDevicePointer(h, status) != NULL);
  CHECK_OK(status);
  CHECK_INT(0, TFE_TensorHandleDeviceMemorySize(h, status));
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(TFE_TensorHandleTensorDebugInfo(h, status) == NULL);
  CHECK(TF_GetCode(status) != TF_OK);
  if (!on_tensorflow()) {
    CHECK_STR("LOG", TFE_TensorHandleDeviceType(h, status));
    CHECK_INT(0, TFE_TensorHandleDeviceID(h, status));
    CHECK_INT(-1, TFE_TensorHandleDim(h, 2, status));
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(-1, TFE_TensorHandleDim(h, -1, status));
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }

  TFE_TensorHandle* same = on(h, kLog0);  // asked for a copy all the same
  CHECK_INT(2, log0.to);
  TFE_TensorHandle* other = on(h, kLog1);
  CHECK_INT(1, log1.to);
  CHECK_INT(0, log0.from);
  CHECK_STR(kLog1, TFE_TensorHandleDeviceName(other, status));
  TFE_TensorHandle* back = on(h, "CPU:0");
  CHECK_STR("CPU:0", last_target);
  CHECK_INT(1, log0.from);
  CHECK_STR(kCpu, TFE_TensorHandleDeviceName(back, status));
  CHECK_FLOATS(back, 1, 2, 3, 4);
  CHECK_FLOATS(h, 1, 2, 3, 4);
  CHECK_STR(kCpu, last_target);
  CHECK_INT(2, log0.from);

  const int freed = values_freed;
  TFE_TensorHandle* shared = TFE_TensorHandleCopySharingTensor(h, status);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(h);
  CHECK_INT(freed, values_freed);
  CHECK_FLOATS(shared, 1, 2, 3, 4);
  TFE_DeleteTensorHandle(shared);
  CHECK_INT(freed + 1, values_freed);
  TFE_DeleteTensorHandle(same);
  TFE_DeleteTensorHandle(other);
  TFE_DeleteTensorHandle(back);
  CHECK(TFE_TensorHandleCopyToDevice(m, ctx, LOCAL "LOG:7", status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteTensorHandle(m);
  CHECK_INT(values_made, values_freed);
}

static void new_handles(void) {
  TFE_TensorHandle* m = matrix();
  const int freed = values_freed;
  CHECK(wrap(ctx, LOCAL "LOG:7", TFE_TensorHandleCopySharingTensor(m, status), status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(freed + 1, values_freed);
  if (!on_tensorflow()) {
    for (int i = 0; i < 3; ++i) {
      Value* value = malloc(sizeof *value);
      REQUIRE(value != NULL);
      value->on_cpu = TFE_TensorHandleCopySharingTensor(m, status);
      TFE_CustomDeviceTensorHandle bad = methods();
      if (i == 0) bad.num_dims = NULL;
      if (i == 1) bad.dim = NULL;
      const TF_DataType type = i == 2 ? (TF_DataType)99 : TF_FLOAT;
      CHECK(TFE_NewCustomDeviceTensorHandle(ctx, kLog0, type, value, bad, status) == NULL);
      CHECK_CODE(TF_INVALID_ARGUMENT, status);
    }
    CHECK_INT(freed + 4, values_freed);
    atomic_fetch_add(&values_made, 3);
  }
  TFE_DeleteTensorHandle(m);
}

static void ops(void) {
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* h = on(m, kLog0);
  const int from = log0.from, to = log0.to;
  // Asked for by name: inputs are handed over where they are.
  log0.executed = 0;
  TFE_TensorHandle* result = neg(kLog0, m);
  CHECK_OK(status);
  CHECK_INT(1, log0.executed);
  CHECK_STR(kLog0, log0.device);
  CHECK_INT(1, log0.room);
  CHECK_INT(1, log0.inputs);
  CHECK_INT(to, log0.to);
  check_on(kLog0, result);
  CHECK_INT(from + 1, log0.from);  // to look at it
  // By an input.
  result = neg(NULL, h);
  CHECK_OK(status);
  CHECK_STR("", log0.device);
  CHECK_STR("", pin_device);
  check_on(kLog0, result);
  // The device has the last word on ops with its values.
  result = neg(kCpu, h);
  CHECK_STR(kCpu, log0.device);
  CHECK_STR(kCpu, pin_device);
  check_on(kLog0, result);
  check_on(kLog0, neg(kLog1, h));
  CHECK_INT(4, log0.executed);
  pin = kPinNever;
  const int before = log0.from;
  result = neg(NULL, h);
  CHECK_INT(before + 1, log0.from);
  CHECK_STR(kCpu, last_target);
  check_on(kCpu, result);
  check_on(kCpu, neg(kCpu, h));
  CHECK_INT(4, log0.executed);
  check_on(kLog0, neg(kLog0, h));
  check_on(kLog1, neg(kLog1, h));
  CHECK_INT(5, log0.executed);
  CHECK_INT(1, log1.executed);
  pin = kPinAlways;
  // Where nothing is said, unless another device was asked for.
  TFE_TensorHandle* h1 = on(m, kLog1);
  check_on(kLog1, neg(NULL, h1));
  check_on(kCpu, neg(kCpu, h1));
  check_on(kLog0, neg(kLog0, h1));
  check_on(kLog1, neg(kLog1, h1));

  // Beside the CPU's values, and beside those of another custom device.
  TFE_TensorHandle* sum = binary(ctx, "AddV2", m, h);
  CHECK_OK(status);
  CHECK_INT(2, log0.inputs);
  CHECK_STR(kLog0, TFE_TensorHandleDeviceName(sum, status));
  CHECK_FLOATS(sum, 2, 4, 6, 8);
  TFE_DeleteTensorHandle(sum);
  static const char* const kWishes[] = {"", kLog0, kCpu};
  for (int i = 0; i < 3; ++i) {
    TFE_Op* op = new_op(ctx, "AddV2");
    TFE_OpSetDevice(op, kWishes[i], status);
    add_input(op, h);
    add_input(op, h1);
    CHECK(execute(op) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    TFE_DeleteOp(op);
  }
  // The inputs stay.
  TFE_Op* op = new_op(ctx, "Neg");
  TFE_OpSetDevice(op, kLog0, status);
  add_input(op, h);
  for (int i = 0; i < 2; ++i) {
    check_on(kLog0, execute(op));
    CHECK_INT(1, TFE_OpGetFlatInputCount(op, status));
  }
  TFE_DeleteOp(op);
  // Attributes, and no kernel that would be looked for.
  op = new_op(ctx, "Cast");
  add_input(op, h);
  TFE_OpSetAttrType(op, "SrcT", TF_FLOAT);
  TFE_OpSetAttrType(op, "DstT", TF_INT32);
  result = execute(op);
  CHECK_OK(status);
  CHECK_INT(TF_INT32, TFE_TensorHandleDataType(result));
  TFE_DeleteTensorHandle(result);
  TFE_DeleteOp(op);
  // More room than results, and another spelling.
  op = new_op(ctx, "Neg");
  TFE_OpSetDevice(op, on_tensorflow() ? kLog0 : "/device:LOG:0", status);
  add_input(op, m);
  TFE_TensorHandle* results[4] = {NULL};
  int n = 4;
  TFE_Execute(op, results, &n, status);
  CHECK_OK(status);
  CHECK_INT(1, n);
  CHECK_INT(4, log0.room);
  check_on(kLog0, results[0]);
  TFE_DeleteOp(op);
  // Not there, custom or otherwise.
  CHECK(neg(LOCAL "LOG:7", m) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteTensorHandle(h1);
  TFE_DeleteTensorHandle(h);
  TFE_DeleteTensorHandle(m);
  CHECK_INT(values_made, values_freed);
}

static void failures(void) {
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* h = on(m, kLog0);
  log0.fails = TF_DATA_LOSS;
  CHECK(neg(kLog0, m) == NULL);
  CHECK_CODE(TF_DATA_LOSS, status);
  CHECK_STR("no op", TF_Message(status));
  CHECK(TFE_TensorHandleCopyToDevice(m, ctx, kLog0, status) == NULL);
  CHECK_CODE(TF_DATA_LOSS, status);
  CHECK_STR("no copy to", TF_Message(status));
  CHECK(TFE_TensorHandleCopyToDevice(h, ctx, kCpu, status) == NULL);
  CHECK_STR("no copy from", TF_Message(status));
  CHECK(TFE_TensorHandleResolve(h, status) == NULL);
  CHECK_CODE(TF_DATA_LOSS, status);
  pin = kPinNever;
  TFE_Op* op = new_op(ctx, "Neg");
  add_input(op, h);
  CHECK(execute(op) == NULL);
  CHECK_CODE(TF_DATA_LOSS, status);
  CHECK_INT(1, TFE_OpGetFlatInputCount(op, status));
  log0.fails = TF_OK;
  check_on(kCpu, execute(op));
  TFE_DeleteOp(op);
  pin = kPinAlways;
  if (!on_tensorflow()) {
    // A device that breaks its word.
    log0.gives_null = true;
    CHECK(neg(kLog0, m) == NULL);
    CHECK_CODE(TF_INTERNAL, status);
    CHECK(TFE_TensorHandleCopyToDevice(m, ctx, kLog0, status) == NULL);
    CHECK_CODE(TF_INTERNAL, status);
    CHECK(TFE_TensorHandleResolve(h, status) == NULL);
    CHECK_CODE(TF_INTERNAL, status);
    log0.gives_null = false;
    static const int kClaims[] = {-1, 2, INT32_MAX};
    for (int i = 0; i < 3; ++i) {
      log0.claims = kClaims[i];
      CHECK(neg(kLog0, m) == NULL);
      CHECK_CODE(TF_INTERNAL, status);
    }
    log0.claims = 0;
    // More room than there could be.
    op = new_op(ctx, "Neg");
    TFE_OpSetDevice(op, kLog0, status);
    add_input(op, m);
    TFE_TensorHandle* result = NULL;
    int n = INT32_MAX;
    TFE_Execute(op, &result, &n, status);
    CHECK_OK(status);
    CHECK_INT(1, n);
    check_on(kLog0, result);
    TFE_DeleteOp(op);
  }
  TFE_DeleteTensorHandle(h);
  TFE_DeleteTensorHandle(m);
  CHECK_INT(values_made, values_freed);
}

static void packing(void) {
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* h = on(m, kLog0);
  TFE_TensorHandle* h1 = on(m, kLog1);
  int two = 2;
  TFE_TensorHandle* handles[2] = {m, h};
  TFE_TensorHandle* packed = TFE_CreatePackedTensorHandle(ctx, handles, &two, status);
  CHECK_OK(status);
  CHECK_STR(kLog0, TFE_TensorHandleDeviceName(packed, status));
  TFE_DeleteTensorHandle(packed);
  log0.fails = TF_ABORTED;
  CHECK(TFE_CreatePackedTensorHandle(ctx, handles, &two, status) == NULL);
  CHECK_CODE(TF_ABORTED, status);
  log0.fails = TF_OK;
  handles[1] = h1;
  CHECK(TFE_CreatePackedTensorHandle(ctx, handles, &two, status) == NULL);
  CHECK_CODE(TF_UNIMPLEMENTED, status);
  CHECK_STR("This custom device does not support packing tensors.", TF_Message(status));
  int none = 0;
  CHECK(TFE_CreatePackedTensorHandle(ctx, handles, &none, status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  if (!on_tensorflow()) {
    handles[1] = m;
    CHECK(TFE_CreatePackedTensorHandle(ctx, handles, &two, status) == NULL);
    CHECK_CODE(TF_UNIMPLEMENTED, status);
    int negative = -1;
    CHECK(TFE_CreatePackedTensorHandle(ctx, handles, &negative, status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK(TFE_CreatePackedTensorHandle(ctx, NULL, &two, status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK(TFE_CreatePackedTensorHandle(ctx, handles, NULL, status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  TFE_DeleteTensorHandle(h1);
  TFE_DeleteTensorHandle(h);
  TFE_DeleteTensorHandle(m);
}

static void resources(void) {
  TFE_Op* op = new_op(ctx, "VarHandleOp");
  TFE_OpSetDevice(op, kLog0, status);
  TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  TFE_OpSetAttrShape(op, "shape", NULL, -1, status);
  set_attr_string(op, "shared_name", "on a custom device");
  TFE_TensorHandle* variable = execute(op);
  CHECK_OK(status);
  REQUIRE(variable != NULL);
  TFE_DeleteOp(op);
  TFE_TensorHandle* m = matrix();
  assign_variable(ctx, variable, m);
  CHECK_OK(status);
  op = new_op(ctx, "ReadVariableOp");
  TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  add_input(op, variable);
  TFE_TensorHandle* read = execute(op);
  CHECK_OK(status);
  CHECK_STR(kLog0, TFE_TensorHandleDeviceName(read, status));
  CHECK_FLOATS(read, 1, 2, 3, 4);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(read);
  TFE_DeleteTensorHandle(variable);
  TFE_DeleteTensorHandle(m);
}

// ---- threads: executing on both kinds of devices while devices come ---------------------------------

enum { kThreads = 4, kCalls = 200 };

static Device late[kCalls];
static char late_names[kCalls][80];

static void* thread(void* arg) {
  status = TF_NewStatus();
  const bool is_custom = arg != NULL;
  TFE_TensorHandle* m = matrix();
  for (int i = 0; i < kCalls; ++i) {
    check_on(is_custom ? kLog0 : kCpu, neg(is_custom ? kLog0 : NULL, m));
  }
  TFE_DeleteTensorHandle(m);
  TF_DeleteStatus(status);
  return NULL;
}

static void threads(void) {
  if (on_tensorflow()) return;  // its devices must come first
  atomic_store(&log0.executed, 1000);
  pthread_t all[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    REQUIRE(pthread_create(&all[i], NULL, thread, i % 2 == 0 ? NULL : &log0) == 0);
  }
  TFE_TensorHandle* m = matrix();
  for (int i = 0; i < kCalls; ++i) {
    snprintf(late_names[i], sizeof late_names[i], LOCAL "LATE:%d", i);
    register_device(ctx, late_names[i], &late[i]);
    CHECK_OK(status);
    TFE_TensorHandle* h = on(m, late_names[i]);
    check_on(late_names[i], neg(NULL, h));
    TFE_DeleteTensorHandle(h);
  }
  TFE_DeleteTensorHandle(m);
  for (int i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
  CHECK_INT(1000 + kThreads / 2 * kCalls, log0.executed);
}

static void after_the_context(void) {
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* h = on(m, kLog0);
  TFE_Op* op = new_op(ctx, "Neg");
  TFE_OpSetDevice(op, kLog0, status);
  add_input(op, h);
  CHECK_INT(0, log0.deleted);
  TFE_DeleteContext(ctx);
  CHECK_INT(1, log0.deleted);
  CHECK_INT(1, log1.deleted);
  if (!on_tensorflow()) {
    for (int i = 0; i < kCalls; ++i) CHECK_INT(1, late[i].deleted);
    CHECK_STR(kLog0, TFE_TensorHandleDeviceName(h, status));
    CHECK_INT(2, TFE_TensorHandleNumDims(h, status));
    CHECK_OK(status);
    CHECK(TFE_TensorHandleResolve(h, status) == NULL);
    CHECK_CODE(TF_FAILED_PRECONDITION, status);
    CHECK(execute(op) == NULL);
    CHECK_CODE(TF_FAILED_PRECONDITION, status);
    TFE_DeleteOp(op);
  }
  const int freed = values_freed;
  TFE_DeleteTensorHandle(h);
  if (!on_tensorflow()) CHECK_INT(freed + 1, values_freed);
  TFE_DeleteTensorHandle(m);
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(registering);
  RUN(copies);
  RUN(new_handles);
  RUN(ops);
  RUN(failures);
  RUN(packing);
  RUN(resources);
  RUN(threads);
  RUN(after_the_context);
  TF_DeleteStatus(status);
  return check_result("custom_device");
}
