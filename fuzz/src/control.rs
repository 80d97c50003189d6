//! What a fuzzer must find, and cannot by chance: that it does shows that coverage guides it.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // One comparison after the other, as coverage sees branches.
    let right = b"millrace".iter().enumerate().all(|(at, byte)| data.get(at) == Some(byte));
    assert!(!right, "the control is found");
});
