//! How the library is loaded, and how an environment begins and ends.
//!
//! An environment can end at any moment, for example with `worker.terminate()`. Its cleanup hook
//! then removes its queued jobs from the pool, closes the gate so that none of its jobs starts, and
//! waits for running jobs to end after their current slice: they may use lent memory that is freed
//! with the environment. Node runs cleanup hooks in reverse order of registration. This hook is
//! registered after that of the thread-safe function, so the function is alive while the hook
//! waits.
//!
//! `process.exit()` on the main thread runs no cleanup hooks. The operating system then ends the
//! workers with the process, and their memory is mapped until that moment.
#![allow(unsafe_code)]

use crate::admission;
use crate::environment::Environment;
use crate::exports::FUNCTIONS;
use crate::job::CompletionQueue;
use crate::task::pool;
use crate::values::{self, Entry, Env};
use millrace_core::allocate::Shared;
use millrace_request::memory_budget;
use napi_sys as sys;
use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
#[cfg(windows)]
use std::sync::OnceLock;

/// Registers an environment. Node calls it once for each.
#[unsafe(no_mangle)]
extern "C" fn napi_register_module_v1(
    env: sys::napi_env,
    exports: sys::napi_value,
) -> sys::napi_value {
    #[cfg(windows)]
    {
        static SYMBOLS: OnceLock<()> = OnceLock::new();
        // SAFETY: the returned library is the running executable, which is never unloaded.
        SYMBOLS.get_or_init(|| std::mem::forget(unsafe { sys::setup() }));
    }
    pin_library();
    #[cfg(unix)]
    millrace_core::aws_lc_memory::install();
    // Allocates what no call can do without; so does the rest of this function.
    pool();
    let state = Rc::new(Environment::new(close_at_end));
    // SAFETY: this is module registration; env and exports are Node's own. The instance data is
    // finalized when no JavaScript can run in the environment any more.
    unsafe {
        let entries = values::define(Env::from_raw(env), exports, &state, FUNCTIONS);
        let entries = Box::into_raw(Box::new(entries)).cast();
        sys::napi_set_instance_data(env, entries, Some(unregister), ptr::null_mut());
    }
    exports
}

/// Frees the environment's state, which wipes its prepared keys.
extern "C" fn unregister(_env: sys::napi_env, data: *mut c_void, _hint: *mut c_void) {
    // SAFETY: `data` are the entries of the registration made above, finalized once.
    drop(unsafe { Box::from_raw(data.cast::<Rc<[Entry<Environment>]>>()) });
}

/// Registers [`end`] to run before the environment's memory is freed.
fn close_at_end(env: Env, completion: &Shared<CompletionQueue>) {
    let hook = completion.clone().into_raw();
    // SAFETY: env is live on this thread; `end` takes the reference back, once.
    unsafe { sys::napi_add_env_cleanup_hook(env.raw(), Some(end), hook) };
}

/// Ends an environment. Node calls it.
extern "C" fn end(hook: *mut c_void) {
    // SAFETY: made by `into_raw` in `close_at_end`; Node runs each hook once.
    let completion = unsafe { Shared::<CompletionQueue>::from_raw(hook) };
    drop(admission::withdraw(&completion));
    while pool().take_first(completion.address(), |_| true).is_some() {}
    completion.close();
    memory_budget::free_scratch();
}

/// Keeps the library mapped until the process ends. Node unloads an addon with the last environment
/// that loaded it, which may be that of a `worker_thread`, while the pool's threads run its code.
fn pin_library() {
    #[cfg(unix)]
    {
        let address: *const c_void = (pin_library as *const ()).cast();
        // SAFETY: dladdr fills `info` for an address within this library; reopening a library that
        // is loaded, by the name the loader gave, only changes its reference count and
        // flags.
        unsafe {
            let mut info: libc::Dl_info = std::mem::zeroed();
            if libc::dladdr(address, &mut info) != 0 && !info.dli_fname.is_null() {
                libc::dlopen(
                    info.dli_fname,
                    libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE,
                );
            }
        }
    }
    #[cfg(windows)]
    {
        // SAFETY: the declaration is the one of the Windows SDK.
        #[link(name = "kernel32")]
        unsafe extern "system" {
            fn GetModuleHandleExW(flags: u32, name: *const c_void, module: *mut *mut c_void)
            -> i32;
        }
        const PIN_FROM_ADDRESS: u32 = 0x1 | 0x4;
        let mut module = ptr::null_mut();
        // SAFETY: with these flags `name` is an address within the module to pin, which this
        // function is.
        unsafe {
            GetModuleHandleExW(PIN_FROM_ADDRESS, (pin_library as *const ()).cast(), &mut module)
        };
    }
}
