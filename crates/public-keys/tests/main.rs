//! The tests of public keys: known answers, encodings, generation, wrong use, Wycheproof.
#![allow(clippy::unwrap_used)]

mod encodings;
mod generation;
mod known_answers;
mod operations;
mod support;
mod wycheproof;
