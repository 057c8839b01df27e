//! `Context`: devices, kernels, functions and caches under which ops are executed.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tfe_attrs::SpecRef;
use tfe_core::{Result, ensure, err};
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::{Device, DeviceSpec, KernelRef, KernelRegistry};
use tfe_function::Library;
use tfe_ops::{OpId, OpRegistry};
use tfe_proto::tensorflow::{FunctionDef, OpDef};
use thread_local::ThreadLocal;

use crate::cache::{KernelCache, Limits};
use crate::context_ref::ContextRef;
use crate::custom_device::CustomDevices;
use crate::shared::{Place, Shared};
use crate::{CustomDevice, CustomPlace, Op, PlacementPolicy};

/// How a context is set up.
#[derive(Clone, Debug)]
pub struct ContextOptions {
    /// Threads for the work within one op; `None` takes `TFE_NUM_THREADS`, else as many as the process may use.
    pub threads: Option<usize>,
    /// CPU devices, 1 by default.
    pub cpu_devices: u32,
    /// What happens to inputs on other devices.
    pub placement_policy: PlacementPolicy,
    /// Whether an op whose device has no kernel for it, or is not there, runs on the CPU instead.
    pub soft_placement: bool,
    /// Whether each call writes its op and device to standard error.
    pub log_placement: bool,
    /// Kernels that are kept ready.
    pub cached_kernels: usize,
    /// Bytes that these may hold, most of them in attributes that are tensors. Each thread keeps up to 128 small ones
    /// beyond that.
    pub cached_kernel_bytes: usize,
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self {
            threads: None,
            cpu_devices: 1,
            placement_policy: PlacementPolicy::default(),
            soft_placement: false,
            log_placement: false,
            cached_kernels: 10_000,
            cached_kernel_bytes: 32 << 20,
        }
    }
}

/// Makes a [`Context`] with devices and kernels beyond the CPU's.
#[derive(Default)]
pub struct ContextBuilder {
    options: ContextOptions,
    devices: Vec<Arc<dyn Device>>,
    kernels: Vec<KernelRef>,
    ops: Option<Arc<OpRegistry>>,
}

impl ContextBuilder {
    /// Sets the options.
    #[must_use]
    pub fn options(mut self, options: ContextOptions) -> Self {
        self.options = options;
        self
    }

    /// Adds a device after the CPUs.
    #[must_use]
    pub fn device(mut self, device: Arc<dyn Device>) -> Self {
        self.devices.push(device);
        self
    }

    /// Adds kernels. They come before the built-in ones where both fit.
    #[must_use]
    pub fn kernels(mut self, kernels: impl IntoIterator<Item = impl Into<KernelRef>>) -> Self {
        self.kernels.extend(kernels.into_iter().map(Into::into));
        self
    }

    /// Takes another op registry than a new one, to share the ops that a program registers.
    #[must_use]
    pub fn ops(mut self, ops: Arc<OpRegistry>) -> Self {
        self.ops = Some(ops);
        self
    }

    /// Makes the context.
    ///
    /// # Errors
    /// `InvalidArgument` for two devices of one name.
    pub fn build(self) -> Result<Context> {
        let cpu = CpuOptions {
            threads: self.options.threads,
            ..CpuOptions::default()
        };
        let cpus = (0..self.options.cpu_devices.max(1))
            .map(|id| Arc::new(CpuDevice::new(id, &cpu)) as Arc<dyn Device>);
        let mut devices: Vec<Arc<dyn Device>> = Vec::new();
        for device in cpus.chain(self.devices) {
            ensure!(
                devices.iter().all(|d| d.name() != device.name()),
                InvalidArgument,
                "two devices are called {}",
                device.name()
            );
            devices.push(device);
        }
        let ops = self.ops.unwrap_or_default();
        let kernels = Arc::new(KernelRegistry::new(
            self.kernels
                .into_iter()
                .chain(tfe_kernels::all().map(KernelRef::from)),
        ));
        let shared = Shared {
            places: devices
                .iter()
                .enumerate()
                .map(|(i, device)| Place::new(i, device))
                .collect(),
            custom_devices: CustomDevices::default(),
            functions: Arc::new(Library::new(
                Arc::clone(&ops),
                Arc::clone(&kernels),
                devices,
            )),
            ops,
            kernels,
            cache: KernelCache::new(Limits {
                kernels: self.options.cached_kernels,
                bytes: self.options.cached_kernel_bytes,
            }),
            requests: ThreadLocal::new(),
            policy: ThreadLocal::new(),
            soft_placement: AtomicBool::new(self.options.soft_placement),
            log_placement: AtomicBool::new(self.options.log_placement),
            options: self.options,
            closed: AtomicBool::new(false),
        };
        Ok(Context(Arc::new(Open(Arc::new(shared)))))
    }
}

/// Devices, kernels, functions and caches. May be used from many threads at once; shares nothing with other contexts.
///
/// A clone is the same context. With the last one the context is closed: its variables and queues are gone, and calls that
/// wait at a queue fail with `Cancelled`. An [`Op`] keeps what it needs of the context, and stays usable.
///
/// ```
/// use tfe_eager::{Context, TensorHandle};
///
/// let ctx = Context::new()?;
/// let one = TensorHandle::scalar(1.0f32)?;
/// let sum = std::thread::spawn({
///     let (ctx, one) = (ctx.clone(), one.clone());
///     move || ctx.op("AddV2")?.input(&one)?.input(&one)?.run1()
/// });
/// assert_eq!(sum.join().expect("no panic")?.to_scalar::<f32>()?, 2.0);
///
/// let negation = ctx.op("Neg")?.input(&one)?;
/// drop(ctx);
/// assert_eq!(negation.run1()?.to_scalar::<f32>()?, -1.0);
/// # Ok::<(), tfe_eager::Error>(())
/// ```
#[derive(Clone)]
pub struct Context(Arc<Open>);

/// What the clones of a context share, and ops do not.
struct Open(Arc<Shared>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.close();
        ContextRef::forget_spare(&self.0);
    }
}

impl Context {
    #[inline]
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0.0
    }

    /// A context with one CPU and all built-in kernels.
    ///
    /// # Errors
    /// None at present; devices may fail to start.
    pub fn new() -> Result<Self> {
        Self::builder().build()
    }

    /// To make a context otherwise.
    pub fn builder() -> ContextBuilder {
        ContextBuilder::default()
    }

    /// The options that it was made with.
    pub fn options(&self) -> &ContextOptions {
        &self.shared().options
    }

    /// The devices; the first is `CPU:0`.
    pub fn devices(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Device>> {
        self.shared().devices()
    }

    /// The device of that name, in any spelling; the empty name is the first CPU.
    ///
    /// # Errors
    /// `InvalidArgument` for what is no name, or none of a device of this context.
    pub fn find_device(&self, name: &str) -> Result<&Arc<dyn Device>> {
        let spec: DeviceSpec = name
            .parse()
            .map_err(|_| err!(InvalidArgument, "{name} unknown device."))?;
        self.devices()
            .find(|d| spec.matches(d.name()))
            .ok_or_else(|| err!(InvalidArgument, "{name} unknown device."))
    }

    /// Adds a device that is handed whole ops instead of having kernels. It is let go of with the context.
    ///
    /// `name` is a full name, `/job:<name>/replica:<replica>/task:<task>/device:<type>:<device_num>`. Calls that run in other
    /// threads are not disturbed.
    ///
    /// # Errors
    /// `InvalidArgument` for what is no full name, `AlreadyExists` for the name of another device.
    pub fn register_custom_device(
        &self,
        name: &str,
        device: Arc<dyn CustomDevice>,
    ) -> Result<CustomPlace> {
        self.shared().register_custom_device(name, device)
    }

    /// The custom device of that name, in any spelling, if there is one and it means no other device.
    pub fn find_custom_device(&self, name: &str) -> Option<CustomPlace> {
        let spec: DeviceSpec = name.parse().ok()?;
        let is_other = self.devices().any(|d| spec.matches(d.name()));
        match is_other {
            true => None,
            false => self.shared().custom_devices.find(&spec),
        }
    }

    /// The ops that the context knows.
    pub fn ops(&self) -> &OpRegistry {
        &self.shared().ops
    }

    /// The kernels that the context knows.
    pub fn kernels(&self) -> &KernelRegistry {
        &self.shared().kernels
    }

    /// A call of an op or a function.
    ///
    /// # Errors
    /// `NotFound` when there is neither of that name.
    #[inline]
    pub fn op(&self, name: &str) -> Result<Op> {
        Ok(Op::new(self, self.callee(name)?))
    }

    /// The signature of the op or function of that name, for [`Op::new`].
    ///
    /// # Errors
    /// As [`op`](Self::op).
    #[inline]
    pub fn callee(&self, name: &str) -> Result<SpecRef<'static>> {
        self.shared().callee(name)
    }

    /// Registers an op, for kernels that the context was given.
    ///
    /// # Errors
    /// `AlreadyExists` or `InvalidArgument`, as the registry says.
    pub fn register_op(&self, op: &OpDef) -> Result<OpId> {
        self.shared().ops.register(op)
    }

    /// Adds a function, from a serialized `FunctionDef`.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no `FunctionDef`, for the name of an op, and for a name that has another
    /// body already.
    pub fn add_function_bytes(&self, bytes: &[u8]) -> Result<()> {
        self.shared().functions.add_bytes(bytes)
    }

    /// Adds a function, from a `FunctionDef` in text format; with the feature `text`.
    ///
    /// ```
    /// let ctx = tfe_eager::Context::new()?;
    /// ctx.add_function_text(
    ///     "signature { name: 'Same' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
    ///      ret { key: 'y' value: 'x' }",
    /// )?;
    /// assert!(ctx.has_function("Same"));
    /// assert!(ctx.add_function_text("signature { nome: 'Same' }").is_err());
    /// # Ok::<(), tfe_eager::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for text that is no `FunctionDef`, and as [`add_function_bytes`](Self::add_function_bytes).
    #[cfg(feature = "text")]
    pub fn add_function_text(&self, text: &str) -> Result<()> {
        let function = tfe_proto::text::parse(text);
        self.add_function(function.map_err(|e| err!(InvalidArgument, "{e}"))?)
    }

    /// Adds a function: what [`FunctionBuilder`](crate::FunctionBuilder) makes, or a message.
    ///
    /// ```
    /// use tfe_eager::{Context, DataType, FunctionBuilder, TensorHandle};
    ///
    /// let ctx = Context::new()?;
    /// let float = ("T", DataType::Float.into());
    /// let twice = FunctionBuilder::new("Twice")
    ///     .input("x", DataType::Float)
    ///     .node("sum", "AddV2", &["x", "x"], &[float])
    ///     .output("y", DataType::Float, "sum:z");
    /// ctx.add_function(twice.build()?)?;
    /// let x = TensorHandle::from_slice(&[2], &[1.0f32, 2.0])?;
    /// assert_eq!(ctx.op("Twice")?.input(&x)?.run1()?.to_vec::<f32>()?, [2.0, 4.0]);
    /// # Ok::<(), tfe_eager::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`add_function_bytes`](Self::add_function_bytes).
    pub fn add_function(&self, function: FunctionDef) -> Result<()> {
        self.shared().functions.add(function)
    }

    /// Takes back one adding of a function; with the last the function and the plans made of it are gone.
    ///
    /// # Errors
    /// `InvalidArgument` when there is none of that name.
    pub fn remove_function(&self, name: &str) -> Result<()> {
        let before = self.shared().functions.generation();
        self.shared().functions.remove(name)?;
        if self.shared().functions.generation() != before {
            self.shared().cache.clear();
        }
        Ok(())
    }

    /// Whether there is a function of that name.
    pub fn has_function(&self, name: &str) -> bool {
        self.shared().functions.find(name).is_some()
    }

    /// The functions.
    pub fn functions(&self) -> &Library {
        &self.shared().functions
    }

    /// Forgets all prepared kernels and plans.
    pub fn clear_caches(&self) {
        self.shared().cache.clear();
        self.shared().functions.clear_plans();
    }

    /// The number of prepared kernels.
    pub fn cached_kernels(&self) -> usize {
        self.shared().cache.len()
    }

    /// What happens on this thread to inputs on other devices.
    pub fn placement_policy(&self) -> PlacementPolicy {
        self.shared().placement_policy()
    }

    /// Sets the policy for this thread alone.
    pub fn set_thread_local_placement_policy(&self, policy: PlacementPolicy) {
        self.shared().policy.get_or_default().set(Some(policy));
    }

    /// Whether an op whose device has no kernel for it, or is not there, runs on the CPU instead.
    #[inline]
    pub fn soft_placement(&self) -> bool {
        self.shared().soft_placement()
    }

    /// Sets that, for the calls that follow.
    pub fn set_soft_placement(&self, enable: bool) {
        self.shared()
            .soft_placement
            .store(enable, Ordering::Relaxed);
    }

    /// Whether each call writes its op and device to standard error.
    #[inline]
    pub fn log_placement(&self) -> bool {
        self.shared().log_placement()
    }

    /// Sets that, for the calls that follow.
    pub fn set_log_placement(&self, enable: bool) {
        self.shared().log_placement.store(enable, Ordering::Relaxed);
    }

    /// Waits for all devices.
    ///
    /// # Errors
    /// The first failure of work in flight.
    pub fn synchronize(&self) -> Result<()> {
        self.devices().try_for_each(|d| d.synchronize())
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field(
                "devices",
                &self.devices().map(|d| d.name()).collect::<Vec<_>>(),
            )
            .field("cached_kernels", &self.cached_kernels())
            .finish_non_exhaustive()
    }
}
