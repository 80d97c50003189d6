//! Every set of kernels gives the digests of messages one by one, whatever their lengths and order,
//! and messages go through lanes as the definition says, with kernels that tell all they absorb.

use super::*;
use crate::checkpoint::{Checkpoint, Slicer};
use crate::cpu::kernels::lanes::{
    Kernels, blake2b, blake2s, blake3, choices, hash_sha256, keccak, md5, sha1, sha512,
};
use crate::hash::blake2::{Blake2b512, Blake2s256};
use crate::hash::blake3::Blake3;
use crate::hash::digest::Digest;
use crate::hash::keccak::{Keccak256, Sha3_224, Sha3_384, Sha3_512, Shake128, Shake256};
use crate::hash::md::{Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use crate::inputs::Params;
use crate::tests::{Bytes, absorbed, fenced};

/// Hashes messages which begin with a state, as a family's `hash` does.
type Hash<'a, D> = &'a dyn Fn(Kernels, &D, &[&[u8]], &mut [u8], DigestSink<'_>);

/// Compares all choices among the kernels to one by one, after nothing, with a key, and after a
/// block.
fn check<D: Digest>(size: usize, sources: &[&[u8]], hash: Hash<'_, D>) {
    let begun = D::new(&Params::default());
    // BLAKE3's; the others ignore it.
    let keyed = D::new(&Params { key: Some(&Bytes(11).array()), ..Params::default() });
    let mut after_block = begun.clone();
    after_block.update(&vec![0x36; D::BLOCK]);
    for begin in [begun, keyed, after_block] {
        let expected: Vec<Vec<u8>> = sources
            .iter()
            .map(|source| {
                let mut target = vec![0; size];
                begin.clone().finish_with(source, &mut target);
                target
            })
            .collect();
        for kernels in choices() {
            let mut found = vec![None; sources.len()];
            let mut each = |index: usize, digest: &[u8]| {
                assert_eq!(found[index].replace(digest.to_vec()), None, "{index} came twice");
            };
            hash(
                kernels,
                &begin,
                sources,
                &mut vec![0; size],
                DigestSink::new(&mut each, &mut None),
            );
            let found: Vec<Vec<u8>> =
                found.into_iter().map(|digest| digest.expect("each comes")).collect();
            let lengths = || sources.iter().map(|source| source.len()).collect::<Vec<_>>();
            assert!(found == expected, "{:?} {kernels:?}", lengths());
        }
    }
}

/// Batches of all kinds; see the names.
fn check_batches<D: Digest>(size: usize, hash: Hash<'_, D>) {
    let mut random = Bytes(size as u64 + 1);
    let bytes = random.vec((1 << 20) + 1);
    let mut number = move |limit: usize| u32::from_ne_bytes(random.array()) as usize % limit;
    for length in 0..=300 {
        let count = [2, 4, 8, 16, 9, 21][length % 6];
        let equal_lengths: Vec<&[u8]> =
            (0..count).map(|index| &bytes[index * 999 + length..][..length]).collect();
        check(size, &equal_lengths, hash);
    }
    let mut mix = |count: usize, limit: usize| -> Vec<&[u8]> {
        (0..count)
            .map(|_| (number(4000), number(limit + 1)))
            .map(|(at, length)| &bytes[at..at + length])
            .collect()
    };
    for count in (0..70).step_by(3) {
        check(size, &mix(count, 2100), hash);
        check(size, &mix(count + 1, 300), hash);
        check(size, &mix(count + 2, 130), hash);
    }
    for at in [0, 39] {
        let mut one_long_among_short = mix(40, 100);
        one_long_among_short[at] = &bytes[..30_000];
        check(size, &one_long_among_short, hash);
    }
    let mut long_ones = mix(6, 3000);
    long_ones[4] = &bytes;
    check(size, &long_ones, hash);
    for length in [0, 64, 1000] {
        check(size, &[&bytes[..length]; 20], hash);
    }
}

/// Checks what differs between the members of a family.
fn check_few<D: Digest>(size: usize, hash: Hash<'_, D>) {
    let bytes = Bytes(5).vec(20_000);
    let lengths = [
        0, 1, 55, 56, 63, 64, 111, 112, 127, 128, 71, 72, 103, 104, 135, 136, 143, 144, 167, 168,
        500,
    ];
    for count in [2, 8, 21] {
        check(size, &lengths.map(|length| &bytes[length..][..length])[..count], hash);
        check(size, &[&bytes[..D::BLOCK - 1]; 21][..count], hash);
    }
}

/// Defines a [`Hash`] of a family whose states are words.
macro_rules! words {
    ($hash:path) => {
        &|kernels, state, sources, target, sink| {
            $hash(kernels, (state.words, state.length), sources, target, sink)
        }
    };
}

#[test]
fn sha_256_lanes_agree_with_single_hashes() {
    check_batches::<Sha256>(32, words!(hash_sha256));
    check_few::<Sha224>(28, words!(hash_sha256));
}

#[test]
fn sha_512_family_lanes_agree_with_single_hashes() {
    if cfg!(target_arch = "x86_64") {
        check_batches::<Sha512>(64, words!(sha512::hash));
        check_few::<Sha384>(48, words!(sha512::hash));
        check_few::<Sha512_224>(28, words!(sha512::hash));
        check_few::<Sha512_256>(32, words!(sha512::hash));
    }
}

#[test]
fn sha_1_lanes_agree_with_single_hashes() {
    if cfg!(target_arch = "x86_64") {
        check_batches::<Sha1>(20, words!(sha1::hash));
    }
}

#[test]
fn md_5_lanes_agree_with_single_hashes() {
    if cfg!(target_arch = "x86_64") {
        check_batches::<Md5>(16, words!(md5::hash));
    }
}

/// Defines a [`Hash`] of BLAKE2 and BLAKE3, which have kernels for all that they do or none.
macro_rules! blake {
    ($module:ident) => {
        &|kernels, state, sources, target, sink| {
            let kernels =
                if $module::multibuffer(kernels).is_some() { kernels } else { Kernels::detect() };
            state.finish_with_kernels(kernels, sources, target, sink)
        }
    };
}

#[test]
fn blake_2_and_3_lanes_agree_with_single_hashes() {
    if Blake3::multibuffer().is_some() {
        check_batches::<Blake2b512>(64, blake!(blake2b));
        check_few::<Blake2b512>(20, blake!(blake2b));
        check_batches::<Blake2s256>(32, blake!(blake2s));
        check_few::<Blake2s256>(5, blake!(blake2s));
        check_batches::<Blake3>(32, blake!(blake3));
        check_few::<Blake3>(17, blake!(blake3));
        // Trees of one to 18 chunks.
        let bytes = Bytes(7).vec(18 << 10);
        let ends = (1..18).flat_map(|chunks| [-1, 0, 1].map(|by| (chunks << 10) + by));
        let trees: Vec<&[u8]> = ends.map(|end| &bytes[..end as usize]).collect();
        check::<Blake3>(32, &trees, blake!(blake3));
        let small: Vec<&[u8]> = trees[2..12].repeat(4);
        check::<Blake3>(32, &small, blake!(blake3));
        check::<Blake3>(32, &small[3..18], blake!(blake3));
    }
}

/// Defines a [`Hash`] of a sponge.
macro_rules! sponge {
    () => {
        &|kernels, state, sources, target, sink| {
            keccak::hash(kernels, state.for_lanes(), sources, target, sink)
        }
    };
}

#[test]
fn keccak_1600_lanes_agree_with_single_hashes() {
    check_batches::<Keccak256>(32, sponge!());
    check_few::<Sha3_224>(28, sponge!());
    check_few::<Sha3_384>(48, sponge!());
    check_few::<Sha3_512>(64, sponge!());
    check_few::<Shake128>(168, sponge!());
    check_few::<Shake256>(100, sponge!());
}

/// A hash of blocks of three bytes. The padded end has two if the last has no room for the length.
#[derive(Copy, Clone)]
struct Symbolic;

impl BlockHash for Symbolic {
    type State = [u64; 1];
    type Tail = [u8; 6];
    type Digest = [u8; 8];

    fn block(&self) -> usize {
        3
    }

    fn ends(&self, rest: usize) -> usize {
        1 + usize::from(rest == 2)
    }

    fn blocks(&self, state: &mut [u64; 1], blocks: &[u8]) {
        blocks.chunks_exact(3).for_each(|block| state[0] = absorbed(state[0], block));
    }

    fn pad(&self, tail: &mut [u8; 6], rest: &[u8], length: u64) {
        *tail = [0; 6];
        tail[..rest.len()].copy_from_slice(rest);
        tail[rest.len()] = 0x80;
        tail[3 * self.ends(rest.len()) - 1] = length as u8;
    }

    fn scalar(&self, mut state: [u64; 1], length: u64, rest: &[u8], target: &mut [u8]) {
        let (blocks, rest) = rest.split_at(rest.len() / 3 * 3);
        let mut tail = [0; 6];
        self.pad(&mut tail, rest, length);
        self.blocks(&mut state, &[blocks, &tail[..3 * self.ends(rest.len())]].concat());
        target.copy_from_slice(&state[0].to_le_bytes());
    }
}

/// A kernel with the number of lanes from which it is used.
#[derive(Copy, Clone)]
struct SymbolicLanes(usize);

impl<const LANES: usize> LaneKernel<Symbolic, LANES> for SymbolicLanes {
    type States = [[u64; 1]; LANES];

    fn min_lanes(self) -> usize {
        self.0
    }

    // SAFETY: as in the trait.
    unsafe fn step(
        self,
        hash: Symbolic,
        states: &mut Self::States,
        Edges { fresh, .. }: Edges,
        start: &[u64; 1],
        at: &[*const u8; LANES],
        count: usize,
    ) {
        for (lane, state) in states.iter_mut().enumerate() {
            if fresh >> lane & 1 == 1 {
                *state = *start;
            }
            // SAFETY: `count` blocks can be read at each pointer.
            hash.blocks(state, unsafe { std::slice::from_raw_parts(at[lane], 3 * count) });
        }
    }

    fn digests(self, states: &Self::States, ended: u32, digests: &mut [[u8; 8]; LANES], _: usize) {
        bits(ended).for_each(|lane| digests[lane] = states[lane][0].to_le_bytes());
    }
}

/// Cancels a message after some checkpoints.
struct Cancels(usize, usize);

impl Checkpoint for Cancels {
    fn checkpoint(&mut self) {
        self.1 = self.1.saturating_sub(1);
    }

    fn cancelled(&self, index: usize) -> bool {
        (index, self.1) == (self.0, 0)
    }
}

/// Hashes messages of these lengths by kernels of four, three and two lanes and by scalar code, in
/// one go or in slices, and with one message cancelled.
fn check_lengths(lengths: &[usize], text: &[u8]) {
    let (begun, mut ends) = (3, 0);
    let start = [absorbed(0, b"abc")];
    let end = |length: &usize| {
        ends += length;
        ends
    };
    let sources: Vec<&[u8]> =
        lengths.iter().map(end).zip(lengths).map(|(end, size)| &text[end - size..end]).collect();
    for (turn, [four, three, two]) in [[4, 3, 2], [2, 2, 2], [3, 2, 2]].into_iter().enumerate() {
        let mut checkpoint = Cancels(turn * lengths.len() / 2, lengths.len() % 4);
        let cancelled = if turn > 0 { checkpoint.0 } else { usize::MAX };
        let slicer = &mut (turn > 0).then(|| Slicer::new(4 * turn, &mut checkpoint));
        let mut found = vec![None; sources.len()];
        let mut each = |index: usize, digest: &[u8]| {
            assert_eq!(found[index].replace(digest.to_vec()), None, "{index} came twice");
        };
        let mut target = [0; 8];
        let sink = DigestSink::new(&mut each, slicer);
        let mut batch = Batch::new(Symbolic, start, begun, &sources, &mut target, sink);
        run::<_, _, 4>(SymbolicLanes(four), &mut batch);
        run::<_, _, 3>(SymbolicLanes(three), &mut batch);
        run::<_, _, 2>(SymbolicLanes(two), &mut batch);
        batch.scalar();
        drop(batch);
        for (index, (source, found)) in sources.iter().zip(found).enumerate() {
            let mut expected = vec![0; 8];
            Symbolic.scalar(start, begun + source.len() as u64, source, &mut expected);
            let fits = found == Some(expected) || found.is_none() && index == cancelled;
            assert!(fits, "{index} of {lengths:?}, {cancelled} cancelled");
        }
    }
}

/// Up to seven messages of two blocks, four of four, and some of other shapes. The last ends where
/// nothing can be read.
#[test]
fn messages_of_all_lengths_go_through_lanes() {
    let text = fenced();
    text.iter_mut().rev().enumerate().for_each(|(at, byte)| *byte = (at % 251) as u8);
    let choices: [(usize, &[usize]); 3] = [
        (7, &[0, 2, 3, 5, 6]),
        (4, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (5, &[0, 3, 5, 11, 27, 31]),
    ];
    let check = |lengths: &[usize]| {
        check_lengths(lengths, &text[text.len() - lengths.iter().sum::<usize>()..]);
    };
    for (most, choice) in choices {
        for count in 0..=most {
            for number in 0..choice.len().pow(count as u32) {
                let digit = |place: usize| number / choice.len().pow(place as u32) % choice.len();
                let lengths: Vec<_> = (0..count).map(|place| choice[digit(place)]).collect();
                check(&lengths);
            }
        }
    }
    let mut random = Bytes(8);
    for count in 60..140 {
        let most = [4, 40, 70][count % 3];
        let length = |byte: u8| usize::from(byte) % most;
        check(&random.vec(count).into_iter().map(length).collect::<Vec<_>>());
    }
}
