//! Code that the tests share.
#![allow(dead_code)]

use millrace_core::checkpoint::Checkpoint;

/// Counts pauses, notes how far jobs are, and gives some up.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) pauses: usize,
    pub(crate) progress: Vec<(usize, u64, u64)>,
    /// Jobs to cancel, each with the number of checkpoints before.
    pub(crate) cancelled: Vec<(usize, usize)>,
}

impl Checkpoint for Watch {
    fn checkpoint(&mut self) {
        self.pauses += 1;
    }

    fn cancelled(&self, index: usize) -> bool {
        self.cancelled.iter().any(|&(job, after)| job == index && self.pauses >= after)
    }

    fn progress(&mut self, index: usize, done: u64, steps: u64) {
        self.progress.push((index, done, steps));
    }
}

/// Returns the bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes of hexadecimal text.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "{text}");
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

/// Returns the bytes 0, 1, .., 250, 0, 1, .. of BLAKE3's test vectors.
pub(crate) fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|index| (index % 251) as u8).collect()
}

/// Numbers without a pattern, the same in every run (xorshift64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    pub(crate) fn bytes(&mut self, size: usize) -> Vec<u8> {
        (0..size).map(|_| self.below(256) as u8).collect()
    }
}

/// Returns sizes around each border of the kernels: blocks, and from where on vectors are used.
pub(crate) fn around_borders() -> impl Iterator<Item = usize> {
    let around = |size: usize| size - 65..=size + 65;
    let million = (1 << 20) - 1..=(1 << 20) + 1;
    (0..=2100).chain(around(4096)).chain(around(16 << 10)).chain(million)
}
