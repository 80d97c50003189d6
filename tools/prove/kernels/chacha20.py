"""ChaCha20 (RFC 8439), the kernels in vectors."""

from ..references import chacha20
from ..statements import Entry, pairs_of, statement
from ..terms import W8, W32, W64, concat, extract, icmp, var, zext


def advanced(state, blocks):
    """Adds to the number of the first block, which has 64 bits as in Bernstein's ChaCha20."""
    number = W64.add(concat([(32, state[12]), (32, state[13])]), blocks)
    return [*state[:12], extract(number, 64, 0, 32), extract(number, 64, 32, 32), *state[14:]]


def advanced_by_carry(state, blocks):
    """Does the same in words of 32 bits."""
    low = W32.add(state[12], blocks)
    return [*state[:12], low, W32.add(state[13], zext(icmp('ult', low, blocks, 32), 1, 32)), *state[14:]]


def advanced_within_a_message(state, blocks):
    """RFC 8439, section 2.3: the number of a block has 32 bits."""
    return [*state[:12], W32.add(state[12], blocks), *state[13:]]


def quarter_by_bytes(a, b, c, d):
    """The quarter round as the compiler has it where words rotate by bytes: by 8 before the XOR."""
    a = W32.add(a, b)
    d = W32.rotl(W32.xor(d, a), 16)
    c = W32.add(c, d)
    b = W32.rotl(W32.xor(b, c), 12)
    a = W32.add(a, b)
    d = W32.xor(W32.rotl(d, 8), W32.rotl(a, 8))
    c = W32.add(c, d)
    return a, W32.rotl(W32.xor(b, c), 7), c, d


def same_quarter():
    """Pairs the results of both quarter rounds: what lets the first stand for the standard's."""
    words = [var(f'quarter{index}', 32) for index in range(4)]
    return pairs_of(quarter_by_bytes(*words), chacha20.quarter_round(*words), 32)


def keystream(state, size, number, blocks=16, quarter=chacha20.quarter_round):
    """Returns the bytes of passes of so many blocks, whose numbers are made anew for each pass."""
    found = []
    while len(found) < size:
        found += [byte for index in range(min(blocks, -(-(size - len(found)) // 64)))
                  for word in chacha20.block(number(state, index), quarter)
                  for byte in W32.to_bytes(word, 'little')]
        state = advanced(state, blocks)
    return found[:size]


def encrypts(machine, entry, size, blocks, number=advanced, quarter=chacha20.quarter_round):
    """Runs an entry (state, source, target, size, proof) and compares the target and the next number."""
    state = [var(f'state{index}', 32) for index in range(16)]
    text = [var(f'text{index}', 8) for index in range(size)]
    at = machine.allocate(64, state, 32)
    source, target = machine.allocate(size, text), machine.allocate(size)
    arguments = [at, source, target, size, machine.allocate(1)]
    machine.call(entry.symbol, arguments)
    stream = keystream(state, size, number, 16, quarter)
    pairs = [(found, W8.xor(x, y), 8) for found, x, y in zip(machine.words(target, size, 8), text, stream)]
    return pairs + list(zip(machine.words(at, 16, 32), advanced(state, blocks), [32] * 16))


AVX512 = Entry(
    'cpu/x86_64/chacha/avx512.rs', 'chacha20_avx512',
    '(state: &mut State, source: *const u8, target: *mut u8, size: usize, proof: &Avx512) '
    '{ unsafe { apply(state, Span { source, target, size }, *proof) } }',
    'avx512f,avx512vl,avx512bw')


@statement(name='chacha20-avx512-columns', tier='AVX-512', entry=AVX512,
           sentence='encrypts 16 blocks in columns, all 20 rounds, for every key, nonce and number of the '
                    'block, across 2^32 too, and adds 16 to that number')
def _(machine):
    return encrypts(machine, AVX512, 1024, 16, advanced_by_carry)


@statement(name='chacha20-avx512-rows', tier='AVX-512', entry=AVX512,
           sentence='encrypts up to 16 blocks in rows, the last of 63 bytes')
def _(machine):
    return encrypts(machine, AVX512, 959, 0)


AVX2 = Entry(
    'cpu/x86_64/chacha/avx2.rs', 'chacha20_avx2',
    '''(state: &mut State, source: *const u8, target: *mut u8, size: usize, proof: &Avx2Bmi) {
        let begin = spread(state, *proof);
        let mut words = begin;
        for _ in 0..10 { round::<0>(&mut words); round::<1>(&mut words); }
        let words = std::array::from_fn(|index| _mm256_add_epi32(words[index], begin[index]));
        unsafe { mix(words, Span { source, target, size }) };
        advance(state, 8);
    }''', 'avx2,bmi2')


@statement(name='chacha20-avx2', tier='AVX2', entry=AVX2,
           sentence='encrypts 8 blocks, all 20 rounds, for every key, nonce and number of the block')
def _(machine):
    return encrypts(machine, AVX2, 512, 8, advanced_within_a_message, quarter_by_bytes) + same_quarter()


SCALAR = Entry(
    'cipher/chacha/mod.rs', 'hchacha20',
    '(key: &[u8; 32], nonce: &[u8; 16], target: &mut [u8; 32]) { derive(key, nonce, target); }')


@statement(name='chacha20-scalar', tier='scalar', entry=SCALAR,
           sentence="makes XChaCha20's key of a key and a nonce, which is all 20 rounds of a block")
def _(machine):
    key = [var(f'key{index}', 32) for index in range(8)]
    nonce = [var(f'nonce{index}', 32) for index in range(4)]
    target = machine.allocate(32)
    machine.call(SCALAR.symbol, [machine.allocate(32, key, 32), machine.allocate(16, nonce, 32), target])
    return list(zip(machine.words(target, 8, 32), chacha20.hchacha20(key, nonce), [32] * 8))


def under_zeros(machine):
    """Replaces Poly1305's key, the first 32 bytes of keystream, with zeros, so that all sums are zero."""
    name, = (x for x in machine.module.names() if 'chacha_poly4Head3new' in x)

    def new(machine, arguments):
        del machine.replace[name]
        machine.call(name, arguments)
        machine.replace[name] = new
        machine.write(arguments[0], [0] * 32)

    machine.replace[name] = new


def beside_poly1305(name, module, kind, size, call, sentence):
    entry = Entry(
        f'cpu/x86_64/chacha_poly/{module}.rs', f'chacha_poly_{name}',
        f'''(
            state: &mut State, source: *const u8, target: *mut u8, size: usize, zeros: &[u8; 32],
            proof: &{kind}
        ) {{ {call} }}''')

    @statement(name=f'chacha20-poly1305-{name}', tier='AVX-512', entry=entry,
               sentence=f'{sentence} {size} bytes beside Poly1305, whose key is zeros here')
    def _(machine):
        if module == 'mod':
            under_zeros(machine)
        state = [var(f'state{index}', 32) for index in range(16)]
        text = [var(f'text{index}', 8) for index in range(size)]
        at, target = machine.allocate(64, state, 32), machine.allocate(size)
        machine.call(entry.symbol, [
            at, machine.allocate(size, text), target, size, machine.allocate(32, [0] * 32),
            machine.allocate(1)])
        # The first block of a message makes the key.
        first = 64 if module == 'mod' else 0
        number = advanced if first + size < 1024 else advanced_by_carry
        stream = keystream(state, first + size, number)[first:]
        return [(found, W8.xor(x, y), 8) for found, x, y in zip(machine.words(target, size, 8), text, stream)]


SEAL = 'unsafe {{ seal(ChaChaPolyKernel::{}(*proof), state, &[], source, target, size) }};'
OPEN = 'unsafe {{ open(ChaChaPolyKernel::{}(*proof), state, &[], source, target, size, &zeros[..16]) }};'
PART = '''
    let (source, target) = unsafe {{
        (std::slice::from_raw_parts(source, size), std::slice::from_raw_parts_mut(target, size))
    }};
    PartsKernel::{}(*proof).process::<{}>(state, Poly1305::new(zeros), Text::Across {{ source, target }});'''
for name, kind, way in (('ifma', 'Ifma', 'Ifma'), ('words', 'Avx512Bmi', 'Words')):
    beside_poly1305(f'seal_{name}', 'mod', kind, 3008, SEAL.format(way), 'seals')
    beside_poly1305(f'open_{name}', 'mod', kind, 1984, OPEN.format(way), 'opens')
    beside_poly1305(f'part_{name}', 'parts', kind, 2048, PART.format(way, 'true'), 'opens a part of')
for size in (192, 448, 896):
    beside_poly1305(f'seal_{size}', 'mod', 'Ifma', size, SEAL.format('Ifma'), 'seals')


# The library encrypts as much as a long pass and a step of Poly1305, then there is a pass.
LEAD, PASS = 4352, 4096
LONG = Entry(
    'cpu/x86_64/chacha_poly/parts.rs', 'chacha_poly_part_avx2',
    f'''(
        state: &mut State, source: *const u8, target: *mut u8, size: usize, zeros: &[u8; 32], proof: &Avx2Bmi
    ) {{ {PART.format('Avx2', 'false')} }}''')


@statement(name='chacha20-poly1305-part_avx2', tier='AVX2', entry=LONG,
           sentence='encrypts the 64 blocks of a pass, at one number of the block, beside Poly1305, whose '
                    'key is zeros here')
def _(machine):
    library, = (x for x in machine.module.names() if 'chacha16apply_by_library' in x)
    machine.replace[library] = lambda machine, arguments: None
    state = [var(f'state{index}', 32) for index in range(16)]
    state[12:14] = 0x89abcd01, 0x12345678
    text = [var(f'text{index}', 8) for index in range(PASS)]
    at, size = machine.allocate(64, state, 32), LEAD + PASS
    source, target = machine.allocate(size, [0] * LEAD + text), machine.allocate(size, [0] * size)
    machine.call(LONG.symbol, [
        at, source, target, size, machine.allocate(32, [0] * 32), machine.allocate(1)])
    stream = keystream(advanced(state, LEAD // 64), PASS, advanced_within_a_message, 8, quarter_by_bytes)
    found = machine.words(target + LEAD, PASS, 8)
    return [(byte, W8.xor(x, y), 8) for byte, x, y in zip(found, text, stream)]
