//! The targets of the fuzzer (`fuzz/`) on its corpus and on some random inputs, with any toolchain.

use crate::fuzz_targets::{TARGETS, run};
use std::fs;
use std::path::Path;

/// Returns the inputs of a target: its corpus, then as many random ones.
fn inputs(name: &str, random: usize) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let mut inputs: Vec<Vec<u8>> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| fs::read(entry.expect("an entry").path()).expect("a file"))
        .collect();
    assert!(!inputs.is_empty(), "{}", folder.display());
    // xorshift64
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    inputs.extend((0..random).map(|_| {
        let size = word() as usize % 400;
        (0..size).map(|_| (word() >> 24) as u8).collect()
    }));
    inputs
}

#[test]
fn the_properties_hold_for_the_corpus_and_random_inputs() {
    for (name, _) in TARGETS {
        for input in inputs(name, 500) {
            run(name, &input);
        }
    }
}
