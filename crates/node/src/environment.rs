//! The state of one environment (the main thread and every `worker_thread` have one each): its
//! keys, its jobs in flight, and how their results reach JavaScript. Used on the environment's own
//! thread only.

use crate::admission;
use crate::bytes::{Window, try_box};
use crate::checkpoint::CHECKPOINT_MIN_NS;
use crate::completion::{CompletionBuffer, POLL, Queue, WakeHandler};
use crate::cost::{self, Route};
use crate::engine::KernelHashTable;
use crate::job::{CompletionQueue, Job};
use crate::keys::Keys;
use crate::multibuffer;
pub(crate) use crate::protocol::Poll;
use crate::task::{self, PoolTask};
use crate::values::{self, Env, Pinned};
use crate::work::{Operation, ProgressCounter, Status};
use millrace_pool::{CancelToken, Cancellation, MAX_THREADS};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Instant;

/// A call from JavaScript, with its environment.
pub(crate) type Call<'a> = values::Call<'a, Environment>;

/// One environment's state, used on its own thread only.
pub(crate) struct Environment {
    pub(crate) keys: RefCell<Keys>,
    /// The running hashes of the kernel engine.
    pub(crate) kernel_hashes: Arc<KernelHashTable>,
    /// What JavaScript attached: the frame it writes numbers to, the buffer it reads results from.
    pub(crate) attached: OnceCell<Attached>,
    /// Told when the way back for jobs opens, so that it is closed before the environment's memory
    /// goes.
    opened: fn(Env, &Arc<CompletionQueue>),
    channel: OnceCell<CompletionChannel>,
    in_flight: Cell<usize>,
    cancel_tokens: RefCell<HashMap<u32, Arc<CancelToken>>>,
    /// Of jobs whose progress somebody wants to know.
    progress_counters: RefCell<HashMap<u32, Arc<ProgressCounter>>>,
    /// Derivations of this turn, sent away together when it ends: the first would else run alone.
    pending: RefCell<Vec<Box<Job>>>,
    free_jobs: RefCell<JobFreeList>,
    /// True while callbacks run, and the jobs they have made.
    settling: Cell<bool>,
    deferred: RefCell<Vec<PoolTask>>,
    /// Jobs that have run inline and wait to be settled, and the predicted nanoseconds of those of
    /// this turn.
    finished: RefCell<Vec<Box<Job>>>,
    inlined: Cell<u64>,
    /// Bytes copied for jobs that have not settled.
    copied: Cell<usize>,
    /// When a poll last found something, or polling began.
    polled: Cell<Option<Instant>>,
    /// The reason of the last call that returned a status with one.
    reason: Cell<&'static str>,
}

/// JavaScript's side of the binding, held until the environment ends. The buffers are private to
/// the front (`src/frame.ts`): nobody can detach them, so their windows stay valid.
pub(crate) struct Attached {
    pub(crate) frame: Window,
    pub(crate) completion_buffer: Window,
    /// Short inputs, laid here by JavaScript: to name a range of it costs less than to pass a
    /// typed array.
    pub(crate) input_buffer: Window,
    pub(crate) settle: Pinned,
    /// Keeps the buffers from the collector.
    pub(crate) _memory: [Option<Pinned>; 3],
}

/// Both ends of it.
struct CompletionChannel {
    completion: Arc<CompletionQueue>,
    arrivals: Receiver<Box<Job>>,
}

/// The most rounds of callbacks, jobs they run inline, and their callbacks, in one turn of the
/// loop.
const ROUNDS: usize = 4;

/// Predicted nanoseconds of jobs the event loop runs itself instead of waiting, and of each of
/// them.
const HELP: u64 = 12_000;
const HELP_EACH: u64 = 4_000;

/// The most results one wake-up settles before other events get their turn.
const BATCH: usize = 4096;

impl Environment {
    pub(crate) fn new(opened: fn(Env, &Arc<CompletionQueue>)) -> Environment {
        Environment {
            keys: RefCell::default(),
            kernel_hashes: Arc::default(),
            attached: OnceCell::new(),
            opened,
            channel: OnceCell::new(),
            in_flight: Cell::new(0),
            cancel_tokens: RefCell::default(),
            progress_counters: RefCell::default(),
            pending: RefCell::default(),
            free_jobs: RefCell::default(),
            settling: Cell::new(false),
            deferred: RefCell::default(),
            finished: RefCell::default(),
            inlined: Cell::new(0),
            copied: Cell::new(0),
            polled: Cell::new(None),
            reason: Cell::new(""),
        }
    }

    /// The number of how a call ended. A reason is kept until JavaScript asks for it.
    #[inline]
    pub(crate) fn status_number(&self, done: Result<(), Status>) -> u32 {
        let Err(status) = done else { return Status::Done.number() };
        if let Some(reason) = status.reason() {
            self.reason.set(reason);
        }
        status.number()
    }

    pub(crate) fn last_reason(&self) -> &'static str {
        self.reason.get()
    }

    /// The way back for this environment's jobs, opened by the first of them.
    pub(crate) fn completion(&self, env: Env) -> Option<&Arc<CompletionQueue>> {
        if self.channel.get().is_none() {
            let (completion, arrivals) = Queue::new(env, self)?;
            let completion = Arc::new(completion);
            (self.opened)(env, &completion);
            let _ = self.channel.set(CompletionChannel { completion, arrivals });
        }
        self.channel.get().map(|channel| &channel.completion)
    }

    /// A job was accepted: the process stays alive until it has settled.
    pub(crate) fn accept(&self, env: Env, slot: u32, cancel_token: Option<Arc<CancelToken>>) {
        if let Some(cancel_token) = cancel_token {
            self.cancel_tokens.borrow_mut().insert(slot, cancel_token);
        }
        let in_flight = self.in_flight.get();
        self.in_flight.set(in_flight + 1);
        if in_flight == 0
            && let Some(channel) = self.channel.get()
        {
            channel.completion.hold_open(env, true);
        }
    }

    /// A job to fill: one that has come back, or a new one.
    ///
    /// # Errors
    /// [`Status::Memory`], and [`Status::Internal`] when the event loop cannot be reached from
    /// other threads.
    pub(crate) fn job(&self, env: Env) -> Result<Box<Job>, Status> {
        let completion = self.completion(env).ok_or(Status::Internal)?;
        match self.free_jobs.borrow_mut().take() {
            Some(job) => Ok(job),
            None => Ok(try_box(Job::idle(Arc::clone(completion)))?),
        }
    }

    /// Makes room in every list that a job enters, so that a call is refused when memory is short
    /// and no accepted job is.
    ///
    /// # Errors
    /// [`Status::Memory`].
    pub(crate) fn reserve(&self, job: &Job, cancellable: bool) -> Result<(), Status> {
        let enough = (!cancellable || self.cancel_tokens.borrow_mut().try_reserve(1).is_ok())
            && (job.work.progress.is_none()
                || self.progress_counters.borrow_mut().try_reserve(1).is_ok())
            && match (job.route, matches!(job.work.operation, Operation::Derive)) {
                (Route::Inline, _) => self.finished.borrow_mut().try_reserve(1).is_ok(),
                (_, true) => {
                    let mut pending = self.pending.borrow_mut();
                    pending.try_reserve(1).is_ok() && admission::reserve(pending.len() + 1)
                }
                _ if self.settling.get() => {
                    // A long job departs as one task for each worker.
                    let tasks = if job.cost > CHECKPOINT_MIN_NS { MAX_THREADS } else { 1 };
                    self.deferred.borrow_mut().try_reserve(tasks).is_ok()
                }
                _ => true,
            };
        if enough { Ok(()) } else { Err(Status::Memory) }
    }

    /// True for a job to be done during its call, which counts for this turn of the loop.
    pub(crate) fn may_run_inline(&self, cost: u64) -> bool {
        let inline = cost::worth_inlining(cost, self.inlined.get(), self.in_flight.get());
        if inline {
            self.inlined.set(self.inlined.get() + cost);
        }
        inline
    }

    /// Whether so many bytes may be copied for a job; `None` if that takes a limit and none is set.
    pub(crate) fn can_copy(&self, size: usize) -> Option<bool> {
        cost::can_copy(size, self.copied.get())
    }

    /// So many bytes have been copied for a job that departs.
    pub(crate) fn add_copied(&self, size: usize) {
        self.copied.set(self.copied.get() + size);
    }

    pub(crate) fn copied_now(&self) -> usize {
        self.copied.get()
    }

    /// A job that has run inline, to be settled at the next look.
    pub(crate) fn keep_finished(&self, job: Box<Job>) {
        self.finished.borrow_mut().push(job);
    }

    /// Sends a job to the pool; one made by a callback goes with the others of its batch, which
    /// takes the pool's lock once instead of once a job.
    pub(crate) fn dispatch(&self, mut job: Box<Job>) {
        job.kind = multibuffer::kind(&job.work);
        if let Some(progress) = &job.work.progress {
            self.progress_counters.borrow_mut().insert(job.slot, Arc::clone(progress));
        }
        if matches!(job.work.operation, Operation::Derive) {
            self.pending.borrow_mut().push(job);
            return;
        }
        let long = job.cost > CHECKPOINT_MIN_NS;
        match (self.settling.get(), long) {
            (true, false) => self.deferred.borrow_mut().push(PoolTask::Job(job)),
            (true, true) => self.deferred.borrow_mut().extend(task::split(job)),
            (false, false) => task::submit([PoolTask::Job(job)]),
            (false, true) => task::submit(task::split(job)),
        }
    }

    /// The turn ends: what has gathered goes to the pool, as far as there is memory for it.
    pub(crate) fn flush(&self) {
        admission::submit(self.pending.take());
    }

    /// How far the job in this slot has come, from 0 to 1.
    pub(crate) fn progress(&self, slot: u32) -> f64 {
        self.progress_counters.borrow().get(&slot).map_or(0.0, |progress| progress.get())
    }

    /// Nobody wants the job in this slot any more.
    pub(crate) fn cancel(&self, slot: u32) -> Cancellation {
        self.cancel_tokens
            .borrow()
            .get(&slot)
            .map_or(Cancellation::AfterEnd, |cancel_token| cancel_token.cancel())
    }

    /// From now on JavaScript calls [`Environment::poll`] once per turn of the loop.
    pub(crate) fn begin_polling(&self) {
        if let Some(channel) = self.channel.get() {
            self.polled.set(Some(Instant::now()));
            channel.completion.begin_polling();
        }
    }

    /// Settles what has arrived, and tells whether to go on.
    pub(crate) fn poll(&self, env: Env) -> Poll {
        let Some(channel) = self.channel.get() else { return Poll::Done };
        if self.settle_turn(env) > 0
            || (self.help(&channel.completion) && self.settle_arrivals(env) > 0)
        {
            self.polled.set(Some(Instant::now()));
            return Poll::Again;
        }
        let patient = self.polled.get().is_some_and(|last| last.elapsed() < POLL);
        if self.in_flight.get() > 0 && patient {
            return Poll::Again;
        }
        channel.completion.end_polling();
        let last_look = self.settle_arrivals(env);
        // Its callbacks may have run jobs inline, which only polling finds.
        if !self.finished.borrow().is_empty() {
            self.begin_polling();
            return Poll::Again;
        }
        if self.in_flight.get() > 0 && last_look == 0 { Poll::TimedOut } else { Poll::Done }
    }

    /// A turn of the event loop begins: settles what has arrived, and what the callbacks have run
    /// inline meanwhile. A turn costs 4 us here, so several rounds of tiny jobs share one.
    fn settle_turn(&self, env: Env) -> usize {
        self.inlined.set(0);
        let mut settled = self.settle_arrivals(env);
        for _ in 1..ROUNDS {
            if self.finished.borrow().is_empty() {
                break;
            }
            settled += self.settle_arrivals(env);
        }
        settled
    }

    /// Nothing has arrived: instead of only looking again, runs short jobs of this environment that
    /// nobody has taken yet. On two cores that is worth half a core, and on a crowded machine,
    /// where the workers wait for one, more. (One whose algorithm was not measured is left to a worker,
    /// who measures it.)
    fn help(&self, completion: &Arc<CompletionQueue>) -> bool {
        let (mut cost, mut jobs) = (0, Vec::<Box<Job>>::new());
        while cost < HELP
            && let Some(task) = task::pool()
                .take_first(Arc::as_ptr(completion).addr(), |task| task.suits_event_loop(HELP_EACH))
        {
            // A share is never as short.
            let PoolTask::Job(job) = task else { continue };
            // Together they take less than half as long.
            let in_company =
                job.kind.is_some() && jobs.last().is_some_and(|last| last.kind == job.kind);
            cost += if in_company { job.cost / 2 } else { job.cost };
            jobs.push(job);
        }
        multibuffer::run_inline(&mut jobs);
        let helped = !jobs.is_empty();
        self.finished.borrow_mut().append(&mut jobs);
        helped
    }

    /// Hands arrived results to JavaScript, as many at once as the buffer holds, and tells how many.
    fn settle_arrivals(&self, env: Env) -> usize {
        let (Some(channel), Some(attached)) = (self.channel.get(), self.attached.get()) else {
            return 0;
        };
        channel.completion.drained();
        let mut buffer = CompletionBuffer::new(attached.completion_buffer);
        let mut taken = 0;
        // Taken before the loop: callbacks within it may finish more.
        let finished = std::mem::take(&mut *self.finished.borrow_mut());
        for job in finished {
            taken += 1;
            self.settle(env, attached, &mut buffer, job);
        }
        while let Some(job) = (taken < BATCH).then(|| channel.arrivals.try_recv().ok()).flatten() {
            taken += 1;
            self.settle(env, attached, &mut buffer, job);
        }
        if taken >= BATCH {
            channel.completion.wake_again();
        }
        self.deliver(env, attached, &mut buffer);
        taken
    }

    fn settle(&self, env: Env, attached: &Attached, buffer: &mut CompletionBuffer, job: Box<Job>) {
        let (small, large) = job.answer();
        if !buffer.write(job.slot, job.status.number(), small, large) {
            self.deliver(env, attached, buffer);
            buffer.write(job.slot, job.status.number(), small, large); // Every record fits into an empty buffer; see `REPLY_MAX`.
        }
        if job.cancel_token.is_some() {
            self.cancel_tokens.borrow_mut().remove(&job.slot);
        }
        if job.work.progress.is_some() {
            self.progress_counters.borrow_mut().remove(&job.slot);
        }
        self.copied.set(self.copied.get() - job.copied);
        let in_flight = self.in_flight.get() - 1;
        self.in_flight.set(in_flight);
        if in_flight == 0
            && let Some(channel) = self.channel.get()
        {
            channel.completion.hold_open(env, false);
        }
        self.free_jobs.borrow_mut().keep(job, in_flight);
    }

    fn deliver(&self, env: Env, attached: &Attached, buffer: &mut CompletionBuffer) {
        if buffer.records() > 0 {
            self.settling.set(true);
            env.scoped(|| {
                if let Some(settle) = env.pinned(&attached.settle) {
                    env.call(settle, env.number(buffer.records()));
                }
            });
            self.settling.set(false);
            let deferred = std::mem::take(&mut *self.deferred.borrow_mut());
            if !deferred.is_empty() {
                task::submit(deferred);
            }
            buffer.clear();
        }
    }
}

impl WakeHandler for Environment {
    fn on_wake(&self, env: Env) {
        self.settle_turn(env);
    }
}

/// Jobs that have come back and wait for work, with the memory of their copies: a fresh megabyte
/// costs more in page faults than hashing half of it.
#[derive(Default)]
struct JobFreeList {
    jobs: Vec<Box<Job>>,
    memory: usize,
}

impl JobFreeList {
    const JOBS: usize = 1024;
    /// Bytes kept while other jobs are in flight, and when the last one has come back.
    const BUSY: usize = 32 << 20;
    const IDLE: usize = 16 << 20;

    fn take(&mut self) -> Option<Box<Job>> {
        let mut job = self.jobs.pop()?;
        self.memory -= job.rest();
        Some(job)
    }

    fn keep(&mut self, mut job: Box<Job>, in_flight: usize) {
        let memory = job.rest();
        let room = self.jobs.len() < JobFreeList::JOBS && self.memory + memory <= JobFreeList::BUSY;
        if room && self.jobs.try_reserve(1).is_ok() {
            self.memory += memory;
            self.jobs.push(job);
        }
        if in_flight == 0 && self.memory > JobFreeList::IDLE {
            *self = JobFreeList::default();
        }
    }
}
