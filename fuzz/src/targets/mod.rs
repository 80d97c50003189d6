//! What is done with the bytes of a fuzzer. A target panics if a property does not hold.

mod control;
mod frame;
mod input;
mod key;
mod oracle;
mod password_hash;
mod split;
mod state;

/// What a target does with some bytes.
type Target = fn(&[u8]);

/// The targets by their names, without the control.
pub(crate) const TARGETS: [(&str, Target); 6] = [
    ("frame", frame::run),
    ("key", key::run),
    ("oracle", oracle::run),
    ("password_hash", password_hash::run),
    ("split", split::run),
    ("state", state::run),
];

/// Runs a target.
pub(crate) fn run(name: &str, data: &[u8]) {
    if name == "control" {
        return control::run(data);
    }
    let (_, target) = TARGETS.iter().find(|(each, _)| *each == name).expect("a target");
    target(data);
}
