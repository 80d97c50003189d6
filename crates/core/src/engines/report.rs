//! The report of `engines()`: libraries and instructions by algorithm.

use super::service::{Code, Names, Service};
use crate::catalog::{CIPHERS, HASHES, joined};
use crate::cpu::features::features;
use crate::{cpu, kdf};

/// Returns the native engine as JSON: `{"native":{..}}` with `available`, `libraries`, `cpu`,
/// `algorithms` and `derivations`.
pub fn report_json() -> String {
    let libraries = cpu::libraries().map(|(name, version)| format!("\"{name}\":\"{version}\""));
    let hashes = HASHES.iter().map(|facts| (facts.name, cpu::serves_hash(facts.hash)));
    let ciphers = CIPHERS.iter().map(|facts| (facts.name, cpu::serves_cipher(facts.cipher)));
    let algorithms =
        hashes.chain(ciphers).map(|(name, service)| (["", name], service)).map(service_json);
    let derivations = kdf::serves().map(service_json);
    format!(
        "{{\"native\":{{\"available\":true,\"libraries\":{{{}}},\
         \"cpu\":{{\"arch\":\"{}\",\"features\":{}}},\
         \"algorithms\":{{{}}},\"derivations\":{{{}}}}}}}",
        joined(libraries),
        std::env::consts::ARCH,
        names_json(features()),
        joined(algorithms),
        joined(derivations),
    )
}

/// Returns the entry of an algorithm, whose name has two parts.
fn service_json(([kind, name], service): ([&str; 2], Service)) -> String {
    let Service { code, short, parts, incremental, lanes } = &service;
    let mut json = format!("\"{kind}{name}\":{{{}", code_json(code));
    if let Some((most, code)) = short {
        json += &format!(",\"short\":{{\"upTo\":{most},{}}}", code_json(code));
    }
    for (name, other) in [("parts", parts), ("incremental", incremental)] {
        if (other.library, other.with) != (code.library, code.with) {
            json += &format!(",\"{name}\":{{{}}}", code_json(other));
        }
    }
    if let Some((messages, instructions)) = lanes {
        let instructions = names_json(instructions.iter().copied());
        json += &format!(",\"lanes\":{{\"messages\":{messages},\"instructions\":{instructions}}}");
    }
    json + "}"
}

fn code_json(code: &Code) -> String {
    let names = |names: Names| names_json(names.iter().copied());
    let json = format!(
        "\"library\":\"{}\",\"instructions\":{},\"hardware\":{}",
        code.library,
        names(code.instructions),
        code.hardware()
    );
    if code.with.is_empty() { json } else { format!("{json},\"with\":{}", names(code.with)) }
}

fn names_json(names: impl Iterator<Item = &'static str>) -> String {
    format!("[{}]", joined(names.map(|name| format!("\"{name}\""))))
}
