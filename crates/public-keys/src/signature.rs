//! Signatures.

use millrace_core::catalog::Hash;

use crate::algorithm::Algorithm;
use crate::der::{self, Reader};
use crate::error::Error;
use crate::evp::{self, Digest, MlDsaInput, RsaPadding};
use crate::key::{Key, PrivateKey, PublicKey, max_salt_length};

/// How a message is signed.
#[derive(Copy, Clone, Debug)]
pub enum Scheme<'a> {
    /// Ed25519 (RFC 8032).
    Ed25519,
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
    /// ML-DSA of the message itself, hedged.
    MlDsa {
        /// The context, at most 255 bytes, mostly empty.
        context: &'a [u8],
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

/// What is signed.
#[derive(Copy, Clone, Debug)]
pub enum Input<'a> {
    /// The message, which is hashed here.
    Message(&'a [u8]),
    /// The digest of the message by the scheme's hash; for ML-DSA the 64 bytes that FIPS 204 calls
    /// mu, which contain the context. Ed25519 takes none.
    Digest(&'a [u8]),
}

impl Input<'_> {
    fn digest(self, hash: Hash) -> Result<Digest, Error> {
        match self {
            Input::Message(message) => evp::digest(hash, message),
            Input::Digest(digest) => Digest::given(hash, digest),
        }
    }

    /// Returns what ML-DSA signs.
    fn for_ml_dsa<'a>(self, context: &'a [u8]) -> Result<MlDsaInput<'a>, Error>
    where
        Self: 'a,
    {
        match self {
            Input::Message(_) if context.len() > 255 => Err(Error::ContextSize),
            Input::Message(message) => Ok(MlDsaInput::Message { message, context }),
            Input::Digest(_) if !context.is_empty() => Err(Error::ContextSize),
            Input::Digest(mu) if mu.len() == 64 => Ok(MlDsaInput::Mu(mu)),
            Input::Digest(_) => Err(Error::DigestSize),
        }
    }
}

/// Any salt length when verifying.
const ANY_SALT: i32 = -2;

impl Key {
    /// Returns an error unless this key takes the scheme.
    fn check(&self, scheme: &Scheme<'_>) -> Result<(), Error> {
        let takes = match scheme {
            Scheme::Ed25519 => self.algorithm == Algorithm::Ed25519,
            Scheme::Ecdsa { .. } => self.algorithm.is_nist_curve(),
            Scheme::RsaPkcs1 { .. } => self.algorithm == Algorithm::Rsa,
            Scheme::RsaPss { .. } => self.algorithm.is_rsa(),
            Scheme::MlDsa { .. } => self.algorithm.is_ml_dsa(),
        };
        let restriction = self.restriction.map(|restriction| (restriction.hash, restriction.mgf1));
        match scheme {
            _ if !takes => Err(Error::KeyType),
            Scheme::RsaPss { hash, mgf1, .. }
                if restriction.is_some_and(|both| both != (*hash, *mgf1)) =>
            {
                Err(Error::Hash)
            }
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

    fn signature_size(&self, scheme: &Scheme<'_>) -> Result<usize, Error> {
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
    pub fn signature_size(&self, scheme: &Scheme<'_>) -> Result<usize, Error> {
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
        scheme: &Scheme<'_>,
        input: Input<'_>,
        target: &mut [u8],
    ) -> Result<usize, Error> {
        let size = self.signature_size(scheme)?;
        let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
        let pkey = &self.0.pkey;
        match *scheme {
            Scheme::Ed25519 => {
                let Input::Message(message) = input else { return Err(Error::KeyType) };
                let target = target.first_chunk_mut().ok_or(Error::OutputSize)?;
                pkey.ed25519_sign(message, target)?;
            }
            Scheme::Ecdsa { hash, encoding } => {
                let (signature, size) = pkey.ecdsa_sign(input.digest(hash)?.as_ref())?;
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
                pkey.rsa_sign(hash, &RsaPadding::Pkcs1, input.digest(hash)?.as_ref(), target)?;
            }
            Scheme::RsaPss { hash, mgf1, salt_length } => {
                let length = match salt_length {
                    SaltLength::Auto => SaltLength::Max,
                    length => length,
                };
                let padding = RsaPadding::Pss(mgf1, self.0.salt_length(hash, length)?);
                pkey.rsa_sign(hash, &padding, input.digest(hash)?.as_ref(), target)?;
            }
            Scheme::MlDsa { context } => pkey.ml_dsa_sign(&input.for_ml_dsa(context)?, target)?,
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
        scheme: &Scheme<'_>,
        input: Input<'_>,
        signature: &[u8],
    ) -> Result<bool, Error> {
        let size = self.signature_size(scheme)?;
        let pkey = &self.0.pkey;
        match *scheme {
            Scheme::Ed25519 => match input {
                Input::Message(message) => Ok(signature
                    .try_into()
                    .is_ok_and(|signature| pkey.ed25519_verify(message, signature))),
                Input::Digest(_) => Err(Error::KeyType),
            },
            Scheme::Ecdsa { hash, encoding } => {
                let digest = input.digest(hash)?;
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
                let digest = input.digest(hash)?;
                pkey.rsa_verify(hash, &RsaPadding::Pkcs1, digest.as_ref(), signature)
            }
            Scheme::RsaPss { hash, mgf1, salt_length } => {
                let digest = input.digest(hash)?;
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
            Scheme::MlDsa { context } => pkey.ml_dsa_verify(&input.for_ml_dsa(context)?, signature),
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
