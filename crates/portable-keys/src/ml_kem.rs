//! ML-KEM (FIPS 203). Private keys are in the expanded form, which contains the public key.

#![allow(deprecated)] // of the expanded form

use ml_kem::kem::{Decapsulate, InvalidKey, Key, KeyExport};
use ml_kem::{B32, DecapsulationKey, EncapsulationKey, ExpandedKeyEncoding, Seed};
use ml_kem::{MlKem512, MlKem768, MlKem1024};

use crate::{Answer, Call, PUBLIC, Status, first, with, write};

fn invalid(_: InvalidKey) -> Status {
    Status::KeyValue
}

/// Imports a public key, an expanded private key, or a seed. Keys are checked: coefficients from the
/// modulus on are not encoded again, and an expanded key must decapsulate what its public key
/// encapsulates.
pub fn import(Call { set, kind, inputs: [key, ..], target, .. }: Call<'_>) -> Answer {
    with!(set, Set of MlKem512, MlKem768, MlKem1024 => {
        if kind == PUBLIC {
            let bytes: &Key<EncapsulationKey<Set>> = key.try_into().map_err(|_| Status::KeySize)?;
            let public = EncapsulationKey::<Set>::new(bytes).map_err(invalid)?;
            let same = public.to_bytes() == *bytes;
            return if same { write(target, &[key]) } else { Err(Status::KeyValue) };
        }
        let (private, seed) = match Seed::try_from(key) {
            Ok(seed) => (DecapsulationKey::<Set>::from_seed(seed), key),
            Err(_) => {
                let key = key.try_into().map_err(|_| Status::KeySize)?;
                (DecapsulationKey::from_expanded_bytes(key).map_err(invalid)?, &[][..])
            }
        };
        let (public, expanded) = (private.encapsulation_key(), private.to_expanded_bytes());
        if seed.is_empty() {
            let (text, secret) = public.encapsulate_deterministic(&B32::default());
            if private.decapsulate(&text) != secret || *expanded != *key {
                return Err(Status::KeyValue);
            }
        }
        write(target, &[&expanded, &public.to_bytes(), seed])
    })
}

/// Encapsulates with a public key and random bytes: writes the secret, then the ciphertext.
pub fn encapsulate(Call { set, inputs: [key, random, ..], target, .. }: Call<'_>) -> Answer {
    with!(set, Set of MlKem512, MlKem768, MlKem1024 => {
        let key = key.try_into().map_err(|_| Status::KeySize)?;
        let key = EncapsulationKey::<Set>::new(key).map_err(invalid)?;
        let (text, secret) = key.encapsulate_deterministic(&B32::from(*first(random)?));
        write(target, &[&secret, &text])
    })
}

/// Decapsulates with a private key a ciphertext; a changed one to another secret (implicit
/// rejection).
pub fn decapsulate(Call { set, inputs: [key, text, ..], target, .. }: Call<'_>) -> Answer {
    with!(set, Set of MlKem512, MlKem768, MlKem1024 => {
        let key = key.get(..size_of::<ml_kem::ExpandedDecapsulationKey<Set>>()).unwrap_or(key);
        let key = key.try_into().map_err(|_| Status::KeySize)?;
        let text = text.try_into().map_err(|_| Status::CiphertextSize)?;
        let key = DecapsulationKey::<Set>::from_expanded_bytes(key).map_err(invalid)?;
        write(target, &[&key.decapsulate(text)])
    })
}
