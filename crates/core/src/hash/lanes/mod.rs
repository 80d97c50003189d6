//! Multi-buffer hashing: several messages at once on one core, each in a lane of vector registers.
//!
//! The blocks of one message depend on each other; different messages do not. A kernel (one file
//! per family, in the folder of its CPU) compresses the same number of blocks in all its lanes.
//! [`run`] gives it messages of any lengths: it advances all lanes to the nearest end of a message
//! and puts the next message into the lane that became free. When fewer messages remain than a
//! kernel's `min_lanes`, they are spilled to a narrower kernel, and finally to scalar code.
//!
//! Nothing here uses the heap. States, padded ends and digests are overwritten on the stack.
//!
//! RIPEMD-160 and MD5-SHA1 have no kernels; only SHA-256 and Keccak have some for ARM.
//!
//! # Safety
//! A kernel reads through a pointer for each of its lanes, `count` blocks from there on. `run`
//! and `run_uniform` alone make these pointers. They point into a message that has as many whole
//! blocks left, or to its padded end, a whole `Tail` of as many blocks as [`BlockHash::ends`] says.
//! A lane without a message has the pointer of another lane.
//!
//! A kernel is a value that contains the proof that the CPU has its instructions.

pub(crate) mod block_hash;
mod sponge;

use std::mem::MaybeUninit;
use std::ops::Range;

pub(crate) use self::sponge::Sponge;
use crate::checkpoint::DigestSink;
pub(crate) use crate::hash::digest::Multibuffer;
use crate::wipe::{Plain, Wiped, cleanse};

/// A hash that processes a message block by block.
pub(crate) trait BlockHash: Copy {
    /// The state between blocks.
    type State: Plain + Copy;
    /// A buffer for the padded end of a message.
    type Tail: Plain + Copy;
    /// A buffer for a digest.
    type Digest: Plain + Copy + AsRef<[u8]>;

    /// Returns the bytes of a block.
    fn block(&self) -> usize;
    /// Returns the blocks before the padded end of a message of `length` bytes.
    #[inline]
    fn whole(&self, length: usize) -> usize {
        length / self.block()
    }
    /// Returns the blocks that the last `rest` bytes of a message fill with their padding.
    fn ends(&self, rest: usize) -> usize;
    /// Absorbs whole blocks of one message.
    fn blocks(&self, state: &mut Self::State, blocks: &[u8]);
    /// Pads the last bytes of a message of `length` bytes, those after its whole blocks.
    fn pad(&self, tail: &mut Self::Tail, rest: &[u8], length: u64);
    /// Absorbs the rest of one message of `length` bytes and writes its digest.
    fn scalar(&self, state: Self::State, length: u64, rest: &[u8], target: &mut [u8]);
}

pub(crate) type Digest<C> = <C as BlockHash>::Digest;

/// A routine that compresses blocks of `LANES` messages.
///
/// [`run`] and the functions marked `#[inline(always)]` become part of a function that is compiled
/// for the kernel's instructions.
pub(crate) trait LaneKernel<C: BlockHash, const LANES: usize>: Copy {
    type States: States<C::State>;

    /// Returns the lanes, at least 1, that must be in use for this kernel to be the fastest.
    fn min_lanes(self) -> usize;

    /// Absorbs `count` blocks of each lane. Fresh lanes begin with `start`.
    ///
    /// # Safety
    /// `count` blocks must be readable at each lane's pointer, and at that of a lane in
    /// `edges.last` the rest of a `Tail`. The CPU has the instructions, of which the kernel is the
    /// proof.
    unsafe fn step(
        self,
        hash: C,
        states: &mut Self::States,
        edges: Edges,
        start: &C::State,
        at: &[*const u8; LANES],
        count: usize,
    );
    /// Pads as [`BlockHash::pad`] does.
    #[inline(always)]
    fn pad(self, hash: C, tail: &mut C::Tail, rest: &[u8], length: u64) {
        hash.pad(tail, rest, length);
    }
    /// Writes the first `size` bytes of the digests of the lanes in the bit set `ended`. May write
    /// more.
    fn digests(
        self,
        states: &Self::States,
        ended: u32,
        digests: &mut [C::Digest; LANES],
        size: usize,
    );
}

/// The lanes, as bit sets, at an edge of their message.
#[derive(Copy, Clone)]
pub(crate) struct Edges {
    /// Those whose message has not begun.
    pub(crate) fresh: u32,
    /// Those that read the padded end.
    #[allow(dead_code)] // where no hash asks
    pub(crate) last: u32,
}

/// The states of all lanes.
pub(crate) trait States<S>: Plain {
    /// Sets the state of one lane.
    fn put(&mut self, lane: usize, state: &S);
    /// Returns the state of one lane.
    fn get(&self, lane: usize) -> S;
}

/// The states lane by lane.
impl<S: Copy, const LANES: usize> States<S> for [S; LANES]
where
    [S; LANES]: Plain,
{
    #[inline(always)]
    fn put(&mut self, lane: usize, state: &S) {
        self[lane] = *state;
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> S {
        self[lane]
    }
}

/// The states word by word: a row holds one word of each.
#[repr(align(64))]
pub(crate) struct Columns<W, const WORDS: usize, const LANES: usize>(
    pub(crate) [[W; LANES]; WORDS],
);

// SAFETY: made of integers.
unsafe impl<W: Plain, const WORDS: usize, const LANES: usize> Plain for Columns<W, WORDS, LANES> {}

impl<W: Plain + Copy, const WORDS: usize, const LANES: usize> States<[W; WORDS]>
    for Columns<W, WORDS, LANES>
{
    #[inline(always)]
    fn put(&mut self, lane: usize, state: &[W; WORDS]) {
        self.0.iter_mut().zip(state).for_each(|(row, &word)| row[lane] = word);
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> [W; WORDS] {
        self.0.map(|row| row[lane])
    }
}

/// Returns zeros.
#[inline(always)]
fn zeros<T: Plain>() -> T {
    // SAFETY: a valid value, by `Plain`.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Aligns a value to a cache line, so that no vector crosses a line.
#[repr(align(64))]
struct Lines<T>(T);

// SAFETY: the same as what is in it.
unsafe impl<T: Plain> Plain for Lines<T> {}

/// Messages that are sorted at a time.
const WINDOW: usize = 64;

/// The most messages that a kernel spills.
const SPILL_MAX: usize = 16;

/// Messages to hash: those that have not begun, which share one initial state, and those that a
/// wider kernel spilled.
pub(crate) struct Batch<'a, 'o, C: BlockHash> {
    pub(crate) hash: C,
    /// The initial state, and the bytes it has absorbed: whole blocks.
    start: Wiped<C::State>,
    begun: u64,
    sources: &'a [&'a [u8]],
    /// The number of sources that have begun.
    next: usize,
    /// The sources of the current window, and whether `order` differs from theirs.
    window: Range<usize>,
    sorted: bool,
    /// The sorted indices relative to the start of the window.
    order: [u8; WINDOW],
    spilled: Spilled<C::State>,
    /// A buffer for one digest.
    target: &'a mut [u8],
    sink: DigestSink<'o>,
    /// Blocks per slice.
    limit: usize,
}

/// A message of which the first `done` bytes, whole blocks, have been absorbed.
#[derive(Copy, Clone)]
struct SpilledMessage<S> {
    index: usize,
    done: usize,
    state: S,
}

/// The stack of spilled messages.
struct Spilled<S> {
    slots: [MaybeUninit<SpilledMessage<S>>; SPILL_MAX],
    /// The current and the highest number of entries.
    count: usize,
    used: usize,
}

impl<S: Copy> Spilled<S> {
    fn push(&mut self, left: SpilledMessage<S>) {
        self.slots[self.count].write(left);
        self.count += 1;
        self.used = self.used.max(self.count);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<SpilledMessage<S>> {
        self.count = self.count.checked_sub(1)?;
        // SAFETY: the first `count` entries have been written.
        Some(unsafe { self.slots[self.count].assume_init() })
    }
}

impl<S> Drop for Spilled<S> {
    #[inline]
    fn drop(&mut self) {
        if self.used > 0 {
            let used = &mut self.slots[..self.used];
            // SAFETY: pointer and length are of one slice, which is not read again.
            unsafe { cleanse(used.as_mut_ptr().cast(), size_of_val(used)) };
        }
    }
}

impl<'a, 'o, C: BlockHash> Batch<'a, 'o, C> {
    pub(crate) fn new(
        hash: C,
        start: C::State,
        begun: u64,
        sources: &'a [&'a [u8]],
        target: &'a mut [u8],
        sink: DigestSink<'o>,
    ) -> Self {
        let limit =
            sink.slicer.as_ref().map_or(NEVER, |slicer| slicer.slice().div_ceil(hash.block()));
        Self {
            hash,
            start: Wiped(start),
            begun,
            sources,
            next: 0,
            window: 0..0,
            sorted: false,
            order: [0; WINDOW],
            spilled: Spilled {
                slots: [const { MaybeUninit::uninit() }; SPILL_MAX],
                count: 0,
                used: 0,
            },
            target,
            sink,
            limit,
        }
    }

    /// Returns the number of messages that have not begun or were spilled.
    fn waiting(&self) -> usize {
        self.spilled.count + self.sources.len() - self.next
    }

    /// Returns the next message that has not begun and was not cancelled.
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

    /// Sorts the next window by falling length, so that lanes end at about the same time. With 64
    /// messages of up to 2 KiB this saves 8 to 14 %. It costs 4 ns a message, so windows with
    /// lengths that differ by less than 8 blocks keep their order.
    #[inline(never)]
    fn arrange(&mut self) {
        let sources = &self.sources[self.next..];
        let sources = &sources[..sources.len().min(WINDOW)];
        self.window = self.next..self.next + sources.len();
        let (least, most) = sources.iter().fold((usize::MAX, 0), |(least, most), source| {
            (source.len().min(least), source.len().max(most))
        });
        self.sorted = most - least >= 8 * self.hash.block();
        if self.sorted {
            let mut keys = [0_u32; WINDOW];
            for (index, (key, source)) in keys.iter_mut().zip(sources).enumerate() {
                let blocks = (source.len() / self.hash.block()).min(0xff_ffff) as u32;
                *key = !blocks << 8 | index as u32;
            }
            keys[..sources.len()].sort_unstable();
            self.order = keys.map(|key| key as u8);
        }
    }

    /// Returns the number of whole blocks of the message.
    fn blocks(&self, index: usize) -> usize {
        self.hash.whole(self.sources[index].len())
    }

    /// Hashes the remaining messages one by one.
    pub(crate) fn scalar(&mut self) {
        while let Some(SpilledMessage { index, done, state }) = self.spilled.pop() {
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
            while (source.len() - done) / self.hash.block() > self.limit {
                let slice = self.limit * self.hash.block();
                self.hash.blocks(&mut state.0, &source[done..done + slice]);
                done += slice;
                if self.sink.advance(slice) && self.sink.cancelled(index) {
                    return;
                }
            }
            self.sink.advance(source.len() - done + self.hash.block());
        }
        self.hash.scalar(state.0, self.begun + source.len() as u64, &source[done..], self.target);
        self.sink.emit(index, self.target);
    }
}

/// The state of the lanes in [`run`].
struct Lanes<C: BlockHash, const LANES: usize> {
    /// The message in each lane.
    index: [usize; LANES],
    /// Where each lane reads next.
    at: [*const u8; LANES],
    /// Blocks left in the message's whole blocks or in its padded end.
    left: [usize; LANES],
    /// Blocks of the padded end; 0 until the lane reaches it.
    ends: [usize; LANES],
    /// The padded ends, one per lane.
    tails: *mut C::Tail,
    /// The bit set of lanes without a message.
    idle: u32,
    edges: Edges,
}

/// Blocks left in a lane without a message: never the minimum.
const NEVER: usize = usize::MAX / 2;

impl<C: BlockHash, const LANES: usize> Lanes<C, LANES> {
    fn new(tails: *mut C::Tail) -> Self {
        Self {
            index: [0; LANES],
            at: [std::ptr::null(); LANES],
            left: [NEVER; LANES],
            ends: [0; LANES],
            tails,
            idle: u32::MAX >> (32 - LANES),
            edges: Edges { fresh: 0, last: 0 },
        }
    }

    /// Puts the next messages into idle lanes.
    #[inline(always)]
    fn fill<K: LaneKernel<C, LANES>>(
        &mut self,
        kernel: K,
        batch: &mut Batch<'_, '_, C>,
        states: &mut K::States,
    ) {
        for lane in bits(self.idle) {
            let (index, done) =
                if let Some(SpilledMessage { index, done, state }) = batch.spilled.pop() {
                    states.put(lane, &state);
                    (index, done)
                } else if let Some(index) = batch.take() {
                    self.edges.fresh |= 1 << lane;
                    (index, 0)
                } else {
                    return;
                };
            self.idle &= !(1 << lane);
            self.index[lane] = index;
            self.ends[lane] = 0;
            self.edges.last &= !(1 << lane);
            self.left[lane] = batch.blocks(index) - done / batch.hash.block();
            if self.left[lane] > 0 {
                self.at[lane] = batch.sources[index][done..].as_ptr();
            } else {
                self.end(kernel, lane, batch);
            }
        }
    }

    /// Pads the end of a message and lets the lane read it.
    #[inline(always)]
    fn end<K: LaneKernel<C, LANES>>(&mut self, kernel: K, lane: usize, batch: &Batch<'_, '_, C>) {
        let index = self.index[lane];
        let source = batch.sources[index];
        let rest = &source[batch.blocks(index) * batch.hash.block()..];
        // SAFETY: there are as many tails as lanes, and no other reference to this lane's exists.
        let (at, tail) = unsafe { (self.tails.add(lane), &mut *self.tails.add(lane)) };
        kernel.pad(batch.hash, tail, rest, batch.begun + source.len() as u64);
        let count = batch.hash.ends(rest.len());
        self.at[lane] = at.cast_const().cast();
        self.left[lane] = count;
        self.ends[lane] = count;
        self.edges.last |= 1 << lane;
    }

    /// Frees the lanes of cancelled messages.
    #[cold]
    fn drop_cancelled(&mut self, batch: &Batch<'_, '_, C>) {
        for lane in bits(!self.idle & u32::MAX >> (32 - LANES)) {
            if batch.sink.cancelled(self.index[lane]) {
                self.idle |= 1 << lane;
                self.left[lane] = NEVER;
            }
        }
    }

    /// Spills the messages in use, unless one is between the two blocks of its padded end. Returns
    /// true if they were spilled.
    fn spill<K: LaneKernel<C, LANES>>(
        &self,
        batch: &mut Batch<'_, '_, C>,
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
                if self.edges.fresh >> lane & 1 == 1 { batch.start.0 } else { states.get(lane) };
            let done = (batch.blocks(index) - left) * batch.hash.block();
            batch.spilled.push(SpilledMessage { index, done, state });
        }
        true
    }
}

/// Hashes the next `LANES` messages if all have the same number of blocks, which is the most
/// frequent case. SHA-256 of 64 bytes takes 27 ns a message, in the general loop of [`run`] 31.
#[inline(always)]
fn run_uniform<C: BlockHash, K: LaneKernel<C, LANES>, const LANES: usize>(
    kernel: K,
    batch: &mut Batch<'_, '_, C>,
    states: &mut K::States,
    tails: &mut [C::Tail; LANES],
    digests: &mut [C::Digest; LANES],
) -> bool {
    let Some(sources) =
        batch.sources.get(batch.next..).and_then(|sources| sources.first_chunk::<LANES>())
    else {
        return false;
    };
    debug_assert!(batch.next >= batch.window.end, "a sorted window is not finished");
    let (hash, size) = (batch.hash, batch.target.len());
    let shape = |source: &[u8]| {
        let whole = hash.whole(source.len());
        (whole, hash.ends(source.len() - whole * hash.block()))
    };
    let (whole, ends) = shape(sources[0]);
    if whole > batch.limit || sources.iter().any(|source| shape(source) != (whole, ends)) {
        return false;
    }
    let all = u32::MAX >> (32 - LANES);
    let mut edges = Edges { fresh: all, last: 0 };
    if whole > 0 {
        let at = sources.map(<[u8]>::as_ptr);
        // SAFETY: each message has `whole` whole blocks; the kernel is its own proof.
        unsafe { kernel.step(hash, states, edges, &batch.start.0, &at, whole) };
        edges.fresh = 0;
    }
    for (tail, source) in tails.iter_mut().zip(sources) {
        kernel.pad(hash, tail, &source[whole * hash.block()..], batch.begun + source.len() as u64);
    }
    let at = tails.each_ref().map(|tail| (&raw const *tail).cast());
    edges.last = all;
    // SAFETY: each tail has `ends` blocks; the kernel is its own proof.
    unsafe { kernel.step(hash, states, edges, &batch.start.0, &at, ends) };
    kernel.digests(states, all, digests, size);
    for (lane, digest) in digests.iter().enumerate() {
        batch.sink.emit(batch.next + lane, &digest.as_ref()[..size]);
    }
    batch.sink.advance((whole + ends) * hash.block());
    batch.next += LANES;
    true
}

/// Hashes messages with a kernel until fewer than its `min_lanes` are left.
#[inline(always)]
pub(crate) fn run<C: BlockHash, K: LaneKernel<C, LANES>, const LANES: usize>(
    kernel: K,
    batch: &mut Batch<'_, '_, C>,
) {
    const { assert!(LANES <= SPILL_MAX) };
    if batch.waiting() < kernel.min_lanes() {
        return;
    }
    let mut states = Wiped(zeros::<K::States>());
    let mut tails = Wiped(zeros::<Lines<[C::Tail; LANES]>>());
    let mut digests = Wiped(zeros::<Lines<[C::Digest; LANES]>>());
    if batch.spilled.count == 0 {
        while run_uniform(kernel, batch, &mut states.0, &mut tails.0.0, &mut digests.0.0) {}
        if batch.waiting() < kernel.min_lanes() {
            return;
        }
    }
    let mut lanes = Lanes::<C, LANES>::new((&raw mut tails.0.0).cast());
    let (block, size) = (batch.hash.block(), batch.target.len());
    loop {
        if lanes.idle != 0 {
            lanes.fill(kernel, batch, &mut states.0);
            let used = LANES - lanes.idle.count_ones() as usize;
            if used < kernel.min_lanes() && lanes.spill::<K>(batch, &states.0) {
                return;
            }
            // Idle lanes read the blocks of another lane.
            let other = lanes.at[(!lanes.idle).trailing_zeros() as usize];
            bits(lanes.idle).for_each(|lane| lanes.at[lane] = other);
            lanes.edges.last &= !lanes.idle;
        }
        let count = lanes.left.iter().fold(batch.limit, |least, &left| least.min(left));
        // SAFETY: each lane has at least `count` blocks left; idle lanes read those of another. The
        // kernel is its own proof.
        unsafe {
            kernel.step(batch.hash, &mut states.0, lanes.edges, &batch.start.0, &lanes.at, count)
        };
        lanes.edges.fresh = 0;
        let mut ended = 0_u32;
        for lane in 0..LANES {
            lanes.at[lane] = lanes.at[lane].wrapping_add(count * block);
            lanes.left[lane] -= count;
            ended |= u32::from(lanes.left[lane] == 0) << lane;
        }
        for lane in bits(ended) {
            if lanes.ends[lane] == 0 {
                lanes.end(kernel, lane, batch);
            } else {
                lanes.idle |= 1 << lane;
                lanes.left[lane] = NEVER;
            }
        }
        let ended = ended & lanes.idle;
        if ended != 0 {
            kernel.digests(&states.0, ended, &mut digests.0.0, size);
            for lane in bits(ended) {
                batch.sink.emit(lanes.index[lane], &digests.0.0[lane].as_ref()[..size]);
            }
        }
        if batch.sink.advance(count * block) {
            lanes.drop_cancelled(batch);
        }
    }
}

/// Returns the positions of the set bits, lowest first.
#[inline]
pub(crate) fn bits(set: u32) -> impl Iterator<Item = usize> {
    let mut set = set;
    std::iter::from_fn(move || {
        let place = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (place < 32).then_some(place as usize)
    })
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) mod tests;
