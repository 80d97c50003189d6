//! Ranges of a message that is too large for one machine: what each adds to the digest is computed
//! apart, and the digest from all of them.
//!
//! A range of BLAKE3 begins at a multiple of a chunk and yields the chaining values of the largest
//! subtrees in it, from left to right. The whole message is no such subtree, as the root is hashed
//! otherwise: a range that may be all of it yields both halves. A range of KangarooTwelve yields
//! the chaining values of its leaves, which do not depend on their place.
//!
//! A range of BLAKE3 that is a subtree, or the whole message, yields its parents too ([`outboard`]).

use std::borrow::Borrow;

use ::blake3::CHUNK_LEN;
use ::blake3::hazmat::{ChainingValue, merge_subtrees_non_root};

use super::blake3::Blake3Message;
use super::keccak::{KeccakMessage, LEAF_BYTES, Values};
use super::outboard::{self, Leaves};
use crate::Error;
use crate::allocate::try_with_capacity;
use crate::catalog::Hash;
use crate::checkpoint::Slicer;
use crate::cpu::kernels::blake3::root_output;
use crate::inputs::{Params, check_params};
use crate::wipe::wipe;

const CHUNK: u64 = CHUNK_LEN as u64;

/// Bytes of the pieces that several cores or slices take: whole chunks and leaves.
const PIECE: usize = 256 << 10;

/// The most subtrees of a range, and one that is being added: some of each size up, and down.
const SUBTREES_MAX: usize = 2 * 54 + 1;

/// A range of a message, of which several threads may hash pieces at once and in any order. A key
/// is wiped on drop.
pub struct HashRange {
    offset: u64,
    state: State,
}

enum State {
    Blake3(Blake3Message),
    Keccak(KeccakMessage),
    /// A tree of BLAKE3, and true if its root is that of the message.
    Tree(Blake3Message, Leaves, bool),
}

impl std::fmt::Debug for HashRange {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "HashRange({})", self.offset)
    }
}

/// The result of a piece.
pub struct RangePiece(Piece);

enum Piece {
    Subtrees(Subtrees),
    Leaves(Values),
    Tree(outboard::Subtree),
}

impl std::fmt::Debug for RangePiece {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("RangePiece")
    }
}

impl HashRange {
    /// Bytes of a piece; the last may be shorter.
    pub const PIECE: usize = PIECE;

    /// Prepares the range of a message that begins at `offset`.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for other hashes than BLAKE3 and KangarooTwelve, and for parameters
    /// that the hash does not take; [`Error::Parts`] for an offset within a chunk or beyond 2^63;
    /// [`Error::Memory`].
    pub fn new(hash: Hash, params: &Params<'_>, offset: u64) -> Result<HashRange, Error> {
        check_params(hash.facts(), params)?;
        let (unit, state) = match hash {
            Hash::Blake3 => (CHUNK, State::Blake3(Blake3Message::new(params)?)),
            Hash::Kt128 | Hash::Kt256 => {
                (LEAF_BYTES as u64, State::Keccak(KeccakMessage::new(hash, params, u64::MAX)?))
            }
            _ => return Err(Error::NotSupported),
        };
        if !offset.is_multiple_of(unit) || offset >> 63 > 0 {
            return Err(Error::Parts);
        }
        Ok(HashRange { offset, state })
    }

    /// Prepares the subtree of BLAKE3 that begins at `offset`, to yield its parents in pre-order and
    /// the chaining value of its root, or the digest if it is the `root` of the message. Its leaves
    /// are groups of chunks of a size, which have no parents in them, or chaining values, which
    /// have 32 bytes.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for other hashes and with parameters; [`Error::Parts`] for another
    /// size of leaves, or an offset that is no multiple of it or beyond 2^63; [`Error::Memory`].
    pub fn tree(
        hash: Hash,
        params: &Params<'_>,
        [offset, leaf, root]: [u64; 3],
    ) -> Result<HashRange, Error> {
        let leaves = Leaves::of(leaf, PIECE)?;
        if !offset.is_multiple_of(leaf) || offset >> 63 > 0 {
            return Err(Error::Parts);
        }
        if hash != Hash::Blake3 || params.key.is_some() || !params.parameters.is_empty() {
            return Err(Error::NotSupported);
        }
        let message = Blake3Message::new(params)?;
        Ok(HashRange { offset, state: State::Tree(message, leaves, root > 0) })
    }

    /// Hashes the piece at `at` bytes of the range, a multiple of [`HashRange::PIECE`].
    ///
    /// # Errors
    /// [`Error::Parts`] for another place; [`Error::Memory`].
    pub fn piece(&self, at: u64, source: &[u8]) -> Result<RangePiece, Error> {
        if !at.is_multiple_of(PIECE as u64) {
            return Err(Error::Parts);
        }
        let offset = self.offset.checked_add(at).ok_or(Error::Parts)?;
        Ok(RangePiece(match &self.state {
            State::Blake3(message) => Piece::Subtrees(Subtrees::of(message, offset, source)?),
            State::Keccak(message) => Piece::Leaves(message.leaves(source)?),
            State::Tree(message, leaves, _) => {
                Piece::Tree(outboard::Subtree::of(message, *leaves, offset, source)?)
            }
        }))
    }

    /// Writes the values of the range from all its pieces, in order.
    ///
    /// # Errors
    /// [`Error::OutputSize`] unless the values fill the target; [`Error::Parts`] for a tree without
    /// leaves, and for a root without parents; [`Error::Memory`].
    pub fn finish<P: Borrow<RangePiece>>(
        &self,
        pieces: &[P],
        target: &mut [u8],
    ) -> Result<(), Error> {
        let mut target = Target(target);
        match &self.state {
            State::Blake3(message) => {
                let mut all = Subtrees::at(self.offset)?;
                for piece in pieces {
                    if let Piece::Subtrees(piece) = &piece.borrow().0 {
                        piece.values.iter().for_each(|&(value, count)| {
                            all.push(message, value, count);
                        });
                    }
                }
                all.values.iter().try_for_each(|(value, _)| target.put(value))?;
            }
            State::Keccak(_) => {
                for piece in pieces {
                    if let Piece::Leaves(values) = &piece.borrow().0 {
                        target.put(values.bytes())?;
                    }
                }
            }
            State::Tree(_, _, root) => {
                let subtrees = pieces.iter().filter_map(|piece| match &piece.borrow().0 {
                    Piece::Tree(subtree) => Some(subtree),
                    _ => None,
                });
                outboard::Subtree::join(subtrees, *root, |bytes| target.put(bytes))?;
            }
        }
        if target.0.is_empty() { Ok(()) } else { Err(Error::OutputSize) }
    }
}

/// Adds a piece to a range of BLAKE3, for a module of WebAssembly. `values` begins with those of the
/// range from `offset` to `end`, and then with those of the range with the piece. Returns their
/// number.
///
/// # Errors
/// [`Error::Parts`] for a range that does not end with a chunk, or more values than there is room
/// for; [`Error::Memory`].
#[cfg(any(test, target_family = "wasm"))]
pub(crate) fn extend_range(
    params: &Params<'_>,
    [offset, end]: [u64; 2],
    piece: &[u8],
    values: &mut [ChainingValue],
) -> Result<usize, Error> {
    let size = end.checked_sub(offset).ok_or(Error::Parts)?;
    if !offset.is_multiple_of(CHUNK) || !size.is_multiple_of(CHUNK) || end >> 53 > 0 {
        return Err(Error::Parts);
    }
    let mut all = Subtrees::at(offset)?;
    for (index, count) in subtrees(all.end, size / CHUNK).enumerate() {
        all.values.push((*values.get(index).ok_or(Error::Parts)?, count));
    }
    all.end = end / CHUNK;
    all.add(&Blake3Message::new(params)?, piece);
    let places = values.get_mut(..all.values.len()).ok_or(Error::Parts)?;
    places.iter_mut().zip(&all.values).for_each(|(place, (value, _))| *place = *value);
    Ok(all.values.len())
}

/// Writes the parents of a tree of BLAKE3 in pre-order, and the chaining value of its root or the
/// digest, for a module of WebAssembly. Its numbers are those of [`HashRange::tree`]; it has up to
/// [`HashRange::PIECE`] bytes.
///
/// # Errors
/// [`Error::Parts`] for another size of leaves, a tree without leaves, and a root without parents;
/// [`Error::OutputSize`]; [`Error::Memory`].
#[cfg(any(test, target_family = "wasm"))]
pub(crate) fn small_tree(
    [offset, leaf, root]: [u64; 3],
    source: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    let message = Blake3Message::new(&Params::NONE)?;
    let tree = outboard::Subtree::of(&message, Leaves::of(leaf, PIECE)?, offset, source)?;
    let mut target = Target(target);
    outboard::Subtree::join([&tree].into_iter(), root > 0, |bytes| target.put(bytes))?;
    if target.0.is_empty() { Ok(()) } else { Err(Error::OutputSize) }
}

/// The rest of a target.
struct Target<'a>(&'a mut [u8]);

impl Target<'_> {
    fn put(&mut self, value: &[u8]) -> Result<(), Error> {
        let place = self.0.split_off_mut(..value.len()).ok_or(Error::OutputSize)?;
        place.copy_from_slice(value);
        Ok(())
    }
}

/// Writes the BLAKE3 digest of a message from the values of its ranges, in order. `sizes` are the
/// bytes of the ranges. The message has more than one chunk.
///
/// # Errors
/// [`Error::Parts`] if the values are not those of such ranges, or a range but the last ends within
/// a chunk; [`Error::NotSupported`] for another hash; [`Error::Cancelled`], [`Error::Memory`].
pub fn join_ranges(
    hash: Hash,
    params: &Params<'_>,
    sizes: impl Iterator<Item = u64>,
    values: &[u8],
    target: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    check_params(hash.facts(), params)?;
    if hash != Hash::Blake3 {
        return Err(Error::NotSupported);
    }
    join_blake3(params, sizes, values, target, slicer)
}

/// Works like [`join_ranges`], without its checks of parameters.
///
/// # Errors
/// [`Error::Parts`], [`Error::OutputSize`], [`Error::Cancelled`], [`Error::Memory`].
pub(crate) fn join_blake3(
    params: &Params<'_>,
    sizes: impl Iterator<Item = u64>,
    values: &[u8],
    target: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    if target.is_empty() {
        return Err(Error::OutputSize);
    }
    let message = Blake3Message::new(params)?;
    let mut all = Subtrees::at(0)?;
    let (values, rest) = values.as_chunks();
    let mut values = values.iter();
    let mut whole = rest.is_empty();
    for size in sizes {
        // Nothing may follow a chunk that is not full.
        if !whole || size > 1 << 62 || all.end > 1 << 53 {
            return Err(Error::Parts);
        }
        whole = size.is_multiple_of(CHUNK);
        for count in subtrees(all.end, size.div_ceil(CHUNK)) {
            all.push(&message, *values.next().ok_or(Error::Parts)?, count);
        }
    }
    let [(root, _), others @ .., (last, _)] = all.values.as_slice() else {
        return Err(Error::Parts);
    };
    if values.next().is_some() {
        return Err(Error::Parts);
    }
    let right = others
        .iter()
        .rev()
        .fold(*last, |right, (left, _)| merge_subtrees_non_root(left, &right, message.mode()));
    let mut output = root_output(root, &right, message.mode());
    Slicer::fill(slicer, target, |slice| output.fill(slice))
}

/// Returns the chunks of the subtrees of a range, from left to right.
fn subtrees(first: u64, count: u64) -> impl Iterator<Item = u64> {
    let (mut at, mut rest) = (first, count);
    std::iter::from_fn(move || {
        let largest = 1 << rest.checked_ilog2()?;
        let size = match at {
            0 if largest == rest && rest > 1 => largest / 2,
            0 => largest,
            at => largest.min(1 << at.trailing_zeros()),
        };
        (at, rest) = (at + size, rest - size);
        Some(size)
    })
}

/// The subtrees of a range, from left to right: their chaining values and chunks. The last chunk of
/// the message counts as a whole one. Wiped on drop, as those of a keyed hash identify its input.
struct Subtrees {
    /// The chunk after the last.
    end: u64,
    values: Vec<(ChainingValue, u64)>,
}

impl Subtrees {
    /// Returns the subtrees of an empty range.
    fn at(offset: u64) -> Result<Subtrees, Error> {
        Ok(Subtrees { end: offset / CHUNK, values: try_with_capacity(SUBTREES_MAX)? })
    }

    fn of(message: &Blake3Message, offset: u64, source: &[u8]) -> Result<Subtrees, Error> {
        let mut all = Subtrees::at(offset)?;
        all.add(message, source);
        Ok(all)
    }

    /// Adds the next bytes.
    fn add(&mut self, message: &Blake3Message, source: &[u8]) {
        let mut rest = source;
        for count in subtrees(self.end, (source.len() as u64).div_ceil(CHUNK)) {
            let (subtree, after) = rest.split_at(rest.len().min((count * CHUNK) as usize));
            let value = message.part(self.end * CHUNK, subtree);
            self.push(message, value, count);
            rest = after;
        }
    }

    /// Adds the next subtree.
    fn push(&mut self, message: &Blake3Message, value: ChainingValue, count: u64) {
        self.merge(message, true);
        self.values.push((value, count));
        self.end += count;
        self.merge(message, false);
    }

    /// Merges what makes whole subtrees at the end, except for both halves of what may be the whole
    /// message: of one that has `more`.
    fn merge(&mut self, message: &Blake3Message, more: bool) {
        while let [.., (left, count), (right, last)] = self.values.as_slice() {
            let begin = self.end - count - last;
            if count != last || !begin.is_multiple_of(2 * count) || (begin == 0 && !more) {
                return;
            }
            let whole = (merge_subtrees_non_root(left, right, message.mode()), 2 * count);
            self.values.pop();
            if let Some(place) = self.values.last_mut() {
                *place = whole;
            }
        }
    }
}

impl Drop for Subtrees {
    fn drop(&mut self) {
        self.values.iter_mut().for_each(|(value, _)| wipe(value));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::hash::digest;

    fn message(size: usize) -> Vec<u8> {
        (0..size).map(|index| (index * index / 251 % 256) as u8).collect()
    }

    fn digest_of(params: &Params<'_>, source: &[u8]) -> [u8; 100] {
        let mut expected = [0; 100];
        digest(Hash::Blake3, params, source, &mut expected, None).unwrap();
        expected
    }

    fn joined(params: &Params<'_>, source: &[u8], cuts: &[usize]) -> Result<[u8; 100], Error> {
        let mut values = Vec::new();
        let bounds: Vec<usize> = [0].iter().chain(cuts).copied().chain([source.len()]).collect();
        let sizes = bounds.windows(2).map(|pair| (pair[1] - pair[0]) as u64);
        for pair in bounds.windows(2) {
            let range = HashRange::new(Hash::Blake3, params, pair[0] as u64)?;
            let part = &source[pair[0]..pair[1]];
            let pieces: Vec<RangePiece> = part
                .chunks(PIECE)
                .enumerate()
                .map(|(index, piece)| range.piece((index * PIECE) as u64, piece))
                .collect::<Result<_, _>>()?;
            let count =
                subtrees(pair[0] as u64 / CHUNK, (part.len() as u64).div_ceil(CHUNK)).count();
            let mut target = vec![0; count * 32];
            range.finish(&pieces, &mut target)?;
            values.extend(target);
        }
        let mut target = [0; 100];
        join_ranges(Hash::Blake3, params, sizes, &values, &mut target, None)?;
        Ok(target)
    }

    #[test]
    fn every_cut_of_every_small_message_gives_its_digest() {
        let key = [7; 32];
        for params in [Params::NONE, Params { key: Some(&key), ..Params::NONE }] {
            for chunks in 2..20 {
                for size in [chunks * 1024 - 1023, chunks * 1024 - 1, chunks * 1024] {
                    let source = message(size);
                    let expected = digest_of(&params, &source);
                    assert_eq!(joined(&params, &source, &[]).unwrap(), expected, "{size}");
                    for first in 1..chunks {
                        let cut = first * 1024;
                        assert_eq!(joined(&params, &source, &[cut]).unwrap(), expected);
                        for second in first + 1..chunks {
                            let cuts = [cut, second * 1024];
                            assert_eq!(joined(&params, &source, &cuts).unwrap(), expected);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn pieces_at_any_offset_give_the_digest() {
        let source = message((3 << 20) + 5000);
        let expected = digest_of(&Params::NONE, &source);
        for cut in [1024, 300 << 10, (1 << 20) + 1024, (2 << 20) - 1024, 3 << 20] {
            assert_eq!(joined(&Params::NONE, &source, &[cut]).unwrap(), expected, "{cut}");
        }
    }

    #[test]
    fn a_range_grows_by_pieces() {
        let source = message(300_000);
        let key = [7; 32];
        for params in [Params::NONE, Params { key: Some(&key), ..Params::NONE }] {
            for offset in [0, 1024, 65_536, 5 << 20, 7 * 4096] {
                for piece in [1024, 3072, 65_536, 100 << 10] {
                    let range = HashRange::new(Hash::Blake3, &params, offset).unwrap();
                    let whole: Vec<RangePiece> = source
                        .chunks(PIECE)
                        .enumerate()
                        .map(|(index, piece)| range.piece((index * PIECE) as u64, piece).unwrap())
                        .collect();
                    let mut values = [[0; 32]; SUBTREES_MAX];
                    let (mut end, mut count) = (offset, 0);
                    for piece in source.chunks(piece) {
                        count = extend_range(&params, [offset, end], piece, &mut values).unwrap();
                        end += piece.len() as u64;
                    }
                    let mut expected = vec![0; count * 32];
                    range.finish(&whole, &mut expected).unwrap();
                    assert!(values[..count].as_flattened() == expected, "{offset} {piece}");
                }
            }
        }
        let refused = |numbers, room: &mut [ChainingValue]| {
            extend_range(&Params::NONE, numbers, &[1; 1024], room).unwrap_err()
        };
        assert_eq!(refused([1024, 0], &mut [[0; 32]; 9]), Error::Parts);
        assert_eq!(refused([0, 1000], &mut [[0; 32]; 9]), Error::Parts);
        assert_eq!(refused([1000, 1000], &mut [[0; 32]; 9]), Error::Parts);
        assert_eq!(refused([0, 7 << 10], &mut [[0; 32]; 2]), Error::Parts);
        assert_eq!(refused([1024, 1024], &mut []), Error::Parts);
    }

    /// Returns the parents of a message in pre-order and its chaining value, by the definition.
    fn tree_of(source: &[u8], offset: u64, group: usize) -> (Vec<u8>, ChainingValue) {
        let message = Blake3Message::new(&Params::NONE).unwrap();
        if source.len() <= group {
            return (Vec::new(), message.part(offset, source));
        }
        let (left, right) = source.split_at(source.len().next_power_of_two() / 2);
        let (left, one) = tree_of(left, offset, group);
        let (right, other) =
            tree_of(right, offset + source.len().next_power_of_two() as u64 / 2, group);
        let value = merge_subtrees_non_root(&one, &other, message.mode());
        ([&one[..], &other, &left, &right].concat(), value)
    }

    fn found_tree(source: &[u8], offset: u64, leaf: u64, root: u64, size: usize) -> Vec<u8> {
        let range = HashRange::tree(Hash::Blake3, &Params::NONE, [offset, leaf, root]).unwrap();
        let pieces: Vec<RangePiece> = source
            .chunks(PIECE)
            .enumerate()
            .map(|(index, piece)| range.piece((index * PIECE) as u64, piece).unwrap())
            .collect();
        let mut target = vec![0; size];
        range.finish(&pieces, &mut target).unwrap();
        target
    }

    #[test]
    fn trees_have_their_parents_in_pre_order() {
        let source = message((1 << 20) + 70_000);
        for group in [1 << 10, 1 << 12, 1 << 14, 1 << 18] {
            for size in
                [1, 1024, 1025, 5000, 16_384, 100_000, 1 << 18, 300_000, 1 << 20, source.len()]
            {
                let (source, offset) = (&source[..size], 4 << 20);
                let (parents, value) = tree_of(source, offset, group);
                let expected = [&parents[..], &value].concat();
                let found = found_tree(source, offset, group as u64, 0, expected.len());
                assert!(found == expected, "{size} bytes in groups of {group}");
                if !parents.is_empty() {
                    let parents = tree_of(source, 0, group).0;
                    let mut digest = [0; 32];
                    crate::hash::digest(Hash::Blake3, &Params::NONE, source, &mut digest, None)
                        .unwrap();
                    let expected = [&parents[..], &digest].concat();
                    assert!(found_tree(source, 0, group as u64, 1, expected.len()) == expected);
                }
            }
        }
    }

    #[test]
    fn small_trees_are_those_of_ranges() {
        for size in [1024, 1025, 16_384, 65_536, 70_000, PIECE] {
            let source = message(size);
            for (group, root) in [(1024, 0), (1024, 1), (16_384, 0), (32, 1)] {
                let numbers = [if root > 0 { 0 } else { 1 << 20 }, group as u64, root];
                let source = &source[..if group == 32 { size / 32 * 32 } else { size }];
                if root > 0 && source.len() <= group {
                    assert_eq!(small_tree(numbers, source, &mut [0; 32]), Err(Error::Parts));
                    continue;
                }
                let mut found = vec![0; (source.len().div_ceil(group) - 1) * 64 + 32];
                small_tree(numbers, source, &mut found).unwrap();
                let [offset, leaf, root] = numbers;
                assert!(found == found_tree(source, offset, leaf, root, found.len()), "{size}");
                let short = &mut found[1..];
                assert_eq!(small_tree(numbers, source, short), Err(Error::OutputSize));
            }
        }
        assert_eq!(small_tree([0, 1024, 0], &[], &mut [0; 32]), Err(Error::Parts));
        assert_eq!(small_tree([0, 1000, 0], &[1], &mut [0; 32]), Err(Error::Parts));
    }

    #[test]
    fn trees_of_chaining_values_are_those_of_their_subtrees() {
        let source = message(9 * 16_384 + 5);
        let values: Vec<u8> = source
            .chunks(16_384)
            .enumerate()
            .flat_map(|(index, part)| tree_of(part, index as u64 * 16_384, 1024).1)
            .collect();
        let (parents, value) = tree_of(&source, 0, 16_384);
        let expected = [&parents[..], &value].concat();
        assert!(found_tree(&values, 0, 32, 0, expected.len()) == expected);
        let tree = |numbers| HashRange::tree(Hash::Blake3, &Params::NONE, numbers).unwrap_err();
        assert_eq!(tree([0, 512, 0]), Error::Parts);
        assert_eq!(tree([0, 3072, 0]), Error::Parts);
        assert_eq!(tree([1024, 2048, 0]), Error::Parts);
        assert_eq!(tree([0, 1 << 19, 0]), Error::Parts);
        let key = Params { key: Some(&[7; 32]), ..Params::NONE };
        assert_eq!(
            HashRange::tree(Hash::Blake3, &key, [0, 1024, 0]).unwrap_err(),
            Error::NotSupported
        );
        let range = HashRange::tree(Hash::Blake3, &Params::NONE, [0, 32, 1]).unwrap();
        assert_eq!(range.piece(0, &[1; 33]).unwrap_err(), Error::Parts);
        let one = [range.piece(0, &[1; 32]).unwrap()];
        assert_eq!(range.finish(&one, &mut [0; 32]), Err(Error::Parts));
        assert_eq!(range.finish::<RangePiece>(&[], &mut [0; 32]), Err(Error::Parts));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let source = message(8 * 1024);
        assert_eq!(joined(&Params::NONE, &source, &[1000]).unwrap_err(), Error::Parts);
        let join = |sizes: &[u64], values: usize| {
            let values = vec![1; values];
            let sizes = sizes.iter().copied();
            join_ranges(Hash::Blake3, &Params::NONE, sizes, &values, &mut [0; 32], None)
        };
        assert_eq!(join(&[8192], 64), Ok(()));
        assert_eq!(join(&[8192], 96), Err(Error::Parts));
        assert_eq!(join(&[8192], 32), Err(Error::Parts));
        assert_eq!(join(&[8192], 63), Err(Error::Parts));
        assert_eq!(join(&[1024], 32), Err(Error::Parts));
        assert_eq!(join(&[], 0), Err(Error::Parts));
        assert_eq!(join(&[1000, 1024], 64), Err(Error::Parts));
        assert_eq!(join(&[u64::MAX, u64::MAX], 64), Err(Error::Parts));
        let range = HashRange::new(Hash::Sha256, &Params::NONE, 0);
        assert_eq!(range.unwrap_err(), Error::NotSupported);
    }
}
