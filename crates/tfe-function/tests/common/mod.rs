//! What the tests of this crate share: a library on one CPU, and kernels of ops that tfe-kernels does not have.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod kernels;
pub(crate) mod script;

use std::sync::Arc;

use tfe_core::{DataType, Error, Result, Tensor};
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::{Device, KernelRegistry};
use tfe_function::{FunctionBuilder, Library, Placement, Plan};
use tfe_ops::{AttrValue, FuncAttr, OpRegistry};

/// Functions on one CPU.
pub(crate) struct World {
    pub(crate) library: Library,
    pub(crate) cpu: Arc<dyn Device>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_devices(|_| Vec::new())
    }

    /// With devices more, which are made from the CPU.
    pub(crate) fn with_devices(
        more: impl FnOnce(&Arc<dyn Device>) -> Vec<Arc<dyn Device>>,
    ) -> Self {
        let ops = OpRegistry::new();
        kernels::register_ops(&ops);
        let cpu: Arc<dyn Device> = Arc::new(CpuDevice::new(0, &CpuOptions::default()));
        let mut devices = vec![Arc::clone(&cpu)];
        devices.extend(more(&cpu));
        let kernels = KernelRegistry::new(kernels::all(&ops));
        Self {
            library: Library::new(Arc::new(ops), Arc::new(kernels), devices),
            cpu,
        }
    }

    pub(crate) fn compile(&self, function: &FuncAttr) -> Result<Arc<Plan>> {
        self.library.plan(function, &Placement::on(&*self.cpu))
    }

    pub(crate) fn call(&self, function: &FuncAttr, args: &[Tensor]) -> Result<Vec<Tensor>> {
        let plan = self.compile(function)?;
        Ok(plan.run(args.iter().cloned(), &self.library)?.into_vec())
    }

    /// Adds what a builder has built.
    pub(crate) fn build(&self, builder: FunctionBuilder) -> FuncAttr {
        let def = builder
            .build()
            .expect("attributes that can be written down");
        let name = def
            .signature
            .as_ref()
            .map_or(String::new(), |s| s.name.clone());
        self.library.add(def).expect("a function that can be added");
        FuncAttr::new(&name)
    }

    /// Adds a function in text format and gives its name.
    pub(crate) fn add(&self, text: &str) -> Result<FuncAttr> {
        let def = tfe_testkit::text::function_def(text);
        let name = def
            .signature
            .as_ref()
            .map_or(String::new(), |s| s.name.clone());
        self.library.add(def)?;
        Ok(FuncAttr::new(&name))
    }

    /// The error of adding a function and calling it with a 2×2 matrix.
    pub(crate) fn error(&self, text: &str) -> Error {
        let function = self.add(text).expect("a function that can be added");
        self.call(&function, &[matrix()]).expect_err(text)
    }
}

pub(crate) fn matrix() -> Tensor {
    Tensor::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).expect("memory")
}

pub(crate) fn scalar(value: f32) -> Tensor {
    Tensor::scalar(value).expect("memory")
}

pub(crate) fn floats(tensor: &Tensor) -> Vec<f32> {
    tensor.as_slice::<f32>().expect("floats").to_vec()
}

/// A function from float `a` to float `m` with that body, in text format.
pub(crate) fn text(name: &str, nodes: &str, ret: &str) -> String {
    format!(
        "signature {{ name: '{name}' input_arg {{ name: 'a' type: DT_FLOAT }}
                      output_arg {{ name: 'm' type: DT_FLOAT }} }}
         {nodes} {}",
        if ret.is_empty() {
            String::new()
        } else {
            format!("ret {{ key: 'm' value: '{ret}' }}")
        }
    )
}

/// A node in text format; `attrs` are as `key: value`, the value as in `type: DT_FLOAT`.
pub(crate) fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, &str)]) -> String {
    let inputs: String = inputs.iter().map(|i| format!("input: '{i}' ")).collect();
    let attrs: String = attrs
        .iter()
        .map(|(k, v)| format!("attr {{ key: '{k}' value {{ {v} }} }} "))
        .collect();
    format!("node_def {{ name: '{name}' op: '{op}' {inputs} {attrs} }}\n")
}

/// The attribute that most nodes of the tests have.
pub(crate) const T: (&str, &str) = ("T", "type: DT_FLOAT");

/// The attributes of most nodes of the tests, for builders.
pub(crate) fn float() -> [(&'static str, AttrValue); 1] {
    [("T", DataType::Float.into())]
}

/// The attributes of the ops that tell, for builders.
pub(crate) fn id(id: i64) -> [(&'static str, AttrValue); 1] {
    [("id", id.into())]
}

/// A function of one float, for more to be added.
pub(crate) fn of_float(name: &str) -> FunctionBuilder {
    FunctionBuilder::new(name).input("a", DataType::Float)
}
