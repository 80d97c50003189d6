//! Hashes: whole messages, running ones and extendable output. The states are those of
//! [`hasher`](millrace_core::hasher); a state at address 0 has not begun.

#![allow(unsafe_code)] // of the names that are exported

use millrace_core::catalog::Hash;
use millrace_core::families;
use millrace_core::hasher::Params;

use crate::memory::{Source, Target};

/// Returns the state of a hash that has begun, or an empty one.
#[inline(always)]
fn begun<'a>(hash: Hash, state: Source) -> &'a [u8] {
    state.bytes(if state.is_none() { 0 } else { hash.facts().state_size })
}

/// Evaluates `$call` with the constant of the hash that has this number.
macro_rules! with_hash {
    ($number:expr, [$last:ident], $hash:ident => $call:expr) => {{
        let _ = $number;
        let $hash = Hash::$last;
        $call
    }};
    ($number:expr, [$first:ident $($other:ident)+], $hash:ident => $call:expr) => {
        if $number == Hash::$first as u32 {
            let $hash = Hash::$first;
            $call
        } else {
            with_hash!($number, [$($other)+], $hash => $call)
        }
    };
}

/// Defines the functions of hashes, with parameters that `$params` reads from the last arguments.
macro_rules! functions {
    ($update:ident, $finish:ident, ($($argument:ident: $type:ty),*), $params:expr, $hashes:tt) => {
        #[unsafe(no_mangle)]
        extern "C" fn $update(
            number: u32,
            state: Source,
            source: Source,
            size: usize,
            next: Target,
            next_size: usize,
            $($argument: $type),*
        ) -> u32 {
            let Some(params) = $params else { return 1 };
            let (source, next) = (source.bytes(size), next.bytes(next_size));
            with_hash!(number, $hashes, hash => u32::from(
                families::update(hash, &params, begun(hash, state), source, next).is_err()
            ))
        }

        #[unsafe(no_mangle)]
        extern "C" fn $finish(
            number: u32,
            state: Source,
            source: Source,
            size: usize,
            target: Target,
            target_size: usize,
            $($argument: $type),*
        ) -> u32 {
            let Some(params) = $params else { return 1 };
            let (source, target) = (source.bytes(size), target.bytes(target_size));
            with_hash!(number, $hashes, hash => u32::from(
                families::finish(hash, &params, begun(hash, state), source, target).is_err()
            ))
        }
    };
    (squeeze $squeeze:ident, ($($argument:ident: $type:ty),*), $params:expr, $hashes:tt) => {
        #[unsafe(no_mangle)]
        extern "C" fn $squeeze(
            number: u32,
            state: Source,
            target: Target,
            size: usize,
            next: Target,
            $($argument: $type),*
        ) -> u32 {
            let Some(params) = $params else { return 1 };
            let target = target.bytes(size);
            with_hash!(number, $hashes, hash => {
                let next = next.bytes(hash.facts().state_size);
                let done = families::squeeze(hash, &params, begun(hash, state), target, next);
                u32::from(done.is_err())
            })
        }
    };
}

/// Defines the functions of hashes without parameters.
macro_rules! plain {
    ($update:ident, $finish:ident, $hashes:tt) => {
        functions!($update, $finish, (), Some(Params::NONE), $hashes);
    };
    ($update:ident, $finish:ident, mac $mac:ident $iterate:ident, $hashes:tt) => {
        plain!($update, $finish, $hashes);

        /// Computes `count` HMACs, each of the last one, from the states after the key's blocks,
        /// and adds them to `sum`: the iterations of PBKDF2.
        #[unsafe(no_mangle)]
        extern "C" fn $iterate(
            number: u32,
            inner: Source,
            outer: Source,
            last: Target,
            sum: Target,
            size: usize,
            count: u32,
        ) -> u32 {
            let mut failed = 0;
            for _ in 0..count {
                failed |= $mac(number, inner, outer, last.source(), size, last, size);
                let digest = sum.bytes(size).iter_mut().zip(last.bytes(size));
                digest.for_each(|(sum, last)| *sum ^= *last);
            }
            failed
        }

        /// Finishes an HMAC from the state of its inner hash, and the outer one after the key.
        #[unsafe(no_mangle)]
        extern "C" fn $mac(
            number: u32,
            inner: Source,
            outer: Source,
            rest: Source,
            size: usize,
            target: Target,
            target_size: usize,
        ) -> u32 {
            let mut digest = [0; 64];
            let digest = Target::of(&mut digest);
            $finish(number, inner, rest, size, digest, target_size)
                | $finish(number, outer, digest.source(), target_size, target, target_size)
        }
    };
    ($update:ident, $finish:ident, squeeze $squeeze:ident, $hashes:tt) => {
        plain!($update, $finish, $hashes);
        functions!(squeeze $squeeze, (), Some(Params::NONE), $hashes);
    };
}

/// Returns the parameters in a seed and what [`Params::in_key`] reads.
#[inline(always)]
fn in_key<'a>([low, high]: [u32; 2], key: &'a [u8]) -> Option<Params<'a>> {
    Params::in_key(u64::from(high) << 32 | u64::from(low), key).ok()
}

/// Returns the parameters of a hash that takes a seed only.
#[cfg(feature = "fast")]
#[inline(always)]
fn seeded<'a>([low, high]: [u32; 2], _key: &'a [u8]) -> Option<Params<'a>> {
    Some(Params { seed: u64::from(high) << 32 | u64::from(low), ..Params::NONE })
}

/// Defines the functions of hashes with a seed, a key or other parameters, which `$params` reads.
macro_rules! with_parameters {
    ($update:ident, $finish:ident, $hashes:tt) => {
        with_parameters!($update, $finish, in_key, $hashes);
    };
    ($update:ident, $finish:ident, $params:ident, $hashes:tt) => {
        functions!(
            $update, $finish, (key: Source, key_size: usize, seed_low: u32, seed_high: u32),
            $params([seed_low, seed_high], key.bytes(key_size)), $hashes
        );
    };
    ($update:ident, $finish:ident, squeeze $squeeze:ident, $hashes:tt) => {
        with_parameters!($update, $finish, $hashes);
        functions!(
            squeeze $squeeze, (key: Source, key_size: usize),
            in_key([0; 2], key.bytes(key_size)), $hashes
        );
    };
}

#[cfg(feature = "fast")]
mod fast {
    use super::*;

    plain!(md5_update, md5_finish, mac md5_mac md5_iterate, [Md5]);
    plain!(ripemd160_update, ripemd160_finish, mac ripemd160_mac ripemd160_iterate, [Ripemd160]);
    plain!(sha1_update, sha1_finish, mac sha1_mac sha1_iterate, [Sha1]);
    plain!(md5_sha1_update, md5_sha1_finish, mac md5_sha1_mac md5_sha1_iterate, [Md5Sha1]);
    with_parameters!(blake2b_update, blake2b_finish, [Blake2b512]);
    with_parameters!(blake2s_update, blake2s_finish, [Blake2s256]);
    plain!(crc_update, crc_finish, [Crc32 Crc32c Crc64Nvme]);
    with_parameters!(xxh32_update, xxh32_finish, seeded, [Xxh32]);
    with_parameters!(xxh64_update, xxh64_finish, seeded, [Xxh64]);
    with_parameters!(xxh3_update, xxh3_finish, seeded, [Xxh3_64 Xxh3_128]);
}

#[cfg(not(feature = "fast"))]
mod small {
    use super::*;

    plain!(sha256_update, sha256_finish, mac sha256_mac sha256_iterate, [Sha256 Sha224]);
    plain!(
        sha512_update, sha512_finish, mac sha512_mac sha512_iterate,
        [Sha512 Sha384 Sha512_256 Sha512_224]
    );
    plain!(
        sha3_update, sha3_finish, mac sha3_mac sha3_iterate,
        [Sha3_256 Sha3_512 Sha3_384 Sha3_224 Keccak256 Keccak512 Keccak384 Keccak224]
    );
    plain!(shake_update, shake_finish, squeeze shake_squeeze, [Shake256 Shake128]);
    with_parameters!(
        sp800_185_update, sp800_185_finish, squeeze sp800_185_squeeze,
        [CShake128 CShake256 Kmac128 Kmac256 KmacXof128 KmacXof256 TupleHash128 TupleHash256
        TupleHashXof128 TupleHashXof256]
    );
    with_parameters!(
        parallelhash_update, parallelhash_finish, squeeze parallelhash_squeeze,
        [ParallelHash128 ParallelHash256 ParallelHashXof128 ParallelHashXof256]
    );
    with_parameters!(
        turboshake_update, turboshake_finish, squeeze turboshake_squeeze,
        [TurboShake128 TurboShake256]
    );
    with_parameters!(kt_update, kt_finish, squeeze kt_squeeze, [Kt128 Kt256]);
    with_parameters!(blake3_update, blake3_finish, squeeze blake3_squeeze, [Blake3]);

    /// Adds a piece to the chaining values of a range of BLAKE3, and returns their number.
    #[unsafe(no_mangle)]
    extern "C" fn blake3_parts_range(
        offset: f64,
        end: f64,
        piece: Source,
        size: usize,
        values: Target,
        values_size: usize,
        key: Source,
        key_size: usize,
    ) -> usize {
        let Some(params) = in_key([0; 2], key.bytes(key_size)) else { return 0 };
        let values = values.bytes(values_size).as_chunks_mut().0;
        let numbers = [offset, end].map(|number| number as u64);
        families::blake3_range(&params, numbers, piece.bytes(size), values).unwrap_or(0)
    }

    /// Writes the parents of a tree of BLAKE3, and the value of its root.
    #[unsafe(no_mangle)]
    extern "C" fn blake3_parts_tree(
        offset: f64,
        leaf: u32,
        root: u32,
        source: Source,
        size: usize,
        target: Target,
        target_size: usize,
    ) -> u32 {
        let numbers = [offset as u64, leaf.into(), root.into()];
        let target = target.bytes(target_size);
        u32::from(families::blake3_tree(numbers, source.bytes(size), target).is_err())
    }

    /// Writes the digest of a message from the values of its ranges. Their sizes are 64-bit
    /// little-endian integers.
    #[unsafe(no_mangle)]
    extern "C" fn blake3_parts_join(
        sizes: Source,
        sizes_size: usize,
        values: Source,
        values_size: usize,
        target: Target,
        target_size: usize,
        key: Source,
        key_size: usize,
    ) -> u32 {
        let Some(params) = in_key([0; 2], key.bytes(key_size)) else { return 1 };
        let sizes = sizes.bytes(sizes_size).as_chunks().0.iter();
        let sizes = sizes.map(|size| u64::from_le_bytes(*size));
        let (values, target) = (values.bytes(values_size), target.bytes(target_size));
        u32::from(families::blake3_join(&params, sizes, values, target).is_err())
    }
}
