//! What each algorithm costs: the one place where prices stand, whoever has found them out.

use millrace_core::catalog::{Cipher, Hash};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// What a price belongs to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// A hash, and all that is built of it.
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

/// Nanoseconds of one message: a fixed part and one per byte.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Price {
    /// Nanoseconds of a message without bytes.
    pub fixed: f32,
    /// Nanoseconds of one byte more.
    pub per_byte: f32,
    /// What a hash of one of many messages takes of that: less than 1 where several are hashed at
    /// once.
    pub together: f32,
}

impl Price {
    /// Nanoseconds of so many bytes.
    pub fn of_bytes(self, size: usize) -> u64 {
        // The cast saturates.
        (f64::from(self.fixed) + size as f64 * f64::from(self.per_byte)) as u64
    }

    /// Nanoseconds of hashing so many bytes in so many messages.
    pub fn of_messages(self, size: usize, count: usize) -> u64 {
        let alone = count as f64 * f64::from(self.fixed) + size as f64 * f64::from(self.per_byte);
        (alone * f64::from(if count > 1 { self.together } else { 1.0 })) as u64
    }

    /// The most bytes for so many nanoseconds; negative where even none take longer.
    pub fn bytes_for(self, nanoseconds: u64) -> f64 {
        ((nanoseconds as f64 - f64::from(self.fixed)) / f64::from(self.per_byte)).floor()
    }

    /// No further from `prior` than a factor of 8: what is beyond was disturbed, not measured.
    fn near(self, prior: Price) -> Price {
        let near = |value: f32, prior: f32| value.clamp(prior / 8.0, prior * 8.0);
        Price {
            fixed: near(self.fixed, prior.fixed),
            per_byte: near(self.per_byte, prior.per_byte),
            together: self.together.clamp(0.1, 1.0),
        }
    }
}

struct Entry {
    prior: Price,
    /// The bits of the two parts, so that they are read together.
    price: AtomicU64,
    together: AtomicU32,
    origin: AtomicU8,
}

const TABLE: u8 = 0;
const BEING_MEASURED: u8 = 1;
const MEASURED: u8 = 2;

const fn bits(price: Price) -> u64 {
    (price.fixed.to_bits() as u64) << 32 | price.per_byte.to_bits() as u64
}

const fn entry(fixed: f32, per_byte: f32) -> Entry {
    let prior = Price { fixed, per_byte, together: 1.0 };
    let together = AtomicU32::new(prior.together.to_bits());
    Entry { prior, price: AtomicU64::new(bits(prior)), together, origin: AtomicU8::new(TABLE) }
}

/// Measured on one Zen 5 core with all its instructions while its twin was busy, in the order of
/// the catalog.
static HASHES: [Entry; 27] = [
    entry(87.0, 1.25),  // md5
    entry(56.0, 0.51),  // sha1
    entry(45.0, 0.57),  // sha224
    entry(45.0, 0.57),  // sha256
    entry(125.0, 1.36), // sha384
    entry(125.0, 1.36), // sha512
    entry(125.0, 1.36), // sha512-224
    entry(125.0, 1.36), // sha512-256
    entry(140.0, 1.54), // sha3-224
    entry(135.0, 1.62), // sha3-256
    entry(105.0, 2.11), // sha3-384
    entry(45.0, 3.06),  // sha3-512
    entry(140.0, 1.54), // keccak224
    entry(135.0, 1.62), // keccak256
    entry(105.0, 2.11), // keccak384
    entry(45.0, 3.06),  // keccak512
    entry(150.0, 1.32), // shake128
    entry(135.0, 1.62), // shake256
    entry(85.0, 0.95),  // blake2b512
    entry(30.0, 1.52),  // blake2s256
    entry(50.0, 0.135), // blake3
    entry(220.0, 3.2),  // ripemd160
    entry(130.0, 1.76), // md5-sha1
    entry(10.0, 0.089), // xxh32
    entry(12.0, 0.051), // xxh64
    entry(12.0, 0.014), // xxh3-64
    entry(14.0, 0.014), // xxh3-128
];

static CIPHERS: [Entry; 10] = [
    entry(37.0, 0.044),  // aes-128-ctr
    entry(65.0, 0.052),  // aes-192-ctr
    entry(40.0, 0.061),  // aes-256-ctr
    entry(110.0, 0.18),  // chacha20
    entry(135.0, 0.051), // aes-128-gcm
    entry(145.0, 0.054), // aes-192-gcm
    entry(145.0, 0.061), // aes-256-gcm
    entry(160.0, 0.24),  // chacha20-poly1305
    entry(250.0, 0.24),  // xchacha20-poly1305
    entry(125.0, 0.2),   // aes-256-gcm-siv
];

pub(crate) fn of(algorithm: Algorithm) -> Price {
    let entry = algorithm.entry();
    let bits = entry.price.load(Ordering::Relaxed);
    Price {
        fixed: f32::from_bits((bits >> 32) as u32),
        per_byte: f32::from_bits(bits as u32),
        together: f32::from_bits(entry.together.load(Ordering::Relaxed)),
    }
}

/// Returns true if the price was measured in this process.
pub fn measured(algorithm: Algorithm) -> bool {
    algorithm.entry().origin.load(Ordering::Relaxed) == MEASURED
}

/// Whether the price stays as it is.
pub fn settled(algorithm: Algorithm) -> bool {
    algorithm.entry().origin.load(Ordering::Relaxed) != TABLE || !refined()
}

/// Has `measure` find out the price, if it stands as the table has it and nobody else is measuring.
pub(crate) fn refine(
    algorithm: Algorithm,
    measure: impl FnOnce(Algorithm, Price) -> Option<Price>,
) {
    let Entry { prior, price, together, origin } = algorithm.entry();
    if origin.load(Ordering::Relaxed) != TABLE || !refined() {
        return;
    }
    if origin.compare_exchange(TABLE, BEING_MEASURED, Ordering::Relaxed, Ordering::Relaxed).is_err()
    {
        return;
    }
    if let Some(found) = measure(algorithm, *prior) {
        let found = found.near(*prior);
        price.store(bits(found), Ordering::Relaxed);
        together.store(found.together.to_bits(), Ordering::Relaxed);
        origin.store(MEASURED, Ordering::Relaxed);
        changed();
    }
}

/// `MILLRACE_COST=table` keeps to the table, so that the same calls take the same routes on every
/// machine.
fn refined() -> bool {
    static REFINED: OnceLock<bool> = OnceLock::new();
    *REFINED.get_or_init(|| {
        !std::env::var("MILLRACE_COST")
            .is_ok_and(|value| value.trim().eq_ignore_ascii_case("table"))
    })
}

/// Counts the changes of what JavaScript has asked for.
static EPOCH: AtomicU32 = AtomicU32::new(0);

/// Returns a number that differs once JavaScript must read prices, limits or the route again.
pub fn epoch() -> u32 {
    EPOCH.load(Ordering::Relaxed)
}

/// Tells JavaScript to read prices, limits and the route again.
pub fn changed() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use millrace_core::catalog;

    #[test]
    fn the_tables_are_as_long_as_the_catalog() {
        assert_eq!(Algorithm::all().count(), HASHES.len() + CIPHERS.len());
        assert_eq!(catalog::to_json().matches("\"name\"").count(), HASHES.len() + CIPHERS.len());
    }

    #[test]
    fn a_price_is_read_as_it_was_written() {
        let price = Price { fixed: 150.0, per_byte: 2.5, together: 1.0 };
        let (high, low) = (bits(price) >> 32, bits(price) as u32);
        assert_eq!(
            Price {
                fixed: f32::from_bits(high as u32),
                per_byte: f32::from_bits(low),
                together: 1.0
            },
            price
        );
        assert_eq!(
            of(Algorithm::Hash(Hash::Md5)),
            Price { fixed: 87.0, per_byte: 1.25, together: 1.0 }
        );
        assert_eq!(price.of_bytes(1000), 2650);
        assert!(price.of_bytes(usize::MAX) > 1 << 62);
        assert_eq!(price.bytes_for(2650), 1000.0);
        assert!(price.bytes_for(100) < 0.0);
    }

    #[test]
    fn what_is_measured_once_stays_and_is_believed_within_reason() {
        let algorithm = Algorithm::Hash(Hash::Md5Sha1);
        let prior = of(algorithm);
        let before = epoch();
        refine(algorithm, |_, _| Some(Price { fixed: 0.0, per_byte: 1e9, together: 0.2 }));
        assert!(measured(algorithm) && settled(algorithm));
        assert_eq!(
            of(algorithm),
            Price { fixed: prior.fixed / 8.0, per_byte: prior.per_byte * 8.0, together: 0.2 }
        );
        assert_ne!(epoch(), before);
        refine(algorithm, |_, _| unreachable!());
    }
}
