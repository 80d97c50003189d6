//! AF_ALG, Linux's sockets for cryptography: one bound socket holds algorithm and key, and sockets
//! accepted from it take messages.
//!
//! No call here blocks. Each receives exactly as many bytes as were sent, from a queue that had
//! space for them, with MSG_DONTWAIT: the kernel ignores SO_RCVTIMEO on these sockets, so a bug
//! would block the thread forever.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::algorithm::Kind;
use crate::failure::{Failure, Step};

/// A socket bound to an algorithm ("transformation" in the kernel's documentation).
pub(crate) struct Transform {
    socket: OwnedFd,
    kind: Kind,
}

/// A socket that takes one message at a time. It must be closed if a message is not completed.
pub(crate) struct Operation {
    socket: OwnedFd,
    /// The most bytes that the socket queues in each direction.
    queue_bytes: usize,
}

/// The control data of a cipher's message.
pub(crate) struct Header<'a> {
    pub(crate) encrypt: bool,
    pub(crate) iv: &'a [u8],
    /// Bytes of additional data, which precede the text; AEADs only.
    pub(crate) aad_size: Option<u32>,
}

impl Transform {
    /// Binds a socket to an algorithm, with the key and tag size that it needs.
    pub(crate) fn bind(
        kind: Kind,
        name: &str,
        key: Option<&[u8]>,
        tag_size: Option<usize>,
    ) -> Result<Transform, Failure> {
        // SAFETY: a system call without pointers; nothing else owns the descriptor that it returns.
        let socket = unsafe {
            let descriptor =
                libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0);
            OwnedFd::from_raw_fd(checked(Step::Socket, descriptor)?)
        };
        let address = address(kind, name);
        // SAFETY: the address is a whole `sockaddr_alg`, and the size is that of the type.
        let bound = unsafe {
            libc::bind(
                socket.as_raw_fd(),
                (&raw const address).cast(),
                size_of::<libc::sockaddr_alg>() as libc::socklen_t,
            )
        };
        checked(Step::Bind, bound)?;
        if let Some(key) = key {
            set(&socket, libc::ALG_SET_KEY, key.as_ptr(), key.len())?;
        }
        if let Some(size) = tag_size {
            // The kernel reads the tag size from the length argument; the value must be null.
            set(&socket, libc::ALG_SET_AEAD_AUTHSIZE, ptr::null(), size)?;
        }
        Ok(Transform { socket, kind })
    }

    /// Opens a socket for messages.
    pub(crate) fn accept(&self) -> Result<Operation, Failure> {
        let socket = accept(&self.socket)?;
        let mut queue_bytes = usize::MAX;
        if self.kind != Kind::Hash {
            // As much as the system allows: a whole message of an AEAD must fit.
            queue_bytes = QUEUE_MAX;
            for option in [libc::SO_SNDBUF, libc::SO_RCVBUF] {
                queue_bytes = queue_bytes.min(grow(&socket, option).saturating_sub(QUEUE_RESERVE));
            }
            LAST_QUEUE_BYTES.store(queue_bytes, Ordering::Relaxed);
        }
        Ok(Operation { socket, queue_bytes })
    }
}

static LAST_QUEUE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Returns the most bytes that the last socket queues; `None` before the first.
pub(crate) fn last_queue_bytes() -> Option<usize> {
    Some(LAST_QUEUE_BYTES.load(Ordering::Relaxed)).filter(|&bytes| bytes > 0)
}

/// Linux 6.1 fails to allocate its page lists for messages of more than 576 KiB.
const QUEUE_MAX: usize = 512 << 10;
/// Reserved for bytes that are not aligned with pages.
const QUEUE_RESERVE: usize = 16 << 10;

impl Operation {
    /// Returns the most bytes that the socket queues in each direction.
    pub(crate) fn queue_bytes(&self) -> usize {
        self.queue_bytes
    }

    /// Sends bytes of a hash's message; `more` is false for the last.
    pub(crate) fn hash(&self, bytes: &[u8], more: bool) -> Result<(), Failure> {
        let flags = FLAGS | if more { libc::MSG_MORE } else { 0 };
        let sent = retry(|| {
            // SAFETY: the kernel reads `bytes.len()` bytes.
            unsafe {
                libc::send(self.socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), flags)
            }
        });
        complete(Step::Send, sent, bytes.len())
    }

    /// Receives the digest.
    pub(crate) fn digest(&self, target: &mut [u8]) -> Result<(), Failure> {
        self.receive([target, &mut [], &mut []])
    }

    /// Opens a socket that has hashed the same bytes.
    pub(crate) fn try_clone(&self) -> Result<Operation, Failure> {
        Ok(Operation { socket: accept(&self.socket)?, queue_bytes: self.queue_bytes })
    }

    /// Sends a whole message of a cipher.
    pub(crate) fn send(&self, header: &Header<'_>, parts: [&[u8]; 3]) -> Result<(), Failure> {
        let mut control = Control([0; CONTROL]);
        let mut vectors = parts.map(|part| libc::iovec {
            iov_base: part.as_ptr().cast_mut().cast(),
            iov_len: part.len(),
        });
        // SAFETY: all-zero bytes are a valid, empty message header.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = vectors.as_mut_ptr();
        message.msg_iovlen = vectors.len() as _;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = control.fill(header) as _;
        let sent = retry(|| {
            // SAFETY: control data and parts have the sizes that the message gives; the kernel only
            // reads them.
            unsafe { libc::sendmsg(self.socket.as_raw_fd(), &raw const message, FLAGS) }
        });
        complete(Step::Send, sent, parts.iter().map(|part| part.len()).sum())
    }

    /// Receives the result of the message, which must be exactly as long as all parts together.
    pub(crate) fn receive(&self, parts: [&mut [u8]; 3]) -> Result<(), Failure> {
        let mut size = 0;
        let mut vectors = parts.map(|part| {
            size += part.len();
            libc::iovec { iov_base: part.as_mut_ptr().cast(), iov_len: part.len() }
        });
        // The kernel returns at once from a call for no bytes, without checking the tag.
        let mut unused = 0_u8;
        if size == 0 {
            vectors[0] = libc::iovec { iov_base: (&raw mut unused).cast(), iov_len: 1 };
        }
        // SAFETY: all-zero bytes are a valid, empty message header.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = vectors.as_mut_ptr();
        message.msg_iovlen = vectors.len() as _;
        let received = retry(|| {
            // SAFETY: the parts are exclusive slices (or one local byte) with the sizes that the
            // vectors give.
            unsafe { libc::recvmsg(self.socket.as_raw_fd(), &raw mut message, libc::MSG_DONTWAIT) }
        });
        complete(Step::Receive, received, size)
    }
}

/// Without MSG_NOSIGNAL a broken socket would end the process.
const FLAGS: libc::c_int = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;

/// Enough bytes for the three records of a header: operation, iv of at most 16 bytes, size of the
/// additional data.
const CONTROL: usize = 128;

/// Ancillary data, aligned as `cmsghdr` requires.
#[repr(C, align(8))]
struct Control([u8; CONTROL]);

impl Control {
    /// Writes a header and returns its size in bytes.
    fn fill(&mut self, header: &Header<'_>) -> usize {
        let operation = if header.encrypt { libc::ALG_OP_ENCRYPT } else { libc::ALG_OP_DECRYPT };
        let mut at = self.put(0, libc::ALG_SET_OP, &operation.to_ne_bytes(), &[]);
        at = self.put(at, libc::ALG_SET_IV, &(header.iv.len() as u32).to_ne_bytes(), header.iv);
        if let Some(size) = header.aad_size {
            at = self.put(at, libc::ALG_SET_AEAD_ASSOCLEN, &size.to_ne_bytes(), &[]);
        }
        at
    }

    /// Writes one record at `at`, a `cmsghdr`, a number and bytes, and returns its end.
    fn put(&mut self, at: usize, kind: libc::c_int, number: &[u8; 4], bytes: &[u8]) -> usize {
        let size = (4 + bytes.len()) as libc::c_uint;
        // SAFETY: both only compute a size.
        let (length, space) =
            unsafe { (libc::CMSG_LEN(size) as usize, libc::CMSG_SPACE(size) as usize) };
        // SAFETY: all-zero bytes are a valid `cmsghdr`.
        let mut record: libc::cmsghdr = unsafe { std::mem::zeroed() };
        record.cmsg_len = length as _;
        record.cmsg_level = libc::SOL_ALG;
        record.cmsg_type = kind;
        let place = &mut self.0[at..at + space];
        // SAFETY: the record is aligned, as the buffer is and `CMSG_SPACE` keeps it so, and `place`
        // is at least as long.
        unsafe { place.as_mut_ptr().cast::<libc::cmsghdr>().write(record) };
        let data = length - size as usize;
        place[data..data + 4].copy_from_slice(number);
        place[data + 4..length].copy_from_slice(bytes);
        at + space
    }
}

fn address(kind: Kind, name: &str) -> libc::sockaddr_alg {
    // SAFETY: the type consists of integers, so all-zero bytes are valid.
    let mut address: libc::sockaddr_alg = unsafe { std::mem::zeroed() };
    address.salg_family = libc::AF_ALG as _;
    address.salg_type[..kind.name().len()].copy_from_slice(kind.name().as_bytes());
    address.salg_name[..name.len()].copy_from_slice(name.as_bytes());
    address
}

fn set(
    socket: &OwnedFd,
    option: libc::c_int,
    value: *const u8,
    size: usize,
) -> Result<(), Failure> {
    let size = libc::socklen_t::try_from(size)
        .map_err(|_| Failure { step: Step::Key, errno: libc::EINVAL })?;
    // SAFETY: callers pass `size` readable bytes, or null for an option without a value.
    let result =
        unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_ALG, option, value.cast(), size) };
    checked(Step::Key, result).map(drop)
}

/// Enlarges a socket's buffer as far as the system allows, and returns its size.
fn grow(socket: &OwnedFd, option: libc::c_int) -> usize {
    // The kernel doubles what it is given.
    let wanted = (QUEUE_MAX + QUEUE_RESERVE) as libc::c_int / 2;
    let (mut size, mut bytes) = (0 as libc::c_int, size_of::<libc::c_int>() as libc::socklen_t);
    // SAFETY: both options are an int, and `bytes` is its size.
    unsafe {
        let place = &raw const wanted;
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, place.cast(), bytes);
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            (&raw mut size).cast(),
            &raw mut bytes,
        );
    }
    usize::try_from(size).unwrap_or(0)
}

fn accept(socket: &OwnedFd) -> Result<OwnedFd, Failure> {
    // SAFETY: null asks for no address; nothing else owns the descriptor that it returns.
    unsafe {
        let descriptor =
            libc::accept4(socket.as_raw_fd(), ptr::null_mut(), ptr::null_mut(), libc::SOCK_CLOEXEC);
        Ok(OwnedFd::from_raw_fd(checked(Step::Accept, descriptor)?))
    }
}

fn checked(step: Step, result: libc::c_int) -> Result<RawFd, Failure> {
    if result >= 0 { Ok(result) } else { Err(Failure { step, errno: errno() }) }
}

/// Repeats a call that a signal interrupted.
fn retry(mut call: impl FnMut() -> libc::ssize_t) -> Result<usize, i32> {
    loop {
        match usize::try_from(call()) {
            Ok(size) => return Ok(size),
            Err(_) if errno() == libc::EINTR => {}
            Err(_) => return Err(errno()),
        }
    }
}

/// Returns an error unless all bytes were transferred.
fn complete(step: Step, done: Result<usize, i32>, size: usize) -> Result<(), Failure> {
    match done {
        Ok(done) if done == size => Ok(()),
        Ok(_) => Err(Failure { step, errno: libc::EAGAIN }),
        Err(errno) => Err(Failure { step, errno }),
    }
}

fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers and sizes in the kernel's documentation.
    #[test]
    fn structures_have_the_layout_of_the_kernel() {
        assert_eq!(size_of::<libc::sockaddr_alg>(), 88);
        assert_eq!((libc::AF_ALG, libc::SOL_ALG), (38, 279));
        assert_eq!((libc::ALG_SET_KEY, libc::ALG_SET_IV, libc::ALG_SET_OP), (1, 2, 3));
        assert_eq!((libc::ALG_SET_AEAD_ASSOCLEN, libc::ALG_SET_AEAD_AUTHSIZE), (4, 5));
        assert_eq!((libc::ALG_OP_DECRYPT, libc::ALG_OP_ENCRYPT), (0, 1));
        let address = address(Kind::Aead, "rfc7539(chacha20,poly1305)");
        assert_eq!(&address.salg_type[..5], b"aead\0");
        assert_eq!(&address.salg_name[..27], b"rfc7539(chacha20,poly1305)\0");
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn control_data_has_the_layout_of_the_kernel() {
        let mut control = Control([0; CONTROL]);
        let header = Header { encrypt: true, iv: &[9; 12], aad_size: Some(5) };
        assert_eq!(control.fill(&header), 24 + 32 + 24);
        let number = |at: usize, size: usize| {
            let mut bytes = [0; 8];
            bytes[..size].copy_from_slice(&control.0[at..at + size]);
            u64::from_ne_bytes(bytes)
        };
        assert_eq!([number(0, 8), number(8, 4), number(12, 4), number(16, 4)], [20, 279, 3, 1]);
        assert_eq!([number(24, 8), number(32, 4), number(36, 4), number(40, 4)], [32, 279, 2, 12]);
        assert_eq!(control.0[44..56], [9; 12]);
        assert_eq!([number(56, 8), number(64, 4), number(68, 4), number(72, 4)], [20, 279, 4, 5]);
        // The largest one fits.
        let header = Header { encrypt: false, iv: &[1; 16], aad_size: Some(1) };
        assert!(control.fill(&header) <= CONTROL);
    }
}
