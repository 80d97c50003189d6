//! The report of `engines()`: libraries and instructions by algorithm.

use std::fmt::Write;

use super::service::{Code, Service};
use crate::catalog::{CIPHERS, HASHES};
use crate::cpu::features::features;
use crate::{cpu, kdf};

/// Returns the native engine as JSON: `{"native":{..}}` with `available`, `libraries`, `cpu`,
/// `algorithms` and `derivations`.
pub fn report_json() -> String {
    let mut json = String::from("{\"native\":{\"available\":true,\"libraries\":{");
    for (index, (name, version)) in cpu::libraries().iter().enumerate() {
        separate(&mut json, index);
        let _ = write!(json, "\"{name}\":\"{version}\"");
    }
    let _ = write!(json, "}},\"cpu\":{{\"arch\":\"{}\",\"features\":", std::env::consts::ARCH);
    write_names(&mut json, features());
    json.push_str("},\"algorithms\":{");
    let hashes = HASHES.iter().map(|facts| (facts.name, cpu::serves_hash(facts.hash)));
    let ciphers = CIPHERS.iter().map(|facts| (facts.name, cpu::serves_cipher(facts.cipher)));
    for (index, (name, service)) in hashes.chain(ciphers).enumerate() {
        separate(&mut json, index);
        let _ = write!(json, "\"{name}\":");
        write_service(&mut json, &service);
    }
    json.push_str("},\"derivations\":{");
    for (index, ([kind, name], service)) in kdf::serves().enumerate() {
        separate(&mut json, index);
        let _ = write!(json, "\"{kind}{name}\":");
        write_service(&mut json, &service);
    }
    json.push_str("}}}");
    json
}

fn write_service(json: &mut String, service: &Service) {
    let Service { code, short, parts, incremental, .. } = service;
    json.push('{');
    write_code(json, code);
    if let Some((most, code)) = short {
        let _ = write!(json, ",\"short\":{{\"upTo\":{most},");
        write_code(json, code);
        json.push('}');
    }
    for (name, other) in [("parts", parts), ("incremental", incremental)] {
        if (other.library, other.with) != (code.library, code.with) {
            let _ = write!(json, ",\"{name}\":{{");
            write_code(json, other);
            json.push('}');
        }
    }
    if let Some((messages, instructions)) = service.lanes {
        let _ = write!(json, ",\"lanes\":{{\"messages\":{messages},\"instructions\":");
        write_names(json, instructions.iter().copied());
        json.push('}');
    }
    json.push('}');
}

fn write_code(json: &mut String, code: &Code) {
    let _ = write!(json, "\"library\":\"{}\",\"instructions\":", code.library);
    write_names(json, code.instructions.iter().copied());
    let _ = write!(json, ",\"hardware\":{}", code.hardware());
    if !code.with.is_empty() {
        json.push_str(",\"with\":");
        write_names(json, code.with.iter().copied());
    }
}

fn write_names(json: &mut String, names: impl Iterator<Item = &'static str>) {
    json.push('[');
    for (index, name) in names.enumerate() {
        separate(json, index);
        let _ = write!(json, "\"{name}\"");
    }
    json.push(']');
}

fn separate(json: &mut String, index: usize) {
    if index > 0 {
        json.push(',');
    }
}
