//! Authenticated encryption, by AWS-LC's `EVP_AEAD` on contexts of ours.

use std::mem::MaybeUninit;
use std::ptr;

use aws_lc_sys as lc;

use crate::Error;
use crate::catalog::Cipher;
use crate::cipher::contract::{AeadMessage, TAG};
use crate::cipher::text::{Span, pointers};
use crate::primitives::{count, failed};
use crate::wipe::{Secret, wiped_on_drop};

/// A context prepared with a key and the full tag.
///
/// May be moved: `EVP_AEAD_CTX` holds no pointer into itself (crypto/fipsmodule/cipher/aead.c),
/// only to static tables and functions. One of them looks at its own address: AES-GCM-SIV on x86-64
/// puts its schedule at the next multiple of 16 and refuses to work when that is no longer the same
/// distance away (`asm_ctx_from_ctx` in crypto/cipher_extra/e_aesgcmsiv.c). The alignment of this
/// type keeps that distance the same everywhere.
#[repr(C, align(16))]
pub(crate) struct AeadKey {
    context: MaybeUninit<lc::EVP_AEAD_CTX>,
    /// The key as it was given, for messages in parts, and its size; 0 before there is one.
    raw: MaybeUninit<[u8; 32]>,
    raw_size: usize,
}

// EVP_AEAD_CTX_cleanup does nothing for these ciphers, and does not wipe.
//
// SAFETY: zeros are a valid value of a `MaybeUninit` and of an integer.
wiped_on_drop!(unsafe AeadKey);

// SAFETY: the context's pointers are to static memory, so it may belong to any thread.
unsafe impl Send for AeadKey {}
// SAFETY: seal and open take a const context, and aead.h names every cipher here among those with
// a context that may be used concurrently.
unsafe impl Sync for AeadKey {}

impl AeadKey {
    /// Returns room for a key, to be prepared before use.
    #[inline]
    pub(crate) fn vacant() -> Self {
        Self { context: MaybeUninit::uninit(), raw: MaybeUninit::uninit(), raw_size: 0 }
    }

    /// Prepares `key`, which must have the cipher's key size.
    #[inline]
    pub(crate) fn prepare(&mut self, cipher: Cipher, key: &[u8]) -> Result<(), Error> {
        // SAFETY: the functions return static tables. Init writes the context, reads `key` with its
        // length, and does nothing else but fail for a length that is not the cipher's.
        let done = unsafe {
            let aead = match cipher {
                Cipher::Aes128Gcm => lc::EVP_aead_aes_128_gcm(),
                Cipher::Aes192Gcm => lc::EVP_aead_aes_192_gcm(),
                Cipher::Aes256Gcm => lc::EVP_aead_aes_256_gcm(),
                Cipher::ChaCha20Poly1305 => lc::EVP_aead_chacha20_poly1305(),
                Cipher::XChaCha20Poly1305 => lc::EVP_aead_xchacha20_poly1305(),
                Cipher::Aes128GcmSiv => lc::EVP_aead_aes_128_gcm_siv(),
                Cipher::Aes256GcmSiv => lc::EVP_aead_aes_256_gcm_siv(),
                _ => return Err(Error::NotSupported),
            };
            lc::EVP_AEAD_CTX_init(
                self.context.as_mut_ptr(),
                aead,
                key.as_ptr(),
                key.len(),
                TAG,
                ptr::null_mut(),
            )
        };
        if done != 1 {
            return Err(failed(Error::Engine));
        }
        match cipher {
            Cipher::Aes128Gcm | Cipher::Aes128GcmSiv => self.keep::<16>(key),
            Cipher::Aes192Gcm => self.keep::<24>(key),
            _ => self.keep::<32>(key),
        }
        Ok(())
    }

    /// Keeps the key.
    #[inline]
    fn keep<const SIZE: usize>(&mut self, key: &[u8]) {
        const { assert!(SIZE <= 32) };
        if let Some(key) = key.first_chunk::<SIZE>() {
            // SAFETY: the longest key has 32 bytes.
            unsafe { self.raw.as_mut_ptr().cast::<[u8; SIZE]>().write(*key) };
            self.raw_size = SIZE;
        }
    }

    /// Returns the key; empty before there is one.
    pub(crate) fn raw_key(&self) -> &[u8] {
        // SAFETY: that many bytes have been written.
        unsafe { std::slice::from_raw_parts(self.raw.as_ptr().cast(), self.raw_size) }
    }

    /// Encrypts, and writes the first `tag.len()` bytes of the tag.
    #[inline]
    pub(crate) fn seal(&self, message: AeadMessage<'_>, tag: &mut [u8]) -> Result<(), Error> {
        if tag.len() == TAG {
            return self.seal_full(message, tag);
        }
        let mut full = Secret::<TAG>::zeros();
        let result = self.seal_full(message, &mut full.0);
        tag.copy_from_slice(&full.0[..tag.len()]);
        result
    }

    #[inline]
    fn seal_full(&self, message: AeadMessage<'_>, tag: &mut [u8]) -> Result<(), Error> {
        let mut tag_size = 0;
        let AeadMessage { nonce, aad, text } = message;
        let Span { source, target, size } = pointers(text);
        count(size);
        // SAFETY: `prepare` has initialised the context (a state in which it failed becomes
        // vacant). Each pointer goes with the length of its slice; source and target have `size`
        // bytes and are equal or disjoint, and the tag, being borrowed mutably, is apart from all.
        let done = unsafe {
            lc::EVP_AEAD_CTX_seal_scatter(
                self.context.as_ptr(),
                target,
                tag.as_mut_ptr(),
                &mut tag_size,
                tag.len(),
                nonce.as_ptr(),
                nonce.len(),
                source,
                size,
                ptr::null(),
                0,
                aad.as_ptr(),
                aad.len(),
            )
        };
        if done == 1 { Ok(()) } else { Err(failed(Error::Engine)) }
    }

    /// Decrypts if the tag matches; otherwise the target is zero.
    #[inline]
    pub(crate) fn open(&self, message: AeadMessage<'_>, tag: &[u8]) -> Result<(), Error> {
        if tag.len() == TAG {
            return self.open_exact(message, tag);
        }
        // A context knows its tag's length, so a short tag needs another: a copy, which costs less
        // than preparing the key again.
        let mut short = AeadKey { context: self.context, ..AeadKey::vacant() };
        // SAFETY: the context is initialised as above. For the ciphers with short tags the copy
        // that AWS-LC itself makes is the same (`aead_ctx_copy_state_trivial`).
        unsafe { (*short.context.as_mut_ptr()).tag_len = tag.len() as u8 };
        short.open_exact(message, tag)
    }

    #[inline]
    fn open_exact(&self, message: AeadMessage<'_>, tag: &[u8]) -> Result<(), Error> {
        let AeadMessage { nonce, aad, text } = message;
        let Span { source, target, size } = pointers(text);
        count(size);
        // SAFETY: as in `seal_full`; the tag is only read.
        let done = unsafe {
            lc::EVP_AEAD_CTX_open_gather(
                self.context.as_ptr(),
                target,
                nonce.as_ptr(),
                nonce.len(),
                source,
                size,
                tag.as_ptr(),
                tag.len(),
                aad.as_ptr(),
                aad.len(),
            )
        };
        if done == 1 { Ok(()) } else { Err(failed(Error::Authentication)) }
    }
}
