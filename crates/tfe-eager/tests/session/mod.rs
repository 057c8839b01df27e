//! A context as a session, for recorded sequences.

use tfe_core::{DataType, Result, Tensor, bail, ensure};
use tfe_eager::{Context, TensorHandle};
use tfe_testkit::golden::{Argument, Call, Session};

/// A context of its own, for sequences.
pub(crate) struct Owner(pub(crate) Context);

fn handle_of(input: &Argument<TensorHandle>) -> Result<TensorHandle> {
    match input {
        Argument::Handle(handle) => Ok(handle.clone()),
        Argument::Tensor(tensor) => Ok(TensorHandle::new(tensor.clone())),
        Argument::List(_) => bail!(InvalidArgument, "a list in a list"),
    }
}

impl Session for Owner {
    type Handle = TensorHandle;

    fn handle(&self, tensor: &Tensor) -> Result<TensorHandle> {
        Ok(TensorHandle::new(tensor.clone()))
    }

    fn call(&self, call: &Call, inputs: &[Argument<TensorHandle>]) -> Result<Vec<TensorHandle>> {
        let mut op = self.0.op(&call.op)?;
        // What is recorded are calls of TensorFlow's C API.
        op.set_lenient();
        if let Some(device) = &call.device {
            op.set_device(device)?;
        }
        for input in inputs {
            match input {
                Argument::List(list) => {
                    let list = list.iter().map(handle_of).collect::<Result<Vec<_>>>()?;
                    op.add_input_list(&list)?;
                }
                one => op.add_input(&handle_of(one)?)?,
            }
        }
        for (name, value) in &call.attrs {
            op.set_attr(name, value.clone());
        }
        let room = call.room;
        let results = op.execute_if(|count| {
            ensure!(
                count <= room,
                InvalidArgument,
                "{count} results, but room for {room}"
            );
            Ok(())
        })?;
        Ok(results.into_iter().collect())
    }

    fn copy(&self, handle: &TensorHandle, device: &str) -> Result<TensorHandle> {
        handle.copy_to(&self.0, device)
    }

    fn device(&self, handle: &TensorHandle) -> Result<String> {
        Ok(handle.device_name().to_string())
    }

    fn value(&self, handle: &TensorHandle) -> Result<Option<Tensor>> {
        match handle.dtype() {
            DataType::Resource | DataType::Variant => Ok(None),
            _ => handle.to_tensor().map(Some),
        }
    }

    fn clear_caches(&self) {
        self.0.clear_caches();
    }

    fn version(&self) -> String {
        concat!("tfe ", env!("CARGO_PKG_VERSION")).to_owned()
    }
}
