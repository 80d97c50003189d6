//! The states that compute the hashes: a type for each or, where the size of the code counts, one
//! for all.

#[cfg(feature = "erased")]
use super::any_digest::AnyDigest;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::hash_state::HashState;
#[cfg(not(feature = "erased"))]
use super::md::Sha256;
#[cfg(any(feature = "erased", target_arch = "x86_64", target_arch = "aarch64"))]
use crate::catalog::Hash;

/// Evaluates `$body` with `$D` as the [`HashState`] and `$kind` as the kind that compute `$hash`,
/// or `$other` for hashes over which HMAC is not defined. The body is compiled once for each hash;
/// where the size of the code counts, once for all.
#[cfg(not(feature = "erased"))]
macro_rules! with_state {
    ($hash:expr, $D:ident, $kind:ident => $body:expr $(, _ => $other:expr)?) => {
        $crate::engines::native::digest_types::with_digest!(
            $hash, $D => { let $kind = (); $body } $(, _ => $other)?)
    };
}

#[cfg(feature = "erased")]
macro_rules! with_state {
    ($hash:expr, $D:ident, $kind:ident => $body:expr) => {{
        type $D = $crate::engines::native::any_digest::AnyDigest;
        let $kind = $hash;
        $body
    }};
    ($hash:expr, $D:ident, $kind:ident => $body:expr, _ => $other:expr) => {
        if $hash.facts().hmac {
            $crate::engines::native::state_types::with_state!($hash, $D, $kind => $body)
        } else {
            $other
        }
    };
}

pub(super) use with_state;

/// SHA-256, for what is built on it.
#[cfg(not(feature = "erased"))]
pub(super) type Sha256State = Sha256;
#[cfg(not(feature = "erased"))]
pub(super) const SHA256: () = ();
#[cfg(feature = "erased")]
pub(super) type Sha256State = AnyDigest;
#[cfg(feature = "erased")]
pub(super) const SHA256: Hash = Hash::Sha256;

/// Returns true if several messages are hashed at once here.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn batches(hash: Hash) -> bool {
    with_state!(hash, D, kind => {
        <D as HashState>::min_batch(kind, <D as HashState>::size(kind)) < usize::MAX
    })
}
