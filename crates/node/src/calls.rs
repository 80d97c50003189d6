//! What JavaScript can call. The front (`src/`) has parsed and explained everything; here numbers
//! and bytes are read and every range is checked again, so that no mistake above can reach memory.
//!
//! Most calls go through [`run`]: its numbers come in the *frame*, a Float64Array that both sides
//! know (writing one costs JavaScript a nanosecond, passing it as an argument six), and its bytes
//! as typed arrays. Digests in their common form have calls of their own, in `fast_path`.

use crate::admission;
use crate::batch::Messages;
use crate::bigint;
use crate::bytes::{Copies, Window};
use crate::cost::{self, Algorithm, limits};
use crate::environment::{Attached, Environment};
use crate::fast_path;
use crate::job::Job;
use crate::kdf::{self, Derivation};
use crate::kernel;
use crate::keys::{PreparedKey, Purpose};
use crate::memory_budget;
use crate::pages;
use crate::protocol::flag::{
    CANCELLABLE, COPIED, FRESH, HAS_AAD, HAS_IV, HAS_KEY, HAS_SIZES, HAS_TAG, HAS_TARGET,
    HAS_VIEWS, PROGRESS, SNAPSHOT, UNLIMITED,
};
use crate::protocol::{
    At, CancelResult, CopiedBytes, CostPart, EngineNumber, KdfMemory, OperationNumber as Asked,
    REPLY_MAX, Route, Status, Threads,
};
use crate::task::pool;
use crate::values::{self, Function, Value, exact_size};
use crate::work::{Key, Operation, Reply, Target, Work};
use millrace_core::catalog::{self, Cipher, Hash};
use millrace_core::engines;
use millrace_core::stack;
use millrace_pool::{CancelToken, Cancellation};
use std::sync::Arc;

pub(crate) type Call<'a> = values::Call<'a, Environment>;

/// Every function of the binding, by its name in `src/frame.ts`.
pub(crate) const FUNCTIONS: &[(&str, Function<Environment>)] = &[
    ("run", run),
    ("hash", fast_path::hash),
    ("hashHex", fast_path::hash_hex),
    ("hashBigInt", fast_path::hash_bigint),
    ("finishHex", fast_path::finish_hex),
    ("toBigIntLE", bigint::from_little),
    ("toBigIntBE", bigint::from_big),
    ("writeBigIntLE", bigint::to_little),
    ("writeBigIntBE", bigint::to_big),
    ("createKey", create_key),
    ("createMacKey", create_mac_key),
    ("disposeKey", dispose_key),
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
    ("defaultRoute", default_route),
    ("setDefaultRoute", set_default_route),
    ("beginPolling", begin_polling),
    ("poll", poll),
    ("attach", attach),
    ("threads", threads),
    ("setThreads", set_threads),
    ("recycles", recycles),
    ("setRecycling", set_recycling),
    ("catalog", catalog),
    ("version", version),
    ("engines", engines_report),
    ("forkState", kernel::fork_state),
    ("dropState", kernel::drop_state),
    ("kernelReport", kernel::report),
    ("lastReason", kernel::last_reason),
];

/// `run(source, target, iv, aad, tag, key)`: one operation as the frame says, here and now if the
/// slot is -1, else on the pool. Returns a [`Status`]; for the pool, `Done` means accepted.
fn run(call: &Call<'_>) -> Value {
    let done = Request::of(call).ok_or(Status::Argument).and_then(|request| request.start());
    call.env.number(call.state.number_of(done))
}

pub(crate) struct Request<'a> {
    pub(crate) call: &'a Call<'a>,
    frame: Window,
}

impl<'a> Request<'a> {
    /// `None` before JavaScript has attached the frame.
    pub(crate) fn of(call: &'a Call<'a>) -> Option<Request<'a>> {
        Some(Request { call, frame: call.state.attached.get()?.frame })
    }

    fn start(&self) -> Result<(), Status> {
        let slot = self.number(At::Slot);
        if slot >= 0.0 {
            return self.submit(slot as u32);
        }
        let mut copies = Copies::default();
        let mut work = self.work()?;
        part_from_target(&mut copies, &mut work)?;
        let status = work.run(&mut Reply::empty(), None);
        if matches!(work.operation, Operation::Derive) {
            memory_budget::wipe_deferred(|| {});
        }
        match status {
            Status::Done => Ok(()),
            status => Err(status),
        }
    }

    /// The route is the one asked for, or else chosen by predicted cost.
    fn submit(&self, slot: u32) -> Result<(), Status> {
        let (env, state): (_, &Environment) = (self.call.env, self.call.state);
        let mut job = state.job(env)?;
        job.slot = slot;
        job.work = self.work()?;
        if matches!(job.work.operation, Operation::Squeeze(_) | Operation::MacBegin(_)) {
            return Err(Status::NotSupported);
        }
        job.cost = cost::predict(&job.work);
        job.copied = if self.has(SNAPSHOT | COPIED) { job.work.source.size() } else { 0 };
        job.route = self.route(&job)?;
        state.make_room(&job, self.has(CANCELLABLE))?;
        if job.route == Route::Inline {
            // Nothing of the caller's runs meanwhile.
            job.work.lent = false;
            if job.work.answers_with_text() {
                own_source(&mut job.copies, &mut job.work)?;
            }
            part_from_target(&mut job.copies, &mut job.work)?;
            job.perform_here();
            if matches!(job.work.operation, Operation::Derive) {
                memory_budget::wipe_deferred(|| {});
            }
            self.tell_cost(0);
            job.copied = 0;
            state.accepted(env, slot, None);
            state.finished(job);
            return Ok(());
        }
        own_secrets(&mut job.copies, &mut job.work)?;
        if self.has(SNAPSHOT) {
            own_source(&mut job.copies, &mut job.work)?;
        }
        self.tell_cost(job.cost);
        state.copied(job.copied);
        job.cancel_token = self.has(CANCELLABLE).then(Arc::<CancelToken>::default);
        state.accepted(env, slot, job.cancel_token.clone());
        state.dispatch(job);
        Ok(())
    }

    fn route(&self, job: &Job) -> Result<Route, Status> {
        let asked =
            match Route::from_number(self.number(At::Route) as u32).ok_or(Status::Argument)? {
                Route::Auto => cost::default_route(),
                asked => asked,
            };
        if asked != Route::Auto {
            return Ok(asked);
        }
        let state = self.call.state;
        if state.may_run_inline(job.cost) {
            return Ok(Route::Inline);
        }
        // Back-pressure: what may not be copied is done now, while it is still as the caller left
        // it.
        if self.has(SNAPSHOT)
            && !self.has(UNLIMITED)
            && !state.can_copy(job.copied).ok_or(Status::CopyLimitUnset)?
        {
            return Ok(Route::Inline);
        }
        Ok(if cost::worth_splitting(&job.work, job.cost) { Route::Split } else { Route::Pool })
    }

    /// Lets JavaScript decide how to wait; 0 says that the job is done already.
    fn tell_cost(&self, cost: u64) {
        self.tell(At::Cost, cost);
    }

    fn tell(&self, at: At, number: u64) {
        if let Some(place) = self.frame.part(at as usize * size_of::<f64>(), size_of::<f64>()) {
            place.write(&(number as f64).to_ne_bytes());
        }
    }

    /// The frame and the byte arguments as work over the caller's memory, every range checked.
    fn work(&self) -> Result<Work, Status> {
        let algorithm = self.number(At::Algorithm) as u8;
        let hash = || Hash::from_id(algorithm).ok_or(Status::Argument);
        let cipher = || Cipher::from_id(algorithm).ok_or(Status::Argument);
        let operation = self.operation()?;
        let mut work = self.common(match operation {
            Asked::Hash => Operation::Hash(hash()?),
            Asked::Hmac => Operation::Hmac(hash()?),
            Asked::Encrypt | Asked::Seal => Operation::Encrypt(cipher()?),
            Asked::Decrypt | Asked::Open => Operation::Decrypt(cipher()?),
            Asked::Update => Operation::Update(hash()?),
            Asked::Finish => Operation::Finish(hash()?),
            Asked::Squeeze => Operation::Squeeze(hash()?),
            Asked::MacUpdate => Operation::MacUpdate(hash()?),
            Asked::MacFinish => Operation::MacFinish(hash()?),
            Asked::HashMany => Operation::HashMany(hash()?),
            Asked::HmacMany => Operation::HmacMany(hash()?),
            Asked::SealChunks => Operation::SealChunks(cipher()?),
            Asked::OpenChunks => Operation::OpenChunks(cipher()?),
            Asked::Scrypt | Asked::Pbkdf2 | Asked::Hkdf | Asked::Argon2 | Asked::Verify => {
                Operation::Derive
            }
            Asked::HashFile => Operation::HashFile(hash()?),
            Asked::HashFiles => Operation::HashFiles(hash()?),
            Asked::MacBegin => Operation::MacBegin(hash()?),
        })?;
        match operation {
            Asked::Encrypt if self.has(HAS_TAG) => self.tag_to_make(&mut work)?,
            Asked::Decrypt if self.has(HAS_TAG) => {
                work.tag = self.window(4, At::TagOffset, At::TagSize)?
            }
            Asked::Seal => self.appended_tag_to_make(&mut work)?,
            Asked::Open => (work.source, work.tag) = self.without_tag(work.source)?,
            Asked::Squeeze => {
                work.tag_target = Target::Memory(self.window(4, At::TagOffset, At::TagSize)?)
            }
            Asked::HashMany | Asked::HmacMany | Asked::SealChunks | Asked::OpenChunks => {
                work.messages = self.messages()?;
            }
            Asked::Scrypt | Asked::Pbkdf2 | Asked::Hkdf | Asked::Argon2 | Asked::Verify => {
                work.tag = self.input(HAS_TAG, 4, At::TagOffset, At::TagSize)?;
                work.derivation = self.derivation(operation, work.aad)?;
            }
            Asked::HashFile | Asked::HashFiles => {
                let (count, size) = (self.size(At::Count)?, self.size(At::MessageSize)?);
                work.messages = Messages::Files(count, size as u64);
            }
            _ => {}
        }
        Ok(work)
    }

    /// The operation asked for.
    pub(crate) fn operation(&self) -> Result<Asked, Status> {
        Asked::from_number(self.number(At::Operation) as u32).ok_or(Status::Argument)
    }

    fn derivation(&self, operation: Asked, aad: Window) -> Result<Derivation, Status> {
        let derivation = Derivation::of(self, operation, aad)?;
        let needed = derivation.memory();
        if memory_budget::exceeds_limit(needed) {
            self.tell_memory(needed);
            return Err(Status::KdfMemoryLimit);
        }
        Ok(derivation)
    }

    /// Lets JavaScript explain why it is too much.
    pub(crate) fn tell_memory(&self, needed: u64) {
        self.tell(At::MaxMemory, needed);
    }

    /// What all operations share; no tag yet.
    pub(crate) fn common(&self, operation: Operation) -> Result<Work, Status> {
        let key = match self.number(At::Key) {
            0.0 => Key::Bytes(self.input(HAS_KEY, 5, At::KeyOffset, At::KeySize)?),
            handle => Key::Prepared(Arc::clone(
                self.call.state.keys.borrow().get(handle as u64).ok_or(Status::KeyDisposed)?,
            )),
        };
        let target = match self.has(HAS_TARGET) {
            true => Target::Memory(self.window(1, At::TargetOffset, At::TargetSize)?),
            false => Target::Reply(
                self.size(At::TargetSize)
                    .ok()
                    .filter(|&size| size <= REPLY_MAX)
                    .ok_or(Status::Argument)?,
            ),
        };
        let asked =
            EngineNumber::from_number(self.number(At::Engine) as u32).ok_or(Status::Argument)?;
        let engine = kernel::engine(asked, &key)?;
        Ok(Work {
            operation,
            engine,
            kernel_hashes: (engine != EngineNumber::Native)
                .then(|| Arc::clone(&self.call.state.kernel_hashes)),
            key,
            seed: self.number(At::SeedLow) as u64 | (self.number(At::SeedHigh) as u64) << 32,
            iv: self.input(HAS_IV, 2, At::IvOffset, At::IvSize)?,
            aad: self.input(HAS_AAD, 3, At::AadOffset, At::AadSize)?,
            tag: Window::EMPTY,
            tag_target: Target::Memory(Window::EMPTY),
            source: if self.has(HAS_VIEWS) {
                Window::EMPTY
            } else {
                self.window(0, At::SourceOffset, At::SourceSize)?
            },
            messages: Messages::None,
            target,
            fresh: self.has(FRESH),
            lent: self.has(HAS_TARGET) && !self.has(FRESH) && self.number(At::Slot) >= 0.0,
            progress: self.has(PROGRESS).then(Arc::default),
            derivation: Derivation::NONE,
        })
    }

    fn messages(&self) -> Result<Messages, Status> {
        if self.has(HAS_SIZES) {
            return Ok(Messages::Sized);
        }
        let count = self.size(At::Count)?;
        if !self.has(HAS_VIEWS) {
            return Ok(Messages::Equal(count, self.size(At::MessageSize)?));
        }
        let (start, count) =
            (self.size(At::SourceOffset)?, u32::try_from(count).map_err(|_| Status::Argument)?);
        let start = u32::try_from(start).map_err(|_| Status::Argument)?;
        let views = self.call.env.bytes_of_each(self.call.argument(0), start, count)?;
        views.map(Messages::Views).ok_or(Status::Argument)
    }

    /// The tag in a place of its own. An asynchronous tag comes back with the completion; its place
    /// is looked at now only to refuse an overlap.
    fn tag_to_make(&self, work: &mut Work) -> Result<(), Status> {
        let place = self.window(4, At::TagOffset, At::TagSize)?;
        if matches!(work.target, Target::Memory(target) if target.overlaps(place)) {
            return Err(Status::Overlap);
        }
        work.tag_target = if self.number(At::Slot) >= 0.0 {
            Target::Reply(place.size())
        } else {
            Target::Memory(place)
        };
        Ok(())
    }

    /// Encryption whose target holds the ciphertext and then the tag.
    fn appended_tag_to_make(&self, work: &mut Work) -> Result<(), Status> {
        (work.target, work.tag_target) = match work.target {
            Target::Memory(target) => {
                let (body, tag) = self.without_tag(target)?;
                (Target::Memory(body), Target::Memory(tag))
            }
            Target::Reply(size) => (Target::Reply(size), Target::Reply(self.size(At::TagSize)?)),
        };
        Ok(())
    }

    fn without_tag(&self, sealed: Window) -> Result<(Window, Window), Status> {
        let tag_size = self.size(At::TagSize)?;
        let size = sealed.size().checked_sub(tag_size).ok_or(Status::Argument)?;
        sealed.part(0, size).zip(sealed.part(size, tag_size)).ok_or(Status::Argument)
    }

    fn input(&self, flag: u32, argument: usize, offset: At, size: At) -> Result<Window, Status> {
        if self.has(flag) { self.window(argument, offset, size) } else { Ok(Window::EMPTY) }
    }

    fn window(&self, argument: usize, offset: At, size: At) -> Result<Window, Status> {
        let bytes = self.call.bytes(argument).ok_or(Status::Argument)?;
        bytes.part(self.size(offset)?, self.size(size)?).ok_or(Status::Argument)
    }

    #[inline]
    fn has(&self, flag: u32) -> bool {
        self.number(At::Flags) as u32 & flag != 0
    }

    /// A number that can be a size: a non-negative integer that a pointer can span.
    pub(crate) fn size(&self, at: At) -> Result<usize, Status> {
        exact_size(self.number(at)).ok_or(Status::Argument)
    }

    #[inline]
    pub(crate) fn number(&self, at: At) -> f64 {
        let offset = at as usize * size_of::<f64>();
        match self.frame.read()[offset..].first_chunk() {
            Some(bytes) => f64::from_ne_bytes(*bytes),
            None => f64::NAN,
        }
    }
}

/// Copies an aad that overlaps the target: it is read while the target is written. (The state of a
/// running hash, which travels as aad, is copied where it is moved on.)
fn part_from_target(copies: &mut Copies, work: &mut Work) -> Result<(), Status> {
    if matches!(work.target, Target::Memory(target) if target.overlaps(work.aad))
        && !work.moves_state()
    {
        work.aad = copies.secrets([work.aad]).map(|[aad]| aad).ok_or(Status::Memory)?;
    }
    Ok(())
}

/// Copies key, iv, aad and tag, so that the caller may wipe or reuse them right after the call.
fn own_secrets(copies: &mut Copies, work: &mut Work) -> Result<(), Status> {
    let key = if let Key::Bytes(key) = work.key { key } else { Window::EMPTY };
    let [key, iv, aad, tag] =
        copies.secrets([key, work.iv, work.aad, work.tag]).ok_or(Status::Memory)?;
    if let Key::Bytes(bytes) = &mut work.key {
        *bytes = key;
    }
    (work.iv, work.aad, work.tag) = (iv, aad, tag);
    Ok(())
}

/// Copies a source that the caller may change: straight into a cipher's result where that has
/// memory of its own, else into memory of ours.
fn own_source(copies: &mut Copies, work: &mut Work) -> Result<(), Status> {
    let text = matches!(work.operation, Operation::Encrypt(_) | Operation::Decrypt(_));
    work.source = match work.target {
        Target::Memory(target) if text => {
            if target.size() != work.source.size() {
                return Err(Status::Argument);
            }
            match work.fresh {
                true => target.fill_new(work.source),
                false => target.copy_from(work.source),
            }
            work.fresh = false;
            target
        }
        _ => copies.text(work.source).ok_or(Status::Memory)?,
    };
    Ok(())
}

/// `createKey(kind, algorithm, bytes, engine)`: a handle above 0, or the negative of a [`Status`].
fn create_key(call: &Call<'_>) -> Value {
    let handle = stack::wiped(|| {
        let purpose = call
            .uint32(0)
            .zip(call.uint32(1))
            .and_then(|(kind, id)| Purpose::from_numbers(kind, id));
        let bytes = call.bytes(2).ok_or(Status::Argument)?;
        let engine =
            EngineNumber::from_number(call.uint32(3).unwrap_or(0)).ok_or(Status::Argument)?;
        let key = PreparedKey::new(purpose.ok_or(Status::Argument)?, bytes.read(), engine)?;
        call.state.keys.borrow_mut().keep(key)
    });
    key_handle(call, handle)
}

/// `createMacKey(hash)` with the handle of a cipher's key in the frame: the handle of an HMAC key
/// of the same bytes, or minus a [`Status`].
fn create_mac_key(call: &Call<'_>) -> Value {
    let handle = stack::wiped(|| {
        let hash = call
            .uint32(0)
            .and_then(|id| Hash::from_id(u8::try_from(id).ok()?))
            .ok_or(Status::Argument)?;
        let request = Request::of(call).ok_or(Status::Argument)?;
        let mut keys = call.state.keys.borrow_mut();
        let key = keys.get(request.number(At::Key) as u64).ok_or(Status::KeyDisposed)?;
        let key = key.mac(hash).ok_or(Status::KeyAlgorithm)??;
        keys.keep(key)
    });
    key_handle(call, handle)
}

/// The answer of calls that make a key.
fn key_handle(call: &Call<'_>, handle: Result<u64, Status>) -> Value {
    match handle {
        Ok(handle) => {
            call.env.adjust_external_memory(KEY_BYTES);
            call.env.double(handle as f64)
        }
        Err(status) => call.env.double(-f64::from(call.state.number_of(Err(status)))),
    }
}

/// Bytes that V8 is told a prepared key takes, so that keys which are forgotten make it collect:
/// AES-GCM's schedule and table, the key itself, the allocator's share and what JavaScript keeps
/// beside them, rounded up.
const KEY_BYTES: i64 = 4096;

/// `disposeKey()` with the handle in the frame: 1 if it was alive.
fn dispose_key(call: &Call<'_>) -> Value {
    let alive = Request::of(call).is_some_and(|request| {
        call.state.keys.borrow_mut().dispose(request.number(At::Key) as u64)
    });
    if alive {
        call.env.adjust_external_memory(-KEY_BYTES);
    }
    call.env.number(u32::from(alive))
}

/// `cancel(slot)`: 1 if the job has not started and never will, 2 if it runs and will soon come
/// back, cancelled unless it was quicker, 0 if it has ended.
fn cancel(call: &Call<'_>) -> Value {
    let outcome = call.uint32(0).map_or(Cancellation::AfterEnd, |slot| call.state.cancel(slot));
    let outcome = match outcome {
        Cancellation::AfterEnd => CancelResult::AfterEnd,
        Cancellation::BeforeStart => CancelResult::BeforeStart,
        Cancellation::Requested => CancelResult::Requested,
    };
    call.env.number(outcome as u32)
}

/// `flushDerivations()`: the turn ends, and the derivations that have gathered go to the pool.
fn flush_derivations(call: &Call<'_>) -> Value {
    call.state.flush();
    call.env.undefined()
}

/// `freeDerivationMemory()`: nothing was derived for a while; kept memory goes back to the system.
fn free_derivation_memory(call: &Call<'_>) -> Value {
    memory_budget::free_scratch();
    call.env.undefined()
}

/// `progress(slot)`: how far a derivation has come, from 0 to 1.
fn progress(call: &Call<'_>) -> Value {
    call.env.double(call.uint32(0).map_or(0.0, |slot| call.state.progress(slot)))
}

/// `needsRehash(source, target, iv, aad, ...)`, arguments and frame as for `run`: 0 or 1, or the
/// negative of a [`Status`].
fn needs_rehash(call: &Call<'_>) -> Value {
    let answer =
        Request::of(call).ok_or(Status::Argument).and_then(|request| kdf::needs_rehash(&request));
    call.env.double(match answer {
        Ok(needed) => f64::from(u8::from(needed)),
        Err(status) => -f64::from(call.state.number_of(Err(status))),
    })
}

/// `equal(left, right)`: 1 if the bytes are equal, 0 if not, in a time that depends on their number
/// only; -1 if they are not as many.
fn equal(call: &Call<'_>) -> Value {
    let same = match (call.bytes(0), call.bytes(1)) {
        (Some(left), Some(right)) if left.size() == right.size() => {
            i8::from(kdf::equal(left.read(), right.read()))
        }
        _ => -1,
    };
    call.env.double(f64::from(same))
}

/// `derivationMemory(which)`: a [`KdfMemory`].
fn derivation_memory(call: &Call<'_>) -> Value {
    let (taken, waiting) = memory_budget::usage();
    let number = call.uint32(0).and_then(KdfMemory::from_number).map(|which| match which {
        KdfMemory::Limit => memory_budget::limit() as f64,
        KdfMemory::Taken => taken as f64,
        KdfMemory::Waiting => waiting as f64,
    });
    call.env.double(number.unwrap_or(f64::NAN))
}

/// `setDerivationMemory(limit)`, for the whole process.
fn set_derivation_memory(call: &Call<'_>) -> Value {
    if let Some(limit) = call.double(0).and_then(exact_size) {
        memory_budget::set_limit(limit as u64);
        admission::submit_waiting();
    }
    call.env.undefined()
}

/// `predict(algorithm, bytes, messages)`: predicted nanoseconds of hashing them.
fn predict(call: &Call<'_>) -> Value {
    let hash = call.uint32(0).and_then(|id| Hash::from_id(id as u8));
    let cost = hash
        .zip(call.double(1))
        .zip(call.double(2))
        .map(|((hash, bytes), count)| cost::predict_messages(hash, bytes as usize, count as usize));
    call.env.double(cost.unwrap_or(0) as f64)
}

/// `cost(cipher, id, part)`: of a cipher or a hash the fixed nanoseconds (0), those per byte (1),
/// what one of many messages takes of them (2), and whether all that stays as it is (3).
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

/// The algorithm named by the first two arguments, a hash if the first is 0, else a cipher, and its
/// number.
fn algorithm_of(call: &Call<'_>) -> Option<Algorithm> {
    let id = u8::try_from(call.uint32(1)?).ok()?;
    match call.uint32(0) {
        Some(0) => Hash::from_id(id).map(Algorithm::Hash),
        _ => Cipher::from_id(id).map(Algorithm::Cipher),
    }
}

/// `inlineLimit()`: nanoseconds of work that is done during its call while others are in flight.
fn inline_limit(call: &Call<'_>) -> Value {
    call.env.double(limits::INLINE_NS as f64)
}

/// `costs()`: all cost models, as JSON.
fn costs(call: &Call<'_>) -> Value {
    call.env.utf8(&cost::to_json())
}

/// `epoch()`: another number whenever a cost model or the default route has changed.
fn epoch(call: &Call<'_>) -> Value {
    call.env.number(cost::epoch())
}

/// `canCopy(size)`: 1 if so many bytes may be copied, 0 if not, -1 while no limit is set and
/// that matters.
fn can_copy(call: &Call<'_>) -> Value {
    let size = call.double(0).and_then(exact_size).unwrap_or(usize::MAX);
    call.env.double(call.state.can_copy(size).map_or(-1.0, |room| f64::from(u8::from(room))))
}

/// `copies(which)`: the most bytes that may be copied (0), which is 0 while no limit is set, or
/// those copied now (1).
fn copies(call: &Call<'_>) -> Value {
    let bytes = call.uint32(0).and_then(CopiedBytes::from_number).map(|which| match which {
        CopiedBytes::Limit => cost::copies_limit() as f64,
        CopiedBytes::Now => call.state.copied_now() as f64,
    });
    call.env.double(bytes.unwrap_or(f64::NAN))
}

/// `setCopies(limit)`, for the whole process.
fn set_copies(call: &Call<'_>) -> Value {
    if let Some(limit) = call.double(0).and_then(exact_size) {
        cost::set_copies_limit(limit);
    }
    call.env.undefined()
}

/// `defaultRoute()`: the route of calls that ask for none.
fn default_route(call: &Call<'_>) -> Value {
    call.env.number(cost::default_route() as u32)
}

/// `setDefaultRoute(route)`, for the whole process.
fn set_default_route(call: &Call<'_>) -> Value {
    if let Some(route) = call.uint32(0).and_then(Route::from_number) {
        cost::set_default_route(route);
    }
    call.env.undefined()
}

/// `beginPolling()`: JavaScript will call `poll` once per turn of the loop.
fn begin_polling(call: &Call<'_>) -> Value {
    call.state.begin_polling();
    call.env.undefined()
}

/// `poll()`: settles what has arrived; a [`Poll`](crate::environment::Poll).
fn poll(call: &Call<'_>) -> Value {
    call.env.number(call.state.poll(call.env) as u32)
}

/// `attach(frame, completion_buffer, settle, input_buffer)`: once per environment, before anything else.
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

/// `threads(which)`: the pool's limit (0), workers started (1) or jobs queued (2).
fn threads(call: &Call<'_>) -> Value {
    let threads = pool().threads();
    let number = call.uint32(0).and_then(Threads::from_number).map(|which| match which {
        Threads::Limit => threads.limit,
        Threads::Started => threads.started,
        Threads::Queued => threads.queued,
    });
    call.env.double(number.map_or(f64::NAN, |number| number as f64))
}

/// `setThreads(limit)`.
fn set_threads(call: &Call<'_>) -> Value {
    if let Some(limit) = call.uint32(0) {
        pool().resize(limit as usize);
    }
    call.env.undefined()
}

/// `recycles()`: 1 if memory of large results that was freed is kept for others.
fn recycles(call: &Call<'_>) -> Value {
    call.env.number(u32::from(pages::keeps_freed()))
}

/// `setRecycling(keep)`.
fn set_recycling(call: &Call<'_>) -> Value {
    if let Some(keep) = call.uint32(0) {
        pages::set_keeping(keep != 0);
    }
    call.env.undefined()
}

/// `version()`: the version of this binary, which must be that of the front (`node-binary.ts`).
fn version(call: &Call<'_>) -> Value {
    call.env.utf8(env!("CARGO_PKG_VERSION"))
}

/// `catalog()`: the table of algorithms as JSON.
fn catalog(call: &Call<'_>) -> Value {
    call.env.utf8(&catalog::to_json())
}

/// `engines()`: what serves which algorithm, as JSON.
fn engines_report(call: &Call<'_>) -> Value {
    call.env.utf8(&engines::report_json())
}
