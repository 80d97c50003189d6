//! Long work in slices: whoever runs it may do something else in between, and may say that nobody
//! wants it any more.

/// What long work asks between slices.
pub trait Pace {
    /// Called after each slice. Whoever runs the work may do something else meanwhile.
    fn pause(&mut self);

    /// Whether nobody wants message `index` any more (0 where there is one): it is given up, and
    /// its digest is not handed on.
    fn abandoned(&self, index: usize) -> bool;

    /// Told before a pause of a key derivation how far job `index` is: so many steps of so many.
    fn progress(&mut self, index: usize, done: u64, steps: u64) {
        let _ = (index, done, steps);
    }
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
    /// Bytes since the last pause.
    since: usize,
    /// The message that is number 0 here.
    first: usize,
    pace: &'a mut dyn Pace,
}

impl<'a> Pacing<'a> {
    /// Asks after every `slice` bytes of a message; of 0 it makes 1.
    pub(crate) fn new(slice: usize, pace: &'a mut dyn Pace) -> Self {
        Self { slice: slice.max(1), since: 0, first: 0, pace }
    }

    /// The same for the messages from `first` on.
    pub(crate) fn from(&mut self, first: usize) -> Pacing<'_> {
        Pacing {
            slice: self.slice,
            since: self.since,
            first: self.first + first,
            pace: &mut *self.pace,
        }
    }

    /// Bytes of a slice, at least one.
    #[inline]
    pub(crate) fn slice(&self) -> usize {
        self.slice
    }

    /// Between two slices of message 0: whether to go on.
    #[inline]
    pub(crate) fn goes_on(&mut self) -> bool {
        self.since = 0;
        self.pace.pause();
        !self.abandoned(0)
    }

    /// After work that took as long as these bytes of a message: pauses, and says so, if it makes a
    /// slice.
    #[inline]
    pub(crate) fn spend(&mut self, bytes: usize) -> bool {
        self.since += bytes;
        if self.since < self.slice {
            return false;
        }
        self.since = 0;
        self.pace.pause();
        true
    }

    /// As [`Pace::abandoned`].
    #[inline]
    pub(crate) fn abandoned(&self, index: usize) -> bool {
        self.pace.abandoned(self.first + index)
    }
}

/// Where the digests of many messages go, and who is asked on the way.
pub(crate) struct Outlet<'a> {
    each: &'a mut dyn FnMut(usize, &[u8]),
    pub(crate) pacing: Option<Pacing<'a>>,
}

impl<'a> Outlet<'a> {
    /// Hands digests on to `each`, with the index of their message.
    #[inline]
    pub(crate) fn new(each: &'a mut dyn FnMut(usize, &[u8]), pacing: Option<Pacing<'a>>) -> Self {
        Self { each, pacing }
    }

    /// Hands a digest on, if somebody wants it.
    #[inline]
    pub(crate) fn hand(&mut self, index: usize, digest: &[u8]) {
        if !self.abandoned(index) {
            (self.each)(index, digest);
        }
    }

    /// As [`Pace::abandoned`].
    #[inline]
    pub(crate) fn abandoned(&self, index: usize) -> bool {
        self.pacing.as_ref().is_some_and(|pacing| pacing.abandoned(index))
    }

    /// As [`Pacing::spend`].
    #[inline]
    pub(crate) fn spend(&mut self, bytes: usize) -> bool {
        self.pacing.as_mut().is_some_and(|pacing| pacing.spend(bytes))
    }
}
