//! The function of JavaScript that is called during long work.
#![allow(unsafe_code)]

mod javascript {
    // SAFETY: JavaScript provides a function of this type: numbers in, a number out.
    #[link(wasm_import_module = "javascript")]
    unsafe extern "C" {
        /// Takes the progress of the work, from 0 to 1. Returns 1 if the work shall end, else 0.
        pub(super) safe fn pause(progress: f64) -> u32;
    }
}

/// Reports the progress of the work, from 0 to 1. Returns true if the work shall end.
pub(crate) fn pause(progress: f64) -> bool {
    javascript::pause(progress) != 0
}
