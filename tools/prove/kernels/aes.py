"""AES (FIPS 197): key expansion and counter mode by AES-NI and VAES."""

from ..references import aes
from ..statements import PROOF, Entry, statement
from ..sweep import rebuilt
from ..terms import W32, W64, W128, concat, extract, op, reachable, select, var

ROUNDS = {16: 10, 24: 12, 32: 14}


def word(values):
    return W128.from_bytes(values, 'little')


def defined(values):
    """Makes terms again with SubBytes and ShiftRows for what instructions did."""
    made = {}

    def get(value):
        return value if type(value) is int else made[value]

    for node in reachable(values):
        if node.kind == 'opaque' and node.args[0] in aes.UNKEYED:
            (_, state), = node.args[1]
            made[node] = word(aes.UNKEYED[node.args[0]](W128.to_bytes(get(state), 'little')))
        else:
            made[node] = rebuilt(node, get)
    return [get(value) for value in values]


EXPANSIONS = {size: Entry(
    'cpu/x86_64/aes/expand.rs', f'aes_expand_{8 * size}',
    f'(key: &[u8; {size}], keys: &mut RoundKeys) '
    f'{{ expand_{8 * size}(key, keys, unsafe {{ {PROOF} }}) }}',
    'aes,avx') for size in ROUNDS}

for size, entry in EXPANSIONS.items():
    @statement(name=f'aes-expand-{8 * size}', tier='AES-NI', entry=entry,
               sentence=f'expands every key of AES-{8 * size}')
    def _(machine, size=size, entry=entry):
        key = [var(f'key{index}', 8) for index in range(size)]
        keys = machine.allocate(240, [0] * 240)
        machine.call(entry.symbol, [machine.allocate(size, key), keys])
        expected = sum(aes.key_expansion(key), [])
        return [(x, y, 8) for x, y in zip(defined(machine.words(keys, len(expected), 8)), expected)]


def mixes(machine, entry, rounds, size, blocks):
    """Runs an entry (keys, counter, source, target, size) with a counter `low` and `high`; returns pairs.

    `blocks` are those that are encrypted.
    """
    keys = [var(f'key{index}', 128) for index in range(15)]
    text = [var(f'text{index}', 8) for index in range(size)]
    target = machine.allocate(size)
    machine.call(entry.symbol, [machine.allocate(240, keys, 128),
                                machine.allocate(16, [var('low', 64), var('high', 64)], 64),
                                machine.allocate(size, text), target, size])
    stream = [byte for block in blocks
              for byte in W128.to_bytes(aes.encrypt_word(block, keys[:rounds + 1]), 'little')]
    return [(x, op('xor', y, z, 8), 8) for x, y, z in zip(machine.words(target, size, 8), text, stream)]


def counts(machine, entry, rounds, size, low, numbers):
    """Compares with the numbers that a way through the code computes, and these with the standard's.

    The way is that of an example of the lower half.
    """
    machine.example = {'low': low, 'high': 5}
    machine.path = []
    first = concat([(64, var('low', 64)), (64, var('high', 64))])
    found = numbers(first)
    pairs = mixes(machine, entry, rounds, size, [word(W128.to_bytes(number, 'big')) for number in found])
    taken = 1
    for condition in machine.path:
        taken = op('and', taken, condition, 1)
    for index, number in enumerate(found):
        expected = W128.add(first, index)
        pairs.append((select(taken, number, expected, 128), expected, 128))
    return pairs


def ctr(file, name, features, rounds, function='ctr', counter='u128'):
    return Entry(file, f'{name}_{rounds}',
                 f'(keys: &RoundKeys, counter: &{counter}, source: *const u8, target: *mut u8, size: usize) '
                 f'{{ unsafe {{ {function}::<{rounds}>(keys, *counter, Span {{ source, target, size }}, '
                 f'{PROOF}) }} }}',
                 features)


def low_added(number, value):
    """Adds to the lower half only."""
    return concat([(64, W64.add(extract(number, 128, 0, 64), value)), (64, extract(number, 128, 64, 64))])


def last_byte_added(number, value):
    """Adds to the last byte of the block, as the highest of a word."""
    low = W32.from_bytes(W32.to_bytes(extract(number, 128, 0, 32), 'little'), 'big')
    low = W32.to_bytes(W32.add(low, value << 24), 'big')
    return concat([*((8, byte) for byte in low), (96, extract(number, 128, 32, 96))])


def by_passes(first, passes, added):
    """Returns the numbers of passes of so many blocks, that begin with the number itself."""
    return [added(W128.add(first, sum(passes[:index])), block) for index, count in enumerate(passes)
            for block in range(count)]


def by_four(first, passes, added):
    """Returns the numbers of passes whose first four are added to."""
    numbers, four = [], [W128.add(first, index) for index in range(4)]
    for count in passes:
        numbers += [added(number, at) for at in range(0, count, 4) for number in four]
        four = [low_added(number, count) for number in four]
    return numbers


VAES256, VAES512 = ({rounds: ctr(file, name, features, rounds) for rounds in ROUNDS.values()}
                    for file, name, features in (
    ('cpu/x86_64/aes/vaes256.rs', 'aes_ctr_256', 'avx2,vaes'),
    ('cpu/x86_64/aes/vaes512.rs', 'aes_ctr_512', 'avx512f,avx512vl,avx512bw,vaes')))
PASSES = 16, 8, 4, 4

for rounds, entry in VAES256.items():
    @statement(name=f'aes-ctr-256-{rounds}-rounds', tier='AVX2', entry=entry,
               sentence=f'encrypts 16, 8, 4 and 3 blocks under every key of {rounds} rounds, for every first number '
                        'whose lower half does not overflow, and each that overflows within the first 16')
    def _(machine, rounds=rounds, entry=entry):
        overflow = -5 % 2**64
        return (counts(machine, entry, rounds, 495, 1, lambda first: by_passes(first, PASSES, low_added))
                + counts(machine, entry, rounds, 256, overflow, lambda first: by_passes(first, [16], W128.add)))

for rounds, entry in VAES512.items():
    @statement(name=f'aes-ctr-512-{rounds}-rounds', tier='AVX-512', entry=entry,
               sentence=f'encrypts 48, 20, 7 and 3 blocks under every key of {rounds} rounds, for every first number, '
                        'by three ways: without an overflow of the last byte of the block, of the lower half, '
                        'and with it')
    def _(machine, rounds=rounds, entry=entry):
        pairs = []
        for size, passes in ((760, [32, 16]), (315, [32]), (100, [8]), (37, [4])):
            pairs += counts(machine, entry, rounds, size, 0, lambda first: by_four(first, passes, last_byte_added))
        pairs += counts(machine, entry, rounds, 512, 250, lambda first: by_four(first, [32], low_added))
        return pairs + counts(machine, entry, rounds, 512, -5 % 2**64, lambda first: by_passes(first, [32], W128.add))

for rounds in (10, 14):
    SIV = ctr('cpu/x86_64/aes/vaes256.rs', 'aes_siv', 'avx2,vaes', rounds, 'siv', '[u8; 16]')

    @statement(name=f'aes-siv-{rounds}-rounds', tier='AVX2', entry=SIV,
               sentence=f'encrypts 23 blocks under every key of {rounds} rounds and every first counter of GCM-SIV')
    def _(machine, rounds=rounds, entry=SIV):
        first = W128.to_bytes(concat([(64, var('low', 64)), (64, var('high', 64))]), 'little')
        return mixes(machine, entry, rounds, 360, [word(aes.increment_gcm_siv(first, index)) for index in range(23)])
