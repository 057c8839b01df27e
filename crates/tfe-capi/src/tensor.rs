//! `TF_Tensor` (`tf_tensor.h`): an array in host memory.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_int, c_void};
use std::sync::LazyLock;

use tfe_core::{Allocator, Buffer, DataType, Result, Shape, TString, Tensor, ensure, err};
use tfe_eager::{CachingAllocator, DEFAULT_CACHE_BYTES};
use tfe_ops::tensor_from_proto;
use tfe_proto::Message as _;
use tfe_proto::tensorflow::TensorProto;

use crate::guard::{self, as_mut, as_ref, given, guard, shield, slice};
use crate::{TF_Buffer, TF_DataType, TF_Status, data_type, tstring};

/// An array in host memory.
#[derive(Debug)]
pub struct TF_Tensor {
    tensor: Tensor,
    /// Bytes from the first element to the end of the memory. More than the elements take when the client wanted it so.
    bytes: usize,
}

/// What lets go of a client's memory: data, length, the pointer given.
pub type Deallocator = Option<unsafe extern "C" fn(*mut c_void, usize, *mut c_void)>;

impl From<Tensor> for TF_Tensor {
    fn from(tensor: Tensor) -> Self {
        Self {
            bytes: tensor.byte_size(),
            tensor,
        }
    }
}

impl TF_Tensor {
    pub(crate) fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// The memory, or its beginning, as elements of another type or shape.
    fn viewed_as(&self, dtype: DataType, shape: Shape) -> Result<Self> {
        let plain = dtype.is_plain() && self.tensor.dtype().is_plain();
        ensure!(
            plain || dtype == self.tensor.dtype(),
            InvalidArgument,
            "the elements of a {} tensor are no {dtype} elements",
            self.tensor.dtype()
        );
        if !plain && dtype != DataType::String {
            let tensor = self.tensor.reshaped(shape)?;
            return Ok(Self { tensor, ..*self });
        }
        bytes_of(dtype, &shape, self.bytes)?;
        let buffer = self.tensor.buffer().clone();
        // SAFETY: there are `self.bytes` of initialised memory, as far as the client does what it must. Strings are all
        // zero at first, which is a valid one, and stay aligned; whoever made the memory drops them.
        let tensor = unsafe { Tensor::from_buffer(dtype, shape, buffer, self.tensor.offset()) }?;
        Ok(Self { tensor, ..*self })
    }
}

/// Memory of a client, let go of when this is dropped.
pub(crate) struct Lent {
    data: *mut c_void,
    len: usize,
    deallocator: Deallocator,
    arg: *mut c_void,
}

// SAFETY: the header says that any thread may call the deallocator; the memory is not used through this.
unsafe impl Send for Lent {}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(deallocator) = self.deallocator {
            // SAFETY: called as `new` was promised, once, as nobody uses the memory any more.
            unsafe { deallocator(self.data, self.len, self.arg) };
        }
    }
}

impl Lent {
    /// # Safety
    /// Any thread may call the deallocator, once, with `data`, `len` and `arg`.
    pub(crate) unsafe fn new(
        data: *mut c_void,
        len: usize,
        deallocator: Deallocator,
        arg: *mut c_void,
    ) -> Self {
        Self {
            data,
            len,
            deallocator,
            arg,
        }
    }

    /// A tensor over the memory, or over a copy where the memory is not so aligned.
    ///
    /// # Safety
    /// `data` is null or leads to `len` initialised bytes that stay until this is dropped; for strings to valid ones,
    /// which the deallocator drops.
    pub(crate) unsafe fn into_tensor(
        self,
        dtype: DataType,
        shape: Shape,
        alignment: usize,
    ) -> Result<TF_Tensor> {
        let bytes = bytes_of(dtype, &shape, self.len)?;
        ensure!(
            bytes == 0 || !self.data.is_null(),
            InvalidArgument,
            "data is NULL"
        );
        if !self.data.addr().is_multiple_of(alignment) {
            // SAFETY: the caller's promise.
            return Ok(unsafe { self.copied(dtype, shape, bytes) }?.into());
        }
        let (data, len) = (self.data.cast::<u8>(), self.len);
        let len = if data.is_null() { 0 } else { len };
        // SAFETY: the memory stays until this is dropped, which is when the buffer lets go.
        let buffer = unsafe { Buffer::from_foreign(data, len, move || drop(self)) };
        // SAFETY: initialised; strings are aligned, valid, and dropped by the deallocator.
        let tensor = unsafe { Tensor::from_buffer(dtype, shape, buffer, 0) }?;
        Ok(TF_Tensor { tensor, bytes: len })
    }

    /// # Safety
    /// As [`into_tensor`](Self::into_tensor), and `bytes`, no more than `len`, is what the elements take.
    unsafe fn copied(&self, dtype: DataType, shape: Shape, bytes: usize) -> Result<Tensor> {
        if dtype == DataType::String {
            let strings = self.data.cast::<TString>();
            let count = shape.num_elements();
            let bytes = (0..count).map(|i| {
                let string = strings.wrapping_add(i);
                // SAFETY: one of the client's strings, read where it lies.
                unsafe { tstring::bytes_of(string) }
            });
            let copies = bytes.map(|b| TString::concat([b]));
            return Tensor::uninit(dtype, shape)?.try_fill_from(copies);
        }
        // SAFETY: initialised bytes, says the caller.
        let bytes = unsafe { slice(self.data.cast::<u8>(), bytes, "data") }?;
        Tensor::from_plain_bytes(dtype, shape, bytes)
    }
}

/// The cache of tensors that no context is known for; smaller, since it stays as long as the process.
static PROCESS: LazyLock<CachingAllocator> =
    LazyLock::new(|| CachingAllocator::new(DEFAULT_CACHE_BYTES / 4));

/// Room for `len` bytes, whatever the tensor needs.
struct AtLeast(usize);

impl Allocator for AtLeast {
    fn allocate(&self, bytes: usize) -> Result<Buffer> {
        PROCESS.allocate(bytes.max(self.0))
    }
}

/// The bytes that the elements of a tensor of the client's take, of `len` that there are.
fn bytes_of(dtype: DataType, shape: &Shape, len: usize) -> Result<usize> {
    ensure!(
        dtype.is_plain() || dtype == DataType::String,
        InvalidArgument,
        "only the library makes {dtype} elements"
    );
    let bytes = shape.num_elements().checked_mul(dtype.size());
    match bytes.filter(|&bytes| bytes <= len && len <= isize::MAX as usize) {
        Some(bytes) => Ok(bytes),
        None => tfe_core::bail!(
            InvalidArgument,
            "a {dtype} tensor of shape {shape} does not fit in {len} bytes"
        ),
    }
}

/// A tensor over memory of the caller's.
///
/// # Safety
/// As [the crate](crate#safety) says; `data` leads to `len` bytes (for `TF_STRING`, to valid strings) that stay until
/// the deallocator is called, which any thread may do once with `data`, `len` and `deallocator_arg`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_NewTensor(
    r#type: TF_DataType,
    dims: *const i64,
    num_dims: c_int,
    data: *mut c_void,
    len: usize,
    deallocator: Deallocator,
    deallocator_arg: *mut c_void,
) -> Option<Box<TF_Tensor>> {
    // SAFETY: the caller's promise.
    let lent = unsafe { Lent::new(data, len, deallocator, deallocator_arg) };
    // SAFETY: an array, says the caller.
    let dims = unsafe { guard::dims(dims, num_dims, "dims") };
    shield(None, move || {
        let dtype = data_type(r#type)?;
        let shape = Shape::new(dims?)?;
        let alignment = match dtype {
            DataType::String => align_of::<TString>(),
            _ => TF_TensorDefaultAlignment(),
        };
        // SAFETY: the caller's promises on `data`.
        let tensor = unsafe { lent.into_tensor(dtype, shape, alignment) }?;
        Ok(Some(Box::new(tensor)))
    })
}

/// The alignment with which memory of a client is used in place.
#[unsafe(no_mangle)]
pub extern "C" fn TF_TensorDefaultAlignment() -> usize {
    64
}

/// A tensor with memory of its own, which the caller writes before anything reads it.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_AllocateTensor(
    r#type: TF_DataType,
    dims: *const i64,
    num_dims: c_int,
    len: usize,
) -> Option<Box<TF_Tensor>> {
    // SAFETY: an array, says the caller.
    let dims = unsafe { guard::dims(dims, num_dims, "dims") };
    shield(None, || allocate(r#type, dims?, Some(len)).map(Some))
}

/// A tensor of the client's, of `len` bytes where it says so, whose elements are not written yet.
pub(crate) fn allocate(
    dtype: TF_DataType,
    dims: &[i64],
    len: Option<usize>,
) -> Result<Box<TF_Tensor>> {
    let dtype = data_type(dtype)?;
    let shape = Shape::new(dims)?;
    let bytes = bytes_of(dtype, &shape, len.unwrap_or(isize::MAX as usize))?;
    let bytes = len.unwrap_or(bytes);
    let tensor = Tensor::uninit_in(&AtLeast(bytes), dtype, shape)?;
    // SAFETY: the caller is to write the elements before anything reads them; strings are valid from the start.
    let tensor = unsafe { tensor.assume_init() };
    Ok(Box::new(TF_Tensor { tensor, bytes }))
}

/// Makes a tensor that of a message (`c_api.h`).
///
/// # Safety
/// As [the crate](crate#safety) says; `from` leads to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_TensorFromProto(
    from: Option<&TF_Buffer>,
    to: Option<&mut TF_Tensor>,
    status: *mut TF_Status,
) {
    let read = || {
        // SAFETY: a buffer of the caller's.
        let bytes = unsafe { given(from, "from")?.bytes() }?;
        let proto = TensorProto::decode(bytes)
            .map_err(|_| err!(InvalidArgument, "Unparseable tensorflow.TensorProto proto"))?;
        *given(to, "to")? = tensor_from_proto(&proto)?.into();
        Ok(())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), read) }
}

/// The tensor itself when nothing shares its memory, else null.
///
/// # Safety
/// As [the crate](crate#safety) says; when the result is not null, it takes the place of `tensor`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_TensorMaybeMove(tensor: *mut TF_Tensor) -> *mut TF_Tensor {
    // SAFETY: null or a tensor.
    match unsafe { tensor.as_ref() } {
        Some(t) if t.tensor.is_forwardable() => tensor,
        _ => std::ptr::null_mut(),
    }
}

/// Deletes a tensor.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeleteTensor(tensor: Option<Box<TF_Tensor>>) {
    shield((), || {
        drop(tensor);
        Ok(())
    });
}

/// The element type; 0 for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_TensorType(tensor: Option<&TF_Tensor>) -> TF_DataType {
    tensor.map_or(0, |t| t.tensor.dtype().number())
}

/// Gives a tensor another shape.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_SetShape(
    tensor: Option<&mut TF_Tensor>,
    dims: *const i64,
    num_dims: c_int,
) {
    // SAFETY: an array, says the caller.
    let dims = unsafe { guard::dims(dims, num_dims, "dims") };
    shield((), || {
        let tensor = given(tensor, "tensor")?;
        *tensor = tensor.viewed_as(tensor.tensor.dtype(), Shape::new(dims?)?)?;
        Ok(())
    });
}

/// The number of dimensions; -1 for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_NumDims(tensor: Option<&TF_Tensor>) -> c_int {
    tensor.map_or(-1, |t| t.tensor.rank() as c_int)
}

/// The length of a dimension; -1 when there is none.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_Dim(tensor: Option<&TF_Tensor>, dim_index: c_int) -> i64 {
    let dims = tensor.map_or(&[][..], |t| t.tensor.dims());
    let index = usize::try_from(dim_index).ok();
    index.and_then(|i| dims.get(i)).copied().unwrap_or(-1)
}

/// The bytes behind [`TF_TensorData`].
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_TensorByteSize(tensor: Option<&TF_Tensor>) -> usize {
    tensor.map_or(0, |t| t.bytes)
}

/// The first element; null for null only.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_TensorData(tensor: Option<&TF_Tensor>) -> *mut c_void {
    tensor.map_or(std::ptr::null_mut(), |t| t.tensor.data_ptr().cast())
}

/// The number of elements.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_TensorElementCount(tensor: Option<&TF_Tensor>) -> i64 {
    tensor.map_or(0, |t| t.tensor.num_elements() as i64)
}

/// Makes `to` share the memory of `from`.
///
/// # Safety
/// As [the crate](crate#safety) says; `to` may be `from`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_TensorBitcastFrom(
    from: *const TF_Tensor,
    r#type: TF_DataType,
    to: *mut TF_Tensor,
    new_dims: *const i64,
    num_new_dims: c_int,
    status: *mut TF_Status,
) {
    // SAFETY: an array, says the caller.
    let dims = unsafe { guard::dims(new_dims, num_new_dims, "new_dims") };
    let cast = || {
        // SAFETY: null or a tensor, and not looked at any more once `to` changes.
        let from = unsafe { as_ref(from, "from") }?;
        let dtype = data_type(r#type)?;
        let shape = Shape::new(dims?)?;
        let bytes = shape.num_elements().checked_mul(dtype.size());
        ensure!(
            bytes == Some(from.tensor.byte_size()),
            InvalidArgument,
            "input and output shapes/data type sizes are not compatible: {}{} and {dtype}{shape}",
            from.tensor.dtype(),
            from.tensor.shape()
        );
        let cast = from.viewed_as(dtype, shape)?;
        // SAFETY: null or a tensor that nobody else uses; `from` was used up.
        *unsafe { as_mut(to, "to") }? = cast;
        Ok(())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), cast) }
}

/// Whether the first element lies as kernels like it.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_TensorIsAligned(tensor: Option<&TF_Tensor>) -> bool {
    tensor.is_some_and(|t| t.tensor.is_aligned())
}
