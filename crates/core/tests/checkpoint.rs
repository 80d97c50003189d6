//! Sliced work gives the same results, reaches its checkpoints in time, and stops when it is
//! cancelled.

use std::process::Command;

use crate::support::Random;
use millrace_core::Error;
use millrace_core::catalog::{Cipher, HASHES, Hash, Parameter};
use millrace_core::checkpoint::{Checkpoint, NoCheckpoint, Slicer};
use millrace_core::chunks::Run;
use millrace_core::cipher::CipherKey;
use millrace_core::hash::{Params, digest};
use millrace_core::hasher::{finish, state_size, update};
use millrace_core::hmac::MacKey;
use millrace_core::many::{digests, lanes, macs};
use millrace_core::parameters::Parameters;

/// Counts pauses, and gives up some messages after some of them.
#[derive(Default)]
struct Counted {
    pauses: usize,
    /// The messages to cancel, each with the checkpoint from which on.
    cancelled: Vec<(usize, usize)>,
}

impl Counted {
    fn cancelling(cancelled: &[(usize, usize)]) -> Self {
        Counted { pauses: 0, cancelled: cancelled.to_vec() }
    }
}

impl Checkpoint for Counted {
    fn checkpoint(&mut self) {
        self.pauses += 1;
    }

    fn cancelled(&self, index: usize) -> bool {
        self.cancelled.iter().any(|&(message, pause)| message == index && self.pauses >= pause)
    }
}

const KEY: [u8; 32] = [3; 32];

fn params(hash: Hash) -> Params<'static> {
    let facts = hash.facts();
    Params {
        seed: if facts.seed_bits > 0 { 5 } else { 0 },
        key: facts.takes_raw_key().then_some(&KEY),
        ..Params::NONE
    }
}

fn digest_size(hash: Hash) -> usize {
    if hash.facts().digest_size == 0 { 33 } else { hash.facts().digest_size }
}

/// Returns the encoded parameters of a hash with output of any size; `None` for other hashes.
fn long_output(hash: Hash, size: usize) -> Option<Vec<u8>> {
    let size = (size as u64).to_le_bytes();
    let facts = hash.facts();
    let most = facts.parameter(Parameter::OutputLength).map_or(0, |range| range.most);
    if !facts.xof && most <= 64 {
        return None;
    }
    let mut parameters = Vec::new();
    if facts.key_required {
        parameters.push((Parameter::Key, &KEY[..]));
    }
    if !facts.xof {
        parameters.push((Parameter::OutputLength, &size[..]));
    }
    Some(Parameters::block(&parameters))
}

#[test]
fn a_long_output_in_slices_is_the_output() {
    let source = Random(3).bytes(20_000);
    let mut tested = 0;
    for hash in HASHES.iter().map(|facts| facts.hash) {
        for (length, size, slice) in
            [(0, 4097, 4096), (100, 10_000, 100), (20_000, 10_000, 7777), (20_000, 100, 4096)]
        {
            let Some(block) = long_output(hash, size) else { continue };
            let params = Params { parameters: Parameters::of(&block), ..Params::NONE };
            let (source, mut expected, mut target) =
                (&source[..length], vec![0; size], vec![0; size]);
            digest(hash, &params, source, &mut expected, None).expect("sizes fit");
            let mut checkpoint = Counted::default();
            let slicer = Some(Slicer::new(slice, &mut checkpoint));
            digest(hash, &params, source, &mut target, slicer).expect("not cancelled");
            let pauses = length.saturating_sub(1) / slice
                + if size > slice { size.div_ceil(slice) } else { 0 };
            assert_eq!((&target, checkpoint.pauses), (&expected, pauses), "{hash:?} {size}");
            if size > slice {
                let mut checkpoint = Counted::cancelling(&[(0, pauses)]);
                let slicer = Some(Slicer::new(slice, &mut checkpoint));
                let cancelled = digest(hash, &params, source, &mut target, slicer);
                assert_eq!(cancelled, Err(Error::Cancelled), "{hash:?} {size}");
            }
            tested += 1;
        }
    }
    assert!(tested > 4 * 15);
}

#[test]
fn a_sliced_digest_is_the_digest() {
    let source = Random(1).bytes(10_000);
    for facts in &HASHES {
        let (hash, params, size) = (facts.hash, params(facts.hash), digest_size(facts.hash));
        let mac = facts.hmac.then(|| MacKey::new(hash, b"key").expect("hmac is defined"));
        for length in [0, 1, 999, 1000, 1001, 2000, 2001, 10_000] {
            for slice in [0, 1, 64, 100, 1000, usize::MAX] {
                if slice <= 1 && length > 1001 {
                    continue;
                }
                let (source, what) =
                    (&source[..length], format!("{} of {length} by {slice}", facts.name));
                let pauses = if length == 0 { 0 } else { (length - 1) / slice.max(1) };
                let (mut expected, mut target) = (vec![0; size], vec![0; size]);
                digest(hash, &params, source, &mut expected, None).expect("sizes fit");
                let mut checkpoint = Counted::default();
                digest(
                    hash,
                    &params,
                    source,
                    &mut target,
                    Some(Slicer::new(slice, &mut checkpoint)),
                )
                .expect("not cancelled");
                assert_eq!((&target, checkpoint.pauses), (&expected, pauses), "{what}");

                let (mut state, mut next) = (vec![0; state_size(hash)], vec![0; state_size(hash)]);
                update(hash, &params, &[], b"before", &mut state, None).expect("sizes fit");
                let mut checkpoint = Counted::default();
                update(
                    hash,
                    &params,
                    &state,
                    source,
                    &mut next,
                    Some(Slicer::new(slice, &mut checkpoint)),
                )
                .expect("not cancelled");
                assert_eq!(checkpoint.pauses, pauses, "{what}");
                finish(hash, &params, &next, b"after", &mut target).expect("a state");
                digest(hash, &params, &[b"before", source, b"after"].concat(), &mut expected, None)
                    .expect("sizes fit");
                assert_eq!(target, expected, "{what}");

                let Some(mac) = &mac else { continue };
                let mut checkpoint = Counted::default();
                mac.mac(source, &mut expected, None).expect("sizes fit");
                mac.mac(source, &mut target, Some(Slicer::new(slice, &mut checkpoint)))
                    .expect("not cancelled");
                assert_eq!((&target, checkpoint.pauses), (&expected, pauses), "hmac-{what}");
                mac.update(&[], source, &mut state, Some(Slicer::new(slice, &mut NoCheckpoint)))
                    .expect("not cancelled");
                mac.finish(&state, &[], &mut target).expect("a state");
                assert_eq!(target, expected, "hmac-{what}");
            }
        }
    }
}

#[test]
fn a_cancelled_digest_leaves_the_target_unchanged() {
    let source = Random(2).bytes(1000);
    for facts in &HASHES {
        let (hash, params) = (facts.hash, params(facts.hash));
        let mut target = vec![0xa5; digest_size(hash)];
        let mut next = vec![0xa5; state_size(hash)];
        for pause in [1, 5, 9] {
            let cancelled = || Counted::cancelling(&[(0, pause)]);
            let mut checkpoint = cancelled();
            let result = digest(
                hash,
                &params,
                &source,
                &mut target,
                Some(Slicer::new(100, &mut checkpoint)),
            );
            assert_eq!(
                (result, checkpoint.pauses),
                (Err(Error::Cancelled), pause),
                "{}",
                facts.name
            );
            let result = update(
                hash,
                &params,
                &[],
                &source,
                &mut next,
                Some(Slicer::new(100, &mut cancelled())),
            );
            assert_eq!(result, Err(Error::Cancelled));
            if let Ok(mac) = MacKey::new(hash, b"key") {
                assert_eq!(
                    mac.mac(&source, &mut target, Some(Slicer::new(100, &mut cancelled()))),
                    Err(Error::Cancelled)
                );
                assert_eq!(
                    mac.update(&[], &source, &mut next, Some(Slicer::new(100, &mut cancelled()))),
                    Err(Error::Cancelled)
                );
            }
        }
        assert!(target.iter().chain(&next).all(|&byte| byte == 0xa5), "{}", facts.name);
        assert_eq!(
            digest(hash, &params, &source, &mut [], Some(Slicer::new(100, &mut NoCheckpoint))),
            Err(Error::OutputSize)
        );
        assert_eq!(
            update(
                hash,
                &params,
                &[1],
                &source,
                &mut next,
                Some(Slicer::new(100, &mut NoCheckpoint))
            ),
            Err(Error::State)
        );
    }
}

type Each<'a> = &'a mut dyn FnMut(usize, &[u8]);

/// Returns what `each` receives; checks that no index comes twice.
fn collect(count: usize, run: impl FnOnce(Each<'_>)) -> Vec<Option<Vec<u8>>> {
    let mut found = vec![None; count];
    run(&mut |index, bytes| {
        assert_eq!(found[index].replace(bytes.to_vec()), None, "{index} came twice")
    });
    found
}

#[test]
fn sliced_batches_are_batches() {
    let mut random = Random(3);
    let bytes = random.bytes(30_000);
    let mut batches: Vec<Vec<usize>> =
        vec![vec![], vec![100], vec![0; 20], vec![64; 40], vec![1000; 17], vec![5000; 33]];
    batches.extend([vec![20_000, 10], vec![7000, 7000, 7000, 6999], vec![10; 150]]);
    batches.extend((0..12).map(|turn| (0..turn * 7).map(|_| random.below(3000)).collect()));
    for facts in &HASHES {
        let (hash, params, size) = (facts.hash, params(facts.hash), digest_size(facts.hash));
        let mac = facts.hmac.then(|| MacKey::new(hash, b"key").expect("hmac is defined"));
        for lengths in &batches {
            let sources: Vec<&[u8]> = lengths
                .iter()
                .enumerate()
                .map(|(at, &length)| &bytes[at * 7..][..length])
                .collect();
            let count = sources.len();
            let unchecked = collect(count, |each| {
                digests(hash, &params, &sources, size, None, each).expect("sizes fit")
            });
            let expected_macs = mac.as_ref().map(|mac| {
                collect(count, |each| macs(mac, &sources, None, each).expect("nothing to refuse"))
            });
            for slice in [1, 64, 500, 4096, usize::MAX] {
                let what = format!("{} of {lengths:?} by {slice}", facts.name);
                let mut checkpoint = Counted::default();
                let sliced = collect(count, |each| {
                    digests(
                        hash,
                        &params,
                        &sources,
                        size,
                        Some(Slicer::new(slice, &mut checkpoint)),
                        each,
                    )
                    .expect("sizes fit");
                });
                assert!(sliced == unchecked, "{what}");
                // Alone or with others, no message goes much further than a slice without a pause.
                let longest = lengths.iter().max().map_or(0, |&longest| longest);
                assert!(
                    checkpoint.pauses >= longest / (slice.saturating_add(168)),
                    "{what}: {}",
                    checkpoint.pauses
                );
                if let (Some(mac), Some(unchecked)) = (&mac, &expected_macs) {
                    let mut checkpoint = Counted::default();
                    let sliced = collect(count, |each| {
                        macs(mac, &sources, Some(Slicer::new(slice, &mut checkpoint)), each)
                            .expect("nothing to refuse");
                    });
                    assert!(sliced == *unchecked, "hmac-{what}");
                }
            }
            // Every third message is cancelled, now or later: emitted digests are right, and
            // messages cancelled at once does not come.
            let cancelled: Vec<(usize, usize)> =
                (0..count).step_by(3).map(|index| (index, index % 4)).collect();
            let check = |found: Vec<Option<Vec<u8>>>, unchecked: &[Option<Vec<u8>>]| {
                for (index, found) in found.iter().enumerate() {
                    let at_once = cancelled.contains(&(index, 0));
                    let wanted = !cancelled.iter().any(|&(message, _)| message == index);
                    assert!(found.is_none() || !at_once, "{} {index}", facts.name);
                    assert!(found.is_some() || !wanted, "{} {index}", facts.name);
                    assert!(
                        found.is_none() || *found == unchecked[index],
                        "{} {index}",
                        facts.name
                    );
                }
            };
            let mut checkpoint = Counted::cancelling(&cancelled);
            let found = collect(count, |each| {
                digests(
                    hash,
                    &params,
                    &sources,
                    size,
                    Some(Slicer::new(500, &mut checkpoint)),
                    each,
                )
                .expect("sizes fit");
            });
            check(found, &unchecked);
            if let (Some(mac), Some(unchecked)) = (&mac, &expected_macs) {
                let mut checkpoint = Counted::cancelling(&cancelled);
                let found = collect(count, |each| {
                    macs(mac, &sources, Some(Slicer::new(500, &mut checkpoint)), each)
                        .expect("nothing to refuse");
                });
                check(found, unchecked);
            }
        }
    }
}

#[test]
fn work_ends_early_once_every_message_is_cancelled() {
    let bytes = vec![7; 100_000];
    for hash in [
        Hash::Sha256,
        Hash::Sha512,
        Hash::Md5,
        Hash::Sha1,
        Hash::Sha3_256,
        Hash::Blake3,
        Hash::Ripemd160,
    ] {
        for count in [1, 2, 16, 40] {
            let (sources, cancelled) =
                (vec![&bytes[..]; count], (0..count).map(|index| (index, 2)).collect::<Vec<_>>());
            let mut checkpoint = Counted::cancelling(&cancelled);
            let found = collect(count, |each| {
                digests(
                    hash,
                    &Params::default(),
                    &sources,
                    digest_size(hash),
                    Some(Slicer::new(1000, &mut checkpoint)),
                    each,
                )
                .expect("sizes fit");
            });
            assert!(found.iter().all(Option::is_none), "{hash:?} {count}");
            assert!(checkpoint.pauses <= 3, "{hash:?} {count}: {}", checkpoint.pauses);
        }
    }
}

#[test]
fn each_hash_has_its_number_of_lanes() {
    assert_eq!(lanes(Hash::Blake3), 1);
    assert_eq!(lanes(Hash::Ripemd160), 1);
    assert!([1, 2, 4, 8, 16].contains(&lanes(Hash::Sha256)));
}

#[test]
fn sliced_chunks_are_chunks_in_one_call() {
    let key = CipherKey::new(Cipher::Aes128Gcm, &[1; 16]).expect("a key of the right size");
    let (nonce, source) = ([2; 12], Random(4).bytes(1000));
    let run = Run { base_nonce: &nonce, first: 0, count: 10, chunk_size: 100 };
    let (mut expected, mut sealed, mut opened) = ([0; 1160], [0; 1160], [0; 1000]);
    key.seal_chunks(run, &source, &mut expected, None).expect("fits");
    for (slice, pauses) in
        [(0, 9), (1, 9), (116, 9), (117, 4), (300, 3), (1044, 1), (1045, 0), (usize::MAX, 0)]
    {
        let mut checkpoint = Counted::default();
        key.seal_chunks(run, &source, &mut sealed, Some(Slicer::new(slice, &mut checkpoint)))
            .expect("not cancelled");
        assert_eq!((sealed, checkpoint.pauses), (expected, pauses), "{slice}");
        let mut checkpoint = Counted::default();
        key.open_chunks(run, &sealed, &mut opened, Some(Slicer::new(slice, &mut checkpoint)))
            .expect("authentic");
        assert_eq!((&opened[..], checkpoint.pauses), (&source[..], pauses), "{slice}");
    }
    let cancelled = || Counted::cancelling(&[(0, 3)]);
    let result = key.seal_chunks(run, &source, &mut sealed, Some(Slicer::new(1, &mut cancelled())));
    assert_eq!((result, sealed), (Err(Error::Cancelled), [0; 1160]));
    let result =
        key.open_chunks(run, &expected, &mut opened, Some(Slicer::new(1, &mut cancelled())));
    assert_eq!((result, opened), (Err(Error::Cancelled), [0; 1000]));
}

/// Set in the processes that the next test starts.
const CHILD: &str = "MILLRACE_TEST_CHILD";

/// The tests of this file once more with fewer instructions, and without any kernel.
#[test]
fn hidden_instructions_and_no_lanes_change_no_result() {
    if std::env::var_os(CHILD).is_some() {
        return;
    }
    for (variable, value) in [
        ("MILLRACE_CPU_HIDE", "avx512f"),
        ("MILLRACE_CPU_HIDE", "avx512bw,sha-ni"),
        ("MILLRACE_LANES", "off"),
    ] {
        let this = std::env::current_exe().expect("this program");
        let status = Command::new(this)
            .args(["-q", "checkpoint::"])
            .env(variable, value)
            .env(CHILD, "")
            .status()
            .expect("it starts");
        assert!(status.success(), "{variable}={value}");
    }
}
