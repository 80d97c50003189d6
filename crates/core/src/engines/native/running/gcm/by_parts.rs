//! Incremental AES-GCM by parts of whole blocks. Keeps the keystream and the ciphertext so far of
//! the block in which a piece ends.

use crate::Error;
use crate::allocate::Shared;
use crate::catalog::Cipher;
use crate::engines::native::aead::AeadKey;
use crate::engines::native::gcm::{self, BLOCK};
use crate::engines::native::partial_tag::PartialTag;
use crate::engines::native::primitives::equal;
use crate::engines::native::wipe::{Secret, Wiped, WipedBox};
use crate::inputs::Text;

/// A message on its way.
pub(crate) struct Gcm {
    /// Of copies, too: it does not change.
    message: Shared<WipedBox<gcm::GcmMessage>>,
    encrypt: bool,
    /// The bytes of text so far.
    size: u64,
    /// The sum of the whole blocks.
    sum: PartialTag,
    /// The keystream of the last block, if it is not whole.
    stream: Secret<BLOCK>,
    /// The ciphertext of the last block, if it is not whole.
    sealed: Secret<BLOCK>,
}

impl Gcm {
    /// Begins a message.
    pub(crate) fn new(
        cipher: Cipher,
        encrypt: bool,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Self, Error> {
        let mut aead = AeadKey::vacant();
        aead.prepare(cipher, key)?;
        Ok(Gcm {
            message: Shared::try_new(gcm::GcmMessage::boxed(key, Some(&aead), nonce, aad)?)?,
            encrypt,
            size: 0,
            sum: PartialTag(Wiped([0; 3])),
            stream: Secret::zeros(),
            sealed: Secret::zeros(),
        })
    }

    /// Encrypts or decrypts the next bytes of the message.
    pub(crate) fn update(&mut self, text: Text<'_>) -> Result<(), Error> {
        let begun = self.begun();
        let head = if begun > 0 { text.size().min(BLOCK - begun) } else { 0 };
        let (head, rest) = text.split_at(head);
        self.mix(head);
        if begun > 0 && self.begun() == 0 {
            let part = self.message.authenticate(&self.sealed.0)?;
            self.sum = self.message.joined(&self.sum, BLOCK, &part);
        }
        let whole = rest.size() / BLOCK * BLOCK;
        let (bulk, tail) = rest.split_at(whole);
        if whole > 0 {
            let part = if self.encrypt {
                self.message.seal(self.size, bulk)?
            } else {
                self.message.open(self.size, bulk)?
            };
            self.sum = self.message.joined(&self.sum, whole, &part);
            self.size += whole as u64;
        }
        if tail.size() > 0 {
            self.stream.0.fill(0);
            self.message.xor(self.size, Text::InPlace(&mut self.stream.0))?;
            self.mix(tail);
        }
        Ok(())
    }

    /// Returns the bytes of the last block, if it is not whole.
    fn begun(&self) -> usize {
        (self.size % BLOCK as u64) as usize
    }

    /// Encrypts or decrypts bytes of one block with its keystream.
    fn mix(&mut self, text: Text<'_>) {
        let begun = self.begun();
        let places = self.sealed.0[begun..].iter_mut().zip(&self.stream.0[begun..]);
        self.size += text.size() as u64;
        match text {
            Text::InPlace(bytes) => {
                for (byte, (sealed, stream)) in bytes.iter_mut().zip(places) {
                    let mixed = *byte ^ stream;
                    *sealed = if self.encrypt { mixed } else { *byte };
                    *byte = mixed;
                }
            }
            Text::Across { source, target } => {
                for ((target, byte), (sealed, stream)) in target.iter_mut().zip(source).zip(places)
                {
                    *target = byte ^ stream;
                    *sealed = if self.encrypt { *target } else { *byte };
                }
            }
        }
    }

    fn tag(&self) -> Result<Secret<BLOCK>, Error> {
        let begun = self.begun();
        let last = self.message.authenticate(&self.sealed.0[..begun])?;
        let parts = [(self.size - begun as u64, &self.sum), (begun as u64, &last)];
        Ok(self.message.tag(&mut parts.into_iter()))
    }

    /// Ends an encryption: writes the first bytes of the tag.
    pub(crate) fn seal(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        tag.copy_from_slice(&self.tag()?.0[..tag.len()]);
        Ok(())
    }

    /// Ends a decryption: checks the tag.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        let full = self.tag()?;
        let authentic = full.0.get(..tag.len()).is_some_and(|full| equal(full, tag));
        if authentic { Ok(()) } else { Err(Error::Authentication) }
    }

    /// Returns an independent copy.
    pub(crate) fn copy(&self) -> Result<Self, Error> {
        let PartialTag(Wiped(sum)) = &self.sum;
        Ok(Gcm {
            message: self.message.clone(),
            encrypt: self.encrypt,
            size: self.size,
            sum: PartialTag(Wiped(*sum)),
            stream: Secret(self.stream.0),
            sealed: Secret(self.sealed.0),
        })
    }
}
