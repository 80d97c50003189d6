//! Incremental AES-GCM, by AWS-LC's `EVP_CIPHER`.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use aws_lc_sys as lc;

use crate::Error;
use crate::catalog::Cipher;
use crate::cipher::text::{Span, pointers};
use crate::inputs::Text;
use crate::primitives::{count, failed};

/// The most bytes of one call: their number is a `c_int`.
const CALL_MAX: usize = 1 << 30;

/// A context on AWS-LC's heap, which wipes what it frees.
pub(crate) struct Gcm(NonNull<lc::EVP_CIPHER_CTX>);

// SAFETY: the context is owned, and its pointers are to itself and to static tables.
unsafe impl Send for Gcm {}

impl Gcm {
    /// Begins a message under a key and a nonce of any size but zero.
    pub(crate) fn new(
        cipher: Cipher,
        encrypt: bool,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Self, Error> {
        let mut gcm = Gcm::vacant()?;
        let context = gcm.0.as_ptr();
        // SAFETY: the functions return static tables. The context is a new one; the key has as many
        // bytes as the cipher takes, the nonce as many as are set.
        unsafe {
            let method = match cipher {
                Cipher::Aes128Gcm => lc::EVP_aes_128_gcm(),
                Cipher::Aes192Gcm => lc::EVP_aes_192_gcm(),
                _ => lc::EVP_aes_256_gcm(),
            };
            let (none, encrypt) = (ptr::null_mut(), c_int::from(encrypt));
            if nonce.len() == 12 {
                let (key, nonce) = (key.as_ptr(), nonce.as_ptr());
                done(lc::EVP_CipherInit_ex(context, method, none, key, nonce, encrypt))?;
            } else {
                let nothing = ptr::null();
                done(lc::EVP_CipherInit_ex(context, method, none, nothing, nothing, encrypt))?;
                gcm.control(lc::EVP_CTRL_AEAD_SET_IVLEN, nonce.len(), ptr::null_mut())?;
                let (key, nonce) = (key.as_ptr(), nonce.as_ptr());
                done(lc::EVP_CipherInit_ex(context, ptr::null(), none, key, nonce, encrypt))?;
            }
        }
        for aad in aad.chunks(CALL_MAX) {
            // SAFETY: without a target the bytes are additional data.
            unsafe { gcm.run(aad.as_ptr(), ptr::null_mut(), aad.len())? };
        }
        Ok(gcm)
    }

    fn vacant() -> Result<Self, Error> {
        // SAFETY: allocates and initialises; null if memory is short.
        let context = unsafe { lc::EVP_CIPHER_CTX_new() };
        NonNull::new(context).map(Gcm).ok_or(Error::Memory { needed: 1024 })
    }

    /// Encrypts or decrypts the next bytes.
    #[inline]
    pub(crate) fn update(&mut self, text: Text<'_>) -> Result<(), Error> {
        let Span { source, target, size } = pointers(text);
        let mut at = 0;
        while at < size {
            let count = (size - at).min(CALL_MAX);
            // SAFETY: source and target have `size` bytes and are equal or disjoint.
            unsafe { self.run(source.add(at), target.add(at), count)? };
            at += count;
        }
        Ok(())
    }

    /// # Safety
    /// Source and target have `size` bytes, at most [`CALL_MAX`], and are equal or disjoint.
    /// Without a target the bytes are additional data.
    #[inline]
    unsafe fn run(&mut self, source: *const u8, target: *mut u8, size: usize) -> Result<(), Error> {
        let mut written = 0;
        count(size);
        // SAFETY: source has `size` bytes, which fit a c_int, and so does the target, if there is
        // one. The context was initialised with key and nonce.
        unsafe {
            let context = self.0.as_ptr();
            done(lc::EVP_CipherUpdate(context, target, &mut written, source, size as c_int))
        }
    }

    /// Ends an encryption, and writes the first bytes of the tag.
    pub(crate) fn tag(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.finish()?;
        // SAFETY: writes as many bytes as the tag has, at most 16.
        unsafe { self.control(lc::EVP_CTRL_AEAD_GET_TAG, tag.len(), tag.as_mut_ptr()) }
    }

    /// Ends a decryption, and checks the tag.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        // SAFETY: reads as many bytes as the tag has, at most 16.
        unsafe { self.control(lc::EVP_CTRL_AEAD_SET_TAG, tag.len(), tag.as_ptr().cast_mut())? };
        self.finish().map_err(|_| Error::Authentication)
    }

    fn finish(&mut self) -> Result<(), Error> {
        let (mut none, mut written) = ([0; 16], 0);
        // SAFETY: GCM writes no more text at the end.
        unsafe { done(lc::EVP_CipherFinal_ex(self.0.as_ptr(), none.as_mut_ptr(), &mut written)) }
    }

    /// # Safety
    /// The pointer is that of as many bytes as the command takes with the number `size`.
    unsafe fn control(&mut self, command: i32, size: usize, at: *mut u8) -> Result<(), Error> {
        // SAFETY: the command reads or writes `size` bytes at the pointer, in a context that is
        // initialised.
        unsafe { done(lc::EVP_CIPHER_CTX_ctrl(self.0.as_ptr(), command, size as c_int, at.cast())) }
    }

    /// Returns an independent copy.
    pub(crate) fn copy(&self) -> Result<Self, Error> {
        let copy = Gcm::vacant()?;
        // SAFETY: a new context, and an initialised one.
        unsafe { done(lc::EVP_CIPHER_CTX_copy(copy.0.as_ptr(), self.0.as_ptr()))? };
        Ok(copy)
    }
}

impl Drop for Gcm {
    fn drop(&mut self) {
        // SAFETY: the context is owned. What it frees is wiped (`OPENSSL_free` in crypto/mem.c).
        unsafe { lc::EVP_CIPHER_CTX_free(self.0.as_ptr()) }
    }
}

#[inline]
fn done(result: c_int) -> Result<(), Error> {
    if result == 1 { Ok(()) } else { Err(failed(Error::Engine)) }
}
