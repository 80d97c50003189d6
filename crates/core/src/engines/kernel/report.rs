//! What the kernel serves here, and why not the rest, for people and programs.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;

use super::cryptodev;
use super::names::What;
use super::reason;
use super::{Known, Way, best, find, known};
use crate::Error;
use crate::engines::report::{separate, write_text};

/// `{"restriction":null,"device":"/dev/crypto","af_alg":{"sha256":{..},..},"cryptodev":{..},"
/// kernel":{..}}`.
///
/// Of each algorithm: `{}` while it has not been asked for, `{"reason":".."}` where it is not
/// served, else `{"driver":".."}` with the kernel's name of what serves it (`""` if unknown), for
/// cryptodev `"accelerator":true|false` too, and `"maxMessage"` where a message must go through in
/// one piece. `kernel` tells which of both serves an algorithm by that name: `{"way":"af_alg"}`.
pub fn kernel_report(probe: bool) -> String {
    let mut json = String::from("{\"restriction\":");
    match reason::restriction() {
        Some(level) => {
            let _ = write!(json, "{level}");
        }
        None => json.push_str("null"),
    }
    json.push_str(",\"device\":");
    write_text(&mut json, &cryptodev::path().to_string_lossy());
    if probe {
        for what in What::all() {
            for way in Way::BOTH {
                let _ = find(way, what);
            }
            let _ = best(what);
        }
    }
    let drivers = drivers();
    for way in Way::BOTH {
        let _ = write!(json, ",\"{}\":{{", way.name());
        for (index, what) in What::all().enumerate() {
            separate(&mut json, index);
            let _ = write!(json, "\"{}\":", what.name());
            write_known(&mut json, way, what, &drivers);
        }
        json.push('}');
    }
    json.push_str(",\"kernel\":{");
    for (index, what) in What::all().enumerate() {
        separate(&mut json, index);
        let _ = write!(json, "\"{}\":", what.name());
        match super::chosen(what) {
            None if !probe => json.push_str("{}"),
            Some(way) => {
                let _ = write!(json, "{{\"way\":\"{}\"}}", way.name());
            }
            None => write_reason(&mut json, &best(what).err()),
        }
    }
    json.push_str("}}");
    json
}

fn write_known(json: &mut String, way: Way, what: What, drivers: &HashMap<String, String>) {
    match known(way, what) {
        Known::Nothing => json.push_str("{}"),
        Known::Fails(reason) => write_reason(json, &Some(Error::Unavailable(reason))),
        Known::Works(driver) => {
            let name = match (&driver, what.of_sockets()) {
                (Some(driver), _) => driver.name.as_str(),
                (None, Some((_, name))) => drivers.get(&name).map_or("", String::as_str),
                (None, None) => "",
            };
            json.push_str("{\"driver\":");
            write_text(json, name);
            if let Some(driver) = &driver {
                let _ = write!(json, ",\"accelerator\":{}", driver.accelerator);
            }
            if let Some(most) = way.most(what) {
                let _ = write!(json, ",\"maxMessage\":{most}");
            }
            json.push('}');
        }
    }
}

fn write_reason(json: &mut String, error: &Option<Error>) {
    let reason = match error {
        Some(Error::Unavailable(reason)) => reason,
        Some(error) => error.message(),
        None => "",
    };
    json.push_str("{\"reason\":");
    write_text(json, reason);
    json.push('}');
}

/// The driver of each algorithm that the kernel has loaded: of several the one with the highest
/// priority serves.
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
