//! What the kernel may be asked for, and what both of its interfaces call it.

use crate::catalog::{CIPHERS, Cipher, HASHES, Hash};

/// One thing to compute.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    Hash(Hash),
    Mac(Hash),
    Cipher(Cipher),
}

/// The kinds of algorithms of AF_ALG: its word for it, and the module that serves it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Hash,
    Stream,
    Aead,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Hash => "hash",
            Kind::Stream => "skcipher",
            Kind::Aead => "aead",
        }
    }

    pub(super) fn module(self) -> &'static str {
        match self {
            Kind::Hash => "algif_hash",
            Kind::Stream => "algif_skcipher",
            Kind::Aead => "algif_aead",
        }
    }
}

impl What {
    /// How many there are.
    pub(super) const COUNT: usize = 2 * HASHES.len() + CIPHERS.len();

    /// All hashes, HMACs where they are defined, and ciphers.
    pub(super) fn all() -> impl Iterator<Item = What> {
        let hashes = HASHES.iter().map(|facts| What::Hash(facts.hash));
        let macs = HASHES.iter().filter(|facts| facts.hmac).map(|facts| What::Mac(facts.hash));
        hashes.chain(macs).chain(CIPHERS.iter().map(|facts| What::Cipher(facts.cipher)))
    }

    /// A number below [`What::COUNT`].
    pub(super) fn index(self) -> usize {
        match self {
            What::Hash(hash) => hash as usize,
            What::Mac(hash) => HASHES.len() + hash as usize,
            What::Cipher(cipher) => 2 * HASHES.len() + cipher as usize,
        }
    }

    /// Our name for it.
    pub(super) fn name(self) -> String {
        match self {
            What::Hash(hash) => hash.facts().name.into(),
            What::Mac(hash) => format!("hmac-{}", hash.facts().name),
            What::Cipher(cipher) => cipher.facts().name.into(),
        }
    }

    /// Bytes of a key to ask with, where one is needed.
    pub(super) fn key_size(self) -> usize {
        match self {
            What::Hash(_) => 0,
            What::Mac(_) => 32,
            What::Cipher(cipher) => cipher.facts().key_size,
        }
    }

    /// What AF_ALG calls it; `None` for what Linux has never had.
    pub(super) fn of_sockets(self) -> Option<(Kind, String)> {
        Some(match self {
            What::Hash(hash) => (Kind::Hash, hash_name(hash)?.into()),
            What::Mac(hash) => (Kind::Hash, format!("hmac({})", hash_name(hash)?)),
            What::Cipher(cipher) => match cipher {
                Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => {
                    (Kind::Stream, "ctr(aes)".into())
                }
                Cipher::ChaCha20 => (Kind::Stream, "chacha20".into()),
                Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                    (Kind::Aead, "gcm(aes)".into())
                }
                Cipher::ChaCha20Poly1305 => (Kind::Aead, "rfc7539(chacha20,poly1305)".into()),
                Cipher::XChaCha20Poly1305 | Cipher::Aes256GcmSiv => return None,
            },
        })
    }

    /// The number that cryptodev knows it by: of a cipher or of a hash.
    pub(super) fn of_device(self) -> Option<u32> {
        Some(match self {
            What::Hash(hash) => match hash {
                Hash::Md5 => 13,
                Hash::Sha1 => 14,
                Hash::Ripemd160 => 102,
                Hash::Sha224 => 103,
                Hash::Sha256 => 104,
                Hash::Sha384 => 105,
                Hash::Sha512 => 106,
                _ => return None,
            },
            What::Mac(hash) => match hash {
                Hash::Md5 => 6,
                Hash::Sha1 => 7,
                Hash::Ripemd160 => 8,
                Hash::Sha256 => 18,
                Hash::Sha384 => 19,
                Hash::Sha512 => 20,
                Hash::Sha224 => 107,
                _ => return None,
            },
            What::Cipher(cipher) => match cipher {
                Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => 21,
                Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => 50,
                _ => return None,
            },
        })
    }
}

fn hash_name(hash: Hash) -> Option<&'static str> {
    Some(match hash {
        Hash::Md5 => "md5",
        Hash::Sha1 => "sha1",
        Hash::Sha224 => "sha224",
        Hash::Sha256 => "sha256",
        Hash::Sha384 => "sha384",
        Hash::Sha512 => "sha512",
        Hash::Sha3_224 => "sha3-224",
        Hash::Sha3_256 => "sha3-256",
        Hash::Sha3_384 => "sha3-384",
        Hash::Sha3_512 => "sha3-512",
        Hash::Ripemd160 => "rmd160",
        Hash::Blake2b512 => "blake2b-512",
        Hash::Blake2s256 => "blake2s-256",
        _ => return None,
    })
}
