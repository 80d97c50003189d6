//! Hashes many messages in one work. The target receives the digests one after the other.

use crate::bytes::Window;
use crate::checkpoint::JobCheckpoint;
use crate::work::{Messages, Status, Target, Work};
use millrace_core::allocate::try_zeroed;
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::Slicer;
use millrace_core::error::Error;
use millrace_core::many;
use zeroize::Zeroizing;

/// The core gets this many messages at once: enough to fill its lanes with messages of one size.
const BATCH_MAX: usize = 256;
/// With few messages smaller arrays suffice: clearing those of 256 takes as long as two digests.
const FEW: usize = 32;

pub fn hash_many(
    work: &Work,
    hash: Hash,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    work.with_params(hash, |params| {
        each_batch(work, |sources, size, each| {
            in_slices(&mut checkpoint, hash, sources.len(), |slicer| {
                many::digests(hash, params, sources, size, slicer, each)
            })
        })
    })
}

pub fn hmac_many(
    work: &Work,
    hash: Hash,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    work.with_mac_key(hash, |key| {
        each_batch(work, |sources, size, each| {
            if size != hash.facts().digest_size {
                return Err(Error::OutputSize);
            }
            in_slices(&mut checkpoint, hash, sources.len(), |slicer| {
                many::macs(key, sources, slicer, each)
            })
        })
    })
}

/// Hashes `count` messages together, in slices if there is a checkpoint.
pub fn in_slices(
    checkpoint: &mut Option<&mut JobCheckpoint<'_>>,
    hash: Hash,
    count: usize,
    compute: impl FnOnce(Option<Slicer<'_>>) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some(checkpoint) = checkpoint else { return compute(None) };
    let slice = checkpoint.slice_of_each(count.min(many::lanes(hash)));
    compute(Some(Slicer::new(slice, *checkpoint)))?;
    checkpoint.check()
}

/// Calls `compute` with the messages in batches, and writes the digests.
///
/// # Errors
/// Those of `compute`; [`Status::OutputSize`] if the target does not divide into digests.
pub fn each_batch(
    work: &Work,
    compute: impl FnMut(&[&[u8]], usize, &mut dyn FnMut(usize, &[u8])) -> Result<(), Error>,
) -> Result<(), Status> {
    let (count, _) = work.messages();
    if count <= FEW {
        each_batch_of::<FEW>(work, count, compute)
    } else {
        each_batch_of::<BATCH_MAX>(work, count, compute)
    }
}

fn each_batch_of<const MAX: usize>(
    work: &Work,
    count: usize,
    mut compute: impl FnMut(&[&[u8]], usize, &mut dyn FnMut(usize, &[u8])) -> Result<(), Error>,
) -> Result<(), Status> {
    let Target::Memory(target) = work.target else { return Err(Status::Argument) };
    if count == 0 {
        return Ok(());
    }
    let size = target.size() / count;
    if size * count != target.size() {
        return Err(Status::OutputSize);
    }
    // A digest must not overwrite a message that is read later.
    let mut apart = match overlaps_messages(work, target) {
        true => Some(Zeroizing::new(try_zeroed(target.size())?)),
        false => None,
    };
    let (mut batch, mut filled, mut done, mut offset) = ([Window::EMPTY; MAX], 0, 0, 0);
    for index in 0..count {
        let message = work.message(index, offset)?;
        offset += message.size();
        batch[filled] = message;
        filled += 1;
        if filled < MAX && index + 1 < count {
            continue;
        }
        let mut sources = [&[][..]; MAX];
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

fn overlaps_messages(work: &Work, target: Window) -> bool {
    match &work.messages {
        Messages::Views(views) => views.iter().any(|view| view.overlaps(target)),
        _ => work.source.overlaps(target) || work.iv.overlaps(target),
    }
}
