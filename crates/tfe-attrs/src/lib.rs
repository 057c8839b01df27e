//! Attribute type maps, builders and 128-bit cache keys of TensorFlow ops.
