//! The field against its definition, and the kernel against AWS-LC's GHASH.

#[cfg(target_arch = "x86_64")]
use super::super::features::OrSkip;
use super::super::tests::{Bytes, sizes};
use super::*;
use crate::catalog::Cipher;

/// SP 800-38D, algorithm 1: bit by bit.
fn defined(x: u128, y: u128) -> u128 {
    let (mut v, mut z) = (y, 0);
    for bit in (0..128).rev() {
        z ^= if x >> bit & 1 == 1 { v } else { 0 };
        v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    z
}

#[test]
fn products_are_as_defined() {
    let mut bytes = Bytes(11);
    let check =
        |x: u128, y: u128| assert_eq!(product(x, Factor::new(y)), defined(x, y), "{x:x} {y:x}");
    for _ in 0..300 {
        check(u128::from_ne_bytes(bytes.array()), u128::from_ne_bytes(bytes.array()));
    }
    check(u128::MAX, u128::MAX);
    for bit in 0..128 {
        check(1 << bit, u128::MAX);
        check(u128::MAX, 1 << bit);
        check(1 << bit, 1 << (127 - bit));
    }
}

#[test]
fn powers_are_products() {
    let h = Factor::new(u128::from_ne_bytes(Bytes(12).array()));
    let mut power = h;
    for exponent in 1..70 {
        assert_eq!(h.power(exponent).0, power.0, "{exponent}");
        power = power.times(h);
    }
    assert_eq!(h.power(1 << 20).0, h.power(1 << 10).power(1 << 10).0);
}

/// A message whose GHASH is by AWS-LC, or by our own if the CPU has the instructions.
fn message(
    bytes: &mut Bytes,
    cipher: Cipher,
    ours: bool,
) -> Option<(AeadKey, [u8; 12], WipedBox<Message>)> {
    let (mut aead, nonce) = (AeadKey::vacant(), bytes.array());
    aead.prepare(cipher, &bytes.vec(cipher.facts().key_size)).expect("a key of the right size");
    let mut message = Message::boxed(&aead, &nonce, &[]).expect("in parts");
    if !ours {
        message.ghash_by_aws_lc(&aead).expect("encrypts");
    } else if matches!(message.ghash, Ghash::AwsLc(..)) {
        #[cfg(target_arch = "x86_64")]
        let _ = Gcm512::detect().or_skip();
        return None;
    }
    Some((aead, nonce, message))
}

#[test]
fn one_part_is_the_message_at_every_size() {
    let mut bytes = Bytes(13);
    let source = bytes.vec((1 << 20) + 1);
    for (turn, size) in sizes().enumerate() {
        let cipher = [Cipher::Aes128Gcm, Cipher::Aes192Gcm, Cipher::Aes256Gcm][turn % 3];
        for ours in [false, true] {
            let Some((aead, nonce, message)) = message(&mut bytes, cipher, ours) else { continue };
            let (mut sealed, mut tag) = (source[..size].to_vec(), [0; 16]);
            aead.seal(&nonce, &[], Text::InPlace(&mut sealed), &mut tag).expect("fits");

            // One byte beyond shows what is written too much; one before, that nothing need be
            // aligned.
            let mut across = vec![0xa5; size + 2];
            let text = Text::Across { source: &source[..size], target: &mut across[1..=size] };
            let sum = message.seal(0, text).expect("encrypts");
            assert_eq!(message.tag(&mut [(size as u64, &sum)].into_iter()).0, tag, "{size} sealed");
            assert!(
                across[1..=size] == sealed && across[0] == 0xa5 && across[size + 1] == 0xa5,
                "{size} sealed"
            );

            let text = Text::Across { source: &sealed, target: &mut across[1..=size] };
            let sum = message.open(0, text).expect("decrypts");
            assert_eq!(message.tag(&mut [(size as u64, &sum)].into_iter()).0, tag, "{size} opened");
            assert!(
                across[1..=size] == source[..size] && across[0] == 0xa5 && across[size + 1] == 0xa5,
                "{size}"
            );

            let sum = message.open(0, Text::InPlace(&mut sealed)).expect("decrypts");
            assert_eq!(
                message.tag(&mut [(size as u64, &sum)].into_iter()).0,
                tag,
                "{size} in place"
            );
            assert!(sealed == source[..size], "{size} in place");
        }
    }
}
