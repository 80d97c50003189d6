//! A quick measurement of one algorithm: some short messages, some longer ones, the least of each.

use super::prices::{Algorithm, Price};
use millrace_core::Error;
use millrace_core::cipher::{self, Text};
use millrace_core::hash::{self, Params};
use millrace_core::many;
use std::time::{Duration, Instant};

const SHORT: usize = 64;
/// Short messages are timed by so many: one takes hardly longer than to read the clock.
const SHORT_RUNS: usize = 8;
/// Nanoseconds a longer message should take.
const LONG_COST: u64 = 12_000;
/// Both are tried so often, unless that takes longer than [`PATIENCE`].
const TRIES: usize = 4;
const PATIENCE: Duration = Duration::from_micros(200);

/// `None` if the algorithm fails.
pub(crate) fn measure(algorithm: Algorithm, prior: Price) -> Option<Price> {
    let size = (prior.bytes_for(LONG_COST) as usize).clamp(1024, 64 * 1024);
    let mut text = vec![0; size];
    run(algorithm, &mut text).ok()?; // Code and memory are touched.
    let begin = Instant::now();
    let (mut short, mut long) = (Duration::MAX, Duration::MAX);
    for attempt in 0..TRIES {
        if attempt > 0 && begin.elapsed() > PATIENCE {
            break;
        }
        short = short
            .min(time(|| (0..SHORT_RUNS).try_for_each(|_| run(algorithm, &mut text[..SHORT])))?);
        long = long.min(time(|| run(algorithm, &mut text))?);
    }
    let (short, long) = (short.as_nanos() as f32 / SHORT_RUNS as f32, long.as_nanos() as f32);
    let per_byte = (long - short) / (size - SHORT) as f32;
    let fixed = short - per_byte * SHORT as f32;
    let alone = COMPANY as f32 * (fixed + per_byte * MEMBER as f32);
    let together =
        together(algorithm, &text)?.map_or(1.0, |company| company.as_nanos() as f32 / alone);
    Some(Price { fixed, per_byte, together })
}

/// So many messages of so many bytes make a company.
const COMPANY: usize = 16;
const MEMBER: usize = 256;

/// What a company takes; `Some(None)` for a cipher, or where there is nothing but an output of any
/// size.
fn together(algorithm: Algorithm, text: &[u8]) -> Option<Option<Duration>> {
    let Algorithm::Hash(hash) = algorithm else { return Some(None) };
    let size = hash.facts().digest_size;
    if size == 0 {
        return Some(None);
    }
    let sources = [&text[..MEMBER]; COMPANY];
    let mut least = Duration::MAX;
    for _ in 0..TRIES {
        least =
            least.min(time(|| many::digests(hash, &Params::default(), &sources, size, |_, _| {}))?);
    }
    Some(Some(least))
}

fn time(work: impl FnOnce() -> Result<(), Error>) -> Option<Duration> {
    let begin = Instant::now();
    work().ok()?;
    Some(begin.elapsed())
}

/// One message, under a key of zeros where there is one.
fn run(algorithm: Algorithm, text: &mut [u8]) -> Result<(), Error> {
    match algorithm {
        Algorithm::Hash(hash) => {
            const XOF_SIZE: usize = 32;
            let size = hash.facts().digest_size;
            let mut digest = [0; 64];
            hash::digest(
                hash,
                &Params::default(),
                text,
                &mut digest[..if size == 0 { XOF_SIZE } else { size }],
            )
        }
        Algorithm::Cipher(cipher) => {
            let facts = cipher.facts();
            let (key, iv, mut tag) = ([0; 32], [0; 24], [0; 16]);
            let (key, iv) = (&key[..facts.key_size], &iv[..facts.iv_size]);
            cipher::with_key(cipher, key, |key| match facts.aead {
                true => key.seal(iv, &[], Text::InPlace(text), &mut tag[..facts.tag_size]),
                false => key.apply(iv, Text::InPlace(text)),
            })?
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_can_be_measured() {
        for algorithm in Algorithm::all() {
            let price = measure(algorithm, super::super::prices::of(algorithm)).expect("a price");
            println!("{:<20} entry({:.1}, {:.4}),", algorithm.name(), price.fixed, price.per_byte);
            assert!(price.per_byte.is_finite() && price.fixed.is_finite(), "{}", algorithm.name());
        }
    }

    #[test]
    fn a_measurement_is_short() {
        let slowest = Algorithm::all().map(|algorithm| {
            let begin = Instant::now();
            measure(algorithm, super::super::prices::of(algorithm));
            begin.elapsed()
        });
        // Ten times what it should be: other processes run.
        assert!(slowest.min().is_some_and(|least| least < Duration::from_millis(2)));
    }
}
