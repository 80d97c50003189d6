//! The queue of an environment's finished jobs. Workers push jobs and wake the event loop, unless
//! another worker already has; one call into JavaScript settles all jobs in the queue.
//!
//! One wake-up per batch takes 266 ns of the main thread per job, one per job 606 (64 jobs of
//! 256-byte SHA-256 in flight). A sleeping event loop needs 5 to 40 us to wake, many times as long
//! as a short job. While short jobs are in flight, JavaScript therefore polls once per iteration of
//! the loop (with `setImmediate`, so that other events run in between) and workers do not wake it
//! (crates/cost/src/sharing.rs).
//!
//! The wake-up is a thread-safe function, which every runtime with Node-API has. The queue is a
//! lock-free list (`list`), which needs no memory.
#![allow(unsafe_code)]

use crate::list::{Linked, List, SharedList};
use crate::values::Env;
use millrace_core::allocate::Shared;
use millrace_request::bytes::Window;
use millrace_request::protocol::Status;
use millrace_request::protocol::{
    COMPLETION_BUFFER_BYTES, COMPLETION_RESULT_MAX, RECORD_NUMBERS, REPLY_MAX,
};
use napi_sys as sys;
use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::thread;
use std::time::Duration;

/// Settles finished jobs on the event loop's thread.
pub(crate) trait WakeHandler {
    /// Runs when a worker has woken the event loop.
    fn on_wake(&self, env: Env);
}

/// The workers' side of the queue of one environment.
pub(crate) struct Queue<Job: Linked> {
    finished: SharedList<Job>,
    /// True from the push that wakes the event loop until the loop starts to drain the queue.
    woken: AtomicBool,
    /// True while the event loop polls.
    polled: AtomicBool,
    gate: Gate,
    /// Set before the queue is returned.
    wake: OnceLock<Wake>,
}

/// Counts the tasks that use an environment's memory, and keeps new ones out once it ends.
#[derive(Default)]
pub(crate) struct Gate {
    /// Tasks inside, plus [`CLOSED`] once the environment ends.
    state: AtomicUsize,
}

const CLOSED: usize = 1 << (usize::BITS - 1);

impl Gate {
    /// Asks to use the environment's memory. Returns false once the environment ends; otherwise the
    /// environment cannot end before the matching [`Gate::leave`].
    pub(crate) fn enter(&self) -> bool {
        let before = self.state.fetch_add(1, Ordering::Acquire);
        if before & CLOSED != 0 {
            self.leave();
        }
        before & CLOSED == 0
    }

    /// Ends what a successful [`Gate::enter`] began.
    pub(crate) fn leave(&self) {
        self.state.fetch_sub(1, Ordering::Release);
    }

    /// Returns true once the environment ends: tasks inside should leave soon.
    pub(crate) fn is_closing(&self) -> bool {
        self.state.load(Ordering::Relaxed) & CLOSED != 0
    }

    /// Keeps new tasks out and waits for those inside to leave.
    fn close(&self) {
        self.state.fetch_or(CLOSED, Ordering::AcqRel);
        let mut pause = Duration::from_micros(20);
        while self.state.load(Ordering::Acquire) != CLOSED {
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(2));
        }
    }
}

impl<Job: Linked> Queue<Job> {
    /// Returns a new queue. Call it on the environment's thread. `settler` must live until Node has
    /// closed the environment's handles.
    ///
    /// # Errors
    /// [`Status::Memory`]; [`Status::Internal`] if Node cannot create the wake-up.
    pub(crate) fn new<L: WakeHandler>(env: Env, settler: &L) -> Result<Shared<Queue<Job>>, Status> {
        let queue = Shared::try_new(Queue {
            finished: SharedList::new(),
            woken: AtomicBool::new(false),
            polled: AtomicBool::new(false),
            gate: Gate::default(),
            wake: OnceLock::new(),
        })?;
        let wake = Wake::new(env, settler).ok_or(Status::Internal)?;
        queue.wake.get_or_init(|| wake);
        Ok(queue)
    }

    /// Returns the gate of the environment's memory.
    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Moves finished jobs to the event loop; drops them if the environment has ended.
    pub(crate) fn settle(&self, jobs: List<Job>) {
        if !self.gate.enter() {
            return;
        }
        jobs.for_each(|job| self.finished.push(job));
        // Pairs with the fence in `end_polling`: either this load sees that polling has ended, or
        // the loop's last poll sees the jobs that were just added.
        fence(Ordering::SeqCst);
        if !self.polled.load(Ordering::Relaxed) {
            self.wake_once();
        }
        self.gate.leave();
    }

    /// Removes and returns the finished jobs.
    pub(crate) fn take(&self) -> List<Job> {
        self.finished.take()
    }

    /// Wakes the event loop unless another thread already has.
    pub(crate) fn wake_once(&self) {
        if !self.woken.swap(true, Ordering::AcqRel)
            && let Some(wake) = self.wake.get()
        {
            wake.call();
        }
    }

    /// Makes the event loop poll once per iteration.
    pub(crate) fn begin_polling(&self) {
        self.polled.store(true, Ordering::Relaxed);
    }

    /// Ends polling; the caller must drain the queue once more after this.
    pub(crate) fn end_polling(&self) {
        self.polled.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Returns true while the event loop polls.
    pub(crate) fn is_polled(&self) -> bool {
        self.polled.load(Ordering::Relaxed)
    }

    /// Records that the queue is about to be drained: later jobs wake the event loop again.
    pub(crate) fn drained(&self) {
        self.woken.store(false, Ordering::Release);
    }

    /// Keeps the process alive while `in_flight` is true.
    pub(crate) fn hold_open(&self, env: Env, in_flight: bool) {
        self.wake.get().inspect(|wake| wake.hold(env, in_flight));
    }

    /// Closes the queue when the environment ends: none of its jobs runs when this returns, and
    /// none starts later. It waits for the current slices of running jobs, which would otherwise
    /// write to freed memory.
    pub(crate) fn close(&self) {
        self.gate.close();
        self.wake.get().inspect(|wake| wake.release());
        // Its jobs own the queue, and would keep it.
        drop(self.take());
    }
}

/// The thread-safe function that wakes the event loop.
struct Wake(sys::napi_threadsafe_function);

// SAFETY: Node-API allows `call` and `release` of a thread-safe function from any thread; `hold`
// takes the environment, which only its own thread has.
unsafe impl Send for Wake {}
// SAFETY: as above; the handle itself is never changed.
unsafe impl Sync for Wake {}

impl Wake {
    fn new<L: WakeHandler>(env: Env, settler: &L) -> Option<Wake> {
        let mut handle = ptr::null_mut();
        let name = env.ascii(b"millrace");
        // SAFETY: env is live on this thread, and `settler` outlives the function, as
        // `Queue::new` demands.
        let status = unsafe {
            sys::napi_create_threadsafe_function(
                env.raw(),
                ptr::null_mut(),
                ptr::null_mut(),
                name.raw(),
                0,
                1,
                ptr::null_mut(),
                None,
                ptr::from_ref(settler).cast_mut().cast(),
                Some(woken::<L>),
                &mut handle,
            )
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        let wake = Wake(handle);
        wake.hold(env, false);
        Some(wake)
    }

    fn call(&self) {
        // SAFETY: the caller is inside of the gate, so the environment has not ended and the handle
        // is alive. The queue is unbounded; the only failure is a closing loop, which drains
        // nothing.
        unsafe {
            sys::napi_call_threadsafe_function(
                self.0,
                ptr::null_mut(),
                sys::ThreadsafeFunctionCallMode::nonblocking,
            )
        };
    }

    fn hold(&self, env: Env, open: bool) {
        // SAFETY: called on the environment's thread with its live env and handle.
        unsafe {
            if open {
                sys::napi_ref_threadsafe_function(env.raw(), self.0);
            } else {
                sys::napi_unref_threadsafe_function(env.raw(), self.0);
            }
        }
    }

    fn release(&self) {
        // SAFETY: called once, by `close`, after which no thread uses the handle.
        unsafe {
            sys::napi_release_threadsafe_function(
                self.0,
                sys::ThreadsafeFunctionReleaseMode::release,
            )
        };
    }
}

/// Runs on the environment's thread after a wake-up.
extern "C" fn woken<L: WakeHandler>(
    env: sys::napi_env,
    _function: sys::napi_value,
    settler: *mut c_void,
    _data: *mut c_void,
) {
    if env.is_null() || settler.is_null() {
        return; // The environment is being torn down.
    }
    // SAFETY: `settler` is what `Wake::new` was given, alive until after the last call; `env` is
    // its live env.
    let (settler, env) = unsafe { (&*settler.cast::<L>(), Env::from_raw(env)) };
    settler.on_wake(env);
}

/// Writes results to the completion buffer, which JavaScript reads. A record is four 32-bit numbers
/// (slot, status, bytes of the small part, bytes of the large part) and the two parts, padded to 4
/// bytes.
pub(crate) struct CompletionBuffer {
    memory: Window,
    used: usize,
    records: u32,
}

const HEADER: usize = RECORD_NUMBERS * size_of::<u32>();

/// Every record fits in an empty buffer: a digest or tag of up to 64 bytes and a text.
const _: () = assert!(
    HEADER + 64 + REPLY_MAX <= COMPLETION_BUFFER_BYTES && COMPLETION_RESULT_MAX <= REPLY_MAX
);

impl CompletionBuffer {
    pub(crate) fn new(memory: Window) -> CompletionBuffer {
        CompletionBuffer { memory, used: 0, records: 0 }
    }

    /// Returns the number of records in the buffer.
    pub(crate) fn records(&self) -> u32 {
        self.records
    }

    /// Returns false if the record does not fit.
    pub(crate) fn write(&mut self, slot: u32, status: u32, small: &[u8], large: &[u8]) -> bool {
        let size = HEADER + (small.len() + large.len()).next_multiple_of(4);
        let Some(record) = self.memory.part(self.used, size) else { return false };
        let numbers: [u32; RECORD_NUMBERS] = [slot, status, small.len() as u32, large.len() as u32];
        let mut offset = 0;
        for bytes in
            numbers.map(u32::to_ne_bytes).iter().map(|number| &number[..]).chain([small, large])
        {
            if let Some(place) = record.part(offset, bytes.len()) {
                place.write(bytes);
            }
            offset += bytes.len();
        }
        self.used += size;
        self.records += 1;
        true
    }

    pub(crate) fn clear(&mut self) {
        (self.used, self.records) = (0, 0);
    }
}
