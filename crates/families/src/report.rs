//! The report on what computes each algorithm, which tools/wasm.mjs writes to a file.

#![allow(unsafe_code)] // of the name that is exported

use millrace_core::engines::report_json;

use crate::memory::Target;

/// Writes the report as JSON to a place of `room` bytes. Returns its size.
#[unsafe(no_mangle)]
extern "C" fn report_write(target: Target, room: usize) -> usize {
    let text = report_json();
    let size = text.len().min(room);
    target.bytes(size).copy_from_slice(&text.as_bytes()[..size]);
    text.len()
}
