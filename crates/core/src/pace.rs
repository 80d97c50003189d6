//! How long work is interrupted, watched and given up.

/// What long work asks between slices.
pub trait Pace {
    /// Called after every slice. The caller of the operation may do something else meanwhile.
    fn pause(&mut self);
    /// Whether nobody wants message or job `index` any more (0 where there is one): it is abandoned, its result
    /// is not handed on.
    fn abandoned(&self, index: usize) -> bool;
    /// Told before a pause how much of job `index` is done: so many steps of so many.
    fn progress(&mut self, index: usize, done: u64, steps: u64) {
        let _ = (index, done, steps);
    }
}

/// Never pauses and never abandons.
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
