//! Argon2 (RFC 9106).

#[allow(unsafe_code)]
pub(crate) mod fill;

use super::Memory;
use super::function::{DerivationJob, DerivationSize, Function, Numbers};
use crate::Error;
use crate::checkpoint::{Checkpoint, NoCheckpoint};

pub use self::fill::{Cost, Input, Kind, Version};

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
    fill::memory(cost)
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
    fill::run(cost, input, target, memory, checkpoint)
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

/// Returns the cost in `costs`: passes, KiB of memory, lanes, and the variant, with the kind in its
/// low byte and the version in the next.
///
/// # Errors
/// [`Error::Cost`] for a variant or a cost that Argon2 does not define.
pub fn parameters(numbers: &Numbers) -> Result<Cost, Error> {
    let variant = numbers.cost(3)?;
    let kind = match variant & 0xff {
        0 => Kind::D,
        1 => Kind::I,
        2 => Kind::Id,
        _ => return Err(Error::Cost),
    };
    let version = match variant >> 8 {
        0x10 => Version::V10,
        0x13 => Version::V13,
        _ => return Err(Error::Cost),
    };
    let cost = Cost::new(kind, numbers.cost(1)?, numbers.cost(0)?, numbers.cost(2)?)?;
    Ok(cost.with_version(version))
}

pub(super) struct Argon2;

impl Function for Argon2 {
    fn memory(&self, numbers: &Numbers, _aad: &[u8]) -> Result<u64, Error> {
        parameters(numbers).map(|cost| memory(&cost))
    }

    fn predict(&self, size: &DerivationSize<'_>) -> Result<u64, Error> {
        let cost = parameters(size.numbers)?;
        Ok(150_u64.saturating_mul(cost.memory.into()).saturating_mul(cost.passes.into()))
    }

    fn derive(
        &self,
        jobs: &mut [DerivationJob<'_>],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        for (index, job) in jobs.iter_mut().enumerate() {
            let &mut DerivationJob { password, salt, secret, aad: associated, .. } = job;
            let input = Input { password, salt, secret, associated };
            derive_in(&parameters(&job.numbers)?, &input, job.target, memory, checkpoint)?;
            each(index, job.target);
        }
        Ok(())
    }
}
