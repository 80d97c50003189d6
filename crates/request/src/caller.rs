//! The arguments that a binding passes with a call.

use crate::bytes::Window;
use crate::engine::KernelHashTable;
use crate::keys::Keys;
use millrace_core::error::Error;
use std::cell::RefCell;
use std::sync::Arc;

/// A call from JavaScript: the numbers and bytes of its arguments, and what earlier calls left.
/// Nothing detaches or changes the memory of its windows during the call; `bytes` says how long
/// they stay valid.
pub trait Caller {
    /// Returns the numbers of the call, `At::Length` of them; `None` before JavaScript has attached
    /// their memory.
    fn frame(&self) -> Option<Window>;
    /// Returns the memory of short inputs; `None` before JavaScript has attached it.
    fn input_buffer(&self) -> Option<Window>;
    /// Returns the bytes of a typed array argument; `None` for any other.
    fn bytes(&self, argument: usize) -> Option<Window>;
    /// Returns the bytes of `count` typed arrays in the source, an array, from index `start` on;
    /// `None` if one is not a typed array.
    ///
    /// # Errors
    /// [`Error::Memory`] when memory for the windows is short.
    fn bytes_of_each(&self, start: u32, count: u32) -> Result<Option<Vec<Window>>, Error>;
    /// Returns the prepared keys.
    fn keys(&self) -> &RefCell<Keys>;
    /// Returns the running hashes of the kernel engine.
    fn kernel_hashes(&self) -> &Arc<KernelHashTable>;
}
