//! Which interface supports which algorithm. An interface is asked once for each algorithm, when it
//! is first needed: asking loads kernel modules.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use millrace_core::Error;
use millrace_core::catalog::{HASHES, Hash};

use crate::algorithm::Algorithm;
use crate::channels::{ChannelPool, Endpoint};
use crate::cryptodev::Driver;
use crate::failure::{Failure, Step, interned};
use crate::interface::{Interface, LinuxEngine};

/// The answer of an interface.
#[derive(Clone)]
pub(crate) enum Support {
    NotAsked,
    Unavailable(&'static str),
    /// With the driver, where the interface names it.
    Available(Option<Arc<Driver>>),
}

fn table() -> MutexGuard<'static, [[Support; Algorithm::COUNT]; 2]> {
    static TABLE: Mutex<[[Support; Algorithm::COUNT]; 2]> =
        Mutex::new([const { [const { Support::NotAsked }; Algorithm::COUNT] }; 2]);
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the remembered answer.
pub(crate) fn support(interface: Interface, algorithm: Algorithm) -> Support {
    table()[interface as usize][algorithm.index()].clone()
}

fn remember(interface: Interface, algorithm: Algorithm, support: Support) {
    table()[interface as usize][algorithm.index()] = support;
}

/// Asks an interface for an algorithm, with a key made up for that, and remembers the answer.
pub(crate) fn probe(
    interface: Interface,
    algorithm: Algorithm,
) -> Result<Option<Arc<Driver>>, Error> {
    let key = vec![7; algorithm.key_size()];
    let key = (!key.is_empty()).then_some(&key[..]);
    let tag_size =
        matches!(algorithm, Algorithm::Cipher(cipher) if cipher.facts().aead).then_some(16);
    let pool = ChannelPool::open(interface, algorithm, key, tag_size)
        .map_err(|failure| refusal(interface, algorithm, failure))?;
    let driver = match &pool.take()?.endpoint {
        Endpoint::Session(session) => {
            Some(Arc::new(session.driver().map_err(|failure| failure.error(algorithm))?))
        }
        Endpoint::Socket(_) => None,
    };
    remember(interface, algorithm, Support::Available(driver.clone()));
    Ok(driver)
}

/// Returns the remembered answer as a result; asks if the driver is not known yet.
fn driver(interface: Interface, algorithm: Algorithm) -> Result<Option<Arc<Driver>>, Error> {
    match support(interface, algorithm) {
        Support::Unavailable(reason) => Err(Error::Unavailable(reason)),
        Support::Available(Some(driver)) => Ok(Some(driver)),
        Support::Available(None) if interface == Interface::AfAlg => Ok(None),
        Support::Available(None) | Support::NotAsked => probe(interface, algorithm),
    }
}

/// Returns the error of an interface that refuses an algorithm. A lasting refusal is remembered:
/// to ask again would cost each call a search for kernel modules.
fn refusal(interface: Interface, algorithm: Algorithm, failure: Failure) -> Error {
    let error = failure.error(algorithm);
    if let (false, Error::Unavailable(reason)) = (failure.is_transient(), error)
        && failure.step != Step::Key
    {
        remember(interface, algorithm, Support::Unavailable(reason));
    }
    error
}

/// Returns the interface that [`LinuxEngine::Kernel`] uses for an algorithm, and decides on it at
/// the first call.
pub(crate) fn preferred(algorithm: Algorithm) -> Result<Interface, Error> {
    if let Some(interface) = decided(algorithm) {
        return Ok(interface);
    }
    let cryptodev = driver(Interface::Cryptodev, algorithm);
    let accelerated = matches!(&cryptodev, Ok(Some(driver)) if driver.accelerator);
    let af_alg =
        if accelerated { Err(Error::NotSupported) } else { driver(Interface::AfAlg, algorithm) };
    let interface = match (af_alg, cryptodev) {
        (Ok(_), _) => Interface::AfAlg,
        (Err(_), Ok(_)) => Interface::Cryptodev,
        (Err(Error::Unavailable(one)), Err(Error::Unavailable(other))) if one != other => {
            return Err(Error::Unavailable(interned(format!("{one}; {other}"))));
        }
        (Err(error), Err(_)) => return Err(error),
    };
    Ok(*DECIDED[algorithm.index()].get_or_init(|| interface))
}

/// By [`Algorithm::index`].
static DECIDED: [OnceLock<Interface>; Algorithm::COUNT] =
    [const { OnceLock::new() }; Algorithm::COUNT];

/// Returns the interface that [`preferred`] has decided on.
pub(crate) fn decided(algorithm: Algorithm) -> Option<Interface> {
    DECIDED[algorithm.index()].get().copied()
}

/// Opens channels for an algorithm, with a key where it takes one.
pub(crate) fn open(
    engine: LinuxEngine,
    algorithm: Algorithm,
    key: Option<&[u8]>,
    tag_size: Option<usize>,
) -> Result<ChannelPool, Error> {
    let interface = match engine {
        LinuxEngine::AfAlg => Interface::AfAlg,
        LinuxEngine::Cryptodev => Interface::Cryptodev,
        LinuxEngine::Kernel => preferred(algorithm)?,
    };
    if let Support::Unavailable(reason) = support(interface, algorithm) {
        return Err(Error::Unavailable(reason));
    }
    let pool = ChannelPool::open(interface, algorithm, key, tag_size)
        .map_err(|failure| refusal(interface, algorithm, failure))?;
    if matches!(support(interface, algorithm), Support::NotAsked) {
        remember(interface, algorithm, Support::Available(None));
    }
    Ok(pool)
}

/// Returns the channels for a hash without a key. They stay open until the process ends: at most
/// five descriptors for each hash.
pub(crate) fn hash_channels(engine: LinuxEngine, hash: Hash) -> Result<Arc<ChannelPool>, Error> {
    static OPENED: [[OnceLock<Arc<ChannelPool>>; HASHES.len()]; 3] =
        [const { [const { OnceLock::new() }; HASHES.len()] }; 3];
    let opened = &OPENED[engine as usize][hash as usize];
    if let Some(pool) = opened.get() {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(open(engine, Algorithm::Hash(hash), None, None)?);
    Ok(Arc::clone(opened.get_or_init(|| pool)))
}
