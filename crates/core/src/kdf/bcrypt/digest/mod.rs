//! bcrypt (Provos and Mazieres, 1999).

mod blowfish;

use self::blowfish::Blowfish;
use crate::Error;
use crate::allocate::try_box;
use crate::checkpoint::Checkpoint;
use crate::wipe::{Secret, wipe_below};

/// Bytes of a password that count, its ending zero byte among them.
const KEY: usize = 72;

/// Rounds, of two key schedules each, between two checkpoints: about 500 us.
const SLICE: u64 = 8;

/// Derives what a bcrypt string holds; the password has no zero byte.
pub(crate) fn run(
    password: &[u8],
    salt: &[u8; 16],
    cost: u32,
    target: &mut [u8; 23],
    checkpoint: &mut dyn Checkpoint,
) -> Result<(), Error> {
    let mut key = Secret::<KEY>::zeros();
    let size = (password.len() + 1).min(KEY);
    let used = password.len().min(KEY);
    key.0[..used].copy_from_slice(&password[..used]);
    let key = &key.0[..size];

    let mut state = try_box(Blowfish::new())?;
    state.mix_salted(key, salt);
    // A multiple of the slice.
    let rounds = 1_u64 << cost;
    for done in (SLICE..=rounds).step_by(SLICE as usize) {
        state.mix(key, salt, SLICE);
        checkpoint.progress(0, done, rounds);
        checkpoint.checkpoint();
        if checkpoint.cancelled(0) {
            return Err(Error::Cancelled);
        }
    }

    let mut bytes = Secret::<24>::zeros();
    for (bytes, text) in bytes
        .0
        .as_chunks_mut::<8>()
        .0
        .iter_mut()
        .zip(b"OrpheanBeholderScryDoubt".as_chunks::<8>().0)
    {
        let [left, right] = [0, 4]
            .map(|at| u32::from_be_bytes([text[at], text[at + 1], text[at + 2], text[at + 3]]));
        let mut words = [left, right];
        for _ in 0..64 {
            words = state.encrypt(words);
        }
        bytes[..4].copy_from_slice(&words[0].to_be_bytes());
        bytes[4..].copy_from_slice(&words[1].to_be_bytes());
    }
    target.copy_from_slice(&bytes.0[..23]);
    wipe_below();
    Ok(())
}
