//! Asymmetric keys, by the libraries of `millrace-portable-keys`, which says what each function
//! reads. All have the same arguments, so that JavaScript calls them alike; they return the bytes of
//! the result, or minus a status.

#![allow(unsafe_code)] // of the names that are exported

use millrace_portable_keys::{Call, ed25519, encodings, ml_dsa, ml_kem, p256, x25519};

use crate::memory::{Source, Target};

/// Exports functions.
macro_rules! export {
    ($($name:ident = $function:path,)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name(
            set: u32,
            kind: u32,
            target: Target,
            room: usize,
            first: Source,
            first_size: usize,
            second: Source,
            second_size: usize,
            third: Source,
            third_size: usize,
            fourth: Source,
            fourth_size: usize,
        ) -> i32 {
            let inputs = [
                first.bytes(first_size),
                second.bytes(second_size),
                third.bytes(third_size),
                fourth.bytes(fourth_size),
            ];
            let answer = $function(Call { set, kind, inputs, target: target.bytes(room) });
            answer.map_or_else(|status| -(status.number() as i32), |size| size as i32)
        }
    )*};
}

export! {
    ed25519_import = ed25519::import,
    ed25519_sign = ed25519::sign,
    ed25519_verify = ed25519::verify,
    x25519_import = x25519::import,
    x25519_agree = x25519::agree,
    p256_import = p256::import,
    p256_sign = p256::sign,
    p256_verify = p256::verify,
    p256_agree = p256::agree,
    ml_kem_import = ml_kem::import,
    ml_kem_encapsulate = ml_kem::encapsulate,
    ml_kem_decapsulate = ml_kem::decapsulate,
    ml_dsa_import = ml_dsa::import,
    ml_dsa_sign = ml_dsa::sign,
    ml_dsa_verify = ml_dsa::verify,
    key_encodings_read = encodings::read,
    key_encodings_write = encodings::write,
}
