//! The compression of SHA-2 with 64-bit words, and the end of a message: Millrace's own code where
//! the CPU has the instructions, otherwise the library's.

use super::plain;
#[cfg(target_arch = "x86_64")]
use super::x86;
#[cfg(target_arch = "x86_64")]
use crate::cpu::features::{Schedule256, Schedule512};
use crate::primitives::{Library, MILLRACE, Primitives};
use crate::wipe::Secret;

/// Bytes of a block, and of its part before the message's length.
pub(crate) const BLOCK: usize = 128;
const ROOM: usize = BLOCK - 16;

/// True where RustCrypto's code takes 1.2 times as long as scalar code of ours.
const PLAIN: bool = cfg!(all(target_arch = "wasm32", not(target_feature = "simd128")));

/// The library that computes it where the CPU lacks the instructions for ours.
pub(crate) const LIBRARY: &str = if PLAIN { MILLRACE } else { Library::NAME };

/// Absorbs whole blocks.
#[inline]
pub(crate) fn compress(words: &mut [u64; 8], blocks: &[[u8; BLOCK]]) {
    if blocks.is_empty() {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(proof) = Schedule512::detect() {
            // SAFETY: the proof says that the CPU has the instructions.
            return unsafe { x86::compress_512(words, blocks, proof) };
        }
        if let Some(proof) = Schedule256::detect() {
            // SAFETY: as above.
            return unsafe { x86::compress_256(words, blocks, proof) };
        }
    }
    if PLAIN {
        plain::compress(words, blocks);
    } else {
        Library::sha512(words, blocks);
    }
}

/// Absorbs the rest of a message of `length` bytes from a border of blocks on, and pads it.
#[inline]
pub(crate) fn end(words: &mut [u64; 8], length: u128, source: &[u8], target: &mut [u8]) {
    debug_assert!(target.len() <= 64);
    // The rest for the padded blocks: the last bytes, and the block before them where that
    // makes it two, since two blocks in one call have their schedules computed at once.
    let rest = source.len() % BLOCK;
    let whole = source.len() / BLOCK;
    let kept = if rest < ROOM && whole % 2 == 1 { BLOCK + rest } else { rest };
    let (blocks, kept) = source.split_at(source.len() - kept);
    compress(words, blocks.as_chunks().0);
    if kept.len() < ROOM {
        pad::<BLOCK>(words, length, kept);
    } else {
        pad::<{ 2 * BLOCK }>(words, length, kept);
    }
    for (bytes, word) in target.chunks_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_be_bytes()[..bytes.len()]);
    }
}

/// Absorbs the last bytes, padded to `PADDED`.
#[inline]
fn pad<const PADDED: usize>(words: &mut [u64; 8], length: u128, kept: &[u8]) {
    let mut last = Secret::<PADDED>::zeros();
    let bytes = &mut last.0;
    bytes[..kept.len()].copy_from_slice(kept);
    bytes[kept.len()] = 0x80;
    bytes[PADDED - 16..].copy_from_slice(&(length * 8).to_be_bytes());
    compress(words, bytes.as_chunks().0);
}
