//! HKDF: the vectors of RFC 5869, another library over random inputs, limits.

use crate::support::{Random, hex};
use millrace_core::Error;
use millrace_core::catalog::Hash;
use millrace_core::kdf::hkdf;

/// RFC 5869, appendix A.
#[test]
fn vectors_of_the_standard_are_reproduced() {
    let counting = |from: u8, to: u8| (from..=to).collect::<Vec<u8>>();
    let b22 = vec![0x0b; 22];
    for (hash, secret, salt, info, expected) in [
        (
            Hash::Sha256,
            b22.clone(),
            counting(0, 0x0c),
            counting(0xf0, 0xf9),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            Hash::Sha256,
            counting(0, 0x4f),
            counting(0x60, 0xaf),
            counting(0xb0, 0xff),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41\
                c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            Hash::Sha256,
            b22.clone(),
            vec![],
            vec![],
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
        (
            Hash::Sha1,
            b22.clone(),
            vec![],
            vec![],
            "0ac1af7002b3d761d1e55298da9d0506b9ae52057220a306e07b6b87e8df21d0ea00033de03984d34918",
        ),
    ] {
        let mut derived = vec![0; expected.len() / 2];
        hkdf::derive(hash, &secret, &salt, &info, &mut derived).expect("derived");
        assert_eq!(hex(&derived), expected);
    }
}

#[test]
fn another_library_agrees() {
    let mut random = Random(5);
    for _ in 0..200 {
        let [secret, salt, info] = [random.below(200), random.below(200), random.below(200)];
        let [secret, salt, info] = [random.bytes(secret), random.bytes(salt), random.bytes(info)];
        let size = random.below(255 * 48 + 1);
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
}

#[test]
fn keys_beyond_the_limit_are_refused() {
    let size = hkdf::key_max(Hash::Sha512);
    assert_eq!(size, 255 * 64);
    assert_eq!(hkdf::derive(Hash::Sha512, b"", b"", b"", &mut vec![0; size]), Ok(()));
    assert_eq!(
        hkdf::derive(Hash::Sha512, b"", b"", b"", &mut vec![0; size + 1]),
        Err(Error::OutputSize)
    );
    assert_eq!(hkdf::derive(Hash::Sha512, b"", b"", b"", &mut []), Ok(()));
    assert_eq!(hkdf::derive(Hash::Shake128, b"", b"", b"", &mut [0; 9]), Err(Error::NotSupported));
}
