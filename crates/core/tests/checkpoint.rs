//! Sliced work gives the same results, reaches its checkpoints in time, and stops when it is
//! cancelled.

use crate::support::{CHILD, Random, collect, params_of, run_again, sliced};
use millrace_core::Error;
use millrace_core::catalog::{Cipher, HASHES, Hash, Parameter};
use millrace_core::checkpoint::Slicer;
use millrace_core::chunks::Run;
use millrace_core::cipher::CipherKey;
use millrace_core::hash::{Params, digest};
use millrace_core::hasher::{finish, state_size, update};
use millrace_core::hmac::MacKey;
use millrace_core::many::{digests, lanes, macs};
use millrace_core::parameters::Parameters;

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
        parameters.push((Parameter::Key, &[3; 32][..]));
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
            let (source, mut expected) = (&source[..length], vec![0; size]);
            digest(hash, &params, source, &mut expected, None).expect("sizes fit");
            let run = |cancelled: &[(usize, usize)]| {
                sliced(slice, cancelled, |slicer| {
                    let mut target = vec![0; size];
                    digest(hash, &params, source, &mut target, slicer).map(|()| target)
                })
            };
            let pauses = length.saturating_sub(1) / slice
                + if size > slice { size.div_ceil(slice) } else { 0 };
            assert_eq!(run(&[]), (Ok(expected), pauses), "{hash:?} {size}");
            if size > slice {
                let (cancelled, _) = run(&[(0, pauses)]);
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
        let (hash, params, size) = (facts.hash, params_of(facts), digest_size(facts.hash));
        let mac = facts.hmac.then(|| MacKey::new(hash, b"key").expect("hmac is defined"));
        let whole = |source: &[u8], slicer: Option<Slicer<'_>>| {
            let mut target = vec![0; size];
            digest(hash, &params, source, &mut target, slicer).map(|()| target)
        };
        for length in [0, 1, 999, 1000, 1001, 2000, 2001, 10_000] {
            for slice in [0, 1, 64, 100, 1000, usize::MAX] {
                if slice <= 1 && length > 1001 {
                    continue;
                }
                let (source, what) =
                    (&source[..length], format!("{} of {length} by {slice}", facts.name));
                let pauses = if length == 0 { 0 } else { (length - 1) / slice.max(1) };
                let found = sliced(slice, &[], |slicer| whole(source, slicer));
                assert_eq!(found, (whole(source, None), pauses), "{what}");

                let (mut state, mut next) = (vec![0; state_size(hash)], vec![0; state_size(hash)]);
                update(hash, &params, &[], b"before", &mut state, None).expect("sizes fit");
                let found = sliced(slice, &[], |slicer| {
                    update(hash, &params, &state, source, &mut next, slicer)
                });
                assert_eq!(found, (Ok(()), pauses), "{what}");
                let mut target = vec![0; size];
                finish(hash, &params, &next, b"after", &mut target).expect("a state");
                let joined = [b"before", source, b"after"].concat();
                assert_eq!(Ok(target.clone()), whole(&joined, None), "{what}");

                let Some(mac) = &mac else { continue };
                let of = |source: &[u8], slicer: Option<Slicer<'_>>| {
                    let mut target = vec![0; size];
                    mac.mac(source, &mut target, slicer).map(|()| target)
                };
                let found = sliced(slice, &[], |slicer| of(source, slicer));
                assert_eq!(found, (of(source, None), pauses), "hmac-{what}");
                let found =
                    sliced(slice, &[], |slicer| mac.update(&[], source, &mut state, slicer));
                assert_eq!(found, (Ok(()), pauses), "hmac-{what}");
                mac.finish(&state, &[], &mut target).expect("a state");
                assert_eq!(Ok(target), of(source, None), "hmac-{what}");
            }
        }
    }
}

#[test]
fn a_cancelled_digest_leaves_the_target_unchanged() {
    let source = Random(2).bytes(1000);
    for facts in &HASHES {
        let (hash, params) = (facts.hash, params_of(facts));
        let mut target = vec![0xa5; digest_size(hash)];
        let mut next = vec![0xa5; state_size(hash)];
        for pause in [1, 5, 9] {
            let cancelled = |work: &mut dyn FnMut(Slicer<'_>) -> Result<(), Error>| {
                let found = sliced(100, &[(0, pause)], |slicer| slicer.map(work));
                assert_eq!(found, (Some(Err(Error::Cancelled)), pause), "{}", facts.name);
            };
            cancelled(&mut |slicer| digest(hash, &params, &source, &mut target, Some(slicer)));
            cancelled(&mut |slicer| update(hash, &params, &[], &source, &mut next, Some(slicer)));
            if let Ok(mac) = MacKey::new(hash, b"key") {
                cancelled(&mut |slicer| mac.mac(&source, &mut target, Some(slicer)));
                cancelled(&mut |slicer| mac.update(&[], &source, &mut next, Some(slicer)));
            }
        }
        assert!(target.iter().chain(&next).all(|&byte| byte == 0xa5), "{}", facts.name);
        let (refused, _) =
            sliced(100, &[], |slicer| digest(hash, &params, &source, &mut [], slicer));
        assert_eq!(refused, Err(Error::OutputSize));
        let (refused, _) =
            sliced(100, &[], |slicer| update(hash, &params, &[1], &source, &mut next, slicer));
        assert_eq!(refused, Err(Error::State));
    }
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
        let (hash, params, size) = (facts.hash, params_of(facts), digest_size(facts.hash));
        let mac = facts.hmac.then(|| MacKey::new(hash, b"key").expect("hmac is defined"));
        for lengths in &batches {
            let sources: Vec<&[u8]> = lengths
                .iter()
                .enumerate()
                .map(|(at, &length)| &bytes[at * 7..][..length])
                .collect();
            let count = sources.len();
            let hashed = |slicer: Option<Slicer<'_>>| {
                collect(count, |each| {
                    digests(hash, &params, &sources, size, slicer, each).expect("sizes fit");
                })
            };
            let authenticated = |mac: &MacKey, slicer: Option<Slicer<'_>>| {
                collect(count, |each| {
                    macs(mac, &sources, slicer, each).expect("nothing to refuse");
                })
            };
            let unchecked = hashed(None);
            let expected_macs = mac.as_ref().map(|mac| authenticated(mac, None));
            for slice in [1, 64, 500, 4096, usize::MAX] {
                let what = format!("{} of {lengths:?} by {slice}", facts.name);
                let (found, pauses) = sliced(slice, &[], hashed);
                assert!(found == unchecked, "{what}");
                // Alone or with others, no message goes much further than a slice without a pause.
                let longest = lengths.iter().max().map_or(0, |&longest| longest);
                assert!(pauses >= longest / (slice.saturating_add(168)), "{what}: {pauses}");
                if let (Some(mac), Some(unchecked)) = (&mac, &expected_macs) {
                    let (found, _) = sliced(slice, &[], |slicer| authenticated(mac, slicer));
                    assert!(found == *unchecked, "hmac-{what}");
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
                    let right = found.is_none() || *found == unchecked[index];
                    assert!(right, "{} {index}", facts.name);
                }
            };
            check(sliced(500, &cancelled, hashed).0, &unchecked);
            if let (Some(mac), Some(unchecked)) = (&mac, &expected_macs) {
                let (found, _) = sliced(500, &cancelled, |slicer| authenticated(mac, slicer));
                check(found, unchecked);
            }
        }
    }
}

#[test]
fn work_ends_early_once_every_message_is_cancelled() {
    use Hash::{Blake3, Md5, Ripemd160, Sha1, Sha3_256, Sha256, Sha512};
    let bytes = vec![7; 100_000];
    for hash in [Sha256, Sha512, Md5, Sha1, Sha3_256, Blake3, Ripemd160] {
        for count in [1, 2, 16, 40] {
            let (sources, cancelled) =
                (vec![&bytes[..]; count], (0..count).map(|index| (index, 2)).collect::<Vec<_>>());
            let (found, pauses) = sliced(1000, &cancelled, |slicer| {
                collect(count, |each| {
                    digests(hash, &Params::NONE, &sources, digest_size(hash), slicer, each)
                        .expect("sizes fit");
                })
            });
            assert!(found.iter().all(Option::is_none), "{hash:?} {count}");
            assert!(pauses <= 3, "{hash:?} {count}: {pauses}");
        }
    }
}

#[test]
fn each_hash_has_its_number_of_lanes() {
    assert!([1, 8, 16].contains(&lanes(Hash::Blake3)));
    assert_eq!(lanes(Hash::Kt128), 1);
    assert_eq!(lanes(Hash::Ripemd160), 1);
    assert!([1, 2, 4, 8, 16].contains(&lanes(Hash::Sha256)));
}

#[test]
fn sliced_chunks_are_chunks_in_one_call() {
    let key = CipherKey::new(Cipher::Aes128Gcm, &[1; 16]).expect("a key of the right size");
    let (nonce, source) = ([2; 12], Random(4).bytes(1000));
    let run = Run { base_nonce: &nonce, suffix: &[], first: 0, count: 10, chunk_size: 100 };
    let (mut expected, mut sealed, mut opened) = ([0; 1160], [0; 1160], [0; 1000]);
    key.seal_chunks(run, &source, &mut expected, None).expect("fits");
    let mut both = |slice, cancelled: &[(usize, usize)]| {
        let seals =
            sliced(slice, cancelled, |slicer| key.seal_chunks(run, &source, &mut sealed, slicer));
        let opens =
            sliced(slice, cancelled, |slicer| key.open_chunks(run, &expected, &mut opened, slicer));
        ([seals, opens], sealed, opened)
    };
    for (slice, pauses) in
        [(0, 9), (1, 9), (116, 9), (117, 4), (300, 3), (1044, 1), (1045, 0), (usize::MAX, 0)]
    {
        let (found, sealed, opened) = both(slice, &[]);
        assert_eq!(found, [(Ok(()), pauses); 2], "{slice}");
        assert_eq!((sealed, &opened[..]), (expected, &source[..]), "{slice}");
    }
    let (found, sealed, opened) = both(1, &[(0, 3)]);
    assert_eq!(found.map(|(result, _)| result), [Err(Error::Cancelled); 2]);
    assert_eq!((sealed, opened), ([0; 1160], [0; 1000]));
}

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
        run_again(&["checkpoint::"], &[(variable, value)], "");
    }
}
