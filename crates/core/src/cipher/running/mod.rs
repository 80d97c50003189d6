//! Incremental ciphers: a message that arrives in updates of any size, under one key and nonce.
//!
//! Stream ciphers keep the rest of a block's keystream between two updates. AES-GCM is AWS-LC's,
//! which can continue within a block.

#[cfg(feature = "aws-lc")]
mod aws_lc;
pub(crate) mod keystream;

use std::ptr;

use self::keystream::Keystream;
use super::aes::AesCtrKey;
use super::chacha::ChaCha20Key;
use super::chacha_poly::incremental::ChaChaPoly;
use super::contract::Incremental;
#[cfg(not(feature = "aws-lc"))]
use super::gcm::incremental::AesGcm;
use crate::Error;
use crate::catalog::Cipher;
use crate::inputs::Text;
use crate::wipe::WipedBox;

/// A message on its way through a cipher. Wiped on drop.
pub(crate) struct RunningState {
    encrypt: bool,
    state: WipedBox<State>,
}

/// Bytes of keystream computed ahead: one block at a time would use a fraction of the vectors.
const AHEAD: usize = 1024;

#[allow(clippy::large_enum_variant)] // on the heap
enum State {
    AesCtr(Keystream<AesCtrKey, AHEAD>),
    ChaCha20(Keystream<ChaCha20Key, AHEAD>),
    #[cfg(feature = "aws-lc")]
    Gcm(aws_lc::Gcm),
    #[cfg(not(feature = "aws-lc"))]
    Gcm(AesGcm),
    ChaChaPoly(ChaChaPoly<AHEAD>),
}

/// Callers have checked the sizes of key, nonce and tag against the catalog, and count the bytes.
impl RunningState {
    /// Begins a message.
    pub(crate) fn new(
        cipher: Cipher,
        encrypt: bool,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Self, Error> {
        let mut state = WipedBox::new(match cipher {
            Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => {
                State::AesCtr(Keystream::vacant())
            }
            Cipher::ChaCha20 => State::ChaCha20(Keystream::vacant()),
            #[cfg(feature = "aws-lc")]
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                State::Gcm(aws_lc::Gcm::new(cipher, encrypt, key, nonce, aad)?)
            }
            #[cfg(not(feature = "aws-lc"))]
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                State::Gcm(AesGcm::vacant())
            }
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => {
                State::ChaChaPoly(ChaChaPoly::vacant())
            }
            Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => return Err(Error::NotSupported),
        })?;
        match &mut *state {
            State::AesCtr(stream) => stream.begin(key, nonce)?,
            State::ChaCha20(stream) => stream.begin(key, nonce)?,
            #[cfg(feature = "aws-lc")]
            State::Gcm(_) => {}
            #[cfg(not(feature = "aws-lc"))]
            State::Gcm(message) => message.begin(key, nonce, aad)?,
            State::ChaChaPoly(message) => message.begin(key, nonce, aad)?,
        }
        Ok(Self { encrypt, state })
    }

    /// Encrypts or decrypts the next bytes of the message.
    #[inline]
    pub(crate) fn update(&mut self, text: Text<'_>) -> Result<(), Error> {
        match (&mut *self.state, self.encrypt) {
            (State::AesCtr(stream), _) => stream.apply(text),
            (State::ChaCha20(stream), _) => stream.apply(text),
            #[cfg(feature = "aws-lc")]
            (State::Gcm(gcm), _) => gcm.update(text),
            #[cfg(not(feature = "aws-lc"))]
            (State::Gcm(message), true) => message.seal(text),
            #[cfg(not(feature = "aws-lc"))]
            (State::Gcm(message), false) => message.open(text, &[]),
            (State::ChaChaPoly(message), true) => message.seal(text),
            (State::ChaChaPoly(message), false) => message.open(text, &[]),
        }
    }

    /// Ends an encryption: writes the first bytes of the tag.
    pub(crate) fn seal(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        match &mut *self.state {
            State::AesCtr(_) | State::ChaCha20(_) => Err(Error::NotSupported),
            State::Gcm(message) => message.tag(tag),
            State::ChaChaPoly(message) => message.tag(tag),
        }
    }

    /// Ends a decryption: checks the tag.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        match &mut *self.state {
            State::AesCtr(_) | State::ChaCha20(_) => Err(Error::NotSupported),
            State::Gcm(message) => message.verify(tag),
            State::ChaChaPoly(message) => message.verify(tag),
        }
    }

    /// Returns an independent copy.
    pub(crate) fn copy(&self) -> Result<Self, Error> {
        #[cfg(feature = "aws-lc")]
        if let State::Gcm(gcm) = &*self.state {
            return Ok(Self { state: WipedBox::new(State::Gcm(gcm.copy()?))?, ..*self });
        }
        let mut state = WipedBox::new(State::ChaCha20(Keystream::vacant()))?;
        // SAFETY: both are one state each, the copy borrowed exclusively. All but AWS-LC's own
        // nothing, so that they may be copied byte by byte, and overwritten without a drop.
        unsafe { ptr::from_ref(&*self.state).copy_to_nonoverlapping(&mut *state, 1) };
        Ok(Self { encrypt: self.encrypt, state })
    }
}
