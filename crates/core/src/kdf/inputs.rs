//! The inputs that key derivations pass to engines.

/// The cost that scrypt jobs of one batch share. [`Cost::new`](crate::kdf::scrypt::Cost::new)
/// checks it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ScryptCost {
    pub(crate) n: u64,
    pub(crate) r: u32,
}

/// One scrypt derivation.
#[derive(Debug)]
pub struct ScryptJob<'a> {
    /// The password.
    pub password: &'a [u8],
    /// The salt.
    pub salt: &'a [u8],
    /// The parallelization parameter.
    pub p: u32,
    /// The derived key.
    pub target: &'a mut [u8],
}

/// One PBKDF2 derivation.
#[derive(Debug)]
pub struct Pbkdf2Job<'a> {
    /// The password.
    pub password: &'a [u8],
    /// The salt.
    pub salt: &'a [u8],
    /// HMAC iterations of each block.
    pub iterations: u32,
    /// The derived key.
    pub target: &'a mut [u8],
}

/// How Argon2 addresses its memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Argon2Kind {
    /// By the memory's contents: resists trade-offs of time for memory, leaks through the cache.
    D = 0,
    /// Independently of the password.
    I = 1,
    /// As `I` in the first half of the first pass, then as `D`.
    Id = 2,
}

/// The version of Argon2, as password hashes contain it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Argon2Version {
    /// The version of 2015: later passes overwrite blocks.
    V10 = 0x10,
    /// The version of RFC 9106: later passes XOR into blocks.
    V13 = 0x13,
}

/// The kind and cost of an Argon2. [`Cost::new`](crate::kdf::argon2::Cost::new) checks it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Argon2Cost {
    pub(crate) kind: Argon2Kind,
    pub(crate) version: Argon2Version,
    pub(crate) memory: u32,
    pub(crate) passes: u32,
    pub(crate) lanes: u32,
}

/// The inputs of Argon2.
#[derive(Copy, Clone, Debug, Default)]
pub struct Argon2Input<'a> {
    /// The password.
    pub password: &'a [u8],
    /// The salt, at least 8 bytes.
    pub salt: &'a [u8],
    /// A secret key (pepper); may be empty.
    pub secret: &'a [u8],
    /// Associated data; may be empty.
    pub associated: &'a [u8],
}
