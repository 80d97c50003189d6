//! Our SHA-2 is RustCrypto's, at every size and for every set of instructions.

use super::*;
use crate::hash::digest::Digest;
use crate::inputs::Params;
use crate::tests::{Bytes, sizes};

#[test]
fn own_code_agrees_with_the_library_at_every_size() {
    fn check<Ours: Digest, Theirs: sha2::Digest>(source: &[u8]) {
        let mut target = vec![0; Ours::SIZE];
        Ours::digest(&Params::default(), source, &mut target);
        assert!(target[..] == Theirs::digest(source)[..], "{}", source.len());
    }
    let mut bytes = Bytes(1);
    let source = bytes.vec((1 << 20) + 1);
    for size in sizes() {
        let source = &source[..size];
        check::<Sha512, sha2::Sha512>(source);
        check::<Sha384, sha2::Sha384>(source);
        check::<Sha512_256, sha2::Sha512_256>(source);
        check::<Sha512_224, sha2::Sha512_224>(source);
        check::<Sha256, sha2::Sha256>(source);
        check::<Sha224, sha2::Sha224>(source);
    }
}
