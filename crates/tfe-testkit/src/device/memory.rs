//! The memory of a test device: bytes that only the device's own code can reach.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use tfe_core::{Buffer, DataType, DeviceMemory, Error, Result, Shape, Tensor, err};

use super::Machine;

/// What a piece of memory holds.
enum State {
    Bytes(Vec<u8>),
    /// The work that was to write it failed.
    Failed(Error),
}

/// A piece of memory, shared by the tensor that owns it and by the work that reads or writes it.
#[derive(Clone)]
pub(super) struct Cells(Arc<Mutex<State>>);

impl Cells {
    /// Memory as it comes: full of what nobody wrote.
    pub(super) fn new(len: usize) -> Self {
        Self(Arc::new(Mutex::new(State::Bytes(vec![0xa5; len]))))
    }

    pub(super) fn read(&self) -> Result<Vec<u8>> {
        match &*self.lock() {
            State::Bytes(bytes) => Ok(bytes.clone()),
            State::Failed(e) => Err(e.clone()),
        }
    }

    pub(super) fn write(&self, bytes: Vec<u8>) {
        *self.lock() = State::Bytes(bytes);
    }

    pub(super) fn fail(&self, error: Error) {
        *self.lock() = State::Failed(error);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Device memory as tensors hold it.
pub(super) struct TestMemory {
    pub(super) cells: Cells,
    pub(super) machine: Arc<Machine>,
    len: usize,
}

impl TestMemory {
    /// Takes memory from the machine.
    pub(super) fn allocate(machine: &Arc<Machine>, len: usize) -> Result<Buffer> {
        machine.reserve(len)?;
        let machine = Arc::clone(machine);
        Ok(Buffer::from_device(Box::new(Self {
            cells: Cells::new(len),
            machine,
            len,
        })))
    }

    /// The memory of a tensor, if it is a test device's.
    pub(super) fn of(tensor: &Tensor) -> Result<&Self> {
        let memory = tensor
            .buffer()
            .device_memory()
            .and_then(|m| m.as_any().downcast_ref());
        memory.ok_or_else(|| err!(Internal, "{tensor:?} is not in the memory of a test device"))
    }
}

impl DeviceMemory for TestMemory {
    fn len(&self) -> usize {
        self.len
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for TestMemory {
    fn drop(&mut self) {
        self.machine.release(self.len);
    }
}

/// A host tensor from the part of a memory's bytes that begins at `offset`.
pub(super) fn to_tensor(
    dtype: DataType,
    shape: &Shape,
    offset: usize,
    bytes: &[u8],
) -> Result<Tensor> {
    let len = shape.num_elements() * dtype.size();
    Tensor::from_plain_bytes(dtype, shape.clone(), &bytes[offset..][..len])
}
