//! Argon2 (RFC 9106).

use super::Memory;
use crate::Error;
use crate::checkpoint::{Checkpoint, NoCheckpoint};
use crate::engines::Native;

pub use super::inputs::{
    Argon2Cost as Cost, Argon2Input as Input, Argon2Kind as Kind, Argon2Version as Version,
};

/// The fewest bytes of a salt.
pub const SALT_MIN: usize = 8;
/// The fewest bytes of a derived key.
pub const KEY_MIN: usize = 4;

/// The most lanes.
pub const LANES_MAX: u32 = 0xff_ffff;

impl Cost {
    /// Returns the cost of `passes` over `memory` KiB in `lanes` lanes, for the version of RFC
    /// 9106.
    ///
    /// # Errors
    /// [`Error::Cost`] for parameters outside RFC 9106: 0 passes, 0 or more than [`LANES_MAX`]
    /// lanes, less than 8 KiB per lane.
    pub fn new(kind: Kind, memory: u32, passes: u32, lanes: u32) -> Result<Cost, Error> {
        if passes == 0
            || lanes == 0
            || lanes > LANES_MAX
            || u64::from(memory) < 8 * u64::from(lanes)
        {
            return Err(Error::Cost);
        }
        Ok(Cost { kind, version: Version::V13, memory, passes, lanes })
    }

    /// Replaces the version.
    pub fn with_version(self, version: Version) -> Cost {
        Cost { version, ..self }
    }

    /// Returns the kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the memory in KiB.
    pub fn memory(&self) -> u32 {
        self.memory
    }

    /// Returns the number of passes over the memory.
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// Returns the number of lanes.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }
}

/// Returns the bytes of working memory.
pub fn memory(cost: &Cost) -> u64 {
    Native::argon2_memory(cost)
}

/// Derives a key. Allocates the working memory.
///
/// # Errors
/// [`Error::SaltSize`]; [`Error::OutputSize`] for fewer than [`KEY_MIN`] or more than 2^32 - 1
/// bytes; [`Error::SourceTooLarge`] for inputs of more than 2^32 - 1 bytes; [`Error::Memory`] if
/// the machine is short of memory.
pub fn derive(cost: &Cost, input: &Input<'_>, target: &mut [u8]) -> Result<(), Error> {
    check(input, target)?;
    derive_in(cost, input, target, &mut Memory::new(memory(cost))?, &mut NoCheckpoint)
}

/// Derives a key in `memory`. Reaches a checkpoint at least once per millisecond.
///
/// # Errors
/// As [`derive()`]; also [`Error::Memory`] if `memory` does not suffice; [`Error::Cancelled`].
pub fn derive_in(
    cost: &Cost,
    input: &Input<'_>,
    target: &mut [u8],
    memory: &mut Memory,
    checkpoint: &mut dyn Checkpoint,
) -> Result<(), Error> {
    check(input, target)?;
    Native::argon2(cost, input, target, memory, checkpoint)
}

fn check(input: &Input<'_>, target: &[u8]) -> Result<(), Error> {
    let fits = |bytes: &[u8]| u32::try_from(bytes.len()).is_ok();
    if input.salt.len() < SALT_MIN {
        return Err(Error::SaltSize);
    }
    if target.len() < KEY_MIN || !fits(target) {
        return Err(Error::OutputSize);
    }
    if [input.password, input.salt, input.secret, input.associated].iter().all(|bytes| fits(bytes))
    {
        Ok(())
    } else {
        Err(Error::SourceTooLarge)
    }
}
