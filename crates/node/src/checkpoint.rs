//! Checkpoints of long jobs. A worker runs a long job in slices; between two slices it runs pending
//! short tasks and checks for cancellation. A job that runs during its call has no checkpoints: no
//! JavaScript could cancel it meanwhile.

use crate::completion::Gate;
use crate::work::{ProgressCounter, Work};
use millrace_core::checkpoint::{Checkpoint, Slicer};
use millrace_core::error::Error;
use millrace_core::split::PART_ALIGN;
use millrace_pool::CancelToken;

/// Predicted nanoseconds of a slice: the longest that a short job waits for a busy worker, and that
/// a cancellation or the end of an environment waits for a job.
pub(crate) const SLICE_NS: u64 = 100_000;

/// Jobs predicted to take less have no checkpoints.
pub(crate) const CHECKPOINT_MIN_NS: u64 = SLICE_NS + SLICE_NS / 2;

/// Slices have at least this many bytes.
pub(crate) const SLICE_MIN_BYTES: usize = 4096;

/// The checkpoint of one job on a worker.
pub(crate) struct JobCheckpoint<'a> {
    /// Bytes of a slice.
    pub(crate) slice: usize,
    run_pending: &'a mut dyn FnMut(),
    gate: &'a Gate,
    cancel_token: Option<&'a CancelToken>,
    progress: Option<&'a ProgressCounter>,
}

impl<'a> JobCheckpoint<'a> {
    /// Returns the checkpoint of a work predicted to take `cost` nanoseconds, or `None` if it takes
    /// no longer than a slice. `run_pending` runs the worker's pending short tasks.
    pub(crate) fn new(
        run_pending: &'a mut dyn FnMut(),
        gate: &'a Gate,
        cancel_token: Option<&'a CancelToken>,
        work: &'a Work,
        cost: u64,
    ) -> Option<JobCheckpoint<'a>> {
        (cost > CHECKPOINT_MIN_NS).then(|| {
            let slice = slice(work.messages().1.max(work.target.size()), cost);
            JobCheckpoint {
                progress: work.progress.as_deref(),
                ..JobCheckpoint::with_slice(run_pending, gate, cancel_token, slice)
            }
        })
    }

    /// Returns a checkpoint for slices of `slice` bytes.
    pub(crate) fn with_slice(
        run_pending: &'a mut dyn FnMut(),
        gate: &'a Gate,
        cancel_token: Option<&'a CancelToken>,
        slice: usize,
    ) -> JobCheckpoint<'a> {
        JobCheckpoint { slice, run_pending, gate, cancel_token, progress: None }
    }

    /// Returns a slicer that runs this checkpoint after each slice.
    pub(crate) fn slicer(&mut self) -> Slicer<'_> {
        Slicer::new(self.slice, self)
    }

    /// Returns the bytes of a slice of each of `lanes` messages that are hashed together, which
    /// takes less than half as long as one by one.
    pub(crate) fn slice_of_each(&self, lanes: usize) -> usize {
        (self.slice / lanes.max(1)).saturating_mul(2).max(SLICE_MIN_BYTES)
    }

    /// Runs the checkpoint.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the job was cancelled, or its environment ends.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        self.checkpoint();
        if self.cancelled(0) { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Returns true once the environment ends, and with it the job's memory.
    pub(crate) fn is_closing(&self) -> bool {
        self.gate.is_closing()
    }
}

/// Returns a slicer that runs the checkpoint of a job after each of its slices, if it has one.
pub(crate) fn slicer<'a>(checkpoint: &'a mut Option<&mut JobCheckpoint<'_>>) -> Option<Slicer<'a>> {
    checkpoint.as_deref_mut().map(JobCheckpoint::slicer)
}

impl Checkpoint for JobCheckpoint<'_> {
    fn checkpoint(&mut self) {
        (self.run_pending)();
    }

    fn cancelled(&self, _index: usize) -> bool {
        self.gate.is_closing() || self.cancel_token.is_some_and(CancelToken::is_requested)
    }

    fn progress(&mut self, _index: usize, done: u64, steps: u64) {
        if let Some(progress) = self.progress {
            progress.set(done, steps);
        }
    }
}

/// Returns the bytes of a slice of work on `size` bytes that is predicted to take `cost`
/// nanoseconds.
pub(crate) fn slice(size: usize, cost: u64) -> usize {
    let bytes = u128::from(SLICE_NS) * size as u128 / u128::from(cost.max(1));
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX).max(SLICE_MIN_BYTES as u64);
    usize::try_from(bytes).unwrap_or(usize::MAX) / PART_ALIGN * PART_ALIGN
}
