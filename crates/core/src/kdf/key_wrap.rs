//! AES key wrap: KW (RFC 3394) and KWP, with padding (RFC 5649), both of NIST SP 800-38F, over the
//! library's AES.
//!
//! Not a derivation, but computed like one: secrets in, few bytes out.

use std::mem::MaybeUninit;

use super::Memory;
use super::function::{DerivationJob, DerivationSize, Function, Numbers};
use crate::Error;
use crate::checkpoint::Checkpoint;
use crate::primitives::{Aes, AesInverse, Library, Primitives};
use crate::wipe::{Secret, Wiped, wipe, wipe_below};

/// The bytes by which a wrapped key is longer than its key, after padding.
pub const OVERHEAD: usize = 8;
/// The most bytes of a key to wrap. The standards allow more; this much takes half a millisecond.
pub const KEY_MAX: usize = 1 << 16;

/// Nanoseconds of one AES block, which depends on the one before it.
const BLOCK_NS: u64 = 15;

/// Bytes of what is moved at a time.
const HALF: usize = 8;
/// The first half without padding (RFC 3394, section 2.2.3.1).
const WHOLE: [u8; HALF] = [0xa6; HALF];
/// The beginning of the first half with padding; the size of the key follows (RFC 5649, section 3).
const PADDED: [u8; 4] = [0xa6, 0x59, 0x59, 0xa6];

/// The form of a wrapped key.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Padding {
    /// KW: keys of at least 16 bytes, a multiple of 8.
    None,
    /// KWP: keys of at least one byte.
    Zeros,
}

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
    check_size(wrapping_key)?;
    let mut aes = Wiped(MaybeUninit::<<Library as Primitives>::Aes>::zeroed());
    Aes::prepare(&mut aes.0, wrapping_key)?;
    let (first, rest) = target.split_first_chunk_mut::<HALF>().ok_or(Error::Engine)?;
    *first = match padding {
        Padding::None => WHOLE,
        Padding::Zeros => {
            let [a, b, c, d] = PADDED;
            let [e, f, g, h] = (key.len() as u32).to_be_bytes();
            [a, b, c, d, e, f, g, h]
        }
    };
    let (text, zeros) = rest.split_at_mut_checked(key.len()).ok_or(Error::Engine)?;
    text.copy_from_slice(key);
    zeros.fill(0);
    // SAFETY: the place was zeroed, which is a value of what is plain, before the key was prepared.
    let prepared = unsafe { aes.0.assume_init_ref() };
    mix(first, rest, |aes_block| prepared.encrypt(aes_block));
    drop(aes);
    wipe_below();
    Ok(())
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
    check_size(wrapping_key)?;
    let mut aes = Wiped(MaybeUninit::<<Library as Primitives>::AesInverse>::zeroed());
    AesInverse::prepare(&mut aes.0, wrapping_key)?;
    let (head, rest) = wrapped.split_first_chunk::<HALF>().ok_or(Error::Engine)?;
    let mut first = Secret(*head);
    target.copy_from_slice(rest);
    // SAFETY: the place was zeroed, which is a value of what is plain, before the key was prepared.
    let prepared = unsafe { aes.0.assume_init_ref() };
    unmix(&mut first.0, target, |aes_block| prepared.decrypt(aes_block));
    drop(aes);
    wipe_below();
    let room = target.len();
    let size = match padding {
        Padding::None => Library::equal(&first.0, &WHOLE).then_some(room),
        Padding::Zeros => padded_size(&first.0, target),
    };
    if size.is_none() {
        wipe(target);
    }
    size.ok_or(Error::Authentication)
}

fn check_size(wrapping_key: &[u8]) -> Result<(), Error> {
    if matches!(wrapping_key.len(), 16 | 24 | 32) { Ok(()) } else { Err(Error::KeySize) }
}

/// Returns the size of the key if beginning and padding are right; all are looked at before any is
/// known to be wrong.
fn padded_size(first: &[u8; HALF], target: &[u8]) -> Option<usize> {
    let [a, b, c, d, size @ ..] = *first;
    let (room, size) = (target.len() as u64, u64::from(u32::from_be_bytes(size)));
    // At most seven bytes are padding. The sizes are numbers of less than 33 bits, so that a
    // difference below zero shows in the highest bit.
    let outside = (room.wrapping_sub(size) | (size + HALF as u64 - 1).wrapping_sub(room)) >> 63;
    let last: &[u8; HALF] = target.last_chunk()?;
    let mut padding = *last;
    for (byte, at) in padding.iter_mut().zip(room - HALF as u64..) {
        // All ones from the size on.
        let keep = ((at.wrapping_sub(size) >> 63) as u8).wrapping_sub(1);
        *byte &= keep;
    }
    let begins = Library::equal(&[a, b, c, d], &PADDED);
    let zeros = Library::equal(&padding, &[0; HALF]);
    (begins & zeros & (outside == 0)).then_some(size as usize)
}

/// Applies the wrapping process, W (NIST SP 800-38F, section 6.1); a single half is encrypted as it
/// is.
fn mix(first: &mut [u8; HALF], rest: &mut [u8], encrypt: impl Fn(&mut [u8; 2 * HALF])) {
    let halves = rest.as_chunks_mut::<HALF>().0;
    let mut block = Secret::<{ 2 * HALF }>::zeros();
    let (once, count) = (halves.len() == 1, halves.len());
    block.0[..HALF].copy_from_slice(first);
    for turn in 0..if once { 1 } else { 6 } {
        for (index, half) in halves.iter_mut().enumerate() {
            block.0[HALF..].copy_from_slice(half);
            encrypt(&mut block.0);
            half.copy_from_slice(&block.0[HALF..]);
            number(&mut block.0, if once { 0 } else { turn * count + index + 1 });
        }
    }
    first.copy_from_slice(&block.0[..HALF]);
}

/// Undoes [`mix`].
fn unmix(first: &mut [u8; HALF], rest: &mut [u8], decrypt: impl Fn(&mut [u8; 2 * HALF])) {
    let halves = rest.as_chunks_mut::<HALF>().0;
    let mut block = Secret::<{ 2 * HALF }>::zeros();
    let (once, count) = (halves.len() == 1, halves.len());
    block.0[..HALF].copy_from_slice(first);
    for turn in (0..if once { 1 } else { 6 }).rev() {
        for (index, half) in halves.iter_mut().enumerate().rev() {
            number(&mut block.0, if once { 0 } else { turn * count + index + 1 });
            block.0[HALF..].copy_from_slice(half);
            decrypt(&mut block.0);
            half.copy_from_slice(&block.0[HALF..]);
        }
    }
    first.copy_from_slice(&block.0[..HALF]);
}

/// Adds the number of a step to the first half of a block.
fn number(block: &mut [u8; 2 * HALF], step: usize) {
    *block = (u128::from_be_bytes(*block) ^ (step as u128) << 64).to_be_bytes();
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

    fn predict(&self, size: &DerivationSize<'_>) -> Result<u64, Error> {
        Ok(500 + BLOCK_NS * 6 * size.target.div_ceil(8) as u64)
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
