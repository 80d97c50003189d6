//! Every set of kernels moves chains on as they go one by one.

use super::super::lanes::{Kernels, sha1, sha256, sha512, tests::choices};
use super::super::md::Sha1;
use super::super::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use super::super::tests::Bytes;
use super::link::{Link, read_32, read_64};
use super::*;
use crate::inputs::Params;

/// Compares the last HMACs and the sums of chains by `links` and one by one, for any number of
/// them.
fn check<D: Digest, W: Copy + PartialEq + std::fmt::Debug, const WORDS: usize>(
    read: fn(&[u8]) -> [W; WORDS],
    words: fn(&D) -> [W; WORDS],
    links: fn(Kernels, &mut [Link<W, WORDS>], usize, u32) -> usize,
) {
    let mut bytes = Bytes(9);
    let mut most = 0;
    for kernels in choices() {
        for (count, iterations) in (1..=16).zip([0, 1, 2, 3, 5, 8, 1, 2, 4, 1, 2, 3, 9, 1, 2, 7]) {
            let mut chains: Vec<Chain<D>> = (0..count)
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
                    Chain { inner, outer, last, sum }
                })
                .collect();
            let digest = |digest: &Secret<SIZE_MAX>| read(&digest.0[..D::SIZE]);
            let mut found: Vec<Link<W, WORDS>> = chains
                .iter()
                .map(|chain| Link {
                    inner: words(&chain.inner),
                    outer: words(&chain.outer),
                    last: digest(&chain.last),
                    sum: digest(&chain.sum),
                })
                .collect();
            one_by_one(&mut chains, iterations);
            let done = links(kernels, &mut found, D::SIZE, iterations);
            most = most.max(done);
            let used = D::SIZE / size_of::<W>();
            for (link, chain) in found.iter().zip(&chains).take(done) {
                assert_eq!(link.last[..used], digest(&chain.last)[..used], "{count} {kernels:?}");
                assert_eq!(link.sum[..used], digest(&chain.sum)[..used], "{count} {kernels:?}");
            }
        }
    }
    let any = choices().any(|kernels| sha1::choice(kernels).is_some());
    assert!(most == 16 || !any, "{most}");
}

#[test]
fn all_kernels_agree() {
    check::<Sha1, u32, 5>(read_32, |hash| hash.parts().0, sha1::iterate);
    check::<Sha224, u32, 8>(read_32, |hash| hash.words, sha256::iterate);
    check::<Sha256, u32, 8>(read_32, |hash| hash.words, sha256::iterate);
    check::<Sha384, u64, 8>(read_64, |hash| hash.words, sha512::iterate);
    check::<Sha512, u64, 8>(read_64, |hash| hash.words, sha512::iterate);
    check::<Sha512_256, u64, 8>(read_64, |hash| hash.words, sha512::iterate);
}
