//! Each kernel is Poly1305 of the definition.

use super::*;
use crate::cipher::poly1305::tests::texts;
use crate::cpu::features::{Avx512Bmi, OrSkip};

/// # Safety
/// The CPU has the instructions of `P`.
unsafe fn by_steps<P: Steps>(key: &[u8; 32], text: &[u8], before: usize) -> [u8; 16] {
    let mut poly = Poly1305::new(key);
    let (head, text) = text.split_at(before * BLOCK);
    poly.update_padded(head);
    let first = (text.len() / BLOCK - 1) % LANES + 1;
    // SAFETY: the CPU has the instructions of `P`.
    unsafe {
        let powers = P::new(&poly);
        let mut sums = powers.first(&poly, text, first);
        let (passes, rest) = text[first * BLOCK..].as_chunks::<PASS>();
        for pass in passes {
            let running = powers.begin(sums, pass);
            let part = |running, index| powers.part(running, pass, index);
            sums = powers.end((0..PARTS).fold(running, part), pass);
        }
        for step in rest.as_chunks::<STEP>().0 {
            sums = powers.step(sums, step);
        }
        powers.last(sums, &mut poly);
    }
    poly.finish()
}

#[test]
fn kernels_agree_with_the_definition() {
    texts(|key, text, answer| {
        for before in [0, 1, 5, 40] {
            if text.len() > before * BLOCK {
                if Ifma::detect().or_skip().is_some() {
                    // SAFETY: there is the proof.
                    let tag = unsafe { by_steps::<ifma::Powers>(key, text, before) };
                    assert_eq!(tag, answer, "{} after {before}", text.len());
                }
                if Avx512Bmi::detect().or_skip().is_some() {
                    // SAFETY: as above.
                    let tag = unsafe { by_steps::<words::Powers>(key, text, before) };
                    assert_eq!(tag, answer, "{} after {before}", text.len());
                }
            }
        }
    });
}
