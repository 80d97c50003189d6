//! Operations with the bytes of keys, without a request and a prepared key.
//!
//! The arguments are the operation, the target, up to three inputs, all Uint8Arrays, and the
//! number of a curve or an algorithm where there are several; the target overlaps no input. Inputs
//! of sizes that the operation does not take are refused.

use crate::bytes::Window;
use crate::caller::Caller;
use crate::protocol::{RawCurve, RawOperation, Status};
use millrace_public_keys::ecdsa::{self, Curve};
#[cfg(feature = "secp256k1")]
use millrace_public_keys::secp256k1;
use millrace_public_keys::{Algorithm, Error, lattice, nacl, raw};
use zeroize::Zeroizing;

/// Runs an operation. After an error the target may have been written.
///
/// # Errors
/// [`Status::Overlap`]; [`Status::Authentication`] if a signature does not match or a box is not
/// authentic; [`Status::Argument`] if the operation refuses the inputs.
pub fn run(
    operation: RawOperation,
    parameter: Option<u32>,
    call: &impl Caller,
) -> Result<(), Status> {
    let curve = parameter.and_then(curve_of).ok_or(Status::Argument);
    let input = |index: usize| call.bytes(2 + index).unwrap_or(Window::EMPTY);
    let [first, second, third] = [input(0), input(1), input(2)];
    let (a, b, c) = (first.read(), second.read(), third.read());
    let target = call.bytes(1).ok_or(Status::Argument)?;
    let target = target.exclusive(&[first, second, third]).ok_or(Status::Overlap)?;
    let done = match operation {
        RawOperation::Ed25519KeyPair => {
            raw::ed25519_key_pair(sized(a)?, sized_mut(target)?);
            Ok(())
        }
        RawOperation::Ed25519Sign => raw::ed25519_sign(a, sized(b)?, sized_mut(target)?),
        RawOperation::Ed25519SignSeed => {
            let mut key = Zeroizing::new([0; 64]);
            raw::ed25519_key_pair(sized(b)?, &mut key);
            raw::ed25519_sign(a, &key, sized_mut(target)?)
        }
        RawOperation::Ed25519Verify => verdict(raw::ed25519_verify(a, sized(b)?, sized(c)?)),
        RawOperation::X25519 => raw::x25519(sized(a)?, sized(b)?, sized_mut(target)?),
        RawOperation::X25519Public => {
            raw::x25519_public(sized(a)?, sized_mut(target)?);
            Ok(())
        }
        RawOperation::BoxKey => nacl::shared_key(sized(a)?, sized(b)?, sized_mut(target)?),
        RawOperation::BoxSeal => nacl::seal(a, sized(b)?, sized(c)?, target),
        RawOperation::BoxOpen => nacl::open(a, sized(b)?, sized(c)?, target),
        RawOperation::EcPublicKey => ecdsa::public_key(curve?, a, target),
        RawOperation::EcMultiply => ecdsa::multiply(curve?, a, b, target),
        RawOperation::EcSign => ecdsa::sign(curve?, a, b, c, false, target),
        RawOperation::EcSignLow => ecdsa::sign(curve?, a, b, c, true, target),
        RawOperation::EcVerify => ecdsa::verify(curve?, a, b, c, false).and_then(verdict),
        RawOperation::EcVerifyLow => ecdsa::verify(curve?, a, b, c, true).and_then(verdict),
        #[cfg(feature = "secp256k1")]
        RawOperation::EcRecover => secp256k1::recover(a, b, target),
        #[cfg(feature = "secp256k1")]
        RawOperation::SchnorrSign => {
            secp256k1::schnorr_sign(a, sized(b)?, sized(c)?, sized_mut(target)?)
        }
        #[cfg(feature = "secp256k1")]
        RawOperation::SchnorrVerify => verdict(secp256k1::schnorr_verify(a, sized(b)?, sized(c)?)),
        RawOperation::LatticeKeyPair => lattice::key_pair(algorithm(parameter)?, a, target),
        RawOperation::LatticePublicKey => lattice::public_key(algorithm(parameter)?, a, target),
        RawOperation::Encapsulate => lattice::encapsulate(algorithm(parameter)?, a, target),
        RawOperation::Decapsulate => lattice::decapsulate(algorithm(parameter)?, a, b, target),
        RawOperation::LatticeSign => lattice::sign(algorithm(parameter)?, a, b, c, target),
        RawOperation::LatticeVerify => {
            lattice::verify(algorithm(parameter)?, a, b, c).and_then(verdict)
        }
        #[cfg(not(feature = "secp256k1"))]
        _ => Err(Error::UnsupportedAlgorithm),
    };
    done.map_err(|error| match error {
        Error::Decryption => Status::Authentication,
        _ => Status::Argument,
    })
}

fn curve_of(number: u32) -> Option<Curve> {
    Some(match RawCurve::from_number(number)? {
        RawCurve::Secp256k1 => Curve::Secp256k1,
        RawCurve::P256 => Curve::P256,
        RawCurve::P384 => Curve::P384,
        RawCurve::P521 => Curve::P521,
    })
}

fn algorithm(number: Option<u32>) -> Result<Algorithm, Status> {
    number.and_then(|number| Algorithm::ALL.get(number as usize).copied()).ok_or(Status::Argument)
}

fn verdict(matches: bool) -> Result<(), Error> {
    if matches { Ok(()) } else { Err(Error::Decryption) }
}

fn sized<const SIZE: usize>(bytes: &[u8]) -> Result<&[u8; SIZE], Status> {
    bytes.try_into().map_err(|_| Status::Argument)
}

fn sized_mut<const SIZE: usize>(bytes: &mut [u8]) -> Result<&mut [u8; SIZE], Status> {
    bytes.try_into().map_err(|_| Status::Argument)
}
