//! The Wycheproof vectors: valid ones must come out, invalid ones must be told.

use crate::support::{Record, vectors};
use millrace_core::Error;
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hmac::{MacKey, hmac};
use millrace_core::kdf;
use millrace_core::kdf::key_wrap::{self, Padding};
use millrace_core::running_cipher::RunningCipher;
use millrace_core::split::CipherMessage;

/// Counts the tests of each algorithm: valid, invalid, and refused for a size.
#[derive(Default)]
struct Counts(std::collections::BTreeMap<String, [usize; 3]>);

impl Counts {
    fn add(&mut self, test: &Record, place: usize) {
        self.0.entry(test.text("algorithm").to_string()).or_default()[place] += 1;
    }

    /// Checks that each of so many algorithms had as many tests, or more.
    fn check(self, algorithms: usize, least: [usize; 3]) {
        assert_eq!(self.0.len(), algorithms, "{:?}", self.0);
        for (algorithm, counts) in self.0 {
            let enough = counts.iter().zip(least).all(|(&count, least)| count >= least);
            assert!(enough, "{algorithm}: {counts:?} of {least:?}");
        }
    }
}

fn hash(test: &Record) -> Hash {
    Hash::by_name(test.text("algorithm")).expect("a hash")
}

/// Runs the tests of the ciphers whose names end so.
fn run_aead(algorithms: &str, count: usize) {
    let mut counts = Counts::default();
    for test in vectors!("wycheproof-aead") {
        if test.text("algorithm").ends_with(algorithms) {
            counts.add(&test, check_aead(&test));
        }
    }
    counts.check(count, [40, 15, 0]);
}

/// Opens in every way, and seals; returns whether the test is valid, invalid or refused.
fn check_aead(test: &Record) -> usize {
    let cipher = Cipher::by_name(test.text("algorithm")).expect("a cipher");
    let [key, nonce, aad, text, ct, tag] =
        ["key", "iv", "aad", "msg", "ct", "tag"].map(|name| test.bytes(name));
    let (facts, raw) = (cipher.facts(), &key);
    let key = CipherKey::new(cipher, raw).expect("a key of the right size");
    let mut plain = vec![0xa5; ct.len()];
    let opened = key.open(&nonce, &aad, Text::Across { source: &ct, target: &mut plain }, &tag);
    let fit = [facts.iv_fits(nonce.len()), facts.tag_fits(tag.len())];
    if fit != [true; 2] {
        let error = if fit[0] { Error::TagSize } else { Error::IvSize };
        assert_eq!(opened, Err(error), "{test}");
        return 2;
    }
    // In parts of 64 bytes, for the ciphers that can.
    let in_parts = key.parts().then(|| {
        let message = CipherMessage::new(&key, &nonce, &aad, ct.len() as u64).expect("sizes fit");
        let mut plain = ct.clone();
        let part = |(index, text)| message.open_part(index as u64 * 64, Text::InPlace(text), &tag);
        let parts: Result<Vec<_>, _> = plain.chunks_mut(64).enumerate().map(part).collect();
        (parts.and_then(|parts| message.verify(&parts, &tag)), plain)
    });
    assert!(in_parts.as_ref().is_none_or(|(result, _)| *result == opened), "{test}");
    if test.text("result") == "invalid" {
        assert_eq!(opened, Err(Error::Authentication), "{test}");
        assert!(plain.iter().all(|&byte| byte == 0), "{test}");
        return 1;
    }
    assert_eq!((opened, &plain), (Ok(()), &text), "{test}");
    assert!(in_parts.is_none_or(|(_, plain)| plain == text), "{test}");
    if !facts.name.ends_with("-siv") {
        // Incrementally, 7 bytes at a time.
        let mut plain = ct.clone();
        let running = RunningCipher::new(cipher, false, raw, &nonce, &aad);
        let mut running = running.expect("sizes fit");
        for piece in plain.chunks_mut(7) {
            running.update(Text::InPlace(piece)).expect("within the limits");
        }
        assert_eq!((running.verify(&tag), &plain), (Ok(()), &text), "{test}");
    }
    let (mut bytes, mut made) = (text, vec![0; tag.len()]);
    key.seal(&nonce, &aad, Text::InPlace(&mut bytes), &mut made).expect("sizes fit");
    assert_eq!((bytes, made), (ct, tag), "{test}");
    0
}

#[test]
fn aes_gcm() {
    run_aead("-gcm", 3);
}

#[test]
fn aes_gcm_siv() {
    run_aead("-gcm-siv", 2);
}

#[test]
fn chacha20_poly1305() {
    run_aead("chacha20-poly1305", 2);
}

#[test]
fn hmac_all() {
    let mut counts = Counts::default();
    for test in vectors!("wycheproof-hmac") {
        let [key, message, tag] = ["key", "msg", "tag"].map(|name| test.bytes(name));
        let (hash, valid) = (hash(&test), test.text("result") != "invalid");
        let size = hash.facts().digest_size;
        let (mut once, mut prepared) = (vec![0; size], vec![0; size]);
        hmac(hash, &key, &message, &mut once).expect("defined");
        let key = MacKey::new(hash, &key).expect("defined");
        key.mac(&message, &mut prepared, None).expect("sizes fit");
        assert_eq!(once, prepared, "{test}");
        // Some tags are truncated, which is for the caller to do.
        assert_eq!(once[..tag.len()] == tag[..], valid, "{test}");
        counts.add(&test, usize::from(!valid));
    }
    counts.check(11, [41, 41, 0]);
}

#[test]
fn hkdf_all() {
    let mut counts = Counts::default();
    for test in vectors!("wycheproof-hkdf") {
        let [secret, salt, info, key] = ["ikm", "salt", "info", "okm"].map(|name| test.bytes(name));
        let mut target = vec![0; test.number("size") as usize];
        let derived = kdf::hkdf::derive(hash(&test), &secret, &salt, &info, &mut target);
        if test.text("result") == "invalid" {
            assert_eq!(derived, Err(Error::OutputSize), "{test}");
            counts.add(&test, 1);
        } else {
            assert_eq!((derived, target), (Ok(()), key), "{test}");
            counts.add(&test, 0);
        }
    }
    counts.check(4, [41, 1, 0]);
}

#[test]
fn pbkdf2_all() {
    let mut counts = Counts::default();
    for test in vectors!("wycheproof-pbkdf2") {
        assert_ne!(test.text("result"), "invalid", "{test}");
        let [password, salt, key] = ["password", "salt", "dk"].map(|name| test.bytes(name));
        let mut target = vec![0; test.number("dkLen") as usize];
        let iterations = test.number("iterationCount") as u32;
        let derived = kdf::pbkdf2::derive(hash(&test), &password, &salt, iterations, &mut target);
        assert_eq!((derived, target), (Ok(()), key), "{test}");
        counts.add(&test, 0);
    }
    counts.check(5, [41, 0, 0]);
}

#[test]
fn key_wrap_all() {
    let mut counts = Counts::default();
    for test in vectors!("wycheproof-wrap") {
        let padding =
            if test.text("algorithm").ends_with("-kwp") { Padding::Zeros } else { Padding::None };
        let [key, text, ct] = ["key", "msg", "ct"].map(|name| test.bytes(name));
        let mut wrapped = vec![0xa5; text.len().next_multiple_of(8) + key_wrap::OVERHEAD];
        let made = key_wrap::wrap(padding, &key, &text, &mut wrapped);
        let mut unwrapped = vec![0xa5; ct.len().saturating_sub(key_wrap::OVERHEAD)];
        let size = key_wrap::unwrap(padding, &key, &ct, &mut unwrapped);
        if !padding.key_fits(text.len()) {
            assert_eq!(made, Err(Error::SourceTooLarge), "{test}");
        }
        if !padding.wrapped_fits(ct.len()) {
            assert_eq!(size, Err(Error::SourceTooLarge), "{test}");
            // Of the keys of 8 bytes, which RFC 3394 does not have, some are acceptable.
            assert_ne!(test.text("result"), "valid", "{test}");
            counts.add(&test, 2);
        } else if test.text("result") == "valid" {
            assert_eq!((made, wrapped), (Ok(()), ct), "{test}");
            assert_eq!(size, Ok(text.len()), "{test}");
            unwrapped.drain(text.len()..).for_each(|byte| assert_eq!(byte, 0, "{test}"));
            assert_eq!(unwrapped, text, "{test}");
            counts.add(&test, 0);
        } else {
            assert_eq!(size, Err(Error::Authentication), "{test}");
            assert!(unwrapped.iter().all(|&byte| byte == 0), "{test}");
            counts.add(&test, 1);
        }
    }
    counts.check(6, [10, 10, 1]);
}

#[test]
fn wrong_sizes_of_wrapped_keys_are_refused() {
    let mut target = [0; 24];
    let wrap = |padding, key: &[u8], size: usize, target: &mut [u8]| {
        key_wrap::wrap(padding, key, &vec![1; size], target)
    };
    assert_eq!(wrap(Padding::None, &[0; 20], 16, &mut target), Err(Error::KeySize));
    assert_eq!(wrap(Padding::None, &[0; 16], 16, &mut target[1..]), Err(Error::OutputSize));
    assert_eq!(wrap(Padding::None, &[0; 16], 8, &mut target), Err(Error::SourceTooLarge));
    let most = key_wrap::KEY_MAX;
    for (padding, size) in [(Padding::None, 17), (Padding::None, most + 8), (Padding::Zeros, 0)] {
        assert!(!padding.key_fits(size), "{padding:?} {size}");
    }
    for padding in [Padding::None, Padding::Zeros] {
        assert!(!padding.wrapped_fits(most + key_wrap::OVERHEAD + 8), "{padding:?}");
    }
    for (padding, size) in [(Padding::None, most), (Padding::Zeros, most - 3)] {
        let mut wrapped = vec![0; most + key_wrap::OVERHEAD];
        assert_eq!(wrap(padding, &[9; 24], size, &mut wrapped), Ok(()));
        let mut key = vec![0; most];
        assert_eq!(key_wrap::unwrap(padding, &[9; 24], &wrapped, &mut key), Ok(size));
        assert_eq!(key, [vec![1; size], vec![0; most - size]].concat());
    }
}
