//! Large messages in parts of one size, in any order: one after the other, with checkpoints in
//! between ([`run_sequential`]), or as a binding with several threads takes them.

use crate::bytes::{self, Window};
use crate::checkpoint::{JobCheckpoint, slicer};
use crate::files::{self, OpenedFile};
use crate::work::{Operation, Reply, Status, TAG_MAX, Target, Work};
use millrace_core::allocate::try_with_capacity;
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::{Checkpoint, Slicer};
use millrace_core::cipher::CipherKey;
use millrace_core::hash::Params;
use millrace_core::running_cipher::RunningCipher;
use millrace_core::split::{
    CipherMessage, HashMessage, HashPart, HashRange, PART_ALIGN, PartialTag, RangePiece,
    join_ranges,
};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Encrypts or decrypts the parts of a message one after the other, with a checkpoint after each.
/// Without a checkpoint there is one part.
///
/// # Errors
/// Those of the cipher, and [`Status::Cancelled`]. The target is then overwritten with zeros.
pub fn run_sequential(
    work: &Work,
    key: &CipherKey,
    reply: &mut Reply,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let part = checkpoint.as_ref().map_or(work.source.size().max(1), |checkpoint| checkpoint.slice);
    let plan = RangePlan::cipher(work, key, part, || {
        checkpoint.iter_mut().for_each(|checkpoint| checkpoint.checkpoint())
    })?;
    let mut run = || -> Result<(), Status> {
        if let Operation::Encrypt(_) = work.operation
            && let Some(message) = key.seal_in_order(work.iv.read(), work.aad.read())?
        {
            return plan.seal_in_order(message, work, reply, checkpoint.as_deref_mut());
        }
        let mut results = try_with_capacity(plan.count)?;
        for pass in 0..plan.passes() {
            if pass > 0 {
                plan.finish_pass(work, &results)?;
            }
            for index in 0..plan.count {
                let result = plan.part(pass, index)?;
                if pass == 0 {
                    results.push(Some(result));
                }
                checkpoint.as_mut().map_or(Ok(()), |checkpoint| checkpoint.check())?;
            }
        }
        plan.join(work, &results, reply, None)
    };
    run().inspect_err(|_| plan.erase(checkpoint))
}

/// Writes the values of a range of a message, with a checkpoint after each of its pieces.
///
/// # Errors
/// Those of [`HashRange`], and [`Status::Cancelled`].
pub fn hash_part(
    work: &Work,
    reply: &mut Reply,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let plan = RangePlan::range(work)?;
    let mut results = try_with_capacity(plan.count)?;
    for index in 0..plan.count {
        results.push(Some(plan.part(0, index)?));
        checkpoint.as_mut().map_or(Ok(()), |checkpoint| checkpoint.check())?;
    }
    plan.join(work, &results, reply, None)
}

/// Writes the digest of a message from the values of its ranges, the source.
///
/// # Errors
/// Those of [`join_ranges`].
pub fn join_parts(
    work: &Work,
    hash: Hash,
    reply: &mut Reply,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let (sizes, values) = (integers(work.iv.read()), work.source.read());
    work.with_params(hash, |params| {
        work.digest_to(reply, |target| {
            join_ranges(hash, params, sizes, values, target, slicer(&mut checkpoint))
        })
    })
}

/// Returns the 64-bit little-endian integers in these bytes.
fn integers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes))
}

/// A message in parts of one size.
///
/// Most messages take one pass over their parts. A message takes two if the first pass must not
/// write: when text is decrypted into memory that other threads can read, and when the tag must be
/// known before the text is encrypted.
pub struct RangePlan {
    kind: Kind,
    /// The tag for the second pass or to verify, and its bytes.
    tag: OnceLock<([u8; TAG_MAX], usize)>,
    source: Window,
    target: Window,
    part: usize,
    pub count: usize,
    /// The number of parts, from the first on, that may have been written.
    written: AtomicUsize,
}

/// A message with parts that are computed in one pass or in two.
enum Kind {
    Apply(CipherMessage),
    Seal(CipherMessage),
    SealTwice(CipherMessage),
    Open(CipherMessage),
    OpenTwice(CipherMessage),
    Hash(HashMessage),
    /// A message in a file.
    File(HashMessage, OpenedFile),
    /// A range of a message.
    Range(HashRange),
}

/// The result of a part.
pub enum PartialResult {
    Text(PartialTag),
    Hash(HashPart),
    Range(RangePiece),
    /// The part is written and adds nothing to tag or digest.
    Written,
}

impl RangePlan {
    fn over(kind: Kind, [source, target]: [Window; 2], part: usize, count: usize) -> RangePlan {
        let (tag, written) = (OnceLock::new(), AtomicUsize::new(0));
        RangePlan { kind, tag, source, target, part, count, written }
    }

    /// Plans the message of a work in parts of about `part` bytes.
    ///
    /// # Errors
    /// [`Status::NotSupported`] for an operation without parts, and those of the operation.
    pub fn new(
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
                let size = work.source.size() as u64;
                let message =
                    work.with_params(hash, |params| Ok(HashMessage::new(hash, params, size)?))?;
                let (part, count) = (message.part_size() as usize, message.count());
                Ok(RangePlan::over(Kind::Hash(message), [work.source, Window::EMPTY], part, count))
            }
            Operation::HashFile(hash) => {
                let opened = files::open(work)?;
                let message = HashMessage::new(hash, &Params::default(), opened.size)?;
                let (part, count) = (message.part_size() as usize, message.count());
                Ok(RangePlan::over(Kind::File(message, opened), [Window::EMPTY; 2], part, count))
            }
            Operation::HashPart(_) => RangePlan::range(work),
            _ => Err(Status::NotSupported),
        }
    }

    /// Plans the range of a message, of which the iv has the offset, and of a tree what its leaves
    /// are and whether it is the root's.
    fn range(work: &Work) -> Result<RangePlan, Status> {
        let Operation::HashPart(hash) = work.operation else { return Err(Status::Internal) };
        let mut numbers = integers(work.iv.read());
        let mut next = || numbers.next().ok_or(Status::Argument);
        let offset = next()?;
        let tree = if work.iv.size() > 8 { Some([offset, next()?, next()?]) } else { None };
        let range = work.with_params(hash, |params| {
            Ok(match tree {
                Some(numbers) => HashRange::tree(hash, params, numbers)?,
                None => HashRange::new(hash, params, offset)?,
            })
        })?;
        let count = work.source.size().div_ceil(HashRange::PIECE);
        let windows = [work.source, Window::EMPTY];
        Ok(RangePlan::over(Kind::Range(range), windows, HashRange::PIECE, count))
    }

    /// Plans the message of a cipher's work.
    ///
    /// # Errors
    /// [`Status::TagSize`] for a stream cipher with a tag or an aad, and those of the cipher.
    fn cipher(
        work: &Work,
        key: &CipherKey,
        part: usize,
        pause: impl FnMut(),
    ) -> Result<RangePlan, Status> {
        let (source, Target::Memory(target)) = (work.source, work.target) else {
            return Err(Status::Argument);
        };
        let size = source.size();
        if target.size() != size {
            return Err(Status::Argument);
        }
        let aead = key.cipher().facts().aead;
        if !aead && (work.tag.size() > 0 || work.tag_target.size() > 0 || work.aad.size() > 0) {
            return Err(Status::TagSize);
        }
        let message = CipherMessage::new(key, work.iv.read(), work.aad.read(), size as u64)?;
        let kind = match work.operation {
            Operation::Encrypt(_) if key.seals_in_two_passes() => Kind::SealTwice(message),
            Operation::Encrypt(_) if aead => Kind::Seal(message),
            Operation::Decrypt(_) if aead && work.lent => Kind::OpenTwice(message),
            Operation::Decrypt(_) if aead => Kind::Open(message),
            _ => Kind::Apply(message),
        };
        // Parts are computed in any order: none may overwrite the source of another.
        let in_place = target.overlaps(source);
        let windows = [if in_place { target } else { source }, target];
        let aligned = part.next_multiple_of(PART_ALIGN);
        let plan = RangePlan::over(kind, windows, aligned, size.div_ceil(aligned));
        if plan.opens() {
            // Copied because the target may overlap the tag.
            plan.keep_tag(work.tag.read())?;
        }
        if !target.is_disjoint_or_same_start(source) {
            target.move_from(source, part, pause);
        }
        Ok(plan)
    }

    /// Returns the number of passes over the parts.
    pub fn passes(&self) -> usize {
        if matches!(self.kind, Kind::SealTwice(_) | Kind::OpenTwice(_)) { 2 } else { 1 }
    }

    fn opens(&self) -> bool {
        matches!(self.kind, Kind::Open(_) | Kind::OpenTwice(_))
    }

    /// Computes a part in a pass. The target is not used by one that does not write.
    pub fn part(&self, pass: usize, index: usize) -> Result<PartialResult, Status> {
        if let Kind::File(message, opened) = &self.kind {
            let offset = index as u64 * self.part as u64;
            let size = (opened.size - offset).min(self.part as u64) as usize;
            return opened
                .part(offset, size, |part| message.part(offset, part))
                .map(PartialResult::Hash);
        }
        let (offset, [source, target]) = self.windows(index)?;
        if !matches!(self.kind, Kind::Hash(_) | Kind::Range(_)) && pass + 1 == self.passes() {
            self.written.fetch_max(index + 1, Ordering::Relaxed);
        }
        let text = || bytes::text(&source, &target, &[]).ok_or(Status::Internal);
        let offset = offset as u64;
        Ok(match &self.kind {
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
            Kind::Range(range) => PartialResult::Range(range.piece(offset, source.read())?),
        })
    }

    /// Returns where a part is within the message, and its source and target.
    fn windows(&self, index: usize) -> Result<(usize, [Window; 2]), Status> {
        let offset = index * self.part;
        let size = self.part.min(self.source.size() - offset);
        let source = self.source.part(offset, size).ok_or(Status::Internal)?;
        Ok((offset, [source, self.target.part(offset, size).unwrap_or(Window::EMPTY)]))
    }

    /// Encrypts the parts from the first to the last, and writes the tag.
    fn seal_in_order(
        &self,
        mut message: RunningCipher,
        work: &Work,
        reply: &mut Reply,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        for index in 0..self.count {
            let (_, [source, target]) = self.windows(index)?;
            message.update(bytes::text(&source, &target, &[]).ok_or(Status::Internal)?)?;
            checkpoint.as_mut().map_or(Ok(()), |checkpoint| checkpoint.check())?;
        }
        let mut tag = [0; TAG_MAX];
        let tag = tag.get_mut(..work.tag_target.size()).ok_or(Status::TagSize)?;
        message.finish(tag)?;
        work.put_tag(tag, reply);
        Ok(())
    }

    /// Computes, between two passes, the tag of all results, or verifies it.
    pub fn finish_pass(
        &self,
        work: &Work,
        results: &[Option<PartialResult>],
    ) -> Result<(), Status> {
        match &self.kind {
            Kind::OpenTwice(message) => Ok(message.verify(partials(results), self.tag()?)?),
            Kind::SealTwice(message) => self.make_tag(message, work, results),
            _ => Ok(()),
        }
    }

    /// Writes, after the last pass, the tag or the digest of all results, or verifies the tag.
    pub fn join(
        &self,
        work: &Work,
        results: &[Option<PartialResult>],
        reply: &mut Reply,
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Status> {
        match &self.kind {
            Kind::File(_, opened) if !opened.unchanged() => return Err(Status::File),
            Kind::Hash(message) | Kind::File(message, _) => {
                let mut values: Vec<&HashPart> = try_with_capacity(results.len())?;
                values.extend(results.iter().flatten().filter_map(|result| {
                    if let PartialResult::Hash(value) = result { Some(value) } else { None }
                }));
                return work.digest_to(reply, |target| message.finish(&values, target, slicer));
            }
            Kind::Range(range) => {
                let mut pieces: Vec<&RangePiece> = try_with_capacity(results.len())?;
                pieces.extend(results.iter().flatten().filter_map(|result| {
                    if let PartialResult::Range(piece) = result { Some(piece) } else { None }
                }));
                return work.digest_to(reply, |target| range.finish(&pieces, target));
            }
            Kind::Apply(message) => message.tag(partials(results), &mut [])?,
            Kind::Open(message) => message.verify(partials(results), self.tag()?)?,
            Kind::OpenTwice(_) => {}
            Kind::Seal(message) => {
                self.make_tag(message, work, results)?;
                work.put_tag(self.tag()?, reply);
            }
            Kind::SealTwice(_) => work.put_tag(self.tag()?, reply),
        }
        Ok(())
    }

    fn make_tag(
        &self,
        message: &CipherMessage,
        work: &Work,
        results: &[Option<PartialResult>],
    ) -> Result<(), Status> {
        let mut tag = [0; TAG_MAX];
        let tag = tag.get_mut(..work.tag_target.size()).ok_or(Status::TagSize)?;
        message.tag(partials(results), tag)?;
        self.keep_tag(tag)
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

    /// Overwrites the whole target with zeros, so that no incomplete or unauthenticated text
    /// remains. In an environment that ends it overwrites only decrypted text: no call reports a
    /// result, but other threads may share the memory.
    pub fn erase(&self, mut checkpoint: Option<&mut JobCheckpoint<'_>>) {
        for index in 0..self.count {
            let closing = checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.is_closing());
            if closing && !(self.opens() && index < self.written.load(Ordering::Relaxed)) {
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

/// Returns the contributions of the parts to the tag.
fn partials(results: &[Option<PartialResult>]) -> impl Iterator<Item = &PartialTag> {
    results.iter().flatten().filter_map(|result| match result {
        PartialResult::Text(partial) => Some(partial),
        PartialResult::Hash(_) | PartialResult::Range(_) | PartialResult::Written => None,
    })
}
