//! Derivations as their callers choose them, by number: what they check, say and compute.

use crate::support::derivations;
use millrace_core::Error;
use millrace_core::checkpoint::NoCheckpoint;
use millrace_core::kdf::phc::{Limits, PasswordHash};
use millrace_core::kdf::{Derivation, DerivationJob, Memory, Numbers};

/// Places in the table of `kdf/mod.rs`.
const VERIFY: usize = 7;
const WRAP: usize = 8;
const UNWRAP: usize = 9;

/// Derives one job; returns its result and how often it was told.
fn derive(
    function: usize,
    numbers: Numbers,
    [password, secret, aad]: [&[u8]; 3],
    target: &mut [u8],
) -> Result<usize, Error> {
    let derivation = Derivation::new(function, numbers, aad)?;
    assert!(derivation.numbers() == numbers);
    let memory = &mut Memory::new(derivation.memory())?;
    let mut told = 0;
    let job = DerivationJob { numbers, password, salt: b"", secret, aad, target };
    derivation.derive(&mut [job], memory, &mut NoCheckpoint, &mut |index, _| told += index + 1)?;
    Ok(told)
}

#[test]
fn a_password_hash_is_verified_within_its_limits() {
    let text = "$argon2id$v=19$m=256,t=200,p=1$c29tZXNhbHQ$+MRqfhbLqQ0xlT7qlWWBMA";
    let scheme = *PasswordHash::parse(text, &Limits::NONE).expect("a hash").scheme();
    let (needed, milliseconds) = (scheme.memory(), scheme.milliseconds());
    assert!(milliseconds > 1);
    let within = Numbers { memory: needed, milliseconds, ..Numbers::default() };
    let new = |numbers, text: &str| {
        let aad = text.as_bytes();
        Derivation::new(VERIFY, numbers, aad)
            .map(|made| (made.memory(), made.predict(aad, 1, &|_| 0)))
    };
    assert_eq!(new(within, text), Ok((needed, milliseconds * 1_000_000)));
    let less = Numbers { memory: needed - 1, ..within };
    assert_eq!(new(less, text), Err(Error::MemoryLimit { needed }));
    let faster = Numbers { milliseconds: milliseconds - 1, ..within };
    assert_eq!(new(faster, text), Err(Error::Work));
    // No hash is free.
    let cheap = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$+MRqfhbLqQ0xlT7qlWWBMA";
    assert_eq!(new(within, cheap), Ok((8 << 10, 200_000)));

    let numbers = Numbers { memory: 1 << 20, milliseconds: 10_000, ..Numbers::default() };
    let memory = &mut Memory::new(needed).expect("memory");
    let made = PasswordHash::new(scheme, b"right", b"", b"somesalt", 16, memory, &mut NoCheckpoint);
    let text = made.expect("made").to_string();
    for (password, right) in [(b"right", 1), (b"wrong", 0)] {
        let mut target = [9];
        let told = derive(VERIFY, numbers, [password, b"", text.as_bytes()], &mut target);
        assert_eq!((told, target), (Ok(1), [right]));
    }
}

#[test]
fn keys_are_wrapped_with_and_without_padding() {
    for (padding, name) in [(0, "kw"), (1, "kwp")] {
        let record = &derivations(name)[0];
        let [wrapping_key, key, wrapped] =
            ["password", "secret", "key"].map(|name| record.bytes(name));
        let numbers = Numbers { costs: [padding, 0, 0, 0], ..Numbers::default() };
        let mut target = vec![0; wrapped.len()];
        assert_eq!(derive(WRAP, numbers, [&wrapping_key, &key, b""], &mut target), Ok(1));
        assert_eq!(target, wrapped);
        let mut unwrapped = vec![9; target.len() - 8 + 1];
        assert_eq!(derive(UNWRAP, numbers, [&wrapping_key, &target, b""], &mut unwrapped), Ok(1));
        let zeros = vec![0; unwrapped.len() - 1 - key.len()];
        assert_eq!(unwrapped, [&key[..], &zeros, &[zeros.len() as u8]].concat());
    }
    let other = Numbers { costs: [2, 0, 0, 0], ..Numbers::default() };
    let made = Derivation::new(WRAP, other, b"").map(|made| made.memory());
    assert_eq!(made, Err(Error::Cost));
}

#[test]
fn the_predicted_time_of_key_wrap_grows_with_the_key() {
    let wrap = Derivation::new(WRAP, Numbers::default(), b"").expect("wrap");
    assert_eq!(wrap.memory(), 0);
    let predicted = |size| wrap.predict(b"", size, &|_| 0);
    assert!((500..3000).contains(&predicted(16)), "{}", predicted(16));
    assert!((300_000..1_500_000).contains(&predicted(1 << 16)), "{}", predicted(1 << 16));
}
