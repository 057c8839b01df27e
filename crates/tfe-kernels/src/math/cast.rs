//! Cast: elements as another type.
//!
//! Values that the target cannot hold come out as on x86-64, where TensorFlow was recorded: a float becomes a 32- or
//! 64-bit integer first, the most negative one when it does not fit, of which narrower types take the low bits.
#![expect(
    trivial_numeric_casts,
    reason = "macros cast every type to every type, some to themselves"
)]

use tfe_core::{
    Complex, Complex64, Complex128, DTypeSet, DataType, Plain, Result, Tensor, bf16, dispatch,
    ensure, f16,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use crate::host::{fill, loops, parallel, small};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    ..KernelDef::cpu(ops::CAST, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool]));

/// Rough time for an element, for cutting work into pieces.
const ELEMENT_NS: f64 = 0.5;

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
    let (source, target) = (small::source(from), small::target(to));
    let convert = from_each(source, target, truncate && target == to)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = small::decode(ctx.device(), ctx.input(0), source)?;
        let cast = if source == target {
            input
        } else {
            convert(ctx, &input)?
        };
        let cast = small::encode(ctx.device(), &cast, to, truncate)?;
        ctx.set_output(0, cast);
        Ok(())
    }))
}

/// Numbers and truth values go to each other; 8-bit floats to all of these and from floats; 4-bit integers to and from
/// integers. Quantised types go as the integers that store them.
fn is_supported(from: DataType, to: DataType) -> bool {
    let any = TYPES.union(small::QUANTIZED);
    let floats = DTypeSet::FLOAT.union(small::FLOAT8);
    let ints = DTypeSet::INT.union(small::QUANTIZED).union(small::INT4);
    any.contains(from) && any.contains(to)
        || small::FLOAT8.contains(from) && any.contains(to)
        || floats.contains(from) && small::FLOAT8.contains(to)
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
                ELEMENT_NS,
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

/// A type to cast from, by way of one of four types that hold all its values.
trait Source: Plain {
    type Middle: Middle;
    /// Bits of the mantissa, 0 for what is no float.
    const MANTISSA: u32;

    fn middle(self) -> Self::Middle;

    /// Whether it is another value than zero.
    #[inline(always)]
    fn is_true(self) -> bool {
        self.middle().to()
    }

    /// The value with the lowest bits of its mantissa cleared.
    fn truncated(self, _bits: u32) -> Self {
        self
    }
}

/// `i32`, `i64`, `u64`, `f32`, `f64` or complex numbers of these: the narrow ones too, since loops over them vectorise.
///
/// Single precision is one of them because denormals, which arithmetic flushes to zero, stay what they are where a cast
/// only moves bits.
trait Middle: Copy {
    fn to<D: Target>(self) -> D;
}

/// A type to cast to.
trait Target: Plain {
    /// Bits of the mantissa, 0 for what is no float.
    const MANTISSA: u32;

    fn of_i64(x: i64) -> Self;
    #[inline(always)]
    fn of_i32(x: i32) -> Self {
        Self::of_i64(x.into())
    }
    fn of_u64(x: u64) -> Self;
    fn of_f64(x: f64) -> Self;
    #[inline(always)]
    fn of_f32(x: f32) -> Self {
        Self::of_f64(x.into())
    }
    #[inline(always)]
    fn of_complex64(x: Complex64) -> Self {
        Self::of_f32(x.re)
    }
    /// The cast of any element.
    #[inline(always)]
    fn of<S: Source>(x: S) -> Self {
        x.middle().to()
    }
    #[inline(always)]
    fn of_complex(x: Complex128) -> Self {
        Self::of_f64(x.re)
    }
}

impl Middle for i32 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_i32(self)
    }
}
impl Middle for i64 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_i64(self)
    }
}
impl Middle for u64 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_u64(self)
    }
}
impl Middle for f64 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_f64(self)
    }
}
impl Middle for f32 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_f32(self)
    }
}
impl Middle for Complex64 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_complex64(self)
    }
}
impl Middle for Complex128 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_complex(self)
    }
}

macro_rules! sources {
    ($($t:ty, $middle:ty, $mantissa:expr, |$x:ident| $widen:expr $(, |$y:ident, $bits:ident| $truncate:expr)?;)*) => {$(
        impl Source for $t {
            type Middle = $middle;
            const MANTISSA: u32 = $mantissa;
            #[inline(always)]
            fn middle(self) -> $middle {
                let $x = self;
                $widen
            }
            $(fn truncated(self, $bits: u32) -> Self {
                let $y = self;
                $truncate
            })?
        }
    )*};
}
fn cut32(x: f32, bits: u32) -> f32 {
    f32::from_bits(x.to_bits() >> bits << bits)
}
fn cut64(x: f64, bits: u32) -> f64 {
    f64::from_bits(x.to_bits() >> bits << bits)
}
sources! {
    bool, i32, 0, |x| x.into();
    i8, i32, 0, |x| x.into();
    i16, i32, 0, |x| x.into();
    i32, i32, 0, |x| x;
    i64, i64, 0, |x| x;
    u8, i32, 0, |x| x.into();
    u16, i32, 0, |x| x.into();
    u32, u64, 0, |x| x.into();
    u64, u64, 0, |x| x;
    f16, f32, 10, |x| x.to_f32(), |x, bits| f16::from_bits(x.to_bits() >> bits << bits);

    f32, f32, 23, |x| x, |x, bits| cut32(x, bits);
    f64, f64, 52, |x| x, |x, bits| cut64(x, bits);
    Complex64, Complex64, 23, |x| x,
        |x, bits| Complex::new(cut32(x.re, bits), cut32(x.im, bits));
    Complex128, Complex128, 52, |x| x, |x, bits| Complex::new(cut64(x.re, bits), cut64(x.im, bits));
}

impl Source for bf16 {
    type Middle = f32;
    const MANTISSA: u32 = 7;
    #[inline(always)]
    fn middle(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
    /// By its bits: a denormal is true, unlike one of single precision.
    fn is_true(self) -> bool {
        self.to_bits() & 0x7fff != 0
    }
}

// Conversions come before the question whether they fit: selecting between two results vectorises, a branch does not.

/// As `cvttsd2si` with a 32-bit result.
#[inline(always)]
fn to_i32(x: f64) -> i32 {
    let fitting = x as i32;
    if x > -2_147_483_649.0 && x < 2_147_483_648.0 {
        fitting
    } else {
        i32::MIN
    }
}

/// As `cvttss2si` with a 32-bit result.
#[inline(always)]
fn f32_to_i32(x: f32) -> i32 {
    let fitting = x as i32;
    if x < 2_147_483_648.0 {
        fitting
    } else {
        i32::MIN
    }
}

#[inline(always)]
fn f32_to_i64(x: f32) -> i64 {
    to_i64(x.into())
}

#[inline(always)]
fn f32_to_u64(x: f32) -> u64 {
    to_u64(x.into())
}

/// As `cvttsd2si` with a 64-bit result.
#[inline(always)]
fn to_i64(x: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x) {
        x as i64
    } else {
        i64::MIN
    }
}

/// As compilers make it of two conversions to signed numbers.
#[inline(always)]
fn to_u64(x: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    if x < HALF {
        to_i64(x) as u64
    } else {
        to_i64(x - HALF) as u64 ^ 1 << 63
    }
}

macro_rules! integers {
    ($($t:ty, $by:ident, $by_f32:ident;)*) => {$(
        impl Target for $t {
            const MANTISSA: u32 = 0;
            #[inline(always)]
            fn of_i32(x: i32) -> Self {
                x as Self
            }
            #[inline(always)]
            fn of_f32(x: f32) -> Self {
                $by_f32(x) as Self
            }
            #[inline(always)]
            fn of_i64(x: i64) -> Self {
                x as Self
            }
            #[inline(always)]
            fn of_u64(x: u64) -> Self {
                x as Self
            }
            #[inline(always)]
            fn of_f64(x: f64) -> Self {
                $by(x) as Self
            }
        }
    )*};
}
integers! {
    i8, to_i32, f32_to_i32; i16, to_i32, f32_to_i32; i32, to_i32, f32_to_i32;
    u8, to_i32, f32_to_i32; u16, to_i32, f32_to_i32;
    i64, to_i64, f32_to_i64; u32, to_i64, f32_to_i64; u64, to_u64, f32_to_u64;
}

macro_rules! floats {
    ($($t:ty, $mantissa:expr, |$x:ident| $of_float:expr;)*) => {$(
        impl Target for $t {
            const MANTISSA: u32 = $mantissa;
            #[inline(always)]
            fn of_i32(x: i32) -> Self {
                let $x = x;
                $of_float
            }
            #[inline(always)]
            fn of_i64(x: i64) -> Self {
                let $x = x;
                $of_float
            }
            #[inline(always)]
            fn of_u64(x: u64) -> Self {
                let $x = x;
                $of_float
            }
            #[inline(always)]
            fn of_f64(x: f64) -> Self {
                let $x = x;
                $of_float
            }
            #[inline(always)]
            fn of_f32(x: f32) -> Self {
                let $x = x;
                $of_float
            }
        }
    )*};
}
impl Target for f32 {
    const MANTISSA: u32 = 23;
    #[inline(always)]
    fn of_i32(x: i32) -> Self {
        x as Self
    }
    #[inline(always)]
    fn of_i64(x: i64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn of_u64(x: u64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn of_f64(x: f64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn of_f32(x: f32) -> Self {
        x
    }
}
floats! {
    f64, 52, |x| x as f64;
    // Through single precision, as TensorFlow rounds.
    f16, 10, |x| f16::from_f32(x as f32);
    bf16, 7, |x| bf16::from_f32(x as f32);
}

impl Target for bool {
    const MANTISSA: u32 = 0;
    #[inline(always)]
    fn of<S: Source>(x: S) -> Self {
        x.is_true()
    }
    fn of_i64(x: i64) -> Self {
        x != 0
    }
    fn of_u64(x: u64) -> Self {
        x != 0
    }
    fn of_f64(x: f64) -> Self {
        x != 0.0
    }
}

macro_rules! complexes {
    ($($t:ty, $part:ty, $mantissa:expr;)*) => {$(
        impl Target for $t {
            const MANTISSA: u32 = $mantissa;
            fn of_i64(x: i64) -> Self {
                Complex::new(x as $part, 0.0)
            }
            fn of_u64(x: u64) -> Self {
                Complex::new(x as $part, 0.0)
            }
            fn of_f64(x: f64) -> Self {
                Complex::new(x as $part, 0.0)
            }
            fn of_f32(x: f32) -> Self {
                Complex::new(x as $part, 0.0)
            }
            fn of_complex64(x: Complex64) -> Self {
                Complex::new(x.re as $part, x.im as $part)
            }
            fn of_complex(x: Complex128) -> Self {
                Complex::new(x.re as $part, x.im as $part)
            }
        }
    )*};
}
complexes! {
    Complex64, f32, 23;
    Complex128, f64, 52;
}

#[cfg(test)]
mod tests {
    use tfe_core::Tensor;

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
