//! Lists of jobs that need no memory: a job holds the link to the next one. So a job that was
//! accepted can be queued, batched, finished and delivered when memory is short.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A value that a list can hold.
pub(crate) trait Linked: Sized {
    /// Returns the link, which only lists change.
    fn link(&mut self) -> &mut Link<Self>;
}

/// The link from an element of a list to the next one.
pub(crate) struct Link<T>(Option<NonNull<T>>);

impl<T> Link<T> {
    /// The link of an element that is in no list.
    pub(crate) const NONE: Link<T> = Link(None);
}

// SAFETY: outside of a list a link is empty; within one it belongs to the list, which owns the
// element that it leads to.
unsafe impl<T: Send> Send for Link<T> {}

/// A list, first in, first out. It is an iterator that removes its elements.
pub(crate) struct List<T: Linked> {
    /// The first and the last element.
    ends: Option<(NonNull<T>, NonNull<T>)>,
    size: usize,
    _owns: PhantomData<Box<T>>,
}

// SAFETY: a list owns its elements.
unsafe impl<T: Linked + Send> Send for List<T> {}

impl<T: Linked> List<T> {
    pub(crate) const fn new() -> List<T> {
        List { ends: None, size: 0, _owns: PhantomData }
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.size
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_none()
    }

    pub(crate) fn first(&self) -> Option<&T> {
        // SAFETY: the list owns the element, and is borrowed.
        self.ends.map(|(first, _)| unsafe { first.as_ref() })
    }

    /// Adds an element at the end.
    pub(crate) fn push(&mut self, element: Box<T>) {
        let element = NonNull::from(Box::leak(element));
        self.append(List { ends: Some((element, element)), size: 1, _owns: PhantomData });
    }

    /// Adds an element before the first.
    pub(crate) fn push_first(&mut self, element: Box<T>) {
        let mut list = List::new();
        list.push(element);
        list.append(std::mem::take(self));
        *self = list;
    }

    /// Adds the elements of another list at the end.
    pub(crate) fn append(&mut self, mut other: List<T>) {
        let Some((first, last)) = other.ends.take() else { return };
        self.size += std::mem::take(&mut other.size);
        self.ends = Some(match self.ends {
            None => (first, last),
            Some((start, mut end)) => {
                // SAFETY: the list owns the element, and is borrowed exclusively.
                unsafe { end.as_mut() }.link().0 = Some(first);
                (start, last)
            }
        });
    }
}

impl<T: Linked> Iterator for List<T> {
    type Item = Box<T>;

    /// Removes and returns the first element.
    fn next(&mut self) -> Option<Box<T>> {
        let (first, last) = self.ends?;
        // SAFETY: made by `Box::leak` in `push`; the list owned it, and forgets it here.
        let mut element = unsafe { Box::from_raw(first.as_ptr()) };
        self.ends = element.link().0.take().map(|next| (next, last));
        self.size -= 1;
        Some(element)
    }
}

impl<T: Linked> Default for List<T> {
    fn default() -> List<T> {
        List::new()
    }
}

impl<T: Linked> Drop for List<T> {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

/// A list to which any thread adds, and from which one thread takes all elements at once.
pub(crate) struct SharedList<T: Linked> {
    /// The element that was added last, which leads to the ones before it.
    last: AtomicPtr<T>,
    _owns: PhantomData<Box<T>>,
}

// SAFETY: elements pass from thread to thread, and are never shared.
unsafe impl<T: Linked + Send> Sync for SharedList<T> {}

impl<T: Linked> SharedList<T> {
    pub(crate) fn new() -> SharedList<T> {
        SharedList { last: AtomicPtr::new(ptr::null_mut()), _owns: PhantomData }
    }

    /// Adds an element.
    pub(crate) fn push(&self, element: Box<T>) {
        let element = Box::leak(element);
        let mut last = self.last.load(Ordering::Relaxed);
        loop {
            element.link().0 = NonNull::new(last);
            // Elements are only removed all at once, so `last` is still their last one if it is
            // the same pointer.
            match self.last.compare_exchange_weak(
                last,
                element,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(other) => last = other,
            }
        }
    }

    /// Removes and returns all elements in the order in which they were added.
    pub(crate) fn take(&self) -> List<T> {
        let mut next = None;
        let mut list = List::new();
        if self.last.load(Ordering::Relaxed).is_null() {
            return list;
        }
        let mut element = NonNull::new(self.last.swap(ptr::null_mut(), Ordering::Acquire));
        let last = element;
        while let Some(mut current) = element {
            // SAFETY: this thread has taken all elements; no other has a pointer to one.
            element = std::mem::replace(&mut unsafe { current.as_mut() }.link().0, next);
            next = Some(current);
            list.size += 1;
        }
        list.ends = next.zip(last);
        list
    }
}

impl<T: Linked> Drop for SharedList<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}
