//! Prints the catalog as JSON, from which the TypeScript tables are generated.

use millrace_core::catalog::{CIPHERS, HASHES, Parameter, ParameterRange};

fn main() {
    println!("{}", to_json());
}

/// Returns the whole catalog as JSON: `{"parameters":[...],"hashes":[...],"ciphers":[...]}`, each
/// in the order of its numbers. The strings of the table are written as they are: a test checks
/// that none needs an escape.
pub fn to_json() -> String {
    let hashes = HASHES.iter().map(|facts| {
        format!(
            "{{\"id\":{},\"name\":{:?},\"aliases\":{:?},\
             \"digestSize\":{},\"blockSize\":{},\"stateSize\":{},\"xof\":{},\"tuple\":{},\
             \"keyRequired\":{},\"direct\":{},\"seedBits\":{},\"hmac\":{},\
             \"oneWay\":{},\"cryptographic\":{},\"broken\":{},\"standard\":{:?},\
             \"portableCost\":{:?},\"parameters\":{}}}",
            facts.hash as u8,
            facts.name,
            facts.aliases,
            facts.digest_size,
            facts.block_size,
            facts.state_size,
            facts.xof,
            facts.tuple,
            facts.key_required,
            !facts.tuple && !facts.key_required,
            facts.seed_bits,
            facts.hmac,
            facts.one_way,
            facts.cryptographic,
            facts.broken,
            facts.standard,
            facts.portable_cost,
            parameters_json(facts.parameters),
        )
    });
    let ciphers = CIPHERS.iter().map(|facts| {
        format!(
            "{{\"id\":{},\"name\":{:?},\"aliases\":{:?},\
             \"keySize\":{},\"ivSize\":{},\"ivMax\":{},\"aead\":{},\"tagSize\":{},\"tagMin\":{},\
             \"maxSource\":{},\"maxAad\":{},\"standard\":{:?},\"portableCost\":{:?}}}",
            facts.cipher as u8,
            facts.name,
            facts.aliases,
            facts.key_size,
            facts.iv_size,
            facts.iv_max,
            facts.aead,
            facts.tag_size,
            facts.tag_min,
            facts.max_source,
            facts.max_aad,
            facts.standard,
            facts.portable_cost,
        )
    });
    format!(
        "{{\"parameters\":{:?},\"hashes\":[{}],\"ciphers\":[{}]}}",
        Parameter::NAMES,
        joined(hashes),
        joined(ciphers),
    )
}

fn parameters_json(ranges: &[ParameterRange]) -> String {
    if ranges.is_empty() {
        return "null".into();
    }
    let ranges = ranges.iter().map(|ParameterRange { parameter, least, most }| {
        format!("{:?}:[{least},{most}]", Parameter::NAMES[*parameter as usize])
    });
    format!("{{{}}}", joined(ranges))
}

/// Returns the items of a JSON array or object.
fn joined(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(",")
}
