// The kinds of value that an attr of an op can have.
#ifndef TENSORFLOW_C_TF_ATTRTYPE_H_
#define TENSORFLOW_C_TF_ATTRTYPE_H_

#ifdef __cplusplus
extern "C" {
#endif

// A list attr has the kind of its elements; whether it is a list is told beside it (`is_list`).
typedef enum TF_AttrType {
  TF_ATTR_STRING = 0,
  TF_ATTR_INT = 1,
  TF_ATTR_FLOAT = 2,
  TF_ATTR_BOOL = 3,
  TF_ATTR_TYPE = 4,         // a TF_DataType
  TF_ATTR_SHAPE = 5,        // dimensions may be unknown, or the rank
  TF_ATTR_TENSOR = 6,
  TF_ATTR_PLACEHOLDER = 7,  // inside a function body: the value comes from the caller's attrs
  TF_ATTR_FUNC = 8          // the name of a function with attrs of its own
} TF_AttrType;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_C_TF_ATTRTYPE_H_
