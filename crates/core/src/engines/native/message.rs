//! A message of a cipher in parts: which ciphers can, and how.

use aws_lc_sys as lc;

use super::CipherState;
use super::aes::AesCtrKey;
use super::chacha::ChaCha20Key;
#[cfg(target_arch = "x86_64")]
use super::chacha_poly;
use super::gcm;
use super::wipe::{Secret, Wiped};
use crate::Error;
use crate::inputs::Text;

/// Bytes of a full tag.
const TAG_SIZE: usize = 16;

/// See [`Divides::Sum`](crate::engines::Divides::Sum): a number of the field over which the cipher authenticates.
pub(crate) struct Sum(pub(super) Wiped<[u64; 3]>);

/// See [`Divides::Message`](crate::engines::Divides::Message). What is secret stands on the heap, where it was made.
pub(crate) enum Message {
    AesCtr(Box<AesCtrKey>, [u8; 16]),
    ChaCha20(Box<ChaCha20Key>, [u8; 16]),
    Gcm(Box<gcm::Message>),
    #[cfg(target_arch = "x86_64")]
    ChaChaPoly(Box<chacha_poly::parts::Message>),
}

/// Whether messages under this key can be worked on in parts.
pub(super) fn parts(state: &CipherState) -> bool {
    match state {
        CipherState::AesCtr(_) | CipherState::ChaCha20(_) => true,
        CipherState::Aead(key) => key.raw_key().is_some(),
        #[cfg(target_arch = "x86_64")]
        CipherState::ChaChaPoly(_) => true,
        _ => false,
    }
}

impl Message {
    pub(super) fn new(state: &CipherState, nonce: &[u8], aad: &[u8]) -> Result<Message, Error> {
        let iv = || nonce.try_into().map_err(|_| Error::IvSize);
        match state {
            CipherState::AesCtr(key) => Ok(Message::AesCtr(key.copied(), iv()?)),
            CipherState::ChaCha20(key) => Ok(Message::ChaCha20(key.copied(), iv()?)),
            #[cfg(target_arch = "x86_64")]
            CipherState::ChaChaPoly(key) => {
                Ok(Message::ChaChaPoly(chacha_poly::parts::Message::boxed(key, nonce, aad)?))
            }
            CipherState::Aead(key) => Ok(Message::Gcm(gcm::Message::boxed(key, nonce, aad)?)),
            _ => Err(Error::NotSupported),
        }
    }

    pub(super) fn apply(&self, offset: u64, text: Text<'_>) -> Result<Sum, Error> {
        match self {
            Message::AesCtr(key, iv) => {
                let counter = u128::from_be_bytes(*iv).wrapping_add(u128::from(offset / 16));
                key.apply(&counter.to_be_bytes(), text)
            }
            Message::ChaCha20(key, iv) => {
                // The number of the block carries into the nonce's first word, as in one go.
                let (number, nonce) = iv.split_first_chunk().ok_or(Error::IvSize)?;
                let number = u64::from_le_bytes(*number).wrapping_add(offset / 64);
                let mut iv = [0; 16];
                iv[..8].copy_from_slice(&number.to_le_bytes());
                iv[8..].copy_from_slice(nonce);
                key.apply(&iv, text)
            }
            _ => Err(Error::NotSupported),
        }?;
        Ok(Sum(Wiped([0; 3])))
    }

    pub(super) fn seal(&self, offset: u64, text: Text<'_>) -> Result<Sum, Error> {
        match self {
            Message::Gcm(message) => message.seal(offset, text),
            #[cfg(target_arch = "x86_64")]
            Message::ChaChaPoly(message) => Ok(message.seal(offset, text)),
            _ => Err(Error::NotSupported),
        }
    }

    pub(super) fn open(&self, offset: u64, text: Text<'_>) -> Result<Sum, Error> {
        match self {
            Message::Gcm(message) => message.open(offset, text),
            #[cfg(target_arch = "x86_64")]
            Message::ChaChaPoly(message) => Ok(message.open(offset, text)),
            _ => Err(Error::NotSupported),
        }
    }

    pub(super) fn tag(&self, parts: &mut dyn Iterator<Item = (u64, &Sum)>, tag: &mut [u8]) {
        tag.copy_from_slice(&self.full_tag(parts).0[..tag.len()]);
    }

    pub(super) fn verify(&self, parts: &mut dyn Iterator<Item = (u64, &Sum)>, tag: &[u8]) -> bool {
        let full = self.full_tag(parts);
        // SAFETY: both have so many bytes.
        tag.len() <= TAG_SIZE
            && unsafe { lc::CRYPTO_memcmp(full.0.as_ptr().cast(), tag.as_ptr().cast(), tag.len()) } == 0
    }

    /// Of a stream cipher it has nothing to say.
    fn full_tag(&self, parts: &mut dyn Iterator<Item = (u64, &Sum)>) -> Secret<TAG_SIZE> {
        match self {
            Message::Gcm(message) => message.tag(parts),
            #[cfg(target_arch = "x86_64")]
            Message::ChaChaPoly(message) => message.tag(parts),
            _ => {
                parts.for_each(drop);
                Secret::zeros()
            }
        }
    }
}
