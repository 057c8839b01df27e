// Attrs of an op as messages, and all together from one op to another.
#include "api.h"
#include "tensorflow/c/eager/c_api_experimental.h"

static TFE_Context* ctx;

static void set_proto(TFE_Op* op, const char* name, Pb value) {
  TFE_OpSetAttrValueProto(op, name, value.data, value.size, status);
  pb_free(&value);
}

static Pb bool_value(bool b) {
  Pb v = {0};
  pb_int(&v, 5, b);
  return v;
}

static Pb int_value(int64_t i) {
  Pb v = {0};
  pb_int(&v, 3, i);
  return v;
}

static void from_messages(void) {
  TFE_TensorHandle* m = matrix();
  TFE_Op* op = new_op(ctx, "MatMul");
  set_proto(op, "transpose_a", bool_value(true));
  CHECK_OK(status);
  // The first value counts.
  set_proto(op, "transpose_a", bool_value(false));
  CHECK_OK(status);
  TFE_TensorHandle* product = execute_on(op, m, m);
  CHECK_FLOATS(product, 10, 14, 14, 20);
  TFE_DeleteTensorHandle(product);

  TFE_OpReset(op, "MatMul", NULL, status);
  TFE_OpSetAttrValueProto(op, "transpose_a", "\xff", 1, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_STR("Unparseable AttrValue proto", TF_Message(status));
  if (!on_tensorflow()) {  // it leaves the status as it was
    TFE_OpSetAttrValueProto(op, "transpose_b", NULL, 0, status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    set_proto(op, "transpose_b", bool_value(true));
    CHECK_OK(status);
  } else {
    TFE_OpSetAttrBool(op, "transpose_b", 1);
  }
  product = execute_on(op, m, m);
  CHECK_FLOATS(product, 5, 11, 11, 25);
  TFE_DeleteTensorHandle(product);

  // The kind is checked by Execute.
  TFE_OpReset(op, "MatMul", NULL, status);
  set_proto(op, "transpose_b", int_value(5));
  CHECK_OK(status);
  add_input(op, m);
  add_input(op, m);
  CHECK(execute(op) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
}

// Whether a serialized NameAttrList has an attr with that value.
static bool has_attr(const TF_Buffer* list, const char* name, Pb value) {
  Pb entry = {0}, field = {0};
  pb_text(&entry, 1, name);
  pb_message(&entry, 2, &value);
  pb_message(&field, 2, &entry);
  const bool found = memmem(list->data, list->length, field.data, field.size) != NULL;
  pb_free(&field);
  return found;
}

static TF_Buffer* serialized(const TFE_Op* op) {
  TF_Buffer* buffer = TF_NewBuffer();
  const TFE_OpAttrs* attrs = TFE_OpGetAttrs(op);
  REQUIRE(attrs != NULL);
  TFE_OpAttrsSerialize(attrs, buffer, status);
  CHECK_OK(status);
  REQUIRE(buffer->length > 8);
  CHECK(memcmp(buffer->data, "\n\6MatMul", 8) == 0);
  return buffer;
}

static void as_message(void) {
  TFE_Op* op = new_op(ctx, "MatMul");
  TF_Buffer* fresh = serialized(op);
  CHECK(has_attr(fresh, "transpose_a", bool_value(false)));
  CHECK(has_attr(fresh, "transpose_b", bool_value(false)));
  Pb type = {0};
  pb_int(&type, 6, TF_FLOAT);
  CHECK(!has_attr(fresh, "T", type));

  TFE_TensorHandle* m = matrix();
  const TFE_OpAttrs* attrs = TFE_OpGetAttrs(op);
  TFE_OpSetAttrBool(op, "transpose_a", 1);
  add_input(op, m);
  add_input(op, m);
  // What was asked for before shows what was set since.
  TF_Buffer* later = TF_NewBuffer();
  TFE_OpAttrsSerialize(attrs, later, status);
  CHECK_OK(status);
  CHECK(has_attr(later, "transpose_a", bool_value(true)));
  type = (Pb){0};
  pb_int(&type, 6, TF_FLOAT);
  CHECK(has_attr(later, "T", type));
  // Only into an empty buffer.
  TFE_OpAttrsSerialize(attrs, later, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_STR("Passing non-empty TF_Buffer is invalid.", TF_Message(status));
  TF_DeleteBuffer(fresh);
  TF_DeleteBuffer(later);
  TFE_DeleteOp(op);
  TFE_DeleteTensorHandle(m);
}

static void to_another_op(void) {
  TFE_TensorHandle* m = matrix();
  TFE_Op* from = new_op(ctx, "MatMul");
  TFE_OpSetAttrBool(from, "transpose_a", 1);
  TFE_OpSetAttrType(from, "T", TF_FLOAT);
  TFE_Op* to = new_op(ctx, "MatMul");
  TFE_OpSetAttrBool(to, "transpose_b", 1);
  TFE_OpAddAttrs(to, TFE_OpGetAttrs(from));
  TFE_TensorHandle* product = execute_on(to, m, m);
  CHECK_FLOATS(product, 7, 15, 10, 22);
  TFE_DeleteTensorHandle(product);
  // Its own; and those of an op that has others.
  TFE_OpAddAttrs(to, TFE_OpGetAttrs(to));
  product = execute_on(to, m, m);
  CHECK_FLOATS(product, 7, 15, 10, 22);
  TFE_DeleteTensorHandle(product);
  TFE_OpReset(to, "AddV2", NULL, status);
  TFE_OpAddAttrs(to, TFE_OpGetAttrs(from));
  TFE_TensorHandle* sum = execute_on(to, m, m);
  CHECK_FLOATS(sum, 2, 4, 6, 8);
  TFE_DeleteTensorHandle(sum);
  TFE_DeleteOp(from);
  TFE_DeleteOp(to);
  TFE_DeleteTensorHandle(m);
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(from_messages);
  RUN(as_message);
  RUN(to_another_op);
  delete_context(ctx);
  TF_DeleteStatus(status);
  return check_result("op_attrs");
}
