//! A mistake that the fuzzer must find before it is believed that there is none.

/// Panics for messages that begin with these bytes. Random ones do in one of 2^48 runs; with
/// feedback of coverage each byte is found by itself.
pub(super) fn run(data: &[u8]) {
    let mut matching = 0;
    for (found, byte) in data.iter().zip(b"mistake") {
        if found != byte {
            return;
        }
        matching += 1;
    }
    assert!(matching < 6, "the mistake of the control");
}
