//! The rounds of SHA-512, over a function `fixed` of the module that uses them, through which sums go
//! that are not to be regrouped.

/// One round. What becomes of the other words is a matter of names, so that nothing is moved.
/// `$differ` is B XOR C, which Maj wants, and becomes that of the next round: A XOR B. `$sum` is
/// the large sigma of the last round's A, which is missing in this one's.
macro_rules! round {
    ($differ:ident, $sum:ident,
        $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $word:expr) => {
        $h = fixed($h.wrapping_add($word));
        $h = fixed($h.wrapping_add($e & $f));
        $a = fixed($a.wrapping_add($sum));
        $h = fixed($h.wrapping_add(!$e & $g));
        let large: u64 = fixed($e.rotate_right(14) ^ $e.rotate_right(18)) ^ $e.rotate_right(41);
        let next: u64 = $a ^ $b;
        $h = fixed($h.wrapping_add(large));
        $d = fixed($d.wrapping_add($h));
        let majority: u64 = $b ^ ($differ & next);
        $differ = next;
        $h = fixed($h.wrapping_add(majority));
        $sum = fixed($a.rotate_right(28) ^ $a.rotate_right(34)) ^ $a.rotate_right(39);
    };
}

/// 16 rounds over the words which `$word` gives by number; `$before` runs ahead of each second one.
macro_rules! rounds_16 {
    ($words:ident, $word:expr, $before:expr) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *$words;
        let mut differ = b ^ c;
        let mut sum = 0_u64;
        $before(0);
        round!(differ, sum, a b c d e f g h, $word(0));
        round!(differ, sum, h a b c d e f g, $word(1));
        $before(1);
        round!(differ, sum, g h a b c d e f, $word(2));
        round!(differ, sum, f g h a b c d e, $word(3));
        $before(2);
        round!(differ, sum, e f g h a b c d, $word(4));
        round!(differ, sum, d e f g h a b c, $word(5));
        $before(3);
        round!(differ, sum, c d e f g h a b, $word(6));
        round!(differ, sum, b c d e f g h a, $word(7));
        $before(4);
        round!(differ, sum, a b c d e f g h, $word(8));
        round!(differ, sum, h a b c d e f g, $word(9));
        $before(5);
        round!(differ, sum, g h a b c d e f, $word(10));
        round!(differ, sum, f g h a b c d e, $word(11));
        $before(6);
        round!(differ, sum, e f g h a b c d, $word(12));
        round!(differ, sum, d e f g h a b c, $word(13));
        $before(7);
        round!(differ, sum, c d e f g h a b, $word(14));
        round!(differ, sum, b c d e f g h a, $word(15));
        debug_assert_eq!(differ, b ^ c);
        a = a.wrapping_add(sum);
        *$words = [a, b, c, d, e, f, g, h];
    };
}

pub(super) use {round, rounds_16};
