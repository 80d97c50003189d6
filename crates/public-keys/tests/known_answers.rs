//! Published answers: test/vectors/public-keys.json.

use millrace_public_keys::{
    Algorithm, EcdsaEncoding, Input, Oaep, PrivateKey, PublicKey, SaltLength, Scheme,
};
use serde_json::Value;

use crate::support::{algorithm, bytes, hash, sign};

#[test]
fn gives_the_published_answers() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../../test/vectors/public-keys.json")).unwrap();
    for vector in vectors.as_array().unwrap() {
        check(vector);
    }
    assert!(vectors.as_array().unwrap().len() >= 21);
}

fn check(vector: &Value) {
    let source = &vector["source"];
    let field = |name: &str| bytes(vector, name).unwrap();
    let hash_of = |name: &str| hash(vector[name].as_str().unwrap()).unwrap();
    let named = || algorithm(vector["algorithm"].as_str().unwrap()).unwrap();
    match vector["kind"].as_str().unwrap() {
        "ed25519" => {
            let key = PrivateKey::from_raw(Algorithm::Ed25519, &field("private")).unwrap();
            let public = key.public_key().unwrap();
            assert_eq!(public.to_raw().unwrap(), field("public"), "{source}");
            let message = field("message");
            let signature = sign(&key, &Scheme::Ed25519, Input::Message(&message));
            assert_eq!(signature, field("signature"), "{source}");
            verifies(&public, &Scheme::Ed25519, vector);
        }
        "x25519" => {
            let key = PrivateKey::from_raw(Algorithm::X25519, &field("private")).unwrap();
            assert_eq!(key.public_key().unwrap().to_raw().unwrap(), field("public"));
            agrees(&key, vector);
        }
        "ecdh" => {
            let private = field("private");
            let zeros = private.iter().take_while(|byte| **byte == 0).count();
            agrees(&PrivateKey::from_raw(named(), &private[zeros..]).unwrap(), vector);
        }
        "ecdsa" => {
            let public = PublicKey::from_raw(named(), &field("public")).unwrap();
            let (hash, encoding) = (hash_of("hash"), EcdsaEncoding::P1363);
            let scheme = Scheme::Ecdsa { hash, encoding };
            let (message, signature) = (field("message"), field("p1363"));
            assert_eq!(public.verify(&scheme, Input::Message(&message), &signature), Ok(true));
        }
        "rsa-pkcs1" => {
            let key = PrivateKey::from_pkcs8(&field("private")).unwrap();
            let (scheme, message) = (Scheme::RsaPkcs1 { hash: hash_of("hash") }, field("message"));
            let signature = sign(&key, &scheme, Input::Message(&message));
            assert_eq!(signature, field("signature"), "{source}");
            verifies(&key.public_key().unwrap(), &scheme, vector);
        }
        "rsa-pss" => {
            let (hash, mgf1) = (hash_of("hash"), hash_of("mgf1"));
            let salt = SaltLength::Bytes(vector["salt"].as_u64().unwrap() as u32);
            let public = PublicKey::from_spki(&field("public")).unwrap();
            for salt_length in [salt, SaltLength::Auto] {
                verifies(&public, &Scheme::RsaPss { hash, mgf1, salt_length }, vector);
            }
        }
        "rsa-oaep" => {
            let key = PrivateKey::from_pkcs8(&field("private")).unwrap();
            let (label, mut target) = (field("label"), [0; 256]);
            let oaep = Oaep { hash: hash_of("hash"), mgf1: hash_of("mgf1"), label: &label };
            let size = key.decrypt_oaep(&oaep, &field("ciphertext"), &mut target).unwrap();
            assert_eq!(target[..size], field("message"), "{source}");
        }
        "ml-kem" => {
            let key = PrivateKey::from_raw(named(), &field("seed")).unwrap();
            let mut secret = [0; 32];
            key.decapsulate(&field("ciphertext"), &mut secret).unwrap();
            assert_eq!(secret[..], field("secret"), "{source}");
        }
        "x-wing" => {
            let key = PrivateKey::from_raw(Algorithm::XWing, &field("seed")).unwrap();
            assert_eq!(key.public_key().unwrap().to_raw().unwrap(), field("public"), "{source}");
            let mut secret = [0; 32];
            key.decapsulate(&field("ciphertext"), &mut secret).unwrap();
            assert_eq!(secret[..], field("secret"), "{source}");
        }
        "encoding" => {
            let key = PrivateKey::from_pkcs8(&field("pkcs8")).unwrap();
            assert_eq!((key.algorithm(), &*key.to_pkcs8().unwrap()), (named(), &field("pkcs8")));
            let public = PublicKey::from_spki(&field("spki")).unwrap();
            assert_eq!(public.to_raw().unwrap(), key.public_key().unwrap().to_raw().unwrap());
            assert_eq!(public.to_spki().unwrap(), field("spki"));
        }
        "ml-dsa" => {
            let key = PrivateKey::from_raw(named(), &field("seed")).unwrap();
            let context = field("context");
            verifies(&key.public_key().unwrap(), &Scheme::MlDsa { context: &context }, vector);
        }
        kind => panic!("{kind}"),
    }
}

fn agrees(key: &PrivateKey, vector: &Value) {
    let peer = PublicKey::from_raw(key.algorithm(), &bytes(vector, "peer").unwrap()).unwrap();
    let mut secret = [0; 66];
    let size = key.agree(&peer, &mut secret).unwrap();
    assert_eq!(secret[..size], bytes(vector, "secret").unwrap(), "{}", vector["source"]);
}

/// Expects that the signature matches, and that no changed one and no other message does.
fn verifies(key: &PublicKey, scheme: &Scheme<'_>, vector: &Value) {
    let (message, mut signature) =
        (bytes(vector, "message").unwrap(), bytes(vector, "signature").unwrap());
    let verify = |message: &[u8], signature: &[u8]| {
        key.verify(scheme, Input::Message(message), signature).unwrap()
    };
    assert!(verify(&message, &signature), "{}", vector["source"]);
    assert!(!verify(&[&message[..], b"!"].concat(), &signature));
    for size in [0, 1, signature.len() - 1] {
        assert!(!verify(&message, &signature[..size]));
    }
    assert!(!verify(&message, &[&signature[..], &[0]].concat()));
    signature[7] ^= 1;
    assert!(!verify(&message, &signature));
}
