//! Functions of elements, applied to whole slices behind one type, whatever the data types.
//!
//! Elements come and go as bytes, so that whatever cuts, broadcasts and distributes work is compiled once, and half-precision
//! floats run through the loops that `f32` has anyway.

use std::mem::MaybeUninit;
use std::ops::Sub;

use tfe_core::{DTypeSet, DataType, Plain, Result, bf16, err, f16};

use crate::loops;
use crate::number::Half;

/// The loop of a function: writes its value for each place of `N` slices that have as many elements as `dst`.
type Loop<const N: usize> =
    dyn for<'a> Fn(&'a mut [MaybeUninit<u8>], [&[u8]; N]) -> &'a mut [u8] + Send + Sync;

/// A function of `N` elements.
pub struct Function<const N: usize> {
    from: DataType,
    to: DataType,
    run: Box<Loop<N>>,
}

/// A closure that loops can be made of.
pub trait Closure: Copy + Send + Sync + 'static {}
impl<F: Copy + Send + Sync + 'static> Closure for F {}

levels! {
    fn mapped['a, T: Plain, R: Plain, F: Fn(T) -> R](
        f: F, dst: &'a mut [MaybeUninit<R>], a: &[T]
    ) -> &'a mut [R] {
        loops::map(dst, a, f)
    }
}
levels! {
    /// Writes the exponentials of the elements of a row less a number.
    pub fn exponentials['a, T: Plain + Sub<Output = T>, F: Fn(T) -> T](
        dst: &'a mut [MaybeUninit<T>], row: &[T], less: T, exp: F
    ) -> &'a mut [T] {
        loops::map(dst, row, |x| exp(x - less))
    }
}
levels! {
    fn zipped['a, T: Plain, R: Plain, F: Fn(T, T) -> R](
        f: F, dst: &'a mut [MaybeUninit<R>], a: &[T], b: &[T]
    ) -> &'a mut [R] {
        loops::zip(dst, a, b, f)
    }
}

/// Whether the baseline of the target is not good enough for loops over elements of that type: those that programs
/// compute in. Others are copied once only.
const fn has_levels(dtype: DataType) -> bool {
    matches!(
        dtype,
        DataType::Float | DataType::Double | DataType::Int32 | DataType::Int64
    )
}

/// `f` of each element.
pub fn map<T: Plain, R: Plain>(f: impl Fn(T) -> R + Closure) -> Function<1> {
    Function::new(T::DTYPE, R::DTYPE, move |dst, [a]| {
        let (dst, a) = (loops::slots(dst), loops::elements(a));
        loops::written(if const { has_levels(T::DTYPE) } {
            mapped(f, dst, a)
        } else {
            loops::map(dst, a, f)
        })
    })
}

/// `f` of each element that it reaches, `far` of the others: a loop that vectorises, and a second one where it has to be.
pub fn map_within<T: Plain>(
    reaches: impl Fn(T) -> bool + Closure,
    f: impl Fn(T) -> T + Closure,
    far: impl Fn(T) -> T + Closure,
) -> Function<1> {
    Function::new(T::DTYPE, T::DTYPE, move |dst, [a]| {
        let a = loops::elements(a);
        let values = mapped(f, loops::slots(dst), a);
        if !a.iter().all(|&a| reaches(a)) {
            for (value, &a) in values.iter_mut().zip(a) {
                if !reaches(a) {
                    *value = far(a);
                }
            }
        }
        loops::written(values)
    })
}

/// `f` of each pair of elements.
pub fn zip<T: Plain, R: Plain>(f: impl Fn(T, T) -> R + Closure) -> Function<2> {
    Function::new(T::DTYPE, R::DTYPE, move |dst, [a, b]| {
        let (dst, a, b) = (loops::slots(dst), loops::elements(a), loops::elements(b));
        loops::written(if const { has_levels(T::DTYPE) } {
            zipped(f, dst, a, b)
        } else {
            loops::zip(dst, a, b, f)
        })
    })
}

/// Whether each element is such.
pub fn test<T: Plain>(f: impl Fn(T) -> bool + Closure) -> Function<1> {
    map(move |a: T| u8::from(f(a))).giving(DataType::Bool)
}

/// Whether each pair of elements is such.
pub fn compare<T: Plain>(f: impl Fn(T, T) -> bool + Closure) -> Function<2> {
    zip(move |a: T, b: T| u8::from(f(a, b))).giving(DataType::Bool)
}

impl Function<2> {
    /// The function of the same elements in the other order.
    pub fn swapped(self) -> Self {
        let run = self.run;
        Self::new(self.from, self.to, move |dst, [a, b]| run(dst, [b, a]))
    }
}

impl<const N: usize> Function<N> {
    /// A function from elements of one type to those of another by its loop.
    pub fn new(
        from: DataType,
        to: DataType,
        run: impl for<'a> Fn(&'a mut [MaybeUninit<u8>], [&[u8]; N]) -> &'a mut [u8]
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let run = Box::new(run);
        Self { from, to, run }
    }

    /// The same function, whose values are of a type that is stored as its own.
    pub fn giving(self, to: DataType) -> Self {
        debug_assert_eq!(to.size(), self.to.size());
        Self { to, ..self }
    }

    /// The type of its values.
    pub fn to(&self) -> DataType {
        self.to
    }

    /// Writes the value for each place.
    #[inline]
    pub fn run<'a>(&self, dst: &'a mut [MaybeUninit<u8>], inputs: [&[u8]; N]) -> &'a mut [u8] {
        (self.run)(dst, inputs)
    }

    /// The function on elements of `dtype`: they are widened to what it takes, and its values narrowed as much.
    pub fn on(self, dtype: DataType) -> Self {
        let Some(widening) = Widening::of(dtype).filter(|_| dtype != self.from) else {
            return self;
        };
        let wide = self.on(widening.to);
        let (narrow, to) = widening.back(wide.to);
        let sizes = [widening.to.size(), dtype.size(), wide.to.size(), to.size()];
        let run = wide.run;
        let [wide, own, wide_value, value] = sizes;
        Self::new(dtype, to, move |dst, inputs| {
            let mut buffers = [const { Scratch::new() }; N];
            let mut values = const { Scratch::new() };
            // Values of 16 bytes fill the buffers soonest.
            let block = SCRATCH / wide.max(wide_value);
            loops::by_blocks(dst, block * value, |dst, range| {
                let (start, n) = (range.start / value, dst.len() / value);
                let mut buffers = buffers.each_mut().into_iter();
                let inputs = inputs.map(|input| {
                    let buffer = buffers.next().expect("a buffer for each");
                    let input = &input[start * own..][..n * own];
                    &*(widening.run)(&mut buffer.0[..n * wide], input)
                });
                match narrow {
                    Some(narrow) => narrow(dst, run(&mut values.0[..n * wide_value], inputs)),
                    None => run(dst, inputs),
                }
            })
        })
    }
}

/// Bytes of a buffer on the stack: small enough that several stay in the first-level cache.
pub const SCRATCH: usize = 4096;

/// Such a buffer.
#[repr(C, align(64))]
pub struct Scratch(pub [MaybeUninit<u8>; SCRATCH]);

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Scratch {
    /// Memory that nothing was written to.
    pub const fn new() -> Self {
        Self([MaybeUninit::uninit(); SCRATCH])
    }
}

/// Converts elements, given as bytes.
type Convert = for<'a> fn(&'a mut [MaybeUninit<u8>], &[u8]) -> &'a mut [u8];

/// One step from a type to the next wider one.
#[derive(Clone, Copy)]
struct Widening {
    from: DataType,
    to: DataType,
    run: Convert,
}

impl Widening {
    fn of(from: DataType) -> Option<Self> {
        let (to, run): (_, Convert) = match from {
            DataType::Half => (DataType::Float, |dst, src| {
                loops::written(f16::to_f32s(loops::elements(src), loops::slots(dst)))
            }),
            DataType::Bfloat16 => (DataType::Float, |dst, src| {
                loops::written(bf16::to_f32s(loops::elements(src), loops::slots(dst)))
            }),
            DataType::Float => (DataType::Double, |dst, src| {
                loops::written(f32s_to_f64s(loops::slots(dst), loops::elements(src)))
            }),
            // Real and imaginary parts are numbers like others.
            DataType::Complex64 => (DataType::Complex128, |dst, src| {
                loops::written(f32s_to_f64s(loops::slots(dst), loops::elements(src)))
            }),
            _ => return None,
        };
        Some(Self { from, to, run })
    }

    /// How values of type `wide` are narrowed, and to what: as much as elements were widened; not at all if they are no
    /// floats.
    fn back(&self, wide: DataType) -> (Option<Convert>, DataType) {
        let singles: Convert =
            |dst, src| loops::written(f64s_to_f32s(loops::slots(dst), loops::elements(src)));
        match (self.from, wide) {
            (DataType::Half, DataType::Float) => (
                Some(|dst, src| {
                    loops::written(f16::of_f32s(loops::elements(src), loops::slots(dst)))
                }),
                DataType::Half,
            ),
            (DataType::Bfloat16, DataType::Float) => (
                Some(|dst, src| {
                    loops::written(bf16::of_f32s(loops::elements(src), loops::slots(dst)))
                }),
                DataType::Bfloat16,
            ),
            (_, DataType::Double) => (Some(singles), DataType::Float),
            (_, DataType::Complex128) => (Some(singles), DataType::Complex64),
            (_, other) => (None, other),
        }
    }
}

levels! {
    fn f32s_to_f64s['a](dst: &'a mut [MaybeUninit<f64>], src: &[f32]) -> &'a mut [f64] {
        loops::map(dst, src, f64::from)
    }
}
levels! {
    fn f64s_to_f32s['a](dst: &'a mut [MaybeUninit<f32>], src: &[f64]) -> &'a mut [f32] {
        loops::map(dst, src, |x| x as f32)
    }
}

/// The narrowest type of `among` that elements of `dtype` can be widened to; `dtype` itself if there is none.
pub fn computed_in(dtype: DataType, among: DTypeSet) -> DataType {
    let mut wide = Some(dtype);
    while let Some(candidate) = wide {
        if among.contains(candidate) {
            return candidate;
        }
        wide = Widening::of(candidate).map(|w| w.to);
    }
    dtype
}

/// Of functions of several types the one for elements of `dtype`: of the narrowest type that they can be widened to.
///
/// # Errors
/// `Unimplemented` when there is none.
pub fn choose<const N: usize, const M: usize>(
    dtype: DataType,
    functions: [Function<N>; M],
) -> Result<Function<N>> {
    let wide = computed_in(dtype, functions.iter().map(|f| f.from).collect());
    let chosen = functions.into_iter().find(|f| f.from == wide);
    let function =
        chosen.ok_or_else(|| err!(Unimplemented, "data type {dtype} is not supported here"))?;
    Ok(function.on(dtype))
}

/// As `dispatch!`, for functions: `body` is one of elements of type `T`, which is the type of a list that elements of the
/// run-time dtype are widened to. The function that comes out takes elements of that dtype.
///
/// The list has to be given in full, `[Float, Double]`, or by the name of a class: `Float`, `Int`, `Signed`, `Real`,
/// `Number`.
#[macro_export]
macro_rules! function {
    ($dtype:expr, Float, |$T:ident| $body:expr) => {
        $crate::function!($dtype, [Float, Double], |$T| $body)
    };
    ($dtype:expr, Int, |$T:ident| $body:expr) => {
        $crate::function!(
            $dtype, [Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64], |$T| $body)
    };
    ($dtype:expr, Signed, |$T:ident| $body:expr) => {
        $crate::function!($dtype, [Float, Double, Int8, Int16, Int32, Int64], |$T| $body)
    };
    ($dtype:expr, Real, |$T:ident| $body:expr) => {
        $crate::function!(
            $dtype,
            [Float, Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64],
            |$T| $body)
    };
    ($dtype:expr, Number, |$T:ident| $body:expr) => {
        $crate::function!(
            $dtype,
            [Float, Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Complex64,
             Complex128],
            |$T| $body)
    };
    ($dtype:expr, [$($variant:ident),*], |$T:ident| $body:expr) => {{
        let dtype: ::tfe_core::DataType = $dtype;
        let among = ::tfe_core::DTypeSet::of(&[$(::tfe_core::DataType::$variant),*]);
        ::tfe_core::dispatch!(
            $crate::function::computed_in(dtype, among),
            [$($variant),*],
            |$T| ::tfe_core::Result::Ok($body.on(dtype)))
    }};
}
