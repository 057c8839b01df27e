//! Numbers as text, as C's `printf` writes them.

use tfe_core::{Result, TString};

/// How a number is laid out within its field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The least number of characters; what is missing is filled up on the left, or the right where asked for.
    pub width: usize,
    /// Whether the number stands on the left of its field.
    pub left: bool,
    /// Whether it is filled with zeros, behind the sign, rather than with blanks before it.
    pub zeros: bool,
    /// What stands before a number that is not negative: nothing, or a blank or a plus.
    pub sign: Option<char>,
}

/// The digits of a number without its sign: a text, with zeros put in before its last bytes.
struct Digits {
    text: String,
    /// Where the zeros belong.
    end: usize,
    zeros: usize,
}

impl From<String> for Digits {
    fn from(text: String) -> Self {
        Self {
            end: text.len(),
            text,
            zeros: 0,
        }
    }
}

impl Field {
    /// The text of an integer.
    ///
    /// # Errors
    /// `ResourceExhausted`.
    pub fn integer(self, is_negative: bool, magnitude: u64) -> Result<TString> {
        self.lay_out(is_negative, &magnitude.to_string().into(), true)
    }

    fn lay_out(self, is_negative: bool, digits: &Digits, is_finite: bool) -> Result<TString> {
        let sign = if is_negative { Some('-') } else { self.sign };
        let sign = sign.map_or(String::new(), String::from);
        let len = sign.len() + digits.text.len() + digits.zeros;
        let missing = self.width.saturating_sub(len);
        let [mut before, mut within, mut after] = [0; 3];
        match (self.left, self.zeros && is_finite) {
            (true, _) => after = missing,
            (false, true) => within = missing,
            (false, false) => before = missing,
        }
        let (head, tail) = digits.text.as_bytes().split_at(digits.end);
        let parts = repeated::<b' '>(before)
            .chain([sign.as_bytes()])
            .chain(repeated::<b'0'>(within))
            .chain([head])
            .chain(repeated::<b'0'>(digits.zeros))
            .chain([tail])
            .chain(repeated::<b' '>(after));
        TString::concat(parts)
    }
}

/// A byte `n` times, in pieces.
pub fn repeated<'a, const BYTE: u8>(n: usize) -> impl Iterator<Item = &'a [u8]> + Clone {
    const PIECE: usize = 64;
    let piece: &'a [u8] = const { &[BYTE; PIECE] };
    std::iter::repeat_n(piece, n / PIECE).chain([&piece[..n % PIECE]])
}

/// The notations of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `%f`
    Fixed,
    /// `%e`
    Exponent,
    /// `%g`: whichever is shorter, without zeros at the end.
    Shorter,
}

/// So many digits after the point are those of any `f64` but for zeros; Rust's own formats end at 65,535.
const EXACT: usize = 1100;

/// The text of a floating-point number.
///
/// # Errors
/// `ResourceExhausted`.
pub fn float(x: f64, notation: Notation, precision: usize, field: Field) -> Result<TString> {
    let digits = digits(x.abs(), notation, precision);
    field.lay_out(x.is_sign_negative(), &digits, x.is_finite())
}

fn digits(x: f64, notation: Notation, precision: usize) -> Digits {
    if x.is_nan() {
        return "nan".to_owned().into();
    }
    if x.is_infinite() {
        return "inf".to_owned().into();
    }
    let exact = precision.min(EXACT);
    let text = match notation {
        Notation::Fixed => format!("{x:.exact$}"),
        Notation::Exponent => exponent(x, exact),
        Notation::Shorter => return shorter(x, exact.max(1)).into(),
    };
    Digits {
        end: text.find('e').unwrap_or(text.len()),
        text,
        zeros: precision - exact,
    }
}

/// `1.5e+00`: an exponent of two digits and more.
fn exponent(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |p| ('-', p));
    format!("{digits}e{sign}{power:0>2}")
}

fn shorter(x: f64, digits: usize) -> String {
    let scientific = exponent(x, digits - 1);
    let (significand, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let without_zeros = |text: &str| match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text.to_owned(),
    };
    match power.parse::<i32>() {
        Ok(power) if power >= -4 && power < digits as i32 => {
            let after_point = (digits as i32 - 1 - power) as usize;
            without_zeros(&format!("{x:.after_point$}"))
        }
        _ => format!("{}e{power}", without_zeros(significand)),
    }
}

/// A `f32` or `f64` in the fewest of 6 and 9, or 15 and 17 digits that read back to the same number.
pub fn round_trip(x: f64, is_single: bool) -> String {
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let text = |n| format!("{sign}{}", digits(x.abs(), Notation::Shorter, n).text);
    let (few, all) = if is_single { (6, 9) } else { (15, 17) };
    let short = text(few);
    let same = if is_single {
        short.parse() == Ok(x as f32)
    } else {
        short.parse() == Ok(x)
    };
    if same || x.is_nan() { short } else { text(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(x: f64, notation: Notation, precision: usize, field: Field) -> String {
        let text = float(x, notation, precision, field).expect("memory");
        text.to_string_lossy().into_owned()
    }

    #[test]
    fn zeros_beyond_all_digits_stand_where_they_belong() {
        let n = EXACT + 100;
        for (notation, tail) in [(Notation::Fixed, ""), (Notation::Exponent, "e+00")] {
            let want = format!("-1.5{}{tail}", "0".repeat(n - 1));
            assert_eq!(text(-1.5, notation, n, Field::default()), want);
        }
    }

    #[test]
    fn notations_are_those_of_c() {
        let plain = |x, notation, precision| text(x, notation, precision, Field::default());
        for (x, precision, fixed, scientific, shorter) in [
            (0.0, 6, "0.000000", "0.000000e+00", "0"),
            (-0.0, 2, "-0.00", "-0.00e+00", "-0"),
            (1.5, 6, "1.500000", "1.500000e+00", "1.5"),
            (1e10, 3, "10000000000.000", "1.000e+10", "1e+10"),
            (123456.0, 6, "123456.000000", "1.234560e+05", "123456"),
            (
                1234567.0,
                6,
                "1234567.000000",
                "1.234567e+06",
                "1.23457e+06",
            ),
            (999999.5, 6, "999999.500000", "9.999995e+05", "1e+06"),
            (0.0001, 6, "0.000100", "1.000000e-04", "0.0001"),
            (0.00001, 6, "0.000010", "1.000000e-05", "1e-05"),
            (1e-100, 1, "0.0", "1.0e-100", "1e-100"),
            (2.5, 0, "2", "2e+00", "2"),
            (f64::INFINITY, 3, "inf", "inf", "inf"),
            (f64::NEG_INFINITY, 3, "-inf", "-inf", "-inf"),
            (f64::NAN, 3, "nan", "nan", "nan"),
        ] {
            assert_eq!(plain(x, Notation::Fixed, precision), fixed);
            assert_eq!(plain(x, Notation::Exponent, precision), scientific);
            assert_eq!(plain(x, Notation::Shorter, precision), shorter);
        }
    }

    #[test]
    fn fields_are_filled() {
        let field = |left, zeros, sign| Field {
            width: 6,
            left,
            zeros,
            sign,
        };
        for (field, want) in [
            (field(false, false, None), ["   1.5", "  -1.5", "   inf"]),
            (field(true, true, None), ["1.5   ", "-1.5  ", "inf   "]),
            (field(false, true, None), ["0001.5", "-001.5", "   inf"]),
            (
                field(false, true, Some('+')),
                ["+001.5", "-001.5", "  +inf"],
            ),
            (
                field(false, false, Some(' ')),
                ["   1.5", "  -1.5", "   inf"],
            ),
        ] {
            let got = [1.5, -1.5, f64::INFINITY].map(|x| text(x, Notation::Fixed, 1, field));
            assert_eq!(got, want);
        }
    }

    #[test]
    fn digits_are_those_that_read_back() {
        assert_eq!(round_trip(0.1f32.into(), true), "0.1");
        assert_eq!(round_trip(123456789f32.into(), true), "123456792");
        assert_eq!(round_trip(0.1, false), "0.1");
        assert_eq!(round_trip(0.1 + 0.2, false), "0.30000000000000004");
        assert_eq!(round_trip(f64::NAN, true), "nan");
    }
}
