//! The interfaces to the kernel, and the engines that callers choose.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// An engine, as options name it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LinuxEngine {
    /// `kernel`: cryptodev where an accelerator serves the algorithm, else AF_ALG, else cryptodev.
    Kernel,
    /// `af_alg`: the kernel's sockets.
    AfAlg,
    /// `cryptodev`: the device of cryptodev-linux.
    Cryptodev,
}

/// An interface to the kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Interface {
    AfAlg,
    Cryptodev,
}

impl Interface {
    pub(crate) const ALL: [Interface; 2] = [Interface::AfAlg, Interface::Cryptodev];

    /// Returns the name in options and reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Interface::AfAlg => "af_alg",
            Interface::Cryptodev => "cryptodev",
        }
    }

    /// Returns the name in error messages.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Interface::AfAlg => "AF_ALG",
            Interface::Cryptodev => "cryptodev",
        }
    }
}

/// Returns the path of the device: `MILLRACE_CRYPTODEV`, or /dev/crypto.
pub(crate) fn device_path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        env::var_os("MILLRACE_CRYPTODEV").map_or_else(|| "/dev/crypto".into(), PathBuf::from)
    })
}
