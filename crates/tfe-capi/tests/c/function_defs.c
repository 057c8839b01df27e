// Definitions of functions on their own, into a context and out of it.
#include "api.h"
#include "tensorflow/c/eager/c_api_experimental.h"

static TFE_Context* ctx;

static Pb definition;

static bool holds(const TF_Buffer* buffer, const void* bytes, size_t n) {
  return buffer->length == n && memcmp(buffer->data, bytes, n) == 0;
}

static void import(void) {
  CHECK(TF_FunctionImportFunctionDef("\xff", 1, status) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_STR("Invalid FunctionDef given to TF_FunctionImportFunctionDef", TF_Message(status));
  TF_Function* f = TF_FunctionImportFunctionDef(definition.data, definition.size, status);
  CHECK_OK(status);
  REQUIRE(f != NULL);
  CHECK_STR("Squared", TF_FunctionName(f));
  TF_Buffer* buffer = TF_NewBuffer();
  TF_FunctionToFunctionDef(f, buffer, status);
  CHECK_OK(status);
  CHECK(on_tensorflow() || holds(buffer, definition.data, definition.size));
  TF_FunctionToFunctionDef(f, buffer, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_STR("Passing non-empty TF_Buffer is invalid.", TF_Message(status));
  TF_DeleteBuffer(buffer);

  TFE_ContextAddFunction(ctx, f, status);
  CHECK_OK(status);
  // Again, and it is to be removed as often.
  TFE_ContextAddFunction(ctx, f, status);
  CHECK_OK(status);
  TF_DeleteFunction(f);
  remove_function(ctx, "Squared");
  CHECK_INT(1, TFE_ContextHasFunction(ctx, "Squared"));
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* product = call1(ctx, "Squared", m, NULL);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteTensorHandle(m);
}

static void out_of_a_context(void) {
  TF_Function* f = TFE_ContextGetFunction(ctx, "Squared", status);
  CHECK_OK(status);
  REQUIRE(f != NULL);
  CHECK_STR("Squared", TF_FunctionName(f));
  TF_Buffer* buffer = TF_NewBuffer();
  TFE_ContextGetFunctionDef(ctx, "Squared", buffer, status);
  CHECK_OK(status);
  CHECK(on_tensorflow() || holds(buffer, definition.data, definition.size));
  if (!on_tensorflow()) {  // it forgets what the buffer held
    TFE_ContextGetFunctionDef(ctx, "Squared", buffer, status);
    CHECK_OK(status);
    CHECK(holds(buffer, definition.data, definition.size));
  }
  TF_DeleteBuffer(buffer);

  if (!on_tensorflow()) {  // it does not let such a function go
    TFE_Context* other = new_context();
    TFE_ContextAddFunction(other, f, status);
    CHECK_OK(status);
    TFE_TensorHandle* m = matrix();
    TFE_TensorHandle* product = call1(other, "Squared", m, NULL);
    CHECK_OK(status);
    CHECK_FLOATS(product, 7, 10, 15, 22);
    TFE_DeleteTensorHandle(product);
    TFE_DeleteTensorHandle(m);
    delete_context(other);
  }
  TF_DeleteFunction(f);

  buffer = TF_NewBuffer();
  TFE_ContextGetGraphDebugInfo(ctx, "Squared", buffer, status);
  CHECK_OK(status);
  CHECK_INT(0, buffer->length);
  TF_DeleteBuffer(buffer);
}

static void unknown_functions(void) {
  static const char* const kNames[] = {"NoSuch", "MatMul", ""};
  TF_Buffer* buffer = TF_NewBuffer();
  for (int i = 0; i < 3; ++i) {
    CHECK(TFE_ContextGetFunction(ctx, kNames[i], status) == NULL);
    CHECK_CODE(TF_NOT_FOUND, status);
    TFE_ContextGetFunctionDef(ctx, kNames[i], buffer, status);
    CHECK_CODE(TF_NOT_FOUND, status);
    TFE_ContextGetGraphDebugInfo(ctx, kNames[i], buffer, status);
    CHECK_CODE(TF_NOT_FOUND, status);
  }
  CHECK_INT(0, buffer->length);
  TF_DeleteBuffer(buffer);
}

static void attrs(void) {
  TF_Function* f = TF_FunctionImportFunctionDef(definition.data, definition.size, status);
  REQUIRE_OK(status);
  TF_FunctionSetAttrValueProto(f, "_n", "\x18\x05", 2, status);
  CHECK_OK(status);
  TF_Buffer* value = TF_NewBuffer();
  TF_FunctionGetAttrValueProto(f, "_n", value, status);
  CHECK_OK(status);
  CHECK(holds(value, "\x18\x05", 2));
  TF_DeleteBuffer(value);
  // The last value counts.
  TF_FunctionSetAttrValueProto(f, "_n", "\x18\x06", 2, status);
  CHECK_OK(status);
  value = TF_NewBuffer();
  TF_FunctionGetAttrValueProto(f, "_n", value, status);
  CHECK(holds(value, "\x18\x06", 2));
  TF_DeleteBuffer(value);

  value = TF_NewBuffer();
  TF_FunctionGetAttrValueProto(f, "_m", value, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK_STR("Function 'Squared' has no attr named '_m'.", TF_Message(status));
  CHECK_INT(0, value->length);
  TF_DeleteBuffer(value);
  TF_FunctionSetAttrValueProto(f, "_n", "\xff", 1, status);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);

  // It is still the same function.
  TFE_ContextRemoveFunction(ctx, "Squared", status);
  TFE_ContextAddFunction(ctx, f, status);
  CHECK_OK(status);
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* product = call1(ctx, "Squared", m, NULL);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteTensorHandle(m);
  TF_DeleteFunction(f);
}

// Two functions: each is taken on its own, as the header shows; all together they are not.
static void library(void) {
  static const char* const kNames[] = {"InLibrary", "InLibraryAsWell"};
  Pb file = {0};
  for (int i = 0; i < 2; ++i) {
    Pb def = matmul_function(kNames[i], "matmul:product:0");
    pb_message(&file, 1, &def);
  }
  if (!on_tensorflow()) {  // it takes them for one function with an odd name
    TFE_ContextAddFunctionDef(ctx, file.data, file.size, status);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    CHECK(strstr(TF_Message(status), "FunctionDefLibrary of 2 functions") != NULL);
  }
  const unsigned char *p = (const unsigned char*)file.data, *end = p + file.size;
  while (p < end && *p++ == 0x0a) {
    size_t size = 0;
    for (int shift = 0; p < end; shift += 7) {
      size |= (size_t)(*p & 0x7f) << shift;
      if ((*p++ & 0x80) == 0) break;
    }
    if (size > (size_t)(end - p)) break;
    TFE_ContextAddFunctionDef(ctx, (const char*)p, size, status);
    CHECK_OK(status);
    p += size;
  }
  CHECK(p == end);
  pb_free(&file);
  TFE_TensorHandle* m = matrix();
  for (int i = 0; i < 2; ++i) {
    TFE_TensorHandle* product = call1(ctx, kNames[i], m, NULL);
    CHECK_OK(status);
    CHECK_FLOATS(product, 7, 10, 15, 22);
    TFE_DeleteTensorHandle(product);
    remove_function(ctx, kNames[i]);
  }
  TFE_DeleteTensorHandle(m);
}

static void no_function(void) {
  TF_Function* f = TF_FunctionImportFunctionDef("", 0, status);
  CHECK_OK(status);
  CHECK_STR("", TF_FunctionName(f));
  TF_DeleteFunction(f);
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  definition = matmul_function("Squared", "matmul:product:0");
  RUN(import);
  RUN(out_of_a_context);
  RUN(unknown_functions);
  RUN(attrs);
  RUN(library);
  RUN(no_function);
  pb_free(&definition);
  delete_context(ctx);
  TF_DeleteStatus(status);
  return check_result("function_defs");
}
