//! Our xxHash is that of `twox-hash`, however the message comes and whichever instructions compute
//! it, and saved states are what they say.

use millrace_core::catalog::{Hash, HashFacts};
use millrace_core::hash::{Params, digest};
use millrace_core::hasher::{check, finish, update};
use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};

use crate::support::{Random, around_borders};

const FAMILY: [Hash; 4] = [Hash::Xxh32, Hash::Xxh64, Hash::Xxh3_64, Hash::Xxh3_128];
const SEEDS: [u64; 4] = [0, 1, 0x9e37_79b1, 0xfedc_ba98_7654_3210];

fn with(seed: u64) -> Params<'static> {
    Params { seed, ..Params::NONE }
}

fn family() -> impl Iterator<Item = &'static HashFacts> {
    FAMILY.iter().map(|hash| hash.facts())
}

/// Returns what the reference computes.
fn expected(hash: Hash, seed: u64, source: &[u8]) -> Vec<u8> {
    match hash {
        Hash::Xxh32 => XxHash32::oneshot(seed as u32, source).to_be_bytes().to_vec(),
        Hash::Xxh64 => XxHash64::oneshot(seed, source).to_be_bytes().to_vec(),
        Hash::Xxh3_64 => XxHash3_64::oneshot_with_seed(seed, source).to_be_bytes().to_vec(),
        _ => XxHash3_128::oneshot_with_seed(seed, source).to_be_bytes().to_vec(),
    }
}

fn computed(hash: Hash, seed: u64, source: &[u8]) -> Vec<u8> {
    let mut target = vec![0xa5; hash.facts().digest_size];
    digest(hash, &with(seed), source, &mut target, None).expect("computed");
    target
}

/// Returns the state after more of a message; an empty state has not begun.
fn updated(hash: Hash, seed: u64, state: &[u8], source: &[u8]) -> Vec<u8> {
    let mut next = vec![0xa5; hash.facts().state_size];
    update(hash, &with(seed), state, source, &mut next, None).expect("a state");
    next
}

fn finished(hash: Hash, seed: u64, state: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut target = vec![0xa5; hash.facts().digest_size];
    finish(hash, &with(seed), state, rest, &mut target).expect("a state");
    target
}

#[test]
fn own_code_agrees_with_the_library_at_every_size() {
    let source = Random(1).bytes((1 << 20) + 1);
    for size in around_borders() {
        for hash in FAMILY {
            for seed in SEEDS {
                let source = &source[..size];
                let expected = expected(hash, seed, source);
                assert_eq!(computed(hash, seed, source), expected, "{hash:?} of {size}, {seed:x}");
            }
        }
    }
}

/// The result must not depend on the address of the bytes.
#[test]
fn the_digest_does_not_depend_on_alignment() {
    let source = Random(2).bytes(5000);
    for hash in FAMILY {
        for shift in 0..65 {
            let source = &source[shift..];
            assert_eq!(computed(hash, 7, source), expected(hash, 7, source), "{hash:?} {shift}");
        }
    }
}

/// The format of a saved state, spelled out: it must never change unnoticed.
#[test]
fn the_saved_state_has_this_format() {
    let source: Vec<u8> = (0..=255).cycle().take(1600).collect();
    let fields = |seed: u64, length: u64, lanes: &[u8], buffer: &[u8], size: usize| {
        let mut bytes = [&seed.to_le_bytes(), &length.to_le_bytes(), lanes, buffer].concat();
        bytes.resize(size, 0);
        bytes
    };
    let lanes32 = |lanes: [u32; 4]| lanes.map(u32::to_le_bytes).concat();
    let lanes64 =
        |lanes: &[u64]| lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect::<Vec<u8>>();

    // Of the seed XXH32 takes 32 bits.
    let state = fields(
        7,
        21,
        &lanes32([0x82929ccb, 0x8c9d519b, 0x5f2ba0a4, 0x69365574]),
        &source[16..21],
        48,
    );
    assert_eq!(updated(Hash::Xxh32, 0x1_0000_0007, &[], &source[..21]), state);
    let state = fields(
        0x1_0000_0007,
        100,
        &lanes64(&[0xb934b0e623ae4615, 0x5b8764620752e4d9, 0xafd2ffb1793d44be, 0x9694c4609cce96a]),
        &source[96..100],
        80,
    );
    assert_eq!(updated(Hash::Xxh64, 0x1_0000_0007, &[], &source[..100]), state);

    let begin = &[
        0xc2b2ae3d,
        0x9e3779b185ebca87,
        0xc2b2ae3d27d4eb4f,
        0x165667b19e3779f9,
        0x85ebca77c2b2ae63,
        0x85ebca77,
        0x27d4eb2f165667c5,
        0x9e3779b1,
    ];
    let state = fields(7, 70, &lanes64(begin), &source[..70], 336);
    assert_eq!(updated(Hash::Xxh3_64, 7, &[], &source[..70]), state);
    assert_eq!(updated(Hash::Xxh3_128, 7, &[], &source[..70]), state);
    let later = &[
        0xe1eb6000fbb63346,
        0xb085050cfd9abea1,
        0xa5093a55a3892592,
        0xc008896d6f1a4c4f,
        0x35ae382f27ce18db,
        0xe48170c3a29f35f4,
        0x561583450190437c,
        0x7ac3a910253bffb9,
    ];
    let ring = [&source[1536..1600], &source[1344..1536]].concat();
    let state = fields(7, 1600, &lanes64(later), &ring, 336);
    assert_eq!(updated(Hash::Xxh3_64, 7, &[], &source), state);
    assert_eq!(updated(Hash::Xxh3_128, 7, &[], &source), state);
}

#[test]
fn an_incremental_hash_saved_at_each_border() {
    let mut random = Random(3);
    let source = random.bytes(20_000);
    for size in [
        1, 15, 16, 17, 32, 64, 240, 241, 256, 257, 320, 511, 512, 513, 1024, 1025, 1280, 3000,
        9000, 20_000,
    ] {
        let source = &source[..size];
        for (hash, seed) in FAMILY.iter().flat_map(|&hash| SEEDS.map(|seed| (hash, seed))) {
            let (mut state, mut taken) = (Vec::new(), 0);
            while taken < size {
                // Small pieces, whole blocks, and now and then a large one.
                let [low, high] = [random.below(256), random.below(256)];
                let piece = match random.below(4) {
                    0 => low % 8,
                    1 => 64 * (low % 8),
                    2 => low + 1,
                    _ => low * high / 16,
                };
                let end = size.min(taken + piece);
                state = updated(hash, seed, &state, &source[taken..end]);
                taken = end;
                // The state is that of the bytes, not of their pieces.
                let (so_far, rest) = source.split_at(taken);
                assert!(updated(hash, seed, &[], so_far) == state, "{hash:?} {taken} of {size}");
                let digest = finished(hash, seed, &state, &[]);
                assert_eq!(digest, expected(hash, seed, so_far), "{hash:?} {taken} of {size}");
                let digest = finished(hash, seed, &state, rest);
                assert_eq!(digest, expected(hash, seed, source), "{hash:?} {taken} of {size}");
            }
        }
    }
}

/// At every size, since the end of XXH3 reaches back over borders.
#[test]
fn a_message_byte_by_byte_has_the_digest_of_one_piece() {
    let source = Random(4).bytes(2500);
    for hash in FAMILY {
        let mut state = Vec::new();
        for (size, byte) in source.iter().enumerate() {
            let digest = finished(hash, 5, &state, &[]);
            assert_eq!(digest, expected(hash, 5, &source[..size]), "{hash:?} {size}");
            state = updated(hash, 5, &state, std::slice::from_ref(byte));
        }
    }
}

#[test]
fn bytes_that_are_not_a_state_are_refused() {
    let seed = 0x1_0000_0002;
    let mut source = Random(5).bytes(1000);
    source[0] |= 1; // is seen not to be counted
    for &HashFacts { hash, block_size: block, state_size, .. } in family() {
        let refused = |seed: u64, state: &[u8]| check(hash, &with(seed), state).is_err();
        for size in [0, 1, block - 1, block, 255, 256, 257, 1000] {
            let saved = updated(hash, seed, &[], &source[..size]);
            assert!(!refused(seed, &saved));
            for length in (0..state_size).chain([state_size + 1, 2 * state_size]) {
                let mut other = saved.clone();
                other.resize(length, 0);
                assert!(refused(seed, &other), "{hash:?} {length} bytes");
            }
            assert!(refused(seed + 1, &saved) && refused(0, &saved));
            let changed = |at: usize, byte: u8| {
                let mut other = saved.clone();
                other[at] = byte;
                refused(seed, &other)
            };
            (0..8).for_each(|at| assert!(changed(at, saved[at] ^ 0x80), "the seed"));
            // A count beyond all messages, and one that fits neither the lanes nor the buffer.
            assert!(changed(15, 0x40) && changed(15, 0xff));
            if size < 240 && size > 0 {
                assert!(changed(8, 0), "bytes that are not counted");
                let lanes = changed(16, saved[16] ^ 1);
                assert_eq!(lanes, size < block || state_size > 300, "{hash:?} lanes {size}");
            }
            if size % block != 0 && size < 256 {
                assert!(changed(state_size - 1, 1), "beyond the buffer's bytes");
            }
        }
    }
}

/// Any bytes at all: they are refused, or computed with; nothing panics.
#[test]
fn random_states_never_panic() {
    let mut random = Random(6);
    for &HashFacts { hash, block_size: block, state_size, .. } in family() {
        let mut accepted = 0;
        for round in 0..4000 {
            let mut state = random.bytes(state_size);
            state[..8].copy_from_slice(&3_u64.to_le_bytes());
            let [low, high] = [random.below(1 << 32) as u64, random.below(1 << 30) as u64];
            let length = match round % 4 {
                0 => high << 32 | low,
                1 => low >> 12,
                2 => low >> 24,
                _ => (high << 12 | low >> 20) * state_size as u64,
            };
            state[8..16].copy_from_slice(&length.to_le_bytes());
            if round % 3 > 0 {
                let free = if state_size > 300 { 256 } else { block - length as usize % block };
                state[state_size - free..].fill(0);
            }
            if check(hash, &with(3), &state).is_ok() {
                accepted += 1;
                finished(hash, 3, &state, &[]);
                let size = random.below(256) * 5;
                let piece = random.bytes(size);
                let next = updated(hash, 3, &state, &piece);
                if length < (1 << 60) - 2000 {
                    finished(hash, 3, &next, &piece);
                }
            }
        }
        assert!(accepted > 100, "{hash:?} {accepted}");
    }
}
