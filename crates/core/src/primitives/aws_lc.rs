//! AWS-LC: its low-level functions, as EVP allocates a context and costs 50 to 150 ns a message.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;

use aws_lc_sys as lc;

use super::{Aes, AesInverse, Primitives, count};
use crate::Error;
use crate::cipher::text::Span;
use crate::wipe::{Plain, Secret, wipe_plain};

/// The library.
pub(crate) struct AwsLc;

/// Absorbs blocks with a context of `$context`. AWS-LC does not give out these compression
/// functions, but a state without a begun block is as good, and of a context that is thrown away
/// only some fields matter.
macro_rules! absorb {
    ($context:ty, $update:path, $words:ident, $blocks:ident
     $(, $field:ident = $value:literal)?) => {
        count(size_of_val($blocks));
        let mut state = MaybeUninit::<$context>::uninit();
        let fields = state.as_mut_ptr();
        // SAFETY: Update reads and writes the fields which are set here, reads the blocks, and
        // touches the buffer only where a message does not end at a block's border.
        unsafe {
            (*fields).h = *$words;
            (*fields).Nl = 0;
            (*fields).Nh = 0;
            (*fields).num = 0;
            $((*fields).$field = $value;)?
            $update(fields, $blocks.as_ptr().cast(), size_of_val($blocks));
            *$words = (*fields).h;
            wipe_plain(&mut (*fields).h);
        }
    };
}

impl Primitives for AwsLc {
    const NAME: &'static str = "AWS-LC";
    type Aes = lc::AES_KEY;
    type AesInverse = Inverse;

    fn version() -> &'static str {
        // SAFETY: returns a static string for every argument.
        let text: &'static CStr = unsafe { CStr::from_ptr(lc::OpenSSL_version(0)) };
        text.to_str().unwrap_or_default().split_whitespace().last().unwrap_or_default()
    }

    #[inline]
    fn md5(words: &mut [u32; 4], blocks: &[[u8; 64]]) {
        absorb!(lc::MD5_CTX, lc::MD5_Update, words, blocks);
    }

    #[inline]
    fn sha1(words: &mut [u32; 5], blocks: &[[u8; 64]]) {
        absorb!(lc::SHA_CTX, lc::SHA1_Update, words, blocks);
    }

    #[inline]
    fn ripemd160(words: &mut [u32; 5], blocks: &[[u8; 64]]) {
        absorb!(lc::RIPEMD160_CTX, lc::RIPEMD160_Update, words, blocks);
    }

    #[inline]
    fn sha256(words: &mut [u32; 8], blocks: &[[u8; 64]]) {
        count(size_of_val(blocks));
        // SAFETY: the function reads as many blocks as said and updates eight words.
        unsafe {
            lc::SHA256_TransformBlocks(words.as_mut_ptr(), blocks.as_ptr().cast(), blocks.len())
        }
    }

    #[inline]
    fn sha512(words: &mut [u64; 8], blocks: &[[u8; 128]]) {
        absorb!(lc::SHA512_CTX, lc::SHA512_Update, words, blocks, md_len = 64);
    }

    // SAFETY: as in the trait.
    #[inline]
    unsafe fn chacha20(key: &[u8; 32], nonce: &[u8; 12], block: u32, text: Span) {
        let Span { source, target, size } = text;
        count(size);
        // SAFETY: source and target have `size` bytes and are equal or disjoint. Key and nonce have
        // the sizes which the function reads.
        unsafe {
            lc::CRYPTO_chacha_20(target, source, size, key.as_ptr(), nonce.as_ptr(), block);
        }
    }

    #[inline]
    fn equal(one: &[u8], other: &[u8]) -> bool {
        debug_assert!(one.len() == other.len());
        let size = one.len().min(other.len());
        // SAFETY: both have that many bytes.
        unsafe { lc::CRYPTO_memcmp(one.as_ptr().cast(), other.as_ptr().cast(), size) == 0 }
    }
}

impl Aes for lc::AES_KEY {
    const LIBRARY: &'static str = AwsLc::NAME;

    #[inline]
    fn prepare(place: &mut MaybeUninit<Self>, key: &[u8]) -> Result<(), Error> {
        // SAFETY: the key has as many bits as said, and the struct has room for the longest
        // schedule.
        let failed = unsafe {
            lc::AES_set_encrypt_key(key.as_ptr(), key.len() as u32 * 8, place.as_mut_ptr())
        };
        if failed == 0 { Ok(()) } else { Err(Error::Engine) }
    }

    #[inline]
    fn encrypt(&self, block: &mut [u8; 16]) {
        count(block.len());
        // SAFETY: reads and writes a block in place.
        unsafe { lc::AES_encrypt(block.as_ptr(), block.as_mut_ptr(), self) }
    }

    // SAFETY: as in the trait.
    #[inline]
    unsafe fn counter_mode(&self, iv: &[u8; 16], text: Span) {
        let Span { source, target, size } = text;
        count(size);
        let mut counter = *iv;
        // When the text ends within a block, the rest of that block's keystream is left here.
        let mut keystream = Secret::<16>::zeros();
        let mut used = 0;
        // SAFETY: source and target have `size` bytes and are equal or disjoint. The length is a
        // size_t, and AWS-LC carries the counter over all 128 bits.
        unsafe {
            lc::AES_ctr128_encrypt(
                source,
                target,
                size,
                self,
                counter.as_mut_ptr(),
                keystream.0.as_mut_ptr(),
                &mut used,
            );
        }
    }
}

/// A key for decryption.
pub(crate) struct Inverse(lc::AES_KEY);

impl AesInverse for Inverse {
    const LIBRARY: &'static str = AwsLc::NAME;

    fn prepare(place: &mut MaybeUninit<Self>, key: &[u8]) -> Result<(), Error> {
        // SAFETY: as for encryption.
        let failed = unsafe {
            lc::AES_set_decrypt_key(
                key.as_ptr(),
                key.len() as u32 * 8,
                place.as_mut_ptr().cast::<lc::AES_KEY>(),
            )
        };
        if failed == 0 { Ok(()) } else { Err(Error::Engine) }
    }

    fn decrypt(&self, block: &mut [u8; 16]) {
        count(block.len());
        // SAFETY: reads and writes a block in place.
        unsafe { lc::AES_decrypt(block.as_ptr(), block.as_mut_ptr(), &self.0) }
    }
}

// SAFETY: a struct of integers.
unsafe impl Plain for lc::AES_KEY {}
// SAFETY: as above.
unsafe impl Plain for Inverse {}

/// AES for many blocks at once, each by itself: a context of EVP, whose ECB has the wide
/// instructions. Wiped on drop.
pub(crate) struct AesBlocks(*mut lc::EVP_CIPHER_CTX);

impl AesBlocks {
    /// Prepares a key of 16 or 32 bytes.
    pub(crate) fn new(key: &[u8]) -> Result<Self, Error> {
        // SAFETY: the functions return static tables; the key has the bytes that the cipher reads.
        // A context without memory is null.
        unsafe {
            let context = AesBlocks(lc::EVP_CIPHER_CTX_new());
            let cipher =
                if key.len() == 16 { lc::EVP_aes_128_ecb() } else { lc::EVP_aes_256_ecb() };
            let (none, nothing) = (ptr::null_mut(), ptr::null());
            let ready = !context.0.is_null()
                && matches!(key.len(), 16 | 32)
                && lc::EVP_EncryptInit_ex(context.0, cipher, none, key.as_ptr(), nothing) == 1
                && lc::EVP_CIPHER_CTX_set_padding(context.0, 0) == 1;
            if ready { Ok(context) } else { Err(Error::Engine) }
        }
    }

    /// Encrypts blocks.
    pub(crate) fn encrypt(&mut self, blocks: &mut [[u8; 16]]) -> Result<(), Error> {
        let bytes = blocks.as_flattened_mut();
        count(bytes.len());
        let (at, mut made) = (bytes.as_mut_ptr(), 0);
        let all = i32::try_from(bytes.len()).map_err(|_| Error::Engine)?;
        // SAFETY: whole blocks are encrypted in place.
        let done = unsafe { lc::EVP_EncryptUpdate(self.0, at, &mut made, at, all) };
        if done == 1 && made == all { Ok(()) } else { Err(Error::Engine) }
    }
}

impl Drop for AesBlocks {
    fn drop(&mut self) {
        // SAFETY: made by `EVP_CIPHER_CTX_new`, or null, which is allowed. All that it frees is
        // overwritten.
        unsafe { lc::EVP_CIPHER_CTX_free(self.0) }
    }
}

/// Returns an error, and leaves AWS-LC's error queue of this thread as clean as it was.
#[cold]
pub(crate) fn failed(error: Error) -> Error {
    // SAFETY: touches this thread's queue only.
    unsafe { lc::ERR_clear_error() };
    error
}
