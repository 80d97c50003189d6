//! What the kernels share: the choice between them and scalar code, and the lanes' states.

/// Defines a hash with a kernel for two messages, and the functions `multibuffer`, `hash` and
/// `iterate`. `$instructions` names the proof among those of [`Kernels`](super::super::Kernels);
/// `$sizes` are sizes of digests in HMAC, and `$used` their words. The rest is as
/// [`block_hash`](super::super::block_hash) has it.
///
/// The module has `step(states, at, count)`, which absorbs blocks of two messages, and
/// `iterate_interleaved`, which computes HMAC iterations.
macro_rules! interleaved {
    ($(#[$doc:meta])* $hash:ident, [$word:ty; $words:literal], $block:literal, $size:literal,
     $instructions:ident: $proof:ident, $features:literal, $($sizes:literal => $used:literal),*;
     $blocks:expr, $scalar:expr) => {
        block_hash!(
            $(#[$doc])*
            $hash, [$word; $words], $block, $size, to_be_bytes, $blocks, $scalar
        );

        /// Returns how this family uses the kernel.
        pub(in super::super::super) fn multibuffer(kernels: Kernels) -> Option<Multibuffer> {
            kernels.$instructions.and_then(|_| Multibuffer::new(2, $proof::NAMES, 2))
        }

        /// Hashes messages from a state that has absorbed `begun` bytes.
        pub(in super::super::super) fn hash(
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
        pub(in super::super::super) fn iterate(
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

        /// Two messages.
        #[derive(Copy, Clone)]
        struct Interleaved(#[allow(dead_code)] $proof); // a proof

        impl Kernel<$hash, 2> for Interleaved {
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
