//! Ciphers. A stream cipher's message is sent in chunks, each with the iv that follows from the one
//! before; an AEAD's message is sent in one piece.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use millrace_core::Error;
use millrace_core::allocate::try_zeroed;
use millrace_core::catalog::Cipher;
use millrace_core::checkpoint::Slicer;
use millrace_core::cipher::Text;
use millrace_core::engines::ExternalCipher;

use crate::af_alg::{Header, Operation, last_queue_bytes};
use crate::algorithm::Algorithm;
use crate::channels::{Channel, ChannelPool, Endpoint, Secret};
use crate::cryptodev::Session;
use crate::failure::{Failure, Step, short_tag, too_large};
use crate::hash::{CHUNK, checkpoint, chunk_size};
use crate::interface::{Interface, LinuxEngine};
use crate::support::open;

/// Bytes of a full tag.
const TAG: usize = 16;

/// The most bytes of text, and of additional data, in one call to the device.
const DEVICE_TEXT_MAX: usize = CHUNK;
const DEVICE_AAD_MAX: usize = CHUNK / 2;

/// The most bytes of an AEAD's message with its additional data that sockets take with usual
/// system settings.
const SOCKET_MESSAGE: usize = 192 << 10;

/// Returns the most bytes of a message that must be sent in one piece; for AF_ALG an estimate until
/// the first socket is open.
pub(crate) fn max_message(interface: Interface, algorithm: Algorithm) -> Option<usize> {
    let Algorithm::Cipher(cipher) = algorithm else { return None };
    cipher.facts().aead.then(|| match interface {
        Interface::AfAlg => {
            last_queue_bytes().map_or(SOCKET_MESSAGE, |bytes| bytes.saturating_sub(TAG))
        }
        Interface::Cryptodev => DEVICE_TEXT_MAX,
    })
}

/// A prepared cipher key.
pub(crate) struct Key {
    cipher: Cipher,
    pool: ChannelPool,
    /// Channels that verify shorter tags, by tag size: AF_ALG sets the size with the key.
    short_tag_pools: Mutex<Vec<(usize, Arc<ChannelPool>)>>,
}

impl Key {
    pub(crate) fn new(engine: LinuxEngine, cipher: Cipher, key: &[u8]) -> Result<Key, Error> {
        let tag_size = cipher.facts().aead.then_some(TAG);
        let pool = open(engine, Algorithm::Cipher(cipher), Some(key), tag_size)?;
        Ok(Key { cipher, pool, short_tag_pools: Mutex::default() })
    }

    /// Returns channels that verify tags of `size` bytes.
    fn short_tag_pool(&self, size: usize) -> Result<Arc<ChannelPool>, Error> {
        let (interface, algorithm) = (self.pool.interface, self.pool.algorithm);
        let gcm = matches!(self.cipher, Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm);
        if interface == Interface::Cryptodev || !gcm {
            return Err(short_tag(interface, algorithm, size));
        }
        let mut pools = self.short_tag_pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pool)) = pools.iter().find(|(of, _)| *of == size) {
            return Ok(Arc::clone(pool));
        }
        let pool = Arc::new(self.pool.with_tag_size(size)?);
        pools.push((size, Arc::clone(&pool)));
        Ok(pool)
    }

    /// Seals or opens a message. After a failure no result is left in the text.
    fn run_aead(
        &self,
        pool: &ChannelPool,
        nonce: &[u8],
        aad: &[u8],
        mut text: Text<'_>,
        tag: Tag<'_>,
    ) -> Result<(), Error> {
        let channel = pool.take()?;
        self.check_size(&channel, aad.len(), text.size())?;
        let result = match &channel.endpoint {
            Endpoint::Socket(socket) => socket_aead(socket, nonce, aad, &mut text, tag),
            Endpoint::Session(session) => session_aead(session, nonce, aad, &mut text, tag),
        };
        if result.is_err_and(may_have_written) {
            erase(&mut text);
        }
        let result = result.map_err(|failure| failure.error(pool.algorithm));
        // After a wrong tag the kernel has removed the message from the queue, so the channel can
        // be used again.
        if matches!(result, Ok(()) | Err(Error::Authentication)) {
            pool.put_back(channel);
        }
        result
    }

    /// Checks that a message can be sent in one piece.
    fn check_size(&self, channel: &Channel, aad: usize, text: usize) -> Result<(), Error> {
        let (fits, max) = match &channel.endpoint {
            Endpoint::Socket(socket) => {
                let max = socket.queue_bytes().saturating_sub(TAG);
                (aad.saturating_add(text) <= max, max)
            }
            Endpoint::Session(_) => {
                (text <= DEVICE_TEXT_MAX && aad <= DEVICE_AAD_MAX, DEVICE_TEXT_MAX)
            }
        };
        if fits { Ok(()) } else { Err(too_large(self.pool.interface, self.pool.algorithm, max)) }
    }
}

impl ExternalCipher for Key {
    fn apply(
        &self,
        iv: &[u8],
        mut text: Text<'_>,
        mut slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        let mut iv: [u8; 16] = iv.try_into().map_err(|_| Error::IvSize)?;
        let (size, max) = (text.size(), chunk_size(&slicer) / BLOCK_MAX * BLOCK_MAX);
        if size == 0 {
            return Ok(());
        }
        let channel = self.pool.take()?;
        let mut done = 0;
        while done < size {
            let chunk = max.min(size - done).min(until_overflow(self.cipher, &iv));
            let result = match &channel.endpoint {
                Endpoint::Socket(socket) => {
                    socket_apply(socket, &iv, &mut text, done..done + chunk)
                }
                Endpoint::Session(session) => session.apply(&iv, &mut text, done..done + chunk),
            };
            let written = done > 0 || result.is_err_and(may_have_written);
            let result = result.map_err(|failure| failure.error(self.pool.algorithm));
            done += chunk;
            advance(self.cipher, &mut iv, chunk);
            if let Err(error) = result.and_then(|()| checkpoint(&mut slicer, chunk)) {
                if written || error == Error::Cancelled {
                    erase(&mut text);
                }
                return Err(error);
            }
        }
        self.pool.put_back(channel);
        Ok(())
    }

    fn seal(&self, nonce: &[u8], aad: &[u8], text: Text<'_>, tag: &mut [u8]) -> Result<(), Error> {
        check_nonce(nonce)?;
        // A shorter tag is the beginning of the full one.
        let mut full = [0; TAG];
        self.run_aead(&self.pool, nonce, aad, text, Tag::Write(&mut full))?;
        tag.copy_from_slice(&full[..tag.len()]);
        Ok(())
    }

    fn open(&self, nonce: &[u8], aad: &[u8], text: Text<'_>, tag: &[u8]) -> Result<(), Error> {
        check_nonce(nonce)?;
        let short = if tag.len() == TAG { None } else { Some(self.short_tag_pool(tag.len())?) };
        let pool = short.as_deref().unwrap_or(&self.pool);
        self.run_aead(pool, nonce, aad, text, Tag::Verify(tag))
    }
}

/// Checks the size of a nonce: the kernel's AES-GCM takes 12 bytes only.
fn check_nonce(nonce: &[u8]) -> Result<(), Error> {
    if nonce.len() == 12 {
        return Ok(());
    }
    Err(Error::Unavailable(
        "the kernel takes nonces of 12 bytes only: choose another engine for this message",
    ))
}

enum Tag<'a> {
    Write(&'a mut [u8; TAG]),
    Verify(&'a [u8]),
}

/// Seals or opens through a buffer, as the device wants the tag after the text.
fn session_aead(
    session: &Session,
    nonce: &[u8],
    aad: &[u8],
    text: &mut Text<'_>,
    tag: Tag<'_>,
) -> Result<(), Failure> {
    let size = text.size();
    let mut buffer = Secret(try_zeroed(size + TAG).map_err(|_| NO_MEMORY)?);
    buffer.0[..size].copy_from_slice(text.source());
    if let Tag::Verify(tag) = &tag {
        buffer.0[size..].copy_from_slice(tag);
    }
    let mut iv = [0; 12];
    iv.copy_from_slice(nonce);
    session.authenticate(matches!(tag, Tag::Write(_)), &iv, aad, &mut buffer.0, TAG)?;
    target(text).copy_from_slice(&buffer.0[..size]);
    if let Tag::Write(tag) = tag {
        tag.copy_from_slice(&buffer.0[size..]);
    }
    Ok(())
}

/// Seals or opens in one message.
fn socket_aead(
    socket: &Operation,
    nonce: &[u8],
    aad: &[u8],
    text: &mut Text<'_>,
    tag: Tag<'_>,
) -> Result<(), Failure> {
    let encrypt = matches!(tag, Tag::Write(_));
    let header = Header { encrypt, iv: nonce, aad_size: Some(aad.len() as u32) };
    let (sent, received): (&[u8], &mut [u8]) = match tag {
        Tag::Write(tag) => (&[], tag),
        Tag::Verify(tag) => (tag, &mut []),
    };
    with_aad_buffer(aad.len(), |returned_aad| {
        socket.send(&header, [aad, text.source(), sent])?;
        socket.receive([returned_aad, target(text), received])
    })?
}

/// Gives `work` a buffer for the additional data, which the kernel returns unchanged.
fn with_aad_buffer<R>(size: usize, work: impl FnOnce(&mut [u8]) -> R) -> Result<R, Failure> {
    const STACK_MAX: usize = 256;
    if size <= STACK_MAX {
        return Ok(work(&mut [0; STACK_MAX][..size]));
    }
    Ok(work(&mut try_zeroed(size).map_err(|_| NO_MEMORY)?))
}

/// A buffer could not be allocated; nothing was written.
const NO_MEMORY: Failure = Failure { step: Step::Send, errno: libc::ENOMEM };

fn socket_apply(
    socket: &Operation,
    iv: &[u8; 16],
    text: &mut Text<'_>,
    range: Range<usize>,
) -> Result<(), Failure> {
    let header = Header { encrypt: true, iv, aad_size: None };
    socket.send(&header, [&text.source()[range.clone()], &[], &[]])?;
    socket.receive([&mut target(text)[range], &mut [], &mut []])
}

fn target<'a>(text: &'a mut Text<'_>) -> &'a mut [u8] {
    match text {
        Text::InPlace(bytes) => bytes,
        Text::Across { target, .. } => target,
    }
}

/// Returns true if the target may have been written to. Otherwise another engine can still take
/// over, as the source of an operation in place is unchanged.
fn may_have_written(failure: Failure) -> bool {
    matches!(failure.step, Step::Receive | Step::Run)
}

/// Overwrites a partial or unauthenticated result.
fn erase(text: &mut Text<'_>) {
    target(text).fill(0);
}

/// Bytes of ChaCha20's block, a multiple of AES's.
const BLOCK_MAX: usize = 64;

/// Returns the bytes before the kernel's block counter overflows. ChaCha20's has 32 bits in the
/// kernel, and 64 bits in all other engines.
fn until_overflow(cipher: Cipher, iv: &[u8; 16]) -> usize {
    if cipher != Cipher::ChaCha20 {
        return usize::MAX;
    }
    let block = u32::from_le_bytes([iv[0], iv[1], iv[2], iv[3]]);
    usize::try_from(((1 << 32) - u64::from(block)) * 64).unwrap_or(usize::MAX)
}

/// Computes the iv after `size` bytes. AES-CTR's counter is the whole iv, big-endian; ChaCha20's is
/// the first half, little-endian.
fn advance(cipher: Cipher, iv: &mut [u8; 16], size: usize) {
    if cipher == Cipher::ChaCha20 {
        let mut number = [0; 8];
        number.copy_from_slice(&iv[..8]);
        iv[..8].copy_from_slice(
            &u64::from_le_bytes(number).wrapping_add((size / 64) as u64).to_le_bytes(),
        );
    } else {
        *iv = u128::from_be_bytes(*iv).wrapping_add((size / 16) as u128).to_be_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_advance_and_overflow_as_in_the_kernel() {
        let mut iv = [0xff; 16];
        advance(Cipher::Aes128Ctr, &mut iv, 32);
        assert_eq!(iv, 1_u128.to_be_bytes());
        let mut iv = [0; 16];
        iv[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(until_overflow(Cipher::ChaCha20, &iv), 64);
        assert_eq!(until_overflow(Cipher::Aes256Ctr, &iv), usize::MAX);
        advance(Cipher::ChaCha20, &mut iv, 64);
        assert_eq!(iv[..8], [0, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(
            until_overflow(Cipher::ChaCha20, &iv),
            usize::try_from(64_u64 << 32).unwrap_or(usize::MAX)
        );
    }
}
