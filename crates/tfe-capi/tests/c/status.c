// TF_Status and TF_Buffer.
#include <errno.h>

#include "api.h"

static void set_and_read(void) {
  TF_Status* s = TF_NewStatus();
  CHECK_INT(TF_OK, TF_GetCode(s));
  CHECK_STR("", TF_Message(s));
  for (int code = 1; code <= 16; ++code) {
    char message[] = "with a text";
    TF_SetStatus(s, (TF_Code)code, message);
    message[0] = 'W';  // the text was copied
    CHECK_INT(code, TF_GetCode(s));
    CHECK_STR("with a text", TF_Message(s));
  }
  TF_SetStatus(s, TF_OK, "dropped");
  CHECK_INT(TF_OK, TF_GetCode(s));
  CHECK_STR("", TF_Message(s));
  TF_SetStatus(s, (TF_Code)99, "no code");
  CHECK_INT(TF_UNKNOWN, TF_GetCode(s));
  TF_SetStatus(s, TF_NOT_FOUND, "");
  CHECK_INT(TF_NOT_FOUND, TF_GetCode(s));
  CHECK_STR("", TF_Message(s));

  // A message may be longer than any buffer that is handy, and may be the status's own.
  char* longest = malloc(100001);
  memset(longest, 'x', 100000);
  longest[100000] = '\0';
  TF_SetStatus(s, TF_ABORTED, longest);
  CHECK_STR(longest, TF_Message(s));
  TF_SetStatus(s, TF_DATA_LOSS, TF_Message(s));
  CHECK_INT(TF_DATA_LOSS, TF_GetCode(s));
  CHECK_STR(longest, TF_Message(s));
  free(longest);
  TF_DeleteStatus(s);
}

// The functions of tsl_status.h are the same under other names.
static void tsl_names(void) {
  TSL_Status* s = TSL_NewStatus();
  CHECK_INT(TSL_OK, TSL_GetCode(s));
  TSL_SetStatus(s, TSL_UNAVAILABLE, "later");
  CHECK_INT(TF_UNAVAILABLE, TF_GetCode(s));
  CHECK_STR("later", TSL_Message(s));
  TSL_SetStatusFromIOError(s, ENOENT, "file");
  CHECK_INT(TSL_NOT_FOUND, TSL_GetCode(s));
  TSL_DeleteStatus(s);
}

struct seen {
  int count;
  char text[200];
};
static void visit(const char* key, const char* value, void* capture) {
  struct seen* seen = capture;
  ++seen->count;
  strcat(strcat(strcat(strcat(seen->text, key), "="), value), ";");
}

static void payloads(void) {
  TF_Status* s = TF_NewStatus();
  struct seen seen = {0, ""};
  TF_SetPayload(s, "key", "dropped, for the status is OK");
  TF_ForEachPayload(s, visit, &seen);
  CHECK_INT(0, seen.count);

  TF_SetStatus(s, TF_INTERNAL, "text");
  TF_SetPayload(s, "key", "old");
  TF_SetPayload(s, "key", "value");
  TF_ForEachPayload(s, visit, &seen);
  CHECK_INT(1, seen.count);
  CHECK_STR("key=value;", seen.text);
  CHECK_STR("text", TF_Message(s));

  TSL_SetPayload(s, "other", "");
  seen = (struct seen){0, ""};
  TSL_ForEachPayload(s, visit, &seen);
  CHECK_INT(2, seen.count);
  CHECK(strstr(seen.text, "key=value;") != NULL && strstr(seen.text, "other=;") != NULL);

  TF_SetStatus(s, TF_INTERNAL, "again");
  seen = (struct seen){0, ""};
  TF_ForEachPayload(s, visit, &seen);
  CHECK_INT(0, seen.count);
  TF_DeleteStatus(s);
}

static void io_errors(void) {
  static const struct {
    int number;
    TF_Code code;
  } kErrors[] = {
      {EINVAL, TF_INVALID_ARGUMENT},  {ENAMETOOLONG, TF_INVALID_ARGUMENT},
      {E2BIG, TF_INVALID_ARGUMENT},   {EDESTADDRREQ, TF_INVALID_ARGUMENT},
      {EDOM, TF_INVALID_ARGUMENT},    {EFAULT, TF_INVALID_ARGUMENT},
      {EILSEQ, TF_INVALID_ARGUMENT},  {ENOPROTOOPT, TF_INVALID_ARGUMENT},
      {ENOTSOCK, TF_INVALID_ARGUMENT}, {ENOTTY, TF_INVALID_ARGUMENT},
      {ETIMEDOUT, TF_DEADLINE_EXCEEDED}, {ENODEV, TF_NOT_FOUND},
      {ENOENT, TF_NOT_FOUND},         {ENXIO, TF_NOT_FOUND},
      {ESRCH, TF_NOT_FOUND},          {EEXIST, TF_ALREADY_EXISTS},
      {EADDRNOTAVAIL, TF_ALREADY_EXISTS}, {EALREADY, TF_ALREADY_EXISTS},
      {EPERM, TF_PERMISSION_DENIED},  {EACCES, TF_PERMISSION_DENIED},
      {EROFS, TF_PERMISSION_DENIED},  {ENOTEMPTY, TF_FAILED_PRECONDITION},
      {EISDIR, TF_FAILED_PRECONDITION}, {ENOTDIR, TF_FAILED_PRECONDITION},
      {EADDRINUSE, TF_FAILED_PRECONDITION}, {EBADF, TF_FAILED_PRECONDITION},
      {EBUSY, TF_FAILED_PRECONDITION}, {ECHILD, TF_FAILED_PRECONDITION},
      {EISCONN, TF_FAILED_PRECONDITION}, {ENOTCONN, TF_FAILED_PRECONDITION},
      {EPIPE, TF_FAILED_PRECONDITION}, {ETXTBSY, TF_FAILED_PRECONDITION},
      {ENOSPC, TF_RESOURCE_EXHAUSTED}, {EMFILE, TF_RESOURCE_EXHAUSTED},
      {EMLINK, TF_RESOURCE_EXHAUSTED}, {ENFILE, TF_RESOURCE_EXHAUSTED},
      {ENOBUFS, TF_RESOURCE_EXHAUSTED}, {ENOMEM, TF_RESOURCE_EXHAUSTED},
      {EDQUOT, TF_RESOURCE_EXHAUSTED}, {EFBIG, TF_OUT_OF_RANGE},
      {EOVERFLOW, TF_OUT_OF_RANGE},   {ERANGE, TF_OUT_OF_RANGE},
      {ENOSYS, TF_UNIMPLEMENTED},     {ENOTSUP, TF_UNIMPLEMENTED},
      {EAFNOSUPPORT, TF_UNIMPLEMENTED}, {EPFNOSUPPORT, TF_UNIMPLEMENTED},
      {EPROTONOSUPPORT, TF_UNIMPLEMENTED}, {ESOCKTNOSUPPORT, TF_UNIMPLEMENTED},
      {EXDEV, TF_UNIMPLEMENTED},      {EAGAIN, TF_UNAVAILABLE},
      {ECONNREFUSED, TF_UNAVAILABLE}, {ECONNABORTED, TF_UNAVAILABLE},
      {ECONNRESET, TF_UNAVAILABLE},   {EINTR, TF_UNAVAILABLE},
      {EHOSTDOWN, TF_UNAVAILABLE},    {EHOSTUNREACH, TF_UNAVAILABLE},
      {ENETDOWN, TF_UNAVAILABLE},     {ENETRESET, TF_UNAVAILABLE},
      {ENETUNREACH, TF_UNAVAILABLE},  {ENOLCK, TF_UNAVAILABLE},
      {ENOLINK, TF_UNAVAILABLE},      {EDEADLK, TF_ABORTED},
      {ESTALE, TF_ABORTED},           {ECANCELED, TF_CANCELLED},
      {EIO, TF_UNKNOWN},              {ELOOP, TF_UNKNOWN},
      {0, TF_OK},                     {123456, TF_UNKNOWN},
  };
  TF_Status* s = TF_NewStatus();
  for (size_t i = 0; i < sizeof kErrors / sizeof kErrors[0]; ++i) {
    TF_SetStatusFromIOError(s, kErrors[i].number, "context");
    if (kErrors[i].code != TF_GetCode(s)) fprintf(stderr, "errno %d:\n", kErrors[i].number);
    CHECK_CODE(kErrors[i].code, s);
  }
  TF_SetStatusFromIOError(s, ENOENT, "/no/such/file");
  CHECK_STR("/no/such/file; No such file or directory", TF_Message(s));
  TF_DeleteStatus(s);
}

static int freed;
static void* freed_data;
static size_t freed_length;
static void free_bytes(void* data, size_t length) {
  ++freed;
  freed_data = data;
  freed_length = length;
}

static void buffers(void) {
  TF_Buffer* empty = TF_NewBuffer();
  CHECK(empty->data == NULL && empty->length == 0 && empty->data_deallocator == NULL);
  TF_DeleteBuffer(empty);

  char bytes[] = "some\0bytes";
  TF_Buffer* copy = TF_NewBufferFromString(bytes, sizeof bytes);
  bytes[0] = 'S';
  CHECK(copy->data != bytes);
  CHECK_INT(sizeof bytes, copy->length);
  CHECK(memcmp(copy->data, "some\0bytes", sizeof bytes) == 0);
  const TF_Buffer view = TF_GetBuffer(copy);
  CHECK(view.data == copy->data && view.length == copy->length);
  TF_DeleteBuffer(copy);
  TF_DeleteBuffer(TF_NewBufferFromString("", 0));

  // A buffer that the caller fills is let go of by the caller's function.
  TF_Buffer* own = TF_NewBuffer();
  own->data = bytes;
  own->length = 7;
  own->data_deallocator = free_bytes;
  TF_DeleteBuffer(own);
  CHECK_INT(1, freed);
  CHECK(freed_data == bytes && freed_length == 7);
}

// The op list is an OpList: field 1, again and again.
static void op_list(void) {
  TF_Buffer* list = TF_GetAllOpList();
  REQUIRE(list != NULL);
  const unsigned char* p = list->data;
  const unsigned char* const end = p + list->length;
  int ops = 0;
  while (p < end && *p == 0x0a) {
    size_t size = 0;
    int shift = 0;
    do size |= (size_t)(*++p & 0x7f) << shift, shift += 7;
    while (*p & 0x80);
    p += 1 + size;
    ++ops;
  }
  CHECK(p == end);
  CHECK(ops >= 1799);
  TF_DeleteBuffer(list);
}

int main(void) {
  status = TF_NewStatus();
  RUN(set_and_read);
  RUN(tsl_names);
  RUN(payloads);
  RUN(io_errors);
  RUN(buffers);
  RUN(op_list);
  CHECK_STR("2.21.0", TF_Version());
  TF_DeleteStatus(status);
  return check_result("status");
}
