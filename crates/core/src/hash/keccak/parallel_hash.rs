//! ParallelHash (NIST SP 800-185): the SHAKE digests of blocks, hashed by cSHAKE.

use super::CSHAKE;
use super::leaves::{LeafKind, Tree, values};
use super::sp800_185::{Integer, absorb_padded};
use crate::Error;
use crate::allocate::try_with_capacity;
use crate::catalog::Parameter;
use crate::checkpoint::Slicer;
use crate::hash::digest::Digest;
use crate::hash::keccak;
use crate::inputs::Params;
use crate::wipe::{Plain, wipe_plain};

/// ParallelHash128.
pub(crate) type ParallelHash128 = ParallelHash<168, 32, false>;
/// ParallelHash256.
pub(crate) type ParallelHash256 = ParallelHash<136, 64, false>;
/// ParallelHashXOF128.
pub(crate) type ParallelHashXof128 = ParallelHash<168, 32, true>;
/// ParallelHashXOF256.
pub(crate) type ParallelHashXof256 = ParallelHash<136, 64, true>;

/// The bytes of a block without a block size: those of KangarooTwelve's chunks.
const BLOCK_SIZE: u64 = 8192;

/// ParallelHash with a rate and a default length of output, which is that of a block's digest.
#[derive(Clone)]
pub(crate) struct ParallelHash<const RATE: usize, const SIZE: usize, const XOF: bool> {
    tree: Tree<RATE, 24>,
    block_size: u64,
}

// SAFETY: made of integers and arrays of integers.
unsafe impl<const RATE: usize, const SIZE: usize, const XOF: bool> Plain
    for ParallelHash<RATE, SIZE, XOF>
{
}

impl<const RATE: usize, const SIZE: usize, const XOF: bool> ParallelHash<RATE, SIZE, XOF> {
    /// Returns how blocks of this many bytes are hashed.
    pub(super) fn leaves(block_size: u64) -> LeafKind {
        LeafKind { size: block_size, value: SIZE, mark: keccak::SHAKE }
    }

    fn end(&mut self, bits: u64) {
        let count = self.tree.end(Self::leaves(self.block_size));
        self.tree.root.absorb(Integer::right(count).bytes());
        self.tree.root.absorb(Integer::right(bits).bytes());
        self.tree.pad(CSHAKE);
    }

    /// Absorbs the chaining values of all leaves of a message of `size` bytes, and ends it.
    pub(super) fn join(
        params: &Params<'_>,
        size: u64,
        parts: &mut dyn Iterator<Item = &[u8]>,
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        let mut state = Self::new(params);
        parts.for_each(|values| state.tree.root.absorb(values));
        state.tree.length = size.next_multiple_of(state.block_size);
        state.end_message(target.len());
        let result = Slicer::fill(slicer, target, |slice| state.squeeze(slice));
        state.wipe();
        result
    }

    /// Returns the chaining values of the blocks in a part of a message.
    pub(super) fn part(
        params: &Params<'_>,
        (_offset, _last): (u64, bool),
        source: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let block_size = block_size(params);
        let count = (source.len() as u64).div_ceil(block_size) as usize;
        let mut part = try_with_capacity(count * SIZE)?;
        let kind = Self::leaves(block_size);
        values::<RATE, 24>(kind, source, &mut |value| part.extend_from_slice(value));
        Ok(part)
    }
}

/// Returns the bytes of a block.
pub(super) fn block_size(params: &Params<'_>) -> u64 {
    params.parameters.number(Parameter::BlockSize).unwrap_or(BLOCK_SIZE)
}

impl<const RATE: usize, const SIZE: usize, const XOF: bool> Digest
    for ParallelHash<RATE, SIZE, XOF>
{
    const BLOCK: usize = RATE;
    const SIZE: usize = SIZE;

    fn new(params: &Params<'_>) -> Self {
        let mut tree = Tree::new();
        let block_size = block_size(params);
        let strings = [&b"ParallelHash"[..], keccak::customization(params)];
        absorb_padded(&mut tree.root, &strings);
        tree.root.absorb(Integer::left(block_size).bytes());
        Self { tree, block_size }
    }

    fn update(&mut self, source: &[u8]) {
        self.tree.absorb(Self::leaves(self.block_size), source);
    }

    fn finish(&mut self, target: &mut [u8]) {
        self.end_message(target.len());
        self.tree.root.take(target);
    }

    fn end_message(&mut self, size: usize) {
        self.end(if XOF { 0 } else { 8 * size as u64 });
    }

    const STATE: usize = Tree::<RATE, 24>::STATE;

    fn save(&self, state: &mut [u8]) {
        self.tree.save(state);
    }

    fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let block_size = block_size(params);
        let begun = Integer::left(block_size).bytes().len() as u64;
        let tree = Tree::load(Self::leaves(block_size), state, XOF)?;
        // As many as are told apart by a place in the root: all of them may be too many bytes.
        let leaves = tree.length / block_size % RATE as u64;
        (tree.ended() || tree.is_at(begun + leaves * SIZE as u64))
            .then_some(Self { tree, block_size })
    }

    fn squeeze(&mut self, target: &mut [u8]) {
        if !self.squeezing() {
            self.end(0);
        }
        self.tree.root.take(target);
    }

    fn squeezing(&self) -> bool {
        self.tree.root.squeezing()
    }

    fn wipe(&mut self) {
        wipe_plain(self);
    }
}
