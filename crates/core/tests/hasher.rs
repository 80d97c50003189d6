//! Running hashes: whatever way a message takes through states, the digest is that of the message;
//! and what is not a state is refused.

use crate::support::{Random, hex, pattern, vectors};
use blake3::hazmat::{HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root};
use millrace_core::Error;
use millrace_core::catalog::{HASHES, Hash, HashFacts, Parameter};
use millrace_core::hash::{Params, digest};
use millrace_core::hasher::{check, finish, squeeze, state_size, update};
use millrace_core::parameters::Parameters;
use millrace_core::split::is_tree;

const KEY: [u8; 32] = *b"whats the Elvish word for friend";
const KEYED: Params<'_> = Params { key: Some(&KEY), ..Params::NONE };
const PLAIN: Params<'_> = Params::NONE;

/// Returns every hash, with a seed or key too where it takes one.
fn all() -> Vec<(&'static HashFacts, Params<'static>)> {
    let mut all: Vec<_> = HASHES.iter().map(|facts| (facts, PLAIN)).collect();
    all.extend(HASHES.iter().filter(|facts| facts.takes_raw_key()).map(|facts| (facts, KEYED)));
    let seeded = Params { seed: 0x1234_5678_9abc_def0, ..Params::NONE };
    all.extend(HASHES.iter().filter(|facts| facts.seed_bits > 0).map(|facts| (facts, seeded)));
    all
}

fn xofs() -> impl Iterator<Item = (&'static HashFacts, Params<'static>)> {
    all().into_iter().filter(|(facts, _)| facts.xof)
}

fn target(facts: &HashFacts) -> Vec<u8> {
    vec![0xa5; if facts.digest_size == 0 { 50 } else { facts.digest_size }]
}

fn whole(facts: &HashFacts, params: &Params<'_>, source: &[u8]) -> Vec<u8> {
    let mut target = target(facts);
    digest(facts.hash, params, source, &mut target, None).expect(facts.name);
    target
}

fn finished(facts: &HashFacts, params: &Params<'_>, state: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut target = target(facts);
    finish(facts.hash, params, state, rest, &mut target).expect(facts.name);
    target
}

fn updated(hash: Hash, params: &Params<'_>, state: &[u8], source: &[u8]) -> Vec<u8> {
    let mut next = vec![0xa5; state_size(hash)];
    update(hash, params, state, source, &mut next, None).expect("a state");
    next
}

fn squeezed(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
    size: usize,
) -> (Vec<u8>, Vec<u8>) {
    let (mut target, mut next) = (vec![0xa5; size], vec![0xa5; state_size(hash)]);
    squeeze(hash, params, state, rest, &mut target, &mut next).expect("a state");
    (target, next)
}

/// Returns a state with another length of the message than its words say.
fn with_length(facts: &HashFacts, state: &[u8], length: u64) -> Vec<u8> {
    let at = facts.state_size - facts.block_size - 8;
    let mut state = state.to_vec();
    state[at..at + 8].copy_from_slice(&length.to_le_bytes());
    state
}

#[test]
fn a_message_byte_by_byte_has_the_digest_of_one_piece() {
    let source = pattern(2100);
    for (facts, params) in all() {
        let mut state = Vec::new();
        for size in 0..source.len() {
            // All lengths are many in a build without optimization: of most hashes a third is
            // finished. The end of XXH3 reaches back over borders.
            if !facts.cryptographic
                || size % 3 == 0
                || size % facts.block_size < 2
                || size % 1024 < 2
            {
                let expected = whole(facts, &params, &source[..size]);
                let digest = finished(facts, &params, &state, &[]);
                assert_eq!(digest, expected, "{} of {size}", facts.name);
            }
            state = updated(facts.hash, &params, &state, &source[size..=size]);
            assert_eq!(check(facts.hash, &params, &state), Ok(()));
        }
        // However it came about, a state has one form.
        assert_eq!(state, updated(facts.hash, &params, &[], &source), "{}", facts.name);
        assert_eq!(state, updated(facts.hash, &params, &state, &[]), "{}", facts.name);
    }
}

/// Checks that the state at each of these places of a message leads to the state and the digest at
/// each later one. As a state is all that an update knows, any number of updates then is one.
fn check_borders(facts: &HashFacts, params: &Params<'_>, places: &[usize]) {
    let source = pattern(places[places.len() - 1]);
    let states: Vec<_> =
        places.iter().map(|&at| updated(facts.hash, params, &[], &source[..at])).collect();
    for (end, &to) in places.iter().enumerate() {
        let digest = whole(facts, params, &source[..to]);
        for (&from, state) in places[..=end].iter().zip(&states) {
            let rest = &source[from..to];
            let next = updated(facts.hash, params, state, rest);
            let same = next == states[end] && finished(facts, params, state, rest) == digest;
            assert!(same, "{} from {from} to {to}", facts.name);
        }
    }
}

#[test]
fn every_border_of_a_short_message_changes_nothing() {
    for (facts, params) in all() {
        let most = match facts.state_size {
            202 | 410 => 2 * facts.block_size, // sponges
            _ => 3 * facts.block_size,
        };
        check_borders(facts, &params, &(0..=most + 2).collect::<Vec<_>>());
        // XXH3 absorbs 256 bytes at once, and scrambles its lanes after 1024.
        if facts.state_size == 336 {
            let places = (0..=2400).filter(|at| *at < 600 || (at + 1) % 64 < 3);
            check_borders(facts, &params, &places.collect::<Vec<_>>());
        }
    }
    // Leaves of a few bytes, 32 of which are hashed at once.
    for (hash, size) in [(Hash::ParallelHash128, 1_u64), (Hash::ParallelHashXof256, 3)] {
        let block = Parameters::block(&[(Parameter::BlockSize, &size.to_le_bytes())]);
        let params = Params { parameters: Parameters::of(&block), ..Params::NONE };
        check_borders(hash.facts(), &params, &(0..=66 * size as usize + 2).collect::<Vec<_>>());
    }
}

/// The borders of leaves and one byte beside, of BLAKE3 with subtrees of up to 32 leaves.
#[test]
fn every_border_of_leaves_changes_nothing() {
    let trees = |facts: &HashFacts| is_tree(facts.hash);
    for (facts, params) in all().into_iter().filter(|(facts, _)| trees(facts)) {
        let (leaf, count) = if facts.hash == Hash::Blake3 { (1024, 33) } else { (8192, 5) };
        let around = |leaf: usize| [leaf.saturating_sub(1), leaf, leaf + 1];
        let mut places: Vec<_> = (0..=count).flat_map(|index| around(index * leaf)).collect();
        places.dedup();
        check_borders(facts, &params, &places);
    }
}

#[test]
fn random_pieces_of_output_are_the_output() {
    let mut random = Random(3);
    let source = random.bytes(10_000);
    for (facts, params) in xofs() {
        for size in [0, 1, 135, 136, 168, 1000, 1024, 1025, 2048, 3000, 4096, 10_000] {
            let mut expected = vec![0; 3000];
            digest(facts.hash, &params, &source[..size], &mut expected, None).expect(facts.name);
            let state = updated(facts.hash, &params, &[], &source[..size / 2]);
            let mut rest = &source[size / 2..size];
            let (mut state, mut output) = (state, Vec::new());
            while output.len() < expected.len() {
                let size =
                    random.below(expected.len() - output.len() + 1).min(1 << random.below(11));
                let (more, next) = squeezed(facts.hash, &params, &state, rest, size);
                assert_eq!(check(facts.hash, &params, &next), Ok(()));
                output.extend(more);
                (state, rest) = (next, &[]);
            }
            assert_eq!(output, expected, "{} of {size}", facts.name);
        }
        let (output, _) = squeezed(facts.hash, &params, &[], &source, 32);
        let mut expected = [0; 32];
        digest(facts.hash, &params, &source, &mut expected, None).expect(facts.name);
        assert_eq!(output, expected, "{} at once", facts.name);
    }
}

/// As [`check_borders`], of output.
#[test]
fn every_border_of_short_output_changes_nothing() {
    for (facts, params) in xofs() {
        // BLAKE3's kernels compute 16 blocks at once.
        let near_a_border =
            |at: &usize| *at < 150 || facts.hash != Hash::Blake3 || (at + 1) % 64 < 3;
        let most = if facts.hash == Hash::Blake3 { 1100 } else { 2 * facts.block_size + 2 };
        let places: Vec<_> = (0..=most).filter(near_a_border).collect();
        let mut output = vec![0; most];
        digest(facts.hash, &params, b"abc", &mut output, None).expect(facts.name);
        let state = |to| squeezed(facts.hash, &params, &[], b"abc", to).1;
        let states: Vec<_> = places.iter().map(|&to| state(to)).collect();
        for (end, &to) in places.iter().enumerate() {
            for (&from, state) in places[..=end].iter().zip(&states) {
                let (more, next) = squeezed(facts.hash, &params, state, &[], to - from);
                let same = more == output[from..to] && next == states[end];
                assert!(same, "{} from {from} to {to}", facts.name);
            }
        }
    }
}

/// Returns how a state is refused by an update, at the end and where output is read, which touch
/// nothing.
fn refusals(
    facts: &HashFacts,
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
) -> [Result<(), Error>; 3] {
    let (mut digest, mut next) = (target(facts), vec![0xa5; state_size(facts.hash)]);
    let results = [
        update(facts.hash, params, state, rest, &mut next, None),
        finish(facts.hash, params, state, rest, &mut digest),
        squeeze(facts.hash, params, state, rest, &mut digest, &mut next),
    ];
    assert!(next.iter().chain(&digest).all(|&byte| byte == 0xa5), "{}", facts.name);
    results
}

#[test]
fn wrong_states_and_sizes_are_refused() {
    let mut random = Random(5);
    for (facts, params) in all() {
        let (hash, name) = (facts.hash, facts.name);
        let state = updated(hash, &params, &[], &random.bytes(facts.block_size + 5));
        let (longer, twice) = ([&state[..], &[0]].concat(), state.repeat(2));
        let half = &state[..state.len() / 2];
        let squeezing = if facts.xof { Error::State } else { Error::NotSupported };
        for wrong in [&state[1..], &state[..state.len() - 1], half, &longer, &twice, &[0]] {
            assert_eq!(check(hash, &params, wrong), Err(Error::State), "{name}");
            let expected = [Error::State, Error::State, squeezing].map(Err);
            assert_eq!(refusals(facts, &params, wrong, b""), expected, "{name}");
        }
        assert_eq!(check(hash, &params, &[]), Err(Error::State), "{name}");
        let mut short = vec![0xa5; state_size(hash) - 1];
        let refused = update(hash, &params, &state, b"", &mut short, None);
        assert_eq!(refused, Err(Error::OutputSize), "{name}");
        assert_eq!(finish(hash, &params, &state, b"", &mut []), Err(Error::OutputSize), "{name}");
        assert!(short.iter().all(|&byte| byte == 0xa5), "{name}");
        if !facts.takes_raw_key() {
            let refused = [Err(Error::NotSupported); 3];
            assert_eq!(refusals(facts, &KEYED, &state, b""), refused, "{name}");
            assert_eq!(check(hash, &KEYED, &state), Err(Error::NotSupported), "{name}");
        }
    }
    for (facts, params) in xofs() {
        let (_, state) = squeezed(facts.hash, &params, &[], b"abc", 0);
        let refused = refusals(facts, &params, &state, b"d");
        assert_eq!(refused, [Err(Error::State); 3], "{}", facts.name);
        let refused =
            update(facts.hash, &params, &state, b"", &mut vec![0; facts.state_size], None);
        assert_eq!(refused, Err(Error::State), "{}", facts.name);
        let refused = finish(facts.hash, &params, &state, b"", &mut target(facts));
        assert_eq!(refused, Err(Error::State), "{}", facts.name);
    }
    // Under another key, or none.
    let state = updated(Hash::Blake3, &KEYED, &[], b"abc");
    let other = Params { key: Some(&[0; 32]), ..Params::NONE };
    assert_eq!(check(Hash::Blake3, &KEYED, &state), Ok(()));
    assert_eq!(check(Hash::Blake3, &other, &state), Err(Error::State));
    assert_eq!(check(Hash::Blake3, &PLAIN, &state), Err(Error::State));
    let state = updated(Hash::Blake3, &PLAIN, &[], b"abc");
    assert_eq!(check(Hash::Blake3, &KEYED, &state), Err(Error::State));
}

/// Whatever the bytes are, they are refused or lead to the one form of a state, and nothing panics.
#[test]
fn any_bytes_are_refused_or_a_state() {
    let mut random = Random(6);
    let (mut accepted, mut refused) = (0, 0);
    for (facts, params) in all() {
        for round in 0..if facts.cryptographic { 300 } else { 2000 } {
            let size = random.below(3000) >> random.below(12);
            let mut state = updated(facts.hash, &params, &[], &random.bytes(size));
            if facts.xof && random.below(2) == 0 {
                state = squeezed(facts.hash, &params, &state, &[], random.below(300)).1;
            }
            if round % 4 == 0 {
                // Of a hash with a seed, all but that.
                let kept = if facts.seed_bits > 0 { 8 } else { 0 };
                state.truncate(kept);
                state.extend(random.bytes(facts.state_size - kept));
            }
            for _ in 0..1 + random.below(3) {
                // At the border of fields, and bits that make large numbers, more often than by
                // chance.
                let at = match random.below(3) {
                    0 => random.below(facts.state_size),
                    1 => random.below(facts.state_size.min(24)),
                    _ => {
                        let end = facts.state_size.min(facts.block_size + 8);
                        facts.state_size - 1 - random.below(end)
                    }
                };
                let [bit, byte] = [1 << random.below(8), random.below(256) as u8];
                state[at] ^= if random.below(2) == 0 { bit } else { byte };
            }
            let (mut next, mut target) = (vec![0; facts.state_size], target(facts));
            match check(facts.hash, &params, &state) {
                Ok(()) => {
                    accepted += 1;
                    let again = update(facts.hash, &params, &state, b"", &mut next, None);
                    if again == Err(Error::State) {
                        squeeze(facts.hash, &params, &state, b"", &mut [], &mut next)
                            .expect(facts.name);
                    }
                    assert_eq!(next, state, "{}", facts.name);
                    let source = random.bytes(3000);
                    let _ = update(facts.hash, &params, &state, &source, &mut next, None);
                    let _ = finish(facts.hash, &params, &state, &source, &mut target);
                    let _ = squeeze(facts.hash, &params, &state, b"", &mut target, &mut next);
                }
                Err(error) => {
                    refused += 1;
                    assert_eq!(error, Error::State);
                    let [updated, finished, _] = refusals(facts, &params, &state, b"a");
                    assert_eq!((updated, finished), (Err(Error::State), Err(Error::State)));
                }
            }
        }
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted}, {refused}");
}

/// Bytes not in use must be zero, counters within bounds.
#[test]
fn a_state_has_one_form_only() {
    for (facts, params) in all().into_iter().filter(|(facts, _)| facts.cryptographic && !facts.xof)
    {
        let state = updated(facts.hash, &params, &[], &pattern(5));
        // A sponge, alone or as the root of a tree, of which the next function tells more.
        let sponge = matches!(facts.state_size, 202 | 410);
        let unused = if sponge {
            201..202
        } else {
            facts.state_size - facts.block_size + 5..facts.state_size
        };
        for at in unused {
            let mut state = state.clone();
            state[at] = 1;
            let checked = check(facts.hash, &params, &state);
            assert_eq!(checked, Err(Error::State), "{} at {at}", facts.name);
        }
        let out_of_bounds = match sponge {
            true => [&state[..200], &[facts.block_size as u8, 0], &state[202..]].concat(),
            false => with_length(facts, &state, (1 << 60) + 5),
        };
        assert_eq!(check(facts.hash, &params, &out_of_bounds), Err(Error::State), "{}", facts.name);
    }
    for (hash, rate) in [(Hash::Shake128, 168), (Hash::Shake256, 136)] {
        for (at, squeezing, fits) in [
            (rate - 1, 0, true),
            (rate, 0, false),
            (rate, 1, true),
            (rate + 1, 1, false),
            (0, 2, false),
        ] {
            let state = [&[7; 200][..], &[at, squeezing]].concat();
            assert_eq!(check(hash, &PLAIN, &state).is_ok(), fits, "{at} {squeezing}");
        }
    }
    let blake3 = |length: u64, output: u64, chunk: usize, values: usize| {
        let mut state = vec![0; 2648];
        state[..8].copy_from_slice(&length.to_le_bytes());
        state[8..16].copy_from_slice(&output.to_le_bytes());
        state[24..24 + chunk].fill(1);
        state[1048..1048 + 32 * values].fill(1);
        check(Hash::Blake3, &PLAIN, &state).is_ok()
    };
    for (length, output, chunk, values, fits) in [
        (1024, 0, 1024, 0, true),
        (1025, 0, 1, 1, true),
        (2048, 0, 0, 2, true),
        (4096, 0, 0, 2, true),
        (1 << 60, 0, 0, 2, true),
        ((1 << 60) - 1, 0, 1023, 50, true),
        (3 << 40, 0, 0, 2, true),
        (1024, 1 << 60, 1024, 0, true),
        (2048, 1, 0, 2, true),
        (1024, 0, 1024, 1, false),
        (1025, 0, 2, 1, false),
        (2048, 0, 1, 2, false),
        (2048, 0, 0, 3, false),
        ((1 << 60) + 1, 0, 1, 1, false),
        (1024, (1 << 60) + 1, 1024, 0, false),
        (4096, 1, 0, 2, false),
    ] {
        let found = blake3(length, output, chunk, values);
        assert_eq!(found, fits, "{length} {output} {chunk} {values}");
    }
}

/// A root, the lanes of the current leaf, the bytes in leaves and, of KangarooTwelve, in the root.
#[test]
fn a_state_of_a_tree_has_one_form_only() {
    let tree = |hash: Hash, params: &Params<'_>, at: u64, leaf: u8, counts: &[u64]| {
        let mut state = [&[7; 200][..], &[at as u8, 0], &[leaf; 200]].concat();
        counts.iter().for_each(|count| state.extend(count.to_le_bytes()));
        check(hash, params, &state).is_ok()
    };
    // The root begins with the block size in 3 bytes, and 32 bytes of each leaf follow.
    let parallel = |at, leaf, length: u64| tree(Hash::ParallelHash128, &PLAIN, at, leaf, &[length]);
    let at = |leaves: u64| (3 + 32 * leaves) % 168;
    assert!(parallel(3, 0, 0) && parallel(3, 1, 5) && parallel(3, 1, 8191));
    assert!(parallel(at(1), 0, 8192) && parallel(at(1), 1, 8193) && parallel(at(9), 1, 80_000));
    assert!(parallel(at(1 << 47), 0, 1 << 60) && !parallel(at(1 << 47), 1, (1 << 60) + 1));
    assert!(!parallel(3, 1, 0) && !parallel(at(1), 1, 8192) && !parallel(3, 0, 8192));
    assert!(!parallel(at(1), 1, 5) && !parallel(4, 1, 5) && !parallel(168, 1, 5));
    // More bytes of leaves than 64 bits count.
    let block = Parameters::block(&[(Parameter::BlockSize, &1_u64.to_le_bytes())]);
    let params = Params { parameters: Parameters::of(&block), ..Params::NONE };
    let place = (2 + 32 * ((1 << 60) % 168)) % 168;
    assert!(tree(Hash::ParallelHash128, &params, place, 0, &[1 << 60]));
    assert!(!tree(Hash::ParallelHash128, &params, place + 1, 0, &[1 << 60]));

    // The root begins with the first chunk, and 8 bytes and 32 of each leaf follow.
    let kt = |at, leaf, counts: [u64; 2]| tree(Hash::Kt128, &PLAIN, at, leaf, &counts);
    assert!(kt(0, 0, [0, 0]) && kt(5, 0, [0, 5]) && kt(8192 % 168, 0, [0, 8192]));
    assert!(kt(8200 % 168, 1, [1, 8192]) && kt(8232 % 168, 0, [8192, 8192]));
    assert!(!kt(5, 0, [0, 6]) && !kt(5, 1, [0, 5]) && !kt(8193 % 168, 0, [0, 8193]));
    assert!(!kt(8199 % 168, 1, [1, 8191]) && !kt(8200 % 168, 0, [8192, 8192]));
    assert!(!kt(8232 % 168, 1, [8192, 8192]) && !kt(8200 % 168, 1, [(1 << 60) + 1, 8192]));
}

/// Digests of messages of more than 2^32 bytes (and bits, of 2^35), by the padding that they must
/// get and by RFC 7693 in its own words; and states of xxHash.
#[test]
fn states_lead_to_the_recorded_digests_and_states() {
    for record in vectors!("running-states") {
        let facts = Hash::by_name(record.text("algorithm")).expect("a hash").facts();
        let params = Params { seed: record.number("seed"), ..PLAIN };
        let [state, source] = ["state", "source"].map(|name| record.bytes(name));
        for at in [0, 1, source.len() / 2, source.len() - 1, source.len()] {
            let (first, rest) = source.split_at(at);
            let next = updated(facts.hash, &params, &state, first);
            if record.has("digest") {
                let digest = finished(facts, &params, &next, rest);
                assert_eq!(digest, record.bytes("digest"), "{record}");
            } else {
                let next = updated(facts.hash, &params, &next, rest);
                assert_eq!(next, record.bytes("next"), "{record}");
            }
        }
    }
}

/// The library is the oracle of subtrees far to the right, and of output far from its beginning.
#[test]
fn subtrees_far_into_a_message_agree_with_the_library() {
    let source = pattern(10_000);
    let (left, right) = ([3; 32], [5; 32]);
    // Two subtrees, and 7 bytes.
    for length in [(1_u64 << 32) + 4096 + 7, (1 << 42) + 4096 + 7, (1 << 59) + 4096 + 7] {
        let mut state = vec![0; state_size(Hash::Blake3)];
        state[..8].copy_from_slice(&length.to_le_bytes());
        state[24..31].copy_from_slice(&source[..7]);
        state[1048..1080].copy_from_slice(&left);
        state[1080..1112].copy_from_slice(&right);
        // To the end of a subtree of four chunks, and one byte more.
        let state = updated(Hash::Blake3, &PLAIN, &state, &source[7..4000]);
        let digest = finished(Hash::Blake3.facts(), &PLAIN, &state, &source[4000..4097]);
        let value = |from: usize, to: usize| {
            let mut hasher = blake3::Hasher::new();
            hasher
                .set_input_offset(length - 7 + from as u64)
                .update(&source[from..to])
                .finalize_non_root()
        };
        let merge = |left, right| merge_subtrees_non_root(&left, &right, Mode::Hash);
        let right = merge(merge(right, value(0, 4096)), value(4096, 4097));
        assert_eq!(digest, merge_subtrees_root(&left, &right, Mode::Hash).as_bytes(), "{length}");
    }
    for size in [100, 5000] {
        let mut output = blake3::Hasher::new().update(&source[..size]).finalize_xof();
        let (_, state) = squeezed(Hash::Blake3, &PLAIN, &[], &source[..size], 1);
        for at in [(1_u64 << 32) - 50, (1 << 38) - 50, (1 << 60) - 50] {
            let mut state = state.clone();
            state[8..16].copy_from_slice(&(at + 1).to_le_bytes());
            let (found, _) = squeezed(Hash::Blake3, &PLAIN, &state, &[], 200);
            let mut expected = [0; 200];
            output.set_position(at);
            output.fill(&mut expected);
            assert_eq!(found, expected, "{at}");
        }
    }
}

/// States travel between versions and machines: their format is kept. Which hash it is, they do not
/// tell.
#[test]
fn the_format_of_states_does_not_change() {
    let state = updated(Hash::Sha256, &PLAIN, &[], &[&[0x61; 64][..], b"abc"].concat());
    // Words, length, buffer.
    let words = "1cb85bdf26061ee894a845fb310fd44f16685eb2c199d4d6294990ab665e6300";
    assert_eq!(hex(&state), format!("{words}4300000000000000616263{}", "00".repeat(61)));

    let kind = |params: &Params<'_>| match (params.key, params.seed) {
        (Some(_), _) => "keyed",
        (None, 0) => "plain",
        _ => "seeded",
    };
    let mark = |state: &[u8]| hex(&whole(Hash::Md5.facts(), &PLAIN, state));
    let mut found = Vec::new();
    for (facts, params) in all() {
        let state = updated(facts.hash, &params, &[], &pattern(7000));
        found.push([facts.name.to_string(), kind(&params).to_string(), mark(&state)]);
    }
    for (facts, params) in xofs() {
        let (_, state) = squeezed(facts.hash, &params, &[], &pattern(7000), 100);
        found.push([facts.name.to_string(), format!("{}, output", kind(&params)), mark(&state)]);
    }
    let expected = vectors!("states");
    let expected = expected
        .iter()
        .map(|row| ["algorithm", "kind", "md5"].map(|name| row.text(name).to_string()));
    assert_eq!(found, expected.collect::<Vec<_>>());
}
