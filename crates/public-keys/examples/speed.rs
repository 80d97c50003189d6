//! Prints the nanoseconds of each operation:
//!
//!     cargo run --release -p millrace-public-keys --example speed
#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "../tests/support.rs"]
mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use millrace_public_keys::hpke::{Aead, Context, Kdf, Parameters};
use millrace_public_keys::{
    Algorithm, EcdsaEncoding, Hash, Input, Oaep, PrivateKey, PublicKey, SaltLength, Scheme, hpke,
};

use support::{new_key, sign};

/// Returns the nanoseconds of a call: the fastest of five rounds of 100 ms.
fn measure(name: &str, mut call: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let (start, mut calls) = (Instant::now(), 0u32);
        while start.elapsed() < Duration::from_millis(100) {
            call();
            calls += 1;
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    println!("{name}: {best:.0} ns");
}

fn main() {
    let (hash, message) = (Hash::Sha256, [7; 100]);
    let input = Input::message(&message);
    let pss = Scheme::RsaPss { hash, mgf1: hash, salt_length: SaltLength::Digest };
    let ecdsa = Scheme::Ecdsa { hash, encoding: EcdsaEncoding::P1363 };
    let mut target = [0; 8000];
    for algorithm in Algorithm::ALL {
        let name = format!("{algorithm:?}");
        let key = new_key(algorithm);
        let public = key.public_key().unwrap();
        let (pkcs8, spki) = (key.to_pkcs8().unwrap(), public.to_spki().unwrap());
        measure(&format!("{name} from PKCS#8"), || {
            black_box(PrivateKey::from_pkcs8(black_box(&pkcs8)).unwrap());
        });
        measure(&format!("{name} from SPKI"), || {
            black_box(PublicKey::from_spki(black_box(&spki)).unwrap());
        });
        if !algorithm.is_rsa() {
            measure(&format!("{name} generate"), || {
                black_box(PrivateKey::generate(algorithm).unwrap());
            });
        }
        let scheme = match algorithm {
            Algorithm::Rsa => Scheme::RsaPkcs1 { hash },
            Algorithm::RsaPss => pss,
            _ if algorithm.is_nist_curve() => ecdsa,
            _ => Scheme::Own,
        };
        if algorithm.signs() {
            let signature = sign(&key, scheme, input);
            measure(&format!("{name} sign"), || {
                black_box(key.sign(scheme, input, &mut target).unwrap());
            });
            measure(&format!("{name} verify"), || {
                assert!(public.verify(scheme, black_box(input), &signature).unwrap());
            });
        }
        if algorithm.agrees() {
            measure(&format!("{name} agree"), || {
                black_box(key.agree(&public, &mut target).unwrap());
            });
        }
        if algorithm.encapsulates() {
            let mut secret = [0; 32];
            let size = algorithm.facts().ciphertext;
            measure(&format!("{name} encapsulate"), || {
                black_box(public.encapsulate(&mut target, &mut secret).unwrap());
            });
            measure(&format!("{name} decapsulate"), || {
                key.decapsulate(black_box(&target[..size]), &mut secret).unwrap();
            });
        }
        if let Ok(size) = hpke::encapsulated_size(algorithm) {
            let (kdf, aead) = (Kdf::from_number(1).unwrap(), Aead::from_number(1).unwrap());
            let parameters = Parameters { kdf, aead, info: &[], pre_shared: None };
            let (enc, rest) = target.split_at_mut(size);
            let sealed = &mut rest[..message.len() + hpke::TAG];
            measure(&format!("{name} HPKE seal"), || {
                let context = Context::of_sender(&parameters, &public, None, enc).unwrap();
                black_box(context.seal(&[], &message, sealed).unwrap());
            });
            let mut text = [0; 100];
            measure(&format!("{name} HPKE open"), || {
                let context = Context::of_recipient(&parameters, &key, None, enc).unwrap();
                context.open(&[], black_box(sealed), &mut text).unwrap();
            });
        }
        if algorithm == Algorithm::Rsa {
            let oaep = Oaep { hash, mgf1: hash, label: &[] };
            let mut ciphertext = [0; 256];
            measure(&format!("{name} encrypt OAEP"), || {
                black_box(public.encrypt_oaep(&oaep, &message, &mut ciphertext).unwrap());
            });
            measure(&format!("{name} decrypt OAEP"), || {
                black_box(key.decrypt_oaep(&oaep, &ciphertext, &mut target).unwrap());
            });
        }
    }
}
