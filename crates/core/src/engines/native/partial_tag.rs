//! The contribution of a part of a message to its tag.

use super::wipe::Wiped;

/// A number of the field in which the cipher authenticates. Wiped on drop.
pub(crate) struct PartialTag(pub(super) Wiped<[u64; 3]>);
