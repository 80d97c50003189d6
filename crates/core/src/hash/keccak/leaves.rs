//! The leaves of ParallelHash and KangarooTwelve: chunks of a message that are hashed separately.
//! Their chaining values are the message of the root.

use super::duplex::Duplex;
use crate::checkpoint::DigestSink;
use crate::cpu::kernels::lanes;
use crate::hash::lanes::Sponge;
use crate::hash::state_format::{Reader, Writer};
use crate::wipe::{Plain, Wiped, wipe, wipe_plain};

/// Bytes of the longest chaining value.
const VALUE_MAX: usize = 64;

/// Number of leaves for which chaining values are kept until they are absorbed in order.
const GROUP: usize = 32;

/// How a function hashes its leaves.
#[derive(Copy, Clone)]
pub(super) struct LeafKind {
    /// Bytes of a leaf, at least 1.
    pub(super) size: u64,
    /// Bytes of a chaining value.
    pub(super) value: usize,
    /// The byte that ends a leaf.
    pub(super) mark: u8,
}

/// The root and the current leaf of a tree of two levels.
#[derive(Clone)]
pub(super) struct Tree<const RATE: usize, const ROUNDS: usize> {
    pub(super) root: Duplex<RATE, ROUNDS>,
    leaf: Duplex<RATE, ROUNDS>,
    /// Bytes absorbed into leaves.
    pub(super) length: u64,
}

// SAFETY: made of integers and arrays of integers.
unsafe impl<const RATE: usize, const ROUNDS: usize> Plain for Tree<RATE, ROUNDS> {}

impl<const RATE: usize, const ROUNDS: usize> Tree<RATE, ROUNDS> {
    /// Bytes of a saved state: root, lanes of the current leaf, bytes absorbed into leaves.
    pub(super) const STATE: usize = Duplex::<RATE, ROUNDS>::STATE + 200 + 8;

    pub(super) fn new() -> Self {
        Self { root: Duplex::new(), leaf: Duplex::new(), length: 0 }
    }

    /// Returns the bytes in the current leaf.
    fn waiting(&self, kind: LeafKind) -> u64 {
        self.length % kind.size
    }

    /// Absorbs bytes into leaves, and the chaining values of those that are full into the root.
    pub(super) fn absorb(&mut self, kind: LeafKind, source: &[u8]) {
        let mut source = source;
        let waiting = self.waiting(kind);
        self.length += source.len() as u64;
        if waiting > 0 {
            let missing = usize::try_from(kind.size - waiting).unwrap_or(usize::MAX);
            let (first, rest) = source.split_at(source.len().min(missing));
            self.leaf.absorb(first);
            if first.len() < missing {
                return;
            }
            self.end_leaf(kind);
            source = rest;
        }
        let size = usize::try_from(kind.size).unwrap_or(usize::MAX);
        let (whole, rest) = source.split_at(source.len() - source.len() % size);
        let root = &mut self.root;
        values::<RATE, ROUNDS>(kind, whole, &mut |value| root.absorb(value));
        self.leaf.absorb(rest);
    }

    /// Ends the last leaf, if it has begun, and returns the number of leaves.
    pub(super) fn end(&mut self, kind: LeafKind) -> u64 {
        if self.waiting(kind) > 0 {
            self.end_leaf(kind);
        }
        self.length.div_ceil(kind.size)
    }

    fn end_leaf(&mut self, kind: LeafKind) {
        let mut value = [0; VALUE_MAX];
        let value = &mut value[..kind.value];
        self.leaf.pad(kind.mark);
        self.leaf.take(value);
        self.root.absorb(value);
        wipe(value);
        self.leaf = Duplex::new();
    }

    /// Ends the root, which leaves only its output in the state.
    pub(super) fn pad(&mut self, mark: u8) {
        self.root.pad(mark);
        self.length = 0;
    }

    pub(super) fn save(&self, state: &mut [u8]) {
        let (root, rest) = state.split_at_mut(Duplex::<RATE, ROUNDS>::STATE);
        self.root.save(root);
        Writer::over(rest).words(&self.leaf.lanes).integer(self.length).end();
    }

    /// Returns the tree in a saved state, of an extendable output if `xof`. Callers check the place
    /// of the root.
    pub(super) fn load(kind: LeafKind, state: &[u8], xof: bool) -> Option<Self> {
        let (root, rest) = state.split_at_checked(Duplex::<RATE, ROUNDS>::STATE)?;
        let mut fields = Reader::of(rest, 200 + 8)?;
        let root = Duplex::load(root, xof)?;
        let mut leaf = Duplex::new();
        leaf.lanes = fields.words()?;
        let length = fields.length()?;
        let waiting = length % kind.size;
        leaf.at = (waiting % RATE as u64) as usize;
        let blank = leaf.lanes.iter().all(|&lane| lane == 0);
        let valid = (waiting > 0 || blank) && (length == 0 || !root.squeezing());
        valid.then_some(Self { root, leaf, length })
    }

    /// Returns true if the root has ended.
    pub(super) fn ended(&self) -> bool {
        self.root.squeezing()
    }

    /// Returns true if the root is where it is after `absorbed` bytes.
    pub(super) fn is_at(&self, absorbed: u64) -> bool {
        self.root.at as u64 == absorbed % RATE as u64
    }
}

/// Calls `each` with the chaining value of each leaf, in order; the last may be shorter.
pub(super) fn values<const RATE: usize, const ROUNDS: usize>(
    kind: LeafKind,
    leaves: &[u8],
    each: &mut dyn FnMut(&[u8]),
) {
    let size = usize::try_from(kind.size).unwrap_or(usize::MAX);
    if leaves.len() > size && lanes::keccak::multibuffer(lanes::Kernels::detect()).is_some() {
        let (group, sponge) =
            (size.saturating_mul(GROUP), Sponge::<ROUNDS> { rate: RATE, mark: kind.mark });
        for leaves in leaves.chunks(group) {
            let mut values = Wiped([[0_u8; VALUE_MAX]; GROUP]);
            let mut sources = [&[][..]; GROUP];
            let count = leaves.len().div_ceil(size);
            sources.iter_mut().zip(leaves.chunks(size)).for_each(|(place, leaf)| *place = leaf);
            let mut keep = |index: usize, value: &[u8]| {
                values.0[index][..kind.value].copy_from_slice(value);
            };
            let mut target = Wiped([0_u8; VALUE_MAX]);
            lanes::keccak::hash(
                lanes::Kernels::detect(),
                (sponge, [0; 25]),
                &sources[..count],
                &mut target.0[..kind.value],
                DigestSink::new(&mut keep, &mut None),
            );
            values.0[..count].iter().for_each(|value| each(&value[..kind.value]));
        }
        return;
    }
    for leaf in leaves.chunks(size) {
        let mut value = Wiped([0; VALUE_MAX]);
        let value = &mut value.0[..kind.value];
        let mut sponge = Duplex::<RATE, ROUNDS>::new();
        sponge.absorb(leaf);
        sponge.pad(kind.mark);
        sponge.take(value);
        wipe_plain(&mut sponge.lanes);
        each(value);
    }
}
