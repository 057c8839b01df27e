// Runs a function from a file, and prints its results as the shell program does.
//
// The example of tfe-eager of the same name and `tfe run` do the same with the same file:
// `cargo xtask ci alike` compares what the three print, byte by byte.
#include "api.h"

// All bytes of a file.
static Pb read_file(const char* path) {
  FILE* file = fopen(path, "rb");
  REQUIRE(file != NULL);
  Pb bytes = {0};
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) pb_raw(&bytes, part, n);
  fclose(file);
  return bytes;
}

// Adds the functions of a FunctionDefLibrary: each is field 1, after its length.
static void add_library(TFE_Context* ctx, const Pb* library) {
  const unsigned char* p = (const unsigned char*)library->data;
  const unsigned char* end = p + library->size;
  while (p < end && *p++ == (1 << 3 | 2)) {
    size_t size = 0;
    for (int shift = 0; p < end; shift += 7) {
      size |= (size_t)(*p & 0x7f) << shift;
      if ((*p++ & 0x80) == 0) break;
    }
    REQUIRE(size <= (size_t)(end - p));
    TFE_ContextAddFunctionDef(ctx, (const char*)p, size, status);
    REQUIRE_OK(status);
    p += size;
  }
  REQUIRE(p == end);
}

// The fewest digits that read back the same, and always a point.
static void print_float(float x) {
  char text[32];
  for (int digits = 1; digits <= 9; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtof(text, NULL) == x) break;
  }
  printf("%s%s", text, strchr(text, '.') == NULL ? ".0" : "");
}

// A vector: "total = float32[2]: [1.0, 2.5]".
static void print_vector(const char* name, TFE_TensorHandle* h) {
  TF_Tensor* t = TFE_TensorHandleResolve(h, status);
  REQUIRE_OK(status);
  const bool is_float = TF_TensorType(t) == TF_FLOAT;
  REQUIRE(is_float || TF_TensorType(t) == TF_INT64);
  REQUIRE(TF_NumDims(t) == 1);
  printf("%s = %s[%" PRId64 "]: [", name, is_float ? "float32" : "int64", TF_Dim(t, 0));
  for (int64_t i = 0; i < TF_Dim(t, 0); ++i) {
    if (i > 0) printf(", ");
    if (is_float) {
      print_float(((const float*)TF_TensorData(t))[i]);
    } else {
      printf("%" PRId64, ((const int64_t*)TF_TensorData(t))[i]);
    }
  }
  printf("]\n");
  TF_DeleteTensor(t);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: function_file SCORES.pb\n");
    return 2;
  }
  status = TF_NewStatus();
  TFE_Context* ctx = new_context();
  Pb library = read_file(argv[1]);
  add_library(ctx, &library);
  pb_free(&library);

  const float x[] = {1, -2, 0.5, 4};
  const float w[] = {1, 0.25, -3, 2, -1, 0.3};
  TFE_TensorHandle* inputs[] = {handle_of(TF_FLOAT, x, DIMS(2, 2)),
                                handle_of(TF_FLOAT, w, DIMS(2, 3))};
  TFE_Op* op = new_op(ctx, "Scores");
  TFE_OpSetAttrFloat(op, "slope", 0.1f);
  TFE_OpSetAttrType(op, "T", TF_FLOAT);
  for (int i = 0; i < 2; ++i) add_input(op, inputs[i]);
  TFE_TensorHandle* results[2] = {NULL, NULL};
  int num_results = 2;
  TFE_Execute(op, results, &num_results, status);
  REQUIRE_OK(status);
  CHECK_INT(2, num_results);
  print_vector("total", results[0]);
  print_vector("best", results[1]);

  for (int i = 0; i < 2; ++i) {
    TFE_DeleteTensorHandle(results[i]);
    TFE_DeleteTensorHandle(inputs[i]);
  }
  TFE_DeleteOp(op);
  TFE_DeleteContext(ctx);
  TF_DeleteStatus(status);
  return check_failures != 0;
}
