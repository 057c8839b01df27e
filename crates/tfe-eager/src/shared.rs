//! `Shared`: the state of a context, which its clones and its ops share.

use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tfe_attrs::{DeviceKey, SpecRef};
use tfe_core::{Result, bail};
use tfe_device::{Device, DeviceName, DeviceSpec, KernelRegistry};
use tfe_function::Library;
use tfe_ops::OpRegistry;
use thread_local::ThreadLocal;

use crate::cache::KernelCache;
use crate::custom_device::CustomDevices;
use crate::{ContextOptions, PlacementPolicy};

/// The state of a context, which ops share.
pub(crate) struct Shared {
    pub(crate) places: Vec<Place>,
    /// Devices that the program made. Only calls that no device in `places` is for look at them.
    pub(crate) custom_devices: CustomDevices,
    pub(crate) ops: Arc<OpRegistry>,
    pub(crate) kernels: Arc<KernelRegistry>,
    pub(crate) functions: Arc<Library>,
    pub(crate) cache: KernelCache,
    pub(crate) options: ContextOptions,
    /// The last device string of each thread, read: programs ask for the same device again and again.
    pub(crate) requests: ThreadLocal<RefCell<LastRequest>>,
    pub(crate) policy: ThreadLocal<Cell<Option<PlacementPolicy>>>,
    pub(crate) soft_placement: AtomicBool,
    pub(crate) log_placement: AtomicBool,
    /// Whether no `Context` is left.
    pub(crate) closed: AtomicBool,
}

/// A device of a context with what a call needs of it.
pub(crate) struct Place {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) key: DeviceKey,
    /// What handles to results on this device carry: nothing for the first CPU.
    pub(crate) of_results: Option<Arc<dyn Device>>,
}

impl Place {
    pub(crate) fn new(index: usize, device: &Arc<dyn Device>) -> Self {
        Self {
            key: DeviceKey::of(device.name().as_str()),
            of_results: (index > 0).then(|| Arc::clone(device)),
            device: Arc::clone(device),
        }
    }
}

/// A device string, and what it was read as.
pub(crate) type LastRequest = Option<(String, Arc<RequestedDevice>)>;

/// A device that a program asked for.
pub(crate) struct RequestedDevice {
    /// The name in TensorFlow's spelling, with what was left open left out.
    pub(crate) spelling: CString,
    pub(crate) spec: DeviceSpec,
    /// Which of the context's devices it is, if any. A custom device is looked for with each call: it may come later.
    pub(crate) place: Option<usize>,
}

impl Shared {
    pub(crate) fn devices(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Device>> {
        self.places.iter().map(|p| &p.device)
    }

    /// What a call of that name calls.
    #[inline]
    pub(crate) fn callee(&self, name: &str) -> Result<SpecRef<'static>> {
        match OpRegistry::builtin(name) {
            Some(spec) => Ok(SpecRef::Borrowed(spec)),
            None => self.added_callee(name),
        }
    }

    #[cold]
    fn added_callee(&self, name: &str) -> Result<SpecRef<'static>> {
        if let Some(spec) = self.ops.registered(name) {
            return Ok(SpecRef::Registered(Arc::clone(spec)));
        }
        match self.functions.find(name) {
            Some(function) => Ok(SpecRef::Function(Arc::clone(function.spec()))),
            None => {
                let functions = self.functions.list();
                Err(self.ops.unknown(name, functions.iter().map(|f| f.name())))
            }
        }
    }

    pub(crate) fn placement_policy(&self) -> PlacementPolicy {
        self.policy
            .get()
            .and_then(Cell::get)
            .unwrap_or(self.options.placement_policy)
    }

    #[inline]
    pub(crate) fn soft_placement(&self) -> bool {
        self.soft_placement.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn log_placement(&self) -> bool {
        self.log_placement.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Ends the use of resources and lets go of what kernels hold: a thread may keep the rest for long.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.clear_resources();
        self.cache.clear();
        self.custom_devices.clear();
    }

    fn clear_resources(&self) {
        // A variable may hold a handle to itself, by way of another: the slots are emptied rather than waited for.
        for device in self.devices() {
            device.resources().clear();
        }
    }

    /// A device string, read.
    ///
    /// # Errors
    /// `InvalidArgument` for what is none.
    pub(crate) fn request_device(&self, text: &str) -> Result<Arc<RequestedDevice>> {
        let last = self.requests.get_or_default();
        if let Some((known, device)) = &*last.borrow()
            && known == text
        {
            return Ok(Arc::clone(device));
        }
        let spec: DeviceSpec = text.parse()?;
        let Ok(spelling) = CString::new(spec.to_string()) else {
            bail!(
                InvalidArgument,
                "Malformed device specification '{}'",
                text.escape_default()
            );
        };
        let place = self
            .places
            .iter()
            .position(|p| spec.matches(p.device.name()));
        let device = Arc::new(RequestedDevice {
            spelling,
            spec,
            place,
        });
        last.replace(Some((text.to_owned(), Arc::clone(&device))));
        Ok(device)
    }

    /// The place of a device by its full name.
    pub(crate) fn place_of(&self, name: &DeviceName) -> Option<usize> {
        self.places.iter().position(|p| p.device.name() == name)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // What ops have made since the context was closed.
        self.clear_resources();
    }
}
