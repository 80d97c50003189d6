//! Incremental stream ciphers. Keystream is computed ahead: one block at a time would use a
//! fraction of the vectors.

use crate::Error;
use crate::cipher::contract::StreamKey;
use crate::cipher::text::mix;
use crate::inputs::Text;
use crate::wipe::{Plain, wipe_plain};

/// The fewest bytes of keystream computed ahead, and those after which every cipher begins a new
/// block.
const AHEAD_FIRST: usize = 256;
const BLOCK: usize = 64;

/// A stream cipher and its position in the keystream, of which at most `AHEAD` bytes are computed
/// ahead.
pub(crate) struct Keystream<K: StreamKey, const AHEAD: usize> {
    key: K,
    /// The iv of the first block that has not been computed.
    iv: [u8; 16],
    /// Keystream, of which the bytes from `used` to `filled` are next.
    ahead: [u8; AHEAD],
    used: usize,
    filled: usize,
    /// Bytes to compute ahead the next time.
    next: usize,
}

// SAFETY: a plain key, arrays and integers.
unsafe impl<K: StreamKey, const AHEAD: usize> Plain for Keystream<K, AHEAD> {}

impl<K: StreamKey, const AHEAD: usize> Keystream<K, AHEAD> {
    /// Returns room for a key, to be prepared before use.
    pub(crate) fn vacant() -> Self {
        let (key, ahead) = (K::vacant(), [0; AHEAD]);
        Self { key, iv: [0; 16], ahead, used: 0, filled: 0, next: AHEAD_FIRST.min(AHEAD) }
    }

    /// Begins at an iv: that of the first block.
    pub(crate) fn begin(&mut self, key: &[u8], iv: &[u8]) -> Result<(), Error> {
        self.iv = iv.try_into().map_err(|_| Error::IvSize)?;
        (self.used, self.filled) = (0, 0);
        self.key.prepare(key)
    }

    /// Encrypts or decrypts the next bytes.
    #[inline]
    pub(crate) fn apply(&mut self, text: Text<'_>) -> Result<(), Error> {
        let mut rest = text;
        loop {
            let ready = rest.size().min(self.filled - self.used);
            let (first, after) = rest.split_at(ready);
            self.mix(first);
            let left = after.size();
            if left == 0 {
                return Ok(());
            }
            rest = after;
            if left >= AHEAD {
                let (bulk, after) = rest.split_at(left / BLOCK * BLOCK);
                stream(&self.key, &mut self.iv, bulk)?;
                rest = after;
            } else {
                self.fill()?;
            }
        }
    }

    /// Computes keystream ahead.
    fn fill(&mut self) -> Result<(), Error> {
        let ahead = &mut self.ahead[..self.next];
        ahead.fill(0);
        stream(&self.key, &mut self.iv, Text::InPlace(ahead))?;
        (self.used, self.filled) = (0, self.next);
        self.next = AHEAD;
        Ok(())
    }

    /// Encrypts or decrypts with the keystream that is there.
    #[inline]
    fn mix(&mut self, text: Text<'_>) {
        let end = self.used + text.size();
        let stream = &mut self.ahead[self.used..end];
        mix(text, stream);
        // Used keystream would decrypt sent text.
        stream.fill(0);
        self.used = end;
    }
}

/// Encrypts or decrypts whole blocks, and advances the iv.
#[inline(never)] // once in a module of WebAssembly
fn stream<K: StreamKey>(key: &K, iv: &mut [u8; 16], text: Text<'_>) -> Result<(), Error> {
    let blocks = (text.size() / BLOCK) as u64;
    key.apply(iv, text)?;
    *iv = K::advanced(iv, blocks);
    Ok(())
}

impl<K: StreamKey, const AHEAD: usize> Drop for Keystream<K, AHEAD> {
    fn drop(&mut self) {
        wipe_plain(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cipher::aes::AesCtrKey;
    use crate::cipher::chacha::ChaCha20Key;

    /// A cipher whose keystream is a byte of each position.
    struct Positions(u8);

    // SAFETY: an integer.
    unsafe impl Plain for Positions {}

    impl StreamKey for Positions {
        fn vacant() -> Self {
            Self(0)
        }

        fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
            self.0 = key[0];
            Ok(())
        }

        fn apply(&self, iv: &[u8; 16], text: Text<'_>) -> Result<(), Error> {
            let from = BLOCK as u128 * u128::from_le_bytes(*iv);
            let stream = (from..).take(text.size()).map(|at| (at >> self.0) as u8);
            mix(text, &stream.collect::<Vec<_>>());
            Ok(())
        }

        fn advanced(iv: &[u8; 16], blocks: u64) -> [u8; 16] {
            (u128::from_le_bytes(*iv) + u128::from(blocks)).to_le_bytes()
        }
    }

    /// Checks that each byte gets the keystream of its position, with all borders between two
    /// updates and each `step`th to a third.
    fn check<const AHEAD: usize>(step: usize) {
        let size = 3 * AHEAD + 100;
        for first in 0..=size {
            for second in (first..=size).step_by(step) {
                for shift in [0, 8] {
                    let (mut stream, mut text) =
                        (Keystream::<Positions, AHEAD>::vacant(), vec![0; size]);
                    stream.begin(&[shift], &3_u128.to_le_bytes()).expect("sizes fit");
                    for range in [0..first, first..second, second..size] {
                        stream.apply(Text::InPlace(&mut text[range])).expect("computes");
                    }
                    let fits =
                        (192_u32..).zip(&text).all(|(at, byte)| *byte == (at >> shift) as u8);
                    assert!(fits, "{AHEAD} at {first}, {second}");
                }
            }
        }
    }

    #[test]
    fn each_position_has_its_keystream_whatever_the_updates() {
        check::<64>(1);
        check::<128>(3);
        check::<512>(251);
        check::<1024>(997);
    }

    #[test]
    fn used_keystream_is_wiped() {
        wiped::<AesCtrKey, 1024>();
        wiped::<ChaCha20Key, 1024>();
        wiped::<ChaCha20Key, 64>();
    }

    fn wiped<K: StreamKey, const AHEAD: usize>() {
        let mut stream = Keystream::<K, AHEAD>::vacant();
        stream.begin(&[7; 32], &[1; 16]).expect("sizes fit");
        let mut after = 0;
        for size in [1, 5, 63, 64, 200, 1000, 3, AHEAD, 2 * AHEAD + 9, 4000, 17] {
            let (source, mut target) = (vec![0; size], vec![0; size]);
            stream.apply(Text::Across { source: &source, target: &mut target }).expect("computes");
            assert!(stream.ahead[..stream.used].iter().all(|&byte| byte == 0), "{size}");
            after += stream.filled - stream.used;
        }
        assert!(after > 0, "nothing was computed ahead");
    }
}
