//! AES-GCM-SIV (RFC 8452) in parts. One-shot calls use AWS-LC ([`aead`](super::aead)), which
//! cannot stop within a message.
//!
//! The tag is made of the plaintext and is the counter that encrypts it. So sealing reads the text
//! twice: first for the tag, then to encrypt. Opening, the tag is known: a part is decrypted and
//! then read, or, where it must not be released before the message is known to be authentic,
//! decrypted aside to be read, and once more afterwards.

#[cfg(target_family = "wasm")]
pub(crate) mod incremental;
mod polyval;

use self::polyval::Polyval;
use super::aes::siv::SivKey;
use super::contract::{PartialTag, Parts};
use super::field::{Factor, product};
use super::gcm::{joined, sum_of};
use crate::Error;
use crate::inputs::Text;
use crate::wipe::{Secret, Wiped};

/// Bytes of a block, and of the tag.
const BLOCK: usize = 16;

/// A message in parts, under the keys that its nonce makes of the key. Wiped on drop.
pub(crate) struct GcmSivMessage {
    key: SivKey,
    polyval: Polyval,
    /// H, a number as in [`field`](super::field).
    h: Wiped<u128>,
    /// POLYVAL of the additional data.
    aad: Wiped<u128>,
    nonce: [u8; 12],
    aad_size: usize,
}

impl GcmSivMessage {
    /// Returns room for a message, to be prepared before use.
    pub(crate) fn vacant() -> GcmSivMessage {
        GcmSivMessage {
            key: SivKey::vacant(),
            polyval: Polyval::vacant(),
            h: Wiped(0),
            aad: Wiped(0),
            nonce: [0; 12],
            aad_size: 0,
        }
    }

    /// Begins a message under the key `raw`.
    pub(crate) fn prepare(&mut self, raw: &[u8], nonce: &[u8], aad: &[u8]) -> Result<(), Error> {
        self.nonce = nonce.try_into().map_err(|_| Error::IvSize)?;
        self.aad_size = aad.len();
        // Section 4: halves of blocks that count up, the first two for H.
        let mut blocks = Wiped([[0; BLOCK]; 6]);
        let blocks = blocks.0.get_mut(..2 + raw.len() / 8).ok_or(Error::KeySize)?;
        for (number, block) in blocks.iter_mut().enumerate() {
            block[0] = number as u8;
            block[4..].copy_from_slice(&self.nonce);
        }
        self.key.prepare(raw)?;
        self.key.encrypt(blocks)?;
        let mut derived = Secret::<48>::zeros();
        for (half, block) in derived.0.chunks_exact_mut(8).zip(&*blocks) {
            half.copy_from_slice(&block[..8]);
        }
        let (h, key) =
            derived.0[..8 * blocks.len()].split_first_chunk::<BLOCK>().ok_or(Error::Engine)?;
        self.h.0 = u128::from_le_bytes(*h);
        self.key.prepare(key)?;
        self.polyval.prepare(Factor(self.h.0));
        self.aad.0 = self.polyval.sum(aad);
        Ok(())
    }

    /// Extends POLYVAL by a text padded with zeros, without instructions for it.
    #[cfg(target_family = "wasm")]
    pub(crate) fn extended(&self, sum: u128, text: &[u8]) -> u128 {
        super::field::extended(sum, self.h(), text)
    }

    fn h(&self) -> Factor {
        Factor(self.h.0)
    }

    /// Returns the tag after POLYVAL of additional data and text of these sizes.
    pub(crate) fn ended(
        &self,
        sum: u128,
        aad_size: usize,
        text_size: u64,
    ) -> Result<Secret<BLOCK>, Error> {
        let lengths = u128::from(8 * aad_size as u64) | u128::from(8 * text_size) << 64;
        let mut block = Secret(product(sum ^ lengths, self.h()).to_le_bytes());
        block.0.iter_mut().zip(self.nonce).for_each(|(byte, nonce)| *byte ^= nonce);
        block.0[BLOCK - 1] &= 0x7f;
        self.key.block(&block.0)
    }
}

impl Parts for GcmSivMessage {
    fn seal(&self, _offset: u64, _text: Text<'_>) -> Result<PartialTag, Error> {
        Err(Error::NotSupported)
    }

    fn open(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<PartialTag, Error> {
        text.then(|text| self.xor(offset, text, tag), |target| self.authenticate(target))?
    }

    fn authenticate(&self, source: &[u8]) -> Result<PartialTag, Error> {
        Ok(sum_of(self.polyval.sum(source)))
    }

    /// Decrypts aside.
    fn authenticate_sealed(
        &self,
        offset: u64,
        source: &[u8],
        tag: &[u8],
    ) -> Result<PartialTag, Error> {
        const ASIDE: usize = 4096;
        let mut aside = Secret::<ASIDE>::zeros();
        let mut sum = 0;
        // All but the last are of one size.
        let power = self.h().power((ASIDE / BLOCK) as u64);
        for (index, sealed) in source.chunks(ASIDE).enumerate() {
            let target = &mut aside.0[..sealed.len()];
            self.xor(
                offset + (index * ASIDE) as u64,
                Text::Across { source: sealed, target: &mut *target },
                tag,
            )?;
            let power = match sealed.len() {
                ASIDE => power,
                size => self.h().power(size.div_ceil(BLOCK) as u64),
            };
            sum = product(sum, power) ^ self.polyval.sum(target);
        }
        Ok(sum_of(sum))
    }

    fn xor(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<(), Error> {
        let mut counter: [u8; BLOCK] = tag.try_into().map_err(|_| Error::TagSize)?;
        counter[BLOCK - 1] |= 0x80;
        let (number, _) = counter.split_first_chunk_mut::<4>().ok_or(Error::Engine)?;
        *number =
            u32::from_le_bytes(*number).wrapping_add((offset / BLOCK as u64) as u32).to_le_bytes();
        self.key.apply(counter, text)
    }

    fn tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
    ) -> Result<Secret<BLOCK>, Error> {
        let (sum, size) = joined(self.aad.0, self.h(), parts);
        self.ended(sum, self.aad_size, size)
    }
}
