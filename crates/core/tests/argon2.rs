//! Argon2: the vectors of RFC 9106, another library over random parameters, limits.

use crate::support::{Random, Watch, derivations, hex, rounds};
use millrace_core::Error;
use millrace_core::checkpoint::NoCheckpoint;
use millrace_core::kdf::Memory;
use millrace_core::kdf::argon2::{self, Cost, Input, Kind, Version};

const KINDS: [(Kind, ::argon2::Algorithm); 3] = [
    (Kind::D, ::argon2::Algorithm::Argon2d),
    (Kind::I, ::argon2::Algorithm::Argon2i),
    (Kind::Id, ::argon2::Algorithm::Argon2id),
];

#[test]
fn vectors_of_the_standard_are_reproduced() {
    for (kind, name) in [(Kind::D, "argon2d"), (Kind::I, "argon2i"), (Kind::Id, "argon2id")] {
        let record = &derivations(name)[0];
        let [memory, passes, lanes] =
            ["memory", "passes", "lanes"].map(|name| record.number(name) as u32);
        let [password, salt, secret, associated, key] =
            ["password", "salt", "secret", "aad", "key"].map(|name| record.bytes(name));
        let cost = Cost::new(kind, memory, passes, lanes).expect("a cost");
        let input =
            Input { password: &password, salt: &salt, secret: &secret, associated: &associated };
        let mut target = vec![0; key.len()];
        argon2::derive(&cost, &input, &mut target).expect("derived");
        assert_eq!(target, key, "{record}");
    }
}

/// The argon2 crate over random parameters.
#[test]
fn another_library_agrees() {
    let mut random = Random(1);
    for round in 0..rounds(120) {
        let (kind, algorithm) = KINDS[round % 3];
        let (version, their_version) = if random.below(2) == 0 {
            (Version::V10, ::argon2::Version::V0x10)
        } else {
            (Version::V13, ::argon2::Version::V0x13)
        };
        let lanes = 1 + random.below(5) as u32;
        let memory = 8 * lanes + random.below(if round % 10 == 0 { 9000 } else { 300 }) as u32;
        let passes = 1 + random.below(4) as u32;
        let (password, salt, secret, associated) =
            (random.below(200), 8 + random.below(100), random.below(40), random.below(40));
        let (password, salt) = (random.bytes(password), random.bytes(salt));
        let (secret, associated) = (random.bytes(secret), random.bytes(associated.min(32)));
        let size = 4 + random.below(300);

        let mut builder = ::argon2::ParamsBuilder::new();
        builder.m_cost(memory).t_cost(passes).p_cost(lanes).output_len(size);
        builder.data(::argon2::AssociatedData::new(&associated).expect("short"));
        let params = builder.build().expect("parameters");
        let oracle = ::argon2::Argon2::new_with_secret(&secret, algorithm, their_version, params)
            .expect("a secret");
        let mut expected = vec![0; size];
        oracle.hash_password_into(&password, &salt, &mut expected).expect("derived");

        let cost = Cost::new(kind, memory, passes, lanes).expect("a cost").with_version(version);
        let input =
            Input { password: &password, salt: &salt, secret: &secret, associated: &associated };
        let mut target = vec![0; size];
        argon2::derive(&cost, &input, &mut target).expect("derived");
        assert_eq!(hex(&target), hex(&expected), "{cost:?}");
    }
}

#[test]
fn a_derivation_pauses_and_reports_its_progress() {
    let cost = Cost::new(Kind::Id, 40_000, 2, 3).expect("a cost");
    let input = Input { password: b"a", salt: b"12345678", ..Input::default() };
    let mut memory = Memory::new(argon2::memory(&cost)).expect("memory");
    let (mut watched, mut alone) = ([0; 32], [0; 32]);
    let mut watch = Watch::default();
    argon2::derive_in(&cost, &input, &mut watched, &mut memory, &mut watch).expect("derived");
    assert!((20..60).contains(&watch.pauses), "{}", watch.pauses);
    assert_eq!(watch.told(0, 2 * 39_996).len(), watch.progress.len());
    argon2::derive(&cost, &input, &mut alone).expect("derived");
    assert_eq!(watched, alone);

    let mut watch = Watch { cancelled: vec![(0, 3)], ..Watch::default() };
    let mut target = [0; 32];
    let cancelled = argon2::derive_in(&cost, &input, &mut target, &mut memory, &mut watch);
    assert_eq!((cancelled, watch.pauses, target), (Err(Error::Cancelled), 3, [0; 32]));
}

#[test]
fn parameters_outside_the_limits_are_refused() {
    for (memory, passes, lanes) in
        [(7, 1, 1), (8, 0, 1), (8, 1, 0), (31, 1, 4), (u32::MAX, 1, 1 << 24)]
    {
        assert_eq!(Cost::new(Kind::Id, memory, passes, lanes), Err(Error::Cost));
    }
    let cost = Cost::new(Kind::Id, 8, 1, 1).expect("a cost");
    let input = Input { password: b"", salt: b"1234567", ..Input::default() };
    assert_eq!(argon2::derive(&cost, &input, &mut [0; 32]), Err(Error::SaltSize));
    let input = Input { salt: b"12345678", ..input };
    assert_eq!(argon2::derive(&cost, &input, &mut [0; 3]), Err(Error::OutputSize));
    let mut small = Memory::new(8 * 1024 - 64).expect("memory");
    let refused = argon2::derive_in(&cost, &input, &mut [0; 4], &mut small, &mut NoCheckpoint);
    assert_eq!(refused, Err(Error::Memory { needed: 8 * 1024 }));
    let most = Cost::new(Kind::Id, u32::MAX, 1, 1).expect("a cost");
    assert_eq!(argon2::memory(&most), 4 * ((u64::from(u32::MAX) / 4) << 10));
}
