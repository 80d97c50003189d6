//! cSHAKE, KMAC and TupleHash (NIST SP 800-185): SHAKE after a block that names the function.
//!
//! The message of a TupleHash is the encoded tuple: each item after its length in bits
//! (`left_encode`), which callers write.

use super::duplex::Duplex;
use crate::catalog::Parameter;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::checkpoint::DigestSink;
use crate::hash::digest::Digest;
use crate::hash::keccak;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::hash::lanes;
use crate::inputs::Params;
use crate::wipe::{Plain, wipe_plain};

/// The end mark of cSHAKE, and of what is built of it.
pub(super) const CSHAKE: u8 = 0x04;

/// cSHAKE128; without function name and customization it is SHAKE128.
pub(crate) type CShake128 = Derived<168, 16, { Kind::CSHAKE }>;
/// cSHAKE256; without function name and customization it is SHAKE256.
pub(crate) type CShake256 = Derived<136, 32, { Kind::CSHAKE }>;
/// KMAC128.
pub(crate) type Kmac128 = Derived<168, 32, { Kind::KMAC }>;
/// KMAC256.
pub(crate) type Kmac256 = Derived<136, 64, { Kind::KMAC }>;
/// KMACXOF128.
pub(crate) type KmacXof128 = Derived<168, 32, { Kind::KMAC_XOF }>;
/// KMACXOF256.
pub(crate) type KmacXof256 = Derived<136, 64, { Kind::KMAC_XOF }>;
/// TupleHash128.
pub(crate) type TupleHash128 = Derived<168, 32, { Kind::TUPLE }>;
/// TupleHash256.
pub(crate) type TupleHash256 = Derived<136, 64, { Kind::TUPLE }>;
/// TupleHashXOF128.
pub(crate) type TupleHashXof128 = Derived<168, 32, { Kind::TUPLE_XOF }>;
/// TupleHashXOF256.
pub(crate) type TupleHashXof256 = Derived<136, 64, { Kind::TUPLE_XOF }>;

/// The functions, as parameters of [`Derived`].
struct Kind;

impl Kind {
    const CSHAKE: u8 = 0;
    const KMAC: u8 = 1;
    const KMAC_XOF: u8 = 2;
    const TUPLE: u8 = 3;
    const TUPLE_XOF: u8 = 4;
}

/// A function of SP 800-185 with a rate and a default length of output in bytes.
#[derive(Clone)]
pub(crate) struct Derived<const RATE: usize, const SIZE: usize, const KIND: u8> {
    sponge: Duplex<RATE, 24>,
    mark: u64,
}

// SAFETY: made of integers and an array of integers.
unsafe impl<const RATE: usize, const SIZE: usize, const KIND: u8> Plain
    for Derived<RATE, SIZE, KIND>
{
}

impl<const RATE: usize, const SIZE: usize, const KIND: u8> Derived<RATE, SIZE, KIND> {
    /// True if the output does not depend on its length, so that it can be squeezed incrementally.
    const XOF: bool = !matches!(KIND, Kind::KMAC | Kind::TUPLE);

    fn name<'a>(params: &Params<'a>) -> &'a [u8] {
        match KIND {
            Kind::CSHAKE => params.parameters.bytes(Parameter::FunctionName).unwrap_or_default(),
            Kind::KMAC | Kind::KMAC_XOF => b"KMAC",
            _ => b"TupleHash",
        }
    }

    fn mark(params: &Params<'_>) -> u8 {
        let plain = Self::name(params).is_empty() && keccak::customization(params).is_empty();
        if plain { keccak::SHAKE } else { CSHAKE }
    }

    /// Ends the message; `bits` is the length of the output.
    #[inline]
    fn end(&mut self, bits: u64) {
        if KIND != Kind::CSHAKE {
            self.sponge.absorb(Integer::right(bits).bytes());
        }
        self.sponge.pad(self.mark as u8);
    }
}

impl<const RATE: usize, const SIZE: usize, const KIND: u8> Digest for Derived<RATE, SIZE, KIND> {
    const BLOCK: usize = RATE;
    const SIZE: usize = SIZE;

    fn new(params: &Params<'_>) -> Self {
        let mut sponge = Duplex::new();
        let mark = Self::mark(params);
        if mark == CSHAKE {
            absorb_prefix(&mut sponge, Self::name(params), keccak::customization(params));
        }
        if matches!(KIND, Kind::KMAC | Kind::KMAC_XOF) {
            let key = params.parameters.bytes(Parameter::Key).unwrap_or_default();
            absorb_padded(&mut sponge, &[key]);
        }
        Self { sponge, mark: mark.into() }
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.sponge.absorb(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        self.end_message(target.len());
        self.sponge.take(target);
    }

    #[inline]
    fn end_message(&mut self, size: usize) {
        self.end(if Self::XOF { 0 } else { 8 * size as u64 });
    }

    const STATE: usize = Duplex::<RATE, 24>::STATE;

    #[inline]
    fn save(&self, state: &mut [u8]) {
        self.sponge.save(state);
    }

    #[inline]
    fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let mark = Self::mark(params).into();
        Duplex::load(state, Self::XOF).map(|sponge| Self { sponge, mark })
    }

    #[inline]
    fn squeeze(&mut self, target: &mut [u8]) {
        if !self.squeezing() {
            self.end(0);
        }
        self.sponge.take(target);
    }

    #[inline]
    fn squeezing(&self) -> bool {
        self.sponge.squeezing()
    }

    #[inline]
    fn wipe(&mut self) {
        wipe_plain(self);
    }

    // The others end with the length of the output, for which the lanes have no place.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline]
    fn multibuffer() -> Option<lanes::Multibuffer> {
        lanes::keccak::multibuffer(lanes::Kernels::detect()).filter(|_| KIND == Kind::CSHAKE)
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        debug_assert!(self.sponge.at == 0 && !self.squeezing());
        let sponge = lanes::keccak::Sponge::<24> { rate: RATE, mark: self.mark as u8 };
        let kernels = lanes::Kernels::detect();
        lanes::keccak::hash(kernels, (sponge, self.sponge.lanes), sources, target, sink);
    }
}

/// Absorbs the block with which cSHAKE begins: `bytepad(encode(name) || encode(customization))`.
pub(super) fn absorb_prefix<const RATE: usize>(
    sponge: &mut Duplex<RATE, 24>,
    name: &[u8],
    customization: &[u8],
) {
    absorb_padded(sponge, &[name, customization]);
}

/// Absorbs `bytepad` of the encoded strings, which fills whole blocks.
fn absorb_padded<const RATE: usize>(sponge: &mut Duplex<RATE, 24>, strings: &[&[u8]]) {
    sponge.absorb(Integer::left(RATE as u64).bytes());
    for string in strings {
        sponge.absorb(Integer::left(8 * string.len() as u64).bytes());
        sponge.absorb(string);
    }
    sponge.end_block();
}

/// A number as big-endian bytes without leading zeros, beside their count.
pub(super) struct Integer {
    bytes: [u8; 9],
    start: usize,
}

impl Integer {
    /// Returns `left_encode` of SP 800-185: the count of bytes, then the number.
    pub(super) fn left(number: u64) -> Integer {
        let mut integer = Integer { bytes: [0; 9], start: 0 };
        integer.bytes[1..].copy_from_slice(&number.to_be_bytes());
        let count = bytes_of(number).max(1);
        integer.start = 8 - count;
        integer.bytes[integer.start] = count as u8;
        integer
    }

    /// Returns `right_encode` of SP 800-185: the number, then the count of bytes.
    pub(super) fn right(number: u64) -> Integer {
        Integer::counted(number, bytes_of(number).max(1))
    }

    /// Returns `length_encode` of RFC 9861: [`right`](Integer::right) without a byte for zero.
    pub(super) fn length(number: u64) -> Integer {
        Integer::counted(number, bytes_of(number))
    }

    fn counted(number: u64, count: usize) -> Integer {
        let mut integer = Integer { bytes: [0; 9], start: 8 - count };
        integer.bytes[..8].copy_from_slice(&number.to_be_bytes());
        integer.bytes[8] = count as u8;
        integer
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Returns the bytes of a number without its leading zeros.
fn bytes_of(number: u64) -> usize {
    (u64::BITS - number.leading_zeros()).div_ceil(8) as usize
}

#[cfg(test)]
#[test]
fn integers_are_encoded_as_in_the_standards() {
    for (number, left, right, length) in [
        (0, &[1, 0][..], &[0, 1][..], &[0][..]),
        (12, &[1, 12], &[12, 1], &[12, 1]),
        (255, &[1, 255], &[255, 1], &[255, 1]),
        (256, &[2, 1, 0], &[1, 0, 2], &[1, 0, 2]),
        (65538, &[3, 1, 0, 2], &[1, 0, 2, 3], &[1, 0, 2, 3]),
        (
            1 << 63,
            &[8, 128, 0, 0, 0, 0, 0, 0, 0],
            &[128, 0, 0, 0, 0, 0, 0, 0, 8],
            &[128, 0, 0, 0, 0, 0, 0, 0, 8],
        ),
    ] {
        assert_eq!(Integer::left(number).bytes(), left, "{number}");
        assert_eq!(Integer::right(number).bytes(), right, "{number}");
        assert_eq!(Integer::length(number).bytes(), length, "{number}");
    }
}
