//! Chains of HMACs in lanes, as PBKDF2 has them: digests never leave the registers.

/// Makes the function `links` of a kernel.
macro_rules! links {
    ($kernel:ident, $set:ident, [[$word:ty; $lanes:literal]; $words:literal], $vector:ty, $features:literal) => {
        impl $kernel {
            /// Moves at most as many links on as there are lanes; a digest has `USED` words.
            #[target_feature(enable = $features)]
            fn links<const USED: usize>(links: &mut [Link<$word, $words>], count: u32) {
                type Links = [Columns<$word, $words, $lanes>; 4];
                let mut columns: Wiped<Links> =
                    Wiped([const { Columns([[0; $lanes]; $words]) }; 4]);
                for lane in 0..$lanes {
                    // Lanes without a link do what the first does.
                    let link = links.get(lane).unwrap_or(&links[0]);
                    for (columns, words) in
                        columns.0.iter_mut().zip([&link.inner, &link.outer, &link.last, &link.sum])
                    {
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
                for (lane, link) in links.iter_mut().enumerate() {
                    (link.last, link.sum) = (columns.0[2].get(lane), columns.0[3].get(lane));
                }
            }
        }
    };
}

pub(super) use links;
