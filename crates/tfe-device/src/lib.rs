//! Devices, kernels and resources: the contracts between a runtime and its backends.
