// Writes protocol buffers, as far as the tests need: FunctionDef, ConfigProto, AttrValue.
#ifndef TFE_TESTS_PB_H_
#define TFE_TESTS_PB_H_

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/tf_datatype.h"

// A message under construction; {0} is the empty one.
typedef struct Pb {
  char* data;
  size_t size, room;
} Pb;

static inline void pb_raw(Pb* m, const void* bytes, size_t n) {
  if (m->size + n > m->room) {
    m->room = 2 * (m->size + n) + 32;
    m->data = realloc(m->data, m->room);
    if (m->data == NULL) abort();
  }
  if (n != 0) memcpy(m->data + m->size, bytes, n);
  m->size += n;
}

static inline void pb_varint(Pb* m, uint64_t v) {
  for (; v >= 0x80; v >>= 7) {
    const uint8_t byte = (uint8_t)(v | 0x80);
    pb_raw(m, &byte, 1);
  }
  const uint8_t last = (uint8_t)v;
  pb_raw(m, &last, 1);
}

static inline void pb_int(Pb* m, int field, int64_t v) {
  pb_varint(m, (uint64_t)field << 3);
  pb_varint(m, (uint64_t)v);
}

static inline void pb_float(Pb* m, int field, float v) {
  pb_varint(m, (uint64_t)field << 3 | 5);
  pb_raw(m, &v, sizeof v);
}

static inline void pb_bytes(Pb* m, int field, const void* bytes, size_t n) {
  pb_varint(m, (uint64_t)field << 3 | 2);
  pb_varint(m, n);
  pb_raw(m, bytes, n);
}

static inline void pb_text(Pb* m, int field, const char* text) {
  pb_bytes(m, field, text, strlen(text));
}

static inline void pb_free(Pb* m) {
  free(m->data);
  *m = (Pb){0};
}

// Puts `sub` into `m` and empties it.
static inline void pb_message(Pb* m, int field, Pb* sub) {
  pb_bytes(m, field, sub->data, sub->size);
  pb_free(sub);
}

// A FunctionDef under construction: its signature, the node that is being written, the rest.
typedef struct Function {
  Pb signature, node, rest;
} Function;

static inline Function fn_new(const char* name) {
  Function f = {0};
  pb_text(&f.signature, 1, name);
  return f;
}

// Arguments: `type_attr` names the attr that tells the type, or is NULL.
static inline void fn_arg(Function* f, int field, const char* name, int type, const char* type_attr) {
  Pb arg = {0};
  pb_text(&arg, 1, name);
  if (type_attr != NULL) {
    pb_text(&arg, 4, type_attr);
  } else {
    pb_int(&arg, 3, type);
  }
  pb_message(&f->signature, field, &arg);
}
static inline void fn_input(Function* f, const char* name, TF_DataType type) {
  fn_arg(f, 2, name, type, NULL);
}
static inline void fn_output(Function* f, const char* name, TF_DataType type) {
  fn_arg(f, 3, name, type, NULL);
}
// A type attr of the function itself.
static inline void fn_type_attr(Function* f, const char* name) {
  Pb attr = {0};
  pb_text(&attr, 1, name);
  pb_text(&attr, 2, "type");
  pb_message(&f->signature, 4, &attr);
}
static inline void fn_stateful(Function* f) { pb_int(&f->signature, 17, 1); }

// Begins a node. `inputs` are separated by blanks; "^x" is a control input.
static inline void fn_node(Function* f, const char* name, const char* op, const char* inputs) {
  if (f->node.size != 0) pb_message(&f->rest, 3, &f->node);
  pb_text(&f->node, 1, name);
  pb_text(&f->node, 2, op);
  for (const char* p = inputs; *p != '\0';) {
    const size_t n = strcspn(p, " ");
    pb_bytes(&f->node, 3, p, n);
    p += n + (p[n] == ' ');
  }
}

// Attrs of the node begun last.
static inline void fn_attr(Function* f, const char* name, Pb* value) {
  Pb entry = {0};
  pb_text(&entry, 1, name);
  pb_message(&entry, 2, value);
  pb_message(&f->node, 5, &entry);
}
static inline void fn_attr_type(Function* f, const char* name, TF_DataType type) {
  Pb v = {0};
  pb_int(&v, 6, type);
  fn_attr(f, name, &v);
}
static inline void fn_attr_bool(Function* f, const char* name, bool b) {
  Pb v = {0};
  pb_int(&v, 5, b);
  fn_attr(f, name, &v);
}
static inline void fn_attr_int(Function* f, const char* name, int64_t i) {
  Pb v = {0};
  pb_int(&v, 3, i);
  fn_attr(f, name, &v);
}
static inline void fn_attr_text(Function* f, const char* name, const char* text) {
  Pb v = {0};
  pb_text(&v, 2, text);
  fn_attr(f, name, &v);
}
// The value of the function's own attr `placeholder`.
static inline void fn_attr_placeholder(Function* f, const char* name, const char* placeholder) {
  Pb v = {0};
  pb_text(&v, 9, placeholder);
  fn_attr(f, name, &v);
}
// The shape of a scalar.
static inline void fn_attr_scalar_shape(Function* f, const char* name) {
  Pb v = {0}, shape = {0};
  pb_message(&v, 7, &shape);
  fn_attr(f, name, &v);
}
// A scalar TensorProto: tensor {dtype: float, tensor_shape {}, float_val: x}.
static inline void fn_attr_float_tensor(Function* f, const char* name, float x) {
  Pb v = {0}, tensor = {0}, shape = {0};
  pb_int(&tensor, 1, TF_FLOAT);
  pb_message(&tensor, 2, &shape);
  pb_bytes(&tensor, 5, &x, sizeof x);
  pb_message(&v, 8, &tensor);
  fn_attr(f, name, &v);
}

static inline void fn_map(Function* f, int field, const char* key, const char* value) {
  Pb entry = {0};
  pb_text(&entry, 1, key);
  pb_text(&entry, 2, value);
  pb_message(&f->rest, field, &entry);
}
// What an output is: "node:output", "node:output:0", or an input of the function.
static inline void fn_return(Function* f, const char* output, const char* value) {
  fn_map(f, 4, output, value);
}
// A node that is to run although no output needs it.
static inline void fn_control_return(Function* f, const char* output, const char* node) {
  pb_text(&f->signature, 20, output);
  fn_map(f, 6, output, node);
}

// The FunctionDef, to be freed; `f` is empty afterwards.
static inline Pb fn_done(Function* f) {
  Pb def = {0};
  if (f->node.size != 0) pb_message(&f->rest, 3, &f->node);
  pb_message(&def, 1, &f->signature);
  pb_raw(&def, f->rest.data, f->rest.size);
  pb_free(&f->rest);
  return def;
}

#endif  // TFE_TESTS_PB_H_
