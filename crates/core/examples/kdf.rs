//! Times key derivations: `cargo run --release --example kdf [scrypt|pbkdf2|argon2]`. The least of
//! several runs.

use std::time::Instant;

use millrace_core::catalog::Hash;
use millrace_core::checkpoint::NoCheckpoint;
use millrace_core::kdf::argon2::{self, Kind};
use millrace_core::kdf::scrypt::{self, Cost};
use millrace_core::kdf::{Memory, pbkdf2};

const RUNS: usize = 15;

fn main() {
    let what = std::env::args().nth(1);
    let wants = |name: &str| what.as_deref().is_none_or(|what| what == name);
    if wants("scrypt") {
        time_scrypt();
    }
    if wants("pbkdf2") {
        for hash in [Hash::Sha1, Hash::Sha256, Hash::Sha512] {
            time_pbkdf2(hash);
        }
    }
    if wants("argon2") {
        for (memory, passes, lanes) in [(19 * 1024, 2, 1), (64 * 1024, 3, 4)] {
            time_argon2(memory, passes, lanes);
        }
    }
}

fn time_argon2(memory: u32, passes: u32, lanes: u32) {
    let cost = argon2::Cost::new(Kind::Id, memory, passes, lanes).expect("a cost");
    let input = argon2::Input {
        password: b"pleaseletmein",
        salt: b"SodiumChloride",
        ..argon2::Input::default()
    };
    let mut kept = Memory::new(argon2::memory(&cost)).expect("memory");
    let params = ::argon2::Params::new(memory, passes, lanes, None).expect("parameters");
    let crates =
        ::argon2::Argon2::new(::argon2::Algorithm::Argon2id, ::argon2::Version::V0x13, params);
    let best = least(&mut [
        Box::new(|| {
            argon2::derive_in(&cost, &input, &mut [0; 32], &mut kept, &mut NoCheckpoint)
                .expect("derived")
        }),
        Box::new(|| argon2::derive(&cost, &input, &mut [0; 32]).expect("derived")),
        Box::new(|| {
            crates
                .hash_password_into(b"pleaseletmein", b"SodiumChloride", &mut [0; 32])
                .expect("derived")
        }),
    ]);
    let [kept, fresh, crates] = [best[0], best[1], best[2]].map(|seconds| seconds * 1e3);
    println!(
        "argon2id {memory} KiB {passes} {lanes}: {kept:.2} ms, with fresh memory {fresh:.2} ms, \
        the argon2 crate {crates:.2} ms"
    );
}

/// Seconds of the quickest run of each work, by turns.
fn least(works: &mut [Box<dyn FnMut() + '_>]) -> Vec<f64> {
    let mut best = vec![f64::MAX; works.len()];
    for _ in 0..RUNS {
        for (work, best) in works.iter_mut().zip(&mut best) {
            let start = now();
            work();
            *best = best.min(now() - start);
        }
    }
    best
}

/// Seconds which this thread has had a CPU to itself, where the system tells: others may be at work
/// too.
fn now() -> f64 {
    thread_local!(static START: Instant = Instant::now());
    let on_cpu = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_cpu = on_cpu.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    on_cpu.map_or_else(
        || START.with(|start| start.elapsed().as_secs_f64()),
        |nanoseconds| nanoseconds / 1e9,
    )
}

fn print(name: &str, counts: &[usize], best: &[f64]) {
    for (count, best) in counts.iter().zip(best) {
        let each = best / *count as f64;
        println!(
            "{name}, {count} together: {:6.2} ms a job, {:5.0} a second",
            each * 1e3,
            1.0 / each
        );
    }
}

fn time_scrypt() {
    let cost = Cost::new(16384, 8).expect("a cost");
    let mut counts = vec![1, 2, 3, 4, 8];
    counts.retain(|&count| count <= scrypt::lanes());
    let mut works: Vec<Box<dyn FnMut()>> = Vec::new();
    for &count in &counts {
        let mut memory = Memory::new(scrypt::memory(&cost, count as u64, count)).expect("memory");
        works.push(Box::new(move || {
            let mut targets = vec![[0; 64]; count];
            let mut jobs: Vec<scrypt::ScryptJob<'_>> = targets
                .iter_mut()
                .map(|target| scrypt::ScryptJob {
                    password: b"pleaseletmein",
                    salt: b"SodiumChloride",
                    p: 1,
                    target,
                })
                .collect();
            scrypt::derive_many(&cost, &mut jobs, &mut memory, &mut NoCheckpoint, |_, _| {})
                .expect("derived");
        }));
    }
    works.push(Box::new(|| {
        scrypt::derive(&cost, b"pleaseletmein", b"SodiumChloride", 1, &mut [0; 64])
            .expect("derived");
    }));
    let best = least(&mut works);
    print("scrypt 16384 8 1", &counts, &best);
    println!("with fresh memory: {:.2} ms", best[counts.len()] * 1e3);
}

fn time_pbkdf2(hash: Hash) {
    let counts = [1, 2, 3, 4, 8, 16];
    let mut works: Vec<Box<dyn FnMut()>> = Vec::new();
    for count in counts {
        works.push(Box::new(move || {
            let mut targets = vec![[0; 20]; count];
            let mut jobs: Vec<pbkdf2::Pbkdf2Job<'_>> = targets
                .iter_mut()
                .map(|target| pbkdf2::Pbkdf2Job {
                    password: b"pleaseletmein",
                    salt: b"SodiumChloride",
                    iterations: 100_000,
                    target,
                })
                .collect();
            pbkdf2::derive_many(hash, &mut jobs, &mut NoCheckpoint, |_, _| {}).expect("derived");
        }));
    }
    print(&format!("pbkdf2 {} 100000", hash.facts().name), &counts, &least(&mut works));
}
