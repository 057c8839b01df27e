// A case of a table of errors.
#ifndef TFE_TESTS_ERROR_CASE_H_
#define TFE_TESTS_ERROR_CASE_H_

enum { kSame = -1, kTensorFlowDies = -2 };

typedef struct ErrorCase {
  const char* name;
  const char* calls;  // lines; the last is judged, the others must succeed
  int code;
  int tensorflow;  // kSame, kTensorFlowDies, or the code of TensorFlow where we mean to differ
} ErrorCase;

#endif  // TFE_TESTS_ERROR_CASE_H_
