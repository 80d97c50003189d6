//! A message in parts. Poly1305 is a polynomial in r with the blocks as coefficients, so parts of
//! it can be evaluated separately, multiplied by the power of r for what follows, and added up.
//!
//! Without AVX-512 the message is that of [`chacha_parts`](super::super::chacha_parts); with AVX2
//! its parts are processed here.

use super::super::chacha::{BLOCK, State, advance, apply_by_library, avx2, avx512};
use super::super::features::{Avx2Bmi, Avx512};
use super::super::partial_tag::PartialTag;
use super::super::poly1305::sum::Joined;
use super::super::poly1305::words::LONG_PASS;
use super::super::poly1305::{self, LANES, Limbs, PASS, Poly1305, STEP, Steps, ifma, words};
use super::super::text::pointers;
use super::super::wipe::{Secret, Wiped, WipedBox, copy_plain};
use super::{ChaChaPolyKernel, ChaChaPolyKey, Head, Mac, columns, compiled};
use crate::Error;
use crate::inputs::Text;

/// A message that is processed in parts. Wiped on drop.
pub(crate) struct ChaChaPolyMessage {
    /// ChaCha20's state at its first block, which makes Poly1305's key.
    state: Wiped<State>,
    /// After the additional data.
    poly: Poly1305,
    aad_size: usize,
    kernel: ChaChaPolyKernel,
}

impl ChaChaPolyMessage {
    /// Returns a message at an address that does not change.
    pub(crate) fn boxed(
        key: &ChaChaPolyKey,
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<WipedBox<ChaChaPolyMessage>, Error> {
        let state = Wiped(key.state(nonce)?);
        // SAFETY: the proof says that the CPU has the instructions.
        let head = unsafe { Head::new(&mut Wiped(state.0).0, 0, key.kernel.vectors()) };
        let poly = head.poly(aad);
        let mut message = WipedBox::new(ChaChaPolyMessage {
            state: Wiped([0; 16]),
            poly: Poly1305::new(&[0; 32]),
            aad_size: aad.len(),
            kernel: key.kernel,
        })?;
        copy_plain(&state.0, &mut message.state.0);
        copy_plain(&poly, &mut message.poly);
        Ok(message)
    }

    /// Encrypts the part that begins `offset` bytes into the text, and returns what it adds.
    pub(crate) fn seal(&self, offset: u64, text: Text<'_>) -> PartialTag {
        let (mut state, (source, target, size)) = (self.state(offset), pointers(text));
        // SAFETY: source and target have `size` bytes and are equal or disjoint.
        PartialTag(Wiped(unsafe {
            seal(self.kernel, &mut state.0, self.poly.fresh(), source, target, size)
        }))
    }

    /// Decrypts such a part, and returns what it adds.
    pub(crate) fn open(&self, offset: u64, text: Text<'_>) -> PartialTag {
        let (mut state, (source, target, size)) = (self.state(offset), pointers(text));
        // SAFETY: as in `seal`.
        PartialTag(Wiped(unsafe {
            open(self.kernel, &mut state.0, self.poly.fresh(), source, target, size)
        }))
    }

    /// Authenticates a part of the ciphertext.
    pub(crate) fn authenticate(&self, source: &[u8]) -> PartialTag {
        // SAFETY: pointer and size are of a slice.
        PartialTag(Wiped(unsafe {
            authenticate(self.kernel, self.poly.fresh(), source.as_ptr(), source.len())
        }))
    }

    /// Encrypts or decrypts the part that begins `offset` bytes into the text.
    pub(crate) fn xor(&self, offset: u64, text: Text<'_>) {
        let (mut state, (source, target, size)) = (self.state(offset), pointers(text));
        // SAFETY: as in `seal`; the proof says that the CPU has the instructions.
        unsafe { avx512::apply(&mut state.0, source, target, size, self.kernel.vectors()) }
    }

    /// Returns the tag of the message with these parts.
    pub(in crate::engines::native) fn tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
    ) -> Secret<{ poly1305::BLOCK }> {
        let mut joined = Joined::new(&self.poly, self.aad_size);
        parts.for_each(|(size, part)| joined.add(size, &part.0.0));
        joined.tag()
    }

    /// Returns the state at the first block of a part.
    fn state(&self, offset: u64) -> Wiped<State> {
        let mut state = Wiped(self.state.0);
        advance(&mut state.0, 1 + offset / BLOCK as u64);
        state
    }
}

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

/// Compiles a generic function with AVX2, and BMI2's products.
macro_rules! by_avx2 {
    ($($(#[$doc:meta])* $name:ident = $generic:ident;)*) => {$(
        $(#[$doc])*
        pub(in crate::engines::native) fn $name(
            proof: Avx2Bmi,
            state: &mut State,
            poly: Poly1305,
            text: Text<'_>,
        ) -> Limbs {
            /// # Safety
            /// As for the generic function.
            #[target_feature(enable = "avx2,bmi2")]
            unsafe fn compiled(
                proof: Avx2Bmi,
                state: &mut State,
                poly: Poly1305,
                (source, target, size): (*const u8, *mut u8, usize),
            ) -> Limbs {
                // SAFETY: the arguments are as `$generic` needs them; this function has the
                // instructions of `words::Powers`.
                unsafe { $generic::<words::Powers>(proof, state, poly, source, target, size) }
            }

            // SAFETY: source and target have `size` bytes and are equal or disjoint; the proof says
            // that the CPU has the instructions.
            unsafe { compiled(proof, state, poly, pointers(text)) }
        }
    )*};
}

by_avx2! {
    /// Encrypts a part, and returns its sum.
    seal_by_avx2 = seal_generic;
    /// Decrypts a part, and returns its sum.
    open_by_avx2 = open_generic;
}

compiled! {
    seal = seal_generic(
        state: &mut State, poly: Poly1305, source: *const u8, target: *mut u8, size: usize
    ) -> Limbs;
    open = open_generic(
        state: &mut State, poly: Poly1305, source: *const u8, target: *mut u8, size: usize
    ) -> Limbs;
    authenticate = authenticate_generic(poly: Poly1305, text: *const u8, size: usize) -> Limbs;
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

/// Returns the sum of a separate text.
///
/// # Safety
/// There are `size` bytes at `text`.
#[inline(always)]
unsafe fn authenticate_generic<P: Steps>(
    _proof: Avx512,
    poly: Poly1305,
    text: *const u8,
    size: usize,
) -> Limbs {
    // SAFETY: there are `size` bytes at `text`, and the CPU has the instructions of `P`.
    unsafe { sum(&P::new(&poly), poly, text, size) }
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
