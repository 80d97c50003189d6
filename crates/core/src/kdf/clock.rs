//! A time limit for password hashes from untrusted sources. The predicted time has been checked
//! before, but the machine may be slower than predicted.

use std::time::Duration;
#[cfg(not(target_family = "wasm"))]
use std::time::Instant;

use crate::checkpoint::Checkpoint;

/// WebAssembly has no clock: there the binding limits the time, at each checkpoint.
#[cfg(target_family = "wasm")]
struct Instant;

#[cfg(target_family = "wasm")]
impl Instant {
    fn now() -> Instant {
        Instant
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// A limit on running time, checked at every checkpoint. Time in which the worker runs other tasks
/// does not count.
pub struct Clock<'a> {
    left: Option<Duration>,
    since: Instant,
    checkpoint: &'a mut dyn Checkpoint,
}

impl<'a> Clock<'a> {
    /// The tolerated error of the prediction.
    const FACTOR: u64 = 2;

    /// Added for other load on the machine.
    const FLOOR_MS: u64 = 1000;

    /// Starts the clock. `milliseconds` is the limit of the prediction.
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

    /// Takes 300 ms at each checkpoint.
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
    fn work_stops_after_the_limit() {
        let mut unchecked = NoCheckpoint;
        let mut clock = Clock::with_limit(Duration::from_secs(1), &mut unchecked);
        clock.checkpoint();
        assert!(!clock.cancelled(0) && !clock.expired());
        clock.left = Some(Duration::from_millis(20));
        sleep(Duration::from_millis(30));
        assert!(!clock.cancelled(0), "the limit is checked at a checkpoint");
        clock.checkpoint();
        assert!(clock.cancelled(0) && clock.expired());
    }

    #[test]
    fn time_at_checkpoints_does_not_count() {
        let mut busy = Busy;
        let mut clock = Clock::with_limit(Duration::from_millis(500), &mut busy);
        clock.checkpoint();
        clock.checkpoint();
        assert!(!clock.expired());
    }
}
