//! Every set of kernels gives the same HMACs as the scalar code.

use super::*;
use crate::cpu::kernels::lanes::{Kernels, choices, sha256};
use crate::hash::digest::Digest;
use crate::hash::digest::one_by_one;
use crate::hash::lanes::Multibuffer;
use crate::hash::md::{Sha224, Sha256};
use crate::hash::state_format::Word;
use crate::hmac::iteration::HmacIteration;
use crate::inputs::Params;
use crate::tests::Bytes;

/// Compares `iterate` with the scalar code for 1 to 16 blocks of output.
fn check<D: Digest, W: Word, const WORDS: usize>(
    words: fn(&D) -> [W; WORDS],
    iterate: fn(Kernels, &mut [HmacIteration<W, WORDS>], usize, u32) -> usize,
    multibuffer: fn(Kernels) -> Option<Multibuffer>,
) {
    let mut bytes = Bytes(9);
    let mut most = 0;
    for kernels in choices() {
        for (count, iterations) in (1..=16).zip([0, 1, 2, 3, 5, 8, 1, 2, 4, 1, 2, 3, 9, 1, 2, 7]) {
            let mut outputs: Vec<OutputBlock<D>> = (0..count)
                .map(|_| {
                    let mut state = || {
                        let mut state = D::new(&Params::default());
                        state.update(&bytes.vec(D::BLOCK));
                        state
                    };
                    let (inner, outer) = (state(), state());
                    let [mut last, mut sum] = [Secret::zeros(), Secret::zeros()];
                    bytes.fill(&mut last.0[..D::SIZE]);
                    sum.0 = last.0;
                    OutputBlock { inner, outer, last, sum }
                })
                .collect();
            let digest = |digest: &Secret<DIGEST_MAX>| W::read::<WORDS>(&digest.0[..D::SIZE]);
            let mut found: Vec<HmacIteration<W, WORDS>> = outputs
                .iter()
                .map(|output| HmacIteration {
                    inner: words(&output.inner),
                    outer: words(&output.outer),
                    last: digest(&output.last),
                    sum: digest(&output.sum),
                })
                .collect();
            one_by_one(&mut outputs, iterations);
            let done = iterate(kernels, &mut found, D::SIZE, iterations);
            most = most.max(done);
            let used = D::SIZE / size_of::<W>();
            for (iteration, output) in found.iter().zip(&outputs).take(done) {
                assert_eq!(
                    iteration.last[..used],
                    digest(&output.last)[..used],
                    "{count} {kernels:?}"
                );
                assert_eq!(
                    iteration.sum[..used],
                    digest(&output.sum)[..used],
                    "{count} {kernels:?}"
                );
            }
        }
    }
    let any = choices().any(|kernels| multibuffer(kernels).is_some());
    assert!(most == 16 || !any, "{most}");
}

#[test]
fn all_kernels_agree() {
    check::<Sha224, u32, 8>(|hash| hash.words, sha256::iterate, sha256::multibuffer);
    check::<Sha256, u32, 8>(|hash| hash.words, sha256::iterate, sha256::multibuffer);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn all_kernels_of_x86_agree() {
    use crate::cpu::kernels::lanes::{sha1, sha512};
    use crate::hash::md::{Sha1, Sha384, Sha512, Sha512_256};

    check::<Sha1, u32, 5>(|hash| hash.words, sha1::iterate, sha1::multibuffer);
    check::<Sha384, u64, 8>(|hash| hash.words, sha512::iterate, sha512::multibuffer);
    check::<Sha512, u64, 8>(|hash| hash.words, sha512::iterate, sha512::multibuffer);
    check::<Sha512_256, u64, 8>(|hash| hash.words, sha512::iterate, sha512::multibuffer);
}
