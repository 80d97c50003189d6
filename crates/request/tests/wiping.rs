//! Secrets that no freed block of the heap contains: see `freed_memory`.

use crate::caller::Argument::{Aad, Iv, Key, Source, Target};
use crate::caller::{Argument, Call};
use crate::freed_memory::{SECRET, looking, looking_for};
use millrace_core::catalog::{CIPHERS, Cipher, Hash};
use millrace_request::bytes::{Copies, Window};
use millrace_request::caller::Caller;
use millrace_request::keys::{PreparedKey, Purpose};
use millrace_request::memory_budget;
use millrace_request::protocol::{At, EngineNumber, OperationNumber as Number, Status};
use millrace_request::work::Reply;

/// The secret, twice.
const KEY: [u8; 32] = *b"Millrace secret.Millrace secret.";

fn count(work: impl FnOnce()) -> usize {
    looking(work).1
}

#[test]
fn the_copy_of_a_lent_message_is_wiped() {
    for facts in CIPHERS.iter().filter(|facts| facts.aead) {
        let text = SECRET.repeat(100);
        let call = |operation, source: &[u8], target: usize| {
            Call::cipher(operation, facts, source, &vec![0; target], &[])
        };
        let seal = call(Number::Seal, &text, text.len() + 16);
        assert_eq!(seal.run(), Status::Done);
        let open = call(Number::Open, &seal.read(Target), text.len());
        open.set(At::Slot, 0.0);
        let found = count(|| assert_eq!(open.run(), Status::Done));
        assert!(open.read(Target) == text);
        assert_eq!(found, 0, "{}", facts.name);
    }
}

#[test]
fn copies_of_secrets_are_wiped() {
    let call =
        Call::of(Number::Hash, 0, &[(Source, &KEY), (Target, &SECRET.repeat(300)), (Iv, &[1])]);
    let [small, large, other] = [Source, Target, Iv].map(|argument| call.window(argument));
    type Use = fn(&mut Copies, [Window; 3]);
    let uses: [(&str, Use); 3] = [
        ("dropped", |copies, [small, ..]| _ = copies.secrets([small]).expect("memory")),
        ("replaced and wiped", |copies, [small, large, other]| {
            copies.secrets([small]).expect("memory");
            copies.secrets([other, large]).expect("memory");
            copies.wipe_secrets();
            copies.reset();
        }),
        ("more than is kept", |copies, [_, large, _]| {
            copies.secrets([large]).expect("memory");
            copies.reset();
        }),
    ];
    for (what, uses) in uses {
        let found = count(|| uses(&mut Copies::default(), [small, large, other]));
        assert_eq!(found, 0, "{what}");
    }
    let mut copies = Copies::default();
    let [copy] = copies.secrets([small]).expect("memory");
    copies.wipe_secrets();
    // Its memory is kept.
    assert_eq!(copy.read(), [0; KEY.len()], "wiped at once");
}

#[test]
fn a_reply_is_wiped() {
    let full = || {
        let mut reply = Box::new(Reply::empty());
        reply.put(&KEY);
        reply.large = KEY.to_vec();
        reply
    };
    assert_eq!(count(|| drop(full())), 0);
    let mut reply = full();
    reply.wipe();
    assert_eq!((reply.small, reply.small_size, reply.large.len()), ([0; 64], 0, 0));
}

/// Returns the call of a derivation; the password is the secret.
fn derivation(operation: Number, target: usize) -> Call {
    let aad: &[u8] = match operation {
        Number::Verify => b"$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        _ => b"",
    };
    let arguments: [(Argument, &[u8]); 5] =
        [(Source, &[]), (Target, &vec![0; target]), (Iv, &[1; 16]), (Aad, aad), (Key, &KEY)];
    let call = Call::of(operation, Hash::Sha256 as u8, &arguments);
    let (costs, memory) = match operation {
        Number::Scrypt => ([1024, 8, 1, 0], 1 << 26),
        Number::Argon2 => ([1, 64, 1, 0x1302], 1 << 26),
        Number::Bcrypt => ([4, 0, 0, 0], 0),
        _ => ([2, 0, 0, 0], 1 << 26),
    };
    for (at, cost) in [At::Count, At::MessageSize, At::SeedLow, At::SeedHigh].into_iter().zip(costs)
    {
        call.set(at, f64::from(cost));
    }
    call.set_all(&[(At::MaxMemory, f64::from(memory)), (At::MaxTime, 1e6)]);
    call
}

const DERIVATIONS: [(Number, usize); 8] = [
    (Number::Scrypt, 80),
    (Number::Pbkdf2, 80),
    (Number::Hkdf, 80),
    (Number::HkdfExtract, 32),
    (Number::HkdfExpand, 80),
    (Number::Argon2, 80),
    (Number::Bcrypt, 23),
    (Number::Verify, 1),
];

#[test]
fn the_password_of_a_derivation_is_wiped() {
    for (operation, size) in DERIVATIONS {
        let call = derivation(operation, size);
        let found = count(|| {
            assert_eq!(call.run(), Status::Done, "{operation:?}");
            memory_budget::wipe_deferred(|| {});
        });
        assert_eq!(found, 0, "{operation:?}");
    }
}

/// A result is computed apart where its target overlaps an input.
#[test]
fn a_result_that_was_computed_apart_is_wiped() {
    for (operation, size) in DERIVATIONS.into_iter().filter(|&(_, size)| size > 64) {
        let mut call = derivation(operation, size);
        assert_eq!(call.run(), Status::Done, "{operation:?}");
        let expected = call.read(Target);
        let place = call.range(Target);
        call.place(Iv, place.start..place.start + 16);
        call.write(Iv, &[1; 16]);
        let secret = *expected.first_chunk().expect("long enough");
        let (status, found) = looking_for(secret, || call.run());
        assert_eq!(status, Status::Done);
        if operation != Number::HkdfExpand {
            assert_eq!(call.read(Target), expected, "{operation:?}");
        }
        assert_eq!(found, 0, "{operation:?}");
    }
}

#[test]
fn codes_of_many_that_were_computed_apart_are_wiped() {
    for (operation, hash) in [(Number::HmacMany, Hash::Sha256), (Number::HashMany, Hash::Blake3)] {
        let many = |place: std::ops::Range<usize>| {
            let ranges = [(Source, 0..128), (Target, place), (Key, 500..532)];
            let call = Call::over(vec![5; 1000], operation, hash as u8, &ranges);
            call.set_all(&[(At::Count, 4.0), (At::MessageSize, 32.0)]);
            call
        };
        let apart = many(200..328);
        assert_eq!(apart.run(), Status::Done);
        let expected = apart.read(Target);
        let over = many(16..144);
        let (status, found) =
            looking_for(*expected.first_chunk().expect("long enough"), || over.run());
        assert_eq!(status, Status::Done);
        assert_eq!(over.read(Target), expected);
        assert_eq!(found, 0, "{operation:?}");
    }
}

#[test]
fn the_key_of_a_call_is_wiped() {
    for (operation, algorithm) in [
        (Number::Hmac, Hash::Sha256 as u8),
        (Number::Hash, Hash::Blake3 as u8),
        (Number::Encrypt, Cipher::ChaCha20 as u8),
    ] {
        let size = if operation == Number::Encrypt { 10 } else { 32 };
        let arguments: [(Argument, &[u8]); 4] =
            [(Source, &[1; 10]), (Target, &vec![0; size]), (Iv, &[3; 16]), (Key, &KEY)];
        let call = Call::of(operation, algorithm, &arguments);
        let found = count(|| assert_eq!(call.run(), Status::Done, "{operation:?}"));
        assert_eq!(found, 0, "{operation:?}");
    }
}

#[test]
fn a_prepared_key_is_wiped_when_it_is_disposed() {
    let purposes = CIPHERS
        .iter()
        .filter(|facts| facts.key_size == 32)
        .map(|facts| Purpose::Cipher(facts.cipher))
        .chain([Purpose::Mac(Hash::Sha256), Purpose::Hash(Hash::Blake3)]);
    for purpose in purposes {
        let call = Call::of(Number::Hash, 0, &[(Source, &KEY)]);
        let found = count(|| {
            let handle = call.prepare(purpose, &KEY).expect("a key");
            assert!(call.keys().borrow_mut().dispose(handle));
        });
        assert_eq!(found, 0);
    }
    let found = count(|| {
        let cipher =
            PreparedKey::new(Purpose::Cipher(Cipher::Aes256Gcm), &KEY, EngineNumber::Native);
        drop(cipher.expect("a key").mac(Hash::Sha256));
    });
    assert_eq!(found, 0, "an HMAC key of a cipher's");
}

/// Memory that was used comes back wiped: there is nothing left in it to wipe.
#[test]
fn the_working_memory_of_a_derivation_is_wiped_before_it_is_kept() {
    const SIZE: u64 = 3 << 20;
    memory_budget::set_limit(1 << 30);
    let call = derivation(Number::Argon2, 32);
    call.set(At::MessageSize, 3072.0);
    assert_eq!(call.decode().expect("complete").derivation.memory(), SIZE);
    assert_eq!(call.run(), Status::Done);
    let mut pauses = 0;
    memory_budget::wipe_deferred(|| pauses += 1);
    assert!(pauses > 0, "nothing was wiped");
    let mut left = 0;
    memory_budget::with_scratch(SIZE, |memory| {
        memory.wipe(&mut || left += 1);
        Ok(())
    })
    .expect("memory");
    assert_eq!(left, 0);
    memory_budget::free_scratch();
}
