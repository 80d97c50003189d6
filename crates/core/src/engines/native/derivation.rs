//! Which routine derives which keys.

use aws_lc_sys as lc;

use super::memory::Memory;
use super::*;
use crate::catalog::HASHES;
use crate::checkpoint::Checkpoint;
use crate::engines::Derivation;
use crate::kdf::inputs::{Argon2Cost, Argon2Input, Pbkdf2Job, ScryptCost, ScryptJob};

impl Derivation for Native {
    fn serves_derivations() -> Vec<(String, Service)> {
        let hashes = HASHES.iter().filter(|facts| facts.hmac);
        let pbkdf2 = hashes.map(|facts| {
            (
                format!("pbkdf2-{}", facts.name),
                cpu::serves_pbkdf2(facts.hash, Self::pbkdf2_lanes(facts.hash)),
            )
        });
        let others = cpu::serves_derivations(scrypt::lanes())
            .into_iter()
            .map(|(name, service)| (name.to_string(), service));
        others.chain(pbkdf2).collect()
    }

    fn scrypt_lanes() -> usize {
        scrypt::lanes()
    }

    fn scrypt_memory(cost: &ScryptCost, lanes: u64, concurrent: usize) -> Option<u64> {
        scrypt::memory(cost, lanes, concurrent)
    }

    fn scrypt(
        cost: &ScryptCost,
        jobs: &mut [ScryptJob<'_>],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        scrypt::run(cost, jobs, memory, checkpoint, each)
    }

    fn pbkdf2_lanes(hash: Hash) -> usize {
        with_digest!(hash, D => D::hmac_lanes(), _ => 0)
    }

    fn pbkdf2(
        hash: Hash,
        jobs: &mut [Pbkdf2Job<'_>],
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        with_digest!(hash, D => { pbkdf2::run::<D>(jobs, checkpoint, each); Ok(()) }, _ => Err(Error::NotSupported))
    }

    fn hkdf_expand(hash: Hash, key: &[u8], info: &[u8], target: &mut [u8]) -> Result<(), Error> {
        with_digest!(hash, D => { hkdf::expand::<D>(key, info, target); Ok(()) }, _ => Err(Error::NotSupported))
    }

    fn hkdf(
        hash: Hash,
        secret: &[u8],
        salt: &[u8],
        info: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        with_digest!(hash, D => { hkdf::derive::<D>(secret, salt, info, target); Ok(()) }, _ => Err(Error::NotSupported))
    }

    fn argon2_memory(cost: &Argon2Cost) -> u64 {
        argon2::memory(cost)
    }

    fn argon2(
        cost: &Argon2Cost,
        input: &Argon2Input<'_>,
        target: &mut [u8],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
    ) -> Result<(), Error> {
        argon2::run(cost, input, target, memory, checkpoint)
    }

    fn bcrypt(
        password: &[u8],
        salt: &[u8; 16],
        cost: u32,
        target: &mut [u8; 23],
        checkpoint: &mut dyn Checkpoint,
    ) -> Result<(), Error> {
        bcrypt::run(password, salt, cost, target, checkpoint)
    }

    fn equal(one: &[u8], other: &[u8]) -> bool {
        // SAFETY: both have so many bytes.
        one.len() == other.len()
            && unsafe { lc::CRYPTO_memcmp(one.as_ptr().cast(), other.as_ptr().cast(), one.len()) }
                == 0
    }

    fn wipe(bytes: &mut [u8]) {
        // SAFETY: pointer and length are of one slice.
        unsafe { lc::OPENSSL_cleanse(bytes.as_mut_ptr().cast(), bytes.len()) }
    }

    #[inline]
    fn wipe_below<const ROOM: usize>() {
        wipe::wipe_room_below::<ROOM>();
    }
}
