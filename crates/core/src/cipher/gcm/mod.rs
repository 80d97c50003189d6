//! AES-GCM in parts; in one call it is a kernel's, or AWS-LC's in [`aead`](super::aead).
//!
//! GHASH is a polynomial in H with the blocks as coefficients, so parts of it can be evaluated
//! separately, multiplied by the power of H for what follows, and added up.
//!
//! A part is AES-CTR and GHASH at once where the CPU has the instructions (VAES and VPCLMULQDQ,
//! with AVX-512 or AVX2). Elsewhere it is AES-CTR, then AWS-LC's GHASH: a message without text that
//! authenticates the part as additional data has the tag `(part * H ^ lengths) * H ^ E(iv)`, of
//! which the last two are known.

pub(crate) mod counter;
#[cfg(any(not(feature = "aws-lc"), test))]
pub(crate) mod incremental;

use self::counter::{BLOCK, advanced, first};
use super::aead::AeadKey;
use super::aes::AesCtrKey;
#[cfg(feature = "aws-lc")]
use super::contract::AeadMessage;
use super::contract::{PartialTag, Parts, StreamKey};
use super::field::{Factor, product, sum_of_blocks};
use crate::Error;
use crate::cpu::kernels::gcm as kernel;
use crate::inputs::Text;
#[cfg(feature = "aws-lc")]
use crate::wipe::copy_plain;
use crate::wipe::{Secret, Wiped};

/// A message in parts: a key for AES-CTR and what GHASH needs. Wiped on drop.
pub(crate) struct GcmMessage {
    key: AesCtrKey,
    ghash: Ghash,
    /// H, a number as in [`field`](super::field), like the others.
    h: Wiped<u128>,
    /// GHASH of the additional data.
    aad: Wiped<u128>,
    /// The encryption of the counter's first value, which masks GHASH in the tag.
    mask: Wiped<u128>,
    /// The first value of the counter.
    first: u128,
    aad_size: usize,
}

/// The implementation of GHASH.
#[allow(clippy::large_enum_variant)] // on the heap
enum Ghash {
    /// AWS-LC, under a nonce of zeros; with what hides it there.
    #[cfg(feature = "aws-lc")]
    AwsLc(AeadKey, Wiped<u128>),
    /// One block at a time, without instructions for it.
    Plain,
    /// Ours.
    GcmKernel(kernel::Powers),
}

impl GcmMessage {
    /// Returns room for a message, to be prepared before use.
    pub(crate) fn vacant() -> GcmMessage {
        GcmMessage {
            key: AesCtrKey::vacant(),
            ghash: Ghash::Plain,
            h: Wiped(0),
            aad: Wiped(0),
            mask: Wiped(0),
            first: 0,
            aad_size: 0,
        }
    }

    /// Begins a message under the key `raw`, which AWS-LC has prepared in `aead` unless there is a
    /// kernel.
    pub(crate) fn prepare(
        &mut self,
        raw: &[u8],
        aead: Option<&AeadKey>,
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<(), Error> {
        if matches!(self.key, AesCtrKey::Vacant) {
            self.key.prepare(raw)?;
            self.h.0 = Factor::new(self.key.encrypted(0)?).0;
        }
        self.first = first(nonce, self.h());
        self.mask.0 = self.key.encrypted(self.first)?;
        self.choose(aead)?;
        self.aad.0 = self.hash(aad)?;
        self.aad_size = aad.len();
        Ok(())
    }

    fn h(&self) -> Factor {
        Factor(self.h.0)
    }

    /// Chooses the implementation of GHASH.
    fn choose(&mut self, aead: Option<&AeadKey>) -> Result<(), Error> {
        if let Some(powers) = self.key.wide().and_then(|_| kernel::Powers::vacant()) {
            self.ghash_by(powers);
            return Ok(());
        }
        #[cfg(feature = "aws-lc")]
        aead.map_or(Ok(()), |aead| self.ghash_by_aws_lc(aead))?;
        #[cfg(not(feature = "aws-lc"))]
        let _ = aead;
        Ok(())
    }

    /// Computes the powers at the place where they stay.
    fn ghash_by(&mut self, powers: kernel::Powers) {
        self.ghash = Ghash::GcmKernel(powers);
        if let Ghash::GcmKernel(powers) = &mut self.ghash {
            powers.prepare(Factor(self.h.0));
        }
    }

    #[cfg(feature = "aws-lc")]
    fn ghash_by_aws_lc(&mut self, aead: &AeadKey) -> Result<(), Error> {
        let mask = Wiped(self.key.encrypted(1)?);
        self.ghash = Ghash::AwsLc(AeadKey::vacant(), mask);
        if let Ghash::AwsLc(key, _) = &mut self.ghash {
            copy_plain(aead, key);
        }
        Ok(())
    }

    /// Returns GHASH of a text padded with zeros: the sum of its blocks, each times a power of H,
    /// the last times H^2: for itself and for the block of lengths.
    fn hash(&self, text: &[u8]) -> Result<u128, Error> {
        match &self.ghash {
            Ghash::GcmKernel(powers) => Ok(product(powers.sum(text), self.h())),
            Ghash::Plain => Ok(product(self.extended(0, text), self.h())),
            #[cfg(feature = "aws-lc")]
            Ghash::AwsLc(key, mask) => {
                let mut tag = Secret::<BLOCK>::zeros();
                key.seal(
                    AeadMessage { nonce: &[0; 12], aad: text, text: Text::InPlace(&mut []) },
                    &mut tag.0,
                )?;
                let lengths = u128::from(8 * text.len() as u64) << 64;
                Ok(u128::from_be_bytes(tag.0) ^ mask.0 ^ product(lengths, self.h()))
            }
        }
    }

    /// Extends GHASH by a text padded with zeros, without a kernel.
    pub(crate) fn extended(&self, sum: u128, text: &[u8]) -> u128 {
        let h = self.h();
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        let sum = sum_of_blocks(sum, blocks, h, |block| u128::from_be_bytes(*block));
        if rest.is_empty() {
            return sum;
        }
        let mut last = Secret::<BLOCK>::zeros();
        last.0[..rest.len()].copy_from_slice(rest);
        product(sum ^ u128::from_be_bytes(last.0), h)
    }

    /// Returns the tag after GHASH of additional data and text of these sizes.
    #[cfg(any(not(feature = "aws-lc"), test))]
    pub(crate) fn ended(&self, sum: u128, aad_size: usize, text_size: u64) -> Secret<BLOCK> {
        let lengths = lengths(aad_size, text_size);
        Secret((product(sum ^ lengths, self.h()) ^ self.mask.0).to_be_bytes())
    }

    /// Encrypts or decrypts a part, and returns the sum of its ciphertext.
    fn process<const OPEN: bool>(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        if let Some(at) = self.wraps_within(offset, text.size()) {
            let (head, rest) = text.split_at(at);
            let (size, head) = (rest.size(), self.process::<OPEN>(offset, head)?);
            return Ok(self.joined(&head, size, &self.process::<OPEN>(offset + at as u64, rest)?));
        }
        if let Ghash::GcmKernel(powers) = &self.ghash {
            let sum = powers.process::<OPEN>(&self.key, self.counter(offset), text);
            // The last block is multiplied once.
            return Ok(sum_of(product(sum.ok_or(Error::Engine)?, self.h())));
        }
        if !OPEN {
            return text
                .then(|text| self.xor(offset, text, &[]), |done| self.authenticate(done))?;
        }
        let sum = self.authenticate(text.source());
        self.xor(offset, text, &[])?;
        sum
    }

    /// Returns the counter for the part at `offset`.
    fn counter(&self, offset: u64) -> u128 {
        advanced(self.first, 1 + offset / BLOCK as u64)
    }

    /// Returns the bytes of a part after which the last 32 bits of the counter begin again, if the
    /// part has more: the kernels and AES-CTR carry beyond those. With a nonce of 12 bytes no
    /// message is so long.
    fn wraps_within(&self, offset: u64, size: usize) -> Option<usize> {
        let blocks = (1 << 32) - u64::from(self.counter(offset) as u32);
        usize::try_from(blocks * BLOCK as u64).ok().filter(|&at| at < size)
    }

    /// Returns the sum of two parts, of which the second has `size` bytes.
    pub(crate) fn joined(&self, one: &PartialTag, size: usize, other: &PartialTag) -> PartialTag {
        let power = self.h().power((size as u64).div_ceil(BLOCK as u64));
        sum_of(product(number_of(one), power) ^ number_of(other))
    }
}

impl Parts for GcmMessage {
    fn seal(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        self.process::<false>(offset, text)
    }

    fn open(&self, offset: u64, text: Text<'_>, _tag: &[u8]) -> Result<PartialTag, Error> {
        self.process::<true>(offset, text)
    }

    fn authenticate(&self, source: &[u8]) -> Result<PartialTag, Error> {
        self.hash(source).map(sum_of)
    }

    fn xor(&self, offset: u64, text: Text<'_>, _tag: &[u8]) -> Result<(), Error> {
        if let Some(at) = self.wraps_within(offset, text.size()) {
            let (head, rest) = text.split_at(at);
            self.xor(offset, head, &[])?;
            return self.xor(offset + at as u64, rest, &[]);
        }
        self.key.apply(&self.counter(offset).to_be_bytes(), text)
    }

    fn tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
    ) -> Result<Secret<BLOCK>, Error> {
        let (sum, size) = joined(self.aad.0, self.h(), parts);
        let lengths = product(lengths(self.aad_size, size), self.h());
        Ok(Secret((sum ^ lengths ^ self.mask.0).to_be_bytes()))
    }
}

/// Returns the sum of parts after that of the additional data, and the bytes of all parts.
pub(crate) fn joined(
    aad: u128,
    h: Factor,
    parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
) -> (u128, u64) {
    let (mut sum, mut text_size) = (aad, 0);
    // Most parts are of one size.
    let (mut blocks, mut power) = (1, h);
    for (size, part) in parts.filter(|(size, _)| *size > 0) {
        let count = size.div_ceil(BLOCK as u64);
        if count != blocks {
            (blocks, power) = (count, h.power(count));
        }
        sum = product(sum, power) ^ number_of(part);
        text_size += size;
    }
    (sum, text_size)
}

/// Returns the last block of GHASH.
fn lengths(aad_size: usize, text_size: u64) -> u128 {
    u128::from(8 * aad_size as u64) << 64 | u128::from(8 * text_size)
}

pub(crate) fn number_of(part: &PartialTag) -> u128 {
    let [low, high, _] = part.0.0;
    u128::from(low) | u128::from(high) << 64
}

pub(crate) fn sum_of(number: u128) -> PartialTag {
    PartialTag(Wiped([number as u64, (number >> 64) as u64, 0]))
}

#[cfg(test)]
mod tests;
