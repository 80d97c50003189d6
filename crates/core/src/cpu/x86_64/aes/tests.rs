//! Our AES-CTR is the library's, at every size and across every carry.

use std::mem::MaybeUninit;

use super::*;
use crate::cipher::text::pointers;
use crate::cpu::features::OrSkip;
use crate::inputs::Text;
use crate::primitives::{Aes, Library, Primitives};
use crate::tests::{Bytes, sizes, writes};

fn expected(key: &[u8], iv: &[u8; 16], source: &[u8]) -> Vec<u8> {
    let mut target = source.to_vec();
    let mut library = MaybeUninit::uninit();
    <Library as Primitives>::Aes::prepare(&mut library, key).expect("a key of the right size");
    // SAFETY: the key is prepared.
    unsafe { library.assume_init_ref().counter_mode(iv, pointers(Text::InPlace(&mut target))) };
    target
}

fn check(key: &[u8], iv: &[u8; 16], source: &[u8]) {
    let answer = expected(key, iv, source);
    if Vaes256::detect().or_skip().is_none() {
        return;
    }
    for wide in [None, Vaes512::detect().or_skip()] {
        let mut ours = WideKey::vacant().expect("the instructions are there");
        ours.wide = wide;
        ours.prepare(key).expect("a key of the right size");
        // SAFETY: the pointers are those of a text.
        writes(source, &answer, |text| unsafe { ours.apply(iv, pointers(text)) });
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
