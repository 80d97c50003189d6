//! The contracts of engines. Only this file names the native engine.
//!
//! The native engine is chosen at compile time, so that the contract costs nothing at run time.
//! [`ExternalMac`] and [`ExternalCipher`] are the contract of engines in other crates, which are
//! chosen at run time. The operations have checked every size before they call an engine.
//!
//! `Engine` is what the native engine does for all algorithms. The other traits are what it does
//! for some: running hashes whose states are bytes (`Stateful`), messages in parts (`Splittable`), key
//! derivation (`Derivation`).

mod derivation;
mod external;
mod native;
mod report;

use crate::Error;
use crate::catalog::{Cipher, Hash};
use crate::checkpoint::{DigestSink, Slicer};
use crate::inputs::Params;
use crate::inputs::Text;

pub(crate) use derivation::Derivation;
pub use external::{ExternalCipher, ExternalMac};
pub use native::memory::Memory;
pub use report::report_json;

/// The native engine.
pub(crate) type Chosen = native::Native;

/// An HMAC key that an engine prepared.
pub(crate) enum MacState {
    Native(<Chosen as Engine>::MacState),
    External(Box<dyn ExternalMac>),
}

/// A cipher key that an engine prepared.
#[allow(clippy::large_enum_variant)] // boxing native's would cost every one-shot an allocation
pub(crate) enum CipherState {
    Native(<Chosen as Engine>::CipherState),
    External(Box<dyn ExternalCipher>),
}

/// Overwrites a secret so that the compiler cannot omit it.
pub fn wipe(bytes: &mut [u8]) {
    Chosen::wipe(bytes);
}

/// How an engine computes one algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    /// The library, as in [`Engine::libraries`].
    pub(crate) library: &'static str,
    /// The CPU's instructions in use beyond the architecture's baseline.
    pub(crate) instructions: Vec<&'static str>,
    /// How many messages are hashed at once on one core, and with which instructions, where that
    /// is quicker.
    pub(crate) lanes: Option<(usize, &'static [&'static str])>,
}

impl Service {
    /// Returns true if instructions made for cryptography are in use.
    pub(crate) fn hardware(&self) -> bool {
        const MADE_FOR_IT: [&str; 9] =
            ["aes-ni", "vaes", "sha-ni", "sha512-ni", "aes", "sha1", "sha2", "sha512", "sha3"];
        self.instructions.iter().any(|name| MADE_FOR_IT.contains(name))
    }
}

/// What an engine must do.
///
/// Callers have checked every size against the catalog: keys, nonces, tags, targets and limits.
pub(crate) trait Engine {
    /// The word for it in reports and options.
    const NAME: &'static str;

    /// A prepared HMAC key, wiped on drop.
    type MacState: Send + Sync;
    /// A prepared key of any cipher, wiped on drop; movable.
    type CipherState: Send + Sync;

    /// Whether it works on this machine, or why not.
    fn available() -> Result<(), &'static str>;
    /// The libraries behind it with their versions.
    fn libraries() -> Vec<(&'static str, String)>;
    /// How it computes this hash, or why it does not.
    fn serves_hash(hash: Hash) -> Result<Service, &'static str>;
    /// How it computes this cipher, or why it does not.
    fn serves_cipher(cipher: Cipher) -> Result<Service, &'static str>;

    /// Hashes `source` into `target`.
    fn digest(
        hash: Hash,
        params: &Params<'_>,
        source: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error>;
    /// As [`Engine::digest`], in slices.
    fn digest_paced(
        hash: Hash,
        params: &Params<'_>,
        source: &[u8],
        target: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error>;
    /// Computes an HMAC in one go, without heap, and wipes what it derived from the key.
    fn hmac(hash: Hash, key: &[u8], source: &[u8], target: &mut [u8]) -> Result<(), Error>;
    /// Prepares an HMAC key.
    fn mac_state(hash: Hash, key: &[u8]) -> Result<Self::MacState, Error>;
    /// Computes an HMAC under a prepared key.
    fn mac(state: &Self::MacState, source: &[u8], target: &mut [u8]) -> Result<(), Error>;
    /// As [`Engine::mac`], in slices.
    fn mac_paced(
        state: &Self::MacState,
        source: &[u8],
        target: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error>;

    /// Hashes each of `sources` to `size` bytes, several at once where that is quicker. Hands on
    /// each digest once, with the index of its source, in any order.
    fn digests(
        hash: Hash,
        params: &Params<'_>,
        sources: &[&[u8]],
        size: usize,
        sink: DigestSink<'_>,
    ) -> Result<(), Error>;
    /// Computes an HMAC of each of `sources`, as [`Engine::digests`] does.
    fn macs(state: &Self::MacState, sources: &[&[u8]], sink: DigestSink<'_>) -> Result<(), Error>;

    /// A cipher state that holds no key yet.
    fn cipher_vacant() -> Self::CipherState;
    /// Prepares `key` in a vacant state, at the place where it is.
    fn cipher_prepare(
        state: &mut Self::CipherState,
        cipher: Cipher,
        key: &[u8],
    ) -> Result<(), Error>;
    /// Runs a stream cipher.
    fn apply(state: &Self::CipherState, iv: &[u8], text: Text<'_>) -> Result<(), Error>;
    /// Encrypts and authenticates.
    fn seal(
        state: &Self::CipherState,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error>;
    /// Decrypts what `tag` authenticates, otherwise leaves zeros in the target.
    fn open(
        state: &Self::CipherState,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error>;
}

/// An engine whose running hashes are bytes, the same on every machine, which callers keep.
pub(crate) trait Stateful: Engine {
    /// Takes in more of a message, from a state (empty: not begun) to the next.
    fn update(
        hash: Hash,
        params: &Params<'_>,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
    ) -> Result<(), Error>;
    /// As [`Stateful::update`], in slices.
    fn update_paced(
        hash: Hash,
        params: &Params<'_>,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error>;
    /// Takes in the rest of a message, and finishes.
    fn finish(
        hash: Hash,
        params: &Params<'_>,
        state: &[u8],
        rest: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error>;
    /// Takes in the rest of a message, or nothing after the first time, and gives the next output
    /// of an extendable-output hash.
    fn squeeze(
        hash: Hash,
        params: &Params<'_>,
        state: &[u8],
        rest: &[u8],
        target: &mut [u8],
        next: &mut [u8],
    ) -> Result<(), Error>;
    /// Whether this is a state of the hash.
    fn check(hash: Hash, params: &Params<'_>, state: &[u8]) -> Result<(), Error>;
    /// Takes in more of a message under a prepared key, from a state of the inner hash (empty: not
    /// begun) to the next.
    fn mac_update(
        key: &Self::MacState,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
    ) -> Result<(), Error>;
    /// As [`Stateful::mac_update`], in slices.
    fn mac_update_paced(
        key: &Self::MacState,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error>;
    /// Takes in the rest of a message under a prepared key, and finishes.
    fn mac_finish(
        key: &Self::MacState,
        state: &[u8],
        rest: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error>;
}

/// An engine that works on messages in parts, in any order.
pub(crate) trait Splittable: Engine {
    /// A message of a cipher that is worked on in parts: key, nonce and what follows from them.
    /// Wiped on drop.
    type Message: Send + Sync;
    /// What a part of such a message adds to its tag. Wiped on drop.
    type PartialTag: Send + Sync;
    /// A message of a hash that is worked on in parts. Wiped on drop.
    type HashMessage: Send + Sync;

    /// Prepares a message under a key of this cipher.
    fn message(
        state: &Self::CipherState,
        cipher: Cipher,
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Self::Message, Error>;
    /// Runs a stream cipher on a part that begins `offset` bytes into the message, a multiple of
    /// 64.
    fn apply_part(
        message: &Self::Message,
        offset: u64,
        text: Text<'_>,
    ) -> Result<Self::PartialTag, Error>;
    /// Encrypts such a part.
    fn seal_part(
        message: &Self::Message,
        offset: u64,
        text: Text<'_>,
    ) -> Result<Self::PartialTag, Error>;
    /// Decrypts such a part of the message with this tag, authentic or not.
    fn open_part(
        message: &Self::Message,
        offset: u64,
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<Self::PartialTag, Error>;
    /// What a part adds that is not encrypted yet, where the tag is made of the plaintext.
    fn authenticate_plain(
        message: &Self::Message,
        source: &[u8],
    ) -> Result<Self::PartialTag, Error>;
    /// What such a part of the ciphertext adds to the tag, which is to be this; writes nothing.
    fn authenticate_sealed(
        message: &Self::Message,
        offset: u64,
        source: &[u8],
        tag: &[u8],
    ) -> Result<Self::PartialTag, Error>;
    /// Encrypts or decrypts such a part of the message with this tag.
    fn xor_part(
        message: &Self::Message,
        offset: u64,
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error>;
    /// Writes the tag, of any size up to the full one, of a message with these parts, all of them
    /// and in order.
    fn message_tag(
        message: &Self::Message,
        parts: &mut dyn Iterator<Item = (u64, &Self::PartialTag)>,
        tag: &mut [u8],
    ) -> Result<(), Error>;
    /// Whether that tag is this, in a time that does not tell where they differ.
    fn message_verify(
        message: &Self::Message,
        parts: &mut dyn Iterator<Item = (u64, &Self::PartialTag)>,
        tag: &[u8],
    ) -> Result<bool, Error>;

    /// Of how many bytes the parts must be in which a hash can take a message of `size` bytes;
    /// `None` where it cannot.
    fn hash_part_size(hash: Hash, size: u64) -> Option<u64>;
    /// Prepares such a message.
    fn hash_message(hash: Hash, params: &Params<'_>) -> Self::HashMessage;
    /// What a part, which begins `offset` bytes into the message, comes to.
    fn hash_part(message: &Self::HashMessage, offset: u64, source: &[u8]) -> [u8; 32];
    /// The digest of a message of at least two such parts.
    fn hash_join(
        message: &Self::HashMessage,
        parts: &mut dyn Iterator<Item = &[u8; 32]>,
        target: &mut [u8],
    );
}
