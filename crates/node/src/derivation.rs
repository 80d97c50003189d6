//! Key derivations as data: parameters, memory, predicted cost, and which of them batch.

use crate::bytes::Window;
use millrace_core::catalog::Hash;
use millrace_core::error::Error;
use millrace_core::kdf::argon2::{self, Kind, Version};
use millrace_core::kdf::phc::{Limits, PasswordHash};
use millrace_core::kdf::{pbkdf2, scrypt};
use millrace_cost::predict_messages;

/// A key derivation function and its parameters. The password travels as the work's key, the salt
/// as iv, other public inputs as aad, and a second secret as tag.
#[derive(Copy, Clone)]
pub(crate) enum Kdf {
    Scrypt {
        cost: scrypt::Cost,
        p: u32,
        /// How many of the `p` lanes have memory to run at once.
        lanes: u32,
    },
    Pbkdf2 {
        hash: Hash,
        iterations: u32,
    },
    Hkdf(Hash),
    Argon2(argon2::Cost),
    /// Verifies a password against the password hash in the aad.
    Verify {
        /// Bytes.
        memory: u64,
        /// Predicted.
        milliseconds: u64,
        /// The most that may be predicted.
        allowed: u64,
    },
}

/// A [`Kdf`] as words. An enum has bytes that no variant writes: moved into a job, they would take
/// along what the stack held there, which may be half a key.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) struct Derivation([u64; 4]);

impl Derivation {
    /// The derivation of a work that derives nothing.
    pub(crate) const NONE: Derivation = Derivation([0; 4]);

    pub(crate) fn new(kdf: Kdf) -> Derivation {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        Derivation(match kdf {
            Kdf::Scrypt { cost, p, lanes } => [1, cost.n(), pair(cost.r(), p), lanes.into()],
            Kdf::Pbkdf2 { hash, iterations } => [2, hash as u64, iterations.into(), 0],
            Kdf::Hkdf(hash) => [3, hash as u64, 0, 0],
            Kdf::Argon2(cost) => {
                let variant = cost.kind() as u32 | (cost.version() as u32) << 8;
                [4, variant.into(), pair(cost.memory(), cost.passes()), cost.lanes().into()]
            }
            Kdf::Verify { memory, milliseconds, allowed } => [5, memory, milliseconds, allowed],
        })
    }

    /// Returns the function that the words describe; `None` for [`Derivation::NONE`] and for words
    /// that [`Derivation::new`] does not write.
    pub(crate) fn kdf(self) -> Option<Kdf> {
        let Derivation([kdf, a, b, c]) = self;
        let low = |word: u64| word as u32;
        let high = |word: u64| (word >> 32) as u32;
        let hash = || Hash::from_id(u8::try_from(a).ok()?);
        Some(match kdf {
            1 => {
                Kdf::Scrypt { cost: scrypt::Cost::new(a, low(b)).ok()?, p: high(b), lanes: low(c) }
            }
            2 => Kdf::Pbkdf2 { hash: hash()?, iterations: low(b) },
            3 => Kdf::Hkdf(hash()?),
            4 => Kdf::Argon2(argon2_cost(low(a), low(b), high(b), low(c)).ok()?),
            5 => Kdf::Verify { memory: a, milliseconds: b, allowed: c },
            _ => return None,
        })
    }

    /// Returns the bytes of working memory, 0 where they are few.
    pub(crate) fn memory(&self) -> u64 {
        match self.kdf() {
            Some(Kdf::Scrypt { cost, p, lanes }) => scrypt::memory(&cost, p.into(), lanes as usize),
            Some(Kdf::Argon2(cost)) => argon2::memory(&cost),
            Some(Kdf::Verify { memory, .. }) => memory,
            Some(Kdf::Pbkdf2 { .. } | Kdf::Hkdf(_)) | None => 0,
        }
    }

    /// Returns the predicted nanoseconds of deriving `size` bytes.
    pub(crate) fn predict(&self, size: usize) -> u64 {
        let a_block = |hash: Hash| predict_messages(hash, hash.facts().block_size, 1);
        let blocks = |hash: Hash| size.div_ceil(hash.facts().digest_size.max(1)) as u64;
        match self.kdf() {
            None => 0,
            // 4Nrp Salsa20 cores of 27 ns.
            Some(Kdf::Scrypt { cost, p, .. }) => 108_u64
                .saturating_mul(cost.n())
                .saturating_mul(cost.r().into())
                .saturating_mul(p.into()),
            // Two compressions an iteration, from kept states.
            Some(Kdf::Pbkdf2 { hash, iterations }) => {
                a_block(hash).saturating_mul(blocks(hash)).saturating_mul(u64::from(iterations) + 2)
            }
            // Two HMACs, and one for each block.
            Some(Kdf::Hkdf(hash)) => 4 * a_block(hash).saturating_mul(blocks(hash) + 2),
            Some(Kdf::Argon2(cost)) => {
                150_u64.saturating_mul(cost.memory().into()).saturating_mul(cost.passes().into())
            }
            Some(Kdf::Verify { milliseconds, .. }) => {
                milliseconds.saturating_mul(1_000_000).max(200_000)
            }
        }
    }

    /// Returns the kind of a derivation that batches: scrypt by N and r, PBKDF2 by hash. The low
    /// byte is no hash's number.
    pub(crate) fn kind(&self) -> Option<u32> {
        match self.kdf() {
            Some(Kdf::Scrypt { cost, .. }) => {
                let (log, r) = (cost.n().ilog2(), cost.r());
                (r < 1 << 18).then_some((r << 6 | log) << 8 | SCRYPT)
            }
            Some(Kdf::Pbkdf2 { hash, .. }) => Some(PBKDF2 | hash as u32),
            _ => None,
        }
    }

    /// Returns the most derivations that are faster as a batch, for the low byte of a kind; `None`
    /// if the kind is not that of a derivation.
    pub(crate) fn batch_limit(kind: u8) -> Option<usize> {
        match u32::from(kind) {
            SCRYPT => Some(scrypt::lanes()),
            kind if kind & PBKDF2 != 0 => Hash::from_id((kind & !PBKDF2) as u8).map(pbkdf2::lanes),
            _ => None,
        }
    }
}

/// The low bytes of kinds: numbers of hashes are less.
const SCRYPT: u32 = 0xff;
const PBKDF2: u32 = 0x80;

/// Returns a cost of Argon2: the kind is the low byte of `variant`, the version the next.
///
/// # Errors
/// [`Error::Cost`] for a variant or a cost that Argon2 does not define.
pub(crate) fn argon2_cost(
    variant: u32,
    memory: u32,
    passes: u32,
    lanes: u32,
) -> Result<argon2::Cost, Error> {
    let kind = match variant & 0xff {
        0 => Kind::D,
        1 => Kind::I,
        2 => Kind::Id,
        _ => return Err(Error::Cost),
    };
    let version = match variant >> 8 {
        0x10 => Version::V10,
        0x13 => Version::V13,
        _ => return Err(Error::Cost),
    };
    Ok(argon2::Cost::new(kind, memory, passes, lanes)?.with_version(version))
}

pub(crate) const NO_LIMITS: Limits = Limits { memory: u64::MAX, milliseconds: u64::MAX };

/// Parses a password hash; bytes that are not UTF-8 are none.
///
/// # Errors
/// Those of [`PasswordHash::parse`].
pub(crate) fn password_hash(text: &Window, limits: &Limits) -> Result<PasswordHash, Error> {
    PasswordHash::parse(std::str::from_utf8(text.read()).unwrap_or_default(), limits)
}
