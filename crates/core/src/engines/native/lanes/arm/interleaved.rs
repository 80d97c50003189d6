//! Code that the kernels share: the choice between them and scalar code, and the lanes' states.

/// Defines a hash with a kernel for two messages, and the functions `multibuffer`, `hash` and
/// `iterate`. `$instructions` names the proof among those of [`Kernels`](super::super::Kernels);
/// `$sizes` are sizes of digests in HMAC, and `$used` their words. The rest is as
/// [`block_hash`](super::super::block_hash) has it.
///
/// The module has `load` and `store` for the words of a state in vectors, `xor` of two of them,
/// `read` for a block, `rounds`, which absorbs a block of each message, and `padded` for the block
/// with a digest.
macro_rules! interleaved {
    ($(#[$doc:meta])* $hash:ident, [$word:ty; $words:literal], $block:literal, $size:literal,
     $instructions:ident: $proof:ident, $features:literal, $($sizes:literal => $used:literal),*;
     $blocks:expr, $scalar:expr) => {
        block_hash!(
            $(#[$doc])*
            $hash, [$word; $words], $block, $size, to_be_bytes, $blocks, $scalar
        );

        /// Returns how this family uses the kernel.
        pub(crate) fn multibuffer(kernels: Kernels) -> Option<Multibuffer> {
            kernels.$instructions.and_then(|_| Multibuffer::new(2, $proof::NAMES, 2))
        }

        /// Hashes messages from a state that has absorbed `begun` bytes.
        pub(crate) fn hash(
            kernels: Kernels,
            (start, begun): ([$word; $words], u64),
            sources: &[&[u8]],
            target: &mut [u8],
            sink: DigestSink<'_>,
        ) {
            let batch = &mut Batch::new($hash, start, begun, sources, target, sink);
            if let Some(proof) = kernels.$instructions {
                // SAFETY: the proof says that the CPU has the instructions.
                unsafe { Interleaved::run(batch, proof) };
            }
            batch.scalar();
        }

        /// Iterates as many blocks as there are kernels for, and returns that number. A digest has
        /// `size` bytes.
        pub(crate) fn iterate(
            kernels: Kernels,
            iterations: &mut [HmacIteration<$word, $words>],
            size: usize,
            count: u32,
        ) -> usize {
            match (kernels.$instructions, size) {
                $(
                    // SAFETY: the proof says that the CPU has the instructions.
                    (Some(_), $sizes) => unsafe { iterate_all::<$used>(iterations, count) },
                )*
                _ => 0,
            }
        }

        #[target_feature(enable = $features)]
        fn iterate_all<const USED: usize>(
            iterations: &mut [HmacIteration<$word, $words>],
            count: u32,
        ) -> usize {
            let (pairs, last) = iterations.as_chunks_mut::<2>();
            for pair in pairs {
                iterate_interleaved::<2, USED>(pair, count);
            }
            for one in last.as_chunks_mut().0 {
                iterate_interleaved::<1, USED>(one, count);
            }
            iterations.len()
        }

        /// Computes `count` HMAC iterations of `LANES` blocks, interleaved. A digest has `USED`
        /// words.
        #[target_feature(enable = $features)]
        fn iterate_interleaved<const LANES: usize, const USED: usize>(
            iterations: &mut [HmacIteration<$word, $words>; LANES],
            count: u32,
        ) {
            let none = [load(&[0; $words]); LANES];
            let (mut inner, mut outer, mut last, mut sum) = (none, none, none, none);
            for (lane, iteration) in iterations.iter().enumerate() {
                inner[lane] = load(&iteration.inner);
                outer[lane] = load(&iteration.outer);
                last[lane] = load(&iteration.last);
                sum[lane] = load(&iteration.sum);
            }
            for _ in 0..count {
                last = rounds(inner, padded::<LANES, USED>(last));
                last = rounds(outer, padded::<LANES, USED>(last));
                for (lane, last) in last.iter().enumerate() {
                    sum[lane] = xor(sum[lane], *last);
                }
            }
            for (lane, iteration) in iterations.iter_mut().enumerate() {
                store(&mut iteration.last, last[lane]);
                store(&mut iteration.sum, sum[lane]);
            }
        }

        /// Absorbs blocks of two messages.
        ///
        /// # Safety
        /// `count` blocks must be readable at each pointer.
        #[target_feature(enable = $features)]
        unsafe fn step(states: &mut [[$word; $words]; 2], at: &[*const u8; 2], count: usize) {
            let mut words = [load(&states[0]), load(&states[1])];
            for block in 0..count {
                let begin = $block * block;
                // SAFETY: `block` is less than `count`, and a block has `$block` bytes.
                let schedule = unsafe { [read(at[0].add(begin)), read(at[1].add(begin))] };
                words = rounds(words, schedule);
            }
            store(&mut states[0], words[0]);
            store(&mut states[1], words[1]);
        }

        /// Two messages.
        #[derive(Copy, Clone)]
        struct Interleaved(#[allow(dead_code)] $proof); // a proof

        impl LaneKernel<$hash, 2> for Interleaved {
            type States = [[$word; $words]; 2];
            const STATES: Self::States = [[0; $words]; 2];

            fn min_lanes(self) -> usize {
                2
            }

            // SAFETY: as in the trait.
            unsafe fn step(
                self,
                _hash: $hash,
                states: &mut Self::States,
                fresh: u32,
                start: &[$word; $words],
                at: &[*const u8; 2],
                count: usize,
            ) {
                bits(fresh).for_each(|lane| states[lane] = *start);
                // SAFETY: the proof covers the instructions, the caller the pointers.
                unsafe { step(states, at, count) }
            }

            fn put(states: &mut Self::States, lane: usize, state: &[$word; $words]) {
                states[lane] = *state;
            }

            fn get(states: &Self::States, lane: usize) -> [$word; $words] {
                states[lane]
            }

            #[inline(always)]
            fn digests(
                self,
                states: &Self::States,
                ended: u32,
                digests: &mut [Digest<$hash>; 2],
                _size: usize,
            ) {
                bits(ended).for_each(|lane| digests[lane] = $hash::digest(states[lane]));
            }
        }

        impl Interleaved {
            /// Runs the batch with this kernel.
            #[target_feature(enable = $features)]
            fn run(batch: &mut Batch<'_, '_, $hash>, proof: $proof) {
                run(Self(proof), batch);
            }
        }
    };
}

pub(super) use interleaved;
