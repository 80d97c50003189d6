//! The checks of a call that JavaScript makes first: each is made again here.

use crate::caller::Argument::{Aad, Iv, Key, Source, Tag, Target};
use crate::caller::{Argument, Call};
use millrace_core::catalog::{CIPHERS, Cipher, Hash};
use millrace_core::checkpoint::Slicer;
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::engines::ExternalCipher;
use millrace_core::error::Error;
use millrace_core::wipe::KeyBytes;
use millrace_request::caller::Caller;
use millrace_request::keys::{PreparedKey, Purpose};
use millrace_request::memory_budget;
use millrace_request::protocol::{
    At, EngineNumber, OPERATION_COUNT, OperationNumber as Number, REPLY_MAX, Status, flag,
};
use millrace_request::work::{self, Messages, Operation};

const KEY: [u8; 32] = [7; 32];

fn seal(source: usize, target: usize) -> Call {
    let (source, target) = (vec![1; source], vec![2; target]);
    Call::cipher(Number::Seal, Cipher::Aes256Gcm.facts(), &source, &target, &[4; 5])
}

#[test]
fn numbers_of_no_operation_algorithm_or_engine_are_refused() {
    let call = seal(100, 116);
    assert_eq!(call.run(), Status::Done);
    for (at, numbers) in [
        (At::Operation, [f64::from(OPERATION_COUNT), 255.0, 4294967296.0, f64::INFINITY]),
        (At::Algorithm, [CIPHERS.len() as f64, 255.0, 256.0, f64::INFINITY]),
        (At::Engine, [4.0, 255.0, 4294967296.0, f64::INFINITY]),
    ] {
        let right = call.number(at);
        for number in numbers {
            call.set(at, number);
            assert_eq!(call.run(), Status::Argument, "{at:?} {number}");
        }
        call.set(at, right);
    }
    assert_eq!(call.run(), Status::Done);
}

#[test]
fn ranges_outside_of_an_argument_are_refused() {
    for argument in [
        (At::SourceOffset, At::SourceSize),
        (At::TargetOffset, At::TargetSize),
        (At::IvOffset, At::IvSize),
        (At::AadOffset, At::AadSize),
        (At::KeyOffset, At::KeySize),
    ] {
        let (offset, size) = argument;
        let call = seal(100, 116);
        let whole = call.number(size);
        for (start, count) in [
            (1.0, whole),
            (whole, 1.0),
            (0.0, whole + 1.0),
            (-1.0, whole),
            (0.0, -1.0),
            (0.5, 1.0),
            (0.0, f64::NAN),
            (f64::INFINITY, 1.0),
            (9007199254740992.0, 1.0),
            (9007199254740991.0, 9007199254740991.0),
        ] {
            call.set(offset, start);
            call.set(size, count);
            assert_eq!(call.run(), Status::Argument, "{argument:?} {start} {count}");
        }
        assert!(call.guards_intact());
        assert_eq!(call.read(Target), [2; 116], "{argument:?}");
    }
}

#[test]
fn an_argument_that_is_not_a_typed_array_is_refused() {
    for argument in [Source, Target, Iv, Aad, Key] {
        let mut call = seal(100, 116);
        call.arguments[argument as usize] = None;
        assert_eq!(call.run(), Status::Argument, "{argument:?}");
    }
}

#[test]
fn an_argument_without_its_flag_is_empty() {
    let call = seal(100, 116);
    let flags = call.number(At::Flags) as u32;
    call.set(At::Flags, f64::from(flags & !flag::HAS_AAD));
    let work = call.decode().expect("complete");
    assert_eq!((work.aad.size(), work.iv.size(), work.key_size()), (0, 12, 32));
    call.set(At::Flags, f64::from(flags & !flag::HAS_IV));
    assert_eq!(call.run(), Status::IvSize);
    call.set(At::Flags, f64::from(flags & !flag::HAS_KEY));
    assert_eq!(call.run(), Status::KeySize);
}

#[test]
fn a_disposed_key_is_refused_even_if_another_is_in_its_place() {
    let call = seal(100, 116);
    let first = call.prepare(Purpose::Cipher(Cipher::Aes256Gcm), &KEY).expect("a key");
    assert_eq!(call.run(), Status::Done);
    assert!(call.keys().borrow_mut().dispose(first));
    assert_eq!(call.run(), Status::KeyDisposed);
    let second = call.prepare(Purpose::Cipher(Cipher::Aes256Gcm), &KEY).expect("a key");
    assert_ne!(first, second);
    assert_eq!(call.run(), Status::Done);
    for stale in [first as f64, 1e15, -1.0, second as f64 + 1.0, f64::INFINITY] {
        call.set(At::Key, stale);
        assert_eq!(call.run(), Status::KeyDisposed, "{stale}");
    }
}

#[test]
fn a_key_of_another_algorithm_is_refused() {
    let purposes = [
        Purpose::Cipher(Cipher::Aes256Gcm),
        Purpose::Cipher(Cipher::ChaCha20Poly1305),
        Purpose::Mac(Hash::Sha256),
        Purpose::Mac(Hash::Sha512),
        Purpose::Hash(Hash::Blake3),
    ];
    let digest = |operation, hash: Hash| {
        let size = hash.facts().digest_size;
        let arguments: [(Argument, &[u8]); 2] = [(Source, &[1; 10]), (Target, &vec![0; size])];
        Call::of(operation, hash as u8, &arguments)
    };
    let calls = [
        (0, seal(100, 116)),
        (2, digest(Number::Hmac, Hash::Sha256)),
        (3, digest(Number::Hmac, Hash::Sha512)),
        (4, digest(Number::Hash, Hash::Blake3)),
    ];
    for (right, call) in &calls {
        for (index, purpose) in purposes.iter().enumerate() {
            call.prepare(*purpose, &KEY).expect("a key");
            let expected = if index == *right { Status::Done } else { Status::KeyAlgorithm };
            assert_eq!(call.run(), expected, "call with key {right}, key {index}");
        }
    }
}

#[test]
fn a_native_key_is_refused_by_another_engine() {
    let call = seal(100, 116);
    call.prepare(Purpose::Cipher(Cipher::Aes256Gcm), &KEY).expect("a key");
    call.set(At::Engine, 1.0);
    assert!(matches!(call.run(), Status::Unavailable(reason) if reason.contains("native engine")));
}

#[test]
fn a_tag_that_overlaps_the_target_is_refused() {
    for (tag, expected) in [
        (0..16, Status::Overlap),
        (99..115, Status::Overlap),
        (85..101, Status::Overlap),
        (100..116, Status::Done),
    ] {
        let ranges = [
            (Source, 0..100),
            (Target, 0..100),
            (Iv, 120..132),
            (Key, 140..172),
            (Tag, tag.clone()),
        ];
        let (operation, algorithm) = (Number::Encrypt, Cipher::Aes256Gcm as u8);
        let call = Call::over(vec![1; 200], operation, algorithm, &ranges);
        assert_eq!(call.run(), expected, "{tag:?}");
    }
}

#[test]
fn an_aad_or_a_nonce_that_the_target_overlaps_is_read_before_it_is_overwritten() {
    let expected = seal(100, 116);
    assert_eq!(expected.run(), Status::Done);
    for (iv, aad) in [(0..12, 20..25), (104..116, 90..95), (120..132, 0..5), (90..102, 111..116)] {
        let mut arena = vec![0; 200];
        arena[140..172].fill(7);
        arena[172..].fill(1);
        arena.resize(300, 1);
        arena[iv.clone()].fill(3);
        arena[aad.clone()].fill(4);
        let ranges = [
            (Source, 180..280),
            (Target, 0..116),
            (Iv, iv.clone()),
            (Aad, aad.clone()),
            (Key, 140..172),
        ];
        let (operation, algorithm) = (Number::Seal, Cipher::Aes256Gcm as u8);
        let call = Call::over(arena, operation, algorithm, &ranges);
        call.set(At::TagSize, 16.0);
        assert_eq!(call.run(), Status::Done);
        assert_eq!(call.read(Target), expected.read(Target), "{iv:?} {aad:?}");
    }
}

#[test]
fn a_result_without_a_target_has_a_limit() {
    let hash = Hash::Shake256 as u8;
    let call = Call::of(Number::Hash, hash, &[(Source, &[1; 10])]);
    for (size, expected) in [
        (REPLY_MAX as f64, Status::Done),
        (REPLY_MAX as f64 + 1.0, Status::Argument),
        (-1.0, Status::Argument),
    ] {
        call.set(At::TargetSize, size);
        assert_eq!(call.run(), expected, "{size}");
    }
}

#[test]
fn a_message_shorter_than_its_tag_is_refused() {
    for (source, tag, expected) in [
        (15, 16.0, Status::Argument),
        (16, 16.0, Status::Authentication),
        (16, 17.0, Status::Argument),
        (16, f64::NAN, Status::Argument),
    ] {
        let (facts, source) = (Cipher::Aes256Gcm.facts(), vec![1; source]);
        let call = Call::cipher(Number::Open, facts, &source, &[], &[]);
        call.set(At::TagSize, tag);
        assert_eq!(call.run(), expected, "{} {tag}", source.len());
    }
}

#[test]
fn only_an_asynchronous_call_with_a_target_of_the_caller_is_lent() {
    for (slot, flags, expected) in
        [(-1.0, 0, false), (0.0, 0, true), (5.0, 0, true), (0.0, flag::FRESH, false)]
    {
        let call = seal(100, 116);
        call.set(At::Slot, slot);
        call.add_flags(flags);
        assert_eq!(call.decode().expect("complete").lent, expected, "{slot} {flags}");
    }
    let call = seal(100, 116);
    call.set(At::Slot, 0.0);
    call.set(At::Flags, f64::from(call.number(At::Flags) as u32 & !flag::HAS_TARGET));
    call.set(At::TargetSize, 100.0);
    let work = call.decode().expect("complete");
    assert!(!work.lent && matches!(work.target, work::Target::Reply(100)));
}

#[test]
fn the_tag_of_an_asynchronous_call_travels_with_its_completion() {
    for (slot, replies) in [(-1.0, false), (0.0, true)] {
        let arguments: [(Argument, &[u8]); 5] =
            [(Source, &[1; 10]), (Target, &[0; 10]), (Iv, &[3; 12]), (Tag, &[0; 16]), (Key, &KEY)];
        let call = Call::of(Number::Encrypt, Cipher::Aes256Gcm as u8, &arguments);
        call.set(At::Slot, slot);
        let work = call.decode().expect("complete");
        assert_eq!(matches!(work.tag_target, work::Target::Reply(16)), replies);
    }
}

#[test]
fn each_operation_is_decoded_with_its_algorithm() {
    let (hash, cipher) = (Hash::Sha256, Cipher::Aes256Gcm);
    // What else is read: a tag, or many messages.
    for (number, expected, reads) in [
        (Number::Hash, Operation::Hash(hash), ""),
        (Number::Hmac, Operation::Hmac(hash), ""),
        (Number::Encrypt, Operation::Encrypt(cipher), ""),
        (Number::Seal, Operation::Encrypt(cipher), ""),
        (Number::Decrypt, Operation::Decrypt(cipher), "tag"),
        (Number::Open, Operation::Decrypt(cipher), "tag"),
        (Number::Update, Operation::Update(hash), ""),
        (Number::Finish, Operation::Finish(hash), ""),
        (Number::Squeeze, Operation::Squeeze(hash), ""),
        (Number::MacBegin, Operation::MacBegin(hash), ""),
        (Number::MacUpdate, Operation::MacUpdate(hash), ""),
        (Number::MacFinish, Operation::MacFinish(hash), ""),
        (Number::HashMany, Operation::HashMany(hash), "many"),
        (Number::HmacMany, Operation::HmacMany(hash), "many"),
        (Number::HashFile, Operation::HashFile(hash), "files"),
        (Number::HashFiles, Operation::HashFiles(hash), "files"),
        (Number::SealChunks, Operation::SealChunks(cipher), "many"),
        (Number::OpenChunks, Operation::OpenChunks(cipher), "many"),
        (Number::CipherUpdate, Operation::CipherUpdate(cipher), ""),
        (Number::Pbkdf2, Operation::Derive, "tag"),
    ] {
        let arguments: [(Argument, &[u8]); 3] =
            [(Source, &[1; 40]), (Target, &[0; 40]), (Tag, &[2; 16])];
        let decoded = [hash as u8, cipher as u8].map(|algorithm| {
            let call = Call::of(number, algorithm, &arguments);
            call.set_all(&[(At::Count, 3.0), (At::MessageSize, 5.0)]);
            call.decode().ok().filter(|work| work.operation == expected)
        });
        let work = decoded.iter().flatten().next().unwrap_or_else(|| panic!("{number:?}"));
        assert_eq!(matches!(work.messages, Messages::Files(3, 5)), reads == "files", "{number:?}");
        assert_eq!(matches!(work.messages, Messages::Equal(3, 5)), reads == "many", "{number:?}");
        assert_eq!(work.tag.size() == 16, reads == "tag", "{number:?}");
    }
}

#[test]
fn a_seed_has_64_bits() {
    let call = seal(100, 116);
    call.set(At::SeedLow, f64::from(0x89ab_cdef_u32));
    call.set(At::SeedHigh, f64::from(0x0123_4567_u32));
    assert_eq!(call.decode().expect("complete").seed, 0x0123_4567_89ab_cdef);
}

#[test]
fn only_another_engine_gets_what_it_knows_of_hashes() {
    for (engine, expected) in [(0.0, false), (1.0, true), (2.0, true), (3.0, true)] {
        let call = seal(100, 116);
        call.set(At::Engine, engine);
        assert_eq!(call.decode().expect("complete").kernel_hashes.is_some(), expected);
    }
}

/// A key of the kernel that seals with a pattern.
struct Pattern;

impl ExternalCipher for Pattern {
    fn apply(&self, _: &[u8], _: Text<'_>, _: Option<Slicer<'_>>) -> Result<(), Error> {
        Err(Error::NotSupported)
    }

    fn seal(&self, _: &[u8], _: &[u8], text: Text<'_>, tag: &mut [u8]) -> Result<(), Error> {
        let (Text::InPlace(target) | Text::Across { target, .. }) = text;
        target.fill(0xaa);
        tag.fill(0xbb);
        Ok(())
    }

    fn open(&self, _: &[u8], _: &[u8], _: Text<'_>, _: &[u8]) -> Result<(), Error> {
        Err(Error::Authentication)
    }
}

#[test]
fn a_key_of_the_kernel_is_for_the_kernel() {
    for (asked, expected) in [
        (0.0, EngineNumber::Kernel),
        (1.0, EngineNumber::Kernel),
        (2.0, EngineNumber::AfAlg),
        (3.0, EngineNumber::Cryptodev),
    ] {
        let call = seal(100, 116);
        let key = CipherKey::from_external(Cipher::Aes256Gcm, Box::new(Pattern));
        let key = key.into_box().expect("memory");
        call.keep(PreparedKey::Cipher(key, KeyBytes::copy(&KEY).expect("memory"))).expect("memory");
        call.set(At::Engine, asked);
        assert!(call.decode().expect("complete").engine == expected, "{asked}");
        assert_eq!(call.run(), Status::Done);
        assert_eq!(call.read(Target), [[0xaa; 100].as_slice(), &[0xbb; 16]].concat());
    }
}

#[test]
fn a_derivation_that_exceeds_the_memory_of_all_is_refused_or_uses_fewer_lanes() {
    const LIMIT: u64 = 1 << 30;
    // More than any other test takes.
    memory_budget::set_limit(LIMIT);
    let scrypt = |cost: u32, lanes: f64| {
        let call =
            Call::of(Number::Scrypt, 0, &[(Source, &[]), (Target, &[0; 32]), (Iv, &[1; 16])]);
        call.set_all(&[
            (At::Count, f64::from(1 << cost)),
            (At::MessageSize, 8.0),
            (At::SeedLow, lanes),
            (At::MaxMemory, 1e15),
            (At::MaxTime, 1e15),
        ]);
        call
    };
    // 256 MiB a lane.
    let call = scrypt(18, 8.0);
    let memory = call.decode().expect("fewer lanes").derivation.memory();
    assert!((1 << 28..=LIMIT).contains(&memory), "{memory}");
    // 2 GiB.
    let call = scrypt(21, 1.0);
    assert_eq!(call.decode().err(), Some(Status::KdfMemoryLimit));
    let needed = call.number(At::MaxMemory);
    assert!((2147483648.0..2200000000.0).contains(&needed), "{needed}");
    call.set(At::MaxMemory, 1e9);
    assert_eq!(call.decode().err(), Some(Status::Memory));
}

#[test]
fn a_hash_of_other_costs_needs_to_be_computed_again() {
    let zeros = "A".repeat(22) + "$" + &"A".repeat(43);
    let schemes = [
        (
            Number::Argon2,
            format!("$argon2id$v=19$m=64,t=2,p=1${zeros}"),
            [2.0, 64.0, 1.0, f64::from(0x1302), 32.0],
        ),
        (Number::Scrypt, format!("$scrypt$ln=10,r=8,p=1${zeros}"), [1024.0, 8.0, 1.0, 0.0, 32.0]),
        (Number::Bcrypt, format!("$2b$05${}", ".".repeat(53)), [5.0, 0.0, 0.0, 0.0, 23.0]),
    ];
    for (at, (operation, text, costs)) in schemes.iter().enumerate() {
        let arguments: [(Argument, &[u8]); 2] = [(Source, &[]), (Aad, text.as_bytes())];
        let call = Call::of(*operation, 0, &arguments);
        call.set_all(&[(At::MaxMemory, 1e9), (At::IvSize, 16.0)]);
        let places = [At::Count, At::MessageSize, At::SeedLow, At::SeedHigh, At::TargetSize];
        let set = |costs: &[f64; 5]| (0..5).for_each(|index| call.set(places[index], costs[index]));
        set(costs);
        assert_eq!(call.needs_rehash(), Ok(false), "{text}");
        let cost = if *operation == Number::Scrypt { 2048.0 } else { costs[0] + 1.0 };
        for (at, number) in [(At::Count, cost), (At::IvSize, 17.0)] {
            let before = call.number(at);
            call.set(at, number);
            assert_eq!(call.needs_rehash(), Ok(true), "{text} {at:?}");
            call.set(at, before);
        }
        let (other, _, costs) = &schemes[(at + 1) % 3];
        call.set(At::Operation, f64::from(*other as u32));
        set(costs);
        assert_eq!(call.needs_rehash(), Ok(true), "{text} is of another scheme");
    }
}
