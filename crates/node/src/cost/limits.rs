//! How much work may be done during a call: as measured on one machine, or on this one once it is calibrated.

use super::prices;
use std::sync::atomic::{AtomicU32, Ordering};

/// Nanoseconds of work that a job may take to be done during its call: about what sending it away costs the event loop
/// (locks, copies, the bigger part of a wake-up).
const CROWDED: u32 = 250;

/// The same for a job that is alone: nothing of its environment is in flight, so nothing gains by its being elsewhere, and
/// the way there and back takes longer. Less than 5 us, which is what a call may hold the event loop.
const ALONE: u32 = 3_500;

/// What is beyond was disturbed, not measured; and no call shall hold the event loop for longer than 5 us.
const CROWDED_RANGE: [u32; 2] = [60, 2_000];
const ALONE_RANGE: [u32; 2] = [500, 5_000];

static LIMITS: [AtomicU32; 2] = [AtomicU32::new(CROWDED), AtomicU32::new(ALONE)];

/// For a job while others are in flight.
pub(crate) fn crowded() -> u64 {
    LIMITS[0].load(Ordering::Relaxed).into()
}

/// For a job that is alone.
pub(crate) fn alone() -> u64 {
    LIMITS[1].load(Ordering::Relaxed).into()
}

/// Sets both, within reason; who is alone may take as long as others at least.
pub(crate) fn set(crowded: u32, alone: u32) {
    let crowded = crowded.clamp(CROWDED_RANGE[0], CROWDED_RANGE[1]);
    let alone = alone.clamp(ALONE_RANGE[0], ALONE_RANGE[1]).max(crowded);
    LIMITS[0].store(crowded, Ordering::Relaxed);
    LIMITS[1].store(alone, Ordering::Relaxed);
    prices::changed();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stay_within_reason() {
        assert_eq!((crowded(), alone()), (CROWDED.into(), ALONE.into()));
        for (given, expected) in [
            ((300, 2_000), (300, 2_000)),
            ((0, 0), (60, 500)),
            ((u32::MAX, u32::MAX), (2_000, 5_000)),
            ((1_500, 600), (1_500, 1_500)),
        ] {
            set(given.0, given.1);
            assert_eq!((crowded(), alone()), expected);
        }
        set(CROWDED, ALONE);
    }
}
