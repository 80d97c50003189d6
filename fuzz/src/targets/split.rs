//! Divided messages: updates, pieces, parts and chunks give the bytes of one piece.

use super::input::Input;
use millrace_core::catalog::CipherFacts;
use millrace_core::chunks::Run;
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::hash::{Params, digest};
use millrace_core::hasher;
use millrace_core::running_cipher::RunningCipher;
use millrace_core::split::{CipherMessage, HashMessage, PART_ALIGN};

pub(crate) fn run(data: &[u8]) {
    let input = &mut Input(data);
    match input.byte() & 1 {
        0 => hash(input),
        _ => cipher(input),
    }
}

/// Returns the sizes of pieces.
fn sizes(input: &mut Input<'_>) -> Vec<usize> {
    (0..input.byte() % 12)
        .map(|_| match input.byte() {
            small @ 0..=127 => usize::from(small),
            _ => input.below(8192),
        })
        .collect()
}

/// Divides a text; the last piece has the rest.
fn divided<'a>(mut text: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for &size in sizes {
        let (piece, rest) = text.split_at(size.min(text.len()));
        pieces.push(piece);
        text = rest;
    }
    pieces.push(text);
    pieces
}

fn hash(input: &mut Input<'_>) {
    let facts = input.hash();
    let seed = match facts.seed_bits {
        0 => 0,
        bits => u64::from_le_bytes(*input.exactly(8).first_chunk().expect("8")) >> (64 - bits),
    };
    let params = Params { seed, ..Params::NONE };
    let (sizes, message) = (sizes(input), input.message());
    let mut expected = vec![0; facts.digest_size];
    digest(facts.hash, &params, &message, &mut expected, None).expect(facts.name);
    let mut state = Vec::new();
    let pieces = divided(&message, &sizes);
    let (last, pieces) = pieces.split_last().expect("one at least");
    for piece in pieces {
        let mut next = vec![0; facts.state_size];
        hasher::update(facts.hash, &params, &state, piece, &mut next, None).expect(facts.name);
        state = next;
    }
    let mut made = vec![0; facts.digest_size];
    hasher::finish(facts.hash, &params, &state, last, &mut made).expect(facts.name);
    assert_eq!(made, expected, "{} in updates", facts.name);
    if let Ok(tree) = HashMessage::new(facts.hash, &params, message.len() as u64) {
        let size = tree.part_size() as usize;
        let parts: Vec<_> = message
            .chunks(size)
            .enumerate()
            .map(|(index, part)| tree.part((index * size) as u64, part).expect(facts.name))
            .collect();
        tree.finish(&parts, &mut made, None).expect(facts.name);
        assert_eq!(made, expected, "{} in parts", facts.name);
    }
}

fn cipher(input: &mut Input<'_>) {
    let facts = input.cipher();
    let name = facts.name;
    let (key, nonce) = (input.exactly(facts.key_size), input.exactly(facts.iv_size));
    let size = if facts.aead { input.below(300) } else { 0 };
    let aad = input.exactly(size);
    let (sizes, message) = (sizes(input), input.message());
    let prepared = CipherKey::boxed(facts.cipher, &key).expect(name);
    let (mut sealed, mut tag) = (message.clone(), [0; 16]);
    seal(facts, &prepared, [&nonce, &aad], &mut sealed, &mut tag);

    if let Ok(mut running) = RunningCipher::new(facts.cipher, true, &key, &nonce, &aad) {
        let mut made = Vec::new();
        for piece in divided(&message, &sizes) {
            let mut target = vec![0; piece.len()];
            running.update(Text::Across { source: piece, target: &mut target }).expect(name);
            made.extend(target);
        }
        let mut last = vec![0; if facts.aead { 16 } else { 0 }];
        running.finish(&mut last).expect(name);
        assert!(made == sealed && (!facts.aead || last == tag), "{name} incrementally");
        let mut opening = RunningCipher::new(facts.cipher, false, &key, &nonce, &aad).expect(name);
        let mut opened = made;
        let mut rest = &mut opened[..];
        for piece in divided(&message, &sizes) {
            let (piece, after) = rest.split_at_mut(piece.len());
            opening.update(Text::InPlace(piece)).expect(name);
            opening = opening.copy().expect(name);
            rest = after;
        }
        assert!(opened == message, "{name} opened incrementally");
        assert!(opening.verify(&last).is_ok(), "{name}");
    }
    if let Ok(parted) = CipherMessage::new(&prepared, &nonce, &aad, message.len() as u64)
        && !prepared.seals_in_two_passes()
    {
        let size = (1 + sizes.len()) * PART_ALIGN;
        let mut made = message.clone();
        let mut parts: Vec<_> = made
            .chunks_mut(size)
            .enumerate()
            .rev()
            .map(|(index, part)| {
                let (offset, text) = ((index * size) as u64, Text::InPlace(part));
                if facts.aead {
                    parted.seal_part(offset, text)
                } else {
                    parted.apply_part(offset, text)
                }
                .expect(name)
            })
            .collect();
        parts.reverse();
        let mut last = vec![0; if facts.aead { 16 } else { 0 }];
        parted.tag(&parts, &mut last).expect(name);
        assert!(made == sealed && (!facts.aead || last == tag), "{name} in parts");
    }
    if facts.aead && !message.is_empty() {
        let chunk_size = sizes.first().copied().unwrap_or(1000).max(1);
        let count = message.len().div_ceil(chunk_size);
        let run = Run { base_nonce: &nonce, suffix: &[], first: 7, count, chunk_size };
        let mut target = vec![0; message.len() + 16 * count];
        prepared.seal_chunks(run, &message, &mut target, None).expect(name);
        let mut opened = vec![0; message.len()];
        prepared.open_chunks(run, &target, &mut opened, None).expect(name);
        assert!(opened == message, "{name} in chunks");
        let place = target.len() / 2;
        target[place] ^= 1;
        assert!(prepared.open_chunks(run, &target, &mut opened, None).is_err(), "{name} forged");
        assert!(opened.iter().all(|&byte| byte == 0), "{name}: a forged chunk leaves text");
    }
}

fn seal(
    facts: &CipherFacts,
    key: &CipherKey,
    [nonce, aad]: [&[u8]; 2],
    text: &mut [u8],
    tag: &mut [u8; 16],
) {
    if facts.aead {
        key.seal(nonce, aad, Text::InPlace(text), tag).expect(facts.name);
    } else {
        key.apply(nonce, Text::InPlace(text), None).expect(facts.name);
    }
}
