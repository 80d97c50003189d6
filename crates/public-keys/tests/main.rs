//! The tests of public keys: known answers, encodings, generation, HPKE, wrong use, Wycheproof.
#![allow(clippy::unwrap_used)]

mod encodings;
mod generation;
mod hpke;
mod known_answers;
mod operations;
mod support;
mod wycheproof;
