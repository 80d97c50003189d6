//! Overwriting secrets so that the compiler cannot omit it.
//!
//! A memset before a compiler barrier: a few ns for a state, where the `zeroize` crate writes byte
//! by byte (volatile), which would cost more than the compression it follows.

use std::alloc::Layout;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Overwrites memory with zeros. Nothing that follows can be moved before it, and the compiler must
/// assume that the zeros are read.
///
/// # Safety
/// There are `size` bytes at `place`, to which no other reference exists.
#[inline]
pub(crate) unsafe fn cleanse(place: *mut u8, size: usize) {
    // SAFETY: `place` has `size` bytes that no other code reads or writes.
    unsafe { place.write_bytes(0, size) };
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    // SAFETY: no instructions; to the compiler, a reader of all memory.
    unsafe {
        std::arch::asm!("/* {0} */", in(reg) place, options(nostack, preserves_flags));
    }
    #[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), miri))]
    std::hint::black_box(place);
}

use crate::Error;
use crate::key_memory::{allocate, free, heap};

/// Secret bytes, overwritten on drop.
///
/// They are aligned to a cache line: reading back a vector that was written across two lines
/// stalls, which cost up to 20 ns of an HMAC, depending on the address of the stack.
#[repr(align(64))]
pub(crate) struct Secret<const N: usize>(pub(crate) [u8; N]);

impl<const N: usize> Secret<N> {
    /// Returns zeros.
    #[inline]
    pub(crate) fn zeros() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Drop for Secret<N> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the pointer and length are of one exclusive array.
        unsafe { cleanse(self.0.as_mut_ptr().cast(), N) }
    }
}

/// Overwrites a secret.
pub fn wipe(bytes: &mut [u8]) {
    // SAFETY: pointer and length are of one slice.
    unsafe { cleanse(bytes.as_mut_ptr().cast(), bytes.len()) }
}

/// Overwrites the 8 KiB of stack below the caller's frame, where routines that have returned
/// spilled registers.
#[inline]
pub(crate) fn wipe_below() {
    wipe_stack_below::<{ 8 << 10 }>();
}

/// Overwrites `SIZE` bytes of stack.
#[inline(never)]
pub(crate) fn wipe_stack_below<const SIZE: usize>() {
    let mut stack = MaybeUninit::<[u8; SIZE]>::uninit();
    // SAFETY: pointer and length are of one local.
    unsafe { cleanse(stack.as_mut_ptr().cast(), SIZE) }
}

/// A type made of integers and arrays of them only.
///
/// # Safety
/// All bytes zero must be a valid value.
pub(crate) unsafe trait Plain {}

/// Overwrites a plain value with zeros.
#[inline]
pub(crate) fn wipe_plain<T: Plain>(value: &mut T) {
    // SAFETY: the value is exclusively borrowed, and by `Plain` all zero is a valid value of it.
    unsafe { cleanse((&raw mut *value).cast(), size_of::<T>()) }
}

/// Makes a type [`Plain`], and overwrites it on drop.
macro_rules! wiped_on_drop {
    (unsafe $type:ty) => {
        // SAFETY: the user of this macro says so.
        unsafe impl $crate::wipe::Plain for $type {}

        impl Drop for $type {
            #[inline]
            fn drop(&mut self) {
                $crate::wipe::wipe_plain(self);
            }
        }
    };
}
pub(crate) use wiped_on_drop;

/// Copies a plain value without an intermediate copy.
#[inline]
pub(crate) fn copy_plain<T: Plain>(value: &T, target: &mut T) {
    // SAFETY: both are one value each, the target borrowed exclusively. What is plain owns nothing,
    // so it may be copied byte by byte and overwritten without a drop.
    unsafe { (&raw const *value).copy_to_nonoverlapping(target, 1) }
}

/// A plain value that is overwritten on drop.
pub(crate) struct Wiped<T: Plain>(pub(crate) T);

impl<T: Plain> Drop for Wiped<T> {
    #[inline]
    fn drop(&mut self) {
        wipe_plain(&mut self.0);
    }
}

/// A value on the heap or in the memory of keys. Dropping it overwrites all its bytes.
///
/// Wiping only the fields would leave padding, and the rest of an enum beside a smaller variant. A
/// move into the box copies those bytes from a stack that held keys.
pub struct WipedBox<T: ?Sized>(NonNull<T>);

// SAFETY: the box owns its value.
unsafe impl<T: Send + ?Sized> Send for WipedBox<T> {}
// SAFETY: as above; `&self` gives a reference to the value.
unsafe impl<T: Sync + ?Sized> Sync for WipedBox<T> {}

impl<T> WipedBox<T> {
    /// Puts a value on the heap.
    ///
    /// # Errors
    /// [`Error::Memory`] when memory is short; the value is dropped.
    #[inline(always)]
    pub(crate) fn new(value: T) -> Result<Self, Error> {
        Ok(Self::place(heap(Layout::new::<T>())?, value))
    }

    /// Puts a value that outlives its call in the memory of keys.
    ///
    /// # Errors
    /// [`Error::Memory`] and [`Error::SecureMemory`]; the value is dropped.
    #[inline(always)]
    pub(crate) fn keep(value: T) -> Result<Self, Error> {
        Ok(Self::place(allocate(Layout::new::<T>())?, value))
    }

    #[inline(always)]
    fn place(room: NonNull<u8>, value: T) -> Self {
        const { assert!(size_of::<T>() > 0 && align_of::<T>() <= 64) };
        let place = room.cast::<T>();
        // SAFETY: new room of this layout.
        unsafe { place.write(value) };
        Self(place)
    }

    /// Turns the box into one of a trait object: `convert` returns its argument.
    pub(crate) fn coerce<U: ?Sized>(self, convert: fn(&mut T) -> &mut U) -> WipedBox<U> {
        let mut this = ManuallyDrop::new(self);
        let whole = NonNull::from(convert(&mut **this));
        // SAFETY: just borrowed.
        let size = unsafe { size_of_val(whole.as_ref()) };
        assert!(whole.cast::<T>() == this.0 && size == size_of::<T>());
        WipedBox(whole)
    }
}

impl<T: ?Sized> WipedBox<T> {
    /// Drops the value and overwrites its place.
    ///
    /// # Safety
    /// To be called once, and the value is not used any more.
    pub(crate) unsafe fn empty(&mut self) {
        let size = size_of_val(&**self);
        // SAFETY: dropped once, as the caller says; the place is exclusively owned.
        unsafe {
            self.0.drop_in_place();
            cleanse(self.0.as_ptr().cast(), size);
        }
    }
}

impl<T: ?Sized> Drop for WipedBox<T> {
    fn drop(&mut self) {
        let layout = Layout::for_value(&**self);
        // SAFETY: the value goes now; its place was allocated for this layout.
        unsafe {
            self.empty();
            free(self.0.cast(), layout);
        }
    }
}

impl<T: ?Sized> Deref for WipedBox<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the value lives as long as the box.
        unsafe { self.0.as_ref() }
    }
}

impl<T: ?Sized> DerefMut for WipedBox<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, borrowed exclusively.
        unsafe { self.0.as_mut() }
    }
}

/// Bytes of a key, overwritten on drop.
pub struct KeyBytes {
    place: NonNull<u8>,
    size: usize,
}

// SAFETY: the bytes are owned, and shared only to be read.
unsafe impl Send for KeyBytes {}
// SAFETY: as above.
unsafe impl Sync for KeyBytes {}

impl KeyBytes {
    /// Copies a key.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::SecureMemory`]
    pub fn copy(key: &[u8]) -> Result<KeyBytes, Error> {
        let place = match Self::layout(key.len()) {
            Some(layout) => allocate(layout)?,
            None => NonNull::dangling(),
        };
        // SAFETY: the room is new and has that many bytes.
        unsafe { place.as_ptr().copy_from_nonoverlapping(key.as_ptr(), key.len()) };
        Ok(KeyBytes { place, size: key.len() })
    }

    /// Returns `None` for no bytes.
    fn layout(size: usize) -> Option<Layout> {
        (size > 0).then(|| Layout::array::<u8>(size).ok()).flatten()
    }
}

impl Deref for KeyBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the bytes were written by `copy`, and live as long as this.
        unsafe { std::slice::from_raw_parts(self.place.as_ptr(), self.size) }
    }
}

impl Drop for KeyBytes {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.size) {
            // SAFETY: allocated for this layout; nothing else refers to it.
            unsafe {
                cleanse(self.place.as_ptr(), self.size);
                free(self.place, layout);
            }
        }
    }
}

// SAFETY: arrays of what is plain.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
// SAFETY: any bytes are a valid value.
unsafe impl<T: Plain> Plain for MaybeUninit<T> {}
// SAFETY: integers.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for u128 {}

/// Overwrites all bytes of `value`, including padding, and replaces it by `fresh`. The old value is
/// not dropped, so it must not own other memory.
pub(crate) fn wipe_replace<T>(value: &mut T, fresh: T) {
    // SAFETY: the value is exclusively borrowed; between the two statements its bytes are not read
    // as a `T`, and nothing there can unwind.
    unsafe {
        cleanse((&raw mut *value).cast(), size_of::<T>());
        (&raw mut *value).write(fresh);
    }
}
