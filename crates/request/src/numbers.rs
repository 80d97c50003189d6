//! Numbers of JavaScript.

/// Returns a JavaScript number as a size: a non-negative integer below 2^53 that a pointer can
/// span.
pub fn exact_size(number: f64) -> Option<usize> {
    // The cast saturates and maps NaN to 0; the comparison refuses any number that it changed.
    // (`fract` is a library call on x86-64 without SSE4.1: 5 ns a number.)
    let size = number as i64;
    if size as f64 != number || size >= 1 << 53 {
        return None;
    }
    usize::try_from(size).ok()
}
