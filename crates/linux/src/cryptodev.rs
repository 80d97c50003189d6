//! /dev/crypto, the device of cryptodev-linux: a session holds an algorithm and a key, and an ioctl
//! takes a message.
//!
//! The numbers and layouts are those that a client of the real module printed. The real device
//! takes larger messages in one call; an emulation of it (CUSE) takes 128 KiB.

use std::fs::OpenOptions;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use millrace_core::cipher::Text;

use crate::algorithm::Algorithm;
use crate::failure::{Failure, Step};
use crate::fork;
use crate::interface::device_path;

/// The opened device, closed with the last of its sessions.
struct Device {
    file: OwnedFd,
    /// The process that opened it.
    process: u32,
    /// True after its driver has gone: the next session opens the device again.
    disconnected: AtomicBool,
}

impl Device {
    fn open() -> Result<Arc<Device>, Failure> {
        static OPENED: Mutex<Weak<Device>> = Mutex::new(Weak::new());
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        let process = fork::generation();
        if let Some(device) = opened
            .upgrade()
            .filter(|device| device.process == process)
            .filter(|device| !device.disconnected.load(Ordering::Relaxed))
        {
            return Ok(device);
        }
        // The standard library adds O_CLOEXEC. O_NONBLOCK is for a pipe at this path, which would
        // block when it is opened.
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let file = options.open(device_path());
        let file = file
            .map_err(|error| Failure {
                step: Step::Open,
                errno: error.raw_os_error().unwrap_or(0),
            })?
            .into();
        let device = Arc::new(Device { file, process, disconnected: AtomicBool::new(false) });
        *opened = Arc::downgrade(&device);
        Ok(device)
    }

    /// Makes one ioctl.
    ///
    /// # Safety
    /// `argument` must have the type that `request` takes, and its pointers must be valid for the
    /// sizes in it.
    unsafe fn call<T>(&self, step: Step, request: u32, argument: &mut T) -> Result<(), Failure> {
        loop {
            // SAFETY: as the caller guarantees.
            let result = unsafe {
                libc::ioctl(self.file.as_raw_fd(), request as libc::Ioctl, &raw mut *argument)
            };
            if result >= 0 {
                return Ok(());
            }
            match std::io::Error::last_os_error().raw_os_error().unwrap_or(0) {
                libc::EINTR => {}
                errno => {
                    if Failure::is_disconnect(errno) {
                        self.disconnected.store(true, Ordering::Relaxed);
                    }
                    return Err(Failure { step, errno });
                }
            }
        }
    }
}

/// A session, which takes one message at a time.
pub(crate) struct Session {
    device: Arc<Device>,
    number: u32,
}

/// The driver behind a session.
pub(crate) struct Driver {
    pub(crate) name: String,
    /// True if only the kernel can reach it. Other drivers are code that a process could run.
    pub(crate) accelerator: bool,
}

/// Where the bytes of a call are in a hash's message.
#[derive(Copy, Clone)]
pub(crate) enum Chunk {
    Whole,
    /// Not empty: an empty call would end the message.
    First,
    Middle,
    Last,
}

impl Session {
    /// Opens a session for an algorithm, by its number, with the key.
    pub(crate) fn open(
        algorithm: Algorithm,
        number: u32,
        key: Option<&[u8]>,
    ) -> Result<Session, Failure> {
        let device = Device::open()?;
        let mut request = SessionOp::empty();
        let (key, size) = key.map_or((ptr::null(), 0), |key| (key.as_ptr(), key.len() as u32));
        if let Algorithm::Cipher(_) = algorithm {
            (request.cipher, request.key, request.key_size) = (number, key, size);
        } else {
            (request.mac, request.mac_key, request.mac_key_size) = (number, key, size);
        }
        // SAFETY: the key has the size in the request; the kernel only reads them.
        unsafe { device.call(Step::Session, CIOCGSESSION, &mut request)? };
        Ok(Session { device, number: request.session })
    }

    /// Returns true after the driver has gone.
    pub(crate) fn disconnected(&self) -> bool {
        self.device.disconnected.load(Ordering::Relaxed)
    }

    /// Asks for the driver.
    pub(crate) fn driver(&self) -> Result<Driver, Failure> {
        let mut info = SessionInfo { session: self.number, ..SessionInfo::empty() };
        // SAFETY: the kernel writes only into `info`.
        unsafe { self.device.call(Step::Session, CIOCGSESSINFO, &mut info)? };
        let text = |name: &[u8; NAME]| {
            let end = name.iter().position(|&byte| byte == 0).unwrap_or(NAME);
            String::from_utf8_lossy(&name[..end]).into_owned()
        };
        let names = [&info.cipher.driver, &info.hash.driver].map(text);
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        Ok(Driver { name, accelerator: info.flags & KERNEL_ONLY != 0 })
    }

    /// Hashes bytes of a message, and writes the digest after the last.
    pub(crate) fn hash(
        &self,
        chunk: Chunk,
        bytes: &[u8],
        digest: &mut [u8],
    ) -> Result<(), Failure> {
        let flags = match chunk {
            Chunk::Whole => 0,
            Chunk::First => RESET | UPDATE,
            Chunk::Middle => UPDATE,
            Chunk::Last => FINAL,
        };
        let mut request = CryptOp {
            session: self.number,
            flags,
            size: bytes.len() as u32,
            source: bytes.as_ptr(),
            mac: digest.as_mut_ptr(),
            ..CryptOp::empty()
        };
        // SAFETY: the source has the size in the request. Callers pass a digest of the size that
        // the session's hash has.
        unsafe { self.device.call(Step::Run, CIOCCRYPT, &mut request) }
    }

    /// Copies the state to `other`, a session with the same hash and key.
    pub(crate) fn copy_to(&self, other: &Session) -> Result<(), Failure> {
        let mut request = CopyOp { target: other.number, source: self.number };
        // SAFETY: the request has no pointers.
        unsafe { self.device.call(Step::Run, CIOCCPHASH, &mut request) }
    }

    /// Runs a stream cipher on a range of the text.
    pub(crate) fn apply(
        &self,
        iv: &[u8; 16],
        text: &mut Text<'_>,
        range: Range<usize>,
    ) -> Result<(), Failure> {
        let size = range.len() as u32;
        let (source, target) = match text {
            Text::InPlace(bytes) => {
                let place = bytes[range].as_mut_ptr();
                (place.cast_const(), place)
            }
            Text::Across { source, target } => {
                (source[range.clone()].as_ptr(), target[range].as_mut_ptr())
            }
        };
        // A copy, as the device may write to the iv.
        let (session, mut copy) = (self.number, *iv);
        let iv = copy.as_mut_ptr();
        let mut request = CryptOp { session, size, source, target, iv, ..CryptOp::empty() };
        // SAFETY: source and target have the size of the range, and are the same or do not overlap;
        // the iv has 16 bytes.
        unsafe { self.device.call(Step::Run, CIOCCRYPT, &mut request) }
    }

    /// Seals or opens in place: `text` is the plain text with space for the tag, or the sealed text
    /// with its tag.
    pub(crate) fn authenticate(
        &self,
        encrypt: bool,
        nonce: &[u8; 12],
        aad: &[u8],
        text: &mut [u8],
        tag_size: usize,
    ) -> Result<(), Failure> {
        let mut nonce = *nonce;
        let size = if encrypt { text.len() - tag_size } else { text.len() };
        let mut request = AuthOp {
            session: self.number,
            operation: u16::from(!encrypt),
            size: size as u32,
            aad_size: aad.len() as u32,
            aad: if aad.is_empty() { ptr::null() } else { aad.as_ptr() },
            source: text.as_ptr(),
            target: text.as_mut_ptr(),
            tag_size: tag_size as u32,
            iv: nonce.as_mut_ptr(),
            iv_size: nonce.len() as u32,
            ..AuthOp::empty()
        };
        // SAFETY: additional data and iv have the sizes in the request, and the text is as long as
        // the result.
        unsafe { self.device.call(Step::Run, CIOCAUTHCRYPT, &mut request) }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // In a forked child the session belongs to the parent.
        if self.device.process == fork::generation() {
            // SAFETY: the request takes a number.
            let _ = unsafe { self.device.call(Step::Session, CIOCFSESSION, &mut self.number) };
        }
    }
}

const UPDATE: u16 = 1;
const FINAL: u16 = 2;
const RESET: u16 = 64;
/// Of [`SessionInfo::flags`].
const KERNEL_ONLY: u32 = 1;
/// Bytes of a name.
const NAME: usize = 64;

/// Returns the number of an ioctl on most architectures: direction (1 to the kernel, 2 from it),
/// size, 'c', number.
const fn request<T>(direction: u32, number: u32) -> u32 {
    direction << 30 | (size_of::<T>() as u32) << 16 | (b'c' as u32) << 8 | number
}

const CIOCGSESSION: u32 = request::<SessionOp>(3, 102);
const CIOCFSESSION: u32 = request::<u32>(1, 103);
const CIOCCRYPT: u32 = request::<CryptOp>(3, 104);
const CIOCGSESSINFO: u32 = request::<SessionInfo>(3, 107);
const CIOCAUTHCRYPT: u32 = request::<AuthOp>(3, 109);
const CIOCCPHASH: u32 = request::<CopyOp>(1, 112);

/// The argument of an ioctl.
///
/// # Safety
/// All-zero bytes must be a valid value.
unsafe trait Argument: Sized {
    /// Returns an argument of zeros and null pointers.
    fn empty() -> Self {
        // SAFETY: as the trait demands.
        unsafe { std::mem::zeroed() }
    }
}

// SAFETY: these types consist of integers, bytes and pointers.
unsafe impl Argument for SessionOp {}
// SAFETY: as above.
unsafe impl Argument for CryptOp {}
// SAFETY: as above.
unsafe impl Argument for AuthOp {}
// SAFETY: as above.
unsafe impl Argument for SessionInfo {}

#[repr(C)]
struct SessionOp {
    cipher: u32,
    mac: u32,
    key_size: u32,
    key: *const u8,
    mac_key_size: u32,
    mac_key: *const u8,
    session: u32,
}

#[repr(C)]
struct CryptOp {
    session: u32,
    operation: u16,
    flags: u16,
    size: u32,
    source: *const u8,
    target: *mut u8,
    mac: *mut u8,
    iv: *mut u8,
}

#[repr(C)]
struct AuthOp {
    session: u32,
    operation: u16,
    flags: u16,
    size: u32,
    aad_size: u32,
    aad: *const u8,
    source: *const u8,
    target: *mut u8,
    tag: *mut u8,
    tag_size: u32,
    iv: *mut u8,
    iv_size: u32,
}

#[repr(C)]
struct AlgorithmInfo {
    name: [u8; NAME],
    driver: [u8; NAME],
}

#[repr(C)]
struct SessionInfo {
    session: u32,
    cipher: AlgorithmInfo,
    hash: AlgorithmInfo,
    alignment: u16,
    flags: u32,
}

#[repr(C)]
struct CopyOp {
    target: u32,
    source: u32,
}

#[cfg(test)]
#[cfg(target_pointer_width = "64")]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// The numbers that a client of the real module printed.
    #[test]
    fn requests_have_the_numbers_of_the_module() {
        assert_eq!(CIOCGSESSION, 0xc030_6366);
        assert_eq!(CIOCFSESSION, 0x4004_6367);
        assert_eq!(CIOCCRYPT, 0xc030_6368);
        assert_eq!(CIOCGSESSINFO, 0xc10c_636b);
        assert_eq!(CIOCAUTHCRYPT, 0xc048_636d);
        assert_eq!(CIOCCPHASH, 0x4008_6370);
    }

    /// Compares size and offsets.
    macro_rules! layout {
        ($type:ty, $size:literal, { $($field:ident: $offset:literal),* }) => {
            assert_eq!(size_of::<$type>(), $size);
            $(assert_eq!(offset_of!($type, $field), $offset, stringify!($type.$field));)*
        };
    }

    #[test]
    fn structures_have_the_layout_of_the_module() {
        layout!(SessionOp, 48, {
            cipher: 0, mac: 4, key_size: 8, key: 16, mac_key_size: 24, mac_key: 32, session: 40
        });
        layout!(CryptOp, 48, {
            session: 0, operation: 4, flags: 6, size: 8, source: 16, target: 24, mac: 32, iv: 40
        });
        layout!(AuthOp, 72, {
            operation: 4, flags: 6, size: 8, aad_size: 12, aad: 16, source: 24, target: 32, tag: 40,
            tag_size: 48, iv: 56, iv_size: 64
        });
        layout!(SessionInfo, 268, { cipher: 4, hash: 132, alignment: 260, flags: 264 });
        layout!(CopyOp, 8, { target: 0, source: 4 });
    }
}
