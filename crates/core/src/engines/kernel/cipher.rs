//! Ciphers by the kernel. Stream ciphers go in chunks, each a message of its own that begins where
//! the one before has ended; a message of an AEAD goes in one piece.

use std::sync::{Arc, Mutex, PoisonError};

use super::af_alg::{Header, Operation};
use super::cryptodev::Session;
use super::hash::{CHUNK, Rhythm, checkpoint, chunk_size};
use super::names::What;
use super::places::{At, Place, Places, Secret};
use super::reason::{Failure, Step, short_tag, too_large};
use super::{Way, open};
use crate::Error;
use crate::allocate::try_zeroed;
use crate::catalog::Cipher;
use crate::engines::Provider;
use crate::inputs::Text;

/// Bytes of a whole tag.
pub(super) const TAG: usize = 16;

/// The most bytes of text, and of additional data, that the device is given at once.
pub(super) const DEVICE_TEXT: usize = CHUNK;
const DEVICE_AAD: usize = CHUNK / 2;

/// The most bytes of a message of an AEAD with its additional data that goes over sockets with a
/// system's usual settings.
pub(super) const SOCKET_MESSAGE: usize = 192 << 10;

/// A cipher under a key.
pub(crate) struct CipherKey {
    cipher: Cipher,
    places: Places,
    /// Where shorter tags are checked, by their size; the kernel takes the size with the key.
    shorter: Mutex<Vec<(usize, Arc<Places>)>>,
    key: Secret,
}

impl CipherKey {
    pub(super) fn new(provider: Provider, cipher: Cipher, key: &[u8]) -> Result<CipherKey, Error> {
        let what = What::Cipher(cipher);
        let tag_size = cipher.facts().aead.then_some(TAG);
        let places = open(provider, what, Some(key), tag_size)?;
        Ok(CipherKey { cipher, places, shorter: Mutex::default(), key: Secret::of(key) })
    }

    /// Runs a stream cipher.
    pub(super) fn apply(
        &self,
        iv: &[u8],
        mut text: Text<'_>,
        mut rhythm: Rhythm<'_, '_>,
    ) -> Result<(), Error> {
        let mut iv: [u8; 16] = iv.try_into().map_err(|_| Error::IvSize)?;
        let (size, most) = (text.size(), chunk_size(&rhythm) / BLOCK_MAX * BLOCK_MAX);
        if size == 0 {
            return Ok(());
        }
        let place = self.places.take()?;
        let mut done = 0;
        while done < size {
            let chunk = most.min(size - done).min(until_overflow(self.cipher, &iv));
            let result = match &place.at {
                At::Socket(socket) => apply_by_socket(socket, &iv, &mut text, done, chunk),
                At::Session(session) => apply_by_session(session, &iv, &mut text, done, chunk),
            };
            let spoiled = done > 0 || result.is_err_and(spoils);
            let result = result.map_err(|failure| failure.error(self.places.what));
            done += chunk;
            advance(self.cipher, &mut iv, chunk);
            if let Err(error) = result.and_then(|()| checkpoint(&mut rhythm, chunk)) {
                if spoiled || error == Error::Cancelled {
                    erase(&mut text);
                }
                return Err(error);
            }
        }
        self.places.keep(place);
        Ok(())
    }

    /// Encrypts and authenticates.
    pub(super) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        mut text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        // A shorter tag is the beginning of the whole one.
        let mut whole = [0; TAG];
        let place = self.places.take()?;
        self.check_size(&place, aad.len(), text.size())?;
        let result = match &place.at {
            At::Socket(socket) => seal_by_socket(socket, nonce, aad, &mut text, &mut whole),
            At::Session(session) => {
                self.by_session(session, nonce, aad, &mut text, Side::Seal(&mut whole))
            }
        };
        if let Err(failure) = result {
            if spoils(failure) {
                erase(&mut text);
            }
            return Err(failure.error(self.places.what));
        }
        self.places.keep(place);
        tag.copy_from_slice(&whole[..tag.len()]);
        Ok(())
    }

    /// Decrypts what the tag authenticates.
    pub(super) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        mut text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let shorter = if tag.len() == TAG { None } else { Some(self.shorter(tag.len())?) };
        let places = shorter.as_deref().unwrap_or(&self.places);
        let place = places.take()?;
        self.check_size(&place, aad.len(), text.size())?;
        let result = match &place.at {
            At::Socket(socket) => open_by_socket(socket, nonce, aad, &mut text, tag),
            At::Session(session) => {
                self.by_session(session, nonce, aad, &mut text, Side::Open(tag))
            }
        };
        match result {
            Ok(()) => places.keep(place),
            Err(failure) => {
                if spoils(failure) {
                    erase(&mut text);
                }
                let error = failure.error(places.what);
                // The message is gone from the queue, and the next may come.
                if error == Error::Authentication {
                    places.keep(place);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Where tags of so many bytes are checked.
    fn shorter(&self, size: usize) -> Result<Arc<Places>, Error> {
        let gcm = matches!(self.cipher, Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm);
        if self.places.way == Way::Cryptodev || !gcm {
            return Err(short_tag(self.places.way.title(), self.places.what, size));
        }
        let mut shorter = self.shorter.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, places)) = shorter.iter().find(|(of, _)| *of == size) {
            return Ok(Arc::clone(places));
        }
        let places = Places::open(Way::AfAlg, self.places.what, Some(&self.key.0), Some(size));
        let places = Arc::new(places.map_err(|opening| opening.error(self.places.what))?);
        shorter.push((size, Arc::clone(&places)));
        Ok(places)
    }

    /// Whether a message goes through in one piece.
    fn check_size(&self, place: &Place, aad: usize, text: usize) -> Result<(), Error> {
        let what = self.places.what;
        match &place.at {
            At::Socket(socket) if aad.saturating_add(text).saturating_add(TAG) > socket.room() => {
                Err(too_large("AF_ALG", what, socket.room().saturating_sub(TAG)))
            }
            At::Session(_) if text > DEVICE_TEXT || aad > DEVICE_AAD => {
                Err(too_large("cryptodev", what, DEVICE_TEXT))
            }
            _ => Ok(()),
        }
    }

    /// By way of memory in which the tag stands behind the text.
    fn by_session(
        &self,
        session: &Session,
        nonce: &[u8],
        aad: &[u8],
        text: &mut Text<'_>,
        side: Side<'_>,
    ) -> Result<(), Failure> {
        let size = text.size();
        let mut room = Secret(try_zeroed(size + TAG).map_err(|_| NO_MEMORY)?);
        room.0[..size].copy_from_slice(source(text));
        if let Side::Open(tag) = &side {
            room.0[size..].copy_from_slice(tag);
        }
        let mut iv = [0; 12];
        iv.copy_from_slice(nonce);
        session.authenticate(matches!(side, Side::Seal(_)), &iv, aad, &mut room.0, TAG)?;
        target(text).copy_from_slice(&room.0[..size]);
        if let Side::Seal(tag) = side {
            tag.copy_from_slice(&room.0[size..]);
        }
        Ok(())
    }
}

/// Which way, with the tag to make or to check.
enum Side<'a> {
    Seal(&'a mut [u8; TAG]),
    Open(&'a [u8]),
}

fn seal_by_socket(
    socket: &Operation,
    nonce: &[u8],
    aad: &[u8],
    text: &mut Text<'_>,
    tag: &mut [u8; TAG],
) -> Result<(), Failure> {
    let header = Header { encrypt: true, iv: nonce, aad_size: Some(aad.len() as u32) };
    with_room(aad.len(), |room| {
        socket.send(&header, [aad, source(text), &[]])?;
        socket.receive([room, target(text), tag])
    })?
}

fn open_by_socket(
    socket: &Operation,
    nonce: &[u8],
    aad: &[u8],
    text: &mut Text<'_>,
    tag: &[u8],
) -> Result<(), Failure> {
    let header = Header { encrypt: false, iv: nonce, aad_size: Some(aad.len() as u32) };
    with_room(aad.len(), |room| {
        socket.send(&header, [aad, source(text), tag])?;
        socket.receive([room, target(text), &mut []])
    })?
}

/// Room for the additional data, which come back as they went.
fn with_room<R>(size: usize, work: impl FnOnce(&mut [u8]) -> R) -> Result<R, Failure> {
    const SMALL: usize = 256;
    if size <= SMALL {
        return Ok(work(&mut [0; SMALL][..size]));
    }
    Ok(work(&mut try_zeroed(size).map_err(|_| NO_MEMORY)?))
}

/// There is no memory to work in, before anything was written.
const NO_MEMORY: Failure = Failure { step: Step::Send, errno: libc::ENOMEM };

fn apply_by_socket(
    socket: &Operation,
    iv: &[u8; 16],
    text: &mut Text<'_>,
    at: usize,
    size: usize,
) -> Result<(), Failure> {
    let header = Header { encrypt: true, iv, aad_size: None };
    socket.send(&header, [&source(text)[at..at + size], &[], &[]])?;
    socket.receive([&mut target(text)[at..at + size], &mut [], &mut []])
}

fn apply_by_session(
    session: &Session,
    iv: &[u8; 16],
    text: &mut Text<'_>,
    at: usize,
    size: usize,
) -> Result<(), Failure> {
    match text {
        Text::InPlace(bytes) => session.apply(iv, &mut bytes[at..at + size]),
        Text::Across { source, target } => {
            session.apply_to(iv, &source[at..at + size], &mut target[at..at + size])
        }
    }
}

fn source<'a>(text: &'a Text<'_>) -> &'a [u8] {
    match text {
        Text::InPlace(bytes) => bytes,
        Text::Across { source, .. } => source,
    }
}

fn target<'a>(text: &'a mut Text<'_>) -> &'a mut [u8] {
    match text {
        Text::InPlace(bytes) => bytes,
        Text::Across { target, .. } => target,
    }
}

/// Whether a failure came so late that the target may have been written to. Before that an engine
/// that is allowed to take over still finds the text where it was.
fn spoils(failure: Failure) -> bool {
    matches!(failure.step, Step::Receive | Step::Run)
}

/// No half of a text, and nothing unauthenticated.
fn erase(text: &mut Text<'_>) {
    target(text).fill(0);
}

/// The larger of both blocks: AES's have 16 bytes, ChaCha20's 64.
const BLOCK_MAX: usize = 64;

/// Bytes before the kernel's block number would begin anew: ChaCha20's has 32 bits there, and 64
/// everywhere else.
fn until_overflow(cipher: Cipher, iv: &[u8; 16]) -> usize {
    if cipher != Cipher::ChaCha20 {
        return usize::MAX;
    }
    let block = u32::from_le_bytes([iv[0], iv[1], iv[2], iv[3]]);
    usize::try_from(((1 << 32) - u64::from(block)) * 64).unwrap_or(usize::MAX)
}

/// The iv of what comes after a chunk: AES-CTR counts in all of it, big-endian, ChaCha20 in the
/// first half, little-endian.
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
    fn counters() {
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
