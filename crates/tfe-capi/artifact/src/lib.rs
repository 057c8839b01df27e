//! The C API as a static library: `cargo xtask dist` links it into `libtensorflow.so.2`.
pub use tfe_capi::*;
