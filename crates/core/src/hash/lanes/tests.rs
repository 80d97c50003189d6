//! Every set of kernels gives the digests of messages one by one, whatever their lengths and order.

use super::*;
use crate::cpu::kernels::lanes::{Kernels, choices, hash_sha256, keccak, md5, sha1, sha512};
use crate::hash::digest::Digest;
use crate::hash::keccak::{Keccak256, Sha3_224, Sha3_384, Sha3_512, Shake128, Shake256};
use crate::hash::md::{Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use crate::inputs::Params;
use crate::tests::Bytes;

/// Hashes messages which begin with a state, as a family's `hash` does.
type Hash<'a, D> = &'a dyn Fn(Kernels, &D, &[&[u8]], &mut [u8], DigestSink<'_>);

/// Compares all choices among the kernels to one by one, after nothing and after a block.
fn check<D: Digest>(size: usize, sources: &[&[u8]], hash: Hash<'_, D>) {
    let begun = D::new(&Params::default());
    let mut after_block = begun.clone();
    after_block.update(&vec![0x36; D::BLOCK]);
    for begin in [begun, after_block] {
        let expected: Vec<Vec<u8>> = sources
            .iter()
            .map(|source| {
                let mut target = vec![0; size];
                begin.clone().finish_with(source, &mut target);
                target
            })
            .collect();
        for kernels in choices() {
            let mut found = vec![None; sources.len()];
            let mut each = |index: usize, digest: &[u8]| {
                assert_eq!(found[index].replace(digest.to_vec()), None, "{index} came twice");
            };
            hash(
                kernels,
                &begin,
                sources,
                &mut vec![0; size],
                DigestSink::new(&mut each, &mut None),
            );
            let found: Vec<Vec<u8>> =
                found.into_iter().map(|digest| digest.expect("each comes")).collect();
            let lengths = || sources.iter().map(|source| source.len()).collect::<Vec<_>>();
            assert!(found == expected, "{:?} {kernels:?}", lengths());
        }
    }
}

/// Batches of all kinds; see the names.
fn check_batches<D: Digest>(size: usize, hash: Hash<'_, D>) {
    let mut random = Bytes(size as u64 + 1);
    let bytes = random.vec((1 << 20) + 1);
    let mut number = move |limit: usize| u32::from_ne_bytes(random.array()) as usize % limit;
    for length in 0..=300 {
        let count = [2, 4, 8, 16, 9, 21][length % 6];
        let equal_lengths: Vec<&[u8]> =
            (0..count).map(|index| &bytes[index * 999 + length..][..length]).collect();
        check(size, &equal_lengths, hash);
    }
    let mut mix = |count: usize, limit: usize| -> Vec<&[u8]> {
        (0..count)
            .map(|_| (number(4000), number(limit + 1)))
            .map(|(at, length)| &bytes[at..at + length])
            .collect()
    };
    for count in (0..70).step_by(3) {
        check(size, &mix(count, 2100), hash);
        check(size, &mix(count + 1, 300), hash);
        check(size, &mix(count + 2, 130), hash);
    }
    for at in [0, 39] {
        let mut one_long_among_short = mix(40, 100);
        one_long_among_short[at] = &bytes[..30_000];
        check(size, &one_long_among_short, hash);
    }
    let mut long_ones = mix(6, 3000);
    long_ones[4] = &bytes;
    check(size, &long_ones, hash);
    for length in [0, 64, 1000] {
        check(size, &[&bytes[..length]; 20], hash);
    }
}

/// Checks what differs between the members of a family.
fn check_few<D: Digest>(size: usize, hash: Hash<'_, D>) {
    let bytes = Bytes(5).vec(20_000);
    let lengths = [
        0, 1, 55, 56, 63, 64, 111, 112, 127, 128, 71, 72, 103, 104, 135, 136, 143, 144, 167, 168,
        500,
    ];
    for count in [2, 8, 21] {
        check(size, &lengths.map(|length| &bytes[length..][..length])[..count], hash);
        check(size, &[&bytes[..D::BLOCK - 1]; 21][..count], hash);
    }
}

/// Defines a [`Hash`] of a family whose states are words.
macro_rules! words {
    ($hash:path) => {
        &|kernels, state, sources, target, sink| {
            $hash(kernels, (state.words, state.length), sources, target, sink)
        }
    };
}

#[test]
fn sha_256_lanes_agree_with_single_hashes() {
    check_batches::<Sha256>(32, words!(hash_sha256));
    check_few::<Sha224>(28, words!(hash_sha256));
}

#[test]
fn sha_512_family_lanes_agree_with_single_hashes() {
    if cfg!(target_arch = "x86_64") {
        check_batches::<Sha512>(64, words!(sha512::hash));
        check_few::<Sha384>(48, words!(sha512::hash));
        check_few::<Sha512_224>(28, words!(sha512::hash));
        check_few::<Sha512_256>(32, words!(sha512::hash));
    }
}

#[test]
fn sha_1_lanes_agree_with_single_hashes() {
    if cfg!(target_arch = "x86_64") {
        check_batches::<Sha1>(20, words!(sha1::hash));
    }
}

#[test]
fn md_5_lanes_agree_with_single_hashes() {
    if cfg!(target_arch = "x86_64") {
        check_batches::<Md5>(16, words!(md5::hash));
    }
}

/// Defines a [`Hash`] of a sponge.
macro_rules! sponge {
    () => {
        &|kernels, state, sources, target, sink| {
            keccak::hash(kernels, state.for_lanes(), sources, target, sink)
        }
    };
}

#[test]
fn keccak_1600_lanes_agree_with_single_hashes() {
    check_batches::<Keccak256>(32, sponge!());
    check_few::<Sha3_224>(28, sponge!());
    check_few::<Sha3_384>(48, sponge!());
    check_few::<Sha3_512>(64, sponge!());
    check_few::<Shake128>(168, sponge!());
    check_few::<Shake256>(100, sponge!());
}
