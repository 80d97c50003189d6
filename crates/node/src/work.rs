//! One operation with all its inputs, over windows. It runs here and now (synchronous, everything
//! the caller's memory) or within a job (asynchronous, owned as `bytes` demands).

use crate::batch::Messages;
use crate::bytes::{Window, text, wipe};
use crate::checkpoint::JobCheckpoint;
use crate::kdf::{Derivation, ProgressCounter};
use crate::kernel::{self, KernelHashTable};
use crate::keys::PreparedKey;
use crate::parallel;
use crate::protocol::EngineNumber;
pub(crate) use crate::protocol::Status;
use millrace_core::allocate::try_zeroed;
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{self, CipherKey, Text};
use millrace_core::error::Error;
use millrace_core::hash::{self, Params};
use millrace_core::hmac::{self, MacKey};
use millrace_core::stack;
use std::sync::Arc;

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
            Error::State => Status::State,
            Error::SaltSize => Status::SaltSize,
            Error::Cost => Status::Cost,
            // Limits are looked at before: there is not so much.
            Error::Memory { .. } => Status::Memory,
            Error::Encoded => Status::Encoded,
            Error::Work => Status::Work,
            Error::Parts | Error::Engine => Status::Engine,
            Error::Cancelled => Status::Cancelled,
            Error::Unavailable(reason) => Status::Unavailable(reason),
            Error::TooLarge(reason) => Status::TooLarge(reason),
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
    /// The state of a running hash moves on; see `running`.
    Update(Hash),
    Finish(Hash),
    Squeeze(Hash),
    /// The states of an HMAC's key, from the key in the source; synchronous only.
    MacBegin(Hash),
    MacUpdate(Hash),
    MacFinish(Hash),
    /// Many messages; see `batch`.
    HashMany(Hash),
    HmacMany(Hash),
    /// A message in a file, and many; see `files`.
    HashFile(Hash),
    HashFiles(Hash),
    /// Consecutive chunks of a message; see `chunks`.
    SealChunks(Cipher),
    OpenChunks(Cipher),
    /// A key out of a password or secret; see `kdf`.
    Derive,
}

pub(crate) enum Key {
    Bytes(Window),
    Prepared(Arc<PreparedKey>),
}

/// Where a result goes: into memory, or back with the completion.
#[derive(Copy, Clone)]
pub(crate) enum Target {
    Memory(Window),
    Reply(usize),
}

/// Results that travel with the completion: a digest or tag, and the text of a small friendly
/// cipher.
pub(crate) struct Reply {
    pub(crate) small: [u8; REPLY_SMALL_BYTES],
    pub(crate) small_size: usize,
    pub(crate) large: Vec<u8>,
}

/// The most bytes of the small part of a reply.
pub(crate) const REPLY_SMALL_BYTES: usize = 64;

impl Reply {
    pub(crate) fn empty() -> Reply {
        Reply { small: [0; REPLY_SMALL_BYTES], small_size: 0, large: Vec::new() }
    }

    /// A digest or tag.
    pub(crate) fn put(&mut self, small: &[u8]) {
        self.small[..small.len()].copy_from_slice(small);
        self.small_size = small.len();
    }
}

/// The numbers and bytes of one operation. The windows lead to the caller's memory or to the job's
/// own [`Copies`](crate::bytes::Copies); `bytes` says when each is right.
pub(crate) struct Work {
    pub(crate) operation: Operation,
    /// The engine that computes; for a prepared key, the one that prepared it.
    pub(crate) engine: EngineNumber,
    /// The running hashes of the kernel engine, if it computes.
    pub(crate) kernel_hashes: Option<Arc<KernelHashTable>>,
    pub(crate) key: Key,
    pub(crate) seed: u64,
    /// Of a running hash: what comes before the source. Of many messages: their sizes.
    pub(crate) iv: Window,
    /// Of a running hash: its state.
    pub(crate) aad: Window,
    /// The tag that `Decrypt` checks; empty for a stream cipher.
    pub(crate) tag: Window,
    /// Where `Encrypt` writes its tag, and `Squeeze` the state it leaves; the place's size is that
    /// of either.
    pub(crate) tag_target: Target,
    pub(crate) source: Window,
    /// How the source is made of many messages.
    pub(crate) messages: Messages,
    /// For a cipher `Reply` means: in place in the source, which is the job's own copy.
    pub(crate) target: Target,
    /// The target is memory made for this result, which need not have pages yet; see `pages`.
    pub(crate) fresh: bool,
    /// The target is memory that the caller, or another thread, may read while a worker writes it.
    pub(crate) lent: bool,
    /// Told how far a long derivation has come.
    pub(crate) progress: Option<Arc<ProgressCounter>>,
    /// What is derived.
    pub(crate) derivation: Derivation,
}

impl Target {
    pub(crate) fn size(self) -> usize {
        match self {
            Target::Memory(window) => window.size(),
            Target::Reply(size) => size,
        }
    }
}

impl Work {
    /// Bytes of a key given as bytes.
    pub(crate) fn key_size(&self) -> usize {
        if let Key::Bytes(key) = self.key { key.size() } else { 0 }
    }

    /// Returns true if the work has a key or a password, which its routines may leave on the stack.
    pub(crate) fn keyed(&self) -> bool {
        matches!(self.key, Key::Prepared(_))
            || self.key_size() > 0
            || self.operation == Operation::Derive
    }

    /// The work of an idle job.
    pub(crate) fn idle() -> Work {
        const NONE: Window = Window::EMPTY;
        Work {
            operation: Operation::Hash(Hash::Sha256),
            engine: EngineNumber::Native,
            kernel_hashes: None,
            key: Key::Bytes(NONE),
            seed: 0,
            iv: NONE,
            aad: NONE,
            tag: NONE,
            tag_target: Target::Reply(0),
            source: NONE,
            messages: Messages::None,
            target: Target::Reply(0),
            fresh: false,
            lent: false,
            progress: None,
            derivation: Derivation::NONE,
        }
    }
}

/// AEAD tags are at most this long.
pub(crate) const TAG_MAX: usize = 16;

/// Ivs are at most this long (XChaCha20).
pub(crate) const IV_MAX: usize = 24;

impl Work {
    /// Computes the result into `target`, `tag_target` and `reply`; with a checkpoint in slices.
    pub(crate) fn run(
        &self,
        reply: &mut Reply,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Status {
        if self.engine != EngineNumber::Native {
            return self.run_kernel_engine(reply, checkpoint);
        }
        let result = match self.operation {
            Operation::Hash(hash) => self.hash(hash, reply, checkpoint),
            Operation::Hmac(hash) => self.hmac(hash, reply, checkpoint),
            Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
                self.with_key(cipher, |key| self.cipher(key, reply, checkpoint))
            }
            Operation::Update(hash) => self.update(hash, checkpoint),
            Operation::Finish(hash) => self.finish(hash, reply),
            Operation::Squeeze(hash) => self.squeeze(hash),
            Operation::MacBegin(hash) => self.mac_begin(hash),
            Operation::MacUpdate(hash) => self.mac_update(hash, checkpoint),
            Operation::MacFinish(hash) => self.mac_finish(hash, reply),
            Operation::HashMany(hash) if self.keyed() => {
                stack::wiped(|| self.hash_many(hash, checkpoint))
            }
            Operation::HashMany(hash) => self.hash_many(hash, checkpoint),
            Operation::HmacMany(hash) => stack::wiped(|| self.hmac_many(hash, checkpoint)),
            Operation::HashFile(hash) => self.hash_file(hash, reply, checkpoint),
            Operation::HashFiles(hash) => self.hash_files(hash, checkpoint),
            Operation::SealChunks(cipher) => self.seal_chunks(cipher, checkpoint),
            Operation::OpenChunks(cipher) => self.open_chunks(cipher, checkpoint),
            Operation::Derive => stack::wiped(|| self.derive(reply, checkpoint)),
        };
        result.err().unwrap_or(Status::Done)
    }

    fn hash(
        &self,
        hash: Hash,
        reply: &mut Reply,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let key = self.hash_key(hash)?;
        let params = Params { seed: self.seed, key: key.as_ref() };
        let source = self.source.read();
        self.digest_to(reply, |target| match checkpoint {
            Some(checkpoint) if target.len() > checkpoint.slice => {
                self.squeeze_long(hash, &params, target, checkpoint)
            }
            checkpoint => {
                hash::digest(hash, &params, source, target, checkpoint.map(JobCheckpoint::slicer))
            }
        })
    }

    /// The key of a keyed hash, if there is one; copied, because it may lie in the target.
    pub(crate) fn hash_key(&self, hash: Hash) -> Result<Option<[u8; 32]>, Status> {
        let key: Option<&[u8]> = match &self.key {
            Key::Prepared(key) => match &**key {
                PreparedKey::Hash(of, bytes) if *of == hash => Some(&bytes[..]),
                _ => return Err(Status::KeyAlgorithm),
            },
            Key::Bytes(bytes) => Some(bytes.read()).filter(|bytes| !bytes.is_empty()),
        };
        key.map(|bytes| bytes.try_into().map_err(|_| Status::KeySize)).transpose()
    }

    fn hmac(
        &self,
        hash: Hash,
        reply: &mut Reply,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let source = self.source.read();
        let prepared;
        let key = match (&self.key, &checkpoint) {
            (Key::Bytes(key), None) => {
                return self
                    .digest_to(reply, |target| hmac::hmac(hash, key.read(), source, target));
            }
            (Key::Bytes(key), Some(_)) => {
                prepared = MacKey::new(hash, key.read())?;
                &prepared
            }
            (Key::Prepared(_), _) => self.mac_key(hash)?,
        };
        self.digest_to(reply, |target| {
            key.mac(source, target, checkpoint.map(JobCheckpoint::slicer))
        })
    }

    /// The prepared key of an HMAC.
    pub(crate) fn mac_key(&self, hash: Hash) -> Result<&MacKey, Status> {
        match &self.key {
            Key::Prepared(key) => match &**key {
                PreparedKey::Mac(key, _) if key.hash() == hash => Ok(key),
                _ => Err(Status::KeyAlgorithm),
            },
            Key::Bytes(_) => Err(Status::Argument),
        }
    }

    /// Every window that is read.
    fn inputs(&self) -> [Window; 5] {
        let key = if let Key::Bytes(key) = self.key { key } else { Window::EMPTY };
        [self.source, key, self.iv, self.aad, self.tag]
    }

    /// Runs `compute` over memory that no input overlaps, then puts the digest in its place.
    pub(crate) fn digest_to(
        &self,
        reply: &mut Reply,
        compute: impl FnOnce(&mut [u8]) -> Result<(), Error>,
    ) -> Result<(), Status> {
        match self.target {
            Target::Memory(target) if target.size() <= 64 => {
                let mut digest = [0; 64];
                let digest = &mut digest[..target.size()];
                compute(digest)?;
                target.write(digest);
            }
            Target::Memory(target) => match target.exclusive(&self.inputs()) {
                Some(bytes) => compute(bytes)?,
                None => {
                    let mut digest = try_zeroed(target.size())?;
                    compute(&mut digest)?;
                    target.write(&digest);
                }
            },
            Target::Reply(size) if size <= reply.small.len() => {
                compute(&mut reply.small[..size])?;
                reply.small_size = size;
            }
            Target::Reply(size) => {
                reply.large = try_zeroed(size)?;
                compute(&mut reply.large)?;
            }
        }
        Ok(())
    }

    /// Gives the prepared key, or one prepared in place for this once, to `work`.
    pub(crate) fn with_key(
        &self,
        cipher: Cipher,
        work: impl FnOnce(&CipherKey) -> Result<(), Status>,
    ) -> Result<(), Status> {
        match &self.key {
            Key::Bytes(bytes) if self.engine != EngineNumber::Native => {
                work(&*kernel::cipher_key(self.engine, cipher, bytes.read())?)
            }
            Key::Bytes(bytes) => cipher::with_key(cipher, bytes.read(), work)?,
            Key::Prepared(key) => match &**key {
                PreparedKey::Cipher(key, _) if key.cipher() == cipher => work(key),
                _ => Err(Status::KeyAlgorithm),
            },
        }
    }

    fn cipher(
        &self,
        key: &CipherKey,
        reply: &mut Reply,
        checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        // What is long need not be the text: it may be the additional data, which is hashed in one
        // go.
        let in_parts = |checkpoint: &JobCheckpoint<'_>| {
            matches!(self.target, Target::Memory(_))
                && self.source.size() > checkpoint.slice
                && key.parts()
        };
        match (checkpoint, self.operation) {
            (Some(checkpoint), _) if in_parts(checkpoint) => {
                parallel::run_sequential(self, key, reply, Some(checkpoint))
            }
            (_, Operation::Encrypt(_)) => self.encrypt(key, reply),
            _ if self.lent && key.cipher().facts().aead => self.decrypt_unseen(key, reply),
            _ => self.decrypt(key),
        }
    }

    /// Decrypts into memory that others can read: nothing is written there before the message is
    /// known to be authentic.
    fn decrypt_unseen(&self, key: &CipherKey, reply: &mut Reply) -> Result<(), Status> {
        /// To copy so many bytes takes less than to prepare a message in parts.
        const ASIDE: usize = 32 * 1024;
        let Target::Memory(target) = self.target else { return Err(Status::Argument) };
        if !key.parts() {
            return self.decrypt(key);
        }
        if self.source.size() > ASIDE {
            return parallel::run_sequential(self, key, reply, None);
        }
        if target.size() != self.source.size() {
            return Err(Status::Argument);
        }
        let mut aside = vec![0; self.source.size()];
        let text = Text::Across { source: self.source.read(), target: &mut aside };
        let opened = key.open(self.iv.read(), self.aad.read(), text, self.tag.read());
        // After a failure there are zeros in it.
        if matches!(opened, Ok(()) | Err(Error::Authentication)) {
            target.write(&aside);
        }
        wipe(&mut aside);
        Ok(opened?)
    }

    pub(crate) fn encrypt(&self, key: &CipherKey, reply: &mut Reply) -> Result<(), Status> {
        let mut tag = [0; TAG_MAX];
        let tag = tag.get_mut(..self.tag_target.size()).ok_or(Status::TagSize)?;
        let iv = &mut [0; IV_MAX];
        let iv = copied(self.iv, iv).ok_or(Status::IvSize)?;
        match key.cipher().facts().aead {
            true => key.seal(iv, self.aad.read(), self.text()?, tag)?,
            false if tag.is_empty() && self.aad.size() == 0 => key.apply(iv, self.text()?, None)?,
            false => return Err(Status::TagSize),
        }
        self.put_tag(tag, reply);
        Ok(())
    }

    /// Puts a tag of the right size into its place.
    pub(crate) fn put_tag(&self, tag: &[u8], reply: &mut Reply) {
        match self.tag_target {
            Target::Memory(window) => window.write(tag),
            Target::Reply(_) => reply.put(tag),
        }
    }

    pub(crate) fn decrypt(&self, key: &CipherKey) -> Result<(), Status> {
        // Copied before the text moves: the target may lie over tag and iv.
        let (iv, tag) = (&mut [0; IV_MAX], &mut [0; TAG_MAX]);
        let iv = copied(self.iv, iv).ok_or(Status::IvSize)?;
        let tag = copied(self.tag, tag).ok_or(Status::TagSize)?;
        match key.cipher().facts().aead {
            true => key.open(iv, self.aad.read(), self.text()?, tag)?,
            false if tag.is_empty() && self.aad.size() == 0 => key.apply(iv, self.text()?, None)?,
            false => return Err(Status::TagSize),
        }
        Ok(())
    }

    /// True for a cipher whose result is the job's own copy, transformed.
    pub(crate) fn answers_with_text(&self) -> bool {
        matches!(
            (self.operation, self.target),
            (Operation::Encrypt(_) | Operation::Decrypt(_), Target::Reply(_))
        )
    }

    /// A target that is fresh is about to be written.
    pub(crate) fn ready(&self, target: Window) {
        if self.fresh {
            target.populate();
        }
    }

    pub(crate) fn text(&self) -> Result<Text<'_>, Status> {
        let target = match &self.target {
            Target::Memory(target) if target.size() != self.source.size() => {
                return Err(Status::Argument);
            }
            Target::Memory(target) => {
                self.ready(*target);
                target
            }
            Target::Reply(_) => &self.source,
        };
        text(&self.source, target, &[self.aad]).ok_or(Status::Overlap)
    }
}

/// The bytes of a small input at the start of `place`.
pub(crate) fn copied(window: Window, place: &mut [u8]) -> Option<&[u8]> {
    let place = place.get_mut(..window.size())?;
    place.copy_from_slice(window.read());
    Some(place)
}
