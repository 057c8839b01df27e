//! `Inputs`: the inputs of a call, as a kernel takes them.

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;
use tfe_core::{DataType, Tensor};
use tfe_device::Device;

use crate::TensorHandle;

/// Tensors in slots that a kernel can take them from, and beside them their devices, which most calls have none of.
#[derive(Clone, Default)]
pub(crate) struct Inputs {
    slots: SmallVec<[Option<Tensor>; 4]>,
    /// The devices other than the first CPU, by input; empty as long as there is none.
    devices: Vec<Option<Arc<dyn Device>>>,
    any_placed: bool,
}

impl Inputs {
    #[inline]
    pub(crate) fn push(&mut self, handle: &TensorHandle) {
        self.any_placed |= handle.device().is_some() || handle.dtype() == DataType::Resource;
        let i = self.slots.len();
        self.slots.push(Some(handle.tensor().clone()));
        if handle.device().is_some() {
            self.set_device(i, handle);
        }
    }

    #[cold]
    fn set_device(&mut self, i: usize, handle: &TensorHandle) {
        if self.devices.len() <= i {
            self.devices.resize_with(i + 1, || None);
        }
        self.devices[i] = handle.device().cloned();
    }

    /// Puts another handle to the same value in the place of an input.
    pub(crate) fn replace(&mut self, i: usize, handle: TensorHandle) {
        self.set_device(i, &handle);
        self.slots[i] = Some(handle.into_tensor());
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether some input decides the device or may have to move: it is on a device other than the first CPU, or a
    /// resource.
    #[inline]
    pub(crate) fn any_placed(&self) -> bool {
        self.any_placed
    }

    /// The tensors that are there: all, until a kernel takes them.
    #[inline]
    pub(crate) fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.slots.iter().flatten()
    }

    /// Whether input `i` lies where code on `device` can read it.
    #[inline]
    pub(crate) fn is_on(&self, i: usize, device: &Arc<dyn Device>) -> bool {
        let is_host = self.slots[i].as_ref().is_none_or(Tensor::is_host);
        if device.is_host() {
            return is_host;
        }
        let own = self.devices.get(i).and_then(Option::as_ref);
        !is_host && own.is_some_and(|d| Arc::ptr_eq(d, device))
    }

    pub(crate) fn handle(&self, i: usize) -> Option<TensorHandle> {
        let tensor = self.slots.get(i)?.clone()?;
        let device = self.devices.get(i).cloned().flatten();
        Some(TensorHandle::on(tensor, device))
    }

    pub(crate) fn handles(&self) -> impl Iterator<Item = TensorHandle> {
        (0..self.len()).filter_map(|i| self.handle(i))
    }

    #[inline]
    pub(crate) fn slots(&mut self) -> &mut [Option<Tensor>] {
        &mut self.slots
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.devices.clear();
        self.any_placed = false;
    }
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.handles()).finish()
    }
}
