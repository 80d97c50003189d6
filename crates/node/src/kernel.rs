//! Work that the kernel does, for who has asked for that engine; and what JavaScript can ask about
//! it.
//!
//! It runs like all other work, during its call or by one worker, in slices; but never batched
//! nor in parts.

use crate::calls::Call;
use crate::checkpoint::JobCheckpoint;
use crate::protocol::{EngineNumber, KERNEL_HANDLE_BYTES};
use crate::values::Value;
use crate::work::{IV_MAX, Key, Operation, Reply, Status, Target, Work, copied};
use millrace_core::catalog::Hash;
use millrace_core::cipher::CipherKey;
use millrace_core::engines::{self, Provider};
use millrace_core::error::Error;
use millrace_core::hash::{self, Params};
use millrace_core::hasher::{Held, Paced};
use millrace_core::hmac::MacKey;
use millrace_core::many;

const FOREIGN_KEY: Error = Error::Unavailable(
    "the key was prepared for the native engine, which keeps it to itself: prepare it with createKey and the option engine",
);
const NO_DERIVATION: Error = Error::Unavailable("kernel: it derives no keys; take another engine");
const NO_SQUEEZE: Error =
    Error::Unavailable("kernel: there is no extendable output in it; take another engine");
pub(crate) const NO_KEYED_HASH: Error =
    Error::Unavailable("kernel: there is no keyed hash in it; take another engine");

const _: () = {
    assert!(Held::TICKET == KERNEL_HANDLE_BYTES);
    assert!(Provider::Native as u32 == EngineNumber::Native as u32);
    assert!(Provider::Kernel as u32 == EngineNumber::Kernel as u32);
    assert!(Provider::AfAlg as u32 == EngineNumber::AfAlg as u32);
    assert!(Provider::Cryptodev as u32 == EngineNumber::Cryptodev as u32);
};

/// Who computes: the engine asked for, or that of a prepared key, which decides for itself.
pub(crate) fn engine(asked: Provider, key: &Key) -> Result<Provider, Status> {
    match key {
        Key::Prepared(key) if key.of_kernel() => {
            Ok(if asked == Provider::Native { Provider::Kernel } else { asked })
        }
        Key::Prepared(_) if asked != Provider::Native => Err(FOREIGN_KEY.into()),
        _ => Ok(asked),
    }
}

impl Work {
    /// As [`Work::run`].
    #[cold]
    pub(crate) fn run_by_kernel(
        &self,
        reply: &mut Reply,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Status {
        let result = match self.operation {
            Operation::Hash(hash) => self.hash_by_kernel(hash, reply, checkpoint),
            Operation::Hmac(hash) => self.hmac_by_kernel(hash, reply, checkpoint),
            Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
                self.with_key(cipher, |key| self.cipher_by_kernel(key, reply, checkpoint))
            }
            Operation::Update(hash) => {
                self.held(|held| self.move_held(held, hash, None, checkpoint))
            }
            Operation::MacUpdate(hash) => {
                self.held(|held| self.move_held(held, hash, Some(self.mac_key(hash)?), checkpoint))
            }
            Operation::Finish(hash) => self.held(|held| self.finish_held(held, hash, reply)),
            Operation::MacFinish(hash) => self.held(|held| self.finish_held_mac(held, hash, reply)),
            Operation::HashMany(hash) => self.each_batch(|sources, size, each| {
                many::digests_by(
                    self.engine,
                    hash,
                    &self.seed_only(),
                    sources,
                    size,
                    paced(&mut checkpoint),
                    each,
                )
            }),
            Operation::HmacMany(hash) => self.hmac_many(hash, checkpoint),
            Operation::SealChunks(cipher) => self.seal_chunks(cipher, checkpoint),
            Operation::OpenChunks(cipher) => self.open_chunks(cipher, checkpoint),
            Operation::Squeeze(_) => Err(NO_SQUEEZE.into()),
            // The front prepares keys for the kernel instead.
            Operation::MacBegin(_) => Err(Status::Argument),
            Operation::Derive => Err(NO_DERIVATION.into()),
            // The command's own, which asks for no engine.
            Operation::HashFile(_) | Operation::HashFiles(_) => Err(Status::Argument),
        };
        result.err().unwrap_or(Status::Done)
    }

    fn hash_by_kernel(
        &self,
        hash: Hash,
        reply: &mut Reply,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        if self.hash_key(hash)?.is_some() {
            return Err(NO_KEYED_HASH.into());
        }
        let source = self.source.read();
        self.digest_to(reply, |target| {
            hash::digest_by(
                self.engine,
                hash,
                &self.seed_only(),
                source,
                target,
                paced(&mut checkpoint),
            )
        })
    }

    fn hmac_by_kernel(
        &self,
        hash: Hash,
        reply: &mut Reply,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let prepared;
        let key = match &self.key {
            Key::Bytes(key) => {
                prepared = MacKey::by(self.engine, hash, key.read())?;
                &prepared
            }
            Key::Prepared(_) => self.mac_key(hash)?,
        };
        let source = self.source.read();
        self.digest_to(reply, |target| match checkpoint {
            None => key.mac(source, target),
            Some(checkpoint) => key.mac_paced(source, target, checkpoint.slice, checkpoint),
        })
    }

    fn cipher_by_kernel(
        &self,
        key: &CipherKey,
        reply: &mut Reply,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        match checkpoint {
            // An AEAD's message goes through in one piece, which is not long.
            Some(checkpoint) if !key.cipher().facts().aead => {
                if self.tag.size() > 0 || self.tag_target.size() > 0 || self.aad.size() > 0 {
                    return Err(Status::TagSize);
                }
                let iv = &mut [0; IV_MAX];
                let iv = copied(self.iv, iv).ok_or(Status::IvSize)?;
                Ok(key.apply_paced(iv, self.text()?, checkpoint.slice, checkpoint)?)
            }
            _ if matches!(self.operation, Operation::Encrypt(_)) => self.encrypt(key, reply),
            _ => self.decrypt(key),
        }
    }

    /// Takes in what comes before the source, then the source; the state is a ticket.
    fn move_held(
        &self,
        held: &Held,
        hash: Hash,
        key: Option<&MacKey>,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let Target::Memory(next) = self.target else { return Err(Status::Argument) };
        if next.overlaps(self.source) || next.overlaps(self.iv) {
            return Err(Status::Overlap);
        }
        let (ticket, mut new) = (&mut [0; Held::TICKET], [0; Held::TICKET]);
        let ticket = copied(self.aad, ticket).ok_or(Status::State)?;
        let new = new.get_mut(..next.size()).ok_or(Status::OutputSize)?;
        let pieces = [self.iv.read(), self.source.read()];
        match key {
            None => {
                let of = (self.engine, hash);
                held.update(of, &self.seed_only(), ticket, pieces, new, paced(&mut checkpoint))?;
            }
            Some(key) => held.mac_update(key, ticket, pieces, new, paced(&mut checkpoint))?,
        }
        next.write(new);
        Ok(())
    }

    fn finish_held(&self, held: &Held, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
        let (ticket, rest) = (self.aad.read(), self.source.read());
        self.digest_to(reply, |target| {
            held.finish((self.engine, hash), &self.seed_only(), ticket, rest, target)
        })
    }

    fn finish_held_mac(&self, held: &Held, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
        let key = self.mac_key(hash)?;
        let (ticket, rest) = (self.aad.read(), self.source.read());
        self.digest_to(reply, |target| held.mac_finish(key, ticket, rest, target))
    }

    fn held(&self, work: impl FnOnce(&Held) -> Result<(), Status>) -> Result<(), Status> {
        work(self.held.as_deref().ok_or(Status::Internal)?)
    }

    /// A seed is handed on to be refused.
    fn seed_only(&self) -> Params<'static> {
        Params { seed: self.seed, key: None }
    }
}

/// How the core is told whom to ask.
fn paced<'a>(checkpoint: &'a mut Option<&mut JobCheckpoint<'_>>) -> Paced<'a> {
    match checkpoint {
        Some(checkpoint) => Some((checkpoint.slice, &mut **checkpoint)),
        None => None,
    }
}

/// `forkState(ticket, next)`: a copy of a running hash that the kernel keeps, with a ticket of its
/// own. Returns a [`Status`].
pub(crate) fn fork_state(call: &Call<'_>) -> Value {
    let done = (|| {
        let (ticket, next) = call.bytes(0).zip(call.bytes(1)).ok_or(Status::Argument)?;
        let mut place = [0; Held::TICKET];
        let place = place.get_mut(..next.size()).ok_or(Status::OutputSize)?;
        call.state.held.fork(ticket.read(), place)?;
        next.write(place);
        Ok(())
    })();
    call.env.number(call.state.number_of(done))
}

/// `dropState(ticket)`: closes a running hash that the kernel keeps; 1, or 0 if it was closed
/// already.
pub(crate) fn drop_state(call: &Call<'_>) -> Value {
    let dropped = call.bytes(0).is_some_and(|ticket| call.state.held.close(ticket.read()));
    call.env.number(u32::from(dropped))
}

/// `kernelReport(probe)`: what the kernel serves, as JSON; with 1 it is asked now.
pub(crate) fn report(call: &Call<'_>) -> Value {
    call.env.utf8(&engines::kernel_report(call.uint32(0) == Some(1)))
}

/// `lastReason()`: why an engine was not available to the last call of this environment that says
/// so.
pub(crate) fn last_reason(call: &Call<'_>) -> Value {
    call.env.utf8(call.state.last_reason())
}
