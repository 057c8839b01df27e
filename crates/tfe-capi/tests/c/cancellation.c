// Cancellation managers, and executors, which queue nothing here.
// threads
#include <pthread.h>

#include "api.h"
#include "tensorflow/c/eager/c_api_experimental.h"

static TFE_Context* ctx;

static char called[64];
static void note(void* what) { strcat(called, what); }

static TFE_CancelCallback callback(const char* what) {
  return (TFE_CancelCallback){note, (void*)what};
}

static void tokens_and_callbacks(void) {
  called[0] = '\0';
  TFE_CancellationManager* m = TFE_NewCancellationManager();
  REQUIRE(m != NULL);
  CHECK(!TFE_CancellationManagerIsCancelled(m));
  CHECK(!TFE_CancellationManagerIsCancelling(m));
  for (int i = 0; i < 3; ++i) CHECK_INT(i, TFE_CancellationManagerGetToken(m));
  const TFE_CancelCallback a = callback("a"), b = callback("b"), c = callback("c");
  CHECK(TFE_CancellationManagerRegisterCallback(m, 0, &a, "first"));
  CHECK(TFE_CancellationManagerRegisterCallback(m, 0, &b, "in its place"));
  CHECK(TFE_CancellationManagerRegisterCallback(m, 1, &c, "dropped"));
  CHECK(TFE_CancellationManagerRegisterCallback(m, 2, &c, "dropped"));
  CHECK(TFE_CancellationManagerDeregisterCallback(m, 1));
  CHECK(TFE_CancellationManagerTryDeregisterCallback(m, 2));
  CHECK(TFE_CancellationManagerDeregisterCallback(m, 99));
  CHECK(TFE_CancellationManagerTryDeregisterCallback(m, 99));
  CHECK_STR("", called);
  TFE_CancellationManagerStartCancel(m);
  CHECK_STR("b", called);
  CHECK(TFE_CancellationManagerIsCancelled(m));
  CHECK(!TFE_CancellationManagerIsCancelling(m));
  TFE_CancellationManagerStartCancel(m);
  CHECK_STR("b", called);
  CHECK_INT(3, TFE_CancellationManagerGetToken(m));
  CHECK(!TFE_CancellationManagerRegisterCallback(m, 3, &a, "too late"));
  CHECK(!TFE_CancellationManagerDeregisterCallback(m, 0));
  CHECK(!TFE_CancellationManagerTryDeregisterCallback(m, 0));
  TFE_DeleteCancellationManager(m);
  CHECK_STR("b", called);

  // Deleting cancels.
  m = TFE_NewCancellationManager();
  CHECK(TFE_CancellationManagerRegisterCallback(m, TFE_CancellationManagerGetToken(m), &a, "a"));
  TFE_DeleteCancellationManager(m);
  CHECK_STR("ba", called);
}

// A callback that uses its manager.
static void look(void* manager) {
  TFE_CancellationManager* m = manager;
  CHECK(TFE_CancellationManagerIsCancelling(m));
  CHECK(!TFE_CancellationManagerIsCancelled(m));
  CHECK(!TFE_CancellationManagerTryDeregisterCallback(m, 0));
  const TFE_CancelCallback again = {look, m};
  CHECK(!TFE_CancellationManagerRegisterCallback(m, 7, &again, NULL));
  // On this thread there is nothing to wait for: TensorFlow waits for ever.
  if (!on_tensorflow()) CHECK(!TFE_CancellationManagerDeregisterCallback(m, 0));
  TFE_CancellationManagerStartCancel(m);
  strcat(called, "looked");
}

static void callbacks_may_use_the_manager(void) {
  called[0] = '\0';
  TFE_CancellationManager* m = TFE_NewCancellationManager();
  const TFE_CancelCallback c = {look, m};
  CHECK(TFE_CancellationManagerRegisterCallback(m, 0, &c, "look"));
  TFE_CancellationManagerStartCancel(m);
  CHECK_STR("looked", called);
  TFE_DeleteCancellationManager(m);
}

// Deregistering waits for a callback that runs on another thread.
static atomic_int running, may_end, ended;

static void slow(void* unused) {
  (void)unused;
  atomic_store(&running, 1);
  while (!atomic_load(&may_end)) sched_yield();
  atomic_store(&ended, 1);
}

static void* cancel(void* m) {
  TFE_CancellationManagerStartCancel(m);
  return NULL;
}

static void* let_it_end(void* unused) {
  (void)unused;
  atomic_store(&may_end, 1);
  return NULL;
}

static void deregistering_waits(void) {
  TFE_CancellationManager* m = TFE_NewCancellationManager();
  const TFE_CancelCallback c = {slow, NULL};
  CHECK(TFE_CancellationManagerRegisterCallback(m, 0, &c, "slow"));
  pthread_t canceller, other;
  REQUIRE(pthread_create(&canceller, NULL, cancel, m) == 0);
  while (!atomic_load(&running)) sched_yield();
  CHECK(TFE_CancellationManagerIsCancelling(m));
  CHECK(!TFE_CancellationManagerTryDeregisterCallback(m, 0));
  CHECK_INT(0, atomic_load(&ended));
  REQUIRE(pthread_create(&other, NULL, let_it_end, NULL) == 0);
  CHECK(!TFE_CancellationManagerDeregisterCallback(m, 0));
  CHECK_INT(1, atomic_load(&ended));
  pthread_join(canceller, NULL);
  pthread_join(other, NULL);
  CHECK(TFE_CancellationManagerIsCancelled(m));
  TFE_DeleteCancellationManager(m);
}

// Executes `name` on a matrix with a manager; leaves `status`.
static TFE_TensorHandle* run(TFE_Op* op) {
  TFE_TensorHandle* m = matrix();
  add_input(op, m);
  if (strcmp(TFE_OpGetName(op, status), "AddV2") == 0) add_input(op, m);
  TFE_TensorHandle* result = execute(op);
  TFE_DeleteTensorHandle(m);
  return result;
}

static void ops(void) {
  add_function(ctx, matmul_function("Squared", "matmul:product:0"));
  CHECK_OK(status);
  TFE_CancellationManager* m = TFE_NewCancellationManager();
  TFE_Op* function = new_op(ctx, "Squared");
  TFE_OpSetCancellationManager(function, m, status);
  CHECK_OK(status);
  TFE_TensorHandle* result = run(function);
  CHECK_FLOATS(result, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(result);

  TFE_CancellationManagerStartCancel(m);
  for (int i = 0; i < 2; ++i) {
    CHECK(run(function) == NULL);
    CHECK_CODE(TF_CANCELLED, status);
    CHECK_STR("{{function_node Squared}} Function was cancelled before it was started",
              TF_Message(status));
    TFE_OpReset(function, "Squared", NULL, status);
    TFE_OpSetCancellationManager(function, m, status);
  }
  // Reset, or with no manager, it runs.
  TFE_OpReset(function, "Squared", NULL, status);
  result = run(function);
  CHECK_FLOATS(result, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(result);
  TFE_OpSetCancellationManager(function, m, status);
  TFE_OpSetCancellationManager(function, NULL, status);
  CHECK_OK(status);
  result = run(function);
  CHECK_FLOATS(result, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(result);

  // A primitive op does not ask.
  TFE_Op* op = new_op(ctx, "AddV2");
  TFE_OpSetCancellationManager(op, m, status);
  result = run(op);
  CHECK_OK(status);
  CHECK_FLOATS(result, 2, 4, 6, 8);
  TFE_DeleteTensorHandle(result);
  TFE_DeleteOp(op);

  if (!on_tensorflow()) {
    // An op may outlive its manager.
    TFE_OpSetCancellationManager(function, m, status);
    TFE_DeleteCancellationManager(m);
    result = run(function);
    CHECK_FLOATS(result, 7, 10, 15, 22);
    TFE_DeleteTensorHandle(result);
    m = NULL;
  }
  TFE_DeleteOp(function);
  TFE_DeleteCancellationManager(m);
}

static void* async_on_another_thread(void* is_async) {
  TFE_Executor* executor = TFE_ContextGetExecutorForThread(ctx);
  *(bool*)is_async = TFE_ExecutorIsAsync(executor);
  TFE_DeleteExecutor(executor);
  return NULL;
}

static void executors(void) {
  TFE_Executor* of_context = TFE_ContextGetExecutorForThread(ctx);
  REQUIRE(of_context != NULL);
  CHECK(!TFE_ExecutorIsAsync(of_context));
  TFE_ExecutorWaitForAllPendingNodes(of_context, status);
  CHECK_OK(status);
  TFE_ExecutorClearError(of_context);
  TFE_DeleteExecutor(of_context);

  TFE_Executor* executor = TFE_NewExecutor(true, true, 5);
  CHECK(TFE_ExecutorIsAsync(executor));
  TFE_ContextSetExecutorForThread(ctx, executor);
  TFE_Executor* same = TFE_ContextGetExecutorForThread(ctx);
  CHECK(same != executor && TFE_ExecutorIsAsync(same));
  TFE_DeleteExecutor(same);
  bool is_async = true;
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, async_on_another_thread, &is_async) == 0);
  pthread_join(thread, NULL);
  CHECK(!is_async);

  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* product = binary(ctx, "MatMul", m, m);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_DeleteTensorHandle(product);
  TFE_ExecutorWaitForAllPendingNodes(executor, status);
  CHECK_OK(status);
  TFE_ContextAsyncWait(ctx, status);
  CHECK_OK(status);
  if (!on_tensorflow()) {
    // Errors come at once, and stop nothing.
    TFE_TensorHandle* scalar = float_scalar(1);
    CHECK(binary(ctx, "MatMul", m, scalar) == NULL);
    CHECK_CODE(TF_INVALID_ARGUMENT, status);
    TFE_DeleteTensorHandle(scalar);
    TFE_ExecutorWaitForAllPendingNodes(executor, status);
    CHECK_OK(status);
    TFE_ContextSetExecutorForThread(ctx, NULL);
    same = TFE_ContextGetExecutorForThread(ctx);
    CHECK(!TFE_ExecutorIsAsync(same));
    TFE_DeleteExecutor(same);
  } else {
    TFE_Executor* plain = TFE_NewExecutor(false, false, 0);
    TFE_ContextSetExecutorForThread(ctx, plain);
    TFE_DeleteExecutor(plain);
  }
  TFE_DeleteExecutor(executor);
  TFE_DeleteTensorHandle(m);
}

static void asynchronous_context(void) {
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_ContextOptionsSetAsync(options, 1);
  TFE_Context* async = TFE_NewContext(options, status);
  TFE_DeleteContextOptions(options);
  REQUIRE_OK(status);
  TFE_Executor* executor = TFE_ContextGetExecutorForThread(async);
  CHECK(TFE_ExecutorIsAsync(executor));
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* product = binary(async, "MatMul", m, m);
  CHECK_OK(status);
  CHECK_FLOATS(product, 7, 10, 15, 22);
  TFE_ContextAsyncWait(async, status);
  CHECK_OK(status);
  TFE_ExecutorWaitForAllPendingNodes(executor, status);
  CHECK_OK(status);
  TFE_DeleteExecutor(executor);
  TFE_DeleteTensorHandle(product);
  TFE_DeleteTensorHandle(m);
  TFE_DeleteContext(async);
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(tokens_and_callbacks);
  RUN(callbacks_may_use_the_manager);
  RUN(deregistering_waits);
  RUN(ops);
  RUN(executors);
  RUN(asynchronous_context);
  delete_context(ctx);
  TF_DeleteStatus(status);
  return check_result("cancellation");
}
