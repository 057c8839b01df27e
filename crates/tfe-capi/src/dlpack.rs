//! DLPack (`eager/dlpack.h`): tensors from and to other libraries, without a copy.
//!
//! The structs are those of DLPack 1.1, in the form without a version that every library takes and TensorFlow has.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use tfe_core::{Buffer, DataType, Result, Shape, Tensor, bail, ensure, err};
use tfe_eager::TensorHandle;

use crate::guard::{self, given, guard, shield, slice};
use crate::handle::value;
use crate::{TF_Status, TFE_Context, TFE_TensorHandle};

/// Host memory, among DLPack's kinds of device.
const CPU: i32 = 1;
/// The kinds that TensorFlow calls GPU: of CUDA and of ROCm.
const GPUS: [i32; 2] = [2, 10];

/// No memory of a process lies beyond, or in the upper half of the addresses.
const HIGHEST: usize = isize::MAX as usize;

/// Our types by DLPack's kind and number of bits. Other kinds have no type here; types narrower than a byte lie packed
/// there and a byte each here.
const TYPES: &[(DataType, u8, u8)] = &[
    (DataType::Int8, 0, 8),
    (DataType::Int16, 0, 16),
    (DataType::Int32, 0, 32),
    (DataType::Int64, 0, 64),
    (DataType::Uint8, 1, 8),
    (DataType::Uint16, 1, 16),
    (DataType::Uint32, 1, 32),
    (DataType::Uint64, 1, 64),
    (DataType::Half, 2, 16),
    (DataType::Float, 2, 32),
    (DataType::Double, 2, 64),
    (DataType::Bfloat16, 4, 16),
    (DataType::Complex64, 5, 64),
    (DataType::Complex128, 5, 128),
    (DataType::Bool, 6, 8),
    (DataType::Float8E4m3b11fnuz, 9, 8),
    (DataType::Float8E4m3fn, 10, 8),
    (DataType::Float8E4m3fnuz, 11, 8),
    (DataType::Float8E5m2, 12, 8),
    (DataType::Float8E5m2fnuz, 13, 8),
];

#[repr(C)]
struct DLDevice {
    device_type: i32,
    device_id: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DLDataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct DLTensor {
    data: *mut c_void,
    device: DLDevice,
    ndim: i32,
    dtype: DLDataType,
    shape: *mut i64,
    /// In elements; null where they lie row after row without gaps.
    strides: *mut i64,
    byte_offset: u64,
}

/// A tensor with what frees it.
#[repr(C)]
struct DLManagedTensor {
    tensor: DLTensor,
    manager_ctx: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A tensor of ours that somebody else uses.
struct Export {
    managed: DLManagedTensor,
    /// Keeps the memory.
    _tensor: Tensor,
    /// What `managed` points to: the shape, then the strides.
    _dims: Box<[i64]>,
}

impl Export {
    /// The managed tensor, which owns itself.
    fn of(tensor: Tensor) -> Result<*mut DLManagedTensor> {
        let dtype = TYPES.iter().find(|(dtype, ..)| *dtype == tensor.dtype());
        let Some(&(_, code, bits)) = dtype else {
            bail!(
                InvalidArgument,
                "{} is not supported by dlpack",
                tensor.dtype().proto_name()
            );
        };
        let rank = tensor.rank();
        let mut dims = tensor.dims().to_vec();
        let mut stride = 1i64;
        let mut strides = vec![0; rank];
        for (i, &dim) in tensor.dims().iter().enumerate().rev() {
            strides[i] = stride;
            // Of a tensor without elements they mean nothing.
            stride = stride.wrapping_mul(dim);
        }
        dims.append(&mut strides);
        let mut dims = dims.into_boxed_slice();
        let shape = dims.as_mut_ptr();
        let export = Box::new(Self {
            managed: DLManagedTensor {
                tensor: DLTensor {
                    data: tensor.data_ptr().cast(),
                    device: DLDevice {
                        device_type: CPU,
                        device_id: 0,
                    },
                    ndim: rank as i32,
                    dtype: DLDataType {
                        code,
                        bits,
                        lanes: 1,
                    },
                    shape,
                    strides: match rank {
                        0 => null_mut(),
                        _ => shape.wrapping_add(rank),
                    },
                    byte_offset: 0,
                },
                manager_ctx: null_mut(),
                deleter: Some(delete_export),
            },
            _tensor: tensor,
            _dims: dims,
        });
        let export = Box::into_raw(export);
        // SAFETY: the box was let go of just now and nobody else has the pointer.
        let managed = unsafe { &raw mut (*export).managed };
        // SAFETY: as above.
        unsafe { (*managed).manager_ctx = export.cast() };
        Ok(managed)
    }
}

/// Frees what [`Export::of`] made.
unsafe extern "C" fn delete_export(managed: *mut DLManagedTensor) {
    let Some(managed) = NonNull::new(managed) else {
        return;
    };
    // SAFETY: a managed tensor of ours that nobody uses any more, says DLPack.
    let export = unsafe { managed.as_ref() }.manager_ctx.cast::<Export>();
    // SAFETY: `of` made it by `into_raw`; a deleter is called once.
    let export = unsafe { Box::from_raw(export) };
    shield((), || {
        drop(export);
        Ok(())
    });
}

/// A managed tensor that is ours to free, which dropping this does.
struct Import(NonNull<DLManagedTensor>);

// SAFETY: DLPack lets any thread call the deleter.
unsafe impl Send for Import {}

impl Drop for Import {
    fn drop(&mut self) {
        // SAFETY: a managed tensor that lives until its deleter was called, once, here.
        let deleter = unsafe { self.0.as_ref() }.deleter;
        if let Some(deleter) = deleter {
            // SAFETY: as DLPack wants it.
            unsafe { deleter(self.0.as_ptr()) };
        }
    }
}

/// What a managed tensor says, checked.
struct Described {
    dtype: DataType,
    shape: Shape,
    data: *mut u8,
    bytes: usize,
}

impl Described {
    /// # Safety
    /// `shape` and, where it is not null, `strides` lead to as many numbers as there are dimensions.
    unsafe fn of(tensor: &DLTensor) -> Result<Self> {
        match tensor.device.device_type {
            CPU => {}
            gpu if GPUS.contains(&gpu) => {
                bail!(
                    InvalidArgument,
                    "GPU:{} unknown device.",
                    tensor.device.device_id
                )
            }
            _ => bail!(InvalidArgument, "Unsupported Device Type"),
        }
        let dtype = data_type(tensor.dtype)?;
        // SAFETY: the caller's promise.
        let dims = unsafe { guard::dims(tensor.shape, tensor.ndim, "shape") }?;
        let shape = Shape::new(dims)?;
        if !tensor.strides.is_null() {
            // SAFETY: the caller's promise.
            let strides = unsafe { guard::dims(tensor.strides, tensor.ndim, "strides") }?;
            ensure!(
                is_compact(&shape, strides),
                InvalidArgument,
                "Invalid strides array from DLPack"
            );
        }
        let bytes = shape.num_elements().checked_mul(dtype.size());
        let bytes = bytes.filter(|&bytes| bytes <= isize::MAX as usize);
        let bytes = bytes.ok_or_else(|| {
            err!(
                InvalidArgument,
                "a tensor of shape {shape} and type {dtype} is too big"
            )
        })?;
        ensure!(
            bytes == 0 || !tensor.data.is_null(),
            InvalidArgument,
            "data is NULL"
        );
        let data = tensor.data.cast::<u8>();
        let offset = usize::try_from(tensor.byte_offset).ok();
        let end = offset.and_then(|n| data.addr().checked_add(n)?.checked_add(bytes));
        let (Some(offset), Some(..=HIGHEST)) = (offset, end) else {
            bail!(
                InvalidArgument,
                "byte_offset {} leads out of memory",
                tensor.byte_offset
            );
        };
        Ok(Self {
            dtype,
            shape,
            data: data.wrapping_add(offset),
            bytes,
        })
    }
}

fn data_type(dtype: DLDataType) -> Result<DataType> {
    let DLDataType { code, bits, lanes } = dtype;
    ensure!(
        lanes == 1,
        InvalidArgument,
        "elements of {lanes} lanes are not supported"
    );
    let known = TYPES.iter().find(|&&(_, c, b)| (c, b) == (code, bits));
    known.map(|&(dtype, ..)| dtype).ok_or_else(|| {
        err!(
            InvalidArgument,
            "Unsupported Type Codes: {code} of {bits} bits"
        )
    })
}

/// Whether elements lie row after row without gaps. The stride of a dimension of one element, or of a tensor without
/// elements, says nothing.
fn is_compact(shape: &Shape, strides: &[i64]) -> bool {
    let mut want = 1;
    let from_last = shape.dims().iter().zip(strides).rev();
    shape.num_elements() == 0
        || from_last.into_iter().all(|(&dim, &stride)| {
            let fits = dim == 1 || stride == want;
            want *= dim;
            fits
        })
}

/// A tensor over the memory of a managed tensor, or over a copy where it is not aligned.
///
/// # Safety
/// A managed tensor as DLPack wants it. It is the caller's after an error, else used up.
unsafe fn import(managed: NonNull<DLManagedTensor>) -> Result<Tensor> {
    // SAFETY: a managed tensor, says the caller.
    let tensor = unsafe { &managed.as_ref().tensor };
    // SAFETY: as above.
    let Described {
        dtype,
        shape,
        data,
        bytes,
    } = unsafe { Described::of(tensor) }?;
    // Complex numbers are moved as words of their whole width.
    if !data.addr().is_multiple_of(dtype.size()) {
        // SAFETY: so many bytes, says DLPack.
        let bytes = unsafe { slice(data, bytes, "data") }?;
        let copy = Tensor::from_plain_bytes(dtype, shape, bytes)?;
        drop(Import(managed));
        return Ok(copy);
    }
    let import = Import(managed);
    // SAFETY: the memory stays until the deleter is called, which is when the buffer lets go.
    let buffer = unsafe { Buffer::from_foreign(data, bytes, move || drop(import)) };
    // SAFETY: initialised bytes, says DLPack; the buffer is as long as the elements.
    unsafe { Tensor::from_buffer(dtype, shape, buffer, 0) }
}

/// A handle's value as a `DLManagedTensor`.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_HandleToDLPack(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> *mut c_void {
    let export = || {
        let handle = value(h)?;
        check_host(handle)?;
        Ok(Export::of(handle.tensor()?.clone())?.cast())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null_mut(), export) }
}

/// Whether another library can be given the address of a value.
fn check_host(handle: &TensorHandle) -> Result<()> {
    ensure!(
        !handle.is_remote()?,
        Unimplemented,
        "only values in host memory can be handed out by DLPack, and this one is on {}: copy it to the CPU first",
        handle.device_name()
    );
    Ok(())
}

/// A handle over the memory of a `DLManagedTensor`.
///
/// # Safety
/// As [the crate](crate#safety) says; `dlm` is null or a managed tensor as DLPack wants it, which is used up unless there
/// is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_HandleFromDLPack(
    dlm: *mut c_void,
    status: *mut TF_Status,
    ctx: Option<&TFE_Context>,
) -> Option<Box<TFE_TensorHandle>> {
    let import = || {
        given(ctx, "ctx")?;
        let managed = given(NonNull::new(dlm.cast()), "dlm")?;
        // SAFETY: the caller's promise.
        let tensor = unsafe { import(managed) }?;
        Ok(Some(TensorHandle::new(tensor).into()))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, import) }
}

/// Frees a `DLManagedTensor`.
///
/// # Safety
/// As [the crate](crate#safety) says; `dlm_ptr` is null or a managed tensor as DLPack wants it, which is used up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_CallDLManagedTensorDeleter(dlm_ptr: *mut c_void) {
    drop(NonNull::new(dlm_ptr.cast()).map(Import));
}

/// The `DLDevice` of a handle, in memory of C's allocator.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_GetDLDevice(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> *mut c_void {
    let device = || {
        check_host(value(h)?)?;
        // SAFETY: any size will do.
        let place = unsafe { libc::malloc(size_of::<DLDevice>()) }.cast::<DLDevice>();
        ensure!(
            !place.is_null(),
            ResourceExhausted,
            "there is no memory for a DLDevice"
        );
        let device = DLDevice {
            device_type: CPU,
            device_id: 0,
        };
        // SAFETY: new memory of that size, aligned as `malloc` does.
        unsafe { place.write(device) };
        Ok(place.cast())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null_mut(), device) }
}

// The same under the names that C++ gives them in TensorFlow's header.

/// `tensorflow::TFE_HandleToDLPack`.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(export_name = "_ZN10tensorflow18TFE_HandleToDLPackEP16TFE_TensorHandleP10TSL_Status")]
pub unsafe extern "C" fn handle_to_dlpack(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> *mut c_void {
    // SAFETY: the same promises.
    unsafe { TFE_HandleToDLPack(h, status) }
}

/// `tensorflow::TFE_HandleFromDLPack`.
///
/// # Safety
/// As [`TFE_HandleFromDLPack`].
#[unsafe(export_name = "_ZN10tensorflow20TFE_HandleFromDLPackEPvP10TSL_StatusP11TFE_Context")]
pub unsafe extern "C" fn handle_from_dlpack(
    dlm: *mut c_void,
    status: *mut TF_Status,
    ctx: Option<&TFE_Context>,
) -> Option<Box<TFE_TensorHandle>> {
    // SAFETY: the same promises.
    unsafe { TFE_HandleFromDLPack(dlm, status, ctx) }
}

/// `tensorflow::TFE_CallDLManagedTensorDeleter`.
///
/// # Safety
/// As [`TFE_CallDLManagedTensorDeleter`].
#[unsafe(export_name = "_ZN10tensorflow30TFE_CallDLManagedTensorDeleterEPv")]
pub unsafe extern "C" fn call_dl_managed_tensor_deleter(dlm_ptr: *mut c_void) {
    // SAFETY: the same promises.
    unsafe { TFE_CallDLManagedTensorDeleter(dlm_ptr) }
}

/// `tensorflow::TFE_GetDLDevice`.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(export_name = "_ZN10tensorflow15TFE_GetDLDeviceEP16TFE_TensorHandleP10TSL_Status")]
pub unsafe extern "C" fn get_dl_device(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> *mut c_void {
    // SAFETY: the same promises.
    unsafe { TFE_GetDLDevice(h, status) }
}
