//! Long jobs go in slices on a worker: in between, the worker lets short jobs pass, and looks
//! whether anybody wants the result any more. What runs during a call does not: nobody could ask
//! for anything meanwhile.

use crate::job::CompletionQueue;
use crate::kdf::ProgressCounter;
use crate::task::PoolTask;
use crate::work::Work;
use millrace_core::checkpoint::Checkpoint;
use millrace_core::error::Error;
use millrace_core::split::PART_ALIGN;
use millrace_pool::{CancelToken, YieldPoint};

/// Predicted nanoseconds of a slice: as long as a short job may have to wait for a worker, and
/// cancellation and the end of an environment for a job.
pub(crate) const SLICE_NS: u64 = 100_000;

/// A job predicted to take less goes without slices.
pub(crate) const CHECKPOINT_MIN_NS: u64 = SLICE_NS + SLICE_NS / 2;

/// Bytes; less is not worth asking for.
pub(crate) const SLICE_MIN_BYTES: usize = 4096;

/// What a job asks between its slices.
pub(crate) struct JobCheckpoint<'a, 'b> {
    /// Bytes of a slice.
    pub(crate) slice: usize,
    yield_point: &'a mut YieldPoint<'b, PoolTask>,
    completion: &'a CompletionQueue,
    cancel_token: Option<&'a CancelToken>,
    progress: Option<&'a ProgressCounter>,
}

impl<'a, 'b> JobCheckpoint<'a, 'b> {
    /// `None` for work that is done in a slice.
    pub(crate) fn new(
        yield_point: &'a mut YieldPoint<'b, PoolTask>,
        completion: &'a CompletionQueue,
        cancel_token: Option<&'a CancelToken>,
        work: &'a Work,
        cost: u64,
    ) -> Option<JobCheckpoint<'a, 'b>> {
        (cost > CHECKPOINT_MIN_NS).then(|| {
            let slice = slice(work.messages().1.max(work.target.size()), cost);
            JobCheckpoint {
                progress: work.progress.as_deref(),
                ..JobCheckpoint::over(yield_point, completion, cancel_token, slice)
            }
        })
    }

    /// Of slices of so many bytes.
    pub(crate) fn over(
        yield_point: &'a mut YieldPoint<'b, PoolTask>,
        completion: &'a CompletionQueue,
        cancel_token: Option<&'a CancelToken>,
        slice: usize,
    ) -> JobCheckpoint<'a, 'b> {
        JobCheckpoint { slice, yield_point, completion, cancel_token, progress: None }
    }

    /// Bytes of a slice of each of several messages that are hashed together, which takes less than
    /// half as long as one by one.
    pub(crate) fn slice_of_each(&self, together: usize) -> usize {
        (self.slice / together.max(1)).saturating_mul(2).max(SLICE_MIN_BYTES)
    }

    /// Between two steps: whether to take the next.
    pub(crate) fn goes_on(&mut self) -> Result<(), Error> {
        self.checkpoint();
        if self.cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// True when the job should end here.
    pub(crate) fn cancelled(&self) -> bool {
        self.completion.closing() || self.cancel_token.is_some_and(CancelToken::is_requested)
    }

    /// True when the memory of the job will soon be nobody's.
    pub(crate) fn closing(&self) -> bool {
        self.completion.closing()
    }
}

impl Checkpoint for JobCheckpoint<'_, '_> {
    fn checkpoint(&mut self) {
        self.yield_point.run_pending_short_tasks();
    }

    fn cancelled(&self, _index: usize) -> bool {
        self.cancelled()
    }

    fn progress(&mut self, _index: usize, done: u64, steps: u64) {
        if let Some(progress) = self.progress {
            progress.set(done, steps);
        }
    }
}

/// Bytes of a slice of work on `size` bytes that is predicted to take `cost`.
pub(crate) fn slice(size: usize, cost: u64) -> usize {
    let bytes = u128::from(SLICE_NS) * size as u128 / u128::from(cost.max(1));
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX).max(SLICE_MIN_BYTES as u64);
    usize::try_from(bytes).unwrap_or(usize::MAX) / PART_ALIGN * PART_ALIGN
}
