//! Keys: parsed from and written to each of their encodings, and generated.

use std::fmt;
use std::ops::RangeInclusive;

use millrace_core::catalog::Hash;
use millrace_core::hash::{Params, digest};
use millrace_core::wipe::KeyBytes;
use zeroize::Zeroizing;

use crate::algorithm::{Algorithm, Facts};
use crate::der::{self, Reader};
use crate::error::Error;
use crate::evp::{self, Pkey};
use crate::parameters::{KeyCipher, PssRestriction};
use crate::pbes2;

/// The bits of an RSA modulus that this crate uses. AWS-LC's maximum, as time grows with the third
/// power of the size.
pub const MODULUS_BITS: RangeInclusive<u32> = 1024..=16_384;

/// The bits of an RSA modulus that this crate generates, in steps of 128.
pub const NEW_MODULUS_BITS: RangeInclusive<u32> = 2048..=8192;

/// What private and public keys have in common.
pub(crate) struct Key {
    /// The key; that of ML-KEM-768 for X-Wing.
    pub(crate) pkey: Pkey,
    pub(crate) algorithm: Algorithm,
    pub(crate) restriction: Option<PssRestriction>,
    /// The rest of a key of X-Wing.
    pub(crate) x_wing: Option<XWing>,
}

/// What a key of X-Wing has beside its key of ML-KEM-768.
pub(crate) struct XWing {
    pub(crate) x25519: Pkey,
    /// Empty in a public key.
    seed: KeyBytes,
}

impl Key {
    /// Checks what AWS-LC does not while it parses.
    fn new(pkey: Pkey) -> Result<Key, Error> {
        let algorithm = pkey.algorithm().ok_or(Error::UnsupportedAlgorithm)?;
        if algorithm.is_rsa() && !MODULUS_BITS.contains(&pkey.modulus_bits()?) {
            return Err(Error::ModulusSize);
        }
        let restriction = match algorithm {
            Algorithm::RsaPss => pkey.restriction()?,
            _ => None,
        };
        Ok(Key { pkey, algorithm, restriction, x_wing: None })
    }

    /// Puts the two keys of X-Wing together.
    fn x_wing(ml_kem: Key, x25519: Key, seed: &[u8]) -> Result<Key, Error> {
        let seed = KeyBytes::copy(seed).map_err(|_| Error::Memory)?;
        let x_wing = Some(XWing { x25519: x25519.pkey, seed });
        Ok(Key { algorithm: Algorithm::XWing, x_wing, ..ml_kem })
    }

    pub(crate) fn modulus_bits(&self) -> u32 {
        self.pkey.modulus_bits().unwrap_or(0)
    }

    /// Returns the bytes of an RSA modulus, otherwise 0.
    pub(crate) fn modulus_bytes(&self) -> usize {
        self.modulus_bits().div_ceil(8) as usize
    }

    fn rsa_identifier(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        match self.algorithm {
            Algorithm::RsaPss => pss_identifier(self.restriction),
            _ => der::copy(self.algorithm.facts().identifier).map(Zeroizing::new),
        }
    }

    fn spki(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        match self.algorithm {
            Algorithm::RsaPss => spki(&self.rsa_identifier()?, &self.pkey.rsa_public()?),
            Algorithm::XWing => spki(self.algorithm.facts().identifier, &self.raw_public()?),
            _ => self.pkey.spki(),
        }
    }

    pub(crate) fn raw_public(&self) -> Result<Vec<u8>, Error> {
        let facts = self.algorithm.facts();
        if self.algorithm.is_rsa() {
            return Err(Error::KeyType);
        }
        let mut key = zeros(facts.public_key)?;
        if self.algorithm.is_nist_curve() {
            let spki = self.pkey.spki()?;
            let point = spki.len().checked_sub(key.len()).ok_or(Error::Engine)?;
            key.copy_from_slice(&spki[point..]);
            return Ok(std::mem::take(&mut *key));
        }
        let done = match &self.x_wing {
            Some(XWing { x25519, .. }) => {
                let (ml_kem, rest) = key.split_at_mut(ML_KEM_768.public_key);
                self.pkey.raw_public(ml_kem) && x25519.raw_public(rest)
            }
            None => self.pkey.raw_public(&mut key),
        };
        if !done {
            return Err(Error::Engine);
        }
        Ok(std::mem::take(&mut *key))
    }
}

pub(crate) fn zeros(size: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| Error::Memory)?;
    bytes.resize(size, 0);
    Ok(Zeroizing::new(bytes))
}

/// Returns a SubjectPublicKeyInfo.
fn spki(identifier: &[u8], key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let key = der::element(der::BIT_STRING, &[&[0], key])?;
    der::element(der::SEQUENCE, &[identifier, &key])
}

/// Returns PKCS#8 of version 1.
fn pkcs8(identifier: &[u8], key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let key = der::element(der::OCTET_STRING, &[key])?;
    der::element(der::SEQUENCE, &[der::ZERO, identifier, &key])
}

/// Returns identifier and key in PKCS#8 of version 1.
fn key_of_pkcs8(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut info = Reader::only(der, der::SEQUENCE)?;
    info.element(der::INTEGER)?;
    let found = (info.element(der::SEQUENCE)?, info.element(der::OCTET_STRING)?);
    let _attributes = info.element(der::context(0));
    info.is_empty().then_some(found)
}

/// Returns identifier and key in a SubjectPublicKeyInfo.
fn key_of_spki(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut info = Reader::only(der, der::SEQUENCE)?;
    let identifier = info.element(der::SEQUENCE)?;
    let key = info.element(der::BIT_STRING)?.strip_prefix(&[0])?;
    info.is_empty().then_some((identifier, key))
}

/// Returns the algorithm of an identifier, and the key.
fn named<'a>((identifier, key): (&[u8], &'a [u8])) -> Option<(Algorithm, &'a [u8])> {
    let has_name = |algorithm: &Algorithm| algorithm.facts().identifier[2..] == *identifier;
    Algorithm::ALL.into_iter().find(has_name).map(|algorithm| (algorithm, key))
}

/// Returns the AlgorithmIdentifier of RSA-PSS, in which SHA-1 and 20 bytes of salt are left out, as
/// they are the defaults.
fn pss_identifier(restriction: Option<PssRestriction>) -> Result<Zeroizing<Vec<u8>>, Error> {
    let oid = &Algorithm::RsaPss.facts().identifier[2..];
    let Some(PssRestriction { hash, mgf1, salt_length }) = restriction else {
        return der::element(der::SEQUENCE, &[oid]);
    };
    let field = |number, is_default: bool, content: &[u8]| match is_default {
        true => Ok(Zeroizing::default()),
        false => der::element(der::context(number), &[content]),
    };
    let function = der::element(der::SEQUENCE, &[MGF1, hash_identifier(mgf1)?])?;
    let salt = der::unsigned(&salt_length.to_be_bytes())?;
    let hash_field = field(0, hash == Hash::Sha1, hash_identifier(hash)?)?;
    let mgf1_field = field(1, mgf1 == Hash::Sha1, &function)?;
    let salt_field = field(2, salt_length == 20, &salt)?;
    let parameters = der::element(der::SEQUENCE, &[&hash_field, &mgf1_field, &salt_field])?;
    der::element(der::SEQUENCE, &[oid, &parameters])
}

/// The object identifier of MGF1.
const MGF1: &[u8] = &[6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 8];

/// Returns the AlgorithmIdentifier of a hash, of those that AWS-LC reads in RSA-PSS keys.
fn hash_identifier(hash: Hash) -> Result<&'static [u8], Error> {
    macro_rules! sha2 {
        ($number:literal) => {
            &[0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, $number, 5, 0]
        };
    }
    Ok(match hash {
        Hash::Sha1 => &[0x30, 9, 6, 5, 0x2b, 0x0e, 3, 2, 0x1a, 5, 0],
        Hash::Sha224 => sha2!(4),
        Hash::Sha256 => sha2!(1),
        Hash::Sha384 => sha2!(2),
        Hash::Sha512 => sha2!(3),
        _ => return Err(Error::Hash),
    })
}

/// Returns true if a raw public key has the size of its algorithm; a point may be compressed.
fn is_size_of(algorithm: Algorithm, key: &[u8]) -> bool {
    let facts = algorithm.facts();
    key.len() == facts.public_key
        || algorithm.is_nist_curve() && key.len() == 1 + facts.shared_secret
}

/// Returns true for an ECPrivateKey with a scalar and a point of the sizes of a NIST curve.
fn has_sizes_of(algorithm: Algorithm, key: &[u8]) -> bool {
    let facts = algorithm.facts();
    let sizes = || {
        let mut key = Reader::only(key, der::SEQUENCE)?;
        let is_version = key.element(der::INTEGER)? == [1];
        let scalar = key.element(der::OCTET_STRING)?;
        let curve = key.element(der::context(0)).unwrap_or_default();
        let point = Reader::only(key.element(der::context(1))?, der::BIT_STRING)?;
        let is_whole = key.is_empty() && is_version && facts.identifier.ends_with(curve);
        is_whole.then_some((scalar.len(), point.0.strip_prefix(&[0])?.len()))
    };
    sizes() == Some((facts.private_key, facts.public_key))
}

fn align_right(target: &mut [u8], number: &[u8]) -> Result<(), Error> {
    let zeros = target.len().checked_sub(number.len()).ok_or(Error::KeySize)?;
    target[zeros..].copy_from_slice(number);
    Ok(())
}

/// What RSA keys are generated by.
#[derive(Copy, Clone, Debug)]
pub struct RsaParameters {
    /// The bits of the modulus: [`NEW_MODULUS_BITS`], a multiple of 128.
    pub bits: u32,
    /// The public exponent, mostly 65,537: odd, from 3 to 2^32 - 1.
    pub exponent: u64,
}

/// A private key, with its public key. Owned by AWS-LC and overwritten on drop.
pub struct PrivateKey(pub(crate) Key);

/// A public key.
pub struct PublicKey(pub(crate) Key);

macro_rules! common {
    ($($key:ident),*) => {$(
        impl $key {
            /// Returns the algorithm.
            pub fn algorithm(&self) -> Algorithm {
                self.0.algorithm
            }

            /// Returns the bits of an RSA modulus, otherwise 0.
            pub fn modulus_bits(&self) -> u32 {
                self.0.modulus_bits()
            }

            /// Returns the parameters to which an RSA-PSS key is restricted.
            pub fn restriction(&self) -> Option<PssRestriction> {
                self.0.restriction
            }
        }

        impl fmt::Debug for $key {
            /// Writes the algorithm alone.
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}({:?})", stringify!($key), self.0.algorithm)
            }
        }
    )*};
}

common!(PrivateKey, PublicKey);

impl PublicKey {
    fn new(pkey: Pkey) -> Result<PublicKey, Error> {
        let key = Key::new(pkey)?;
        if key.algorithm.is_ml_kem() {
            key.pkey.check_ml_kem()?;
        }
        Ok(PublicKey(key))
    }

    /// Parses a SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    /// [`Error::Encoding`], [`Error::UnsupportedAlgorithm`]; [`Error::Point`],
    /// [`Error::ModulusSize`], [`Error::Exponent`] and [`Error::InvalidKey`] for what AWS-LC and
    /// the standards refuse in a key; [`Error::Memory`].
    pub fn from_spki(der: &[u8]) -> Result<PublicKey, Error> {
        match Pkey::from_spki(der) {
            Ok(pkey) => PublicKey::new(pkey),
            Err(error) => match key_of_spki(der).and_then(named) {
                // AWS-LC does not know it.
                Some((Algorithm::XWing, key)) => PublicKey::from_raw(Algorithm::XWing, key),
                Some((algorithm, key)) if error == Error::Encoding && !algorithm.is_rsa() => {
                    let right = is_size_of(algorithm, key);
                    Err(if right { Error::Point } else { Error::KeySize })
                }
                _ => Err(error),
            },
        }
    }

    /// Parses an RSAPublicKey of PKCS#1 in DER.
    ///
    /// # Errors
    /// As [`from_spki`](Self::from_spki).
    pub fn from_pkcs1(der: &[u8]) -> Result<PublicKey, Error> {
        PublicKey::from_spki(&spki(Algorithm::Rsa.facts().identifier, der)?)
    }

    /// Takes a raw public key: of a NIST curve an uncompressed or compressed point (SEC 1, 2.3.3).
    ///
    /// # Errors
    /// [`Error::KeyType`] for RSA, [`Error::KeySize`]; otherwise as
    /// [`from_spki`](Self::from_spki).
    pub fn from_raw(algorithm: Algorithm, key: &[u8]) -> Result<PublicKey, Error> {
        let facts = algorithm.facts();
        match algorithm.is_rsa() {
            true => Err(Error::KeyType),
            false if !is_size_of(algorithm, key) => Err(Error::KeySize),
            false if algorithm == Algorithm::XWing => {
                let (ml_kem, x25519) = key.split_at(ML_KEM_768.public_key);
                let ml_kem = PublicKey::from_raw(Algorithm::MlKem768, ml_kem)?;
                let x25519 = PublicKey::from_raw(Algorithm::X25519, x25519)?;
                Key::x_wing(ml_kem.0, x25519.0, &[]).map(PublicKey)
            }
            false => PublicKey::from_spki(&spki(facts.identifier, key)?),
        }
    }

    /// Returns the SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn to_spki(&self) -> Result<Vec<u8>, Error> {
        self.0.spki().map(|mut der| std::mem::take(&mut *der))
    }

    /// Returns the RSAPublicKey of PKCS#1 in DER.
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is an RSA key, [`Error::Memory`].
    pub fn to_pkcs1(&self) -> Result<Vec<u8>, Error> {
        self.0.pkey.rsa_public().map(|mut der| std::mem::take(&mut *der))
    }

    /// Returns the raw key: of a NIST curve the uncompressed point.
    ///
    /// # Errors
    /// [`Error::KeyType`] for RSA, [`Error::Memory`].
    pub fn to_raw(&self) -> Result<Vec<u8>, Error> {
        self.0.raw_public()
    }

    /// Returns the compressed point (SEC 1, 2.3.3).
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is a key of a NIST curve, [`Error::Memory`].
    pub fn to_compressed(&self) -> Result<Vec<u8>, Error> {
        if !self.0.algorithm.is_nist_curve() {
            return Err(Error::KeyType);
        }
        let mut point = self.to_raw()?;
        let odd = point.last().is_some_and(|last| last & 1 == 1);
        point.truncate(1 + self.0.algorithm.facts().shared_secret);
        point[0] = 2 + u8::from(odd);
        Ok(point)
    }
}

impl PrivateKey {
    fn new(mut pkey: Pkey) -> Result<PrivateKey, Error> {
        pkey.normalize_ec();
        let key = Key::new(pkey)?;
        if key.algorithm.is_rsa() && !key.pkey.has_rsa_components() {
            return Err(Error::InvalidKey);
        }
        // AWS-LC derives the public key from a seed, not from an expanded key.
        let mut seed = Zeroizing::new([0; 64]);
        if key.algorithm.is_ml_kem() && !key.pkey.seed(&mut seed[..]) {
            let mut expanded = zeros(key.algorithm.facts().private_key)?;
            return match key.pkey.raw_private(&mut expanded) {
                true => PrivateKey::from_expanded_ml_kem(key.algorithm, &expanded),
                false => Err(Error::Engine),
            };
        }
        Ok(PrivateKey(key))
    }

    /// Takes the expanded key of ML-KEM: the key of K-PKE, the public key, its hash and z.
    fn from_expanded_ml_kem(algorithm: Algorithm, expanded: &[u8]) -> Result<PrivateKey, Error> {
        let public = algorithm.facts().public_key;
        let end = expanded.len().checked_sub(64).ok_or(Error::KeySize)?;
        let start = end.checked_sub(public).ok_or(Error::KeySize)?;
        let pkey = Pkey::from_ml_kem(algorithm, &expanded[start..end], expanded)?;
        pkey.check_ml_kem()?;
        Ok(PrivateKey(Key::new(pkey)?))
    }

    /// Parses PKCS#8 in DER, of version 1 or 2. Keys of ML-KEM and ML-DSA may be seeds, expanded or
    /// both (RFC 9881, RFC 9935). A public key in version 2 is only accepted for other algorithms
    /// than RSA, NIST's curves and X-Wing.
    ///
    /// # Errors
    /// [`Error::Encoding`], [`Error::UnsupportedAlgorithm`]; [`Error::Point`],
    /// [`Error::ModulusSize`], [`Error::Exponent`] and [`Error::InvalidKey`] for what AWS-LC and
    /// the standards refuse in a key; [`Error::Memory`].
    pub fn from_pkcs8(der: &[u8]) -> Result<PrivateKey, Error> {
        match Pkey::from_pkcs8(der) {
            Ok(pkey) => PrivateKey::new(pkey),
            Err(error) => PrivateKey::from_refused(der, error),
        }
    }

    /// Parses PKCS#8 that AWS-LC has refused: keys of X-Wing, which it does not know, and of ML-KEM
    /// in both forms, of which it reads only one. OpenSSL writes both. Errors of other keys tell
    /// size and content from their encoding.
    fn from_refused(der: &[u8], error: Error) -> Result<PrivateKey, Error> {
        let Some((algorithm, key)) = key_of_pkcs8(der).and_then(named) else {
            return Err(error);
        };
        if algorithm == Algorithm::XWing {
            return PrivateKey::from_raw(algorithm, key);
        }
        if error == Error::Encoding && algorithm.is_nist_curve() && has_sizes_of(algorithm, key) {
            // A coordinate that is not reduced.
            return Err(Error::Point);
        }
        let facts = algorithm.facts();
        let mut key = Reader(key);
        let (seed, raw) = match key.sequence() {
            Some(mut both) => (both.element(der::OCTET_STRING), both.element(der::OCTET_STRING)),
            None => (key.element(SEED), key.element(der::OCTET_STRING)),
        };
        let differs = |part: Option<&[u8]>, size| part.is_some_and(|part| part.len() != size);
        match (seed, raw) {
            _ if error != Error::Encoding || !key.is_empty() => Err(error),
            _ if algorithm.is_rsa() || algorithm.is_nist_curve() => Err(error),
            (None, None) => Err(error),
            (Some(_), _) if facts.seed == 0 => Err(error),
            _ if differs(seed, facts.seed) || differs(raw, facts.private_key) => {
                Err(Error::KeySize)
            }
            (Some(seed), Some(expanded)) if algorithm.is_ml_kem() => {
                let key = PrivateKey::from_raw(algorithm, seed)?;
                let same = *key.to_raw()? == *expanded;
                if same { Ok(key) } else { Err(Error::InvalidKey) }
            }
            _ => Err(Error::InvalidKey),
        }
    }

    /// Decrypts PKCS#8 in DER. PBES2 is supported with scrypt, or PBKDF2 of HMAC with SHA-1 or
    /// SHA-2, and each [`KeyCipher`]; and the schemes of PKCS#12 with triple DES, RC2 and RC4.
    ///
    /// # Errors
    /// [`Error::Password`], [`Error::EncryptionScheme`]; [`Error::Work`] for more than 10 million
    /// iterations, or scrypt with more than 256 MiB, or 1 GiB over all its p lanes; otherwise as
    /// [`from_pkcs8`](Self::from_pkcs8).
    pub fn from_encrypted_pkcs8(der: &[u8], password: &[u8]) -> Result<PrivateKey, Error> {
        match pbes2::decrypt(der, password)? {
            // The wrong password leaves valid padding now and then.
            Some(pkcs8) => PrivateKey::from_pkcs8(&pkcs8).map_err(|error| match error {
                Error::Encoding => Error::Password,
                error => error,
            }),
            None => PrivateKey::new(Pkey::from_encrypted_pkcs8(der, password)?),
        }
    }

    /// Parses an RSAPrivateKey of PKCS#1 in DER.
    ///
    /// # Errors
    /// As [`from_pkcs8`](Self::from_pkcs8).
    pub fn from_pkcs1(der: &[u8]) -> Result<PrivateKey, Error> {
        PrivateKey::from_pkcs8(&pkcs8(Algorithm::Rsa.facts().identifier, der)?)
    }

    /// Parses an ECPrivateKey of SEC 1 (RFC 5915) in DER, which must name its curve.
    ///
    /// # Errors
    /// As [`from_pkcs8`](Self::from_pkcs8).
    pub fn from_sec1(der: &[u8]) -> Result<PrivateKey, Error> {
        let curve = || {
            let mut key = Reader::only(der, der::SEQUENCE)?;
            key.element(der::INTEGER)?;
            key.element(der::OCTET_STRING)?;
            key.element(der::context(0))
        };
        let identifier = der::element(der::SEQUENCE, &[EC, curve().ok_or(Error::Encoding)?])?;
        PrivateKey::from_pkcs8(&pkcs8(&identifier, der)?)
    }

    /// Takes a raw private key: the 32 bytes of Ed25519, X25519 and X-Wing, the scalar of a NIST
    /// curve, of which leading zeros may be missing, the seed or the expanded key of ML-KEM and
    /// ML-DSA.
    ///
    /// # Errors
    /// [`Error::KeyType`] for RSA, [`Error::KeySize`], [`Error::InvalidKey`], [`Error::Memory`].
    pub fn from_raw(algorithm: Algorithm, key: &[u8]) -> Result<PrivateKey, Error> {
        let facts = algorithm.facts();
        if algorithm.is_nist_curve() {
            return PrivateKey::from_scalar(algorithm, key, &[]);
        }
        let tag = match key.len() {
            _ if algorithm.is_rsa() => return Err(Error::KeyType),
            size if size == facts.private_key => der::OCTET_STRING,
            size if size == facts.seed && size > 0 => SEED,
            _ => return Err(Error::KeySize),
        };
        if algorithm == Algorithm::XWing {
            let mut expanded = Zeroizing::new([0; 96]);
            digest(Hash::Shake256, &Params::NONE, key, &mut expanded[..], None)?;
            let (ml_kem, x25519) = expanded.split_at(ML_KEM_768.seed);
            let ml_kem = PrivateKey::from_raw(Algorithm::MlKem768, ml_kem)?;
            let x25519 = PrivateKey::from_raw(Algorithm::X25519, x25519)?;
            return Key::x_wing(ml_kem.0, x25519.0, key).map(PrivateKey);
        }
        PrivateKey::from_pkcs8(&pkcs8(facts.identifier, &der::element(tag, &[key])?)?)
    }

    /// Takes the scalar of a NIST curve, with all leading zeros, and after it the uncompressed
    /// point of its public key, which must match.
    ///
    /// # Errors
    /// [`Error::KeyType`] unless the algorithm is a NIST curve, [`Error::KeySize`],
    /// [`Error::Point`], [`Error::InvalidKey`], [`Error::Memory`].
    pub fn from_scalar_and_point(algorithm: Algorithm, both: &[u8]) -> Result<PrivateKey, Error> {
        let facts = algorithm.facts();
        if !algorithm.is_nist_curve() {
            return Err(Error::KeyType);
        }
        if both.len() != facts.private_key + facts.public_key {
            return Err(Error::KeySize);
        }
        let (scalar, point) = both.split_at(facts.private_key);
        let point = der::element(der::BIT_STRING, &[&[0], point])?;
        PrivateKey::from_scalar(algorithm, scalar, &der::element(der::context(1), &[&point])?)
    }

    fn from_scalar(
        algorithm: Algorithm,
        scalar: &[u8],
        public: &[u8],
    ) -> Result<PrivateKey, Error> {
        let facts = algorithm.facts();
        let mut padded = zeros(facts.private_key)?;
        align_right(&mut padded, scalar)?;
        let scalar = der::element(der::OCTET_STRING, &[&padded])?;
        let key = der::element(der::SEQUENCE, &[der::ONE, &scalar, public])?;
        PrivateKey::from_pkcs8(&pkcs8(facts.identifier, &key)?)
    }

    /// Generates a key of any algorithm but RSA.
    ///
    /// # Errors
    /// [`Error::KeyType`] for RSA, [`Error::Memory`], [`Error::Engine`].
    pub fn generate(algorithm: Algorithm) -> Result<PrivateKey, Error> {
        if algorithm.is_nist_curve() {
            return PrivateKey::new(Pkey::generate_ec(algorithm)?);
        }
        let facts = algorithm.facts();
        let mut seed = zeros(if facts.seed > 0 { facts.seed } else { facts.private_key })?;
        evp::random(&mut seed)?;
        PrivateKey::from_raw(algorithm, &seed)
    }

    /// Generates an RSA key. Calls `cancelled` every few milliseconds or more often, between
    /// candidates for a prime, and stops if it returns true.
    ///
    /// # Errors
    /// [`Error::ModulusSize`], [`Error::Exponent`], [`Error::Cancelled`], [`Error::Memory`].
    ///
    /// # Panics
    /// If `cancelled` panics.
    pub fn generate_rsa(
        parameters: RsaParameters,
        cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<PrivateKey, Error> {
        PrivateKey::from_pkcs1(&new_rsa_key(parameters, cancelled)?)
    }

    /// Generates a key of RSA-PSS, restricted or not.
    ///
    /// # Errors
    /// As [`generate_rsa`](Self::generate_rsa); [`Error::Hash`] for a restriction to other hashes
    /// than SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512; [`Error::SaltLength`] for a salt that
    /// does not fit in the modulus.
    ///
    /// # Panics
    /// If `cancelled` panics.
    pub fn generate_rsa_pss(
        parameters: RsaParameters,
        restriction: Option<PssRestriction>,
        cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<PrivateKey, Error> {
        let identifier = pss_identifier(restriction)?;
        if let Some(PssRestriction { hash, salt_length, .. }) = restriction
            && max_salt_length(parameters.bits, hash).is_none_or(|most| salt_length > most)
        {
            return Err(Error::SaltLength);
        }
        PrivateKey::from_pkcs8(&pkcs8(&identifier, &new_rsa_key(parameters, cancelled)?)?)
    }

    /// Returns the public key, which holds nothing of this one.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn public_key(&self) -> Result<PublicKey, Error> {
        PublicKey::from_spki(&self.0.spki()?)
    }

    /// Returns PKCS#8 of version 1 in DER. A key of ML-KEM or ML-DSA is its seed, or expanded if it
    /// was given so.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let facts = self.0.algorithm.facts();
        if self.0.algorithm == Algorithm::RsaPss {
            return pkcs8(&self.0.rsa_identifier()?, &self.0.pkey.rsa_private()?);
        }
        if let Some(XWing { seed, .. }) = &self.0.x_wing {
            return pkcs8(facts.identifier, seed);
        }
        if self.0.algorithm.is_ml_dsa() && self.to_seed().is_err() {
            let key = der::element(der::OCTET_STRING, &[&self.to_raw()?])?;
            return pkcs8(facts.identifier, &key);
        }
        self.0.pkey.pkcs8()
    }

    /// Returns PKCS#8 in DER, encrypted by PBES2 under a key that PBKDF2 with HMAC-SHA-256 derives
    /// from the password, as OpenSSL 3 does. OpenSSL computes 2,048 iterations; OWASP asks for
    /// 600,000, which take 45 ms or so.
    ///
    /// # Errors
    /// [`Error::Work`] for 0 or more than 10 million iterations; [`Error::Memory`].
    pub fn to_encrypted_pkcs8(
        &self,
        password: &[u8],
        cipher: KeyCipher,
        iterations: u32,
    ) -> Result<Vec<u8>, Error> {
        pbes2::encrypt(&self.to_pkcs8()?, password, cipher, iterations)
    }

    /// Returns the RSAPrivateKey of PKCS#1 in DER.
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is an RSA key, [`Error::Memory`].
    pub fn to_pkcs1(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.0.pkey.rsa_private()
    }

    /// Returns the ECPrivateKey of SEC 1 (RFC 5915) in DER, with curve and public key.
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is a key of a NIST curve, [`Error::Memory`].
    pub fn to_sec1(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        if !self.0.algorithm.is_nist_curve() {
            return Err(Error::KeyType);
        }
        let scalar = der::element(der::OCTET_STRING, &[&self.to_raw()?])?;
        let curve = &self.0.algorithm.facts().identifier[2 + EC.len()..];
        let curve = der::element(der::context(0), &[curve])?;
        let point = der::element(der::BIT_STRING, &[&[0], &self.0.raw_public()?])?;
        let point = der::element(der::context(1), &[&point])?;
        der::element(der::SEQUENCE, &[der::ONE, &scalar, &curve, &point])
    }

    /// Returns the raw private key: the scalar of a NIST curve with all leading zeros, the expanded
    /// key of ML-KEM and ML-DSA, the seed of X-Wing.
    ///
    /// # Errors
    /// [`Error::KeyType`] for RSA, [`Error::Memory`].
    pub fn to_raw(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        if self.0.algorithm.is_rsa() {
            return Err(Error::KeyType);
        }
        if let Some(XWing { seed, .. }) = &self.0.x_wing {
            return der::copy(seed).map(Zeroizing::new);
        }
        let mut raw = zeros(self.0.algorithm.facts().private_key)?;
        if !self.0.algorithm.is_nist_curve() {
            return if self.0.pkey.raw_private(&mut raw) { Ok(raw) } else { Err(Error::Engine) };
        }
        let info = self.0.pkey.pkcs8()?;
        let scalar = || {
            let mut key = Reader::only(key_of_pkcs8(&info)?.1, der::SEQUENCE)?;
            key.element(der::INTEGER)?;
            key.element(der::OCTET_STRING)
        };
        align_right(&mut raw, scalar().ok_or(Error::Engine)?)?;
        Ok(raw)
    }

    /// Returns the seed of a key of ML-KEM (64 bytes, d and z) or ML-DSA (32 bytes).
    ///
    /// # Errors
    /// [`Error::KeyType`] for other keys and for those that were given expanded; [`Error::Memory`].
    pub fn to_seed(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut seed = zeros(self.0.algorithm.facts().seed)?;
        let found = !seed.is_empty() && self.0.pkey.seed(&mut seed);
        if found { Ok(seed) } else { Err(Error::KeyType) }
    }
}

/// The object identifier of keys of NIST's curves.
const EC: &[u8] = &[6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];

/// The sizes of the first part of X-Wing's keys and ciphertexts.
pub(crate) const ML_KEM_768: &Facts = Algorithm::MlKem768.facts();

/// The tag of a seed of ML-KEM or ML-DSA within PKCS#8.
const SEED: u8 = 0x80;

fn new_rsa_key(
    parameters: RsaParameters,
    cancelled: &mut dyn FnMut() -> bool,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let RsaParameters { bits, exponent } = parameters;
    if !NEW_MODULUS_BITS.contains(&bits) || bits % 128 != 0 {
        return Err(Error::ModulusSize);
    }
    if exponent < 3 || exponent % 2 == 0 || exponent >> 32 != 0 {
        return Err(Error::Exponent);
    }
    evp::generate_rsa(bits, exponent, cancelled)
}

/// Returns the longest salt of PSS under a modulus of these bits, `None` if not even the digest
/// fits.
pub(crate) fn max_salt_length(bits: u32, hash: Hash) -> Option<u32> {
    (bits - 1).div_ceil(8).checked_sub(hash.facts().digest_size as u32 + 2)
}
