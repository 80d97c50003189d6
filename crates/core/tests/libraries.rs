//! Our SHA-2 and BLAKE2 are RustCrypto's, at every size and for every set of instructions.

use millrace_core::catalog::Hash;
use millrace_core::hash::{Params, digest};
use sha2::Digest;

use crate::support::{Random, around_borders};

#[test]
fn own_code_agrees_with_the_library_at_every_size() {
    let source = Random(1).bytes((1 << 20) + 1);
    for size in around_borders() {
        let source = &source[..size];
        for (hash, expected) in [
            (Hash::Sha224, sha2::Sha224::digest(source).to_vec()),
            (Hash::Sha256, sha2::Sha256::digest(source).to_vec()),
            (Hash::Sha384, sha2::Sha384::digest(source).to_vec()),
            (Hash::Sha512, sha2::Sha512::digest(source).to_vec()),
            (Hash::Sha512_224, sha2::Sha512_224::digest(source).to_vec()),
            (Hash::Sha512_256, sha2::Sha512_256::digest(source).to_vec()),
            (Hash::Blake2b512, ::blake2::Blake2b512::digest(source).to_vec()),
            (Hash::Blake2s256, ::blake2::Blake2s256::digest(source).to_vec()),
        ] {
            let mut target = vec![0xa5; expected.len()];
            digest(hash, &Params::NONE, source, &mut target, None).expect("computed");
            assert!(target == expected, "{hash:?} of {size}");
        }
    }
}
