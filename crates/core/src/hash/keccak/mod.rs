//! SHA-3, SHAKE and the original Keccak, and what is built of them: one sponge over Millrace's own
//! permutation.

mod duplex;
mod kangaroo_twelve;
mod leaves;
mod parallel_hash;
mod parts;
mod sp800_185;
mod turboshake;

use super::digest::Digest;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::lanes;
use crate::catalog::Parameter;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::checkpoint::DigestSink;
use crate::inputs::Params;
use crate::wipe::{Plain, wipe_plain};
use duplex::Duplex;

pub(crate) use kangaroo_twelve::{Kt128, Kt256};
pub(crate) use parallel_hash::{
    ParallelHash128, ParallelHash256, ParallelHashXof128, ParallelHashXof256,
};
pub(crate) use parts::{KeccakMessage, Values, part_size};
pub(crate) use sp800_185::{
    CShake128, CShake256, Kmac128, Kmac256, KmacXof128, KmacXof256, TupleHash128, TupleHash256,
    TupleHashXof128, TupleHashXof256,
};
pub(crate) use turboshake::{TurboShake128, TurboShake256};

/// The end mark of the original Keccak, before NIST added bits to tell the functions apart.
pub(crate) const KECCAK: u8 = 0x01;
/// The end mark of SHA-3.
pub(crate) const SHA3: u8 = 0x06;
/// The end mark of SHAKE.
pub(crate) const SHAKE: u8 = 0x1f;

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
/// SHAKE128. Without a length of output it has that of node:crypto.
pub(crate) type Shake128 = Sponge<168, 16, SHAKE>;
/// SHAKE256. Without a length of output it has that of node:crypto.
pub(crate) type Shake256 = Sponge<136, 32, SHAKE>;

/// A sponge with a rate and a digest in bytes, and the byte that ends a message.
#[derive(Clone)]
pub(crate) struct Sponge<const RATE: usize, const SIZE: usize, const MARK: u8>(Duplex<RATE, 24>);

// SAFETY: made of integers and an array of integers.
unsafe impl<const RATE: usize, const SIZE: usize, const MARK: u8> Plain
    for Sponge<RATE, SIZE, MARK>
{
}

impl<const RATE: usize, const SIZE: usize, const MARK: u8> Digest for Sponge<RATE, SIZE, MARK> {
    const BLOCK: usize = RATE;
    const SIZE: usize = SIZE;

    #[inline]
    fn new(_params: &Params<'_>) -> Self {
        Self(Duplex::new())
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.0.absorb(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        self.0.pad(MARK);
        self.0.take(target);
    }

    const STATE: usize = Duplex::<RATE, 24>::STATE;

    #[inline]
    fn save(&self, state: &mut [u8]) {
        self.0.save(state);
    }

    #[inline]
    fn load(_params: &Params<'_>, state: &[u8]) -> Option<Self> {
        Duplex::load(state, MARK == SHAKE).map(Self)
    }

    #[inline]
    fn squeeze(&mut self, target: &mut [u8]) {
        if !self.0.squeezing() {
            self.0.pad(MARK);
        }
        self.0.take(target);
    }

    #[inline]
    fn squeezing(&self) -> bool {
        self.0.squeezing()
    }

    #[inline]
    fn wipe(&mut self) {
        wipe_plain(self);
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline]
    fn multibuffer() -> Option<lanes::Multibuffer> {
        lanes::keccak::multibuffer(lanes::Kernels::detect())
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        debug_assert!(self.0.at == 0 && !self.squeezing());
        lanes::keccak::hash(
            lanes::Kernels::detect(),
            (self.kind(), *self.lanes()),
            sources,
            target,
            sink,
        );
    }
}

/// Returns the customization string, which is empty by default.
fn customization<'a>(params: &Params<'a>) -> &'a [u8] {
    params.parameters.bytes(Parameter::Customization).unwrap_or_default()
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<const RATE: usize, const SIZE: usize, const MARK: u8> Sponge<RATE, SIZE, MARK> {
    /// Returns the parameters for multi-buffer hashing.
    pub(crate) fn kind(&self) -> lanes::keccak::Sponge<24> {
        lanes::keccak::Sponge { rate: RATE, mark: MARK }
    }

    /// Returns the state.
    pub(crate) fn lanes(&self) -> &[u64; 25] {
        &self.0.lanes
    }
}
