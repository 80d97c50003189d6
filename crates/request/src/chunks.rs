//! Seals and opens a run of chunks in one work. The base nonce travels as iv, the number of the
//! first chunk as seed, count and size of the chunks as those of many messages. Source and target
//! must not overlap.

use crate::bytes::Window;
use crate::checkpoint::JobCheckpoint;
use crate::work::{Messages, Status, Target, Work};
use millrace_core::catalog::Cipher;
use millrace_core::chunks::Run;

pub fn seal_chunks(
    work: &Work,
    cipher: Cipher,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let (run, target) = chunks(work)?;
    let target = target.exclusive(&[work.source, work.iv]).ok_or(Status::Overlap)?;
    let source = work.source.read();
    work.with_key(cipher, |key| {
        Ok(key.seal_chunks(run, source, target, checkpoint.map(JobCheckpoint::slicer))?)
    })
}

pub fn open_chunks(
    work: &Work,
    cipher: Cipher,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let (run, target) = chunks(work)?;
    let target = target.exclusive(&[work.source, work.iv]).ok_or(Status::Overlap)?;
    let source = work.source.read();
    work.with_key(cipher, |key| {
        Ok(key.open_chunks(run, source, target, checkpoint.map(JobCheckpoint::slicer))?)
    })
}

/// Returns the run of chunks and its target.
fn chunks(work: &Work) -> Result<(Run<'_>, Window), Status> {
    let (Messages::Equal(count, chunk_size), Target::Memory(target)) =
        (&work.messages, work.target)
    else {
        return Err(Status::Argument);
    };
    work.populate(target);
    let run = Run {
        base_nonce: work.iv.read(),
        first: work.seed,
        count: *count,
        chunk_size: *chunk_size,
    };
    Ok((run, target))
}
