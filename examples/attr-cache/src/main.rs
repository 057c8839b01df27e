//! A kernel cache in a hundred lines, from `tfe-attrs` alone.
//!
//! Before a runtime can compute `LeakyRelu(x)` it has to find out what is asked for: which attributes are set, which
//! follow from the types of the inputs, which have defaults, and whether all of that is allowed. Then it builds a kernel,
//! with all decisions made. Doing so for every call would cost more than most calls themselves. So the kernel is kept,
//! under a key that equal calls share: [`AttrBuilder::cache_key`] gives it in a few nanoseconds, without looking at the
//! attributes again.
//!
//! Run it: `cargo run`. It prints which calls found their kernel, and which had to build one.

use std::collections::BTreeMap;
use std::rc::Rc;

use tfe_attrs::{AttrBuilder, Attrs, CacheKey, DataType, DeviceKey, OpRegistry, Result, ops};

/// What a call needs when it runs: here, a function over floats in which `alpha` is bound already.
type Kernel = Rc<dyn Fn(&mut [f32])>;

/// Kernels by what they were built for.
struct KernelCache {
    kernels: BTreeMap<CacheKey, Kernel>,
    device: DeviceKey,
    hits: u32,
    misses: u32,
}

impl KernelCache {
    fn new(device: &str) -> Self {
        Self {
            kernels: BTreeMap::new(),
            // The device is part of every key. Its name is read once, here.
            device: DeviceKey::of(device),
            hits: 0,
            misses: 0,
        }
    }

    /// The kernel for a call: from the cache, or built when the cache has none.
    fn kernel(&mut self, call: &AttrBuilder<'_>) -> Result<Kernel> {
        let key = call.cache_key(self.device);
        if let Some(kernel) = self.kernels.get(&key) {
            self.hits += 1;
            return Ok(Rc::clone(kernel));
        }
        self.misses += 1;
        // The slow path: `finish` fills in defaults and checks everything. What is wrong is an error here, in
        // TensorFlow's words, so nothing wrong gets into the cache.
        let kernel = build(&call.finish()?)?;
        self.kernels.insert(key, Rc::clone(&kernel));
        Ok(kernel)
    }
}

/// Builds the kernel: attributes are read here and never again.
fn build(attrs: &Attrs) -> Result<Kernel> {
    let alpha = attrs.float("alpha")?;
    Ok(Rc::new(move |values| {
        for v in values {
            *v = if *v < 0.0 { alpha * *v } else { *v };
        }
    }))
}

fn main() -> Result<()> {
    let registry = OpRegistry::new();
    let leaky_relu = registry.find("LeakyRelu")?;
    assert_eq!(leaky_relu.id(), ops::LEAKY_RELU);
    let mut cache = KernelCache::new("/device:CPU:0");

    // A call is an op, its inputs' types, and what the caller sets.
    let call = |set: &dyn Fn(&mut AttrBuilder<'_>)| -> Result<AttrBuilder<'_>> {
        let mut call = AttrBuilder::new(leaky_relu);
        set(&mut call);
        call.add_input(DataType::Float)?;
        Ok(call)
    };
    let calls = [
        ("nothing set", call(&|_| {})?),
        ("nothing set, once more", call(&|_| {})?),
        // 0.2 is LeakyRelu's default, and float is the input's type: these say nothing new.
        ("alpha = 0.2", call(&|c| _ = c.set("alpha", 0.2f32))?),
        ("T = float", call(&|c| _ = c.set("T", DataType::Float))?),
        ("alpha = 0.5", call(&|c| _ = c.set("alpha", 0.5f32))?),
        (
            "alpha = 0.5, once more",
            call(&|c| _ = c.set("alpha", 0.5f32))?,
        ),
        // Floats count by their bits.
        ("alpha = 0.0", call(&|c| _ = c.set("alpha", 0.0f32))?),
        ("alpha = -0.0", call(&|c| _ = c.set("alpha", -0.0f32))?),
        // The first value that is set for an attribute holds, as in TensorFlow.
        (
            "alpha = 0.5, then 7",
            call(&|c| _ = c.set("alpha", 0.5f32).set("alpha", 7.0f32))?,
        ),
    ];
    for (what, call) in &calls {
        let misses = cache.misses;
        let kernel = cache.kernel(call)?;
        let mut values = [-2.0, 3.0];
        kernel(&mut values);
        let found = if cache.misses == misses {
            "hit "
        } else {
            "miss"
        };
        println!("{found}  LeakyRelu([-2, 3]), {what}: {values:?}");
    }

    // A mistake is reported when a kernel is built, so only once for each kind of call.
    let wrong = call(&|c| _ = c.set("alpha", true))?;
    if let Err(e) = cache.kernel(&wrong) {
        println!(
            "miss  alpha = true: {}",
            e.message().lines().next().unwrap_or_default()
        );
    }

    println!(
        "{} hits, {} misses, {} kernels",
        cache.hits,
        cache.misses,
        cache.kernels.len()
    );
    assert_eq!((cache.hits, cache.misses, cache.kernels.len()), (5, 5, 4));
    Ok(())
}
