//! Executing an `Op`: placement, the kernel, its inputs, its results.

use std::sync::Arc;

use smallvec::SmallVec;
use tfe_attrs::{CacheKey, DeviceKey};
use tfe_core::{DataType, Error, ResourceHandle, Result, Tensor, bail, err};
use tfe_device::{Arg, Device, DeviceName};

use crate::cache::InUse;
use crate::kernel_and_device::KernelAndDevice;
use crate::op::Call;
use crate::shared::{Place, RequestedDevice, Shared};
use crate::{CustomPlace, Op, Outputs, PlacementPolicy, TensorHandle};

/// Where a call is to run.
enum Chosen {
    /// The index of a place.
    Place(usize),
    Custom(CustomPlace),
}

impl Op {
    /// Executes the call and takes its inputs away.
    ///
    /// # Errors
    /// What is wrong with the attributes, inputs and device, and the kernel's errors; with TensorFlow's codes. A call that
    /// fails before its kernel runs keeps its inputs, and so does one that a custom device takes.
    pub fn execute(&mut self) -> Result<Outputs> {
        self.execute_if(|_| Ok(()))
    }

    /// Executes the call if its number of results is welcome: `accept` is asked before anything runs, but for a custom
    /// device, whose number of results is known afterwards.
    ///
    /// # Errors
    /// As [`execute`](Self::execute), and what `accept` says.
    pub fn execute_if(&mut self, accept: impl FnOnce(usize) -> Result<()>) -> Result<Outputs> {
        let mut outputs = Outputs::new();
        self.execute_into(usize::MAX, accept, |output| outputs.push(output))?;
        Ok(outputs)
    }

    /// [`execute_if`](Self::execute_if) that hands the results out one by one, once all are there. `room` is how many are
    /// asked for at most, which a custom device is told.
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn execute_into(
        &mut self,
        room: usize,
        accept: impl FnOnce(usize) -> Result<()>,
        give: impl FnMut(TensorHandle),
    ) -> Result<()> {
        let place = match self.choose_place()? {
            Chosen::Place(place) => place,
            Chosen::Custom(place) => {
                let outputs = place.execute(self, room)?;
                accept(outputs.len())?;
                outputs.into_iter().for_each(give);
                return Ok(());
            }
        };
        self.call
            .run_once(&self.ctx, place, accept, give, Call::clear_inputs)
    }

    /// Executes the call as the API of 2017 does: the inputs stay, and it may be executed again.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn execute_again(&mut self) -> Result<Outputs> {
        let inputs = self.call.inputs.clone();
        let ran = self.execute_keeping_attrs();
        self.call.inputs = inputs;
        ran
    }

    fn execute_keeping_attrs(&mut self) -> Result<Outputs> {
        let place = match self.choose_place()? {
            Chosen::Place(place) => place,
            Chosen::Custom(place) => return place.execute(self, usize::MAX),
        };
        let mut outputs = Outputs::new();
        let give = |output| outputs.push(output);
        self.call
            .run_once(&self.ctx, place, |_| Ok(()), give, |_| ())?;
        Ok(outputs)
    }

    /// Where the call is to run. Its inputs are all there then, unless it is a custom device.
    #[inline(always)]
    fn choose_place(&mut self) -> Result<Chosen> {
        // Most calls name no device, and have no inputs that are rare in any way.
        if self.call.device.is_none() && !self.call.inputs.any_placed() {
            return Ok(Chosen::Place(0));
        }
        if self.call.may_be_for_custom_device(&self.ctx)
            && let Some(place) = self.place_on_custom_device()?
        {
            return Ok(Chosen::Custom(place));
        }
        self.call.inputs.wait()?;
        self.call.place(&self.ctx).map(Chosen::Place)
    }
}

impl Call {
    /// Executes the call on that place of the context; `after` sees to the inputs, of which the kernel took what it liked.
    #[inline]
    fn run_once(
        &mut self,
        ctx: &Shared,
        place: usize,
        accept: impl FnOnce(usize) -> Result<()>,
        give: impl FnMut(TensorHandle),
        after: fn(&mut Self),
    ) -> Result<()> {
        let place = &ctx.places[place];
        let (seat, key) = (ctx.cache.seat(), self.key(ctx, place));
        let kernel = ctx
            .cache
            .take(seat, key, || self.prepare(ctx, &place.device))?;
        let kernel = InUse::new(seat, key, kernel);
        if self.device.is_some() && !is_on(ctx, &kernel, place) {
            // An earlier call, which named no device, went to the CPU for want of a kernel: this one may not.
            self.prepare_on(ctx, &place.device)?;
        }
        if ctx.log_placement() {
            log_placement(kernel.name(), kernel.device().name());
        }
        accept(kernel.outputs().len())?;
        if !self.inputs.are_of_types(kernel.inputs()) {
            kernel.check(self.inputs.len(), self.inputs.tensors().map(Tensor::dtype))?;
        }
        if self.inputs.any_on_device() || !kernel.device().is_host() {
            self.move_inputs(ctx, &kernel)?;
        }
        let call = Used { op: self, after };
        call.run(place, &kernel, give)
    }

    /// Whether a custom device may be meant.
    #[inline]
    fn may_be_for_custom_device(&self, ctx: &Shared) -> bool {
        let is_unknown = |wish: &Arc<RequestedDevice>| wish.place.is_none();
        let is_named = self.device.as_ref().is_some_and(is_unknown) && ctx.custom_devices.any();
        is_named || self.inputs.any_custom()
    }

    #[inline]
    fn clear_inputs(&mut self) {
        self.executed = true;
        self.attrs.clear_inputs();
        self.inputs.clear();
    }

    /// The key of the call on that place; for a function with resources of other devices, of those too.
    #[inline]
    fn key(&self, ctx: &Shared, place: &Place) -> CacheKey {
        match self.inputs.any_placed() && self.attrs.is_function() {
            false => self.attrs.cache_key(place.key),
            true => self.key_of_function(ctx, place),
        }
    }

    #[cold]
    fn key_of_function(&self, ctx: &Shared, place: &Place) -> CacheKey {
        let Some(args) = self.arg_devices(ctx, &place.device) else {
            return self.attrs.cache_key(place.key);
        };
        let names = args.iter().map(|d| d.name().as_str());
        let all = names.fold(place.device.name().to_string(), |all, n| all + n);
        self.attrs.cache_key(DeviceKey::of(&all))
    }

    /// The device: the one asked for; else that of a resource among the inputs; else that of the first input outside of
    /// host memory; else the first CPU.
    fn place(&self, ctx: &Shared) -> Result<usize> {
        if let Some(place) = self.wished_place(ctx)? {
            return Ok(place);
        }
        if !self.inputs.any_placed() {
            return Ok(0);
        }
        let mut tensors = self.inputs.tensors();
        let resource = tensors.find_map(|t| place_of_resource(ctx, t));
        let remote = || {
            let mut handles = self.inputs.handles();
            let first = handles.find(|handle| handle.is_remote().unwrap_or(false))?;
            ctx.place_of(first.device_name())
        };
        Ok(resource.or_else(remote).unwrap_or(0))
    }

    /// The device that was asked for; the first CPU in place of one that is not there, if that is allowed.
    #[inline]
    pub(crate) fn wished_place(&self, ctx: &Shared) -> Result<Option<usize>> {
        let Some(wish) = &self.device else {
            return Ok(None);
        };
        match wish.place {
            None if ctx.soft_placement() => Ok(Some(0)),
            None => Err(no_such_device(ctx, &wish.spelling.to_string_lossy())),
            place => Ok(place),
        }
    }

    /// For a function with a resource of another device than `device` among its arguments: the device of each.
    fn arg_devices<'a>(
        &self,
        ctx: &'a Shared,
        device: &'a Arc<dyn Device>,
    ) -> Option<Vec<&'a dyn Device>> {
        if !self.inputs.any_placed() || !self.attrs.is_function() {
            return None;
        }
        let places = &ctx.places;
        let device_of = |input| place_of_resource(ctx, input).map_or(device, |i| &places[i].device);
        let devices: Vec<&dyn Device> = self.inputs.tensors().map(|t| &**device_of(t)).collect();
        devices
            .iter()
            .any(|d| d.name() != device.name())
            .then_some(devices)
    }

    /// Makes the kernel for a call that the cache does not know.
    fn prepare(&self, ctx: &Shared, device: &Arc<dyn Device>) -> Result<KernelAndDevice> {
        if !self.lenient {
            self.attrs.check_names()?;
        }
        if self.executed && self.inputs.len() == 0 {
            bail!(
                InvalidArgument,
                "expected inputs of {}, got 0: a call that was executed has no inputs left",
                self.name()
            );
        }
        let first = self.prepare_on(ctx, device);
        let cpu = &ctx.places[0].device;
        let may_move = self.device.is_none() || ctx.soft_placement();
        match first {
            Err(e)
                if e.code() == tfe_core::Code::NotFound
                    && may_move
                    && !Arc::ptr_eq(device, cpu) =>
            {
                self.prepare_on(ctx, cpu).map_err(|_| e)
            }
            other => other,
        }
    }

    fn prepare_on(&self, ctx: &Shared, device: &Arc<dyn Device>) -> Result<KernelAndDevice> {
        if self.attrs.is_function() {
            let args = self.arg_devices(ctx, device);
            return KernelAndDevice::new_function(
                device,
                &self.attrs,
                args.as_deref(),
                &ctx.functions,
            );
        }
        let spec = self.attrs.spec();
        // TensorFlow looks for a kernel first, but where a resource decides the device.
        if !self.inputs.any_placed() {
            let has = |attr: &str| self.attrs.value(attr).is_some();
            ctx.kernels
                .require(spec, device.name().device_type(), has)?;
        }
        let attrs = self.attrs.finish()?;
        let functions = Arc::clone(&ctx.functions);
        KernelAndDevice::new_op(device, spec, &attrs, spec.name(), &ctx.kernels, functions)
    }

    /// Puts each input where the kernel wants it, as far as the policy allows.
    fn move_inputs(&mut self, ctx: &Shared, kernel: &KernelAndDevice) -> Result<()> {
        let policy = ctx.placement_policy();
        let cpu = &ctx.places[0].device;
        for (i, arg) in kernel.inputs().iter().enumerate() {
            let target = if arg.in_host_memory {
                cpu
            } else {
                kernel.device()
            };
            if self.inputs.is_on(i, target) {
                continue;
            }
            let Some(input) = self.inputs.handle(i) else {
                continue;
            };
            let conflict = || {
                format!(
                    "Tensors on conflicting devices: cannot compute {} as input #{i} was expected to be on {} but is actually on {} (operation running on {})",
                    kernel.name(),
                    target.name(),
                    input.device_name(),
                    kernel.device().name()
                )
            };
            if !policy.allows_copy(input.dtype()) {
                bail!(InvalidArgument, "{}", conflict());
            }
            if policy == PlacementPolicy::Warn {
                warn(&conflict());
            }
            self.inputs.replace(i, &input.copy_to_device(target)?)?;
        }
        Ok(())
    }
}

/// A call whose inputs a kernel has. They are seen to when this is dropped, whatever the kernel did.
struct Used<'a> {
    op: &'a mut Call,
    after: fn(&mut Call),
}

impl Drop for Used<'_> {
    #[inline]
    fn drop(&mut self) {
        (self.after)(self.op);
    }
}

impl Used<'_> {
    #[inline]
    fn run(
        self,
        place: &Place,
        kernel: &KernelAndDevice,
        mut give: impl FnMut(TensorHandle),
    ) -> Result<()> {
        let count = kernel.outputs().len();
        let mut few = [None, None];
        let mut many = Vec::new();
        let outputs = match few.get_mut(..count) {
            Some(outputs) => outputs,
            None => {
                many.resize_with(count, || None);
                &mut many[..]
            }
        };
        let inputs = self.op.inputs.slots();
        kernel
            .run_slots(inputs, outputs, self.op.cancellation.as_ref())
            .map_err(|e| at(e, kernel, inputs))?;
        drop(self);
        let of_results = if Arc::ptr_eq(kernel.device(), &place.device) {
            &place.of_results
        } else {
            // The op went to the CPU for want of a kernel.
            &None
        };
        for (output, arg) in outputs.iter_mut().zip(kernel.outputs()) {
            if let Some(tensor) = output.take() {
                give(result(tensor, *arg, of_results));
            }
        }
        Ok(())
    }
}

/// Whether a kernel runs where the call is to run, or may run elsewhere.
#[inline]
fn is_on(ctx: &Shared, kernel: &KernelAndDevice, place: &Place) -> bool {
    Arc::ptr_eq(kernel.device(), &place.device) || ctx.soft_placement()
}

fn place_of_resource(ctx: &Shared, input: &Tensor) -> Option<usize> {
    if input.dtype() != DataType::Resource {
        return None;
    }
    let handles = input.as_slice::<ResourceHandle>().ok()?;
    let device = &handles.first()?.target()?.device;
    ctx.places
        .iter()
        .position(|p| p.device.name().as_str() == device)
}

fn no_such_device(ctx: &Shared, wish: &str) -> Error {
    let mut types: Vec<_> = ctx.devices().map(|d| d.name().device_type()).collect();
    types.dedup();
    let names: Vec<_> = ctx.devices().map(|d| d.name().as_str()).collect();
    err!(
        InvalidArgument,
        "Could not satisfy device specification '{wish}'. enable_soft_placement=0. Supported device types [{}]. All available devices [{}].",
        types.join(", "),
        names.join(", ")
    )
}

#[expect(
    clippy::print_stderr,
    reason = "the policy is to tell the person at the terminal"
)]
fn warn(message: &str) {
    eprintln!("tfe: warning: {message}; it is copied there");
}

#[cold]
#[expect(
    clippy::print_stderr,
    reason = "the context is to tell the person at the terminal"
)]
pub(crate) fn log_placement(op: &str, device: &DeviceName) {
    eprintln!("tfe: executing op {op} in device {device}");
}

/// A handle to a result.
fn result(tensor: Tensor, arg: Arg, device: &Option<Arc<dyn Device>>) -> TensorHandle {
    // A resource handle lies in host memory and still belongs to the device of its resource.
    let placed = !arg.in_host_memory
        || tensor.dtype() == DataType::Resource
        || device.as_ref().is_some_and(|d| d.is_host());
    TensorHandle::on(tensor, if placed { device.clone() } else { None })
}

/// Says in which call an error came up: op, device, and the inputs as far as the kernel left them.
fn at(error: Error, kernel: &KernelAndDevice, inputs: &[Option<Tensor>]) -> Error {
    let shown: SmallVec<[String; 4]> = inputs
        .iter()
        .take(8)
        .map(|t| {
            t.as_ref()
                .map_or("…".to_owned(), |t| format!("{}{}", t.dtype(), t.shape()))
        })
        .collect();
    error.with_context(format_args!(
        "[op {}({}) on {}]",
        kernel.name(),
        shown.join(", "),
        kernel.device().name()
    ))
}
