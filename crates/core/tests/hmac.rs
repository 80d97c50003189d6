//! Known answers for HMAC with every hash, in one call and with a prepared key.

use crate::support::{Record, hex, pattern, vectors};
use millrace_core::Error;
use millrace_core::catalog::{HASHES, Hash};
use millrace_core::hash::Params;
use millrace_core::hasher::{check, state_size};
use millrace_core::hmac::{KeyStates, MacKey, hmac, key_states};

fn mac(name: &str, key: &[u8], source: &[u8]) -> String {
    let hash = Hash::by_name(name).expect(name);
    let mut target = vec![0xa5; hash.facts().digest_size];
    hmac(hash, key, source, &mut target).expect(name);

    let mut again = vec![0x5a; hash.facts().digest_size];
    let prepared = MacKey::new(hash, key).expect(name);
    for _ in 0..2 {
        prepared.mac(source, &mut again, None).expect(name);
        assert_eq!(target, again, "{name} with a prepared key");
    }
    let (first, rest) = source.split_at(source.len() / 3);
    let (mut state, mut next) = (vec![0; state_size(hash)], vec![0; state_size(hash)]);
    assert_eq!(prepared.state_size(), state_size(hash));
    prepared.update(&[], first, &mut state, None).expect(name);
    prepared.update(&state, rest, &mut next, None).expect(name);
    assert_eq!(check(hash, &Params::NONE, &next), Ok(()), "{name}");
    prepared.finish(&state, rest, &mut again).expect(name);
    assert_eq!(target, again, "{name} with a prepared key, incrementally");
    prepared.finish(&next, &[], &mut again).expect(name);
    assert_eq!(target, again, "{name} with a prepared key, in three steps");
    let states = states(hash, key);
    let states = KeyStates::new(hash, &states).expect(name);
    states.finish(&[], source, &mut again).expect(name);
    assert_eq!(target, again, "{name} from the states of its key");
    states.update(&[], first, &mut state, None).expect(name);
    states.update(&state, rest, &mut next, None).expect(name);
    states.finish(&next, &[], &mut again).expect(name);
    assert_eq!(target, again, "{name} from the states of its key, incrementally");
    hex(&target)
}

fn states(hash: Hash, key: &[u8]) -> Vec<u8> {
    let mut states = vec![0; 2 * state_size(hash)];
    key_states(hash, key, &mut states).expect("states");
    states
}

#[test]
fn wrong_states_of_keys_are_refused() {
    let hash = Hash::by_name("sha256").expect("sha256");
    let mut short = vec![0; 2 * state_size(hash) - 1];
    assert_eq!(key_states(hash, b"key", &mut short), Err(Error::OutputSize));
    assert_eq!(KeyStates::new(hash, &short).err(), Some(Error::State));
    let xof = Hash::by_name("shake128").expect("shake128");
    let mut states = vec![0; 2 * state_size(xof)];
    assert_eq!(key_states(xof, b"key", &mut states), Err(Error::NotSupported));
    assert_eq!(KeyStates::new(xof, &states).err(), Some(Error::State));
    let forged = vec![0xff; 2 * state_size(hash)];
    let forged =
        KeyStates::new(hash, &forged).expect("the contents are checked when they are used");
    assert_eq!(forged.finish(&[], b"", &mut [0; 32]), Err(Error::State));
}

#[test]
fn states_of_keys_hide_the_key() {
    let key = pattern(40);
    for facts in HASHES.iter().filter(|facts| facts.one_way) {
        let states = states(facts.hash, &key);
        for pad in [0, 0x36, 0x5c] {
            let part: Vec<u8> = key[..8].iter().map(|byte| byte ^ pad).collect();
            assert!(!states.windows(8).any(|bytes| bytes == part), "{}", facts.name);
        }
    }
}

/// The standards' examples, and macs of OpenSSL, for Keccak and BLAKE3 by RFC 2104 written out over
/// PyCryptodome's and the authors' hashes.
#[test]
fn known_answers_are_reproduced() {
    let check = |record: &Record, source: &[u8]| {
        let mac = mac(record.text("algorithm"), &record.bytes("key"), source);
        assert_eq!(mac, record.text("digest"), "{record}");
    };
    vectors!("hmacs").iter().for_each(|record| check(record, &record.bytes("source")));
    let counting = vectors!("counting-hmacs");
    counting.iter().for_each(|record| check(record, &record.message()));
    for facts in HASHES.iter().filter(|facts| facts.hmac) {
        let answers = counting.iter().filter(|record| record.text("algorithm") == facts.name);
        assert_eq!(answers.count(), 3, "{}", facts.name);
    }
}

/// Every length of key and of source about a border, against HMAC written out over the hash.
#[test]
fn keys_and_messages_at_borders_of_blocks_are_right() {
    let digest = |hash: Hash, parts: &[&[u8]]| {
        let mut target = vec![0; hash.facts().digest_size];
        millrace_core::hash::digest(hash, &Default::default(), &parts.concat(), &mut target, None)
            .expect("fits");
        target
    };
    for facts in HASHES.iter().filter(|facts| facts.hmac) {
        let block = facts.block_size;
        for key_size in [0, 1, block - 1, block, block + 1, 2 * block] {
            for source_size in
                [0, 1, block - 9, block - 1, block, block + 1, 2 * block, 5 * block + 3]
            {
                let (key, source) = (pattern(key_size), pattern(source_size));
                let mut pad =
                    if key.len() > block { digest(facts.hash, &[&key]) } else { key.clone() };
                pad.resize(block, 0);
                let inner: Vec<u8> = pad.iter().map(|byte| byte ^ 0x36).collect();
                let outer: Vec<u8> = pad.iter().map(|byte| byte ^ 0x5c).collect();
                let answer = digest(facts.hash, &[&outer, &digest(facts.hash, &[&inner, &source])]);
                let found = mac(facts.name, &key, &source);
                assert_eq!(found, hex(&answer), "{} {key_size} {source_size}", facts.name);
            }
        }
    }
}

#[test]
fn wrong_sizes_and_hashes_are_refused() {
    for facts in &HASHES {
        let size = facts.digest_size;
        if facts.hmac {
            for wrong in [0, size - 1, size + 1] {
                assert_eq!(hmac(facts.hash, b"", b"", &mut vec![0; wrong]), Err(Error::OutputSize));
                let key = MacKey::new(facts.hash, b"").expect("defined");
                assert_eq!(key.mac(b"", &mut vec![0; wrong], None), Err(Error::OutputSize));
                assert_eq!(key.finish(&[], b"", &mut vec![0; wrong]), Err(Error::OutputSize));
                assert_eq!(key.finish(&[1], b"", &mut vec![0; size]), Err(Error::State));
                let mut next = vec![0; facts.state_size + 1];
                assert_eq!(key.update(&[], b"", &mut next, None), Err(Error::OutputSize));
                assert_eq!(key.update(&[1], b"", &mut next[1..], None), Err(Error::State));
                assert_eq!(key.hash(), facts.hash);
            }
        } else {
            assert_eq!(hmac(facts.hash, b"", b"", &mut vec![0; size]), Err(Error::NotSupported));
            assert_eq!(MacKey::new(facts.hash, b"").err(), Some(Error::NotSupported));
        }
    }
}

#[test]
fn a_key_may_be_shared_by_threads() {
    let key = MacKey::new(Hash::Sha256, b"Jefe").expect("defined");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut target = [0; 32];
                for _ in 0..1000 {
                    key.mac(b"what do ya want for nothing?", &mut target, None).expect("fits");
                    assert_eq!(target[..4], [0x5b, 0xdc, 0xc1, 0x46]);
                }
            });
        }
    });
}
