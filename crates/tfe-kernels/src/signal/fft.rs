//! Discrete Fourier transforms over the last one, two or three dimensions: `FFT`, `IFFT`, and of real numbers `RFFT`,
//! `IRFFT`.

use std::sync::Arc;

use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use smallvec::SmallVec;
use tfe_core::fork::Mutex;
use tfe_core::{Complex, DTypeSet, DataType, Element, Plain, Result, Shape, Tensor, ensure, err};
use tfe_device::{Device, Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::strided::{self, Strided};
use tfe_host::{axes, fill, loops, parallel};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::FFT, |init| build(init, 1, false)).of(COMPLEX),
    KernelDef::cpu(ops::FFT2D, |init| build(init, 2, false)).of(COMPLEX),
    KernelDef::cpu(ops::FFT3D, |init| build(init, 3, false)).of(COMPLEX),
    KernelDef::cpu(ops::IFFT, |init| build(init, 1, true)).of(COMPLEX),
    KernelDef::cpu(ops::IFFT2D, |init| build(init, 2, true)).of(COMPLEX),
    KernelDef::cpu(ops::IFFT3D, |init| build(init, 3, true)).of(COMPLEX),
    real(KernelDef::cpu(ops::RFFT, |init| build_real(init, 1, false))),
    real(KernelDef::cpu(ops::RFFT2D, |init| {
        build_real(init, 2, false)
    })),
    real(KernelDef::cpu(ops::RFFT3D, |init| {
        build_real(init, 3, false)
    })),
    real(KernelDef::cpu(ops::IRFFT, |init| build_real(init, 1, true))),
    real(KernelDef::cpu(ops::IRFFT2D, |init| {
        build_real(init, 2, true)
    })),
    real(KernelDef::cpu(ops::IRFFT3D, |init| {
        build_real(init, 3, true)
    })),
];

const COMPLEX: &[(&str, DTypeSet)] = &[("Tcomplex", DTypeSet::COMPLEX)];

const REAL: &[(&str, DTypeSet)] = &[
    ("Treal", DTypeSet::of(&[DataType::Float, DataType::Double])),
    ("Tcomplex", DTypeSet::COMPLEX),
];

const fn real(kernel: KernelDef) -> KernelDef {
    KernelDef {
        types: REAL,
        host_inputs: &["fft_length"],
        ..kernel
    }
}

/// The transform of an input by an op over `rank` dimensions.
type Run<T> = fn(&KernelContext<'_>, &Transform<T>, &Tensor, Option<&Tensor>) -> Result<Tensor>;

/// What transforms are made with, and the plans that were used last.
struct Transform<T: FftNum> {
    rank: usize,
    direction: FftDirection,
    plans: Mutex<Vec<Plan<T>>>,
}

type Plan<T> = Arc<dyn Fft<T>>;

/// Plans that are kept, and the numbers that they are for in all, if there are several: a plan has tables about as long
/// as its transform.
const PLANS: usize = 16;
const PLANNED: usize = 1 << 20;

fn build(init: &KernelInit<'_>, rank: usize, inverse: bool) -> Result<Box<dyn Kernel>> {
    Ok(match init.attrs.dtype("Tcomplex")? {
        DataType::Complex64 => kernel::<f32>(rank, inverse, complex),
        _ => kernel::<f64>(rank, inverse, complex),
    })
}

fn build_real(init: &KernelInit<'_>, rank: usize, inverse: bool) -> Result<Box<dyn Kernel>> {
    let (real, complex) = (init.attrs.dtype("Treal")?, init.attrs.dtype("Tcomplex")?);
    match (real, complex) {
        (DataType::Float, DataType::Complex64) => {
            let run = if inverse { to_real } else { of_real };
            Ok(kernel::<f32>(rank, inverse, run))
        }
        (DataType::Double, DataType::Complex128) => {
            let run = if inverse { to_real } else { of_real };
            Ok(kernel::<f64>(rank, inverse, run))
        }
        _ => Err(err!(
            InvalidArgument,
            "Wrong types for a real FFT: {real} and {complex}"
        )),
    }
}

fn kernel<T: FftNum>(rank: usize, inverse: bool, run: Run<T>) -> Box<dyn Kernel> {
    let transform = Transform {
        rank,
        direction: match inverse {
            true => FftDirection::Inverse,
            false => FftDirection::Forward,
        },
        plans: Mutex::new(Vec::new()),
    };
    Box::new(move |ctx: &mut KernelContext<'_>| {
        let length = (ctx.num_inputs() > 1).then(|| ctx.input(1));
        let out = run(ctx, &transform, ctx.input(0), length)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// The parts of complex numbers.
trait Part: FftNum + Plain + Default {}

impl Part for f32 {}
impl Part for f64 {}

/// The transform of complex numbers, of as many.
fn complex<T: Part>(
    ctx: &KernelContext<'_>,
    transform: &Transform<T>,
    input: &Tensor,
    _: Option<&Tensor>,
) -> Result<Tensor>
where
    Complex<T>: Plain,
{
    let rank = transform.rank_of(input)?;
    let dims = sizes(&input.dims()[rank - transform.rank..]);
    let mut out = input.deep_copy()?;
    transform.along(ctx.device(), numbers(&mut out)?, &dims, transform.rank)?;
    Ok(out)
}

/// The transform of real numbers: of the last dimension only the first half, which the second mirrors.
fn of_real<T: Part>(
    ctx: &KernelContext<'_>,
    transform: &Transform<T>,
    input: &Tensor,
    length: Option<&Tensor>,
) -> Result<Tensor>
where
    Complex<T>: Plain,
{
    let lengths = transform.lengths(input, length, |n| n)?;
    let n = lengths[lengths.len() - 1];
    let half = n / 2 + 1;
    let shape = transform.shape(input, &lengths, half)?;
    let zeros = |shape: Shape| Ok(ctx.allocate(<Complex<T>>::DTYPE, shape)?.zeroed());
    let Some(input) = transform.cropped(ctx, input, &lengths, n)? else {
        return zeros(shape);
    };
    let input = input.as_slice::<T>()?;
    let plan = transform.plan(n);
    let out = ctx.allocate(<Complex<T>>::DTYPE, shape)?;
    let ns = cost(n) / half as f64;
    let mut out = fill(out, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            half,
            ns,
            &|start, dst| {
                let mut scratch = vec![Complex::default(); plan.get_inplace_scratch_len()];
                let mut line: Vec<Complex<T>> = Vec::with_capacity(n);
                loops::by_blocks(dst, half, |dst, range| {
                    let row = (start + range.start) / half;
                    line.clear();
                    line.extend(input[row * n..][..n].iter().map(|&x| Complex::from(x)));
                    plan.process_with_scratch(&mut line, &mut scratch);
                    loops::map(dst, &line[..half], |z| z)
                })
            },
        ))
    })?;
    let dims = [&lengths[..lengths.len() - 1], &[half]].concat();
    transform.along(ctx.device(), numbers(&mut out)?, &dims, transform.rank - 1)?;
    Ok(out)
}

/// The inverse of [`of_real`].
fn to_real<T: Part>(
    ctx: &KernelContext<'_>,
    transform: &Transform<T>,
    input: &Tensor,
    length: Option<&Tensor>,
) -> Result<Tensor>
where
    Complex<T>: Plain,
{
    let lengths = transform.lengths(input, length, |n| n / 2 + 1)?;
    let n = lengths[lengths.len() - 1];
    let half = n / 2 + 1;
    let shape = transform.shape(input, &lengths, n)?;
    let Some(mut halves) = transform.cropped(ctx, input, &lengths, half)? else {
        return Ok(ctx.allocate(T::DTYPE, shape)?.zeroed());
    };
    if transform.rank > 1 {
        let dims = [&lengths[..lengths.len() - 1], &[half]].concat();
        halves = halves.deep_copy()?;
        transform.along(
            ctx.device(),
            numbers(&mut halves)?,
            &dims,
            transform.rank - 1,
        )?;
    }
    let halves = halves.as_slice::<Complex<T>>()?;
    let plan = transform.plan(n);
    let scale = T::one() / part::<T>(n);
    let ns = cost(n) / n as f64;
    fill(ctx.allocate(T::DTYPE, shape)?, |dst| {
        Ok(parallel::write(ctx.device(), dst, n, ns, &|start, dst| {
            let mut scratch = vec![Complex::default(); plan.get_inplace_scratch_len()];
            let mut line: Vec<Complex<T>> = vec![Complex::default(); n];
            loops::by_blocks(dst, n, |dst, range| {
                let row = (start + range.start) / n;
                let given = &halves[row * half..][..half];
                line[..half].copy_from_slice(given);
                for i in half..n {
                    line[i] = given[n - i].conj();
                }
                // What has to be its own mirror image is real.
                line[0].im = T::zero();
                if n.is_multiple_of(2) {
                    line[n / 2].im = T::zero();
                }
                plan.process_with_scratch(&mut line, &mut scratch);
                loops::map(dst, &line, |z| z.re * scale)
            })
        }))
    })
}

impl<T: FftNum> Transform<T> {
    fn plan(&self, n: usize) -> Plan<T> {
        let mut plans = self.plans.lock();
        let known = plans.iter().position(|plan| plan.len() == n);
        let plan = match known {
            Some(i) => plans.remove(i),
            None => FftPlanner::new().plan_fft(n, self.direction),
        };
        plans.push(Arc::clone(&plan));
        // The one that was used last is at the end, and stays whatever its length is.
        let planned = |plans: &[Plan<T>]| plans.iter().map(|plan| plan.len()).sum::<usize>();
        while plans.len() > PLANS || plans.len() > 1 && planned(&plans) > PLANNED {
            plans.remove(0);
        }
        plan
    }

    /// The rank of an input, which has at least as many dimensions as are transformed.
    fn rank_of(&self, input: &Tensor) -> Result<usize> {
        ensure!(
            input.rank() >= self.rank,
            InvalidArgument,
            "Input must have rank of at least {} but got: {}",
            self.rank,
            input.shape()
        );
        Ok(input.rank())
    }

    /// How many real numbers are transformed along each dimension; the last has `stored` elements for them.
    fn lengths(
        &self,
        input: &Tensor,
        length: Option<&Tensor>,
        stored: fn(usize) -> usize,
    ) -> Result<SmallVec<[usize; 3]>> {
        let rank = self.rank_of(input)?;
        let given = length.filter(|t| t.rank() == 1 && t.num_elements() == self.rank);
        let given = given.ok_or_else(|| {
            err!(
                InvalidArgument,
                "fft_length must have shape [{}]",
                self.rank
            )
        })?;
        let mut lengths = SmallVec::new();
        for (i, n) in axes::integers(given)?.into_iter().enumerate() {
            let n = usize::try_from(n)
                .map_err(|_| err!(InvalidArgument, "fft_length[{i}] must >= 0, but got: {n}"))?;
            let least = if i + 1 == self.rank { stored(n) } else { n };
            let axis = rank - self.rank + i;
            let size = input.shape().dim(axis);
            ensure!(
                size == 0 || size >= least,
                InvalidArgument,
                "Input dimension {axis} must have length of at least {least} but got: {size}"
            );
            lengths.push(n);
        }
        Ok(lengths)
    }

    /// The shape of an input with other dimensions last: these lengths, but for the very last.
    fn shape(&self, input: &Tensor, lengths: &[usize], last: usize) -> Result<Shape> {
        let mut dims = input.dims()[..input.rank() - self.rank].to_vec();
        dims.extend(lengths[..lengths.len() - 1].iter().map(|&n| n as i64));
        dims.push(last as i64);
        Shape::new(&dims)
    }

    /// The first elements of an input along each dimension that is transformed; `None` where there are none.
    fn cropped(
        &self,
        ctx: &KernelContext<'_>,
        input: &Tensor,
        lengths: &[usize],
        last: usize,
    ) -> Result<Option<Tensor>> {
        if input.num_elements() == 0 || lengths.contains(&0) {
            return Ok(None);
        }
        let shape = self.shape(input, lengths, last)?;
        let start = std::iter::repeat_n(0, input.rank());
        let size = (0..input.rank()).map(|i| shape.dim(i));
        let walk = Strided::block(input.dims(), start, size);
        Ok(Some(strided::gather(ctx, input, &walk, shape)?))
    }

    /// Transforms the first `count` dimensions of arrays of size `dims` that lie one after the other.
    fn along(
        &self,
        device: &dyn Device,
        data: &mut [Complex<T>],
        dims: &[usize],
        count: usize,
    ) -> Result<()> {
        let size: usize = dims.iter().product();
        if data.is_empty() || count == 0 {
            return Ok(());
        }
        let plans: SmallVec<[_; 3]> = dims[..count].iter().map(|&n| self.plan(n)).collect();
        let all: usize = dims[..count].iter().product();
        let scale =
            matches!(self.direction, FftDirection::Inverse).then(|| T::one() / part::<T>(all));
        let arrays = data.len() / size;
        let piece = parallel::piece_len(device, arrays, cost(size));
        parallel::for_pieces(device, data, piece * size, &|_, data| {
            for (axis, plan) in plans.iter().enumerate() {
                let inner = dims[axis + 1..].iter().product();
                lines(&**plan, data, inner);
            }
            if let Some(scale) = scale {
                data.iter_mut().for_each(|z| *z = *z * scale);
            }
        });
        Ok(())
    }
}

/// Lines that are transformed together.
const TOGETHER: usize = 16;

/// Transforms all lines of which the elements are `inner` apart.
fn lines<T: FftNum>(plan: &dyn Fft<T>, data: &mut [Complex<T>], inner: usize) {
    let n = plan.len();
    let zero = Complex::new(T::zero(), T::zero());
    let mut scratch = vec![zero; plan.get_inplace_scratch_len()];
    if inner == 1 {
        return plan.process_with_scratch(data, &mut scratch);
    }
    let mut block = vec![zero; n * TOGETHER];
    for data in data.chunks_exact_mut(n * inner) {
        for first in (0..inner).step_by(TOGETHER) {
            let width = TOGETHER.min(inner - first);
            let block = &mut block[..n * width];
            for (i, row) in data.chunks_exact(inner).enumerate() {
                for (j, &z) in row[first..first + width].iter().enumerate() {
                    block[j * n + i] = z;
                }
            }
            plan.process_with_scratch(block, &mut scratch);
            for (i, row) in data.chunks_exact_mut(inner).enumerate() {
                for (j, z) in row[first..first + width].iter_mut().enumerate() {
                    *z = block[j * n + i];
                }
            }
        }
    }
}

/// Rough time for a transform of `n` numbers.
fn cost(n: usize) -> f64 {
    let n = n as f64;
    2.0 * n * n.log2().max(1.0)
}

fn part<T: FftNum>(n: usize) -> T {
    T::from_usize(n).unwrap_or_else(T::one)
}

fn sizes(dims: &[i64]) -> SmallVec<[usize; 3]> {
    dims.iter().map(|&d| d as usize).collect()
}

fn numbers<T: Part>(tensor: &mut Tensor) -> Result<&mut [Complex<T>]>
where
    Complex<T>: Plain,
{
    tensor
        .as_mut_slice::<Complex<T>>()
        .ok_or_else(|| err!(Internal, "fresh memory is shared"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_plans_are_kept() {
        let transform = Transform::<f32> {
            rank: 1,
            direction: FftDirection::Forward,
            plans: Mutex::new(Vec::new()),
        };
        let kept = || -> Vec<usize> {
            let plans = transform.plans.lock();
            plans.iter().map(|plan| plan.len()).collect()
        };
        for n in 1..100 {
            assert_eq!(transform.plan(n).len(), n);
        }
        assert_eq!(kept(), (84..100).collect::<Vec<_>>());
        transform.plan(90);
        assert_eq!(kept().last(), Some(&90));
        transform.plan(PLANNED);
        assert_eq!(kept(), [PLANNED]);
        transform.plan(8);
        assert_eq!(kept(), [8]);
    }
}
