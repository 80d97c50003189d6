//! Incremental ciphers: handles, order, limits.

use crate::caller::Argument::{Iv, Key, Source, Tag, Target};
use crate::caller::{Argument, Call};
use millrace_core::catalog::Cipher;
use millrace_request::bytes::Window;
use millrace_request::keys::Purpose;
use millrace_request::protocol::{At, OperationNumber as Number, Status};
use millrace_request::running_cipher;

const CIPHER: Cipher = Cipher::Aes256Gcm;

/// Returns a call with a source, a target, an iv, a tag and a key, for every function.
fn call() -> Call {
    let arguments: [(Argument, &[u8]); 5] =
        [(Source, &[1; 40]), (Target, &[0; 40]), (Iv, &[3; 12]), (Tag, &[0; 16]), (Key, &[7; 32])];
    Call::of(Number::CipherUpdate, CIPHER as u8, &arguments)
}

/// Begins a message, under the bytes of a key or under the prepared one of the call.
fn create(call: &Call, cipher: Cipher, encrypt: bool, key: Option<Window>) -> Result<u64, Status> {
    let iv = call.window(Iv);
    running_cipher::create(call, cipher, encrypt, [iv, iv.part(0, 0).expect("empty")], key)
}

fn begin(call: &Call, encrypt: bool) -> u64 {
    let key = call.window(Key);
    let handle = create(call, CIPHER, encrypt, Some(key)).expect("begins");
    call.set(At::Key, handle as f64);
    handle
}

fn tag(call: &Call) -> Option<Window> {
    Some(call.window(Tag))
}

#[test]
fn a_message_that_has_ended_is_refused() {
    let call = call();
    begin(&call, true);
    assert_eq!(running_cipher::update_now(&call), Ok(()));
    assert_eq!(running_cipher::finish(&call, tag(&call), false), Ok(()));
    assert_eq!(running_cipher::update_now(&call), Err(Status::KeyDisposed));
    assert_eq!(running_cipher::finish(&call, tag(&call), false), Err(Status::KeyDisposed));
    assert_eq!(running_cipher::copy(&call), Err(Status::KeyDisposed));
    assert_eq!(call.run(), Status::KeyDisposed);
}

#[test]
fn a_forged_message_is_refused_and_ends() {
    let call = call();
    begin(&call, false);
    assert_eq!(running_cipher::update_now(&call), Ok(()));
    assert_eq!(running_cipher::finish(&call, tag(&call), true), Err(Status::Authentication));
    assert_eq!(running_cipher::finish(&call, tag(&call), true), Err(Status::KeyDisposed));
}

#[test]
fn a_sealed_message_opens() {
    let call = call();
    begin(&call, true);
    running_cipher::update_now(&call).expect("continues");
    running_cipher::finish(&call, tag(&call), false).expect("ends");
    let sealed = call.read(Target);
    call.write(Source, &sealed);
    begin(&call, false);
    assert_eq!(call.run(), Status::Done, "by a job");
    assert_eq!(call.read(Target), [1; 40]);
    assert_eq!(running_cipher::finish(&call, tag(&call), true), Ok(()));
    assert!(call.guards_intact());
}

#[test]
fn ranges_are_checked() {
    let call = call();
    begin(&call, true);
    for (at, number) in [
        (At::SourceOffset, 1.0),
        (At::TargetOffset, 1.0),
        (At::SourceSize, 41.0),
        (At::SourceSize, -1.0),
    ] {
        let right = call.number(at);
        call.set(at, number);
        assert_eq!(running_cipher::update_now(&call), Err(Status::Argument), "{at:?} {number}");
        call.set(at, right);
    }
    assert_eq!(call.read(Target), [0; 40]);
    assert_eq!(running_cipher::finish(&call, None, false), Err(Status::Argument));
}

#[test]
fn a_tag_longer_than_any_is_refused() {
    let mut call = call();
    begin(&call, true);
    call.place(Tag, 0..17);
    assert_eq!(running_cipher::finish(&call, tag(&call), false), Err(Status::TagSize));
}

#[test]
fn a_key_is_not_a_message_and_a_message_not_a_key() {
    let call = call();
    call.prepare(Purpose::Cipher(CIPHER), &[7; 32]).expect("a key");
    assert_eq!(running_cipher::update_now(&call), Err(Status::KeyAlgorithm));
    assert_eq!(running_cipher::copy(&call), Err(Status::KeyAlgorithm));
    assert_eq!(call.run(), Status::KeyAlgorithm);
    begin(&call, true);
    call.set(At::Operation, f64::from(Number::Encrypt as u32));
    assert_eq!(call.run(), Status::KeyAlgorithm);
    call.set(At::Operation, f64::from(Number::Hmac as u32));
    call.set(At::TargetSize, 32.0);
    assert_eq!(call.run(), Status::KeyAlgorithm);
}

#[test]
fn a_job_of_another_cipher_than_the_message_is_refused() {
    let call = call();
    begin(&call, true);
    call.set(At::Algorithm, f64::from(Cipher::ChaCha20Poly1305 as u8));
    assert_eq!(call.run(), Status::KeyAlgorithm);
    call.set(At::Algorithm, f64::from(CIPHER as u8));
    assert_eq!(call.run(), Status::Done);
}

#[test]
fn a_prepared_key_begins_messages_of_its_cipher_only() {
    let call = call();
    let begin = |cipher| create(&call, cipher, true, None);
    call.prepare(Purpose::Cipher(CIPHER), &[7; 32]).expect("a key");
    assert!(begin(CIPHER).is_ok());
    assert_eq!(begin(Cipher::ChaCha20Poly1305), Err(Status::KeyAlgorithm));
    call.prepare(Purpose::Mac(millrace_core::catalog::Hash::Sha256), &[7; 32]).expect("a key");
    assert_eq!(begin(CIPHER), Err(Status::KeyAlgorithm));
    call.set(At::Key, 12345.0);
    assert_eq!(begin(CIPHER), Err(Status::KeyDisposed));
}

#[test]
fn a_decryption_can_be_copied_and_an_encryption_cannot() {
    let call = call();
    let encryption = begin(&call, true);
    assert_eq!(running_cipher::copy(&call), Err(Status::NotSupported));
    let decryption = begin(&call, false);
    running_cipher::update_now(&call).expect("continues");
    let copy = running_cipher::copy(&call).expect("a copy");
    assert!(copy != decryption && copy != encryption);
    running_cipher::update_now(&call).expect("continues");
    let first = call.read(Target);
    call.set(At::Key, copy as f64);
    running_cipher::update_now(&call).expect("continues");
    assert_eq!(call.read(Target), first);
}
