//! The sum of a part of a text, while it is encrypted or decrypted.
//!
//! ```text
//! seal:  encrypt the lead                        open:  absorb `AHEAD` bytes or more
//!        while a pass is left to encrypt                while a pass is left to absorb
//!            encrypt it, absorb one behind                  absorb it, decrypt one behind
//!        encrypt the rest, absorb the rest              absorb the rest, decrypt the rest
//! shorter texts: one after the other
//! ```
//!
//! With AVX-512 a pass is the 1 KiB of the module above; with AVX2 it is [`avx2::pass`], of 4 KiB.

use super::{BySize, ChaChaPolyKernel, Mac, columns};
use crate::cipher::chacha::apply_by_library;
use crate::cipher::chacha::state::{BLOCK, State, advance};
use crate::cipher::poly1305;
use crate::cipher::poly1305::{Limbs, Poly1305};
use crate::cipher::text::{Span, pointers};
use crate::cpu::features::{Avx2Bmi, Avx512, Avx512Bmi, Ifma};
use crate::cpu::kernels::chacha::{avx2, avx512};
use crate::cpu::kernels::poly1305::words::LONG_PASS;
use crate::cpu::kernels::poly1305::{PASS, STEP, Steps, ifma, words};
use crate::inputs::Text;

/// ChaCha20 in passes, with Poly1305 of kind `P` beside it.
trait Stream<P: Steps>: Copy {
    /// Bytes of a pass.
    const SIZE: usize;
    /// Bytes that are encrypted before Poly1305 begins: a pass, and a step or more with which it
    /// begins.
    const LEAD: usize;
    /// Bytes that Poly1305 must be ahead of what is decrypted in place.
    const AHEAD: usize;

    /// Encrypts or decrypts, and advances the state past that if it is the lead or whole passes.
    ///
    /// # Safety
    /// Source and target have `size` bytes and are equal or disjoint.
    unsafe fn apply(self, state: &mut State, text: Span);

    /// Encrypts or decrypts a pass, and advances the state past it, while Poly1305 absorbs another.
    ///
    /// # Safety
    /// There are the bytes of a pass at `source`, `target` and what is absorbed. Source and target
    /// are equal or disjoint; what is absorbed is disjoint from the target, or begins
    /// [`Stream::AHEAD`] or more behind it. The CPU has the instructions of `P`.
    unsafe fn pass(
        self,
        state: &mut State,
        text: Span,
        beside: (&P, P::Sums, *const u8),
    ) -> P::Sums;
}

impl<P: Steps> Stream<P> for Avx512 {
    const SIZE: usize = PASS;
    const LEAD: usize = 2 * PASS;
    /// All keystream is computed before it is used.
    const AHEAD: usize = 0;

    /// # Safety
    /// As for the trait's.
    #[inline(always)]
    unsafe fn apply(self, state: &mut State, text: Span) {
        // SAFETY: as for this function, with the proof.
        unsafe { avx512::apply(state, text, self) }
    }

    /// # Safety
    /// As for the trait's.
    #[inline(always)]
    unsafe fn pass(
        self,
        state: &mut State,
        text: Span,
        (powers, sums, absorbed): (&P, P::Sums, *const u8),
    ) -> P::Sums {
        // SAFETY: as for this function, with the proof.
        unsafe {
            let (stream, sums) = columns(self, state, powers, sums, absorbed);
            avx512::mix_pass(text, stream, self);
            advance(state, 16);
            sums
        }
    }
}

impl Stream<words::Powers> for Avx2Bmi {
    const SIZE: usize = LONG_PASS;
    const LEAD: usize = LONG_PASS + STEP;
    const AHEAD: usize = LONG_PASS;

    /// # Safety
    /// As for the trait's.
    #[inline(always)]
    unsafe fn apply(self, state: &mut State, text: Span) {
        // SAFETY: as for this function.
        unsafe { apply_by_library(state, text) };
        advance(state, (text.size / BLOCK) as u64);
    }

    /// # Safety
    /// As for the trait's.
    #[inline(always)]
    unsafe fn pass(
        self,
        state: &mut State,
        text: Span,
        (powers, sums, absorbed): (&words::Powers, words::Sums, *const u8),
    ) -> words::Sums {
        // SAFETY: as for this function, with the proof. What is absorbed is a pass or more ahead of
        // the target, or before it.
        powers.end_long(unsafe {
            let sums = powers.begin_long(sums);
            avx2::pass(state, text, (powers, sums), &*absorbed.cast(), self)
        })
    }
}

/// The kernels for parts.
#[derive(Copy, Clone)]
pub(crate) enum PartsKernel {
    Ifma(Ifma),
    Words(Avx512Bmi),
    Avx2(Avx2Bmi),
}

impl PartsKernel {
    /// Returns the fastest that the CPU has the instructions for.
    pub(crate) fn detect() -> Option<Self> {
        match BySize::detect().map(|kernels| kernels.long) {
            Some(ChaChaPolyKernel::Ifma(proof)) => Some(Self::Ifma(proof)),
            Some(ChaChaPolyKernel::Words(proof)) => Some(Self::Words(proof)),
            None => Avx2Bmi::detect().map(Self::Avx2),
        }
    }
}

/// Defines [`process`] compiled with the instructions of a kernel.
macro_rules! compiled {
    ($name:ident: $proof:ty, $steps:ident, $features:literal) => {
        #[target_feature(enable = $features)]
        fn $name<const OPEN: bool>(
            proof: $proof,
            state: &mut State,
            poly: Poly1305,
            text: Text<'_>,
        ) -> Limbs {
            // SAFETY: source and target have `size` bytes and are equal or disjoint; this function
            // has the instructions of the powers.
            unsafe { process::<OPEN, $steps::Powers, _>(proof, state, poly, pointers(text)) }
        }
    };
}

compiled!(with_ifma: Avx512, ifma, "avx512f,avx512vl,avx512bw,avx512ifma");
compiled!(with_words: Avx512, words, "avx512f,avx512vl,avx512bw,bmi2");
compiled!(with_avx2: Avx2Bmi, words, "avx2,bmi2");

impl PartsKernel {
    /// Encrypts or decrypts a part, and returns its sum.
    pub(crate) fn process<const OPEN: bool>(
        self,
        state: &mut State,
        poly: Poly1305,
        text: Text<'_>,
    ) -> Limbs {
        // SAFETY: it proves that the CPU has the instructions.
        unsafe {
            match self {
                Self::Ifma(proof) => with_ifma::<OPEN>(proof.vectors(), state, poly, text),
                Self::Words(proof) => with_words::<OPEN>(proof.vectors(), state, poly, text),
                Self::Avx2(proof) => with_avx2::<OPEN>(proof, state, poly, text),
            }
        }
    }
}

/// Encrypts or decrypts a part, and returns its sum.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint; the CPU has the instructions of
/// `P`, here and below.
#[inline(always)]
unsafe fn process<const OPEN: bool, P: Steps, S: Stream<P>>(
    stream: S,
    state: &mut State,
    mut poly: Poly1305,
    text: Span,
) -> Limbs {
    let Span { source, target, size } = text;
    let sealed = if OPEN { source } else { target.cast_const() };
    // SAFETY: all that is read and written lies within the `size` bytes. `at` is how far the text
    // is encrypted or decrypted; Poly1305 reads only from before that or from behind.
    unsafe {
        let powers = P::new(&poly);
        let least = if OPEN { S::AHEAD + 2 * S::SIZE } else { S::LEAD };
        if size < least {
            if !OPEN {
                stream.apply(state, text);
            }
            sum(&powers, &mut poly, sealed, size);
            if OPEN {
                stream.apply(state, text);
            }
            return poly.sum;
        }
        let mut at = if OPEN { 0 } else { S::LEAD };
        if !OPEN {
            stream.apply(state, text.part(0, at));
        }
        let mut mac = Mac::first(&powers, &poly, sealed, size.div_ceil(poly1305::BLOCK));
        if OPEN {
            mac.until(&powers, sealed, S::AHEAD);
        }
        while size - if OPEN { mac.at } else { at } >= S::SIZE {
            debug_assert!(if OPEN { mac.at >= at } else { mac.at + S::SIZE <= at });
            let beside = (&powers, mac.sums, sealed.add(mac.at));
            mac.sums = stream.pass(state, text.part(at, S::SIZE), beside);
            mac.at += S::SIZE;
            at += S::SIZE;
        }
        if !OPEN {
            stream.apply(state, text.from(at));
        }
        mac.last(&powers, &mut poly, sealed, size, None);
        if OPEN {
            stream.apply(state, text.from(at));
        }
    }
    poly.sum
}

/// Absorbs a text, filled up with zeros.
///
/// # Safety
/// There are `size` bytes at `text`.
#[inline(always)]
unsafe fn sum<P: Steps>(powers: &P, poly: &mut Poly1305, text: *const u8, size: usize) {
    // SAFETY: there are `size` bytes at `text`. `first` needs more than a step of them.
    unsafe {
        if size > STEP {
            let mut mac = Mac::first(powers, poly, text, size.div_ceil(poly1305::BLOCK));
            mac.last(powers, poly, text, size, None);
        } else {
            poly.update_padded(std::slice::from_raw_parts(text, size));
        }
    }
}
