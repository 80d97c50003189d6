//! Why the kernel does not do something, in one sentence that says what is missing and how to mend
//! it.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::names::{Kind, What};
use crate::Error;

/// Where it failed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// AF_ALG: the family, the algorithm, its key, a place to work, and the work.
    Socket,
    Bind,
    Key,
    Accept,
    Send,
    Receive,
    /// cryptodev: the device, a session, and the work.
    Open,
    Session,
    Run,
}

/// A system call that failed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Failure {
    pub(super) step: Step,
    pub(super) errno: i32,
}

impl Failure {
    /// Whether it may be gone the next time: the process has too many files open, or memory is
    /// short.
    pub(super) fn passes(self) -> bool {
        let short = [
            libc::EMFILE,
            libc::ENFILE,
            libc::ENOMEM,
            libc::ENOBUFS,
            libc::EINTR,
            libc::EAGAIN,
            libc::EBUSY,
        ];
        // Whether there is a device is quickly asked again, and what to do about it may have been
        // done.
        short.contains(&self.errno) || self.step == Step::Open || Failure::of_the_gone(self.errno)
    }

    /// Whether it says that a device has ended, which may be opened anew.
    pub(super) fn of_the_gone(errno: i32) -> bool {
        [libc::ENOTCONN, libc::ECONNABORTED, libc::ENODEV].contains(&errno)
    }

    /// The error for whoever asked for `what`.
    pub(super) fn error(self, what: What) -> Error {
        let run = matches!(self.step, Step::Receive | Step::Run);
        if run && self.errno == libc::EBADMSG {
            return Error::Authentication;
        }
        Error::Unavailable(interned(self.sentence(what)))
    }

    fn sentence(self, what: What) -> String {
        let Failure { step, errno } = self;
        let code = code(errno);
        let names = what.of_sockets();
        let kind = names.as_ref().map_or(Kind::Hash, |(kind, _)| *kind);
        let name = names.map_or_else(|| what.name(), |(_, name)| name);
        match (step, errno) {
            (_, libc::EMFILE | libc::ENFILE) => {
                format!("kernel: too many files are open ({code}): raise the limit (ulimit -n), or dispose of keys and hashers")
            }
            (_, libc::ENOMEM | libc::ENOBUFS) if !matches!(step, Step::Open) => {
                format!("kernel: it has no memory for {name} now ({code}): shorter messages, or larger net.core.optmem_max and net.core.wmem_max, may help")
            }
            (Step::Socket, libc::EAFNOSUPPORT) => match restriction() {
                Some(2) => "AF_ALG: the system has turned it off (crypto.af_alg_restrict = 2); as root: sysctl crypto.af_alg_restrict=0".into(),
                _ => "AF_ALG: Linux has no such sockets here (EAFNOSUPPORT): the module af_alg is missing, or blocked in /etc/modprobe.d, or systemd's \
                      RestrictAddressFamilies leaves it out; as root: modprobe -a af_alg algif_hash algif_skcipher algif_aead"
                    .into(),
            },
            (Step::Socket, libc::EPERM | libc::EACCES) => format!(
                "AF_ALG: this process may not open such sockets ({code}): a seccomp filter or a security module (SELinux, AppArmor) refuses them, as \
                 Docker's default profile does since 29.4.3; allow the socket family AF_ALG in a profile of your own (docker run --security-opt seccomp=...)"
            ),
            (Step::Bind, libc::ENOENT) => match restriction() {
                Some(1) => format!(
                    "AF_ALG: the kernel refuses {name} ({code}): it has no such algorithm, or keeps it from this process (crypto.af_alg_restrict = 1, which \
                     Linux has from 7.3 on); as root: sysctl crypto.af_alg_restrict=0"
                ),
                _ if !Path::new("/sys/module").join(kind.module()).exists() => format!(
                    "AF_ALG: the kernel refuses {name} ({code}), and the module {} is not loaded: it is missing, or blocked in /etc/modprobe.d; as root: \
                     modprobe {0}",
                    kind.module()
                ),
                _ => format!(
                    "AF_ALG: the kernel has no {name} ({code}): it was built without it, or the module is missing or blocked in /etc/modprobe.d; \
                     /proc/crypto lists what there is"
                ),
            },
            (Step::Bind, libc::EPERM | libc::EACCES) => format!("AF_ALG: this process may not use {name} ({code}): a security module (SELinux, AppArmor) refuses it"),
            (Step::Key, libc::EBUSY) => format!("AF_ALG: the key of {name} is in use ({code})"),
            (Step::Key, _) => format!("AF_ALG: the kernel refuses the key of {name} ({code}): in FIPS mode weak and short keys are refused"),
            (Step::Send | Step::Receive, libc::ENOKEY) => format!("AF_ALG: {name} has lost its key ({code})"),
            (Step::Send, libc::EAGAIN) => format!("AF_ALG: the message is larger than the queue of a socket: raise net.core.wmem_max, or take another engine ({code})"),
            (Step::Bind | Step::Accept | Step::Send | Step::Receive | Step::Socket, _) => {
                format!("AF_ALG: {name} failed ({code} from {})", call(step))
            }
            (Step::Open, libc::ENOENT) => format!(
                "cryptodev: {} is not there ({code}): install cryptodev-linux for this kernel, and as root: modprobe cryptodev",
                super::cryptodev::path().display()
            ),
            (Step::Open, libc::ENODEV | libc::ENXIO) => format!(
                "cryptodev: {} has no driver ({code}); as root: modprobe cryptodev",
                super::cryptodev::path().display()
            ),
            (Step::Open, libc::EACCES | libc::EPERM) => {
                let path = super::cryptodev::path();
                let mode = mode(path).unwrap_or_default();
                format!(
                    "cryptodev: this process may not open {path} ({code}{mode}); as root: chmod 666 {path}, or lastingly a udev rule such as \
                     KERNEL==\"crypto\", GROUP=\"crypto\", MODE=\"0660\"",
                    path = path.display()
                )
            }
            (Step::Open, _) => format!("cryptodev: {} cannot be opened ({code})", super::cryptodev::path().display()),
            (Step::Session, libc::ENOTTY) => format!("cryptodev: {} is another device ({code}); MILLRACE_CRYPTODEV names the right one", super::cryptodev::path().display()),
            (Step::Session, libc::EINVAL) => format!("cryptodev: the device does not know {} ({code})", what.name()),
            (Step::Session, libc::ENOENT) => format!(
                "cryptodev: the kernel behind the device has no {name} ({code}): the module is missing or blocked; /proc/crypto lists what there is"
            ),
            (Step::Session | Step::Run, _) if Failure::of_the_gone(errno) => {
                format!("cryptodev: {} has gone away ({code}): it is opened anew at the next call", super::cryptodev::path().display())
            }
            (Step::Session | Step::Run, _) => format!("cryptodev: {} failed ({code} from {})", what.name(), call(step)),
        }
    }
}

/// What Linux has never had.
pub(super) fn unknown(interface: &str, what: What) -> Error {
    Error::Unavailable(interned(format!(
        "{interface}: there is no {} in it; take another engine",
        what.name()
    )))
}

/// A message of more bytes than go through at once.
pub(super) fn too_large(interface: &str, what: What, most: usize) -> Error {
    let name = what.name();
    Error::TooLarge(interned(format!(
        "{interface}: a message of {name} with its additional data must go through in one piece, of at most {most} bytes; take another engine for larger ones"
    )))
}

/// A tag of fewer bytes than are checked there.
pub(super) fn short_tag(interface: &str, what: What, size: usize) -> Error {
    Error::Unavailable(interned(format!(
        "{interface}: tags of {} with {size} bytes are not checked there, only whole ones; take another engine",
        what.name()
    )))
}

/// The sentence, kept for ever: there are not many, as they depend on algorithm, step and error
/// code only.
pub(super) fn interned(sentence: String) -> &'static str {
    const MOST: usize = 1000;
    static KEPT: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = kept.iter().find(|&&each| each == sentence) {
        return same;
    }
    if kept.len() >= MOST {
        return "the kernel cannot do this here";
    }
    let sentence: &'static str = Box::leak(sentence.into_boxed_str());
    kept.push(sentence);
    sentence
}

/// The setting that Linux has from 7.3 on: 0 all algorithms, 1 some for some, 2 none.
pub(super) fn restriction() -> Option<u32> {
    fs::read_to_string("/proc/sys/crypto/af_alg_restrict").ok()?.trim().parse().ok()
}

/// As `ls` shows it: `; it is crw------- root`.
fn mode(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let facts = fs::metadata(path).ok()?;
    let letter = |bit: u32, letter: char| if facts.mode() & bit != 0 { letter } else { '-' };
    let letters: String = [
        (0o400, 'r'),
        (0o200, 'w'),
        (0o100, 'x'),
        (0o40, 'r'),
        (0o20, 'w'),
        (0o10, 'x'),
        (4, 'r'),
        (2, 'w'),
        (1, 'x'),
    ]
    .map(|(bit, name)| letter(bit, name))
    .iter()
    .collect();
    let owner = if facts.uid() == 0 { "root".into() } else { format!("of user {}", facts.uid()) };
    Some(format!("; it is c{letters} {owner}"))
}

/// The system call of a step.
fn call(step: Step) -> &'static str {
    match step {
        Step::Socket => "socket",
        Step::Bind => "bind",
        Step::Key => "setsockopt",
        Step::Accept => "accept4",
        Step::Send => "sendmsg",
        Step::Receive => "recvmsg",
        Step::Open => "open",
        Step::Session | Step::Run => "ioctl",
    }
}

/// The name of an error code.
pub(super) fn code(errno: i32) -> String {
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
