//! AES key wrap (RFC 3394, RFC 5649; NIST SP 800-38F) over the library's AES.

use std::mem::MaybeUninit;

use crate::Error;
use crate::primitives::{Aes, AesInverse, Library, Primitives};
use crate::wipe::{Plain, Secret, wipe_below, wipe_plain};

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

/// A key of AES, wiped on drop.
struct Prepared<K: Plain>(MaybeUninit<K>);

impl<K: Plain> Prepared<K> {
    /// Returns a key in the place that `prepare` initialises, unless it fails.
    fn new(prepare: impl FnOnce(&mut MaybeUninit<K>) -> Result<(), Error>) -> Result<Self, Error> {
        let mut key = Self(MaybeUninit::zeroed());
        prepare(&mut key.0).map(|()| key)
    }

    fn key(&self) -> &K {
        // SAFETY: zeros are a valid value of what is plain, and the place was zeroed.
        unsafe { self.0.assume_init_ref() }
    }
}

impl<K: Plain> Drop for Prepared<K> {
    fn drop(&mut self) {
        // SAFETY: as above.
        wipe_plain(unsafe { self.0.assume_init_mut() });
    }
}

/// Wraps a key of a size that fits; the target has the size of the result.
pub(crate) fn wrap(
    padding: Padding,
    wrapping_key: &[u8],
    key: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    let aes =
        Prepared::<<Library as Primitives>::Aes>::new(|place| Aes::prepare(place, wrapping_key))?;
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
    mix(first, rest, |aes_block| aes.key().encrypt(aes_block));
    drop(aes);
    wipe_below();
    Ok(())
}

/// Unwraps a key of a size that fits; the target has 8 bytes less. After an error the target holds
/// what was not authentic.
pub(crate) fn unwrap(
    padding: Padding,
    wrapping_key: &[u8],
    wrapped: &[u8],
    target: &mut [u8],
) -> Result<usize, Error> {
    let aes = Prepared::<<Library as Primitives>::AesInverse>::new(|place| {
        AesInverse::prepare(place, wrapping_key)
    })?;
    let (head, rest) = wrapped.split_first_chunk::<HALF>().ok_or(Error::Engine)?;
    if rest.len() != target.len() {
        return Err(Error::Engine);
    }
    let mut first = Secret(*head);
    target.copy_from_slice(rest);
    unmix(&mut first.0, target, |aes_block| aes.key().decrypt(aes_block));
    drop(aes);
    wipe_below();
    let room = target.len();
    let size = match padding {
        Padding::None => Library::equal(&first.0, &WHOLE).then_some(room),
        Padding::Zeros => padded_size(&first.0, target),
    };
    size.ok_or(Error::Authentication)
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
