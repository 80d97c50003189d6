//! PBKDF2: published vectors, another library, jobs together and alone, limits.

use crate::support::{Random, Watch, Wish, derivations, hex, rounds};
use millrace_core::Error;
use millrace_core::catalog::{HASHES, Hash};
use millrace_core::checkpoint::NoCheckpoint;
use millrace_core::hmac::hmac;
use millrace_core::kdf::pbkdf2::{self, Pbkdf2Job};

fn derive(hash: Hash, password: &[u8], salt: &[u8], iterations: u32, size: usize) -> Vec<u8> {
    let mut target = vec![0; size];
    pbkdf2::derive(hash, password, salt, iterations, &mut target).expect("derived");
    target
}

/// Computes PBKDF2 as RFC 8018 writes it, over our HMAC.
fn by_the_book(hash: Hash, password: &[u8], salt: &[u8], iterations: u32, size: usize) -> Vec<u8> {
    let digest = hash.facts().digest_size;
    let mut key = Vec::new();
    for block in 1..=size.div_ceil(digest) as u32 {
        let mut mac = vec![0; digest];
        hmac(hash, password, &[salt, &block.to_be_bytes()].concat(), &mut mac).expect("a mac");
        let mut sum = mac.clone();
        for _ in 1..iterations {
            let last = mac.clone();
            hmac(hash, password, &last, &mut mac).expect("a mac");
            sum.iter_mut().zip(&mac).for_each(|(sum, byte)| *sum ^= byte);
        }
        key.extend(sum);
    }
    key.truncate(size);
    key
}

#[test]
fn published_vectors_are_reproduced() {
    for record in derivations("pbkdf2") {
        let hash = Hash::by_name(record.text("hash")).expect("a hash");
        let [password, salt, key] = ["password", "salt", "key"].map(|name| record.bytes(name));
        let iterations = record.number("iterations") as u32;
        assert_eq!(derive(hash, &password, &salt, iterations, key.len()), key, "{record}");
    }
}

#[test]
fn every_hash_agrees_with_the_definition() {
    let mut random = Random(1);
    for facts in HASHES.iter().filter(|facts| facts.hmac) {
        for _ in 0..12 {
            let (password, salt) = (random.below(300), random.below(200));
            let (password, salt) = (random.bytes(password), random.bytes(salt));
            let (iterations, size) =
                (1 + random.below(40) as u32, 1 + random.below(20 * facts.digest_size));
            let expected = by_the_book(facts.hash, &password, &salt, iterations, size);
            let found = derive(facts.hash, &password, &salt, iterations, size);
            assert_eq!(found, expected, "{} {iterations} {size}", facts.name);
        }
        // All lengths up to two digests, and those around each number of blocks at once.
        let digest = facts.digest_size;
        let whole = by_the_book(facts.hash, b"password", b"salt", 2, 34 * digest);
        let around = |count: usize| [count * digest - 1, count * digest, count * digest + 1];
        for size in (1..=2 * digest).chain((3..34).flat_map(around)) {
            let found = derive(facts.hash, b"password", b"salt", 2, size);
            assert_eq!(found, whole[..size], "{} {size}", facts.name);
        }
    }
}

fn jobs(wishes: &mut [Wish]) -> Vec<Pbkdf2Job<'_>> {
    wishes
        .iter_mut()
        .map(|Wish { password, salt, cost, target }| Pbkdf2Job {
            password,
            salt,
            iterations: *cost,
            target,
        })
        .collect()
}

#[test]
fn another_library_agrees_with_any_number_of_jobs() {
    type Oracle = fn(&[u8], &[u8], u32, &mut [u8]);
    let oracles: [(Hash, Oracle); 7] = [
        (Hash::Sha1, ::pbkdf2::pbkdf2_hmac::<sha1::Sha1>),
        (Hash::Sha224, ::pbkdf2::pbkdf2_hmac::<sha2::Sha224>),
        (Hash::Sha256, ::pbkdf2::pbkdf2_hmac::<sha2::Sha256>),
        (Hash::Sha384, ::pbkdf2::pbkdf2_hmac::<sha2::Sha384>),
        (Hash::Sha512, ::pbkdf2::pbkdf2_hmac::<sha2::Sha512>),
        (Hash::Sha512_224, ::pbkdf2::pbkdf2_hmac::<sha2::Sha512_224>),
        (Hash::Sha512_256, ::pbkdf2::pbkdf2_hmac::<sha2::Sha512_256>),
    ];
    let mut random = Random(2);
    for hash in HASHES.iter().filter(|facts| facts.hmac).map(|facts| facts.hash) {
        // Other hashes have the definition, which is slow, as the oracle.
        let oracle = oracles.iter().find(|(of, _)| *of == hash).map(|(_, oracle)| oracle);
        let most = rounds(if oracle.is_some() { 3000 } else { 40 });
        for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 20] {
            let mut wishes: Vec<Wish> =
                (0..count).map(|_| Wish::new(&mut random, most, 150)).collect();
            let mut reported = vec![0; count];
            pbkdf2::derive_many(hash, &mut jobs(&mut wishes), &mut NoCheckpoint, |index, _| {
                reported[index] += 1
            })
            .expect("derived");
            assert!(reported.iter().all(|&times| times == 1), "{reported:?}");
            for Wish { password, salt, cost, target } in &wishes {
                let mut expected = vec![0; target.len()];
                match oracle {
                    Some(oracle) => oracle(password, salt, *cost, &mut expected),
                    None => expected = by_the_book(hash, password, salt, *cost, target.len()),
                }
                assert_eq!(hex(target), hex(&expected), "{hash:?} {count} {cost}");
            }
        }
    }
}

#[test]
fn a_derivation_pauses_and_reports_its_progress() {
    let mut watch = Watch::default();
    let mut targets = [[0; 100]; 2];
    let [one, two] = &mut targets;
    let mut jobs = [
        Pbkdf2Job { password: b"a", salt: b"b", iterations: 20_000, target: one },
        Pbkdf2Job { password: b"c", salt: b"d", iterations: 30_000, target: two },
    ];
    pbkdf2::derive_many(Hash::Sha256, &mut jobs, &mut watch, |_, _| {}).expect("derived");
    assert!((20..300).contains(&watch.pauses), "{}", watch.pauses);
    for (index, steps) in [(0, 80_000), (1, 120_000)] {
        assert!(watch.told(index, steps).len() > 5);
    }
}

#[test]
fn cancelled_jobs_are_not_computed() {
    for cancelled in [vec![(1, 0)], vec![(1, 3)], vec![(0, 2), (1, 0), (2, 1)]] {
        let mut watch = Watch { cancelled: cancelled.clone(), ..Watch::default() };
        let mut targets = [[0; 40]; 3];
        let mut reported = Vec::new();
        let mut jobs: Vec<Pbkdf2Job<'_>> = targets
            .iter_mut()
            .map(|target| Pbkdf2Job { password: b"a", salt: b"b", iterations: 20_000, target })
            .collect();
        pbkdf2::derive_many(Hash::Sha512, &mut jobs, &mut watch, |index, _| reported.push(index))
            .expect("derived");
        reported.sort_unstable();
        let wanted = (0..3).filter(|index| cancelled.iter().all(|(job, _)| job != index));
        assert_eq!(reported, wanted.collect::<Vec<_>>());
        if cancelled.len() == 3 {
            assert_eq!(watch.pauses, 2, "continues after cancellation");
        }
    }
}

#[test]
fn parameters_outside_the_limits_are_refused() {
    assert_eq!(pbkdf2::derive(Hash::Sha256, b"", b"", 0, &mut [0; 32]), Err(Error::Cost));
    assert_eq!(pbkdf2::derive(Hash::Xxh64, b"", b"", 1, &mut [0; 32]), Err(Error::NotSupported));
    assert_eq!(pbkdf2::derive(Hash::Sha256, b"", b"", 1, &mut []), Ok(()));
    assert_eq!(pbkdf2::key_max(Hash::Sha1), 20 * 0xffff_ffff);
}
