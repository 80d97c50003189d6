//! Key derivation on CPUs with less than this one: what our own routines look at is hidden by its
//! names, and the keys must be those of other libraries, and of the definition.

use crate::support::{CHILD, run_again};

#[test]
fn hidden_instructions_give_the_same_keys() {
    if std::env::var_os(CHILD).is_some() {
        return;
    }
    let everything = "ssse3,sse4.1,sha-ni,bmi1,bmi2,avx2,avx512f";
    for (hidden, lanes) in [
        ("", "off"),
        ("avx512f", ""),
        ("sha-ni", ""),
        ("sha-ni,avx512f", ""),
        ("avx2", ""),
        (everything, ""),
        (everything, "off"),
    ] {
        let environment = [("MILLRACE_CPU_HIDE", hidden), ("MILLRACE_LANES", lanes)];
        run_again(&["another_library", "agrees_with_the_definition"], &environment, "");
    }
}
