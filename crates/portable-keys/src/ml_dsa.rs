//! ML-DSA (FIPS 204). Private keys are in the expanded form.

#![allow(deprecated)] // of the expanded form

use core::convert::Infallible;

use ::p256::elliptic_curve::rand_core::{TryCryptoRng, TryRng};
use ml_dsa::{EncodedVerifyingKey, ExpandedSigningKey, ExpandedSigningKeyBytes};
use ml_dsa::{MlDsa44, MlDsa65, MlDsa87, Seed, Signature, SigningKey, VerifyingKey};

use crate::{Answer, Call, MESSAGE, PUBLIC, Status, first, with, write};

/// Imports a public key, an expanded private key, or a seed.
///
/// An expanded key must sign what its public key verifies. AWS-LC computes the vector t0 again,
/// which this library does not give: a small change of it stays unnoticed.
#[inline(never)]
pub fn import(Call { set, kind, inputs: [key, ..], target, .. }: Call<'_>) -> Answer {
    if kind == PUBLIC {
        let size = with!(set, Set of MlDsa44, MlDsa65, MlDsa87 => {
            size_of::<EncodedVerifyingKey<Set>>()
        });
        return if key.len() == size { write(target, &[key]) } else { Err(Status::KeySize) };
    }
    if let Ok(seed) = Seed::try_from(key) {
        return expand(set, &seed, target);
    }
    let size = public_key(set, key, target)?;
    let inputs = [key, &[], &[], &[0; 32]];
    let signature = &mut [0; 4627];
    let signed = sign(Call { set, kind: MESSAGE, inputs, target: signature })?;
    let inputs = [&target[key.len()..size], &[], &[], &signature[..signed]];
    let verdict = &mut [0];
    verify(Call { set, kind: MESSAGE, inputs, target: verdict })?;
    if verdict == &[1] { Ok(size) } else { Err(Status::KeyValue) }
}

// The library has its matrices on the stack, up to 600 KB: no function is inlined, so that no frame
// has those of two.
#[inline(never)]
fn expand(set: u32, seed: &Seed, target: &mut [u8]) -> Answer {
    with!(set, Set of MlDsa44, MlDsa65, MlDsa87 => {
        let key = SigningKey::<Set>::from_seed(seed);
        let public = key.expanded_key().verifying_key().encode();
        write(target, &[&key.expanded_key().to_expanded(), &public, seed])
    })
}

/// Writes an expanded key and its public key.
#[inline(never)]
fn public_key(set: u32, key: &[u8], target: &mut [u8]) -> Answer {
    with!(set, Set of MlDsa44, MlDsa65, MlDsa87 => {
        let bytes: &ExpandedSigningKeyBytes<Set> = key.try_into().map_err(|_| Status::KeySize)?;
        if !is_in_range(set, key) {
            return Err(Status::KeyValue);
        }
        let public = ExpandedSigningKey::<Set>::from_expanded(bytes).verifying_key().encode();
        write(target, &[key, &public])
    })
}

/// Returns true if the coefficients of s1 and s2, which the library expects in their range, are.
fn is_in_range(set: u32, key: &[u8]) -> bool {
    // Of 3 bits up to 4, or of 4 bits up to 8: the highest bit is the only one if it is set.
    let excess = match set {
        1 => key[128..128 + 11 * 128].iter().fold(0, |excess, byte| {
            let high = u32::from(byte >> 3 & 0x11);
            excess | (u32::from(*byte) & (high | high << 1 | high << 2))
        }),
        _ => {
            let size = if set == 0 { 8 * 96 } else { 15 * 96 };
            key[128..128 + size].chunks_exact(3).fold(0, |excess, bytes| {
                let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
                let high = bits >> 2 & 0o11111111;
                excess | (bits & high) | (bits >> 1 & high)
            })
        }
    };
    excess == 0
}

/// The random bytes of a signature, which the library reads once.
struct Random<'a>(&'a [u8; 32]);

impl TryRng for Random<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("the library reads bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("the library reads bytes")
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        target.copy_from_slice(self.0);
        Ok(())
    }
}

impl TryCryptoRng for Random<'_> {}

/// Signs with a private key a message or mu, under a context, with random bytes (hedged).
#[inline(never)]
pub fn sign(call: Call<'_>) -> Answer {
    let Call { set, kind, inputs: [key, message, context, random], target } = call;
    let random = &mut Random(first(random)?);
    with!(set, Set of MlDsa44, MlDsa65, MlDsa87 => {
        let key = key.get(..size_of::<ExpandedSigningKeyBytes<Set>>()).unwrap_or(key);
        let key = key.try_into().map_err(|_| Status::KeySize)?;
        let key = ExpandedSigningKey::<Set>::from_expanded(key);
        let signature = match kind {
            MESSAGE => key.sign_randomized(message, context, random),
            _ => {
                let mu = message.try_into().map_err(|_| Status::DigestSize)?;
                key.sign_mu_randomized(mu, random)
            }
        };
        write(target, &[&signature.map_err(|_| Status::Engine)?.encode()])
    })
}

/// Verifies with a public key a message or mu, under a context, and the signature.
#[inline(never)]
pub fn verify(call: Call<'_>) -> Answer {
    let Call { set, kind, inputs: [key, message, context, signature], target } = call;
    with!(set, Set of MlDsa44, MlDsa65, MlDsa87 => {
        let key = key.try_into().map_err(|_| Status::KeySize)?;
        let Ok(signature) = Signature::<Set>::try_from(signature) else {
            return write(target, &[&[0]]);
        };
        let key = VerifyingKey::<Set>::decode(key);
        let is_right = match kind {
            MESSAGE => key.verify_with_context(message, context, &signature),
            _ => {
                let mu = message.try_into().map_err(|_| Status::DigestSize)?;
                key.verify_mu(mu, &signature)
            }
        };
        write(target, &[&[is_right.into()]])
    })
}
