//! What pooling ops share: their attributes, and walks over the windows of each image.

use tfe_core::{Code, Result, Shape, bail, ensure, err};
use tfe_device::OpInit;

use super::window::{Axis, Padding, Windows, four, only_nhwc, padding, positive};

const OVER_IMAGES: &str = "Pooling is not yet supported on the batch dimension.";

/// What attributes say of pooling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pooling {
    windows: Windows,
    size: [usize; 2],
    /// How many channels become one.
    depth: usize,
}

/// The sizes of a pooling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    pub(super) images: usize,
    pub(super) rows: Axis,
    pub(super) cols: Axis,
    pub(super) depth: usize,
    /// How many channels become one; the windows are single pixels where it is more than 1.
    pub(super) of_depth: usize,
}

impl Pooling {
    /// From the attributes of an op; `over_depth` tells whether it pools channels as well.
    ///
    /// # Errors
    /// `InvalidArgument` for attributes that make no sense, `Unimplemented` for those that TensorFlow does not have.
    pub(super) fn of(init: &OpInit<'_>, over_depth: bool) -> Result<Self> {
        only_nhwc(init, Code::InvalidArgument)?;
        let (size, strides) = (four(init, "ksize")?, four(init, "strides")?);
        let within_images = size[0] == 1 && strides[0] == 1;
        // The op that pools channels looks at all sizes first.
        ensure!(over_depth || within_images, Unimplemented, "{OVER_IMAGES}");
        if let Some(bad) = size.iter().find(|&&v| v <= 0) {
            ensure!(
                over_depth,
                InvalidArgument,
                "ksize must be a positive int32 value, got:{bad}"
            );
            bail!(
                InvalidArgument,
                "Sliding window ksize must be positive. The specified or inferred ksize is: {}",
                size.map(|v| v.to_string()).join(",")
            );
        }
        ensure!(within_images, Unimplemented, "{OVER_IMAGES}");
        let padding = padding(init, false)?;
        let [_, rows, cols, depth] = size.map(|v| v as usize);
        if let Padding::Explicit(by) = padding {
            for (by, size) in by.into_iter().zip([rows, cols]) {
                ensure!(
                    by.iter().all(|&by| by < size),
                    InvalidArgument,
                    "paddings of {by:?} need to be smaller than the window size {size}"
                );
            }
        }
        let apart = positive([strides[1], strides[2]])
            .ok_or_else(|| err!(InvalidArgument, "Stride must be > 0, but got {strides:?}"))?;
        let mut windows = Windows::new(apart, padding);
        if depth > 1 {
            ensure!(
                over_depth,
                Unimplemented,
                "Non-spatial pooling is not yet supported."
            );
            ensure!(
                rows == 1 && cols == 1,
                Unimplemented,
                "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
            );
            ensure!(
                strides[3] == size[3],
                Unimplemented,
                "Depthwise max pooling requires the depth window to equal the depth stride"
            );
            ensure!(
                !matches!(padding, Padding::Explicit(_)),
                Unimplemented,
                "Depthwise max pooling does not support explicit padding."
            );
            // A window on each pixel, whatever the other strides.
            windows = Windows::new([1; 2], Padding::Valid);
        }
        Ok(Self {
            windows,
            size: [rows, cols],
            depth,
        })
    }

    /// The sizes for images of that shape.
    ///
    /// # Errors
    /// `InvalidArgument` when the shape is none of images or windows are larger; `Unimplemented` when channels cannot be
    /// pooled evenly.
    pub(super) fn fit(&self, input: &[i64]) -> Result<Geometry> {
        let &[images, rows, cols, depth] = input else {
            bail!(
                InvalidArgument,
                "tensor_in_shape must have 2 spatial dimensions, but has {} dimensions in all",
                input.len()
            );
        };
        let [images, in_rows, in_cols, depth] = [images, rows, cols, depth].map(|d| d as usize);
        ensure!(
            depth % self.depth == 0,
            Unimplemented,
            "Depthwise max pooling requires the depth window to evenly divide the input depth"
        );
        let [rows, cols] = self.windows.fit([in_rows, in_cols], self.size)?;
        Ok(Geometry {
            images,
            rows,
            cols,
            depth,
            of_depth: self.depth,
        })
    }
}

impl Geometry {
    /// The shape of what is pooled.
    pub(super) fn output(&self) -> Result<Shape> {
        let dims = [
            self.images,
            self.rows.output,
            self.cols.output,
            self.depth / self.of_depth,
        ];
        Shape::new(&dims.map(|d| d as i64))
    }

    /// Refuses a gradient of another shape than what is pooled has, or what goes by its place.
    ///
    /// # Errors
    /// `InvalidArgument`, naming the argument.
    pub(super) fn check_output(&self, given: &Shape, name: &str) -> Result<()> {
        let output = self.output()?;
        ensure!(
            given == &output,
            InvalidArgument,
            "Expected {name} shape to be {output}, but got {given}"
        );
        Ok(())
    }

    /// The elements of an image, and how many windows are on it.
    pub(super) fn image(&self) -> [usize; 2] {
        let pixels = |size: fn(&Axis) -> usize| size(&self.rows) * size(&self.cols);
        [
            pixels(|axis| axis.input) * self.depth,
            pixels(|axis| axis.output),
        ]
    }

    /// Visits the pixels of the input that window `pixel` sees, by their places, and tells how many there are.
    pub(super) fn visit(&self, pixel: usize, mut visit: impl FnMut(usize)) -> usize {
        let (i, x) = (pixel / self.cols.output, pixel % self.cols.output);
        let (image, y) = (i / self.rows.output, i % self.rows.output);
        let ((rows, row), (cols, col)) = (self.rows.within(y), self.cols.within(x));
        for row in row..row + rows.len() {
            let at = (image * self.rows.input + row) * self.cols.input;
            (at + col..at + col + cols.len()).for_each(&mut visit);
        }
        rows.len() * cols.len()
    }

    /// Rough time for an element of the output.
    pub(super) fn element_ns(&self) -> f64 {
        0.5 * (self.rows.window * self.cols.window * self.of_depth) as f64
    }
}
