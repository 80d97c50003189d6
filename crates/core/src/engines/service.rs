//! How an engine computes an algorithm: an entry of the report of `engines()`.

/// Names of instructions or libraries.
pub(crate) type Names = &'static [&'static str];

/// The code that computes an algorithm, or some of its messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Code {
    /// The library that does most of the work, as in `cpu::libraries`.
    pub(crate) library: &'static str,
    /// Other libraries that do some of it.
    pub(crate) with: Names,
    /// The CPU's instructions in use beyond the architecture's baseline.
    pub(crate) instructions: Names,
}

impl Code {
    /// Returns true if instructions made for cryptography are in use.
    pub(crate) fn hardware(&self) -> bool {
        const MADE_FOR_IT: [&str; 9] =
            ["aes-ni", "vaes", "sha-ni", "sha512-ni", "aes", "sha1", "sha2", "sha512", "sha3"];
        self.instructions.iter().any(|name| MADE_FOR_IT.contains(name))
    }
}

/// How an engine computes one algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    /// The code for messages in one piece; for long ones, if `short` has other code.
    pub(crate) code: Code,
    /// The most bytes of a short message, and the code for it, if that is another library's.
    pub(crate) short: Option<(usize, Code)>,
    /// The code for messages that several workers share or that stop in between.
    pub(crate) parts: Code,
    /// The code for incremental messages.
    pub(crate) incremental: Code,
    /// The messages hashed at once on one core and the instructions for it, if that is faster.
    pub(crate) lanes: Option<(usize, Names)>,
}

impl From<Code> for Service {
    /// Returns the service of an algorithm with the same code for all messages.
    fn from(code: Code) -> Self {
        Self { code, short: None, parts: code, incremental: code, lanes: None }
    }
}
