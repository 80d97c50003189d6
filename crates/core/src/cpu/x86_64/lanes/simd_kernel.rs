//! Code that the kernels of Merkle-Damgård hashes share: all but the rounds.
//!
//! ```text
//! step, in vectors:       words[w] = row w of the states; fresh lanes have the first words
//!                         for each block
//!                             m[0..16] = words of the block, one of each message in a vector
//!                             words += rounds(words, m)
//!                         rows of the states = words
//! step, interleaved:      a message has registers of its own; after each four rounds of one come
//!                         those of the others
//! digests:                in vectors, more than three at once by a transpose; else one by one
//! ```

/// Defines a kernel over vectors (`$set`) and its own function `rounds(words, block)`. Words of
/// blocks and digests are in the byte order `$order`; `$pad` is
/// [`LaneKernel::pad`](super::LaneKernel::pad).
macro_rules! simd_kernel {
    ($(#[$doc:meta])* $name:ident, $hash:ident, $set:ident,
        [[$word:ty; $lanes:literal]; $words:literal],
     $vector:ty, $proof:ident, $features:literal, $order:ident, $pad:expr) => {
        $(#[$doc])*
        #[derive(Copy, Clone)]
        struct $name {
            #[allow(dead_code)] // a proof
            proof: $proof,
            min_lanes: usize,
        }

        impl LaneKernel<$hash, $lanes> for $name {
            type States = Columns<$word, $words, $lanes>;

            fn min_lanes(self) -> usize {
                self.min_lanes
            }

            // SAFETY: as in the trait.
            #[target_feature(enable = $features)]
            unsafe fn step(
                self,
                _hash: $hash,
                states: &mut Self::States,
                Edges { fresh, .. }: Edges,
                start: &[$word; $words],
                at: &[*const u8; $lanes],
                count: usize,
            ) {
                let mut words: [$vector; $words] =
                    std::array::from_fn(|index| $set::put($set::load(&states.0[index]), fresh,
                        start[index]));
                for block in 0..count {
                    // SAFETY: `block` is less than `count`, and a block has 16 words.
                    let block = unsafe { $set::block(at, block * 16 * size_of::<$word>()) };
                    let after = Self::rounds(words, block.map(|word| $set::$order(word)));
                    words = std::array::from_fn(|index| $set::add(words[index], after[index]));
                }
                states.0.iter_mut().zip(words).for_each(|(row, word)| $set::store(row, word));
            }

            #[inline(always)]
            fn pad(self, hash: $hash, tail: &mut Tail<$hash>, rest: &[u8], length: u64) {
                let pad: fn(Self, $hash, &mut Tail<$hash>, &[u8], u64) = $pad;
                pad(self, hash, tail, rest, length);
            }

            #[inline(always)]
            fn digests(self, states: &Self::States, ended: u32,
                digests: &mut [Digest<$hash>; $lanes], _size: usize) {
                if ended.count_ones() > FEW {
                    // SAFETY: the proof says that the CPU has the instructions.
                    unsafe { Self::all_digests(&states.0, digests) }
                } else {
                    bits(ended).for_each(|lane| digests[lane] = $hash::digest(states.get(lane)));
                }
            }
        }

        impl $name {
            /// Runs the batch with this kernel.
            #[target_feature(enable = $features)]
            fn run(batch: &mut Batch<'_, '_, $hash>, proof: $proof, min_lanes: usize) {
                run(Self { proof, min_lanes }, batch);
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn all_digests(states: &[[$word; $lanes]; $words],
                digests: &mut [Digest<$hash>; $lanes]) {
                $set::rows(states.each_ref().map(|row| $set::$order($set::load(row))), digests);
            }
        }
    };
}

/// Defines the functions of interleaved messages over those of a hash: `pack`, `unpack`, `reverse`,
/// `rounds_interleaved` and `padded`, which returns the block of a digest with its padding.
macro_rules! sha_ni {
    ($words:literal) => {
        /// # Safety
        /// `count` blocks can be read at each pointer.
        #[target_feature(enable = "ssse3,sse4.1,sha")]
        unsafe fn step_interleaved<const LANES: usize>(
            states: &mut [[u32; $words]; LANES],
            at: &[*const u8; LANES],
            count: usize,
        ) {
            let mut words: [[__m128i; 2]; LANES] = std::array::from_fn(|lane| pack(&states[lane]));
            for block in 0..count {
                words = rounds_interleaved(
                    words,
                    std::array::from_fn(|lane| {
                        std::array::from_fn(|index| {
                            let four = at[lane].wrapping_add(64 * block + 16 * index);
                            // SAFETY: 16 of the 64 bytes of a block; `block` is less than `count`.
                            reverse(unsafe { _mm_loadu_si128(four.cast()) })
                        })
                    }),
                );
            }
            for (state, words) in states.iter_mut().zip(words) {
                *state = unpack(words);
            }
        }

        /// Computes `count` HMAC iterations of `LANES` blocks, interleaved. A digest has `USED`
        /// words.
        #[target_feature(enable = "ssse3,sse4.1,sha")]
        fn iterate_interleaved<const LANES: usize, const USED: usize>(
            iterations: &mut [HmacIteration<u32, $words>; LANES],
            count: u32,
        ) {
            let inner = iterations.each_ref().map(|iteration| pack(&iteration.inner));
            let outer = iterations.each_ref().map(|iteration| pack(&iteration.outer));
            let mut last = iterations.each_ref().map(|iteration| pack(&iteration.last));
            let mut sum = iterations.each_ref().map(|iteration| pack(&iteration.sum));
            for _ in 0..count {
                last = rounds_interleaved(inner, last.map(|digest| padded::<USED>(digest)));
                last = rounds_interleaved(outer, last.map(|digest| padded::<USED>(digest)));
                for (sum, last) in sum.as_flattened_mut().iter_mut().zip(last.as_flattened()) {
                    *sum = _mm_xor_si128(*sum, *last);
                }
            }
            for (iteration, (last, sum)) in iterations.iter_mut().zip(last.into_iter().zip(sum)) {
                (iteration.last, iteration.sum) = (unpack(last), unpack(sum));
            }
        }
    };
}

pub(super) use {sha_ni, simd_kernel};

/// Up to this many digests are faster to write one by one than those of all lanes at once.
pub(super) const FEW: u32 = 3;
