//! Predicted cost of a job in nanoseconds: what the routes and the pool's batches go by.
//!
//! A table, measured on one Zen 4 core and rounded; another CPU may be three times slower, and the
//! decisions it serves do not mind.

use crate::job::{Operation, Work};
use millrace_core::catalog::{Cipher, Hash};

/// How an asynchronous job is run; the numbers are those of `src/binding.ts`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// As its predicted cost says. A job that has been submitted has one of the others.
    Auto = 0,
    /// During the call; it settles later all the same.
    Inline = 1,
    /// By one worker.
    Pool = 2,
    /// By all workers, each a part; by one where the work has no parts.
    Split = 3,
}

impl Route {
    /// `Auto` for a number that is none.
    pub(crate) fn from_number(number: f64) -> Route {
        match number {
            1.0 => Route::Inline,
            2.0 => Route::Pool,
            3.0 => Route::Split,
            _ => Route::Auto,
        }
    }
}

/// Predicted nanoseconds from which a job is worth splitting: a part costs a few microseconds of waking and joining.
const SPLIT: u64 = 100_000;

/// Whether all workers should share a job that can be done in parts.
pub(crate) fn worth_splitting(work: &Work, cost: u64) -> bool {
    let divisible = match work.operation {
        Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => cipher != Cipher::Aes256GcmSiv,
        Operation::Hash(hash) => hash == Hash::Blake3,
        _ => false,
    };
    divisible && cost >= SPLIT
}

/// What any job costs beside its bytes: about what the shortest one takes.
const FIXED: u64 = 150;

/// What a message among many costs, as bytes.
const PADDING: usize = 64;

/// Predicted nanoseconds.
pub(crate) fn predict(work: &Work) -> u64 {
    let (source, target) = (work.source.size(), work.target.size());
    let (size, picoseconds) = match work.operation {
        // An XOF may put out more than it takes in.
        Operation::Hash(hash) | Operation::Hmac(hash) => {
            (source.saturating_add(target).saturating_add(work.key_size()), per_byte_of_hash(hash))
        }
        Operation::Finish(hash) | Operation::MacFinish(hash) | Operation::Squeeze(hash) => {
            (source.saturating_add(target), per_byte_of_hash(hash))
        }
        Operation::Update(hash) | Operation::MacUpdate(hash) => {
            (source.saturating_add(work.iv.size()), per_byte_of_hash(hash))
        }
        Operation::HashMany(hash) | Operation::HmacMany(hash) => {
            let (count, size) = work.messages();
            return of_messages(hash, size, count);
        }
        Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
            (source.saturating_add(work.aad.size()), per_byte_of_cipher(cipher))
        }
        Operation::SealChunks(cipher) | Operation::OpenChunks(cipher) => (source, per_byte_of_cipher(cipher)),
    };
    nanoseconds(size, picoseconds)
}

/// Predicted nanoseconds of hashing `size` bytes in `count` messages.
pub(crate) fn of_messages(hash: Hash, size: usize, count: usize) -> u64 {
    nanoseconds(size.saturating_add(count.saturating_mul(PADDING)), per_byte_of_hash(hash))
}

fn nanoseconds(size: usize, picoseconds: u64) -> u64 {
    FIXED.saturating_add((size as u64).saturating_mul(picoseconds) / 1000)
}

/// Picoseconds a byte.
fn per_byte_of_hash(hash: Hash) -> u64 {
    match hash {
        Hash::Sha1 | Hash::Sha224 | Hash::Sha256 => 550,
        Hash::Blake3 => 160,
        Hash::Blake2b512 => 800,
        Hash::Xxh32 => 130,
        Hash::Xxh64 => 70,
        Hash::Xxh3_64 | Hash::Xxh3_128 => 20,
        Hash::Ripemd160 => 2700,
        Hash::Sha3_384 | Hash::Keccak384 => 2500,
        Hash::Sha3_512 | Hash::Keccak512 => 3500,
        _ => 1700,
    }
}

/// Picoseconds a byte.
fn per_byte_of_cipher(cipher: Cipher) -> u64 {
    match cipher {
        Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => 125,
        Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => 100,
        Cipher::Aes256GcmSiv => 250,
        Cipher::ChaCha20 => 290,
        Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => 380,
    }
}
