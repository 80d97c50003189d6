//! Encodings of asymmetric keys: hostile ones are refused; what is read is written as an encoding
//! that leads to the same key.

use super::input::Input;
use millrace_public_keys::{Algorithm, PrivateKey, PublicKey};

pub(crate) fn run(data: &[u8]) {
    let input = &mut Input(data);
    let form = input.byte() % 9;
    let algorithm = Algorithm::ALL[usize::from(input.byte()) % Algorithm::ALL.len()];
    let key = input.bytes(usize::MAX);
    let private = match form {
        0 => PrivateKey::from_pkcs8(key),
        1 => PrivateKey::from_pkcs1(key),
        2 => PrivateKey::from_sec1(key),
        3 => PrivateKey::from_raw(algorithm, key),
        7 => PrivateKey::from_scalar_and_point(algorithm, key),
        8 if is_slow(key) => return,
        8 => PrivateKey::from_encrypted_pkcs8(key, b"password"),
        _ => return public(form, algorithm, key),
    };
    let Ok(private) = private else { return };
    let spki = private.public_key().and_then(|key| key.to_spki()).expect("a public key");
    let pkcs8 = private.to_pkcs8().expect("every private key has PKCS#8");
    let again = [
        Some(PrivateKey::from_pkcs8(&pkcs8)),
        private.to_pkcs1().ok().map(|key| PrivateKey::from_pkcs1(&key)),
        private.to_sec1().ok().map(|key| PrivateKey::from_sec1(&key)),
        private.to_raw().ok().map(|key| PrivateKey::from_raw(private.algorithm(), &key)),
        private.to_seed().ok().map(|key| PrivateKey::from_raw(private.algorithm(), &key)),
    ];
    for (at, again) in again.into_iter().enumerate() {
        // PKCS#1 does not say that a key is one of RSA-PSS.
        let Some(again) = again else { continue };
        let again = again.unwrap_or_else(|error| panic!("form {at}: {error:?}"));
        if again.algorithm() == private.algorithm() {
            let public = again.public_key().and_then(|key| key.to_spki()).expect("a public key");
            assert!(public == spki, "form {at}");
        }
    }
    assert!(PrivateKey::from_pkcs8(&pkcs8).and_then(|key| key.to_pkcs8()) == Ok(pkcs8));
}

/// Returns true if the bytes may hold an INTEGER above 64: iterations, or a cost of scrypt.
fn is_slow(key: &[u8]) -> bool {
    key.windows(2).enumerate().any(|(at, head)| match head {
        [2, size @ 1..=0x7f] => {
            let number = &key[at + 2..][..usize::from(*size).min(key.len() - at - 2)];
            let number = number.iter().skip_while(|byte| **byte == 0);
            number.clone().count() > 1 || number.clone().any(|byte| *byte > 64)
        }
        [2, size] => *size > 0x80,
        _ => false,
    })
}

fn public(form: u8, algorithm: Algorithm, key: &[u8]) {
    let public = match form {
        4 => PublicKey::from_spki(key),
        5 => PublicKey::from_pkcs1(key),
        _ => PublicKey::from_raw(algorithm, key),
    };
    let Ok(public) = public else { return };
    let spki = public.to_spki().expect("every public key has SPKI");
    let again = [
        Some(PublicKey::from_spki(&spki)),
        public.to_pkcs1().ok().map(|key| PublicKey::from_pkcs1(&key)),
        public.to_raw().ok().map(|key| PublicKey::from_raw(public.algorithm(), &key)),
        public.to_compressed().ok().map(|key| PublicKey::from_raw(public.algorithm(), &key)),
    ];
    for (at, again) in again.into_iter().enumerate() {
        let Some(again) = again else { continue };
        let again = again.unwrap_or_else(|error| panic!("form {at}: {error:?}"));
        if again.algorithm() == public.algorithm() {
            assert!(again.to_spki().as_ref() == Ok(&spki), "form {at}");
        }
    }
}
