//! A library with TensorFlow's C API, opened at run time, as a `Runner` and a `Session`.
#![expect(unsafe_code, reason = "calls C")]

use std::ffi::{CStr, CString, OsStr, c_char, c_float, c_int, c_uchar, c_void};
use std::ptr::{NonNull, null, null_mut};
use std::rc::Rc;

use tfe_core::{Code, DataType, Error, Result, Shape, TString, Tensor, bail, err};
use tfe_ops::AttrValue;
use tfe_testkit::golden::{Argument, Call, Session};
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
    TF_Version() -> *const c_char;
    TFE_ContextClearCaches(Ptr);
    TFE_NewTensorHandle(Ptr, Ptr) -> Ptr;
    TFE_TensorHandleCopyToDevice(Ptr, Ptr, *const c_char, Ptr) -> Ptr;
    TFE_TensorHandleDeviceName(Ptr, Ptr) -> *const c_char;
    TFE_TensorHandleDataType(Ptr) -> c_int;
    TFE_DeleteTensorHandle(Ptr);
    TFE_TensorHandleResolve(Ptr, Ptr) -> Ptr;
    TFE_NewOp(Ptr, *const c_char, Ptr) -> Ptr;
    TFE_DeleteOp(Ptr);
    TFE_OpAddInput(Ptr, Ptr, Ptr);
    TFE_OpAddInputList(Ptr, *const Ptr, c_int, Ptr);
    TFE_OpSetDevice(Ptr, *const c_char, Ptr);
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
    TFE_OpSetAttrBoolList(Ptr, *const c_char, *const c_uchar, c_int);
    TFE_OpSetAttrShapeList(Ptr, *const c_char, *const *const i64, *const c_int, c_int, Ptr);
    TFE_OpSetAttrFunctionName(Ptr, *const c_char, *const c_char, usize);
}

/// A context of a library.
pub(crate) struct Library {
    api: Api,
    context: Ptr,
}

/// A pointer that a function of the library gives back at the end of the scope.
pub(crate) struct Owned {
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
            AttrValue::Bools(v) => {
                let v: Vec<c_uchar> = v.iter().map(|&v| v.into()).collect();
                (api.TFE_OpSetAttrBoolList)(op, name, v.as_ptr(), v.len() as c_int);
            }
            AttrValue::Shapes(v) => {
                let dims = v.iter().map(|s| s.dims());
                let starts: Vec<_> = dims
                    .clone()
                    .map(|d| d.map_or(null(), |d| d.as_ptr()))
                    .collect();
                let ranks: Vec<_> = dims.map(|d| d.map_or(-1, |d| d.len() as c_int)).collect();
                let count = v.len() as c_int;
                self.checked(|status| {
                    (api.TFE_OpSetAttrShapeList)(
                        op,
                        name,
                        starts.as_ptr(),
                        ranks.as_ptr(),
                        count,
                        status,
                    );
                })?;
            }
            AttrValue::Func(f) => {
                (api.TFE_OpSetAttrFunctionName)(op, name, f.name.as_ptr().cast(), f.name.len());
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

impl Library {
    fn add_input(&self, op: &Owned, input: &Argument<Rc<Owned>>) -> Result<()> {
        let handle_of = |input: &Argument<Rc<Owned>>| match input {
            Argument::Handle(handle) => Ok(Rc::clone(handle)),
            Argument::Tensor(tensor) => self.handle(tensor).map(Rc::new),
            Argument::List(_) => bail!(InvalidArgument, "a list in a list"),
        };
        if let Argument::List(inputs) = input {
            let handles = inputs.iter().map(handle_of).collect::<Result<Vec<_>>>()?;
            let inputs: Vec<Ptr> = handles.iter().map(|handle| handle.ptr()).collect();
            let count = inputs.len() as c_int;
            return self.checked(|status| {
                (self.api.TFE_OpAddInputList)(op.ptr(), inputs.as_ptr(), count, status);
            });
        }
        let handle = handle_of(input)?;
        self.checked(|status| (self.api.TFE_OpAddInput)(op.ptr(), handle.ptr(), status))
    }

    fn execute(&self, op: &Owned, room: usize) -> Result<Vec<Owned>> {
        let (mut results, mut count) = (vec![null_mut(); room.max(1)], room as c_int);
        self.checked(|status| {
            (self.api.TFE_Execute)(op.ptr(), results.as_mut_ptr(), &raw mut count, status);
        })?;
        let results = results.iter().take(count as usize);
        let results = results.map(|&r| self.own(r, self.api.TFE_DeleteTensorHandle));
        results.collect()
    }
}

impl Session for Library {
    type Handle = Rc<Owned>;

    fn handle(&self, tensor: &Tensor) -> Result<Self::Handle> {
        self.handle(tensor).map(Rc::new)
    }

    fn call(&self, call: &Call, inputs: &[Argument<Self::Handle>]) -> Result<Vec<Self::Handle>> {
        let name = CString::new(&*call.op).map_err(|e| err!(InvalidArgument, "{e}"))?;
        let op =
            self.checked(|status| (self.api.TFE_NewOp)(self.context, name.as_ptr(), status))?;
        let op = self.own(op, self.api.TFE_DeleteOp)?;
        if let Some(device) = &call.device {
            let device = CString::new(&**device).map_err(|e| err!(InvalidArgument, "{e}"))?;
            self.checked(|status| (self.api.TFE_OpSetDevice)(op.ptr(), device.as_ptr(), status))?;
        }
        for input in inputs {
            self.add_input(&op, input)?;
        }
        for (name, value) in &call.attrs {
            self.set_attr(&op, name, value)?;
        }
        let results = self.execute(&op, call.room)?;
        Ok(results.into_iter().map(Rc::new).collect())
    }

    fn copy(&self, handle: &Self::Handle, device: &str) -> Result<Self::Handle> {
        let device = CString::new(device).map_err(|e| err!(InvalidArgument, "{e}"))?;
        let (api, context) = (&self.api, self.context);
        let copy = self.checked(|status| {
            (api.TFE_TensorHandleCopyToDevice)(handle.ptr(), context, device.as_ptr(), status)
        })?;
        self.own(copy, api.TFE_DeleteTensorHandle).map(Rc::new)
    }

    fn device(&self, handle: &Self::Handle) -> Result<String> {
        let name =
            self.checked(|status| (self.api.TFE_TensorHandleDeviceName)(handle.ptr(), status))?;
        // SAFETY: a C string that lives as long as the handle.
        let name = unsafe { CStr::from_ptr(name) };
        Ok(name.to_string_lossy().into_owned())
    }

    fn value(&self, handle: &Self::Handle) -> Result<Option<Tensor>> {
        let number = (self.api.TFE_TensorHandleDataType)(handle.ptr());
        match DataType::from_number(number) {
            Some(DataType::Resource | DataType::Variant) => Ok(None),
            _ => self.tensor(handle).map(Some),
        }
    }

    fn clear_caches(&self) {
        (self.api.TFE_ContextClearCaches)(self.context);
    }

    fn version(&self) -> String {
        // SAFETY: a C string of the library's own.
        let version = unsafe { CStr::from_ptr((self.api.TF_Version)()) };
        version.to_string_lossy().into_owned()
    }
}

impl Runner for Library {
    fn run(&self, op: &str, attrs: &NamedAttrs, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let call = Call {
            attrs: attrs.to_vec(),
            ..Call::of(op)
        };
        let inputs: Vec<_> = inputs.iter().cloned().map(Argument::Tensor).collect();
        let results = self.call(&call, &inputs)?;
        results.iter().map(|handle| self.tensor(handle)).collect()
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        (self.api.TFE_DeleteContext)(self.context);
    }
}
