//! When a tensor is as good as another: equal, or within a tolerance.

use tfe_core::{Complex128, Tensor, dispatch};

use crate::values::{Values, values};

/// How far a result may be from what is wanted: `atol + rtol * |wanted|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Share of the wanted value.
    pub rtol: f64,
    /// Distance whatever the value.
    pub atol: f64,
}

impl Tolerance {
    /// A share of the wanted value only.
    pub const fn relative(rtol: f64) -> Self {
        Self { rtol, atol: 0.0 }
    }

    /// Nothing but infinity is near infinity.
    fn allows(self, distance: f64, wanted: f64) -> bool {
        wanted.is_finite() && distance <= self.atol + self.rtol * wanted
    }
}

/// Says in one line where `got` is not what was wanted; `None` when it is as good.
///
/// Data types and shapes must be equal. NaN equals NaN, and -0 equals 0. The tolerance is for floats and complex
/// numbers only; complex numbers are compared by the distance in the plane. Elements that are no numbers or strings
/// are compared by their bytes, handles and variants by what they print.
pub fn difference(want: &Tensor, got: &Tensor, tolerance: Option<Tolerance>) -> Option<String> {
    if want.dtype() != got.dtype() {
        return Some(format!(
            "data type {}, wanted {}",
            got.dtype(),
            want.dtype()
        ));
    }
    if want.shape() != got.shape() {
        return Some(format!("shape {}, wanted {}", got.shape(), want.shape()));
    }
    if !got.is_host() || !want.is_host() {
        return Some("device memory cannot be compared".to_owned());
    }
    match (values(want), values(got)) {
        (Ok(want), Ok(got)) => difference_of_values(&want, &got, tolerance),
        _ => match (want.as_bytes(), got.as_bytes()) {
            (Ok(want), Ok(got)) => first(want, got, |w, g| w == g),
            _ => first(&printed(want), &printed(got), |w, g| w == g),
        },
    }
}

/// What the elements of a tensor without plain bytes print.
fn printed(tensor: &Tensor) -> Vec<String> {
    let elements = dispatch!(tensor.dtype(), [String, Resource, Variant], |T| {
        tensor
            .as_slice::<T>()
            .map(|v| v.iter().map(|e| format!("{e:?}")).collect())
    });
    elements.unwrap_or_default()
}

fn difference_of_values(
    want: &Values,
    got: &Values,
    tolerance: Option<Tolerance>,
) -> Option<String> {
    let real = |w: &f64, g: &f64| {
        w == g
            || (w.is_nan() && g.is_nan())
            || tolerance.is_some_and(|t| t.allows((w - g).abs(), w.abs()))
    };
    let complex = |w: &Complex128, g: &Complex128| {
        let same = |w: f64, g: f64| w == g || (w.is_nan() && g.is_nan());
        (same(w.re, g.re) && same(w.im, g.im))
            || tolerance.is_some_and(|t| {
                let nan = |c: &Complex128| c.re.is_nan() || c.im.is_nan();
                (nan(w) && nan(g)) || t.allows((w - g).norm(), w.norm())
            })
    };
    match (want, got) {
        (Values::Int(want), Values::Int(got)) => first(want, got, |w, g| w == g),
        (Values::Float(want), Values::Float(got)) => first(want, got, real),
        (Values::Complex(want), Values::Complex(got)) => first(want, got, complex),
        (Values::Text(want), Values::Text(got)) => {
            let escaped = |v: &[Vec<u8>]| -> Vec<String> {
                v.iter().map(|s| s.escape_ascii().to_string()).collect()
            };
            first(&escaped(want), &escaped(got), |w, g| w == g)
        }
        _ => Some("values of unlike kinds".to_owned()),
    }
}

/// The first element that differs, and how many do.
fn first<T: std::fmt::Debug>(
    want: &[T],
    got: &[T],
    same: impl Fn(&T, &T) -> bool,
) -> Option<String> {
    let mut wrong = want
        .iter()
        .zip(got)
        .enumerate()
        .filter(|(_, (w, g))| !same(w, g));
    let (i, (w, g)) = wrong.next()?;
    let others = wrong.count();
    Some(format!(
        "element {i} is {g:?}, wanted {w:?} ({} of {} wrong)",
        others + 1,
        want.len()
    ))
}

#[cfg(test)]
mod tests {
    use tfe_core::{Complex64, Element, TString};

    use super::*;

    fn differ<T: Element>(want: &[T], got: &[T], tolerance: Option<Tolerance>) -> bool {
        let tensor = |v| Tensor::vector(v).expect("memory");
        difference(&tensor(want), &tensor(got), tolerance).is_some()
    }

    #[test]
    fn without_tolerance_only_nan_and_zero_are_special() {
        assert!(!differ(
            &[f32::NAN, 0.0, 1.0],
            &[-f32::NAN, -0.0, 1.0],
            None
        ));
        assert!(differ(&[1.0f32], &[1.0f32.next_up()], None));
        assert!(differ(&[f32::NAN], &[1.0], None));
        assert!(differ(&[f32::INFINITY], &[f32::NEG_INFINITY], None));
        assert!(differ(&[i64::MAX], &[i64::MAX - 1], None));
        assert!(differ(&[TString::from("a")], &[TString::from("b")], None));
        let nan = Complex64::new(f32::NAN, 1.0);
        assert!(!differ(&[nan], &[nan], None));
        assert!(differ(&[nan], &[Complex64::new(1.0, f32::NAN)], None));
        assert!(differ(&[1i32], &[1i32, 2], None));
    }

    #[test]
    fn a_tolerance_is_for_floats_only() {
        let t = Some(Tolerance {
            rtol: 0.1,
            atol: 0.5,
        });
        assert!(!differ(&[10.0f32], &[11.5], t));
        assert!(differ(&[10.0f32], &[11.6], t));
        assert!(differ(
            &[f32::INFINITY],
            &[f32::MAX],
            Some(Tolerance::relative(0.1))
        ));
        assert!(differ(&[10.0f32], &[f32::NAN], t));
        assert!(differ(&[10i32], &[11], t));
        assert!(!differ(
            &[Complex64::new(10.0, 0.0)],
            &[Complex64::new(10.0, 1.4)],
            t
        ));
    }
}
