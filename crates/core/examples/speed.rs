//! Prints what every algorithm costs on one core: ns at 64 B and 1 KiB, and GB/s at 1 MiB.
//!
//! `cargo run --release -p millrace-core --example speed [part of a name]`
//!
//! The best of many short runs, so that a busy machine disturbs little. Compare ratios within one
//! run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use millrace_core::catalog::{CIPHERS, Cipher, HASHES};
use millrace_core::cipher::{CipherKey, Text, with_key};
use millrace_core::hash::{Params, digest};
use millrace_core::hmac::{MacKey, hmac};

const SIZES: [usize; 3] = [64, 1024, 1 << 20];

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let asked = |name: &str| name.contains(&wanted);
    println!("{:<32} {:>10} {:>10} {:>12} {:>8}", "", "64 B ns", "1 KiB ns", "1 MiB us", "GB/s");

    for facts in &HASHES {
        let size = if facts.digest_size == 0 { 32 } else { facts.digest_size };
        if asked(facts.name) {
            row(facts.name, |source| {
                let mut target = [0; 64];
                let _ = digest(
                    facts.hash,
                    &Params::default(),
                    black_box(source),
                    &mut target[..size],
                    None,
                );
                black_box(&target);
            });
        }
        let name = format!("hmac-{}", facts.name);
        if facts.hmac && asked(&name) {
            row(&name, |source| {
                let mut target = [0; 64];
                let _ =
                    hmac(facts.hash, black_box(&[7; 32]), black_box(source), &mut target[..size]);
                black_box(&target);
            });
            let key = MacKey::new(facts.hash, &[7; 32]).expect("defined");
            row(&format!("{name}, key cached"), |source| {
                let mut target = [0; 64];
                let _ = key.mac(black_box(source), &mut target[..size], None);
                black_box(&target);
            });
        }
    }
    for facts in &CIPHERS {
        if asked(facts.name) {
            ciphers(facts.cipher);
        }
    }
}

fn ciphers(cipher: Cipher) {
    let facts = cipher.facts();
    let (key, iv) = (&[7; 32][..facts.key_size], &[9; 24][..facts.iv_size]);
    let name = facts.name;
    let prepared = CipherKey::boxed(cipher, key).expect("a key of the right size");
    let run = |prepared: &CipherKey, text: &mut [u8]| {
        let mut tag = [0; 16];
        let result = match facts.aead {
            true => prepared.seal(black_box(iv), &[], Text::InPlace(text), &mut tag),
            false => prepared.apply(black_box(iv), Text::InPlace(text), None),
        };
        result.expect("sizes fit");
        black_box(&tag);
    };
    row_mut(&format!("{name}, key cached"), |text| run(&prepared, text));
    row_mut(&format!("{name}, with_key"), |text| {
        with_key(cipher, black_box(key), |prepared| run(prepared, text))
            .expect("a key of the right size");
    });
    row_mut(&format!("{name}, CipherKey::new"), |text| {
        run(&CipherKey::new(cipher, black_box(key)).expect("a key of the right size"), text);
    });
    if facts.aead {
        let mut sealed: Vec<(Vec<u8>, [u8; 16])> = Vec::new();
        for size in SIZES {
            let (mut text, mut tag) = (vec![0; size], [0; 16]);
            prepared.seal(iv, &[], Text::InPlace(&mut text), &mut tag).expect("sizes fit");
            sealed.push((text, tag));
        }
        row_mut(&format!("{name}, open"), |target| {
            let (source, tag) =
                sealed.iter().find(|(text, _)| text.len() == target.len()).expect("sealed");
            prepared
                .open(black_box(iv), &[], Text::Across { source, target }, tag)
                .expect("authentic");
        });
    }
}

fn row(name: &str, mut work: impl FnMut(&[u8])) {
    row_mut(name, |text| work(text));
}

fn row_mut(name: &str, mut work: impl FnMut(&mut [u8])) {
    let ns = SIZES.map(|size| {
        let mut text = vec![0x5a; size];
        best(|| work(&mut text))
    });
    println!(
        "{name:<32} {:>10.1} {:>10.1} {:>12.1} {:>8.2}",
        ns[0],
        ns[1],
        ns[2] / 1e3,
        SIZES[2] as f64 / ns[2]
    );
}

/// Returns the best time of one call in ns, over runs of about 100 us and 60 ms in all.
fn best(mut work: impl FnMut()) -> f64 {
    let once = Instant::now();
    work();
    let calls = (100_000 / once.elapsed().as_nanos().max(1)).clamp(1, 2000) as u32;
    let mut best = f64::MAX;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(60) {
        let run = Instant::now();
        for _ in 0..calls {
            work();
        }
        best = best.min(run.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    best
}
