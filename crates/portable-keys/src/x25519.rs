//! X25519 (RFC 7748).

use curve25519_dalek::constants::X25519_BASEPOINT;
use curve25519_dalek::montgomery::MontgomeryPoint;
use curve25519_dalek::traits::IsIdentity;

use crate::{Answer, Call, PUBLIC, Status, first, whole, write};

/// Imports a key.
pub fn import(Call { kind, inputs: [key, ..], target, .. }: Call<'_>) -> Answer {
    let scalar = *whole(key)?;
    match kind {
        PUBLIC => write(target, &[key]),
        _ => write(target, &[key, X25519_BASEPOINT.mul_clamped(scalar).as_bytes()]),
    }
}

/// Agrees with a private key and the peer's public one. A secret of zeros is refused.
pub fn agree(Call { inputs: [key, peer, ..], target, .. }: Call<'_>) -> Answer {
    let point = MontgomeryPoint(*whole(peer)?).mul_clamped(*first(key)?);
    if point.is_identity() {
        return Err(Status::SharedSecret);
    }
    write(target, &[point.as_bytes()])
}
