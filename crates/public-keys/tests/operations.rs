//! Operations between keys of this crate, and wrong use of them.

use std::thread;

use millrace_public_keys::{
    Algorithm, EcdsaEncoding, Error, Hash, Input, Oaep, PrivateKey, PssRestriction, PublicKey,
    SaltLength, Scheme,
};

use crate::support::{RSA_2048, new_key, rsa_key, sign};

const HASHES: [Hash; 11] = [
    Hash::Sha1,
    Hash::Sha224,
    Hash::Sha256,
    Hash::Sha384,
    Hash::Sha512,
    Hash::Sha512_224,
    Hash::Sha512_256,
    Hash::Sha3_224,
    Hash::Sha3_256,
    Hash::Sha3_384,
    Hash::Sha3_512,
];

const OAEP: Oaep<'_> = Oaep { hash: Hash::Sha256, mgf1: Hash::Sha1, label: b"label" };

/// The schemes of an algorithm.
fn schemes(algorithm: Algorithm) -> Vec<Scheme> {
    let pss = |(hash, salt_length)| Scheme::RsaPss { hash, mgf1: Hash::Sha256, salt_length };
    let salts = [SaltLength::Bytes(0), SaltLength::Digest, SaltLength::Max, SaltLength::Auto];
    let pss = || HASHES.into_iter().flat_map(|hash| salts.map(|salt| (hash, salt))).map(pss);
    match algorithm {
        Algorithm::Rsa => {
            HASHES.into_iter().map(|hash| Scheme::RsaPkcs1 { hash }).chain(pss()).collect()
        }
        Algorithm::RsaPss => pss().collect(),
        _ if algorithm.is_nist_curve() => [EcdsaEncoding::Der, EcdsaEncoding::P1363]
            .into_iter()
            .flat_map(|encoding| HASHES.map(|hash| Scheme::Ecdsa { hash, encoding }))
            .collect(),
        _ if algorithm.signs() => vec![Scheme::Own],
        _ => vec![],
    }
}

#[test]
fn verifies_what_it_signs() {
    for algorithm in Algorithm::ALL {
        let (key, other) = (new_key(algorithm), new_key(algorithm));
        let (public, other) = (key.public_key().unwrap(), other.public_key().unwrap());
        let contexts = if algorithm.is_ml_dsa() { vec![&[][..], &[7; 255]] } else { vec![&[][..]] };
        for (scheme, context) in schemes(algorithm)
            .into_iter()
            .flat_map(|scheme| contexts.iter().map(move |context| (scheme, context)))
        {
            for message in [&b""[..], &[5; 1000]] {
                let input = Input { context, ..Input::message(message) };
                let signature = sign(&key, scheme, input);
                assert_eq!(public.verify(scheme, input, &signature), Ok(true), "{scheme:?}");
                assert_eq!(other.verify(scheme, input, &signature), Ok(false), "{scheme:?}");
                let changed = public.verify(scheme, Input { bytes: b"other", ..input }, &signature);
                assert_eq!(changed, Ok(false), "{scheme:?}");
                assert_eq!(public.verify(scheme, input, b""), Ok(false), "{scheme:?}");
            }
            let size = key.signature_size(scheme).unwrap();
            let short = &mut vec![0; size - 1];
            assert_eq!(key.sign(scheme, Input::message(b""), short), Err(Error::OutputSize));
        }
        // Every scheme of another algorithm.
        for scheme in Algorithm::ALL.into_iter().flat_map(schemes) {
            let own = schemes(algorithm);
            if !own.contains(&scheme) {
                let mut target = [0; 8000];
                let made = key.sign(scheme, Input::message(b""), &mut target);
                assert_eq!(made, Err(Error::KeyType));
                let verified = public.verify(scheme, Input::message(b""), b"");
                assert_eq!(verified, Err(Error::KeyType));
            }
        }
    }
}

#[test]
fn signs_digests() {
    let message = b"message";
    // SHA-256 of the message.
    let digest =
        crate::support::hex("ab530a13e45914982b79f9b7e3fba994cfd1f3fb22f71cea1afbf02b460c6d1d");
    let (encoding, hash) = (EcdsaEncoding::P1363, Hash::Sha256);
    for (algorithm, scheme) in [
        (Algorithm::P256, Scheme::Ecdsa { hash, encoding }),
        (Algorithm::Rsa, Scheme::RsaPkcs1 { hash }),
        (Algorithm::Rsa, Scheme::RsaPss { hash, mgf1: hash, salt_length: SaltLength::Digest }),
    ] {
        let key = new_key(algorithm);
        let (public, input) =
            (key.public_key().unwrap(), Input { is_digest: true, ..Input::message(&digest) });
        let signature = sign(&key, scheme, input);
        assert_eq!(public.verify(scheme, Input::message(message), &signature), Ok(true));
        assert_eq!(public.verify(scheme, input, &signature), Ok(true));
        let wrong = Input { bytes: &digest[1..], ..input };
        assert_eq!(key.sign(scheme, wrong, &mut [0; 256]), Err(Error::DigestSize));
        assert_eq!(public.verify(scheme, wrong, &signature), Err(Error::DigestSize));
    }
    let key = new_key(Algorithm::Ed25519);
    for (context, is_digest, error) in
        [(&b"context"[..], false, Error::ContextSize), (b"", true, Error::KeyType)]
    {
        let input = Input { bytes: &digest, is_digest, context };
        assert_eq!(key.sign(Scheme::Own, input, &mut [0; 64]), Err(error));
    }
    let key = new_key(Algorithm::MlDsa44);
    for (context, bytes, is_digest, error) in [
        (&[0; 256][..], &b""[..], false, Error::ContextSize),
        (b"context", &[0; 64], true, Error::ContextSize),
        (b"", &[0; 63], true, Error::DigestSize),
    ] {
        let input = Input { bytes, is_digest, context };
        assert_eq!(key.sign(Scheme::Own, input, &mut [0; 2420]), Err(error));
        assert_eq!(key.public_key().unwrap().verify(Scheme::Own, input, b""), Err(error));
    }
}

#[test]
fn checks_salt_lengths() {
    let key = rsa_key();
    let public = key.public_key().unwrap();
    let hash = Hash::Sha256;
    let scheme = |salt_length| Scheme::RsaPss { hash, mgf1: hash, salt_length };
    let input = Input::message(b"");
    let mut target = [0; 256];
    // 256 bytes less a digest and 2.
    assert_eq!(key.sign(scheme(SaltLength::Bytes(222)), input, &mut target), Ok(256));
    assert_eq!(public.verify(scheme(SaltLength::Max), input, &target), Ok(true));
    assert_eq!(public.verify(scheme(SaltLength::Digest), input, &target), Ok(false));
    for length in [223, u32::MAX] {
        let scheme = scheme(SaltLength::Bytes(length));
        assert_eq!(key.sign(scheme, input, &mut [0; 256]), Err(Error::SaltLength));
        assert_eq!(public.verify(scheme, input, &target), Ok(false));
    }
}

#[test]
fn holds_rsa_pss_keys_to_their_restriction() {
    let hash = Hash::Sha256;
    let restriction = Some(PssRestriction { hash, mgf1: hash, salt_length: 32 });
    let key = PrivateKey::generate_rsa_pss(RSA_2048, restriction, &mut || false).unwrap();
    let public = key.public_key().unwrap();
    let pss = |hash, mgf1, salt_length| Scheme::RsaPss { hash, mgf1, salt_length };
    let both = |scheme: Scheme| {
        let input = Input::message(b"");
        let signed = key.sign(scheme, input, &mut [0; 256]).map(|_| true);
        let verified = public.verify(scheme, input, &[0; 256]).map(|_| true);
        (signed, verified)
    };
    let (fine, short) = ((Ok(true), Ok(true)), Err(Error::SaltLength));
    assert_eq!(both(pss(hash, hash, SaltLength::Digest)), fine);
    assert_eq!(both(pss(hash, hash, SaltLength::Bytes(40))), fine);
    assert_eq!(both(pss(hash, hash, SaltLength::Bytes(31))), (short, short));
    assert_eq!(both(pss(hash, hash, SaltLength::Auto)), (Ok(true), short));
    let wrong = (Err(Error::Hash), Err(Error::Hash));
    assert_eq!(both(pss(Hash::Sha384, hash, SaltLength::Digest)), wrong);
    assert_eq!(both(pss(hash, Hash::Sha1, SaltLength::Digest)), wrong);
}

#[test]
fn agrees_on_secrets() {
    for algorithm in Algorithm::ALL {
        let (one, other) = (new_key(algorithm), new_key(algorithm));
        let (mut secret, mut same) = ([0; 66], [0; 66]);
        let made = one.agree(&other.public_key().unwrap(), &mut secret);
        if !algorithm.agrees() {
            assert_eq!(made, Err(Error::KeyType));
            continue;
        }
        let size = algorithm.facts().shared_secret;
        assert_eq!(made, Ok(size));
        assert_eq!(other.agree(&one.public_key().unwrap(), &mut same), Ok(size));
        assert_eq!(secret, same);
        assert_ne!(secret[..size], vec![0; size]);
        let short = one.agree(&other.public_key().unwrap(), &mut secret[..size - 1]);
        assert_eq!(short, Err(Error::OutputSize));
    }
    let (one, other) = (new_key(Algorithm::P256), new_key(Algorithm::P384));
    let mixed = one.agree(&other.public_key().unwrap(), &mut [0; 66]);
    assert_eq!(mixed, Err(Error::KeyMismatch));
    let key = new_key(Algorithm::X25519);
    for small in [0, 1] {
        let mut point = [0; 32];
        point[0] = small;
        let peer = PublicKey::from_raw(Algorithm::X25519, &point).unwrap();
        assert_eq!(key.agree(&peer, &mut [0; 32]), Err(Error::SmallOrder));
    }
}

#[test]
fn encapsulates_secrets() {
    for algorithm in Algorithm::ALL {
        let key = new_key(algorithm);
        let public = key.public_key().unwrap();
        let (mut ciphertext, mut secret, mut same) = ([0; 1568], [0; 32], [0; 32]);
        let made = public.encapsulate(&mut ciphertext, &mut secret);
        if !algorithm.encapsulates() {
            assert_eq!(made, Err(Error::KeyType));
            assert_eq!(key.decapsulate(&ciphertext, &mut same), Err(Error::KeyType));
            continue;
        }
        let size = algorithm.facts().ciphertext;
        assert_eq!(made, Ok(size));
        key.decapsulate(&ciphertext[..size], &mut same).unwrap();
        assert_eq!(secret, same);
        ciphertext[3] ^= 1;
        key.decapsulate(&ciphertext[..size], &mut same).unwrap();
        assert_ne!(secret, same, "implicit rejection");
        if algorithm == Algorithm::XWing {
            ciphertext[size - 1] ^= 1;
            let (before, mut other) = (same, [0; 32]);
            key.decapsulate(&ciphertext[..size], &mut other).unwrap();
            assert_ne!(before, other, "the part of X25519");
            ciphertext[size - 32..size].fill(0);
            let refused = key.decapsulate(&ciphertext[..size], &mut other);
            assert_eq!(refused, Err(Error::SmallOrder));
            let small = [&public.to_raw().unwrap()[..1184], &[0; 32]].concat();
            let small = PublicKey::from_raw(algorithm, &small).unwrap();
            let refused = small.encapsulate(&mut ciphertext, &mut other);
            assert_eq!(refused, Err(Error::SmallOrder));
            let unreduced = PublicKey::from_raw(algorithm, &[0xff; 1216]);
            assert_eq!(unreduced.unwrap_err(), Error::InvalidKey);
        }
        let short = key.decapsulate(&ciphertext[..size - 1], &mut same);
        assert_eq!(short, Err(Error::CiphertextSize));
        let short = public.encapsulate(&mut ciphertext[..size - 1], &mut secret);
        assert_eq!(short, Err(Error::OutputSize));
    }
}

#[test]
fn encrypts_and_decrypts() {
    let (key, other) = (rsa_key(), rsa_key());
    let public = key.public_key().unwrap();
    let mut target = [0; 256];
    for message in [&b""[..], &[9; 190]] {
        let mut ciphertext = [0; 256];
        assert_eq!(public.encrypt_oaep(&OAEP, message, &mut ciphertext), Ok(256));
        assert_eq!(key.decrypt_oaep(&OAEP, &ciphertext, &mut target), Ok(message.len()));
        assert_eq!(&target[..message.len()], message);
        for wrong in [
            Oaep { hash: Hash::Sha1, ..OAEP },
            Oaep { mgf1: Hash::Sha256, ..OAEP },
            Oaep { label: b"", ..OAEP },
        ] {
            let refused = key.decrypt_oaep(&wrong, &ciphertext, &mut target);
            assert_eq!(refused, Err(Error::Decryption));
        }
        let refused = other.decrypt_oaep(&OAEP, &ciphertext, &mut target);
        assert_eq!(refused, Err(Error::Decryption));
        let short = key.decrypt_oaep(&OAEP, &ciphertext[1..], &mut target);
        assert_eq!(short, Err(Error::CiphertextSize));
    }
    // 256 bytes less two digests and 2, or less 11.
    let long = [0; 246];
    assert_eq!(public.encrypt_oaep(&OAEP, &long[..191], &mut target), Err(Error::MessageTooLong));
    assert_eq!(public.encrypt_pkcs1(&long, &mut target), Err(Error::MessageTooLong));
    assert_eq!(public.encrypt_pkcs1(&long[..245], &mut target), Ok(256));
    assert_eq!(public.encrypt_pkcs1(b"", &mut target[1..]), Err(Error::OutputSize));
    let pss = new_key(Algorithm::RsaPss).public_key().unwrap();
    assert_eq!(pss.encrypt_oaep(&OAEP, b"", &mut target), Err(Error::KeyType));
}

#[test]
fn threads_share_a_key() {
    let key = rsa_key();
    let scheme = Scheme::RsaPkcs1 { hash: Hash::Sha256 };
    let expected = sign(&key, scheme, Input::message(b""));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(sign(&key, scheme, Input::message(b"")), expected);
                }
            });
        }
    });
}
