//! One large message in parts: on several cores, in any order, or in slices of one core.
//!
//! This works for every cipher, where [`CipherKey::parts`] returns true, and for BLAKE3. A part of
//! a cipher's message begins and ends at a multiple of [`PART_ALIGN`]; only the last may end
//! elsewhere. What each part of an AEAD's message adds to the tag is kept in a [`PartialTag`]; all of
//! them together make the tag.
//!
//! A message can be sealed or opened in one pass over its parts, or in two: the first
//! authenticates, the second encrypts or decrypts. Opened in two passes, no byte of a forged
//! message is ever written. AES-256-GCM-SIV is sealed in two passes only, because its tag is made
//! of the plaintext and encrypts it:
//!
//! | | one pass | two passes |
//! |---|---|---|
//! | seal | [`Message::seal_part`], [`Message::tag`] | [`Message::authenticate_plain`], [`Message::tag`], [`Message::xor_part`] |
//! | open | [`Message::open_part`], [`Message::verify`] | [`Message::authenticate_sealed`], [`Message::verify`], [`Message::xor_part`] |

use crate::Error;
use crate::catalog::{Cipher, CipherFacts, Hash};
use crate::cipher::{CipherKey, check};
use crate::engines::{Chosen, CipherState, Splittable};
use crate::hash::{check_params, check_target};
use crate::inputs::{Params, Text};

/// Parts begin at multiples of this.
pub const PART_ALIGN: usize = 64;

impl CipherKey {
    /// Returns true if messages under this key can be worked on in parts: unless an
    /// external engine computes.
    pub fn parts(&self) -> bool {
        matches!(self.state(), CipherState::Native(_))
    }

    /// Returns true if messages under this key are sealed in two passes.
    pub fn seals_in_two_passes(&self) -> bool {
        self.cipher() == Cipher::Aes256GcmSiv
    }
}

/// A message of a cipher that is worked on in parts.
///
/// It holds what it needs of the key, at one place on the heap, and wipes it on drop; the key
/// itself may go. Its parts may be worked on by several threads at once and in any order, each
/// once.
pub struct Message {
    facts: &'static CipherFacts,
    size: u64,
    state: <Chosen as Splittable>::Message,
}

/// What a part adds to the tag. As secret as the key, wiped on drop.
pub struct PartialTag {
    offset: u64,
    size: u64,
    sum: <Chosen as Splittable>::PartialTag,
}

impl Message {
    /// Prepares a message of `size` bytes. A stream cipher takes its iv as `nonce`, and no `aad`.
    ///
    /// # Errors
    /// [`Error::NotSupported`] where [`CipherKey::parts`] says no, and for `aad` with a stream
    /// cipher; [`Error::IvSize`], [`Error::SourceTooLarge`], [`Error::AadTooLarge`].
    pub fn new(key: &CipherKey, nonce: &[u8], aad: &[u8], size: u64) -> Result<Message, Error> {
        let facts = key.cipher().facts();
        let CipherState::Native(state) = key.state() else { return Err(Error::NotSupported) };
        if !facts.aead && !aad.is_empty() {
            return Err(Error::NotSupported);
        }
        if nonce.len() != facts.iv_size {
            return Err(Error::IvSize);
        }
        if aad.len() as u64 > facts.max_aad {
            return Err(Error::AadTooLarge);
        }
        if size > facts.max_source {
            return Err(Error::SourceTooLarge);
        }
        Ok(Message { facts, size, state: Chosen::message(state, key.cipher(), nonce, aad)? })
    }

    /// Bytes of the whole message.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Encrypts or decrypts, with a stream cipher, the part that begins at `offset`.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for an AEAD, [`Error::Parts`] for a part that does not lie within
    /// the message or not at its borders, [`Error::OutputSize`] when source and target differ
    /// in length.
    pub fn apply_part(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        let size = self.check_part(false, offset, &text)?;
        Ok(PartialTag { offset, size, sum: Chosen::apply_part(&self.state, offset, text)? })
    }

    /// Encrypts the part that begins at `offset`.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for a stream cipher and where sealing takes two passes, otherwise as
    /// [`Message::apply_part`].
    pub fn seal_part(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        let size = self.check_part(true, offset, &text)?;
        Ok(PartialTag { offset, size, sum: Chosen::seal_part(&self.state, offset, text)? })
    }

    /// Decrypts the part that begins at `offset` of the message with this tag, authentic or not:
    /// nobody may see the result before [`Message::verify`] has found the message authentic,
    /// and the caller overwrites it if it is not.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for a stream cipher, [`Error::TagSize`], otherwise as
    /// [`Message::apply_part`].
    pub fn open_part(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<PartialTag, Error> {
        let size = self.check_part(true, offset, &text)?;
        self.check_tag(tag.len())?;
        Ok(PartialTag { offset, size, sum: Chosen::open_part(&self.state, offset, text, tag)? })
    }

    /// Returns what the part that begins at `offset` adds to the tag, read before it is encrypted.
    ///
    /// # Errors
    /// [`Error::NotSupported`] where sealing takes one pass, otherwise as [`Message::apply_part`].
    pub fn authenticate_plain(&self, offset: u64, source: &[u8]) -> Result<PartialTag, Error> {
        let size = self.check_range(true, offset, source.len())?;
        Ok(PartialTag { offset, size, sum: Chosen::authenticate_plain(&self.state, source)? })
    }

    /// Returns what the part that begins at `offset` of the ciphertext adds to the tag. It writes
    /// no plaintext.
    ///
    /// # Errors
    /// As [`Message::open_part`].
    pub fn authenticate_sealed(
        &self,
        offset: u64,
        source: &[u8],
        tag: &[u8],
    ) -> Result<PartialTag, Error> {
        let size = self.check_range(true, offset, source.len())?;
        self.check_tag(tag.len())?;
        Ok(PartialTag {
            offset,
            size,
            sum: Chosen::authenticate_sealed(&self.state, offset, source, tag)?,
        })
    }

    /// Encrypts or decrypts the part that begins at `offset` of the message with this tag, and
    /// authenticates nothing.
    ///
    /// # Errors
    /// As [`Message::open_part`].
    pub fn xor_part(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<(), Error> {
        self.check_part(true, offset, &text)?;
        self.check_tag(tag.len())?;
        Chosen::xor_part(&self.state, offset, text, tag)
    }

    /// Writes the tag of the message with these parts, in order and all of them. For a stream
    /// cipher, whose tag has no bytes, it sees to that only.
    ///
    /// # Errors
    /// [`Error::Parts`] when parts are missing, overlap or are out of order; [`Error::TagSize`].
    pub fn tag<'a>(
        &self,
        parts: impl IntoIterator<Item = &'a PartialTag>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.check_tag(tag.len())?;
        let (mut end, mut contiguous) = (0, true);
        let mut sums = parts.into_iter().map_while(|part| {
            contiguous = part.offset == end;
            end += part.size;
            contiguous.then_some((part.size, &part.sum))
        });
        let made = Chosen::message_tag(&self.state, &mut sums, tag);
        let result = if contiguous && end == self.size { made } else { Err(Error::Parts) };
        result.inspect_err(|_| tag.fill(0))
    }

    /// Whether `tag` is that of the message with these parts.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is not: what [`Message::open_part`] wrote has to be
    /// overwritten then. Otherwise as [`Message::tag`].
    pub fn verify<'a>(
        &self,
        parts: impl IntoIterator<Item = &'a PartialTag>,
        tag: &[u8],
    ) -> Result<(), Error> {
        self.check_tag(tag.len())?;
        let (mut end, mut contiguous) = (0, true);
        let mut sums = parts.into_iter().map_while(|part| {
            contiguous = part.offset == end;
            end += part.size;
            contiguous.then_some((part.size, &part.sum))
        });
        let authentic = Chosen::message_verify(&self.state, &mut sums, tag)?;
        match contiguous && end == self.size {
            true if authentic => Ok(()),
            true => Err(Error::Authentication),
            false => Err(Error::Parts),
        }
    }

    fn check_part(&self, aead: bool, offset: u64, text: &Text<'_>) -> Result<u64, Error> {
        check(text, self.facts)?;
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

    fn check_tag(&self, size: usize) -> Result<(), Error> {
        let fits = if self.facts.aead { self.facts.tag_fits(size) } else { size == 0 };
        if fits { Ok(()) } else { Err(Error::TagSize) }
    }
}

/// The size of the parts in which `hash` can take a message of `size` bytes; `None` where it
/// cannot, or where the message is too short.
pub fn hash_parts(hash: Hash, size: u64) -> Option<u64> {
    Chosen::hash_part_size(hash, size)
}

/// A message of a hash that is worked on in parts, all of [`HashMessage::part_size`] but the last,
/// which may be shorter. Several threads may work on them at once and in any order. What it holds
/// of a key is wiped on drop.
pub struct HashMessage {
    hash: Hash,
    size: u64,
    part_size: u64,
    state: <Chosen as Splittable>::HashMessage,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Message({}, {} bytes)", self.facts.name, self.size)
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

/// What a part of a hash's message comes to: the chaining value of a subtree.
pub type HashPart = [u8; 32];

impl HashMessage {
    /// Prepares a message of `size` bytes.
    ///
    /// # Errors
    /// [`Error::NotSupported`] where [`hash_parts`] says no, and for a seed or key which this hash
    /// does not take.
    pub fn new(hash: Hash, params: &Params<'_>, size: u64) -> Result<HashMessage, Error> {
        check_params(hash.facts(), params)?;
        let part_size = hash_parts(hash, size).ok_or(Error::NotSupported)?;
        Ok(HashMessage { hash, size, part_size, state: Chosen::hash_message(hash, params) })
    }

    /// Bytes of a part.
    pub fn part_size(&self) -> u64 {
        self.part_size
    }

    /// How many parts there are.
    pub fn count(&self) -> usize {
        self.size.div_ceil(self.part_size) as usize
    }

    /// Hashes the part that begins at `offset`.
    ///
    /// # Errors
    /// [`Error::Parts`] for what is not a part of this message.
    pub fn part(&self, offset: u64, source: &[u8]) -> Result<HashPart, Error> {
        let begins = offset.is_multiple_of(self.part_size) && offset < self.size;
        if !begins || source.len() as u64 != self.part_size.min(self.size - offset) {
            return Err(Error::Parts);
        }
        Ok(Chosen::hash_part(&self.state, offset, source))
    }

    /// Writes the digest, whose size is as for [`digest`](crate::hash::digest()), of the message
    /// with these parts, in order and all of them.
    ///
    /// # Errors
    /// [`Error::Parts`] when their number is not that of the message's; [`Error::OutputSize`].
    pub fn finish(&self, parts: &[HashPart], target: &mut [u8]) -> Result<(), Error> {
        check_target(self.hash.facts(), target.len())?;
        if parts.len() != self.count() {
            return Err(Error::Parts);
        }
        Chosen::hash_join(&self.state, &mut parts.iter(), target);
        Ok(())
    }
}
