//! The ownership of all bytes: the argument for every pointer that crosses a thread.
//!
//! JavaScript's memory can disappear during native code. A strong reference keeps the *object*, not
//! its bytes: after `ArrayBuffer.prototype.transfer`, a transfer with `structuredClone` or
//! `postMessage`, or a shrink of a resizable buffer, the old address may be unmapped. Therefore:
//!
//! 1. **Synchronous calls** use a [`Window`] on the caller's memory. Pointers are read after the
//!    last JavaScript of the call has run, and no JavaScript runs until native code returns, so
//!    nothing can detach, shrink or collect the memory meanwhile. The same holds for an
//!    asynchronous job that runs inline, during its call.
//! 2. **Secrets and small inputs** of asynchronous calls (key, iv, tag, aad) are copied during the
//!    call ([`Copies`], wiped when dropped). The caller may reuse or wipe them right after the
//!    call.
//! 3. **Friendly asynchronous calls** copy the source during the call too: small ones to native
//!    memory, large ones directly to the result buffer. No other code can reach that buffer (it is
//!    an ArrayBuffer created for this call, referenced by its slot only) until it is returned.
//! 4. **Lent windows** are the source and target of the asynchronous window forms. The caller
//!    promises, in the first line of their documentation, not to transfer, detach or write them
//!    until the callback. The slot in JavaScript holds the views, so the collector cannot free
//!    them; resizable buffers are refused before they get here; a SharedArrayBuffer can neither be
//!    detached nor shrink. When the environment ends, `lifecycle` waits for its running jobs before
//!    the memory is freed, and drops queued jobs unrun. Memory private to JavaScript's part of this
//!    package is lent without that promise: the state of a running hash while an update is in
//!    flight, and the copies and digests of many messages.
//! 5. **Small outputs** (digests of up to 64 bytes, tags, small friendly results) travel in the
//!    completion, and JavaScript writes them when the call settles: never through a pointer.
//!
//! Source and target may overlap in any way: [`text`] moves the source to the target first and
//! works there, which is correct for both.
//!
//! A caller that breaks the promise of rule 4 by *writing* lent memory gets a result of a mixture
//! of old and new bytes, as with any shared memory. The primitives never branch on message bytes in
//! a way that turns such a race into an out-of-bounds access.
#![allow(unsafe_code)]

use crate::pages;
use millrace_core::cipher::Text;
use std::ptr;
use std::slice;
use zeroize::optimization_barrier;

/// A range of memory that JavaScript or a job owns, valid as the rules above say.
#[derive(Copy, Clone, Debug)]
pub struct Window {
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
    pub unsafe fn new(start: *mut u8, size: usize) -> Window {
        if size == 0 || start.is_null() { Window::EMPTY } else { Window { start, size } }
    }

    /// An empty window, with an address that slices accept.
    pub const EMPTY: Window = Window { start: ptr::NonNull::dangling().as_ptr(), size: 0 };

    /// Returns the number of bytes.
    pub fn size(self) -> usize {
        self.size
    }

    /// Returns the range `offset..offset + size`, if it lies within.
    pub fn part(self, offset: usize, size: usize) -> Option<Window> {
        let end = offset.checked_add(size)?;
        if end > self.size {
            return None;
        }
        // SAFETY: offset <= self.size, so the address is within or one past the same allocation.
        Some(unsafe { Window::new(self.start.add(offset), size) })
    }

    #[inline]
    pub fn overlaps(self, other: Window) -> bool {
        // An empty window begins before all others.
        let (a, b) = (self.start as usize, other.start as usize);
        a < b + other.size && b < a + self.size
    }

    /// Returns the bytes, for as long as the window is borrowed. A job that writes names the
    /// windows that it reads: see [`Window::exclusive`].
    #[inline]
    pub fn read(&self) -> &[u8] {
        // SAFETY: the caller of `Window::new` promises that the bytes stay valid as the module's
        // rules say, and the window is used within that job or call. `exclusive` refuses ranges
        // that overlap what is read.
        unsafe { slice::from_raw_parts(self.start, self.size) }
    }

    /// Copies `bytes` to the start of the window; extra bytes on either side are ignored.
    pub fn write(self, bytes: &[u8]) {
        let size = bytes.len().min(self.size);
        // SAFETY: both ranges hold `size` bytes; `copy` allows them to overlap.
        unsafe { ptr::copy(bytes.as_ptr(), self.start, size) };
    }

    /// Copies the bytes of another window, which may overlap this one.
    pub fn copy_from(self, other: Window) {
        debug_assert!(self.size >= other.size);
        // SAFETY: both ranges hold the smaller size.
        unsafe { copy(other.start, self.start, other.size.min(self.size)) };
    }

    /// Does the work of [`Window::copy_from`] for a window of the same size, in steps of about
    /// `step` bytes.
    pub fn move_from(self, other: Window, step: usize, mut pause: impl FnMut()) {
        let steps = self.size.div_ceil(step.max(1));
        for index in 0..steps {
            // Each step must read before another writes: moving to the front starts at the front.
            let index = if self.start < other.start { index } else { steps - 1 - index };
            let offset = index * step;
            let size = step.min(self.size - offset);
            if let Some((target, source)) = self.part(offset, size).zip(other.part(offset, size)) {
                target.copy_from(source);
            }
            pause();
        }
    }

    /// Does the work of [`Window::copy_from`] into new memory, which may have no pages yet; see
    /// `pages`.
    pub fn fill_new(self, other: Window) {
        let Some(step) = pages::prepare(self.start, self.size) else {
            return self.copy_from(other);
        };
        for offset in (0..other.size).step_by(step) {
            let size = step.min(other.size - offset);
            if let Some((target, source)) = self.part(offset, size).zip(other.part(offset, size)) {
                pages::populate(target.start, size);
                target.copy_from(source);
            }
        }
    }

    /// Requests the pages of new memory that will be written from one end to the other; see
    /// `pages`.
    pub fn populate(self) {
        pages::populate_all(self.start, self.size);
    }

    /// Returns true if the windows have the same start or share no byte.
    pub fn is_disjoint_or_same_start(self, other: Window) -> bool {
        self.start == other.start || !self.overlaps(other)
    }

    /// Returns the bytes as a target, for as long as the window is borrowed; `None` if one of the
    /// windows that are used meanwhile overlaps it.
    #[allow(clippy::mut_from_ref)] // A window is an address; the bytes are not part of it.
    pub fn exclusive(&self, others: &[Window]) -> Option<&mut [u8]> {
        if others.iter().any(|other| self.overlaps(*other)) {
            return None;
        }
        // SAFETY: valid as for `read`. No other window of the job overlaps it, as was just checked,
        // and by the module's rules no other code uses the range until the job has settled.
        Some(unsafe { slice::from_raw_parts_mut(self.start, self.size) })
    }

    /// Overwrites the bytes with zeros.
    pub fn clear(self) {
        // SAFETY: the range is valid as for `write`; no slice of it is made.
        unsafe { ptr::write_bytes(self.start, 0, self.size) };
    }
}

/// Copies bytes to a range that may overlap.
///
/// glibc copies 4 to 512 KiB by `rep movsb`. On Zen 3 that is a tenth as fast where the target
/// begins 1 to 31 bytes after the source in a page: as it does if both have the same power of two
/// of bytes and the target was allocated next. Shorter pieces are copied by vectors.
///
/// # Safety
/// As for [`ptr::copy`].
unsafe fn copy(source: *const u8, target: *mut u8, size: usize) {
    const PIECE: usize = 2048;
    let after = target.addr().wrapping_sub(source.addr());
    // Pieces go upwards: none may overwrite what a later one reads.
    if size > PIECE && (1..32).contains(&(after % 4096)) && after >= size {
        for at in (0..size).step_by(PIECE) {
            // SAFETY: within the ranges, which do not overlap unless the target begins first.
            unsafe { ptr::copy(source.add(at), target.add(at), PIECE.min(size - at)) };
        }
    } else {
        // SAFETY: as for this function.
        unsafe { ptr::copy(source, target, size) };
    }
}

/// Returns source and target of a cipher, of equal size: disjoint, or one and the same. A source
/// that overlaps the target in part is moved there first. Returns `None` if the sizes differ, or if
/// one of the windows that are read meanwhile overlaps the target.
pub fn text<'a>(source: &'a Window, target: &'a Window, others: &[Window]) -> Option<Text<'a>> {
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

/// The copies that a job owns (rules 2 and 3). Windows point to them, so their memory never moves:
/// space for all secrets is allocated at once, and the text is copied once. Moving `Copies` moves
/// the vectors' handles only. Later work reuses the vectors.
#[derive(Default)]
pub struct Copies {
    /// Key, iv, aad and tag, one after the other; wiped when dropped.
    secrets: Vec<u8>,
    /// A copied source, which a cipher transforms into its result.
    text: Vec<u8>,
}

impl Copies {
    /// Copies secrets, replacing any earlier ones; `None` when memory is short.
    pub fn secrets<const COUNT: usize>(
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
            // SAFETY: the bytes were just written there; the vector has space for all and does not
            // move.
            unsafe { Window::new(self.secrets.as_mut_ptr().add(start), window.size()) }
        }))
    }

    /// Copies a source, replacing any earlier one; `None` when memory is short.
    pub fn text(&mut self, window: Window) -> Option<Window> {
        self.text.clear();
        self.text.try_reserve_exact(window.size()).ok()?;
        // SAFETY: space was reserved for the bytes; `fill_new` writes all of them before the
        // vector's length includes them.
        unsafe {
            Window::new(self.text.as_mut_ptr(), window.size()).fill_new(window);
            self.text.set_len(window.size());
        }
        // SAFETY: the vector is not changed again while windows lead to it, only read by
        // `read_text`.
        Some(unsafe { Window::new(self.text.as_mut_ptr(), self.text.len()) })
    }

    /// Returns the copied source, or the result of a cipher.
    pub fn read_text(&self) -> &[u8] {
        &self.text
    }

    /// Wipes the secrets. No window may point to them after this.
    pub fn wipe_secrets(&mut self) {
        wipe(&mut self.secrets);
    }

    /// Clears all copies. Returns the bytes of memory kept for the next work.
    pub fn reset(&mut self) -> usize {
        /// Enough for keys, short aads and the states of running hashes.
        const SECRETS_KEPT_BYTES: usize = 4096;
        wipe(&mut self.secrets);
        if self.secrets.capacity() > SECRETS_KEPT_BYTES {
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

/// Clears a vector of secrets and overwrites its memory. (The zeroize crate writes the whole
/// capacity byte by byte: 1 us for the state of a BLAKE3. Bytes beyond the length were wiped
/// before.)
pub fn wipe(secrets: &mut Vec<u8>) {
    // An empty memset at the dangling address of an empty vector takes 180 ns: with AVX-512 it is a
    // masked store.
    if secrets.is_empty() {
        return;
    }
    secrets.fill(0);
    optimization_barrier(secrets.as_slice());
    secrets.clear();
}
