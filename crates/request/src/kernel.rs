//! Runs work with the kernel engine: during its call or on one worker, in slices, but neither
//! batched nor in parts.

use crate::batch;
use crate::checkpoint::{JobCheckpoint, slicer};
use crate::cipher;
use crate::engine::{KernelHashTable, NO_KERNEL_KEYED_HASH};
use crate::operands::copied;
use crate::protocol::KERNEL_HANDLE_BYTES;
use crate::work::{Key, Operation, Reply, Status, Target, Work};
use millrace_core::catalog::Hash;
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::many;
use millrace_linux::{HashKind, LinuxEngine};

const NO_DERIVATION: Error =
    Error::Unavailable("kernel: does not support key derivation: use another engine");
const NO_PUBLIC_KEYS: Error =
    Error::Unavailable("the kernel engine has no public keys: use the native engine");
const NO_PARTS: Error =
    Error::Unavailable("kernel: does not hash parts of a message: use another engine");
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
    let engine = LinuxEngine::from(work.engine);
    match work.operation {
        Operation::Hash(hash) => digest(work, hash, reply, checkpoint),
        Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
            work.with_key(cipher, |key| match work.operation {
                Operation::Encrypt(_) => cipher::encrypt(work, key, reply, slicer(&mut checkpoint)),
                _ => cipher::decrypt(work, key, slicer(&mut checkpoint)),
            })
        }
        Operation::Update(hash) => {
            update(work, HashKind::Hash(engine, hash, &seed_only(work)?), checkpoint)
        }
        Operation::MacUpdate(hash) => update(work, HashKind::Mac(work.mac_key(hash)?), checkpoint),
        Operation::Finish(hash) => {
            finish(work, HashKind::Hash(engine, hash, &seed_only(work)?), reply)
        }
        Operation::MacFinish(hash) => finish(work, HashKind::Mac(work.mac_key(hash)?), reply),
        Operation::HashMany(hash) => {
            let params = seed_only(work)?;
            batch::each_batch(work, |sources, size, each| {
                many::one_by_one(sources, size, slicer(&mut checkpoint), each, |source, target| {
                    engine.digest(hash, &params, source, target, None)
                })
            })
        }
        Operation::Squeeze(_) => Err(NO_SQUEEZE.into()),
        Operation::HashPart(_) | Operation::JoinParts(_) => Err(NO_PARTS.into()),
        Operation::Derive => Err(NO_DERIVATION.into()),
        Operation::PublicKey => Err(NO_PUBLIC_KEYS.into()),
        // JavaScript prepares a key for the kernel instead; only the command hashes files, with the
        // native engine; `execute` runs the rest under keys of any engine.
        Operation::Hmac(_)
        | Operation::HmacMany(_)
        | Operation::MacBegin(_)
        | Operation::CipherUpdate(_)
        | Operation::SealChunks(_)
        | Operation::OpenChunks(_)
        | Operation::HashFile(_)
        | Operation::HashFiles(_) => Err(Status::Argument),
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

/// Hashes the bytes before the source, then the source; the state is a handle.
fn update(
    work: &Work,
    kind: HashKind<'_>,
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
    table(work)?.update(kind, handle, pieces, new, slicer(&mut checkpoint))?;
    next.write(new);
    Ok(())
}

fn finish(work: &Work, kind: HashKind<'_>, reply: &mut Reply) -> Result<(), Status> {
    let (table, handle, rest) = (table(work)?, work.aad.read(), work.source.read());
    work.digest_to(reply, |target| table.finish(kind, handle, rest, target))
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
