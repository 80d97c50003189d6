//! ChaCha20-Poly1305 (RFC 8439) and XChaCha20-Poly1305: messages in parts here, incremental in
//! [`incremental`], whole in [`x86`] where the CPU has AVX-512. Elsewhere whole messages are
//! AWS-LC's, in [`aead`](super::aead).
//!
//! Poly1305 is a polynomial in r with the blocks as coefficients, so parts of it are evaluated
//! apart, multiplied by the power of r for what follows, and added up. With AVX-512 or AVX2 a part
//! is encrypted and authenticated at once, otherwise one after the other.

pub(crate) mod incremental;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

#[cfg(target_arch = "x86_64")]
use self::x86::parts;
#[cfg(target_arch = "x86_64")]
use self::x86::parts::PartsKernel;
use super::chacha;
use super::chacha::{BLOCK, ChaCha20Key};
use super::contract::{PartialTag, Parts};
use super::poly1305;
use super::poly1305::Poly1305;
use super::poly1305::sum::{Joined, Summing};
use crate::Error;
use crate::inputs::Text;
use crate::wipe::{Secret, Wiped, WipedBox, copy_plain};

/// Calls `begin` with the key of ChaCha20 and the iv of block 0, whose keystream makes the key of
/// Poly1305. A nonce of 24 bytes is XChaCha20's.
#[inline]
fn with_first_block<R>(
    key: &[u8; 32],
    nonce: &[u8],
    begin: impl FnOnce(&[u8; 32], &[u8; 16]) -> R,
) -> Result<R, Error> {
    let mut iv = [0; 16];
    let Some((first, last)) = nonce.split_first_chunk::<16>() else {
        iv[4..].copy_from_slice(nonce.first_chunk::<12>().ok_or(Error::IvSize)?);
        return Ok(begin(key, &iv));
    };
    iv[8..].copy_from_slice(last.first_chunk::<8>().ok_or(Error::IvSize)?);
    let mut derived = Secret::<32>::zeros();
    chacha::derive(key, first, &mut derived.0);
    Ok(begin(&derived.0, &iv))
}

/// A message that is processed in parts. Wiped on drop.
pub(crate) struct ChaChaPolyMessage {
    key: ChaCha20Key,
    nonce: [u8; 12],
    /// After the additional data.
    poly: Poly1305,
    summing: Summing,
    aad_size: usize,
    #[cfg(target_arch = "x86_64")]
    kernel: Option<PartsKernel>,
}

impl ChaChaPolyMessage {
    /// Returns a message at an address that does not change.
    pub(crate) fn boxed(
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<WipedBox<ChaChaPolyMessage>, Error> {
        let mut message = WipedBox::new(ChaChaPolyMessage {
            key: ChaCha20Key::vacant(),
            nonce: [0; 12],
            poly: Poly1305::new(&[0; 32]),
            summing: Summing::vacant(),
            aad_size: aad.len(),
            #[cfg(target_arch = "x86_64")]
            kernel: PartsKernel::detect(),
        })?;
        let ChaChaPolyMessage { key: own, nonce: own_nonce, poly, summing, .. } = &mut *message;
        with_first_block(key.try_into().map_err(|_| Error::KeySize)?, nonce, |key, iv| {
            own_nonce.copy_from_slice(&iv[4..]);
            own.prepare(key)?;
            let mut once = Secret::<32>::zeros();
            own.apply(iv, Text::InPlace(&mut once.0))?;
            copy_plain(&Poly1305::new(&once.0), poly);
            Ok(())
        })??;
        summing.prepare(poly);
        poly.update_padded(aad);
        Ok(message)
    }

    /// Returns the state at the first block of a part.
    #[cfg(target_arch = "x86_64")]
    fn state(&self, offset: u64) -> Wiped<chacha::State> {
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

impl Parts for ChaChaPolyMessage {
    fn seal(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = self.kernel {
            let mut state = self.state(offset);
            let sum = parts::seal(kernel, &mut state.0, self.poly.fresh(), text);
            return Ok(PartialTag(Wiped(sum)));
        }
        text.then(|text| self.xor(offset, text, &[]), |target| self.authenticate(target))?
    }

    fn open(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<PartialTag, Error> {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = self.kernel {
            let mut state = self.state(offset);
            let sum = parts::open(kernel, &mut state.0, self.poly.fresh(), text);
            return Ok(PartialTag(Wiped(sum)));
        }
        let sum = self.authenticate(text.source());
        self.xor(offset, text, tag)?;
        sum
    }

    fn authenticate(&self, source: &[u8]) -> Result<PartialTag, Error> {
        Ok(PartialTag(Wiped(self.summing.sum(&self.poly, source))))
    }

    fn xor(&self, offset: u64, text: Text<'_>, _tag: &[u8]) -> Result<(), Error> {
        self.key.apply(&self.iv(1 + offset / BLOCK as u64), text)
    }

    fn tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
    ) -> Result<Secret<{ poly1305::BLOCK }>, Error> {
        let mut joined = Joined::new(&self.poly, self.aad_size);
        parts.for_each(|(size, part)| joined.add(size, &part.0.0));
        Ok(joined.tag())
    }
}

#[cfg(all(test, target_arch = "x86_64", feature = "aws-lc"))]
mod tests;
