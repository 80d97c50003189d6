//! Error messages, names and numbers.

use std::collections::HashSet;

use millrace_core::catalog::CIPHERS;

use super::*;
use crate::algorithm::{Algorithm, Kind};
use crate::failure::{Failure, Step};

fn message(step: Step, errno: i32, algorithm: Algorithm) -> &'static str {
    match (Failure { step, errno }).error(algorithm) {
        Error::Unavailable(message) => message,
        error => panic!("{error:?}"),
    }
}

#[test]
fn every_algorithm_has_its_own_index_and_name() {
    let indexes: HashSet<_> = Algorithm::all().map(Algorithm::index).collect();
    assert_eq!(indexes.len(), Algorithm::all().count());
    assert!(indexes.iter().all(|&index| index < Algorithm::COUNT));
    let names: HashSet<_> = Algorithm::all().map(Algorithm::name).collect();
    assert_eq!(names.len(), indexes.len());
}

/// cryptodev's numbers, and names that fit into a socket's address.
#[test]
fn algorithms_have_cryptodevs_numbers_and_short_names() {
    use Cipher::*;
    let number = |algorithm: Algorithm| algorithm.cryptodev();
    let hashes = [
        (Hash::Md5, 13, 6),
        (Hash::Sha1, 14, 7),
        (Hash::Ripemd160, 102, 8),
        (Hash::Sha224, 103, 107),
    ];
    let more = [(Hash::Sha256, 104, 18), (Hash::Sha384, 105, 19), (Hash::Sha512, 106, 20)];
    for (hash, plain, mac) in hashes.into_iter().chain(more) {
        assert_eq!(
            (number(Algorithm::Hash(hash)), number(Algorithm::Mac(hash))),
            (Some(plain), Some(mac))
        );
    }
    assert!(
        [Aes128Ctr, Aes192Ctr, Aes256Ctr]
            .iter()
            .all(|&cipher| number(Algorithm::Cipher(cipher)) == Some(21))
    );
    assert!(
        [Aes128Gcm, Aes192Gcm, Aes256Gcm]
            .iter()
            .all(|&cipher| number(Algorithm::Cipher(cipher)) == Some(50))
    );
    assert_eq!(
        Algorithm::all().filter(|algorithm| algorithm.cryptodev().is_some()).count(),
        7 + 7 + 6
    );
    for (kind, name) in Algorithm::all().filter_map(Algorithm::af_alg) {
        assert!(kind.name().len() < 14 && name.len() < 64);
    }
    assert_eq!(
        Algorithm::Mac(Hash::Sha3_256).af_alg(),
        Some((Kind::Hash, "hmac(sha3-256)".into()))
    );
    assert_eq!(
        Algorithm::Cipher(ChaCha20Poly1305).af_alg(),
        Some((Kind::Aead, "rfc7539(chacha20,poly1305)".into()))
    );
}

#[test]
fn messages_name_the_remedy() {
    let sha = Algorithm::Hash(Hash::Sha256);
    let gcm = Algorithm::Cipher(Cipher::Aes256Gcm);
    for (step, errno, algorithm, words) in [
        (Step::Socket, libc::EAFNOSUPPORT, sha, "modprobe -a af_alg algif_hash"),
        (Step::Socket, libc::EPERM, sha, "seccomp"),
        (Step::Socket, libc::EACCES, sha, "Docker"),
        (Step::Bind, libc::ENOENT, gcm, "gcm(aes)"),
        (Step::Bind, libc::EACCES, gcm, "SELinux"),
        (Step::Key, libc::EINVAL, Algorithm::Mac(Hash::Md5), "FIPS"),
        (Step::Accept, libc::EMFILE, sha, "ulimit -n"),
        (Step::Send, libc::ENOMEM, gcm, "optmem_max"),
        (Step::Send, libc::EAGAIN, gcm, "wmem_max"),
        (Step::Receive, libc::EINVAL, gcm, "EINVAL from recvmsg"),
        (Step::Open, libc::ENOENT, sha, "modprobe cryptodev"),
        (Step::Open, libc::EACCES, sha, "chmod 666"),
        (Step::Open, libc::ENXIO, sha, "no driver"),
        (Step::Session, libc::ENOTTY, sha, "another device"),
        (Step::Session, libc::EINVAL, sha, "does not know sha256"),
        (Step::Session, libc::ENOENT, gcm, "gcm(aes)"),
        (Step::Run, libc::EIO, gcm, "EIO from ioctl"),
        (Step::Run, 12345, gcm, "error 12345"),
    ] {
        let said = message(step, errno, algorithm);
        assert!(said.contains(words), "{step:?} {errno}: {said}");
        assert!(said.is_ascii(), "{said}");
    }
    for step in [Step::Receive, Step::Run] {
        assert_eq!((Failure { step, errno: libc::EBADMSG }).error(gcm), Error::Authentication);
    }
    assert!(
        std::ptr::eq(message(Step::Run, libc::EIO, gcm), message(Step::Run, libc::EIO, gcm)),
        "interned"
    );
}

#[test]
fn transient_failures_are_recognized() {
    let transient = |step: Step, errno: i32| (Failure { step, errno }).is_transient();
    assert!(transient(Step::Accept, libc::EMFILE) && transient(Step::Send, libc::ENOMEM));
    // The device may appear at any time, and is cheap to look for.
    assert!(
        transient(Step::Open, libc::ENOENT)
            && transient(Step::Open, libc::EACCES)
            && transient(Step::Run, libc::ENOTCONN)
    );
    assert!(!transient(Step::Socket, libc::EAFNOSUPPORT) && !transient(Step::Bind, libc::ENOENT));
    assert!(!transient(Step::Session, libc::EINVAL));
}

#[test]
fn the_report_has_every_cipher() {
    let json = report(false);
    for facts in &CIPHERS {
        assert_eq!(json.matches(&format!("\"{}\":", facts.name)).count(), 3, "{json}");
    }
}
