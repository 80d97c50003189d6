//! Checkpoints of long jobs. A worker runs a long job in slices; between two slices it runs pending
//! short tasks and checks for cancellation. A job that runs during its call has no checkpoints: no
//! JavaScript could cancel it meanwhile.

use crate::work::{ProgressCounter, Work};
use millrace_core::checkpoint::{Checkpoint, Slicer};
use millrace_core::error::Error;
use millrace_core::split::PART_ALIGN;

/// Predicted nanoseconds of a slice: the longest that a short job waits for a busy worker, and that
/// a cancellation or the end of an environment waits for a job.
pub const SLICE_NS: u64 = 100_000;

/// Jobs predicted to take less have no checkpoints.
pub const CHECKPOINT_MIN_NS: u64 = SLICE_NS + SLICE_NS / 2;

/// Slices have at least this many bytes.
pub const SLICE_MIN_BYTES: usize = 4096;

/// The work and the questions of a binding between the slices of a job.
pub trait Pause {
    /// Runs the worker's pending short tasks.
    fn run_pending(&mut self);
    /// Returns true once the environment ends, and with it the job's memory.
    fn is_closing(&self) -> bool;
    /// Returns true if the job's cancellation was requested.
    fn is_cancelled(&self) -> bool;
}

/// The checkpoint of one job on a worker.
pub struct JobCheckpoint<'a> {
    /// Bytes of a slice.
    pub slice: usize,
    pause: &'a mut dyn Pause,
    progress: Option<&'a ProgressCounter>,
}

impl<'a> JobCheckpoint<'a> {
    /// Returns the checkpoint of a work predicted to take `cost` nanoseconds, or `None` if it takes
    /// no longer than a slice.
    pub fn new(pause: &'a mut dyn Pause, work: &'a Work, cost: u64) -> Option<JobCheckpoint<'a>> {
        (cost > CHECKPOINT_MIN_NS).then(|| {
            let slice = slice(work.messages().1.max(work.target.size()), cost);
            JobCheckpoint { slice, pause, progress: work.progress.as_deref() }
        })
    }

    /// Returns a checkpoint for slices of `slice` bytes.
    pub fn with_slice(pause: &'a mut dyn Pause, slice: usize) -> JobCheckpoint<'a> {
        JobCheckpoint { slice, pause, progress: None }
    }

    /// Returns a slicer that runs this checkpoint after each slice.
    pub fn slicer(&mut self) -> Slicer<'_> {
        Slicer::new(self.slice, self)
    }

    /// Returns the bytes of a slice of each of `lanes` messages that are hashed together, which
    /// takes less than half as long as one by one.
    pub fn slice_of_each(&self, lanes: usize) -> usize {
        (self.slice / lanes.max(1)).saturating_mul(2).max(SLICE_MIN_BYTES)
    }

    /// Runs the checkpoint.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the job was cancelled, or its environment ends.
    pub fn check(&mut self) -> Result<(), Error> {
        self.checkpoint();
        if self.cancelled(0) { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Returns true once the environment ends, and with it the job's memory.
    pub fn is_closing(&self) -> bool {
        self.pause.is_closing()
    }
}

/// Returns a slicer that runs the checkpoint of a job after each of its slices, if it has one.
pub fn slicer<'a>(checkpoint: &'a mut Option<&mut JobCheckpoint<'_>>) -> Option<Slicer<'a>> {
    checkpoint.as_deref_mut().map(JobCheckpoint::slicer)
}

impl Checkpoint for JobCheckpoint<'_> {
    fn checkpoint(&mut self) {
        self.pause.run_pending();
    }

    fn cancelled(&self, _index: usize) -> bool {
        self.pause.is_closing() || self.pause.is_cancelled()
    }

    fn progress(&mut self, _index: usize, done: u64, steps: u64) {
        if let Some(progress) = self.progress {
            progress.set(done, steps);
        }
    }
}

/// Returns the bytes of a slice of work on `size` bytes that is predicted to take `cost`
/// nanoseconds.
pub fn slice(size: usize, cost: u64) -> usize {
    let bytes = u128::from(SLICE_NS) * size as u128 / u128::from(cost.max(1));
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX).max(SLICE_MIN_BYTES as u64);
    usize::try_from(bytes).unwrap_or(usize::MAX) / PART_ALIGN * PART_ALIGN
}
