//! Our SHA-512 is AWS-LC's, at every size and for every set of instructions.

#[cfg(target_arch = "x86_64")]
use super::super::features::{OrSkip, Schedule256, Schedule512};
use super::super::tests::{Bytes, sizes};
use super::*;

#[test]
fn ours_is_theirs_at_every_size() {
    let mut bytes = Bytes(1);
    let source = bytes.vec((1 << 20) + 1);
    for size in sizes() {
        let source = &source[..size];
        let mut expected = [0; 64];
        // SAFETY: the source has `size` bytes, and the target the size of the digest.
        unsafe { lc::SHA512(source.as_ptr(), size, expected.as_mut_ptr()) };
        let mut target = [0; 64];
        Sha512::digest(&Params::default(), source, &mut target);
        assert_eq!(target, expected, "{size}");
        // SAFETY: as above.
        unsafe { lc::SHA384(source.as_ptr(), size, expected.as_mut_ptr()) };
        Sha384::digest(&Params::default(), source, &mut target[..48]);
        assert_eq!(target[..48], expected[..48], "{size}");
        // SAFETY: as above.
        unsafe { lc::SHA512_256(source.as_ptr(), size, expected.as_mut_ptr()) };
        Sha512_256::digest(&Params::default(), source, &mut target[..32]);
        assert_eq!(target[..32], expected[..32], "{size}");
        // SAFETY: as above.
        unsafe { lc::SHA512_224(source.as_ptr(), size, expected.as_mut_ptr()) };
        Sha512_224::digest(&Params::default(), source, &mut target[..28]);
        assert_eq!(target[..28], expected[..28], "{size}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn all_compressions_agree() {
    let mut bytes = Bytes(2);
    for count in 1..20 {
        let blocks: Vec<[u8; 128]> = (0..count).map(|_| bytes.array()).collect();
        let words: [u64; 8] = std::array::from_fn(|_| u64::from_ne_bytes(bytes.array()));
        let mut expected = words;
        long::by_aws_lc(&mut expected, &blocks);
        if let Some(proof) = Schedule256::detect().or_skip() {
            let mut words = words;
            // SAFETY: the proof says that the CPU has the instructions.
            unsafe { blocks::compress_256(&mut words, &blocks, proof) };
            assert_eq!(words, expected, "{count}");
        }
        if let Some(proof) = Schedule512::detect().or_skip() {
            let mut words = words;
            // SAFETY: as above.
            unsafe { blocks::compress_512(&mut words, &blocks, proof) };
            assert_eq!(words, expected, "{count}");
        }
    }
}
