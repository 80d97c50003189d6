//! AES-GCM with AES and carry-less products on two blocks at once: a pass encrypts 16 blocks and
//! hashes 16 others, so that neither waits for the other.
//!
//! With AVX2 there are 16 registers. A pass has eight registers of AES blocks and three of sums;
//! round keys, powers of H and text come from memory.
//!
//! [`field`](crate::cipher::field) has the steps of hashing. A register has two blocks or two
//! powers.
//!
//! ```text
//! pass, 16 blocks:
//!     x[i] = the next counters ^ keys[0]                     i in 0..8
//!     the rounds that AES-192 and AES-256 have more:         x[i] = VAESENC(x[i], key)
//!     for index in 1, 2, .. 7, 0                             index 0 waits for the sum before
//!         x[i] = VAESENC(x[i], key)
//!         add register `index` of the text to hash, bytes reversed, times its powers
//!     x[i] = VAESENC(x[i], keys[ROUNDS - 1])
//!     sum = reduction
//!     target = VAESENCLAST(x[i], keys[ROUNDS] ^ source)      the last round adds the text
//! ```
//!
//! The rest, less than a pass, takes two, four or eight registers of keystream, and the last powers
//! of the table. The block of lengths is in the same sum if a power is left for it.

mod partial;
mod product;

use std::arch::asm;
use std::arch::x86_64::*;

use self::partial::{load_partial, ones, store_partial};
pub(super) use self::product::Powers;
use self::product::{Product, first, reversed};
use crate::cipher::text::Span;
use crate::cpu::features::Gcm256;
use crate::cpu::kernels::aes::expand::RoundKeys;
use crate::cpu::kernels::aes::{number, words};

/// Bytes of a register: two blocks.
const WIDE: usize = 32;
/// Registers of a pass: one starts each half cycle, and takes four.
const PASS: usize = 8;
/// Bytes and blocks of a pass, after which the sum is reduced.
const BYTES: usize = PASS * WIDE;
const BLOCKS: usize = 2 * PASS;

type Keys<'a> = super::Keys<'a, &'a Powers, Gcm256>;

/// Encrypts from this counter on, and continues the sum with the result. With `lengths` the sum
/// ends with that block.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint. The key is of as many rounds.
#[target_feature(enable = "avx2,aes,pclmulqdq,vaes,vpclmulqdq")]
pub(super) unsafe fn seal<const ROUNDS: usize>(
    keys: Keys<'_>,
    counter: u128,
    text: Span,
    sum: u128,
    lengths: Option<u128>,
) -> u128 {
    let (mut counter, mut sum) = (pair(counter), words(sum));
    let Span { source, target, size } = text;
    let mut at = 0;
    // SAFETY: what is read and written lies within the `size` bytes. What is hashed is a pass
    // behind.
    unsafe {
        if size >= BYTES {
            let stream = keystream::<PASS, ROUNDS>(keys, &mut counter);
            mix(stream, source, target);
            let (source, ahead) = (source.add(BYTES), target.add(BYTES));
            let count = size / BYTES - 1;
            sum = passes::<ROUNDS>(keys, &mut counter, (source, ahead, target), count, sum);
            at = BYTES + count * BYTES;
            sum = hash_pass(keys.powers, target.add(at - BYTES), sum);
        }
        let rest = text.from(at);
        number(end::<ROUNDS, false>(keys, counter, rest, sum, lengths))
    }
}

/// Continues the sum with a text, and decrypts it.
///
/// # Safety
/// As for [`seal`].
#[target_feature(enable = "avx2,aes,pclmulqdq,vaes,vpclmulqdq")]
pub(super) unsafe fn open<const ROUNDS: usize>(
    keys: Keys<'_>,
    counter: u128,
    text: Span,
    sum: u128,
    lengths: Option<u128>,
) -> u128 {
    let (mut counter, mut sum) = (pair(counter), words(sum));
    let Span { source, target, size } = text;
    let count = size / BYTES;
    let at = count * BYTES;
    // SAFETY: as above; a pass writes after it has read what it hashes.
    unsafe {
        sum = passes::<ROUNDS>(keys, &mut counter, (source, target, source), count, sum);
        let rest = text.from(at);
        number(end::<ROUNDS, true>(keys, counter, rest, sum, lengths))
    }
}

/// Hashes only, the last block filled up with zeros.
#[target_feature(enable = "avx2,pclmulqdq,vpclmulqdq")]
pub(super) fn hash(powers: &Powers, text: &[u8], _proof: Gcm256) -> u128 {
    let mut sum = _mm_setzero_si128();
    let (passes, rest) = text.as_chunks::<BYTES>();
    for bytes in passes {
        // SAFETY: the pointer is to a pass.
        sum = unsafe { hash_pass(powers, bytes.as_ptr(), sum) };
    }
    if rest.is_empty() {
        return number(sum);
    }
    let begin = BLOCKS - rest.len().div_ceil(16);
    let mut product = Product::zero();
    let mut first = first(sum);
    for (index, bytes) in rest.chunks(WIDE).enumerate() {
        // SAFETY: pointer and size are of a slice, the powers within the table.
        unsafe {
            let text = match bytes.len() {
                WIDE => _mm256_loadu_si256(bytes.as_ptr().cast()),
                size => load_partial(bytes.as_ptr(), size),
            };
            let text = _mm256_xor_si256(reversed(text), first);
            product.add(text, powers.at(begin + 2 * index));
        }
        first = _mm256_setzero_si256();
    }
    number(product.reduced())
}

/// Returns one block, encrypted.
#[inline]
#[target_feature(enable = "avx2,aes")]
pub(super) fn encrypted<const ROUNDS: usize>(keys: &RoundKeys, block: u128) -> u128 {
    let key = |round: usize| words(u128::from_ne_bytes(keys[round]));
    let mut block = _mm_xor_si128(words(block.swap_bytes()), key(0));
    for round in 1..ROUNDS {
        block = _mm_aesenc_si128(block, key(round));
    }
    number(_mm_aesenclast_si128(block, key(ROUNDS))).swap_bytes()
}

/// Encrypts or decrypts `count` passes from source to target, and hashes as many at the third
/// pointer. A pass reads what it hashes before it writes.
///
/// # Safety
/// There are so many passes at each pointer, at the third one each of them before its turn; source
/// and target are equal or disjoint.
#[target_feature(enable = "avx2,vaes,vpclmulqdq")]
unsafe fn passes<const ROUNDS: usize>(
    keys: Keys<'_>,
    counter: &mut __m256i,
    (source, target, text): (*const u8, *mut u8, *const u8),
    count: usize,
    mut sum: __m128i,
) -> __m128i {
    let encrypt = |keys: &RoundKeys, blocks: &mut [__m256i; PASS], round: usize| {
        let key = round_key(keys, round);
        for block in blocks {
            *block = _mm256_aesenc_epi128(*block, key);
        }
    };
    for pass in 0..count {
        let (keys, powers) = (unknown(keys.round_keys), unknown(keys.powers));
        // SAFETY: within the passes.
        let (source, target, text) =
            unsafe { (source.add(pass * BYTES), target.add(pass * BYTES), text.add(pass * BYTES)) };
        let mut blocks = next::<PASS>(counter, keys);
        let mut product = Product::zero();
        // The rounds that only longer keys have, then nine. A register is hashed along with each of
        // the first eight, what waits for the sum last.
        for round in 1..ROUNDS - 9 {
            encrypt(keys, &mut blocks, round);
        }
        macro_rules! rounds {
            ($($round:literal)*) => {$(
                encrypt(keys, &mut blocks, ROUNDS - 10 + $round);
                // SAFETY: within the pass.
                unsafe { product.add_of_pass(powers, text, $round % PASS, sum) };
                in_order(&mut blocks, &mut product);
            )*};
        }
        rounds!(1 2 3 4 5 6 7 8);
        encrypt(keys, &mut blocks, ROUNDS - 1);
        sum = product.reduced_pass();
        let last = round_key(keys, ROUNDS);
        for (index, block) in blocks.into_iter().enumerate() {
            let at = index * WIDE;
            // SAFETY: within the pass.
            unsafe {
                let text = _mm256_loadu_si256(source.add(at).cast());
                let text = _mm256_aesenclast_epi128(block, _mm256_xor_si256(last, text));
                _mm256_storeu_si256(target.add(at).cast(), text);
            }
        }
    }
    sum
}

/// Keeps the compiler from loading keys before the loop, which it would store on the stack.
#[inline]
fn unknown<T>(value: &T) -> &T {
    let mut value = std::ptr::from_ref(value);
    // SAFETY: no instructions, so it is the same reference.
    unsafe {
        asm!("/* {0} */", inout(reg) value, options(readonly, nostack, preserves_flags));
        &*value
    }
}

/// Keeps the compiler from moving rounds past this place. Otherwise it separates AES from the
/// products, for which there are too few registers.
#[inline]
#[target_feature(enable = "avx2")]
fn in_order(blocks: &mut [__m256i; PASS], product: &mut Product) {
    let [a, b, c, d, e, f, g, h] = blocks;
    let Product { low, middle, high } = product;
    // SAFETY: no instructions.
    unsafe {
        asm!(
            "/* {} {} {} {} {} {} {} {} {} {} {} */",
            inout(ymm_reg) * a,
            inout(ymm_reg) * b,
            inout(ymm_reg) * c,
            inout(ymm_reg) * d,
            inout(ymm_reg) * e,
            inout(ymm_reg) * f,
            inout(ymm_reg) * g,
            inout(ymm_reg) * h,
            inout(ymm_reg) * low,
            inout(ymm_reg) * middle,
            inout(ymm_reg) * high,
            options(nostack, preserves_flags)
        );
    }
}

/// Hashes a pass.
///
/// # Safety
/// There are [`BYTES`] at `text`.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
unsafe fn hash_pass(powers: &Powers, text: *const u8, sum: __m128i) -> __m128i {
    let mut product = Product::zero();
    for index in (1..PASS).chain([0]) {
        // SAFETY: within the pass.
        unsafe { product.add_of_pass(powers, text, index, sum) };
    }
    product.reduced_pass()
}

/// Encrypts or decrypts less than a pass, and continues the sum with the ciphertext and `lengths`.
///
/// # Safety
/// Source and target have `size` bytes, less than [`BYTES`], and are equal or disjoint.
#[inline]
#[target_feature(enable = "avx2,vaes,pclmulqdq,vpclmulqdq")]
unsafe fn end<const ROUNDS: usize, const OPEN: bool>(
    keys: Keys<'_>,
    counter: __m256i,
    text: Span,
    sum: __m128i,
    lengths: Option<u128>,
) -> __m128i {
    // SAFETY: source and target have `size` bytes, at most as many as the registers of each case
    // hold.
    unsafe {
        match text.size {
            0 => lengths.map_or(sum, |lengths| add_lengths(keys.powers, sum, lengths)),
            1..=64 => end_of::<2, ROUNDS, OPEN>(keys, counter, text, sum, lengths),
            65..=128 => end_of::<4, ROUNDS, OPEN>(keys, counter, text, sum, lengths),
            _ => end_of::<8, ROUNDS, OPEN>(keys, counter, text, sum, lengths),
        }
    }
}

/// Processes at most `COUNT` registers, but at least one byte, as [`end`] does.
///
/// # Safety
/// As for [`end`].
#[inline]
#[target_feature(enable = "avx2,vaes,pclmulqdq,vpclmulqdq")]
unsafe fn end_of<const COUNT: usize, const ROUNDS: usize, const OPEN: bool>(
    keys: Keys<'_>,
    mut counter: __m256i,
    text: Span,
    sum: __m128i,
    lengths: Option<u128>,
) -> __m128i {
    let Span { source, target, size } = text;
    let stream = keystream::<COUNT, ROUNDS>(keys, &mut counter);
    // The block of lengths has the last power, where there is one left.
    let blocks = size.div_ceil(16);
    let together = lengths.is_some() && blocks < BLOCKS;
    let begin = BLOCKS - blocks - usize::from(together);
    let mut product = Product::zero();
    for (index, stream) in stream.into_iter().enumerate() {
        let at = index * WIDE;
        if at >= size {
            break;
        }
        // SAFETY: within the `size` bytes, and within the table of powers.
        unsafe {
            let sealed = if size - at >= WIDE {
                let text = _mm256_loadu_si256(source.add(at).cast());
                let mixed = _mm256_xor_si256(text, stream);
                _mm256_storeu_si256(target.add(at).cast(), mixed);
                if OPEN { text } else { mixed }
            } else {
                let text = load_partial(source.add(at), size - at);
                let mixed = _mm256_xor_si256(text, stream);
                store_partial(target.add(at), mixed, size - at);
                if OPEN { text } else { _mm256_and_si256(mixed, ones(size - at)) }
            };
            let sealed = reversed(sealed);
            let sealed = if at == 0 { _mm256_xor_si256(sealed, first(sum)) } else { sealed };
            product.add(sealed, keys.powers.at(begin + 2 * index));
        }
    }
    match lengths {
        Some(lengths) if together => {
            // SAFETY: H, and the zeros after it.
            product.add(first(words(lengths)), unsafe { keys.powers.at(BLOCKS - 1) });
            product.reduced()
        }
        Some(lengths) => add_lengths(keys.powers, product.reduced(), lengths),
        None => product.reduced(),
    }
}

/// Continues the sum with one block.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn add_lengths(powers: &Powers, sum: __m128i, lengths: u128) -> __m128i {
    let mut product = Product::zero();
    let block = _mm_xor_si128(sum, words(lengths));
    // SAFETY: H, and the zeros after it.
    product.add(first(block), unsafe { powers.at(BLOCKS - 1) });
    product.reduced()
}

/// Returns the next registers of keystream.
#[inline]
#[target_feature(enable = "avx2,vaes")]
fn keystream<const COUNT: usize, const ROUNDS: usize>(
    keys: Keys<'_>,
    counter: &mut __m256i,
) -> [__m256i; COUNT] {
    let mut blocks = next::<COUNT>(counter, keys.round_keys);
    for round in 1..ROUNDS {
        let key = round_key(keys.round_keys, round);
        for block in &mut blocks {
            *block = _mm256_aesenc_epi128(*block, key);
        }
    }
    let last = round_key(keys.round_keys, ROUNDS);
    blocks.map(|block| _mm256_aesenclast_epi128(block, last))
}

/// Encrypts or decrypts a pass.
///
/// # Safety
/// There are [`BYTES`] at source and target, which are equal or disjoint.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn mix(stream: [__m256i; PASS], source: *const u8, target: *mut u8) {
    for (index, stream) in stream.into_iter().enumerate() {
        let at = index * WIDE;
        // SAFETY: within the pass.
        unsafe {
            let text = _mm256_loadu_si256(source.add(at).cast());
            _mm256_storeu_si256(target.add(at).cast(), _mm256_xor_si256(text, stream));
        }
    }
}

/// Returns the next blocks to encrypt, with the first round key added.
#[inline]
#[target_feature(enable = "avx2")]
fn next<const COUNT: usize>(counter: &mut __m256i, keys: &RoundKeys) -> [__m256i; COUNT] {
    let first = *counter;
    let by = |count: usize| _mm256_set_epi64x(0, count as i64, 0, count as i64);
    *counter = _mm256_add_epi32(first, by(2 * COUNT));
    let key = round_key(keys, 0);
    std::array::from_fn(|index| {
        _mm256_xor_si256(reversed(_mm256_add_epi32(first, by(2 * index))), key)
    })
}

/// Returns a round key, twice.
#[inline]
#[target_feature(enable = "avx2")]
fn round_key(keys: &RoundKeys, round: usize) -> __m256i {
    _mm256_broadcastsi128_si256(words(u128::from_ne_bytes(keys[round])))
}

/// Returns a counter and its successor: the last 32 bits count.
#[inline]
#[target_feature(enable = "avx2")]
fn pair(counter: u128) -> __m256i {
    let both = _mm256_broadcastsi128_si256(words(counter));
    _mm256_add_epi32(both, _mm256_set_epi64x(0, 1, 0, 0))
}
