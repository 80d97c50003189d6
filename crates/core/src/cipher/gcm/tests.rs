//! The field against its definition, and the kernel against AWS-LC's GHASH.

use super::*;
use crate::catalog::Cipher;
#[cfg(target_arch = "x86_64")]
use crate::cpu::features::{Gcm256, Gcm512, OrSkip};
use crate::tests::{Bytes, sizes};

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
    #[cfg(target_arch = "x86_64")]
    GcmKernel(fn() -> Option<kernel::Powers>),
}

const IMPLEMENTATIONS: &[Implementation] = &[
    Implementation::Plain,
    #[cfg(feature = "aws-lc")]
    Implementation::AwsLc,
    #[cfg(target_arch = "x86_64")]
    Implementation::GcmKernel(|| Gcm512::detect().or_skip().map(kernel::Powers::wide)),
    #[cfg(target_arch = "x86_64")]
    Implementation::GcmKernel(|| Gcm256::detect().or_skip().map(kernel::Powers::avx2)),
];

/// Returns a message of this implementation, if the CPU has the instructions.
fn message(
    bytes: &mut Bytes,
    cipher: Cipher,
    implementation: Implementation,
) -> Option<(AeadKey, [u8; 12], WipedBox<GcmMessage>)> {
    let (mut aead, nonce) = (AeadKey::vacant(), bytes.array());
    aead.prepare(cipher, &bytes.vec(cipher.facts().key_size)).expect("a key of the right size");
    let mut message =
        GcmMessage::boxed(aead.raw_key(), Some(&aead), &nonce, &[]).expect("in parts");
    match implementation {
        Implementation::Plain => message.ghash = Ghash::Plain,
        #[cfg(feature = "aws-lc")]
        Implementation::AwsLc => message.ghash_by_aws_lc(&aead).expect("encrypts"),
        #[cfg(target_arch = "x86_64")]
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
        for &implementation in IMPLEMENTATIONS {
            let Some((aead, nonce, message)) = message(&mut bytes, cipher, implementation) else {
                continue;
            };
            let (mut sealed, mut tag) = (source[..size].to_vec(), [0; 16]);
            aead.seal(&nonce, &[], Text::InPlace(&mut sealed), &mut tag).expect("fits");

            // One byte beyond shows what is written too much; one before, that nothing need be
            // aligned.
            let mut across = vec![0xa5; size + 2];
            let text = Text::Across { source: &source[..size], target: &mut across[1..=size] };
            let sum = message.seal(0, text).expect("encrypts");
            assert_eq!(
                message.tag(&mut [(size as u64, &sum)].into_iter()).expect("a tag").0,
                tag,
                "{size} sealed {implementation:?}"
            );
            assert!(
                across[1..=size] == sealed && across[0] == 0xa5 && across[size + 1] == 0xa5,
                "{size} sealed"
            );

            let text = Text::Across { source: &sealed, target: &mut across[1..=size] };
            let sum = message.open(0, text, &[]).expect("decrypts");
            assert_eq!(
                message.tag(&mut [(size as u64, &sum)].into_iter()).expect("a tag").0,
                tag,
                "{size} opened {implementation:?}"
            );
            assert!(
                across[1..=size] == source[..size] && across[0] == 0xa5 && across[size + 1] == 0xa5,
                "{size}"
            );

            let sum = message.open(0, Text::InPlace(&mut sealed), &[]).expect("decrypts");
            assert_eq!(
                message.tag(&mut [(size as u64, &sum)].into_iter()).expect("a tag").0,
                tag,
                "{size} in place"
            );
            assert!(sealed == source[..size], "{size} in place");
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn one_call_agrees_with_the_library_at_every_size() {
    let Some(proof) = Gcm256::detect().or_skip() else { return };
    let mut bytes = Bytes(14);
    let source = bytes.vec((1 << 20) + 1);
    let random = |bytes: &mut Bytes| usize::from(u16::from_ne_bytes(bytes.array()));
    for (turn, size) in sizes().enumerate() {
        let cipher = [Cipher::Aes128Gcm, Cipher::Aes192Gcm, Cipher::Aes256Gcm][turn % 3];
        let key = bytes.vec(cipher.facts().key_size);
        let (mut theirs, mut ours) = (AeadKey::vacant(), key::GcmKey::with(proof));
        theirs.prepare(cipher, &key).expect("a key of the right size");
        ours.prepare(&key).expect("a key of the right size");
        assert_eq!(ours.raw_key(), key);
        let nonce = bytes.array::<12>();
        let aad = &source[..[0, 16, random(&mut bytes) % 64, random(&mut bytes) % 1000][turn % 4]];
        let (mut expected, mut full) = (source[..size].to_vec(), [0; 16]);
        theirs.seal(&nonce, aad, Text::InPlace(&mut expected), &mut full).expect("fits");

        // One byte beyond shows what is written too much; one before, that nothing need be aligned.
        let kept = |target: &[u8]| target[0] == 0xa5 && target[size + 1] == 0xa5;
        let mut target = vec![0xa5; size + 2];
        for tag_size in [16, 12 + turn % 4] {
            let mut tag = vec![0; tag_size];
            let text = Text::Across { source: &source[..size], target: &mut target[1..=size] };
            ours.seal_here(&nonce, aad, text, &mut tag).expect("fits");
            assert!(target[1..=size] == expected && tag == full[..tag_size], "{size} sealed");
            assert!(kept(&target), "{size} sealed");

            let text = Text::Across { source: &expected, target: &mut target[1..=size] };
            ours.open_here(&nonce, aad, text, &tag).expect("authentic");
            assert!(target[1..=size] == source[..size] && kept(&target), "{size} opened");

            // A text that is not authentic leaves zeros.
            tag[random(&mut bytes) % tag_size] ^= 1 << (turn % 8);
            let text = Text::Across { source: &expected, target: &mut target[1..=size] };
            assert_eq!(ours.open_here(&nonce, aad, text, &tag), Err(Error::Authentication));
            assert!(target[1..=size].iter().all(|&byte| byte == 0) && kept(&target), "{size}");
        }
        let (mut place, mut tag) = (source[..size].to_vec(), [0; 16]);
        ours.seal_here(&nonce, aad, Text::InPlace(&mut place), &mut tag).expect("fits");
        assert!(place == expected && tag == full, "{size} sealed in place");
        ours.open_here(&nonce, aad, Text::InPlace(&mut place), &tag).expect("authentic");
        assert!(place == source[..size], "{size} opened in place");
        place.copy_from_slice(&expected);
        if size > 0 {
            place[random(&mut bytes) % size] ^= 1;
            let result = ours.open_here(&nonce, aad, Text::InPlace(&mut place), &tag);
            assert_eq!(result, Err(Error::Authentication));
            assert!(place.iter().all(|&byte| byte == 0), "{size} wiped in place");
        }
    }
}

/// Short messages are computed here, long ones by AWS-LC where it is faster, under one key.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_choice_by_size_does_not_change_results() {
    let Some(proof) = Gcm256::detect().or_skip() else { return };
    let mut bytes = Bytes(15);
    let source = bytes.vec(20_000);
    for cipher in [Cipher::Aes128Gcm, Cipher::Aes192Gcm, Cipher::Aes256Gcm] {
        let raw = bytes.vec(cipher.facts().key_size);
        let mut key = key::GcmKey::with(proof);
        key.prepare(&raw).expect("a key of the right size");
        for (nonce_size, size) in
            [2048, 2049, 8191, 8192, 4096, 20_000, 100].into_iter().enumerate()
        {
            let (nonce, aad) = (bytes.vec(nonce_size + 9), bytes.vec(nonce_size));
            let (mut expected, mut tag) = (source[..size].to_vec(), [0; 16]);
            key.seal_here(&nonce, &aad, Text::InPlace(&mut expected), &mut tag).expect("fits");
            for tag_size in [16, 12] {
                let (mut text, mut short) = (source[..size].to_vec(), vec![0; tag_size]);
                key.seal(&nonce, &aad, Text::InPlace(&mut text), &mut short).expect("fits");
                assert!(text == expected && short == tag[..tag_size], "{size}");
                key.open(&nonce, &aad, Text::InPlace(&mut text), &short).expect("authentic");
                assert!(text == source[..size], "{size}");
                short[0] ^= 1;
                text.copy_from_slice(&expected);
                let result = key.open(&nonce, &aad, Text::InPlace(&mut text), &short);
                assert_eq!(result, Err(Error::Authentication));
                assert!(text.iter().all(|&byte| byte == 0), "{size}");
            }
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
        let (mut sealed, mut tag) = (source.clone(), [0; 16]);
        let mut aead = AeadKey::vacant();
        aead.prepare(cipher, &key).expect("a key of the right size");
        aead.seal(&nonce, b"data", Text::InPlace(&mut sealed), &mut tag).expect("fits");

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
