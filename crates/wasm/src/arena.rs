//! The memory that JavaScript writes and reads between calls.
#![allow(unsafe_code)]

use millrace_request::bytes::Window;
use std::cell::RefCell;

/// A block of linear memory. Its bytes are used by a call or by JavaScript, never by both.
#[derive(Default)]
pub(crate) struct Arena(RefCell<Vec<u8>>);

impl Arena {
    /// Makes room for `size` bytes; their contents are lost. Returns false if memory is short.
    pub(crate) fn reserve(&self, size: usize) -> bool {
        let mut bytes = self.0.borrow_mut();
        if bytes.len() < size {
            *bytes = Vec::new();
            if bytes.try_reserve_exact(size).is_err() {
                return false;
            }
            bytes.resize(size, 0);
        }
        true
    }

    /// Returns the whole block. It moves with the next [`Arena::reserve`], which no call of the
    /// core contains.
    pub(crate) fn window(&self) -> Window {
        let mut bytes = self.0.borrow_mut();
        // SAFETY: the bytes stay put until JavaScript calls `reserve`, when no work is running that
        // has a window; a message in parts gets new ones with each part.
        unsafe { Window::new(bytes.as_mut_ptr(), bytes.len()) }
    }

    /// Returns the address of the block.
    pub(crate) fn address(&self) -> *const u8 {
        self.0.borrow().as_ptr()
    }
}
