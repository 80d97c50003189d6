//! The algorithms, and the names and numbers that both interfaces know them by.

use millrace_core::catalog::{CIPHERS, Cipher, HASHES, Hash};

/// An algorithm of the kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Algorithm {
    Hash(Hash),
    Mac(Hash),
    Cipher(Cipher),
}

/// The types of algorithms that AF_ALG has.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Hash,
    Stream,
    Aead,
}

impl Kind {
    /// Returns the type in a socket's address.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Hash => "hash",
            Kind::Stream => "skcipher",
            Kind::Aead => "aead",
        }
    }

    /// Returns the kernel module that serves the type.
    pub(crate) fn module(self) -> String {
        format!("algif_{}", self.name())
    }
}

impl Algorithm {
    pub(crate) const COUNT: usize = 2 * HASHES.len() + CIPHERS.len();

    /// Returns all hashes, the HMACs that are defined, and all ciphers.
    pub(crate) fn all() -> impl Iterator<Item = Algorithm> {
        let hashes = HASHES.iter().map(|facts| Algorithm::Hash(facts.hash));
        let macs = HASHES.iter().filter(|facts| facts.hmac).map(|facts| Algorithm::Mac(facts.hash));
        hashes.chain(macs).chain(CIPHERS.iter().map(|facts| Algorithm::Cipher(facts.cipher)))
    }

    /// Returns a number below [`Algorithm::COUNT`].
    pub(crate) fn index(self) -> usize {
        match self {
            Algorithm::Hash(hash) => hash as usize,
            Algorithm::Mac(hash) => HASHES.len() + hash as usize,
            Algorithm::Cipher(cipher) => 2 * HASHES.len() + cipher as usize,
        }
    }

    /// Returns the name in Millrace.
    pub(crate) fn name(self) -> String {
        match self {
            Algorithm::Hash(hash) => hash.facts().name.into(),
            Algorithm::Mac(hash) => format!("hmac-{}", hash.facts().name),
            Algorithm::Cipher(cipher) => cipher.facts().name.into(),
        }
    }

    /// Returns the bytes of a key to probe with, 0 where none is needed.
    pub(crate) fn key_size(self) -> usize {
        match self {
            Algorithm::Hash(_) => 0,
            Algorithm::Mac(_) => 32,
            Algorithm::Cipher(cipher) => cipher.facts().key_size,
        }
    }

    /// Returns AF_ALG's type and name; `None` if no Linux has the algorithm.
    pub(crate) fn af_alg(self) -> Option<(Kind, String)> {
        Some(match self {
            Algorithm::Hash(hash) => (Kind::Hash, names(hash)?.0.into()),
            Algorithm::Mac(hash) => (Kind::Hash, format!("hmac({})", names(hash)?.0)),
            Algorithm::Cipher(cipher) => match cipher {
                Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => {
                    (Kind::Stream, "ctr(aes)".into())
                }
                Cipher::ChaCha20 => (Kind::Stream, "chacha20".into()),
                Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                    (Kind::Aead, "gcm(aes)".into())
                }
                Cipher::ChaCha20Poly1305 => (Kind::Aead, "rfc7539(chacha20,poly1305)".into()),
                _ => return None,
            },
        })
    }

    /// Returns cryptodev's number of the cipher or hash.
    pub(crate) fn cryptodev(self) -> Option<u32> {
        match self {
            Algorithm::Hash(hash) => names(hash)?.1.map(|[number, _]| number),
            Algorithm::Mac(hash) => names(hash)?.1.map(|[_, number]| number),
            Algorithm::Cipher(cipher) => match cipher {
                Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => Some(21),
                Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => Some(50),
                _ => None,
            },
        }
    }
}

/// Returns AF_ALG's name of a hash, and cryptodev's numbers of the hash and its HMAC; `None` if no
/// Linux has the hash.
fn names(hash: Hash) -> Option<(&'static str, Option<[u32; 2]>)> {
    Some(match hash {
        Hash::Md5 => ("md5", Some([13, 6])),
        Hash::Sha1 => ("sha1", Some([14, 7])),
        Hash::Sha224 => ("sha224", Some([103, 107])),
        Hash::Sha256 => ("sha256", Some([104, 18])),
        Hash::Sha384 => ("sha384", Some([105, 19])),
        Hash::Sha512 => ("sha512", Some([106, 20])),
        Hash::Ripemd160 => ("rmd160", Some([102, 8])),
        Hash::Sha3_224 => ("sha3-224", None),
        Hash::Sha3_256 => ("sha3-256", None),
        Hash::Sha3_384 => ("sha3-384", None),
        Hash::Sha3_512 => ("sha3-512", None),
        Hash::Blake2b512 => ("blake2b-512", None),
        Hash::Blake2s256 => ("blake2s-256", None),
        _ => return None,
    })
}
