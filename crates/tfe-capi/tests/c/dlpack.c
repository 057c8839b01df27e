// Tensors out of the library and into it by DLPack, under the names of C and of C++.
//
// TensorFlow has the C++ names of two of the functions only, so the plain ones are weak here.
#define TF_CAPI_WEAK
#include "tensorflow/c/eager/dlpack.h"

#include <pthread.h>

#include "api.h"
#include "dlpack.h"
#include "tensorflow/c/eager/c_api_experimental.h"

extern void* to_dlpack_cxx(TFE_TensorHandle*, TF_Status*) __asm__(
    "_ZN10tensorflow18TFE_HandleToDLPackEP16TFE_TensorHandleP10TSL_Status");
extern TFE_TensorHandle* from_dlpack_cxx(void*, TF_Status*, TFE_Context*) __asm__(
    "_ZN10tensorflow20TFE_HandleFromDLPackEPvP10TSL_StatusP11TFE_Context");
__attribute__((weak)) extern void delete_cxx(void*) __asm__(
    "_ZN10tensorflow30TFE_CallDLManagedTensorDeleterEPv");
__attribute__((weak)) extern void* device_cxx(TFE_TensorHandle*, TF_Status*) __asm__(
    "_ZN10tensorflow15TFE_GetDLDeviceEP16TFE_TensorHandleP10TSL_Status");

static TFE_Context* ctx;
static void* (*to_dlpack)(TFE_TensorHandle*, TF_Status*);
static TFE_TensorHandle* (*from_dlpack)(void*, TF_Status*, TFE_Context*);

static DLManagedTensor* exported(TFE_TensorHandle* h) {
  DLManagedTensor* m = to_dlpack(h, status);
  CHECK_OK(status);
  REQUIRE(m != NULL);
  return m;
}

// ---- out ----------------------------------------------------------------------------------------

static const struct {
  TF_DataType type;
  DLDataType dl;
  bool in_tensorflow;
} kTypes[] = {
    {TF_INT8, {kDLInt, 8, 1}, true},         {TF_INT16, {kDLInt, 16, 1}, true},
    {TF_INT32, {kDLInt, 32, 1}, true},       {TF_INT64, {kDLInt, 64, 1}, true},
    {TF_UINT8, {kDLUInt, 8, 1}, true},       {TF_UINT16, {kDLUInt, 16, 1}, true},
    {TF_UINT32, {kDLUInt, 32, 1}, true},     {TF_UINT64, {kDLUInt, 64, 1}, true},
    {TF_HALF, {kDLFloat, 16, 1}, true},      {TF_FLOAT, {kDLFloat, 32, 1}, true},
    {TF_DOUBLE, {kDLFloat, 64, 1}, true},    {TF_BFLOAT16, {kDLBfloat, 16, 1}, true},
    {TF_COMPLEX64, {kDLComplex, 64, 1}, true}, {TF_COMPLEX128, {kDLComplex, 128, 1}, true},
    {TF_BOOL, {kDLBool, 8, 1}, true},        {TF_FLOAT8_E4M3B11FNUZ, {9, 8, 1}, false},
    {TF_FLOAT8_E4M3FN, {10, 8, 1}, false},   {TF_FLOAT8_E4M3FNUZ, {11, 8, 1}, false},
    {TF_FLOAT8_E5M2, {12, 8, 1}, false},     {TF_FLOAT8_E5M2FNUZ, {13, 8, 1}, false}};
enum { kNumTypes = sizeof kTypes / sizeof *kTypes };

static const TF_DataType kOthers[] = {TF_QINT8,  TF_QUINT8, TF_QINT16, TF_QUINT16, TF_QINT32,
                                      TF_INT4,   TF_UINT4,  TF_INT2,   TF_UINT2,   TF_FLOAT4_E2M1FN};

// Every type goes out and comes back, at the same address.
static void types(void) {
  for (int i = 0; i < kNumTypes; ++i) {
    if (on_tensorflow() && !kTypes[i].in_tensorflow) continue;
    const unsigned char bytes[6 * 16] = {0, 1, 1, 0, 0, 1};
    TFE_TensorHandle* h = handle_of(kTypes[i].type, bytes, DIMS(2, 3));
    void* data = TFE_TensorHandleDevicePointer(h, status);
    DLManagedTensor* m = exported(h);
    const DLTensor* t = &m->dl_tensor;
    CHECK(t->data == data);
    CHECK_INT(0, (uintptr_t)data % 64);
    CHECK_INT(kTypes[i].dl.code, t->dtype.code);
    CHECK_INT(kTypes[i].dl.bits, t->dtype.bits);
    CHECK_INT(1, t->dtype.lanes);
    CHECK_INT(kDLCPU, t->device.device_type);
    CHECK_INT(0, t->device.device_id);
    CHECK_INT(0, t->byte_offset);
    REQUIRE(t->ndim == 2);
    CHECK_INT(2, t->shape[0]);
    CHECK_INT(3, t->shape[1]);
    CHECK_INT(3, t->strides[0]);
    CHECK_INT(1, t->strides[1]);

    TFE_DeleteTensorHandle(h);
    TFE_TensorHandle* back = from_dlpack(m, status, ctx);
    CHECK_OK(status);
    REQUIRE(back != NULL);
    CHECK_INT(kTypes[i].type, TFE_TensorHandleDataType(back));
    CHECK_INT(2, TFE_TensorHandleNumDims(back, status));
    CHECK_INT(3, TFE_TensorHandleDim(back, 1, status));
    CHECK(TFE_TensorHandleDevicePointer(back, status) == data);
    CHECK(memcmp(data, bytes, 6 * TF_DataTypeSize(kTypes[i].type)) == 0);
    TFE_DeleteTensorHandle(back);
  }
  for (size_t i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    const char zeros[24] = {0};
    TFE_TensorHandle* h = handle_of(kOthers[i], zeros, DIMS(2, 3));
    CHECK(to_dlpack(h, status) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    TFE_DeleteTensorHandle(h);
  }
  if (on_tensorflow()) return;  // it aborts
  TF_Tensor* strings = TF_AllocateTensor(TF_STRING, DIMS(2), 2 * sizeof(TF_TString));
  TFE_TensorHandle* h = new_handle(strings);
  CHECK(to_dlpack(h, status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_STR("DT_STRING is not supported by dlpack", TF_Message(status));
  TFE_DeleteTensorHandle(h);
  TF_DeleteTensor(strings);
  h = variable_handle(ctx, "v", TF_FLOAT);
  CHECK(to_dlpack(h, status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteTensorHandle(h);
}

static void shapes(void) {
  const float values[] = {1, 2, 3};
  TFE_TensorHandle* h = handle_of(TF_FLOAT, values, SCALAR);
  DLManagedTensor* m = exported(h);
  CHECK_INT(0, m->dl_tensor.ndim);
  CHECK(m->dl_tensor.strides == NULL);
  CHECK_INT(1, *(float*)m->dl_tensor.data);
  m->deleter(m);
  TFE_DeleteTensorHandle(h);

  h = handle_of(TF_FLOAT, values, DIMS(1, 1, 3, 1));
  m = exported(h);
  static const int64_t kStrides[] = {3, 3, 1, 1};
  for (int i = 0; i < 4; ++i) CHECK_INT(kStrides[i], m->dl_tensor.strides[i]);
  m->deleter(m);
  TFE_DeleteTensorHandle(h);

  h = handle_of(TF_FLOAT, values, DIMS(2, 0, 3));
  m = exported(h);
  CHECK_INT(3, m->dl_tensor.ndim);
  CHECK_INT(0, m->dl_tensor.shape[1]);
  TFE_DeleteTensorHandle(h);
  h = from_dlpack(m, status, ctx);
  CHECK_OK(status);
  CHECK_INT(0, TFE_TensorHandleNumElements(h, status));
  TFE_DeleteTensorHandle(h);
}

static void* delete_exported(void* m) {
  ((DLManagedTensor*)m)->deleter(m);
  return NULL;
}

// What goes out shares the memory, and keeps it.
static void lifetime_of_exports(void) {
  TFE_TensorHandle* h = matrix();
  DLManagedTensor* m = exported(h);
  DLManagedTensor* other = exported(h);
  CHECK(m != other && m->dl_tensor.data == other->dl_tensor.data);
  ((float*)m->dl_tensor.data)[0] = 5;
  CHECK_FLOATS(h, 5, 2, 3, 4);
  other->deleter(other);

  // An op does not write its result there, though no handle shares it any more.
  TFE_Op* op = new_op(ctx, "AddV2");
  add_input(op, h);
  add_input(op, h);
  TFE_DeleteTensorHandle(h);
  TFE_TensorHandle* sum = execute(op);
  CHECK_FLOATS(sum, 10, 4, 6, 8);
  TFE_DeleteTensorHandle(sum);
  TFE_DeleteOp(op);
  CHECK(((float*)m->dl_tensor.data)[1] == 2);

  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, delete_exported, m) == 0);
  pthread_join(thread, NULL);
}

static void devices(void) {
  TFE_TensorHandle* h = matrix();
  if (TFE_GetDLDevice != NULL) {
    DLDevice* device = TFE_GetDLDevice(h, status);
    CHECK_OK(status);
    CHECK_INT(kDLCPU, device->device_type);
    CHECK_INT(0, device->device_id);
    free(device);
    device = device_cxx(h, status);
    CHECK_INT(kDLCPU, device->device_type);
    free(device);
  }
  TFE_DeleteTensorHandle(h);
}

// ---- in -----------------------------------------------------------------------------------------

static float buffer[64] __attribute__((aligned(64)));
static int deleted;
static DLManagedTensor* deleted_last;

static void deleter(DLManagedTensor* m) {
  ++deleted;
  deleted_last = m;
}

// [[0, 1, 2], [3, 4, 5]] in `buffer`.
static DLManagedTensor foreign(void) {
  static int64_t shape[2];
  shape[0] = 2, shape[1] = 3;
  deleted = 0;
  for (int i = 0; i < 64; ++i) buffer[i] = (float)i;
  return (DLManagedTensor){
      {buffer, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0}, NULL, deleter};
}

// It is taken, where it lies or as a copy, and freed once.
static TFE_TensorHandle* taken(DLManagedTensor* m, bool in_place, int line) {
  TFE_TensorHandle* h = from_dlpack(m, status, ctx);
  check_code(TF_OK, status, __FILE__, line);
  REQUIRE(h != NULL);
  const void* data = TFE_TensorHandleDevicePointer(h, status);
  const void* there = (char*)m->dl_tensor.data + m->dl_tensor.byte_offset;
  check_that((data == there) == in_place, __FILE__, line, "it is used in place, or copied");
  check_int(in_place ? 0 : 1, deleted, __FILE__, line, "deleted");
  return h;
}
static void release(TFE_TensorHandle* h, int line) {
  TFE_DeleteTensorHandle(h);
  check_int(1, deleted, __FILE__, line, "deleted");
}
#define TAKEN(m) taken((m), true, __LINE__)
#define COPIED(m) taken((m), false, __LINE__)
#define RELEASE(h) release((h), __LINE__)

// It is not taken, and stays the caller's.
static void refused(DLManagedTensor* m, const char* message, int line) {
  deleted = 0;
  CHECK(from_dlpack(m, status, ctx) == NULL);
  check_code(TF_INVALID_ARGUMENT, status, __FILE__, line);
  if (message != NULL) check_str(message, TF_Message(status), __FILE__, line, "message");
  check_int(0, deleted, __FILE__, line, "deleted");
}
#define REFUSED(m, message) refused((m), (message), __LINE__)

static void in_place(void) {
  DLManagedTensor m = foreign();
  TFE_TensorHandle* h = TAKEN(&m);
  CHECK_INT(TF_FLOAT, TFE_TensorHandleDataType(h));
  CHECK_FLOATS(h, 0, 1, 2, 3, 4, 5);
  buffer[0] = 9;
  CHECK_FLOATS(h, 9, 1, 2, 3, 4, 5);
  // Others keep the memory as well: a result that shares it, a tensor, another DLPack tensor.
  TF_Tensor* t = TFE_TensorHandleResolve(h, status);
  CHECK(TF_TensorData(t) == buffer);
  TFE_TensorHandle* same = unary(ctx, "Identity", h);
  DLManagedTensor* out = exported(h);
  TFE_DeleteTensorHandle(h);
  TF_DeleteTensor(t);
  out->deleter(out);
  CHECK_INT(0, deleted);
  // An op does not write over it.
  TFE_TensorHandle* sum = binary(ctx, "AddV2", same, same);
  CHECK_FLOATS(sum, 18, 2, 4, 6, 8, 10);
  TFE_DeleteTensorHandle(sum);
  CHECK(buffer[0] == 9);
  RELEASE(same);
  CHECK(deleted_last == &m);

  m = foreign();
  m.deleter = NULL;
  h = from_dlpack(&m, status, ctx);
  CHECK_FLOATS(h, 0, 1, 2, 3, 4, 5);
  TFE_DeleteTensorHandle(h);
}

static void scalars_and_empty(void) {
  DLManagedTensor m = foreign();
  m.dl_tensor.ndim = 0;
  TFE_TensorHandle* h = TAKEN(&m);
  CHECK_FLOATS(h, 0);
  RELEASE(h);
  m = foreign();
  m.dl_tensor.ndim = 0;
  m.dl_tensor.shape = NULL;
  h = TAKEN(&m);
  CHECK_INT(0, TFE_TensorHandleNumDims(h, status));
  RELEASE(h);
  m = foreign();
  m.dl_tensor.shape = (int64_t[]){0, 3};
  m.dl_tensor.data = NULL;
  h = from_dlpack(&m, status, ctx);
  CHECK_OK(status);
  CHECK_INT(0, TFE_TensorHandleNumElements(h, status));
  RELEASE(h);
}

static void strides(void) {
  static const struct {
    int64_t shape[2], strides[2];
    bool is_compact;
  } kCases[] = {
      {{2, 3}, {3, 1}, true},   {{2, 3}, {1, 2}, false}, {{2, 3}, {6, 2}, false},
      {{2, 3}, {-3, 1}, false}, {{2, 3}, {0, 1}, false}, {{2, 3}, {4, 1}, false},
      {{1, 6}, {99, 1}, true},  {{6, 1}, {1, 99}, true}, {{1, 1}, {7, 7}, true},
      {{0, 3}, {7, 7}, true},   {{3, 0}, {1, 3}, true}};
  for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    DLManagedTensor m = foreign();
    m.dl_tensor.shape = (int64_t*)kCases[i].shape;
    m.dl_tensor.strides = (int64_t*)kCases[i].strides;
    if (kCases[i].is_compact) RELEASE(TAKEN(&m));
    else REFUSED(&m, "Invalid strides array from DLPack");
  }
}

static void offsets_and_alignment(void) {
  // Where the elements are aligned, that is enough.
  DLManagedTensor m = foreign();
  m.dl_tensor.data = buffer + 1;
  TFE_TensorHandle* h = TAKEN(&m);
  CHECK_FLOATS(h, 1, 2, 3, 4, 5, 6);
  if (!on_tensorflow()) {  // it aborts
    TFE_TensorHandle* sum = binary(ctx, "AddV2", h, h);
    CHECK_FLOATS(sum, 2, 4, 6, 8, 10, 12);
    TFE_DeleteTensorHandle(sum);
  }
  RELEASE(h);
  if (on_tensorflow()) return;  // it takes no offset, and any alignment
  m = foreign();
  m.dl_tensor.byte_offset = 8;
  h = TAKEN(&m);
  CHECK_FLOATS(h, 2, 3, 4, 5, 6, 7);
  RELEASE(h);
  m = foreign();
  memmove((char*)buffer + 1, buffer, 24);
  m.dl_tensor.data = (char*)buffer + 1;
  h = COPIED(&m);
  CHECK_FLOATS(h, 0, 1, 2, 3, 4, 5);
  RELEASE(h);
  m = foreign();
  m.dl_tensor.byte_offset = 3;
  RELEASE(COPIED(&m));
  // 16 bytes of a complex number are moved as one.
  m = foreign();
  m.dl_tensor.dtype = (DLDataType){kDLComplex, 128, 1};
  m.dl_tensor.data = buffer + 2;
  RELEASE(COPIED(&m));
}

static void other_types_and_devices(void) {
  for (int code = 0; code < 20; ++code) {
    for (int bits = 1; bits <= 256; bits *= 2) {
      DLManagedTensor m = foreign();
      m.dl_tensor.dtype = (DLDataType){(uint8_t)code, (uint8_t)bits, 1};
      int i = 0;
      while (i < kNumTypes && memcmp(&kTypes[i].dl, &m.dl_tensor.dtype, sizeof(DLDataType)) != 0) ++i;
      if (i < kNumTypes && (kTypes[i].in_tensorflow || !on_tensorflow())) RELEASE(TAKEN(&m));
      else REFUSED(&m, NULL);
    }
  }
  for (int type = 0; type < 20; ++type) {
    DLManagedTensor m = foreign();
    m.dl_tensor.device.device_type = type;
    if (type == kDLCPU) RELEASE(TAKEN(&m));
    else if (type != kDLCUDA && type != kDLROCM) REFUSED(&m, "Unsupported Device Type");
    else if (!on_tensorflow()) REFUSED(&m, "GPU:0 unknown device.");  // it calls the deleter
  }
  DLManagedTensor m = foreign();
  m.dl_tensor.device.device_id = 1;
  RELEASE(TAKEN(&m));
}

// What TensorFlow takes, or dies of.
static void faults(void) {
  for (int lanes = 0; lanes < 4; ++lanes) {
    DLManagedTensor m = foreign();
    m.dl_tensor.dtype.lanes = (uint16_t)lanes;
    if (lanes == 1) RELEASE(TAKEN(&m));
    else REFUSED(&m, NULL);
  }
  DLManagedTensor m = foreign();
  m.dl_tensor.data = NULL;
  REFUSED(&m, "data is NULL");
  m = foreign();
  static const int32_t kRanks[] = {-1, INT32_MIN, 255, INT32_MAX};
  for (int i = 0; i < 4; ++i) {
    m.dl_tensor.ndim = kRanks[i];
    REFUSED(&m, NULL);
  }
  m = foreign();
  static const uint64_t kOffsets[] = {UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX / 2};
  for (int i = 0; i < 3; ++i) {
    m.dl_tensor.byte_offset = kOffsets[i];
    REFUSED(&m, NULL);
  }
  m = foreign();
  m.dl_tensor.shape = NULL;
  REFUSED(&m, "shape is NULL");
  static const int64_t kShapes[][2] = {
      {-1, 3}, {2, -3}, {INT64_MAX, 2}, {INT64_MAX / 2, 3}, {INT64_MAX / 2, 1}};
  for (size_t i = 0; i < sizeof kShapes / sizeof *kShapes; ++i) {
    m = foreign();
    m.dl_tensor.shape = (int64_t*)kShapes[i];
    REFUSED(&m, NULL);
  }
  int64_t ones[255];
  for (int i = 0; i < 255; ++i) ones[i] = 1;
  m = foreign();
  m.dl_tensor.shape = ones;
  m.dl_tensor.ndim = 255;
  REFUSED(&m, NULL);
  m.dl_tensor.ndim = 254;
  TFE_TensorHandle* h = TAKEN(&m);
  CHECK_INT(254, TFE_TensorHandleNumDims(h, status));
  RELEASE(h);
  // Bytes that are no truth values are found when they are read.
  m = foreign();
  *(char*)buffer = 2;
  m.dl_tensor.dtype = (DLDataType){kDLBool, 8, 1};
  RELEASE(TAKEN(&m));

  m = foreign();
  CHECK(from_dlpack(&m, status, NULL) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(0, deleted);
  CHECK(from_dlpack(NULL, status, ctx) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(from_dlpack(NULL, NULL, NULL) == NULL);
  CHECK(to_dlpack(NULL, status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(to_dlpack(NULL, NULL) == NULL);
  CHECK(TFE_GetDLDevice(NULL, status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
}

static void deleting(void) {
  DLManagedTensor m = foreign();
  TFE_CallDLManagedTensorDeleter(&m);
  CHECK_INT(1, deleted);
  delete_cxx(&m);
  CHECK_INT(2, deleted);
  m.deleter = NULL;
  TFE_CallDLManagedTensorDeleter(&m);
  TFE_CallDLManagedTensorDeleter(NULL);
  CHECK_INT(2, deleted);
  TFE_TensorHandle* h = matrix();
  TFE_CallDLManagedTensorDeleter(exported(h));
  TFE_DeleteTensorHandle(h);
}

static void all(void) {
  RUN(types);
  RUN(shapes);
  RUN(lifetime_of_exports);
  RUN(devices);
  RUN(in_place);
  RUN(scalars_and_empty);
  RUN(strides);
  RUN(offsets_and_alignment);
  RUN(other_types_and_devices);
  if (on_tensorflow()) return;
  RUN(faults);
  RUN(deleting);
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  to_dlpack = to_dlpack_cxx, from_dlpack = from_dlpack_cxx;
  all();
  if (TFE_HandleToDLPack != NULL) {
    to_dlpack = TFE_HandleToDLPack, from_dlpack = TFE_HandleFromDLPack;
    all();
  } else {
    CHECK(on_tensorflow());
  }
  // The memory outlives the context on both ways.
  DLManagedTensor m = foreign();
  TFE_TensorHandle* h = matrix();
  DLManagedTensor* out = exported(h);
  TFE_DeleteTensorHandle(h);
  h = TAKEN(&m);
  if (on_tensorflow()) RELEASE(h);
  delete_context(ctx);
  CHECK(((float*)out->dl_tensor.data)[3] == 4);
  out->deleter(out);
  if (!on_tensorflow()) {
    CHECK_FLOATS(h, 0, 1, 2, 3, 4, 5);
    RELEASE(h);
  }
  TF_DeleteStatus(status);
  return check_result("dlpack");
}
