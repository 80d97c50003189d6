//! The catalog: its numbers, its names, and its JSON; and what the engines tell of themselves.

#[allow(dead_code, unreachable_pub)] // its `main`, and what is `pub` there
#[path = "../examples/catalog.rs"]
mod printer;

use std::collections::HashMap;

use millrace_core::catalog::{CIPHERS, Cipher, HASHES, Hash};
use millrace_core::engines::report_json;
use serde_json::Value;

#[test]
fn numbers_are_indexes_of_the_tables() {
    for (index, facts) in HASHES.iter().enumerate() {
        assert_eq!(facts.hash as usize, index, "{}", facts.name);
        assert_eq!(Hash::from_id(index as u8), Some(facts.hash));
        assert_eq!(facts.hash.facts().name, facts.name);
    }
    for (index, facts) in CIPHERS.iter().enumerate() {
        assert_eq!(facts.cipher as usize, index, "{}", facts.name);
        assert_eq!(Cipher::from_id(index as u8), Some(facts.cipher));
        assert_eq!(facts.cipher.facts().name, facts.name);
    }
    assert_eq!(Hash::from_id(HASHES.len() as u8), None);
    assert_eq!(Cipher::from_id(CIPHERS.len() as u8), None);
}

#[test]
fn names_are_unique_in_any_case() {
    let hashes = HASHES.iter().map(|facts| (facts.name, facts.aliases));
    let ciphers = CIPHERS.iter().map(|facts| (facts.name, facts.aliases));
    let mut owners: HashMap<String, &str> = HashMap::new();
    for (name, aliases) in hashes.chain(ciphers) {
        assert_eq!(name, name.to_ascii_lowercase());
        for each in std::iter::once(&name).chain(aliases) {
            let before = owners.insert(each.to_ascii_lowercase(), name);
            assert_eq!(before, None, "{each} names {name} too");
            let plain = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\';
            assert!(each.chars().all(plain), "{each} needs an escape");
        }
    }
}

#[test]
fn names_of_openssl_are_found() {
    for (hash, names) in [
        (
            Hash::Sha256,
            "SHA2-256 SHA-256 RSA-SHA256 sha256WithRSAEncryption 2.16.840.1.101.3.4.2.1",
        ),
        (Hash::Sha1, "ssl3-sha1 RSA-SHA1-2"),
        (Hash::Md5, "RSA-MD5"),
        (Hash::Ripemd160, "rmd160 RIPEMD"),
        (Hash::Sha512_256, "SHA-512/256"),
        (Hash::Sha512_224, "RSA-SHA512/224"),
        (Hash::Sha3_384, "id-rsassa-pkcs1-v1_5-with-sha3-384"),
        (Hash::Shake128, "SHAKE-128"),
        (Hash::Keccak256, "KECCAK-256"),
        (Hash::Blake2b512, "BLAKE2b512"),
        (Hash::Blake2s256, "BLAKE2S-256"),
        (Hash::Xxh3_128, "XXH128"),
        (Hash::Xxh3_64, "xxh3"),
        (Hash::Md5Sha1, "MD5-SHA1"),
    ] {
        for name in names.split(' ') {
            assert_eq!(Hash::by_name(name), Some(hash), "{name}");
        }
    }
    for (name, cipher) in [
        ("id-aes256-GCM", Cipher::Aes256Gcm),
        ("2.16.840.1.101.3.4.1.46", Cipher::Aes256Gcm),
        ("AES-256-CTR", Cipher::Aes256Ctr),
        ("ChaCha20", Cipher::ChaCha20),
        ("ChaCha20-Poly1305", Cipher::ChaCha20Poly1305),
        ("xchacha20-poly1305-ietf", Cipher::XChaCha20Poly1305),
        ("XAES-256-GCM", Cipher::Xaes256Gcm),
    ] {
        assert_eq!(Cipher::by_name(name), Some(cipher), "{name}");
    }
    for name in ["", "sha", "sha2566", "sha-25", "aes-256-cbc", "sha256 ", "sha256\0"] {
        assert_eq!(Hash::by_name(name), None, "{name}");
        assert_eq!(Cipher::by_name(name), None, "{name}");
    }
}

#[test]
fn tags_have_the_sizes_of_the_standards() {
    let accepted =
        |cipher: Cipher| (0..=17).filter(|&size| cipher.facts().tag_fits(size)).collect::<Vec<_>>();
    assert_eq!(accepted(Cipher::Aes256Gcm), [4, 8, 12, 13, 14, 15, 16]);
    assert_eq!(accepted(Cipher::ChaCha20Poly1305), (1..=16).collect::<Vec<_>>());
    assert_eq!(accepted(Cipher::XChaCha20Poly1305), [16]);
    assert_eq!(accepted(Cipher::Aes256GcmSiv), [16]);
    assert_eq!(accepted(Cipher::Xaes256Gcm), [16]);
    assert!(accepted(Cipher::Aes256Ctr).is_empty());
}

#[test]
fn facts_agree_with_one_another() {
    for facts in &HASHES {
        assert!(facts.digest_size > 0 || facts.xof, "{}", facts.name);
        assert!(!facts.hmac || (facts.cryptographic && facts.digest_size > 0), "{}", facts.name);
        assert!(!facts.one_way || facts.hmac, "{}", facts.name);
        assert!(facts.block_size > 0 && !facts.standard.is_empty(), "{}", facts.name);
    }
    for facts in &CIPHERS {
        assert_eq!(facts.aead, facts.tag_size > 0, "{}", facts.name);
        assert_eq!(facts.aead, facts.tag_min > 0, "{}", facts.name);
        assert!(facts.tag_min <= facts.tag_size && !facts.standard.is_empty(), "{}", facts.name);
    }
}

#[test]
fn json_is_well_formed_and_names_every_hash() {
    let catalog = printer::to_json();
    serde_json::from_str::<Value>(&catalog).expect("JSON");
    assert!(catalog.starts_with(r#"{"parameters":["key", "salt","#));
    assert!(catalog.contains(r#""hashes":[{"id":0,"name":"md5","aliases":["ssl3-md5","#));
    assert!(catalog.contains(r#""parameters":{"key":[32,32],"context":[0,1073741824]}"#));
    assert!(catalog.contains(r#""name":"sha256","aliases":["sha-256","#));
    assert!(catalog.contains(r#""name":"aes-256-gcm""#));
    for facts in &HASHES {
        assert!(catalog.contains(&format!("\"name\":\"{}\"", facts.name)));
    }
}

#[test]
fn the_report_is_well_formed_and_names_every_algorithm() {
    let report = report_json();
    serde_json::from_str::<Value>(&report).expect("JSON");
    let library = if cfg!(feature = "aws-lc") { "AWS-LC" } else { "RustCrypto" };
    let begin = format!(r#"{{"native":{{"available":true,"libraries":{{"{library}":""#);
    assert!(report.starts_with(&begin), "{report}");
    let derivations = ["scrypt", "argon2", "bcrypt", "hkdf", "pbkdf2-sha1", "pbkdf2-sha3-256"];
    let algorithms =
        HASHES.iter().map(|facts| facts.name).chain(CIPHERS.iter().map(|facts| facts.name));
    for name in algorithms.chain(derivations) {
        assert!(report.contains(&format!("\"{name}\":{{\"library\":\"")), "{name}");
    }
    assert!(!report.contains("\"pbkdf2-xxh32\""));
}

/// The versions in the report against those in use.
#[test]
fn the_report_has_the_versions_in_use() {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"))
        .expect("Cargo.lock");
    let report = report_json();
    let name = "blake3";
    let after = lock.split(&format!("name = \"{name}\"\nversion = \"")).nth(1).expect(name);
    let version = after.split('"').next().expect(name);
    assert!(report.contains(&format!("\"{name}\":\"{version}\"")), "{name} is {version}");
}
