//! The predicted cost of a job in nanoseconds, from which its route and its place in the pool
//! follow. The cost models are in `crates/cost`, where they have tests: those of this crate cannot
//! run without Node.

pub(crate) use crate::protocol::Route;
use crate::protocol::{COPY_NS_PER_KIB, EngineNumber, INLINE_ALONE_NS, INLINE_FIRST_NS, SUBMIT_NS};
use crate::work::{Operation, Work};
use millrace_core::catalog::Hash;
use millrace_core::split;
use std::fmt::Write;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use limits::{INLINE_NS, INLINE_TURN_NS};
use millrace_cost::sharing::{self, SHARED_JOB_NS};
pub(crate) use millrace_cost::{
    Algorithm, cost_model, epoch, is_settled, limits, measure_once, predict_messages,
};

// `protocol.rs` is generated for JavaScript too.
const _: () = assert!(INLINE_FIRST_NS == sharing::INLINE_FIRST_NS);

/// Nanoseconds of a message in the kernel, besides one per byte: system calls, copies and
/// allocations.
const KERNEL_MESSAGE_NS: u64 = 6_000;

/// Jobs predicted to take less are not split: a part takes a few microseconds to wake a worker and
/// to join.
const SPLIT_NS: u64 = 100_000;

/// Nanoseconds of a file besides its bytes: to find, open and close it, in the page cache.
const FILE_NS: u64 = 5_000;

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
    (cost <= limit && sum <= INLINE_TURN_NS) || spent.saturating_add(cost) <= INLINE_FIRST_NS
}

/// Returns how much longer the event loop takes to run a job than to pass it to a worker.
pub(crate) fn blocking_ns(cost: u64) -> u64 {
    cost.saturating_sub(SUBMIT_NS)
}

/// Returns true if an event loop may run a job of `cost` nanoseconds instead of waiting for a
/// worker. Workers run the jobs whose algorithm is not measured yet, to measure it.
pub(crate) fn suits_event_loop(work: &Work, cost: u64) -> bool {
    cost <= SHARED_JOB_NS
        && work.engine == EngineNumber::Native
        && !matches!(
            work.operation,
            Operation::HashFile(_) | Operation::HashFiles(_) | Operation::Derive
        )
        && is_settled(algorithm(work.operation))
}

/// Returns true if several workers should compute a job.
pub(crate) fn worth_splitting(work: &Work, cost: u64) -> bool {
    cost >= SPLIT_NS
        && work.engine == EngineNumber::Native
        && divisible(algorithm(work.operation))
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

/// Returns the predicted nanoseconds of a work.
pub(crate) fn predict(work: &Work) -> u64 {
    let (source, target) = (work.source.size(), work.target.size());
    if work.engine != EngineNumber::Native {
        let (count, bytes) = work.messages();
        return (count as u64).saturating_mul(KERNEL_MESSAGE_NS).saturating_add(bytes as u64);
    }
    let model = cost_model(algorithm(work.operation));
    match work.operation {
        // An XOF may have more output than input.
        Operation::Hash(_) => model.predict(source.saturating_add(target)),
        Operation::Finish(_) | Operation::Squeeze(_) => {
            model.predict(source.saturating_add(target))
        }
        // Two hashes, each of at least one block.
        Operation::Hmac(hash) => model
            .predict(
                source.saturating_add(work.key_size()).saturating_add(2 * hash.facts().block_size),
            )
            .saturating_add(model.predict(0)),
        Operation::MacBegin(_) | Operation::MacFinish(_) => {
            model.predict(source).saturating_add(model.predict(0))
        }
        Operation::Update(_) | Operation::MacUpdate(_) => {
            model.predict(source.saturating_add(work.iv.size()))
        }
        Operation::HashMany(hash) | Operation::HmacMany(hash) => {
            let (count, size) = work.messages();
            predict_messages(hash, size, count)
        }
        Operation::HashFile(_) => {
            model.predict(work.messages().1.saturating_add(target)).saturating_add(FILE_NS)
        }
        // The sizes of the files are not known yet.
        Operation::HashFiles(_) => FILE_NS.saturating_mul(work.messages().0 as u64),
        Operation::Encrypt(_) | Operation::Decrypt(_) => {
            model.predict(source.saturating_add(work.aad.size()))
        }
        Operation::SealChunks(_) | Operation::OpenChunks(_) | Operation::CipherUpdate(_) => {
            model.predict(source)
        }
        Operation::Derive => work.derivation.predict(work.aad.read(), target, &|hash| {
            predict_messages(hash, hash.facts().block_size, 1)
        }),
    }
}

/// Returns the algorithm of an operation; SHA-256 for a key derivation.
pub(crate) fn algorithm(operation: Operation) -> Algorithm {
    match operation {
        Operation::Hash(hash)
        | Operation::Hmac(hash)
        | Operation::Update(hash)
        | Operation::Finish(hash)
        | Operation::Squeeze(hash)
        | Operation::MacBegin(hash)
        | Operation::MacUpdate(hash)
        | Operation::MacFinish(hash)
        | Operation::HashMany(hash)
        | Operation::HmacMany(hash)
        | Operation::HashFile(hash)
        | Operation::HashFiles(hash) => Algorithm::Hash(hash),
        Operation::Encrypt(cipher)
        | Operation::Decrypt(cipher)
        | Operation::SealChunks(cipher)
        | Operation::OpenChunks(cipher)
        | Operation::CipherUpdate(cipher) => Algorithm::Cipher(cipher),
        Operation::Derive => Algorithm::Hash(Hash::Sha256),
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
