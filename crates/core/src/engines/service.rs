//! How an engine computes an algorithm: an entry of the report of `engines()`.

/// Names of instructions.
pub(crate) type Names = &'static [&'static str];

/// How an engine computes one algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    /// The library, as in `Native::libraries`.
    pub(crate) library: &'static str,
    /// The CPU's instructions in use beyond the architecture's baseline.
    pub(crate) instructions: Names,
    /// The messages hashed at once on one core and the instructions for it, if that is faster.
    pub(crate) lanes: Option<(usize, Names)>,
}

impl Service {
    /// Returns true if instructions made for cryptography are in use.
    pub(crate) fn hardware(&self) -> bool {
        const MADE_FOR_IT: [&str; 9] =
            ["aes-ni", "vaes", "sha-ni", "sha512-ni", "aes", "sha1", "sha2", "sha512", "sha3"];
        self.instructions.iter().any(|name| MADE_FOR_IT.contains(name))
    }
}
