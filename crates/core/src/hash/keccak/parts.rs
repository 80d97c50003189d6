//! ParallelHash and KangarooTwelve of one message in parts, which several cores may hash at once.

use super::kangaroo_twelve::{CHUNK, Kt128, Kt256};
use super::parallel_hash::{
    ParallelHash128, ParallelHash256, ParallelHashXof128, ParallelHashXof256, block_size,
};
use crate::Error;
use crate::allocate::try_copy;
use crate::catalog::Hash;
use crate::checkpoint::Slicer;
use crate::inputs::Params;
use crate::parameters::Parameters;
use crate::wipe::wipe;

/// Bytes of a part: some 30 us with eight lanes, so that a core may do something else between two.
const PART: u64 = 256 << 10;
/// Bytes of the parts of a message that is not much longer than one.
const SMALL_PART: u64 = 64 << 10;
/// The longest message in small parts.
const LARGE: u64 = 4 * PART;

/// The blocks of ParallelHash that make parts. Of smaller ones the chaining values take up as much
/// memory as the message, of larger ones a part takes too long.
const BLOCKS: std::ops::RangeInclusive<u64> = 1024..=1 << 20;

/// Returns the bytes of the parts of a message of `size` bytes, `None` without such parts.
pub(crate) fn part_size(hash: Hash, params: &Params<'_>, size: u64) -> Option<u64> {
    let leaf = match hash {
        Hash::Kt128 | Hash::Kt256 => CHUNK as u64,
        Hash::ParallelHash128
        | Hash::ParallelHash256
        | Hash::ParallelHashXof128
        | Hash::ParallelHashXof256 => Some(block_size(params)).filter(|it| BLOCKS.contains(it))?,
        _ => return None,
    };
    let part = if size <= LARGE { SMALL_PART } else { PART }.next_multiple_of(leaf);
    (size > part).then_some(part)
}

/// A message that is hashed in parts. Its parameters are wiped on drop.
pub(crate) struct KeccakMessage {
    hash: Hash,
    parameters: Vec<u8>,
    size: u64,
}

/// The chaining values in a part, wiped on drop.
pub(crate) struct Values(Vec<u8>);

impl Values {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Evaluates `$body` with `$D` as the type that computes `$hash`.
macro_rules! with_tree {
    ($hash:expr, $D:ident => $body:expr) => {
        match $hash {
            Hash::ParallelHash128 => {
                type $D = ParallelHash128;
                $body
            }
            Hash::ParallelHash256 => {
                type $D = ParallelHash256;
                $body
            }
            Hash::ParallelHashXof128 => {
                type $D = ParallelHashXof128;
                $body
            }
            Hash::ParallelHashXof256 => {
                type $D = ParallelHashXof256;
                $body
            }
            Hash::Kt256 => {
                type $D = Kt256;
                $body
            }
            _ => {
                type $D = Kt128;
                $body
            }
        }
    };
}

impl KeccakMessage {
    pub(crate) fn new(hash: Hash, params: &Params<'_>, size: u64) -> Result<KeccakMessage, Error> {
        Ok(KeccakMessage { hash, parameters: try_copy(params.parameters.encoded())?, size })
    }

    fn params(&self) -> Params<'_> {
        Params { parameters: Parameters::of(&self.parameters), ..Params::default() }
    }

    /// Hashes a part, which begins at a multiple of the part size.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn part(&self, offset: u64, source: &[u8]) -> Result<Values, Error> {
        let last = offset + source.len() as u64 == self.size;
        with_tree!(self.hash, D => D::part(&self.params(), (offset, last), source)).map(Values)
    }

    /// Returns the chaining values of chunks of KangarooTwelve, wherever they are but first.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn leaves(&self, source: &[u8]) -> Result<Values, Error> {
        let place = (CHUNK as u64, false);
        with_tree!(self.hash, D => D::part(&self.params(), place, source)).map(Values)
    }

    /// Joins all parts in order.
    pub(crate) fn join(
        &self,
        parts: &mut dyn Iterator<Item = &[u8]>,
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        with_tree!(self.hash, D => D::join(&self.params(), self.size, parts, target, slicer))
    }
}

impl Drop for KeccakMessage {
    fn drop(&mut self) {
        wipe(&mut self.parameters);
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}
