//! The functions that JavaScript can call. Most operations go through [`run::run`], with numbers in
//! the frame; the most common digests have functions in `fast_path`.

use crate::admission;
use crate::bigint;
use crate::cost::{self, Algorithm, limits};
use crate::environment::{Attached, Call, Environment};
use crate::fast_path;
use crate::handles;
use crate::run;
use crate::task::pool;
use crate::values::{Function, Value};
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::engines;
use millrace_core::key_memory;
use millrace_pool::Cancellation;
use millrace_request::decode;
use millrace_request::engine;
use millrace_request::frame::Frame;
use millrace_request::memory_budget;
use millrace_request::numbers::exact_size;
use millrace_request::pages;
use millrace_request::protocol::{
    At, CancelResult, CopiedBytes, CostPart, KERNEL_HANDLE_BYTES, KdfMemory, Route, SecureMemory,
    Status, Threads,
};

/// The functions by their names in `src/base/frame.ts`.
pub(crate) const FUNCTIONS: &[(&str, Function<Environment>)] = &[
    ("run", run::run),
    ("hash", fast_path::hash),
    ("hashPairs", fast_path::hash_pairs),
    ("hashHex", fast_path::hash_hex),
    ("hashPrefixedHex", fast_path::hash_prefixed_hex),
    ("prefixedHex", fast_path::prefixed_hex),
    ("hex", fast_path::hex_text),
    ("base64", fast_path::base64_text),
    ("base64url", fast_path::base64url_text),
    ("hashBigInt", fast_path::hash_bigint),
    ("hashWord", fast_path::hash_word),
    ("digest", fast_path::digest),
    ("finishHex", fast_path::finish_hex),
    ("updateHash", fast_path::update_hash),
    ("toBigIntLE", bigint::from_little),
    ("toBigIntBE", bigint::from_big),
    ("writeBigIntLE", bigint::to_little),
    ("writeBigIntBE", bigint::to_big),
    ("createKey", handles::create_key),
    ("createMacKey", handles::create_mac_key),
    ("extendKey", handles::extend_key),
    ("disposeKey", handles::dispose_key),
    ("reserveKey", handles::reserve_key),
    ("publicKeyOf", handles::public_key_of),
    ("describeKey", handles::describe_key),
    ("exportKey", handles::export_key),
    ("rawKeys", handles::raw_keys),
    ("createCipher", handles::create_cipher),
    ("updateCipher", handles::update_cipher),
    ("finishCipher", handles::finish_cipher),
    ("copyCipher", handles::copy_cipher),
    ("cancel", cancel),
    ("flushDerivations", flush_derivations),
    ("progress", progress),
    ("freeDerivationMemory", free_derivation_memory),
    ("needsRehash", needs_rehash),
    ("equal", equal),
    ("derivationMemory", derivation_memory),
    ("setDerivationMemory", set_derivation_memory),
    ("predict", predict),
    ("cost", cost_part),
    ("costs", costs),
    ("inlineLimit", inline_limit),
    ("epoch", epoch),
    ("canCopy", can_copy),
    ("copies", copies),
    ("setCopies", set_copies),
    ("countCopies", count_copies),
    ("defaultRoute", default_route),
    ("setDefaultRoute", set_default_route),
    ("beginPolling", begin_polling),
    ("poll", poll),
    ("attach", attach),
    ("threads", threads),
    ("setThreads", set_threads),
    ("recycles", recycles),
    ("setRecycling", set_recycling),
    ("secureMemory", secure_memory),
    ("secureMemoryMode", secure_memory_mode),
    ("setSecureMemory", set_secure_memory),
    ("version", version),
    ("engines", engines_report),
    ("forkState", fork_state),
    ("dropState", drop_state),
    ("kernelReport", kernel_report),
    ("lastReason", last_reason),
    #[cfg(feature = "failing-allocator")]
    ("failAllocations", crate::failing_allocator::fail_allocations),
];

/// `cancel(slot)`: returns a [`CancelResult`].
fn cancel(call: &Call<'_>) -> Value {
    let outcome = call.uint32(0).map_or(Cancellation::AfterEnd, |slot| call.state.cancel(slot));
    let outcome = match outcome {
        Cancellation::AfterEnd => CancelResult::AfterEnd,
        Cancellation::BeforeStart => CancelResult::BeforeStart,
        Cancellation::Requested => CancelResult::Requested,
    };
    call.env.number(outcome as u32)
}

/// `flushDerivations()`: submits the derivations of this iteration of the loop to the pool.
fn flush_derivations(call: &Call<'_>) -> Value {
    call.state.flush();
    Value::NOTHING
}

/// `freeDerivationMemory()`: returns the memory kept for derivations to the system.
fn free_derivation_memory(_call: &Call<'_>) -> Value {
    memory_budget::free_scratch();
    Value::NOTHING
}

/// `progress(slot)`: returns the progress of a job, from 0 to 1.
fn progress(call: &Call<'_>) -> Value {
    call.env.double(call.uint32(0).map_or(0.0, |slot| call.state.progress(slot)))
}

/// `needsRehash(source, target, iv, aad, ...)`, with arguments and frame as for `run`: returns 0 or
/// 1, or minus a [`Status`].
fn needs_rehash(call: &Call<'_>) -> Value {
    let answer =
        Frame::of(call).ok_or(Status::Argument).and_then(|frame| decode::needs_rehash(&frame));
    call.env.double(match answer {
        Ok(needed) => f64::from(u8::from(needed)),
        Err(status) => -f64::from(call.state.status_number(Err(status))),
    })
}

/// `equal(left, right)`, with two Uint8Arrays: returns 1 if the bytes are equal and 0 if not, in a
/// time that depends on their number only; 2 if their numbers differ.
fn equal(call: &Call<'_>) -> Value {
    let same = match (call.uint8_array(0), call.uint8_array(1)) {
        (Some(left), Some(right)) if left.size() == right.size() => {
            u32::from(millrace_core::kdf::equal(left.read(), right.read()))
        }
        _ => 2,
    };
    call.env.number(same)
}

/// `derivationMemory(which)`: returns a [`KdfMemory`].
fn derivation_memory(call: &Call<'_>) -> Value {
    let (taken, waiting) = memory_budget::usage();
    let number = call.uint32(0).and_then(KdfMemory::from_number).map(|which| match which {
        KdfMemory::Limit => memory_budget::limit() as f64,
        KdfMemory::Taken => taken as f64,
        KdfMemory::Waiting => waiting as f64,
    });
    call.env.double(number.unwrap_or(f64::NAN))
}

/// `setDerivationMemory(limit)`: sets the limit in bytes, for the whole process.
fn set_derivation_memory(call: &Call<'_>) -> Value {
    if let Some(limit) = call.double(0).and_then(exact_size) {
        memory_budget::set_limit(limit as u64);
        admission::submit_waiting();
    }
    Value::NOTHING
}

/// `predict(algorithm, bytes, messages)`: returns the predicted nanoseconds of hashing `bytes`
/// bytes in `messages` messages.
fn predict(call: &Call<'_>) -> Value {
    let hash = call.uint32(0).and_then(|id| Hash::from_id(id as u8));
    let cost = hash
        .zip(call.double(1))
        .zip(call.double(2))
        .map(|((hash, bytes), count)| cost::predict_messages(hash, bytes as usize, count as usize));
    call.env.double(cost.unwrap_or(0) as f64)
}

/// `cost(cipher, id, part)`: returns a [`CostPart`] of a hash or cipher.
fn cost_part(call: &Call<'_>) -> Value {
    let part = call.uint32(2).and_then(CostPart::from_number);
    let number = algorithm_of(call).zip(part).map(|(algorithm, part)| match part {
        CostPart::Fixed => f64::from(cost::cost_model(algorithm).fixed_ns),
        CostPart::PerByte => f64::from(cost::cost_model(algorithm).per_byte_ns),
        CostPart::BatchFactor => f64::from(cost::cost_model(algorithm).batch_factor),
        CostPart::Settled => f64::from(u8::from(cost::is_settled(algorithm))),
    });
    call.env.double(number.unwrap_or(f64::NAN))
}

/// Returns the algorithm of the first two arguments: 0 for a hash, else a cipher; and its number.
fn algorithm_of(call: &Call<'_>) -> Option<Algorithm> {
    let id = u8::try_from(call.uint32(1)?).ok()?;
    match call.uint32(0) {
        Some(0) => Hash::from_id(id).map(Algorithm::Hash),
        _ => Cipher::from_id(id).map(Algorithm::Cipher),
    }
}

/// `inlineLimit()`: returns the most nanoseconds of a job that runs inline while others are in
/// flight.
fn inline_limit(call: &Call<'_>) -> Value {
    call.env.double(limits::INLINE_NS as f64)
}

/// `costs()`: returns all cost models as JSON.
fn costs(call: &Call<'_>) -> Value {
    call.env.utf8(&cost::to_json())
}

/// `epoch()`: returns a number that changes with every cost model and with the default route.
fn epoch(call: &Call<'_>) -> Value {
    call.env.number(cost::epoch())
}

/// `canCopy(size)`: returns 1 if `size` bytes may be copied for a call and 0 if not; -1 if that
/// depends on a limit that is not set.
fn can_copy(call: &Call<'_>) -> Value {
    let size = call.double(0).and_then(exact_size).unwrap_or(usize::MAX);
    call.env.double(call.state.can_copy(size).map_or(-1.0, |allowed| f64::from(u8::from(allowed))))
}

/// `copies(which)`: returns a [`CopiedBytes`].
fn copies(call: &Call<'_>) -> Value {
    let bytes = call.uint32(0).and_then(CopiedBytes::from_number).map(|which| match which {
        CopiedBytes::Limit => cost::copies_limit() as f64,
        CopiedBytes::Now => call.state.copied.get() as f64,
    });
    call.env.double(bytes.unwrap_or(f64::NAN))
}

/// `setCopies(limit)`: sets the most bytes that are copied at once, for the whole process.
fn set_copies(call: &Call<'_>) -> Value {
    if let Some(limit) = call.double(0).and_then(exact_size) {
        cost::set_copies_limit(limit);
    }
    Value::NOTHING
}

/// `countCopies(bytes)`: counts bytes that JavaScript has copied for an operation that waits for
/// its turn; negative ones have been released.
fn count_copies(call: &Call<'_>) -> Value {
    let copied = &call.state.copied;
    if let Some(bytes) = call.double(0).filter(|bytes| bytes.is_finite()) {
        // Rounds a negative sum to 0.
        copied.set((copied.get() as f64 + bytes) as usize);
    }
    Value::NOTHING
}

/// `defaultRoute()`: returns the route of calls that name none.
fn default_route(call: &Call<'_>) -> Value {
    call.env.number(cost::default_route() as u32)
}

/// `setDefaultRoute(route)`: sets it for the whole process.
fn set_default_route(call: &Call<'_>) -> Value {
    if let Some(route) = call.uint32(0).and_then(Route::from_number) {
        cost::set_default_route(route);
    }
    Value::NOTHING
}

/// `beginPolling()`: records that JavaScript calls `poll` once per iteration of the loop from now
/// on.
fn begin_polling(call: &Call<'_>) -> Value {
    call.state.begin_polling();
    Value::NOTHING
}

/// `poll()`: settles the results in the queue. Returns a [`Poll`](crate::environment::Poll).
fn poll(call: &Call<'_>) -> Value {
    call.env.number(call.state.poll(call.env) as u32)
}

/// `attach(frame, completionBuffer, settle, inputBuffer)`: registers the environment's buffers,
/// once and before any other function. Returns 1, or 0 for invalid arguments.
fn attach(call: &Call<'_>) -> Value {
    let attached = (|| {
        let (frame, completion_buffer, input_buffer) =
            (call.bytes(0)?, call.bytes(1)?, call.bytes(3)?);
        let complete = frame.size() >= At::Length as usize * size_of::<f64>()
            && call.env.is_function(call.argument(2));
        if !complete {
            return None;
        }
        let _memory = [0, 1, 3].map(|index| call.env.pin(call.argument(index)));
        Some(Attached {
            frame,
            completion_buffer,
            input_buffer,
            settle: call.env.pin(call.argument(2))?,
            _memory,
        })
    })();
    let done = attached.is_some_and(|attached| call.state.attached.set(attached).is_ok());
    call.env.number(u32::from(done))
}

/// `threads(which)`: returns a [`Threads`].
fn threads(call: &Call<'_>) -> Value {
    let threads = pool().threads();
    let number = call.uint32(0).and_then(Threads::from_number).map(|which| match which {
        Threads::Limit => threads.limit,
        Threads::Started => threads.started,
        Threads::Queued => threads.queued,
    });
    call.env.double(number.map_or(f64::NAN, |number| number as f64))
}

/// `setThreads(limit)`: sets the most workers of the pool.
fn set_threads(call: &Call<'_>) -> Value {
    if let Some(limit) = call.uint32(0) {
        pool().resize(limit as usize);
    }
    Value::NOTHING
}

/// `recycles()`: returns 1 if the freed memory of large results is kept for others.
fn recycles(call: &Call<'_>) -> Value {
    call.env.number(u32::from(pages::keeps_freed()))
}

/// `setRecycling(keep)`: sets what `recycles` returns.
fn set_recycling(call: &Call<'_>) -> Value {
    if let Some(keep) = call.uint32(0) {
        pages::set_keeping(keep != 0);
    }
    Value::NOTHING
}

/// `secureMemory()`: returns how prepared keys are kept, as JSON.
fn secure_memory(call: &Call<'_>) -> Value {
    call.env.utf8(&key_memory::report_json())
}

/// `secureMemoryMode()`: returns how keys are kept from now on.
fn secure_memory_mode(call: &Call<'_>) -> Value {
    call.env.number(match key_memory::mode() {
        key_memory::Mode::Off => SecureMemory::Off,
        key_memory::Mode::Preferred => SecureMemory::Preferred,
        key_memory::Mode::Required => SecureMemory::Required,
    } as u32)
}

/// `setSecureMemory(mode)`: sets how keys are kept from now on. Returns a [`Status`].
fn set_secure_memory(call: &Call<'_>) -> Value {
    let mode = match call.uint32(0).and_then(SecureMemory::from_number) {
        Some(SecureMemory::Off) => key_memory::Mode::Off,
        Some(SecureMemory::Preferred) => key_memory::Mode::Preferred,
        Some(SecureMemory::Required) => key_memory::Mode::Required,
        None => return call.env.number(call.state.status_number(Err(Status::Argument))),
    };
    let set = key_memory::set_mode(mode).map_err(Status::from);
    call.env.number(call.state.status_number(set))
}

/// `version()`: returns the version of this binary, which must be that of the package.
fn version(call: &Call<'_>) -> Value {
    call.env.utf8(env!("CARGO_PKG_VERSION"))
}

/// `engines()`: returns the implementation of each algorithm as JSON.
fn engines_report(call: &Call<'_>) -> Value {
    call.env.utf8(&engines::report_json())
}

/// `forkState(handle, next)`: copies a running hash that is in the kernel, and writes the copy's
/// handle to `next`. Returns a [`Status`].
fn fork_state(call: &Call<'_>) -> Value {
    let done = (|| {
        let (handle, next) = call.bytes(0).zip(call.bytes(1)).ok_or(Status::Argument)?;
        let mut new = [0; KERNEL_HANDLE_BYTES];
        let new = new.get_mut(..next.size()).ok_or(Status::OutputSize)?;
        call.state.kernel_hashes.copy(handle.read(), new)?;
        next.write(new);
        Ok(())
    })();
    call.env.number(call.state.status_number(done))
}

/// `dropState(handle)`: closes a running hash that is in the kernel. Returns 1, or 0 if it was
/// closed already.
fn drop_state(call: &Call<'_>) -> Value {
    let closed = call.bytes(0).is_some_and(|handle| call.state.kernel_hashes.close(handle.read()));
    call.env.number(u32::from(closed))
}

/// `kernelReport(probe)`: returns what the kernel supports, as JSON; with 1 asks the kernel first.
fn kernel_report(call: &Call<'_>) -> Value {
    call.env.utf8(&engine::kernel_report(call.uint32(0) == Some(1)))
}

/// `lastReason()`: returns the message of the last error of this environment that has one.
fn last_reason(call: &Call<'_>) -> Value {
    call.env.utf8(call.state.reason.get())
}
