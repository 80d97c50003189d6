"""GHASH (SP 800-38D) and POLYVAL (RFC 8452) by carry-less products, over GF(2)."""

from operator import xor

from .. import gf2
from ..references import aes, ghash
from ..solvers import Failed
from ..statements import PROOF, Entry, statement
from ..terms import W8, W64, W128, concat, extract, var
from .aes import by_four, last_byte_added, word


def decide(pairs):
    """Requires that what is given as bits is equal as polynomials, and the rest in normal form."""
    expected, ring = pairs[-1]
    for index, (one, other, _) in enumerate(pairs[:-1]):
        if one is not other and one != other:
            raise Failed(f'value {index} differs')
    return gf2.require_equal(expected, ring)


def summed(value, blocks, powers, initial=0):
    """Pairs a sum with that of RFC 8452's products; the initial sum is added to the first block."""
    ring = gf2.Polynomials()
    # Variables before their products, so that they have small numbers.
    words = ring.of([(W128.xor(blocks[0], initial), 128), *((x, 128) for x in (*blocks[1:], *powers))])
    total = [0] * 128
    for x, y in zip(words, words[len(blocks):], strict=False):
        product = ghash.multiply_bits(x[::-1], ghash.times_x(y[::-1], xor), xor, ring.times)
        total = [a ^ b for a, b in zip(total, product[::-1])]
    return [(value, total, 128)], ring


def number_of(bytes_, order):
    """Returns the number of a block of at most 16 bytes, filled up with zeros."""
    return W128.from_bytes([*bytes_, *[0] * (16 - len(bytes_))], order)


def text_of(size, order):
    """Returns bytes, and the numbers of their blocks, which are variables where they are whole."""
    text = [byte for index in range(size // 16) for byte in W128.to_bytes(var(f'block{index}', 128), order)]
    text += [var(f'last{index}', 8) for index in range(size % 16)]
    return text, [number_of(text[at:at + 16], order) for at in range(0, size, 16)]


def powers_of(machine, count, rest):
    """Returns independent powers of H, the highest first, and the address of their table."""
    powers = [var(f'power{index}', 128) for index in range(count, 0, -1)]
    table = [half for power in powers for half in (extract(power, 128, 0, 64), extract(power, 128, 64, 64))]
    table += [0] * 2 * rest
    if rest == 1:
        both = [W64.xor(extract(x, 128, 0, 64), extract(x, 128, 64, 64)) for x in powers]
        table += [both[at + index] for at in range(0, count, 4) for index in (0, 2, 1, 3)] + [0] * 2
    return powers, machine.allocate(8 * len(table), table, 64)


def hashes(machine, entry, size, count, rest, order='big'):
    """Runs an entry (powers, text, size, sum)."""
    powers, table = powers_of(machine, count, rest)
    text, blocks = text_of(size, order)
    total = machine.allocate(16)
    machine.call(entry.symbol, [table, machine.allocate(size, text), size, total])
    return [summed(machine.words(total, 1, 128)[0], blocks, powers[len(powers) - len(blocks):])]


def hashing(file, name, call, features='', architecture='x86_64', powers='Powers'):
    return Entry(file, name, f'(powers: &{powers}, text: *const u8, size: usize, sum: &mut u128) {{ unsafe {{ '
                 f'let text = std::slice::from_raw_parts(text, size); *sum = {call}; }} }}', features, architecture)


AVX2 = 'cpu/x86_64/gcm/avx2/mod.rs'
AVX2_FEATURES = 'avx2,aes,pclmulqdq,vaes,vpclmulqdq'
WIDE = 'cpu/x86_64/gcm/wide.rs'
WIDE_FEATURES = 'avx512f,avx512vl,avx512bw,vaes,vpclmulqdq'

for name, tier, file, call, features, count, rest, order, sizes in (
        ('ghash-256', 'AVX2', AVX2, f'hash(powers, text, {PROOF})', AVX2_FEATURES, 16, 1, 'big', (256, 90)),
        ('ghash-512', 'AVX-512', WIDE, f'hash(powers, text, {PROOF})', WIDE_FEATURES, 64, 4, 'big', (64, 90)),
        ('polyval-512', 'AVX-512', WIDE, f'polyval(powers, text, {PROOF})', WIDE_FEATURES, 64, 4, 'little', (90,)),
        ('polyval-128', 'PCLMULQDQ', 'cpu/x86_64/polyval.rs', 'by_clmul(powers, text)', 'pclmulqdq,sse2', 8, 0,
         'little', (128, 48)),
        ('polyval-aarch64', 'PMULL', 'cpu/aarch64/polyval.rs', 'by_pmull(powers, text)', 'neon,aes', 8, 0,
         'little', (128, 48))):
    for size in sizes:
        entry = hashing(file, name.replace('-', '_'), call, features, 'aarch64' if 'neon' in features else 'x86_64',
                        'field::Powers' if rest == 0 else 'Powers')

        @statement(name=f'{name}-{size}', tier=tier, entry=entry, method='polynomials over GF(2)', decider=decide,
                   sentence=f'sums {size} bytes of any text, each block times its power')
        def _(machine, entry=entry, size=size, count=count, rest=rest, order=order):
            return hashes(machine, entry, size, count, rest, order)


POWERS = Entry(AVX2, 'ghash_powers_256', '''(powers: &mut Powers, h: &u128) {
    unsafe { powers.prepare(crate::cipher::field::Factor(*h)) };
}''', AVX2_FEATURES)


def decide_powers(pairs):
    """Requires that products are those of their factors, and other values equal in normal form."""
    for product, one, other in pairs:
        if other is None:
            if product is not one:
                raise Failed('a sum of halves differs')
            continue
        # Factors are variables, whatever they are made of.
        ring = gf2.Polynomials({*one, *other})
        low, high, *factors = ring.of([(x, 64) for x in (*product, *one, *other)])
        x, y = factors[0] + factors[1], factors[2] + factors[3]
        expected = ghash.multiply_bits(x[::-1], ghash.times_x(y[::-1], xor), xor, ring.times)
        if low + high != expected[::-1]:
            raise Failed('a power differs')
    return ['polynomials over GF(2)']


@statement(name='ghash-powers-256', tier='AVX2', entry=POWERS, method='polynomials over GF(2)', decider=decide_powers,
           sentence='computes the powers of every H: the second to the 16th, each as a product of two lower ones')
def _(machine):
    table = machine.allocate(416, [0] * 416)
    machine.call(POWERS.symbol, [table, machine.allocate(16, [var('h', 128)], 128)])
    words = machine.words(table, 50, 64)
    powers = {16 - place: tuple(words[2 * place:2 * place + 2]) for place in range(16)}
    h = var('h', 128)
    found = [(powers[1][0], extract(h, 128, 0, 64), None), (powers[1][1], extract(h, 128, 64, 64), None)]
    for power in range(2, 17):
        low = max(x for x in (1, 2, 4, 8) if x < power)
        found.append((powers[power], powers[power - low], powers[low]))
    for place, sum_ in enumerate(words[34:]):
        low, high = powers[16 - 4 * (place // 4) - (0, 2, 1, 3)[place % 4]]
        found.append((sum_, W64.xor(low, high), None))
    return found


LENGTHS = Entry(AVX2, 'ghash_lengths_256', '''(powers: &Powers, lengths: &u128, sum: &mut u128) {
    *sum = number(unsafe { add_lengths(powers, words(*sum), *lengths) });
}''', AVX2_FEATURES)


@statement(name='ghash-lengths-256', tier='AVX2', entry=LENGTHS, method='polynomials over GF(2)', decider=decide,
           sentence='ends every sum with every block of lengths')
def _(machine):
    powers, table = powers_of(machine, 16, 1)
    block, initial = var('lengths', 128), var('sum', 128)
    total = machine.allocate(16, [initial], 128)
    machine.call(LENGTHS.symbol, [table, machine.allocate(16, [block], 128), total])
    return [summed(machine.words(total, 1, 128)[0], [block], powers[-1:], initial)]


def seals(machine, entry, rounds, size, blocks, rest, opens, tagged=False):
    """Runs an entry (round keys, powers, counter, source, target, size, sum).

    Any text is some ciphertext with the key stream added. `blocks` are those that are encrypted. If it
    is `tagged`, the first of them masks the sum, which ends with the lengths.
    """
    keys = [var(f'key{index}', 128) for index in range(15)]
    powers, table = powers_of(machine, 16 if rest == 1 else 64, rest)
    ciphertext, numbers = text_of(size, 'big')
    encrypted = [aes.encrypt_word(block, keys[:rounds + 1]) for block in blocks]
    stream = [byte for block in encrypted[tagged:] for byte in W128.to_bytes(block, 'little')]
    plain = [byte for at in range(0, size, 16) for byte in added(ciphertext[at:at + 16], stream[at:at + 16])]
    source, target = (ciphertext, plain) if opens else (plain, ciphertext)
    initial = var('sum', 128) if rest == 1 and not tagged else 0
    written, total = machine.allocate(size), machine.allocate(16, [initial], 128)
    low, high = (32, 96) if rest == 1 else (64, 64)
    counter = machine.allocate(16, [concat([(low, var('low', low)), (high, var('high', high))])], 128)
    arguments = [machine.allocate(240, keys, 128), table, counter, machine.allocate(size, source), written, size, total]
    machine.call(entry.symbol, arguments)
    pairs = [(x, y, 8) for x, y in zip(machine.words(written, size, 8), target)]
    found = machine.words(total, 1, 128)[0]
    if tagged:
        found = W128.xor(found, W128.from_bytes(W128.to_bytes(encrypted[0], 'little'), 'big'))
        numbers.append(8 * size)
    return [*pairs, summed(found, numbers, powers[len(powers) - len(numbers):], initial)]


def added(one, other):
    """Adds bytes, whole blocks as words."""
    if len(one) < 16:
        return [W8.xor(x, y) for x, y in zip(one, other)]
    return W128.to_bytes(W128.xor(word(one), word(other)), 'little')


def sealing(file, name, rounds, arguments, features):
    return Entry(
        file, f'{name}_{rounds}',
        '(round_keys: &crate::cpu::kernels::aes::expand::RoundKeys, powers: &Powers, counter: &u128, '
        f'source: *const u8, target: *mut u8, size: usize, sum: &mut u128) {{ '
        f'let keys = Keys {{ round_keys, powers, proof: unsafe {{ {PROOF} }} }}; '
        f'*sum = unsafe {{ {arguments} }}; }}', features)


def counters(count):
    """Returns the blocks that a counter of 32 bits makes of the first."""
    first = W128.to_bytes(concat([(32, var('low', 32)), (96, var('high', 96))]), 'big')
    return [word(aes.increment_gcm(first, index)) for index in range(count)]


for rounds in (10, 12, 14):
    for way, opens in (('seal', False), ('open', True)):
        MESSAGE = sealing('cpu/x86_64/gcm/key.rs', f'gcm_{way}_message', rounds,
                          f'u128::from_be_bytes(message::<{rounds}, {str(opens).lower()}>(keys, *counter, &[], '
                          'Span { source, target, size }))', AVX2_FEATURES)

        @statement(name=f'gcm-{way}-message-{rounds}-rounds', tier='AVX2', entry=MESSAGE, decider=decide,
                   method='polynomials over GF(2)',
                   sentence=f'{way}s a message of 40 bytes under every key of {rounds} rounds and from every first '
                            'block, and computes the tag')
        def _(machine, entry=MESSAGE, rounds=rounds, opens=opens):
            return seals(machine, entry, rounds, 40, counters(4), 1, opens, True)

for rounds in (10, 14):
    for way, opens, sizes in (('seal', False, (256, 90)), ('open', True, (256, 45))):
        SEAL = sealing(AVX2, f'gcm_{way}_256', rounds,
                       f'{way}::<{rounds}>(keys, *counter, Span {{ source, target, size }}, *sum, None)', AVX2_FEATURES)
        for size in sizes[rounds == 14:]:
            @statement(name=f'gcm-{way}-256-{rounds}-rounds-{size}', tier='AVX2', entry=SEAL, decider=decide,
                       method='polynomials over GF(2)',
                       sentence=f'{way}s {size} bytes under every key of {rounds} rounds and every counter, and '
                                'continues every sum with the ciphertext')
            def _(machine, entry=SEAL, rounds=rounds, size=size, opens=opens):
                return seals(machine, entry, rounds, size, counters(-(-size // 16)), 1, opens)

    for way, opens in (('seal', False), ('open', True)):
        SEAL = sealing(WIDE, f'gcm_{way}_512', rounds, f'{way}::<{rounds}>(keys, *counter, source, target, size)',
                       WIDE_FEATURES)

        @statement(name=f'gcm-{way}-512-{rounds}-rounds', tier='AVX-512', entry=SEAL, decider=decide,
                   method='polynomials over GF(2)',
                   sentence=f'{way}s 90 bytes under every key of {rounds} rounds, for every counter whose last byte '
                            'does not overflow, and sums the ciphertext')
        def _(machine, entry=SEAL, rounds=rounds, opens=opens):
            machine.example = {'low': 0, 'high': 5}
            first = concat([(64, var('low', 64)), (64, var('high', 64))])
            blocks = [word(W128.to_bytes(x, 'big')) for x in by_four(first, [8], last_byte_added)][:6]
            return seals(machine, entry, rounds, 90, blocks, 4, opens)
