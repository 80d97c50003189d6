//! Operations as a call runs them: results, their places, and refusals.

use crate::caller::Argument::{Aad, Iv, Key, Source, Tag, Target};
use crate::caller::{Argument, Call};
use millrace_core::catalog::{CIPHERS, Cipher, HASHES, Hash};
use millrace_core::hash::{Params, digest};
use millrace_core::hmac::hmac;
use millrace_request::keys::Purpose;
use millrace_request::protocol::{At, OperationNumber as Number, Status, flag};
use millrace_request::work::{self, Reply};

const KEY: [u8; 32] = [7; 32];

/// Returns the hashes that need no key.
fn hashes() -> impl Iterator<Item = Hash> {
    HASHES.iter().filter(|facts| !facts.key_required && !facts.tuple).map(|facts| facts.hash)
}

fn digest_of(hash: Hash, source: &[u8]) -> Vec<u8> {
    let mut target = vec![0; hash.facts().digest_size];
    digest(hash, &Params::NONE, source, &mut target, None).expect("a digest");
    target
}

fn hash_call(operation: Number, hash: Hash, arguments: &[(Argument, &[u8])]) -> Call {
    Call::of(operation, hash as u8, arguments)
}

#[test]
fn a_digest_may_overwrite_its_source() {
    let source: Vec<u8> = (0..200).collect();
    for hash in hashes() {
        let expected = digest_of(hash, &source);
        for start in [0, 10, 190] {
            let arena = source.iter().copied().chain([0; 200]).collect();
            let ranges = [(Source, 0..200), (Target, start..start + expected.len())];
            let call = Call::over(arena, Number::Hash, hash as u8, &ranges);
            assert_eq!(call.run(), Status::Done, "{hash:?}");
            assert_eq!(call.read(Target), expected, "{hash:?} at {start}");
        }
    }
}

#[test]
fn a_digest_without_a_target_is_in_the_reply() {
    for hash in hashes() {
        let size = hash.facts().digest_size;
        let sizes: &[usize] = if hash.facts().xof { &[1, 63, 64, 65, 1000] } else { &[size] };
        for &size in sizes {
            let call = hash_call(Number::Hash, hash, &[(Source, b"abc")]);
            call.set(At::TargetSize, size as f64);
            let mut reply = Reply::empty();
            assert_eq!(call.run_with(&mut reply, |_| {}), Status::Done, "{hash:?}");
            let mut expected = vec![0; size];
            digest(hash, &Params::NONE, b"abc", &mut expected, None).expect("a digest");
            let made = if size <= 64 { &reply.small[..reply.small_size] } else { &reply.large[..] };
            assert_eq!(made, expected, "{hash:?} {size}");
        }
    }
}

#[test]
fn an_hmac_is_the_same_with_bytes_and_with_a_prepared_key() {
    for hash in hashes().filter(|hash| hash.facts().hmac) {
        let mut expected = vec![0; hash.facts().digest_size];
        hmac(hash, &KEY, b"message", &mut expected).expect("an HMAC");
        let target = vec![0; expected.len()];
        let arguments: [(Argument, &[u8]); 3] =
            [(Source, b"message"), (Target, &target), (Key, &KEY)];
        let call = hash_call(Number::Hmac, hash, &arguments);
        assert_eq!(call.run(), Status::Done);
        assert_eq!(call.read(Target), expected, "{hash:?}");
        call.write(Target, &target);
        call.prepare(Purpose::Mac(hash), &KEY).expect("a key");
        assert_eq!(call.run(), Status::Done);
        assert_eq!(call.read(Target), expected, "{hash:?}");
    }
}

#[test]
fn a_running_hash_replaces_its_state_in_place() {
    for hash in hashes() {
        let facts = hash.facts();
        let source: Vec<u8> = (0..=255).cycle().take(5000).collect();
        let (mut state, mut done) = (vec![0; facts.state_size], 0);
        for (before, piece) in [(0, 10), (0, 990), (1000, 2000), (0, 0), (100, 900)] {
            let (before, piece) = source[done..done + before + piece].split_at(before);
            let arguments: [(Argument, &[u8]); 4] =
                [(Source, piece), (Iv, before), (Target, &state), (Aad, &[])];
            let mut call = hash_call(Number::Update, hash, &arguments);
            // The first state comes from an empty one.
            if done > 0 {
                call.place(Aad, call.range(Target));
            }
            assert_eq!(call.run(), Status::Done, "{hash:?}");
            state = call.read(Target);
            done += before.len() + piece.len();
        }
        let target = vec![0; facts.digest_size];
        let call =
            hash_call(Number::Finish, hash, &[(Source, b"end"), (Aad, &state), (Target, &target)]);
        assert_eq!(call.run(), Status::Done, "{hash:?}");
        let whole = [&source, &b"end"[..]].concat();
        assert_eq!(call.read(Target), digest_of(hash, &whole), "{hash:?}");
    }
}

#[test]
fn a_state_that_overlaps_the_message_is_refused() {
    let hash = Hash::Sha256;
    let size = hash.facts().state_size;
    for (message, before) in [(size - 1..size + 20, 400..410), (300..310, 0..10)] {
        let ranges = [(Target, 0..size), (Source, message), (Iv, before), (Aad, 450..450)];
        let call = Call::over(vec![0; 500], Number::Update, hash as u8, &ranges);
        assert_eq!(call.run(), Status::Overlap);
        assert_eq!(call.arena(), [0; 500]);
    }
}

#[test]
fn an_output_that_overlaps_its_state_is_refused() {
    let hash = Hash::Shake128;
    let size = hash.facts().state_size;
    let run = |output: std::ops::Range<usize>, state, next| {
        let ranges = [(Source, 2990..2990), (Target, output), (Aad, state), (Tag, next)];
        Call::over(vec![0; 3000], Number::Squeeze, hash as u8, &ranges).run()
    };
    assert_eq!(run(1500..1600, 0..0, 1000..1000 + size), Status::Done);
    assert_eq!(run(999..1001, 0..0, 1000..1000 + size), Status::Overlap);
    assert_eq!(run(0..10, 0..size, 1000..1000 + size), Status::Overlap);
}

/// The digests of many messages, however they are passed.
#[test]
fn many_messages_are_hashed_in_three_forms() {
    let source: Vec<u8> = (0..=255).cycle().take(3000).collect();
    for hash in hashes().filter(|hash| !hash.facts().xof) {
        let size = hash.facts().digest_size;
        for count in [0, 1, 3, 32, 33, 257, 300] {
            let expected: Vec<u8> =
                source.chunks(10).take(count).flat_map(|each| digest_of(hash, each)).collect();
            let target = vec![0; count * size];
            let sizes: Vec<u8> = (0..count).flat_map(|_| 10_f64.to_ne_bytes()).collect();
            let texts = &source[..count * 10];
            let arguments: [(Argument, &[u8]); 3] =
                [(Source, texts), (Target, &target), (Iv, &sizes)];
            let equal = hash_call(Number::HashMany, hash, &arguments[..2]);
            equal.set_all(&[(At::Count, count as f64), (At::MessageSize, 10.0)]);
            let sized = hash_call(Number::HashMany, hash, &arguments);
            sized.add_flags(flag::HAS_SIZES);
            let mut views = hash_call(Number::HashMany, hash, &arguments[..2]);
            let place = views.range(Source);
            views.arguments[0] = None;
            views.views =
                (0..count).map(|at| place.start + 10 * at..place.start + 10 * at + 10).collect();
            views.add_flags(flag::HAS_VIEWS);
            views.set_all(&[(At::SourceOffset, 0.0), (At::Count, count as f64)]);
            for call in [equal, sized, views] {
                assert_eq!(call.run(), Status::Done, "{hash:?} {count}");
                assert!(call.read(Target) == expected, "{hash:?} {count}");
            }
        }
    }
}

#[test]
fn many_messages_outside_of_the_source_are_refused() {
    let call = |count: f64, size: f64, target: usize| {
        let arguments: [(Argument, &[u8]); 2] = [(Source, &[1; 30]), (Target, &vec![0; target])];
        let call = hash_call(Number::HashMany, Hash::Sha256, &arguments);
        call.set_all(&[(At::Count, count), (At::MessageSize, size)]);
        call
    };
    for (count, size, target, expected) in [
        (3.0, 10.0, 96, Status::Done),
        (3.0, 11.0, 96, Status::Argument),
        (4.0, 10.0, 128, Status::Argument),
        (3.0, 10.0, 97, Status::OutputSize),
        (3.0, 10.0, 48, Status::OutputSize),
        (-1.0, 10.0, 0, Status::Argument),
    ] {
        assert_eq!(call(count, size, target).run(), expected, "{count} {size} {target}");
    }
    let mut sized = call(0.0, 0.0, 32);
    sized.add_flags(flag::HAS_SIZES | flag::HAS_IV);
    for size in [-1.0, 31.0, 0.5, f64::NAN, f64::INFINITY] {
        sized.place(Iv, 0..8);
        sized.write(Iv, &f64::to_ne_bytes(size));
        assert_eq!(sized.run(), Status::Argument, "{size}");
    }
    let mut views = call(3.0, 0.0, 96);
    views.add_flags(flag::HAS_VIEWS);
    views.views = vec![0..1, 1..2];
    assert_eq!(views.run(), Status::Argument, "fewer views than are named");
}

#[test]
fn digests_of_many_do_not_overwrite_messages_that_follow() {
    for count in [1, 4, 40, 300] {
        let source: Vec<u8> = (0..=255).cycle().take(32 * count).collect();
        let expected: Vec<u8> =
            source.chunks(32).flat_map(|each| digest_of(Hash::Sha256, each)).collect();
        for (start, views) in
            [0, 5, 31].into_iter().flat_map(|start| [(start, false), (start, true)])
        {
            let arena = source.iter().copied().chain([0; 64]).collect();
            let ranges = [(Target, start..start + source.len())];
            let hash = Hash::Sha256 as u8;
            let mut call = Call::over(arena, Number::HashMany, hash, &ranges);
            call.set(At::Count, count as f64);
            if views {
                call.views = (0..count).map(|at| 32 * at..32 * at + 32).collect();
                call.add_flags(flag::HAS_VIEWS);
            } else {
                call.place(Source, 0..source.len());
                call.set(At::MessageSize, 32.0);
            }
            assert_eq!(call.run(), Status::Done);
            assert!(call.read(Target) == expected, "{count} {start} {views}");
        }
    }
}

#[test]
fn the_macs_of_many_messages_are_those_of_each() {
    let (source, key) = (vec![3; 1000], [7; 20]);
    let mac = |operation, count: usize, target: &[u8]| {
        let arguments: [(Argument, &[u8]); 3] =
            [(Source, &source[..10 * count]), (Key, &key), (Target, target)];
        let call = hash_call(operation, Hash::Sha256, &arguments);
        if operation == Number::HmacMany {
            call.set_all(&[(At::Count, count as f64), (At::MessageSize, 10.0)]);
        }
        assert_eq!(call.run(), Status::Done);
        call.read(Target)
    };
    let one = mac(Number::Hmac, 1, &[0; 32]);
    assert_ne!(one, [0; 32]);
    for count in [1, 3, 33] {
        let macs = mac(Number::HmacMany, count, &vec![0; 32 * count]);
        assert_eq!(macs, one.repeat(count));
    }
}

/// Seals with every AEAD, at sizes around that up to which a lent message is copied.
#[test]
fn a_lent_message_is_opened_or_leaves_zeros() {
    for facts in CIPHERS.iter().filter(|facts| facts.aead) {
        for size in [0, 1, 1000, 32 << 10, (32 << 10) + 1] {
            let text: Vec<u8> = (0..size).map(|at| at as u8 | 1).collect();
            let call = |operation, source: &[u8], target: usize| {
                Call::cipher(operation, facts, source, &vec![0xee; target], b"data")
            };
            let seal = call(Number::Seal, &text, size + 16);
            assert_eq!(seal.run(), Status::Done);
            let sealed = seal.read(Target);
            for lent in [false, true] {
                let run = |call: &Call| call.run_with(&mut Reply::empty(), |work| work.lent = lent);
                let open = call(Number::Open, &sealed, size);
                assert_eq!(run(&open), Status::Done, "{} {size}", facts.name);
                assert!(open.read(Target) == text, "{} {size}", facts.name);
                assert!(open.guards_intact());
                let mut forged = sealed.clone();
                forged[size / 2] ^= 1;
                let open = call(Number::Open, &forged, size);
                assert_eq!(run(&open), Status::Authentication, "{} {size}", facts.name);
                assert!(open.read(Target).iter().all(|&byte| byte == 0));
                assert!(open.guards_intact());
                if size > 0 {
                    let short = call(Number::Open, &sealed, size - 1);
                    assert_eq!(run(&short), Status::Argument, "{} {size}", facts.name);
                    assert!(short.read(Target).iter().all(|&byte| byte == 0xee));
                }
            }
        }
    }
}

#[test]
fn chunks_that_overlap_their_target_are_refused() {
    for (target, expected) in
        [(1000..1232, Status::Done), (190..422, Status::Overlap), (400..632, Status::Overlap)]
    {
        let ranges = [(Source, 0..200), (Target, target.clone()), (Iv, 412..424), (Key, 500..532)];
        let (operation, algorithm) = (Number::SealChunks, Cipher::Aes256Gcm as u8);
        let call = Call::over(vec![0; 2000], operation, algorithm, &ranges);
        call.set_all(&[(At::Count, 2.0), (At::MessageSize, 100.0)]);
        // The key is copied before anything is written.
        assert_eq!(call.run(), expected, "{target:?}");
    }
}

#[test]
fn a_derivation_reads_its_password_from_bytes_only() {
    let arguments: [(Argument, &[u8]); 3] = [(Source, &[]), (Target, &[0; 32]), (Iv, &[1; 16])];
    let call = hash_call(Number::Pbkdf2, Hash::Sha256, &arguments);
    call.set(At::Count, 1.0);
    assert_eq!(call.run(), Status::Done);
    call.prepare(Purpose::Hash(Hash::Blake3), &KEY).expect("a key");
    assert_eq!(call.run(), Status::Argument);
}

#[test]
fn operations_that_write_to_memory_need_a_target() {
    let (hash, cipher) = (Hash::Sha256 as u8, Cipher::Aes256Gcm as u8);
    for (operation, algorithm) in [
        (Number::Update, hash),
        (Number::MacBegin, hash),
        (Number::HashMany, hash),
        (Number::SealChunks, cipher),
        (Number::OpenChunks, cipher),
    ] {
        let call = Call::of(operation, algorithm, &[(Source, &[1; 30])]);
        let status =
            call.run_with(&mut Reply::empty(), |work| work.target = work::Target::Reply(32));
        assert_eq!(status, Status::Argument, "{operation:?}");
    }
}

#[test]
fn a_stream_cipher_has_no_tag_and_no_additional_data() {
    for facts in CIPHERS.iter().filter(|facts| !facts.aead) {
        let (iv, key) = (vec![3; facts.iv_size], vec![7; facts.key_size]);
        let run = |operation, source: &[u8], more: &[(Argument, &[u8])], lent| {
            let mut arguments: Vec<(Argument, &[u8])> =
                vec![(Source, source), (Target, &[0; 50]), (Iv, &iv), (Key, &key)];
            arguments.extend_from_slice(more);
            let call = Call::of(operation, facts.cipher as u8, &arguments);
            let status = call.run_with(&mut Reply::empty(), |work| work.lent = lent);
            (status, call.read(Target))
        };
        let text: Vec<u8> = (1..=50).collect();
        let (status, sealed) = run(Number::Encrypt, &text, &[], false);
        assert_eq!(status, Status::Done);
        assert_ne!(sealed, text);
        for lent in [false, true] {
            let opened = run(Number::Decrypt, &sealed, &[], lent);
            assert!(opened == (Status::Done, text.clone()), "{} {lent}", facts.name);
            for operation in [Number::Encrypt, Number::Decrypt] {
                for more in [(Aad, &[1; 5][..]), (Tag, &[1; 16])] {
                    let refused = run(operation, &sealed, &[more], lent);
                    assert!(refused == (Status::TagSize, vec![0; 50]), "{} {lent}", facts.name);
                }
            }
        }
    }
}

/// In pieces, by the states of the key and by a prepared key.
#[test]
fn an_hmac_in_pieces_is_that_of_the_whole() {
    let message: Vec<u8> = (0..=255).cycle().take(1000).collect();
    for hash in hashes().filter(|hash| hash.facts().hmac) {
        let facts = hash.facts();
        let mut expected = vec![0; facts.digest_size];
        hmac(hash, &KEY, &message, &mut expected).expect("an HMAC");
        let arguments: [(Argument, &[u8]); 2] =
            [(Source, &KEY), (Target, &vec![0; 2 * facts.state_size])];
        let begin = hash_call(Number::MacBegin, hash, &arguments);
        assert_eq!(begin.run(), Status::Done);
        let states = begin.read(Target);
        for prepared in [false, true] {
            let run = |operation, pieces: [&[u8]; 2], state: &[u8], size: usize| {
                let target = vec![0; size];
                let mut arguments: Vec<(Argument, &[u8])> =
                    vec![(Iv, pieces[0]), (Source, pieces[1]), (Aad, state), (Target, &target)];
                if !prepared {
                    arguments.push((Key, &states));
                }
                let call = hash_call(operation, hash, &arguments);
                if prepared {
                    call.prepare(Purpose::Mac(hash), &KEY).expect("a key");
                }
                assert_eq!(call.run(), Status::Done, "{hash:?}");
                call.read(Target)
            };
            let (update, size) = (Number::MacUpdate, facts.state_size);
            let state = run(update, [&message[..10], &message[10..300]], &[], size);
            let state = run(update, [&[], &message[300..900]], &state, size);
            let rest = [&[], &message[900..]];
            let made = run(Number::MacFinish, rest, &state, facts.digest_size);
            assert_eq!(made, expected, "{hash:?} {prepared}");
        }
    }
}

#[test]
fn output_in_pieces_is_that_of_the_whole() {
    for hash in hashes().filter(|hash| hash.facts().xof) {
        let (message, mut expected) = (b"a message", vec![0; 1000]);
        digest(hash, &Params::NONE, message, &mut expected, None).expect("a digest");
        let (mut state, mut made) = (Vec::new(), Vec::new());
        for (index, size) in [1, 199, 0, 800].into_iter().enumerate() {
            let (output, next) = (vec![0; size], vec![0; hash.facts().state_size]);
            let rest = if index == 0 { &message[..] } else { &[] };
            let arguments: [(Argument, &[u8]); 4] =
                [(Source, rest), (Aad, &state), (Target, &output), (Tag, &next)];
            let call = hash_call(Number::Squeeze, hash, &arguments);
            assert_eq!(call.run(), Status::Done, "{hash:?}");
            made.extend(call.read(Target));
            state = call.read(Tag);
        }
        assert_eq!(made, expected, "{hash:?}");
    }
}
