//! The contract of engines in other crates, and the report of the engine in this one.
//!
//! The operations check every size against the catalog before they compute, or call an
//! [`ExternalMac`] or [`ExternalCipher`], which is chosen at run time.

mod external;
mod report;
pub(crate) mod service;

pub use external::{ExternalCipher, ExternalMac};
pub use report::report_json;
