//! Signatures.

use millrace_core::catalog::Hash;

use crate::algorithm::Algorithm;
use crate::der::{self, Reader};
use crate::error::Error;
use crate::evp::{self, Digest, RsaPadding};
use crate::key::{Key, PrivateKey, PublicKey, max_salt_length};
use crate::parameters::Input;

/// How a message is signed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// The only one of the algorithm: Ed25519 (RFC 8032), or ML-DSA of the message itself, hedged.
    Own,
    /// ECDSA, with a random nonce.
    Ecdsa {
        /// The hash of the message. Only its first bits count where the curve is smaller.
        hash: Hash,
        /// How the two numbers of a signature are written.
        encoding: EcdsaEncoding,
    },
    /// RSASSA-PKCS1-v1_5.
    RsaPkcs1 {
        /// The hash of the message.
        hash: Hash,
    },
    /// RSASSA-PSS.
    RsaPss {
        /// The hash of the message.
        hash: Hash,
        /// The hash of the mask generation function, mostly the same.
        mgf1: Hash,
        /// The bytes of salt.
        salt_length: SaltLength,
    },
}

/// How an ECDSA signature is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EcdsaEncoding {
    /// A SEQUENCE of two INTEGERs, of varying size.
    Der,
    /// Both numbers in the size of the curve's order, as IEEE P1363, WebCrypto and JOSE have it.
    P1363,
}

/// The bytes of salt in a PSS signature.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SaltLength {
    /// This many.
    Bytes(u32),
    /// As many as a digest has.
    Digest,
    /// As many as fit in the modulus.
    Max,
    /// When signing as [`Max`](Self::Max); when verifying whatever the signature has, which keys
    /// with a restriction do not take.
    Auto,
}

impl Input<'_> {
    fn hashed(self, hash: Hash) -> Result<Digest, Error> {
        if self.is_digest { Digest::given(hash, self.bytes) } else { evp::digest(hash, self.bytes) }
    }
}

/// Any salt length when verifying.
const ANY_SALT: i32 = -2;

impl Key {
    /// Returns an error unless this key takes the scheme.
    fn check(&self, scheme: Scheme) -> Result<(), Error> {
        let takes = match scheme {
            Scheme::Own => self.algorithm == Algorithm::Ed25519 || self.algorithm.is_ml_dsa(),
            Scheme::Ecdsa { .. } => self.algorithm.is_nist_curve(),
            Scheme::RsaPkcs1 { .. } => self.algorithm == Algorithm::Rsa,
            Scheme::RsaPss { .. } => self.algorithm.is_rsa(),
        };
        let restriction = self.restriction.map(|restriction| (restriction.hash, restriction.mgf1));
        match scheme {
            _ if !takes => Err(Error::KeyType),
            Scheme::RsaPss { hash, mgf1, .. }
                if restriction.is_some_and(|both| both != (hash, mgf1)) =>
            {
                Err(Error::Hash)
            }
            _ => Ok(()),
        }
    }

    /// Returns an error unless this key takes the input by its own scheme, or the context is empty.
    fn check_input(&self, input: Input<'_>) -> Result<(), Error> {
        let Input { bytes, is_digest, context } = input;
        match self.algorithm {
            Algorithm::Ed25519 if is_digest => Err(Error::KeyType),
            algorithm if algorithm.is_ml_dsa() && !is_digest => {
                if context.len() > 255 {
                    Err(Error::ContextSize)
                } else {
                    Ok(())
                }
            }
            _ if !context.is_empty() => Err(Error::ContextSize),
            algorithm if algorithm.is_ml_dsa() && bytes.len() != 64 => Err(Error::DigestSize),
            _ => Ok(()),
        }
    }

    /// Returns the bytes of salt, or [`ANY_SALT`].
    fn salt_length(&self, hash: Hash, length: SaltLength) -> Result<i32, Error> {
        let max = max_salt_length(self.modulus_bits(), hash).ok_or(Error::MessageTooLong)?;
        let bytes = match length {
            SaltLength::Bytes(bytes) => bytes,
            SaltLength::Digest => hash.facts().digest_size as u32,
            SaltLength::Max => max,
            SaltLength::Auto if self.restriction.is_none() => return Ok(ANY_SALT),
            SaltLength::Auto => return Err(Error::SaltLength),
        };
        let least = self.restriction.map_or(0, |restriction| restriction.salt_length);
        if (least..=max).contains(&bytes) { Ok(bytes as i32) } else { Err(Error::SaltLength) }
    }

    fn signature_size(&self, scheme: Scheme) -> Result<usize, Error> {
        self.check(scheme)?;
        let facts = self.algorithm.facts();
        Ok(match scheme {
            Scheme::RsaPkcs1 { .. } | Scheme::RsaPss { .. } => self.modulus_bytes(),
            Scheme::Ecdsa { encoding: EcdsaEncoding::P1363, .. } => 2 * facts.private_key,
            _ => facts.signature,
        })
    }
}

macro_rules! signature_size {
    ($($key:ident),*) => {$(impl $key {
    /// Returns the most bytes that a signature has. All but ECDSA's in DER have just as many.
    ///
    /// # Errors
    /// [`Error::KeyType`] if keys of this algorithm do not sign so; [`Error::Hash`] if a restricted
    /// key takes other hashes.
    pub fn signature_size(&self, scheme: Scheme) -> Result<usize, Error> {
        self.0.signature_size(scheme)
    }
    })*};
}

signature_size!(PrivateKey, PublicKey);

impl PrivateKey {
    /// Signs, and returns the size of the signature at the front of the target, which has at least
    /// [`signature_size`](Self::signature_size) bytes.
    ///
    /// # Errors
    /// As [`signature_size`](Self::signature_size); [`Error::OutputSize`], [`Error::DigestSize`],
    /// [`Error::SaltLength`], [`Error::ContextSize`]; [`Error::MessageTooLong`] if the modulus is
    /// too short for this hash; [`Error::Memory`].
    pub fn sign(
        &self,
        scheme: Scheme,
        input: Input<'_>,
        target: &mut [u8],
    ) -> Result<usize, Error> {
        let size = self.signature_size(scheme)?;
        self.0.check_input(input)?;
        let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
        let pkey = &self.0.pkey;
        match scheme {
            Scheme::Own if self.0.algorithm == Algorithm::Ed25519 => {
                let target = target.first_chunk_mut().ok_or(Error::OutputSize)?;
                pkey.ed25519_sign(input.bytes, target)?;
            }
            Scheme::Own => pkey.ml_dsa_sign(input, target)?,
            Scheme::Ecdsa { hash, encoding } => {
                let (signature, size) = pkey.ecdsa_sign(input.hashed(hash)?.as_ref())?;
                let signature = &signature[..size];
                match encoding {
                    EcdsaEncoding::Der => {
                        let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
                        target.copy_from_slice(signature);
                        return Ok(size);
                    }
                    EcdsaEncoding::P1363 => der_to_p1363(signature, target).ok_or(Error::Engine)?,
                }
            }
            Scheme::RsaPkcs1 { hash } => {
                pkey.rsa_sign(hash, &RsaPadding::Pkcs1, input.hashed(hash)?.as_ref(), target)?;
            }
            Scheme::RsaPss { hash, mgf1, salt_length } => {
                let length = match salt_length {
                    SaltLength::Auto => SaltLength::Max,
                    length => length,
                };
                let padding = RsaPadding::Pss(mgf1, self.0.salt_length(hash, length)?);
                pkey.rsa_sign(hash, &padding, input.hashed(hash)?.as_ref(), target)?;
            }
        }
        Ok(size)
    }
}

impl PublicKey {
    /// Returns true if the signature is that of the input. Returns false for signatures of any
    /// other size or content.
    ///
    /// # Errors
    /// As [`signature_size`](Self::signature_size); [`Error::DigestSize`], [`Error::ContextSize`];
    /// [`Error::SaltLength`] if a restricted key demands another one; [`Error::Memory`].
    pub fn verify(
        &self,
        scheme: Scheme,
        input: Input<'_>,
        signature: &[u8],
    ) -> Result<bool, Error> {
        let size = self.signature_size(scheme)?;
        self.0.check_input(input)?;
        let pkey = &self.0.pkey;
        match scheme {
            Scheme::Own if self.0.algorithm == Algorithm::Ed25519 => Ok(signature
                .try_into()
                .is_ok_and(|signature| pkey.ed25519_verify(input.bytes, signature))),
            Scheme::Own => pkey.ml_dsa_verify(input, signature),
            Scheme::Ecdsa { hash, encoding } => {
                let digest = input.hashed(hash)?;
                match encoding {
                    EcdsaEncoding::Der => pkey.ecdsa_verify(digest.as_ref(), signature),
                    EcdsaEncoding::P1363 if signature.len() == size => {
                        let (r, s) = signature.split_at(size / 2);
                        let (r, s) = (der::unsigned(r)?, der::unsigned(s)?);
                        let signature = der::element(der::SEQUENCE, &[&r, &s])?;
                        pkey.ecdsa_verify(digest.as_ref(), &signature)
                    }
                    EcdsaEncoding::P1363 => Ok(false),
                }
            }
            Scheme::RsaPkcs1 { hash } => {
                let digest = input.hashed(hash)?;
                pkey.rsa_verify(hash, &RsaPadding::Pkcs1, digest.as_ref(), signature)
            }
            Scheme::RsaPss { hash, mgf1, salt_length } => {
                let digest = input.hashed(hash)?;
                match self.0.salt_length(hash, salt_length) {
                    Ok(salt) => {
                        let padding = RsaPadding::Pss(mgf1, salt);
                        pkey.rsa_verify(hash, &padding, digest.as_ref(), signature)
                    }
                    // No signature has so much salt, or such a digest.
                    Err(_) if self.0.restriction.is_none() => Ok(false),
                    Err(error) => Err(error),
                }
            }
        }
    }
}

/// Writes the two numbers of a signature into the halves of the target.
fn der_to_p1363(signature: &[u8], target: &mut [u8]) -> Option<()> {
    let mut numbers = Reader::only(signature, der::SEQUENCE)?;
    let (r, s) = target.split_at_mut(target.len() / 2);
    for half in [r, s] {
        let number = numbers.unsigned()?;
        let zeros = half.len().checked_sub(number.len())?;
        half[..zeros].fill(0);
        half[zeros..].copy_from_slice(number);
    }
    Some(())
}
