//! Wycheproof, if `MILLRACE_WYCHEPROOF` names its folder `testvectors_v1`: the verdict on each test
//! must be the expected one, and that of AWS-LC where either is acceptable.

use std::fs;
use std::path::Path;

use millrace_portable_keys::{KeyForm, MESSAGE, PUBLIC, PublicKeyAlgorithm, Status};
use millrace_portable_keys::{ed25519, ml_dsa, ml_kem, p256, x25519};
use millrace_public_keys::{
    Algorithm, EcdsaEncoding, Error as NativeError, Hash, Input, PrivateKey, PublicKey, Scheme,
};
use serde_json::Value;

use crate::call;
use crate::encodings::parts;
use crate::support::{algorithm, base64, bytes, hash, pem};

/// The verdicts of this crate and of AWS-LC.
type Verdicts = (Result<bool, Status>, Result<bool, NativeError>);

#[test]
fn agrees_with_wycheproof_and_aws_lc() {
    let Some(folder) = std::env::var_os("MILLRACE_WYCHEPROOF") else {
        println!("skipped: wycheproof: needs MILLRACE_WYCHEPROOF");
        return;
    };
    let prefixes = ["ecdh_secp256r1", "ecdsa_secp256r1", "ed25519_", "mldsa_", "mlkem_", "x25519_"];
    let (mut files, mut tests, mut wrong) = (0, 0, Vec::new());
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let text = fs::read_to_string(Path::new(&folder).join(&name)).unwrap();
        let suite: Value = serde_json::from_str(&text).unwrap();
        let before = tests;
        for group in suite["testGroups"].as_array().unwrap() {
            for test in group["tests"].as_array().unwrap() {
                let Some((own, native)) = run(&suite, group, test) else { continue };
                tests += 1;
                let (right, expected) = (own == Ok(true), test["result"].as_str().unwrap());
                let fine = match expected {
                    "valid" => right,
                    "invalid" => !right,
                    _ => right == (native == Ok(true)),
                };
                if !fine || right != (native == Ok(true)) {
                    let (id, comment) = (&test["tcId"], &test["comment"]);
                    wrong.push(format!("{name} {id} {comment}: {expected}, {own:?}, {native:?}"));
                }
            }
        }
        println!("{name}: {}", tests - before);
        files += 1;
    }
    println!("{files} files, {tests} tests");
    assert!(tests > 6000);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn run(suite: &Value, group: &Value, test: &Value) -> Option<Verdicts> {
    let kind = group["type"].as_str().unwrap();
    match kind {
        "EddsaVerify" => {
            let key = bytes(&group["publicKey"], "pk").unwrap();
            let (message, signature) = (bytes(test, "msg")?, bytes(test, "sig")?);
            let native = PublicKey::from_raw(Algorithm::Ed25519, &key)
                .and_then(|key| key.verify(&Scheme::Ed25519, Input::Message(&message), &signature));
            let own = call(ed25519::verify, 0, 0, &[&key, &message, &[], &signature]);
            Some((own.map(is_right), native))
        }
        // Signatures in DER are read in JavaScript.
        "EcdsaP1363Verify" => ecdsa(group, test),
        "MlDsaVerify" => {
            let set = set_of(suite["algorithm"].as_str().unwrap());
            let key = bytes(group, "publicKey").unwrap();
            let (message, signature) = (bytes(test, "msg")?, bytes(test, "sig")?);
            let context = bytes(test, "ctx").unwrap_or_default();
            let own = match context.len() {
                0..=255 => {
                    let inputs = [&key[..], &message, &context, &signature];
                    call(ml_dsa::verify, set, MESSAGE, &inputs).map(is_right)
                }
                _ => Ok(false),
            };
            let scheme = Scheme::MlDsa { context: &context };
            let native =
                PublicKey::from_raw(algorithm(suite["algorithm"].as_str().unwrap())?, &key)
                    .and_then(|key| key.verify(&scheme, Input::Message(&message), &signature));
            Some((own, native))
        }
        "MlDsaSign" => Some(ml_dsa_sign(suite["algorithm"].as_str().unwrap(), group, test)),
        kind if kind.starts_with("Ecdh") || kind.starts_with("Xdh") => agree(group, test),
        kind if kind.starts_with("MLKEM") => {
            Some(kem(group["parameterSet"].as_str().unwrap(), test))
        }
        _ => None,
    }
}

fn is_right(verdict: Vec<u8>) -> bool {
    verdict == [1]
}

fn ecdsa(group: &Value, test: &Value) -> Option<Verdicts> {
    let hash: Hash = hash(group["sha"].as_str().unwrap())?;
    let der = bytes(group, "publicKeyDer").unwrap();
    let (message, signature) = (bytes(test, "msg")?, bytes(test, "sig")?);
    let encoding = EcdsaEncoding::P1363;
    let native = PublicKey::from_spki(&der).and_then(|key| {
        key.verify(&Scheme::Ecdsa { hash, encoding }, Input::Message(&message), &signature)
    });
    let own = parts(KeyForm::Spki, &der).and_then(|(_, parts)| {
        let inputs = [&parts[0][..], &digest(hash, &message), &[], &signature];
        call(p256::verify, 0, 0, &inputs).map(is_right)
    });
    Some((own, native))
}

fn digest(hash: Hash, message: &[u8]) -> Vec<u8> {
    use sha2::Digest;
    match hash {
        Hash::Sha256 => sha2::Sha256::digest(message).to_vec(),
        Hash::Sha512 => sha2::Sha512::digest(message).to_vec(),
        Hash::Sha3_256 => sha3::Sha3_256::digest(message).to_vec(),
        Hash::Sha3_512 => sha3::Sha3_512::digest(message).to_vec(),
        other => panic!("{other:?}"),
    }
}

fn agree(group: &Value, test: &Value) -> Option<Verdicts> {
    let is_x25519 = group["curve"].as_str().unwrap() == "curve25519";
    let native = if is_x25519 { Algorithm::X25519 } else { Algorithm::P256 };
    let expected = bytes(test, "shared").unwrap();
    let (public, private) = (&test["public"], &test["private"]);
    let of_jwk = |key: &Value, name: &str| key[name].as_str().map(base64).unwrap_or_default();
    let point = |key: &Value| [&[4][..], &of_jwk(key, "x"), &of_jwk(key, "y")].concat();
    let (public, private): (Vec<u8>, Vec<u8>) = match (public.as_str(), private.as_str()) {
        (Some(public), Some(private)) if public.starts_with('-') => (pem(public), pem(private)),
        (Some(_), Some(_)) => (bytes(test, "public").unwrap(), bytes(test, "private").unwrap()),
        _ if is_x25519 => (of_jwk(public, "x"), of_jwk(private, "d")),
        _ if public["crv"] != private["crv"] => return None,
        _ => (point(public), of_jwk(private, "d")),
    };
    let is_der = |key: &[u8]| key.first() == Some(&0x30) && key.len() > 40;
    let own_public = match is_der(&public) {
        true => parts(KeyForm::Spki, &public).and_then(|(algorithm, mut parts)| {
            let expected = [PublicKeyAlgorithm::P256, PublicKeyAlgorithm::X25519];
            let fits = algorithm == expected[usize::from(is_x25519)];
            if fits { Ok(parts.remove(0)) } else { Err(Status::KeyPair) }
        }),
        false => Ok(public.clone()),
    };
    let private_der = is_der(&private);
    let zeros = private.iter().take_while(|byte| **byte == 0).count();
    let own_private = match private_der {
        true => parts(KeyForm::Pkcs8, &private).map(|(_, mut parts)| parts.remove(0)),
        false if is_x25519 => Ok(private.clone()),
        false => {
            let scalar = &private[zeros..];
            Ok([&vec![0; 32usize.saturating_sub(scalar.len())], scalar].concat())
        }
    };
    let own = own_public.and_then(|public| {
        let import = if is_x25519 { x25519::import } else { p256::import };
        let agree = if is_x25519 { x25519::agree } else { p256::agree };
        let private = call(import, 0, 1, &[&own_private?])?;
        let public = call(import, 0, PUBLIC, &[&public])?;
        Ok(call(agree, 0, 0, &[&private, &public])? == expected)
    });
    let native_public = match is_der(&public) {
        true => PublicKey::from_spki(&public),
        false => PublicKey::from_raw(native, &public),
    };
    let native_private = match private_der {
        true => PrivateKey::from_pkcs8(&private),
        false if is_x25519 => PrivateKey::from_raw(native, &private),
        false => PrivateKey::from_raw(native, &private[zeros..]),
    };
    let theirs = native_public.and_then(|public| {
        let mut secret = [0; 32];
        native_private?.agree(&public, &mut secret)?;
        Ok(secret[..] == expected)
    });
    Some((own, theirs))
}

fn set_of(name: &str) -> u32 {
    match name {
        "ML-DSA-44" | "ML-KEM-512" => 0,
        "ML-DSA-65" | "ML-KEM-768" => 1,
        _ => 2,
    }
}

/// Signs with the random bytes of a test, or zeros in their place: the deterministic variant.
fn ml_dsa_sign(name: &str, group: &Value, test: &Value) -> Verdicts {
    let set = set_of(name);
    let key = bytes(group, "privateSeed").or_else(|| bytes(group, "privateKey")).unwrap();
    let native = PrivateKey::from_raw(algorithm(name).unwrap(), &key);
    let own = || {
        let private = call(ml_dsa::import, set, 1, &[&key])?;
        let facts = algorithm(name).unwrap().facts();
        let public = &private[facts.private_key..facts.private_key + facts.public_key];
        if let Some(expected) = bytes(group, "publicKey") {
            assert_eq!(public, expected);
        }
        if let Ok(native) = &native {
            assert_eq!(*native.to_raw().unwrap(), private[..facts.private_key]);
        }
        let context = bytes(test, "ctx").unwrap_or_default();
        let expected = bytes(test, "sig").unwrap();
        let random = bytes(test, "rnd").unwrap_or_else(|| vec![0; 32]);
        let mut right = true;
        let mut check = |kind: u32, message: &[u8], context: &[u8]| {
            let signature = call(ml_dsa::sign, set, kind, &[&private, message, context, &random])?;
            let verdict = call(ml_dsa::verify, set, kind, &[public, message, context, &signature])?;
            right &= signature == expected && is_right(verdict);
            Ok::<(), Status>(())
        };
        if let Some(message) = bytes(test, "msg") {
            if context.len() > 255 {
                return Ok(false);
            }
            check(MESSAGE, &message, &context)?;
        }
        if let Some(mu) = bytes(test, "mu") {
            check(1, &mu, &[])?;
        }
        Ok(right)
    };
    // AWS-LC cannot sign so.
    let context = bytes(test, "ctx").unwrap_or_default();
    (own(), native.map(|_| context.len() <= 255))
}

fn kem(name: &str, test: &Value) -> Verdicts {
    let set = set_of(name);
    let native = algorithm(name).unwrap();
    let (seed, expanded) = (bytes(test, "seed"), bytes(test, "dk"));
    let (public, ciphertext, secret) = (bytes(test, "ek"), bytes(test, "c"), bytes(test, "K"));
    let facts = native.facts();
    let own = || {
        let mut right = true;
        let import = |key: &Vec<u8>| call(ml_kem::import, set, 1, &[key]);
        let private = seed.as_ref().or(expanded.as_ref()).map(import).transpose()?;
        if let (Some(private), Some(expanded)) = (&private, &expanded) {
            right &= private[..facts.private_key] == *expanded;
        }
        if let Some(public) = &public {
            call(ml_kem::import, set, PUBLIC, &[public])?;
            if let Some(private) = &private {
                right &= private[facts.private_key..].starts_with(public);
            }
            let random = bytes(test, "m").unwrap_or_default();
            let deterministic = random.len() == 32;
            let random = if deterministic { random } else { vec![7; 32] };
            let both = call(ml_kem::encapsulate, set, 0, &[public, &random])?;
            let (found, text) = both.split_at(32);
            if deterministic {
                right &= secret.as_ref().is_none_or(|secret| secret == found);
                right &= ciphertext.as_ref().is_none_or(|expected| expected == text);
            }
        }
        if let (Some(private), Some(ciphertext)) = (&private, &ciphertext) {
            let found = call(ml_kem::decapsulate, set, 0, &[private, ciphertext])?;
            right &= secret.as_ref().is_none_or(|secret| *secret == found);
        }
        Ok(right)
    };
    let theirs = || {
        let mut right = true;
        let private = match seed.as_ref().or(expanded.as_ref()) {
            Some(key) => Some(PrivateKey::from_raw(native, key)?),
            None => None,
        };
        if let Some(public) = &public {
            let public = PublicKey::from_raw(native, public)?;
            right &= private.is_none() || private.is_some();
            public.encapsulate(&mut vec![0; facts.ciphertext], &mut [0; 32])?;
        }
        if let (Some(private), Some(expanded)) = (&private, &expanded) {
            right &= *private.to_raw()? == *expanded;
        }
        if let (Some(private), Some(public)) = (&private, &public) {
            right &= private.public_key()?.to_raw()? == *public;
        }
        if let (Some(private), Some(ciphertext)) = (&private, &ciphertext) {
            let mut found = [0; 32];
            private.decapsulate(ciphertext, &mut found)?;
            right &= secret.as_ref().is_none_or(|secret| *secret == found);
        }
        Ok(right)
    };
    (own(), theirs())
}
