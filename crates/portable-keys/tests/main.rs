//! The tests compare every answer with that of AWS-LC, through `millrace-public-keys`.
#![allow(clippy::unwrap_used)]

mod ed25519;
mod encodings;
#[allow(dead_code)] // of what only the other crate's tests call
#[path = "../../public-keys/tests/support.rs"]
mod support;
mod wycheproof;

use millrace_portable_keys::{Answer, Call, Status};

/// Calls an operation. Returns what it wrote.
pub(crate) fn call(
    operation: fn(Call<'_>) -> Answer,
    set: u32,
    kind: u32,
    given: &[&[u8]],
) -> Result<Vec<u8>, Status> {
    let mut inputs = [&[][..]; 4];
    inputs[..given.len()].copy_from_slice(given);
    let mut target = vec![0; 16_384];
    let size = operation(Call { set, kind, inputs, target: &mut target })?;
    target.truncate(size);
    Ok(target)
}
