//! Encodings of keys: round trips, other programs' keys, and damage.

use millrace_public_keys::{
    Algorithm, Error, KeyCipher, PASSWORD_ITERATIONS, PrivateKey, PublicKey,
};

use crate::support::{base64, hex, new_key};

#[test]
fn reads_every_encoding_that_it_writes() {
    for algorithm in Algorithm::ALL {
        let key = new_key(algorithm);
        let pkcs8 = key.to_pkcs8().unwrap();
        let same = |other: Result<PrivateKey, Error>| {
            assert_eq!(*other.unwrap().to_pkcs8().unwrap(), *pkcs8, "{algorithm:?}");
        };
        same(PrivateKey::from_pkcs8(&pkcs8));
        let public = key.public_key().unwrap();
        let spki = public.to_spki().unwrap();
        let same_public = |other: Result<PublicKey, Error>| {
            assert_eq!(other.unwrap().to_spki().unwrap(), spki, "{algorithm:?}");
        };
        same_public(PublicKey::from_spki(&spki));
        if algorithm.is_rsa() {
            let private = key.to_pkcs1().unwrap();
            assert_eq!(*PrivateKey::from_pkcs1(&private).unwrap().to_pkcs1().unwrap(), *private);
            let bytes = public.to_pkcs1().unwrap();
            assert_eq!(PublicKey::from_pkcs1(&bytes).unwrap().to_pkcs1().unwrap(), bytes);
            assert_eq!(key.to_raw().unwrap_err(), Error::KeyType);
            continue;
        }
        assert_eq!(key.to_pkcs1().unwrap_err(), Error::KeyType);
        let (private, raw) = (key.to_raw().unwrap(), public.to_raw().unwrap());
        let facts = algorithm.facts();
        assert_eq!((private.len(), raw.len()), (facts.private_key, facts.public_key));
        same_public(PublicKey::from_raw(algorithm, &raw));
        same_public(PrivateKey::from_raw(algorithm, &private).and_then(|key| key.public_key()));
        for size in [0, 1, raw.len() - 1, raw.len() + 1] {
            let bytes = [&raw[..], &[0]].concat();
            let refused = PublicKey::from_raw(algorithm, &bytes[..size]);
            assert_eq!(refused.unwrap_err(), Error::KeySize);
        }
        for size in [0, facts.private_key - 1, facts.private_key + 1, facts.seed + 1] {
            // Leading zeros of a scalar may be missing.
            if algorithm.is_nist_curve() && size <= facts.private_key {
                continue;
            }
            let refused = PrivateKey::from_raw(algorithm, &vec![1; size]);
            assert_eq!(refused.unwrap_err(), Error::KeySize, "{algorithm:?}, {size}");
        }
        if facts.seed > 0 {
            same(PrivateKey::from_raw(algorithm, &key.to_seed().unwrap()));
            // An expanded key stays one.
            let expanded = PrivateKey::from_raw(algorithm, &private).unwrap();
            assert_eq!(expanded.to_seed().unwrap_err(), Error::KeyType);
            let again = PrivateKey::from_pkcs8(&expanded.to_pkcs8().unwrap()).unwrap();
            assert_eq!(*again.to_raw().unwrap(), *private);
        } else {
            same(PrivateKey::from_raw(algorithm, &private));
        }
        if algorithm.is_nist_curve() {
            same(PrivateKey::from_sec1(&key.to_sec1().unwrap()));
            same_public(PublicKey::from_raw(algorithm, &public.to_compressed().unwrap()));
            let both = [&private[..], &raw].concat();
            same(PrivateKey::from_scalar_and_point(algorithm, &both));
        } else {
            assert_eq!(key.to_sec1().unwrap_err(), Error::KeyType);
            assert_eq!(public.to_compressed().unwrap_err(), Error::KeyType);
        }
    }
}

#[test]
fn takes_scalars_without_leading_zeros() {
    for algorithm in [Algorithm::P256, Algorithm::P384, Algorithm::P521] {
        let key = PrivateKey::from_raw(algorithm, &[1]).unwrap();
        assert_eq!(key.to_raw().unwrap().len(), algorithm.facts().private_key);
        assert_eq!(PrivateKey::from_raw(algorithm, &[0]).unwrap_err(), Error::InvalidKey);
        let order = vec![0xff; algorithm.facts().private_key];
        assert_eq!(PrivateKey::from_raw(algorithm, &order).unwrap_err(), Error::InvalidKey);
    }
}

#[test]
fn refuses_keys_whose_parts_contradict_each_other() {
    let (one, other) = (new_key(Algorithm::P256), new_key(Algorithm::P256));
    let point = other.public_key().unwrap().to_raw().unwrap();
    let (x, y) = point[1..].split_at(32);
    let mixed = |point: &[u8]| {
        let both = [&one.to_raw().unwrap(), point].concat();
        PrivateKey::from_scalar_and_point(Algorithm::P256, &both)
    };
    assert_eq!(mixed(&point).unwrap_err(), Error::InvalidKey);
    assert_eq!(mixed(&point[1..]).unwrap_err(), Error::KeySize);
    let unreduced = &[0xff; 32][..];
    for (x, y) in [(y, x), (unreduced, y), (x, unreduced)] {
        let point = [&[4], x, y].concat();
        let off = PublicKey::from_raw(Algorithm::P256, &point);
        assert_eq!(off.unwrap_err(), Error::Point);
        assert_eq!(mixed(&point).unwrap_err(), Error::Point);
    }
    for algorithm in [Algorithm::P256, Algorithm::P384, Algorithm::P521] {
        let key = new_key(algorithm);
        let field = algorithm.facts().private_key;
        type Read = fn(&[u8]) -> Result<PrivateKey, Error>;
        for (read, mut der) in [
            (PrivateKey::from_pkcs8 as Read, key.to_pkcs8().unwrap()),
            (PrivateKey::from_sec1, key.to_sec1().unwrap()),
        ] {
            let place = der.len() - 2 * field;
            der[place..][..field].fill(0xff);
            assert_eq!(read(&der).unwrap_err(), Error::Point);
            // The tag of the bit string.
            der[place - 4 - usize::from(field == 66)] ^= 1;
            assert_eq!(read(&der).unwrap_err(), Error::Encoding);
        }
    }
    // Of expanded keys: of ML-KEM the hash of the public key, that key and the secret vector, of
    // ML-DSA the same hash and a vector.
    let (ml_kem, ml_dsa) = (Algorithm::MlKem768, Algorithm::MlDsa44);
    for (algorithm, at) in
        [(ml_kem, 2360), (ml_kem, 2300), (ml_kem, 8), (ml_dsa, 70), (ml_dsa, 130)]
    {
        let mut expanded = new_key(algorithm).to_raw().unwrap();
        expanded[at] ^= 1;
        let refused = PrivateKey::from_raw(algorithm, &expanded);
        assert_eq!(refused.unwrap_err(), Error::InvalidKey, "{algorithm:?}, {at}");
    }
    // A coefficient that is not reduced.
    let refused = PublicKey::from_raw(Algorithm::MlKem768, &[0xff; 1184]);
    assert_eq!(refused.unwrap_err(), Error::InvalidKey);
}

#[test]
fn limits_rsa_keys() {
    let key = |bytes: usize, e: &[u8]| {
        let mut n = vec![0xff; bytes + 1];
        n[..2].copy_from_slice(&[0, 0x80]);
        let numbers = [element(2, &n), element(2, e)].concat();
        PublicKey::from_pkcs1(&element(0x30, &numbers)).map(|_| ())
    };
    let f4 = [1, 0, 1];
    assert_eq!((key(128, &f4), key(2048, &f4)), (Ok(()), Ok(())));
    assert_eq!(key(127, &f4), Err(Error::ModulusSize));
    assert_eq!(key(2049, &f4), Err(Error::ModulusSize));
    for e in [&[0][..], &[1], &[2], &[4, 0, 0, 0, 1]] {
        assert_eq!(key(256, e), Err(Error::Exponent), "{e:?}");
    }
    assert_eq!(key(256, &[1, 0, 0, 0, 1]), Ok(()));
}

/// By `openssl genpkey` 3.5 and Node: keys in forms that this crate does not write.
#[test]
fn reads_keys_of_other_programs() {
    let seed = hex("d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842");
    // RFC 8410 10.3: PKCS#8 of version 2 with attributes and public key.
    let version_2 = base64(
        "MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhCoB8wHQYKKoZIhvcN\
         AQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
    );
    let key = PrivateKey::from_pkcs8(&version_2).unwrap();
    assert_eq!((key.algorithm(), key.to_raw().unwrap().to_vec()), (Algorithm::Ed25519, seed));
    // ML-KEM and ML-DSA as seed and expanded key.
    for algorithm in [Algorithm::MlKem512, Algorithm::MlDsa44] {
        let key = new_key(algorithm);
        let (seed, expanded) = (key.to_seed().unwrap(), key.to_raw().unwrap());
        let pkcs8 = key.to_pkcs8().unwrap();
        let identifier = &pkcs8[5..18];
        let wrong = [&[expanded[0] ^ 1], &expanded[1..]].concat();
        for (expanded, fine) in [(&expanded[..], true), (&wrong, false)] {
            let both = [element(4, &seed), element(4, expanded)].concat();
            let inner = element(4, &element(0x30, &both));
            let der = element(0x30, &[&[2, 1, 0], identifier, &inner].concat());
            match PrivateKey::from_pkcs8(&der) {
                Ok(again) => assert!(fine && *again.to_pkcs8().unwrap() == *pkcs8),
                Err(error) => assert!(!fine, "{algorithm:?} {error:?}"),
            }
        }
    }
    // secp256k1.
    let other = hex("3036301006072a8648ce3d020106052b8104000a032200\
         0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
    assert_eq!(PublicKey::from_spki(&other).unwrap_err(), Error::UnsupportedAlgorithm);
}

fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let [.., high, low] = content.len().to_be_bytes();
    match content.len() {
        0..0x80 => [&[tag, low], content].concat(),
        0x80..0x100 => [&[tag, 0x81, low], content].concat(),
        _ => [&[tag, 0x82, high, low], content].concat(),
    }
}

/// By `openssl pkcs8 -topk8` with these options, and the password `password`.
const ENCRYPTED: &[&str] = &[
    // -v2 aes-256-cbc -v2prf hmacWithSHA256
    "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiPoqvIpuNC3wICCAAwDAYIKoZIhvcNAgkF\
     ADAdBglghkgBZQMEASoEEFSTykSs+G5EJc932wNsDWwEQGvcQ7nF+BpwlxzMheMkodNT8Xi+reoe7x/H\
     7Bodhdj1DizbipOD3jKKO21IbKuvU1vxJWstLmFZpg97YTaYm+Q=",
    // -v2 aes-128-cbc -v2prf hmacWithSHA1
    "MIGNMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAhM2SuslsXnowICCAAwHQYJYIZIAWUDBAEC\
     BBBmtPLcNXVIZKIB13Wu25OXBEChwBHuEy5xZZHLjD5nuZYATamRVJW/9KFVnaMYwnZFIDc6K71XFrNH\
     6zd8KmoPKd3ptzRR96u4rJFrlg/NMSU+",
    // -v2 des3
    "MIGKME4GCSqGSIb3DQEFDTBBMCkGCSqGSIb3DQEFDDAcBAjxxyz2uT9DnwICCAAwDAYIKoZIhvcNAgkF\
     ADAUBggqhkiG9w0DBwQILxmtb1alvXMEOMq+vDUIZnEFx0h1w8ZPCK6Bf0ay6erpyPiQVXG1KFUcDcsa\
     29mEmYySCw6irWrlwaSUIWaffpl6",
    // -v1 PBE-SHA1-3DES
    "MFgwHAYKKoZIhvcNAQwBAzAOBAjoLebqcvTWOgICCAAEOFPddyRNSKbQg8r1zNfVC9EAJY555QadlEtc\
     5WKtqe9qbCTrZBEfRmSw2qd3ecrng7wjeiISOSpM",
    // -scrypt
    "MIGTME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAh0jNTjTZ8mGwICQAACAQgCAQEwHQYJYIZI\
     AWUDBAEqBBDC8rkeREerVkn6e7ycZxwgBECIHe36gR+xzagSdd6GLcGJdtPbWZxsxLtIWF0RE7IfHnm2\
     R4MasMf4ZBBZsDyc5dUGrKvXLxWn5fz2XkfXn+ky",
    // -v2 aes-256-cbc -v2prf hmacWithSHA512
    "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhcbCzmdP6uHgICCAAwDAYIKoZIhvcNAgsF\
     ADAdBglghkgBZQMEASoEEMwh0fy1F7xJjEX3i8ZTZoAEQKs5RIPPMxhwYfiiAODsuOO4rMtZ6RefLGNK\
     1RVyHtFgc2NyqHfm/EMukd5n+QyrPu6pv438Y17qmfprcltX9yo=",
    // -v2 aes-192-cbc -v2prf hmacWithSHA224
    "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjVpoy4boe2dgICCAAwDAYIKoZIhvcNAggF\
     ADAdBglghkgBZQMEARYEEA7Ej0OnDlY01L6y2tSL46AEQN0RgQKuPFrqXKC1oM/NSB4FCM/mnYqccUAO\
     dPshm2FZbuCerxBl6Xo/+KxgzOHSuOXIKHL9VM0RsThlmbtPLNo=",
    // -v2 aes-256-cbc -v2prf hmacWithSHA384
    "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgzWTg3M+fBTAICCAAwDAYIKoZIhvcNAgoF\
     ADAdBglghkgBZQMEASoEEEdOgioKCJmawTYSzTEwC4sEQJiNhkSatJ90gqldYBj1YiJ3eNHnFqcirnQo\
     uc4lWDrLL/u7r4ottcpNSeOay8AOWCBczqq4RIAsq4haxq9hJx0=",
    // -v2 aes-256-cbc -v2prf hmacWithSHA512-256
    "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgKPswUHuloLgICCAAwDAYIKoZIhvcNAg0F\
     ADAdBglghkgBZQMEASoEEDbAdleoXMXyUYOWvt7R9WYEQJUegl07zZCCGix6+8YG2+4RwZjNb/i49djt\
     1hnzY+LvaO0jdClziE79ujBqcflSN+lQsClnTfVPp2t782dwPnY=",
    // -v2 aes-128-cbc -scrypt -scrypt_N 1024 -scrypt_r 4 -scrypt_p 3
    "MIGTME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAiXzkDcLVscrwICBAACAQQCAQMwHQYJYIZI\
     AWUDBAECBBAFwCaxMFALfF8uK986XoMpBEC+EYL3OvW+SD1vmHBHfYGMlQHdDciTK37t6IfkALM5SyCa\
     Nzxxx5xazEa1CMarOuqlvEd0emxBxLZasz4eVMTC",
];

#[test]
fn decrypts_private_keys() {
    for text in ENCRYPTED {
        let der = base64(text);
        let key = PrivateKey::from_encrypted_pkcs8(&der, b"password").unwrap();
        assert_eq!(key.algorithm(), Algorithm::Ed25519);
        for wrong in [&b"Password"[..], b""] {
            let refused = PrivateKey::from_encrypted_pkcs8(&der, wrong);
            assert_eq!(refused.unwrap_err(), Error::Password);
        }
        for size in 0..der.len() {
            let refused = PrivateKey::from_encrypted_pkcs8(&der[..size], b"password");
            assert_eq!(refused.unwrap_err(), Error::Encoding);
        }
    }
    // Some changes leave the key: this looks for crashes and long work.
    let der = base64(ENCRYPTED[0]);
    for at in 0..der.len() {
        let mut changed = der.clone();
        changed[at] ^= 1 << (at % 8);
        let _ = PrivateKey::from_encrypted_pkcs8(&changed, b"password");
    }
}

#[test]
fn encrypts_private_keys() {
    use KeyCipher::{Aes128Cbc, Aes192Cbc, Aes256Cbc, DesEde3Cbc};
    let ciphers = [Aes128Cbc, Aes192Cbc, Aes256Cbc, DesEde3Cbc];
    for (algorithm, cipher) in Algorithm::ALL.into_iter().zip(ciphers.into_iter().cycle()) {
        let key = new_key(algorithm);
        let encrypted = key.to_encrypted_pkcs8(b"password", cipher, 2048).unwrap();
        let again = PrivateKey::from_encrypted_pkcs8(&encrypted, b"password").unwrap();
        assert_eq!(*again.to_pkcs8().unwrap(), *key.to_pkcs8().unwrap(), "{algorithm:?}");
        // Salt and IV are new.
        assert_ne!(key.to_encrypted_pkcs8(b"password", cipher, 2048).unwrap(), encrypted);
    }
    let key = new_key(Algorithm::Ed25519);
    // Each 256th of these leaves valid padding.
    let encrypted = key.to_encrypted_pkcs8(b"password", Aes256Cbc, 1).unwrap();
    for wrong in 0..4096_u32 {
        let refused = PrivateKey::from_encrypted_pkcs8(&encrypted, &wrong.to_le_bytes());
        assert_eq!(refused.unwrap_err(), Error::Password);
    }
    for iterations in [0, PASSWORD_ITERATIONS.end() + 1] {
        let refused = key.to_encrypted_pkcs8(b"password", Aes256Cbc, iterations);
        assert_eq!(refused.unwrap_err(), Error::Work);
    }
}

#[test]
fn refuses_encrypted_keys_that_demand_too_much_work() {
    let der = |identifier: &[u8], costs: &[&[u8]]| {
        let costs: Vec<u8> = costs.iter().flat_map(|cost| element(2, cost)).collect();
        let parameters = element(0x30, &[element(4, &[7; 8]), costs].concat());
        element(0x30, &[element(6, identifier), parameters].concat())
    };
    let cipher = element(6, &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 42]);
    let cipher = element(0x30, &[cipher, element(4, &[7; 16])].concat());
    let scheme = |derivation: &[u8]| {
        let pbes2 = element(6, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 5, 13]);
        let parameters = element(0x30, &[derivation, &cipher].concat());
        element(0x30, &[pbes2, parameters].concat())
    };
    let open = |scheme: &[u8]| {
        let info = element(0x30, &[scheme, &element(4, &[7; 48])].concat());
        PrivateKey::from_encrypted_pkcs8(&info, b"password").unwrap_err()
    };
    let pbkdf2 = [0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 5, 12];
    let pkcs12 = [0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 12, 1, 3];
    let scrypt = [0x2b, 6, 1, 4, 1, 0xda, 0x47, 4, 11];
    for iterations in [&[0, 0x98, 0x96, 0x81][..], &[0x7f, 0xff, 0xff, 0xff], &[0x7f; 9]] {
        assert_eq!(open(&scheme(&der(&pbkdf2, &[iterations]))), Error::Work);
        assert_eq!(open(&der(&pkcs12, &[iterations])), Error::Work);
    }
    assert_eq!(open(&scheme(&der(&pbkdf2, &[&[0]]))), Error::Encoding);
    assert_eq!(open(&scheme(&der(&pbkdf2, &[&[1]]))), Error::Password);
    for costs in [
        // N of 2^18 and r of 9; N of 2^62; p of 2^24 and N of 2; r of 2^40; each of 9 bytes.
        [&[4, 0, 0][..], &[9], &[1]],
        [&[0x40, 0, 0, 0, 0, 0, 0, 0], &[8], &[1]],
        [&[2], &[1], &[1, 0, 0, 0]],
        [&[2], &[1, 0, 0, 0, 0, 0], &[1]],
        [&[1; 9], &[1; 9], &[1; 9]],
        // 128 MiB nine times.
        [&[2, 0, 0], &[8], &[9]],
    ] {
        assert_eq!(open(&scheme(&der(&scrypt, &costs))), Error::Work, "{costs:?}");
    }
    for costs in [[&[3], &[1], &[1]], [&[2], &[0], &[1]], [&[2], &[1], &[0]]] {
        let costs = costs.map(|cost: &[u8; 1]| &cost[..]);
        assert_eq!(open(&scheme(&der(&scrypt, &costs))), Error::Encoding, "{costs:?}");
    }
}

type Parse = fn(&[u8]) -> bool;

#[test]
fn refuses_damaged_keys() {
    for algorithm in Algorithm::ALL {
        let key = new_key(algorithm);
        let pkcs8 = key.to_pkcs8().unwrap();
        let spki = key.public_key().unwrap().to_spki().unwrap();
        let pkcs1 = key.to_pkcs1().unwrap_or_default();
        let sec1 = key.to_sec1().unwrap_or_default();
        let parsers: [(&[u8], Parse); 4] = [
            (&pkcs8, |der| PrivateKey::from_pkcs8(der).is_ok_and(works)),
            (&spki, |der| PublicKey::from_spki(der).is_ok()),
            (&pkcs1, |der| PrivateKey::from_pkcs1(der).is_ok_and(works)),
            (&sec1, |der| PrivateKey::from_sec1(der).is_ok_and(works)),
        ];
        for (der, parse) in parsers.into_iter().filter(|(der, _)| !der.is_empty()) {
            assert!(parse(der));
            for size in 0..der.len() {
                assert!(!parse(&der[..size]), "{algorithm:?} {size}");
            }
            assert!(!parse(&[der, &[0]].concat()));
            // Some changes leave a key: this looks for crashes.
            let step = if algorithm.is_rsa() { 7 } else { 1 };
            for at in (0..der.len()).step_by(step) {
                let mut changed = der.to_vec();
                changed[at] ^= 1 << (at % 8);
                parse(&changed);
            }
        }
    }
}

/// Returns true after it used the key.
fn works(key: PrivateKey) -> bool {
    key.to_pkcs8().is_ok() && key.public_key().is_ok()
}

#[test]
fn debug_output_has_no_secrets() {
    for algorithm in Algorithm::ALL {
        let key = new_key(algorithm);
        assert_eq!(format!("{key:?}"), format!("PrivateKey({algorithm:?})"));
        let public = key.public_key().unwrap();
        assert_eq!(format!("{public:?}"), format!("PublicKey({algorithm:?})"));
    }
}

#[test]
fn tells_a_wrong_size_from_damaged_der() {
    for algorithm in Algorithm::ALL {
        if algorithm.is_rsa() || algorithm.is_nist_curve() {
            continue;
        }
        let key = new_key(algorithm);
        // The last byte is missing, in the sizes too.
        let shorter = |der: &[u8], sizes: &[usize]| {
            let mut short = der[..der.len() - 1].to_vec();
            sizes.iter().for_each(|at| short[*at] -= 1);
            short
        };
        let spki = key.public_key().unwrap().to_spki().unwrap();
        let pkcs8 = key.to_pkcs8().unwrap();
        // The last byte of the size of the whole, and that of what holds the key.
        let whole = if spki[1] == 0x82 { 3 } else { 1 };
        let bits = spki.len() - algorithm.facts().public_key - 2;
        let refused = PublicKey::from_spki(&shorter(&spki, &[whole, bits]));
        assert_eq!(refused.unwrap_err(), Error::KeySize, "{algorithm:?}");
        let inner = pkcs8.len() - algorithm.facts().seed.max(32) - 1;
        let sizes =
            if algorithm == Algorithm::XWing { vec![1, inner] } else { vec![1, inner - 2, inner] };
        let refused = PrivateKey::from_pkcs8(&shorter(&pkcs8, &sizes));
        assert_eq!(refused.unwrap_err(), Error::KeySize, "{algorithm:?}");
        assert_eq!(PrivateKey::from_pkcs8(&pkcs8[1..]).unwrap_err(), Error::Encoding);
    }
}
