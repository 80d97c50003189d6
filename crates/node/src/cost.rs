//! The predicted cost of a job in nanoseconds, from which its route and its place in the pool
//! follow. The cost models are in `crates/cost`, where they have tests: those of this crate cannot
//! run without Node.

use millrace_core::split;
pub(crate) use millrace_request::protocol::Route;
use millrace_request::protocol::{
    COPY_NS_PER_KIB, EngineNumber, INLINE_ALONE_NS, INLINE_FIRST_JOBS, INLINE_FIRST_NS,
    MEASURED_FIRST_NS, SUBMIT_NS,
};
use millrace_request::work::{Operation, Work};
use std::fmt::Write;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use limits::{INLINE_NS, INLINE_TURN_NS};
use millrace_cost::sharing::{self, SHARED_JOB_NS};
pub(crate) use millrace_cost::{
    Algorithm, cost_model, epoch, is_settled, limits, measure_once, predict_messages,
};

// `protocol.rs` is generated for JavaScript too.
const _: () = assert!(INLINE_FIRST_NS == sharing::INLINE_FIRST_NS);
const _: () = assert!(INLINE_FIRST_JOBS == sharing::INLINE_FIRST_JOBS);

/// Jobs predicted to take less are not split: a part takes a few microseconds to wake a worker and
/// to join.
const SPLIT_NS: u64 = 100_000;

/// The route of calls that name none, for the whole process.
static DEFAULT_ROUTE: AtomicU8 = AtomicU8::new(Route::Auto as u8);

pub(crate) fn default_route() -> Route {
    Route::from_number(DEFAULT_ROUTE.load(Ordering::Relaxed).into()).unwrap_or(Route::Auto)
}

pub(crate) fn set_default_route(route: Route) {
    DEFAULT_ROUTE.store(route as u8, Ordering::Relaxed);
    millrace_cost::advance_epoch();
}

/// The most bytes that each environment may have copied for calls that have not settled; 0 while
/// JavaScript has not set it.
static COPIES_LIMIT: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn copies_limit() -> usize {
    COPIES_LIMIT.load(Ordering::Relaxed)
}

pub(crate) fn set_copies_limit(limit: usize) {
    COPIES_LIMIT.store(limit, Ordering::Relaxed);
}

/// The most bytes that may be copied while no limit is set.
const COPIES_FREE_BYTES: usize = 64 << 20;

/// Returns true if `size` bytes may be copied besides the `copied` ones; `None` if that depends on
/// a limit that is not set. The first copy is always allowed.
pub(crate) fn can_copy(size: usize, copied: usize) -> Option<bool> {
    let sum = copied.saturating_add(size);
    match copies_limit() {
        _ if copied == 0 || size == 0 => Some(true),
        0 if sum <= COPIES_FREE_BYTES => Some(true),
        0 => None,
        limit => Some(sum <= limit),
    }
}

/// Returns true if a job of `cost` nanoseconds should run during its call, when other jobs took
/// `spent` nanoseconds in this iteration of the loop and `in_flight` jobs are in flight. `copied`
/// bytes would be copied for a worker, which takes the loop longer than a short job.
pub(crate) fn worth_inlining(cost: u64, copied: usize, spent: u64, in_flight: usize) -> bool {
    let submit_ns = INLINE_NS + copied as u64 * COPY_NS_PER_KIB / 1024;
    let limit = if in_flight == 0 { INLINE_ALONE_NS } else { submit_ns.min(INLINE_ALONE_NS) };
    let sum = spent.saturating_add(blocking_ns(cost));
    (cost <= limit && sum <= INLINE_TURN_NS)
        || (in_flight < INLINE_FIRST_JOBS && spent.saturating_add(cost) <= INLINE_FIRST_NS)
}

/// Returns true if the predicted cost of a job is right enough for the event loop to run it.
pub(crate) fn is_known(work: &Work, cost: u64) -> bool {
    cost < MEASURED_FIRST_NS || is_settled(work.operation.algorithm())
}

/// Returns how much longer the event loop takes to run a job than to pass it to a worker.
pub(crate) fn blocking_ns(cost: u64) -> u64 {
    cost.saturating_sub(SUBMIT_NS)
}

/// Returns true if an event loop may run a job of `cost` nanoseconds instead of waiting for a
/// worker. Workers run the jobs of algorithms that are not measured yet, to measure them.
pub(crate) fn suits_event_loop(work: &Work, cost: u64) -> bool {
    cost <= SHARED_JOB_NS
        && work.engine == EngineNumber::Native
        && !matches!(
            work.operation,
            Operation::HashFile(_) | Operation::HashFiles(_) | Operation::Derive
        )
        && is_settled(work.operation.algorithm())
}

/// Returns true if several workers should compute a job.
pub(crate) fn worth_splitting(work: &Work, cost: u64) -> bool {
    cost >= SPLIT_NS
        && work.engine == EngineNumber::Native
        && divisible(work.operation.algorithm())
        && !matches!(
            work.operation,
            Operation::Hmac(_) | Operation::HashFiles(_) | Operation::Derive
        )
}

/// Returns true if the parts of a message can be computed in any order, on every CPU.
fn divisible(algorithm: Algorithm) -> bool {
    match algorithm {
        Algorithm::Hash(hash) => split::is_tree(hash),
        Algorithm::Cipher(_) => true,
    }
}

/// Returns all cost models and the thresholds that follow from them, as JSON:
/// `{"sha256":{"fixed":..,"perByte":..,"measured":..,"inlineTo":..,"splitFrom":..},..}`.
pub(crate) fn to_json() -> String {
    let mut json = String::from("{");
    for algorithm in Algorithm::all() {
        let model = cost_model(algorithm);
        let comma = if json.len() > 1 { "," } else { "" };
        let (name, measured) = (algorithm.name(), millrace_cost::is_measured(algorithm));
        let inline = model.bytes_within(INLINE_NS).max(0.0);
        let _ = write!(
            json,
            "{comma}\"{name}\":{{\"fixed\":{:.1},\"perByte\":{:.5},\"measured\":{measured},\
             \"inlineTo\":{inline}",
            model.fixed_ns, model.per_byte_ns
        );
        if let Algorithm::Hash(_) = algorithm {
            let _ = write!(json, ",\"batchFactor\":{:.3}", model.batch_factor);
        }
        if divisible(algorithm) {
            let _ = write!(json, ",\"splitFrom\":{}", model.bytes_within(SPLIT_NS).max(0.0) + 1.0);
        }
        json.push('}');
    }
    json.push('}');
    json
}
