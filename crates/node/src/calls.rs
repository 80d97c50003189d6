//! What JavaScript can call. The front (`src/`) has parsed and explained everything; here numbers
//! and bytes are read and every range is checked again, so that no mistake above can reach memory.
//!
//! Most calls go through [`run`]: its numbers come in the *frame*, a Float64Array that both sides
//! know (writing one costs JavaScript a nanosecond, passing it as an argument six), and its bytes
//! as typed arrays. Digests in their everyday form have calls of their own.

use crate::bytes::{Secret, Window};
use crate::completion::Ticket;
use crate::job::{Input, Job, Key, Operation, Reply, Source, Status, Target, Work};
use crate::keys::{PreparedKey, Purpose};
use crate::lifecycle::{Attached, Environment, pool};
use crate::values::{Call, Function, Value};
use millrace_core::catalog::{self, Cipher, Hash};
use millrace_core::engines;
use millrace_core::hash::{self, Params};
use millrace_pool::Task;
use std::sync::Arc;

/// Every function of the binding, by its name in `src/binding.ts`.
pub(crate) const FUNCTIONS: &[(&str, Function)] = &[
    ("run", run),
    ("hash", hash_into),
    ("hashText", hash_text),
    ("createKey", create_key),
    ("disposeKey", dispose_key),
    ("cancel", cancel),
    ("attach", attach),
    ("threads", threads),
    ("setThreads", set_threads),
    ("catalog", catalog),
    ("engines", engines_report),
];

/// The frame's numbers by index; the same list stands in `src/binding.ts`.
#[derive(Copy, Clone)]
enum At {
    Operation = 0,
    Algorithm,
    Slot,
    Flags,
    Key,
    KeyOffset,
    KeySize,
    IvOffset,
    IvSize,
    SourceOffset,
    SourceSize,
    TargetOffset,
    TargetSize,
    AadOffset,
    AadSize,
    TagOffset,
    TagSize,
    SeedLow,
    SeedHigh,
}

/// Which byte arguments are given, and how the job may treat them.
const HAS_TARGET: u32 = 1;
const HAS_IV: u32 = 2;
const HAS_AAD: u32 = 4;
const HAS_TAG: u32 = 8;
const HAS_KEY: u32 = 16;
/// The source is the caller's to change after the call: copy it now.
const SNAPSHOT: u32 = 32;
const CANCELLABLE: u32 = 64;

/// `run(source, target, iv, aad, tag, key)`: one operation as the frame says, here and now if the
/// slot is -1, else on the pool. Returns a [`Status`]; for the pool, `Done` means accepted.
fn run(call: &Call<'_>) -> Value {
    let status = match call.state.attached.get() {
        Some(attached) => Request { call, frame: attached.frame }.start(),
        None => Err(Status::Argument),
    };
    call.env.number(status.err().unwrap_or(Status::Done) as u32)
}

struct Request<'a> {
    call: &'a Call<'a>,
    frame: Window,
}

impl Request<'_> {
    fn start(&self) -> Result<(), Status> {
        let slot = self.number(At::Slot);
        if slot < 0.0 {
            let mut reply = Reply::empty();
            return match self.work(false)?.run(&mut reply) {
                Status::Done => Ok(()),
                status => Err(status),
            };
        }
        self.submit(slot as u32)
    }

    /// Routes will be chosen here by predicted cost; today every asynchronous job goes to the pool.
    fn submit(&self, slot: u32) -> Result<(), Status> {
        let (env, state): (_, &Environment) = (self.call.env, self.call.state);
        let completion = Arc::clone(state.completion(env).ok_or(Status::Internal)?);
        let work = self.work(true)?;
        let ticket = self.has(CANCELLABLE).then(Arc::<Ticket>::default);
        state.departed(env, slot, ticket.clone());
        if let Err(job) = pool().submit(Box::new(Job { slot, work, completion, ticket })) {
            job.run(); // Not one thread to be had: late is better than never.
        }
        Ok(())
    }

    /// The frame and the byte arguments as work whose every range has been checked.
    fn work(&self, asynchronous: bool) -> Result<Work, Status> {
        let algorithm = self.number(At::Algorithm) as u8;
        let hash = || Hash::from_id(algorithm).ok_or(Status::Argument);
        let cipher = || Cipher::from_id(algorithm).ok_or(Status::Argument);
        Ok(match self.number(At::Operation) as u32 {
            0 => self.digest(Operation::Hash(hash()?), asynchronous)?,
            1 => self.digest(Operation::Hmac(hash()?), asynchronous)?,
            2 => self.encrypt(cipher()?, asynchronous)?,
            3 => self.decrypt(cipher()?, asynchronous)?,
            4 => self.seal(cipher()?, asynchronous)?,
            5 => self.open(cipher()?, asynchronous)?,
            _ => return Err(Status::Argument),
        })
    }

    fn digest(&self, operation: Operation, asynchronous: bool) -> Result<Work, Status> {
        let work = self.common(operation, asynchronous)?;
        Ok(if self.has(SNAPSHOT) { Work { source: Source::Copied(work.source.read().to_vec()), ..work } } else { work })
    }

    /// The tag in a place of its own. An asynchronous tag comes back with the completion; its place
    /// is looked at now only to refuse an overlap.
    fn encrypt(&self, cipher: Cipher, asynchronous: bool) -> Result<Work, Status> {
        let mut work = self.common(Operation::Encrypt(cipher), asynchronous)?;
        if self.has(HAS_TAG) {
            let place = self.window(4, At::TagOffset, At::TagSize)?;
            if matches!(work.target, Target::Memory(target) if target.overlaps(place)) {
                return Err(Status::Overlap);
            }
            work.tag_target = if asynchronous { Target::Reply(place.size()) } else { Target::Memory(place) };
        }
        self.snapshot(work)
    }

    fn decrypt(&self, cipher: Cipher, asynchronous: bool) -> Result<Work, Status> {
        let mut work = self.common(Operation::Decrypt(cipher), asynchronous)?;
        if self.has(HAS_TAG) {
            work.tag = Input::Copied(Secret::copy(self.window(4, At::TagOffset, At::TagSize)?));
        }
        self.snapshot(work)
    }

    /// Encryption whose target holds the ciphertext and then the tag.
    fn seal(&self, cipher: Cipher, asynchronous: bool) -> Result<Work, Status> {
        let mut work = self.common(Operation::Encrypt(cipher), asynchronous)?;
        (work.target, work.tag_target) = match work.target {
            Target::Memory(target) => {
                let (body, tag) = self.without_tag(target)?;
                (Target::Memory(body), Target::Memory(tag))
            }
            Target::Reply(size) => (Target::Reply(size), Target::Reply(self.size(At::TagSize)?)),
        };
        self.snapshot(work)
    }

    /// Decryption whose source holds the ciphertext and then the tag.
    fn open(&self, cipher: Cipher, asynchronous: bool) -> Result<Work, Status> {
        let mut work = self.common(Operation::Decrypt(cipher), asynchronous)?;
        if let Source::Lent(source) = work.source {
            let (body, tag) = self.without_tag(source)?;
            work.source = Source::Lent(body);
            work.tag = Input::Copied(Secret::copy(tag));
        }
        self.snapshot(work)
    }

    fn without_tag(&self, sealed: Window) -> Result<(Window, Window), Status> {
        let tag_size = self.size(At::TagSize)?;
        let size = sealed.size().checked_sub(tag_size).ok_or(Status::Argument)?;
        sealed.part(0, size).zip(sealed.part(size, tag_size)).ok_or(Status::Argument)
    }

    /// A cipher's copy of a source the caller may change: straight into the result's memory where
    /// there is one, else into memory of ours.
    fn snapshot(&self, mut work: Work) -> Result<Work, Status> {
        if let (true, Source::Lent(source)) = (self.has(SNAPSHOT), &work.source) {
            work.source = match work.target {
                Target::Memory(target) if target.size() == source.size() => {
                    target.copy_from(*source);
                    Source::Lent(target)
                }
                Target::Memory(_) => return Err(Status::Argument),
                Target::Reply(_) => Source::Copied(source.read().to_vec()),
            };
        }
        Ok(work)
    }

    /// What all operations share; the source still lent, no tag.
    fn common(&self, operation: Operation, asynchronous: bool) -> Result<Work, Status> {
        const NOTHING: Window = Window::EMPTY;
        let key = match self.number(At::Key) {
            0.0 => Key::Bytes(self.input(asynchronous, HAS_KEY, 5, At::KeyOffset, At::KeySize)?),
            handle => Key::Prepared(Arc::clone(self.call.state.keys.borrow().get(handle as u64).ok_or(Status::KeyDisposed)?)),
        };
        let iv = self.input(asynchronous, HAS_IV, 2, At::IvOffset, At::IvSize)?;
        let source = self.window(0, At::SourceOffset, At::SourceSize)?;
        let target = match self.has(HAS_TARGET) {
            true => Target::Memory(self.window(1, At::TargetOffset, At::TargetSize)?),
            false => Target::Reply(self.size(At::TargetSize)?),
        };
        Ok(Work {
            operation,
            key,
            iv,
            aad: self.aad(asynchronous, target)?,
            tag: Input::Lent(NOTHING),
            tag_target: Target::Memory(NOTHING),
            seed: self.number(At::SeedLow) as u64 | (self.number(At::SeedHigh) as u64) << 32,
            source: Source::Lent(source),
            target,
        })
    }

    /// The aad is read while the target is written, so one that overlaps the target is copied.
    fn aad(&self, asynchronous: bool, target: Target) -> Result<Input, Status> {
        if !self.has(HAS_AAD) {
            return Ok(Input::Lent(Window::EMPTY));
        }
        let window = self.window(3, At::AadOffset, At::AadSize)?;
        let overlaps = matches!(target, Target::Memory(target) if target.overlaps(window));
        Ok(if asynchronous || overlaps { Input::Copied(Secret::copy(window)) } else { Input::Lent(window) })
    }

    /// A key or iv: lent to a synchronous call, copied for an asynchronous one. An iv may lie in
    /// the target; the primitives load it before they write, but a slice must not alias, so the
    /// 24 bytes are copied then too.
    fn input(&self, asynchronous: bool, flag: u32, argument: usize, offset: At, size: At) -> Result<Input, Status> {
        if !self.has(flag) {
            return Ok(Input::Lent(Window::EMPTY));
        }
        let window = self.window(argument, offset, size)?;
        let copied = asynchronous || flag == HAS_IV;
        Ok(if copied { Input::Copied(Secret::copy(window)) } else { Input::Lent(window) })
    }

    fn window(&self, argument: usize, offset: At, size: At) -> Result<Window, Status> {
        let bytes = self.call.bytes(argument).ok_or(Status::Argument)?;
        bytes.part(self.size(offset)?, self.size(size)?).ok_or(Status::Argument)
    }

    fn has(&self, flag: u32) -> bool {
        self.number(At::Flags) as u32 & flag != 0
    }

    /// A number that can be a size: a non-negative integer that a pointer can span.
    fn size(&self, at: At) -> Result<usize, Status> {
        let number = self.number(at);
        if number >= 0.0 && number <= 9_007_199_254_740_991.0 && number.fract() == 0.0 {
            return usize::try_from(number as u64).map_err(|_| Status::Argument);
        }
        Err(Status::Argument)
    }

    fn number(&self, at: At) -> f64 {
        let offset = at as usize * size_of::<f64>();
        match self.frame.read()[offset..].first_chunk() {
            Some(bytes) => f64::from_ne_bytes(*bytes),
            None => f64::NAN,
        }
    }
}

/// `hash(algorithm, source, target)`: the digest of all of source at the start of target.
fn hash_into(call: &Call<'_>) -> Value {
    let status = (|| {
        let hash = call.uint32(0).and_then(|id| Hash::from_id(id as u8)).ok_or(Status::Argument)?;
        let (source, target) = (call.bytes(1).ok_or(Status::Argument)?, call.bytes(2).ok_or(Status::Argument)?);
        if target.overlaps(source) {
            return Err(Status::Overlap);
        }
        hash::digest(hash, &Params::default(), source.read(), target.exclusive()).map_err(Status::from)
    })();
    call.env.number(status.err().unwrap_or(Status::Done) as u32)
}

/// `hashText(algorithm | form << 8, source)`: the digest as hex (form 0) or BigInt (form 1), without a
/// Buffer in between; anything but a typed array, or an algorithm without a fixed size, gives `undefined`.
fn hash_text(call: &Call<'_>) -> Value {
    let digest = (|| {
        let code = call.uint32(0)?;
        let hash = Hash::from_id(code as u8)?;
        let source = call.bytes(1)?;
        let mut digest = [0; 64];
        let size = hash.facts().digest_size;
        hash::digest(hash, &Params::default(), source.read(), digest.get_mut(..size)?).ok()?;
        Some((digest, size, code >> 8))
    })();
    match digest {
        Some((digest, size, 0)) => {
            let mut text = [0; 128];
            write_hex(&digest[..size], &mut text);
            call.env.ascii(&text[..size * 2])
        }
        Some((digest, size, _)) => {
            let mut words = [0; 8];
            for (word, bytes) in words.iter_mut().zip(digest[..size].rchunks(8)) {
                *word = bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
            }
            call.env.bigint(&words[..size.div_ceil(8)])
        }
        None => call.env.undefined(),
    }
}

/// Lower-case hex of `bytes` at the start of `text`.
fn write_hex(bytes: &[u8], text: &mut [u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (&byte, pair) in bytes.iter().zip(text.as_chunks_mut::<2>().0) {
        *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    }
}

/// `createKey(kind, algorithm, bytes)`: a handle above 0, or the negative of a [`Status`].
fn create_key(call: &Call<'_>) -> Value {
    let handle = (|| {
        let purpose = call.uint32(0).zip(call.uint32(1)).and_then(|(kind, id)| Purpose::from_numbers(kind, id as u8));
        let bytes = call.bytes(2).ok_or(Status::Argument)?;
        let key = PreparedKey::new(purpose.ok_or(Status::Argument)?, bytes.read())?;
        call.state.keys.borrow_mut().keep(key).ok_or(Status::Engine)
    })();
    match handle {
        Ok(handle) => call.env.double(handle as f64),
        Err(status) => call.env.double(-f64::from(status as u8)),
    }
}

/// `disposeKey()` with the handle in the frame: 1 if it was alive.
fn dispose_key(call: &Call<'_>) -> Value {
    let alive = call.state.attached.get().is_some_and(|attached| {
        let handle = Request { call, frame: attached.frame }.number(At::Key);
        call.state.keys.borrow_mut().dispose(handle as u64)
    });
    call.env.number(u32::from(alive))
}

/// `cancel(slot)`: 1 if the job has not started and never will.
fn cancel(call: &Call<'_>) -> Value {
    call.env.number(u32::from(call.uint32(0).is_some_and(|slot| call.state.cancel(slot))))
}

/// `attach(frame, ring, settle)`: once per environment, before anything else.
fn attach(call: &Call<'_>) -> Value {
    let attached = (|| {
        let (frame, ring) = (call.bytes(0)?, call.bytes(1)?);
        let complete = frame.size() > At::SeedHigh as usize * size_of::<f64>() && call.env.is_function(call.argument(2));
        if !complete {
            return None;
        }
        let _memory = [call.env.pin(call.argument(0))?, call.env.pin(call.argument(1))?];
        Some(Attached { frame, ring, settle: call.env.pin(call.argument(2))?, _memory })
    })();
    let done = attached.is_some_and(|attached| call.state.attached.set(attached).is_ok());
    call.env.number(u32::from(done))
}

/// `threads(which)`: the pool's limit (0), workers started (1) or jobs queued (2).
fn threads(call: &Call<'_>) -> Value {
    let threads = pool().threads();
    let number = [threads.limit, threads.started, threads.queued][call.uint32(0).unwrap_or(0).min(2) as usize];
    call.env.number(number as u32)
}

/// `setThreads(limit)`.
fn set_threads(call: &Call<'_>) -> Value {
    if let Some(limit) = call.uint32(0) {
        pool().resize(limit as usize);
    }
    call.env.undefined()
}

/// `catalog()`: the table of algorithms as JSON.
fn catalog(call: &Call<'_>) -> Value {
    call.env.utf8(&catalog::to_json())
}

/// `engines()`: what serves which algorithm, as JSON.
fn engines_report(call: &Call<'_>) -> Value {
    call.env.utf8(&engines::report_json())
}
