//! How much work may be done during a call.

/// Nanoseconds of work that a job may take to be done during its call: what sending it away costs
/// the event loop (locks, copies, the bigger part of a wake-up).
pub const INLINE: u64 = 250;

/// The same for a job that is alone: nothing of its environment is in flight, so nothing gains by
/// its being elsewhere, and the way there and back takes longer on any machine. Less than 5 us,
/// which is what a call may hold the event loop.
pub const INLINE_ALONE: u64 = 3_500;

/// Nanoseconds of inline work in one turn of the event loop.
pub const INLINE_TURN: u64 = 50_000;
