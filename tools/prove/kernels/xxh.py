"""XXH32, XXH64 and XXH3 (xxhash_spec.md 0.2.0): the stripes, and the end of long messages."""

from ..references import xxh
from ..statements import PROOF, Entry, pairs_of, statement
from ..terms import W64, var


def takes(machine, name, bits, count):
    """Returns variables and the address where they are."""
    words = [var(f'{name}{index}', bits) for index in range(count)]
    return words, machine.allocate(count * bits // 8, words, bits)


def rounds(name, entry, tier, count, *arguments):
    """States that whole stripes are absorbed."""
    @statement(name=name, tier=tier, entry=entry,
               sentence=f'absorbs {count} stripes, all four lanes')
    def _(machine):
        lanes, at = takes(machine, 'lane', 32, 4)
        words, text = takes(machine, 'text', 32, 4 * count)
        machine.call(entry.symbol, [at, text, count, *(machine.allocate(1) for _ in arguments)])
        for index, word in enumerate(words):
            lanes[index % 4] = xxh.round32(lanes[index % 4], word)
        return list(zip(machine.words(at, 4, 32), lanes, [32] * 4))


XXH32 = Entry('cpu/x86_64/xxh.rs', 'xxh32_avx2',
              '''(lanes: &mut [u32; 4], stripes: *const [[u8; 16]; 8], count: usize, proof: &Avx2) {
                  *lanes = consume(*lanes, unsafe { std::slice::from_raw_parts(stripes, count / 8) }, *proof);
              }''', 'avx2')
XXH32_SCALAR = Entry('cpu/any/xxh.rs', 'xxh32_scalar',
                     '''(lanes: &mut [u32; 4], stripes: *const [u8; 16], count: usize) {
                         *lanes = consume_32(*lanes, unsafe { std::slice::from_raw_parts(stripes, count) });
                     }''')

rounds('xxh32-avx2', XXH32, 'AVX2', 16, 'proof')
rounds('xxh32', XXH32_SCALAR, 'scalar', 5)


def absorbs(name, entry, tier):
    """States that whole stripes of XXH64 are absorbed."""
    @statement(name=name, tier=tier, entry=entry, sentence='absorbs 3 stripes, all four lanes')
    def _(machine):
        lanes, at = takes(machine, 'lane', 64, 4)
        words, text = takes(machine, 'text', 64, 12)
        machine.call(entry.symbol, [at, text, 3])
        for index, word in enumerate(words):
            lanes[index % 4] = xxh.round64(lanes[index % 4], word)
        return pairs_of(machine.words(at, 4, 64), lanes, 64)


absorbs('xxh64', Entry('cpu/any/xxh.rs', 'xxh64_scalar',
                       '''(lanes: &mut [u64; 4], stripes: *const [u8; 32], count: usize) {
                           *lanes = consume_64(*lanes, unsafe { std::slice::from_raw_parts(stripes, count) });
                       }'''), 'scalar')

BLOCK = 16


def xxh3(lanes, secret, words, at):
    """Absorbs stripes, of which the first has index `at` in its block."""
    for first in range(0, len(words), 8):
        lanes = xxh.accumulate(lanes, words[first:first + 8], xxh.secret_words(8 * at, 8, secret))
        at += 1
        if at == BLOCK:
            lanes, at = xxh.scramble(lanes, xxh.secret_words(128, 8, secret)), 0
    return lanes


def begins(machine, count):
    """Returns lanes, the seeded secret and stripes of variables, and their arguments for an entry."""
    (lanes, at), (words, text) = takes(machine, 'lane', 64, 8), takes(machine, 'text', 64, 8 * count)
    seed, seed_at = takes(machine, 'seed', 64, 1)
    secret = [byte for word in xxh.seeded_secret(seed[0]) for byte in W64.to_bytes(word, 'little')]
    return lanes, secret, words, [at, seed_at, text, count]


GIVEN = 'lanes: &mut [u64; 8], seed: &u64, stripes: *const Stripe, count: usize, at: usize'
for name, tier, file, features, architecture in (
        ('avx512', 'AVX-512', 'cpu/x86_64/xxh3/avx512.rs', 'avx512f', 'x86_64'),
        ('avx2', 'AVX2', 'cpu/x86_64/xxh3/avx2.rs', 'avx2', 'x86_64'),
        ('neon', 'NEON', 'cpu/aarch64/xxh3/neon.rs', 'neon', 'aarch64'),
        ('scalar', 'scalar', 'cpu/any/xxh3.rs', '', 'x86_64')):
    proof = f', {PROOF}' if architecture == 'x86_64' and features else ''
    consumes = Entry(file, f'xxh3_{name}', f'''({GIVEN}) {{
        let stripes = unsafe {{ std::slice::from_raw_parts(stripes, count) }};
        *lanes = unsafe {{ consume(&Lanes(*lanes), *seed, stripes, at{proof}) }}.0;
    }}''', features, architecture)
    ends = Entry(file, f'xxh3_end_{name}', f'''({GIVEN}, last: &Stripe, length: &u64, digest: &mut [u64; 3]) {{
        let stripes = unsafe {{ std::slice::from_raw_parts(stripes, count) }};
        let (lanes, end) = (&Lanes(*lanes), &End {{ stripes, at, last, length: *length }});
        let of_128 = unsafe {{ end128(lanes, *seed, end{proof}) }};
        *digest = [unsafe {{ end64(lanes, *seed, end{proof}) }}, of_128 as u64, (of_128 >> 64) as u64];
    }}''', features, architecture)

    @statement(name=f'xxh3-{name}', tier=tier, entry=consumes,
               sentence='absorbs 21 stripes from the 14th of a block on, two scramblings among them, with every seed')
    def _(machine, entry=consumes):
        lanes, secret, words, arguments = begins(machine, 21)
        machine.call(entry.symbol, [*arguments, 13])
        return pairs_of(machine.words(arguments[0], 8, 64), xxh3(lanes, secret, words, 13), 64)

    @statement(name=f'xxh3-end-{name}', tier=tier, entry=ends,
               sentence='finishes messages of every length, with three stripes left, with every seed, '
                        'in 64 and 128 bits')
    def _(machine, entry=ends):
        lanes, secret, words, arguments = begins(machine, 3)
        (last, last_at), (length, length_at) = takes(machine, 'last', 64, 8), takes(machine, 'length', 64, 1)
        digest = machine.allocate(24)
        machine.call(entry.symbol, [*arguments, 14, last_at, length_at, digest])
        lanes = xxh3(lanes, secret, words, 14)
        lanes = xxh.accumulate(lanes, last, xxh.secret_words(121, 8, secret))
        low = xxh.merge(lanes, W64.mul(length[0], xxh.PRIME64[0]), xxh.secret_words(11, 8, secret))
        high = W64.not_(W64.mul(length[0], xxh.PRIME64[1]))
        high = xxh.merge(lanes, high, xxh.secret_words(117, 8, secret))
        return pairs_of(machine.words(digest, 3, 64), [low, low, high], 64)
