// TF_Tensor: memory of the library and of the caller, shapes, sharing, what cannot be made.
#include <unistd.h>

#include "api.h"

// ---- memory of the caller -----------------------------------------------------------------------

static int released;
static void* released_data;
static size_t released_length;
static void* released_arg;
static void release(void* data, size_t length, void* arg) {
  ++released;
  released_data = data;
  released_length = length;
  released_arg = arg;
}

static _Alignas(64) float memory[64];

static TF_Tensor* over(void* data, size_t bytes) {
  released = 0;
  return TF_NewTensor(TF_FLOAT, DIMS(2, 2), data, bytes, release, &released);
}

static void caller_memory_in_place(void) {
  memory[0] = 1;
  TF_Tensor* t = over(memory, 16);
  REQUIRE(t != NULL);
  CHECK(TF_TensorData(t) == memory);
  CHECK_INT(16, TF_TensorByteSize(t));
  CHECK_INT(4, TF_TensorElementCount(t));
  CHECK(TF_TensorIsAligned(t));
  CHECK_INT(0, released);
  TF_DeleteTensor(t);
  CHECK_INT(1, released);
  CHECK(released_data == memory && released_length == 16 && released_arg == &released);
}

static void caller_memory_unaligned(void) {
  for (int i = 0; i < 64; ++i) memory[i] = (float)i;
  TF_Tensor* t = over(memory + 1, 16);
  REQUIRE(t != NULL);
  CHECK(TF_TensorData(t) != memory + 1);
  CHECK(TF_TensorIsAligned(t));
  CHECK_INT(1, released);  // copied, so it is let go at once
  CHECK(released_data == memory + 1 && released_length == 16);
  CHECK(((float*)TF_TensorData(t))[0] == 1 && ((float*)TF_TensorData(t))[3] == 4);
  TF_DeleteTensor(t);
  CHECK_INT(1, released);
}

// The memory lives as long as anything shares it.
static void caller_memory_shared(void) {
  TFE_Context* ctx = new_context();
  for (int i = 0; i < 4; ++i) memory[i] = (float)i + 1;
  TF_Tensor* t = over(memory, 16);
  TFE_TensorHandle* h = TFE_NewTensorHandle(t, status);
  REQUIRE_OK(status);
  TF_DeleteTensor(t);
  CHECK_INT(0, released);
  TFE_TensorHandle* same = TFE_TensorHandleCopySharingTensor(h, status);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(h);
  CHECK_INT(0, released);
  TF_Tensor* resolved = TFE_TensorHandleResolve(same, status);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(same);
  CHECK(TF_TensorData(resolved) == memory);
  CHECK_INT(0, released);
  h = TFE_NewTensorHandle(resolved, status);
  TF_DeleteTensor(resolved);
  TFE_TensorHandle* product = binary(ctx, "MatMul", h, h);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(h);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteContext(ctx);
  CHECK_INT(1, released);
}

// A variable holds what was assigned until another value comes, or the context goes.
static void caller_memory_in_variables(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* variable = variable_handle(ctx, "v", TF_FLOAT);
  for (int i = 0; i < 2; ++i) {
    TF_Tensor* t = over(memory, 16);
    TFE_TensorHandle* h = TFE_NewTensorHandle(t, status);
    TF_DeleteTensor(t);
    assign_variable(ctx, variable, h);
    CHECK_OK(status);
    TFE_DeleteTensorHandle(h);
    if (i == 0) {
      h = float_scalar(1);
      assign_variable(ctx, variable, h);
      TFE_DeleteTensorHandle(h);
      CHECK_INT(1, released);
    }
  }
  TFE_DeleteTensorHandle(variable);
  TFE_DeleteContext(ctx);
  CHECK_INT(1, released);
}

static TFE_Context* variables;
static TFE_TensorHandle* watched;

// Lets go of memory of the caller's, and looks at the variable that held it.
static void read_and_release(void* data, size_t length, void* arg) {
  TF_Status* own = TF_NewStatus();
  TFE_Op* op = TFE_NewOp(variables, "ReadVariableOp", own);
  TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  TFE_OpAddInput(op, watched, own);
  TFE_TensorHandle* value = NULL;
  int n = 1;
  TFE_Execute(op, &value, &n, own);
  CHECK_OK(own);
  TFE_DeleteTensorHandle(value);
  TFE_DeleteOp(op);
  TF_DeleteStatus(own);
  release(data, length, arg);
}

// Memory that an update replaces goes once nobody waits for the variable: its deallocator may read it.
static void released_by_updates(void) {
  if (on_tensorflow()) return;
  alarm(60);  // a wait for ourselves would never end
  variables = new_context();
  watched = variable_handle(variables, "watched", TF_FLOAT);
  const float kOnes[] = {1, 1, 1, 1};
  TFE_TensorHandle* ones = handle_of(TF_FLOAT, kOnes, DIMS(2, 2));
  const int32_t kRows[] = {0, 1};
  TFE_TensorHandle *rows = handle_of(TF_INT32, kRows, DIMS(2)), *rate = float_scalar(1);
  TFE_TensorHandle* const inputs[][3] = {
      {ones}, {ones}, {ones}, {rate, ones}, {rows, ones}, {rows, ones}, {rows, ones}};
  static const char* const kOps[] = {
      "AssignVariableOp",    "AssignAddVariableOp", "AssignSubVariableOp", "ResourceApplyGradientDescent",
      "ResourceScatterAdd", "ResourceScatterMax",  "ResourceScatterUpdate"};
  for (int i = 0; i < 7; ++i) {
    released = 0;
    TF_Tensor* t = TF_NewTensor(TF_FLOAT, DIMS(2, 2), memory, 16, read_and_release, NULL);
    TFE_TensorHandle* lent = new_handle(t);
    TF_DeleteTensor(t);
    assign_variable(variables, watched, lent);
    CHECK_OK(status);
    TFE_DeleteTensorHandle(lent);
    CHECK_INT(0, released);
    TFE_Op* op = new_op(variables, kOps[i]);
    add_input(op, watched);
    for (int j = 0; j < 3 && inputs[i][j] != NULL; ++j) add_input(op, inputs[i][j]);
    if (strncmp(kOps[i], "ResourceScatter", 15) == 0) TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
    execute_void(op);
    CHECK_OK(status);
    TFE_DeleteOp(op);
    CHECK_INT(1, released);
  }
  alarm(0);
  TFE_DeleteTensorHandle(ones);
  TFE_DeleteTensorHandle(rows);
  TFE_DeleteTensorHandle(rate);
  TFE_DeleteTensorHandle(watched);
  TFE_DeleteContext(variables);
}

static void caller_memory_refused(void) {
  CHECK(over(memory, 8) == NULL);  // four floats want 16
  CHECK_INT(1, released);
  TF_Tensor* t = over(memory, 64);  // more is fine
  REQUIRE(t != NULL);
  CHECK_INT(4, TF_TensorElementCount(t));
  TF_DeleteTensor(t);
  CHECK_INT(1, released);
  CHECK_INT(64, released_length);
}

// A result over the caller's memory must never be computed in place: the caller goes on seeing it.
static void caller_memory_is_not_written(void) {
  TFE_Context* ctx = new_context();
  for (int i = 0; i < 4; ++i) memory[i] = (float)i + 1;
  TF_Tensor* t = over(memory, 16);
  TFE_TensorHandle* h = TFE_NewTensorHandle(t, status);
  TF_DeleteTensor(t);
  TFE_TensorHandle* two = float_scalar(2);
  TFE_Op* op = new_op(ctx, "Mul");
  add_input(op, h);
  add_input(op, two);
  TFE_DeleteTensorHandle(h);  // the op is now the only one that holds it
  TFE_TensorHandle* doubled = execute(op);
  CHECK_OK(status);
  TFE_DeleteOp(op);
  CHECK_FLOATS(doubled, 2, 4, 6, 8);
  CHECK(memory[0] == 1 && memory[3] == 4);
  TFE_DeleteTensorHandle(two);
  TFE_DeleteTensorHandle(doubled);
  TFE_DeleteContext(ctx);
  CHECK_INT(1, released);
}

static void no_deallocator(void) {
  if (on_tensorflow()) return;  // would call NULL
  TF_Tensor* t = TF_NewTensor(TF_FLOAT, DIMS(4), memory, 16, NULL, NULL);
  REQUIRE(t != NULL);
  CHECK(TF_TensorData(t) == memory);
  TF_DeleteTensor(t);
}

// ---- memory of the library ----------------------------------------------------------------------

static void allocate(void) {
  for (int64_t n = 0; n < 2000; n = n * 2 + 1) {
    TF_Tensor* t = TF_AllocateTensor(TF_INT16, &n, 1, (size_t)n * 2);
    REQUIRE(t != NULL);
    CHECK(TF_TensorData(t) != NULL);
    CHECK_INT(0, (uintptr_t)TF_TensorData(t) % TF_TensorDefaultAlignment());
    CHECK_INT(n * 2, TF_TensorByteSize(t));
    CHECK_INT(n, TF_TensorElementCount(t));
    CHECK_INT(1, TF_NumDims(t));
    CHECK_INT(n, TF_Dim(t, 0));
    CHECK_INT(TF_INT16, TF_TensorType(t));
    memset(TF_TensorData(t), 1, (size_t)n * 2);
    TF_DeleteTensor(t);
  }
  CHECK_INT(64, TF_TensorDefaultAlignment());
  TF_Tensor* t = TF_AllocateTensor(TF_FLOAT, SCALAR, 4);
  CHECK_INT(0, TF_NumDims(t));
  CHECK_INT(1, TF_TensorElementCount(t));
  TF_DeleteTensor(t);

  // More bytes than the elements need are told back; fewer are refused.
  t = TF_AllocateTensor(TF_FLOAT, DIMS(4), 64);
  CHECK_INT(64, TF_TensorByteSize(t));
  CHECK_INT(4, TF_TensorElementCount(t));
  TF_DeleteTensor(t);
  CHECK(TF_AllocateTensor(TF_FLOAT, DIMS(4), 15) == NULL);

  int64_t dims[254];
  for (int i = 0; i < 254; ++i) dims[i] = 1;
  t = TF_AllocateTensor(TF_FLOAT, dims, 254, 4);
  REQUIRE(t != NULL);
  CHECK_INT(254, TF_NumDims(t));
  TF_DeleteTensor(t);
}

// What makes TensorFlow end the process.
static void cannot_be_made(void) {
  if (on_tensorflow()) return;
  int64_t dims[255];
  for (int i = 0; i < 255; ++i) dims[i] = 1;
  const int64_t k2to40 = INT64_C(1) << 40;
  CHECK(TF_AllocateTensor(TF_FLOAT, dims, 255, 4) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, DIMS(-1), 4) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, DIMS(k2to40, k2to40), 4) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, DIMS(k2to40, k2to40, 0), 0) == NULL);
  CHECK(TF_AllocateTensor(TF_DOUBLE, DIMS(INT64_C(1) << 61), 0) == NULL);
  CHECK(TF_AllocateTensor(TF_UINT8, DIMS(INT64_MAX), (size_t)INT64_MAX) == NULL);
  CHECK(TF_AllocateTensor((TF_DataType)0, DIMS(1), 4) == NULL);
  CHECK(TF_AllocateTensor((TF_DataType)99, DIMS(1), 4) == NULL);
  CHECK(TF_AllocateTensor((TF_DataType)101, DIMS(1), 4) == NULL);  // a reference type
  CHECK(TF_AllocateTensor(TF_RESOURCE, SCALAR, 256) == NULL);
  CHECK(TF_AllocateTensor(TF_VARIANT, SCALAR, 256) == NULL);
  CHECK(TF_AllocateTensor(TF_STRING, DIMS(2), 47) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, NULL, 1, 4) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, dims, -1, 4) == NULL);

  released = 0;
  CHECK(TF_NewTensor(TF_FLOAT, DIMS(-1), memory, 64, release, NULL) == NULL);
  CHECK(TF_NewTensor((TF_DataType)99, DIMS(1), memory, 64, release, NULL) == NULL);
  CHECK(TF_NewTensor(TF_FLOAT, DIMS(k2to40, k2to40), memory, 64, release, NULL) == NULL);
  CHECK(TF_NewTensor(TF_RESOURCE, SCALAR, memory, 64, release, NULL) == NULL);
  CHECK(TF_NewTensor(TF_VARIANT, SCALAR, memory, 64, release, NULL) == NULL);
  CHECK(TF_NewTensor(TF_FLOAT, DIMS(4), NULL, 16, release, NULL) == NULL);
  CHECK_INT(6, released);
  TF_Tensor* t = TF_NewTensor(TF_FLOAT, DIMS(0), NULL, 0, release, NULL);
  REQUIRE(t != NULL);
  CHECK(TF_TensorData(t) != NULL);
  TF_DeleteTensor(t);
  CHECK_INT(7, released);
}

// The number of dimensions is checked before any of them is read.
static void ranks_that_no_shape_has(void) {
  if (on_tensorflow()) return;
  static const int kRanks[] = {255, 1 << 20, INT32_MAX, -1, INT32_MIN};
  const int64_t one = 1;
  TF_Tensor* t = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
  TF_Tensor* to = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
  released = 0;
  for (int i = 0; i < 5; ++i) {
    CHECK(TF_AllocateTensor(TF_FLOAT, &one, kRanks[i], 4) == NULL);
    CHECK(TF_NewTensor(TF_FLOAT, &one, kRanks[i], memory, 4, release, NULL) == NULL);
    TF_SetShape(t, &one, kRanks[i]);
    CHECK_INT(0, TF_NumDims(t));
    TF_TensorBitcastFrom(t, TF_INT32, to, &one, kRanks[i], status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(TF_FLOAT, TF_TensorType(to));
  }
  CHECK_INT(5, released);
  TF_DeleteTensor(t);
  TF_DeleteTensor(to);
}

static void data_type_sizes(void) {
  static const struct {
    TF_DataType type;
    size_t size;
  } kSizes[] = {{TF_FLOAT, 4},      {TF_DOUBLE, 8},     {TF_INT32, 4},          {TF_UINT8, 1},
                {TF_INT16, 2},      {TF_INT8, 1},       {TF_STRING, 0},         {TF_COMPLEX64, 8},
                {TF_INT64, 8},      {TF_BOOL, 1},       {TF_QINT8, 1},          {TF_QUINT8, 1},
                {TF_QINT32, 4},     {TF_BFLOAT16, 2},   {TF_QINT16, 2},         {TF_QUINT16, 2},
                {TF_UINT16, 2},     {TF_COMPLEX128, 16}, {TF_HALF, 2},          {TF_UINT32, 4},
                {TF_UINT64, 8},     {TF_FLOAT8_E5M2, 1}, {TF_FLOAT8_E4M3FN, 1}, {TF_INT4, 1},
                {TF_UINT4, 1},      {TF_FLOAT8_E4M3FNUZ, 1}, {TF_FLOAT8_E4M3B11FNUZ, 1},
                {TF_FLOAT8_E5M2FNUZ, 1}, {TF_INT2, 1},  {TF_UINT2, 1},   {TF_FLOAT4_E2M1FN, 1}};
  for (size_t i = 0; i < sizeof kSizes / sizeof kSizes[0]; ++i) {
    const size_t size = TF_DataTypeSize(kSizes[i].type);
    if (size != kSizes[i].size) fprintf(stderr, "type %d:\n", kSizes[i].type);
    CHECK_INT(kSizes[i].size, size);
  }
  CHECK_INT(0, TF_DataTypeSize(TF_RESOURCE));
  CHECK_INT(0, TF_DataTypeSize(TF_VARIANT));
  CHECK_INT(0, TF_DataTypeSize((TF_DataType)0));
  CHECK_INT(0, TF_DataTypeSize((TF_DataType)99));
}

// ---- shape, sharing, bits -----------------------------------------------------------------------

static void dimensions(void) {
  TF_Tensor* t = TF_AllocateTensor(TF_FLOAT, DIMS(2, 3, 4), 96);
  CHECK_INT(3, TF_NumDims(t));
  CHECK_INT(2, TF_Dim(t, 0));
  CHECK_INT(3, TF_Dim(t, 1));
  CHECK_INT(4, TF_Dim(t, 2));
  if (!on_tensorflow()) {  // ends the process
    CHECK_INT(-1, TF_Dim(t, 3));
    CHECK_INT(-1, TF_Dim(t, -1));
  }
  TF_SetShape(t, DIMS(4, 6));
  CHECK_INT(2, TF_NumDims(t));
  CHECK_INT(6, TF_Dim(t, 1));
  CHECK_INT(24, TF_TensorElementCount(t));
  if (!on_tensorflow()) {
    TF_SetShape(t, DIMS(4, 7));  // more than there is
    TF_SetShape(t, DIMS(-1));
    TF_SetShape(t, NULL, 1);
    CHECK_INT(2, TF_NumDims(t));
    CHECK_INT(24, TF_TensorElementCount(t));
  }
  TF_DeleteTensor(t);
}

// Tensor, handle and what the handle resolves to are one memory.
static void handles_share(void) {
  const float data[] = {1, 2, 3, 4};
  TF_Tensor* t = tensor_of(TF_FLOAT, data, DIMS(2, 2));
  TFE_TensorHandle* h = TFE_NewTensorHandle(t, status);
  TF_Tensor* a = TFE_TensorHandleResolve(h, status);
  TF_Tensor* b = TFE_TensorHandleResolve(h, status);
  CHECK(a != b);
  CHECK(TF_TensorData(a) == TF_TensorData(t) && TF_TensorData(b) == TF_TensorData(t));
  ((float*)TF_TensorData(t))[0] = 42;
  CHECK_FLOATS(h, 42, 2, 3, 4);
  // A shape belongs to the tensor that it was given to.
  TF_SetShape(a, DIMS(4));
  CHECK_INT(2, TF_NumDims(b));
  CHECK_INT(2, TFE_TensorHandleNumDims(h, status));
  TF_DeleteTensor(t);
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  CHECK_FLOATS(h, 42, 2, 3, 4);
  TFE_DeleteTensorHandle(h);
}

static void maybe_move(void) {
  const float data[] = {1, 2, 3, 4};
  TF_Tensor* t = tensor_of(TF_FLOAT, data, DIMS(4));
  void* elements = TF_TensorData(t);
  TFE_TensorHandle* h = TFE_NewTensorHandle(t, status);
  CHECK(TF_TensorMaybeMove(t) == NULL);  // the handle shares them
  CHECK(TF_TensorData(t) == elements);
  TFE_DeleteTensorHandle(h);
  TF_Tensor* moved = TF_TensorMaybeMove(t);
  REQUIRE(moved != NULL);
  CHECK(moved == t || TF_TensorData(moved) == elements);
  if (moved != t) TF_DeleteTensor(t);
  CHECK(TF_TensorData(moved) == elements);
  TF_DeleteTensor(moved);
}

static void bitcast(void) {
  const float data[] = {1, 2};
  TF_Tensor* from = tensor_of(TF_FLOAT, data, DIMS(2));
  TF_Tensor* to = TF_AllocateTensor(TF_INT8, SCALAR, 1);
  TF_TensorBitcastFrom(from, TF_INT32, to, DIMS(1, 2), status);
  CHECK_OK(status);
  CHECK_INT(TF_INT32, TF_TensorType(to));
  CHECK_INT(2, TF_NumDims(to));
  CHECK(TF_TensorData(to) == TF_TensorData(from));
  CHECK_INT(0x3f800000, ((int32_t*)TF_TensorData(to))[0]);
  TF_TensorBitcastFrom(from, TF_UINT8, to, DIMS(8), status);
  CHECK_OK(status);
  CHECK_INT(8, TF_TensorElementCount(to));
  TF_TensorBitcastFrom(from, TF_UINT8, to, DIMS(5), status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_INT(8, TF_TensorElementCount(to));
  if (!on_tensorflow()) {
    TF_TensorBitcastFrom(from, TF_UINT8, to, DIMS(-8), status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    TF_TensorBitcastFrom(from, (TF_DataType)99, to, DIMS(2), status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    TF_TensorBitcastFrom(from, TF_RESOURCE, to, DIMS(1), status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  TF_DeleteTensor(from);
  TF_DeleteTensor(to);

  // Strings are no bits.
  if (!on_tensorflow()) {
    TF_Tensor* string = TF_AllocateTensor(TF_STRING, SCALAR, 24);
    TF_Tensor* bytes = TF_AllocateTensor(TF_UINT8, DIMS(24), 24);
    TF_TensorBitcastFrom(string, TF_UINT8, bytes, DIMS(24), status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    TF_TensorBitcastFrom(bytes, TF_STRING, string, SCALAR, status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    TF_DeleteTensor(string);
    TF_DeleteTensor(bytes);
  }
}

// A handle keeps the shape, whatever it is.
static void handle_shapes(void) {
  TFE_TensorHandle* h = handle_of(TF_FLOAT, (const float[6]){0}, DIMS(3, 1, 2));
  CHECK_INT(3, TFE_TensorHandleNumDims(h, status));
  CHECK_OK(status);
  CHECK_INT(6, TFE_TensorHandleNumElements(h, status));
  CHECK_OK(status);
  CHECK_INT(1, TFE_TensorHandleDim(h, 1, status));
  CHECK_OK(status);
  if (!on_tensorflow()) {
    CHECK_INT(-1, TFE_TensorHandleDim(h, 3, status));
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(-1, TFE_TensorHandleDim(h, -1, status));
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  TFE_DeleteTensorHandle(h);

  h = handle_of(TF_DOUBLE, NULL, DIMS(0, 5));
  CHECK_INT(2, TFE_TensorHandleNumDims(h, status));
  CHECK_INT(0, TFE_TensorHandleNumElements(h, status));
  CHECK_INT(5, TFE_TensorHandleDim(h, 1, status));
  TF_Tensor* t = TFE_TensorHandleResolve(h, status);
  CHECK_OK(status);
  CHECK(TF_TensorData(t) != NULL);
  CHECK_INT(0, TF_TensorByteSize(t));
  TF_DeleteTensor(t);
  TFE_DeleteTensorHandle(h);

  h = float_scalar(1);
  CHECK_INT(0, TFE_TensorHandleNumDims(h, status));
  CHECK_INT(1, TFE_TensorHandleNumElements(h, status));
  if (!on_tensorflow()) {
    CHECK_INT(-1, TFE_TensorHandleDim(h, 0, status));
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
  }
  TFE_DeleteTensorHandle(h);
}

// A resource handle can go through a tensor and back.
static void resource_round_trip(void) {
  TFE_Context* ctx = new_context();
  TFE_TensorHandle* variable = variable_handle(ctx, "v", TF_FLOAT);
  TFE_TensorHandle* value = float_scalar(3);
  assign_variable(ctx, variable, value);
  CHECK_OK(status);
  TF_Tensor* t = TFE_TensorHandleResolve(variable, status);
  CHECK_OK(status);
  CHECK_INT(TF_RESOURCE, TF_TensorType(t));
  CHECK_INT(1, TF_TensorElementCount(t));
  CHECK(TF_TensorByteSize(t) >= sizeof(void*));
  TFE_DeleteTensorHandle(variable);
  TFE_TensorHandle* again = TFE_NewTensorHandle(t, status);
  CHECK_OK(status);
  TF_DeleteTensor(t);
  TFE_TensorHandle* read = read_variable(ctx, again, TF_FLOAT);
  CHECK_OK(status);
  CHECK_FLOATS(read, 3);
  TFE_DeleteTensorHandle(read);
  TFE_DeleteTensorHandle(again);
  TFE_DeleteTensorHandle(value);
  TFE_DeleteContext(ctx);
}

int main(void) {
  status = TF_NewStatus();
  RUN(caller_memory_in_place);
  RUN(caller_memory_unaligned);
  RUN(caller_memory_shared);
  RUN(caller_memory_in_variables);
  RUN(released_by_updates);
  RUN(caller_memory_refused);
  RUN(caller_memory_is_not_written);
  RUN(no_deallocator);
  RUN(allocate);
  RUN(cannot_be_made);
  RUN(ranks_that_no_shape_has);
  RUN(data_type_sizes);
  RUN(dimensions);
  RUN(handles_share);
  RUN(maybe_move);
  RUN(bitcast);
  RUN(handle_shapes);
  RUN(resource_round_trip);
  TF_DeleteStatus(status);
  return check_result("tensors");
}
