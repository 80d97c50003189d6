//! Measures one algorithm: the least time of short messages, of a longer one, and of a batch.

use crate::cost_model::{Algorithm, CostModel};
use millrace_core::Error;
use millrace_core::allocate::try_zeroed;
use millrace_core::cipher::{self, Text};
use millrace_core::hash::{self, Params};
use millrace_core::many;
use std::time::{Duration, Instant};

const SHORT_BYTES: usize = 64;
/// Short messages that are timed at once: one takes little longer than reading the clock.
const SHORT_RUNS: usize = 8;
/// The predicted nanoseconds of the longer message.
const LONG_NS: u64 = 12_000;
/// The number of attempts, unless they take longer than [`TIME_LIMIT`].
const ATTEMPTS: usize = 4;
const TIME_LIMIT: Duration = Duration::from_micros(200);
const BATCH_MESSAGES: usize = 16;
const BATCH_MESSAGE_BYTES: usize = 256;

/// Returns `None` if the algorithm fails or memory is short.
pub(crate) fn measure(algorithm: Algorithm, prior: CostModel) -> Option<CostModel> {
    let size = (prior.bytes_within(LONG_NS) as usize).clamp(1024, 64 * 1024);
    let mut text = try_zeroed(size).ok()?;
    run(algorithm, &mut text).ok()?; // Brings code and memory into the caches.
    let begin = Instant::now();
    let (mut short, mut long) = (Duration::MAX, Duration::MAX);
    for attempt in 0..ATTEMPTS {
        if attempt > 0 && begin.elapsed() > TIME_LIMIT {
            break;
        }
        short = short.min(time(|| {
            (0..SHORT_RUNS).try_for_each(|_| run(algorithm, &mut text[..SHORT_BYTES]))
        })?);
        long = long.min(time(|| run(algorithm, &mut text))?);
    }
    let (short, long) = (short.as_nanos() as f32 / SHORT_RUNS as f32, long.as_nanos() as f32);
    let per_byte_ns = (long - short) / (size - SHORT_BYTES) as f32;
    let fixed_ns = short - per_byte_ns * SHORT_BYTES as f32;
    let alone = BATCH_MESSAGES as f32 * (fixed_ns + per_byte_ns * BATCH_MESSAGE_BYTES as f32);
    let batch_factor =
        measure_batch(algorithm, &text)?.map_or(1.0, |batch| batch.as_nanos() as f32 / alone);
    Some(CostModel { fixed_ns, per_byte_ns, batch_factor })
}

/// Returns the time of a batch, or `Some(None)` for ciphers and extendable-output functions, which
/// have none.
fn measure_batch(algorithm: Algorithm, text: &[u8]) -> Option<Option<Duration>> {
    let Algorithm::Hash(hash) = algorithm else { return Some(None) };
    let size = hash.facts().digest_size;
    if size == 0 {
        return Some(None);
    }
    let sources = [&text[..BATCH_MESSAGE_BYTES]; BATCH_MESSAGES];
    let mut least = Duration::MAX;
    for _ in 0..ATTEMPTS {
        least = least.min(time(|| {
            many::digests(hash, &Params::default(), &sources, size, None, |_, _| {})
        })?);
    }
    Some(Some(least))
}

fn time(work: impl FnOnce() -> Result<(), Error>) -> Option<Duration> {
    let begin = Instant::now();
    work().ok()?;
    Some(begin.elapsed())
}

/// Processes one message; keys and IVs are zero.
fn run(algorithm: Algorithm, text: &mut [u8]) -> Result<(), Error> {
    match algorithm {
        Algorithm::Hash(hash) => {
            const XOF_BYTES: usize = 32;
            let size = hash.facts().digest_size;
            let mut digest = [0; 64];
            hash::digest(
                hash,
                &Params::default(),
                text,
                &mut digest[..if size == 0 { XOF_BYTES } else { size }],
                None,
            )
        }
        Algorithm::Cipher(cipher) => {
            let facts = cipher.facts();
            let (key, iv, mut tag) = ([0; 32], [0; 24], [0; 16]);
            let (key, iv) = (&key[..facts.key_size], &iv[..facts.iv_size]);
            cipher::with_key(cipher, key, |key| match facts.aead {
                true => key.seal(iv, &[], Text::InPlace(text), &mut tag[..facts.tag_size]),
                false => key.apply(iv, Text::InPlace(text), None),
            })?
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost_model;

    #[test]
    fn every_algorithm_can_be_measured() {
        for algorithm in Algorithm::all() {
            let model = measure(algorithm, cost_model(algorithm)).expect("a cost model");
            println!(
                "entry({:?}, {:.1}, {:.4}),",
                algorithm.name(),
                model.fixed_ns,
                model.per_byte_ns
            );
            assert!(
                model.per_byte_ns.is_finite() && model.fixed_ns.is_finite(),
                "{}",
                algorithm.name()
            );
        }
    }

    #[test]
    fn a_measurement_is_short() {
        let slowest = Algorithm::all().map(|algorithm| {
            let begin = Instant::now();
            measure(algorithm, cost_model(algorithm));
            begin.elapsed()
        });
        // Ten times the expected duration, as other processes run.
        assert!(slowest.min().is_some_and(|least| least < Duration::from_millis(2)));
    }
}
