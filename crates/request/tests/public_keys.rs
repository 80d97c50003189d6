//! Operations with asymmetric keys: what they read, what they refuse, what they leave.

use crate::caller::Argument::{Iv, Key, Source, Tag, Target};
use crate::caller::{Argument, Call};
use millrace_request::caller::Caller;
use millrace_request::keys::{PreparedKey, Purpose};
use millrace_request::protocol::{
    At, KeyForm, NO_HASH, OperationNumber as Number, PublicKeyAlgorithm as Algorithm,
    SignatureScheme as Scheme, Status,
};
use millrace_request::work::Operation;

const SHA256: f64 = millrace_core::catalog::Hash::Sha256 as u8 as f64;
const NONE: f64 = NO_HASH as f64;

/// Returns a call with an empty source of up to 2,400 bytes, a target and a tag of up to 4,627.
fn call() -> Call {
    let arguments: [(Argument, &[u8]); 5] = [
        (Source, &[1; 2400]),
        (Target, &[0; 4700]),
        (Tag, &[0; 4700]),
        (Iv, &[0; 120]),
        (Key, &[0; 160]),
    ];
    let call = Call::of(Number::GenerateKey, 0, &arguments);
    for at in [At::SourceSize, At::TargetSize, At::TagSize] {
        call.set(at, 0.0);
    }
    call
}

#[test]
fn numbers_algorithms_as_javascript_does() {
    let mut numbers = (0..).map_while(Algorithm::from_number).map(|each| format!("{each:?}"));
    let ours = millrace_public_keys::Algorithm::ALL.map(|each| format!("{each:?}"));
    assert!(ours.iter().all(|each| numbers.next().as_ref() == Some(each)));
    assert_eq!(numbers.next(), None);
}

/// Runs an operation with these numbers.
fn run(call: &Call, operation: Number, numbers: &[(At, f64)]) -> Status {
    call.set(At::Operation, f64::from(operation as u32));
    numbers.iter().for_each(|(at, number)| call.set(*at, *number));
    call.run()
}

/// Reserves a key and generates it. Returns its handle.
fn generate(call: &Call, algorithm: Algorithm) -> f64 {
    let handle = call.keep(PreparedKey::reserved()).expect("a handle");
    let numbers = [
        (At::Algorithm, f64::from(algorithm as u32)),
        (At::Count, 2048.0),
        (At::MessageSize, 65_537.0),
        (At::SeedLow, NONE),
        (At::SeedHigh, NONE),
        (At::TargetSize, 0.0),
        (At::SourceSize, 0.0),
    ];
    assert_eq!(run(call, Number::GenerateKey, &numbers), Status::Done, "{algorithm:?}");
    handle as f64
}

/// Names the public key of the call's private key. Returns its handle.
fn publish(call: &Call, private: f64) -> f64 {
    let keys = call.keys();
    let public = keys.borrow().get(private as u64).expect("a key").public_key_of().expect("public");
    call.keep(public).expect("a handle") as f64
}

const SIGNERS: [(Algorithm, Scheme, f64, f64); 9] = [
    (Algorithm::Ed25519, Scheme::Default, NONE, 64.0),
    (Algorithm::P256, Scheme::EcdsaDer, SHA256, 74.0),
    (Algorithm::P384, Scheme::EcdsaP1363, SHA256, 96.0),
    (Algorithm::P521, Scheme::EcdsaDer, SHA256, 141.0),
    (Algorithm::Rsa, Scheme::RsaPkcs1, SHA256, 256.0),
    (Algorithm::RsaPss, Scheme::RsaPss, SHA256, 256.0),
    (Algorithm::MlDsa44, Scheme::Default, NONE, 2420.0),
    (Algorithm::MlDsa65, Scheme::Default, NONE, 3309.0),
    (Algorithm::MlDsa87, Scheme::Default, NONE, 4627.0),
];

#[test]
fn signatures_of_every_algorithm_verify_and_changed_ones_do_not() {
    for (algorithm, scheme, hash, size) in SIGNERS {
        let call = call();
        let private = generate(&call, algorithm);
        let numbers = [
            (At::Algorithm, hash),
            (At::Count, f64::from(scheme as u32)),
            (At::MessageSize, -1.0),
            (At::MaxTime, NONE),
            (At::SeedLow, 0.0),
            (At::SourceSize, 100.0),
            (At::TargetSize, size),
        ];
        assert_eq!(run(&call, Number::Sign, &numbers), Status::Done, "{algorithm:?}");
        let padded = call.read(Target);
        let mut size = size as usize;
        if scheme == Scheme::EcdsaDer {
            let end = [padded[size - 2], padded[size - 1]];
            size = u16::from_le_bytes(end).into();
        }
        call.write(Tag, &padded[..size]);
        call.set(At::TagSize, size as f64);
        publish(&call, private);
        let verdict = |expected| {
            let numbers = [(At::TargetSize, 1.0)];
            assert_eq!(run(&call, Number::VerifySignature, &numbers), Status::Done);
            assert_eq!(call.read(Target)[0], expected, "{algorithm:?}");
        };
        call.add_flags(millrace_request::protocol::flag::HAS_TAG);
        verdict(1);
        call.write(Source, &[2]);
        verdict(0);
        call.write(Source, &[1]);
        call.set(At::TagSize, size as f64 - 1.0);
        verdict(0);
        // The keys in the wrong places.
        assert_eq!(run(&call, Number::Sign, &[]), Status::KeyUse);
        call.set(At::Key, private);
        assert_eq!(run(&call, Number::VerifySignature, &[]), Status::KeyUse);
        assert!(call.guards_intact());
    }
}

#[test]
fn each_of_many_signatures_has_its_verdict() {
    const COUNT: usize = 5;
    for (algorithm, scheme, hash, size) in
        SIGNERS.into_iter().filter(|(_, _, _, size)| *size < 300.0)
    {
        let call = call();
        let private = generate(&call, algorithm);
        let public = publish(&call, private);
        let describe = |sizes: [usize; COUNT], key: f64| {
            let numbers: Vec<u8> = (0..COUNT)
                .flat_map(|at| [100.0 + at as f64, sizes[at] as f64, key])
                .flat_map(f64::to_ne_bytes)
                .collect();
            call.write(Iv, &numbers);
        };
        describe([size as usize; COUNT], private);
        let numbers = [
            (At::Algorithm, hash),
            (At::Count, f64::from(scheme as u32)),
            (At::MessageSize, -1.0),
            (At::MaxTime, NONE),
            (At::SeedLow, 0.0),
            (At::SeedHigh, f64::from(algorithm as u32)),
            (At::SourceSize, 510.0),
            (At::TargetSize, size * COUNT as f64),
        ];
        assert_eq!(run(&call, Number::SignMany, &numbers), Status::Done, "{algorithm:?}");
        let made = call.read(Target);
        let (mut signatures, mut sizes) = (Vec::new(), [0; COUNT]);
        for (at, padded) in made.chunks(size as usize).take(COUNT).enumerate() {
            let end = [padded[padded.len() - 2], padded[padded.len() - 1]];
            let padding = scheme == Scheme::EcdsaDer;
            sizes[at] = if padding { u16::from_le_bytes(end).into() } else { padded.len() };
            signatures.extend_from_slice(&padded[..sizes[at]]);
        }
        // One is changed, and one is a byte of the next.
        signatures[sizes[0] + 5] ^= 1;
        sizes[3] += 1;
        sizes[4] -= 1;
        call.write(Tag, &signatures);
        describe(sizes, public);
        call.add_flags(millrace_request::protocol::flag::HAS_TAG);
        let numbers = [(At::TargetSize, COUNT as f64), (At::TagSize, signatures.len() as f64)];
        assert_eq!(run(&call, Number::VerifyMany, &numbers), Status::Done, "{algorithm:?}");
        assert_eq!(call.read(Target)[..COUNT], [1, 0, 1, 0, 0], "{algorithm:?}");
        // Fewer bytes than the items say, fewer verdicts, the wrong key.
        assert_eq!(run(&call, Number::VerifyMany, &[(At::SourceSize, 509.0)]), Status::Argument);
        assert_eq!(
            run(&call, Number::VerifyMany, &[(At::SourceSize, 510.0), (At::TagSize, 9.0)]),
            Status::Argument
        );
        assert_eq!(run(&call, Number::VerifyMany, &[(At::TargetSize, 4.0)]), Status::OutputSize);
        describe(sizes, private);
        let numbers = [(At::TargetSize, COUNT as f64), (At::TagSize, signatures.len() as f64)];
        assert_eq!(run(&call, Number::VerifyMany, &numbers), Status::KeyUse);
        if algorithm != Algorithm::Ed25519 {
            continue;
        }
        // Raw keys, the last of which is another one.
        let key =
            call.keys().borrow().get(public as u64).expect("a key").export(KeyForm::PublicRaw);
        let mut keys = key.expect("raw").repeat(COUNT);
        keys[4 * 32] ^= 1;
        call.write(Key, &keys);
        sizes = [64; COUNT];
        describe(sizes, 0.0);
        call.set(At::Key, 0.0);
        call.set(At::KeySize, 160.0);
        assert_eq!(run(&call, Number::VerifyMany, &numbers), Status::Done);
        assert_eq!(call.read(Target)[..COUNT], [1, 0, 1, 1, 0]);
        assert_eq!(run(&call, Number::VerifyMany, &[(At::KeySize, 159.0)]), Status::Argument);
    }
}

#[test]
fn every_encoding_leads_back_to_the_key() {
    let private =
        [KeyForm::Pkcs8, KeyForm::Pkcs1, KeyForm::Sec1, KeyForm::PrivateRaw, KeyForm::Seed];
    let public = [KeyForm::Spki, KeyForm::Pkcs1Public, KeyForm::PublicRaw, KeyForm::Compressed];
    let algorithms = [
        (Algorithm::Ed25519, 4),
        (Algorithm::P521, 6),
        (Algorithm::Rsa, 4),
        (Algorithm::MlKem768, 5),
    ];
    for (algorithm, expected) in algorithms {
        let call = call();
        let of_private = generate(&call, algorithm);
        let of_public = publish(&call, of_private);
        let mut count = 0;
        for (key, first, forms) in
            [(of_private, KeyForm::Pkcs8, &private[..]), (of_public, KeyForm::Spki, &public[..])]
        {
            let keys = call.keys();
            let of =
                |handle: f64, form| keys.borrow().get(handle as u64).expect("key").export(form);
            for &form in forms {
                let Ok(bytes) = of(key, form) else { continue };
                call.write(Source, &bytes);
                let copy = call.keep(PreparedKey::reserved()).expect("a handle") as f64;
                let numbers = [
                    (At::Count, f64::from(form as u32)),
                    (At::Algorithm, f64::from(algorithm as u32)),
                    (At::SourceSize, bytes.len() as f64),
                    (At::TargetSize, 0.0),
                ];
                assert_eq!(run(&call, Number::ImportKey, &numbers), Status::Done, "{form:?}");
                // A key of ML-KEM stays a seed or an expanded key.
                let form_of_both =
                    if form == KeyForm::PrivateRaw && expected == 5 { form } else { first };
                assert_eq!(of(copy, form_of_both), of(key, form_of_both), "{form:?}");
                assert_eq!(run(&call, Number::ImportKey, &[]), Status::Argument, "filled twice");
                call.set(At::SourceSize, bytes.len() as f64 - 1.0);
                call.keep(PreparedKey::reserved()).expect("a handle");
                // A shorter scalar of a curve is another one.
                if form != KeyForm::PrivateRaw {
                    assert_ne!(run(&call, Number::ImportKey, &[]), Status::Done, "cut {form:?}");
                }
                count += 1;
            }
        }
        assert_eq!(count, expected, "{algorithm:?}");
    }
}

#[test]
fn keys_of_other_kinds_and_numbers_without_meaning_are_refused() {
    let call = call();
    call.keep(PreparedKey::reserved()).expect("a handle");
    let numbers = [(At::Algorithm, NONE), (At::MaxTime, NONE), (At::TargetSize, 64.0)];
    assert_eq!(run(&call, Number::Sign, &numbers), Status::KeyDisposed, "empty");
    call.prepare(Purpose::Mac(millrace_core::catalog::Hash::Sha256), &[1; 32]).expect("a key");
    assert_eq!(run(&call, Number::Sign, &[]), Status::KeyAlgorithm);
    call.set(At::Key, 0.0);
    assert_eq!(run(&call, Number::Sign, &[]), Status::Argument);
    let key = generate(&call, Algorithm::Ed25519);
    assert_eq!(run(&call, Number::Agree, &[(At::Count, key + 1.0)]), Status::KeyDisposed);
    let wrong: [(Number, At, f64, Status); 8] = [
        (Number::Sign, At::Count, 5.0, Status::Argument),
        (Number::Sign, At::Algorithm, 0.0, Status::SignatureHash),
        (Number::Sign, At::Algorithm, SHA256, Status::SignatureHash),
        (Number::Sign, At::MessageSize, -4.0, Status::SaltLength),
        (Number::Sign, At::SeedLow, 1.0, Status::KeyUse),
        (Number::Sign, At::TargetSize, 63.0, Status::OutputSize),
        (Number::ImportKey, At::Count, 11.0, Status::Argument),
        (Number::GenerateKey, At::Algorithm, 14.0, Status::Argument),
    ];
    for (operation, at, number, status) in wrong {
        let numbers = [
            (At::Count, 0.0),
            (At::Algorithm, NONE),
            (At::MessageSize, 0.0),
            (At::MaxTime, NONE),
            (At::SeedLow, if operation == Number::GenerateKey { NONE } else { 0.0 }),
            (At::SeedHigh, NONE),
            (At::TargetSize, 64.0),
            (at, number),
        ];
        assert_eq!(run(&call, operation, &numbers), status, "{operation:?} {at:?}");
    }
    assert!(call.decode().is_err());
    assert!(Operation::from_numbers(Number::Sign, NO_HASH as u8) == Some(Operation::PublicKey));
}
