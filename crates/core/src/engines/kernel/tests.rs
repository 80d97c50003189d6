//! Sentences, names and numbers; and what the engine adds to the bare system calls.

use std::collections::HashSet;
use std::time::Instant;

use super::af_alg::{Header, Transform};
use super::names::{Kind, What};
use super::reason::{Failure, Step};
use super::*;
use crate::catalog::CIPHERS;

fn sentence(step: Step, errno: i32, what: What) -> &'static str {
    match (Failure { step, errno }).error(what) {
        Error::Unavailable(sentence) => sentence,
        error => panic!("{error:?}"),
    }
}

#[test]
fn every_algorithm_has_a_place_of_its_own() {
    let indexes: HashSet<_> = What::all().map(What::index).collect();
    assert_eq!(indexes.len(), What::all().count());
    assert!(indexes.iter().all(|&index| index < What::COUNT));
    let names: HashSet<_> = What::all().map(What::name).collect();
    assert_eq!(names.len(), indexes.len());
}

/// The numbers of cryptodev's interface, and names that fit into an address.
#[test]
fn names_and_numbers() {
    use Cipher::*;
    let number = |what: What| what.of_device();
    let hashes = [
        (Hash::Md5, 13, 6),
        (Hash::Sha1, 14, 7),
        (Hash::Ripemd160, 102, 8),
        (Hash::Sha224, 103, 107),
    ];
    let more = [(Hash::Sha256, 104, 18), (Hash::Sha384, 105, 19), (Hash::Sha512, 106, 20)];
    for (hash, plain, mac) in hashes.into_iter().chain(more) {
        assert_eq!((number(What::Hash(hash)), number(What::Mac(hash))), (Some(plain), Some(mac)));
    }
    assert!(
        [Aes128Ctr, Aes192Ctr, Aes256Ctr]
            .iter()
            .all(|&cipher| number(What::Cipher(cipher)) == Some(21))
    );
    assert!(
        [Aes128Gcm, Aes192Gcm, Aes256Gcm]
            .iter()
            .all(|&cipher| number(What::Cipher(cipher)) == Some(50))
    );
    assert_eq!(What::all().filter(|what| what.of_device().is_some()).count(), 7 + 7 + 6);
    for (kind, name) in What::all().filter_map(What::of_sockets) {
        assert!(kind.word().len() < 14 && name.len() < 64);
    }
    assert_eq!(What::Mac(Hash::Sha3_256).of_sockets(), Some((Kind::Hash, "hmac(sha3-256)".into())));
    assert_eq!(
        What::Cipher(ChaCha20Poly1305).of_sockets(),
        Some((Kind::Aead, "rfc7539(chacha20,poly1305)".into()))
    );
}

#[test]
fn sentences_say_how_to_mend_it() {
    let sha = What::Hash(Hash::Sha256);
    let gcm = What::Cipher(Cipher::Aes256Gcm);
    for (step, errno, what, words) in [
        (Step::Socket, libc::EAFNOSUPPORT, sha, "modprobe -a af_alg algif_hash"),
        (Step::Socket, libc::EPERM, sha, "seccomp"),
        (Step::Socket, libc::EACCES, sha, "Docker"),
        (Step::Bind, libc::ENOENT, gcm, "gcm(aes)"),
        (Step::Bind, libc::EACCES, gcm, "SELinux"),
        (Step::Key, libc::EINVAL, What::Mac(Hash::Md5), "FIPS"),
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
        let said = sentence(step, errno, what);
        assert!(said.contains(words), "{step:?} {errno}: {said}");
        assert!(said.is_ascii(), "{said}");
    }
    for step in [Step::Receive, Step::Run] {
        assert_eq!((Failure { step, errno: libc::EBADMSG }).error(gcm), Error::Authentication);
    }
    assert!(
        std::ptr::eq(sentence(Step::Run, libc::EIO, gcm), sentence(Step::Run, libc::EIO, gcm)),
        "kept once"
    );
}

#[test]
fn only_what_lasts_is_remembered() {
    let passes = |step: Step, errno: i32| (Failure { step, errno }).passes();
    assert!(passes(Step::Accept, libc::EMFILE) && passes(Step::Send, libc::ENOMEM));
    // A device is there as soon as somebody has mended what was missing; to ask for it again costs
    // little.
    assert!(
        passes(Step::Open, libc::ENOENT)
            && passes(Step::Open, libc::EACCES)
            && passes(Step::Run, libc::ENOTCONN)
    );
    assert!(!passes(Step::Socket, libc::EAFNOSUPPORT) && !passes(Step::Bind, libc::ENOENT));
    assert!(!passes(Step::Session, libc::EINVAL));
}

#[test]
fn a_report_is_json_of_all() {
    let json = kernel_report(false);
    for what in CIPHERS.iter().map(|facts| What::Cipher(facts.cipher)) {
        assert_eq!(json.matches(&format!("\"{}\":", what.name())).count(), 3, "{json}");
    }
}

/// A child of this process knows that it is one, and makes sockets of its own.
#[test]
fn a_child_begins_anew() {
    let (before, hashed) = (fork::generation(), hashing(Provider::AfAlg, Hash::Sha256));
    assert_eq!(fork::generation(), before);
    let running = hashed.as_ref().map(|places| hash::Running::begin(places).expect("begun"));
    // SAFETY: the child computes, and ends without what the parent's end would do.
    let status = unsafe {
        let child = libc::fork();
        if child == 0 {
            let begins_anew = match (&hashed, running) {
                (Ok(places), Ok(mut running)) => {
                    let own = hash::digest(places, b"abc", &mut [0; 32], None);
                    own.is_ok()
                        && matches!(running.take(b"abc", &mut None), Err(Error::Unavailable(_)))
                }
                _ => true,
            };
            libc::_exit(i32::from(!(begins_anew && fork::generation() != before)));
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        status
    };
    assert_eq!(status, 0);
    assert_eq!(fork::generation(), before);
}

/// Least nanoseconds of the bare system calls and of the engine's way to make them, by turns. In a
/// guest a system call takes 20 us, in which nothing of ours would be seen, but the least of many
/// is steady enough.
#[test]
#[ignore = "a measurement: cargo test --release -p millrace-core --lib overhead -- --ignored --nocapture, where there is AF_ALG"]
fn overhead() {
    const KEY: [u8; 32] = [1; 32];
    let Ok(places) = hashing(Provider::AfAlg, Hash::Sha256) else {
        return eprintln!("not run: no AF_ALG");
    };
    let transform = Transform::bind(Kind::Hash, "sha256", None, None)
        .unwrap_or_else(|failure| panic!("{failure:?}"));
    let bare = transform.accept().unwrap_or_else(|failure| panic!("{failure:?}"));
    let mut digest = [0; 32];
    let ours = |digest: &mut [u8]| hash::digest(&places, &[7; 64], digest, None).expect("served");
    let theirs = |digest: &mut [u8]| {
        bare.hash(&[7; 64], false)
            .and_then(|()| bare.digest(digest))
            .unwrap_or_else(|failure| panic!("{failure:?}"));
    };
    compare("sha256, 64 bytes", || ours(&mut [0; 32]), || theirs(&mut digest));

    let key = CipherKey::new(Provider::AfAlg, Cipher::Aes256Gcm, &KEY).expect("served");
    let transform = Transform::bind(Kind::Aead, "gcm(aes)", Some(&KEY), Some(16))
        .unwrap_or_else(|failure| panic!("{failure:?}"));
    let bare = transform.accept().unwrap_or_else(|failure| panic!("{failure:?}"));
    let (mut text, mut other, mut tag) = ([0; 64], [0; 64], [0; 16]);
    let mut theirs = || {
        let header = Header { encrypt: true, iv: &[9; 12], aad_size: Some(0) };
        let sent = bare.send(&header, [&other, &[], &[]]);
        sent.and_then(|()| bare.receive([&mut other, &mut [0; 16], &mut []]))
            .unwrap_or_else(|failure| panic!("{failure:?}"));
    };
    compare(
        "aes-256-gcm, 64 bytes",
        || key.seal(&[9; 12], &[], Text::InPlace(&mut text), &mut tag).expect("served"),
        &mut theirs,
    );
}

fn compare(name: &str, mut ours: impl FnMut(), mut bare: impl FnMut()) {
    let mut least = [f64::INFINITY; 2];
    let mut time = |index: usize, job: &mut dyn FnMut()| {
        let begin = Instant::now();
        (0..20).for_each(|_| job());
        least[index] = least[index].min(begin.elapsed().as_nanos() as f64 / 20.0);
    };
    for _ in 0..300 {
        time(0, &mut bare);
        time(1, &mut ours);
    }
    let [bare, ours] = least;
    println!("{name}: {bare:.0} ns bare, {ours:.0} ns by the engine, {:+.0}", ours - bare);
}
