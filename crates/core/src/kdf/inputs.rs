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
