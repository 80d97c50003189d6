//! Our ChaCha20 is AWS-LC's, at every size and across every carry.

use super::*;
use crate::cipher::chacha::by_library;
use crate::cipher::text::pointers;
use crate::cpu::features::OrSkip;
use crate::inputs::Text;
use crate::tests::{Bytes, sizes, writes};

fn check(key: &[u8; 32], iv: &[u8; 16], source: &[u8], proof: Avx512) {
    let mut answer = source.to_vec();
    // SAFETY: the pointers are those of a text.
    unsafe { by_library(key, iv, pointers(Text::InPlace(&mut answer))) };
    // SAFETY: as above; there is the proof.
    writes(source, &answer, |text| unsafe {
        avx512::apply(&mut state(key, iv), pointers(text), proof);
    });
}

#[test]
fn own_code_agrees_with_the_library_at_every_size() {
    let Some(proof) = Avx512::detect().or_skip() else { return };
    let mut bytes = Bytes(1);
    let source = bytes.vec((1 << 20) + 1);
    for size in sizes() {
        check(&bytes.array(), &bytes.array(), &source[..size], proof);
    }
}

#[test]
fn own_code_agrees_with_the_library_across_carries() {
    let Some(proof) = Avx512::detect().or_skip() else { return };
    let mut bytes = Bytes(2);
    for before in 0..40 {
        for word in [0, 7, u32::MAX] {
            let (key, mut iv) = (bytes.array(), bytes.array::<16>());
            iv[..4].copy_from_slice(&(u32::MAX - before).to_le_bytes());
            iv[4..8].copy_from_slice(&word.to_le_bytes());
            for size in [64, 200, 500, 1000, 1024, 2500] {
                check(&key, &iv, &bytes.vec(size), proof);
            }
        }
    }
}
