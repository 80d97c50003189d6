//! Incremental ciphers give the bytes of one call.

use crate::support::Random;
use millrace_core::Error;
use millrace_core::catalog::{CIPHERS, Cipher, CipherFacts};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::running_cipher::RunningCipher;

/// Returns the ciphers that can process a message incrementally.
fn ciphers() -> impl Iterator<Item = &'static CipherFacts> {
    CIPHERS.iter().filter(|facts| !facts.name.ends_with("-siv"))
}

/// Updates of random sizes, in place or not.
fn update(random: &mut Random, running: &mut RunningCipher, source: &[u8]) -> Vec<u8> {
    let mut result = source.to_vec();
    let mut at = 0;
    while at < source.len() {
        let most = [1, 16, 17, 64, 300, 1024, 5000, 40_000][random.below(8)];
        let end = source.len().min(at + 1 + random.below(most));
        let text = if random.below(2) == 0 {
            Text::InPlace(&mut result[at..end])
        } else {
            Text::Across { source: &source[at..end], target: &mut result[at..end] }
        };
        running.update(text).expect("within the limits");
        at = end;
    }
    result
}

/// Returns the ciphertext and the tag of one call.
fn whole(key: &CipherKey, nonce: &[u8], aad: &[u8], plain: &[u8], tag: usize) -> [Vec<u8>; 2] {
    let (mut sealed, mut tag) = (plain.to_vec(), vec![0; tag]);
    if key.cipher().facts().aead {
        key.seal(nonce, aad, Text::InPlace(&mut sealed), &mut tag).expect("sizes fit");
    } else {
        key.apply(nonce, Text::InPlace(&mut sealed), None).expect("sizes fit");
    }
    [sealed, tag]
}

#[test]
fn any_division_gives_the_bytes_of_one_call() {
    let mut random = Random(1);
    for facts in ciphers() {
        for round in 0..60 {
            let raw = random.bytes(facts.key_size);
            let key = CipherKey::new(facts.cipher, &raw).expect("the size fits");
            let sizes = [facts.iv_size, 1, 8, 16, 60, 128];
            let mut nonce =
                random.bytes(if facts.iv_max > 0 { sizes[round % 6] } else { facts.iv_size });
            // Counters that carry: CTR counts over all 128 bits, ChaCha20's block number has 64.
            match round % 4 {
                1 if !facts.aead => nonce.fill(255),
                2 if !facts.aead => nonce[..8].fill(255),
                3 if !facts.aead => nonce[..8].copy_from_slice(&[254, 255, 255, 255, 0, 0, 0, 0]),
                _ => {}
            }
            let aad_size = if facts.aead { random.below(100) } else { 0 };
            let aad = random.bytes(aad_size);
            let tag_size =
                if facts.iv_max > 0 { [16, 12, 8, 4][round % 4] } else { facts.tag_size };
            let size = random.below(if round % 10 == 0 { 200_000 } else { 3_000 });
            let plain = random.bytes(size);
            let what = format!("{} {round}", facts.name);
            let [sealed, tag] = whole(&key, &nonce, &aad, &plain, tag_size);

            let new = |encrypt| RunningCipher::new(facts.cipher, encrypt, &raw, &nonce, &aad);
            let mut running = new(true).expect(&what);
            assert_eq!(update(&mut random, &mut running, &plain), sealed, "{what}");
            let mut computed = vec![0; tag_size];
            running.finish(&mut computed).expect(&what);
            assert_eq!(computed, tag, "{what}");

            let mut running = new(false).expect(&what);
            let half = size / 2;
            let mut opened = update(&mut random, &mut running, &sealed[..half]);
            let mut copy = running.copy().expect(&what);
            let rest = update(&mut random, &mut running, &sealed[half..]);
            assert_eq!(update(&mut random, &mut copy, &sealed[half..]), rest, "{what}: copy");
            opened.extend(rest);
            assert_eq!(opened, plain, "{what}");
            assert_eq!(running.verify(&tag), Ok(()), "{what}");
            if facts.aead {
                let mut wrong = tag.clone();
                wrong[round % tag_size] ^= 1;
                assert_eq!(copy.verify(&wrong), Err(Error::Authentication), "{what}");
            }
        }
    }
}

/// Short messages with all borders between three updates, and messages of several kinds of longer
/// steps: keystream ahead, vectors and strips.
#[test]
fn every_border_gives_the_bytes_of_one_call() {
    for facts in ciphers() {
        let mut random = Random(7);
        let (raw, nonce) = (random.bytes(facts.key_size), random.bytes(facts.iv_size));
        let key = CipherKey::new(facts.cipher, &raw).expect("the size fits");
        let aad = if facts.aead { &b"additional data."[..13] } else { &[] };
        let source = random.bytes(40_000);
        let longer = [63, 64, 255, 256, 257, 511, 512, 1024, 1025, 1300, 16_384, 16_385, 33_000];
        for (size, places) in [
            (70, (0..=70).collect::<Vec<_>>()),
            (201, (0..=201).step_by(if facts.aead { 5 } else { 1 }).collect()),
            (2400, (0..=2400).step_by(37).chain(longer).filter(|&at| at <= 2400).collect()),
            (40_000, longer.to_vec()),
        ] {
            let plain = &source[..size];
            let [sealed, tag] = whole(&key, &nonce, aad, plain, facts.tag_size);
            let cut = |first: usize, second: usize, encrypt: bool| {
                let what = format!("{} {size} at {first}, {second}", facts.name);
                let new = RunningCipher::new(facts.cipher, encrypt, &raw, &nonce, aad);
                let mut running = new.expect(&what);
                let (from, to) = if encrypt { (plain, &sealed) } else { (&sealed[..], &source) };
                let mut result = from.to_vec();
                for (part, range) in [0..first, first..second, second..size].into_iter().enumerate()
                {
                    let target = &mut result[range.clone()];
                    let text = if (first + second + part).is_multiple_of(2) {
                        Text::InPlace(target)
                    } else {
                        target.fill(0x5a);
                        Text::Across { source: &from[range], target }
                    };
                    running.update(text).expect(&what);
                }
                assert!(result == to[..size], "{what}");
                let mut found = vec![0; facts.tag_size];
                let ended = if encrypt { running.finish(&mut found) } else { running.verify(&tag) };
                assert_eq!(ended, Ok(()), "{what}");
                assert!(!encrypt || found == tag, "{what}");
            };
            for &first in &places {
                for &second in places.iter().filter(|&&second| second >= first) {
                    cut(first, second, true);
                    cut(first, second, false);
                }
            }
        }
    }
}

#[test]
fn sizes_and_directions_are_checked() {
    for facts in ciphers() {
        let (key, nonce) = (vec![1; facts.key_size], vec![2; facts.iv_size]);
        let new = |encrypt, key: &[u8], nonce: &[u8], aad: &[u8]| {
            RunningCipher::new(facts.cipher, encrypt, key, nonce, aad)
        };
        let error = |result: Result<RunningCipher, Error>| result.err();
        assert_eq!(error(new(true, &key[1..], &nonce, &[])), Some(Error::KeySize));
        assert_eq!(error(new(true, &key, &[], &[])), Some(Error::IvSize));
        assert_eq!(error(new(true, &key, &[0; 129], &[])), Some(Error::IvSize));
        if !facts.aead {
            assert_eq!(error(new(true, &key, &nonce, &[1])), Some(Error::NotSupported));
        }
        let mut sealing = new(true, &key, &nonce, &[]).expect("sizes fit");
        let (source, mut target) = ([0; 4], [0; 3]);
        let text = Text::Across { source: &source, target: &mut target };
        assert_eq!(sealing.update(text), Err(Error::OutputSize));
        assert_eq!(sealing.copy().err(), Some(Error::NotSupported), "{}", facts.name);
        assert_eq!(sealing.finish(&mut [0; 17]), Err(Error::TagSize));
        if facts.aead {
            assert_eq!(sealing.verify(&[0; 16]), Err(Error::NotSupported));
            let mut opening = new(false, &key, &nonce, &[]).expect("sizes fit");
            assert_eq!(opening.finish(&mut [0; 16]), Err(Error::NotSupported));
        }
    }
    let siv = RunningCipher::new(Cipher::Aes256GcmSiv, true, &[0; 32], &[0; 12], &[]);
    assert_eq!(siv.err(), Some(Error::NotSupported));
}
