//! Whole messages against AWS-LC.

use super::*;
use crate::Error;
use crate::catalog::Cipher;
use crate::cipher::contract::AeadMessage;
use crate::cpu::features::OrSkip;
use crate::tests::{Bytes, sealed, sizes, writes};

#[test]
fn one_call_agrees_with_the_library_at_every_size() {
    let Some(proof) = Gcm256::detect().or_skip() else { return };
    let mut bytes = Bytes(14);
    let source = bytes.vec((1 << 20) + 1);
    let random = |bytes: &mut Bytes| usize::from(u16::from_ne_bytes(bytes.array()));
    for (turn, size) in sizes().enumerate() {
        let cipher = [Cipher::Aes128Gcm, Cipher::Aes192Gcm, Cipher::Aes256Gcm][turn % 3];
        let key = bytes.vec(cipher.facts().key_size);
        let mut ours = GcmKey::with(proof);
        ours.prepare(&key).expect("a key of the right size");
        assert_eq!(ours.raw_key(), key);
        let nonce = bytes.array::<12>();
        let aad = &source[..[0, 16, random(&mut bytes) % 64, random(&mut bytes) % 1000][turn % 4]];
        let (expected, full) = sealed(cipher, &key, &nonce, aad, &source[..size]);
        for tag_size in [16, 12 + turn % 4] {
            let mut tag = full[..tag_size].to_vec();
            writes(&source[..size], &expected, |text| {
                let mut ours_tag = vec![0; tag_size];
                ours.seal_here(AeadMessage { nonce: &nonce, aad, text }, &mut ours_tag)
                    .expect("fits");
                assert_eq!(ours_tag, tag, "{size} sealed");
            });
            writes(&expected, &source[..size], |text| {
                ours.open_here(AeadMessage { nonce: &nonce, aad, text }, &tag).expect("authentic");
            });

            // A text that is not authentic leaves zeros.
            let mut forged = expected.clone();
            if turn % 2 == 0 && size > 0 {
                forged[random(&mut bytes) % size] ^= 1;
            } else {
                tag[random(&mut bytes) % tag_size] ^= 1 << (turn % 8);
            }
            writes(&forged, &vec![0; size], |text| {
                let result = ours.open_here(AeadMessage { nonce: &nonce, aad, text }, &tag);
                assert_eq!(result, Err(Error::Authentication), "{size}");
            });
        }
    }
}

/// Short messages are computed here, long ones by AWS-LC where it is faster, under one key.
#[test]
fn the_choice_by_size_does_not_change_results() {
    let Some(proof) = Gcm256::detect().or_skip() else { return };
    let mut bytes = Bytes(15);
    let source = bytes.vec(20_000);
    for cipher in [Cipher::Aes128Gcm, Cipher::Aes192Gcm, Cipher::Aes256Gcm] {
        let raw = bytes.vec(cipher.facts().key_size);
        let mut key = GcmKey::with(proof);
        key.prepare(&raw).expect("a key of the right size");
        for (nonce_size, size) in
            [2048, 2049, 8191, 8192, 4096, 20_000, 100].into_iter().enumerate()
        {
            let (nonce, aad) = (bytes.vec(nonce_size + 9), bytes.vec(nonce_size));
            let (mut expected, mut tag) = (source[..size].to_vec(), [0; 16]);
            key.seal_here(
                AeadMessage { nonce: &nonce, aad: &aad, text: Text::InPlace(&mut expected) },
                &mut tag,
            )
            .expect("fits");
            for tag_size in [16, 12] {
                let (mut text, mut short) = (source[..size].to_vec(), vec![0; tag_size]);
                key.seal(
                    AeadMessage { nonce: &nonce, aad: &aad, text: Text::InPlace(&mut text) },
                    &mut short,
                )
                .expect("fits");
                assert!(text == expected && short == tag[..tag_size], "{size}");
                key.open(
                    AeadMessage { nonce: &nonce, aad: &aad, text: Text::InPlace(&mut text) },
                    &short,
                )
                .expect("authentic");
                assert!(text == source[..size], "{size}");
                short[0] ^= 1;
                text.copy_from_slice(&expected);
                let result = key.open(
                    AeadMessage { nonce: &nonce, aad: &aad, text: Text::InPlace(&mut text) },
                    &short,
                );
                assert_eq!(result, Err(Error::Authentication));
                assert!(text.iter().all(|&byte| byte == 0), "{size}");
            }
        }
    }
}
