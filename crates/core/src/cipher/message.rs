//! One large message of a cipher in parts: see [`split`](crate::split).

use std::ops::Deref;

use super::aead::AeadKey;
use super::aes::AesCtrKey;
use super::chacha::ChaCha20Key;
use super::chacha_poly::ChaChaPolyMessage;
use super::contract;
#[cfg(not(feature = "aws-lc"))]
use super::contract::AeadMessage;
use super::contract::{Parts, StreamKey, TAG};
use super::gcm::GcmMessage;
use super::gcm_siv::GcmSivMessage;
use super::key::{CipherKey, Kind, with_gcm};
use super::running_cipher::RunningCipher;
use super::{check_sizes, check_tag};
use crate::Error;
use crate::catalog::{Cipher, CipherFacts};
use crate::inputs::Text;
use crate::primitives::equal;
use crate::wipe::{Secret, Wiped, WipedBox};

/// The alignment of parts within a message, in bytes.
pub const PART_ALIGN: usize = 64;

impl CipherKey {
    /// Begins a message that is encrypted from its beginning to its end, if that is faster than in
    /// parts: AWS-LC's AES-GCM encrypts and authenticates at once, but knows no parts, which are
    /// made in two passes. Not with a nonce of another size than usual: AWS-LC then branches on
    /// the counter, which depends on the key.
    ///
    /// # Errors
    /// Those of [`RunningCipher::new`].
    pub fn seal_in_order(&self, nonce: &[u8], aad: &[u8]) -> Result<Option<RunningCipher>, Error> {
        let usual = cfg!(feature = "aws-lc") && nonce.len() == self.cipher().facts().iv_size;
        match (&self.kind, self.cipher()) {
            (Kind::Aead(key), Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm)
                if usual =>
            {
                RunningCipher::new(self.cipher(), true, key.raw_key(), nonce, aad).map(Some)
            }
            (Kind::Xaes(key), _) => {
                with_gcm(key, nonce, |key, nonce| key.seal_in_order(nonce, aad))
            }
            _ => Ok(None),
        }
    }
}

/// A message of a cipher that is processed in parts.
///
/// It owns a copy of the key material on the heap and wipes it on drop. Several threads may process
/// its parts at once and in any order, each part once.
pub struct CipherMessage {
    facts: &'static CipherFacts,
    size: u64,
    pub(crate) state: State,
}

/// The contribution of a part to the tag. It is as secret as the key, and wiped on drop.
pub struct PartialTag {
    offset: u64,
    size: u64,
    tag: contract::PartialTag,
}

impl CipherMessage {
    /// Prepares a message of `size` bytes. A stream cipher takes its iv as `nonce` and no `aad`.
    ///
    /// # Errors
    /// [`Error::NotSupported`] if [`CipherKey::parts`] returns false, and for `aad` with a stream
    /// cipher; [`Error::IvSize`], [`Error::SourceTooLarge`], [`Error::AadTooLarge`].
    pub fn new(
        key: &CipherKey,
        nonce: &[u8],
        aad: &[u8],
        size: u64,
    ) -> Result<CipherMessage, Error> {
        let facts = key.cipher().facts();
        check_sizes(facts, nonce, aad, size)?;
        let iv = || nonce.try_into().map_err(|_| Error::IvSize);
        let aead = |raw, library| State::aead(facts.cipher, raw, library, nonce, aad);
        let state = match &key.kind {
            Kind::AesCtr(key) => State::AesCtr(StreamMessage(key.copied()?, iv()?)),
            Kind::ChaCha20(key) => State::ChaCha20(StreamMessage(key.copied()?, iv()?)),
            Kind::ChaChaPoly(key) => aead(key.raw_key(), None)?,
            Kind::Gcm(key) => aead(key.raw_key(), None)?,
            Kind::Aead(key) => aead(key.raw_key(), Some(key))?,
            Kind::Xaes(key) => {
                return with_gcm(key, nonce, |key, nonce| {
                    Ok(CipherMessage { facts, ..CipherMessage::new(key, nonce, aad, size)? })
                });
            }
            Kind::Vacant | Kind::External(_) => return Err(Error::NotSupported),
        };
        Ok(CipherMessage { facts, size, state })
    }

    /// Returns the bytes of the whole message.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Encrypts or decrypts the part at `offset` with a stream cipher.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for an AEAD, [`Error::Parts`] for a part that is outside the message
    /// or not aligned, [`Error::OutputSize`] if source and target differ in length.
    pub fn apply_part(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        let size = self.check_part(false, offset, &text)?;
        Ok(PartialTag { offset, size, tag: self.state.seal(offset, text)? })
    }

    /// Encrypts the part at `offset`.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for a stream cipher and if sealing takes two passes, otherwise as
    /// [`CipherMessage::apply_part`].
    pub fn seal_part(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        let size = self.check_part(true, offset, &text)?;
        Ok(PartialTag { offset, size, tag: self.state.seal(offset, text)? })
    }

    /// Decrypts the part at `offset` of the message with this tag, authentic or not. The caller
    /// must not release the result before [`CipherMessage::verify`] succeeds, and must overwrite it
    /// if that fails.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for a stream cipher, [`Error::TagSize`], otherwise as
    /// [`CipherMessage::apply_part`].
    pub fn open_part(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<PartialTag, Error> {
        let size = self.check_part(true, offset, &text)?;
        check_tag(self.facts, tag.len())?;
        Ok(PartialTag { offset, size, tag: self.state.open(offset, text, tag)? })
    }

    /// Authenticates the plaintext of the part at `offset`, before it is encrypted.
    ///
    /// # Errors
    /// [`Error::NotSupported`] if sealing takes one pass, otherwise as
    /// [`CipherMessage::apply_part`].
    pub fn authenticate_plain(&self, offset: u64, source: &[u8]) -> Result<PartialTag, Error> {
        if !self.facts.two_passes {
            return Err(Error::NotSupported);
        }
        let size = self.check_range(true, offset, source.len())?;
        Ok(PartialTag { offset, size, tag: self.state.authenticate(source)? })
    }

    /// Authenticates the ciphertext of the part at `offset`, without writing plaintext.
    ///
    /// # Errors
    /// As [`CipherMessage::open_part`].
    pub fn authenticate_sealed(
        &self,
        offset: u64,
        source: &[u8],
        tag: &[u8],
    ) -> Result<PartialTag, Error> {
        let size = self.check_range(true, offset, source.len())?;
        check_tag(self.facts, tag.len())?;
        Ok(PartialTag { offset, size, tag: self.state.authenticate_sealed(offset, source, tag)? })
    }

    /// Encrypts or decrypts the part at `offset` of the message with this tag, without
    /// authentication.
    ///
    /// # Errors
    /// As [`CipherMessage::open_part`].
    pub fn xor_part(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<(), Error> {
        self.check_part(true, offset, &text)?;
        check_tag(self.facts, tag.len())?;
        self.state.xor(offset, text, tag)
    }

    /// Writes the tag of the message from all its parts, in order. The tag of a stream cipher has 0
    /// bytes; this only checks the parts.
    ///
    /// # Errors
    /// [`Error::Parts`] if parts are missing, overlap or are out of order; [`Error::TagSize`].
    pub fn tag<'a>(
        &self,
        parts: impl IntoIterator<Item = &'a PartialTag>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        check_tag(self.facts, tag.len())?;
        let full = self.full_tag(parts).inspect_err(|_| tag.fill(0))?;
        tag.copy_from_slice(&full.0[..tag.len()]);
        Ok(())
    }

    /// Checks `tag` against all parts of the message, in order and in constant time.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it does not match; the caller must then overwrite the output of
    /// [`CipherMessage::open_part`]. Otherwise as [`CipherMessage::tag`].
    pub fn verify<'a>(
        &self,
        parts: impl IntoIterator<Item = &'a PartialTag>,
        tag: &[u8],
    ) -> Result<(), Error> {
        check_tag(self.facts, tag.len())?;
        let full = self.full_tag(parts)?;
        let authentic = equal(&full.0[..tag.len()], tag);
        if authentic { Ok(()) } else { Err(Error::Authentication) }
    }

    fn full_tag<'a>(
        &self,
        parts: impl IntoIterator<Item = &'a PartialTag>,
    ) -> Result<Secret<16>, Error> {
        let (mut end, mut contiguous) = (0, true);
        let mut tags = parts.into_iter().map_while(|part| {
            contiguous = part.offset == end;
            end += part.size;
            contiguous.then_some((part.size, &part.tag))
        });
        let full = self.state.tag(&mut tags)?;
        if contiguous && end == self.size { Ok(full) } else { Err(Error::Parts) }
    }

    fn check_part(&self, aead: bool, offset: u64, text: &Text<'_>) -> Result<u64, Error> {
        text.check()?;
        self.check_range(aead, offset, text.size())
    }

    fn check_range(&self, aead: bool, offset: u64, size: usize) -> Result<u64, Error> {
        if self.facts.aead != aead {
            return Err(Error::NotSupported);
        }
        let size = size as u64;
        let end = offset.checked_add(size).filter(|&end| end <= self.size).ok_or(Error::Parts)?;
        let border = |place: u64| place.is_multiple_of(PART_ALIGN as u64);
        if border(offset) && (border(end) || end == self.size) {
            Ok(size)
        } else {
            Err(Error::Parts)
        }
    }
}

impl std::fmt::Debug for CipherMessage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "CipherMessage({}, {} bytes)", self.facts.name, self.size)
    }
}

impl std::fmt::Debug for PartialTag {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "PartialTag({}..{})", self.offset, self.offset + self.size)
    }
}

/// The kinds of messages. Secrets are on the heap, where they were made.
pub(crate) enum State {
    AesCtr(StreamMessage<AesCtrKey>),
    ChaCha20(StreamMessage<ChaCha20Key>),
    Gcm(WipedBox<GcmMessage>),
    GcmSiv(WipedBox<GcmSivMessage>),
    ChaChaPoly(WipedBox<ChaChaPolyMessage>),
}

impl State {
    /// Begins a message of an AEAD, under a key that the library has prepared if there is no kernel
    /// for it.
    pub(crate) fn aead(
        cipher: Cipher,
        raw: &[u8],
        library: Option<&AeadKey>,
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<State, Error> {
        match cipher {
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                let mut message = WipedBox::new(GcmMessage::vacant())?;
                message.prepare(raw, library, nonce, aad)?;
                Ok(State::Gcm(message))
            }
            Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => {
                let mut message = WipedBox::new(GcmSivMessage::vacant())?;
                message.prepare(raw, nonce, aad)?;
                Ok(State::GcmSiv(message))
            }
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => {
                ChaChaPolyMessage::boxed(raw, nonce, aad).map(State::ChaChaPoly)
            }
            _ => Err(Error::NotSupported),
        }
    }
}

impl Deref for State {
    type Target = dyn Parts;

    fn deref(&self) -> &Self::Target {
        match self {
            State::AesCtr(message) => message,
            State::ChaCha20(message) => message,
            State::Gcm(message) => &**message,
            State::GcmSiv(message) => &**message,
            State::ChaChaPoly(message) => &**message,
        }
    }
}

/// A message of a stream cipher, which has no tag: its key and its iv.
pub(crate) struct StreamMessage<K>(pub(crate) WipedBox<K>, pub(crate) [u8; 16]);

impl<K: StreamKey> Parts for StreamMessage<K> {
    fn authenticate(&self, _text: &[u8]) -> Result<contract::PartialTag, Error> {
        Ok(contract::PartialTag(Wiped([0; 3])))
    }

    fn xor(&self, offset: u64, text: Text<'_>, _tag: &[u8]) -> Result<(), Error> {
        self.0.apply(&K::advanced(&self.1, offset / 64), text)
    }

    fn tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &contract::PartialTag)>,
    ) -> Result<Secret<TAG>, Error> {
        parts.for_each(drop);
        Ok(Secret::zeros())
    }
}

/// Whole messages without AWS-LC.
#[cfg(not(feature = "aws-lc"))]
impl AeadKey {
    fn message(&self, nonce: &[u8], aad: &[u8]) -> Result<(State, bool), Error> {
        let cipher = self.cipher.ok_or(Error::Engine)?;
        let message = State::aead(cipher, self.raw_key(), Some(self), nonce, aad)?;
        Ok((message, cipher.facts().two_passes))
    }

    /// Encrypts, and writes the first `tag.len()` bytes of the tag.
    pub(crate) fn seal(&self, message: AeadMessage<'_>, tag: &mut [u8]) -> Result<(), Error> {
        let text = message.text;
        let (message, two_passes) = self.message(message.nonce, message.aad)?;
        let size = text.size() as u64;
        let finish = |part, tag: &mut [u8]| -> Result<(), Error> {
            let full = message.tag(&mut [(size, &part)].into_iter())?;
            tag.copy_from_slice(&full.0[..tag.len()]);
            Ok(())
        };
        if !two_passes {
            return finish(message.seal(0, text)?, tag);
        }
        finish(message.authenticate(text.source())?, tag)?;
        message.xor(0, text, tag)
    }

    /// Decrypts if the tag matches, otherwise leaves zeros.
    pub(crate) fn open(&self, message: AeadMessage<'_>, tag: &[u8]) -> Result<(), Error> {
        let text = message.text;
        let (message, _) = self.message(message.nonce, message.aad)?;
        let part = message.authenticate_sealed(0, text.source(), tag)?;
        let full = message.tag(&mut [(text.size() as u64, &part)].into_iter())?;
        if full.0.get(..tag.len()).is_some_and(|full| equal(full, tag)) {
            return message.xor(0, text, tag);
        }
        text.clear();
        Err(Error::Authentication)
    }
}
