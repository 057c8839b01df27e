//! `Inputs`: the inputs of a call, as a kernel takes them.

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;
use tfe_core::{DataType, Result, Tensor};
use tfe_device::{Arg, Device};

use crate::{CustomPlace, TensorHandle};

/// Tensors in slots that a kernel can take them from, and beside them what most calls have none of.
#[derive(Clone, Default)]
pub(crate) struct Inputs {
    slots: SmallVec<[Option<Tensor>; 4]>,
    rare: Option<Box<Rare>>,
    any_placed: bool,
}

#[derive(Clone, Default)]
struct Rare {
    /// The devices other than the first CPU, by input; empty as long as there is none.
    devices: Vec<Option<Arc<dyn Device>>>,
    /// Inputs that may have to be waited for, or to be copied off a custom device. Their slots are empty meanwhile.
    absent: Vec<(usize, TensorHandle)>,
}

impl Inputs {
    #[inline]
    pub(crate) fn push(&mut self, handle: &TensorHandle) {
        let Some(tensor) = handle.ready_tensor() else {
            return self.push_absent(handle.clone());
        };
        self.any_placed |= handle.device().is_some() || handle.dtype() == DataType::Resource;
        let i = self.slots.len();
        self.slots.push(Some(tensor.clone()));
        if handle.device().is_some() {
            self.set_device(i, handle);
        }
    }

    #[cold]
    fn push_absent(&mut self, handle: TensorHandle) {
        // Until it is there, it may be any of that.
        self.any_placed = true;
        let i = self.slots.len();
        self.slots.push(None);
        self.rare.get_or_insert_default().absent.push((i, handle));
    }

    fn absent(&self) -> &[(usize, TensorHandle)] {
        self.rare.as_ref().map_or(&[], |rare| &rare.absent)
    }

    /// Whether some input is on a custom device.
    #[inline]
    pub(crate) fn any_custom(&self) -> bool {
        self.rare.is_some() && self.custom_places().next().is_some()
    }

    /// The custom devices of those inputs that are on one.
    pub(crate) fn custom_places(&self) -> impl Iterator<Item = &CustomPlace> {
        let absent = self.absent().iter();
        absent.filter_map(|(_, handle)| handle.custom_place())
    }

    /// Puts copies on `target` in the place of inputs that are on custom devices.
    ///
    /// # Errors
    /// What the custom devices say; the inputs stay as they are then.
    pub(crate) fn copy_off_custom_devices(&mut self, target: &str) -> Result<()> {
        let mut copies = Vec::new();
        for (i, handle) in self.absent() {
            if let Some(place) = handle.custom_place() {
                let copy = place.copy_off(handle, target)?;
                copy.tensor()?;
                copies.push((*i, copy));
            }
        }
        if let Some(rare) = &mut self.rare {
            rare.absent
                .retain(|(_, handle)| handle.custom_place().is_none());
        }
        for (i, copy) in copies {
            self.replace(i, &copy)?;
        }
        if self.absent().is_empty() {
            self.see_what_is_placed();
        }
        Ok(())
    }

    /// Waits for the inputs that are not there yet.
    ///
    /// # Errors
    /// The first that came in place of one; the inputs stay as they are then.
    #[inline]
    pub(crate) fn wait(&mut self) -> Result<()> {
        match &self.rare {
            Some(rare) if !rare.absent.is_empty() => self.wait_for_absent(),
            _ => Ok(()),
        }
    }

    #[cold]
    fn wait_for_absent(&mut self) -> Result<()> {
        for (_, handle) in self.absent() {
            handle.tensor()?;
        }
        let absent = self.rare.as_mut().map(|rare| &mut rare.absent);
        for (i, handle) in absent.map(std::mem::take).unwrap_or_default() {
            self.replace(i, &handle)?;
        }
        self.see_what_is_placed();
        Ok(())
    }

    /// For inputs that are all there.
    fn see_what_is_placed(&mut self) {
        let is_resource = |tensor: &Tensor| tensor.dtype() == DataType::Resource;
        let any_device = self.devices().iter().any(Option::is_some);
        self.any_placed = any_device || self.tensors().any(is_resource);
    }

    fn devices(&self) -> &[Option<Arc<dyn Device>>] {
        self.rare.as_ref().map_or(&[], |rare| &rare.devices)
    }

    #[cold]
    fn set_device(&mut self, i: usize, handle: &TensorHandle) {
        let devices = &mut self.rare.get_or_insert_default().devices;
        if devices.len() <= i {
            devices.resize_with(i + 1, || None);
        }
        devices[i] = handle.device().cloned();
    }

    /// Puts another handle to the same value in the place of an input.
    pub(crate) fn replace(&mut self, i: usize, handle: &TensorHandle) -> Result<()> {
        self.slots[i] = Some(handle.tensor()?.clone());
        self.set_device(i, handle);
        Ok(())
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether some input decides the device or may have to move or to be waited for: it is on a device other than the
    /// first CPU, a resource, pending, or on a custom device.
    #[inline]
    pub(crate) fn any_placed(&self) -> bool {
        self.any_placed
    }

    /// Whether some input is on a device other than the first CPU.
    #[inline]
    pub(crate) fn any_on_device(&self) -> bool {
        self.rare
            .as_ref()
            .is_some_and(|rare| !rare.devices.is_empty())
    }

    /// Whether the inputs are those that a kernel takes, by number and type.
    #[inline]
    pub(crate) fn are_of_types(&self, args: &[Arg]) -> bool {
        let fits = |(slot, arg): (&Option<Tensor>, &Arg)| {
            slot.as_ref().is_some_and(|t| t.dtype() == arg.dtype)
        };
        self.slots.len() == args.len() && self.slots.iter().zip(args).all(fits)
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
        let own = self.devices().get(i).and_then(Option::as_ref);
        !is_host && own.is_some_and(|d| Arc::ptr_eq(d, device))
    }

    pub(crate) fn handle(&self, i: usize) -> Option<TensorHandle> {
        if let Some(tensor) = self.slots.get(i)? {
            let device = self.devices().get(i).cloned().flatten();
            return Some(TensorHandle::on(tensor.clone(), device));
        }
        let mut absent = self.absent().iter();
        absent.find(|(at, _)| *at == i).map(|(_, h)| h.clone())
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
        if self.rare.is_some() {
            self.rare = None;
        }
        self.any_placed = false;
    }
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.handles()).finish()
    }
}
