//! SHA-512's compression in scalar code, for WebAssembly without vectors, where RustCrypto's takes
//! 1.2 times as long.

use super::constants::CONSTANTS_512;

/// One round. The words change their names instead of their places.
/// `$differ` is B XOR C, which Maj wants, and becomes that of the next round: A XOR B.
macro_rules! round {
    ($differ:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident,
        $word:expr) => {
        let large = $e.rotate_right(14) ^ $e.rotate_right(18) ^ $e.rotate_right(41);
        let choice = ($e & $f).wrapping_add(!$e & $g);
        $h = $h.wrapping_add($word).wrapping_add(choice).wrapping_add(large);
        $d = $d.wrapping_add($h);
        let next: u64 = $a ^ $b;
        let majority = $b ^ ($differ & next);
        $differ = next;
        let large = $a.rotate_right(28) ^ $a.rotate_right(34) ^ $a.rotate_right(39);
        $h = $h.wrapping_add(majority).wrapping_add(large);
    };
}

/// 16 rounds over the words which `$word` gives by number.
macro_rules! rounds_16 {
    ($words:ident, $word:expr) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *$words;
        let mut differ = b ^ c;
        round!(differ, a b c d e f g h, $word(0));
        round!(differ, h a b c d e f g, $word(1));
        round!(differ, g h a b c d e f, $word(2));
        round!(differ, f g h a b c d e, $word(3));
        round!(differ, e f g h a b c d, $word(4));
        round!(differ, d e f g h a b c, $word(5));
        round!(differ, c d e f g h a b, $word(6));
        round!(differ, b c d e f g h a, $word(7));
        round!(differ, a b c d e f g h, $word(8));
        round!(differ, h a b c d e f g, $word(9));
        round!(differ, g h a b c d e f, $word(10));
        round!(differ, f g h a b c d e, $word(11));
        round!(differ, e f g h a b c d, $word(12));
        round!(differ, d e f g h a b c, $word(13));
        round!(differ, c d e f g h a b, $word(14));
        round!(differ, b c d e f g h a, $word(15));
        debug_assert_eq!(differ, b ^ c);
        *$words = [a, b, c, d, e, f, g, h];
    };
}

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
pub(crate) fn compress(words: &mut [u64; 8], blocks: &[[u8; 128]]) {
    for block in blocks {
        let begin = *words;
        let bytes = block.as_chunks().0;
        let mut schedule: [u64; 16] = std::array::from_fn(|word| u64::from_be_bytes(bytes[word]));
        for (group, constants) in CONSTANTS_512.0.as_chunks::<16>().0.iter().enumerate() {
            if group > 0 {
                extend!(schedule, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            }
            let word = |word: usize| schedule[word].wrapping_add(constants[word]);
            rounds_16!(words, word);
        }
        words.iter_mut().zip(begin).for_each(|(word, begin)| *word = word.wrapping_add(begin));
    }
}
