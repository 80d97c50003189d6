//! Asymmetric keys for the portable engine: what `millrace-public-keys` does over AWS-LC, over
//! crates that compile to WebAssembly. Verification follows the same rules.
//!
//! A private key is its raw bytes, then those of its public key, then the seed of ML-KEM and ML-DSA
//! if it is known; a public key is its raw bytes. Operations expect keys that `import` has written,
//! and random bytes from their callers.

pub mod ed25519;
pub mod encodings;
pub mod ml_dsa;
pub mod ml_kem;
pub mod p256;
#[allow(dead_code, unreachable_pub, missing_docs)] // of the numbers few are used
#[path = "../../request/src/protocol.rs"]
mod protocol;
pub mod x25519;

pub use crate::protocol::{KeyForm, PublicKeyAlgorithm, Status};

/// The arguments of every operation, so that modules export them alike. Its comment names those
/// that an operation reads.
#[derive(Debug)]
pub struct Call<'a> {
    /// The parameter set: 0, 1 or 2, the least secure first. For [`encodings`] the algorithm.
    pub set: u32,
    /// Whether an import reads a private key and a signature a digest. For [`encodings`] the form.
    pub kind: u32,
    /// The inputs.
    pub inputs: [&'a [u8]; 4],
    /// The result belongs here.
    pub target: &'a mut [u8],
}

/// Bytes of the result; otherwise why it failed. A verification writes 1 if the signature is right.
pub type Answer = Result<usize, Status>;

/// The kind of an import: a raw public key. Otherwise a raw private key or a seed.
pub const PUBLIC: u32 = 0;

/// The kind of a signature: of a message. Otherwise of a digest, of ML-DSA the 64 bytes called mu.
pub const MESSAGE: u32 = 0;

/// Writes the parts one after the other.
fn write(target: &mut [u8], parts: &[&[u8]]) -> Answer {
    let mut end = 0;
    for part in parts {
        let place = target.get_mut(end..end + part.len()).ok_or(Status::Engine)?;
        place.copy_from_slice(part);
        end += part.len();
    }
    Ok(end)
}

/// Returns a raw key of 32 bytes.
fn whole(key: &[u8]) -> Result<&[u8; 32], Status> {
    key.try_into().map_err(|_| Status::KeySize)
}

/// Returns the first 32 bytes.
fn first(key: &[u8]) -> Result<&[u8; 32], Status> {
    key.first_chunk().ok_or(Status::KeySize)
}

/// Evaluates an expression with the type of a parameter set.
macro_rules! with {
    ($set:expr, $name:ident of $first:ty, $second:ty, $third:ty => $body:expr) => {
        match $set {
            0 => {
                type $name = $first;
                $body
            }
            1 => {
                type $name = $second;
                $body
            }
            _ => {
                type $name = $third;
                $body
            }
        }
    };
}
use with;
