//! Public-key cryptography over AWS-LC: keys and their encodings, signatures, key agreement, key
//! encapsulation, RSA encryption and HPKE. The arithmetic, the random numbers and the parsing of
//! keys are AWS-LC's; AEADs, HKDF, and the derivation of keys from passwords the core's.
//!
//! | algorithm | sign | agree | encapsulate | encrypt | raw public and private key, bytes |
//! |-----------|------|-------|-------------|---------|-----------------------------------|
//! | Ed25519 | yes | | | | 32, 32 |
//! | X25519 | | yes | | | 32, 32 |
//! | P-256, P-384, P-521 | ECDSA | ECDH | | | point (65, 97, 133), scalar (32, 48, 66) |
//! | RSA | PKCS#1 v1.5, PSS | | | OAEP, PKCS#1 v1.5 | |
//! | RSA-PSS | PSS | | | | |
//! | ML-KEM-512, -768, -1024 | | | yes | | 800, 1632; 1184, 2400; 1568, 3168; seed 64 |
//! | ML-DSA-44, -65, -87 | yes | | | | 1312, 2560; 1952, 4032; 2592, 4896; seed 32 |
//! | X-Wing | | | yes | | 1216, 32 |
//!
//! # Encodings
//! - Public keys: SubjectPublicKeyInfo (RFC 5280), PKCS#1, raw.
//! - Private keys: PKCS#8 (RFC 5208, 5958), encrypted PKCS#8 (RFC 8018, 7914, 7292), SEC 1, PKCS#1,
//!   raw, seed.
//! - Curves must be named: explicit parameters are refused, as RFC 5480 demands.
//! - PEM and JWK are text, which callers decode.
//!
//! # Limits
//! - RSA: moduli of 1,024 to 16,384 bits, exponents of at most 33 bits, two primes, all components;
//!   generation of 2,048 to 8,192 bits in steps of 128 with exponents of at most 32 bits.
//! - There is no decryption of PKCS#1 v1.5: AWS-LC reports wrong padding, which gives an attacker
//!   who can ask repeatedly the plaintext (Bleichenbacher). OpenSSL 3.2 returns a random message in
//!   that case (implicit rejection), which AWS-LC does not.
//! - ECDSA and ML-DSA are randomized (hedged), but for `ecdsa`, which has nonces of RFC 6979.
//!   AWS-LC offers no deterministic variant of ML-DSA.
//! - X-Wing refuses keys and ciphertexts with an X25519 point of small order, as BoringSSL and Go
//!   do; the draft leaves this open.
//! - Ed25519 verifies by RFC 8032 without cofactor, as OpenSSL does.
//!
//! # Modules
//! Each imports only modules further down this list: `hpke`, `lattice`; `signature`, `exchange`,
//! `encryption`; `ecdsa`, `secp256k1`; `key`: keys and their encodings; `pbes2`: encryption under a
//! password; `nacl`; `evp`: AWS-LC, and all `unsafe`; `der`, `parameters`, `algorithm`,
//! `error`. `lattice`, `ecdsa`, `secp256k1`, `nacl` and `evp::raw` take the bytes of keys at each
//! call.

mod algorithm;
mod der;
pub mod ecdsa;
mod encryption;
mod error;
#[allow(unsafe_code)]
mod evp;
mod exchange;
pub mod hpke;
mod key;
pub mod lattice;
pub mod nacl;
mod parameters;
mod pbes2;
#[cfg(feature = "secp256k1")]
pub mod secp256k1;
mod signature;

pub use self::algorithm::{Algorithm, Facts};
pub use self::error::Error;
pub use self::evp::{raw, takes};
pub use self::key::{MODULUS_BITS, NEW_MODULUS_BITS, PrivateKey, PublicKey, RsaParameters};
pub use self::parameters::{Input, KeyCipher, Oaep, PssRestriction};
pub use self::pbes2::PASSWORD_ITERATIONS;
pub use self::signature::{EcdsaEncoding, SaltLength, Scheme};
pub use millrace_core::catalog::Hash;
