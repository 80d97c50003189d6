//! Argon2 (RFC 9106).

use super::Memory;
use crate::Error;
use crate::checkpoint::{Checkpoint, NoCheckpoint};
use crate::engines::{Chosen, Derivation};

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
    /// The cost of `memory` KiB, gone over `passes` times, in `lanes` lanes; of the version of RFC
    /// 9106.
    ///
    /// # Errors
    /// [`Error::Cost`] for numbers outside of RFC 9106: no passes, no lanes or more than
    /// [`LANES_MAX`], less memory than 8 KiB a lane.
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

    /// The same of another version.
    pub fn with_version(self, version: Version) -> Cost {
        Cost { version, ..self }
    }

    /// Which Argon2.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Of which version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// KiB of memory, as given.
    pub fn memory(&self) -> u32 {
        self.memory
    }

    /// How many times the memory is gone over.
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// In how many lanes.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }
}

/// Bytes of working memory.
pub fn memory(cost: &Cost) -> u64 {
    Chosen::argon2_memory(cost)
}

/// Derives a key, with working memory of its own.
///
/// # Errors
/// [`Error::SaltSize`], [`Error::OutputSize`] for less than [`KEY_MIN`] bytes or 2^32 and more,
/// [`Error::SourceTooLarge`] for inputs of 2^32 bytes and more, [`Error::Memory`] when the machine
/// has not enough.
pub fn derive(cost: &Cost, input: &Input<'_>, target: &mut [u8]) -> Result<(), Error> {
    check(input, target)?;
    derive_paced(cost, input, target, &mut Memory::new(memory(cost))?, &mut NoCheckpoint)
}

/// Derives a key in this memory, with a pause after at most a millisecond.
///
/// # Errors
/// As [`derive()`]; [`Error::Memory`] too when the memory does not suffice; [`Error::Cancelled`].
pub fn derive_paced(
    cost: &Cost,
    input: &Input<'_>,
    target: &mut [u8],
    memory: &mut Memory,
    checkpoint: &mut dyn Checkpoint,
) -> Result<(), Error> {
    check(input, target)?;
    Chosen::argon2(cost, input, target, memory, checkpoint)
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
