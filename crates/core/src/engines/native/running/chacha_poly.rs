//! Incremental ChaCha20-Poly1305 and XChaCha20-Poly1305: the keystream from block 1 on, and
//! Poly1305 under the first bytes of block 0.

use super::super::chacha::{self, ChaCha20Key};
use super::super::poly1305::running::RunningPoly;
use super::super::poly1305::sum::lengths;
use super::super::poly1305::{BLOCK, Poly1305};
use super::super::wipe::Secret;
use super::keystream::Keystream;
use crate::Error;
use crate::inputs::Text;

/// Bytes that one of both processes before the other, so that they stay in the nearest cache.
const STRIP: usize = 16 * 1024;

pub(super) struct ChaChaPoly {
    encrypt: bool,
    stream: Keystream,
    poly: RunningPoly,
    aad_size: usize,
    text_size: u64,
}

impl ChaChaPoly {
    /// Returns room for a message, which must be started before use.
    pub(super) fn vacant(encrypt: bool) -> Self {
        let poly = RunningPoly::new(Poly1305::new(&[0; 32]));
        Self { encrypt, stream: Keystream::vacant(), poly, aad_size: 0, text_size: 0 }
    }

    /// Begins under a nonce of 12 bytes, or of 24 (XChaCha20).
    pub(super) fn begin(&mut self, key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<(), Error> {
        let mut iv = [0; 16];
        let mut own = Secret::<32>::zeros();
        own.0.copy_from_slice(key);
        if let Some((first, last)) = nonce.split_first_chunk::<16>() {
            let given = *key.first_chunk::<32>().ok_or(Error::KeySize)?;
            let given = Secret(given);
            chacha::derive(&given.0, first, &mut own.0);
            iv[8..].copy_from_slice(last);
        } else {
            iv[4..].copy_from_slice(nonce);
        }
        let mut block = ChaCha20Key::vacant();
        block.prepare(&own.0)?;
        let mut one_time = Secret::<32>::zeros();
        block.apply(&iv, Text::InPlace(&mut one_time.0))?;
        iv[0] = 1;
        self.stream.chacha20(&own.0, &iv)?;
        self.poly.restart(&one_time.0);
        self.poly.update(aad);
        self.poly.pad();
        self.aad_size = aad.len();
        Ok(())
    }

    /// Returns true for an encryption.
    pub(super) fn encrypts(&self) -> bool {
        self.encrypt
    }

    /// Becomes a copy of another.
    pub(super) fn copy_from(&mut self, other: &ChaChaPoly) {
        self.encrypt = other.encrypt;
        self.stream.copy_from(&other.stream);
        self.poly.copy_from(&other.poly);
        (self.aad_size, self.text_size) = (other.aad_size, other.text_size);
    }

    /// Encrypts or decrypts the next bytes.
    #[inline]
    pub(super) fn update(&mut self, text: Text<'_>) -> Result<(), Error> {
        self.text_size += text.size() as u64;
        let mut rest = text;
        loop {
            let at = rest.size().min(STRIP);
            let (strip, after) = rest.split_at(at);
            self.strip(strip)?;
            if after.size() == 0 {
                return Ok(());
            }
            rest = after;
        }
    }

    #[inline]
    fn strip(&mut self, strip: Text<'_>) -> Result<(), Error> {
        if !self.encrypt {
            self.poly.update(strip.source());
            return self.stream.apply(strip);
        }
        match strip {
            Text::InPlace(bytes) => {
                self.stream.apply(Text::InPlace(&mut *bytes))?;
                self.poly.update(bytes);
            }
            Text::Across { source, target } => {
                self.stream.apply(Text::Across { source, target: &mut *target })?;
                self.poly.update(target);
            }
        }
        Ok(())
    }

    /// Returns the tag of the text.
    pub(super) fn tag(&mut self) -> Secret<BLOCK> {
        self.poly.pad();
        self.poly.update(&lengths(self.aad_size, self.text_size));
        Secret(self.poly.finish())
    }
}
