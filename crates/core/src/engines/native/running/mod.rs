//! Incremental ciphers: a message that arrives in updates of any size, under one key and nonce.
//!
//! Stream ciphers keep the rest of a block's keystream between two updates. AES-GCM is AWS-LC's,
//! which can continue within a block.

mod chacha_poly;
mod gcm;
mod keystream;

use self::chacha_poly::ChaChaPoly;
use self::gcm::Gcm;
use self::keystream::Keystream;
use super::wipe::WipedBox;
use crate::Error;
use crate::catalog::Cipher;
use crate::inputs::Text;

/// A message on its way through a cipher. Wiped on drop.
pub(crate) struct RunningState(WipedBox<State>);

#[allow(clippy::large_enum_variant)] // on the heap
enum State {
    Stream(Keystream),
    Gcm(Gcm),
    ChaChaPoly(ChaChaPoly),
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
            Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr | Cipher::ChaCha20 => {
                State::Stream(Keystream::vacant())
            }
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                State::Gcm(Gcm::new(cipher, encrypt, key, nonce, aad)?)
            }
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => {
                State::ChaChaPoly(ChaChaPoly::vacant(encrypt))
            }
            Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => return Err(Error::NotSupported),
        })?;
        match &mut *state {
            State::Stream(stream) if cipher == Cipher::ChaCha20 => stream.chacha20(key, nonce)?,
            State::Stream(stream) => stream.aes_ctr(key, nonce)?,
            State::ChaChaPoly(message) => message.begin(key, nonce, aad)?,
            State::Gcm(_) => {}
        }
        Ok(RunningState(state))
    }

    /// Encrypts or decrypts the next bytes of the message.
    #[inline]
    pub(crate) fn update(&mut self, text: Text<'_>) -> Result<(), Error> {
        match &mut *self.0 {
            State::Stream(stream) => stream.apply(text),
            State::Gcm(gcm) => gcm.update(text),
            State::ChaChaPoly(message) => message.update(text),
        }
    }

    /// Ends an encryption: writes the first bytes of the tag.
    pub(crate) fn seal(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        match &mut *self.0 {
            State::Stream(_) => Err(Error::NotSupported),
            State::Gcm(gcm) => gcm.seal(tag),
            State::ChaChaPoly(message) => {
                tag.copy_from_slice(&message.tag().0[..tag.len()]);
                Ok(())
            }
        }
    }

    /// Ends a decryption: checks the tag.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        match &mut *self.0 {
            State::Stream(_) => Err(Error::NotSupported),
            State::Gcm(gcm) => gcm.verify(tag),
            State::ChaChaPoly(message) => {
                let full = message.tag();
                let authentic = super::primitives::equal(&full.0[..tag.len()], tag);
                if authentic { Ok(()) } else { Err(Error::Authentication) }
            }
        }
    }

    /// Returns an independent copy.
    pub(crate) fn copy(&self) -> Result<Self, Error> {
        Ok(RunningState(match &*self.0 {
            State::Stream(stream) => {
                let mut copy = WipedBox::new(State::Stream(Keystream::vacant()))?;
                if let State::Stream(target) = &mut *copy {
                    target.copy_from(stream);
                }
                copy
            }
            State::Gcm(gcm) => WipedBox::new(State::Gcm(gcm.copy()?))?,
            State::ChaChaPoly(message) => {
                let vacant = ChaChaPoly::vacant(message.encrypts());
                let mut copy = WipedBox::new(State::ChaChaPoly(vacant))?;
                if let State::ChaChaPoly(target) = &mut *copy {
                    target.copy_from(message);
                }
                copy
            }
        }))
    }
}
