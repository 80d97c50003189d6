//! Who is first: a task that begins and ends, or somebody who does not want it any more.

use crate::sync::AtomicUsize;
use std::sync::atomic::Ordering;

/// Shared by a task and whoever may cancel it.
#[derive(Debug)]
pub struct Ticket(AtomicUsize);

/// What came of a cancellation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// The task has ended.
    Late,
    /// The task will never begin.
    Never,
    /// The task has begun. It ends at its next slice, or was quicker.
    Asked,
}

const WAITING: usize = 0;
const BEGUN: usize = 1;
const ASKED: usize = 2;
const CANCELLED: usize = 3;
const ENDED: usize = 4;

impl Default for Ticket {
    fn default() -> Ticket {
        Ticket(AtomicUsize::new(WAITING))
    }
}

impl Ticket {
    /// True if the task may begin.
    pub fn begin(&self) -> bool {
        self.0.compare_exchange(WAITING, BEGUN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// True if a task that has begun should end.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Acquire) == ASKED
    }

    /// The task has ended, of itself or because it was asked to.
    pub fn end(&self) {
        self.0.store(ENDED, Ordering::Release);
    }

    /// Nobody wants the task any more.
    pub fn cancel(&self) -> Cancellation {
        let mut state = self.0.load(Ordering::Acquire);
        loop {
            let (next, outcome) = match state {
                WAITING => (CANCELLED, Cancellation::Never),
                BEGUN => (ASKED, Cancellation::Asked),
                CANCELLED => return Cancellation::Never,
                ASKED => return Cancellation::Asked,
                _ => return Cancellation::Late,
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
    fn cancelled_before_it_begins_it_never_does() {
        let ticket = Ticket::default();
        assert_eq!(ticket.cancel(), Cancellation::Never);
        assert_eq!(ticket.cancel(), Cancellation::Never, "as often as anybody asks");
        assert!(!ticket.begin());
        assert!(!ticket.asked());
    }

    #[test]
    fn cancelled_while_it_runs_it_is_asked() {
        let ticket = Ticket::default();
        assert!(ticket.begin());
        assert!(!ticket.begin(), "only once");
        assert!(!ticket.asked());
        assert_eq!(ticket.cancel(), Cancellation::Asked);
        assert_eq!(ticket.cancel(), Cancellation::Asked);
        assert!(ticket.asked());
        ticket.end();
        assert!(!ticket.asked());
    }

    #[test]
    fn cancelled_after_its_end_it_is_too_late() {
        let ticket = Ticket::default();
        assert!(ticket.begin());
        ticket.end();
        assert_eq!(ticket.cancel(), Cancellation::Late);
        assert!(!ticket.asked());
    }
}
