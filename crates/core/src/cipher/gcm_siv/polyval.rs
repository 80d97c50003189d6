//! POLYVAL (RFC 8452, section 3): a polynomial in H with the blocks as coefficients, over the
//! field of [`field`](crate::cipher::field). By a kernel where the CPU has carry-less products.

use crate::cipher::field::{Factor, extended};
use crate::cpu::kernels::polyval as kernel;
use crate::wipe::Wiped;

/// POLYVAL under one key.
#[allow(clippy::large_enum_variant)] // on the heap
pub(super) enum Polyval {
    /// Without the CPU's products: H.
    Plain(Wiped<u128>),
    Kernel(kernel::Powers),
}

impl Polyval {
    /// Returns room for the powers, to be prepared before use.
    pub(super) fn vacant() -> Self {
        Polyval::Plain(Wiped(0))
    }

    /// Chooses, and prepares the powers at the place where they stay.
    pub(super) fn prepare(&mut self, h: Factor) {
        self.prepare_by(kernel::Powers::vacant(), h);
    }

    fn prepare_by(&mut self, powers: Option<kernel::Powers>, h: Factor) {
        *self = powers.map_or(Polyval::Plain(Wiped(0)), Polyval::Kernel);
        match self {
            Polyval::Plain(place) => place.0 = h.0,
            Polyval::Kernel(powers) => powers.prepare(h),
        }
    }

    /// Returns the sum of a text, the last block filled up with zeros: each block times the power
    /// of H for its distance from the end, the last times H.
    pub(super) fn sum(&self, text: &[u8]) -> u128 {
        match self {
            Polyval::Plain(h) => extended(0, Factor(h.0), text),
            Polyval::Kernel(powers) => powers.sum(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Bytes, reads, sizes};

    /// Returns every implementation that this CPU has.
    fn ways(h: Factor) -> Vec<(&'static str, Polyval)> {
        let mut ways = vec![("plain", Polyval::Plain(Wiped(h.0)))];
        for detect in kernel::EACH {
            let Some(powers) = detect() else { continue };
            let mut polyval = Polyval::vacant();
            polyval.prepare_by(Some(powers), h);
            ways.push(("kernel", polyval));
        }
        let mut chosen = Polyval::vacant();
        chosen.prepare(h);
        ways.push(("chosen", chosen));
        ways
    }

    /// RFC 8452, appendix A.
    #[test]
    fn the_example_of_the_standard_is_reproduced() {
        let number = |hex: &str| u128::from_str_radix(hex, 16).expect("a number").swap_bytes();
        let h = Factor(number("25629347589242761d31f826ba4b757b"));
        let text = ["4f4f95668c83dfb6401762bb2d01a262", "d1a24ddd2721d006bbe45f20d3c9f362"];
        let text = text.map(|hex| number(hex).to_le_bytes()).concat();
        for (name, polyval) in ways(h) {
            assert_eq!(polyval.sum(&text), number("f7a3b47b846119fae5b7866cf5e5b77e"), "{name}");
        }
    }

    #[test]
    fn all_ways_agree_at_every_size() {
        let mut bytes = Bytes(14);
        let h = Factor(u128::from_ne_bytes(bytes.array()));
        let (ways, text) = (ways(h), bytes.vec(20_000));
        for size in sizes().filter(|&size| size <= text.len()) {
            let sum = ways[0].1.sum(&text[..size]);
            reads(&text[..size], |text| {
                assert!(ways.iter().all(|(_, way)| way.sum(text) == sum), "{size}");
            });
        }
    }
}
