// Tensors as text: "float[2,2]:1,2,3,4", "int32:5" (a scalar), "string[2]:a,b%2Cc" (bytes as %hex),
// "bool:true", "complex64:1;2" (real;imaginary). "float[2,3]" alone counts 1, 2, 3 and on.
#ifndef TFE_TESTS_VALUES_H_
#define TFE_TESTS_VALUES_H_

#include <ctype.h>
#include <math.h>
#include <stdarg.h>

#include "api.h"

typedef enum ValueClass { kFloat, kSigned, kUnsigned, kComplex, kBool, kString, kOpaque } ValueClass;

static const struct ValueType {
  const char* name;
  TF_DataType type;
  ValueClass what;
} kValueTypes[] = {
    {"float", TF_FLOAT, kFloat},         {"double", TF_DOUBLE, kFloat},
    {"half", TF_HALF, kFloat},           {"bfloat16", TF_BFLOAT16, kFloat},
    {"int8", TF_INT8, kSigned},          {"int16", TF_INT16, kSigned},
    {"int32", TF_INT32, kSigned},        {"int64", TF_INT64, kSigned},
    {"uint8", TF_UINT8, kUnsigned},      {"uint16", TF_UINT16, kUnsigned},
    {"uint32", TF_UINT32, kUnsigned},    {"uint64", TF_UINT64, kUnsigned},
    {"qint8", TF_QINT8, kSigned},        {"qint16", TF_QINT16, kSigned},
    {"qint32", TF_QINT32, kSigned},      {"quint8", TF_QUINT8, kUnsigned},
    {"quint16", TF_QUINT16, kUnsigned},  {"complex64", TF_COMPLEX64, kComplex},
    {"complex128", TF_COMPLEX128, kComplex}, {"bool", TF_BOOL, kBool},
    {"string", TF_STRING, kString},      {"resource", TF_RESOURCE, kOpaque},
    {"variant", TF_VARIANT, kOpaque},    {"int4", TF_INT4, kSigned},
    {"uint4", TF_UINT4, kUnsigned},      {"float8_e5m2", TF_FLOAT8_E5M2, kUnsigned},
    {"float8_e4m3fn", TF_FLOAT8_E4M3FN, kUnsigned}};

// Text that the tests themselves have wrong.
static inline _Noreturn void bad_text(const char* what, const char* text) {
  fprintf(stderr, "test text: %s: '%s'\n", what, text);
  exit(2);
}

static inline const struct ValueType* type_named(const char* name, size_t n) {
  for (size_t i = 0; i < sizeof kValueTypes / sizeof kValueTypes[0]; ++i) {
    if (strlen(kValueTypes[i].name) == n && memcmp(kValueTypes[i].name, name, n) == 0) {
      return &kValueTypes[i];
    }
  }
  return NULL;
}

static inline const struct ValueType* type_numbered(TF_DataType type) {
  for (size_t i = 0; i < sizeof kValueTypes / sizeof kValueTypes[0]; ++i) {
    if (kValueTypes[i].type == type) return &kValueTypes[i];
  }
  return NULL;
}

// "2,3]" to dims; `?` is -1. Returns what follows the bracket.
static inline const char* parse_dims(const char* p, int64_t* dims, int* num_dims) {
  *num_dims = 0;
  while (*p != ']') {
    char* end;
    dims[*num_dims] = *p == '?' ? (end = (char*)p + 1, -1) : strtoll(p, &end, 10);
    if (end == p || *num_dims == 16) bad_text("dimensions", p);
    ++*num_dims;
    p = *end == ',' ? end + 1 : end;
  }
  return p + 1;
}

// %hex back to bytes; returns how many.
static inline size_t unescape(const char* text, size_t n, char* bytes) {
  size_t size = 0;
  for (size_t i = 0; i < n; ++i) {
    if (text[i] == '%' && i + 2 < n && isxdigit((unsigned char)text[i + 1])) {
      const char hex[] = {text[i + 1], text[i + 2], '\0'};
      bytes[size++] = (char)strtol(hex, NULL, 16);
      i += 2;
    } else {
      bytes[size++] = text[i];
    }
  }
  return size;
}

static inline void store_real(TF_DataType type, void* to, double x) {
  const float narrow = (float)x;
  switch (type) {
    case TF_DOUBLE: memcpy(to, &x, 8); return;
    case TF_FLOAT: memcpy(to, &narrow, 4); return;
    case TF_HALF: {
      const _Float16 half = (_Float16)x;
      memcpy(to, &half, 2);
      return;
    }
    default: {  // bfloat16: the upper half of the float
      uint32_t bits;
      memcpy(&bits, &narrow, 4);
      const uint16_t upper = (uint16_t)(bits >> 16);
      memcpy(to, &upper, 2);
    }
  }
}

static inline double load_real(TF_DataType type, const void* from) {
  switch (type) {
    case TF_DOUBLE: { double x; memcpy(&x, from, 8); return x; }
    case TF_FLOAT: { float x; memcpy(&x, from, 4); return x; }
    case TF_HALF: { _Float16 x; memcpy(&x, from, 2); return (double)x; }
    default: {
      uint16_t upper;
      memcpy(&upper, from, 2);
      const uint32_t bits = (uint32_t)upper << 16;
      float x;
      memcpy(&x, &bits, 4);
      return x;
    }
  }
}

// One element of `n` characters.
static inline void store_element(const struct ValueType* t, size_t size, void* to, const char* text,
                                 size_t n) {
  char* end = (char*)text + n;
  switch (t->what) {
    case kFloat: store_real(t->type, to, strtod(text, &end)); break;
    case kSigned: { const int64_t v = strtoll(text, &end, 0); memcpy(to, &v, size); break; }
    case kUnsigned: { const uint64_t v = strtoull(text, &end, 0); memcpy(to, &v, size); break; }
    case kBool: *(char*)to = *text == 't'; break;
    case kComplex: {
      const TF_DataType part = t->type == TF_COMPLEX64 ? TF_FLOAT : TF_DOUBLE;
      store_real(part, to, strtod(text, &end));
      if (*end != ';') bad_text("complex", text);
      store_real(part, (char*)to + size / 2, strtod(end + 1, &end));
      break;
    }
    case kString: {
      char* bytes = malloc(n + 1);
      const size_t length = unescape(text, n, bytes);
      TF_TString_Init(to);
      TF_TString_Copy(to, bytes, length);
      free(bytes);
      break;
    }
    default: bad_text("a value of an opaque type", text);
  }
  if (end != text + n) bad_text("element", text);
}

static inline TF_Tensor* parse_tensor(const char* text) {
  const struct ValueType* t = type_named(text, strcspn(text, "[:"));
  if (t == NULL) bad_text("type", text);
  const char* p = text + strlen(t->name);
  int64_t dims[16], count = 1;
  int num_dims = 0;
  if (*p == '[') p = parse_dims(p + 1, dims, &num_dims);
  for (int i = 0; i < num_dims; ++i) count *= dims[i];
  const size_t size = t->what == kString ? sizeof(TF_TString) : TF_DataTypeSize(t->type);
  TF_Tensor* tensor = TF_AllocateTensor(t->type, dims, num_dims, (size_t)count * size);
  if (tensor == NULL) bad_text("no tensor", text);
  char* to = TF_TensorData(tensor);
  if (*p == ':') ++p;
  else p = NULL;
  for (int64_t i = 0; i < count; ++i, to += size) {
    char number[32];
    snprintf(number, sizeof number, t->what == kComplex ? "%d;0" : "%d", (int)i + 1);
    const char* element = p != NULL ? p : number;
    const size_t n = strcspn(element, ",");
    store_element(t, size, to, element, n);
    if (p != NULL) p += n + (p[n] == ',' && i + 1 < count);
  }
  if (p != NULL && *p != '\0') bad_text("more elements than the shape has", text);
  return tensor;
}

// Text that grows.
typedef struct Text {
  char* data;
  size_t size;
} Text;

static inline void text_add(Text* t, const char* format, ...) {
  char piece[600];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  t->data = realloc(t->data, t->size + (size_t)n + 1);
  memcpy(t->data + t->size, piece, (size_t)n + 1);
  t->size += (size_t)n;
}

static inline void text_real(Text* out, TF_DataType type, const void* from) {
  const double x = load_real(type, from);
  if (isnan(x)) text_add(out, "nan");
  else text_add(out, "%.*g", type == TF_DOUBLE ? 17 : type == TF_FLOAT ? 9 : 5, x);
}

static inline void text_element(Text* out, const struct ValueType* t, size_t size,
                                const char* from) {
  int64_t i = 0;
  uint64_t u = 0;
  switch (t->what) {
    case kFloat: text_real(out, t->type, from); break;
    case kSigned:
      memcpy(&i, from, size);
      i = (int64_t)((uint64_t)i << (64 - 8 * size)) >> (64 - 8 * size);
      text_add(out, "%" PRId64, i);
      break;
    case kUnsigned:
      memcpy(&u, from, size);
      text_add(out, "%" PRIu64, u);
      break;
    case kBool: text_add(out, *from ? "true" : "false"); break;
    case kComplex:
      text_real(out, t->type == TF_COMPLEX64 ? TF_FLOAT : TF_DOUBLE, from);
      text_add(out, ";");
      text_real(out, t->type == TF_COMPLEX64 ? TF_FLOAT : TF_DOUBLE, from + size / 2);
      break;
    default: {
      const TF_TString* s = (const TF_TString*)from;
      for (size_t k = 0; k < TF_TString_GetSize(s); ++k) {
        const unsigned char c = (unsigned char)TF_TString_GetDataPointer(s)[k];
        text_add(out, isalnum(c) || (c != 0 && strchr("_-./!", c)) ? "%c" : "%%%02X", c);
      }
    }
  }
}

// The text of a tensor, as parse_tensor takes it but for the end of a very long one; to be freed.
static inline char* text_of_tensor(const TF_Tensor* tensor) {
  Text out = {NULL, 0};
  const struct ValueType* t = type_numbered(TF_TensorType(tensor));
  if (t == NULL) {
    text_add(&out, "type %d", TF_TensorType(tensor));
    return out.data;
  }
  text_add(&out, "%s", t->name);
  const int num_dims = TF_NumDims(tensor);
  for (int i = 0; i < num_dims; ++i) {
    text_add(&out, "%c%" PRId64, i == 0 ? '[' : ',', TF_Dim(tensor, i));
  }
  if (num_dims > 0) text_add(&out, "]");
  if (t->what == kOpaque) return out.data;
  const size_t size = t->what == kString ? sizeof(TF_TString) : TF_DataTypeSize(t->type);
  const char* from = TF_TensorData(tensor);
  const int64_t count = TF_TensorElementCount(tensor);
  text_add(&out, ":");
  for (int64_t i = 0; i < count; ++i, from += size) {
    if (i != 0) text_add(&out, ",");
    if (i == 1000) {
      text_add(&out, "...");
      break;
    }
    text_element(&out, t, size, from);
  }
  return out.data;
}

#endif  // TFE_TESTS_VALUES_H_
