//! Long work in slices: whoever runs it may do something else in between, and may say that nobody wants it any more.

/// What long work asks between slices.
pub trait Pace {
    /// Called after each slice. Whoever runs the work may do something else meanwhile.
    fn pause(&mut self);

    /// Whether nobody wants message `index` any more (0 where there is one): it is given up, and its digest is not
    /// handed on.
    fn abandoned(&self, index: usize) -> bool;
}

/// Never pauses and gives nothing up.
#[derive(Copy, Clone, Debug, Default)]
pub struct Unpaced;

impl Pace for Unpaced {
    #[inline]
    fn pause(&mut self) {}

    #[inline]
    fn abandoned(&self, _index: usize) -> bool {
        false
    }
}

/// How far work goes before it asks.
pub(crate) struct Pacing<'a> {
    slice: usize,
    pace: &'a mut dyn Pace,
}

impl<'a> Pacing<'a> {
    /// Asks after every `slice` bytes of a message; of 0 it makes 1.
    pub(crate) fn new(slice: usize, pace: &'a mut dyn Pace) -> Self {
        Self { slice: slice.max(1), pace }
    }

    /// Bytes of a slice, at least one.
    #[inline]
    pub(crate) fn slice(&self) -> usize {
        self.slice
    }

    /// Between two slices.
    #[inline]
    pub(crate) fn pause(&mut self) {
        self.pace.pause();
    }

    /// As [`Pace::abandoned`].
    #[inline]
    pub(crate) fn abandoned(&self, index: usize) -> bool {
        self.pace.abandoned(index)
    }

    /// Between two slices of the only message: whether to go on.
    #[inline]
    pub(crate) fn goes_on(&mut self) -> bool {
        self.pause();
        !self.abandoned(0)
    }
}
