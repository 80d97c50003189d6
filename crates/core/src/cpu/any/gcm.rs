//! AEADs without kernels: whole messages are AWS-LC's or RustCrypto's.

use crate::Error;
use crate::cipher::aes::AesCtrKey;
use crate::cipher::contract::AeadMessage;
use crate::cipher::field::Factor;
use crate::inputs::Text;

/// There are none.
pub(crate) enum Powers {}

impl Powers {
    pub(crate) fn vacant() -> Option<Self> {
        None
    }

    pub(crate) fn prepare(&mut self, _h: Factor) {
        match *self {}
    }

    pub(crate) fn sum(&self, _text: &[u8]) -> u128 {
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

/// Each kernel for parts.
#[cfg(test)]
pub(crate) const EACH: [fn() -> Option<Powers>; 0] = [];

/// There are none.
pub(crate) enum GcmKey {}

impl GcmKey {
    #[cfg(test)]
    pub(crate) const WIPED: usize = 0;

    pub(crate) fn vacant() -> Option<Self> {
        None
    }

    pub(crate) fn short_max(_: bool) -> Option<usize> {
        None
    }

    pub(crate) fn prepare(&mut self, _: &[u8]) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn prepare_long(&self) {
        match *self {}
    }

    pub(crate) fn raw_key(&self) -> &[u8] {
        match *self {}
    }

    pub(crate) fn seal(&self, _: AeadMessage<'_>, _: &mut [u8]) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn open(&self, _: AeadMessage<'_>, _: &[u8]) -> Result<(), Error> {
        match *self {}
    }
}
