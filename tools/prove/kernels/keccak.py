"""Keccak-p[1600] (FIPS 202) of one state and of several."""

from ..references.keccak import permutation
from ..statements import Entry, pairs_of, statement
from ..terms import W8, W64, var
from .lanes import digests, hashes, texts

for name, tier, file, call, features in (
        ('plain', 'scalar', 'cpu/any/keccak_p.rs', 'rounds::<{}>(lanes)', ''),
        ('complemented', 'scalar', 'cpu/any/keccak_p.rs', 'complemented_rounds::<{}>(lanes)', ''),
        ('bmi', 'BMI', 'cpu/x86_64/keccak_p.rs', 'permute_bmi::<{}>(lanes, *proof)', 'bmi1,bmi2')):
    for rounds in (24, 12):
        proof = 'Bmi' if features else '()'
        entry = Entry(file, f'keccak_{name}_{rounds}',
                      f'(lanes: &mut [u64; 25], proof: &{proof}) {{ unsafe {{ {call.format(rounds)} }} }}', features)

        @statement(name=f'keccak-{name}-{rounds}', tier=tier, entry=entry, sentence=f'applies the last {rounds} rounds')
        def _(machine, entry=entry, rounds=rounds):
            lanes = [var(f'lane{index}', 64) for index in range(25)]
            at = machine.allocate(200, lanes, 64)
            machine.call(entry.symbol, [at, machine.allocate(1, [0])])
            return list(zip(machine.words(at, 25, 64), permutation(lanes, rounds), [64] * 25))

RATE, SIZE = 136, 32


def sponge(text, state):
    """Sections 4 and 6.1: pads a message with SHA3-256's suffix, absorbs it, and returns the digest."""
    padded = [*text, 6, *[0] * (-(len(text) + 1) % RATE)]
    padded[-1] ^= 0x80
    for at in range(0, len(padded), RATE):
        words = [W64.from_bytes(padded[begin:begin + 8], 'little') for begin in range(at, at + RATE, 8)]
        state = permutation([W64.xor(x, y) for x, y in zip(state, [*words, *[0] * 8])])
    return [byte for word in state[:SIZE // 8] for byte in W64.to_bytes(word, 'little')]


for name, tier, file, kernel, architecture, features, lanes in (
        ('avx512', 'AVX-512', 'cpu/x86_64/lanes/keccak.rs', 'Wide', 'x86_64', None, 8),
        ('avx2', 'AVX2', 'cpu/x86_64/lanes/keccak.rs', 'Narrow', 'x86_64', None, 4),
        ('aarch64', 'SHA-3', 'cpu/aarch64/lanes/keccak.rs', 'Pair', 'aarch64', 'neon,sha3', 2)):
    entry = hashes(file, f'keccak_{name}', f'Sponge::<24> {{ rate: {RATE}, mark: 6 }}', '[u64; 25]',
                   f'{kernel}::run(batch, proof)', tier, architecture, features)

    @statement(name=f'sha3-256-{name}', tier=tier, entry=entry,
               sentence=f'hashes {lanes} messages of one block at once, from every state')
    def _(machine, entry=entry, lanes=lanes):
        state = [var(f'state{index}', 64) for index in range(25)]
        messages = texts([8] * lanes, 64, 'little')
        expected = [byte for text in messages for byte in sponge(text, state)]
        return list(zip(digests(machine, entry, messages, state, 64, SIZE), expected, [8] * len(expected)))


BYTES = Entry('hash/compression/keccak_p.rs', 'keccak_bytes', '''(lanes: &mut [u64; 25], source: *const u8,
    target: *mut u8, size: usize) {
        xor_bytes(lanes, 5, unsafe { std::slice::from_raw_parts(source, size) });
        copy_bytes(lanes, 6, unsafe { std::slice::from_raw_parts_mut(target, size) });
    }''')


@statement(name='keccak-bytes', tier='scalar', entry=BYTES,
           sentence='adds 30 bytes to a state from the sixth byte on, and copies as many from the next on')
def _(machine):
    lanes, text = [var(f'lane{index}', 64) for index in range(25)], [var(f'text{index}', 8) for index in range(30)]
    at, target = machine.allocate(200, lanes, 64), machine.allocate(30)
    machine.call(BYTES.symbol, [at, machine.allocate(30, text), target, 30])
    expected = [byte for lane in lanes for byte in W64.to_bytes(lane, 'little')]
    expected[5:35] = [W8.xor(x, y) for x, y in zip(expected[5:35], text)]
    return pairs_of([*machine.words(at, 200, 8), *machine.words(target, 30, 8)], expected + expected[6:36], 8)
