// Calls that kernels refuse, and calls at the border that they take, with TensorFlow's codes.
#ifndef TFE_TESTS_KERNEL_ERRORS_H_
#define TFE_TESTS_KERNEL_ERRORS_H_

#include "error_case.h"

static const ErrorCase kKernelCases[] = {
    // Products of matrices.
    {"batches differ", "BatchMatMulV2 float[2,2,2] float[3,2,2]", TF_INVALID_ARGUMENT, kSame},
    {"inner dimensions differ", "BatchMatMulV2 float[2,2,3] float[2,2,2]", TF_INVALID_ARGUMENT, kSame},
    {"bias of another length", "BiasAdd float[2,3] float[2]", TF_INVALID_ARGUMENT, kSame},

    // Elementwise.
    {"integer division by 0", "Div int32[2]:1,2 int32[2]:0,1", TF_INVALID_ARGUMENT, kSame},
    {"floor division by 0", "FloorDiv int32[2]:1,2 int32[2]:0,1", TF_INVALID_ARGUMENT, kSame},
    {"floor modulus by 0", "FloorMod int32[2]:1,2 int32[2]:0,1", TF_INVALID_ARGUMENT, kSame},
    {"truncated division by 0", "TruncateDiv int32[2]:1,2 int32[2]:0,1", TF_INTERNAL, kSame},
    {"smallest by -1", "Div int32:-2147483648 int32:-1", TF_OK, kSame},
    {"smallest by -1, floor", "FloorDiv int32:-2147483648 int32:-1", TF_OK, kSame},
    {"smallest modulo -1", "FloorMod int32:-2147483648 int32:-1", TF_OK, kSame},
    {"division by 0.0", "RealDiv float:1 float:0", TF_OK, kSame},
    {"negative power of an integer", "Pow int32:2 int32:-1", TF_INVALID_ARGUMENT, kSame},
    {"equal shapes", "Equal float[2] float[3]", TF_INVALID_ARGUMENT, kSame},
    {"equal shapes, no error", "Equal float[2] float[3] incompatible_shape_error=false", TF_OK, kSame},
    {"select shapes", "Select bool:true float[2] float[3]", TF_INVALID_ARGUMENT, kSame},
    {"select by a condition of another shape", "Select bool[3]:true,true,true float[2] float[2]",
     TF_INVALID_ARGUMENT, kSame},
    {"cast NaN", "Cast float[2]:nan,1e20 DstT=int32", TF_OK, kSame},
    {"assert", "Assert bool:false (string:oops int32[2]:1,2)", TF_INVALID_ARGUMENT, kSame},
    {"softmax of a scalar", "Softmax float:1", TF_INVALID_ARGUMENT, kSame},

    // Shapes.
    {"reshape to fewer", "Reshape float[2,3] int32[1]:5", TF_INVALID_ARGUMENT, kSame},
    {"reshape with two -1", "Reshape float[2,3] int32[2]:-1,-1", TF_INVALID_ARGUMENT, kSame},
    {"reshape that does not divide", "Reshape float[2,3] int32[2]:4,-1", TF_INVALID_ARGUMENT, kSame},
    {"reshape to -2", "Reshape float[2,3] int32[2]:-2,3", TF_INVALID_ARGUMENT, kSame},
    {"reshape by a matrix", "Reshape float[2,3] int32[1,2]:3,2", TF_INVALID_ARGUMENT, kSame},
    {"reshape of nothing", "Reshape float[0,3] int32[2]:-1,0", TF_OK, kSame},
    {"reshape beyond all numbers", "Reshape float[2,3] int64[2]:4611686018427387904,4611686018427387904",
     TF_INVALID_ARGUMENT, kSame},
    {"reshape by floats", "Reshape float[2,2] float[1]:4", TF_INVALID_ARGUMENT, kSame},
    {"expand at 5", "ExpandDims float[2] int32:5", TF_INVALID_ARGUMENT, kSame},
    {"squeeze a dimension of 2", "Squeeze float[2,1] squeeze_dims={0}", TF_INVALID_ARGUMENT, kSame},
    {"squeeze at 4", "Squeeze float[2,1] squeeze_dims={4}", TF_INVALID_ARGUMENT, kSame},
    {"transpose by too few", "Transpose float[2,3] int32[1]:0", TF_INVALID_ARGUMENT, kSame},
    {"transpose twice the same", "Transpose float[2,3] int32[2]:0,0", TF_INVALID_ARGUMENT, kSame},
    {"transpose at 5", "Transpose float[2,3] int32[2]:0,5", TF_INVALID_ARGUMENT, kSame},

    // Moving elements.
    {"pack shapes", "Pack (float[2] float[3])", TF_INVALID_ARGUMENT, kSame},
    {"pack axis", "Pack (float[2] float[2]) axis=5", TF_INVALID_ARGUMENT, kSame},
    {"unpack into too few", "Unpack float[3,2] num=2", TF_INVALID_ARGUMENT, kSame},
    {"split into nothing", "Split num_split=0 int32:0 float[4]", TF_INVALID_ARGUMENT, kSame},
    {"split without a number", "Split int32:0 float[4]", TF_NOT_FOUND, kSame},
    {"split that does not divide", "Split num_split=3 int32:0 float[4]", TF_INVALID_ARGUMENT, kSame},
    {"split axis", "Split num_split=2 int32:3 float[4]", TF_INVALID_ARGUMENT, kSame},
    {"split sizes", "SplitV num_split=2 float[4] int32[2]:1,2 int32:0", TF_INVALID_ARGUMENT, kSame},
    {"tile by too few", "Tile float[2,3] int32[1]:2", TF_INVALID_ARGUMENT, kSame},
    {"tile by -1", "Tile float[2] int32[1]:-1", TF_INVALID_ARGUMENT, kSame},
    {"pad by -1", "Pad float[2] int32[1,2]:-1,0", TF_INVALID_ARGUMENT, kSame},
    {"pad by too few", "Pad float[2,2] int32[1,2]:1,0", TF_INVALID_ARGUMENT, kSame},
    {"mirror of no such mode", "MirrorPad float[2] int32[1,2]:1,1 mode=BOGUS", TF_INVALID_ARGUMENT, kSame},
    {"slice too long", "Slice float[4] int32[1]:2 int32[1]:5", TF_INVALID_ARGUMENT, kSame},
    {"slice from -1", "Slice float[4] int32[1]:-1 int32[1]:1", TF_INVALID_ARGUMENT, kSame},
    {"broadcast 2 to 3", "BroadcastTo float[2] int32[1]:3", TF_INVALID_ARGUMENT, kSame},
    {"broadcast to -3", "BroadcastTo float[1] int32[1]:-3", TF_INVALID_ARGUMENT, kSame},
    {"gather at 3 of 3", "Gather float[3] int32[1]:3", TF_INVALID_ARGUMENT, kSame},
    {"gather at 5 of 3", "GatherV2 float[3] int32[2]:0,5 int32:0", TF_INVALID_ARGUMENT, kSame},
    {"gather at -1", "GatherV2 float[3] int32[1]:-1 int32:0", TF_INVALID_ARGUMENT, kSame},
    {"gather axis", "GatherV2 float[3] int32[1]:0 int32:2", TF_INVALID_ARGUMENT, kSame},
    {"gather a point outside", "GatherNd float[2,2] int32[1,2]:0,5", TF_INVALID_ARGUMENT, kSame},
    {"scatter to a point outside", "ScatterNd int32[1,1]:9 float[1] int32[1]:4", TF_INVALID_ARGUMENT, kSame},
    {"update a point outside", "TensorScatterUpdate float[4] int32[1,1]:9 float[1]",
     TF_INVALID_ARGUMENT, kSame},
    {"one-hot of depth -1", "OneHot int32[2]:0,1 int32:-1 float:1 float:0", TF_INVALID_ARGUMENT, kSame},
    {"one-hot of what is outside", "OneHot int32[3]:0,7,-1 int32:2 float:1 float:0", TF_OK, kSame},
    {"unique of a matrix", "Unique float[2,2]", TF_INVALID_ARGUMENT, kSame},

    // Making elements.
    {"fill -2", "Fill int32[1]:-2 float:1", TF_INVALID_ARGUMENT, kSame},
    {"fill beyond all numbers", "Fill int64[3]:1099511627776,1099511627776,4 float:1",
     TF_INVALID_ARGUMENT, kSame},
    {"fill a scalar number", "Fill int32:2 float:1", TF_OK, kSame},
    {"fill with a vector", "Fill int32[1]:2 float[2]", TF_INVALID_ARGUMENT, kSame},
    {"range by 0", "Range int32:0 int32:5 int32:0", TF_INVALID_ARGUMENT, kSame},
    {"range the wrong way", "Range int32:0 int32:5 int32:-1", TF_INVALID_ARGUMENT, kSame},
    {"range too long to be had", "Range int64:0 int64:1125899906842624 int64:1",
     TF_RESOURCE_EXHAUSTED, kSame},
    {"no points on a line", "LinSpace float:0 float:1 int32:0", TF_INVALID_ARGUMENT, kSame},

    // Reductions.
    {"greatest of nothing", "Max float[0] int32:0", TF_OK, kSame},
    {"mean of nothing", "Mean float[0] int32:0", TF_OK, kSame},
    {"arg max axis", "ArgMax float[2] int32:1", TF_INVALID_ARGUMENT, kSame},
    {"arg max of nothing", "ArgMax float[0] int32:0", TF_INVALID_ARGUMENT, kSame},
    {"segments not in order", "SegmentSum float[3] int32[3]:1,0,2", TF_INVALID_ARGUMENT, kSame},
    {"segment -1", "SegmentSum float[3] int32[3]:-1,0,2", TF_INVALID_ARGUMENT, kSame},
    {"segment 9 of 3", "UnsortedSegmentSum float[3] int32[3]:0,1,9 int32:3", TF_INVALID_ARGUMENT, kSame},
    {"segment -1 is left out", "UnsortedSegmentSum float[3] int32[3]:0,-1,1 int32:3", TF_OK, kSame},
    {"-3 segments", "UnsortedSegmentSum float[3] int32[3]:0,1,1 int32:-3", TF_INVALID_ARGUMENT, kSame},
    {"cumulated axis", "Cumsum float[3] int32:4", TF_INVALID_ARGUMENT, kSame},

    // Lists.
    {"list of two types", "AddN (float[2,2] int32:1)", TF_INVALID_ARGUMENT, kSame},
    {"list one by one", "AddN float[2] float[2] N=2 T=float", TF_OK, kSame},
    {"list one by one, no N", "AddN float[2] float[2]", TF_INVALID_ARGUMENT, kSame},
    {"list shorter than N", "AddN N=3 T=float float[2] float[2]", TF_INVALID_ARGUMENT, kSame},
    {"list of nothing", "AddN ()", TF_INVALID_ARGUMENT, kTensorFlowDies},

    // Strings and files.
    {"no number", "StringToNumber string:12x", TF_INVALID_ARGUMENT, kSame},
    {"part outside", "Substr string:abc int32:7 int32:1", TF_INVALID_ARGUMENT, kSame},
    {"no such file", "ReadFile string:/no/such/file", TF_NOT_FOUND, kSame},

    // Variables.
    {"destroy nothing",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nDestroyResourceOp v ignore_lookup_error=false",
     TF_NOT_FOUND, kSame},
    {"read what was destroyed",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nAssignVariableOp v float[2]\n"
     "DestroyResourceOp v\nReadVariableOp v dtype=float",
     TF_FAILED_PRECONDITION, kSame},
    {"add another shape",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nAssignVariableOp v float[2]\n"
     "AssignAddVariableOp v float[3]",
     TF_INVALID_ARGUMENT, kSame},
    {"add to nothing", "VarHandleOp dtype=float shape=? shared_name=v -> v\nAssignAddVariableOp v float[3]",
     TF_NOT_FOUND, kSame},
    {"gather row 7 of 3",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nAssignVariableOp v float[3]\n"
     "ResourceGather v int32[1]:7 dtype=float",
     TF_INVALID_ARGUMENT, kSame},
    {"scatter to row 7 of 3",
     "VarHandleOp dtype=float shape=? shared_name=v -> v\nAssignVariableOp v float[3]\n"
     "ResourceScatterAdd v int32[1]:7 float[1]",
     TF_INVALID_ARGUMENT, kSame},
    {"variable too large", "VarHandleOp dtype=float shape=[4611686018427387904,4611686018427387904]",
     TF_INVALID_ARGUMENT, kSame},
};

#endif  // TFE_TESTS_KERNEL_ERRORS_H_
