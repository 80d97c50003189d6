//! The kernel engine: Linux's own cryptography, by its sockets (AF_ALG) or by the device of
//! cryptodev-linux.
//!
//! It is for accelerators that only the kernel can reach, for keys and rules that must be the
//! kernel's, and for nothing else: on a machine whose processor has instructions for cryptography
//! it is never faster (a system call and two copies a message), and Linux 7.2 calls the sockets
//! deprecated. So nobody gets it who does not ask for it by name, and nothing is probed before:
//! probing loads modules.
//!
//! - `names`: what may be asked for, and what both interfaces call it;
//! - `af_alg`, `cryptodev`: the interfaces;
//! - `places`: sockets and sessions of one key, used again;
//! - `hash`, `cipher`: what is computed with them;
//! - `held`: running hashes, by ticket;
//! - `reason`: why something is not served, and how to mend it;
//! - `report`: what is served;
//! - `fork`: whether this process is a child of the one that made something.

mod af_alg;
mod cipher;
mod cryptodev;
mod fork;
mod hash;
mod held;
mod names;
mod places;
mod reason;
mod report;

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use self::cryptodev::Driver;
use self::names::What;
use self::places::{At, Opening, Places};
use self::reason::{Failure, interned};
use super::{Engine, Provider, Service};
use crate::Error;
use crate::catalog::{Cipher, HASHES, Hash};
use crate::checkpoint::{DigestSink, Slicer};
use crate::inputs::{Params, Text};

pub(crate) use self::cipher::CipherKey;
pub use self::held::{Held, Paced};
pub use self::report::kernel_report;

/// The engine of the provider with this number.
pub(crate) struct Kernel<const PROVIDER: u8>;

/// An interface.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Way {
    AfAlg,
    Cryptodev,
}

impl Way {
    const BOTH: [Way; 2] = [Way::AfAlg, Way::Cryptodev];

    /// In options and reports.
    fn name(self) -> &'static str {
        match self {
            Way::AfAlg => "af_alg",
            Way::Cryptodev => "cryptodev",
        }
    }

    /// In sentences.
    fn title(self) -> &'static str {
        match self {
            Way::AfAlg => "AF_ALG",
            Way::Cryptodev => "cryptodev",
        }
    }

    /// The most bytes of a message that must go through in one piece.
    fn most(self, what: What) -> Option<usize> {
        match (self, what) {
            (Way::AfAlg, What::Cipher(cipher)) if cipher.facts().aead => Some(
                af_alg::room()
                    .map_or(cipher::SOCKET_MESSAGE, |room| room.saturating_sub(cipher::TAG)),
            ),
            (Way::Cryptodev, What::Cipher(cipher)) if cipher.facts().aead => {
                Some(cipher::DEVICE_TEXT)
            }
            _ => None,
        }
    }
}

// ---- what is known of an interface and an algorithm -----------------------------------------

/// What asking has told.
#[derive(Clone)]
enum Known {
    Nothing,
    Fails(&'static str),
    /// With the driver, where the interface tells.
    Works(Option<Arc<Driver>>),
}

fn table() -> MutexGuard<'static, [[Known; What::COUNT]; 2]> {
    static TABLE: Mutex<[[Known; What::COUNT]; 2]> =
        Mutex::new([const { [const { Known::Nothing }; What::COUNT] }; 2]);
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn known(way: Way, what: What) -> Known {
    table()[way as usize][what.index()].clone()
}

fn learn(way: Way, what: What, known: Known) {
    table()[way as usize][what.index()] = known;
}

/// Asks an interface for an algorithm, with a key that nobody uses, and remembers the answer.
fn find(way: Way, what: What) -> Result<Option<Arc<Driver>>, Error> {
    let key = vec![7; what.key_size()];
    let key = (!key.is_empty()).then_some(&key[..]);
    let tag_size = matches!(what, What::Cipher(cipher) if cipher.facts().aead).then_some(16);
    let opened =
        Places::open(way, what, key, tag_size).map_err(|opening| refused(way, what, opening))?;
    let driver = match &opened.take()?.at {
        At::Session(session) => {
            Some(Arc::new(session.driver().map_err(|failure: Failure| failure.error(what))?))
        }
        At::Socket(_) => None,
    };
    learn(way, what, Known::Works(driver.clone()));
    Ok(driver)
}

/// The same, if nobody has asked yet.
fn ask(way: Way, what: What) -> Result<Option<Arc<Driver>>, Error> {
    match known(way, what) {
        Known::Fails(reason) => Err(Error::Unavailable(reason)),
        Known::Works(Some(driver)) => Ok(Some(driver)),
        Known::Works(None) if way == Way::AfAlg => Ok(None),
        Known::Works(None) | Known::Nothing => find(way, what),
    }
}

/// The error of an interface that refuses an algorithm, which is remembered where it will last: to
/// ask again would cost each call a search for kernel modules.
fn refused(way: Way, what: What, opening: Opening) -> Error {
    let lasts = match &opening {
        Opening::Unknown(_) => true,
        Opening::Failed(failure) => !failure.passes() && failure.step != reason::Step::Key,
    };
    let error = opening.error(what);
    if let (true, Error::Unavailable(reason)) = (lasts, error) {
        learn(way, what, Known::Fails(reason));
    }
    error
}

/// The interface that serves an algorithm for who asks for the kernel only: the device where an
/// accelerator is behind it, else sockets, else the device.
fn best(what: What) -> Result<Way, Error> {
    if let Some(way) = chosen(what) {
        return Ok(way);
    }
    let by_device = ask(Way::Cryptodev, what);
    let accelerated = matches!(&by_device, Ok(Some(driver)) if driver.accelerator);
    let by_sockets = if accelerated { Err(Error::NotSupported) } else { ask(Way::AfAlg, what) };
    let way = match (by_sockets, by_device) {
        (Ok(_), _) => Way::AfAlg,
        (Err(_), Ok(_)) => Way::Cryptodev,
        (Err(Error::Unavailable(one)), Err(Error::Unavailable(other))) if one != other => {
            return Err(Error::Unavailable(interned(format!("{one}; {other}"))));
        }
        (Err(error), Err(_)) => return Err(error),
    };
    CHOSEN[what.index()].store(way as u8 + 1, Ordering::Relaxed);
    Ok(way)
}

/// By [`What::index`]: 0 while nobody has asked.
static CHOSEN: [AtomicU8; What::COUNT] = [const { AtomicU8::new(0) }; What::COUNT];

fn chosen(what: What) -> Option<Way> {
    match CHOSEN[what.index()].load(Ordering::Relaxed) {
        0 => None,
        1 => Some(Way::AfAlg),
        _ => Some(Way::Cryptodev),
    }
}

/// Places for an algorithm, with a key where it takes one.
fn open(
    provider: Provider,
    what: What,
    key: Option<&[u8]>,
    tag_size: Option<usize>,
) -> Result<Places, Error> {
    let way = match provider {
        Provider::AfAlg => Way::AfAlg,
        Provider::Cryptodev => Way::Cryptodev,
        Provider::Kernel | Provider::Native => best(what)?,
    };
    if let Known::Fails(reason) = known(way, what) {
        return Err(Error::Unavailable(reason));
    }
    let places =
        Places::open(way, what, key, tag_size).map_err(|opening| refused(way, what, opening))?;
    if matches!(known(way, what), Known::Nothing) {
        learn(way, what, Known::Works(None));
    }
    Ok(places)
}

/// Places for a hash without a key, which stay for as long as the process: at most [`KEPT`](places)
/// descriptors a hash.
fn hashing(provider: Provider, hash: Hash) -> Result<Arc<Places>, Error> {
    static OPENED: [[OnceLock<Arc<Places>>; HASHES.len()]; 3] =
        [const { [const { OnceLock::new() }; HASHES.len()] }; 3];
    let opened = match provider {
        Provider::AfAlg => &OPENED[0],
        Provider::Cryptodev => &OPENED[1],
        Provider::Kernel | Provider::Native => &OPENED[2],
    };
    let place = &opened[hash as usize];
    if let Some(places) = place.get() {
        return Ok(Arc::clone(places));
    }
    let places = Arc::new(open(provider, What::Hash(hash), None, None)?);
    Ok(Arc::clone(place.get_or_init(|| places)))
}

// ---- HMAC -----------------------------------------------------------------------------------

/// An HMAC under a key.
pub(crate) struct MacKey {
    places: Arc<Places>,
}

impl MacKey {
    fn new(provider: Provider, hash: Hash, key: &[u8]) -> Result<MacKey, Error> {
        let facts = hash.facts();
        let mut digest = places::Secret(vec![0; facts.digest_size]);
        // As HMAC has it a long key stands for its digest; what the interfaces take has limits. No
        // key is one of zeros.
        let key = match key.len() {
            0 => &[0][..],
            size if size > facts.block_size => {
                hash::digest(&hashing(provider, hash)?, key, &mut digest.0, None)?;
                &digest.0
            }
            _ => key,
        };
        Ok(MacKey { places: Arc::new(open(provider, What::Mac(hash), Some(key), None)?) })
    }

    fn places(&self) -> &Arc<Places> {
        &self.places
    }
}

// ---- the contract ---------------------------------------------------------------------------

impl<const PROVIDER: u8> Kernel<PROVIDER> {
    const ASKED: Provider = match Provider::from_number(PROVIDER as u32) {
        Some(provider) => provider,
        None => panic!("no provider has this number"),
    };

    fn serves(what: What) -> Result<Service, &'static str> {
        let way = match Self::ASKED {
            Provider::AfAlg => Ok(Way::AfAlg),
            Provider::Cryptodev => Ok(Way::Cryptodev),
            Provider::Kernel | Provider::Native => best(what),
        };
        let found = way.and_then(|way| Ok((way, ask(way, what)?)));
        match found {
            Ok((way, driver)) => Ok(Service {
                library: interned(
                    driver.as_ref().map_or_else(|| way.name().into(), |driver| driver.name.clone()),
                ),
                instructions: Vec::new(),
                lanes: None,
                limit: way.most(what).map(|most| most as u64),
                accelerator: driver.is_some_and(|driver| driver.accelerator),
            }),
            Err(Error::Unavailable(reason)) => Err(reason),
            Err(error) => Err(error.message()),
        }
    }
}

impl<const PROVIDER: u8> Engine for Kernel<PROVIDER> {
    const NAME: &'static str = match Self::ASKED {
        Provider::AfAlg => "af_alg",
        Provider::Cryptodev => "cryptodev",
        Provider::Kernel | Provider::Native => "kernel",
    };

    type MacState = MacKey;
    type CipherState = Option<CipherKey>;

    fn available() -> Result<(), &'static str> {
        Self::serves_hash(Hash::Sha256).map(drop)
    }

    fn libraries() -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn serves_hash(hash: Hash) -> Result<Service, &'static str> {
        Self::serves(What::Hash(hash))
    }

    fn serves_cipher(cipher: Cipher) -> Result<Service, &'static str> {
        Self::serves(What::Cipher(cipher))
    }

    fn digest(
        hash: Hash,
        params: &Params<'_>,
        source: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        plain(hash, params)?;
        hash::digest(&hashing(Self::ASKED, hash)?, source, target, None)
    }

    fn digest_paced(
        hash: Hash,
        params: &Params<'_>,
        source: &[u8],
        target: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error> {
        plain(hash, params)?;
        hash::digest(&hashing(Self::ASKED, hash)?, source, target, Some(slicer))
    }

    fn hmac(hash: Hash, key: &[u8], source: &[u8], target: &mut [u8]) -> Result<(), Error> {
        Self::mac(&Self::mac_state(hash, key)?, source, target)
    }

    fn mac_state(hash: Hash, key: &[u8]) -> Result<MacKey, Error> {
        MacKey::new(Self::ASKED, hash, key)
    }

    fn mac(state: &MacKey, source: &[u8], target: &mut [u8]) -> Result<(), Error> {
        hash::digest(&state.places, source, target, None)
    }

    fn mac_paced(
        state: &MacKey,
        source: &[u8],
        target: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error> {
        hash::digest(&state.places, source, target, Some(slicer))
    }

    fn digests(
        hash: Hash,
        params: &Params<'_>,
        sources: &[&[u8]],
        size: usize,
        sink: DigestSink<'_>,
    ) -> Result<(), Error> {
        plain(hash, params)?;
        one_by_one(&hashing(Self::ASKED, hash)?, sources, size, sink)
    }

    fn macs(state: &MacKey, sources: &[&[u8]], sink: DigestSink<'_>) -> Result<(), Error> {
        let size = match state.places.what {
            What::Hash(hash) | What::Mac(hash) => hash.facts().digest_size,
            What::Cipher(_) => return Err(Error::NotSupported),
        };
        one_by_one(&state.places, sources, size, sink)
    }

    fn cipher_vacant() -> Option<CipherKey> {
        None
    }

    fn cipher_prepare(
        state: &mut Option<CipherKey>,
        cipher: Cipher,
        key: &[u8],
    ) -> Result<(), Error> {
        *state = Some(CipherKey::new(Self::ASKED, cipher, key)?);
        Ok(())
    }

    fn apply(state: &Option<CipherKey>, iv: &[u8], text: Text<'_>) -> Result<(), Error> {
        state.as_ref().ok_or(Error::Engine)?.apply(iv, text, None)
    }

    fn apply_paced(
        state: &Option<CipherKey>,
        iv: &[u8],
        text: Text<'_>,
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error> {
        state.as_ref().ok_or(Error::Engine)?.apply(iv, text, Some(slicer))
    }

    fn seal(
        state: &Option<CipherKey>,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        state.as_ref().ok_or(Error::Engine)?.seal(nonce, aad, text, tag)
    }

    fn open(
        state: &Option<CipherKey>,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error> {
        state.as_ref().ok_or(Error::Engine)?.open(nonce, aad, text, tag)
    }
}

/// No hash with a seed or a key of its own is served.
fn plain(hash: Hash, params: &Params<'_>) -> Result<(), Error> {
    let plain = params.seed == 0 && params.key.is_none();
    if plain { Ok(()) } else { Err(reason::unknown("kernel", What::Hash(hash))) }
}

fn one_by_one(
    places: &Arc<Places>,
    sources: &[&[u8]],
    size: usize,
    mut sink: DigestSink<'_>,
) -> Result<(), Error> {
    let mut target = [0; 64];
    let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
    for (index, source) in sources.iter().enumerate() {
        if sink.cancelled(index) {
            continue;
        }
        hash::digest(places, source, target, None)?;
        sink.emit(index, target);
        sink.advance(source.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
