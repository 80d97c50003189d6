//! The HMAC iterations of PBKDF2 in lanes: digests stay in registers.
//!
//! ```text
//! m = the digest, 0x80, zeros, the length                     a lane each iteration
//! count times:
//!     m[digest] = rounds(inner, m) + inner
//!     m[digest] = last = rounds(outer, m) + outer
//!     sum ^= last
//! ```

/// Defines the function `iterate` of a kernel.
macro_rules! hmac_iterations {
    ($kernel:ident, $set:ident, [[$word:ty; $lanes:literal]; $words:literal], $vector:ty,
        $features:literal) => {
        impl $kernel {
            /// Iterates at most as many blocks as there are lanes. A digest has `USED` words.
            #[target_feature(enable = $features)]
            fn iterate<const USED: usize>(
                iterations: &mut [HmacIteration<$word, $words>],
                count: u32,
            ) {
                type Iterations = [Columns<$word, $words, $lanes>; 4];
                let mut columns: Wiped<Iterations> =
                    Wiped([const { Columns([[0; $lanes]; $words]) }; 4]);
                for lane in 0..$lanes {
                    // Lanes without a block repeat the first.
                    let iteration = iterations.get(lane).unwrap_or(&iterations[0]);
                    for (columns, words) in columns.0.iter_mut().zip([
                        &iteration.inner,
                        &iteration.outer,
                        &iteration.last,
                        &iteration.sum,
                    ]) {
                        columns.put(lane, words);
                    }
                }
                let [inner, outer, mut last, mut sum]: [[$vector; $words]; 4] = columns
                    .0
                    .each_ref()
                    .map(|columns| columns.0.each_ref().map(|row| $set::load(row)));
                let mut block = [$set::all(0); 16];
                block[USED] = $set::all(1 << (<$word>::BITS - 1));
                block[15] = $set::all((16 + USED as $word) * <$word>::BITS as $word);
                for _ in 0..count {
                    block[..USED].copy_from_slice(&last[..USED]);
                    let rounds = Self::rounds(inner, block);
                    block[..USED].copy_from_slice(&std::array::from_fn::<_, USED, _>(|at| {
                        $set::add(rounds[at], inner[at])
                    }));
                    let rounds = Self::rounds(outer, block);
                    last = std::array::from_fn(|at| $set::add(rounds[at], outer[at]));
                    sum = std::array::from_fn(|at| $set::xor(sum[at], last[at]));
                }
                for (columns, words) in columns.0[2..].iter_mut().zip([last, sum]) {
                    columns
                        .0
                        .iter_mut()
                        .zip(words)
                        .for_each(|(row, words)| $set::store(row, words));
                }
                for (lane, iteration) in iterations.iter_mut().enumerate() {
                    (iteration.last, iteration.sum) =
                        (columns.0[2].get(lane), columns.0[3].get(lane));
                }
            }
        }
    };
}

pub(super) use hmac_iterations;
