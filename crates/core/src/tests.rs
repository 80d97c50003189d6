//! Tests of what all families have inside: sizes agree with the catalog, and nothing is left after
//! a wipe.

#[cfg(feature = "aws-lc")]
use crate::Error;
use crate::catalog::{Cipher, HASHES};
use crate::cipher::CipherKey;
use crate::cipher::contract::AeadMessage;
use crate::cipher::message::{CipherMessage, State, StreamMessage};
use crate::cipher::{aead, aes};
use crate::cpu::features::Gcm256;
use crate::cpu::kernels::gcm::GcmKey;
use crate::hash::digest::Digest;
use crate::hash::digest_types::with_digest;
use crate::hash::{keccak, md};
use crate::inputs::{Params, Text};
use crate::wipe;

/// Returns the sizes at which Millrace's own routines are compared with the library's: all up to
/// five passes of any kernel and their lead, and some around borders of longer messages.
pub(crate) fn sizes() -> impl Iterator<Item = usize> {
    let around = |size: usize| size - 65..=size + 65;
    (0..=5700).chain(around(16 << 10)).chain([(1 << 20) - 1, 1 << 20, (1 << 20) + 1])
}

/// Returns a text sealed by the library, and its tag.
pub(crate) fn sealed(
    cipher: Cipher,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    source: &[u8],
) -> (Vec<u8>, [u8; 16]) {
    let (mut library, mut text, mut tag) = (aead::AeadKey::vacant(), source.to_vec(), [0; 16]);
    library.prepare(cipher, key).expect("a key of the right size");
    let message = AeadMessage { nonce, aad, text: Text::InPlace(&mut text) };
    library.seal(message, &mut tag).expect("fits");
    (text, tag)
}

/// Bytes between two ranges of addresses that cannot be accessed: a routine that reads or writes
/// before or after its text ends the test with a signal. Other systems have only the bytes.
pub(crate) fn fenced() -> &'static mut [u8] {
    const SIZE: usize = (1 << 20) + FENCE;
    /// A multiple of the size of a page anywhere.
    const FENCE: usize = 64 << 10;
    #[cfg(unix)]
    // SAFETY: a new anonymous mapping that is never unmapped; nothing aliases it. The slice is the
    // part that can be accessed.
    unsafe {
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let all = libc::mmap(std::ptr::null_mut(), SIZE + 2 * FENCE, libc::PROT_NONE, kind, -1, 0);
        assert_ne!(all, libc::MAP_FAILED);
        let start = all.byte_add(FENCE);
        assert_eq!(libc::mprotect(start, SIZE, libc::PROT_READ | libc::PROT_WRITE), 0);
        std::slice::from_raw_parts_mut(start.cast(), SIZE)
    }
    #[cfg(not(unix))]
    vec![0; SIZE].leak()
}

std::thread_local! {
    static FENCED: std::cell::RefCell<[&'static mut [u8]; 2]> =
        std::cell::RefCell::new([fenced(), fenced()]);
}

/// Returns where a text of `size` bytes is placed in `room` bytes: at their end, at their
/// beginning, and at all alignments in a cache line, of which long texts take turns.
fn places(size: usize, room: usize) -> impl Iterator<Item = usize> {
    let turns = if size <= 320 { 0..64 } else { size / 64 % 64..size / 64 % 64 + 1 };
    [room - size, 0].into_iter().chain(turns.map(|turn| 64 + turn))
}

/// Returns the bytes just before and after a text.
fn beside(room: &mut [u8], at: usize, size: usize) -> impl Iterator<Item = &mut u8> {
    let end = room.len().min(at + size + 64);
    let (before, rest) = room[..end].split_at_mut(at);
    before.iter_mut().rev().take(64).chain(&mut rest[size..])
}

/// Calls `work` with a source where nothing after it, or before it, can be read, and at all
/// alignments.
#[allow(dead_code)] // on CPUs without kernels
pub(crate) fn reads(source: &[u8], mut work: impl FnMut(&[u8])) {
    FENCED.with_borrow_mut(|[room, _]| {
        for at in places(source.len(), room.len()) {
            let place = &mut room[at..][..source.len()];
            place.copy_from_slice(source);
            work(place);
        }
    });
}

/// Checks that `work` makes a result of a source, across and in place, and neither reads nor writes
/// a byte beside them: where those cannot be accessed, and at all alignments.
#[track_caller]
pub(crate) fn writes(source: &[u8], result: &[u8], mut work: impl FnMut(Text<'_>)) {
    let size = source.len();
    FENCED.with_borrow_mut(|[one, other]| {
        for at in places(size, one.len()) {
            // Source and target are aligned differently, unless both touch a fence.
            let to = if (64..128).contains(&at) { 64 + (7 * at + size) % 64 } else { at };
            for (room, at) in [(&mut *one, at), (&mut *other, to)] {
                beside(room, at, size).for_each(|byte| *byte = 0xa5);
            }
            one[at..][..size].copy_from_slice(source);
            work(Text::Across { source: &one[at..][..size], target: &mut other[to..][..size] });
            assert!(one[at..][..size] == *source, "{size} at {at}, the source");
            work(Text::InPlace(&mut one[at..][..size]));
            for (room, at, kind) in [(&mut *one, at, "in place"), (&mut *other, to, "across")] {
                assert!(room[at..][..size] == *result, "{size} at {at} {kind}");
                assert!(beside(room, at, size).all(|byte| *byte == 0xa5), "{size} at {at} {kind}");
            }
        }
    });
}

/// Returns the number of a block after what has the number `before`, 0 at first: a compression
/// function of which no two results are equal.
pub(crate) fn absorbed(before: u64, block: &[u8]) -> u64 {
    type Numbers = std::collections::HashMap<(u64, Vec<u8>), u64>;
    std::thread_local!(static NUMBERS: std::cell::RefCell<Numbers> = Default::default());
    NUMBERS.with_borrow_mut(|numbers| {
        let next = numbers.len() as u64 + 1;
        *numbers.entry((before, block.to_vec())).or_insert(next)
    })
}

/// Bytes without a pattern, the same in every run (xorshift64).
pub(crate) struct Bytes(pub(crate) u64);

#[allow(dead_code)] // on CPUs without kernels
impl Bytes {
    pub(crate) fn fill(&mut self, target: &mut [u8]) {
        for bytes in target.chunks_mut(8) {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            bytes.copy_from_slice(&self.0.to_le_bytes()[..bytes.len()]);
        }
    }

    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut target = [0; N];
        self.fill(&mut target);
        target
    }

    pub(crate) fn vec(&mut self, size: usize) -> Vec<u8> {
        let mut target = vec![0; size];
        self.fill(&mut target);
        target
    }
}

#[test]
fn sizes_agree_with_the_catalog() {
    for facts in &HASHES {
        let (block, size) = with_digest!(facts.hash, D => (D::BLOCK, D::SIZE));
        assert_eq!(block, facts.block_size, "{}", facts.name);
        assert_eq!(with_digest!(facts.hash, D => D::STATE), facts.state_size, "{}", facts.name);
        assert!(facts.digest_size == 0 || size == facts.digest_size, "{}", facts.name);
    }
}

/// Returns the bytes of a value.
fn bytes_of<T>(value: &T) -> Vec<u8> {
    let at = (&raw const *value).cast::<std::mem::MaybeUninit<u8>>();
    // SAFETY: the value has that many bytes. Those that were never written are read as something
    // by `assume_init` only where the states have no padding, which is why only such are asked.
    unsafe { (0..size_of::<T>()).map(|index| at.add(index).read().assume_init()).collect() }
}

#[test]
fn a_wiped_state_is_zero() {
    let mut state = md::Sha256::new(&Params::default());
    state.update(b"a secret of some bytes");
    assert!(bytes_of(&state).iter().any(|&byte| byte != 0));
    state.wipe();
    assert!(bytes_of(&state).iter().all(|&byte| byte == 0));

    let mut state = keccak::Sha3_256::new(&Params::default());
    state.update(b"a secret of some bytes");
    assert!(bytes_of(&state).iter().any(|&byte| byte != 0));
    state.wipe();
    assert!(bytes_of(&state).iter().all(|&byte| byte == 0));
}

#[test]
fn a_dropped_key_is_zero() {
    // Each has another key: unoptimized code moves states with the bytes between their fields,
    // which hold what was on the stack before.
    let key = |cipher: Cipher| [0x5c + cipher as u8; 32];
    let prepared = |cipher: Cipher| {
        let mut place = std::mem::MaybeUninit::<CipherKey>::uninit();
        let size = size_of::<CipherKey>();
        let bytes = place.as_mut_ptr().cast::<u8>();
        // SAFETY: the place is filled, then holds a state, then is read as the bytes which the fill
        // and the drop wrote; the discriminant, which is not wiped, was written with the state.
        unsafe {
            bytes.write_bytes(0xa5, size);
            place.write(CipherKey::vacant(cipher));
            place.assume_init_mut().prepare(&key(cipher)).expect("a key of the right size");
            place.assume_init_drop();
            std::slice::from_raw_parts(bytes, size).to_vec()
        }
    };
    for cipher in [
        Cipher::Aes256Ctr,
        Cipher::ChaCha20,
        Cipher::Aes256Gcm,
        Cipher::ChaCha20Poly1305,
        Cipher::Aes256GcmSiv,
        Cipher::Xaes256Gcm,
    ] {
        let wiped = match cipher {
            Cipher::Aes256Ctr | Cipher::Xaes256Gcm => size_of::<aes::AesCtrKey>(),
            Cipher::ChaCha20 | Cipher::ChaCha20Poly1305 => 32,
            Cipher::Aes256Gcm if Gcm256::detect().is_some() => GcmKey::WIPED,
            _ => size_of::<aead::AeadKey>(),
        };
        let bytes = prepared(cipher);
        assert!(bytes.windows(8).all(|window| window != &key(cipher)[..8]), "{cipher:?}");
        assert!(bytes.iter().filter(|&&byte| byte == 0).count() >= wiped, "{cipher:?}");
    }
}

/// Returns the bytes at the address of a value on the heap, before and after it is dropped.
fn place_of<T>(value: wipe::WipedBox<T>) -> [Vec<u8>; 2] {
    let mut value = std::mem::ManuallyDrop::new(value);
    let place: *const T = &**value;
    // SAFETY: the place is on the heap and is never freed here; both times its bytes are read as
    // what has been written there, by whom ever.
    let bytes = || unsafe {
        (0..size_of::<T>()).map(|at| place.cast::<u8>().add(at).read_volatile()).collect()
    };
    let before = bytes();
    // SAFETY: once, and it is not dropped again.
    unsafe { value.empty() };
    [before, bytes()]
}

#[test]
fn a_dropped_message_or_kept_key_is_zero() {
    for (cipher, key, nonce) in [
        (Cipher::Aes256Ctr, &[0x3a; 32][..], &[9; 16][..]),
        (Cipher::ChaCha20, &[0x3a; 32], &[9; 16]),
        (Cipher::Aes256Gcm, &[0x3a; 32], &[9; 12]),
        (Cipher::ChaCha20Poly1305, &[0x3a; 32], &[9; 12]),
        (Cipher::XChaCha20Poly1305, &[0x3a; 32], &[9; 24]),
        (Cipher::Aes128GcmSiv, &[0x3a; 16], &[9; 12]),
        (Cipher::Aes256GcmSiv, &[0x3a; 32], &[9; 12]),
        (Cipher::Xaes256Gcm, &[0x3a; 32], &[9; 24]),
    ] {
        let kept = CipherKey::boxed(cipher, key).expect("a key of the right size");
        let aad: &[u8] = if cipher.facts().aead { b"aad" } else { b"" };
        let message = match CipherMessage::new(&kept, nonce, aad, 0).expect("in parts").state {
            State::AesCtr(StreamMessage(key, _)) => place_of(key),
            State::ChaCha20(StreamMessage(key, _)) => place_of(key),
            State::Gcm(message) => place_of(message),
            State::GcmSiv(message) => place_of(message),
            State::ChaChaPoly(message) => place_of(message),
        };
        for [before, after] in [message, place_of(kept)] {
            assert!(before.iter().filter(|&&byte| byte != 0).count() >= key.len(), "{cipher:?}");
            assert!(after.iter().all(|&byte| byte == 0), "{cipher:?}");
        }
    }
}

#[cfg(feature = "aws-lc")]
#[test]
fn the_error_queue_stays_clean() {
    let mut key = aead::AeadKey::vacant();
    key.prepare(Cipher::Aes256Gcm, &[7; 32]).expect("a key of the right size");
    let mut text = [1; 64];
    let result = key
        .open(AeadMessage { nonce: &[0; 12], aad: &[], text: Text::InPlace(&mut text) }, &[0; 16]);
    assert_eq!((result, text), (Err(Error::Authentication), [0; 64]));
    // SAFETY: looks at this thread's queue.
    assert_eq!(unsafe { aws_lc_sys::ERR_peek_error() }, 0);
}
