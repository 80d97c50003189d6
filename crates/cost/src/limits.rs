//! The most work that is done during a call instead of on a worker.

/// The most nanoseconds of a job done during its call: about what passing it to a worker costs the
/// event loop, besides a copy of the source.
pub const INLINE_NS: u64 = 1_000;

/// The most nanoseconds of work done during calls in one event-loop iteration.
pub const INLINE_TURN_NS: u64 = 50_000;
