// Where values lie: memory of a caller in handles, addresses, devices; tensors from messages.
#include "api.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/eager/c_api_experimental.h"

static TFE_Context* ctx;

static const char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

static float buffer[64] __attribute__((aligned(64)));
static int freed;
static size_t freed_bytes;

static void deallocate(void* data, size_t len, void* arg) {
  (void)data;
  CHECK(arg == &freed);
  ++freed;
  freed_bytes = len;
}

static TFE_TensorHandle* over(const char* device, TF_DataType type, void* data, size_t len) {
  freed = 0;
  return TFE_NewTensorHandleFromDeviceMemory(ctx, device, type, DIMS(3), data, len, deallocate,
                                             &freed, status);
}

static void memory_of_the_caller(void) {
  for (int i = 0; i < 64; ++i) buffer[i] = (float)i;
  static const char* const kNames[] = {"CPU:0", kCpu, "/device:CPU:0", ""};
  for (int i = 0; i < 4; ++i) {
    TFE_TensorHandle* h = over(kNames[i], TF_FLOAT, buffer, 12);
    CHECK_OK(status);
    REQUIRE(h != NULL);
    CHECK(TFE_TensorHandleDevicePointer(h, status) == buffer);
    CHECK_INT(12, TFE_TensorHandleDeviceMemorySize(h, status));
    CHECK_STR(kCpu, TFE_TensorHandleDeviceName(h, status));
    CHECK_FLOATS(h, 0, 1, 2);
    CHECK_INT(0, freed);
    TFE_DeleteTensorHandle(h);
    CHECK_INT(1, freed);
    CHECK_INT(12, freed_bytes);
  }
  // Longer, and aligned to its elements only.
  TFE_TensorHandle* h = over("CPU:0", TF_FLOAT, buffer + 1, 100);
  CHECK(TFE_TensorHandleDevicePointer(h, status) == buffer + 1);
  if (!on_tensorflow()) CHECK_FLOATS(h, 1, 2, 3);  // its tensor is longer too
  TFE_DeleteTensorHandle(h);
  CHECK_INT(1, freed);
  CHECK_INT(100, freed_bytes);

  static const char* const kUnknown[] = {"GPU:0", "nonsense", "CPU:7"};
  for (int i = 0; i < 3; ++i) {
    CHECK(over(kUnknown[i], TF_FLOAT, buffer, 12) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(1, freed);
  }
  if (on_tensorflow()) return;  // it takes or dies of the rest

  memmove((char*)buffer + 1, buffer, 12);
  h = over("CPU:0", TF_FLOAT, (char*)buffer + 1, 12);
  CHECK_INT(1, freed);
  CHECK_FLOATS(h, 0, 1, 2);
  TFE_DeleteTensorHandle(h);
  CHECK_INT(1, freed);
  static const TF_DataType kTypes[] = {TF_STRING, TF_RESOURCE, TF_VARIANT, (TF_DataType)0,
                                       (TF_DataType)99};
  for (int i = 0; i < 5; ++i) {
    CHECK(over("CPU:0", kTypes[i], buffer, sizeof buffer) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(1, freed);
  }
  CHECK(over("CPU:0", TF_FLOAT, buffer, 11) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(1, freed);
  CHECK(over("CPU:0", TF_FLOAT, NULL, 12) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(over(NULL, TF_FLOAT, buffer, 12) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(1, freed);
  h = TFE_NewTensorHandleFromDeviceMemory(ctx, "CPU:0", TF_FLOAT, DIMS(-1), buffer, 12, deallocate,
                                          &freed, status);
  CHECK(h == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(2, freed);
  h = TFE_NewTensorHandleFromDeviceMemory(ctx, "CPU:0", TF_FLOAT, DIMS(2), buffer, 8, NULL, NULL,
                                          status);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(h);
}

static void on_another_cpu(void) {
  // ConfigProto {device_count {key: "CPU" value: 2}}
  Pb config = {0}, entry = {0};
  pb_text(&entry, 1, "CPU");
  pb_int(&entry, 2, 2);
  pb_message(&config, 1, &entry);
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_ContextOptionsSetConfig(options, config.data, config.size, status);
  pb_free(&config);
  TFE_Context* two = TFE_NewContext(options, status);
  TFE_DeleteContextOptions(options);
  REQUIRE_OK(status);
  freed = 0;
  TFE_TensorHandle* h = TFE_NewTensorHandleFromDeviceMemory(two, "CPU:1", TF_FLOAT, DIMS(2), buffer,
                                                            8, deallocate, &freed, status);
  CHECK_OK(status);
  REQUIRE(h != NULL);
  CHECK(TFE_TensorHandleDevicePointer(h, status) == buffer);
  CHECK_STR("CPU", TFE_TensorHandleDeviceType(h, status));
  CHECK_INT(1, TFE_TensorHandleDeviceID(h, status));
  TFE_DeleteTensorHandle(h);
  CHECK_INT(1, freed);
  TFE_DeleteContext(two);
}

static void of_handles(void) {
  TFE_TensorHandle* m = matrix();
  CHECK_STR("CPU", TFE_TensorHandleDeviceType(m, status));
  CHECK_INT(0, TFE_TensorHandleDeviceID(m, status));
  TFE_TensorHandleGetStatus(m, status);
  CHECK_OK(status);
  CHECK_INT(16, TFE_TensorHandleDeviceMemorySize(m, status));
  CHECK_INT(4, ((float*)TFE_TensorHandleDevicePointer(m, status))[3]);
  TFE_TensorDebugInfo* info = TFE_TensorHandleTensorDebugInfo(m, status);
  CHECK_OK(status);
  CHECK_INT(2, TFE_TensorDebugInfoOnDeviceNumDims(info));
  CHECK_INT(2, TFE_TensorDebugInfoOnDeviceDim(info, 1));
  if (!on_tensorflow()) {
    CHECK_INT(-1, TFE_TensorDebugInfoOnDeviceDim(info, 2));
    CHECK_INT(-1, TFE_TensorDebugInfoOnDeviceDim(info, -1));
  }
  TFE_DeleteTensorHandle(m);
  CHECK_INT(2, TFE_TensorDebugInfoOnDeviceDim(info, 0));
  TFE_DeleteTensorDebugInfo(info);
  TFE_TensorHandle* scalar = float_scalar(1);
  info = TFE_TensorHandleTensorDebugInfo(scalar, status);
  CHECK_INT(0, TFE_TensorDebugInfoOnDeviceNumDims(info));
  TFE_DeleteTensorDebugInfo(info);
  TFE_DeleteTensorHandle(scalar);

  TF_Tensor* strings = TF_AllocateTensor(TF_STRING, DIMS(2), 2 * sizeof(TF_TString));
  TFE_TensorHandle* h = new_handle(strings);
  if (!on_tensorflow()) {
    CHECK(TFE_TensorHandleDevicePointer(h, status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(48, TFE_TensorHandleDeviceMemorySize(h, status));
    CHECK_OK(status);
  }
  TFE_DeleteTensorHandle(h);
  TF_DeleteTensor(strings);
}

static void host_tensors(void) {
  TF_Tensor* t = TFE_AllocateHostTensor(ctx, TF_FLOAT, DIMS(2, 3), status);
  CHECK_OK(status);
  REQUIRE(t != NULL);
  CHECK_INT(24, TF_TensorByteSize(t));
  CHECK_INT(2, TF_NumDims(t));
  memset(TF_TensorData(t), 0, 24);
  TFE_TensorHandle* h = TFE_NewTensorHandleFromTensor(ctx, t, status);
  CHECK_OK(status);
  CHECK(TFE_TensorHandleDevicePointer(h, status) == TF_TensorData(t));
  TF_DeleteTensor(t);
  CHECK_FLOATS(h, 0, 0, 0, 0, 0, 0);
  TFE_DeleteTensorHandle(h);
  t = TFE_AllocateHostTensor(ctx, TF_STRING, DIMS(2), status);
  CHECK_OK(status);
  CHECK_INT(2 * sizeof(TF_TString), TF_TensorByteSize(t));
  CHECK_INT(0, TF_StringGetSize(TF_TensorData(t)));
  TF_DeleteTensor(t);
  t = TFE_AllocateHostTensor(ctx, TF_INT32, SCALAR, status);
  CHECK_INT(4, TF_TensorByteSize(t));
  TF_DeleteTensor(t);
  if (on_tensorflow()) return;  // it aborts
  CHECK(TFE_AllocateHostTensor(ctx, TF_FLOAT, DIMS(-2), status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(TFE_AllocateHostTensor(ctx, (TF_DataType)99, DIMS(2), status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(TFE_AllocateHostTensor(ctx, TF_RESOURCE, DIMS(2), status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(TFE_AllocateHostTensor(ctx, TF_FLOAT, DIMS(1LL << 40, 1 << 15), status) == NULL);
  CHECK_CODE(TF_RESOURCE_EXHAUSTED, status);
  // The number of dimensions is checked before any of them is read.
  static const int kRanks[] = {255, INT32_MAX, -1, INT32_MIN};
  const int64_t one = 1;
  static float element;
  for (int i = 0; i < 4; ++i) {
    CHECK(TFE_AllocateHostTensor(ctx, TF_FLOAT, &one, kRanks[i], status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK(TFE_NewTensorHandleFromDeviceMemory(ctx, "CPU:0", TF_FLOAT, &one, kRanks[i], &element, 4,
                                              NULL, NULL, status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
}

static void scalars(void) {
  float x = 2.5;
  TFE_TensorHandle* h = TFE_NewTensorHandleFromScalar(TF_FLOAT, &x, sizeof x, status);
  CHECK_OK(status);
  CHECK_FLOATS(h, 2.5);
  CHECK_INT(0, TFE_TensorHandleNumDims(h, status));
  TFE_DeleteTensorHandle(h);
  if (on_tensorflow()) return;
  static const size_t kLengths[] = {0, 3, 5, 8};
  double wide = 0;
  for (int i = 0; i < 4; ++i) {
    CHECK(TFE_NewTensorHandleFromScalar(TF_FLOAT, &wide, kLengths[i], status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  CHECK(TFE_NewTensorHandleFromScalar(TF_STRING, &wide, 8, status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(TFE_NewTensorHandleFromScalar((TF_DataType)99, &wide, 8, status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
}

static void read_proto(TF_Tensor* to, Pb* proto) {
  TF_Buffer* from = TF_NewBufferFromString(proto->data, proto->size);
  TF_TensorFromProto(from, to, status);
  TF_DeleteBuffer(from);
  pb_free(proto);
}

// TensorProto {dtype: type, tensor_shape {dim {size: n}}}
static Pb tensor_proto(TF_DataType type, int64_t n) {
  Pb proto = {0}, shape = {0}, dim = {0};
  pb_int(&dim, 1, n);
  pb_message(&shape, 2, &dim);
  pb_int(&proto, 1, type);
  pb_message(&proto, 2, &shape);
  return proto;
}

static void tensors_from_messages(void) {
  const float one = 1;
  TF_Tensor* t = tensor_of(TF_FLOAT, &one, SCALAR);
  Pb proto = tensor_proto(TF_INT32, 3);
  pb_bytes(&proto, 7, "\1\2\3", 3);
  read_proto(t, &proto);
  CHECK_OK(status);
  CHECK_INT(TF_INT32, TF_TensorType(t));
  CHECK_INT(1, TF_NumDims(t));
  CHECK_INT(3, TF_Dim(t, 0));
  CHECK_INT(12, TF_TensorByteSize(t));
  CHECK_INT(3, ((int32_t*)TF_TensorData(t))[2]);
  proto = tensor_proto(TF_STRING, 1);
  pb_text(&proto, 8, "text");
  read_proto(t, &proto);
  CHECK_OK(status);
  CHECK_INT(4, TF_StringGetSize(TF_TensorData(t)));

  pb_raw(&proto, "\xff", 1);
  read_proto(t, &proto);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  read_proto(t, &proto);  // empty: no type
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  proto = tensor_proto(TF_FLOAT, -2);
  read_proto(t, &proto);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(TF_STRING, TF_TensorType(t));
  TF_DeleteTensor(t);
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(memory_of_the_caller);
  RUN(on_another_cpu);
  RUN(of_handles);
  RUN(host_tensors);
  RUN(scalars);
  RUN(tensors_from_messages);
  delete_context(ctx);
  TF_DeleteStatus(status);
  return check_result("device_memory");
}
