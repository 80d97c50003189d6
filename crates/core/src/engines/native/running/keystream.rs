//! Incremental stream ciphers. Keystream is computed ahead: one block at a time would use a
//! fraction of the vectors.

use super::super::aes::AesCtrKey;
use super::super::chacha::ChaCha20Key;
use super::super::wipe::{Plain, copy_plain, wipe_plain};
use crate::Error;
use crate::inputs::Text;

/// The most bytes of keystream computed ahead, the fewest, and the bytes after which every cipher
/// begins a new block.
const AHEAD: usize = 1024;
const AHEAD_FIRST: usize = 256;
const BLOCK: usize = 64;

/// A stream cipher and its position in the keystream.
pub(super) struct Keystream {
    key: Key,
    /// The iv of the first block that has not been computed.
    iv: [u8; 16],
    /// Keystream, of which the bytes from `used` to `filled` are next.
    ahead: [u8; AHEAD],
    used: usize,
    filled: usize,
    /// Bytes to compute ahead the next time.
    next: usize,
}

#[repr(u8)]
#[allow(clippy::large_enum_variant)] // on the heap
enum Key {
    Vacant,
    Aes(AesCtrKey),
    ChaCha20(ChaCha20Key),
}

// SAFETY: all zero is the first variant, `repr(u8)` having its discriminant first, and a valid
// value of arrays and integers.
unsafe impl Plain for Keystream {}

impl Keystream {
    /// Returns room for a key, to be prepared before use.
    pub(super) fn vacant() -> Self {
        let ahead = [0; AHEAD];
        Self { key: Key::Vacant, iv: [0; 16], ahead, used: 0, filled: 0, next: AHEAD_FIRST }
    }

    /// Begins AES-CTR at an iv, the first value of the counter.
    pub(super) fn aes_ctr(&mut self, key: &[u8], iv: &[u8]) -> Result<(), Error> {
        self.iv = iv.try_into().map_err(|_| Error::IvSize)?;
        self.key = Key::Aes(AesCtrKey::vacant());
        match &mut self.key {
            Key::Aes(prepared) => prepared.prepare(key),
            _ => Err(Error::Engine),
        }
    }

    /// Begins ChaCha20 at an iv: the number of the first block, then the nonce.
    pub(super) fn chacha20(&mut self, key: &[u8], iv: &[u8]) -> Result<(), Error> {
        self.iv = iv.try_into().map_err(|_| Error::IvSize)?;
        self.key = Key::ChaCha20(ChaCha20Key::vacant());
        match &mut self.key {
            Key::ChaCha20(prepared) => prepared.prepare(key),
            _ => Err(Error::Engine),
        }
    }

    /// Becomes a copy of another.
    pub(super) fn copy_from(&mut self, other: &Keystream) {
        copy_plain(other, self);
    }

    /// Encrypts or decrypts the next bytes.
    #[inline]
    pub(super) fn apply(&mut self, text: Text<'_>) -> Result<(), Error> {
        let size = text.size();
        let head = size.min(self.filled - self.used);
        let (first, rest) = text.split_at(head);
        self.mix(first);
        if head == size {
            return Ok(());
        }
        let left = size - head;
        let whole = if left >= AHEAD { left / BLOCK * BLOCK } else { 0 };
        let (bulk, rest) = rest.split_at(whole);
        if whole > 0 {
            stream(&self.key, &mut self.iv, bulk)?;
        }
        let mut rest = rest;
        while rest.size() > 0 {
            self.fill()?;
            let (first, after) = split_first(rest, self.filled);
            self.mix(first);
            rest = after;
        }
        Ok(())
    }

    /// Computes keystream ahead.
    fn fill(&mut self) -> Result<(), Error> {
        let Self { key, iv, ahead, next, .. } = self;
        let ahead = &mut ahead[..*next];
        ahead.fill(0);
        stream(key, iv, Text::InPlace(ahead))?;
        (self.used, self.filled) = (0, self.next);
        self.next = AHEAD;
        Ok(())
    }

    /// Encrypts or decrypts with the keystream that is there.
    #[inline]
    fn mix(&mut self, text: Text<'_>) {
        let end = self.used + text.size();
        let stream = &mut self.ahead[self.used..end];
        match text {
            Text::InPlace(bytes) => {
                for (byte, key) in bytes.iter_mut().zip(stream.iter()) {
                    *byte ^= key;
                }
            }
            Text::Across { source, target } => {
                for ((target, source), key) in target.iter_mut().zip(source).zip(stream.iter()) {
                    *target = source ^ key;
                }
            }
        }
        // Used keystream would decrypt sent text.
        stream.fill(0);
        self.used = end;
    }
}

/// Encrypts or decrypts whole blocks, and advances the iv.
fn stream(key: &Key, iv: &mut [u8; 16], text: Text<'_>) -> Result<(), Error> {
    let blocks = (text.size() / BLOCK) as u64;
    match key {
        Key::Vacant => return Err(Error::Engine),
        Key::Aes(key) => {
            key.apply(iv, text)?;
            let counter = u128::from_be_bytes(*iv);
            let after = counter.wrapping_add(u128::from(blocks) * (BLOCK / 16) as u128);
            *iv = after.to_be_bytes();
        }
        Key::ChaCha20(key) => {
            key.apply(iv, text)?;
            // As ChaCha20Key counts: the number of the block has 64 bits.
            let (number, _) = iv.split_first_chunk_mut::<8>().ok_or(Error::Engine)?;
            *number = u64::from_le_bytes(*number).wrapping_add(blocks).to_le_bytes();
        }
    }
    Ok(())
}

/// Splits off at most `size` bytes.
#[inline]
fn split_first(text: Text<'_>, size: usize) -> (Text<'_>, Text<'_>) {
    let at = size.min(text.size());
    text.split_at(at)
}

impl Drop for Keystream {
    fn drop(&mut self) {
        wipe_plain(self);
    }
}

#[cfg(test)]
mod tests {
    use super::{AHEAD, Keystream};
    use crate::inputs::Text;

    #[test]
    fn used_keystream_is_wiped() {
        for aes in [false, true] {
            let mut stream = Keystream::vacant();
            let begun = if aes {
                stream.aes_ctr(&[7; 32], &[1; 16])
            } else {
                stream.chacha20(&[7; 32], &[1; 16])
            };
            begun.expect("sizes fit");
            let mut after = 0;
            for size in [1, 5, 63, 64, 200, 1000, 3, AHEAD, 2 * AHEAD + 9, 4000, 17] {
                let (source, mut target) = (vec![0; size], vec![0; size]);
                stream
                    .apply(Text::Across { source: &source, target: &mut target })
                    .expect("computes");
                assert!(stream.ahead[..stream.used].iter().all(|&byte| byte == 0), "{size}");
                after += stream.filled - stream.used;
            }
            assert!(after > 0, "nothing was computed ahead");
        }
    }
}
