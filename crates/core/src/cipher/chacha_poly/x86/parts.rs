//! The sum of a part of a text, while it is encrypted or decrypted.

use super::{ChaChaPolyKernel, Mac, columns};
use crate::cipher::chacha::{BLOCK, State, advance, apply_by_library, avx2, avx512};
use crate::cipher::poly1305;
use crate::cipher::poly1305::words::LONG_PASS;
use crate::cipher::poly1305::{LANES, Limbs, PASS, Poly1305, STEP, Steps, ifma, words};
use crate::cipher::text::pointers;
use crate::cpu::features::{Avx2Bmi, Avx512, Avx512Bmi, Ifma};
use crate::inputs::Text;

/// ChaCha20 in passes, with Poly1305 of kind `P` beside it.
trait Stream<P: Steps>: Copy {
    /// Returns the bytes of a pass.
    fn size(self) -> usize;

    /// Returns how many bytes are encrypted before Poly1305 begins: a pass, and a step or more with
    /// which it begins.
    fn lead(self) -> usize;

    /// Returns how many bytes Poly1305 must be ahead of what is decrypted in place.
    fn ahead(self) -> usize;

    /// Encrypts or decrypts, and advances the state past that if it is the lead or whole passes.
    ///
    /// # Safety
    /// Source and target have `size` bytes and are equal or disjoint.
    unsafe fn apply(self, state: &mut State, source: *const u8, target: *mut u8, size: usize);

    /// Encrypts or decrypts a pass, and advances the state past it, while Poly1305 absorbs another.
    ///
    /// # Safety
    /// There are the bytes of a pass at `source`, `target` and the text that is absorbed. Source
    /// and target are equal or disjoint; that text is disjoint from the target, or begins
    /// [`Stream::ahead`] or more behind it. The CPU has the instructions of `P`.
    unsafe fn pass(
        self,
        state: &mut State,
        source: *const u8,
        target: *mut u8,
        beside: (&P, P::Sums, *const u8),
    ) -> P::Sums;
}

impl<P: Steps> Stream<P> for Avx512 {
    #[inline(always)]
    fn size(self) -> usize {
        PASS
    }

    #[inline(always)]
    fn lead(self) -> usize {
        2 * PASS
    }

    /// All keystream is computed before it is used.
    #[inline(always)]
    fn ahead(self) -> usize {
        0
    }

    /// # Safety
    /// As for the trait's.
    #[inline(always)]
    unsafe fn apply(self, state: &mut State, source: *const u8, target: *mut u8, size: usize) {
        // SAFETY: as for this function, with the proof.
        unsafe { avx512::apply(state, source, target, size, self) }
    }

    /// # Safety
    /// As for the trait's.
    #[inline(always)]
    unsafe fn pass(
        self,
        state: &mut State,
        source: *const u8,
        target: *mut u8,
        (powers, sums, text): (&P, P::Sums, *const u8),
    ) -> P::Sums {
        // SAFETY: as for this function, with the proof.
        unsafe {
            let (stream, sums) = columns(self, state, powers, sums, text);
            avx512::mix_pass(source, target, stream, self);
            advance(state, 16);
            sums
        }
    }
}

impl Stream<words::Powers> for Avx2Bmi {
    #[inline(always)]
    fn size(self) -> usize {
        LONG_PASS
    }

    #[inline(always)]
    fn lead(self) -> usize {
        LONG_PASS + STEP
    }

    #[inline(always)]
    fn ahead(self) -> usize {
        LONG_PASS
    }

    /// # Safety
    /// As for the trait's.
    #[inline(always)]
    unsafe fn apply(self, state: &mut State, source: *const u8, target: *mut u8, size: usize) {
        // SAFETY: as for this function.
        unsafe { apply_by_library(state, source, target, size) };
        advance(state, (size / BLOCK) as u64);
    }

    /// # Safety
    /// As for the trait's.
    #[inline(always)]
    unsafe fn pass(
        self,
        state: &mut State,
        source: *const u8,
        target: *mut u8,
        (powers, sums, text): (&words::Powers, words::Sums, *const u8),
    ) -> words::Sums {
        let sums = powers.begin(sums);
        // SAFETY: as for this function, with the proof. The text is a pass or more ahead of the
        // target, or before it.
        powers.end_long(unsafe {
            avx2::pass(state, source, target, (powers, sums), &*text.cast(), self)
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
    /// Returns the widest that the CPU has the instructions for.
    pub(crate) fn detect() -> Option<Self> {
        match ChaChaPolyKernel::detect() {
            Some(ChaChaPolyKernel::Ifma(proof)) => Some(Self::Ifma(proof)),
            Some(ChaChaPolyKernel::Words(proof)) => Some(Self::Words(proof)),
            None => Avx2Bmi::detect().map(Self::Avx2),
        }
    }
}

/// Compiles a generic function for each kernel, with its instructions.
macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident = $generic:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(
            kernel: PartsKernel,
            state: &mut State,
            poly: Poly1305,
            text: Text<'_>,
        ) -> Limbs {
            parts!($generic with_ifma: Avx512, ifma, "avx512f,avx512vl,avx512bw,avx512ifma");
            parts!($generic with_words: Avx512, words, "avx512f,avx512vl,avx512bw,bmi2");
            parts!($generic with_avx2: Avx2Bmi, words, "avx2,bmi2");

            // SAFETY: `kernel` proves that the CPU has the instructions.
            unsafe {
                match kernel {
                    PartsKernel::Ifma(proof) => with_ifma(proof.vectors(), state, poly, text),
                    PartsKernel::Words(proof) => with_words(proof.vectors(), state, poly, text),
                    PartsKernel::Avx2(proof) => with_avx2(proof, state, poly, text),
                }
            }
        }
    )*};
    ($generic:ident $name:ident: $proof:ty, $steps:ident, $features:literal) => {
        #[target_feature(enable = $features)]
        fn $name(
            proof: $proof,
            state: &mut State,
            poly: Poly1305,
            text: Text<'_>,
        ) -> Limbs {
            let (source, target, size) = pointers(text);
            // SAFETY: source and target have `size` bytes and are equal or disjoint; this function
            // has the instructions of the powers.
            unsafe { $generic::<$steps::Powers>(proof, state, poly, source, target, size) }
        }
    };
}

parts! {
    /// Encrypts a part, and returns its sum.
    seal = seal_generic;
    /// Decrypts a part, and returns its sum.
    open = open_generic;
}

/// Encrypts a part, and returns its sum.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint; the CPU has the instructions of
/// `P`, here and below.
#[inline(always)]
unsafe fn seal_generic<P: Steps>(
    stream: impl Stream<P>,
    state: &mut State,
    poly: Poly1305,
    source: *const u8,
    target: *mut u8,
    size: usize,
) -> Limbs {
    // SAFETY: all that is read and written lies within the `size` bytes. `at` is how far the text
    // is encrypted, and Poly1305 reads only from before that.
    unsafe {
        let powers = P::new(&poly);
        if size < stream.lead() {
            stream.apply(state, source, target, size);
            return sum(&powers, poly, target, size);
        }
        stream.apply(state, source, target, stream.lead());
        let (mut mac, mut at) = (first(&powers, &poly, target, size), stream.lead());
        while size - at >= stream.size() {
            debug_assert!(mac.at + stream.size() <= at);
            let beside = (&powers, mac.sums, target.add(mac.at).cast_const());
            mac.sums = stream.pass(state, source.add(at), target.add(at), beside);
            mac.at += stream.size();
            at += stream.size();
        }
        stream.apply(state, source.add(at), target.add(at), size - at);
        last(mac, &powers, poly, target, size)
    }
}

/// Decrypts a part, and returns its sum.
///
/// # Safety
/// As for [`seal`].
#[inline(always)]
unsafe fn open_generic<P: Steps>(
    stream: impl Stream<P>,
    state: &mut State,
    poly: Poly1305,
    source: *const u8,
    target: *mut u8,
    size: usize,
) -> Limbs {
    // SAFETY: all that is read and written lies within the `size` bytes. `at` is how far the text
    // is decrypted, and Poly1305 reads only from behind that.
    unsafe {
        let powers = P::new(&poly);
        if size < stream.ahead() + 2 * stream.size() {
            let sum = sum(&powers, poly, source, size);
            stream.apply(state, source, target, size);
            return sum;
        }
        let (mut mac, mut at) = (first(&powers, &poly, source, size), 0);
        mac.until(&powers, source, stream.ahead());
        while size - mac.at >= stream.size() {
            debug_assert!(mac.at >= at);
            let beside = (&powers, mac.sums, source.add(mac.at));
            mac.sums = stream.pass(state, source.add(at), target.add(at), beside);
            mac.at += stream.size();
            at += stream.size();
        }
        let sum = last(mac, &powers, poly, source, size);
        stream.apply(state, source.add(at), target.add(at), size - at);
        sum
    }
}

/// Returns the sum of a text, filled up with zeros.
///
/// # Safety
/// There are `size` bytes at `text`.
#[inline(always)]
unsafe fn sum<P: Steps>(powers: &P, mut poly: Poly1305, text: *const u8, size: usize) -> Limbs {
    // SAFETY: there are `size` bytes at `text`. `first` needs more than a step of them.
    unsafe {
        if size > STEP {
            return last(first(powers, &poly, text, size), powers, poly, text, size);
        }
        poly.update_padded(std::slice::from_raw_parts(text, size));
        poly.sum()
    }
}

/// Absorbs the first blocks, so that the remaining ones are whole steps.
///
/// # Safety
/// There are `size` bytes at `text`, more than [`STEP`].
#[inline(always)]
unsafe fn first<P: Steps>(powers: &P, poly: &Poly1305, text: *const u8, size: usize) -> Mac<P> {
    let blocks = (size.div_ceil(poly1305::BLOCK) - 1) % LANES + 1;
    let at = blocks * poly1305::BLOCK;
    // SAFETY: at most a step.
    unsafe {
        let text = std::slice::from_raw_parts(text, at);
        Mac { sums: powers.first(poly, text, blocks), at }
    }
}

/// Absorbs the rest of the text, whole steps when filled up with zeros.
///
/// # Safety
/// There are `size` bytes at `text`.
#[inline(always)]
unsafe fn last<P: Steps>(
    mut mac: Mac<P>,
    powers: &P,
    mut poly: Poly1305,
    text: *const u8,
    size: usize,
) -> Limbs {
    let whole = (size - mac.at) / STEP * STEP;
    // SAFETY: whole steps of the text, then the rest.
    unsafe {
        mac.until(powers, text, mac.at + whole);
        let rest = size - mac.at;
        if rest > 0 {
            let mut last = [0; STEP];
            text.add(mac.at).copy_to_nonoverlapping(last.as_mut_ptr(), rest);
            mac.sums = powers.step(mac.sums, &last);
        }
        powers.last(mac.sums, &mut poly);
    }
    poly.sum()
}
