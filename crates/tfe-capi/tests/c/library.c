// What the library says of itself: version, ops, kernels.
#include "api.h"
#include "tensorflow/c/c_api_experimental.h"

// A part of a message: field number, and the bytes of a length-delimited value.
typedef struct Field {
  int number;
  const unsigned char* bytes;
  size_t size;
} Field;

// The next field of `from`; the number is 0 at the end. Values that are numbers have no bytes.
static Field next_field(Field* from) {
  Field field = {0, NULL, 0};
  uint64_t values[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    for (int shift = 0; from->size > 0; shift += 7) {
      const unsigned char byte = *from->bytes;
      ++from->bytes, --from->size;
      values[i] |= (uint64_t)(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (values[0] == 0) return field;
  }
  field.number = (int)(values[0] >> 3);
  if ((values[0] & 7) == 2) {
    REQUIRE(values[1] <= from->size);
    field.bytes = from->bytes;
    field.size = (size_t)values[1];
    from->bytes += field.size;
    from->size -= field.size;
  }
  return field;
}

static bool is_text(Field field, const char* text) {
  return field.size == strlen(text) && memcmp(field.bytes, text, field.size) == 0;
}

// What a KernelList says of an op's kernels on the CPU.
typedef struct Kernels {
  int count;      // of all ops
  int of_op;
  bool has_type;  // one of them takes the type for the attr
  bool has_host;  // one of them keeps the argument in host memory
} Kernels;

static bool allows(Field constraint, const char* attr, TF_DataType type) {
  bool is_it = false;
  for (Field f = next_field(&constraint); f.number != 0; f = next_field(&constraint)) {
    if (f.number == 1) is_it = is_text(f, attr);
    if (f.number != 2 || !is_it) continue;
    // AttrValue {list {type: [...]}}, packed
    Field list = next_field(&f);
    CHECK_INT(1, list.number);
    Field types = next_field(&list);
    CHECK_INT(6, types.number);
    for (size_t i = 0; i < types.size; ++i) {
      if (types.bytes[i] == (unsigned char)type) return true;
    }
  }
  return false;
}

static Kernels kernels(TF_Buffer* buffer, const char* op, const char* attr, TF_DataType type,
                       const char* host) {
  Kernels found = {0, 0, false, false};
  REQUIRE(buffer != NULL);
  Field list = {0, buffer->data, buffer->length};
  for (Field kernel = next_field(&list); kernel.number == 1; kernel = next_field(&list)) {
    ++found.count;
    bool is_it = false;
    for (Field f = next_field(&kernel); f.number != 0; f = next_field(&kernel)) {
      if (f.number == 1) is_it = is_text(f, op);
      if (f.number == 1) found.of_op += is_it;
      if (f.number == 3 && is_it) found.has_type |= allows(f, attr, type);
      if (f.number == 4 && is_it) found.has_host |= is_text(f, host);
    }
  }
  TF_DeleteBuffer(buffer);
  return found;
}

static Kernels of_op(const char* op, const char* attr, TF_DataType type, const char* host) {
  TF_Buffer* buffer = TF_GetRegisteredKernelsForOp(op, status);
  CHECK_OK(status);
  const Kernels found = kernels(buffer, op, attr, type, host);
  CHECK_INT(found.count, found.of_op);
  return found;
}

static void kernels_of_ops(void) {
  CHECK(of_op("MatMul", "T", TF_FLOAT, "").has_type);
  CHECK(of_op("MatMul", "T", TF_COMPLEX128, "").has_type);
  CHECK(!of_op("MatMul", "T", TF_STRING, "").has_type);
  CHECK(of_op("TopKV2", "index_type", TF_INT64, "").has_type);
  CHECK(!of_op("TopKV2", "index_type", TF_FLOAT, "").has_type);
  CHECK(of_op("NoOp", "", TF_FLOAT, "").count > 0);
  CHECK_INT(0, of_op("NoSuchOp", "", TF_FLOAT, "").count);
  CHECK_INT(0, of_op("", "", TF_FLOAT, "").count);
}

static void all_kernels(void) {
  const Kernels of_matmul = of_op("MatMul", "T", TF_FLOAT, "");
  TF_Buffer* buffer = TF_GetAllRegisteredKernels(status);
  CHECK_OK(status);
  const Kernels all = kernels(buffer, "MatMul", "T", TF_FLOAT, "");
  CHECK_INT(of_matmul.count, all.of_op);
  CHECK(all.has_type);
  CHECK(all.count > all.of_op);
}

// Every kernel's op is in the list of ops.
static void ops(void) {
  TF_Buffer* buffer = TF_GetAllOpList();
  REQUIRE(buffer != NULL);
  int count = 0;
  Field list = {0, buffer->data, buffer->length};
  for (Field op = next_field(&list); op.number == 1; op = next_field(&list)) ++count;
  CHECK(count >= 1799);
  TF_DeleteBuffer(buffer);
  CHECK_STR("2.21.0", TF_Version());
}

static void stateful_ops(void) {
  CHECK_INT(1, TF_OpIsStateful("VarHandleOp", status));
  CHECK_OK(status);
  CHECK_INT(0, TF_OpIsStateful("MatMul", status));
  CHECK_OK(status);
  TF_OpIsStateful("NoSuchOp", status);
  CHECK_CODE(TF_NOT_FOUND, status);
}

static void internal_errors(void) {
  TF_MakeInternalErrorStatus(status, "broken");
  CHECK_CODE(TF_INTERNAL, status);
  CHECK_STR("broken", TF_Message(status));
}

int main(void) {
  status = TF_NewStatus();
  RUN(kernels_of_ops);
  RUN(all_kernels);
  RUN(ops);
  RUN(stateful_ops);
  RUN(internal_errors);
  TF_DeleteStatus(status);
  return check_result("library");
}
