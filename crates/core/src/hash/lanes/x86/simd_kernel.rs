//! Code that the kernels of Merkle-Damgård hashes share: all but the rounds.

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
            const STATES: Self::States = Columns([[0; $lanes]; $words]);

            fn min_lanes(self) -> usize {
                self.min_lanes
            }

            // SAFETY: as in the trait.
            unsafe fn step(
                self,
                _hash: $hash,
                states: &mut Self::States,
                fresh: u32,
                start: &[$word; $words],
                at: &[*const u8; $lanes],
                count: usize,
            ) {
                // SAFETY: the proof says that the CPU has the instructions; `count` blocks can be
                // read at each pointer.
                unsafe { Self::steps(&mut states.0, fresh, start, at, count) }
            }

            fn put(states: &mut Self::States, lane: usize, state: &[$word; $words]) {
                states.put(lane, state);
            }

            fn get(states: &Self::States, lane: usize) -> [$word; $words] {
                states.get(lane)
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

            /// # Safety
            /// `count` blocks must be readable at each pointer.
            #[target_feature(enable = $features)]
            unsafe fn steps(
                states: &mut [[$word; $lanes]; $words],
                fresh: u32,
                start: &[$word; $words],
                at: &[*const u8; $lanes],
                count: usize,
            ) {
                let mut words: [$vector; $words] =
                    std::array::from_fn(|index| $set::put($set::load(&states[index]), fresh,
                        start[index]));
                for block in 0..count {
                    // SAFETY: `block` is less than `count`, and a block has 16 words.
                    let block = unsafe { $set::block(at, block * 16 * size_of::<$word>()) };
                    let after = Self::rounds(words, block.map(|word| $set::$order(word)));
                    words = std::array::from_fn(|index| $set::add(words[index], after[index]));
                }
                states.iter_mut().zip(words).for_each(|(row, word)| $set::store(row, word));
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

/// Defines a kernel over the CPU's instructions for a hash that interleaves several messages to
/// hide their latency. It calls `step_interleaved(states, at, count)`.
macro_rules! interleaved {
    ($hash:ident, $words:literal) => {
        /// Interleaved messages.
        #[derive(Copy, Clone)]
        struct Interleaved(#[allow(dead_code)] ShaNi);

        impl<const LANES: usize> LaneKernel<$hash, LANES> for Interleaved {
            type States = [[u32; $words]; LANES];
            const STATES: Self::States = [[0; $words]; LANES];

            fn min_lanes(self) -> usize {
                LANES
            }

            // SAFETY: as in the trait.
            unsafe fn step(
                self,
                _hash: $hash,
                states: &mut Self::States,
                fresh: u32,
                start: &[u32; $words],
                at: &[*const u8; LANES],
                count: usize,
            ) {
                for (lane, state) in states.iter_mut().enumerate() {
                    if fresh >> lane & 1 == 1 {
                        *state = *start;
                    }
                }
                // SAFETY: the proof says that the CPU has the instructions; `count` blocks can be
                // read at each pointer.
                unsafe { step_interleaved(states, at, count) }
            }

            fn put(states: &mut Self::States, lane: usize, state: &[u32; $words]) {
                states[lane] = *state;
            }

            fn get(states: &Self::States, lane: usize) -> [u32; $words] {
                states[lane]
            }

            #[inline(always)]
            fn digests(
                self,
                states: &Self::States,
                ended: u32,
                digests: &mut [Digest<$hash>; LANES],
                _size: usize,
            ) {
                bits(ended).for_each(|lane| digests[lane] = $hash::digest(states[lane]));
            }
        }

        impl Interleaved {
            /// Runs the batch with this kernel.
            #[target_feature(enable = "ssse3,sse4.1,sha")]
            fn run<const LANES: usize>(batch: &mut Batch<'_, '_, $hash>, proof: ShaNi) {
                run::<_, _, LANES>(Self(proof), batch);
            }
        }
    };
}

pub(super) use {interleaved, simd_kernel};

/// Up to this many digests are faster to write one by one than those of all lanes at once.
pub(super) const FEW: u32 = 3;
