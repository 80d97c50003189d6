//! Hybrid public key encryption (RFC 9180), in all four modes.
//!
//! | key of the recipient | KEM | number |
//! |----------------------|-----|--------|
//! | P-256, P-384, P-521 | DHKEM with HKDF-SHA256, -SHA384, -SHA512 | 0x10, 0x11, 0x12 |
//! | X25519 | DHKEM with HKDF-SHA256 | 0x20 |
//! | ML-KEM-512, -768, -1024 | ML-KEM (draft-ietf-hpke-pq) | 0x40, 0x41, 0x42 |
//! | X-Wing | X-Wing (draft-connolly-cfrg-xwing-kem-10) | 0x647a |
//!
//! ML-KEM and X-Wing do not authenticate the sender.

use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{CipherKey, Text};
use millrace_core::kdf::hkdf;
use millrace_core::wipe::WipedBox;
use zeroize::Zeroizing;

use crate::algorithm::Algorithm;
use crate::error::Error;
use crate::key::{PrivateKey, PublicKey, zeros};

/// The key derivation function of a suite.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kdf {
    /// HKDF with SHA-256.
    HkdfSha256,
    /// HKDF with SHA-384.
    HkdfSha384,
    /// HKDF with SHA-512.
    HkdfSha512,
}

impl Kdf {
    /// Returns the function of a number in IANA's registry.
    pub fn from_number(number: u16) -> Option<Kdf> {
        [Kdf::HkdfSha256, Kdf::HkdfSha384, Kdf::HkdfSha512]
            .into_iter()
            .find(|kdf| kdf.facts().0 == number)
    }

    fn facts(self) -> (u16, Hash) {
        match self {
            Kdf::HkdfSha256 => (1, Hash::Sha256),
            Kdf::HkdfSha384 => (2, Hash::Sha384),
            Kdf::HkdfSha512 => (3, Hash::Sha512),
        }
    }
}

/// The AEAD of a suite.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Aead {
    /// AES-128-GCM.
    Aes128Gcm,
    /// AES-256-GCM.
    Aes256Gcm,
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305,
    /// None: contexts export secrets only.
    ExportOnly,
}

impl Aead {
    /// Returns the AEAD of a number in IANA's registry.
    pub fn from_number(number: u16) -> Option<Aead> {
        [Aead::Aes128Gcm, Aead::Aes256Gcm, Aead::ChaCha20Poly1305, Aead::ExportOnly]
            .into_iter()
            .find(|aead| aead.facts().0 == number)
    }

    fn facts(self) -> (u16, Option<Cipher>) {
        match self {
            Aead::Aes128Gcm => (1, Some(Cipher::Aes128Gcm)),
            Aead::Aes256Gcm => (2, Some(Cipher::Aes256Gcm)),
            Aead::ChaCha20Poly1305 => (3, Some(Cipher::ChaCha20Poly1305)),
            Aead::ExportOnly => (0xffff, None),
        }
    }
}

/// A secret that both sides have, by which the recipient authenticates the sender.
#[derive(Copy, Clone)]
pub struct PreSharedKey<'a> {
    /// The secret: 32 bytes or more.
    pub key: &'a [u8],
    /// The name of the secret, not empty.
    pub id: &'a [u8],
}

/// What sender and recipient must agree on, beside the recipient's key.
#[derive(Copy, Clone)]
pub struct Parameters<'a> {
    /// The key derivation function.
    pub kdf: Kdf,
    /// The AEAD.
    pub aead: Aead,
    /// What the application binds the context to, mostly empty.
    pub info: &'a [u8],
    /// The secret of the modes `psk` and `auth_psk`.
    pub pre_shared: Option<PreSharedKey<'a>>,
}

/// The bytes by which a ciphertext is longer than its message.
pub const TAG: usize = 16;

/// Returns the bytes of an encapsulated secret, which the sender sends first.
///
/// # Errors
/// [`Error::KeyType`] if there is no KEM for keys of this algorithm.
pub fn encapsulated_size(algorithm: Algorithm) -> Result<usize, Error> {
    kem(algorithm)?;
    let facts = algorithm.facts();
    Ok(if algorithm.encapsulates() { facts.ciphertext } else { facts.public_key })
}

/// Returns the number of a KEM, and the hash of DHKEM.
fn kem(algorithm: Algorithm) -> Result<(u16, Hash), Error> {
    Ok(match algorithm {
        Algorithm::P256 => (0x10, Hash::Sha256),
        Algorithm::P384 => (0x11, Hash::Sha384),
        Algorithm::P521 => (0x12, Hash::Sha512),
        Algorithm::X25519 => (0x20, Hash::Sha256),
        Algorithm::MlKem512 => (0x40, Hash::Sha256),
        Algorithm::MlKem768 => (0x41, Hash::Sha256),
        Algorithm::MlKem1024 => (0x42, Hash::Sha256),
        Algorithm::XWing => (0x647a, Hash::Sha256),
        _ => return Err(Error::KeyType),
    })
}

/// Seals messages for one recipient, who opens them in the same order.
pub struct Sender(Context);

/// Opens the messages of one sender, in their order.
pub struct Recipient(Context);

impl Sender {
    /// Writes a new encapsulated secret, of [`encapsulated_size`] bytes, to the front of the target
    /// and returns the context for it. With the sender's own key the recipient can authenticate the
    /// sender (mode `auth`).
    ///
    /// # Errors
    /// [`Error::KeyType`] if there is no KEM for keys of this algorithm, or a sender's key for one
    /// that does not authenticate; [`Error::KeyMismatch`] if the keys belong to different
    /// algorithms; [`Error::PreSharedKey`], [`Error::OutputSize`], [`Error::SmallOrder`],
    /// [`Error::Memory`].
    pub fn new(
        parameters: &Parameters<'_>,
        recipient: &PublicKey,
        sender: Option<&PrivateKey>,
        encapsulated: &mut [u8],
    ) -> Result<Sender, Error> {
        let algorithm = recipient.algorithm();
        let size = encapsulated_size(algorithm)?;
        let encapsulated = encapsulated.get_mut(..size).ok_or(Error::OutputSize)?;
        let secret = if algorithm.encapsulates() {
            let mut secret = zeros(32)?;
            let target = secret.first_chunk_mut().ok_or(Error::Engine)?;
            match sender {
                Some(_) => return Err(Error::KeyType),
                None => recipient.encapsulate(encapsulated, target)?,
            };
            secret
        } else {
            let ephemeral = PrivateKey::generate(algorithm)?;
            encapsulated.copy_from_slice(&ephemeral.0.raw_public()?);
            let public = sender.map(|sender| sender.0.raw_public()).transpose()?;
            let context = [&*encapsulated, &recipient.to_raw()?, &public.unwrap_or_default()];
            let second = sender.map(|sender| (sender, recipient));
            agreed_secret((&ephemeral, recipient), second, &context)?
        };
        Context::new(parameters, algorithm, &secret, sender.is_some()).map(Sender)
    }

    /// Seals the next message. The target has 16 bytes more than the message, or is longer; returns
    /// the bytes written.
    ///
    /// # Errors
    /// [`Error::ExportOnly`], [`Error::MessageLimit`], [`Error::OutputSize`],
    /// [`Error::MessageTooLong`].
    pub fn seal(&mut self, aad: &[u8], message: &[u8], target: &mut [u8]) -> Result<usize, Error> {
        let size = message.len().checked_add(TAG).ok_or(Error::OutputSize)?;
        let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
        let (text, tag) = target.split_at_mut(message.len());
        let context = &mut self.0;
        let nonce = context.nonce()?;
        let cipher = context.cipher.as_ref().ok_or(Error::ExportOnly)?;
        // First, so that no failure makes two messages share a nonce.
        context.sequence += 1;
        cipher.seal(&nonce, aad, Text::Across { source: message, target: text }, tag)?;
        Ok(size)
    }
}

impl Recipient {
    /// Returns the context for a sender's encapsulated secret. With the sender's public key only
    /// that sender's messages open (mode `auth`).
    ///
    /// # Errors
    /// As [`Sender::new`]; [`Error::CiphertextSize`], and [`Error::Point`] for what is no point on
    /// the curve. A wrong secret is no error: no message will open.
    pub fn new(
        parameters: &Parameters<'_>,
        recipient: &PrivateKey,
        sender: Option<&PublicKey>,
        encapsulated: &[u8],
    ) -> Result<Recipient, Error> {
        let algorithm = recipient.algorithm();
        if encapsulated.len() != encapsulated_size(algorithm)? {
            return Err(Error::CiphertextSize);
        }
        let secret = if algorithm.encapsulates() {
            let mut secret = zeros(32)?;
            let target = secret.first_chunk_mut().ok_or(Error::Engine)?;
            match sender {
                Some(_) => return Err(Error::KeyType),
                None => recipient.decapsulate(encapsulated, target)?,
            }
            secret
        } else {
            let ephemeral = PublicKey::from_raw(algorithm, encapsulated)?;
            let public = sender.map(PublicKey::to_raw).transpose()?;
            let context = [encapsulated, &recipient.0.raw_public()?, &public.unwrap_or_default()];
            let second = sender.map(|sender| (recipient, sender));
            agreed_secret((recipient, &ephemeral), second, &context)?
        };
        Context::new(parameters, algorithm, &secret, sender.is_some()).map(Recipient)
    }

    /// Opens the next message. The target has 16 bytes less than the ciphertext, or is longer;
    /// returns the bytes written. After an error the same message is expected.
    ///
    /// # Errors
    /// [`Error::Decryption`], with the target all zero; [`Error::ExportOnly`],
    /// [`Error::MessageLimit`], [`Error::CiphertextSize`], [`Error::OutputSize`].
    pub fn open(
        &mut self,
        aad: &[u8],
        ciphertext: &[u8],
        target: &mut [u8],
    ) -> Result<usize, Error> {
        let size = ciphertext.len().checked_sub(TAG).ok_or(Error::CiphertextSize)?;
        let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
        let (source, tag) = ciphertext.split_at(size);
        let context = &mut self.0;
        let nonce = context.nonce()?;
        let cipher = context.cipher.as_ref().ok_or(Error::ExportOnly)?;
        cipher.open(&nonce, aad, Text::Across { source, target }, tag)?;
        context.sequence += 1;
        Ok(size)
    }
}

macro_rules! export {
    ($($side:ident),*) => {$(impl $side {
        /// Fills the target with a secret that both sides can derive under this label.
        ///
        /// # Errors
        /// [`Error::OutputSize`] for more than 255 digests of the suite's hash, [`Error::Memory`].
        pub fn export(&self, label: &[u8], target: &mut [u8]) -> Result<(), Error> {
            self.0.labeled().expand(&self.0.exporter, b"sec", &[label], target)
        }

        /// Writes the key of the AEAD, the nonce of the first message and the secret of exports to
        /// the front of the target, for callers that seal, open and export themselves. Returns
        /// their size.
        ///
        /// # Errors
        /// [`Error::OutputSize`].
        pub fn secrets(&self, target: &mut [u8]) -> Result<usize, Error> {
            let Context { key, base_nonce, exporter, .. } = &self.0;
            let mut size = 0;
            for secret in [key, base_nonce, exporter] {
                let place = target.get_mut(size..size + secret.len()).ok_or(Error::OutputSize)?;
                place.copy_from_slice(secret);
                size += secret.len();
            }
            Ok(size)
        }
    })*};
}

export!(Sender, Recipient);

/// Seals one message: writes the encapsulated secret, then the ciphertext, to the front of the
/// target and returns their size.
///
/// # Errors
/// As [`Sender::new`] and [`Sender::seal`].
pub fn seal(
    parameters: &Parameters<'_>,
    recipient: &PublicKey,
    sender: Option<&PrivateKey>,
    aad: &[u8],
    message: &[u8],
    target: &mut [u8],
) -> Result<usize, Error> {
    let size = encapsulated_size(recipient.algorithm())?;
    let (encapsulated, target) = target.split_at_mut_checked(size).ok_or(Error::OutputSize)?;
    let mut context = Sender::new(parameters, recipient, sender, encapsulated)?;
    Ok(size + context.seal(aad, message, target)?)
}

/// Opens what [`seal`] returned: writes the message to the front of the target and returns its
/// size.
///
/// # Errors
/// As [`Recipient::new`] and [`Recipient::open`].
pub fn open(
    parameters: &Parameters<'_>,
    recipient: &PrivateKey,
    sender: Option<&PublicKey>,
    aad: &[u8],
    sealed: &[u8],
    target: &mut [u8],
) -> Result<usize, Error> {
    let size = encapsulated_size(recipient.algorithm())?;
    let (encapsulated, ciphertext) = sealed.split_at_checked(size).ok_or(Error::CiphertextSize)?;
    Recipient::new(parameters, recipient, sender, encapsulated)?.open(aad, ciphertext, target)
}

/// Returns the secret of DHKEM: of the ephemeral key and the recipient's, and in mode `auth` of the
/// sender's and the recipient's too.
fn agreed_secret(
    first: (&PrivateKey, &PublicKey),
    second: Option<(&PrivateKey, &PublicKey)>,
    context: &[&[u8]],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let algorithm = first.0.algorithm();
    let (number, hash) = kem(algorithm)?;
    let mut agreed = zeros(2 * algorithm.facts().shared_secret)?;
    let mut size = first.0.agree(first.1, &mut agreed)?;
    if let Some((private, public)) = second {
        size += private.agree(public, &mut agreed[size..])?;
    }
    let [high, low] = number.to_be_bytes();
    let labeled = Labeled { hash, suite: &[b'K', b'E', b'M', high, low] };
    let key = labeled.extract(&[], b"eae_prk", &agreed[..size])?;
    let mut secret = zeros(hash.facts().digest_size)?;
    labeled.expand(&key, b"shared_secret", context, &mut secret)?;
    Ok(secret)
}

/// HKDF with RFC 9180's labels.
struct Labeled<'a> {
    hash: Hash,
    suite: &'a [u8],
}

impl Labeled<'_> {
    fn extract(
        &self,
        salt: &[u8],
        label: &[u8],
        secret: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let input = concatenated(&[VERSION, self.suite, label, secret])?;
        let mut key = zeros(self.hash.facts().digest_size)?;
        hkdf::extract(self.hash, &input, salt, &mut key)?;
        Ok(key)
    }

    fn expand(
        &self,
        key: &[u8],
        label: &[u8],
        info: &[&[u8]],
        target: &mut [u8],
    ) -> Result<(), Error> {
        let size = u16::try_from(target.len()).map_err(|_| Error::OutputSize)?.to_be_bytes();
        let info = concatenated(info)?;
        let info = concatenated(&[&size, VERSION, self.suite, label, &info])?;
        Ok(hkdf::expand(self.hash, key, &info, target)?)
    }
}

const VERSION: &[u8] = b"HPKE-v1";

fn concatenated(parts: &[&[u8]]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut all = Zeroizing::new(Vec::new());
    let size = parts.iter().map(|part| part.len()).sum();
    all.try_reserve_exact(size).map_err(|_| Error::Memory)?;
    parts.iter().for_each(|part| all.extend_from_slice(part));
    Ok(all)
}

/// The state of either side. Secrets are on the heap, where they are wiped.
struct Context {
    hash: Hash,
    suite: [u8; 10],
    cipher: Option<WipedBox<CipherKey>>,
    /// Of the cipher; empty without one.
    key: Zeroizing<Vec<u8>>,
    base_nonce: Zeroizing<Vec<u8>>,
    exporter: Zeroizing<Vec<u8>>,
    sequence: u64,
}

impl Context {
    /// Computes the key schedule.
    fn new(
        parameters: &Parameters<'_>,
        algorithm: Algorithm,
        shared: &[u8],
        authenticates: bool,
    ) -> Result<Context, Error> {
        let &Parameters { kdf, aead, info, pre_shared } = parameters;
        if pre_shared.is_some_and(|shared| shared.key.len() < 32 || shared.id.is_empty()) {
            return Err(Error::PreSharedKey);
        }
        let ((kem, _), (kdf, hash), (aead, cipher)) = (kem(algorithm)?, kdf.facts(), aead.facts());
        let mut suite = *b"HPKE......";
        let numbers = [kem, kdf, aead].map(u16::to_be_bytes);
        suite[4..].copy_from_slice(numbers.as_flattened());
        let labeled = Labeled { hash, suite: &suite };

        let mode = [u8::from(pre_shared.is_some()) | u8::from(authenticates) << 1];
        let PreSharedKey { key, id } = pre_shared.unwrap_or(PreSharedKey { key: &[], id: &[] });
        let id = labeled.extract(&[], b"psk_id_hash", id)?;
        let info = labeled.extract(&[], b"info_hash", info)?;
        let secret = labeled.extract(shared, b"secret", key)?;
        let derive = |label: &[u8], size| -> Result<Zeroizing<Vec<u8>>, Error> {
            let mut target = zeros(size)?;
            labeled.expand(&secret, label, &[&mode, &id, &info], &mut target)?;
            Ok(target)
        };
        let key = derive(b"key", cipher.map_or(0, |cipher| cipher.facts().key_size))?;
        let cipher = cipher.map(|cipher| CipherKey::boxed(cipher, &key)).transpose()?;
        let base_nonce = derive(b"base_nonce", 12)?;
        let exporter = derive(b"exp", hash.facts().digest_size)?;
        Ok(Context { hash, suite, cipher, key, base_nonce, exporter, sequence: 0 })
    }

    fn labeled(&self) -> Labeled<'_> {
        Labeled { hash: self.hash, suite: &self.suite }
    }

    /// Returns the nonce of the next message. The last number is never used.
    fn nonce(&self) -> Result<[u8; 12], Error> {
        if self.sequence == u64::MAX {
            return Err(Error::MessageLimit);
        }
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&self.sequence.to_be_bytes());
        nonce.iter_mut().zip(&*self.base_nonce).for_each(|(byte, base)| *byte ^= base);
        Ok(nonce)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_context_numbers_messages_beyond_its_limit() {
        let (kdf, aead) = (Kdf::HkdfSha256, Aead::Aes128Gcm);
        let parameters = Parameters { kdf, aead, info: &[], pre_shared: None };
        let context = || Context {
            sequence: u64::MAX - 1,
            ..Context::new(&parameters, Algorithm::X25519, &[7; 32], false).expect("valid")
        };
        let (mut sender, mut recipient) = (Sender(context()), Recipient(context()));
        let (mut sealed, mut message) = ([0; 19], [0; 3]);
        assert_eq!(sender.seal(&[], b"end", &mut sealed), Ok(19));
        assert_eq!(sender.seal(&[], b"end", &mut [0; 19]), Err(Error::MessageLimit));
        assert_eq!(recipient.open(&[], &sealed, &mut message), Ok(3));
        assert_eq!(recipient.open(&[], &sealed, &mut message), Err(Error::MessageLimit));
        assert_eq!(&message, b"end");
    }
}
