//! CPUs without a kernel: AES-GCM is AWS-LC's or RustCrypto's.

use crate::cipher::aes::AesCtrKey;
use crate::cipher::field::Factor;
use crate::inputs::Text;

/// There are none.
pub(crate) enum Powers {}

impl Powers {
    pub(crate) fn vacant(_key: &AesCtrKey) -> Option<Self> {
        None
    }

    pub(crate) fn prepare(&mut self, _h: Factor) {
        match *self {}
    }

    pub(crate) fn hash(&self, _text: &[u8]) -> u128 {
        match *self {}
    }

    pub(crate) fn process<const OPEN: bool>(
        &self,
        _key: &AesCtrKey,
        _counter: u128,
        _text: Text<'_>,
    ) -> Option<u128> {
        match *self {}
    }
}
