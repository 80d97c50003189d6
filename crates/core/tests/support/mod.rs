//! Code that the tests share.
#![allow(dead_code)]

use millrace_core::catalog::HashFacts;
use millrace_core::checkpoint::{Checkpoint, Slicer};
use millrace_core::hash::Params;
use serde_json::{Value, json};

/// A record of a file in `test/vectors`.
pub(crate) struct Record(Value);

impl Record {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// Returns a text; an absent one is empty.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    /// Returns the bytes of hexadecimal text; an absent one is empty.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        unhex(self.text(name))
    }

    /// Returns a number, or one of 64 bits, which is text; an absent one is 0.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.0[name].as_u64().or_else(|| self.text(name).parse().ok()).unwrap_or_default()
    }

    /// Returns the value with this name.
    pub(crate) fn at(&self, name: &str) -> Record {
        Record(self.0[name].clone())
    }

    /// Returns the items of a list.
    pub(crate) fn items(&self) -> Option<Vec<Record>> {
        Some(self.0.as_array()?.iter().cloned().map(Record).collect())
    }

    /// Returns the bytes of a text, of a number, or of a message that a record describes.
    pub(crate) fn message(&self) -> Vec<u8> {
        match (self.0.as_str(), self.0.as_u64()) {
            (Some(text), _) => return text.into(),
            (_, Some(number)) => return number.to_le_bytes().into(),
            _ => {}
        }
        match ["text", "hex", "repeat", "sanity"].map(|name| self.has(name)) {
            [true, ..] => self.text("text").into(),
            [_, true, ..] => self.bytes("hex"),
            [_, _, true, _] => {
                let times = self.number("times") as usize;
                self.bytes("repeat").into_iter().cycle().take(times).collect()
            }
            [.., true] => xxhash_sanity_bytes(self.number("sanity") as usize),
            _ => pattern((self.number("counting") + self.number("pattern")) as usize),
        }
    }
}

impl std::fmt::Display for Record {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Returns the records of a file in `test/vectors`. The program contains them: emulators run it
/// where there are no files.
macro_rules! vectors {
    ($name:literal) => {
        $crate::support::records(include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../test/vectors/",
            $name,
            ".json"
        )))
    };
}
pub(crate) use vectors;

/// Returns the records of a list in JSON, or of a file of Wycheproof's, whose rows are lists.
pub(crate) fn records(json: &str) -> Vec<Record> {
    let file: Value = serde_json::from_str(json).expect("JSON");
    if let Value::Array(records) = file {
        assert!(!records.is_empty());
        return records.into_iter().map(Record).collect();
    }
    let list = |value: &Value| value.as_array().cloned().expect("a list");
    let fields = list(&file["fields"]);
    let mut records = Vec::new();
    for group in list(&file["groups"]) {
        for row in list(&group["tests"]) {
            let names = fields.iter().map(|name| name.as_str().expect("a name").to_string());
            let algorithm = ("algorithm".to_string(), group["algorithm"].clone());
            let row = names.zip(list(&row)).chain([algorithm]).collect();
            records.push(Record(Value::Object(row)));
        }
    }
    records
}

/// Returns the inputs and keys of the published derivations of an algorithm.
pub(crate) fn derivations(algorithm: &str) -> Vec<Record> {
    let calls = vectors!("derivations").into_iter();
    let rows = calls.filter_map(inputs).filter(|row| row.text("algorithm") == algorithm);
    let rows: Vec<_> = rows.collect();
    assert!(!rows.is_empty(), "{algorithm} has no vectors");
    rows
}

/// Returns the inputs of a call by their names, or nothing for a call of a part.
fn inputs(call: Record) -> Option<Record> {
    let args = &call.0["args"];
    let options = args.as_array()?.last()?;
    let number = |value: &Value, usual: u64| json!(value.as_u64().unwrap_or(usual));
    let bytes = |value: &Value| match value.as_str() {
        Some(text) => json!(text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>()),
        None => value["hex"].clone(),
    };
    let mut row = match call.text("name") {
        "scrypt" => json!({
            "algorithm": "scrypt", "password": bytes(&args[0]), "salt": bytes(&args[1]),
            "N": number(&options["N"], 16384), "r": number(&options["r"], 8),
            "p": number(&options["p"], 1),
        }),
        "pbkdf2" => json!({
            "algorithm": "pbkdf2", "password": bytes(&args[0]), "salt": bytes(&args[1]),
            "iterations": args[2], "hash": args[4],
        }),
        "hkdf" => json!({
            "algorithm": "hkdf", "hash": args[0], "password": bytes(&args[1]),
            "salt": bytes(&args[2]), "info": bytes(&args[3]),
        }),
        "argon2" => json!({
            "algorithm": args[0], "password": bytes(&options["message"]),
            "salt": bytes(&options["nonce"]), "secret": bytes(&options["secret"]),
            "aad": bytes(&options["associatedData"]), "memory": options["memory"],
            "passes": options["passes"], "lanes": options["parallelism"],
        }),
        "wrapKey" => json!({
            "algorithm": args[0].as_str()?.rsplit('-').next(), "password": bytes(&options["key"]),
            "secret": bytes(&options["source"]),
        }),
        _ => return None,
    };
    row["key"] = call.0["expected"].clone();
    Some(Record(row))
}

/// Returns the first bytes of the generator in xxHash's `xsum_sanity_check.c`.
fn xxhash_sanity_bytes(size: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b1_u64;
    let mut byte = || {
        let byte = (state >> 56) as u8;
        state = state.wrapping_mul(0x9e37_79b1_85eb_ca8d);
        byte
    };
    (0..size).map(|_| byte()).collect()
}

/// Counts pauses, notes how far jobs are, and gives some up.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) pauses: usize,
    pub(crate) progress: Vec<(usize, u64, u64)>,
    /// Jobs to cancel, each with the number of checkpoints before.
    pub(crate) cancelled: Vec<(usize, usize)>,
}

impl Watch {
    /// Returns what was told of a job, which must grow, and have these steps in all.
    pub(crate) fn told(&self, job: usize, steps: u64) -> Vec<u64> {
        let told = self.progress.iter().filter(|told| told.0 == job);
        assert!(told.clone().all(|&(_, done, all)| done <= steps && all == steps), "{job}");
        let told: Vec<u64> = told.map(|told| told.1).collect();
        assert!(told.is_sorted_by(|one, other| one < other), "{told:?}");
        told
    }
}

impl Checkpoint for Watch {
    fn checkpoint(&mut self) {
        self.pauses += 1;
    }

    fn cancelled(&self, index: usize) -> bool {
        self.cancelled.iter().any(|&(job, after)| job == index && self.pauses >= after)
    }

    fn progress(&mut self, index: usize, done: u64, steps: u64) {
        self.progress.push((index, done, steps));
    }
}

/// Works in slices; returns the result, and how often it paused.
pub(crate) fn sliced<T>(
    slice: usize,
    cancelled: &[(usize, usize)],
    work: impl FnOnce(Option<Slicer<'_>>) -> T,
) -> (T, usize) {
    let mut watch = Watch { cancelled: cancelled.to_vec(), ..Watch::default() };
    let result = work(Some(Slicer::new(slice, &mut watch)));
    (result, watch.pauses)
}

/// Set in the processes that [`run_again`] starts.
pub(crate) const CHILD: &str = "MILLRACE_TEST_CHILD";

/// Runs tests of this program once more, in a process of their own with environment variables.
pub(crate) fn run_again(tests: &[&str], environment: &[(&str, &str)], told: &str) {
    let child = std::process::Command::new(std::env::current_exe().expect("this program"))
        .arg("-q")
        .args(tests)
        .envs(environment.iter().copied())
        .env(CHILD, told)
        .status();
    assert!(child.expect("it starts").success(), "{environment:?}");
}

/// Returns how often a test repeats itself: a quarter as often in the processes of [`run_again`].
pub(crate) fn rounds(count: usize) -> usize {
    if std::env::var_os(CHILD).is_some() { count / 4 } else { count }
}

/// Returns what a function on many messages hands on; no index may come twice.
pub(crate) fn collect(
    count: usize,
    run: impl FnOnce(&mut dyn FnMut(usize, &[u8])),
) -> Vec<Option<Vec<u8>>> {
    let mut found = vec![None; count];
    run(&mut |index, bytes| {
        assert_eq!(found[index].replace(bytes.to_vec()), None, "{index} came twice")
    });
    found
}

/// Returns the parameters of a hash: a seed of 5 or a key of threes, if it takes one.
pub(crate) fn params_of(facts: &HashFacts) -> Params<'static> {
    Params {
        seed: if facts.seed_bits > 0 { 5 } else { 0 },
        key: facts.takes_raw_key().then_some(&[3; 32]),
        ..Params::NONE
    }
}

/// Returns the bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes of hexadecimal text.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "{text}");
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

/// Returns the bytes 0, 1, .., 250, 0, 1, .. of BLAKE3's test vectors.
pub(crate) fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|index| (index % 251) as u8).collect()
}

/// Numbers without a pattern, the same in every run (xorshift64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    pub(crate) fn bytes(&mut self, size: usize) -> Vec<u8> {
        (0..size).map(|_| self.below(256) as u8).collect()
    }
}

/// A derivation of a key with what it is made of.
pub(crate) struct Wish {
    pub(crate) password: Vec<u8>,
    pub(crate) salt: Vec<u8>,
    /// Iterations, or lanes.
    pub(crate) cost: u32,
    pub(crate) target: Vec<u8>,
}

impl Wish {
    /// Returns one of a random cost up to the highest, and a key shorter than `most` bytes.
    pub(crate) fn new(random: &mut Random, highest: usize, most: usize) -> Wish {
        let [password, salt, size] = [150, 100, most].map(|limit| random.below(limit));
        Wish {
            password: random.bytes(password),
            salt: random.bytes(salt),
            cost: 1 + random.below(highest) as u32,
            target: vec![0; size],
        }
    }
}

/// Returns sizes around each border of the kernels: blocks, and from where on vectors are used.
pub(crate) fn around_borders() -> impl Iterator<Item = usize> {
    let around = |size: usize| size - 65..=size + 65;
    let million = (1 << 20) - 1..=(1 << 20) + 1;
    (0..=2100).chain(around(4096)).chain(around(16 << 10)).chain(million)
}
