//! Windows on images: convolutions and pooling, and their gradients.

use std::ops::{Add, AddAssign, Mul};

use tfe_attrs::AttrValue;
use tfe_core::{Code, DataType, Result, Shape};

use super::{Attrs, Samples, Suite, Want, attrs, index_tensor};
use crate::compare::Tolerance;
use crate::conformance::data::{epsilon, ordinary};
use crate::conformance::{Call, Sample};
use crate::values::{self, Values, values};

/// What is asked of an op on windows.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Result,
    GradientOfInput,
    GradientOfFilter,
}

macro_rules! suites {
    ($samples:ident, $plain:ident; $($op:literal: $asked:ident, $kind:literal;)*) => {
        [$(Suite {
            op: $op,
            types: &["T"],
            samples: |types| $samples(types[0], Asked::$asked, $kind),
            plain: |types| $plain(types[0], Asked::$asked, $kind, &CASES[0]),
            without_kernel: Code::NotFound,
        }),*]
    };
}

pub(super) const CONVOLUTIONS: [Suite; 6] = suites! { convolutions, convolution;
    "Conv2D": Result, false;
    "Conv2DBackpropInput": GradientOfInput, false;
    "Conv2DBackpropFilter": GradientOfFilter, false;
    "DepthwiseConv2dNative": Result, true;
    "DepthwiseConv2dNativeBackpropInput": GradientOfInput, true;
    "DepthwiseConv2dNativeBackpropFilter": GradientOfFilter, true;
};
pub(super) const POOLINGS: [Suite; 4] = suites! { poolings, pooling;
    "MaxPool": Result, true;
    "MaxPoolGrad": GradientOfInput, true;
    "AvgPool": Result, false;
    "AvgPoolGrad": GradientOfInput, false;
};

/// Images of a size, windows of a size, a stride, and how many rows and columns images are padded by: `None` where that
/// is "SAME".
struct Case {
    name: &'static str,
    images: [usize; 3],
    window: [usize; 2],
    stride: usize,
    padding: Option<usize>,
    channels: usize,
    filters: usize,
}

const CASES: &[Case] = &[
    case("same", [1, 4, 5], [3, 3], 1, None, 2, 3),
    case("valid", [2, 5, 4], [2, 3], 1, Some(0), 3, 2),
    case("even", [1, 4, 5], [2, 4], 1, None, 1, 1),
    case("strides", [2, 7, 6], [3, 2], 2, None, 2, 2),
    case("gaps", [1, 7, 8], [2, 1], 3, Some(0), 2, 1),
    case("pixels", [3, 4, 3], [1, 1], 1, None, 5, 4),
    case("larger_than_images", [1, 2, 1], [5, 4], 1, None, 2, 2),
    case("no_window", [1, 2, 5], [3, 2], 1, Some(0), 2, 2),
    case("padded", [2, 4, 3], [3, 2], 2, Some(1), 2, 3),
    case("no_images", [0, 4, 4], [2, 2], 1, None, 2, 2),
    case("no_channels_out", [1, 4, 4], [2, 2], 1, None, 2, 0),
    case("many", [2, 17, 19], [3, 5], 1, None, 9, 17),
];

const fn case(
    name: &'static str,
    images: [usize; 3],
    window: [usize; 2],
    stride: usize,
    padding: Option<usize>,
    channels: usize,
    filters: usize,
) -> Case {
    Case {
        name,
        images,
        window,
        stride,
        padding,
        channels,
        filters,
    }
}

impl Case {
    /// The rows and columns of windows, and what is padded before.
    fn windows(&self) -> [(usize, usize); 2] {
        [0, 1].map(|i| {
            let (size, window) = (self.images[i + 1], self.window[i]);
            match self.padding {
                Some(by) => ((size + 2 * by + self.stride - window) / self.stride, by),
                None => {
                    let n = size.div_ceil(self.stride);
                    let all = ((n - 1) * self.stride + window).saturating_sub(size);
                    (n, all / 2)
                }
            }
        })
    }

    /// The window, the pixel and the place in the window wherever a window sees a pixel.
    fn seen(&self) -> Vec<[usize; 3]> {
        let ([images, rows, cols], [height, width]) = (self.images, self.window);
        let [(ys, top), (xs, left)] = self.windows();
        let mut seen = Vec::new();
        for window in 0..images * ys * xs {
            let (image, y, x) = (window / xs / ys, window / xs % ys, window % xs);
            for place in 0..height * width {
                let row = (y * self.stride + place / width).wrapping_sub(top);
                let col = (x * self.stride + place % width).wrapping_sub(left);
                if row < rows && col < cols {
                    seen.push([window, (image * rows + row) * cols + col, place]);
                }
            }
        }
        seen
    }

    fn shape(&self, channels: usize) -> Vec<i64> {
        let [images, rows, cols] = self.images;
        [images, rows, cols, channels].map(|d| d as i64).into()
    }

    fn out_shape(&self, channels: usize) -> Vec<i64> {
        let [(ys, _), (xs, _)] = self.windows();
        [self.images[0], ys, xs, channels].map(|d| d as i64).into()
    }

    fn attrs(&self, dtype: DataType) -> Attrs {
        let list = |v: [usize; 4]| AttrValue::from(v.map(|v| v as i64).to_vec());
        let padding = match self.padding {
            None => "SAME",
            Some(0) => "VALID",
            Some(_) => "EXPLICIT",
        };
        attrs([
            ("T", dtype.into()),
            ("strides", list([1, self.stride, self.stride, 1])),
            ("padding", padding.into()),
        ])
    }

    /// The attribute for windows of other padding.
    fn explicit(&self) -> Option<(String, AttrValue)> {
        let by = self.padding.filter(|&by| by > 0)? as i64;
        let by = vec![0, 0, by, by, by, by, 0, 0];
        Some(("explicit_paddings".to_owned(), by.into()))
    }
}

fn convolution(dtype: DataType, asked: Asked, depthwise: bool, case: &Case) -> Result<Call> {
    let (depth, filters) = (case.channels, case.filters);
    let out_depth = if depthwise { depth * filters } else { filters };
    let [height, width] = case.window;
    let input = case.shape(depth);
    let filter = [height, width, depth, filters].map(|d| d as i64);
    let sizes = |dims: &[i64]| index_tensor(DataType::Int32, &[4], dims);
    let grad = || ordinary(dtype, &case.out_shape(out_depth), 8);
    let inputs = match asked {
        Asked::Result => vec![ordinary(dtype, &input, 5)?, ordinary(dtype, &filter, 6)?],
        Asked::GradientOfInput => vec![sizes(&input)?, ordinary(dtype, &filter, 6)?, grad()?],
        Asked::GradientOfFilter => vec![ordinary(dtype, &input, 5)?, sizes(&filter)?, grad()?],
    };
    let mut attrs = case.attrs(dtype);
    attrs.extend(case.explicit());
    Ok((attrs, inputs))
}

fn convolutions(dtype: DataType, asked: Asked, depthwise: bool) -> Result<Vec<Sample>> {
    let mut samples = Samples::new(Vec::new());
    for case in CASES {
        let (attrs, inputs) = convolution(dtype, asked, depthwise, case)?;
        // TensorFlow's own gradients are not filled where there is nothing to add.
        if asked != Asked::Result && matches!(case.name, "no_window" | "no_channels_out") {
            continue;
        }
        let (depth, filters) = (case.channels, case.filters);
        let out_depth = if depthwise { depth * filters } else { filters };
        let mut terms = Vec::new();
        for [window, pixel, place] in case.seen() {
            for (c, f) in (0..depth).flat_map(|c| (0..filters).map(move |f| (c, f))) {
                let channel = if depthwise { c * filters + f } else { f };
                terms.push([
                    window * out_depth + channel,
                    pixel * depth + c,
                    (place * depth + c) * filters + f,
                ]);
            }
        }
        let (shape, [to, a, b], [x, y]) = match asked {
            Asked::Result => (case.out_shape(out_depth), [0, 1, 2], [0, 1]),
            Asked::GradientOfInput => (case.shape(depth), [1, 0, 2], [2, 1]),
            Asked::GradientOfFilter => {
                let [height, width] = case.window;
                let filter = [height, width, depth, filters].map(|d| d as i64);
                (filter.to_vec(), [2, 1, 0], [0, 2])
            }
        };
        let n = Shape::new(&shape)?.num_elements();
        let terms: Vec<_> = terms.iter().map(|t| [t[to], t[a], t[b]]).collect();
        let mut magnitude = 0.0;
        let sums = match (values(&inputs[x])?, values(&inputs[y])?) {
            (Values::Int(x), Values::Int(y)) => Values::Int(products(&terms, &x, &y, n)),
            (Values::Float(x), Values::Float(y)) => {
                let [x_size, y_size] =
                    [&x, &y].map(|v| v.iter().map(|x| x.abs()).collect::<Vec<f64>>());
                let sizes: Vec<f64> = products::<f64>(&terms, &x_size, &y_size, n);
                magnitude = sizes.iter().fold(0.0, |a: f64, &b| a.max(b));
                Values::Float(products(&terms, &x, &y, n))
            }
            (other, _) => other,
        };
        let want = about(dtype, &shape, &sums, magnitude)?;
        samples.list.push(Sample {
            name: case.name.to_owned(),
            attrs,
            inputs,
            want,
        });
    }
    Ok(samples.list)
}

/// Sums of products: each term is where it goes to, and the places of the factors.
fn products<N: Copy + Default + AddAssign + Add<Output = N> + Mul<Output = N>>(
    terms: &[[usize; 3]],
    x: &[N],
    y: &[N],
    n: usize,
) -> Vec<N> {
    let mut sums = vec![N::default(); n];
    terms.iter().for_each(|&[to, i, j]| sums[to] += x[i] * y[j]);
    sums
}

fn about(dtype: DataType, dims: &[i64], results: &Values, magnitude: f64) -> Result<Want> {
    let eps = epsilon(dtype);
    let tolerance = (eps > 0.0).then_some(Tolerance {
        rtol: eps,
        atol: 16.0 * eps * magnitude,
    });
    Ok(Want::about(
        values::tensor(dtype, dims, results)?,
        tolerance,
    ))
}

fn pooling(dtype: DataType, asked: Asked, max: bool, case: &Case) -> Result<Call> {
    let input = ordinary(dtype, &case.shape(case.channels), 5)?;
    let output = case.out_shape(case.channels);
    let inputs = match (asked, max) {
        (Asked::Result, _) => vec![input],
        (_, true) => vec![
            input,
            ordinary(dtype, &output, 7)?,
            ordinary(dtype, &output, 8)?,
        ],
        (_, false) => vec![
            index_tensor(DataType::Int32, &[4], input.dims())?,
            ordinary(dtype, &output, 8)?,
        ],
    };
    let [height, width] = case.window.map(|v| v as i64);
    let mut attrs = case.attrs(dtype);
    attrs.push(("ksize".to_owned(), vec![1, height, width, 1].into()));
    attrs.extend(case.explicit());
    Ok((attrs, inputs))
}

fn poolings(dtype: DataType, asked: Asked, max: bool) -> Result<Vec<Sample>> {
    let mut samples = Samples::new(Vec::new());
    for case in CASES {
        if case.padding == Some(1) && !max || case.name == "no_window" && asked != Asked::Result {
            continue;
        }
        let (attrs, inputs) = pooling(dtype, asked, max, case)?;
        let depth = case.channels;
        let output = case.out_shape(depth);
        let n = Shape::new(&output)?.num_elements();
        // What each element of the output is made of.
        let mut seen: Vec<Vec<usize>> = vec![Vec::new(); n];
        for [window, pixel, _] in case.seen() {
            for c in 0..depth {
                seen[window * depth + c].push(pixel * depth + c);
            }
        }
        let last = &inputs[inputs.len() - 1];
        let want = match (asked, max) {
            (Asked::Result, true) => match values(&inputs[0])? {
                Values::Int(x) => {
                    Values::Int(seen.iter().map(|s| x[first_of_most(&x, s)]).collect())
                }
                Values::Float(x) => {
                    Values::Float(seen.iter().map(|s| x[first_of_most(&x, s)]).collect())
                }
                other => other,
            },
            (Asked::Result, false) => match values(&inputs[0])? {
                Values::Float(x) => {
                    let mean =
                        |s: &Vec<usize>| s.iter().map(|&i| x[i]).sum::<f64>() / s.len() as f64;
                    Values::Float(seen.iter().map(mean).collect())
                }
                other => other,
            },
            (_, true) => match (values(&inputs[0])?, values(last)?) {
                (Values::Int(x), Values::Int(g)) => Values::Int(to_most(&seen, &x, &g)),
                (Values::Float(x), Values::Float(g)) => Values::Float(to_most(&seen, &x, &g)),
                (other, _) => other,
            },
            (_, false) => match values(last)? {
                Values::Float(g) => {
                    let size = case.shape(depth).iter().product::<i64>();
                    let mut sums = vec![0.0; size as usize];
                    for (s, g) in seen.iter().zip(g) {
                        s.iter().for_each(|&i| sums[i] += g / s.len() as f64);
                    }
                    Values::Float(sums)
                }
                other => other,
            },
        };
        let dims = match asked {
            Asked::Result => output,
            _ => case.shape(depth),
        };
        let exact = max && asked == Asked::Result;
        let magnitude = if exact {
            0.0
        } else {
            4.0 * case.window.iter().product::<usize>() as f64
        };
        samples.list.push(Sample {
            name: case.name.to_owned(),
            attrs,
            inputs,
            want: about(dtype, &dims, &want, magnitude)?,
        });
    }
    Ok(samples.list)
}

/// The first of the greatest of some elements.
fn first_of_most<N: PartialOrd + Copy>(x: &[N], among: &[usize]) -> usize {
    let greater = |best: usize, i: usize| if x[i] > x[best] { i } else { best };
    among
        .iter()
        .copied()
        .reduce(greater)
        .expect("a window sees something")
}

fn to_most<N: PartialOrd + Copy + Default + AddAssign>(
    seen: &[Vec<usize>],
    x: &[N],
    gradient: &[N],
) -> Vec<N> {
    let mut sums = vec![N::default(); x.len()];
    for (s, &g) in seen.iter().zip(gradient) {
        sums[first_of_most(x, s)] += g;
    }
    sums
}
