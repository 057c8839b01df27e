// Queues between threads: who waits for elements or for room is woken by those who bring or take them,
// and by the end of the queue or of its context, and takes no time of the CPU meanwhile.
// threads
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "calls.h"

static TFE_Context* ctx;

// One call on a thread of its own.
typedef struct Call {
  const char* queue;  // the op that gives the queue
  const char* line;   // the call, of the queue `q`
  TFE_CancellationManager* cancels;  // the call, where there is one
  pthread_t thread;
  atomic_bool done;
  TF_Code code;
  char shown[200];
  double cpu_seconds;
} Call;

static double cpu_seconds_of_thread(void) {
  struct rusage usage;
  REQUIRE(getrusage(RUSAGE_THREAD, &usage) == 0);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void* call_body(void* arg) {
  Call* call = arg;
  Calls calls = {.ctx = ctx};
  status = TF_NewStatus();
  call_line(&calls, call->queue);
  CHECK_OK(status);
  calls.cancels = call->cancels;
  const double before = cpu_seconds_of_thread();
  call_line(&calls, call->line);
  call->cpu_seconds = cpu_seconds_of_thread() - before;
  call->code = TF_GetCode(status);
  snprintf(call->shown, sizeof call->shown, "%s", calls.shown.data ? calls.shown.data : "");
  atomic_store(&call->done, true);
  calls_end(&calls);
  TF_DeleteStatus(status);
  return NULL;
}

static void start(Call* call) {
  REQUIRE(pthread_create(&call->thread, NULL, call_body, call) == 0);
}

// Starts a call that has to wait.
static void start_waiting(Call* call) {
  start(call);
  usleep(400000);
  CHECK(!atomic_load(&call->done));
}

static void finish(Call* call, TF_Code code, const char* shown) {
  pthread_join(call->thread, NULL);
  CHECK_INT(code, call->code);
  CHECK_STR(shown, call->shown);
  // Waiting for 0.4 s in a loop would take most of that; the call itself takes a little, under valgrind too.
  CHECK(call->cpu_seconds < 0.2);
}

static void do_call(const char* queue, const char* line, TF_Code code, const char* shown) {
  Call call = {.queue = queue, .line = line};
  start(&call);
  finish(&call, code, shown);
}

static void dequeue_waits_for_an_element(void) {
  const char* q = "FIFOQueueV2 component_types={int32} shapes={[]} shared_name=elements -> q";
  Call take = {.queue = q, .line = "QueueDequeueV2 q component_types={int32}"};
  start_waiting(&take);
  do_call(q, "QueueEnqueueV2 q (int32:7)", TF_OK, "");
  finish(&take, TF_OK, "= int32:7\n");

  Call take_many = {.queue = q, .line = "QueueDequeueManyV2 q int32:3 component_types={int32}"};
  start_waiting(&take_many);
  do_call(q, "QueueEnqueueManyV2 q (int32[2]:1,2)", TF_OK, "");
  usleep(50000);
  CHECK(!atomic_load(&take_many.done));
  do_call(q, "QueueEnqueueManyV2 q (int32[2]:3,4)", TF_OK, "");
  finish(&take_many, TF_OK, "= int32[3]:1,2,3\n");
  do_call(q, "QueueSizeV2 q", TF_OK, "= int32:1\n");
}

static void enqueue_waits_for_room(void) {
  const char* q =
      "FIFOQueueV2 component_types={int32} shapes={[]} capacity=2 shared_name=room -> q";
  Call bring = {.queue = q, .line = "QueueEnqueueManyV2 q (int32[5]:1,2,3,4,5)"};
  start_waiting(&bring);
  do_call(q, "QueueDequeueV2 q component_types={int32}", TF_OK, "= int32:1\n");
  // Those who want many take them as they come: more than there is ever room for.
  do_call(q, "QueueDequeueManyV2 q int32:4 component_types={int32}", TF_OK,
          "= int32[4]:2,3,4,5\n");
  finish(&bring, TF_OK, "");
}

static void close_ends_waiting(void) {
  const char* q = "FIFOQueueV2 component_types={int32} shapes={[]} shared_name=ends -> q";
  Call take = {.queue = q, .line = "QueueDequeueV2 q component_types={int32}"};
  start_waiting(&take);
  do_call(q, "QueueCloseV2 q", TF_OK, "");
  finish(&take, TF_OUT_OF_RANGE, "");

  const char* p = "FIFOQueueV2 component_types={int32} shapes={[]} shared_name=part -> q";
  Call take_many = {.queue = p, .line = "QueueDequeueManyV2 q int32:3 component_types={int32}"};
  do_call(p, "QueueEnqueueV2 q (int32:1)", TF_OK, "");
  start_waiting(&take_many);
  do_call(p, "QueueCloseV2 q cancel_pending_enqueues=true", TF_OK, "");
  finish(&take_many, TF_OUT_OF_RANGE, "");
  do_call(p, "QueueDequeueUpToV2 q int32:3 component_types={int32}", TF_OK, "= int32[1]:1\n");
}

static void close_waits_for_those_who_came_before(void) {
  const char* q = "FIFOQueueV2 component_types={int32} capacity=1 shared_name=before -> q";
  do_call(q, "QueueEnqueueV2 q (int32:1)", TF_OK, "");
  Call bring = {.queue = q, .line = "QueueEnqueueV2 q (int32:2)"};
  start_waiting(&bring);
  Call end = {.queue = q, .line = "QueueCloseV2 q"};
  start_waiting(&end);
  do_call(q, "QueueIsClosedV2 q", TF_OK, "= bool:false\n");
  do_call(q, "QueueDequeueV2 q component_types={int32}", TF_OK, "= int32:1\n");
  finish(&bring, TF_OK, "");
  finish(&end, TF_OK, "");
  do_call(q, "QueueIsClosedV2 q", TF_OK, "= bool:true\n");
  do_call(q, "QueueDequeueV2 q component_types={int32}", TF_OK, "= int32:2\n");
  do_call(q, "QueueDequeueV2 q component_types={int32}", TF_OUT_OF_RANGE, "");
}

static void close_sends_those_away_who_bring(void) {
  const char* q = "FIFOQueueV2 component_types={int32} capacity=1 shared_name=away -> q";
  do_call(q, "QueueEnqueueV2 q (int32:1)", TF_OK, "");
  Call bring = {.queue = q, .line = "QueueEnqueueV2 q (int32:2)"};
  start_waiting(&bring);
  do_call(q, "QueueCloseV2 q cancel_pending_enqueues=true", TF_OK, "");
  finish(&bring, TF_CANCELLED, "");
  do_call(q, "QueueDequeueV2 q component_types={int32}", TF_OK, "= int32:1\n");
}

// The calls that wait are in the midst of TFE_Execute when their context is deleted: they end, and so may
// the op and its inputs after it.
static void the_end_of_the_context_ends_waiting(void) {
  if (on_tensorflow()) return;
  const char* q =
      "FIFOQueueV2 component_types={int32} shapes={[]} capacity=1 shared_name=context -> q";
  const char* full =
      "FIFOQueueV2 component_types={int32} shapes={[]} capacity=1 shared_name=full -> q";
  TFE_Context* const shared = ctx;
  for (int i = 0; i < 3; ++i) {
    ctx = new_context();
    do_call(full, "QueueEnqueueV2 q (int32:1)", TF_OK, "");
    Call take = {.queue = q, .line = "QueueDequeueV2 q component_types={int32}"};
    Call take_many = {.queue = q, .line = "QueueDequeueManyV2 q int32:2 component_types={int32}"};
    Call bring = {.queue = full, .line = "QueueEnqueueV2 q (int32:2)"};
    start(&take);
    start(&take_many);
    start_waiting(&bring);
    delete_context(ctx);
    finish(&take, TF_CANCELLED, "");
    finish(&take_many, TF_CANCELLED, "");
    finish(&bring, TF_CANCELLED, "");
  }
  ctx = shared;
}

static void who_is_cancelled_goes_and_takes_nothing(void) {
  const char* q = "FIFOQueueV2 component_types={int32} shapes={[]} shared_name=cancelled -> q";
  TFE_CancellationManager* manager = TFE_NewCancellationManager();
  Call take = {
      .queue = q, .line = "QueueDequeueV2 q component_types={int32}", .cancels = manager};
  Call later = {.queue = q, .line = "QueueDequeueV2 q component_types={int32}"};
  start_waiting(&take);
  start_waiting(&later);
  TFE_CancellationManagerStartCancel(manager);
  finish(&take, TF_CANCELLED, "");
  do_call(q, "QueueEnqueueV2 q (int32:7)", TF_OK, "");
  finish(&later, TF_OK, "= int32:7\n");
  TFE_DeleteCancellationManager(manager);
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(dequeue_waits_for_an_element);
  RUN(enqueue_waits_for_room);
  RUN(close_ends_waiting);
  RUN(close_waits_for_those_who_came_before);
  RUN(close_sends_those_away_who_bring);
  RUN(who_is_cancelled_goes_and_takes_nothing);
  RUN(the_end_of_the_context_ends_waiting);
  delete_context(ctx);
  TF_DeleteStatus(status);
  return check_result("queues");
}
