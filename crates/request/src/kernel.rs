//! Runs work with the kernel engine: during its call or on one worker, in slices, but neither
//! batched nor in parts.

use crate::batch;
use crate::checkpoint::{JobCheckpoint, slicer};
use crate::chunks;
use crate::cipher;
use crate::engine::{self, KernelHashTable, NO_KERNEL_KEYED_HASH};
use crate::operands::copied;
use crate::protocol::KERNEL_HANDLE_BYTES;
use crate::work::{IV_MAX, Key, Operation, Reply, Status, Target, Work};
use millrace_core::catalog::Hash;
use millrace_core::cipher::CipherKey;
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::hmac::MacKey;
use millrace_core::many;
use millrace_linux::LinuxEngine;

const NO_DERIVATION: Error =
    Error::Unavailable("kernel: does not support key derivation: use another engine");
const NO_SQUEEZE: Error =
    Error::Unavailable("kernel: does not support extendable output: use another engine");

const _: () = assert!(KernelHashTable::HANDLE_BYTES == KERNEL_HANDLE_BYTES);

/// Computes the result with the kernel engine, as [`execute::run`](crate::execute::run) does.
///
/// # Errors
/// Those of the operation, and [`Status::Unavailable`] with the reason.
#[cold]
pub fn run(
    work: &Work,
    reply: &mut Reply,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    match work.operation {
        Operation::Hash(hash) => digest(work, hash, reply, checkpoint),
        Operation::Hmac(hash) => mac(work, hash, reply, checkpoint),
        Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
            work.with_key(cipher, |key| crypt(work, key, reply, checkpoint))
        }
        Operation::Update(hash) => update(work, hash, None, checkpoint),
        Operation::MacUpdate(hash) => {
            work.mac_key(hash).and_then(|key| update(work, hash, Some(key), checkpoint))
        }
        Operation::Finish(hash) => finish(work, hash, reply),
        Operation::MacFinish(hash) => mac_finish(work, hash, reply),
        Operation::HashMany(hash) => {
            let (engine, params) = (LinuxEngine::from(work.engine), seed_only(work)?);
            batch::each_batch(work, |sources, size, each| {
                many::one_by_one(sources, size, slicer(&mut checkpoint), each, |source, target| {
                    engine.digest(hash, &params, source, target, None)
                })
            })
        }
        Operation::HmacMany(hash) => batch::hmac_many(work, hash, checkpoint),
        Operation::SealChunks(cipher) => chunks::seal_chunks(work, cipher, checkpoint),
        Operation::OpenChunks(cipher) => chunks::open_chunks(work, cipher, checkpoint),
        Operation::Squeeze(_) => Err(NO_SQUEEZE.into()),
        // JavaScript prepares a key for the kernel instead.
        Operation::MacBegin(_) | Operation::CipherUpdate(_) => Err(Status::Argument),
        Operation::Derive => Err(NO_DERIVATION.into()),
        // Only the command hashes files, with the native engine.
        Operation::HashFile(_) | Operation::HashFiles(_) => Err(Status::Argument),
    }
}

fn digest(
    work: &Work,
    hash: Hash,
    reply: &mut Reply,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let params = seed_only(work)?;
    let (engine, source) = (LinuxEngine::from(work.engine), work.source.read());
    work.digest_to(reply, |target| {
        engine.digest(hash, &params, source, target, slicer(&mut checkpoint))
    })
}

fn mac(
    work: &Work,
    hash: Hash,
    reply: &mut Reply,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let prepared;
    let key = match &work.key {
        Key::Bytes(key) => {
            prepared = engine::mac_key(work.engine, hash, key.read())?;
            &prepared
        }
        Key::Prepared(_) => work.mac_key(hash)?,
    };
    let source = work.source.read();
    work.digest_to(reply, |target| key.mac(source, target, checkpoint.map(JobCheckpoint::slicer)))
}

fn crypt(
    work: &Work,
    key: &CipherKey,
    reply: &mut Reply,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    match checkpoint {
        // An AEAD's message is sent in one piece, and is short.
        Some(checkpoint) if !key.cipher().facts().aead => {
            if work.tag.size() > 0 || work.tag_target.size() > 0 || work.aad.size() > 0 {
                return Err(Status::TagSize);
            }
            let iv = &mut [0; IV_MAX];
            let iv = copied(work.iv, iv).ok_or(Status::IvSize)?;
            Ok(key.apply(iv, work.text()?, Some(checkpoint.slicer()))?)
        }
        _ if matches!(work.operation, Operation::Encrypt(_)) => cipher::encrypt(work, key, reply),
        _ => cipher::decrypt(work, key),
    }
}

/// Hashes the bytes before the source, then the source; the state is a handle.
fn update(
    work: &Work,
    hash: Hash,
    key: Option<&MacKey>,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let Target::Memory(next) = work.target else { return Err(Status::Argument) };
    if next.overlaps(work.source) || next.overlaps(work.iv) {
        return Err(Status::Overlap);
    }
    let (handle, mut new) = (&mut [0; KERNEL_HANDLE_BYTES], [0; KERNEL_HANDLE_BYTES]);
    let handle = copied(work.aad, handle).ok_or(Status::State)?;
    let new = new.get_mut(..next.size()).ok_or(Status::OutputSize)?;
    let pieces = [work.iv.read(), work.source.read()];
    let (table, slicer) = (table(work)?, slicer(&mut checkpoint));
    match key {
        None => {
            let hash = (LinuxEngine::from(work.engine), hash);
            table.update(hash, &seed_only(work)?, handle, pieces, new, slicer)?;
        }
        Some(key) => table.mac_update(key, handle, pieces, new, slicer)?,
    }
    next.write(new);
    Ok(())
}

fn finish(work: &Work, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
    let (table, hash) = (table(work)?, (LinuxEngine::from(work.engine), hash));
    let (handle, rest) = (work.aad.read(), work.source.read());
    let params = seed_only(work)?;
    work.digest_to(reply, |target| table.finish(hash, &params, handle, rest, target))
}

fn mac_finish(work: &Work, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
    let (table, key) = (table(work)?, work.mac_key(hash)?);
    let (handle, rest) = (work.aad.read(), work.source.read());
    work.digest_to(reply, |target| table.mac_finish(key, handle, rest, target))
}

fn table(work: &Work) -> Result<&KernelHashTable, Status> {
    work.kernel_hashes.as_deref().ok_or(Status::Internal)
}

/// Returns the parameters of a hash without key; the engine refuses a seed.
///
/// # Errors
/// [`Status::Unavailable`] with a key or other parameters.
fn seed_only(work: &Work) -> Result<Params<'static>, Status> {
    match work.key {
        Key::Bytes(bytes) if bytes.size() == 0 => Ok(Params { seed: work.seed, ..Params::NONE }),
        _ => Err(NO_KERNEL_KEYED_HASH.into()),
    }
}
