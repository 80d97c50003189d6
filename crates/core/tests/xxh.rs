//! Our xxHash is that of `twox-hash`, whichever instructions compute it, and saved states are what
//! they say.

use millrace_core::catalog::{Hash, HashFacts};
use millrace_core::hash::{Params, digest};
use millrace_core::hasher::{check, update};
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
