//! AES-CTR with AES instructions on four blocks at once, eight such registers side by side. The
//! loop is in [`aes`](super).
//!
//! Round keys are broadcast to all lanes once a call. The last 1 to 511 bytes take one, two, four
//! or eight registers, the fewest that hold them, and a masked load and store for one that is not
//! whole. Counters are kept in four lanes, still little-endian, as numbers of two halves:
//!
//! ```text
//! next registers, i in 0..COUNT:
//!     if the lower half overflows among them   make each lane from the number
//!     else if the lowest byte overflows        add 4i to the lower halves (VPADDQ), reverse bytes
//!     else                                     reverse bytes once, add 4i to the last byte
//! ```

use std::arch::x86_64::*;

use super::expand::RoundKeys;
use super::words;
use crate::cipher::text::Span;
use crate::cpu::features::Vaes512;

/// Bytes of a register: four blocks.
pub(crate) const WIDE: usize = 64;
/// Registers in a pass. With eight, one's latency hides behind the others.
pub(crate) const PASS: usize = 8;

/// Encrypts or decrypts `size` bytes.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint. The key is of as many rounds.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,vaes")]
pub(crate) unsafe fn ctr<const ROUNDS: usize>(
    keys: &RoundKeys,
    counter: u128,
    text: Span,
    _proof: Vaes512,
) {
    // SAFETY: source and target have `size` bytes and are equal or disjoint.
    unsafe { apply::<ROUNDS>(&spread(keys), &mut Counter::new(counter), text) }
}

/// Encrypts or decrypts `size` bytes, the last of a text.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,vaes")]
pub(crate) unsafe fn apply<const ROUNDS: usize>(
    keys: &[__m512i; 15],
    counter: &mut Counter,
    text: Span,
) {
    let Span { source, target, size } = text;
    let mut at = 0;
    // SAFETY: what is read and written lies within the `size` bytes.
    unsafe {
        while size - at >= PASS * WIDE {
            mix::<PASS, ROUNDS>(keys, counter, source.add(at), target.add(at), PASS * WIDE);
            at += PASS * WIDE;
        }
        let (source, target) = (source.add(at), target.add(at));
        match size - at {
            0 => {}
            rest @ 1..=64 => mix::<1, ROUNDS>(keys, counter, source, target, rest),
            rest @ 65..=128 => mix::<2, ROUNDS>(keys, counter, source, target, rest),
            rest @ 129..=256 => mix::<4, ROUNDS>(keys, counter, source, target, rest),
            rest => mix::<8, ROUNDS>(keys, counter, source, target, rest),
        }
    }
}

/// Returns for each round key a register with four copies of it.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn spread(keys: &RoundKeys) -> [__m512i; 15] {
    keys.map(|key| _mm512_broadcast_i32x4(words(u128::from_ne_bytes(key))))
}

/// Encrypts or decrypts at most `COUNT` registers.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,vaes")]
unsafe fn mix<const COUNT: usize, const ROUNDS: usize>(
    keys: &[__m512i; 15],
    counter: &mut Counter,
    source: *const u8,
    target: *mut u8,
    size: usize,
) {
    let mut blocks = counter.next::<COUNT>().map(|block| _mm512_xor_si512(block, keys[0]));
    for key in &keys[1..ROUNDS] {
        for block in &mut blocks {
            *block = _mm512_aesenc_epi128(*block, *key);
        }
    }
    for (index, block) in blocks.into_iter().enumerate() {
        let at = index * WIDE;
        let stream = _mm512_aesenclast_epi128(block, keys[ROUNDS]);
        // SAFETY: within the `size` bytes; the mask keeps to a last part that is shorter.
        unsafe {
            if size >= at + WIDE {
                let text = _mm512_loadu_si512(source.add(at).cast());
                _mm512_storeu_si512(target.add(at).cast(), _mm512_xor_si512(text, stream));
            } else if size > at {
                let mask = (1 << (size - at)) - 1;
                let text = _mm512_maskz_loadu_epi8(mask, source.add(at).cast());
                _mm512_mask_storeu_epi8(
                    target.add(at).cast(),
                    mask,
                    _mm512_xor_si512(text, stream),
                );
            }
        }
    }
}

/// The counter: as a number, and as four blocks that are still little-endian.
pub(crate) struct Counter {
    number: u128,
    blocks: __m512i,
}

impl Counter {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn new(number: u128) -> Self {
        Self { number, blocks: four(number) }
    }

    /// Returns the next blocks to encrypt.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(crate) fn next<const COUNT: usize>(&mut self) -> [__m512i; COUNT] {
        let first = self.number;
        let steps = 4 * COUNT as u64;
        self.number = first.wrapping_add(steps.into());
        // The vectors add to the lower half only. Where that overflows, which is seldom, the blocks
        // are made one by one.
        let reverse = _mm512_broadcast_i32x4(words(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f));
        let reversed = |block| _mm512_shuffle_epi8(block, reverse);
        if (first as u64).checked_add(steps).is_some() {
            let begin = self.blocks;
            self.blocks = _mm512_add_epi64(begin, number_each(steps.into()));
            // As long as the last byte does not overflow, the reversed blocks are counted on.
            if (first as u8).checked_add(steps as u8 - 1).is_some() {
                let begin = reversed(begin);
                return std::array::from_fn(|index| {
                    _mm512_add_epi32(begin, number_each((4 * index as u128) << 120))
                });
            }
            std::array::from_fn(|index| {
                reversed(_mm512_add_epi64(begin, number_each(4 * index as u128)))
            })
        } else {
            self.blocks = four(self.number);
            std::array::from_fn(|index| reversed(four(first.wrapping_add(4 * index as u128))))
        }
    }
}

/// Returns a number and its three successors.
#[inline]
#[target_feature(enable = "avx512f")]
fn four(number: u128) -> __m512i {
    let low = |index: u128| number.wrapping_add(index) as i64;
    let high = |index: u128| (number.wrapping_add(index) >> 64) as i64;
    _mm512_set_epi64(high(3), low(3), high(2), low(2), high(1), low(1), high(0), low(0))
}

/// Returns the number repeated for each block.
#[inline]
#[target_feature(enable = "avx512f")]
fn number_each(number: u128) -> __m512i {
    _mm512_broadcast_i32x4(words(number))
}
