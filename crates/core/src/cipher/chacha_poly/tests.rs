//! A message of one part is AWS-LC's, at every size.

use super::*;
use crate::catalog::Cipher;
use crate::cipher::aead::AeadKey;
use crate::cpu::features::{Avx2Bmi, Avx512Bmi, Ifma, OrSkip};
use crate::tests::{Bytes, sizes};

/// Encrypts a text as one part, and returns the tag.
fn seal(message: &ChaChaPolyMessage, text: Text<'_>) -> [u8; 16] {
    let size = text.size() as u64;
    let part = message.seal(0, text).expect("sealed");
    message.tag(&mut [(size, &part)].into_iter()).expect("a tag").0
}

/// Decrypts a text as one part, and returns the tag.
fn open(message: &ChaChaPolyMessage, text: Text<'_>) -> [u8; 16] {
    let size = text.size() as u64;
    let part = message.open(0, text, &[]).expect("opened");
    message.tag(&mut [(size, &part)].into_iter()).expect("a tag").0
}

#[test]
fn one_part_agrees_with_the_library_at_every_size() {
    let kernels = [
        Ifma::detect().or_skip().map(PartsKernel::Ifma),
        Avx512Bmi::detect().or_skip().map(PartsKernel::Words),
        Avx2Bmi::detect().or_skip().map(PartsKernel::Avx2),
        None,
    ];
    let mut bytes = Bytes(7);
    let source = bytes.vec((1 << 20) + 1);
    for (turn, size) in sizes().enumerate() {
        let (cipher, nonce) =
            [(Cipher::ChaCha20Poly1305, 12), (Cipher::XChaCha20Poly1305, 24)][turn % 2];
        let (key, nonce) = (bytes.array::<32>(), bytes.vec(nonce));
        let aad = bytes.vec([0, 13, 16, 100][turn % 4]);
        let (mut sealed, mut tag) = (source[..size].to_vec(), [0; 16]);
        let mut library = AeadKey::vacant();
        library.prepare(cipher, &key).expect("a key of the right size");
        library.seal(&nonce, &aad, Text::InPlace(&mut sealed), &mut tag).expect("fits");

        for kernel in kernels {
            let mut message = ChaChaPolyMessage::boxed(&key, &nonce, &aad).expect("fits");
            message.kernel = kernel;
            let mut place = source[..size].to_vec();
            let our_tag = seal(&message, Text::InPlace(&mut place));
            assert!(place == sealed && our_tag == tag, "{size} sealed in place");
            let our_tag = open(&message, Text::InPlace(&mut place));
            assert!(place == source[..size] && our_tag == tag, "{size} opened in place");

            // One byte beyond shows what is written too much; one before, that nothing need be
            // aligned.
            let mut across = vec![0xa5; size + 2];
            let text = Text::Across { source: &source[..size], target: &mut across[1..=size] };
            let our_tag = seal(&message, text);
            assert!(across[1..=size] == sealed && our_tag == tag, "{size} sealed across");
            let text = Text::Across { source: &sealed, target: &mut across[1..=size] };
            let our_tag = open(&message, text);
            assert!(across[1..=size] == source[..size] && our_tag == tag, "{size} opened across");
            assert!(across[0] == 0xa5 && across[size + 1] == 0xa5, "{size}");
        }
    }
}
