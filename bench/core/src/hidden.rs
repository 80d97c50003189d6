//! Hides CPU features from all code of the program, also from crates that ask the CPU themselves.
//!
//! bench/core.mjs replaces each `cpuid` of the program by `ud0`, an instruction of the same two
//! bytes that no compiler emits. It raises SIGILL, whose handler executes `cpuid` and clears the
//! bits that `OPENSSL_ia32cap` hides: see tools/cpu-tiers.mjs for its words. Without that variable,
//! and in a program with its `cpuid` instructions, nothing happens.

use std::arch::x86_64::{__cpuid_count, CpuidResult};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use libc::{REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RIP, SA_SIGINFO, SIGILL, c_int, c_void};

const UD0: [u8; 2] = [0x0F, 0xFF];
/// Bits that are not hidden, of leaf 1 (EDX, then ECX) and leaf 7 (EBX, then ECX).
static KEPT: [AtomicU64; 2] = [AtomicU64::new(!0), AtomicU64::new(!0)];

/// Runs before constructors without a priority: AWS-LC asks the CPU in one of those.
// SAFETY: the C library calls the functions of this section before main, once it is initialized.
#[used]
#[unsafe(link_section = ".init_array.00101")]
static INSTALL: extern "C" fn() = install;

extern "C" fn install() {
    let Ok(words) = std::env::var("OPENSSL_ia32cap") else { return };
    for (kept, word) in KEPT.iter().zip(words.split(':')) {
        let digits = word.trim_start_matches('~').trim_start_matches("0x");
        if let Ok(bits) = u64::from_str_radix(digits, 16) {
            kept.store(if word.starts_with('~') { !bits } else { bits }, Relaxed);
        }
    }
    // SAFETY: a sigaction of zeros is valid; the handler calls only functions that may be called in
    // one, and writes only to the registers of the interrupted code.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction =
            on_illegal as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        action.sa_flags = SA_SIGINFO;
        libc::sigaction(SIGILL, &action, std::ptr::null_mut());
    }
}

extern "C" fn on_illegal(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the third argument is the interrupted context, which is ours alone.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let address = registers[REG_RIP as usize] as *const [u8; 2];
    // SAFETY: the CPU has just fetched an instruction of two bytes or more from there; `ud2`, the
    // only other one that compilers emit, has two.
    if unsafe { address.read() } != UD0 {
        // SAFETY: always allowed. The instruction is executed again, and ends the process.
        unsafe { libc::signal(SIGILL, libc::SIG_DFL) };
        return;
    }
    let (leaf, subleaf) = (registers[REG_RAX as usize] as u32, registers[REG_RCX as usize] as u32);
    let CpuidResult { eax, ebx, ecx, edx } = kept(leaf, subleaf);
    for (register, value) in [(REG_RAX, eax), (REG_RBX, ebx), (REG_RCX, ecx), (REG_RDX, edx)] {
        registers[register as usize] = i64::from(value);
    }
    registers[REG_RIP as usize] += 2;
}

/// Returns what the CPU says, without the hidden features.
fn kept(leaf: u32, subleaf: u32) -> CpuidResult {
    let [one, seven] = [&KEPT[0], &KEPT[1]].map(|word| word.load(Relaxed));
    let mut found = real_cpuid(leaf, subleaf);
    match (leaf, subleaf) {
        (1, _) => {
            found.edx &= one as u32;
            found.ecx &= (one >> 32) as u32;
        }
        (7, 0) => {
            found.ebx &= seven as u32;
            found.ecx &= (seven >> 32) as u32;
            if seven == 0 {
                found.edx = 0;
            }
        }
        // Newer than every tier: SHA-512, AVX-VNNI, AVX-IFMA.
        (7, 1) if seven != !0 => found = CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 },
        _ => {}
    }
    found
}

/// In a separate section: only `cpuid` of `.text` is replaced.
#[inline(never)]
#[unsafe(link_section = "real_cpuid")]
fn real_cpuid(leaf: u32, subleaf: u32) -> CpuidResult {
    __cpuid_count(leaf, subleaf)
}
