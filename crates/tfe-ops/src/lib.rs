//! The op table of TensorFlow 2.21: definitions, ids and look-up.
