//! How finished jobs come back: workers deliver them into a lock-free queue and wake the event loop
//! if nobody has; one call into JavaScript settles everything that has arrived.
//!
//! Waking once a batch instead of once a job is worth 606 against 266 ns of main thread per job
//! with 64 in flight (measured, 256-byte SHA-256). While short jobs are in flight even that is too
//! much: a sleeping event loop needs 5 to 40 us to wake, many times what such a job takes. So the
//! front then looks for results once per turn of the loop (`setImmediate`, other events get their
//! turns as ever), workers need not wake it, and it goes back to sleep [`POLL`] after the last
//! result.
//!
//! The wake-up is a thread-safe function, which every runtime with Node-API has; the queue is
//! `std::sync::mpsc`, which is a lock-free list.
#![allow(unsafe_code)]

use crate::bytes::Window;
use crate::protocol::{COMPLETION_BUFFER_BYTES, COMPLETION_RESULT_MAX, RECORD_NUMBERS, REPLY_MAX};
use crate::values::Env;
use napi_sys as sys;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// Whoever settles what has arrived, on the event loop's thread.
pub(crate) trait WakeHandler {
    /// The event loop was woken.
    fn on_wake(&self, env: Env);
}

/// The workers' side of one environment: where finished jobs go, and whether they still may.
pub(crate) struct Queue<Job> {
    results: Sender<Job>,
    /// True from the push that wakes the event loop until the loop starts to drain.
    woken: AtomicBool,
    /// True while the event loop looks for results by itself.
    polled: AtomicBool,
    gate: Gate,
    wake: Wake,
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

/// How long the event loop looks for results after the last one. Longer is worse when other
/// processes want the cores: the worker that is waited for then waits for the core that the waiting
/// takes.
pub(crate) const POLL: Duration = Duration::from_micros(25);

impl<Job> Queue<Job> {
    /// The workers' side and the queue's other end, for an environment on its own thread. `settler`
    /// must live until Node has closed the environment's handles.
    pub(crate) fn new<L: WakeHandler>(
        env: Env,
        settler: &L,
    ) -> Option<(Queue<Job>, Receiver<Job>)> {
        let wake = Wake::new(env, settler)?;
        let (results, arrivals) = channel();
        Some((
            Queue {
                results,
                woken: AtomicBool::new(false),
                polled: AtomicBool::new(false),
                gate: Gate::default(),
                wake,
            },
            arrivals,
        ))
    }

    /// Returns the gate of the environment's memory.
    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Hands finished jobs to the event loop, unless the environment has ended.
    pub(crate) fn settle(&self, jobs: &mut Vec<Job>) {
        if !self.gate.enter() {
            jobs.clear();
            return;
        }
        // The receiver lives as long as the environment, which does not end while we are inside.
        jobs.drain(..).for_each(|job| drop(self.results.send(job)));
        // Together with the fence in `end_polling`: either this load sees that polling has ended,
        // or the loop's last look sees what was just sent.
        fence(Ordering::SeqCst);
        if !self.polled.load(Ordering::Relaxed) && !self.woken.swap(true, Ordering::AcqRel) {
            self.wake.call();
        }
        self.gate.leave();
    }

    /// The event loop will look for results by itself, once per turn.
    pub(crate) fn begin_polling(&self) {
        self.polled.store(true, Ordering::Relaxed);
    }

    /// It will stop after one last look, which the caller takes after this.
    pub(crate) fn end_polling(&self) {
        self.polled.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// True while the event loop looks for results by itself.
    pub(crate) fn is_polled(&self) -> bool {
        self.polled.load(Ordering::Relaxed)
    }

    /// The loop is about to drain: what arrives from now on wakes it again.
    pub(crate) fn drained(&self) {
        self.woken.store(false, Ordering::Release);
    }

    /// More has arrived than one turn of the loop should settle.
    pub(crate) fn wake_again(&self) {
        if !self.woken.swap(true, Ordering::AcqRel) {
            self.wake.call();
        }
    }

    /// Keeps the process alive while jobs are in flight, and only then.
    pub(crate) fn hold_open(&self, env: Env, in_flight: bool) {
        self.wake.hold(env, in_flight);
    }

    /// Ends the traffic: no job of this environment starts any more, and when this returns none
    /// is running. It waits for the slices that are under way, because the alternative is a
    /// worker writing into freed memory.
    pub(crate) fn close(&self) {
        self.gate.close();
        self.wake.release();
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
        // SAFETY: the caller has entered, so the environment has not ended and the handle is alive.
        // The queue is unbounded; the only failure is a closing loop, which drains nothing
        // any more.
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

/// The event loop is awake, on the environment's thread.
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

/// Writes results into the buffer that JavaScript reads. One record is four 32-bit numbers (slot,
/// status, size of the small part, size of the large part) and the two parts, padded to 4 bytes.
pub(crate) struct CompletionBuffer {
    memory: Window,
    used: usize,
    records: u32,
}

const HEADER: usize = RECORD_NUMBERS * size_of::<u32>();

/// Every record fits into an empty buffer: a digest or tag of up to 64 bytes and a text.
const _: () = assert!(
    HEADER + 64 + REPLY_MAX <= COMPLETION_BUFFER_BYTES && COMPLETION_RESULT_MAX <= REPLY_MAX
);

impl CompletionBuffer {
    pub(crate) fn new(memory: Window) -> CompletionBuffer {
        CompletionBuffer { memory, used: 0, records: 0 }
    }

    pub(crate) fn records(&self) -> u32 {
        self.records
    }

    /// False if the record does not fit any more.
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
