//! Operations with keys. ECDSA, ECDH, Ed25519, X25519 and RSA signatures use AWS-LC's low-level
//! functions, as contexts of EVP allocate several times a call.

use std::ffi::c_int;
use std::ptr;

use aws_lc_sys as lc;
use millrace_core::catalog::Hash;
use zeroize::Zeroizing;

use super::{Owned, Pkey, failure, succeeded};
use crate::error::Error;
use crate::parameters::{Input, KeyCipher, Oaep};

// SAFETY: initializes a context, as `oaep_context` calls it.
type Initialize = unsafe extern "C" fn(*mut lc::EVP_PKEY_CTX) -> c_int;

// SAFETY: initializes a context for a key, as `ml_dsa_context` calls it.
type InitializeDigest = unsafe extern "C" fn(
    *mut lc::EVP_MD_CTX,
    *mut *mut lc::EVP_PKEY_CTX,
    *const lc::EVP_MD,
    *mut lc::ENGINE,
    *mut lc::EVP_PKEY,
) -> c_int;

/// The longest DER signature of P-521, as AWS-LC estimates it.
pub(crate) const ECDSA_MAX_BYTES: usize = 141;

/// A digest of a message.
pub(crate) struct Digest {
    bytes: [u8; lc::EVP_MAX_MD_SIZE as usize],
    size: usize,
}

impl Digest {
    /// Copies a digest, which has the size of the hash's.
    pub(crate) fn given(hash: Hash, digest: &[u8]) -> Result<Digest, Error> {
        let mut copy = Digest::empty(hash)?;
        if digest.len() != copy.size {
            return Err(Error::DigestSize);
        }
        copy.bytes[..digest.len()].copy_from_slice(digest);
        Ok(copy)
    }

    fn empty(hash: Hash) -> Result<Digest, Error> {
        md(hash)?;
        Ok(Digest { bytes: [0; _], size: hash.facts().digest_size })
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.size]
    }
}

/// Hashes a message.
pub(crate) fn digest(hash: Hash, message: &[u8]) -> Result<Digest, Error> {
    let (table, mut digest) = (md(hash)?, Digest::empty(hash)?);
    let (bytes, size, none) = (digest.bytes.as_mut_ptr(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: reads the message, and writes a digest, which has at most `EVP_MAX_MD_SIZE` bytes.
    let done =
        unsafe { lc::EVP_Digest(message.as_ptr().cast(), message.len(), bytes, size, table, none) };
    succeeded(done).map(|()| digest)
}

/// Fills the target with random bytes.
pub(crate) fn random(target: &mut [u8]) -> Result<(), Error> {
    // SAFETY: writes the target.
    succeeded(unsafe { lc::RAND_bytes(target.as_mut_ptr(), target.len()) })
}

/// Encrypts or decrypts with CBC and the padding of PKCS#7. Wrong padding is a wrong password.
pub(crate) fn cbc(
    cipher: KeyCipher,
    encrypts: bool,
    key: &[u8],
    iv: &[u8],
    source: &[u8],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let length = c_int::try_from(source.len()).map_err(|_| Error::KeySize)?;
    // SAFETY: the functions return static tables and their sizes, and a new context or null.
    let (table, key_size, iv_size, owner) = unsafe {
        let table = match cipher {
            KeyCipher::Aes128Cbc => lc::EVP_aes_128_cbc(),
            KeyCipher::Aes192Cbc => lc::EVP_aes_192_cbc(),
            KeyCipher::Aes256Cbc => lc::EVP_aes_256_cbc(),
            KeyCipher::DesEde3Cbc => lc::EVP_des_ede3_cbc(),
        };
        let (key_size, iv_size) =
            (lc::EVP_CIPHER_key_length(table), lc::EVP_CIPHER_iv_length(table));
        (table, key_size, iv_size, Owned::new(lc::EVP_CIPHER_CTX_new(), Error::Memory)?)
    };
    if key.len() != key_size as usize || iv.len() != iv_size as usize {
        return Err(Error::Encoding);
    }
    // Padding adds a block at most.
    let mut result = Zeroizing::new(Vec::new());
    result.try_reserve_exact(source.len() + 16).map_err(|_| Error::Memory)?;
    result.resize(source.len() + 16, 0);
    let (target, mut first, mut last) = (result.as_mut_ptr(), 0, 0);
    // SAFETY: reads key and IV of the cipher's sizes, and the source; writes at most as many bytes
    // as the source has, and a block.
    unsafe {
        let (context, none) = (owner.get(), ptr::null_mut());
        let (key, iv) = (key.as_ptr(), iv.as_ptr());
        succeeded(lc::EVP_CipherInit_ex(context, table, none, key, iv, encrypts.into()))?;
        let (source, written) = (source.as_ptr(), &raw mut first);
        succeeded(lc::EVP_CipherUpdate(context, target, written, source, length))?;
        if lc::EVP_CipherFinal_ex(context, target.add(first as usize), &raw mut last) != 1 {
            return Err(failure(Error::Password));
        }
    }
    result.truncate((first + last) as usize);
    Ok(result)
}

/// Returns true for the hashes that signatures and OAEP take: SHA-1, SHA-2 and SHA-3.
pub fn takes(hash: Hash) -> bool {
    md(hash).is_ok()
}

fn md(hash: Hash) -> Result<*const lc::EVP_MD, Error> {
    // SAFETY: the functions return static tables.
    unsafe {
        Ok(match hash {
            Hash::Sha1 => lc::EVP_sha1(),
            Hash::Sha224 => lc::EVP_sha224(),
            Hash::Sha256 => lc::EVP_sha256(),
            Hash::Sha384 => lc::EVP_sha384(),
            Hash::Sha512 => lc::EVP_sha512(),
            Hash::Sha512_224 => lc::EVP_sha512_224(),
            Hash::Sha512_256 => lc::EVP_sha512_256(),
            Hash::Sha3_224 => lc::EVP_sha3_224(),
            Hash::Sha3_256 => lc::EVP_sha3_256(),
            Hash::Sha3_384 => lc::EVP_sha3_384(),
            Hash::Sha3_512 => lc::EVP_sha3_512(),
            _ => return Err(Error::Hash),
        })
    }
}

/// Returns the hash of a table of AWS-LC, of those that restrict a key.
pub(super) fn hash_of(table: *const lc::EVP_MD) -> Option<Hash> {
    [Hash::Sha1, Hash::Sha224, Hash::Sha256, Hash::Sha384, Hash::Sha512]
        .into_iter()
        .find(|hash| md(*hash) == Ok(table))
}

/// Returns true if a signature matched.
fn matched(status: c_int) -> bool {
    if status != 1 {
        failure(Error::Engine);
    }
    status == 1
}

/// Ed25519 and X25519.
impl Pkey {
    pub(crate) fn ed25519_sign(&self, message: &[u8], target: &mut [u8; 64]) -> Result<(), Error> {
        // RFC 8032's private key, then the public key.
        let mut key = Zeroizing::new([0; 64]);
        let (seed, public) = key.split_at_mut(32);
        if !(self.raw_private(seed) && self.raw_public(public)) {
            return Err(Error::KeyType);
        }
        let target = target.as_mut_ptr();
        // SAFETY: reads the message and 64 bytes of the key, writes 64 bytes.
        succeeded(unsafe {
            lc::ED25519_sign(target, message.as_ptr(), message.len(), key.as_ptr())
        })
    }

    pub(crate) fn ed25519_verify(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        let mut key = [0; 32];
        let (bytes, size) = (message.as_ptr(), message.len());
        // SAFETY: reads the message, 64 bytes of the signature and 32 of the key.
        self.raw_public(&mut key)
            && matched(unsafe { lc::ED25519_verify(bytes, size, signature.as_ptr(), key.as_ptr()) })
    }

    pub(crate) fn x25519(&self, peer: &Pkey, target: &mut [u8; 32]) -> Result<(), Error> {
        let (mut key, mut public) = (Zeroizing::new([0; 32]), [0; 32]);
        if !(self.raw_private(&mut key[..]) && peer.raw_public(&mut public)) {
            return Err(Error::KeyType);
        }
        // SAFETY: reads 32 bytes of each key, writes 32 bytes.
        match unsafe { lc::X25519(target.as_mut_ptr(), key.as_ptr(), public.as_ptr()) } {
            1 => Ok(()),
            _ => Err(failure(Error::SmallOrder)),
        }
    }
}

/// The curves of NIST.
impl Pkey {
    /// Returns a signature in DER and its size.
    pub(crate) fn ecdsa_sign(
        &self,
        digest: &[u8],
    ) -> Result<([u8; ECDSA_MAX_BYTES], usize), Error> {
        let (key, mut signature, mut size) = (self.ec()?, [0; ECDSA_MAX_BYTES], 0);
        let target = signature.as_mut_ptr();
        // SAFETY: a live key; reads the digest, writes at most as many bytes as P-521 needs. The
        // first argument is ignored.
        succeeded(unsafe {
            lc::ECDSA_sign(0, digest.as_ptr(), digest.len(), target, &raw mut size, key)
        })?;
        Ok((signature, size as usize))
    }

    /// Verifies a signature in DER.
    pub(crate) fn ecdsa_verify(&self, digest: &[u8], signature: &[u8]) -> Result<bool, Error> {
        let key = self.ec()?;
        let (bytes, size) = (signature.as_ptr(), signature.len());
        // SAFETY: a live key; reads digest and signature. The first argument is ignored.
        Ok(matched(unsafe { lc::ECDSA_verify(0, digest.as_ptr(), digest.len(), bytes, size, key) }))
    }

    /// Fills the target, which has the size of a coordinate.
    pub(crate) fn ecdh(&self, peer: &Pkey, target: &mut [u8]) -> Result<(), Error> {
        let (key, peer) = (self.ec()?, peer.ec()?);
        let (bytes, size) = (target.as_mut_ptr().cast(), target.len());
        // SAFETY: live keys, of the same curve or refused; writes at most the target.
        let made = unsafe {
            lc::ECDH_compute_key(bytes, size, lc::EC_KEY_get0_public_key(peer), key, None)
        };
        if usize::try_from(made) == Ok(size) { Ok(()) } else { Err(failure(Error::InvalidKey)) }
    }
}

/// The padding of an RSA signature.
pub(crate) enum RsaPadding {
    Pkcs1,
    /// With the hash of MGF1 and the bytes of salt; -2 for the most when signing, for any when
    /// verifying.
    Pss(Hash, c_int),
}

/// RSA.
impl Pkey {
    /// Signs a digest of this hash. The target has the size of the modulus.
    pub(crate) fn rsa_sign(
        &self,
        hash: Hash,
        padding: &RsaPadding,
        digest: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        let (key, mut made, mut written) = (self.rsa_for(target)?, 0, 0);
        let (source, length) = (digest.as_ptr(), digest.len());
        let (bytes, size, table) = (target.as_mut_ptr(), target.len(), md(hash)?);
        // SAFETY: a live key; reads the digest and writes as many bytes as the modulus has.
        succeeded(unsafe {
            let (made, written) = (&raw mut made, &raw mut written);
            match *padding {
                RsaPadding::Pkcs1 => {
                    lc::RSA_sign(lc::EVP_MD_type(table), source, length, bytes, made, key)
                }
                RsaPadding::Pss(mgf1, salt) => lc::RSA_sign_pss_mgf1(
                    key,
                    written,
                    bytes,
                    size,
                    source,
                    length,
                    table,
                    md(mgf1)?,
                    salt,
                ),
            }
        })
    }

    /// Verifies a signature of a digest of this hash.
    pub(crate) fn rsa_verify(
        &self,
        hash: Hash,
        padding: &RsaPadding,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, Error> {
        let (key, table) = (self.rsa()?, md(hash)?);
        let (source, length) = (digest.as_ptr(), digest.len());
        let (bytes, size) = (signature.as_ptr(), signature.len());
        // SAFETY: a live key; reads digest and signature.
        Ok(matched(unsafe {
            match *padding {
                RsaPadding::Pkcs1 => {
                    lc::RSA_verify(lc::EVP_MD_type(table), source, length, bytes, size, key)
                }
                RsaPadding::Pss(mgf1, salt) => {
                    let mgf1 = md(mgf1)?;
                    lc::RSA_verify_pss_mgf1(key, source, length, table, mgf1, salt, bytes, size)
                }
            }
        }))
    }

    /// Encrypts with PKCS#1 v1.5. The target has the size of the modulus.
    pub(crate) fn rsa_encrypt_pkcs1(&self, message: &[u8], target: &mut [u8]) -> Result<(), Error> {
        let (key, mut made) = (self.rsa_for(target)?, 0);
        let (bytes, size) = (target.as_mut_ptr(), target.len());
        let (source, length) = (message.as_ptr(), message.len());
        // SAFETY: a live key; reads the message and writes at most the target.
        succeeded(unsafe {
            let padding = lc::RSA_PKCS1_PADDING;
            lc::RSA_encrypt(key, &raw mut made, bytes, size, source, length, padding)
        })
    }

    /// Encrypts with OAEP. The target has the size of the modulus.
    pub(crate) fn rsa_encrypt_oaep(
        &self,
        oaep: &Oaep<'_>,
        message: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        let context = self.oaep_context(oaep, lc::EVP_PKEY_encrypt_init)?;
        let (bytes, mut size) = (target.as_mut_ptr(), target.len());
        // SAFETY: an initialized context; reads the message and writes at most the target.
        succeeded(unsafe {
            let (source, length) = (message.as_ptr(), message.len());
            lc::EVP_PKEY_encrypt(context.get(), bytes, &raw mut size, source, length)
        })
    }

    /// Decrypts OAEP and returns the size of the message. The target has the size of the modulus.
    pub(crate) fn rsa_decrypt_oaep(
        &self,
        oaep: &Oaep<'_>,
        ciphertext: &[u8],
        target: &mut [u8],
    ) -> Result<usize, Error> {
        let context = self.oaep_context(oaep, lc::EVP_PKEY_decrypt_init)?;
        let (bytes, mut size) = (target.as_mut_ptr(), target.len());
        // SAFETY: an initialized context; reads the ciphertext and writes at most the target.
        let status = unsafe {
            let (source, length) = (ciphertext.as_ptr(), ciphertext.len());
            lc::EVP_PKEY_decrypt(context.get(), bytes, &raw mut size, source, length)
        };
        if status != 1 {
            // One error for all reasons: to tell them apart would help to decrypt.
            failure(Error::Decryption);
            return Err(Error::Decryption);
        }
        Ok(size)
    }

    fn oaep_context(
        &self,
        oaep: &Oaep<'_>,
        initialize: Initialize,
    ) -> Result<Owned<lc::EVP_PKEY_CTX>, Error> {
        let owner = self.context()?;
        let context = owner.get();
        // SAFETY: a context of this key, initialized first. It takes over the copy of the label,
        // unless it fails.
        unsafe {
            succeeded(initialize(context))?;
            let padding = lc::RSA_PKCS1_OAEP_PADDING;
            succeeded(lc::EVP_PKEY_CTX_set_rsa_padding(context, padding))?;
            succeeded(lc::EVP_PKEY_CTX_set_rsa_oaep_md(context, md(oaep.hash)?))?;
            succeeded(lc::EVP_PKEY_CTX_set_rsa_mgf1_md(context, md(oaep.mgf1)?))?;
            if !oaep.label.is_empty() {
                let (bytes, size) = (oaep.label.as_ptr().cast(), oaep.label.len());
                let label = lc::OPENSSL_memdup(bytes, size);
                if label.is_null() {
                    return Err(failure(Error::Memory));
                }
                let taken = lc::EVP_PKEY_CTX_set0_rsa_oaep_label(context, label.cast(), size);
                if taken != 1 {
                    lc::OPENSSL_free(label);
                    return Err(failure(Error::Engine));
                }
            }
        }
        Ok(owner)
    }

    /// Returns the RSA key, after a check that the target has the size of its modulus.
    fn rsa_for(&self, target: &[u8]) -> Result<*mut lc::RSA, Error> {
        let key = self.rsa()?;
        // SAFETY: a live key.
        let size = unsafe { lc::RSA_size(key) };
        if target.len() == size as usize { Ok(key) } else { Err(Error::OutputSize) }
    }
}

/// ML-DSA and ML-KEM.
impl Pkey {
    pub(crate) fn ml_dsa_sign(&self, input: Input<'_>, target: &mut [u8]) -> Result<(), Error> {
        let Input { bytes: message, is_digest, context } = input;
        let (bytes, mut size) = (target.as_mut_ptr(), target.len());
        let (source, length) = (message.as_ptr(), message.len());
        if is_digest {
            let signer = self.context()?;
            // SAFETY: a context of this key; reads mu, writes at most the target.
            return unsafe {
                let signer = signer.get();
                succeeded(lc::EVP_PKEY_sign_init(signer))?;
                succeeded(lc::EVP_PKEY_sign(signer, bytes, &raw mut size, source, length))
            };
        }
        let signer = self.ml_dsa_context(context, lc::EVP_DigestSignInit)?;
        // SAFETY: an initialized context; reads the message, writes at most the target.
        succeeded(unsafe { lc::EVP_DigestSign(signer.get(), bytes, &raw mut size, source, length) })
    }

    pub(crate) fn ml_dsa_verify(&self, input: Input<'_>, signature: &[u8]) -> Result<bool, Error> {
        let Input { bytes: message, is_digest, context } = input;
        let (bytes, size) = (signature.as_ptr(), signature.len());
        let (source, length) = (message.as_ptr(), message.len());
        if is_digest {
            let verifier = self.context()?;
            // SAFETY: a context of this key; reads mu and signature.
            return unsafe {
                let verifier = verifier.get();
                succeeded(lc::EVP_PKEY_verify_init(verifier))?;
                Ok(matched(lc::EVP_PKEY_verify(verifier, bytes, size, source, length)))
            };
        }
        let verifier = self.ml_dsa_context(context, lc::EVP_DigestVerifyInit)?;
        // SAFETY: an initialized context; reads message and signature.
        Ok(matched(unsafe { lc::EVP_DigestVerify(verifier.get(), bytes, size, source, length) }))
    }

    fn ml_dsa_context(
        &self,
        context: &[u8],
        initialize: InitializeDigest,
    ) -> Result<Owned<lc::EVP_MD_CTX>, Error> {
        // SAFETY: a new context, initialized with a live key, of which it keeps a reference. The
        // inner context belongs to it and copies the bytes of ours.
        unsafe {
            let owner = Owned::new(lc::EVP_MD_CTX_new(), Error::Memory)?;
            let (mut inner, hash, key) = (ptr::null_mut(), ptr::null(), self.0.get());
            let engine = ptr::null_mut();
            succeeded(initialize(owner.get(), &raw mut inner, hash, engine, key))?;
            if !context.is_empty() {
                let (bytes, size) = (context.as_ptr(), context.len());
                succeeded(lc::EVP_PKEY_CTX_set1_signature_context_string(inner, bytes, size))?;
            }
            Ok(owner)
        }
    }

    /// Writes a ciphertext and the secret in it. The target has the ciphertext's size.
    pub(crate) fn encapsulate(
        &self,
        target: &mut [u8],
        secret: &mut [u8; 32],
    ) -> Result<(), Error> {
        let context = self.context()?;
        let (bytes, mut size, mut secret_size) = (target.as_mut_ptr(), target.len(), secret.len());
        // SAFETY: a context of this key; writes at most as many bytes as the sizes say.
        succeeded(unsafe {
            let (size, secret_size) = (&raw mut size, &raw mut secret_size);
            lc::EVP_PKEY_encapsulate(context.get(), bytes, size, secret.as_mut_ptr(), secret_size)
        })
    }

    /// Writes the secret of a ciphertext.
    pub(crate) fn decapsulate(
        &self,
        ciphertext: &[u8],
        secret: &mut [u8; 32],
    ) -> Result<(), Error> {
        let context = self.context()?;
        let (bytes, mut size) = (secret.as_mut_ptr(), secret.len());
        // SAFETY: a context of this key; reads the ciphertext, writes at most the secret.
        succeeded(unsafe {
            let (source, length) = (ciphertext.as_ptr(), ciphertext.len());
            lc::EVP_PKEY_decapsulate(context.get(), bytes, &raw mut size, source, length)
        })
    }
}
