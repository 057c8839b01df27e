//! Elements of `resource` and `variant` tensors: handles to things that live outside of tensors.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// An element of a `resource` tensor: names a resource (a variable, a queue, a table) and holds on to its slot.
///
/// The default is the null handle, which names nothing; its bytes are all zero.
#[derive(Clone, Default)]
pub struct ResourceHandle(Option<Arc<ResourceRef>>);

/// What a [`ResourceHandle`] names.
pub struct ResourceRef {
    /// Full name of the device that holds the resource.
    pub device: String,
    /// Container, `localhost` by default.
    pub container: String,
    /// Name within the container and type.
    pub name: String,
    /// Name of the resource's type, for messages.
    pub type_name: &'static str,
    /// The place that holds the resource, so that kernels need no look-up by name; its type is the resource manager's.
    pub slot: Arc<dyn Any + Send + Sync>,
}

impl ResourceHandle {
    /// A handle to that resource.
    pub fn new(target: ResourceRef) -> Self {
        Self(Some(Arc::new(target)))
    }

    /// What the handle names, `None` for the null handle.
    pub fn target(&self) -> Option<&ResourceRef> {
        self.0.as_deref()
    }
}

impl fmt::Debug for ResourceHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.target() {
            Some(r) => write!(
                f,
                "{}({}/{} on {})",
                r.type_name, r.container, r.name, r.device
            ),
            None => f.write_str("null resource"),
        }
    }
}

/// A value that a `variant` element can hold: a tensor list, an optional.
pub trait VariantValue: Any + Send + Sync + fmt::Debug {
    /// For down-casts.
    fn as_any(&self) -> &dyn Any;
}

/// An element of a `variant` tensor; empty by default, and then all its bytes are zero.
#[derive(Clone, Default, Debug)]
pub struct Variant(Option<Arc<dyn VariantValue>>);

impl Variant {
    /// An element that holds `value`.
    pub fn new(value: Arc<dyn VariantValue>) -> Self {
        Self(Some(value))
    }

    /// The value, `None` when empty.
    pub fn value(&self) -> Option<&dyn VariantValue> {
        self.0.as_deref()
    }
}
