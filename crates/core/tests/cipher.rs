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
            let rest = apply(cipher, &iv(block), &source[at..]);
            assert_eq!(rest, whole[at..], "{cipher:?} from {block}");
        }
    }
}

#[derive(Clone)]
struct Sealed {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    plain: Vec<u8>,
    sealed: Vec<u8>,
    tag: Vec<u8>,
}

impl Sealed {
    /// Returns the text and the tag that a key seals in place.
    fn seal_again(&self, key: &CipherKey, tag: usize) -> (Result<(), Error>, Vec<u8>, Vec<u8>) {
        let (mut text, mut tag) = (self.plain.clone(), vec![0xa5; tag]);
        let result = key.seal(&self.nonce, &self.aad, Text::InPlace(&mut text), &mut tag);
        (result, text, tag)
    }

    /// Returns what a key opens, in place and across, which must be alike.
    fn open(&self, key: &CipherKey) -> (Result<(), Error>, Vec<u8>) {
        let (mut in_place, mut target) = (self.sealed.clone(), vec![0x5a; self.sealed.len()]);
        let open = |text: Text<'_>| key.open(&self.nonce, &self.aad, text, &self.tag);
        let across = open(Text::Across { source: &self.sealed, target: &mut target });
        let result = (open(Text::InPlace(&mut in_place)), in_place);
        // What is refused for its sizes is not written at all.
        assert!(result == (across, target) || across == Err(Error::TagSize));
        result
    }
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
                let made = seal(cipher, size, aad_size);
                let again = (Ok(()), made.sealed.clone(), made.tag.clone());
                let what = format!("{cipher:?} {size} {aad_size}");
                assert_eq!(made.seal_again(&prepared, 16), again, "{what}");
                assert_eq!(made.open(&prepared), (Ok(()), made.plain.clone()), "{what}");
            }
        }
    }
}

#[test]
fn a_text_that_is_not_authentic_leaves_zeros() {
    for cipher in aeads() {
        let prepared = key(cipher);
        for size in [0, 1, 16, 64, 300, 5000] {
            let made = seal(cipher, size, 33);
            let changes: [fn(&mut Sealed); 9] = [
                |made| made.tag[0] ^= 0x10,
                |made| made.tag[15] ^= 0x10,
                |made| made.nonce[11] ^= 0x10,
                |made| made.aad[32] ^= 0x10,
                |made| made.aad.truncate(32),
                |made| made.aad.clear(),
                |made| made.sealed[0] ^= 0x10,
                |made| *made.sealed.last_mut().expect("a text") ^= 0x10,
                |made| _ = made.sealed.pop(),
            ];
            for change in &changes[..if size > 0 { 9 } else { 6 }] {
                let mut wrong = made.clone();
                change(&mut wrong);
                let zeros = vec![0; wrong.sealed.len()];
                let opened = wrong.open(&prepared);
                assert_eq!(opened, (Err(Error::Authentication), zeros), "{cipher:?} {size}");
            }
        }
    }
}

#[test]
fn short_tags_begin_the_full_tag_and_open() {
    for cipher in aeads() {
        let prepared = key(cipher);
        let made = seal(cipher, 100, 20);
        for size in 0..=17 {
            let mut short = Sealed { tag: vec![0xa5; size], ..made.clone() };
            let sealed = made.seal_again(&prepared, size);
            if !cipher.facts().tag_fits(size) {
                let untouched = (Err(Error::TagSize), made.plain.clone(), short.tag.clone());
                assert_eq!(sealed, untouched, "{cipher:?} {size}");
                let refused = (Err(Error::TagSize), made.sealed.clone());
                assert_eq!(short.open(&prepared), refused, "{cipher:?} {size}");
                continue;
            }
            short.tag = made.tag[..size].to_vec();
            let expected = (Ok(()), made.sealed.clone(), short.tag.clone());
            assert_eq!(sealed, expected, "{cipher:?} {size}");
            assert_eq!(short.open(&prepared), (Ok(()), made.plain.clone()), "{cipher:?} {size}");
            short.tag[size - 1] ^= 1;
            let refused = (Err(Error::Authentication), vec![0; 100]);
            assert_eq!(short.open(&prepared), refused, "{cipher:?} {size}");
        }
        // The prepared key is as it was.
        assert_eq!(made.seal_again(&prepared, 16), (Ok(()), made.sealed.clone(), made.tag.clone()));
    }
}

#[test]
fn wrong_sizes_are_refused_and_touch_nothing() {
    for facts in &CIPHERS {
        let cipher = facts.cipher;
        for size in [0, 1, facts.key_size - 1, facts.key_size + 1, 64] {
            let key = vec![0; size];
            let refused = [
                CipherKey::new(cipher, &key).err(),
                CipherKey::boxed(cipher, &key).err(),
                with_key(cipher, &key, |_| ()).err(),
            ];
            assert_eq!(refused, [Some(Error::KeySize); 3], "{}", facts.name);
        }
        let prepared = key(cipher);
        assert_eq!(prepared.cipher(), cipher);
        let mut bytes = [0xa5; 32];
        let mut tag = [0xa5; 16];
        let iv = pattern(facts.iv_size);
        let mut run = |iv: &[u8], text: Option<&[u8]>, as_aead: bool| {
            let text = match text {
                Some(source) => Text::Across { source, target: &mut bytes },
                None => Text::InPlace(&mut bytes),
            };
            match as_aead {
                true => prepared.seal(iv, &[], text, &mut tag),
                false => prepared.apply(iv, text, None),
            }
        };
        for size in [0, 8, facts.iv_size - 1, facts.iv_size + 1, 129] {
            if !facts.iv_fits(size) {
                let refused = run(&pattern(size), None, facts.aead);
                assert_eq!(refused, Err(Error::IvSize), "{} {size}", facts.name);
            }
        }
        for size in [31, 33] {
            let refused = run(&iv, Some(&pattern(size)), facts.aead);
            assert_eq!(refused, Err(Error::OutputSize), "{}", facts.name);
        }
        assert_eq!(run(&iv, None, !facts.aead), Err(Error::NotSupported), "{}", facts.name);
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
            assert_eq!(made.open(prepared), (Ok(()), made.plain.clone()), "{cipher:?}");
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
