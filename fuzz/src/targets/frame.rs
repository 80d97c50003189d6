//! A call with hostile numbers and ranges: it ends with a status, and writes to its targets only.

use super::input::Input;
use crate::caller::{Argument, Call};
use millrace_request::keys::Purpose;
use millrace_request::memory_budget;
use millrace_request::predict;
use millrace_request::protocol::{At, OperationNumber, Status, flag};
use millrace_request::work::Reply;

const ARENA_BYTES: usize = 6000;

/// Calls that are predicted to take longer are not made.
const MOST_NS: u64 = 3_000_000;

/// The numbers of the frame that an input chooses beside those of ranges.
const NUMBERS: [At; 8] = [
    At::Count,
    At::MessageSize,
    At::SeedLow,
    At::SeedHigh,
    At::MaxMemory,
    At::MaxTime,
    At::TagSize,
    At::TargetSize,
];

const RANGES: [(Argument, At, At); 6] = [
    (Argument::Source, At::SourceOffset, At::SourceSize),
    (Argument::Target, At::TargetOffset, At::TargetSize),
    (Argument::Iv, At::IvOffset, At::IvSize),
    (Argument::Aad, At::AadOffset, At::AadSize),
    (Argument::Tag, At::TagOffset, At::TagSize),
    (Argument::Key, At::KeyOffset, At::KeySize),
];

pub(crate) fn run(data: &[u8]) {
    let input = &mut Input(data);
    let Some(operation) = OperationNumber::from_number(u32::from(input.byte()) % 30) else {
        return;
    };
    // They would read files whose names the input chooses.
    if matches!(operation, OperationNumber::HashFile | OperationNumber::HashFiles) {
        return;
    }
    let algorithm = input.byte();
    let mut call = Call::new((0..ARENA_BYTES).map(|at| (at % 251) as u8).collect());
    let mut ranges = Vec::new();
    for (argument, _, _) in RANGES {
        if input.byte() & 7 == 7 {
            continue;
        }
        let start = input.below(ARENA_BYTES);
        let size = input.below(ARENA_BYTES - start);
        call.place(argument, start..start + size);
        ranges.push((argument, start, size));
    }
    call.set(At::Operation, f64::from(operation as u32));
    call.set(At::Algorithm, f64::from(algorithm % 64));
    if input.byte() & 7 == 0 {
        let flags = input.below(1 << 16) as u32 & !flag::PROGRESS;
        call.set(At::Flags, f64::from(flags));
    }
    // Ranges within the arguments, or anywhere.
    for (argument, offset, size) in RANGES {
        let Some(&(_, _, whole)) = ranges.iter().find(|(each, ..)| *each == argument) else {
            continue;
        };
        match input.byte() & 7 {
            0 => {
                call.set(offset, number(input));
                call.set(size, number(input));
            }
            1 | 2 => {
                let start = input.below(whole + 1);
                call.set(offset, start as f64);
                call.set(size, input.below(whole - start + 1) as f64);
            }
            _ => {}
        }
    }
    for at in NUMBERS {
        if input.byte() & 1 == 0 {
            call.set(at, number(input));
        }
    }
    call.views = (0..input.below(20))
        .map(|_| {
            let start = input.below(ARENA_BYTES);
            start..start + input.below(ARENA_BYTES - start)
        })
        .collect();
    match input.byte() & 7 {
        0 => call.set(At::Key, number(input)),
        1 | 2 => {
            let purpose = Purpose::from_numbers(input.byte().into(), input.byte().into());
            let size = [16, 24, 32, 33][usize::from(input.byte() & 3)];
            if let Some(purpose) = purpose {
                // A key that is refused leaves the bytes of the call.
                let _ = call.prepare(purpose, &input.exactly(size));
            }
        }
        _ => {}
    }
    for (argument, ..) in &ranges {
        let bytes = input.bytes(input.0.len() / 2);
        call.write(*argument, bytes);
    }
    let lent = input.byte() & 1 == 1;
    let Ok(work) = call.decode() else { return };
    if predict::predict(&work) > MOST_NS || work.derivation.memory() > 1 << 22 {
        return;
    }
    drop(work);
    let before = call.arena();
    let status = call.run_with(&mut Reply::empty(), |work| work.lent = lent);
    memory_budget::wipe_deferred(|| {});
    let after = call.arena();
    assert_ne!(status, Status::Internal);
    // The targets: that of the result, and that of a tag or a state.
    let targets: Vec<_> = [Argument::Target, Argument::Tag]
        .into_iter()
        .filter_map(|each| call.arguments[each as usize].clone())
        .collect();
    for (at, (old, new)) in before.iter().zip(&after).enumerate() {
        assert!(
            old == new || targets.iter().any(|range| range.contains(&at)),
            "{operation:?} wrote at {at}"
        );
    }
    let opens = matches!(operation, OperationNumber::Open | OperationNumber::Decrypt);
    if opens && status == Status::Authentication {
        let target = call.read(Argument::Target);
        let start = call.number(At::TargetOffset) as usize;
        let size = call.number(At::TargetSize) as usize;
        assert!(target[start..start + size].iter().all(|&byte| byte == 0), "unverified plaintext");
    }
}

fn number(input: &mut Input<'_>) -> f64 {
    match input.byte() & 15 {
        0 => f64::from_le_bytes(*input.exactly(8).first_chunk().expect("8 bytes")),
        1 => -f64::from(input.byte()),
        2 => f64::from(input.byte()) + 0.5,
        3 => 2_f64.powi(i32::from(input.byte()) - 128),
        4 => f64::NAN,
        5..=9 => input.below(1 << 16) as f64,
        _ => f64::from(input.byte()),
    }
}
