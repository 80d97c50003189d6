//! The inputs that operations pass to engines, and their checks against the catalog.

use crate::Error;
use crate::catalog::{Hash, HashFacts, Parameter};
use crate::parameters::{ALIGN, Parameters};

/// The text to encrypt or decrypt, and the target of the result.
///
/// Source and target are references, so they are either the same bytes or do not overlap.
#[derive(Debug)]
pub enum Text<'a> {
    /// The result replaces the source.
    InPlace(&'a mut [u8]),
    /// The result is written to `target`, which must be as long as `source`.
    Across {
        /// The bytes to read.
        source: &'a [u8],
        /// The bytes to write.
        target: &'a mut [u8],
    },
}

impl<'a> Text<'a> {
    /// Returns the first `at` bytes, and the rest.
    ///
    /// # Panics
    /// If there are fewer bytes.
    #[inline]
    pub fn split_at(self, at: usize) -> (Text<'a>, Text<'a>) {
        match self {
            Text::InPlace(bytes) => {
                let (first, rest) = bytes.split_at_mut(at);
                (Text::InPlace(first), Text::InPlace(rest))
            }
            Text::Across { source, target } => {
                let (first, rest) = source.split_at(at);
                let (target, rest_target) = target.split_at_mut(at);
                (
                    Text::Across { source: first, target },
                    Text::Across { source: rest, target: rest_target },
                )
            }
        }
    }

    /// Returns the length of the source in bytes.
    #[inline]
    pub fn size(&self) -> usize {
        match self {
            Text::InPlace(bytes) => bytes.len(),
            Text::Across { source, .. } => source.len(),
        }
    }

    /// Checks that source and target are of one length.
    ///
    /// # Errors
    /// [`Error::OutputSize`].
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self {
            Text::Across { source, target } if source.len() != target.len() => {
                Err(Error::OutputSize)
            }
            _ => Ok(()),
        }
    }

    /// Encrypts or decrypts by `apply`, then reads the result.
    #[inline]
    pub(crate) fn then<R>(
        self,
        apply: impl FnOnce(Text<'_>) -> Result<(), Error>,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, Error> {
        self.then_with(&mut (), |_, text| apply(text), |_, target| read(target))
    }

    /// Works like [`Text::then`], with a state that both change.
    #[inline]
    pub(crate) fn then_with<S, R>(
        self,
        state: &mut S,
        apply: impl FnOnce(&mut S, Text<'_>) -> Result<(), Error>,
        read: impl FnOnce(&mut S, &[u8]) -> R,
    ) -> Result<R, Error> {
        let target = match self {
            Text::InPlace(bytes) => {
                apply(state, Text::InPlace(&mut *bytes))?;
                bytes
            }
            Text::Across { source, target } => {
                apply(state, Text::Across { source, target: &mut *target })?;
                target
            }
        };
        Ok(read(state, target))
    }

    /// Overwrites the target with zeros.
    #[cfg(not(feature = "aws-lc"))]
    pub(crate) fn clear(self) {
        match self {
            Text::InPlace(target) | Text::Across { target, .. } => target.fill(0),
        }
    }

    /// Returns the source.
    #[inline]
    pub fn source(&self) -> &[u8] {
        match self {
            Text::InPlace(bytes) => bytes,
            Text::Across { source, .. } => source,
        }
    }
}

/// Parameters of some hashes. The default is none.
#[derive(Copy, Clone, Debug, Default)]
pub struct Params<'a> {
    /// The seed of the xxh family. `xxh32` uses the low 32 bits. Must be 0 for all other hashes.
    pub seed: u64,
    /// The key of BLAKE3's keyed mode. Must be `None` for all other hashes.
    pub key: Option<&'a [u8; 32]>,
    /// All others, and a key that is not BLAKE3's.
    pub parameters: Parameters<'a>,
}

impl Params<'_> {
    /// No parameters, as the default.
    pub const NONE: Params<'static> = Params { seed: 0, key: None, parameters: Parameters::NONE };
}

impl<'a> Params<'a> {
    /// Returns the parameters in the place of a key: nothing, a raw key of 32 bytes, or a block.
    ///
    /// # Errors
    /// [`Error::KeySize`] for a raw key of another size.
    pub fn in_key(seed: u64, bytes: &'a [u8]) -> Result<Params<'a>, Error> {
        if bytes.is_empty() {
            return Ok(Params { seed, ..Params::NONE });
        }
        if !bytes.len().is_multiple_of(ALIGN) {
            return Ok(Params { seed, key: None, parameters: Parameters::of(bytes) });
        }
        let key = bytes.try_into().map_err(|_| Error::KeySize)?;
        Ok(Params { seed, key: Some(key), parameters: Parameters::NONE })
    }
}

/// Checks the size of a target against the catalog and the parameters.
///
/// # Errors
/// [`Error::OutputSize`].
#[cfg_attr(target_family = "wasm", inline(always))]
#[cfg_attr(not(target_family = "wasm"), inline)]
pub fn check_target(
    facts: &HashFacts,
    params: &Params<'_>,
    target_size: usize,
) -> Result<(), Error> {
    let size_fits = if facts.xof {
        target_size > 0
    } else if params.parameters.is_empty() {
        target_size == facts.digest_size
    } else {
        target_size == digest_size(facts, params)
    };
    if size_fits { Ok(()) } else { Err(Error::OutputSize) }
}

/// Returns the bytes of the digest with these parameters.
pub(crate) fn digest_size(facts: &HashFacts, params: &Params<'_>) -> usize {
    let size = params.parameters.number(Parameter::OutputLength);
    size.map_or(facts.digest_size, |size| usize::try_from(size).unwrap_or(usize::MAX))
}

/// Checks that a hash takes these parameters.
///
/// # Errors
/// [`Error::NotSupported`] for a parameter that it does not take, and those of
/// [`Parameters::check`](crate::parameters::Parameters::check).
#[cfg_attr(target_family = "wasm", inline(always))]
#[cfg_attr(not(target_family = "wasm"), inline)]
pub fn check_params(facts: &HashFacts, params: &Params<'_>) -> Result<(), Error> {
    if params.seed != 0 && facts.seed_bits == 0 {
        return Err(Error::NotSupported);
    }
    if params.key.is_some() || !params.parameters.is_empty() {
        return check_rare(facts, params);
    }
    Ok(())
}

fn check_rare(facts: &HashFacts, params: &Params<'_>) -> Result<(), Error> {
    if params.parameters.is_empty() {
        return if facts.takes_raw_key() { Ok(()) } else { Err(Error::NotSupported) };
    }
    // The key has one place.
    let in_block = params.parameters.bytes(Parameter::Key).is_some();
    if params.key.is_some() || (in_block && facts.takes_raw_key()) {
        return Err(Error::NotSupported);
    }
    params.parameters.check(facts)
}

/// Checks the size of the room for a state.
#[inline]
pub(crate) fn check_next(hash: Hash, next: &[u8]) -> Result<(), Error> {
    if next.len() == hash.facts().state_size { Ok(()) } else { Err(Error::OutputSize) }
}
