//! Incremental ChaCha20-Poly1305 and XChaCha20-Poly1305: the keystream from block 1 on, and
//! Poly1305 under the first bytes of block 0.

use crate::Error;
use crate::cipher::chacha;
use crate::cipher::chacha::{ChaCha20Key, with_first_block};
use crate::cipher::contract::Incremental;
use crate::cipher::poly1305::running::RunningPoly;
use crate::cipher::poly1305::{BLOCK, Poly1305, lengths};
use crate::cipher::running_cipher::keystream::Keystream;
use crate::inputs::Text;
use crate::wipe::Secret;

/// Bytes that one of both processes before the other, so that they stay in the nearest cache.
const STRIP: usize = 16 * 1024;

/// A message with `AHEAD` bytes of keystream at a time.
#[allow(unreachable_pub)] // of WebAssembly's modules
pub struct ChaChaPoly<const AHEAD: usize> {
    stream: Keystream<ChaCha20Key, AHEAD>,
    poly: RunningPoly,
    aad_size: usize,
    size: u64,
}

impl<const AHEAD: usize> ChaChaPoly<AHEAD> {
    /// Processes a text by strips.
    #[inline]
    fn strips(
        &mut self,
        text: Text<'_>,
        mut strip: impl FnMut(&mut Self, Text<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.size += text.size() as u64;
        let mut rest = text;
        while rest.size() > STRIP {
            let (first, after) = rest.split_at(STRIP);
            strip(self, first)?;
            rest = after;
        }
        strip(self, rest)
    }
}

impl<const AHEAD: usize> Incremental for ChaChaPoly<AHEAD> {
    fn vacant() -> Self {
        let poly = RunningPoly::new(Poly1305::new(&[0; 32]));
        Self { stream: Keystream::vacant(), poly, aad_size: 0, size: 0 }
    }

    fn begin(&mut self, key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<(), Error> {
        let mut first = Secret::<{ chacha::BLOCK }>::zeros();
        let key = key.try_into().map_err(|_| Error::KeySize)?;
        with_first_block(key, nonce, |key, iv| self.stream.begin(key, iv))??;
        self.stream.apply(Text::InPlace(&mut first.0))?;
        self.poly.restart(first.0.first_chunk().ok_or(Error::Engine)?);
        self.poly.update(aad);
        self.poly.pad();
        (self.aad_size, self.size) = (aad.len(), 0);
        Ok(())
    }

    #[inline]
    fn seal(&mut self, text: Text<'_>) -> Result<(), Error> {
        self.strips(text, |Self { stream, poly, .. }, strip| {
            strip.then(|text| stream.apply(text), |target| poly.update(target))
        })
    }

    #[inline]
    fn open(&mut self, text: Text<'_>, _tag: &[u8]) -> Result<(), Error> {
        self.strips(text, |message, strip| {
            message.poly.update(strip.source());
            message.stream.apply(strip)
        })
    }

    fn full_tag(&mut self) -> Result<[u8; BLOCK], Error> {
        self.poly.pad();
        self.poly.update(&lengths(self.aad_size, self.size));
        Ok(self.poly.finish())
    }
}
