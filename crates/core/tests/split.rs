//! Messages in parts are the messages in one.

use crate::support::{CHILD, Random, run_again};
use millrace_core::Error;
use millrace_core::catalog::{CIPHERS, Cipher, HASHES, Hash, Parameter};
use millrace_core::checkpoint::{NoCheckpoint, Slicer};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{Params, digest};
use millrace_core::parameters::Parameters;
use millrace_core::split::{
    CipherMessage, HashMessage, PART_ALIGN, PartialTag, hash_parts, is_tree,
};

fn prepared(cipher: Cipher, key: &[u8]) -> CipherKey {
    CipherKey::new(cipher, key).expect("a key of the right size")
}

/// Borders of parts: from 0 to the size, in between multiples of `PART_ALIGN`.
fn cuts(random: &mut Random, size: usize, count: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> =
        (0..count).map(|_| random.below(size / PART_ALIGN + 1) * PART_ALIGN).collect();
    cuts.extend([0, size]);
    cuts.sort_unstable();
    cuts
}

/// Works on the parts in some order; the partials are in that of the message.
fn in_parts(
    random: &mut Random,
    cuts: &[usize],
    source: &[u8],
    target: &mut [u8],
    part: impl Fn(u64, Text<'_>) -> Result<PartialTag, Error>,
) -> Vec<PartialTag> {
    let mut order: Vec<usize> = (0..cuts.len() - 1).collect();
    (1..order.len()).rev().for_each(|at| order.swap(at, random.below(at + 1)));
    let mut partials: Vec<Option<PartialTag>> = order.iter().map(|_| None).collect();
    for index in order {
        let range = cuts[index]..cuts[index + 1];
        let text = if random.below(2) == 0 {
            target[range.clone()].copy_from_slice(&source[range.clone()]);
            Text::InPlace(&mut target[range])
        } else {
            Text::Across { source: &source[range.clone()], target: &mut target[range] }
        };
        partials[index] = Some(part(cuts[index] as u64, text).expect("a part of the message"));
    }
    partials.into_iter().flatten().collect()
}

/// Seals the parts, in one pass or in two.
fn seal_in_parts(
    random: &mut Random,
    message: &CipherMessage,
    two_passes: bool,
    cuts: &[usize],
    source: &[u8],
    target: &mut [u8],
) -> Vec<PartialTag> {
    if !two_passes {
        return in_parts(random, cuts, source, target, |at, text| message.seal_part(at, text));
    }
    let ranges = || cuts.windows(2).map(|cut| cut[0]..cut[1]);
    let part = |range: std::ops::Range<usize>| {
        message.authenticate_plain(range.start as u64, &source[range])
    };
    let partials: Vec<_> = ranges().map(|range| part(range).expect("a part")).collect();
    let mut tag = [0; 16];
    message.tag(&partials, &mut tag).expect("all parts");
    for range in ranges() {
        let text =
            Text::Across { source: &source[range.clone()], target: &mut target[range.clone()] };
        message.xor_part(range.start as u64, text, &tag).expect("a part");
    }
    partials
}

/// Returns what each part of a ciphertext adds to the tag, without decrypting it.
fn authenticated_in_parts(
    message: &CipherMessage,
    cuts: &[usize],
    sealed: &[u8],
    tag: &[u8],
) -> Vec<PartialTag> {
    let part =
        |at: usize, source| message.authenticate_sealed(at as u64, source, tag).expect("a part");
    cuts.windows(2).map(|cut| part(cut[0], &sealed[cut[0]..cut[1]])).collect()
}

fn sizes() -> Vec<usize> {
    let around = |size: usize| [size - 1, size, size + 1];
    let mut sizes = vec![0, 1, 15, 16, 17];
    sizes.extend([64, 128, 512, 1024, 4096, 70_000, 300_000].into_iter().flat_map(around));
    sizes
}

#[test]
fn stream_ciphers_in_parts_are_those_in_one() {
    let mut random = Random(1);
    for facts in CIPHERS.iter().filter(|facts| !facts.aead) {
        let key = prepared(facts.cipher, &random.bytes(facts.key_size));
        assert!(key.parts());
        for size in sizes() {
            // Carries: of 32 bits with ChaCha20, of 64 and 128 with AES.
            for carry in 0..4 {
                let mut iv = random.bytes(16);
                match carry {
                    1 if facts.cipher == Cipher::ChaCha20 => iv[..4].fill(0xff),
                    2 if facts.cipher == Cipher::ChaCha20 => iv[..8].fill(0xff),
                    1 => iv[8..].fill(0xff),
                    2 => iv.fill(0xff),
                    _ => {}
                }
                let source = random.bytes(size.min(5000)).repeat(size / 5000 + 1)[..size].to_vec();
                let (mut whole, mut target) = (source.clone(), vec![0xa5; size]);
                key.apply(&iv, Text::InPlace(&mut whole), None).expect("fits");
                let message = CipherMessage::new(&key, &iv, &[], size as u64).expect("in parts");
                let cuts = cuts(&mut random, size, carry * 3);
                let parts = in_parts(&mut random, &cuts, &source, &mut target, |at, text| {
                    message.apply_part(at, text)
                });
                assert!(target == whole, "{} {size} {carry}", facts.name);
                message.tag(&parts, &mut []).expect("all parts");
                message.verify(&parts, &[]).expect("all parts");
            }
        }
    }
}

#[test]
fn a_hash_in_parts_is_the_hash_in_one() {
    let mut random = Random(3);
    let key: [u8; 32] = random.bytes(32).try_into().expect("32 bytes");
    assert_eq!(hash_parts(Hash::Sha256, &Params::NONE, 1 << 30), None);
    assert_eq!(hash_parts(Hash::Blake3, &Params::NONE, 64 << 10), None);
    assert_eq!(HASHES.iter().filter(|facts| is_tree(facts.hash)).count(), 7);
    let mut sizes: Vec<usize> = (0..20).map(|_| (64 << 10) + 1 + random.below(3 << 20)).collect();
    for parts in 1..=13 {
        for part in [64 << 10, 256 << 10] {
            sizes.extend([parts * part + 1, (parts + 1) * part - 1, (parts + 1) * part]);
        }
    }
    let source = random.bytes(5000).repeat(1000);
    for &size in &sizes {
        for params in [Params::default(), Params { key: Some(&key), ..Params::NONE }] {
            check_parts(Hash::Blake3, &params, &source[..size], &[32, 1, 100, 5001]);
        }
    }
    // A customization that fits into the last chunk, and one that adds chunks.
    let customizations = [&b"some"[..], &source[..20_000]];
    for size in sizes.into_iter().step_by(7) {
        for hash in [Hash::Kt128, Hash::Kt256, Hash::ParallelHash128, Hash::ParallelHashXof256] {
            let size_of_digest = hash.facts().digest_size;
            check_parts(hash, &Params::NONE, &source[..size], &[size_of_digest]);
            for customization in customizations {
                let block = Parameters::block(&[(Parameter::Customization, customization)]);
                let params = Params { parameters: Parameters::of(&block), ..Params::NONE };
                check_parts(hash, &params, &source[..size], &[size_of_digest]);
            }
        }
    }
    for block_size in [1024_u64, 5000, 65_536, 100_000, 1 << 20] {
        let block = Parameters::block(&[(Parameter::BlockSize, &block_size.to_le_bytes())]);
        let params = Params { parameters: Parameters::of(&block), ..Params::NONE };
        check_parts(Hash::ParallelHash256, &params, &source[..2_345_678], &[64]);
    }
    let tiny = Parameters::block(&[(Parameter::BlockSize, &8_u64.to_le_bytes())]);
    let params = Params { parameters: Parameters::of(&tiny), ..Params::NONE };
    assert_eq!(hash_parts(Hash::ParallelHash128, &params, 1 << 30), None);
}

fn check_parts(hash: Hash, params: &Params<'_>, source: &[u8], outputs: &[usize]) {
    let message = HashMessage::new(hash, params, source.len() as u64).expect("in parts");
    let part = message.part_size() as usize;
    let values: Vec<_> = source
        .chunks(part)
        .enumerate()
        .map(|(index, source)| message.part((index * part) as u64, source).expect("a part"))
        .collect();
    assert_eq!(values.len(), message.count());
    for &output in outputs {
        let (mut whole, mut joined) = (vec![0; output], vec![0; output]);
        digest(hash, params, source, &mut whole, None).expect("fits");
        for slice in [1000, usize::MAX] {
            let mut checkpoint = NoCheckpoint;
            let slicer = Some(Slicer::new(slice, &mut checkpoint));
            message.finish(&values, &mut joined, slicer).expect("all parts");
            assert_eq!(joined, whole, "{hash:?} {}", source.len());
        }
    }
}

fn sealed(key: &CipherKey, nonce: &[u8], aad: &[u8], source: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let (mut sealed, mut tag) = (source.to_vec(), [0; 16]);
    key.seal(nonce, aad, Text::InPlace(&mut sealed), &mut tag).expect("fits");
    (sealed, tag)
}

fn aeads() -> impl Iterator<Item = (CipherKey, Vec<u8>)> {
    let mut random = Random(5);
    CIPHERS.iter().filter(|facts| facts.aead).map(move |facts| {
        let key = prepared(facts.cipher, &random.bytes(facts.key_size));
        let nonce = random.bytes(facts.iv_size);
        assert!(key.parts());
        (key, nonce)
    })
}

/// Seals and opens a message in parts, in every way.
fn check_aead(random: &mut Random, key: &CipherKey, nonce: &[u8], aad: &[u8], cuts: &[usize]) {
    let size = cuts[cuts.len() - 1];
    let what = format!("{} {size} {} {cuts:?}", key.cipher().facts().name, aad.len());
    let source = random.bytes(size.min(3000)).repeat(size / 3000 + 1)[..size].to_vec();
    let (sealed, tag) = sealed(key, nonce, aad, &source);
    let message = CipherMessage::new(key, nonce, aad, size as u64).expect("in parts");

    let (mut target, mut found) = (vec![0xa5; size], [0; 16]);
    let two = key.seals_in_two_passes();
    let parts = seal_in_parts(random, &message, two, cuts, &source, &mut target);
    message.tag(&parts, &mut found).expect("all parts");
    assert!(target == sealed && found == tag, "{what}");

    let mut target = vec![0xa5; size];
    let open = |at, text: Text<'_>| message.open_part(at, text, &tag);
    let parts = in_parts(random, cuts, &sealed, &mut target, open);
    message.verify(&parts, &tag).expect("authentic");
    assert!(target == source, "{what}");
    // Parts opened are as good as parts sealed.
    message.tag(&parts, &mut found).expect("all parts");
    assert_eq!(found, tag);

    // In two passes, of which the first only reads.
    let parts = authenticated_in_parts(&message, cuts, &sealed, &tag);
    message.verify(&parts, &tag).expect("authentic");
    let mut target = sealed;
    for cut in cuts.windows(2) {
        let text = Text::InPlace(&mut target[cut[0]..cut[1]]);
        message.xor_part(cut[0] as u64, text, &tag).expect("a part");
    }
    assert!(target == source, "{what}");
}

#[test]
fn aeads_in_parts_are_those_in_one() {
    let mut random = Random(6);
    assert_eq!(aeads().count(), 8);
    for (key, nonce) in aeads() {
        for size in sizes() {
            for (turn, aad_size) in [0, 1, 16, 600, 5000].into_iter().enumerate() {
                let (aad, cuts) = (random.bytes(aad_size), cuts(&mut random, size, turn * 2));
                check_aead(&mut random, &key, &nonce, &aad, &cuts);
            }
        }
        // All parts of up to five units, and every part size from one unit to the whole.
        for size in [256, 257, 271, 272, 273, 319, 320] {
            for borders in 0..16 {
                let inner = (0..4).filter(|border| borders >> border & 1 == 1);
                let cuts: Vec<usize> = inner.map(|border| 64 * (border + 1)).collect();
                let cuts = [&[0][..], &cuts, &[size]].concat();
                check_aead(&mut random, &key, &nonce, &[7; 20], &cuts);
            }
        }
        for size in (64..=4096 + 33 + 64).step_by(64) {
            let cuts: Vec<usize> = (0..4096 + 33).step_by(size).chain([4096 + 33]).collect();
            check_aead(&mut random, &key, &nonce, &[7; 20], &cuts);
        }
    }
}

#[test]
fn short_tags_open_and_wrong_ones_are_refused() {
    let mut random = Random(8);
    for (key, nonce) in aeads() {
        let facts = key.cipher().facts();
        let (aad, source) = (random.bytes(7), random.bytes(1000));
        let message = CipherMessage::new(&key, &nonce, &aad, 1000).expect("in parts");
        let (sealed, full) = sealed(&key, &nonce, &aad, &source);
        let parts = |text: &[u8]| {
            let (cuts, mut target) = ([0, 128, 640, 1000], vec![0; text.len()]);
            let open = |at, text: Text<'_>| message.open_part(at, text, &full);
            in_parts(&mut Random(9), &cuts, text, &mut target, open)
        };
        let right = parts(&sealed);
        for size in 0..=17 {
            let mut tag = vec![0; size];
            if !facts.tag_fits(size) {
                assert_eq!(message.tag(&right, &mut tag), Err(Error::TagSize));
                assert_eq!(message.verify(&right, &tag), Err(Error::TagSize));
                continue;
            }
            message.tag(&right, &mut tag).expect("all parts");
            assert_eq!(tag, full[..size]);
            message.verify(&right, &tag).expect("authentic");
            for bit in 0..8 * size {
                let mut wrong = tag.clone();
                wrong[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(message.verify(&right, &wrong), Err(Error::Authentication));
            }
        }
        for at in [0, 15, 127, 128, 639, 640, 999] {
            let mut wrong = sealed.clone();
            wrong[at] ^= 1;
            assert_eq!(message.verify(&parts(&wrong), &full), Err(Error::Authentication), "{at}");
            let read = authenticated_in_parts(&message, &[0, 512, 1000], &wrong, &full);
            assert_eq!(message.verify(&read, &full), Err(Error::Authentication), "{at}");
        }
        for (nonce, aad) in [(&random.bytes(facts.iv_size), &aad), (&nonce, &random.bytes(7))] {
            let other = CipherMessage::new(&key, nonce, aad, 1000).expect("in parts");
            assert_eq!(other.verify(&right, &full), Err(Error::Authentication));
        }
    }
}

#[test]
fn parts_that_do_not_make_up_the_message_are_refused() {
    for (key, nonce) in aeads() {
        let message = CipherMessage::new(&key, &nonce, &[], 1000).expect("in parts");
        let part = |at: u64, size: usize| {
            message.open_part(at, Text::InPlace(&mut vec![1; size]), &[0; 16])
        };
        let outside = [(1, 64), (32, 32), (0, 100), (64, 999), (960, 41), (960, 39), (1024, 0)];
        for (at, size) in outside.into_iter().chain([(u64::MAX - 63, 64)]) {
            assert_eq!(part(at, size).err(), Some(Error::Parts), "{at} {size}");
        }
        let short = CipherMessage::new(&key, &nonce, &[], 265).expect("in parts");
        for (from, to) in (0..=265_usize).flat_map(|from| (from..=333).map(move |to| (from, to))) {
            let border = |at: usize| at.is_multiple_of(64);
            let fits = border(from) && (border(to) && to <= 265 || to == 265);
            let part = short.authenticate_sealed(from as u64, &[1; 333][from..to], &[0; 16]);
            assert_eq!(part.is_ok(), fits, "{from} to {to}");
        }
        let [first, second, last] =
            [(0, 128), (128, 512), (640, 360)].map(|(at, size)| part(at, size).expect("fits"));
        let [tail, overlapping, empty] =
            [(960, 40), (64, 576), (128, 0)].map(|(at, size)| part(at, size).expect("fits"));
        let refused = |parts: &[&PartialTag]| {
            let mut tag = [0xa5; 16];
            assert_eq!(message.tag(parts.iter().copied(), &mut tag), Err(Error::Parts));
            assert_eq!(tag, [0; 16]);
            assert_eq!(message.verify(parts.iter().copied(), &tag), Err(Error::Parts));
        };
        refused(&[]);
        refused(&[&first]);
        refused(&[&first, &last]);
        refused(&[&first, &second]);
        refused(&[&second, &last]);
        refused(&[&second, &first, &last]);
        refused(&[&first, &second, &tail]);
        refused(&[&first, &overlapping, &last]);
        refused(&[&first, &second, &last, &last]);
        refused(&[&first, &first, &second, &last]);
        let (mut one, mut other) = ([0; 16], [0; 16]);
        message.tag([&first, &second, &last], &mut one).expect("all parts");
        message.tag([&first, &empty, &second, &last], &mut other).expect("all parts");
        assert_eq!(one, other);
    }
}

#[test]
fn an_empty_message_has_no_part_or_an_empty_one() {
    for (key, nonce) in aeads() {
        for aad in [&b""[..], b"aad"] {
            let message = CipherMessage::new(&key, &nonce, aad, 0).expect("in parts");
            let (_, tag) = sealed(&key, &nonce, aad, &[]);
            message.verify(&[], &tag).expect("authentic");
            let part = message.open_part(0, Text::InPlace(&mut []), &tag).expect("a part");
            message.verify(&[part], &tag).expect("authentic");
            let part = message.authenticate_sealed(0, &[], &tag).expect("a part");
            message.verify(&[part], &tag).expect("authentic");
        }
    }
}

#[test]
fn wrong_sizes_and_ciphers_are_refused() {
    let key = |cipher: Cipher| {
        CipherKey::new(cipher, &vec![1; cipher.facts().key_size]).expect("a key of the right size")
    };
    let [stream, gcm, siv] = [Cipher::Aes128Ctr, Cipher::Aes128Gcm, Cipher::Aes256GcmSiv].map(key);
    for (key, iv, aad, size, error) in [
        (&stream, 16, &b"aad"[..], 10, Error::NotSupported),
        (&stream, 15, &[], 10, Error::IvSize),
        (&gcm, 129, &[], 10, Error::IvSize),
        (&gcm, 12, &[], (1 << 36) - 31, Error::SourceTooLarge),
    ] {
        assert_eq!(CipherMessage::new(key, &vec![0; iv], aad, size).err(), Some(error));
    }
    let message =
        |key, iv: usize| CipherMessage::new(key, &vec![0; iv], &[], 10).expect("in parts");
    let [stream, gcm, siv] = [message(&stream, 16), message(&gcm, 12), message(&siv, 12)];
    assert_eq!(stream.size(), 10);
    assert_eq!(stream.tag(&[], &mut []), Err(Error::Parts));
    assert_eq!(stream.tag(&[], &mut [0]), Err(Error::TagSize));
    let across = Text::Across { source: &[0; 10], target: &mut [0; 9] };
    assert_eq!(stream.apply_part(0, across).err(), Some(Error::OutputSize));

    let bytes = &mut [0; 10];
    for (refused, error) in [
        (stream.seal_part(0, Text::InPlace(bytes)).err(), Error::NotSupported),
        (stream.open_part(0, Text::InPlace(bytes), &[]).err(), Error::NotSupported),
        (stream.xor_part(0, Text::InPlace(bytes), &[]).err(), Error::NotSupported),
        (stream.authenticate_sealed(0, &[0; 10], &[]).err(), Error::NotSupported),
        (gcm.apply_part(0, Text::InPlace(bytes)).err(), Error::NotSupported),
        (gcm.authenticate_plain(0, &[0; 10]).err(), Error::NotSupported),
        (gcm.authenticate_sealed(0, &[0; 9], &[0; 16]).err(), Error::Parts),
        (gcm.authenticate_sealed(0, &[0; 10], &[0; 17]).err(), Error::TagSize),
        (gcm.xor_part(0, Text::InPlace(bytes), &[]).err(), Error::TagSize),
        (siv.seal_part(0, Text::InPlace(bytes)).err(), Error::NotSupported),
        (siv.open_part(0, Text::InPlace(bytes), &[0; 15]).err(), Error::TagSize),
    ] {
        assert_eq!(refused, Some(error));
    }

    let seeded = Params { seed: 1, ..Params::NONE };
    for (hash, params) in [(Hash::Sha256, &Params::NONE), (Hash::Blake3, &seeded)] {
        let refused = HashMessage::new(hash, params, 1 << 20).err();
        assert_eq!(refused, Some(Error::NotSupported));
    }
    let message = HashMessage::new(Hash::Blake3, &Params::default(), 100_000).expect("in parts");
    for (at, size) in
        [(0, 65_535), (0, 65_537), (1, 65_536), (65_536, 34_463), (65_536, 65_536), (131_072, 0)]
    {
        assert_eq!(message.part(at, &vec![0; size]).err(), Some(Error::Parts), "{at} {size}");
    }
    let part = &message.part(0, &[0; 65_536]).expect("a part");
    assert_eq!(message.finish(&[part; 1], &mut [0; 32], None), Err(Error::Parts));
    assert_eq!(message.finish(&[part; 3], &mut [0; 32], None), Err(Error::Parts));
    assert_eq!(message.finish(&[part; 2], &mut [], None), Err(Error::OutputSize));
}

/// The far end of the longest messages, as the one-shot would reach it.
#[test]
fn a_part_far_into_the_message_has_the_right_counter() {
    let mut random = Random(10);
    let text = random.bytes(200);
    // 64 GiB less than the whole counter, and more blocks than 32 bits count.
    for (cipher, offset) in [
        (Cipher::Aes256Ctr, 1 << 40),
        (Cipher::ChaCha20, (1 << 38) - 64),
        (Cipher::ChaCha20, 1 << 50),
    ] {
        let key = CipherKey::new(cipher, &[7; 32]).expect("a key of the right size");
        let iv = random.bytes(16);
        let message = CipherMessage::new(&key, &iv, &[], u64::MAX).expect("in parts");
        let mut part = text[..192].to_vec();
        message.apply_part(offset, Text::InPlace(&mut part)).expect("a part");
        let moved = match cipher {
            Cipher::ChaCha20 => {
                let number = u64::from_le_bytes(iv[..8].try_into().expect("8 bytes"))
                    .wrapping_add(offset / 64);
                [&number.to_le_bytes(), &iv[8..]].concat()
            }
            _ => {
                let number = u128::from_be_bytes(iv[..].try_into().expect("16 bytes"));
                number.wrapping_add(u128::from(offset / 16)).to_be_bytes().to_vec()
            }
        };
        let mut whole = text[..192].to_vec();
        key.apply(&moved, Text::InPlace(&mut whole), None).expect("fits");
        assert_eq!(part, whole, "{cipher:?}");
    }
    // GCM-SIV's counter begins again at zero within its 32 bits: the tag's, as that of a message
    // without text.
    let siv = CipherKey::new(Cipher::Aes256GcmSiv, &[7; 32]).expect("a key of the right size");
    let message = CipherMessage::new(&siv, &[3; 12], &[], 1 << 36).expect("in parts");
    let (mut tag, mut far) = ([0xff; 16], text[..192].to_vec());
    message.xor_part(1 << 35, Text::InPlace(&mut far), &tag).expect("a part");
    // The same blocks begin another message's text.
    tag[..4].copy_from_slice(&u32::MAX.wrapping_add(1 << 31).to_le_bytes());
    let mut near = text[..192].to_vec();
    message.xor_part(0, Text::InPlace(&mut near), &tag).expect("a part");
    assert_eq!(far, near);
    // GCM's last part, which the counter just reaches: by another message with another tag.
    let size = (1 << 36) - 32;
    let key = CipherKey::new(Cipher::Aes128Gcm, &[7; 16]).expect("a key of the right size");
    let message = CipherMessage::new(&key, &[3; 12], &[], size).expect("in parts");
    let (offset, mut part) = ((size - 128) & !63, text[..160].to_vec());
    let count = (size - offset) as usize;
    message.seal_part(offset, Text::InPlace(&mut part[..count])).expect("a part");
    let counter = CipherKey::new(Cipher::Aes128Ctr, &[7; 16]).expect("a key of the right size");
    let mut iv = [3; 16];
    iv[12..].copy_from_slice(&((offset / 16) as u32 + 2).to_be_bytes());
    let mut whole = text[..count].to_vec();
    counter.apply(&iv, Text::InPlace(&mut whole), None).expect("fits");
    assert_eq!(part[..count], whole);
}

#[test]
fn several_threads_work_on_one_message() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<CipherMessage>();
    is_shared::<PartialTag>();
    is_shared::<HashMessage>();
    let source = Random(11).bytes(1000).repeat(300);
    for (key, nonce) in aeads() {
        let (sealed, tag) = sealed(&key, &nonce, b"aad", &source);
        let message =
            CipherMessage::new(&key, &nonce, b"aad", source.len() as u64).expect("in parts");
        // The message does not need the key any more.
        drop(key);
        let mut text = sealed;
        let parts: Vec<PartialTag> = std::thread::scope(|scope| {
            let part = |(index, text)| {
                let message = &message;
                let open =
                    move || message.open_part(index as u64 * 65_536, Text::InPlace(text), &tag);
                scope.spawn(move || open().expect("a part"))
            };
            let workers: Vec<_> = text.chunks_mut(65_536).enumerate().map(part).collect();
            workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
        });
        message.verify(&parts, &tag).expect("authentic");
        assert!(text == source);
    }
}

/// The tests of this file once more with fewer instructions.
#[test]
fn hidden_instructions_change_no_result() {
    if std::env::var_os(CHILD).is_some() {
        return;
    }
    for hidden in ["vpclmulqdq", "avx512f", "vaes,avx512ifma", "avx2", "avx2,pclmulqdq"] {
        run_again(&["split::"], &[("MILLRACE_CPU_HIDE", hidden)], "");
    }
}
