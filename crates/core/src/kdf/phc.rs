//! Password hashes as strings: Argon2 and scrypt as PHC strings, bcrypt in its modular crypt
//! format or, as some programs write it, as a PHC string.
//!
//! ```text
//! $argon2id$v=19$m=19456,t=2,p=1[,data=<associated data>]$<salt>$<hash>
//! $scrypt$ln=14,r=8,p=1$<salt>$<hash>, or n=16384 for ln=14
//! $2b$12$<salt and hash>, or $bcrypt$v=98$r=12$<salt>$<hash>
//! ```
//!
//! Strings may be untrusted: only the canonical form is accepted, but for the order of parameters,
//! in which programs differ, and the cost is checked against limits before anything is computed.

use std::fmt;

use super::SLOWNESS;
use super::base64::{BCRYPT, STANDARD};
use super::clock::Clock;
use super::function::{DerivationJob, DerivationSize, Function, Numbers};
use super::{Memory, argon2, bcrypt, scrypt};
use crate::Error;
use crate::allocate::{try_copy, try_zeroed};
use crate::checkpoint::Checkpoint;
use crate::{primitives, wipe};

/// How a password is hashed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Argon2d, Argon2i or Argon2id.
    Argon2(argon2::Cost),
    /// scrypt with its cost and p.
    Scrypt(scrypt::Cost, u32),
    /// bcrypt with its cost, only to verify.
    Bcrypt(Bcrypt, u32),
}

/// The kinds of bcrypt strings, which are all computed alike. 2x, of a faulty implementation, is
/// not supported.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Bcrypt {
    /// 2a, of the first implementations.
    A,
    /// 2b, of OpenBSD since 2014.
    B,
    /// 2y, of crypt_blowfish and PHP.
    Y,
}

/// The limits on the cost of a password hash.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of working memory.
    pub memory: u64,
    /// Milliseconds on one core, as [`Scheme::milliseconds`] predicts them.
    pub milliseconds: u64,
}

/// The scheme, salt and hash of a password.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash {
    scheme: Scheme,
    /// Argon2's associated data; empty for other schemes.
    associated: Vec<u8>,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

/// The longest string; the lengths of salts and hashes, in bytes.
const TEXT_MAX: usize = 1536;
const SALT: std::ops::RangeInclusive<usize> = 8..=512;
/// A shorter hash could match by chance. scrypt's shorter keys are prefixes of its longer ones.
const HASH: std::ops::RangeInclusive<usize> = 16..=512;

impl Scheme {
    /// Returns the scheme of a derivation, by its number and its parameters.
    ///
    /// # Errors
    /// [`Error::Cost`] and [`Error::Memory`] for parameters that the scheme does not define;
    /// [`Error::NotSupported`] if passwords are not hashed so.
    pub fn of(function: usize, numbers: &Numbers) -> Result<Scheme, Error> {
        match function {
            0 => scrypt::parameters(numbers).map(|(cost, p)| Scheme::Scrypt(cost, p)),
            5 => argon2::parameters(numbers).map(Scheme::Argon2),
            6 => bcrypt::parameters(numbers).map(|cost| Scheme::Bcrypt(Bcrypt::B, cost)),
            _ => Err(Error::NotSupported),
        }
    }

    /// Returns the bytes of working memory; 0 for bcrypt, which needs 4 KiB.
    pub fn memory(&self) -> u64 {
        match self {
            Scheme::Argon2(cost) => argon2::memory(cost),
            Scheme::Scrypt(cost, p) => scrypt::memory(cost, (*p).into(), 1),
            Scheme::Bcrypt(..) => 0,
        }
    }

    /// Returns the predicted time on one slow core.
    pub fn milliseconds(&self) -> u64 {
        let nanoseconds = match self {
            // A block takes 100 to 200 ns. Each of a lane's 4 segments adds about two blocks, for
            // addresses and its start.
            Scheme::Argon2(cost) => {
                let blocks = u64::from(cost.memory()) + 8 * u64::from(cost.lanes());
                200_u64.saturating_mul(blocks).saturating_mul(cost.passes().into())
            }
            // 4Nrp Salsa20 cores of 50 ns. PBKDF2 writes and reads 128rp bytes, 14 SHA-256
            // compressions per r and p.
            Scheme::Scrypt(cost, p) => {
                let of_each = 200_u64.saturating_mul(cost.n()).saturating_add(3200);
                of_each.saturating_mul(cost.r().into()).saturating_mul((*p).into())
            }
            Scheme::Bcrypt(_, cost) => 60_000 << cost,
        };
        nanoseconds.saturating_mul(SLOWNESS) / 1_000_000
    }
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits { memory: u64::MAX, milliseconds: u64::MAX };
}

impl PasswordHash {
    /// Parses a password hash.
    ///
    /// # Errors
    /// [`Error::Encoded`] if `text` has another form; [`Error::EncodedSize`] for a salt or hash of
    /// another size than Millrace accepts; [`Error::Cost`] for parameters outside the scheme's
    /// range; [`Error::Memory`] and [`Error::Work`] if it exceeds the limits.
    pub fn parse(text: &str, limits: &Limits) -> Result<PasswordHash, Error> {
        if text.len() > TEXT_MAX {
            return Err(Error::Encoded);
        }
        let mut fields = text.split('$');
        if fields.next() != Some("") {
            return Err(Error::Encoded);
        }
        let found = match fields.next().ok_or(Error::Encoded)? {
            "argon2d" => argon2_fields(argon2::Kind::D, fields),
            "argon2i" => argon2_fields(argon2::Kind::I, fields),
            "argon2id" => argon2_fields(argon2::Kind::Id, fields),
            "scrypt" => scrypt_fields(fields),
            "2a" => bcrypt_fields(Bcrypt::A, fields),
            "2b" => bcrypt_fields(Bcrypt::B, fields),
            "2y" => bcrypt_fields(Bcrypt::Y, fields),
            "bcrypt" => bcrypt_phc_fields(fields),
            _ => Err(Error::Encoded),
        }?;
        let needed = found.scheme.memory();
        if needed > limits.memory {
            return Err(Error::Memory { needed });
        }
        if found.scheme.milliseconds() > limits.milliseconds {
            return Err(Error::Work);
        }
        Ok(found)
    }

    /// Parses a password hash from bytes. Bytes that are not UTF-8 are none.
    ///
    /// # Errors
    /// As [`PasswordHash::parse`]; a hash with parameters that its scheme does not define is
    /// [`Error::Encoded`].
    pub fn from_bytes(text: &[u8], limits: &Limits) -> Result<PasswordHash, Error> {
        match PasswordHash::parse(std::str::from_utf8(text).unwrap_or_default(), limits) {
            Err(Error::Cost) => Err(Error::Encoded),
            parsed => parsed,
        }
    }

    /// Hashes a password to `size` bytes. Reaches a checkpoint at least once per millisecond.
    ///
    /// `secret` is a key (pepper) for Argon2, empty for the other schemes. `memory` must have at
    /// least [`Scheme::memory`] bytes.
    ///
    /// # Errors
    /// [`Error::SaltSize`], [`Error::OutputSize`], [`Error::NotSupported`] for a secret with
    /// another scheme than Argon2 and for bcrypt of a password with a zero byte, [`Error::Memory`],
    /// [`Error::Cancelled`].
    pub fn new(
        scheme: Scheme,
        password: &[u8],
        secret: &[u8],
        salt: &[u8],
        size: usize,
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
    ) -> Result<PasswordHash, Error> {
        let (salts, sizes) = match scheme {
            Scheme::Bcrypt(..) => (16..=16, 23..=23),
            _ => (SALT, HASH),
        };
        if !salts.contains(&salt.len()) {
            return Err(Error::SaltSize);
        }
        if !sizes.contains(&size) {
            return Err(Error::OutputSize);
        }
        let (salt, hash) = (try_copy(salt)?, try_zeroed(size)?);
        let mut made = PasswordHash { scheme, associated: Vec::new(), salt, hash };
        let mut hash = std::mem::take(&mut made.hash);
        made.derive(password, secret, &mut hash, memory, checkpoint)?;
        made.hash = hash;
        Ok(made)
    }

    /// Returns true if this is the hash of `password`. Compares in constant time.
    ///
    /// # Errors
    /// As [`PasswordHash::new`].
    pub fn verify(
        &self,
        password: &[u8],
        secret: &[u8],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
    ) -> Result<bool, Error> {
        let mut hash = [0; *HASH.end()];
        let hash = &mut hash[..self.hash.len()];
        let derived = self.derive(password, secret, hash, memory, checkpoint);
        let equal = primitives::equal(hash, &self.hash);
        wipe::wipe(hash);
        derived.map(|()| equal)
    }

    fn derive(
        &self,
        password: &[u8],
        secret: &[u8],
        target: &mut [u8],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
    ) -> Result<(), Error> {
        if !secret.is_empty() && !matches!(self.scheme, Scheme::Argon2(_)) {
            return Err(Error::NotSupported);
        }
        match self.scheme {
            Scheme::Argon2(cost) => {
                let (salt, associated) = (&self.salt, &self.associated);
                let input = argon2::Input { password, salt, secret, associated };
                argon2::derive_in(&cost, &input, target, memory, checkpoint)
            }
            Scheme::Scrypt(cost, p) => {
                let mut done = false;
                let job = scrypt::ScryptJob { password, salt: &self.salt, p, target };
                scrypt::derive_many(&cost, &mut [job], memory, checkpoint, |_, _| done = true)?;
                if done { Ok(()) } else { Err(Error::Cancelled) }
            }
            Scheme::Bcrypt(_, cost) => {
                let salt = self.salt.as_slice().try_into().map_err(|_| Error::SaltSize)?;
                let target = target.try_into().map_err(|_| Error::OutputSize)?;
                bcrypt::derive(password, salt, cost, target, checkpoint)
            }
        }
    }

    /// Returns the scheme.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Returns true if the password should be hashed again: if the scheme or its cost differs, or
    /// the salt or hash is shorter than `salt_size` or `size` bytes.
    pub fn needs_rehash(&self, scheme: &Scheme, salt_size: usize, size: usize) -> bool {
        self.scheme != *scheme || self.salt.len() < salt_size || self.hash.len() < size
    }
}

impl fmt::Display for PasswordHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scheme {
            Scheme::Argon2(cost) => {
                let kind = match cost.kind() {
                    argon2::Kind::D => "d",
                    argon2::Kind::I => "i",
                    argon2::Kind::Id => "id",
                };
                let (version, memory) = (cost.version() as u32, cost.memory());
                write!(
                    formatter,
                    "$argon2{kind}$v={version}$m={memory},t={},p={}",
                    cost.passes(),
                    cost.lanes()
                )?;
                if !self.associated.is_empty() {
                    write!(formatter, ",data={}", STANDARD.encode(&self.associated))?;
                }
            }
            Scheme::Scrypt(cost, p) => {
                write!(formatter, "$scrypt$ln={},r={},p={p}", cost.n().ilog2(), cost.r())?
            }
            Scheme::Bcrypt(kind, cost) => {
                let kind = match kind {
                    Bcrypt::A => "2a",
                    Bcrypt::B => "2b",
                    Bcrypt::Y => "2y",
                };
                return write!(
                    formatter,
                    "${kind}${cost:02}${}{}",
                    BCRYPT.encode(&self.salt),
                    BCRYPT.encode(&self.hash)
                );
            }
        }
        write!(formatter, "${}${}", STANDARD.encode(&self.salt), STANDARD.encode(&self.hash))
    }
}

/// Verifies a password: the `aad` is the password hash, and the target becomes 1 or 0.
pub(super) struct Verify;

impl Function for Verify {
    fn memory(&self, numbers: &Numbers, aad: &[u8]) -> Result<u64, Error> {
        let limits = Limits { memory: numbers.memory, milliseconds: numbers.milliseconds };
        match PasswordHash::from_bytes(aad, &limits) {
            Ok(hash) => Ok(hash.scheme.memory()),
            Err(Error::Memory { needed }) if needed > limits.memory => {
                Err(Error::MemoryLimit { needed })
            }
            Err(error) => Err(error),
        }
    }

    fn predict(&self, size: &DerivationSize<'_>) -> Result<u64, Error> {
        let hash = PasswordHash::from_bytes(size.aad, &Limits::NONE)?;
        Ok((hash.scheme.milliseconds() / SLOWNESS).saturating_mul(1_000_000).max(200_000))
    }

    fn derive(
        &self,
        jobs: &mut [DerivationJob<'_>],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        for (index, job) in jobs.iter_mut().enumerate() {
            let hash = PasswordHash::from_bytes(job.aad, &Limits::NONE)?;
            let clock = &mut Clock::new(job.numbers.milliseconds, checkpoint);
            let verified = hash.verify(job.password, job.secret, memory, clock);
            if clock.expired() {
                return Err(Error::Work);
            }
            job.target.fill(u8::from(verified?));
            each(index, job.target);
        }
        Ok(())
    }
}

/// Prints neither salt nor hash.
impl fmt::Debug for PasswordHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PasswordHash({:?})", self.scheme)
    }
}

type Fields<'a> = std::str::Split<'a, char>;

fn argon2_fields(kind: argon2::Kind, mut fields: Fields<'_>) -> Result<PasswordHash, Error> {
    let mut field = fields.next().ok_or(Error::Encoded)?;
    // Strings of the first version may omit it.
    let version = match field.strip_prefix("v=") {
        None | Some("16") => argon2::Version::V10,
        Some("19") => argon2::Version::V13,
        Some(_) => return Err(Error::Encoded),
    };
    if field.starts_with("v=") {
        field = fields.next().ok_or(Error::Encoded)?;
    }
    let [memory, passes, lanes, data] = parameters(field, ["m", "t", "p", "data"])?;
    let (memory, passes, lanes) = (number(memory)?, number(passes)?, number(lanes)?);
    let cost = argon2::Cost::new(kind, memory, passes, lanes)?.with_version(version);
    with_salt(Scheme::Argon2(cost), decoded(data.unwrap_or_default())?, fields)
}

fn scrypt_fields(mut fields: Fields<'_>) -> Result<PasswordHash, Error> {
    let field = fields.next().ok_or(Error::Encoded)?;
    let [log, n, r, p] = parameters(field, ["ln", "n", "r", "p"])?;
    let n = match (log, n) {
        (log, None) => 1_u64.checked_shl(number(log)?).ok_or(Error::Cost)?,
        (None, n) => number(n)?.into(),
        _ => return Err(Error::Encoded),
    };
    let (cost, p) = (scrypt::Cost::new(n, number(r)?)?, number(p)?);
    cost.check(p, u64::MAX)?;
    with_salt(Scheme::Scrypt(cost, p), Vec::new(), fields)
}

fn bcrypt_fields(kind: Bcrypt, mut fields: Fields<'_>) -> Result<PasswordHash, Error> {
    let (Some(cost), Some(text), None) = (fields.next(), fields.next(), fields.next()) else {
        return Err(Error::Encoded);
    };
    let digits = cost.len() == 2 && cost.bytes().all(|byte| byte.is_ascii_digit());
    let cost: u32 = cost.parse().ok().filter(|_| digits).ok_or(Error::Encoded)?;
    let scheme = bcrypt_scheme(kind, cost)?;
    let (salt, hash) =
        text.split_at_checked(22).filter(|(_, hash)| hash.len() == 31).ok_or(Error::Encoded)?;
    // Some implementations set unused bits of the salt's last character.
    let (salt, _) = BCRYPT.decode(salt)?;
    let (hash, left) = BCRYPT.decode(hash)?;
    if left != 0 {
        return Err(Error::Encoded);
    }
    Ok(PasswordHash { scheme, associated: Vec::new(), salt, hash })
}

fn bcrypt_scheme(kind: Bcrypt, cost: u32) -> Result<Scheme, Error> {
    let costs = bcrypt::COST_MIN..=bcrypt::COST_MAX;
    if costs.contains(&cost) { Ok(Scheme::Bcrypt(kind, cost)) } else { Err(Error::Cost) }
}

/// Parses the form of @phc/bcrypt and AdonisJS: the version is the code of the letter after the 2.
fn bcrypt_phc_fields(mut fields: Fields<'_>) -> Result<PasswordHash, Error> {
    let kind = match fields.next() {
        Some("v=97") => Bcrypt::A,
        Some("v=98") => Bcrypt::B,
        _ => return Err(Error::Encoded),
    };
    let [rounds] = parameters(fields.next().ok_or(Error::Encoded)?, ["r"])?;
    let found = with_salt(bcrypt_scheme(kind, number(rounds)?)?, Vec::new(), fields)?;
    let sizes = (found.salt.len(), found.hash.len());
    if sizes == (16, 23) { Ok(found) } else { Err(Error::EncodedSize) }
}

/// Parses the last two fields, salt and hash.
fn with_salt(
    scheme: Scheme,
    associated: Vec<u8>,
    mut fields: Fields<'_>,
) -> Result<PasswordHash, Error> {
    let (Some(salt), Some(hash), None) = (fields.next(), fields.next(), fields.next()) else {
        return Err(Error::Encoded);
    };
    let (salt, hash) = (decoded(salt)?, decoded(hash)?);
    if !SALT.contains(&salt.len()) || !HASH.contains(&hash.len()) {
        return Err(Error::EncodedSize);
    }
    Ok(PasswordHash { scheme, associated, salt, hash })
}

/// Decodes canonical Base64.
fn decoded(text: &str) -> Result<Vec<u8>, Error> {
    match STANDARD.decode(text)? {
        (bytes, 0) => Ok(bytes),
        _ => Err(Error::Encoded),
    }
}

/// Returns the values of the parameters of these names. They may be in any order and be missing,
/// but not repeat, and there may be no others.
fn parameters<'a, const COUNT: usize>(
    field: &'a str,
    names: [&str; COUNT],
) -> Result<[Option<&'a str>; COUNT], Error> {
    let mut values = [None; COUNT];
    for parameter in field.split(',') {
        let (name, value) = parameter.split_once('=').ok_or(Error::Encoded)?;
        let place = names.iter().position(|&known| known == name).ok_or(Error::Encoded)?;
        if values[place].replace(value).is_some() {
            return Err(Error::Encoded);
        }
    }
    Ok(values)
}

/// Parses the decimal number of a parameter that may not be missing.
fn number(value: Option<&str>) -> Result<u32, Error> {
    let digits = value.ok_or(Error::Encoded)?;
    if digits.is_empty()
        || !digits.bytes().all(|byte| byte.is_ascii_digit())
        || digits.len() > 1 && digits.starts_with('0')
    {
        return Err(Error::Encoded);
    }
    digits.parse().map_err(|_| Error::Cost)
}
