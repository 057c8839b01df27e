//! Which device an op runs on, and which inputs may be copied there unasked.

use tfe_core::{DataType, Result, bail};

/// What happens when an input of an op lies on another device than the op needs. Numbered as
/// `TFE_ContextDevicePlacementPolicy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum PlacementPolicy {
    /// The call fails.
    Explicit = 0,
    /// The input is copied, with a line on standard error.
    Warn = 1,
    /// The input is copied.
    #[default]
    Silent = 2,
    /// An `int32` input is copied; for any other the call fails.
    SilentForInt32 = 3,
}

impl PlacementPolicy {
    /// The policy of that number.
    ///
    /// # Errors
    /// `InvalidArgument` when there is none.
    pub fn from_number(number: i32) -> Result<Self> {
        Ok(match number {
            0 => Self::Explicit,
            1 => Self::Warn,
            2 => Self::Silent,
            3 => Self::SilentForInt32,
            _ => bail!(InvalidArgument, "{number} is no device placement policy"),
        })
    }

    /// Whether an input of that type may be copied.
    pub(crate) fn allows_copy(self, dtype: DataType) -> bool {
        match self {
            Self::Explicit => false,
            Self::Warn | Self::Silent => true,
            Self::SilentForInt32 => dtype == DataType::Int32,
        }
    }
}
