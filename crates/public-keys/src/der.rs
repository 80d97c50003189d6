//! Reads and writes the few structures of DER that wrap keys and signatures. What is inside a key
//! is parsed and checked by AWS-LC.

use zeroize::Zeroizing;

use crate::Error;

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(crate) const SEQUENCE: u8 = 0x30;
/// Returns the tag `[number]` around other elements.
pub(crate) const fn context(number: u8) -> u8 {
    0xa0 | number
}

/// The version of PKCS#8, and of PKCS#1 and SEC 1.
pub(crate) const ZERO: &[u8] = &[INTEGER, 1, 0];
pub(crate) const ONE: &[u8] = &[INTEGER, 1, 1];

/// Reads elements one after the other.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    /// Opens an element that has nothing behind it.
    pub(crate) fn only(bytes: &'a [u8], tag: u8) -> Option<Self> {
        let mut reader = Reader(bytes);
        let content = reader.element(tag)?;
        reader.0.is_empty().then_some(Reader(content))
    }

    /// Returns the content of the next element if it has this tag; otherwise stays before it.
    pub(crate) fn element(&mut self, tag: u8) -> Option<&'a [u8]> {
        let (_, rest) = self.0.split_first().filter(|(first, _)| **first == tag)?;
        let (&first, rest) = rest.split_first()?;
        let (size, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            0x81 => rest.split_first().map(|(&size, rest)| (usize::from(size), rest))?,
            0x82 => {
                let (&size, rest) = rest.split_first_chunk()?;
                (usize::from(u16::from_be_bytes(size)), rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(size)?;
        self.0 = rest;
        Some(content)
    }

    /// Opens the next element, a SEQUENCE.
    pub(crate) fn sequence(&mut self) -> Option<Self> {
        self.element(SEQUENCE).map(Reader)
    }

    /// Returns true at the end.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a non-negative INTEGER without leading zeros.
    pub(crate) fn unsigned(&mut self) -> Option<&'a [u8]> {
        self.element(INTEGER).map(without_zeros)
    }
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

/// Returns an element of these parts. It is allocated once, so that no copy of a secret is left.
pub(crate) fn element(tag: u8, parts: &[&[u8]]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let size: usize = parts.iter().map(|part| part.len()).sum();
    let digits = u16::try_from(size).map_err(|_| Error::KeySize)?.to_be_bytes();
    let [high, low] = digits;
    let head: &[u8] = match size {
        0..0x80 => &[tag, low],
        0x80..0x100 => &[tag, 0x81, low],
        _ => &[tag, 0x82, high, low],
    };
    let mut bytes = Zeroizing::new(Vec::new());
    bytes.try_reserve_exact(head.len() + size).map_err(|_| Error::Memory)?;
    bytes.extend_from_slice(head);
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    Ok(bytes)
}

/// Returns an INTEGER of a big-endian number, which may have leading zeros.
pub(crate) fn unsigned(number: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let number = without_zeros(number);
    let sign_bit = number.first().is_none_or(|first| *first >= 0x80);
    element(INTEGER, &[if sign_bit { &[0] } else { &[] }, number])
}

/// Returns a copy.
pub(crate) fn copy(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| Error::Memory)?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}
