//! Incremental ciphers: one message that arrives in updates of any size. The bytes are those of one
//! call of [`CipherKey`](super::CipherKey), however the message is divided.
//!
//! Decryption of an AEAD returns plaintext before the tag is checked. The caller must not release
//! it before [`RunningCipher::verify`] succeeds, or must say that it is unverified.
//!
//! Stream ciphers keep the rest of a block's keystream between two updates. AES-GCM is AWS-LC's,
//! which can continue within a block.

#[cfg(feature = "aws-lc")]
mod aws_lc;
pub(crate) mod keystream;

use std::ptr;

#[cfg(feature = "aws-lc")]
use self::aws_lc::Gcm;
use self::keystream::Keystream;
use super::aes::AesCtrKey;
use super::chacha::ChaCha20Key;
use super::chacha_poly::incremental::ChaChaPoly;
use super::contract::Incremental;
#[cfg(not(feature = "aws-lc"))]
use super::gcm::incremental::AesGcm as Gcm;
use super::xaes::XaesKey;
use super::{Text, check_sizes, check_tag};
use crate::Error;
use crate::catalog::{Cipher, CipherFacts};
use crate::wipe::{WipedBox, wipe_stack_below};

/// A message on its way through a cipher, with a copy of the key material on the heap. Wiped on
/// drop.
pub struct RunningCipher {
    facts: &'static CipherFacts,
    encrypt: bool,
    /// Bytes of text that may still follow.
    left: u64,
    state: WipedBox<State>,
}

/// Bytes of keystream computed ahead: one block at a time would use a fraction of the vectors.
const AHEAD: usize = 1024;

#[allow(clippy::large_enum_variant)] // on the heap
enum State {
    AesCtr(Keystream<AesCtrKey, AHEAD>),
    ChaCha20(Keystream<ChaCha20Key, AHEAD>),
    Gcm(Gcm),
    ChaChaPoly(ChaChaPoly<AHEAD>),
}

impl RunningCipher {
    /// Begins a message.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for a cipher that needs the whole message (AES-GCM-SIV) and for
    /// `aad` with a stream cipher; [`Error::KeySize`], [`Error::IvSize`], [`Error::AadTooLarge`],
    /// [`Error::Memory`].
    pub fn new(
        cipher: Cipher,
        encrypt: bool,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<RunningCipher, Error> {
        let facts = cipher.facts();
        if key.len() != facts.key_size {
            return Err(Error::KeySize);
        }
        check_sizes(facts, nonce, aad, 0)?;
        if cipher == Cipher::Xaes256Gcm {
            let mut prepared = XaesKey::vacant();
            prepared.prepare(key)?;
            return prepared.derived(nonce, |key, nonce| {
                let message = RunningCipher::new(Cipher::Aes256Gcm, encrypt, key, nonce, aad)?;
                Ok(RunningCipher { facts, ..message })
            });
        }
        let mut state = match cipher {
            #[cfg(feature = "aws-lc")]
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                of_gcm(Gcm::new(cipher, encrypt, key, nonce, aad)?)?
            }
            _ => vacant(cipher)?,
        };
        match &mut *state {
            State::AesCtr(stream) => stream.begin(key, nonce)?,
            State::ChaCha20(stream) => stream.begin(key, nonce)?,
            #[cfg(feature = "aws-lc")]
            State::Gcm(_) => {}
            #[cfg(not(feature = "aws-lc"))]
            State::Gcm(message) => message.begin(key, nonce, aad)?,
            State::ChaChaPoly(message) => {
                message.begin(key, nonce, aad)?;
                // Its frames are deeper than those of the others: 8 KiB left a key behind.
                wipe_stack_below::<{ 16 << 10 }>();
            }
        }
        Ok(RunningCipher { facts, encrypt, left: facts.max_source, state })
    }

    /// Returns the cipher.
    pub fn cipher(&self) -> Cipher {
        self.facts.cipher
    }

    /// Encrypts or decrypts the next bytes of the message.
    ///
    /// # Errors
    /// [`Error::OutputSize`] if source and target differ in length; [`Error::SourceTooLarge`] if
    /// the message becomes longer than the cipher allows. The message can then not be continued.
    #[inline]
    pub fn update(&mut self, text: Text<'_>) -> Result<(), Error> {
        text.check()?;
        let Some(left) = self.left.checked_sub(text.size() as u64) else {
            return Err(Error::SourceTooLarge);
        };
        self.left = left;
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

    /// Ends an encryption and writes the tag; its length may be any that
    /// [`CipherFacts::tag_fits`] accepts. The message can then not be continued.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for a decryption; [`Error::TagSize`].
    pub fn finish(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.check_end(true, tag.len())?;
        match &mut *self.state {
            State::AesCtr(_) | State::ChaCha20(_) => Ok(()),
            State::Gcm(message) => message.tag(tag),
            State::ChaChaPoly(message) => message.tag(tag),
        }
    }

    /// Ends a decryption and checks the tag. The message can then not be continued.
    ///
    /// # Errors
    /// [`Error::Authentication`] if the tag does not match; [`Error::NotSupported`] for an
    /// encryption; [`Error::TagSize`].
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        self.check_end(false, tag.len())?;
        match &mut *self.state {
            State::AesCtr(_) | State::ChaCha20(_) => Ok(()),
            State::Gcm(message) => message.verify(tag),
            State::ChaChaPoly(message) => message.verify(tag),
        }
    }

    fn check_end(&self, encrypt: bool, tag_size: usize) -> Result<(), Error> {
        if self.facts.aead && self.encrypt != encrypt {
            return Err(Error::NotSupported);
        }
        check_tag(self.facts, tag_size)
    }

    /// Returns an independent copy of a decryption. There is none of an encryption: two texts under
    /// one nonce reveal each other, and with GCM and Poly1305 the key of the tag.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for an encryption; [`Error::Memory`].
    pub fn copy(&self) -> Result<RunningCipher, Error> {
        if self.encrypt {
            return Err(Error::NotSupported);
        }
        #[cfg(feature = "aws-lc")]
        if let State::Gcm(gcm) = &*self.state {
            return Ok(RunningCipher { state: of_gcm(gcm.copy()?)?, ..*self });
        }
        let mut state = vacant(Cipher::ChaCha20)?;
        // SAFETY: both are one state each, the copy borrowed exclusively. All but AWS-LC's own
        // nothing, so that they may be copied byte by byte, and overwritten without a drop.
        unsafe { ptr::from_ref(&*self.state).copy_to_nonoverlapping(&mut *state, 1) };
        Ok(RunningCipher { state, ..*self })
    }

    /// Returns true for an encryption.
    pub fn encrypts(&self) -> bool {
        self.encrypt
    }
}

/// Returns the state of a message that has not begun. Without a key, and in a frame of its own, as
/// code that was not optimized as a whole moves the state several times, which would push the
/// frames that have the key deeper than is overwritten.
#[inline(never)]
fn vacant(cipher: Cipher) -> Result<WipedBox<State>, Error> {
    WipedBox::keep(match cipher {
        Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => {
            State::AesCtr(Keystream::vacant())
        }
        Cipher::ChaCha20 => State::ChaCha20(Keystream::vacant()),
        #[cfg(not(feature = "aws-lc"))]
        Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => State::Gcm(Gcm::vacant()),
        Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => {
            State::ChaChaPoly(ChaChaPoly::vacant())
        }
        _ => return Err(Error::NotSupported),
    })
}

/// Moves AWS-LC's context to the heap, in a frame of its own as [`vacant`].
#[cfg(feature = "aws-lc")]
#[inline(never)]
fn of_gcm(gcm: Gcm) -> Result<WipedBox<State>, Error> {
    WipedBox::keep(State::Gcm(gcm))
}

impl std::fmt::Debug for RunningCipher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "RunningCipher({})", self.facts.name)
    }
}

#[cfg(test)]
mod tests {
    use super::RunningCipher;
    use crate::Error;
    use crate::catalog::CIPHERS;
    use crate::cipher::Text;

    #[test]
    fn a_message_longer_than_its_cipher_allows_is_refused() {
        for facts in CIPHERS.iter().filter(|facts| !facts.name.ends_with("-siv")) {
            let (key, nonce) = (vec![1; facts.key_size], vec![2; facts.iv_size]);
            for encrypt in [false, true] {
                let mut message =
                    RunningCipher::new(facts.cipher, encrypt, &key, &nonce, &[]).expect(facts.name);
                assert_eq!(message.left, facts.max_source, "{}", facts.name);
                message.left = 10;
                let mut text = [0; 11];
                let mut update = |size| message.update(Text::InPlace(&mut text[..size]));
                assert_eq!(update(11), Err(Error::SourceTooLarge), "{}", facts.name);
                assert_eq!(update(4), Ok(()), "{}", facts.name);
                assert_eq!(update(7), Err(Error::SourceTooLarge), "{}", facts.name);
                assert_eq!(update(6), Ok(()), "{}", facts.name);
                assert_eq!(update(1), Err(Error::SourceTooLarge), "{}", facts.name);
                if !encrypt {
                    let mut copy = message.copy().expect(facts.name);
                    let result = copy.update(Text::InPlace(&mut text[..1]));
                    assert_eq!(result, Err(Error::SourceTooLarge), "{}", facts.name);
                }
            }
        }
    }
}
