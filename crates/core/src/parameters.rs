//! Parameters of a hash beside its seed: key, salt, output size and so on, as one string of bytes,
//! which the binding passes in the place of a key.
//!
//! A block is entries in ascending order of their [`Parameter`], and a zero byte. An entry is the
//! number of the parameter and the size of its value (32 bits each, little-endian) and the value,
//! with zeros up to a multiple of 8 bytes. A number is a value of 64 bits. The size of a block is
//! therefore never a multiple of 8, and that of a raw key of 32 bytes is.

use crate::Error;
use crate::catalog::{HashFacts, Parameter};

/// An encoded block; empty without parameters.
#[derive(Copy, Clone, Debug, Default)]
pub struct Parameters<'a>(&'a [u8]);

/// Entries begin at multiples of this.
pub(crate) const ALIGN: usize = 8;

impl<'a> Parameters<'a> {
    /// No parameters.
    pub const NONE: Parameters<'static> = Parameters(&[]);

    /// Returns the parameters in a block. [`Parameters::check`] checks it.
    pub fn of(block: &'a [u8]) -> Parameters<'a> {
        Parameters(block)
    }

    /// Returns the encoded block.
    pub(crate) fn encoded(self) -> &'a [u8] {
        self.0
    }

    /// Returns true without parameters.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a parameter, `None` if it is not given.
    pub fn bytes(self, parameter: Parameter) -> Option<&'a [u8]> {
        let mut rest = self.0;
        while let Some((number, value, after)) = entry(rest) {
            if number == parameter as u32 {
                return Some(value);
            }
            rest = after;
        }
        None
    }

    /// Returns the value of a parameter that is a number.
    pub fn number(self, parameter: Parameter) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(parameter)?.try_into().ok()?))
    }

    /// Checks that the block has its one form, and that the hash takes these values.
    ///
    /// # Errors
    /// [`Error::NotSupported`]; [`Error::KeySize`], [`Error::SaltSize`] and [`Error::OutputSize`]
    /// for a value of the wrong size.
    pub fn check(self, facts: &HashFacts) -> Result<(), Error> {
        let (mut rest, mut least) = (self.0, 0);
        while let Some((number, value, after)) = entry(rest) {
            let range = facts
                .parameters
                .iter()
                .find(|range| range.parameter as u32 == number && number >= least)
                .ok_or(Error::NotSupported)?;
            let size = if range.parameter.is_number() {
                let bytes = value.try_into().map_err(|_| Error::NotSupported)?;
                u64::from_le_bytes(bytes)
            } else {
                value.len() as u64
            };
            if size < range.least || size > range.most {
                return Err(match range.parameter {
                    Parameter::Key => Error::KeySize,
                    Parameter::Salt => Error::SaltSize,
                    Parameter::OutputLength => Error::OutputSize,
                    _ => Error::NotSupported,
                });
            }
            let text = range.parameter == Parameter::Context;
            if text && std::str::from_utf8(value).is_err() {
                return Err(Error::NotSupported);
            }
            (rest, least) = (after, number + 1);
        }
        if rest == [0] { Ok(()) } else { Err(Error::NotSupported) }
    }

    /// Returns a block of these values. They must be in ascending order of the parameters.
    pub fn block(values: &[(Parameter, &[u8])]) -> Vec<u8> {
        let mut block = Vec::new();
        for (parameter, value) in values {
            block.extend_from_slice(&(*parameter as u32).to_le_bytes());
            block.extend_from_slice(&(value.len() as u32).to_le_bytes());
            block.extend_from_slice(value);
            block.resize(block.len().next_multiple_of(ALIGN), 0);
        }
        block.push(0);
        block
    }
}

/// Returns the number and the value of the first entry, and what follows it.
fn entry(block: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let (number, rest) = block.split_first_chunk()?;
    let (size, rest) = rest.split_first_chunk()?;
    let size = u32::from_le_bytes(*size) as usize;
    let (value, rest) = rest.split_at_checked(size)?;
    let (padding, rest) = rest.split_at_checked(size.next_multiple_of(ALIGN) - size)?;
    let padded = padding.iter().all(|&byte| byte == 0);
    padded.then_some((u32::from_le_bytes(*number), value, rest))
}
