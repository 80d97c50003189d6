//! The instructions of this CPU, and which of them the libraries use: the source of `engines()`.
//!
//! The libraries choose their code at run time; they do not tell which. The conditions here repeat
//! theirs, from AWS-LC's `crypto/fipsmodule/*/internal.h` and blake3's `platform.rs`. Routines of
//! our own ask [`features`](super::features) for the proof that the CPU has their instructions;
//! `MILLRACE_CPU_HIDE=avx512f,vaes` hides some from them, see there.

use super::features::has;
use super::primitives::{Library, Primitives};
use crate::catalog::{Cipher, Family, Hash};
use crate::engines::service::{Names, Service};

/// Returns the libraries and their versions. AWS-LC reports its version; a test compares the others
/// to Cargo.lock.
pub(crate) fn libraries() -> [(&'static str, &'static str); 3] {
    let [first, second] = CRATES;
    [(Library::NAME, Library::version()), first, second]
}

const BLAKE3: &str = "blake3";
const MILLRACE: &str = "millrace";

const CRATES: [(&str, &str); 2] = [(BLAKE3, "1.8.7"), (MILLRACE, env!("CARGO_PKG_VERSION"))];

/// Returns the first set of instructions that this CPU has completely; an empty set is the
/// baseline.
fn first(choices: &[Names]) -> Names {
    choices.iter().find(|set| set.iter().all(|name| has(name))).copied().unwrap_or_default()
}

/// Returns the library, with the instructions that AWS-LC uses. RustCrypto's crates tell nothing.
fn by_library(instructions: Names) -> (&'static str, Names) {
    (Library::NAME, if cfg!(feature = "aws-lc") { instructions } else { &[] })
}

/// Returns how a hash is computed on this CPU.
pub(crate) fn serves_hash(hash: Hash) -> Service {
    let (library, instructions) = match hash.family() {
        Family::Md5 | Family::Ripemd160 => by_library(&[]),
        Family::Sha1 | Family::Md5Sha1 => by_library(sha1()),
        Family::Sha256 => own::sha256().unwrap_or_else(|| by_library(sha256())),
        Family::Sha512 => own::sha512().unwrap_or_else(|| by_library(sha512())),
        Family::Keccak => (MILLRACE, own::keccak()),
        Family::KeccakTree => (MILLRACE, own::keccak_leaves()),
        Family::Blake2 => (MILLRACE, &[][..]),
        Family::Blake3 => (BLAKE3, blake3()),
        Family::Xxh => (MILLRACE, own::xxh()),
        Family::Xxh3 => (MILLRACE, own::xxh3()),
        Family::Crc => (MILLRACE, own::crc()),
    };
    Service { library, instructions, lanes: own::lanes(hash) }
}

/// Returns how the bulk of a cipher is computed on this CPU. AWS-LC may serve short texts.
pub(crate) fn serves_cipher(cipher: Cipher) -> Service {
    let (library, instructions) = match cipher {
        Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => {
            own::aes_ctr().unwrap_or_else(|| by_library(aes_ctr()))
        }
        Cipher::ChaCha20 => own::chacha20()
            .unwrap_or_else(|| by_library(first(&[&["avx2"], &["ssse3"], &["neon"]]))),
        Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
            own::aes_gcm().unwrap_or_else(|| by_library(aes_gcm()))
        }
        Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => own::chacha20_poly1305()
            .unwrap_or_else(|| by_library(first(&[&["avx2", "bmi2"], &["sse4.1"], &["neon"]]))),
        Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => by_library(aes_gcm_siv()),
    };
    Service { library, instructions, lanes: None }
}

/// Returns the report of AWS-LC's AES on one block.
pub(super) fn aes_block() -> Service {
    let (library, instructions) = by_library(aes_ctr());
    Service { library, instructions, lanes: None }
}

/// Returns the report of a derivation that Millrace computes with `instructions`.
pub(super) fn ours(instructions: Names) -> Service {
    Service { library: MILLRACE, instructions, lanes: None }
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
    use super::super::features::{
        Avx2, Avx2Bmi, Avx512, Avx512Bmi, Bmi, Carryless, Fold256, Fold512, Gcm256, Ifma,
        Schedule256, Schedule512, ShaNi, Vaes256, Vaes512,
    };
    use super::super::gcm::key::GcmKey;
    use super::super::lanes::{Kernels, keccak, md5, sha1, sha256, sha512};
    use super::super::state_types::batches;
    use super::{Family, Hash, MILLRACE, Names};

    type Served = (&'static str, Names);

    pub(super) fn lanes(hash: Hash) -> Option<(usize, Names)> {
        let multibuffer = match hash.family() {
            Family::Md5 => md5::multibuffer,
            Family::Sha1 => sha1::multibuffer,
            Family::Sha256 => sha256::multibuffer,
            Family::Sha512 => sha512::multibuffer,
            Family::Keccak | Family::KeccakTree if batches(hash) => keccak::multibuffer,
            _ => return None,
        };
        multibuffer(Kernels::detect()).map(|found| (found.lanes, found.instructions))
    }

    pub(super) fn keccak() -> Names {
        Bmi::detect().map(|_| Bmi::NAMES).unwrap_or_default()
    }

    pub(super) fn keccak_leaves() -> Names {
        keccak::multibuffer(Kernels::detect()).map_or_else(self::keccak, |found| found.instructions)
    }

    // From 1 KiB on.
    pub(super) fn xxh() -> Names {
        Avx2::detect().map(|_| Avx2::NAMES).unwrap_or_default()
    }

    // Beyond 240 bytes.
    pub(super) fn xxh3() -> Names {
        Avx512::detect().map(|_| Avx512::NAMES).unwrap_or_else(xxh)
    }

    // From 256 bytes on.
    pub(super) fn crc() -> Names {
        match (Fold512::detect(), Fold256::detect(), Carryless::detect()) {
            (Some(_), ..) => Fold512::NAMES,
            (None, Some(_), _) => Fold256::NAMES,
            (None, None, Some(_)) => Carryless::NAMES,
            (None, None, None) => &[],
        }
    }

    /// Returns the instructions that serve scrypt and Argon2.
    pub(crate) fn vectors() -> Names {
        match (Avx512::detect(), Avx2::detect()) {
            (Some(_), _) => Avx512::NAMES,
            (None, Some(_)) => Avx2::NAMES,
            (None, None) => &[],
        }
    }

    /// Returns what serves SHA-256 if the CPU lacks the instructions made for it.
    pub(super) fn sha256() -> Option<Served> {
        if ShaNi::detect().is_some() { None } else { sha512() }
    }

    pub(super) fn sha512() -> Option<Served> {
        let names = match (Schedule512::detect(), Schedule256::detect()) {
            (Some(_), _) => Schedule512::NAMES,
            (None, Some(_)) => Schedule256::NAMES,
            (None, None) => return None,
        };
        Some((MILLRACE, names))
    }

    pub(super) fn aes_ctr() -> Option<Served> {
        let names = match (Vaes512::detect(), Vaes256::detect()) {
            (Some(_), _) => Vaes512::NAMES,
            (None, Some(_)) => Vaes256::NAMES,
            (None, None) => return None,
        };
        Some((MILLRACE, names))
    }

    // All messages, or up to 2 KiB only.
    pub(super) fn aes_gcm() -> Option<Served> {
        let proof = Gcm256::detect().filter(|_| !GcmKey::long_by_aws_lc());
        proof.map(|_| (MILLRACE, Gcm256::NAMES))
    }

    pub(super) fn chacha20() -> Option<Served> {
        Avx512::detect().map(|_| (MILLRACE, Avx512::NAMES))
    }

    pub(super) fn chacha20_poly1305() -> Option<Served> {
        let names = match (Ifma::detect(), Avx512Bmi::detect(), Avx2Bmi::detect()) {
            (Some(_), ..) => Ifma::NAMES,
            (None, Some(_), _) => Avx512Bmi::NAMES,
            // From 64 KiB on, and in parts.
            (None, None, Some(_)) => Avx2Bmi::NAMES,
            (None, None, None) => return None,
        };
        Some((MILLRACE, names))
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod own {
    #[cfg(target_arch = "aarch64")]
    use super::Family;
    use super::{Hash, Names};

    type Served = (&'static str, Names);

    #[cfg(target_arch = "aarch64")]
    pub(super) fn lanes(hash: Hash) -> Option<(usize, Names)> {
        use super::super::lanes::{Kernels, keccak, sha1, sha256, sha512};
        use super::super::state_types::batches;
        let multibuffer = match hash.family() {
            Family::Sha1 => sha1::multibuffer,
            Family::Sha256 => sha256::multibuffer,
            Family::Sha512 => sha512::multibuffer,
            Family::Keccak | Family::KeccakTree if batches(hash) => keccak::multibuffer,
            _ => return None,
        };
        multibuffer(Kernels::detect()).map(|found| (found.lanes, found.instructions))
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(super) fn lanes(_hash: Hash) -> Option<(usize, Names)> {
        None
    }

    pub(super) fn keccak() -> Names {
        &[]
    }

    #[cfg(target_arch = "aarch64")]
    pub(super) fn keccak_leaves() -> Names {
        use super::super::lanes::{Kernels, keccak};
        keccak::multibuffer(Kernels::detect()).map_or_else(self::keccak, |found| found.instructions)
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(super) fn keccak_leaves() -> Names {
        &[]
    }

    pub(super) fn xxh() -> Names {
        &[]
    }

    pub(super) fn xxh3() -> Names {
        super::first(&[&["neon"]])
    }

    #[cfg(target_arch = "aarch64")]
    pub(super) fn crc() -> Names {
        use super::super::features::Pmull;
        Pmull::detect().map(|_| Pmull::NAMES).unwrap_or_default()
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(super) fn crc() -> Names {
        &[]
    }

    pub(crate) fn vectors() -> Names {
        &[]
    }

    pub(super) fn sha256() -> Option<Served> {
        None
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
    use super::{Names, first};

    pub(super) fn sha1() -> Names {
        match first(&[&["sha-ni", "ssse3"], &["avx2", "bmi1", "bmi2", "ssse3"]]) {
            found if !found.is_empty() => found,
            _ => avx_if_intel(),
        }
    }

    pub(super) fn sha256() -> Names {
        if has("sha-ni") { &["sha-ni"] } else { avx_if_intel() }
    }

    // Scalar code on AMD: AWS-LC prefers it there over its AVX code.
    pub(super) fn sha512() -> Names {
        avx_if_intel_or(&[])
    }

    fn avx_if_intel() -> Names {
        avx_if_intel_or(first(&[&["ssse3"]]))
    }

    fn avx_if_intel_or(others: Names) -> Names {
        if has("avx") && is_intel() { &["avx"] } else { others }
    }

    pub(super) fn aes_ctr() -> Names {
        first(&[&["aes-ni"], &["ssse3"]])
    }

    pub(super) fn aes_gcm() -> Names {
        first(&[
            &["aes-ni", "vaes", "vpclmulqdq", "avx512f", "avx512vbmi2"],
            &["aes-ni", "pclmulqdq", "avx", "movbe"],
            &["aes-ni", "pclmulqdq"],
            &["ssse3"],
        ])
    }

    // The assembly is left out on Windows.
    pub(super) fn aes_gcm_siv() -> Names {
        if !cfg!(windows) && has("avx") && has("aes-ni") {
            return &["aes-ni", "pclmulqdq", "avx"];
        }
        aes_gcm()
    }

    pub(super) fn blake3() -> Names {
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
    use super::{Names, first};

    pub(super) fn sha1() -> Names {
        first(&[&["sha2"]])
    }

    pub(super) fn sha256() -> Names {
        first(&[&["sha2"]])
    }

    pub(super) fn sha512() -> Names {
        first(&[&["sha512"]])
    }

    pub(super) fn aes_ctr() -> Names {
        first(&[&["aes"], &["neon"]])
    }

    pub(super) fn aes_gcm() -> Names {
        first(&[&["aes", "pmull"], &["neon"]])
    }

    pub(super) fn aes_gcm_siv() -> Names {
        aes_gcm()
    }

    pub(super) fn blake3() -> Names {
        first(&[&["neon"]])
    }
}

pub(super) use own::vectors;

use dispatch::{aes_ctr, aes_gcm, aes_gcm_siv, blake3, sha1, sha256, sha512};
