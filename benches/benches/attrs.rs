//! What a call pays for its attributes: look-up, setting, cache key, node.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tfe_attrs::{AttrBuilder, DeviceKey};
use tfe_core::DataType;
use tfe_ops::OpRegistry;

fn attrs(c: &mut Criterion) {
    let ops = OpRegistry::new();
    let device = DeviceKey::of("/job:localhost/replica:0/task:0/device:CPU:0");
    c.bench_function("attrs/op_lookup", |b| {
        b.iter(|| ops.lookup(black_box("AddV2")))
    });
    let add = ops.lookup("AddV2").expect("an op");
    let conv = ops.lookup("Conv2D").expect("an op");
    c.bench_function("attrs/infer_and_key/AddV2", |b| {
        b.iter(|| {
            let mut attrs = AttrBuilder::new(add);
            attrs.add_input(DataType::Float)?;
            attrs.add_input(DataType::Float)?;
            Ok::<_, tfe_core::Error>(attrs.cache_key(device))
        });
    });
    c.bench_function("attrs/set_and_key/Conv2D", |b| {
        b.iter(|| {
            let mut attrs = AttrBuilder::new(conv);
            attrs
                .set("T", DataType::Float)
                .set("strides", [1, 2, 2, 1i64])
                .set("padding", "SAME");
            attrs.num_inputs(2);
            attrs.cache_key(device)
        });
    });
    let mut built = AttrBuilder::new(conv);
    built
        .set("T", DataType::Float)
        .set("strides", [1, 2, 2, 1i64])
        .set("padding", "SAME")
        .num_inputs(2);
    c.bench_function("attrs/build_node_def/Conv2D", |b| {
        b.iter(|| built.build_node_def())
    });
    let node = built.build_node_def();
    c.bench_function("attrs/from_node_def/Conv2D", |b| {
        b.iter(|| AttrBuilder::from_node_def(conv, black_box(&node)))
    });
}

criterion_group!(benches, attrs);
criterion_main!(benches);
