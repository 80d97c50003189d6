//! The instructions of this CPU, and which of them the libraries use: the source of `engines()`.
//!
//! The libraries choose their code at run time; they do not tell which. The conditions here repeat
//! theirs, from AWS-LC's `crypto/fipsmodule/*/internal.h` and blake3's `platform.rs`. Routines of
//! our own ask [`features`](self::features) for the proof that the CPU has their instructions;
//! `MILLRACE_CPU_HIDE=avx512f,vaes` hides some from them, see there.

pub(crate) mod any;
pub(crate) mod features;
#[cfg_attr(target_arch = "x86_64", path = "x86_64/mod.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64/mod.rs")]
#[cfg_attr(target_arch = "wasm32", path = "wasm32/mod.rs")]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "wasm32")),
    path = "any/mod.rs"
)]
#[allow(unsafe_code)]
pub(crate) mod kernels;
#[cfg(test)]
mod tests;

use self::features::has;
use crate::catalog::{Cipher, Family, Hash};
use crate::cipher::chacha;
use crate::cipher::field;
use crate::engines::service::{Code, Names, Service};
use crate::hash::compression::words_64;
use crate::primitives::{Aes, AesInverse, Library, MILLRACE, Primitives};

/// Returns the libraries and their versions. AWS-LC reports its version; a test compares the others
/// to Cargo.lock.
pub(crate) fn libraries() -> [(&'static str, &'static str); 3] {
    let [first, second] = CRATES;
    [(Library::NAME, Library::version()), first, second]
}

const BLAKE3: &str = "blake3";

const CRATES: [(&str, &str); 2] = [(BLAKE3, "1.8.7"), (MILLRACE, env!("CARGO_PKG_VERSION"))];

/// Returns the first set of instructions that this CPU has completely; an empty set is the
/// baseline.
fn first(choices: &[Names]) -> Names {
    choices.iter().find(|set| set.iter().all(|name| has(name))).copied().unwrap_or_default()
}

/// Returns Millrace's own code.
const fn own_code(instructions: Names) -> Code {
    Code { library: MILLRACE, with: &[], instructions }
}

/// Returns the library's code, with the instructions that AWS-LC uses. RustCrypto's crates tell
/// nothing.
fn by_library(instructions: Names) -> Code {
    by(Library::NAME, instructions)
}

/// Works like [`by_library`], where the library of a primitive is another in WebAssembly.
fn by(library: &'static str, instructions: Names) -> Code {
    let instructions = if cfg!(feature = "aws-lc") { instructions } else { &[] };
    Code { library, with: &[], instructions }
}

/// Returns code beside which Millrace's authenticates.
fn authenticated(code: Code) -> Code {
    Code { with: if code.library == MILLRACE { &[] } else { &[MILLRACE] }, ..code }
}

/// Returns code beside which GHASH or POLYVAL is by [`field`].
fn hashed(code: Code) -> Code {
    Code { with: if code.library == field::LIBRARY { &[] } else { &[field::LIBRARY] }, ..code }
}

/// Returns how a hash is computed on this CPU.
pub(crate) fn serves_hash(hash: Hash) -> Service {
    let code = match hash.family() {
        Family::Md5 | Family::Ripemd160 => by_library(&[]),
        Family::Sha1 | Family::Md5Sha1 => by_library(sha1()),
        Family::Sha256 => by_library(sha256()),
        Family::Sha512 => own::sha512().unwrap_or_else(|| by(words_64::LIBRARY, sha512())),
        Family::Keccak => own_code(own::keccak()),
        Family::KeccakTree => own_code(own::keccak_leaves()),
        Family::Blake2 => own_code(&[]),
        Family::Blake3 => Code { library: BLAKE3, with: &[], instructions: blake3() },
        Family::Xxh => own_code(if hash == Hash::Xxh32 { own::xxh32() } else { &[] }),
        Family::Xxh3 => own_code(own::xxh3()),
        Family::Crc => own_code(own::crc()),
    };
    Service { lanes: own::lanes(hash), ..Service::from(code) }
}

/// Returns how a cipher is computed on this CPU. The test of this file counts the bytes that the
/// library processes, and so compares the report with what runs.
pub(crate) fn serves_cipher(cipher: Cipher) -> Service {
    match cipher {
        Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => Service::from(counter_mode()),
        Cipher::ChaCha20 => Service {
            short: own::chacha20().map(|_| (chacha::BLOCK, by(chacha::LIBRARY, &[]))),
            ..Service::from(keystream())
        },
        Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => serves_gcm(),
        Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => serves_chacha20_poly1305(),
        Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => {
            let parts = own::aes_gcm_siv().unwrap_or_else(|| hashed(aes(aes_ctr())));
            let whole = if cfg!(feature = "aws-lc") { by_library(aes_gcm_siv()) } else { parts };
            Service { parts, ..Service::from(whole) }
        }
    }
}

/// Returns the code of AES under a key for encryption.
fn aes(instructions: Names) -> Code {
    by(<<Library as Primitives>::Aes as Aes>::LIBRARY, instructions)
}

/// Returns the code of AES-CTR.
fn counter_mode() -> Code {
    own::aes_ctr().unwrap_or_else(|| aes(aes_ctr()))
}

/// Returns the code of ChaCha20, for messages longer than a block.
fn keystream() -> Code {
    let instructions = first(&[&["avx2"], &["ssse3"], &["neon"]]);
    own::chacha20().unwrap_or_else(|| by(chacha::LIBRARY, instructions))
}

fn serves_gcm() -> Service {
    let aws_lc = cfg!(feature = "aws-lc").then(|| by_library(aes_gcm()));
    let plain = || aws_lc.unwrap_or_else(|| hashed(counter_mode()));
    let parts = own::aes_gcm_parts().unwrap_or_else(plain);
    let library = aws_lc.unwrap_or(parts);
    let service = match own::aes_gcm() {
        Some((code, Some(most))) => Service { short: Some((most, code)), ..Service::from(library) },
        Some((code, None)) => Service::from(code),
        None => Service::from(library),
    };
    Service { parts, incremental: library, ..service }
}

fn serves_chacha20_poly1305() -> Service {
    let stream = authenticated(keystream());
    if let Some(code) = own::chacha20_poly1305() {
        return Service { incremental: stream, ..Service::from(code) };
    }
    let parts = own::chacha20_poly1305_parts().unwrap_or(stream);
    let library = by_library(first(&[&["avx2", "bmi2"], &["sse4.1"], &["neon"]]));
    let whole = if cfg!(feature = "aws-lc") { library } else { parts };
    Service { parts, incremental: stream, ..Service::from(whole) }
}

/// Returns the report of AES on one block.
pub(crate) fn aes_block() -> Service {
    const INVERSE: &str = <<Library as Primitives>::AesInverse as AesInverse>::LIBRARY;
    let code = aes(aes_ctr());
    let with: Names = if code.library == INVERSE { &[] } else { &[INVERSE] };
    Service::from(Code { with, ..code })
}

/// Returns the report of a derivation that Millrace computes with `instructions`.
pub(crate) fn ours(instructions: Names) -> Service {
    Service::from(own_code(instructions))
}

/// Returns the report of a derivation over every hash, of which the libraries have some.
pub(crate) fn over_hashes() -> Service {
    Service::from(Code { with: &[Library::NAME, BLAKE3], ..own_code(&[]) })
}

/// Returns how PBKDF2 over `hash` is computed, with `lanes` blocks of output at once. Where a kernel
/// for several takes a single one too, it computes all iterations.
pub(crate) fn serves_pbkdf2(hash: Hash, lanes: usize) -> Service {
    let service = serves_hash(hash);
    let code = own::iterations(hash).unwrap_or(service.code);
    let instructions = service.lanes.filter(|_| lanes > 1).map(|(_, instructions)| instructions);
    let lanes = instructions.map(|instructions| (lanes, instructions));
    Service { lanes, ..Service::from(code) }
}

/// Returns true if the kernels iterate a single block of output: asks them to, no times.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn iterates_one(hash: Hash) -> bool {
    use crate::hash::lanes::{Kernels, sha256};
    #[cfg(target_arch = "x86_64")]
    use crate::hash::lanes::{sha1, sha512};
    use crate::hmac::iteration::HmacIteration;

    const fn zeros<W: Copy, const N: usize>(inner: [W; N]) -> [HmacIteration<W, N>; 1] {
        [HmacIteration { inner, outer: inner, last: inner, sum: inner }]
    }

    let (kernels, size) = (Kernels::detect(), hash.facts().digest_size);
    let done = match hash.family() {
        #[cfg(target_arch = "x86_64")]
        Family::Sha1 => sha1::iterate(kernels, &mut zeros([0; 5]), size, 0),
        Family::Sha256 => sha256::iterate(kernels, &mut zeros([0; 8]), size, 0),
        #[cfg(target_arch = "x86_64")]
        Family::Sha512 => sha512::iterate(kernels, &mut zeros([0; 8]), size, 0),
        _ => 0,
    };
    done > 0
}

/// Returns the instructions of Millrace's own routines, if this CPU has them and they are not
/// hidden. They check the same proofs, in the same order.
#[cfg(target_arch = "x86_64")]
mod own {
    use super::features::{
        Avx2, Avx2Bmi, Avx512, Avx512Bmi, Bmi, Carryless, Fold256, Fold512, Gcm256, Gcm512, Ifma,
        Schedule256, Schedule512, ShaNi, Vaes256, Vaes512,
    };
    use super::{Code, Family, Hash, Names, iterates_one, own_code};
    use crate::cipher::gcm::key::{GcmKey, SHORT_MAX};
    use crate::hash::digest_types::batches;
    use crate::hash::lanes::{Kernels, keccak, md5, sha1, sha256, sha512};

    pub(crate) fn lanes(hash: Hash) -> Option<(usize, Names)> {
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

    /// Returns the code for the iterations of PBKDF2 with one block of output.
    pub(crate) fn iterations(hash: Hash) -> Option<Code> {
        iterates_one(hash).then(|| own_code(ShaNi::NAMES))
    }

    pub(crate) fn keccak() -> Names {
        Bmi::detect().map(|_| Bmi::NAMES).unwrap_or_default()
    }

    pub(crate) fn keccak_leaves() -> Names {
        keccak::multibuffer(Kernels::detect())
            .map_or_else(super::own::keccak, |found| found.instructions)
    }

    // From 1 KiB on.
    pub(crate) fn xxh32() -> Names {
        Avx2::detect().map(|_| Avx2::NAMES).unwrap_or_default()
    }

    // Beyond 240 bytes.
    pub(crate) fn xxh3() -> Names {
        vectors()
    }

    // From 256 bytes on.
    pub(crate) fn crc() -> Names {
        match (Fold512::detect(), Fold256::detect(), Carryless::detect()) {
            (Some(_), ..) => Fold512::NAMES,
            (None, Some(_), _) => Fold256::NAMES,
            (None, None, Some(_)) => Carryless::NAMES,
            (None, None, None) => &[],
        }
    }

    /// Returns the instructions that serve XXH3, scrypt and Argon2.
    pub(crate) fn vectors() -> Names {
        match (Avx512::detect(), Avx2::detect()) {
            (Some(_), _) => Avx512::NAMES,
            (None, Some(_)) => Avx2::NAMES,
            (None, None) => &[],
        }
    }

    pub(crate) fn sha512() -> Option<Code> {
        let names = match (Schedule512::detect(), Schedule256::detect()) {
            (Some(_), _) => Schedule512::NAMES,
            (None, Some(_)) => Schedule256::NAMES,
            (None, None) => return None,
        };
        Some(own_code(names))
    }

    pub(crate) fn aes_ctr() -> Option<Code> {
        let names = match (Vaes512::detect(), Vaes256::detect()) {
            (Some(_), _) => Vaes512::NAMES,
            (None, Some(_)) => Vaes256::NAMES,
            (None, None) => return None,
        };
        Some(own_code(names))
    }

    /// Returns the code for messages in one piece, and the most bytes for which it is used, if the
    /// library is faster for more.
    pub(crate) fn aes_gcm() -> Option<(Code, Option<usize>)> {
        let most = GcmKey::long_by_aws_lc().then_some(SHORT_MAX);
        Gcm256::detect().map(|_| (own_code(Gcm256::NAMES), most))
    }

    pub(crate) fn aes_gcm_parts() -> Option<Code> {
        let names = match (Gcm512::detect(), Gcm256::detect()) {
            (Some(_), _) => Gcm512::NAMES,
            (None, Some(_)) => Gcm256::NAMES,
            (None, None) => return None,
        };
        Some(own_code(names))
    }

    /// Returns the code for messages in parts.
    pub(crate) fn aes_gcm_siv() -> Option<Code> {
        let names = Gcm512::detect().map_or(Vaes256::NAMES, |_| Gcm512::NAMES);
        Vaes256::detect().map(|_| own_code(names))
    }

    pub(crate) fn chacha20() -> Option<Code> {
        Avx512::detect().map(|_| own_code(Avx512::NAMES))
    }

    pub(crate) fn chacha20_poly1305() -> Option<Code> {
        let names = match (Ifma::detect(), Avx512Bmi::detect()) {
            (Some(_), _) => Ifma::NAMES,
            (None, Some(_)) => Avx512Bmi::NAMES,
            (None, None) => return None,
        };
        Some(own_code(names))
    }

    /// Returns the code for messages in parts, if there is none for all.
    pub(crate) fn chacha20_poly1305_parts() -> Option<Code> {
        Avx2Bmi::detect().map(|_| own_code(Avx2Bmi::NAMES))
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod own {
    #[cfg(target_arch = "aarch64")]
    use super::Family;
    use super::{Code, Hash, Names};

    #[cfg(target_arch = "aarch64")]
    pub(crate) fn lanes(hash: Hash) -> Option<(usize, Names)> {
        use crate::hash::digest_types::batches;
        use crate::hash::lanes::{Kernels, keccak, sha256};
        let multibuffer = match hash.family() {
            Family::Sha256 => sha256::multibuffer,
            Family::Keccak | Family::KeccakTree if batches(hash) => keccak::multibuffer,
            _ => return None,
        };
        multibuffer(Kernels::detect()).map(|found| (found.lanes, found.instructions))
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(crate) fn lanes(_hash: Hash) -> Option<(usize, Names)> {
        None
    }

    #[cfg(target_arch = "aarch64")]
    pub(crate) fn iterations(hash: Hash) -> Option<Code> {
        let (_, instructions) = lanes(hash)?;
        super::iterates_one(hash).then(|| super::own_code(instructions))
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(crate) fn iterations(_hash: Hash) -> Option<Code> {
        None
    }

    pub(crate) fn keccak() -> Names {
        &[]
    }

    #[cfg(target_arch = "aarch64")]
    pub(crate) fn keccak_leaves() -> Names {
        use crate::hash::lanes::{Kernels, keccak};
        keccak::multibuffer(Kernels::detect())
            .map_or_else(super::own::keccak, |found| found.instructions)
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(crate) fn keccak_leaves() -> Names {
        &[]
    }

    pub(crate) fn xxh32() -> Names {
        &[]
    }

    pub(crate) fn xxh3() -> Names {
        super::first(&[&["neon"]])
    }

    #[cfg(target_arch = "aarch64")]
    pub(crate) fn crc() -> Names {
        use super::features::Pmull;
        Pmull::detect().map(|_| Pmull::NAMES).unwrap_or_default()
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(crate) fn crc() -> Names {
        &[]
    }

    pub(crate) fn vectors() -> Names {
        &[]
    }

    pub(crate) fn sha512() -> Option<Code> {
        None
    }

    pub(crate) fn aes_ctr() -> Option<Code> {
        None
    }

    pub(crate) fn aes_gcm() -> Option<(Code, Option<usize>)> {
        None
    }

    pub(crate) fn aes_gcm_parts() -> Option<Code> {
        None
    }

    pub(crate) fn aes_gcm_siv() -> Option<Code> {
        None
    }

    pub(crate) fn chacha20() -> Option<Code> {
        None
    }

    pub(crate) fn chacha20_poly1305() -> Option<Code> {
        None
    }

    pub(crate) fn chacha20_poly1305_parts() -> Option<Code> {
        None
    }
}

#[cfg(target_arch = "x86_64")]
mod dispatch {
    use super::features::has;
    use super::{Names, first};

    pub(crate) fn sha1() -> Names {
        match first(&[&["sha-ni", "ssse3"], &["avx2", "bmi1", "bmi2", "ssse3"]]) {
            found if !found.is_empty() => found,
            _ => avx_if_intel(),
        }
    }

    pub(crate) fn sha256() -> Names {
        if has("sha-ni") { &["sha-ni"] } else { avx_if_intel() }
    }

    // Scalar code on AMD: AWS-LC prefers it there over its AVX code.
    pub(crate) fn sha512() -> Names {
        avx_if_intel_or(&[])
    }

    fn avx_if_intel() -> Names {
        avx_if_intel_or(first(&[&["ssse3"]]))
    }

    fn avx_if_intel_or(others: Names) -> Names {
        if has("avx") && is_intel() { &["avx"] } else { others }
    }

    pub(crate) fn aes_ctr() -> Names {
        first(&[&["aes-ni"], &["ssse3"]])
    }

    pub(crate) fn aes_gcm() -> Names {
        first(&[
            &["aes-ni", "vaes", "vpclmulqdq", "avx512f", "avx512vbmi2"],
            &["aes-ni", "pclmulqdq", "avx", "movbe"],
            &["aes-ni", "pclmulqdq"],
            &["ssse3"],
        ])
    }

    // The assembly is left out on Windows.
    pub(crate) fn aes_gcm_siv() -> Names {
        if !cfg!(windows) && has("avx") && has("aes-ni") {
            return &["aes-ni", "pclmulqdq", "avx"];
        }
        aes_gcm()
    }

    pub(crate) fn blake3() -> Names {
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

    pub(crate) fn sha1() -> Names {
        first(&[&["sha2"]])
    }

    pub(crate) fn sha256() -> Names {
        first(&[&["sha2"]])
    }

    pub(crate) fn sha512() -> Names {
        first(&[&["sha512"]])
    }

    pub(crate) fn aes_ctr() -> Names {
        first(&[&["aes"], &["neon"]])
    }

    pub(crate) fn aes_gcm() -> Names {
        first(&[&["aes", "pmull"], &["neon"]])
    }

    pub(crate) fn aes_gcm_siv() -> Names {
        aes_gcm()
    }

    pub(crate) fn blake3() -> Names {
        first(&[&["neon"]])
    }
}

pub(crate) use own::vectors;

use dispatch::{aes_ctr, aes_gcm, aes_gcm_siv, blake3, sha1, sha256, sha512};
