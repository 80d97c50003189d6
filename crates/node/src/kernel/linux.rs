//! The kernel engine on Linux: the crate `millrace-linux`.

use crate::calls::Call;
use crate::checkpoint::{JobCheckpoint, slicer};
use crate::protocol::{EngineNumber, KERNEL_HANDLE_BYTES};
use crate::values::Value;
use crate::work::{IV_MAX, Key, Operation, Reply, Status, Target, Work, copied};
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::CipherKey;
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::hmac::MacKey;
use millrace_core::many;
use millrace_linux::LinuxEngine;

pub(crate) use millrace_linux::KernelHashTable;

use super::NO_KEYED_HASH;

const NO_DERIVATION: Error =
    Error::Unavailable("kernel: does not support key derivation: use another engine");
const NO_SQUEEZE: Error =
    Error::Unavailable("kernel: does not support extendable output: use another engine");

const _: () = assert!(KernelHashTable::HANDLE_BYTES == KERNEL_HANDLE_BYTES);

fn linux_engine(engine: EngineNumber) -> LinuxEngine {
    match engine {
        EngineNumber::AfAlg => LinuxEngine::AfAlg,
        EngineNumber::Cryptodev => LinuxEngine::Cryptodev,
        EngineNumber::Kernel | EngineNumber::Native => LinuxEngine::Kernel,
    }
}

pub(super) fn cipher_key(
    engine: EngineNumber,
    cipher: Cipher,
    key: &[u8],
) -> Result<CipherKey, Error> {
    linux_engine(engine).cipher_key(cipher, key)
}

pub(super) fn mac_key(engine: EngineNumber, hash: Hash, key: &[u8]) -> Result<MacKey, Error> {
    linux_engine(engine).mac_key(hash, key)
}

impl Work {
    /// As [`Work::run`], with the kernel engine.
    #[cold]
    pub(crate) fn run_kernel_engine(
        &self,
        reply: &mut Reply,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Status {
        let result = match self.operation {
            Operation::Hash(hash) => self.kernel_hash(hash, reply, checkpoint),
            Operation::Hmac(hash) => self.kernel_hmac(hash, reply, checkpoint),
            Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
                self.with_key(cipher, |key| self.kernel_cipher(key, reply, checkpoint))
            }
            Operation::Update(hash) => self.kernel_update(hash, None, checkpoint),
            Operation::MacUpdate(hash) => {
                self.mac_key(hash).and_then(|key| self.kernel_update(hash, Some(key), checkpoint))
            }
            Operation::Finish(hash) => self.kernel_finish(hash, reply),
            Operation::MacFinish(hash) => self.kernel_mac_finish(hash, reply),
            Operation::HashMany(hash) => self.each_batch(|sources, size, each| {
                let (engine, params) = (linux_engine(self.engine), self.seed_only());
                many::one_by_one(sources, size, slicer(&mut checkpoint), each, |source, target| {
                    engine.digest(hash, &params, source, target, None)
                })
            }),
            Operation::HmacMany(hash) => self.hmac_many(hash, checkpoint),
            Operation::SealChunks(cipher) => self.seal_chunks(cipher, checkpoint),
            Operation::OpenChunks(cipher) => self.open_chunks(cipher, checkpoint),
            Operation::Squeeze(_) => Err(NO_SQUEEZE.into()),
            // JavaScript prepares a key for the kernel instead.
            Operation::MacBegin(_) => Err(Status::Argument),
            Operation::Derive => Err(NO_DERIVATION.into()),
            // Only the command hashes files, with the native engine.
            Operation::HashFile(_) | Operation::HashFiles(_) => Err(Status::Argument),
        };
        result.err().unwrap_or(Status::Done)
    }

    fn kernel_hash(
        &self,
        hash: Hash,
        reply: &mut Reply,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        if self.hash_key(hash)?.is_some() {
            return Err(NO_KEYED_HASH.into());
        }
        let (engine, source) = (linux_engine(self.engine), self.source.read());
        self.digest_to(reply, |target| {
            engine.digest(hash, &self.seed_only(), source, target, slicer(&mut checkpoint))
        })
    }

    fn kernel_hmac(
        &self,
        hash: Hash,
        reply: &mut Reply,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let prepared;
        let key = match &self.key {
            Key::Bytes(key) => {
                prepared = mac_key(self.engine, hash, key.read())?;
                &prepared
            }
            Key::Prepared(_) => self.mac_key(hash)?,
        };
        let source = self.source.read();
        self.digest_to(reply, |target| {
            key.mac(source, target, checkpoint.map(JobCheckpoint::slicer))
        })
    }

    fn kernel_cipher(
        &self,
        key: &CipherKey,
        reply: &mut Reply,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        match checkpoint {
            // An AEAD's message is sent in one piece, and is short.
            Some(checkpoint) if !key.cipher().facts().aead => {
                if self.tag.size() > 0 || self.tag_target.size() > 0 || self.aad.size() > 0 {
                    return Err(Status::TagSize);
                }
                let iv = &mut [0; IV_MAX];
                let iv = copied(self.iv, iv).ok_or(Status::IvSize)?;
                Ok(key.apply(iv, self.text()?, Some(checkpoint.slicer()))?)
            }
            _ if matches!(self.operation, Operation::Encrypt(_)) => self.encrypt(key, reply),
            _ => self.decrypt(key),
        }
    }

    /// Hashes the bytes before the source, then the source; the state is a handle.
    fn kernel_update(
        &self,
        hash: Hash,
        key: Option<&MacKey>,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let Target::Memory(next) = self.target else { return Err(Status::Argument) };
        if next.overlaps(self.source) || next.overlaps(self.iv) {
            return Err(Status::Overlap);
        }
        let (handle, mut new) = (&mut [0; KERNEL_HANDLE_BYTES], [0; KERNEL_HANDLE_BYTES]);
        let handle = copied(self.aad, handle).ok_or(Status::State)?;
        let new = new.get_mut(..next.size()).ok_or(Status::OutputSize)?;
        let pieces = [self.iv.read(), self.source.read()];
        let (table, slicer) = (self.kernel_hashes()?, slicer(&mut checkpoint));
        match key {
            None => {
                let hash = (linux_engine(self.engine), hash);
                table.update(hash, &self.seed_only(), handle, pieces, new, slicer)?;
            }
            Some(key) => table.mac_update(key, handle, pieces, new, slicer)?,
        }
        next.write(new);
        Ok(())
    }

    fn kernel_finish(&self, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
        let (table, hash) = (self.kernel_hashes()?, (linux_engine(self.engine), hash));
        let (handle, rest) = (self.aad.read(), self.source.read());
        self.digest_to(reply, |target| table.finish(hash, &self.seed_only(), handle, rest, target))
    }

    fn kernel_mac_finish(&self, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
        let (table, key) = (self.kernel_hashes()?, self.mac_key(hash)?);
        let (handle, rest) = (self.aad.read(), self.source.read());
        self.digest_to(reply, |target| table.mac_finish(key, handle, rest, target))
    }

    fn kernel_hashes(&self) -> Result<&KernelHashTable, Status> {
        self.kernel_hashes.as_deref().ok_or(Status::Internal)
    }

    /// The engine refuses a seed that it is given.
    fn seed_only(&self) -> Params<'static> {
        Params { seed: self.seed, key: None }
    }
}

/// `forkState(handle, next)`: copies a running hash that is in the kernel, and writes the copy's
/// handle to `next`. Returns a [`Status`].
pub(crate) fn fork_state(call: &Call<'_>) -> Value {
    let done = (|| {
        let (handle, next) = call.bytes(0).zip(call.bytes(1)).ok_or(Status::Argument)?;
        let mut new = [0; KERNEL_HANDLE_BYTES];
        let new = new.get_mut(..next.size()).ok_or(Status::OutputSize)?;
        call.state.kernel_hashes.copy(handle.read(), new)?;
        next.write(new);
        Ok(())
    })();
    call.env.number(call.state.number_of(done))
}

/// `dropState(handle)`: closes a running hash that is in the kernel. Returns 1, or 0 if it was
/// closed already.
pub(crate) fn drop_state(call: &Call<'_>) -> Value {
    let closed = call.bytes(0).is_some_and(|handle| call.state.kernel_hashes.close(handle.read()));
    call.env.number(u32::from(closed))
}

/// `kernelReport(probe)`: what the kernel supports, as JSON; with 1 the kernel is asked first.
pub(crate) fn report(call: &Call<'_>) -> Value {
    call.env.utf8(&millrace_linux::report(call.uint32(0) == Some(1)))
}
