//! The key derivations of the native engine.

use aws_lc_sys as lc;

use super::memory::Memory;
use super::*;
use crate::catalog::HASHES;
use crate::checkpoint::Checkpoint;
use crate::kdf::inputs::{Argon2Cost, Argon2Input, Pbkdf2Job, ScryptCost, ScryptJob};

impl Native {
    /// Returns how each derivation is computed here.
    pub(crate) fn serves_derivations() -> Vec<(String, Service)> {
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

    /// Returns how many lanes of scrypt are computed at once.
    pub(crate) fn scrypt_lanes() -> usize {
        scrypt::lanes()
    }

    /// Returns the bytes of working memory for `lanes` lanes of scrypt, of which `concurrent` are
    /// computed at once; `None` on overflow.
    pub(crate) fn scrypt_memory(cost: &ScryptCost, lanes: u64, concurrent: usize) -> Option<u64> {
        scrypt::memory(cost, lanes, concurrent)
    }

    /// Computes scrypt jobs of one cost. Calls `each` once per job with its index and key, in any
    /// order.
    pub(crate) fn scrypt(
        cost: &ScryptCost,
        jobs: &mut [ScryptJob<'_>],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        scrypt::run(cost, jobs, memory, checkpoint, each)
    }

    /// Returns how many blocks of PBKDF2's output are computed at once.
    pub(crate) fn pbkdf2_lanes(hash: Hash) -> usize {
        with_digest!(hash, D => D::hmac_lanes(), _ => 0)
    }

    /// Computes PBKDF2 jobs with one hash, as [`Native::scrypt`] does.
    pub(crate) fn pbkdf2(
        hash: Hash,
        jobs: &mut [Pbkdf2Job<'_>],
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        with_digest!(hash, D => { pbkdf2::run::<D>(jobs, checkpoint, each); Ok(()) },
            _ => Err(Error::NotSupported))
    }

    /// Expands a key with HKDF.
    pub(crate) fn hkdf_expand(
        hash: Hash,
        key: &[u8],
        info: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        with_digest!(hash, D => { hkdf::expand::<D>(key, info, target); Ok(()) },
            _ => Err(Error::NotSupported))
    }

    /// Extracts and expands with HKDF.
    pub(crate) fn hkdf(
        hash: Hash,
        secret: &[u8],
        salt: &[u8],
        info: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        with_digest!(hash, D => { hkdf::derive::<D>(secret, salt, info, target); Ok(()) },
            _ => Err(Error::NotSupported))
    }

    /// Returns the bytes of working memory of an Argon2.
    pub(crate) fn argon2_memory(cost: &Argon2Cost) -> u64 {
        argon2::memory(cost)
    }

    /// Computes an Argon2.
    pub(crate) fn argon2(
        cost: &Argon2Cost,
        input: &Argon2Input<'_>,
        target: &mut [u8],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
    ) -> Result<(), Error> {
        argon2::run(cost, input, target, memory, checkpoint)
    }

    /// Computes a bcrypt.
    pub(crate) fn bcrypt(
        password: &[u8],
        salt: &[u8; 16],
        cost: u32,
        target: &mut [u8; 23],
        checkpoint: &mut dyn Checkpoint,
    ) -> Result<(), Error> {
        bcrypt::run(password, salt, cost, target, checkpoint)
    }

    /// Returns true if both are equal, in a time that depends only on their lengths.
    pub(crate) fn equal(one: &[u8], other: &[u8]) -> bool {
        // SAFETY: both have that many bytes.
        one.len() == other.len()
            && unsafe { lc::CRYPTO_memcmp(one.as_ptr().cast(), other.as_ptr().cast(), one.len()) }
                == 0
    }

    pub(crate) fn wipe(bytes: &mut [u8]) {
        // SAFETY: pointer and length are of one slice.
        unsafe { lc::OPENSSL_cleanse(bytes.as_mut_ptr().cast(), bytes.len()) }
    }

    /// Overwrites a secret.
    /// Overwrites `SIZE` bytes of stack below the caller's frame.
    #[inline]
    pub(crate) fn wipe_below<const SIZE: usize>() {
        wipe::wipe_room_below::<SIZE>();
    }
}
