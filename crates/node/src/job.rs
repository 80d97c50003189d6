//! One operation with all its inputs. The same [`Work`] runs on the caller's thread (synchronous,
//! everything a window) and on a worker (asynchronous, owned as `bytes` demands).

use crate::bytes::{Secret, Window, text};
use crate::completion::{Completion, Settled, Ticket};
use crate::keys::PreparedKey;
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::error::Error;
use millrace_core::hash::{self, Params};
use millrace_core::hmac;
use millrace_pool::Task;
use std::sync::Arc;

/// How a job ended; the numbers are those of `src/binding.ts`.
#[repr(u8)]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Done = 0,
    KeySize = 1,
    IvSize = 2,
    TagSize = 3,
    OutputSize = 4,
    SourceTooLarge = 5,
    AadTooLarge = 6,
    Authentication = 7,
    NotSupported = 8,
    Engine = 9,
    /// An argument is not a typed array, or a range does not fit: the front missed something.
    Argument = 10,
    /// The tag's range and the target's overlap.
    Overlap = 11,
    KeyDisposed = 12,
    /// The prepared key belongs to another algorithm.
    KeyAlgorithm = 13,
    Cancelled = 14,
    /// A bug of ours: the job panicked.
    Internal = 15,
}

impl From<Error> for Status {
    fn from(error: Error) -> Status {
        match error {
            Error::KeySize => Status::KeySize,
            Error::IvSize => Status::IvSize,
            Error::TagSize => Status::TagSize,
            Error::OutputSize => Status::OutputSize,
            Error::SourceTooLarge => Status::SourceTooLarge,
            Error::AadTooLarge => Status::AadTooLarge,
            Error::Authentication => Status::Authentication,
            Error::NotSupported => Status::NotSupported,
            Error::Engine => Status::Engine,
        }
    }
}

/// What is computed.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    Hash(Hash),
    Hmac(Hash),
    Encrypt(Cipher),
    Decrypt(Cipher),
}

/// A key, iv, aad or tag to be read.
pub(crate) enum Input {
    Lent(Window),
    Copied(Secret),
}

impl Input {
    pub(crate) fn read(&self) -> &[u8] {
        match self {
            Input::Lent(window) => window.read(),
            Input::Copied(secret) => secret.read(),
        }
    }
}

pub(crate) enum Key {
    Bytes(Input),
    Prepared(Arc<PreparedKey>),
}

pub(crate) enum Source {
    Lent(Window),
    /// A copy made at the call; a cipher works in place in it and sends it back as the result.
    Copied(Vec<u8>),
}

/// Where a result goes: into memory, or back with the completion.
#[derive(Copy, Clone)]
pub(crate) enum Target {
    Memory(Window),
    Reply(usize),
}

/// Results that travel with the completion: a digest or tag, and the text of a small friendly cipher.
pub(crate) struct Reply {
    pub(crate) small: [u8; 64],
    pub(crate) small_size: usize,
    pub(crate) large: Vec<u8>,
}

impl Reply {
    pub(crate) fn empty() -> Reply {
        Reply { small: [0; 64], small_size: 0, large: Vec::new() }
    }
}

pub(crate) struct Work {
    pub(crate) operation: Operation,
    pub(crate) key: Key,
    pub(crate) iv: Input,
    pub(crate) aad: Input,
    /// The tag that `Decrypt` checks; empty for a stream cipher.
    pub(crate) tag: Input,
    /// Where `Encrypt` writes its tag; the place's size is the tag's.
    pub(crate) tag_target: Target,
    pub(crate) seed: u64,
    pub(crate) source: Source,
    pub(crate) target: Target,
}

/// AEAD tags are at most this long.
const TAG_MAX: usize = 16;

impl Work {
    /// Computes the result into `target`, `tag_target` and `reply`.
    pub(crate) fn run(&mut self, reply: &mut Reply) -> Status {
        let result = match self.operation {
            Operation::Hash(hash) => self.hash(hash, reply),
            Operation::Hmac(hash) => self.hmac(hash, reply),
            Operation::Encrypt(cipher) => self.with_key(cipher, |work, key| work.encrypt(key, reply)),
            Operation::Decrypt(cipher) => self.with_key(cipher, |work, key| work.decrypt(key, reply)),
        };
        result.err().unwrap_or(Status::Done)
    }

    fn hash(&mut self, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
        let key: Option<&[u8]> = match &self.key {
            Key::Prepared(key) => match &**key {
                PreparedKey::Hash(of, bytes) if *of == hash => Some(&bytes[..]),
                _ => return Err(Status::KeyAlgorithm),
            },
            Key::Bytes(input) => Some(input.read()).filter(|bytes| !bytes.is_empty()),
        };
        // Copied, because the key may lie in the target.
        let key: Option<[u8; 32]> = key.map(|bytes| bytes.try_into().map_err(|_| Status::KeySize)).transpose()?;
        let params = Params { seed: self.seed, key: key.as_ref() };
        let source = self.source.read();
        self.digest_to(reply, |target| hash::digest(hash, &params, source, target))
    }

    fn hmac(&mut self, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
        let source = self.source.read();
        match &self.key {
            Key::Bytes(key) => self.digest_to(reply, |target| hmac::hmac(hash, key.read(), source, target)),
            Key::Prepared(key) => match &**key {
                PreparedKey::Mac(key) if key.hash() == hash => self.digest_to(reply, |target| key.mac(source, target)),
                _ => Err(Status::KeyAlgorithm),
            },
        }
    }

    /// Runs `compute` over memory that neither source nor key overlap, then puts the digest in its place.
    fn digest_to(&self, reply: &mut Reply, compute: impl FnOnce(&mut [u8]) -> Result<(), Error>) -> Result<(), Status> {
        match self.target {
            Target::Memory(target) if target.size() <= 64 => {
                let mut digest = [0; 64];
                let digest = &mut digest[..target.size()];
                compute(digest)?;
                target.write(digest);
            }
            Target::Memory(target) if self.source.overlaps(target) => {
                let mut digest = vec![0; target.size()];
                compute(&mut digest)?;
                target.write(&digest);
            }
            Target::Memory(target) => compute(target.exclusive())?,
            Target::Reply(size) if size <= reply.small.len() => {
                compute(&mut reply.small[..size])?;
                reply.small_size = size;
            }
            Target::Reply(size) => {
                reply.large = vec![0; size];
                compute(&mut reply.large)?;
            }
        }
        Ok(())
    }

    /// Gives the prepared key, or one prepared now, to `work`.
    fn with_key(
        &mut self,
        cipher: Cipher,
        work: impl FnOnce(&mut Work, &CipherKey) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let prepared = match &self.key {
            Key::Prepared(key) => Arc::clone(key),
            Key::Bytes(bytes) => {
                let key = CipherKey::new(cipher, bytes.read())?;
                return work(self, &key);
            }
        };
        match &*prepared {
            PreparedKey::Cipher(key) if key.cipher() == cipher => work(self, key),
            _ => Err(Status::KeyAlgorithm),
        }
    }

    fn encrypt(&mut self, key: &CipherKey, reply: &mut Reply) -> Result<(), Status> {
        let tag_size = match self.tag_target {
            Target::Memory(window) => window.size(),
            Target::Reply(size) => size,
        };
        let mut tag = [0; TAG_MAX];
        let tag = tag.get_mut(..tag_size).ok_or(Status::TagSize)?;
        let (iv, aad) = (self.iv.read(), self.aad.read());
        transform(&mut self.source, self.target, reply, |text| match key.cipher().facts().aead {
            true => key.seal(iv, aad, text, tag),
            false if tag.is_empty() && aad.is_empty() => key.apply(iv, text),
            false => Err(Error::TagSize),
        })?;
        match self.tag_target {
            Target::Memory(window) => window.write(tag),
            Target::Reply(size) => {
                reply.small[..size].copy_from_slice(tag);
                reply.small_size = size;
            }
        }
        Ok(())
    }

    fn decrypt(&mut self, key: &CipherKey, reply: &mut Reply) -> Result<(), Status> {
        let (iv, aad) = (self.iv.read(), self.aad.read());
        // The tag is copied before the text moves: the target may lie over it.
        let (mut tag, given) = ([0; TAG_MAX], self.tag.read());
        let tag = tag.get_mut(..given.len()).ok_or(Status::TagSize)?;
        tag.copy_from_slice(given);
        transform(&mut self.source, self.target, reply, |text| match key.cipher().facts().aead {
            true => key.open(iv, aad, text, tag),
            false if tag.is_empty() && aad.is_empty() => key.apply(iv, text),
            false => Err(Error::TagSize),
        })
    }
}

/// Runs the cipher from source to target, or in place in our own copy, which then is the result.
fn transform(
    source: &mut Source,
    target: Target,
    reply: &mut Reply,
    cipher: impl FnOnce(Text<'_>) -> Result<(), Error>,
) -> Result<(), Status> {
    match (source, target) {
        (Source::Copied(bytes), Target::Reply(_)) => {
            cipher(Text::InPlace(bytes))?;
            reply.large = std::mem::take(bytes);
        }
        (Source::Lent(source), Target::Memory(target)) if source.size() == target.size() => {
            cipher(text(*source, target))?;
        }
        _ => return Err(Status::Argument),
    }
    Ok(())
}

impl Source {
    pub(crate) fn read(&self) -> &[u8] {
        match self {
            Source::Lent(window) => window.read(),
            Source::Copied(bytes) => bytes,
        }
    }

    fn overlaps(&self, target: Window) -> bool {
        matches!(self, Source::Lent(window) if window.overlaps(target))
    }
}

/// Work on its way through the pool. However it ends, its slot is settled exactly once:
/// by `run`, or by the destructor if the work panicked.
pub(crate) struct Job {
    pub(crate) slot: u32,
    pub(crate) work: Work,
    pub(crate) completion: Arc<Completion>,
    pub(crate) ticket: Option<Arc<Ticket>>,
}

impl Task for Box<Job> {
    fn run(mut self) {
        // No pass: the environment has ended, its memory may be gone; nobody waits for the result.
        let Some(_pass) = self.completion.enter() else { return };
        let mut outcome = Outcome { completion: &self.completion, slot: self.slot, status: Status::Internal, reply: Reply::empty() };
        outcome.status = match &self.ticket {
            Some(ticket) if !ticket.start() => Status::Cancelled,
            _ => self.work.run(&mut outcome.reply),
        };
    }
}

/// Settles the slot when it goes out of scope, also on the way out of a panic.
struct Outcome<'a> {
    completion: &'a Completion,
    slot: u32,
    status: Status,
    reply: Reply,
}

impl Drop for Outcome<'_> {
    fn drop(&mut self) {
        // A failed work has put nothing into its reply; see `Work::run`.
        let reply = std::mem::replace(&mut self.reply, Reply::empty());
        self.completion.settle(Settled { slot: self.slot, status: self.status, reply });
    }
}
