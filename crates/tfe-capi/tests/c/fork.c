// A child of a process that used several threads goes on with the context of its parent, and with one of its own, also
// when other threads were at work with that context as the process forked.
// forks
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api.h"

enum { kElements = 1 << 18 };

// exp of many elements: enough work for several threads.
static void compute(TFE_Context* ctx) {
  static float data[kElements];
  for (int i = 0; i < kElements; ++i) data[i] = (float)(i % 2);
  TFE_TensorHandle* x = handle_of(TF_FLOAT, data, DIMS(kElements));
  TFE_TensorHandle* y = call1(ctx, "Square", x, NULL);
  CHECK_OK(status);
  TFE_TensorHandle* z = call1(ctx, "Exp", y, NULL);
  CHECK_OK(status);
  TF_Tensor* t = TFE_TensorHandleResolve(z, status);
  CHECK_OK(status);
  const float* values = TF_TensorData(t);
  CHECK(values[0] == 1 && values[kElements - 1] > 2.7f && values[kElements - 1] < 2.8f);
  TF_DeleteTensor(t);
  TFE_DeleteTensorHandle(z);
  TFE_DeleteTensorHandle(y);
  TFE_DeleteTensorHandle(x);
}

static TFE_Context* context_of_two_threads(void) {
  Pb config = {0};
  pb_int(&config, 2, 2);  // intra_op_parallelism_threads
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_ContextOptionsSetConfig(options, config.data, config.size, status);
  REQUIRE_OK(status);
  TFE_Context* ctx = TFE_NewContext(options, status);
  REQUIRE_OK(status);
  TFE_DeleteContextOptions(options);
  pb_free(&config);
  return ctx;
}

// What the child does; the context of the parent is the parent's to delete.
static int child_main(TFE_Context* ctx) {
  alarm(60);  // a wait for threads that are not there would never end
  compute(ctx);
  TFE_Context* own = context_of_two_threads();
  compute(own);
  TFE_DeleteContext(own);
  TF_DeleteStatus(status);
  return check_result("fork, child");
}

static TFE_Context* shared;
static TFE_TensorHandle* variable;
static atomic_bool done;

// Takes each lock that calls take: of a variable, of the memory of big tensors, of kernels, of functions.
static void take_locks(void) {
  static float data[1 << 15];
  TFE_TensorHandle* x = handle_of(TF_FLOAT, data, DIMS(1 << 15));
  assign_variable(shared, variable, x);
  CHECK_OK(status);
  TFE_Op* op = new_op(shared, "AssignAddVariableOp");
  add_input(op, variable);
  add_input(op, x);
  execute_void(op);
  CHECK_OK(status);
  TFE_DeleteOp(op);
  TFE_ContextClearCaches(shared);
  TFE_TensorHandle* y = unary(shared, "Neg", x);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(y);
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* product = call1(shared, "Squared", m, NULL);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteTensorHandle(m);
  TFE_DeleteTensorHandle(x);
}

static void* take_locks_once(void* arg) {
  status = TF_NewStatus();
  take_locks();
  TF_DeleteStatus(status);
  return arg;
}

static void* take_locks_again_and_again(void* arg) {
  status = TF_NewStatus();
  while (!done) take_locks();
  TF_DeleteStatus(status);
  return arg;
}

static int busy_child_main(void) {
  alarm(20);
  for (int i = 0; i < 3; ++i) take_locks();
  pthread_t thread;  // a thread of the child's own
  CHECK_INT(0, pthread_create(&thread, NULL, take_locks_once, NULL));
  pthread_join(thread, NULL);
  return atomic_load(&check_failures) != 0;
}

static void forks_while_others_work(void) {
  enum { kThreads = 3, kForks = 40 };
  variable = variable_handle(shared, "v", TF_FLOAT);
  add_function(shared, matmul_function("Squared", "matmul:product:0"));
  CHECK_OK(status);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    pthread_create(&threads[i], NULL, take_locks_again_and_again, NULL);
  }
  for (int i = 0; i < kForks; ++i) {
    usleep(1000 + (unsigned)i * 371 % 3000);
    const pid_t child = fork();
    if (child == 0) _exit(busy_child_main());
    int ended = 0;
    CHECK(child > 0 && waitpid(child, &ended, 0) == child);
    CHECK_INT(0, ended);
  }
  done = true;
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  TFE_DeleteTensorHandle(variable);
}

int main(void) {
  status = TF_NewStatus();
  shared = context_of_two_threads();
  compute(shared);
  if (!on_tensorflow()) {  // which waits for ever in the child
    const pid_t child = fork();
    if (child == 0) return child_main(shared);
    int ended = 0;
    CHECK(child > 0 && waitpid(child, &ended, 0) == child && ended == 0);
    compute(shared);
    RUN(forks_while_others_work);
  }
  TFE_DeleteContext(shared);
  TF_DeleteStatus(status);
  return check_result("fork");
}
