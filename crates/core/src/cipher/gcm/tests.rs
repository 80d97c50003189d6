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
        let slow = |it: &Implementation| matches!(it, Implementation::Plain) && size > 600;
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
    for turn in 0..60 {
        let cipher = [Cipher::Aes128Gcm, Cipher::Aes192Gcm, Cipher::Aes256Gcm][turn % 3];
        let (key, nonce) =
            (bytes.vec([16, 24, 32][turn % 3]), bytes.vec([12, 8, 60][turn / 3 % 3]));
        let mut pieces: Vec<usize> = vec![turn * 13, 3];
        pieces.extend((0..turn % 7).map(|_| usize::from(bytes.array::<1>()[0]) % 50));
        let source = bytes.vec(pieces.iter().sum());
        let (sealed, tag) = sealed(cipher, &key, &nonce, b"data", &source);

        let (mut seals, mut opens) = (AesGcm::vacant(), AesGcm::vacant());
        seals.begin(&key, &nonce, b"data").expect("begins");
        opens.begin(&key, &nonce, b"data").expect("begins");
        let (mut from, mut place) = (&source[..], vec![0; source.len()]);
        let mut rest = &mut place[..];
        for size in pieces {
            let (source, next) = from.split_at(size);
            let (target, after) = std::mem::take(&mut rest).split_at_mut(size);
            seals.seal(Text::Across { source, target: &mut *target }).expect("encrypts");
            opens.open(Text::InPlace(&mut target.to_vec()), &[]).expect("decrypts");
            (from, rest) = (next, after);
        }
        let mut ours = [0; 16];
        seals.tag(&mut ours).expect("a tag");
        assert!(place == sealed && ours == tag, "{turn}");
        assert!(opens.verify(&tag).is_ok() && opens.verify(&[1; 16]).is_err(), "{turn}");
    }
}
