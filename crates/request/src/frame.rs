//! The frame: the numbers of one call, in a Float64Array that JavaScript and native code share.
//! Writing a number there costs JavaScript 1 ns, passing it as an argument 6. Bytes come as typed
//! arrays. Every number and range is checked again: no mistake in JavaScript can reach memory.

use crate::bytes::Window;
use crate::caller::Caller;
use crate::numbers::exact_size;
use crate::protocol::{At, OperationNumber, Status};

/// The frame and the arguments of one call.
pub struct Frame<'a, C> {
    pub call: &'a C,
    numbers: Window,
}

impl<'a, C: Caller> Frame<'a, C> {
    /// Returns `None` before JavaScript has attached the frame.
    #[inline]
    pub fn of(call: &'a C) -> Option<Frame<'a, C>> {
        Some(Frame { call, numbers: call.frame()? })
    }

    #[inline]
    pub fn number(&self, at: At) -> f64 {
        let offset = at as usize * size_of::<f64>();
        let bytes = self.numbers.read().get(offset..offset + size_of::<f64>());
        match bytes.and_then(|bytes| bytes.try_into().ok()) {
            Some(bytes) => f64::from_ne_bytes(bytes),
            None => f64::NAN,
        }
    }

    /// Writes a number for JavaScript to read.
    pub fn set(&self, at: At, number: u64) {
        if let Some(place) = self.numbers.part(at as usize * size_of::<f64>(), size_of::<f64>()) {
            place.write(&(number as f64).to_ne_bytes());
        }
    }

    /// Writes 64 bits for JavaScript to read as an integer; `None` if the frame is too short.
    pub fn set_word(&self, word: u64) -> Option<()> {
        let place = self.numbers.part(At::Word as usize * size_of::<f64>(), size_of::<u64>())?;
        place.write(&word.to_ne_bytes());
        Some(())
    }

    /// Returns a number as a size: a non-negative integer that a pointer can span.
    ///
    /// # Errors
    /// [`Status::Argument`] for any other number.
    #[inline]
    pub fn size(&self, at: At) -> Result<usize, Status> {
        exact_size(self.number(at)).ok_or(Status::Argument)
    }

    /// Returns true if one of the flags is set.
    #[inline(always)]
    pub fn has(&self, flags: u32) -> bool {
        self.number(At::Flags) as u32 & flags != 0
    }

    /// Returns the operation that JavaScript asks for.
    ///
    /// # Errors
    /// [`Status::Argument`] if there is none of this number.
    #[inline]
    pub fn operation(&self) -> Result<OperationNumber, Status> {
        OperationNumber::from_number(self.number(At::Operation) as u32).ok_or(Status::Argument)
    }

    /// Returns a range of a byte argument.
    ///
    /// # Errors
    /// [`Status::Argument`] if the argument is not a typed array, or the range does not fit in it.
    #[inline]
    pub fn window(&self, argument: usize, offset: At, size: At) -> Result<Window, Status> {
        let bytes = self.call.bytes(argument).ok_or(Status::Argument)?;
        bytes.part(self.size(offset)?, self.size(size)?).ok_or(Status::Argument)
    }

    /// Returns a range of a byte argument, empty unless `flag` is set.
    ///
    /// # Errors
    /// Those of [`Frame::window`].
    #[inline]
    pub fn input(
        &self,
        flag: u32,
        argument: usize,
        offset: At,
        size: At,
    ) -> Result<Window, Status> {
        if self.has(flag) { self.window(argument, offset, size) } else { Ok(Window::EMPTY) }
    }
}
