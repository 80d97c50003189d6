//! Hashes and ciphers by themselves, for modules of WebAssembly with one family each: nothing here
//! chooses among ciphers, so that the compiler omits all others, and callers have checked
//! parameters and sizes. The text of a cipher arrives in pieces of any size, unless another is
//! said.

use crate::Error;
use crate::catalog::Hash;
use crate::cipher::aes::AesCtrKey;
use crate::cipher::chacha::ChaCha20Key;
use crate::cipher::contract::StreamKey;
use crate::cipher::text::within_blocks;
use crate::hash::digest_types::with_digest;
use crate::hash::{ranges, running};
use crate::inputs::{Params, Text, check_next, check_target};
use crate::wipe::Wiped;

pub use crate::cipher::contract::{Incremental, TAG};
pub use crate::cipher::gcm::incremental::AesGcm;
pub use crate::cipher::gcm_siv::incremental::AesGcmSiv;

/// ChaCha20-Poly1305, and XChaCha20-Poly1305 under a nonce of 24 bytes, a block of keystream at a
/// time.
pub type ChaChaPoly = crate::cipher::chacha_poly::incremental::ChaChaPoly<64>;

/// Works like [`hasher::update`](crate::hash::hasher::update), without its checks of parameters.
///
/// # Errors
/// [`Error::State`], [`Error::OutputSize`].
#[inline(always)]
pub fn update(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    source: &[u8],
    next: &mut [u8],
) -> Result<(), Error> {
    check_next(hash, next)?;
    with_digest!(hash, D => running::update::<D>(params, state, source, next, None))
}

/// Works like [`hasher::finish`](crate::hash::hasher::finish), without its checks of parameters.
///
/// # Errors
/// [`Error::State`], [`Error::OutputSize`].
#[inline(always)]
pub fn finish(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    check_target(hash.facts(), params, target.len())?;
    with_digest!(hash, D => running::finish::<D>(params, state, rest, target))
}

/// Works like [`hasher::squeeze`](crate::hash::hasher::squeeze), without its checks of parameters.
///
/// # Errors
/// [`Error::State`], [`Error::OutputSize`].
#[inline(always)]
pub fn squeeze(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    target: &mut [u8],
    next: &mut [u8],
) -> Result<(), Error> {
    if !hash.facts().xof {
        return Err(Error::NotSupported);
    }
    check_next(hash, next)?;
    with_digest!(hash, D => running::squeeze::<D>(params, state, &[], target, next))
}

/// Adds a piece to a range of BLAKE3: `values` begins with those of the range from `offset` to
/// `end`, and then with those of the range with the piece. Returns their number.
///
/// # Errors
/// [`Error::Parts`], [`Error::Memory`].
pub fn blake3_range(
    params: &Params<'_>,
    [offset, end]: [u64; 2],
    piece: &[u8],
    values: &mut [[u8; 32]],
) -> Result<usize, Error> {
    ranges::extend_range(params, [offset, end], piece, values)
}

/// Writes the parents of a tree of BLAKE3 in pre-order, and the chaining value of its root or the
/// digest: of one with up to [`HashRange::PIECE`](crate::split::HashRange::PIECE) bytes, and the
/// numbers of [`HashRange::tree`](crate::split::HashRange::tree).
///
/// # Errors
/// [`Error::Parts`], [`Error::OutputSize`], [`Error::Memory`].
pub fn blake3_tree(numbers: [u64; 3], source: &[u8], target: &mut [u8]) -> Result<(), Error> {
    ranges::small_tree(numbers, source, target)
}

/// Works like [`join_ranges`](crate::split::join_ranges) of BLAKE3, without its checks of
/// parameters.
///
/// # Errors
/// [`Error::Parts`], [`Error::OutputSize`], [`Error::Memory`].
pub fn blake3_join(
    params: &Params<'_>,
    sizes: impl Iterator<Item = u64>,
    values: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    ranges::join_blake3(params, sizes, values, target, None)
}

/// Encrypts or decrypts with AES-CTR from a byte of the keystream on.
///
/// # Errors
/// [`Error::KeySize`].
pub fn aes_ctr(key: &[u8], iv: &[u8; 16], offset: u64, text: &mut [u8]) -> Result<(), Error> {
    stream::<AesCtrKey>(key, iv, offset, text)
}

/// Encrypts or decrypts with ChaCha20 from a byte of the keystream on.
///
/// # Errors
/// [`Error::KeySize`].
pub fn chacha20(key: &[u8], iv: &[u8; 16], offset: u64, text: &mut [u8]) -> Result<(), Error> {
    stream::<ChaCha20Key>(key, iv, offset, text)
}

fn stream<K: StreamKey>(
    key: &[u8],
    iv: &[u8; 16],
    offset: u64,
    text: &mut [u8],
) -> Result<(), Error> {
    let mut prepared = Wiped(K::vacant());
    prepared.0.prepare(key)?;
    within_blocks::<64>(offset, Text::InPlace(text), |offset, text| {
        prepared.0.apply(&K::advanced(iv, offset / 64), text)
    })
}
