//! `AsString`: each element as text.

use tfe_core::{
    Complex64, Complex128, DTypeSet, DataType, Element, Result, TString, Variant, bail, bf16,
    dispatch, ensure, f16,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::printf::{Field, Notation, float, repeated};
use tfe_host::rules;

pub(super) const KERNELS: &[KernelDef] =
    &[KernelDef::host(ops::AS_STRING, rules::like::<0>, build)];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    let format = Format::of(init, dtype)?;
    dispatch!(
        dtype,
        [
            Float, Double, Half, Bfloat16, Complex64, Complex128, Int8, Int16, Int32, Int64, Uint8,
            Uint16, Uint32, Uint64, Bool, String, Variant
        ],
        |T| Ok(Box::new(move |ctx: &mut KernelContext<'_>| convert::<T>(
            ctx, &format
        )))
    )
}

fn convert<T: Text>(ctx: &mut KernelContext<'_>, format: &Format) -> Result<()> {
    let input = ctx.input(0);
    let texts = input.as_slice::<T>()?.iter();
    let texts = texts.map(|x| x.text(format));
    let out = ctx.output(0)?.try_fill_from(texts)?;
    ctx.set_output(0, out);
    Ok(())
}

/// How elements are written.
#[derive(Clone, Copy)]
struct Format {
    notation: Notation,
    precision: Option<usize>,
    field: Field,
}

/// The widest field, and the most digits: numbers only go on with zeros beyond.
const MOST: usize = 1 << 24;

impl Format {
    fn of(init: &KernelInit<'_>, dtype: DataType) -> Result<Self> {
        let flag = |name| init.attrs.bool(name);
        let (scientific, shortest) = (flag("scientific")?, flag("shortest")?);
        let (precision, width) = (size(init, "precision")?, size(init, "width")?);
        let exact = DTypeSet::INT.union(DTypeSet::of(&[DataType::Bool]));
        if exact.contains(dtype) {
            ensure!(
                !scientific && !shortest,
                InvalidArgument,
                "scientific and shortest format not supported for datatype {dtype}"
            );
            ensure!(
                precision.is_none(),
                InvalidArgument,
                "precision not supported for datatype {dtype}"
            );
        }
        let notation = match (scientific, shortest) {
            (true, true) => bail!(
                InvalidArgument,
                "Cannot select both scientific and shortest notation"
            ),
            (true, false) => Notation::Exponent,
            (false, true) => Notation::Shorter,
            (false, false) => Notation::Fixed,
        };
        let mut field = Field {
            width: width.unwrap_or(0),
            ..Field::default()
        };
        match init.attrs.bytes("fill")? {
            b"" => {}
            b"0" => field.zeros = true,
            b"-" => field.left = true,
            &[sign @ (b' ' | b'+')] => field.sign = Some(sign.into()),
            [other] => bail!(
                InvalidArgument,
                "Fill argument not supported: \"{}\"",
                other.escape_ascii()
            ),
            _ => bail!(
                InvalidArgument,
                "Fill string must be one or fewer characters"
            ),
        }
        Ok(Self {
            notation,
            precision,
            field,
        })
    }

    fn float(&self, x: f64) -> Result<TString> {
        float(x, self.notation, self.precision.unwrap_or(6), self.field)
    }

    fn complex(&self, re: f64, im: f64) -> Result<TString> {
        let (re, im) = (self.float(re)?, self.float(im)?);
        TString::concat([b"(", re.as_bytes(), b",", im.as_bytes(), b")"])
    }

    fn signed(&self, x: i64) -> Result<TString> {
        self.field.integer(x < 0, x.unsigned_abs())
    }

    fn unsigned(&self, x: u64) -> Result<TString> {
        let field = Field {
            sign: None,
            ..self.field
        };
        field.integer(false, x)
    }

    fn bytes(&self, text: &[u8]) -> Result<TString> {
        // As in TensorFlow, which lays strings out only where a width is given.
        if self.field.width == 0 {
            return TString::concat([text]);
        }
        let text = &text[..self.precision.unwrap_or(text.len()).min(text.len())];
        let blanks = self.field.width.saturating_sub(text.len());
        let (before, after) = if self.field.left {
            (0, blanks)
        } else {
            (blanks, 0)
        };
        let parts = repeated::<b' '>(before).chain([text]);
        TString::concat(parts.chain(repeated::<b' '>(after)))
    }
}

/// A number of characters; none where negative.
fn size(init: &KernelInit<'_>, attr: &str) -> Result<Option<usize>> {
    let value = init.attrs.int(attr)?;
    ensure!(
        i32::try_from(value).is_ok(),
        InvalidArgument,
        "Attr {attr} has value {value} out of range for an int32"
    );
    let size = usize::try_from(value).ok();
    ensure!(
        size.is_none_or(|n| n <= MOST),
        ResourceExhausted,
        "{attr} of {value} characters is more than {MOST}"
    );
    Ok(size)
}

/// An element that has a text.
trait Text: Element {
    fn text(&self, format: &Format) -> Result<TString>;
}

macro_rules! texts {
    ($($t:ty: |$x:ident, $format:ident| $text:expr;)*) => {$(
        impl Text for $t {
            fn text(&self, $format: &Format) -> Result<TString> {
                let $x = self;
                $text
            }
        }
    )*};
}
texts! {
    f32: |x, format| format.float((*x).into());
    f64: |x, format| format.float(*x);
    f16: |x, format| format.float(x.to_f64());
    bf16: |x, format| format.float(x.to_f64());
    Complex64: |x, format| format.complex(x.re.into(), x.im.into());
    Complex128: |x, format| format.complex(x.re, x.im);
    i8: |x, format| format.signed((*x).into());
    i16: |x, format| format.signed((*x).into());
    i32: |x, format| format.signed((*x).into());
    i64: |x, format| format.signed(*x);
    u8: |x, format| format.unsigned((*x).into());
    u16: |x, format| format.unsigned((*x).into());
    u32: |x, format| format.unsigned((*x).into());
    u64: |x, format| format.unsigned(*x);
    bool: |x, _format| TString::concat([if *x { &b"true"[..] } else { b"false" }]);
    TString: |x, format| format.bytes(x.as_bytes());
    Variant: |x, _format| TString::concat([format!("{x:?}").as_bytes()]);
}
