//! Cast: elements as another type.
//!
//! Values that the target cannot hold come out as on x86-64, where TensorFlow was recorded: a float becomes a 32- or
//! 64-bit integer first, the most negative one when it does not fit, of which narrower types take the low bits.

use tfe_core::{DTypeSet, DataType, Result, Tensor, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::convert::{Source, Target};
use tfe_host::{cost, fill, loops, narrow, parallel, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::host(ops::CAST, rules::like::<0>, build)];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (from, to) = (init.attrs.dtype("SrcT")?, init.attrs.dtype("DstT")?);
    let truncate = init.attrs.bool("Truncate")?;
    if from == to {
        return Ok(Box::new(|ctx: &mut KernelContext<'_>| {
            let same = ctx.take_input(0);
            ctx.set_output(0, same);
            Ok(())
        }));
    }
    ensure!(
        is_supported(from, to),
        Unimplemented,
        "Cast {from} to {to} is not supported"
    );
    let (source, target) = (narrow::source(from), narrow::target(to));
    let convert = from_each(source, target, truncate && target == to)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = narrow::decode(ctx.device(), ctx.input(0), source)?;
        let cast = if source == target {
            input
        } else {
            convert(ctx, &input)?
        };
        let cast = narrow::encode(ctx.device(), &cast, to, truncate)?;
        ctx.set_output(0, cast);
        Ok(())
    }))
}

/// Numbers and truth values go to each other; 8-bit floats to all of these and from floats; 4-bit integers to and from
/// integers. Quantised types go as the integers that store them.
fn is_supported(from: DataType, to: DataType) -> bool {
    let any = TYPES.union(narrow::QUANTIZED);
    let floats = DTypeSet::FLOAT.union(narrow::FLOAT8);
    let ints = DTypeSet::INT.union(narrow::QUANTIZED).union(narrow::INT4);
    any.contains(from) && any.contains(to)
        || narrow::FLOAT8.contains(from) && any.contains(to)
        || floats.contains(from) && narrow::FLOAT8.contains(to)
        || ints.contains(from) && ints.contains(to)
}

/// What makes a tensor of one type from one of another.
type Convert = Box<dyn Fn(&KernelContext<'_>, &Tensor) -> Result<Tensor> + Send + Sync>;

macro_rules! each {
    ($dtype:expr, |$T:ident| $body:expr) => {
        dispatch!(
            $dtype,
            [
                Bool, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Half, Bfloat16,
                Float, Double, Complex64, Complex128
            ],
            |$T| $body
        )
    };
}

fn from_each(from: DataType, to: DataType, truncate: bool) -> Result<Convert> {
    each!(from, |S| to_each::<S>(to, truncate))
}

fn to_each<S: Source>(to: DataType, truncate: bool) -> Result<Convert> {
    each!(to, |D| Ok(convert::<S, D>(truncate)))
}

fn convert<S: Source, D: Target>(truncate: bool) -> Convert {
    // Bits of the source's mantissa that the target has no room for.
    let dropped = S::MANTISSA.saturating_sub(D::MANTISSA);
    // To bfloat16, TensorFlow truncates single precision only.
    let truncates = D::DTYPE != DataType::Bfloat16 || S::DTYPE == DataType::Float;
    let truncate = truncate && truncates && D::MANTISSA > 0 && dropped > 0;
    Box::new(move |ctx, input| {
        let out = ctx.allocate(D::DTYPE, input.shape().clone())?;
        let source = input.as_slice::<S>()?;
        fill(out, |dst| {
            Ok(parallel::write(
                ctx.device(),
                dst,
                1,
                cost::DIVISION,
                &|start, piece| {
                    let source = &source[start..start + piece.len()];
                    if truncate {
                        loops::map(piece, source, |x| D::of(x.truncated(dropped)))
                    } else {
                        loops::map(piece, source, D::of)
                    }
                },
            ))
        })
    })
}

#[cfg(test)]
mod tests {
    use tfe_core::{Tensor, bf16};

    use super::*;
    use crate::testing::run;

    fn cast(x: Tensor, to: DataType, truncate: bool) -> Result<Tensor> {
        let attrs = [("DstT", to.into()), ("Truncate", truncate.into())];
        Ok(run("Cast", &attrs, vec![x])?.remove(0))
    }

    #[test]
    fn what_does_not_fit_comes_out_as_on_x86() {
        let odd = [-1.0f32, f32::NAN, 300.0, f32::INFINITY, -2.9];
        let odd = || Tensor::vector(&odd).expect("a tensor");
        let to = |d| cast(odd(), d, false).expect("a cast");
        assert_eq!(
            to(DataType::Uint8).as_slice::<u8>().expect("u8"),
            [255, 0, 44, 0, 254]
        );
        assert_eq!(
            to(DataType::Int32).as_slice::<i32>().expect("i32"),
            [-1, i32::MIN, 300, i32::MIN, -2]
        );
        assert_eq!(
            to(DataType::Bool).as_slice::<bool>().expect("bool"),
            [true; 5]
        );
        let large = [
            1.8e19f64,
            -5e18,
            -1.0,
            1.9e19,
            1e30,
            f64::INFINITY,
            f64::NAN,
        ];
        let large = Tensor::vector(&large).expect("a tensor");
        let large = cast(large, DataType::Uint64, false).expect("a cast");
        let above = 1 << 63;
        assert_eq!(
            large.as_slice::<u64>().expect("u64"),
            [
                18_000_000_000_000_000_000,
                -5_000_000_000_000_000_000i64 as u64,
                u64::MAX,
                above,
                above,
                above,
                above
            ]
        );
        let text = Tensor::vector(&[tfe_core::TString::from("1")]).expect("a tensor");
        let e = cast(text, DataType::Float, false).expect_err("refused");
        assert_eq!(
            (e.code(), e.message()),
            (
                tfe_core::Code::Unimplemented,
                "Cast string to float is not supported"
            )
        );
    }

    #[test]
    fn types_of_a_few_bits_and_quantised_ones() {
        use DataType::{Float8E4m3fn, Float8E5m2, Int4, Int32, Qint8, Uint4};
        let x = [
            448.0,
            464.0,
            465.0,
            61439.0,
            61440.0,
            1e-3,
            f64::NAN,
            f64::NEG_INFINITY,
            18.0,
            18.0 + 1e-9,
            -0.3,
        ];
        let bits = |to, truncate| {
            let x = Tensor::vector(&x).expect("a tensor");
            cast(x, to, truncate)
                .expect("a cast")
                .as_bytes()
                .expect("bytes")
                .to_vec()
        };
        assert_eq!(
            bits(Float8E5m2, false),
            [95, 95, 95, 123, 124, 20, 126, 252, 76, 77, 181]
        );
        assert_eq!(
            bits(Float8E4m3fn, false),
            [126, 126, 127, 127, 127, 1, 127, 255, 89, 89, 170]
        );
        assert_eq!(
            bits(Float8E4m3fn, true),
            [126, 126, 126, 127, 127, 0, 127, 255, 89, 89, 169]
        );
        let back = cast(
            cast(
                Tensor::scalar(-0.3f32).expect("a tensor"),
                Float8E5m2,
                false,
            )
            .expect("a cast"),
            DataType::Float,
            false,
        );
        assert_eq!(
            back.expect("a cast")
                .scalar_value::<f32>()
                .expect("a float"),
            -0.3125
        );
        let ints = || Tensor::vector(&[7i32, 8, 15, 16, -9]).expect("a tensor");
        for (to, want) in [
            (Int4, [7, -8, -1, 0, 7]),
            (Uint4, [7, 8, 15, 0, 7]),
            (Qint8, [7, 8, 15, 16, -9]),
        ] {
            let there = cast(ints(), to, false).expect("a cast");
            assert_eq!(there.dtype(), to);
            assert_eq!(
                cast(there, Int32, false)
                    .expect("a cast")
                    .as_slice::<i32>()
                    .expect("ints"),
                want
            );
        }
        for to in [Float8E5m2, DataType::Int2, DataType::String] {
            assert_eq!(
                cast(ints(), to, false).expect_err("refused").code(),
                tfe_core::Code::Unimplemented
            );
        }
    }

    #[test]
    fn truncation_rounds_towards_zero() {
        let x = || Tensor::scalar(1.999_999f32).expect("a tensor");
        let half = |t| {
            cast(x(), DataType::Bfloat16, t)
                .and_then(|h| h.scalar_value::<bf16>())
                .expect("a cast")
        };
        assert_eq!(half(false).to_f32(), 2.0);
        assert_eq!(half(true).to_f32(), 1.992_187_5);
    }
}
