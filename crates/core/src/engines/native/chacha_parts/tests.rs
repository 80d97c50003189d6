//! A message of one part is AWS-LC's, at every size.

use super::super::aead::AeadKey;
use super::super::features::OrSkip;
use super::super::tests::{Bytes, sizes};
use super::*;
use crate::catalog::Cipher;

fn library(cipher: Cipher, key: &[u8; 32]) -> AeadKey {
    let mut made = AeadKey::vacant();
    made.prepare(cipher, key).expect("a key of the right size");
    made.joined = false;
    made
}

#[test]
fn one_part_agrees_with_the_library_at_every_size() {
    if Avx2Bmi::detect().or_skip().is_none() {
        return;
    }
    let mut bytes = Bytes(7);
    let source = bytes.vec((1 << 20) + 1);
    for (turn, size) in sizes().enumerate() {
        let (cipher, nonce) =
            [(Cipher::ChaCha20Poly1305, 12), (Cipher::XChaCha20Poly1305, 24)][turn % 2];
        let (key, nonce) = (bytes.array(), bytes.vec(nonce));
        let aad = bytes.vec([0, 13, 16, 100][turn % 4]);
        let (mut sealed, mut tag) = (source[..size].to_vec(), [0; 16]);
        let text = Text::InPlace(&mut sealed);
        library(cipher, &key).seal(&nonce, &aad, text, &mut tag).expect("fits");

        let (mut place, mut our_tag) = (source[..size].to_vec(), [0; 16]);
        seal(&key, &nonce, &aad, Text::InPlace(&mut place), &mut our_tag).expect("fits");
        assert!(place == sealed && our_tag == tag, "{size} sealed in place");
        open(&key, &nonce, &aad, Text::InPlace(&mut place), &tag).expect("authentic");
        assert!(place == source[..size], "{size} opened in place");

        // One byte beyond shows what is written too much; one before, that nothing need be
        // aligned.
        let mut across = vec![0xa5; size + 2];
        let text = Text::Across { source: &source[..size], target: &mut across[1..=size] };
        seal(&key, &nonce, &aad, text, &mut our_tag).expect("fits");
        assert!(across[1..=size] == sealed && our_tag == tag, "{size} sealed across");
        let text = Text::Across { source: &sealed, target: &mut across[1..=size] };
        open(&key, &nonce, &aad, text, &tag).expect("authentic");
        assert!(across[1..=size] == source[..size], "{size} opened across");
        assert!(across[0] == 0xa5 && across[size + 1] == 0xa5, "{size}");

        tag[turn % 16] ^= 1;
        let refused = open(&key, &nonce, &aad, Text::InPlace(&mut sealed), &tag);
        assert_eq!(refused, Err(Error::Authentication), "{size}");
        assert!(sealed.iter().all(|&byte| byte == 0), "{size}");
    }
}
