//! A call as a binding passes it, made by hand: numbers, and byte arguments that are ranges of one
//! arena. The fuzz targets (`fuzz/`) make theirs with this module too.
#![allow(unsafe_code, dead_code)]

use millrace_core::allocate::try_with_capacity;
use millrace_core::catalog::CipherFacts;
use millrace_core::error::Error;
use millrace_request::bytes::Window;
use millrace_request::caller::Caller;
use millrace_request::decode;
use millrace_request::engine::KernelHashTable;
use millrace_request::execute;
use millrace_request::frame::Frame;
use millrace_request::keys::{Keys, PreparedKey, Purpose};
use millrace_request::operands::copy_overlapping_aad;
use millrace_request::protocol::{At, EngineNumber, OperationNumber, Status, flag};
use millrace_request::work::{Reply, Work};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that never move, reached through windows only.
struct Memory {
    start: *mut u8,
    size: usize,
}

impl Memory {
    fn new(bytes: Vec<u8>) -> Memory {
        let bytes = Box::leak(bytes.into_boxed_slice());
        Memory { start: bytes.as_mut_ptr(), size: bytes.len() }
    }

    fn window(&self) -> Window {
        // SAFETY: the bytes live until `self` is dropped, which no window outlives, and are only
        // used through windows.
        unsafe { Window::new(self.start, self.size) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let bytes = std::ptr::slice_from_raw_parts_mut(self.start, self.size);
        // SAFETY: from the box that `new` leaked, with its length.
        drop(unsafe { Box::from_raw(bytes) });
    }
}

/// The places of the byte arguments of `run`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    Source,
    Target,
    Iv,
    Aad,
    Tag,
    Key,
}

impl Argument {
    /// Returns the flag of the argument, and its places in the frame.
    fn numbers(self) -> (u32, At, At) {
        match self {
            Argument::Source => (0, At::SourceOffset, At::SourceSize),
            Argument::Target => (flag::HAS_TARGET, At::TargetOffset, At::TargetSize),
            Argument::Iv => (flag::HAS_IV, At::IvOffset, At::IvSize),
            Argument::Aad => (flag::HAS_AAD, At::AadOffset, At::AadSize),
            Argument::Tag => (flag::HAS_TAG, At::TagOffset, At::TagSize),
            Argument::Key => (flag::HAS_KEY, At::KeyOffset, At::KeySize),
        }
    }
}

/// The byte between two arguments.
const GUARD: u8 = 0x5a;
const GUARD_BYTES: usize = 32;

/// A call.
pub(crate) struct Call {
    numbers: Memory,
    arena: Memory,
    /// Ranges of the arena; `None` is not a typed array.
    pub(crate) arguments: [Option<Range<usize>>; 6],
    pub(crate) views: Vec<Range<usize>>,
    keys: RefCell<Keys>,
    kernel_hashes: Arc<KernelHashTable>,
}

impl Call {
    /// Returns a synchronous call on an arena, without arguments.
    pub(crate) fn new(arena: Vec<u8>) -> Call {
        let call = Call {
            numbers: Memory::new(vec![0; At::Length as usize * size_of::<f64>()]),
            arena: Memory::new(arena),
            arguments: [const { None }; 6],
            views: Vec::new(),
            keys: RefCell::default(),
            kernel_hashes: Arc::default(),
        };
        call.set(At::Slot, -1.0);
        call
    }

    /// Returns a synchronous call with arguments that do not overlap.
    pub(crate) fn of(
        operation: OperationNumber,
        algorithm: u8,
        arguments: &[(Argument, &[u8])],
    ) -> Call {
        let mut arena = vec![GUARD; GUARD_BYTES];
        let mut ranges = Vec::new();
        for (argument, bytes) in arguments {
            ranges.push((*argument, arena.len()..arena.len() + bytes.len()));
            arena.extend_from_slice(bytes);
            arena.resize(arena.len() + GUARD_BYTES, GUARD);
        }
        Call::over(arena, operation, algorithm, &ranges)
    }

    /// Returns a synchronous call whose arguments are ranges of an arena.
    pub(crate) fn over(
        arena: Vec<u8>,
        operation: OperationNumber,
        algorithm: u8,
        ranges: &[(Argument, Range<usize>)],
    ) -> Call {
        let mut call = Call::new(arena);
        call.set(At::Operation, f64::from(operation as u32));
        call.set(At::Algorithm, f64::from(algorithm));
        for (argument, range) in ranges {
            call.place(*argument, range.clone());
        }
        call
    }

    /// Returns a call of a cipher, under a key of sevens and a nonce of threes.
    pub(crate) fn cipher(
        operation: OperationNumber,
        facts: &CipherFacts,
        source: &[u8],
        target: &[u8],
        aad: &[u8],
    ) -> Call {
        let (iv, key) = (vec![3; facts.iv_size], vec![7; facts.key_size]);
        let arguments = [
            (Argument::Source, source),
            (Argument::Target, target),
            (Argument::Iv, &iv),
            (Argument::Key, &key),
            (Argument::Aad, aad),
        ];
        let count = if aad.is_empty() { 4 } else { 5 };
        let call = Call::of(operation, facts.cipher as u8, &arguments[..count]);
        call.set(At::TagSize, if facts.aead { 16.0 } else { 0.0 });
        call
    }

    /// Writes numbers to the frame.
    pub(crate) fn set_all(&self, numbers: &[(At, f64)]) {
        numbers.iter().for_each(|&(at, number)| self.set(at, number));
    }

    /// Returns the range of an argument.
    pub(crate) fn range(&self, argument: Argument) -> Range<usize> {
        self.arguments[argument as usize].clone().expect("placed")
    }

    /// Returns the bytes of an argument.
    pub(crate) fn window(&self, argument: Argument) -> Window {
        self.bytes(argument as usize).expect("placed")
    }

    /// Makes a range of the arena an argument, used whole.
    pub(crate) fn place(&mut self, argument: Argument, range: Range<usize>) {
        let (flag, offset, size) = argument.numbers();
        self.set(offset, 0.0);
        self.set(size, range.len() as f64);
        self.add_flags(flag);
        self.arguments[argument as usize] = Some(range);
    }

    pub(crate) fn add_flags(&self, flags: u32) {
        self.set(At::Flags, f64::from(self.number(At::Flags) as u32 | flags));
    }

    /// Writes a number to the frame.
    pub(crate) fn set(&self, at: At, number: f64) {
        let place = self.numbers.window().part(at as usize * size_of::<f64>(), size_of::<f64>());
        place.expect("in the frame").write(&number.to_ne_bytes());
    }

    pub(crate) fn number(&self, at: At) -> f64 {
        Frame::of(self).expect("a frame").number(at)
    }

    /// Returns a copy of the bytes of an argument.
    pub(crate) fn read(&self, argument: Argument) -> Vec<u8> {
        self.window(argument).read().to_vec()
    }

    /// Returns a copy of the arena.
    pub(crate) fn arena(&self) -> Vec<u8> {
        self.arena.window().read().to_vec()
    }

    /// Overwrites the bytes of an argument.
    pub(crate) fn write(&self, argument: Argument, bytes: &[u8]) {
        self.window(argument).write(bytes);
    }

    /// Returns true if nothing was written between the arguments of [`Call::of`].
    pub(crate) fn guards_intact(&self) -> bool {
        let arena = self.arena.window();
        arena.read().iter().enumerate().all(|(at, &byte)| {
            byte == GUARD || self.arguments.iter().flatten().any(|range| range.contains(&at))
        })
    }

    /// Prepares a key and names it in the frame.
    pub(crate) fn prepare(&self, purpose: Purpose, bytes: &[u8]) -> Result<u64, Status> {
        self.keep(PreparedKey::new(purpose, bytes, EngineNumber::Native)?)
    }

    /// Names a key in the frame.
    pub(crate) fn keep(&self, key: PreparedKey) -> Result<u64, Status> {
        let handle = self.keys.borrow_mut().keep(key)?;
        self.set(At::Key, handle as f64);
        Ok(handle)
    }

    pub(crate) fn decode(&self) -> Result<Work, Status> {
        decode::decode(&Frame::of(self).expect("a frame"))
    }

    pub(crate) fn needs_rehash(&self) -> Result<bool, Status> {
        decode::needs_rehash(&Frame::of(self).expect("a frame"))
    }

    /// Runs the call as a binding runs a synchronous one.
    pub(crate) fn run(&self) -> Status {
        self.run_with(&mut Reply::empty(), |_| {})
    }

    /// Runs the call after `change` has changed the work.
    pub(crate) fn run_with(&self, reply: &mut Reply, change: impl FnOnce(&mut Work)) -> Status {
        let mut copies = millrace_request::bytes::Copies::default();
        let decoded = self.decode().and_then(|mut work| {
            change(&mut work);
            copy_overlapping_aad(&mut copies, &mut work)?;
            Ok(work)
        });
        match decoded {
            Ok(work) => execute::run(&work, reply, None),
            Err(status) => status,
        }
    }
}

impl Caller for Call {
    fn frame(&self) -> Option<Window> {
        Some(self.numbers.window())
    }

    fn input_buffer(&self) -> Option<Window> {
        Some(self.arena.window())
    }

    fn bytes(&self, argument: usize) -> Option<Window> {
        let range = self.arguments.get(argument)?.as_ref()?;
        self.arena.window().part(range.start, range.len())
    }

    fn bytes_of_each(&self, start: u32, count: u32) -> Result<Option<Vec<Window>>, Error> {
        let all = (start as usize).checked_add(count as usize);
        let Some(views) = all.and_then(|end| self.views.get(start as usize..end)) else {
            return Ok(None);
        };
        let mut windows = try_with_capacity(views.len())?;
        windows.extend(
            views.iter().filter_map(|view| self.arena.window().part(view.start, view.len())),
        );
        Ok((windows.len() == views.len()).then_some(windows))
    }

    fn keys(&self) -> &RefCell<Keys> {
        &self.keys
    }

    fn kernel_hashes(&self) -> &Arc<KernelHashTable> {
        &self.kernel_hashes
    }
}
