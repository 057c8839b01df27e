// Calls as text, one a line, so that tables and files can hold them:
//
//   VarHandleOp dtype=float shape=[] shared_name=v -> v     an op; its results get names
//   AssignVariableOp v float:12                             inputs are names or tensors (values.h)
//   ConcatV2 (float[2] float[3]) int32:0                    a list input
//   MatMul a b T:int=1                                      an attr of a kind that it does not have
//   NoOp @/device:CPU:0 #2                                  a device; room for two results
//   let x float[2]:1,2                                      a handle from a tensor
//   copy x CPU:0 -> y
//   show x                                                  the value, and where it is
//   delete x
//   context other                                           makes a context, or goes back to it
//   clear-caches
//
// Attr values: text as it is, numbers, true, type names or numbers, shapes "[2,?]" ("?": unknown rank),
// tensors, function names; lists "{1;2}". The kind is that of the op's attr.
#ifndef TFE_TESTS_CALLS_H_
#define TFE_TESTS_CALLS_H_

#include "tensorflow/c/eager/c_api_experimental.h"
#include "values.h"

enum { kMaxNames = 64, kMaxResults = 8 };

typedef struct Calls {
  TFE_Context* ctx;  // the current one
  struct {
    char name[32];
    TFE_Context* ctx;
  } contexts[4];
  int num_contexts;
  struct {
    char name[32];
    TFE_TensorHandle* handle;
  } names[kMaxNames];
  int num_names;
  TFE_CancellationManager* cancels;  // the calls, where there is one
  Text shown;  // what the call gave: "= value" lines
} Calls;

static inline void calls_context(Calls* c, const char* name) {
  for (int i = 0; i < c->num_contexts; ++i) {
    if (strcmp(c->contexts[i].name, name) == 0) {
      c->ctx = c->contexts[i].ctx;
      return;
    }
  }
  if (c->num_contexts == 4) bad_text("a context too many", name);
  c->ctx = new_context();
  snprintf(c->contexts[c->num_contexts].name, 32, "%s", name);
  c->contexts[c->num_contexts++].ctx = c->ctx;
}

static inline TFE_TensorHandle** calls_name(Calls* c, const char* name) {
  for (int i = 0; i < c->num_names; ++i) {
    if (strcmp(c->names[i].name, name) == 0) return &c->names[i].handle;
  }
  return NULL;
}

// Names a handle, which the calls then own; an older one of that name is deleted.
static inline void calls_keep(Calls* c, const char* name, TFE_TensorHandle* h) {
  TFE_TensorHandle** place = calls_name(c, name);
  if (place == NULL) {
    if (c->num_names == kMaxNames) bad_text("a name too many", name);
    snprintf(c->names[c->num_names].name, 32, "%s", name);
    place = &c->names[c->num_names++].handle;
    *place = NULL;
  }
  TFE_DeleteTensorHandle(*place);
  *place = h;
}

static inline void calls_end(Calls* c) {
  for (int i = 0; i < c->num_names; ++i) TFE_DeleteTensorHandle(c->names[i].handle);
  for (int i = 0; i < c->num_contexts; ++i) TFE_DeleteContext(c->contexts[i].ctx);
  free(c->shown.data);
  *c = (Calls){0};
}

static inline void calls_show(Calls* c, TFE_TensorHandle* h, bool where) {
  TF_Status* s = TF_NewStatus();
  TF_Tensor* t = TFE_TensorHandleResolve(h, s);
  REQUIRE_OK(s);
  char* text = text_of_tensor(t);
  c->shown.data = realloc(c->shown.data, c->shown.size + strlen(text) + 4);
  c->shown.size += (size_t)sprintf(c->shown.data + c->shown.size, "= %s", text);
  if (where) text_add(&c->shown, " @%s", TFE_TensorHandleDeviceName(h, s));
  text_add(&c->shown, "\n");
  free(text);
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
}

// ---- attrs --------------------------------------------------------------------------------------

static inline TF_DataType parse_type(const char* text) {
  const struct ValueType* t = type_named(text, strlen(text));
  if (t == NULL && !isdigit((unsigned char)*text)) bad_text("type", text);
  return t != NULL ? t->type : (TF_DataType)atoi(text);
}

// Splits "{a;b}" in place; returns how many.
static inline int split_list(char* text, const char** parts) {
  const size_t n = strlen(text);
  if (text[0] != '{' || text[n - 1] != '}') bad_text("list", text);
  text[n - 1] = '\0';
  int count = 0;
  for (char* p = text + 1; *p != '\0' || count > 0;) {
    if (count == 32) bad_text("long list", text);
    parts[count++] = p;
    p += strcspn(p, ";");
    if (*p == '\0') break;
    *p++ = '\0';
  }
  return count;
}

static inline void set_attr_list(TFE_Op* op, const char* name, TF_AttrType kind, char* value) {
  const char* parts[32];
  const int n = split_list(value, parts);
  switch (kind) {
    case TF_ATTR_STRING: set_attr_strings(op, name, parts, n); return;
    case TF_ATTR_INT: {
      int64_t v[32];
      for (int i = 0; i < n; ++i) v[i] = strtoll(parts[i], NULL, 0);
      TFE_OpSetAttrIntList(op, name, v, n);
      return;
    }
    case TF_ATTR_FLOAT: {
      float v[32];
      for (int i = 0; i < n; ++i) v[i] = strtof(parts[i], NULL);
      TFE_OpSetAttrFloatList(op, name, v, n);
      return;
    }
    case TF_ATTR_BOOL: {
      unsigned char v[32];
      for (int i = 0; i < n; ++i) v[i] = parts[i][0] == 't';
      TFE_OpSetAttrBoolList(op, name, v, n);
      return;
    }
    case TF_ATTR_TYPE: {
      TF_DataType v[32];
      for (int i = 0; i < n; ++i) v[i] = parse_type(parts[i]);
      TFE_OpSetAttrTypeList(op, name, v, n);
      return;
    }
    case TF_ATTR_SHAPE: {
      int64_t dims[32][16];
      const int64_t* shapes[32];
      int num_dims[32];
      for (int i = 0; i < n; ++i) {
        shapes[i] = dims[i];
        num_dims[i] = -1;
        if (parts[i][0] == '[') parse_dims(parts[i] + 1, dims[i], &num_dims[i]);
      }
      TFE_OpSetAttrShapeList(op, name, shapes, num_dims, n, status);
      return;
    }
    default: bad_text("no list of this kind", name);
  }
}

static inline void set_attr(TFE_Op* op, const char* name, TF_AttrType kind, const char* value) {
  switch (kind) {
    case TF_ATTR_STRING: {
      char* bytes = malloc(strlen(value) + 1);
      TFE_OpSetAttrString(op, name, bytes, unescape(value, strlen(value), bytes));
      free(bytes);
      return;
    }
    case TF_ATTR_INT: TFE_OpSetAttrInt(op, name, strtoll(value, NULL, 0)); return;
    case TF_ATTR_FLOAT: TFE_OpSetAttrFloat(op, name, strtof(value, NULL)); return;
    case TF_ATTR_BOOL: TFE_OpSetAttrBool(op, name, value[0] == 't'); return;
    case TF_ATTR_TYPE: TFE_OpSetAttrType(op, name, parse_type(value)); return;
    case TF_ATTR_SHAPE: {
      int64_t dims[16];
      int num_dims = -1;
      if (value[0] == '[') parse_dims(value + 1, dims, &num_dims);
      TFE_OpSetAttrShape(op, name, dims, num_dims, status);
      return;
    }
    case TF_ATTR_TENSOR: {
      TF_Tensor* t = parse_tensor(value);
      TFE_OpSetAttrTensor(op, name, t, status);
      TF_DeleteTensor(t);
      return;
    }
    case TF_ATTR_FUNC: TFE_OpSetAttrFunctionName(op, name, value, strlen(value)); return;
    default: bad_text("no value of this kind", name);
  }
}

// "name=value" or "name:kind=value".
static inline void set_attr_text(Calls* c, TFE_Op* op, const char* op_name, char* token) {
  static const char* const kKinds[] = {"string", "int",   "float",  "bool",        "type",
                                       "shape",  "tensor", "placeholder", "func"};
  unsigned char is_list = 0;
  TF_AttrType kind = TF_ATTR_STRING;
  char* value = strchr(token, '=');
  *value++ = '\0';
  char* given = strchr(token, ':');
  if (given != NULL) {
    *given++ = '\0';
    int k = 0;
    while (k < 9 && strcmp(kKinds[k], given) != 0) ++k;
    if (k == 9) bad_text("kind", given);
    kind = (TF_AttrType)k;
    is_list = value[0] == '{';
  } else {
    TF_Status* s = TF_NewStatus();
    kind = TFE_OpNameGetAttrType(c->ctx, op_name, token, &is_list, s);
    if (TF_GetCode(s) != TF_OK) bad_text(TF_Message(s), token);
    TF_DeleteStatus(s);
  }
  TF_SetStatus(status, TF_OK, "");
  if (is_list) set_attr_list(op, token, kind, value);
  else set_attr(op, token, kind, value);
}

// ---- ops ----------------------------------------------------------------------------------------

// Whether a token is an attr: a name, perhaps a kind, and "=".
static inline bool is_attr(const char* token) {
  static const char kWord[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const size_t n = strspn(token, kWord);
  if (token[n] == ':') return token[n + 1 + strspn(token + n + 1, kWord)] == '=';
  return n != 0 && token[n] == '=';
}

// A named handle, or a new one that is put into `made`.
static inline TFE_TensorHandle* input_of(Calls* c, const char* token, TFE_TensorHandle** made) {
  TFE_TensorHandle** named = calls_name(c, token);
  if (named != NULL) return *named;
  TF_Tensor* t = parse_tensor(token);
  *made = TFE_NewTensorHandle(t, status);
  TF_DeleteTensor(t);
  return *made;
}

static inline void add_input_text(Calls* c, TFE_Op* op, const char* token) {
  TFE_TensorHandle* made = NULL;
  TFE_OpAddInput(op, input_of(c, token, &made), status);
  TFE_DeleteTensorHandle(made);
}

// "(a", "b", … "z)": the tokens up to the one that closes the list.
static inline void add_list_text(Calls* c, TFE_Op* op, char* token, char** rest) {
  TFE_TensorHandle *inputs[16], *made[16] = {NULL};
  int n = 0;
  for (++token; token != NULL; token = strtok_r(NULL, " ", rest)) {
    const size_t length = strlen(token);
    const bool last = length != 0 && token[length - 1] == ')';
    if (last) token[length - 1] = '\0';
    if (*token != '\0') {
      inputs[n] = input_of(c, token, &made[n]);
      ++n;
    }
    if (last) break;
  }
  TFE_OpAddInputList(op, inputs, n, status);
  for (int i = 0; i < n; ++i) TFE_DeleteTensorHandle(made[i]);
}

static inline void call_op(Calls* c, const char* name, char** rest) {
  TFE_TensorHandle* results[kMaxResults] = {NULL};
  int n = kMaxResults;
  char* token;
  TFE_Op* op = TFE_NewOp(c->ctx, name, status);
  if (c->cancels != NULL && op != NULL) TFE_OpSetCancellationManager(op, c->cancels, status);
  while (TF_GetCode(status) == TF_OK && (token = strtok_r(NULL, " ", rest)) != NULL) {
    if (strcmp(token, "->") == 0) break;
    if (*token == '#') n = atoi(token + 1);
    else if (*token == '@') TFE_OpSetDevice(op, token + 1, status);
    else if (*token == '(') add_list_text(c, op, token, rest);
    else if (is_attr(token)) set_attr_text(c, op, name, token);
    else add_input_text(c, op, token);
  }
  if (TF_GetCode(status) == TF_OK) TFE_Execute(op, results, &n, status);
  const bool ok = TF_GetCode(status) == TF_OK;
  TFE_DeleteOp(op);
  for (int i = 0; i < kMaxResults && results[i] != NULL; ++i) {
    CHECK(ok && i < n);
    calls_show(c, results[i], false);
    token = strtok_r(NULL, " ", rest);
    if (token != NULL) calls_keep(c, token, results[i]);
    else TFE_DeleteTensorHandle(results[i]);
  }
}

static inline TFE_TensorHandle* handle_named(Calls* c, const char* name) {
  TFE_TensorHandle** h = name != NULL ? calls_name(c, name) : NULL;
  if (h == NULL) bad_text("no such handle", name != NULL ? name : "");
  return *h;
}

// Does one line. `status` tells how it went and `c->shown` what it gave.
static inline void call_line(Calls* c, const char* line) {
  char* copy = strdup(line);
  char* rest;
  const char* word = strtok_r(copy, " ", &rest);
  free(c->shown.data);
  c->shown = (Text){NULL, 0};
  TF_SetStatus(status, TF_OK, "");
  if (c->ctx == NULL) calls_context(c, "first");
  if (isupper((unsigned char)*word) || *word == '_') {
    call_op(c, word, &rest);
  } else if (strcmp(word, "let") == 0) {
    const char* name = strtok_r(NULL, " ", &rest);
    TF_Tensor* t = parse_tensor(strtok_r(NULL, " ", &rest));
    calls_keep(c, name, TFE_NewTensorHandle(t, status));
    TF_DeleteTensor(t);
  } else if (strcmp(word, "copy") == 0) {
    TFE_TensorHandle* from = handle_named(c, strtok_r(NULL, " ", &rest));
    const char* device = strtok_r(NULL, " ", &rest);
    TFE_TensorHandle* to = TFE_TensorHandleCopyToDevice(from, c->ctx, device, status);
    if (to != NULL) {
      strtok_r(NULL, " ", &rest);  // ->
      calls_keep(c, strtok_r(NULL, " ", &rest), to);
      calls_show(c, to, true);
    }
  } else if (strcmp(word, "show") == 0) {
    calls_show(c, handle_named(c, strtok_r(NULL, " ", &rest)), true);
  } else if (strcmp(word, "delete") == 0) {
    calls_keep(c, strtok_r(NULL, " ", &rest), NULL);
  } else if (strcmp(word, "context") == 0) {
    calls_context(c, strtok_r(NULL, " ", &rest));
  } else if (strcmp(word, "clear-caches") == 0) {
    TFE_ContextClearCaches(c->ctx);
  } else {
    bad_text("call", line);
  }
  free(copy);
}

#endif  // TFE_TESTS_CALLS_H_
