//! `Op`: one call of an op or a function, from its inputs and attributes to its results.

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;
use tfe_attrs::{AttrBuilder, AttrKind, AttrValue, SpecRef};
use tfe_core::{Result, ensure, err};
use tfe_device::Cancellation;
use tfe_proto::tensorflow::AttrValue as AttrProto;

use crate::context_ref::ContextRef;
use crate::inputs::Inputs;
use crate::shared::RequestedDevice;
use crate::{Context, TensorHandle};

/// The results of a call.
pub type Outputs = SmallVec<[TensorHandle; 2]>;

/// A call in the making: inputs, attributes and a device, then [`execute`](Self::execute).
///
/// Belongs to one thread at a time. As in TensorFlow the first value that is set for an attribute holds, types that
/// follow from the inputs need not be set, and executing takes the inputs away. Unlike there, types follow from the inputs
/// of functions too, and an attribute that the op does not have is an error:
///
/// ```
/// use tfe_eager::{Context, TensorHandle};
///
/// let ctx = Context::new()?;
/// let a = TensorHandle::from_slice(&[1, 1], &[2.0f32])?;
/// let product = ctx.op("MatMul")?.input(&a)?.input(&a)?.attr("transpse_a", true).run1();
/// let error = product.expect_err("misspelled");
/// assert_eq!(
///     error.message(),
///     "Op MatMul has no attribute 'transpse_a'; did you mean 'transpose_a' or 'transpose_b'?"
/// );
///
/// let matrix = TensorHandle::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
/// let columns = TensorHandle::scalar(0i32)?;
///
/// // In one expression, for one result:
/// let sums = ctx.op("Sum")?.input(&matrix)?.input(&columns)?.attr("keep_dims", true).run1()?;
/// assert_eq!(sums.to_vec::<f32>()?, [4.0, 6.0]);
///
/// // Step by step, for any number of results:
/// let mut op = ctx.op("Unpack")?;
/// op.add_input(&matrix)?;
/// op.set_attr("num", 2);
/// op.set_device("CPU:0")?;
/// let rows = op.execute()?;
/// assert_eq!(rows[1].to_vec::<f32>()?, [3.0, 4.0]);
/// # Ok::<(), tfe_eager::Error>(())
/// ```
pub struct Op {
    pub(crate) ctx: ContextRef,
    pub(crate) call: Call,
}

/// An op but for its context.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) attrs: AttrBuilder<'static>,
    pub(crate) inputs: Inputs,
    pub(crate) device: Option<Arc<RequestedDevice>>,
    pub(crate) executed: bool,
    /// Whether attributes are taken as TensorFlow takes them.
    pub(crate) lenient: bool,
    /// Ends the call early.
    pub(crate) cancellation: Option<Cancellation>,
}

impl Call {
    #[inline(always)]
    fn new(callee: SpecRef<'static>) -> Self {
        let is_function = callee.is_function();
        let mut attrs = AttrBuilder::new(callee);
        if is_function {
            attrs.infer(true);
        }
        Self {
            attrs,
            inputs: Inputs::default(),
            device: None,
            executed: false,
            lenient: false,
            cancellation: None,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.attrs.spec().name()
    }
}

impl Op {
    /// A call of what [`Context::callee`] found in `ctx`. [`Context::op`] does both at once; this is for who keeps calls in
    /// a place of their own: inlined, it writes the few words that matter there, instead of moving a big value.
    #[inline(always)]
    pub fn new(ctx: &Context, callee: SpecRef<'static>) -> Self {
        Self {
            ctx: ContextRef::new(ctx.shared()),
            call: Call::new(callee),
        }
    }

    /// Takes attributes as TensorFlow's C API does: one that the op does not have is ignored, and from the inputs of a
    /// function, added from now on, nothing follows.
    #[inline]
    pub fn set_lenient(&mut self) {
        self.call.lenient = true;
        if self.is_function() {
            self.call.attrs.infer(false);
        }
    }

    /// The name of the op or function.
    pub fn name(&self) -> &str {
        self.call.name()
    }

    /// Whether it calls a function.
    pub fn is_function(&self) -> bool {
        self.call.attrs.is_function()
    }

    /// Adds one input. Where the signature has a list, one element of it.
    ///
    /// # Errors
    /// `InvalidArgument` when the type cannot be inferred from it.
    #[inline]
    pub fn add_input(&mut self, input: &TensorHandle) -> Result<()> {
        self.call.attrs.add_input(input.dtype())?;
        self.call.inputs.push(input);
        Ok(())
    }

    /// Adds all elements of a list argument.
    ///
    /// # Errors
    /// `InvalidArgument` when the next argument is no list.
    pub fn add_input_list(&mut self, inputs: &[TensorHandle]) -> Result<()> {
        self.add_input_refs(inputs.iter())
    }

    /// [`add_input_list`](Self::add_input_list) for handles that do not lie in one slice.
    ///
    /// # Errors
    /// As there.
    pub fn add_input_refs<'h>(
        &mut self,
        inputs: impl ExactSizeIterator<Item = &'h TensorHandle> + Clone,
    ) -> Result<()> {
        let dtypes: SmallVec<[_; 8]> = inputs.clone().map(TensorHandle::dtype).collect();
        self.call.attrs.add_input_list(&dtypes)?;
        inputs.for_each(|input| self.call.inputs.push(input));
        Ok(())
    }

    /// How many inputs there are so far, the elements of lists counted out.
    pub fn num_inputs(&self) -> usize {
        self.call.inputs.len()
    }

    /// One of the inputs so far.
    pub fn nth_input(&self, i: usize) -> Option<TensorHandle> {
        self.call.inputs.handle(i)
    }

    /// Sets an attribute. A value of the wrong kind, and a name that the op does not have, are reported by
    /// [`execute`](Self::execute).
    ///
    /// A name that begins with an underscore is a hint to TensorFlow's graph rewriters: it is taken, and ignored.
    pub fn set_attr(&mut self, name: &str, value: impl Into<AttrValue>) {
        self.call.attrs.set(name, value);
    }

    /// Sets an attribute from its message.
    ///
    /// # Errors
    /// `InvalidArgument` when the message has no value, or a malformed one. Its kind is checked by
    /// [`execute`](Self::execute).
    pub fn set_attr_proto(&mut self, name: &str, value: &AttrProto) -> Result<()> {
        self.call.attrs.set_proto(name, value).map(drop)
    }

    /// Lets the call, each time that it is executed, be ended early: one that waits at a queue is woken.
    ///
    /// ```
    /// use tfe_eager::{Cancellation, Code, Context, DataType};
    ///
    /// let ctx = Context::new()?;
    /// let types = vec![DataType::Float];
    /// let queue = ctx.op("FIFOQueueV2")?.attr("component_types", types.clone()).run1()?;
    /// let mut take = ctx.op("QueueDequeueV2")?.input(&queue)?.attr("component_types", types);
    /// let cancellation = Cancellation::new();
    /// take.set_cancellation(Some(cancellation.clone()));
    /// let waits = std::thread::spawn(move || take.execute().expect_err("nothing is ever there"));
    /// cancellation.cancel();
    /// assert_eq!(waits.join().expect("no panic").code(), Code::Cancelled);
    /// # Ok::<(), tfe_eager::Error>(())
    /// ```
    pub fn set_cancellation(&mut self, cancellation: Option<Cancellation>) {
        self.call.cancellation = cancellation;
    }

    /// The attributes so far.
    pub fn attrs(&self) -> &AttrBuilder<'static> {
        &self.call.attrs
    }

    /// The kind of an attribute, and whether it is a list.
    ///
    /// # Errors
    /// `InvalidArgument` when the op has no such attribute.
    pub fn attr_type(&self, name: &str) -> Result<(AttrKind, bool)> {
        tfe_attrs::attr_type_by_name(self.call.attrs.spec(), name)
    }

    /// Asks for a device, in any spelling; the empty string takes the wish back.
    ///
    /// # Errors
    /// `InvalidArgument` for what is no spelling of a device. Whether the context has it, [`execute`](Self::execute) says.
    pub fn set_device(&mut self, device: &str) -> Result<()> {
        self.call.device = if device.is_empty() {
            None
        } else {
            Some(self.ctx.request_device(device)?)
        };
        Ok(())
    }

    /// The device asked for, in TensorFlow's spelling; empty when none was.
    pub fn requested_device(&self) -> &std::ffi::CStr {
        self.call.device.as_ref().map_or(c"", |d| &d.spelling)
    }

    /// Makes it a new call of another op or function of the same context, as if just made.
    ///
    /// # Errors
    /// `NotFound` when there is no such op or function.
    pub fn reset(&mut self, name: &str) -> Result<()> {
        let lenient = self.call.lenient;
        self.call = Call::new(self.ctx.callee(name)?);
        if lenient {
            self.set_lenient();
        }
        Ok(())
    }

    /// Adds an input; for calls in one expression.
    ///
    /// # Errors
    /// As [`add_input`](Self::add_input).
    pub fn input(mut self, input: &TensorHandle) -> Result<Self> {
        self.add_input(input)?;
        Ok(self)
    }

    /// Adds a list argument; for calls in one expression.
    ///
    /// # Errors
    /// As [`add_input_list`](Self::add_input_list).
    pub fn input_list(mut self, inputs: &[TensorHandle]) -> Result<Self> {
        self.add_input_list(inputs)?;
        Ok(self)
    }

    /// Sets an attribute; for calls in one expression.
    #[must_use]
    pub fn attr(mut self, name: &str, value: impl Into<AttrValue>) -> Self {
        self.set_attr(name, value);
        self
    }

    /// Asks for a device; for calls in one expression.
    ///
    /// # Errors
    /// As [`set_device`](Self::set_device).
    pub fn on(mut self, device: &str) -> Result<Self> {
        self.set_device(device)?;
        Ok(self)
    }

    /// Executes a call of one result.
    ///
    /// # Errors
    /// As [`execute`](Self::execute), and `InvalidArgument` when there is another number of results.
    pub fn run1(mut self) -> Result<TensorHandle> {
        let mut outputs = self.execute_if(|n| {
            ensure!(
                n == 1,
                InvalidArgument,
                "Expecting {n} outputs, but one was asked for"
            );
            Ok(())
        })?;
        outputs.pop().ok_or_else(|| err!(Internal, "no output"))
    }

    /// Executes the call.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn run(mut self) -> Result<Outputs> {
        self.execute()
    }
}

impl Clone for Op {
    /// The same call once more, with what was added so far.
    fn clone(&self) -> Self {
        Self {
            ctx: self.ctx.another(),
            call: self.call.clone(),
        }
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Op")
            .field("name", &self.name())
            .field("inputs", &self.call.inputs)
            .finish_non_exhaustive()
    }
}
