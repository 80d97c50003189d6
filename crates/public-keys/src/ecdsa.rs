//! ECDSA and multiplication with the bytes of keys, over secp256k1 and the curves of NIST. Nonces
//! are those of RFC 6979.

use aws_lc_sys as lc;
use millrace_core::catalog::Hash;
use millrace_core::hmac::hmac;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::evp::nist::{Group, leftmost};
#[cfg(feature = "secp256k1")]
use crate::secp256k1;

/// A curve with a prime order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Curve {
    /// secp256k1 (SEC 2). Its signatures have a low s. It needs the feature `secp256k1`.
    Secp256k1,
    /// P-256, with nonces by SHA-256.
    P256,
    /// P-384, with nonces by SHA-384.
    P384,
    /// P-521, with nonces by SHA-512.
    P521,
}

impl Curve {
    /// Returns the group of a curve of NIST, and the hash of its nonces.
    fn group(self) -> Result<(Group, Hash), Error> {
        match self {
            Curve::Secp256k1 => Err(Error::UnsupportedAlgorithm),
            Curve::P256 => Ok((Group::new(lc::NID_X9_62_prime256v1, 32), Hash::Sha256)),
            Curve::P384 => Ok((Group::new(lc::NID_secp384r1, 48), Hash::Sha384)),
            Curve::P521 => Ok((Group::new(lc::NID_secp521r1, 66), Hash::Sha512)),
        }
    }
}

/// Writes the public key of a secret one, in the form that has the target's size.
///
/// # Errors
/// [`Error::KeySize`], [`Error::InvalidKey`], [`Error::OutputSize`],
/// [`Error::UnsupportedAlgorithm`], [`Error::Memory`].
pub fn public_key(curve: Curve, key: &[u8], target: &mut [u8]) -> Result<(), Error> {
    #[cfg(feature = "secp256k1")]
    if curve == Curve::Secp256k1 {
        return secp256k1::public_key(key, target);
    }
    curve.group()?.0.public_key(key, target)
}

/// Writes the product of a secret key and a point, in the form that has the target's size.
///
/// # Errors
/// As [`public_key`]; [`Error::Point`].
pub fn multiply(curve: Curve, key: &[u8], peer: &[u8], target: &mut [u8]) -> Result<(), Error> {
    #[cfg(feature = "secp256k1")]
    if curve == Curve::Secp256k1 {
        return secp256k1::multiply(key, peer, target);
    }
    curve.group()?.0.multiply(key, peer, target)
}

/// Writes the recovery number of a signature, r and s, the lower one of both if asked. Over the
/// curves of NIST a target without a byte for the recovery number takes half the time. The nonce
/// depends on additional entropy too, unless that is empty (RFC 6979, section 3.6).
///
/// # Errors
/// As [`public_key`], also for secp256k1 unless `low`; [`Error::DigestSize`] of secp256k1, which
/// takes 32 bytes.
pub fn sign(
    curve: Curve,
    digest: &[u8],
    key: &[u8],
    entropy: &[u8],
    low: bool,
    target: &mut [u8],
) -> Result<(), Error> {
    #[cfg(feature = "secp256k1")]
    if curve == Curve::Secp256k1 && low {
        return secp256k1::sign(digest, key, entropy, target);
    }
    let (group, hash) = curve.group()?;
    if key.len() != group.size {
        return Err(Error::KeySize);
    }
    let mut reduced = [0; FIELD_MAX];
    let reduced = &mut reduced[..group.size];
    leftmost(group, digest, true, reduced)?;
    let mut nonces = Nonces::new(hash, &[key, reduced, entropy])?;
    let mut nonce = Zeroizing::new([0; FIELD_MAX]);
    let nonce = &mut nonce[..group.size];
    loop {
        nonces.next(group, nonce)?;
        if group.sign(digest, key, nonce, low, target)? {
            return Ok(());
        }
    }
}

/// Returns true if a signature, r and s, is that of a digest, and s is low if asked.
///
/// # Errors
/// [`Error::OutputSize`] of the signature, [`Error::Point`], [`Error::DigestSize`] as [`sign`],
/// [`Error::UnsupportedAlgorithm`], [`Error::Memory`].
pub fn verify(
    curve: Curve,
    digest: &[u8],
    signature: &[u8],
    key: &[u8],
    low: bool,
) -> Result<bool, Error> {
    #[cfg(feature = "secp256k1")]
    if curve == Curve::Secp256k1 {
        return secp256k1::verify(digest, signature, key, low);
    }
    curve.group()?.0.verify(digest, signature, key, low)
}

/// Bytes of a coordinate of P-521, and of the longest digest.
const FIELD_MAX: usize = 66;
const DIGEST_MAX: usize = 64;

/// The generator of RFC 6979, section 3.2.
struct Nonces {
    hash: Hash,
    key: Zeroizing<[u8; DIGEST_MAX]>,
    value: Zeroizing<[u8; DIGEST_MAX]>,
    begun: bool,
}

impl Nonces {
    /// Begins with the parts of the seed.
    fn new(hash: Hash, seed: &[&[u8]]) -> Result<Nonces, Error> {
        let (key, value) = (Zeroizing::new([0; DIGEST_MAX]), Zeroizing::new([1; DIGEST_MAX]));
        let mut nonces = Nonces { hash, key, value, begun: false };
        nonces.reseed(0, seed)?;
        nonces.reseed(1, seed)?;
        Ok(nonces)
    }

    /// Sets the key to the HMAC of the value, a number and a seed, and then the value to its own.
    fn reseed(&mut self, number: u8, seed: &[&[u8]]) -> Result<(), Error> {
        let size = self.hash.facts().digest_size;
        let length = size + 1 + seed.iter().map(|part| part.len()).sum::<usize>();
        let mut text = crate::key::zeros(length)?;
        text[..size].copy_from_slice(&self.value[..size]);
        text[size] = number;
        let mut at = size + 1;
        for part in seed {
            text[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        let mut next = Zeroizing::new([0; DIGEST_MAX]);
        hmac(self.hash, &self.key[..size], &text, &mut next[..size])?;
        self.key = next;
        self.step()
    }

    fn step(&mut self) -> Result<(), Error> {
        let size = self.hash.facts().digest_size;
        let mut next = Zeroizing::new([0; DIGEST_MAX]);
        hmac(self.hash, &self.key[..size], &self.value[..size], &mut next[..size])?;
        self.value = next;
        Ok(())
    }

    /// Writes the next nonce, which may be too large.
    fn next(&mut self, group: Group, nonce: &mut [u8]) -> Result<(), Error> {
        if self.begun {
            self.reseed(0, &[])?;
        }
        self.begun = true;
        let size = self.hash.facts().digest_size;
        let mut bits = Zeroizing::new([0; 2 * DIGEST_MAX]);
        let count = nonce.len().div_ceil(size) * size;
        for place in bits[..count].chunks_mut(size) {
            self.step()?;
            place.copy_from_slice(&self.value[..size]);
        }
        leftmost(group, &bits[..count], false, nonce)
    }
}
