//! Discrete Fourier transforms over the last one, two or three dimensions: `FFT`, `IFFT`, and of real numbers `RFFT`,
//! `IRFFT`.

use std::sync::{Arc, OnceLock};

use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use smallvec::SmallVec;
use tfe_core::fork::Mutex;
use tfe_core::{Complex, DTypeSet, DataType, Plain, Result, Shape, Tensor, ensure, err};
use tfe_device::{
    Device, Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, RuleBuilder, dim,
};
use tfe_ops::{OpId, ops};

use tfe_host::strided::{self, Strided};
use tfe_host::{axes, cost, fill, loops, parallel, scratch, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[
    complex_fft::<1>(ops::FFT, |init| build(init, 1, false)),
    complex_fft::<2>(ops::FFT2D, |init| build(init, 2, false)),
    complex_fft::<3>(ops::FFT3D, |init| build(init, 3, false)),
    complex_fft::<1>(ops::IFFT, |init| build(init, 1, true)),
    complex_fft::<2>(ops::IFFT2D, |init| build(init, 2, true)),
    complex_fft::<3>(ops::IFFT3D, |init| build(init, 3, true)),
    real_fft(ops::RFFT, rule_of_real::<1>, |init| {
        build_real(init, 1, false)
    }),
    real_fft(ops::RFFT2D, rule_of_real::<2>, |init| {
        build_real(init, 2, false)
    }),
    real_fft(ops::RFFT3D, rule_of_real::<3>, |init| {
        build_real(init, 3, false)
    }),
    real_fft(ops::IRFFT, rule_to_real::<1>, |init| {
        build_real(init, 1, true)
    }),
    real_fft(ops::IRFFT2D, rule_to_real::<2>, |init| {
        build_real(init, 2, true)
    }),
    real_fft(ops::IRFFT3D, rule_to_real::<3>, |init| {
        build_real(init, 3, true)
    }),
];

type Build = fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>;

const COMPLEX: &[(&str, DTypeSet)] = &[("Tcomplex", DTypeSet::COMPLEX)];

const REAL: &[(&str, DTypeSet)] = &[
    ("Treal", DTypeSet::of(&[DataType::Float, DataType::Double])),
    ("Tcomplex", DTypeSet::COMPLEX),
];

const fn complex_fft<const RANK: usize>(op: OpId, build: Build) -> KernelDef {
    KernelDef::host(op, rule::<RANK>, build).of(COMPLEX)
}

const fn real_fft(op: OpId, rule: RuleBuilder, build: Build) -> KernelDef {
    KernelDef {
        types: REAL,
        host_inputs: &["fft_length"],
        ..KernelDef::host(op, rule, build)
    }
}

/// As many numbers as there were.
fn rule<const RANK: usize>(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        check_rank(call, RANK)?;
        call.set_like(0, 0);
        Ok(())
    }))
}

fn rule_of_real<const RANK: usize>(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    real_rule(op, RANK, |n| n, |n| n / 2 + 1)
}

fn rule_to_real<const RANK: usize>(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    real_rule(op, RANK, |n| n / 2 + 1, |n| n)
}

/// The last dimensions of the result are the lengths. Along the very last one, `n` real numbers are `stored(n)` elements
/// of the input and `given(n)` of the result.
fn real_rule(
    op: &OpInit<'_>,
    rank: usize,
    stored: fn(i64) -> i64,
    given: fn(i64) -> i64,
) -> Result<Box<dyn Rule>> {
    let [input, length] = op.inputs(["input", "fft_length"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        check_rank(call, rank)?;
        ensure!(
            call.dims(length)
                .is_none_or(|dims| dims == [rank as i64] || dims == [dim::UNKNOWN]),
            InvalidArgument,
            "fft_length must have shape [{rank}]"
        );
        let lengths = call.integers(length)?;
        let lengths = lengths.unwrap_or_else(|| SmallVec::from_elem(dim::UNKNOWN, rank));
        let Some(dims) = call.dims(input) else {
            return Ok(());
        };
        let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
        let first = dims.len() - rank;
        for (i, (size, &n)) in dims[first..].iter_mut().zip(&lengths).enumerate() {
            if call.value(length).is_none() {
                *size = dim::UNKNOWN;
                continue;
            }
            ensure!(
                n >= 0,
                InvalidArgument,
                "fft_length[{i}] must >= 0, but got: {n}"
            );
            let is_last = i + 1 == rank;
            let least = if is_last { stored(n) } else { n };
            ensure!(
                *size <= 0 || *size >= least,
                InvalidArgument,
                "Input dimension {} must have length of at least {least} but got: {size}",
                first + i
            );
            *size = if is_last { given(n) } else { n };
        }
        call.set(0, &dims)
    }))
}

fn check_rank(call: &Inference<'_>, rank: usize) -> Result<()> {
    call.at_least_rank(0, rank, || {
        let shape = call.shown(0);
        err!(
            InvalidArgument,
            "Input must have rank of at least {rank} but got: {shape}"
        )
    })
}

/// The transform of an input by an op over `rank` dimensions.
type Run<T> = fn(&mut KernelContext<'_>, &Transform<T>) -> Result<Tensor>;

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
        let out = run(ctx, &transform)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// The parts of complex numbers.
trait Part: FftNum + Plain + Default {}

impl Part for f32 {}
impl Part for f64 {}

/// The transform of complex numbers, of as many.
fn complex<T: Part>(ctx: &mut KernelContext<'_>, transform: &Transform<T>) -> Result<Tensor>
where
    Complex<T>: Plain,
{
    let mut out = match ctx.forward(0, &[0]) {
        Some((_, input)) => input,
        None => ctx.input(0).deep_copy()?,
    };
    let first = out.rank() - transform.rank;
    let dims: SmallVec<[usize; 3]> = (first..out.rank()).map(|i| out.shape().dim(i)).collect();
    transform.along(ctx.device(), numbers(&mut out)?, &dims, transform.rank)?;
    Ok(out)
}

/// The transform of real numbers: of the last dimension only the first half, which the second mirrors.
fn of_real<T: Part>(ctx: &mut KernelContext<'_>, transform: &Transform<T>) -> Result<Tensor>
where
    Complex<T>: Plain,
{
    let lengths = lengths(ctx)?;
    let n = lengths[lengths.len() - 1];
    let half = n / 2 + 1;
    let out = ctx.output(0)?;
    let Some(input) = cropped(ctx, &lengths, n)? else {
        return Ok(out.zeroed());
    };
    let input = input.as_slice::<T>()?;
    let plan = transform.plan(n);
    let ns = transform_cost(n) / half as f64;
    let mut out = fill(out, |dst| {
        parallel::try_write(ctx.device(), dst, half, ns, &|start, dst| {
            let mut room = scratch_of(Complex::default(), plan.get_inplace_scratch_len())?;
            let mut line: Vec<Complex<T>> = scratch(n)?;
            Ok(loops::by_blocks(dst, half, |dst, range| {
                let row = (start + range.start) / half;
                line.clear();
                line.extend(input[row * n..][..n].iter().map(|&x| Complex::from(x)));
                plan.process_with_scratch(&mut line, &mut room);
                loops::map(dst, &line[..half], |z| z)
            }))
        })
    })?;
    let dims = [&lengths[..lengths.len() - 1], &[half]].concat();
    transform.along(ctx.device(), numbers(&mut out)?, &dims, transform.rank - 1)?;
    Ok(out)
}

/// The inverse of [`of_real`].
fn to_real<T: Part>(ctx: &mut KernelContext<'_>, transform: &Transform<T>) -> Result<Tensor>
where
    Complex<T>: Plain,
{
    let lengths = lengths(ctx)?;
    let n = lengths[lengths.len() - 1];
    let half = n / 2 + 1;
    let out = ctx.output(0)?;
    let Some(mut halves) = cropped(ctx, &lengths, half)? else {
        return Ok(out.zeroed());
    };
    if transform.rank > 1 {
        let dims = [&lengths[..lengths.len() - 1], &[half]].concat();
        if !halves.is_forwardable() {
            halves = halves.deep_copy()?;
        }
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
    let ns = transform_cost(n) / n as f64;
    fill(out, |dst| {
        parallel::try_write(ctx.device(), dst, n, ns, &|start, dst| {
            let mut room = scratch_of(Complex::default(), plan.get_inplace_scratch_len())?;
            let mut line: Vec<Complex<T>> = scratch_of(Complex::default(), n)?;
            Ok(loops::by_blocks(dst, n, |dst, range| {
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
                plan.process_with_scratch(&mut line, &mut room);
                loops::map(dst, &line, |z| z.re * scale)
            }))
        })
    })
}

/// How many real numbers are transformed along each dimension.
fn lengths(ctx: &KernelContext<'_>) -> Result<SmallVec<[usize; 3]>> {
    let lengths = axes::integers(ctx.input(1))?;
    Ok(lengths.into_iter().map(|n| n as usize).collect())
}

/// The first elements of the input along each dimension that is transformed, `last` along the very last; `None` where
/// there are none.
fn cropped(ctx: &KernelContext<'_>, lengths: &[usize], last: usize) -> Result<Option<Tensor>> {
    let input = ctx.input(0);
    if input.num_elements() == 0 || lengths.contains(&0) {
        return Ok(None);
    }
    let mut dims = SmallVec::<[i64; 8]>::from_slice(input.dims());
    let first = dims.len() - lengths.len();
    for (dim, &n) in dims[first..].iter_mut().zip(lengths) {
        *dim = n as i64;
    }
    dims[first + lengths.len() - 1] = last as i64;
    let (start, size) = (dims.iter().map(|_| 0), dims.iter().map(|&d| d as usize));
    let walk = Strided::block(input.dims(), start, size);
    Ok(Some(strided::gather(
        ctx,
        input,
        &walk,
        Shape::new(&dims)?,
    )?))
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
        let piece = parallel::piece_len(device, arrays, transform_cost(size));
        let failure = OnceLock::new();
        parallel::for_pieces(device, data, piece * size, &|_, data| {
            for (axis, plan) in plans.iter().enumerate() {
                let inner = dims[axis + 1..].iter().product();
                if let Err(e) = lines(&**plan, data, inner) {
                    // The first one is enough.
                    let _ = failure.set(e);
                    return;
                }
            }
            if let Some(scale) = scale {
                data.iter_mut().for_each(|z| *z = *z * scale);
            }
        });
        failure.into_inner().map_or(Ok(()), Err)
    }
}

/// Lines that are transformed together.
const TOGETHER: usize = 16;

/// Transforms all lines of which the elements are `inner` apart.
///
/// # Errors
/// `ResourceExhausted`.
fn lines<T: FftNum>(plan: &dyn Fft<T>, data: &mut [Complex<T>], inner: usize) -> Result<()> {
    let n = plan.len();
    let zero = Complex::new(T::zero(), T::zero());
    let mut room = scratch_of(zero, plan.get_inplace_scratch_len())?;
    if inner == 1 {
        plan.process_with_scratch(data, &mut room);
        return Ok(());
    }
    let mut block = scratch_of(zero, n * TOGETHER)?;
    for data in data.chunks_exact_mut(n * inner) {
        for first in (0..inner).step_by(TOGETHER) {
            let width = TOGETHER.min(inner - first);
            let block = &mut block[..n * width];
            for (i, row) in data.chunks_exact(inner).enumerate() {
                for (j, &z) in row[first..first + width].iter().enumerate() {
                    block[j * n + i] = z;
                }
            }
            plan.process_with_scratch(block, &mut room);
            for (i, row) in data.chunks_exact_mut(inner).enumerate() {
                for (j, z) in row[first..first + width].iter_mut().enumerate() {
                    *z = block[j * n + i];
                }
            }
        }
    }
    Ok(())
}

/// Rough time for a transform of `n` numbers.
fn transform_cost(n: usize) -> f64 {
    let n = n as f64;
    cost::RANDOM_ACCESS * n * n.log2().max(1.0)
}

fn part<T: FftNum>(n: usize) -> T {
    T::from_usize(n).unwrap_or_else(T::one)
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
