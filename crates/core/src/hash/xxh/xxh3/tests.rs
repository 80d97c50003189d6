//! Every kernel of XXH3 gives the result of scalar code, from every stripe of a block on.

use super::stripe::{BLOCK, End};
use super::*;
use crate::cpu::any::xxh3 as plain;
use crate::tests::{Bytes, reads};

/// The results of a kernel: the lanes after whole stripes, and both hashes.
type Answers = ([u64; 8], u64, u128);

macro_rules! answers {
    ($kernel:ident, $lanes:ident, $seed:ident, $end:ident $(, $proof:ident)?) => {
        (
            $kernel::consume($lanes, $seed, $end.stripes, $end.at $(, $proof)?).0,
            $kernel::end64($lanes, $seed, $end $(, $proof)?),
            $kernel::end128($lanes, $seed, $end $(, $proof)?),
        )
    };
}

fn kernels(lanes: &Lanes, seed: u64, end: &End<'_>) -> Vec<(&'static str, Answers)> {
    let mut all = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        use crate::cpu::features::{Avx2, Avx512, OrSkip};
        use crate::cpu::kernels::xxh3::{avx2, avx512};
        if let Some(proof) = Avx512::detect().or_skip() {
            // SAFETY: the proof says that the CPU has the instructions.
            all.push(("avx512", unsafe { answers!(avx512, lanes, seed, end, proof) }));
        }
        if let Some(proof) = Avx2::detect().or_skip() {
            // SAFETY: as above.
            all.push(("avx2", unsafe { answers!(avx2, lanes, seed, end, proof) }));
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        use crate::cpu::kernels::xxh3::neon;
        // SAFETY: every 64-bit ARM for which Rust compiles by default has NEON.
        all.push(("neon", unsafe { answers!(neon, lanes, seed, end) }));
    }
    all
}

#[test]
fn kernels_agree_with_plain_code() {
    let mut random = Bytes(1);
    for count in 0..70 {
        for at in 0..BLOCK {
            for seed in [0, u64::from_le_bytes(random.array())] {
                let lanes = &Lanes(std::array::from_fn(|_| u64::from_le_bytes(random.array())));
                let source = random.vec(64 * count);
                let (last, length) = (random.array(), u64::from_le_bytes(random.array()));
                fn end<'a>(stripes: &'a [u8], at: usize, last: &'a Stripe, length: u64) -> End<'a> {
                    End { stripes: stripes.as_chunks().0, at, last, length }
                }
                let whole = &end(&source, at, &last, length);
                let expected = answers!(plain, lanes, seed, whole);
                reads(&source, |source| {
                    for (kernel, computed) in kernels(lanes, seed, &end(source, at, &last, length))
                    {
                        assert_eq!(
                            computed, expected,
                            "{kernel}: {count} stripes from {at} on, seed {seed:x}"
                        );
                    }
                });
            }
        }
    }
}
