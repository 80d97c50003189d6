//! Every algorithm beside RustCrypto's implementation of it, with the primitives of this build.

use super::input::Input;
use aes::cipher::{KeyIvInit, StreamCipher};
use aes_gcm::aead::{AeadInOut, KeyInit};
use hmac::{Hmac, Mac};
use millrace_core::catalog::{Cipher, CipherFacts, HashFacts};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{Params, digest};
use millrace_core::hmac::hmac;
use sha3::digest::Digest;

pub(crate) fn run(data: &[u8]) {
    let input = &mut Input(data);
    match input.byte() & 1 {
        0 => hash(input.hash(), input),
        _ => cipher(input.cipher(), input),
    }
}

fn hash(facts: &HashFacts, input: &mut Input<'_>) {
    let key_size = input.below(200);
    let (key, message) = (input.exactly(key_size), input.message());
    let mut made = vec![0; facts.digest_size];
    digest(facts.hash, &Params::NONE, &message, &mut made, None).expect(facts.name);
    let Some(expected) = digest_of(facts.name, &message) else { return };
    assert_eq!(made, expected, "{}", facts.name);
    if let Some(expected) = hmac_of(facts.name, &key, &message) {
        hmac(facts.hash, &key, &message, &mut made).expect(facts.name);
        assert_eq!(made, expected, "HMAC over {}", facts.name);
    }
}

fn digest_of(name: &str, message: &[u8]) -> Option<Vec<u8>> {
    Some(match name {
        "md5" => md5::Md5::digest(message).to_vec(),
        "sha1" => sha1::Sha1::digest(message).to_vec(),
        "sha224" => sha2::Sha224::digest(message).to_vec(),
        "sha256" => sha2::Sha256::digest(message).to_vec(),
        "sha384" => sha2::Sha384::digest(message).to_vec(),
        "sha512" => sha2::Sha512::digest(message).to_vec(),
        "sha512-224" => sha2::Sha512_224::digest(message).to_vec(),
        "sha512-256" => sha2::Sha512_256::digest(message).to_vec(),
        "sha3-224" => sha3::Sha3_224::digest(message).to_vec(),
        "sha3-256" => sha3::Sha3_256::digest(message).to_vec(),
        "sha3-384" => sha3::Sha3_384::digest(message).to_vec(),
        "sha3-512" => sha3::Sha3_512::digest(message).to_vec(),
        "keccak256" => sha3::Keccak256::digest(message).to_vec(),
        "ripemd160" => ripemd::Ripemd160::digest(message).to_vec(),
        "blake2b512" => blake2::Blake2b512::digest(message).to_vec(),
        "blake2s256" => blake2::Blake2s256::digest(message).to_vec(),
        _ => return None,
    })
}

fn hmac_of(name: &str, key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    macro_rules! by {
        ($type:ty) => {{
            let mut mac = <Hmac<$type> as hmac::KeyInit>::new_from_slice(key).expect("any size");
            mac.update(message);
            mac.finalize().into_bytes().to_vec()
        }};
    }
    Some(match name {
        "md5" => by!(md5::Md5),
        "sha1" => by!(sha1::Sha1),
        "sha224" => by!(sha2::Sha224),
        "sha256" => by!(sha2::Sha256),
        "sha384" => by!(sha2::Sha384),
        "sha512" => by!(sha2::Sha512),
        "ripemd160" => by!(ripemd::Ripemd160),
        _ => return None,
    })
}

fn cipher(facts: &CipherFacts, input: &mut Input<'_>) {
    let name = facts.name;
    let (key, nonce) = (input.exactly(facts.key_size), input.exactly(facts.iv_size));
    let aad_size = if facts.aead { input.below(300) } else { 0 };
    let (aad, message) = (input.exactly(aad_size), input.message());
    let prepared = CipherKey::boxed(facts.cipher, &key).expect(name);
    let (mut made, mut tag) = (message.clone(), [0; 16]);
    if facts.aead {
        prepared.seal(&nonce, &aad, Text::InPlace(&mut made), &mut tag).expect(name);
    } else {
        prepared.apply(&nonce, Text::InPlace(&mut made), None).expect(name);
    }
    let mut expected = message.clone();
    macro_rules! sealed_by {
        ($type:ty) => {{
            let aead = <$type>::new_from_slice(&key).expect(name);
            let nonce = nonce.as_slice().try_into().expect(name);
            let of = aead.encrypt_inout_detached(nonce, &aad, expected.as_mut_slice().into());
            assert_eq!(tag, of.expect(name)[..], "{name}: the tag");
        }};
    }
    macro_rules! applied_by {
        ($type:ty) => {{ <$type>::new_from_slices(&key, &nonce).expect(name).apply_keystream(&mut expected) }};
    }
    match facts.cipher {
        Cipher::Aes128Ctr => applied_by!(ctr::Ctr128BE<aes::Aes128>),
        Cipher::Aes192Ctr => applied_by!(ctr::Ctr128BE<aes::Aes192>),
        Cipher::Aes256Ctr => applied_by!(ctr::Ctr128BE<aes::Aes256>),
        Cipher::Aes128Gcm => sealed_by!(aes_gcm::Aes128Gcm),
        Cipher::Aes256Gcm => sealed_by!(aes_gcm::Aes256Gcm),
        Cipher::Aes128GcmSiv => sealed_by!(aes_gcm_siv::Aes128GcmSiv),
        Cipher::Aes256GcmSiv => sealed_by!(aes_gcm_siv::Aes256GcmSiv),
        Cipher::ChaCha20Poly1305 => sealed_by!(chacha20poly1305::ChaCha20Poly1305),
        Cipher::XChaCha20Poly1305 => sealed_by!(chacha20poly1305::XChaCha20Poly1305),
        _ => return,
    }
    assert!(made == expected, "{name}");
    if facts.aead {
        prepared.open(&nonce, &aad, Text::InPlace(&mut made), &tag).expect(name);
        assert!(made == message, "{name}");
    }
}
