//! The primitives of millrace-core beside ring's, on one core and without Node.js:
//!
//! ```sh
//! npm run bench -- core
//! ```
//!
//! Results are compared before anything is timed. Both take turns, in 15 rounds of 20 ms; the table
//! shows medians and half the interquartile range.

use std::hint::black_box;
use std::time::Instant;

use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{self, Params};
use ring::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::digest;

const ROUNDS: usize = 15;
const ROUND_NS: f64 = 20e6;
const SIZES: [usize; 5] = [64, 1 << 10, 4 << 10, 16 << 10, 1 << 20];
const NONCE: [u8; 12] = [7; 12];

fn main() {
    println!("| operation | bytes | millrace | ring | ratio | spread |");
    println!("|---|---|---|---|---|---|");
    let aeads =
        [("aes-256-gcm", &aead::AES_256_GCM), ("chacha20-poly1305", &aead::CHACHA20_POLY1305)];
    for (name, algorithm) in aeads {
        for size in SIZES {
            seal_row(name, algorithm, size);
        }
    }
    for size in SIZES {
        digest_row("sha256", &digest::SHA256, size);
        digest_row("sha512", &digest::SHA512, size);
    }
}

fn seal_row(name: &str, algorithm: &'static aead::Algorithm, size: usize) {
    let key_bytes = [3u8; 32];
    let cipher = Cipher::by_name(name).expect("a cipher of the catalog");
    let ours = CipherKey::boxed(cipher, &key_bytes).expect("a key of 32 bytes");
    let theirs = LessSafeKey::new(UnboundKey::new(algorithm, &key_bytes).expect("32 bytes"));
    let (mut a, mut b) = (vec![1u8; size], vec![1u8; size]);
    let mut tag = [0u8; 16];
    let mut seal_ours = |text: &mut [u8]| {
        ours.seal(&NONCE, b"", Text::InPlace(text), &mut tag).expect("valid arguments");
        tag
    };
    let seal_theirs = |text: &mut [u8]| {
        let nonce = Nonce::assume_unique_for_key(NONCE);
        theirs.seal_in_place_separate_tag(nonce, Aad::empty(), text).expect("valid arguments")
    };
    assert_eq!(seal_ours(&mut a), seal_theirs(&mut b).as_ref(), "{name} {size}: tags differ");
    assert_eq!(a, b, "{name} {size}: ciphertexts differ");
    print(
        name,
        size,
        || {
            black_box(seal_ours(&mut a));
        },
        || {
            let _ = black_box(seal_theirs(&mut b));
        },
    );
}

fn digest_row(name: &str, algorithm: &'static digest::Algorithm, size: usize) {
    let ours = Hash::by_name(name).expect("a hash of the catalog");
    let source = vec![1u8; size];
    let hash_ours = |digest: &mut [u8]| {
        hash::digest(ours, &Params::default(), &source, digest, None).expect("a digest's size");
    };
    let mut result = vec![0u8; algorithm.output_len()];
    hash_ours(&mut result);
    assert_eq!(result, digest::digest(algorithm, &source).as_ref(), "{name} {size}: differs");
    print(
        name,
        size,
        || hash_ours(black_box(&mut result)),
        || {
            black_box(digest::digest(algorithm, &source));
        },
    );
}

fn print(name: &str, size: usize, mut ours: impl FnMut(), mut theirs: impl FnMut()) {
    let counts = [count(&mut ours), count(&mut theirs)];
    let mut samples = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        samples[0].push(time(&mut ours, counts[0]));
        samples[1].push(time(&mut theirs, counts[1]));
    }
    let [(ours, near), (theirs, far)] = samples.map(median);
    let show = |ns: f64| {
        if size < 1 << 10 { format!("{ns:.0} ns") } else { format!("{:.2} GB/s", size as f64 / ns) }
    };
    println!(
        "| {name} | {size} | {} | {} | {:.2} | {:.0} % |",
        show(ours),
        show(theirs),
        theirs / ours,
        100.0 * near.max(far)
    );
}

/// Calls that take about [`ROUND_NS`].
fn count(call: &mut impl FnMut()) -> u32 {
    let mut calls = 16;
    loop {
        let each = time(call, calls);
        if each * f64::from(calls) > ROUND_NS / 10.0 {
            return (ROUND_NS / each).max(1.0) as u32;
        }
        calls *= 2;
    }
}

/// Nanoseconds for one call.
fn time(call: &mut impl FnMut(), calls: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

/// Returns the median and half the interquartile range, relative to it.
fn median(mut samples: Vec<f64>) -> (f64, f64) {
    samples.sort_by(f64::total_cmp);
    let at = |part: f64| samples[((samples.len() - 1) as f64 * part) as usize];
    (at(0.5), (at(0.75) - at(0.25)) / 2.0 / at(0.5))
}
