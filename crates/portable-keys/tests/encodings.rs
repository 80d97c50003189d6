//! Encodings: what either crate writes the other reads.

use millrace_portable_keys::encodings::{read, write};
use millrace_portable_keys::{KeyForm, PUBLIC, PublicKeyAlgorithm, Status};
use millrace_portable_keys::{ed25519, ml_dsa, ml_kem, p256, x25519};
use millrace_public_keys::{Algorithm as Native, PrivateKey, PublicKey};

use crate::call;
use crate::support::{base64, new_key};

/// The algorithms of both crates. X-Wing is of the other one only.
fn algorithms() -> impl Iterator<Item = (Native, PublicKeyAlgorithm)> {
    (0..13)
        .filter_map(PublicKeyAlgorithm::from_number)
        .zip(Native::ALL)
        .map(|(own, native)| (native, own))
}

/// The parts of a key.
type Parts = Vec<Vec<u8>>;

/// Reads a key: its algorithm and its parts.
fn parts(form: KeyForm, der: &[u8]) -> Result<(PublicKeyAlgorithm, Parts), Status> {
    let list = call(read, 0, form as u32, &[der])?;
    let (mut rest, mut parts) = (&list[1..], Vec::new());
    while let Some((size, more)) = rest.split_first_chunk() {
        let (part, tail) = more.split_at(u16::from_le_bytes(*size).into());
        parts.push(part.to_vec());
        rest = tail;
    }
    Ok((PublicKeyAlgorithm::from_number(list[0].into()).unwrap(), parts))
}

fn written(form: KeyForm, algorithm: PublicKeyAlgorithm, parts: &Parts) -> Result<Vec<u8>, Status> {
    let sized = |part: &Vec<u8>| [&(part.len() as u16).to_le_bytes(), &part[..]].concat();
    let list: Vec<u8> = parts.iter().flat_map(sized).collect();
    call(write, algorithm as u32, form as u32, &[&list])
}

#[test]
fn keys_are_written_as_aws_lc_writes_them() {
    for (native, algorithm) in algorithms() {
        let key = new_key(native);
        let public = key.public_key().unwrap();
        let (pkcs8, spki) = (key.to_pkcs8().unwrap(), public.to_spki().unwrap());
        let (found, private) = parts(KeyForm::Pkcs8, &pkcs8).unwrap();
        assert_eq!(found, algorithm);
        let (found, known) = parts(KeyForm::Spki, &spki).unwrap();
        assert_eq!(found, algorithm);
        assert_eq!(written(KeyForm::Pkcs8, algorithm, &private).unwrap(), *pkcs8);
        assert_eq!(written(KeyForm::Spki, algorithm, &known).unwrap(), spki);
        if !native.is_rsa() {
            assert_eq!(known, [public.to_raw().unwrap()]);
            let seed = key.to_seed().map(|seed| seed.to_vec()).unwrap_or_default();
            assert_eq!(private[2], seed);
        }
        if !native.is_rsa() && private[2].is_empty() {
            assert_eq!(private[0], *key.to_raw().unwrap());
        }
        if native == Native::Rsa {
            let (pkcs1, of_public) = (key.to_pkcs1().unwrap(), public.to_pkcs1().unwrap());
            assert_eq!(written(KeyForm::Pkcs1, algorithm, &private).unwrap(), *pkcs1);
            assert_eq!(written(KeyForm::Pkcs1Public, algorithm, &known).unwrap(), of_public);
            assert_eq!(parts(KeyForm::Pkcs1, &pkcs1).unwrap().1, private);
            assert_eq!(parts(KeyForm::Pkcs1Public, &of_public).unwrap().1, known);
        }
        if native.is_nist_curve() {
            let sec1 = key.to_sec1().unwrap();
            assert_eq!(written(KeyForm::Sec1, algorithm, &private).unwrap(), *sec1);
            assert_eq!(parts(KeyForm::Sec1, &sec1).unwrap().1, private);
        }
        for form in [KeyForm::Pkcs1, KeyForm::Pkcs1Public, KeyForm::Sec1] {
            let has = match form {
                KeyForm::Sec1 => native.is_nist_curve(),
                _ => native.is_rsa(),
            };
            let found = written(form, algorithm, &private);
            assert_eq!(found.err(), (!has).then_some(Status::KeyUse));
        }
    }
}

#[test]
fn expanded_keys_are_written_as_aws_lc_writes_them() {
    for (native, _) in algorithms().filter(|(native, _)| native.facts().seed > 0) {
        let key = new_key(native);
        let (seed, expanded) = (key.to_seed().unwrap(), key.to_raw().unwrap());
        let pkcs8 = PrivateKey::from_raw(native, &expanded).unwrap().to_pkcs8().unwrap();
        let (algorithm, mut found) = parts(KeyForm::Pkcs8, &pkcs8).unwrap();
        assert_eq!(found, [&expanded[..], &[], &[]]);
        assert_eq!(written(KeyForm::Pkcs8, algorithm, &found).unwrap(), *pkcs8);
        // As a sequence of both, which OpenSSL writes.
        let inner = [element(4, &seed), element(4, &expanded)].concat();
        let both = [&[2, 1, 0], &pkcs8[7..20], &element(4, &element(0x30, &inner))].concat();
        found[2] = seed.to_vec();
        assert_eq!(parts(KeyForm::Pkcs8, &element(0x30, &both)).unwrap(), (algorithm, found));
    }
}

fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let [.., high, low] = content.len().to_be_bytes();
    match content.len() {
        0..0x80 => [&[tag, low], content].concat(),
        0x80..0x100 => [&[tag, 0x81, low], content].concat(),
        _ => [&[tag, 0x82, high, low], content].concat(),
    }
}

#[test]
fn version_2_and_attributes_are_read() {
    // RFC 8410 10.3.
    let der = base64(
        "MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhCoB8wHQYKKoZIhvcN\
         AQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
    );
    let (algorithm, parts) = parts(KeyForm::Pkcs8, &der).unwrap();
    assert_eq!(algorithm, PublicKeyAlgorithm::Ed25519);
    assert_eq!(call(ed25519::import, 0, 1, &[&parts[0]]).unwrap(), parts.concat());
}

#[test]
fn damaged_keys_are_refused() {
    for (native, _) in algorithms() {
        let key = new_key(native);
        let spki = key.public_key().unwrap().to_spki().unwrap();
        for (form, der) in [(KeyForm::Pkcs8, &key.to_pkcs8().unwrap()[..]), (KeyForm::Spki, &spki)]
        {
            for size in 0..der.len() {
                assert!(parts(form, &der[..size]).is_err());
            }
            assert_eq!(parts(form, &[der, &[0]].concat()).unwrap_err(), Status::KeyEncoding);
            let step = if native.is_rsa() { 7 } else { 1 };
            for at in (0..der.len()).step_by(step) {
                let mut changed = der.to_vec();
                changed[at] ^= 1 << (at % 8);
                let _ = parts(form, &changed);
            }
        }
    }
}

#[test]
fn keys_of_other_curves_and_parameters_are_refused() {
    let refused = |text: &str| PublicKey::from_spki(&base64(text)).is_err();
    for text in [
        // secp256k1, and Ed25519 with a parameter of NULL.
        "MDYwEAYHKoZIzj0CAQYFK4EEAAoDIgACeb5mfvncu6xVoGKVzocLBwKb/NstzijZWfKBWxb4F5g=",
        "MCwwBwYDK2VwBQADIQAZv0QJaYTN/oVBusFn3DuWyFCGqjC2tssMXDitcDFm4Q==",
    ] {
        assert!(parts(KeyForm::Spki, &base64(text)).is_err() && refused(text), "{text}");
    }
}

#[test]
fn raw_keys_of_other_sizes_are_refused() {
    let operations =
        [ed25519::import, x25519::import, p256::import, ml_kem::import, ml_dsa::import];
    for (index, import) in operations.into_iter().enumerate() {
        for (size, kind) in [0, 1, 31, 33, 63, 66].into_iter().zip([PUBLIC, 1].into_iter().cycle())
        {
            let is_compressed = index == 2 && size == 33 && kind == PUBLIC;
            let found = call(import, 1, kind, &[&vec![1; size]]);
            assert!(is_compressed || found == Err(Status::KeySize), "{index} {size}");
        }
    }
    let refused = |kind: u32, key: &[u8]| call(p256::import, 0, kind, &[key]).err();
    assert_eq!(refused(1, &[0; 32]), Some(Status::KeyValue));
    assert_eq!(refused(1, &[0xff; 32]), Some(Status::KeyValue));
    for point in [&[4; 65][..], &[0; 65], &[0xff; 33], &[5; 33], &[0; 33]] {
        assert_eq!(refused(PUBLIC, point), Some(Status::KeyValue), "{point:x?}");
    }
}
