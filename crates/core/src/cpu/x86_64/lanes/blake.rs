//! BLAKE2b, BLAKE2s and BLAKE3 of several messages: eight or 16 with AVX-512, four or eight with
//! AVX2.
//!
//! ns a message, one by one and 64 at once, through `hashMany` on Zen 4 with AVX-512:
//!
//! | | 64 bytes | 1 KiB | 4 KiB |
//! |---|---|---|---|
//! | BLAKE2b | 247 and 82 | 1134 and 317 | 3987 and 1096 |
//! | BLAKE2s | 228 and 63 | 1733 and 279 | 6550 and 955 |
//! | BLAKE3 | 172 and 61 | 1149 and 222 | 1490 and 907 |
//!
//! Messages of BLAKE3 of more than 4 KiB take no longer alone, in the lanes of the library. Fewer
//! messages than lanes take as long as if all lanes were in use.
//!
//! ```text
//! state of a lane:  h[0..8], and a ninth word: bytes absorbed (BLAKE2) or flags (BLAKE3)
//! absorb:           v[0..8] = h;  v[8..16] = the first words, changed by lane:
//!                       BLAKE2: v[12] ^= bytes with this block, v[14] ^= all ones in a last block
//!                       BLAKE3: v[12..16] = chunk number, 0, bytes of this block, flags
//!                   rounds: mix the columns, then the diagonals, with two words of the block each
//!                   BLAKE2: h ^= v[0..8] ^ v[8..16];  BLAKE3: h = v[0..8] ^ v[8..16]
//! mix:              a += x + b;  d = (d ^ a) >>> r0;  c += d;  b = (b ^ c) >>> r1
//!                   a += y + b;  d = (d ^ a) >>> r2;  c += d;  b = (b ^ c) >>> r3
//! ```
//!
//! The last block of a message, even a whole one, comes from a padded end, which has its size
//! behind the block.

use std::arch::x86_64::*;

use super::vectors::{U32x8, U32x16, U64x4, U64x8};
use super::{Batch, Columns, Digest, Edges, Kernels, LaneKernel, Multibuffer, bits, run};
use crate::checkpoint::DigestSink;
use crate::cpu::features::{Avx2, Avx512};
use crate::hash::blake2::{FIRST_32, FIRST_64};
use crate::hash::compression::blake::{round, rounds};

/// Mixes four of the vectors `$v` and two of the block, `$m`.
macro_rules! mix {
    (($set:ident $v:ident $m:ident $r0:literal $r1:literal $r2:literal $r3:literal),
     $([$a:literal $b:literal $c:literal $d:literal, $x:literal $y:literal])*) => {$(
        $v[$a] = $set::add($set::add($v[$a], $m[$x]), $v[$b]);
        $v[$d] = $set::rotated_right::<$r0>($set::xor($v[$d], $v[$a]));
        $v[$c] = $set::add($v[$c], $v[$d]);
        $v[$b] = $set::rotated_right::<$r1>($set::xor($v[$b], $v[$c]));
        $v[$a] = $set::add($set::add($v[$a], $m[$y]), $v[$b]);
        $v[$d] = $set::rotated_right::<$r2>($set::xor($v[$d], $v[$a]));
        $v[$c] = $set::add($v[$c], $v[$d]);
        $v[$b] = $set::rotated_right::<$r3>($set::xor($v[$b], $v[$c]));
    )*};
}

/// Defines a kernel of vectors (`$set`) for one of the hashes, which is `$kind`.
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $set:ident, $vector:ty, $proof:ident, $features:literal,
     $kind:ident $hash:ident, [$word:ty; $lanes:literal], $block:literal, $first:ident,
     $rounds:ident ($($rotations:literal)*), from $least:literal) => {
        $(#[$doc])*
        #[derive(Copy, Clone)]
        pub(super) struct $name(#[allow(dead_code)] $proof);

        impl LaneKernel<$hash, $lanes> for $name {
            type States = Columns<$word, 9, $lanes>;

            fn min_lanes(self) -> usize {
                $least
            }

            // SAFETY: as in the trait.
            #[target_feature(enable = $features)]
            unsafe fn step(
                self,
                hash: $hash,
                states: &mut Self::States,
                Edges { fresh, last }: Edges,
                start: &[$word; 9],
                at: &[*const u8; $lanes],
                count: usize,
            ) {
                let mut state: [$vector; 9] = std::array::from_fn(|index| {
                    $set::put($set::load(&states.0[index]), fresh, start[index])
                });
                let mut sizes = [$block; $lanes];
                for lane in bits(last) {
                    // SAFETY: a padded end is a whole `Tail`, which has its size behind the block.
                    sizes[lane] = unsafe { *at[lane].wrapping_add($block) }.into();
                }
                let sizes = $set::load(&sizes);
                let last = $set::put($set::all(0), last, <$word>::MAX);
                for block in 0..count {
                    // SAFETY: `block` is less than `count`.
                    let block = unsafe { $set::block(at, block * $block) };
                    state = Self::absorb(hash, state, block, sizes, last);
                }
                states.0.iter_mut().zip(state).for_each(|(row, word)| $set::store(row, word));
            }

            #[inline(always)]
            fn digests(self, Columns(states): &Self::States, _ended: u32,
                digests: &mut [Digest<$hash>; $lanes], _size: usize) {
                // SAFETY: the proof says that the CPU has the instructions.
                unsafe { Self::all_digests(states, digests) }
            }
        }

        impl $name {
            /// Runs the batch with this kernel.
            #[target_feature(enable = $features)]
            pub(super) fn run(batch: &mut Batch<'_, '_, $hash>, proof: $proof) {
                run(Self(proof), batch);
            }

            /// Absorbs a block of each lane: its `sizes` in bytes, all ones where it is the `last`.
            #[inline]
            #[target_feature(enable = $features)]
            fn absorb(
                hash: $hash,
                state: [$vector; 9],
                block: [$vector; 16],
                sizes: $vector,
                last: $vector,
            ) -> [$vector; 9] {
                kernel!(@$kind $set, hash, state, sizes, last, $first => v, next);
                rounds!($rounds, mix ($set v block $($rotations)*));
                std::array::from_fn(|index| match index {
                    8 => next,
                    _ => kernel!(@after $kind $set, state[index], v[index], v[index + 8]),
                })
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn all_digests(states: &[[$word; $lanes]; 9], digests: &mut [Digest<$hash>; $lanes]) {
                let words: [$vector; 8] = std::array::from_fn(|index| $set::load(&states[index]));
                $set::rows(words, digests);
            }
        }
    };
    // The words before the rounds, `$v`, and the last word of the next state: the bytes absorbed.
    (@blake2 $set:ident, $hash:ident, $state:ident, $sizes:ident, $last:ident, $first:ident
     => $v:ident, $next:ident) => {
        let [h0, h1, h2, h3, h4, h5, h6, h7, absorbed] = $state;
        let first = $first.map(|word| $set::all(word));
        let $next = $set::add(absorbed, $sizes);
        let _ = $hash;
        let mut $v = [
            h0, h1, h2, h3, h4, h5, h6, h7, first[0], first[1], first[2], first[3],
            $set::xor(first[4], $next), first[5], $set::xor(first[6], $last), first[7],
        ];
    };
    // Of BLAKE3's state the last word has the flags of the next block only.
    (@blake3 $set:ident, $hash:ident, $state:ident, $sizes:ident, $last:ident, $first:ident
     => $v:ident, $next:ident) => {
        let [h0, h1, h2, h3, h4, h5, h6, h7, flags] = $state;
        let first = $first.map(|word| $set::all(word));
        let $next = $set::all(0);
        let ended = $set::choice($last, $set::all($hash.last), $next);
        let flags = $set::xor_3(flags, ended, $set::all($hash.each));
        let mut $v = [
            h0, h1, h2, h3, h4, h5, h6, h7, first[0], first[1], first[2], first[3],
            $set::all($hash.number), $next, $sizes, flags,
        ];
    };
    (@after blake2 $set:ident, $before:expr, $one:expr, $other:expr) => {
        $set::xor_3($before, $one, $other)
    };
    (@after blake3 $set:ident, $before:expr, $one:expr, $other:expr) => {
        $set::xor($one, $other)
    };
}

/// Defines the kernels of a hash: how many messages a batch has at least, and how many must be in
/// use.
macro_rules! kernels {
    ($module:ident, $kind:ident $hash:path as $name:ident, $word:ty,
     $wide:ident: $wide_lanes:literal, $narrow:ident: $narrow_lanes:literal, $block:literal,
     $first:ident, $rounds:ident $rotations:tt, from $wide_batch:literal and $narrow_batch:literal,
     lanes from $wide_least:literal and $narrow_least:literal; $($more:item)*) => {
        pub(crate) mod $module {
            use super::*;
            use $hash as $name;

            /// Returns how the kernels are used.
            pub(crate) fn multibuffer(kernels: Kernels) -> Option<Multibuffer> {
                match kernels {
                    Kernels { avx512: Some(_), .. } => {
                        Multibuffer::new($wide_lanes, Avx512::NAMES, $wide_batch, &[])
                    }
                    Kernels { avx2: Some(_), .. } => {
                        Multibuffer::new($narrow_lanes, Avx2::NAMES, $narrow_batch, &[])
                    }
                    _ => None,
                }
            }

            /// Hashes messages with the widest kernel until fewer are left than it takes.
            fn run_widest(kernels: Kernels, batch: &mut Batch<'_, '_, $name>) {
                // SAFETY: the proofs say that the CPU has the instructions.
                unsafe {
                    match kernels {
                        Kernels { avx512: Some(proof), .. } => Wide::run(batch, proof),
                        Kernels { avx2: Some(proof), .. } => Narrow::run(batch, proof),
                        _ => {}
                    }
                }
            }

            kernel!(
                /// AVX-512.
                Wide, $wide, __m512i, Avx512, "avx512f,avx512vl,avx512bw", $kind $name,
                [$word; $wide_lanes], $block, $first, $rounds $rotations,
                from $wide_least
            );
            kernel!(
                /// AVX2.
                Narrow, $narrow, __m256i, Avx2, "avx2", $kind $name,
                [$word; $narrow_lanes], $block, $first, $rounds $rotations,
                from $narrow_least
            );

            $($more)*
        }
    };
}

/// Defines BLAKE2's function `hash`.
macro_rules! hash_blake2 {
    ($word:ty, $hash:ident) => {
        /// Hashes messages from a state that has absorbed `begun` bytes.
        pub(crate) fn hash(
            kernels: Kernels,
            ([h0, h1, h2, h3, h4, h5, h6, h7], begun): ([$word; 8], u64),
            sources: &[&[u8]],
            target: &mut [u8],
            sink: DigestSink<'_>,
        ) {
            let start = [h0, h1, h2, h3, h4, h5, h6, h7, begun as $word];
            let batch = &mut Batch::new($hash, start, begun, sources, target, sink);
            run_widest(kernels, batch);
            batch.scalar();
        }
    };
}

kernels!(
    blake2b, blake2 crate::hash::blake2::Blake2bBlocks as Blocks, u64, U64x8: 8, U64x4: 4, 128,
    FIRST_64, twelve (32 24 16 63), from 3 and 2, lanes from 3 and 2;
    hash_blake2!(u64, Blocks);
);
kernels!(
    blake2s, blake2 crate::hash::blake2::Blake2sBlocks as Blocks, u32, U32x16: 16, U32x8: 8, 64,
    FIRST_32, ten (16 12 8 7), from 3 and 3, lanes from 3 and 3;
    hash_blake2!(u32, Blocks);
);
kernels!(
    blake3, blake3 crate::hash::blake3::Node as Node, u32, U32x16: 16, U32x8: 8, 64,
    // Nodes that have begun have no other code.
    FIRST_32, seven (16 12 8 7), from 5 and 4, lanes from 1 and 1;

    /// Hashes nodes of one kind, of any messages, to their chaining values.
    pub(crate) fn hash(
        kernels: Kernels,
        (node, [h0, h1, h2, h3, h4, h5, h6, h7]): (Node, [u32; 8]),
        sources: &[&[u8]],
        target: &mut [u8],
        sink: DigestSink<'_>,
    ) {
        let start = [h0, h1, h2, h3, h4, h5, h6, h7, node.first];
        run_widest(kernels, &mut Batch::new(node, start, 0, sources, target, sink));
    }
);
