//! The most common digests in one call with few numbers, and text without a Buffer in between; see
//! [`millrace_request::fast_path`].

use crate::bigint;
use crate::environment::Call;
use crate::values::Value;
use millrace_request::fast_path::{FastRequest, digest_of, finished, hash_pairs as pairs, update};
use millrace_request::frame::Frame;
use millrace_request::numbers::exact_size;
use millrace_request::protocol::{At, Status};
use millrace_request::text::{base64_of, base64_size, base64url_of, hex_of, prefixed_hex_of};

/// `hash(source, target)`: writes the digest to the target, a Uint8Array. Returns a [`Status`].
pub(crate) fn hash(call: &Call<'_>) -> Value {
    let done = (|| {
        let fast = FastRequest::of(call).ok_or(Status::Argument)?;
        let (source, target) = (fast.source()?, call.uint8_array(1).ok_or(Status::Argument)?);
        fast.digest(source, target.exclusive(&[source]).ok_or(Status::Overlap)?)
    })();
    call.env.number(call.state.status_number(done))
}

/// `hashPairs(nodes, target)`: writes the digest of each pair of nodes. Returns a [`Status`].
pub(crate) fn hash_pairs(call: &Call<'_>) -> Value {
    let done = (|| {
        let fast = FastRequest::of(call).ok_or(Status::Argument)?;
        // Memory without bytes may be detached, which JavaScript finds out.
        let nodes = call.bytes(0).filter(|nodes| nodes.size() > 0).ok_or(Status::Argument)?;
        pairs(fast.hash, nodes, call.bytes(1).ok_or(Status::Argument)?)
    })();
    call.env.number(call.state.status_number(done))
}

/// `hashHex(source)`: returns the digest as hex; `undefined` for a source that is not a typed
/// array, and for an algorithm without a fixed size.
pub(crate) fn hash_hex(call: &Call<'_>) -> Value {
    let (mut digest, mut text) = ([0; 64], [0; 128]);
    match digest_of(call, &mut digest) {
        Some(digest) => call.env.ascii(hex_of(digest, &mut text)),
        None => Value::NOTHING,
    }
}

/// `hashPrefixedHex(source)`: as `hashHex`, after `0x`.
pub(crate) fn hash_prefixed_hex(call: &Call<'_>) -> Value {
    let (mut digest, mut text) = ([0; 64], [0; 130]);
    match digest_of(call, &mut digest) {
        Some(digest) => call.env.ascii(prefixed_hex_of(digest, digest.len(), &mut text)),
        None => Value::NOTHING,
    }
}

/// The most characters of one text: 32 digests of 64 bytes as hex, each after `0x`.
const TEXT_MAX: usize = 32 * 130;

/// `prefixedHex(digests, size)`: returns consecutive digests of `size` bytes as hex, each after
/// `0x`; `undefined` for other arguments and for more than [`TEXT_MAX`] characters.
pub(crate) fn prefixed_hex(call: &Call<'_>) -> Value {
    let Some(size) = call.double(1).and_then(exact_size).filter(|&size| size > 0) else {
        return Value::NOTHING;
    };
    text_of(
        call,
        |all| (all / size).checked_mul(size.checked_mul(2)?.checked_add(2)?),
        |digests, text| prefixed_hex_of(digests, size, text),
    )
}

/// `hex(bytes)`: returns the bytes as hex; `undefined` for other arguments and for more than
/// [`TEXT_MAX`] characters.
pub(crate) fn hex_text(call: &Call<'_>) -> Value {
    text_of(call, |size| size.checked_mul(2), hex_of)
}

/// `base64(bytes)`: as `hex`, in Base64.
pub(crate) fn base64_text(call: &Call<'_>) -> Value {
    text_of(call, base64_size, base64_of)
}

/// `base64url(bytes)`: as `hex`, in Base64 for URLs.
pub(crate) fn base64url_text(call: &Call<'_>) -> Value {
    text_of(call, base64_size, base64url_of)
}

/// Returns the text that `write` makes of the bytes of the first argument, with up to `length`
/// characters.
fn text_of(
    call: &Call<'_>,
    length: impl Fn(usize) -> Option<usize>,
    write: impl for<'a> Fn(&[u8], &'a mut [u8]) -> &'a [u8],
) -> Value {
    let Some(source) = call.uint8_array(0) else { return Value::NOTHING };
    match length(source.size()) {
        Some(0..=130) => call.env.ascii(write(source.read(), &mut [0; 130])),
        Some(131..=TEXT_MAX) => call.env.ascii(write(source.read(), &mut [0; TEXT_MAX])),
        _ => Value::NOTHING,
    }
}

/// `hashBigInt(source)`: returns the digest as a big-endian BigInt, otherwise as `hashHex`.
pub(crate) fn hash_bigint(call: &Call<'_>) -> Value {
    let mut digest = [0; 64];
    match digest_of(call, &mut digest) {
        Some(digest) => bigint::from_big_endian(call.env, digest),
        None => Value::NOTHING,
    }
}

/// `hashWord(source)`: writes the digest, of at most 64 bits, to the frame as a big-endian number.
/// JavaScript makes a BigInt of it in 110 instructions fewer than Node-API. Returns a [`Status`].
pub(crate) fn hash_word(call: &Call<'_>) -> Value {
    let mut digest = [0; 64];
    let done = (|| {
        let digest = digest_of(call, &mut digest)?;
        let word = digest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        (digest.len() <= size_of_val(&word)).then_some(())?;
        Frame::of(call)?.set_word(word)
    })();
    call.env.number(call.state.status_number(done.ok_or(Status::Argument)))
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

/// `updateHash(state, source)`: hashes the first bytes of the input buffer, then a range of the
/// source, and replaces the state, which is empty at first. Returns a [`Status`].
pub(crate) fn update_hash(call: &Call<'_>) -> Value {
    call.env.number(call.state.status_number(update(call)))
}

/// `finishHex(state, keyStates)`: returns the digest, as hex, of a running hash with this state
/// after the rest of the message in the input buffer. With the states of a key it returns the HMAC;
/// the running hash's state may then be empty.
pub(crate) fn finish_hex(call: &Call<'_>) -> Value {
    let (mut digest, mut text) = ([0; 64], [0; 128]);
    match finished(call, &mut digest) {
        Some(digest) => call.env.ascii(hex_of(digest, &mut text)),
        None => Value::NOTHING,
    }
}
