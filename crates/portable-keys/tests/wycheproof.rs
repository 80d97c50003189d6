//! Wycheproof's answers that need chosen random bytes, if `MILLRACE_WYCHEPROOF` names its folder
//! `testvectors_v1`. All others run through the entry points of the package, by
//! test/public-keys/vectors.mjs.

use std::fs;
use std::path::Path;

use millrace_portable_keys::{MESSAGE, PUBLIC, Status, ml_dsa, ml_kem};
use millrace_public_keys::{Algorithm, Facts};
use serde_json::Value;

use crate::call;
use crate::support::hex;

#[test]
fn gives_the_answers_of_chosen_random_bytes() {
    let Some(folder) = std::env::var_os("MILLRACE_WYCHEPROOF") else {
        println!("skipped: wycheproof: needs MILLRACE_WYCHEPROOF");
        return;
    };
    let (mut tests, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.starts_with("mldsa_") && !name.starts_with("mlkem_") {
            continue;
        }
        let text = fs::read_to_string(Path::new(&folder).join(&name)).unwrap();
        let suite: Value = serde_json::from_str(&text).unwrap();
        for group in suite["testGroups"].as_array().unwrap() {
            for test in group["tests"].as_array().unwrap() {
                let right = match group["type"].as_str().unwrap() {
                    "MlDsaSign" => ml_dsa_sign(suite["algorithm"].as_str().unwrap(), group, test),
                    kind if kind.starts_with("MLKEM") => {
                        kem(group["parameterSet"].as_str().unwrap(), test)
                    }
                    _ => continue,
                };
                tests += 1;
                let expected = test["result"].as_str().unwrap();
                if right != Ok(expected == "valid") && (right == Ok(true) || expected == "valid") {
                    let (id, comment) = (&test["tcId"], &test["comment"]);
                    wrong.push(format!("{name} {id} {comment}: {expected}, {right:?}"));
                }
            }
        }
    }
    println!("{tests} tests");
    assert!(tests > 1000);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns a field in hex, `None` if it is missing.
fn bytes(value: &Value, field: &str) -> Option<Vec<u8>> {
    value[field].as_str().map(hex)
}

/// Returns the number of a parameter set, and the sizes of its keys.
fn set_of(name: &str) -> (u32, &'static Facts) {
    let (set, algorithm) = match name {
        "ML-DSA-44" => (0, Algorithm::MlDsa44),
        "ML-DSA-65" => (1, Algorithm::MlDsa65),
        "ML-DSA-87" => (2, Algorithm::MlDsa87),
        "ML-KEM-512" => (0, Algorithm::MlKem512),
        "ML-KEM-768" => (1, Algorithm::MlKem768),
        _ => (2, Algorithm::MlKem1024),
    };
    (set, algorithm.facts())
}

/// Signs with the random bytes of a test, or zeros in their place: the deterministic variant.
fn ml_dsa_sign(name: &str, group: &Value, test: &Value) -> Result<bool, Status> {
    let (set, facts) = set_of(name);
    let key = bytes(group, "privateSeed").or_else(|| bytes(group, "privateKey")).unwrap();
    let private = call(ml_dsa::import, set, 1, &[&key])?;
    let public = &private[facts.private_key..facts.private_key + facts.public_key];
    if let Some(expected) = bytes(group, "publicKey") {
        assert_eq!(public, expected);
    }
    let context = bytes(test, "ctx").unwrap_or_default();
    let random = bytes(test, "rnd").unwrap_or_else(|| vec![0; 32]);
    let mut right = true;
    let mut check = |kind: u32, message: &[u8], context: &[u8]| {
        let signature = call(ml_dsa::sign, set, kind, &[&private, message, context, &random])?;
        let verdict = call(ml_dsa::verify, set, kind, &[public, message, context, &signature])?;
        right &= signature == bytes(test, "sig").unwrap() && verdict == [1];
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
}

/// Encapsulates with the random bytes of a test, and decapsulates.
fn kem(name: &str, test: &Value) -> Result<bool, Status> {
    let (set, facts) = set_of(name);
    let (ciphertext, secret) = (bytes(test, "c"), bytes(test, "K"));
    let mut right = true;
    let private = match bytes(test, "seed").or_else(|| bytes(test, "dk")) {
        Some(key) => Some(call(ml_kem::import, set, 1, &[&key])?),
        None => None,
    };
    if let (Some(private), Some(expanded)) = (&private, bytes(test, "dk")) {
        right &= private[..facts.private_key] == *expanded;
    }
    if let Some(public) = bytes(test, "ek") {
        call(ml_kem::import, set, PUBLIC, &[&public])?;
        if let Some(private) = &private {
            right &= private[facts.private_key..].starts_with(&public);
        }
        if let Some(random) = bytes(test, "m").filter(|random| random.len() == 32) {
            let both = call(ml_kem::encapsulate, set, 0, &[&public, &random])?;
            let (found, text) = both.split_at(32);
            right &= secret.as_ref().is_none_or(|secret| secret == found);
            right &= ciphertext.as_ref().is_none_or(|expected| expected == text);
        }
    }
    if let (Some(private), Some(ciphertext)) = (&private, &ciphertext) {
        let found = call(ml_kem::decapsulate, set, 0, &[private, ciphertext])?;
        right &= secret.as_ref().is_none_or(|secret| *secret == found);
    }
    Ok(right)
}
