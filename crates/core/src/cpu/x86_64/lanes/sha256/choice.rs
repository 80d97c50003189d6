//! The choice between 16 lanes of AVX-512 and the instructions made for SHA-256, four messages
//! interleaved: vectors of 512 bits take one cycle on some CPUs and two on others. On Zen 4, where
//! they take two, hashing 10,000 messages of 64 bytes takes 53 ns a message with AVX-512 and 35
//! without, of 4 KiB 1,430 and 1,207, an iteration of PBKDF2 50 and 37 a block; on Zen 5 AVX-512
//! takes half as long. These are told by their family, which no other program's work disturbs;
//! other CPUs are measured.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use super::{Batch, Interleaved, Kernels, Sha256, Wide};
use crate::checkpoint::DigestSink;
use crate::cpu::features::{Avx512, ShaNi};
use crate::cpu::kernels::{ZEN_3_AND_4, ZEN_5, amd_family};
use crate::hash::compression::constants::FIRST_WORDS_256;

/// What was found, once for the process.
static FASTER: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const WIDE: u8 = 1;
const INTERLEAVED: u8 = 2;

/// Leaves AVX-512 out where the CPU has both kernels and the other is faster. Tests try both.
#[inline]
pub(super) fn chosen(kernels: Kernels) -> Kernels {
    if cfg!(test) { kernels } else { among(kernels, &FASTER) }
}

#[inline]
fn among(kernels: Kernels, known: &AtomicU8) -> Kernels {
    let Kernels { avx512: Some(wide), sha_ni: Some(interleaved), .. } = kernels else {
        return kernels;
    };
    let found = || match amd_family() {
        ZEN_3_AND_4 => false,
        ZEN_5 => true,
        _ => is_shorter(measured(wide, interleaved)),
    };
    if is_wide_faster(known, found) { kernels } else { Kernels { avx512: None, ..kernels } }
}

/// Returns what is known, or finds it.
#[inline]
fn is_wide_faster(known: &AtomicU8, found: impl FnOnce() -> bool) -> bool {
    match known.load(Ordering::Relaxed) {
        UNKNOWN => {
            // Threads that measure at once find the same, or either choice is as good.
            let faster = if found() { WIDE } else { INTERLEAVED };
            known.store(faster, Ordering::Relaxed);
            faster == WIDE
        }
        found => found == WIDE,
    }
}

/// Returns true if the first time is shorter by a quarter at least: where both kernels are as good,
/// noise would decide.
fn is_shorter([wide, interleaved]: [Duration; 2]) -> bool {
    wide + wide / 4 < interleaved
}

/// Measures both kernels on 16 messages of 256 bytes, which takes 27 us on Zen 4: the shortest of
/// several runs, as other programs only add to the time.
#[cold]
fn measured(wide: Avx512, interleaved: ShaNi) -> [Duration; 2] {
    const RUNS: usize = 8;
    let text = [0; 256];
    let sources = [&text[..]; 16];
    let time = |is_wide: bool| {
        let (mut digest, mut none) = ([0; 32], None);
        let mut each = |_: usize, digest: &[u8]| {
            std::hint::black_box(digest);
        };
        let sink = DigestSink::new(&mut each, &mut none);
        let batch = &mut Batch::new(Sha256, FIRST_WORDS_256, 0, &sources, &mut digest, sink);
        let begin = Instant::now();
        // SAFETY: the proofs say that the CPU has the instructions.
        unsafe {
            if is_wide {
                Wide::run(batch, wide, 1);
            } else {
                Interleaved::run::<4>(batch, interleaved);
            }
        }
        begin.elapsed()
    };
    let mut shortest = [Duration::MAX; 2];
    for _ in 0..RUNS {
        shortest = [shortest[0].min(time(true)), shortest[1].min(time(false))];
    }
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::features::OrSkip;

    #[test]
    fn the_faster_kernel_is_chosen_once() {
        let [long, short] = [2, 1].map(Duration::from_nanos);
        let cases = [([short, long], true), ([long, short], false), ([long, long], false)];
        for (times, expected) in cases {
            let known = AtomicU8::new(UNKNOWN);
            assert_eq!(is_wide_faster(&known, || is_shorter(times)), expected);
            assert_eq!(is_wide_faster(&known, || unreachable!("it is known")), expected);
        }
    }

    #[test]
    fn only_the_slower_of_two_kernels_is_left_out() {
        let all = Kernels::detect();
        let both = all.avx512.is_some() && all.sha_ni.is_some();
        for (known, left) in [(WIDE, true), (INTERLEAVED, !both)] {
            let kernels = among(all, &AtomicU8::new(known));
            assert_eq!(kernels.avx512.is_some(), all.avx512.is_some() && left);
            assert_eq!(kernels.sha_ni.is_some(), all.sha_ni.is_some());
            assert_eq!(kernels.avx2.is_some(), all.avx2.is_some());
        }
        for (avx512, sha_ni) in [(None, all.sha_ni), (all.avx512, None)] {
            let kernels = among(Kernels { avx512, sha_ni, ..all }, &AtomicU8::new(INTERLEAVED));
            assert_eq!(kernels.avx512.is_some(), avx512.is_some());
            assert_eq!(kernels.sha_ni.is_some(), sha_ni.is_some());
        }
    }

    #[test]
    fn both_kernels_are_measured() {
        let Kernels { avx512, sha_ni, .. } = Kernels::detect();
        let (Some(wide), Some(interleaved)) = (avx512.or_skip(), sha_ni.or_skip()) else { return };
        let [wide, interleaved] = measured(wide, interleaved);
        assert!(Duration::ZERO < wide && wide < Duration::MAX, "{wide:?}");
        assert!(Duration::ZERO < interleaved && interleaved < Duration::MAX, "{interleaved:?}");
    }
}
