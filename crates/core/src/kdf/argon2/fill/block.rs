//! Argon2's compression of two blocks of 1 KiB into one (RFC 9106, section 3.5), in scalar
//! code. `cpu/x86_64` has it with AVX2 and AVX-512.
//!
//! A block is eight rows of 16 words. BLAKE2b's round, with products in its sums, goes over each
//! row and then over each of eight columns, which are two words wide.
//!
//! ```text
//! w = before ^ other
//! round(each row of w);  round(each column of w)
//! target = w ^ before ^ other, and ^ target if it mixes
//! round(v[0..16]):   mix the columns (0 4 8 12), (1 5 9 13) and so on, then the diagonals
//! mix(a, b, c, d):   a = sum(a, b);  d = (d ^ a) >>> 32;  c = sum(c, d);  b = (b ^ c) >>> 24
//!                    a = sum(a, b);  d = (d ^ a) >>> 16;  c = sum(c, d);  b = (b ^ c) >>> 63
//! sum(x, y):         x + y + 2 * (the product of their lower halves)
//! ```

/// Words of a block.
pub(crate) const WORDS: usize = 128;

/// A block of 1 KiB, aligned to a cache line.
#[repr(align(64))]
#[derive(Copy, Clone)]
pub(crate) struct Block(pub(crate) [u64; WORDS]);

/// Compresses two blocks into `target`; in scalar code.
///
/// # Safety
/// Each pointer is that of a block that is valid for reads, `target` for writes too. `target` is
/// neither of the others, which may be one block.
#[inline]
pub(crate) unsafe fn plain(
    before: *const Block,
    other: *const Block,
    target: *mut Block,
    mixes: bool,
    early: impl FnOnce(u64),
) {
    // SAFETY: each pointer is that of a whole, aligned block. `target` is neither of the others, so
    // no other reference to it exists.
    let (before, other, target) = unsafe { (&(*before).0, &(*other).0, &mut (*target).0) };
    let start: [u64; WORDS] = std::array::from_fn(|word| before[word] ^ other[word]);
    let mut words = start;
    for row in 0..8 {
        round(&mut words, |word| 16 * row + word);
    }
    for column in 0..8 {
        round(&mut words, |word| 2 * column + word / 2 * 16 + word % 2);
    }
    for (word, target) in target.iter_mut().enumerate() {
        *target = words[word] ^ start[word] ^ if mixes { *target } else { 0 };
    }
    early(target[0]);
}

/// Applies a round to the words at these places.
#[inline]
fn round(words: &mut [u64; WORDS], place: impl Fn(usize) -> usize) {
    let mut v: [u64; 16] = std::array::from_fn(|word| words[place(word)]);
    let mut mix = |a: usize, b: usize, c: usize, d: usize| {
        let sum = |x: u64, y: u64| {
            let product = u64::from(x as u32).wrapping_mul(u64::from(y as u32));
            x.wrapping_add(y).wrapping_add(product.wrapping_mul(2))
        };
        v[a] = sum(v[a], v[b]);
        v[d] = (v[d] ^ v[a]).rotate_right(32);
        v[c] = sum(v[c], v[d]);
        v[b] = (v[b] ^ v[c]).rotate_right(24);
        v[a] = sum(v[a], v[b]);
        v[d] = (v[d] ^ v[a]).rotate_right(16);
        v[c] = sum(v[c], v[d]);
        v[b] = (v[b] ^ v[c]).rotate_right(63);
    };
    mix(0, 4, 8, 12);
    mix(1, 5, 9, 13);
    mix(2, 6, 10, 14);
    mix(3, 7, 11, 15);
    mix(0, 5, 10, 15);
    mix(1, 6, 11, 12);
    mix(2, 7, 8, 13);
    mix(3, 4, 9, 14);
    for (word, value) in v.into_iter().enumerate() {
        words[place(word)] = value;
    }
}
