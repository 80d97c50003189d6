//! The time that a password hash from anywhere may take: what it asks for has been predicted and
//! held against the limit, but a machine may be slower than the prediction, or an engine's price
//! wrong for some parameters.

use std::time::{Duration, Instant};

use crate::checkpoint::Checkpoint;

/// A limit on running time, checked at every pause. Time in which the worker runs other tasks does
/// not count.
pub struct Clock<'a> {
    left: Option<Duration>,
    since: Instant,
    checkpoint: &'a mut dyn Checkpoint,
}

impl<'a> Clock<'a> {
    /// A prediction is allowed to be wrong by this factor.
    const FACTOR: u64 = 2;

    /// A crowded machine may take this many milliseconds from the shortest job.
    const FLOOR_MS: u64 = 1000;

    /// Starts now; `milliseconds` is what was allowed to be predicted.
    pub fn new(milliseconds: u64, checkpoint: &'a mut dyn Checkpoint) -> Clock<'a> {
        let limit = milliseconds.saturating_mul(Self::FACTOR).saturating_add(Self::FLOOR_MS);
        Clock::with_limit(Duration::from_millis(limit), checkpoint)
    }

    fn with_limit(limit: Duration, checkpoint: &'a mut dyn Checkpoint) -> Clock<'a> {
        Clock { left: Some(limit), since: Instant::now(), checkpoint }
    }

    /// Returns true if the work was stopped because it took too long.
    pub fn expired(&self) -> bool {
        self.left.is_none()
    }
}

impl Checkpoint for Clock<'_> {
    fn checkpoint(&mut self) {
        self.left = self.left.and_then(|left| left.checked_sub(self.since.elapsed()));
        self.checkpoint.checkpoint();
        self.since = Instant::now();
    }

    fn cancelled(&self, index: usize) -> bool {
        self.expired() || self.checkpoint.cancelled(index)
    }

    fn progress(&mut self, index: usize, done: u64, steps: u64) {
        self.checkpoint.progress(index, done, steps);
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;
    use crate::checkpoint::NoCheckpoint;

    /// Yields to something that takes long.
    struct Busy;

    impl Checkpoint for Busy {
        fn checkpoint(&mut self) {
            sleep(Duration::from_millis(300));
        }

        fn cancelled(&self, _index: usize) -> bool {
            false
        }
    }

    #[test]
    fn work_is_stopped_after_its_time() {
        let mut unchecked = NoCheckpoint;
        let mut clock = Clock::with_limit(Duration::from_secs(1), &mut unchecked);
        clock.checkpoint();
        assert!(!clock.cancelled(0) && !clock.expired());
        clock.left = Some(Duration::from_millis(20));
        sleep(Duration::from_millis(30));
        assert!(!clock.cancelled(0), "it is told at a pause");
        clock.checkpoint();
        assert!(clock.cancelled(0) && clock.expired());
    }

    #[test]
    fn the_time_of_others_does_not_count() {
        let mut busy = Busy;
        let mut clock = Clock::with_limit(Duration::from_millis(500), &mut busy);
        clock.checkpoint();
        clock.checkpoint();
        assert!(!clock.expired());
    }
}
