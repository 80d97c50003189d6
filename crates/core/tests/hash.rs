//! Known answers for every hash, and what is refused.

use std::collections::HashSet;

use crate::support::{Record, hex, pattern, vectors};
use millrace_core::Error;
use millrace_core::catalog::{HASHES, Hash, Parameter};
use millrace_core::hash::{Params, digest};
use millrace_core::parameters::Parameters;

fn hash(name: &str, params: &Params<'_>, source: &[u8]) -> String {
    hash_to(name, params, source, None)
}

fn hash_to(name: &str, params: &Params<'_>, source: &[u8], size: Option<usize>) -> String {
    let hash = Hash::by_name(name).expect(name);
    let size = size.unwrap_or(hash.facts().digest_size);
    let mut target = vec![0xa5; size];
    digest(hash, params, source, &mut target, None).expect(name);
    hex(&target)
}

/// Published digests, and those of implementations that share no code with ours.
#[test]
fn known_answers_are_reproduced() {
    let mut known = HashSet::new();
    for record in vectors!("hashes") {
        let (name, answer) = (record.text("algorithm"), record.text("digest"));
        let key = record.bytes("key");
        let params =
            Params { seed: record.number("seed"), key: key[..].try_into().ok(), ..Params::NONE };
        let message = record.message();
        let found = hash_to(name, &params, &message, Some(answer.len() / 2));
        assert_eq!(found, answer, "{record}");
        // Shorter output, about the borders of blocks of the sponges, is the beginning.
        let facts = Hash::by_name(name).expect(name).facts();
        let sizes = [1, 7, 8, 135, 136, 137, 167, 168, 169, 599, facts.digest_size];
        for size in sizes.into_iter().filter(|size| facts.xof && 2 * size <= answer.len()) {
            let short = hash_to(name, &params, &message, Some(size));
            assert_eq!(short, answer[..2 * size], "{record}");
        }
        known.insert(name.to_string());
    }
    for record in vectors!("keccak-family") {
        let (name, answer) = (record.text("algorithm"), record.text("digest"));
        let data = record.at("data");
        let message = match data.items() {
            Some(items) => items.iter().flat_map(encoded_item).collect(),
            None => data.message(),
        };
        let options = record.at("options");
        let values: Vec<_> = [
            (Parameter::Key, "key"),
            (Parameter::Customization, "customization"),
            (Parameter::Domain, "domain"),
            (Parameter::BlockSize, "blockSize"),
        ]
        .into_iter()
        .filter(|(_, name)| options.has(name))
        .map(|(parameter, name)| (parameter, options.at(name).message()))
        .collect();
        let values: Vec<_> =
            values.iter().map(|(parameter, bytes)| (*parameter, &bytes[..])).collect();
        let block = Parameters::block(&values);
        let parameters = if values.is_empty() { Parameters::NONE } else { Parameters::of(&block) };
        let params = Params { parameters, ..Params::NONE };
        let size = options.number("outputLength").max(answer.len() as u64 / 2);
        let found = hash_to(name, &params, &message, Some(size as usize));
        assert!(found.ends_with(answer), "{record}");
        known.insert(name.to_string());
    }
    assert_eq!(known.len(), HASHES.len(), "an answer for every hash");
}

/// Returns an item of a tuple as SP 800-185 encodes it.
fn encoded_item(item: &Record) -> Vec<u8> {
    let bytes = item.message();
    let size = (8 * bytes.len() as u64).to_be_bytes();
    let size = &size[size.iter().position(|&byte| byte > 0).unwrap_or(7)..];
    [&[size.len() as u8], size, &bytes].concat()
}

#[test]
fn a_seed_of_xxh32_has_32_bits() {
    let [low, high] =
        [7, 7 | 1 << 32].map(|seed| hash("xxh32", &Params { seed, ..Params::NONE }, b"abc"));
    assert_eq!(low, high);
}

#[test]
fn wrong_sizes_and_parameters_are_refused() {
    for facts in &HASHES {
        let run = |params: &Params<'_>, size: usize| {
            digest(facts.hash, params, b"abc", &mut vec![0; size], None)
        };
        assert_eq!(run(&Params::default(), 0), Err(Error::OutputSize), "{}", facts.name);
        if !facts.xof {
            for size in [facts.digest_size - 1, facts.digest_size + 1] {
                assert_eq!(run(&Params::default(), size), Err(Error::OutputSize), "{}", facts.name);
            }
        }
        let size = facts.digest_size.max(1);
        let seeded = run(&Params { seed: 1, ..Params::NONE }, size);
        assert_eq!(seeded.is_ok(), facts.seed_bits > 0, "{}", facts.name);
        let keyed = run(&Params { key: Some(&[0; 32]), ..Params::NONE }, size);
        assert_eq!(keyed.is_ok(), facts.takes_raw_key(), "{}", facts.name);
    }
}

#[test]
fn unaligned_sources_give_the_same_digest() {
    let bytes = pattern(3000);
    for facts in &HASHES {
        let aligned = hash(facts.name, &Params::default(), &bytes[..2000]);
        for shift in 1..65 {
            let moved = [&vec![0; shift], &bytes[..2000]].concat();
            let found = hash(facts.name, &Params::default(), &moved[shift..]);
            assert_eq!(found, aligned, "{} {shift}", facts.name);
        }
    }
}
