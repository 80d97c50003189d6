//! Times key derivations: `cargo run --release --example kdf [scrypt|pbkdf2|argon2]`.

use std::time::Instant;

use millrace_core::kdf::Memory;
use millrace_core::kdf::scrypt::{self, Cost, Job};
use millrace_core::pace::Unpaced;

fn main() {
    let cost = Cost::new(16384, 8).expect("a cost");
    let most = scrypt::lanes();
    let mut counts: Vec<usize> = vec![1, 2, 3, 4, 8];
    counts.retain(|&count| count <= most);
    let mut best = vec![f64::MAX; counts.len()];
    let mut memories: Vec<Memory> =
        counts.iter().map(|&count| Memory::new(scrypt::memory(&cost, count as u64, count)).expect("memory")).collect();
    let mut fresh = f64::MAX;
    let mut wipe = f64::MAX;
    for _ in 0..15 {
        for ((&count, best), memory) in counts.iter().zip(&mut best).zip(&mut memories) {
            let mut targets = vec![[0; 64]; count];
            let mut jobs: Vec<Job<'_>> = targets
                .iter_mut()
                .map(|target| Job { password: b"pleaseletmein", salt: b"SodiumChloride", p: 1, target })
                .collect();
            let start = Instant::now();
            scrypt::derive_many(&cost, &mut jobs, memory, &mut Unpaced, |_, _| {}).expect("derived");
            *best = best.min(start.elapsed().as_secs_f64());
        }
        let start = Instant::now();
        scrypt::derive(&cost, b"pleaseletmein", b"SodiumChloride", 1, &mut [0; 64]).expect("derived");
        fresh = fresh.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        memories[0].wipe();
        wipe = wipe.min(start.elapsed().as_secs_f64());
    }
    println!("scrypt N=16384 r=8 p=1, least of 15; with fresh memory {:.2} ms, wiping {:.2} ms", fresh * 1e3, wipe * 1e3);
    for (&count, best) in counts.iter().zip(best) {
        println!("{count} together: {:6.2} ms a job, {:5.0} a second", best * 1e3 / count as f64, count as f64 / best);
    }
}
