//! One large message in parts, processed on several cores or in slices, in any order.
//!
//! The hashes for which [`is_tree`] returns true (BLAKE3, KangarooTwelve and ParallelHash) and
//! every cipher for which [`CipherKey::parts`](crate::cipher::CipherKey::parts) returns true
//! support this. A part of a cipher's message begins at a multiple of [`PART_ALIGN`] and ends at
//! one or at the message's end. The contribution of each part to an AEAD's tag is a [`PartialTag`];
//! all of them make the tag.
//!
//! A message is sealed or opened in one pass over its parts or in two: the first pass
//! authenticates, the second encrypts or decrypts. Opening in two passes never writes a byte of a
//! forged message. AES-256-GCM-SIV can only be sealed in two passes, because its tag is computed
//! from the plaintext and then used to encrypt it:
//!
//! - Sealing in one pass: [`CipherMessage::seal_part`], [`CipherMessage::tag`]
//! - Sealing in two passes: [`CipherMessage::authenticate_plain`], [`CipherMessage::tag`],
//!   [`CipherMessage::xor_part`]
//! - Opening in one pass: [`CipherMessage::open_part`], [`CipherMessage::verify`]
//! - Opening in two passes: [`CipherMessage::authenticate_sealed`], [`CipherMessage::verify`],
//!   [`CipherMessage::xor_part`]

pub use crate::cipher::message::{CipherMessage, PART_ALIGN, PartialTag};
pub use crate::hash::parts::{HashMessage, HashPart, hash_parts, is_tree};
pub use crate::hash::ranges::{HashRange, RangePiece, join_ranges};
