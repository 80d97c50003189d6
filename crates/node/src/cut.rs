//! A large message cut into parts, which can be worked on in any order: by one worker in slices, or by several (`parts`).

use crate::bytes::{self, Window};
use crate::files::Found;
use crate::pacer::Pacer;
use crate::work::{Operation, Reply, Status, TAG_MAX, Target, Work};
use millrace_core::allocate::try_with_capacity;
use millrace_core::cipher::CipherKey;
use millrace_core::hash::Params;
use millrace_core::pace::Pace;
use millrace_core::split::{HashMessage, HashPart, Message, PART_ALIGN, Partial};

/// Goes through the parts of a cipher's message one after the other.
pub(crate) fn alone(work: &Work, key: &CipherKey, reply: &mut Reply, pacer: &mut Pacer<'_, '_>) -> Result<(), Status> {
    let cut = Cut::cipher(work, key, pacer.slice, pacer)?;
    let mut pieces = try_with_capacity(cut.count)?;
    let parts = (0..cut.count).try_for_each(|index| {
        pieces.push(Some(cut.part(index)?));
        Ok(pacer.goes_on()?)
    });
    parts.and_then(|()| cut.join(work, &pieces, reply)).inspect_err(|_| cut.erase(pacer))
}

/// A message cut into parts of one size.
pub(crate) struct Cut {
    message: Kind,
    source: Window,
    target: Window,
    part: usize,
    pub(crate) count: usize,
}

enum Kind {
    Apply(Message),
    Seal(Message),
    Open(Message),
    Hash(HashMessage),
    /// It stands in a file.
    File(HashMessage, Found),
}

/// What a part came to.
pub(crate) enum Piece {
    Text(Partial),
    Hash(HashPart),
}

impl Cut {
    /// The message of a work that can be cut, in parts of about `part` bytes.
    pub(crate) fn new(work: &Work, part: usize, pace: &mut impl Pace) -> Result<Cut, Status> {
        match work.operation {
            Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
                let mut cut = Err(Status::Internal);
                work.with_key(cipher, |key| {
                    cut = Cut::cipher(work, key, part, pace);
                    Ok(())
                })?;
                cut
            }
            Operation::Hash(hash) => {
                let key = work.hash_key(hash)?;
                let params = Params { seed: work.seed, key: key.as_ref() };
                let message = HashMessage::new(hash, &params, work.source.size() as u64)?;
                let (part, count) = (message.part_size() as usize, message.count());
                Ok(Cut { message: Kind::Hash(message), source: work.source, target: Window::EMPTY, part, count })
            }
            Operation::HashFile(hash) => {
                let found = work.found()?;
                let message = HashMessage::new(hash, &Params::default(), found.size)?;
                let (part, count) = (message.part_size() as usize, message.count());
                let message = Kind::File(message, found);
                Ok(Cut { message, source: Window::EMPTY, target: Window::EMPTY, part, count })
            }
            _ => Err(Status::NotSupported),
        }
    }

    fn cipher(work: &Work, key: &CipherKey, part: usize, pace: &mut impl Pace) -> Result<Cut, Status> {
        let (mut source, Target::Memory(target)) = (work.source, work.target) else { return Err(Status::Argument) };
        if target.size() != source.size() {
            return Err(Status::Argument);
        }
        let aead = key.cipher().facts().aead;
        if !aead && (work.tag.size() > 0 || work.tag_target.size() > 0 || work.aad.size() > 0) {
            return Err(Status::TagSize);
        }
        let message = Message::new(key, work.iv.read(), work.aad.read(), source.size() as u64)?;
        let message = match work.operation {
            Operation::Encrypt(_) if aead => Kind::Seal(message),
            Operation::Decrypt(_) if aead => Kind::Open(message),
            _ => Kind::Apply(message),
        };
        if target.overlaps(source) {
            // No part may overwrite another's source.
            if !target.stands_with(source) {
                target.move_from(source, part, || pace.pause());
            }
            source = target;
        }
        let part = part.next_multiple_of(PART_ALIGN);
        Ok(Cut { message, source, target, part, count: source.size().div_ceil(part) })
    }

    pub(crate) fn part(&self, index: usize) -> Result<Piece, Status> {
        if let Kind::File(message, found) = &self.message {
            let offset = index as u64 * self.part as u64;
            let size = (found.size - offset).min(self.part as u64) as usize;
            return found.part(offset, size, |part| message.part(offset, part)).map(Piece::Hash);
        }
        let offset = index * self.part;
        let size = self.part.min(self.source.size() - offset);
        let source = self.source.part(offset, size).ok_or(Status::Internal)?;
        let text = || self.target.part(offset, size).map(|target| bytes::text(source, target)).ok_or(Status::Internal);
        let offset = offset as u64;
        Ok(match &self.message {
            Kind::Apply(message) => Piece::Text(message.apply_part(offset, text()?)?),
            Kind::Seal(message) => Piece::Text(message.seal_part(offset, text()?)?),
            Kind::Open(message) => Piece::Text(message.open_part(offset, text()?)?),
            Kind::Hash(message) | Kind::File(message, _) => Piece::Hash(message.part(offset, source.read())?),
        })
    }

    /// Makes the tag, the check of one, or the digest, of all pieces.
    pub(crate) fn join(&self, work: &Work, pieces: &[Option<Piece>], reply: &mut Reply) -> Result<(), Status> {
        let partials = pieces.iter().flatten().filter_map(|piece| match piece {
            Piece::Text(partial) => Some(partial),
            Piece::Hash(_) => None,
        });
        match &self.message {
            Kind::Apply(message) => Ok(message.tag(partials, &mut [])?),
            Kind::Seal(message) => {
                let mut tag = [0; TAG_MAX];
                let tag = tag.get_mut(..work.tag_target.size()).ok_or(Status::TagSize)?;
                message.tag(partials, tag)?;
                work.put_tag(tag, reply);
                Ok(())
            }
            Kind::Open(message) => Ok(message.verify(partials, work.tag.read())?),
            Kind::File(_, found) if !found.unchanged() => Err(Status::File),
            Kind::Hash(message) | Kind::File(message, _) => {
                let mut values: Vec<HashPart> = try_with_capacity(pieces.len())?;
                values.extend(
                    pieces
                        .iter()
                        .flatten()
                        .filter_map(|piece| if let Piece::Hash(value) = piece { Some(*value) } else { None }),
                );
                work.digest_to(reply, |target| message.finish(&values, target))
            }
        }
    }

    /// Leaves zeros in the whole target: no half of a text, and nothing unauthenticated. Not in an environment that
    /// ends, where nobody is told of a result.
    pub(crate) fn erase(&self, pacer: &mut Pacer<'_, '_>) {
        for index in 0..self.count {
            let Some(rest) = self.target.size().checked_sub(index * self.part) else { return };
            if let Some(part) = self.target.part(index * self.part, self.part.min(rest)) {
                part.exclusive().fill(0);
            }
            pacer.pause();
            if pacer.closing() {
                return;
            }
        }
    }
}
