//! Many messages at once are the messages one by one.

use crate::support::{CHILD, collect, params_of, run_again};
use millrace_core::Error;
use millrace_core::catalog::{HASHES, Hash};
use millrace_core::engines::report_json;
use millrace_core::hash::{Params, digest};
use millrace_core::hmac::MacKey;
use millrace_core::many::{digests, macs};

fn lengths() -> Vec<usize> {
    (0..70).map(|index| index * index * 7 % 1201).chain([0, 0, 64, 64, 64, 5000, 64]).collect()
}

#[test]
fn every_hash_of_many_is_the_hash_of_one() {
    let bytes: Vec<u8> = (0..5000_u32).map(|index| ((index * index) >> 3) as u8).collect();
    let lengths = lengths();
    let sources: Vec<&[u8]> = lengths
        .iter()
        .enumerate()
        .map(|(at, &size)| &bytes[(at % 9).min(5000 - size)..][..size.min(4990)])
        .collect();
    for facts in &HASHES {
        let params = params_of(facts);
        let sizes = if facts.xof { vec![1, 32, 168, 200, 300] } else { vec![facts.digest_size] };
        for size in sizes {
            for count in [0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 40, sources.len()] {
                let sources = &sources[..count];
                let found = collect(count, |each| {
                    digests(facts.hash, &params, sources, size, None, each).expect("sizes fit")
                });
                for (source, found) in sources.iter().zip(found) {
                    let mut expected = vec![0; size];
                    digest(facts.hash, &params, source, &mut expected, None).expect("sizes fit");
                    let what = format!("{} of {} among {count}", facts.name, source.len());
                    assert_eq!(found, Some(expected), "{what}");
                }
            }
        }
        if !facts.hmac {
            continue;
        }
        for key in [&bytes[..0], &bytes[..32], &bytes[..300]] {
            let key = MacKey::new(facts.hash, key).expect("hmac is defined");
            for count in [0, 1, 2, 7, 33, sources.len()] {
                let sources = &sources[..count];
                let found = collect(count, |each| {
                    macs(&key, sources, None, each).expect("nothing to refuse")
                });
                for (source, found) in sources.iter().zip(found) {
                    let mut expected = vec![0; facts.digest_size];
                    key.mac(source, &mut expected, None).expect("sizes fit");
                    let what = format!("hmac-{} of {} among {count}", facts.name, source.len());
                    assert_eq!(found, Some(expected), "{what}");
                }
            }
        }
    }
}

#[test]
fn wrong_sizes_and_parameters_are_refused() {
    let none = Params::default();
    let never = |_: usize, _: &[u8]| panic!("nothing is computed");
    assert_eq!(digests(Hash::Sha256, &none, &[b"a"], 31, None, never), Err(Error::OutputSize));
    assert_eq!(digests(Hash::Shake128, &none, &[b"a"], 0, None, never), Err(Error::OutputSize));
    let seeded = Params { seed: 1, ..Params::NONE };
    assert_eq!(digests(Hash::Sha256, &seeded, &[b"a"], 32, None, never), Err(Error::NotSupported));
}

/// A child knows the most messages at once that SHA-256 may have there. The tests of this file once
/// more with fewer instructions, and without any kernel.
#[test]
fn hidden_instructions_and_no_lanes_change_no_result() {
    let report = report_json();
    let sha256 = report
        .split("\"sha256\":")
        .nth(1)
        .and_then(|rest| rest.split("\"sha384\"").next())
        .expect("sha256");
    if let Ok(lanes) = std::env::var(CHILD) {
        let widest = ["\"messages\":16", "\"messages\":8", "\"messages\":3"];
        let shown = widest.iter().find(|lanes| sha256.contains(**lanes));
        assert!(shown.is_none_or(|shown| *shown == lanes), "{sha256}");
        return;
    }
    let [three, eight] = ["\"messages\":3", "\"messages\":8"];
    for (variable, value, lanes) in [
        ("MILLRACE_CPU_HIDE", "avx512f", three),
        ("MILLRACE_CPU_HIDE", "avx512bw,sha-ni", eight),
        ("MILLRACE_CPU_HIDE", "avx2,sha-ni", "none"),
        ("MILLRACE_LANES", "off", "none"),
    ] {
        run_again(&["many::"], &[(variable, value)], lanes);
    }
}
