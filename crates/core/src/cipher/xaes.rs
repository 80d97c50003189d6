//! The keys of XAES-256-GCM (c2sp.org/XAES-256-GCM). A message is one of AES-256-GCM under the last
//! 12 bytes of its nonce, and under a key that the KDF in counter mode of NIST SP 800-108r1 over
//! AES-CMAC makes of the first 12.

use super::aes::AesCtrKey;
use super::contract::StreamKey;
use crate::Error;
use crate::wipe::Wiped;

/// A prepared key. Wiped on drop.
pub(crate) struct XaesKey {
    key: AesCtrKey,
    /// The subkey of CMAC for whole blocks.
    k1: Wiped<u128>,
}

impl XaesKey {
    /// Returns room for a key, to be prepared before use.
    pub(crate) fn vacant() -> Self {
        Self { key: AesCtrKey::vacant(), k1: Wiped(0) }
    }

    /// Expands a key of 32 bytes.
    pub(crate) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        self.key.prepare(key)?;
        // SP 800-38B, 6.1.
        let doubled = &mut self.k1.0;
        *doubled = self.key.encrypted(0)?;
        *doubled = (*doubled << 1) ^ ((*doubled >> 127) * 0x87);
        Ok(())
    }

    /// Calls `work` with the key and the nonce of AES-256-GCM.
    pub(crate) fn derived<R>(
        &self,
        nonce: &[u8],
        work: impl FnOnce(&[u8], &[u8]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let (context, nonce) = nonce.split_first_chunk::<12>().ok_or(Error::IvSize)?;
        let mut blocks = Wiped([[0; 16]; 2]);
        for (counter, block) in (1..).zip(&mut blocks.0) {
            // A counter of 16 bits, the label "X", a zero and the context.
            *block = [0, counter, b'X', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            block[4..].copy_from_slice(context);
            *block = (u128::from_be_bytes(*block) ^ self.k1.0).to_be_bytes();
        }
        self.key.encrypt(&mut blocks.0)?;
        work(blocks.0.as_flattened(), nonce)
    }
}
