//! Key derivation on CPUs with less than this one: what our own routines look at is hidden by its
//! names, and the keys must be the same. Each set of features needs a separate process.

use std::process::Command;

use millrace_core::catalog::{HASHES, Hash};
use millrace_core::checkpoint::NoCheckpoint;
use millrace_core::hash::{Params, digest};
use millrace_core::kdf::argon2::{self, Kind};
use millrace_core::kdf::{Memory, hkdf, pbkdf2, scrypt};

/// Returns the digest of keys of all kinds, from several jobs each.
fn answers() -> String {
    let mut all = Vec::new();
    let secret = |index: usize| vec![index as u8; 5 * index];
    for count in [1, 2, 3, 5, 9, 17] {
        let mut keys = vec![[0; 70]; count];
        let secrets: Vec<Vec<u8>> = (0..count).map(secret).collect();
        let cost = scrypt::Cost::new(128, 3).expect("a cost");
        let mut jobs: Vec<scrypt::ScryptJob<'_>> = keys
            .iter_mut()
            .zip(&secrets)
            .map(|(target, secret)| scrypt::ScryptJob {
                password: secret,
                salt: secret,
                p: 1 + secret.len() as u32 % 3,
                target,
            })
            .collect();
        let lanes = jobs.iter().map(|job| u64::from(job.p)).sum();
        let mut memory = Memory::new(scrypt::memory(&cost, lanes, 8)).expect("memory");
        scrypt::derive_many(&cost, &mut jobs, &mut memory, &mut NoCheckpoint, |_, _| {})
            .expect("derived");
        all.extend(keys.concat());
        for facts in HASHES.iter().filter(|facts| facts.hmac) {
            let mut jobs: Vec<pbkdf2::Pbkdf2Job<'_>> = keys
                .iter_mut()
                .zip(&secrets)
                .map(|(target, secret)| pbkdf2::Pbkdf2Job {
                    password: secret,
                    salt: secret,
                    iterations: 20 + secret.len() as u32,
                    target,
                })
                .collect();
            pbkdf2::derive_many(facts.hash, &mut jobs, &mut NoCheckpoint, |_, _| {})
                .expect("derived");
            all.extend(keys.concat());
            hkdf::derive(facts.hash, &secrets[0], &all[..count], &all[..5], &mut keys[0])
                .expect("derived");
            all.extend(keys[0]);
        }
    }
    for kind in [Kind::D, Kind::I, Kind::Id] {
        let mut key = [0; 100];
        let cost = argon2::Cost::new(kind, 1000, 2, 3).expect("a cost");
        argon2::derive(&cost, &argon2::Input { salt: &all[..20], ..Default::default() }, &mut key)
            .expect("derived");
        all.extend(key);
    }
    let mut found = [0; 32];
    digest(Hash::Sha256, &Params::default(), &all, &mut found, None).expect("a digest");
    found.iter().map(|byte| format!("{byte:02x}")).collect()
}

const CHILD: &str = "MILLRACE_TEST_ANSWERS";

#[test]
fn hidden_instructions_give_the_same_keys() {
    let answers = answers();
    if std::env::var_os(CHILD).is_some() {
        println!("answers {answers}");
        return;
    }
    let everything = "ssse3,sse4.1,sha-ni,bmi1,bmi2,avx2,avx512f";
    for (hidden, lanes) in [
        ("", ""),
        ("", "off"),
        ("avx512f", ""),
        ("sha-ni", ""),
        ("sha-ni,avx512f", ""),
        ("avx2", ""),
        (everything, ""),
        (everything, "off"),
    ] {
        let child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "kdf_paths::hidden_instructions_give_the_same_keys", "--nocapture"])
            .env("MILLRACE_CPU_HIDE", hidden)
            .env("MILLRACE_LANES", lanes)
            .env(CHILD, "1")
            .output()
            .expect("started");
        let text = String::from_utf8_lossy(&child.stdout).into_owned();
        assert!(text.contains(&format!("answers {answers}")), "without {hidden} {lanes}: {text}");
    }
}
