//! Our AES-CTR is the library's, at every size and across every carry.

use super::wide::WideKey;
use super::*;
use crate::cpu::features::{OrSkip, Vaes256, Vaes512};
use crate::tests::{Bytes, sizes};

fn expected(key: &[u8], iv: &[u8; 16], source: &[u8]) -> Vec<u8> {
    let mut target = vec![0; source.len()];
    let mut library = MaybeUninit::uninit();
    LibraryKey::prepare(&mut library, key).expect("a key of the right size");
    // SAFETY: the key is prepared; two ranges of the same size.
    unsafe {
        library.assume_init_ref().counter_mode(
            iv,
            source.as_ptr(),
            target.as_mut_ptr(),
            source.len(),
        );
    }
    target
}

fn check(key: &[u8], iv: &[u8; 16], source: &[u8]) {
    let size = source.len();
    let answer = expected(key, iv, source);
    if Vaes256::detect().or_skip().is_none() {
        return;
    }
    for wide in [None, Vaes512::detect().or_skip()] {
        let mut ours = WideKey::vacant().expect("the instructions are there");
        ours.wide = wide;
        ours.prepare(key).expect("a key of the right size");
        // One byte beyond shows what is written too much; one before, that nothing need be aligned.
        let mut across = vec![0xa5; size + 2];
        // SAFETY: the target has room from its second byte on.
        unsafe { ours.apply(iv, source.as_ptr(), across.as_mut_ptr().add(1), size) };
        assert!(
            across[1..=size] == answer && across[0] == 0xa5 && across[size + 1] == 0xa5,
            "{size} across"
        );
        let mut place = source.to_vec();
        // SAFETY: in place.
        unsafe { ours.apply(iv, place.as_ptr(), place.as_mut_ptr(), size) };
        assert!(place == answer, "{size} in place");
    }
}

#[test]
fn own_code_agrees_with_the_library_at_every_size() {
    let mut bytes = Bytes(1);
    let source = bytes.vec((1 << 20) + 1);
    for size in sizes() {
        let key: [u8; 32] = bytes.array();
        for key_size in [16, 24, 32] {
            check(&key[..key_size], &bytes.array(), &source[..size]);
        }
    }
}

#[test]
fn own_code_agrees_with_the_library_across_carries() {
    let mut bytes = Bytes(2);
    for bits in [32, 64, 96, 128] {
        for before in 0..70 {
            let (key, random) = (bytes.array::<32>(), u128::from_be_bytes(bytes.array()));
            // The lowest bits are just below their border.
            let iv = ((random | (u128::MAX >> (128 - bits))) - before).to_be_bytes();
            for size in [16, 64, 100, 512, 1000, 2500] {
                check(&key, &iv, &bytes.vec(size));
            }
        }
    }
}

#[test]
fn a_key_of_another_size_is_refused() {
    if Vaes256::detect().or_skip().is_none() {
        return;
    }
    for size in [0, 15, 17, 31, 33] {
        let mut key = WideKey::vacant().expect("the instructions are there");
        assert_eq!(key.prepare(&vec![7; size]), Err(Error::KeySize));
    }
}
