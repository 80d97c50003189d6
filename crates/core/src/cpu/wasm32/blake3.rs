//! BLAKE3's output in WebAssembly. The library's reader, which chooses among all its compression
//! functions at run time, is 6 KB larger.
//!
//! ```text
//! value = the key or IV;  all blocks of a chunk but the last: value = compress(value, block)
//! output block i = compress_xof(value, last block, its size, i, flags with ROOT)
//! several chunks: the last block is that of both children of the root
//! ```
//!
//! Vectors are those of the library's compression.

use ::blake3::hazmat::{ChainingValue, Mode};
use ::blake3::platform::Platform;

use crate::hash::compression::constants::FIRST_WORDS_256;
use crate::wipe::{Plain, wipe_plain};

/// True: outputs of another size than a digest's are read here, not by the library.
pub(crate) const OWN_READER: bool = true;

/// Bytes of a block.
const BLOCK: usize = 64;

// The flags of the specification, section 2.2.
const CHUNK_START: u8 = 1 << 0;
const CHUNK_END: u8 = 1 << 1;
const PARENT: u8 = 1 << 2;
const ROOT: u8 = 1 << 3;
const KEYED_HASH: u8 = 1 << 4;
const DERIVE_KEY_MATERIAL: u8 = 1 << 6;

/// The inputs of the compression that computes the output. Wiped on drop.
pub(crate) struct OutputReader {
    value: [u32; 8],
    block: [u8; BLOCK],
    size: u8,
    flags: u8,
    position: u64,
}

// SAFETY: made of integers and arrays of integers.
unsafe impl Plain for OutputReader {}

impl Drop for OutputReader {
    fn drop(&mut self) {
        wipe_plain(self);
    }
}

impl OutputReader {
    fn new(mode: Mode<'_>) -> Self {
        let (value, flags) = match mode {
            // As SHA-256 begins.
            Mode::Hash => (FIRST_WORDS_256, 0),
            Mode::KeyedHash(key) => (words(key), KEYED_HASH),
            Mode::DeriveKeyMaterial(key) => (words(key), DERIVE_KEY_MATERIAL),
        };
        Self { value, block: [0; BLOCK], size: 0, flags, position: 0 }
    }

    pub(crate) fn set_position(&mut self, position: u64) {
        self.position = position;
    }

    /// Fills `target` with the next bytes.
    pub(crate) fn fill(&mut self, target: &mut [u8]) {
        let mut target = target;
        while !target.is_empty() {
            let at = self.position as usize % BLOCK;
            // Of whole blocks the compiler knows the size.
            if at == 0 && target.len() >= BLOCK {
                let (blocks, rest) = target.as_chunks_mut();
                for block in blocks {
                    *block = self.next();
                    self.position += BLOCK as u64;
                }
                target = rest;
                continue;
            }
            let (first, rest) = target.split_at_mut(target.len().min(BLOCK - at));
            first.copy_from_slice(&self.next()[at..at + first.len()]);
            self.position += first.len() as u64;
            target = rest;
        }
    }

    /// Returns the block of output at the position.
    fn next(&self) -> [u8; BLOCK] {
        let Self { value, block, size, .. } = self;
        let (index, flags) = (self.position / BLOCK as u64, self.flags | ROOT);
        Platform::WASM32_SIMD.compress_xof(value, block, *size, index, flags)
    }
}

/// Returns the output of a message of one chunk.
pub(crate) fn chunk_output(mode: Mode<'_>, chunk: &[u8]) -> OutputReader {
    let mut output = OutputReader::new(mode);
    output.flags |= CHUNK_START;
    let last = chunk.len().saturating_sub(1) / BLOCK * BLOCK;
    let (blocks, last) = chunk.split_at(last);
    for block in blocks.as_chunks().0 {
        let OutputReader { value, flags, .. } = &mut output;
        Platform::WASM32_SIMD.compress_in_place(value, block, BLOCK as u8, 0, *flags);
        *flags &= !CHUNK_START;
    }
    output.flags |= CHUNK_END;
    output.block[..last.len()].copy_from_slice(last);
    output.size = last.len() as u8;
    output
}

/// Returns the output of a message of several chunks, by the children of its root.
pub(crate) fn root_output(
    left: &ChainingValue,
    right: &ChainingValue,
    mode: Mode<'_>,
) -> OutputReader {
    let mut output = OutputReader::new(mode);
    output.block.copy_from_slice([*left, *right].as_flattened());
    (output.size, output.flags) = (BLOCK as u8, output.flags | PARENT);
    output
}

fn words(key: &[u8; 32]) -> [u32; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}
