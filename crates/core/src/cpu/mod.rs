//! The instructions of this CPU, and which of them the libraries use: the source of `engines()`.
//!
//! The libraries choose their code at run time; they do not tell which. The conditions here repeat
//! theirs, from AWS-LC's `crypto/fipsmodule/*/internal.h` and blake3's `platform.rs`. Routines of
//! our own ask [`features`] for the proof that the CPU has their instructions;
//! `MILLRACE_CPU_HIDE=avx512f,vaes` hides some from them, see there.
//!
//! [`kernels`] are those of the architecture, in `x86_64/`, `aarch64/` or `wasm32/`, or those of
//! [`any`]. All offer the same names.

#[allow(unsafe_code, dead_code)] // where a CPU has a kernel
pub(crate) mod any;
pub(crate) mod features;
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )),
    path = "other.rs"
)]
#[cfg_attr(target_arch = "x86_64", path = "x86_64/mod.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64/mod.rs")]
#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), path = "wasm32/mod.rs")]
#[allow(unsafe_code)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // names that only x86-64 calls
pub(crate) mod kernels;
#[cfg(test)]
mod tests;

use self::features::{
    Avx2, Avx2Bmi, Avx512, Avx512Bmi, Bmi, Carryless, Fold256, Fold512, Gcm256, Gcm512, Ifma,
    Pmull, Schedule256, Schedule512, Vaes256, Vaes512, has,
};
use crate::catalog::{Cipher, Family, Hash};
use crate::cipher::chacha;
use crate::cipher::field;
use crate::engines::service::{Code, Names, Service};
use crate::hash::compression::words::SHA512_LIBRARY;
use crate::hash::digest::{Digest, Multibuffer};
use crate::hash::digest_types::with_digest;
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

/// Evaluates to Millrace's own code with the instructions of the first proof that this CPU has;
/// `None` without any. Its routines check the same proofs, in the same order.
macro_rules! own {
    ($($proof:ident),*) => {
        [$($proof::detect().map(|_| own_code($proof::NAMES))),*].into_iter().flatten().next()
    };
}

/// Returns Millrace's own code.
const fn own_code(instructions: Names) -> Code {
    Code { library: MILLRACE, with: &[], instructions }
}

/// Millrace's own code in the architecture's baseline.
pub(crate) const PLAIN: Code = own_code(&[]);

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
        Family::Sha512 => {
            own!(Schedule512, Schedule256).unwrap_or_else(|| by(SHA512_LIBRARY, sha512()))
        }
        Family::Keccak => own!(Bmi).unwrap_or(PLAIN),
        // Their leaves are messages.
        Family::KeccakTree => match multibuffer(Hash::Sha3_256) {
            Some(found) => own_code(found.instructions),
            None => own!(Bmi).unwrap_or(PLAIN),
        },
        Family::Blake2 => PLAIN,
        Family::Blake3 => Code { library: BLAKE3, with: &[], instructions: blake3() },
        // From 1 KiB on.
        Family::Xxh if hash == Hash::Xxh32 => own!(Avx2).unwrap_or(PLAIN),
        Family::Xxh => PLAIN,
        // Beyond 240 bytes.
        Family::Xxh3 => own!(Avx512, Avx2).unwrap_or_else(|| own_code(first(&[&["neon"]]))),
        // From 256 bytes on.
        Family::Crc => own!(Fold512, Fold256, Carryless, Pmull).unwrap_or(PLAIN),
    };
    let lanes = multibuffer(hash).map(|found| (found.lanes, found.instructions));
    Service { lanes, ..Service::from(code) }
}

/// Returns how the kernels for several messages are used.
fn multibuffer(hash: Hash) -> Option<Multibuffer> {
    with_digest!(hash, D => D::multibuffer())
}

/// Returns how a cipher is computed on this CPU. The test of this file counts the bytes that the
/// library processes, and so compares the report with what runs.
pub(crate) fn serves_cipher(cipher: Cipher) -> Service {
    match cipher {
        Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => Service::from(counter_mode()),
        Cipher::ChaCha20 => Service {
            short: own!(Avx512).map(|_| (chacha::BLOCK, by(chacha::LIBRARY, &[]))),
            ..Service::from(keystream())
        },
        Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => serves_gcm(true),
        // Each message has a key of its own.
        Cipher::Xaes256Gcm => serves_gcm(false),
        Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => serves_chacha20_poly1305(),
        Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => {
            let parts = own!(Gcm512, Vaes256).unwrap_or_else(|| hashed(aes(aes_ctr())));
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
    own!(Vaes512, Vaes256).unwrap_or_else(|| aes(aes_ctr()))
}

/// Returns the code of ChaCha20, for messages longer than a block.
fn keystream() -> Code {
    let instructions = first(&[&["avx2"], &["ssse3"], &["neon"]]);
    own!(Avx512).unwrap_or_else(|| by(chacha::LIBRARY, instructions))
}

/// Returns how AES-GCM is computed under a prepared key, for many messages or for one.
fn serves_gcm(many: bool) -> Service {
    let aws_lc = cfg!(feature = "aws-lc").then(|| by_library(aes_gcm()));
    let plain = || aws_lc.unwrap_or_else(|| hashed(counter_mode()));
    let parts = own!(Gcm512, Gcm256).unwrap_or_else(plain);
    let library = aws_lc.unwrap_or(parts);
    let service = match (own!(Gcm256), kernels::gcm::GcmKey::short_max(many)) {
        (Some(code), Some(most)) => Service { short: Some((most, code)), ..Service::from(library) },
        (code, _) => Service::from(code.unwrap_or(library)),
    };
    Service { parts, incremental: library, ..service }
}

fn serves_chacha20_poly1305() -> Service {
    let stream = authenticated(keystream());
    if let Some(code) = own!(Ifma, Avx512Bmi) {
        return Service { incremental: stream, ..Service::from(code) };
    }
    let parts = own!(Avx2Bmi).unwrap_or(stream);
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

/// Returns the report of a derivation over every hash, of which the libraries have some.
pub(crate) fn over_hashes() -> Service {
    Service::from(Code { with: &[Library::NAME, BLAKE3], ..PLAIN })
}

/// Returns how PBKDF2 over `hash` is computed, with `lanes` blocks of output at once. Where a
/// kernel for several takes a single one too, it computes all iterations.
pub(crate) fn serves_pbkdf2(hash: Hash, lanes: usize) -> Service {
    let service = serves_hash(hash);
    let single = multibuffer(hash).filter(|found| !found.single.is_empty());
    let code = single.map_or(service.code, |found| own_code(found.single));
    let instructions = service.lanes.filter(|_| lanes > 1).map(|(_, instructions)| instructions);
    let lanes = instructions.map(|instructions| (lanes, instructions));
    Service { lanes, ..Service::from(code) }
}

/// Returns the code of a derivation in vectors: scrypt and Argon2.
pub(crate) fn in_vectors() -> Code {
    own!(Avx512, Avx2).unwrap_or(PLAIN)
}

// What AWS-LC and blake3 use. No architecture has the names of another.

fn sha1() -> Names {
    match first(&[&["sha-ni", "ssse3"], &["avx2", "bmi1", "bmi2", "ssse3"], &["sha2"]]) {
        found if !found.is_empty() => found,
        _ => avx_if_intel_or(first(&[&["ssse3"]])),
    }
}

fn sha256() -> Names {
    match first(&[&["sha-ni"], &["sha2"]]) {
        found if !found.is_empty() => found,
        _ => avx_if_intel_or(first(&[&["ssse3"]])),
    }
}

// Scalar code on AMD: AWS-LC prefers it there over its AVX code.
fn sha512() -> Names {
    avx_if_intel_or(first(&[&["sha512"]]))
}

fn avx_if_intel_or(others: Names) -> Names {
    if has("avx") && kernels::is_intel() { &["avx"] } else { others }
}

fn aes_ctr() -> Names {
    first(&[&["aes-ni"], &["ssse3"], &["aes"], &["neon"]])
}

fn aes_gcm() -> Names {
    first(&[
        &["aes-ni", "vaes", "vpclmulqdq", "avx512f", "avx512vbmi2"],
        &["aes-ni", "pclmulqdq", "avx", "movbe"],
        &["aes-ni", "pclmulqdq"],
        &["ssse3"],
        &["aes", "pmull"],
        &["neon"],
    ])
}

// The assembly is left out on Windows.
fn aes_gcm_siv() -> Names {
    if !cfg!(windows) && has("avx") && has("aes-ni") {
        return &["aes-ni", "pclmulqdq", "avx"];
    }
    aes_gcm()
}

fn blake3() -> Names {
    first(&[&["avx512f", "avx512vl"], &["avx2"], &["sse4.1"], &["neon"]])
}
