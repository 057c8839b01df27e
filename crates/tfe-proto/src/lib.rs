//! TensorFlow's protocol buffer messages, generated.
