//! SHA-3, SHAKE and the original Keccak: one sponge over a permutation of our own.

use super::Digest;
use super::wipe::{Plain, wipe_plain};
use crate::hash::Params;

/// The end mark of the original Keccak, before NIST added bits to tell the functions apart.
const KECCAK: u8 = 0x01;
/// The end mark of SHA-3.
const SHA3: u8 = 0x06;
/// The end mark of SHAKE.
const SHAKE: u8 = 0x1f;

/// SHA3-224.
pub(crate) type Sha3_224 = Sponge<144, 28, SHA3>;
/// SHA3-256.
pub(crate) type Sha3_256 = Sponge<136, 32, SHA3>;
/// SHA3-384.
pub(crate) type Sha3_384 = Sponge<104, 48, SHA3>;
/// SHA3-512.
pub(crate) type Sha3_512 = Sponge<72, 64, SHA3>;
/// Keccak with 224 bits, as submitted to NIST.
pub(crate) type Keccak224 = Sponge<144, 28, KECCAK>;
/// Keccak with 256 bits, as Ethereum uses it.
pub(crate) type Keccak256 = Sponge<136, 32, KECCAK>;
/// Keccak with 384 bits.
pub(crate) type Keccak384 = Sponge<104, 48, KECCAK>;
/// Keccak with 512 bits.
pub(crate) type Keccak512 = Sponge<72, 64, KECCAK>;
/// SHAKE128. Has no size of its own; this is its security in bytes.
pub(crate) type Shake128 = Sponge<168, 32, SHAKE>;
/// SHAKE256. Has no size of its own; this is its security in bytes.
pub(crate) type Shake256 = Sponge<136, 64, SHAKE>;

/// A sponge with a rate and a digest in bytes, and the byte that ends a message.
#[derive(Clone)]
pub(crate) struct Sponge<const RATE: usize, const SIZE: usize, const MARK: u8> {
    lanes: [u64; 25],
    /// Where in the rate the next byte goes in, or comes out of once squeezing has begun.
    at: usize,
}

// SAFETY: made of integers and an array of integers.
unsafe impl<const RATE: usize, const SIZE: usize, const MARK: u8> Plain for Sponge<RATE, SIZE, MARK> {}

impl<const RATE: usize, const SIZE: usize, const MARK: u8> Digest for Sponge<RATE, SIZE, MARK> {
    const BLOCK: usize = RATE;
    const SIZE: usize = SIZE;

    #[inline]
    fn new(_params: &Params<'_>) -> Self {
        Self { lanes: [0; 25], at: 0 }
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        let mut source = source;
        if self.at > 0 {
            let (first, rest) = source.split_at(source.len().min(RATE - self.at));
            xor_bytes(&mut self.lanes, self.at, first);
            self.at += first.len();
            if self.at < RATE {
                return;
            }
            permute(&mut self.lanes);
            self.at = 0;
            source = rest;
        }
        let mut blocks = source.chunks_exact(RATE);
        for block in &mut blocks {
            xor_bytes(&mut self.lanes, 0, block);
            permute(&mut self.lanes);
        }
        xor_bytes(&mut self.lanes, 0, blocks.remainder());
        self.at = blocks.remainder().len();
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        self.pad();
        self.squeeze(target);
    }

    #[inline]
    fn wipe(&mut self) {
        wipe_plain(self);
    }
}

impl<const RATE: usize, const SIZE: usize, const MARK: u8> Sponge<RATE, SIZE, MARK> {
    /// Ends the message.
    #[inline]
    fn pad(&mut self) {
        xor_bytes(&mut self.lanes, self.at, &[MARK]);
        xor_bytes(&mut self.lanes, RATE - 1, &[0x80]);
        permute(&mut self.lanes);
        self.at = 0;
    }

    /// Takes the next bytes of output, any number at a time.
    #[inline]
    fn squeeze(&mut self, target: &mut [u8]) {
        let mut target = target;
        while !target.is_empty() {
            if self.at == RATE {
                permute(&mut self.lanes);
                self.at = 0;
            }
            let (now, rest) = target.split_at_mut(target.len().min(RATE - self.at));
            copy_bytes(&self.lanes, self.at, now);
            self.at += now.len();
            target = rest;
        }
    }
}

/// Adds bytes to the state, from the byte `at` on.
#[inline(always)]
fn xor_bytes(lanes: &mut [u64; 25], at: usize, source: &[u8]) {
    let mut at = at;
    let ahead = (at.wrapping_neg() % 8).min(source.len());
    let (head, body) = source.split_at(ahead);
    for &byte in head {
        lanes[at / 8] ^= u64::from(byte) << (8 * (at % 8));
        at += 1;
    }
    let (words, tail) = body.as_chunks::<8>();
    for (lane, &word) in lanes[at / 8..].iter_mut().zip(words) {
        *lane ^= u64::from_le_bytes(word);
    }
    at += words.len() * 8;
    for &byte in tail {
        lanes[at / 8] ^= u64::from(byte) << (8 * (at % 8));
        at += 1;
    }
}

/// Copies bytes of the state, from the byte `at` on.
#[inline(always)]
fn copy_bytes(lanes: &[u64; 25], at: usize, target: &mut [u8]) {
    let mut at = at;
    let ahead = (at.wrapping_neg() % 8).min(target.len());
    let (head, body) = target.split_at_mut(ahead);
    for byte in head {
        *byte = (lanes[at / 8] >> (8 * (at % 8))) as u8;
        at += 1;
    }
    let (words, tail) = body.as_chunks_mut::<8>();
    for (word, lane) in words.iter_mut().zip(&lanes[at / 8..]) {
        *word = lane.to_le_bytes();
    }
    at += words.len() * 8;
    for byte in tail {
        *byte = (lanes[at / 8] >> (8 * (at % 8))) as u8;
        at += 1;
    }
}

const ROUND_CONSTANTS: [u64; 24] = [
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
];

/// Keccak-f[1600].
fn permute(lanes: &mut [u64; 25]) {
    for constant in ROUND_CONSTANTS {
        round(lanes, constant);
    }
}

#[inline(always)]
fn round(a: &mut [u64; 25], constant: u64) {
    const ROTATIONS: [u32; 25] =
        [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];
    let mut c = [0; 5];
    for x in 0..5 {
        c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    }
    let mut b = [0; 25];
    for x in 0..5 {
        let d = c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1);
        for y in 0..5 {
            let from = x + 5 * y;
            b[y + 5 * ((2 * x + 3 * y) % 5)] = (a[from] ^ d).rotate_left(ROTATIONS[from]);
        }
    }
    for y in 0..5 {
        for x in 0..5 {
            a[x + 5 * y] = b[x + 5 * y] ^ (!b[(x + 1) % 5 + 5 * y] & b[(x + 2) % 5 + 5 * y]);
        }
    }
    a[0] ^= constant;
}
