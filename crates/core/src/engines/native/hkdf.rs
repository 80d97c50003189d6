//! HKDF (RFC 5869) over HMAC, whose states after the key are kept.

use super::Digest;
use super::hmac;
use super::mac_key::Midstates;
use super::wipe::Secret;

/// Bytes of the largest digest that HMAC is used with.
const SIZE_MAX: usize = 64;

/// Extracts a key and expands it.
pub(super) fn derive<D: Digest>(secret: &[u8], salt: &[u8], info: &[u8], target: &mut [u8]) {
    let mut key = Secret::<SIZE_MAX>::zeros();
    let key = &mut key.0[..D::SIZE];
    hmac::hmac::<D>(salt, secret, key);
    expand::<D>(key, info, target);
}

/// Expands a key; `target` is checked.
pub(super) fn expand<D: Digest>(key: &[u8], info: &[u8], target: &mut [u8]) {
    let states = Midstates::<D>::boxed(key);
    let mut block = Secret::<SIZE_MAX>::zeros();
    let block = &mut block.0[..D::SIZE];
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];
    for (index, target) in target.chunks_mut(D::SIZE).enumerate() {
        let mut inner = states.inner.clone();
        if index > 0 {
            inner.update(block);
        }
        inner.update(info);
        inner.finish_with(&[index as u8 + 1], hash);
        inner.wipe();
        states.outer.finish_copy(hash, block);
        target.copy_from_slice(&block[..target.len()]);
    }
}
