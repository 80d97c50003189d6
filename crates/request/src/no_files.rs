//! The functions of `files` where there are none: in WebAssembly.

use crate::checkpoint::JobCheckpoint;
use crate::work::{Reply, Status, Work};
use millrace_core::catalog::Hash;
use millrace_core::error::Error;
use std::convert::Infallible;

pub fn hash_file(
    _: &Work,
    _: Hash,
    _: &mut Reply,
    _: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    Err(Status::NotSupported)
}

pub fn hash_files(_: &Work, _: Hash, _: Option<&mut JobCheckpoint<'_>>) -> Result<(), Status> {
    Err(Status::NotSupported)
}

pub fn open(_: &Work) -> Result<OpenedFile, Status> {
    Err(Status::NotSupported)
}

/// A file, of which there is none.
pub struct OpenedFile {
    pub size: u64,
    none: Infallible,
}

impl OpenedFile {
    pub fn part<Taken>(
        &self,
        _: u64,
        _: usize,
        _: impl FnOnce(&[u8]) -> Result<Taken, Error>,
    ) -> Result<Taken, Status> {
        match self.none {}
    }

    pub fn unchanged(&self) -> bool {
        match self.none {}
    }
}
