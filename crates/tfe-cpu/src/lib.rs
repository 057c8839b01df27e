//! The CPU device: allocator, thread pool, denormal guard.
