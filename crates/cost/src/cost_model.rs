//! The cost model of each algorithm: that of the catalog until it is measured.

use millrace_core::catalog::{self, Cipher, Hash};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// An algorithm with a cost model.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// A hash, and the constructions based on it.
    Hash(Hash),
    /// A cipher or an AEAD.
    Cipher(Cipher),
}

impl Algorithm {
    /// Returns every algorithm of the catalog.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        let hashes = (0..=u8::MAX).map_while(Hash::from_id).map(Algorithm::Hash);
        hashes.chain((0..=u8::MAX).map_while(Cipher::from_id).map(Algorithm::Cipher))
    }

    /// Returns the name in the catalog.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Hash(hash) => hash.facts().name,
            Algorithm::Cipher(cipher) => cipher.facts().name,
        }
    }

    fn entry(self) -> &'static Entry {
        match self {
            Algorithm::Hash(hash) => &HASHES[hash as usize],
            Algorithm::Cipher(cipher) => &CIPHERS[cipher as usize],
        }
    }
}

/// The cost of one message as a linear function of its size.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct CostModel {
    /// Nanoseconds of an empty message.
    pub fixed_ns: f32,
    /// Nanoseconds of each byte.
    pub per_byte_ns: f32,
    /// The cost of a message in a batch, relative to its cost alone: less than 1 for hashes with a
    /// multi-buffer implementation.
    pub batch_factor: f32,
}

impl CostModel {
    /// Returns the predicted nanoseconds of one message of `size` bytes.
    pub fn predict(self, size: usize) -> u64 {
        // The cast saturates.
        (f64::from(self.fixed_ns) + size as f64 * f64::from(self.per_byte_ns)) as u64
    }

    /// Returns the predicted nanoseconds of hashing `size` bytes in `count` messages.
    pub fn predict_messages(self, size: usize, count: usize) -> u64 {
        let alone =
            count as f64 * f64::from(self.fixed_ns) + size as f64 * f64::from(self.per_byte_ns);
        (alone * f64::from(if count > 1 { self.batch_factor } else { 1.0 })) as u64
    }

    /// Returns the greatest size predicted to take at most `nanoseconds`; negative if an empty
    /// message takes longer.
    pub fn bytes_within(self, nanoseconds: u64) -> f64 {
        ((nanoseconds as f64 - f64::from(self.fixed_ns)) / f64::from(self.per_byte_ns)).floor()
    }

    /// Limits a measurement to a factor of 8 around `prior`: greater differences are disturbances.
    fn clamp_to(self, prior: CostModel) -> CostModel {
        let near = |value: f32, prior: f32| value.clamp(prior / 8.0, prior * 8.0);
        CostModel {
            fixed_ns: near(self.fixed_ns, prior.fixed_ns),
            per_byte_ns: near(self.per_byte_ns, prior.per_byte_ns),
            batch_factor: self.batch_factor.clamp(0.1, 1.0),
        }
    }
}

struct Entry {
    prior: CostModel,
    /// The bits of both parts, so that one load reads a consistent pair.
    linear: AtomicU64,
    batch_factor: AtomicU32,
    origin: AtomicU8,
}

const CATALOG: u8 = 0;
const BEING_MEASURED: u8 = 1;
const MEASURED: u8 = 2;

const fn bits(model: CostModel) -> u64 {
    (model.fixed_ns.to_bits() as u64) << 32 | model.per_byte_ns.to_bits() as u64
}

const fn entry(cost: [f32; 2]) -> Entry {
    let prior = CostModel { fixed_ns: cost[0], per_byte_ns: cost[1], batch_factor: 1.0 };
    Entry {
        prior,
        linear: AtomicU64::new(bits(prior)),
        batch_factor: AtomicU32::new(prior.batch_factor.to_bits()),
        origin: AtomicU8::new(CATALOG),
    }
}

/// Makes a table of entries in the order of the catalog.
macro_rules! entries {
    ($facts:expr) => {{
        let mut entries = [const { entry([0.0; 2]) }; $facts.len()];
        let mut index = 0;
        while index < $facts.len() {
            entries[index] = entry($facts[index].cost);
            index += 1;
        }
        entries
    }};
}

static HASHES: [Entry; catalog::HASHES.len()] = entries!(catalog::HASHES);
static CIPHERS: [Entry; catalog::CIPHERS.len()] = entries!(catalog::CIPHERS);

/// Returns the cost model of an algorithm.
pub fn cost_model(algorithm: Algorithm) -> CostModel {
    let entry = algorithm.entry();
    let bits = entry.linear.load(Ordering::Relaxed);
    CostModel {
        fixed_ns: f32::from_bits((bits >> 32) as u32),
        per_byte_ns: f32::from_bits(bits as u32),
        batch_factor: f32::from_bits(entry.batch_factor.load(Ordering::Relaxed)),
    }
}

/// Returns true if the algorithm was measured in this process.
pub fn is_measured(algorithm: Algorithm) -> bool {
    algorithm.entry().origin.load(Ordering::Relaxed) == MEASURED
}

/// Returns true if the algorithm's cost model will not be measured (again).
pub fn is_settled(algorithm: Algorithm) -> bool {
    algorithm.entry().origin.load(Ordering::Relaxed) != CATALOG || !measuring_enabled()
}

/// Measures an algorithm that has the catalog's cost model, unless another thread measures it.
pub(crate) fn measure_once(
    algorithm: Algorithm,
    measure: impl FnOnce(Algorithm, CostModel) -> Option<CostModel>,
) {
    let Entry { prior, linear, batch_factor, origin, .. } = algorithm.entry();
    if origin.load(Ordering::Relaxed) != CATALOG || !measuring_enabled() {
        return;
    }
    if origin
        .compare_exchange(CATALOG, BEING_MEASURED, Ordering::Relaxed, Ordering::Relaxed)
        .is_err()
    {
        return;
    }
    if let Some(found) = measure(algorithm, *prior) {
        let found = found.clamp_to(*prior);
        linear.store(bits(found), Ordering::Relaxed);
        batch_factor.store(found.batch_factor.to_bits(), Ordering::Relaxed);
        origin.store(MEASURED, Ordering::Relaxed);
        advance_epoch();
    }
}

/// Returns false if `MILLRACE_COST=table` is set: the same calls then take the same routes on every
/// machine.
fn measuring_enabled() -> bool {
    static ENABLED: OnceLock<bool> = OnceLock::new();
    *ENABLED.get_or_init(|| {
        !std::env::var("MILLRACE_COST")
            .is_ok_and(|value| value.trim().eq_ignore_ascii_case("table"))
    })
}

/// Counts the changes of cost models, limits and the default route, which JavaScript caches.
static EPOCH: AtomicU32 = AtomicU32::new(0);

/// Returns a number that changes when JavaScript must read cost models, limits or the default route
/// again.
pub fn epoch() -> u32 {
    EPOCH.load(Ordering::Relaxed)
}

/// Makes JavaScript read cost models, limits and the default route again.
pub fn advance_epoch() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_model_is_read_as_it_was_written() {
        let model = CostModel { fixed_ns: 150.0, per_byte_ns: 2.5, batch_factor: 1.0 };
        let (high, low) = (bits(model) >> 32, bits(model) as u32);
        assert_eq!(
            CostModel {
                fixed_ns: f32::from_bits(high as u32),
                per_byte_ns: f32::from_bits(low),
                batch_factor: 1.0
            },
            model
        );
        assert_eq!(
            cost_model(Algorithm::Hash(Hash::Md5)),
            CostModel { fixed_ns: 87.0, per_byte_ns: 1.25, batch_factor: 1.0 }
        );
        assert_eq!(model.predict(1000), 2650);
        assert!(model.predict(usize::MAX) > 1 << 62);
        assert_eq!(model.bytes_within(2650), 1000.0);
        assert!(model.bytes_within(100) < 0.0);
    }

    #[test]
    fn an_algorithm_is_measured_once_and_the_result_is_clamped() {
        let algorithm = Algorithm::Hash(Hash::Md5Sha1);
        let prior = cost_model(algorithm);
        let before = epoch();
        measure_once(algorithm, |_, _| {
            Some(CostModel { fixed_ns: 0.0, per_byte_ns: 1e9, batch_factor: 0.2 })
        });
        assert!(is_measured(algorithm) && is_settled(algorithm));
        assert_eq!(
            cost_model(algorithm),
            CostModel {
                fixed_ns: prior.fixed_ns / 8.0,
                per_byte_ns: prior.per_byte_ns * 8.0,
                batch_factor: 0.2
            }
        );
        assert_ne!(epoch(), before);
        measure_once(algorithm, |_, _| unreachable!());
    }
}
