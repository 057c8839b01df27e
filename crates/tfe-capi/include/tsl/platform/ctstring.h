// TF_TString, the element of TF_STRING tensors, and inline functions to make, read and change it.
//
//   TF_TString s;
//   TF_TString_Init(&s);
//   TF_TString_Copy(&s, "some bytes", 10);
//   fwrite(TF_TString_GetDataPointer(&s), 1, TF_TString_GetSize(&s), stdout);
//   TF_TString_Dealloc(&s);
//
// tensorflow/c/tf_tstring.h has the most used ones as exported functions.
#ifndef TENSORFLOW_TSL_PLATFORM_CTSTRING_H_
#define TENSORFLOW_TSL_PLATFORM_CTSTRING_H_

#include "tsl/platform/ctstring_internal.h"

#endif  // TENSORFLOW_TSL_PLATFORM_CTSTRING_H_
