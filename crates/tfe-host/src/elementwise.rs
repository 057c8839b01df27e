//! Kernels that apply a function to each element, or to the elements at each place of several broadcast inputs.

use std::mem::MaybeUninit;

use tfe_core::{DataType, Result, Tensor, ensure, err};
use tfe_device::{Device, Kernel, KernelContext, KernelInit};

use crate::broadcast::Broadcast;
use crate::broadcast_blocks::{self, Feed};
use crate::function::{self, Function, Scratch};
use crate::{cost, fill_bytes, loops, parallel};

/// Up to so many elements of one shape, broadcasting and threads are skipped.
const SHORT: usize = 16;
/// A kernel that writes a function of the elements at each place of `N` broadcast inputs.
pub struct Elementwise<const N: usize> {
    function: Function<N>,
    element_ns: f64,
    check: Option<Check>,
}

/// What is wrong with an input, whatever the others are.
pub type Check = fn(&Tensor) -> Result<()>;

/// A kernel without further checks.
///
/// `element_ns` is a rough estimate of what one element costs, to decide on threads.
pub fn kernel<const N: usize>(function: Function<N>, element_ns: f64) -> Box<dyn Kernel> {
    Box::new(Elementwise::new(function, element_ns))
}

/// The kernel of an op with one type attribute, `T`, by one of several functions: see [`function::choose`].
///
/// # Errors
/// `Unimplemented` when none of them takes elements of that type.
pub fn chosen<const N: usize, const M: usize>(
    init: &KernelInit<'_>,
    functions: [Function<N>; M],
    element_ns: f64,
) -> Result<Box<dyn Kernel>> {
    let function = function::choose(init.attrs.dtype("T")?, functions)?;
    Ok(kernel(function, element_ns))
}

/// A tensor of the values of a function, for kernels that prepare an input.
///
/// # Errors
/// `ResourceExhausted` when there is no memory.
pub fn apply(ctx: &KernelContext<'_>, function: &Function<1>, input: &Tensor) -> Result<Tensor> {
    readable(input)?;
    let (width, to) = (input.dtype().size(), function.to());
    let elements = input.as_bytes()?;
    let out = ctx.allocate(to, input.shape().clone())?;
    // Functions that only convert, which is all that is asked for.
    let ns = cost::DIVISION / to.size() as f64;
    fill_bytes(out, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            to.size(),
            ns,
            &|start, dst| {
                let (start, n) = (start / to.size(), dst.len() / to.size());
                function.run(dst, [&elements[start * width..][..n * width]])
            },
        ))
    })
}

impl<const N: usize> Kernel for Elementwise<N> {
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        let elements = ctx.output_shape(0)?.num_elements();
        // Inputs with as many elements as the output have them in its order, whatever dimensions of 1 there are.
        if elements > SHORT || !(0..N).all(|k| ctx.input(k).num_elements() == elements) {
            let fitted = Broadcast::new(std::array::from_fn(|k| ctx.input(k).shape()))?;
            return self.run(ctx, &fitted);
        }
        // Scalars and the like, where every nanosecond shows.
        self.check(ctx, elements)?;
        let out = ctx.output(0)?;
        let inputs = inputs(ctx)?;
        let out = fill_bytes(out, |dst| Ok(self.function.run(dst, inputs)))?;
        ctx.set_output(0, out);
        Ok(())
    }
}

impl<const N: usize> Elementwise<N> {
    /// The kernel of that function, whose elements take about `element_ns` nanoseconds each.
    pub fn new(function: Function<N>, element_ns: f64) -> Self {
        Self {
            function,
            element_ns,
            check: None,
        }
    }

    /// With a check of the last input, unless the output is empty.
    pub fn checked(self, check: Check) -> Self {
        Self {
            check: Some(check),
            ..self
        }
    }

    fn check(&self, ctx: &KernelContext<'_>, elements: usize) -> Result<()> {
        for k in 0..N {
            readable(ctx.input(k))?;
        }
        match self.check {
            Some(check) if elements > 0 => check(ctx.input(N - 1)),
            _ => Ok(()),
        }
    }

    /// Writes the output, whose shape and whose relation to the inputs is `fitted`.
    ///
    /// # Errors
    /// Those of the check; `ResourceExhausted` when there is no memory.
    pub fn run(&self, ctx: &mut KernelContext<'_>, fitted: &Broadcast<N>) -> Result<()> {
        self.check(ctx, fitted.shape.num_elements())?;
        let widths = std::array::from_fn(|k| ctx.input(k).dtype().size());
        let task = self.task(ctx.device(), fitted, widths);
        let all: [usize; N] = std::array::from_fn(|k| k);
        let out = match ctx.forward(0, &all) {
            Some((k, mut out)) => {
                let mut inputs = [None; N];
                for other in (0..N).filter(|&other| other != k) {
                    inputs[other] = Some(ctx.input(other).as_bytes()?);
                }
                task.write_over(&mut out, k, inputs)?;
                out
            }
            None => {
                let out = ctx.output(0)?;
                let given = inputs(ctx)?;
                fill_bytes(out, |dst| Ok(task.write(dst, given)))?
            }
        };
        ctx.set_output(0, out);
        Ok(())
    }
}

impl<const N: usize> Elementwise<N> {
    fn task<'t>(
        &'t self,
        device: &'t dyn Device,
        fitted: &'t Broadcast<N>,
        widths: [usize; N],
    ) -> Task<'t, N> {
        Task {
            function: &self.function,
            fitted,
            widths,
            value_width: self.function.to().size(),
            device,
            element_ns: self.element_ns,
        }
    }

    /// The tensor that comes of others than the kernel's inputs.
    ///
    /// # Errors
    /// `InvalidArgument` when they do not fit together; `ResourceExhausted`.
    pub fn values(&self, ctx: &KernelContext<'_>, of: [&Tensor; N]) -> Result<Tensor> {
        let fitted = Broadcast::new(of.map(Tensor::shape))?;
        let mut given = [&[][..]; N];
        for (given, tensor) in given.iter_mut().zip(of) {
            readable(tensor)?;
            *given = tensor.as_bytes()?;
        }
        let widths = of.map(|tensor| tensor.dtype().size());
        let task = self.task(ctx.device(), &fitted, widths);
        let out = ctx.allocate(self.function.to(), fitted.shape.clone())?;
        fill_bytes(out, |dst| Ok(task.write(dst, given)))
    }
}

/// The bytes of all inputs.
fn inputs<'c, const N: usize>(ctx: &'c KernelContext<'_>) -> Result<[&'c [u8]; N]> {
    let mut all = [&[][..]; N];
    for (k, input) in all.iter_mut().enumerate() {
        *input = ctx.input(k).as_bytes()?;
    }
    Ok(all)
}

/// Checks that the bytes of a tensor are elements, each at its place.
fn readable(tensor: &Tensor) -> Result<()> {
    if tensor.dtype() == DataType::Bool {
        tensor.as_slice::<bool>()?;
    }
    // The parts of a complex number are what has to be aligned.
    let align = tensor.dtype().size().min(8);
    ensure!(
        tensor.data_ptr().addr().is_multiple_of(align),
        Internal,
        "a {} tensor is not aligned to its elements",
        tensor.dtype()
    );
    Ok(())
}

/// One run of a kernel.
struct Task<'t, const N: usize> {
    function: &'t Function<N>,
    fitted: &'t Broadcast<N>,
    /// Bytes of an element of each input, and of a value.
    widths: [usize; N],
    value_width: usize,
    device: &'t dyn Device,
    element_ns: f64,
}

impl<const N: usize> Task<'_, N> {
    fn is_dense(&self) -> bool {
        (0..N).all(|k| self.fitted.is_dense(k))
    }

    /// Elements at whose multiples work may be cut, for one thread or another.
    fn unit(&self) -> usize {
        if self.is_dense() {
            1
        } else {
            broadcast_blocks::unit(self.fitted)
        }
    }

    /// Writes the whole output.
    fn write<'a>(&self, dst: &'a mut [MaybeUninit<u8>], inputs: [&[u8]; N]) -> &'a mut [u8] {
        let width = self.value_width;
        let unit = self.unit() * width;
        let ns = self.element_ns / width as f64;
        if dst.is_empty() {
            return loops::repeat(dst, 0);
        }
        parallel::write(self.device, dst, unit, ns, &|start, dst| {
            if self.is_dense() {
                let (start, n) = (start / width, dst.len() / width);
                let part = |k: usize| &inputs[k][start * self.widths[k]..][..n * self.widths[k]];
                return self.function.run(dst, std::array::from_fn(part));
            }
            let mut memory = [const { Scratch::new() }; N];
            let place = start / width..(start + dst.len()) / width;
            let mut feed = Feed::new(
                self.fitted,
                self.widths,
                inputs.map(Some),
                place,
                &mut memory,
            );
            loops::by_prefixes(dst, |rest| {
                let n = feed.block(rest.len() / width);
                self.function.run(&mut rest[..n * width], feed.next(n))
            })
        })
    }

    /// Writes the whole output over input `k`, which is as large, and the only one that is not given.
    fn write_over(&self, out: &mut Tensor, k: usize, inputs: [Option<&[u8]>; N]) -> Result<()> {
        let data = out
            .as_mut_bytes()
            .ok_or_else(|| err!(Internal, "a forwarded input is shared"))?;
        if data.is_empty() {
            return Ok(());
        }
        let width = self.value_width;
        let unit = self.unit();
        let units = (data.len() / width).div_ceil(unit);
        let piece = parallel::piece_len(self.device, units, self.element_ns * unit as f64);
        parallel::for_pieces(self.device, data, piece * unit * width, &|start, data| {
            let mut memory = [const { Scratch::new() }; N];
            let place = start / width..(start + data.len()) / width;
            let mut feed = Feed::new(self.fitted, self.widths, inputs, place, &mut memory);
            // By way of a buffer, so that there is one loop for all memory, and it knows that nothing overlaps.
            let mut values = const { Scratch::new() };
            let mut rest = data;
            while !rest.is_empty() {
                let n = feed.block(rest.len() / width);
                let (block, after) = rest.split_at_mut(n * width);
                let mut elements = feed.next(n);
                elements[k] = block;
                let done = self.function.run(&mut values.0[..n * width], elements);
                block.copy_from_slice(done);
                rest = after;
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tfe_core::{Code, bf16};

    use super::*;
    use crate::axes;
    use crate::function::zip;
    use crate::{rules, testing};

    /// The value of a function of broadcast inputs, as the kernel of an op gives it.
    fn run(function: Function<2>, inputs: Vec<Tensor>) -> Result<Tensor> {
        let to = function.to();
        testing::compute(
            kernel(function, 50.0),
            Box::new(rules::broadcast_inputs),
            inputs,
            to,
        )
    }

    fn counted(dims: &[i64]) -> Tensor {
        let n = dims.iter().product::<i64>();
        Tensor::from_iter(dims, (0..n as i32).map(|i| i * 7 + 1)).expect("a tensor")
    }

    /// Element `index` (of the output) of a broadcast input.
    fn element(input: &Tensor, out: &[i64], index: &[i64]) -> i32 {
        let skip = out.len() - input.rank();
        let at = input
            .dims()
            .iter()
            .zip(&index[skip..])
            .fold(0, |at, (&d, &i)| at * d + i.min(d - 1));
        input.as_slice::<i32>().expect("int32")[at as usize]
    }

    #[test]
    fn every_way_through_agrees_with_one_element_at_a_time() {
        // Slow enough for several threads from 2000 elements on.
        let function = || zip(|a: i32, b: i32| a.wrapping_mul(1000).wrapping_sub(b));
        let check = |a: &[i64], b: &[i64], shared: bool| {
            let (a, b) = (counted(a), counted(b));
            let keep = shared.then(|| (a.clone(), b.clone()));
            let reference = (a.deep_copy().expect("copy"), b.deep_copy().expect("copy"));
            let out = run(function(), vec![a, b]).expect("a result");
            let (dims, got) = (out.dims(), out.as_slice::<i32>().expect("int32"));
            let mut index = vec![0; dims.len()];
            for (i, &got) in got.iter().enumerate() {
                axes::index_of(i, dims, &mut index);
                let [x, y] = [&reference.0, &reference.1].map(|t| element(t, dims, &index));
                assert_eq!(
                    got,
                    x.wrapping_mul(1000).wrapping_sub(y),
                    "{reference:?} at {index:?}"
                );
            }
            drop(keep);
        };
        let shapes: &[(&[i64], &[i64])] = &[
            (&[], &[]),
            (&[3], &[3]),
            (&[700], &[700]),
            (&[1], &[]),
            (&[700], &[1]),
            (&[0, 3], &[3]),
            (&[40, 3], &[3]),
            (&[400, 3], &[400, 1]),
            (&[5, 1, 4], &[3, 1]),
            (&[2, 3, 4, 5], &[3, 1, 5]),
            (&[7, 50], &[50]),
            (&[7, 1], &[1, 50]),
            (&[3, 1, 40], &[1, 4, 1]),
            (&[100, 50], &[100, 50]),
            (&[100, 50], &[100, 1]),
            (&[3000, 3], &[3]),
            (&[2, 1, 2, 1, 2, 1, 2, 1], &[1, 2, 1, 2, 1, 2, 1, 2]),
        ];
        for (a, b) in shapes {
            for shared in [false, true] {
                check(a, b, shared);
                check(b, a, shared);
            }
        }
    }

    #[test]
    fn halves_are_rounded_once() {
        let one = |x: f32, n: i64| {
            Tensor::from_iter(&[n], std::iter::repeat_n(bf16::from_f32(x), n as usize))
                .expect("a tensor")
        };
        for (n, m) in [(1, 1), (600, 600), (600, 1), (1, 600)] {
            let inputs = vec![one(256.0, n), one(1.0, m)];
            let out = run(zip(|a: f32, b: f32| a + b).on(DataType::Bfloat16), inputs);
            let out = out.expect("a result");
            // 257 lies between 256 and 258: the tie goes to the even one.
            assert!(
                out.as_slice::<bf16>()
                    .expect("bf16")
                    .iter()
                    .all(|&v| v == bf16::from_f32(256.0))
            );
        }
    }

    #[test]
    fn shapes_that_do_not_fit_are_told() {
        let inputs = vec![counted(&[2]), counted(&[3])];
        let e = run(zip(|a: i32, _| a), inputs).expect_err("shapes");
        assert_eq!(
            (e.code(), e.message()),
            (Code::InvalidArgument, "Incompatible shapes: [2] vs. [3]")
        );
    }
}
