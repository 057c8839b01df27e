// TF_TString: the 24 bytes, the inline functions, the exported ones, and string tensors.
#include <stddef.h>

#include "api.h"
#include "tensorflow/core/platform/ctstring_internal.h"

static const char kText[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvw";

static bool holds(const TF_TString* s, const char* text, size_t n) {
  return TF_TString_GetSize(s) == n && memcmp(TF_TString_GetDataPointer(s), text, n) == 0 &&
         TF_StringGetSize(s) == n && TF_StringGetDataPointer(s) == TF_TString_GetDataPointer(s) &&
         TF_StringGetType(s) == TF_TString_GetType(s) &&
         TF_StringGetCapacity(s) == TF_TString_GetCapacity(s);
}
// The same, with a NUL at the end.
static bool owns(const TF_TString* s, const char* text, size_t n) {
  return holds(s, text, n) && TF_TString_GetDataPointer(s)[n] == '\0' &&
         TF_TString_GetCapacity(s) >= n;
}

static void layout(void) {
  CHECK_INT(24, sizeof(TF_TString));
  CHECK_INT(22, TF_TString_SmallCapacity);
  CHECK_INT(1, offsetof(TF_TString_Small, str));
  CHECK_INT(8, offsetof(TF_TString_Large, cap));
  CHECK_INT(16, offsetof(TF_TString_Large, ptr));
  CHECK_INT(8, offsetof(TF_TString_View, ptr));
  CHECK_INT(16, offsetof(TF_TString_View, owner_ref));
  CHECK_INT(4, offsetof(TF_TString_Offset, offset));

  // What the library writes.
  TF_TString s;
  unsigned char bytes[24];
  memset(&s, 0xff, sizeof s);
  TF_StringInit(&s);
  memcpy(bytes, &s, 24);
  for (int i = 0; i < 24; ++i) CHECK_INT(0, bytes[i]);
  TF_StringCopy(&s, "abc", 3);
  memcpy(bytes, &s, 24);
  CHECK(memcmp(bytes, "\x0c" "abc", 5) == 0);
  TF_StringCopy(&s, kText, 23);
  CHECK_INT(23 << 2 | 1, s.u.large.size);
  CHECK_INT(31, s.u.large.cap);
  CHECK(memcmp(s.u.large.ptr, kText, 23) == 0 && s.u.large.ptr[23] == '\0');
  TF_StringAssignView(&s, kText, 5);
  CHECK_INT(5 << 2 | 3, s.u.view.size);
  CHECK(s.u.view.ptr == kText && s.u.view.owner_ref == NULL);
  TF_StringDealloc(&s);
}

// Every size around the ends of the forms, written by one side and read by both.
static void copies(void) {
  for (size_t n = 0; n < sizeof kText - 1; ++n) {
    TF_TString a, b;
    TF_TString_Init(&a);
    TF_StringInit(&b);
    TF_TString_Copy(&a, kText, n);
    TF_StringCopy(&b, kText, n);
    CHECK(owns(&a, kText, n) && owns(&b, kText, n));
    CHECK_INT(n <= 22 ? TF_TSTR_SMALL : TF_TSTR_LARGE, TF_TString_GetType(&a));
    CHECK_INT(TF_TString_GetType(&a), TF_TString_GetType(&b));
    // Over one another: what the one made, the other frees or grows.
    TF_StringCopy(&a, kText + 1, sizeof kText - 2 - n);
    TF_TString_Copy(&b, kText + 1, sizeof kText - 2 - n);
    CHECK(owns(&a, kText + 1, sizeof kText - 2 - n) && owns(&b, kText + 1, sizeof kText - 2 - n));
    TF_StringDealloc(&a);
    TF_TString_Dealloc(&b);
    CHECK_INT(0, TF_TString_GetSize(&b));
  }
  TF_TString s;
  TF_TString_Init(&s);
  TF_TString_Copy(&s, "a\0b", 3);
  CHECK(owns(&s, "a\0b", 3));
  TF_TString_Copy(&s, NULL, 0);
  CHECK(owns(&s, "", 0));
  TF_TString_Dealloc(&s);
}

static void views(void) {
  TF_TString v;
  TF_TString_Init(&v);
  TF_TString_Copy(&v, kText, 40);  // to be freed
  TF_TString_AssignView(&v, kText, 30);
  CHECK_INT(TF_TSTR_VIEW, TF_TString_GetType(&v));
  CHECK(holds(&v, kText, 30) && TF_TString_GetDataPointer(&v) == kText);
  CHECK_INT(0, TF_TString_GetCapacity(&v));
  // Writing makes it a string of its own.
  char* bytes = TF_TString_GetMutableDataPointer(&v);
  REQUIRE(bytes != NULL && bytes != kText);
  CHECK_INT(TF_TSTR_LARGE, TF_TString_GetType(&v));
  bytes[0] = 'X';
  CHECK(kText[0] == '0' && owns(&v, bytes, 30));
  TF_StringAssignView(&v, kText, 3);
  CHECK(TF_TString_GetMutableDataPointer(&v) != kText);
  CHECK(owns(&v, kText, 3));
  CHECK_INT(TF_TSTR_SMALL, TF_TString_GetType(&v));
  TF_TString_AssignView(&v, kText, 50);
  TF_StringCopy(&v, "short", 5);
  CHECK(owns(&v, "short", 5));
  TF_StringDealloc(&v);
}

static int owners;
static void owner_ref(TStringOwnerCApi* self) {
  (void)self;
  ++owners;
}
static bool owner_unref(TStringOwnerCApi* self) {
  (void)self;
  return --owners == 0;
}

static void views_with_owner(void) {
  TStringOwnerCApi owner = {owner_ref, owner_unref, NULL};
  TF_TString a, b;
  TF_TString_Init(&a);
  TF_TString_Init(&b);
  TF_TString_AssignViewWithOwner(&a, kText, 30, &owner);
  CHECK_INT(1, owners);
  TF_TString_Assign(&b, &a);
  CHECK_INT(2, owners);
  CHECK(holds(&b, kText, 30));
  TF_TString_Move(&b, &a);
  CHECK_INT(1, owners);
  CHECK_INT(0, TF_TString_GetSize(&a));
  TF_TString_AppendN(&b, "!", 1);
  CHECK_INT(0, owners);
  CHECK_INT(31, TF_TString_GetSize(&b));
  TF_TString_AssignViewWithOwner(&a, kText, 3, &owner);
  TF_StringDealloc(&a);
  CHECK_INT(0, owners);
  TF_TString_AssignViewWithOwner(&a, kText, 3, &owner);
  TF_StringCopy(&a, "x", 1);
  CHECK_INT(0, owners);
  TF_TString_Dealloc(&a);
  TF_TString_Dealloc(&b);
}

static void offsets(void) {
  struct {
    TF_TString s;
    char bytes[40];
  } block;
  memcpy(block.bytes, kText, 40);
  block.s.u.offset.size = 40 << 2 | TF_TSTR_OFFSET;
  block.s.u.offset.offset = sizeof(TF_TString);
  block.s.u.offset.count = 0;
  CHECK(holds(&block.s, kText, 40));
  TF_TString other;
  TF_TString_Init(&other);
  TF_TString_Assign(&other, &block.s);
  CHECK_INT(TF_TSTR_VIEW, TF_TString_GetType(&other));
  CHECK(holds(&other, kText, 40) && TF_TString_GetDataPointer(&other) == block.bytes);
  TF_TString_Move(&other, &block.s);
  CHECK(holds(&block.s, kText, 40) && holds(&other, kText, 40));
  TF_TString_AppendN(&block.s, "!", 1);
  CHECK_INT(41, TF_TString_GetSize(&block.s));
  CHECK(memcmp(TF_TString_GetDataPointer(&block.s), kText, 40) == 0);
  TF_TString_Dealloc(&block.s);
  TF_TString_Dealloc(&other);
}

static void resize_and_reserve(void) {
  TF_TString s;
  TF_TString_Init(&s);
  for (size_t n = 0; n < 300; n += 7) {
    const size_t old = TF_TString_GetSize(&s);
    char* bytes = TF_TString_Resize(&s, n, 'x');
    REQUIRE(bytes != NULL && bytes == TF_TString_GetDataPointer(&s));
    CHECK_INT(n, TF_TString_GetSize(&s));
    for (size_t i = old; i < n; ++i) CHECK_INT('x', bytes[i]);
    CHECK_INT('\0', bytes[n]);
  }
  const size_t large = TF_TString_GetCapacity(&s);
  TF_TString_Resize(&s, 30, 'y');
  CHECK(TF_TString_GetCapacity(&s) < large && TF_TString_GetCapacity(&s) >= 30);
  TF_TString_ResizeUninitialized(&s, 22);
  CHECK_INT(TF_TSTR_SMALL, TF_TString_GetType(&s));
  CHECK(owns(&s, "xxxxxxxxxxxxxxxxxxxxxx", 22));
  TF_TString_Reserve(&s, 10);
  CHECK_INT(TF_TSTR_SMALL, TF_TString_GetType(&s));
  TF_TString_Reserve(&s, 100);
  CHECK_INT(TF_TSTR_LARGE, TF_TString_GetType(&s));
  CHECK(TF_TString_GetCapacity(&s) >= 100 && owns(&s, "xxxxxxxxxxxxxxxxxxxxxx", 22));
  const char* there = TF_TString_GetDataPointer(&s);
  TF_TString_Resize(&s, 100, 'z');
  CHECK(TF_TString_GetDataPointer(&s) == there);
  const size_t cap = TF_TString_GetCapacity(&s);
  TF_TString_ReserveAmortized(&s, cap + 1);
  CHECK(TF_TString_GetCapacity(&s) >= 2 * cap);
  TF_StringCopy(&s, kText, 90);  // grows and shrinks in the library as well
  TF_StringCopy(&s, kText, 5);
  CHECK(owns(&s, kText, 5));
  TF_TString_Dealloc(&s);
}

static void append(void) {
  TF_TString s, t;
  TF_TString_Init(&s);
  TF_TString_Init(&t);
  for (size_t n = 0; n < sizeof kText - 1; ++n) {
    CHECK(owns(&s, kText, n));
    TF_TString_AppendN(&s, kText + n, 1);
  }
  TF_TString_AppendN(&s, NULL, 0);
  TF_TString_Append(&t, &s);
  CHECK(owns(&t, kText, sizeof kText - 1));
  TF_TString_Dealloc(&s);
  TF_TString_Dealloc(&t);
}

// A string may be copied or appended out of itself.
static void aliased(void) {
  TF_TString s;
  TF_TString_Init(&s);
  TF_TString_Copy(&s, "abcdefghijklmnopqrst", 20);
  TF_TString_Append(&s, &s);  // leaves the small form under way
  CHECK(owns(&s, "abcdefghijklmnopqrstabcdefghijklmnopqrst", 40));
  TF_TString_Append(&s, &s);
  CHECK_INT(80, TF_TString_GetSize(&s));
  CHECK(memcmp(TF_TString_GetDataPointer(&s) + 60, "abcdefghijklmnopqrst", 20) == 0);
  TF_TString_Copy(&s, TF_TString_GetDataPointer(&s) + 2, 30);
  CHECK(owns(&s, "cdefghijklmnopqrstabcdefghijkl", 30));
  TF_TString_Copy(&s, TF_TString_GetDataPointer(&s) + 1, 5);
  CHECK(owns(&s, "defgh", 5));
  TF_TString_Assign(&s, &s);
  TF_TString_Move(&s, &s);
  CHECK(owns(&s, "defgh", 5));
  TF_TString_Dealloc(&s);
}

static void impossible_sizes(void) {
  TF_TString s;
  TF_TString_Init(&s);
  TF_TString_Copy(&s, "kept", 4);
  CHECK(TF_TString_Resize(&s, SIZE_MAX, 'x') == NULL);
  CHECK(TF_TString_ResizeUninitialized(&s, SIZE_MAX / 8) == NULL);
  TF_TString_Reserve(&s, SIZE_MAX / 2);
  CHECK(owns(&s, "kept", 4));
  TF_TString_Dealloc(&s);
}

static void free_strings(void* data, size_t length, void* arg) {
  TF_TString* strings = data;
  for (size_t i = 0; i < length / sizeof(TF_TString); ++i) TF_TString_Dealloc(&strings[i]);
  free(data);
  ++*(int*)arg;
}

// Strings of every form and of many sizes go through ops and come back.
static void tensors(void) {
  TFE_Context* ctx = new_context();
  enum { kCount = 6 };
  static const size_t kSizes[kCount] = {0, 1, 22, 23, 64, 1000000};
  char* longest = malloc(kSizes[kCount - 1]);
  memset(longest, 'L', kSizes[kCount - 1]);
  int freed = 0;
  TF_TString* strings = aligned_alloc(64, 192);
  for (int i = 0; i < kCount; ++i) {
    TF_TString_Init(&strings[i]);
    if (i == 4) {
      TF_TString_AssignView(&strings[i], longest, kSizes[i]);
    } else {
      TF_TString_Copy(&strings[i], longest, kSizes[i]);
    }
  }
  const int64_t dims[] = {kCount};
  TF_Tensor* t =
      TF_NewTensor(TF_STRING, dims, 1, strings, kCount * sizeof(TF_TString), free_strings, &freed);
  REQUIRE(t != NULL);
  CHECK(TF_TensorData(t) == strings);
  TFE_TensorHandle* h = TFE_NewTensorHandle(t, status);
  REQUIRE_OK(status);
  TF_DeleteTensor(t);
  CHECK_INT(0, freed);

  TFE_Op* op = new_op(ctx, "StringJoin");
  TFE_TensorHandle* both[] = {h, h};
  TFE_OpAddInputList(op, both, 2, status);
  CHECK_OK(status);
  TFE_OpSetAttrString(op, "separator", "\0", 1);
  TFE_TensorHandle* joined = execute(op);
  REQUIRE_OK(status);
  TFE_DeleteOp(op);
  t = TFE_TensorHandleResolve(joined, status);
  TFE_DeleteTensorHandle(joined);
  CHECK_INT(TF_STRING, TF_TensorType(t));
  CHECK_INT(kCount, TF_TensorElementCount(t));
  CHECK_INT(kCount * sizeof(TF_TString), TF_TensorByteSize(t));
  for (int i = 0; i < kCount; ++i) {
    TF_TString* s = (TF_TString*)TF_TensorData(t) + i;
    const char* bytes = TF_TString_GetDataPointer(s);
    CHECK_INT(2 * kSizes[i] + 1, TF_TString_GetSize(s));
    if (TF_TString_GetSize(s) != 2 * kSizes[i] + 1) continue;
    CHECK(memcmp(bytes, longest, kSizes[i]) == 0);
    CHECK_INT('\0', bytes[kSizes[i]]);
    CHECK(memcmp(bytes + kSizes[i] + 1, longest, kSizes[i]) == 0);
    // The strings of a tensor may be changed by whoever owns it.
    TF_TString_AppendN(s, "!", 1);
    TF_StringCopy(s, kText, 40);
  }
  TF_DeleteTensor(t);
  TFE_DeleteTensorHandle(h);
  CHECK_INT(1, freed);

  // Strings in memory of the library are empty at first, and freed with it.
  t = TF_AllocateTensor(TF_STRING, DIMS(2), 2 * sizeof(TF_TString));
  REQUIRE(t != NULL);
  strings = TF_TensorData(t);
  if (on_tensorflow()) {
    TF_StringInit(&strings[0]);
    TF_StringInit(&strings[1]);
  }
  CHECK_INT(0, TF_TString_GetSize(&strings[0]));
  CHECK_INT(0, TF_TString_GetSize(&strings[1]));
  TF_TString_Copy(&strings[0], kText, 50);
  TF_StringCopy(&strings[1], kText, 60);
  h = TFE_NewTensorHandle(t, status);
  TF_DeleteTensor(t);
  TFE_TensorHandle* same = unary(ctx, "Identity", h);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(h);
  t = TFE_TensorHandleResolve(same, status);
  TFE_DeleteTensorHandle(same);
  CHECK(holds(TF_TensorData(t), kText, 50));
  CHECK(holds((TF_TString*)TF_TensorData(t) + 1, kText, 60));
  TF_DeleteTensor(t);
  TFE_DeleteContext(ctx);
  free(longest);
}

int main(void) {
  status = TF_NewStatus();
  RUN(layout);
  RUN(copies);
  RUN(views);
  RUN(views_with_owner);
  RUN(offsets);
  RUN(resize_and_reserve);
  RUN(append);
  RUN(aliased);
  RUN(impossible_sizes);
  RUN(tensors);
  TF_DeleteStatus(status);
  return check_result("tstring");
}
