//! SHA-3, SHAKE and the original Keccak, and what is built of them: one sponge over Millrace's own
//! permutation.
//!
//! cSHAKE, KMAC and TupleHash (NIST SP 800-185) are SHAKE after a block that names the function.
//! The message of a TupleHash is the encoded tuple: each item after its length in bits
//! (`left_encode`), which callers write. TurboSHAKE (RFC 9861, 2) is SHAKE with half the rounds and
//! a byte that separates domains.

mod duplex;
mod kangaroo_twelve;
mod leaves;
mod parallel_hash;
mod parts;
mod sp800_185;

use super::digest::{Digest, Multibuffer};
use crate::catalog::Parameter;
use crate::checkpoint::DigestSink;
use crate::cpu::kernels::lanes;
use crate::inputs::Params;
use crate::wipe::{Plain, wipe_plain};
use duplex::Duplex;
use sp800_185::{Integer, absorb_padded};

pub(crate) use kangaroo_twelve::CHUNK as LEAF_BYTES;
pub(crate) use kangaroo_twelve::{Kt128, Kt256};
pub(crate) use parallel_hash::{
    ParallelHash128, ParallelHash256, ParallelHashXof128, ParallelHashXof256,
};
pub(crate) use parts::{KeccakMessage, Values, part_size};

/// The end mark of the original Keccak, before NIST added bits to tell the functions apart.
const KECCAK: u8 = 0x01;
/// The end mark of SHA-3.
const SHA3: u8 = 0x06;
/// The end mark of SHAKE.
const SHAKE: u8 = 0x1f;

/// The end mark of cSHAKE, and of what is built of it.
const CSHAKE: u8 = 0x04;

/// SHA3-224.
pub(crate) type Sha3_224 = Sponge<144, 24, 28, { Kind::SHA3 }>;
/// SHA3-256.
pub(crate) type Sha3_256 = Sponge<136, 24, 32, { Kind::SHA3 }>;
/// SHA3-384.
pub(crate) type Sha3_384 = Sponge<104, 24, 48, { Kind::SHA3 }>;
/// SHA3-512.
pub(crate) type Sha3_512 = Sponge<72, 24, 64, { Kind::SHA3 }>;
/// Keccak with 224 bits, as submitted to NIST.
pub(crate) type Keccak224 = Sponge<144, 24, 28, { Kind::KECCAK }>;
/// Keccak with 256 bits, as Ethereum uses it.
pub(crate) type Keccak256 = Sponge<136, 24, 32, { Kind::KECCAK }>;
/// Keccak with 384 bits.
pub(crate) type Keccak384 = Sponge<104, 24, 48, { Kind::KECCAK }>;
/// Keccak with 512 bits.
pub(crate) type Keccak512 = Sponge<72, 24, 64, { Kind::KECCAK }>;
/// SHAKE128. Without a length of output it has that of node:crypto.
pub(crate) type Shake128 = Sponge<168, 24, 16, { Kind::SHAKE }>;
/// SHAKE256. Without a length of output it has that of node:crypto.
pub(crate) type Shake256 = Sponge<136, 24, 32, { Kind::SHAKE }>;

/// cSHAKE128; without function name and customization it is SHAKE128.
pub(crate) type CShake128 = Sponge<168, 24, 16, { Kind::CSHAKE }>;
/// cSHAKE256; without function name and customization it is SHAKE256.
pub(crate) type CShake256 = Sponge<136, 24, 32, { Kind::CSHAKE }>;
/// KMAC128.
pub(crate) type Kmac128 = Sponge<168, 24, 32, { Kind::KMAC }>;
/// KMAC256.
pub(crate) type Kmac256 = Sponge<136, 24, 64, { Kind::KMAC }>;
/// KMACXOF128.
pub(crate) type KmacXof128 = Sponge<168, 24, 32, { Kind::KMAC_XOF }>;
/// KMACXOF256.
pub(crate) type KmacXof256 = Sponge<136, 24, 64, { Kind::KMAC_XOF }>;
/// TupleHash128.
pub(crate) type TupleHash128 = Sponge<168, 24, 32, { Kind::TUPLE }>;
/// TupleHash256.
pub(crate) type TupleHash256 = Sponge<136, 24, 64, { Kind::TUPLE }>;
/// TupleHashXOF128.
pub(crate) type TupleHashXof128 = Sponge<168, 24, 32, { Kind::TUPLE_XOF }>;
/// TupleHashXOF256.
pub(crate) type TupleHashXof256 = Sponge<136, 24, 64, { Kind::TUPLE_XOF }>;

/// TurboSHAKE128.
pub(crate) type TurboShake128 = Sponge<168, TURBO_ROUNDS, 32, { Kind::TURBO }>;
/// TurboSHAKE256.
pub(crate) type TurboShake256 = Sponge<136, TURBO_ROUNDS, 64, { Kind::TURBO }>;

/// The rounds of TurboSHAKE and of KangarooTwelve.
const TURBO_ROUNDS: usize = 12;

/// The functions, as parameters of [`Sponge`].
struct Kind;

impl Kind {
    const CSHAKE: u8 = 0;
    const KMAC: u8 = 1;
    const KMAC_XOF: u8 = 2;
    const TUPLE: u8 = 3;
    const TUPLE_XOF: u8 = 4;
    const TURBO: u8 = 5;
    const KECCAK: u8 = 6;
    const SHA3: u8 = 7;
    const SHAKE: u8 = 8;
}

/// A sponge with a rate, rounds and a (default) length of output in bytes, and the byte that ends a
/// message.
#[derive(Clone)]
pub(crate) struct Sponge<const RATE: usize, const ROUNDS: usize, const SIZE: usize, const KIND: u8>
{
    sponge: Duplex<RATE, ROUNDS>,
    mark: u64,
}

// SAFETY: made of integers and an array of integers.
unsafe impl<const RATE: usize, const ROUNDS: usize, const SIZE: usize, const KIND: u8> Plain
    for Sponge<RATE, ROUNDS, SIZE, KIND>
{
}

impl<const RATE: usize, const ROUNDS: usize, const SIZE: usize, const KIND: u8>
    Sponge<RATE, ROUNDS, SIZE, KIND>
{
    /// True if the output does not depend on its length, so that it can be squeezed incrementally.
    const XOF: bool = !matches!(KIND, Kind::KMAC | Kind::TUPLE | Kind::SHA3 | Kind::KECCAK);
    /// True if the message ends with the length of the output.
    const SIZED: bool = matches!(KIND, Kind::KMAC | Kind::KMAC_XOF | Kind::TUPLE | Kind::TUPLE_XOF);
    /// True if the message begins with the name of the function, if there is one.
    const NAMED: bool = Self::SIZED || KIND == Kind::CSHAKE;

    fn name<'a>(params: &Params<'a>) -> &'a [u8] {
        match KIND {
            Kind::CSHAKE => params.parameters.bytes(Parameter::FunctionName).unwrap_or_default(),
            Kind::KMAC | Kind::KMAC_XOF => b"KMAC",
            _ => b"TupleHash",
        }
    }

    #[inline]
    fn mark(params: &Params<'_>) -> u8 {
        match KIND {
            Kind::KECCAK => KECCAK,
            Kind::SHA3 => SHA3,
            Kind::TURBO => {
                params.parameters.number(Parameter::Domain).map_or(SHAKE, |domain| domain as u8)
            }
            _ if !Self::NAMED => SHAKE,
            _ if Self::name(params).is_empty() && customization(params).is_empty() => SHAKE,
            _ => CSHAKE,
        }
    }

    /// Ends the message; `bits` is the length of the output.
    #[inline]
    fn end(&mut self, bits: u64) {
        if Self::SIZED {
            self.sponge.absorb(Integer::right(bits).bytes());
        }
        self.sponge.pad(self.mark as u8);
    }

    /// Returns the parameters and the state for multi-buffer hashing.
    pub(crate) fn for_lanes(&self) -> (crate::hash::lanes::Sponge<ROUNDS>, [u64; 25]) {
        (crate::hash::lanes::Sponge { rate: RATE, mark: self.mark as u8 }, self.sponge.lanes)
    }
}

impl<const RATE: usize, const ROUNDS: usize, const SIZE: usize, const KIND: u8> Digest
    for Sponge<RATE, ROUNDS, SIZE, KIND>
{
    const BLOCK: usize = RATE;
    const SIZE: usize = SIZE;

    #[inline]
    fn new(params: &Params<'_>) -> Self {
        let mut sponge = Duplex::new();
        let mark = Self::mark(params);
        if Self::NAMED && mark == CSHAKE {
            absorb_padded(&mut sponge, &[Self::name(params), customization(params)]);
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

    const STATE: usize = Duplex::<RATE, ROUNDS>::STATE;

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

    // There is no place in the lanes for the length of the output.
    #[inline]
    fn multibuffer() -> Option<Multibuffer> {
        lanes::keccak::multibuffer(lanes::Kernels::detect()).filter(|_| !Self::SIZED)
    }

    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        debug_assert!(self.sponge.at == 0 && !self.squeezing());
        lanes::keccak::hash(lanes::Kernels::detect(), self.for_lanes(), sources, target, sink);
    }
}

/// Returns the customization string, which is empty by default.
fn customization<'a>(params: &Params<'a>) -> &'a [u8] {
    params.parameters.bytes(Parameter::Customization).unwrap_or_default()
}

#[cfg(test)]
mod tests;
