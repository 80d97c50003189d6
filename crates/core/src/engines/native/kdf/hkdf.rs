//! HKDF (RFC 5869) over HMAC. The states of HMAC after its key are kept.

use super::super::hash_state::HashState;
use super::super::mac_key::Midstates;
use super::super::state_types::with_state;
use super::super::wipe::Secret;
use super::super::{cpu, hmac};
use crate::Error;
use crate::catalog::Hash;
use crate::engines::service::Service;

/// Bytes of the largest digest that HMAC is used with.
const SIZE_MAX: usize = 64;

/// Returns how it is computed. Its HMACs are those of the hash.
pub(super) fn serves() -> Service {
    cpu::over_hashes()
}

/// Extracts a key and expands it to `target`, which has at most 255 digests.
pub(crate) fn run(
    hash: Hash,
    secret: &[u8],
    salt: &[u8],
    info: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    with_state!(hash, D, kind => {
        let mut key = Secret::<SIZE_MAX>::zeros();
        let key = &mut key.0[..D::size(kind)];
        hmac::hmac::<D>(kind, salt, secret, key);
        expand_from::<D>(kind, key, info, target)
    }, _ => Err(Error::NotSupported))
}

/// Expands a key to `target`, which has at most 255 digests.
pub(crate) fn expand(hash: Hash, key: &[u8], info: &[u8], target: &mut [u8]) -> Result<(), Error> {
    with_state!(hash, D, kind => expand_from::<D>(kind, key, info, target),
        _ => Err(Error::NotSupported))
}

fn expand_from<D: HashState>(
    kind: D::Kind,
    key: &[u8],
    info: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    let states = Midstates::<D>::boxed(kind, key)?;
    let mut block = Secret::<SIZE_MAX>::zeros();
    let block = &mut block.0[..D::size(kind)];
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::size(kind)];
    for (index, target) in target.chunks_mut(D::size(kind)).enumerate() {
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
