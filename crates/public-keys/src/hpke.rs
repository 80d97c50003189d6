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

/// The key derivation function of a suite: HKDF with this hash, and its number in IANA's registry.
#[derive(Copy, Clone, Debug)]
pub struct Kdf(u16, Hash);

impl Kdf {
    /// Returns the function of a number in IANA's registry.
    pub fn from_number(number: u16) -> Option<Kdf> {
        [Kdf(1, Hash::Sha256), Kdf(2, Hash::Sha384), Kdf(3, Hash::Sha512)]
            .into_iter()
            .find(|kdf| kdf.0 == number)
    }
}

/// The AEAD of a suite, and its number in IANA's registry. Contexts without one export secrets
/// only.
#[derive(Copy, Clone, Debug)]
pub struct Aead(u16, Option<Cipher>);

impl Aead {
    /// Returns the AEAD of a number in IANA's registry.
    pub fn from_number(number: u16) -> Option<Aead> {
        [
            Aead(1, Some(Cipher::Aes128Gcm)),
            Aead(2, Some(Cipher::Aes256Gcm)),
            Aead(3, Some(Cipher::ChaCha20Poly1305)),
            Aead(0xffff, None),
        ]
        .into_iter()
        .find(|aead| aead.0 == number)
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

/// The secrets of a context, which sender and recipient share. They are on the heap, where they are
/// wiped.
pub struct Context {
    cipher: Option<Cipher>,
    /// Of the cipher; empty without one.
    key: Zeroizing<Vec<u8>>,
    base_nonce: Zeroizing<Vec<u8>>,
    exporter: Zeroizing<Vec<u8>>,
}

impl Context {
    /// Writes a new encapsulated secret, of [`encapsulated_size`] bytes, and returns the context
    /// for it. With the sender's own key the recipient can authenticate the sender (mode `auth`).
    ///
    /// # Errors
    /// [`Error::KeyType`] if there is no KEM for keys of this algorithm, or a sender's key for one
    /// that does not authenticate; [`Error::KeyMismatch`] if the keys belong to different
    /// algorithms; [`Error::PreSharedKey`], [`Error::OutputSize`], [`Error::SmallOrder`],
    /// [`Error::Memory`].
    pub fn of_sender(
        parameters: &Parameters<'_>,
        recipient: &PublicKey,
        sender: Option<&PrivateKey>,
        encapsulated: &mut [u8],
    ) -> Result<Context, Error> {
        let algorithm = recipient.algorithm();
        if encapsulated.len() != encapsulated_size(algorithm)? {
            return Err(Error::OutputSize);
        }
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
        Context::new(parameters, algorithm, &secret, sender.is_some())
    }

    /// Returns the context for a sender's encapsulated secret. With the sender's public key only
    /// that sender's messages open (mode `auth`).
    ///
    /// # Errors
    /// As [`of_sender`](Self::of_sender); [`Error::CiphertextSize`], and [`Error::Point`] for what
    /// is no point on the curve. A wrong secret is no error: no message will open.
    pub fn of_recipient(
        parameters: &Parameters<'_>,
        recipient: &PrivateKey,
        sender: Option<&PublicKey>,
        encapsulated: &[u8],
    ) -> Result<Context, Error> {
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
        Context::new(parameters, algorithm, &secret, sender.is_some())
    }

    /// Computes the key schedule.
    fn new(
        parameters: &Parameters<'_>,
        algorithm: Algorithm,
        shared: &[u8],
        authenticates: bool,
    ) -> Result<Context, Error> {
        let &Parameters { kdf: Kdf(kdf, hash), aead: Aead(aead, cipher), info, pre_shared } =
            parameters;
        if pre_shared.is_some_and(|shared| shared.key.len() < 32 || shared.id.is_empty()) {
            return Err(Error::PreSharedKey);
        }
        let mut suite = *b"HPKE......";
        let numbers = [kem(algorithm)?.0, kdf, aead].map(u16::to_be_bytes);
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
        Ok(Context {
            cipher,
            key: derive(b"key", cipher.map_or(0, |cipher| cipher.facts().key_size))?,
            base_nonce: derive(b"base_nonce", 12)?,
            exporter: derive(b"exp", hash.facts().digest_size)?,
        })
    }

    /// Seals the first message, and nothing else by the same nonce. The target has 16 bytes more
    /// than the message, or is longer; returns the bytes written.
    ///
    /// # Errors
    /// [`Error::ExportOnly`], [`Error::OutputSize`], [`Error::MessageTooLong`].
    pub fn seal(self, aad: &[u8], message: &[u8], target: &mut [u8]) -> Result<usize, Error> {
        let size = message.len().checked_add(TAG).ok_or(Error::OutputSize)?;
        let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
        let (text, tag) = target.split_at_mut(message.len());
        let text = Text::Across { source: message, target: text };
        self.cipher_key()?.seal(&self.base_nonce, aad, text, tag)?;
        Ok(size)
    }

    /// Opens the first message. The target has 16 bytes less than the ciphertext, or is longer;
    /// returns the bytes written.
    ///
    /// # Errors
    /// [`Error::Decryption`], with the target all zero; [`Error::ExportOnly`],
    /// [`Error::CiphertextSize`], [`Error::OutputSize`].
    pub fn open(self, aad: &[u8], ciphertext: &[u8], target: &mut [u8]) -> Result<usize, Error> {
        let size = ciphertext.len().checked_sub(TAG).ok_or(Error::CiphertextSize)?;
        let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
        let (source, tag) = ciphertext.split_at(size);
        self.cipher_key()?.open(&self.base_nonce, aad, Text::Across { source, target }, tag)?;
        Ok(size)
    }

    fn cipher_key(&self) -> Result<WipedBox<CipherKey>, Error> {
        Ok(CipherKey::boxed(self.cipher.ok_or(Error::ExportOnly)?, &self.key)?)
    }

    /// Writes the key of the AEAD, the nonce of the first message and the secret of exports to the
    /// front of the target, for callers that seal, open and export themselves. Returns their size.
    ///
    /// # Errors
    /// [`Error::OutputSize`].
    pub fn secrets(&self, target: &mut [u8]) -> Result<usize, Error> {
        let mut size = 0;
        for secret in [&self.key, &self.base_nonce, &self.exporter] {
            let place = target.get_mut(size..size + secret.len()).ok_or(Error::OutputSize)?;
            place.copy_from_slice(secret);
            size += secret.len();
        }
        Ok(size)
    }
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
