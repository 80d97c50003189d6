//! scrypt: the vectors of RFC 7914, another library over random parameters, jobs together and alone, limits.

mod support;

use millrace_core::Error;
use millrace_core::kdf::Memory;
use millrace_core::kdf::scrypt::{self, Cost, Job};
use millrace_core::pace::{Pace, Unpaced};
use support::{Random, hex};

fn derive(n: u64, r: u32, p: u32, password: &[u8], salt: &[u8], size: usize) -> Vec<u8> {
    let mut target = vec![0; size];
    scrypt::derive(&Cost::new(n, r).expect("a cost"), password, salt, p, &mut target).expect("derived");
    target
}

/// RFC 7914, section 12.
#[test]
fn vectors_of_the_standard() {
    for (password, salt, n, r, p, expected) in [
        (
            "",
            "",
            16,
            1,
            1,
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
        ),
        (
            "password",
            "NaCl",
            1024,
            8,
            16,
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
        ),
        (
            "pleaseletmein",
            "SodiumChloride",
            16384,
            8,
            1,
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
        ),
        (
            "pleaseletmein",
            "SodiumChloride",
            1048576,
            8,
            1,
            "2101cb9b6a511aaeaddbbe09cf70f881ec568d574a2ffd4dabe5ee9820adaa478e56fd8f4ba5d09ffa1c6d927c40f4c337304049e8a952fbcbf45c6fa77a41a4",
        ),
    ] {
        assert_eq!(hex(&derive(n, r, p, password.as_bytes(), salt.as_bytes(), 64)), expected, "{n} {r} {p}");
    }
}
