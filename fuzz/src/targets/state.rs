//! States of running hashes: hostile ones are refused, or are states like any other.

use super::input::Input;
use millrace_core::Error;
use millrace_core::catalog::HashFacts;
use millrace_core::hash::Params;
use millrace_core::hasher;

pub(crate) fn run(data: &[u8]) {
    let input = &mut Input(data);
    let facts = input.hash();
    // A real state with some bytes changed, or any bytes.
    let state = match input.byte() & 1 {
        0 => {
            let size = input.below(9000);
            let message: Vec<u8> = (0..size).map(|at| (at * 7) as u8).collect();
            let mut state = update(facts, &[], &message).expect("an empty state is one");
            for _ in 0..input.byte() % 4 {
                let place = input.below(state.len());
                state[place] ^= input.byte();
            }
            state
        }
        _ => input.exactly(facts.state_size),
    };
    let rest = input.message();
    if hasher::check(facts.hash, &Params::NONE, &state).is_err() {
        assert_eq!(update(facts, &state, &rest).err(), Some(Error::State), "{}", facts.name);
        assert_eq!(finish(facts, &state, &rest).err(), Some(Error::State), "{}", facts.name);
        return;
    }
    match update(facts, &state, &[]) {
        Ok(same) => assert!(same == state, "{}: a state has one form", facts.name),
        // It has begun to squeeze.
        Err(error) => {
            assert!(facts.xof && error == Error::State, "{}", facts.name);
            let mut next = vec![0; facts.state_size];
            let squeezed = hasher::squeeze(
                facts.hash,
                &Params::NONE,
                &state,
                &[],
                &mut vec![0; rest.len()],
                &mut next,
            );
            assert!(matches!(squeezed, Ok(()) | Err(Error::State | Error::SourceTooLarge)));
            return;
        }
    }
    let (Ok(whole), half) = (update(facts, &state, &rest), rest.len() / 2) else { return };
    let is_state = |state: &[u8]| hasher::check(facts.hash, &Params::NONE, state).is_ok();
    if !is_state(&whole) {
        // Only for its length: a made-up state can begin just below the limit of 2^60 bytes.
        let zeros = update(facts, &state, &vec![0; rest.len()]).expect("as long");
        assert!(!is_state(&zeros), "{}", facts.name);
        return;
    }
    let (first, second) = rest.split_at(half);
    let first = update(facts, &state, first).expect("shorter than the whole");
    assert!(update(facts, &first, second).as_ref() == Ok(&whole), "{}", facts.name);
    assert_eq!(finish(facts, &whole, &[]), finish(facts, &first, second), "{}", facts.name);
}

fn update(facts: &HashFacts, state: &[u8], source: &[u8]) -> Result<Vec<u8>, Error> {
    let mut next = vec![0; facts.state_size];
    hasher::update(facts.hash, &Params::NONE, state, source, &mut next, None).map(|()| next)
}

fn finish(facts: &HashFacts, state: &[u8], rest: &[u8]) -> Result<Vec<u8>, Error> {
    let mut digest = vec![0; facts.digest_size];
    hasher::finish(facts.hash, &Params::NONE, state, rest, &mut digest).map(|()| digest)
}
