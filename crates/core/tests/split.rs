//! Messages in parts are the messages in one.

mod support;

use millrace_core::Error;
use millrace_core::catalog::{CIPHERS, Cipher, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{Params, digest};
use millrace_core::split::{HashMessage, Message, PART_ALIGN, Partial, hash_parts};
use support::Random;

/// Borders of parts: from 0 to the size, in between multiples of `PART_ALIGN`.
fn cuts(random: &mut Random, size: usize, count: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..count).map(|_| random.below(size / PART_ALIGN + 1) * PART_ALIGN).collect();
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
    part: impl Fn(u64, Text<'_>) -> Result<Partial, Error>,
) -> Vec<Partial> {
    let mut order: Vec<usize> = (0..cuts.len() - 1).collect();
    (1..order.len()).rev().for_each(|at| order.swap(at, random.below(at + 1)));
    let mut partials: Vec<Option<Partial>> = order.iter().map(|_| None).collect();
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
        let key = CipherKey::new(facts.cipher, &random.bytes(facts.key_size)).expect("a key of the right size");
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
                key.apply(&iv, Text::InPlace(&mut whole)).expect("fits");
                let message = Message::new(&key, &iv, &[], size as u64).expect("in parts");
                let cuts = cuts(&mut random, size, carry * 3);
                let parts = in_parts(&mut random, &cuts, &source, &mut target, |at, text| message.apply_part(at, text));
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
    assert_eq!(hash_parts(Hash::Sha256, 1 << 30), None);
    assert_eq!(hash_parts(Hash::Blake3, 64 << 10), None);
    let mut sizes: Vec<usize> = (0..20).map(|_| (64 << 10) + 1 + random.below(3 << 20)).collect();
    for parts in 1..=13 {
        for part in [64 << 10, 256 << 10] {
            sizes.extend([parts * part + 1, (parts + 1) * part - 1, (parts + 1) * part]);
        }
    }
    let source = random.bytes(5000).repeat(1000);
    for size in sizes {
        for params in [Params::default(), Params { seed: 0, key: Some(&key) }] {
            let source = &source[..size];
            let message = HashMessage::new(Hash::Blake3, &params, size as u64).expect("in parts");
            let part = message.part_size() as usize;
            let values: Vec<_> = source
                .chunks(part)
                .enumerate()
                .map(|(index, source)| message.part((index * part) as u64, source).expect("a part"))
                .collect();
            assert_eq!(values.len(), message.count());
            for output in [32, 1, 100] {
                let (mut whole, mut joined) = (vec![0; output], vec![0; output]);
                digest(Hash::Blake3, &params, source, &mut whole).expect("fits");
                message.finish(&values, &mut joined).expect("all parts");
                assert_eq!(joined, whole, "{size}");
            }
        }
    }
}
