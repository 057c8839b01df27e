//! Host kernels of TensorFlow ops.
