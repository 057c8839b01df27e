//! `BoundKernel`: a kernel and the rule of its op, bound to attributes, with what their arguments are.

use smallvec::SmallVec;
use tfe_core::{DataType, Result, Tensor, bail, ensure, err};

use crate::{
    Fact, Inference, Kernel, KernelContext, KernelDef, KernelInit, OutputShape, OutputShapes, Rule,
    RuleBuilder, Run,
};

/// One argument or result of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arg {
    /// The type of the elements.
    pub dtype: DataType,
    /// Whether it lies in host memory, whatever the device.
    pub in_host_memory: bool,
}

/// A kernel ready to run with the rule that tells its outputs: what runtimes keep, and the one way to run a kernel.
pub struct BoundKernel {
    kernel: Box<dyn Kernel>,
    /// What the op gives; nothing is known of a function's.
    rule: Option<Box<dyn Rule>>,
    inputs: SmallVec<[Arg; 4]>,
    outputs: SmallVec<[Arg; 2]>,
    keeps_state: bool,
    blocks: bool,
}

impl BoundKernel {
    /// Binds a kernel, and the rule of its op, to `init`.
    ///
    /// # Errors
    /// What is wrong with the attributes.
    pub fn new(def: &KernelDef, rule: Option<RuleBuilder>, init: &KernelInit<'_>) -> Result<Self> {
        let on_host = init.device.is_host();
        let args = |flat: Vec<(&str, DataType)>, host: &[&str]| {
            flat.into_iter()
                .map(|(name, dtype)| Arg {
                    dtype,
                    in_host_memory: on_host || host.contains(&name),
                })
                .collect::<Vec<_>>()
        };
        // The rule first: it has the checks of the attributes that shapes depend on.
        let rule = rule.map(|rule| rule(init)).transpose()?;
        Ok(Self {
            kernel: (def.build)(init)?,
            rule,
            inputs: args(init.attrs.flat_inputs(init.spec)?, def.host_inputs).into(),
            outputs: args(init.attrs.flat_outputs(init.spec)?, def.host_outputs).into(),
            keeps_state: def.keeps_state,
            blocks: def.blocks,
        })
    }

    /// A kernel without an op behind it: a function, a copy, a test.
    pub fn from_parts(
        kernel: Box<dyn Kernel>,
        rule: Option<Box<dyn Rule>>,
        inputs: impl IntoIterator<Item = Arg>,
        outputs: impl IntoIterator<Item = Arg>,
    ) -> Self {
        Self {
            kernel,
            rule,
            inputs: inputs.into_iter().collect(),
            outputs: outputs.into_iter().collect(),
            keeps_state: false,
            blocks: false,
        }
    }

    /// The same one, which remembers something from call to call, or not.
    #[must_use]
    pub fn with_state(self, keeps_state: bool) -> Self {
        Self {
            keeps_state,
            ..self
        }
    }

    /// The inputs: their types, and where they have to lie.
    #[inline]
    pub fn inputs(&self) -> &[Arg] {
        &self.inputs
    }

    /// The outputs: their types, and where they lie.
    #[inline]
    pub fn outputs(&self) -> &[Arg] {
        &self.outputs
    }

    /// Whether the kernel remembers something from call to call: made anew it would start anew.
    pub fn keeps_state(&self) -> bool {
        self.keeps_state
    }

    /// Whether a run may wait for another run, as of a queue: it must not hold up a thread that the other needs.
    pub fn blocks(&self) -> bool {
        self.blocks
    }

    /// Checks the number and the types of inputs; `name` is for the message.
    ///
    /// # Errors
    /// `InvalidArgument`.
    #[inline]
    pub fn check(
        &self,
        name: &str,
        count: usize,
        dtypes: impl Iterator<Item = DataType>,
    ) -> Result<()> {
        ensure!(
            count == self.inputs.len(),
            InvalidArgument,
            "expected {} inputs, got {count}",
            self.inputs.len()
        );
        for (i, (arg, dtype)) in self.inputs.iter().zip(dtypes).enumerate() {
            if arg.dtype != dtype {
                bail!(
                    InvalidArgument,
                    "cannot compute {name} as input #{i}(zero-based) was expected to be a {} tensor but is a {dtype} tensor",
                    arg.dtype
                );
            }
        }
        Ok(())
    }

    /// The shapes of the outputs, as far as they follow from what is known of the inputs.
    ///
    /// # Errors
    /// The rule's.
    pub fn infer(&self, inputs: &[Fact]) -> Result<OutputShapes> {
        let mut shapes = self.unknown();
        if let Some(rule) = &self.rule {
            rule.infer(&mut Inference::of_facts(inputs, &mut shapes))?;
        }
        Ok(shapes)
    }

    #[inline]
    fn unknown(&self) -> OutputShapes {
        let mut shapes = OutputShapes::new();
        shapes.resize_with(self.outputs.len(), OutputShape::default);
        shapes
    }

    /// Runs on inputs that were checked and lie where they have to, takes over those that nobody else holds, and fills
    /// `outputs`, all empty.
    ///
    /// # Errors
    /// The rule's, then the kernel's; `Internal` when the kernel did not set an output, or set another than was said.
    #[inline]
    pub fn run(
        &self,
        inputs: &mut [Option<Tensor>],
        outputs: &mut [Option<Tensor>],
        run: &Run<'_>,
    ) -> Result<()> {
        self.in_context(inputs, outputs, run, |ctx| {
            run.device.compute(&*self.kernel, ctx)
        })
    }

    /// [`run`](Self::run) within another run on the same device, which has made the surroundings already.
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn run_within(
        &self,
        inputs: &mut [Option<Tensor>],
        outputs: &mut [Option<Tensor>],
        run: &Run<'_>,
    ) -> Result<()> {
        self.in_context(inputs, outputs, run, |ctx| self.kernel.compute(ctx))
    }

    /// The outputs for these inputs, in places of their own.
    ///
    /// # Errors
    /// As [`check`](Self::check) and [`run`](Self::run).
    pub fn outputs_of(
        &self,
        inputs: impl IntoIterator<Item = Tensor>,
        run: &Run<'_>,
    ) -> Result<Vec<Tensor>> {
        let mut inputs: SmallVec<[_; 4]> = inputs.into_iter().map(Some).collect();
        let dtypes = inputs.iter().flatten().map(Tensor::dtype);
        self.check(run.node, inputs.len(), dtypes)?;
        let mut outputs = vec![None; self.outputs.len()];
        self.run(&mut inputs, &mut outputs, run)?;
        outputs
            .into_iter()
            .map(|output| output.ok_or_else(|| err!(Internal, "an output is gone")))
            .collect()
    }

    /// Asks the rule, and has `compute` fill the outputs. Nothing is moved: the shape of a single output is in place here.
    #[inline(always)]
    fn in_context(
        &self,
        inputs: &mut [Option<Tensor>],
        outputs: &mut [Option<Tensor>],
        run: &Run<'_>,
        compute: impl FnOnce(&mut KernelContext<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut one = [OutputShape::default()];
        let mut more;
        let mut shapes: &mut [OutputShape] = &mut [];
        if let Some(rule) = &self.rule {
            if self.outputs.len() == 1 {
                shapes = &mut one;
            } else {
                more = self.unknown();
                shapes = &mut more;
            }
            rule.infer(&mut Inference::of_tensors(inputs, shapes))?;
        }
        let mut ctx = KernelContext::new(inputs, outputs, shapes, &self.outputs, run);
        compute(&mut ctx)?;
        ctx.finish()
    }
}
