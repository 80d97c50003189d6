//! Detection of the CPU's instructions. A value of a proof type shows that they were detected.
//!
//! `MILLRACE_CPU_HIDE=avx512f,vaes` hides features by the names below, so that one machine can run
//! every path and compare them. It is read once and affects only Millrace's own routines: the
//! libraries detect the CPU themselves (AWS-LC reads `OPENSSL_ia32cap`). Routines that need a
//! hidden feature among others are disabled too: without `avx2` there is no AVX-512 either. Unknown
//! names are reported on standard error.
//!
//! `MILLRACE_LANES=off` disables multi-buffer hashing: see [`lanes`](crate::hash::lanes).

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};

/// True where the upper half of a product of two words of 64 bits is slow: in WebAssembly it is not
/// an instruction.
pub(crate) const NARROW: bool = cfg!(target_arch = "wasm32");

/// The name of an instruction set, and whether this CPU (and its system) has it.
type Detectable = (&'static str, fn() -> bool);

/// Returns all features that this CPU has, including hidden ones, which the libraries use.
pub(crate) fn features() -> impl Iterator<Item = &'static str> {
    DETECTABLE.iter().filter(|(_, present)| present()).map(|&(name, _)| name)
}

/// Returns true if this CPU has the feature, hidden or not.
pub(crate) fn has(name: &str) -> bool {
    DETECTABLE.iter().any(|&(known, present)| known == name && present())
}

/// Defines a type for each set of features, a value of which can only come of a successful look: on
/// other architectures than its own there is none.
macro_rules! proofs {
    ($arch:literal: $($(#[$doc:meta])* $name:ident: $($feature:literal)*;)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, Debug)]
        #[allow(dead_code)] // on other architectures
        pub(crate) struct $name(());

        #[allow(dead_code)] // on other architectures
        impl $name {
            /// The features which it proves.
            pub(crate) const NAMES: &[&'static str] = &[$($feature),*];

            /// Returns the proof if the features are present and not hidden. Costs one load after
            /// the first call.
            #[inline]
            pub(crate) fn detect() -> Option<Self> {
                let mask = const {
                    assert!(!Self::NAMES.is_empty());
                    if cfg!(target_arch = $arch) { Some(mask(Self::NAMES)) } else { None }
                };
                matches!(mask, Some(mask) if visible() & mask == mask).then_some(Self(()))
            }
        }

        #[cfg(test)]
        impl OrSkip for Option<$name> {
            #[track_caller]
            fn or_skip(self) -> Self {
                if self.is_none() {
                    tell_skipped($name::NAMES);
                }
                self
            }
        }
    )*};
}

/// A test that needs a proof asks for it by `detect().or_skip()`.
#[cfg(test)]
pub(crate) trait OrSkip {
    /// Prints which features are missing, if there is no proof, with the place of the call.
    fn or_skip(self) -> Self;
}

/// Prints the line that `npm test` collects, once for each place: the test harness cannot skip a
/// test that runs already.
#[cfg(test)]
#[track_caller]
fn tell_skipped(names: &[&str]) {
    use std::panic::Location;
    use std::sync::{Mutex, PoisonError};

    static REPORTED: Mutex<Vec<&'static Location<'static>>> = Mutex::new(Vec::new());
    let place = Location::caller();
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if !reported.contains(&place) {
        reported.push(place);
        // Those of other architectures have no bit.
        let detectable = |&name: &&str| DETECTABLE.iter().any(|&(known, _)| known == name);
        let present = |name: &&str| detectable(name) && visible() & mask(&[*name]) != 0;
        let missing: Vec<_> = names.iter().filter(|name| !present(name)).copied().collect();
        println!("skipped: {place}: needs {}", missing.join(" "));
    }
}

proofs! {
    "x86_64":
    /// Integers in 256-bit vectors.
    Avx2: "avx2";
    /// Carry-less products.
    Carryless: "pclmulqdq";
    /// SHA-1's and SHA-256's rounds.
    ShaNi: "ssse3" "sse4.1" "sha-ni";
    /// `Avx2` with products of 64-bit integers that leave the flags as they are.
    Avx2Bmi: "avx2" "bmi2";
    /// ANDN and RORX.
    Bmi: "bmi1" "bmi2";
    /// Integers in 512-bit vectors, with masks by the byte, and the same instructions for shorter
    /// ones.
    Avx512: "avx2" "avx512f" "avx512vl" "avx512bw";
    /// The above with products of 64-bit integers that leave the flags as they are.
    Avx512Bmi: "avx2" "bmi2" "avx512f" "avx512vl" "avx512bw";
    /// AVX-512 with products of 52-bit integers.
    Ifma: "avx2" "avx512f" "avx512vl" "avx512bw" "avx512ifma";
    /// AES on two blocks at once.
    Vaes256: "aes-ni" "avx2" "vaes";
    /// AES on four blocks at once.
    Vaes512: "aes-ni" "avx2" "vaes" "avx512f" "avx512vl" "avx512bw";
    /// AES and carry-less products on two blocks at once.
    Gcm256: "aes-ni" "pclmulqdq" "avx2" "vaes" "vpclmulqdq";
    /// `Vaes512` with carry-less products.
    Gcm512: "aes-ni" "avx2" "vaes" "avx512f" "avx512vl" "avx512bw" "vpclmulqdq";
    /// Vectors for SHA-512's message schedule, and RORX and ANDN for its rounds.
    Schedule256: "avx2" "bmi1" "bmi2";
    /// As `Schedule256`, with rotation of vectors.
    Schedule512: "avx2" "bmi1" "bmi2" "avx512f" "avx512vl";
    /// Carry-less products of two blocks at once.
    Fold256: "pclmulqdq" "avx2" "vpclmulqdq";
    /// Carry-less products of four blocks at once.
    Fold512: "pclmulqdq" "avx2" "vpclmulqdq" "avx512f" "avx512vl" "avx512bw";
}

proofs! {
    "aarch64":
    /// Carry-less products.
    Pmull: "neon" "aes" "pmull";
    /// SHA-256's rounds.
    Sha2: "neon" "sha2";
    /// SHA-3's sums, rotations and selections.
    Sha3: "neon" "sha3";
}

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Ifma {
    /// Returns the proof that this one includes.
    #[inline]
    pub(crate) fn vectors(self) -> Avx512 {
        Avx512(())
    }
}

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Avx512Bmi {
    /// Returns the proof that this one includes.
    #[inline]
    pub(crate) fn vectors(self) -> Avx512 {
        Avx512(())
    }
}

/// Returns true if multi-buffer hashing is not disabled.
#[allow(dead_code)] // where there are no lanes
#[inline]
pub(crate) fn lanes_allowed() -> bool {
    visible() & NO_LANES == 0
}

/// The features that are there and not hidden, by their place in the table, and the bits below.
static VISIBLE: AtomicU32 = AtomicU32::new(0);
const LOOKED: u32 = 1 << 31;
const NO_LANES: u32 = 1 << 30;
const _: () = assert!(DETECTABLE.len() < 30);

#[inline]
fn visible() -> u32 {
    match VISIBLE.load(Ordering::Relaxed) {
        0 => look(),
        found => found,
    }
}

#[cold]
fn look() -> u32 {
    let hidden = std::env::var("MILLRACE_CPU_HIDE").unwrap_or_default();
    if let Some(warning) = warning(&hidden) {
        // Nothing can be done where standard error is closed.
        let _ = writeln!(std::io::stderr(), "{warning}");
    }
    let off =
        std::env::var("MILLRACE_LANES").is_ok_and(|value| value.trim().eq_ignore_ascii_case("off"));
    let found = LOOKED | if off { NO_LANES } else { 0 } | among(&hidden, |(_, present)| present());
    VISIBLE.store(found, Ordering::Relaxed);
    found
}

/// Returns what is reported about names that are in no table.
fn warning(hidden: &str) -> Option<String> {
    let known: Vec<_> = DETECTABLE.iter().map(|&(name, _)| name).collect();
    let is_known = |name: &&str| known.iter().any(|other| other.eq_ignore_ascii_case(name));
    let names = hidden.split(',').map(str::trim).filter(|name| !name.is_empty());
    let unknown: Vec<_> = names.filter(|name| !is_known(name)).collect();
    (!unknown.is_empty()).then(|| {
        let (unknown, known) = (unknown.join(", "), known.join(", "));
        format!(
            "millrace: MILLRACE_CPU_HIDE names no feature of this architecture: {unknown} \
             (there are {known})"
        )
    })
}

/// Returns the features for which `present` holds and that the list does not hide.
fn among(hidden: &str, present: impl Fn(&Detectable) -> bool) -> u32 {
    let hides = |name: &str| hidden.split(',').any(|other| other.trim().eq_ignore_ascii_case(name));
    let seen = |feature: &Detectable| !hides(feature.0) && present(feature);
    DETECTABLE.iter().enumerate().map(|(place, feature)| u32::from(seen(feature)) << place).sum()
}

/// Returns the places of these names in the table, as bits; fails to compile for a name that is not
/// there.
const fn mask(names: &[&str]) -> u32 {
    let (mut bits, mut name) = (0, 0);
    while name < names.len() {
        let mut place = 0;
        while !same(DETECTABLE[place].0.as_bytes(), names[name].as_bytes()) {
            place += 1;
        }
        bits |= 1 << place;
        name += 1;
    }
    bits
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(target_arch = "x86_64")]
const DETECTABLE: &[Detectable] = &[
    ("ssse3", || std::is_x86_feature_detected!("ssse3")),
    ("sse4.1", || std::is_x86_feature_detected!("sse4.1")),
    ("movbe", || std::is_x86_feature_detected!("movbe")),
    ("avx", || std::is_x86_feature_detected!("avx")),
    ("avx2", || std::is_x86_feature_detected!("avx2")),
    ("bmi1", || std::is_x86_feature_detected!("bmi1")),
    ("bmi2", || std::is_x86_feature_detected!("bmi2")),
    ("aes-ni", || std::is_x86_feature_detected!("aes")),
    ("pclmulqdq", || std::is_x86_feature_detected!("pclmulqdq")),
    ("sha-ni", || std::is_x86_feature_detected!("sha")),
    ("vaes", || std::is_x86_feature_detected!("vaes")),
    ("vpclmulqdq", || std::is_x86_feature_detected!("vpclmulqdq")),
    ("avx512f", || std::is_x86_feature_detected!("avx512f")),
    ("avx512vl", || std::is_x86_feature_detected!("avx512vl")),
    ("avx512bw", || std::is_x86_feature_detected!("avx512bw")),
    ("avx512vbmi2", || std::is_x86_feature_detected!("avx512vbmi2")),
    ("avx512ifma", || std::is_x86_feature_detected!("avx512ifma")),
];

#[cfg(target_arch = "aarch64")]
const DETECTABLE: &[Detectable] = &[
    ("neon", || std::arch::is_aarch64_feature_detected!("neon")),
    ("aes", || std::arch::is_aarch64_feature_detected!("aes")),
    ("pmull", || std::arch::is_aarch64_feature_detected!("pmull")),
    ("sha2", || std::arch::is_aarch64_feature_detected!("sha2")),
    // Rust tells of SHA-512's instructions together with SHA-3's.
    ("sha512", || std::arch::is_aarch64_feature_detected!("sha3")),
    ("sha3", || std::arch::is_aarch64_feature_detected!("sha3")),
];

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const DETECTABLE: &[Detectable] = &[];

#[cfg(all(test, target_arch = "x86_64"))]
#[test]
fn hiding_a_feature_hides_those_that_need_it() {
    let all = among("", |_| true);
    assert_eq!(all.count_ones() as usize, DETECTABLE.len());
    assert_eq!(all & !among("vaes, AVX512F,unknown", |_| true), mask(&["vaes", "avx512f"]));
    let shows = |hidden: &str, names: &[&str]| among(hidden, |_| true) & mask(names) == mask(names);
    assert!(!shows("avx2", Avx512::NAMES) && !shows("avx512f", Avx512::NAMES));
    assert!(shows("avx512f", Vaes256::NAMES) && !shows("avx512f", Vaes512::NAMES));
}

#[cfg(all(test, target_arch = "x86_64"))]
#[test]
fn an_unknown_name_is_reported() {
    assert_eq!(warning(""), None);
    assert_eq!(warning("avx2, SHA-NI,,"), None);
    let reported = warning("avx2,sse42, avx").expect("a warning");
    assert!(
        reported.contains("architecture: sse42 (")
            && reported.contains("sse4.1")
            && !reported.contains("avx2,sse"),
        "{reported}"
    );
}
