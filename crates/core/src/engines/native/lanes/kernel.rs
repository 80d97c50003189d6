//! What the kernels of the hashes by Merkle and Damgard have in common: all but the rounds.

/// Makes a kernel of vectors (`$set`), and of `rounds(words, block)`, a function which its type
/// must have. Words of blocks and digests are in the `$order` of the hash; `$pad` is
/// [`Kernel::pad`](super::Kernel::pad).
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $chain:ident, $set:ident, [[$word:ty; $lanes:literal]; $words:literal],
     $vector:ty, $proof:ident, $features:literal, $order:ident, $pad:expr) => {
        $(#[$doc])*
        #[derive(Copy, Clone)]
        struct $name {
            #[allow(dead_code)] // a proof
            proof: $proof,
            pays: usize,
        }

        impl Kernel<$chain, $lanes> for $name {
            type States = Columns<$word, $words, $lanes>;
            const STATES: Self::States = Columns([[0; $lanes]; $words]);

            fn pays(self) -> usize {
                self.pays
            }

            // SAFETY: as in the trait.
            unsafe fn step(
                self,
                _chain: $chain,
                states: &mut Self::States,
                fresh: u32,
                start: &[$word; $words],
                at: &[*const u8; $lanes],
                count: usize,
            ) {
                // SAFETY: there is the proof that the CPU has the instructions; the rest is promised by the caller.
                unsafe { Self::steps(&mut states.0, fresh, start, at, count) }
            }

            fn put(states: &mut Self::States, lane: usize, state: &[$word; $words]) {
                states.put(lane, state);
            }

            fn get(states: &Self::States, lane: usize) -> [$word; $words] {
                states.get(lane)
            }

            #[inline(always)]
            fn pad(self, chain: $chain, tail: &mut Tail<$chain>, rest: &[u8], length: u64) {
                let pad: fn(Self, $chain, &mut Tail<$chain>, &[u8], u64) = $pad;
                pad(self, chain, tail, rest, length);
            }

            #[inline(always)]
            fn digests(self, states: &Self::States, ended: u32, digests: &mut [Digest<$chain>; $lanes], _size: usize) {
                if ended.count_ones() > FEW {
                    // SAFETY: there is the proof that the CPU has the instructions.
                    unsafe { Self::all_digests(&states.0, digests) }
                } else {
                    bits(ended).for_each(|lane| digests[lane] = $chain::digest(states.get(lane)));
                }
            }
        }

        impl $name {
            /// Runs with the kernel.
            #[target_feature(enable = $features)]
            fn run(work: &mut Work<'_, '_, $chain>, proof: $proof, pays: usize) {
                run(Self { proof, pays }, work);
            }

            /// # Safety
            /// `count` blocks can be read at each pointer.
            #[target_feature(enable = $features)]
            unsafe fn steps(
                states: &mut [[$word; $lanes]; $words],
                fresh: u32,
                start: &[$word; $words],
                at: &[*const u8; $lanes],
                count: usize,
            ) {
                let mut words: [$vector; $words] =
                    std::array::from_fn(|index| $set::put($set::load(&states[index]), fresh, start[index]));
                for block in 0..count {
                    // SAFETY: as promised by the caller.
                    let block = unsafe { $set::block(at, block * 16 * size_of::<$word>()) };
                    let after = Self::rounds(words, block.map(|word| $set::$order(word)));
                    words = std::array::from_fn(|index| $set::add(words[index], after[index]));
                }
                states.iter_mut().zip(words).for_each(|(row, word)| $set::store(row, word));
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn all_digests(states: &[[$word; $lanes]; $words], digests: &mut [Digest<$chain>; $lanes]) {
                $set::rows(states.each_ref().map(|row| $set::$order($set::load(row))), digests);
            }
        }
    };
}

/// Makes kernels of the instructions made for a hash, for two messages or more in turn: while one
/// waits for its instruction, others have theirs. Of `step_in_turn(states, at, count)`, a function
/// which must be there.
macro_rules! in_turn {
    ($chain:ident, $words:literal) => {
        /// Messages in turn.
        #[derive(Copy, Clone)]
        struct InTurn(#[allow(dead_code)] ShaNi);

        impl<const LANES: usize> Kernel<$chain, LANES> for InTurn {
            type States = [[u32; $words]; LANES];
            const STATES: Self::States = [[0; $words]; LANES];

            fn pays(self) -> usize {
                LANES
            }

            // SAFETY: as in the trait.
            unsafe fn step(
                self,
                _chain: $chain,
                states: &mut Self::States,
                fresh: u32,
                start: &[u32; $words],
                at: &[*const u8; LANES],
                count: usize,
            ) {
                for (lane, state) in states.iter_mut().enumerate() {
                    if fresh >> lane & 1 == 1 {
                        *state = *start;
                    }
                }
                // SAFETY: there is the proof that the CPU has the instructions; the rest is
                // promised by the caller.
                unsafe { step_in_turn(states, at, count) }
            }

            fn put(states: &mut Self::States, lane: usize, state: &[u32; $words]) {
                states[lane] = *state;
            }

            fn get(states: &Self::States, lane: usize) -> [u32; $words] {
                states[lane]
            }

            #[inline(always)]
            fn digests(
                self,
                states: &Self::States,
                ended: u32,
                digests: &mut [Digest<$chain>; LANES],
                _size: usize,
            ) {
                bits(ended).for_each(|lane| digests[lane] = $chain::digest(states[lane]));
            }
        }

        impl InTurn {
            /// Runs with the kernel.
            #[target_feature(enable = "ssse3,sse4.1,sha")]
            fn run<const LANES: usize>(work: &mut Work<'_, '_, $chain>, proof: ShaNi) {
                run::<_, _, LANES>(Self(proof), work);
            }
        }
    };
}

pub(super) use {in_turn, kernel};

/// So many digests are quicker to write one by one than those of all lanes at once.
pub(super) const FEW: u32 = 3;

/// Pads the last bytes of a message in as many bytes as they make then, which are zero.
#[inline]
pub(super) fn pad(tail: &mut [u8], rest: &[u8], length: [u8; 8]) {
    tail[..rest.len()].copy_from_slice(rest);
    tail[rest.len()] = 0x80;
    let place = tail.len() - 8;
    tail[place..].copy_from_slice(&length);
}
