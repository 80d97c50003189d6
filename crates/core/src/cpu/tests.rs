//! The report against what runs: the library counts the bytes that it processes.

use super::*;
use crate::catalog::{CIPHERS, CipherFacts, HASHES};
use crate::checkpoint::NoCheckpoint;
use crate::cipher::CipherKey;
use crate::cipher::message::CipherMessage;
use crate::cipher::running_cipher::RunningCipher;
use crate::hash::digest::Digest;
use crate::hash::digest_types::with_digest;
use crate::inputs::{Params, Text};
use crate::kdf;
use crate::kdf::key_wrap::Padding;
use crate::kdf::pbkdf2::Pbkdf2Job;
use crate::primitives::PROCESSED;

/// The size of a long message.
const LONG: usize = 300_000;

/// Returns the bytes that the library processes meanwhile.
fn processed(work: impl FnOnce()) -> usize {
    let before = PROCESSED.get();
    work();
    PROCESSED.get() - before
}

/// Compares the library of the report with the one that processed most of `size` bytes.
#[track_caller]
fn check(what: &str, code: &Code, size: usize, work: impl FnOnce()) {
    let count = processed(work);
    assert_eq!(
        code.library == Library::NAME,
        2 * count > size,
        "{what}: {code:?}, but {} has processed {count} of {size} bytes",
        Library::NAME
    );
}

#[test]
fn the_library_of_a_hash_is_the_one_that_computes_it() {
    for facts in &HASHES {
        let params = Params { key: facts.takes_raw_key().then_some(&[9; 32]), ..Params::NONE };
        let code = serves_hash(facts.hash).code;
        for size in [1000, LONG] {
            check(facts.name, &code, size, || {
                let digest_size = if facts.digest_size == 0 { 32 } else { facts.digest_size };
                let (source, mut target) = (vec![7; size], vec![0; digest_size]);
                with_digest!(facts.hash, D => D::digest(&params, &source, &mut target));
            });
        }
    }
}

/// Encrypts and decrypts a message in one piece.
fn whole(facts: &CipherFacts, key: &CipherKey, nonce: &[u8], size: usize) {
    let mut text = vec![3; size];
    if !facts.aead {
        return key.apply(nonce, Text::InPlace(&mut text), None).expect("a keystream");
    }
    let mut tag = [0; 16];
    key.seal(nonce, b"aad", Text::InPlace(&mut text), &mut tag).expect("sealed");
    key.open(nonce, b"aad", Text::InPlace(&mut text), &tag).expect("opened");
    assert!(text.iter().all(|&byte| byte == 3));
}

/// Encrypts a message of one part.
fn part(facts: &CipherFacts, key: &CipherKey, nonce: &[u8], size: usize) {
    let message =
        CipherMessage::new(key, nonce, if facts.aead { b"aad" } else { b"" }, size as u64)
            .expect("in parts");
    let mut text = vec![3; size];
    if facts.two_passes {
        message.authenticate_plain(0, &text).expect("authenticated");
        message.xor_part(0, Text::InPlace(&mut text), &[5; 16]).expect("encrypted");
    } else if facts.aead {
        message.seal_part(0, Text::InPlace(&mut text)).expect("sealed");
    } else {
        message.apply_part(0, Text::InPlace(&mut text)).expect("encrypted");
    }
}

/// Encrypts a message that arrives in two updates.
fn incremental(facts: &CipherFacts, key: &[u8], nonce: &[u8], size: usize) {
    let mut state = RunningCipher::new(facts.cipher, true, key, nonce, &[]).expect("begun");
    for size in [size / 3, size - size / 3] {
        state.update(Text::InPlace(&mut vec![3; size])).expect("encrypted");
    }
}

#[test]
fn the_libraries_of_a_cipher_are_those_that_compute_it() {
    for facts in &CIPHERS {
        let (key, nonce) = (vec![5; facts.key_size], vec![6; facts.iv_size]);
        // A prepared key: any other has the code for short messages up to 8 KiB.
        let state = CipherKey::boxed(facts.cipher, &key).expect("a key of the right size");
        let service = serves_cipher(facts.cipher);
        let passes = if facts.aead { 2 } else { 1 };
        let mut long = vec![LONG];
        if let Some((most, code)) = &service.short {
            assert_ne!(code.library, service.code.library, "{}", facts.name);
            check(facts.name, code, passes * most, || whole(facts, &state, &nonce, *most));
            long.push(most + 1);
        } else {
            long.push(64);
        }
        for size in long {
            check(facts.name, &service.code, passes * size, || whole(facts, &state, &nonce, size));
        }
        check(&format!("{} in parts", facts.name), &service.parts, LONG, || {
            part(facts, &state, &nonce, LONG);
        });
        if !matches!(facts.cipher, Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv) {
            let what = format!("incremental {}", facts.name);
            check(&what, &service.incremental, LONG, || incremental(facts, &key, &nonce, LONG));
        }
    }
}

#[test]
fn the_libraries_of_a_derivation_are_those_that_compute_it() {
    const ITERATIONS: u32 = 1000;
    let services: Vec<_> = kdf::serves().collect();
    let service = |name: [&str; 2]| {
        let found = services.iter().find(|(other, _)| *other == name);
        found.map(|(_, service)| service.code).expect("reported")
    };
    for facts in HASHES.iter().filter(|facts| facts.hmac) {
        let code = service(["pbkdf2-", facts.name]);
        let size = ITERATIONS as usize * 2 * facts.block_size;
        check(&format!("pbkdf2-{}", facts.name), &code, size, || {
            let mut target = [0; 16];
            let mut jobs = [Pbkdf2Job {
                password: b"password",
                salt: b"salt",
                iterations: ITERATIONS,
                target: &mut target,
            }];
            kdf::pbkdf2::derive_many(facts.hash, &mut jobs, &mut NoCheckpoint, |_, _| {})
                .expect("derived");
        });
    }
    let uses = |code: Code| code.library == Library::NAME || code.with.contains(&Library::NAME);
    let wrapped = processed(|| {
        let (mut target, mut key) = ([0; 40], [0; 32]);
        kdf::key_wrap::wrap(Padding::None, &[1; 32], &[2; 32], &mut target).expect("wrapped");
        kdf::key_wrap::unwrap(Padding::None, &[1; 32], &target, &mut key).expect("unwrapped");
    });
    assert_eq!(uses(service(["", "aes-kw"])), wrapped > 0);
    let expanded = processed(|| {
        kdf::hkdf::derive(Hash::Sha1, b"secret", b"salt", b"info", &mut [0; 16]).expect("expanded");
    });
    assert_eq!(uses(service(["", "hkdf"])), expanded > 0);
}
