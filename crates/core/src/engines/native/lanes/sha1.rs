//! SHA-1 of several messages.

use std::arch::x86_64::*;

use super::super::features::{Avx2, Avx512};
use super::super::{Digest as _, md};
use super::kernel::{FEW, kernel, pad};
use super::vectors::{U32x8, U32x16};
use super::{Chain, Choice, Columns, Digest, Kernel, Kernels, Tail, Work, bits, run};

/// SHA-1.
#[derive(Copy, Clone)]
pub(in super::super) struct Sha1;

impl Chain for Sha1 {
    type State = [u32; 5];
    type Tail = [u8; 128];
    type Digest = [u8; 20];
    const TAIL: [u8; 128] = [0; 128];
    const DIGEST: [u8; 20] = [0; 20];

    #[inline]
    fn block(&self) -> usize {
        64
    }

    #[inline]
    fn ends(&self, rest: usize) -> usize {
        1 + usize::from(rest >= 56)
    }

    fn pad(&self, tail: &mut [u8; 128], rest: &[u8], length: u64) {
        *tail = Self::TAIL;
        pad(&mut tail[..64 * self.ends(rest.len())], rest, (length * 8).to_be_bytes());
    }

    fn alone(&self, state: [u32; 5], length: u64, rest: &[u8], target: &mut [u8]) {
        let mut hash = md::Sha1::of(state, length - rest.len() as u64, &[0; 64]);
        hash.finish_with(rest, target);
        hash.wipe();
    }
}

impl Sha1 {
    #[inline(always)]
    fn digest(state: [u32; 5]) -> [u8; 20] {
        let mut bytes = [0; 20];
        bytes.as_chunks_mut().0.iter_mut().zip(state).for_each(|(bytes, word)| *bytes = word.to_be_bytes());
        bytes
    }
}

/// What there is.
pub(in super::super) fn choice(kernels: Kernels) -> Option<Choice> {
    match kernels {
        Kernels { avx512: Some(_), .. } => Choice::new(16, Avx512::NAMES, 5),
        Kernels { avx2: Some(_), .. } => Choice::new(8, Avx2::NAMES, 5),
        _ => None,
    }
}

/// Hashes messages which all begin with a state that has taken in `begun` bytes.
pub(in super::super) fn hash(
    kernels: Kernels,
    (start, begun): ([u32; 5], u64),
    sources: &[&[u8]],
    target: &mut [u8],
    each: &mut dyn FnMut(usize, &[u8]),
) {
    let least = choice(kernels).map_or(usize::MAX, |choice| choice.least);
    let work = &mut Work::new(Sha1, start, begun, sources, target, each);
    // SAFETY: there is the proof that the CPU has the instructions.
    unsafe {
        match (kernels.avx512, kernels.avx2) {
            (Some(proof), _) => Wide::run(work, proof, least),
            (None, Some(proof)) => Narrow::run(work, proof, least),
            (None, None) => {}
        }
    }
    work.alone();
}

kernel!(
    /// 16 lanes with AVX-512.
    Wide, Sha1, U32x16, [[u32; 16]; 5], __m512i, Avx512, "avx512f,avx512vl,avx512bw", reversed,
    // SAFETY: the kernel has the proof that the CPU has the instructions.
    |_, _, tail, rest, length| unsafe { U32x16::pad(tail, rest, (length * 8).to_be_bytes()) }
);

kernel!(
    /// Eight lanes with AVX2.
    Narrow, Sha1, U32x8, [[u32; 8]; 5], __m256i, Avx2, "avx2", reversed,
    |_, chain, tail, rest, length| chain.pad(tail, rest, length)
);

/// Makes the function `rounds` for a kernel.
macro_rules! rounds {
    ($kernel:ident, $set:ident, $vector:ty, $features:literal) => {
        impl $kernel {
            #[inline]
            #[target_feature(enable = $features)]
            fn rounds(words: [$vector; 5], block: [$vector; 16]) -> [$vector; 5] {
                let mut schedule = block;
                let [mut a, mut b, mut c, mut d, mut e] = words;
                macro_rules! round {
                    ($mix:ident, $constant:ident, $index:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
                        if $index >= 16 {
                            let at = |back: usize| schedule[($index + 16 - back) % 16];
                            let mixed = $set::xor($set::xor_3(at(3), at(8), at(14)), at(16));
                            schedule[$index % 16] = $set::rotated_left::<1>(mixed);
                        }
                        let word = $set::add($set::add(schedule[$index % 16], $constant), $e);
                        $e = $set::add($set::add(word, $set::$mix($b, $c, $d)), $set::rotated_left::<5>($a));
                        $b = $set::rotated_left::<30>($b);
                    };
                }
                macro_rules! rounds_5 {
                    ($mix:ident, $constant:ident, $from:expr) => {
                        round!($mix, $constant, $from, a b c d e);
                        round!($mix, $constant, $from + 1, e a b c d);
                        round!($mix, $constant, $from + 2, d e a b c);
                        round!($mix, $constant, $from + 3, c d e a b);
                        round!($mix, $constant, $from + 4, b c d e a);
                    };
                }
                macro_rules! rounds_20 {
                    ($mix:ident, $constant:expr, $from:literal) => {
                        let constant = $set::all($constant);
                        rounds_5!($mix, constant, $from);
                        rounds_5!($mix, constant, $from + 5);
                        rounds_5!($mix, constant, $from + 10);
                        rounds_5!($mix, constant, $from + 15);
                    };
                }
                rounds_20!(choice, 0x5a82_7999, 0);
                rounds_20!(xor_3, 0x6ed9_eba1, 20);
                rounds_20!(majority, 0x8f1b_bcdc, 40);
                rounds_20!(xor_3, 0xca62_c1d6, 60);
                [a, b, c, d, e]
            }
        }
    };
}

rounds!(Wide, U32x16, __m512i, "avx512f,avx512vl,avx512bw");
rounds!(Narrow, U32x8, __m256i, "avx2");
