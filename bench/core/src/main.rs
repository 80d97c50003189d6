//! The primitives of millrace-core beside those of other crates, on one core and without Node.js:
//!
//! ```sh
//! npm run bench -- core
//! ```
//!
//! Prints a line for each form of a row: its name, the bytes of a message, the form and the
//! nanoseconds of a message, between tabs. Results are compared before anything is timed. The
//! forms take turns, in 31 rounds of 3 ms; the fastest counts, because other programs only add
//! time. An argument selects the rows whose name contains it.

use std::hint::black_box;
use std::time::Instant;

use millrace_core::catalog::Hash;
use millrace_core::hash::{self, Params, many};

mod aead;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod hidden;
mod peers;

use peers::{HASHES, Peers};

const ROUNDS: usize = 31;
const ROUND_NS: f64 = 3e6;
const SIZES: [usize; 4] = [64, 1 << 10, 16 << 10, 1 << 20];
/// Messages of a batch, and their sizes.
const COUNT: usize = 64;
const MANY_SIZES: [usize; 2] = [64, 1 << 10];

type Call = Box<dyn FnMut(&mut [u8])>;

/// A call that writes its result to the first `size` bytes of a buffer.
pub(crate) struct Form {
    name: &'static str,
    size: usize,
    buffer: Vec<u8>,
    call: Call,
}

impl Form {
    fn new(name: &'static str, size: usize, call: impl FnMut(&mut [u8]) + 'static) -> Form {
        Form { name, size, buffer: vec![1; size], call: Box::new(call) }
    }

    /// Returns the nanoseconds of one call.
    fn time(&mut self, calls: u32) -> f64 {
        let start = Instant::now();
        for _ in 0..calls {
            (self.call)(black_box(&mut self.buffer));
        }
        start.elapsed().as_nanos() as f64 / f64::from(calls)
    }
}

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    let row = |name: &str, size, count, forms: &dyn Fn() -> Vec<Form>| {
        if name.contains(&part) {
            measure(name, size, count, forms());
        }
    };
    for size in SIZES {
        for peers in HASHES {
            row(peers.name, size, 1, &|| hashes(peers, size, 1));
        }
        for aead in aead::AEADS {
            row(&format!("{} seal", aead.name), size, 1, &|| aead::seals(aead, size));
            row(&format!("{} open", aead.name), size, 1, &|| aead::opens(aead, size));
        }
    }
    for size in MANY_SIZES {
        // Batches of shorter digests are loops.
        for peers in HASHES.iter().filter(|peers| peers.size >= 16) {
            let name = format!("{COUNT} x {}", peers.name);
            row(&name, size, COUNT, &|| hashes(peers, size, COUNT));
        }
    }
}

/// Returns calls that hash `count` messages: Millrace's batch beside loops, and beside batches.
fn hashes(peers: &'static Peers, size: usize, count: usize) -> Vec<Form> {
    let (hash, digest) = (Hash::by_name(peers.name).expect("a hash of the catalog"), peers.size);
    let params = Params::default();
    // In one piece: the speed of lanes depends on the distances of messages.
    let texts = (0..count * size).map(|index| (index / size + index * 7) as u8);
    let texts: &'static [u8] = texts.collect::<Vec<u8>>().leak();
    let sources: &'static [&'static [u8]] = texts.chunks(size).collect::<Vec<_>>().leak();
    let mut forms = vec![Form::new("millrace", count * digest, move |target| {
        let done = if let [source] = sources {
            hash::digest(hash, &params, source, target, None)
        } else {
            many::digests(hash, &params, sources, digest, None, |index, found| {
                target[index * digest..][..digest].copy_from_slice(found);
            })
        };
        done.expect("valid arguments");
    })];
    forms.extend(peers.hashers.iter().map(|&(peer, hasher)| {
        Form::new(peer, count * digest, move |target| {
            for (source, target) in sources.iter().zip(target.chunks_mut(digest)) {
                hasher(source, target);
            }
        })
    }));
    forms.extend(peers.many.filter(|_| count > 1).map(|(peer, hasher)| {
        Form::new(peer, count * digest, move |target| hasher(sources, target))
    }));
    forms
}

/// Measures a row, and prints its forms, Millrace's first.
fn measure(name: &str, size: usize, count: usize, mut forms: Vec<Form>) {
    for form in &mut forms {
        (form.call)(&mut form.buffer);
    }
    for form in &forms[1..] {
        let (ours, theirs) = (&forms[0].buffer[..form.size], &form.buffer[..form.size]);
        assert!(ours == theirs, "{name} {size}: {} has another result", form.name);
    }
    let counts: Vec<u32> = forms.iter_mut().map(calls_of_a_round).collect();
    let mut least = vec![f64::INFINITY; forms.len()];
    for round in 0..ROUNDS {
        for turn in 0..forms.len() {
            let index = (round + turn) % forms.len();
            least[index] = least[index].min(forms[index].time(counts[index]));
        }
    }
    for (form, ns) in forms.iter().zip(least) {
        println!("{name}\t{size}\t{}\t{}", form.name, ns / count as f64);
    }
}

/// Returns how many calls take about [`ROUND_NS`].
fn calls_of_a_round(form: &mut Form) -> u32 {
    let mut calls = 1;
    loop {
        let each = form.time(calls);
        if each * f64::from(calls) > ROUND_NS / 4.0 {
            return (ROUND_NS / each).max(1.0) as u32;
        }
        calls *= 2;
    }
}
