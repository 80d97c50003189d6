//! The time that a password hash from anywhere may take: what it asks for has been predicted and
//! held against the limit, but a machine may be slower than the prediction, or an engine's price
//! wrong for some parameters.

use std::time::{Duration, Instant};

use crate::pace::Pace;

/// A limit on running time, checked at every pause. Time in which the worker runs other tasks does
/// not count.
pub struct Clock<'a> {
    left: Option<Duration>,
    since: Instant,
    pace: &'a mut dyn Pace,
}

impl<'a> Clock<'a> {
    /// A prediction is allowed to be wrong by this factor.
    const FACTOR: u64 = 2;

    /// A crowded machine may take this many milliseconds from the shortest job.
    const FLOOR_MS: u64 = 1000;

    /// Starts now; `milliseconds` is what was allowed to be predicted.
    pub fn new(milliseconds: u64, pace: &'a mut dyn Pace) -> Clock<'a> {
        let limit = milliseconds.saturating_mul(Self::FACTOR).saturating_add(Self::FLOOR_MS);
        Clock::with_limit(Duration::from_millis(limit), pace)
    }

    fn with_limit(limit: Duration, pace: &'a mut dyn Pace) -> Clock<'a> {
        Clock { left: Some(limit), since: Instant::now(), pace }
    }

    /// Returns true if the work was stopped because it took too long.
    pub fn expired(&self) -> bool {
        self.left.is_none()
    }
}

impl Pace for Clock<'_> {
    fn pause(&mut self) {
        self.left = self.left.and_then(|left| left.checked_sub(self.since.elapsed()));
        self.pace.pause();
        self.since = Instant::now();
    }

    fn abandoned(&self, index: usize) -> bool {
        self.expired() || self.pace.abandoned(index)
    }

    fn progress(&mut self, index: usize, done: u64, steps: u64) {
        self.pace.progress(index, done, steps);
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;
    use crate::pace::Unpaced;

    /// Yields to something that takes long.
    struct Busy;

    impl Pace for Busy {
        fn pause(&mut self) {
            sleep(Duration::from_millis(300));
        }

        fn abandoned(&self, _index: usize) -> bool {
            false
        }
    }

    #[test]
    fn work_is_stopped_after_its_time() {
        let mut unpaced = Unpaced;
        let mut clock = Clock::with_limit(Duration::from_secs(1), &mut unpaced);
        clock.pause();
        assert!(!clock.abandoned(0) && !clock.expired());
        clock.left = Some(Duration::from_millis(20));
        sleep(Duration::from_millis(30));
        assert!(!clock.abandoned(0), "it is told at a pause");
        clock.pause();
        assert!(clock.abandoned(0) && clock.expired());
    }

    #[test]
    fn the_time_of_others_does_not_count() {
        let mut busy = Busy;
        let mut clock = Clock::with_limit(Duration::from_millis(500), &mut busy);
        clock.pause();
        clock.pause();
        assert!(!clock.expired());
    }
}
