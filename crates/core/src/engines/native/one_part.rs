//! AEADs as messages of one part.

use super::aead::AeadKey;
use super::cipher_parts::CipherMessage;
use crate::Error;
use crate::catalog::Cipher;
use crate::inputs::Text;

impl AeadKey {
    fn message(&self, nonce: &[u8], aad: &[u8]) -> Result<(CipherMessage, bool), Error> {
        let cipher = self.cipher.ok_or(Error::Engine)?;
        let tag_first = matches!(cipher, Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv);
        Ok((CipherMessage::of(cipher, self, nonce, aad)?, tag_first))
    }

    /// Encrypts, and writes the first `tag.len()` bytes of the tag.
    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let (message, tag_first) = self.message(nonce, aad)?;
        let size = text.size() as u64;
        if !tag_first {
            let part = message.seal(0, text)?;
            return message.tag(&mut [(size, &part)].into_iter(), tag);
        }
        let part = message.authenticate_plain(text.source())?;
        message.tag(&mut [(size, &part)].into_iter(), tag)?;
        message.xor(0, text, tag)
    }

    /// Decrypts if the tag matches, otherwise leaves zeros.
    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let (message, _) = self.message(nonce, aad)?;
        let part = message.authenticate_sealed(0, text.source(), tag)?;
        if message.verify(&mut [(text.size() as u64, &part)].into_iter(), tag)? {
            return message.xor(0, text, tag);
        }
        text.clear();
        Err(Error::Authentication)
    }
}
