//! SHA-512 and its kin of several messages.
//!
//! ns a block and message on Zen 5, where one by one takes 110: AVX-512 with eight lanes 27, AVX2
//! with four 105, since rotations take three instructions each and there are few of them a cycle.
//!
//! ns a message of 64 bytes, 1 KiB and 4 KiB, one by one and 64 at once: 137 and 33, 1033 and 242,
//! 3680 and 863; of lengths up to 2 KiB mixed 1000 and 255.
//!
//! [`simd_kernel`](super::simd_kernel) has the steps and [`sha2`](super::sha2) the rounds.

use std::arch::x86_64::*;

use super::hmac_iterations::hmac_iterations;
use super::merkle_damgard::{iterate, merkle_damgard};
use super::sha2::rounds;
use super::simd_kernel::{FEW, simd_kernel};
use super::vectors::{U64x4, U64x8};
use super::{
    Batch, BlockHash, Columns, Digest, Edges, Kernels, LaneKernel, Multibuffer, States, Tail, bits,
    block_hash, pad, run,
};
use crate::checkpoint::DigestSink;
use crate::cpu::features::{Avx2, Avx512};
use crate::hash::compression::constants::CONSTANTS_512;
use crate::hash::compression::words::{self, Sha512Function};
use crate::hmac::iteration::HmacIteration;
use crate::wipe::Wiped;

merkle_damgard!(
    /// SHA-512 and its kin, which begin with other words and show fewer.
    Sha512, [u64; 8], 128, 64, reversed, to_be_bytes, U64x8: 8, U64x4: 4 from 4,
    |state, blocks| words::compress::<Sha512Function, 8, 128>(state, blocks.as_chunks().0),
    |state, length, rest, target| {
        words::end::<Sha512Function, 8, 128>(&mut Wiped(state).0, length, rest, target);
    }
);

rounds!(Wide, U64x8, __m512i, "avx512f,avx512vl,avx512bw", CONSTANTS_512.0, 5,
    (28 34 39) (14 18 41) (1 8 >> 7) (19 61 >> 6));
rounds!(Narrow, U64x4, __m256i, "avx2", CONSTANTS_512.0, 5,
    (28 34 39) (14 18 41) (1 8 >> 7) (19 61 >> 6));

// 28 bytes are not a whole number of words.
iterate!([u64; 8], U64x8: 8, U64x4: 4, 64 => 8, 48 => 6, 32 => 4);
