//! Criterion benchmarks of tfe: see `benches/`. The C benchmark against another library is `cargo xtask bench --vs LIB`.
#![forbid(unsafe_code)]
