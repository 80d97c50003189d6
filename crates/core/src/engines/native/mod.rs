//! The native engine: libraries and kernels that use this CPU's instructions, one file per family.

mod aead;
mod aes;
mod blake2;
mod blake3;
mod chacha;
mod chacha_parts;
#[cfg(target_arch = "x86_64")]
mod chacha_poly;
mod compression;
pub(crate) mod cpu;
mod crc;
mod digest;
#[cfg(target_family = "wasm")]
pub mod families;
pub(crate) mod features;
mod field;
mod gcm;
mod gcm_siv;
pub(super) mod hash_parts;
mod hash_state;
mod hasher;
mod hmac;
mod hmac_iteration;
mod keccak;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
mod mac_key;
mod many;
mod md;
pub(super) mod memory;
pub(super) mod message;
pub(super) mod partial_tag;
mod poly1305;
mod primitives;
pub(super) mod running;
mod sha2;
mod state;
mod text;
mod wipe;
mod xxh;

use self::aead::AeadKey;
use self::aes::AesCtrKey;
use self::chacha::ChaCha20Key;
#[cfg(target_arch = "x86_64")]
use self::chacha_poly::ChaChaPolyKey;
use self::gcm::key::GcmKey;
use super::service::Service;
use crate::Error;
use crate::catalog::{Cipher, Hash};
use crate::checkpoint::{DigestSink, Slicer};
use crate::inputs::Params;
use crate::inputs::Text;

/// Calls the macro `$then` with `$arguments` and the type that computes each hash: first those over
/// which HMAC is defined, then the others.
macro_rules! digest_types {
    ($then:ident!($($arguments:tt)*)) => {
        $then! {
            ($($arguments)*)
            Md5: md::Md5, Sha1: md::Sha1, Ripemd160: md::Ripemd160, Md5Sha1: md::Md5Sha1,
            Sha224: md::Sha224, Sha256: md::Sha256, Sha384: sha2::Sha384, Sha512: sha2::Sha512,
            Sha512_224: sha2::Sha512_224, Sha512_256: sha2::Sha512_256,
            Sha3_224: keccak::Sha3_224, Sha3_256: keccak::Sha3_256,
            Sha3_384: keccak::Sha3_384, Sha3_512: keccak::Sha3_512,
            Keccak224: keccak::Keccak224, Keccak256: keccak::Keccak256,
            Keccak384: keccak::Keccak384, Keccak512: keccak::Keccak512,
            Blake2b512: blake2::Blake2b512, Blake2s256: blake2::Blake2s256, Blake3: blake3::Blake3;
            Shake128: keccak::Shake128, Shake256: keccak::Shake256,
            CShake128: keccak::CShake128, CShake256: keccak::CShake256,
            Kmac128: keccak::Kmac128, Kmac256: keccak::Kmac256,
            KmacXof128: keccak::KmacXof128, KmacXof256: keccak::KmacXof256,
            TupleHash128: keccak::TupleHash128, TupleHash256: keccak::TupleHash256,
            TupleHashXof128: keccak::TupleHashXof128, TupleHashXof256: keccak::TupleHashXof256,
            ParallelHash128: keccak::ParallelHash128, ParallelHash256: keccak::ParallelHash256,
            ParallelHashXof128: keccak::ParallelHashXof128,
            ParallelHashXof256: keccak::ParallelHashXof256,
            TurboShake128: keccak::TurboShake128, TurboShake256: keccak::TurboShake256,
            Kt128: keccak::Kt128, Kt256: keccak::Kt256,
            Xxh32: xxh::Xxh32, Xxh64: xxh::Xxh64, Xxh3_64: xxh::Xxh3_64, Xxh3_128: xxh::Xxh3_128,
            Crc32: crc::Crc32, Crc32c: crc::Crc32c, Crc64Nvme: crc::Crc64Nvme
        }
    };
}

/// Evaluates `$body` with `$D` as the [`Digest`] that computes `$hash`, or `$other` for hashes over
/// which HMAC is not defined. The body is compiled once for each hash.
macro_rules! with_digest {
    ($hash:expr, $D:ident => $body:expr) => { with_digest!($hash, $D => $body, _ => $body) };
    ($hash:expr, $D:ident => $body:expr, _ => $other:expr) => {
        digest_types!(match_digest!($hash, $D, $body, $other))
    };
}

macro_rules! match_digest {
    (($hash:expr, $D:ident, $body:expr, $other:expr)
     $($mac:ident: $mac_type:ty),*; $($plain:ident: $plain_type:ty),*) => {
        match $hash {
            $(Hash::$mac => { type $D = $mac_type; $body })*
            $(Hash::$plain => { #[allow(dead_code)] type $D = $plain_type; $other })*
        }
    };
}

/// Evaluates `$body` with `$D` as the [`HashState`](hash_state::HashState) and `$kind` as the kind
/// that compute `$hash`, or `$other` for hashes over which HMAC is not defined. The body is
/// compiled once for each hash; where the size of the code counts, once for all.
#[cfg(not(feature = "erased"))]
macro_rules! with_state {
    ($hash:expr, $D:ident, $kind:ident => $body:expr $(, _ => $other:expr)?) => {
        with_digest!($hash, $D => { let $kind = (); $body } $(, _ => $other)?)
    };
}

#[cfg(feature = "erased")]
macro_rules! with_state {
    ($hash:expr, $D:ident, $kind:ident => $body:expr) => {{
        type $D = $crate::engines::native::any_digest::AnyDigest;
        let $kind = $hash;
        $body
    }};
    ($hash:expr, $D:ident, $kind:ident => $body:expr, _ => $other:expr) => {
        if $hash.facts().hmac { with_state!($hash, $D, $kind => $body) } else { $other }
    };
}

/// SHA-256, for what is built on it.
#[cfg(not(feature = "erased"))]
type Sha256State = md::Sha256;
#[cfg(not(feature = "erased"))]
const SHA256: () = ();
#[cfg(feature = "erased")]
type Sha256State = any_digest::AnyDigest;
#[cfg(feature = "erased")]
const SHA256: Hash = Hash::Sha256;

// Here, below the macros.
#[cfg(feature = "erased")]
mod any_digest;
pub(crate) mod kdf;

/// The native engine.
pub(crate) struct Native;

/// A prepared key of any cipher of this engine. Each kind wipes itself on drop.
#[allow(clippy::large_enum_variant)] // boxing the AEAD would cost every one-shot an allocation
pub(crate) enum CipherState {
    Vacant,
    AesCtr(AesCtrKey),
    ChaCha20(ChaCha20Key),
    #[cfg(target_arch = "x86_64")]
    ChaChaPoly(ChaChaPolyKey),
    Gcm(GcmKey),
    Aead(AeadKey),
}

/// A prepared HMAC key, wiped on drop.
pub(crate) type MacState = Box<dyn mac_key::Prepared>;

/// Callers have checked every size against the catalog: keys, nonces, tags, targets and limits.
impl Native {
    /// Returns the libraries behind the engine with their versions.
    pub(crate) fn libraries() -> [(&'static str, &'static str); 4] {
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
        with_state!(hash, D, kind => hasher::digest::<D>(kind, params, source, target, slicer))
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
        with_state!(hash, D, kind => { hmac::hmac::<D>(kind, key, source, target); Ok(()) },
            _ => Err(Error::NotSupported))
    }

    /// Prepares an HMAC key.
    pub(crate) fn mac_state(hash: Hash, key: &[u8]) -> Result<MacState, Error> {
        with_state!(hash, D, kind => Ok(mac_key::Midstates::<D>::boxed(kind, key)? as MacState),
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
        with_state!(hash, D, kind => many::digests::<D>(kind, params, sources, size, sink))
    }

    /// Returns true if several messages are hashed at once here.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) fn batches(hash: Hash) -> bool {
        with_state!(hash, D, kind => hash_state::batches::<D>(kind))
    }

    /// Returns a state that holds no key yet.
    #[inline]
    pub(crate) fn cipher_vacant() -> CipherState {
        CipherState::Vacant
    }

    /// Prepares `key` in a vacant state, in place.
    #[inline]
    pub(crate) fn cipher_prepare(
        state: &mut CipherState,
        cipher: Cipher,
        key: &[u8],
    ) -> Result<(), Error> {
        *state = match cipher {
            Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => {
                CipherState::AesCtr(AesCtrKey::vacant())
            }
            Cipher::ChaCha20 => CipherState::ChaCha20(ChaCha20Key::vacant()),
            #[cfg(target_arch = "x86_64")]
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => {
                let ours = ChaChaPolyKey::vacant(cipher == Cipher::XChaCha20Poly1305);
                ours.map_or_else(|| CipherState::Aead(AeadKey::vacant()), CipherState::ChaChaPoly)
            }
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => GcmKey::vacant()
                .map_or_else(|| CipherState::Aead(AeadKey::vacant()), CipherState::Gcm),
            _ => CipherState::Aead(AeadKey::vacant()),
        };
        let result = match state {
            CipherState::AesCtr(prepared) => prepared.prepare(key),
            CipherState::ChaCha20(prepared) => prepared.prepare(key),
            #[cfg(target_arch = "x86_64")]
            CipherState::ChaChaPoly(prepared) => prepared.prepare(key),
            CipherState::Gcm(prepared) => prepared.prepare(key),
            CipherState::Aead(prepared) => prepared.prepare(cipher, key),
            CipherState::Vacant => Err(Error::Engine),
        };
        // A key that is not vacant has been prepared: the families' unsafe code relies on it.
        if result.is_err() {
            *state = CipherState::Vacant;
        }
        result
    }

    /// Prepares a key further that will be used for many messages.
    pub(crate) fn cipher_keep(state: &CipherState) {
        if let CipherState::Gcm(key) = state {
            key.prepare_long();
        }
    }

    /// Runs a stream cipher.
    #[inline]
    pub(crate) fn apply(state: &CipherState, iv: &[u8], text: Text<'_>) -> Result<(), Error> {
        match state {
            CipherState::AesCtr(key) => key.apply(iv, text),
            CipherState::ChaCha20(key) => key.apply(iv, text),
            _ => Err(Error::NotSupported),
        }
    }

    /// Encrypts and authenticates.
    #[inline]
    pub(crate) fn seal(
        state: &CipherState,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        match state {
            #[cfg(target_arch = "x86_64")]
            CipherState::ChaChaPoly(key) => key.seal(nonce, aad, text, tag),
            CipherState::Gcm(key) => key.seal(nonce, aad, text, tag),
            CipherState::Aead(key) => key.seal(nonce, aad, text, tag),
            _ => Err(Error::NotSupported),
        }
    }

    /// Decrypts if `tag` authenticates the text, otherwise leaves zeros in the target.
    #[inline]
    pub(crate) fn open(
        state: &CipherState,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error> {
        match state {
            #[cfg(target_arch = "x86_64")]
            CipherState::ChaChaPoly(key) => key.open(nonce, aad, text, tag),
            CipherState::Gcm(key) => key.open(nonce, aad, text, tag),
            CipherState::Aead(key) => key.open(nonce, aad, text, tag),
            _ => Err(Error::NotSupported),
        }
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
        with_state!(hash, D, kind => hasher::update::<D>(kind, params, state, source, next, slicer))
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
        with_state!(hash, D, kind => hasher::finish::<D>(kind, params, state, rest, target))
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
        with_state!(hash, D, kind => hasher::squeeze::<D>(kind, params, state, rest, target, next))
    }

    /// Returns [`Error::State`] if this is not a state of the hash.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn check(hash: Hash, params: &Params<'_>, state: &[u8]) -> Result<(), Error> {
        with_state!(hash, D, kind => hasher::check::<D>(kind, params, state))
    }
}

#[cfg(test)]
mod tests;
