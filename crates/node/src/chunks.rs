//! A run of sealed chunks in one work. The base nonce travels as iv, the number of the first chunk
//! as seed, count and size of the chunks as those of many messages. Source and target are apart:
//! what was verified is what was read.

use crate::batch::Messages;
use crate::bytes::Window;
use crate::checkpoint::JobCheckpoint;
use crate::work::{Status, Target, Work};
use millrace_core::catalog::Cipher;
use millrace_core::chunks::Run;

impl Work {
    pub(crate) fn seal_chunks(
        &self,
        cipher: Cipher,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let (run, target) = self.chunks()?;
        let target = target.exclusive(&[self.source, self.iv]).ok_or(Status::Overlap)?;
        let source = self.source.read();
        self.with_key(cipher, |key| {
            Ok(key.seal_chunks(run, source, target, checkpoint.map(JobCheckpoint::slicer))?)
        })
    }

    pub(crate) fn open_chunks(
        &self,
        cipher: Cipher,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let (run, target) = self.chunks()?;
        let target = target.exclusive(&[self.source, self.iv]).ok_or(Status::Overlap)?;
        let source = self.source.read();
        self.with_key(cipher, |key| {
            Ok(key.open_chunks(run, source, target, checkpoint.map(JobCheckpoint::slicer))?)
        })
    }

    /// The run and its target.
    fn chunks(&self) -> Result<(Run<'_>, Window), Status> {
        let (Messages::Equal(count, chunk_size), Target::Memory(target)) =
            (&self.messages, self.target)
        else {
            return Err(Status::Argument);
        };
        self.ready(target);
        let run = Run {
            base_nonce: self.iv.read(),
            first: self.seed,
            count: *count,
            chunk_size: *chunk_size,
        };
        Ok((run, target))
    }
}
