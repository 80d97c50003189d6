//! The parents of BLAKE3's tree in pre-order: the outboard of a message, as bao has it.
//!
//! Leaves are groups of chunks, or chaining values. Several cores may compute the pieces of a
//! message; a piece is a whole subtree.

use ::blake3::hazmat::{ChainingValue, Mode};
use ::blake3::platform::Platform;
use ::blake3::{CHUNK_LEN, IncrementCounter};

use super::blake3::Blake3Message;
use super::compression::constants::FIRST_WORDS_256;
use crate::Error;
use crate::allocate::try_with_capacity;
use crate::cpu::kernels::blake3::root_output;

const VALUE: usize = size_of::<ChainingValue>();
const PARENT: usize = 2 * VALUE;

/// The most nodes that vectors hash at once.
const LANES: usize = 16;

// The flags of the specification, section 2.2.
const CHUNK_START: u8 = 1 << 0;
const CHUNK_END: u8 = 1 << 1;
const PARENT_FLAG: u8 = 1 << 2;

/// What the leaves of a tree are.
#[derive(Copy, Clone)]
pub(super) enum Leaves {
    /// Groups of 2 to this power chunks.
    Groups(u32),
    /// Chaining values, one after the other.
    Values,
}

impl Leaves {
    /// Returns the leaves of a size in bytes: that of a chaining value, or of a group of chunks.
    pub(super) fn of(size: u64, most: usize) -> Result<Leaves, Error> {
        match size {
            _ if size == VALUE as u64 => Ok(Leaves::Values),
            _ if size.is_power_of_two() && (CHUNK_LEN as u64..=most as u64).contains(&size) => {
                Ok(Leaves::Groups(size.ilog2() - CHUNK_LEN.ilog2()))
            }
            _ => Err(Error::Parts),
        }
    }
}

/// A subtree: its chaining value, and its parents in pre-order.
pub(super) struct Subtree {
    pub(super) value: ChainingValue,
    pub(super) parents: Vec<[u8; PARENT]>,
}

impl Subtree {
    /// Hashes a subtree that begins at `offset` bytes of a message, a multiple of a chunk.
    pub(super) fn of(
        message: &Blake3Message,
        leaves: Leaves,
        offset: u64,
        source: &[u8],
    ) -> Result<Subtree, Error> {
        let Leaves::Groups(levels) = leaves else {
            let (values, rest) = source.as_chunks();
            let mut all = try_with_capacity(values.len())?;
            all.extend_from_slice(values);
            return if rest.is_empty() { Self::over(all) } else { Err(Error::Parts) };
        };
        let mut values = chunk_values(message, offset, source)?;
        for _ in 0..levels {
            values = merged(&values)?;
        }
        Self::over(values)
    }

    /// Returns the tree over these values.
    fn over(values: Vec<ChainingValue>) -> Result<Subtree, Error> {
        let count = values.len();
        // The parents before each leaf, those of the leaf included.
        let mut places = try_with_capacity(count)?;
        places.extend((0..count).scan(0, |before, index| {
            *before += height(count, index);
            Some(*before)
        }));
        let mut parents = try_with_capacity(count.saturating_sub(1))?;
        parents.resize(count.saturating_sub(1), [0; PARENT]);
        let mut values = values;
        for level in 1.. {
            let pairs = values.as_flattened().as_chunks().0;
            if pairs.is_empty() {
                break;
            }
            for (index, pair) in pairs.iter().enumerate() {
                // Before a leaf are the parents that begin with it, the highest first.
                parents[places[index << level] - level] = *pair;
            }
            values = merged(&values)?;
        }
        Ok(Subtree { value: *values.first().ok_or(Error::Parts)?, parents })
    }

    /// Writes the parents of the tree over these subtrees, all but the last of one full size, and
    /// the chaining value of its root, or its digest if it is a `root`.
    pub(super) fn join<'a>(
        subtrees: impl Iterator<Item = &'a Subtree> + Clone,
        root: bool,
        mut put: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut values = try_with_capacity(subtrees.clone().count())?;
        values.extend(subtrees.clone().map(|subtree| subtree.value));
        let count = values.len();
        let Subtree { mut value, parents } = Self::over(values)?;
        let mut above = parents.iter();
        let mut first: Option<&[u8; PARENT]> = None;
        for (index, subtree) in subtrees.enumerate() {
            for parent in above.by_ref().take(height(count, index)) {
                first = first.or(Some(parent));
                put(parent)?;
            }
            first = first.or(subtree.parents.first());
            put(subtree.parents.as_flattened())?;
        }
        if root {
            let Some([left, right]) = first.map(|parent| parent.as_chunks().0) else {
                return Err(Error::Parts);
            };
            root_output(left, right, Mode::Hash).fill(&mut value);
        }
        put(&value)
    }
}

/// Returns the number of parents of which this leaf is the first, in a tree of `count` leaves.
fn height(count: usize, index: usize) -> usize {
    let leaves = if index == 0 { count } else { (count - index).min(index & index.wrapping_neg()) };
    leaves.next_power_of_two().ilog2() as usize
}

/// Returns the chaining values of the chunks of a source at `offset` bytes of its message.
fn chunk_values(
    message: &Blake3Message,
    offset: u64,
    source: &[u8],
) -> Result<Vec<ChainingValue>, Error> {
    let mut values = try_with_capacity(source.len().div_ceil(CHUNK_LEN))?;
    let (chunks, last) = source.as_chunks();
    hash_many::<CHUNK_LEN>(chunks, Some(offset / CHUNK_LEN as u64), &mut values);
    if !last.is_empty() {
        let at = (chunks.len() * CHUNK_LEN) as u64;
        values.push(message.part(offset + at, last));
    }
    Ok(values)
}

/// Returns the values of the next level: of each two their parent's, and a last one without
/// another.
fn merged(values: &[ChainingValue]) -> Result<Vec<ChainingValue>, Error> {
    let mut level = try_with_capacity(values.len().div_ceil(2))?;
    hash_many::<PARENT>(values.as_flattened().as_chunks().0, None, &mut level);
    if let [.., last] = values
        && !values.len().is_multiple_of(2)
    {
        level.push(*last);
    }
    Ok(level)
}

/// Adds the chaining values of chunks, of which `first` is the number of the first, or of parents.
fn hash_many<const N: usize>(
    nodes: &[[u8; N]],
    first: Option<u64>,
    values: &mut Vec<ChainingValue>,
) {
    let platform = Platform::detect();
    let (count, flags, start, end) = match first {
        Some(_) => (IncrementCounter::Yes, 0, CHUNK_START, CHUNK_END),
        None => (IncrementCounter::No, PARENT_FLAG, 0, 0),
    };
    for (index, batch) in nodes.chunks(LANES).enumerate() {
        let number = first.map_or(0, |first| first + (index * LANES) as u64);
        let mut inputs = [&[0; N]; LANES];
        inputs.iter_mut().zip(batch).for_each(|(input, node)| *input = node);
        let inputs = &inputs[..batch.len()];
        let mut out = [0; LANES * VALUE];
        let key = &FIRST_WORDS_256;
        platform.hash_many(inputs, key, number, count, flags, start, end, &mut out);
        values.extend_from_slice(&out.as_chunks().0[..batch.len()]);
    }
}
