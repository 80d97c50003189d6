//! XXH3's stripes in scalar code, which the compiler vectorizes with SSE2. It does not for AArch64,
//! which has a kernel for NEON. The steps are those of `hash::xxh::xxh3::vector`; products are
//! added to the lanes at once, and the seeded secret is computed before. The tests compare the
//! kernels with it.

use crate::hash::xxh::xxh3::stripe::{
    BLOCK, End, LAST, Lanes, MERGE, MERGE_HIGH, SCRAMBLE, SECRET, Secret, SecretOffset, Stripe,
    merge, merge_high,
};
use crate::hash::xxh::{PRIME32_1, word64};

/// Absorbs whole stripes, of which the first has index `at` in its block.
pub(crate) fn consume(lanes: &Lanes, seed: u64, stripes: &[Stripe], at: usize) -> Lanes {
    run(lanes, &secret(seed), stripes, at, None)
}

/// Finishes a message with 64 bits.
pub(crate) fn end64(lanes: &Lanes, seed: u64, end: &End<'_>) -> u64 {
    let secret = secret(seed);
    let lanes = run(lanes, &secret, end.stripes, end.at, Some(end.last));
    merge(&mixed(&lanes, &secret, MERGE), end.length)
}

/// Finishes a message with 128 bits.
pub(crate) fn end128(lanes: &Lanes, seed: u64, end: &End<'_>) -> u128 {
    let secret = secret(seed);
    let lanes = run(lanes, &secret, end.stripes, end.at, Some(end.last));
    let low = merge(&mixed(&lanes, &secret, MERGE), end.length);
    let high = merge_high(&mixed(&lanes, &secret, MERGE_HIGH), end.length);
    u128::from(high) << 64 | u128::from(low)
}

/// Returns the seeded secret.
fn secret(seed: u64) -> Secret {
    let mut secret = Secret(SECRET.0);
    for [plus, minus] in secret.0.as_chunks_mut::<8>().0.as_chunks_mut::<2>().0 {
        *plus = u64::from_le_bytes(*plus).wrapping_add(seed).to_le_bytes();
        *minus = u64::from_le_bytes(*minus).wrapping_sub(seed).to_le_bytes();
    }
    secret
}

fn run(
    lanes: &Lanes,
    secret: &Secret,
    stripes: &[Stripe],
    at: usize,
    last: Option<&Stripe>,
) -> Lanes {
    let mut lanes = lanes.clone();
    let (begun, rest) = stripes.split_at(stripes.len().min((BLOCK - at) % BLOCK));
    add(&mut lanes, &secret.0[8 * at..], begun);
    if at > 0 && at + begun.len() == BLOCK {
        scramble(&mut lanes, secret);
    }
    let (blocks, rest) = rest.as_chunks::<BLOCK>();
    for block in blocks {
        add(&mut lanes, &secret.0, block);
        scramble(&mut lanes, secret);
    }
    if !rest.is_empty() {
        add(&mut lanes, &secret.0, rest);
    }
    if let Some(last) = last {
        add(&mut lanes, &secret.0[8 * LAST.0 + LAST.1..], std::slice::from_ref(last));
    }
    lanes
}

/// Absorbs stripes of one block.
#[inline(always)]
// Iterators vectorize worse: 21 GB/s instead of 34.
#[allow(clippy::needless_range_loop)]
fn add(lanes: &mut Lanes, secret: &[u8], stripes: &[Stripe]) {
    let mut sums = [0_u64; 8];
    for (stripe, secret) in stripes.iter().zip(secret.windows(64).step_by(8)) {
        for index in 0..8 {
            let word = word64(stripe, 8 * index);
            let key = word ^ word64(secret, 8 * index);
            sums[index] = sums[index].wrapping_add(word);
            lanes.0[index] = lanes.0[index].wrapping_add((key & 0xffff_ffff) * (key >> 32));
        }
    }
    for (index, lane) in lanes.0.iter_mut().enumerate() {
        *lane = lane.wrapping_add(sums[index ^ 1]);
    }
}

#[inline(always)]
fn scramble(lanes: &mut Lanes, secret: &Secret) {
    for lane in &mut lanes.0 {
        *lane ^= *lane >> 47;
    }
    *lanes = mixed(lanes, secret, (SCRAMBLE, 0));
    for lane in &mut lanes.0 {
        *lane = lane.wrapping_mul(PRIME32_1.into());
    }
}

/// Returns the lanes XORed with the secret.
#[inline(always)]
fn mixed(lanes: &Lanes, secret: &Secret, (word, byte): SecretOffset) -> Lanes {
    let at = 8 * word + byte;
    Lanes(std::array::from_fn(|index| lanes.0[index] ^ word64(&secret.0, at + 8 * index)))
}
