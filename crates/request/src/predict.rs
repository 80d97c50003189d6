//! The predicted cost of a work in nanoseconds, by the cost models of `crates/cost`.

use crate::protocol::EngineNumber;
use crate::public_keys;
use crate::work::{Operation, Work};
use millrace_cost::{cost_model, predict_messages};

/// Nanoseconds of a message in the kernel, besides one per byte: system calls, copies and
/// allocations.
const KERNEL_MESSAGE_NS: u64 = 6_000;

/// Nanoseconds of a file besides its bytes: to find, open and close it, in the page cache.
const FILE_NS: u64 = 5_000;

/// Returns the predicted nanoseconds of a work.
pub fn predict(work: &Work) -> u64 {
    let (source, target) = (work.source.size(), work.target.size());
    if work.engine != EngineNumber::Native {
        let (count, bytes) = work.messages();
        return (count as u64).saturating_mul(KERNEL_MESSAGE_NS).saturating_add(bytes as u64);
    }
    let model = cost_model(work.operation.algorithm());
    match work.operation {
        // An XOF may have more output than input.
        Operation::Hash(_) | Operation::Finish(_) | Operation::Squeeze(_) => {
            model.predict(source.saturating_add(target))
        }
        // Two hashes, each of at least one block.
        Operation::Hmac(hash) => model
            .predict(
                source.saturating_add(work.key_size()).saturating_add(2 * hash.facts().block_size),
            )
            .saturating_add(model.predict(0)),
        Operation::MacBegin(_) | Operation::MacFinish(_) => {
            model.predict(source).saturating_add(model.predict(0))
        }
        Operation::Update(_) | Operation::MacUpdate(_) => {
            model.predict(source.saturating_add(work.iv.size()))
        }
        Operation::HashPart(_) | Operation::JoinParts(_) => model.predict(source),
        Operation::HashMany(hash) | Operation::HmacMany(hash) => {
            let (count, size) = work.messages();
            predict_messages(hash, size, count)
        }
        Operation::HashFile(_) => {
            model.predict(work.messages().1.saturating_add(target)).saturating_add(FILE_NS)
        }
        // The sizes of the files are not known yet.
        Operation::HashFiles(_) => FILE_NS.saturating_mul(work.messages().0 as u64),
        Operation::Encrypt(_) | Operation::Decrypt(_) => {
            model.predict(source.saturating_add(work.aad.size()))
        }
        Operation::SealChunks(_) | Operation::OpenChunks(_) | Operation::CipherUpdate(_) => {
            model.predict(source)
        }
        Operation::PublicKey => public_keys::predict(work),
        Operation::Derive => work.derivation.predict(work.aad.read(), target, &|hash| {
            predict_messages(hash, hash.facts().block_size, 1)
        }),
    }
}
