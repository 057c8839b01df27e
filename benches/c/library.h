// The functions that the benchmark calls, from any library with the eager C API of TensorFlow 2.x, opened at run time.
#ifndef TFE_BENCH_LIBRARY_H_
#define TFE_BENCH_LIBRARY_H_

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/eager/c_api.h"

#define LIBRARY_FUNCTIONS(F)                                                                      \
  F(TF_NewStatus) F(TF_DeleteStatus) F(TF_GetCode) F(TF_Message) F(TF_AllocateTensor)             \
  F(TF_DeleteTensor) F(TF_TensorData) F(TF_TensorByteSize) F(TFE_NewContextOptions)               \
  F(TFE_ContextOptionsSetConfig) F(TFE_DeleteContextOptions) F(TFE_NewContext)                    \
  F(TFE_DeleteContext) F(TFE_ContextAddFunctionDef) F(TFE_ContextRemoveFunction)                  \
  F(TFE_NewTensorHandle) F(TFE_DeleteTensorHandle) F(TFE_TensorHandleResolve)                     \
  F(TFE_TensorHandleNumDims) F(TFE_TensorHandleDim) F(TFE_TensorHandleCopyToDevice) F(TFE_NewOp)  \
  F(TFE_DeleteOp) F(TFE_OpAddInput) F(TFE_OpAddInputList) F(TFE_OpSetDevice) F(TFE_OpSetAttrType) \
  F(TFE_OpSetAttrBool) F(TFE_OpSetAttrInt) F(TFE_OpSetAttrShape) F(TFE_OpSetAttrString)           \
  F(TFE_OpGetAttrType) F(TFE_Execute)

#define DECLARE(name) static __typeof__(&name) p_##name;
LIBRARY_FUNCTIONS(DECLARE)
#undef DECLARE

// Opens the library and looks up every function; ends the program when something is missing.
static void library_open(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "bench: %s\n", dlerror());
    exit(2);
  }
#define LOOK_UP(name)                                             \
  *(void**)&p_##name = dlsym(library, #name);                     \
  if (p_##name == NULL) {                                         \
    fprintf(stderr, "bench: %s has no function " #name "\n", path); \
    exit(2);                                                      \
  }
  LIBRARY_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
}

#endif  // TFE_BENCH_LIBRARY_H_
