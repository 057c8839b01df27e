//! `TFE_Op` (`eager/c_api.h`): a call in the making, but for its attrs (`attrs.rs`).
#![expect(unsafe_code, reason = "exported to C")]

use std::cell::{OnceCell, RefCell};
use std::ffi::{CString, c_char, c_int, c_uchar};
use std::ptr::{null, null_mut};
use std::sync::{Arc, Weak};

use smallvec::SmallVec;
use tfe_core::{Result, bail, ensure};
use tfe_eager::{Op, TensorHandle};

use crate::cancellation::Cancellation;
use crate::guard::{as_mut, as_ref, given, guard, shield, slice, text};
use crate::handle::value;
use crate::{TF_Status, TFE_Context, TFE_TensorHandle};

/// The number of an attr's kind.
pub type TF_AttrType = c_int;

/// What an attr's kind is after an error: it means nothing.
pub(crate) const NO_ATTR_TYPE: TF_AttrType = 1;

/// An op or function with its inputs, attrs and device.
#[derive(Debug)]
pub struct TFE_Op {
    pub(crate) op: Op,
    /// To be given back to the client: it may be deleted by now.
    ctx: *mut TFE_Context,
    /// One word for what few clients ask for.
    rare: OnceCell<Box<Rare>>,
}

/// What few ops have; what a client was shown of it is in places that do not move.
#[derive(Debug, Default)]
struct Rare {
    /// The name with a zero at its end.
    name: OnceCell<CString>,
    /// The inputs asked for, each at its index.
    inputs: RefCell<Vec<Option<Box<TFE_TensorHandle>>>>,
    /// What may cancel the op, as long as that is there.
    cancellation: Weak<Cancellation>,
}

impl TFE_Op {
    /// # Safety
    /// `ctx` is null or leads to a context.
    #[inline]
    unsafe fn new(ctx: *mut TFE_Context, name: &str) -> Result<Box<Self>> {
        // SAFETY: null or a context, says the caller.
        let context = unsafe { &as_ref(ctx, "ctx")?.context };
        let callee = context.callee(name)?;
        // Most of an op is room for inputs and attrs: it is made where it stays, so that nothing of that is copied.
        let place = Box::new_uninit();
        let mut made = Box::write(
            place,
            Self {
                op: Op::new(context, callee),
                ctx,
                rare: OnceCell::new(),
            },
        );
        made.op.set_lenient();
        Ok(made)
    }

    /// A call that `ctx` made, to be shown to a custom device.
    pub(crate) fn of(op: Op, ctx: *mut TFE_Context) -> Self {
        Self {
            op,
            ctx,
            rare: OnceCell::new(),
        }
    }

    pub(crate) fn context(&self) -> *mut TFE_Context {
        self.ctx
    }

    /// Lets go of the inputs that were shown, when the op has no inputs any more.
    #[inline]
    pub(crate) fn forget_inputs(&mut self) {
        if let Some(rare) = self.rare.get_mut()
            && self.op.num_inputs() == 0
        {
            rare.inputs.get_mut().clear();
        }
    }

    /// Lets a cancellation manager cancel the op, or none.
    pub(crate) fn set_cancellation(&mut self, cancellation: Option<&Arc<Cancellation>>) {
        self.op.set_cancellation(cancellation.map(|c| c.of_runs()));
        self.rare();
        if let Some(rare) = self.rare.get_mut() {
            rare.cancellation = cancellation.map_or_else(Weak::new, Arc::downgrade);
        }
    }

    /// Whether the op may still be executed.
    #[inline]
    pub(crate) fn check_cancelled(&self) -> Result<()> {
        match self.rare.get() {
            None => Ok(()),
            Some(rare) => self.check_cancellation(&rare.cancellation),
        }
    }

    #[cold]
    fn check_cancellation(&self, cancellation: &Weak<Cancellation>) -> Result<()> {
        // As in TensorFlow, primitive ops run all the same.
        let is_cancelled =
            self.op.is_function() && cancellation.upgrade().is_some_and(|c| c.is_cancelled());
        ensure!(
            !is_cancelled,
            Cancelled,
            "{{{{function_node {}}}}} Function was cancelled before it was started",
            self.op.name()
        );
        Ok(())
    }

    fn reset(&mut self, name: &str, device: &str) -> Result<()> {
        self.op.reset(name)?;
        self.rare.take();
        self.op.set_device(device)
    }

    fn rare(&self) -> &Rare {
        self.rare.get_or_init(Box::default)
    }

    fn name(&self) -> *const c_char {
        let name = || CString::new(self.op.name()).unwrap_or_default();
        self.rare().name.get_or_init(name).as_ptr()
    }

    fn shown_input(&self, index: c_int) -> Result<*mut TFE_TensorHandle> {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let Some(input) = self.op.nth_input(index) else {
            bail!(
                InvalidArgument,
                "index out of bounds: {} has {} inputs so far",
                self.op.name(),
                self.op.num_inputs()
            );
        };
        let mut shown = self.rare().inputs.borrow_mut();
        if shown.len() <= index {
            shown.resize_with(index + 1, || None);
        }
        let handle = shown[index].get_or_insert_with(|| input.into());
        Ok(&raw mut **handle)
    }
}

/// A name of a device: none for null.
///
/// # Safety
/// Null or a C string.
pub(crate) unsafe fn device_text<'a>(name: *const c_char) -> std::borrow::Cow<'a, str> {
    // SAFETY: the caller's promise.
    unsafe { text(name, "device_name") }.unwrap_or_default()
}

/// A new op.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_NewOp(
    ctx: *mut TFE_Context,
    op_or_function_name: *const c_char,
    status: *mut TF_Status,
) -> Option<Box<TFE_Op>> {
    // SAFETY: null or a C string.
    let name = unsafe { text(op_or_function_name, "op_or_function_name") };
    let make = || {
        // SAFETY: null or a context of the caller's.
        unsafe { TFE_Op::new(ctx, &name?) }.map(Some)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, make) }
}

/// Deletes an op.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_DeleteOp(op: Option<Box<TFE_Op>>) {
    shield((), || {
        drop(op);
        Ok(())
    });
}

/// Makes an op a new one.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpReset(
    op_to_reset: Option<&mut TFE_Op>,
    op_or_function_name: *const c_char,
    raw_device_name: *const c_char,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let name = unsafe { text(op_or_function_name, "op_or_function_name") };
    // SAFETY: null or a C string.
    let device = unsafe { device_text(raw_device_name) };
    let reset = || given(op_to_reset, "op_to_reset")?.reset(&name?, &device);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), reset) }
}

/// The name of the op or function.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetName(
    op: Option<&TFE_Op>,
    status: *mut TF_Status,
) -> *const c_char {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null(), || Ok(given(op, "op")?.name())) }
}

/// The context of the op.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetContext(
    op: Option<&TFE_Op>,
    status: *mut TF_Status,
) -> *mut TFE_Context {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null_mut(), || Ok(given(op, "op")?.ctx)) }
}

/// Asks for a device.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetDevice(
    op: Option<&mut TFE_Op>,
    device_name: *const c_char,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let device = unsafe { device_text(device_name) };
    let set = || given(op, "op")?.op.set_device(&device);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), set) }
}

/// The device that was asked for.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetDevice(
    op: Option<&TFE_Op>,
    status: *mut TF_Status,
) -> *const c_char {
    let device = || Ok(given(op, "op")?.op.requested_device().as_ptr());
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null(), device) }
}

/// Adds an input.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpAddInput(
    op: Option<&mut TFE_Op>,
    input: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) {
    let add = || given(op, "op")?.op.add_input(value(input)?);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), add) }
}

/// Adds all values of an input that is a list.
///
/// # Safety
/// As [the crate](crate#safety) says; `inputs` leads to `num_inputs` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpAddInputList(
    op: Option<&mut TFE_Op>,
    inputs: *const Option<&TFE_TensorHandle>,
    num_inputs: c_int,
    status: *mut TF_Status,
) {
    // SAFETY: an array, says the caller.
    let inputs = unsafe { slice(inputs, num_inputs, "inputs") };
    let add = || {
        let handles = inputs?.iter().map(|&input| value(input));
        let handles: SmallVec<[&TensorHandle; 8]> = handles.collect::<Result<_>>()?;
        given(op, "op")?.op.add_input_refs(handles.iter().copied())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), add) }
}

/// The number of inputs added so far; -1 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetFlatInputCount(
    op: Option<&TFE_Op>,
    status: *mut TF_Status,
) -> c_int {
    let count = || Ok(given(op, "op")?.op.num_inputs() as c_int);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, -1, count) }
}

/// An input.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetFlatInput(
    op: Option<&TFE_Op>,
    index: c_int,
    status: *mut TF_Status,
) -> *mut TFE_TensorHandle {
    let input = || given(op, "op")?.shown_input(index);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null_mut(), input) }
}

/// The kind of an attr.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetAttrType(
    op: Option<&TFE_Op>,
    attr_name: *const c_char,
    is_list: *mut c_uchar,
    status: *mut TF_Status,
) -> TF_AttrType {
    // SAFETY: null or a C string.
    let name = unsafe { text(attr_name, "attr_name") };
    let kind = || {
        let (kind, list) = given(op, "op")?.op.attr_type(&name?)?;
        // SAFETY: null or a byte of the caller's.
        *unsafe { as_mut(is_list, "is_list") }? = list.into();
        Ok(kind as TF_AttrType)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, NO_ATTR_TYPE, kind) }
}

/// The kind of an attr of an op or function of a name.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpNameGetAttrType(
    ctx: Option<&TFE_Context>,
    op_or_function_name: *const c_char,
    attr_name: *const c_char,
    is_list: *mut c_uchar,
    status: *mut TF_Status,
) -> TF_AttrType {
    // SAFETY: null or a C string.
    let op = unsafe { text(op_or_function_name, "op_or_function_name") };
    // SAFETY: null or a C string.
    let name = unsafe { text(attr_name, "attr_name") };
    let kind = || {
        let spec = given(ctx, "ctx")?.context.callee(&op?)?;
        let (kind, list) = tfe_attrs::attr_type_by_name(&*spec, &name?)?;
        // SAFETY: null or a byte of the caller's.
        *unsafe { as_mut(is_list, "is_list") }? = list.into();
        Ok(kind as TF_AttrType)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, NO_ATTR_TYPE, kind) }
}

/// The number of values of an input; -1 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetInputLength(
    op: Option<&TFE_Op>,
    input_name: *const c_char,
    status: *mut TF_Status,
) -> c_int {
    // SAFETY: null or a C string.
    let name = unsafe { text(input_name, "input_name") };
    let length = || Ok(given(op, "op")?.op.attrs().input_len(&name?)? as c_int);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, -1, length) }
}

/// The number of values of an output; -1 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetOutputLength(
    op: Option<&TFE_Op>,
    output_name: *const c_char,
    status: *mut TF_Status,
) -> c_int {
    // SAFETY: null or a C string.
    let name = unsafe { text(output_name, "output_name") };
    let length = || Ok(given(op, "op")?.op.attrs().output_len(&name?)? as c_int);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, -1, length) }
}
