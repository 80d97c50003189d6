//! AES key wrap: KW (RFC 3394) and KWP, with padding (RFC 5649), both of NIST SP 800-38F.
//!
//! Not a derivation, but computed like one: secrets in, few bytes out.

#[allow(unsafe_code)]
pub(crate) mod wrap;

use super::Memory;
use super::function::{DerivationJob, Function, Numbers};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Checkpoint;
use crate::wipe;

pub use self::wrap::Padding;

/// The bytes by which a wrapped key is longer than its key, after padding.
pub const OVERHEAD: usize = 8;
/// The most bytes of a key to wrap. The standards allow more; this much takes half a millisecond.
pub const KEY_MAX: usize = 1 << 16;

/// Nanoseconds of one AES block, which depends on the one before it.
const BLOCK_NS: u64 = 15;

impl Padding {
    /// Returns true if a key may have this many bytes.
    pub fn key_fits(self, size: usize) -> bool {
        match self {
            Padding::None => size >= 16 && size.is_multiple_of(8) && size <= KEY_MAX,
            Padding::Zeros => (1..=KEY_MAX).contains(&size),
        }
    }

    /// Returns true if a wrapped key may have this many bytes.
    pub fn wrapped_fits(self, size: usize) -> bool {
        let least = if self == Padding::None { 24 } else { 16 };
        size.is_multiple_of(8) && (least..=KEY_MAX + OVERHEAD).contains(&size)
    }

    fn of(numbers: &Numbers) -> Result<Padding, Error> {
        match numbers.costs[0] {
            0 => Ok(Padding::None),
            1 => Ok(Padding::Zeros),
            _ => Err(Error::Cost),
        }
    }
}

/// Wraps `key` with a wrapping key of 16, 24 or 32 bytes. `target` has [`OVERHEAD`] bytes more than
/// the padded key.
///
/// # Errors
/// [`Error::KeySize`] for another wrapping key, [`Error::SourceTooLarge`] for a key that does not
/// fit, [`Error::OutputSize`].
pub fn wrap(
    padding: Padding,
    wrapping_key: &[u8],
    key: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    if !padding.key_fits(key.len()) {
        return Err(Error::SourceTooLarge);
    }
    if target.len() != key.len().next_multiple_of(8) + OVERHEAD {
        return Err(Error::OutputSize);
    }
    wrap::wrap(padding, check_size(wrapping_key)?, key, target)
}

/// Unwraps a key into `target`, which has [`OVERHEAD`] bytes less. Returns the size of the key; the
/// bytes after it are zero. Checks in a time that does not depend on the bytes.
///
/// # Errors
/// As [`wrap`]; [`Error::Authentication`] if the wrapping key differs or a bit has changed, after
/// which the target is zero.
pub fn unwrap(
    padding: Padding,
    wrapping_key: &[u8],
    wrapped: &[u8],
    target: &mut [u8],
) -> Result<usize, Error> {
    if !padding.wrapped_fits(wrapped.len()) {
        return Err(Error::SourceTooLarge);
    }
    if target.len() + OVERHEAD != wrapped.len() {
        return Err(Error::OutputSize);
    }
    let size = wrap::unwrap(padding, check_size(wrapping_key)?, wrapped, target);
    if size.is_err() {
        wipe::wipe(target);
    }
    size
}

fn check_size(wrapping_key: &[u8]) -> Result<&[u8], Error> {
    if matches!(wrapping_key.len(), 16 | 24 | 32) { Ok(wrapping_key) } else { Err(Error::KeySize) }
}

/// The direction of a job. The first cost is 1 with padding.
pub(super) enum Direction {
    /// Wraps the secret with the password.
    WrapKey,
    /// Unwraps the secret with the password. The target has one byte more, for the size of the
    /// padding.
    UnwrapKey,
}

impl Function for Direction {
    fn memory(&self, numbers: &Numbers, _aad: &[u8]) -> Result<u64, Error> {
        Padding::of(numbers).map(|_| 0)
    }

    fn predict(
        &self,
        _numbers: &Numbers,
        _aad: &[u8],
        size: usize,
        _block: &dyn Fn(Hash) -> u64,
    ) -> Result<u64, Error> {
        Ok(500 + BLOCK_NS * 6 * size.div_ceil(8) as u64)
    }

    fn derive(
        &self,
        jobs: &mut [DerivationJob<'_>],
        _memory: &mut Memory,
        _checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        for (index, job) in jobs.iter_mut().enumerate() {
            let padding = Padding::of(&job.numbers)?;
            match self {
                Direction::WrapKey => wrap(padding, job.password, job.secret, job.target)?,
                Direction::UnwrapKey => {
                    let (last, target) = job.target.split_last_mut().ok_or(Error::OutputSize)?;
                    let size = unwrap(padding, job.password, job.secret, target)?;
                    *last = (target.len() - size) as u8;
                }
            }
            each(index, job.target);
        }
        Ok(())
    }
}
