//! The libraries agree, and with the published answers.

use super::rust_crypto::RustCrypto;
use super::*;
use crate::cipher::text::pointers;
use crate::inputs::Text;
use crate::tests::Bytes;

/// Calls a check with the functions of both libraries.
macro_rules! compare {
    ($function:ident, $words:ty, $block:literal) => {{
        let mut bytes = Bytes(21);
        for count in 1..20 {
            let blocks: Vec<[u8; $block]> = (0..count).map(|_| bytes.array()).collect();
            let words: $words = std::array::from_fn(|_| u64::from_ne_bytes(bytes.array()) as _);
            let (mut one, mut other) = (words, words);
            Library::$function(&mut one, &blocks);
            RustCrypto::$function(&mut other, &blocks);
            assert_eq!(one, other, "{count} blocks");
            assert_ne!(one, words);
        }
    }};
}

#[test]
fn both_libraries_compress_alike() {
    compare!(md5, [u32; 4], 64);
    compare!(sha1, [u32; 5], 64);
    compare!(ripemd160, [u32; 5], 64);
    compare!(sha256, [u32; 8], 64);
    compare!(sha512, [u64; 8], 128);
}

fn prepared<K: Aes>(key: &[u8]) -> MaybeUninit<K> {
    let mut place = MaybeUninit::uninit();
    Aes::prepare(&mut place, key).expect("a key of the right size");
    place
}

/// Encrypts a block, a text in counter mode apart and in place, and blocks at once.
fn with_aes<P: Primitives>(key: &[u8], iv: &[u8; 16], source: &[u8]) -> Vec<Vec<u8>> {
    let aes = prepared::<P::Aes>(key);
    let mut block = *iv;
    let mut apart = vec![0; source.len()];
    let mut place = source.to_vec();
    // SAFETY: the key is prepared.
    let aes = unsafe { aes.assume_init_ref() };
    // SAFETY: the targets have the size of the source.
    unsafe {
        aes.encrypt(&mut block);
        aes.counter_mode(iv, pointers(Text::Across { source, target: &mut apart }));
        aes.counter_mode(iv, pointers(Text::InPlace(&mut place)));
    }
    assert!(place == apart, "in place");
    let mut back = MaybeUninit::<P::AesInverse>::uninit();
    AesInverse::prepare(&mut back, key).expect("a key of the right size");
    let mut decrypted = block;
    // SAFETY: the key is prepared.
    unsafe { back.assume_init_ref() }.decrypt(&mut decrypted);
    assert_eq!(decrypted, *iv);
    let mut blocks: Vec<[u8; 16]> = source.as_chunks().0.to_vec();
    aes.encrypt_all(&mut blocks);
    vec![block.to_vec(), apart, blocks.concat()]
}

#[test]
fn both_libraries_encrypt_alike_with_aes() {
    let mut bytes = Bytes(22);
    for size in (0..100).chain([1023, 1024, 1025, 5000]) {
        for key_size in [16, 24, 32] {
            let (key, source) = (bytes.vec(key_size), bytes.vec(size));
            let mut iv = bytes.array();
            if size % 2 == 0 {
                iv[..15].fill(0xff); // the counter overflows
            }
            let ours = with_aes::<Library>(&key, &iv, &source);
            assert!(ours == with_aes::<RustCrypto>(&key, &iv, &source), "{key_size}, {size}");
        }
    }
    let mut place = MaybeUninit::<<RustCrypto as Primitives>::Aes>::uninit();
    assert!(Aes::prepare(&mut place, &[0; 20]).is_err());
}

/// FIPS 197, appendix C.3.
#[test]
fn the_example_of_the_standard_is_reproduced() {
    let key: [u8; 32] = std::array::from_fn(|index| index as u8);
    let mut block: [u8; 16] = std::array::from_fn(|index| 0x11 * index as u8);
    let aes = prepared::<<RustCrypto as Primitives>::Aes>(&key);
    // SAFETY: the key is prepared.
    unsafe { aes.assume_init_ref() }.encrypt(&mut block);
    assert_eq!(u128::from_be_bytes(block), 0x8ea2b7ca516745bfeafc49904b496089);
}

#[test]
fn both_libraries_encrypt_alike_with_chacha20() {
    let mut bytes = Bytes(23);
    for size in (0..200).chain([1023, 1024, 1025, 5000]) {
        let (key, nonce, source) = (bytes.array(), bytes.array(), bytes.vec(size));
        let texts = [Library::chacha20, RustCrypto::chacha20].map(|chacha20| {
            let mut target = vec![0; size];
            // SAFETY: the target has the size of the source.
            unsafe {
                let text = Text::Across { source: &source, target: &mut target };
                chacha20(&key, &nonce, 7, pointers(text));
            }
            target
        });
        assert!(texts[0] == texts[1], "{size}");
    }
}

#[test]
fn both_libraries_find_every_difference() {
    let mut bytes = Bytes(24);
    for size in 0..40 {
        let one = bytes.vec(size);
        assert!(Library::equal(&one, &one) && RustCrypto::equal(&one, &one));
        for at in 0..size {
            let mut other = one.clone();
            other[at] ^= 1 << (at % 8);
            assert!(!Library::equal(&one, &other) && !RustCrypto::equal(&one, &other));
        }
    }
}
