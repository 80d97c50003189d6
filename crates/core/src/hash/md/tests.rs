//! Blocks, padding and buffers against the definition, with a compression function that tells all
//! it has absorbed.

use super::*;
use crate::tests::absorbed;

#[derive(Clone)]
struct Symbolic;

/// Defines a compression function over two words, big-endian or not.
macro_rules! symbolic {
    ($word:ty, $block:literal, $big_endian:literal) => {
        impl Compression<2, $block> for Symbolic {
            type Word = $word;
            const BIG_ENDIAN: bool = $big_endian;

            fn first_words(size: usize) -> [$word; 2] {
                [0, size as $word]
            }

            fn compress(words: &mut [$word; 2], blocks: &[[u8; $block]]) {
                for block in blocks {
                    words[0] = absorbed(words[0].into(), block) as $word;
                }
            }
        }

        impl Lanes<2, $block> for Symbolic {}
    };
}

symbolic!(u32, 16, false);
symbolic!(u64, 32, true);
symbolic!(u64, 128, true);

/// Returns the digest of a message, padded as the standards write it.
fn defined<F: Compression<2, BLOCK>, const BLOCK: usize>(source: &[u8]) -> Vec<u8> {
    let mut padded = [source, &[0x80]].concat();
    let room = BLOCK - 2 * size_of::<F::Word>();
    while padded.len() % BLOCK != room {
        padded.push(0);
    }
    let bits = 8 * source.len() as u128;
    let (big, little) = (bits.to_be_bytes(), bits.to_le_bytes());
    let size = 2 * size_of::<F::Word>();
    padded.extend(if F::BIG_ENDIAN { &big[16 - size..] } else { &little[..size] });
    let mut words = F::first_words(size);
    padded.as_chunks().0.iter().for_each(|block| F::compress(&mut words, &[*block]));
    let mut digest = vec![0; size];
    F::Word::write(&words, &mut digest, F::BIG_ENDIAN);
    digest
}

/// Checks all messages up to `most` bytes with all borders between three updates, and the states
/// there.
fn check<const BLOCK: usize, const SIZE: usize>(most: usize)
where
    Symbolic: Lanes<2, BLOCK>,
{
    type Hash<const BLOCK: usize, const SIZE: usize> = Words<Symbolic, 2, BLOCK, SIZE>;
    let source: Vec<u8> = (0..most).map(|at| (at % 251 + 1) as u8).collect();
    let new = || Hash::<BLOCK, SIZE>::new(&Params::NONE);
    let state = |hash: &Hash<BLOCK, SIZE>| {
        let mut state = vec![0xa5; Hash::<BLOCK, SIZE>::STATE];
        hash.save(&mut state);
        state
    };
    for end in 0..=most {
        let source = &source[..end];
        let expected = defined::<Symbolic, BLOCK>(source);
        let mut target = vec![0; SIZE];
        Hash::<BLOCK, SIZE>::digest(&Params::NONE, source, &mut target);
        assert_eq!(target, expected, "{end}");
        let mut whole = new();
        whole.update(source);
        for second in 0..=end {
            for first in (0..=second).step_by(if BLOCK < 100 { 1 } else { 37 }) {
                let mut hash = new();
                hash.update(&source[..first]);
                hash.update(&source[first..second]);
                hash.clone().finish_with(&source[second..], &mut target);
                assert_eq!(target, expected, "{first}, {second}, {end}");
                hash.update(&source[second..]);
                assert_eq!(state(&hash), state(&whole), "{first}, {second}, {end}");
            }
        }
        let mut loaded = Hash::<BLOCK, SIZE>::load(&Params::NONE, &state(&whole)).expect("a state");
        loaded.finish(&mut target);
        assert_eq!(target, expected, "{end} loaded");
    }
}

#[test]
fn every_message_is_padded_as_defined_whatever_its_updates() {
    check::<16, 8>(4 * 16 + 3);
    check::<32, 16>(4 * 32 + 3);
    check::<128, 16>(4 * 128 + 3);
}
