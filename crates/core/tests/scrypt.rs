//! scrypt: the vectors of RFC 7914, another library over random parameters, jobs together and
//! alone, limits.

use crate::support::{Random, Watch, Wish, derivations, hex, rounds};
use millrace_core::Error;
use millrace_core::checkpoint::NoCheckpoint;
use millrace_core::kdf::Memory;
use millrace_core::kdf::scrypt::{self, Cost, ScryptJob};

#[test]
fn vectors_of_the_standard_are_reproduced() {
    for record in derivations("scrypt") {
        let [password, salt, key] = ["password", "salt", "key"].map(|name| record.bytes(name));
        let [n, r, p] = ["N", "r", "p"].map(|name| record.number(name));
        let cost = Cost::new(n, r as u32).expect("a cost");
        let mut target = vec![0; key.len()];
        scrypt::derive(&cost, &password, &salt, p as u32, &mut target).expect("derived");
        assert_eq!(target, key, "{record}");
    }
}

fn jobs(wishes: &mut [Wish]) -> Vec<ScryptJob<'_>> {
    wishes
        .iter_mut()
        .map(|Wish { password, salt, cost, target }| ScryptJob { password, salt, p: *cost, target })
        .collect()
}

/// Returns the key by the scrypt crate, which has no empty keys.
fn expected(cost: &Cost, wish: &Wish) -> Vec<u8> {
    let mut key = vec![0; wish.target.len()];
    if !key.is_empty() {
        let params =
            ::scrypt::Params::new(cost.n().ilog2() as u8, cost.r(), wish.cost).expect("parameters");
        ::scrypt::scrypt(&wish.password, &wish.salt, &params, &mut key).expect("derived");
    }
    key
}

#[test]
fn another_library_agrees_with_any_number_of_jobs() {
    let mut random = Random(3);
    for round in 0..rounds(60) {
        let cost = Cost::new(2 << random.below(9), 1 + random.below(9) as u32).expect("a cost");
        if cost.r() == 1 && cost.n() > 1 << 15 {
            continue;
        }
        let mut wishes: Vec<Wish> =
            (0..1 + round % 12).map(|_| Wish::new(&mut random, 4, 200)).collect();
        let lanes: u64 = wishes.iter().map(|wish| u64::from(wish.cost)).sum();
        // From one lane at a time to more memory than there are lanes.
        let concurrent = 1 + random.below(scrypt::lanes() + 2);
        let mut memory = Memory::new(scrypt::memory(&cost, lanes, concurrent)).expect("memory");
        let mut told = vec![0; wishes.len()];
        scrypt::derive_many(
            &cost,
            &mut jobs(&mut wishes),
            &mut memory,
            &mut NoCheckpoint,
            |index, _| told[index] += 1,
        )
        .expect("derived");
        assert!(told.iter().all(|&times| times == 1), "{told:?}");
        for wish in &wishes {
            let expected = hex(&expected(&cost, wish));
            assert_eq!(hex(&wish.target), expected, "{cost:?} {} {concurrent}", wish.cost);
        }
    }
}

#[test]
fn memory_is_used_again() {
    let cost = Cost::new(1024, 8).expect("a cost");
    let mut memory = Memory::new(scrypt::memory(&cost, 8, 8)).expect("memory");
    let mut random = Random(4);
    for round in 0..6 {
        let mut wishes: Vec<Wish> =
            (0..1 + round).map(|_| Wish { cost: 1, ..Wish::new(&mut random, 4, 200) }).collect();
        scrypt::derive_many(
            &cost,
            &mut jobs(&mut wishes),
            &mut memory,
            &mut NoCheckpoint,
            |_, _| {},
        )
        .expect("derived");
        assert!(wishes.iter().all(|wish| wish.target == expected(&cost, wish)));
        if round % 2 == 1 {
            memory.wipe(&mut || {});
        }
    }
}

#[test]
fn a_derivation_pauses_and_reports_its_progress() {
    let cost = Cost::new(16384, 8).expect("a cost");
    let mut memory = Memory::new(scrypt::memory(&cost, 3, 1)).expect("memory");
    let mut watch = Watch::default();
    let (mut one, mut two) = ([0; 32], [0; 32]);
    let mut jobs = [
        ScryptJob { password: b"a", salt: b"b", p: 2, target: &mut one },
        ScryptJob { password: b"c", salt: b"d", p: 1, target: &mut two },
    ];
    scrypt::derive_many(&cost, &mut jobs, &mut memory, &mut watch, |_, _| {}).expect("derived");
    assert!(watch.pauses > 100, "{}", watch.pauses);
    for (index, steps) in [(0, 4 * 16384), (1, 2 * 16384)] {
        assert_eq!(watch.told(index, steps).last(), Some(&steps));
    }
    assert_eq!(watch.progress.len(), watch.pauses);
}

#[test]
fn cancelled_jobs_are_not_computed() {
    let cost = Cost::new(16384, 8).expect("a cost");
    let mut memory = Memory::new(scrypt::memory(&cost, 3, 3)).expect("memory");
    for cancelled in
        [vec![(1, 0)], vec![(1, 5)], vec![(0, 0), (1, 0), (2, 0)], vec![(0, 7), (1, 3), (2, 7)]]
    {
        let mut targets = [[0; 32]; 3];
        let mut watch = Watch { cancelled: cancelled.clone(), ..Watch::default() };
        let mut told = Vec::new();
        let mut jobs: Vec<ScryptJob<'_>> = targets
            .iter_mut()
            .map(|target| ScryptJob { password: b"a", salt: b"b", p: 1, target })
            .collect();
        scrypt::derive_many(&cost, &mut jobs, &mut memory, &mut watch, |index, _| told.push(index))
            .expect("derived");
        for (index, target) in targets.iter().enumerate() {
            let wanted = cancelled.iter().all(|&(job, _)| job != index);
            assert_eq!(told.contains(&index), wanted);
            assert_eq!(*target != [0; 32], wanted);
        }
        if cancelled.len() == 3 {
            assert!(watch.pauses <= 7, "continues after cancellation");
        }
    }
}

#[test]
fn parameters_outside_the_limits_are_refused() {
    for (n, r) in [(0, 8), (1, 8), (3, 8), (16383, 8), (16, 0), (1 << 16, 1), (1 << 33, 2)] {
        assert!(matches!(Cost::new(n, r), Err(Error::Cost | Error::Memory { .. })), "{n} {r}");
    }
    assert_eq!(Cost::new(1 << 16, 1), Err(Error::Cost), "N must be less than 2^(16r)");
    assert!(Cost::new(1 << 15, 1).is_ok());
    assert!(Cost::beyond_rfc(1 << 18, 1).is_ok());
    assert_eq!(Cost::beyond_rfc(3, 8), Err(Error::Cost));
    let cost = Cost::new(16384, 8).expect("a cost");
    // The least maxmem with which node:crypto does it, found by trial.
    assert_eq!(cost.needed(1), 16_780_288);
    assert_eq!(cost.check(1, 16_780_288), Ok(()));
    assert_eq!(cost.check(1, 16_780_287), Err(Error::Memory { needed: 16_780_288 }));
    assert_eq!(cost.check(0, u64::MAX), Err(Error::Cost));
    assert_eq!(cost.check(1 << 27, u64::MAX), Err(Error::Cost));
    let text = "more memory is needed than is allowed or available: 5 bytes";
    assert_eq!(Error::Memory { needed: 5 }.to_string(), text);

    let mut small = Memory::new(scrypt::memory(&cost, 1, 1) - 64).expect("memory");
    let mut target = [0; 32];
    let job = ScryptJob { password: b"", salt: b"", p: 1, target: &mut target };
    let refused = scrypt::derive_many(&cost, &mut [job], &mut small, &mut NoCheckpoint, |_, _| {});
    assert_eq!(refused, Err(Error::Memory { needed: scrypt::memory(&cost, 1, 1) }));
    let huge = Cost::new(1 << 32, 1 << 20).expect("a cost");
    assert!(matches!(scrypt::derive(&huge, b"", b"", 1, &mut [0; 32]), Err(Error::Memory { .. })));
    assert!(matches!(Memory::new(u64::MAX), Err(Error::Memory { needed: u64::MAX })));
}
