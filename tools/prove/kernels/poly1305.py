"""Poly1305 (RFC 8439, section 2.5): products modulo 2^130 - 5 in limbs, and the bounds of limbs."""

import math

from ..integers import AtMost, Congruent, Given, Number, Poly, require
from ..references.poly1305 import PRIME
from .. import statements
from ..statements import Entry
from ..terms import W128, Width, concat, extract, icmp, select, var, zext

RADIX_44 = 0, 44, 88
# What the limbs of a sum or of a power of r are at most.
NUMBER = [2**44 - 1, 2**44 + 2**23, 2**42 - 1]
# Of a key: three words of 32 bits without the lower two and the upper four bits, after one of 28 bits.
RADIX_32 = 0, 34, 66, 98
RADIX_64 = 0, 64, 128
RADIX_26 = 0, 26, 52, 78, 104

METHOD = 'polynomials over the integers'


def statement(**options):
    return statements.statement(decider=require, method=METHOD, **options)


class Inputs:
    """Variables, the polynomials of the numbers that they are, and what is assumed of them."""

    def __init__(self):
        self.claims = []

    def limbs(self, name, maxima, places=RADIX_44, width=64):
        """Returns limbs of `width` bits, and the number that they are."""
        names = [f'{name}{index}' for index in range(len(maxima))]
        self.claims += map(Given, names, maxima)
        self.claims.append(Number(name, tuple(names), places))
        sizes = [maximum.bit_length() for maximum in maxima]
        values = [zext(var(x, size), size, max(width, size)) for x, size in zip(names, sizes)]
        return values, Poly.variable(name)

    def key(self):
        """Returns the limbs of a key's r, which has no ones where RFC 8439 clears them."""
        parts, number = self.limbs('r', [2**28 - 1, *[2**26 - 1] * 3], RADIX_32, 0)
        r = concat([(28, parts[0]), *[x for part in parts[1:] for x in ((6, 0), (26, part))], (4, 0)])
        limbs = [zext(extract(r, 128, at, size), size, 64) for at, size in ((0, 44), (44, 44), (88, 40))]
        return limbs, number

    def text(self, blocks):
        """Returns words of a text, and the number of each block with a one above its bits."""
        words = [var(f'text{index}', 64) for index in range(2 * blocks)]
        low, high = ([Poly.variable(f'text{index}') for index in range(at, 2 * blocks, 2)] for at in (0, 1))
        return words, [x + y * (1 << 64) + (1 << 128) for x, y in zip(low, high)]

    def equal(self, limbs, expected, maxima, places=RADIX_44):
        """Returns all claims: that limbs are a number modulo the prime, and within bounds."""
        self.claims.append(Congruent(tuple(limbs), places, expected, PRIME))
        self.claims += map(AtMost, limbs, maxima)
        return self.claims


def absorbed(number, r, blocks):
    """Adds each block and multiplies."""
    for block in blocks:
        number = (number + block) * r
    return number



def takes(machine, values, bits=64):
    """Returns the address of new memory with these values."""
    return machine.allocate(len(values) * bits // 8, values, bits)


POLY = 'let mut poly = Poly1305::new(&[0; 32]); poly.r = *r; poly.sum = *sum;'
DONE = '*sum = poly.sum; std::mem::forget(poly);'


def absorbs(machine, entry, count, *options, sum_=NUMBER, bounds=NUMBER):
    """Runs an entry (sum, r, text, options) on blocks."""
    inputs = Inputs()
    limbs, number = inputs.limbs('sum', sum_) if sum_ else ([0, 0, 0], Poly({}))
    r, factor = inputs.key()
    words, blocks = inputs.text(count)
    at = takes(machine, limbs)
    machine.call(entry.symbol, [at, takes(machine, r), takes(machine, words), *options])
    return inputs.equal(machine.words(at, 3, 64), absorbed(number, factor, blocks), bounds)


MULTIPLY = Entry('cipher/poly1305/mod.rs', 'poly1305_multiply',
                 '(one: &Limbs, other: &Limbs, product: &mut Limbs) { *product = multiply(*one, *other); }')


@statement(name='poly1305-multiply', tier='scalar', entry=MULTIPLY,
           sentence='multiplies limbs of at most 46 bits by a number of 44, 45 and 42 bits, '
                    'and returns such a number')
def _(machine):
    inputs = Inputs()
    (one, number), (other, factor) = inputs.limbs('one', [2**46 - 1] * 3), inputs.limbs('other', NUMBER)
    target = machine.allocate(24)
    machine.call(MULTIPLY.symbol, [takes(machine, one), takes(machine, other), target])
    return inputs.equal(machine.words(target, 3, 64), number * factor, NUMBER)


BLOCKS = Entry(
    'cipher/poly1305/mod.rs', 'poly1305_blocks',
    f"""(sum: &mut Limbs, r: &Limbs, blocks: *const [u8; BLOCK], count: usize) {{
        {POLY} poly.update(unsafe {{ std::slice::from_raw_parts(blocks, count) }}); {DONE}
    }}""")


@statement(name='poly1305-block', tier='scalar', entry=BLOCKS,
           sentence='absorbs a block into a sum of 44, 45 and 42 bits, and leaves such a sum: '
                    'so any number of blocks')
def _(machine):
    return absorbs(machine, BLOCKS, 1, 1)


HALVES = Entry(
    'cipher/poly1305/mod.rs', 'poly1305_halves',
    f"""(sum: &mut Limbs, r: &Limbs, blocks: *const [u8; BLOCK], count: usize) {{
        {POLY}
        *sum = poly.blocks(unsafe {{ std::slice::from_raw_parts(blocks, count) }});
        std::mem::forget(poly);
    }}""")


@statement(name='poly1305-halves', tier='scalar', entry=HALVES,
           sentence='absorbs 65 blocks as two halves, which the power of r joins')
def _(machine):
    return absorbs(machine, HALVES, 65, 65, sum_=None, bounds=[2**45, 2**46, 2**44])


NARROW = Entry(
    'cipher/poly1305/narrow.rs', 'poly1305_narrow',
    """(sum: &mut Limbs, r: &Limbs, blocks: *const [u8; BLOCK], count: usize) {
        *sum = absorb(*sum, *r, unsafe { std::slice::from_raw_parts(blocks, count) });
    }""")


@statement(name='poly1305-narrow', tier='scalar', entry=NARROW,
           sentence="absorbs four blocks in words of 32 bits, as WebAssembly's code does, "
                    'into limbs of at most 46 bits')
def _(machine):
    return absorbs(machine, NARROW, 4, 4, sum_=[2**46 - 1] * 3, bounds=[2**44 - 1, 2**44 - 1, 2**43])


POWER = Entry('cipher/poly1305/mod.rs', 'poly1305_power',
              f'(sum: &mut Limbs, r: &Limbs, exponent: u64) '
              f'{{ {POLY} *sum = poly.power(exponent); std::mem::forget(poly); }}')


@statement(name='poly1305-power', tier='scalar', entry=POWER,
           sentence='computes the powers of r from 1 to 8, as numbers of 44, 45 and 42 bits')
def _(machine):
    inputs = Inputs()
    r, number = inputs.key()
    at, target, factor = takes(machine, r), takes(machine, [0, 0, 0]), number
    for exponent in range(1, 9):
        machine.call(POWER.symbol, [target, at, exponent])
        inputs.equal(machine.words(target, 3, 64), number, NUMBER)
        number *= factor
    return inputs.claims


def absorbs_bytes(machine, entry, size, sum_=NUMBER):
    """Runs an entry (sum, r, text, size) on a text whose last block has a word, filled up with zeros."""
    inputs = Inputs()
    limbs, number = inputs.limbs('sum', sum_) if sum_ else ([0, 0, 0], Poly({}))
    r, factor = inputs.key()
    words, blocks = inputs.text(-(-size // 16))
    at = takes(machine, limbs)
    machine.call(entry.symbol, [at, takes(machine, r), takes(machine, words[:-1]), size])
    blocks[-1] = Poly.variable(f'text{len(words) - 2}') + (1 << 128)
    return inputs.equal(machine.words(at, 3, 64), absorbed(number, factor, blocks), NUMBER)


SUM = Entry('cipher/poly1305/sum.rs', 'poly1305_sum', f"""(sum: &mut Limbs, r: &Limbs, text: *const u8, size: usize) {{
    {POLY}
    *sum = self::sum(&poly, None, unsafe {{ std::slice::from_raw_parts(text, size) }});
    std::mem::forget(poly);
}}""")
RUNNING = Entry(
    'cipher/poly1305/running.rs', 'poly1305_running',
    f"""(sum: &mut Limbs, r: &Limbs, text: *const u8, size: usize) {{
        {POLY}
        let mut running = RunningPoly::new(poly);
        let text = unsafe {{ std::slice::from_raw_parts(text, size) }};
        for part in [&text[..5], &text[5..11], &text[11..30], &text[30..]] {{ running.update(part); }}
        running.pad();
        *sum = running.poly.sum;
        std::mem::forget(running);
    }}""")


@statement(name='poly1305-sum', tier='scalar', entry=SUM, sentence='sums 40 bytes, the last block filled up with zeros')
def _(machine):
    return absorbs_bytes(machine, SUM, 40, None)


@statement(name='poly1305-running', tier='scalar', entry=RUNNING,
           sentence='absorbs 40 bytes in four pieces into a sum, and fills the last block up with zeros')
def _(machine):
    return absorbs_bytes(machine, RUNNING, 40)


JOINED = Entry(
    'cipher/poly1305/sum.rs', 'poly1305_joined',
    f"""(sum: &mut Limbs, r: &Limbs, one: &Limbs, other: &Limbs) {{
        {POLY}
        let mut joined = Joined::new(&poly, 1);
        joined.add(16, one);
        joined.add(40, other);
        *sum = joined.poly.sum;
        std::mem::forget((joined, poly));
    }}""")


@statement(name='poly1305-joined', tier='scalar', entry=JOINED,
           sentence='joins the sums of parts of one block and of three to a sum, by powers of r')
def _(machine):
    inputs = Inputs()
    (limbs, number), (one, first), (other, second) = (inputs.limbs(name, NUMBER) for name in ('sum', 'one', 'other'))
    r, factor = inputs.key()
    at = takes(machine, limbs)
    machine.call(JOINED.symbol, [at, takes(machine, r), takes(machine, one), takes(machine, other)])
    expected = (number * factor + first) * power(factor, 3) + second
    return inputs.equal(machine.words(at, 3, 64), expected, [2 * x for x in NUMBER])


AVX2 = Entry(
    'cpu/x86_64/poly1305/avx2.rs', 'poly1305_avx2',
    f"""(sum: &mut Limbs, r: &Limbs, text: *const u8, size: usize) {{
        {POLY}
        let mut powers = Powers::zeros();
        powers.prepare(&poly);
        *sum = powers.sum(unsafe {{ std::slice::from_raw_parts(text, size) }});
        std::mem::forget((powers, poly));
    }}""", 'avx2')


@statement(name='poly1305-avx2', tier='AVX2', entry=AVX2,
           sentence='computes the powers of r, and the sum of five steps of four blocks: '
                    'two passes and the last step')
def _(machine):
    return absorbs(machine, AVX2, 20, 320, sum_=None)


IFMA_FEATURES = 'avx512f,avx512vl,avx512bw,avx512ifma'
IFMA = Entry(
    'cpu/x86_64/poly1305/ifma.rs', 'poly1305_ifma',
    f"""(sum: &mut super::Limbs, r: &super::Limbs, text: *const u8, size: usize) {{
        {POLY}
        unsafe {{
            let powers = Powers::new(&poly);
            super::absorb(&mut poly, &powers, std::slice::from_raw_parts(text, size));
            std::mem::forget(powers);
        }}
        {DONE}
    }}""", IFMA_FEATURES)


@statement(name='poly1305-ifma', tier='AVX-512 IFMA', entry=IFMA,
           sentence='computes the powers of r, and absorbs five blocks and two steps of 16')
def _(machine):
    return absorbs(machine, IFMA, 37, 37 * 16)


def absorbs_in_lanes(machine, entry, bounds, places, order, step):
    """Runs an entry (sums, r, text) on blocks for lanes in this order; `step` says what becomes of a sum."""
    inputs, lanes, count = Inputs(), len(order), max(order) + 1
    sums = [inputs.limbs(f'sum{lane}x', bounds, places) for lane in range(lanes)]
    r, factor = inputs.key()
    words, blocks = inputs.text(2 * lanes if count == 4 else lanes)
    limbs = [sums[at + lane][0][limb] for at in range(0, lanes, 8) for limb in range(len(places))
             for lane in range(min(lanes, 8))]
    at = takes(machine, limbs)
    machine.call(entry.symbol, [at, takes(machine, r), takes(machine, words)])
    width = min(lanes, 8)
    for lane, block in enumerate(order):
        begin = at + 8 * (lane // 8 * 8 * len(places) + lane % 8)
        found = [machine.words(begin + 8 * width * limb, 1, 64)[0] for limb in range(len(places))]
        inputs.equal(found, step(sums[lane][1], factor, blocks[block::lanes]), bounds, places)
    return inputs.claims


def power(number, exponent):
    return math.prod([number] * exponent)


AVX2_PASS = Entry(
    'cpu/x86_64/poly1305/avx2.rs', 'poly1305_avx2_pass',
    """(sums: &mut Four, r: &Limbs, text: *const u8) {
        let mut poly = Poly1305::new(&[0; 32]);
        poly.r = *r;
        let mut powers = Powers::zeros();
        powers.prepare(&poly);
        unsafe {
            let first = products(add(*sums, load(text)), &powers.eighth, [_mm256_setzero_si256(); 5]);
            *sums = carry(products(load(text.add(STEP)), &powers.fourth, first));
        }
        std::mem::forget((powers, poly));
    }""", 'avx2')


@statement(name='poly1305-avx2-pass', tier='AVX2', entry=AVX2_PASS,
           sentence='absorbs a pass into sums in four lanes of limbs of 26 and 27 bits, '
                    'and leaves such sums: so any number of passes')
def _(machine):
    return absorbs_in_lanes(
        machine, AVX2_PASS, [2**26 - 1, 2**26 + 2**10, 2**26 - 1, 2**26 - 1, 2**26 + 2**10], RADIX_26,
        (0, 2, 1, 3),
        lambda number, r, blocks: (number + blocks[0]) * power(r, 8) + blocks[1] * power(r, 4))


IFMA_STEP = Entry(
    'cpu/x86_64/poly1305/ifma.rs', 'poly1305_ifma_step',
    """(sums: &mut Sums, r: &super::Limbs, text: &[u8; STEP]) {
        let mut poly = Poly1305::new(&[0; 32]);
        poly.r = *r;
        unsafe {
            let powers = Powers::new(&poly);
            *sums = powers.step(*sums, text);
            std::mem::forget((powers, poly));
        }
    }""", IFMA_FEATURES)


@statement(name='poly1305-ifma-step', tier='AVX-512 IFMA', entry=IFMA_STEP,
           sentence='absorbs a step into sums in 16 lanes of limbs of 45, 46 and 43 bits, '
                    'and leaves such sums: so any number of steps')
def _(machine):
    return absorbs_in_lanes(
        machine, IFMA_STEP, [2**45 - 2, 2**45 + 2**44 - 1, 2**42 + 2**41 - 2], RADIX_44,
        [8 * half + lane for half in range(2) for lane in (0, 4, 1, 5, 2, 6, 3, 7)],
        lambda number, r, blocks: number * power(r, 16) + blocks[0])


FINISH = Entry('cipher/poly1305/mod.rs', 'poly1305_finish',
               '(sum: &Limbs, pad: &[u64; 2], tag: &mut [u8; BLOCK]) '
               '{ *tag = Poly1305 { r: [0; 3], sum: *sum, pad: *pad }.finish(); }')


@statements.statement(
    name='poly1305-finish', tier='scalar', entry=FINISH,
    sentence='reduces a sum of limbs of at most 46 bits modulo 2^130 - 5, and adds s modulo 2^128')
def _(machine):
    limbs, wide = [zext(var(f'sum{index}', 46), 46, 64) for index in range(3)], Width(160)
    pad, tag = var('pad', 128), machine.allocate(16)
    machine.call(FINISH.symbol, [takes(machine, limbs), takes(machine, [pad], 128), tag])
    number = wide.add(*(wide.shl(zext(limb, 64, 160), place) for limb, place in zip(limbs, RADIX_44)))
    for _ in range(2):
        # 2^130 is congruent to 5.
        over = wide.shr(number, 130)
        number = wide.add(wide.and_(number, 2**130 - 1), over, wide.shl(over, 2))
    reduced = select(icmp('ult', number, PRIME, 160), number, wide.sub(number, PRIME), 160)
    return [(machine.words(tag, 1, 128)[0], W128.add(extract(reduced, 160, 0, 128), pad), 128)]


WORDS = Entry(
    'cpu/x86_64/poly1305/words.rs', 'poly1305_words',
    f"""(sum: &mut Limbs, r: &Limbs, text: *const u8, blocks: usize) {{
        {POLY}
        unsafe {{
            let powers = Powers::new(&poly);
            let sums = powers.first(&poly, std::slice::from_raw_parts(text, blocks * BLOCK), blocks);
            powers.last(sums, &mut poly);
            std::mem::forget(powers);
        }}
        {DONE}
    }}""", 'bmi2')


@statement(name='poly1305-words-first', tier='BMI2', entry=WORDS,
           sentence='absorbs five blocks in words of 64 bits')
def _(machine):
    return absorbs(machine, WORDS, 5, 5, bounds=[2**44 - 1, 2**44 - 1, 2**43 - 1])


HALVES_OF_WORDS = Entry(
    'cpu/x86_64/poly1305/words.rs', 'poly1305_words_halves',
    """(sum: &mut Words, r: &Limbs, text: *const u8, kind: usize) {
        let mut poly = Poly1305::new(&[0; 32]);
        poly.r = *r;
        unsafe {
            let powers = Powers::new(&poly);
            *sum = match kind {
                0 => powers.step(Sums(*sum), &*text.cast()).0,
                1 => {
                    let text = &*text.cast();
                    let mut halves = powers.begin(Sums(*sum), text);
                    for index in 0..10 { halves = powers.part(halves, text, index); }
                    powers.end(halves, text).0
                }
                _ => {
                    let text = &*text.cast::<[u8; LONG_PASS]>();
                    let mut halves = powers.begin_long(Sums(*sum));
                    for index in 0..128 { halves = powers.pair(halves, text, index); }
                    powers.end_long(halves).0
                }
            };
            std::mem::forget((powers, poly));
        }
    }""", 'bmi2')


def halves(kind, name, count, **options):
    @statement(name=f'poly1305-words-{name}', tier='BMI2', entry=HALVES_OF_WORDS, **options,
               sentence=f'computes the powers of r, and absorbs {count} blocks as two halves in words of 64 '
                        'bits; above two words, a sum has at most 8 before that and 9 afterwards')
    def _(machine):
        inputs = Inputs()
        sum_, number = inputs.limbs('sum', [2**64 - 1, 2**64 - 1, 8], RADIX_64)
        r, factor = inputs.key()
        words, blocks = inputs.text(count)
        at = takes(machine, sum_)
        machine.call(HALVES_OF_WORDS.symbol, [at, takes(machine, r), takes(machine, words), kind])
        return inputs.equal(
            machine.words(at, 3, 64), absorbed(number, factor, blocks), [2**64 - 1, 2**64 - 1, 9], RADIX_64)


halves(0, 'step', 16)
halves(1, 'pass', 64)
halves(2, 'long-pass', 256)
