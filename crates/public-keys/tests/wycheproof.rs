//! Wycheproof's whole suite for these algorithms, if `MILLRACE_WYCHEPROOF` names its folder
//! `testvectors_v1`. A selection that always runs is in `known_answers`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use millrace_public_keys::{
    Algorithm, Coordinates, EcdsaEncoding, Error, Input, Oaep, PrivateKey, PublicKey, SaltLength,
    Scheme,
};
use serde_json::Value;

use crate::support::{algorithm, base64, bytes, hash, pem, sign};

const PREFIXES: [&str; 9] =
    ["ecdh_", "ecdsa_", "ed25519_", "mldsa_", "mlkem_", "rsa_", "x25519_", "rsaes_", "eddsa_"];

/// What became of a test: `None` if this crate lacks the curve, the hash or the operation.
type Outcome = Option<Result<bool, Error>>;

#[derive(Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    acceptable: usize,
    accepted: usize,
    skipped: usize,
}

#[test]
fn agrees_with_wycheproof() {
    let Some(folder) = std::env::var_os("MILLRACE_WYCHEPROOF") else {
        println!("skipped: wycheproof: needs MILLRACE_WYCHEPROOF");
        return;
    };
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        .collect();
    names.sort();
    let (mut tallies, mut wrong) = (BTreeMap::<String, Tally>::new(), Vec::new());
    for name in &names {
        let text = fs::read_to_string(Path::new(&folder).join(name)).unwrap();
        let suite: Value = serde_json::from_str(&text).unwrap();
        for group in suite["testGroups"].as_array().unwrap() {
            let kind = group["type"].as_str().unwrap();
            let tally = tallies.entry(kind.to_owned()).or_default();
            let run = runner(kind, group, &suite);
            for test in group["tests"].as_array().unwrap() {
                let Some(outcome) = run(test) else {
                    tally.skipped += 1;
                    continue;
                };
                let right = outcome == Ok(true);
                let expected = test["result"].as_str().unwrap();
                match expected {
                    "valid" => tally.valid += 1,
                    "invalid" => tally.invalid += 1,
                    _ => {
                        tally.acceptable += 1;
                        tally.accepted += usize::from(right);
                        continue;
                    }
                }
                if right != (expected == "valid") {
                    let (id, comment) = (&test["tcId"], &test["comment"]);
                    wrong.push(format!("{name} {id} {comment}: {expected}, but {outcome:?}"));
                }
            }
        }
    }
    println!("{} files; valid, invalid, acceptable (accepted), skipped:", names.len());
    for (kind, tally) in &tallies {
        let Tally { valid, invalid, acceptable, accepted, skipped } = tally;
        println!("{kind}: {valid}, {invalid}, {acceptable} ({accepted}), {skipped}");
    }
    assert!(names.len() > 100);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns the function that runs a test of a group.
fn runner<'a>(
    kind: &str,
    group: &'a Value,
    suite: &'a Value,
) -> Box<dyn Fn(&Value) -> Outcome + 'a> {
    match kind {
        "EcdsaVerify" => verifies_ecdsa(group, EcdsaEncoding::Der),
        "EcdsaP1363Verify" => verifies_ecdsa(group, EcdsaEncoding::P1363),
        "EddsaVerify" => {
            let key = PublicKey::from_spki(&bytes(group, "publicKeyDer").unwrap());
            Box::new(move |test| Some(verify(&key, &Scheme::Ed25519, test)))
        }
        "MlDsaVerify" => {
            let algorithm = algorithm(suite["algorithm"].as_str().unwrap()).unwrap();
            let key = PublicKey::from_raw(algorithm, &bytes(group, "publicKey").unwrap());
            Box::new(move |test| {
                let context = bytes(test, "ctx").unwrap_or_default();
                Some(verify(&key, &Scheme::MlDsa { context: &context }, test))
            })
        }
        "MlDsaSign" => {
            let algorithm = algorithm(suite["algorithm"].as_str().unwrap()).unwrap();
            Box::new(move |test| Some(signs_ml_dsa(algorithm, group, test)))
        }
        "RsassaPkcs1Verify" => {
            let hash = hash(group["sha"].as_str().unwrap());
            let key = PublicKey::from_spki(&bytes(group, "publicKeyDer").unwrap());
            Box::new(move |test| Some(verify(&key, &Scheme::RsaPkcs1 { hash: hash? }, test)))
        }
        "RsassaPkcs1Generate" => {
            let hash = hash(group["sha"].as_str().unwrap());
            let key = PrivateKey::from_pkcs8(&bytes(group, "privateKeyPkcs8").unwrap());
            Box::new(move |test| {
                let (scheme, message) = (Scheme::RsaPkcs1 { hash: hash? }, bytes(test, "msg")?);
                let key = match &key {
                    Ok(key) => key,
                    Err(error) => return Some(Err(*error)),
                };
                let signature = sign(key, &scheme, Input::Message(&message));
                Some(Ok(signature == bytes(test, "sig")?))
            })
        }
        "RsassaPssVerify" | "RsassaPssWithParametersVerify" => {
            let hash_of = |field: &str| hash(group[field].as_str().unwrap_or("none"));
            let (hash, mgf1) = (hash_of("sha"), hash_of("mgfSha"));
            let salt_length = SaltLength::Bytes(group["sLen"].as_u64().unwrap() as u32);
            let key = PublicKey::from_spki(&bytes(group, "publicKeyDer").unwrap());
            Box::new(move |test| {
                let scheme = Scheme::RsaPss { hash: hash?, mgf1: mgf1?, salt_length };
                Some(verify(&key, &scheme, test))
            })
        }
        "RsaesOaepDecrypt" => {
            let key = PrivateKey::from_pkcs8(&bytes(group, "privateKeyPkcs8").unwrap());
            Box::new(move |test| decrypts(&key, group, test))
        }
        kind if kind.starts_with("Ecdh") || kind.starts_with("Xdh") => {
            let names = [("secp256r1", "P-256"), ("secp384r1", "P-384"), ("secp521r1", "P-521")];
            let curves = [Algorithm::P256, Algorithm::P384, Algorithm::P521];
            let name = group["curve"].as_str().unwrap();
            let algorithm = match name {
                "curve25519" => Some(Algorithm::X25519),
                _ => names
                    .iter()
                    .position(|pair| pair.0 == name || pair.1 == name)
                    .map(|at| curves[at]),
            };
            Box::new(move |test| Some(agrees(algorithm?, test)))
        }
        kind if kind.starts_with("MLKEM") => {
            let algorithm = algorithm(group["parameterSet"].as_str().unwrap()).unwrap();
            Box::new(move |test| Some(encapsulates(algorithm, test)))
        }
        // Decryption of PKCS#1 v1.5, and Bitcoin's stricter ECDSA.
        _ => Box::new(|_| None),
    }
}

fn verify(
    key: &Result<PublicKey, Error>,
    scheme: &Scheme<'_>,
    test: &Value,
) -> Result<bool, Error> {
    let (message, signature) = (bytes(test, "msg").unwrap(), bytes(test, "sig").unwrap());
    key.as_ref().map_err(|error| *error)?.verify(scheme, Input::Message(&message), &signature)
}

fn verifies_ecdsa(group: &Value, encoding: EcdsaEncoding) -> Box<dyn Fn(&Value) -> Outcome> {
    let hash = hash(group["sha"].as_str().unwrap());
    let key = PublicKey::from_spki(&bytes(group, "publicKeyDer").unwrap());
    Box::new(move |test| match (&key, hash) {
        (Err(Error::UnsupportedAlgorithm), _) | (_, None) => None,
        (_, Some(hash)) => Some(verify(&key, &Scheme::Ecdsa { hash, encoding }, test)),
    })
}

/// Verifies the deterministic signature, which cannot be made here, and one that is made here.
fn signs_ml_dsa(algorithm: Algorithm, group: &Value, test: &Value) -> Result<bool, Error> {
    let seed = bytes(group, "privateSeed").or_else(|| bytes(group, "privateKey")).unwrap();
    let key = PrivateKey::from_raw(algorithm, &seed)?;
    if let Some(pkcs8) = bytes(group, "privateKeyPkcs8") {
        assert_eq!(*PrivateKey::from_pkcs8(&pkcs8)?.to_raw()?, *key.to_raw()?);
        assert_eq!(*key.to_pkcs8()?, pkcs8);
    }
    let public = key.public_key()?;
    if let Some(expected) = bytes(group, "publicKey") {
        assert_eq!(public.to_raw()?, expected);
    }
    let context = bytes(test, "ctx").unwrap_or_default();
    let (message, mu) = (bytes(test, "msg"), bytes(test, "mu"));
    let expected = bytes(test, "sig").unwrap();
    let mut right = true;
    if let Some(message) = &message {
        let (scheme, input) = (Scheme::MlDsa { context: &context }, Input::Message(message));
        let mut signature = vec![0; algorithm.facts().signature];
        key.sign(&scheme, input, &mut signature)?;
        right = public.verify(&scheme, input, &expected)?
            && public.verify(&scheme, input, &signature)?;
    }
    if let Some(mu) = &mu {
        let (scheme, input) = (Scheme::MlDsa { context: &[] }, Input::Digest(mu));
        let signature = sign(&key, &scheme, input);
        right &= public.verify(&scheme, input, &expected)?
            && public.verify(&scheme, input, &signature)?;
    }
    Ok(right)
}

fn decrypts(key: &Result<PrivateKey, Error>, group: &Value, test: &Value) -> Outcome {
    let key = key.as_ref().ok()?; // three primes
    let label = bytes(test, "label")?;
    let (hash, mgf1) = (hash(group["sha"].as_str()?)?, hash(group["mgfSha"].as_str()?)?);
    let oaep = Oaep { hash, mgf1, label: &label };
    let mut target = vec![0; key.modulus_bits().div_ceil(8) as usize];
    let size = match key.decrypt_oaep(&oaep, &bytes(test, "ct")?, &mut target) {
        Ok(size) => size,
        Err(error) => return Some(Err(error)),
    };
    Some(Ok(target[..size] == bytes(test, "msg")?))
}

fn agrees(algorithm: Algorithm, test: &Value) -> Result<bool, Error> {
    let (public, private) = (&test["public"], &test["private"]);
    let (public, private) = match (public.as_str(), private.as_str()) {
        (Some(public), Some(private)) if public.starts_with('-') => {
            (PublicKey::from_spki(&pem(public))?, PrivateKey::from_pkcs8(&pem(private))?)
        }
        (Some(_), Some(_)) => {
            let (public, private) =
                (bytes(test, "public").unwrap(), bytes(test, "private").unwrap());
            let parsed = match public.first() {
                Some(0x30) if algorithm != Algorithm::X25519 || public.len() != 32 => {
                    PublicKey::from_spki(&public)?
                }
                _ => PublicKey::from_raw(algorithm, &public)?,
            };
            let private = match PrivateKey::from_pkcs8(&private) {
                Ok(key) => key,
                Err(_) if algorithm == Algorithm::X25519 => {
                    PrivateKey::from_raw(algorithm, &private)?
                }
                Err(_) => {
                    let zeros = private.iter().take_while(|byte| **byte == 0).count();
                    PrivateKey::from_raw(algorithm, &private[zeros..])?
                }
            };
            (parsed, private)
        }
        _ => {
            let field =
                |key: &Value, name: &str| key[name].as_str().map(base64).unwrap_or_default();
            if algorithm == Algorithm::X25519 {
                (
                    PublicKey::from_raw(algorithm, &field(public, "x"))?,
                    PrivateKey::from_raw(algorithm, &field(private, "d"))?,
                )
            } else {
                let coordinates =
                    |key: &Value| Coordinates { x: field(key, "x"), y: field(key, "y") };
                let scalar = field(private, "d");
                if public["crv"] != private["crv"] {
                    return Err(Error::KeyMismatch);
                }
                (
                    PublicKey::from_coordinates(algorithm, &coordinates(public))?,
                    PrivateKey::from_coordinates(algorithm, &scalar, &coordinates(private))?,
                )
            }
        }
    };
    let mut secret = [0; 66];
    let size = private.agree(&public, &mut secret)?;
    Ok(secret[..size] == bytes(test, "shared").unwrap())
}

fn encapsulates(algorithm: Algorithm, test: &Value) -> Result<bool, Error> {
    let private = match bytes(test, "seed").or_else(|| bytes(test, "dk")) {
        Some(key) => Some(PrivateKey::from_raw(algorithm, &key)?),
        None => None,
    };
    let mut right = true;
    if let (Some(private), Some(expanded)) = (&private, bytes(test, "dk")) {
        right &= *private.to_raw()? == expanded;
    }
    if let Some(public) = bytes(test, "ek") {
        let public = PublicKey::from_raw(algorithm, &public)?;
        if let Some(private) = &private {
            right &= private.public_key()?.to_raw()? == public.to_raw()?;
        }
        let mut ciphertext = vec![0; algorithm.facts().ciphertext];
        right &= public.encapsulate(&mut ciphertext, &mut [0; 32])? == ciphertext.len();
    }
    if let (Some(private), Some(ciphertext)) = (&private, bytes(test, "c")) {
        let mut secret = [0; 32];
        private.decapsulate(&ciphertext, &mut secret)?;
        right &= bytes(test, "K").is_none_or(|expected| expected == secret);
    }
    Ok(right)
}
