"""What the kernels of hash functions for several messages share."""

from ..statements import Entry
from ..terms import Width, var

FEATURES = {'AVX-512': 'avx512f,avx512vl,avx512bw', 'AVX2': 'avx2', 'SHA-NI': 'ssse3,sse4.1,sha'}
PROOFS = {'AVX-512': 'Avx512', 'AVX2': 'Avx2', 'SHA-NI': 'ShaNi', 'SHA-2': 'Sha2', 'SHA-3': 'Sha3'}
# Rust code for the parts of a sink that writes digests to `target`.
EMIT = '''let mut none = None;
            let mut each = |index: usize, digest: &[u8]| unsafe {
                target.add(index * digest.len()).copy_from_nonoverlapping(digest.as_ptr(), digest.len());
            };'''


def hashes(file, name, hash_, state, runs, tier, architecture='x86_64', features=None, first='*start'):
    """Returns an entry (state, sources, number, target, size, proof) that hashes messages.

    `hash_` is what is hashed with, `runs` are calls of the kernel's functions on `batch` and `proof`, `first` is
    the first state of a message.
    """
    return Entry(
        file, name,
        f"""(start: &{state}, sources: *const &[u8], count: usize, target: *mut u8, size: usize,
        proof: &{PROOFS[tier]}) {{
            {EMIT}
            unsafe {{
                let (mut digest, proof) = ([0; 192], *proof);
                let sources = std::slice::from_raw_parts(sources, count);
                let sink = DigestSink::new(&mut each, &mut none);
                let batch = &mut Batch::new({hash_}, {first}, 0, sources, &mut digest[..size], sink);
                {runs};
            }}
        }}""", FEATURES[tier] if features is None else features, architecture)


def texts(sizes, bits, order):
    """Returns the bytes of messages of these sizes, of variables of `bits` in an order of bytes."""
    return [[byte for at in range(-(-size * 8 // bits))
             for byte in Width(bits).to_bytes(var(f'text{number}_{at}', bits), order)][:size]
            for number, size in enumerate(sizes)]


def digests(machine, entry, messages, state, bits, size):
    """Runs an entry of `hashes`; returns the bytes of the digests."""
    sources = [x for text in messages for x in (machine.allocate(len(text), text), len(text))]
    target = machine.allocate(size * len(messages))
    machine.call(entry.symbol, [
        machine.allocate(len(state) * bits // 8, state, bits), machine.allocate(len(sources) * 8, sources, 64),
        len(messages), target, size, machine.allocate(1, [0])])
    return machine.words(target, size * len(messages), 8)


def merkle_damgard(text, state, compress, bits, order):
    """Pads a message and absorbs it; returns the bytes of the words."""
    width, block = Width(bits), 2 * bits
    zeros = -(len(text) + 1 + bits // 4) % block
    padded = [*text, 0x80, *[0] * zeros, *(8 * len(text)).to_bytes(bits // 4, order)]
    words = [width.from_bytes(padded[at:at + bits // 8], order) for at in range(0, len(padded), bits // 8)]
    for at in range(0, len(words), 16):
        state = compress(state, words[at:at + 16])
    return [byte for word in state for byte in width.to_bytes(word, order)]


def states(machine, entry, sizes, compress, count, bits, order, size=None):
    """Hashes messages of these sizes from any state of `count` words; returns the pairs of bytes."""
    state = [var(f'state{index}', bits) for index in range(count)]
    messages = texts(sizes, bits, order)
    size = size or count * bits // 8
    expected = [byte for text in messages for byte in merkle_damgard(text, state, compress, bits, order)[:size]]
    found = digests(machine, entry, messages, state, bits, size)
    return list(zip(found, expected, [8] * len(expected), strict=True))


WIDE, NARROW = 'Wide::run(batch, proof, 1)', 'Narrow::run(batch, proof, 1)'
BLOCKS = 'of equal and of different lengths, with one and two blocks of padding'


def interleaved(*lanes):
    """Returns the calls for interleaved messages."""
    return '; '.join(f'Interleaved::run::<{number}>(batch, proof)' for number in lanes)


def iterates(file, name, call, word, words, blocks, features, architecture='x86_64'):
    """Returns an entry (states, count) that computes HMAC iterations of blocks, by a call on `iterations`."""
    return Entry(
        file, name,
        f"""(parts: &mut [[[{word}; {words}]; 4]; {blocks}], count: u32) {{
            let mut iterations = parts.map(|[inner, outer, last, sum]| HmacIteration {{ inner, outer, last, sum }});
            unsafe {{ {call}(&mut iterations, count) }};
            for (part, iteration) in parts.iter_mut().zip(iterations) {{
                part[2..].copy_from_slice(&[iteration.last, iteration.sum]);
            }}
        }}""", features, architecture)


def iterations(machine, entry, blocks, compress, count, words, bits, used):
    """Computes `count` HMACs of the last one, for blocks of any states; returns the pairs of words."""
    width = Width(bits)
    given = [[[var(f'{name}{block}_{at}', bits) for at in range(words)] for name in ('inner', 'outer', 'last', 'sum')]
             for block in range(blocks)]
    begin = [x for block in given for part in block for x in part]
    at = machine.allocate(len(begin) * bits // 8, begin, bits)
    machine.call(entry.symbol, [at, count])
    expected = []
    for inner, outer, last, sum_ in given:
        expected += [*inner, *outer]
        padding = [1 << bits - 1, *[0] * (14 - used), (16 + used) * bits]
        for _ in range(count):
            last = compress(outer, [*compress(inner, [*last[:used], *padding])[:used], *padding])
            sum_ = [width.xor(x, y) for x, y in zip(sum_, last)]
        expected += [*last, *sum_]
    return list(zip(machine.words(at, len(begin), bits), expected, [bits] * len(begin)))
