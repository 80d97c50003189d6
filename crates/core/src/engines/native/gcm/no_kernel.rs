//! CPUs without a kernel: AES-GCM is AWS-LC's or RustCrypto's.

use crate::Error;
use crate::engines::native::aes::AesCtrKey;
use crate::engines::native::field::Factor;
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

pub(crate) mod key {
    use super::{Error, Text};

    /// There are none.
    pub(crate) enum GcmKey {}

    impl GcmKey {
        pub(crate) fn vacant() -> Option<Self> {
            None
        }

        pub(crate) fn prepare(&mut self, _key: &[u8]) -> Result<(), Error> {
            match *self {}
        }

        pub(crate) fn prepare_long(&self) {
            match *self {}
        }

        pub(crate) fn raw_key(&self) -> &[u8] {
            match *self {}
        }

        pub(crate) fn seal(
            &self,
            _nonce: &[u8],
            _aad: &[u8],
            _text: Text<'_>,
            _tag: &mut [u8],
        ) -> Result<(), Error> {
            match *self {}
        }

        pub(crate) fn open(
            &self,
            _nonce: &[u8],
            _aad: &[u8],
            _text: Text<'_>,
            _tag: &[u8],
        ) -> Result<(), Error> {
            match *self {}
        }
    }
}
