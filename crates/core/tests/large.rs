//! Sources longer than 32 bits can count. Needs 5 GiB of memory and, in a release build, a minute:
//!
//! `cargo test --release -p millrace-core --test core large:: -- --ignored --test-threads 1`

use crate::support::{hex, pattern, vectors};
use millrace_core::catalog::{CIPHERS, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{Params, digest};

const SIZE: usize = (1 << 32) + 100;

/// Of zeros; by coreutils, OpenSSL, and the authors of xxHash and BLAKE3.
#[test]
#[ignore = "needs 5 GiB of memory"]
fn large_messages_have_the_known_digests() {
    let source = vec![0; SIZE];
    for record in vectors!("large-hashes") {
        let name = record.text("algorithm");
        let hash = Hash::by_name(name).expect(name);
        let mut target = vec![0; hash.facts().digest_size];
        digest(hash, &Params::default(), &source, &mut target, None).expect(name);
        assert_eq!(hex(&target), record.text("digest"), "{name}");
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
