//! SHA-256 and SHA-224 of several messages.
//!
//! ns a block and message on Zen 5, one by one 31: AVX-512 with 16 lanes 10.2; the instructions made for SHA-256
//! with two messages in turn 20, three 18, four 18, six 15 (which is their roof); AVX2 with eight lanes 37,
//! for CPUs without those instructions, where one by one takes about 90.

use std::arch::x86_64::*;

use super::super::features::{Avx2, Avx512, ShaNi};
use super::super::sha2;
use super::super::wipe::Wiped;
use super::vectors::{lanes_8, pad_64, rotated, transpose_4, words_8, words_16, xor_256, xor_512};
use super::{Chain, Columns, Kernel, Kernels, Widest, Work, bits, run};

/// SHA-256, and SHA-224, which begins with other words and shows fewer.
#[derive(Copy, Clone)]
pub(super) struct Sha256;

impl Chain for Sha256 {
    type State = [u32; 8];
    type Tail = [u8; 128];
    type Digest = [u8; 32];
    const STATE: [u32; 8] = [0; 8];
    const TAIL: [u8; 128] = [0; 128];
    const DIGEST: [u8; 32] = [0; 32];

    #[inline]
    fn block(&self) -> usize {
        64
    }

    #[inline]
    fn ends(&self, rest: usize) -> usize {
        1 + usize::from(rest >= 56)
    }

    #[inline]
    fn pad(&self, tail: &mut [u8; 128], rest: &[u8], length: u64) {
        *tail = [0; 128];
        tail[..rest.len()].copy_from_slice(rest);
        tail[rest.len()] = 0x80;
        let end = 64 * self.ends(rest.len());
        tail[end - 8..end].copy_from_slice(&(length * 8).to_be_bytes());
    }

    fn alone(&self, state: [u32; 8], length: u64, rest: &[u8], target: &mut [u8]) {
        sha2::end(&mut Wiped(state).0, length, rest, target);
    }
}

/// The most lanes.
pub(in super::super) fn widest(kernels: Kernels) -> Widest {
    match kernels {
        Kernels { avx512: Some(_), .. } => Some((16, Avx512::NAMES)),
        Kernels { sha_ni: Some(_), .. } => Some((3, ShaNi::NAMES)),
        Kernels { avx2: Some(_), .. } => Some((8, Avx2::NAMES)),
        _ => None,
    }
}

/// Hashes messages which all begin with a state that has taken in `begun` bytes. False, and nothing
/// done, if there is no kernel.
pub(in super::super) fn hash(
    kernels: Kernels,
    (start, begun): ([u32; 8], u64),
    sources: &[&[u8]],
    target: &mut [u8],
    each: &mut dyn FnMut(usize, &[u8]),
) -> bool {
    if widest(kernels).is_none() {
        return false;
    }
    let work = &mut Work::new(Sha256, start, begun, sources, target, each);
    // SAFETY: there is the proof that the CPU has the instructions.
    unsafe {
        match (kernels.avx512, kernels.sha_ni) {
            (Some(proof), None) => run_16::<4>(work, proof),
            (Some(proof), Some(_)) => run_16::<9>(work, proof),
            (None, _) => {}
        }
        match (kernels.sha_ni, kernels.avx2) {
            (Some(proof), _) => {
                run_in_turn::<3>(work, proof);
                run_in_turn::<2>(work, proof);
            }
            (None, Some(proof)) => run_8(work, proof),
            (None, None) => {}
        }
    }
    work.alone();
    true
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn run_16<const PAYS: usize>(work: &mut Work<'_, Sha256>, proof: Avx512) {
    run(Wide::<PAYS>(proof), work);
}

#[target_feature(enable = "avx2")]
fn run_8(work: &mut Work<'_, Sha256>, proof: Avx2) {
    run(Narrow(proof), work);
}

#[target_feature(enable = "ssse3,sse4.1,sha")]
fn run_in_turn<const LANES: usize>(work: &mut Work<'_, Sha256>, proof: ShaNi) {
    run::<_, _, LANES>(InTurn(proof), work);
}

#[inline(always)]
fn bytes(words: [u32; 8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.as_chunks_mut().0.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_be_bytes());
    bytes
}

/// So many digests are quicker to write one by one than all 16 at once.
const FEW: u32 = 3;

/// The digests of all lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn digests_16(states: &[[u32; 16]; 8], digests: &mut [[u8; 32]; 16], _proof: Avx512) {
    let reverse = _mm512_set4_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203);
    let rows = states.each_ref().map(|row| {
        // SAFETY: reads a row.
        _mm512_shuffle_epi8(unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }, reverse)
    });
    let [low, high] = [0, 4].map(|at| transpose_4([rows[at], rows[at + 1], rows[at + 2], rows[at + 3]]));
    let [first, second] = [_mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4)];
    for (lane, (low, high)) in low.into_iter().zip(high).enumerate() {
        let pairs = [first, second].map(|order| _mm512_permutex2var_epi64(low, order, high));
        for (lane, pair) in [lane, 8 + lane].into_iter().zip(pairs) {
            // SAFETY: writes a digest each.
            unsafe {
                _mm256_storeu_si256(digests[lane].as_mut_ptr().cast(), _mm512_castsi512_si256(pair));
                _mm256_storeu_si256(digests[lane + 4].as_mut_ptr().cast(), _mm512_extracti64x4_epi64::<1>(pair));
            }
        }
    }
}

/// Eight rounds, of which `$round` makes one. What becomes of the other words is a matter of names.
macro_rules! rounds_8 {
    ($round:ident, $from:literal, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
        $round!($from, $a $b $c $d $e $f $g $h);
        $round!($from + 1, $h $a $b $c $d $e $f $g);
        $round!($from + 2, $g $h $a $b $c $d $e $f);
        $round!($from + 3, $f $g $h $a $b $c $d $e);
        $round!($from + 4, $e $f $g $h $a $b $c $d);
        $round!($from + 5, $d $e $f $g $h $a $b $c);
        $round!($from + 6, $c $d $e $f $g $h $a $b);
        $round!($from + 7, $b $c $d $e $f $g $h $a);
    };
}

/// 16 lanes with AVX-512, if at least `PAYS` are in use.
#[derive(Copy, Clone)]
struct Wide<const PAYS: usize>(Avx512);

impl<const PAYS: usize> Kernel<Sha256, 16> for Wide<PAYS> {
    type States = Columns<u32, 8, 16>;
    const STATES: Self::States = Columns([[0; 16]; 8]);
    const PAYS: usize = PAYS;

    unsafe fn step(self, states: &mut Self::States, fresh: u32, start: &[u32; 8], at: &[*const u8; 16], count: usize) {
        // SAFETY: there is the proof that the CPU has the instructions; the rest is promised by the caller.
        unsafe { step_16(&mut states.0, fresh as u16, start, at, count, self.0) }
    }

    fn put(states: &mut Self::States, lane: usize, state: &[u32; 8]) {
        states.put(lane, state);
    }

    fn get(states: &Self::States, lane: usize) -> [u32; 8] {
        states.get(lane)
    }

    #[inline(always)]
    fn pad(self, _chain: Sha256, tail: &mut [u8; 128], rest: &[u8], length: u64) {
        // SAFETY: there is the proof that the CPU has the instructions.
        unsafe { pad_64(tail, rest, (length * 8).swap_bytes(), self.0) }
    }

    #[inline(always)]
    fn digests(self, states: &Self::States, ended: u32, digests: &mut [[u8; 32]; 16], _size: usize) {
        if ended.count_ones() > FEW {
            // SAFETY: there is the proof that the CPU has the instructions.
            unsafe { digests_16(&states.0, digests, self.0) }
        } else {
            bits(ended).for_each(|lane| digests[lane] = bytes(states.get(lane)));
        }
    }
}

/// # Safety
/// `count` blocks can be read at each pointer.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
unsafe fn step_16(
    states: &mut [[u32; 16]; 8],
    fresh: u16,
    start: &[u32; 8],
    at: &[*const u8; 16],
    count: usize,
    _proof: Avx512,
) {
    let reverse = _mm512_set4_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203);
    let mut words: [__m512i; 8] = std::array::from_fn(|index| {
        // SAFETY: reads a row.
        let row = unsafe { _mm512_loadu_si512(states[index].as_ptr().cast()) };
        _mm512_mask_set1_epi32(row, fresh, start[index] as i32)
    });
    for block in 0..count {
        // SAFETY: as promised by the caller.
        let mut schedule = unsafe { words_16(at, 64 * block) }.map(|word| _mm512_shuffle_epi8(word, reverse));
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = words;
        for (group, constants) in CONSTANTS.0.as_chunks::<16>().0.iter().enumerate() {
            // One round, and the schedule's word that will take the place of this one. From one E to
            // the next are three instructions (of two cycles), for which D and the sum are added apart.
            macro_rules! round {
                ($index:expr, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
                    let word = _mm512_add_epi32(schedule[$index], _mm512_set1_epi32(constants[$index] as i32));
                    let choice = _mm512_ternarylogic_epi32::<0xca>($e, $f, $g);
                    let sum = _mm512_add_epi32(_mm512_add_epi32($h, word), choice);
                    let mix =
                        xor_512(_mm512_ror_epi32::<6>($e), _mm512_ror_epi32::<11>($e), _mm512_ror_epi32::<25>($e));
                    $d = _mm512_add_epi32(_mm512_add_epi32($d, sum), mix);
                    let majority = _mm512_ternarylogic_epi32::<0xe8>($a, $b, $c);
                    let rotated =
                        xor_512(_mm512_ror_epi32::<2>($a), _mm512_ror_epi32::<13>($a), _mm512_ror_epi32::<22>($a));
                    $h = _mm512_add_epi32(_mm512_add_epi32(rotated, majority), _mm512_add_epi32(sum, mix));
                    if group < 3 {
                        let far = schedule[($index + 1) % 16];
                        let near = schedule[($index + 14) % 16];
                        let far = xor_512(
                            _mm512_ror_epi32::<7>(far),
                            _mm512_ror_epi32::<18>(far),
                            _mm512_srli_epi32::<3>(far),
                        );
                        let near = xor_512(
                            _mm512_ror_epi32::<17>(near),
                            _mm512_ror_epi32::<19>(near),
                            _mm512_srli_epi32::<10>(near),
                        );
                        let sum = _mm512_add_epi32(schedule[$index], far);
                        schedule[$index] = _mm512_add_epi32(sum, _mm512_add_epi32(schedule[($index + 9) % 16], near));
                    }
                };
            }
            rounds_8!(round, 0, a b c d e f g h);
            rounds_8!(round, 8, a b c d e f g h);
        }
        for (word, after) in words.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = _mm512_add_epi32(*word, after);
        }
    }
    for (row, word) in states.iter_mut().zip(words) {
        // SAFETY: writes a row.
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), word) };
    }
}

/// Eight lanes with AVX2.
#[derive(Copy, Clone)]
struct Narrow(Avx2);

impl Kernel<Sha256, 8> for Narrow {
    type States = Columns<u32, 8, 8>;
    const STATES: Self::States = Columns([[0; 8]; 8]);
    const PAYS: usize = 4;

    unsafe fn step(self, states: &mut Self::States, fresh: u32, start: &[u32; 8], at: &[*const u8; 8], count: usize) {
        // SAFETY: there is the proof that the CPU has the instructions; the rest is promised by the caller.
        unsafe { step_8(&mut states.0, fresh, start, at, count, self.0) }
    }

    fn put(states: &mut Self::States, lane: usize, state: &[u32; 8]) {
        states.put(lane, state);
    }

    fn get(states: &Self::States, lane: usize) -> [u32; 8] {
        states.get(lane)
    }

    #[inline(always)]
    fn digests(self, states: &Self::States, ended: u32, digests: &mut [[u8; 32]; 8], _size: usize) {
        bits(ended).for_each(|lane| digests[lane] = bytes(states.get(lane)));
    }
}

/// # Safety
/// `count` blocks can be read at each pointer.
#[target_feature(enable = "avx2")]
unsafe fn step_8(
    states: &mut [[u32; 8]; 8],
    fresh: u32,
    start: &[u32; 8],
    at: &[*const u8; 8],
    count: usize,
    _proof: Avx2,
) {
    let reverse = _mm256_set_epi32(
        0x0c0d_0e0f,
        0x0809_0a0b,
        0x0405_0607,
        0x0001_0203,
        0x0c0d_0e0f,
        0x0809_0a0b,
        0x0405_0607,
        0x0001_0203,
    );
    let fresh = lanes_8(fresh);
    let mut words: [__m256i; 8] = std::array::from_fn(|index| {
        // SAFETY: reads a row.
        let row = unsafe { _mm256_loadu_si256(states[index].as_ptr().cast()) };
        _mm256_blendv_epi8(row, _mm256_set1_epi32(start[index] as i32), fresh)
    });
    for block in 0..count {
        // SAFETY: as promised by the caller.
        let mut schedule = unsafe { words_8(at, 64 * block) }.map(|word| _mm256_shuffle_epi8(word, reverse));
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = words;
        let mut differ = _mm256_xor_si256(b, c);
        for (group, constants) in CONSTANTS.0.as_chunks::<16>().0.iter().enumerate() {
            macro_rules! round {
                ($index:expr, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
                    let word = _mm256_add_epi32(schedule[$index], _mm256_set1_epi32(constants[$index] as i32));
                    let choice = _mm256_xor_si256(_mm256_and_si256(_mm256_xor_si256($f, $g), $e), $g);
                    let mix = xor_256(rotated::<6, 26>($e), rotated::<11, 21>($e), rotated::<25, 7>($e));
                    let sum = _mm256_add_epi32(_mm256_add_epi32(_mm256_add_epi32($h, word), choice), mix);
                    $d = _mm256_add_epi32($d, sum);
                    // A XOR B, which is the next round's B XOR C.
                    let next = _mm256_xor_si256($a, $b);
                    let majority = _mm256_xor_si256($b, _mm256_and_si256(next, differ));
                    differ = next;
                    let mix = xor_256(rotated::<2, 30>($a), rotated::<13, 19>($a), rotated::<22, 10>($a));
                    $h = _mm256_add_epi32(_mm256_add_epi32(mix, majority), sum);
                    if group < 3 {
                        let far = schedule[($index + 1) % 16];
                        let near = schedule[($index + 14) % 16];
                        let far = xor_256(rotated::<7, 25>(far), rotated::<18, 14>(far), _mm256_srli_epi32::<3>(far));
                        let near =
                            xor_256(rotated::<17, 15>(near), rotated::<19, 13>(near), _mm256_srli_epi32::<10>(near));
                        let sum = _mm256_add_epi32(schedule[$index], far);
                        schedule[$index] = _mm256_add_epi32(sum, _mm256_add_epi32(schedule[($index + 9) % 16], near));
                    }
                };
            }
            rounds_8!(round, 0, a b c d e f g h);
            rounds_8!(round, 8, a b c d e f g h);
        }
        for (word, after) in words.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = _mm256_add_epi32(*word, after);
        }
    }
    for (row, word) in states.iter_mut().zip(words) {
        // SAFETY: writes a row.
        unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), word) };
    }
}

/// Messages in turn, by the instructions made for SHA-256.
#[derive(Copy, Clone)]
struct InTurn(ShaNi);

impl<const LANES: usize> Kernel<Sha256, LANES> for InTurn {
    type States = [[u32; 8]; LANES];
    const STATES: Self::States = [[0; 8]; LANES];
    const PAYS: usize = LANES;

    unsafe fn step(
        self,
        states: &mut Self::States,
        fresh: u32,
        start: &[u32; 8],
        at: &[*const u8; LANES],
        count: usize,
    ) {
        for (lane, state) in states.iter_mut().enumerate() {
            if fresh >> lane & 1 == 1 {
                *state = *start;
            }
        }
        // SAFETY: there is the proof that the CPU has the instructions; the rest is promised by the caller.
        unsafe { step_in_turn(states, at, count, self.0) }
    }

    fn put(states: &mut Self::States, lane: usize, state: &[u32; 8]) {
        states[lane] = *state;
    }

    fn get(states: &Self::States, lane: usize) -> [u32; 8] {
        states[lane]
    }

    #[inline(always)]
    fn digests(self, states: &Self::States, ended: u32, digests: &mut [[u8; 32]; LANES], _size: usize) {
        bits(ended).for_each(|lane| digests[lane] = bytes(states[lane]));
    }
}

/// # Safety
/// `count` blocks can be read at each pointer.
#[target_feature(enable = "ssse3,sse4.1,sha")]
unsafe fn step_in_turn<const LANES: usize>(
    states: &mut [[u32; 8]; LANES],
    at: &[*const u8; LANES],
    count: usize,
    _proof: ShaNi,
) {
    let reverse = _mm_set_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203);
    // From words A to H into FEBA and HGDC (from the lowest), as the instructions want them.
    let mut words: [[__m128i; 2]; LANES] = std::array::from_fn(|lane| {
        // SAFETY: reads halves of a state.
        let [low, high] = unsafe { [0, 4].map(|at| _mm_loadu_si128(states[lane].as_ptr().add(at).cast())) };
        let [low, high] = [_mm_shuffle_epi32::<0xb1>(low), _mm_shuffle_epi32::<0x1b>(high)];
        [_mm_alignr_epi8::<8>(low, high), _mm_blend_epi16::<0xf0>(high, low)]
    });
    for block in 0..count {
        let begin = words;
        let mut schedule: [[__m128i; 4]; LANES] = std::array::from_fn(|lane| {
            std::array::from_fn(|index| {
                // SAFETY: as promised by the caller.
                let four = unsafe { _mm_loadu_si128(at[lane].add(64 * block + 16 * index).cast()) };
                _mm_shuffle_epi8(four, reverse)
            })
        });
        macro_rules! rounds_4 {
            ($($group:literal)*) => {$(
                for lane in 0..LANES {
                    let schedule = &mut schedule[lane];
                    // SAFETY: reads four constants.
                    let constants = unsafe { _mm_load_si128(CONSTANTS.0.as_ptr().add(4 * $group).cast()) };
                    let sum = _mm_add_epi32(schedule[$group % 4], constants);
                    let [abef, cdgh] = &mut words[lane];
                    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
                    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32::<0x0e>(sum));
                    if $group < 12 {
                        let [first, second, third, fourth] = [0, 1, 2, 3].map(|four| schedule[($group + four) % 4]);
                        let begun = _mm_sha256msg1_epu32(first, second);
                        let begun = _mm_add_epi32(begun, _mm_alignr_epi8::<4>(fourth, third));
                        schedule[$group % 4] = _mm_sha256msg2_epu32(begun, fourth);
                    }
                }
            )*};
        }
        rounds_4!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for (words, begin) in words.as_flattened_mut().iter_mut().zip(begin.as_flattened()) {
            *words = _mm_add_epi32(*words, *begin);
        }
    }
    for (state, [abef, cdgh]) in states.iter_mut().zip(words) {
        let [low, high] = [_mm_shuffle_epi32::<0x1b>(abef), _mm_shuffle_epi32::<0xb1>(cdgh)];
        // SAFETY: writes halves of a state.
        unsafe {
            _mm_storeu_si128(state.as_mut_ptr().cast(), _mm_blend_epi16::<0xf0>(low, high));
            _mm_storeu_si128(state.as_mut_ptr().add(4).cast(), _mm_alignr_epi8::<8>(high, low));
        }
    }
}

/// FIPS 180-4, section 4.2.2.
#[repr(align(64))]
struct Constants([u32; 64]);

#[rustfmt::skip] // rows
static CONSTANTS: Constants = Constants([
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
