// Checks for functions that are not there yet.
#ifndef TFE_TESTS_STUB_H_
#define TFE_TESTS_STUB_H_

#include "api.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/eager/c_api_experimental.h"

// The last call said that it is not there, and its name.
static inline void missing(const char* name) {
  if (!CHECK_CODE(TF_UNIMPLEMENTED, status) || !CHECK(strstr(TF_Message(status), name) != NULL)) {
    fprintf(stderr, "  in %s\n", name);
  }
  TF_SetStatus(status, TF_OK, "");
}

static inline bool is_zero_TF_Output(TF_Output x) { return x.oper == NULL && x.index == 0; }

static inline bool is_zero_TF_Buffer(TF_Buffer x) {
  return x.data == NULL && x.length == 0 && x.data_deallocator == NULL;
}

static inline bool is_zero_TF_AttrMetadata(TF_AttrMetadata x) {
  return x.is_list == 0 && x.list_size == 0 && x.type == 0 && x.total_size == 0;
}

static inline bool is_zero_TF_WhileParams(TF_WhileParams x) {
  return x.ninputs == 0 && x.cond_graph == NULL && x.cond_inputs == NULL &&
         is_zero_TF_Output(x.cond_output) && x.body_graph == NULL && x.body_inputs == NULL &&
         x.body_outputs == NULL && x.name == NULL;
}

#endif  // TFE_TESTS_STUB_H_
