//! Our AEADs are AWS-LC's, at every size and with every Poly1305, and what is not authentic leaves
//! zeros.

use super::*;
use crate::catalog::Cipher;
use crate::cipher::chacha_poly::ChaChaPolyMessage;
use crate::cipher::contract::Parts;
use crate::cpu::features::{Avx2Bmi, OrSkip};
use crate::inputs::Text;
use crate::tests::{Bytes, sealed, sizes, writes};

const CIPHERS: [(Cipher, usize); 2] =
    [(Cipher::ChaCha20Poly1305, 12), (Cipher::XChaCha20Poly1305, 24)];

struct Both {
    ours: ChaChaPolyKey,
    cipher: Cipher,
    nonce: Vec<u8>,
}

impl Both {
    fn new(
        kernel: ChaChaPolyKernel,
        (cipher, nonce_size): (Cipher, usize),
        bytes: &mut Bytes,
    ) -> Self {
        let key: [u8; 32] = bytes.array();
        let mut ours =
            ChaChaPolyKey { key: Wiped([0; 32]), kernels: BySize { short: kernel, long: kernel } };
        ours.prepare(&key).expect("a key of the right size");
        Self { ours, cipher, nonce: bytes.vec(nonce_size) }
    }

    fn check(&self, aad: &[u8], source: &[u8]) {
        let nonce = &self.nonce;
        let (sealed, tag) = sealed(self.cipher, self.ours.raw_key(), nonce, aad, source);
        writes(source, &sealed, |text| {
            let mut our_tag = [0; 16];
            self.ours.seal(AeadMessage { nonce, aad, text }, &mut our_tag).expect("fits");
            assert_eq!(our_tag, tag, "{}", source.len());
        });
        writes(&sealed, source, |text| {
            self.ours.open(AeadMessage { nonce, aad, text }, &tag).expect("authentic");
        });
    }

    fn refuse(&self, aad: &[u8], source: &[u8], tag: &[u8]) {
        let size = source.len();
        let mut across = vec![0xa5; size];
        let text = Text::Across { source, target: &mut across };
        assert_eq!(
            self.ours.open(AeadMessage { nonce: &self.nonce, aad, text }, tag),
            Err(Error::Authentication),
            "{size}"
        );
        let mut place = source.to_vec();
        assert_eq!(
            self.ours.open(
                AeadMessage { nonce: &self.nonce, aad, text: Text::InPlace(&mut place) },
                tag
            ),
            Err(Error::Authentication),
            "{size}"
        );
        assert!(across.iter().chain(&place).all(|&byte| byte == 0), "{size}");
    }
}

/// Returns all kernels that this CPU has the instructions for.
fn kernels() -> impl Iterator<Item = ChaChaPolyKernel> {
    let ifma = Ifma::detect().or_skip().map(ChaChaPolyKernel::Ifma);
    ifma.into_iter().chain(Avx512Bmi::detect().or_skip().map(ChaChaPolyKernel::Words))
}

#[test]
fn long_texts_on_zen_4_are_authenticated_in_general_registers() {
    let (ifma, words) = (Ifma::detect(), Avx512Bmi::detect());
    let (Some(_), Some(_)) = (ifma.or_skip(), words.or_skip()) else { return };
    let is_words = |ifma, words, family, size| {
        let kernel = BySize::among(ifma, words, family).expect("one of them").of(size);
        matches!(kernel, ChaChaPolyKernel::Words(_))
    };
    for (family, size, expected) in
        [(0x19, LONG, true), (0x19, LONG - 1, false), (0x1a, LONG, false), (0, LONG, false)]
    {
        assert_eq!(is_words(ifma, words, family, size), expected, "{family:x} {size}");
        assert!(is_words(None, words, family, size));
        assert!(!is_words(ifma, None, family, size));
    }
    assert!(BySize::among(None, None, 0x19).is_none());
}

#[test]
fn own_kernels_agree_with_the_library_at_every_size() {
    let mut bytes = Bytes(4);
    let source = bytes.vec((1 << 20) + 1);
    let aad = bytes.vec(1000);
    for (turn, size) in sizes().enumerate() {
        for kernel in kernels() {
            let both = Both::new(kernel, CIPHERS[turn % 2], &mut bytes);
            both.check(&aad[..[0, 13, 16, 31, 100, 1000][turn % 6]], &source[..size]);
        }
    }
}

#[test]
fn a_text_that_is_not_authentic_leaves_zeros() {
    let mut bytes = Bytes(5);
    for (kernel, cipher) in kernels().flat_map(|kernel| CIPHERS.map(|cipher| (kernel, cipher))) {
        for size in [
            0, 1, 64, 192, 193, 240, 241, 500, 960, 961, 1500, 1983, 1984, 2100, 4096, 5000, 70_000,
        ] {
            let both = Both::new(kernel, cipher, &mut bytes);
            let (aad, mut text, mut tag) = (bytes.vec(20), bytes.vec(size), [0; 16]);
            both.ours
                .seal(
                    AeadMessage { nonce: &both.nonce, aad: &aad, text: Text::InPlace(&mut text) },
                    &mut tag,
                )
                .expect("fits");
            for at in [0, 7, 15] {
                let mut wrong = tag;
                wrong[at] ^= 1 << (at % 8);
                both.refuse(&aad, &text, &wrong);
            }
            both.refuse(&aad[1..], &text, &tag);
            for at in [0, 15, 16, 100, 255, 256, 959, 960, 1023, 1024, 1983, 2047, 4095, 69_999] {
                if at < size {
                    let mut wrong = text.clone();
                    wrong[size - 1 - at] ^= 0x20;
                    both.refuse(&aad, &wrong, &tag);
                }
            }
        }
    }
}

/// A message of one part.
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
        let (cipher, nonce) = CIPHERS[turn % 2];
        let (key, nonce) = (bytes.array::<32>(), bytes.vec(nonce));
        let aad = bytes.vec([0, 13, 16, 100][turn % 4]);
        let (sealed, tag) = sealed(cipher, &key, &nonce, &aad, &source[..size]);
        for kernel in kernels {
            let mut message = ChaChaPolyMessage::boxed(&key, &nonce, &aad).expect("fits");
            message.kernel = kernel;
            let tag_of =
                |part| message.tag(&mut [(size as u64, &part)].into_iter()).expect("a tag").0;
            writes(&source[..size], &sealed, |text| {
                assert_eq!(tag_of(message.seal(0, text).expect("sealed")), tag, "{size} sealed");
            });
            writes(&sealed, &source[..size], |text| {
                assert_eq!(
                    tag_of(message.open(0, text, &[]).expect("opened")),
                    tag,
                    "{size} opened"
                );
            });
        }
    }
}
