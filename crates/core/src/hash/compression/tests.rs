//! The scalar compression function of SHA-512 is the library's.

use super::plain;
use crate::primitives::{Library, Primitives};
use crate::tests::Bytes;

#[test]
fn scalar_code_of_sha512_agrees_with_the_library() {
    let mut bytes = Bytes(2);
    for count in 1..20 {
        let blocks: Vec<[u8; 128]> = (0..count).map(|_| bytes.array()).collect();
        let words: [u64; 8] = std::array::from_fn(|_| u64::from_ne_bytes(bytes.array()));
        let (mut expected, mut ours) = (words, words);
        Library::sha512(&mut expected, &blocks);
        plain::compress(&mut ours, &blocks);
        assert_eq!(ours, expected, "{count}");
    }
}
