//! The states that compute the hashes.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::hash_state::HashState;
use super::md::Sha256;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::catalog::Hash;

/// Evaluates `$body` with `$D` as the [`HashState`] and `$kind` as the kind that compute `$hash`,
/// or `$other` for hashes over which HMAC is not defined. The body is compiled once for each hash.
macro_rules! with_state {
    ($hash:expr, $D:ident, $kind:ident => $body:expr $(, _ => $other:expr)?) => {
        $crate::engines::native::digest_types::with_digest!(
            $hash, $D => { let $kind = (); $body } $(, _ => $other)?)
    };
}

pub(super) use with_state;

/// SHA-256, for what is built on it.
pub(super) type Sha256State = Sha256;
pub(super) const SHA256: () = ();

/// Returns true if several messages are hashed at once here.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn batches(hash: Hash) -> bool {
    with_state!(hash, D, kind => {
        <D as HashState>::min_batch(kind, <D as HashState>::size(kind)) < usize::MAX
    })
}
