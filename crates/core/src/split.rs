//! One large message in parts, processed on several cores or in slices, in any order.
//!
//! The hashes for which [`is_tree`] returns true (BLAKE3, KangarooTwelve and ParallelHash) and
//! every cipher for which [`CipherKey::parts`] returns true support this. A part of a cipher's
//! message begins at a multiple of [`PART_ALIGN`] and ends at one or at the message's end. The
//! contribution of each part to an AEAD's tag is a [`PartialTag`]; all of them make the tag.
//!
//! A message is sealed or opened in one pass over its parts or in two: the first pass
//! authenticates, the second encrypts or decrypts. Opening in two passes never writes a byte of a
//! forged message. AES-256-GCM-SIV can only be sealed in two passes, because its tag is computed
//! from the plaintext and then used to encrypt it:
//!
//! - Sealing in one pass: [`CipherMessage::seal_part`], [`CipherMessage::tag`]
//! - Sealing in two passes: [`CipherMessage::authenticate_plain`], [`CipherMessage::tag`],
//!   [`CipherMessage::xor_part`]
//! - Opening in one pass: [`CipherMessage::open_part`], [`CipherMessage::verify`]
//! - Opening in two passes: [`CipherMessage::authenticate_sealed`], [`CipherMessage::verify`],
//!   [`CipherMessage::xor_part`]

use crate::Error;
use crate::catalog::{CipherFacts, Hash};
use crate::checkpoint::Slicer;
use crate::cipher::running_cipher::RunningCipher;
use crate::cipher::{CipherKey, check_sizes, check_tag};
use crate::cipher::{contract, message};
use crate::hash::parts;
use crate::inputs::{Params, Text, check_params, digest_size};
use crate::primitives;
use crate::wipe::Secret;
use std::borrow::Borrow;

/// The alignment of parts within a message, in bytes.
pub const PART_ALIGN: usize = 64;

impl CipherKey {
    /// Returns true if messages under this key can be processed in parts.
    pub fn parts(&self) -> bool {
        !self.is_external()
    }

    /// Begins a message that is encrypted from its beginning to its end, if that is faster than in
    /// parts. Not with a nonce of another size than usual: AWS-LC then branches on the counter,
    /// which depends on the key.
    ///
    /// # Errors
    /// Those of [`RunningCipher::new`].
    pub fn seal_in_order(&self, nonce: &[u8], aad: &[u8]) -> Result<Option<RunningCipher>, Error> {
        let cipher = self.cipher();
        let usual = nonce.len() == cipher.facts().iv_size;
        let key = self.state().key_in_order(cipher).filter(|_| usual);
        key.map(|key| RunningCipher::new(cipher, true, key, nonce, aad)).transpose()
    }

    /// Returns true if messages under this key are sealed in two passes.
    pub fn seals_in_two_passes(&self) -> bool {
        self.cipher().facts().two_passes
    }
}

/// A message of a cipher that is processed in parts.
///
/// It owns a copy of the key material on the heap and wipes it on drop. Several threads may process
/// its parts at once and in any order, each part once.
pub struct CipherMessage {
    facts: &'static CipherFacts,
    size: u64,
    state: message::CipherMessage,
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
        Ok(CipherMessage { facts, size, state: key.state().message(key.cipher(), nonce, aad)? })
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
        let authentic = primitives::equal(&full.0[..tag.len()], tag);
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

/// Returns true if long messages of `hash` can be processed in parts: those of a tree.
pub fn is_tree(hash: Hash) -> bool {
    hash_parts(hash, &Params::NONE, u64::MAX).is_some()
}

/// Returns the bytes of the parts of a message of `size` bytes; `None` if `hash` does not support
/// parts or the message is too short.
pub fn hash_parts(hash: Hash, params: &Params<'_>, size: u64) -> Option<u64> {
    parts::part_size(hash, params, size)
}

/// A message of a hash that is processed in parts of [`HashMessage::part_size`] bytes; the last may
/// be shorter. Several threads may process them at once and in any order. A key is wiped on drop.
pub struct HashMessage {
    hash: Hash,
    size: u64,
    part_size: u64,
    digest_size: usize,
    state: parts::HashMessage,
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

impl std::fmt::Debug for HashMessage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "HashMessage({}, {} bytes)", self.hash.facts().name, self.size)
    }
}

/// The result of a part: the chaining value of a subtree, or of each leaf.
pub struct HashPart(parts::HashPart);

impl std::fmt::Debug for HashPart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("HashPart")
    }
}

impl HashMessage {
    /// Prepares a message of `size` bytes.
    ///
    /// # Errors
    /// [`Error::NotSupported`] if [`hash_parts`] returns `None`, and for a seed or key that this
    /// hash does not take; [`Error::Memory`].
    pub fn new(hash: Hash, params: &Params<'_>, size: u64) -> Result<HashMessage, Error> {
        check_params(hash.facts(), params)?;
        let part_size = hash_parts(hash, params, size).ok_or(Error::NotSupported)?;
        let state = parts::HashMessage::new(hash, params, size)?;
        let digest_size = digest_size(hash.facts(), params);
        Ok(HashMessage { hash, size, part_size, digest_size, state })
    }

    /// Returns the bytes of a part.
    pub fn part_size(&self) -> u64 {
        self.part_size
    }

    /// Returns the number of parts.
    pub fn count(&self) -> usize {
        self.size.div_ceil(self.part_size) as usize
    }

    /// Hashes the part at `offset`.
    ///
    /// # Errors
    /// [`Error::Parts`] if `offset` and the length are not those of a part; [`Error::Memory`].
    pub fn part(&self, offset: u64, source: &[u8]) -> Result<HashPart, Error> {
        let begins = offset.is_multiple_of(self.part_size) && offset < self.size;
        if !begins || source.len() as u64 != self.part_size.min(self.size - offset) {
            return Err(Error::Parts);
        }
        Ok(HashPart(self.state.part(offset, source)?))
    }

    /// Writes the digest of the message from all its parts, in order. The size of `target` is as
    /// for [`digest`](crate::hash::digest()).
    ///
    /// # Errors
    /// [`Error::Parts`] if their number differs from [`HashMessage::count`]; [`Error::OutputSize`];
    /// [`Error::Cancelled`] by the slicer's checkpoint.
    pub fn finish<P: Borrow<HashPart>>(
        &self,
        parts: &[P],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        let fits = if self.hash.facts().xof {
            !target.is_empty()
        } else {
            target.len() == self.digest_size
        };
        if !fits {
            return Err(Error::OutputSize);
        }
        if parts.len() != self.count() {
            return Err(Error::Parts);
        }
        self.state.join(&mut parts.iter().map(|part| &part.borrow().0), target, slicer)
    }
}
