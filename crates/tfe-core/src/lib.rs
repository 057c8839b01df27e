//! Data types, shapes, tensors, buffers and statuses of the tfe runtime.
