//! What `engines()` shows: which engine, which library, which instructions.

use std::fmt::Write;

use super::{Chosen, Derivation, Service};
use crate::catalog::{CIPHERS, HASHES};

/// All engines as JSON:
/// `{"native":{"available":true,"libraries":{..},"cpu":{..},"algorithms":{..},"derivations":{..
/// }}}`.
///
/// An engine that does not work here has `"available":false` and a `"reason"`; an algorithm that an
/// engine does not serve has only a `"reason"`.
pub fn report_json() -> String {
    let mut json = String::from("{");
    engine::<Chosen>(&mut json);
    json.push('}');
    json
}

fn engine<E: Derivation>(json: &mut String) {
    let _ = write!(json, "\"{}\":{{", E::NAME);
    match E::available() {
        Ok(()) => json.push_str("\"available\":true"),
        Err(reason) => {
            let _ = write!(json, "\"available\":false,\"reason\":\"{reason}\"");
        }
    }
    json.push_str(",\"libraries\":{");
    for (index, (name, version)) in E::libraries().iter().enumerate() {
        separate(json, index);
        let _ = write!(json, "\"{name}\":\"{version}\"");
    }
    let _ = write!(json, "}},\"cpu\":{{\"arch\":\"{}\",\"features\":", std::env::consts::ARCH);
    write_names(json, &super::native::features::features());
    json.push_str("},\"algorithms\":{");
    let hashes = HASHES.iter().map(|facts| (facts.name, E::serves_hash(facts.hash)));
    let ciphers = CIPHERS.iter().map(|facts| (facts.name, E::serves_cipher(facts.cipher)));
    for (index, (name, service)) in hashes.chain(ciphers).enumerate() {
        separate(json, index);
        let _ = write!(json, "\"{name}\":");
        write_service(json, &service);
    }
    json.push_str("},\"derivations\":{");
    for (index, (name, service)) in E::serves_derivations().into_iter().enumerate() {
        separate(json, index);
        let _ = write!(json, "\"{name}\":");
        write_service(json, &Ok(service));
    }
    json.push_str("}}");
}

fn write_service(json: &mut String, service: &Result<Service, &'static str>) {
    match service {
        Ok(service) => {
            let _ = write!(json, "{{\"library\":\"{}\",\"instructions\":", service.library);
            write_names(json, &service.instructions);
            let _ = write!(json, ",\"hardware\":{}", service.hardware());
            if let Some((messages, instructions)) = service.lanes {
                let _ = write!(json, ",\"lanes\":{{\"messages\":{messages},\"instructions\":");
                write_names(json, instructions);
                json.push('}');
            }
            json.push('}');
        }
        Err(reason) => {
            let _ = write!(json, "{{\"reason\":\"{reason}\"}}");
        }
    }
}

fn write_names(json: &mut String, names: &[&str]) {
    json.push('[');
    for (index, name) in names.iter().enumerate() {
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
