//! What BLAKE2 and BLAKE3 share: a last block that is marked, even if it is whole, and the order in
//! which words are mixed, whatever mixes them: for half a round `$mix!` gets `$context`, and four
//! times the places of four words and of two words of the block.

/// Returns the number of a message's bytes in whole blocks that cannot be the last.
#[inline]
pub(crate) const fn all_but_last<const BLOCK: usize>(length: usize) -> usize {
    length.saturating_sub(1) / BLOCK * BLOCK
}

/// Fills the padded end of a message in a lane: its last bytes, zeros to a whole block, and behind
/// the block their number.
#[inline]
pub(crate) fn pad<const BLOCK: usize>(tail: &mut [u8], rest: &[u8]) {
    tail.fill(0);
    tail[..rest.len()].copy_from_slice(rest);
    tail[BLOCK] = rest.len() as u8;
}

/// The halves of a round: four mixes that have nothing to do with each other, on columns and on
/// diagonals.
macro_rules! round {
    ($mix:ident $context:tt,
     $s0:literal $s1:literal $s2:literal $s3:literal $s4:literal $s5:literal $s6:literal $s7:literal
     $s8:literal $s9:literal $sa:literal $sb:literal $sc:literal $sd:literal $se:literal
         $sf:literal) => {
        $mix!($context, [0 4 8 12, $s0 $s1] [1 5 9 13, $s2 $s3]
            [2 6 10 14, $s4 $s5] [3 7 11 15, $s6 $s7]);
        $mix!($context, [0 5 10 15, $s8 $s9] [1 6 11 12, $sa $sb]
            [2 7 8 13, $sc $sd] [3 4 9 14, $se $sf]);
    };
}

/// The ten rounds of BLAKE2s; BLAKE2b repeats the first two, and BLAKE3 has seven of its own.
macro_rules! rounds {
    (ten, $mix:ident $context:tt) => {
        round!($mix $context, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        round!($mix $context, 14 10 4 8 9 15 13 6 1 12 0 2 11 7 5 3);
        round!($mix $context, 11 8 12 0 5 2 15 13 10 14 3 6 7 1 9 4);
        round!($mix $context, 7 9 3 1 13 12 11 14 2 6 5 10 4 0 15 8);
        round!($mix $context, 9 0 5 7 2 4 10 15 14 1 11 12 6 8 3 13);
        round!($mix $context, 2 12 6 10 0 11 8 3 4 13 7 5 15 14 1 9);
        round!($mix $context, 12 5 1 15 14 13 4 10 0 7 6 3 9 2 8 11);
        round!($mix $context, 13 11 7 14 12 1 3 9 5 0 15 4 8 6 2 10);
        round!($mix $context, 6 15 14 9 11 3 0 8 12 2 13 7 1 4 10 5);
        round!($mix $context, 10 2 8 4 7 6 1 5 15 11 9 14 3 12 13 0);
    };
    (twelve, $mix:ident $context:tt) => {
        rounds!(ten, $mix $context);
        round!($mix $context, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        round!($mix $context, 14 10 4 8 9 15 13 6 1 12 0 2 11 7 5 3);
    };
    (seven, $mix:ident $context:tt) => {
        round!($mix $context, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        round!($mix $context, 2 6 3 10 7 0 4 13 1 11 12 5 9 14 15 8);
        round!($mix $context, 3 4 10 12 13 2 7 14 6 5 9 0 11 15 8 1);
        round!($mix $context, 10 7 12 9 14 3 13 15 4 0 11 2 5 8 1 6);
        round!($mix $context, 12 13 9 11 15 10 14 8 7 2 5 3 0 1 6 4);
        round!($mix $context, 9 14 11 5 8 12 15 1 13 3 0 10 2 6 4 7);
        round!($mix $context, 11 15 5 0 1 9 8 6 14 10 2 12 3 4 7 13);
    };
}

pub(crate) use {round, rounds};
