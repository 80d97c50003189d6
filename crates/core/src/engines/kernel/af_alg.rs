//! Linux's sockets for cryptography, AF_ALG: one bound socket holds algorithm and key, and sockets
//! accepted from it take messages.
//!
//! No call here can wait: receiving asks for exactly what was sent, in a queue that had room for
//! it, and says so with MSG_DONTWAIT, as the kernel heeds no time limit (SO_RCVTIMEO) on these
//! sockets. So a mistake is an error instead of a thread that never comes back.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::names::Kind;
use super::reason::{Failure, Step};

/// A bound socket.
pub(super) struct Transform {
    socket: OwnedFd,
    kind: Kind,
}

/// A socket that takes messages, one at a time. Who leaves one in the middle of a message must
/// close it.
pub(super) struct Operation {
    socket: OwnedFd,
    /// The most bytes that are queued at once, each way.
    room: usize,
}

/// What a message of a cipher begins with.
pub(super) struct Header<'a> {
    pub(super) encrypt: bool,
    pub(super) iv: &'a [u8],
    /// Bytes of additional data, which stand before the text; of an AEAD only.
    pub(super) aad_size: Option<u32>,
}

impl Transform {
    /// Binds an algorithm, with a key where it needs one and a size of its tags where it has some.
    pub(super) fn bind(
        kind: Kind,
        name: &str,
        key: Option<&[u8]>,
        tag_size: Option<usize>,
    ) -> Result<Transform, Failure> {
        // SAFETY: a system call without pointers; a descriptor that it gives is ours alone.
        let socket = unsafe {
            let descriptor =
                libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0);
            OwnedFd::from_raw_fd(checked(Step::Socket, descriptor)?)
        };
        let address = address(kind, name);
        // SAFETY: the address is a whole `sockaddr_alg`, and its size goes with it.
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
            // The size travels as that of an option which is not there.
            set(&socket, libc::ALG_SET_AEAD_AUTHSIZE, ptr::null(), size)?;
        }
        Ok(Transform { socket, kind })
    }

    /// A socket for messages.
    pub(super) fn accept(&self) -> Result<Operation, Failure> {
        let socket = accept(&self.socket)?;
        let mut room = usize::MAX;
        if self.kind != Kind::Hash {
            // As much as the system allows: whole messages of AEADs must fit.
            room = ROOM_MAX;
            for option in [libc::SO_SNDBUF, libc::SO_RCVBUF] {
                room = room.min(grow(&socket, option).saturating_sub(ROOM_SPARE));
            }
            SEEN.store(room, Ordering::Relaxed);
        }
        Ok(Operation { socket, room })
    }
}

/// The room of the last socket.
static SEEN: AtomicUsize = AtomicUsize::new(0);

/// The most bytes of a message that must go through in one piece, once a socket has told.
pub(super) fn room() -> Option<usize> {
    Some(SEEN.load(Ordering::Relaxed)).filter(|&room| room > 0)
}

/// More is not asked for: Linux 6.1 has no memory for lists of pages beyond 576 KiB.
const ROOM_MAX: usize = 512 << 10;
/// Left for what is not aligned with pages.
const ROOM_SPARE: usize = 16 << 10;

impl Operation {
    /// The most bytes that are queued at once.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Gives a hash more of its message, or all that is left of it.
    pub(super) fn hash(&self, bytes: &[u8], more: bool) -> Result<(), Failure> {
        let flags = FLAGS | if more { libc::MSG_MORE } else { 0 };
        let sent = again(|| {
            // SAFETY: the kernel reads as many bytes as the slice has.
            unsafe {
                libc::send(self.socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), flags)
            }
        });
        complete(Step::Send, sent, bytes.len())
    }

    /// Fills `target` with a digest.
    pub(super) fn digest(&self, target: &mut [u8]) -> Result<(), Failure> {
        let received = again(|| {
            // SAFETY: the kernel writes at most as many bytes as the slice has.
            unsafe {
                libc::recv(
                    self.socket.as_raw_fd(),
                    target.as_mut_ptr().cast(),
                    target.len(),
                    libc::MSG_DONTWAIT,
                )
            }
        });
        complete(Step::Receive, received, target.len())
    }

    /// Another one that has taken in as much of a hash's message.
    pub(super) fn fork(&self) -> Result<Operation, Failure> {
        Ok(Operation { socket: accept(&self.socket)?, room: self.room })
    }

    /// Queues a whole message of a cipher.
    pub(super) fn send(&self, header: &Header<'_>, parts: [&[u8]; 3]) -> Result<(), Failure> {
        let mut control = Control([0; CONTROL]);
        let mut vectors = parts.map(|part| libc::iovec {
            iov_base: part.as_ptr().cast_mut().cast(),
            iov_len: part.len(),
        });
        // SAFETY: a message header of zeros is an empty one.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = vectors.as_mut_ptr();
        message.msg_iovlen = vectors.len() as _;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = control.fill(header) as _;
        let sent = again(|| {
            // SAFETY: header, control data and parts are as large as the message says; the kernel
            // only reads them.
            unsafe { libc::sendmsg(self.socket.as_raw_fd(), &raw const message, FLAGS) }
        });
        complete(Step::Send, sent, parts.iter().map(|part| part.len()).sum())
    }

    /// Receives what the queued message has become, which must be exactly as long as all parts.
    pub(super) fn receive(&self, parts: [&mut [u8]; 3]) -> Result<(), Failure> {
        let mut size = 0;
        let mut vectors = parts.map(|part| {
            size += part.len();
            libc::iovec { iov_base: part.as_mut_ptr().cast(), iov_len: part.len() }
        });
        // Of a call for no bytes the kernel thinks it is done, and would check no tag.
        let mut spare = 0_u8;
        if size == 0 {
            vectors[0] = libc::iovec { iov_base: (&raw mut spare).cast(), iov_len: 1 };
        }
        // SAFETY: a message header of zeros is an empty one.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = vectors.as_mut_ptr();
        message.msg_iovlen = vectors.len() as _;
        let received = again(|| {
            // SAFETY: the parts are exclusive slices (or one spare byte), as large as the vectors
            // say.
            unsafe { libc::recvmsg(self.socket.as_raw_fd(), &raw mut message, libc::MSG_DONTWAIT) }
        });
        complete(Step::Receive, received, size)
    }
}

/// A broken socket must not end the process.
const FLAGS: libc::c_int = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;

/// Room for the three things a header may have: operation, iv of at most 16 bytes, size of the
/// additional data.
const CONTROL: usize = 128;

/// Ancillary data, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([u8; CONTROL]);

impl Control {
    /// Writes a header; how many bytes it takes.
    fn fill(&mut self, header: &Header<'_>) -> usize {
        let operation = if header.encrypt { libc::ALG_OP_ENCRYPT } else { libc::ALG_OP_DECRYPT };
        let mut at = self.put(0, libc::ALG_SET_OP, &operation.to_ne_bytes(), &[]);
        at = self.put(at, libc::ALG_SET_IV, &(header.iv.len() as u32).to_ne_bytes(), header.iv);
        if let Some(size) = header.aad_size {
            at = self.put(at, libc::ALG_SET_AEAD_ASSOCLEN, &size.to_ne_bytes(), &[]);
        }
        at
    }

    /// Writes one record at `at`: a header of the size that `CMSG_LEN` says, a number, and bytes.
    /// Where the next begins.
    fn put(&mut self, at: usize, kind: libc::c_int, number: &[u8; 4], bytes: &[u8]) -> usize {
        let size = (4 + bytes.len()) as libc::c_uint;
        // SAFETY: arithmetic.
        let (length, space) =
            unsafe { (libc::CMSG_LEN(size) as usize, libc::CMSG_SPACE(size) as usize) };
        // SAFETY: a record header of zeros is valid.
        let mut record: libc::cmsghdr = unsafe { std::mem::zeroed() };
        record.cmsg_len = length as _;
        record.cmsg_level = libc::SOL_ALG;
        record.cmsg_type = kind;
        let place = &mut self.0[at..at + space];
        // SAFETY: a record begins at a multiple of its alignment in a buffer with that alignment,
        // and the place has room for it.
        unsafe { place.as_mut_ptr().cast::<libc::cmsghdr>().write(record) };
        let data = length - size as usize;
        place[data..data + 4].copy_from_slice(number);
        place[data + 4..length].copy_from_slice(bytes);
        at + space
    }
}

fn address(kind: Kind, name: &str) -> libc::sockaddr_alg {
    // SAFETY: made of integers.
    let mut address: libc::sockaddr_alg = unsafe { std::mem::zeroed() };
    address.salg_family = libc::AF_ALG as _;
    address.salg_type[..kind.word().len()].copy_from_slice(kind.word().as_bytes());
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
    // SAFETY: callers pass `size` readable bytes, or null for an option that is nothing but its
    // size.
    let result =
        unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_ALG, option, value.cast(), size) };
    checked(Step::Key, result).map(drop)
}

/// Makes a socket's buffer larger as far as the system allows; its size.
fn grow(socket: &OwnedFd, option: libc::c_int) -> usize {
    // The kernel doubles what it is given.
    let wanted = (ROOM_MAX + ROOM_SPARE) as libc::c_int / 2;
    let (mut size, mut bytes) = (0 as libc::c_int, size_of::<libc::c_int>() as libc::socklen_t);
    // SAFETY: both options are an int, and its size goes with it.
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
    // SAFETY: no address is asked for; a descriptor that comes back is ours alone.
    unsafe {
        let descriptor =
            libc::accept4(socket.as_raw_fd(), ptr::null_mut(), ptr::null_mut(), libc::SOCK_CLOEXEC);
        Ok(OwnedFd::from_raw_fd(checked(Step::Accept, descriptor)?))
    }
}

fn checked(step: Step, result: libc::c_int) -> Result<RawFd, Failure> {
    if result >= 0 { Ok(result) } else { Err(Failure { step, errno: errno() }) }
}

/// Repeats a call that a signal has interrupted before it did anything.
fn again(mut call: impl FnMut() -> libc::ssize_t) -> Result<usize, i32> {
    loop {
        match usize::try_from(call()) {
            Ok(size) => return Ok(size),
            Err(_) if errno() == libc::EINTR => {}
            Err(_) => return Err(errno()),
        }
    }
}

/// Less than all is as bad as nothing.
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

    /// The numbers and sizes of the kernel's interface, as its documentation gives them.
    #[test]
    fn layouts() {
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
    fn control_data() {
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
