//! Several messages at once on one core: each in a lane of vector registers.
//!
//! A hash is a chain of blocks that cannot be cut, but the chains of different messages have
//! nothing to do with each other. A kernel (one file per family) moves the states of all its lanes
//! on by the same number of blocks; [`run`] gives it messages of any lengths: it lets all lanes go
//! as far as the nearest end of a message, and puts the next message where one ended. When the last
//! ones are too few for a kernel to pay, they go on in a narrower one, and at last alone.
//!
//! Nothing here is on the heap, and what remains on the stack is overwritten: states, ends of
//! messages, digests.
//!
//! One by one, since nobody made kernels for them: RIPEMD-160, MD5-SHA1, BLAKE2. BLAKE3 has lanes
//! within a message.

pub(super) mod keccak;
mod kernel;
mod links;
pub(super) mod md5;
pub(super) mod sha1;
mod sha2;
pub(super) mod sha256;
pub(super) mod sha512;
mod vectors;

use std::mem::MaybeUninit;
use std::ops::Range;

use aws_lc_sys as lc;

use super::features::{Avx2, Avx512, ShaNi, lanes_allowed};
use super::wipe::{Plain, Wiped};
use crate::checkpoint::DigestSink;

/// The kernels there are to choose from.
#[derive(Copy, Clone, Debug)]
pub(super) struct Kernels {
    avx512: Option<Avx512>,
    avx2: Option<Avx2>,
    sha_ni: Option<ShaNi>,
}

/// What a family makes of the kernels.
#[derive(Copy, Clone, Debug)]
pub(super) struct Choice {
    /// The most lanes, and the instructions behind them.
    pub(super) lanes: usize,
    pub(super) instructions: &'static [&'static str],
    /// The fewest messages that are not hashed one by one.
    pub(super) least: usize,
}

impl Choice {
    fn new(lanes: usize, instructions: &'static [&'static str], least: usize) -> Option<Self> {
        Some(Self { lanes, instructions, least })
    }
}

impl Kernels {
    /// Those whose instructions the CPU has and nobody hides, or none where nobody wants them.
    pub(super) fn detect() -> Self {
        if lanes_allowed() {
            Self { avx512: Avx512::detect(), avx2: Avx2::detect(), sha_ni: ShaNi::detect() }
        } else {
            Self { avx512: None, avx2: None, sha_ni: None }
        }
    }
}

/// How a hash goes from block to block.
pub(super) trait Chain: Copy {
    /// What is carried on.
    type State: Plain + Copy;
    /// Room for the padded end of a message.
    type Tail: Plain + Copy;
    /// Room for a digest.
    type Digest: Plain + Copy + AsRef<[u8]>;
    const TAIL: Self::Tail;
    const DIGEST: Self::Digest;

    /// Bytes of a block.
    fn block(&self) -> usize;
    /// How many blocks so many last bytes of a message make with their padding.
    fn ends(&self, rest: usize) -> usize;
    /// Takes in whole blocks of one message.
    fn blocks(&self, state: &mut Self::State, blocks: &[u8]);
    /// Pads the last bytes of a message of `length` bytes, less than a block.
    fn pad(&self, tail: &mut Self::Tail, rest: &[u8], length: u64);
    /// Takes in the rest of a message of `length` bytes on its own, and writes its digest.
    fn alone(&self, state: Self::State, length: u64, rest: &[u8], target: &mut [u8]);
}

type Tail<C> = <C as Chain>::Tail;
type Digest<C> = <C as Chain>::Digest;

/// A routine that moves on the states of `LANES` messages.
///
/// [`run`] is made part of a function that is compiled for the kernel's instructions, and so are
/// the functions here that are always inlined.
pub(super) trait Kernel<C: Chain, const LANES: usize>: Copy {
    /// The states of all lanes.
    type States: Plain;
    const STATES: Self::States;
    /// How many lanes must be in use for it to be the quickest way; at least two.
    fn pays(self) -> usize;

    /// Takes in `count` blocks of each lane. Those in `fresh` begin with `start`.
    ///
    /// # Safety
    /// `count` blocks can be read at each lane's pointer.
    unsafe fn step(
        self,
        chain: C,
        states: &mut Self::States,
        fresh: u32,
        start: &C::State,
        at: &[*const u8; LANES],
        count: usize,
    );
    /// Sets the state of one lane.
    fn put(states: &mut Self::States, lane: usize, state: &C::State);
    /// The state of one lane.
    fn get(states: &Self::States, lane: usize) -> C::State;
    /// [`Chain::pad`].
    #[inline(always)]
    fn pad(self, chain: C, tail: &mut C::Tail, rest: &[u8], length: u64) {
        chain.pad(tail, rest, length);
    }
    /// The first `size` bytes of the digests of the lanes in `ended`, each at its place. May write
    /// more.
    fn digests(
        self,
        states: &Self::States,
        ended: u32,
        digests: &mut [C::Digest; LANES],
        size: usize,
    );
}

/// The states of all lanes, word by word: a row holds one word of each.
#[repr(align(64))]
struct Columns<W, const WORDS: usize, const LANES: usize>([[W; LANES]; WORDS]);

// SAFETY: made of integers.
unsafe impl<const WORDS: usize, const LANES: usize> Plain for Columns<u32, WORDS, LANES> {}
// SAFETY: as above.
unsafe impl<const WORDS: usize, const LANES: usize> Plain for Columns<u64, WORDS, LANES> {}

impl<W: Copy, const WORDS: usize, const LANES: usize> Columns<W, WORDS, LANES> {
    #[inline(always)]
    fn put(&mut self, lane: usize, state: &[W; WORDS]) {
        self.0.iter_mut().zip(state).for_each(|(row, &word)| row[lane] = word);
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> [W; WORDS] {
        self.0.map(|row| row[lane])
    }
}

/// What begins at a cache line, so that no vector lies across two.
#[repr(align(64))]
struct Lines<T>(T);

// SAFETY: the same as what is in it.
unsafe impl<T: Plain> Plain for Lines<T> {}

/// How many messages are put in order at a time.
const WINDOW: usize = 64;

/// Most messages that are left over.
const LEFT: usize = 16;

/// Messages to hash: the fresh ones, which all begin with the same state, and those that a wider
/// kernel left.
pub(super) struct Work<'a, 'o, C: Chain> {
    pub(super) chain: C,
    /// The state with which all begin, and how many bytes it has taken in: whole blocks.
    start: Wiped<C::State>,
    begun: u64,
    sources: &'a [&'a [u8]],
    /// How many of them have begun.
    next: usize,
    /// Those that have been put in order, and whether that is another than theirs.
    window: Range<usize>,
    sorted: bool,
    /// If so: their numbers from the beginning of the window on.
    order: [u8; WINDOW],
    left: Leftovers<C::State>,
    /// Room for a digest.
    target: &'a mut [u8],
    sink: DigestSink<'o>,
    /// Blocks of a slice.
    limit: usize,
}

/// A message that has been taken in up to a border of blocks.
#[derive(Copy, Clone)]
struct Left<S> {
    index: usize,
    done: usize,
    state: S,
}

/// Messages that are left over.
struct Leftovers<S> {
    room: [MaybeUninit<Left<S>>; LEFT],
    /// How many there are, and how many there have been at most.
    count: usize,
    used: usize,
}

impl<S: Copy> Leftovers<S> {
    fn push(&mut self, left: Left<S>) {
        self.room[self.count].write(left);
        self.count += 1;
        self.used = self.used.max(self.count);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Left<S>> {
        self.count = self.count.checked_sub(1)?;
        // SAFETY: the first `count` have been written.
        Some(unsafe { self.room[self.count].assume_init() })
    }
}

impl<S> Drop for Leftovers<S> {
    #[inline]
    fn drop(&mut self) {
        if self.used > 0 {
            let used = &mut self.room[..self.used];
            // SAFETY: pointer and length are of one slice, of which nothing is read any more.
            unsafe { lc::OPENSSL_cleanse(used.as_mut_ptr().cast(), size_of_val(used)) };
        }
    }
}

impl<'a, 'o, C: Chain> Work<'a, 'o, C> {
    pub(super) fn new(
        chain: C,
        start: C::State,
        begun: u64,
        sources: &'a [&'a [u8]],
        target: &'a mut [u8],
        sink: DigestSink<'o>,
    ) -> Self {
        let limit =
            sink.slicer.as_ref().map_or(NEVER, |slicer| slicer.slice().div_ceil(chain.block()));
        Self {
            chain,
            start: Wiped(start),
            begun,
            sources,
            next: 0,
            window: 0..0,
            sorted: false,
            order: [0; WINDOW],
            left: Leftovers { room: [const { MaybeUninit::uninit() }; LEFT], count: 0, used: 0 },
            target,
            sink,
            limit,
        }
    }

    /// How many have not begun or are left over.
    fn waiting(&self) -> usize {
        self.left.count + self.sources.len() - self.next
    }

    /// The next of the fresh messages that somebody wants.
    #[inline(always)]
    fn take(&mut self) -> Option<usize> {
        loop {
            let index = self.take_any()?;
            if !self.sink.cancelled(index) {
                return Some(index);
            }
        }
    }

    #[inline(always)]
    fn take_any(&mut self) -> Option<usize> {
        if self.next >= self.window.end {
            if self.next == self.sources.len() {
                return None;
            }
            self.arrange();
        }
        self.next += 1;
        Some(if self.sorted {
            self.window.start + usize::from(self.order[self.next - 1 - self.window.start])
        } else {
            self.next - 1
        })
    }

    /// Puts the messages of the next window in order: those of most blocks first, so that lanes run
    /// together for long and the last messages end together. With 64 messages of up to 2 KiB
    /// that saves 8 to 14 %, but it takes 4 ns a message, which differences of a few blocks are
    /// not worth.
    #[inline(never)]
    fn arrange(&mut self) {
        let sources = &self.sources[self.next..];
        let sources = &sources[..sources.len().min(WINDOW)];
        self.window = self.next..self.next + sources.len();
        let (least, most) = sources.iter().fold((usize::MAX, 0), |(least, most), source| {
            (source.len().min(least), source.len().max(most))
        });
        self.sorted = most - least >= 8 * self.chain.block();
        if self.sorted {
            let mut keys = [0_u32; WINDOW];
            for (index, (key, source)) in keys.iter_mut().zip(sources).enumerate() {
                let blocks = (source.len() / self.chain.block()).min(0xff_ffff) as u32;
                *key = !blocks << 8 | index as u32;
            }
            keys[..sources.len()].sort_unstable();
            self.order = keys.map(|key| key as u8);
        }
    }

    /// Whole blocks of the message.
    fn blocks(&self, index: usize) -> usize {
        self.sources[index].len() / self.chain.block()
    }

    /// Hashes what waits, one by one.
    pub(super) fn alone(&mut self) {
        while let Some(Left { index, done, state }) = self.left.pop() {
            self.one(index, done, state);
        }
        while let Some(index) = self.take() {
            self.one(index, 0, self.start.0);
        }
    }

    fn one(&mut self, index: usize, done: usize, state: C::State) {
        let (mut state, mut done) = (Wiped(state), done);
        let source = self.sources[index];
        if self.sink.slicer.is_some() {
            while (source.len() - done) / self.chain.block() > self.limit {
                let slice = self.limit * self.chain.block();
                self.chain.blocks(&mut state.0, &source[done..done + slice]);
                done += slice;
                if self.sink.advance(slice) && self.sink.cancelled(index) {
                    return;
                }
            }
            self.sink.advance(source.len() - done + self.chain.block());
        }
        self.chain.alone(state.0, self.begun + source.len() as u64, &source[done..], self.target);
        self.sink.emit(index, self.target);
    }
}

/// The lanes of one run.
struct Lanes<C: Chain, const LANES: usize> {
    /// The message in each lane.
    index: [usize; LANES],
    /// Where each goes on to read.
    at: [*const u8; LANES],
    /// Blocks up to the end of the message's whole blocks, or of its padded end.
    left: [usize; LANES],
    /// Blocks of each padded end, as soon as the lane has come to it; before that 0.
    ends: [usize; LANES],
    /// As many ends.
    tails: *mut C::Tail,
    /// Lanes without a message, as bits.
    idle: u32,
    /// Lanes whose message has not begun.
    fresh: u32,
}

/// Blocks to go in a lane without a message: never the fewest.
const NEVER: usize = usize::MAX / 2;

impl<C: Chain, const LANES: usize> Lanes<C, LANES> {
    fn new(tails: *mut C::Tail) -> Self {
        Self {
            index: [0; LANES],
            at: [std::ptr::null(); LANES],
            left: [NEVER; LANES],
            ends: [0; LANES],
            tails,
            idle: u32::MAX >> (32 - LANES),
            fresh: 0,
        }
    }

    /// Puts waiting messages into idle lanes.
    #[inline(always)]
    fn fill<K: Kernel<C, LANES>>(
        &mut self,
        kernel: K,
        work: &mut Work<'_, '_, C>,
        states: &mut K::States,
    ) {
        for lane in bits(self.idle) {
            let (index, done) = if let Some(Left { index, done, state }) = work.left.pop() {
                K::put(states, lane, &state);
                (index, done)
            } else if let Some(index) = work.take() {
                self.fresh |= 1 << lane;
                (index, 0)
            } else {
                return;
            };
            self.idle &= !(1 << lane);
            self.index[lane] = index;
            self.ends[lane] = 0;
            self.left[lane] = work.blocks(index) - done / work.chain.block();
            if self.left[lane] > 0 {
                self.at[lane] = work.sources[index][done..].as_ptr();
            } else {
                self.end(kernel, lane, work);
            }
        }
    }

    /// Comes to the padded end of a message.
    #[inline(always)]
    fn end<K: Kernel<C, LANES>>(&mut self, kernel: K, lane: usize, work: &Work<'_, '_, C>) {
        let index = self.index[lane];
        let source = work.sources[index];
        let rest = &source[work.blocks(index) * work.chain.block()..];
        // SAFETY: there are as many tails as lanes, and nobody refers to this lane's.
        let (at, tail) = unsafe { (self.tails.add(lane), &mut *self.tails.add(lane)) };
        kernel.pad(work.chain, tail, rest, work.begun + source.len() as u64);
        let count = work.chain.ends(rest.len());
        self.at[lane] = at.cast_const().cast();
        self.left[lane] = count;
        self.ends[lane] = count;
    }

    /// Gives up the messages that nobody wants any more.
    #[cold]
    fn drop_cancelled(&mut self, work: &Work<'_, '_, C>) {
        for lane in bits(!self.idle & u32::MAX >> (32 - LANES)) {
            if work.sink.cancelled(self.index[lane]) {
                self.idle |= 1 << lane;
                self.left[lane] = NEVER;
            }
        }
    }

    /// Hands messages back that are too few, unless one is between the two blocks of its end.
    fn hand_back<K: Kernel<C, LANES>>(
        &self,
        work: &mut Work<'_, '_, C>,
        states: &K::States,
    ) -> bool {
        let used = || bits(!self.idle & u32::MAX >> (32 - LANES));
        if used().any(|lane| self.ends[lane] > self.left[lane]) {
            return false;
        }
        for lane in used() {
            let index = self.index[lane];
            let left = if self.ends[lane] > 0 { 0 } else { self.left[lane] };
            let state =
                if self.fresh >> lane & 1 == 1 { work.start.0 } else { K::get(states, lane) };
            let done = (work.blocks(index) - left) * work.chain.block();
            work.left.push(Left { index, done, state });
        }
        true
    }
}

/// Hashes the next `LANES` messages if they are alike, with the same number of blocks: all lanes
/// begin and end together. This is the most frequent case, and for short messages the quickest by
/// far.
///
/// SHA-256 of 64 bytes: 27 ns where the loop in [`run`] takes 31.
#[inline(always)]
fn flock<C: Chain, K: Kernel<C, LANES>, const LANES: usize>(
    kernel: K,
    work: &mut Work<'_, '_, C>,
    states: &mut K::States,
    tails: &mut [C::Tail; LANES],
    digests: &mut [C::Digest; LANES],
) -> bool {
    let Some(sources) =
        work.sources.get(work.next..).and_then(|sources| sources.first_chunk::<LANES>())
    else {
        return false;
    };
    debug_assert!(work.next >= work.window.end, "a window is taken in its order");
    let (chain, size) = (work.chain, work.target.len());
    let shape =
        |source: &[u8]| (source.len() / chain.block(), chain.ends(source.len() % chain.block()));
    let (whole, ends) = shape(sources[0]);
    if whole > work.limit || sources.iter().any(|source| shape(source) != (whole, ends)) {
        return false;
    }
    let mut fresh = u32::MAX >> (32 - LANES);
    if whole > 0 {
        // SAFETY: each message has as many whole blocks.
        unsafe {
            kernel.step(chain, states, fresh, &work.start.0, &sources.map(<[u8]>::as_ptr), whole)
        };
        fresh = 0;
    }
    for (tail, source) in tails.iter_mut().zip(sources) {
        kernel.pad(chain, tail, &source[whole * chain.block()..], work.begun + source.len() as u64);
    }
    let at = tails.each_ref().map(|tail| (&raw const *tail).cast());
    // SAFETY: each tail has as many blocks.
    unsafe { kernel.step(chain, states, fresh, &work.start.0, &at, ends) };
    kernel.digests(states, u32::MAX >> (32 - LANES), digests, size);
    for (lane, digest) in digests.iter().enumerate() {
        work.sink.emit(work.next + lane, &digest.as_ref()[..size]);
    }
    work.sink.advance((whole + ends) * chain.block());
    work.next += LANES;
    true
}

/// Hashes messages with a kernel until none is left, or too few.
#[inline(always)]
fn run<C: Chain, K: Kernel<C, LANES>, const LANES: usize>(kernel: K, work: &mut Work<'_, '_, C>) {
    const { assert!(LANES <= LEFT) };
    if work.waiting() < kernel.pays() {
        return;
    }
    let mut states = Wiped(K::STATES);
    let (mut tails, mut digests) =
        (Wiped(Lines([C::TAIL; LANES])), Wiped(Lines([C::DIGEST; LANES])));
    if work.left.count == 0 {
        while flock(kernel, work, &mut states.0, &mut tails.0.0, &mut digests.0.0) {}
        if work.waiting() < kernel.pays() {
            return;
        }
    }
    let mut lanes = Lanes::<C, LANES>::new((&raw mut tails.0.0).cast());
    let (block, size) = (work.chain.block(), work.target.len());
    loop {
        if lanes.idle != 0 {
            lanes.fill(kernel, work, &mut states.0);
            let used = LANES - lanes.idle.count_ones() as usize;
            if used < kernel.pays() && lanes.hand_back::<K>(work, &states.0) {
                return;
            }
            // Idle lanes read along with another.
            let other = lanes.at[(!lanes.idle).trailing_zeros() as usize];
            bits(lanes.idle).for_each(|lane| lanes.at[lane] = other);
        }
        let count = lanes.left.iter().fold(work.limit, |least, &left| least.min(left));
        // SAFETY: as many blocks are left in each lane at least; idle ones read what another does.
        unsafe {
            kernel.step(work.chain, &mut states.0, lanes.fresh, &work.start.0, &lanes.at, count)
        };
        lanes.fresh = 0;
        let mut ended = 0_u32;
        for lane in 0..LANES {
            lanes.at[lane] = lanes.at[lane].wrapping_add(count * block);
            lanes.left[lane] -= count;
            ended |= u32::from(lanes.left[lane] == 0) << lane;
        }
        for lane in bits(ended) {
            if lanes.ends[lane] == 0 {
                lanes.end(kernel, lane, work);
            } else {
                lanes.idle |= 1 << lane;
                lanes.left[lane] = NEVER;
            }
        }
        let ended = ended & lanes.idle;
        if ended != 0 {
            kernel.digests(&states.0, ended, &mut digests.0.0, size);
            for lane in bits(ended) {
                work.sink.emit(lanes.index[lane], &digests.0.0[lane].as_ref()[..size]);
            }
        }
        if work.sink.advance(count * block) {
            lanes.drop_cancelled(work);
        }
    }
}

/// The places of the bits that are set, from the lowest on.
#[inline]
fn bits(set: u32) -> impl Iterator<Item = usize> {
    let mut set = set;
    std::iter::from_fn(move || {
        let place = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (place < 32).then_some(place as usize)
    })
}

#[cfg(test)]
pub(super) mod tests;
