//! Code that the kernels of x86-64 for Merkle-Damgård hashes share beyond their rounds: the choice
//! of kernels, and the choice of those that iterate HMAC.

/// Defines a hash of `$words` words with kernels `Wide` (AVX-512) and `Narrow` (AVX2), and the
/// functions `multibuffer` and `hash`. A module that names its `ShaNi` also has the kernel
/// `Interleaved`, over the CPU's instructions for this hash; `Wide` then takes at least `$beside`
/// messages, as fewer are faster interleaved, unless `$chosen` leaves it out on this CPU. `Narrow`
/// takes at least `$least`.
///
/// `$order` is the order of bytes in blocks; the rest is as
/// [`block_hash`](crate::hash::lanes::block_hash) has it.
macro_rules! merkle_damgard {
    ($(#[$doc:meta])* $hash:ident, [$word:ty; $words:literal], $block:literal, $size:literal,
     $order:ident, $bytes:ident, $wide:ident: $wide_lanes:literal,
     $narrow:ident: $narrow_lanes:literal from $least:literal
     $(; $sha_ni:ident from $beside:literal $(by $chosen:ident)?)?, $blocks:expr,
     $scalar:expr) => {
        block_hash!(
            $(#[$doc])*
            $hash, [$word; $words], $block, $size, $bytes, $blocks, $scalar
        );

        /// Returns how this family uses the kernels.
        pub(crate) fn multibuffer(kernels: Kernels) -> Option<Multibuffer> {
            $($(let kernels = $chosen(kernels);)?)?
            match kernels {
                $(
                    Kernels { avx512: Some(_), sha_ni: Some(_), .. } => {
                        Multibuffer::new($wide_lanes, Avx512::NAMES, 2, $sha_ni::NAMES)
                    }
                    Kernels { sha_ni: Some(_), .. } => {
                        Multibuffer::new(4, $sha_ni::NAMES, 2, $sha_ni::NAMES)
                    }
                )?
                Kernels { avx512: Some(_), .. } => {
                    Multibuffer::new($wide_lanes, Avx512::NAMES, 3, &[])
                }
                Kernels { avx2: Some(_), .. } => {
                    Multibuffer::new($narrow_lanes, Avx2::NAMES, $least, &[])
                }
                _ => None,
            }
        }

        /// Hashes messages from a state that has absorbed `begun` bytes.
        pub(crate) fn hash(
            kernels: Kernels,
            (start, begun): ([$word; $words], u64),
            sources: &[&[u8]],
            target: &mut [u8],
            sink: DigestSink<'_>,
        ) {
            $($(let kernels = $chosen(kernels);)?)?
            let least = multibuffer(kernels).map_or(usize::MAX, |found| found.min_messages);
            let batch = &mut Batch::new($hash, start, begun, sources, target, sink);
            // SAFETY: the proofs say that the CPU has the instructions.
            unsafe {
                match kernels {
                    $(
                        Kernels { avx512, sha_ni: Some(sha_ni), .. } => {
                            if let Some(proof) = avx512 {
                                Wide::run(batch, proof, $beside);
                            }
                            Interleaved::run::<4>(batch, sha_ni);
                            Interleaved::run::<3>(batch, sha_ni);
                            Interleaved::run::<2>(batch, sha_ni);
                        }
                    )?
                    Kernels { avx512: Some(proof), .. } => Wide::run(batch, proof, least),
                    Kernels { avx2: Some(proof), .. } => Narrow::run(batch, proof, least),
                    _ => {}
                }
            }
            batch.scalar();
        }

        simd_kernel!(
            /// AVX-512.
            Wide, $hash, $wide, [[$word; $wide_lanes]; $words], __m512i, Avx512,
            "avx512f,avx512vl,avx512bw", $order,
            // SAFETY: the kernel has the proof that the CPU has the instructions.
            |_, _, tail, rest, length| unsafe { $wide::pad(tail, rest, (length * 8).$bytes()) }
        );

        simd_kernel!(
            /// AVX2.
            Narrow, $hash, $narrow, [[$word; $narrow_lanes]; $words], __m256i, Avx2, "avx2", $order,
            |_, hash, tail, rest, length| hash.pad(tail, rest, length)
        );
    };
}

/// Defines the function `iterate`, which computes HMAC iterations with the kernels of
/// [`merkle_damgard`] and, beside `ShaNi`, `iterate_interleaved`. `$size` are sizes of digests, and
/// `$used` their words.
macro_rules! iterate {
    ([$word:ty; $words:literal], $wide:ident: $wide_lanes:literal,
     $narrow:ident: $narrow_lanes:literal
     $(; $sha_ni:ident from $beside:literal $(by $chosen:ident)?)?,
     $($size:literal => $used:literal),*) => {
        hmac_iterations!(Wide, $wide, [[$word; $wide_lanes]; $words], __m512i,
            "avx512f,avx512vl,avx512bw");
        hmac_iterations!(Narrow, $narrow, [[$word; $narrow_lanes]; $words], __m256i, "avx2");

        /// Iterates as many blocks as there are kernels for, and returns that number. A digest has
        /// `size` bytes.
        pub(crate) fn iterate(
            kernels: Kernels,
            iterations: &mut [HmacIteration<$word, $words>],
            size: usize,
            count: u32,
        ) -> usize {
            match size {
                $($size => iterate_words::<$used>(kernels, iterations, count),)*
                _ => 0,
            }
        }

        fn iterate_words<const USED: usize>(
            kernels: Kernels,
            iterations: &mut [HmacIteration<$word, $words>],
            count: u32,
        ) -> usize {
            $($(let kernels = $chosen(kernels);)?)?
            let least = 2;
            $(let least = if kernels.sha_ni.is_some() { $beside } else { least };)?
            let mut done = 0;
            loop {
                let rest = &mut iterations[done..];
                let size = rest.len();
                // SAFETY: the proof says that the CPU has the instructions.
                done += unsafe {
                    match kernels {
                        _ if rest.is_empty() => return done,
                        Kernels { avx512: Some(_), .. } if size >= least => {
                            Wide::iterate::<USED>(&mut rest[..size.min($wide_lanes)], count);
                            size.min($wide_lanes)
                        }
                        $(
                            Kernels { sha_ni: Some($sha_ni { .. }), .. } => {
                                // Five are three and two: a single one is slow.
                                if size != 5 && let Some(four) = rest.first_chunk_mut() {
                                    iterate_interleaved::<4, USED>(four, count);
                                    4
                                } else if let Some(three) = rest.first_chunk_mut() {
                                    iterate_interleaved::<3, USED>(three, count);
                                    3
                                } else if let Some(two) = rest.first_chunk_mut() {
                                    iterate_interleaved::<2, USED>(two, count);
                                    2
                                } else {
                                    let one = rest.first_chunk_mut().expect("there is one");
                                    iterate_interleaved::<1, USED>(one, count);
                                    1
                                }
                            }
                        )?
                        Kernels { avx2: Some(_), .. } if size >= 3 => {
                            Narrow::iterate::<USED>(&mut rest[..size.min($narrow_lanes)], count);
                            size.min($narrow_lanes)
                        }
                        _ => return done,
                    }
                };
            }
        }
    };
}

pub(super) use {iterate, merkle_damgard};
