//! The kernel engine where there is none: on all systems but Linux.

use std::convert::Infallible;

use super::{Engine, Provider, Service};
use crate::Error;
use crate::catalog::{Cipher, Hash};
use crate::checkpoint::{Checkpoint, DigestSink, Slicer};
use crate::hmac::MacKey;
use crate::inputs::{Params, Text};

const REASON: &str = "kernel: not available, as this engine is only on Linux; take another engine";
const NO: Error = Error::Unavailable(REASON);

/// The engine of the provider with this number.
pub(crate) struct Kernel<const PROVIDER: u8>;

impl<const PROVIDER: u8> Engine for Kernel<PROVIDER> {
    const NAME: &'static str = "kernel";

    type MacState = Infallible;
    type CipherState = Option<Infallible>;

    fn available() -> Result<(), &'static str> {
        Err(REASON)
    }

    fn libraries() -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn serves_hash(_: Hash) -> Result<Service, &'static str> {
        Err(REASON)
    }

    fn serves_cipher(_: Cipher) -> Result<Service, &'static str> {
        Err(REASON)
    }

    fn digest(_: Hash, _: &Params<'_>, _: &[u8], _: &mut [u8]) -> Result<(), Error> {
        Err(NO)
    }

    fn digest_paced(
        _: Hash,
        _: &Params<'_>,
        _: &[u8],
        _: &mut [u8],
        _: &mut Slicer<'_>,
    ) -> Result<(), Error> {
        Err(NO)
    }

    fn hmac(_: Hash, _: &[u8], _: &[u8], _: &mut [u8]) -> Result<(), Error> {
        Err(NO)
    }

    fn mac_state(_: Hash, _: &[u8]) -> Result<Infallible, Error> {
        Err(NO)
    }

    fn mac(state: &Infallible, _: &[u8], _: &mut [u8]) -> Result<(), Error> {
        match *state {}
    }

    fn mac_paced(
        state: &Infallible,
        _: &[u8],
        _: &mut [u8],
        _: &mut Slicer<'_>,
    ) -> Result<(), Error> {
        match *state {}
    }

    fn digests(
        _: Hash,
        _: &Params<'_>,
        _: &[&[u8]],
        _: usize,
        _: DigestSink<'_>,
    ) -> Result<(), Error> {
        Err(NO)
    }

    fn macs(state: &Infallible, _: &[&[u8]], _: DigestSink<'_>) -> Result<(), Error> {
        match *state {}
    }

    fn cipher_vacant() -> Option<Infallible> {
        None
    }

    fn cipher_prepare(_: &mut Option<Infallible>, _: Cipher, _: &[u8]) -> Result<(), Error> {
        Err(NO)
    }

    fn apply(_: &Option<Infallible>, _: &[u8], _: Text<'_>) -> Result<(), Error> {
        Err(NO)
    }

    fn seal(
        _: &Option<Infallible>,
        _: &[u8],
        _: &[u8],
        _: Text<'_>,
        _: &mut [u8],
    ) -> Result<(), Error> {
        Err(NO)
    }

    fn open(
        _: &Option<Infallible>,
        _: &[u8],
        _: &[u8],
        _: Text<'_>,
        _: &[u8],
    ) -> Result<(), Error> {
        Err(NO)
    }
}

/// Running hashes that a kernel keeps, which on this system are none.
#[derive(Debug, Default)]
pub struct Held;

/// Bytes of a slice, and who is asked after each; see [`checkpoint`](crate::checkpoint).
pub type Paced<'a> = Option<(usize, &'a mut dyn Checkpoint)>;

impl Held {
    /// Bytes of a ticket.
    pub const TICKET: usize = 16;

    /// Takes in more of a message.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub fn update(
        &self,
        _: (Provider, Hash),
        _: &Params<'_>,
        _: &[u8],
        _: [&[u8]; 2],
        _: &mut [u8],
        _: Paced<'_>,
    ) -> Result<(), Error> {
        Err(NO)
    }

    /// The same under the key of an HMAC.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub fn mac_update(
        &self,
        _: &MacKey,
        _: &[u8],
        _: [&[u8]; 2],
        _: &mut [u8],
        _: Paced<'_>,
    ) -> Result<(), Error> {
        Err(NO)
    }

    /// Takes in the rest of a message.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub fn finish(
        &self,
        _: (Provider, Hash),
        _: &Params<'_>,
        _: &[u8],
        _: &[u8],
        _: &mut [u8],
    ) -> Result<(), Error> {
        Err(NO)
    }

    /// The same under the key of an HMAC.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub fn mac_finish(&self, _: &MacKey, _: &[u8], _: &[u8], _: &mut [u8]) -> Result<(), Error> {
        Err(NO)
    }

    /// Copies what has a ticket.
    ///
    /// # Errors
    /// [`Error::State`]: there is none.
    pub fn fork(&self, _: &[u8], _: &mut [u8]) -> Result<(), Error> {
        Err(Error::State)
    }

    /// Closes what has a ticket.
    pub fn close(&self, _: &[u8]) -> bool {
        false
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        0
    }
}

/// What the kernel serves, as JSON.
pub fn kernel_report(_: bool) -> String {
    let mut json = String::from("{\"reason\":");
    super::report::write_text(&mut json, REASON);
    json.push('}');
    json
}
