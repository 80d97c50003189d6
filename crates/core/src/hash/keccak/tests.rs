//! The sponge and its trees against the definition, with rates and leaves of a few bytes.

use super::duplex::Duplex;
use super::leaves::{LeafKind, Tree};
use crate::hash::compression::keccak_p::permute;
use crate::tests::Bytes;

/// Returns `size` bytes of a sponge over 12 rounds, byte by byte.
fn defined(rate: usize, mark: u8, message: &[u8], size: usize) -> Vec<u8> {
    let mut padded = [message, &[mark]].concat();
    padded.resize(padded.len().next_multiple_of(rate), 0);
    padded[message.len() / rate * rate + rate - 1] ^= 0x80;
    let mut lanes = [0; 25];
    for block in padded.chunks(rate) {
        for (at, byte) in block.iter().enumerate() {
            lanes[at / 8] ^= u64::from(*byte) << (8 * (at % 8));
        }
        permute::<12>(&mut lanes);
    }
    let mut output = Vec::new();
    while output.len() < size {
        output.extend(lanes.iter().flat_map(|lane| lane.to_le_bytes()).take(rate));
        permute::<12>(&mut lanes);
    }
    output.truncate(size);
    output
}

/// Checks all messages and all borders between two updates and two outputs.
fn check_sponge<const RATE: usize>() {
    let most = 3 * RATE + 2;
    let source = Bytes(1).vec(most);
    for size in 0..=most {
        let expected = defined(RATE, 6, &source[..size], most);
        for first in 0..=size {
            let (mut sponge, mut output) = (Duplex::<RATE, 12>::new(), vec![0xa5; most]);
            sponge.absorb(&source[..first]);
            sponge.absorb(&source[first..size]);
            sponge.pad(6);
            let (head, rest) = output.split_at_mut(most - size + first);
            sponge.take(head);
            sponge.take(rest);
            assert!(output == expected, "{RATE}: {first} of {size}");
        }
    }
}

#[test]
fn sponges_are_as_defined_whatever_the_updates() {
    check_sponge::<1>();
    check_sponge::<5>();
    check_sponge::<16>();
    check_sponge::<72>();
}

/// Up to 32 leaves are hashed at once.
#[test]
fn trees_are_as_defined_whatever_the_updates() {
    let source = Bytes(2).vec(67 * 4);
    for leaf in 1..=4 {
        let kind = LeafKind { size: leaf as u64, value: 5, mark: 11 };
        for size in 0..=67 * leaf {
            let values = source[..size].chunks(leaf).flat_map(|leaf| defined(16, 11, leaf, 5));
            let expected = defined(16, 6, &values.collect::<Vec<_>>(), 20);
            for first in (0..=size).rev().step_by(leaf) {
                let (mut tree, mut output) = (Tree::<16, 12>::new(), [0xa5; 20]);
                tree.absorb(kind, &source[..first]);
                tree.absorb(kind, &source[first..size]);
                assert_eq!(tree.end(kind), size.div_ceil(leaf) as u64);
                tree.pad(6);
                tree.root.take(&mut output);
                assert!(output[..] == expected, "{leaf}: {first} of {size}");
            }
        }
    }
}
