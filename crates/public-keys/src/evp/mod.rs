//! AWS-LC behind safe functions: all `unsafe` of this crate.
//!
//! Keys go in and out as DER, so that AWS-LC alone parses and checks them. A call into AWS-LC
//! leaves this thread's error queue empty: [`failure`] takes its reasons out.

pub(crate) mod nist;
mod operations;
pub mod raw;

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{self, NonNull};

use aws_lc_sys as lc;
use zeroize::Zeroizing;

use crate::algorithm::Algorithm;
use crate::der;
use crate::error::Error;
use crate::parameters::PssRestriction;

pub use self::operations::takes;
pub(crate) use self::operations::{Digest, RsaPadding, cbc, digest, random};

/// An object that AWS-LC allocated and that is freed, and overwritten before, on drop.
struct Owned<T: Free>(NonNull<T>);

/// An object of AWS-LC that has a function to free it.
trait Free {
    /// Frees an object.
    ///
    /// # Safety
    /// Nothing uses the object afterwards.
    unsafe fn free(object: *mut Self);
}

impl<T: Free> Owned<T> {
    /// Takes an object over; null is a failure.
    ///
    /// # Safety
    /// The pointer is null, or nothing else frees its object.
    unsafe fn new(object: *mut T, otherwise: Error) -> Result<Self, Error> {
        NonNull::new(object).map(Owned).ok_or_else(|| failure(otherwise))
    }

    fn get(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Free> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the object is this owner's.
        unsafe { T::free(self.0.as_ptr()) }
    }
}

macro_rules! free {
    ($($object:ident $free:ident),*) => {
        $(impl Free for lc::$object {
            // SAFETY: as in the trait.
            unsafe fn free(object: *mut Self) {
                // SAFETY: the caller's object.
                unsafe { lc::$free(object) }
            }
        })*
    };
}

free!(
    EVP_PKEY EVP_PKEY_free,
    EVP_PKEY_CTX EVP_PKEY_CTX_free,
    EVP_MD_CTX EVP_MD_CTX_free,
    EVP_CIPHER_CTX EVP_CIPHER_CTX_free,
    RSA RSA_free,
    EC_KEY EC_KEY_free,
    EC_POINT EC_POINT_clear_free,
    ECDSA_SIG ECDSA_SIG_free,
    BIGNUM BN_clear_free
);

/// Returns true if a function of AWS-LC reports success.
fn succeeded(status: c_int) -> Result<(), Error> {
    if status == 1 { Ok(()) } else { Err(failure(Error::Engine)) }
}

/// Empties this thread's error queue and returns the first reason that has an error of its own.
#[cold]
fn failure(otherwise: Error) -> Error {
    let mut known = None;
    loop {
        // SAFETY: touches this thread's queue only.
        let code = unsafe { lc::ERR_get_error() };
        if code == 0 {
            return known.unwrap_or(otherwise);
        }
        // `ERR_GET_LIB` and `ERR_GET_REASON`, which are inline functions of err.h.
        let (library, reason) = ((code >> 24) as c_int, (code & 0xfff) as c_int);
        known = known.or_else(|| error_of(library, reason));
    }
}

fn error_of(library: c_int, reason: c_int) -> Option<Error> {
    if reason == lc::ERR_R_MALLOC_FAILURE {
        return Some(Error::Memory);
    }
    Some(match (library, reason) {
        (lc::ERR_LIB_EVP, lc::EVP_R_UNSUPPORTED_ALGORITHM)
        | (lc::ERR_LIB_EC, lc::EC_R_UNKNOWN_GROUP) => Error::UnsupportedAlgorithm,
        (lc::ERR_LIB_EVP, lc::EVP_R_INVALID_PUBLIC_KEY | lc::EVP_R_INVALID_PRIVATE_KEY)
        | (lc::ERR_LIB_EVP, lc::EVP_R_KEM_PCT_FAILED)
        | (lc::ERR_LIB_EC, lc::EC_R_INVALID_PRIVATE_KEY | lc::EC_R_GROUP_MISMATCH)
        | (lc::ERR_LIB_RSA, lc::RSA_R_CRT_VALUES_INCORRECT | lc::RSA_R_BAD_RSA_PARAMETERS) => {
            Error::InvalidKey
        }
        (lc::ERR_LIB_EC, lc::EC_R_POINT_IS_NOT_ON_CURVE | lc::EC_R_POINT_AT_INFINITY)
        | (lc::ERR_LIB_EC, lc::EC_R_INVALID_COMPRESSED_POINT | lc::EC_R_INVALID_ENCODING)
        | (lc::ERR_LIB_EC, lc::EC_R_INVALID_FORM | lc::EC_R_COORDINATES_OUT_OF_RANGE) => {
            Error::Point
        }
        (lc::ERR_LIB_EVP, lc::EVP_R_INVALID_BUFFER_SIZE) => Error::KeySize,
        (lc::ERR_LIB_RSA, lc::RSA_R_MODULUS_TOO_LARGE) => Error::ModulusSize,
        (lc::ERR_LIB_RSA, lc::RSA_R_BAD_E_VALUE) => Error::Exponent,
        (lc::ERR_LIB_RSA, lc::RSA_R_BAD_ENCODING)
        | (lc::ERR_LIB_PKCS8, lc::PKCS8_R_DECODE_ERROR) => Error::Encoding,
        (lc::ERR_LIB_RSA, lc::RSA_R_DATA_TOO_LARGE_FOR_KEY_SIZE)
        | (lc::ERR_LIB_RSA, lc::RSA_R_DIGEST_TOO_BIG_FOR_RSA_KEY) => Error::MessageTooLong,
        (lc::ERR_LIB_PKCS8, lc::PKCS8_R_UNKNOWN_ALGORITHM | lc::PKCS8_R_UNSUPPORTED_CIPHER)
        | (lc::ERR_LIB_PKCS8, lc::PKCS8_R_UNSUPPORTED_KEY_DERIVATION_FUNCTION)
        | (lc::ERR_LIB_PKCS8, lc::PKCS8_R_UNSUPPORTED_PRF | lc::PKCS8_R_BAD_ITERATION_COUNT) => {
            Error::EncryptionScheme
        }
        _ => return None,
    })
}

/// Reads one object that fills these bytes.
fn parse<T: Free>(
    der: &[u8],
    otherwise: Error,
    read: impl FnOnce(*mut lc::CBS) -> *mut T,
) -> Result<Owned<T>, Error> {
    let mut bytes = lc::CBS { data: der.as_ptr(), len: der.len() };
    // SAFETY: clears this thread's queue; the function returns null or a new object.
    let object = unsafe {
        lc::ERR_clear_error();
        Owned::new(read(&raw mut bytes), otherwise)
    }?;
    if bytes.len == 0 { Ok(object) } else { Err(Error::Encoding) }
}

/// Collects what a function writes.
fn marshal(write: impl FnOnce(*mut lc::CBB) -> c_int) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut builder = MaybeUninit::<lc::CBB>::zeroed();
    let builder = builder.as_mut_ptr();
    let (mut bytes, mut size) = (ptr::null_mut(), 0);
    // SAFETY: a builder is initialized before its use, and finished or cleaned up once. Finished,
    // it gives its memory to the caller, who copies and frees it, which overwrites it.
    unsafe {
        let written = lc::CBB_init(builder, 512) == 1
            && write(builder) == 1
            && lc::CBB_finish(builder, &raw mut bytes, &raw mut size) == 1;
        if !written {
            lc::CBB_cleanup(builder);
            return Err(failure(Error::KeyType));
        }
        let copy = der::copy(std::slice::from_raw_parts(bytes, size));
        lc::OPENSSL_free(bytes.cast());
        copy.map(Zeroizing::new)
    }
}

/// A private or a public key. Wiped on drop.
pub(crate) struct Pkey(Owned<lc::EVP_PKEY>);

// SAFETY: AWS-LC counts references atomically, and documents as safe for concurrent use all that
// this module does with a key after it was parsed.
unsafe impl Send for Pkey {}
// SAFETY: as above.
unsafe impl Sync for Pkey {}

impl Pkey {
    /// Parses a SubjectPublicKeyInfo.
    pub(crate) fn from_spki(der: &[u8]) -> Result<Pkey, Error> {
        // SAFETY: the bytes are readable during the call.
        parse(der, Error::Encoding, |bytes| unsafe { lc::EVP_parse_public_key(bytes) }).map(Pkey)
    }

    /// Parses PKCS#8.
    pub(crate) fn from_pkcs8(der: &[u8]) -> Result<Pkey, Error> {
        // SAFETY: the bytes are readable during the call.
        parse(der, Error::Encoding, |bytes| unsafe { lc::EVP_parse_private_key(bytes) }).map(Pkey)
    }

    /// Decrypts and parses PKCS#8.
    pub(crate) fn from_encrypted_pkcs8(der: &[u8], password: &[u8]) -> Result<Pkey, Error> {
        parse(der, Error::Password, |bytes| {
            let (password, size) = (password.as_ptr().cast(), password.len());
            // SAFETY: the bytes and the password are readable during the call.
            unsafe { lc::PKCS8_parse_encrypted_private_key(bytes, password, size) }
        })
        .map(Pkey)
    }

    /// Returns a key of ML-KEM from its expanded form and the public key in it.
    pub(crate) fn from_ml_kem(
        algorithm: Algorithm,
        public: &[u8],
        private: &[u8],
    ) -> Result<Pkey, Error> {
        let nid = nid_of_ml_kem(algorithm).ok_or(Error::KeyType)?;
        let facts = algorithm.facts();
        if public.len() != facts.public_key || private.len() != facts.private_key {
            return Err(Error::KeySize);
        }
        // SAFETY: both have the sizes that are read.
        let key = unsafe {
            lc::EVP_PKEY_kem_new_raw_key(
                nid,
                public.as_ptr(),
                public.len(),
                private.as_ptr(),
                private.len(),
            )
        };
        // SAFETY: a new key or null.
        unsafe { Owned::new(key, Error::Memory) }.map(Pkey)
    }

    /// Generates a key of a NIST curve.
    pub(crate) fn generate_ec(algorithm: Algorithm) -> Result<Pkey, Error> {
        let curve = match algorithm {
            Algorithm::P256 => lc::NID_X9_62_prime256v1,
            Algorithm::P384 => lc::NID_secp384r1,
            Algorithm::P521 => lc::NID_secp521r1,
            _ => return Err(Error::KeyType),
        };
        // SAFETY: the functions return new objects or null; the key keeps a reference of its own.
        unsafe {
            let key = Owned::new(lc::EC_KEY_new_by_curve_name(curve), Error::Memory)?;
            succeeded(lc::EC_KEY_generate_key(key.get()))?;
            let pkey = Owned::new(lc::EVP_PKEY_new(), Error::Memory)?;
            succeeded(lc::EVP_PKEY_set1_EC_KEY(pkey.get(), key.get()))?;
            Ok(Pkey(pkey))
        }
    }

    /// Returns the algorithm, `None` if this crate does not support it.
    pub(crate) fn algorithm(&self) -> Option<Algorithm> {
        let key = self.0.get();
        // SAFETY: the key is alive; a curve's group belongs to it.
        let nid = unsafe {
            match lc::EVP_PKEY_id(key) {
                lc::EVP_PKEY_EC => {
                    let key = lc::EVP_PKEY_get0_EC_KEY(key);
                    if lc::EC_KEY_decoded_from_explicit_params(key) == 1 {
                        return None;
                    }
                    lc::EC_GROUP_get_curve_name(lc::EC_KEY_get0_group(key))
                }
                lc::EVP_PKEY_PQDSA => lc::EVP_PKEY_pqdsa_get_type(key),
                lc::EVP_PKEY_KEM => lc::EVP_PKEY_kem_get_type(key),
                id => id,
            }
        };
        Some(match nid {
            lc::EVP_PKEY_ED25519 => Algorithm::Ed25519,
            lc::EVP_PKEY_X25519 => Algorithm::X25519,
            lc::NID_X9_62_prime256v1 => Algorithm::P256,
            lc::NID_secp384r1 => Algorithm::P384,
            lc::NID_secp521r1 => Algorithm::P521,
            lc::EVP_PKEY_RSA => Algorithm::Rsa,
            lc::EVP_PKEY_RSA_PSS => Algorithm::RsaPss,
            lc::NID_MLKEM512 => Algorithm::MlKem512,
            lc::NID_MLKEM768 => Algorithm::MlKem768,
            lc::NID_MLKEM1024 => Algorithm::MlKem1024,
            lc::NID_MLDSA44 => Algorithm::MlDsa44,
            lc::NID_MLDSA65 => Algorithm::MlDsa65,
            lc::NID_MLDSA87 => Algorithm::MlDsa87,
            _ => return None,
        })
    }

    /// Makes AWS-LC write the public key, as an uncompressed point, into each private key. It would
    /// repeat the form in which it found the key.
    pub(crate) fn normalize_ec(&mut self) {
        let Ok(key) = self.ec() else { return };
        // SAFETY: a live key that nothing else uses.
        unsafe {
            lc::EC_KEY_set_enc_flags(key, 0);
            let form = lc::point_conversion_form_t::POINT_CONVERSION_UNCOMPRESSED;
            lc::EC_KEY_set_conv_form(key, form);
        }
    }

    /// Checks a key of ML-KEM as FIPS 203 demands (7.2, 7.3).
    pub(crate) fn check_ml_kem(&self) -> Result<(), Error> {
        let context = self.context()?;
        // SAFETY: a context of this key.
        succeeded(unsafe { lc::EVP_PKEY_public_check(context.get()) })
    }

    /// Returns the parameters to which a key of RSA-PSS is restricted.
    pub(crate) fn restriction(&self) -> Result<Option<PssRestriction>, Error> {
        let context = self.context()?;
        let (mut hash, mut mgf1, mut salt) = (ptr::null(), ptr::null(), 0);
        // SAFETY: a context of this key; the functions write a pointer to a static or an integer.
        unsafe {
            let context = context.get();
            succeeded(lc::EVP_PKEY_verify_init(context)).map_err(|_| Error::SaltLength)?;
            succeeded(lc::EVP_PKEY_CTX_get_rsa_pss_saltlen(context, &raw mut salt))?;
            succeeded(lc::EVP_PKEY_CTX_get_signature_md(context, &raw mut hash))?;
            succeeded(lc::EVP_PKEY_CTX_get_rsa_mgf1_md(context, &raw mut mgf1))?;
        }
        let Ok(salt_length) = u32::try_from(salt) else { return Ok(None) };
        let hash = operations::hash_of(hash).ok_or(Error::UnsupportedAlgorithm)?;
        let mgf1 = operations::hash_of(mgf1).ok_or(Error::UnsupportedAlgorithm)?;
        Ok(Some(PssRestriction { hash, mgf1, salt_length }))
    }

    /// Returns the SubjectPublicKeyInfo. AWS-LC has none for RSA-PSS.
    pub(crate) fn spki(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        // SAFETY: an initialized builder and a live key.
        marshal(|builder| unsafe { lc::EVP_marshal_public_key(builder, self.0.get()) })
    }

    /// Returns PKCS#8. AWS-LC has none for RSA-PSS and for ML-DSA without a seed.
    pub(crate) fn pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        // SAFETY: an initialized builder and a live key.
        marshal(|builder| unsafe { lc::EVP_marshal_private_key(builder, self.0.get()) })
    }

    /// Returns the RSAPublicKey of PKCS#1.
    pub(crate) fn rsa_public(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let key = self.rsa()?;
        // SAFETY: an initialized builder and a live key.
        marshal(|builder| unsafe { lc::RSA_marshal_public_key(builder, key) })
    }

    /// Returns the RSAPrivateKey of PKCS#1.
    pub(crate) fn rsa_private(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let key = self.rsa()?;
        // SAFETY: an initialized builder and a live key.
        marshal(|builder| unsafe { lc::RSA_marshal_private_key(builder, key) })
    }

    /// Returns the bits of an RSA modulus.
    pub(crate) fn modulus_bits(&self) -> Result<u32, Error> {
        // SAFETY: a live key.
        self.rsa().map(|key| unsafe { lc::RSA_bits(key) })
    }

    /// Returns true for a private key of RSA that has all its components. Java writes zeros in
    /// place of all but modulus and private exponent.
    pub(crate) fn has_rsa_components(&self) -> bool {
        // SAFETY: a live key.
        self.rsa().is_ok_and(|key| unsafe { !lc::RSA_get0_iqmp(key).is_null() })
    }

    /// Writes the raw public key. Returns false if there is none, or not of this size.
    pub(crate) fn raw_public(&self, target: &mut [u8]) -> bool {
        raw(self, target, lc::EVP_PKEY_get_raw_public_key)
    }

    /// Writes the raw private key, for ML-KEM and ML-DSA the expanded one.
    pub(crate) fn raw_private(&self, target: &mut [u8]) -> bool {
        raw(self, target, lc::EVP_PKEY_get_raw_private_key)
    }

    /// Writes the seed of ML-KEM or ML-DSA.
    pub(crate) fn seed(&self, target: &mut [u8]) -> bool {
        raw(self, target, lc::EVP_PKEY_get_private_seed)
    }

    fn context(&self) -> Result<Owned<lc::EVP_PKEY_CTX>, Error> {
        // SAFETY: a live key, of which the context keeps a reference; a new object or null.
        unsafe { Owned::new(lc::EVP_PKEY_CTX_new(self.0.get(), ptr::null_mut()), Error::Memory) }
    }

    /// Returns the RSA key within, which lives as long as this one.
    fn rsa(&self) -> Result<*mut lc::RSA, Error> {
        // SAFETY: a live key.
        let key = unsafe { lc::EVP_PKEY_get0_RSA(self.0.get()) };
        if key.is_null() { Err(failure(Error::KeyType)) } else { Ok(key) }
    }

    /// Returns the key of a NIST curve within, which lives as long as this one.
    fn ec(&self) -> Result<*mut lc::EC_KEY, Error> {
        // SAFETY: a live key.
        let key = unsafe { lc::EVP_PKEY_get0_EC_KEY(self.0.get()) };
        if key.is_null() { Err(failure(Error::KeyType)) } else { Ok(key) }
    }
}

// SAFETY: writes at most as many bytes as the size says, as `raw` calls it.
type ReadRaw = unsafe extern "C" fn(*const lc::EVP_PKEY, *mut u8, *mut usize) -> c_int;

/// Fills the target by a function that returns a raw key.
fn raw(key: &Pkey, target: &mut [u8], read: ReadRaw) -> bool {
    let mut size = target.len();
    // SAFETY: the functions write at most as many bytes as the size says.
    let done = unsafe { read(key.0.get(), target.as_mut_ptr(), &raw mut size) == 1 };
    if !done {
        failure(Error::KeyType);
    }
    done && size == target.len()
}

fn nid_of_ml_kem(algorithm: Algorithm) -> Option<c_int> {
    Some(match algorithm {
        Algorithm::MlKem512 => lc::NID_MLKEM512,
        Algorithm::MlKem768 => lc::NID_MLKEM768,
        Algorithm::MlKem1024 => lc::NID_MLKEM1024,
        _ => return None,
    })
}

/// Generates an RSA key and returns its RSAPrivateKey of PKCS#1. Asks `cancelled` between
/// candidates for a prime and between the rounds of their test.
pub(crate) fn generate_rsa(
    bits: u32,
    exponent: u64,
    cancelled: &mut dyn FnMut() -> bool,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    struct Ask<'a> {
        cancelled: &'a mut dyn FnMut() -> bool,
        answer: std::thread::Result<bool>,
    }
    // SAFETY: as `BN_GENCB_set` below says.
    unsafe extern "C" fn ask(_event: c_int, _count: c_int, callback: *mut lc::BN_GENCB) -> c_int {
        // SAFETY: the argument is the `Ask` of the call under way, which nothing else uses.
        let ask = unsafe { &mut *lc::BN_GENCB_get_arg(callback).cast::<Ask<'_>>() };
        if matches!(ask.answer, Ok(false)) {
            ask.answer = catch_unwind(AssertUnwindSafe(&mut ask.cancelled));
        }
        c_int::from(matches!(ask.answer, Ok(false)))
    }
    let mut asked = Ask { cancelled, answer: Ok(false) };
    let bits = c_int::try_from(bits).map_err(|_| Error::ModulusSize)?;
    // SAFETY: the functions return new objects or null. The callback is set before the call that
    // uses it, and gets the only pointer to `asked` during that call.
    let (key, generated) = unsafe {
        let key = Owned::new(lc::RSA_new(), Error::Memory)?;
        let number = Owned::new(lc::BN_new(), Error::Memory)?;
        succeeded(lc::BN_set_u64(number.get(), exponent))?;
        let mut callback = MaybeUninit::<lc::BN_GENCB>::zeroed();
        let callback = callback.as_mut_ptr();
        lc::BN_GENCB_set(callback, Some(ask), (&raw mut asked).cast());
        let generated = lc::RSA_generate_key_ex(key.get(), bits, number.get(), callback);
        (key, succeeded(generated))
    };
    match asked.answer {
        Err(panic) => resume_unwind(panic),
        Ok(true) => return Err(Error::Cancelled),
        Ok(false) => generated?,
    }
    // SAFETY: an initialized builder and a live key.
    marshal(|builder| unsafe { lc::RSA_marshal_private_key(builder, key.get()) })
}
