//! The values that live as long as the instance.

use crate::arena::Arena;
use crate::mac_keys::MacKeys;
use crate::parted::Parted;
use millrace_core::error::Error;
use millrace_request::bytes::Window;
use millrace_request::caller::Caller;
use millrace_request::engine::KernelHashTable;
use millrace_request::frame::Frame;
use millrace_request::keys::Keys;
use millrace_request::protocol::{At, Status};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{Ordering, compiler_fence};

/// The state of an instance, and the memory that it shares with JavaScript.
#[derive(Default)]
pub(crate) struct Engine {
    /// The numbers of a call.
    pub(crate) frame: Arena,
    /// The bytes of a call.
    pub(crate) arena: Arena,
    /// The bytes of a key, or a text.
    pub(crate) output: Arena,
    pub(crate) keys: RefCell<Keys>,
    pub(crate) mac_keys: RefCell<MacKeys>,
    pub(crate) parted: RefCell<Option<Parted>>,
    kernel_hashes: Arc<KernelHashTable>,
    /// True during a call, and for ever after one that a trap has ended.
    running: Cell<bool>,
}

thread_local! {
    static ENGINE: Engine = Engine::new();
}

impl Engine {
    fn new() -> Engine {
        let engine = Engine::default();
        engine.frame.reserve(At::Length as usize * size_of::<f64>());
        engine
    }

    /// Calls `work` with the engine.
    pub(crate) fn with<T>(work: impl FnOnce(&Engine) -> T) -> T {
        ENGINE.with(|engine| {
            // A pause may call the module again.
            let before = engine.running.replace(true);
            // A trap ends the call without a read that the compiler knows of.
            compiler_fence(Ordering::SeqCst);
            let result = work(engine);
            engine.running.set(before);
            result
        })
    }

    /// Returns the address of a byte that is 1 if a call has begun and not returned, else 0.
    pub(crate) fn running() -> *const u8 {
        ENGINE.with(|engine| engine.running.as_ptr().cast())
    }

    /// Returns the frame.
    ///
    /// # Errors
    /// [`Status::Internal`] if there was no memory for one when the instance began.
    pub(crate) fn frame(&self) -> Result<Frame<'_, Engine>, Status> {
        Frame::of(self).ok_or(Status::Internal)
    }

    /// Returns the first bytes of the arena.
    ///
    /// # Errors
    /// [`Status::Argument`] for more than it has.
    pub(crate) fn first(&self, size: u32) -> Result<Window, Status> {
        self.part(0, size)
    }

    /// Returns a range of the arena.
    ///
    /// # Errors
    /// [`Status::Argument`] for one that is not in it.
    pub(crate) fn part(&self, offset: u32, size: u32) -> Result<Window, Status> {
        self.arena.window().part(offset as usize, size as usize).ok_or(Status::Argument)
    }

    /// Replaces the output. Returns its size.
    pub(crate) fn put(&self, bytes: &[u8]) -> u32 {
        if !self.output.reserve(bytes.len()) {
            return 0;
        }
        self.output.window().write(bytes);
        bytes.len() as u32
    }
}

/// All byte arguments are the arena: the offsets of the frame are places in it.
impl Caller for Engine {
    fn frame(&self) -> Option<Window> {
        Some(self.frame.window())
    }

    fn input_buffer(&self) -> Option<Window> {
        Some(self.arena.window())
    }

    fn bytes(&self, _argument: usize) -> Option<Window> {
        Some(self.arena.window())
    }

    fn bytes_of_each(&self, _start: u32, _count: u32) -> Result<Option<Vec<Window>>, Error> {
        // JavaScript has joined them in the source.
        Ok(None)
    }

    fn keys(&self) -> &RefCell<Keys> {
        &self.keys
    }

    fn kernel_hashes(&self) -> &Arc<KernelHashTable> {
        &self.kernel_hashes
    }
}
