//! Windows that slide over the two spatial dimensions of images in the layout NHWC: what attributes say of them, and
//! where they lie.

use std::ops::Range;

use smallvec::SmallVec;
use tfe_core::{Code, Error, Result, Shape, bail, ensure, err};
use tfe_device::{Inference, OpInit, Rule};

/// How images are padded at their borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// So that there is a window for each stride.
    Same,
    /// Not at all.
    Valid,
    /// By so much before and after, for each dimension.
    Explicit([[usize; 2]; 2]),
}

/// What attributes say of windows, for each of the two dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Windows {
    pub(super) strides: [usize; 2],
    pub(super) dilations: [usize; 2],
    pub(super) padding: Padding,
}

/// Windows along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// The sizes of image and window.
    pub(super) input: usize,
    pub(super) window: usize,
    stride: usize,
    /// How far apart the places of a window are.
    pub(super) dilation: usize,
    /// What the first window lies before the image.
    before: usize,
    /// How many windows there are.
    pub(super) output: usize,
}

impl Windows {
    /// From the attributes of a convolution; `code` is for what TensorFlow has no kernel for.
    ///
    /// # Errors
    /// `InvalidArgument` for attributes that make no sense, `code` for strides of images and channels.
    pub(super) fn of_convolution(init: &OpInit<'_>, code: Code) -> Result<Self> {
        let sizes = |attr: &str| {
            let [n, rows, cols, depth] = four(init, attr)?;
            if [n, depth] != [1, 1] {
                return Err(Error::new(
                    code,
                    format!(
                        "Current implementation does not yet support {attr} in the batch and depth dimensions."
                    ),
                ));
            }
            Ok(positive([rows, cols]))
        };
        let strides = sizes("strides")?.ok_or_else(|| {
            err!(
                InvalidArgument,
                "Row and column strides should be larger than 0."
            )
        })?;
        let dilations = sizes("dilations")?
            .ok_or_else(|| err!(InvalidArgument, "Dilated rates should be larger than 0."))?;
        Ok(Self {
            strides,
            dilations,
            padding: padding(init, true)?,
        })
    }

    /// Windows that lie side by side.
    pub(super) fn new(strides: [usize; 2], padding: Padding) -> Self {
        Self {
            strides,
            dilations: [1; 2],
            padding,
        }
    }

    /// The windows of size `window` on images of size `input`.
    ///
    /// # Errors
    /// `InvalidArgument` when a window is larger than a padded image.
    pub(super) fn fit(&self, input: [usize; 2], window: [usize; 2]) -> Result<[Axis; 2]> {
        Ok([self.axis(0, input, window)?, self.axis(1, input, window)?])
    }

    fn axis(&self, i: usize, input: [usize; 2], window: [usize; 2]) -> Result<Axis> {
        let (input, window) = (input[i], window[i]);
        let (stride, dilation) = (self.strides[i], self.dilations[i]);
        // In 128 bits, which hold whatever is made of sizes in 64 and attributes in 32.
        let [size, step] = [input, stride].map(|v| v as i128);
        let reach = (window as i128 - 1) * dilation as i128 + 1;
        let (before, output) = match self.padding {
            Padding::Same => {
                let output = (size + step - 1) / step;
                let missing = ((output - 1) * step + reach - size).max(0);
                (missing / 2, output)
            }
            // As C divides: up to a stride less than the window is no error yet, but there is no window.
            Padding::Valid => (0, (size - reach + step) / step),
            Padding::Explicit(by) => {
                let [before, after] = by[i].map(|v| v as i128);
                (before, (before + size + after - reach + step) / step)
            }
        };
        let output = usize::try_from(output).map_err(|_| {
            err!(
                InvalidArgument,
                "Computed output size would be negative: {output} [input_size: {input}, effective_filter_size: {reach}, stride: {stride}]"
            )
        })?;
        let before = usize::try_from(before)
            .ok()
            .filter(|&n| n <= isize::MAX as usize / 2);
        let before =
            before.ok_or_else(|| err!(InvalidArgument, "a window of {window} is not supported"))?;
        Ok(Axis {
            input,
            window,
            stride,
            dilation,
            before,
            output,
        })
    }
}

impl Axis {
    /// Which places of window `i` lie within the image, and where the first of them does.
    pub(super) fn within(&self, i: usize) -> (Range<usize>, usize) {
        let start = (i * self.stride) as isize - self.before as isize;
        // The places before the image, and those before its end.
        let first = (-start).max(0).cast_unsigned().div_ceil(self.dilation);
        let end = (self.input as isize - start).max(0).cast_unsigned();
        let end = end.div_ceil(self.dilation).min(self.window);
        let at = start + (first * self.dilation) as isize;
        // Where there is none, a place that slices may begin at.
        (
            first.min(end)..end,
            at.max(0).cast_unsigned().min(self.input),
        )
    }

    /// Where place `k` of window `i` lies, if that is within the image.
    pub(super) fn place(&self, i: usize, k: usize) -> Option<usize> {
        let place = (i * self.stride + k * self.dilation).checked_sub(self.before)?;
        (place < self.input).then_some(place)
    }
}

/// The rule of an op that gives images, or filters: `shape` tells their shape from those of the inputs `needed`, and from
/// values; where one is unknown, only the rank is said.
pub(super) fn rule<const N: usize>(
    needed: [usize; N],
    shape: impl Fn(&Inference<'_>, [&Shape; N]) -> Result<Option<Shape>> + Send + Sync + 'static,
) -> Box<dyn Rule> {
    Box::new(move |call: &mut Inference<'_>| {
        let known: Option<SmallVec<[Shape; 3]>> = needed.iter().map(|&i| call.known(i)).collect();
        let output = match known {
            Some(known) => shape(call, std::array::from_fn(|i| &known[i]))?,
            None => None,
        };
        match output {
            Some(output) => call.set_shape(0, output),
            None => call.set_rank(0, 4),
        }
        Ok(())
    })
}

/// The elements of an argument that lists sizes, if they are known.
///
/// # Errors
/// `InvalidArgument` when it is no vector.
pub(super) fn sizes(
    call: &Inference<'_>,
    i: usize,
    name: &str,
) -> Result<Option<SmallVec<[i64; 8]>>> {
    call.of_rank(i, 1, || {
        err!(
            InvalidArgument,
            "{name} input must be 1-dim, not {}",
            call.rank(i).unwrap_or_default()
        )
    })?;
    call.integers(i)
}

/// Refuses layouts other than NHWC with `code`.
///
/// # Errors
/// See above.
pub(super) fn only_nhwc(init: &OpInit<'_>, code: Code) -> Result<()> {
    let format = init.attrs.str("data_format")?;
    if format == "NHWC" {
        return Ok(());
    }
    Err(Error::new(
        code,
        format!(
            "The {} op currently only supports the NHWC tensor format on the CPU. The op was given the format: {format}",
            init.spec.name()
        ),
    ))
}

/// A list of four numbers.
///
/// # Errors
/// `InvalidArgument` for another length, and for numbers beyond 32 bits.
pub(super) fn four(init: &OpInit<'_>, attr: &str) -> Result<[i64; 4]> {
    let list = init.attrs.int_list(attr)?;
    if let Some(value) = list.iter().find(|&&v| i32::try_from(v).is_err()) {
        bail!(
            InvalidArgument,
            "Attr {attr} has value {value} out of range for an int32"
        );
    }
    <[i64; 4]>::try_from(list).map_err(|_| {
        err!(
            InvalidArgument,
            "Sliding window {attr} field must specify 4 dimensions"
        )
    })
}

/// Sizes, when both are more than 0.
pub(super) fn positive(values: [i64; 2]) -> Option<[usize; 2]> {
    let [a, b] = values.map(|v| usize::try_from(v).ok().filter(|&v| v > 0));
    Some([a?, b?])
}

/// The attributes `padding` and `explicit_paddings`; the latter has to be empty unless it is used, where `only_explicit`.
///
/// # Errors
/// `InvalidArgument` for explicit paddings that make no sense.
pub(super) fn padding(init: &OpInit<'_>, only_explicit: bool) -> Result<Padding> {
    let list = match init.attrs.find("explicit_paddings") {
        Some(_) => init.attrs.int_list("explicit_paddings")?,
        None => &[],
    };
    let padding = match init.attrs.str("padding")? {
        "SAME" => Padding::Same,
        "VALID" => Padding::Valid,
        _ => return explicit_padding(list),
    };
    ensure!(
        list.is_empty() || !only_explicit,
        InvalidArgument,
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
    );
    Ok(padding)
}

fn explicit_padding(list: &[i64]) -> Result<Padding> {
    let Ok([n0, n1, top, bottom, left, right, d0, d1]) = <[i64; 8]>::try_from(list) else {
        bail!(
            InvalidArgument,
            "explicit_paddings attribute must contain 8 values, but got: {}",
            list.len()
        );
    };
    ensure!(
        list.iter().all(|&v| v >= 0),
        InvalidArgument,
        "All elements of explicit_paddings must be nonnegative"
    );
    ensure!(
        [n0, n1, d0, d1] == [0; 4],
        InvalidArgument,
        "Nonzero explicit padding in the batch or depth dimensions is not supported"
    );
    ensure!(
        list.iter().all(|&v| v <= i32::MAX.into()),
        InvalidArgument,
        "explicit_paddings must be below 2^31, but are {list:?}"
    );
    let by = [[top, bottom], [left, right]];
    Ok(Padding::Explicit(by.map(|by| by.map(|v| v as usize))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_lie_where_their_places_do() {
        for padding in [
            Padding::Same,
            Padding::Valid,
            Padding::Explicit([[2, 1]; 2]),
        ] {
            for (input, window, stride, dilation) in [
                (5, 3, 1, 1),
                (5, 3, 2, 1),
                (7, 2, 3, 2),
                (4, 4, 1, 3),
                (1, 3, 1, 1),
                (6, 1, 4, 1),
            ] {
                let windows = Windows {
                    strides: [stride; 2],
                    dilations: [dilation; 2],
                    padding,
                };
                let Ok([axis, _]) = windows.fit([input; 2], [window; 2]) else {
                    continue;
                };
                for i in 0..axis.output {
                    let place = |k| axis.place(i, k);
                    let want: Vec<_> = (0..window).filter(|&k| place(k).is_some()).collect();
                    let (places, at) = axis.within(i);
                    assert!(places.clone().eq(want.iter().copied()), "{axis:?} {i}");
                    if let Some(&first) = want.first() {
                        assert_eq!(Some(at), place(first), "{axis:?} {i}");
                    }
                }
            }
        }
    }
}
