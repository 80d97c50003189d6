//! Key derivation: what of it a call describes, what it costs, and how it runs. What is long runs
//! as any long job, in slices; several of one kind run together in lanes (`multibuffer`), and those
//! that take much memory share what there is (`room`).

use crate::calls::Request;
use crate::cost;
use crate::memory_budget;
use crate::protocol::{At, OperationNumber as Asked};
use crate::work::{Key, Operation, Reply, Status, Work};
use crate::{bytes::Window, checkpoint::JobCheckpoint};
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::{Checkpoint, NoCheckpoint};
use millrace_core::error::Error;
use millrace_core::kdf::argon2::{self, Kind, Version};
use millrace_core::kdf::clock::Clock;
use millrace_core::kdf::phc::{Bcrypt, Limits, PasswordHash, Scheme};
use millrace_core::kdf::{hkdf, pbkdf2, scrypt};
use std::sync::atomic::{AtomicU32, Ordering};

/// What is derived. The password travels as the key, the salt as the iv, other public inputs as the
/// aad and a second secret as the tag: all of them are copied for a job, and the copies wiped.
#[derive(Copy, Clone)]
pub(crate) enum Kdf {
    Scrypt {
        cost: scrypt::Cost,
        p: u32,
        /// How many of its p lanes have memory to run at once.
        together: u32,
    },
    Pbkdf2 {
        hash: Hash,
        iterations: u32,
    },
    Hkdf(Hash),
    Argon2(argon2::Cost),
    /// Whether a password is that of a password hash, which stands in the aad.
    Verify {
        memory: u64,
        /// Predicted.
        milliseconds: u64,
        /// What may be predicted.
        allowed: u64,
    },
}

/// [`Kdf`] in words: an enum has bytes that no variant writes, and takes with it whatever the
/// stack held there, which may be half a key, when it is moved into a job.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) struct Derivation([u64; 4]);

/// How far a job has come, for its environment to look at: of [`ProgressCounter::WHOLE`].
#[derive(Default)]
pub(crate) struct ProgressCounter(AtomicU32);

impl ProgressCounter {
    pub(crate) const WHOLE: u32 = 1 << 30;

    pub(crate) fn set(&self, done: u64, steps: u64) {
        let part = u128::from(done) * u128::from(ProgressCounter::WHOLE) / u128::from(steps.max(1));
        self.0.store(
            u32::try_from(part).unwrap_or(ProgressCounter::WHOLE).min(ProgressCounter::WHOLE),
            Ordering::Relaxed,
        );
    }

    pub(crate) fn get(&self) -> f64 {
        f64::from(self.0.load(Ordering::Relaxed)) / f64::from(ProgressCounter::WHOLE)
    }
}

impl Derivation {
    /// Of work that derives nothing.
    pub(crate) const NONE: Derivation = Derivation([0; 4]);

    fn new(kdf: Kdf) -> Derivation {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        Derivation(match kdf {
            Kdf::Scrypt { cost, p, together } => [1, cost.n(), pair(cost.r(), p), together.into()],
            Kdf::Pbkdf2 { hash, iterations } => [2, hash as u64, iterations.into(), 0],
            Kdf::Hkdf(hash) => [3, hash as u64, 0, 0],
            Kdf::Argon2(cost) => {
                let variant = cost.kind() as u32 | (cost.version() as u32) << 8;
                [4, variant.into(), pair(cost.memory(), cost.passes()), cost.lanes().into()]
            }
            Kdf::Verify { memory, milliseconds, allowed } => [5, memory, milliseconds, allowed],
        })
    }

    /// What the words say; `None` for work that derives nothing, and for words that
    /// [`Derivation::new`] does not write.
    pub(crate) fn decode(self) -> Option<Kdf> {
        let Derivation([kdf, a, b, c]) = self;
        let low = |word: u64| word as u32;
        let high = |word: u64| (word >> 32) as u32;
        let hash = || Hash::from_id(u8::try_from(a).ok()?);
        Some(match kdf {
            1 => Kdf::Scrypt {
                cost: scrypt::Cost::new(a, low(b)).ok()?,
                p: high(b),
                together: low(c),
            },
            2 => Kdf::Pbkdf2 { hash: hash()?, iterations: low(b) },
            3 => Kdf::Hkdf(hash()?),
            4 => Kdf::Argon2(argon2_of(low(a), low(b), high(b), low(c)).ok()?),
            5 => Kdf::Verify { memory: a, milliseconds: b, allowed: c },
            _ => return None,
        })
    }

    /// As the frame says: the numbers of a cost stand in the places of a count, a size and a seed.
    pub(crate) fn of(
        request: &Request<'_>,
        operation: Asked,
        aad: Window,
    ) -> Result<Derivation, Status> {
        let number = |at: At| {
            let number = request.number(at);
            (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number))
                .then_some(number as u32)
                .ok_or(Status::Cost)
        };
        let hash = || Hash::from_id(request.number(At::Algorithm) as u8).ok_or(Status::Argument);
        Ok(Derivation::new(match operation {
            Asked::Scrypt => {
                let (cost, p) = scrypt_cost(request)?;
                let allowed = request.size(At::MaxMemory)? as u64;
                cost.check(p, allowed)?;
                let most = u32::try_from(scrypt::lanes()).unwrap_or(1).min(p);
                let fits =
                    |&together: &u32| scrypt::memory(&cost, p.into(), together as usize) <= allowed;
                Kdf::Scrypt { cost, p, together: (2..=most).rev().find(fits).unwrap_or(1) }
            }
            Asked::Pbkdf2 => Kdf::Pbkdf2 { hash: hash()?, iterations: number(At::Count)? },
            Asked::Hkdf => Kdf::Hkdf(hash()?),
            Asked::Argon2 => Kdf::Argon2(argon2_cost(number(At::SeedHigh)?, number)?),
            Asked::Verify => {
                let limits = Limits {
                    memory: request.size(At::MaxMemory)? as u64,
                    milliseconds: request.size(At::MaxTime)? as u64,
                };
                match PasswordHash::parse(as_text(&aad), &limits) {
                    Ok(hash) => Kdf::Verify {
                        memory: hash.scheme().memory(),
                        milliseconds: hash.scheme().milliseconds(),
                        allowed: limits.milliseconds,
                    },
                    Err(Error::Memory { needed }) => {
                        request.tell_memory(needed);
                        return Err(Status::MemoryLimit);
                    }
                    // Parameters that no scheme has are no more a password hash than wrong letters
                    // are.
                    Err(Error::Cost) => return Err(Status::Encoded),
                    Err(error) => return Err(error.into()),
                }
            }
            _ => return Err(Status::Argument),
        }))
    }

    /// Bytes of working memory, 0 where it is too little to count.
    pub(crate) fn memory(&self) -> u64 {
        match self.decode() {
            Some(Kdf::Scrypt { cost, p, together }) => {
                scrypt::memory(&cost, p.into(), together as usize)
            }
            Some(Kdf::Argon2(cost)) => argon2::memory(&cost),
            Some(Kdf::Verify { memory, .. }) => memory,
            Some(Kdf::Pbkdf2 { .. } | Kdf::Hkdf(_)) | None => 0,
        }
    }

    /// The hash whose cost model it uses.
    pub(crate) fn hash(&self) -> Hash {
        match self.decode() {
            Some(Kdf::Pbkdf2 { hash, .. } | Kdf::Hkdf(hash)) => hash,
            Some(Kdf::Argon2(_)) => Hash::Blake2b512,
            Some(Kdf::Scrypt { .. } | Kdf::Verify { .. }) | None => Hash::Sha256,
        }
    }

    /// Predicted nanoseconds of deriving a key of `size` bytes.
    pub(crate) fn predict(&self, size: usize) -> u64 {
        let a_block = cost::predict_messages(self.hash(), self.hash().facts().block_size, 1);
        let blocks = |hash: Hash| size.div_ceil(hash.facts().digest_size.max(1)) as u64;
        match self.decode() {
            None => 0,
            // 4Nrp Salsa20 cores of 27 ns.
            Some(Kdf::Scrypt { cost, p, .. }) => 108_u64
                .saturating_mul(cost.n())
                .saturating_mul(cost.r().into())
                .saturating_mul(p.into()),
            // Two compressions an iteration, from kept states.
            Some(Kdf::Pbkdf2 { hash, iterations }) => {
                a_block.saturating_mul(blocks(hash)).saturating_mul(u64::from(iterations) + 2)
            }
            // Two HMACs, and one for each block.
            Some(Kdf::Hkdf(hash)) => 4 * a_block.saturating_mul(blocks(hash) + 2),
            Some(Kdf::Argon2(cost)) => {
                150_u64.saturating_mul(cost.memory().into()).saturating_mul(cost.passes().into())
            }
            Some(Kdf::Verify { milliseconds, .. }) => {
                milliseconds.saturating_mul(1_000_000).max(200_000)
            }
        }
    }

    /// What several jobs that may run in lanes of one thread have in common: of scrypt N and r, of
    /// PBKDF2 the hash. The low byte is no hash's number.
    pub(crate) fn kind(&self) -> Option<u32> {
        match self.decode() {
            Some(Kdf::Scrypt { cost, .. }) => {
                let (log, r) = (cost.n().ilog2(), cost.r());
                (r < 1 << 18).then_some((r << 6 | log) << 8 | SCRYPT)
            }
            Some(Kdf::Pbkdf2 { hash, .. }) => Some(PBKDF2 | hash as u32),
            _ => None,
        }
    }

    /// How many jobs of a kind are worth running together; `None` for a kind of something else.
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

fn scrypt_cost(request: &Request<'_>) -> Result<(scrypt::Cost, u32), Status> {
    let (n, r, p) =
        (request.size(At::Count)?, request.size(At::MessageSize)?, request.size(At::SeedLow)?);
    let [r, p] = [r, p].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    Ok((scrypt::Cost::new(n as u64, r)?, p))
}

fn argon2_cost(
    variant: u32,
    number: impl Fn(At) -> Result<u32, Status>,
) -> Result<argon2::Cost, Status> {
    Ok(argon2_of(variant, number(At::MessageSize)?, number(At::Count)?, number(At::SeedLow)?)?)
}

/// The kind is the low byte of `variant`, the version the next.
fn argon2_of(variant: u32, memory: u32, passes: u32, lanes: u32) -> Result<argon2::Cost, Error> {
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

/// A text that came as UTF-8; what is not UTF-8 is no password hash.
fn as_text(window: &Window) -> &str {
    std::str::from_utf8(window.read()).unwrap_or_default()
}

impl Work {
    /// Derives a key into the target, or a one where a password is verified and a zero where it is
    /// not.
    pub(crate) fn derive(
        &self,
        reply: &mut Reply,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let Key::Bytes(password) = self.key else { return Err(Status::Argument) };
        let (password, salt, aad) = (password.read(), self.iv.read(), self.aad.read());
        let mut unpaced = NoCheckpoint;
        let checkpoint: &mut dyn Checkpoint = match checkpoint {
            Some(checkpoint) => checkpoint,
            None => &mut unpaced,
        };
        let needed = self.derivation.memory();
        let kdf = self.derivation.decode().ok_or(Status::Internal)?;
        self.digest_to(reply, |target| match kdf {
            Kdf::Scrypt { cost, p, .. } => {
                let mut whole = false;
                let jobs = &mut [scrypt::Job { password, salt, p, target }];
                memory_budget::with_scratch(needed, |memory| {
                    scrypt::derive_many(&cost, jobs, memory, checkpoint, |_, _| whole = true)
                })?;
                whole.then_some(()).ok_or(Error::Cancelled)
            }
            Kdf::Pbkdf2 { hash, iterations } => {
                let mut whole = false;
                let jobs = &mut [pbkdf2::Job { password, salt, iterations, target }];
                pbkdf2::derive_many(hash, jobs, checkpoint, |_, _| whole = true)?;
                whole.then_some(()).ok_or(Error::Cancelled)
            }
            Kdf::Hkdf(hash) => hkdf::derive(hash, password, salt, aad, target),
            Kdf::Argon2(cost) => {
                let input =
                    argon2::Input { password, salt, secret: self.tag.read(), associated: aad };
                memory_budget::with_scratch(needed, |memory| {
                    argon2::derive_in(&cost, &input, target, memory, checkpoint)
                })
            }
            Kdf::Verify { allowed, .. } => {
                let hash = PasswordHash::parse(as_text(&self.aad), &NO_LIMITS)?;
                let clock = &mut Clock::new(allowed, checkpoint);
                let verified = memory_budget::with_scratch(needed, |memory| {
                    let equal = hash.verify(password, self.tag.read(), memory, clock)?;
                    target.fill(u8::from(equal));
                    Ok(())
                });
                if clock.expired() { Err(Error::Work) } else { verified }
            }
        })
    }
}

/// Whether bytes are equal, in constant time.
pub(crate) fn equal(left: &[u8], right: &[u8]) -> bool {
    millrace_core::kdf::equal(left, right)
}

const NO_LIMITS: Limits = Limits { memory: u64::MAX, milliseconds: u64::MAX };

/// Whether a password hash, in the aad, should be made anew for the scheme that the frame describes
/// as for a derivation; `Count` of 0 stands for bcrypt, which is always old. The target's size is
/// that of the hash, the iv's that of the salt.
pub(crate) fn needs_rehash(request: &Request<'_>) -> Result<bool, Status> {
    let text = request.common(Operation::Hash(Hash::Sha256))?.aad;
    let hash = PasswordHash::parse(as_text(&text), &NO_LIMITS).map_err(|_| Status::Encoded)?;
    let scheme = match request.operation()? {
        Asked::Scrypt => scrypt_cost(request).map(|(cost, p)| Scheme::Scrypt(cost, p))?,
        Asked::Argon2 => {
            let number = |at: At| u32::try_from(request.size(at)?).map_err(|_| Status::Cost);
            Scheme::Argon2(argon2_cost(number(At::SeedHigh)?, number)?)
        }
        _ => Scheme::Bcrypt(Bcrypt::B, 10),
    };
    Ok(hash.needs_rehash(&scheme, request.size(At::IvSize)?, request.size(At::TargetSize)?))
}
