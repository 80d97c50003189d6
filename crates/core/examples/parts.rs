//! Prints GB/s of one large message in one go, in parts on one core, and in parts on several.
//!
//! `cargo run --release -p millrace-core --example parts [part of a name] [MiB, default 64] [KiB a part, default 256] [threads, default 2]`
//!
//! The ways are measured in turn, each the best of several runs. `MILLRACE_CPU_HIDE` shows other kernels.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use millrace_core::catalog::{CIPHERS, CipherFacts, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{Params, digest};
use millrace_core::split::{HashMessage, Message, Partial};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().unwrap_or_default();
    let mut number = |default: usize| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    let (size, part, threads) = (number(64) << 20, number(256) << 10, number(2));
    println!("{:<28} {:>8} {:>8} {:>8} on {threads} threads", "GB/s", "one go", "parts", "parts");
    for facts in CIPHERS.iter().filter(|facts| facts.name.contains(&wanted)) {
        cipher(facts, size, part, threads);
    }
    if "blake3".contains(&wanted) {
        blake3(size, threads);
    }
}

fn cipher(facts: &CipherFacts, size: usize, part: usize, threads: usize) {
    let key = CipherKey::boxed(facts.cipher, &[7; 32][..facts.key_size]).expect("a key of the right size");
    let nonce = &[9; 24][..facts.iv_size];
    let mut text = vec![0x5a; size];
    let mut tag = [0; 16];
    let mut once = |text: &mut [u8]| match facts.aead {
        true => key.seal(nonce, &[], Text::InPlace(text), &mut tag),
        false => key.apply(nonce, Text::InPlace(text)),
    };
    if !key.parts() {
        let rates = rates(size, [&mut || once(&mut text).expect("fits")]);
        println!("{:<28} {:>8.2}        -        -", facts.name, rates[0]);
        return;
    }
    for open in [false, true] {
        if open && !facts.aead {
            continue;
        }
        let run = |text: &mut [u8], threads: usize| {
            let message = Message::new(&key, nonce, &[], size as u64).expect("in parts");
            let parts: Vec<Mutex<(&mut [u8], Option<Partial>)>> =
                text.chunks_mut(part).map(|part| Mutex::new((part, None))).collect();
            each(parts.len(), threads, &|index| {
                let mut place = parts[index].lock().unwrap_or_else(PoisonError::into_inner);
                let (text, partial) = &mut *place;
                let (offset, text) = ((index * part) as u64, Text::InPlace(text));
                let done = match (facts.aead, open) {
                    (false, _) => message.apply_part(offset, text),
                    (true, false) => message.seal_part(offset, text),
                    (true, true) => message.open_part(offset, text),
                };
                *partial = Some(done.expect("a part"));
            });
            let parts: Vec<_> = parts.into_iter().map(|part| part.into_inner().expect("no panic").1).collect();
            let size = if facts.aead { 16 } else { 0 };
            message.tag(parts.iter().flatten(), &mut [0; 16][..size]).expect("all parts");
        };
        let name = format!("{}{}", facts.name, if open { ", open" } else { "" });
        let (mut parts_one, mut parts_many) = (vec![0x5a; size], vec![0x5a; size]);
        let one_go: &mut dyn FnMut() = &mut || once(&mut text).expect("fits");
        let rates = rates(size, [one_go, &mut || run(&mut parts_one, 1), &mut || run(&mut parts_many, threads)]);
        println!("{name:<28} {:>8.2} {:>8.2} {:>8.2}", rates[0], rates[1], rates[2]);
    }
}

fn blake3(size: usize, threads: usize) {
    let source = vec![0x5a; size];
    let run = |threads: usize| {
        let message = HashMessage::new(Hash::Blake3, &Params::default(), size as u64).expect("in parts");
        let part = message.part_size() as usize;
        let values: Vec<Mutex<[u8; 32]>> = (0..message.count()).map(|_| Mutex::new([0; 32])).collect();
        each(values.len(), threads, &|index| {
            let source = &source[index * part..size.min((index + 1) * part)];
            let value = message.part((index * part) as u64, source).expect("a part");
            *values[index].lock().unwrap_or_else(PoisonError::into_inner) = value;
        });
        let values: Vec<_> = values.into_iter().map(|value| value.into_inner().expect("no panic")).collect();
        message.finish(&values, &mut [0; 32]).expect("all parts");
    };
    let one_go: &mut dyn FnMut() =
        &mut || digest(Hash::Blake3, &Params::default(), black_box(&source), &mut [0; 32]).expect("fits");
    let rates = rates(size, [one_go, &mut || run(1), &mut || run(threads)]);
    println!("{:<28} {:>8.2} {:>8.2} {:>8.2}", "blake3", rates[0], rates[1], rates[2]);
}

/// Runs `work` for each index, on so many threads.
fn each(count: usize, threads: usize, work: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < count) {
            work(index);
        }
    };
    thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(worker)));
        worker();
    });
}

/// GB/s of the best of 12 runs each.
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
