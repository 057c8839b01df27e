//! Golden vectors, tolerances, test devices and strategies for testing tfe.
