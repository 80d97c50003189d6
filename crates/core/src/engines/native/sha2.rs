//! SHA-2, by AWS-LC on states of ours.
//!
//! The low-level functions, not EVP: EVP allocates a context and costs 50 to 150 ns a message.

use std::mem::MaybeUninit;

use aws_lc_sys as lc;

use super::Digest;
use super::md::aws_lc_digest;
use super::wipe::{Plain, wipe_plain};
use crate::hash::Params;

aws_lc_digest!(
    /// SHA-224.
    Sha224, lc::SHA256_CTX, 64, 28, lc::SHA224_Init, lc::SHA224_Update, lc::SHA224_Final
);
aws_lc_digest!(
    /// SHA-256.
    Sha256, lc::SHA256_CTX, 64, 32, lc::SHA256_Init, lc::SHA256_Update, lc::SHA256_Final
);
aws_lc_digest!(
    /// SHA-384.
    Sha384, lc::SHA512_CTX, 128, 48, lc::SHA384_Init, lc::SHA384_Update, lc::SHA384_Final
);
aws_lc_digest!(
    /// SHA-512.
    Sha512, lc::SHA512_CTX, 128, 64, lc::SHA512_Init, lc::SHA512_Update, lc::SHA512_Final
);
aws_lc_digest!(
    /// SHA-512/224.
    Sha512_224, lc::SHA512_CTX, 128, 28, lc::SHA512_224_Init, lc::SHA512_224_Update, lc::SHA512_224_Final
);
aws_lc_digest!(
    /// SHA-512/256.
    Sha512_256, lc::SHA512_CTX, 128, 32, lc::SHA512_256_Init, lc::SHA512_256_Update, lc::SHA512_256_Final
);
