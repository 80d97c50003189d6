//! The rounds of SHA-2 in general registers, for both sizes of words.
//!
//! In assembly because of the order of the instructions: the same ones in the compiler's order take
//! 1.06 times as long on Sapphire Rapids (SHA-256; OpenSSL's order is the same). Additions are made
//! by `lea`, which keeps off the units that `rorx` needs.

use std::arch::asm;

/// Returns the pointer. The compiler cannot derive it from another one and an offset, which would
/// take a register more than there are.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block)] // The pointer itself is the value.
pub(super) fn apart<T>(mut pointer: *const T) -> *const T {
    // SAFETY: no instructions.
    unsafe {
        asm!("/* {0} */", inout(reg) pointer, options(pure, nomem, nostack, preserves_flags));
    }
    pointer
}

/// One round. The words change their names instead of their places. `$differ` is B XOR C, which Maj
/// wants, and becomes that of the next round: A XOR B. `$sum` is the large sigma of the last
/// round's A, which is missing in this one's; `$copy` is F, and becomes E.
///
/// `$how` has the width of registers, that of words in memory and in bytes, and the rotations of
/// the large sigmas of E and A.
macro_rules! round {
    (
        [$r:literal $memory:literal $bytes:literal
            $e_0:literal $e_1:literal $e_2:literal $a_0:literal $a_1:literal $a_2:literal]
        $differ:ident $sum:ident $copy:ident $schedule:ident $index:literal
        $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident
    ) => {
        let next;
        asm!(
            concat!("add {h:", $r, "}, ", $memory, " ptr [{schedule} + {at}]"),
            concat!("and {copy:", $r, "}, {e:", $r, "}"),
            concat!("rorx {x:", $r, "}, {e:", $r, "}, ", $e_2),
            concat!("rorx {next:", $r, "}, {e:", $r, "}, ", $e_1),
            concat!("lea {a:", $r, "}, [{a:r} + {sum:r}]"),
            concat!("lea {h:", $r, "}, [{h:r} + {copy:r}]"),
            concat!("andn {copy:", $r, "}, {e:", $r, "}, {g:", $r, "}"),
            concat!("xor {x:", $r, "}, {next:", $r, "}"),
            concat!("rorx {sum:", $r, "}, {e:", $r, "}, ", $e_0),
            concat!("lea {h:", $r, "}, [{h:r} + {copy:r}]"),
            concat!("xor {x:", $r, "}, {sum:", $r, "}"),
            concat!("mov {next:", $r, "}, {a:", $r, "}"),
            concat!("rorx {copy:", $r, "}, {a:", $r, "}, ", $a_2),
            concat!("lea {h:", $r, "}, [{h:r} + {x:r}]"),
            concat!("xor {next:", $r, "}, {b:", $r, "}"),
            concat!("rorx {sum:", $r, "}, {a:", $r, "}, ", $a_1),
            concat!("rorx {x:", $r, "}, {a:", $r, "}, ", $a_0),
            concat!("lea {d:", $r, "}, [{d:r} + {h:r}]"),
            concat!("and {differ:", $r, "}, {next:", $r, "}"),
            concat!("xor {sum:", $r, "}, {copy:", $r, "}"),
            concat!("xor {differ:", $r, "}, {b:", $r, "}"),
            concat!("xor {sum:", $r, "}, {x:", $r, "}"),
            concat!("lea {h:", $r, "}, [{h:r} + {differ:r}]"),
            concat!("mov {copy:", $r, "}, {e:", $r, "}"),
            a = inout(reg) $a,
            b = in(reg) $b,
            d = inout(reg) $d,
            e = in(reg) $e,
            g = in(reg) $g,
            h = inout(reg) $h,
            differ = inout(reg) $differ => _,
            sum = inout(reg) $sum,
            copy = inout(reg) $copy,
            next = out(reg) next,
            x = out(reg) _,
            schedule = in(reg) $schedule,
            // A vector of the schedule has 16 bytes of each of two blocks.
            at = const $index * $bytes / 16 * 32 + $index * $bytes % 16,
            options(pure, readonly, nostack),
        );
        $differ = next;
    };
}

/// 16 rounds over the words of one block at `$schedule`; `$before` runs ahead of each second one.
/// Assembly, so unsafe: the schedule is filled.
macro_rules! rounds_16 {
    ($how:tt $words:ident, $schedule:ident, $before:expr) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = $words;
        let (mut differ, mut sum, mut copy) = (b ^ c, 0, f);
        $before(0);
        round!($how differ sum copy $schedule 0 a b c d e f g h);
        round!($how differ sum copy $schedule 1 h a b c d e f g);
        $before(1);
        round!($how differ sum copy $schedule 2 g h a b c d e f);
        round!($how differ sum copy $schedule 3 f g h a b c d e);
        $before(2);
        round!($how differ sum copy $schedule 4 e f g h a b c d);
        round!($how differ sum copy $schedule 5 d e f g h a b c);
        $before(3);
        round!($how differ sum copy $schedule 6 c d e f g h a b);
        round!($how differ sum copy $schedule 7 b c d e f g h a);
        $before(4);
        round!($how differ sum copy $schedule 8 a b c d e f g h);
        round!($how differ sum copy $schedule 9 h a b c d e f g);
        $before(5);
        round!($how differ sum copy $schedule 10 g h a b c d e f);
        round!($how differ sum copy $schedule 11 f g h a b c d e);
        $before(6);
        round!($how differ sum copy $schedule 12 e f g h a b c d);
        round!($how differ sum copy $schedule 13 d e f g h a b c);
        $before(7);
        round!($how differ sum copy $schedule 14 c d e f g h a b);
        round!($how differ sum copy $schedule 15 b c d e f g h a);
        debug_assert_eq!((differ, copy), (b ^ c, f));
        a = a.wrapping_add(sum);
        $words = [a, b, c, d, e, f, g, h];
    };
}

pub(super) use {round, rounds_16};
