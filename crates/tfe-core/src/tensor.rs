//! Tensors: a data type, a shape, and a piece of a shared buffer.
#![expect(unsafe_code, reason = "views raw buffers as slices of elements")]

use std::fmt;
use std::mem::MaybeUninit;

use crate::buffer::ALIGN;
use crate::{
    Allocator, Buffer, Code, DataType, Element, Error, HeapAllocator, Plain, ResourceHandle,
    Result, Shape, TString, Variant, bail, ensure, err,
};

/// A dense, row-major array of elements of one data type; a clone shares the memory.
///
/// Host tensors that the runtime allocates start at a multiple of 64 bytes.
pub struct Tensor {
    shape: Shape,
    buffer: Buffer,
    /// Bytes from the start of the buffer to the first element.
    offset: usize,
    dtype: DataType,
}

/// The shape of those dimensions, which `len` values fill.
fn shape_of(dims: &[i64], len: usize) -> Result<Shape> {
    let shape = Shape::new(dims)?;
    ensure!(
        len == shape.num_elements(),
        InvalidArgument,
        "shape {shape} has {} elements, but {len} values were given",
        shape.num_elements()
    );
    Ok(shape)
}

/// The bytes that `shape` takes, when they fit an address space.
#[inline]
fn byte_size(dtype: DataType, shape: &Shape) -> Result<usize> {
    match shape.num_elements().checked_mul(dtype.size()) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(bytes),
        _ => Err(no_memory(dtype, shape)),
    }
}

#[cold]
fn no_memory(dtype: DataType, shape: &Shape) -> Error {
    err!(
        ResourceExhausted,
        "OOM when allocating tensor with shape{shape} and type {dtype}"
    )
}

/// Memory for the elements of a tensor, valid ones where they own something.
fn buffer_for(allocator: &dyn Allocator, dtype: DataType, shape: &Shape) -> Result<Buffer> {
    let bytes = byte_size(dtype, shape)?;
    let mut buffer = match allocator.allocate(bytes) {
        Ok(buffer) => buffer,
        Err(e) if e.code() == Code::ResourceExhausted => return Err(no_memory(dtype, shape)),
        Err(e) => return Err(e),
    };
    // An allocator is anybody's code: other memory would be seen or dropped by others.
    ensure!(
        buffer.is_fresh_host(bytes),
        Internal,
        "an allocator was asked for {bytes} bytes of fresh host memory and gave {buffer:?}"
    );
    if !dtype.is_plain() {
        // Zero bytes are a valid element of each owning type, so dropping is sound whatever gets written later.
        // SAFETY: fresh host memory of `bytes`.
        unsafe { buffer.as_ptr().write_bytes(0, buffer.len()) };
        let drop = match dtype {
            DataType::String => drop_as::<TString>,
            DataType::Resource => drop_as::<ResourceHandle>,
            _ => drop_as::<Variant>,
        };
        // SAFETY: the memory holds elements of that type from now on, and only such are written.
        unsafe { buffer.set_drop_elements(drop) };
    }
    Ok(buffer)
}

impl Clone for Tensor {
    #[inline]
    fn clone(&self) -> Self {
        if self.shape.owns_memory() {
            return self.clone_with_shape();
        }
        // One copy of all fields: written one by one they would have to reach memory before the tensor can be moved
        // on, which every input of every call would wait for.
        std::mem::forget(self.buffer.clone());
        // SAFETY: the buffer was shared for the copy just now, and the other fields own nothing.
        unsafe { std::ptr::read(self) }
    }
}

unsafe fn drop_as<T>(data: *mut u8, len: usize) {
    let slice = std::ptr::slice_from_raw_parts_mut(data.cast::<T>(), len / size_of::<T>());
    // SAFETY: the caller hands over `len` bytes of initialised elements of `T`.
    unsafe { slice.drop_in_place() }
}

impl Tensor {
    /// A clone of a tensor whose shape owns memory. Apart, or its writing of the fields one by one would be merged with
    /// the one copy of all other clones.
    #[cold]
    #[inline(never)]
    fn clone_with_shape(&self) -> Self {
        Self {
            shape: self.shape.clone(),
            buffer: self.buffer.clone(),
            offset: self.offset,
            dtype: self.dtype,
        }
    }

    /// A tensor of shape `dims` with a copy of `values`.
    ///
    /// # Errors
    /// `InvalidArgument` when `dims` is no shape or has another number of elements than `values`.
    pub fn from_slice<T: Element>(dims: &[i64], values: &[T]) -> Result<Self> {
        let shape = shape_of(dims, values.len())?;
        Self::uninit(T::DTYPE, shape)?.try_fill_from(values.iter().map(T::try_clone))
    }

    /// A tensor of shape `dims` with the elements of an iterator of known length.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    pub fn from_iter<T, I>(dims: &[i64], values: I) -> Result<Self>
    where
        T: Element,
        I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
    {
        let values = values.into_iter();
        let shape = shape_of(dims, values.len())?;
        Self::uninit(T::DTYPE, shape)?.fill_from(values)
    }

    /// A vector.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory.
    pub fn vector<T: Element>(values: &[T]) -> Result<Self> {
        Self::from_slice(&[values.len() as i64], values)
    }

    /// A scalar.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory.
    pub fn scalar<T: Element>(value: T) -> Result<Self> {
        Self::from_iter(&[], std::iter::once(value))
    }

    /// A tensor of zeros: of empty strings, null handles, `false`.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory.
    pub fn zeros(dtype: DataType, shape: Shape) -> Result<Self> {
        Ok(Self::uninit(dtype, shape)?.zeroed())
    }

    /// Host memory for a tensor that is to be written.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory.
    pub fn uninit(dtype: DataType, shape: Shape) -> Result<TensorUninit> {
        Self::uninit_in(&HeapAllocator, dtype, shape)
    }

    /// Memory from `allocator` for a tensor that is to be written.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory.
    // Not inlined: that would copy the shape, which most callers wrote just now, before it is needed.
    #[inline(never)]
    pub fn uninit_in(
        allocator: &dyn Allocator,
        dtype: DataType,
        shape: Shape,
    ) -> Result<TensorUninit> {
        match buffer_for(allocator, dtype, &shape) {
            Ok(buffer) => Ok(TensorUninit(Self {
                dtype,
                shape,
                buffer,
                offset: 0,
            })),
            Err(e) => Err(e),
        }
    }

    /// A view of `buffer` from byte `offset` on.
    ///
    /// # Errors
    /// `InvalidArgument` when the buffer is too small, or `dtype` is that of resources or variants.
    ///
    /// # Safety
    /// Host memory holds initialised bytes. Where `dtype` is that of strings, it is aligned to them and holds valid ones
    /// from `offset` on, which the owner of the memory drops.
    pub unsafe fn from_buffer(
        dtype: DataType,
        shape: Shape,
        buffer: Buffer,
        offset: usize,
    ) -> Result<Self> {
        let end = byte_size(dtype, &shape)?.checked_add(offset);
        ensure!(
            end.is_some_and(|end| end <= buffer.len()),
            InvalidArgument,
            "a buffer of {} bytes is too small for a {dtype} tensor of shape {shape}",
            buffer.len()
        );
        ensure!(
            dtype.is_plain() || dtype == DataType::String,
            InvalidArgument,
            "memory of a client cannot hold {dtype} elements"
        );
        Ok(Self {
            dtype,
            shape,
            buffer,
            offset,
        })
    }

    /// A tensor in device memory that takes all of `buffer`.
    ///
    /// # Errors
    /// `InvalidArgument` when the buffer is host memory or too small, or `dtype` has elements that are no plain bytes.
    pub fn on_device(dtype: DataType, shape: Shape, buffer: Buffer) -> Result<Self> {
        ensure!(!buffer.is_host(), InvalidArgument, "expected device memory");
        ensure!(
            dtype.is_plain(),
            InvalidArgument,
            "device memory cannot hold {dtype} elements"
        );
        // SAFETY: the memory is not the host's.
        unsafe { Self::from_buffer(dtype, shape, buffer, 0) }
    }

    /// The type of the elements.
    #[inline]
    pub fn dtype(&self) -> DataType {
        self.dtype
    }

    /// The shape.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The dimensions.
    #[inline]
    pub fn dims(&self) -> &[i64] {
        self.shape.dims()
    }

    /// The number of dimensions.
    #[inline]
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The number of elements.
    #[inline]
    pub fn num_elements(&self) -> usize {
        self.shape.num_elements()
    }

    /// The bytes of all elements; 24 for each string, whatever its length.
    #[inline]
    pub fn byte_size(&self) -> usize {
        self.num_elements() * self.dtype.size()
    }

    /// The memory, shared with other tensors perhaps.
    #[inline]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Bytes from the start of the buffer to the first element.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether host code can read the elements.
    #[inline]
    pub fn is_host(&self) -> bool {
        self.buffer.is_host()
    }

    /// The address of the first element; null for device memory.
    #[inline]
    pub fn data_ptr(&self) -> *mut u8 {
        self.buffer
            .as_ptr()
            .wrapping_add(if self.is_host() { self.offset } else { 0 })
    }

    #[inline]
    fn check<T: Element>(&self) -> Result<()> {
        if T::DTYPE == self.dtype && self.is_host() {
            return Ok(());
        }
        Err(self.not_of(T::DTYPE))
    }

    /// Why the elements cannot be seen as those of `dtype`.
    #[cold]
    fn not_of(&self, dtype: DataType) -> Error {
        if dtype == self.dtype {
            return err!(
                Internal,
                "a {dtype} tensor in device memory was read by host code"
            );
        }
        err!(
            InvalidArgument,
            "expected a {dtype} tensor but got a {} tensor of shape {}",
            self.dtype,
            self.shape
        )
    }

    #[cold]
    fn unaligned(&self) -> Error {
        err!(
            Internal,
            "a {} tensor is not aligned to its elements",
            self.dtype
        )
    }

    /// The elements, row-major.
    ///
    /// # Errors
    /// `InvalidArgument` for another type than the tensor's, or for bytes of a client that are no `bool`;
    /// `Internal` for device memory.
    #[inline]
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        self.check::<T>()?;
        let data = self.data_ptr();
        if !data.cast::<T>().is_aligned() {
            return Err(self.unaligned());
        }
        // SAFETY: the tensor holds that many initialised bytes, and no `&mut` to them exists while `self` is borrowed.
        let bytes = unsafe { std::slice::from_raw_parts(data, self.byte_size()) };
        if T::DTYPE == DataType::Bool {
            ensure!(
                T::valid(bytes),
                InvalidArgument,
                "a bool tensor of shape {} holds bytes other than 0 and 1",
                self.shape
            );
        }
        // SAFETY: aligned, of the tensor's own element type, and every element is valid.
        Ok(unsafe { std::slice::from_raw_parts(data.cast::<T>(), self.num_elements()) })
    }

    /// The bytes of plain elements.
    ///
    /// # Errors
    /// `InvalidArgument` for strings, resources and variants; `Internal` for device memory.
    pub fn as_bytes(&self) -> Result<&[u8]> {
        ensure!(
            self.dtype.is_plain(),
            InvalidArgument,
            "elements of type {} are not plain bytes",
            self.dtype
        );
        ensure!(
            self.is_host(),
            Internal,
            "a {} tensor in device memory was read by host code",
            self.dtype
        );
        // SAFETY: initialised bytes of the tensor, borrowed with it.
        Ok(unsafe { std::slice::from_raw_parts(self.data_ptr(), self.byte_size()) })
    }

    /// The elements as unsigned words of the same width, for code that moves them unseen.
    ///
    /// # Errors
    /// As [`as_bytes`](Self::as_bytes), and `Internal` when `W` has another width or alignment.
    pub fn as_words<W: Word>(&self) -> Result<&[W]> {
        let bytes = self.as_bytes()?;
        let data = bytes.as_ptr().cast::<W>();
        ensure!(
            size_of::<W>() == self.dtype.size() && data.is_aligned(),
            Internal,
            "{} elements are no words of {} bytes",
            self.dtype,
            size_of::<W>()
        );
        // SAFETY: aligned; every bit pattern is a word.
        Ok(unsafe { std::slice::from_raw_parts(data, self.num_elements()) })
    }

    /// The only element.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice), and `InvalidArgument` when there is not exactly one element.
    pub fn scalar_value<T: Element>(&self) -> Result<T> {
        match self.as_slice::<T>()? {
            [value] => value.try_clone(),
            _ => Err(err!(
                InvalidArgument,
                "expected one element but got a tensor of shape {}",
                self.shape
            )),
        }
    }

    /// The elements to write, when nobody else can see them: memory of the runtime, with no other owner.
    pub fn as_mut_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        if !self.is_forwardable() || self.as_slice::<T>().is_err() {
            return None;
        }
        // SAFETY: `as_slice` checked type, place and alignment; the buffer has no other owner and `self` is borrowed mutably.
        Some(unsafe {
            std::slice::from_raw_parts_mut(self.data_ptr().cast::<T>(), self.num_elements())
        })
    }

    /// The bytes of plain elements to write, when nobody else can see them, as in [`as_mut_slice`](Self::as_mut_slice).
    pub fn as_mut_bytes(&mut self) -> Option<&mut [u8]> {
        if !self.is_forwardable() || self.as_bytes().is_err() {
            return None;
        }
        // SAFETY: `as_bytes` checked place and type; every byte pattern is an element of a plain type, but for `bool`, whose
        // readers check. The buffer has no other owner and `self` is borrowed mutably.
        Some(unsafe { std::slice::from_raw_parts_mut(self.data_ptr(), self.byte_size()) })
    }

    /// Whether an op may write its result over this tensor once it has taken it: memory of the runtime, with no other owner.
    #[inline]
    pub fn is_forwardable(&self) -> bool {
        self.buffer.is_owned_host() && self.buffer.is_unique()
    }

    /// The same elements in another shape, sharing the memory.
    ///
    /// # Errors
    /// `InvalidArgument` when the number of elements differs.
    pub fn reshaped(&self, shape: Shape) -> Result<Self> {
        ensure!(
            shape.num_elements() == self.num_elements(),
            InvalidArgument,
            "a tensor of shape {} has {} elements and cannot take shape {shape}",
            self.shape,
            self.num_elements()
        );
        Ok(Self {
            shape,
            ..self.clone()
        })
    }

    /// The same bytes as elements of another plain type of the same width, sharing the memory.
    ///
    /// # Errors
    /// `InvalidArgument` when the widths differ or elements own memory.
    pub fn bitcast(&self, dtype: DataType) -> Result<Self> {
        ensure!(
            self.dtype.is_plain() && dtype.is_plain() && self.dtype.size() == dtype.size(),
            InvalidArgument,
            "Cannot bitcast from {} to {dtype}",
            self.dtype
        );
        Ok(Self {
            dtype,
            ..self.clone()
        })
    }

    /// The same bytes as elements of another plain type in another shape, sharing the memory.
    ///
    /// # Errors
    /// `InvalidArgument` when the bytes are not as many, or elements own memory.
    pub fn reinterpreted(&self, dtype: DataType, shape: Shape) -> Result<Self> {
        ensure!(
            self.dtype.is_plain() && dtype.is_plain(),
            InvalidArgument,
            "Cannot bitcast from {} to {dtype}",
            self.dtype
        );
        ensure!(
            byte_size(dtype, &shape)? == self.byte_size(),
            InvalidArgument,
            "a {} tensor of shape {} is no {dtype} tensor of shape {shape}",
            self.dtype,
            self.shape
        );
        Ok(Self {
            dtype,
            shape,
            ..self.clone()
        })
    }

    /// Rows `start..end` of the outermost dimension, sharing the memory.
    ///
    /// # Errors
    /// `InvalidArgument` for a scalar or rows that are not there.
    pub fn rows(&self, start: usize, end: usize) -> Result<Self> {
        let mut dims = self.dims().to_vec();
        let Some(first) = dims.first_mut() else {
            bail!(InvalidArgument, "a scalar has no rows");
        };
        let rows = *first as usize;
        ensure!(
            start <= end && end <= rows,
            InvalidArgument,
            "rows {start}..{end} of a tensor of shape {}",
            self.shape
        );
        *first = (end - start) as i64;
        let row_bytes = self.byte_size().checked_div(rows).unwrap_or(0);
        Ok(Self {
            shape: Shape::new(&dims)?,
            offset: self.offset + start * row_bytes,
            ..self.clone()
        })
    }

    /// Whether the data begins at a multiple of 64 bytes, as kernels with wide loads like it.
    pub fn is_aligned(&self) -> bool {
        self.data_ptr().addr().is_multiple_of(ALIGN)
    }

    /// A copy with memory of its own.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory, `Internal` for device memory.
    pub fn deep_copy(&self) -> Result<Self> {
        match self.dtype {
            DataType::String => Self::from_slice(self.dims(), self.as_slice::<TString>()?),
            DataType::Resource => Self::from_slice(self.dims(), self.as_slice::<ResourceHandle>()?),
            DataType::Variant => Self::from_slice(self.dims(), self.as_slice::<Variant>()?),
            _ => Self::from_plain_bytes(self.dtype, self.shape.clone(), self.as_bytes()?),
        }
    }

    /// A tensor of plain elements from their bytes in native order.
    ///
    /// # Errors
    /// `InvalidArgument` when the length is not the shape's, or the elements are not plain, or are no `bool`.
    pub fn from_plain_bytes(dtype: DataType, shape: Shape, bytes: &[u8]) -> Result<Self> {
        ensure!(
            dtype.is_plain(),
            InvalidArgument,
            "elements of type {dtype} are not plain bytes"
        );
        ensure!(
            byte_size(dtype, &shape)? == bytes.len(),
            InvalidArgument,
            "{} bytes are not a {dtype} tensor of shape {shape}",
            bytes.len()
        );
        let out = Self::uninit(dtype, shape)?;
        // SAFETY: fresh memory of exactly that many bytes.
        unsafe {
            out.0
                .data_ptr()
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len())
        };
        // SAFETY: all bytes were written just now.
        Ok(unsafe { out.assume_init() })
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({}{}", self.dtype, self.shape)?;
        if self.is_host() {
            let dtype = self.dtype;
            let shown = crate::dispatch!(
                dtype,
                [
                    Float, Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Half,
                    Bfloat16, Bool, Complex64, Complex128, String, Resource, Variant
                ],
                |T| self.as_slice::<T>().map(first_shown)
            );
            if let Ok(values) = shown {
                write!(f, " {values}")?;
            }
        }
        f.write_str(")")
    }
}

/// The first elements, as a list that says whether there are more.
fn first_shown<T: fmt::Debug>(elements: &[T]) -> String {
    const MOST: usize = 16;
    let first = format!("{:?}", &elements[..elements.len().min(MOST)]);
    match first.strip_suffix(']') {
        Some(open) if elements.len() > MOST => format!("{open}, …]"),
        _ => first,
    }
}

/// An unsigned integer that stands for an element of its width. The default is 0, which is what zero is in every type.
pub trait Word: Copy + Default + Send + Sync + 'static + private::Sealed {}

mod private {
    pub trait Sealed {}
}

macro_rules! words {
    ($($w:ty),*) => {$(
        impl private::Sealed for $w {}
        impl Word for $w {}
    )*};
}
words!(u8, u16, u32, u64, u128);

/// Memory of a tensor that is still to be written. Nobody else sees it.
pub struct TensorUninit(Tensor);

impl TensorUninit {
    /// The shape.
    pub fn shape(&self) -> &Shape {
        self.0.shape()
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DataType {
        self.0.dtype()
    }

    /// The elements to be written, row-major. Strings, resources and variants are valid at any time, since they are
    /// dropped however far the writing got: [`fill_from`](Self::fill_from) is for those.
    ///
    /// # Errors
    /// `InvalidArgument` for another type than the tensor's.
    #[inline]
    pub fn as_uninit<T: Plain>(&mut self) -> Result<&mut [MaybeUninit<T>]> {
        self.slots()
    }

    #[inline]
    fn slots<T: Element>(&mut self) -> Result<&mut [MaybeUninit<T>]> {
        self.0.check::<T>()?;
        // SAFETY: fresh, aligned memory of that many elements with no other owner; uninitialised is allowed.
        Ok(unsafe {
            std::slice::from_raw_parts_mut(self.0.data_ptr().cast(), self.0.num_elements())
        })
    }

    /// The elements to be written as words of the same width, for code that moves elements unseen.
    ///
    /// # Errors
    /// `Internal` when the elements are no plain words of that width, or for device memory.
    pub fn as_uninit_words<W: Word>(&mut self) -> Result<&mut [MaybeUninit<W>]> {
        let t = &self.0;
        ensure!(
            t.dtype.is_plain() && t.dtype.size() == size_of::<W>() && t.is_host(),
            Internal,
            "{} elements are no words of {} bytes",
            t.dtype,
            size_of::<W>()
        );
        // SAFETY: fresh memory, 64-byte aligned, of that many words with no other owner; uninitialised is allowed.
        Ok(unsafe { std::slice::from_raw_parts_mut(t.data_ptr().cast(), t.num_elements()) })
    }

    /// The bytes of the elements to be written, for code that is compiled once for all plain types.
    ///
    /// # Errors
    /// `Internal` when the elements are not plain, or for device memory.
    pub fn as_uninit_bytes(&mut self) -> Result<&mut [MaybeUninit<u8>]> {
        let t = &self.0;
        ensure!(
            t.dtype.is_plain() && t.is_host(),
            Internal,
            "{} elements are no plain bytes of the host",
            t.dtype
        );
        // SAFETY: fresh memory of that many bytes with no other owner; uninitialised is allowed.
        Ok(unsafe { std::slice::from_raw_parts_mut(t.data_ptr().cast(), t.byte_size()) })
    }

    /// The tensor, all of whose elements have been written.
    ///
    /// # Safety
    /// Every element was written with a valid value (strings, resources and variants may also be left alone).
    pub unsafe fn assume_init(self) -> Tensor {
        self.0
    }

    /// The tensor with all bytes zero.
    pub fn zeroed(self) -> Tensor {
        if self.0.dtype.is_plain() && self.0.is_host() {
            // SAFETY: fresh memory with no other owner.
            unsafe { self.0.data_ptr().write_bytes(0, self.0.byte_size()) };
        }
        self.0
    }

    /// The tensor with its elements taken from `values` in order.
    ///
    /// # Errors
    /// `InvalidArgument` for another type than the tensor's; `Internal` when there are fewer values than elements.
    pub fn fill_from<T: Element>(self, values: impl IntoIterator<Item = T>) -> Result<Tensor> {
        self.try_fill_from(values.into_iter().map(Ok))
    }

    /// [`fill_from`](Self::fill_from) with values that may fail to be made: copies of strings.
    ///
    /// # Errors
    /// As `fill_from`, and the first error among `values`.
    pub fn try_fill_from<T: Element>(
        mut self,
        values: impl IntoIterator<Item = Result<T>>,
    ) -> Result<Tensor> {
        let out = self.slots::<T>()?;
        let wanted = out.len();
        let mut written = 0;
        for (slot, value) in out.iter_mut().zip(values) {
            slot.write(value?);
            written += 1;
        }
        ensure!(
            written == wanted,
            Internal,
            "{written} values for {wanted} elements"
        );
        // SAFETY: counted: every element was written.
        Ok(unsafe { self.assume_init() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_check_type_and_size() {
        let t = Tensor::from_slice(&[2, 2], &[1i32, 2, 3, 4]).expect("valid");
        assert_eq!(t.as_slice::<i32>().expect("same type"), [1, 2, 3, 4]);
        assert_eq!(
            t.as_slice::<f32>().expect_err("other type").code(),
            Code::InvalidArgument
        );
        assert_eq!(t.as_words::<u32>().expect("words"), [1, 2, 3, 4]);
        assert!(t.as_words::<u64>().is_err());
        assert!(Tensor::from_slice(&[3], &[1i32]).is_err());
        assert_eq!(
            t.rows(1, 2)
                .expect("rows")
                .as_slice::<i32>()
                .expect("same type"),
            [3, 4]
        );
        assert!(t.rows(1, 3).is_err());
        assert!(t.is_aligned());
    }

    #[test]
    fn the_debug_form_shows_the_first_elements() {
        let shown = |n: i8| {
            let elements: Vec<i8> = (0..n).collect();
            format!("{:?}", Tensor::vector(&elements).expect("memory"))
        };
        assert_eq!(shown(0), "Tensor(int8[0] [])");
        assert_eq!(shown(2), "Tensor(int8[2] [0, 1])");
        let first = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15";
        assert_eq!(shown(16), format!("Tensor(int8[16] [{first}])"));
        assert_eq!(shown(17), format!("Tensor(int8[17] [{first}, …])"));
        let text = Tensor::scalar(TString::from("a")).expect("memory");
        assert_eq!(format!("{text:?}"), "Tensor(string[] [\"a\"])");
    }

    #[test]
    fn only_a_lone_owner_may_write() {
        let mut t = Tensor::vector(&[1.0f32, 2.0]).expect("valid");
        t.as_mut_slice::<f32>().expect("unique")[0] = 5.0;
        let other = t.clone();
        assert!(t.as_mut_slice::<f32>().is_none());
        drop(other);
        assert!(t.as_mut_slice::<f64>().is_none());
        assert_eq!(t.as_slice::<f32>().expect("same type"), [5.0, 2.0]);
    }

    #[test]
    fn owning_elements_are_dropped_once() {
        let long = "a string that is too long to be stored in the element itself";
        let t = Tensor::vector(&[TString::from(long), TString::new()]).expect("valid");
        let copy = t.deep_copy().expect("copy");
        drop(t);
        assert_eq!(
            copy.as_slice::<TString>().expect("strings")[0].as_bytes(),
            long.as_bytes()
        );
        assert!(copy.as_bytes().is_err());
        // Written by halves: the rest are empty strings.
        let half = Tensor::uninit(DataType::String, Shape::vector(4)).expect("memory");
        assert!(half.fill_from([TString::from(long)]).is_err());
    }

    #[test]
    fn allocators_that_give_other_memory_are_refused() {
        type Give = Box<dyn Fn(usize) -> Result<Buffer> + Send + Sync>;
        struct Odd(Give);
        impl Allocator for Odd {
            fn allocate(&self, bytes: usize) -> Result<Buffer> {
                self.0(bytes)
            }
        }
        struct Device;
        impl crate::DeviceMemory for Device {
            fn len(&self) -> usize {
                1 << 20
            }
            fn as_any(&self) -> &dyn std::any::Any {
                self
            }
        }
        let foreign = |bytes: usize| {
            let memory = Box::leak(Box::new([0u64; 8]));
            assert!(bytes <= size_of_val(memory));
            // SAFETY: leaked, so that it stays.
            Ok(unsafe { Buffer::from_foreign(memory.as_mut_ptr().cast(), bytes, || ()) })
        };
        let kept = Buffer::allocate(100).expect("memory");
        let gives: [(&str, Give); 5] = [
            ("little", Box::new(|n| Buffer::allocate(n - 1))),
            (
                "strings",
                Box::new(|_| {
                    let strings = Tensor::zeros(DataType::String, Shape::vector(2))?;
                    Ok(strings.buffer().clone())
                }),
            ),
            ("foreign", Box::new(foreign)),
            (
                "device",
                Box::new(|_| Ok(Buffer::from_device(Box::new(Device)))),
            ),
            ("shared", Box::new(move |_| Ok(kept.clone()))),
        ];
        for (what, give) in gives {
            let odd = Odd(give);
            for dtype in [DataType::Int64, DataType::String] {
                let made = Tensor::uninit_in(&odd, dtype, Shape::vector(2));
                let code = made.map(|_| ()).expect_err(what).code();
                assert_eq!(code, Code::Internal, "{what} {dtype}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_bool_are_refused() {
        let t = Tensor::from_plain_bytes(DataType::Bool, Shape::vector(2), &[1, 2]).expect("bytes");
        assert_eq!(
            t.as_slice::<bool>().expect_err("2 is no bool").code(),
            Code::InvalidArgument
        );
        assert_eq!(t.as_bytes().expect("bytes"), [1, 2]);
    }

    #[test]
    fn sizes_beyond_memory_are_a_status() {
        let shape = Shape::new(&[1 << 40, 1 << 20]).expect("a shape");
        let e = Tensor::zeros(DataType::Complex128, shape).expect_err("no memory");
        assert_eq!(e.code(), Code::ResourceExhausted);
        let huge = Shape::new(&[i64::MAX]).expect("a shape");
        assert_eq!(
            Tensor::zeros(DataType::Float, huge)
                .expect_err("no memory")
                .code(),
            Code::ResourceExhausted
        );
    }
}
