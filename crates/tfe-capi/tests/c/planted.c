// Faults to be found: each must make the program fail under what should find it. "none" is the same
// program without one.
// faults
#include <pthread.h>

#include "api.h"

static int counter;
static TF_Status* shared_status;

static void* count(void* arg) {
  for (int i = 0; i < 1000; ++i) ++counter;
  return arg;
}

// A status belongs to one thread at a time.
static void* set_status(void* arg) {
  for (int i = 0; i < 50; ++i) TF_SetStatus(shared_status, TF_ABORTED, "");
  return arg;
}

static void in_two_threads(void* (*body)(void*)) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, body, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  const char* fault = argc > 1 ? argv[1] : "none";
  status = TF_NewStatus();
  const float data[] = {1, 2, 3, 4};
  TF_Tensor* t = tensor_of(TF_FLOAT, data, DIMS(4));
  volatile float* elements = TF_TensorData(t);
  volatile char* heap = malloc(16);
  void* volatile lost;
  volatile int past = 16, large = INT32_MAX;
  CHECK(past == 16);
  if (strcmp(fault, "check") == 0) {
    CHECK(past == 17);
  } else if (strcmp(fault, "leak") == 0) {
    lost = malloc(100);
    lost = NULL;
  } else if (strcmp(fault, "leak-library") == 0) {
    lost = tensor_of(TF_FLOAT, data, DIMS(4));
    lost = NULL;
  } else if (strcmp(fault, "read") == 0) {
    past = heap[past];  // Stored: valgrind drops a load that nothing uses.
  } else if (strcmp(fault, "write") == 0) {
    TF_DeleteTensor(t);
    elements[0] = 1;
    t = NULL;
  } else if (strcmp(fault, "read-library") == 0) {
    TF_DeleteTensor(t);
    past = (int)TF_TensorByteSize(t);
    t = NULL;
  } else if (strcmp(fault, "undefined") == 0) {
    past = large + 1;
  } else if (strcmp(fault, "race") == 0) {
    in_two_threads(count);
  } else if (strcmp(fault, "race-library") == 0) {
    shared_status = TF_NewStatus();
    in_two_threads(set_status);
    TF_DeleteStatus(shared_status);
  } else if (strcmp(fault, "none") != 0) {
    fprintf(stderr, "no such fault: %s\n", fault);
    return 2;
  }
  (void)lost;
  free((void*)heap);
  TF_DeleteTensor(t);
  TF_DeleteStatus(status);
  return check_result("planted");
}
