//! Password hashes as strings: what parses has a canonical form and keeps to the limits.

use millrace_core::kdf::phc::{Limits, PasswordHash};

pub(crate) fn run(data: &[u8]) {
    let Ok(parsed) = PasswordHash::from_bytes(data, &Limits::NONE) else { return };
    let text = parsed.to_string();
    let again = PasswordHash::parse(&text, &Limits::NONE).expect("what is written can be read");
    assert!(again == parsed);
    assert_eq!(again.to_string(), text);
    let (memory, milliseconds) = (parsed.scheme().memory(), parsed.scheme().milliseconds());
    let parse = |memory, milliseconds| {
        PasswordHash::from_bytes(data, &Limits { memory, milliseconds }).is_ok()
    };
    assert!(parse(memory, milliseconds));
    assert!(memory == 0 || !parse(memory - 1, u64::MAX));
    assert!(milliseconds == 0 || !parse(u64::MAX, milliseconds - 1));
    let (salt, hash) = (parsed.needs_rehash(parsed.scheme(), 0, 0), text.len());
    assert!(!salt && hash > 20);
}
