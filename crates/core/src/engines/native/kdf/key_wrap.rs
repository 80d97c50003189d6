//! AES key wrap over AWS-LC, which compares in constant time.

use std::mem::MaybeUninit;
use std::ptr;

use aws_lc_sys as lc;

use super::super::cpu;
use super::super::wipe::wipe_below;
use crate::Error;
use crate::engines::Service;
use crate::kdf::key_wrap::Padding;

/// Returns how it is computed.
pub(super) fn serves() -> Service {
    cpu::aes_block()
}

/// AWS-LC's key schedule, wiped on drop.
struct Schedule(lc::AES_KEY);

impl Drop for Schedule {
    fn drop(&mut self) {
        // SAFETY: pointer and size are of the schedule, of which zeros are a valid value.
        unsafe { lc::OPENSSL_cleanse((&raw mut self.0).cast(), size_of::<lc::AES_KEY>()) }
    }
}

type Prepare = unsafe extern "C" fn(*const u8, u32, *mut lc::AES_KEY) -> i32;

impl Schedule {
    fn new(key: &[u8], prepare: Prepare) -> Result<Self, Error> {
        let mut schedule = MaybeUninit::zeroed();
        // SAFETY: reads the bits of the key and writes the schedule, of which zeros are a valid
        // value too.
        unsafe {
            let done = prepare(key.as_ptr(), 8 * key.len() as u32, schedule.as_mut_ptr());
            let schedule = Self(schedule.assume_init());
            if done == 0 { Ok(schedule) } else { Err(Error::Engine) }
        }
    }
}

/// Wraps a key of a size that fits; the target has the size of the result.
pub(crate) fn wrap(
    padding: Padding,
    wrapping_key: &[u8],
    key: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    let schedule = Schedule::new(wrapping_key, lc::AES_set_encrypt_key)?;
    let (from, to) = (key.as_ptr(), target.as_mut_ptr());
    let (size, room) = (key.len(), target.len());
    // SAFETY: the schedule is one for encryption; each pointer goes with the length of its slice,
    // and the target has the 8 bytes more that KW writes.
    let written = unsafe {
        match padding {
            Padding::None => lc::AES_wrap_key(&schedule.0, ptr::null(), to, from, size),
            Padding::Zeros => {
                let mut written = 0;
                let done = lc::AES_wrap_key_padded(&schedule.0, to, &mut written, room, from, size);
                if done == 1 { written as i32 } else { -1 }
            }
        }
    };
    drop(schedule);
    wipe_below();
    if usize::try_from(written) == Ok(room) { Ok(()) } else { Err(Error::Engine) }
}

/// Unwraps a key of a size that fits; the target has 8 bytes less. After an error the target holds
/// what was not authentic.
pub(crate) fn unwrap(
    padding: Padding,
    wrapping_key: &[u8],
    wrapped: &[u8],
    target: &mut [u8],
) -> Result<usize, Error> {
    let schedule = Schedule::new(wrapping_key, lc::AES_set_decrypt_key)?;
    let (from, to) = (wrapped.as_ptr(), target.as_mut_ptr());
    let (size, room) = (wrapped.len(), target.len());
    // SAFETY: the schedule is one for decryption; each pointer goes with the length of its slice,
    // and the target has the bytes that KW writes.
    let written = unsafe {
        match padding {
            Padding::None => lc::AES_unwrap_key(&schedule.0, ptr::null(), to, from, size),
            Padding::Zeros => {
                let mut written = 0;
                let done =
                    lc::AES_unwrap_key_padded(&schedule.0, to, &mut written, room, from, size);
                if done == 1 { written as i32 } else { -1 }
            }
        }
    };
    drop(schedule);
    wipe_below();
    let written = usize::try_from(written).ok().filter(|&written| written <= room);
    let Some(written) = written else {
        // SAFETY: touches this thread's error queue only.
        unsafe { lc::ERR_clear_error() };
        return Err(Error::Authentication);
    };
    target[written..].fill(0);
    Ok(written)
}
