//! Runs of chunks against the chunks one by one.

use crate::support::pattern;
use millrace_core::Error;
use millrace_core::catalog::Cipher;
use millrace_core::chunks::Run;
use millrace_core::cipher::{CipherKey, Text};

const CHUNK: usize = 256;
const TAG: usize = 16;
const CIPHERS: [Cipher; 3] =
    [Cipher::Aes128Gcm, Cipher::ChaCha20Poly1305, Cipher::XChaCha20Poly1305];

fn key(cipher: Cipher) -> CipherKey {
    CipherKey::new(cipher, &pattern(cipher.facts().key_size)).expect("a key of the right size")
}

fn sealed(key: &CipherKey, run: Run<'_>, source: &[u8]) -> Vec<u8> {
    let mut target = vec![0xa5; source.len() + run.count * TAG];
    key.seal_chunks(run, source, &mut target, None).expect("fits");
    target
}

#[test]
fn a_run_is_its_chunks() {
    for cipher in CIPHERS {
        let key = key(cipher);
        let whole = pattern(cipher.facts().iv_size);
        let firsts = [0, 1, 250, (1 << 32) - 2, (1 << 38) - 5];
        // C2SP's nonces have no suffix, those of age one byte.
        for (first, suffix_size) in firsts.into_iter().flat_map(|first| [(first, 0), (first, 1)]) {
            let (base_nonce, suffix) = whole.split_at(whole.len() - suffix_size);
            let ends = [(1, 0), (1, 7), (1, CHUNK), (2, CHUNK), (2, CHUNK + 1), (5, 4 * CHUNK)];
            for (count, size) in ends.into_iter().chain([(5, 5 * CHUNK)]) {
                let run = Run { base_nonce, suffix, first, count, chunk_size: CHUNK };
                let message = pattern(size);
                let mut expected = Vec::new();
                for index in 0..count {
                    let text = &message[(index * CHUNK).min(size)..((index + 1) * CHUNK).min(size)];
                    let mut nonce = whole.clone();
                    let end = base_nonce.len();
                    let number = u64::from_be_bytes(*base_nonce.last_chunk().expect("8 bytes"))
                        ^ (first + index as u64);
                    nonce[end - 8..end].copy_from_slice(&number.to_be_bytes());
                    let (mut target, mut tag) = (vec![0; text.len()], [0; TAG]);
                    let text = Text::Across { source: text, target: &mut target };
                    key.seal(&nonce, &[], text, &mut tag).expect("fits");
                    expected.extend([&target[..], &tag].concat());
                }
                let found = sealed(&key, run, &message);
                assert_eq!(found, expected, "{cipher:?} {first} {count} {size}");
                let mut opened = vec![0xa5; size];
                key.open_chunks(run, &expected, &mut opened, None).expect("authentic");
                assert_eq!(opened, message);
            }
        }
    }
}

#[test]
fn one_bad_chunk_leaves_zeros() {
    for cipher in CIPHERS {
        let key = key(cipher);
        let base_nonce = pattern(cipher.facts().iv_size);
        let run =
            Run { base_nonce: &base_nonce, suffix: &[], first: 3, count: 4, chunk_size: CHUNK };
        let message = pattern(3 * CHUNK + 9);
        let good = sealed(&key, run, &message);
        let refused = |run: Run<'_>, source: &[u8]| {
            let mut target = vec![0xa5; message.len()];
            assert_eq!(key.open_chunks(run, source, &mut target, None), Err(Error::Authentication));
            assert!(target.iter().all(|&byte| byte == 0));
        };
        for at in (0..good.len()).step_by(41).chain([good.len() - 1]) {
            let mut changed = good.clone();
            changed[at] ^= 4;
            refused(run, &changed);
        }
        refused(Run { first: 4, ..run }, &good);
        let mut exchanged = good.clone();
        exchanged[..2 * (CHUNK + TAG)].rotate_left(CHUNK + TAG);
        refused(run, &exchanged);
    }
}

#[test]
fn wrong_sizes_are_refused_and_touch_nothing() {
    let key = key(Cipher::Aes128Gcm);
    let base_nonce = pattern(12);
    let run = Run { base_nonce: &base_nonce, suffix: &[], first: 0, count: 2, chunk_size: CHUNK };
    let refused = |run: Run<'_>, text: usize, sealed: usize| {
        let (mut long, mut short) = (vec![0xa5; sealed], vec![0xa5; text]);
        let refused = [
            key.seal_chunks(run, &pattern(text), &mut long, None),
            key.open_chunks(run, &pattern(sealed), &mut short, None),
        ];
        assert_eq!(refused, [Err(Error::OutputSize); 2], "{run:?} {text} {sealed}");
        assert!(long.iter().chain(&short).all(|&byte| byte == 0xa5));
    };
    for (run, text, sealed) in [
        (run, CHUNK - 1, CHUNK + 31),
        (run, 2 * CHUNK + 1, 2 * CHUNK + 33),
        (run, CHUNK, CHUNK + 16),
        (run, CHUNK, CHUNK + 48),
        (Run { count: 0, ..run }, 0, 0),
        (Run { chunk_size: 0, ..run }, 0, 32),
        (Run { count: usize::MAX, ..run }, CHUNK, CHUNK + 32),
    ] {
        refused(run, text, sealed);
    }
    let stream = CipherKey::new(Cipher::Aes128Ctr, &pattern(16)).expect("a key of the right size");
    let seal = |key: &CipherKey, run: Run<'_>| {
        let mut target = [0xa5; CHUNK + 32];
        (key.seal_chunks(run, &pattern(CHUNK), &mut target, None), target)
    };
    assert_eq!(seal(&stream, run).0, Err(Error::NotSupported));
    for size in [11, 13, 25] {
        let base_nonce = &pattern(size)[..];
        assert_eq!(seal(&key, Run { base_nonce, ..run }).0, Err(Error::IvSize));
    }
    for (size, suffix_size) in [(11, 1), (10, 2), (11, 0), (12, 1), (11, 2), (24, 1)] {
        let (base_nonce, suffix) = (&pattern(size)[..], &pattern(suffix_size)[..]);
        let fits = seal(&key, Run { base_nonce, suffix, ..run }).0.is_ok();
        assert_eq!(fits, size + suffix_size == 12, "{size} {suffix_size}");
    }
    let refused = seal(&key, Run { first: u64::MAX, ..run });
    assert_eq!(refused, (Err(Error::SourceTooLarge), [0; CHUNK + 32]));
}
