//! Seals and opens a run of chunks in one work. The base nonce travels as iv, the number of the
//! first chunk as seed, count and size of the chunks as those of many messages. Source and target
//! must not overlap.

use crate::checkpoint::JobCheckpoint;
use crate::work::{Messages, Operation, Status, Target, Work};
use millrace_core::catalog::Cipher;
use millrace_core::chunks::Run;

pub fn run(
    work: &Work,
    cipher: Cipher,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let (&Messages::Equal(count, chunk_size), Target::Memory(target)) =
        (&work.messages, work.target)
    else {
        return Err(Status::Argument);
    };
    work.populate(target);
    let target = target.exclusive(&[work.source, work.iv]).ok_or(Status::Overlap)?;
    let (source, slicer) = (work.source.read(), checkpoint.map(JobCheckpoint::slicer));
    let run = Run { base_nonce: work.iv.read(), first: work.seed, count, chunk_size };
    work.with_key(cipher, |key| match work.operation {
        Operation::SealChunks(_) => Ok(key.seal_chunks(run, source, target, slicer)?),
        _ => Ok(key.open_chunks(run, source, target, slicer)?),
    })
}
