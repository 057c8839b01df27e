// Checks for the test programs. A failed check is told with its place and counted; the program goes
// on, and its exit code tells. REQUIRE ends the program, for what all the rest hangs on.
//
// With TFE_TEST_REFERENCE in the environment the program runs on TensorFlow itself: what we do
// differently on purpose asks on_tensorflow().
#ifndef TFE_TESTS_CHECK_H_
#define TFE_TESTS_CHECK_H_

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/tf_status.h"

static atomic_int check_count, check_failures;

static inline bool on_tensorflow(void) { return getenv("TFE_TEST_REFERENCE") != NULL; }

static inline const char* code_name(int code) {
  static const char* const kNames[] = {
      "OK",          "CANCELLED",          "UNKNOWN",           "INVALID_ARGUMENT",
      "DEADLINE_EXCEEDED", "NOT_FOUND",    "ALREADY_EXISTS",    "PERMISSION_DENIED",
      "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",   "OUT_OF_RANGE",
      "UNIMPLEMENTED", "INTERNAL",         "UNAVAILABLE",       "DATA_LOSS",
      "UNAUTHENTICATED"};
  return code >= 0 && code <= 16 ? kNames[code] : "no code";
}

static inline bool check_that(bool ok, const char* file, int line, const char* what) {
  atomic_fetch_add(&check_count, 1);
  if (!ok) {
    atomic_fetch_add(&check_failures, 1);
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
  }
  return ok;
}
#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define REQUIRE(condition) \
  do { \
    if (!CHECK(condition)) exit(1); \
  } while (0)

static inline bool check_int(int64_t want, int64_t got, const char* file, int line,
                             const char* what) {
  char text[400];
  snprintf(text, sizeof text, "%s is %" PRId64 ", want %" PRId64, what, got, want);
  return check_that(want == got, file, line, text);
}
#define CHECK_INT(want, got) check_int((int64_t)(want), (int64_t)(got), __FILE__, __LINE__, #got)

static inline bool check_str(const char* want, const char* got, const char* file, int line,
                             const char* what) {
  char text[2000];
  const bool ok = got != NULL && strcmp(want, got) == 0;
  snprintf(text, sizeof text, "%s is \"%.800s\", want \"%.800s\"", what, got ? got : "(NULL)", want);
  return check_that(ok, file, line, text);
}
#define CHECK_STR(want, got) check_str((want), (got), __FILE__, __LINE__, #got)

static inline bool check_code(TF_Code want, const TF_Status* status, const char* file, int line) {
  char text[1200];
  const TF_Code got = TF_GetCode(status);
  snprintf(text, sizeof text, "status is %s (%.800s), want %s", code_name((int)got),
           TF_Message(status), code_name((int)want));
  return check_that(want == got, file, line, text);
}
#define CHECK_CODE(want, status) check_code((want), (status), __FILE__, __LINE__)
#define CHECK_OK(status) CHECK_CODE(TF_OK, (status))
#define REQUIRE_OK(status) \
  do { \
    if (!CHECK_OK(status)) exit(1); \
  } while (0)

// Runs a test function; when it fails, says which it was.
#define RUN(test) \
  do { \
    const int before = atomic_load(&check_failures); \
    test(); \
    if (atomic_load(&check_failures) != before) fprintf(stderr, "  in %s\n", #test); \
  } while (0)

// Ends main: a line with the count, and the exit code.
static inline int check_result(const char* program) {
  const int count = atomic_load(&check_count), failures = atomic_load(&check_failures);
  printf("%s: %d checks, %d failed\n", program, count, failures);
  return failures != 0 || count == 0;
}

#endif  // TFE_TESTS_CHECK_H_
