//! PBES2 (RFC 8018): encryption under a key that PBKDF2 or scrypt (RFC 7914) derives from a
//! password. The schemes of PKCS#12 are AWS-LC's.

use std::ops::RangeInclusive;

use millrace_core::Error as CoreError;
use millrace_core::catalog::Hash;
use millrace_core::kdf::{pbkdf2, scrypt};
use zeroize::Zeroizing;

use crate::der::{self, OBJECT_IDENTIFIER, OCTET_STRING, Reader, SEQUENCE};
use crate::error::Error;
use crate::evp;
use crate::parameters::KeyCipher;

/// The iterations of PBKDF2, and of PKCS#12's derivation, for an encrypted private key: the most
/// take some seconds.
pub const PASSWORD_ITERATIONS: RangeInclusive<u32> = 1..=10_000_000;

/// The most memory of scrypt.
const SCRYPT_BYTES: u64 = 256 << 20;

/// The most bytes that all of scrypt's p lanes fill: 3 s or so.
const SCRYPT_WORK_BYTES: u64 = 1 << 30;

// Contents of object identifiers.
const PBES2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 5, 13];
const PBKDF2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 5, 12];
const SCRYPT: &[u8] = &[0x2b, 6, 1, 4, 1, 0xda, 0x47, 4, 11];
/// The last byte is the hash's.
const HMAC: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 2];
const HMAC_SHA256: &[u8] = &[0x30, 12, 6, 8, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 2, 9, 5, 0];

const CIPHERS: [(KeyCipher, &[u8], usize, usize); 4] = [
    (KeyCipher::Aes128Cbc, &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 2], 16, 16),
    (KeyCipher::Aes192Cbc, &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 22], 24, 16),
    (KeyCipher::Aes256Cbc, &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 42], 32, 16),
    (KeyCipher::DesEde3Cbc, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 3, 7], 24, 8),
];

/// How a key is derived from a password.
struct Derivation<'a> {
    salt: &'a [u8],
    function: Function,
}

enum Function {
    Pbkdf2(Hash, u32),
    /// N, r and p.
    Scrypt([u64; 3]),
}

/// Decrypts an EncryptedPrivateKeyInfo. Returns `None` for other schemes than PBES2, which do not
/// take longer than it would.
pub(crate) fn decrypt(der: &[u8], password: &[u8]) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
    let mut info = Reader::only(der, SEQUENCE).ok_or(Error::Encoding)?;
    let mut scheme = info.sequence().ok_or(Error::Encoding)?;
    let data = info.element(OCTET_STRING).filter(|_| info.is_empty()).ok_or(Error::Encoding)?;
    let name = scheme.element(OBJECT_IDENTIFIER).ok_or(Error::Encoding)?;
    let mut parameters = scheme.sequence().ok_or(Error::Encoding)?;
    if name != PBES2 {
        parameters.element(OCTET_STRING).ok_or(Error::Encoding)?;
        return iterations(&mut parameters).map(|_| None);
    }
    let derivation = parameters.sequence().ok_or(Error::Encoding)?;
    let mut encryption = parameters.sequence().ok_or(Error::Encoding)?;
    let name = encryption.element(OBJECT_IDENTIFIER).ok_or(Error::Encoding)?;
    let iv = encryption.element(OCTET_STRING).ok_or(Error::EncryptionScheme)?;
    let known = CIPHERS.iter().find(|(_, identifier, ..)| *identifier == name);
    let &(cipher, _, key_size, _) = known.ok_or(Error::EncryptionScheme)?;
    let key = derive(&read(derivation, key_size)?, password, key_size)?;
    evp::cbc(cipher, false, &key, iv, data).map(Some)
}

/// Encrypts, and returns an EncryptedPrivateKeyInfo.
pub(crate) fn encrypt(
    pkcs8: &[u8],
    password: &[u8],
    cipher: KeyCipher,
    iterations: u32,
) -> Result<Vec<u8>, Error> {
    if !PASSWORD_ITERATIONS.contains(&iterations) {
        return Err(Error::Work);
    }
    let known = CIPHERS.iter().find(|(each, ..)| *each == cipher);
    let &(_, cipher_name, key_size, iv_size) = known.ok_or(Error::EncryptionScheme)?;
    let mut random = [0; 32];
    evp::random(&mut random)?;
    let (salt, iv) = random.split_at(16);
    let (salt, iv) = (salt, &iv[..iv_size]);
    let function = Function::Pbkdf2(Hash::Sha256, iterations);
    let key = derive(&Derivation { salt, function }, password, key_size)?;
    let data = evp::cbc(cipher, true, &key, iv, pkcs8)?;

    let identifier = |content: &[u8]| der::element(OBJECT_IDENTIFIER, &[content]);
    let octets = |content: &[u8]| der::element(OCTET_STRING, &[content]);
    let number = der::unsigned(&iterations.to_be_bytes())?;
    let derivation = der::element(SEQUENCE, &[&octets(salt)?, &number, HMAC_SHA256])?;
    let derivation = der::element(SEQUENCE, &[&identifier(PBKDF2)?, &derivation])?;
    let encryption = der::element(SEQUENCE, &[&identifier(cipher_name)?, &octets(iv)?])?;
    let parameters = der::element(SEQUENCE, &[&derivation, &encryption])?;
    let scheme = der::element(SEQUENCE, &[&identifier(PBES2)?, &parameters])?;
    let mut info = der::element(SEQUENCE, &[&scheme, &octets(&data)?])?;
    Ok(std::mem::take(&mut *info))
}

/// Reads the AlgorithmIdentifier of a key derivation.
fn read(mut identifier: Reader<'_>, key_size: usize) -> Result<Derivation<'_>, Error> {
    let name = identifier.element(OBJECT_IDENTIFIER).ok_or(Error::Encoding)?;
    if name != PBKDF2 && name != SCRYPT {
        return Err(Error::EncryptionScheme);
    }
    let mut parameters = identifier.sequence().ok_or(Error::Encoding)?;
    // A salt by an algorithm, which RFC 8018 leaves to the future.
    let salt = parameters.element(OCTET_STRING).ok_or(Error::EncryptionScheme)?;
    let function = if name == PBKDF2 {
        let iterations = iterations(&mut parameters)?;
        check_key_size(&mut parameters, key_size)?;
        let hash = match parameters.sequence() {
            Some(mut prf) => hash(prf.element(OBJECT_IDENTIFIER).ok_or(Error::Encoding)?)?,
            None => Hash::Sha1,
        };
        Function::Pbkdf2(hash, iterations)
    } else {
        let mut next = || number(&mut parameters);
        let costs = [next()?, next()?, next()?];
        check_key_size(&mut parameters, key_size)?;
        Function::Scrypt(costs)
    };
    if parameters.is_empty() { Ok(Derivation { salt, function }) } else { Err(Error::Encoding) }
}

/// Checks the size of a derived key, if there is one.
fn check_key_size(parameters: &mut Reader<'_>, key_size: usize) -> Result<(), Error> {
    match parameters.unsigned() {
        Some(size) if size != [key_size as u8] => Err(Error::EncryptionScheme),
        _ => Ok(()),
    }
}

/// Reads a number. Those that 64 bits do not hold demand too much work.
fn number(parameters: &mut Reader<'_>) -> Result<u64, Error> {
    let number = parameters.unsigned().ok_or(Error::Encoding)?;
    if number.len() > 8 {
        return Err(Error::Work);
    }
    Ok(number.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

fn iterations(parameters: &mut Reader<'_>) -> Result<u32, Error> {
    match u32::try_from(number(parameters)?) {
        Ok(0) => Err(Error::Encoding),
        Ok(iterations) if PASSWORD_ITERATIONS.contains(&iterations) => Ok(iterations),
        _ => Err(Error::Work),
    }
}

fn hash(identifier: &[u8]) -> Result<Hash, Error> {
    Ok(match identifier.strip_prefix(HMAC) {
        Some([7]) => Hash::Sha1,
        Some([8]) => Hash::Sha224,
        Some([9]) => Hash::Sha256,
        Some([10]) => Hash::Sha384,
        Some([11]) => Hash::Sha512,
        Some([12]) => Hash::Sha512_224,
        Some([13]) => Hash::Sha512_256,
        _ => return Err(Error::EncryptionScheme),
    })
}

fn derive(
    derivation: &Derivation<'_>,
    password: &[u8],
    size: usize,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut key = Zeroizing::new(der::copy(&[0; 32][..size])?);
    let salt = derivation.salt;
    let derived = match derivation.function {
        Function::Pbkdf2(hash, iterations) => {
            pbkdf2::derive(hash, password, salt, iterations, &mut key)
        }
        Function::Scrypt([n, r, p]) => {
            let bytes = |count: u64| count.saturating_mul(r).saturating_mul(128);
            let work = n.saturating_mul(p);
            if bytes(n.max(p)) > SCRYPT_BYTES || bytes(work) > SCRYPT_WORK_BYTES {
                return Err(Error::Work);
            }
            let small = |number| u32::try_from(number).map_err(|_| Error::Encoding);
            let (r, p) = (small(r)?, small(p)?);
            scrypt::Cost::new(n, r)
                .and_then(|cost| scrypt::derive(&cost, password, salt, p, &mut key))
        }
    };
    match derived {
        Ok(()) => Ok(key),
        Err(CoreError::Cost) => Err(Error::Encoding),
        Err(error) => Err(error.into()),
    }
}
