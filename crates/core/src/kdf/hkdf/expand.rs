//! HKDF (RFC 5869) over HMAC. The states of HMAC after its key are kept.

use crate::Error;
use crate::catalog::Hash;
use crate::hash::digest::Digest;
use crate::hash::digest_types::with_digest;
use crate::hmac::computation as hmac;
use crate::hmac::prepared::Midstates;
use crate::wipe::Secret;

/// Bytes of the largest digest that HMAC is used with.
const SIZE_MAX: usize = 64;

/// Extracts a key and expands it to `target`, which has at most 255 digests.
pub(crate) fn run(
    hash: Hash,
    secret: &[u8],
    salt: &[u8],
    info: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    with_digest!(hash, D => {
        let mut key = Secret::<SIZE_MAX>::zeros();
        let key = &mut key.0[..D::SIZE];
        hmac::hmac::<D>(salt, secret, key);
        expand_from::<D>(key, info, target)
    }, _ => Err(Error::NotSupported))
}

/// Expands a key to `target`, which has at most 255 digests.
pub(crate) fn expand(hash: Hash, key: &[u8], info: &[u8], target: &mut [u8]) -> Result<(), Error> {
    with_digest!(hash, D => expand_from::<D>(key, info, target),
        _ => Err(Error::NotSupported))
}

fn expand_from<D: Digest>(key: &[u8], info: &[u8], target: &mut [u8]) -> Result<(), Error> {
    let states = Midstates::<D>::boxed(key)?;
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
    Ok(())
}
