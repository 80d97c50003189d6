//! A large message cut into parts, which can be worked on in any order: by one worker in slices, or
//! by several (`parts`).

use crate::bytes::{self, Window};
use crate::checkpoint::JobCheckpoint;
use crate::files::OpenedFile;
use crate::work::{Operation, Reply, Status, TAG_MAX, Target, Work};
use millrace_core::allocate::try_with_capacity;
use millrace_core::checkpoint::Checkpoint;
use millrace_core::cipher::CipherKey;
use millrace_core::hash::Params;
use millrace_core::split::{HashMessage, HashPart, Message, PART_ALIGN, PartialTag};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Goes through the parts of a cipher's message one after the other; without a checkpoint there is one
/// part.
pub(crate) fn run_sequential(
    work: &Work,
    key: &CipherKey,
    reply: &mut Reply,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let part = checkpoint.as_ref().map_or(work.source.size().max(1), |checkpoint| checkpoint.slice);
    let plan = RangePlan::cipher(work, key, part, || {
        checkpoint.iter_mut().for_each(|checkpoint| checkpoint.checkpoint())
    })?;
    let mut go = || -> Result<(), Status> {
        let mut results = try_with_capacity(plan.count)?;
        for pass in 0..plan.passes() {
            if pass > 0 {
                plan.turn(work, &results)?;
            }
            for index in 0..plan.count {
                let result = plan.part(pass, index)?;
                if pass == 0 {
                    results.push(Some(result));
                }
                checkpoint.as_mut().map_or(Ok(()), |checkpoint| checkpoint.check())?;
            }
        }
        plan.join(work, &results, reply)
    };
    go().inspect_err(|_| plan.erase(checkpoint))
}

/// A message cut into parts of one size.
///
/// Most messages take one pass over their parts. A message takes two if the first must not write:
/// text that is opened into memory which others can read, and text whose tag must be known before
/// it is encrypted.
pub(crate) struct RangePlan {
    message: Kind,
    source: Window,
    target: Window,
    part: usize,
    pub(crate) count: usize,
    /// The tag, for the second pass, or the one to check.
    tag: OnceLock<([u8; TAG_MAX], usize)>,
    /// Parts from the first on that may have been written.
    written: AtomicUsize,
}

enum Kind {
    Apply(Message),
    Seal(Message),
    SealTwice(Message),
    Open(Message),
    OpenTwice(Message),
    Hash(HashMessage),
    /// It stands in a file.
    File(HashMessage, OpenedFile),
}

/// What a part came to.
pub(crate) enum PartialResult {
    Text(PartialTag),
    Hash(HashPart),
    /// It is written; there is no more to it.
    Written,
}

impl RangePlan {
    fn over(message: Kind, [source, target]: [Window; 2], part: usize, count: usize) -> RangePlan {
        RangePlan {
            message,
            source,
            target,
            part,
            count,
            tag: OnceLock::new(),
            written: AtomicUsize::new(0),
        }
    }

    /// The message of a work that can be cut, in parts of about `part` bytes.
    pub(crate) fn new(
        work: &Work,
        part: usize,
        checkpoint: &mut impl Checkpoint,
    ) -> Result<RangePlan, Status> {
        match work.operation {
            Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
                let mut plan = Err(Status::Internal);
                work.with_key(cipher, |key| {
                    plan = RangePlan::cipher(work, key, part, || checkpoint.checkpoint());
                    Ok(())
                })?;
                plan
            }
            Operation::Hash(hash) => {
                let key = work.hash_key(hash)?;
                let params = Params { seed: work.seed, key: key.as_ref() };
                let message = HashMessage::new(hash, &params, work.source.size() as u64)?;
                let (part, count) = (message.part_size() as usize, message.count());
                Ok(RangePlan::over(Kind::Hash(message), [work.source, Window::EMPTY], part, count))
            }
            Operation::HashFile(hash) => {
                let opened = work.opened()?;
                let message = HashMessage::new(hash, &Params::default(), opened.size)?;
                let (part, count) = (message.part_size() as usize, message.count());
                Ok(RangePlan::over(Kind::File(message, opened), [Window::EMPTY; 2], part, count))
            }
            _ => Err(Status::NotSupported),
        }
    }

    fn cipher(
        work: &Work,
        key: &CipherKey,
        part: usize,
        pause: impl FnMut(),
    ) -> Result<RangePlan, Status> {
        let (mut source, Target::Memory(target)) = (work.source, work.target) else {
            return Err(Status::Argument);
        };
        if target.size() != source.size() {
            return Err(Status::Argument);
        }
        let aead = key.cipher().facts().aead;
        if !aead && (work.tag.size() > 0 || work.tag_target.size() > 0 || work.aad.size() > 0) {
            return Err(Status::TagSize);
        }
        let message = Message::new(key, work.iv.read(), work.aad.read(), source.size() as u64)?;
        let message = match work.operation {
            Operation::Encrypt(_) if key.seals_in_two_passes() => Kind::SealTwice(message),
            Operation::Encrypt(_) if aead => Kind::Seal(message),
            Operation::Decrypt(_) if aead && work.lent => Kind::OpenTwice(message),
            Operation::Decrypt(_) if aead => Kind::Open(message),
            _ => Kind::Apply(message),
        };
        if target.overlaps(source) {
            // No part may overwrite another's source.
            if !target.stands_with(source) {
                target.move_from(source, part, pause);
            }
            source = target;
        }
        let part = part.next_multiple_of(PART_ALIGN);
        let plan = RangePlan::over(message, [source, target], part, source.size().div_ceil(part));
        if matches!(plan.message, Kind::Open(_) | Kind::OpenTwice(_)) {
            // Copied, as the text may be written over it.
            plan.keep_tag(work.tag.read())?;
        }
        Ok(plan)
    }

    /// How often each part is worked on.
    pub(crate) fn passes(&self) -> usize {
        if matches!(self.message, Kind::SealTwice(_) | Kind::OpenTwice(_)) { 2 } else { 1 }
    }

    fn keep_tag(&self, tag: &[u8]) -> Result<(), Status> {
        let mut place = [0; TAG_MAX];
        place.get_mut(..tag.len()).ok_or(Status::TagSize)?.copy_from_slice(tag);
        self.tag.get_or_init(|| (place, tag.len()));
        Ok(())
    }

    fn tag(&self) -> Result<&[u8], Status> {
        self.tag.get().map(|(tag, size)| &tag[..*size]).ok_or(Status::Internal)
    }

    pub(crate) fn part(&self, pass: usize, index: usize) -> Result<PartialResult, Status> {
        if let Kind::File(message, opened) = &self.message {
            let offset = index as u64 * self.part as u64;
            let size = (opened.size - offset).min(self.part as u64) as usize;
            return opened
                .part(offset, size, |part| message.part(offset, part))
                .map(PartialResult::Hash);
        }
        let offset = index * self.part;
        let size = self.part.min(self.source.size() - offset);
        let source = self.source.part(offset, size).ok_or(Status::Internal)?;
        let target = self.target.part(offset, size).unwrap_or(Window::EMPTY);
        let text = || {
            self.written.fetch_max(index + 1, Ordering::Relaxed);
            bytes::text(&source, &target, &[]).ok_or(Status::Internal)
        };
        let offset = offset as u64;
        Ok(match &self.message {
            Kind::Apply(message) => PartialResult::Text(message.apply_part(offset, text()?)?),
            Kind::Seal(message) => PartialResult::Text(message.seal_part(offset, text()?)?),
            Kind::Open(message) => {
                PartialResult::Text(message.open_part(offset, text()?, self.tag()?)?)
            }
            Kind::SealTwice(message) if pass == 0 => {
                PartialResult::Text(message.authenticate_plain(offset, source.read())?)
            }
            Kind::OpenTwice(message) if pass == 0 => PartialResult::Text(
                message.authenticate_sealed(offset, source.read(), self.tag()?)?,
            ),
            Kind::SealTwice(message) | Kind::OpenTwice(message) => {
                message.xor_part(offset, text()?, self.tag()?)?;
                PartialResult::Written
            }
            Kind::Hash(message) | Kind::File(message, _) => {
                PartialResult::Hash(message.part(offset, source.read())?)
            }
        })
    }

    /// Between two passes: makes the tag, or checks it, of all results.
    pub(crate) fn turn(
        &self,
        work: &Work,
        results: &[Option<PartialResult>],
    ) -> Result<(), Status> {
        match &self.message {
            Kind::OpenTwice(message) => Ok(message.verify(partials(results), self.tag()?)?),
            Kind::SealTwice(message) => {
                let mut tag = [0; TAG_MAX];
                let tag = tag.get_mut(..work.tag_target.size()).ok_or(Status::TagSize)?;
                message.tag(partials(results), tag)?;
                self.keep_tag(tag)
            }
            _ => Ok(()),
        }
    }

    /// After the last pass: makes the tag, the check of one, or the digest, of all results.
    pub(crate) fn join(
        &self,
        work: &Work,
        results: &[Option<PartialResult>],
        reply: &mut Reply,
    ) -> Result<(), Status> {
        match &self.message {
            Kind::Apply(message) => Ok(message.tag(partials(results), &mut [])?),
            Kind::Seal(message) => {
                let mut tag = [0; TAG_MAX];
                let tag = tag.get_mut(..work.tag_target.size()).ok_or(Status::TagSize)?;
                message.tag(partials(results), tag)?;
                work.put_tag(tag, reply);
                Ok(())
            }
            Kind::SealTwice(_) => {
                work.put_tag(self.tag()?, reply);
                Ok(())
            }
            Kind::Open(message) => Ok(message.verify(partials(results), self.tag()?)?),
            Kind::OpenTwice(_) => Ok(()),
            Kind::File(_, opened) if !opened.unchanged() => Err(Status::File),
            Kind::Hash(message) | Kind::File(message, _) => {
                let mut values: Vec<HashPart> = try_with_capacity(results.len())?;
                values.extend(results.iter().flatten().filter_map(|result| {
                    if let PartialResult::Hash(value) = result { Some(*value) } else { None }
                }));
                work.digest_to(reply, |target| message.finish(&values, target))
            }
        }
    }

    /// Leaves zeros in the whole target: no half of a text, and nothing unauthenticated. In an
    /// environment that ends it overwrites only what has been decrypted: nobody is told of a
    /// result, but others may share the memory.
    pub(crate) fn erase(&self, mut checkpoint: Option<&mut JobCheckpoint<'_>>) {
        let opens = matches!(self.message, Kind::Open(_) | Kind::OpenTwice(_));
        for index in 0..self.count {
            let closing = checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.is_closing());
            if closing && !(opens && index < self.written.load(Ordering::Relaxed)) {
                return;
            }
            let Some(rest) = self.target.size().checked_sub(index * self.part) else { return };
            if let Some(part) = self.target.part(index * self.part, self.part.min(rest)) {
                part.clear();
            }
            if let Some(checkpoint) = &mut checkpoint
                && !closing
            {
                checkpoint.checkpoint();
            }
        }
    }
}

/// What the parts of a cipher's message add to its tag.
fn partials(results: &[Option<PartialResult>]) -> impl Iterator<Item = &PartialTag> {
    results.iter().flatten().filter_map(|result| match result {
        PartialResult::Text(partial) => Some(partial),
        PartialResult::Hash(_) | PartialResult::Written => None,
    })
}
