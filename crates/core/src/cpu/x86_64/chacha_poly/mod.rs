//! ChaCha20-Poly1305 (RFC 8439) and XChaCha20-Poly1305 over Millrace's ChaCha20 and Poly1305,
//! where the CPU has AVX-512. Elsewhere [`aead`](crate::cipher::aead) has AWS-LC's.
//!
//! The bulk is processed in units of 1024 bytes, with ChaCha20 and Poly1305 interleaved: the one
//! waits for results most of the time, the other fills the gaps. Sealing, Poly1305 follows one or
//! two KiB behind ChaCha20, so that it reads from the nearest cache; opening, it is as much ahead,
//! so that in place the text is authenticated as it came. What has been decrypted before the tag
//! was known is overwritten with zeros if the tag is wrong; the last KiB or two wait for it.
//!
//! With IFMA, Poly1305 runs in vectors too; without, in general registers, because ChaCha20 leaves
//! their units idle: vectors of 32-bit products would wait for the same units as ChaCha20's. On
//! Zen 4, where a vector of 512 bits takes two cycles, those of IFMA wait as well: a pass takes as
//! long as ChaCha20 and Poly1305 alone do together. There [`LONG`] texts take general registers,
//! three blocks of each half beside a double round: 0.25 ns a byte of 16 KiB instead of 0.28.
//!
//! On Zen 5, ns at 64 B and 1 KiB and GB/s at 1 MiB: 160, 360, 6.3; AWS-LC: 184, 510, 2.9; Poly1305
//! adds a tenth to what ChaCha20 takes alone. At 256 B both are level, else ours is faster: no
//! switch by size. On Sapphire Rapids, GB/s at 1 MiB: 5.2 with IFMA, 4.4 without, AWS-LC 2.7.
//!
//! ```text
//! head = keystream of the first blocks: Poly1305's key, then 192, 448 or 960 bytes for the text
//! up to 240 bytes: Poly1305 block by block
//! seal, more than 240 bytes:
//!     text[0..960] ^= head; Poly1305 absorbs 1 to 16 blocks, so that whole steps are left
//!     encrypt a pass of 1024 bytes, if one is left
//!     while a pass is left
//!         ten times: a double round of 16 blocks in columns; a part of the pass at `mac.at`
//!         text ^= keystream
//!     encrypt the rest; absorb whole steps, then the last with zeros and the block of lengths
//! open, more than 240 bytes:
//!     Poly1305 absorbs 1 to 16 blocks
//!     if the text has 960 bytes and a pass
//!         absorb steps up to byte 960 or beyond; text[0..960] ^= head
//!         while a pass is left to absorb: the same loop, with Poly1305 ahead
//!     absorb the rest; if the tags are equal, decrypt the rest
//! ```
//!
//! # Safety
//! Texts are pointers, as the head of [`text`](crate::cipher::text) says: source and target have
//! `size` bytes and are equal or disjoint. In the functions below and in [`parts`], `at` is how far
//! the text is encrypted or decrypted, and `mac.at` how far Poly1305 has absorbed it; neither
//! exceeds `size`. A pass is only processed where that many bytes are left.
//!
//! The generic functions have no features and are inlined: `compiled` calls them from functions
//! with the features of the kernel's kind, and [`ChaChaPolyKernel`] has the proof that the CPU has
//! these. They pass [`Avx512`] on; a value of `P` proves the instructions of Poly1305.

mod parts;

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

pub(crate) use self::parts::PartsKernel;
use crate::Error;
use crate::cipher::chacha;
use crate::cipher::chacha::state::{BLOCK, State, advance};
use crate::cipher::chacha::with_first_block;
use crate::cipher::contract::AeadMessage;
use crate::cipher::poly1305;
use crate::cipher::poly1305::{Poly1305, lengths};
use crate::cipher::text::{Span, pointers};
use crate::cpu::features::{Avx512, Avx512Bmi, Ifma};
use crate::cpu::kernels::chacha::avx512;
use crate::cpu::kernels::poly1305::{LANES, PARTS, PASS, STEP, Steps, ifma, words};
use crate::cpu::kernels::{ZEN_3_AND_4, amd_family};
use crate::primitives::equal;
use crate::wipe::{Wiped, cleanse, wipe_plain};

const _: () = assert!(PASS == avx512::COLUMNS);
/// Bytes of text for which the first pass has keystream, after the block that makes Poly1305's key.
const HEAD: usize = PASS - BLOCK;
/// The most bytes of text for which Poly1305 absorbs the blocks, with that of the lengths, one by
/// one.
const SHORT: usize = STEP - poly1305::BLOCK;

/// The kind of Poly1305.
#[derive(Copy, Clone)]
enum ChaChaPolyKernel {
    Ifma(Ifma),
    Words(Avx512Bmi),
}

/// The kinds for texts shorter than [`LONG`], and for others.
#[derive(Copy, Clone)]
struct BySize {
    short: ChaChaPolyKernel,
    long: ChaChaPolyKernel,
}

/// From so many bytes on, general registers are faster than vectors of which each takes two cycles.
const LONG: usize = 6 * PASS;

impl BySize {
    /// Chooses among those that this CPU has the instructions for.
    #[inline]
    fn detect() -> Option<Self> {
        Self::among(Ifma::detect(), Avx512Bmi::detect(), amd_family())
    }

    #[inline]
    fn among(ifma: Option<Ifma>, words: Option<Avx512Bmi>, amd_family: u32) -> Option<Self> {
        let (ifma, words) = (ifma.map(ChaChaPolyKernel::Ifma), words.map(ChaChaPolyKernel::Words));
        let long = if amd_family == ZEN_3_AND_4 { words.or(ifma) } else { ifma.or(words) };
        Some(Self { short: ifma.or(words)?, long: long? })
    }

    #[inline]
    fn of(self, size: usize) -> ChaChaPolyKernel {
        if size < LONG { self.short } else { self.long }
    }
}

/// Compiles functions that are generic over [`Steps`] for each kind of Poly1305, with its
/// instructions: `name` calls `generic`. The generic ones have no features of their own, and are
/// inlined.
macro_rules! compiled {
    ($($name:ident = $generic:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        /// # Safety
        /// As for the generic function.
        #[inline]
        unsafe fn $name(kernel: ChaChaPolyKernel, $($argument: $type),*) -> $result {
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
            unsafe fn with_ifma(proof: Avx512, $($argument: $type),*) -> $result {
                // SAFETY: the arguments are as `$generic` needs them; this function has the
                // instructions of `ifma::Powers`.
                unsafe { $generic::<ifma::Powers>(proof, $($argument),*) }
            }

            #[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
            unsafe fn with_words(proof: Avx512, $($argument: $type),*) -> $result {
                // SAFETY: the arguments are as `$generic` needs them; this function has the
                // instructions of `words::Powers`.
                unsafe { $generic::<words::Powers>(proof, $($argument),*) }
            }

            // SAFETY: the arguments are as `$generic` needs them; `kernel` proves that the CPU has
            // the instructions.
            unsafe {
                match kernel {
                    ChaChaPolyKernel::Ifma(proof) => with_ifma(proof.vectors(), $($argument),*),
                    ChaChaPolyKernel::Words(proof) => with_words(proof.vectors(), $($argument),*),
                }
            }
        }
    )*};
}

compiled! {
    seal = seal_generic(
        state: &mut State, aad: &[u8], source: *const u8, target: *mut u8, size: usize
    ) -> [u8; poly1305::BLOCK];
    open = open_generic(
        state: &mut State, aad: &[u8], source: *const u8, target: *mut u8, size: usize, tag: &[u8]
    ) -> bool;
}

/// The key.
pub(crate) struct ChaChaPolyKey {
    key: Wiped<[u8; 32]>,
    kernels: BySize,
}

impl ChaChaPolyKey {
    /// Returns room for a key, if this CPU has the instructions.
    #[inline]
    pub(crate) fn vacant() -> Option<Self> {
        Some(Self { key: Wiped([0; 32]), kernels: BySize::detect()? })
    }

    /// Takes the key.
    #[inline]
    pub(crate) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        if key.len() != self.key.0.len() {
            return Err(Error::KeySize);
        }
        self.key.0.copy_from_slice(key);
        Ok(())
    }

    /// Encrypts, and writes the first `tag.len()` bytes of the tag.
    #[inline]
    pub(crate) fn seal(&self, message: AeadMessage<'_>, tag: &mut [u8]) -> Result<(), Error> {
        let mut state = with_first_block(&self.key.0, message.nonce, chacha::state)?;
        let Span { source, target, size } = pointers(message.text);
        let kernel = self.kernels.of(size);
        // SAFETY: source and target have `size` bytes and are equal or disjoint.
        let full = unsafe { seal(kernel, &mut state, message.aad, source, target, size) };
        tag.copy_from_slice(&full[..tag.len()]);
        wipe_plain(&mut state);
        Ok(())
    }

    /// Decrypts if the tag matches, otherwise leaves zeros.
    #[inline]
    pub(crate) fn open(&self, message: AeadMessage<'_>, tag: &[u8]) -> Result<(), Error> {
        let mut state = with_first_block(&self.key.0, message.nonce, chacha::state)?;
        let Span { source, target, size } = pointers(message.text);
        let kernel = self.kernels.of(size);
        // SAFETY: as in `seal`.
        let authentic = unsafe { open(kernel, &mut state, message.aad, source, target, size, tag) };
        wipe_plain(&mut state);
        if authentic {
            return Ok(());
        }
        // SAFETY: the target has `size` bytes.
        unsafe { target.write_bytes(0, size) };
        Err(Error::Authentication)
    }

    /// Returns the key as it was given.
    pub(crate) fn raw_key(&self) -> &[u8] {
        &self.key.0
    }
}

/// Encrypts, and returns the tag.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint; the CPU has the instructions of
/// `P`, here and below.
#[inline(always)]
unsafe fn seal_generic<P: Steps>(
    proof: Avx512,
    state: &mut State,
    aad: &[u8],
    source: *const u8,
    target: *mut u8,
    size: usize,
) -> [u8; poly1305::BLOCK] {
    let text = Span { source, target, size };
    // SAFETY: the proof says that the CPU has the instructions.
    let head = unsafe { Head::new(state, size, proof) };
    let blocks = size.div_ceil(poly1305::BLOCK);
    let mut poly = head.poly(aad);
    // SAFETY: all that is read and written lies within the `size` bytes. `at` is how far the text
    // is encrypted, and Poly1305 reads only from before that.
    unsafe {
        let mut at = size.min(HEAD);
        head.mix(text.part(0, at), proof);
        if size <= SHORT {
            poly.update_padded(std::slice::from_raw_parts(target, size));
            poly.block(&lengths(aad.len(), size as u64));
            return poly.finish();
        }
        let powers = P::new(&poly);
        let mut mac = Mac::first(&powers, &poly, target, blocks + 1);
        if size - at >= PASS {
            avx512::pass(state, text.part(at, PASS), proof);
            at += PASS;
        }
        while size - at >= PASS {
            debug_assert!(mac.at + PASS <= at);
            let (stream, sums) = columns(proof, state, &powers, mac.sums, target.add(mac.at));
            avx512::mix_pass(text.part(at, PASS), stream, proof);
            mac.sums = sums;
            mac.at += PASS;
            at += PASS;
            advance(state, 16);
        }
        avx512::tail(state, text.from(at), proof);
        mac.last(&powers, &mut poly, target, size, Some(lengths(aad.len(), size as u64)));
    }
    poly.finish()
}

/// Decrypts, and returns whether the tag is right; if it is not, the target has to be overwritten.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[inline(always)]
unsafe fn open_generic<P: Steps>(
    proof: Avx512,
    state: &mut State,
    aad: &[u8],
    source: *const u8,
    target: *mut u8,
    size: usize,
    tag: &[u8],
) -> bool {
    let text = Span { source, target, size };
    // SAFETY: the proof says that the CPU has the instructions.
    let head = unsafe { Head::new(state, size, proof) };
    let blocks = size.div_ceil(poly1305::BLOCK);
    let mut poly = head.poly(aad);
    let first = size.min(HEAD);
    // SAFETY: all that is read and written lies within the `size` bytes. `at` is how far the text
    // is decrypted, and Poly1305 reads only from behind that.
    unsafe {
        if size <= SHORT {
            poly.update_padded(std::slice::from_raw_parts(source, size));
            poly.block(&lengths(aad.len(), size as u64));
            let authentic = same(&poly.finish(), tag);
            if authentic {
                head.mix(text.part(0, first), proof);
            }
            return authentic;
        }
        let powers = P::new(&poly);
        let mut mac = Mac::first(&powers, &poly, source, blocks + 1);
        let mut at = 0;
        if size - HEAD.min(size) >= PASS {
            mac.until(&powers, source, first);
            head.mix(text.part(0, first), proof);
            at = first;
            while size - mac.at >= PASS && size - at >= PASS {
                debug_assert!(mac.at >= at);
                let (stream, sums) = columns(proof, state, &powers, mac.sums, source.add(mac.at));
                avx512::mix_pass(text.part(at, PASS), stream, proof);
                mac.sums = sums;
                mac.at += PASS;
                at += PASS;
                advance(state, 16);
            }
        }
        mac.last(&powers, &mut poly, source, size, Some(lengths(aad.len(), size as u64)));
        let authentic = same(&poly.finish(), tag);
        if authentic {
            if at == 0 {
                head.mix(text.part(0, first), proof);
                at = first;
            }
            avx512::apply(state, text.from(at), proof);
        }
        authentic
    }
}

/// Computes a pass of keystream, and Poly1305 over as many bytes at `text`.
///
/// # Safety
/// There are [`PASS`] bytes at `text`.
#[inline(always)]
unsafe fn columns<P: Steps>(
    proof: Avx512,
    state: &State,
    powers: &P,
    sums: P::Sums,
    text: *const u8,
) -> ([__m512i; 16], P::Sums) {
    // SAFETY: there are `PASS` bytes at `text`. The proof, and `powers` for `P`, say that the CPU
    // has the instructions.
    unsafe {
        let text: &[u8; PASS] = &*text.cast();
        let begin = avx512::spread(state, proof);
        let (mut words, mut sums) = (begin, powers.begin(sums, text));
        for index in 0..PARTS {
            avx512::double_round(&mut words, proof);
            sums = powers.part(sums, text, index);
        }
        (avx512::finish(words, begin), powers.end(sums, text))
    }
}

/// The first blocks of keystream: Poly1305's key and the text's head. Wiped on drop. `C`: the
/// stream is first, and thus aligned as the structure is.
#[repr(C, align(64))]
struct Head {
    stream: MaybeUninit<[u8; PASS]>,
    size: usize,
}

impl Head {
    /// Computes as many blocks as the text needs, at most those of a pass, and advances the state
    /// past them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn new(state: &mut State, size: usize, proof: Avx512) -> Self {
        let mut head = Head { stream: MaybeUninit::uninit(), size: 0 };
        match size {
            0..=192 => head.fill(avx512::rows::<1>(state, proof).as_flattened()),
            193..=448 => head.fill(avx512::rows::<2>(state, proof).as_flattened()),
            449..=HEAD => head.fill(avx512::rows::<4>(state, proof).as_flattened()),
            _ => head.fill(&avx512::columns(state, proof)),
        }
        advance(state, 16);
        head
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn fill(&mut self, blocks: &[__m512i]) {
        for (index, &block) in blocks.iter().enumerate() {
            // SAFETY: at most 16 blocks fit.
            unsafe {
                _mm512_store_si512(self.stream.as_mut_ptr().cast::<__m512i>().add(index), block)
            };
        }
        self.size = size_of_val(blocks);
    }

    /// Returns Poly1305 under the message's one-time key, after the additional data.
    #[inline]
    fn poly(&self, aad: &[u8]) -> Poly1305 {
        // SAFETY: at least four blocks are filled.
        let mut poly = Poly1305::new(unsafe { &*self.stream.as_ptr().cast::<[u8; 32]>() });
        poly.update_padded(aad);
        poly
    }

    /// Encrypts or decrypts the head of the text.
    ///
    /// # Safety
    /// Source and target have `size` bytes, no more than there is keystream for, and are equal or
    /// disjoint.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    unsafe fn mix(&self, text: Span, proof: Avx512) {
        debug_assert!(text.size + BLOCK <= self.size);
        for at in (0..text.size).step_by(BLOCK) {
            // SAFETY: the keystream is filled that far, and the text has `size` bytes.
            unsafe {
                let stream =
                    _mm512_load_si512(self.stream.as_ptr().cast::<u8>().add(BLOCK + at).cast());
                avx512::mix(text.part(at, (text.size - at).min(BLOCK)), stream, proof);
            }
        }
    }
}

impl Drop for Head {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: that many bytes of the array have been written.
        unsafe { cleanse(self.stream.as_mut_ptr().cast(), self.size) }
    }
}

/// Poly1305 on its way through the text. Wiped on drop.
struct Mac<P: Steps> {
    sums: P::Sums,
    /// The bytes processed so far.
    at: usize,
}

impl<P: Steps> Mac<P> {
    /// Absorbs the first of so many blocks, after which the others are whole steps.
    ///
    /// # Safety
    /// `blocks` is more than 16, and all of them but the last two are at `text`.
    #[inline(always)]
    unsafe fn first(powers: &P, poly: &Poly1305, text: *const u8, blocks: usize) -> Self {
        let first = (blocks - 1) % LANES + 1;
        let at = first * poly1305::BLOCK;
        debug_assert!(blocks > LANES);
        // SAFETY: at most 16 blocks, of 17 one, of 32 all but 16: never the last two.
        unsafe {
            let text = std::slice::from_raw_parts(text, at);
            Self { sums: powers.first(poly, text, first), at }
        }
    }

    /// Absorbs whole steps of text, at least up to `end`.
    ///
    /// # Safety
    /// From where it is, there are whole steps up to there or beyond.
    #[inline(always)]
    unsafe fn until(&mut self, powers: &P, text: *const u8, end: usize) {
        let mut sums = self.sums;
        while self.at < end {
            // SAFETY: there is a whole step at `at`: the text has whole steps from there up to
            // `end` or beyond.
            sums = unsafe { powers.step(sums, &*text.add(self.at).cast()) };
            self.at += STEP;
        }
        self.sums = sums;
    }

    /// Absorbs the rest of the text, filled up with zeros, and the block of the lengths.
    ///
    /// # Safety
    /// There are `size` bytes at `text`.
    #[inline(always)]
    unsafe fn last(
        &mut self,
        powers: &P,
        poly: &mut Poly1305,
        text: *const u8,
        size: usize,
        lengths: Option<[u8; poly1305::BLOCK]>,
    ) {
        let whole = (size - self.at) / STEP * STEP;
        // SAFETY: whole steps of the text, then the rest, which with the lengths is one more.
        unsafe {
            self.until(powers, text, self.at + whole);
            let rest = size - self.at;
            if rest > 0 || lengths.is_some() {
                let mut last = [0; STEP];
                text.add(self.at).copy_to_nonoverlapping(last.as_mut_ptr(), rest);
                if let Some(lengths) = lengths {
                    debug_assert!(rest.div_ceil(poly1305::BLOCK) == LANES - 1);
                    last[SHORT..].copy_from_slice(&lengths);
                }
                self.sums = powers.step(self.sums, &last);
            }
            powers.last(self.sums, poly);
        }
    }
}

impl<P: Steps> Drop for Mac<P> {
    #[inline]
    fn drop(&mut self) {
        wipe_plain(&mut self.sums);
    }
}

/// Returns true if the tag begins with these bytes, in constant time.
#[inline]
fn same(full: &[u8; poly1305::BLOCK], tag: &[u8]) -> bool {
    full.get(..tag.len()).is_some_and(|full| equal(full, tag))
}

#[cfg(test)]
mod tests;
