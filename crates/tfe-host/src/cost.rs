//! Rough costs of one element on one thread in nanoseconds, by which work is cut for threads: their order of magnitude counts.

/// An addition, a comparison, a product, a choice: less than the memory that goes with it.
pub const ARITHMETIC: f64 = 0.2;
/// A floating-point division or square root, a rounding, a few additions and products.
pub const DIVISION: f64 = 0.5;
/// An integer division, which no SIMD level has.
pub const INTEGER_DIVISION: f64 = 3.0;
/// A function of [`elementary`](crate::elementary), whose loops vectorise.
pub const ELEMENTARY: f64 = 1.5;
/// An exponential, a logarithm, a hyperbolic or trigonometric function; a step of a search.
pub const TRANSCENDENTAL: f64 = 5.0;
/// A complex function, a power.
pub const COMPLEX_FUNCTION: f64 = 20.0;
/// One element from anywhere in memory, with the arithmetic of its index.
pub const RANDOM_ACCESS: f64 = 2.0;
/// A string made or copied.
pub const STRING: f64 = 50.0;

/// A product added to a sum within a product of matrices.
pub const MULTIPLY_ADD: f64 = 0.04;

/// Copying an element of that many bytes, or filling it.
pub const fn copy(bytes: usize) -> f64 {
    0.1 * bytes as f64
}
