//! PBKDF2 (RFC 8018) over HMAC, whose states after the key are kept.

use super::Digest;
use super::hmac::Midstates;
use super::wipe::Secret;

/// Bytes of the largest digest that HMAC is used with.
const SIZE_MAX: usize = 64;

/// With one iteration, as scrypt wants it. The state after the salt is kept too: scrypt's salt may be long.
pub(super) fn once<D: Digest>(password: &[u8], salt: &[u8], target: &mut [u8]) {
    let states = Midstates::<D>::boxed(password);
    let mut salted = states.inner.clone();
    salted.update(salt);
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let mut last = Secret::<SIZE_MAX>::zeros();
    let (hash, last) = (&mut hash.0[..D::SIZE], &mut last.0[..D::SIZE]);
    for (index, target) in target.chunks_mut(D::SIZE).enumerate() {
        salted.finish_copy(&(index as u32 + 1).to_be_bytes(), hash);
        states.outer.finish_copy(hash, last);
        target.copy_from_slice(&last[..target.len()]);
    }
    salted.wipe();
}
