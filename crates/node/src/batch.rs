//! Many messages in one work: the digests stand in the target one after the other.

use crate::bytes::Window;
use crate::checkpoint::JobCheckpoint;
use crate::kernel;
use crate::values::exact_size;
use crate::work::{Key, Status, Target, Work};
use millrace_core::allocate::try_zeroed;
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::Slicer;
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::many;

/// Where the messages are.
pub(crate) enum Messages {
    /// The work has one source.
    None,
    /// So many, one after the other in the source, each of this size.
    Equal(usize, usize),
    /// One after the other in the source; their sizes are 64-bit floats in the place of the iv.
    Sized,
    /// Anywhere.
    Views(Vec<Window>),
    /// So many, in files whose paths stand in the source: of so many bytes, or at most so many
    /// each; see `files`.
    Files(usize, u64),
}

/// As many are handed to the core at once: enough to fill its lanes with messages of like size.
const BATCH_MAX: usize = 256;

impl Work {
    pub(crate) fn hash_many(
        &self,
        hash: Hash,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let key = self.hash_key(hash)?;
        let params = Params { seed: self.seed, key: key.as_ref() };
        self.each_batch(|sources, size, each| match &mut checkpoint {
            None => many::digests(hash, &params, sources, size, None, each),
            Some(checkpoint) => {
                let slice = checkpoint.slice_of_each(sources.len().min(many::lanes(hash)));
                many::digests(
                    hash,
                    &params,
                    sources,
                    size,
                    Some(Slicer::new(slice, *checkpoint)),
                    each,
                )?;
                checkpoint.check()
            }
        })
    }

    pub(crate) fn hmac_many(
        &self,
        hash: Hash,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let prepared;
        let key = match &self.key {
            Key::Bytes(key) => {
                prepared = kernel::mac_key(self.engine, hash, key.read())?;
                &prepared
            }
            Key::Prepared(_) => self.mac_key(hash)?,
        };
        self.each_batch(|sources, size, each| {
            if size != hash.facts().digest_size {
                return Err(Error::OutputSize);
            }
            match &mut checkpoint {
                None => many::macs(key, sources, None, each),
                Some(checkpoint) => {
                    let slice = checkpoint.slice_of_each(sources.len().min(many::lanes(hash)));
                    many::macs(key, sources, Some(Slicer::new(slice, *checkpoint)), each)?;
                    checkpoint.check()
                }
            }
        })
    }

    /// How many messages there are, and their bytes together.
    pub(crate) fn messages(&self) -> (usize, usize) {
        match &self.messages {
            Messages::None => (1, self.source.size()),
            Messages::Equal(count, _) => (*count, self.source.size()),
            Messages::Sized => (self.iv.size() / size_of::<f64>(), self.source.size()),
            Messages::Views(views) => (views.len(), views.iter().map(|view| view.size()).sum()),
            Messages::Files(count, size) => (*count, usize::try_from(*size).unwrap_or(usize::MAX)),
        }
    }

    /// Hands the messages to `compute` in batches, and writes the digests.
    pub(crate) fn each_batch(
        &self,
        mut compute: impl FnMut(&[&[u8]], usize, &mut dyn FnMut(usize, &[u8])) -> Result<(), Error>,
    ) -> Result<(), Status> {
        let Target::Memory(target) = self.target else { return Err(Status::Argument) };
        let (count, _) = self.messages();
        if count == 0 {
            return Ok(());
        }
        let size = target.size() / count;
        if size * count != target.size() {
            return Err(Status::OutputSize);
        }
        // A digest must not take the place of a message that is still to be read.
        let mut apart =
            if self.overlapped_by(target) { Some(try_zeroed(target.size())?) } else { None };
        let (mut batch, mut filled, mut done, mut offset) = ([Window::EMPTY; BATCH_MAX], 0, 0, 0);
        for index in 0..count {
            let message = self.message(index, offset)?;
            offset += message.size();
            batch[filled] = message;
            filled += 1;
            if filled < BATCH_MAX && index + 1 < count {
                continue;
            }
            let mut sources = [&[][..]; BATCH_MAX];
            sources
                .iter_mut()
                .zip(&batch[..filled])
                .for_each(|(source, message)| *source = message.read());
            compute(&sources[..filled], size, &mut |index, digest| {
                let start = (done + index) * size;
                match &mut apart {
                    Some(apart) => apart[start..start + size].copy_from_slice(digest),
                    None => target.part(start, size).unwrap_or(Window::EMPTY).write(digest),
                }
            })?;
            (filled, done) = (0, done + filled);
        }
        if let Some(apart) = apart {
            target.write(&apart);
        }
        Ok(())
    }

    /// The message at `index`, which begins at `offset` where they stand one after the other.
    fn message(&self, index: usize, offset: usize) -> Result<Window, Status> {
        match &self.messages {
            Messages::None => Some(self.source),
            Messages::Files(..) => None,
            Messages::Equal(_, size) => self.source.part(offset, *size),
            Messages::Sized => {
                let size =
                    self.iv.part(index * size_of::<f64>(), size_of::<f64>()).and_then(|place| {
                        let number = f64::from_ne_bytes(*place.read().first_chunk()?);
                        exact_size(number)
                    });
                size.and_then(|size| self.source.part(offset, size))
            }
            Messages::Views(views) => views.get(index).copied(),
        }
        .ok_or(Status::Argument)
    }

    fn overlapped_by(&self, target: Window) -> bool {
        match &self.messages {
            Messages::Views(views) => views.iter().any(|view| view.overlaps(target)),
            _ => self.source.overlaps(target) || self.iv.overlaps(target),
        }
    }
}
