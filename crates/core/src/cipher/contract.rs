//! The contract of a cipher's mode: its messages in parts and in pieces.

use crate::Error;
use crate::inputs::Text;
use crate::primitives::equal;
use crate::wipe::{Plain, Secret, Wiped, WipedBox, copy_plain};

/// Bytes of a full tag.
#[allow(unreachable_pub)] // of WebAssembly's modules
pub const TAG: usize = 16;

/// A whole message of an AEAD.
pub(crate) struct AeadMessage<'a> {
    pub(crate) nonce: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) text: Text<'a>,
}

/// The contribution of a part of a message to its tag: a number of the field in which the cipher
/// authenticates. Wiped on drop.
pub(crate) struct PartialTag(pub(crate) Wiped<[u64; 3]>);

/// A message that is processed in parts, in any order. A part begins `offset` bytes into the text.
pub(crate) trait Parts: Sync {
    /// Encrypts a part, and returns what it adds.
    fn seal(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        text.then(|text| self.xor(offset, text, &[]), |target| self.authenticate(target))?
    }

    /// Decrypts a part of the message with this tag, and returns what it adds.
    fn open(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<PartialTag, Error> {
        let sum = self.authenticate_sealed(offset, text.source(), tag)?;
        self.xor(offset, text, tag)?;
        Ok(sum)
    }

    /// Authenticates a part of what the tag is made of: the ciphertext, or GCM-SIV's plaintext.
    fn authenticate(&self, text: &[u8]) -> Result<PartialTag, Error>;

    /// Authenticates a part of the ciphertext of the message with this tag.
    fn authenticate_sealed(
        &self,
        _offset: u64,
        source: &[u8],
        _tag: &[u8],
    ) -> Result<PartialTag, Error> {
        self.authenticate(source)
    }

    /// Encrypts or decrypts a part of the message with this tag, which only GCM-SIV needs.
    fn xor(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<(), Error>;

    /// Returns the full tag of the message with these parts.
    fn tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
    ) -> Result<Secret<TAG>, Error>;
}

/// A message of an AEAD that arrives in pieces of any size, unless another is said. It has no
/// pointers and owns nothing: its bytes may be copied and continued later. Callers have checked the
/// sizes of keys, nonces and tags.
#[allow(unreachable_pub)] // of WebAssembly's modules
pub trait Incremental: Sized {
    /// Returns room for a message, to be begun before use.
    fn vacant() -> Self;

    /// Begins a message. An empty key is that of the message before.
    ///
    /// # Errors
    /// [`Error::KeySize`] for an empty key where that would take as long as a new message; those of
    /// sizes.
    fn begin(&mut self, key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<(), Error>;

    /// Encrypts the next piece.
    ///
    /// # Errors
    /// Those of the library.
    fn seal(&mut self, text: Text<'_>) -> Result<(), Error>;

    /// Decrypts the next piece, authentic or not, of the message with this tag.
    ///
    /// # Errors
    /// Those of the library.
    fn open(&mut self, text: Text<'_>, tag: &[u8]) -> Result<(), Error>;

    /// Returns the tag of all pieces.
    #[doc(hidden)]
    fn full_tag(&mut self) -> Result<[u8; TAG], Error>;

    /// Writes the first bytes of the tag of all pieces.
    ///
    /// # Errors
    /// Those of the library.
    fn tag(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        let full = Secret(self.full_tag()?);
        tag.copy_from_slice(&full.0[..tag.len()]);
        Ok(())
    }

    /// Checks the tag of all pieces.
    ///
    /// # Errors
    /// [`Error::Authentication`]
    fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        let full = Secret(self.full_tag()?);
        let authentic = full.0.get(..tag.len()).is_some_and(|full| equal(full, tag));
        if authentic { Ok(()) } else { Err(Error::Authentication) }
    }
}

/// A key of a stream cipher.
pub(crate) trait StreamKey: Plain + Sync + Sized {
    /// Returns room for a key, to be prepared before use.
    fn vacant() -> Self;

    /// Prepares a key.
    fn prepare(&mut self, key: &[u8]) -> Result<(), Error>;

    /// Encrypts or decrypts from the block of this iv on.
    fn apply(&self, iv: &[u8; 16], text: Text<'_>) -> Result<(), Error>;

    /// Returns the iv some times 64 bytes further.
    fn advanced(iv: &[u8; 16], blocks: u64) -> [u8; 16];

    /// Returns a copy of this key, on the heap.
    fn copied(&self) -> Result<WipedBox<Self>, Error> {
        let mut copy = WipedBox::new(Self::vacant())?;
        copy_plain(self, &mut copy);
        Ok(copy)
    }
}
