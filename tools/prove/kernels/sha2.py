"""SHA-256 and SHA-512 (FIPS 180-4): several messages at once, HMAC iterations, and SHA-512 of one message."""

from ..references.sha256 import compress as compress_256
from ..references.sha512 import compress as compress_512
from ..statements import Entry, statement
from ..terms import W64, var
from .lanes import BLOCKS, EMIT, FEATURES, NARROW, WIDE, hashes, interleaved, iterates, iterations, states

FOLDER = 'cpu/x86_64/lanes'

for bits, compress, sizes, digests in (
        (256, compress_256, {'AVX-512': [55] * 16 + [119, 63], 'AVX2': [55] * 8 + [119, 63]}, (8, 7)),
        (512, compress_512, {'AVX-512': [111] * 8 + [239, 127], 'AVX2': [111] * 4 + [239, 127]}, (8, 6))):
    for tier, runs, kernel, used in (('AVX-512', WIDE, 'Wide', digests[0]), ('AVX2', NARROW, 'Narrow', digests[1])):
        name, file, lanes = tier.lower().replace('-', ''), f'{FOLDER}/sha{bits}.rs', len(sizes[tier]) - 2
        entry = hashes(file, f'sha{bits}_{name}', f'Sha{bits}', f'[u{bits // 8}; 8]', runs, tier)

        @statement(name=f'sha-{bits}-{name}', tier=tier, entry=entry,
                   sentence=f'hashes {lanes} messages at once and two others, {BLOCKS}, from every state')
        def _(machine, entry=entry, sizes=sizes[tier], compress=compress, bits=bits):
            return states(machine, entry, sizes, compress, 8, bits // 8, 'big')

        entry = iterates(file, f'sha{bits}_iterations_{name}', f'{kernel}::iterate::<{used}>', f'u{bits // 8}', 8,
                         lanes, FEATURES[tier])

        @statement(name=f'sha-{bits}-iterations-{name}', tier=tier, entry=entry,
                   sentence=f'computes an HMAC iteration of {lanes} blocks with digests of {used} words')
        def _(machine, entry=entry, lanes=lanes, compress=compress, bits=bits, used=used):
            return iterations(machine, entry, lanes, compress, 1, 8, bits // 8, used)


def interleaves(name, file, tier, features, architecture, lanes):
    """States the kernels of interleaved messages, of SHA-NI or of AArch64."""
    hashed = hashes(file, f'sha256_{name.replace("-", "_")}', 'Sha256', '[u32; 8]', interleaved(*lanes), tier,
                    architecture, features)
    iterated = iterates(file, f'sha256_iterations_{name.replace("-", "_")}', 'iterate_interleaved::<2, 7>', 'u32', 8, 2,
                        features, architecture)

    @statement(name=f'sha-256-{name}', tier=tier, entry=hashed,
               sentence=f'hashes up to {lanes[0]} interleaved messages {BLOCKS}, from every state')
    def _(machine):
        return [pair for count in lanes for pair in states(
            machine, hashed, [119, 63, 63, 119][:count] if count != 3 else [55] * 3, compress_256, 8, 32, 'big')]

    @statement(name=f'sha-256-iterations-{name}', tier=tier, entry=iterated,
               sentence='computes two HMAC iterations of two blocks with digests of seven words')
    def _(machine):
        return iterations(machine, iterated, 2, compress_256, 2, 8, 32, 7)


interleaves('sha-ni', f'{FOLDER}/sha256.rs', 'SHA-NI', FEATURES['SHA-NI'], 'x86_64', (4, 3, 2))
interleaves('aarch64', 'cpu/aarch64/lanes/sha256.rs', 'SHA-2', 'neon,sha2', 'aarch64', (2,))

NODES = Entry(
    f'{FOLDER}/sha256/nodes.rs', 'sha256_nodes',
    f"""(start: &[u32; 8], sources: *const &[u8], count: usize, target: *mut u8, size: usize, proof: &ShaNi) {{
        {EMIT}
        let mut sink = DigestSink::new(&mut each, &mut none);
        unsafe {{ hash_all(*proof, start, std::slice::from_raw_parts(sources, count), size, &mut sink) }};
    }}""", FEATURES['SHA-NI'])


@statement(name='sha-256-nodes', tier='SHA-NI', entry=NODES,
           sentence='hashes seven messages of 64 bytes, four, two and one at once, from every state')
def _(machine):
    return states(machine, NODES, [64] * 7, compress_256, 8, 32, 'big')


for name, tier, file, call, features in (
        ('avx2', 'AVX2', 'cpu/x86_64/sha512.rs', 'compress_256(words, blocks, *proof)', 'avx2,bmi1,bmi2'),
        ('avx512', 'AVX-512', 'cpu/x86_64/sha512.rs', 'compress_512(words, blocks, *proof)',
         'avx2,bmi1,bmi2,avx512f,avx512vl'),
        ('scalar', 'scalar', 'hash/compression/plain.rs', 'compress(words, blocks)', '')):
    count = 1 if name == 'scalar' else 2
    entry = Entry(
        file, f'sha512_blocks_{name}',
        f"""(words: &mut [u64; 8], blocks: *const [u8; 128], count: usize, proof: &{{}}) {{
            let blocks = unsafe {{ std::slice::from_raw_parts(blocks, count) }};
            unsafe {{ {call} }};
        }}""".replace('{}', {'avx2': 'Schedule256', 'avx512': 'Schedule512', 'scalar': '()'}[name]), features)

    @statement(name=f'sha-512-blocks-{name}', tier=tier, entry=entry,
               sentence=f'absorbs {count} {"block" if count == 1 else "blocks at once"} into every state')
    def _(machine, entry=entry, count=count):
        state = [var(f'state{index}', 64) for index in range(8)]
        text = [var(f'text{index}', 64) for index in range(16 * count)]
        at = machine.allocate(64, state, 64)
        machine.call(entry.symbol, [
            at, machine.allocate(128 * count, [x for word in text for x in W64.to_bytes(word, 'big')]), count,
            machine.allocate(1, [0])])
        for block in range(0, 16 * count, 16):
            state = compress_512(state, text[block:block + 16])
        return list(zip(machine.words(at, 8, 64), state, [64] * 8))
