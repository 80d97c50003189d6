//! A message of a cipher in parts: one that is longer than JavaScript's window of the arena.

use millrace_core::allocate::try_with_capacity;
use millrace_request::bytes::Window;
use millrace_request::caller::Caller;
use millrace_request::decode;
use millrace_request::frame::Frame;
use millrace_request::parts::{PartedMessage, PartialResult};
use millrace_request::protocol::Status;
use millrace_request::work::{Operation, Target};

/// A message, and the results of its parts.
pub(crate) struct Parted {
    message: PartedMessage,
    results: Vec<Option<PartialResult>>,
    /// Where the tag goes, and its size.
    tag: Window,
}

impl Parted {
    /// Begins the message of `size` bytes that the frame describes, with an empty source and target
    /// and the tag, if it has one, apart. With `twice` nothing is decrypted before the message is
    /// authenticated.
    ///
    /// # Errors
    /// Those of the cipher, and [`Status::Argument`] for another operation.
    pub(crate) fn begin(call: &impl Caller, size: u64, twice: bool) -> Result<Parted, Status> {
        let mut work = decode::decode(&Frame::of(call).ok_or(Status::Internal)?)?;
        work.lent = twice;
        let (Operation::Encrypt(cipher) | Operation::Decrypt(cipher)) = work.operation else {
            return Err(Status::Argument);
        };
        let Target::Memory(tag) = work.tag_target else { return Err(Status::Argument) };
        let mut message = Err(Status::Internal);
        work.with_key(cipher, |key| {
            message = PartedMessage::cipher(&work, key, size);
            Ok(())
        })?;
        Ok(Parted { message: message?, results: Vec::new(), tag })
    }

    /// Returns the number of passes over the parts.
    pub(crate) fn passes(&self) -> usize {
        self.message.passes()
    }

    /// Returns true if a pass writes text.
    pub(crate) fn writes(&self, pass: usize) -> bool {
        self.message.writes(pass)
    }

    /// Computes the part at `offset` of the message in a pass.
    pub(crate) fn part(&mut self, pass: usize, offset: u64, text: Window) -> Result<(), Status> {
        let result = self.message.part(pass, offset, text, text)?;
        if pass == 0 {
            if self.results.len() == self.results.capacity() {
                let mut more = try_with_capacity(2 * self.results.len().max(8))?;
                more.append(&mut self.results);
                self.results = more;
            }
            self.results.push(Some(result));
        }
        Ok(())
    }

    /// Ends a pass: the last writes the tag, or verifies it.
    pub(crate) fn end_pass(&self, pass: usize) -> Result<(), Status> {
        if pass + 1 < self.message.passes() {
            return self.message.finish_pass(self.tag.size(), &self.results);
        }
        if let Some(tag) = self.message.finish(self.tag.size(), &self.results)? {
            self.tag.write(tag);
        }
        Ok(())
    }
}
