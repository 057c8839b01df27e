//! Running a plan.

use std::sync::TryLockError;

use smallvec::SmallVec;
use tfe_core::{Result, Tensor, bail};
use tfe_device::{FunctionLibrary, Kernel, KernelContext, Run};

use crate::plan::{Action, Plan, PlanArg, Step};
use crate::slots::{Operand, Place, Target, UNUSED};

/// Frames up to this length are on the stack: nearly all single ops, and most small functions.
const SHORT: usize = 4;
const LONGER: usize = 8;

/// How many frames a plan keeps for later runs: as many threads may run it without taking memory for one.
const KEPT_FRAMES: usize = 4;

impl Kernel for Plan {
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        self.check_args(ctx)?;
        if self.frame_len <= SHORT {
            return self.run_in(ctx, &mut [const { None }; SHORT]);
        }
        if self.frame_len <= LONGER {
            return self.run_in(ctx, &mut [const { None }; LONGER]);
        }
        let mut frame = self.take_frame();
        let done = self.run_in(ctx, &mut frame);
        if done.is_err() {
            frame.fill(None);
        }
        self.keep_frame(frame);
        done
    }
}

impl Plan {
    /// The results for these arguments; a convenience beside [`Kernel::compute`].
    ///
    /// # Errors
    /// As there.
    pub fn run(
        &self,
        args: impl IntoIterator<Item = Tensor>,
        functions: &dyn FunctionLibrary,
    ) -> Result<SmallVec<[Tensor; 2]>> {
        let mut args: SmallVec<[Option<Tensor>; 4]> = args.into_iter().map(Some).collect();
        let mut outputs: SmallVec<[Option<Tensor>; 2]> = SmallVec::new();
        outputs.resize_with(self.results().len(), || None);
        let run = Run {
            functions,
            ..Run::on(&*self.device)
        };
        let results: Vec<_> = self.results().iter().map(PlanArg::arg).collect();
        let mut ctx = KernelContext::without_rule(&mut args, &mut outputs, &results, &run);
        self.device.compute(self, &mut ctx)?;
        ctx.finish()?;
        Ok(outputs.into_iter().flatten().collect())
    }

    fn check_args(&self, ctx: &KernelContext<'_>) -> Result<()> {
        if ctx.num_inputs() != self.arg_types.len() {
            return Err(wrong_number_of_args(ctx.num_inputs(), self.arg_types.len()));
        }
        for (i, &wanted) in self.arg_types.iter().enumerate() {
            let given = ctx.input(i).dtype();
            if given != wanted {
                bail!(
                    InvalidArgument,
                    "cannot compute {} as input #{i}(zero-based) was expected to be a {wanted} tensor but is a {given} \
                     tensor",
                    self.name()
                );
            }
        }
        Ok(())
    }

    fn run_in(&self, ctx: &mut KernelContext<'_>, frame: &mut [Option<Tensor>]) -> Result<()> {
        let (slots, room) = frame.split_at_mut(self.num_slots);
        for (i, step) in self.steps.iter().enumerate() {
            self.run_step(step, ctx, slots, room)
                .map_err(|e| self.at(&e, &self.labels[i]))?;
        }
        for (i, &operand) in self.result_operands.iter().enumerate() {
            if let Some(result) = read(operand, ctx, slots) {
                ctx.set_output(i, result);
            }
        }
        Ok(())
    }

    #[inline]
    fn run_step(
        &self,
        step: &Step,
        ctx: &mut KernelContext<'_>,
        slots: &mut [Option<Tensor>],
        room: &mut [Option<Tensor>],
    ) -> Result<()> {
        let run = ctx.run();
        let (inputs, room) = room.split_at_mut(step.num_operands as usize);
        for (input, &operand) in inputs.iter_mut().zip(self.inputs_of(step)) {
            *input = read(operand, ctx, slots);
        }
        match self.outputs_of(step) {
            // The usual case: the kernel puts its only result where it belongs.
            &[target] if target != UNUSED => {
                let output = std::slice::from_mut(&mut slots[target as usize]);
                self.act(step, inputs, output, run)?;
            }
            targets => {
                let outputs = &mut room[..targets.len()];
                self.act(step, inputs, outputs, run)?;
                for (output, &target) in outputs.iter_mut().zip(targets) {
                    let output = output.take();
                    if target != UNUSED {
                        slots[target as usize] = output;
                    }
                }
            }
        }
        // Before later steps run: they may be the last owners of what this one has read.
        inputs.iter_mut().for_each(|input| *input = None);
        Ok(())
    }

    #[inline]
    fn act(
        &self,
        step: &Step,
        inputs: &mut [Option<Tensor>],
        outputs: &mut [Option<Tensor>],
        run: &Run<'_>,
    ) -> Result<()> {
        match &step.action {
            Action::Run(kernel) if step.is_remote => {
                let device = &*self.devices[step.device as usize];
                kernel.run(inputs, outputs, &Run { device, ..*run })
            }
            Action::Run(kernel) => kernel.run_within(inputs, outputs, run),
            Action::Copy(route) => {
                outputs[0] = inputs[0]
                    .as_ref()
                    .map(|value| route.copy(value))
                    .transpose()?;
                Ok(())
            }
        }
    }

    pub(crate) fn inputs_of(&self, step: &Step) -> &[Operand] {
        let first = step.first_operand as usize;
        &self.operands[first..first + step.num_operands as usize]
    }

    pub(crate) fn outputs_of(&self, step: &Step) -> &[Target] {
        let first = step.first_target as usize;
        &self.targets[first..first + step.num_targets as usize]
    }

    /// A frame of an earlier run, or a new one. Does not wait: a thread that finds another one here takes memory.
    fn take_frame(&self) -> Vec<Option<Tensor>> {
        let kept = match self.frames.try_lock() {
            Ok(mut frames) => frames.pop(),
            Err(TryLockError::Poisoned(e)) => e.into_inner().pop(),
            Err(TryLockError::WouldBlock) => None,
        };
        kept.unwrap_or_else(|| vec![None; self.frame_len])
    }

    fn keep_frame(&self, frame: Vec<Option<Tensor>>) {
        debug_assert!(
            frame.iter().all(Option::is_none),
            "each value is taken by its last reader"
        );
        if let Ok(mut frames) = self.frames.try_lock()
            && frames.len() < KEPT_FRAMES
        {
            frames.push(frame);
        }
    }
}

#[inline]
fn read(
    operand: Operand,
    ctx: &mut KernelContext<'_>,
    slots: &mut [Option<Tensor>],
) -> Option<Tensor> {
    match operand.place() {
        Place::Slot(i) if operand.is_last() => slots[i as usize].take(),
        Place::Slot(i) => slots[i as usize].clone(),
        Place::Arg(i) if operand.is_last() => Some(ctx.take_input(i as usize)),
        Place::Arg(i) => Some(ctx.input(i as usize).clone()),
    }
}

/// The error of a call with another number of arguments than the function has.
pub(crate) fn wrong_number_of_args(given: usize, wanted: usize) -> tfe_core::Error {
    tfe_core::err!(
        InvalidArgument,
        "InstantiateOptions.input_devices must have the same length as the number of arguments: input_devices length = \
         {given} number of arguments = {wanted}"
    )
}
