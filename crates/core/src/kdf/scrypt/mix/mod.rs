//! scrypt (RFC 7914): jobs of one cost, several lanes at once.

pub(crate) mod romix;

use self::romix::{LANES_MAX, RomixBuffers, RomixKernel};
use crate::Error;
use crate::allocate::{try_collect, try_with_capacity};
use crate::checkpoint::Checkpoint;
use crate::cpu::kernels::scrypt::kernels;
use crate::hash::md::Sha256;
use crate::kdf::pbkdf2;
use crate::memory::Memory;
use crate::wipe::wipe_below;

/// The cost that the jobs of one batch share. [`Cost::new`] checks it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    pub(crate) n: u64,
    pub(crate) r: u32,
}

/// One scrypt derivation.
#[derive(Debug)]
pub struct ScryptJob<'a> {
    /// The password.
    pub password: &'a [u8],
    /// The salt.
    pub salt: &'a [u8],
    /// The parallelization parameter.
    pub p: u32,
    /// The derived key.
    pub target: &'a mut [u8],
}

/// Salsa20 cores of each lane between two checkpoints: 80 us, or 180 us for eight lanes at once.
/// With four times as many, an event loop beside two busy workers waits 3 ms at the 99th percentile
/// instead of 0.6 to 1.6.
const SLICE: u64 = 2048;

/// Returns how many lanes are computed at once.
pub(crate) fn lanes() -> usize {
    kernels().iter().map(|kernel| kernel.lanes).max().unwrap_or(1)
}

/// Returns the fastest kernel for `lanes` lanes. It may have fewer or more.
fn choose(lanes: usize) -> RomixKernel {
    let all = kernels();
    *all.iter().find(|kernel| kernel.lanes >= lanes).unwrap_or(&all[all.len() - 1])
}

/// Returns the bytes of working memory for `lanes` lanes, of which `concurrent` are computed at
/// once; `None` on overflow.
pub(crate) fn memory(cost: &Cost, lanes: u64, concurrent: usize) -> Option<u64> {
    let block = 128 * u64::from(cost.r);
    let tables = block.checked_mul(cost.n)?.checked_mul(concurrent as u64)?;
    let blocks = block.checked_mul(lanes.checked_add(2 * LANES_MAX as u64)?)?;
    tables.checked_add(blocks)
}

/// Computes jobs of one cost, as many lanes at once as there is memory for. Calls `each` with the
/// index and key of each that is done.
pub(crate) fn run(
    cost: &Cost,
    jobs: &mut [ScryptJob<'_>],
    memory: &mut Memory,
    checkpoint: &mut dyn Checkpoint,
    each: &mut dyn FnMut(usize, &[u8]),
) -> Result<(), Error> {
    let mut owners = try_with_capacity::<usize>(jobs.iter().map(|job| job.p as usize).sum())?;
    owners.extend(jobs.iter().enumerate().flat_map(|(index, job)| (0..job.p).map(move |_| index)));
    let count = owners.len() as u64;
    let fits = |concurrent: &usize| {
        self::memory(cost, count, *concurrent).is_some_and(|size| size <= memory.size())
    };
    let most = owners.len().min(self::lanes());
    let Some(concurrent) = (1..=most).rev().find(fits) else {
        return Err(Error::Memory { needed: self::memory(cost, count, 1).unwrap_or(u64::MAX) });
    };

    // The tables, two blocks for each lane of a kernel, and the blocks of all jobs: multiples of
    // 128 bytes.
    let block = 128 * cost.r as usize;
    let table = block * cost.n as usize;
    let tables = memory.lend(concurrent * table + (2 * LANES_MAX + owners.len()) * block);
    let blocks = tables.wrapping_add(concurrent * table);
    let inputs = blocks.wrapping_add(2 * LANES_MAX * block);
    // SAFETY: these bytes are lent for this call, nothing else refers to them, and they are
    // initialised.
    let inputs = unsafe { std::slice::from_raw_parts_mut(inputs, owners.len() * block) };

    let mut rest = &mut *inputs;
    for (index, job) in jobs.iter().enumerate() {
        let (input, others) = std::mem::take(&mut rest).split_at_mut(job.p as usize * block);
        if !checkpoint.cancelled(index) {
            pbkdf2::once::<Sha256>(job.password, job.salt, input)?;
        }
        rest = others;
    }

    let mut finished = try_collect(jobs.iter().map(|_| Ok(0)))?;
    let mut batch = try_with_capacity::<usize>(concurrent)?;
    let mut lanes = 0..owners.len();
    loop {
        batch.clear();
        let left = lanes.by_ref().filter(|&lane| !checkpoint.cancelled(owners[lane]));
        batch.extend(left.take(concurrent));
        if batch.is_empty() {
            return Ok(());
        }
        let kernel = choose(batch.len());
        let buffers = RomixBuffers {
            blocks: [blocks, blocks.wrapping_add(LANES_MAX * block)],
            tables: std::array::from_fn(|slot| {
                tables.wrapping_add(if slot < batch.len() { slot * table } else { 0 })
            }),
            r: cost.r as usize,
            n: cost.n,
        };
        // SAFETY: the buffers are in the memory, the CPU can run the kernel, and each lane in use
        // has a table. The other lanes repeat the first, with its table.
        let whole = unsafe {
            for slot in 0..kernel.lanes {
                let lane = *batch.get(slot).unwrap_or(&batch[0]);
                kernel.put(&buffers, slot, &inputs[lane * block..][..block]);
            }
            let progress = |checkpoint: &mut dyn Checkpoint, done: u64| {
                for (index, job) in jobs.iter().enumerate() {
                    let here = batch.iter().filter(|&&lane| owners[lane] == index).count() as u64;
                    if here > 0 {
                        let before = u64::from(finished[index]) * 2 * cost.n;
                        checkpoint.progress(
                            index,
                            before + here * done,
                            u64::from(job.p) * 2 * cost.n,
                        );
                    }
                }
                checkpoint.checkpoint();
                !batch.iter().all(|&lane| checkpoint.cancelled(owners[lane]))
            };
            romix(&kernel, &buffers, &mut |done| progress(checkpoint, done))
        };
        wipe_below();
        if !whole {
            continue;
        }
        for (slot, &lane) in batch.iter().enumerate() {
            // SAFETY: the buffers are in the memory.
            unsafe { kernel.get(&buffers, slot, &mut inputs[lane * block..][..block]) };
            finished[owners[lane]] += 1;
        }
        for (slot, &lane) in batch.iter().enumerate() {
            let index = owners[lane];
            let again = batch[..slot].iter().any(|&lane| owners[lane] == index);
            let job = &mut jobs[index];
            if !again && finished[index] == job.p && !checkpoint.cancelled(index) {
                let first = owners.partition_point(|&owner| owner < index);
                let mixed = &inputs[first * block..][..job.p as usize * block];
                pbkdf2::once::<Sha256>(job.password, mixed, job.target)?;
                each(index, job.target);
            }
        }
    }
}

/// Fills the tables and mixes them in, slice by slice. Stops and returns false once `proceed` does.
///
/// # Safety
/// `buffers` is valid for this kernel, and the CPU has the kernel's instructions.
unsafe fn romix(
    kernel: &RomixKernel,
    buffers: &RomixBuffers,
    proceed: &mut dyn FnMut(u64) -> bool,
) -> bool {
    let slice = (SLICE / buffers.r as u64 / 4 * 2).max(2);
    for mixing in [false, true] {
        let mut done = 0;
        while done < buffers.n {
            let count = slice.min(buffers.n - done);
            // SAFETY: the buffers are valid for this kernel. `fill` stays below N entries; N and
            // the slice are even, so `count` is.
            unsafe {
                if mixing { kernel.mix(buffers, count) } else { kernel.fill(buffers, done, count) }
            }
            done += count;
            if !proceed(done + if mixing { buffers.n } else { 0 }) {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests;
