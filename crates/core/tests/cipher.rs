//! Stream ciphers and AEADs: known answers, counters, short tags, failures.

use crate::support::{hex, pattern, unhex, vectors};
use millrace_core::Error;
use millrace_core::catalog::{CIPHERS, Cipher, Hash};
use millrace_core::cipher::{CipherKey, Text, with_key};
use millrace_core::hash::digest;

fn key(cipher: Cipher) -> CipherKey {
    CipherKey::new(cipher, &pattern(cipher.facts().key_size)).expect("a key of the right size")
}

fn apply(cipher: Cipher, iv: &str, source: &[u8]) -> Vec<u8> {
    let mut target = vec![0xa5; source.len()];
    key(cipher)
        .apply(&unhex(iv), Text::Across { source, target: &mut target }, None)
        .expect("fits");
    target
}

fn sha256(source: &[u8]) -> String {
    let mut target = [0; 32];
    digest(Hash::Sha256, &Default::default(), source, &mut target, None).expect("fits");
    hex(&target)
}

/// The examples of the standards, and texts of OpenSSL whose counters carry: CTR's over all bits,
/// ChaCha20's into the first word of the nonce, and no further.
#[test]
fn known_answers_are_reproduced() {
    for record in vectors!("ciphers") {
        let cipher = Cipher::by_name(record.text("algorithm")).expect("a cipher");
        let [key, iv, aad, plain, sealed, tag] =
            ["key", "iv", "aad", "source", "target", "tag"].map(|name| record.bytes(name));
        let key = CipherKey::boxed(cipher, &key).expect("a key of the right size");
        let (mut bytes, mut found) = (plain.clone(), vec![0; tag.len()]);
        let text = Text::InPlace(&mut bytes);
        if cipher.facts().aead {
            key.seal(&iv, &aad, text, &mut found).expect("fits");
        } else {
            key.apply(&iv, text, None).expect("fits");
        }
        assert_eq!((&bytes, &found), (&sealed, &tag), "{record}");
        if !cipher.facts().aead {
            key.apply(&iv, Text::InPlace(&mut bytes), None).expect("fits");
            assert_eq!(bytes, plain, "twice is not at all");
        }
    }
    for record in vectors!("counting-ciphers") {
        let cipher = Cipher::by_name(record.text("algorithm")).expect("a cipher");
        let found = if cipher.facts().aead {
            let made = seal(cipher, 400, 33);
            assert_eq!(made.tag, record.bytes("tag"), "{record}");
            made.sealed
        } else {
            apply(cipher, record.text("iv"), &pattern(400))
        };
        assert_eq!(sha256(&found), record.text("sha256"), "{record}");
    }
}

/// Several calls, each under the counter where its text begins, give the text of one: at every
/// length and border, so that each of a library's loops for long and short texts is met.
#[test]
fn several_calls_give_the_text_of_one() {
    let source = pattern(3000);
    for cipher in [Cipher::Aes128Ctr, Cipher::Aes256Ctr, Cipher::ChaCha20] {
        // The counters begin just below their 32-bit border.
        let unit = if cipher == Cipher::ChaCha20 { 64 } else { 16 };
        let iv = |block: usize| {
            let counter = u64::from(u32::MAX) - 3 + block as u64;
            match cipher {
                Cipher::ChaCha20 => hex(&counter.to_le_bytes()) + "0708090a0b0c0d0e",
                _ => hex(&u128::from(counter).to_be_bytes()),
            }
        };
        let whole = apply(cipher, &iv(0), &source);
        for size in (0..300).chain([511, 512, 513, 1023, 1025, 2047, 2999, 3000]) {
            assert_eq!(apply(cipher, &iv(0), &source[..size]), whole[..size], "{cipher:?} {size}");
        }
        for block in 0..12 {
            let at = block * unit;
            assert_eq!(
                apply(cipher, &iv(block), &source[at..]),
                whole[at..],
                "{cipher:?} from {block}"
            );
        }
    }
}

struct Sealed {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    plain: Vec<u8>,
    sealed: Vec<u8>,
    tag: Vec<u8>,
}

fn seal(cipher: Cipher, size: usize, aad_size: usize) -> Sealed {
    let facts = cipher.facts();
    let (nonce, aad, plain) = (pattern(facts.iv_size), pattern(aad_size), pattern(size));
    let (mut sealed, mut tag) = (vec![0xa5; size], vec![0xa5; 16]);
    let text = Text::Across { source: &plain, target: &mut sealed };
    key(cipher).seal(&nonce, &aad, text, &mut tag).expect("fits");
    Sealed { nonce, aad, plain, sealed, tag }
}

fn aeads() -> impl Iterator<Item = Cipher> {
    CIPHERS.iter().filter(|facts| facts.aead).map(|facts| facts.cipher)
}

#[test]
fn aead_round_trips_in_place_and_across() {
    for cipher in aeads() {
        let prepared = key(cipher);
        for size in
            (0..70).chain([127, 128, 129, 255, 256, 257, 300, 511, 512, 513, 1000, 4096, 10_000])
        {
            for aad_size in [0, 1, 15, 16, 17, 100, 1000] {
                let Sealed { nonce, aad, plain, sealed, tag } = seal(cipher, size, aad_size);

                let (mut bytes, mut tag_in_place) = (plain.clone(), [0; 16]);
                prepared
                    .seal(&nonce, &aad, Text::InPlace(&mut bytes), &mut tag_in_place)
                    .expect("fits");
                assert_eq!(
                    (&bytes[..], &tag_in_place[..]),
                    (&sealed[..], &tag[..]),
                    "{cipher:?} {size} {aad_size}"
                );

                prepared.open(&nonce, &aad, Text::InPlace(&mut bytes), &tag).expect("authentic");
                assert_eq!(bytes, plain, "{cipher:?} {size} {aad_size}");
                bytes.fill(0x5a);
                let text = Text::Across { source: &sealed, target: &mut bytes };
                prepared.open(&nonce, &aad, text, &tag).expect("authentic");
                assert_eq!(bytes, plain, "{cipher:?} {size} {aad_size}");
            }
        }
    }
}

#[test]
fn a_text_that_is_not_authentic_leaves_zeros() {
    for cipher in aeads() {
        let prepared = key(cipher);
        for size in [0, 1, 16, 64, 300, 5000] {
            let Sealed { nonce, aad, sealed, tag, .. } = seal(cipher, size, 33);
            let flipped = |bytes: &[u8], at: usize| {
                let mut bytes = bytes.to_vec();
                bytes[at] ^= 0x10;
                bytes
            };
            let mut wrong = vec![
                (nonce.clone(), aad.clone(), sealed.clone(), flipped(&tag, 0)),
                (nonce.clone(), aad.clone(), sealed.clone(), flipped(&tag, 15)),
                (flipped(&nonce, nonce.len() - 1), aad.clone(), sealed.clone(), tag.clone()),
                (nonce.clone(), flipped(&aad, 32), sealed.clone(), tag.clone()),
                (nonce.clone(), aad[..32].to_vec(), sealed.clone(), tag.clone()),
                (nonce.clone(), Vec::new(), sealed.clone(), tag.clone()),
            ];
            if size > 0 {
                wrong.push((nonce.clone(), aad.clone(), flipped(&sealed, 0), tag.clone()));
                wrong.push((nonce.clone(), aad.clone(), flipped(&sealed, size - 1), tag.clone()));
                wrong.push((nonce.clone(), aad.clone(), sealed[..size - 1].to_vec(), tag.clone()));
            }
            for (nonce, aad, source, tag) in wrong {
                let mut target = vec![0xa5; source.len()];
                let text = Text::Across { source: &source, target: &mut target };
                assert_eq!(
                    prepared.open(&nonce, &aad, text, &tag),
                    Err(Error::Authentication),
                    "{cipher:?} {size}"
                );
                assert!(target.iter().all(|&byte| byte == 0), "{cipher:?} {size}");

                let mut bytes = source.clone();
                let result = prepared.open(&nonce, &aad, Text::InPlace(&mut bytes), &tag);
                assert_eq!(result, Err(Error::Authentication), "{cipher:?} {size}");
                assert!(bytes.iter().all(|&byte| byte == 0), "{cipher:?} {size}");
            }
        }
    }
}

#[test]
fn short_tags_begin_the_full_tag_and_open() {
    for cipher in aeads() {
        let prepared = key(cipher);
        let Sealed { nonce, aad, plain, sealed, tag } = seal(cipher, 100, 20);
        for size in 0..=17 {
            let (mut bytes, mut short) = (plain.clone(), vec![0xa5; size]);
            let result = prepared.seal(&nonce, &aad, Text::InPlace(&mut bytes), &mut short);
            if !cipher.facts().tag_fits(size) {
                assert_eq!(result, Err(Error::TagSize), "{cipher:?} {size}");
                assert_eq!(bytes, plain, "untouched");
                let opened = prepared.open(&nonce, &aad, Text::InPlace(&mut bytes), &short);
                assert_eq!(opened, Err(Error::TagSize), "{cipher:?} {size}");
                continue;
            }
            result.expect("fits");
            assert_eq!((&bytes, &short[..]), (&sealed, &tag[..size]), "{cipher:?} {size}");
            prepared.open(&nonce, &aad, Text::InPlace(&mut bytes), &short).expect("authentic");
            assert_eq!(bytes, plain, "{cipher:?} {size}");

            short[size - 1] ^= 1;
            bytes.clone_from(&sealed);
            let result = prepared.open(&nonce, &aad, Text::InPlace(&mut bytes), &short);
            assert_eq!(result, Err(Error::Authentication), "{cipher:?} {size}");
            assert!(bytes.iter().all(|&byte| byte == 0), "{cipher:?} {size}");
        }
        // The prepared key is as it was.
        let (mut bytes, mut again) = (plain.clone(), [0; 16]);
        prepared.seal(&nonce, &aad, Text::InPlace(&mut bytes), &mut again).expect("fits");
        assert_eq!((bytes, &again[..]), (sealed, &tag[..]));
    }
}

#[test]
fn wrong_sizes_are_refused_and_touch_nothing() {
    for facts in &CIPHERS {
        let cipher = facts.cipher;
        for size in [0, 1, facts.key_size - 1, facts.key_size + 1, 64] {
            assert_eq!(
                CipherKey::new(cipher, &vec![0; size]).err(),
                Some(Error::KeySize),
                "{}",
                facts.name
            );
            assert_eq!(
                CipherKey::boxed(cipher, &vec![0; size]).err(),
                Some(Error::KeySize),
                "{}",
                facts.name
            );
            assert_eq!(
                with_key(cipher, &vec![0; size], |_| ()),
                Err(Error::KeySize),
                "{}",
                facts.name
            );
        }
        let prepared = key(cipher);
        assert_eq!(prepared.cipher(), cipher);
        let mut bytes = [0xa5; 32];
        let mut tag = [0xa5; 16];
        let iv = pattern(facts.iv_size);
        for size in [0, 8, facts.iv_size - 1, facts.iv_size + 1, 129] {
            if facts.iv_fits(size) {
                continue;
            }
            let wrong = pattern(size);
            let result = match facts.aead {
                true => prepared.seal(&wrong, &[], Text::InPlace(&mut bytes), &mut tag),
                false => prepared.apply(&wrong, Text::InPlace(&mut bytes), None),
            };
            assert_eq!(result, Err(Error::IvSize), "{} {size}", facts.name);
        }
        for size in [31, 33] {
            let source = pattern(size);
            let text = Text::Across { source: &source, target: &mut bytes };
            let result = match facts.aead {
                true => prepared.seal(&iv, &[], text, &mut tag),
                false => prepared.apply(&iv, text, None),
            };
            assert_eq!(result, Err(Error::OutputSize), "{}", facts.name);
        }
        let result = match facts.aead {
            true => prepared.apply(&iv, Text::InPlace(&mut bytes), None),
            false => prepared.seal(&iv, &[], Text::InPlace(&mut bytes), &mut tag),
        };
        assert_eq!(result, Err(Error::NotSupported), "{}", facts.name);
        if !facts.aead {
            let result = prepared.open(&iv, &[], Text::InPlace(&mut bytes), &tag);
            assert_eq!(result, Err(Error::NotSupported), "{}", facts.name);
        }
        assert_eq!((bytes, tag), ([0xa5; 32], [0xa5; 16]), "{}", facts.name);
    }
}

/// A prepared key works wherever it is moved, also to an address that is aligned otherwise.
#[test]
fn keys_may_be_moved_and_shared() {
    for cipher in aeads() {
        let made = seal(cipher, 300, 20);
        let check = |prepared: &CipherKey| {
            let mut bytes = made.sealed.clone();
            prepared
                .open(&made.nonce, &made.aad, Text::InPlace(&mut bytes), &made.tag)
                .expect("authentic");
            assert_eq!(bytes, made.plain, "{cipher:?}");
        };
        let material = pattern(cipher.facts().key_size);
        with_key(cipher, &material, check).expect("a key of the right size");
        let boxed = CipherKey::boxed(cipher, &material).expect("a key of the right size");
        check(&boxed);
        let mut moved = Vec::new();
        for index in 0..7_usize {
            moved.push((index as u8, key(cipher)));
            moved.iter().for_each(|(_, prepared)| check(prepared));
        }
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| check(&boxed)));
            }
        });
    }
}
