//! Prepared keys, held by number: JavaScript has a handle, jobs in flight share the key itself.
//!
//! A handle is an index and a generation, so that a disposed handle is refused rather than
//! mistaken for its successor. The key's memory is wiped when the last holder lets go: at
//! disposal, when the last job using it ends, or when the environment ends.

use crate::engine::{self, NO_KERNEL_KEYED_HASH};
use crate::protocol::{EngineNumber, PurposeNumber, Status};
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::CipherKey;
use millrace_core::error::Error;
use millrace_core::hmac::MacKey;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use zeroize::Zeroizing;

/// A key with everything computed that does not depend on the message.
pub(crate) enum PreparedKey {
    /// With the bytes of the key, of which sealed streams derive theirs. Both are boxed where they
    /// were made, so that no copy of them is left behind by a move.
    Cipher(Box<CipherKey>, Zeroizing<Box<[u8]>>),
    /// With a number that no other has had, or 0.
    Mac(MacKey, u32),
    /// The key of a keyed hash (BLAKE3), which needs no schedule.
    Hash(Hash, Zeroizing<[u8; 32]>),
}

/// What kind of algorithm a key is prepared for.
#[derive(Copy, Clone)]
pub(crate) enum Purpose {
    Cipher(Cipher),
    Mac(Hash),
    Hash(Hash),
}

impl Purpose {
    pub(crate) fn from_numbers(kind: u32, algorithm: u32) -> Option<Purpose> {
        let algorithm = u8::try_from(algorithm).ok()?;
        Some(match PurposeNumber::from_number(kind)? {
            PurposeNumber::Cipher => Purpose::Cipher(Cipher::from_id(algorithm)?),
            PurposeNumber::Mac => Purpose::Mac(Hash::from_id(algorithm)?),
            PurposeNumber::Hash => Purpose::Hash(Hash::from_id(algorithm)?),
        })
    }
}

impl PreparedKey {
    /// For an engine, which then computes everything under this key.
    pub(crate) fn new(
        purpose: Purpose,
        bytes: &[u8],
        engine: EngineNumber,
    ) -> Result<PreparedKey, Error> {
        Ok(match purpose {
            Purpose::Cipher(cipher) => PreparedKey::Cipher(
                engine::cipher_key(engine, cipher, bytes)?,
                Zeroizing::new(Box::from(bytes)),
            ),
            Purpose::Mac(hash) => {
                PreparedKey::Mac(engine::mac_key(engine, hash, bytes)?, next_number())
            }
            Purpose::Hash(_) if engine != EngineNumber::Native => return Err(NO_KERNEL_KEYED_HASH),
            Purpose::Hash(hash) => {
                let bytes = bytes.try_into().map_err(|_| Error::KeySize)?;
                PreparedKey::Hash(hash, Zeroizing::new(bytes))
            }
        })
    }
}

impl PreparedKey {
    /// An HMAC key of the same bytes; `None` unless this is the key of a cipher.
    pub(crate) fn mac(&self, hash: Hash) -> Option<Result<PreparedKey, Error>> {
        let PreparedKey::Cipher(_, bytes) = self else { return None };
        Some(PreparedKey::new(Purpose::Mac(hash), bytes, EngineNumber::Native))
    }

    /// Returns true if the kernel engine computes under it.
    pub(crate) fn is_external(&self) -> bool {
        match self {
            PreparedKey::Cipher(key, _) => key.is_external(),
            PreparedKey::Mac(key, _) => key.external().is_some(),
            PreparedKey::Hash(..) => false,
        }
    }
}

/// Numbers from 1 to below [`NUMBERS`], each given once in this process; after those, 0.
fn next_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |number| {
        (number < NUMBERS).then_some(number + 1)
    })
    .unwrap_or(0)
}

/// They fit into the kind of a task, beside a hash; see `multibuffer`.
pub(crate) const NUMBERS: u32 = 1 << 24;

/// The prepared keys of one environment.
#[derive(Default)]
pub(crate) struct Keys {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[derive(Default)]
struct Slot {
    generation: u32,
    key: Option<Arc<PreparedKey>>,
}

/// Handles stay exact as JavaScript numbers: index below 2^24, generation below 2^29.
const INDEX_BITS: u32 = 24;
const GENERATIONS: u32 = 1 << 29;

impl Keys {
    /// Keeps a key; its handle is never 0.
    ///
    /// # Errors
    /// [`Status::Engine`] when 2^24 keys are alive; [`Status::Memory`].
    pub(crate) fn keep(&mut self, key: PreparedKey) -> Result<u64, Status> {
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                let index =
                    u32::try_from(self.slots.len()).ok().filter(|&index| index < 1 << INDEX_BITS);
                let index = index.ok_or(Status::Engine)?;
                // A handle that is disposed of needs a place among the free ones.
                let free = self.slots.len() + 1 - self.free.len();
                if self.slots.try_reserve(1).is_err() || self.free.try_reserve(free).is_err() {
                    return Err(Status::Memory);
                }
                self.slots.push(Slot { generation: 1, key: None });
                index
            }
        };
        let slot = self.slots.get_mut(index as usize).ok_or(Status::Internal)?;
        slot.key = Some(Arc::new(key));
        Ok(u64::from(slot.generation) << INDEX_BITS | u64::from(index))
    }

    /// The key of a handle that has not been disposed.
    pub(crate) fn get(&self, handle: u64) -> Option<&Arc<PreparedKey>> {
        self.slots
            .get(index_of(handle))
            .filter(|slot| generation_of(handle) == slot.generation)?
            .key
            .as_ref()
    }

    /// Forgets a key; true if the handle was alive.
    pub(crate) fn dispose(&mut self, handle: u64) -> bool {
        let index = index_of(handle);
        let Some(slot) = self.slots.get_mut(index) else { return false };
        if generation_of(handle) != slot.generation || slot.key.take().is_none() {
            return false;
        }
        slot.generation += 1;
        // A slot whose generations are used up is retired: 2^29 disposals of one slot.
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
