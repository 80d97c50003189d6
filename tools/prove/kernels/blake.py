"""BLAKE2b and BLAKE2s (RFC 7693), and several messages of them and of BLAKE3."""

from ..references import blake2, blake3
from ..statements import Entry, statement
from ..terms import W32, W64, var, zext
from .lanes import digests, hashes, texts


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


FILE = 'cpu/x86_64/lanes/blake.rs'
TIERS = (('AVX-512', 'Wide', 512), ('AVX2', 'Narrow', 256))


def blocks(text, width):
    """Yields the words of each block, its bytes, and whether it is the last."""
    size = 2 * width.bits
    for at in range(0, max(len(text), 1), size):
        block = text[at:at + size]
        padded = [*block, *[0] * (size - len(block))]
        words = [width.from_bytes(padded[at:at + width.bits // 8], 'little') for at in range(0, size, width.bits // 8)]
        yield words, len(block), at + size >= len(text)


def lanes(name, hash_, width, tier, kernel, bits, first, count, absorb):
    """States that messages are hashed from any state of `count` words, of which BLAKE2's last counts bytes.

    `absorb(state, words, size, last)` returns the next one.
    """
    block, number = 2 * width.bits, bits // width.bits
    entry = hashes(FILE, f'{name}_{kernel.lower()}', hash_, f'[u{width.bits}; {count}]',
                   f'{name}::{kernel}::run(batch, proof); batch.scalar()', tier, first=first)

    @statement(name=f'{name}-{tier.lower().replace("-", "")}', tier=tier, entry=entry,
               sentence=f'hashes {number} messages at once and fewer, of all kinds of lengths, from every state')
    def _(machine):
        begin = [var(f'state{index}', width.bits) if index != 8 or name == 'blake3' else 0 for index in range(count)]
        messages = texts([block + 1] * number + [3 * block, block, 3, 0], width.bits, 'little')
        expected = []
        for text in messages:
            state = begin
            for words, size, last in blocks(text, width):
                state = absorb(state, words, size, last)
            expected += [byte for word in state[:8] for byte in width.to_bytes(word, 'little')]
        found = digests(machine, entry, messages, begin, width.bits, width.bits)
        return list(zip(found, expected, [8] * len(expected), strict=True))


def blake2_lanes(name, width, tier, kernel, bits):
    def absorb(state, words, size, last):
        absorbed = width.add(state[8], size)
        return [*blake2.compress(width, state[:8], words, zext(absorbed, width.bits, 2 * width.bits), last), absorbed]

    lanes(name, f'crate::hash::blake2::{name.capitalize()}Blocks', width, tier, kernel, bits, '*start', 9, absorb)


def blake3_lanes(tier, kernel, bits):
    def absorb(state, words, size, last):
        *chain, first, each, end, number = state
        flags = W32.xor(W32.xor(first, each), end if last else 0)
        return [*blake3.compress(chain, words, zext(number, 32, 64), size, flags)[:8], 0, each, end, number]

    node = 'crate::hash::blake3::Node { first: start[8], each: start[9], last: start[10], number: start[11] }'
    lanes('blake3', node, W32, tier, kernel, bits, 'std::array::from_fn(|index| start[index])', 12, absorb)


for tier in TIERS:
    blake2_lanes('blake2b', W64, *tier)
    blake2_lanes('blake2s', W32, *tier)
    blake3_lanes(*tier)
