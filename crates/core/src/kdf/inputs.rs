//! What key derivations and engines are given besides bytes: the ground both stand on.

/// What an scrypt costs, as far as those that run together must agree on it; see
/// [`Cost::new`](crate::kdf::scrypt::Cost::new), which checks it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ScryptCost {
    pub(crate) n: u64,
    pub(crate) r: u32,
}

/// One scrypt of several.
#[derive(Debug)]
pub struct ScryptJob<'a> {
    /// The secret.
    pub password: &'a [u8],
    /// What makes the result another one for each user.
    pub salt: &'a [u8],
    /// How many times the work is done.
    pub p: u32,
    /// Where the derived key goes.
    pub target: &'a mut [u8],
}

/// One PBKDF2 of several.
#[derive(Debug)]
pub struct Pbkdf2Job<'a> {
    /// The secret.
    pub password: &'a [u8],
    /// What makes the result another one for each user.
    pub salt: &'a [u8],
    /// How many HMACs each block of the result takes.
    pub iterations: u32,
    /// Where the derived key goes.
    pub target: &'a mut [u8],
}

/// Which way Argon2 finds its way through its memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Argon2Kind {
    /// By what the memory holds: hard to compute with less memory, open to those who can watch the
    /// cache.
    D = 0,
    /// By numbers that do not depend on the password.
    I = 1,
    /// As `I` in the first half of the first pass, then as `D`.
    Id = 2,
}

/// The version of Argon2, as it is written in password hashes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Argon2Version {
    /// That of 2015: later passes overwrite.
    V10 = 0x10,
    /// That of RFC 9106: later passes mix in.
    V13 = 0x13,
}

/// What an Argon2 is and costs; see [`Cost::new`](crate::kdf::argon2::Cost::new), which checks it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Argon2Cost {
    pub(crate) kind: Argon2Kind,
    pub(crate) version: Argon2Version,
    pub(crate) memory: u32,
    pub(crate) passes: u32,
    pub(crate) lanes: u32,
}

/// What Argon2 is given.
#[derive(Copy, Clone, Debug, Default)]
pub struct Argon2Input<'a> {
    /// The password.
    pub password: &'a [u8],
    /// What makes the result another one for each user: at least 8 bytes.
    pub salt: &'a [u8],
    /// A key that is kept elsewhere, or nothing.
    pub secret: &'a [u8],
    /// What the result is bound to besides, or nothing.
    pub associated: &'a [u8],
}
