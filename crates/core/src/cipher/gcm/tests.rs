//! The field against its definition, and the kernel against AWS-LC's GHASH.

use super::*;
use crate::catalog::Cipher;
use crate::tests::{Bytes, reads, sealed, sizes, writes};
use crate::wipe::WipedBox;

/// Returns the product by SP 800-38D, algorithm 1, bit by bit.
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
    let check = |x: u128, y: u128| {
        assert_eq!(product(x, Factor::new(y)), defined(x, y), "{x:x} {y:x}");
    };
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

/// The implementations of a part.
#[derive(Copy, Clone, Debug)]
enum Implementation {
    Plain,
    #[cfg(feature = "aws-lc")]
    AwsLc,
    GcmKernel(fn() -> Option<kernel::Powers>),
}

/// Returns all of them.
fn implementations() -> impl Iterator<Item = Implementation> {
    let portable = [
        Implementation::Plain,
        #[cfg(feature = "aws-lc")]
        Implementation::AwsLc,
    ];
    portable.into_iter().chain(kernel::EACH.iter().copied().map(Implementation::GcmKernel))
}

/// Returns a message of this implementation, if the CPU has the instructions.
fn message(
    bytes: &mut Bytes,
    cipher: Cipher,
    implementation: Implementation,
) -> Option<(AeadKey, [u8; 12], WipedBox<GcmMessage>)> {
    let (mut aead, nonce) = (AeadKey::vacant(), bytes.array());
    aead.prepare(cipher, &bytes.vec(cipher.facts().key_size)).expect("a key of the right size");
    let mut message = WipedBox::new(GcmMessage::vacant()).expect("memory");
    message.prepare(aead.raw_key(), Some(&aead), &nonce, &[]).expect("in parts");
    match implementation {
        Implementation::Plain => message.ghash = Ghash::Plain,
        #[cfg(feature = "aws-lc")]
        Implementation::AwsLc => message.ghash_by_aws_lc(&aead).expect("encrypts"),
        Implementation::GcmKernel(vacant) => message.ghash_by(vacant()?),
    }
    Some((aead, nonce, message))
}

#[test]
fn one_part_is_the_message_at_every_size() {
    let mut bytes = Bytes(13);
    let source = bytes.vec((1 << 20) + 1);
    for (turn, size) in sizes().enumerate() {
        let cipher = [Cipher::Aes128Gcm, Cipher::Aes192Gcm, Cipher::Aes256Gcm][turn % 3];
        // Plain code is slow, and the same for every block.
        let slow = |it: &Implementation| matches!(it, Implementation::Plain) && size > 130;
        for implementation in implementations().filter(|it| !slow(it)) {
            let Some((aead, nonce, message)) = message(&mut bytes, cipher, implementation) else {
                continue;
            };
            let text = &source[..size];
            let (sealed, tag) = sealed(cipher, aead.raw_key(), &nonce, &[], text);
            let tag_of =
                |part| message.tag(&mut [(size as u64, &part)].into_iter()).expect("a tag").0;
            writes(&source[..size], &sealed, |text| {
                let part = message.seal(0, text).expect("encrypts");
                assert_eq!(tag_of(part), tag, "{size} sealed {implementation:?}");
            });
            reads(&sealed, |sealed| {
                let part = message.authenticate(sealed).expect("hashes");
                assert_eq!(tag_of(part), tag, "{size} hashed {implementation:?}");
            });
            writes(&sealed, &source[..size], |text| {
                let part = message.open(0, text, &[]).expect("decrypts");
                assert_eq!(tag_of(part), tag, "{size} opened {implementation:?}");
            });
        }
    }
}

#[test]
fn pieces_agree_with_the_message() {
    use super::incremental::AesGcm;
    use crate::cipher::contract::Incremental;

    let mut bytes = Bytes(31);
    let cuts = |size: usize| {
        (0..=size).flat_map(move |first| (first..=size).map(move |second| [first, second, size]))
    };
    for [first, second, size] in [0, 1, 15, 16, 17, 32, 50].into_iter().flat_map(cuts) {
        let turn = first + second;
        let cipher = [Cipher::Aes128Gcm, Cipher::Aes192Gcm, Cipher::Aes256Gcm][turn % 3];
        let (key, nonce) =
            (bytes.vec([16, 24, 32][turn % 3]), bytes.vec([12, 8, 60][turn / 3 % 3]));
        let pieces = [first, second - first, size - second];
        let (source, aad) = (bytes.vec(size), bytes.vec(turn % 35));
        let (sealed, tag) = sealed(cipher, &key, &nonce, &aad, &source);

        let (mut seals, mut opens) = (AesGcm::vacant(), AesGcm::vacant());
        seals.begin(&key, &nonce, &aad).expect("begins");
        opens.begin(&key, &nonce, &aad).expect("begins");
        let (mut from, mut place, mut opened) = (&source[..], vec![0; size], Vec::new());
        let mut rest = &mut place[..];
        for size in pieces {
            let (source, next) = from.split_at(size);
            let (target, after) = std::mem::take(&mut rest).split_at_mut(size);
            seals.seal(Text::Across { source, target: &mut *target }).expect("encrypts");
            let at = opened.len();
            opened.extend_from_slice(target);
            opens.open(Text::InPlace(&mut opened[at..]), &[]).expect("decrypts");
            (from, rest) = (next, after);
        }
        let mut ours = [0; 16];
        seals.tag(&mut ours).expect("a tag");
        assert!(place == sealed && ours == tag, "{pieces:?}");
        assert!(opened == source, "{pieces:?}");
        assert!(opens.verify(&tag).is_ok() && opens.verify(&[1; 16]).is_err(), "{pieces:?}");
    }
}

/// The counter's first value decides after how many blocks its last 32 bits begin again.
#[test]
fn the_counter_wraps_within_32_bits() {
    let mut bytes = Bytes(17);
    for implementation in implementations() {
        let Some((_, _, mut message)) = message(&mut bytes, Cipher::Aes256Gcm, implementation)
        else {
            continue;
        };
        for before in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 100] {
            let high = message.first >> 32 << 32;
            message.first = high | u128::from(u32::MAX - before);
            for size in [0, 1, 15, 16, 17, 64, 65, 129, 500, 1000, 1600, 3000] {
                let source = bytes.vec(size);
                let mut sealed = source.clone();
                for (text, block) in sealed.chunks_mut(16).zip(1_u32..) {
                    let counter = high | u128::from((u32::MAX - before).wrapping_add(block));
                    let stream = message.key.encrypted(counter).expect("encrypts").to_be_bytes();
                    text.iter_mut().zip(stream).for_each(|(byte, stream)| *byte ^= stream);
                }
                let sum = number_of(&message.authenticate(&sealed).expect("hashes"));
                writes(&source, &sealed, |text| {
                    let part = message.seal(0, text).expect("encrypts");
                    assert_eq!(number_of(&part), sum, "{size} sealed, {before} {implementation:?}");
                });
                writes(&sealed, &source, |text| {
                    let part = message.open(0, text, &[]).expect("decrypts");
                    assert_eq!(number_of(&part), sum, "{size} opened, {before} {implementation:?}");
                });
                let mut rest = sealed[size.min(64)..].to_vec();
                message.xor(64, Text::InPlace(&mut rest), &[]).expect("decrypts");
                assert!(rest == source[size.min(64)..], "{size} from 64 on, {before}");
            }
        }
    }
}
