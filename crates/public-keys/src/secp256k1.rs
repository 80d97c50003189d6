//! secp256k1 by libsecp256k1: ECDSA with nonces of RFC 6979, low s and recovery, and Schnorr
//! signatures of BIP 340.

use ::secp256k1::ecdsa::{RecoverableSignature, RecoveryId, Signature};
use ::secp256k1::{Keypair, Message, PublicKey, SecretKey, XOnlyPublicKey, ecdh, schnorr};

use crate::error::Error;

/// A secret key that is overwritten on drop.
struct Secret(SecretKey);

impl Secret {
    fn new(key: &[u8]) -> Result<Secret, Error> {
        let bytes = key.try_into().map_err(|_| Error::KeySize)?;
        SecretKey::from_secret_bytes(bytes).map(Secret).map_err(|_| Error::InvalidKey)
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.non_secure_erase();
    }
}

/// A key pair that is overwritten on drop.
struct Pair(Keypair);

impl Drop for Pair {
    fn drop(&mut self) {
        self.0.non_secure_erase();
    }
}

/// Reads a point in compressed or uncompressed form.
fn point(bytes: &[u8]) -> Result<PublicKey, Error> {
    // The library takes the hybrid form, too.
    match (bytes.first(), bytes.len()) {
        (Some(2 | 3), 33) | (Some(4), 65) => PublicKey::from_slice(bytes).map_err(|_| Error::Point),
        _ => Err(Error::Point),
    }
}

/// Writes a point in the form that has the target's size.
fn write(point: &PublicKey, target: &mut [u8]) -> Result<(), Error> {
    match target.len() {
        33 => target.copy_from_slice(&point.serialize()),
        65 => target.copy_from_slice(&point.serialize_uncompressed()),
        _ => return Err(Error::OutputSize),
    }
    Ok(())
}

fn message(digest: &[u8]) -> Result<Message, Error> {
    digest.try_into().map(Message::from_digest).map_err(|_| Error::DigestSize)
}

pub(crate) fn public_key(key: &[u8], target: &mut [u8]) -> Result<(), Error> {
    write(&PublicKey::from_secret_key(&Secret::new(key)?.0), target)
}

pub(crate) fn multiply(key: &[u8], peer: &[u8], target: &mut [u8]) -> Result<(), Error> {
    let mut product = ecdh::shared_secret_point(&point(peer)?, &Secret::new(key)?.0);
    let (x, y) = product.split_at(32);
    let done = match target {
        [form, rest @ ..] if rest.len() == 32 => {
            *form = 2 | y[31] & 1;
            rest.copy_from_slice(x);
            Ok(())
        }
        [form, rest @ ..] if rest.len() == 64 => {
            *form = 4;
            rest.copy_from_slice(&product);
            Ok(())
        }
        _ => Err(Error::OutputSize),
    };
    zeroize::Zeroize::zeroize(&mut product);
    done
}

pub(crate) fn sign(
    digest: &[u8],
    key: &[u8],
    entropy: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    let (digest, key) = (message(digest)?, Secret::new(key)?);
    let target = <&mut [u8; 65]>::try_from(target).map_err(|_| Error::OutputSize)?;
    let made = match entropy.try_into() {
        Ok(entropy) => {
            RecoverableSignature::sign_ecdsa_recoverable_with_noncedata(digest, &key.0, entropy)
        }
        Err(_) if entropy.is_empty() => {
            RecoverableSignature::sign_ecdsa_recoverable(digest, &key.0)
        }
        Err(_) => return Err(Error::KeySize),
    };
    let (recovery, signature) = made.serialize_compact();
    target[0] = recovery.to_u8();
    target[1..].copy_from_slice(&signature);
    Ok(())
}

pub(crate) fn verify(
    digest: &[u8],
    signature: &[u8],
    key: &[u8],
    low: bool,
) -> Result<bool, Error> {
    let mut signature = Signature::from_compact(signature).map_err(|_| Error::OutputSize)?;
    // The library verifies low ones only.
    if !low {
        signature.normalize_s();
    }
    Ok(signature.verify(message(digest)?, &point(key)?).is_ok())
}

/// Writes the public key of a signature with its recovery number before it.
///
/// # Errors
/// [`Error::OutputSize`], [`Error::DigestSize`]; [`Error::Point`] if there is none.
pub fn recover(digest: &[u8], signature: &[u8], target: &mut [u8]) -> Result<(), Error> {
    let (&number, compact) = signature.split_first().ok_or(Error::OutputSize)?;
    let number = RecoveryId::try_from(i32::from(number)).map_err(|_| Error::Point)?;
    let signature =
        RecoverableSignature::from_compact(compact, number).map_err(|_| Error::OutputSize)?;
    write(&signature.recover(message(digest)?).map_err(|_| Error::Point)?, target)
}

/// Signs by BIP 340, with auxiliary random bytes.
///
/// # Errors
/// [`Error::InvalidKey`].
pub fn schnorr_sign(
    message: &[u8],
    key: &[u8; 32],
    entropy: &[u8; 32],
    target: &mut [u8; 64],
) -> Result<(), Error> {
    let pair = Keypair::from_secret_bytes(*key).map(Pair).map_err(|_| Error::InvalidKey)?;
    *target = schnorr::sign_with_aux_rand(message, &pair.0, entropy).to_byte_array();
    Ok(())
}

/// Returns true if a signature is that of the message by BIP 340.
pub fn schnorr_verify(message: &[u8], signature: &[u8; 64], key: &[u8; 32]) -> bool {
    let signature = schnorr::Signature::from_byte_array(*signature);
    XOnlyPublicKey::from_byte_array(*key).is_ok_and(|key| signature.verify(message, &key).is_ok())
}
