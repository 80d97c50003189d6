//! MD5, SHA-1, RIPEMD-160 and MD5-SHA1, by AWS-LC on states of ours.

use std::mem::MaybeUninit;

use aws_lc_sys as lc;

use super::Digest;
use super::kdf::pbkdf2::iteration::{HmacIteration, iterate_in_words};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::lanes;
use super::state::{Reader, Writer};
use super::wipe::{Plain, wipe_plain};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::checkpoint::DigestSink;
use crate::inputs::Params;

/// Defines a [`Digest`] of an AWS-LC state and its three functions.
macro_rules! aws_lc_digest {
    ($(#[$doc:meta])* $name:ident, $state:ty, $words:literal, $block:literal, $size:literal,
     $init:path, $update:path, $finish:path $(, $lanes:ident on $arch:meta
     $(, $iterations:ident)?)?) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name($state);

        // SAFETY: the state is a C struct of integers and arrays of integers.
        unsafe impl Plain for $name {}

        impl Digest for $name {
            const BLOCK: usize = $block;
            const SIZE: usize = $size;

            #[inline]
            fn new(_params: &Params<'_>) -> Self {
                let mut state = MaybeUninit::uninit();
                // SAFETY: Init writes the whole state and always succeeds.
                unsafe {
                    $init(state.as_mut_ptr());
                    Self(state.assume_init())
                }
            }

            #[inline]
            fn update(&mut self, source: &[u8]) {
                // SAFETY: the state is initialised; pointer and length are of one slice. The length
                // is a size_t, and the state counts 64 bits or more: there is nothing to split.
                unsafe { $update(&mut self.0, source.as_ptr().cast(), source.len()); }
            }

            #[inline]
            fn finish(&mut self, target: &mut [u8]) {
                assert!(target.len() == Self::SIZE);
                // SAFETY: the state is initialised, and Final writes SIZE bytes.
                unsafe { $finish(target.as_mut_ptr(), &mut self.0); }
            }

            // Words, length, buffer.
            const STATE: usize = 4 * $words + 8 + $block;

            #[inline]
            fn save(&self, state: &mut [u8]) {
                let mut writer = Writer::over(state);
                let (words, length) = self.parts();
                writer.words_32(&words).integer(length).buffer(self.waiting(), $block).end();
            }

            #[inline]
            fn load(_params: &Params<'_>, state: &[u8]) -> Option<Self> {
                let mut fields = Reader::of(state, Self::STATE)?;
                let (words, length) = (fields.words_32()?, fields.length()?);
                Some(Self::of(words, length, fields.buffer(length as usize % $block)?))
            }

            $(
                #[cfg($arch)]
                #[inline]
                fn min_batch(_size: usize) -> usize {
                    lanes::$lanes::multibuffer(lanes::Kernels::detect()).map_or(usize::MAX,
                        |multibuffer| multibuffer.min_messages)
                }

                #[cfg($arch)]
                fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
                    debug_assert!(self.waiting().is_empty());
                    lanes::$lanes::hash(lanes::Kernels::detect(), self.parts(), sources, target,
                        sink);
                }

                $(iterate_in_words!(
                    [u32; $words], 16, read_32, write_32, |hash| hash.0.h,
                        $iterations::hmac_lanes(), $iterations::iterate,
                    |iteration: &mut _, size, count| iteration::iterate_32(iteration, size, count,
                        |words, block: &[u8; $block]| {
                        let mut hash = Self::of(*words, 0, &[0; $block]);
                        hash.update(block);
                        *words = hash.parts().0;
                        hash.wipe();
                    })
                );)?
            )?

            #[inline]
            fn wipe(&mut self) {
                wipe_plain(self);
            }
        }

        impl $name {
            /// Its words, and how many bytes it has absorbed.
            #[inline]
            pub(super) fn parts(&self) -> ([u32; $words], u64) {
                (self.0.h, self.length())
            }

            /// The hash in this state.
            #[inline]
            pub(super) fn of(words: [u32; $words], length: u64, buffer: &[u8; $block]) -> Self {
                let mut digest = Self::new(&Params::default());
                digest.set(words, length, buffer);
                digest
            }

            /// Bytes absorbed.
            #[inline]
            fn length(&self) -> u64 {
                (u64::from(self.0.Nh) << 32 | u64::from(self.0.Nl)) / 8
            }

            /// Returns the bytes of the incomplete block.
            #[inline]
            fn waiting(&self) -> &[u8] {
                &self.0.data[..self.0.num as usize]
            }

            /// Goes where another state was. The library counts bits.
            #[inline]
            fn set(&mut self, words: [u32; $words], length: u64, buffer: &[u8; $block]) {
                self.0.h = words;
                self.0.Nl = (length * 8) as u32;
                self.0.Nh = (length * 8 >> 32) as u32;
                self.0.num = (length % $block) as u32;
                self.0.data = *buffer;
            }
        }
    };
}
aws_lc_digest!(
    /// MD5 (RFC 1321). Broken; here for old formats.
    Md5, lc::MD5_CTX, 4, 64, 16, lc::MD5_Init, lc::MD5_Update, lc::MD5_Final,
        md5 on target_arch = "x86_64"
);
aws_lc_digest!(
    /// SHA-1 (FIPS 180-4). Broken; here for old formats.
    Sha1, lc::SHA_CTX, 5, 64, 20, lc::SHA1_Init, lc::SHA1_Update, lc::SHA1_Final,
        sha1 on any(target_arch = "x86_64", target_arch = "aarch64"), sha1_iterations
);
aws_lc_digest!(
    /// RIPEMD-160.
    Ripemd160, lc::RIPEMD160_CTX, 5, 64, 20, lc::RIPEMD160_Init, lc::RIPEMD160_Update,
        lc::RIPEMD160_Final
);

mod sha1_iterations {
    use super::HmacIteration;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    use super::lanes;

    /// Returns the lanes of the widest kernel.
    pub(super) fn hmac_lanes() -> usize {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        {
            lanes::sha1::multibuffer(lanes::Kernels::detect())
                .map_or(1, |multibuffer| multibuffer.lanes)
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            1
        }
    }

    /// Iterates as many blocks as there are kernels for, and returns that number.
    pub(super) fn iterate(
        iterations: &mut [HmacIteration<u32, 5>],
        size: usize,
        count: u32,
    ) -> usize {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        {
            lanes::sha1::iterate(lanes::Kernels::detect(), iterations, size, count)
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            let _ = (iterations, size, count);
            0
        }
    }
}

/// MD5 followed by SHA-1 of the same message, as TLS 1.0 signed.
#[derive(Clone)]
pub(crate) struct Md5Sha1(Md5, Sha1);

impl Digest for Md5Sha1 {
    const BLOCK: usize = 64;
    const SIZE: usize = Md5::SIZE + Sha1::SIZE;

    #[inline]
    fn new(params: &Params<'_>) -> Self {
        Self(Md5::new(params), Sha1::new(params))
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.0.update(source);
        self.1.update(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        let (md5, sha1) = target.split_at_mut(Md5::SIZE);
        self.0.finish(md5);
        self.1.finish(sha1);
    }

    // MD5's words, SHA-1's words, and once what they share: length, buffer.
    const STATE: usize = 16 + 20 + 8 + 64;

    #[inline]
    fn save(&self, state: &mut [u8]) {
        let Self(md5, sha1) = self;
        let mut writer = Writer::over(state);
        writer
            .words_32(&md5.0.h)
            .words_32(&sha1.0.h)
            .integer(md5.length())
            .buffer(md5.waiting(), 64)
            .end();
    }

    #[inline]
    fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let mut fields = Reader::of(state, Self::STATE)?;
        let (md5, sha1, length) = (fields.words_32()?, fields.words_32()?, fields.length()?);
        let buffer = fields.buffer(length as usize % 64)?;
        let mut digest = Self::new(params);
        digest.0.set(md5, length, buffer);
        digest.1.set(sha1, length, buffer);
        Some(digest)
    }

    #[inline]
    fn wipe(&mut self) {
        self.0.wipe();
        self.1.wipe();
    }
}
