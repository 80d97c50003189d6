//! Operations with asymmetric keys.

use crate::bytes::Window;
use crate::caller::Caller;
use crate::checkpoint::JobCheckpoint;
use crate::frame::Frame;
use crate::keys::{AsymmetricKey, PreparedKey};
use crate::protocol::{At, KeyForm, NO_HASH, Status};
use crate::public_key_call::{Hpke, Item, NewKey, OaepHashes, PublicKeyCall, Signing};
use crate::work::{Key, Reply, Work};
use millrace_core::allocate::Shared;
use millrace_public_keys::hpke::{self, Context, Parameters, PreSharedKey};
use millrace_public_keys::{
    Algorithm, EcdsaEncoding, Error, Input, KeyCipher, Oaep, PrivateKey, PublicKey, Scheme,
};
use std::mem;
use std::sync::OnceLock;
use zeroize::Zeroizing;

impl From<Error> for Status {
    fn from(error: Error) -> Status {
        match error {
            Error::Encoding => Status::KeyEncoding,
            Error::UnsupportedAlgorithm => Status::KeyNotSupported,
            Error::KeyType => Status::KeyUse,
            Error::KeyMismatch => Status::KeyPair,
            Error::KeySize => Status::KeySize,
            Error::ModulusSize => Status::ModulusSize,
            Error::Exponent => Status::Exponent,
            Error::Point | Error::InvalidKey => Status::KeyValue,
            Error::Password => Status::Passphrase,
            Error::EncryptionScheme => Status::KeyEncryption,
            Error::Hash => Status::SignatureHash,
            Error::SaltLength => Status::SaltLength,
            Error::ContextSize => Status::ContextSize,
            Error::DigestSize => Status::DigestSize,
            Error::MessageTooLong => Status::MessageSize,
            Error::CiphertextSize => Status::CiphertextSize,
            Error::Decryption => Status::Decryption,
            Error::SmallOrder => Status::SharedSecret,
            Error::OutputSize => Status::OutputSize,
            Error::Cancelled => Status::Cancelled,
            Error::Memory => Status::Memory,
            Error::Work => Status::KeyWork,
            _ => Status::Engine,
        }
    }
}

/// Runs the operation of a work.
///
/// # Errors
/// [`Status::KeyAlgorithm`] for a key of a cipher, a MAC or a hash; [`Status::KeyDisposed`] for a
/// reserved key that is empty; those of the operation.
#[inline(never)]
pub fn run(
    work: &Work,
    reply: &mut Reply,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    match work.public_key.as_deref().ok_or(Status::Argument)? {
        PublicKeyCall::Import(form, algorithm) => {
            work.fill_key(|| import(*form, *algorithm, work.source.read(), work.aad.read()))
        }
        PublicKeyCall::Generate(new) => {
            work.fill_key(|| generate(new, checkpoint).map(AsymmetricKey::Private))
        }
        PublicKeyCall::Sign(signing) => {
            let key = work.private_key()?;
            work.result_to(reply, |target| sign(work, signing, key, work.source, target))
        }
        PublicKeyCall::Verify(signing) => {
            let right = verify(work, signing, work.public_key()?, work.source, work.tag)?;
            work.result_to(reply, |target| {
                target.fill(u8::from(right));
                Ok(())
            })
        }
        PublicKeyCall::SignMany(signing, items) => work.result_to(reply, |target| {
            let mut rest = target;
            each_message(work, items, checkpoint, |item, message, _| {
                let (target, after) = mem::take(&mut rest)
                    .split_at_mut_checked(item.signature_size)
                    .ok_or(Status::OutputSize)?;
                rest = after;
                let key = item.key.as_ref().ok_or(Status::Argument)?;
                sign(work, signing, private_key(key)?, message, target)
            })
        }),
        PublicKeyCall::VerifyMany(signing, items, algorithm) => {
            if work.target.size() != items.len() {
                return Err(Status::OutputSize);
            }
            work.result_to(reply, |target| {
                let keys = if let Key::Bytes(keys) = work.key { keys } else { Window::EMPTY };
                let (mut verdicts, mut raw_keys) = (target.iter_mut(), keys.read());
                each_message(work, items, checkpoint, |item, message, signature| {
                    let signature = signature.ok_or(Status::Argument)?;
                    let right = match &item.key {
                        Some(key) => verify(work, signing, public_key(key)?, message, signature)?,
                        None => {
                            let algorithm = algorithm.ok_or(Status::Argument)?;
                            let size = algorithm.facts().public_key;
                            let (key, rest) =
                                raw_keys.split_at_checked(size).ok_or(Status::Argument)?;
                            raw_keys = rest;
                            match PublicKey::from_raw(algorithm, key) {
                                Ok(key) => verify(work, signing, &key, message, signature)?,
                                Err(Error::Point | Error::InvalidKey) => false,
                                Err(error) => return Err(error.into()),
                            }
                        }
                    };
                    verdicts.next().map_or(Err(Status::OutputSize), |verdict| {
                        *verdict = u8::from(right);
                        Ok(())
                    })
                })
            })
        }
        PublicKeyCall::Agree(peer) => {
            let (key, peer) = (work.private_key()?, public_key(peer)?);
            work.result_to(reply, |target| exact(target, |target| key.agree(peer, target)))
        }
        PublicKeyCall::Encapsulate => {
            let key = work.public_key()?;
            work.result_to(reply, |target| {
                let (secret, ciphertext) =
                    target.split_first_chunk_mut().ok_or(Status::OutputSize)?;
                exact(ciphertext, |ciphertext| key.encapsulate(ciphertext, secret))
            })
        }
        PublicKeyCall::Decapsulate => {
            let key = work.private_key()?;
            work.result_to(reply, |target| {
                let secret = target.try_into().map_err(|_| Status::OutputSize)?;
                Ok(key.decapsulate(work.source.read(), secret)?)
            })
        }
        PublicKeyCall::Encrypt(hashes) => {
            let (key, message) = (work.public_key()?, work.source.read());
            work.result_to(reply, |target| match *hashes {
                Some(of) => {
                    exact(target, |target| key.encrypt_oaep(&oaep(work, of), message, target))
                }
                None => exact(target, |target| key.encrypt_pkcs1(message, target)),
            })
        }
        PublicKeyCall::Decrypt(hashes) => {
            let (key, ciphertext) = (work.private_key()?, work.source.read());
            let oaep = oaep(work, hashes.ok_or(Status::NotSupported)?);
            work.result_to(reply, |target| {
                padded(target, |target| key.decrypt_oaep(&oaep, ciphertext, target))
            })
        }
        PublicKeyCall::HpkeSeal(call) => {
            let (aad, message) = (work.aad.read(), work.source.read());
            call.send(work, reply, |context, target| context.seal(aad, message, target))
        }
        PublicKeyCall::HpkeOpen(call) => {
            let recipient = call.recipient(work)?;
            let (aad, ciphertext) = (work.aad.read(), work.source.read());
            work.result_to(reply, |target| {
                exact(target, |target| recipient.open(aad, ciphertext, target)).map_err(|status| {
                    if status == Status::Decryption { Status::Authentication } else { status }
                })
            })
        }
        PublicKeyCall::HpkeSender(call) => {
            call.send(work, reply, |context, target| context.secrets(target))
        }
        PublicKeyCall::HpkeRecipient(call) => {
            let recipient = call.recipient(work)?;
            work.result_to(reply, |target| exact(target, |target| recipient.secrets(target)))
        }
    }
}

fn sign(
    work: &Work,
    signing: &Signing,
    key: &PrivateKey,
    message: Window,
    target: &mut [u8],
) -> Result<(), Status> {
    let &Signing { scheme, is_digest } = signing;
    let input = Input { bytes: message.read(), is_digest, context: work.aad.read() };
    let sign = |target: &mut [u8]| key.sign(scheme, input, target);
    match scheme {
        Scheme::Ecdsa { encoding: EcdsaEncoding::Der, .. } => padded(target, sign),
        _ => exact(target, sign),
    }
}

fn verify(
    work: &Work,
    signing: &Signing,
    key: &PublicKey,
    message: Window,
    signature: Window,
) -> Result<bool, Status> {
    let &Signing { scheme, is_digest } = signing;
    let input = Input { bytes: message.read(), is_digest, context: work.aad.read() };
    Ok(key.verify(scheme, input, signature.read())?)
}

/// Calls `each` with the next message in the source, and the next signature if it is in the tag.
fn each_message(
    work: &Work,
    items: &[Item],
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    mut each: impl FnMut(&Item, Window, Option<Window>) -> Result<(), Status>,
) -> Result<(), Status> {
    let (mut message_at, mut signature_at) = (0, 0);
    for item in items {
        let message = work.source.part(message_at, item.message_size).ok_or(Status::Argument)?;
        let signature = work.tag.part(signature_at, item.signature_size);
        each(item, message, signature)?;
        message_at += item.message_size;
        signature_at += item.signature_size;
        if let Some(checkpoint) = &mut checkpoint {
            checkpoint.check()?;
        }
    }
    Ok(())
}

/// Runs an operation that returns the size of its result, which must fill the target.
fn exact(
    target: &mut [u8],
    compute: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
) -> Result<(), Status> {
    if compute(target)? == target.len() { Ok(()) } else { Err(Status::OutputSize) }
}

/// Runs an operation with a result of variable size, and writes its size to the last two bytes.
fn padded(
    target: &mut [u8],
    compute: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
) -> Result<(), Status> {
    let (target, place) = target.split_last_chunk_mut().ok_or(Status::OutputSize)?;
    let size = u16::try_from(compute(target)?).map_err(|_| Status::OutputSize)?;
    *place = size.to_le_bytes();
    Ok(())
}

/// Returns the parameters of OAEP.
fn oaep(work: &Work, [hash, mgf1]: OaepHashes) -> Oaep<'_> {
    Oaep { hash, mgf1, label: work.aad.read() }
}

impl Hpke {
    fn parameters<'a>(&self, work: &'a Work) -> Result<Parameters<'a>, Status> {
        let part = |iv: &'a [u8], size| iv.split_at_checked(size).ok_or(Status::Argument);
        let (info, rest) = part(work.iv.read(), self.info_size)?;
        let (key, id) = part(rest, self.psk_size)?;
        let pre_shared = (!rest.is_empty()).then_some(PreSharedKey { key, id });
        Ok(Parameters { kdf: self.kdf, aead: self.aead, info, pre_shared })
    }

    /// Writes a new encapsulated key to the front of the target, and then what `compute` does.
    fn send(
        &self,
        work: &Work,
        reply: &mut Reply,
        compute: impl FnOnce(Context, &mut [u8]) -> Result<usize, Error>,
    ) -> Result<(), Status> {
        let (parameters, key) = (self.parameters(work)?, work.public_key()?);
        let sender = self.sender.as_deref().map(private_key).transpose()?;
        work.result_to(reply, |target| {
            let (encapsulated, rest) = target
                .split_at_mut_checked(hpke::encapsulated_size(key.algorithm())?)
                .ok_or(Status::OutputSize)?;
            let context = Context::of_sender(&parameters, key, sender, encapsulated)?;
            exact(rest, |rest| compute(context, rest))
        })
    }

    /// Returns the recipient of the encapsulated key in the tag.
    fn recipient(&self, work: &Work) -> Result<Context, Status> {
        let (parameters, key) = (self.parameters(work)?, work.private_key()?);
        let sender = self.sender.as_deref().map(public_key).transpose()?;
        let made = Context::of_recipient(&parameters, key, sender, work.tag.read());
        made.map_err(|error| match error {
            Error::Point | Error::InvalidKey | Error::SmallOrder => Status::EncapsulatedKey,
            error => error.into(),
        })
    }
}

impl Work {
    /// Returns the key that the operation reads.
    fn private_key(&self) -> Result<&PrivateKey, Status> {
        let Key::Prepared(key) = &self.key else { return Err(Status::Argument) };
        private_key(key)
    }

    fn public_key(&self) -> Result<&PublicKey, Status> {
        let Key::Prepared(key) = &self.key else { return Err(Status::Argument) };
        public_key(key)
    }

    /// Fills the reserved key.
    fn fill_key(&self, make: impl FnOnce() -> Result<AsymmetricKey, Status>) -> Result<(), Status> {
        let Key::Prepared(key) = &self.key else { return Err(Status::Argument) };
        let PreparedKey::Asymmetric(place) = &**key else { return Err(Status::KeyAlgorithm) };
        place.set(Shared::try_new(make()?)?).map_err(|_| Status::Argument)
    }
}

fn private_key(key: &PreparedKey) -> Result<&PrivateKey, Status> {
    match key.asymmetric()? {
        AsymmetricKey::Private(key) => Ok(key),
        AsymmetricKey::Public(_) => Err(Status::KeyUse),
    }
}

fn public_key(key: &PreparedKey) -> Result<&PublicKey, Status> {
    match key.asymmetric()? {
        AsymmetricKey::Public(key) => Ok(key),
        AsymmetricKey::Private(_) => Err(Status::KeyUse),
    }
}

impl PreparedKey {
    /// Returns an empty key, which an operation fills.
    pub fn reserved() -> PreparedKey {
        PreparedKey::Asymmetric(OnceLock::new())
    }

    fn asymmetric(&self) -> Result<&AsymmetricKey, Status> {
        let PreparedKey::Asymmetric(place) = self else { return Err(Status::KeyAlgorithm) };
        place.get().map(|key| &**key).ok_or(Status::KeyDisposed)
    }

    /// Returns the public key of a private one.
    ///
    /// # Errors
    /// [`Status::KeyUse`] for a public key; those of [`PrivateKey::public_key`].
    pub fn public_key_of(&self) -> Result<PreparedKey, Status> {
        match self.asymmetric()? {
            AsymmetricKey::Private(key) => {
                let public = AsymmetricKey::Public(key.public_key()?);
                Ok(PreparedKey::Asymmetric(OnceLock::from(Shared::try_new(public)?)))
            }
            AsymmetricKey::Public(_) => Err(Status::KeyUse),
        }
    }

    /// Returns an asymmetric key in an encoding.
    ///
    /// # Errors
    /// [`Status::KeyUse`] if the key has no such encoding.
    pub fn export(&self, form: KeyForm) -> Result<Zeroizing<Vec<u8>>, Status> {
        Ok(match (self.asymmetric()?, form) {
            (AsymmetricKey::Private(key), KeyForm::Pkcs8) => key.to_pkcs8()?,
            (AsymmetricKey::Private(key), KeyForm::Pkcs1) => key.to_pkcs1()?,
            (AsymmetricKey::Private(key), KeyForm::Sec1) => key.to_sec1()?,
            (AsymmetricKey::Private(key), KeyForm::PrivateRaw) => key.to_raw()?,
            (AsymmetricKey::Private(key), KeyForm::Seed) => key.to_seed()?,
            (AsymmetricKey::Public(key), KeyForm::Spki) => key.to_spki()?.into(),
            (AsymmetricKey::Public(key), KeyForm::Pkcs1Public) => key.to_pkcs1()?.into(),
            (AsymmetricKey::Public(key), KeyForm::PublicRaw) => key.to_raw()?.into(),
            (AsymmetricKey::Public(key), KeyForm::Compressed) => key.to_compressed()?.into(),
            _ => return Err(Status::KeyUse),
        })
    }

    /// Returns encrypted PKCS#8. The frame has the index of the [`KeyCipher`] as algorithm and the
    /// iterations of PBKDF2 as count.
    ///
    /// # Errors
    /// [`Status::KeyUse`] for a public key; [`Status::Argument`] and [`Status::KeyWork`] for
    /// numbers out of bounds.
    pub fn export_encrypted<C: Caller>(
        &self,
        frame: &Frame<'_, C>,
        passphrase: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, Status> {
        let cipher = KeyCipher::ALL.get(frame.number(At::Algorithm) as usize);
        let (cipher, iterations) = (*cipher.ok_or(Status::Argument)?, frame.number(At::Count));
        let key = private_key(self)?;
        Ok(key.to_encrypted_pkcs8(passphrase, cipher, iterations as u32)?.into())
    }

    /// Writes what the key is to the frame: its algorithm, the bits of its modulus, 1 if it is
    /// private, the predicted nanoseconds of an operation, and the hashes and the salt length to
    /// which it is restricted.
    ///
    /// # Errors
    /// [`Status::KeyAlgorithm`], [`Status::KeyDisposed`].
    pub fn describe<C: Caller>(&self, frame: &Frame<'_, C>) -> Result<(), Status> {
        let (algorithm, bits, restriction, private) = match self.asymmetric()? {
            AsymmetricKey::Private(key) => {
                (key.algorithm(), key.modulus_bits(), key.restriction(), 1)
            }
            AsymmetricKey::Public(key) => {
                (key.algorithm(), key.modulus_bits(), key.restriction(), 0)
            }
        };
        let number = Algorithm::ALL.iter().position(|each| *each == algorithm).unwrap_or(0);
        let (hash, mgf1, salt_length) = match restriction {
            Some(of) => (of.hash as u32, of.mgf1 as u32, of.salt_length),
            None => (NO_HASH, NO_HASH, 0),
        };
        let numbers = [
            (At::Algorithm, number as u64),
            (At::Count, bits.into()),
            (At::MessageSize, private),
            (At::Cost, cost(algorithm, bits, private == 1)),
            (At::SeedLow, hash.into()),
            (At::SeedHigh, mgf1.into()),
            (At::MaxTime, salt_length.into()),
        ];
        numbers.into_iter().for_each(|(at, number)| frame.set(at, number));
        Ok(())
    }
}

fn import(
    form: KeyForm,
    algorithm: Option<Algorithm>,
    key: &[u8],
    passphrase: &[u8],
) -> Result<AsymmetricKey, Status> {
    let of = || algorithm.ok_or(Status::Argument);
    Ok(match form {
        KeyForm::Pkcs8 => AsymmetricKey::Private(PrivateKey::from_pkcs8(key)?),
        KeyForm::EncryptedPkcs8 => {
            AsymmetricKey::Private(PrivateKey::from_encrypted_pkcs8(key, passphrase)?)
        }
        KeyForm::Pkcs1 => AsymmetricKey::Private(PrivateKey::from_pkcs1(key)?),
        KeyForm::Sec1 => AsymmetricKey::Private(PrivateKey::from_sec1(key)?),
        // A seed is told from an expanded key by its size.
        KeyForm::PrivateRaw | KeyForm::Seed => {
            AsymmetricKey::Private(PrivateKey::from_raw(of()?, key)?)
        }
        KeyForm::PrivateAndPoint => {
            AsymmetricKey::Private(PrivateKey::from_scalar_and_point(of()?, key)?)
        }
        KeyForm::Spki => AsymmetricKey::Public(PublicKey::from_spki(key)?),
        KeyForm::Pkcs1Public => AsymmetricKey::Public(PublicKey::from_pkcs1(key)?),
        KeyForm::PublicRaw | KeyForm::Compressed => {
            AsymmetricKey::Public(PublicKey::from_raw(of()?, key)?)
        }
    })
}

fn generate(
    new: &NewKey,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<PrivateKey, Status> {
    let mut cancelled =
        || checkpoint.as_mut().is_some_and(|checkpoint| checkpoint.check().is_err());
    Ok(match new.algorithm {
        Algorithm::Rsa => PrivateKey::generate_rsa(new.rsa, &mut cancelled)?,
        Algorithm::RsaPss => {
            PrivateKey::generate_rsa_pss(new.rsa, new.restriction, &mut cancelled)?
        }
        algorithm => PrivateKey::generate(algorithm)?,
    })
}

/// Returns the predicted nanoseconds of a work, as measured on a Zen 5.
#[cold]
#[inline(never)]
pub fn predict(work: &Work) -> u64 {
    let Some(call) = work.public_key.as_deref() else { return 0 };
    let (first, count) = match call {
        PublicKeyCall::SignMany(_, items) | PublicKeyCall::VerifyMany(_, items, _) => {
            (items.first().and_then(|item| item.key.as_ref()), items.len() as u64)
        }
        _ => (if let Key::Prepared(key) = &work.key { Some(key) } else { None }, 1),
    };
    let key = first.and_then(|key| key.asymmetric().ok());
    let (algorithm, bits) = match key {
        Some(AsymmetricKey::Private(key)) => (key.algorithm(), key.modulus_bits()),
        Some(AsymmetricKey::Public(key)) => (key.algorithm(), key.modulus_bits()),
        None => match call {
            PublicKeyCall::VerifyMany(_, _, Some(algorithm)) => (*algorithm, 0),
            _ => (Algorithm::Ed25519, 0),
        },
    };
    let bytes = work.source.size() as u64;
    let (private, public) = (|| cost(algorithm, bits, true), || cost(algorithm, bits, false));
    match call {
        // RSA keys are long, and checked by multiplying their numbers.
        PublicKeyCall::Import(KeyForm::EncryptedPkcs8, _) => DECRYPTED_KEY_NS,
        PublicKeyCall::Import(..) => 10_000 + bytes * bytes / 10,
        PublicKeyCall::Generate(new) if new.algorithm.is_rsa() => {
            let size = u64::from(new.rsa.bits) / 256;
            RSA_GENERATION_NS * size.pow(4) / 4096
        }
        PublicKeyCall::Generate(new) => self::costs(new.algorithm).generate,
        PublicKeyCall::Sign(_) | PublicKeyCall::SignMany(..) => count * private() + 2 * bytes,
        PublicKeyCall::Verify(_) | PublicKeyCall::VerifyMany(..) => count * public() + 2 * bytes,
        PublicKeyCall::Agree(_) => costs(algorithm).agree,
        PublicKeyCall::Decapsulate | PublicKeyCall::Decrypt(_) => private(),
        PublicKeyCall::Encapsulate | PublicKeyCall::Encrypt(_) => public(),
        PublicKeyCall::HpkeSeal(call)
        | PublicKeyCall::HpkeOpen(call)
        | PublicKeyCall::HpkeSender(call)
        | PublicKeyCall::HpkeRecipient(call) => {
            let agreements = 1 + u64::from(call.sender.is_some());
            let costs = costs(algorithm);
            let kem = match costs.agree {
                0 => costs.public,
                agree => costs.generate + agreements * agree,
            };
            kem + HPKE_NS + bytes / 4
        }
    }
}

/// Returns the predicted nanoseconds of an operation with a private or a public key.
fn cost(algorithm: Algorithm, bits: u32, is_private: bool) -> u64 {
    let Costs { private, public, .. } = costs(algorithm);
    // A private operation of RSA takes time with the cube of the size, a public one its square.
    let size = u64::from(bits.max(1024)) / 256;
    match (is_private, bits) {
        (true, 0) => private,
        (false, 0) => public,
        (true, _) => private * size.pow(3) / 512,
        (false, _) => public * size.pow(2) / 64,
    }
}

/// Nanoseconds of HPKE's key schedule.
const HPKE_NS: u64 = 8_000;

/// Nanoseconds of 2,048 iterations of PBKDF2, which OpenSSL writes, and of the key.
const DECRYPTED_KEY_NS: u64 = 1_000_000;

/// Nanoseconds to generate an RSA key of 4,096 bits: half of all take longer than this.
const RSA_GENERATION_NS: u64 = 500_000_000;

/// Predicted nanoseconds of the operations of an algorithm; of RSA with 2,048 bits.
struct Costs {
    /// To sign, decapsulate or decrypt.
    private: u64,
    /// To verify, encapsulate or encrypt.
    public: u64,
    agree: u64,
    generate: u64,
}

fn costs(algorithm: Algorithm) -> Costs {
    let (private, public, agree, generate) = match algorithm {
        Algorithm::Ed25519 => (8_600, 36_300, 0, 8_400),
        Algorithm::X25519 => (0, 0, 25_000, 8_000),
        Algorithm::P256 => (16_000, 49_000, 43_000, 7_900),
        Algorithm::P384 => (81_000, 192_000, 136_000, 47_000),
        Algorithm::P521 => (162_000, 334_000, 230_000, 75_000),
        Algorithm::Rsa | Algorithm::RsaPss => (240_000, 15_500, 0, 0),
        Algorithm::MlKem512 => (9_800, 8_000, 0, 8_000),
        Algorithm::MlKem768 => (16_500, 13_000, 0, 13_000),
        Algorithm::MlKem1024 => (22_400, 18_700, 0, 18_600),
        Algorithm::MlDsa44 => (85_000, 22_000, 0, 24_000),
        Algorithm::MlDsa65 => (119_000, 35_000, 0, 41_000),
        Algorithm::MlDsa87 => (154_000, 55_000, 0, 62_000),
        Algorithm::XWing => (41_000, 47_000, 0, 22_000),
    };
    Costs { private, public, agree, generate }
}
