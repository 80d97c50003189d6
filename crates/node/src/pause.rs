//! The work of a worker between the slices of a job.

use crate::completion::Gate;
use millrace_pool::CancelToken;
use millrace_request::checkpoint::Pause;

/// The pauses of one job on a worker.
pub(crate) struct JobPause<'a> {
    /// Runs the worker's pending short tasks.
    pub(crate) run_pending: &'a mut dyn FnMut(),
    pub(crate) gate: &'a Gate,
    pub(crate) cancel_token: Option<&'a CancelToken>,
}

impl Pause for JobPause<'_> {
    fn run_pending(&mut self) {
        (self.run_pending)();
    }

    fn is_closing(&self) -> bool {
        self.gate.is_closing()
    }

    fn is_cancelled(&self) -> bool {
        self.cancel_token.is_some_and(CancelToken::is_requested)
    }
}
