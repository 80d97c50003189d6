//! Generated keys.

use millrace_public_keys::{
    Algorithm, Error, Hash, NEW_MODULUS_BITS, PrivateKey, PssRestriction, RsaParameters,
};

use crate::support::{RSA_2048, new_key};

#[test]
fn generates_keys_of_every_algorithm() {
    for algorithm in Algorithm::ALL {
        let (one, other) = (new_key(algorithm), new_key(algorithm));
        assert_eq!(one.algorithm(), algorithm);
        assert_ne!(*one.to_pkcs8().unwrap(), *other.to_pkcs8().unwrap());
        let bits = if algorithm.is_rsa() { 2048 } else { 0 };
        assert_eq!((one.modulus_bits(), one.public_key().unwrap().modulus_bits()), (bits, bits));
    }
    assert_eq!(PrivateKey::generate(Algorithm::Rsa).unwrap_err(), Error::KeyType);
}

#[test]
fn generates_rsa_keys_with_the_given_size_and_exponent() {
    for (bits, exponent) in [(2048, 3), (2176, 65_537), (2048, (1 << 32) - 1)] {
        let parameters = RsaParameters { bits, exponent };
        let key = PrivateKey::generate_rsa(parameters, &mut || false).unwrap();
        assert_eq!(key.modulus_bits(), bits);
        // The exponent comes last.
        let zeros = exponent.leading_zeros() as usize / 8;
        let public = key.public_key().unwrap().to_pkcs1().unwrap();
        assert!(public.ends_with(&exponent.to_be_bytes()[zeros..]));
    }
}

#[test]
fn refuses_other_sizes_and_exponents() {
    let generate = |bits, exponent| {
        let parameters = RsaParameters { bits, exponent };
        PrivateKey::generate_rsa(parameters, &mut || panic!("begins")).unwrap_err()
    };
    let (least, most) = (*NEW_MODULUS_BITS.start(), *NEW_MODULUS_BITS.end());
    for bits in [0, 1024, least - 128, least + 1, most + 128, u32::MAX] {
        assert_eq!(generate(bits, 65_537), Error::ModulusSize);
    }
    for exponent in [0, 1, 2, 65_536, 1 << 32 | 1, u64::MAX] {
        assert_eq!(generate(2048, exponent), Error::Exponent);
    }
}

#[test]
fn stops_when_it_is_cancelled() {
    let mut asked = 0;
    let mut cancelled = || {
        asked += 1;
        asked == 10
    };
    let parameters = RsaParameters { bits: 8192, exponent: 65_537 };
    assert_eq!(PrivateKey::generate_rsa(parameters, &mut cancelled).unwrap_err(), Error::Cancelled);
    assert_eq!(asked, 10);
}

#[test]
fn passes_on_a_panic_of_the_callback() {
    let result = std::panic::catch_unwind(|| {
        PrivateKey::generate_rsa(RSA_2048, &mut || panic!("of the callback"))
    });
    assert_eq!(result.unwrap_err().downcast_ref(), Some(&"of the callback"));
}

#[test]
fn keeps_the_restriction_of_rsa_pss() {
    let restrictions = [
        None,
        Some(PssRestriction { hash: Hash::Sha1, mgf1: Hash::Sha1, salt_length: 20 }),
        Some(PssRestriction { hash: Hash::Sha256, mgf1: Hash::Sha256, salt_length: 32 }),
        Some(PssRestriction { hash: Hash::Sha512, mgf1: Hash::Sha224, salt_length: 190 }),
    ];
    for restriction in restrictions {
        let key = PrivateKey::generate_rsa_pss(RSA_2048, restriction, &mut || false).unwrap();
        let (again, public) =
            (PrivateKey::from_pkcs8(&key.to_pkcs8().unwrap()).unwrap(), key.public_key().unwrap());
        assert_eq!((again.algorithm(), again.restriction()), (Algorithm::RsaPss, restriction));
        assert_eq!((public.algorithm(), public.restriction()), (Algorithm::RsaPss, restriction));
    }
    let refused = |hash, mgf1, salt_length| {
        let restriction = Some(PssRestriction { hash, mgf1, salt_length });
        let cancelled = &mut || panic!("begins");
        PrivateKey::generate_rsa_pss(RSA_2048, restriction, cancelled).unwrap_err()
    };
    assert_eq!(refused(Hash::Sha256, Hash::Sha256, 223), Error::SaltLength);
    assert_eq!(refused(Hash::Sha3_256, Hash::Sha256, 32), Error::Hash);
    assert_eq!(refused(Hash::Sha256, Hash::Sha512_256, 32), Error::Hash);
}
