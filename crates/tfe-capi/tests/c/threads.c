// Many threads on one context: handles of their own, the same handles, variables, functions that come
// and go, contexts that end before their handles. The argument is how many seconds (1) the mixed calls
// go on; a second one how many threads (2).
// threads
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "api.h"
#include "tensorflow/c/eager/c_api_experimental.h"

enum { kMaxThreads = 16 };
static int num_threads = 2;
static double seconds = 1;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static TFE_Context* ctx;

static void in_threads(void* (*body)(void*)) {
  pthread_t threads[kMaxThreads];
  for (int i = 0; i < num_threads; ++i) {
    REQUIRE(pthread_create(&threads[i], NULL, body, (void*)(intptr_t)i) == 0);
  }
  for (int i = 0; i < num_threads; ++i) pthread_join(threads[i], NULL);
}

// ---- handles of one's own -----------------------------------------------------------------------

static void* own_handles_body(void* arg) {
  const float id = (float)(intptr_t)arg;
  status = TF_NewStatus();
  for (int i = 0; i < 200; ++i) {
    TFE_TensorHandle *a = float_scalar(id), *b = float_scalar((float)i);
    TFE_TensorHandle* sum = binary(ctx, "AddV2", a, b);
    CHECK_OK(status);
    TFE_TensorHandle* product = binary(ctx, "Mul", sum, b);
    CHECK_OK(status);
    CHECK_FLOATS(product, (id + (float)i) * (float)i);
    TFE_DeleteTensorHandle(a);
    TFE_DeleteTensorHandle(b);
    TFE_DeleteTensorHandle(sum);
    TFE_DeleteTensorHandle(product);
  }
  TF_DeleteStatus(status);
  return NULL;
}
static void own_handles(void) { in_threads(own_handles_body); }

// ---- a kernel that all ask for at once ----------------------------------------------------------

static atomic_int waiting;

static void* first_call_body(void* arg) {
  (void)arg;
  status = TF_NewStatus();
  TFE_TensorHandle* m = matrix();
  atomic_fetch_add(&waiting, 1);
  while (atomic_load(&waiting) < num_threads) usleep(10);
  TFE_TensorHandle* product = binary(ctx, "MatMul", m, m);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteTensorHandle(m);
  TF_DeleteStatus(status);
  return NULL;
}
static void first_call(void) {
  for (int i = 0; i < 20; ++i) {
    TFE_ContextClearCaches(ctx);
    atomic_store(&waiting, 0);
    in_threads(first_call_body);
  }
}

// ---- one variable -------------------------------------------------------------------------------

static TFE_TensorHandle* shared_variable;

// Each thread assigns vectors of one number: no read sees parts of two.
static void* whole_values_body(void* arg) {
  const int id = (int)(intptr_t)arg;
  status = TF_NewStatus();
  float data[100];
  for (int i = 0; i < 100; ++i) data[i] = (float)id;
  for (int i = 0; i < 200; ++i) {
    TFE_TensorHandle* value = handle_of(TF_FLOAT, data, DIMS(100));
    assign_variable(ctx, shared_variable, value);
    CHECK_OK(status);
    TFE_DeleteTensorHandle(value);
    TFE_TensorHandle* read = read_variable(ctx, shared_variable, TF_FLOAT);
    CHECK_OK(status);
    TF_Tensor* t = TFE_TensorHandleResolve(read, status);
    const float* got = TF_TensorData(t);
    bool whole = got[0] >= 0 && got[0] < (float)num_threads;
    for (int k = 1; k < 100; ++k) whole &= got[k] == got[0];
    CHECK(whole);
    TF_DeleteTensor(t);
    TFE_DeleteTensorHandle(read);
  }
  TF_DeleteStatus(status);
  return NULL;
}
static void whole_values(void) {
  shared_variable = variable_handle(ctx, "whole", TF_FLOAT);
  in_threads(whole_values_body);
  TFE_DeleteTensorHandle(shared_variable);
}

// ---- functions that come and go -----------------------------------------------------------------

// A function of one's own, and one of everybody's.
static void* come_and_go_body(void* arg) {
  char own[16];
  snprintf(own, sizeof own, "Own%d", (int)(intptr_t)arg);
  status = TF_NewStatus();
  TFE_TensorHandle* m = matrix();
  for (int i = 0; i < 60; ++i) {
    const bool square = i % 2 == 0;
    add_function(ctx, matmul_function(own, square ? "matmul:product:0" : "a"));
    CHECK_OK(status);
    TFE_TensorHandle* result = unary(ctx, own, m);
    CHECK_OK(status);
    if (square) CHECK_FLOATS(result, 7, 10, 15, 22);
    else CHECK_FLOATS(result, 1, 2, 3, 4);
    TFE_DeleteTensorHandle(result);
    TFE_ContextRemoveFunction(ctx, own, status);
    CHECK_OK(status);

    add_function(ctx, matmul_function("Shared", "matmul:product:0"));
    CHECK_OK(status);
    TFE_Op* op = TFE_NewOp(ctx, "Shared", status);
    CHECK_OK(status);  // this thread has added it once and not removed it yet
    if (op != NULL) {
      add_input(op, m);
      result = execute(op);
      CHECK_OK(status);
      CHECK_FLOATS(result, 7, 10, 15, 22);
      TFE_DeleteTensorHandle(result);
    }
    TFE_DeleteOp(op);
    TFE_ContextRemoveFunction(ctx, "Shared", status);
    CHECK_OK(status);
  }
  TFE_DeleteTensorHandle(m);
  TF_DeleteStatus(status);
  return NULL;
}
static void functions_come_and_go(void) {
  in_threads(come_and_go_body);
  CHECK_INT(0, TFE_ContextHasFunction(ctx, "Shared"));
}

// ---- contexts that end before their handles -----------------------------------------------------

static TFE_TensorHandle* handed_over[kMaxThreads];
static atomic_int released;

static void release(void* data, size_t length, void* arg) {
  (void)length, (void)arg;
  free(data);
  atomic_fetch_add(&released, 1);
}

static void* outliving_body(void* arg) {
  TFE_TensorHandle* h = handed_over[(intptr_t)arg];
  status = TF_NewStatus();
  for (int i = 0; i < 50; ++i) {
    TFE_TensorHandle* same = TFE_TensorHandleCopySharingTensor(h, status);
    CHECK_OK(status);
    CHECK_FLOATS(same, 1, 2, 3, 4);
    CHECK(TFE_TensorHandleDeviceName(same, status) != NULL);
    TFE_DeleteTensorHandle(same);
  }
  TFE_DeleteTensorHandle(h);
  TF_DeleteStatus(status);
  return NULL;
}
static void handles_outlive_their_context(void) {
  if (on_tensorflow()) return;
  atomic_store(&released, 0);
  for (int turn = 0; turn < 10; ++turn) {
    TFE_Context* short_lived = new_context();
    for (int i = 0; i < num_threads; ++i) {
      float* data = aligned_alloc(64, 64);
      for (int k = 0; k < 4; ++k) data[k] = (float)k + 1;
      TF_Tensor* t = TF_NewTensor(TF_FLOAT, DIMS(2, 2), data, 16, release, NULL);
      TFE_TensorHandle* h = TFE_NewTensorHandle(t, status);
      TF_DeleteTensor(t);
      handed_over[i] = unary(short_lived, "Identity", h);
      CHECK_OK(status);
      TFE_DeleteTensorHandle(h);
    }
    pthread_t threads[kMaxThreads];
    for (int i = 0; i < num_threads; ++i) {
      REQUIRE(pthread_create(&threads[i], NULL, outliving_body, (void*)(intptr_t)i) == 0);
    }
    TFE_DeleteContext(short_lived);
    for (int i = 0; i < num_threads; ++i) pthread_join(threads[i], NULL);
  }
  CHECK_INT(10 * num_threads, atomic_load(&released));
}

// ---- everything at once -------------------------------------------------------------------------

static TFE_TensorHandle* shared_matrix;
static double deadline;
static atomic_llong calls;

static void mixed_call(uint32_t random) {
  TFE_TensorHandle *a, *b, *result;
  TF_DeviceList* list;
  TFE_Op* op;
  TFE_Context* other;
  TF_SetStatus(status, TF_OK, "");  // TensorFlow leaves an older error in some calls
  switch (random % 16) {
    case 0:
      a = float_scalar((float)(random >> 16));
      result = binary(ctx, "AddV2", a, a);
      CHECK_OK(status);
      CHECK_FLOATS(result, 2 * (float)(random >> 16));
      TFE_DeleteTensorHandle(result);
      TFE_DeleteTensorHandle(a);
      return;
    case 1:
      result = binary(ctx, "MatMul", shared_matrix, shared_matrix);
      CHECK_OK(status);
      CHECK_FLOATS(result, 7, 10, 15, 22);
      TFE_DeleteTensorHandle(result);
      return;
    case 2:  // many kernels: one for each attr
      op = new_op(ctx, "MatMul");
      TFE_OpSetAttrBool(op, "transpose_a", random >> 8 & 1);
      TFE_OpSetAttrBool(op, "transpose_b", random >> 9 & 1);
      TFE_OpSetAttrBool(op, "grad_a", random >> 10 & 1);
      add_input(op, shared_matrix);
      add_input(op, shared_matrix);
      result = execute(op);
      CHECK_OK(status);
      TFE_DeleteTensorHandle(result);
      TFE_OpReset(op, "Identity", NULL, status);
      CHECK_OK(status);
      add_input(op, shared_matrix);
      result = execute(op);
      CHECK_OK(status);
      CHECK_FLOATS(result, 1, 2, 3, 4);
      TFE_DeleteTensorHandle(result);
      TFE_DeleteOp(op);
      return;
    case 3:
      result = unary(ctx, "Standing", shared_matrix);
      CHECK_OK(status);
      CHECK_FLOATS(result, 7, 10, 15, 22);
      TFE_DeleteTensorHandle(result);
      return;
    case 4:  // a function that may be there or not
      add_function(ctx, matmul_function("Passing", "a"));
      CHECK_OK(status);
      op = TFE_NewOp(ctx, "Passing", status);
      CHECK_OK(status);
      add_input(op, shared_matrix);
      result = execute(op);
      CHECK_OK(status);
      TFE_DeleteTensorHandle(result);
      TFE_DeleteOp(op);
      TFE_ContextRemoveFunction(ctx, "Passing", status);
      CHECK_OK(status);
      return;
    case 5:
      a = float_scalar(1);
      assign_variable(ctx, shared_variable, a);
      CHECK_OK(status);
      TFE_DeleteTensorHandle(a);
      return;
    case 6:
      result = read_variable(ctx, shared_variable, TF_FLOAT);
      CHECK_OK(status);
      CHECK_FLOATS(result, 1);
      TFE_DeleteTensorHandle(result);
      return;
    case 7:
      a = variable_handle(ctx, random >> 8 & 1 ? "one" : "other", TF_FLOAT);
      b = float_scalar(2);
      assign_variable(ctx, a, b);
      CHECK_OK(status);
      result = read_variable(ctx, a, TF_FLOAT);
      CHECK_FLOATS(result, 2);
      TFE_DeleteTensorHandle(result);
      TFE_DeleteTensorHandle(a);
      TFE_DeleteTensorHandle(b);
      return;
    case 8:
      list = TFE_ContextListDevices(ctx, status);
      CHECK_OK(status);
      CHECK(TF_DeviceListCount(list) >= 1);
      TF_DeleteDeviceList(list);
      return;
    case 9:
      if (random >> 8 & 1) TFE_ContextClearCaches(ctx);
      return;
    case 10:
      a = TFE_TensorHandleCopySharingTensor(shared_matrix, status);
      CHECK_OK(status);
      result = TFE_TensorHandleCopyToDevice(a, ctx, "CPU:0", status);
      CHECK_OK(status);
      TFE_DeleteTensorHandle(a);
      CHECK_FLOATS(result, 1, 2, 3, 4);
      CHECK(TFE_TensorHandleDeviceName(result, status) != NULL);
      TFE_DeleteTensorHandle(result);
      return;
    case 11: {  // a larger one, for whatever is done in parallel
      static const float kZeros[256 * 256];
      a = handle_of(TF_FLOAT, kZeros, DIMS(256, 256));
      result = binary(ctx, "MatMul", a, a);
      CHECK_OK(status);
      TFE_DeleteTensorHandle(result);
      result = binary(ctx, "AddV2", a, a);
      CHECK_OK(status);
      TFE_DeleteTensorHandle(result);
      TFE_DeleteTensorHandle(a);
      return;
    }
    case 12:  // an error, with its message
      a = handle_of(TF_FLOAT, (const float[3]){0}, DIMS(3));
      CHECK(binary(ctx, "AddV2", a, shared_matrix) == NULL);
      CHECK_CODE(TF_INVALID_ARGUMENT, status);
      CHECK(TF_Message(status)[0] != '\0');
      TFE_DeleteTensorHandle(a);
      return;
    case 13: {
      unsigned char is_list;
      TFE_OpNameGetAttrType(ctx, random >> 8 & 1 ? "MatMul" : "ConcatV2", "T", &is_list, status);
      CHECK_OK(status);
      CHECK(TFE_NewOp(ctx, "NoSuchOp", status) == NULL);
      CHECK_CODE(TF_NOT_FOUND, status);
      CHECK_INT(1, TFE_ContextHasFunction(ctx, "Standing"));
      return;
    }
    case 14: {
      TF_Tensor* t = TF_AllocateTensor(TF_STRING, SCALAR, sizeof(TF_TString));
      TF_StringInit(TF_TensorData(t));
      TF_StringCopy(TF_TensorData(t), "a string of more than 22 bytes", 30);
      a = TFE_NewTensorHandle(t, status);
      TF_DeleteTensor(t);
      op = new_op(ctx, "StringJoin");
      TFE_OpAddInputList(op, (TFE_TensorHandle*[]){a, a}, 2, status);
      CHECK_OK(status);
      result = execute(op);
      CHECK_OK(status);
      TFE_DeleteOp(op);
      TFE_DeleteTensorHandle(a);
      TFE_DeleteTensorHandle(result);
      return;
    }
    default:
      if (random >> 8 & 15) return;
      other = new_context();
      a = binary(other, "AddV2", shared_matrix, shared_matrix);
      CHECK_OK(status);
      TFE_DeleteContext(other);
      if (!on_tensorflow()) CHECK_FLOATS(a, 2, 4, 6, 8);
      TFE_DeleteTensorHandle(a);
  }
}

static void* mixed_body(void* arg) {
  uint32_t random = 12345 + (uint32_t)(intptr_t)arg * 77777;
  status = TF_NewStatus();
  long long n = 0;
  while (now() < deadline) {
    for (int i = 0; i < 20; ++i, ++n) {
      random = random * 1664525 + 1013904223;
      mixed_call(random >> 4);
    }
  }
  atomic_fetch_add(&calls, n);
  TF_DeleteStatus(status);
  return NULL;
}

static void mixed_calls(void) {
  shared_matrix = matrix();
  shared_variable = variable_handle(ctx, "mixed", TF_FLOAT);
  TFE_TensorHandle* one = float_scalar(1);
  assign_variable(ctx, shared_variable, one);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(one);
  add_function(ctx, matmul_function("Standing", "matmul:product:0"));
  CHECK_OK(status);
  deadline = now() + seconds;
  in_threads(mixed_body);
  printf("threads: %lld mixed calls on %d threads in %g s\n", atomic_load(&calls), num_threads,
         seconds);
  TFE_DeleteTensorHandle(shared_variable);
  TFE_DeleteTensorHandle(shared_matrix);
}

int main(int argc, char** argv) {
  if (argc > 1) seconds = atof(argv[1]);
  if (argc > 2) num_threads = atoi(argv[2]);
  REQUIRE(num_threads >= 1 && num_threads <= kMaxThreads);
  status = TF_NewStatus();
  ctx = new_context();
  RUN(first_call);
  RUN(own_handles);
  RUN(whole_values);
  RUN(functions_come_and_go);
  RUN(handles_outlive_their_context);
  RUN(mixed_calls);
  TFE_DeleteContext(ctx);
  TF_DeleteStatus(status);
  return check_result("threads");
}
