// Macros that the other headers share: visibility of the exported functions, the C boolean, sizes of
// structs that grow at their end.
#ifndef TENSORFLOW_C_C_API_MACROS_H_
#define TENSORFLOW_C_C_API_MACROS_H_

#include <stddef.h>

// Marks a function of the shared library. With TF_CAPI_WEAK defined, references are weak: a program
// can then start without the library and test a function's address before it calls it.
#if defined(_WIN32)
#ifdef TF_COMPILE_LIBRARY
#define TF_CAPI_EXPORT __declspec(dllexport)
#else
#define TF_CAPI_EXPORT __declspec(dllimport)
#endif
#elif defined(TF_CAPI_WEAK)
#define TF_CAPI_EXPORT __attribute__((visibility("default"), weak))
#else
#define TF_CAPI_EXPORT __attribute__((visibility("default")))
#endif

#ifndef TF_Bool
#define TF_Bool unsigned char
#endif

// Bytes from the start of TYPE to the end of MEMBER: the `struct_size` of a struct whose last known
// member is MEMBER.
#ifndef TF_OFFSET_OF_END
#define TF_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE*)0)->MEMBER))
#endif

#endif  // TENSORFLOW_C_C_API_MACROS_H_
