//! Hashes and ciphers by themselves, for modules of WebAssembly with one family each: nothing here
//! chooses among ciphers, so that the compiler omits all others, and callers have checked
//! parameters and sizes. The text of a cipher arrives in pieces of any size, unless another is said.

use super::aes::AesCtrKey;
use super::chacha::{self, ChaCha20Key};
use super::poly1305::Poly1305;
use super::poly1305::running::RunningPoly;
use super::poly1305::sum::lengths;
use super::primitives::equal;
use super::wipe::{Secret, Wiped};
use super::{Native, gcm, gcm_siv};
use crate::Error;
use crate::catalog::Hash;
use crate::inputs::{Params, Text, check_next, check_target};

/// Works like [`hasher::update`](crate::hasher::update), without its checks of parameters.
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
    Native::update(hash, params, state, source, next, None)
}

/// Works like [`hasher::finish`](crate::hasher::finish), without its checks of parameters.
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
    Native::finish(hash, params, state, rest, target)
}

/// Works like [`hasher::squeeze`](crate::hasher::squeeze), without its checks of parameters.
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
    check_next(hash, next)?;
    Native::squeeze(hash, params, state, &[], target, next)
}

/// Bytes of a full tag.
pub const TAG: usize = 16;

/// A message of an AEAD, without pointers: its bytes may be copied and continued later. Callers have
/// checked the sizes of keys, nonces and tags.
pub trait AeadMessage: Sized {
    /// Begins a message.
    ///
    /// # Errors
    /// [`Error::Memory`], and those of sizes.
    fn new(key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<Self, Error>;

    /// Begins another message under the same key.
    ///
    /// # Errors
    /// [`Error::NotSupported`] where that takes as long as a new one.
    fn again(&mut self, _nonce: &[u8], _aad: &[u8]) -> Result<(), Error> {
        Err(Error::NotSupported)
    }

    /// Encrypts the next piece.
    ///
    /// # Errors
    /// Those of the library.
    fn seal(&mut self, text: &mut [u8]) -> Result<(), Error>;

    /// Decrypts the next piece, authentic or not, of the message with this tag.
    ///
    /// # Errors
    /// Those of the library.
    fn open(&mut self, text: &mut [u8], tag: &[u8]) -> Result<(), Error>;

    /// Writes the first bytes of the tag of all pieces.
    ///
    /// # Errors
    /// Those of the library.
    fn tag(&mut self, tag: &mut [u8]) -> Result<(), Error>;

    /// Returns true if the tag is that of all pieces.
    fn verify(&mut self, tag: &[u8]) -> bool {
        let mut full = Secret::<TAG>::zeros();
        self.tag(&mut full.0).is_ok()
            && full.0.get(..tag.len()).is_some_and(|full| equal(full, tag))
    }
}

/// Encrypts or decrypts with AES-CTR from a byte of the keystream on.
///
/// # Errors
/// [`Error::KeySize`].
pub fn aes_ctr(key: &[u8], iv: &[u8; 16], offset: u64, text: &mut [u8]) -> Result<(), Error> {
    let mut prepared = Wiped(AesCtrKey::vacant());
    prepared.0.prepare(key)?;
    within_blocks::<16>(offset, text, |offset, text| {
        let counter = u128::from_be_bytes(*iv).wrapping_add(u128::from(offset / 16));
        prepared.0.apply(&counter.to_be_bytes(), Text::InPlace(text))
    })
}

/// Encrypts or decrypts with ChaCha20 from a byte of the keystream on.
///
/// # Errors
/// [`Error::KeySize`].
pub fn chacha20(key: &[u8], iv: &[u8; 16], offset: u64, text: &mut [u8]) -> Result<(), Error> {
    let mut prepared = Wiped(ChaCha20Key::vacant());
    prepared.0.prepare(key)?;
    within_blocks::<{ chacha::BLOCK }>(offset, text, |offset, text| {
        prepared.0.apply(&advanced(iv, offset / chacha::BLOCK as u64), Text::InPlace(text))
    })
}

/// Calls `apply`, which begins at the first byte of a block, for a text that may begin within one.
fn within_blocks<const BLOCK: usize>(
    offset: u64,
    text: &mut [u8],
    mut apply: impl FnMut(u64, &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let begun = (offset % BLOCK as u64) as usize;
    if begun == 0 {
        return apply(offset, text);
    }
    let (head, rest) = text.split_at_mut(text.len().min(BLOCK - begun));
    let mut stream = Secret::<BLOCK>::zeros();
    apply(offset - begun as u64, &mut stream.0)?;
    head.iter_mut().zip(&stream.0[begun..]).for_each(|(byte, key)| *byte ^= key);
    if rest.is_empty() { Ok(()) } else { apply(offset + head.len() as u64, rest) }
}

/// Returns the iv some blocks further.
fn advanced(iv: &[u8; 16], blocks: u64) -> [u8; 16] {
    let mut advanced = *iv;
    let (number, _) = advanced.as_chunks_mut::<8>().0.split_at_mut(1);
    number[0] = u64::from_le_bytes(number[0]).wrapping_add(blocks).to_le_bytes();
    advanced
}

/// AES-GCM.
pub struct AesGcm {
    message: gcm::GcmMessage,
    aad_size: usize,
    size: u64,
    /// GHASH of the whole blocks so far.
    sum: Wiped<u128>,
    /// The block in which the text ends, and its bytes so far.
    last: Wiped<[u8; TAG]>,
    filled: usize,
}

impl AesGcm {
    /// Adds ciphertext to the sum.
    fn add(&mut self, mut text: &[u8]) {
        if self.filled > 0 {
            let (head, rest) = text.split_at(text.len().min(TAG - self.filled));
            self.last.0[self.filled..][..head.len()].copy_from_slice(head);
            self.filled += head.len();
            text = rest;
            if self.filled < TAG {
                return;
            }
            self.pad();
        }
        let (blocks, rest) = text.split_at(text.len() / TAG * TAG);
        self.sum.0 = self.message.extended(self.sum.0, blocks);
        self.last.0[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    fn add_aad(&mut self, aad: &[u8]) {
        self.aad_size = aad.len();
        self.add(aad);
        self.pad();
    }

    /// Fills the last block up with zeros.
    fn pad(&mut self) {
        self.sum.0 = self.message.extended(self.sum.0, &self.last.0[..self.filled]);
        self.filled = 0;
    }

    fn mix(&mut self, text: &mut [u8]) -> Result<(), Error> {
        within_blocks::<TAG>(self.size, text, |offset, text| {
            self.message.xor(offset, Text::InPlace(text))
        })?;
        self.size += text.len() as u64;
        Ok(())
    }
}

impl AeadMessage for AesGcm {
    fn new(key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        let mut begun = AesGcm {
            message: gcm::GcmMessage::vacant(),
            aad_size: 0,
            size: 0,
            sum: Wiped(0),
            last: Wiped([0; TAG]),
            filled: 0,
        };
        begun.message.prepare(key, None, nonce, &[])?;
        begun.add_aad(aad);
        Ok(begun)
    }

    fn again(&mut self, nonce: &[u8], aad: &[u8]) -> Result<(), Error> {
        self.message.prepare(&[], None, nonce, &[])?;
        (self.size, self.sum.0, self.filled) = (0, 0, 0);
        self.add_aad(aad);
        Ok(())
    }

    fn seal(&mut self, text: &mut [u8]) -> Result<(), Error> {
        self.mix(text)?;
        self.add(text);
        Ok(())
    }

    fn open(&mut self, text: &mut [u8], _tag: &[u8]) -> Result<(), Error> {
        self.add(text);
        self.mix(text)
    }

    fn tag(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.pad();
        let full = self.message.ended(self.sum.0, self.aad_size, self.size);
        tag.copy_from_slice(&full.0[..tag.len()]);
        Ok(())
    }
}

/// AES-GCM-SIV. It is sealed in two passes: all pieces by [`AeadMessage::seal`], which
/// authenticates only, then [`AeadMessage::tag`], then all by [`AesGcmSiv::encrypt`]. Pieces but the
/// last are whole blocks.
pub struct AesGcmSiv {
    message: gcm_siv::GcmSivMessage,
    aad_size: usize,
    size: u64,
    /// POLYVAL so far.
    sum: Wiped<u128>,
}

impl AesGcmSiv {
    /// Encrypts or decrypts the piece at `offset` of the message with this tag.
    ///
    /// # Errors
    /// [`Error::TagSize`].
    pub fn encrypt(&self, offset: u64, text: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        self.message.xor(offset, Text::InPlace(text), tag)
    }

    fn add(&mut self, text: &[u8]) {
        self.sum.0 = self.message.extended(self.sum.0, text);
    }
}

impl AeadMessage for AesGcmSiv {
    fn new(key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        let mut begun = AesGcmSiv {
            message: gcm_siv::GcmSivMessage::vacant(),
            aad_size: aad.len(),
            size: 0,
            sum: Wiped(0),
        };
        begun.message.prepare(key, None, nonce, &[])?;
        begun.add(aad);
        Ok(begun)
    }

    fn seal(&mut self, text: &mut [u8]) -> Result<(), Error> {
        self.add(text);
        self.size += text.len() as u64;
        Ok(())
    }

    fn open(&mut self, text: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        self.encrypt(self.size, text, tag)?;
        self.seal(text)
    }

    fn tag(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        let full = self.message.ended(self.sum.0, self.aad_size, self.size)?;
        tag.copy_from_slice(&full.0[..tag.len()]);
        Ok(())
    }
}

/// ChaCha20-Poly1305, and XChaCha20-Poly1305 under a nonce of 24 bytes.
pub struct ChaChaPoly {
    key: Wiped<ChaCha20Key>,
    /// The iv of block 0; its keystream is the key of Poly1305.
    iv: [u8; 16],
    poly: RunningPoly,
    aad_size: usize,
    size: u64,
}

impl ChaChaPoly {
    fn mix(&mut self, text: &mut [u8]) -> Result<(), Error> {
        within_blocks::<{ chacha::BLOCK }>(self.size, text, |offset, text| {
            let iv = advanced(&self.iv, 1 + offset / chacha::BLOCK as u64);
            self.key.0.apply(&iv, Text::InPlace(text))
        })?;
        self.size += text.len() as u64;
        Ok(())
    }
}

impl AeadMessage for ChaChaPoly {
    fn new(key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        let mut message = ChaChaPoly {
            key: Wiped(ChaCha20Key::vacant()),
            iv: [0; 16],
            poly: RunningPoly::new(Poly1305::new(&[0; 32])),
            aad_size: aad.len(),
            size: 0,
        };
        let start = message.iv.len().checked_sub(nonce.len());
        if let Some((first, last)) = nonce.split_first_chunk::<16>() {
            let mut derived = Secret::<32>::zeros();
            chacha::derive(key.try_into().map_err(|_| Error::KeySize)?, first, &mut derived.0);
            message.key.0.prepare(&derived.0)?;
            message.iv[8..].copy_from_slice(last.first_chunk::<8>().ok_or(Error::IvSize)?);
        } else {
            message.key.0.prepare(key)?;
            message.iv[start.ok_or(Error::IvSize)?..].copy_from_slice(nonce);
        }
        let mut once = Secret::<32>::zeros();
        message.key.0.apply(&message.iv, Text::InPlace(&mut once.0))?;
        message.poly.restart(&once.0);
        message.poly.update(aad);
        message.poly.pad();
        Ok(message)
    }

    fn seal(&mut self, text: &mut [u8]) -> Result<(), Error> {
        self.mix(text)?;
        self.poly.update(text);
        Ok(())
    }

    fn open(&mut self, text: &mut [u8], _tag: &[u8]) -> Result<(), Error> {
        self.poly.update(text);
        self.mix(text)
    }

    fn tag(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.poly.pad();
        self.poly.update(&lengths(self.aad_size, self.size));
        tag.copy_from_slice(&Secret(self.poly.finish()).0[..tag.len()]);
        Ok(())
    }
}
