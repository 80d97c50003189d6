//! Which Ed25519 signatures are right: every combination of keys and points of small order, encoded
//! canonically or not, that implementations disagree on ("Taming the many EdDSAs").

use millrace_portable_keys::{PUBLIC, ed25519};
use millrace_public_keys::{Algorithm, Input, PrivateKey, PublicKey, Scheme};

use crate::call;
use crate::support::hex;

/// Encodings of the points of small order, of which the second half is not canonical.
const SMALL: [&str; 14] = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

/// The order of the base point.
const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";

fn verify(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    call(ed25519::verify, 0, 0, &[key, message, &[], signature]).unwrap() == [1]
}

fn native(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    PublicKey::from_raw(Algorithm::Ed25519, key)
        .unwrap()
        .verify(Scheme::Own, Input::message(message), signature)
        .unwrap()
}

#[test]
fn signatures_of_points_of_small_order_are_right_if_aws_lc_says_so() {
    let scalars = [[0; 32].to_vec(), hex(ORDER), [&[1][..], &[0; 31]].concat()];
    let mut right = 0;
    for key in SMALL.map(hex) {
        for point in SMALL.map(hex) {
            for scalar in &scalars {
                let signature = [&point[..], scalar].concat();
                for message in 0..16 {
                    let verdict = verify(&key, &[message], &signature);
                    assert_eq!(verdict, native(&key, &[message], &signature), "{signature:x?}");
                    right += usize::from(verdict);
                }
            }
        }
    }
    // The scalar 0 with the point that belongs to a message, of 8 in each case.
    assert!(right > 50, "{right}");
}

#[test]
fn changed_signatures_are_wrong_and_damaged_ones_too() {
    let key = PrivateKey::generate(Algorithm::Ed25519).unwrap();
    let private = key.to_raw().unwrap();
    let own = call(ed25519::import, 0, 1, &[&private]).unwrap();
    let public = key.public_key().unwrap().to_raw().unwrap();
    assert_eq!(own, [&private[..], &public].concat());
    assert_eq!(call(ed25519::import, 0, PUBLIC, &[&public]).unwrap(), public);
    for size in 0..200 {
        let message = vec![size as u8; size];
        let mut signature = call(ed25519::sign, 0, 0, &[&own, &message]).unwrap();
        let mut expected = [0; 64];
        key.sign(Scheme::Own, Input::message(&message), &mut expected).unwrap();
        assert_eq!(signature, expected);
        assert!(verify(&public, &message, &signature));
        signature[size % 64] ^= 1 << (size % 8);
        assert!(!verify(&public, &message, &signature));
    }
    for size in [0, 1, 63, 65] {
        assert!(!verify(&public, &[], &vec![0; size]));
    }
    // No point: x would be the root of no square.
    let off = [&[2][..], &[0; 31]].concat();
    assert!(!verify(&off, &[], &[0; 64]) && !native(&off, &[], &[0; 64]));
}
