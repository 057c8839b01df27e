//! Cache keys: 128 bits that stand for a call.

use tfe_ops::Fingerprint128;

/// What a kernel is cached by: a fingerprint of op, device, number of inputs, and every attribute after defaults are
/// filled in.
///
/// The halves are independent: calls that differ in one thing differ in both halves, and no half is a function of the
/// other. So `lo` may index a table while `hi` is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheKey {
    /// The half that tables index by.
    pub lo: u64,
    /// The other half.
    pub hi: u64,
}

impl From<Fingerprint128> for CacheKey {
    #[inline]
    fn from(print: Fingerprint128) -> Self {
        Self {
            lo: print.lo,
            hi: print.hi,
        }
    }
}

/// What a device adds to a [`CacheKey`]; made once for each device, since it reads the whole name.
///
/// ```
/// use tfe_attrs::{AttrBuilder, DeviceKey};
/// use tfe_ops::ops;
///
/// let cpu = DeviceKey::of("/job:localhost/replica:0/task:0/device:CPU:0");
/// let op = AttrBuilder::new(ops::NO_OP.spec());
/// assert_ne!(op.cache_key(cpu), op.cache_key("/job:localhost/replica:0/task:0/device:CPU:1"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceKey(Fingerprint128);

impl DeviceKey {
    /// The key of a device, by name. The spelling counts.
    pub fn of(name: &str) -> Self {
        Self(Fingerprint128::of(name.as_bytes()))
    }

    #[inline]
    pub(crate) fn print(self) -> Fingerprint128 {
        self.0
    }
}

impl From<&str> for DeviceKey {
    fn from(name: &str) -> Self {
        Self::of(name)
    }
}

impl From<&String> for DeviceKey {
    fn from(name: &String) -> Self {
        Self::of(name)
    }
}

/// What the number of inputs adds to a key.
#[inline]
pub(crate) fn inputs_print(count: u32) -> Fingerprint128 {
    const INPUTS: Fingerprint128 = Fingerprint128 {
        lo: 0x510e_527f_ade6_82d1,
        hi: 0x9b05_688c_2b3e_6c1f,
    };
    // Nearly all calls have few inputs.
    const FEW: [Fingerprint128; 8] = {
        let mut few = [INPUTS; 8];
        let mut count = 0;
        while count < few.len() {
            few[count] = INPUTS.of_word(0, count as u64);
            count += 1;
        }
        few
    };
    match FEW.get(count as usize) {
        Some(print) => *print,
        None => INPUTS.of_word(0, count.into()),
    }
}
