//! The most common digests in one call with few numbers, and text without a Buffer in between.
//!
//! The frame holds the algorithm, the handle of a prepared key or 0, and the size of the source. A
//! negative size stands for the whole typed array that is passed, any other for a range of the
//! input buffer. With a key for HMAC the digest is an HMAC.

use crate::bigint;
use crate::bytes::Window;
use crate::environment::Call;
use crate::frame::Frame;
use crate::keys::PreparedKey;
use crate::protocol::flag::HAS_KEY;
use crate::protocol::{At, OperationNumber, WHOLE};
use crate::values::{Value, exact_size};
use crate::work::Status;
use millrace_core::catalog::Hash;
use millrace_core::hash::{self, Params};
use millrace_core::hasher;
use millrace_core::hmac::{self, KeyStates};

/// `hash(source, target)`: writes the digest to the target. Returns a [`Status`].
pub(crate) fn hash(call: &Call<'_>) -> Value {
    let done = (|| {
        let fast = FastRequest::of(call).ok_or(Status::Argument)?;
        let (source, target) = (fast.source()?, call.bytes(1).ok_or(Status::Argument)?);
        fast.digest(source, target.exclusive(&[source]).ok_or(Status::Overlap)?)
    })();
    call.env.number(call.state.status_number(done))
}

/// `hashHex(source)`: returns the digest as hex; `undefined` for a source that is no typed array,
/// and for an algorithm without a fixed size.
pub(crate) fn hash_hex(call: &Call<'_>) -> Value {
    let (mut digest, mut text) = ([0; 64], [0; 128]);
    match digest_of(call, &mut digest) {
        Some(digest) => call.env.ascii(hex(digest, &mut text)),
        None => call.env.undefined(),
    }
}

/// `hashPrefixedHex(source)`: as `hashHex`, after `0x`.
pub(crate) fn hash_prefixed_hex(call: &Call<'_>) -> Value {
    let (mut digest, mut text) = ([0; 64], [0; 130]);
    match digest_of(call, &mut digest) {
        Some(digest) => call.env.ascii(prefixed_hex_of(digest, digest.len(), &mut text)),
        None => call.env.undefined(),
    }
}

/// The most text that `prefixedHex` returns: 32 digests of 64 bytes.
const PREFIXED_MAX: usize = 32 * 130;

/// `prefixedHex(digests, size)`: returns consecutive digests of `size` bytes as hex, each after
/// `0x`; `undefined` for other arguments and for more than [`PREFIXED_MAX`] characters.
pub(crate) fn prefixed_hex(call: &Call<'_>) -> Value {
    let text = (|| {
        let digests = call.uint8_array(0)?;
        let size = call.double(1).and_then(exact_size).filter(|&size| size > 0)?;
        let length = (digests.size() / size).checked_mul(size.checked_mul(2)?.checked_add(2)?)?;
        match length {
            0..=130 => Some(call.env.ascii(prefixed_hex_of(digests.read(), size, &mut [0; 130]))),
            131..=PREFIXED_MAX => {
                let mut text = [0; PREFIXED_MAX];
                Some(call.env.ascii(prefixed_hex_of(digests.read(), size, &mut text)))
            }
            _ => None,
        }
    })();
    text.unwrap_or(Value::NOTHING)
}

/// `hashBigInt(source)`: returns the digest as a big-endian BigInt, otherwise as `hashHex`.
pub(crate) fn hash_bigint(call: &Call<'_>) -> Value {
    let mut digest = [0; 64];
    match digest_of(call, &mut digest) {
        Some(digest) => bigint::from_big_endian(call.env, digest),
        None => call.env.undefined(),
    }
}

/// `digest(source, target, key)`: hashes as `hash` does, with a seed and a key, which is a handle
/// or, with a flag, bytes; or computes an HMAC. Writes to a range of the target, which may overlap
/// source and key. Returns a [`Status`].
pub(crate) fn digest(call: &Call<'_>) -> Value {
    let done = (|| {
        let fast = FastRequest::of(call).ok_or(Status::Argument)?;
        let target = fast.frame.window(1, At::TargetOffset, At::TargetSize)?;
        let mut digest = [0; 64];
        let digest = digest.get_mut(..target.size()).ok_or(Status::OutputSize)?;
        fast.digest_with(fast.source()?, digest)?;
        target.write(digest);
        Ok(())
    })();
    call.env.number(call.state.status_number(done))
}

/// `finishHex(state, keyStates)`: returns the digest, as hex, of a running hash with this state
/// after the rest of the message in the input buffer. With the states of a key it returns the HMAC,
/// whose state may be empty.
pub(crate) fn finish_hex(call: &Call<'_>) -> Value {
    let (mut digest, mut text) = ([0; 64], [0; 128]);
    match finished(call, &mut digest) {
        Some(digest) => call.env.ascii(hex(digest, &mut text)),
        None => call.env.undefined(),
    }
}

// Inlined into all callers: saves 3 to 5 ns of 60.
#[inline(always)]
fn digest_of<'a>(call: &Call<'_>, digest: &'a mut [u8; 64]) -> Option<&'a [u8]> {
    let fast = FastRequest::of(call)?;
    let source = fast.source().ok()?;
    let digest = digest.get_mut(..fast.hash.facts().digest_size)?;
    fast.digest(source, digest).ok()?;
    Some(digest)
}

fn finished<'a>(call: &Call<'_>, digest: &'a mut [u8; 64]) -> Option<&'a [u8]> {
    let fast = FastRequest::of(call)?;
    let rest = fast.source().ok()?;
    let state = call.bytes(0)?.part(0, fast.frame.size(At::AadSize).ok()?)?;
    let digest = digest.get_mut(..fast.hash.facts().digest_size)?;
    fast.finish(state, rest, digest).ok()?;
    Some(digest)
}

const _: () = assert!(WHOLE < 0.0);

struct FastRequest<'a> {
    frame: Frame<'a>,
    hash: Hash,
}

impl<'a> FastRequest<'a> {
    fn of(call: &'a Call<'a>) -> Option<FastRequest<'a>> {
        let frame = Frame::of(call)?;
        let hash = Hash::from_id(frame.number(At::Algorithm) as u8)?;
        Some(FastRequest { frame, hash })
    }

    #[inline(always)]
    fn source(&self) -> Result<Window, Status> {
        let call = self.frame.call;
        if self.frame.number(At::SourceSize) < 0.0 {
            // Memory without bytes may be detached, which JavaScript finds out.
            return call.bytes(0).filter(|bytes| bytes.size() > 0).ok_or(Status::Argument);
        }
        let input_buffer = call.state.attached.get().ok_or(Status::Argument)?.input_buffer;
        input_buffer
            .part(self.frame.size(At::SourceOffset)?, self.frame.size(At::SourceSize)?)
            .ok_or(Status::Argument)
    }

    #[inline(always)]
    fn digest(&self, source: Window, digest: &mut [u8]) -> Result<(), Status> {
        match self.frame.number(At::Key) {
            0.0 => Ok(hash::digest(self.hash, &Params::default(), source.read(), digest, None)?),
            handle => self.keyed_digest(handle, source, digest),
        }
    }

    /// Computes a digest or HMAC with the seed and the key of the call.
    #[inline]
    fn digest_with(&self, source: Window, digest: &mut [u8]) -> Result<(), Status> {
        let frame = &self.frame;
        let handle = frame.number(At::Key);
        if handle != 0.0 {
            return self.keyed_digest(handle, source, digest);
        }
        let key = if frame.has(HAS_KEY) { frame.call.bytes(2) } else { None };
        match (frame.operation()?, &key) {
            (OperationNumber::Hmac, Some(key)) => {
                Ok(hmac::hmac(self.hash, key.read(), source.read(), digest)?)
            }
            (OperationNumber::Hash, key) => {
                let seed =
                    frame.number(At::SeedLow) as u64 | (frame.number(At::SeedHigh) as u64) << 32;
                let params = Params::in_key(seed, key.as_ref().map_or(&[], |key| key.read()))?;
                Ok(hash::digest(self.hash, &params, source.read(), digest, None)?)
            }
            _ => Err(Status::Argument),
        }
    }

    /// A function of its own, so that digests without a key stay small: saves 10 ns of 60.
    #[inline(never)]
    fn keyed_digest(&self, handle: f64, source: Window, digest: &mut [u8]) -> Result<(), Status> {
        self.with_key(handle, |key| match key {
            PreparedKey::Mac(key, _) => Ok(key.mac(source.read(), digest, None)?),
            PreparedKey::Hash(_, key) => {
                let params = Params::in_key(0, key)?;
                Ok(hash::digest(self.hash, &params, source.read(), digest, None)?)
            }
            PreparedKey::Cipher(..) | PreparedKey::Running(_) => Err(Status::KeyAlgorithm),
        })
    }

    fn finish(&self, state: Window, rest: Window, digest: &mut [u8]) -> Result<(), Status> {
        let (hash, state, rest) = (self.hash, state.read(), rest.read());
        match self.frame.number(At::Key) {
            0.0 => match self.frame.call.bytes(1) {
                None => Ok(hasher::finish(hash, &Params::default(), state, rest, digest)?),
                Some(states) => {
                    Ok(KeyStates::new(hash, states.read())?.finish(state, rest, digest)?)
                }
            },
            handle => self.with_key(handle, |key| match key {
                PreparedKey::Mac(key, _) => Ok(key.finish(state, rest, digest)?),
                PreparedKey::Hash(_, key) => {
                    Ok(hasher::finish(hash, &Params::in_key(0, key)?, state, rest, digest)?)
                }
                PreparedKey::Cipher(..) | PreparedKey::Running(_) => Err(Status::KeyAlgorithm),
            }),
        }
    }

    /// Runs `work` with the key of a handle.
    ///
    /// # Errors
    /// [`Status::KeyDisposed`], [`Status::KeyAlgorithm`] if it is a key for another algorithm, and
    /// those of `work`.
    fn with_key(
        &self,
        handle: f64,
        work: impl FnOnce(&PreparedKey) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let keys = self.frame.call.state.keys.borrow();
        let key = keys.get(handle as u64).ok_or(Status::KeyDisposed)?;
        match &**key {
            PreparedKey::Mac(mac, _) if mac.hash() == self.hash => work(key),
            PreparedKey::Hash(of, _) if *of == self.hash => work(key),
            _ => Err(Status::KeyAlgorithm),
        }
    }
}

/// Returns lower-case hex of at most 64 bytes.
fn hex<'a>(bytes: &[u8], text: &'a mut [u8; 128]) -> &'a [u8] {
    write_hex(bytes, text);
    &text[..bytes.len() * 2]
}

/// Writes lower-case hex. The compiler vectorizes the arithmetic (2 ns for 32 bytes, 16 with a
/// table), and the time does not depend on the digest.
#[inline(always)]
fn write_hex(bytes: &[u8], text: &mut [u8]) {
    let digit = |nibble: u8| nibble + b'0' + u8::from(nibble > 9) * (b'a' - b'0' - 10);
    for (&byte, pair) in bytes.iter().zip(text.as_chunks_mut::<2>().0) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
}

/// Returns digests of `size` bytes, which fit, as lower-case hex, each after `0x`.
fn prefixed_hex_of<'a>(digests: &[u8], size: usize, text: &'a mut [u8]) -> &'a [u8] {
    let each = 2 * size + 2;
    for (digest, place) in digests.chunks_exact(size).zip(text.chunks_exact_mut(each)) {
        place[..2].copy_from_slice(b"0x");
        write_hex(digest, &mut place[2..]);
    }
    &text[..digests.len() / size * each]
}
