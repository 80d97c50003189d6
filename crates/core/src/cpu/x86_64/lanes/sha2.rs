//! SHA-2's rounds, which SHA-256 and SHA-512 share up to the rotations.
//!
//! ```text
//! round i:  sum = h + (w[i] + constants[i]) + Ch(e, f, g);  mix = Sigma1(e)
//!           d = (d + sum) + mix
//!           h = (Sigma0(a) + Maj(a, b, c)) + (sum + mix)
//!           w[i] = w[i] + sigma0(w[i + 1]) + w[i + 9] + sigma1(w[i + 14])      indices modulo 16
//!           a to h change their names
//! ```
//!
//! The last 16 rounds compute no words. With AVX-512 an XOR of three, Ch, Maj and a rotation are
//! one instruction each; AVX2 needs several.

/// Defines the function `rounds` for a kernel. `$large` and `$small` are the rotations of the
/// sigmas, small ones with a shift at the end.
///
/// The words of the schedule are computed amid the rounds (SHA-256 with AVX-512: 10.2 ns a block
/// and message, between groups of 16 rounds 13). From one E to the next are three instructions, of
/// two cycles each: D and the rest are added apart, which takes an addition more (10.2 ns against
/// 11). Not faster: 2 times 16 lanes interleaved (10.0 to 10.6; with 16 the units are as good
/// as full); a ready schedule for the block of padding scalar that a message of whole blocks ends
/// with (9.3, as the hash does not get shorter).
macro_rules! rounds {
    ($kernel:ident, $set:ident, $vector:ty, $features:literal, $constants:expr, $groups:literal,
     ($($large_a:literal)*) ($($large_e:literal)*) ($small_0:literal
         $small_1:literal >> $small_2:literal)
     ($near_0:literal $near_1:literal >> $near_2:literal)) => {
        impl $kernel {
            #[inline]
            #[target_feature(enable = $features)]
            fn rounds(words: [$vector; 8], block: [$vector; 16]) -> [$vector; 8] {
                let mut schedule = block;
                let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = words;
                for (group,
                    constants) in $constants.as_chunks::<16>().0.iter().take($groups).enumerate() {
                    macro_rules! round {
                        ($index:expr, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident
                            $h:ident) => {
                            let word = $set::add(schedule[$index], $set::all(constants[$index]));
                            let sum = $set::add($set::add($h, word), $set::choice($e, $f, $g));
                            let mix = $set::xor_3($($set::rotated_right::<$large_e>($e)),*);
                            $d = $set::add($set::add($d, sum), mix);
                            let other = $set::xor_3($($set::rotated_right::<$large_a>($a)),*);
                            $h = $set::add($set::add(other, $set::majority($a, $b, $c)),
                                $set::add(sum, mix));
                            if group < $groups - 1 {
                                let far = schedule[($index + 1) % 16];
                                let near = schedule[($index + 14) % 16];
                                let far = $set::xor_3(
                                    $set::rotated_right::<$small_0>(far),
                                    $set::rotated_right::<$small_1>(far),
                                    $set::shifted_right::<$small_2>(far),
                                );
                                let near = $set::xor_3(
                                    $set::rotated_right::<$near_0>(near),
                                    $set::rotated_right::<$near_1>(near),
                                    $set::shifted_right::<$near_2>(near),
                                );
                                schedule[$index] = $set::add(
                                    $set::add(schedule[$index], far),
                                    $set::add(schedule[($index + 9) % 16], near),
                                );
                            }
                        };
                    }
                    round!(0, a b c d e f g h);
                    round!(1, h a b c d e f g);
                    round!(2, g h a b c d e f);
                    round!(3, f g h a b c d e);
                    round!(4, e f g h a b c d);
                    round!(5, d e f g h a b c);
                    round!(6, c d e f g h a b);
                    round!(7, b c d e f g h a);
                    round!(8, a b c d e f g h);
                    round!(9, h a b c d e f g);
                    round!(10, g h a b c d e f);
                    round!(11, f g h a b c d e);
                    round!(12, e f g h a b c d);
                    round!(13, d e f g h a b c);
                    round!(14, c d e f g h a b);
                    round!(15, b c d e f g h a);
                }
                [a, b, c, d, e, f, g, h]
            }
        }
    };
}

pub(super) use rounds;
