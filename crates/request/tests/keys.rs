//! Prepared keys and their handles.

use millrace_core::catalog::{Cipher, Hash};
use millrace_core::error::Error;
use millrace_request::keys::{Keys, PreparedKey, Purpose};
use millrace_request::protocol::EngineNumber;

fn key(purpose: Purpose, bytes: &[u8]) -> PreparedKey {
    PreparedKey::new(purpose, bytes, EngineNumber::Native).expect("a key")
}

fn hash_key() -> PreparedKey {
    key(Purpose::Hash(Hash::Blake3), &[1; 32])
}

#[test]
fn a_handle_is_never_zero_and_names_one_key_only() {
    let mut keys = Keys::default();
    let mut seen = Vec::new();
    for _ in 0..3 {
        let handles: Vec<u64> = (0..5).map(|_| keys.keep(hash_key()).expect("memory")).collect();
        for &handle in &handles {
            assert_ne!(handle, 0);
            assert!(handle < 1 << 53);
            // Places of disposed keys are used again.
            assert!(handle % (1 << 24) < 5);
            assert!(keys.get(handle).is_some());
            assert!(!seen.contains(&handle));
        }
        for &handle in &handles {
            assert!(keys.dispose(handle));
            assert!(!keys.dispose(handle));
            assert!(keys.get(handle).is_none());
        }
        for handle in &seen {
            assert!(keys.get(*handle).is_none());
            assert!(!keys.dispose(*handle));
        }
        seen.extend(handles);
    }
    for unknown in [0, 1, 99, u64::MAX] {
        assert!(keys.get(unknown).is_none() && !keys.dispose(unknown), "{unknown}");
    }
}

#[test]
fn a_key_in_use_outlives_its_handle() {
    let mut keys = Keys::default();
    let handle = keys.keep(hash_key()).expect("memory");
    let used = keys.get(handle).expect("kept").clone();
    assert!(keys.dispose(handle));
    assert!(matches!(&*used, PreparedKey::Hash(Hash::Blake3, bytes) if bytes[..] == [1; 32]));
}

#[test]
fn purposes_are_those_of_the_catalog() {
    for (kind, algorithm, known) in [
        (0, Cipher::Aes128Ctr as u32, true),
        (0, 12, false),
        (0, 256, false),
        (1, Hash::Sha256 as u32, true),
        (2, Hash::Blake3 as u32, true),
        (1, 48, false),
        (3, 0, false),
    ] {
        assert_eq!(Purpose::from_numbers(kind, algorithm).is_some(), known, "{kind} {algorithm}");
    }
}

#[test]
fn only_the_key_of_a_cipher_makes_an_hmac_key() {
    let cipher = key(Purpose::Cipher(Cipher::Aes256Gcm), &[1; 32]);
    let mac = cipher.mac(Hash::Sha256).expect("the key of a cipher").expect("a key");
    let PreparedKey::Mac(ref key, number) = mac else { panic!("another key") };
    assert!(key.hash() == Hash::Sha256 && number > 0);
    assert!(mac.mac(Hash::Sha256).is_none());
    assert!(hash_key().mac(Hash::Sha256).is_none());
}

#[test]
fn numbers_of_hmac_keys_differ() {
    let number = || match key(Purpose::Mac(Hash::Sha256), &[1; 32]) {
        PreparedKey::Mac(_, number) => number,
        _ => unreachable!(),
    };
    assert_ne!(number(), number());
}

#[test]
fn only_the_key_of_a_hash_takes_parameters() {
    assert!(key(Purpose::Mac(Hash::Sha256), &[1; 32]).with_parameters(&[]).is_none());
    assert!(key(Purpose::Cipher(Cipher::Aes256Gcm), &[1; 32]).with_parameters(&[]).is_none());
    assert!(hash_key().with_parameters(&[9; 9]).is_some_and(|made| made.is_err()));
}

#[test]
fn keys_of_a_wrong_size_are_refused() {
    for (purpose, size) in [
        (Purpose::Cipher(Cipher::Aes256Gcm), 31),
        (Purpose::Cipher(Cipher::Aes256Gcm), 0),
        (Purpose::Cipher(Cipher::Aes128Gcm), 32),
    ] {
        let made = PreparedKey::new(purpose, &vec![0; size], EngineNumber::Native);
        assert_eq!(made.err(), Some(Error::KeySize));
    }
    let keyed = PreparedKey::new(Purpose::Hash(Hash::Sha256), &[0; 32], EngineNumber::Native);
    assert!(keyed.is_err());
}

#[test]
fn native_keys_are_not_external() {
    for purpose in [
        Purpose::Cipher(Cipher::Aes256Gcm),
        Purpose::Mac(Hash::Sha256),
        Purpose::Hash(Hash::Blake3),
    ] {
        assert!(!key(purpose, &[1; 32]).is_external());
    }
}
