//! Each compression function of SHA-512 is the library's.

use super::plain;
#[cfg(target_arch = "x86_64")]
use super::x86;
#[cfg(target_arch = "x86_64")]
use crate::cpu::features::{OrSkip, Schedule256, Schedule512};
use crate::primitives::{Library, Primitives};
use crate::tests::Bytes;

#[test]
fn all_compressions_of_sha512_agree() {
    let mut bytes = Bytes(2);
    for count in 1..20 {
        let blocks: Vec<[u8; 128]> = (0..count).map(|_| bytes.array()).collect();
        let words: [u64; 8] = std::array::from_fn(|_| u64::from_ne_bytes(bytes.array()));
        let mut expected = words;
        Library::sha512(&mut expected, &blocks);
        let mut ours = words;
        plain::compress(&mut ours, &blocks);
        assert_eq!(ours, expected, "{count}");
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Schedule256::detect().or_skip() {
            let mut words = words;
            // SAFETY: the proof says that the CPU has the instructions.
            unsafe { x86::compress_256(&mut words, &blocks, proof) };
            assert_eq!(words, expected, "{count}");
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Schedule512::detect().or_skip() {
            let mut words = words;
            // SAFETY: as above.
            unsafe { x86::compress_512(&mut words, &blocks, proof) };
            assert_eq!(words, expected, "{count}");
        }
    }
}
