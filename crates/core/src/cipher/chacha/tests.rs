//! Our ChaCha20 is AWS-LC's, at every size and across every carry.

use super::*;
use crate::cpu::features::{Avx512, OrSkip};
use crate::tests::{Bytes, sizes};

fn expected(key: &[u8; 32], iv: &[u8; 16], source: &[u8]) -> Vec<u8> {
    let mut target = vec![0; source.len()];
    // SAFETY: two ranges of the same size.
    unsafe { by_library(key, iv, source.as_ptr(), target.as_mut_ptr(), source.len()) };
    target
}

fn check(key: &[u8; 32], iv: &[u8; 16], source: &[u8], proof: Avx512) {
    let size = source.len();
    let answer = expected(key, iv, source);
    // One byte beyond shows what is written too much; one before, that nothing need be aligned.
    let mut across = vec![0xa5; size + 2];
    // SAFETY: there is the proof; the target has room from its second byte on.
    unsafe {
        let target = across.as_mut_ptr().add(1);
        avx512::apply(&mut state(key, iv), source.as_ptr(), target, size, proof);
    }
    assert!(
        across[1..=size] == answer && across[0] == 0xa5 && across[size + 1] == 0xa5,
        "{size} across"
    );
    let mut place = source.to_vec();
    // SAFETY: as above, in place.
    unsafe { avx512::apply(&mut state(key, iv), place.as_ptr(), place.as_mut_ptr(), size, proof) };
    assert!(place == answer, "{size} in place");
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
