//! Reads numbers and bytes from the input of a fuzzer; zeros after its end.

use millrace_core::catalog::{CIPHERS, CipherFacts, HASHES, HashFacts};

pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let number = usize::from(self.byte()) | usize::from(self.byte()) << 8;
        number % end.max(1)
    }

    /// Returns up to `size` bytes.
    pub(crate) fn bytes(&mut self, size: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(size.min(self.0.len()));
        self.0 = rest;
        bytes
    }

    /// Returns `size` bytes, those of the input again and again.
    pub(crate) fn exactly(&mut self, size: usize) -> Vec<u8> {
        let bytes = self.bytes(size);
        let filler = [self.0.len() as u8];
        bytes.iter().chain(filler.iter().cycle()).take(size).copied().collect()
    }

    /// Returns the rest, which may be repeated to a length of tens of KiB.
    pub(crate) fn message(&mut self) -> Vec<u8> {
        let times = match self.byte() {
            times @ 1..=40 => usize::from(times) * 8,
            _ => 1,
        };
        let rest = self.bytes(usize::MAX);
        rest.iter().cycle().take((rest.len() * times).min(96 << 10)).copied().collect()
    }

    /// Returns a hash without a required key.
    pub(crate) fn hash(&mut self) -> &'static HashFacts {
        let hashes: Vec<_> =
            HASHES.iter().filter(|facts| !facts.key_required && !facts.tuple).collect();
        hashes[usize::from(self.byte()) % hashes.len()]
    }

    pub(crate) fn cipher(&mut self) -> &'static CipherFacts {
        &CIPHERS[usize::from(self.byte()) % CIPHERS.len()]
    }
}
