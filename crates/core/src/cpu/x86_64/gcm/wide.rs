//! AES-GCM with AES and carry-less products on four blocks at once: a pass encrypts 32 blocks and
//! hashes 32 others, so that neither waits for the other.
//!
//! [`field`](crate::cipher::field) has the steps of hashing. A register has four blocks or four
//! powers, and each lane sums up its own products.
//!
//! ```text
//! step of two passes, 64 blocks:
//!     low = middle = high = 0
//!     for each of the two passes
//!         x[i] = the next counters ^ keys[0]                 i in 0..8
//!         for round in 1..ROUNDS
//!             x[i] = VAESENC(x[i], keys[round])
//!             beside four of the rounds: add two registers of the text behind, bytes reversed,
//!             times their powers to low, middle, high    VPCLMULQDQ, XOR of three by VPTERNLOGQ
//!         target = source ^ VAESENCLAST(x[i], keys[ROUNDS])
//!     sum = the four lanes reduced, then their XOR
//! ```
//!
//! The sum before a step is added to its first block. That is multiplied last in the first pass, as
//! it waits for the reduction. The rest, for which no step is left, is sealed and then hashed, or
//! hashed and then opened: groups of at most 64 blocks with the last powers of the table, and
//! masked loads, which fill up with zeros.

use std::arch::x86_64::*;

use crate::cipher::field::Factor;
use crate::cipher::text::Span;
use crate::cpu::features::Gcm512;
use crate::cpu::kernels::aes::number;
use crate::cpu::kernels::aes::vaes512;
use crate::cpu::kernels::aes::vaes512::{Counter, PASS, WIDE};
use crate::wipe::wiped_on_drop;

/// Bytes of a pass.
const BYTES: usize = PASS * WIDE;
/// Blocks and bytes after which the sum is reduced: two passes.
const BLOCKS: usize = 64;
const STEP: usize = 16 * BLOCKS;
/// Blocks of a register.
const EACH: usize = WIDE / 16;

/// H^64, H^63 and so on to H, and as many zeros as a register that begins with H reads beyond.
/// Wiped on drop.
#[repr(align(64))]
pub(crate) struct Powers([u128; BLOCKS + EACH]);

// SAFETY: an array of integers.
wiped_on_drop!(unsafe Powers);

impl Powers {
    /// Returns room for the powers.
    pub(crate) fn vacant() -> Self {
        Self([0; BLOCKS + EACH])
    }

    /// Computes them.
    pub(crate) fn prepare(&mut self, h: Factor) {
        let mut power = h;
        for place in self.0[..BLOCKS].iter_mut().rev() {
            *place = power.0;
            power = power.times(h);
        }
    }
}

type Keys<'a> = super::Keys<'a, &'a Powers, Gcm512>;

/// Encrypts, and hashes the result.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint. The key is of as many rounds.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,vaes,vpclmulqdq")]
pub(super) unsafe fn seal<const ROUNDS: usize>(
    keys: Keys<'_>,
    counter: u128,
    source: *const u8,
    target: *mut u8,
    size: usize,
) -> u128 {
    let text = Span { source, target, size };
    let wide = vaes512::spread(keys.round_keys);
    let (mut counter, mut sum) = (Counter::new(counter), _mm_setzero_si128());
    let (mut at, mut hashed) = (0, 0);
    // SAFETY: what is read and written lies within the `size` bytes. What is hashed is a pass
    // behind.
    unsafe {
        if size >= BYTES + STEP {
            vaes512::apply::<ROUNDS>(&wide, &mut counter, text.part(0, BYTES));
            at = BYTES;
            while size - at >= STEP {
                let (next, behind) = (text.part(at, STEP), target.add(hashed));
                sum = step::<ROUNDS>(&wide, keys.powers, &mut counter, next, behind, sum);
                at += STEP;
                hashed += STEP;
            }
        }
        vaes512::apply::<ROUNDS>(&wide, &mut counter, text.from(at));
        number(hash_rest::<false>(keys.powers, target.add(hashed), size - hashed, sum))
    }
}

/// Hashes, and decrypts.
///
/// # Safety
/// As for [`seal`].
#[target_feature(enable = "avx512f,avx512vl,avx512bw,vaes,vpclmulqdq")]
pub(super) unsafe fn open<const ROUNDS: usize>(
    keys: Keys<'_>,
    counter: u128,
    source: *const u8,
    target: *mut u8,
    size: usize,
) -> u128 {
    let text = Span { source, target, size };
    let wide = vaes512::spread(keys.round_keys);
    let (mut counter, mut sum) = (Counter::new(counter), _mm_setzero_si128());
    let mut at = 0;
    // SAFETY: as above; a pass writes after it has read what it hashes.
    unsafe {
        while size - at >= STEP {
            let next = text.part(at, STEP);
            sum = step::<ROUNDS>(&wide, keys.powers, &mut counter, next, next.source, sum);
            at += STEP;
        }
        sum = hash_rest::<false>(keys.powers, source.add(at), size - at, sum);
        vaes512::apply::<ROUNDS>(&wide, &mut counter, text.from(at));
        number(sum)
    }
}

/// Hashes only, the last block filled up with zeros.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,vaes,vpclmulqdq")]
pub(super) fn hash(powers: &Powers, text: &[u8], _proof: Gcm512) -> u128 {
    // SAFETY: pointer and size are of a slice.
    unsafe { number(hash_rest::<false>(powers, text.as_ptr(), text.len(), _mm_setzero_si128())) }
}

/// Returns POLYVAL of a text (RFC 8452), the last block filled up with zeros: its blocks are
/// numbers with the last byte on top.
#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
pub(crate) fn polyval(powers: &Powers, text: &[u8], _proof: Gcm512) -> u128 {
    // SAFETY: pointer and size are of a slice.
    unsafe { number(hash_rest::<true>(powers, text.as_ptr(), text.len(), _mm_setzero_si128())) }
}

/// Encrypts or decrypts two passes, and hashes as many at `text`. Each pass reads what it hashes
/// before it writes.
///
/// # Safety
/// There are [`STEP`] bytes at each pointer, at `text` as many as are there before the second pass;
/// source and target are equal or disjoint.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,vaes,vpclmulqdq")]
unsafe fn step<const ROUNDS: usize>(
    keys: &[__m512i; 15],
    powers: &Powers,
    counter: &mut Counter,
    Span { source, target, .. }: Span,
    text: *const u8,
    sum: __m128i,
) -> __m128i {
    let mut product = Product::zero();
    for at in [0, BYTES] {
        let mut blocks = counter.next::<PASS>().map(|block| _mm512_xor_si512(block, keys[0]));
        // The registers are hashed two by two, spread over the rounds. What waits for the sum comes
        // last.
        let apart = (ROUNDS - 2) / (PASS / 2);
        #[allow(clippy::needless_range_loop)]
        // over an iterator the loop is not unrolled, and takes twice as long
        for round in 1..ROUNDS {
            for block in &mut blocks {
                *block = _mm512_aesenc_epi128(*block, keys[round]);
            }
            if round % apart == 0 && round / apart <= PASS / 2 {
                let index = 2 * (round / apart) % PASS + at / WIDE;
                // SAFETY: within the step.
                unsafe { product.add_two(powers, text, index, sum) };
            }
        }
        for (index, block) in blocks.into_iter().enumerate() {
            let (at, stream) = (at + index * WIDE, _mm512_aesenclast_epi128(block, keys[ROUNDS]));
            // SAFETY: within the step.
            unsafe {
                let text = _mm512_loadu_si512(source.add(at).cast());
                _mm512_storeu_si512(target.add(at).cast(), _mm512_xor_si512(text, stream));
            }
        }
    }
    product.reduced()
}

/// Hashes `size` bytes, the last block filled up with zeros.
///
/// # Safety
/// There are that many bytes at `text`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
unsafe fn hash_rest<const POLYVAL: bool>(
    powers: &Powers,
    text: *const u8,
    size: usize,
    mut sum: __m128i,
) -> __m128i {
    for at in (0..size).step_by(STEP) {
        let size = (size - at).min(STEP);
        let begin = BLOCKS - size.div_ceil(16);
        let mut product = Product::zero();
        for within in (0..size).step_by(WIDE) {
            let mask = u64::MAX >> (WIDE - (size - within).min(WIDE));
            // SAFETY: the mask keeps within the size; after the last block's power, which is H,
            // there are zeros.
            unsafe {
                let text = _mm512_maskz_loadu_epi8(mask, text.add(at + within).cast());
                let text = if POLYVAL { text } else { reversed(text) };
                let text = if within == 0 { _mm512_xor_si512(text, first(sum)) } else { text };
                product.add(text, power(powers, begin + within / 16));
            }
        }
        sum = product.reduced();
    }
    sum
}

/// Sums of products before they are reduced: the lower halves', the upper halves', and those
/// across.
struct Product {
    low: __m512i,
    middle: __m512i,
    high: __m512i,
}

impl Product {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Self {
        Self {
            low: _mm512_setzero_si512(),
            middle: _mm512_setzero_si512(),
            high: _mm512_setzero_si512(),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,vpclmulqdq")]
    fn add(&mut self, text: __m512i, power: __m512i) {
        let across = [
            _mm512_clmulepi64_epi128::<0x01>(text, power),
            _mm512_clmulepi64_epi128::<0x10>(text, power),
        ];
        self.middle = _mm512_ternarylogic_epi64::<0x96>(self.middle, across[0], across[1]);
        self.low = _mm512_xor_si512(self.low, _mm512_clmulepi64_epi128::<0x00>(text, power));
        self.high = _mm512_xor_si512(self.high, _mm512_clmulepi64_epi128::<0x11>(text, power));
    }

    /// Adds two registers of a step from this one on; the sum goes into the first block.
    ///
    /// # Safety
    /// There are [`STEP`] bytes at `text`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
    unsafe fn add_two(&mut self, powers: &Powers, text: *const u8, index: usize, sum: __m128i) {
        // SAFETY: within the step, and within the table.
        let [text, power] = unsafe {
            let text = [index, index + 1]
                .map(|index| reversed(_mm512_loadu_si512(text.add(index * WIDE).cast())));
            [text, [index, index + 1].map(|index| power(powers, index * EACH))]
        };
        let text = if index == 0 { [_mm512_xor_si512(text[0], first(sum)), text[1]] } else { text };
        let [one, other] = [0, 1].map(|index| {
            let (text, power) = (text[index], power[index]);
            let across = [
                _mm512_clmulepi64_epi128::<0x01>(text, power),
                _mm512_clmulepi64_epi128::<0x10>(text, power),
            ];
            self.middle = _mm512_ternarylogic_epi64::<0x96>(self.middle, across[0], across[1]);
            [
                _mm512_clmulepi64_epi128::<0x00>(text, power),
                _mm512_clmulepi64_epi128::<0x11>(text, power),
            ]
        });
        self.low = _mm512_ternarylogic_epi64::<0x96>(self.low, one[0], other[0]);
        self.high = _mm512_ternarylogic_epi64::<0x96>(self.high, one[1], other[1]);
    }

    /// Reduces four products at once, as [`product`](crate::cipher::field::product) does,
    /// and returns their sum.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
    fn reduced(self) -> __m128i {
        let low = _mm512_xor_si512(self.low, _mm512_bslli_epi128::<8>(self.middle));
        let high = _mm512_xor_si512(self.high, _mm512_bsrli_epi128::<8>(self.middle));
        let modulus = _mm512_set1_epi64(0xc200_0000_0000_0000_u64 as i64);
        let fold = |number: __m512i| {
            let halves = _mm512_shuffle_epi32::<0b01_00_11_10>(number);
            _mm512_xor_si512(halves, _mm512_clmulepi64_epi128::<0x00>(number, modulus))
        };
        let four = _mm512_xor_si512(high, fold(fold(low)));
        let two =
            _mm256_xor_si256(_mm512_castsi512_si256(four), _mm512_extracti64x4_epi64::<1>(four));
        _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two))
    }
}

/// Returns four powers from this place on.
///
/// # Safety
/// They are within the table.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn power(powers: &Powers, place: usize) -> __m512i {
    // SAFETY: the table has `EACH` powers from this place on.
    unsafe { _mm512_loadu_si512(powers.0.as_ptr().add(place).cast()) }
}

/// Converts four blocks to numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn reversed(blocks: __m512i) -> __m512i {
    let order = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    _mm512_shuffle_epi8(blocks, _mm512_broadcast_i32x4(order))
}

/// Returns a register with the sum in the first lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn first(sum: __m128i) -> __m512i {
    _mm512_zextsi128_si512(sum)
}
