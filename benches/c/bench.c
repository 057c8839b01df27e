// Times a library with the eager C API of TensorFlow 2.x.
//
//   bench LIBRARY [-t THREADS] [-m MILLISECONDS] [-r REPEATS] [-f SUBSTRING]
//
// One line a case on standard output: name, median, minimum and maximum nanoseconds (or kB) of one operation. The cold
// cases run in processes of their own. `cargo xtask bench --vs LIBRARY` runs two libraries in turn and compares.
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "library.h"
#include "pb.h"

static int threads = 1, repeats = 7;
static double milliseconds = 20;
static const char* filter = "";
static const char* path;
static TFE_Context* ctx;
static _Thread_local TF_Status* status;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void must(const char* what) {
  if (p_TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "bench: %s: %s\n", what, p_TF_Message(status));
  exit(1);
}

// ---- values -------------------------------------------------------------------------------------

static TFE_TensorHandle* tensor(TF_DataType dtype, const int64_t* dims, int rank, const void* data, size_t bytes) {
  TF_Tensor* t = p_TF_AllocateTensor(dtype, dims, rank, bytes);
  memcpy(p_TF_TensorData(t), data, bytes);
  TFE_TensorHandle* h = p_TFE_NewTensorHandle(t, status);
  must("TFE_NewTensorHandle");
  p_TF_DeleteTensor(t);
  return h;
}

static TFE_TensorHandle* floats(const int64_t* dims, int rank) {
  size_t n = 1;
  for (int i = 0; i < rank; i++) n *= (size_t)dims[i];
  float* data = malloc(n * sizeof *data);
  for (size_t i = 0; i < n; i++) data[i] = (float)(i % 251) / 251;
  TFE_TensorHandle* h = tensor(TF_FLOAT, dims, rank, data, n * sizeof *data);
  free(data);
  return h;
}

static TFE_TensorHandle* matrix(int64_t rows, int64_t columns) {
  const int64_t dims[] = {rows, columns};
  return floats(dims, 2);
}

static TFE_TensorHandle* vector(int64_t n) { return floats(&n, 1); }

static TFE_TensorHandle* scalar(float value) { return tensor(TF_FLOAT, NULL, 0, &value, sizeof value); }

static TFE_TensorHandle* ints(int n, const int32_t* values) {
  const int64_t dim = n;
  return tensor(TF_INT32, &dim, 1, values, (size_t)n * sizeof *values);
}

// ---- one call of an op --------------------------------------------------------------------------

typedef struct Call {
  const char* op;
  TFE_TensorHandle* inputs[4];
  void (*attrs)(TFE_Op*);
  const char* device;
  int list;  // Whether all inputs but the last are one list argument.
} Call;

static int input_count(const Call* c) {
  int n = 0;
  while (n < 4 && c->inputs[n] != NULL) n++;
  return n;
}

static void start(TFE_Op* op, const Call* c) {
  const int n = input_count(c);
  if (c->device != NULL) p_TFE_OpSetDevice(op, c->device, status);
  if (c->list) p_TFE_OpAddInputList(op, (TFE_TensorHandle**)c->inputs, n - 1, status);
  for (int i = c->list ? n - 1 : 0; i < n; i++) p_TFE_OpAddInput(op, c->inputs[i], status);
  if (c->attrs != NULL) c->attrs(op);
}

static TFE_TensorHandle* run(const Call* c) {
  TFE_Op* op = p_TFE_NewOp(ctx, c->op, status);
  must(c->op);
  start(op, c);
  TFE_TensorHandle* results[2] = {NULL, NULL};
  int n = 2;
  p_TFE_Execute(op, results, &n, status);
  must(c->op);
  p_TFE_DeleteOp(op);
  if (n > 1) p_TFE_DeleteTensorHandle(results[1]);
  return n > 0 ? results[0] : NULL;
}

static void matmul_attrs(TFE_Op* op) {
  p_TFE_OpSetAttrBool(op, "transpose_a", 0);
  p_TFE_OpSetAttrBool(op, "transpose_b", 0);
  p_TFE_OpSetAttrType(op, "T", TF_FLOAT);
}

static void float_dtype(TFE_Op* op) { p_TFE_OpSetAttrType(op, "dtype", TF_FLOAT); }

static void variable_attrs(TFE_Op* op) {
  float_dtype(op);
  p_TFE_OpSetAttrShape(op, "shape", NULL, 0, status);
  p_TFE_OpSetAttrString(op, "shared_name", "bench", 5);
}

static void to_int32(TFE_Op* op) { p_TFE_OpSetAttrType(op, "DstT", TF_INT32); }

// ---- operations that are timed ------------------------------------------------------------------

typedef void (*Body)(const void* arg, long times);

static void call_body(const void* arg, long times) {
  for (long i = 0; i < times; i++) p_TFE_DeleteTensorHandle(run(arg));
}

static void init_op(const void* arg, long times) {
  for (long i = 0; i < times; i++) {
    TFE_Op* op = p_TFE_NewOp(ctx, ((const Call*)arg)->op, status);
    start(op, arg);
    p_TFE_DeleteOp(op);
  }
}

static void status_new_delete(const void* arg, long times) {
  (void)arg;
  for (long i = 0; i < times; i++) p_TF_DeleteStatus(p_TF_NewStatus());
}

static void tensor_new_delete(const void* arg, long times) {
  (void)arg;
  const int64_t dims[] = {2, 2};
  for (long i = 0; i < times; i++) p_TF_DeleteTensor(p_TF_AllocateTensor(TF_FLOAT, dims, 2, 16));
}

static void handle_resolve(const void* arg, long times) {
  for (long i = 0; i < times; i++) p_TF_DeleteTensor(p_TFE_TensorHandleResolve((TFE_TensorHandle*)arg, status));
}

static void handle_copy(const void* arg, long times) {
  for (long i = 0; i < times; i++) {
    p_TFE_DeleteTensorHandle(p_TFE_TensorHandleCopyToDevice((TFE_TensorHandle*)arg, ctx, "CPU:0", status));
  }
}

static void chain(const void* arg, long times) {
  const Call* c = arg;
  for (long i = 0; i < times; i++) {
    Call link = *c;
    TFE_TensorHandle* h = run(&link);
    for (int k = 1; k < 100; k++) {
      link.inputs[0] = h;
      TFE_TensorHandle* next = run(&link);
      p_TFE_DeleteTensorHandle(h);
      h = next;
    }
    p_TFE_DeleteTensorHandle(h);
  }
}

static Pb matmul_function(const char* name) {
  Pb signature = {0}, in = {0}, out = {0}, node = {0}, attr = {0}, value = {0}, ret = {0}, def = {0};
  pb_text(&signature, 1, name);
  pb_text(&in, 1, "a"), pb_int(&in, 3, TF_FLOAT), pb_bytes(&signature, 2, in.data, in.size);
  pb_text(&out, 1, "m"), pb_int(&out, 3, TF_FLOAT), pb_bytes(&signature, 3, out.data, out.size);
  pb_text(&node, 1, "matmul"), pb_text(&node, 2, "MatMul"), pb_text(&node, 3, "a"), pb_text(&node, 3, "a");
  pb_int(&value, 6, TF_FLOAT);
  pb_text(&attr, 1, "T"), pb_bytes(&attr, 2, value.data, value.size), pb_bytes(&node, 5, attr.data, attr.size);
  pb_text(&ret, 1, "m"), pb_text(&ret, 2, "matmul:product:0");
  pb_bytes(&def, 1, signature.data, signature.size);
  pb_bytes(&def, 3, node.data, node.size);
  pb_bytes(&def, 4, ret.data, ret.size);
  pb_free(&signature), pb_free(&in), pb_free(&out), pb_free(&node), pb_free(&attr), pb_free(&value), pb_free(&ret);
  return def;
}

static void add_function(const char* name) {
  Pb def = matmul_function(name);
  p_TFE_ContextAddFunctionDef(ctx, def.data, def.size, status);
  must("TFE_ContextAddFunctionDef");
  pb_free(&def);
}

static void define_call_remove(const void* arg, long times) {
  const Call* c = arg;
  for (long i = 0; i < times; i++) {
    add_function(c->op);
    p_TFE_DeleteTensorHandle(run(c));
    p_TFE_ContextRemoveFunction(ctx, c->op, status);
    must("TFE_ContextRemoveFunction");
  }
}

typedef struct Worker {
  const Call* call;
  long times;
} Worker;

static void* worker(void* arg) {
  const Worker* w = arg;
  status = p_TF_NewStatus();
  // Each thread has handles of its own: the reference counts of shared ones would be what is timed.
  Call own = *w->call;
  const int n = input_count(&own);
  for (int i = 0; i < n; i++) {
    const float x = 1;
    own.inputs[i] = tensor(TF_FLOAT, NULL, 0, &x, sizeof x);
  }
  call_body(&own, w->times);
  for (int i = 0; i < n; i++) p_TFE_DeleteTensorHandle(own.inputs[i]);
  p_TF_DeleteStatus(status);
  return NULL;
}

static void on_threads(const Call* call, long times, int count) {
  pthread_t ids[8];
  Worker w = {call, times};
  for (int i = 0; i < count; i++) pthread_create(&ids[i], NULL, worker, &w);
  for (int i = 0; i < count; i++) pthread_join(ids[i], NULL);
}

static void one_thread(const void* arg, long times) { on_threads(arg, times, 1); }
static void two_threads(const void* arg, long times) { on_threads(arg, times, 2); }

// ---- measuring ----------------------------------------------------------------------------------

static int wanted(const char* name) { return strstr(name, filter) != NULL; }

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void print_row(const char* name, double* values, int n) {
  qsort(values, (size_t)n, sizeof *values, by_value);
  printf("%s\t%.1f\t%.1f\t%.1f\n", name, values[n / 2], values[0], values[n - 1]);
  fflush(stdout);
}

static void measure(const char* name, Body body, const void* arg, double per) {
  if (!wanted(name)) return;
  body(arg, 1);
  long times = 1;
  for (;;) {
    const double t0 = now_ns();
    body(arg, times);
    const double took = now_ns() - t0;
    if (took > 0.7e6 * milliseconds || times > 100000000) break;
    const double grow = took > 1000 ? 1e6 * milliseconds / took : 1000;
    times = (long)(times * (grow < 1000 ? grow : 1000)) + 1;
  }
  double values[64];
  for (int i = 0; i < repeats; i++) {
    const double t0 = now_ns();
    body(arg, times);
    values[i] = (now_ns() - t0) / (double)times / per;
  }
  print_row(name, values, repeats);
}

static long resident_kb(void) {
  long pages = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (f != NULL && fscanf(f, "%*d %ld", &pages) != 1) pages = 0;
  if (f != NULL) fclose(f);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void open_context(void) {
  Pb config = {0};
  pb_int(&config, 2, threads);
  pb_int(&config, 5, threads);
  TFE_ContextOptions* options = p_TFE_NewContextOptions();
  p_TFE_ContextOptionsSetConfig(options, config.data, config.size, status);
  must("TFE_ContextOptionsSetConfig");
  ctx = p_TFE_NewContext(options, status);
  must("TFE_NewContext");
  p_TFE_DeleteContextOptions(options);
  pb_free(&config);
}

// What a program pays until its first result: printed as numbers for the parent.
static void cold_child(void) {
  const double t0 = now_ns();
  library_open(path);
  const double t1 = now_ns();
  status = p_TF_NewStatus();
  open_context();
  const double t2 = now_ns();
  TFE_TensorHandle* m = matrix(2, 2);
  const Call call = {.op = "MatMul", .inputs = {m, m}, .attrs = matmul_attrs};
  p_TF_DeleteTensor(p_TFE_TensorHandleResolve(run(&call), status));
  must("resolve");
  const double t3 = now_ns();
  printf("%f %f %f %f %ld\n", t1 - t0, t2 - t1, t3 - t2, t3 - t0, resident_kb());
}

static void cold(const char* program) {
  static const char* const names[] = {"cold/dlopen", "cold/first_context", "cold/first_op", "cold/until_first_result",
                                      "cold/kB_after_first_op"};
  enum { CASES = 5, RUNS = 5 };
  double values[CASES][RUNS];
  if (!wanted("cold/")) return;
  for (int i = 0; i < RUNS; i++) {
    char command[4096];
    snprintf(command, sizeof command, "'%s' '%s' -t %d --cold", program, path, threads);
    FILE* child = popen(command, "r");
    if (child == NULL || fscanf(child, "%lf %lf %lf %lf %lf", &values[0][i], &values[1][i], &values[2][i],
                                &values[3][i], &values[4][i]) != CASES) {
      fprintf(stderr, "bench: the cold run failed\n");
      exit(1);
    }
    pclose(child);
  }
  for (int k = 0; k < CASES; k++) print_row(names[k], values[k], RUNS);
}

static void dispatch(void) {
  TFE_TensorHandle *m = matrix(2, 2), *x = scalar(1), *y = scalar(2);
  const Call matmul = {.op = "MatMul", .inputs = {m, m}, .attrs = matmul_attrs};
  measure("BM_InitOp", init_op, &matmul, 1);
  measure("BM_Execute", call_body, &matmul, 1);
  add_function("MatMulFunction");
  const Call function = {.op = "MatMulFunction", .inputs = {m}};
  measure("BM_ExecuteFunction", call_body, &function, 1);
  const Call make = {.op = "VarHandleOp", .attrs = variable_attrs};
  TFE_TensorHandle* variable = run(&make);
  const Call assign = {.op = "AssignVariableOp", .inputs = {variable, x}, .attrs = float_dtype};
  run(&assign);
  const Call read = {.op = "ReadVariableOp", .inputs = {variable}, .attrs = float_dtype};
  measure("BM_ReadVariable", call_body, &read, 1);

  const Call add = {.op = "AddV2", .inputs = {x, y}};
  Call add_on = add;
  add_on.device = "/job:localhost/replica:0/task:0/device:CPU:0";
  const Call chained = {.op = "AddV2", .inputs = {m, m}};
  measure("dispatch/AddV2_scalar", call_body, &add, 1);
  measure("dispatch/AddV2_scalar_with_device", call_body, &add_on, 1);
  measure("dispatch/AddV2_2x2_chain_per_op", chain, &chained, 100);
  const Call defined = {.op = "Defined", .inputs = {m}};
  measure("dispatch/define_call_remove", define_call_remove, &defined, 1);
  measure("dispatch/AddV2_scalar_one_thread", one_thread, &add, 1);
  measure("dispatch/AddV2_scalar_two_threads", two_threads, &add, 1);

  measure("api/status_new_delete", status_new_delete, NULL, 1);
  measure("api/tensor_new_delete", tensor_new_delete, NULL, 1);
  measure("api/handle_resolve", handle_resolve, m, 1);
  measure("api/handle_copy_to_cpu", handle_copy, m, 1);
}

static void kernels(void) {
  TFE_TensorHandle *m2 = matrix(1000, 1000), *v = vector(1000), *big = vector(1 << 20);
  const int32_t zero = 0, one = 1, k10 = 10, starts[] = {1, 1}, ends[] = {999, 999}, steps[] = {2, 2};
  TFE_TensorHandle *axis0 = ints(1, &zero), *axis1 = ints(1, &one), *s = scalar(3);
  TFE_TensorHandle* k = tensor(TF_INT32, NULL, 0, &k10, sizeof k10);
  TFE_TensorHandle* along = tensor(TF_INT32, NULL, 0, &one, sizeof one);
  TFE_TensorHandle* sizes[] = {matrix(16, 16), matrix(64, 64), matrix(256, 256), matrix(512, 512)};
  static const char* const matmuls[] = {"kernel/MatMul_16", "kernel/MatMul_64", "kernel/MatMul_256", "kernel/MatMul_512"};
  for (int i = 0; i < 4; i++) {
    const Call c = {.op = "MatMul", .inputs = {sizes[i], sizes[i]}};
    measure(matmuls[i], call_body, &c, 1);
  }
  const Call calls[] = {
      {.op = "AddV2", .inputs = {v, v}},        {.op = "AddV2", .inputs = {big, big}},
      {.op = "AddV2", .inputs = {m2, v}},       {.op = "Mul", .inputs = {big, s}},
      {.op = "Sum", .inputs = {m2, axis0}},     {.op = "Sum", .inputs = {m2, axis1}},
      {.op = "Cast", .inputs = {big}, .attrs = to_int32}, {.op = "TopKV2", .inputs = {m2, k}},
      {.op = "ConcatV2", .inputs = {m2, m2, along}, .list = 1},
  };
  static const char* const names[] = {
      "kernel/AddV2_1e3",  "kernel/AddV2_1e6",  "kernel/AddV2_1e6_by_row", "kernel/Mul_1e6_by_scalar", "kernel/Sum_1e6_axis0",
      "kernel/Sum_1e6_axis1", "kernel/Cast_1e6", "kernel/TopKV2_1e6_k10", "kernel/ConcatV2_2e6",
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) measure(names[i], call_body, &calls[i], 1);
  TFE_TensorHandle *from = ints(2, starts), *to = ints(2, ends), *by = ints(2, steps);
  const Call strided = {.op = "StridedSlice", .inputs = {m2, from, to, by}};
  measure("kernel/StridedSlice_1e6_by_2", call_body, &strided, 1);
}

int main(int argc, char** argv) {
  int cold_mode = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--cold") == 0) cold_mode = 1;
    else if (argv[i][0] != '-') path = argv[i];
    else if (i + 1 == argc) path = NULL;
    else if (argv[i][1] == 't') threads = atoi(argv[++i]);
    else if (argv[i][1] == 'm') milliseconds = atof(argv[++i]);
    else if (argv[i][1] == 'r') repeats = atoi(argv[++i]);
    else if (argv[i][1] == 'f') filter = argv[++i];
  }
  if (path == NULL || repeats < 1 || repeats > 64) {
    fprintf(stderr, "usage: %s LIBRARY [-t THREADS] [-m MILLISECONDS] [-r REPEATS] [-f SUBSTRING]\n", argv[0]);
    return 2;
  }
  setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
  if (cold_mode) return cold_child(), 0;
  cold(argv[0]);
  library_open(path);
  status = p_TF_NewStatus();
  open_context();
  dispatch();
  kernels();
  return 0;
}
