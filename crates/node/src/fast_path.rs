//! The common digests in one crossing: a few numbers of the frame, and no Buffer for a text.
//!
//! In the frame stand the algorithm, a prepared key or 0, and the size of the source: negative for
//! all of the typed array that is passed, else a range of the input buffer is the source. With a key for
//! HMAC the digest is one.

use crate::bigint;
use crate::bytes::Window;
use crate::environment::Call;
use crate::frame::Frame;
use crate::keys::PreparedKey;
use crate::protocol::{At, WHOLE};
use crate::values::Value;
use crate::work::Status;
use millrace_core::catalog::Hash;
use millrace_core::hash::{self, Params};
use millrace_core::hasher;
use millrace_core::hmac::KeyStates;

/// `hash(source, target)`: the digest at the start of target. Returns a [`Status`].
pub(crate) fn hash(call: &Call<'_>) -> Value {
    let done = (|| {
        let fast = FastRequest::of(call).ok_or(Status::Argument)?;
        let (source, target) = (fast.source()?, call.bytes(1).ok_or(Status::Argument)?);
        fast.digest(source, target.exclusive(&[source]).ok_or(Status::Overlap)?)
    })();
    call.env.number(call.state.status_number(done))
}

/// `hashHex(source)`: the digest as hex, without a Buffer in between. Anything but a typed array,
/// or an algorithm without a fixed size, gives `undefined`.
pub(crate) fn hash_hex(call: &Call<'_>) -> Value {
    let (mut digest, mut text) = ([0; 64], [0; 128]);
    match digest_of(call, &mut digest) {
        Some(digest) => call.env.ascii(hex(digest, &mut text)),
        None => call.env.undefined(),
    }
}

/// `hashBigInt(source)`: the same as a big-endian BigInt.
pub(crate) fn hash_bigint(call: &Call<'_>) -> Value {
    let mut digest = [0; 64];
    match digest_of(call, &mut digest) {
        Some(digest) => bigint::spelled(call.env, digest),
        None => call.env.undefined(),
    }
}

/// `finishHex(state, key)`: what the running hash in this state and the rest of the message on the
/// input buffer come to, as hex. With the states of a key it is an HMAC, whose state may be empty.
pub(crate) fn finish_hex(call: &Call<'_>) -> Value {
    let (mut digest, mut text) = ([0; 64], [0; 128]);
    match finished(call, &mut digest) {
        Some(digest) => call.env.ascii(hex(digest, &mut text)),
        None => call.env.undefined(),
    }
}

// Inlined in all of its users: 3 to 5 ns of 60.
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
            return call.bytes(0).ok_or(Status::Argument);
        }
        let input_buffer = call.state.attached.get().ok_or(Status::Argument)?.input_buffer;
        input_buffer
            .part(self.frame.size(At::SourceOffset)?, self.frame.size(At::SourceSize)?)
            .ok_or(Status::Argument)
    }

    #[inline(always)]
    fn digest(&self, source: Window, digest: &mut [u8]) -> Result<(), Status> {
        match self.frame.number(At::Key) {
            0.0 => Ok(hash::digest(self.hash, &Params::default(), source.read(), digest)?),
            handle => self.keyed_digest(handle, source, digest),
        }
    }

    /// Apart, so that the digest without a key stays small: 10 ns of 60.
    #[inline(never)]
    fn keyed_digest(&self, handle: f64, source: Window, digest: &mut [u8]) -> Result<(), Status> {
        self.with_key(handle, |key| match key {
            PreparedKey::Mac(key, _) => Ok(key.mac(source.read(), digest)?),
            PreparedKey::Hash(_, key) => Ok(hash::digest(
                self.hash,
                &Params { seed: 0, key: Some(key) },
                source.read(),
                digest,
            )?),
            PreparedKey::Cipher(..) => Err(Status::KeyAlgorithm),
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
                PreparedKey::Hash(_, key) => Ok(hasher::finish(
                    hash,
                    &Params { seed: 0, key: Some(key) },
                    state,
                    rest,
                    digest,
                )?),
                PreparedKey::Cipher(..) => Err(Status::KeyAlgorithm),
            }),
        }
    }

    /// Gives `work` the key of a handle, which must have been prepared for this hash.
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

/// Lower-case hex of at most 64 bytes. Arithmetic, not a table: the compiler makes vectors of it (2
/// ns for 32 bytes, 16 with a table), and the time does not depend on the digest.
fn hex<'a>(bytes: &[u8], text: &'a mut [u8; 128]) -> &'a [u8] {
    let digit = |nibble: u8| nibble + b'0' + u8::from(nibble > 9) * (b'a' - b'0' - 10);
    for (&byte, pair) in bytes.iter().zip(text.as_chunks_mut::<2>().0) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
    &text[..bytes.len() * 2]
}
