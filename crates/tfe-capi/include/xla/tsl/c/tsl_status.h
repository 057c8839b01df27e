// A status: a code and a message that say how a call went, with optional payloads. tf_status.h gives
// the same object under its usual name, TF_Status.
#ifndef XLA_TSL_C_TSL_STATUS_H_
#define XLA_TSL_C_TSL_STATUS_H_

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Belongs to one thread at a time.
typedef struct TSL_Status TSL_Status;

// The comments tell a code from its neighbours.
typedef enum TSL_Code {
  TSL_OK = 0,
  TSL_CANCELLED = 1,
  TSL_UNKNOWN = 2,              // an error from elsewhere that has no code of its own
  TSL_INVALID_ARGUMENT = 3,     // wrong whatever the state of the context
  TSL_DEADLINE_EXCEEDED = 4,
  TSL_NOT_FOUND = 5,            // no such op, kernel, attr, function or resource
  TSL_ALREADY_EXISTS = 6,
  TSL_PERMISSION_DENIED = 7,
  TSL_UNAUTHENTICATED = 16,
  TSL_RESOURCE_EXHAUSTED = 8,   // memory that cannot be had
  TSL_FAILED_PRECONDITION = 9,  // would work in another state: a variable without a value
  TSL_ABORTED = 10,
  TSL_OUT_OF_RANGE = 11,        // past an end that may move
  TSL_UNIMPLEMENTED = 12,       // this library does not do it
  TSL_INTERNAL = 13,            // a fault of this library: please report
  TSL_UNAVAILABLE = 14,
  TSL_DATA_LOSS = 15
} TSL_Code;

// A new status: OK, with an empty message.
TF_CAPI_EXPORT extern TSL_Status* TSL_NewStatus(void);

TF_CAPI_EXPORT extern void TSL_DeleteStatus(TSL_Status* s);

// Replaces code and message (copied; NULL is the empty message) and drops the payloads. With TSL_OK
// the message is dropped too. A number that is no code becomes TSL_UNKNOWN.
TF_CAPI_EXPORT extern void TSL_SetStatus(TSL_Status* s, TSL_Code code, const char* msg);

// Attaches a value under a key, both copied; an older value of that key is replaced. A status that is
// OK carries no payloads: the call then does nothing.
TF_CAPI_EXPORT extern void TSL_SetPayload(TSL_Status* s, const char* key, const char* value);

// What TSL_ForEachPayload calls. The strings live as long as that call of it.
typedef void (*TSL_PayloadVisitor)(const char* key, const char* value, void* capture);

// Calls `visitor` once for each payload, in no particular order. `capture` is handed through.
TF_CAPI_EXPORT extern void TSL_ForEachPayload(const TSL_Status* s, TSL_PayloadVisitor visitor,
                                              void* capture);

// Sets the status from a value of `errno`: the code that fits it best, and "<context>; <its text>" as
// message. ENOENT, for one, becomes TSL_NOT_FOUND.
TF_CAPI_EXPORT extern void TSL_SetStatusFromIOError(TSL_Status* s, int error_code,
                                                    const char* context);

// The code; TSL_INVALID_ARGUMENT for a null status.
TF_CAPI_EXPORT extern TSL_Code TSL_GetCode(const TSL_Status* s);

// The message: never NULL, empty when the status is OK (or NULL). It lives until the status is
// next set or deleted.
TF_CAPI_EXPORT extern const char* TSL_Message(const TSL_Status* s);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_TSL_C_TSL_STATUS_H_
