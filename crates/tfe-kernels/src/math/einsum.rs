//! `Einsum`: sums of products over labelled dimensions, as sums, products of matrices and transpositions.

use std::ops::Range;

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, PartialShape, Result, Shape, Tensor, dispatch, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use super::equation::{Equation, Label};
use tfe_host::batch_product::product;
use tfe_host::elementwise::Elementwise;
use tfe_host::function::zip;
use tfe_host::number::Number;
use tfe_host::strided::{self, Strided};
use tfe_host::{accumulate, axes, cost};

pub(super) const KERNELS: &[KernelDef] =
    &[KernelDef::host(ops::EINSUM, rule, build).of(&[("T", TYPES)])];

const TYPES: DTypeSet = DTypeSet::FLOAT
    .union(DTypeSet::COMPLEX)
    .union(DTypeSet::INDEX);

type Labels = SmallVec<[Label; 8]>;

/// What multiplies the elements, and the matrices, of two tensors.
struct Products {
    of_elements: Elementwise<2>,
    of_matrices: ProductOfMatrices,
}

/// The products of the matrices in the last two dimensions, each of them transposed first if asked for.
type ProductOfMatrices = fn(&KernelContext<'_>, &Tensor, &Tensor, [bool; 2]) -> Result<Tensor>;

/// The sizes of the labels of the output.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (equation, inputs) = (equation(op)?, op.list("inputs")?);
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let dims = inputs.clone().map(|i| call.dims(i));
        let Some(dims) = dims.collect::<Option<SmallVec<[_; 2]>>>() else {
            return Ok(());
        };
        let Sizes { output, sizes, .. } = Sizes::new(&equation, &dims)?;
        let dims: SmallVec<[i64; 8]> = output.iter().map(|label| size(&sizes, label)).collect();
        call.set(0, &dims)
    }))
}

fn equation(op: &OpInit<'_>) -> Result<Equation> {
    let equation = Equation::parse(op.attrs.str("equation")?)?;
    let (inputs, given) = (equation.num_inputs(), op.attrs.int("N")?);
    ensure!(
        inputs as i64 == given,
        InvalidArgument,
        "Expected {inputs} inputs but got: {given}"
    );
    Ok(equation)
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (equation, inputs) = (equation(init)?, init.list("inputs")?);
    let dtype = init.attrs.dtype("T")?;
    let products = Products {
        of_elements: Elementwise::new(
            function!(
                dtype,
                [Float, Double, Int32, Int64, Complex64, Complex128],
                |T| zip(T::times)
            )?,
            cost::ARITHMETIC,
        ),
        of_matrices: of_matrices(dtype)?,
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let out = compute(ctx, &equation, inputs.clone(), &products)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn of_matrices(dtype: DataType) -> Result<ProductOfMatrices> {
    dispatch!(
        dtype,
        [
            Half, Bfloat16, Float, Double, Int32, Int64, Complex64, Complex128
        ],
        |T| Ok(product::<T> as ProductOfMatrices)
    )
}

/// An input with its labels.
struct Operand<'t> {
    tensor: &'t Tensor,
    /// A label a dimension; some may be the same.
    labels: Labels,
}

fn compute(
    ctx: &KernelContext<'_>,
    equation: &Equation,
    inputs: Range<usize>,
    products: &Products,
) -> Result<Tensor> {
    let inputs: SmallVec<[&Tensor; 2]> = ctx.input_range(inputs).collect();
    let dims: SmallVec<[&[i64]; 2]> = inputs.iter().map(|input| input.dims()).collect();
    let Sizes {
        inputs: labels,
        output,
        sizes,
    } = Sizes::new(equation, &dims)?;
    let operands: SmallVec<[Operand<'_>; 2]> = inputs
        .into_iter()
        .zip(labels)
        .map(|(tensor, labels)| Operand { tensor, labels })
        .collect();
    let once = distinct(&output);
    let (labels, result) = match &operands[..] {
        [operand] => (once.clone(), operand.arranged(ctx, &once)?),
        [x, y] => {
            // The product has what is only in its first factor first.
            let has = |operand: &Operand<'_>, label| operand.labels.contains(label);
            let alone = once.iter().find(|label| has(x, label) != has(y, label));
            match alone.is_some_and(|label| has(y, label)) {
                true => multiply(ctx, [y, x], &once, products)?,
                false => multiply(ctx, [x, y], &once, products)?,
            }
        }
        _ => return Err(err!(Internal, "an equation of {} inputs", operands.len())),
    };
    let size = |label: &Label| size(&sizes, label);
    let dims: SmallVec<[i64; 8]> = once.iter().map(size).collect();
    let result = Operand {
        tensor: &result.reshaped(Shape::new(
            &labels.iter().map(size).collect::<SmallVec<[i64; 8]>>(),
        )?)?,
        labels,
    };
    let result = result.arranged(ctx, &once)?.reshaped(Shape::new(&dims)?)?;
    if once.len() == output.len() {
        return Ok(result);
    }
    let dims: SmallVec<[i64; 8]> = output.iter().map(size).collect();
    on_diagonal(ctx, &result, &once, &output, Shape::new(&dims)?)
}

/// The product of two operands, with its labels: those in both, of the first, of the second.
fn multiply(
    ctx: &KernelContext<'_>,
    [x, y]: [&Operand<'_>; 2],
    output: &Labels,
    products: &Products,
) -> Result<(Labels, Tensor)> {
    let [in_x, in_y] = [x, y].map(|operand| distinct(&operand.labels));
    let of = |labels: &Labels, wanted: &dyn Fn(&Label) -> bool| -> Labels {
        labels
            .iter()
            .copied()
            .filter(|label| wanted(label))
            .collect()
    };
    let kept = |label: &Label| output.contains(label);
    let both = of(&in_x, &|l| kept(l) && in_y.contains(l));
    let summed = of(&in_x, &|l| !kept(l) && in_y.contains(l));
    let [of_x, of_y] = [(&in_x, &in_y), (&in_y, &in_x)]
        .map(|(own, other)| of(own, &|l| kept(l) && !other.contains(l)));
    let labels: Labels = [&both[..], &of_x, &of_y].concat().into();
    // Rows and columns that are one dimension each, after those of `both`.
    let matrices = |operand: &Operand<'_>, own: &Labels, turned: bool| -> Result<(Tensor, bool)> {
        let order = |turned: bool| -> Labels {
            let [rows, cols] = if turned {
                [&summed, own]
            } else {
                [own, &summed]
            };
            [&both[..], rows, cols].concat().into()
        };
        // As they lie, if that is one of both ways.
        let turned = match operand.labels == order(!turned) {
            true => !turned,
            false => turned,
        };
        let arranged = operand.arranged(ctx, &order(turned))?;
        let n = both.len();
        let size = |dims: &[i64]| dims.iter().product::<i64>();
        let rows = if turned { summed.len() } else { own.len() };
        let (first, last) = arranged.dims()[n..].split_at(rows);
        let dims = [&arranged.dims()[..n], &[size(first), size(last)]].concat();
        Ok((arranged.reshaped(Shape::new(&dims)?)?, turned))
    };
    let ((x, x_turned), (y, y_turned)) = (matrices(x, &of_x, false)?, matrices(y, &of_y, true)?);
    if !summed.is_empty() {
        // A factor that is not turned has what is summed last.
        let out = (products.of_matrices)(ctx, &x, &y, [x_turned, !y_turned])?;
        return Ok((labels, out));
    }
    // Nothing is summed, so a column and a row: [..., m, 1] times [..., 1, n].
    let as_matrix = |t: &Tensor, turn: bool| -> Result<Tensor> {
        let (batch, last) = t.dims().split_at(t.rank() - 2);
        let n = last[0] * last[1];
        let last = if turn { [1, n] } else { [n, 1] };
        t.reshaped(Shape::new(&[batch, &last].concat())?)
    };
    let out = products
        .of_elements
        .values(ctx, [&as_matrix(&x, false)?, &as_matrix(&y, true)?])?;
    Ok((labels, out))
}

impl Operand<'_> {
    /// The sums over all labels but those of `order`, in that order; repeated labels stand for diagonals. Labels that are
    /// not there have dimensions of 1.
    fn arranged(&self, ctx: &KernelContext<'_>, order: &Labels) -> Result<Tensor> {
        let strides = strided::strides(self.tensor.dims());
        let mut all = order.clone();
        all.extend(
            distinct(&self.labels)
                .into_iter()
                .filter(|label| !order.contains(label)),
        );
        let walk: SmallVec<[(usize, isize); 8]> = all
            .iter()
            .map(|label| {
                let places = (0..self.labels.len()).filter(|&i| self.labels[i] == *label);
                let start = (1, 0);
                places.fold(start, |(_, stride), i| {
                    (self.tensor.shape().dim(i), stride + strides[i])
                })
            })
            .collect();
        let dims: SmallVec<[i64; 8]> = walk.iter().map(|&(len, _)| len as i64).collect();
        let walk = Strided::new(walk, 0);
        let all_in_order = strided::gather(ctx, self.tensor, &walk, Shape::new(&dims)?)?;
        if all.len() == order.len() {
            return Ok(all_in_order);
        }
        let summed: SmallVec<[i64; 8]> = (order.len() as i64..all.len() as i64).collect();
        accumulate::sum(ctx, &all_in_order, &summed)
    }
}

/// Each label once, in the order of their first appearance.
fn distinct(labels: &[Label]) -> Labels {
    let mut once = Labels::new();
    for &label in labels {
        if !once.contains(&label) {
            once.push(label);
        }
    }
    once
}

/// The labels of the dimensions of each input and of the output, and their sizes.
struct Sizes {
    inputs: SmallVec<[Labels; 2]>,
    output: Labels,
    sizes: SizeOfLabel,
}

type SizeOfLabel = SmallVec<[(Label, i64); 8]>;

impl Sizes {
    /// Those of an equation for inputs of these dimensions, of which some may be unknown.
    ///
    /// # Errors
    /// `InvalidArgument` when sizes differ, other than by broadcasting within an ellipsis; those of [`Equation::labels`]
    /// and [`Equation::output`].
    fn new(equation: &Equation, dims: &[&[i64]]) -> Result<Self> {
        let labels = dims.iter().enumerate();
        let labels = labels.map(|(i, dims)| equation.labels(i, dims.len()));
        let inputs = labels.collect::<Result<SmallVec<[Labels; 2]>>>()?;
        let output = equation.output(inputs.iter().map(|labels| &labels[..]))?;
        let mut sizes = SizeOfLabel::new();
        for (labels, dims) in inputs.iter().zip(dims) {
            for (axis, (&label, &d)) in labels.iter().zip(*dims).enumerate() {
                let Some((_, size)) = sizes.iter_mut().find(|(l, _)| *l == label) else {
                    sizes.push((label, d));
                    continue;
                };
                let both = match (label, *size, d) {
                    (Label::Ellipsis(_), 1, _) => Some(d),
                    (Label::Ellipsis(_), _, 1) => Some(*size),
                    _ => dim::merge(*size, d),
                };
                *size = both.ok_or_else(|| {
                    err!(
                        InvalidArgument,
                        "Expected dimension {size} at axis {axis} of the input shaped {} but got dimension {d}",
                        PartialShape::of(dims)
                    )
                })?;
            }
        }
        Ok(Self {
            inputs,
            output,
            sizes,
        })
    }
}

/// The size of a label; 1 where no dimension has it.
fn size(sizes: &SizeOfLabel, label: &Label) -> i64 {
    let mut sizes = sizes.iter();
    sizes.find(|(l, _)| l == label).map_or(1, |&(_, d)| d)
}

/// The tensor that has the elements of another where the dimensions with the same label agree, and is zero elsewhere.
fn on_diagonal(
    ctx: &KernelContext<'_>,
    tensor: &Tensor,
    labels: &Labels,
    output: &Labels,
    shape: Shape,
) -> Result<Tensor> {
    let strides = strided::strides(shape.dims());
    let step = |label: &Label| -> isize {
        let places = (0..output.len()).filter(|&i| output[i] == *label);
        places.map(|i| strides[i]).sum()
    };
    let steps: SmallVec<[isize; 8]> = labels.iter().map(step).collect();
    let mut out = ctx.allocate(tensor.dtype(), shape)?.zeroed();
    let width = tensor.dtype().size();
    let elements = tensor.as_bytes()?.chunks_exact(width);
    let data = out
        .as_mut_bytes()
        .ok_or_else(|| err!(Internal, "fresh memory is shared"))?;
    let mut index: SmallVec<[i64; 8]> = SmallVec::from_elem(0, labels.len());
    for (i, element) in elements.enumerate() {
        axes::index_of(i, tensor.dims(), &mut index);
        let at = index
            .iter()
            .zip(&steps)
            .map(|(&i, &step)| i as usize * step as usize);
        let at = at.sum::<usize>() * width;
        data[at..at + width].copy_from_slice(element);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;

    #[test]
    fn unknown_sizes_are_those_of_other_inputs() {
        let check = |equation: &str, dims: [&[i64]; 2], want: &[i64]| {
            let equation = Equation::parse(equation).expect("an equation");
            let found = Sizes::new(&equation, &dims).expect("they fit");
            let got = found.output.iter().map(|label| size(&found.sizes, label));
            assert_eq!(got.collect::<Vec<_>>(), want);
        };
        check("ij,jk->ik", [&[2, -1], &[3, -1]], &[2, -1]);
        check("ij,jk->ikj", [&[2, -1], &[3, -1]], &[2, -1, 3]);
        check("...j,...j->...j", [&[-1, 1, 4], &[5, -1, 4]], &[5, -1, 4]);
        let equation = Equation::parse("ij,jk->ik").expect("an equation");
        assert!(Sizes::new(&equation, &[&[-1, 2], &[3, -1]]).is_err());
    }

    #[test]
    fn many_products_of_nothing_take_no_time() {
        let empty = |dims: &[i64]| Tensor::from_slice::<f32>(dims, &[]).expect("a tensor");
        let product = |equation: &str, dims: [&[i64]; 2]| {
            let attrs = [
                ("equation", equation.into()),
                ("N", 2i64.into()),
                ("T", DataType::Float.into()),
            ];
            let out = run("Einsum", &attrs, dims.map(empty).into());
            out.map(|out| out[0].dims().to_vec())
        };
        let out = product("abc,abx->acx", [&[1 << 40, 0, 2], &[1 << 40, 0, 0]]);
        assert_eq!(out.expect("nothing"), [1 << 40, 2, 0]);
        let e = product("abc,abx->acx", [&[1 << 40, 0, 2], &[1 << 40, 0, 2]]);
        assert_eq!(
            e.expect_err("zeros without end").code(),
            tfe_core::Code::ResourceExhausted
        );
    }
}
