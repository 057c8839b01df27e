// A child of a process that used several threads goes on with the context of its parent, and with one of its own.
// forks
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
  }
  TFE_DeleteContext(shared);
  TF_DeleteStatus(status);
  return check_result("fork");
}
