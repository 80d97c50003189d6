//! HMAC (RFC 2104), one-shot or with a prepared key.

pub(crate) mod computation;
#[allow(unsafe_code)]
pub(crate) mod iteration;

use self::computation::Pads;
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Slicer;
use crate::engines::ExternalMac;
use crate::hash;
use crate::hash::digest::DIGEST_MAX;
use crate::hash::digest_types::with_digest;
use crate::hash::hasher;
use crate::hash::hasher::state_size;
use crate::inputs::{Params, check_next};
use crate::wipe::{Secret, WipedBox};

/// An HMAC key that an engine prepared.
pub(crate) enum MacState {
    Native(NativeMac),
    External(Box<dyn ExternalMac>),
}

/// An HMAC key of the native engine, wiped on drop.
pub(crate) type NativeMac = WipedBox<dyn computation::Prepared>;

/// Computes the HMAC of `source` under `key` into `target`, which must be as long as the digest.
///
/// The key may have any length, including 0. Uses no heap and wipes what it derived from the key.
///
/// # Errors
/// [`Error::NotSupported`] if HMAC is not defined for `hash`, [`Error::OutputSize`] for a target of
/// the wrong length.
#[inline]
pub fn hmac(hash: Hash, key: &[u8], source: &[u8], target: &mut [u8]) -> Result<(), Error> {
    check(hash, target.len())?;
    with_digest!(hash, D => { computation::hmac::<D>(key, source, target); Ok(()) },
        _ => Err(Error::NotSupported))
}

/// A prepared HMAC key: the states of the inner and the outer hash after their first block.
///
/// It saves two compressions per message, and the hashing of a long key. The states are in the
/// memory of keys, so that moving a `MacKey` leaves no copy behind, and are wiped on drop.
pub struct MacKey {
    hash: Hash,
    state: MacState,
}

impl MacKey {
    /// Prepares `key`, of any length, for HMAC with `hash`.
    ///
    /// # Errors
    /// [`Error::NotSupported`] if HMAC is not defined for `hash`; [`Error::Memory`],
    /// [`Error::SecureMemory`].
    pub fn new(hash: Hash, key: &[u8]) -> Result<MacKey, Error> {
        if !hash.facts().hmac {
            return Err(Error::NotSupported);
        }
        let state = with_digest!(hash, D => computation::Midstates::<D>::kept(key)?,
            _ => return Err(Error::NotSupported));
        Ok(MacKey { hash, state: MacState::Native(state) })
    }

    /// Wraps a key that an external engine prepared, which then computes every HMAC under it.
    ///
    /// # Errors
    /// [`Error::NotSupported`] if HMAC is not defined for `hash`.
    pub fn from_external(hash: Hash, key: Box<dyn ExternalMac>) -> Result<MacKey, Error> {
        if !hash.facts().hmac {
            return Err(Error::NotSupported);
        }
        Ok(MacKey { hash, state: MacState::External(key) })
    }

    /// Returns the key of an external engine, `None` for one of the native engine.
    #[inline]
    pub fn external(&self) -> Option<&dyn ExternalMac> {
        match &self.state {
            MacState::Native(_) => None,
            MacState::External(key) => Some(&**key),
        }
    }

    /// Returns the hash.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// Returns the engine's prepared key.
    pub(crate) fn state(&self) -> &MacState {
        &self.state
    }

    /// Returns the key of the native engine; its running hashes are bytes.
    #[inline]
    fn native(&self) -> Result<&NativeMac, Error> {
        match &self.state {
            MacState::Native(state) => Ok(state),
            MacState::External(_) => Err(Error::NotSupported),
        }
    }

    /// Computes the HMAC of `source` into `target`, which must be as long as the digest.
    ///
    /// # Errors
    /// [`Error::OutputSize`] for a target of the wrong length; [`Error::Cancelled`] by the slicer's
    /// checkpoint; [`Error::Unavailable`] from an external engine.
    #[inline]
    pub fn mac(
        &self,
        source: &[u8],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        check(self.hash, target.len())?;
        match &self.state {
            MacState::Native(state) => state.mac(source, target, slicer),
            MacState::External(key) => key.mac(source, target, slicer),
        }
    }

    /// Returns the bytes of the state of a running HMAC, which is that of its inner hash.
    #[inline]
    pub fn state_size(&self) -> usize {
        state_size(self.hash)
    }

    /// Absorbs more of the message and writes the new state to `next`. An empty state has not
    /// begun.
    ///
    /// # Errors
    /// [`Error::State`] if `state` is not a state of the hash, [`Error::OutputSize`] for a `next`
    /// of the wrong size, [`Error::NotSupported`] for a key of an external engine,
    /// [`Error::Cancelled`] by the slicer's checkpoint, with `next` untouched.
    #[inline]
    pub fn update(
        &self,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        check_next(self.hash, next)?;
        self.native()?.update(state, source, next, slicer)
    }

    /// Absorbs the rest of the message and writes the HMAC to `target`, which must be as long as
    /// the digest.
    ///
    /// # Errors
    /// [`Error::State`] if `state` is not a state of the hash, [`Error::OutputSize`] for a target
    /// of the wrong length.
    #[inline]
    pub fn finish(&self, state: &[u8], rest: &[u8], target: &mut [u8]) -> Result<(), Error> {
        check(self.hash, target.len())?;
        self.native()?.finish(state, rest, target)
    }
}

/// The states of the inner and the outer hash after their first block, as `2 * state_size` bytes.
///
/// They replace a [`MacKey`] for a running HMAC with a key for one message: the caller owns the
/// bytes. They allow computing every HMAC under the key. They do not reveal the key if the hash
/// is [`one_way`](crate::catalog::HashFacts::one_way); from those of other hashes it can be
/// computed.
#[derive(Copy, Clone)]
pub struct KeyStates<'a> {
    hash: Hash,
    inner: &'a [u8],
    outer: &'a [u8],
}

/// Writes the [`KeyStates`] of `key`, which may have any length, to `states`.
///
/// # Errors
/// [`Error::NotSupported`] if HMAC is not defined for `hash`, [`Error::OutputSize`] if `states`
/// is not `2 * state_size(hash)` bytes long.
pub fn key_states(hash: Hash, key: &[u8], states: &mut [u8]) -> Result<(), Error> {
    let facts = hash.facts();
    if !facts.hmac {
        return Err(Error::NotSupported);
    }
    if states.len() != 2 * facts.state_size {
        return Err(Error::OutputSize);
    }
    let mut hashed = Ok(());
    let mut pads = Pads::of(facts.block_size, key, |block| {
        let target = &mut block[..facts.digest_size];
        hashed = hash::digest(hash, &Params::NONE, key, target, None);
    });
    hashed?;
    let (inner, outer) = states.split_at_mut(facts.state_size);
    hasher::update(hash, &Params::NONE, &[], pads.inner(), inner, None)?;
    hasher::update(hash, &Params::NONE, &[], pads.outer(), outer, None)
}

impl<'a> KeyStates<'a> {
    /// Wraps the output of [`key_states`] for `hash`.
    ///
    /// # Errors
    /// [`Error::State`] if `states` has another length. The contents are checked on use.
    pub fn new(hash: Hash, states: &'a [u8]) -> Result<KeyStates<'a>, Error> {
        if !hash.facts().hmac || states.len() != 2 * state_size(hash) {
            return Err(Error::State);
        }
        let (inner, outer) = states.split_at(state_size(hash));
        Ok(KeyStates { hash, inner, outer })
    }

    /// Absorbs more of the message; see [`MacKey::update`].
    ///
    /// # Errors
    /// As [`MacKey::update`].
    pub fn update(
        &self,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        hasher::update(self.hash, &Params::default(), self.begun(state), source, next, slicer)
    }

    /// Absorbs the rest of the message and writes the HMAC; see [`MacKey::finish`].
    ///
    /// # Errors
    /// As [`MacKey::finish`].
    pub fn finish(&self, state: &[u8], rest: &[u8], target: &mut [u8]) -> Result<(), Error> {
        check(self.hash, target.len())?;
        let mut inner = Secret::<DIGEST_MAX>::zeros();
        let inner = inner.0.get_mut(..target.len()).ok_or(Error::OutputSize)?;
        hasher::finish(self.hash, &Params::default(), self.begun(state), rest, inner)?;
        hasher::finish(self.hash, &Params::default(), self.outer, inner, target)
    }

    /// Returns the state to continue from. An empty state has not begun.
    fn begun<'b>(&'b self, state: &'b [u8]) -> &'b [u8] {
        if state.is_empty() { self.inner } else { state }
    }
}

impl std::fmt::Debug for KeyStates<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "KeyStates({})", self.hash.facts().name)
    }
}

impl std::fmt::Debug for MacKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "MacKey({})", self.hash.facts().name)
    }
}

#[inline]
fn check(hash: Hash, target_size: usize) -> Result<(), Error> {
    let facts = hash.facts();
    if !facts.hmac {
        return Err(Error::NotSupported);
    }
    if target_size != facts.digest_size {
        return Err(Error::OutputSize);
    }
    Ok(())
}
