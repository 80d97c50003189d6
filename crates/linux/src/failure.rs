//! Errors of the kernel, each with what is missing and how to fix it.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use millrace_core::Error;

use crate::algorithm::{Algorithm, Kind};
use crate::interface::{Interface, device_path};

/// The step that failed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// No Linux has the algorithm behind the interface.
    Unsupported(Interface),
    // AF_ALG.
    Socket,
    Bind,
    Key,
    Accept,
    Send,
    Receive,
    // cryptodev.
    Open,
    Session,
    Run,
}

/// A system call that failed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) step: Step,
    pub(crate) errno: i32,
}

impl Failure {
    /// Returns true if the next call may succeed: files or memory are short, or the device, which
    /// is cheap to look for, is not there yet.
    pub(crate) fn is_transient(self) -> bool {
        let short = [
            libc::EMFILE,
            libc::ENFILE,
            libc::ENOMEM,
            libc::ENOBUFS,
            libc::EINTR,
            libc::EAGAIN,
            libc::EBUSY,
        ];
        short.contains(&self.errno) || self.step == Step::Open || Failure::is_disconnect(self.errno)
    }

    /// Returns true if the driver of the device has gone; the device may be opened again.
    pub(crate) fn is_disconnect(errno: i32) -> bool {
        [libc::ENOTCONN, libc::ECONNABORTED, libc::ENODEV].contains(&errno)
    }

    /// Returns the error for a caller that asked for `algorithm`.
    pub(crate) fn error(self, algorithm: Algorithm) -> Error {
        let run = matches!(self.step, Step::Receive | Step::Run);
        if run && self.errno == libc::EBADMSG {
            return Error::Authentication;
        }
        Error::Unavailable(interned(self.message(algorithm)))
    }

    fn message(self, algorithm: Algorithm) -> String {
        let Failure { step, errno } = self;
        let code = code(errno);
        let names = algorithm.af_alg();
        let module = names.as_ref().map_or(Kind::Hash, |(kind, _)| *kind).module();
        let name = names.map_or_else(|| algorithm.name(), |(_, name)| name);
        let device = device_path().display();
        match (step, errno) {
            (Step::Unsupported(interface), _) => {
                let (title, name) = (interface.title(), algorithm.name());
                format!("{title}: does not support {name}: use another engine")
            }
            (_, libc::EMFILE | libc::ENFILE) => format!(
                "kernel: too many files are open ({code}): raise the limit (ulimit -n), or dispose \
                 of keys and hashers"
            ),
            (_, libc::ENOMEM | libc::ENOBUFS) if step != Step::Open => format!(
                "kernel: not enough memory for {name} ({code}): use shorter messages, or raise \
                 net.core.optmem_max and net.core.wmem_max"
            ),
            (Step::Socket, libc::EAFNOSUPPORT) => match restriction() {
                Some(2) => "AF_ALG: turned off by crypto.af_alg_restrict = 2: as root, run \
                            sysctl crypto.af_alg_restrict=0"
                    .into(),
                _ => "AF_ALG: Linux has no such sockets here (EAFNOSUPPORT): the module af_alg is \
                      missing, /etc/modprobe.d blocks it, or systemd's RestrictAddressFamilies \
                      excludes it: as root, run modprobe -a af_alg algif_hash algif_skcipher \
                      algif_aead"
                    .into(),
            },
            (Step::Socket, libc::EPERM | libc::EACCES) => format!(
                "AF_ALG: this process may not open such sockets ({code}): a seccomp filter or a \
                 security module (SELinux, AppArmor) refuses them, as Docker's default profile \
                 does since 29.4.3: allow the socket family AF_ALG in a custom profile \
                 (docker run --security-opt seccomp=...)"
            ),
            (Step::Bind, libc::ENOENT) => match restriction() {
                Some(1) => format!(
                    "AF_ALG: the kernel refuses {name} ({code}): it does not have the algorithm, \
                     or crypto.af_alg_restrict = 1 (Linux 7.3 and later) forbids it: as root, run \
                     sysctl crypto.af_alg_restrict=0"
                ),
                _ if !Path::new("/sys/module").join(&module).exists() => format!(
                    "AF_ALG: the kernel refuses {name} ({code}) and has not loaded the module \
                     {module}: the module is missing, or /etc/modprobe.d blocks it: as root, run \
                     modprobe {module}"
                ),
                _ => format!(
                    "AF_ALG: the kernel has no {name} ({code}): it was built without it, the \
                     module is missing, or /etc/modprobe.d blocks it: /proc/crypto lists what is \
                     loaded"
                ),
            },
            (Step::Bind, libc::EPERM | libc::EACCES) => format!(
                "AF_ALG: this process may not use {name} ({code}): a security module (SELinux, \
                 AppArmor) refuses it: allow it there, or use another engine"
            ),
            (Step::Key, libc::EBUSY) => {
                format!("AF_ALG: the key of {name} is in use ({code}): try again")
            }
            (Step::Key, _) => format!(
                "AF_ALG: the kernel refuses the key of {name} ({code}): FIPS mode refuses weak and \
                 short keys: use a longer key, or another engine"
            ),
            (Step::Send | Step::Receive, libc::ENOKEY) => {
                format!("AF_ALG: {name} has lost its key ({code}): prepare the key again")
            }
            (Step::Send, libc::EAGAIN) => format!(
                "AF_ALG: the message is larger than the queue of a socket ({code}): raise \
                 net.core.wmem_max, or use another engine"
            ),
            (Step::Bind | Step::Accept | Step::Send | Step::Receive | Step::Socket, _) => {
                format!("AF_ALG: {name} failed ({code} from {})", call(step))
            }
            (Step::Open, libc::ENOENT) => format!(
                "cryptodev: {device} is not there ({code}): install cryptodev-linux for this \
                 kernel and, as root, run modprobe cryptodev"
            ),
            (Step::Open, libc::ENODEV | libc::ENXIO) => format!(
                "cryptodev: {device} has no driver ({code}): as root, run modprobe cryptodev"
            ),
            (Step::Open, libc::EACCES | libc::EPERM) => format!(
                "cryptodev: this process may not open {device} ({code}{}): as root, run chmod 666 \
                 {device}, or add a udev rule such as KERNEL==\"crypto\", GROUP=\"crypto\", \
                 MODE=\"0660\"",
                mode(device_path()).unwrap_or_default()
            ),
            (Step::Open, _) => format!("cryptodev: {device} cannot be opened ({code})"),
            (Step::Session, libc::ENOTTY) => format!(
                "cryptodev: {device} is another device ({code}): set MILLRACE_CRYPTODEV to the \
                 right path"
            ),
            (Step::Session, libc::EINVAL) => format!(
                "cryptodev: the device does not know {} ({code}): use another engine",
                algorithm.name()
            ),
            (Step::Session, libc::ENOENT) => format!(
                "cryptodev: the kernel behind the device has no {name} ({code}): the module is \
                 missing or blocked: /proc/crypto lists what is loaded"
            ),
            (Step::Session | Step::Run, _) if Failure::is_disconnect(errno) => format!(
                "cryptodev: the driver of {device} has gone ({code}): the next call opens the \
                 device again"
            ),
            (Step::Session | Step::Run, _) => {
                format!("cryptodev: {} failed ({code} from {})", algorithm.name(), call(step))
            }
        }
    }
}

/// Returns the error for a message that is too long for one call.
pub(crate) fn too_large(interface: Interface, algorithm: Algorithm, max: usize) -> Error {
    let (title, name) = (interface.title(), algorithm.name());
    Error::TooLarge(interned(format!(
        "{title}: a message of {name} with its additional data must be sent in one piece, of at \
         most {max} bytes: use another engine for longer messages"
    )))
}

/// Returns the error for a tag that is too short to be verified.
pub(crate) fn short_tag(interface: Interface, algorithm: Algorithm, size: usize) -> Error {
    let (title, name) = (interface.title(), algorithm.name());
    Error::Unavailable(interned(format!(
        "{title}: verifies only 16-byte tags of {name}, and this one has {size} bytes: use another \
         engine"
    )))
}

/// Returns the message with a static lifetime. Messages depend only on algorithm, step and error
/// code, so there are few.
pub(crate) fn interned(message: String) -> &'static str {
    const MAX: usize = 1000;
    static KEPT: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = kept.iter().find(|&&each| each == message) {
        return same;
    }
    if kept.len() >= MAX {
        return "kernel: not available here: use another engine";
    }
    let message: &'static str = Box::leak(message.into_boxed_str());
    kept.push(message);
    message
}

/// Returns crypto.af_alg_restrict (Linux 7.3 and later): 0 allows all algorithms, 1 some, 2 none.
pub(crate) fn restriction() -> Option<u32> {
    fs::read_to_string("/proc/sys/crypto/af_alg_restrict").ok()?.trim().parse().ok()
}

/// Returns a device's mode and owner as `ls` shows them: `; it is crw------- root`.
fn mode(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let facts = fs::metadata(path).ok()?;
    let letters: String = "rwxrwxrwx"
        .chars()
        .enumerate()
        .map(|(index, letter)| if facts.mode() & (0o400 >> index) != 0 { letter } else { '-' })
        .collect();
    let owner = if facts.uid() == 0 { "root".into() } else { format!("of user {}", facts.uid()) };
    Some(format!("; it is c{letters} {owner}"))
}

/// Returns the system call of a step.
fn call(step: Step) -> &'static str {
    match step {
        Step::Socket => "socket",
        Step::Bind => "bind",
        Step::Accept => "accept4",
        Step::Send => "sendmsg",
        Step::Receive => "recvmsg",
        _ => "ioctl",
    }
}

/// Returns the name of an error code.
fn code(errno: i32) -> String {
    let name = match errno {
        libc::EPERM => "EPERM",
        libc::ENOENT => "ENOENT",
        libc::EINTR => "EINTR",
        libc::EIO => "EIO",
        libc::ENXIO => "ENXIO",
        libc::EBADF => "EBADF",
        libc::EAGAIN => "EAGAIN",
        libc::ENOMEM => "ENOMEM",
        libc::EACCES => "EACCES",
        libc::EFAULT => "EFAULT",
        libc::EBUSY => "EBUSY",
        libc::ENODEV => "ENODEV",
        libc::EINVAL => "EINVAL",
        libc::ENFILE => "ENFILE",
        libc::EMFILE => "EMFILE",
        libc::ENOTTY => "ENOTTY",
        libc::ENOSYS => "ENOSYS",
        libc::ELIBBAD => "ELIBBAD",
        libc::EBADMSG => "EBADMSG",
        libc::ENOTCONN => "ENOTCONN",
        libc::ECONNABORTED => "ECONNABORTED",
        libc::EOPNOTSUPP => "EOPNOTSUPP",
        libc::EAFNOSUPPORT => "EAFNOSUPPORT",
        libc::ENOPROTOOPT => "ENOPROTOOPT",
        libc::ENOBUFS => "ENOBUFS",
        libc::ENOKEY => "ENOKEY",
        libc::EMSGSIZE => "EMSGSIZE",
        libc::ECANCELED => "ECANCELED",
        _ => return format!("error {errno}"),
    };
    name.into()
}
