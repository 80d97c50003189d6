//! ChaCha20-Poly1305 (RFC 8439) and XChaCha20-Poly1305: messages in parts here, incremental in
//! [`incremental`], whole by a kernel where the CPU has AVX-512. Elsewhere whole messages are
//! AWS-LC's, in [`aead`](super::aead).
//!
//! Poly1305 is a polynomial in r with the blocks as coefficients, so parts of it are evaluated
//! apart, multiplied by the power of r for what follows, and added up. With AVX-512 or AVX2 a part
//! is encrypted and authenticated at once, otherwise one after the other.

pub(crate) mod incremental;

use super::chacha::{BLOCK, ChaCha20Key, with_first_block};
use super::contract::{PartialTag, Parts, StreamKey};
use super::poly1305;
use super::poly1305::Poly1305;
use super::poly1305::sum::{Joined, sum};
use crate::Error;
use crate::cpu::kernels::chacha_poly::PartsKernel;
use crate::cpu::kernels::poly1305::Powers;
use crate::inputs::Text;
use crate::wipe::{Secret, Wiped, WipedBox, copy_plain};

/// A message that is processed in parts. Wiped on drop.
pub(crate) struct ChaChaPolyMessage {
    key: ChaCha20Key,
    nonce: [u8; 12],
    /// After the additional data.
    poly: Poly1305,
    powers: Option<Powers>,
    aad_size: usize,
    pub(crate) kernel: Option<PartsKernel>,
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
            powers: None,
            aad_size: aad.len(),
            kernel: PartsKernel::detect(),
        })?;
        let ChaChaPolyMessage { key: own, nonce: own_nonce, poly, powers, .. } = &mut *message;
        with_first_block(key.try_into().map_err(|_| Error::KeySize)?, nonce, |key, iv| {
            own_nonce.copy_from_slice(&iv[4..]);
            own.prepare(key)?;
            let mut once = Secret::<32>::zeros();
            own.apply(iv, Text::InPlace(&mut once.0))?;
            copy_plain(&Poly1305::new(&once.0), poly);
            Ok(())
        })??;
        Powers::prepare(powers, poly);
        poly.update_padded(aad);
        Ok(message)
    }

    /// Encrypts or decrypts a part by a kernel.
    fn process<const OPEN: bool>(
        &self,
        kernel: PartsKernel,
        offset: u64,
        text: Text<'_>,
    ) -> PartialTag {
        let mut state = Wiped(self.key.state(&self.iv(1 + offset / BLOCK as u64)));
        PartialTag(Wiped(kernel.process::<OPEN>(&mut state.0, self.poly.fresh(), text)))
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
        if let Some(kernel) = self.kernel {
            return Ok(self.process::<false>(kernel, offset, text));
        }
        text.then(|text| self.xor(offset, text, &[]), |target| self.authenticate(target))?
    }

    fn open(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<PartialTag, Error> {
        if let Some(kernel) = self.kernel {
            return Ok(self.process::<true>(kernel, offset, text));
        }
        let sum = self.authenticate(text.source())?;
        self.xor(offset, text, tag)?;
        Ok(sum)
    }

    fn authenticate(&self, source: &[u8]) -> Result<PartialTag, Error> {
        Ok(PartialTag(Wiped(sum(&self.poly, self.powers.as_ref(), source))))
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
