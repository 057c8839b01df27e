//! Eager execution of TensorFlow ops and functions.
