//! Checkpoints between slices of long work, at which the caller may run other work or cancel.

use crate::Error;

/// Receives control between slices of long work.
pub trait Checkpoint {
    /// Runs after each slice. The implementation may do other work before it returns.
    fn checkpoint(&mut self);

    /// Returns true if message `index` was cancelled (0 if there is only one). A cancelled message
    /// is not computed further, and its digest is not emitted.
    fn cancelled(&self, index: usize) -> bool;

    /// Reports before a checkpoint of a key derivation that `done` of `steps` steps of job `index`
    /// are complete.
    fn progress(&mut self, index: usize, done: u64, steps: u64) {
        let _ = (index, done, steps);
    }
}

/// Does nothing at a checkpoint and cancels nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoCheckpoint;

impl Checkpoint for NoCheckpoint {
    #[inline]
    fn checkpoint(&mut self) {}

    #[inline]
    fn cancelled(&self, _index: usize) -> bool {
        false
    }
}

/// Counts bytes of work and runs a [`Checkpoint`] once per slice.
///
/// Operations take an `Option<Slicer>`. With `None` they run to the end without checkpoints.
pub struct Slicer<'a> {
    slice: usize,
    /// Bytes since the last checkpoint.
    since: usize,
    /// The caller's index of the message that is number 0 here.
    first: usize,
    checkpoint: &'a mut dyn Checkpoint,
}

impl<'a> Slicer<'a> {
    /// Runs `checkpoint` after every `slice` bytes of a message, at least 1.
    pub fn new(slice: usize, checkpoint: &'a mut dyn Checkpoint) -> Self {
        Self { slice: slice.max(1), since: 0, first: 0, checkpoint }
    }

    /// Returns a slicer for the messages from index `first` on.
    pub(crate) fn from(&mut self, first: usize) -> Slicer<'_> {
        Slicer {
            slice: self.slice,
            since: self.since,
            first: self.first + first,
            checkpoint: &mut *self.checkpoint,
        }
    }

    /// Returns the bytes of a slice, at least 1.
    #[inline]
    pub fn slice(&self) -> usize {
        self.slice
    }

    /// Returns true if there is a slicer and `size` bytes are longer than its slices.
    #[inline]
    pub(crate) fn cuts(slicer: &Option<Self>, size: usize) -> bool {
        slicer.as_ref().is_some_and(|slicer| size > slicer.slice)
    }

    /// Runs the checkpoint between two slices of message 0.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the message was cancelled.
    #[inline]
    pub(crate) fn checkpoint(&mut self) -> Result<(), Error> {
        self.since = 0;
        self.checkpoint.checkpoint();
        if self.cancelled(0) { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Calls `fill` with the slices of `target` in order, and the checkpoint after each; without a
    /// slicer with all of `target`.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the message was cancelled.
    #[inline]
    pub(crate) fn fill(
        slicer: Option<Self>,
        target: &mut [u8],
        mut fill: impl FnMut(&mut [u8]),
    ) -> Result<(), Error> {
        let Some(mut slicer) = slicer else {
            fill(target);
            return Ok(());
        };
        target.chunks_mut(slicer.slice).try_for_each(|slice| {
            fill(slice);
            slicer.checkpoint()
        })
    }

    /// Counts `bytes` of work. Runs the checkpoint and returns true if they complete a slice.
    #[inline]
    pub fn advance(&mut self, bytes: usize) -> bool {
        self.since += bytes;
        if self.since < self.slice {
            return false;
        }
        self.since = 0;
        self.checkpoint.checkpoint();
        true
    }

    /// Returns true if the job is cancelled; see [`Checkpoint::cancelled`].
    #[inline]
    pub fn cancelled(&self, index: usize) -> bool {
        self.checkpoint.cancelled(self.first + index)
    }
}

/// Receives the digests of many messages; optionally runs checkpoints between them.
pub(crate) struct DigestSink<'a> {
    each: &'a mut dyn FnMut(usize, &[u8]),
    /// The caller's index of the message that is number 0 here.
    first: usize,
    pub(crate) slicer: Option<Slicer<'a>>,
}

impl<'a> DigestSink<'a> {
    /// Calls `each` with the index of a message and its digest.
    #[inline]
    pub(crate) fn new(
        each: &'a mut dyn FnMut(usize, &[u8]),
        slicer: &'a mut Option<Slicer<'_>>,
    ) -> Self {
        Self { each, first: 0, slicer: slicer.as_mut().map(|slicer| slicer.from(0)) }
    }

    /// Returns a sink for the messages from index `first` on.
    #[inline]
    pub(crate) fn from(&mut self, first: usize) -> DigestSink<'_> {
        DigestSink {
            each: &mut *self.each,
            first: self.first + first,
            slicer: self.slicer.as_mut().map(|slicer| slicer.from(first)),
        }
    }

    /// Passes a digest on unless its message was cancelled.
    #[inline]
    pub(crate) fn emit(&mut self, index: usize, digest: &[u8]) {
        if !self.cancelled(index) {
            (self.each)(self.first + index, digest);
        }
    }

    /// Returns true if the job is cancelled; see [`Checkpoint::cancelled`].
    #[inline]
    pub(crate) fn cancelled(&self, index: usize) -> bool {
        self.slicer.as_ref().is_some_and(|slicer| slicer.cancelled(index))
    }

    /// See [`Slicer::advance`].
    #[inline]
    pub(crate) fn advance(&mut self, bytes: usize) -> bool {
        self.slicer.as_mut().is_some_and(|slicer| slicer.advance(bytes))
    }

    /// Computes one message after the other into `target`, and emits each that `compute` completes.
    /// The first has the index `first`.
    #[inline]
    pub(crate) fn in_sequence(
        &mut self,
        first: usize,
        sources: &[&[u8]],
        target: &mut [u8],
        mut compute: impl FnMut(&[u8], &mut [u8], Option<Slicer<'_>>) -> Result<(), Error>,
    ) {
        for (index, source) in (first..).zip(sources) {
            if self.cancelled(index) {
                continue;
            }
            let slicer = self.slicer.as_mut().map(|slicer| slicer.from(index));
            if compute(source, target, slicer).is_ok() {
                self.emit(index, target);
            }
            // The last slice of the message and its padded end.
            if let Some(slicer) = &mut self.slicer {
                slicer.advance(source.len().min(slicer.slice()) + 64);
            }
        }
    }
}
