//! The C API of the eager runtime.
