//! AES's key schedule with AES-NI.
//!
//! Our own and not AWS-LC's: the layout of its keys depends on which code it has chosen. SubWord is
//! the last round of an encryption (AESENCLAST) of a block with four equal columns, which ShiftRows
//! leaves alone.
//!
//! ```text
//! sums(w):           w[0], w[0]^w[1], w[0]^w[1]^w[2], and so on        shifts by 4 and 8 bytes
//! sub_rotated(w):    SubWord(RotWord(w)) ^ constant, in all words      PSHUFB, AESENCLAST
//! AES-128:  key  = sums(key) ^ sub_rotated(key[3])                     a round key each
//! AES-192:  four = sums(four) ^ sub_rotated(two[1])                    six words each
//!           two  = (two[0], two[0]^two[1]) ^ four[3]
//! AES-256:  even = sums(even) ^ sub_rotated(odd[3])                    two round keys each
//!           odd  = sums(odd) ^ SubWord(even[3])
//! ```

use std::arch::x86_64::*;

use crate::cpu::features::Vaes256;
use crate::wipe::wipe_plain;

/// All round keys in order: 11, 13 or 15 of them.
pub(crate) type RoundKeys = [[u8; 16]; 15];

/// Writes the round keys of AES-128.
#[target_feature(enable = "aes,avx")]
pub(crate) fn expand_128(key: &[u8; 16], keys: &mut RoundKeys, _proof: Vaes256) {
    let mut last = load(key);
    keys[0] = *key;
    let constants = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];
    for (constant, key) in constants.into_iter().zip(&mut keys[1..]) {
        last = _mm_xor_si128(sums(last), sub_rotated::<3>(last, constant));
        store(last, key);
    }
}

/// Writes the round keys of AES-192: a register with four words and one with two.
#[target_feature(enable = "aes,avx")]
pub(crate) fn expand_192(key: &[u8; 24], keys: &mut RoundKeys, _proof: Vaes256) {
    let mut ends = [0; 16];
    ends[..8].copy_from_slice(&key[16..]);
    let (mut four, mut two) = (load(key[..16].first_chunk().expect("16 bytes")), load(&ends));
    let keys = keys.as_flattened_mut();
    keys[..24].copy_from_slice(key);
    let mut at = 24;
    for constant in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80] {
        four = _mm_xor_si128(sums(four), sub_rotated::<1>(two, constant));
        two = _mm_xor_si128(two, _mm_slli_si128::<4>(two));
        two = _mm_xor_si128(two, _mm_shuffle_epi32::<0xff>(four));
        store(four, keys[at..].first_chunk_mut().expect("room for 15 round keys"));
        store(two, &mut ends);
        keys[at + 16..at + 24].copy_from_slice(&ends[..8]);
        at += 24;
    }
    wipe_plain(&mut ends);
}

/// Writes the round keys of AES-256.
#[target_feature(enable = "aes,avx")]
pub(crate) fn expand_256(key: &[u8; 32], keys: &mut RoundKeys, _proof: Vaes256) {
    let [first, second] = key.as_chunks::<16>().0 else { unreachable!("32 bytes") };
    let (mut even, mut odd) = (load(first), load(second));
    keys[0] = *first;
    keys[1] = *second;
    let constants = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40];
    for (constant, keys) in constants.into_iter().zip(keys[2..].chunks_mut(2)) {
        even = _mm_xor_si128(sums(even), sub_rotated::<3>(odd, constant));
        store(even, &mut keys[0]);
        if let Some(key) = keys.get_mut(1) {
            let word = _mm_shuffle_epi32::<0xff>(even);
            odd = _mm_xor_si128(sums(odd), _mm_aesenclast_si128(word, _mm_setzero_si128()));
            store(odd, key);
        }
    }
}

/// Adds (XOR) to each word those before it.
#[inline]
#[target_feature(enable = "avx")]
fn sums(words: __m128i) -> __m128i {
    let words = _mm_xor_si128(words, _mm_slli_si128::<4>(words));
    _mm_xor_si128(words, _mm_slli_si128::<8>(words))
}

/// Returns RotWord and SubWord of one word and the round's constant, in all words.
#[inline]
#[target_feature(enable = "aes,avx")]
fn sub_rotated<const WORD: i32>(words: __m128i, constant: i32) -> __m128i {
    let rotated = 0x0c0f_0e0d - 0x0404_0404 * (3 - WORD);
    _mm_aesenclast_si128(_mm_shuffle_epi8(words, _mm_set1_epi32(rotated)), _mm_set1_epi32(constant))
}

#[inline]
#[target_feature(enable = "avx")]
fn load(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: reads the 16 bytes of the array.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx")]
fn store(words: __m128i, bytes: &mut [u8; 16]) {
    // SAFETY: writes the 16 bytes of the array.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), words) }
}
