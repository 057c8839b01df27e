//! Ten million keys of calls that programs could make: no two share a half.

use tfe_attrs::{AttrBuilder, AttrValue, CacheKey, DeviceKey};
use tfe_core::{DataType, PartialShape};
use tfe_ops::{OpId, ops};

/// As many keys as there are, when built with optimisation; fewer where that would take minutes.
fn wanted() -> usize {
    let exe = std::env::current_exe().unwrap_or_default();
    let unoptimised = exe.iter().any(|part| part == "debug");
    if unoptimised { 300_000 } else { 10_000_000 }
}

/// The keys made so far, by halves.
struct Keys {
    lo: Vec<u64>,
    hi: Vec<u64>,
    /// How many keys a family may add.
    quota: usize,
}

impl Keys {
    /// Adds the key of each call of a family, up to the quota.
    fn family<'a>(
        &mut self,
        name: &str,
        calls: impl Iterator<Item = (AttrBuilder<'a>, DeviceKey)>,
    ) {
        let before = self.lo.len();
        for (call, device) in calls.take(self.quota) {
            let CacheKey { lo, hi } = call.cache_key(device);
            self.lo.push(lo);
            self.hi.push(hi);
        }
        assert_eq!(
            self.lo.len() - before,
            self.quota,
            "the family {name} is too small"
        );
    }
}

/// Takes a counter apart: each call gives the next digit, to that base.
struct Digits(usize);

impl Digits {
    fn next(&mut self, base: usize) -> usize {
        let digit = self.0 % base;
        self.0 /= base;
        digit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next(from.len())]
    }
}

/// The calls that `make` builds from a counter, each once: a counter with more digits than its call has choices is
/// passed over.
fn calls<'a>(
    op: OpId,
    devices: &'a [DeviceKey],
    make: impl Fn(&mut AttrBuilder<'static>, &mut Digits) + 'a,
) -> impl Iterator<Item = (AttrBuilder<'static>, DeviceKey)> + 'a {
    (0..1 << 28).filter_map(move |i| {
        let mut digits = Digits(i);
        let mut call = AttrBuilder::new(op.spec());
        make(&mut call, &mut digits);
        let device = digits.pick(devices);
        (digits.0 == 0).then_some((call, device))
    })
}

#[test]
fn no_half_of_a_key_occurs_twice() {
    let total = wanted();
    let names = (0..16).map(|i| format!("/job:localhost/replica:0/task:0/device:GPU:{i}"));
    let devices: Vec<DeviceKey> = names.map(|name| DeviceKey::of(&name)).collect();
    let devices = devices.as_slice();
    let families = 10;
    let mut keys = Keys {
        lo: Vec::with_capacity(total),
        hi: Vec::with_capacity(total),
        quota: total / families,
    };

    // Small numbers in several attributes at once: what cancels in a weak sum.
    keys.family(
        "convolutions",
        calls(ops::CONV2D, devices, |call, d| {
            let [a, b, c] = [d.next(20), d.next(20), d.next(20)].map(|n| n as i64);
            call.set("strides", [1, a, b, 1])
                .set("dilations", [1, c, c, 1i64])
                .set("padding", d.pick(&["SAME", "VALID", "EXPLICIT"]))
                .set("data_format", d.pick(&["NHWC", "NCHW"]))
                .set("T", d.pick(DataType::ALL));
            call.num_inputs(2);
        }),
    );
    keys.family(
        "two integers and two flags",
        calls(ops::RANDOM_UNIFORM_INT, devices, |call, d| {
            call.set("seed", d.next(1000) as i64)
                .set("seed2", d.next(1000) as i64)
                .set("Tout", d.pick(DataType::ALL));
        }),
    );
    keys.family(
        "lists of every length",
        calls(ops::SQUEEZE, devices, |call, d| {
            let len = d.next(6);
            let axes: Vec<i64> = (0..len).map(|_| d.next(8) as i64 - 4).collect();
            call.set("T", d.pick(DataType::ALL))
                .set("squeeze_dims", axes);
            call.num_inputs(d.next(3));
        }),
    );
    keys.family(
        "many inputs",
        calls(ops::ADD_N, devices, |call, d| {
            call.set("N", d.next(2000) as i64)
                .set("T", d.pick(DataType::ALL));
            call.num_inputs(d.next(2000));
        }),
    );
    keys.family(
        "names",
        calls(ops::VAR_HANDLE_OP, devices, |call, d| {
            call.set("shared_name", format!("layer_{}/kernel", d.next(100_000)))
                .set("container", d.pick(&["", "a", "b"]))
                .set("dtype", d.pick(&[DataType::Float, DataType::Half]));
        }),
    );
    keys.family(
        "neighbouring floats",
        calls(ops::LEAKY_RELU, devices, |call, d| {
            let bits = 0.2f32.to_bits() + 1 + d.next(1 << 20) as u32;
            call.set("alpha", f32::from_bits(bits))
                .set("T", d.pick(DataType::ALL));
        }),
    );
    keys.family(
        "NaN payloads",
        calls(ops::ELU, devices, |call, d| {
            call.set(
                "extra",
                f32::from_bits(0x7f80_0001 + d.next(1 << 22) as u32),
            );
        }),
    );
    keys.family(
        "lists of types",
        calls(ops::IDENTITY_N, devices, |call, d| {
            let types: Vec<DataType> = (0..5).map(|_| d.pick(DataType::ALL)).collect();
            call.set("T", types);
        }),
    );
    keys.family(
        "shapes",
        calls(ops::PLACEHOLDER, devices, |call, d| {
            let dims = [d.next(40), d.next(40), d.next(40)].map(|n| n as i64 - 1);
            call.set("shape", PartialShape::of(&dims))
                .set("dtype", d.pick(&[DataType::Float, DataType::Int32]));
        }),
    );
    // Every op, with attributes that it does not have.
    let ids: Vec<OpId> = OpId::all().collect();
    let every_op = (0..).map(|i| {
        let mut d = Digits(i);
        let mut call = AttrBuilder::new(d.pick(&ids).spec());
        call.set(d.pick(&["x0", "x1", "x2"]), d.next(16) as i64)
            .set(d.pick(&["y0", "y1", "y2"]), AttrValue::Bool(d.next(2) == 1));
        call.num_inputs(d.next(4));
        (call, d.pick(devices))
    });
    keys.family("every op", every_op);

    assert_eq!(keys.lo.len(), total);
    for (half, mut values) in [("lo", keys.lo), ("hi", keys.hi)] {
        values.sort_unstable();
        let twice = values.windows(2).filter(|w| w[0] == w[1]).count();
        assert_eq!(twice, 0, "{half}: {twice} of {total} keys collide");
    }
}

/// The halves agree in no pair of bits more or less often than coins do.
#[test]
fn halves_have_nothing_in_common() {
    const KEYS: usize = 20_000;
    let keys: Vec<CacheKey> = (0..KEYS)
        .map(|i| {
            let mut call = AttrBuilder::new(ops::SPLIT.spec());
            call.set("num_split", i as i64).num_inputs(2);
            call.cache_key("/device:CPU:0")
        })
        .collect();
    for turn in 0..64 {
        let mut agree = [0usize; 64];
        for key in &keys {
            let same = !(key.lo ^ key.hi.rotate_left(turn));
            for (bit, count) in agree.iter_mut().enumerate() {
                *count += (same >> bit & 1) as usize;
            }
        }
        for (bit, &count) in agree.iter().enumerate() {
            // Six standard deviations: 6 * sqrt(20000) / 2.
            let off = count.abs_diff(KEYS / 2);
            assert!(off < 425, "bit {bit}, turned by {turn}: {count} of {KEYS}");
        }
    }
}
