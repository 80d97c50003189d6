//! Our BLAKE2 is the RFC's where the count of bytes is large.

use super::*;
use crate::tests::Bytes;

/// RFC 7693, section 3.2, in its own words.
macro_rules! by_the_book {
    ($name:ident, $word:ty, $block:literal, $first:ident, $rounds:literal,
     $r1:literal $r2:literal $r3:literal $r4:literal) => {
        fn $name(h: &mut [$word; 8], block: &[u8; $block], t: u128, last: bool) {
            let m: [$word; 16] =
                std::array::from_fn(|index| <$word>::from_le_bytes(block.as_chunks().0[index]));
            let mut v = [0; 16];
            v[..8].copy_from_slice(h);
            v[8..].copy_from_slice(&$first);
            v[12] ^= t as $word;
            v[13] ^= (t >> <$word>::BITS) as $word;
            if last {
                v[14] ^= <$word>::MAX;
            }
            for i in 0..$rounds {
                let s = &SIGMA[i % 10];
                let mut g = |a: usize, b: usize, c: usize, d: usize, x: usize, y: usize| {
                    v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[s[x]]);
                    v[d] = (v[d] ^ v[a]).rotate_right($r1);
                    v[c] = v[c].wrapping_add(v[d]);
                    v[b] = (v[b] ^ v[c]).rotate_right($r2);
                    v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[s[y]]);
                    v[d] = (v[d] ^ v[a]).rotate_right($r3);
                    v[c] = v[c].wrapping_add(v[d]);
                    v[b] = (v[b] ^ v[c]).rotate_right($r4);
                };
                for i in 0..4 {
                    g(i, 4 + i, 8 + i, 12 + i, 2 * i, 2 * i + 1);
                }
                for i in 0..4 {
                    g(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, 8 + 2 * i, 9 + 2 * i);
                }
            }
            for i in 0..8 {
                h[i] ^= v[i] ^ v[i + 8];
            }
        }
    };
}

by_the_book!(book_64, u64, 128, FIRST_64, 12, 32 24 16 63);
by_the_book!(book_32, u32, 64, FIRST_32, 10, 16 12 8 7);

#[rustfmt::skip] // a table
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// Blocks that end before, at and after 2^32 bytes, and 7 bytes more.
macro_rules! counts_far {
    ($name:ident, $type:ident, $book:ident, $word:ty, $block:literal, $size:literal) => {
        #[test]
        fn $name() {
            let mut bytes = Bytes(2);
            let blocks: [[u8; $block]; 3] = std::array::from_fn(|_| bytes.array());
            let words: [$word; 8] = std::array::from_fn(|_| <$word>::from_ne_bytes(bytes.array()));
            for border in [1_u64 << 32, 1 << 59] {
                let length = border - $block;
                let mut expected = words;
                for (index, block) in blocks.iter().enumerate() {
                    $book(&mut expected, block, u128::from(length) + index as u128 * $block, false);
                }
                let mut last = [0; $block];
                last[..7].copy_from_slice(&blocks[0][..7]);
                $book(&mut expected, &last, u128::from(length) + 2 * $block + 7, true);

                let mut state = $type { words, length, buffer: blocks[0] };
                let rest = [blocks[1], blocks[2], last].concat();
                state.update(&rest[..$block + 11]);
                let mut digest = [0; $size];
                state.finish_with(&rest[$block + 11..2 * $block + 7], &mut digest);
                let expected: Vec<u8> =
                    expected.iter().flat_map(|word| word.to_le_bytes()).collect();
                assert_eq!(digest[..], expected);
            }
        }
    };
}

counts_far!(blake2b_counts_far, Blake2b512, book_64, u64, 128, 64);
counts_far!(blake2s_counts_far, Blake2s256, book_32, u32, 64, 32);
