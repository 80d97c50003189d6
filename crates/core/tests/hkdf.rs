//! HKDF: the vectors of RFC 5869, another library over random inputs, limits.

use crate::support::{Random, derivations};
use millrace_core::Error;
use millrace_core::catalog::Hash;
use millrace_core::kdf::hkdf;

#[test]
fn vectors_of_the_standard_are_reproduced() {
    for record in derivations("hkdf") {
        let hash = Hash::by_name(record.text("hash")).expect("a hash");
        let [secret, salt, info, key] =
            ["password", "salt", "info", "key"].map(|name| record.bytes(name));
        let mut derived = vec![0; key.len()];
        hkdf::derive(hash, &secret, &salt, &info, &mut derived).expect("derived");
        assert_eq!(derived, key, "{record}");
    }
}

#[test]
fn another_library_agrees() {
    let mut random = Random(5);
    // All lengths up to three digests and the last two, and a hundred others.
    let others: Vec<_> = (0..100).map(|_| random.below(255 * 48)).collect();
    for size in (0..=3 * 48).chain([255 * 48 - 1, 255 * 48]).chain(others) {
        let [secret, salt, info] = [random.below(200), random.below(200), random.below(200)];
        let [secret, salt, info] = [random.bytes(secret), random.bytes(salt), random.bytes(info)];
        let (mut expected, mut derived) = (vec![0; size], vec![0; size]);
        ::hkdf::Hkdf::<sha2::Sha384>::new(Some(&salt), &secret)
            .expand(&info, &mut expected)
            .expect("expanded");
        hkdf::derive(Hash::Sha384, &secret, &salt, &info, &mut derived).expect("derived");
        assert_eq!(derived, expected);
        let (mut key, mut in_steps) = ([0; 48], vec![0; size]);
        hkdf::extract(Hash::Sha384, &secret, &salt, &mut key).expect("extracted");
        let (expected_key, _) = ::hkdf::Hkdf::<sha2::Sha384>::extract(Some(&salt), &secret);
        assert_eq!(key[..], expected_key[..]);
        hkdf::expand(Hash::Sha384, &key, &info, &mut in_steps).expect("expanded");
        assert_eq!(in_steps, expected);
    }
}

#[test]
fn parts_outside_the_limits_are_refused() {
    let expand = |key: &[u8], size| hkdf::expand(Hash::Sha256, key, b"", &mut vec![0; size]);
    assert_eq!(expand(&[1; 31], 10), Err(Error::KeySize));
    assert_eq!(expand(&[1; 32], 255 * 32), Ok(()));
    assert_eq!(expand(&[1; 100], 255 * 32 + 1), Err(Error::OutputSize));
    assert_eq!(hkdf::extract(Hash::Sha256, b"", b"", &mut [0; 31]), Err(Error::OutputSize));
    let shake = hkdf::expand(Hash::Shake128, &[1; 32], b"", &mut [0; 9]);
    assert_eq!(shake, Err(Error::NotSupported));
    let size = hkdf::key_max(Hash::Sha512);
    assert_eq!(size, 255 * 64);
    let derive = |hash, size| hkdf::derive(hash, b"", b"", b"", &mut vec![0; size]);
    assert_eq!(derive(Hash::Sha512, size), Ok(()));
    assert_eq!(derive(Hash::Sha512, size + 1), Err(Error::OutputSize));
    assert_eq!(derive(Hash::Sha512, 0), Ok(()));
    assert_eq!(derive(Hash::Shake128, 9), Err(Error::NotSupported));
}
