//! What this CPU has, and which of it the libraries use: the truth behind `engines()`.
//!
//! The libraries choose their code at run time; they do not tell which. The conditions here repeat
//! theirs, from AWS-LC's `crypto/fipsmodule/*/internal.h` and blake3's `platform.rs`. Routines of
//! our own ask [`features`](super::features) for the proof that the CPU has their instructions;
//! `MILLRACE_CPU_HIDE=avx512f,vaes` hides some from them, see there.

use std::ffi::CStr;

use aws_lc_sys as lc;

use super::features::has;
use crate::catalog::{Cipher, Hash};
use crate::engines::Service;

/// The libraries and their versions. AWS-LC tells its own; a test compares the others to
/// Cargo.lock.
pub(crate) fn libraries() -> Vec<(&'static str, String)> {
    // SAFETY: returns a static string for every argument.
    let text = unsafe { CStr::from_ptr(lc::OpenSSL_version(0)) }.to_string_lossy();
    let aws_lc = text.split_whitespace().last().unwrap_or_default().to_string();
    let mut libraries = vec![("AWS-LC", aws_lc)];
    libraries.extend(CRATES.map(|(name, version)| (name, version.to_string())));
    libraries
}

const AWS_LC: &str = "AWS-LC";
const BLAKE3: &str = "blake3";
const MILLRACE: &str = "millrace";

const CRATES: [(&str, &str); 3] =
    [(BLAKE3, "1.8.7"), ("blowfish", "0.10.0"), (MILLRACE, env!("CARGO_PKG_VERSION"))];

/// The first set of instructions of which this CPU has all; none is the baseline.
fn first(choices: &[&[&'static str]]) -> Vec<&'static str> {
    choices
        .iter()
        .find(|set| set.iter().all(|name| has(name)))
        .map(|set| set.to_vec())
        .unwrap_or_default()
}

/// Returns how a hash is computed on this CPU.
pub(crate) fn serves_hash(hash: Hash) -> Service {
    let (library, instructions) = match hash {
        Hash::Md5 | Hash::Ripemd160 => (AWS_LC, vec![]),
        Hash::Sha1 | Hash::Md5Sha1 => (AWS_LC, sha1()),
        Hash::Sha224 | Hash::Sha256 => (AWS_LC, sha256()),
        Hash::Sha384 | Hash::Sha512 | Hash::Sha512_224 | Hash::Sha512_256 => {
            own::sha512().unwrap_or_else(|| (AWS_LC, sha512()))
        }
        Hash::Blake2b512 | Hash::Blake2s256 => (MILLRACE, vec![]),
        Hash::Blake3 => (BLAKE3, blake3()),
        Hash::Xxh32 | Hash::Xxh64 => (MILLRACE, own::xxh()),
        Hash::Xxh3_64 | Hash::Xxh3_128 => (MILLRACE, own::xxh3()),
        Hash::Crc32 | Hash::Crc32c | Hash::Crc64Nvme => (MILLRACE, own::crc()),
        // The leaves of these trees are hashed in lanes.
        Hash::Kt128
        | Hash::Kt256
        | Hash::ParallelHash128
        | Hash::ParallelHash256
        | Hash::ParallelHashXof128
        | Hash::ParallelHashXof256 => (MILLRACE, own::keccak_leaves()),
        _ => {
            debug_assert!(is_keccak(hash));
            (MILLRACE, own::keccak())
        }
    };
    Service { library, instructions, lanes: own::lanes(hash) }
}

/// Returns true for the hashes over Keccak, by their standards.
fn is_keccak(hash: Hash) -> bool {
    let standard = hash.facts().standard;
    standard.starts_with("Keccak")
        || ["FIPS 202", "NIST SP 800-185", "RFC 9861"].contains(&standard)
}

/// Returns how the bulk of a cipher is computed on this CPU. AWS-LC may serve the shortest texts.
pub(crate) fn serves_cipher(cipher: Cipher) -> Service {
    let (library, instructions) = match cipher {
        Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => {
            own::aes_ctr().unwrap_or_else(|| (AWS_LC, aes_ctr()))
        }
        Cipher::ChaCha20 => {
            own::chacha20().unwrap_or_else(|| (AWS_LC, first(&[&["avx2"], &["ssse3"], &["neon"]])))
        }
        Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
            own::aes_gcm().unwrap_or_else(|| (AWS_LC, aes_gcm()))
        }
        Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => own::chacha20_poly1305()
            .unwrap_or_else(|| (AWS_LC, first(&[&["avx2", "bmi2"], &["sse4.1"], &["neon"]]))),
        Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => (AWS_LC, aes_gcm_siv()),
    };
    Service { library, instructions, lanes: None }
}

/// Returns the report of AWS-LC's AES on one block.
pub(super) fn aes_block() -> Service {
    Service { library: AWS_LC, instructions: aes_ctr(), lanes: None }
}

/// Returns the report of a derivation that Millrace computes with `instructions`.
pub(super) fn ours(instructions: &[&'static str]) -> Service {
    Service { library: MILLRACE, instructions: instructions.to_vec(), lanes: None }
}

/// Returns how PBKDF2 over `hash` is computed, with `lanes` blocks of output at once.
pub(crate) fn serves_pbkdf2(hash: Hash, lanes: usize) -> Service {
    let service = serves_hash(hash);
    let instructions = service.lanes.filter(|_| lanes > 1).map(|(_, instructions)| instructions);
    Service { lanes: instructions.map(|instructions| (lanes, instructions)), ..service }
}

/// Returns the instructions of Millrace's own routines, if this CPU has them and they are not
/// hidden. They check the same proofs, in the same order.
#[cfg(target_arch = "x86_64")]
mod own {
    use super::super::Native;
    use super::super::features::{
        Avx2, Avx512, Bmi, Carryless, Fold256, Fold512, Gcm256, Ifma, Schedule256, Schedule512,
        Vaes256, Vaes512,
    };
    use super::super::gcm::key::GcmKey;
    use super::super::lanes::{Kernels, keccak, md5, sha1, sha256, sha512};
    use super::{Hash, MILLRACE};

    type Served = (&'static str, Vec<&'static str>);

    pub(super) fn lanes(hash: Hash) -> Option<(usize, &'static [&'static str])> {
        let multibuffer = match hash {
            Hash::Md5 => md5::multibuffer,
            Hash::Sha1 => sha1::multibuffer,
            Hash::Sha224 | Hash::Sha256 => sha256::multibuffer,
            Hash::Sha384 | Hash::Sha512 | Hash::Sha512_224 | Hash::Sha512_256 => {
                sha512::multibuffer
            }
            hash if super::is_keccak(hash) && Native::batches(hash) => keccak::multibuffer,
            _ => return None,
        };
        multibuffer(Kernels::detect()).map(|found| (found.lanes, found.instructions))
    }

    pub(super) fn keccak() -> Vec<&'static str> {
        Bmi::detect().map(|_| Bmi::NAMES.to_vec()).unwrap_or_default()
    }

    pub(super) fn keccak_leaves() -> Vec<&'static str> {
        keccak::multibuffer(Kernels::detect())
            .map_or_else(self::keccak, |found| found.instructions.to_vec())
    }

    // From 1 KiB on.
    pub(super) fn xxh() -> Vec<&'static str> {
        Avx2::detect().map(|_| Avx2::NAMES.to_vec()).unwrap_or_default()
    }

    // Beyond 240 bytes.
    pub(super) fn xxh3() -> Vec<&'static str> {
        Avx512::detect().map(|_| Avx512::NAMES.to_vec()).unwrap_or_else(xxh)
    }

    // From 256 bytes on.
    pub(super) fn crc() -> Vec<&'static str> {
        match (Fold512::detect(), Fold256::detect(), Carryless::detect()) {
            (Some(_), ..) => Fold512::NAMES.to_vec(),
            (None, Some(_), _) => Fold256::NAMES.to_vec(),
            (None, None, Some(_)) => Carryless::NAMES.to_vec(),
            (None, None, None) => Vec::new(),
        }
    }

    /// The instructions of scrypt and Argon2.
    pub(in super::super) fn vectors() -> &'static [&'static str] {
        match (Avx512::detect(), Avx2::detect()) {
            (Some(_), _) => Avx512::NAMES,
            (None, Some(_)) => Avx2::NAMES,
            (None, None) => &[],
        }
    }

    pub(super) fn sha512() -> Option<Served> {
        let names = match (Schedule512::detect(), Schedule256::detect()) {
            (Some(_), _) => Schedule512::NAMES,
            (None, Some(_)) => Schedule256::NAMES,
            (None, None) => return None,
        };
        Some((MILLRACE, names.to_vec()))
    }

    pub(super) fn aes_ctr() -> Option<Served> {
        let names = match (Vaes512::detect(), Vaes256::detect()) {
            (Some(_), _) => Vaes512::NAMES,
            (None, Some(_)) => Vaes256::NAMES,
            (None, None) => return None,
        };
        Some((MILLRACE, names.to_vec()))
    }

    // All messages, or up to 2 KiB only.
    pub(super) fn aes_gcm() -> Option<Served> {
        let proof = Gcm256::detect().filter(|_| !GcmKey::long_by_aws_lc());
        proof.map(|_| (MILLRACE, Gcm256::NAMES.to_vec()))
    }

    pub(super) fn chacha20() -> Option<Served> {
        Avx512::detect().map(|_| (MILLRACE, Avx512::NAMES.to_vec()))
    }

    pub(super) fn chacha20_poly1305() -> Option<Served> {
        Ifma::detect().map(|_| (MILLRACE, Ifma::NAMES.to_vec()))
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod own {
    use super::Hash;

    type Served = (&'static str, Vec<&'static str>);

    #[cfg(target_arch = "aarch64")]
    pub(super) fn lanes(hash: Hash) -> Option<(usize, &'static [&'static str])> {
        use super::super::Native;
        use super::super::lanes::{Kernels, keccak, sha1, sha256, sha512};
        let multibuffer = match hash {
            Hash::Sha1 => sha1::multibuffer,
            Hash::Sha224 | Hash::Sha256 => sha256::multibuffer,
            Hash::Sha384 | Hash::Sha512 | Hash::Sha512_224 | Hash::Sha512_256 => {
                sha512::multibuffer
            }
            hash if super::is_keccak(hash) && Native::batches(hash) => keccak::multibuffer,
            _ => return None,
        };
        multibuffer(Kernels::detect()).map(|found| (found.lanes, found.instructions))
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(super) fn lanes(_hash: Hash) -> Option<(usize, &'static [&'static str])> {
        None
    }

    pub(super) fn keccak() -> Vec<&'static str> {
        Vec::new()
    }

    #[cfg(target_arch = "aarch64")]
    pub(super) fn keccak_leaves() -> Vec<&'static str> {
        use super::super::lanes::{Kernels, keccak};
        keccak::multibuffer(Kernels::detect())
            .map_or_else(self::keccak, |found| found.instructions.to_vec())
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(super) fn keccak_leaves() -> Vec<&'static str> {
        Vec::new()
    }

    pub(super) fn xxh() -> Vec<&'static str> {
        Vec::new()
    }

    pub(super) fn xxh3() -> Vec<&'static str> {
        super::first(&[&["neon"]])
    }

    #[cfg(target_arch = "aarch64")]
    pub(super) fn crc() -> Vec<&'static str> {
        use super::super::features::Pmull;
        Pmull::detect().map(|_| Pmull::NAMES.to_vec()).unwrap_or_default()
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(super) fn crc() -> Vec<&'static str> {
        Vec::new()
    }

    pub(in super::super) fn vectors() -> &'static [&'static str] {
        &[]
    }

    pub(super) fn sha512() -> Option<Served> {
        None
    }

    pub(super) fn aes_ctr() -> Option<Served> {
        None
    }

    pub(super) fn aes_gcm() -> Option<Served> {
        None
    }

    pub(super) fn chacha20() -> Option<Served> {
        None
    }

    pub(super) fn chacha20_poly1305() -> Option<Served> {
        None
    }
}

#[cfg(target_arch = "x86_64")]
mod dispatch {
    use super::super::features::has;
    use super::first;

    pub(super) fn sha1() -> Vec<&'static str> {
        match first(&[&["sha-ni", "ssse3"], &["avx2", "bmi1", "bmi2", "ssse3"]]) {
            found if !found.is_empty() => found,
            _ => avx_if_intel(),
        }
    }

    pub(super) fn sha256() -> Vec<&'static str> {
        if has("sha-ni") { vec!["sha-ni"] } else { avx_if_intel() }
    }

    // Scalar code on AMD: AWS-LC prefers it there over its AVX code.
    pub(super) fn sha512() -> Vec<&'static str> {
        avx_if_intel().into_iter().filter(|&name| name == "avx").collect()
    }

    fn avx_if_intel() -> Vec<&'static str> {
        if has("avx") && is_intel() { vec!["avx"] } else { first(&[&["ssse3"]]) }
    }

    pub(super) fn aes_ctr() -> Vec<&'static str> {
        first(&[&["aes-ni"], &["ssse3"]])
    }

    pub(super) fn aes_gcm() -> Vec<&'static str> {
        first(&[
            &["aes-ni", "vaes", "vpclmulqdq", "avx512f", "avx512vbmi2"],
            &["aes-ni", "pclmulqdq", "avx", "movbe"],
            &["aes-ni", "pclmulqdq"],
            &["ssse3"],
        ])
    }

    // The assembly is left out on Windows.
    pub(super) fn aes_gcm_siv() -> Vec<&'static str> {
        if !cfg!(windows) && has("avx") && has("aes-ni") {
            return vec!["aes-ni", "pclmulqdq", "avx"];
        }
        aes_gcm()
    }

    pub(super) fn blake3() -> Vec<&'static str> {
        first(&[&["avx512f", "avx512vl"], &["avx2"], &["sse4.1"]])
    }

    fn is_intel() -> bool {
        let vendor = std::arch::x86_64::__cpuid(0);
        [vendor.ebx, vendor.edx, vendor.ecx]
            == [*b"Genu", *b"ineI", *b"ntel"].map(u32::from_le_bytes)
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod dispatch {
    use super::first;

    pub(super) fn sha1() -> Vec<&'static str> {
        first(&[&["sha2"]])
    }

    pub(super) fn sha256() -> Vec<&'static str> {
        first(&[&["sha2"]])
    }

    pub(super) fn sha512() -> Vec<&'static str> {
        first(&[&["sha512"]])
    }

    pub(super) fn aes_ctr() -> Vec<&'static str> {
        first(&[&["aes"], &["neon"]])
    }

    pub(super) fn aes_gcm() -> Vec<&'static str> {
        first(&[&["aes", "pmull"], &["neon"]])
    }

    pub(super) fn aes_gcm_siv() -> Vec<&'static str> {
        aes_gcm()
    }

    pub(super) fn blake3() -> Vec<&'static str> {
        first(&[&["neon"]])
    }
}

pub(super) use own::vectors;

use dispatch::{aes_ctr, aes_gcm, aes_gcm_siv, blake3, sha1, sha256, sha512};
