//! Messages in files, which a worker opens, reads and hashes without JavaScript in between: 3 us a
//! small file (stat, open, read, close), where Node's asynchronous calls take 20.
//!
//! For the `millrace` command only, whose process has nothing else to do: a slow disk holds a
//! worker up, and with it whatever waits for one. So the doors of the package read through Node's
//! file system.
//!
//! What is simple is done here: regular files that can be read and stay as they are. All else is
//! passed over, and the front does it in its own way, in which errors explain themselves. Files are
//! read and not mapped: one that shrinks, or a disk that fails, would kill the process.

use crate::bytes::Window;
use crate::checkpoint::JobCheckpoint;
use crate::work::{Messages, Reply, Status, Target, Work};
use millrace_core::allocate::{try_with_capacity, try_zeroed};
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::Checkpoint;
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::{hasher, many};
use std::cell::Cell;
use std::fs::{File, OpenOptions, metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Small files are read into this much memory of a worker, one behind the other, and hashed
/// together: half of what fits a core's cache.
const BUFFER_BYTES: usize = 1 << 20;

/// Larger files are hashed one by one, in chunks of this size.
const CHUNK_BYTES: usize = 128 * 1024;

/// The most that are hashed together.
const BATCH_MAX: usize = 256;

/// Files between two looks at whether anybody wants them: a slice, if reading is quick.
const FILES_A_SLICE: usize = 32;

/// From this size on a thread reads ahead of the one that hashes: copying out of the page cache
/// takes a sixth of the time of a SHA-256.
const READ_AHEAD_MIN_BYTES: u64 = 4 << 20;
/// Bytes of a block that it reads, and how many there are.
const BLOCK_BYTES: usize = 2 << 20;
const BLOCKS: usize = 3;
/// How long the worker waits for a block before it looks whether there is something else to do.
const BLOCK_WAIT: Duration = Duration::from_micros(500);

const NO_PARAMS: Params<'_> = Params { seed: 0, key: None };

/// In the place of a file's size: it was not hashed here.
const SKIPPED: f64 = f64::NAN;

/// Hashes files whose paths stand in the source, each followed by a NUL. The target has for
/// each file a 64-bit float, the bytes hashed (negative: the size of one that is too large;
/// not a number: one that is none of ours), and then for each a digest.
pub(crate) fn hash_files(
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
        // Files that have been read, and where each ends.
        let mut read: Vec<(usize, usize)> = Vec::with_capacity(BATCH_MAX);
        let mut paths = work.source.read().split(|&byte| byte == 0);
        for index in 0..count {
            let path = paths.next().ok_or(Status::Argument)?;
            if index % FILES_A_SLICE == FILES_A_SLICE - 1
                && let Some(checkpoint) = &mut checkpoint
            {
                checkpoint.check()?;
            }
            let Some(mut opened) = OpenedFile::at(path) else {
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

/// Hashes one file whose path is the source, and whose size was found to be that of the
/// messages.
///
/// # Errors
/// [`Status::File`] if it is not a regular file of that size that can be read, or has become
/// smaller.
pub(crate) fn hash_file(
    work: &Work,
    hash: Hash,
    reply: &mut Reply,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let mut opened = open(work)?;
    let mut digest = try_zeroed(work.target.size())?;
    let bytes = match opened.size {
        size if size >= READ_AHEAD_MIN_BYTES => {
            opened.hash_ahead(hash, &mut digest, &mut checkpoint)?
        }
        _ => with_buffer(|buffer| {
            opened.hash(hash, &mut buffer[..CHUNK_BYTES], &mut digest, &mut checkpoint)
        })?,
    };
    if bytes.is_none_or(|bytes| bytes < opened.size) {
        return Err(Status::File);
    }
    work.digest_to(reply, |target| {
        target.copy_from_slice(&digest);
        Ok(())
    })
}

/// The file whose path is the source.
pub(crate) fn open(work: &Work) -> Result<OpenedFile, Status> {
    let (_, size) = work.messages();
    OpenedFile::at(work.source.read())
        .filter(|opened| opened.size == size as u64)
        .ok_or(Status::File)
}

/// Where the files that have been read end.
fn used(read: &[(usize, usize)]) -> usize {
    read.last().map_or(0, |&(_, end)| end)
}

/// Hashes what has been read, and forgets it.
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
    match checkpoint {
        None => many::digests(hash, &NO_PARAMS, messages, size, each)?,
        Some(checkpoint) => {
            let slice = checkpoint.slice_of_each(messages.len().min(many::lanes(hash)));
            many::digests_paced(hash, &NO_PARAMS, messages, size, slice, *checkpoint, each)?;
            checkpoint.check()?;
        }
    }
    read.clear();
    Ok(())
}

/// A regular file that could be opened.
pub(crate) struct OpenedFile {
    file: File,
    pub(crate) size: u64,
}

impl OpenedFile {
    /// `None` for all that is something else. What is no regular file is not opened: to open a pipe
    /// wakes who writes to it.
    fn at(path: &[u8]) -> Option<OpenedFile> {
        let path = path_of(path)?;
        let facts = metadata(path).ok().filter(|facts| facts.is_file())?;
        let mut options = OpenOptions::new();
        options.read(true);
        // It might have become a pipe meanwhile, and nobody should wait for that.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            libc::O_NONBLOCK | libc::O_NOCTTY,
        );
        let file = options.open(path).ok()?;
        Some(OpenedFile { file, size: facts.len() })
    }

    /// Reads all of a file for which there is room; `None` if it is not of the size it had.
    fn read_whole(&mut self, buffer: &mut [u8]) -> Option<u64> {
        // Files of /proc say that they are empty.
        let wanted = (self.size as usize).max(1);
        let read = fill(&mut self.file, buffer.get_mut(..wanted)?).ok()? as u64;
        (read == self.size).then_some(read)
    }

    /// Hashes it chunk by chunk; `None` if it cannot be read.
    fn hash(
        &mut self,
        hash: Hash,
        buffer: &mut [u8],
        digest: &mut [u8],
        checkpoint: &mut Option<&mut JobCheckpoint<'_>>,
    ) -> Result<Option<u64>, Status> {
        let mut running = FileHash::new(hash, self.size)?;
        loop {
            let Ok(read) = fill(&mut self.file, buffer) else { return Ok(None) };
            running.take(&buffer[..read], checkpoint)?;
            if read < buffer.len() {
                return running.finish(digest).map(Some);
            }
        }
    }

    /// The same, while another thread reads what comes next.
    fn hash_ahead(
        &mut self,
        hash: Hash,
        digest: &mut [u8],
        checkpoint: &mut Option<&mut JobCheckpoint<'_>>,
    ) -> Result<Option<u64>, Status> {
        let Ok(ReadAhead { blocks, back }) = self.file.try_clone().and_then(ReadAhead::of) else {
            return with_buffer(|buffer| {
                self.hash(hash, &mut buffer[..CHUNK_BYTES], digest, checkpoint)
            });
        };
        let mut running = FileHash::new(hash, self.size)?;
        loop {
            let (block, read) = match blocks.recv_timeout(BLOCK_WAIT) {
                Ok(Ok(block)) => block,
                Ok(Err(error)) if error.kind() == io::ErrorKind::OutOfMemory => {
                    return Err(Status::Memory);
                }
                Ok(Err(_)) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(checkpoint) = checkpoint {
                        checkpoint.check()?;
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return running.finish(digest).map(Some),
            };
            running.take(&block[..read], checkpoint)?;
            // It may have come to its end.
            let _ = back.send(block);
        }
    }

    /// The part at `offset` of a file that is read in any order, by several at once; given to
    /// `take`.
    pub(crate) fn part<Taken>(
        &self,
        offset: u64,
        size: usize,
        take: impl FnOnce(&[u8]) -> Result<Taken, Error>,
    ) -> Result<Taken, Status> {
        with_buffer(|buffer| {
            let buffer = buffer.get_mut(..size).ok_or(Status::Internal)?;
            if fill_at(&self.file, buffer, offset).map_err(|_| Status::File)? < size {
                return Err(Status::File);
            }
            Ok(take(buffer)?)
        })
    }

    /// Whether it still ends where it did.
    pub(crate) fn unchanged(&self) -> bool {
        self.file.metadata().is_ok_and(|facts| facts.len() == self.size)
    }
}

/// A hash under way.
struct FileHash {
    hash: Hash,
    /// The state and the next one; the first is empty.
    states: [Vec<u8>; 2],
    done: u64,
    size: u64,
}

impl FileHash {
    fn new(hash: Hash, size: u64) -> Result<FileHash, Status> {
        let state_size = hasher::state_size(hash);
        // The first grows to its size when the two change places, for which it has room.
        let states = [try_with_capacity(state_size)?, try_zeroed(state_size)?];
        Ok(FileHash { hash, states, done: 0, size })
    }

    fn take(
        &mut self,
        chunk: &[u8],
        checkpoint: &mut Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let [state, next] = &mut self.states;
        match checkpoint {
            None => hasher::update(self.hash, &NO_PARAMS, state, chunk, next)?,
            Some(checkpoint) => hasher::update_paced(
                self.hash,
                &NO_PARAMS,
                state,
                chunk,
                next,
                checkpoint.slice,
                *checkpoint,
            )?,
        }
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

    /// The bytes hashed.
    fn finish(self, digest: &mut [u8]) -> Result<u64, Status> {
        hasher::finish(self.hash, &NO_PARAMS, &self.states[0], &[], digest)?;
        Ok(self.done)
    }
}

/// A block and the bytes read into it; the last is not full.
type Block = (Vec<u8>, usize);

/// A file that is read to its end on a thread of its own, as long as blocks come back to it. It is
/// nobody's worker: whoever waits for a slow disk holds nothing up, and one that never answers
/// keeps only this thread.
struct ReadAhead {
    blocks: Receiver<io::Result<Block>>,
    back: Sender<Vec<u8>>,
}

impl ReadAhead {
    fn of(mut file: File) -> io::Result<ReadAhead> {
        let ((full, blocks), (back, empty)) = (channel(), channel::<Vec<u8>>());
        for _ in 0..BLOCKS {
            let _ = back.send(Vec::new());
        }
        thread::Builder::new().name("millrace-read".into()).spawn(move || {
            for mut block in empty {
                let buffer = block.try_reserve_exact(BLOCK_BYTES.saturating_sub(block.len()));
                if buffer.is_err() {
                    let _ = full.send(Err(io::ErrorKind::OutOfMemory.into()));
                    return;
                }
                block.resize(BLOCK_BYTES, 0);
                let read = fill(&mut file, &mut block);
                let more = matches!(read, Ok(BLOCK_BYTES));
                if full.send(read.map(|read| (block, read))).is_err() || !more {
                    return;
                }
            }
        })?;
        Ok(ReadAhead { blocks, back })
    }
}

/// Reads as much as there is room for; less at the end only.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    fill_by(buffer, |rest, _| file.read(rest))
}

fn fill_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    fill_by(buffer, |rest, filled| {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(file, rest, offset + filled as u64);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(file, rest, offset + filled as u64);
    })
}

fn fill_by(
    buffer: &mut [u8],
    mut read: impl FnMut(&mut [u8], usize) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read(&mut buffer[filled..], filled) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    Some(Path::new(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<&Path> {
    std::str::from_utf8(bytes).ok().map(Path::new)
}

/// Lends this thread's memory for files; another if it is lent already, by work that lets this
/// pass.
fn with_buffer<T>(work: impl FnOnce(&mut [u8]) -> Result<T, Status>) -> Result<T, Status> {
    thread_local! {
        static MEMORY: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }
    let mut memory = MEMORY.take();
    if memory.is_empty() {
        memory = try_zeroed(BUFFER_BYTES)?;
    }
    let result = work(&mut memory);
    MEMORY.set(memory);
    result
}
