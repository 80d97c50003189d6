//! Operations with the bytes of keys: published answers, and inputs that are refused. The tests of
//! millrace/overrides compare all of them with tweetnacl's and noble's.

use crate::support::hex;
use millrace_public_keys::ecdsa::{self, Curve};
use millrace_public_keys::{Error, nacl};

/// "Cryptography in NaCl", section 10.
#[test]
fn a_box_is_that_of_nacl() {
    let key = hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
    let nonce = hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
    let (key, nonce) = (key.as_slice().try_into().unwrap(), nonce.as_slice().try_into().unwrap());
    let message = hex(concat!(
        "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc",
        "e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31",
        "0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde",
        "048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864",
        "5e0705",
    ));
    let expected = hex(concat!(
        "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce",
        "48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c972",
        "71d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae",
        "90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b3",
        "7973f622a43d14a6599b1f654cb45a74e355a5",
    ));
    let mut sealed = vec![0; message.len() + nacl::TAG];
    nacl::seal(&message, nonce, key, &mut sealed).unwrap();
    assert_eq!(sealed, expected);
    let mut opened = vec![0; message.len()];
    nacl::open(&sealed, nonce, key, &mut opened).unwrap();
    assert_eq!(opened, message);

    sealed[20] ^= 1;
    let mut untouched = vec![5; message.len()];
    let refused = nacl::open(&sealed, nonce, key, &mut untouched);
    assert_eq!((refused, untouched), (Err(Error::Decryption), vec![5; message.len()]));
    assert_eq!(nacl::open(&sealed[..15], nonce, key, &mut []), Err(Error::Decryption));
    assert_eq!(nacl::seal(&message, nonce, key, &mut [0; 40]), Err(Error::OutputSize));
}

/// RFC 6979, section A.2.5: P-256, SHA-256, "sample".
#[test]
fn a_nonce_is_that_of_rfc_6979() {
    let key = hex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721");
    let digest = hex("af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf");
    let mut signature = [0; 65];
    ecdsa::sign(Curve::P256, &digest, &key, &[], false, &mut signature).unwrap();
    let expected = hex(concat!(
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
        "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    ));
    assert_eq!(signature[1..], expected);
    let mut public = [0; 33];
    ecdsa::public_key(Curve::P256, &key, &mut public).unwrap();
    let verify = |low| ecdsa::verify(Curve::P256, &digest, &expected, &public, low);
    assert_eq!((verify(false), verify(true)), (Ok(true), Ok(false)));
    let mut low = [0; 65];
    ecdsa::sign(Curve::P256, &digest, &key, &[], true, &mut low).unwrap();
    assert_eq!(ecdsa::verify(Curve::P256, &digest, &low[1..], &public, true), Ok(true));
    assert_eq!(low[0], signature[0] ^ 1);
    // Without the recovery number.
    let mut compact = [0; 64];
    ecdsa::sign(Curve::P256, &digest, &key, &[], true, &mut compact).unwrap();
    assert_eq!(compact, low[1..]);
    for size in [63, 66] {
        let refused = ecdsa::sign(Curve::P256, &digest, &key, &[], true, &mut vec![0; size]);
        assert_eq!(refused, Err(Error::OutputSize));
    }
}

#[test]
fn keys_and_points_out_of_range_are_refused() {
    for (curve, size) in
        [(Curve::Secp256k1, 32), (Curve::P256, 32), (Curve::P384, 48), (Curve::P521, 66)]
    {
        let mut point = vec![0; size + 1];
        for key in [vec![0; size], vec![255; size]] {
            let refused = ecdsa::public_key(curve, &key, &mut point);
            assert_eq!(refused, Err(Error::InvalidKey), "{curve:?}");
        }
        assert_eq!(ecdsa::public_key(curve, &vec![1; size - 1], &mut point), Err(Error::KeySize));
        let key = [&vec![0; size - 1][..], &[1]].concat();
        let mut longer = vec![0; size + 2];
        assert_eq!(ecdsa::public_key(curve, &key, &mut longer), Err(Error::OutputSize));
        ecdsa::public_key(curve, &key, &mut point).unwrap();
        let mut product = point.clone();
        ecdsa::multiply(curve, &key, &point, &mut product).unwrap();
        assert_eq!(product, point);
        for first in [0, 1, 4, 5, 6, 7] {
            let bad = [&[first], &point[1..]].concat();
            assert_eq!(ecdsa::multiply(curve, &key, &bad, &mut product), Err(Error::Point));
        }
    }
}
