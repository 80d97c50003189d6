//! Secrets that no freed block of the heap contains: see `freed_memory`.

use crate::caller::{Argument, Call};
use crate::freed_memory::{SECRET, looking, looking_for};
use millrace_core::catalog::{CIPHERS, Cipher, Hash};
use millrace_request::bytes::{Copies, Window};
use millrace_request::caller::Caller;
use millrace_request::keys::{PreparedKey, Purpose};
use millrace_request::memory_budget;
use millrace_request::protocol::{At, EngineNumber, OperationNumber, Status};
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
        let seal = call(OperationNumber::Seal, &text, text.len() + 16);
        assert_eq!(seal.run(), Status::Done);
        let open = call(OperationNumber::Open, &seal.read(Argument::Target), text.len());
        open.set(At::Slot, 0.0);
        let found = count(|| assert_eq!(open.run(), Status::Done));
        assert!(open.read(Argument::Target) == text);
        assert_eq!(found, 0, "{}", facts.name);
    }
}

#[test]
fn copies_of_secrets_are_wiped() {
    let call = Call::of(
        OperationNumber::Hash,
        0,
        &[(Argument::Source, &KEY), (Argument::Target, &SECRET.repeat(300)), (Argument::Iv, &[1])],
    );
    let [small, large, other] =
        [Argument::Source, Argument::Target, Argument::Iv].map(|argument| call.window(argument));
    let uses: [(&str, fn(&mut Copies, [Window; 3])); 3] = [
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
fn derivation(operation: OperationNumber, target: usize) -> Call {
    let aad: &[u8] = match operation {
        OperationNumber::Verify => b"$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        _ => b"",
    };
    let arguments: [(Argument, &[u8]); 5] = [
        (Argument::Source, &[]),
        (Argument::Target, &vec![0; target]),
        (Argument::Iv, &[1; 16]),
        (Argument::Aad, aad),
        (Argument::Key, &KEY),
    ];
    let call = Call::of(operation, Hash::Sha256 as u8, &arguments);
    let (costs, memory) = match operation {
        OperationNumber::Scrypt => ([1024, 8, 1, 0], 1 << 26),
        OperationNumber::Argon2 => ([1, 64, 1, 0x1302], 1 << 26),
        OperationNumber::Bcrypt => ([4, 0, 0, 0], 0),
        _ => ([2, 0, 0, 0], 1 << 26),
    };
    for (at, cost) in [At::Count, At::MessageSize, At::SeedLow, At::SeedHigh].into_iter().zip(costs)
    {
        call.set(at, f64::from(cost));
    }
    call.set_all(&[(At::MaxMemory, f64::from(memory)), (At::MaxTime, 1e6)]);
    call
}

const DERIVATIONS: [(OperationNumber, usize); 8] = [
    (OperationNumber::Scrypt, 80),
    (OperationNumber::Pbkdf2, 80),
    (OperationNumber::Hkdf, 80),
    (OperationNumber::HkdfExtract, 32),
    (OperationNumber::HkdfExpand, 80),
    (OperationNumber::Argon2, 80),
    (OperationNumber::Bcrypt, 23),
    (OperationNumber::Verify, 1),
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
        let expected = call.read(Argument::Target);
        let place = call.range(Argument::Target);
        call.place(Argument::Iv, place.start..place.start + 16);
        call.write(Argument::Iv, &[1; 16]);
        let secret = *expected.first_chunk().expect("long enough");
        let (status, found) = looking_for(secret, || call.run());
        assert_eq!(status, Status::Done);
        if operation != OperationNumber::HkdfExpand {
            assert_eq!(call.read(Argument::Target), expected, "{operation:?}");
        }
        assert_eq!(found, 0, "{operation:?}");
    }
}

#[test]
fn codes_of_many_that_were_computed_apart_are_wiped() {
    for (operation, hash) in
        [(OperationNumber::HmacMany, Hash::Sha256), (OperationNumber::HashMany, Hash::Blake3)]
    {
        let many = |place: std::ops::Range<usize>| {
            let ranges =
                [(Argument::Source, 0..128), (Argument::Target, place), (Argument::Key, 500..532)];
            let call = Call::over(vec![5; 1000], operation, hash as u8, &ranges);
            call.set_all(&[(At::Count, 4.0), (At::MessageSize, 32.0)]);
            call
        };
        let apart = many(200..328);
        assert_eq!(apart.run(), Status::Done);
        let expected = apart.read(Argument::Target);
        let over = many(16..144);
        let (status, found) =
            looking_for(*expected.first_chunk().expect("long enough"), || over.run());
        assert_eq!(status, Status::Done);
        assert_eq!(over.read(Argument::Target), expected);
        assert_eq!(found, 0, "{operation:?}");
    }
}

#[test]
fn the_key_of_a_call_is_wiped() {
    for (operation, algorithm) in [
        (OperationNumber::Hmac, Hash::Sha256 as u8),
        (OperationNumber::Hash, Hash::Blake3 as u8),
        (OperationNumber::Encrypt, Cipher::ChaCha20 as u8),
    ] {
        let size = if operation == OperationNumber::Encrypt { 10 } else { 32 };
        let arguments: [(Argument, &[u8]); 4] = [
            (Argument::Source, &[1; 10]),
            (Argument::Target, &vec![0; size]),
            (Argument::Iv, &[3; 16]),
            (Argument::Key, &KEY),
        ];
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
        let call = Call::of(OperationNumber::Hash, 0, &[(Argument::Source, &KEY)]);
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
    let call = derivation(OperationNumber::Argon2, 32);
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
