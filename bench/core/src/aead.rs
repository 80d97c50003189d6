//! AEADs of Millrace, AWS-LC and ring: calls that seal in place, or open into another buffer.

use aws_lc_sys as aws;
use millrace_core::catalog::Cipher;
use millrace_core::cipher::{CipherKey, Text};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, Algorithm, CHACHA20_POLY1305};
use ring::aead::{LessSafeKey, Nonce, UnboundKey};

use crate::Form;
use crate::peers::AWS_LC;

const NONCE: [u8; 12] = [7; 12];
const TAG: usize = 16;

/// An AEAD by Millrace's name, and those of the peers.
pub struct Aead {
    pub name: &'static str,
    key_size: usize,
    aws_lc: unsafe extern "C" fn() -> *const aws::EVP_AEAD,
    ring: Option<&'static Algorithm>,
}

pub const AEADS: &[Aead] = &[
    aead("aes-128-gcm", 16, aws::EVP_aead_aes_128_gcm, Some(&AES_128_GCM)),
    aead("aes-256-gcm", 32, aws::EVP_aead_aes_256_gcm, Some(&AES_256_GCM)),
    aead("chacha20-poly1305", 32, aws::EVP_aead_chacha20_poly1305, Some(&CHACHA20_POLY1305)),
    aead("aes-256-gcm-siv", 32, aws::EVP_aead_aes_256_gcm_siv, None),
];

const fn aead(
    name: &'static str,
    key_size: usize,
    aws_lc: unsafe extern "C" fn() -> *const aws::EVP_AEAD,
    ring: Option<&'static Algorithm>,
) -> Aead {
    Aead { name, key_size, aws_lc, ring }
}

/// Returns calls that seal `size` bytes in place. The result is the text and the tag.
pub fn seals(aead: &Aead, size: usize) -> Vec<Form> {
    let Keys { ours, aws, ring } = keys(aead);
    let mut forms = vec![
        Form::new("millrace", size + TAG, move |text| {
            let (text, tag) = text.split_at_mut(size);
            ours.seal(&NONCE, b"", Text::InPlace(text), tag).expect("valid arguments");
        }),
        Form::new(AWS_LC, size + TAG, move |text| {
            let (text, tag) = text.split_at_mut(size);
            let (data, mut length) = (text.as_mut_ptr(), 0);
            // SAFETY: reads and writes `text`, and writes the tag, up to its size; no data is
            // null with a length of 0.
            let done = unsafe {
                aws::EVP_AEAD_CTX_seal_scatter(
                    aws.0,
                    data,
                    tag.as_mut_ptr(),
                    &mut length,
                    tag.len(),
                    NONCE.as_ptr(),
                    NONCE.len(),
                    data,
                    size,
                    std::ptr::null(),
                    0,
                    std::ptr::null(),
                    0,
                )
            };
            assert_eq!((done, length), (1, TAG));
        }),
    ];
    forms.extend(ring.map(|key| {
        Form::new("ring", size + TAG, move |text| {
            let (text, tag) = text.split_at_mut(size);
            let nonce = Nonce::assume_unique_for_key(NONCE);
            let made = key.seal_in_place_separate_tag(nonce, Aad::empty(), text);
            tag.copy_from_slice(made.expect("valid arguments").as_ref());
        })
    }));
    forms
}

/// Returns calls that open a text of `size` bytes. The result is the text.
pub fn opens(aead: &Aead, size: usize) -> Vec<Form> {
    let Keys { ours, aws, ring } = keys(aead);
    let mut sealed = vec![1; size + TAG];
    let (text, tag) = sealed.split_at_mut(size);
    ours.seal(&NONCE, b"", Text::InPlace(text), tag).expect("valid arguments");
    let (theirs, within) = (sealed.clone(), [vec![0; size], sealed.clone()].concat());
    let mut forms = vec![
        Form::new("millrace", size, move |target| {
            let (source, tag) = sealed.split_at(size);
            ours.open(&NONCE, b"", Text::Across { source, target }, tag).expect("the tag");
        }),
        Form::new(AWS_LC, size, move |target| {
            let (source, tag) = theirs.split_at(size);
            // SAFETY: reads the text and the tag, and writes as many bytes as the text has to the
            // target; no data is null with a length of 0.
            let done = unsafe {
                aws::EVP_AEAD_CTX_open_gather(
                    aws.0,
                    target.as_mut_ptr(),
                    NONCE.as_ptr(),
                    NONCE.len(),
                    source.as_ptr(),
                    size,
                    tag.as_ptr(),
                    TAG,
                    std::ptr::null(),
                    0,
                )
            };
            assert_eq!(done, 1);
        }),
    ];
    // It opens within one buffer: the sealed text stays behind the target.
    forms.extend(ring.map(|key| {
        let mut form = Form::new("ring", size, move |buffer| {
            let nonce = Nonce::assume_unique_for_key(NONCE);
            key.open_within(nonce, Aad::empty(), buffer, size..).expect("the tag");
        });
        form.buffer = within;
        form
    }));
    forms
}

struct Keys {
    ours: CipherKey,
    aws: AwsKey,
    ring: Option<LessSafeKey>,
}

/// A context of AWS-LC, which is never freed.
struct AwsKey(*const aws::EVP_AEAD_CTX);

fn keys(aead: &Aead) -> Keys {
    let &Aead { name, key_size, aws_lc, ring } = aead;
    let key = vec![3; key_size];
    let cipher = Cipher::by_name(name).expect("a cipher of the catalog");
    // SAFETY: AEADs are static, the key has the size that is told, and the tag its default one.
    let context = unsafe { aws::EVP_AEAD_CTX_new(aws_lc(), key.as_ptr(), key_size, 0) };
    assert!(!context.is_null());
    Keys {
        ours: CipherKey::new(cipher, &key).expect("a key of its size"),
        aws: AwsKey(context),
        ring: ring.map(|each| LessSafeKey::new(UnboundKey::new(each, &key).expect("its size"))),
    }
}
