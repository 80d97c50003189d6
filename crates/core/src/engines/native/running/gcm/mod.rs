//! Incremental AES-GCM: by AWS-LC, which can continue within a block, or by parts of whole blocks.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(any(not(feature = "aws-lc"), test))]
mod by_parts;

#[cfg(feature = "aws-lc")]
pub(super) use self::aws_lc::Gcm;
#[cfg(not(feature = "aws-lc"))]
pub(super) use self::by_parts::Gcm;

#[cfg(all(test, feature = "aws-lc"))]
mod tests {
    use crate::catalog::Cipher;
    use crate::engines::native::tests::Bytes;
    use crate::inputs::Text;

    /// Encrypts and decrypts pieces with one of the two, copied half way.
    macro_rules! run {
        ($gcm:ty, $encrypt:expr, $cipher:expr, $key:expr, $nonce:expr, $text:expr,
         $pieces:expr) => {{
            let mut gcm = <$gcm>::new($cipher, $encrypt, $key, $nonce, b"data").expect("begins");
            let mut text: Vec<u8> = $text.to_vec();
            let mut rest = &mut text[..];
            for (index, size) in $pieces.iter().enumerate() {
                let (piece, after) = rest.split_at_mut((*size).min(rest.len()));
                let source = piece.to_vec();
                let text = match index % 2 {
                    0 => Text::InPlace(piece),
                    _ => Text::Across { source: &source, target: piece },
                };
                gcm.update(text).expect("continues");
                gcm = gcm.copy().expect("a copy");
                rest = after;
            }
            assert!(rest.is_empty());
            (gcm, text)
        }};
    }

    #[test]
    fn both_agree_incrementally() {
        let mut bytes = Bytes(31);
        for turn in 0..60 {
            let cipher = [Cipher::Aes128Gcm, Cipher::Aes192Gcm, Cipher::Aes256Gcm][turn % 3];
            let key = bytes.vec([16, 24, 32][turn % 3]);
            let nonce = bytes.vec([12, 8, 60][turn / 3 % 3]);
            let mut pieces: Vec<usize> = vec![];
            pieces.extend((0..turn % 7).map(|_| usize::from(bytes.array::<1>()[0]) % 50));
            pieces.push(turn * 13);
            pieces.push(3);
            let source = bytes.vec(pieces.iter().sum());
            let (mut one, sealed) =
                run!(super::aws_lc::Gcm, true, cipher, &key, &nonce, source, pieces);
            let (mut other, same) =
                run!(super::by_parts::Gcm, true, cipher, &key, &nonce, source, pieces);
            let (mut tag, mut other_tag) = ([0; 16], [0; 16]);
            one.seal(&mut tag).expect("a tag");
            other.seal(&mut other_tag).expect("a tag");
            assert!(sealed == same && tag == other_tag, "{turn}");
            let (mut opening, opened) =
                run!(super::by_parts::Gcm, false, cipher, &key, &nonce, sealed, pieces);
            assert!(opened == source && opening.verify(&tag).is_ok());
            tag[3] ^= 1;
            assert!(opening.verify(&tag).is_err());
        }
    }
}
