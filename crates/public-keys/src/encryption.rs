//! RSA encryption. What is missing, decryption of PKCS#1 v1.5, is explained in the crate's
//! documentation.

use crate::error::Error;
use crate::key::{Key, PrivateKey, PublicKey};
use crate::parameters::Oaep;

impl Key {
    /// Returns the part of the target that an operation of RSA writes.
    fn block<'a>(&self, target: &'a mut [u8]) -> Result<&'a mut [u8], Error> {
        if !self.algorithm.facts().encrypts {
            return Err(Error::KeyType);
        }
        target.get_mut(..self.modulus_bytes()).ok_or(Error::OutputSize)
    }
}

impl PublicKey {
    /// Encrypts with OAEP to the front of the target, and returns the size of the ciphertext, which
    /// is the modulus's. The message has at most that less two digests of the hash and 2 bytes.
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is an RSA key, which RSA-PSS is not; [`Error::OutputSize`];
    /// [`Error::MessageTooLong`]; [`Error::Memory`].
    pub fn encrypt_oaep(
        &self,
        oaep: &Oaep<'_>,
        message: &[u8],
        target: &mut [u8],
    ) -> Result<usize, Error> {
        let target = self.0.block(target)?;
        self.0.pkey.rsa_encrypt_oaep(oaep, message, target)?;
        Ok(target.len())
    }

    /// Encrypts with PKCS#1 v1.5 to the front of the target, and returns the size of the
    /// ciphertext, which is the modulus's. The message has at most that less 11 bytes.
    ///
    /// # Errors
    /// As [`encrypt_oaep`](Self::encrypt_oaep).
    pub fn encrypt_pkcs1(&self, message: &[u8], target: &mut [u8]) -> Result<usize, Error> {
        let target = self.0.block(target)?;
        self.0.pkey.rsa_encrypt_pkcs1(message, target)?;
        Ok(target.len())
    }
}

impl PrivateKey {
    /// Decrypts OAEP to the front of the target, which has the size of the modulus, and returns the
    /// size of the message.
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is an RSA key; [`Error::OutputSize`];
    /// [`Error::CiphertextSize`]; [`Error::Decryption`].
    pub fn decrypt_oaep(
        &self,
        oaep: &Oaep<'_>,
        ciphertext: &[u8],
        target: &mut [u8],
    ) -> Result<usize, Error> {
        let target = self.0.block(target)?;
        if ciphertext.len() != target.len() {
            return Err(Error::CiphertextSize);
        }
        self.0.pkey.rsa_decrypt_oaep(oaep, ciphertext, target)
    }
}
