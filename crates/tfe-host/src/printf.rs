//! Numbers as text, as C's `printf` writes them.

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

impl Field {
    /// The text of a number: `digits` is without a sign.
    pub fn lay_out(self, is_negative: bool, digits: &str, is_finite: bool) -> String {
        let sign = if is_negative { Some('-') } else { self.sign };
        let sign = sign.map_or(String::new(), String::from);
        let missing = self.width.saturating_sub(sign.len() + digits.len());
        match (self.left, self.zeros && is_finite) {
            (true, _) => format!("{sign}{digits}{}", " ".repeat(missing)),
            (false, true) => format!("{sign}{}{digits}", "0".repeat(missing)),
            (false, false) => format!("{}{sign}{digits}", " ".repeat(missing)),
        }
    }
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

/// A floating-point number.
pub fn float(x: f64, notation: Notation, precision: usize, field: Field) -> String {
    let digits = if x.is_nan() {
        "nan".to_owned()
    } else if x.is_infinite() {
        "inf".to_owned()
    } else {
        match notation {
            Notation::Fixed => {
                let zeros = "0".repeat(precision - precision.min(EXACT));
                format!("{:.*}{zeros}", precision.min(EXACT), x.abs())
            }
            Notation::Exponent => exponent(x.abs(), precision),
            Notation::Shorter => shorter(x.abs(), precision.clamp(1, EXACT)),
        }
    };
    field.lay_out(x.is_sign_negative(), &digits, x.is_finite())
}

/// `1.5e+00`: an exponent of two digits and more.
fn exponent(x: f64, precision: usize) -> String {
    let text = format!("{x:.*e}", precision.min(EXACT));
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let zeros = "0".repeat(precision - precision.min(EXACT));
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |p| ('-', p));
    format!("{digits}{zeros}e{sign}{power:0>2}")
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
    let text = |digits| float(x, Notation::Shorter, digits, Field::default());
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

    #[test]
    fn notations_are_those_of_c() {
        let plain = |x, notation, precision| float(x, notation, precision, Field::default());
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
            let got = [1.5, -1.5, f64::INFINITY].map(|x| float(x, Notation::Fixed, 1, field));
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
