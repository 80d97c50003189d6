//! The bytes of the keys of HMACs, of which the prepared key keeps only states: a worker needs
//! them.

use millrace_core::error::Error;
use zeroize::Zeroizing;

/// The bytes by handle, in ascending order.
#[derive(Default)]
pub(crate) struct MacKeys(Vec<(u64, Zeroizing<Vec<u8>>)>);

impl MacKeys {
    /// Makes room for one more, so that the next [`MacKeys::insert`] cannot fail.
    ///
    /// # Errors
    /// [`Error::Memory`] when memory is short.
    pub(crate) fn reserve(&mut self) -> Result<(), Error> {
        self.0.try_reserve(1).map_err(|_| Error::Memory { needed: 0 })
    }

    /// Adds the bytes of a key.
    pub(crate) fn insert(&mut self, handle: u64, bytes: Zeroizing<Vec<u8>>) {
        if let Err(place) = self.place(handle) {
            self.0.insert(place, (handle, bytes));
        }
    }

    /// Returns the bytes of a key.
    pub(crate) fn get(&self, handle: u64) -> Option<&Zeroizing<Vec<u8>>> {
        self.place(handle).ok().map(|place| &self.0[place].1)
    }

    /// Wipes the bytes of a key, if there are any.
    pub(crate) fn remove(&mut self, handle: u64) {
        if let Ok(place) = self.place(handle) {
            self.0.remove(place);
        }
    }

    fn place(&self, handle: u64) -> Result<usize, usize> {
        self.0.binary_search_by_key(&handle, |(other, _)| *other)
    }
}
