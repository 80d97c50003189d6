//! Sources longer than 32 bits can count. Needs 5 GiB of memory and, in a release build, a minute:
//!
//! `cargo test --release -p millrace-core --test core large:: -- --ignored --test-threads 1`

use crate::support::{hex, pattern};
use millrace_core::catalog::{CIPHERS, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{Params, digest};

const SIZE: usize = (1 << 32) + 100;

/// Of zeros; by coreutils, OpenSSL, and the authors of xxHash and BLAKE3.
#[test]
#[ignore = "needs 5 GiB of memory"]
fn large_messages_have_the_known_digests() {
    let source = vec![0; SIZE];
    for (name, answer) in [
        ("md5", "3601846a07f37ff8fbbeed3a1a7999b7"),
        ("sha1", "ed4e242fbb152330b464d8812afead7ba2e2a07a"),
        ("sha256", "577d1bdcfb357ff6b5cfa8d863aba0847fea65faa1ff00f6daf1caedb30a7b3f"),
        (
            "sha512",
            "0c9121eeb489de8cbcd2c42be05b7ec959803cbfd5ddb2b2ed0c6b6867506797d8d5f45c9b181bc650509a\
            ada23002b6\
             2eda5508562b1a642313fe951458d7a5",
        ),
        ("sha3-256", "cc891fd898ae873d844a2f0895685e5374e821f86bb7f3d5045191662e7aaf08"),
        (
            "blake2b512",
            "b0cc7baa8d7acf1d9c6f2cbbd54b32c290dcece751aca71a12ce3f81055f1d40fbe406af44971901730751\
            58996b5137\
             38987f6810a604ea84ea5c27063cc60c",
        ),
        ("blake2s256", "1f45aea82453d60dba7a341c69e458ca28c3d8e834b28068b073e4d6157a66f0"),
        ("blake3", "98077d222d2373102493008d558bd70891ee910320761029105a06af6cd1b879"),
        ("ripemd160", "e0fb626dac4b5f323ddaa727c372d9c2f6ca6db8"),
        ("xxh32", "741cd1af"),
        ("xxh64", "5047f154f80ed175"),
        ("xxh3-64", "592d641da9bf1b8f"),
        ("xxh3-128", "5ab9e926b19d7893592d641da9bf1b8f"),
    ] {
        let hash = Hash::by_name(name).expect(name);
        let mut target = vec![0; hash.facts().digest_size];
        digest(hash, &Params::default(), &source, &mut target, None).expect(name);
        assert_eq!(hex(&target), answer, "{name}");
    }
}

/// The end of a long text is what the same counter gives a short one, and everything comes back.
#[test]
#[ignore = "needs 5 GiB of memory"]
fn large_texts_are_encrypted_and_decrypted_right() {
    let mut text = vec![0; SIZE];
    for facts in &CIPHERS {
        let key = CipherKey::boxed(facts.cipher, &pattern(facts.key_size)).expect(facts.name);
        let iv = vec![0; facts.iv_size];
        if facts.aead {
            let mut tag = [0; 16];
            key.seal(&iv, b"aad", Text::InPlace(&mut text), &mut tag).expect(facts.name);
            assert!(text[SIZE - 200..].iter().any(|&byte| byte != 0), "{}", facts.name);
            key.open(&iv, b"aad", Text::InPlace(&mut text), &tag).expect(facts.name);
        } else {
            key.apply(&iv, Text::InPlace(&mut text), None).expect(facts.name);
            let (at, later) = match facts.name {
                "chacha20" => (1_u64 << 32, ((1_u128 << 32) / 64).to_le_bytes()),
                _ => (1_u64 << 32, ((1_u128 << 32) / 16).to_be_bytes()),
            };
            let mut end = [0; 100];
            key.apply(&later, Text::InPlace(&mut end), None).expect(facts.name);
            assert_eq!(text[at as usize..], end, "{}", facts.name);
            key.apply(&iv, Text::InPlace(&mut text), None).expect(facts.name);
        }
        assert!(text.iter().all(|&byte| byte == 0), "{}", facts.name);
    }
}
