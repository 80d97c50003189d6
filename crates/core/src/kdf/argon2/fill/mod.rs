//! Argon2 (RFC 9106): d, i and id, of both versions.
//!
//! The memory is a table of lanes, each a chain of blocks; a lane is cut into four segments, and
//! the lanes of one segment do not look at one another's. All run in one thread here, one segment
//! after the other.
//!
//! ms on Emerald Rapids, Argon2id with 19 MiB and two passes: 3.5 with AVX-512, 5.2 to 7 with AVX2,
//! 15 in scalar code, as RustCrypto's `argon2`. Of each block the first word is computed first: it
//! says where the next one looks.
//!
//! # Safety
//! [`run`] has the memory to itself and has checked its size: `4 * segment_blocks` blocks for each
//! lane, aligned to a cache line. It fills one part of a segment after the other, in order, in one
//! thread, so that all blocks before a part are filled.
//!
//! To fill a block, a compression reads two others: the one before it in its lane, and the one that
//! [`Segment::reference`](segment::Segment) returns. Both are in these lanes, filled, and never the
//! block that is written: a reference into the same lane ends before the block's predecessor, and
//! one into another lane stays out of the current segment.
//!
//! Functions for vectors are called where a proof says that the CPU has the instructions.

pub(crate) mod block;
pub(crate) mod segment;

use self::block::{Block, WORDS};
use self::segment::{Run, Segment};
use crate::Error;
use crate::checkpoint::Checkpoint;
use crate::cpu::kernels::argon2::fill;
use crate::hash::blake2::Blake2b512;
use crate::hash::digest::Digest;
use crate::inputs::Params;
use crate::memory::Memory;
use crate::wipe::{Secret, wipe_below, wipe_plain};

/// How Argon2 addresses its memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By the memory's contents: resists trade-offs of time for memory, leaks through the cache.
    D = 0,
    /// Independently of the password.
    I = 1,
    /// As `I` in the first half of the first pass, then as `D`.
    Id = 2,
}

/// The version of Argon2, as password hashes contain it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// The version of 2015: later passes overwrite blocks.
    V10 = 0x10,
    /// The version of RFC 9106: later passes XOR into blocks.
    V13 = 0x13,
}

/// The kind and cost of an Argon2. [`Cost::new`] checks it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    pub(crate) kind: Kind,
    pub(crate) version: Version,
    pub(crate) memory: u32,
    pub(crate) passes: u32,
    pub(crate) lanes: u32,
}

/// The inputs of Argon2.
#[derive(Copy, Clone, Debug, Default)]
pub struct Input<'a> {
    /// The password.
    pub password: &'a [u8],
    /// The salt, at least 8 bytes.
    pub salt: &'a [u8],
    /// A secret key (pepper); may be empty.
    pub secret: &'a [u8],
    /// Associated data; may be empty.
    pub associated: &'a [u8],
}

/// Blocks filled between two checkpoints, a multiple of 128: 200 to 500 us.
const SLICE: usize = 2048;

/// Bytes of a block.
const BLOCK: u64 = 1024;

/// Returns the bytes of working memory.
pub(crate) fn memory(cost: &Cost) -> u64 {
    4 * u64::from(cost.lanes) * u64::from(segment_size(cost)) * BLOCK
}

/// Returns the number of blocks in a segment: a quarter of a lane.
fn segment_size(cost: &Cost) -> u32 {
    cost.memory / (4 * cost.lanes)
}

/// Derives a key.
pub(crate) fn run(
    cost: &Cost,
    input: &Input<'_>,
    target: &mut [u8],
    memory: &mut Memory,
    checkpoint: &mut dyn Checkpoint,
) -> Result<(), Error> {
    let size = self::memory(cost);
    if size > memory.size() {
        return Err(Error::Memory { needed: size });
    }
    let lanes = cost.lanes as usize;
    let segment_blocks = segment_size(cost) as usize;
    let blocks = memory.lend(size as usize).cast::<Block>();
    let first = first_hash(cost, input, target.len());
    for lane in 0..lanes {
        for index in 0..2 {
            let mut bytes = Secret::<{ BLOCK as usize }>::zeros();
            hash(
                &[&first.0, &(index as u32).to_le_bytes(), &(lane as u32).to_le_bytes()],
                &mut bytes.0,
            );
            // SAFETY: a lane has eight blocks at least, all of them in the memory.
            let block = unsafe { &mut *blocks.add(lane * 4 * segment_blocks + index) };
            for (word, bytes) in block.0.iter_mut().zip(bytes.0.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
    }

    let steps = u64::from(cost.passes) * 4 * (lanes * segment_blocks) as u64;
    let mut done = 0;
    let mut since_pause = 0;
    for pass in 0..cost.passes as usize {
        for slice in 0..4 {
            for lane in 0..lanes {
                let segment = Segment { cost, blocks, segment_blocks, pass, slice, lane };
                for from in (0..segment_blocks).step_by(SLICE) {
                    let to = segment_blocks.min(from + SLICE);
                    // SAFETY: the memory has all lanes, of which this part is filled next.
                    unsafe { fill(Run::new(segment, from, to)) };
                    (done, since_pause) = (done + (to - from) as u64, since_pause + to - from);
                    if since_pause >= SLICE {
                        since_pause = 0;
                        checkpoint.progress(0, done, steps);
                        checkpoint.checkpoint();
                        if checkpoint.cancelled(0) {
                            wipe_below();
                            return Err(Error::Cancelled);
                        }
                    }
                }
            }
        }
    }

    let mut last = Block([0; WORDS]);
    for lane in 0..lanes {
        // SAFETY: the last block of a lane.
        let block = unsafe { &*blocks.add((lane + 1) * 4 * segment_blocks - 1) };
        last.0.iter_mut().zip(block.0).for_each(|(last, word)| *last ^= word);
    }
    let mut bytes = Secret::<{ BLOCK as usize }>::zeros();
    for (bytes, word) in bytes.0.as_chunks_mut().0.iter_mut().zip(last.0) {
        *bytes = word.to_le_bytes();
    }
    wipe_plain(&mut last.0);
    hash(&[&bytes.0], target);
    wipe_below();
    Ok(())
}

/// Returns the hash of all inputs.
fn first_hash(cost: &Cost, input: &Input<'_>, target_size: usize) -> Secret<64> {
    let mut state = Blake2b512::new(&Params::default());
    let numbers = [
        cost.lanes,
        target_size as u32,
        cost.memory,
        cost.passes,
        cost.version as u32,
        cost.kind as u32,
    ];
    numbers.iter().for_each(|number| state.update(&number.to_le_bytes()));
    for bytes in [input.password, input.salt, input.secret, input.associated] {
        state.update(&(bytes.len() as u32).to_le_bytes());
        state.update(bytes);
    }
    let mut target = Secret::zeros();
    state.finish(&mut target.0);
    state.wipe();
    target
}

/// Writes the hash of any length (RFC 9106, section 3.3).
fn hash(parts: &[&[u8]], target: &mut [u8]) {
    let size = (target.len() as u32).to_le_bytes();
    let digest = |size: usize, parts: &[&[u8]]| {
        let mut state = Blake2b512::of_size(size);
        parts.iter().for_each(|part| state.update(part));
        let mut digest = Secret::<64>::zeros();
        state.finish(&mut digest.0);
        state.wipe();
        digest
    };
    // There are three parts at most.
    let mut all = [&[][..]; 4];
    all[0] = &size;
    all[1..=parts.len()].copy_from_slice(parts);
    if target.len() <= 64 {
        let digest = digest(target.len(), &all);
        return target.copy_from_slice(&digest.0[..target.len()]);
    }
    // Of each digest the first half, of the last one all of it.
    let mut last = digest(64, &all);
    let mut at = 0;
    while target.len() - at > 64 {
        target[at..at + 32].copy_from_slice(&last.0[..32]);
        at += 32;
        let rest = target.len() - at;
        last = digest(rest.min(64), &[&last.0]);
    }
    let rest = target.len() - at;
    target[at..].copy_from_slice(&last.0[..rest]);
}
