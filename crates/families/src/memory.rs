//! Ranges of linear memory as slices.

#![allow(unsafe_code)]

use std::slice::{from_raw_parts, from_raw_parts_mut};

/// A range that is read.
#[repr(transparent)]
#[derive(Copy, Clone)]
pub(crate) struct Source(*const u8);

/// A range that is written. No other argument of the call overlaps it.
#[repr(transparent)]
#[derive(Copy, Clone)]
pub(crate) struct Target(*mut u8);

impl Source {
    /// Returns the bytes. They stay as they are until the call of the module returns.
    #[inline(always)]
    pub(crate) fn bytes<'a>(self, size: usize) -> &'a [u8] {
        // SAFETY: JavaScript passes ranges within the memory, and nothing else runs meanwhile. A
        // range of no bytes may have any address but 0, which is the stack's last.
        unsafe { from_raw_parts(self.0, size) }
    }

    /// Returns true for the address 0, where nothing is.
    #[inline(always)]
    pub(crate) fn is_none(self) -> bool {
        self.0.is_null()
    }
}

impl Target {
    /// Returns the bytes.
    #[inline(always)]
    pub(crate) fn bytes<'a>(self, size: usize) -> &'a mut [u8] {
        // SAFETY: as above, and no other argument overlaps the range.
        unsafe { from_raw_parts_mut(self.0, size) }
    }

    /// Writes a value to a place with room for it.
    #[inline(always)]
    pub(crate) fn put<T>(self, value: T) {
        const { assert!(align_of::<T>() <= 64, "the places of JavaScript are aligned so") };
        // SAFETY: as above. What was there is bytes.
        unsafe { self.0.cast::<T>().write(value) }
    }

    /// Returns the value that [`Target::put`] wrote, or that JavaScript has brought back.
    #[inline(always)]
    pub(crate) fn value<'a, T>(self) -> &'a mut T {
        // SAFETY: as above: its bytes are those of a value, at a place that is aligned for it.
        unsafe { &mut *self.0.cast::<T>() }
    }

    /// Returns the range, to be read.
    #[inline(always)]
    pub(crate) fn source(self) -> Source {
        Source(self.0)
    }

    /// Returns a range of this module's own memory.
    #[inline(always)]
    pub(crate) fn of(bytes: &mut [u8]) -> Target {
        Target(bytes.as_mut_ptr())
    }
}
