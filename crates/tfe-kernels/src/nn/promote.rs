//! Kernels of floating-point types that compute in `f32` or `f64`: half-precision inputs are widened first, results are
//! rounded at the end.

use smallvec::SmallVec;
use tfe_core::{DataType, Element, Plain, Result, Tensor, TensorUninit, bail, bf16, dispatch, f16};
use tfe_device::{Kernel, KernelContext};

use tfe_host::function::{Function, map};
use tfe_host::number::Half;
use tfe_host::{cost, elementwise, fill, parallel};

/// What a kernel computes from its inputs, in the order of the op: its only result.
pub(super) type Compute<S> = fn(&KernelContext<'_>, &S, &[Tensor]) -> Result<Tensor>;

/// Memory for the only result in the type that is computed in.
///
/// # Errors
/// `ResourceExhausted`.
pub(super) fn output<T: Element>(ctx: &KernelContext<'_>) -> Result<TensorUninit> {
    ctx.allocate(T::DTYPE, ctx.output_shape(0)?.clone())
}

/// A kernel that computes in a type that holds `dtype`, by a function for that type.
///
/// Its result is rounded to `dtype`.
///
/// # Errors
/// `Unimplemented` for another type.
pub(super) fn kernel<S: Send + Sync + 'static>(
    dtype: DataType,
    spec: S,
    of_f32: Compute<S>,
    of_f64: Compute<S>,
) -> Result<Box<dyn Kernel>> {
    let compute = match dtype {
        DataType::Float | DataType::Half | DataType::Bfloat16 => of_f32,
        DataType::Double => of_f64,
        other => bail!(Unimplemented, "data type {other} is not supported here"),
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let inputs = (0..ctx.num_inputs()).map(|i| widened(ctx, ctx.input(i)));
        let inputs = inputs.collect::<Result<SmallVec<[Tensor; 3]>>>()?;
        let result = narrowed(ctx, compute(ctx, &spec, &inputs)?, dtype)?;
        ctx.set_output(0, result);
        Ok(())
    }))
}

/// A kernel that computes with elements as they are.
pub(super) fn as_is<S: Send + Sync + 'static>(spec: S, compute: Compute<S>) -> Box<dyn Kernel> {
    Box::new(move |ctx: &mut KernelContext<'_>| {
        let inputs: SmallVec<[Tensor; 3]> = (0..ctx.num_inputs())
            .map(|i| ctx.input(i).clone())
            .collect();
        let result = compute(ctx, &spec, &inputs)?;
        ctx.set_output(0, result);
        Ok(())
    })
}

/// A tensor of half-precision floats as one of `f32`; any other as it is.
fn widened(ctx: &KernelContext<'_>, tensor: &Tensor) -> Result<Tensor> {
    fn of<H: Half>(ctx: &KernelContext<'_>, tensor: &Tensor) -> Result<Tensor> {
        let halves = tensor.as_slice::<H>()?;
        let out = ctx.allocate(f32::DTYPE, tensor.shape().clone())?;
        fill(out, |dst| {
            Ok(parallel::write(
                ctx.device(),
                dst,
                1,
                cost::ARITHMETIC,
                &|start, dst| H::to_f32s(&halves[start..start + dst.len()], dst),
            ))
        })
    }
    match tensor.dtype() {
        DataType::Half => of::<f16>(ctx, tensor),
        DataType::Bfloat16 => of::<bf16>(ctx, tensor),
        _ => Ok(tensor.clone()),
    }
}

/// A tensor of `f32` as one of half-precision floats, if that is what `dtype` is.
fn narrowed(ctx: &KernelContext<'_>, tensor: Tensor, dtype: DataType) -> Result<Tensor> {
    fn of<H: Half>(ctx: &KernelContext<'_>, tensor: &Tensor) -> Result<Tensor> {
        let floats = tensor.as_slice::<f32>()?;
        let out = ctx.allocate(H::DTYPE, tensor.shape().clone())?;
        fill(out, |dst| {
            Ok(parallel::write(
                ctx.device(),
                dst,
                1,
                cost::ARITHMETIC,
                &|start, dst| H::of_f32s(&floats[start..start + dst.len()], dst),
            ))
        })
    }
    match dtype {
        DataType::Half => of::<f16>(ctx, &tensor),
        DataType::Bfloat16 => of::<bf16>(ctx, &tensor),
        _ => Ok(tensor),
    }
}

/// How elements of a type become `f32`, whatever they lose.
pub(super) struct Floats(Option<Function<1>>);

impl Floats {
    /// Of elements of `dtype`.
    ///
    /// # Errors
    /// `Unimplemented` for a type that is none of real numbers.
    pub(super) fn of(dtype: DataType) -> Result<Self> {
        /// A number that becomes an `f32`.
        trait Rounded: Plain {
            fn rounded(self) -> f32;
        }
        macro_rules! rounded {
            ($($t:ty),*) => {$(
                impl Rounded for $t {
                    fn rounded(self) -> f32 {
                        self as f32
                    }
                }
            )*};
        }
        rounded!(f64, i8, i16, i32, i64, u8, u16);
        Ok(Self(match dtype {
            DataType::Float | DataType::Half | DataType::Bfloat16 => None,
            other => dispatch!(
                other,
                [Double, Int8, Int16, Int32, Int64, Uint8, Uint16],
                |T| Ok(Some(map(|x: T| x.rounded())))
            )?,
        }))
    }

    /// The tensor as one of `f32`.
    ///
    /// # Errors
    /// `ResourceExhausted`.
    pub(super) fn convert(&self, ctx: &KernelContext<'_>, tensor: &Tensor) -> Result<Tensor> {
        match &self.0 {
            Some(function) => elementwise::apply(ctx, function, tensor),
            None => widened(ctx, tensor),
        }
    }
}
