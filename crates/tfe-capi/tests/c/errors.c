// Calls that must fail, by code: a table of calls (calls.h) whose last one is judged. Where TensorFlow
// ends the process we give a status.
#include "calls.h"
#include "error_case.h"
#include "kernel_errors.h"

static const ErrorCase kCases[] = {
    {"baseline", "MatMul float[2,2] float[2,2]", TF_OK, kSame},

    // Names.
    {"unknown op", "NoSuchOp", TF_NOT_FOUND, kSame},
    {"another case", "MATMUL", TF_NOT_FOUND, kSame},

    // Devices. We take every usual spelling.
    {"device CPU:0", "MatMul float[2,2] float[2,2] @CPU:0", TF_OK, TF_INVALID_ARGUMENT},
    {"device cpu:0", "MatMul float[2,2] float[2,2] @cpu:0", TF_OK, TF_INVALID_ARGUMENT},
    {"device CPU", "MatMul float[2,2] float[2,2] @CPU", TF_OK, TF_INVALID_ARGUMENT},
    {"device nonsense", "MatMul @not-a-device", TF_INVALID_ARGUMENT, kSame},
    {"device without a colon", "MatMul @/device:CPU0", TF_INVALID_ARGUMENT, kSame},
    {"device CPU:x", "MatMul @/device:CPU:x", TF_INVALID_ARGUMENT, kSame},
    {"device CPU:-1", "MatMul @/device:CPU:-1", TF_INVALID_ARGUMENT, kSame},
    {"no GPU", "MatMul float[2,2] float[2,2] @/device:GPU:0", TF_INVALID_ARGUMENT, kSame},
    {"no TPU", "MatMul float[2,2] float[2,2] @/device:TPU:0", TF_INVALID_ARGUMENT, kSame},
    {"no CPU:1", "MatMul float[2,2] float[2,2] @/device:CPU:1", TF_INVALID_ARGUMENT, kSame},
    {"no such job", "MatMul float[2,2] float[2,2] @/job:worker/task:3/device:CPU:0",
     TF_INVALID_ARGUMENT, kSame},
    {"copy to no device", "let x float[2]\ncopy x GPU:0 -> y", TF_INVALID_ARGUMENT, kSame},
    {"copy to nonsense", "let x float[2]\ncopy x not-a-device -> y", TF_INVALID_ARGUMENT, kSame},

    // Inputs.
    {"too few inputs", "MatMul float[2,2]", TF_INVALID_ARGUMENT, kSame},
    {"no inputs", "MatMul", TF_INVALID_ARGUMENT, kSame},
    {"no inputs, T set", "MatMul T=float", TF_INVALID_ARGUMENT, kSame},
    {"too many inputs", "MatMul float[2,2] float[2,2] float[2,2]", TF_INVALID_ARGUMENT,
     kTensorFlowDies},
    {"input of NoOp", "NoOp float[2,2]", TF_INVALID_ARGUMENT, kTensorFlowDies},
    {"input of Const", "Const value=float:1 dtype=float float:1", TF_INVALID_ARGUMENT,
     kTensorFlowDies},
    {"types differ", "AddV2 int32:1 float[2,2]", TF_INVALID_ARGUMENT, kSame},
    {"type not allowed", "MatMul bool:true bool:true", TF_INVALID_ARGUMENT, kSame},
    {"strings not allowed", "MatMul string:a string:b", TF_INVALID_ARGUMENT, kSame},
    {"type without kernel", "MatMul uint8[2,2] uint8[2,2]", TF_NOT_FOUND, kSame},
    {"T contradicts the inputs", "MatMul T=double float[2,2] float[2,2]", TF_INVALID_ARGUMENT, kSame},
    {"T after the inputs", "MatMul float[2,2] float[2,2] T=double", TF_OK, kSame},
    {"T is no type", "MatMul T=77 float[2,2] float[2,2]", TF_INVALID_ARGUMENT, kSame},
    {"T is 0", "MatMul T=0 float[2,2] float[2,2]", TF_INVALID_ARGUMENT, kSame},
    {"T is a reference", "MatMul T=101 float[2,2] float[2,2]", TF_INVALID_ARGUMENT, kSame},
    {"list for a single input", "MatMul (float[2,2] float[2,2])", TF_INVALID_ARGUMENT, kSame},
    {"list of one for a single input", "Identity (float[2])", TF_INVALID_ARGUMENT, kSame},
    {"list of two types", "ConcatV2 (float[2] int32[2]) int32:0", TF_INVALID_ARGUMENT, kSame},
    {"empty list", "ConcatV2 () int32:0", TF_INVALID_ARGUMENT, kTensorFlowDies},
    {"list below the minimum", "ConcatV2 (float[2]) int32:0", TF_INVALID_ARGUMENT, kSame},
    {"list one by one, no N", "ConcatV2 float[2] float[2] int32:0", TF_INVALID_ARGUMENT, kSame},
    {"list one by one, with N", "ConcatV2 float[2] float[2] int32:0 N=2 T=float", TF_OK, kSame},
    {"N contradicts the list", "ConcatV2 N=3 (float[2] float[2]) int32:0", TF_INVALID_ARGUMENT, kSame},
    {"N is too large", "ConcatV2 float[2] float[2] int32:0 N=3 T=float", TF_INVALID_ARGUMENT, kSame},
    {"axis of a wrong type", "ConcatV2 (float[2] float[2]) float:0", TF_INVALID_ARGUMENT, kSame},

    // Attrs.
    {"int for bool", "MatMul transpose_a:int=1 float[2,2] float[2,2]", TF_INVALID_ARGUMENT, kSame},
    {"text for a type", "MatMul T:string=float float[2,2] float[2,2]", TF_INVALID_ARGUMENT, kSame},
    {"int for a list", "Squeeze squeeze_dims:int=0 float[1,2]", TF_INVALID_ARGUMENT, kSame},
    {"list for an int", "StridedSlice float[4] int32[1]:0 int32[1]:2 int32[1]:1 begin_mask:int={1;2}",
     TF_INVALID_ARGUMENT, kSame},
    {"unknown attr", "MatMul bogus:int=1 float[2,2] float[2,2]", TF_OK, kSame},
    {"unknown attr of a wild kind", "MatMul bogus:shape={[1];?} float[2,2] float[2,2]", TF_OK, kSame},
    {"no DstT", "Cast float[4]", TF_NOT_FOUND, kSame},
    {"no dtype", "VarHandleOp shape=[]", TF_INVALID_ARGUMENT, kSame},
    {"no shape", "VarHandleOp dtype=float", TF_INVALID_ARGUMENT, kSame},
    {"no value", "Const dtype=float", TF_INVALID_ARGUMENT, kSame},
    {"value of another type", "Const value=float[1]:1 dtype=int32", TF_INVALID_ARGUMENT, kSame},
    {"negative dimension", "VarHandleOp dtype=float shape=[-2]", TF_INVALID_ARGUMENT, kSame},
    {"N below the minimum", "StringJoin N=-1", TF_INVALID_ARGUMENT, kSame},

    // Room for results.
    {"one result too few", "TopKV2 float[4] int32:2 #1", TF_INVALID_ARGUMENT, kSame},
    {"room for none", "AddV2 float[4] float[4] #0", TF_INVALID_ARGUMENT, kSame},
    {"negative room", "AddV2 float[4] float[4] #-1", TF_INVALID_ARGUMENT, kSame},
    {"room to spare", "TopKV2 float[4] int32:2 #7", TF_OK, kSame},

    // MatMul.
    {"matmul inner", "MatMul float[2,3] float[2,3]", TF_INVALID_ARGUMENT, kSame},
    {"matmul inner, transposed", "MatMul float[2,3] float[3,2] transpose_a=true",
     TF_INVALID_ARGUMENT, kSame},
    {"matmul scalars", "MatMul float:1 float:1", TF_INVALID_ARGUMENT, kSame},
    {"matmul vectors", "MatMul float[2] float[2]", TF_INVALID_ARGUMENT, kSame},
    {"matmul rank 3", "MatMul float[2,2,2] float[2,2,2]", TF_INVALID_ARGUMENT, kSame},
    {"matmul ranks differ", "MatMul float[2,2] float[2]", TF_INVALID_ARGUMENT, kSame},
    {"matmul k 0", "MatMul float[2,0] float[0,3]", TF_OK, kSame},
    {"matmul empty", "MatMul float[0,2] float[2,3]", TF_OK, kSame},

    // AddV2, Mul.
    {"add shapes", "AddV2 float[2] float[3]", TF_INVALID_ARGUMENT, kSame},
    {"add shapes of rank 3", "AddV2 float[2,3,4] float[3,3]", TF_INVALID_ARGUMENT, kSame},
    {"mul shapes", "Mul int32[2] int32[3]", TF_INVALID_ARGUMENT, kSame},
    {"add empty and 1", "AddV2 float[0] float[1]", TF_OK, kSame},
    {"add empty and 2", "AddV2 float[0] float[2]", TF_INVALID_ARGUMENT, kSame},
    {"add wild broadcast of rank 9",
     "AddV2 float[1,2,1,2,1,2,1,2,1] float[2,1,2,1,2,1,2,1,2]", TF_UNIMPLEMENTED, kSame},
    {"add bool", "AddV2 bool:true bool:true", TF_INVALID_ARGUMENT, kSame},
    {"add strings", "AddV2 string:a string:b", TF_INVALID_ARGUMENT, kSame},
    {"mul bool", "Mul bool:true bool:true", TF_INVALID_ARGUMENT, kSame},
    {"mul strings", "Mul string:a string:b", TF_INVALID_ARGUMENT, kSame},

    // Sum.
    {"sum axis", "Sum float[2,2] int32:2", TF_INVALID_ARGUMENT, kSame},
    {"sum negative axis", "Sum float[2,2] int32:-3", TF_INVALID_ARGUMENT, kSame},
    {"sum axis twice", "Sum float[2,2] int32[2]:0,0", TF_INVALID_ARGUMENT, kSame},
    {"sum axis twice, once negative", "Sum float[2,2] int32[2]:1,-1", TF_INVALID_ARGUMENT, kSame},
    {"sum axis of a scalar", "Sum float:1 int32:0", TF_INVALID_ARGUMENT, kSame},
    {"sum float axis", "Sum float[2,2] float:0", TF_INVALID_ARGUMENT, kSame},
    {"sum of axes in a matrix", "Sum float[2,2] int32[1,1]:0", TF_OK, kSame},
    {"sum bool", "Sum bool[2]:true,true int32:0", TF_INVALID_ARGUMENT, kSame},

    // Cast.
    {"cast string", "Cast string:1 DstT=float", TF_UNIMPLEMENTED, kSame},
    {"cast to string", "Cast float:1 DstT=string", TF_UNIMPLEMENTED, kSame},
    {"cast to a resource", "Cast float:1 DstT=resource", TF_UNIMPLEMENTED, kSame},
    {"cast to no type", "Cast float:1 DstT=77", TF_INVALID_ARGUMENT, kSame},

    // ConcatV2.
    {"concat shapes", "ConcatV2 (float[2,3] float[3,4]) int32:0", TF_INVALID_ARGUMENT, kSame},
    {"concat ranks", "ConcatV2 (float[2,3] float[3]) int32:0", TF_INVALID_ARGUMENT, kSame},
    {"concat axis", "ConcatV2 (float[2,3] float[2,3]) int32:2", TF_INVALID_ARGUMENT, kSame},
    {"concat negative axis", "ConcatV2 (float[2,3] float[2,3]) int32:-3", TF_INVALID_ARGUMENT, kSame},
    {"concat scalars", "ConcatV2 (float:1 float:2) int32:0", TF_INVALID_ARGUMENT, kSame},
    {"concat axis in a vector", "ConcatV2 (float[2] float[2]) int32[2]:0,0", TF_INVALID_ARGUMENT,
     kSame},
    {"concat axis in a vector of one", "ConcatV2 (float[2] float[2]) int32[1]:0", TF_OK, kSame},

    // StridedSlice.
    {"slice stride 0", "StridedSlice float[4] int32[1]:0 int32[1]:2 int32[1]:0",
     TF_INVALID_ARGUMENT, kSame},
    {"slice index", "StridedSlice float[4] int32[1]:7 int32[1]:8 int32[1]:1 shrink_axis_mask=1",
     TF_INVALID_ARGUMENT, kSame},
    {"slice negative index",
     "StridedSlice float[4] int32[1]:-5 int32[1]:8 int32[1]:1 shrink_axis_mask=1",
     TF_INVALID_ARGUMENT, kSame},
    {"slice shrinks with a stride",
     "StridedSlice float[4] int32[1]:0 int32[1]:2 int32[1]:-1 shrink_axis_mask=1",
     TF_INVALID_ARGUMENT, kSame},
    {"slice clamps", "StridedSlice float[4] int32[1]:2 int32[1]:99 int32[1]:1", TF_OK, kSame},
    {"slice two ellipses",
     "StridedSlice float[4,4] int32[2]:0,0 int32[2]:1,1 int32[2]:1,1 ellipsis_mask=3",
     TF_INVALID_ARGUMENT, kSame},
    {"slice too many indices", "StridedSlice float[4] int32[2]:0,0 int32[2]:1,1 int32[2]:1,1",
     TF_INVALID_ARGUMENT, kSame},
    {"slice of a scalar", "StridedSlice float:4 int32[1]:0 int32[1]:1 int32[1]:1",
     TF_INVALID_ARGUMENT, kSame},
    {"slice lengths differ", "StridedSlice float[4] int32[2]:0,0 int32[1]:1 int32[1]:1",
     TF_INVALID_ARGUMENT, kSame},
    {"slice index types differ", "StridedSlice float[4] int32[1]:0 int64[1]:1 int32[1]:1",
     TF_INVALID_ARGUMENT, kSame},
    {"slice with scalars", "StridedSlice float[4] int32:0 int32:1 int32:1", TF_INVALID_ARGUMENT,
     kSame},

    // TopKV2.
    {"topk k too large", "TopKV2 float[3] int32:4", TF_INVALID_ARGUMENT, kSame},
    {"topk k negative", "TopKV2 float[3] int32:-1", TF_INVALID_ARGUMENT, kSame},
    {"topk of a scalar", "TopKV2 float:1 int32:1", TF_INVALID_ARGUMENT, kSame},
    {"topk k in a vector", "TopKV2 float[3] int32[2]:1,1", TF_INVALID_ARGUMENT, kSame},
    {"topk float k", "TopKV2 float[3] float:1", TF_INVALID_ARGUMENT, kSame},
    {"topk k 0", "TopKV2 float[3] int32:0", TF_OK, kSame},
    {"topk string", "TopKV2 string[3] int32:1", TF_INVALID_ARGUMENT, kSame},

    // StringJoin.
    {"join shapes", "StringJoin (string[2] string[3])", TF_INVALID_ARGUMENT, kSame},
    {"join ranks", "StringJoin (string[2] string[1,2])", TF_INVALID_ARGUMENT, kSame},
    {"join a scalar", "StringJoin (string[2] string:x) separator=-", TF_OK, kSame},
    {"join floats", "StringJoin (float[2] float[2])", TF_INVALID_ARGUMENT, kSame},

    // Variables.
    {"read before it is assigned",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nReadVariableOp v dtype=float",
     TF_FAILED_PRECONDITION, kSame},
    {"read as another type",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nAssignVariableOp v float[2]\n"
     "ReadVariableOp v dtype=int32",
     TF_INVALID_ARGUMENT, kSame},
    {"first value of another type",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nAssignVariableOp v int32[2] dtype=int32",
     TF_OK, kSame},
    {"later value of another type",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nAssignVariableOp v float[2] dtype=float\n"
     "AssignVariableOp v int32[2] dtype=int32",
     TF_INVALID_ARGUMENT, kSame},
    {"value of another shape",
     "VarHandleOp dtype=float shape=[3] shared_name=v -> v\nAssignVariableOp v float[2] dtype=float",
     TF_OK, kSame},
    {"handle of another type",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nAssignVariableOp v float[2] dtype=float\n"
     "VarHandleOp dtype=int32 shape=? shared_name=v -> w\nReadVariableOp w dtype=int32",
     TF_INVALID_ARGUMENT, kSame},
    {"read no resource", "ReadVariableOp float[2] dtype=float", TF_INVALID_ARGUMENT, kSame},
    {"assign to no resource", "AssignVariableOp float[2] float[2] dtype=float", TF_INVALID_ARGUMENT,
     kSame},
    {"variable of another context",
     "context other\nVarHandleOp dtype=float shape=? shared_name=v -> v\ncontext first\n"
     "ReadVariableOp v dtype=float",
     TF_FAILED_PRECONDITION, kSame},

    // More bytes than there are addresses.
    {"too large to be had",
     "AddV2 uint8[4096,1,1,1] uint8[1,4096,1,1] -> a\nAddV2 uint8[1,1,4096,1] uint8[1,1,1,4096] -> b\n"
     "AddV2 a b",
     TF_RESOURCE_EXHAUSTED, kSame},
};

static void run_case(const ErrorCase* e) {
  const int want = e->tensorflow == kSame || !on_tensorflow() ? e->code : e->tensorflow;
  if (want == kTensorFlowDies) return;
  Calls calls = {0};
  char* lines = strdup(e->calls);
  char* rest;
  const char* line = strtok_r(lines, "\n", &rest);
  while (line != NULL) {
    const char* next = strtok_r(NULL, "\n", &rest);
    call_line(&calls, line);
    if (next != NULL && TF_GetCode(status) != TF_OK) break;
    line = next;
  }
  char text[1500];
  const int got = (int)TF_GetCode(status);
  snprintf(text, sizeof text, "%s: %s gives %s (%.900s), want %s", e->name,
           line != NULL ? line : "it", code_name(got), TF_Message(status), code_name(want));
  check_that(got == want && line == NULL, __FILE__, __LINE__, text);
  check_that(got == TF_OK || TF_Message(status)[0] != '\0', __FILE__, __LINE__, e->name);
  free(lines);
  calls_end(&calls);
}

static void run_cases(const ErrorCase* cases, size_t n, const char* part_of_name) {
  for (size_t i = 0; i < n; ++i) {
    if (part_of_name == NULL || strstr(cases[i].name, part_of_name) != NULL) run_case(&cases[i]);
  }
}

int main(int argc, char** argv) {
  status = TF_NewStatus();
  const char* part_of_name = argc > 1 ? argv[1] : NULL;
  run_cases(kCases, sizeof kCases / sizeof kCases[0], part_of_name);
  run_cases(kKernelCases, sizeof kKernelCases / sizeof kKernelCases[0], part_of_name);
  TF_DeleteStatus(status);
  return check_result("errors");
}
