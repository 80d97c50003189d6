//! ML-KEM and ML-DSA with the bytes of keys. Secret keys are expanded; AWS-LC checks them.

use crate::algorithm::Algorithm;
use crate::error::Error;
use crate::key::{PrivateKey, PublicKey};
use crate::parameters::Input;
use crate::signature::Scheme;

/// Reads an expanded secret key: one of the size of a seed is none.
fn expanded(algorithm: Algorithm, key: &[u8]) -> Result<PrivateKey, Error> {
    if key.len() != algorithm.facts().private_key {
        return Err(Error::KeySize);
    }
    of_lattice(algorithm)?;
    PrivateKey::from_raw(algorithm, key)
}

fn of_lattice(algorithm: Algorithm) -> Result<(), Error> {
    let is_one = algorithm.is_ml_kem() || algorithm.is_ml_dsa();
    if is_one { Ok(()) } else { Err(Error::UnsupportedAlgorithm) }
}

fn put(bytes: &[u8], target: &mut [u8]) -> Result<(), Error> {
    if bytes.len() != target.len() {
        return Err(Error::OutputSize);
    }
    target.copy_from_slice(bytes);
    Ok(())
}

/// Writes the public key and the expanded secret key of a seed.
///
/// # Errors
/// [`Error::UnsupportedAlgorithm`], [`Error::KeySize`], [`Error::OutputSize`], [`Error::Memory`].
pub fn key_pair(algorithm: Algorithm, seed: &[u8], target: &mut [u8]) -> Result<(), Error> {
    of_lattice(algorithm)?;
    if seed.len() != algorithm.facts().seed {
        return Err(Error::KeySize);
    }
    let key = PrivateKey::from_raw(algorithm, seed)?;
    let size = algorithm.facts().public_key;
    let (public, secret) = target.split_at_mut_checked(size).ok_or(Error::OutputSize)?;
    put(&key.public_key()?.to_raw()?, public)?;
    put(&key.to_raw()?, secret)
}

/// Writes the public key of an expanded secret key.
///
/// # Errors
/// As [`key_pair`]; [`Error::InvalidKey`].
pub fn public_key(algorithm: Algorithm, key: &[u8], target: &mut [u8]) -> Result<(), Error> {
    put(&expanded(algorithm, key)?.public_key()?.to_raw()?, target)
}

/// Writes the ciphertext of a new secret, and the secret of 32 bytes.
///
/// # Errors
/// As [`public_key`]; [`Error::KeyType`] unless keys encapsulate.
pub fn encapsulate(algorithm: Algorithm, key: &[u8], target: &mut [u8]) -> Result<(), Error> {
    of_lattice(algorithm)?;
    let key = PublicKey::from_raw(algorithm, key)?;
    let size = algorithm.facts().ciphertext;
    let (ciphertext, secret) = target.split_at_mut_checked(size).ok_or(Error::OutputSize)?;
    let secret = secret.try_into().map_err(|_| Error::OutputSize)?;
    key.encapsulate(ciphertext, secret).map(|_| ())
}

/// Writes the secret in a ciphertext.
///
/// # Errors
/// As [`encapsulate`]; [`Error::CiphertextSize`].
pub fn decapsulate(
    algorithm: Algorithm,
    ciphertext: &[u8],
    key: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    let secret = target.try_into().map_err(|_| Error::OutputSize)?;
    expanded(algorithm, key)?.decapsulate(ciphertext, secret)
}

/// Signs by ML-DSA, hedged.
///
/// # Errors
/// As [`public_key`]; [`Error::KeyType`] unless keys sign; [`Error::ContextSize`].
pub fn sign(
    algorithm: Algorithm,
    message: &[u8],
    key: &[u8],
    context: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    let input = Input { bytes: message, is_digest: false, context };
    let size = expanded(algorithm, key)?.sign(Scheme::Own, input, target)?;
    if size == target.len() { Ok(()) } else { Err(Error::OutputSize) }
}

/// Returns true if a signature is that of the message by ML-DSA without a context.
///
/// # Errors
/// As [`sign`]; [`Error::OutputSize`] if the signature has another size.
pub fn verify(
    algorithm: Algorithm,
    message: &[u8],
    signature: &[u8],
    key: &[u8],
) -> Result<bool, Error> {
    of_lattice(algorithm)?;
    if signature.len() != algorithm.facts().signature {
        return Err(Error::OutputSize);
    }
    let input = Input { bytes: message, is_digest: false, context: &[] };
    PublicKey::from_raw(algorithm, key)?.verify(Scheme::Own, input, signature)
}
