//! SHA-512's compression in scalar code, for WebAssembly without vectors, where RustCrypto's takes 1.2
//! times as long.

use super::constants::CONSTANTS_512;
use super::rounds::{round, rounds_16};

/// Replaces each word of the schedule by that 16 places on. A loop would keep them in memory.
macro_rules! extend {
    ($schedule:ident, $($word:literal)*) => {$({
        let (far, near) = ($schedule[($word + 1) % 16], $schedule[($word + 14) % 16]);
        let far = far.rotate_right(1) ^ far.rotate_right(8) ^ far >> 7;
        let near = near.rotate_right(19) ^ near.rotate_right(61) ^ near >> 6;
        let sum = $schedule[$word].wrapping_add($schedule[($word + 9) % 16]);
        $schedule[$word] = sum.wrapping_add(far).wrapping_add(near);
    })*};
}

/// Absorbs whole blocks.
pub(in super::super) fn compress(words: &mut [u64; 8], blocks: &[[u8; 128]]) {
    for block in blocks {
        let begin = *words;
        let bytes = block.as_chunks().0;
        let mut schedule: [u64; 16] = std::array::from_fn(|word| u64::from_be_bytes(bytes[word]));
        for (group, constants) in CONSTANTS_512.0.as_chunks::<16>().0.iter().enumerate() {
            if group > 0 {
                extend!(schedule, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            }
            let word = |word: usize| schedule[word].wrapping_add(constants[word]);
            rounds_16!(words, word, |_: usize| {});
        }
        words.iter_mut().zip(begin).for_each(|(word, begin)| *word = word.wrapping_add(begin));
    }
}

#[inline(always)]
fn fixed(number: u64) -> u64 {
    number
}
