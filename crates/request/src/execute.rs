//! Dispatches work to the core.

use crate::batch;
use crate::checkpoint::JobCheckpoint;
use crate::cipher;
#[cfg(not(target_os = "linux"))]
use crate::engine::NO_KERNEL;
use crate::files;
use crate::hash_state;
use crate::kdf;
#[cfg(target_os = "linux")]
use crate::kernel;
use crate::parts;
use crate::protocol::EngineNumber;
use crate::public_keys;
use crate::running_cipher;
use crate::work::{Key, Operation, Reply, Status, Work};
use millrace_core::catalog::Hash;
use millrace_core::hash;
use millrace_core::hmac;
use millrace_core::key_memory::keeping;
use millrace_core::stack;

/// Computes the result into `target`, `tag_target` and `reply`; with a checkpoint in slices.
pub fn run(work: &Work, reply: &mut Reply, checkpoint: Option<&mut JobCheckpoint<'_>>) -> Status {
    let result = match work.operation {
        #[cfg(not(target_os = "linux"))]
        _ if work.engine != EngineNumber::Native => Err(NO_KERNEL.into()),
        // Under keys of any engine.
        Operation::Hmac(hash) => hmac_one(work, hash, reply, checkpoint),
        Operation::HmacMany(hash) => stack::wiped(|| batch::hmac_many(work, hash, checkpoint)),
        Operation::SealChunks(cipher) | Operation::OpenChunks(cipher) => {
            cipher::run_chunks(work, cipher, checkpoint)
        }
        #[cfg(target_os = "linux")]
        _ if work.engine != EngineNumber::Native => kernel::run(work, reply, checkpoint),
        Operation::Hash(hash) => hash_one(work, hash, reply, checkpoint),
        Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
            work.with_key(cipher, |key| cipher::run(work, key, reply, checkpoint))
        }
        Operation::Update(hash) => hash_state::update(work, hash, checkpoint),
        Operation::Finish(hash) => hash_state::finish(work, hash, reply),
        Operation::Squeeze(hash) => hash_state::squeeze(work, hash),
        Operation::MacBegin(hash) => hash_state::mac_begin(work, hash),
        Operation::MacUpdate(hash) => hash_state::mac_update(work, hash, checkpoint),
        Operation::MacFinish(hash) => hash_state::mac_finish(work, hash, reply),
        Operation::HashMany(hash) if work.keyed() => {
            stack::wiped(|| batch::hash_many(work, hash, checkpoint))
        }
        Operation::HashMany(hash) => batch::hash_many(work, hash, checkpoint),
        Operation::HashFile(hash) => files::hash_file(work, hash, reply, checkpoint),
        Operation::HashFiles(hash) => files::hash_files(work, hash, checkpoint),
        Operation::HashPart(_) => parts::hash_part(work, reply, checkpoint),
        Operation::JoinParts(hash) => parts::join_parts(work, hash, reply, checkpoint),
        Operation::CipherUpdate(cipher) => running_cipher::update(work, cipher, checkpoint),
        Operation::PublicKey => {
            stack::wiped(|| keeping(|| public_keys::run(work, reply, checkpoint)))
        }
        Operation::Derive => stack::wiped(|| kdf::derive(work, reply, checkpoint)),
    };
    result.err().unwrap_or(Status::Done)
}

fn hash_one(
    work: &Work,
    hash: Hash,
    reply: &mut Reply,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let source = work.source.read();
    work.with_params(hash, |params| {
        work.digest_to(reply, |target| {
            hash::digest(hash, params, source, target, checkpoint.map(JobCheckpoint::slicer))
        })
    })
}

fn hmac_one(
    work: &Work,
    hash: Hash,
    reply: &mut Reply,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let source = work.source.read();
    if let (Key::Bytes(key), None, EngineNumber::Native) = (&work.key, &checkpoint, work.engine) {
        return work.digest_to(reply, |target| hmac::hmac(hash, key.read(), source, target));
    }
    work.with_mac_key(hash, |key| {
        work.digest_to(reply, |target| {
            key.mac(source, target, checkpoint.map(JobCheckpoint::slicer))
        })
    })
}
