//! Fallible allocation for sizes that callers choose. Rust's vectors abort the process when memory
//! is short.

use crate::Error;

pub use crate::engines::{Shared, try_box};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_allocation_is_an_error() {
        let huge = isize::MAX as usize;
        assert_eq!(try_zeroed(huge), Err(Error::Memory { needed: huge as u64 }));
        assert_eq!(try_with_capacity::<u64>(usize::MAX), Err(Error::Memory { needed: u64::MAX }));
        assert_eq!(try_zeroed(3), Ok(vec![0; 3]));
    }
}
