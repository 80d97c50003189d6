//! Filling a part of a segment: which block looks at which other one, and the compression that the
//! CPU has.

use super::block::{Block, WORDS};
use super::{Cost, Kind, Version};
use crate::cpu::kernels::prefetch::fetch;

/// A segment: its position, and the memory that has it.
#[derive(Copy, Clone)]
pub(crate) struct Segment<'a> {
    pub(crate) cost: &'a Cost,
    pub(crate) blocks: *mut Block,
    /// Blocks of a segment.
    pub(crate) segment_blocks: usize,
    pub(crate) pass: usize,
    pub(crate) slice: usize,
    pub(crate) lane: usize,
}

/// The blocks of a segment that are filled at once: from one number to another, the first of which
/// is a multiple of 128.
#[derive(Copy, Clone)]
pub(crate) struct Run<'a> {
    segment: Segment<'a>,
    from: usize,
    to: usize,
}

/// A compression function; see [`plain`](super::block::plain).
pub(crate) trait Compression: Copy {
    /// # Safety
    /// As for [`plain`](super::block::plain).
    unsafe fn compress(
        self,
        before: *const Block,
        other: *const Block,
        target: *mut Block,
        mixes: bool,
        early: impl FnOnce(u64),
    );
}

impl<'a> Run<'a> {
    pub(crate) fn new(segment: Segment<'a>, from: usize, to: usize) -> Self {
        debug_assert!(from.is_multiple_of(WORDS) && from <= to && to <= segment.segment_blocks);
        Self { segment, from, to }
    }

    /// Fills the blocks.
    ///
    /// # Safety
    /// The run is filled next, in memory that has all lanes and that no other thread uses: see the
    /// head of [`argon2`](super). The CPU has the instructions of the compression.
    #[inline(always)]
    pub(crate) unsafe fn fill_with(self, by: impl Compression) {
        let Self { segment, from, to } = self;
        let Segment { cost, blocks, segment_blocks, pass, slice, lane } = segment;
        let blind = match cost.kind {
            Kind::D => false,
            Kind::I => true,
            Kind::Id => pass == 0 && slice < 2,
        };
        let mixes = pass > 0 && cost.version == Version::V13;
        let whole = 4 * segment_blocks;
        let begin = lane * whole;
        let mut numbers = Block([0; WORDS]);
        // The first two blocks of a lane have been filled at the beginning.
        let from = if pass == 0 && slice == 0 { from.max(2) } else { from };
        let mut seen = None;
        for index in from..to {
            let at = slice * segment_blocks + index;
            let before = begin + (if at == 0 { whole } else { at }) - 1;
            // SAFETY: all three blocks are in the memory, and the one that is written is neither of
            // the others: see the head of `argon2`. The locals are blocks too. The CPU has the
            // instructions of the compression.
            unsafe {
                let number = if blind {
                    if index == from || index.is_multiple_of(WORDS) {
                        numbers = self::numbers(by, &segment, index / WORDS);
                    }
                    numbers.0[index % WORDS]
                } else {
                    seen.unwrap_or_else(|| (*blocks.add(before)).0[0])
                };
                let other = segment.reference(index, number);
                let early = |word: u64| {
                    seen = Some(word);
                    if !blind && index + 1 < to {
                        ahead(blocks.add(segment.reference(index + 1, word)));
                    }
                };
                if blind && index + 1 < to && !(index + 1).is_multiple_of(WORDS) {
                    ahead(blocks.add(segment.reference(index + 1, numbers.0[(index + 1) % WORDS])));
                }
                by.compress(
                    blocks.add(before),
                    blocks.add(other),
                    blocks.add(begin + at),
                    mixes,
                    early,
                );
            }
        }
    }
}

impl Segment<'_> {
    /// Returns the index of the block to which the block `index` of the segment refers, by its
    /// number (RFC 9106, section 3.4).
    #[inline(always)]
    fn reference(&self, index: usize, number: u64) -> usize {
        let Self { cost, segment_blocks, pass, slice, lane, .. } = *self;
        let whole = 4 * segment_blocks;
        let (low, high) = (number & 0xffff_ffff, (number >> 32) as u32);
        let other = if cost.lanes == 1 || pass == 0 && slice == 0 {
            lane
        } else {
            (high % cost.lanes) as usize
        };
        let finished = if pass == 0 { slice * segment_blocks } else { whole - segment_blocks };
        let area =
            if other == lane { finished + index - 1 } else { finished - usize::from(index == 0) }
                as u64;
        let back = (area * ((low * low) >> 32)) >> 32;
        let start = if pass == 0 || slice == 3 { 0 } else { (slice + 1) * segment_blocks };
        let place = start + (area - 1 - back) as usize;
        other * whole + if place >= whole { place - whole } else { place }
    }
}

/// Returns a block of numbers that do not depend on the password (RFC 9106, section 3.4.1.2).
///
/// # Safety
/// The CPU has the instructions of the compression.
#[inline(always)]
unsafe fn numbers(by: impl Compression, segment: &Segment<'_>, count: usize) -> Block {
    let Segment { cost, segment_blocks, pass, slice, lane, .. } = *segment;
    let blocks = 4 * segment_blocks as u64 * u64::from(cost.lanes);
    let zeros = Block([0; WORDS]);
    let (mut input, mut middle, mut output) = (zeros, zeros, zeros);
    input.0[..7].copy_from_slice(&[
        pass as u64,
        lane as u64,
        slice as u64,
        blocks,
        cost.passes.into(),
        cost.kind as u64,
        count as u64 + 1,
    ]);
    // SAFETY: the blocks are locals.
    unsafe {
        by.compress(&zeros, &input, &mut middle, false, |_| {});
        by.compress(&zeros, &middle, &mut output, false, |_| {});
    }
    output
}

/// Asks for a block.
#[inline(always)]
fn ahead(block: *const Block) {
    (0..16).for_each(|line| fetch(block.cast::<u8>().wrapping_add(64 * line)));
}
