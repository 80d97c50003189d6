//! The state of one environment: its keys, its jobs in flight, and how their results reach
//! JavaScript. The main thread and every `worker_thread` have an environment each.

use crate::admission;
use crate::completion::{CompletionBuffer, Queue, WakeHandler};
use crate::cost::{self, Route};
use crate::job::{CompletionQueue, Job, JobList};
use crate::multibuffer::{self, BATCH_MAX};
use crate::task::{self, PoolTask};
use crate::values::{self, Env, Pinned};
use millrace_core::allocate::{Shared, try_box};
use millrace_core::error::Error;
use millrace_cost::sharing::Sharing;
use millrace_pool::{CancelToken, Cancellation, OsYieldThrottle};
use millrace_request::bytes::Window;
use millrace_request::caller::Caller;
use millrace_request::checkpoint::CHECKPOINT_MIN_NS;
use millrace_request::engine::KernelHashTable;
use millrace_request::keys::Keys;
use millrace_request::protocol::POLLED_NS;
pub(crate) use millrace_request::protocol::Poll;
use millrace_request::work::{Operation, ProgressCounter, Status};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A call from JavaScript, with its environment.
pub(crate) type Call<'a> = values::Call<'a, Environment>;

impl Caller for Call<'_> {
    #[inline]
    fn frame(&self) -> Option<Window> {
        Some(self.state.attached.get()?.frame)
    }

    #[inline]
    fn input_buffer(&self) -> Option<Window> {
        Some(self.state.attached.get()?.input_buffer)
    }

    #[inline]
    fn bytes(&self, argument: usize) -> Option<Window> {
        values::Call::bytes(self, argument)
    }

    fn bytes_of_each(&self, start: u32, count: u32) -> Result<Option<Vec<Window>>, Error> {
        self.env.bytes_of_each(self.argument(0), start, count)
    }

    #[inline]
    fn keys(&self) -> &RefCell<Keys> {
        &self.state.keys
    }

    #[inline]
    fn kernel_hashes(&self) -> &Arc<KernelHashTable> {
        &self.state.kernel_hashes
    }
}

/// The state of one environment, used on its own thread only.
pub(crate) struct Environment {
    pub(crate) keys: RefCell<Keys>,
    /// The running hashes of the kernel engine.
    pub(crate) kernel_hashes: Arc<KernelHashTable>,
    pub(crate) attached: OnceCell<Attached>,
    /// Called when the completion queue opens, to close it before the environment's memory is
    /// freed.
    on_open: fn(Env, &Shared<CompletionQueue>),
    completion: OnceCell<Shared<CompletionQueue>>,
    /// Jobs that came out of the completion queue and wait for another iteration of the loop.
    arrived: RefCell<JobList>,
    in_flight: Cell<usize>,
    /// What calls ask of jobs in flight, by slot.
    controls: RefCell<HashMap<u32, Controls>>,
    /// Derivations of this iteration of the loop, submitted together at its end: the first would
    /// otherwise run alone.
    pending: RefCell<JobList>,
    free_jobs: RefCell<JobFreeList>,
    /// True while callbacks run; their short jobs are deferred until all callbacks have run.
    settling: Cell<bool>,
    deferred: RefCell<JobList>,
    /// Short jobs that wait for the end of the iteration, and what is decided about them.
    held: RefCell<JobList>,
    sharing: Cell<Sharing>,
    /// Jobs that have run inline and are not settled, and the predicted nanoseconds of inline jobs
    /// in this iteration of the loop.
    finished: RefCell<JobList>,
    inlined_ns: Cell<u64>,
    /// Bytes copied for jobs that have not settled.
    pub(crate) copied: Cell<usize>,
    /// When a poll last found a result, or polling began.
    polled: Cell<Option<Instant>>,
    throttle: RefCell<OsYieldThrottle>,
    /// The reason of the last status that had one.
    pub(crate) reason: Cell<&'static str>,
}

struct Controls {
    cancel_token: Option<Shared<CancelToken>>,
    progress: Option<Shared<ProgressCounter>>,
}

/// The buffers and the function that JavaScript attached, held until the environment ends. The
/// buffers are private to `src/base/frame.ts`: no other code can detach them, so their windows stay
/// valid.
pub(crate) struct Attached {
    pub(crate) frame: Window,
    pub(crate) completion_buffer: Window,
    /// Short inputs: JavaScript copies them here, because a range of this buffer is cheaper to pass
    /// than a typed array.
    pub(crate) input_buffer: Window,
    pub(crate) settle: Pinned,
    /// Keeps the buffers from being collected.
    pub(crate) _memory: [Option<Pinned>; 3],
}

/// The most rounds of callbacks, and of the jobs that they run inline, in one iteration of the
/// loop.
const ROUNDS_MAX: usize = 4;

/// The most results that one wake-up settles before other events run.
const SETTLE_MAX: usize = 4096;

impl Environment {
    pub(crate) fn new(on_open: fn(Env, &Shared<CompletionQueue>)) -> Environment {
        Environment {
            keys: RefCell::default(),
            kernel_hashes: Arc::default(),
            attached: OnceCell::new(),
            on_open,
            completion: OnceCell::new(),
            arrived: RefCell::default(),
            in_flight: Cell::new(0),
            controls: RefCell::default(),
            pending: RefCell::default(),
            free_jobs: RefCell::default(),
            settling: Cell::new(false),
            deferred: RefCell::default(),
            held: RefCell::default(),
            sharing: Cell::default(),
            finished: RefCell::default(),
            inlined_ns: Cell::new(0),
            copied: Cell::new(0),
            polled: Cell::new(None),
            throttle: RefCell::default(),
            reason: Cell::new(""),
        }
    }

    /// Returns the status number of a call, and keeps its reason.
    #[inline]
    pub(crate) fn status_number(&self, done: Result<(), Status>) -> u32 {
        let Err(status) = done else { return Status::Done.number() };
        if let Some(reason) = status.reason() {
            self.reason.set(reason);
        }
        status.number()
    }

    /// Returns the completion queue, opened by the first job.
    ///
    /// # Errors
    /// [`Status::Memory`], and [`Status::Internal`] if the event loop cannot be reached from other
    /// threads.
    fn completion(&self, env: Env) -> Result<&Shared<CompletionQueue>, Status> {
        if self.completion.get().is_none() {
            let completion = Queue::new(env, self)?;
            (self.on_open)(env, &completion);
            let _ = self.completion.set(completion);
        }
        self.completion.get().ok_or(Status::Internal)
    }

    /// Counts an accepted job, which keeps the process alive until it is settled, and the bytes
    /// that were copied for it.
    pub(crate) fn accept(&self, env: Env, job: &Job) {
        self.copied.set(self.copied.get() + job.copied);
        self.set_in_flight(env, self.in_flight.get() + 1);
    }

    fn set_in_flight(&self, env: Env, in_flight: usize) {
        let before = self.in_flight.replace(in_flight);
        if (before == 0 || in_flight == 0)
            && let Some(completion) = self.completion.get()
        {
            completion.hold_open(env, in_flight > 0);
        }
    }

    /// Returns a job without work, from the free list or new.
    ///
    /// # Errors
    /// Those of [`Environment::completion`].
    pub(crate) fn job(&self, env: Env) -> Result<Box<Job>, Status> {
        let completion = self.completion(env)?;
        match self.free_jobs.borrow_mut().take() {
            Some(job) => Ok(job),
            None => Ok(try_box(Job::idle(completion.clone()))?),
        }
    }

    /// Reserves a place for what JavaScript finds by the job's slot: when memory is short, a call
    /// fails here, and no accepted job does. The lists of jobs need no memory.
    ///
    /// # Errors
    /// [`Status::Memory`].
    pub(crate) fn reserve(&self, job: &Job, cancellable: bool) -> Result<(), Status> {
        let controlled = cancellable || job.work.progress.is_some();
        let enough = !controlled || self.controls.borrow_mut().try_reserve(1).is_ok();
        if enough { Ok(()) } else { Err(Status::Memory) }
    }

    /// Returns true if a job should run during its call, and counts it for this iteration.
    pub(crate) fn may_run_inline(&self, cost: u64, copied: usize) -> bool {
        let (spent, in_flight) = (self.inlined_ns.get(), self.in_flight.get());
        let inline = cost::worth_inlining(cost, copied, spent, in_flight);
        if inline {
            self.inlined_ns.set(spent + cost::blocking_ns(cost));
        }
        inline
    }

    /// Returns true if `size` bytes may be copied for a job; `None` if that depends on a limit that
    /// is not set.
    pub(crate) fn can_copy(&self, size: usize) -> Option<bool> {
        cost::can_copy(size, self.copied.get())
    }

    /// Keeps a job that has run inline, for the next poll to settle.
    pub(crate) fn keep_finished(&self, job: Box<Job>) {
        self.finished.borrow_mut().push(job);
    }

    /// Submits a job to the pool. Short jobs of callbacks are submitted together when all callbacks
    /// have run, which takes the pool's lock once.
    pub(crate) fn dispatch(&self, mut job: Box<Job>) {
        job.kind = multibuffer::kind(&job.work);
        if job.is_controlled() {
            let (cancel_token, progress) = (job.cancel_token.clone(), job.work.progress.clone());
            self.controls.borrow_mut().insert(job.slot, Controls { cancel_token, progress });
        }
        if job.cost <= POLLED_NS {
            self.update_sharing(|sharing| sharing.in_flight(job.cost));
        }
        if matches!(job.work.operation, Operation::Derive) {
            self.pending.borrow_mut().push(job);
            return;
        }
        if job.shared {
            self.update_sharing(|sharing| sharing.hold(job.cost));
            self.held.borrow_mut().push(job);
            if !self.settling.get() {
                self.submit_full();
            }
            return;
        }
        if job.cost > CHECKPOINT_MIN_NS {
            task::submit_long(job);
        } else if self.settling.get() {
            self.deferred.borrow_mut().push(job);
        } else {
            task::submit([PoolTask::Job(job)]);
        }
    }

    fn update_sharing(&self, change: impl FnOnce(&mut Sharing)) {
        let mut sharing = self.sharing.get();
        change(&mut sharing);
        self.sharing.set(sharing);
    }

    /// Submits the held jobs before the end of the iteration if they are enough work.
    fn submit_full(&self) {
        if self.sharing.get().is_full(task::pool().is_awake()) {
            self.submit_held();
        }
    }

    /// Submits the held jobs to the pool.
    fn submit_held(&self) {
        self.update_sharing(Sharing::release);
        task::submit(self.held.take().map(PoolTask::Job));
    }

    /// Submits the pending derivations at the end of an iteration of the loop.
    pub(crate) fn flush(&self) {
        admission::submit(self.pending.take());
    }

    /// Returns the progress of the job in a slot, from 0 to 1.
    pub(crate) fn progress(&self, slot: u32) -> f64 {
        let controls = self.controls.borrow();
        let progress = controls.get(&slot).and_then(|controls| controls.progress.as_ref());
        progress.map_or(0.0, |progress| progress.get())
    }

    /// Cancels the job in a slot.
    pub(crate) fn cancel(&self, slot: u32) -> Cancellation {
        let controls = self.controls.borrow();
        let token = controls.get(&slot).and_then(|controls| controls.cancel_token.as_ref());
        token.map_or(Cancellation::AfterEnd, |token| token.cancel())
    }

    /// Records that JavaScript calls [`Environment::poll`] once per iteration of the loop from now
    /// on.
    pub(crate) fn begin_polling(&self) {
        if let Some(completion) = self.completion.get() {
            self.polled.set(Some(Instant::now()));
            completion.begin_polling();
        }
    }

    /// Returns true if the loop should poll for the jobs in flight instead of sleeping.
    pub(crate) fn worth_polling(&self) -> bool {
        self.sharing.get().worth_polling(|| task::pool().threads().limit)
    }

    /// Settles the results in the queue, and runs short jobs. Returns whether to continue polling.
    pub(crate) fn poll(&self, env: Env) -> Poll {
        let Some(completion) = self.completion.get() else { return Poll::Done };
        // A thread that waits for a core may be one whose events this loop waits for.
        self.throttle.borrow_mut().maybe_yield_to_os();
        let settled = self.settle_iteration(env);
        let worker_awake = task::pool().is_awake();
        if self.sharing.get().worth_sharing(worker_awake) {
            self.submit_held();
        }
        let budget = self.sharing.get().help_ns(settled > 0 && worker_awake);
        if self.help(completion, budget) {
            self.settle_arrivals(env);
        } else if settled == 0 {
            return self.end_poll(env, completion);
        }
        self.polled.set(Some(Instant::now()));
        Poll::Again
    }

    /// Returns whether to poll again after a poll without progress.
    fn end_poll(&self, env: Env, completion: &CompletionQueue) -> Poll {
        let patience = Duration::from_nanos(self.sharing.get().patience_ns());
        let recent = self.polled.get().is_some_and(|last| last.elapsed() < patience);
        if self.in_flight.get() > 0 && recent && self.worth_polling() {
            return Poll::Again;
        }
        completion.end_polling();
        self.update_sharing(Sharing::idle);
        self.settle_arrivals(env);
        // The callbacks may have made jobs that only polling runs or settles.
        if !self.finished.borrow().is_empty() || !self.held.borrow().is_empty() {
            self.begin_polling();
            return Poll::Again;
        }
        Poll::Done
    }

    /// Settles the results in the queue and the jobs that their callbacks run inline. Returns their
    /// number. An iteration of the loop costs 4 us, so several rounds of short jobs share one.
    fn settle_iteration(&self, env: Env) -> usize {
        self.inlined_ns.set(0);
        let mut settled = self.settle_arrivals(env);
        for _ in 1..ROUNDS_MAX {
            if self.finished.borrow().is_empty() {
                break;
            }
            settled += self.settle_arrivals(env);
        }
        settled
    }

    /// Runs short jobs of this environment that no worker has taken, held ones first, until they
    /// took `budget` predicted nanoseconds. Returns true if there were any.
    fn help(&self, completion: &Shared<CompletionQueue>, budget: u64) -> bool {
        let (mut cost, mut helped) = (0, false);
        loop {
            let (mut jobs, mut count, mut last) = ([const { None }; BATCH_MAX], 0, None);
            while cost < budget
                && count < BATCH_MAX
                && let Some(job) = self.take_held().or_else(|| take_shared(completion))
            {
                // A batch takes less than half as long.
                let batched = job.kind.is_some() && last == job.kind;
                cost += if batched { job.cost / 2 } else { job.cost };
                last = job.kind;
                jobs[count] = Some(job);
                count += 1;
            }
            if count == 0 {
                break;
            }
            helped = true;
            multibuffer::run_inline(&mut jobs[..count]);
            let mut finished = self.finished.borrow_mut();
            jobs.into_iter().flatten().for_each(|job| finished.push(job));
        }
        self.update_sharing(|sharing| sharing.ran(cost));
        helped
    }

    /// Takes the first held job.
    fn take_held(&self) -> Option<Box<Job>> {
        let job = self.held.borrow_mut().next()?;
        self.update_sharing(|sharing| sharing.take(job.cost));
        Some(job)
    }

    /// Delivers the results in the queue to JavaScript, and returns their number.
    fn settle_arrivals(&self, env: Env) -> usize {
        let (Some(completion), Some(attached)) = (self.completion.get(), self.attached.get())
        else {
            return 0;
        };
        completion.drained();
        let mut buffer = CompletionBuffer::new(attached.completion_buffer);
        let mut taken = 0;
        // Taken before the loop: its callbacks may add more.
        let finished = self.finished.take();
        for job in finished {
            taken += 1;
            self.settle(env, attached, &mut buffer, job);
        }
        while taken < SETTLE_MAX
            && let Some(job) = self.next_arrival(completion)
        {
            taken += 1;
            self.settle(env, attached, &mut buffer, job);
        }
        if taken >= SETTLE_MAX {
            completion.wake_once();
        }
        self.deliver(env, attached, &mut buffer);
        taken
    }

    /// Removes the next job from the completion queue.
    fn next_arrival(&self, completion: &CompletionQueue) -> Option<Box<Job>> {
        let mut arrived = self.arrived.borrow_mut();
        arrived.next().or_else(|| {
            *arrived = completion.take();
            arrived.next()
        })
    }

    /// Adds the job's result to the buffer, which is delivered first if it is full.
    fn settle(&self, env: Env, attached: &Attached, buffer: &mut CompletionBuffer, job: Box<Job>) {
        let (small, large) = job.result();
        if !buffer.write(job.slot, job.status.number(), small, large) {
            self.deliver(env, attached, buffer);
            // Every record fits in an empty buffer; see `REPLY_MAX`.
            buffer.write(job.slot, job.status.number(), small, large);
        }
        if job.is_controlled() {
            self.controls.borrow_mut().remove(&job.slot);
        }
        self.copied.set(self.copied.get().saturating_sub(job.copied));
        if job.cost <= POLLED_NS && job.route != Route::Inline {
            self.update_sharing(|sharing| sharing.settled(job.cost));
        }
        let in_flight = self.in_flight.get() - 1;
        self.set_in_flight(env, in_flight);
        self.free_jobs.borrow_mut().keep(job, in_flight);
    }

    /// Calls JavaScript with the records in the buffer, and submits the jobs of its callbacks.
    fn deliver(&self, env: Env, attached: &Attached, buffer: &mut CompletionBuffer) {
        if buffer.records() > 0 {
            self.settling.set(true);
            env.scoped(|| {
                if let Some(settle) = env.pinned(&attached.settle) {
                    env.call(settle, env.number(buffer.records()));
                }
            });
            self.settling.set(false);
            let deferred = self.deferred.take();
            if !deferred.is_empty() {
                task::submit(deferred.map(PoolTask::Job));
            }
            self.submit_full();
            buffer.clear();
        }
    }
}

/// Takes the environment's first job from the pool if the event loop may run it.
fn take_shared(completion: &Shared<CompletionQueue>) -> Option<Box<Job>> {
    match task::pool().take_first(completion.address(), PoolTask::suits_event_loop)? {
        PoolTask::Job(job) => Some(job),
        // Never shared.
        PoolTask::Helper(_) => None,
    }
}

impl WakeHandler for Environment {
    fn on_wake(&self, env: Env) {
        self.settle_iteration(env);
    }
}

/// Jobs without work, with the memory of their copies: the page faults of a new megabyte take
/// longer than hashing half of it.
#[derive(Default)]
struct JobFreeList {
    jobs: JobList,
    memory: usize,
}

impl JobFreeList {
    const JOBS_MAX: usize = 1024;
    /// The most bytes kept while other jobs are in flight, and without any.
    const BUSY_BYTES: usize = 32 << 20;
    const IDLE_BYTES: usize = 16 << 20;

    fn take(&mut self) -> Option<Box<Job>> {
        let mut job = self.jobs.next()?;
        self.memory -= job.reset();
        Some(job)
    }

    fn keep(&mut self, mut job: Box<Job>, in_flight: usize) {
        let memory = job.reset();
        let keep = self.jobs.len() < JobFreeList::JOBS_MAX
            && self.memory + memory <= JobFreeList::BUSY_BYTES;
        if keep {
            self.memory += memory;
            self.jobs.push_first(job);
        }
        if in_flight == 0 && self.memory > JobFreeList::IDLE_BYTES {
            *self = JobFreeList::default();
        }
    }
}
