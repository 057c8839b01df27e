//! A library with TensorFlow's C API, opened at run time, as a `Runner`.
#![expect(unsafe_code, reason = "calls C")]

use std::ffi::{CStr, CString, OsStr, c_char, c_float, c_int, c_uchar, c_void};
use std::ptr::{NonNull, null, null_mut};

use tfe_core::{Code, DataType, Error, Result, Shape, TString, Tensor, bail, err};
use tfe_ops::AttrValue;
use tfe_testkit::{NamedAttrs, Runner};

type Ptr = *mut c_void;

macro_rules! functions {
    ($($name:ident($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of the C API that are used here.
        ///
        /// They are typed as safe although they take raw pointers: all pointers given to them were made by functions
        /// of the same library, live until the call ends, and none leaves this file.
        #[expect(non_snake_case, reason = "named as in C")]
        struct Api {
            $($name: extern "C" fn($($arg),*) $(-> $result)?,)*
            /// Keeps the functions loaded.
            _library: libloading::Library,
        }

        impl Api {
            fn load(library: libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    $($name: {
                        let name = concat!(stringify!($name), "\0").as_bytes();
                        // SAFETY: this is the function's prototype in TensorFlow's headers.
                        *unsafe { library.get(name) }?
                    },)*
                    _library: library,
                })
            }
        }
    };
}

functions! {
    TF_NewStatus() -> Ptr;
    TF_DeleteStatus(Ptr);
    TF_GetCode(Ptr) -> c_int;
    TF_Message(Ptr) -> *const c_char;
    TF_AllocateTensor(c_int, *const i64, c_int, usize) -> Ptr;
    TF_DeleteTensor(Ptr);
    TF_TensorData(Ptr) -> Ptr;
    TF_TensorByteSize(Ptr) -> usize;
    TF_TensorType(Ptr) -> c_int;
    TF_NumDims(Ptr) -> c_int;
    TF_Dim(Ptr, c_int) -> i64;
    TF_StringInit(Ptr);
    TF_StringCopy(Ptr, *const c_char, usize);
    TF_StringGetDataPointer(Ptr) -> *const c_char;
    TF_StringGetSize(Ptr) -> usize;
    TFE_NewContextOptions() -> Ptr;
    TFE_DeleteContextOptions(Ptr);
    TFE_NewContext(Ptr, Ptr) -> Ptr;
    TFE_DeleteContext(Ptr);
    TFE_NewTensorHandle(Ptr, Ptr) -> Ptr;
    TFE_DeleteTensorHandle(Ptr);
    TFE_TensorHandleResolve(Ptr, Ptr) -> Ptr;
    TFE_NewOp(Ptr, *const c_char, Ptr) -> Ptr;
    TFE_DeleteOp(Ptr);
    TFE_OpAddInput(Ptr, Ptr, Ptr);
    TFE_Execute(Ptr, *mut Ptr, *mut c_int, Ptr);
    TFE_OpSetAttrString(Ptr, *const c_char, *const c_void, usize);
    TFE_OpSetAttrInt(Ptr, *const c_char, i64);
    TFE_OpSetAttrFloat(Ptr, *const c_char, c_float);
    TFE_OpSetAttrBool(Ptr, *const c_char, c_uchar);
    TFE_OpSetAttrType(Ptr, *const c_char, c_int);
    TFE_OpSetAttrTensor(Ptr, *const c_char, Ptr, Ptr);
    TFE_OpSetAttrShape(Ptr, *const c_char, *const i64, c_int, Ptr);
    TFE_OpSetAttrStringList(Ptr, *const c_char, *const *const c_void, *const usize, c_int);
    TFE_OpSetAttrIntList(Ptr, *const c_char, *const i64, c_int);
    TFE_OpSetAttrFloatList(Ptr, *const c_char, *const c_float, c_int);
    TFE_OpSetAttrTypeList(Ptr, *const c_char, *const c_int, c_int);
}

/// A context of a library.
pub(crate) struct Library {
    api: Api,
    context: Ptr,
}

/// A pointer that a function of the library gives back at the end of the scope.
struct Owned {
    pointer: NonNull<c_void>,
    delete: extern "C" fn(Ptr),
}

impl Owned {
    fn ptr(&self) -> Ptr {
        self.pointer.as_ptr()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        (self.delete)(self.ptr());
    }
}

impl Library {
    /// Opens the library that `TFE_LIB` names; says that the test is skipped when it names none.
    ///
    /// # Panics
    /// When `TFE_REQUIRE` wants the C API and there is none.
    #[expect(clippy::print_stderr, reason = "says what is skipped")]
    pub(crate) fn from_environment(what: &str) -> Option<Self> {
        let path = std::env::var_os("TFE_LIB");
        if path.is_none() {
            let required = std::env::var("TFE_REQUIRE").is_ok_and(|list| list.contains("capi"));
            assert!(
                !required,
                "TFE_REQUIRE wants the C API, but TFE_LIB names no library"
            );
            eprintln!("skipped: {what} through the C API: TFE_LIB is not set");
        }
        path.map(|path| Self::open(&path))
    }

    /// Opens a library and makes a context.
    ///
    /// # Panics
    /// When it cannot be opened or lacks a function.
    pub(crate) fn open(path: &OsStr) -> Self {
        // SAFETY: a TensorFlow library, or one that stands for it: its initialisers may run.
        let library = unsafe { libloading::Library::new(path) };
        let api = library
            .and_then(Api::load)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut library = Self {
            api,
            context: null_mut(),
        };
        let options = library.own(
            (library.api.TFE_NewContextOptions)(),
            library.api.TFE_DeleteContextOptions,
        );
        let options = options.expect("options");
        let context = library.checked(|status| (library.api.TFE_NewContext)(options.ptr(), status));
        library.context = context.expect("a context");
        library
    }

    /// Calls a function that takes a status, and returns what it returned unless the status says otherwise.
    fn checked<T>(&self, call: impl FnOnce(Ptr) -> T) -> Result<T> {
        let status = self.own((self.api.TF_NewStatus)(), self.api.TF_DeleteStatus)?;
        let result = call(status.ptr());
        match Code::from_number((self.api.TF_GetCode)(status.ptr())) {
            Code::Ok => Ok(result),
            code => {
                let message = (self.api.TF_Message)(status.ptr());
                // SAFETY: a C string that lives as long as the status.
                let message = unsafe { CStr::from_ptr(message) };
                Err(Error::new(code, message.to_string_lossy().into_owned()))
            }
        }
    }

    fn own(&self, pointer: Ptr, delete: extern "C" fn(Ptr)) -> Result<Owned> {
        match NonNull::new(pointer) {
            Some(pointer) => Ok(Owned { pointer, delete }),
            None => bail!(
                Internal,
                "the library returned a null pointer without an error"
            ),
        }
    }

    fn handle(&self, tensor: &Tensor) -> Result<Owned> {
        let t = self.c_tensor(tensor)?;
        let handle = self.checked(|status| (self.api.TFE_NewTensorHandle)(t.ptr(), status))?;
        self.own(handle, self.api.TFE_DeleteTensorHandle)
    }

    fn c_tensor(&self, tensor: &Tensor) -> Result<Owned> {
        let bytes = tensor.byte_size();
        let number = tensor.dtype().number();
        let dims = tensor.dims();
        let t = (self.api.TF_AllocateTensor)(number, dims.as_ptr(), dims.len() as c_int, bytes);
        let t = self.own(t, self.api.TF_DeleteTensor)?;
        let data = (self.api.TF_TensorData)(t.ptr()).cast::<u8>();
        if tensor.dtype() == DataType::String {
            for (i, s) in tensor.as_slice::<TString>()?.iter().enumerate() {
                let at = data.wrapping_add(i * size_of::<TString>()).cast();
                (self.api.TF_StringInit)(at);
                (self.api.TF_StringCopy)(at, s.as_bytes().as_ptr().cast(), s.len());
            }
        } else {
            // SAFETY: the library allocated that many bytes just now.
            unsafe { data.copy_from_nonoverlapping(tensor.as_bytes()?.as_ptr(), bytes) };
        }
        Ok(t)
    }

    fn tensor(&self, handle: &Owned) -> Result<Tensor> {
        let t = self.checked(|status| (self.api.TFE_TensorHandleResolve)(handle.ptr(), status))?;
        let t = self.own(t, self.api.TF_DeleteTensor)?;
        let number = (self.api.TF_TensorType)(t.ptr());
        let dtype =
            DataType::from_number(number).ok_or_else(|| err!(Internal, "data type {number}"))?;
        let rank = (self.api.TF_NumDims)(t.ptr());
        let dims: Vec<i64> = (0..rank).map(|i| (self.api.TF_Dim)(t.ptr(), i)).collect();
        let shape = Shape::new(&dims)?;
        let data = (self.api.TF_TensorData)(t.ptr()).cast::<u8>();
        if dtype == DataType::String {
            let strings = (0..shape.num_elements()).map(|i| {
                let at = data.wrapping_add(i * size_of::<TString>()).cast();
                let (start, len) = (
                    (self.api.TF_StringGetDataPointer)(at),
                    (self.api.TF_StringGetSize)(at),
                );
                // SAFETY: an element of the tensor says where its bytes are.
                TString::from(unsafe { bytes(start.cast(), len) })
            });
            return Tensor::from_iter(&dims, strings.collect::<Vec<_>>());
        }
        // SAFETY: the tensor's own data and length.
        let bytes = unsafe { bytes(data, (self.api.TF_TensorByteSize)(t.ptr())) };
        Tensor::from_plain_bytes(dtype, shape, bytes)
    }

    fn set_attr(&self, op: &Owned, name: &str, value: &AttrValue) -> Result<()> {
        let (api, op) = (&self.api, op.ptr());
        let c_name = CString::new(name).map_err(|e| err!(InvalidArgument, "{e}"))?;
        let name = c_name.as_ptr();
        match value {
            AttrValue::String(s) => (api.TFE_OpSetAttrString)(op, name, s.as_ptr().cast(), s.len()),
            AttrValue::Int(v) => (api.TFE_OpSetAttrInt)(op, name, *v),
            AttrValue::Float(v) => (api.TFE_OpSetAttrFloat)(op, name, *v),
            AttrValue::Bool(v) => (api.TFE_OpSetAttrBool)(op, name, (*v).into()),
            AttrValue::Type(v) => (api.TFE_OpSetAttrType)(op, name, *v),
            AttrValue::Tensor(tensor) => {
                let t = self.c_tensor(tensor)?;
                self.checked(|status| (api.TFE_OpSetAttrTensor)(op, name, t.ptr(), status))?;
            }
            AttrValue::Shape(shape) => self.checked(|status| match shape.dims() {
                Some(d) => (api.TFE_OpSetAttrShape)(op, name, d.as_ptr(), d.len() as c_int, status),
                None => (api.TFE_OpSetAttrShape)(op, name, null(), -1, status),
            })?,
            AttrValue::Ints(v) => {
                (api.TFE_OpSetAttrIntList)(op, name, v.as_ptr(), v.len() as c_int)
            }
            AttrValue::Floats(v) => {
                (api.TFE_OpSetAttrFloatList)(op, name, v.as_ptr(), v.len() as c_int);
            }
            AttrValue::Types(v) => {
                (api.TFE_OpSetAttrTypeList)(op, name, v.as_ptr(), v.len() as c_int);
            }
            AttrValue::Strings(v) => {
                let starts: Vec<*const c_void> = v.iter().map(|s| s.as_ptr().cast()).collect();
                let lens: Vec<usize> = v.iter().map(|s| s.len()).collect();
                let count = v.len() as c_int;
                (api.TFE_OpSetAttrStringList)(op, name, starts.as_ptr(), lens.as_ptr(), count);
            }
            other => bail!(
                Unimplemented,
                "no vector has {} attributes",
                other.type_name()
            ),
        }
        Ok(())
    }
}

/// # Safety
/// `len` readable bytes start at `start`, which may be null when there are none.
unsafe fn bytes<'a>(start: *const u8, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: says the caller.
    unsafe { std::slice::from_raw_parts(start, len) }
}

impl Runner for Library {
    fn run(&self, op: &str, attrs: &NamedAttrs, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        const MOST: usize = 64;
        let inputs = inputs
            .iter()
            .map(|t| self.handle(t))
            .collect::<Result<Vec<_>>>()?;
        let name = CString::new(op).map_err(|e| err!(InvalidArgument, "{e}"))?;
        let op =
            self.checked(|status| (self.api.TFE_NewOp)(self.context, name.as_ptr(), status))?;
        let op = self.own(op, self.api.TFE_DeleteOp)?;
        for input in &inputs {
            self.checked(|status| (self.api.TFE_OpAddInput)(op.ptr(), input.ptr(), status))?;
        }
        for (name, value) in attrs {
            self.set_attr(&op, name, value)?;
        }
        let (mut results, mut count) = ([null_mut(); MOST], MOST as c_int);
        self.checked(|status| {
            (self.api.TFE_Execute)(op.ptr(), results.as_mut_ptr(), &raw mut count, status);
        })?;
        let results = &results[..count as usize];
        let results = results
            .iter()
            .map(|&r| self.own(r, self.api.TFE_DeleteTensorHandle));
        let results = results.collect::<Result<Vec<_>>>()?;
        results.iter().map(|handle| self.tensor(handle)).collect()
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        (self.api.TFE_DeleteContext)(self.context);
    }
}
