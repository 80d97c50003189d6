//! Windows: what they contain, how they overlap, and how bytes move between them.

use crate::caller::Argument::{Source, Target};
use crate::caller::{Argument, Call};
use millrace_core::cipher::Text;
use millrace_request::bytes::{Copies, Window, text};
use millrace_request::protocol::OperationNumber as Number;

/// Returns two windows of one arena of the bytes 0, 1, 2, ... and what keeps it.
fn windows(one: std::ops::Range<usize>, other: std::ops::Range<usize>) -> (Call, [Window; 2]) {
    let mut call = Call::new((0..100).collect());
    call.place(Source, one);
    call.place(Target, other);
    let windows = ends(&call);
    (call, windows)
}

fn ends(call: &Call) -> [Window; 2] {
    [Source, Target].map(|argument| call.window(argument))
}

#[test]
fn a_part_lies_within_its_window() {
    let (_call, [window, _]) = windows(10..20, 0..0);
    for (offset, size, inside) in [
        (0, 10, true),
        (10, 0, true),
        (9, 1, true),
        (0, 11, false),
        (10, 1, false),
        (11, 0, false),
        (usize::MAX, 1, false),
        (1, usize::MAX, false),
    ] {
        let part = window.part(offset, size);
        assert_eq!(part.is_some(), inside, "{offset} {size}");
        if let Some(part) = part {
            let expected: Vec<u8> = (10 + offset as u8..).take(size).collect();
            assert_eq!(part.read(), expected);
        }
    }
}

#[test]
fn windows_overlap_if_they_share_a_byte() {
    for (one, other, overlap) in [
        (10..20, 19..30, true),
        (10..20, 20..30, false),
        (10..20, 0..10, false),
        (10..20, 0..11, true),
        (10..20, 12..14, true),
        (10..20, 10..20, true),
        (10..20, 15..15, false),
        (15..15, 10..20, false),
    ] {
        let (_call, [a, b]) = windows(one.clone(), other.clone());
        assert_eq!(a.overlaps(b), overlap, "{one:?} {other:?}");
        assert_eq!(b.overlaps(a), overlap, "{one:?} {other:?}");
        assert_eq!(a.exclusive(&[b]).is_none(), overlap, "{one:?} {other:?}");
        assert_eq!(a.is_disjoint_or_same_start(b), !overlap || one.start == other.start);
    }
}

#[test]
fn bytes_move_between_windows_that_overlap_in_any_way() {
    for (source, target) in [(10..40, 15..45), (15..45, 10..40), (10..40, 10..40), (10..40, 50..80)]
    {
        for step in [1, 4, 7, 29, 30, 31, 1000] {
            let (_call, [from, to]) = windows(source.clone(), target.clone());
            let expected = from.read().to_vec();
            let mut pauses = 0;
            to.move_from(from, step, || pauses += 1);
            assert_eq!(to.read(), expected, "{source:?} {target:?} {step}");
            assert_eq!(pauses, 30_usize.div_ceil(step));
        }
        let (_call, [from, to]) = windows(source.clone(), target.clone());
        let expected = from.read().to_vec();
        to.copy_from(from);
        assert_eq!(to.read(), expected);
    }
}

#[test]
fn a_write_ends_with_the_window_or_the_bytes() {
    let (call, [window, _]) = windows(10..20, 0..0);
    window.write(&[200; 30]);
    assert_eq!(call.arena()[20], 20);
    window.write(&[201; 3]);
    assert_eq!(window.read(), [201, 201, 201, 200, 200, 200, 200, 200, 200, 200]);
    window.clear();
    assert_eq!(window.read(), [0; 10]);
    assert_eq!((call.arena()[9], call.arena()[20]), (9, 20));
}

#[test]
fn the_text_of_a_cipher_is_disjoint_or_in_place() {
    for (source, target, in_place) in [
        (10..20, 30..40, Some(false)),
        (10..20, 10..20, Some(true)),
        (10..20, 15..25, Some(true)),
        (15..25, 10..20, Some(true)),
        (10..20, 30..41, None),
    ] {
        let (_call, [from, to]) = windows(source.clone(), target.clone());
        let expected = from.read().to_vec();
        let made = text(&from, &to, &[]);
        assert_eq!(made.as_ref().map(|text| matches!(text, Text::InPlace(_))), in_place);
        if let Some(text) = made {
            assert_eq!(text.source(), expected, "{source:?} {target:?}");
        }
    }
    let (_call, [from, to]) = windows(10..20, 30..40);
    let beside = to.part(9, 1).expect("within");
    assert!(text(&from, &to, &[beside]).is_none());
    assert!(text(&from, &to, &[from]).is_some());
}

/// Also where the target begins a little after the source in a page.
#[test]
fn bytes_are_copied_at_any_distance() {
    const SIZE: usize = 5000;
    let bytes: Vec<u8> = (0..=255).cycle().take(4 * SIZE).collect();
    for distance in (0..40).chain([4095, 4096, 4097, 8192, 8200, 8223, 8224, 12_300]) {
        for size in [0, 1, 2047, 2048, 2049, 4096, SIZE] {
            for (from, to) in [(20, 20 + distance), (20 + distance, 20)] {
                let mut call = Call::new(bytes.clone());
                call.place(Source, from..from + size);
                call.place(Target, to..to + size);
                let [source, target] = ends(&call);
                target.copy_from(source);
                let mut expected = bytes.clone();
                expected.copy_within(from..from + size, to);
                assert!(call.arena() == expected, "{size} bytes from {from} to {to}");
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no mincore")]
fn new_memory_is_filled_in_steps_with_all_bytes() {
    for size in [0, 1, 4096, 1 << 20, (3 << 20) + 5] {
        let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
        let arguments: [(Argument, &[u8]); 2] = [(Source, &bytes), (Target, &vec![0; size])];
        let call = Call::of(Number::Hash, 0, &arguments);
        let [from, to] = ends(&call);
        to.fill_new(from);
        assert_eq!(to.read(), bytes);
        assert!(call.guards_intact());
        let mut copies = Copies::default();
        let copy = copies.text(from).expect("memory");
        assert_eq!(copy.read(), bytes);
        assert_eq!(copies.read_text(), bytes);
    }
}

#[test]
fn copies_of_secrets_follow_each_other_and_are_replaced() {
    let mut copies = Copies::default();
    let (_call, [one, other]) = windows(10..20, 30..33);
    let [a, b, none] = copies.secrets([one, other, Window::EMPTY]).expect("memory");
    assert_eq!((a.read(), b.read(), none.size()), (one.read(), other.read(), 0));
    let [a] = copies.secrets([other]).expect("memory");
    assert_eq!(a.read(), other.read());
}

#[test]
fn little_memory_is_kept_for_the_next_work() {
    for (size, kept) in [(4096, true), (4097, false)] {
        let mut copies = Copies::default();
        let call = Call::of(Number::Hash, 0, &[(Source, &vec![1; size])]);
        let source = call.window(Source);
        copies.secrets([source]).expect("memory");
        copies.wipe_secrets();
        let secrets = if kept { size } else { 0 };
        assert_eq!(copies.reset(), secrets);
        copies.text(source).expect("memory");
        assert_eq!(copies.reset(), secrets + size);
    }
}
