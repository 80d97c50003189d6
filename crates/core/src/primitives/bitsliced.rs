//! AES for encryption on eight blocks at once, in vectors of 128 bits: no table is indexed by a
//! secret, and no branch depends on one.
//!
//! A vector has one bit of each byte of all blocks: its byte `p` has those of the eight bytes `p`
//! (Käsper and Schwabe, "Faster and timing-attack resistant AES-GCM", 2009). SubBytes is a circuit
//! over vectors. ShiftRows is left out until the end; the steps after it go by where it would have
//! moved the bytes (Adomnicai and Peyrin, "Fixslicing AES-like ciphers", 2020).
//!
//! ```text
//! x[0..8] = eight blocks; transpose: bit k of each byte to x[k]
//! x ^= keys[0]
//! for round in 1..rounds
//!     x = SubBytes(x)                               a circuit of AND and XOR
//!     below = x, each byte that of the next row     arranged by `TURNS`
//!     sums = x ^ below
//!     x = below ^ (sums, two rows farther) ^ keys[round]
//!     x ^= twice the sums in the field              x[k] ^= sums[k - 1]
//!                                                   x[0], x[1], x[3], x[4] ^= sums[7]
//! x = SubBytes(x), arranged by the ShiftRows of all rounds, ^ keys[rounds]
//! transpose back
//! ```
//!
//! The circuit leaves out the sum with 0x63, which is in the round keys. These are arranged as the
//! bytes are in their round.

use std::array::from_fn;
use std::ops::{BitAnd, BitXor};

use crate::Error;
use crate::wipe::Wiped;

/// Bytes of a block.
pub(crate) const BLOCK: usize = 16;
/// Blocks that are encrypted at once; bits of a byte.
pub(crate) const SLICES: usize = 8;
/// The round keys of AES-256.
const ROUND_KEYS_MAX: usize = 15;

/// A vector of 128 bits.
pub(crate) trait Vector: Copy + BitXor<Output = Self> + BitAnd<Output = Self> {
    /// Reads 16 bytes.
    fn load(bytes: &[u8; BLOCK]) -> Self;
    /// Writes 16 bytes.
    fn store(self, bytes: &mut [u8; BLOCK]);
    /// Shifts each half.
    fn up<const BY: u32>(self) -> Self;
    /// Shifts each half.
    fn down<const BY: u32>(self) -> Self;
    /// Returns the vector with byte `order[p]` of this one as byte `p`.
    fn arranged(self, order: Self) -> Self;
}

/// An order of the bytes of a block.
type Order = [u8; BLOCK];

/// Returns the order of so many ShiftRows.
const fn shift_rows(times: usize) -> Order {
    let mut order = [0; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        order[at] = ((at + 4 * times * (at % 4)) % BLOCK) as u8;
        at += 1;
    }
    order
}

/// Returns the order of a turn of all columns by so many rows between two orders that undo each
/// other: ShiftRows done and undone.
const fn turn(times: usize, rows: usize) -> Order {
    let (done, undone) = (shift_rows(times), shift_rows(4 - times));
    let mut order = [0; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        let place = undone[at] as usize;
        order[at] = done[place / 4 * 4 + (place + rows) % 4];
        at += 1;
    }
    order
}

/// For the number of a round modulo four, turns by one row and by two.
const TURNS: [[Order; 2]; 4] = [
    [turn(0, 1), turn(0, 2)],
    [turn(1, 1), turn(1, 2)],
    [turn(2, 1), turn(2, 2)],
    [turn(3, 1), turn(3, 2)],
];

/// The expanded key: the bits of each round key for eight blocks.
pub(crate) struct Key<V> {
    rounds: usize,
    keys: [[V; SLICES]; ROUND_KEYS_MAX],
    /// [`TURNS`], and the ShiftRows of all rounds. Here and not constants, because LLVM makes
    /// shuffles of constant orders, and V8 loads the order again for each shuffle.
    turns: [[V; 2]; 4],
    shift_rows: V,
}

impl<V: Vector> Key<V> {
    /// Expands a key of 16, 24 or 32 bytes (FIPS 197, section 5.2).
    pub(crate) fn new(key: &[u8]) -> Result<Self, Error> {
        if !matches!(key.len(), 16 | 24 | 32) {
            return Err(Error::KeySize);
        }
        let rounds = key.len() / 4 + 6;
        let mut words = Wiped([0_u32; 4 * ROUND_KEYS_MAX]);
        let (words, size) = (&mut words.0, key.len() / 4);
        let zero = V::load(&[0; BLOCK]);
        // A round without keys and ShiftRows is SubBytes.
        let mut made = Self {
            rounds: 1,
            keys: [[zero; SLICES]; ROUND_KEYS_MAX],
            turns: TURNS.map(|turns| turns.map(|order| V::load(&order))),
            shift_rows: V::load(&shift_rows(0)),
        };
        let mut group = Wiped([[0; BLOCK]; SLICES]);
        let mut substituted = |word: u32| {
            group.0[0][..4].copy_from_slice(&word.to_le_bytes());
            made.encrypt_group(&mut group.0);
            let [a, b, c, d, ..] = group.0[0];
            u32::from_le_bytes([a, b, c, d]) ^ 0x6363_6363
        };
        for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        let mut constant = 1_u32;
        for at in size..4 * (rounds + 1) {
            let mut word = words[at - 1];
            if at % size == 0 {
                word = substituted(word.rotate_right(8)) ^ constant;
                constant = constant << 1 ^ if constant >> 7 == 1 { 0x11b } else { 0 };
            } else if size > 6 && at % size == 4 {
                word = substituted(word);
            }
            words[at] = words[at - size] ^ word;
        }
        for (round, slices) in made.keys[..=rounds].iter_mut().enumerate() {
            let mut bytes = Wiped([0; BLOCK]);
            let bytes = &mut bytes.0;
            for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(&words[4 * round..]) {
                // The circuit leaves out the sum with 0x63, which no later step of a round changes.
                let omitted = if round > 0 { 0x6363_6363 } else { 0 };
                *bytes = (word ^ omitted).to_le_bytes();
            }
            // The last is added after ShiftRows.
            let undone = shift_rows(if round < rounds { (4 - round % 4) % 4 } else { 0 });
            *slices = [V::load(bytes).arranged(V::load(&undone)); SLICES];
            transpose(slices);
        }
        (made.rounds, made.shift_rows) = (rounds, V::load(&shift_rows(rounds % 4)));
        Ok(made)
    }

    /// Encrypts blocks.
    pub(crate) fn encrypt(&self, blocks: &mut [[u8; BLOCK]]) {
        let (groups, rest) = blocks.as_chunks_mut();
        groups.iter_mut().for_each(|group| self.encrypt_group(group));
        if !rest.is_empty() {
            let mut group = Wiped([[0; BLOCK]; SLICES]);
            group.0[..rest.len()].copy_from_slice(rest);
            self.encrypt_group(&mut group.0);
            rest.copy_from_slice(&group.0[..rest.len()]);
        }
    }

    #[inline(never)]
    fn encrypt_group(&self, blocks: &mut [[u8; BLOCK]; SLICES]) {
        let mut x: [V; SLICES] = from_fn(|block| V::load(&blocks[block]));
        transpose(&mut x);
        x = each(x, self.keys[0], |x, key| x ^ key);
        for (round, key) in self.keys[..self.rounds].iter().enumerate().skip(1) {
            substitute(&mut x);
            let [one, two] = self.turns[round % 4];
            let below = each(x, x, |x, _| x.arranged(one));
            // A byte of a new column is twice the sum of two, the second, and the sum of the
            // others.
            let sums = each(x, below, |x, below| x ^ below);
            let rest = each(
                each(sums, below, |sum, below| sum.arranged(two) ^ below),
                *key,
                |rest, key| rest ^ key,
            );
            let [a, b, c, d, e, f, g, h] = sums;
            x = each(rest, [h, a ^ h, b, c ^ h, d ^ h, e, f, g], |rest, twice| rest ^ twice);
        }
        substitute(&mut x);
        x = each(x, self.keys[self.rounds], |x, key| x.arranged(self.shift_rows) ^ key);
        transpose(&mut x);
        for (block, vector) in blocks.iter_mut().zip(x) {
            vector.store(block);
        }
    }
}

/// Combines vectors one by one; loops over vectors would keep them in memory.
#[inline(always)]
fn each<V: Copy>(x: [V; SLICES], y: [V; SLICES], combined: impl Fn(V, V) -> V) -> [V; SLICES] {
    [
        combined(x[0], y[0]),
        combined(x[1], y[1]),
        combined(x[2], y[2]),
        combined(x[3], y[3]),
        combined(x[4], y[4]),
        combined(x[5], y[5]),
        combined(x[6], y[6]),
        combined(x[7], y[7]),
    ]
}

/// Exchanges vectors and bits: bit `i` of each byte of vector `k` becomes bit `k` of that byte of
/// vector `i`.
#[inline(always)]
fn transpose<V: Vector>(x: &mut [V; SLICES]) {
    macro_rules! exchange {
        ($by:literal, $mask:literal, $($low:literal)*) => {
            let mask = V::load(&[$mask; BLOCK]);
            $({
                let changed = (x[$low].down::<$by>() ^ x[$low + $by]) & mask;
                x[$low + $by] = x[$low + $by] ^ changed;
                x[$low] = x[$low] ^ changed.up::<$by>();
            })*
        };
    }
    exchange!(1, 0x55, 0 2 4 6);
    exchange!(2, 0x33, 0 1 4 5);
    exchange!(4, 0x0f, 0 1 2 3);
}

/// Applies SubBytes without its sum with 0x63, on the bits of bytes from the lowest: the circuit of
/// Boyar and Peralta, "A depth-16 circuit for the AES S-box" (2011), with its names.
#[inline(always)]
fn substitute<V: Vector>(x: &mut [V; SLICES]) {
    let [x7, x6, x5, x4, x3, x2, x1, x0] = *x;
    // The linear map into a field in which inverses are simple.
    let y14 = x3 ^ x5;
    let y13 = x0 ^ x6;
    let y9 = x0 ^ x3;
    let y8 = x0 ^ x5;
    let t0 = x1 ^ x2;
    let y1 = t0 ^ x7;
    let y4 = y1 ^ x3;
    let y12 = y13 ^ y14;
    let y2 = y1 ^ x0;
    let y5 = y1 ^ x6;
    let y3 = y5 ^ y8;
    let t1 = x4 ^ y12;
    let y15 = t1 ^ x5;
    let y20 = t1 ^ x1;
    let y6 = y15 ^ x7;
    let y10 = y15 ^ t0;
    let y11 = y20 ^ y9;
    let y7 = x7 ^ y11;
    let y17 = y10 ^ y11;
    let y19 = y10 ^ y8;
    let y16 = t0 ^ y11;
    let y21 = y13 ^ y16;
    let y18 = x0 ^ y16;
    // The inverse.
    let t2 = y12 & y15;
    let t3 = y3 & y6;
    let t4 = t3 ^ t2;
    let t5 = y4 & x7;
    let t6 = t5 ^ t2;
    let t7 = y13 & y16;
    let t8 = y5 & y1;
    let t9 = t8 ^ t7;
    let t10 = y2 & y7;
    let t11 = t10 ^ t7;
    let t12 = y9 & y11;
    let t13 = y14 & y17;
    let t14 = t13 ^ t12;
    let t15 = y8 & y10;
    let t16 = t15 ^ t12;
    let t17 = t4 ^ t14;
    let t18 = t6 ^ t16;
    let t19 = t9 ^ t14;
    let t20 = t11 ^ t16;
    let t21 = t17 ^ y20;
    let t22 = t18 ^ y19;
    let t23 = t19 ^ y21;
    let t24 = t20 ^ y18;
    let t25 = t21 ^ t22;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t28 = t25 & t27;
    let t29 = t28 ^ t22;
    let t30 = t23 ^ t24;
    let t31 = t22 ^ t26;
    let t32 = t31 & t30;
    let t33 = t32 ^ t24;
    let t34 = t23 ^ t33;
    let t35 = t27 ^ t33;
    let t36 = t24 & t35;
    let t37 = t36 ^ t34;
    let t38 = t27 ^ t36;
    let t39 = t29 & t38;
    let t40 = t25 ^ t39;
    let t41 = t40 ^ t37;
    let t42 = t29 ^ t33;
    let t43 = t29 ^ t40;
    let t44 = t33 ^ t37;
    let t45 = t42 ^ t41;
    let z0 = t44 & y15;
    let z1 = t37 & y6;
    let z2 = t33 & x7;
    let z3 = t43 & y16;
    let z4 = t40 & y1;
    let z5 = t29 & y7;
    let z6 = t42 & y11;
    let z7 = t45 & y17;
    let z8 = t41 & y10;
    let z9 = t44 & y12;
    let z10 = t37 & y3;
    let z11 = t33 & y4;
    let z12 = t43 & y13;
    let z13 = t40 & y5;
    let z14 = t29 & y2;
    let z15 = t42 & y9;
    let z16 = t45 & y14;
    let z17 = t41 & y8;
    // The linear map back, with that of the S-box.
    let t46 = z15 ^ z16;
    let t47 = z10 ^ z11;
    let t48 = z5 ^ z13;
    let t49 = z9 ^ z10;
    let t50 = z2 ^ z12;
    let t51 = z2 ^ z5;
    let t52 = z7 ^ z8;
    let t53 = z0 ^ z3;
    let t54 = z6 ^ z7;
    let t55 = z16 ^ z17;
    let t56 = z12 ^ t48;
    let t57 = t50 ^ t53;
    let t58 = z4 ^ t46;
    let t59 = z3 ^ t54;
    let t60 = t46 ^ t57;
    let t61 = z14 ^ t57;
    let t62 = t52 ^ t58;
    let t63 = t49 ^ t58;
    let t64 = z4 ^ t59;
    let t65 = t61 ^ t62;
    let t66 = z1 ^ t63;
    let t67 = t64 ^ t65;
    let s3 = t53 ^ t66;
    *x = [t48 ^ t60, t56 ^ t62, t47 ^ t65, t51 ^ t66, s3, t55 ^ t67, t64 ^ s3, t59 ^ t63];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::rust_aes::Encryption;
    use crate::tests::Bytes;

    impl Vector for u128 {
        fn load(bytes: &[u8; BLOCK]) -> Self {
            u128::from_le_bytes(*bytes)
        }

        fn store(self, bytes: &mut [u8; BLOCK]) {
            *bytes = self.to_le_bytes();
        }

        fn up<const BY: u32>(self) -> Self {
            let half = |half: u128| u128::from((half as u64) << BY);
            half(self) | half(self >> 64) << 64
        }

        fn down<const BY: u32>(self) -> Self {
            let half = |half: u128| u128::from((half as u64) >> BY);
            half(self) | half(self >> 64) << 64
        }

        fn arranged(self, order: Self) -> Self {
            let bytes = self.to_le_bytes();
            u128::from_le_bytes(order.to_le_bytes().map(|at| bytes[usize::from(at)]))
        }
    }

    #[test]
    fn bitsliced_aes_agrees_with_the_library() {
        let mut bytes = Bytes(41);
        for size in [16, 24, 32] {
            for count in 1..30 {
                let key = bytes.vec(size);
                let mut ours: Vec<[u8; BLOCK]> = (0..count).map(|_| bytes.array()).collect();
                let mut theirs = ours.clone();
                Key::<u128>::new(&key).expect("a key of the right size").encrypt(&mut ours);
                Encryption::new(&key).expect("as above").encrypt_blocks(&mut theirs);
                assert_eq!(ours, theirs, "{size}, {count}");
            }
        }
        assert!(Key::<u128>::new(&[0; 20]).is_err());
    }
}
