//! Our SHA-2 is RustCrypto's, at every size and for every set of instructions.

use super::super::Digest;
#[cfg(target_arch = "x86_64")]
use super::super::features::{OrSkip, Schedule256, Schedule512};
use super::super::md::{Sha224, Sha256};
use super::super::primitives::{Library, Primitives};
use super::super::tests::{Bytes, sizes};
use super::*;
use crate::inputs::Params;

#[test]
fn ours_is_theirs_at_every_size() {
    fn check<Ours: Digest, Theirs: sha2::Digest>(source: &[u8]) {
        let mut target = vec![0; Ours::SIZE];
        Ours::digest(&Params::default(), source, &mut target);
        assert!(target[..] == Theirs::digest(source)[..], "{}", source.len());
    }
    let mut bytes = Bytes(1);
    let source = bytes.vec((1 << 20) + 1);
    for size in sizes() {
        let source = &source[..size];
        check::<Sha512, sha2::Sha512>(source);
        check::<Sha384, sha2::Sha384>(source);
        check::<Sha512_256, sha2::Sha512_256>(source);
        check::<Sha512_224, sha2::Sha512_224>(source);
        check::<Sha256, sha2::Sha256>(source);
        check::<Sha224, sha2::Sha224>(source);
    }
}

#[test]
fn all_compressions_agree() {
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
            unsafe { blocks::compress_256(&mut words, &blocks, proof) };
            assert_eq!(words, expected, "{count}");
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Schedule512::detect().or_skip() {
            let mut words = words;
            // SAFETY: as above.
            unsafe { blocks::compress_512(&mut words, &blocks, proof) };
            assert_eq!(words, expected, "{count}");
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn all_compressions_of_sha256_agree() {
    let mut bytes = Bytes(3);
    for count in 1..20 {
        let blocks: Vec<[u8; 64]> = (0..count).map(|_| bytes.array()).collect();
        let words: [u32; 8] = std::array::from_fn(|_| u32::from_ne_bytes(bytes.array()));
        let mut expected = words;
        Library::sha256(&mut expected, &blocks);
        if let Some(proof) = Schedule256::detect().or_skip() {
            let mut words = words;
            // SAFETY: the proof says that the CPU has the instructions.
            unsafe { blocks_32::compress_256(&mut words, &blocks, proof) };
            assert_eq!(words, expected, "{count}");
        }
        if let Some(proof) = Schedule512::detect().or_skip() {
            let mut words = words;
            // SAFETY: as above.
            unsafe { blocks_32::compress_512(&mut words, &blocks, proof) };
            assert_eq!(words, expected, "{count}");
        }
    }
}
