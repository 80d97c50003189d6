//! How much work may be done during a call.

use super::prices;
use std::sync::atomic::{AtomicU32, Ordering};

/// Nanoseconds of work that a job may take to be done during its call, until this machine is calibrated: what sending it away costs the
/// event loop (locks, copies, the bigger part of a wake-up).
const INLINE: u32 = 250;

/// What is measured beyond was disturbed.
const RANGE: [u32; 2] = [100, 1_000];

static LIMIT: AtomicU32 = AtomicU32::new(INLINE);

/// The same for a job that is alone: nothing of its environment is in flight, so nothing gains by its being elsewhere, and
/// the way there and back takes longer on any machine. Less than 5 us, which is what a call may hold the event loop.
pub const INLINE_ALONE: u64 = 3_500;

/// Nanoseconds of inline work in one turn of the event loop.
pub const INLINE_TURN: u64 = 50_000;

/// Returns the nanoseconds of work up to which a job is done during its call.
pub fn inline() -> u64 {
    LIMIT.load(Ordering::Relaxed).into()
}

/// Sets what was measured, within reason.
pub fn set_inline(limit: u32) {
    LIMIT.store(limit.clamp(RANGE[0], RANGE[1]), Ordering::Relaxed);
    prices::changed();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stay_within_reason() {
        assert_eq!(inline(), u64::from(INLINE));
        for (given, expected) in [(300, 300), (0, 100), (u32::MAX, 1_000)] {
            set_inline(given);
            assert_eq!(inline(), expected);
        }
        set_inline(INLINE);
    }
}
