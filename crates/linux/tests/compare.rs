//! Compares the kernel engine with the native engine where there is AF_ALG or /dev/crypto, as in
//! the guests of test/kernel. Elsewhere the engine must refuse with a reason.
//! `MILLRACE_KERNEL=af_alg,cryptodev` names the interfaces that must be available.

#![cfg(target_os = "linux")]

use std::cell::Cell;

use millrace_core::Error;
use millrace_core::catalog::{CIPHERS, Cipher, HASHES, Hash};
use millrace_core::checkpoint::{Checkpoint, Slicer};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{Params, digest};
use millrace_core::hmac::hmac;
use millrace_core::many::{macs, one_by_one};
use millrace_linux::{HashKind, KernelHashTable, LinuxEngine, report};

const NONE: Params<'static> = Params::NONE;
const SIZES: [usize; 13] = [0, 1, 16, 17, 63, 64, 65, 1000, 4096, 65_535, 65_536, 65_537, 200_000];

/// Returns the engines that work here; `npm test` collects the lines about the others.
#[track_caller]
fn engines() -> Vec<LinuxEngine> {
    let demanded = std::env::var("MILLRACE_KERNEL").unwrap_or_default();
    let mut there = Vec::new();
    for (name, engine) in [("af_alg", LinuxEngine::AfAlg), ("cryptodev", LinuxEngine::Cryptodev)] {
        match engine.digest(Hash::Sha256, &NONE, b"abc", &mut [0; 32], None) {
            Ok(()) => there.push(engine),
            Err(error) => {
                assert!(!demanded.contains(name), "{name} is not there: {error}");
                assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
                println!("skipped: {}: needs {name} ({error})", std::panic::Location::caller());
            }
        }
    }
    if !there.is_empty() {
        there.push(LinuxEngine::Kernel);
    }
    there
}

fn bytes(size: usize) -> Vec<u8> {
    (0..size).map(|index| (index * 7 + index / 251) as u8).collect()
}

/// Returns `None` for an algorithm that is not supported; the error must give the reason.
fn served<T>(engine: LinuxEngine, name: &str, result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Unavailable(reason)) => {
            assert!(reason.len() > 20, "{engine:?} {name}: {reason}");
            None
        }
        Err(error) => panic!("{engine:?} {name}: {error:?}"),
    }
}

fn digest_size(hash: Hash) -> usize {
    hash.facts().digest_size.max(1)
}

/// Returns what the native engine computes.
fn native(hash: Hash, source: &[u8]) -> Vec<u8> {
    let mut target = vec![0; digest_size(hash)];
    digest(hash, &NONE, source, &mut target, None).expect("native");
    target
}

/// Returns what the native engine computes.
fn native_mac(hash: Hash, key: &[u8], source: &[u8]) -> Vec<u8> {
    let mut target = vec![0; digest_size(hash)];
    hmac(hash, key, source, &mut target).expect("native");
    target
}

/// Returns the result of sealing, the text and a tag of this size.
fn seal(
    key: &CipherKey,
    [nonce, aad, source]: [&[u8]; 3],
    tag: usize,
) -> (Result<(), Error>, Vec<u8>, Vec<u8>) {
    let (mut target, mut tag) = (vec![0; source.len()], vec![0; tag]);
    let text = Text::Across { source, target: &mut target };
    (key.seal(nonce, aad, text, &mut tag), target, tag)
}

/// Returns the result of opening, and the text.
fn open(
    key: &CipherKey,
    [nonce, aad, source]: [&[u8]; 3],
    tag: &[u8],
) -> (Result<(), Error>, Vec<u8>) {
    let mut target = vec![1; source.len()];
    (key.open(nonce, aad, Text::Across { source, target: &mut target }, tag), target)
}

#[test]
fn refuses_with_a_reason() {
    // Algorithms that no interface has.
    for engine in [LinuxEngine::Kernel, LinuxEngine::AfAlg, LinuxEngine::Cryptodev] {
        for hash in [Hash::Blake3, Hash::Xxh64, Hash::Shake128, Hash::Keccak256] {
            let result = engine.digest(hash, &NONE, b"", &mut vec![0; digest_size(hash)], None);
            assert!(matches!(result, Err(Error::Unavailable(_))), "{engine:?} {hash:?} {result:?}");
        }
        assert!(matches!(
            engine.cipher_key(Cipher::Aes256GcmSiv, &[0; 32]),
            Err(Error::Unavailable(_))
        ));
    }
    let json = report(true);
    assert!(json.contains("\"sha256\":"), "{json}");
}

#[test]
fn hashes_as_native_does() {
    for engine in engines() {
        let mut count = 0;
        for facts in &HASHES {
            for size in SIZES {
                let (source, hash) = (bytes(size), facts.hash);
                let mut theirs = vec![0; digest_size(hash)];
                let result = engine.digest(hash, &NONE, &source, &mut theirs, None);
                if served(engine, facts.name, result).is_none() {
                    break;
                }
                assert_eq!(native(hash, &source), theirs, "{engine:?} {} {size}", facts.name);
                count += 1;
            }
        }
        assert!(count >= 7 * SIZES.len(), "{engine:?}: {count}");
    }
}

#[test]
fn macs_as_native_does() {
    for engine in engines() {
        let mut count = 0;
        for facts in HASHES.iter().filter(|facts| facts.hmac) {
            for key_size in [0, 1, facts.block_size, facts.block_size + 1, 1000] {
                let key = bytes(key_size);
                let Some(prepared) = served(engine, facts.name, engine.mac_key(facts.hash, &key))
                else {
                    break;
                };
                for size in [0, 3, 64, 65_537] {
                    let (source, mut theirs) = (bytes(size), vec![0; facts.digest_size]);
                    let what = format!("{engine:?} {} {key_size} {size}", facts.name);
                    prepared.mac(&source, &mut theirs, None).expect(&what);
                    assert_eq!(native_mac(facts.hash, &key, &source), theirs, "{what}");
                    count += 1;
                }
            }
        }
        assert!(count >= 100, "{engine:?}: {count}");
    }
}

#[test]
fn many_as_native_does() {
    for engine in engines() {
        let messages: Vec<_> = (0..20).map(|index| bytes(index * 37)).collect();
        let sources: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        let mut seen = 0;
        one_by_one(
            &sources,
            32,
            None,
            |index, each| {
                assert_eq!(native(Hash::Sha256, sources[index]), each);
                seen += 1;
            },
            |source, target| engine.digest(Hash::Sha256, &NONE, source, target, None),
        )
        .expect("served");
        let key = engine.mac_key(Hash::Sha1, b"key").expect("served");
        macs(&key, &sources, None, |index, each| {
            assert_eq!(native_mac(Hash::Sha1, b"key", sources[index]), each);
            seen += 1;
        })
        .expect("served");
        assert_eq!(seen, 40);
    }
}

#[test]
fn stream_ciphers_as_native_does() {
    for engine in engines() {
        let mut count = 0;
        for facts in CIPHERS.iter().filter(|facts| !facts.aead) {
            let key = bytes(facts.key_size);
            let ours = CipherKey::new(facts.cipher, &key).expect("native");
            let Some(theirs) = served(engine, facts.name, engine.cipher_key(facts.cipher, &key))
            else {
                continue;
            };
            // The counter overflows at every width.
            for iv in [
                [0; 16],
                [0xff; 16],
                [0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
            ] {
                for size in SIZES {
                    let (source, mut expected) = (bytes(size), vec![0; size]);
                    ours.apply(&iv, Text::Across { source: &source, target: &mut expected }, None)
                        .expect("native");
                    let mut across = vec![0; size];
                    theirs
                        .apply(&iv, Text::Across { source: &source, target: &mut across }, None)
                        .expect("served");
                    assert!(across == expected, "{engine:?} {} {size} {iv:?}", facts.name);
                    let mut place = source;
                    theirs.apply(&iv, Text::InPlace(&mut place), None).expect("served");
                    assert!(place == expected, "{engine:?} {} {size} {iv:?} in place", facts.name);
                    count += 1;
                }
            }
        }
        assert!(count >= 3 * 3 * SIZES.len(), "{engine:?}: {count}");
    }
}

#[test]
fn aeads_as_native_does() {
    for engine in engines() {
        let mut count = 0;
        for facts in CIPHERS.iter().filter(|facts| facts.aead) {
            let (key, nonce) = (bytes(facts.key_size), bytes(facts.iv_size));
            let ours = CipherKey::new(facts.cipher, &key).expect("native");
            let Some(theirs) = served(engine, facts.name, engine.cipher_key(facts.cipher, &key))
            else {
                continue;
            };
            for aad_size in [0, 1, 13, 300, 20_000] {
                for size in [0, 1, 16, 17, 1000, 65_535, 65_536, 150_000, 380_000] {
                    let what = format!("{engine:?} {} {size} {aad_size}", facts.name);
                    let (aad, source) = (bytes(aad_size), bytes(size));
                    let (result, expected, tag) = seal(&ours, [&nonce, &aad, &source], 16);
                    result.expect("native");
                    let (result, mut sealed, other_tag) =
                        seal(&theirs, [&nonce, &aad, &source], 16);
                    if let Err(Error::TooLarge(reason)) = result {
                        assert!(size > 65_536 && reason.contains("at most"), "{what}: {reason}");
                        assert!(sealed.iter().all(|&byte| byte == 0));
                        continue;
                    }
                    result.expect(&what);
                    assert!(sealed == expected && other_tag == tag, "{what}");
                    theirs.open(&nonce, &aad, Text::InPlace(&mut sealed), &tag).expect("authentic");
                    assert!(sealed == source, "{what} in place");
                    // The right tag, a wrong one, and the right one again.
                    let mut wrong = tag.clone();
                    wrong[15] ^= 1;
                    let zeros = (Err(Error::Authentication), vec![0; size]);
                    let right = (Ok(()), source);
                    for (tag, expected_text) in [(&tag, &right), (&wrong, &zeros), (&tag, &right)] {
                        let opened = open(&theirs, [&nonce, &aad, &expected], tag);
                        assert!(opened == *expected_text, "{what}");
                    }
                    count += 1;
                }
            }
            shorter_tags(engine, &ours, &theirs);
        }
        assert!(count >= 3 * 5 * 7, "{engine:?}: {count}");
    }
}

fn shorter_tags(engine: LinuxEngine, ours: &CipherKey, theirs: &CipherKey) {
    let facts = ours.cipher().facts();
    for size in (1..16).filter(|&size| facts.tag_fits(size)) {
        let (nonce, source) = (bytes(facts.iv_size), bytes(100));
        let parts: [&[u8]; 3] = [&nonce, b"aad", &source];
        let (result, mut expected, mut tag) = seal(ours, parts, size);
        result.expect("native");
        let (result, mut sealed, other_tag) = seal(theirs, parts, size);
        result.expect("served");
        assert!(sealed == expected && tag == other_tag, "{engine:?} {size}");
        let opened = theirs.open(&nonce, b"aad", Text::InPlace(&mut sealed), &tag);
        if served(engine, "short tags", opened).is_some() {
            assert_eq!(sealed, source[..], "{engine:?} {size}");
            tag[0] ^= 1;
            let refused = theirs.open(&nonce, b"aad", Text::InPlace(&mut expected), &tag);
            assert_eq!(refused, Err(Error::Authentication), "{engine:?} {size}");
        } else {
            assert!(sealed == expected, "untouched");
        }
    }
}

#[test]
fn refuses_large_messages_before_writing() {
    for engine in engines() {
        let key = engine.cipher_key(Cipher::Aes256Gcm, &[1; 32]).expect("served");
        let (mut text, mut tag) = (vec![5; 8 << 20], [0; 16]);
        let result = key.seal(&[0; 12], &[], Text::InPlace(&mut text), &mut tag);
        assert!(matches!(result, Err(Error::TooLarge(_))), "{result:?}");
        assert!(text.iter().all(|&byte| byte == 5), "untouched");
        key.seal(&[0; 12], &[], Text::InPlace(&mut text[..1000]), &mut tag)
            .expect("served after it");
    }
}

#[test]
fn running_hashes_have_handles() {
    for engine in engines() {
        let table = KernelHashTable::default();
        let of = HashKind::Hash(engine, Hash::Sha256, &NONE);
        let message = bytes(300_000);
        let (mut handle, mut copy) = ([0; 16], [0; 16]);
        table.update(of, &[], [b"", &message[..10]], &mut handle, None).expect("begun");
        let first = handle;
        table
            .update(of, &first, [&message[10..1000], &message[1000..200_000]], &mut handle, None)
            .expect("moved on");
        assert_eq!(first, handle);
        table.copy(&handle, &mut copy).expect("copied");
        assert_ne!(handle, copy);
        assert_eq!(table.count(), 2);
        // Another hash, a forged handle, a handle that is too short.
        let other = HashKind::Hash(engine, Hash::Sha1, &NONE);
        let refused = table.update(other, &first, [b"", b"x"], &mut handle, None);
        assert_eq!(refused, Err(Error::State));
        let mut forged = first;
        forged[15] ^= 1;
        assert_eq!(table.update(of, &forged, [b"", b"x"], &mut handle, None), Err(Error::State));
        assert_eq!(table.copy(&forged[..8], &mut [0; 16]), Err(Error::State));
        let mut target = [0; 32];
        for (handle, end) in [(copy, 200_000), (first, message.len())] {
            table.finish(of, &handle, &message[200_000..end], &mut target).expect("finished");
            assert_eq!(target, native(Hash::Sha256, &message[..end])[..]);
        }
        for spent in [first, copy] {
            assert_eq!(table.finish(of, &spent, &[], &mut target), Err(Error::State));
            assert!(!table.close(&spent));
        }
        assert_eq!(table.count(), 0);
        // An empty message on a channel that was used before.
        let mut empty = |handle: &[u8]| {
            table.finish(of, handle, &[], &mut target).expect("finished");
            assert_eq!(target, native(Hash::Sha256, &[])[..]);
        };
        empty(&[]);
        table.update(of, &[], [b"", b""], &mut handle, None).expect("begun");
        table.copy(&handle, &mut copy).expect("copied");
        [handle, copy].iter().for_each(|handle| empty(handle));
        // Under a key.
        let key = engine.mac_key(Hash::Sha512, b"key").expect("served");
        let (of, mut target) = (HashKind::Mac(&key), [0; 64]);
        table.update(of, &[], [b"", &message], &mut handle, None).expect("begun");
        table.copy(&handle, &mut copy).expect("copied");
        for handle in [handle, copy] {
            table.finish(of, &handle, &[], &mut target).expect("finished");
            assert_eq!(target, native_mac(Hash::Sha512, b"key", &message)[..]);
        }
        table.update(of, &[], [b"", &message], &mut handle, None).expect("begun");
        assert!(table.close(&handle));
        assert_eq!(table.count(), 0);
    }
}

/// Cancels at the checkpoint with this number.
struct CancelAt(Cell<usize>, usize);

impl Checkpoint for CancelAt {
    fn checkpoint(&mut self) {
        self.0.set(self.0.get() + 1);
    }

    fn cancelled(&self, _index: usize) -> bool {
        self.0.get() >= self.1
    }
}

#[test]
fn long_work_has_checkpoints_and_can_be_cancelled() {
    for engine in engines() {
        let (message, mut target) = (bytes(1 << 20), [0; 32]);
        let mut never = CancelAt(Cell::new(0), usize::MAX);
        let mut hash = |slicer: Slicer<'_>, source: &[u8]| {
            engine.digest(Hash::Sha256, &NONE, source, &mut target, Some(slicer)).map(|()| target)
        };
        hash(Slicer::new(100_000, &mut never), &message).expect("served");
        assert!(never.0.get() >= 7, "{}", never.0.get());
        let mut second = CancelAt(Cell::new(0), 2);
        let cancelled = hash(Slicer::new(65_536, &mut second), &message);
        assert_eq!(cancelled, Err(Error::Cancelled));
        // The cancelled message does not affect the next one.
        let after = hash(Slicer::new(65_536, &mut never), b"after").expect("served");
        assert_eq!(after[..], native(Hash::Sha256, b"after"));
        let key = engine.cipher_key(Cipher::Aes128Ctr, &[1; 16]).expect("served");
        let mut text = message.clone();
        let mut second = CancelAt(Cell::new(0), 2);
        let slicer = Some(Slicer::new(65_536, &mut second));
        let result = key.apply(&[0; 16], Text::InPlace(&mut text), slicer);
        assert_eq!(result, Err(Error::Cancelled));
        assert!(text.iter().all(|&byte| byte == 0));
        let table = KernelHashTable::default();
        let mut handle = [0; 16];
        let of = HashKind::Hash(engine, Hash::Sha1, &NONE);
        table.update(of, &[], [b"", b"begun"], &mut handle, None).expect("begun");
        let (again, mut first) = (handle, CancelAt(Cell::new(0), 1));
        let slicer = Some(Slicer::new(65_536, &mut first));
        let result = table.update(of, &again, [b"", &message], &mut handle, slicer);
        assert_eq!(result, Err(Error::Cancelled));
        assert_eq!(table.count(), 0);
    }
}

#[test]
fn threads_may_share_keys() {
    for engine in engines() {
        let key = engine.cipher_key(Cipher::Aes256Gcm, &[3; 32]).expect("served");
        let ours = CipherKey::new(Cipher::Aes256Gcm, &[3; 32]).expect("native");
        std::thread::scope(|scope| {
            for thread in 0..6_usize {
                let (key, ours) = (&key, &ours);
                scope.spawn(move || {
                    for round in 0..20 {
                        let source = bytes(thread * 1000 + round);
                        let parts: [&[u8]; 3] = [&[thread as u8; 12], &[], &source];
                        let native_seal = seal(ours, parts, 16);
                        assert!(native_seal.0.is_ok() && native_seal == seal(key, parts, 16));
                        let (mut theirs, one) = ([0; 32], native_seal.1);
                        engine
                            .digest(Hash::Sha256, &NONE, &one, &mut theirs, None)
                            .expect("served");
                        assert_eq!(native(Hash::Sha256, &one), theirs);
                    }
                });
            }
        });
    }
}

// Runs alone, as other tests open descriptors.
#[test]
#[ignore = "run alone: cargo test -p millrace-linux --test compare -- --ignored"]
#[cfg(target_os = "linux")]
fn no_descriptor_is_left_open() {
    let open = || std::fs::read_dir("/proc/self/fd").expect("procfs").count();
    for engine in engines() {
        let round = || {
            let key = engine.cipher_key(Cipher::Aes128Gcm, &[1; 16]).expect("served");
            let (mut text, mut tag) = ([0; 100], [0; 16]);
            key.seal(&[0; 12], &[], Text::InPlace(&mut text), &mut tag).expect("served");
            let _ = key.open(&[0; 12], &[], Text::InPlace(&mut text), &tag[..12]);
            assert!(key.open(&[0; 12], &[], Text::InPlace(&mut text), &[0; 16]).is_err());
            let mac = engine.mac_key(Hash::Sha256, &[1; 100]).expect("served");
            let table = KernelHashTable::default();
            let (mut handle, mut copy) = ([0; 16], [0; 16]);
            let of = HashKind::Mac(&mac);
            table.update(of, &[], [b"", b"begun"], &mut handle, None).expect("begun");
            table.copy(&handle, &mut copy).expect("copied");
            let of = HashKind::Hash(engine, Hash::Sha1, &NONE);
            table.update(of, &[], [b"", b"begun"], &mut copy, None).expect("begun");
            let mut target = [0; 32];
            engine.digest(Hash::Sha256, &NONE, b"", &mut target, None).expect("served");
        };
        round();
        let before = open();
        (0..200).for_each(|_| round());
        assert_eq!(open(), before, "{engine:?}");
    }
}
