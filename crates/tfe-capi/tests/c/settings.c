// What is set of a context, and asked of it: policies, soft placement, the log of placement, steps.
#include <unistd.h>

#include "api.h"
#include "tensorflow/c/eager/c_api_experimental.h"

static TFE_Context* ctx;

static void policies(void) {
  CHECK_INT(TFE_DEVICE_PLACEMENT_SILENT, TFE_ContextGetDevicePlacementPolicy(ctx));
  TFE_ContextSetThreadLocalDevicePlacementPolicy(ctx, TFE_DEVICE_PLACEMENT_EXPLICIT);
  CHECK_INT(TFE_DEVICE_PLACEMENT_EXPLICIT, TFE_ContextGetDevicePlacementPolicy(ctx));
  if (!on_tensorflow()) {
    TFE_ContextSetThreadLocalDevicePlacementPolicy(ctx, (TFE_ContextDevicePlacementPolicy)17);
    CHECK_INT(TFE_DEVICE_PLACEMENT_EXPLICIT, TFE_ContextGetDevicePlacementPolicy(ctx));
  }
  TFE_ContextSetThreadLocalDevicePlacementPolicy(ctx, TFE_DEVICE_PLACEMENT_SILENT);
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_ContextOptionsSetDevicePlacementPolicy(options, TFE_DEVICE_PLACEMENT_WARN);
  TFE_Context* other = TFE_NewContext(options, status);
  REQUIRE_OK(status);
  CHECK_INT(TFE_DEVICE_PLACEMENT_WARN, TFE_ContextGetDevicePlacementPolicy(other));
  CHECK_INT(TFE_DEVICE_PLACEMENT_SILENT, TFE_ContextGetDevicePlacementPolicy(ctx));
  TFE_DeleteContext(other);

  TFE_ContextOptionsSetTfrt(options, true);
  CHECK(TFE_NewContext(options, status) == NULL);
  CHECK_CODE(TF_UNIMPLEMENTED, status);
  TFE_ContextOptionsSetTfrt(options, false);
  other = TFE_NewContext(options, status);
  CHECK_OK(status);
  TFE_DeleteContext(other);
  TFE_DeleteContextOptions(options);
}

static void soft_placement(void) {
  TFE_TensorHandle* m = matrix();
  for (int soft = 0; soft < 3; ++soft) {
    TFE_ContextSetSoftDevicePlacement(ctx, soft == 1, status);
    if (!on_tensorflow()) CHECK_OK(status);  // it leaves the status as it was
    TFE_Op* op = new_op(ctx, "AddV2");
    TFE_OpSetDevice(op, "/device:GPU:0", status);
    add_input(op, m);
    add_input(op, m);
    TFE_TensorHandle* sum = execute(op);
    CHECK_CODE(soft == 1 ? TF_OK : TF_INVALID_ARGUMENT, status);
    if (soft == 1) CHECK_FLOATS(sum, 2, 4, 6, 8);
    TFE_DeleteTensorHandle(sum);
    TFE_DeleteOp(op);
  }
  TFE_DeleteTensorHandle(m);
}

// What a call writes to standard error.
static size_t logged(char* text, size_t room) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const int kept = dup(2);
  fflush(stderr);
  dup2(ends[1], 2);
  TFE_TensorHandle* m = matrix();
  TFE_TensorHandle* sum = binary(ctx, "AddV2", m, m);
  fflush(stderr);
  dup2(kept, 2);
  close(ends[1]);
  close(kept);
  const ssize_t n = read(ends[0], text, room - 1);
  close(ends[0]);
  text[n > 0 ? n : 0] = '\0';
  CHECK_FLOATS(sum, 2, 4, 6, 8);
  TFE_DeleteTensorHandle(sum);
  TFE_DeleteTensorHandle(m);
  return n > 0 ? (size_t)n : 0;
}

static void log_of_placement(void) {
  char text[1000];
  CHECK_INT(0, logged(text, sizeof text));
  TFE_ContextSetLogDevicePlacement(ctx, 1, status);
  CHECK_OK(status);
  if (!on_tensorflow()) {  // it logs unless the environment says otherwise
    for (int i = 0; i < 2; ++i) {
      logged(text, sizeof text);
      CHECK(strstr(text, "op AddV2") != NULL);
      CHECK(strstr(text, "/job:localhost/replica:0/task:0/device:CPU:0") != NULL);
    }
  }
  TFE_ContextSetLogDevicePlacement(ctx, 0, status);
  CHECK_INT(0, logged(text, sizeof text));
  if (on_tensorflow()) return;
  // ConfigProto {log_device_placement: true}
  Pb config = {0};
  pb_int(&config, 8, 1);
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_ContextOptionsSetConfig(options, config.data, config.size, status);
  pb_free(&config);
  TFE_Context* usual = ctx;
  ctx = TFE_NewContext(options, status);
  TFE_DeleteContextOptions(options);
  REQUIRE_OK(status);
  CHECK(logged(text, sizeof text) != 0);
  TFE_DeleteContext(ctx);
  ctx = usual;
}

static void without_effect(void) {
  for (unsigned char enable = 0; enable < 2; ++enable) {
    TFE_ContextSetRunEagerOpAsFunction(ctx, enable, status);
    CHECK_OK(status);
    TFE_ContextSetJitCompileRewrite(ctx, enable, status);
    CHECK_OK(status);
  }
  TFE_ContextEndStep(ctx);
  TFE_ContextStartStep(ctx);
  TFE_ContextStartStep(ctx);
  TFE_ContextEndStep(ctx);
  CHECK_INT(0, TFE_GetContextId(ctx));
  CHECK(!TFE_IsCustomDevice(ctx, "/job:localhost/replica:0/task:0/device:CPU:0"));
  CHECK(!TFE_IsCustomDevice(ctx, "x"));
}

static void in_buffers(void) {
  static const char kAddress[] = "/job:localhost/replica:0/task:0";
  TF_Buffer* buffer = TF_NewBuffer();
  for (int i = 0; i < 2; ++i) {
    TFE_HostAddressSpace(ctx, buffer);
    CHECK_INT(strlen(kAddress), buffer->length);
    CHECK(memcmp(buffer->data, kAddress, buffer->length) == 0);
    if (on_tensorflow()) break;  // it forgets what the buffer held
  }
  TF_DeleteBuffer(buffer);
  buffer = TF_NewBuffer();
  TFE_GetExecutedOpNames(ctx, buffer, status);
  CHECK_OK(status);
  CHECK_INT(0, buffer->length);
  TF_DeleteBuffer(buffer);
}

// A context of a configuration: field 2 is the number of threads, field 1 how many devices there are of a type.
static TFE_Context* configured(int64_t threads, int64_t cpus) {
  Pb config = {0}, count = {0};
  pb_int(&config, 2, threads);
  pb_text(&count, 1, "CPU");
  pb_int(&count, 2, cpus);
  pb_message(&config, 1, &count);
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TF_SetStatus(status, TF_OK, "");
  TFE_ContextOptionsSetConfig(options, config.data, config.size, status);
  CHECK_OK(status);
  TFE_Context* made = TFE_NewContext(options, status);
  TFE_DeleteContextOptions(options);
  pb_free(&config);
  return made;
}

static void sizes(void) {
  static const int kNoCpus[] = {0, -1, INT32_MIN};
  for (int i = 0; i < 3; ++i) {
    CHECK(configured(1, kNoCpus[i]) == NULL);
    CHECK_CODE(TF_NOT_FOUND, status);
  }
  if (on_tensorflow()) return;  // it dies of the rest
  CHECK(configured(1, 1000000) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(configured(1, INT32_MAX) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  CHECK(configured(-1, 1) == NULL);
  CHECK_CODE(TF_INVALID_ARGUMENT, status);
  // More threads than a process may have: as many as make sense.
  TFE_Context* many = configured(INT32_MAX, 1);
  CHECK_OK(status);
  TFE_DeleteContext(many);
}

int main(void) {
  status = TF_NewStatus();
  ctx = new_context();
  RUN(policies);
  RUN(soft_placement);
  RUN(log_of_placement);
  RUN(without_effect);
  RUN(sizes);
  RUN(in_buffers);
  delete_context(ctx);
  TF_DeleteStatus(status);
  return check_result("settings");
}
