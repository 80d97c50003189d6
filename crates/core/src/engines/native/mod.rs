//! The native engine: libraries and kernels that use this CPU's instructions, one file per family.

mod aead;
mod aes;
mod blake2;
mod blake3;
mod chacha;
mod chacha_poly;
pub(super) mod cipher_message;
pub(super) mod cipher_state;
mod compression;
pub(crate) mod cpu;
mod crc;
mod digest;
mod digest_types;
#[cfg(target_family = "wasm")]
pub mod families;
pub(crate) mod features;
mod field;
mod gcm;
mod gcm_siv;
pub(super) mod hash_parts;
mod hasher;
mod hmac;
mod hmac_iteration;
pub(crate) mod kdf;
mod keccak;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
mod mac_key;
mod many;
mod md;
pub(super) mod memory;
pub(super) mod message;
mod poly1305;
mod primitives;
pub(super) mod running;
mod sha2;
mod state;
mod text;
pub(super) mod wipe;
mod xxh;

use self::digest_types::with_digest;
use super::service::Service;
use crate::Error;
use crate::catalog::{Cipher, Hash};
use crate::checkpoint::{DigestSink, Slicer};
use crate::inputs::Params;

/// The native engine.
pub(crate) struct Native;

/// A prepared HMAC key, wiped on drop.
pub(crate) type MacState = Box<dyn mac_key::Prepared>;

/// Callers have checked every size against the catalog: keys, nonces, tags, targets and limits.
impl Native {
    /// Returns the libraries behind the engine with their versions.
    pub(crate) fn libraries() -> [(&'static str, &'static str); 3] {
        cpu::libraries()
    }

    /// Returns how this hash is computed.
    pub(crate) fn serves_hash(hash: Hash) -> Service {
        cpu::serves_hash(hash)
    }

    /// Returns how this cipher is computed.
    pub(crate) fn serves_cipher(cipher: Cipher) -> Service {
        cpu::serves_cipher(cipher)
    }

    /// Hashes `source` into `target`.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn digest(
        hash: Hash,
        params: &Params<'_>,
        source: &[u8],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        with_digest!(hash, D => hasher::digest::<D>(params, source, target, slicer))
    }

    /// Returns how each derivation is computed here, its name in two parts.
    pub(crate) fn serves_derivations() -> impl Iterator<Item = ([&'static str; 2], Service)> {
        kdf::serves()
    }

    /// Returns true if both are equal, in a time that depends only on their lengths.
    pub(crate) fn equal(one: &[u8], other: &[u8]) -> bool {
        primitives::equal(one, other)
    }

    /// Overwrites a secret.
    pub(crate) fn wipe(bytes: &mut [u8]) {
        wipe::wipe(bytes);
    }

    /// Overwrites `SIZE` bytes of stack below the caller's frame.
    #[inline]
    pub(crate) fn wipe_below<const SIZE: usize>() {
        wipe::wipe_stack_below::<SIZE>();
    }

    /// Computes an HMAC without heap, and wipes what it derived from the key.
    #[inline]
    pub(crate) fn hmac(
        hash: Hash,
        key: &[u8],
        source: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        with_digest!(hash, D => { hmac::hmac::<D>(key, source, target); Ok(()) },
            _ => Err(Error::NotSupported))
    }

    /// Prepares an HMAC key.
    pub(crate) fn mac_state(hash: Hash, key: &[u8]) -> Result<MacState, Error> {
        with_digest!(hash, D => Ok(mac_key::Midstates::<D>::boxed(key)? as MacState),
            _ => Err(Error::NotSupported))
    }

    /// Hashes each of `sources` to `size` bytes. Emits each digest once, with the index of its
    /// source, in any order.
    pub(crate) fn digests(
        hash: Hash,
        params: &Params<'_>,
        sources: &[&[u8]],
        size: usize,
        sink: DigestSink<'_>,
    ) -> Result<(), Error> {
        with_digest!(hash, D => many::digests::<D>(params, sources, size, sink))
    }

    /// Absorbs more of a message, from a state (empty: not begun) to the next.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn update(
        hash: Hash,
        params: &Params<'_>,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        with_digest!(hash, D => hasher::update::<D>(params, state, source, next, slicer))
    }

    /// Absorbs the rest of a message, and writes the digest.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn finish(
        hash: Hash,
        params: &Params<'_>,
        state: &[u8],
        rest: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        with_digest!(hash, D => hasher::finish::<D>(params, state, rest, target))
    }

    /// Absorbs the rest of a message (nothing after the first call), and squeezes the next output.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn squeeze(
        hash: Hash,
        params: &Params<'_>,
        state: &[u8],
        rest: &[u8],
        target: &mut [u8],
        next: &mut [u8],
    ) -> Result<(), Error> {
        if !hash.facts().xof {
            return Err(Error::NotSupported);
        }
        with_digest!(hash, D => hasher::squeeze::<D>(params, state, rest, target, next))
    }

    /// Returns [`Error::State`] if this is not a state of the hash.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn check(hash: Hash, params: &Params<'_>, state: &[u8]) -> Result<(), Error> {
        with_digest!(hash, D => hasher::check::<D>(params, state))
    }
}

#[cfg(test)]
mod tests;
