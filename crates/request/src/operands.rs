//! The operands of a work as the core takes them: keys, text, and the memory of results.

use crate::bytes::{Copies, Window, text};
use crate::engine;
use crate::keys::PreparedKey;
use crate::protocol::EngineNumber;
use crate::work::{Key, Reply, Status, Target, Work};
use millrace_core::allocate::{try_with_capacity, try_zeroed};
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{self, CipherKey, Text};
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::hmac::MacKey;
use zeroize::Zeroizing;

impl Work {
    /// Runs `work` with the parameters of a hash, of which a key or a block of parameters is in the
    /// place of the key; see [`Params::in_key`].
    ///
    /// # Errors
    /// Those of `work`; [`Status::KeyAlgorithm`] for a key of another algorithm;
    /// [`Status::KeySize`]; [`Status::Memory`].
    #[inline]
    pub fn with_params<R>(
        &self,
        hash: Hash,
        work: impl FnOnce(&Params<'_>) -> Result<R, Status>,
    ) -> Result<R, Status> {
        match &self.key {
            Key::Bytes(bytes) if bytes.size() == 0 => {
                work(&Params { seed: self.seed, ..Params::NONE })
            }
            Key::Bytes(bytes) => self.with_raw_params(*bytes, work),
            Key::Prepared(key) => match &**key {
                PreparedKey::Hash(of, bytes) if *of == hash => {
                    work(&Params::in_key(self.seed, bytes)?)
                }
                _ => Err(Status::KeyAlgorithm),
            },
        }
    }

    /// Copies the bytes, which the target may overlap. The copy is filled where it stays: a move
    /// would leave another.
    #[cold]
    fn with_raw_params<R>(
        &self,
        bytes: Window,
        work: impl FnOnce(&Params<'_>) -> Result<R, Status>,
    ) -> Result<R, Status> {
        let mut key = Zeroizing::new([0; 32]);
        if bytes.size() == key.len() {
            key.copy_from_slice(bytes.read());
            return work(&Params { seed: self.seed, key: Some(&key), ..Params::NONE });
        }
        let mut block = Zeroizing::new(try_with_capacity(bytes.size())?);
        block.extend_from_slice(bytes.read());
        work(&Params::in_key(self.seed, &block)?)
    }

    /// Returns the prepared key of an HMAC.
    ///
    /// # Errors
    /// [`Status::KeyAlgorithm`] for a key of another algorithm; [`Status::Argument`] for bytes.
    pub fn mac_key(&self, hash: Hash) -> Result<&MacKey, Status> {
        match &self.key {
            Key::Prepared(key) => match &**key {
                PreparedKey::Mac(key, _) if key.hash() == hash => Ok(key),
                _ => Err(Status::KeyAlgorithm),
            },
            Key::Bytes(_) => Err(Status::Argument),
        }
    }

    /// Runs `work` with the prepared key of an HMAC, or with one that is prepared for this call.
    ///
    /// # Errors
    /// Those of `work`, of [`engine::mac_key`] and of [`Work::mac_key`].
    pub fn with_mac_key(
        &self,
        hash: Hash,
        work: impl FnOnce(&MacKey) -> Result<(), Status>,
    ) -> Result<(), Status> {
        match &self.key {
            Key::Bytes(key) => work(&engine::mac_key(self.engine, hash, key.read())?),
            Key::Prepared(_) => work(self.mac_key(hash)?),
        }
    }

    /// Returns the windows that the operation reads.
    fn inputs(&self) -> [Window; 5] {
        let key = if let Key::Bytes(key) = self.key { key } else { Window::EMPTY };
        [self.source, key, self.iv, self.aad, self.tag]
    }

    /// Runs `compute` on memory that no input overlaps, and puts the digest in the target.
    ///
    /// # Errors
    /// Those of `compute`, and [`Status::Memory`].
    pub fn digest_to(
        &self,
        reply: &mut Reply,
        compute: impl FnOnce(&mut [u8]) -> Result<(), Error>,
    ) -> Result<(), Status> {
        self.result_to(reply, |target| Ok(compute(target)?))
    }

    /// Works like [`Work::digest_to`], for results whose errors are not the core's.
    ///
    /// # Errors
    /// Those of `compute`, and [`Status::Memory`].
    #[inline]
    pub fn result_to(
        &self,
        reply: &mut Reply,
        compute: impl FnOnce(&mut [u8]) -> Result<(), Status>,
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
                    // It may be a key.
                    let mut digest = Zeroizing::new(try_zeroed(target.size())?);
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

    /// Runs `work` with the prepared key, or with one that is prepared for this call.
    ///
    /// # Errors
    /// Those of `work`, [`Status::KeySize`], and [`Status::KeyAlgorithm`] for a key of another
    /// algorithm.
    pub fn with_key(
        &self,
        cipher: Cipher,
        work: impl FnOnce(&CipherKey) -> Result<(), Status>,
    ) -> Result<(), Status> {
        match &self.key {
            Key::Bytes(bytes) if self.engine != EngineNumber::Native => {
                work(&*engine::cipher_key(self.engine, cipher, bytes.read())?)
            }
            Key::Bytes(bytes) => cipher::with_key(cipher, bytes.read(), work)?,
            Key::Prepared(key) => match &**key {
                PreparedKey::Cipher(key, _) if key.cipher() == cipher => work(key),
                _ => Err(Status::KeyAlgorithm),
            },
        }
    }

    /// Writes a tag of the right size to its target.
    pub fn put_tag(&self, tag: &[u8], reply: &mut Reply) {
        match self.tag_target {
            Target::Memory(window) => window.write(tag),
            Target::Reply(_) => reply.put(tag),
        }
    }

    /// Requests the pages of a new target that will be written.
    pub fn populate(&self, target: Window) {
        if self.fresh {
            target.populate();
        }
    }

    /// Returns source and target of a cipher, disjoint or one and the same memory.
    ///
    /// # Errors
    /// [`Status::Argument`] if their sizes differ; [`Status::Overlap`] if the aad overlaps the
    /// target.
    pub fn text(&self) -> Result<Text<'_>, Status> {
        let target = match &self.target {
            Target::Memory(target) if target.size() != self.source.size() => {
                return Err(Status::Argument);
            }
            Target::Memory(target) => {
                self.populate(*target);
                target
            }
            Target::Reply(_) => &self.source,
        };
        text(&self.source, target, &[self.aad]).ok_or(Status::Overlap)
    }
}

/// Copies an aad that overlaps the target: it is read while the target is written. (The state of a
/// running hash, which travels as aad, is copied by `hash_state`.)
pub fn copy_overlapping_aad(copies: &mut Copies, work: &mut Work) -> Result<(), Status> {
    if matches!(work.target, Target::Memory(target) if target.overlaps(work.aad))
        && !work.replaces_state()
    {
        work.aad = copies.secrets([work.aad]).map(|[aad]| aad).ok_or(Status::Memory)?;
    }
    Ok(())
}

/// Copies a small input to the start of `place`; returns `None` if it is too long.
pub fn copied(window: Window, place: &mut [u8]) -> Option<&[u8]> {
    let place = place.get_mut(..window.size())?;
    place.copy_from_slice(window.read());
    Some(place)
}
