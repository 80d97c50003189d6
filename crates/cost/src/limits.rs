//! The most work that is done during a call instead of on a worker.

/// The most nanoseconds of a job done during its call: about what submitting it costs the event
/// loop (locks, copies, a wake-up).
pub const INLINE_NS: u64 = 250;

/// The most nanoseconds of work done during calls in one event-loop iteration.
pub const INLINE_TURN_NS: u64 = 50_000;
