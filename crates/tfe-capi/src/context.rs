//! `TFE_ContextOptions` and `TFE_Context` (`eager/c_api.h`).
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_int, c_uchar, c_void};

use tfe_core::{Result, ensure};
use tfe_eager::{Context, ContextOptions, PlacementPolicy};
use tfe_proto::tensorflow::ConfigProto;

use crate::executor::Executors;
use crate::guard::{given, guard, shield, slice};
use crate::{TF_DeviceList, TF_Status, parse_config};

/// The most CPU devices: each takes memory, and time when the context is made.
const MAX_CPUS: i32 = 10_000;

/// How a context is to be set up.
#[derive(Debug, Default)]
pub struct TFE_ContextOptions {
    config: ConfigProto,
    /// As C gave it, checked when a context is made: the call that sets it has no status.
    policy: Option<TFE_ContextDevicePlacementPolicy>,
    is_async: bool,
    /// Whether another runtime was asked for, likewise.
    pub(crate) use_tfrt: bool,
}

/// The number of a [`PlacementPolicy`] as C passes it: any number.
pub type TFE_ContextDevicePlacementPolicy = c_int;

/// What ops run in.
#[derive(Debug)]
pub struct TFE_Context {
    pub(crate) context: Context,
    pub(crate) executors: Executors,
}

impl From<Context> for TFE_Context {
    fn from(context: Context) -> Self {
        Self {
            context,
            executors: Executors::default(),
        }
    }
}

impl TFE_Context {
    /// A context as clients configure it.
    pub(crate) fn new(config: &ConfigProto, policy: PlacementPolicy) -> Result<Box<Self>> {
        let threads = config.intra_op_parallelism_threads;
        ensure!(
            threads >= 0,
            InvalidArgument,
            "intra_op_parallelism_threads is {threads}"
        );
        let cpus = config.device_count.get("CPU").copied().unwrap_or(1);
        ensure!(
            cpus > 0,
            NotFound,
            "No CPU devices are available in this process"
        );
        ensure!(
            cpus <= MAX_CPUS,
            InvalidArgument,
            "device_count of CPU is {cpus}: there may be at most {MAX_CPUS}"
        );
        let defaults = ContextOptions::default();
        let options = ContextOptions {
            threads: usize::try_from(threads)
                .ok()
                .filter(|&n| n > 0)
                .or(defaults.threads),
            cpu_devices: cpus.unsigned_abs(),
            placement_policy: policy,
            soft_placement: config.allow_soft_placement,
            log_placement: config.log_device_placement,
            ..defaults
        };
        let context = Context::builder().options(options).build()?;
        Ok(Box::new(context.into()))
    }
}

/// New options.
#[unsafe(no_mangle)]
pub extern "C" fn TFE_NewContextOptions() -> Option<Box<TFE_ContextOptions>> {
    Some(Box::default())
}

/// Sets the configuration.
///
/// # Safety
/// As [the crate](crate#safety) says; `proto` leads to `proto_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextOptionsSetConfig(
    options: Option<&mut TFE_ContextOptions>,
    proto: *const c_void,
    proto_len: usize,
    status: *mut TF_Status,
) {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(proto.cast::<u8>(), proto_len, "proto") };
    let set = || {
        given(options, "options")?.config = parse_config(bytes?)?;
        Ok(())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), set) }
}

/// Allows ops to run later. They do not: a context runs each op within `TFE_Execute`, whatever is allowed.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextOptionsSetAsync(
    options: Option<&mut TFE_ContextOptions>,
    enable: c_uchar,
) {
    if let Some(options) = options {
        options.is_async = enable != 0;
    }
}

/// Sets the placement policy.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextOptionsSetDevicePlacementPolicy(
    options: Option<&mut TFE_ContextOptions>,
    policy: TFE_ContextDevicePlacementPolicy,
) {
    if let Some(options) = options {
        options.policy = Some(policy);
    }
}

/// Deletes options.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_DeleteContextOptions(options: Option<Box<TFE_ContextOptions>>) {
    drop(options);
}

/// A new context.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_NewContext(
    opts: Option<&TFE_ContextOptions>,
    status: *mut TF_Status,
) -> Option<Box<TFE_Context>> {
    let make = || {
        let options = given(opts, "opts")?;
        ensure!(!options.use_tfrt, Unimplemented, "TFRT is not supported");
        let policy = match options.policy {
            Some(number) => PlacementPolicy::from_number(number)?,
            None => PlacementPolicy::default(),
        };
        let mut context = TFE_Context::new(&options.config, policy)?;
        context.executors = Executors::new(options.is_async);
        Ok(Some(context))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, make) }
}

/// Deletes a context.
///
/// # Safety
/// As [the crate](crate#safety) says. Ops of the context may be left, and in the midst of a call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_DeleteContext(ctx: Option<Box<TFE_Context>>) {
    shield((), || {
        drop(ctx);
        Ok(())
    });
}

/// The devices of a context.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextListDevices(
    ctx: Option<&TFE_Context>,
    status: *mut TF_Status,
) -> Option<Box<TF_DeviceList>> {
    let list = || {
        Ok(Some(Box::new(TF_DeviceList::of(
            &given(ctx, "ctx")?.context,
        ))))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, list) }
}

/// Drops the cached kernels.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextClearCaches(ctx: Option<&TFE_Context>) {
    shield((), || {
        given(ctx, "ctx")?.context.clear_caches();
        Ok(())
    });
}

/// Sets the policy of this thread.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextSetThreadLocalDevicePlacementPolicy(
    ctx: Option<&TFE_Context>,
    policy: TFE_ContextDevicePlacementPolicy,
) {
    shield((), || {
        let policy = PlacementPolicy::from_number(policy)?;
        let context = &given(ctx, "ctx")?.context;
        context.set_thread_local_placement_policy(policy);
        Ok(())
    });
}

/// The policy of this thread.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextGetDevicePlacementPolicy(
    ctx: Option<&TFE_Context>,
) -> TFE_ContextDevicePlacementPolicy {
    let policy = || Ok(given(ctx, "ctx")?.context.placement_policy());
    shield(PlacementPolicy::default(), policy) as TFE_ContextDevicePlacementPolicy
}

/// Begins a step, for which nothing here lives.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextStartStep(_ctx: Option<&TFE_Context>) {}

/// Ends a step.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextEndStep(_ctx: Option<&TFE_Context>) {}
