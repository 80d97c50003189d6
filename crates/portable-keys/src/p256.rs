//! ECDSA and ECDH over P-256 (FIPS 186-5, SP 800-56A). Private keys are scalars, public keys
//! uncompressed points, signatures two numbers of 32 bytes.

use ::p256::ecdsa::Signature;
use ::p256::elliptic_curve::sec1::ToSec1Point;
use ::p256::{AffinePoint, NistP256, ProjectivePoint, PublicKey, SecretKey};
use ecdsa::DigestAlgorithm;
use ecdsa::hazmat::{sign_prehashed_rfc6979, verify_prehashed};

use crate::{Answer, Call, PUBLIC, Status, first, whole, write};

/// The hash that derives nonces.
type Hash = <NistP256 as DigestAlgorithm>::Digest;

fn scalar(bytes: &[u8; 32]) -> Result<SecretKey, Status> {
    SecretKey::from_slice(bytes).map_err(|_| Status::KeyValue)
}

fn point(bytes: &[u8]) -> Result<PublicKey, Status> {
    PublicKey::from_sec1_bytes(bytes).map_err(|_| Status::KeyValue)
}

/// Imports a scalar, or a point that may be compressed.
pub fn import(Call { kind, inputs: [key, ..], target, .. }: Call<'_>) -> Answer {
    if kind != PUBLIC {
        let public = scalar(whole(key)?)?.public_key().to_sec1_point(false);
        return write(target, &[key, public.as_bytes()]);
    }
    match (key.len(), key.first()) {
        (65, Some(4)) | (33, Some(2 | 3)) => {
            write(target, &[point(key)?.to_sec1_point(false).as_bytes()])
        }
        // The library reads other forms, too.
        (65 | 33, _) => Err(Status::KeyValue),
        _ => Err(Status::KeySize),
    }
}

/// Signs with a private key a digest. The nonce is that of RFC 6979 with random bytes, the fourth
/// input, as additional data, so that a bad random number does not reveal the key.
pub fn sign(Call { inputs: [key, digest, _, random], target, .. }: Call<'_>) -> Answer {
    let scalar = scalar(first(key)?)?.to_nonzero_scalar();
    let (signature, _) = sign_prehashed_rfc6979::<NistP256, Hash>(&scalar, digest, random);
    write(target, &[&signature.to_bytes()])
}

/// Verifies with a public key a digest, nothing, and the signature.
pub fn verify(Call { inputs: [key, digest, _, signature], target, .. }: Call<'_>) -> Answer {
    let point = point(key)?.to_projective();
    let is_right = Signature::from_slice(signature)
        .is_ok_and(|signature| verify_prehashed(&point, digest, &signature).is_ok());
    write(target, &[&[is_right.into()]])
}

/// Agrees with a private key and the peer's public one on a coordinate x.
pub fn agree(Call { inputs: [key, peer, ..], target, .. }: Call<'_>) -> Answer {
    let scalar = scalar(first(key)?)?.to_nonzero_scalar();
    let product = ProjectivePoint::from(*point(peer)?.as_affine()) * *scalar;
    write(target, &[&AffinePoint::from(product).to_sec1_point(false).as_bytes()[1..33]])
}
