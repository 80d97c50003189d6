//! Our xxHash is that of `twox-hash`, however the message comes and whichever instructions compute
//! it, and saved states are what they say.

use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};

use super::*;
use crate::hash::digest::Digest;
use crate::inputs::Params;
use crate::tests::{Bytes, sizes};

const SEEDS: [u64; 4] = [0, 1, 0x9e37_79b1, 0xfedc_ba98_7654_3210];

fn with(seed: u64) -> Params<'static> {
    Params { seed, ..Params::NONE }
}

/// A hash and its reference implementation.
trait Compared: Digest {
    fn expected(seed: u64, source: &[u8]) -> Vec<u8>;

    fn computed(seed: u64, source: &[u8]) -> Vec<u8> {
        let mut target = vec![0xa5; Self::SIZE];
        Self::digest(&with(seed), source, &mut target);
        target
    }

    fn saved(&self) -> Vec<u8> {
        let mut state = vec![0xa5; Self::STATE];
        self.save(&mut state);
        state
    }
}

impl Compared for Xxh32 {
    fn expected(seed: u64, source: &[u8]) -> Vec<u8> {
        XxHash32::oneshot(seed as u32, source).to_be_bytes().to_vec()
    }
}

impl Compared for Xxh64 {
    fn expected(seed: u64, source: &[u8]) -> Vec<u8> {
        XxHash64::oneshot(seed, source).to_be_bytes().to_vec()
    }
}

impl Compared for Xxh3_64 {
    fn expected(seed: u64, source: &[u8]) -> Vec<u8> {
        XxHash3_64::oneshot_with_seed(seed, source).to_be_bytes().to_vec()
    }
}

impl Compared for Xxh3_128 {
    fn expected(seed: u64, source: &[u8]) -> Vec<u8> {
        XxHash3_128::oneshot_with_seed(seed, source).to_be_bytes().to_vec()
    }
}

/// Runs a generic function for each of the family.
macro_rules! for_each {
    ($function:ident($($argument:expr),*)) => {
        $function::<Xxh32>($($argument),*);
        $function::<Xxh64>($($argument),*);
        $function::<Xxh3_64>($($argument),*);
        $function::<Xxh3_128>($($argument),*);
    };
}

#[test]
fn own_code_agrees_with_the_library_at_every_size() {
    fn check<D: Compared>(source: &[u8]) {
        for seed in SEEDS {
            assert_eq!(
                D::computed(seed, source),
                D::expected(seed, source),
                "{} of seed {seed:x}",
                source.len()
            );
        }
    }
    let source = Bytes(1).vec((1 << 20) + 1);
    for size in sizes() {
        for_each!(check(&source[..size]));
    }
}

/// The result must not depend on the address of the bytes.
#[test]
fn the_digest_does_not_depend_on_alignment() {
    fn check<D: Compared>(source: &[u8]) {
        for shift in 0..65 {
            let source = &source[shift..];
            assert_eq!(D::computed(7, source), D::expected(7, source), "{shift}");
        }
    }
    let source = Bytes(2).vec(5000);
    for_each!(check(&source));
}

/// From the specification's `xsum_sanity_check.c`: the first bytes of its generator, and the empty
/// message.
#[test]
fn known_answers_are_reproduced() {
    const PRIME32: u64 = 0x9e37_79b1;
    const PRIME64: u64 = 0x9e37_79b1_85eb_ca8d;
    let mut state = PRIME32;
    let source: [u8; 222] = std::array::from_fn(|_| {
        let byte = (state >> 56) as u8;
        state = state.wrapping_mul(PRIME64);
        byte
    });
    let hex = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for (size, seed, answer) in [
        (0, 0, "02cc5d05"),
        (0, PRIME32, "36b78ae7"),
        (1, 0, "cf65b03e"),
        (1, PRIME32, "b4545aa4"),
        (14, 0, "1208e7e2"),
        (222, 0, "5bd11dbd"),
        (222, PRIME32, "58803c5f"),
    ] {
        assert_eq!(hex(Xxh32::computed(seed, &source[..size])), answer, "{size}");
    }
    for (size, seed, answer) in [
        (0, 0, "ef46db3751d8e999"),
        (0, PRIME32, "ac75fda2929b17ef"),
        (1, 0, "e934a84adb052768"),
        (1, PRIME32, "5014607643a9b4c3"),
        (14, 0, "8282dcc4994e35c8"),
        (222, 0, "b641ae8cb691c174"),
        (222, PRIME32, "20cb8ab7ae10c14a"),
    ] {
        assert_eq!(hex(Xxh64::computed(seed, &source[..size])), answer, "{size}");
    }
    for (size, seed, answer) in [
        (0, 0, "2d06800538d394c2"),
        (0, PRIME64, "a8a6b918b2f0364a"),
        (1, 0, "c44bdff4074eecdb"),
        (1, PRIME64, "032be332dd766ef8"),
        (6, 0, "27b56a84cd2d7325"),
        (12, 0, "a713daf0dfbb77e7"),
        (24, 0, "a3fe70bf9d3510eb"),
        (48, 0, "397da259ecba1f11"),
        (80, 0, "bcdefbbb2c47c90a"),
        (195, 0, "cd94217ee362ec3a"),
    ] {
        assert_eq!(hex(Xxh3_64::computed(seed, &source[..size])), answer, "{size}");
    }
    for (size, seed, answer) in
        [(0, 0, "99aa06d3014798d86001c324468d497f"), (1, 0, "a6cd5e9392000f6ac44bdff4074eecdb")]
    {
        assert_eq!(hex(Xxh3_128::computed(seed, &source[..size])), answer, "{size}");
    }
}

/// The format of a saved state, spelled out: it must never change unnoticed.
#[test]
fn the_saved_state_has_this_format() {
    fn saved<D: Compared>(seed: u64, source: &[u8]) -> Vec<u8> {
        let mut state = D::new(&with(seed));
        state.update(source);
        state.saved()
    }
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
    assert_eq!(saved::<Xxh32>(0x1_0000_0007, &source[..21]), state);
    let state = fields(
        0x1_0000_0007,
        100,
        &lanes64(&[0xb934b0e623ae4615, 0x5b8764620752e4d9, 0xafd2ffb1793d44be, 0x9694c4609cce96a]),
        &source[96..100],
        80,
    );
    assert_eq!(saved::<Xxh64>(0x1_0000_0007, &source[..100]), state);

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
    assert_eq!(saved::<Xxh3_64>(7, &source[..70]), state);
    assert_eq!(saved::<Xxh3_128>(7, &source[..70]), state);
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
    assert_eq!(saved::<Xxh3_64>(7, &source), state);
    assert_eq!(saved::<Xxh3_128>(7, &source), state);
}

#[test]
fn an_incremental_hash_saved_and_loaded_at_each_border() {
    fn check<D: Compared>(source: &[u8], seed: u64, random: &mut Bytes) {
        let mut state = D::new(&with(seed));
        let mut taken = 0;
        while taken < source.len() {
            // Small pieces, whole blocks, and now and then a large one.
            let [kind, low, high] = random.array::<3>().map(usize::from);
            let size = match kind % 4 {
                0 => low % 8,
                1 => 64 * (low % 8),
                2 => low + 1,
                _ => low * high / 16,
            };
            let end = source.len().min(taken + size);
            state.update(&source[taken..end]);
            taken = end;

            let saved = state.saved();
            state = D::load(&with(seed), &saved).expect("a state that was saved");
            assert!(state.saved() == saved);
            // The state is that of the bytes, not of their pieces.
            let mut whole = D::new(&with(seed));
            whole.update(&source[..taken]);
            assert!(whole.saved() == saved, "{taken} of {}", source.len());

            let mut target = vec![0; D::SIZE];
            state.clone().finish(&mut target);
            assert_eq!(target, D::expected(seed, &source[..taken]), "{taken}");
            state.clone().finish_with(&source[taken..], &mut target);
            assert_eq!(target, D::expected(seed, source), "{taken} of {}", source.len());
        }
    }
    let mut random = Bytes(3);
    let source = random.vec(20_000);
    for size in [
        1, 15, 16, 17, 32, 64, 240, 241, 256, 257, 320, 511, 512, 513, 1024, 1025, 1280, 3000,
        9000, 20_000,
    ] {
        for seed in SEEDS {
            for_each!(check(&source[..size], seed, &mut random));
        }
    }
}

/// At every size, since the end of XXH3 reaches back over borders.
#[test]
fn a_message_byte_by_byte_has_the_digest_of_one_piece() {
    fn check<D: Compared>(source: &[u8]) {
        let mut state = D::new(&with(5));
        for size in 0..=source.len() {
            let mut target = vec![0; D::SIZE];
            state.clone().finish(&mut target);
            assert_eq!(target, D::expected(5, &source[..size]), "{size}");
            state.update(&source[size..source.len().min(size + 1)]);
        }
    }
    let source = Bytes(4).vec(2500);
    for_each!(check(&source));
}

#[test]
fn bytes_that_are_not_a_state_are_refused() {
    fn check<D: Compared>(source: &[u8]) {
        let seed = 0x1_0000_0002;
        let refused = |state: &[u8]| D::load(&with(seed), state).is_none();
        for size in [0, 1, D::BLOCK - 1, D::BLOCK, 255, 256, 257, 1000] {
            let mut state = D::new(&with(seed));
            state.update(&source[..size]);
            let saved = state.saved();
            assert!(!refused(&saved));
            for length in (0..D::STATE).chain([D::STATE + 1, 2 * D::STATE]) {
                let mut other = saved.clone();
                other.resize(length, 0);
                assert!(refused(&other), "{length} bytes");
            }
            assert!(
                D::load(&with(seed + 1), &saved).is_none() && D::load(&with(0), &saved).is_none()
            );
            let changed = |at: usize, byte: u8| {
                let mut other = saved.clone();
                other[at] = byte;
                other
            };
            (0..8).for_each(|at| assert!(refused(&changed(at, saved[at] ^ 0x80)), "the seed"));
            // A count beyond all messages, and one that fits neither the lanes nor the buffer.
            assert!(refused(&changed(15, 0x40)) && refused(&changed(15, 0xff)));
            if size < 240 && size > 0 {
                assert!(refused(&changed(8, 0)), "bytes that are not counted");
                assert_eq!(
                    refused(&changed(16, saved[16] ^ 1)),
                    size < D::BLOCK || D::STATE > 300,
                    "lanes {size}"
                );
            }
            if size % D::BLOCK != 0 && size < 256 {
                assert!(refused(&changed(D::STATE - 1, 1)), "beyond the buffer's bytes");
            }
        }
    }
    let mut source = Bytes(5).vec(1000);
    source[0] |= 1; // is seen not to be counted
    for_each!(check(&source));
}

/// Any bytes at all: they are refused, or computed with; nothing panics.
#[test]
fn random_states_never_panic() {
    fn check<D: Compared>(random: &mut Bytes) {
        let mut accepted = 0;
        for round in 0..4000 {
            let mut state = random.vec(D::STATE);
            state[..8].copy_from_slice(&3_u64.to_le_bytes());
            let length: u64 = match round % 4 {
                0 => u64::from_le_bytes(random.array()) >> 2,
                1 => u64::from_le_bytes(random.array()) >> 44,
                2 => u64::from(random.array::<1>()[0]),
                _ => (u64::from_le_bytes(random.array()) >> 20) * D::STATE as u64,
            };
            state[8..16].copy_from_slice(&length.to_le_bytes());
            if round % 3 > 0 {
                let free = if D::STATE > 300 { 256 } else { D::BLOCK - length as usize % D::BLOCK };
                let kept = D::STATE - free;
                state[kept..].fill(0);
            }
            if let Some(mut loaded) = D::load(&with(3), &state) {
                accepted += 1;
                let mut target = vec![0; D::SIZE];
                loaded.clone().finish(&mut target);
                let [size] = random.array();
                let piece = random.vec(usize::from(size) * 5);
                loaded.update(&piece);
                assert!(
                    D::load(&with(3), &loaded.saved()).is_some() || length + 2000 > LENGTH_LIMIT
                );
                loaded.finish_with(&piece, &mut target);
            }
        }
        assert!(accepted > 100, "{accepted}");
    }
    let mut random = Bytes(6);
    for_each!(check(&mut random));
}
