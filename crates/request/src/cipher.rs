//! Runs ciphers on one message, or on a run of chunks of one.

use crate::bytes::wipe;
use crate::checkpoint::JobCheckpoint;
use crate::operands::copied;
use crate::parts;
use crate::work::{IV_MAX, Messages, Operation, Reply, Status, TAG_MAX, Target, Work};
use millrace_core::allocate::try_zeroed;
use millrace_core::catalog::Cipher;
use millrace_core::checkpoint::Slicer;
use millrace_core::chunks::Run;
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::error::Error;

/// Encrypts or decrypts the source under a key of this engine; with a checkpoint in slices if it is
/// long.
///
/// # Errors
/// Those of [`encrypt`] and [`decrypt`].
pub fn run(
    work: &Work,
    key: &CipherKey,
    reply: &mut Reply,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    // A long work need not have long text: its aad may be long, which is hashed without slices.
    let in_parts = |checkpoint: &JobCheckpoint<'_>| {
        matches!(work.target, Target::Memory(_)) && work.source.size() > checkpoint.slice
    };
    match (checkpoint, work.operation) {
        (Some(checkpoint), _) if in_parts(checkpoint) => {
            parts::run_sequential(work, key, reply, Some(checkpoint))
        }
        (_, Operation::Encrypt(_)) => encrypt(work, key, reply, None),
        _ if work.lent && key.cipher().facts().aead => decrypt_to_shared(work, key, reply),
        _ => decrypt(work, key, None),
    }
}

/// Decrypts into memory that other threads can read: writes nothing there before the message is
/// authenticated.
fn decrypt_to_shared(work: &Work, key: &CipherKey, reply: &mut Reply) -> Result<(), Status> {
    /// Copying up to this many bytes takes less time than preparing a message in parts.
    const COPY_MAX_BYTES: usize = 32 * 1024;
    let Target::Memory(target) = work.target else { return Err(Status::Argument) };
    if work.source.size() > COPY_MAX_BYTES {
        return parts::run_sequential(work, key, reply, None);
    }
    if target.size() != work.source.size() {
        return Err(Status::Argument);
    }
    let mut copy = try_zeroed(work.source.size())?;
    let text = Text::Across { source: work.source.read(), target: &mut copy };
    let opened = key.open(work.iv.read(), work.aad.read(), text, work.tag.read());
    // After a failure the copy holds zeros.
    if matches!(opened, Ok(()) | Err(Error::Authentication)) {
        target.write(&copy);
    }
    wipe(&mut copy);
    Ok(opened?)
}

/// Encrypts the source and writes the tag; a stream cipher in slices, if there is a slicer.
///
/// # Errors
/// [`Status::IvSize`], [`Status::TagSize`], and those of the cipher.
pub fn encrypt(
    work: &Work,
    key: &CipherKey,
    reply: &mut Reply,
    slicer: Option<Slicer<'_>>,
) -> Result<(), Status> {
    let mut tag = [0; TAG_MAX];
    let tag = tag.get_mut(..work.tag_target.size()).ok_or(Status::TagSize)?;
    let iv = &mut [0; IV_MAX];
    let iv = copied(work.iv, iv).ok_or(Status::IvSize)?;
    match key.cipher().facts().aead {
        true => key.seal(iv, work.aad.read(), work.text()?, tag)?,
        false if tag.is_empty() && work.aad.size() == 0 => key.apply(iv, work.text()?, slicer)?,
        false => return Err(Status::TagSize),
    }
    work.put_tag(tag, reply);
    Ok(())
}

/// Decrypts the source and verifies the tag; a stream cipher in slices, if there is a slicer.
///
/// # Errors
/// [`Status::IvSize`], [`Status::TagSize`], [`Status::Authentication`], and those of the cipher.
pub fn decrypt(work: &Work, key: &CipherKey, slicer: Option<Slicer<'_>>) -> Result<(), Status> {
    // Copied before the text is moved: the target may overlap tag and iv.
    let (iv, tag) = (&mut [0; IV_MAX], &mut [0; TAG_MAX]);
    let iv = copied(work.iv, iv).ok_or(Status::IvSize)?;
    let tag = copied(work.tag, tag).ok_or(Status::TagSize)?;
    match key.cipher().facts().aead {
        true => key.open(iv, work.aad.read(), work.text()?, tag)?,
        false if tag.is_empty() && work.aad.size() == 0 => key.apply(iv, work.text()?, slicer)?,
        false => return Err(Status::TagSize),
    }
    Ok(())
}

/// Seals or opens a run of chunks. The base nonce travels as iv, its suffix as aad, the number of
/// the first chunk as seed, count and size of the chunks as those of many messages.
///
/// # Errors
/// [`Status::Overlap`] if source and target overlap, and those of the cipher.
pub fn run_chunks(
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
    let target = target.exclusive(&[work.source, work.iv, work.aad]).ok_or(Status::Overlap)?;
    let (source, slicer) = (work.source.read(), checkpoint.map(JobCheckpoint::slicer));
    let (base_nonce, suffix) = (work.iv.read(), work.aad.read());
    let run = Run { base_nonce, suffix, first: work.seed, count, chunk_size };
    work.with_key(cipher, |key| match work.operation {
        Operation::SealChunks(_) => Ok(key.seal_chunks(run, source, target, slicer)?),
        _ => Ok(key.open_chunks(run, source, target, slicer)?),
    })
}
