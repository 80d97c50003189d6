"""Models of LLVM's intrinsic functions and of those of x86-64 and AArch64, and of inline assembly.

A model gets (machine, type of the result, types of the operands, operands...). Those of a CPU's
instructions follow its manual: Intel's Software Developer's Manual, Arm's Architecture Reference
Manual. execution_test.py compares each with the CPU.
"""

from __future__ import annotations

import re

from .references import aes
from .terms import W32, W64, clmul, concat, extract, funnel, icmp, op, ones, opaque, rotl, select, zext


def find(name: str):
    """Returns the model of an intrinsic by its name without "llvm.", or None."""
    parts = name.split('.')
    for count in range(len(parts), 0, -1):
        found = MODELS.get('.'.join(parts[:count]))
        if found:
            return found
    return None


MODELS = {}


def model(*names):
    def register(function):
        for name in names:
            MODELS[name] = function
        return function
    return register


def bits_of(kind) -> int:
    return kind[2] if type(kind) is tuple else kind


def each(function, kind, *values):
    """Applies a function to elements, or to the values themselves."""
    if type(kind) is tuple:
        return [None if None in xs else function(*xs) for xs in zip(*values)]
    return None if None in values else function(*values)


# LLVM's own

@model('fshl')
def fshl(machine, kind, _, high, low, count):
    bits = bits_of(kind)
    return each(lambda x, y, k: funnel(x, y, k, bits), kind, high, low, count)


@model('fshr')
def fshr(machine, kind, _, high, low, count):
    bits = bits_of(kind)
    return each(lambda x, y, k: y if k % bits == 0 else funnel(x, y, bits - k % bits, bits), kind, high, low, count)


@model('bswap')
def bswap(machine, kind, _, value):
    bits = bits_of(kind)
    return each(lambda x: concat([(8, extract(x, bits, at, 8)) for at in range(bits - 8, -1, -8)]), kind, value)


@model('bitreverse')
def bitreverse(machine, kind, _, value):
    bits = bits_of(kind)
    return each(lambda x: concat([(1, extract(x, bits, at, 1)) for at in range(bits - 1, -1, -1)]), kind, value)


def _extreme(predicate):
    def run(machine, kind, _, one, other):
        bits = bits_of(kind)
        return each(lambda x, y: select(icmp(predicate, x, y, bits), x, y, bits), kind, one, other)
    return run


for _name, _predicate in (('umin', 'ult'), ('umax', 'ugt'), ('smin', 'slt'), ('smax', 'sgt')):
    MODELS[_name] = _extreme(_predicate)


@model('uadd.with.overflow')
def uadd_with_overflow(machine, kind, kinds, one, other):
    bits = kinds[0]
    total = op('add', zext(one, bits, bits + 1), zext(other, bits, bits + 1), bits + 1)
    return [extract(total, bits + 1, 0, bits), extract(total, bits + 1, bits, 1)]


@model('usub.with.overflow')
def usub_with_overflow(machine, kind, kinds, one, other):
    bits = kinds[0]
    return [op('sub', one, other, bits), icmp('ult', one, other, bits)]


@model('umul.with.overflow')
def umul_with_overflow(machine, kind, kinds, one, other):
    bits = kinds[0]
    product = op('mul', zext(one, bits, 2 * bits), zext(other, bits, 2 * bits), 2 * bits)
    return [extract(product, 2 * bits, 0, bits),
            icmp('ne', extract(product, 2 * bits, bits, bits), 0, bits)]


@model('usub.sat')
def usub_sat(machine, kind, _, one, other):
    bits = bits_of(kind)
    return each(lambda x, y: select(icmp('ult', x, y, bits), 0, op('sub', x, y, bits), bits), kind, one, other)


@model('uadd.sat')
def uadd_sat(machine, kind, _, one, other):
    bits = bits_of(kind)

    def add(x, y):
        total = op('add', x, y, bits)
        return select(icmp('ult', total, x, bits), ones(bits), total, bits)

    return each(add, kind, one, other)


def _counting(function):
    def run(machine, kind, _, value, *rest):
        bits = bits_of(kind)
        return each(lambda x: function(x, bits), kind, value)
    return run


MODELS['ctpop'] = _counting(lambda x, bits: x.bit_count())
MODELS['ctlz'] = _counting(lambda x, bits: bits - x.bit_length())
MODELS['cttz'] = _counting(lambda x, bits: (x & -x).bit_length() - 1 if x else bits)


def _reduction(name):
    def run(machine, kind, kinds, value):
        result = value[0]
        for x in value[1:]:
            result = op(name, result, x, kind)
        return result
    return run


for _name in ('or', 'xor', 'and', 'add'):
    MODELS[f'vector.reduce.{_name}'] = _reduction(_name)


def _reduction_to_extreme(predicate):
    def run(machine, kind, kinds, value):
        result = value[0]
        for x in value[1:]:
            result = select(icmp(predicate, x, result, kind), x, result, kind)
        return result
    return run


for _name, _predicate in (('umin', 'ult'), ('umax', 'ugt'), ('smin', 'slt'), ('smax', 'sgt')):
    MODELS[f'vector.reduce.{_name}'] = _reduction_to_extreme(_predicate)


@model('memcpy', 'memmove')
def memcpy(machine, kind, kinds, target, source, size, volatile):
    machine.memory.copy((0, target), (0, source), size)


@model('memset')
def memset(machine, kind, kinds, target, byte, size, volatile):
    machine.memory.fill((0, target), byte, size)


@model('masked.load')
def masked_load(machine, kind, kinds, address, mask, otherwise):
    bits = bits_of(kind)
    return [machine.load(address + index * bits // 8, bits) if bit else x
            for index, (bit, x) in enumerate(zip(mask, otherwise))]


@model('masked.store')
def masked_store(machine, kind, kinds, value, address, mask):
    bits = bits_of(kinds[0])
    for index, (bit, x) in enumerate(zip(mask, value)):
        if bit:
            machine.store(address + index * bits // 8, bits, x)


@model('masked.gather')
def masked_gather(machine, kind, kinds, addresses, mask, otherwise):
    return [machine.load(address, bits_of(kind)) if bit else x
            for address, bit, x in zip(addresses, mask, otherwise)]


@model('expect', 'launder.invariant.group')
def same(machine, kind, kinds, value, *_):
    return value


# x86-64

def whole(value, kind):
    """Returns the 128-bit lanes of a vector."""
    bits, count = kind[2], 128 // kind[2]
    return [None if None in value[at:at + count] else concat([(bits, x) for x in value[at:at + count]])
            for at in range(0, len(value), count)]


def elements(lanes, kind):
    """Returns the elements of a vector of 128-bit lanes."""
    bits = kind[2]
    return [None if lane is None else extract(lane, 128, at, bits) for lane in lanes for at in range(0, 128, bits)]


def _aes(name):
    def run(machine, kind, kinds, state, key):
        return elements([op('xor', opaque(name, 128, [(128, x)]), k, 128)
                         for x, k in zip(whole(state, kind), whole(key, kind))], kind)
    run.__name__ = name
    return run


for _instruction, _name in (('aesenc', 'aes_round'), ('aesenclast', 'aes_last_round'),
                            ('aesdec', 'aes_inverse_round'), ('aesdeclast', 'aes_inverse_last_round')):
    MODELS[f'x86.aesni.{_instruction}'] = _aes(_name)


@model('x86.aesni.aesimc')
def aesimc(machine, kind, kinds, value):
    return elements([opaque('aes_inverse_mix_columns', 128, [(128, x)]) for x in whole(value, kind)], kind)


@model('x86.aesni.aeskeygenassist')
def aeskeygenassist(machine, kind, kinds, value, constant):
    lane, = whole(value, kind)
    one, three = (sub_word(extract(lane, 128, at, 32)) for at in (32, 96))
    turned = [op('xor', rotl(x, 24, 32), constant & 255, 32) for x in (one, three)]
    return elements([concat([(32, one), (32, turned[0]), (32, three), (32, turned[1])])], kind)


def sub_word(word):
    """Applies the S-box to the bytes of a word."""
    return concat([(8, aes.sbox(extract(word, 32, at, 8))) for at in range(0, 32, 8)])


@model('x86.pclmulqdq')
def pclmulqdq(machine, kind, kinds, one, other, halves):
    product = []
    for at in range(0, len(one), 2):
        wide = clmul(one[at + (halves & 1)], other[at + (halves >> 4 & 1)])
        product += [extract(wide, 128, 0, 64), extract(wide, 128, 64, 64)]
    return product


@model('x86.avx512.pternlog')
def pternlog(machine, kind, kinds, a, b, c, table):
    bits = bits_of(kind)

    # The algebraic normal form: a product has a coefficient if an odd number of those below it are one.
    products = [index for index in range(8) if sum(
        table >> below & 1 for below in range(8) if below & index == below) % 2]

    def choose(x, y, z):
        result = 0
        for index in products:
            product = ones(bits)
            for number, value in ((2, x), (1, y), (0, z)):
                if index >> number & 1:
                    product = op('and', product, value, bits)
            result = op('xor', result, product, bits)
        return result

    return each(choose, kind, a, b, c)


def _vpmadd52(high):
    def run(machine, kind, kinds, total, one, other):
        def multiply(sum_, x, y):
            product = op('mul', zext(extract(x, 64, 0, 52), 52, 104), zext(extract(y, 64, 0, 52), 52, 104), 104)
            part = extract(product, 104, 52 if high else 0, 52)
            return op('add', sum_, zext(part, 52, 64), 64)
        return each(multiply, kind, total, one, other)
    run.__name__ = f'vpmadd52{"h" if high else "l"}uq'
    return run


MODELS['x86.avx512.vpmadd52l'], MODELS['x86.avx512.vpmadd52h'] = _vpmadd52(False), _vpmadd52(True)


def choice(x, y, z):
    return W32.xor(W32.and_(x, y), W32.and_(W32.not_(x), z))


def majority(x, y, z):
    return W32.xor(W32.and_(x, y), W32.and_(x, z), W32.and_(y, z))


def sigma(x, a, b, c):
    return W32.xor(W32.rotr(x, a), W32.rotr(x, b), W32.rotr(x, c))


def small_sigma(x, a, b, c):
    return W32.xor(W32.rotr(x, a), W32.rotr(x, b), W32.shr(x, c))


def sha256_round(state, word):
    a, b, c, d, e, f, g, h = state
    first = W32.add(h, sigma(e, 6, 11, 25), choice(e, f, g), word)
    return [W32.add(first, sigma(a, 2, 13, 22), majority(a, b, c)), a, b, c, W32.add(d, first), e, f, g]


@model('x86.sha256rnds2')
def sha256rnds2(machine, kind, kinds, one, other, words):
    h, g, d, c = one
    f, e, b, a = other
    state = [a, b, c, d, e, f, g, h]
    for index in range(2):
        state = sha256_round(state, words[index])
    a, b, _, _, e, f, _, _ = state
    return [f, e, b, a]


@model('x86.sha256msg1')
def sha256msg1(machine, kind, kinds, a, b):
    return [W32.add(x, small_sigma(y, 7, 18, 3)) for x, y in zip(a, [*a[1:], b[0]])]


@model('x86.sha256msg2')
def sha256msg2(machine, kind, kinds, a, b):
    words = [b[2], b[3]]
    for index in range(4):
        words.append(W32.add(a[index], small_sigma(words[index], 17, 19, 10)))
    return words[2:]


@model('x86.sha1rnds4')
def sha1rnds4(machine, kind, kinds, one, other, number):
    d, c, b, a = one
    e = 0
    function = (choice, lambda x, y, z: W32.xor(x, y, z), majority, lambda x, y, z: W32.xor(x, y, z))[number & 3]
    constant = (0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6)[number & 3]
    for word in reversed(other):
        a, b, c, d, e = W32.add(function(b, c, d), W32.rotl(a, 5), word, e, constant), a, W32.rotl(b, 30), c, d
    return [d, c, b, a]


@model('x86.sha1nexte')
def sha1nexte(machine, kind, kinds, a, b):
    return [*b[:3], W32.add(b[3], W32.rotl(a[3], 30))]


@model('x86.sha1msg1')
def sha1msg1(machine, kind, kinds, a, b):
    w0, w1, w2, w3, w4, w5 = *a[::-1], *b[:1:-1]
    return [W32.xor(w5, w3), W32.xor(w4, w2), W32.xor(w3, w1), W32.xor(w2, w0)]


@model('x86.sha1msg2')
def sha1msg2(machine, kind, kinds, a, b):
    words = [b[2], b[1], b[0]]
    for index in range(4):
        words.append(W32.rotl(W32.xor(a[3 - index], words[index]), 1))
    return words[:2:-1]


# AArch64

@model('aarch64.neon.pmull64')
def pmull64(machine, kind, kinds, one, other):
    return elements([clmul(one, other)], kind)


@model('aarch64.crypto.sha256h')
def sha256h(machine, kind, kinds, one, other, words):
    return _sha256h([*one, *other], words)[:4]


@model('aarch64.crypto.sha256h2')
def sha256h2(machine, kind, kinds, one, other, words):
    # The operands are those of the other half: the second is the first of `sha256h`.
    return _sha256h([*other, *one], words)[4:]


def _sha256h(state, words):
    for index in range(4):
        state = sha256_round(state, words[index])
    return state


@model('aarch64.crypto.sha256su0')
def sha256su0(machine, kind, kinds, a, b):
    return [W32.add(x, small_sigma(y, 7, 18, 3)) for x, y in zip(a, [*a[1:], b[0]])]


@model('aarch64.crypto.sha256su1')
def sha256su1(machine, kind, kinds, a, b, c):
    words = [c[2], c[3]]
    for index in range(4):
        middle = [*b[1:], c[0]][index]
        words.append(W32.add(a[index], middle, small_sigma(words[index], 17, 19, 10)))
    return words[2:]


@model('aarch64.crypto.eor3u')
def eor3(machine, kind, kinds, a, b, c):
    bits = bits_of(kind)
    return [op('xor', op('xor', x, y, bits), z, bits) for x, y, z in zip(a, b, c)]


@model('aarch64.crypto.bcaxu')
def bcax(machine, kind, kinds, a, b, c):
    bits = bits_of(kind)
    return [op('xor', x, op('and', y, op('xor', z, ones(bits), bits), bits), bits) for x, y, z in zip(a, b, c)]


@model('aarch64.crypto.rax1')
def rax1(machine, kind, kinds, a, b):
    return [W64.xor(x, W64.rotl(y, 1)) for x, y in zip(a, b)]


@model('aarch64.crypto.xar')
def xar(machine, kind, kinds, a, b, count):
    return [W64.rotr(W64.xor(x, y), count) for x, y in zip(a, b)]


# Inline assembly: lines in Intel's syntax over 64-bit registers.

def _memory(text, registers, machine):
    register, offset = re.fullmatch(r'qword ptr \[(\S+) \+ (\d+)\]', text).groups()
    return machine.load(registers[register] + int(offset), 64)


def _line(line, registers, machine):
    name, _, rest = line.strip().partition(' ')
    target, *sources = [x.strip() for x in rest.split(',')]
    old = registers.get(target)

    def value(text):
        if text.startswith('qword'):
            return _memory(text, registers, machine)
        return registers[text] if text in registers else int(text)

    if name == 'lea':
        one, other = re.fullmatch(r'\[(\S+) \+ (\S+)\]', sources[0]).groups()
        result = W64.add(registers[one], registers[other])
    elif name == 'rorx':
        result = W64.rotr(value(sources[0]), value(sources[1]))
    elif name == 'andn':
        result = W64.and_(W64.not_(value(sources[0])), value(sources[1]))
    elif name == 'mov':
        result = value(sources[0])
    elif name in ('add', 'and', 'xor'):
        result = op(name, old, value(sources[0]), 64)
    else:
        raise NotImplementedError(line)
    registers[target] = result


def assembly(machine, template: str, constraints: str, values):
    """Executes a template; returns its outputs. A comment has no instructions."""
    kinds = [x for x in constraints.split(',') if x and not x.startswith('~')]
    outputs = [x for x in kinds if x.startswith('=')]
    registers = {}
    for index, (constraint, value) in enumerate(zip(kinds[len(outputs):], values, strict=True)):
        name = f'${len(outputs) + index}'
        registers[name] = value
        if constraint.isdigit():
            registers[f'${constraint}'] = value
    for line in re.sub(r'/\*.*?\*/', '', template).replace('\\0A', '\n').splitlines():
        line = re.sub(r'\$\{(\d+):\w\}', r'$\1', line)
        if line.strip():
            _line(line, registers, machine)
            machine.models.add(f'asm {line.split()[0]}')
    return [registers.get(f'${index}') for index in range(len(outputs))]
