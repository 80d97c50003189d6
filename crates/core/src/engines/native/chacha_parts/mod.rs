//! ChaCha20-Poly1305 and XChaCha20-Poly1305 in parts, on CPUs without the instructions for
//! [`chacha_poly`](super::chacha_poly): with AVX2 both at once, otherwise one after the other.
//!
//! Parts of Poly1305 are evaluated apart, multiplied by the power of r for what follows, and added
//! up.

use super::chacha::{self, BLOCK, ChaCha20Key};
use super::partial_tag::PartialTag;
use super::poly1305::sum::{Joined, Summing};
use super::poly1305::{self, Poly1305};
use super::wipe::{Secret, Wiped, WipedBox, copy_plain};
#[cfg(target_arch = "x86_64")]
use super::{chacha::State, chacha_poly::parts as avx2, features::Avx2Bmi};
use crate::Error;
use crate::inputs::Text;

/// A message that is processed in parts. Wiped on drop.
pub(crate) struct ChaChaPartsMessage {
    key: ChaCha20Key,
    nonce: [u8; 12],
    /// After the additional data.
    poly: Poly1305,
    summing: Summing,
    aad_size: usize,
}

impl ChaChaPartsMessage {
    /// Returns a message at an address that does not change. A nonce of 24 bytes is XChaCha20's.
    pub(super) fn boxed(
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<WipedBox<ChaChaPartsMessage>, Error> {
        let mut place = WipedBox::new(ChaChaPartsMessage {
            key: ChaCha20Key::vacant(),
            nonce: [0; 12],
            poly: Poly1305::new(&[0; 32]),
            summing: Summing::vacant(),
            aad_size: aad.len(),
        })?;
        let message = &mut *place;
        if let Some((first, last)) = nonce.split_first_chunk::<16>() {
            let mut derived = Secret::<32>::zeros();
            chacha::derive(key.try_into().map_err(|_| Error::KeySize)?, first, &mut derived.0);
            message.key.prepare(&derived.0)?;
            message.nonce[4..].copy_from_slice(last.first_chunk::<8>().ok_or(Error::IvSize)?);
        } else {
            message.key.prepare(key)?;
            message.nonce = nonce.try_into().map_err(|_| Error::IvSize)?;
        }
        let mut once = Secret::<32>::zeros();
        message.key.apply(&message.iv(0), Text::InPlace(&mut once.0))?;
        copy_plain(&Poly1305::new(&once.0), &mut message.poly);
        message.summing.prepare(&message.poly);
        message.poly.update_padded(aad);
        Ok(place)
    }

    /// Encrypts the part that begins `offset` bytes into the text, and returns what it adds.
    pub(super) fn seal(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Avx2Bmi::detect() {
            let mut state = self.state(offset);
            let sum = avx2::seal_by_avx2(proof, &mut state.0, self.poly.fresh(), text);
            return Ok(PartialTag(Wiped(sum)));
        }
        match text {
            Text::InPlace(bytes) => {
                self.xor(offset, Text::InPlace(&mut *bytes))?;
                Ok(self.authenticate(bytes))
            }
            Text::Across { source, target } => {
                self.xor(offset, Text::Across { source, target: &mut *target })?;
                Ok(self.authenticate(target))
            }
        }
    }

    /// Decrypts such a part, and returns what it adds.
    pub(super) fn open(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Avx2Bmi::detect() {
            let mut state = self.state(offset);
            let sum = avx2::open_by_avx2(proof, &mut state.0, self.poly.fresh(), text);
            return Ok(PartialTag(Wiped(sum)));
        }
        let sum = self.authenticate(text.source());
        self.xor(offset, text)?;
        Ok(sum)
    }

    /// Authenticates a part of the ciphertext.
    pub(super) fn authenticate(&self, source: &[u8]) -> PartialTag {
        PartialTag(Wiped(self.summing.sum(&self.poly, source)))
    }

    /// Encrypts or decrypts a part.
    pub(super) fn xor(&self, offset: u64, text: Text<'_>) -> Result<(), Error> {
        self.key.apply(&self.iv(1 + offset / BLOCK as u64), text)
    }

    /// Returns the tag of the message with these parts.
    pub(super) fn tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
    ) -> Secret<{ poly1305::BLOCK }> {
        let mut joined = Joined::new(&self.poly, self.aad_size);
        parts.for_each(|(size, part)| joined.add(size, &part.0.0));
        joined.tag()
    }

    /// Returns the state at the first block of a part.
    #[cfg(target_arch = "x86_64")]
    fn state(&self, offset: u64) -> Wiped<State> {
        Wiped(self.key.state(&self.iv(1 + offset / BLOCK as u64)))
    }

    /// Returns the number of a block and the nonce. A message is too short for the number to
    /// overflow.
    fn iv(&self, block: u64) -> [u8; 16] {
        let mut iv = [0; 16];
        iv[..4].copy_from_slice(&(block as u32).to_le_bytes());
        iv[4..].copy_from_slice(&self.nonce);
        iv
    }
}

#[cfg(all(test, target_arch = "x86_64", feature = "aws-lc"))]
mod tests;
