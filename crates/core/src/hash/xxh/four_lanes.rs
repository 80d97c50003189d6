//! What XXH32 and XXH64 have in common: four lanes, and a running hash with a buffer of one stripe.

/// Defines a [`Digest`](crate::hash::digest::Digest) of the functions which follow its use in the
/// two files.
macro_rules! four_lanes {
    ($(#[$doc:meta])* $name:ident, $word:ty, $consume:path,
     [$one:ident, $two:ident, $five:ident]) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name {
            seed: $word,
            /// Bytes absorbed. The last `length % BLOCK` of them wait in `buffer`.
            length: u64,
            lanes: [$word; 4],
            buffer: Stripe,
        }

        impl Digest for $name {
            const BLOCK: usize = 4 * size_of::<$word>();
            const SIZE: usize = size_of::<$word>();
            const STATE: usize = 16 + 2 * Self::BLOCK;

            #[inline]
            fn new(params: &Params<'_>) -> Self {
                let seed = params.seed as $word;
                Self { seed, length: 0, lanes: begin(seed), buffer: [0; Self::BLOCK] }
            }

            #[inline]
            fn update(&mut self, source: &[u8]) {
                let mut source = source;
                let at = self.waiting();
                self.length += source.len() as u64;
                if at > 0 {
                    let (first, rest) = source.split_at(source.len().min(Self::BLOCK - at));
                    self.buffer[at..at + first.len()].copy_from_slice(first);
                    if at + first.len() < Self::BLOCK {
                        return;
                    }
                    self.lanes = $consume(self.lanes, &[self.buffer]);
                    source = rest;
                }
                let (stripes, rest) = source.as_chunks();
                self.lanes = $consume(self.lanes, stripes);
                self.buffer[..rest.len()].copy_from_slice(rest);
            }

            #[inline]
            fn finish(&mut self, target: &mut [u8]) {
                let lanes = if self.length < Self::BLOCK as
                    u64 { merge_none(self.seed) } else { merge(self.lanes) };
                let hash = end(lanes, self.length, &self.buffer[..self.waiting()]);
                target.copy_from_slice(&hash.to_be_bytes());
            }

            #[inline]
            fn finish_with(&mut self, source: &[u8], target: &mut [u8]) {
                if self.length > 0 {
                    self.update(source);
                    return self.finish(target);
                }
                target.copy_from_slice(&hash(self.seed, source).to_be_bytes());
            }

            // Not cryptographic: nothing is secret.
            #[inline]
            fn wipe(&mut self) {}

            #[inline]
            fn digest(params: &Params<'_>, source: &[u8], target: &mut [u8]) {
                target.copy_from_slice(&hash(params.seed as $word, source).to_be_bytes());
            }

            fn save(&self, state: &mut [u8]) {
                assert!(state.len() == Self::STATE);
                let (head, buffer) = state.split_at_mut(16 + Self::BLOCK);
                head[..8].copy_from_slice(&u64::from(self.seed).to_le_bytes());
                head[8..16].copy_from_slice(&self.length.to_le_bytes());
                for (bytes,
                    lane) in head[16..].chunks_exact_mut(size_of::<$word>()).zip(self.lanes) {
                    bytes.copy_from_slice(&lane.to_le_bytes());
                }
                let (waiting, free) = buffer.split_at_mut(self.waiting());
                waiting.copy_from_slice(&self.buffer[..waiting.len()]);
                free.fill(0);
            }

            fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
                if state.len() != Self::STATE {
                    return None;
                }
                let mut loaded = Self::new(params);
                loaded.length = word64(state, 8);
                let (head, buffer) = state.split_at(16 + Self::BLOCK);
                let (words, _) = head[16..].as_chunks();
                for (lane, &word) in loaded.lanes.iter_mut().zip(words) {
                    *lane = <$word>::from_le_bytes(word);
                }
                loaded.buffer.copy_from_slice(buffer);
                let fits = word64(state, 0) == u64::from(loaded.seed)
                    && loaded.length < LENGTH_LIMIT
                    && (loaded.length >= Self::BLOCK as u64 || loaded.lanes == begin(loaded.seed))
                    && buffer[loaded.waiting()..].iter().all(|&byte| byte == 0);
                fits.then_some(loaded)
            }
        }

        impl $name {
            /// Returns the number of bytes in the buffer, fewer than a stripe.
            #[inline]
            fn waiting(&self) -> usize {
                self.length as usize % <Self as Digest>::BLOCK
            }
        }

        type Stripe = [u8; 4 * size_of::<$word>()];

        /// Returns the lanes before the first byte.
        #[inline(always)]
        fn begin(seed: $word) -> [$word; 4] {
            [
                seed.wrapping_add($one).wrapping_add($two),
                seed.wrapping_add($two),
                seed,
                seed.wrapping_sub($one),
            ]
        }

        /// Hashes a whole message.
        #[inline(always)]
        fn hash(seed: $word, source: &[u8]) -> $word {
            // A separate function, so that the lanes of a short message stay in registers.
            #[inline(never)]
            fn long(seed: $word, source: &[u8]) -> $word {
                let (stripes, rest) = source.as_chunks();
                end(merge($consume(begin(seed), stripes)), source.len() as u64, rest)
            }
            if source.len() >= LONG {
                return long(seed, source);
            }
            let (mut lanes, mut rest) = (begin(seed), source);
            while let Some((stripe, more)) = rest.split_first_chunk() {
                lanes = consume_one(lanes, stripe);
                rest = more;
            }
            let short = source.len() < size_of::<Stripe>();
            end(if short { merge_none(seed) } else { merge(lanes) }, source.len() as u64, rest)
        }

        /// Replaces the merged lanes for a message shorter than a stripe.
        #[inline(always)]
        fn merge_none(seed: $word) -> $word {
            seed.wrapping_add($five)
        }

        /// Returns the sum of the lanes, each rotated by another number.
        #[inline(always)]
        fn sum([a, b, c, d]: [$word; 4]) -> $word {
            let sum = a.rotate_left(1).wrapping_add(b.rotate_left(7));
            sum.wrapping_add(c.rotate_left(12)).wrapping_add(d.rotate_left(18))
        }
    };
}

pub(super) use four_lanes;
