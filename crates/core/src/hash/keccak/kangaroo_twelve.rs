//! KangarooTwelve (RFC 9861, 3): TurboSHAKE of a message of up to 8 KiB, of a longer one a tree of
//! chunks of 8 KiB, of which the first is in the root.
//!
//! The hashed string is the message, the customization and the customization's length. States hold
//! the message only.

use super::TURBO_ROUNDS as ROUNDS;
use super::duplex::Duplex;
use super::leaves::{LeafKind, Tree, values};
use super::sp800_185::Integer;
use crate::Error;
use crate::allocate::try_with_capacity;
use crate::checkpoint::Slicer;
use crate::hash::digest::Digest;
use crate::hash::keccak;
use crate::inputs::Params;
use crate::wipe::{wipe, wipe_plain};

/// KT128.
pub(crate) type Kt128 = KangarooTwelve<168, 32>;
/// KT256.
pub(crate) type Kt256 = KangarooTwelve<136, 64>;

/// Bytes of a chunk.
pub(crate) const CHUNK: usize = 8192;

/// The end marks of a single chunk, of the root of a tree, and of a leaf.
const SINGLE: u8 = 0x07;
const ROOT: u8 = 0x06;
const LEAF: u8 = 0x0b;

/// The bytes after the first chunk in the root of a tree.
const TREE: [u8; 8] = [3, 0, 0, 0, 0, 0, 0, 0];
/// The bytes at the end of the root of a tree.
const END: [u8; 2] = [0xff; 2];

/// KangarooTwelve with a rate and a default length of output, which is that of a chaining value.
#[derive(Clone)]
pub(crate) struct KangarooTwelve<const RATE: usize, const SIZE: usize> {
    tree: Tree<RATE, ROUNDS>,
    /// Bytes of the first chunk. [`TREE`] has been absorbed if there are more.
    first: usize,
    customization: Customization,
}

/// The bytes of the customization, which a digest does not own: it is created, used and dropped
/// within a call that has borrowed its parameters.
#[derive(Copy, Clone)]
struct Customization(*const [u8]);

// SAFETY: it is read like a reference to bytes, which may be sent.
unsafe impl Send for Customization {}
// SAFETY: as above.
unsafe impl Sync for Customization {}

impl<const RATE: usize, const SIZE: usize> KangarooTwelve<RATE, SIZE> {
    const LEAVES: LeafKind = LeafKind { size: CHUNK as u64, value: SIZE, mark: LEAF };

    /// Ends the string, of which all but the customization has been absorbed.
    fn end(&mut self) {
        // SAFETY: the bytes are borrowed as long as this digest is used; see `Customization`.
        let customization = unsafe { &*self.customization.0 };
        self.update(customization);
        self.update(Integer::length(customization.len() as u64).bytes());
        self.end_root();
    }

    fn end_root(&mut self) {
        self.first = 0;
        if self.tree.length == 0 {
            return self.tree.pad(SINGLE);
        }
        let count = self.tree.end(Self::LEAVES);
        self.end_tree(count);
    }

    fn end_tree(&mut self, leaves: u64) {
        self.tree.root.absorb(Integer::length(leaves).bytes());
        self.tree.root.absorb(&END);
        self.tree.pad(ROOT);
    }

    /// Returns what the root absorbs of a part of a message that begins at `offset`, a
    /// multiple of [`CHUNK`]: the chaining values of its chunks. The first chunk becomes the
    /// lanes of the root that has absorbed it. The last part includes the customization.
    pub(super) fn part(
        params: &Params<'_>,
        (offset, last): (u64, bool),
        source: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let mut source = source;
        let customization = keccak::customization(params);
        let length = Integer::length(customization.len() as u64);
        let more = if last { customization.len() + length.bytes().len() } else { 0 };
        // The lanes of the root, and the values of all chunks.
        let mut part = try_with_capacity(200 + (source.len() + more).div_ceil(CHUNK) * SIZE)?;
        if offset == 0
            && let Some((first, rest)) = source.split_at_checked(CHUNK)
        {
            let mut root = Duplex::<RATE, ROUNDS>::new();
            root.absorb(first);
            root.lanes.iter().for_each(|lane| part.extend_from_slice(&lane.to_le_bytes()));
            wipe_plain(&mut root.lanes);
            source = rest;
        }
        let mut keep = |value: &[u8]| part.extend_from_slice(value);
        if !last {
            values::<RATE, ROUNDS>(Self::LEAVES, source, &mut keep);
            return Ok(part);
        }
        // The last chunk of the message continues with the customization.
        let whole = source.len() - source.len() % CHUNK;
        values::<RATE, ROUNDS>(Self::LEAVES, &source[..whole], &mut keep);
        let mut end = try_with_capacity(source.len() - whole + more)?;
        for bytes in [&source[whole..], customization, length.bytes()] {
            end.extend_from_slice(bytes);
        }
        values::<RATE, ROUNDS>(Self::LEAVES, &end, &mut keep);
        wipe(&mut end);
        Ok(part)
    }

    /// Writes the output of a message of `size` bytes, more than a chunk, from all its parts.
    pub(super) fn join(
        params: &Params<'_>,
        size: u64,
        parts: &mut dyn Iterator<Item = &[u8]>,
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        let mut state = Self::new(params);
        let Some((lanes, values)) = parts.next().and_then(|part| part.split_at_checked(200)) else {
            return Err(Error::Parts);
        };
        let root = &mut state.tree.root;
        for (lane, bytes) in root.lanes.iter_mut().zip(lanes.as_chunks().0) {
            *lane = u64::from_le_bytes(*bytes);
        }
        root.at = CHUNK % RATE;
        root.absorb(&TREE);
        root.absorb(values);
        parts.for_each(|values| root.absorb(values));
        let customization = keccak::customization(params).len() as u64;
        let length = size + customization + Integer::length(customization).bytes().len() as u64;
        state.end_tree((length - 1) / CHUNK as u64);
        let result = Slicer::fill(slicer, target, |slice| state.squeeze(slice));
        state.wipe();
        result
    }
}

impl<const RATE: usize, const SIZE: usize> Digest for KangarooTwelve<RATE, SIZE> {
    const BLOCK: usize = RATE;
    const SIZE: usize = SIZE;

    fn new(params: &Params<'_>) -> Self {
        let customization = Customization(keccak::customization(params));
        Self { tree: Tree::new(), first: 0, customization }
    }

    fn update(&mut self, source: &[u8]) {
        let (first, rest) = source.split_at(source.len().min(CHUNK - self.first));
        self.tree.root.absorb(first);
        self.first += first.len();
        if rest.is_empty() {
            return;
        }
        if self.tree.length == 0 {
            self.tree.root.absorb(&TREE);
        }
        self.tree.absorb(Self::LEAVES, rest);
    }

    fn finish(&mut self, target: &mut [u8]) {
        self.squeeze(target);
    }

    // The tree, and the bytes of the first chunk.
    const STATE: usize = Tree::<RATE, ROUNDS>::STATE + 8;

    fn save(&self, state: &mut [u8]) {
        let (tree, first) = state.split_at_mut(Tree::<RATE, ROUNDS>::STATE);
        self.tree.save(tree);
        first.copy_from_slice(&(self.first as u64).to_le_bytes());
    }

    fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let (tree, first) = state.split_at_checked(Tree::<RATE, ROUNDS>::STATE)?;
        let first = u64::from_le_bytes(first.try_into().ok()?);
        let tree = Tree::load(Self::LEAVES, tree, true)?;
        let chunk = CHUNK as u64;
        let valid = match (tree.ended(), tree.length) {
            (true, _) => first == 0,
            (false, 0) => first <= chunk && tree.is_at(first),
            (false, length) => {
                let values = length / chunk * SIZE as u64;
                first == chunk && tree.is_at(first + TREE.len() as u64 + values)
            }
        };
        let customization = Customization(keccak::customization(params));
        valid.then_some(Self { tree, first: first as usize, customization })
    }

    fn squeeze(&mut self, target: &mut [u8]) {
        if !self.squeezing() {
            self.end();
        }
        self.tree.root.take(target);
    }

    fn squeezing(&self) -> bool {
        self.tree.root.squeezing()
    }

    fn wipe(&mut self) {
        wipe_plain(&mut self.tree);
        self.first = 0;
    }
}
