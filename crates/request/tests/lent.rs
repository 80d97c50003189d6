//! A message that is opened into lent memory is verified before anything is written there.
//!
//! The first two pages of the target are read-only. When the second is written for the first time,
//! the first is looked at: if it has text of a forged message then, another thread could read it.
#![allow(unsafe_code)]

use crate::caller::Argument::Target;
use crate::caller::Call;
use millrace_core::catalog::{CIPHERS, CipherFacts};
use millrace_request::protocol::{OperationNumber as Number, Status};
use millrace_request::work::Reply;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A message of up to 32 KiB is copied, a longer one is read twice.
const SIZES: [usize; 3] = [32 << 10, (32 << 10) + 1, 200_000];

fn page_size() -> usize {
    // SAFETY: reads a number.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

static PAGES: AtomicUsize = AtomicUsize::new(0);
static SECOND_WRITTEN: AtomicBool = AtomicBool::new(false);
static TEXT_SEEN: AtomicBool = AtomicBool::new(false);

fn protect(page: usize, access: c_int) {
    // SAFETY: the page is within the arena of the call, which is used through windows only.
    let done = unsafe { libc::mprotect(page as *mut c_void, page_size(), access) };
    assert_eq!(done, 0);
}

extern "C" fn on_fault(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the system passes the address of the fault.
    let address = unsafe { (*info).si_addr() } as usize;
    let pages = PAGES.load(Ordering::Relaxed);
    let page = pages + address.wrapping_sub(pages) / page_size() * page_size();
    if page == pages + page_size() {
        SECOND_WRITTEN.store(true, Ordering::Relaxed);
        // SAFETY: the page exists and can be read.
        let first = unsafe { std::slice::from_raw_parts(pages as *const u8, page_size()) };
        TEXT_SEEN.store(first.iter().any(|&byte| byte != 0), Ordering::Relaxed);
    } else if page != pages {
        // SAFETY: a fault of something else: it ends the process.
        unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
        return;
    }
    protect(page, libc::PROT_READ | libc::PROT_WRITE);
}

/// Opens a forged message of two pages. Returns true if its text could be seen.
fn shows_text(facts: &CipherFacts, size: usize, lent: bool) -> bool {
    let text = vec![0x11; size];
    let call = |operation, source: &[u8], target: usize| {
        Call::cipher(operation, facts, source, &vec![0; target], &[])
    };
    let seal = call(Number::Seal, &text, size + 16);
    assert_eq!(seal.run(), Status::Done);
    let mut forged = seal.read(Target);
    forged[size + 15] ^= 1;
    // Room for a target that begins at a page.
    let mut open = call(Number::Open, &forged, size + 2 * page_size());
    let place = open.range(Target);
    let start = open.window(Target).read().as_ptr().addr();
    let skipped = start.next_multiple_of(page_size()) - start;
    open.place(Target, place.start + skipped..place.start + skipped + size);
    let pages = start + skipped;
    PAGES.store(pages, Ordering::Relaxed);
    SECOND_WRITTEN.store(false, Ordering::Relaxed);
    TEXT_SEEN.store(false, Ordering::Relaxed);
    protect(pages, libc::PROT_READ);
    protect(pages + page_size(), libc::PROT_READ);
    let status = open.run_with(&mut Reply::empty(), |work| work.lent = lent);
    protect(pages, libc::PROT_READ | libc::PROT_WRITE);
    protect(pages + page_size(), libc::PROT_READ | libc::PROT_WRITE);
    assert_eq!(status, Status::Authentication, "{}", facts.name);
    assert!(open.read(Target).iter().all(|&byte| byte == 0), "{}", facts.name);
    assert!(SECOND_WRITTEN.load(Ordering::Relaxed), "{}: nothing was written", facts.name);
    TEXT_SEEN.load(Ordering::Relaxed)
}

#[test]
fn forged_text_is_never_in_a_lent_target() {
    // SAFETY: a handler that touches its own pages only; zeros are a valid action.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut()), 0);
    }
    let mut seen = 0;
    for facts in CIPHERS.iter().filter(|facts| facts.aead) {
        for size in SIZES.into_iter().filter(|&size| size > page_size()) {
            assert!(!shows_text(facts, size, true), "{} {size}", facts.name);
            seen += usize::from(shows_text(facts, size, false));
        }
    }
    // Memory that is not lent may have it: this test would see text.
    assert!(seen > 0);
}
