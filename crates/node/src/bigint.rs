//! Converts bytes to an unsigned BigInt and back, in both byte orders, at any width. JavaScript has
//! checked the arguments. The words of a BigInt are its 64-bit digits, least significant first.

use crate::environment::Call;
use crate::values::{Env, Value};

/// Numbers of at most this many words are on the stack.
const STACK_WORDS: usize = 128;
/// Most numbers have at most this many words: clearing the whole kilobyte would take 15 ns more.
const FEW_WORDS: usize = 8;
const WORD: usize = size_of::<u64>();

/// `toBigIntLE(source)`: returns the bytes of a Uint8Array as a number, `undefined` for any other
/// argument.
pub(crate) fn from_little(call: &Call<'_>) -> Value {
    let Some(source) = call.uint8_array(0) else { return Value::NOTHING };
    let source = source.read();
    // V8 throws a RangeError for numbers that are too long even without leading zeros.
    let size = match source {
        [.., 0] if source.len() > STACK_WORDS * WORD => {
            source.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)
        }
        _ => source.len(),
    };
    let (chunks, rest) = source[..size].as_chunks::<WORD>();
    let made = with_words(size.div_ceil(WORD), |words| {
        for (word, chunk) in words.iter_mut().zip(chunks) {
            *word = u64::from_le_bytes(*chunk);
        }
        if let Some(word) = words.get_mut(chunks.len()) {
            *word = rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        call.env.bigint(words)
    });
    made.unwrap_or(Value::NOTHING)
}

/// `toBigIntBE(source)`: as `toBigIntLE`, with the most significant byte first.
pub(crate) fn from_big(call: &Call<'_>) -> Value {
    call.uint8_array(0).map_or(Value::NOTHING, |source| from_big_endian(call.env, source.read()))
}

/// Returns bytes as a number, most significant first; `undefined` when memory is short.
#[inline]
pub(crate) fn from_big_endian(env: Env, mut source: &[u8]) -> Value {
    if source.len() > STACK_WORDS * WORD {
        source = &source[source.iter().position(|&byte| byte != 0).unwrap_or(source.len())..];
    }
    let made = with_words(source.len().div_ceil(WORD), |words| {
        // Read word by word, as digests are written: vector loads would wait for the words in the
        // store buffer.
        for word in words.iter_mut() {
            *word = match source.split_last_chunk() {
                Some((before, chunk)) => {
                    source = before;
                    u64::from_be_bytes(*chunk)
                }
                None => source.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
            };
        }
        env.bigint(words)
    });
    made.unwrap_or(Value::NOTHING)
}

/// `writeBigIntLE(number, target)`: writes the low bytes of the number's magnitude to a Uint8Array,
/// padded with zeros. Returns `undefined`, or 1 for other arguments.
pub(crate) fn to_little(call: &Call<'_>) -> Value {
    to_bytes(call, |target, words| {
        let (chunks, rest) = target.as_chunks_mut::<WORD>();
        let (whole, zeros) = chunks.split_at_mut(chunks.len().min(words.len()));
        for (chunk, word) in whole.iter_mut().zip(words) {
            *chunk = word.to_le_bytes();
        }
        zeros.fill([0; WORD]);
        let last = words.get(chunks.len()).copied().unwrap_or(0).to_le_bytes();
        for (byte, from) in rest.iter_mut().zip(last) {
            *byte = from;
        }
    })
}

/// `writeBigIntBE(number, target)`: as `writeBigIntLE`, with the most significant byte first.
pub(crate) fn to_big(call: &Call<'_>) -> Value {
    to_bytes(call, |target, words| {
        let (rest, chunks) = target.as_rchunks_mut::<WORD>();
        let whole = chunks.len().min(words.len());
        let (zeros, filled) = chunks.split_at_mut(chunks.len() - whole);
        zeros.fill([0; WORD]);
        for (chunk, word) in filled.iter_mut().zip(words[..whole].iter().rev()) {
            *chunk = word.to_be_bytes();
        }
        let last = words.get(chunks.len()).copied().unwrap_or(0).to_le_bytes();
        for (byte, from) in rest.iter_mut().rev().zip(last) {
            *byte = from;
        }
    })
}

fn to_bytes(call: &Call<'_>, write: impl Fn(&mut [u8], &[u64])) -> Value {
    let done = (|| {
        let (number, target) = (call.argument(0), call.uint8_array(1)?);
        let target = target.exclusive(&[])?;
        // A large target needs no more words than the number has.
        let mut count = target.len().div_ceil(WORD);
        if count > STACK_WORDS {
            count = count.min(call.env.bigint_size(number)?);
        }
        with_words(count, |words| {
            let given = call.env.bigint_words(number, words)?;
            write(target, &words[..given]);
            Some(())
        })?
    })();
    match done {
        Some(()) => Value::NOTHING,
        None => call.env.number(1),
    }
}

/// Runs `work` with `count` zero words, on the heap if they are many; returns `None` when memory is
/// short.
fn with_words<Result>(count: usize, work: impl FnOnce(&mut [u64]) -> Result) -> Option<Result> {
    if count <= FEW_WORDS {
        let mut words = [0; FEW_WORDS];
        return Some(work(&mut words[..count]));
    }
    if count <= STACK_WORDS {
        let mut words = [0; STACK_WORDS];
        return Some(work(&mut words[..count]));
    }
    let mut words = Vec::new();
    words.try_reserve_exact(count).ok()?;
    words.resize(count, 0);
    Some(work(&mut words))
}
