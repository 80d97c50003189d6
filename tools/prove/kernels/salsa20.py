"""scrypt (RFC 7914): ROMix of the lanes of a kernel at once."""

from ..references import salsa20
from ..statements import Entry, statement
from ..terms import W32, concat, var

# Pairs of Salsa20 matrices in a block, and entries of a table.
R, N = 2, 4
WORDS = 32 * R
# The entry that a step fills.
FILLED = 2
# A table has its matrices by diagonals: of each 16 words the first four are the first diagonal.
DIAGONALS = [(4 * row + 5 * column) % 16 for row in range(4) for column in range(4)]


def entry(name, kernel, file='cpu/x86_64/scrypt.rs'):
    return Entry(file, f'romix_{name}', f'''(
        source: *const u8, target: *mut u8, blocks: &[*mut u8; 2],
        tables: &[*mut u8; crate::kdf::scrypt::mix::romix::LANES_MAX], mixing: usize
    ) {{
        let (kernel, size) = ({kernel}, {128 * R});
        let mut buffers = RomixBuffers {{ blocks: *blocks, tables: *tables, r: {R}, n: {N} }};
        unsafe {{
            for lane in 0..kernel.lanes {{
                kernel.put(&buffers, lane, std::slice::from_raw_parts(source.add(lane * size), size));
            }}
            if mixing == 0 {{ (kernel.fill)(&buffers, {FILLED}, 1) }} else {{ (kernel.mix)(&buffers, 1) }}
            buffers.blocks.reverse();
            for lane in 0..kernel.lanes {{
                let target = std::slice::from_raw_parts_mut(target.add(lane * size), size);
                kernel.get(&buffers, lane, target);
            }}
        }}
    }}''')


def by_diagonals(words):
    """Puts the words of matrices in the order that tables have."""
    return [words[at + place] for at in range(0, len(words), 16) for place in DIAGONALS]


def block_mix(words):
    """Applies scryptBlockMix to the words of a block."""
    matrices = [words[at:at + 16] for at in range(0, WORDS, 16)]
    return [word for matrix in salsa20.block_mix(matrices) for word in matrix]


def romix(machine, symbol, lanes, mixing):
    """Runs a step from blocks that mix in different entries; compares blocks and tables."""
    blocks = [[var(f'block{lane}_{word}', 32) for word in range(WORDS)] for lane in range(lanes)]
    entries = [(3 * lane + 1) % N for lane in range(lanes)]
    for block, number in zip(blocks, entries):
        # Section 5: the lower bits of the last matrix's first word are the number of the entry.
        word = block[WORDS - 16]
        block[WORDS - 16] = concat([(2, number), (30, var(f'{word.args[0]}_above', 30))])
    tables = [[var(f'table{lane}_{word}', 32) for word in range(N * WORDS)] for lane in range(lanes)]
    at = [machine.allocate(4 * N * WORDS, by_diagonals(table), 32) for table in tables]
    size = 4 * WORDS * lanes
    target = machine.allocate(size)
    machine.call(symbol, [
        machine.allocate(size, sum(blocks, []), 32), target,
        machine.allocate(16, [machine.allocate(size), machine.allocate(size)], 64),
        machine.allocate(64, (at * 8)[:8], 64), int(mixing)])
    found = machine.words(target, WORDS * lanes, 32)
    for address in at:
        found += machine.words(address, N * WORDS, 32)
    expected = []
    for block, table, number in zip(blocks, tables, entries):
        if mixing:
            mixed = table[number * WORDS:][:WORDS]
            block = [W32.xor(x, y) for x, y in zip(block, mixed)]
        else:
            table[FILLED * WORDS:(FILLED + 1) * WORDS] = block
        expected += block_mix(block)
    expected += by_diagonals(sum(tables, []))
    return list(zip(found, expected, [32] * len(found)))


def state(tier, name, kernel, lanes, **options):
    of = entry(name, kernel, **options)
    for mixing, does in ((False, 'writes a block to a table and mixes it'),
                         (True, 'mixes a block with the entry of a table that its words tell')):
        step, number = 'mix' if mixing else 'fill', f' in each of {lanes} lanes at once,' if lanes > 1 else ''
        statement(name=f'scrypt-{name}-{step}', tier=tier, entry=of,
                  sentence=f'{does},{number} for r={R}')(
                      lambda machine, mixing=mixing: romix(machine, of.symbol, lanes, mixing))


state('scalar', 'plain', 'PLAIN', 1, file='cpu/any/scrypt.rs')
for index, lanes in enumerate((1, 2, 4)):
    state('AVX2', f'avx2_{lanes}', f'BY_256[{index}]', lanes)
for index, lanes in enumerate((1, 2, 4, 8)):
    state('AVX-512', f'avx512_{lanes}', f'BY_512[{index}]', lanes)
