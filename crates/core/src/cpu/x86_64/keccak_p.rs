//! Keccak-p in general registers: the rounds of [`any`], compiled for ANDN, which is `!b & c` of
//! chi, and for RORX, which rotates into another register.

use crate::cpu::any::keccak_p as any;
use crate::cpu::features::Bmi;

/// Applies the last `ROUNDS` rounds of Keccak-f\[1600\]: Keccak-p\[1600, `ROUNDS`\], an even
/// number.
#[inline]
pub(crate) fn permute<const ROUNDS: usize>(lanes: &mut [u64; 25]) {
    match Bmi::detect() {
        // SAFETY: there is a `Bmi`, so the CPU has the instructions which the function is compiled
        // for.
        Some(bmi) => unsafe { permute_bmi::<ROUNDS>(lanes, bmi) },
        None => any::permute::<ROUNDS>(lanes),
    }
}

#[target_feature(enable = "bmi1,bmi2")]
fn permute_bmi<const ROUNDS: usize>(lanes: &mut [u64; 25], _proof: Bmi) {
    any::rounds::<ROUNDS>(lanes);
}

#[cfg(test)]
#[test]
fn all_permutations_agree() {
    let mut plain = std::array::from_fn(|index| index as u64);
    let mut other = plain;
    let mut complemented = plain;
    for _ in 0..100 {
        any::permute::<24>(&mut plain);
        permute::<24>(&mut other);
        any::complemented_rounds::<24>(&mut complemented);
        assert_eq!([plain; 2], [other, complemented]);
        any::permute::<12>(&mut plain);
        permute::<12>(&mut other);
        any::complemented_rounds::<12>(&mut complemented);
        assert_eq!([plain; 2], [other, complemented]);
    }
}
