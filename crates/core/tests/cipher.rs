//! Stream ciphers and AEADs: known answers, counters, short tags, failures.

use crate::support::{hex, pattern, unhex};
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

/// NIST SP 800-38A, F.5: one key for each size, the same counter and text.
#[test]
fn vectors_of_sp_800_38a_are_reproduced() {
    let iv = unhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    let text = unhex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a\
        0a52ef\
         f69f2445df4f9b17ad2b417be66c3710",
    );
    for (cipher, key, answer) in [
        (
            Cipher::Aes128Ctr,
            "2b7e151628aed2a6abf7158809cf4f3c",
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09\
            020db03eab\
             1e031dda2fbe03d1792170a0f3009cee",
        ),
        (
            Cipher::Aes192Ctr,
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e941e36b26bd1ebc670d1bd1d\
            665620abf7\
             4f78a7f6d29809585a97daec58c6b050",
        ),
        (
            Cipher::Aes256Ctr,
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017\
            ba2d84988d\
             dfc9c58db67aada613c2dd08457941a6",
        ),
    ] {
        let mut bytes = text.clone();
        let key = CipherKey::boxed(cipher, &unhex(key)).expect("a key of the right size");
        key.apply(&iv, Text::InPlace(&mut bytes), None).expect("fits");
        assert_eq!(hex(&bytes), answer);
        key.apply(&iv, Text::InPlace(&mut bytes), None).expect("fits");
        assert_eq!(bytes, text, "twice is not at all");
    }
}

/// The counter carries over all 128 bits. SHA-256 of the result for 400 bytes of the pattern, by
/// OpenSSL.
#[test]
fn the_counter_of_aes_ctr_carries_over_all_bits() {
    for (cipher, iv, answer) in [
        (
            Cipher::Aes128Ctr,
            "ffffffffffffffffffffffffffffffff",
            "623d905b072316caa532aae352f0ea8610c5f2f525bc460fea1494bc61fd0c3f",
        ),
        (
            Cipher::Aes128Ctr,
            "0102030405060708ffffffffffffffff",
            "80e70a2fea29faad6f0d82f4ab020f145d595520984b1b59cdc3ab0f527af155",
        ),
        (
            Cipher::Aes192Ctr,
            "000000000000000000000000ffffffff",
            "e9b6f72ba601e9259d276df16a9e92541d6daf543f1adad73fcf46df465f9251",
        ),
        (
            Cipher::Aes192Ctr,
            "00112233ffffffffffffffffffffffff",
            "343cd33ef521e76d760ddf335285d1aee401dfac9bb4562b3e11961e985bbd1b",
        ),
        (
            Cipher::Aes256Ctr,
            "ffffffffffffffffffffffffffffffff",
            "0ce474817b91f2e618d3a50233709bed4f8faf97e290d30b1c92450e88e44a2d",
        ),
        (
            Cipher::Aes256Ctr,
            "000000000000000000000000ffffffff",
            "c3170a9a0c65645b2d521901cc070ce702dc82b03e4f9dd4aad5b67fbd743fab",
        ),
        (
            Cipher::Aes256Ctr,
            "00112233ffffffffffffffffffffffff",
            "7c5f9111db2e80f2a1dc023bdd1a4a8ea96649b456175f28dc5a7ae52dba8f81",
        ),
        (
            Cipher::Aes256Ctr,
            "00000000000000000000000000000000",
            "c1385528edbbc387787a0e62f4d7fd60e9e493ae711c1ce4651bf7c0433dba66",
        ),
    ] {
        assert_eq!(sha256(&apply(cipher, iv, &pattern(400))), answer, "{cipher:?} {iv}");
    }
}

/// RFC 8439, 2.4.2.
#[test]
fn the_vector_of_rfc_8439_is_reproduced() {
    let text =
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the \
        future, sunscreen \
                 would be it.";
    assert_eq!(
        hex(&apply(Cipher::ChaCha20, "01000000000000000000004a00000000", text)),
        "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd\
        62b3571639d624e651\
         52ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90b\
         bf74a35be6b40b8eed\
         f2785e42874d"
    );
}

/// OpenSSL carries an overflow of the block number into the first word of the nonce, and no
/// further. SHA-256 of the result for 400 bytes of the pattern, by OpenSSL through node:crypto.
#[test]
fn the_block_number_of_chacha20_carries_into_the_nonce() {
    for (iv, answer) in [
        (
            "ffffffff000000000a0b0c0d0e0f1011",
            "f759b6cffcc3bf9a9d96f6a4fcfca18f0faaa8c656d777f822ce70466db0f14d",
        ),
        (
            "ffffffffffffffff0a0b0c0d0e0f1011",
            "4c179ddd0d5f9f7a2404e1f7892041113fb0c8e9a23bcf40d2abe5cc5c43a590",
        ),
        (
            "ffffffff010203040a0b0c0d0e0f1011",
            "eb3ff832f11d07978511e6c3d65aa067359114f8271d363b8e5cb232ffb3d75c",
        ),
        (
            "feffffff000000000a0b0c0d0e0f1011",
            "b7c4347cc335b9ed29ca7600d666c5a3a5b924ba709468f9d9997ac05f9e47b6",
        ),
        (
            "feffffffffffffff0a0b0c0d0e0f1011",
            "1488f5d0d76ab507648f9924e306469969dbeb4c04a658400c012bce017d07da",
        ),
        (
            "feffffff010203040a0b0c0d0e0f1011",
            "993a446116efc4e7abbcef3742b400a15eb3cf325c2044bd8f091d075b900e73",
        ),
        (
            "00000000010203040a0b0c0d0e0f1011",
            "b8f3ef966457f13d28d37e999c87750995e8951d888b59f9d003ede663ff2dfa",
        ),
    ] {
        assert_eq!(sha256(&apply(Cipher::ChaCha20, iv, &pattern(400))), answer, "{iv}");
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

/// 400 bytes of the pattern with 33 of it as additional data: the tag and SHA-256 of the text, by
/// OpenSSL.
#[test]
fn known_answers_of_aeads_are_reproduced() {
    for (cipher, tag, text) in [
        (
            Cipher::Aes128Gcm,
            "71d9e38fc79512207250d1fcdb5bddc6",
            "bef51061acb2d4fd7c8366412589adda79c72eb2280bb51d2aec5af9cceeda9a",
        ),
        (
            Cipher::Aes192Gcm,
            "3361e47f5c77800abf4a57c0d7907ded",
            "48d038510fc4d6fe141ac654df06ef63ec81791f7c40f39fb42df8cdeb1780dd",
        ),
        (
            Cipher::Aes256Gcm,
            "22f2c51f0533814e2b45882647f42df4",
            "0d65e9155e72eeca5738047049685af655b7fb20009c56e01859b1ebcfc2d6b6",
        ),
        (
            Cipher::ChaCha20Poly1305,
            "7369ad640b63debfce05ed0b49b85e0e",
            "a4f78bc61d0e1ce7eceaa538c4349a3fd239e6c34ec9d93c9204862b5a2618cb",
        ),
    ] {
        let made = seal(cipher, 400, 33);
        assert_eq!(
            (hex(&made.tag), sha256(&made.sealed)),
            (tag.to_string(), text.to_string()),
            "{cipher:?}"
        );
    }
}

/// RFC 8452, C.2, the first with a text, and draft-irtf-cfrg-xchacha-03, A.3.1.
#[test]
fn examples_of_the_standards_are_reproduced() {
    let run = |cipher, key: &str, nonce: &str, aad: &str, text: &str| {
        let (mut bytes, mut tag) = (unhex(text), [0; 16]);
        let key = CipherKey::new(cipher, &unhex(key)).expect("a key of the right size");
        key.seal(&unhex(nonce), &unhex(aad), Text::InPlace(&mut bytes), &mut tag).expect("fits");
        hex(&bytes) + &hex(&tag)
    };
    assert_eq!(
        run(
            Cipher::Aes256GcmSiv,
            "0100000000000000000000000000000000000000000000000000000000000000",
            "030000000000000000000000",
            "",
            "0100000000000000"
        ),
        "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"
    );
    // C.1, the first with a text.
    assert_eq!(
        run(
            Cipher::Aes128GcmSiv,
            "01000000000000000000000000000000",
            "030000000000000000000000",
            "",
            "0100000000000000"
        ),
        "b5d839330ac7b786578782fff6013b815b287c22493a364c"
    );
    let text =
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the \
        future, sunscreen \
                 would be it.";
    let sealed = run(
        Cipher::XChaCha20Poly1305,
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        "404142434445464748494a4b4c4d4e4f5051525354555657",
        "50515253c0c1c2c3c4c5c6c7",
        &hex(text),
    );
    assert!(
        sealed.starts_with("bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"),
        "{sealed}"
    );
    assert!(sealed.ends_with("c0875924c1c7987947deafd8780acf49"), "{sealed}");
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
