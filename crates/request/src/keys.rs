//! Prepared keys. JavaScript holds a handle; jobs in flight share the key.
//!
//! A handle is an index and a generation, so that a disposed handle is refused and never names a
//! later key. A key is wiped when it is disposed and no job uses it, or when the environment ends.

use crate::engine::{self, NO_KERNEL_KEYED_HASH};
use crate::protocol::{EngineNumber, PurposeNumber, Status};
use millrace_core::allocate::{Shared, try_with_capacity};
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{CipherKey, WipedBox};
use millrace_core::error::Error;
use millrace_core::hash::{Params, check_params};
use millrace_core::hmac::MacKey;
use millrace_core::key_memory::keeping;
use millrace_core::running_cipher::RunningCipher;
use millrace_core::wipe::KeyBytes;
use millrace_public_keys::{PrivateKey, PublicKey};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use zeroize::Zeroizing;

/// The bytes of a prepared key that are reported to V8, so that unreachable keys cause a
/// collection: AES-GCM's schedule and table, the key, the allocator's overhead and the JavaScript
/// object, rounded up.
pub const KEY_BYTES: i64 = 4096;

/// A key, with all that is computed from it before a message.
pub enum PreparedKey {
    /// With the bytes of the key, from which sealed streams derive keys. As all secrets of prepared
    /// keys they are created in the memory of keys (`key_memory`), so that no move leaves a copy.
    Cipher(WipedBox<CipherKey>, KeyBytes),
    /// With a number that identifies the key in this process, or 0.
    Mac(MacKey, u32),
    /// The key or the parameters of a hash, which need no schedule; see `Work::with_params`.
    Hash(Hash, KeyBytes),
    /// An asymmetric key, once an operation has filled it; see `public_keys`. Behind a pointer: in
    /// a larger value the others would carry along what the stack held.
    Asymmetric(OnceLock<Shared<AsymmetricKey>>),
    /// A message on its way through a cipher; see `running_cipher`.
    Running(Mutex<RunningCipher>),
}

/// An asymmetric key.
pub enum AsymmetricKey {
    Private(PrivateKey),
    Public(PublicKey),
}

/// The algorithm that a key is prepared for.
#[derive(Copy, Clone)]
pub enum Purpose {
    Cipher(Cipher),
    Mac(Hash),
    Hash(Hash),
}

impl Purpose {
    /// Returns `None` for numbers that name no algorithm.
    pub fn from_numbers(kind: u32, algorithm: u32) -> Option<Purpose> {
        let algorithm = u8::try_from(algorithm).ok()?;
        Some(match PurposeNumber::from_number(kind)? {
            PurposeNumber::Cipher => Purpose::Cipher(Cipher::from_id(algorithm)?),
            PurposeNumber::Mac => Purpose::Mac(Hash::from_id(algorithm)?),
            PurposeNumber::Hash => Purpose::Hash(Hash::from_id(algorithm)?),
        })
    }
}

impl PreparedKey {
    /// Prepares a key for an engine, which then computes everything with this key.
    ///
    /// # Errors
    /// [`Error::KeySize`]; [`Error::Unavailable`] if the engine does not support the algorithm;
    /// [`Error::Memory`]; [`Error::SecureMemory`].
    pub fn new(purpose: Purpose, bytes: &[u8], engine: EngineNumber) -> Result<PreparedKey, Error> {
        keeping(|| Self::prepare(purpose, bytes, engine))
    }

    fn prepare(purpose: Purpose, bytes: &[u8], engine: EngineNumber) -> Result<PreparedKey, Error> {
        Ok(match purpose {
            Purpose::Cipher(cipher) => PreparedKey::Cipher(
                engine::cipher_key(engine, cipher, bytes)?,
                KeyBytes::copy(bytes)?,
            ),
            Purpose::Mac(hash) => {
                PreparedKey::Mac(engine::mac_key(engine, hash, bytes)?, next_number())
            }
            Purpose::Hash(_) if engine != EngineNumber::Native => return Err(NO_KERNEL_KEYED_HASH),
            Purpose::Hash(hash) => {
                check_params(hash.facts(), &Params::in_key(0, bytes)?)?;
                PreparedKey::Hash(hash, KeyBytes::copy(bytes)?)
            }
        })
    }
}

impl PreparedKey {
    /// Returns an HMAC key of the same bytes; `None` unless this is the key of a cipher.
    pub fn mac(&self, hash: Hash) -> Option<Result<PreparedKey, Error>> {
        let PreparedKey::Cipher(_, bytes) = self else { return None };
        Some(PreparedKey::new(Purpose::Mac(hash), bytes, EngineNumber::Native))
    }

    /// Returns a key of the same hash with these parameters too; `None` unless this is the key of a
    /// hash.
    pub fn with_parameters(&self, parameters: &[u8]) -> Option<Result<PreparedKey, Error>> {
        let PreparedKey::Hash(hash, key) = self else { return None };
        // The key is the first parameter; the last byte of a block ends it.
        let key = key.split_last().map_or(&[][..], |(_, entries)| entries);
        Some(try_with_capacity(key.len() + parameters.len()).and_then(|block| {
            let mut block = Zeroizing::new(block);
            block.extend_from_slice(key);
            block.extend_from_slice(parameters);
            PreparedKey::new(Purpose::Hash(*hash), &block, EngineNumber::Native)
        }))
    }

    /// Returns true if the kernel engine computes under it.
    pub fn is_external(&self) -> bool {
        match self {
            PreparedKey::Cipher(key, _) => key.is_external(),
            PreparedKey::Mac(key, _) => key.external().is_some(),
            PreparedKey::Hash(..) | PreparedKey::Asymmetric(_) | PreparedKey::Running(_) => false,
        }
    }
}

/// Returns each number from 1 to below [`NUMBERS`] once in this process, then 0.
fn next_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |number| {
        (number < NUMBERS).then_some(number + 1)
    })
    .unwrap_or(0)
}

/// Numbers and the 8 bits of a hash fit in the kind of a task; see `multibuffer`.
const NUMBERS: u32 = 1 << 24;

/// The prepared keys of one environment.
#[derive(Default)]
pub struct Keys {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

struct Slot {
    generation: u32,
    key: Option<Shared<PreparedKey>>,
}

/// Handles stay exact as JavaScript numbers: index below 2^24, generation below 2^27.
const INDEX_BITS: u32 = 24;
const GENERATIONS: u32 = 1 << 27;

impl Keys {
    /// Stores a key. Returns its handle, which is never 0.
    ///
    /// # Errors
    /// [`Status::Engine`] if 2^24 keys are stored; [`Status::Memory`].
    pub fn keep(&mut self, key: PreparedKey) -> Result<u64, Status> {
        let key = Shared::try_new(key)?;
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                let index =
                    u32::try_from(self.slots.len()).ok().filter(|&index| index < 1 << INDEX_BITS);
                let index = index.ok_or(Status::Engine)?;
                // Reserved here, so that disposing a key cannot fail.
                let free = self.slots.len() + 1 - self.free.len();
                if self.slots.try_reserve(1).is_err() || self.free.try_reserve(free).is_err() {
                    return Err(Status::Memory);
                }
                self.slots.push(Slot { generation: 1, key: None });
                index
            }
        };
        let slot = self.slots.get_mut(index as usize).ok_or(Status::Internal)?;
        slot.key = Some(key);
        Ok(u64::from(slot.generation) << INDEX_BITS | u64::from(index))
    }

    /// Returns the key of a handle, `None` if it was disposed.
    pub fn get(&self, handle: u64) -> Option<&Shared<PreparedKey>> {
        self.slots
            .get(index_of(handle))
            .filter(|slot| generation_of(handle) == slot.generation)?
            .key
            .as_ref()
    }

    /// Removes a key. Returns false if it was disposed before.
    pub fn dispose(&mut self, handle: u64) -> bool {
        let index = index_of(handle);
        let Some(slot) = self.slots.get_mut(index) else { return false };
        if generation_of(handle) != slot.generation || slot.key.take().is_none() {
            return false;
        }
        slot.generation += 1;
        // A slot is not used again after 2^27 disposals.
        if slot.generation < GENERATIONS {
            self.free.push(index as u32);
        }
        true
    }
}

fn index_of(handle: u64) -> usize {
    (handle & ((1 << INDEX_BITS) - 1)) as usize
}

fn generation_of(handle: u64) -> u32 {
    (handle >> INDEX_BITS) as u32
}
