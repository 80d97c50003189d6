//! The types that compute the hashes, with the names of [`Hash`](crate::catalog::Hash)'s variants.

pub(crate) use super::blake2::{Blake2b512, Blake2s256};
pub(crate) use super::blake3::Blake3;
pub(crate) use super::crc::{Crc32, Crc32c, Crc64Nvme};
pub(crate) use super::keccak::{
    CShake128, CShake256, Keccak224, Keccak256, Keccak384, Keccak512, Kmac128, Kmac256, KmacXof128,
    KmacXof256, Kt128, Kt256, ParallelHash128, ParallelHash256, ParallelHashXof128,
    ParallelHashXof256, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256, TupleHash128,
    TupleHash256, TupleHashXof128, TupleHashXof256, TurboShake128, TurboShake256,
};
pub(crate) use super::md::{
    Md5, Md5Sha1, Ripemd160, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256,
};
pub(crate) use super::xxh::{Xxh3_64, Xxh3_128, Xxh32, Xxh64};

/// Evaluates `$body` with `$D` as the [`Digest`](super::digest::Digest) that computes `$hash`, or
/// `$other` for hashes over which HMAC is not defined. The body is compiled once for each hash.
macro_rules! with_digest {
    ($hash:expr, $D:ident => $body:expr) => {
        $crate::hash::digest_types::with_digest!($hash, $D => $body, _ => $body)
    };
    ($hash:expr, $D:ident => $body:expr, _ => $other:expr) => {
        $crate::hash::digest_types::match_digest! {
            ($hash, $D, $body, $other)
            Md5, Sha1, Ripemd160, Md5Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256,
            Sha3_224, Sha3_256, Sha3_384, Sha3_512, Keccak224, Keccak256, Keccak384, Keccak512,
            Blake2b512, Blake2s256, Blake3;
            Shake128, Shake256, CShake128, CShake256, Kmac128, Kmac256, KmacXof128, KmacXof256,
            TupleHash128, TupleHash256, TupleHashXof128, TupleHashXof256, ParallelHash128,
            ParallelHash256, ParallelHashXof128, ParallelHashXof256, TurboShake128, TurboShake256,
            Kt128, Kt256, Xxh32, Xxh64, Xxh3_64, Xxh3_128, Crc32, Crc32c, Crc64Nvme
        }
    };
}

/// Matches a hash against the names of the hashes over which HMAC is defined, and of the others.
macro_rules! match_digest {
    (($hash:expr, $D:ident, $body:expr, $other:expr) $($mac:ident),*; $($plain:ident),*) => {
        match $hash {
            $($crate::catalog::Hash::$mac => {
                type $D = $crate::hash::digest_types::$mac;
                $body
            })*
            $($crate::catalog::Hash::$plain => {
                #[allow(dead_code)]
                type $D = $crate::hash::digest_types::$plain;
                $other
            })*
        }
    };
}

pub(crate) use {match_digest, with_digest};
