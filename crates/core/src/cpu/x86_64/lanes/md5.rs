//! MD5 of several messages.
//!
//! ns a block and message on Zen 5, where one by one takes 70: AVX-512 with 16 lanes 10, AVX2 with
//! eight 23. Both wait for the hash through the words half of the time. Twice the lanes,
//! interleaved, would use it, but take twice the messages.
//!
//! ns a message of 64 bytes, 1 KiB and 4 KiB, one by one and 64 at once: 145 and 25, 1180 and 173,
//! 4510 and 654; of lengths up to 2 KiB mixed 1165 and 184.
//!
//! [`simd_kernel`](super::simd_kernel) has the steps around these rounds:
//!
//! ```text
//! step:  a = b + ((a + (m[index] + constant) + f(b, c, d)) <<< s);  a to d change their names
//! f:     16 steps each of Ch(b, c, d), Ch(d, b, c), b ^ c ^ d and c ^ (b | !d)
//! ```

use std::arch::x86_64::*;

use super::merkle_damgard::merkle_damgard;
use super::simd_kernel::{FEW, simd_kernel};
use super::vectors::{U32x8, U32x16};
use super::{
    Batch, BlockHash, Columns, Digest, Edges, Kernels, LaneKernel, Multibuffer, States, Tail, bits,
    block_hash, pad, run,
};
use crate::checkpoint::DigestSink;
use crate::cpu::features::{Avx2, Avx512};
use crate::hash::compression::words::{self, Md5Function};
use crate::wipe::Wiped;

merkle_damgard!(
    /// MD5.
    Md5, [u32; 4], 64, 16, kept, to_le_bytes, U32x16: 16, U32x8: 8 from 3,
    |state, blocks| words::compress::<Md5Function, 4, 64>(state, blocks.as_chunks().0),
    |state, length, rest, target| {
        words::end::<Md5Function, 4, 64>(&mut Wiped(state).0, length, rest, target)
    }
);

/// Defines the function `rounds` for a kernel.
macro_rules! rounds {
    ($kernel:ident, $set:ident, $vector:ty, $features:literal) => {
        impl $kernel {
            #[inline]
            #[target_feature(enable = $features)]
            fn rounds(words: [$vector; 4], block: [$vector; 16]) -> [$vector; 4] {
                let [mut a, mut b, mut c, mut d] = words;
                // One step; the words that `$mix` takes are all but the first.
                macro_rules! step {
                    ($mix:ident, $index:literal, $constant:expr, $by:literal,
                        $a:ident $b:ident $c:ident $d:ident) => {
                        let word = $set::add($set::add(block[$index], $set::all($constant)), $a);
                        let sum = $set::add(word, step!(@mix $mix, $b $c $d));
                        $a = $set::add($set::rotated_left::<$by>(sum), $b);
                    };
                    // The second round's choice is the first's with its words in another order.
                    (@mix other_choice, $b:ident $c:ident $d:ident) => { $set::choice($d, $b, $c) };
                    (@mix $mix:ident, $b:ident $c:ident $d:ident) => { $set::$mix($b, $c, $d) };
                }
                macro_rules! steps_4 {
                    ($mix:ident, $from:literal, $i0:literal $i1:literal $i2:literal $i3:literal,
                     $by_0:literal $by_1:literal $by_2:literal $by_3:literal) => {
                        step!($mix, $i0, CONSTANTS[$from], $by_0, a b c d);
                        step!($mix, $i1, CONSTANTS[$from + 1], $by_1, d a b c);
                        step!($mix, $i2, CONSTANTS[$from + 2], $by_2, c d a b);
                        step!($mix, $i3, CONSTANTS[$from + 3], $by_3, b c d a);
                    };
                }
                steps_4!(choice, 0, 0 1 2 3, 7 12 17 22);
                steps_4!(choice, 4, 4 5 6 7, 7 12 17 22);
                steps_4!(choice, 8, 8 9 10 11, 7 12 17 22);
                steps_4!(choice, 12, 12 13 14 15, 7 12 17 22);
                steps_4!(other_choice, 16, 1 6 11 0, 5 9 14 20);
                steps_4!(other_choice, 20, 5 10 15 4, 5 9 14 20);
                steps_4!(other_choice, 24, 9 14 3 8, 5 9 14 20);
                steps_4!(other_choice, 28, 13 2 7 12, 5 9 14 20);
                steps_4!(xor_3, 32, 5 8 11 14, 4 11 16 23);
                steps_4!(xor_3, 36, 1 4 7 10, 4 11 16 23);
                steps_4!(xor_3, 40, 13 0 3 6, 4 11 16 23);
                steps_4!(xor_3, 44, 9 12 15 2, 4 11 16 23);
                steps_4!(odd, 48, 0 7 14 5, 6 10 15 21);
                steps_4!(odd, 52, 12 3 10 1, 6 10 15 21);
                steps_4!(odd, 56, 8 15 6 13, 6 10 15 21);
                steps_4!(odd, 60, 4 11 2 9, 6 10 15 21);
                [a, b, c, d]
            }
        }
    };
}

rounds!(Wide, U32x16, __m512i, "avx512f,avx512vl,avx512bw");
rounds!(Narrow, U32x8, __m256i, "avx2");

/// RFC 1321, section 3.4.
#[rustfmt::skip] // rows
static CONSTANTS: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];
