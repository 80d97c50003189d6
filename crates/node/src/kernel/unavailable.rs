//! The kernel engine on other systems than Linux: it is not available.

use crate::calls::Call;
use crate::checkpoint::JobCheckpoint;
use crate::protocol::{EngineNumber, KERNEL_HANDLE_BYTES};
use crate::values::Value;
use crate::work::{Reply, Status, Work};
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::CipherKey;
use millrace_core::error::Error;
use millrace_core::hmac::MacKey;

macro_rules! reason {
    () => {
        "kernel: only available on Linux: use another engine"
    };
}
const UNAVAILABLE: Error = Error::Unavailable(reason!());

// Only the kernel engine uses it.
const _: usize = KERNEL_HANDLE_BYTES;

#[derive(Default)]
pub(crate) struct KernelHashTable;

impl Work {
    pub(crate) fn run_kernel_engine(
        &self,
        _: &mut Reply,
        _: Option<&mut JobCheckpoint<'_>>,
    ) -> Status {
        let _ = &self.kernel_hashes;
        UNAVAILABLE.into()
    }
}

pub(super) fn cipher_key(_: EngineNumber, _: Cipher, _: &[u8]) -> Result<CipherKey, Error> {
    Err(UNAVAILABLE)
}

pub(super) fn mac_key(_: EngineNumber, _: Hash, _: &[u8]) -> Result<MacKey, Error> {
    Err(UNAVAILABLE)
}

pub(crate) fn fork_state(call: &Call<'_>) -> Value {
    call.env.number(call.state.number_of(Err(Status::State)))
}

pub(crate) fn drop_state(call: &Call<'_>) -> Value {
    call.env.number(0)
}

pub(crate) fn report(call: &Call<'_>) -> Value {
    call.env.utf8(concat!("{\"reason\":\"", reason!(), "\"}"))
}
