//! HPKE: the secrets of both sides in every mode, and wrong use. Published answers are compared in
//! test/public-keys/hpke.test.mjs.

use millrace_public_keys::hpke::{
    Aead, Context, Kdf, Parameters, PreSharedKey, TAG, encapsulated_size,
};
use millrace_public_keys::{Algorithm, Error};

use crate::support::new_key;

const AES_128_GCM: u16 = 1;
const EXPORT_ONLY: u16 = 0xffff;

/// Returns the parameters of HKDF-SHA256 and an AEAD.
fn parameters(aead: u16) -> Parameters<'static> {
    let (kdf, aead) = (Kdf::from_number(1).unwrap(), Aead::from_number(aead).unwrap());
    Parameters { kdf, aead, info: b"info", pre_shared: None }
}

/// The bytes of key, nonce and secret of exports with AES-128-GCM and HKDF-SHA256.
const SECRETS: usize = 16 + 12 + 32;

#[test]
fn both_sides_have_the_same_secrets_in_every_mode() {
    let psk = PreSharedKey { key: &[7; 32], id: b"id" };
    for algorithm in Algorithm::ALL {
        let Ok(size) = encapsulated_size(algorithm) else { continue };
        let (key, own) = (new_key(algorithm), new_key(algorithm));
        let (public, own_public) = (key.public_key().unwrap(), own.public_key().unwrap());
        for (pre_shared, authenticates) in
            [(None, false), (Some(psk), false), (None, true), (Some(psk), true)]
        {
            let parameters = Parameters { pre_shared, ..parameters(AES_128_GCM) };
            let (sender, sender_public) =
                if authenticates { (Some(&own), Some(&own_public)) } else { (None, None) };
            let mut enc = vec![0; size];
            let made = Context::of_sender(&parameters, &public, sender, &mut enc);
            if authenticates && algorithm.encapsulates() {
                assert_eq!(made.err(), Some(Error::KeyType));
                let refused = Context::of_recipient(&parameters, &key, sender_public, &enc);
                assert_eq!(refused.err(), Some(Error::KeyType));
                continue;
            }
            let secrets = |context: Context| {
                let mut secrets = [0; SECRETS];
                assert_eq!(context.secrets(&mut secrets), Ok(SECRETS));
                assert_eq!(context.secrets(&mut [0; SECRETS - 1]), Err(Error::OutputSize));
                secrets
            };
            let received = |parameters: &Parameters<'_>, key, sender| {
                secrets(Context::of_recipient(parameters, key, sender, &enc).unwrap())
            };
            let right = secrets(made.unwrap());
            assert_eq!(right, received(&parameters, &key, sender_public));
            let other = Parameters { info: b"other", ..parameters };
            assert_ne!(right, received(&other, &key, sender_public));
            assert_ne!(right, received(&parameters, &own, sender_public));
            if !algorithm.encapsulates() {
                let another = if authenticates { None } else { Some(&own_public) };
                assert_ne!(right, received(&parameters, &key, another));
            }
        }
    }
}

#[test]
fn refuses_wrong_use() {
    let (plain, only) = (parameters(AES_128_GCM), parameters(EXPORT_ONLY));
    let (key, other) = (new_key(Algorithm::X25519), new_key(Algorithm::P256));
    let (public, other_public) = (key.public_key().unwrap(), other.public_key().unwrap());
    let mut enc = [0; 32];
    let sender = |parameters: &Parameters<'_>, own, enc: &mut [u8]| {
        Context::of_sender(parameters, &public, own, enc).err().unwrap()
    };
    assert_eq!(sender(&plain, Some(&other), &mut enc), Error::KeyMismatch);
    assert_eq!(sender(&plain, None, &mut enc[..31]), Error::OutputSize);
    for (key, id) in [(&[7; 31][..], &b"id"[..]), (&[7; 32], b""), (b"", b"")] {
        let parameters = Parameters { pre_shared: Some(PreSharedKey { key, id }), ..plain };
        assert_eq!(sender(&parameters, None, &mut enc), Error::PreSharedKey);
    }
    assert_eq!(encapsulated_size(Algorithm::Rsa), Err(Error::KeyType));
    assert!(Kdf::from_number(4).is_none() && Aead::from_number(4).is_none());

    let compressed = other_public.to_compressed().unwrap();
    for (key, sender, enc, expected) in [
        (&new_key(Algorithm::Ed25519), None, &[9; 32][..], Error::KeyType),
        (&key, None, &[9; 31], Error::CiphertextSize),
        (&key, None, &[0; 32], Error::SmallOrder),
        (&key, Some(&other_public), &[9; 32], Error::KeyMismatch),
        (&other, None, &[4; 65], Error::Point),
        (&other, None, &compressed, Error::CiphertextSize),
    ] {
        let refused = Context::of_recipient(&plain, key, sender, enc);
        assert_eq!(refused.err(), Some(expected));
    }

    let mut sent = |parameters| Context::of_sender(parameters, &public, None, &mut enc).unwrap();
    assert_eq!(sent(&only).seal(&[], &[], &mut [0; TAG]), Err(Error::ExportOnly));
    assert_eq!(sent(&plain).seal(&[], b"hello", &mut [0; 20]), Err(Error::OutputSize));
    let mut sealed = [0; 21];
    assert_eq!(sent(&plain).seal(b"aad", b"hello", &mut sealed), Ok(21));
    let received = |parameters| Context::of_recipient(parameters, &key, None, &enc).unwrap();
    let mut text = [0; 5];
    assert_eq!(received(&only).open(&[], &[0; TAG], &mut []), Err(Error::ExportOnly));
    assert_eq!(received(&plain).open(b"aad", &sealed, &mut [0; 4]), Err(Error::OutputSize));
    let short = received(&plain).open(b"aad", &sealed[..15], &mut text);
    assert_eq!(short, Err(Error::CiphertextSize));
    assert_eq!(received(&plain).open(b"", &sealed, &mut text), Err(Error::Decryption));
    assert_eq!(received(&plain).open(b"aad", &sealed, &mut text), Ok(5));
    assert_eq!(&text, b"hello");
}
