//! Hashes of Millrace and of other crates: functions that write the digest of a message.

use aws_lc_sys as aws;
use crc_fast::CrcAlgorithm::{Crc32Iscsi, Crc32IsoHdlc, Crc64Nvme};
use sha2::Digest;
use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};
use xxhash_rust::{xxh3, xxh32, xxh64};

pub const AWS_LC: &str = "aws-lc";

/// Writes the digest of the first argument to the second one, which has its size.
pub type Hasher = fn(&[u8], &mut [u8]);
/// Writes the digests of many messages, one after the other.
pub type ManyHasher = fn(&[&[u8]], &mut [u8]);

/// Returns a hasher, from an expression for the bytes of the digest of `$source`.
macro_rules! hasher {
    ($source:ident => $digest:expr) => {
        |$source, target| target.copy_from_slice($digest.as_ref())
    };
}

/// Returns a hasher of AWS-LC, from the function that computes digests or the one that returns the
/// algorithm.
macro_rules! aws_lc {
    ($function:ident) => {
        // SAFETY: reads `source`, and writes a digest, whose size `target` has by `HASHES`.
        |source, target| unsafe {
            aws::$function(source.as_ptr(), source.len(), target.as_mut_ptr());
        }
    };
    (evp $algorithm:ident) => {
        |source, target| {
            let (data, size) = (source.as_ptr().cast(), std::ptr::null_mut());
            // SAFETY: as above; algorithms are static, and size and engine may be null.
            let done = unsafe {
                let (algorithm, engine) = (aws::$algorithm(), std::ptr::null_mut());
                aws::EVP_Digest(data, source.len(), target.as_mut_ptr(), size, algorithm, engine)
            };
            assert_eq!(done, 1);
        }
    };
}

/// Returns a hasher of one of blake2b_simd and blake2s_simd, which takes many messages.
macro_rules! blake2_many {
    ($module:ident) => {
        |sources, target| {
            use $module::many::{HashManyJob, hash_many};
            let params = $module::Params::new();
            let mut jobs: Vec<_> =
                sources.iter().map(|source| HashManyJob::new(&params, source)).collect();
            hash_many(&mut jobs);
            for (job, digest) in jobs.iter().zip(target.chunks_mut($module::OUTBYTES)) {
                digest.copy_from_slice(job.to_hash().as_bytes());
            }
        }
    };
}

fn rust_crypto<D: Digest>(source: &[u8], target: &mut [u8]) {
    target.copy_from_slice(&D::digest(source));
}

/// A hash by Millrace's name, the size of its digest, and the peers that have it.
pub struct Peers {
    pub name: &'static str,
    pub size: usize,
    pub hashers: &'static [(&'static str, Hasher)],
    /// Of several messages at once.
    pub many: Option<(&'static str, ManyHasher)>,
}

const fn hash(
    name: &'static str,
    size: usize,
    hashers: &'static [(&'static str, Hasher)],
) -> Peers {
    Peers { name, size, hashers, many: None }
}

#[rustfmt::skip]
pub const HASHES: &[Peers] = &[
    hash("sha256", 32, &[
        (AWS_LC, aws_lc!(SHA256)),
        ("ring", hasher!(source => ring::digest::digest(&ring::digest::SHA256, source))),
        ("sha2", rust_crypto::<sha2::Sha256>),
    ]),
    hash("sha512", 64, &[
        (AWS_LC, aws_lc!(SHA512)),
        ("ring", hasher!(source => ring::digest::digest(&ring::digest::SHA512, source))),
        ("sha2", rust_crypto::<sha2::Sha512>),
    ]),
    hash("sha1", 20, &[
        (AWS_LC, aws_lc!(SHA1)),
        ("ring", hasher!(source =>
            ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, source))),
        ("sha1", rust_crypto::<sha1::Sha1>),
    ]),
    hash("md5", 16, &[(AWS_LC, aws_lc!(MD5)), ("md-5", rust_crypto::<md5::Md5>)]),
    hash("ripemd160", 20, &[
        (AWS_LC, aws_lc!(RIPEMD160)),
        ("ripemd", rust_crypto::<ripemd::Ripemd160>),
    ]),
    hash("sha3-256", 32, &[
        (AWS_LC, aws_lc!(evp EVP_sha3_256)),
        ("sha3", rust_crypto::<sha3::Sha3_256>),
    ]),
    hash("sha3-512", 64, &[
        (AWS_LC, aws_lc!(evp EVP_sha3_512)),
        ("sha3", rust_crypto::<sha3::Sha3_512>),
    ]),
    Peers {
        many: Some(("blake2b_simd many", blake2_many!(blake2b_simd))),
        ..hash("blake2b512", 64, &[
            ("blake2b_simd", hasher!(source => blake2b_simd::blake2b(source).as_bytes())),
            ("blake2", rust_crypto::<blake2::Blake2b512>),
        ])
    },
    Peers {
        many: Some(("blake2s_simd many", blake2_many!(blake2s_simd))),
        ..hash("blake2s256", 32, &[
            ("blake2s_simd", hasher!(source => blake2s_simd::blake2s(source).as_bytes())),
            ("blake2", rust_crypto::<blake2::Blake2s256>),
        ])
    },
    hash("blake3", 32, &[("blake3", hasher!(source => blake3::hash(source).as_bytes()))]),
    hash("xxh32", 4, &[
        ("twox-hash", hasher!(source => XxHash32::oneshot(0, source).to_be_bytes())),
        ("xxhash-rust", hasher!(source => xxh32::xxh32(source, 0).to_be_bytes())),
    ]),
    hash("xxh64", 8, &[
        ("twox-hash", hasher!(source => XxHash64::oneshot(0, source).to_be_bytes())),
        ("xxhash-rust", hasher!(source => xxh64::xxh64(source, 0).to_be_bytes())),
    ]),
    hash("xxh3-64", 8, &[
        ("twox-hash", hasher!(source => XxHash3_64::oneshot(source).to_be_bytes())),
        ("xxhash-rust", hasher!(source => xxh3::xxh3_64(source).to_be_bytes())),
    ]),
    hash("xxh3-128", 16, &[
        ("twox-hash", hasher!(source => XxHash3_128::oneshot(source).to_be_bytes())),
        ("xxhash-rust", hasher!(source => xxh3::xxh3_128(source).to_be_bytes())),
    ]),
    hash("crc32", 4, &[
        ("crc-fast", hasher!(source =>
            (crc_fast::checksum(Crc32IsoHdlc, source) as u32).to_be_bytes())),
        ("crc32fast", hasher!(source => crc32fast::hash(source).to_be_bytes())),
    ]),
    hash("crc32c", 4, &[
        ("crc-fast", hasher!(source =>
            (crc_fast::checksum(Crc32Iscsi, source) as u32).to_be_bytes())),
    ]),
    hash("crc64nvme", 8, &[
        ("crc-fast", hasher!(source => crc_fast::checksum(Crc64Nvme, source).to_be_bytes())),
    ]),
];
