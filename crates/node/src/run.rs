//! Runs the work of one call: synchronously, or as a job that runs during the call or on the pool.

use crate::cost;
use crate::environment::Call;
use crate::job::Job;
use crate::values::Value;
use millrace_core::allocate::Shared;
use millrace_core::stack;
use millrace_pool::CancelToken;
use millrace_request::bytes::{Copies, Window};
use millrace_request::decode;
use millrace_request::execute;
use millrace_request::frame::Frame;
use millrace_request::memory_budget;
use millrace_request::operands::copy_overlapping_aad;
use millrace_request::predict;
use millrace_request::protocol::flag::{CANCELLABLE, COPIED, SNAPSHOT, UNLIMITED};
use millrace_request::protocol::{At, POLLED_NS, Route, Status};
use millrace_request::work::{Key, Operation, Reply, Target, Work};

/// `run(source, target, iv, aad, tag, key)`: runs the operation of the frame, synchronously if the
/// slot is -1, else as a job. Returns a [`Status`]; for a job, `Done` means accepted.
pub(crate) fn run(call: &Call<'_>) -> Value {
    let done = Frame::of(call).ok_or(Status::Argument).and_then(|frame| run_frame(&frame));
    call.env.number(call.state.status_number(done))
}

fn run_frame(frame: &Frame<'_, Call<'_>>) -> Result<(), Status> {
    let slot = frame.number(At::Slot);
    if slot >= 0.0 {
        return stack::ahead(|| submit(frame, slot as u32));
    }
    let mut copies = Copies::default();
    let mut work = decode::decode(frame)?;
    copy_overlapping_aad(&mut copies, &mut work)?;
    let status = execute::run(&work, &mut Reply::empty(), None);
    if matches!(work.operation, Operation::Derive) {
        memory_budget::wipe_deferred(|| {});
    }
    match status {
        Status::Done => Ok(()),
        status => Err(status),
    }
}

fn submit(frame: &Frame<'_, Call<'_>>, slot: u32) -> Result<(), Status> {
    let (env, state) = (frame.call.env, frame.call.state);
    let mut job = state.job(env)?;
    job.slot = slot;
    job.work = decode::decode(frame)?;
    if matches!(job.work.operation, Operation::Squeeze(_) | Operation::MacBegin(_)) {
        return Err(Status::NotSupported);
    }
    job.cost = predict::predict(&job.work);
    job.copied = if frame.has(SNAPSHOT | COPIED) { job.work.source.size() } else { 0 };
    job.route = route(frame, &job)?;
    job.shared = is_shared(frame, &job);
    state.reserve(&job, frame.has(CANCELLABLE))?;
    if job.route == Route::Inline {
        // No other code of the caller runs meanwhile.
        job.work.lent = false;
        if job.work.returns_text() {
            copy_source(&mut job.copies, &mut job.work)?;
        }
        copy_overlapping_aad(&mut job.copies, &mut job.work)?;
        job.perform(None);
        if matches!(job.work.operation, Operation::Derive) {
            memory_budget::wipe_deferred(|| {});
        }
        frame.set(At::Cost, 0);
        job.copied = 0;
        state.accept(env, &job);
        state.keep_finished(job);
        return Ok(());
    }
    if frame.has(CANCELLABLE) {
        job.cancel_token = Some(Shared::try_new(CancelToken::default())?);
    }
    copy_secrets(&mut job.copies, &mut job.work)?;
    if frame.has(SNAPSHOT) {
        copy_source(&mut job.copies, &mut job.work)?;
    }
    let (cost, held) = (job.cost, job.shared);
    state.accept(env, &job);
    state.dispatch(job);
    // The loop runs the held jobs at its polls.
    let polls = held || state.worth_polling();
    frame.set(At::Cost, if polls { cost } else { cost.max(POLLED_NS + 1) });
    Ok(())
}

/// Returns the route that the call asks for, or else the one that its predicted cost suggests.
fn route(frame: &Frame<'_, Call<'_>>, job: &Job) -> Result<Route, Status> {
    let route = match Route::from_number(frame.number(At::Route) as u32).ok_or(Status::Argument)? {
        Route::Auto => cost::default_route(),
        route => route,
    };
    if route != Route::Auto {
        return Ok(route);
    }
    let state = frame.call.state;
    if cost::is_known(&job.work, job.cost)
        && state.may_run_inline(job.cost, if frame.has(SNAPSHOT) { job.copied } else { 0 })
    {
        return Ok(Route::Inline);
    }
    // Back-pressure: a source that may not be copied is processed now, before the caller changes
    // it.
    if frame.has(SNAPSHOT)
        && !frame.has(UNLIMITED)
        && !state.can_copy(job.copied).ok_or(Status::CopyLimitUnset)?
    {
        return Ok(Route::Inline);
    }
    Ok(if cost::worth_splitting(&job.work, job.cost) { Route::Split } else { Route::Pool })
}

/// Returns true if the event loop may run a job for the pool instead of waiting for a worker.
fn is_shared(frame: &Frame<'_, Call<'_>>, job: &Job) -> bool {
    frame.number(At::Route) as u32 == Route::Auto as u32
        && cost::default_route() == Route::Auto
        && cost::suits_event_loop(&job.work, job.cost)
}

/// Copies key, iv, aad and tag, so that the caller may wipe or reuse them right after the call.
fn copy_secrets(copies: &mut Copies, work: &mut Work) -> Result<(), Status> {
    let key = if let Key::Bytes(key) = work.key { key } else { Window::EMPTY };
    let [key, iv, aad, tag] =
        copies.secrets([key, work.iv, work.aad, work.tag]).ok_or(Status::Memory)?;
    if let Key::Bytes(bytes) = &mut work.key {
        *bytes = key;
    }
    (work.iv, work.aad, work.tag) = (iv, aad, tag);
    Ok(())
}

/// Copies a source that the caller may change: into the target of a cipher, which then works in
/// place, or else into the job's memory.
fn copy_source(copies: &mut Copies, work: &mut Work) -> Result<(), Status> {
    let text = matches!(
        work.operation,
        Operation::Encrypt(_) | Operation::Decrypt(_) | Operation::CipherUpdate(_)
    );
    work.source = match work.target {
        Target::Memory(target) if text => {
            if target.size() != work.source.size() {
                return Err(Status::Argument);
            }
            match work.fresh {
                true => target.fill_new(work.source),
                false => target.copy_from(work.source),
            }
            work.fresh = false;
            target
        }
        _ => copies.text(work.source).ok_or(Status::Memory)?,
    };
    Ok(())
}
