//! The blocks, the padding and the digests of Merkle-Damgård hashes, whatever computes them.

/// Defines a [`BlockHash`](super::BlockHash) of `$words` words. `$bytes` is the order of bytes in
/// digests and lengths. `$blocks` absorbs blocks and `$scalar` ends a message, one by one.
macro_rules! block_hash {
    ($(#[$doc:meta])* $hash:ident, [$word:ty; $words:literal], $block:literal, $size:literal,
     $bytes:ident, $blocks:expr, $scalar:expr) => {
        $(#[$doc])*
        #[derive(Copy, Clone)]
        pub(crate) struct $hash;

        impl BlockHash for $hash {
            type State = [$word; $words];
            type Tail = [u8; 2 * $block];
            type Digest = [u8; $size];

            #[inline]
            fn block(&self) -> usize {
                $block
            }

            #[inline]
            fn ends(&self, rest: usize) -> usize {
                1 + usize::from(rest >= $block - $block / 8)
            }

            fn pad(&self, tail: &mut Self::Tail, rest: &[u8], length: u64) {
                *tail = [0; 2 * $block];
                pad(&mut tail[..$block * self.ends(rest.len())], rest, (length * 8).$bytes());
            }

            fn blocks(&self, state: &mut Self::State, blocks: &[u8]) {
                let absorb: fn(&mut Self::State, &[u8]) = $blocks;
                absorb(state, blocks);
            }

            fn scalar(&self, state: Self::State, length: u64, rest: &[u8], target: &mut [u8]) {
                let end: fn(Self::State, u64, &[u8], &mut [u8]) = $scalar;
                end(state, length, rest, target);
            }
        }

        impl $hash {
            #[inline(always)]
            fn digest(state: [$word; $words]) -> [u8; $size] {
                let mut bytes = [0; $size];
                bytes
                    .as_chunks_mut()
                    .0
                    .iter_mut()
                    .zip(state)
                    .for_each(|(bytes, word)| *bytes = word.$bytes());
                bytes
            }
        }
    };
}

/// Defines a kernel over the CPU's instructions for a hash that interleaves several messages to
/// hide their latency. It calls `step_interleaved(states, at, count)`.
macro_rules! interleaved {
    ($hash:ident, $words:literal, $proof:ident, $features:literal) => {
        /// Interleaved messages.
        #[derive(Copy, Clone)]
        struct Interleaved(#[allow(dead_code)] $proof);

        impl<const LANES: usize> LaneKernel<$hash, LANES> for Interleaved {
            type States = [[u32; $words]; LANES];

            fn min_lanes(self) -> usize {
                LANES
            }

            // SAFETY: as in the trait.
            unsafe fn step(
                self,
                _hash: $hash,
                states: &mut Self::States,
                Edges { fresh, .. }: Edges,
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
            #[target_feature(enable = $features)]
            fn run<const LANES: usize>(batch: &mut Batch<'_, '_, $hash>, proof: $proof) {
                run::<_, _, LANES>(Self(proof), batch);
            }
        }
    };
}

pub(crate) use {block_hash, interleaved};

/// Pads the last bytes of a message in `tail`, which is zero and as long as the padded end.
#[inline]
pub(crate) fn pad(tail: &mut [u8], rest: &[u8], length: [u8; 8]) {
    tail[..rest.len()].copy_from_slice(rest);
    tail[rest.len()] = 0x80;
    let place = tail.len() - 8;
    tail[place..].copy_from_slice(&length);
}
