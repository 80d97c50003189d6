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
            const TAIL: Self::Tail = [0; 2 * $block];
            const DIGEST: Self::Digest = [0; $size];

            #[inline]
            fn block(&self) -> usize {
                $block
            }

            #[inline]
            fn ends(&self, rest: usize) -> usize {
                1 + usize::from(rest >= $block - $block / 8)
            }

            fn pad(&self, tail: &mut Self::Tail, rest: &[u8], length: u64) {
                *tail = Self::TAIL;
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

pub(super) use block_hash;

/// Pads the last bytes of a message in `tail`, which is zero and as long as the padded end.
#[inline]
pub(super) fn pad(tail: &mut [u8], rest: &[u8], length: [u8; 8]) {
    tail[..rest.len()].copy_from_slice(rest);
    tail[rest.len()] = 0x80;
    let place = tail.len() - 8;
    tail[place..].copy_from_slice(&length);
}
