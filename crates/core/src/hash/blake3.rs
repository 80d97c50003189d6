//! BLAKE3, by its authors' `blake3`. Its hashers do not expose their state, but its subtrees do: a
//! message is cut at the borders of the tree, the library hashes each piece in one call with all
//! its vectors, and of a piece only the chaining value is kept.
//!
//! 1 MiB at a time takes as long as with the library's own hasher, 64 KiB 2 % longer (120 ns, for
//! loading, saving and wiping 2.6 KB). Pieces know nothing of
//! each other, so that several cores may hash one message.

use ::blake3::hazmat::{
    ChainingValue, HasherExt, Mode, hash_derive_key_context, merge_subtrees_non_root,
};
use ::blake3::{CHUNK_LEN, Hasher, hash, keyed_hash};

use super::compression::blake::{all_but_last, pad};
use super::compression::constants::FIRST_WORDS_256;
use super::digest::Digest;
use super::lanes::{BlockHash, Multibuffer};
use super::running::digest_from;
use super::state_format::{LENGTH_MAX, Reader, Writer};
use crate::Error;
use crate::catalog::Parameter;
use crate::checkpoint::{DigestSink, Slicer};
use crate::cpu::any::blake3::hasher;
use crate::cpu::kernels::blake3::{OWN_READER, OutputReader, chunk_output, root_output};
use crate::cpu::kernels::lanes;
use crate::inputs::Params;
use crate::wipe::{Plain, Secret, Wiped, WipedBox, wipe_plain, wipe_replace};

/// Most subtrees of different sizes: those of one chunk less than `LENGTH_MAX`.
const DEPTH_MAX: usize = LENGTH_MAX.ilog2() as usize - CHUNK_LEN.ilog2() as usize;

/// BLAKE3, with or without key or context, with any length of output.
#[derive(Clone)]
pub(crate) struct Blake3 {
    /// [`HASH`], [`KEYED`] or [`DERIVE`].
    kind: u8,
    /// The key, or that of the context; zeros without one.
    key: [u8; 32],
    /// Bytes absorbed. [`Shape`] tells where they are.
    length: u64,
    /// One more than the bytes of output given; 0 before the message has ended.
    output: u64,
    /// The bytes that have not been hashed.
    chunk: [u8; CHUNK_LEN],
    /// The chaining values of the hashed subtrees, from left to right.
    subtrees: [ChainingValue; DEPTH_MAX],
}

// SAFETY: made of integers and arrays of integers.
unsafe impl Plain for Blake3 {}

/// Where the bytes of a message are. The root's own hash differs from a subtree's, so what may turn
/// out to be the root is not hashed yet: the only chunk, and the two halves of a tree that is full.
struct Shape {
    /// The number of chunks hashed.
    chunks: u64,
    /// Returns the number of subtrees they form.
    depth: usize,
    /// Returns the bytes in the current chunk.
    waiting: usize,
}

impl Shape {
    #[inline]
    fn of(length: u64) -> Shape {
        let chunks = if length <= CHUNK_LEN as u64 { 0 } else { length / CHUNK_LEN as u64 };
        let waiting = (length - chunks * CHUNK_LEN as u64) as usize;
        let full = waiting == 0 && chunks.is_power_of_two();
        let depth = if full { 2 } else { chunks.count_ones() as usize };
        Shape { chunks, depth, waiting }
    }
}

impl Digest for Blake3 {
    const BLOCK: usize = 64;
    const SIZE: usize = 32;

    #[inline]
    fn new(params: &Params<'_>) -> Self {
        Self::with(kind_of(params))
    }

    fn update(&mut self, source: &[u8]) {
        let mut source = source;
        let Shape { chunks, depth, waiting } = Shape::of(self.length);
        let (mut chunks, mut depth) = (chunks, depth);
        if source.is_empty() {
            return;
        }
        if waiting > 0 || source.len() <= CHUNK_LEN && chunks == 0 {
            let (first, rest) = source.split_at(source.len().min(CHUNK_LEN - waiting));
            self.chunk[waiting..waiting + first.len()].copy_from_slice(first);
            self.length += first.len() as u64;
            if Shape::of(self.length).waiting > 0 && rest.is_empty() {
                return;
            }
            let value = subtree(self.mode(), chunks, &self.chunk);
            self.push(value, &mut chunks, &mut depth, 1, rest.is_empty());
            source = rest;
        }
        self.length += source.len() as u64;
        // There is more to come than the full tree there was.
        if !source.is_empty() && depth == 2 && chunks.is_power_of_two() {
            self.subtrees[0] =
                merge_subtrees_non_root(&self.subtrees[0], &self.subtrees[1], self.mode());
            depth = 1;
        }
        while source.len() >= CHUNK_LEN {
            // The largest subtree that begins here.
            let mut count = 1 << (source.len() / CHUNK_LEN).ilog2();
            if chunks > 0 {
                count = count.min(1 << chunks.trailing_zeros().min(usize::BITS - 1));
            }
            let (now, rest) = source.split_at(count * CHUNK_LEN);
            let last = rest.is_empty();
            if chunks == 0 && last {
                let (left, right) = now.split_at(now.len() / 2);
                let value = subtree(self.mode(), 0, left);
                self.push(value, &mut chunks, &mut depth, count as u64 / 2, false);
                let value = subtree(self.mode(), chunks, right);
                self.push(value, &mut chunks, &mut depth, count as u64 / 2, true);
            } else {
                let value = subtree(self.mode(), chunks, now);
                self.push(value, &mut chunks, &mut depth, count as u64, last);
            }
            source = rest;
        }
        self.chunk[..source.len()].copy_from_slice(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        self.reader().fill(target);
    }

    #[inline]
    fn finish_with(&mut self, source: &[u8], target: &mut [u8]) {
        if self.length <= CHUNK_LEN as u64 {
            return self.finish_copy(source, target);
        }
        self.update(source);
        self.finish(target);
    }

    // A message of which nothing has been hashed needs no copy: HMAC's, above all.
    #[inline]
    fn finish_copy(&self, source: &[u8], target: &mut [u8]) {
        if self.length <= CHUNK_LEN as u64 {
            return all(
                (self.kind, &self.key),
                [&self.chunk[..self.length as usize], source],
                target,
            );
        }
        let mut copy = self.clone();
        copy.finish_with(source, target);
        copy.wipe();
    }

    // Length, output given plus one, mark of the key, chunk, chaining values.
    const STATE: usize = 3 * 8 + CHUNK_LEN + DEPTH_MAX * 32;

    fn save(&self, state: &mut [u8]) {
        let Shape { depth, waiting, .. } = Shape::of(self.length);
        let values = self.subtrees[..depth].as_flattened();
        let mut writer = Writer::over(state);
        writer.integer(self.length).integer(self.output).bytes(&mark(self.mode()));
        writer.buffer(&self.chunk[..waiting], CHUNK_LEN).buffer(values, DEPTH_MAX * 32).end();
    }

    fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let mut fields = Reader::of(state, Self::STATE)?;
        let (length, output) = (fields.length()?, fields.integer()?);
        // Only the root's children are left when output has begun.
        if output > LENGTH_MAX || (output > 0 && length > CHUNK_LEN as u64 && length != HALVES) {
            return None;
        }
        let (kind, key) = kind_of(params);
        if fields.bytes() != Some(&mark(mode(kind, &key))) {
            return None;
        }
        let Shape { depth, waiting, .. } = Shape::of(length);
        Some(Self {
            kind,
            key,
            length,
            output,
            chunk: *fields.buffer(waiting)?,
            subtrees: *fields
                .buffer::<{ DEPTH_MAX * 32 }>(depth * 32)?
                .as_chunks()
                .0
                .first_chunk()?,
        })
    }

    fn squeeze(&mut self, target: &mut [u8]) {
        if self.output == 0 {
            self.output = 1;
            // The root's children are the state of a message of two chunks, so that from now on a
            // call costs no more than its output.
            if let Some(halves) = self.halves() {
                self.subtrees[..2].copy_from_slice(&halves);
                self.length = HALVES;
            }
        }
        let mut output = self.reader();
        output.set_position(self.output - 1);
        output.fill(target);
        self.output += target.len() as u64;
    }

    #[inline]
    fn squeezing(&self) -> bool {
        self.output > 0
    }

    #[inline]
    fn wipe(&mut self) {
        // There is nothing in the rest of a message of which nothing has been hashed.
        if self.length <= CHUNK_LEN as u64 && self.output == 0 {
            wipe_plain(&mut self.key);
            wipe_plain(&mut self.chunk);
        } else {
            wipe_plain(self);
        }
    }

    #[inline]
    fn multibuffer() -> Option<Multibuffer> {
        lanes::blake3::multibuffer(lanes::Kernels::detect())
    }

    /// Longer outputs have blocks of their own.
    fn min_batch(size: usize) -> usize {
        Self::multibuffer()
            .filter(|_| size <= Self::SIZE)
            .map_or(usize::MAX, |found| found.min_messages)
    }

    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        self.finish_with_kernels(lanes::Kernels::detect(), sources, target, sink);
    }

    // The library's own one-shot needs no hasher, which has room for 54 subtrees (1.9 KB).
    #[inline]
    fn digest(params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        match params.key {
            Some(key) if params.parameters.is_empty() => alone((KEYED, key), source, target),
            _ => {
                let (kind, mut key) = kind_of(params);
                alone((kind, &key), source, target);
                wipe_plain(&mut key);
            }
        }
    }
}

/// Hashes a whole message.
#[inline]
fn alone((kind, key): (u8, &[u8; 32]), source: &[u8], target: &mut [u8]) {
    let digest = match kind {
        HASH if target.len() == Blake3::SIZE => hash(source),
        KEYED if target.len() == Blake3::SIZE => keyed_hash(key, source),
        _ => return all((kind, key), [source, &[]], target),
    };
    target.copy_from_slice(digest.as_bytes());
}

/// How a message among others is hashed: its only chunk in a lane, its nodes in lanes, or alone,
/// since the library has lanes for it.
#[derive(PartialEq)]
enum Size {
    Chunk,
    Tree,
    Large,
}

impl Size {
    fn of(source: &[u8]) -> Self {
        match source.len() {
            0..=CHUNK_LEN => Self::Chunk,
            length if length <= CHUNKS * CHUNK_LEN => Self::Tree,
            _ => Self::Large,
        }
    }
}

/// The most trees whose nodes are hashed together, as many as there are lanes, and the most chunks
/// of such a tree.
const TREES: usize = 16;
const CHUNKS: usize = 4;

/// The flags of a block, by the BLAKE3 paper, section 2.2.
const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;
const FLAGS: [u32; 3] = [0, 1 << 4, 1 << 6];

/// A kind of nodes: what is the same in all blocks, or in all first or last ones.
#[derive(Copy, Clone)]
#[allow(dead_code)] // read by kernels
pub(crate) struct Node {
    /// The flags of each block, of the first and of the last besides.
    pub(crate) each: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// The chunk's number in its message.
    pub(crate) number: u32,
}

impl Node {
    /// Returns the kind of a chunk. `root` is [`ROOT`] for that of a whole message, or 0.
    fn chunk(kind: u8, number: usize, root: u32) -> Self {
        let (each, last) = (FLAGS[usize::from(kind)], CHUNK_END | root);
        Self { each, first: CHUNK_START, last, number: number as u32 }
    }

    /// Returns the kind of a parent.
    fn parent(kind: u8, root: u32) -> Self {
        Self { each: FLAGS[usize::from(kind)], first: PARENT, last: root, number: 0 }
    }
}

impl BlockHash for Node {
    type State = [u32; 9];
    type Tail = [u8; 128];
    type Digest = [u8; 32];

    #[inline]
    fn block(&self) -> usize {
        64
    }

    #[inline]
    fn whole(&self, length: usize) -> usize {
        all_but_last::<64>(length) / 64
    }

    #[inline]
    fn ends(&self, _rest: usize) -> usize {
        1
    }

    #[inline]
    fn pad(&self, tail: &mut [u8; 128], rest: &[u8], _length: u64) {
        pad::<64>(tail, rest);
    }

    fn blocks(&self, _state: &mut [u32; 9], _blocks: &[u8]) {
        unreachable!("the lanes take single nodes too");
    }

    fn scalar(&self, _state: [u32; 9], _length: u64, _rest: &[u8], _target: &mut [u8]) {
        unreachable!("the lanes take single nodes too");
    }
}

/// Hashes messages of more than one chunk, [`TREES`] at most: their chunks by their numbers, then
/// their parents, level by level.
fn trees(
    kernels: lanes::Kernels,
    (kind, key): (u8, [u32; 8]),
    sources: &[&[u8]],
    target: &mut [u8],
    mut sink: DigestSink<'_>,
) {
    let nodes = |node, sources: &[&[u8]], each: &mut dyn FnMut(usize, &[u8])| {
        let slicer = &mut None;
        let sink = DigestSink::new(each, slicer);
        lanes::blake3::hash(kernels, (node, key), sources, &mut [0; 32], sink);
    };
    let mut values = Wiped([[[0; 32]; CHUNKS]; TREES]);
    let values = &mut values.0;
    // The nodes of a level of each tree.
    let mut counts = [0; TREES];
    for (count, source) in counts.iter_mut().zip(sources) {
        *count = source.len().div_ceil(CHUNK_LEN);
    }
    (0..CHUNKS).for_each(|number| {
        let mut chunks = [&[][..]; TREES];
        let mut places = [0; TREES];
        let mut used = 0;
        for (place, source) in sources.iter().enumerate() {
            if let Some(chunk) = source.chunks(CHUNK_LEN).nth(number) {
                (chunks[used], places[used]) = (chunk, place);
                used += 1;
            }
        }
        nodes(Node::chunk(kind, number, 0), &chunks[..used], &mut |index, value| {
            values[places[index]][number].copy_from_slice(value);
        });
    });
    while counts.iter().any(|&count| count > 1) {
        let children = Wiped(*values);
        for root in [0, ROOT] {
            let mut pairs = [&[][..]; TREES * CHUNKS / 2];
            let mut places = [(0, 0); TREES * CHUNKS / 2];
            let mut used = 0;
            for (place, children) in children.0.iter().enumerate() {
                if (counts[place] == 2) == (root == ROOT) {
                    for (index, pair) in children[..counts[place]].chunks_exact(2).enumerate() {
                        (pairs[used], places[used]) = (pair.as_flattened(), (place, index));
                        used += 1;
                    }
                }
            }
            nodes(Node::parent(kind, root), &pairs[..used], &mut |index, value| {
                let (place, index) = places[index];
                values[place][index].copy_from_slice(value);
            });
        }
        for (place, count) in counts.iter_mut().enumerate() {
            if *count % 2 == 1 {
                values[place][*count / 2] = children.0[place][*count - 1];
            }
            *count = count.div_ceil(2);
        }
    }
    for (index, [root, ..]) in values[..sources.len()].iter().enumerate() {
        target.copy_from_slice(&root[..target.len()]);
        sink.emit(index, target);
    }
    sink.advance(sources.iter().map(|source| source.len()).max().unwrap_or(0));
}

/// The length of a message of which only the children of the root are left.
const HALVES: u64 = 2 * CHUNK_LEN as u64;

impl Blake3 {
    #[inline]
    fn with((kind, key): (u8, [u8; 32])) -> Self {
        Self {
            kind,
            key,
            length: 0,
            output: 0,
            chunk: [0; CHUNK_LEN],
            subtrees: [[0; 32]; DEPTH_MAX],
        }
    }

    /// Hashes several messages; see [`Digest::finish_batch`].
    pub(crate) fn finish_with_kernels(
        &self,
        kernels: lanes::Kernels,
        sources: &[&[u8]],
        target: &mut [u8],
        mut sink: DigestSink<'_>,
    ) {
        let mut key = Wiped(FIRST_WORDS_256);
        if self.kind != HASH {
            let words = self.key.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
            key.0.iter_mut().zip(words).for_each(|(place, word)| *place = word);
        }
        let Some(Multibuffer { lanes: width, min_messages, .. }) =
            lanes::blake3::multibuffer(kernels)
        else {
            unreachable!("there are kernels");
        };
        let mut first = 0;
        for group in sources.chunk_by(|one, other| Size::of(one) == Size::of(other)) {
            let (size, count) = (Size::of(group[0]), group.len());
            // HMAC's messages begin with a block.
            if self.length == 0 && size == Size::Chunk && count >= min_messages {
                let node = Node::chunk(self.kind, 0, ROOT);
                let sink = sink.from(first);
                lanes::blake3::hash(kernels, (node, key.0), group, target, sink);
                first += count;
                continue;
            }
            for group in group.chunks(width) {
                let mut sink = sink.from(first);
                first += group.len();
                if self.length == 0 && size == Size::Tree && group.len() >= width - width / 8 {
                    trees(kernels, (self.kind, key.0), group, target, sink);
                } else {
                    sink.in_sequence(0, group, target, |source, target, slicer| {
                        if self.length > 0 || Slicer::cuts(&slicer, source.len()) {
                            return digest_from(self, source, target, slicer);
                        }
                        alone((self.kind, &self.key), source, target);
                        Ok(())
                    });
                }
            }
        }
    }

    #[inline]
    fn mode(&self) -> Mode<'_> {
        mode(self.kind, &self.key)
    }

    /// Adds the next subtree, of `count` chunks, and merges what makes whole subtrees, except for
    /// the root where this is the `last`.
    #[inline]
    fn push(
        &mut self,
        value: ChainingValue,
        chunks: &mut u64,
        depth: &mut usize,
        count: u64,
        last: bool,
    ) {
        *chunks += count;
        let least = if last { 2 } else { 1 };
        let merged = least.max(chunks.count_ones() as usize);
        let mut value = value;
        while *depth >= merged {
            *depth -= 1;
            value = merge_subtrees_non_root(&self.subtrees[*depth], &value, self.mode());
        }
        self.subtrees[*depth] = value;
        *depth += 1;
    }

    /// Returns the children of the root; `None` for a message of a single chunk.
    fn halves(&self) -> Option<[ChainingValue; 2]> {
        let Shape { chunks, depth, waiting } = Shape::of(self.length);
        let (&left, others) = self.subtrees[..depth].split_first()?;
        let (mut right, others) = match waiting {
            0 => others.split_last().map(|(&last, others)| (last, others))?,
            _ => (subtree(self.mode(), chunks, &self.chunk[..waiting]), others),
        };
        for other in others.iter().rev() {
            right = merge_subtrees_non_root(other, &right, self.mode());
        }
        Some([left, right])
    }

    /// Returns the output from its beginning.
    fn reader(&self) -> OutputReader {
        match self.halves() {
            None => chunk_output(self.mode(), &self.chunk[..self.length as usize]),
            Some([left, right]) => root_output(&left, &right, self.mode()),
        }
    }
}

/// Returns the chaining value of a subtree that begins after this many chunks.
fn subtree(mode: Mode<'_>, chunks: u64, source: &[u8]) -> ChainingValue {
    let mut hasher = hasher(mode);
    let value =
        hasher.set_input_offset(chunks * CHUNK_LEN as u64).update(source).finalize_non_root();
    wipe_replace(&mut hasher, Hasher::new());
    value
}

/// Writes the output of a complete message, given in two parts.
#[inline]
fn all((kind, key): (u8, &[u8; 32]), parts: [&[u8]; 2], target: &mut [u8]) {
    if OWN_READER && target.len() != Blake3::SIZE {
        let mut state = Blake3::with((kind, *key));
        parts.into_iter().for_each(|part| state.update(part));
        state.finish(target);
        return state.wipe();
    }
    let mut hasher = hasher(mode(kind, key));
    hasher.update(parts[0]).update(parts[1]);
    if target.len() == Blake3::SIZE {
        target.copy_from_slice(hasher.finalize().as_bytes());
    } else if !OWN_READER {
        hasher.finalize_xof().fill(target);
    }
    wipe_replace(&mut hasher, Hasher::new());
}

/// The kinds of BLAKE3: without a key, with one, and the derivation of keys in a context.
const HASH: u8 = 0;
const KEYED: u8 = 1;
const DERIVE: u8 = 2;

/// Returns the kind, and the key or that of the context.
#[inline]
fn kind_of(params: &Params<'_>) -> (u8, [u8; 32]) {
    match params.key {
        Some(key) => (KEYED, *key),
        None if params.parameters.is_empty() => (HASH, [0; 32]),
        None => (DERIVE, context_key(params)),
    }
}

/// Callers have checked that the context is UTF-8.
#[cold]
fn context_key(params: &Params<'_>) -> [u8; 32] {
    let context = params.parameters.bytes(Parameter::Context).unwrap_or_default();
    hash_derive_key_context(str::from_utf8(context).unwrap_or_default())
}

#[inline]
fn mode(kind: u8, key: &[u8; 32]) -> Mode<'_> {
    match kind {
        KEYED => Mode::KeyedHash(key),
        DERIVE => Mode::DeriveKeyMaterial(key),
        _ => Mode::Hash,
    }
}

/// Returns a value that distinguishes states of different keys; zeros without a key. No message has
/// it as a chaining value: its children would have to be zeros.
#[inline]
fn mark(mode: Mode<'_>) -> [u8; 8] {
    match mode {
        Mode::KeyedHash(_) | Mode::DeriveKeyMaterial(_) => {
            let value = merge_subtrees_non_root(&[0; 32], &[0; 32], mode);
            std::array::from_fn(|index| value[index])
        }
        Mode::Hash => [0; 8],
    }
}

/// Bytes of the parts of a message that several cores hash, and of one that is not much larger than
/// a part.
///
/// A part of 256 KiB takes about 40 us, so that a core may do something else between two; from 64
/// KiB on all of the library's lanes are in use.
const PART: u64 = 256 << 10;
const SMALL_PART: u64 = 64 << 10;

/// Returns the bytes of the parts of a message of `size` bytes.
pub(crate) fn part_size(size: u64) -> Option<u64> {
    match size {
        size if size <= SMALL_PART => None,
        size if size <= LARGE => Some(SMALL_PART),
        _ => Some(PART),
    }
}

/// The largest message that is cut into small parts.
const LARGE: u64 = 4 * PART;

/// A message of which each part, as large as a subtree that is full, is hashed apart.
pub(crate) struct Blake3Message {
    kind: u8,
    /// On the heap, where it stays: a move would leave a copy.
    key: WipedBox<Secret<32>>,
}

impl Blake3Message {
    pub(crate) fn new(params: &Params<'_>) -> Result<Blake3Message, Error> {
        let mut message = Blake3Message { kind: HASH, key: WipedBox::new(Secret::zeros())? };
        // Not by way of `kind_of`: its result would leave a copy of the key.
        if let Some(key) = params.key {
            message.kind = KEYED;
            (*message.key).0.copy_from_slice(key);
        } else {
            (message.kind, (*message.key).0) = kind_of(params);
        }
        Ok(message)
    }

    /// Returns the chaining value of a part.
    pub(crate) fn part(&self, offset: u64, source: &[u8]) -> ChainingValue {
        subtree(self.mode(), offset / CHUNK_LEN as u64, source)
    }

    /// Merges the values of all parts, of which there are at least two.
    pub(crate) fn join(
        &self,
        parts: &mut dyn Iterator<Item = &ChainingValue>,
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        // As many values are left as the count of parts has bits: those of full subtrees, from left
        // to right.
        let mut subtrees = [[0; 32]; u64::BITS as usize];
        let (mut depth, mut last) = (0, [0; 32]);
        for (count, value) in parts.enumerate() {
            if count > 0 {
                // Of `count` parts there are others to come, so none of these merges is the root's.
                for _ in 0..count.trailing_zeros() {
                    depth -= 1;
                    last = merge_subtrees_non_root(&subtrees[depth], &last, self.mode());
                }
                subtrees[depth] = last;
                depth += 1;
            }
            last = *value;
        }
        let Some((root, others)) = subtrees[..depth].split_first() else {
            return Err(Error::Parts);
        };
        for other in others.iter().rev() {
            last = merge_subtrees_non_root(other, &last, self.mode());
        }
        let mut output = root_output(root, &last, self.mode());
        let result = Slicer::fill(slicer, target, |slice| output.fill(slice));
        wipe_plain(&mut subtrees);
        result
    }

    pub(crate) fn mode(&self) -> Mode<'_> {
        mode(self.kind, &(*self.key).0)
    }
}
