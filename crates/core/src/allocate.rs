//! Fallible allocation: vectors of sizes that callers choose, boxes and shared values. Those of the
//! standard library abort the process when memory is short.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use crate::Error;

/// Returns an empty vector with room for exactly `count` elements.
///
/// # Errors
/// [`Error::Memory`] when the system is short of memory.
pub fn try_with_capacity<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut room = Vec::new();
    let needed = (count as u64).saturating_mul(size_of::<T>() as u64);
    room.try_reserve_exact(count).map_err(|_| Error::Memory { needed })?;
    Ok(room)
}

/// Returns `size` bytes of zeros.
///
/// # Errors
/// [`Error::Memory`] when the system is short of memory.
pub fn try_zeroed(size: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = try_with_capacity(size)?;
    bytes.resize(size, 0);
    Ok(bytes)
}

/// Returns a copy of bytes.
///
/// # Errors
/// [`Error::Memory`] when the system is short of memory.
pub fn try_copy(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut copy = try_with_capacity(bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// Returns the items of an iterator.
///
/// # Errors
/// [`Error::Memory`] when the system is short of memory, and the first error of an item.
pub fn try_collect<T>(
    items: impl ExactSizeIterator<Item = Result<T, Error>>,
) -> Result<Vec<T>, Error> {
    let mut all = try_with_capacity(items.len())?;
    for item in items {
        all.push(item?);
    }
    Ok(all)
}

/// Moves a value to the heap.
///
/// Always inlined: a copy of the whole value would carry stack bytes to the places that the value
/// has not initialised, such as the room of an enum's larger variants, and with them spilled keys.
///
/// # Errors
/// [`Error::Memory`] when memory is short; the value is dropped.
#[inline(always)]
pub fn try_box<T>(value: T) -> Result<Box<T>, Error> {
    let mut one = Vec::new();
    one.try_reserve_exact(1).map_err(|_| Error::Memory { needed: size_of::<T>() as u64 })?;
    one.push(value);
    let [first] = Box::leak(one.into_boxed_slice()) else { return Err(Error::Engine) };
    // SAFETY: a boxed slice of one element is an allocation with the layout of that element; it
    // was leaked above, and nothing else owns it.
    Ok(unsafe { Box::from_raw(first) })
}

/// A value with several owners: an [`Arc`](std::sync::Arc) without weak references.
pub struct Shared<T>(NonNull<Counted<T>>);

struct Counted<T> {
    owners: AtomicUsize,
    value: T,
}

// SAFETY: the owners share the value by reference, and the last one, on any thread, drops it.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above; a reference to an owner can be cloned into another owner.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// Moves a value to the heap, with one owner.
    ///
    /// # Errors
    /// [`Error::Memory`] when memory is short; the value is dropped.
    #[inline(always)]
    pub fn try_new(value: T) -> Result<Shared<T>, Error> {
        let counted = try_box(Counted { owners: AtomicUsize::new(1), value })?;
        Ok(Shared(NonNull::from(Box::leak(counted))))
    }

    /// Returns the value's address, which identifies it while it has an owner.
    pub fn address(&self) -> usize {
        self.0.addr().get()
    }

    /// Returns an owner as a pointer, for [`Shared::from_raw`].
    pub fn into_raw(self) -> *mut c_void {
        ManuallyDrop::new(self).0.as_ptr().cast()
    }

    /// Returns the owner that [`Shared::into_raw`] returned.
    ///
    /// # Safety
    /// The pointer is from [`Shared::into_raw`] of the same type, and is used once.
    pub unsafe fn from_raw(pointer: *mut c_void) -> Shared<T> {
        // SAFETY: the pointer is from `into_raw`, thus the address of the value with its count.
        Shared(unsafe { NonNull::new_unchecked(pointer.cast()) })
    }

    /// Returns true if both are owners of one value.
    pub fn is_same(&self, other: &Shared<T>) -> bool {
        self.0 == other.0
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the value lives as long as it has an owner.
        unsafe { &self.0.as_ref().value }
    }
}

impl<T> Clone for Shared<T> {
    #[inline]
    fn clone(&self) -> Shared<T> {
        // SAFETY: as for `deref`.
        let owners = unsafe { &self.0.as_ref().owners };
        // An owner exists, so no other thread can drop the value meanwhile. The count cannot
        // overflow: each owner takes up memory, and none is leaked.
        owners.fetch_add(1, Ordering::Relaxed);
        Shared(self.0)
    }
}

impl<T> Drop for Shared<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: as for `deref`.
        if unsafe { self.0.as_ref().owners.fetch_sub(1, Ordering::Release) } == 1 {
            // All accesses of the other owners happen before the value is dropped.
            fence(Ordering::Acquire);
            // SAFETY: made by `try_box`; this was the last owner.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

impl<T> std::fmt::Debug for Shared<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Shared")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn failed_allocation_is_an_error() {
        let huge = isize::MAX as usize;
        assert_eq!(try_zeroed(huge), Err(Error::Memory { needed: huge as u64 }));
        assert_eq!(try_with_capacity::<u64>(usize::MAX), Err(Error::Memory { needed: u64::MAX }));
        assert_eq!(try_zeroed(3), Ok(vec![0; 3]));
    }

    #[test]
    fn the_last_owner_drops_the_value() {
        let inner = Arc::new(());
        let shared = Shared::try_new(Arc::clone(&inner)).expect("memory");
        let others: Vec<_> = (0..4).map(|_| shared.clone()).collect();
        assert!(others.iter().all(|other| other.is_same(&shared)));
        let threads: Vec<_> =
            others.into_iter().map(|other| std::thread::spawn(move || drop(other))).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        assert_eq!(Arc::strong_count(&inner), 2);
        drop(shared);
        assert_eq!(Arc::strong_count(&inner), 1);
    }
}
