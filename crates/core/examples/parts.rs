//! Prints GB/s of one large message in one call, in parts on one core, and in parts on several.
//!
//! `cargo run --release -p millrace-core --example parts [part of a name] [MiB, default 64] [KiB a
//! part, default 256] [threads, default 2]`
//!
//! The ways are measured in turn, each the best of several runs. `MILLRACE_CPU_HIDE` shows other
//! kernels.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use millrace_core::catalog::{CIPHERS, CipherFacts, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{Params, digest};
use millrace_core::split::{CipherMessage, HashMessage, HashPart, PartialTag};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().unwrap_or_default();
    let mut number =
        |default: usize| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    let (size, part, threads) = (number(64) << 20, number(256) << 10, number(2));
    println!("{:<42} {:>8} {:>8} {:>8} on {threads} threads", "GB/s", "one go", "parts", "parts");
    for facts in CIPHERS.iter().filter(|facts| facts.name.contains(&wanted)) {
        cipher(facts, size, part, threads);
    }
    if "blake3".contains(&wanted) {
        for hash in [Hash::Blake3, Hash::Kt128, Hash::Kt256, Hash::ParallelHash128] {
            tree(hash, size, threads);
        }
    }
}

fn cipher(facts: &CipherFacts, size: usize, part: usize, threads: usize) {
    let key = CipherKey::boxed(facts.cipher, &[7; 32][..facts.key_size])
        .expect("a key of the right size");
    let nonce = &[9; 24][..facts.iv_size];
    let mut text = vec![0x5a; size];
    let mut tag = [0; 16];
    let mut once = |text: &mut [u8]| match facts.aead {
        true => key.seal(nonce, &[], Text::InPlace(text), &mut tag),
        false => key.apply(nonce, Text::InPlace(text), None),
    };
    let ways = if facts.aead { &["", ", open", ", open in two passes"][..] } else { &[""] };
    for (way, name) in ways.iter().enumerate() {
        let run = |text: &mut [u8], threads: usize| {
            let message = CipherMessage::new(&key, nonce, &[], size as u64).expect("in parts");
            let tag = &mut [0; 16][..facts.tag_size];
            let pass = |text: &mut [u8], tag: &mut [u8], work: Part<'_>| {
                let parts: Vec<Mutex<(&mut [u8], Option<PartialTag>)>> =
                    text.chunks_mut(part).map(|part| Mutex::new((part, None))).collect();
                each(parts.len(), threads, &|index| {
                    let mut place = parts[index].lock().unwrap_or_else(PoisonError::into_inner);
                    let (text, partial) = &mut *place;
                    *partial = work((index * part) as u64, text);
                });
                let parts: Vec<_> = parts
                    .into_iter()
                    .filter_map(|part| part.into_inner().expect("no panic").1)
                    .collect();
                if !parts.is_empty() {
                    message.tag(&parts, tag).expect("all parts");
                }
            };
            let given = [0; 16];
            match way {
                0 if !facts.aead => {
                    pass(text, tag, &|at, text| message.apply_part(at, Text::InPlace(text)).ok())
                }
                0 if key.seals_in_two_passes() => {
                    pass(text, tag, &|at, text| message.authenticate_plain(at, text).ok())
                }
                0 => pass(text, tag, &|at, text| message.seal_part(at, Text::InPlace(text)).ok()),
                1 => pass(text, tag, &|at, text| {
                    message.open_part(at, Text::InPlace(text), &given).ok()
                }),
                _ => {
                    pass(text, tag, &|at, text| message.authenticate_sealed(at, text, &given).ok())
                }
            }
            if way == 2 || (way == 0 && key.seals_in_two_passes()) {
                let (sealed, tag) = (given, &mut [0; 16]);
                pass(text, tag, &|at, text| {
                    message.xor_part(at, Text::InPlace(text), &sealed).expect("a part");
                    None
                });
            }
        };
        let name = format!("{}{name}", facts.name);
        let (mut parts_one, mut parts_many) = (vec![0x5a; size], vec![0x5a; size]);
        let one_go: &mut dyn FnMut() = &mut || once(&mut text).expect("fits");
        let rates = rates(
            size,
            [one_go, &mut || run(&mut parts_one, 1), &mut || run(&mut parts_many, threads)],
        );
        println!("{name:<42} {:>8.2} {:>8.2} {:>8.2}", rates[0], rates[1], rates[2]);
    }
}

/// Works on the part that begins at an offset; returns what it adds to the tag, if it is read for
/// that.
type Part<'a> = &'a (dyn Fn(u64, &mut [u8]) -> Option<PartialTag> + Sync);

fn tree(hash: Hash, size: usize, threads: usize) {
    let source = vec![0x5a; size];
    let run = |threads: usize| {
        let message = HashMessage::new(hash, &Params::default(), size as u64).expect("in parts");
        let part = message.part_size() as usize;
        let values: Vec<Mutex<Option<HashPart>>> =
            (0..message.count()).map(|_| Mutex::new(None)).collect();
        each(values.len(), threads, &|index| {
            let source = &source[index * part..size.min((index + 1) * part)];
            let value = message.part((index * part) as u64, source).expect("a part");
            *values[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        });
        let values: Vec<_> =
            values.into_iter().filter_map(|value| value.into_inner().expect("no panic")).collect();
        let mut digest = [0; 64];
        message.finish(&values, &mut digest[..hash.facts().digest_size], None).expect("all parts");
    };
    let one_go: &mut dyn FnMut() = &mut || {
        digest(
            hash,
            &Params::default(),
            black_box(&source),
            &mut [0; 64][..hash.facts().digest_size],
            None,
        )
        .expect("fits")
    };
    let rates = rates(size, [one_go, &mut || run(1), &mut || run(threads)]);
    println!("{:<42} {:>8.2} {:>8.2} {:>8.2}", hash.facts().name, rates[0], rates[1], rates[2]);
}

/// Runs `work` for each index, on so many threads.
fn each(count: usize, threads: usize, work: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(index) =
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < count)
        {
            work(index);
        }
    };
    thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(worker)));
        worker();
    });
}

/// Returns GB/s of each way, by the best of 12 runs.
fn rates<const N: usize>(size: usize, mut ways: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::MAX; N];
    for _ in 0..12 {
        for (way, best) in ways.iter_mut().zip(&mut best) {
            let begin = Instant::now();
            way();
            *best = best.min(begin.elapsed().as_nanos() as f64);
        }
    }
    best.map(|ns| size as f64 / ns)
}
