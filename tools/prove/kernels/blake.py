"""BLAKE2b and BLAKE2s (RFC 7693)."""

from ..references import blake2
from ..statements import Entry, statement
from ..terms import W32, W64, var, zext


def state(name, width):
    bits, size = width.bits, 2 * width.bits
    entry = Entry('hash/blake2/mod.rs', name, f'''(
        words: &mut [u{bits}; 8], block: &[[u8; {size}]; 1], length: u64, last: usize
    ) {{
        compress_{bits}(words, block, length, last != 0);
    }}''')

    @statement(name=name, tier='scalar', entry=entry,
               sentence='compresses a block, the last one or another, at every length')
    def _(machine):
        chain = [var(f'chain{index}', bits) for index in range(8)]
        words = [var(f'word{index}', bits) for index in range(16)]
        length = var('length', 64)
        block = machine.allocate(size, words, bits)
        pairs = []
        for last in (False, True):
            at = machine.allocate(bits, chain, bits)
            machine.call(entry.symbol, [at, block, length, int(last)])
            expected = blake2.compress(width, chain, words, zext(length, 64, 2 * bits), last)
            pairs += zip(machine.words(at, 8, bits), expected, [bits] * 8)
        return pairs


state('blake2b', W64)
state('blake2s', W32)
