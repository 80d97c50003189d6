//! A cancellation token: an atomic state that settles whether a task began before it was cancelled.

use crate::sync::AtomicUsize;
use std::sync::atomic::Ordering;

/// Shared by a task and the code that may cancel it.
#[derive(Debug)]
pub struct CancelToken(AtomicUsize);

/// The result of [`CancelToken::cancel`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// The task will never begin.
    BeforeStart,
    /// The task has begun. It ends at its next checkpoint, or completes before that.
    Requested,
    /// The task has ended.
    AfterEnd,
}

const WAITING: usize = 0;
const BEGUN: usize = 1;
const REQUESTED: usize = 2;
const CANCELLED: usize = 3;
const ENDED: usize = 4;

impl Default for CancelToken {
    fn default() -> CancelToken {
        CancelToken(AtomicUsize::new(WAITING))
    }
}

impl CancelToken {
    /// Marks the task as begun. Returns false if it was cancelled and must not begin.
    pub fn begin(&self) -> bool {
        self.0.compare_exchange(WAITING, BEGUN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Returns true if the task was cancelled after it began, and should end.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Acquire) == REQUESTED
    }

    /// Marks the task as ended, whether it completed or was cancelled.
    pub fn end(&self) {
        self.0.store(ENDED, Ordering::Release);
    }

    /// Cancels the task.
    pub fn cancel(&self) -> Cancellation {
        let mut state = self.0.load(Ordering::Acquire);
        loop {
            let (next, outcome) = match state {
                WAITING => (CANCELLED, Cancellation::BeforeStart),
                BEGUN => (REQUESTED, Cancellation::Requested),
                CANCELLED => return Cancellation::BeforeStart,
                REQUESTED => return Cancellation::Requested,
                _ => return Cancellation::AfterEnd,
            };
            match self.0.compare_exchange(state, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return outcome,
                Err(now) => state = now,
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_task_cancelled_before_its_start_never_begins() {
        let token = CancelToken::default();
        assert_eq!(token.cancel(), Cancellation::BeforeStart);
        assert_eq!(token.cancel(), Cancellation::BeforeStart, "a second time");
        assert!(!token.begin());
        assert!(!token.is_requested());
    }

    #[test]
    fn a_running_task_sees_the_request() {
        let token = CancelToken::default();
        assert!(token.begin());
        assert!(!token.begin(), "only once");
        assert!(!token.is_requested());
        assert_eq!(token.cancel(), Cancellation::Requested);
        assert_eq!(token.cancel(), Cancellation::Requested);
        assert!(token.is_requested());
        token.end();
        assert!(!token.is_requested());
    }

    #[test]
    fn a_task_that_has_ended_cannot_be_cancelled() {
        let token = CancelToken::default();
        assert!(token.begin());
        token.end();
        assert_eq!(token.cancel(), Cancellation::AfterEnd);
        assert!(!token.is_requested());
    }
}
