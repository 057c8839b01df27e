//! How long the steps of a call take that come before the kernel: `cargo run --release -p tfe-attrs --example hot_path`.
#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use tfe_attrs::{AttrBuilder, DeviceKey};
use tfe_core::DataType;
use tfe_ops::{OpId, OpRegistry, ops};

fn main() {
    let registry = OpRegistry::new();
    let device = DeviceKey::of("/job:localhost/replica:0/task:0/device:CPU:0");
    let op = |name: &str| registry.lookup(black_box(name)).expect("an op");

    time("look-up of AddV2", || op("AddV2"));
    time("look-up of ResourceApplyAdamWithAmsgrad", || {
        op("ResourceApplyAdamWithAmsgrad")
    });
    time("AddV2: look-up, builder, 2 inputs, key", || {
        let mut call = AttrBuilder::new(op("AddV2"));
        call.add_input(black_box(DataType::Float))
            .expect("an input");
        call.add_input(black_box(DataType::Float))
            .expect("an input");
        call.cache_key(device)
    });
    time("AddV2 by id: builder, 2 inputs, key", || {
        let mut call = AttrBuilder::new(black_box(ops::ADD_V2).spec());
        call.add_input(black_box(DataType::Float))
            .expect("an input");
        call.add_input(black_box(DataType::Float))
            .expect("an input");
        call.cache_key(device)
    });
    time("MatMul: the same with both transposes set", || {
        let mut call = AttrBuilder::new(op("MatMul"));
        call.set(black_box("transpose_a"), false)
            .set(black_box("transpose_b"), true);
        call.add_input(black_box(DataType::Float))
            .expect("an input");
        call.add_input(black_box(DataType::Float))
            .expect("an input");
        call.cache_key(device)
    });
    time("Conv2D: strides, padding, format, 2 inputs, key", || {
        let mut call = AttrBuilder::new(op("Conv2D"));
        call.set("strides", black_box([1, 2, 2, 1i64]))
            .set("padding", black_box("SAME"))
            .set("data_format", black_box("NHWC"));
        call.add_input(black_box(DataType::Float))
            .expect("an input");
        call.add_input(black_box(DataType::Float))
            .expect("an input");
        call.cache_key(device)
    });
    let start = Instant::now();
    let attrs: usize = OpId::all().map(|id| id.spec().attrs.len()).sum();
    let each = start.elapsed() / OpId::all().len() as u32;
    println!(
        "{:>8} ns  decoding a definition ({attrs} attributes in all)",
        each.as_nanos()
    );
}

/// Prints the least time of several rounds.
fn time<R>(what: &str, mut body: impl FnMut() -> R) {
    const TURNS: u32 = 200_000;
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..TURNS {
            black_box(body());
        }
        best = best.min(start.elapsed());
    }
    println!(
        "{:>8.1} ns  {what}",
        best.as_nanos() as f64 / f64::from(TURNS)
    );
}
