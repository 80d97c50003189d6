//! Reads and writes keys in DER. The other modules check the parts of a key. Keys of P-384, P-521
//! and RSA are read and written, too, for WebCrypto.
//!
//! A list has each part after its size in two bytes, little-endian: of a private key the raw private
//! key, the raw public key and the seed, which may be empty; of a public key its raw bytes; of RSA
//! the numbers n, e and, of a private key, d, p, q, dp, dq, qi.

use der::asn1::{AnyRef, BitStringRef, ContextSpecific, ObjectIdentifier, OctetStringRef, UintRef};
use der::{Decode, Encode, Reader, SliceReader, Tag, TagMode, TagNumber, Tagged};
use pkcs1::{RsaPrivateKeyRef, RsaPublicKeyRef};
use pkcs8::PrivateKeyInfoRef;
use pkcs8::spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use sec1::{EcParameters, EcPrivateKey};

use crate::{Answer, Call, KeyForm, PublicKeyAlgorithm, Status};

impl From<der::Error> for Status {
    fn from(_: der::Error) -> Status {
        Status::KeyEncoding
    }
}

/// By [`PublicKeyAlgorithm`].
const OIDS: [ObjectIdentifier; 13] = [
    ObjectIdentifier::new_unwrap("1.3.101.112"),
    ObjectIdentifier::new_unwrap("1.3.101.110"),
    ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"),
    ObjectIdentifier::new_unwrap("1.3.132.0.34"),
    ObjectIdentifier::new_unwrap("1.3.132.0.35"),
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1"),
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10"),
    ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.4.1"),
    ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.4.2"),
    ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.4.3"),
    ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.17"),
    ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.18"),
    ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.19"),
];

/// The algorithm of keys of all NIST curves; the curve is its parameter.
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

impl PublicKeyAlgorithm {
    fn of_oid(oid: &ObjectIdentifier) -> Result<PublicKeyAlgorithm, Status> {
        let number = OIDS.iter().position(|each| each == oid).ok_or(Status::KeyNotSupported)?;
        PublicKeyAlgorithm::from_number(number as u32).ok_or(Status::KeyNotSupported)
    }

    fn oid(self) -> &'static ObjectIdentifier {
        &OIDS[self as usize]
    }

    fn is_rsa(self) -> bool {
        matches!(self, PublicKeyAlgorithm::Rsa | PublicKeyAlgorithm::RsaPss)
    }

    /// Returns the bytes of a coordinate on a NIST curve.
    fn field(self) -> Option<usize> {
        match self {
            PublicKeyAlgorithm::P256 => Some(32),
            PublicKeyAlgorithm::P384 => Some(48),
            PublicKeyAlgorithm::P521 => Some(66),
            _ => None,
        }
    }

    fn identified(identifier: &AlgorithmIdentifierRef<'_>) -> Result<PublicKeyAlgorithm, Status> {
        let oid = match identifier.parameters {
            Some(curve) if identifier.oid == EC => {
                curve.decode_as().map_err(|_| Status::KeyNotSupported)?
            }
            None if identifier.oid == EC => return Err(Status::KeyEncoding),
            _ => identifier.oid,
        };
        match PublicKeyAlgorithm::of_oid(&oid)? {
            algorithm if algorithm.identifier() == *identifier => Ok(algorithm),
            PublicKeyAlgorithm::RsaPss => Err(Status::KeyNotSupported),
            _ => Err(Status::KeyEncoding),
        }
    }

    fn identifier(self) -> AlgorithmIdentifierRef<'static> {
        let (oid, parameters) = match self {
            PublicKeyAlgorithm::Rsa => (*self.oid(), Some(AnyRef::NULL)),
            _ if self.field().is_some() => (EC, Some(self.oid().into())),
            _ => (*self.oid(), None),
        };
        AlgorithmIdentifierRef { oid, parameters }
    }
}

/// Reads a key of the form `kind`. Writes the number of its algorithm in a byte, then its list, to
/// a target with 70 bytes more than the key.
pub fn read(Call { kind, inputs: [bytes, ..], target, .. }: Call<'_>) -> Answer {
    let mut list = List { target, end: 1 };
    let algorithm = match KeyForm::from_number(kind) {
        Some(KeyForm::Pkcs8) => {
            let info = PrivateKeyInfoRef::from_der(bytes)?;
            let algorithm = PublicKeyAlgorithm::identified(&info.algorithm)?;
            // AWS-LC and OpenSSL read no public key here of other algorithms.
            if info.public_key.is_some() && (algorithm.field().is_some() || algorithm.is_rsa()) {
                return Err(Status::KeyEncoding);
            }
            let public = info.public_key.map(|key| key.as_bytes().ok_or(Status::KeyEncoding));
            list.add_private(algorithm, info.private_key.as_bytes(), public.transpose()?)?;
            algorithm
        }
        Some(KeyForm::Sec1) => {
            let key = EcPrivateKey::from_der(bytes)?;
            let curve = key.parameters.and_then(EcParameters::named_curve);
            let algorithm = PublicKeyAlgorithm::of_oid(&curve.ok_or(Status::KeyEncoding)?)?;
            list.add_private(algorithm, bytes, None)?;
            algorithm
        }
        Some(KeyForm::Pkcs1) => {
            list.add_private(PublicKeyAlgorithm::Rsa, bytes, None)?;
            PublicKeyAlgorithm::Rsa
        }
        Some(KeyForm::Spki) => {
            let info = SubjectPublicKeyInfoRef::from_der(bytes)?;
            let algorithm = PublicKeyAlgorithm::identified(&info.algorithm)?;
            let key = info.subject_public_key.as_bytes().ok_or(Status::KeyEncoding)?;
            list.add_public(algorithm, key)?;
            algorithm
        }
        _ => {
            list.add_public(PublicKeyAlgorithm::Rsa, bytes)?;
            PublicKeyAlgorithm::Rsa
        }
    };
    list.target[0] = algorithm as u8;
    Ok(list.end)
}

struct List<'a> {
    target: &'a mut [u8],
    end: usize,
}

impl List<'_> {
    /// Adds a part after zeros.
    fn add(&mut self, zeros: usize, part: &[u8]) -> Result<(), Status> {
        let size = u16::try_from(zeros + part.len()).map_err(|_| Status::KeyEncoding)?;
        let rest = self.target.get_mut(self.end..).ok_or(Status::Engine)?;
        self.end += crate::write(rest, &[&size.to_le_bytes(), &[0; 66][..zeros], part])?;
        Ok(())
    }

    fn add_public(&mut self, algorithm: PublicKeyAlgorithm, key: &[u8]) -> Result<(), Status> {
        if !algorithm.is_rsa() {
            return self.add(0, key);
        }
        let key = RsaPublicKeyRef::from_der(key)?;
        self.add(0, key.modulus.as_bytes())?;
        self.add(0, key.public_exponent.as_bytes())
    }

    fn add_private(
        &mut self,
        algorithm: PublicKeyAlgorithm,
        key: &[u8],
        public: Option<&[u8]>,
    ) -> Result<(), Status> {
        let mut zeros = 0;
        let (mut private, mut public, mut seed) = (&[][..], public.unwrap_or_default(), &[][..]);
        if let Some(field) = algorithm.field() {
            let key = EcPrivateKey::from_der(key)?;
            let curve = key.parameters.and_then(EcParameters::named_curve);
            if curve.is_some_and(|curve| curve != *algorithm.oid()) {
                return Err(Status::KeyValue);
            }
            zeros = field.checked_sub(key.private_key.len()).ok_or(Status::KeyValue)?;
            (private, public) = (key.private_key, key.public_key.unwrap_or_default());
        } else if algorithm.is_rsa() {
            let key = RsaPrivateKeyRef::from_der(key)?;
            let [n, e, d] = [key.modulus, key.public_exponent, key.private_exponent];
            let [p, q, dp, dq] = [key.prime1, key.prime2, key.exponent1, key.exponent2];
            let mut numbers = [n, e, d, p, q, dp, dq, key.coefficient].into_iter();
            return numbers.try_for_each(|number| self.add(0, number.as_bytes()));
        } else if matches!(algorithm, PublicKeyAlgorithm::Ed25519 | PublicKeyAlgorithm::X25519) {
            private = <&OctetStringRef>::from_der(key)?.as_bytes();
        } else {
            // A seed, an expanded key, or both (RFC 9881, RFC 9935).
            let any = AnyRef::from_der(key)?;
            match any.tag() {
                Tag::ContextSpecific { constructed: false, number: SEED } => seed = any.value(),
                Tag::OctetString => private = any.value(),
                Tag::Sequence => {
                    let mut both = SliceReader::new(any.value())?;
                    seed = both.decode::<&OctetStringRef>()?.as_bytes();
                    private = both.decode::<&OctetStringRef>()?.as_bytes();
                    both.finish()?;
                }
                _ => return Err(Status::KeyEncoding),
            }
        }
        self.add(zeros, private)?;
        self.add(0, public)?;
        self.add(0, seed)
    }
}

const SEED: TagNumber = TagNumber(0);

/// Writes a key of the algorithm `set` in the form `kind` from its list, to a target of more than
/// twice its size.
pub fn write(Call { set, kind, inputs: [mut list, ..], target, .. }: Call<'_>) -> Answer {
    let algorithm = PublicKeyAlgorithm::from_number(set).ok_or(Status::KeyNotSupported)?;
    let mut parts = [&[][..]; 8];
    for part in &mut parts {
        let Some((size, rest)) = list.split_first_chunk() else { break };
        let size = u16::from_le_bytes(*size).into();
        (*part, list) = rest.split_at_checked(size).ok_or(Status::KeyEncoding)?;
    }
    let [first, second, third, ..] = parts;
    let is_curve = algorithm.field().is_some();
    let sec1 = |curve: Option<ObjectIdentifier>| EcPrivateKey {
        private_key: first,
        parameters: curve.map(EcParameters::NamedCurve),
        public_key: (!second.is_empty()).then_some(second),
    };
    let rsa_public = || -> Result<_, Status> {
        Ok(RsaPublicKeyRef {
            modulus: UintRef::new(first)?,
            public_exponent: UintRef::new(second)?,
        })
    };
    let rsa_private = || -> Result<_, Status> {
        let [modulus, public_exponent, private_exponent, prime1, prime2, ..] = parts;
        let [.., exponent1, exponent2, coefficient] = parts;
        Ok(RsaPrivateKeyRef {
            modulus: UintRef::new(modulus)?,
            public_exponent: UintRef::new(public_exponent)?,
            private_exponent: UintRef::new(private_exponent)?,
            prime1: UintRef::new(prime1)?,
            prime2: UintRef::new(prime2)?,
            exponent1: UintRef::new(exponent1)?,
            exponent2: UintRef::new(exponent2)?,
            coefficient: UintRef::new(coefficient)?,
            other_prime_infos: None,
        })
    };
    let (target, inner) = target.split_at_mut(target.len() / 2);
    let written = match KeyForm::from_number(kind) {
        Some(KeyForm::Pkcs8) => {
            let key = if is_curve {
                sec1(None).encode_to_slice(inner)?
            } else if algorithm.is_rsa() {
                rsa_private()?.encode_to_slice(inner)?
            } else if third.is_empty() {
                OctetStringRef::new(first)?.encode_to_slice(inner)?
            } else {
                let (tag_number, value) = (SEED, OctetStringRef::new(third)?);
                let seed = ContextSpecific { tag_number, tag_mode: TagMode::Implicit, value };
                seed.encode_to_slice(inner)?
            };
            let key = OctetStringRef::new(key)?;
            PrivateKeyInfoRef::new(algorithm.identifier(), key).encode_to_slice(target)?
        }
        Some(KeyForm::Sec1) if is_curve => sec1(Some(*algorithm.oid())).encode_to_slice(target)?,
        Some(KeyForm::Pkcs1) if algorithm.is_rsa() => rsa_private()?.encode_to_slice(target)?,
        Some(KeyForm::Pkcs1Public) if algorithm.is_rsa() => {
            rsa_public()?.encode_to_slice(target)?
        }
        Some(KeyForm::Spki) => {
            let key = match algorithm.is_rsa() {
                true => rsa_public()?.encode_to_slice(inner)?,
                false => first,
            };
            let subject_public_key = BitStringRef::from_bytes(key)?;
            let algorithm = algorithm.identifier();
            SubjectPublicKeyInfoRef { algorithm, subject_public_key }.encode_to_slice(target)?
        }
        _ => return Err(Status::KeyUse),
    };
    Ok(written.len())
}
