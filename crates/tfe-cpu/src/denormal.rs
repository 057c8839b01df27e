//! `DenormalGuard`: flushes denormal numbers to zero, as TensorFlow does around its kernels.
#![expect(
    unsafe_code,
    reason = "reads and writes the floating-point control register"
)]

/// While it lives, operations of this thread read denormal inputs as zero and write denormal results as zero.
///
/// Neither Miri nor valgrind shows this mode; on processors that we know no register of, the guard does nothing.
#[must_use]
pub struct DenormalGuard {
    before: Option<Control>,
}

impl DenormalGuard {
    /// Switches the mode on, if it is not on already.
    pub fn new() -> Self {
        let now = read();
        let flushing = now | FLUSH;
        if now == flushing {
            return Self { before: None };
        }
        write(flushing);
        Self { before: Some(now) }
    }
}

impl Default for DenormalGuard {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for DenormalGuard {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            write(before);
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod register {
    pub(super) type Control = u32;
    /// MXCSR: flush-to-zero is bit 15, denormals-are-zero bit 6.
    pub(super) const FLUSH: Control = 1 << 15 | 1 << 6;

    pub(super) fn read() -> Control {
        let mut value: Control = 0;
        // SAFETY: stores four bytes to `value`; every x86-64 processor has the instruction.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags));
        }
        value
    }

    pub(super) fn write(value: Control) {
        // SAFETY: loads four bytes that `read` gave, with two mode bits changed: rounding and exception masks stay.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags, readonly));
        }
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod register {
    pub(super) type Control = u64;
    /// FPCR: flush-to-zero is bit 24, for inputs and results.
    pub(super) const FLUSH: Control = 1 << 24;

    pub(super) fn read() -> Control {
        let value: Control;
        // SAFETY: reads a register that user code may read.
        unsafe {
            std::arch::asm!("mrs {}, fpcr", out(reg) value, options(nomem, nostack, preserves_flags));
        }
        value
    }

    pub(super) fn write(value: Control) {
        // SAFETY: writes a register that user code may write, with one mode bit changed.
        unsafe {
            std::arch::asm!("msr fpcr, {}", in(reg) value, options(nomem, nostack, preserves_flags));
        }
    }
}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod register {
    pub(super) type Control = u32;
    pub(super) const FLUSH: Control = 0;

    pub(super) fn read() -> Control {
        0
    }

    pub(super) fn write(_: Control) {}
}

use register::{Control, FLUSH, read, write};

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn denormals_are_zero_while_a_guard_lives() {
        let tiny = black_box(1e-40f32);
        let doubled = || black_box(tiny) * black_box(2.0);
        assert!(doubled() > 0.0);
        {
            let _outer = DenormalGuard::new();
            let inner = DenormalGuard::new();
            drop(inner);
            assert_eq!(doubled(), 0.0);
        }
        assert!(doubled() > 0.0);
    }
}
