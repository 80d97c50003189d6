//! The report of what the kernel supports here, with reasons for what it does not, as JSON.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;

use millrace_core::Error;

use crate::algorithm::Algorithm;
use crate::cipher::max_message;
use crate::failure;
use crate::interface::{Interface, device_path};
use crate::support::{Support, decided, preferred, probe, support};

/// Returns `{"restriction":null,"device":"/dev/crypto","af_alg":{"sha256":{..},..},
/// "cryptodev":{..},"kernel":{..}}`. `ask` asks the kernel for every algorithm first.
///
/// For `af_alg` and `cryptodev`, an algorithm is `{}` if the kernel was not asked for it,
/// `{"reason":".."}` if it is not supported, else `{"driver":".."}` with the kernel's name of the
/// driver (`""` if unknown), `"accelerator":true|false` for cryptodev, and `"maxMessage"` where a
/// message must be sent in one piece. `kernel` names the interface that this engine uses:
/// `{"interface":"af_alg"}`.
pub fn report(ask: bool) -> String {
    let restriction = failure::restriction().map_or("null".into(), |level| level.to_string());
    let mut json = format!("{{\"restriction\":{restriction},\"device\":");
    write_text(&mut json, &device_path().to_string_lossy());
    if ask {
        for algorithm in Algorithm::all() {
            for interface in Interface::ALL {
                let _ = probe(interface, algorithm);
            }
            let _ = preferred(algorithm);
        }
    }
    let drivers = drivers();
    for interface in Interface::ALL {
        write_algorithms(&mut json, interface.name(), |json, algorithm| {
            write_support(json, interface, algorithm, &drivers);
        });
    }
    write_algorithms(&mut json, "kernel", |json, algorithm| match decided(algorithm) {
        None if !ask => json.push_str("{}"),
        Some(interface) => {
            let _ = write!(json, "{{\"interface\":\"{}\"}}", interface.name());
        }
        None => write_reason(json, preferred(algorithm).err()),
    });
    json.push('}');
    json
}

fn write_algorithms(json: &mut String, name: &str, mut each: impl FnMut(&mut String, Algorithm)) {
    let _ = write!(json, ",\"{name}\":{{");
    for (index, algorithm) in Algorithm::all().enumerate() {
        if index > 0 {
            json.push(',');
        }
        let _ = write!(json, "\"{}\":", algorithm.name());
        each(json, algorithm);
    }
    json.push('}');
}

fn write_support(
    json: &mut String,
    interface: Interface,
    algorithm: Algorithm,
    drivers: &HashMap<String, String>,
) {
    match support(interface, algorithm) {
        Support::NotAsked => json.push_str("{}"),
        Support::Unavailable(reason) => write_reason(json, Some(Error::Unavailable(reason))),
        Support::Available(driver) => {
            let name = match (&driver, algorithm.af_alg()) {
                (Some(driver), _) => driver.name.as_str(),
                (None, Some((_, name))) => drivers.get(&name).map_or("", String::as_str),
                (None, None) => "",
            };
            json.push_str("{\"driver\":");
            write_text(json, name);
            if let Some(driver) = &driver {
                let _ = write!(json, ",\"accelerator\":{}", driver.accelerator);
            }
            if let Some(max) = max_message(interface, algorithm) {
                let _ = write!(json, ",\"maxMessage\":{max}");
            }
            json.push('}');
        }
    }
}

fn write_reason(json: &mut String, error: Option<Error>) {
    json.push_str("{\"reason\":");
    write_text(json, error.map_or("", Error::message));
    json.push('}');
}

fn write_text(json: &mut String, text: &str) {
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            '\0'..='\x1f' => json.push('?'),
            _ => json.push(letter),
        }
    }
    json.push('"');
}

/// Returns the driver of each algorithm in /proc/crypto. The kernel uses the one with the highest
/// priority.
fn drivers() -> HashMap<String, String> {
    let mut drivers = HashMap::<String, (i64, String)>::new();
    for entry in fs::read_to_string("/proc/crypto").unwrap_or_default().split("\n\n") {
        let field = |name: &str| {
            let line = entry
                .lines()
                .find(|line| line.split(':').next().is_some_and(|start| start.trim() == name))?;
            line.split_once(':').map(|(_, value)| value.trim().to_owned())
        };
        let (Some(name), Some(driver)) = (field("name"), field("driver")) else { continue };
        let priority = field("priority").and_then(|priority| priority.parse().ok()).unwrap_or(0);
        if drivers.get(&name).is_none_or(|(least, _)| priority > *least) {
            drivers.insert(name, (priority, driver));
        }
    }
    drivers.into_iter().map(|(name, (_, driver))| (name, driver)).collect()
}
