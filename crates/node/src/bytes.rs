//! Who owns the bytes: the argument for every pointer that crosses a thread.
//!
//! JavaScript's memory can vanish under native code. A strong reference keeps the *object*, not
//! its bytes: after `ArrayBuffer.prototype.transfer`, a transfer through `structuredClone` or
//! `postMessage`, or a shrink of a resizable buffer, the old address may be unmapped. So:
//!
//! 1. **Synchronous calls** use a [`Window`] on the caller's memory. Pointers are taken after the
//!    last JavaScript of the call has run, and no JavaScript runs until native code returns, so
//!    nothing can detach, shrink or collect the memory meanwhile. An asynchronous job that is run
//!    inline, during the call, is synchronous in this respect.
//! 2. **Secrets and small inputs** of asynchronous calls (key, iv, tag, aad) are copied at the call
//!    ([`Copies`], wiped when dropped). Reusing or wiping them right after the call is safe.
//! 3. **Friendly asynchronous calls** copy the source at the call too: small ones into memory of
//!    ours, large ones straight into the result buffer, which nobody else can reach until it is
//!    handed over (its own ArrayBuffer, made for this call, referenced by the slot only).
//! 4. **Lent windows**: the source and target of the asynchronous window forms. The caller
//!    promises, in the first line of their documentation, not to transfer, detach or write them
//!    until the callback. The slot in JavaScript holds the views, so the collector cannot free
//!    them; resizable buffers are refused before they get here; a SharedArrayBuffer can neither be
//!    detached nor shrink. When the environment ends, `lifecycle` waits for its running jobs before
//!    the memory goes, and queued jobs are dropped unrun. Memory private to the front is lent
//!    without such a promise: the state of a running hash while an update is in flight, copies of
//!    many messages and the place of their digests.
//! 5. **Small outputs** (digests to 64 bytes, tags, small friendly results) travel inside the
//!    completion and are written by JavaScript when the call settles: never through a pointer.
//!
//! Source and target may overlap in any way: [`text`] moves the source into place first and works
//! there, which is right from both sides.
//!
//! A caller that breaks the promise of 4 by *writing* lent memory gets a result over some mixture
//! of old and new bytes, as with any shared memory; the primitives never branch on message bytes
//! in a way that such a race could turn into an out-of-bounds access.
#![allow(unsafe_code)]

use crate::pages;
use millrace_core::Error;
use millrace_core::allocate::try_with_capacity;
use millrace_core::cipher::Text;
use std::ptr;
use std::slice;
use zeroize::optimization_barrier;

/// A range of memory owned by JavaScript: valid as the rules above say.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Window {
    start: *mut u8,
    size: usize,
}

// SAFETY: rules 3 and 4: the bytes stay put until the job is settled, and the environment's end
// waits for running jobs.
unsafe impl Send for Window {}
// SAFETY: all that can be done with a shared window is to copy it, and a copy may be sent.
unsafe impl Sync for Window {}

impl Window {
    /// # Safety
    /// `start` must point to `size` bytes that stay valid as the rules of this module demand.
    /// It may be anything when `size` is 0.
    pub(crate) unsafe fn new(start: *mut u8, size: usize) -> Window {
        if size == 0 || start.is_null() { Window::EMPTY } else { Window { start, size } }
    }

    /// A window on nothing, with an address that slices accept.
    pub(crate) const EMPTY: Window = Window { start: ptr::NonNull::dangling().as_ptr(), size: 0 };

    pub(crate) fn size(self) -> usize {
        self.size
    }

    /// The range `offset..offset + size`, if it lies within.
    pub(crate) fn part(self, offset: usize, size: usize) -> Option<Window> {
        let end = offset.checked_add(size)?;
        if end > self.size {
            return None;
        }
        // SAFETY: offset <= self.size, so the address is within or one past the same allocation.
        Some(unsafe { Window::new(self.start.add(offset), size) })
    }

    #[inline]
    pub(crate) fn overlaps(self, other: Window) -> bool {
        let (a, b) = (self.start as usize, other.start as usize);
        self.size > 0 && other.size > 0 && a < b + other.size && b < a + self.size
    }

    /// The bytes, for as long as the window is borrowed. A job that writes names the windows it
    /// reads: see [`Window::exclusive`].
    #[inline]
    pub(crate) fn read(&self) -> &[u8] {
        // SAFETY: `Window::new` was promised that the bytes stay valid as the module's rules say,
        // and whoever holds the window is within that job or call. `exclusive` refuses ranges
        // that overlap what is read.
        unsafe { slice::from_raw_parts(self.start, self.size) }
    }

    /// Copies `bytes` to the start of the window; extra bytes on either side are left alone.
    pub(crate) fn write(self, bytes: &[u8]) {
        let size = bytes.len().min(self.size);
        // SAFETY: both ranges hold `size` bytes; `copy` allows them to overlap.
        unsafe { ptr::copy(bytes.as_ptr(), self.start, size) };
    }

    /// Copies the bytes of another window here, whatever their overlap.
    pub(crate) fn copy_from(self, other: Window) {
        debug_assert!(self.size >= other.size);
        // SAFETY: both ranges hold the smaller size; `copy` allows them to overlap.
        unsafe { ptr::copy(other.start, self.start, other.size.min(self.size)) };
    }

    /// [`Window::copy_from`] of a window of the same size, in steps of about `step` bytes.
    pub(crate) fn move_from(self, other: Window, step: usize, mut pause: impl FnMut()) {
        let steps = self.size.div_ceil(step.max(1));
        for index in 0..steps {
            // What is written must have been read: from the front where they move to the front.
            let index = if self.start < other.start { index } else { steps - 1 - index };
            let offset = index * step;
            let size = step.min(self.size - offset);
            if let (Some(target), Some(source)) =
                (self.part(offset, size), other.part(offset, size))
            {
                target.copy_from(source);
            }
            pause();
        }
    }

    /// [`Window::copy_from`] into new memory, whose pages need not exist yet; see `pages`.
    pub(crate) fn fill_new(self, other: Window) {
        let Some(step) = pages::prepare(self.start, self.size) else {
            return self.copy_from(other);
        };
        for offset in (0..other.size).step_by(step) {
            let size = step.min(other.size - offset);
            if let (Some(target), Some(source)) =
                (self.part(offset, size), other.part(offset, size))
            {
                pages::populate(target.start, size);
                target.copy_from(source);
            }
        }
    }

    /// Requests the pages of new memory that will be written from one end to the other; see
    /// `pages`.
    pub(crate) fn populate(self) {
        pages::populate_all(self.start, self.size);
    }

    /// True for two windows that begin at the same place or share no byte.
    pub(crate) fn stands_with(self, other: Window) -> bool {
        self.start == other.start || !self.overlaps(other)
    }

    /// The bytes as a target, for as long as the window is borrowed; `None` if one of the windows
    /// that are used meanwhile overlaps it.
    #[allow(clippy::mut_from_ref)] // A window is an address; what it borrows is no part of it.
    pub(crate) fn exclusive(&self, others: &[Window]) -> Option<&mut [u8]> {
        if others.iter().any(|other| self.overlaps(*other)) {
            return None;
        }
        // SAFETY: valid as for `read`. No other window of the job overlaps it, as was just
        // checked, and by the module's rules nobody else uses the range until the job has settled.
        Some(unsafe { slice::from_raw_parts_mut(self.start, self.size) })
    }

    /// Overwrites the bytes with zeros.
    pub(crate) fn clear(self) {
        // SAFETY: the range is valid as for `write`; no slice of it is made.
        unsafe { ptr::write_bytes(self.start, 0, self.size) };
    }
}

/// The cipher's view of source and target of equal size: disjoint, or one and the same. If they
/// overlap in part, the source is moved to its target first, which is correct from both sides.
/// `None` if the sizes differ, or if one of the windows that are read meanwhile overlaps the
/// target.
pub(crate) fn text<'a>(
    source: &'a Window,
    target: &'a Window,
    others: &[Window],
) -> Option<Text<'a>> {
    if source.size != target.size {
        return None;
    }
    let bytes = target.exclusive(others)?;
    if !source.overlaps(*target) {
        return Some(Text::Across { source: source.read(), target: bytes });
    }
    if source.start != target.start {
        target.copy_from(*source);
    }
    Some(Text::InPlace(target.exclusive(others)?))
}

/// The copies a job owns (rules 2 and 3). Windows point into them, so the memory never moves: room
/// for all secrets is made at once, and the text is copied once. Moving the `Copies` moves the
/// vectors' handles, not their memory. The vectors are used again by later work.
#[derive(Default)]
pub(crate) struct Copies {
    /// Key, iv, aad and tag, one behind the other; wiped when dropped.
    secrets: Vec<u8>,
    /// A copied source; a cipher works in place in it and sends it back as the result.
    text: Vec<u8>,
}

impl Copies {
    /// Copies secrets, replacing any earlier ones; `None` when memory is short.
    pub(crate) fn secrets<const COUNT: usize>(
        &mut self,
        windows: [Window; COUNT],
    ) -> Option<[Window; COUNT]> {
        let size =
            windows.iter().try_fold(0_usize, |sum, window| sum.checked_add(window.size()))?;
        wipe(&mut self.secrets);
        self.secrets.try_reserve_exact(size).ok()?;
        Some(windows.map(|window| {
            let start = self.secrets.len();
            self.secrets.extend_from_slice(window.read());
            // SAFETY: the bytes were just written there; the vector, with room for all, does not
            // move.
            unsafe { Window::new(self.secrets.as_mut_ptr().add(start), window.size()) }
        }))
    }

    /// Copies a source, replacing any earlier one; `None` when memory is short.
    pub(crate) fn text(&mut self, window: Window) -> Option<Window> {
        self.text.clear();
        self.text.try_reserve_exact(window.size()).ok()?;
        // SAFETY: room was made for as many bytes; `fill_new` writes all of them before the vector says
        // that it has them.
        unsafe {
            Window::new(self.text.as_mut_ptr(), window.size()).fill_new(window);
            self.text.set_len(window.size());
        }
        // SAFETY: the vector is not changed again while windows lead to it, only read by
        // `read_text`.
        Some(unsafe { Window::new(self.text.as_mut_ptr(), self.text.len()) })
    }

    /// The copied source, or what a cipher has made of it.
    pub(crate) fn read_text(&self) -> &[u8] {
        &self.text
    }

    /// Wipes the secrets; no window may lead to them any more.
    pub(crate) fn wipe_secrets(&mut self) {
        wipe(&mut self.secrets);
    }

    /// Forgets everything; returns the bytes of memory kept for the next work.
    pub(crate) fn rest(&mut self) -> usize {
        /// Enough for keys, everyday aads and the states of running hashes.
        const SECRETS_KEPT: usize = 4096;
        if self.secrets.capacity() > SECRETS_KEPT {
            self.secrets = Vec::new();
        }
        self.text.clear();
        self.secrets.capacity() + self.text.capacity()
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        wipe(&mut self.secrets);
    }
}

/// Moves a value to the heap.
///
/// # Errors
/// [`Error::Memory`] when there is no memory for it, where `Box::new` would abort the process.
pub(crate) fn try_box<T>(value: T) -> Result<Box<T>, Error> {
    let mut one = try_with_capacity(1)?;
    one.push(value);
    let [first] = Box::leak(one.into_boxed_slice()) else { return Err(Error::Engine) };
    // SAFETY: a boxed slice of one element is an allocation with the layout of that element; it
    // was leaked above, and nothing else owns it.
    Ok(unsafe { Box::from_raw(first) })
}

/// Empties a vector of secrets and leaves nothing in its memory. (The zeroize crate's own fill goes
/// over all of the capacity byte by byte: 1 us for the state of a BLAKE3. What lies beyond the
/// length was wiped when it was left.)
pub(crate) fn wipe(secrets: &mut Vec<u8>) {
    // A memset of nothing at a vector's address of nowhere costs 180 ns: with AVX-512 it is a
    // masked store there.
    if secrets.is_empty() {
        return;
    }
    secrets.fill(0);
    optimization_barrier(secrets.as_slice());
    secrets.clear();
}
