// What the test programs share. A program that is built for both forms of the API calls the functions
// here where the forms differ.
#ifndef TFE_TESTS_API_H_
#define TFE_TESTS_API_H_

#include "check.h"
#include "pb.h"
#include "tensorflow/c/eager/c_api.h"

// The status that the helpers below use and leave set; each thread makes its own.
static _Thread_local TF_Status* status;

#ifdef TFE_API_2017
#define API_NAME "2017"
#else
#define API_NAME "2.21"
#endif

// ---- where the forms differ ---------------------------------------------------------------------

static inline TFE_Context* new_context(void) {
#ifdef TFE_API_2017
  TF_SessionOptions* options = TF_NewSessionOptions();
  TFE_Context* ctx = TFE_NewContext(options, status);
  TF_DeleteSessionOptions(options);
#else
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_Context* ctx = TFE_NewContext(options, status);
  TFE_DeleteContextOptions(options);
#endif
  REQUIRE_OK(status);
  REQUIRE(ctx != NULL);
  return ctx;
}

static inline void delete_context(TFE_Context* ctx) {
#ifdef TFE_API_2017
  TFE_DeleteContext(ctx, status);
  CHECK_OK(status);
#else
  TFE_DeleteContext(ctx);
#endif
}

static inline TFE_TensorHandle* new_handle(TF_Tensor* t) {
#ifdef TFE_API_2017
  return TFE_NewTensorHandle(t);
#else
  return TFE_NewTensorHandle(t, status);
#endif
}

static inline int handle_num_dims(TFE_TensorHandle* h) {
#ifdef TFE_API_2017
  return TFE_TensorHandleNumDims(h);
#else
  return TFE_TensorHandleNumDims(h, status);
#endif
}

static inline int64_t handle_dim(TFE_TensorHandle* h, int index) {
#ifdef TFE_API_2017
  return TFE_TensorHandleDim(h, index);
#else
  return TFE_TensorHandleDim(h, index, status);
#endif
}

static inline const char* handle_device(TFE_TensorHandle* h) {
#ifdef TFE_API_2017
  return TFE_TensorHandleDeviceName(h);
#else
  return TFE_TensorHandleDeviceName(h, status);
#endif
}

static inline void set_device(TFE_Op* op, TFE_Context* ctx, const char* name) {
#ifdef TFE_API_2017
  TFE_OpSetDevice(op, ctx, name, status);
#else
  (void)ctx;
  TFE_OpSetDevice(op, name, status);
#endif
}

static inline void set_attr_string(TFE_Op* op, const char* attr, const char* value) {
#ifdef TFE_API_2017
  TFE_OpSetAttrString(op, attr, value);
#else
  TFE_OpSetAttrString(op, attr, value, strlen(value));
#endif
}

static inline void set_attr_strings(TFE_Op* op, const char* attr, const char** values, int n) {
#ifdef TFE_API_2017
  TFE_OpSetAttrStringList(op, attr, values, n);
#else
  size_t lengths[16];
  for (int i = 0; i < n; ++i) lengths[i] = strlen(values[i]);
  TFE_OpSetAttrStringList(op, attr, (const void* const*)values, lengths, n);
#endif
}

// ---- values -------------------------------------------------------------------------------------

#define DIMS(...) \
  (const int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define SCALAR NULL, 0

static inline TF_Tensor* tensor_of(TF_DataType type, const void* data, const int64_t* dims,
                                   int num_dims) {
  size_t bytes = TF_DataTypeSize(type);
  for (int i = 0; i < num_dims; ++i) bytes *= (size_t)dims[i];
  TF_Tensor* t = TF_AllocateTensor(type, dims, num_dims, bytes);
  REQUIRE(t != NULL);
  if (bytes != 0) memcpy(TF_TensorData(t), data, bytes);
  return t;
}

static inline TFE_TensorHandle* handle_of(TF_DataType type, const void* data, const int64_t* dims,
                                          int num_dims) {
  TF_Tensor* t = tensor_of(type, data, dims, num_dims);
  TFE_TensorHandle* h = new_handle(t);
  TF_DeleteTensor(t);
  REQUIRE(h != NULL);
  return h;
}

static inline TFE_TensorHandle* float_scalar(float x) { return handle_of(TF_FLOAT, &x, SCALAR); }
static inline TFE_TensorHandle* int32_scalar(int32_t x) { return handle_of(TF_INT32, &x, SCALAR); }

// [[1, 2], [3, 4]]
static inline TFE_TensorHandle* matrix(void) {
  const float data[] = {1, 2, 3, 4};
  return handle_of(TF_FLOAT, data, DIMS(2, 2));
}

// Checks that a handle holds these floats, in this number.
static inline void check_floats(TFE_TensorHandle* h, const float* want, int n, const char* file,
                                int line) {
  if (!check_that(h != NULL, file, line, "there is a handle")) return;
  check_int(TF_FLOAT, TFE_TensorHandleDataType(h), file, line, "type");
  TF_Tensor* t = TFE_TensorHandleResolve(h, status);
  check_code(TF_OK, status, file, line);
  if (t == NULL) return;
  check_int(n * (int)sizeof(float), (int64_t)TF_TensorByteSize(t), file, line, "byte size");
  if (TF_TensorByteSize(t) == n * sizeof(float)) {
    for (int i = 0; i < n; ++i) {
      const float got = ((const float*)TF_TensorData(t))[i];
      char text[100];
      snprintf(text, sizeof text, "element %d is %g, want %g", i, got, want[i]);
      check_that(got == want[i], file, line, text);
    }
  }
  TF_DeleteTensor(t);
}
#define CHECK_FLOATS(h, ...) \
  check_floats((h), (const float[]){__VA_ARGS__}, \
               (int)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)), __FILE__, __LINE__)

// ---- ops ----------------------------------------------------------------------------------------

static inline TFE_Op* new_op(TFE_Context* ctx, const char* name) {
  TFE_Op* op = TFE_NewOp(ctx, name, status);
  REQUIRE_OK(status);
  return op;
}

static inline void add_input(TFE_Op* op, TFE_TensorHandle* h) {
  TFE_OpAddInput(op, h, status);
  CHECK_OK(status);
}

// Executes an op that has one result; NULL with `status` set after an error.
static inline TFE_TensorHandle* execute(TFE_Op* op) {
  TFE_TensorHandle* result = NULL;
  int n = 1;
  TFE_Execute(op, &result, &n, status);
  if (TF_GetCode(status) == TF_OK) CHECK_INT(1, n);
  return result;
}

// Executes an op without results.
static inline void execute_void(TFE_Op* op) {
  int n = 0;
  TFE_Execute(op, NULL, &n, status);
  CHECK_INT(0, n);
}

// Executes an op of one result on two inputs, which must succeed.
static inline TFE_TensorHandle* execute_on(TFE_Op* op, TFE_TensorHandle* a, TFE_TensorHandle* b) {
  add_input(op, a);
  add_input(op, b);
  TFE_TensorHandle* result = execute(op);
  CHECK_OK(status);
  return result;
}

// A new op of two inputs, executed and deleted.
static inline TFE_TensorHandle* binary(TFE_Context* ctx, const char* name, TFE_TensorHandle* a,
                                       TFE_TensorHandle* b) {
  TFE_Op* op = new_op(ctx, name);
  add_input(op, a);
  add_input(op, b);
  TFE_TensorHandle* result = execute(op);
  TFE_DeleteOp(op);
  return result;
}

static inline TFE_TensorHandle* unary(TFE_Context* ctx, const char* name, TFE_TensorHandle* a) {
  TFE_Op* op = new_op(ctx, name);
  add_input(op, a);
  TFE_TensorHandle* result = execute(op);
  TFE_DeleteOp(op);
  return result;
}

// The product of a and b, ready to be executed.
static inline TFE_Op* matmul_op(TFE_Context* ctx, TFE_TensorHandle* a, TFE_TensorHandle* b) {
  TFE_Op* op = new_op(ctx, "MatMul");
  add_input(op, a);
  add_input(op, b);
  TFE_OpSetAttrBool(op, "transpose_a", 0);
  TFE_OpSetAttrBool(op, "transpose_b", 0);
  TFE_OpSetAttrType(op, "T", TFE_TensorHandleDataType(a));
  return op;
}

// ---- variables ----------------------------------------------------------------------------------

static inline TFE_TensorHandle* variable_handle(TFE_Context* ctx, const char* name,
                                                TF_DataType type) {
  TFE_Op* op = new_op(ctx, "VarHandleOp");
  TFE_OpSetAttrType(op, "dtype", type);
  TFE_OpSetAttrShape(op, "shape", NULL, -1, status);
  CHECK_OK(status);
  set_attr_string(op, "container", "");
  set_attr_string(op, "shared_name", name);
  TFE_TensorHandle* handle = execute(op);
  TFE_DeleteOp(op);
  REQUIRE_OK(status);
  return handle;
}

// Leaves `status` to be looked at.
static inline void assign_variable(TFE_Context* ctx, TFE_TensorHandle* variable,
                                   TFE_TensorHandle* value) {
  TFE_Op* op = new_op(ctx, "AssignVariableOp");
  TFE_OpSetAttrType(op, "dtype", TFE_TensorHandleDataType(value));
  add_input(op, variable);
  add_input(op, value);
  execute_void(op);
  TFE_DeleteOp(op);
}

static inline TFE_TensorHandle* read_variable(TFE_Context* ctx, TFE_TensorHandle* variable,
                                              TF_DataType type) {
  TFE_Op* op = new_op(ctx, "ReadVariableOp");
  TFE_OpSetAttrType(op, "dtype", type);
  add_input(op, variable);
  TFE_TensorHandle* value = execute(op);
  TFE_DeleteOp(op);
  return value;
}

// ---- functions ----------------------------------------------------------------------------------

// name(a: float) -> (m: float): the product of a with itself.
static inline Pb matmul_function(const char* name, const char* value) {
  Function f = fn_new(name);
  fn_input(&f, "a", TF_FLOAT);
  fn_output(&f, "m", TF_FLOAT);
  fn_node(&f, "matmul", "MatMul", "a a");
  fn_attr_type(&f, "T", TF_FLOAT);
  fn_return(&f, "m", value);
  return fn_done(&f);
}

// Adds a function and frees its definition; leaves `status` to be looked at.
static inline void add_function(TFE_Context* ctx, Pb def) {
  TFE_ContextAddFunctionDef(ctx, def.data, def.size, status);
  pb_free(&def);
}

// The same for what must succeed.
static inline void define_function(TFE_Context* ctx, Function* f) {
  add_function(ctx, fn_done(f));
  CHECK_OK(status);
}
static inline void remove_function(TFE_Context* ctx, const char* name) {
  TFE_ContextRemoveFunction(ctx, name, status);
  CHECK_OK(status);
}

// Calls a function of one result and up to two inputs; leaves `status` to be looked at.
static inline TFE_TensorHandle* call1(TFE_Context* ctx, const char* name, TFE_TensorHandle* a,
                                      TFE_TensorHandle* b) {
  TFE_Op* op = new_op(ctx, name);
  if (a != NULL) add_input(op, a);
  if (b != NULL) add_input(op, b);
  TFE_TensorHandle* result = execute(op);
  TFE_DeleteOp(op);
  return result;
}

#endif  // TFE_TESTS_API_H_
