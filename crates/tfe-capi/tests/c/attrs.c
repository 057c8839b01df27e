// Attrs of ops: kinds, setters, which value counts.
#include "api.h"

static TFE_Context* ctx;

static void kinds(void) {
  static const struct {
    const char *op, *attr;
    TF_AttrType kind;
    int is_list;
  } kAttrs[] = {
      {"MatMul", "T", TF_ATTR_TYPE, 0},
      {"MatMul", "transpose_a", TF_ATTR_BOOL, 0},
      {"MatMul", "grad_b", TF_ATTR_BOOL, 0},
      {"AddV2", "T", TF_ATTR_TYPE, 0},
      {"Sum", "keep_dims", TF_ATTR_BOOL, 0},
      {"Sum", "Tidx", TF_ATTR_TYPE, 0},
      {"Cast", "SrcT", TF_ATTR_TYPE, 0},
      {"Cast", "Truncate", TF_ATTR_BOOL, 0},
      {"ConcatV2", "N", TF_ATTR_INT, 0},
      {"StridedSlice", "begin_mask", TF_ATTR_INT, 0},
      {"TopKV2", "sorted", TF_ATTR_BOOL, 0},
      {"StringJoin", "separator", TF_ATTR_STRING, 0},
      {"Const", "value", TF_ATTR_TENSOR, 0},
      {"Const", "dtype", TF_ATTR_TYPE, 0},
      {"VarHandleOp", "shape", TF_ATTR_SHAPE, 0},
      {"VarHandleOp", "shared_name", TF_ATTR_STRING, 0},
      {"VarHandleOp", "allowed_devices", TF_ATTR_STRING, 1},
      // Ops of other kinds: their attrs are known whether or not they can run.
      {"Squeeze", "squeeze_dims", TF_ATTR_INT, 1},
      {"Bucketize", "boundaries", TF_ATTR_FLOAT, 1},
      {"IdentityN", "T", TF_ATTR_TYPE, 1},
      {"If", "output_shapes", TF_ATTR_SHAPE, 1},
      {"If", "then_branch", TF_ATTR_FUNC, 0},
      {"Case", "branches", TF_ATTR_FUNC, 1},
      {"LRN", "bias", TF_ATTR_FLOAT, 0},
      {"Split", "num_split", TF_ATTR_INT, 0},
      {"DataFormatVecPermute", "src_format", TF_ATTR_STRING, 0},
      {"_Arg", "index", TF_ATTR_INT, 0},
  };
  for (size_t i = 0; i < sizeof kAttrs / sizeof kAttrs[0]; ++i) {
    unsigned char is_list = 7;
    TF_AttrType kind =
        TFE_OpNameGetAttrType(ctx, kAttrs[i].op, kAttrs[i].attr, &is_list, status);
    CHECK_OK(status);
    CHECK_INT(kAttrs[i].kind, kind);
    CHECK_INT(kAttrs[i].is_list, is_list);
    TFE_Op* op = new_op(ctx, kAttrs[i].op);
    is_list = 7;
    kind = TFE_OpGetAttrType(op, kAttrs[i].attr, &is_list, status);
    CHECK_OK(status);
    CHECK_INT(kAttrs[i].kind, kind);
    CHECK_INT(kAttrs[i].is_list, is_list);
    is_list = 7;
    TFE_OpGetAttrType(op, "bogus", &is_list, status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK_INT(7, is_list);
    TFE_DeleteOp(op);
  }
  unsigned char is_list = 7;
  TFE_OpNameGetAttrType(ctx, "NoSuchOp", "T", &is_list, status);
  CHECK_CODE(TF_NOT_FOUND, status);
  CHECK_INT(7, is_list);
}

// Each setter, on an attr of another kind: the first to be seen by Execute.
enum { kSetters = 17 };
static void set_by(int which, TFE_Op* op, const char* attr) {
  static const int64_t ints[] = {1, 2};
  static const int64_t* shapes[] = {ints, NULL};
  static const int ranks[] = {2, -1};
  static const float floats[] = {1, 2};
  static const unsigned char bools[] = {1, 0};
  static const TF_DataType types[] = {TF_FLOAT, TF_INT32};
  static const void* const texts[] = {"a", "bc"};
  static const size_t lengths[] = {1, 2};
  TFE_Op* matmul;
  TF_Tensor* tensor;
  TF_SetStatus(status, TF_OK, "");
  switch (which) {
    case 0: TFE_OpSetAttrString(op, attr, "text", 4); break;
    case 1: TFE_OpSetAttrInt(op, attr, 1); break;
    case 2: TFE_OpSetAttrFloat(op, attr, 1); break;
    case 3: TFE_OpSetAttrType(op, attr, TF_FLOAT); break;
    case 4: TFE_OpSetAttrShape(op, attr, ints, 2, status); break;
    case 5: TFE_OpSetAttrShape(op, attr, NULL, -1, status); break;
    case 6:
      tensor = tensor_of(TF_FLOAT, floats, DIMS(2));
      TFE_OpSetAttrTensor(op, attr, tensor, status);
      TF_DeleteTensor(tensor);
      break;
    case 7:
      matmul = new_op(ctx, "Fn");
      TFE_OpSetAttrFunction(op, attr, matmul);
      TFE_DeleteOp(matmul);
      break;
    case 8: TFE_OpSetAttrFunctionName(op, attr, "Fn", 2); break;
    case 9: TFE_OpSetAttrStringList(op, attr, texts, lengths, 2); break;
    case 10: TFE_OpSetAttrIntList(op, attr, ints, 2); break;
    case 11: TFE_OpSetAttrFloatList(op, attr, floats, 2); break;
    case 12: TFE_OpSetAttrBoolList(op, attr, bools, 2); break;
    case 13: TFE_OpSetAttrTypeList(op, attr, types, 2); break;
    case 14: TFE_OpSetAttrShapeList(op, attr, shapes, ranks, 2, status); break;
    case 15:
      matmul = new_op(ctx, "Fn");
      TFE_OpSetAttrFunctionList(op, attr, (const TFE_Op*[]){matmul, matmul}, 2);
      TFE_DeleteOp(matmul);
      break;
    case 16: TFE_OpSetAttrBool(op, attr, 1); break;
  }
  CHECK_OK(status);
}

static void setters(void) {
  TFE_TensorHandle* m = matrix();
  add_function(ctx, matmul_function("Fn", "matmul:product:0"));
  REQUIRE_OK(status);
  for (int i = 0; i < kSetters; ++i) {
    // Of a wrong kind. (An int list of no elements and the like would be a list of any kind.)
    TFE_Op* op = new_op(ctx, "MatMul");
    set_by(i, op, "transpose_a");
    add_input(op, m);
    add_input(op, m);
    TFE_TensorHandle* product = execute(op);
    if ((i == kSetters - 1) != (product != NULL)) fprintf(stderr, "setter %d:\n", i);
    CHECK_CODE(i == kSetters - 1 ? TF_OK : TF_INVALID_ARGUMENT, status);
    CHECK((product != NULL) == (i == kSetters - 1));
    TFE_DeleteTensorHandle(product);
    TFE_DeleteOp(op);

    // Of an attr that there is not: ignored.
    op = new_op(ctx, "MatMul");
    set_by(i, op, "bogus");
    add_input(op, m);
    add_input(op, m);
    product = execute(op);
    CHECK_OK(status);
    CHECK_FLOATS(product, 7, 10, 15, 22);
    TFE_DeleteTensorHandle(product);
    TFE_DeleteOp(op);
  }
  TFE_ContextRemoveFunction(ctx, "Fn", status);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(m);
}

// Lists of no elements, and NULL where there is nothing to point to.
static void empty_values(void) {
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "MatMul");
  TFE_OpSetAttrStringList(op, "bogus1", NULL, NULL, 0);
  TFE_OpSetAttrIntList(op, "bogus2", NULL, 0);
  TFE_OpSetAttrFloatList(op, "bogus3", NULL, 0);
  TFE_OpSetAttrBoolList(op, "bogus4", NULL, 0);
  TFE_OpSetAttrTypeList(op, "bogus5", NULL, 0);
  TFE_OpSetAttrShapeList(op, "bogus6", NULL, NULL, 0, status);
  CHECK_OK(status);
  TFE_OpSetAttrFunctionList(op, "bogus7", NULL, 0);
  TFE_OpSetAttrString(op, "bogus8", NULL, 0);
  TFE_OpSetAttrShape(op, "bogus9", NULL, 0, status);
  CHECK_OK(status);
  add_input(op, m);
  add_input(op, m);
  TFE_TensorHandle* product = execute(op);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);

  op = new_op(ctx, "VarHandleOp");
  TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  TFE_OpSetAttrShape(op, "shape", NULL, 0, status);
  TFE_OpSetAttrString(op, "shared_name", NULL, 0);
  TFE_OpSetAttrStringList(op, "allowed_devices", NULL, NULL, 0);
  TFE_TensorHandle* handle = execute(op);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(handle);
  TFE_DeleteOp(op);
}

static void shape_ranks(void) {
  int64_t dims[255];
  for (int i = 0; i < 255; ++i) dims[i] = 1;
  TFE_Op* op = new_op(ctx, "VarHandleOp");
  TFE_OpSetAttrShape(op, "shape", dims, 255, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  const int64_t* shapes[] = {dims, dims};
  const int ranks[] = {3, 255};
  TFE_OpSetAttrShapeList(op, "shape", shapes, ranks, 2, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_OpSetAttrShape(op, "shape", dims, 254, status);
  if (!on_tensorflow()) CHECK_OK(status);  // TensorFlow leaves the status as it was
  TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  TFE_TensorHandle* handle = execute(op);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(handle);
  TFE_DeleteOp(op);
}

// ---- which value counts -------------------------------------------------------------------------

static void first_value_counts(void) {
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "MatMul");
  TFE_OpSetAttrBool(op, "transpose_a", 1);
  TFE_OpSetAttrBool(op, "transpose_a", 0);
  TFE_OpSetAttrInt(op, "transpose_a", 0);  // of a wrong kind, and too late as well
  TFE_TensorHandle* product = execute_on(op, m, m);
  CHECK_FLOATS(product, 10, 14, 14, 20);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteOp(op);

  // What the inputs tell counts as set.
  op = new_op(ctx, "MatMul");
  add_input(op, m);
  TFE_OpSetAttrType(op, "T", TF_DOUBLE);
  add_input(op, m);
  product = execute(op);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
}

// Each combination of attrs gives its own result, however often the others ran: no kernel is taken for
// another.
static void attrs_tell_kernels_apart(void) {
  static const float kProducts[4][4] = {
      {7, 10, 15, 22}, {10, 14, 14, 20}, {5, 11, 11, 25}, {7, 15, 10, 22}};
  TFE_TensorHandle* m = matrix();
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 4; ++i) {
      TFE_Op* op = new_op(ctx, "MatMul");
      if (i & 1 || turn == 1) TFE_OpSetAttrBool(op, "transpose_a", i & 1);
      if (i & 2 || turn == 1) TFE_OpSetAttrBool(op, "transpose_b", (unsigned char)(i & 2));
      if (turn == 2) TFE_OpSetAttrType(op, "T", TF_FLOAT);
      TFE_TensorHandle* product = execute_on(op, m, m);
      check_floats(product, kProducts[i], 4, __FILE__, __LINE__);
      TFE_DeleteTensorHandle(product);
      TFE_DeleteOp(op);
    }
  }
  TFE_DeleteTensorHandle(m);

  // Types as well: the sum of the same numbers, as float and as int32.
  for (int turn = 0; turn < 2; ++turn) {
    TFE_TensorHandle *f = float_scalar(1.5f), *i = int32_scalar(3);
    TFE_TensorHandle *ff = binary(ctx, "AddV2", f, f), *ii = binary(ctx, "AddV2", i, i);
    CHECK_FLOATS(ff, 3);
    CHECK_INT(TF_INT32, TFE_TensorHandleDataType(ii));
    TFE_DeleteTensorHandle(f);
    TFE_DeleteTensorHandle(i);
    TFE_DeleteTensorHandle(ff);
    TFE_DeleteTensorHandle(ii);
  }
}

// Names and values are copied: the caller's memory is free after each call.
static void names_are_copied(void) {
  char name[] = "MatMul", attr[] = "transpose_a", device[] = "/device:CPU:0";
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = TFE_NewOp(ctx, name, status);
  REQUIRE_OK(status);
  memset(name, 'x', strlen(name));
  TFE_OpSetAttrBool(op, attr, 1);
  memset(attr, 'x', strlen(attr));
  TFE_OpSetDevice(op, device, status);
  memset(device, 'x', strlen(device));
  CHECK_STR("MatMul", TFE_OpGetName(op, status));
  CHECK_STR("/device:CPU:0", TFE_OpGetDevice(op, status));
  TFE_TensorHandle* product = execute_on(op, m, m);
  CHECK_FLOATS(product, 10, 14, 14, 20);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);

  // The tensor of an attr too.
  float data[] = {1, 2};
  TF_Tensor* t = tensor_of(TF_FLOAT, data, DIMS(2));
  op = new_op(ctx, "Const");
  TFE_OpSetAttrTensor(op, "value", t, status);
  CHECK_OK(status);
  TFE_OpSetAttrType(op, "dtype", TF_FLOAT);
  ((float*)TF_TensorData(t))[0] = 99;
  TF_DeleteTensor(t);
  TFE_TensorHandle* constant = execute(op);
  CHECK_OK(status);
  CHECK_FLOATS(constant, 1, 2);
  TFE_DeleteTensorHandle(constant);
  TFE_DeleteOp(op);
}

// A string attr has a length, and may hold any byte.
static void string_attrs(void) {
  static const struct {
    const char* bytes;
    size_t length;
  } kSeparators[] = {{"", 0}, {"-", 1}, {"a\0b", 3}, {"cut", 1}, {"0123456789012345678901234567890", 31}};
  for (size_t i = 0; i < sizeof kSeparators / sizeof kSeparators[0]; ++i) {
    TF_Tensor* t = TF_AllocateTensor(TF_STRING, SCALAR, sizeof(TF_TString));
    TF_TString_Init(TF_TensorData(t));
    TF_TString_Copy(TF_TensorData(t), "x", 1);
    TFE_TensorHandle* x = TFE_NewTensorHandle(t, status);
    TF_DeleteTensor(t);
    TFE_Op* op = new_op(ctx, "StringJoin");
    TFE_OpAddInputList(op, (TFE_TensorHandle*[]){x, x, x}, 3, status);
    CHECK_OK(status);
    TFE_OpSetAttrString(op, "separator", kSeparators[i].bytes, kSeparators[i].length);
    TFE_TensorHandle* joined = execute(op);
    REQUIRE_OK(status);
    TFE_DeleteOp(op);
    t = TFE_TensorHandleResolve(joined, status);
    const size_t n = kSeparators[i].length;
    const char* bytes = TF_TString_GetDataPointer(TF_TensorData(t));
    CHECK_INT(3 + 2 * n, TF_TString_GetSize(TF_TensorData(t)));
    CHECK(bytes[0] == 'x' && bytes[1 + n] == 'x' && bytes[2 + 2 * n] == 'x');
    CHECK(memcmp(bytes + 1, kSeparators[i].bytes, n) == 0);
    TF_DeleteTensor(t);
    TFE_DeleteTensorHandle(joined);
    TFE_DeleteTensorHandle(x);
  }
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(kinds);
  RUN(setters);
  RUN(empty_values);
  RUN(shape_ranks);
  RUN(first_value_counts);
  RUN(attrs_tell_kernels_apart);
  RUN(names_are_copied);
  RUN(string_attrs);
  TFE_DeleteContext(ctx);
  TF_DeleteStatus(status);
  return check_result("attrs");
}
