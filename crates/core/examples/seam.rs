//! Makes one short call so many times, for instructions to be counted: what the choice of an engine
//! adds to it.
//!
//! `valgrind --tool=callgrind target/release/examples/seam <call> <times>`, with two numbers of
//! times; the difference of both counts by that of the times is what a call takes.

use std::hint::black_box;

use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{CipherKey, Text, with_key};
use millrace_core::hash::{Params, digest};
use millrace_core::hasher;
use millrace_core::hmac::{MacKey, hmac};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let call = arguments.next().unwrap_or_default();
    let times: usize = arguments.next().and_then(|times| times.parse().ok()).unwrap_or(1000);
    let (source, mut target, mut state) = ([7; 64], [0; 64], [0; 104]);
    let (mut text, mut tag) = ([1; 64], [0; 16]);
    let mac_key = MacKey::new(Hash::Sha256, &[7; 32]).expect("defined");
    let stream = CipherKey::boxed(Cipher::Aes256Ctr, &[7; 32]).expect("a key of the right size");
    let aead = CipherKey::boxed(Cipher::Aes256Gcm, &[7; 32]).expect("a key of the right size");
    let none = Params::default();
    for _ in 0..times {
        let source = black_box(&source);
        let done = match call.as_str() {
            "digest" => digest(black_box(Hash::Sha256), &none, source, &mut target[..32], None),
            "xxh" => digest(black_box(Hash::Xxh64), &none, source, &mut target[..8], None),
            "update" => {
                hasher::update(black_box(Hash::Sha256), &none, &[], source, &mut state, None)
            }
            "hmac" => hmac(black_box(Hash::Sha256), &[7; 32], source, &mut target[..32]),
            "mac" => mac_key.mac(source, &mut target[..32], None),
            "apply" => stream.apply(&[9; 16], Text::InPlace(&mut text), None),
            "apply-once" => with_key(black_box(Cipher::Aes256Ctr), &[7; 32], |key| {
                key.apply(&[9; 16], Text::InPlace(&mut text), None)
            })
            .and_then(|done| done),
            "seal" => aead.seal(&[9; 12], &[], Text::InPlace(&mut text), &mut tag),
            _ => panic!("digest, xxh, update, hmac, mac, apply, apply-once or seal"),
        };
        black_box((&done, &target, &state, &text, &tag));
    }
}
