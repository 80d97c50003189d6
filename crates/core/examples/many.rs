//! Prints what a message costs on one core, on its own and as one of many, and how many times
//! quicker it is then.
//!
//! `cargo run --release -p millrace-core --example many [part of a name] [messages, default 64]`
//!
//! The two are measured in turn, each the best of many short runs. `MILLRACE_CPU_HIDE` shows other
//! kernels.

use std::hint::black_box;
use std::time::{Duration, Instant};

use millrace_core::catalog::{HASHES, Hash};
use millrace_core::hash::{Params, digest};
use millrace_core::hmac::MacKey;
use millrace_core::many::{digests, macs};

/// Sizes of messages; the last is a mix of 0 to 2047 bytes.
const SIZES: [usize; 6] = [32, 64, 256, 1024, 4096, MIX];
const MIX: usize = 2047;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().unwrap_or_default();
    let count = arguments.next().map_or(64, |count| count.parse().expect("a number of messages"));
    print!("{:<16}", format!("ns, {count} at once"));
    SIZES.iter().for_each(|&size| {
        print!("{:>24}", if size == MIX { "mixed".into() } else { format!("{size} B") })
    });
    println!();
    let names = HASHES.iter().map(|facts| (facts.name.to_string(), facts.hash, false));
    let macs = HASHES
        .iter()
        .filter(|facts| facts.hmac)
        .map(|facts| (format!("hmac-{}", facts.name), facts.hash, true));
    for (name, hash, mac) in names.chain(macs).filter(|(name, ..)| name.contains(&wanted)) {
        print!("{name:<16}");
        SIZES.iter().for_each(|&size| cell(hash, mac, size, count));
        println!();
    }
}

fn cell(hash: Hash, mac: bool, size: usize, count: usize) {
    let bytes: Vec<u8> = (0..size * count + 64).map(|index| (index * 7 % 251) as u8).collect();
    let length = |index: usize| if size == MIX { (index * 977 + 13) % (MIX + 1) } else { size };
    let sources: Vec<&[u8]> =
        (0..count).map(|index| &bytes[index * size..][..length(index)]).collect();
    let digest_size = if hash.facts().digest_size == 0 { 32 } else { hash.facts().digest_size };
    let key = hash.facts().hmac.then(|| MacKey::new(hash, &[7; 32]).expect("defined"));
    let mut results = vec![[0; 64]; count];
    let mut work = |many: bool| match (many, key.as_ref().filter(|_| mac)) {
        (true, None) => digests(
            hash,
            &Params::default(),
            black_box(&sources),
            digest_size,
            None,
            |index, digest| {
                results[index][..digest_size].copy_from_slice(digest);
            },
        ),
        (true, Some(key)) => macs(key, black_box(&sources), None, |index, mac| {
            results[index][..digest_size].copy_from_slice(mac);
        }),
        (false, None) => sources.iter().zip(&mut results).try_for_each(|(source, target)| {
            digest(hash, &Params::default(), black_box(source), &mut target[..digest_size], None)
        }),
        (false, Some(key)) => sources.iter().zip(&mut results).try_for_each(|(source, target)| {
            key.mac(black_box(source), &mut target[..digest_size], None)
        }),
    };
    let mut best = [f64::MAX; 2];
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(60) {
        for (many, best) in best.iter_mut().enumerate() {
            let calls = 1 + 200_000 / (count * (size + 64)) as u32;
            let run = Instant::now();
            (0..calls).for_each(|_| work(many == 1).expect("sizes fit"));
            *best = best.min(run.elapsed().as_nanos() as f64 / f64::from(calls) / count as f64);
        }
    }
    print!("{:>24}", format!("{:.1} / {:.1} = {:.2}", best[0], best[1], best[0] / best[1]));
}
