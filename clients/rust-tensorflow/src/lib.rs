//! A client of the crate `tensorflow`; what it does is in `tests/eager.rs`.
#![forbid(unsafe_code)]
