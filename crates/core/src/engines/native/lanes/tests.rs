//! Every set of kernels gives the digests of messages one by one, whatever their lengths and order.

use super::super::Digest;
use super::super::sha2::{Sha224, Sha256};
use super::super::tests::Bytes;
use super::*;
use crate::inputs::Params;

/// Hashes messages which begin with a state, as `Kernels::hash` of a family does.
type Hash<'a, D> = &'a dyn Fn(&D, &[&[u8]], &mut [u8], &mut dyn FnMut(usize, &[u8])) -> bool;

/// Compares to one by one, after nothing and after a block, with digests of `size` bytes.
fn check<D: Digest>(size: usize, sources: &[&[u8]], hash: Hash<'_, D>) {
    let begun = D::new(&Params::default());
    let mut after_block = begun.clone();
    after_block.update(&vec![0x36; D::BLOCK]);
    for begin in [begun, after_block] {
        let mut found = vec![None; sources.len()];
        let done = hash(&begin, sources, &mut vec![0; size], &mut |index, digest| {
            assert_eq!(found[index].replace(digest.to_vec()), None, "{index} came twice");
        });
        assert!(done || sources.len() < 2);
        for (index, source) in sources.iter().enumerate().filter(|_| done) {
            let mut expected = vec![0; size];
            begin.clone().finish_with(source, &mut expected);
            let lengths = || sources.iter().map(|source| source.len()).collect::<Vec<_>>();
            assert!(found[index].as_deref() == Some(&expected), "{index} of {:?}", lengths());
        }
    }
}

/// Batches of all kinds; see the names.
fn check_batches<D: Digest>(size: usize, hash: Hash<'_, D>) {
    let mut random = Bytes(size as u64 + 1);
    let bytes = random.vec((1 << 20) + 1);
    let mut number = move |limit: usize| u32::from_ne_bytes(random.array()) as usize % limit;
    for length in 0..=300 {
        let equal_lengths: Vec<&[u8]> =
            (0..2 + length * 7 % 39).map(|index| &bytes[index * 999 + length..][..length]).collect();
        check(size, &equal_lengths, hash);
    }
    let mut mix = |count: usize, limit: usize| -> Vec<&[u8]> {
        (0..count).map(|_| (number(4000), number(limit + 1))).map(|(at, length)| &bytes[at..at + length]).collect()
    };
    for count in 0..70 {
        check(size, &mix(count, 2100), hash);
        check(size, &mix(count, 150), hash);
    }
    for at in [0, 3, 20, 39] {
        let mut one_long_among_short = mix(40, 100);
        one_long_among_short[at] = &bytes[..30_000];
        check(size, &one_long_among_short, hash);
    }
    let mut long_ones = mix(6, 3000);
    long_ones[4] = &bytes;
    check(size, &long_ones, hash);
    for length in [0, 64, 1000] {
        check(size, &[&bytes[..length]; 37], hash);
    }
}

/// All choices among the kernels that this CPU has.
fn choices() -> Vec<Kernels> {
    let all = Kernels::detect();
    let some = |set: usize| Kernels {
        avx512: all.avx512.filter(|_| set & 1 == 0),
        avx2: all.avx2.filter(|_| set & 2 == 0),
        sha_ni: all.sha_ni.filter(|_| set & 4 == 0),
    };
    (0..8).map(some).collect()
}

#[test]
fn sha_256() {
    for kernels in choices().into_iter().filter(|&kernels| sha256::widest(kernels).is_some()) {
        check_batches::<Sha256>(32, &|state, sources, target, each| {
            sha256::hash(kernels, (state.words, state.length), sources, target, each)
        });
        check_batches::<Sha224>(28, &|state, sources, target, each| {
            sha256::hash(kernels, (state.words, state.length), sources, target, each)
        });
    }
}
