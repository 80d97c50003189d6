//! Our BLAKE2 is the RFC's where the count of bytes is large, which only states can say.

use millrace_core::catalog::Hash;
use millrace_core::hash::Params;
use millrace_core::hasher::{finish, state_size, update};

use crate::support::Random;

/// The first words of SHA-512 and SHA-256.
const FIRST_64: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];
const FIRST_32: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

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
    ($name:ident, $hash:expr, $book:ident, $word:ty, $block:literal) => {
        #[test]
        fn $name() {
            let mut random = Random(2);
            let blocks: [[u8; $block]; 3] =
                std::array::from_fn(|_| random.bytes($block).try_into().expect("a block"));
            let words: [$word; 8] = std::array::from_fn(|_| {
                let bytes = random.bytes(size_of::<$word>());
                <$word>::from_le_bytes(bytes.try_into().expect("a word"))
            });
            let bytes = |words: [$word; 8]| words.map(<$word>::to_le_bytes).concat();
            for border in [1_u64 << 32, 1 << 59] {
                let length = border - $block;
                let mut expected = words;
                for (index, block) in blocks.iter().enumerate() {
                    $book(&mut expected, block, u128::from(length) + index as u128 * $block, false);
                }
                let mut last = [0; $block];
                last[..7].copy_from_slice(&blocks[0][..7]);
                $book(&mut expected, &last, u128::from(length) + 2 * $block + 7, true);

                let state = [&bytes(words), &length.to_le_bytes()[..], &blocks[0]].concat();
                let rest = [blocks[1], blocks[2], last].concat();
                let (first, rest) = rest[..2 * $block + 7].split_at($block + 11);
                let mut next = vec![0; state_size($hash)];
                update($hash, &Params::NONE, &state, first, &mut next, None).expect("a state");
                let mut digest = vec![0; expected.len() * size_of::<$word>()];
                finish($hash, &Params::NONE, &next, rest, &mut digest).expect("a state");
                assert_eq!(digest, bytes(expected));
            }
        }
    };
}

counts_far!(blake2b_counts_far, Hash::Blake2b512, book_64, u64, 128);
counts_far!(blake2s_counts_far, Hash::Blake2s256, book_32, u32, 64);
