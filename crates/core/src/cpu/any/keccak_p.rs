//! Keccak-p in general registers.
//!
//! `a` and `e` are 25 words each; `a[y][x]` is the lane of row y and column x.
//!
//! ```text
//! c[x] = a[0][x] ^ a[1][x] ^ a[2][x] ^ a[3][x] ^ a[4][x]     parities of columns
//! for each two rounds: round(a to e), round(e to a)
//! round(a to e):
//!     d[x] = c[x - 1] ^ (c[x + 1] <<< 1)                     theta
//!     for each row y of e
//!         b[0..5] = five words (a ^ d) along a diagonal      theta, pi
//!         b[x] = b[x] <<< offset                             rho
//!         e[y][x] = b[x] ^ (!b[x + 1] & b[x + 2])            chi
//!         if y = 0: e[0][0] ^= constant                      iota
//!         c[x] ^= e[y][x], from 0 on at y = 0                parities for the next round
//! ```

use super::WASM;
use crate::hash::compression::constants::CONSTANTS_KECCAK;

/// Applies the last `ROUNDS` rounds of Keccak-f\[1600\]: Keccak-p\[1600, `ROUNDS`\], an even
/// number.
pub(crate) fn permute<const ROUNDS: usize>(lanes: &mut [u64; 25]) {
    if WASM {
        complemented_rounds::<ROUNDS>(lanes);
    } else {
        rounds::<ROUNDS>(lanes);
    }
}

/// One round from the lanes `$a` to the lanes `$e`, both in rows. `$c` holds the parities of the
/// columns of `$a`, and those of `$e` afterwards: each is taken up as soon as a row is done.
macro_rules! round {
    ($c:ident, $constant:expr,
     $a00:ident $a01:ident $a02:ident $a03:ident $a04:ident
     $a10:ident $a11:ident $a12:ident $a13:ident $a14:ident
     $a20:ident $a21:ident $a22:ident $a23:ident $a24:ident
     $a30:ident $a31:ident $a32:ident $a33:ident $a34:ident
     $a40:ident $a41:ident $a42:ident $a43:ident $a44:ident =>
     $e00:ident $e01:ident $e02:ident $e03:ident $e04:ident
     $e10:ident $e11:ident $e12:ident $e13:ident $e14:ident
     $e20:ident $e21:ident $e22:ident $e23:ident $e24:ident
     $e30:ident $e31:ident $e32:ident $e33:ident $e34:ident
     $e40:ident $e41:ident $e42:ident $e43:ident $e44:ident) => {
        let d0 = $c[4] ^ $c[1].rotate_left(1);
        let d1 = $c[0] ^ $c[2].rotate_left(1);
        let d2 = $c[1] ^ $c[3].rotate_left(1);
        let d3 = $c[2] ^ $c[4].rotate_left(1);
        let d4 = $c[3] ^ $c[0].rotate_left(1);
        round!(@row $a00 ^ d0, 0, $a11 ^ d1, 44, $a22 ^ d2, 43, $a33 ^ d3, 21, $a44 ^ d4, 14
            => $e00 $e01 $e02 $e03 $e04);
        $e00 ^= $constant;
        $c = [$e00, $e01, $e02, $e03, $e04];
        round!(@row $a03 ^ d3, 28, $a14 ^ d4, 20, $a20 ^ d0, 3, $a31 ^ d1, 45, $a42 ^ d2, 61
            => $e10 $e11 $e12 $e13 $e14);
        round!(@parity $c $e10 $e11 $e12 $e13 $e14);
        round!(@row $a01 ^ d1, 1, $a12 ^ d2, 6, $a23 ^ d3, 25, $a34 ^ d4, 8, $a40 ^ d0, 18
            => $e20 $e21 $e22 $e23 $e24);
        round!(@parity $c $e20 $e21 $e22 $e23 $e24);
        round!(@row $a04 ^ d4, 27, $a10 ^ d0, 36, $a21 ^ d1, 10, $a32 ^ d2, 15, $a43 ^ d3, 56
            => $e30 $e31 $e32 $e33 $e34);
        round!(@parity $c $e30 $e31 $e32 $e33 $e34);
        round!(@row $a02 ^ d2, 62, $a13 ^ d3, 55, $a24 ^ d4, 39, $a30 ^ d0, 41, $a41 ^ d1, 2
            => $e40 $e41 $e42 $e43 $e44);
        round!(@parity $c $e40 $e41 $e42 $e43 $e44);
    };
    (@row $b0:expr, $r0:literal, $b1:expr, $r1:literal, $b2:expr, $r2:literal, $b3:expr,
        $r3:literal, $b4:expr,
     $r4:literal => $e0:ident $e1:ident $e2:ident $e3:ident $e4:ident) => {
        let b0: u64 = ($b0).rotate_left($r0);
        let b1: u64 = ($b1).rotate_left($r1);
        let b2: u64 = ($b2).rotate_left($r2);
        let b3: u64 = ($b3).rotate_left($r3);
        let b4: u64 = ($b4).rotate_left($r4);
        [$e0, $e1, $e2, $e3, $e4] = chi([b0, b1, b2, b3, b4]);
    };
    (@parity $c:ident $e0:ident $e1:ident $e2:ident $e3:ident $e4:ident) => {
        $c[0] ^= $e0;
        $c[1] ^= $e1;
        $c[2] ^= $e2;
        $c[3] ^= $e3;
        $c[4] ^= $e4;
    };
}

/// Applies the step chi to a row.
#[inline(always)]
fn chi([a, b, c, d, e]: [u64; 5]) -> [u64; 5] {
    [a ^ (!b & c), b ^ (!c & d), c ^ (!d & e), d ^ (!e & a), e ^ (!a & b)]
}

/// Applies the rounds, two at a time so that no lane needs to be moved back.
///
/// 24 rounds on Zen 5 with ANDN and RORX take 188 ns, without them 225. Tried and declined: six and
/// 24 rounds unrolled (the same); arrays and loops for the compiler to unroll (202 and 222);
/// `sha3-asm` with its x86-64 script (203) and its AVX-512VL script (250), which also needs perl to
/// build; AWS-LC, which has no original Keccak and only EVP in front (213).
#[inline(always)]
#[rustfmt::skip] // rows
pub(crate) fn rounds<const ROUNDS: usize>(lanes: &mut [u64; 25]) {
    let [
        mut a00, mut a01, mut a02, mut a03, mut a04,
        mut a10, mut a11, mut a12, mut a13, mut a14,
        mut a20, mut a21, mut a22, mut a23, mut a24,
        mut a30, mut a31, mut a32, mut a33, mut a34,
        mut a40, mut a41, mut a42, mut a43, mut a44,
    ] = *lanes;
    let (mut e00, mut e01, mut e02, mut e03, mut e04);
    let (mut e10, mut e11, mut e12, mut e13, mut e14);
    let (mut e20, mut e21, mut e22, mut e23, mut e24);
    let (mut e30, mut e31, mut e32, mut e33, mut e34);
    let (mut e40, mut e41, mut e42, mut e43, mut e44);
    let mut c = [
        a00 ^ a10 ^ a20 ^ a30 ^ a40,
        a01 ^ a11 ^ a21 ^ a31 ^ a41,
        a02 ^ a12 ^ a22 ^ a32 ^ a42,
        a03 ^ a13 ^ a23 ^ a33 ^ a43,
        a04 ^ a14 ^ a24 ^ a34 ^ a44,
    ];
    for [first, second] in CONSTANTS_KECCAK[24 - ROUNDS..].as_chunks().0 {
        round!(c, first,
            a00 a01 a02 a03 a04 a10 a11 a12 a13 a14 a20 a21 a22 a23 a24
            a30 a31 a32 a33 a34 a40 a41 a42 a43 a44 =>
            e00 e01 e02 e03 e04 e10 e11 e12 e13 e14 e20 e21 e22 e23 e24
            e30 e31 e32 e33 e34 e40 e41 e42 e43 e44);
        round!(c, second,
            e00 e01 e02 e03 e04 e10 e11 e12 e13 e14 e20 e21 e22 e23 e24
            e30 e31 e32 e33 e34 e40 e41 e42 e43 e44 =>
            a00 a01 a02 a03 a04 a10 a11 a12 a13 a14 a20 a21 a22 a23 a24
            a30 a31 a32 a33 a34 a40 a41 a42 a43 a44);
    }
    *lanes = [
        a00, a01, a02, a03, a04,
        a10, a11, a12, a13, a14,
        a20, a21, a22, a23, a24,
        a30, a31, a32, a33, a34,
        a40, a41, a42, a43, a44,
    ];
}

/// Applies the rounds for WebAssembly: one by one, as its compilers need few live values, and with
/// some lanes complemented, as it has no ANDN. A row of chi then takes one NOT at most (Bertoni and
/// others, "Keccak implementation overview", 2012, section 2.2).
///
/// 24 rounds on Zen 3 in Node.js 20, 24 and 26 take 376, 421 and 412 ns; two at a time, as in
/// `rounds`, 503, 434 and 436. In a module optimized for size they take 407 (Node.js 20), and 2,200
/// with loops over the lanes.
#[inline(always)]
pub(crate) fn complemented_rounds<const ROUNDS: usize>(lanes: &mut [u64; 25]) {
    const COMPLEMENTED: [u64; 25] = {
        let mut masks = [0; 25];
        (masks[1], masks[2], masks[8]) = (!0, !0, !0);
        (masks[12], masks[17], masks[20]) = (!0, !0, !0);
        masks
    };
    lanes.iter_mut().zip(COMPLEMENTED).for_each(|(lane, mask)| *lane ^= mask);
    let [mut a, mut b, mut c, mut d, mut e] = *lanes.as_chunks::<5>().0 else { unreachable!() };
    for constant in &CONSTANTS_KECCAK[24 - ROUNDS..] {
        let parity = |x: usize| a[x] ^ b[x] ^ c[x] ^ d[x] ^ e[x];
        let p = [parity(0), parity(1), parity(2), parity(3), parity(4)];
        let theta = |x: usize| p[(x + 4) % 5] ^ p[(x + 1) % 5].rotate_left(1);
        let t = [theta(0), theta(1), theta(2), theta(3), theta(4)];
        // The steps rho and pi, and chi.
        macro_rules! row {
            ($row:literal: $($lanes:ident[$x:literal] rol $by:literal),*) => {
                complemented_chi::<$row>([$(($lanes[$x] ^ t[$x]).rotate_left($by)),*])
            };
        }
        (a, b, c, d, e) = (
            row!(0: a[0] rol 0, b[1] rol 44, c[2] rol 43, d[3] rol 21, e[4] rol 14),
            row!(1: a[3] rol 28, b[4] rol 20, c[0] rol 3, d[1] rol 45, e[2] rol 61),
            row!(2: a[1] rol 1, b[2] rol 6, c[3] rol 25, d[4] rol 8, e[0] rol 18),
            row!(3: a[4] rol 27, b[0] rol 36, c[1] rol 10, d[2] rol 15, e[3] rol 56),
            row!(4: a[2] rol 62, b[3] rol 55, c[4] rol 39, d[0] rol 41, e[1] rol 2),
        );
        a[0] ^= constant;
    }
    lanes.copy_from_slice([a, b, c, d, e].as_flattened());
    lanes.iter_mut().zip(COMPLEMENTED).for_each(|(lane, mask)| *lane ^= mask);
}

/// Applies the step chi to a row whose lanes are complemented as [`complemented_rounds`] says.
#[inline(always)]
fn complemented_chi<const ROW: usize>([a, b, c, d, e]: [u64; 5]) -> [u64; 5] {
    match ROW {
        0 => [a ^ (b | c), b ^ (!c | d), c ^ (d & e), d ^ (e | a), e ^ (a & b)],
        1 => [a ^ (b | c), b ^ (c & d), c ^ (d | !e), d ^ (e | a), e ^ (a & b)],
        2 => [a ^ (b | c), b ^ (c & d), c ^ (!d & e), !d ^ (e | a), e ^ (a & b)],
        3 => [a ^ (b & c), b ^ (c | d), c ^ (!d | e), !d ^ (e & a), e ^ (a | b)],
        _ => [a ^ (!b & c), !b ^ (c | d), c ^ (d & e), d ^ (e | a), e ^ (a & b)],
    }
}
