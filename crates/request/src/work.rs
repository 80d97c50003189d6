//! One operation with all its inputs, as data. Its windows lead to the caller's memory, or to the
//! job's own [`Copies`](crate::bytes::Copies); `bytes` says when each is valid.

use crate::bytes::{self, Window};
use crate::engine::KernelHashTable;
use crate::keys::PreparedKey;
use crate::numbers::exact_size;
pub use crate::protocol::Status;
use crate::protocol::{EngineNumber, OperationNumber};
use crate::public_key_call::PublicKeyCall;
use millrace_core::allocate::Shared;
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::kdf::Derivation;
use millrace_cost::Algorithm;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use zeroize::optimization_barrier;

/// Defines the operations on a hash or a cipher.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($kind:ident),)*) => {
        /// The operation of a work.
        #[derive(Copy, Clone, PartialEq, Eq)]
        pub enum Operation {
            $($(#[$doc])* $name($kind),)*
            /// An operation with an asymmetric key; see `public_keys`.
            PublicKey,
            /// A key derivation; see `kdf`.
            Derive,
        }

        impl Operation {
            /// Returns `None` for an algorithm that is not of the operation.
            #[inline]
            pub fn from_numbers(operation: OperationNumber, algorithm: u8) -> Option<Operation> {
                Some(match operation {
                    $(OperationNumber::$name => Operation::$name($kind::from_id(algorithm)?),)*
                    OperationNumber::Seal => Operation::Encrypt(Cipher::from_id(algorithm)?),
                    OperationNumber::Open => Operation::Decrypt(Cipher::from_id(algorithm)?),
                    _ if operation.derivation().is_some() => Operation::Derive,
                    _ => Operation::PublicKey,
                })
            }

            /// Returns the algorithm; SHA-256 for an asymmetric key and a key derivation.
            pub fn algorithm(self) -> Algorithm {
                match self {
                    $(Operation::$name(algorithm) => Algorithm::$kind(algorithm),)*
                    Operation::PublicKey | Operation::Derive => Algorithm::Hash(Hash::Sha256),
                }
            }
        }
    };
}

operations! {
    Hash(Hash),
    Hmac(Hash),
    Encrypt(Cipher),
    Decrypt(Cipher),
    /// Operations on the state of a running hash; see `hash_state`.
    Update(Hash),
    Finish(Hash),
    Squeeze(Hash),
    /// The states of an HMAC's key, which is the source; synchronous only.
    MacBegin(Hash),
    MacUpdate(Hash),
    MacFinish(Hash),
    /// Hashes of many messages; see `batch`.
    HashMany(Hash),
    HmacMany(Hash),
    /// Hashes of one file or many; see `files`.
    HashFile(Hash),
    HashFiles(Hash),
    /// Consecutive chunks of a message; see `cipher`.
    SealChunks(Cipher),
    OpenChunks(Cipher),
    /// The next bytes of a message; see `running_cipher`.
    CipherUpdate(Cipher),
    /// Ranges of a large message; see `parts`.
    HashPart(Hash),
    JoinParts(Hash),
}

pub enum Key {
    Bytes(Window),
    Prepared(Shared<PreparedKey>),
}

/// Where a result goes: to memory, or back with the completion, with its bytes.
#[derive(Copy, Clone)]
pub enum Target {
    Memory(Window),
    Reply(usize),
}

impl Target {
    /// Returns the bytes of the result.
    pub fn size(self) -> usize {
        match self {
            Target::Memory(window) => window.size(),
            Target::Reply(size) => size,
        }
    }
}

/// The messages of a work.
pub enum Messages {
    /// One message, the source.
    None,
    /// A number of messages of a size in bytes, one after the other in the source.
    Equal(usize, usize),
    /// One after the other in the source; the iv holds their sizes as 64-bit floats.
    Sized,
    Views(Vec<Window>),
    /// A number of files with the source as their paths, and their bytes in all, or the most bytes
    /// of each; see `files`.
    Files(usize, u64),
}

/// The most bytes of the small part of a reply.
pub const REPLY_SMALL_BYTES: usize = 64;

/// Results that travel with the completion: a digest or tag, and the text of a small cipher call.
pub struct Reply {
    pub small: [u8; REPLY_SMALL_BYTES],
    pub small_size: usize,
    pub large: Vec<u8>,
}

impl Reply {
    pub fn empty() -> Reply {
        Reply { small: [0; REPLY_SMALL_BYTES], small_size: 0, large: Vec::new() }
    }

    /// Overwrites the results, which may be secret.
    pub fn wipe(&mut self) {
        self.small.fill(0);
        optimization_barrier(&self.small);
        self.small_size = 0;
        bytes::wipe(&mut self.large);
    }

    /// Sets a digest or tag.
    pub fn put(&mut self, small: &[u8]) {
        self.small[..small.len()].copy_from_slice(small);
        self.small_size = small.len();
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// The fraction of a job that is complete, read by its environment.
#[derive(Default)]
pub struct ProgressCounter(AtomicU32);

impl ProgressCounter {
    const COMPLETE: u32 = 1 << 30;

    /// Sets the progress to `done` of `steps` steps.
    pub fn set(&self, done: u64, steps: u64) {
        let part = u128::from(done) * u128::from(Self::COMPLETE) / u128::from(steps.max(1));
        let part = u32::try_from(part).unwrap_or(Self::COMPLETE).min(Self::COMPLETE);
        self.0.store(part, Ordering::Relaxed);
    }

    /// Returns the progress, from 0 to 1.
    pub fn get(&self) -> f64 {
        f64::from(self.0.load(Ordering::Relaxed)) / f64::from(Self::COMPLETE)
    }
}

/// The numbers and bytes of one operation.
pub struct Work {
    pub operation: Operation,
    /// The engine that computes; for a prepared key, the one that prepared it.
    pub engine: EngineNumber,
    /// The running hashes of the kernel engine, if it computes.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub kernel_hashes: Option<Arc<KernelHashTable>>,
    pub key: Key,
    pub seed: u64,
    /// For a running hash: bytes before the source. For many messages: their sizes.
    pub iv: Window,
    /// For a running hash: its state.
    pub aad: Window,
    /// The tag that `Decrypt` verifies; empty for a stream cipher.
    pub tag: Window,
    /// Where `Encrypt` writes its tag, and `Squeeze` the next state, of exactly this size.
    pub tag_target: Target,
    pub source: Window,
    pub messages: Messages,
    /// For a cipher `Reply` means: in place in the source, which is the job's own copy.
    pub target: Target,
    /// The target is new memory, which may have no pages yet; see `pages`.
    pub fresh: bool,
    /// The caller or another thread may read the target while a worker writes it.
    pub lent: bool,
    pub progress: Option<Shared<ProgressCounter>>,
    pub derivation: Derivation,
    /// Of an operation with an asymmetric key. Behind a pointer, as every work is moved.
    pub public_key: Option<Shared<PublicKeyCall>>,
}

/// The most bytes of an AEAD's tag.
pub const TAG_MAX: usize = 16;

/// The most bytes of an iv (AES-GCM).
pub const IV_MAX: usize = 128;

impl Work {
    /// Returns the work of a job that does nothing.
    pub fn idle() -> Work {
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
            public_key: None,
        }
    }

    /// Returns the bytes of a key that was passed as bytes.
    pub fn key_size(&self) -> usize {
        if let Key::Bytes(key) = self.key { key.size() } else { 0 }
    }

    /// Returns true if the work has a key or a password, which its routines may leave on the stack.
    pub fn keyed(&self) -> bool {
        matches!(self.key, Key::Prepared(_))
            || self.key_size() > 0
            || self.operation == Operation::Derive
    }

    /// Returns true for a cipher that returns the job's own copy of the source, transformed.
    pub fn returns_text(&self) -> bool {
        matches!(
            (self.operation, self.target),
            (Operation::Encrypt(_) | Operation::Decrypt(_), Target::Reply(_))
        )
    }

    /// Returns true if the new state of a running hash may overwrite the old one.
    pub fn replaces_state(&self) -> bool {
        matches!(
            self.operation,
            Operation::Update(_) | Operation::MacUpdate(_) | Operation::Squeeze(_)
        )
    }

    /// Returns the number of messages and their bytes in all.
    pub fn messages(&self) -> (usize, usize) {
        match &self.messages {
            Messages::None => (1, self.source.size()),
            Messages::Equal(count, _) => (*count, self.source.size()),
            Messages::Sized => (self.iv.size() / size_of::<f64>(), self.source.size()),
            Messages::Views(views) => (views.len(), views.iter().map(|view| view.size()).sum()),
            Messages::Files(count, size) => (*count, usize::try_from(*size).unwrap_or(usize::MAX)),
        }
    }

    /// Returns the message at `index`, which begins at `offset` if the source holds the messages.
    ///
    /// # Errors
    /// [`Status::Argument`] if it lies outside of the source.
    pub fn message(&self, index: usize, offset: usize) -> Result<Window, Status> {
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
}
