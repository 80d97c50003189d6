"""The compression of Argon2 (RFC 9106)."""

from ..references import argon2
from ..statements import Entry, statement
from ..terms import W64, extract, var, zext

WORDS = 128


def block(name):
    return [var(f'{name}{index}', 64) for index in range(WORDS)]


def doubled_first(a, b):
    """The sum of the mix as the compiler has it in scalar code: a factor is doubled, not the product."""
    low = [zext(extract(word, 64, 0, 32), 32, 64) for word in (a, b)]
    return W64.add(a, b, W64.mul(W64.shl(low[0], 1), low[1]))


def state(tier, name, file, compress, fill, features='', plus=argon2.multiply_add):
    mixing = Entry(file, f'argon2_{name}_mix', f'''(
        before: &Block, other: &Block, target: &mut Block, first: &mut u64
    ) {{
        unsafe {{ {compress}(before, other, target, true, |word| *first = word) }}
    }}''', features)

    @statement(name=f'argon2-{name}-mix', tier=tier, entry=mixing,
               sentence='mixes the compression of two blocks into a third, and tells its first word early')
    def _(machine):
        before, other, target = block('before'), block('other'), block('target')
        *given, at = (machine.allocate(8 * WORDS, words, 64) for words in (before, other, target))
        first = machine.allocate(8)
        machine.call(mixing.symbol, [*given, at, first])
        expected = [W64.xor(x, y) for x, y in zip(argon2.compress(before, other, plus), target)]
        found = machine.words(at, WORDS, 64) + machine.words(first, 1, 64)
        return list(zip(found, expected + expected[:1], [64] * len(found)))

    # The third block of a lane refers to the first, whatever the words of the second are.
    filling = Entry(file, f'argon2_{name}_fill', f'''(blocks: *mut Block) {{
        use crate::kdf::argon2::fill::{{Cost, Kind, Version, segment::Segment}};
        let cost = Cost {{ kind: Kind::D, version: Version::V13, memory: 12, passes: 1, lanes: 1 }};
        let segment = Segment {{ cost: &cost, blocks, segment_blocks: 3, pass: 0, slice: 0, lane: 0 }};
        unsafe {{ {fill}(Run::new(segment, 0, 3)) }}
    }}''')

    @statement(name=f'argon2-{name}-fill', tier=tier, entry=filling,
               sentence='fills the third block of a lane with the compression of the first two')
    def _(machine):
        blocks = block('first') + block('second')
        at = machine.allocate(24 * WORDS, blocks, 64)
        machine.call(filling.symbol, [at])
        expected = blocks + argon2.compress(blocks[WORDS:], blocks[:WORDS], plus)
        return list(zip(machine.words(at, 3 * WORDS, 64), expected, [64] * 3 * WORDS))


def in_vectors(vector, words):
    return f'By::<{vector}, {{ WORDS / {words} }}>(PhantomData).compress'


VECTORS = 'cpu/x86_64/argon2.rs'
state('scalar', 'plain', 'cpu/any/argon2.rs', 'plain', 'fill', plus=doubled_first)
state('AVX2', 'avx2', VECTORS, in_vectors('__m256i', 4), 'fill_256', 'avx2')
state('AVX-512', 'avx512', VECTORS, in_vectors('__m512i', 8), 'fill_512', 'avx512f,avx512vl,avx512bw')
