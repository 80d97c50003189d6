//! Ed25519 (RFC 8032), without cofactor, as AWS-LC and OpenSSL verify. Private keys are seeds.

use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use ed25519_dalek::{Sha512, Signature, SigningKey, Verifier, VerifyingKey};

use crate::{Answer, Call, PUBLIC, Status, first, whole, write};

/// Imports a key. A public key that is not a point verifies nothing.
pub fn import(Call { kind, inputs: [key, ..], target, .. }: Call<'_>) -> Answer {
    let seed = whole(key)?;
    match kind {
        PUBLIC => write(target, &[key]),
        _ => write(target, &[key, SigningKey::from_bytes(seed).verifying_key().as_bytes()]),
    }
}

/// Signs with a private key a message.
pub fn sign(Call { inputs: [key, message, ..], target, .. }: Call<'_>) -> Answer {
    let private = ExpandedSecretKey::from(first(key)?);
    let public = VerifyingKey::from_bytes(whole(&key[32..])?).map_err(|_| Status::KeyValue)?;
    write(target, &[&raw_sign::<Sha512>(&private, message, &public).to_bytes()])
}

/// Verifies with a public key a message, nothing, and the signature. The key must be the canonical
/// encoding of a point.
pub fn verify(Call { inputs: [key, message, _, signature], target, .. }: Call<'_>) -> Answer {
    let (Ok(point), Ok(signature)) = (whole(key), Signature::from_slice(signature)) else {
        return write(target, &[&[0]]);
    };
    let is_right = VerifyingKey::from_bytes(point).is_ok_and(|key| {
        key.to_edwards().compress().as_bytes() == point && key.verify(message, &signature).is_ok()
    });
    write(target, &[&[is_right.into()]])
}
