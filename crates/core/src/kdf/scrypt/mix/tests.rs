//! Every kernel gives the result of the plain one.

use super::*;
use crate::cpu::kernels::scrypt::all_kernels;
use crate::tests::Bytes;

/// Returns ROMix of the blocks with a kernel; there are at most as many as it has lanes.
fn mixed(kernel: &RomixKernel, cost: &Cost, blocks: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let block = 128 * cost.r as usize;
    let table = block * cost.n as usize;
    let mut memory =
        Memory::new((blocks.len() * table + 2 * LANES_MAX * block) as u64).expect("memory");
    let start = memory.lend(blocks.len() * table + 2 * LANES_MAX * block);
    let at = start.wrapping_add(blocks.len() * table);
    let buffers = RomixBuffers {
        blocks: [at, at.wrapping_add(LANES_MAX * block)],
        tables: std::array::from_fn(|slot| {
            start.wrapping_add(if slot < blocks.len() { slot * table } else { 0 })
        }),
        r: cost.r as usize,
        n: cost.n,
    };
    let mut results = blocks.to_vec();
    // SAFETY: the buffers are in the memory, with a table for each block; the CPU has the kernel's
    // instructions.
    unsafe {
        for slot in 0..kernel.lanes {
            kernel.put(&buffers, slot, blocks.get(slot).unwrap_or(&blocks[0]));
        }
        assert!(romix(kernel, &buffers, &mut |_| true));
        for (slot, result) in results.iter_mut().enumerate() {
            kernel.get(&buffers, slot, result);
        }
    }
    results
}

#[test]
fn all_kernels_agree() {
    kernels_agree_at(&[(2, 1), (4, 1), (16, 2), (64, 3), (128, 8), (2, 17)]);
}

/// Apart from the test above, as this one takes 5 minutes under an emulator.
#[test]
fn all_kernels_agree_at_large_costs() {
    kernels_agree_at(&[(1024, 8), (8192, 1), (16, 600)]);
}

fn kernels_agree_at(costs: &[(u64, u32)]) {
    let mut bytes = Bytes(7);
    let kernels = all_kernels();
    for &(n, r) in costs {
        let cost = Cost { n, r };
        for (name, kernel) in &kernels {
            for count in 1..=kernel.lanes {
                let blocks: Vec<Vec<u8>> =
                    (0..count).map(|_| bytes.vec(128 * r as usize)).collect();
                let expected: Vec<Vec<u8>> = blocks
                    .iter()
                    .flat_map(|block| mixed(&kernels[0].1, &cost, std::slice::from_ref(block)))
                    .collect();
                assert!(
                    mixed(kernel, &cost, &blocks) == expected,
                    "{name}: {count} lanes, {n} {r}"
                );
            }
        }
    }
}

#[test]
fn memory_is_wiped_as_far_as_it_was_used() {
    let mut memory = Memory::new(4 << 20).expect("memory");
    let start = memory.lend(3 << 20);
    // SAFETY: that many bytes are lent.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start, 3 << 20) };
    assert!(bytes.iter().all(|&byte| byte == 0), "comes as zeros");
    bytes.fill(7);
    memory.lend(64);
    memory.wipe(&mut || {});
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(start, 3 << 20) };
    assert!(bytes.iter().all(|&byte| byte == 0));
}
