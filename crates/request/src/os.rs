//! Threads and files of the operating system, without the allocations of the standard library,
//! which abort the process when memory is short.
#![allow(unsafe_code)]

use millrace_core::allocate::try_box;
use std::ffi::{CStr, c_void};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes of a thread's stack, as in the standard library.
const STACK_BYTES: usize = 2 << 20;

/// The function that a thread runs, and its argument.
struct Start<T> {
    context: T,
    run: fn(T),
}

/// Runs a thread. A panic ends the thread: it must not unwind into C.
fn enter<T>(start: *mut c_void) {
    // SAFETY: made by `Box::into_raw` in `start_thread` for this thread.
    let start = unsafe { Box::from_raw(start.cast::<Start<T>>()) };
    let _ = catch_unwind(AssertUnwindSafe(|| (start.run)(start.context)));
}

/// Starts a thread, which nothing waits for. Returns false, and drops `context`, if memory or
/// threads are short. The name has at most 15 bytes.
pub fn start_thread<T: Send + 'static>(name: &'static CStr, context: T, run: fn(T)) -> bool {
    let Ok(start) = try_box(Start { context, run }) else { return false };
    let start = Box::into_raw(start);
    // SAFETY: the thread takes the box.
    let started = unsafe { system::start_thread::<T>(name, start.cast()) };
    if !started {
        // SAFETY: made above, and no thread took it.
        drop(unsafe { Box::from_raw(start) });
    }
    started
}

#[cfg(unix)]
mod system {
    use super::{CStr, STACK_BYTES, c_void, enter};
    use std::mem::MaybeUninit;
    use std::ptr;

    extern "C" fn main<T>(start: *mut c_void) -> *mut c_void {
        enter::<T>(start);
        ptr::null_mut()
    }

    /// # Safety
    /// `start` is what [`enter`] takes.
    pub(super) unsafe fn start_thread<T>(name: &'static CStr, start: *mut c_void) -> bool {
        let mut attributes = MaybeUninit::uninit();
        let mut thread = MaybeUninit::<libc::pthread_t>::uninit();
        // SAFETY: the attributes are used between their initialisation and their end; a new thread
        // can be named until it ends, and a detached one may have ended: an id is not reused
        // before that, as this thread names it only if it was created joinable, then detaches it.
        unsafe {
            if libc::pthread_attr_init(attributes.as_mut_ptr()) != 0 {
                return false;
            }
            libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), STACK_BYTES);
            let result =
                libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), main::<T>, start);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            if result != 0 {
                return false;
            }
            #[cfg(target_os = "linux")]
            libc::pthread_setname_np(thread.assume_init(), name.as_ptr());
            #[cfg(not(target_os = "linux"))]
            let _ = name;
            libc::pthread_detach(thread.assume_init());
        }
        true
    }
}

#[cfg(windows)]
mod system {
    use super::{CStr, STACK_BYTES, c_void, enter};
    use std::ptr;

    // SAFETY: the declarations are those of the Windows SDK.
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn CreateThread(
            attributes: *const c_void,
            stack: usize,
            start: extern "system" fn(*mut c_void) -> u32,
            parameter: *mut c_void,
            flags: u32,
            id: *mut u32,
        ) -> *mut c_void;
        fn CloseHandle(handle: *mut c_void) -> i32;
    }

    const STACK_SIZE_PARAM_IS_A_RESERVATION: u32 = 0x10000;

    extern "system" fn main<T>(start: *mut c_void) -> u32 {
        enter::<T>(start);
        0
    }

    /// # Safety
    /// `start` is what [`enter`] takes.
    pub(super) unsafe fn start_thread<T>(_name: &'static CStr, start: *mut c_void) -> bool {
        // SAFETY: the new thread takes `start`; the handle is closed once.
        unsafe {
            let handle = CreateThread(
                ptr::null(),
                STACK_BYTES,
                main::<T>,
                start,
                STACK_SIZE_PARAM_IS_A_RESERVATION,
                ptr::null_mut(),
            );
            !handle.is_null() && CloseHandle(handle) != 0
        }
    }
}

/// Makes the calling thread one that does not preempt others when it is woken: an event loop that
/// has submitted a job continues instead of waiting on its own core for the worker. (p50 of a call
/// after 1 ms of computing, both cores busy: 12 us instead of 500.) Unlike a lower priority, this
/// takes no CPU share from the worker.
pub fn avoid_preempting_others() {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: all fields are numbers; 0 is the priority that this policy demands.
        let priority: libc::sched_param = unsafe { std::mem::zeroed() };
        // SAFETY: 0 names the calling thread; a refusal changes nothing.
        unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &priority) };
    }
}

/// The most bytes of a path, its ending zero byte among them: no system opens longer ones.
#[cfg(unix)]
const PATH_BYTES: usize = 4096;

/// Opens a regular file for reading; returns `None` if that fails. A pipe is not opened: that would
/// wake its writer.
#[cfg(unix)]
pub fn open_file(path: &[u8]) -> Option<File> {
    use std::mem::MaybeUninit;
    use std::os::fd::FromRawFd;

    let mut text = [0_u8; PATH_BYTES];
    text.get_mut(..path.len())?.copy_from_slice(path);
    let path =
        CStr::from_bytes_until_nul(&text).ok().filter(|text| text.count_bytes() == path.len())?;
    // Another process may have replaced the file with a pipe: opening it must not block.
    let flags = libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY;
    let mut facts = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the path ends with a zero byte; the facts are read if the call has written them; the
    // new descriptor is owned by the file.
    unsafe {
        if libc::stat(path.as_ptr(), facts.as_mut_ptr()) != 0
            || facts.assume_init().st_mode & libc::S_IFMT != libc::S_IFREG
        {
            return None;
        }
        let descriptor = loop {
            let opened = libc::open(path.as_ptr(), flags);
            if opened >= 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
                break opened;
            }
        };
        (descriptor >= 0).then(|| File::from_raw_fd(descriptor))
    }
}

/// Opens a regular file for reading; returns `None` if that fails.
#[cfg(not(unix))]
pub fn open_file(path: &[u8]) -> Option<File> {
    let path = std::str::from_utf8(path).ok()?;
    std::fs::metadata(path).ok().filter(|facts| facts.is_file())?;
    File::open(path).ok()
}
