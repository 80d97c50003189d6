//! Hashes files. A worker opens, reads and hashes them without JavaScript in between: a small file
//! takes 3 us (stat, open, read, close), with Node's asynchronous calls 20.
//!
//! The `millrace` command and hashFiles use this: a slow disk blocks a worker, and with it the jobs
//! that wait for one. hashFile reads through Node.
//!
//! Only regular files that can be read and do not change are hashed here. JavaScript hashes the
//! others, and explains errors. Files are read, not mapped: a mapped file that shrinks, or a disk
//! that fails, would kill the process.

use crate::batch::in_slices;
use crate::bytes::Window;
use crate::checkpoint::{JobCheckpoint, slicer};
use crate::os;
use crate::work::{Messages, Reply, Status, Target, Work};
use millrace_core::allocate::{Shared, try_with_capacity, try_zeroed};
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::Checkpoint;
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::{hasher, many};
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A worker's buffer, in which small files are read one after the other and hashed as a batch: half
/// of a core's second-level cache.
const BUFFER_BYTES: usize = 1 << 20;

/// Larger files are hashed one by one, in chunks of this many bytes.
const CHUNK_BYTES: usize = 128 * 1024;

/// The most files of a batch.
const BATCH_MAX: usize = 256;

/// Files between two checkpoints: a slice, if the files are in the page cache.
const FILES_A_SLICE: usize = 32;

/// For files of at least this size a second thread reads ahead: copying from the page cache takes a
/// sixth of the time of SHA-256.
const READ_AHEAD_MIN_BYTES: u64 = 4 << 20;
/// Bytes of a block that the second thread reads, and the number of blocks.
const BLOCK_BYTES: usize = 2 << 20;
const BLOCKS: usize = 3;
/// Bytes of a cache line: where buffers begin.
const LINE: usize = 64;
/// How long the worker waits for a block before it runs a checkpoint.
const BLOCK_WAIT: Duration = Duration::from_micros(500);

/// The size of a file that JavaScript should hash.
const SKIPPED: f64 = f64::NAN;

/// Hashes the files with the paths in the source, each followed by a NUL. The target receives a
/// 64-bit float for each file, then a digest for each. The float is the number of bytes hashed,
/// minus the size of a file that is too large, or NaN for a file that JavaScript should hash.
///
/// # Errors
/// [`Status::Argument`] and [`Status::OutputSize`] for a target of the wrong size;
/// [`Status::Memory`]; [`Status::Cancelled`].
pub fn hash_files(
    work: &Work,
    hash: Hash,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let (Target::Memory(target), Messages::Files(count, largest)) = (work.target, &work.messages)
    else {
        return Err(Status::Argument);
    };
    let (count, largest) = (*count, *largest);
    if count == 0 || target.size() % count != 0 {
        return Err(Status::Argument);
    }
    let size = (target.size() / count).checked_sub(size_of::<f64>()).ok_or(Status::OutputSize)?;
    let note = |index: usize, number: f64| {
        let place = target.part(index * size_of::<f64>(), size_of::<f64>());
        place.unwrap_or(Window::EMPTY).write(&number.to_ne_bytes());
    };
    let put = |index: usize, digest: &[u8]| {
        let place = target.part(count * size_of::<f64>() + index * size, size);
        place.unwrap_or(Window::EMPTY).write(digest);
    };
    with_buffer(|buffer| {
        // Files in the buffer: index and end.
        let mut read = try_with_capacity(BATCH_MAX)?;
        let mut paths = work.source.read().split(|&byte| byte == 0);
        for index in 0..count {
            let path = paths.next().ok_or(Status::Argument)?;
            if index % FILES_A_SLICE == FILES_A_SLICE - 1
                && let Some(checkpoint) = &mut checkpoint
            {
                checkpoint.check()?;
            }
            let Some(opened) = OpenedFile::at(path) else {
                note(index, SKIPPED);
                continue;
            };
            if opened.size > largest {
                note(index, -(opened.size as f64));
                continue;
            }
            let wanted = CHUNK_BYTES.min(opened.size as usize).max(1);
            if read.len() == BATCH_MAX || buffer.len() - used(&read) < wanted {
                hash_together(hash, size, buffer, &mut read, &mut checkpoint, &put)?;
            }
            let start = used(&read);
            let bytes = if opened.size <= CHUNK_BYTES as u64 {
                let bytes = opened.read_whole(&mut buffer[start..]);
                read.extend(bytes.map(|bytes| (index, start + bytes as usize)));
                bytes
            } else {
                let mut digest = try_zeroed(size)?;
                let bytes = opened.hash(
                    hash,
                    &mut buffer[start..][..CHUNK_BYTES],
                    &mut digest,
                    &mut checkpoint,
                )?;
                put(index, &digest);
                bytes
            };
            note(index, bytes.map_or(SKIPPED, |bytes| bytes as f64));
        }
        hash_together(hash, size, buffer, &mut read, &mut checkpoint, &put)
    })
}

/// Hashes the file with the source as path and the size of the messages.
///
/// # Errors
/// [`Status::File`] if it is not a regular file of that size, cannot be read, or becomes smaller.
pub fn hash_file(
    work: &Work,
    hash: Hash,
    reply: &mut Reply,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let opened = open(work)?;
    let mut digest = try_zeroed(work.target.size())?;
    let bytes = opened.hash_ahead(hash, &mut digest, &mut checkpoint)?;
    if bytes.is_none() {
        return Err(Status::File);
    }
    work.digest_to(reply, |target| {
        target.copy_from_slice(&digest);
        Ok(())
    })
}

/// Opens the file with the source as path.
///
/// # Errors
/// [`Status::File`] if it is not a regular file of the messages' size, or cannot be opened.
pub fn open(work: &Work) -> Result<OpenedFile, Status> {
    let (_, size) = work.messages();
    OpenedFile::at(work.source.read())
        .filter(|opened| opened.size == size as u64)
        .ok_or(Status::File)
}

/// Returns the used bytes of the buffer.
fn used(read: &[(usize, usize)]) -> usize {
    read.last().map_or(0, |&(_, end)| end)
}

/// Hashes the files in the buffer as a batch, and clears the list.
fn hash_together(
    hash: Hash,
    size: usize,
    buffer: &[u8],
    read: &mut Vec<(usize, usize)>,
    checkpoint: &mut Option<&mut JobCheckpoint<'_>>,
    put: &impl Fn(usize, &[u8]),
) -> Result<(), Status> {
    let mut messages = [&[][..]; BATCH_MAX];
    let mut start = 0;
    for (message, &(_, end)) in messages.iter_mut().zip(read.iter()) {
        *message = &buffer[start..end];
        start = end;
    }
    let messages = &messages[..read.len()];
    let each = |index: usize, digest: &[u8]| put(read[index].0, digest);
    in_slices(checkpoint, hash, messages.len(), |slicer| {
        many::digests(hash, &Params::NONE, messages, size, slicer, each)
    })?;
    read.clear();
    Ok(())
}

/// A regular file that is open for reading.
pub struct OpenedFile {
    file: File,
    pub size: u64,
}

impl OpenedFile {
    /// Returns `None` if the file cannot be opened or is not regular.
    fn at(path: &[u8]) -> Option<OpenedFile> {
        let file = os::open_file(path)?;
        let facts = file.metadata().ok().filter(|facts| facts.is_file())?;
        Some(OpenedFile { file, size: facts.len() })
    }

    /// Reads a file that fits in the buffer. Returns its bytes, or `None` if its size has changed.
    fn read_whole(&self, buffer: &mut [u8]) -> Option<u64> {
        // Files of procfs report 0 bytes, those of sysfs more than they have.
        let wanted = (self.size as usize).max(1);
        let read = fill(&self.file, buffer.get_mut(..wanted)?, 0).ok()? as u64;
        (read == self.size).then_some(read)
    }

    /// Hashes the file in chunks. Returns its bytes, or `None` if it cannot be read or is shorter
    /// than its size.
    fn hash(
        &self,
        hash: Hash,
        buffer: &mut [u8],
        digest: &mut [u8],
        checkpoint: &mut Option<&mut JobCheckpoint<'_>>,
    ) -> Result<Option<u64>, Status> {
        let mut running = FileHash::new(hash, self.size)?;
        loop {
            let Ok(read) = fill(&self.file, buffer, running.done) else { return Ok(None) };
            running.take(&buffer[..read], checkpoint)?;
            if read < buffer.len() {
                return running.finish(digest);
            }
        }
    }

    /// Works like [`OpenedFile::hash`], while a second thread reads the next blocks of a large
    /// file.
    fn hash_ahead(
        &self,
        hash: Hash,
        digest: &mut [u8],
        checkpoint: &mut Option<&mut JobCheckpoint<'_>>,
    ) -> Result<Option<u64>, Status> {
        let large = self.size >= READ_AHEAD_MIN_BYTES;
        let file = if large { self.file.try_clone().ok() } else { None };
        let Some(ahead) = file.and_then(ReadAhead::of) else {
            return with_buffer(|buffer| {
                self.hash(hash, &mut buffer[..CHUNK_BYTES], digest, checkpoint)
            });
        };
        let mut running = FileHash::new(hash, self.size)?;
        loop {
            match ahead.next() {
                Some(Ok((mut block, read))) => {
                    running.take(&aligned(&mut block)[..read], checkpoint)?;
                    ahead.give_back(block);
                    if read < BLOCK_BYTES {
                        return running.finish(digest);
                    }
                }
                Some(Err(Status::Memory)) => return Err(Status::Memory),
                Some(Err(_)) => return Ok(None),
                None => {
                    if let Some(checkpoint) = checkpoint {
                        checkpoint.check()?;
                    }
                }
            }
        }
    }

    /// Calls `take` with `size` bytes at `offset`. Several workers may read a file at once.
    ///
    /// # Errors
    /// [`Status::File`] if the part cannot be read, and those of `take`.
    pub fn part<Taken>(
        &self,
        offset: u64,
        size: usize,
        take: impl FnOnce(&[u8]) -> Result<Taken, Error>,
    ) -> Result<Taken, Status> {
        with_buffer(|buffer| {
            let buffer = buffer.get_mut(..size).ok_or(Status::Internal)?;
            if fill(&self.file, buffer, offset).map_err(|_| Status::File)? < size {
                return Err(Status::File);
            }
            Ok(take(buffer)?)
        })
    }

    /// Returns true if the file still has the size that it had.
    pub fn unchanged(&self) -> bool {
        self.file.metadata().is_ok_and(|facts| facts.len() == self.size)
    }
}

/// The running hash of a file.
struct FileHash {
    hash: Hash,
    /// The current state, at first empty, and the next.
    states: [Vec<u8>; 2],
    done: u64,
    size: u64,
}

impl FileHash {
    fn new(hash: Hash, size: u64) -> Result<FileHash, Status> {
        let state_size = hasher::state_size(hash);
        // The first vector has the capacity for a state, which it gets after the first swap.
        let states = [try_with_capacity(state_size)?, try_zeroed(state_size)?];
        Ok(FileHash { hash, states, done: 0, size })
    }

    fn take(
        &mut self,
        chunk: &[u8],
        checkpoint: &mut Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let [state, next] = &mut self.states;
        hasher::update(self.hash, &Params::NONE, state, chunk, next, slicer(checkpoint))?;
        self.done += chunk.len() as u64;
        let size = next.len();
        self.states.swap(0, 1);
        self.states[1].resize(size, 0);
        if let Some(checkpoint) = checkpoint {
            checkpoint.progress(0, self.done, self.size.max(self.done));
            checkpoint.check()?;
        }
        Ok(())
    }

    /// Writes the digest and returns the number of bytes hashed, or `None` if the file ended before
    /// its size.
    fn finish(self, digest: &mut [u8]) -> Result<Option<u64>, Status> {
        hasher::finish(self.hash, &Params::NONE, &self.states[0], &[], digest)?;
        Ok((self.done >= self.size).then_some(self.done))
    }
}

/// A block and the bytes read into it; only the last block of a file is not full.
type Block = (Vec<u8>, usize);

/// A thread that reads a file to its end while blocks come back to it. It is not a worker of the
/// pool: a slow disk blocks this thread only. Dropping this ends it.
struct ReadAhead(Shared<Exchange>);

/// Passes blocks between the two threads.
struct Exchange {
    blocks: Mutex<Blocks>,
    changed: Condvar,
}

struct Blocks {
    /// The blocks that the reading thread may fill, at first empty.
    free: [Option<Vec<u8>>; BLOCKS],
    /// The blocks that were read, in the order of the file from the place `taken` on; an error ends
    /// them.
    read: [Option<Result<Block, Status>>; BLOCKS],
    taken: usize,
    /// True once no thread takes blocks.
    abandoned: bool,
}

impl ReadAhead {
    /// Returns `None` if memory or threads are short.
    fn of(file: File) -> Option<ReadAhead> {
        let blocks = Mutex::new(Blocks {
            free: [const { Some(Vec::new()) }; BLOCKS],
            read: [const { None }; BLOCKS],
            taken: 0,
            abandoned: false,
        });
        let exchange = Shared::try_new(Exchange { blocks, changed: Condvar::new() }).ok()?;
        let run = |(exchange, file): (Shared<Exchange>, File)| exchange.read(file);
        os::start_thread(c"millrace-read", (exchange.clone(), file), run)
            .then_some(ReadAhead(exchange))
    }

    /// Returns the next block; `None` if it takes more than [`BLOCK_WAIT`].
    fn next(&self) -> Option<Result<Block, Status>> {
        let none = |blocks: &mut Blocks| blocks.read[blocks.taken % BLOCKS].is_none();
        let waited = self.0.changed.wait_timeout_while(self.0.lock(), BLOCK_WAIT, none);
        let (mut blocks, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let place = blocks.taken % BLOCKS;
        blocks.read[place].take().inspect(|_| blocks.taken += 1)
    }

    /// Returns a block to the reading thread.
    fn give_back(&self, block: Vec<u8>) {
        if let Some(place) = self.0.lock().free.iter_mut().find(|place| place.is_none()) {
            *place = Some(block);
        }
        self.0.changed.notify_one();
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.0.lock().abandoned = true;
        self.0.changed.notify_one();
    }
}

impl Exchange {
    fn lock(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the file to its end, or to an error.
    fn read(&self, file: File) {
        for number in 0.. {
            let none = |blocks: &mut Blocks| {
                !blocks.abandoned && blocks.free.iter().all(|place| place.is_none())
            };
            let free = self.changed.wait_while(self.lock(), none);
            let mut free = free.unwrap_or_else(PoisonError::into_inner);
            let block = free.free.iter_mut().find_map(Option::take);
            let Some(mut block) = block.filter(|_| !free.abandoned) else { return };
            drop(free);
            let missing = (BLOCK_BYTES + LINE).saturating_sub(block.len());
            let read = match block.try_reserve_exact(missing) {
                Ok(()) => {
                    block.resize(BLOCK_BYTES + LINE, 0);
                    fill(&file, aligned(&mut block), number as u64 * BLOCK_BYTES as u64)
                        .map_err(|_| Status::File)
                }
                Err(_) => Err(Status::Memory),
            };
            let more = matches!(read, Ok(BLOCK_BYTES));
            self.lock().read[number % BLOCKS] = Some(read.map(|read| (block, read)));
            self.changed.notify_one();
            if !more {
                return;
            }
        }
    }
}

/// Fills the buffer from an offset on; returns fewer bytes at the end of the file only.
fn fill(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    let read = std::os::unix::fs::FileExt::read_at;
    #[cfg(windows)]
    let read = std::os::windows::fs::FileExt::seek_read;
    let mut filled = 0;
    while filled < buffer.len() {
        match read(file, &mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns all but [`LINE`] bytes of memory, from the start of a cache line on. Large memory of the
/// C library begins 16 bytes after a page: to there Zen 3 copies from the page cache at 2 GB/s, to
/// the start of a cache line at 11.
fn aligned(memory: &mut [u8]) -> &mut [u8] {
    let size = memory.len() - LINE;
    let start = memory.as_ptr().align_offset(LINE).min(LINE);
    &mut memory[start..][..size]
}

/// Runs `work` with this thread's buffer; with a new one if a job that yields is using it.
fn with_buffer<T>(work: impl FnOnce(&mut [u8]) -> Result<T, Status>) -> Result<T, Status> {
    thread_local! {
        static MEMORY: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }
    let mut memory = MEMORY.take();
    if memory.is_empty() {
        memory = try_zeroed(BUFFER_BYTES + LINE)?;
    }
    let result = work(aligned(&mut memory));
    MEMORY.set(memory);
    result
}
