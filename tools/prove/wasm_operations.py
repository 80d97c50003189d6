"""The operations of WebAssembly on values: their numbers, names, types and what they compute.

A value of i32, i64 or v128 is an int or a Term; the lanes of a vector are extracts of it. A value of
f64 is a float, with which nothing is computed but its conversion to an integer.
"""

from __future__ import annotations

from .terms import concat, extract, funnel, icmp, op, ones, select, sext, signed, zext


class Trap(Exception):
    """The code traps."""


class Symbolic(Exception):
    """A branch, an address or a divisor depends on a symbolic value."""


BITS = {'i32': 32, 'i64': 64, 'v128': 128}
SHAPES = {'i8x16': 8, 'i16x8': 16, 'i32x4': 32, 'i64x2': 64}

# Numbers and names

# (prefix or 0, number) -> name.
NAMES: dict = {}


def _name(prefix, first, names, kind=''):
    """Numbers names from `first` on; `-` is a number without an operation."""
    for number, name in enumerate(names.split(), first):
        if name != '-':
            NAMES[prefix, number] = kind + name


_COMPARISONS = 'eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u'
_FLOAT_COMPARISONS = 'eq ne lt gt le ge'
_ARITHMETIC = 'clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr'
_FLOAT_ARITHMETIC = 'abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign'

_name(0, 0x00, 'unreachable nop block loop if else - - - - - end br br_if br_table return call call_indirect')
_name(0, 0x1A, 'drop select select_typed - - - local.get local.set local.tee global.get global.set')
_name(0, 0x28, '''
    i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u
    i64.load8_s i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u
    i32.store i64.store f32.store f64.store i32.store8 i32.store16 i64.store8 i64.store16 i64.store32
    memory.size memory.grow i32.const i64.const f32.const f64.const''')
_name(0, 0x45, 'eqz ' + _COMPARISONS, 'i32.')
_name(0, 0x50, 'eqz ' + _COMPARISONS, 'i64.')
_name(0, 0x5B, _FLOAT_COMPARISONS, 'f32.')
_name(0, 0x61, _FLOAT_COMPARISONS, 'f64.')
_name(0, 0x67, _ARITHMETIC, 'i32.')
_name(0, 0x79, _ARITHMETIC, 'i64.')
_name(0, 0x8B, _FLOAT_ARITHMETIC, 'f32.')
_name(0, 0x99, _FLOAT_ARITHMETIC, 'f64.')
_name(0, 0xA7, '''
    i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u
    i64.extend_i32_s i64.extend_i32_u i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u
    f32.convert_i32_s f32.convert_i32_u f32.convert_i64_s f32.convert_i64_u f32.demote_f64
    f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s f64.convert_i64_u f64.promote_f32
    i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64
    i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s''')
_name(0xFC, 0, '''
    i32.trunc_sat_f32_s i32.trunc_sat_f32_u i32.trunc_sat_f64_s i32.trunc_sat_f64_u
    i64.trunc_sat_f32_s i64.trunc_sat_f32_u i64.trunc_sat_f64_s i64.trunc_sat_f64_u
    - - memory.copy memory.fill''')
_name(0xFD, 0, '''
    load load8x8_s load8x8_u load16x4_s load16x4_u load32x2_s load32x2_u
    load8_splat load16_splat load32_splat load64_splat store const''', 'v128.')
_name(0xFD, 13, '''
    i8x16.shuffle i8x16.swizzle
    i8x16.splat i16x8.splat i32x4.splat i64x2.splat f32x4.splat f64x2.splat
    i8x16.extract_lane_s i8x16.extract_lane_u i8x16.replace_lane
    i16x8.extract_lane_s i16x8.extract_lane_u i16x8.replace_lane i32x4.extract_lane i32x4.replace_lane
    i64x2.extract_lane i64x2.replace_lane f32x4.extract_lane f32x4.replace_lane f64x2.extract_lane
    f64x2.replace_lane''')
for _number, _shape in enumerate(('i8x16', 'i16x8', 'i32x4')):
    _name(0xFD, 35 + 10 * _number, _COMPARISONS, _shape + '.')
_name(0xFD, 65, _FLOAT_COMPARISONS, 'f32x4.')
_name(0xFD, 71, _FLOAT_COMPARISONS, 'f64x2.')
_name(0xFD, 77, '''
    not and andnot or xor bitselect any_true load8_lane load16_lane load32_lane load64_lane
    store8_lane store16_lane store32_lane store64_lane load32_zero load64_zero''', 'v128.')
_name(0xFD, 94, 'f32x4.demote_f64x2_zero f64x2.promote_low_f32x4')
_name(0xFD, 96, '''
    abs neg popcnt all_true bitmask narrow_i16x8_s narrow_i16x8_u - - - - shl shr_s shr_u add
    add_sat_s add_sat_u sub sub_sat_s sub_sat_u - - min_s min_u max_s max_u - avgr_u''', 'i8x16.')
_name(0xFD, 103, 'f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest')
_name(0xFD, 116, 'f64x2.ceil f64x2.floor - - - - f64x2.trunc')
_name(0xFD, 124, 'i16x8.extadd_pairwise_i8x16_s i16x8.extadd_pairwise_i8x16_u '
                 'i32x4.extadd_pairwise_i16x8_s i32x4.extadd_pairwise_i16x8_u')
_name(0xFD, 128, '''
    abs neg q15mulr_sat_s all_true bitmask narrow_i32x4_s narrow_i32x4_u
    extend_low_i8x16_s extend_high_i8x16_s extend_low_i8x16_u extend_high_i8x16_u
    shl shr_s shr_u add add_sat_s add_sat_u sub sub_sat_s sub_sat_u - mul min_s min_u max_s max_u - avgr_u
    extmul_low_i8x16_s extmul_high_i8x16_s extmul_low_i8x16_u extmul_high_i8x16_u''', 'i16x8.')
_name(0xFD, 148, 'f64x2.nearest')
_name(0xFD, 160, '''
    abs neg - all_true bitmask - - extend_low_i16x8_s extend_high_i16x8_s extend_low_i16x8_u
    extend_high_i16x8_u shl shr_s shr_u add - - sub - - - mul min_s min_u max_s max_u dot_i16x8_s -
    extmul_low_i16x8_s extmul_high_i16x8_s extmul_low_i16x8_u extmul_high_i16x8_u''', 'i32x4.')
_name(0xFD, 192, '''
    abs neg - all_true bitmask - - extend_low_i32x4_s extend_high_i32x4_s extend_low_i32x4_u
    extend_high_i32x4_u shl shr_s shr_u add - - sub - - - mul eq ne lt_s gt_s le_s ge_s
    extmul_low_i32x4_s extmul_high_i32x4_s extmul_low_i32x4_u extmul_high_i32x4_u''', 'i64x2.')
_FLOAT_LANES = 'abs neg - sqrt add sub mul div min max pmin pmax'
_name(0xFD, 224, _FLOAT_LANES, 'f32x4.')
_name(0xFD, 236, _FLOAT_LANES, 'f64x2.')
_name(0xFD, 248, '''
    i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u f32x4.convert_i32x4_s f32x4.convert_i32x4_u
    i32x4.trunc_sat_f64x2_s_zero i32x4.trunc_sat_f64x2_u_zero
    f64x2.convert_low_i32x4_s f64x2.convert_low_i32x4_u''')

# What they compute

# name -> (types of the operands, type of the result, function of the operands and the immediates).
OPERATIONS: dict = {}
# name -> (type of the result, bits read, function of what was read). Those of a lane also take the vector
# and the number of the lane.
LOADS: dict = {}
# name -> (type of the value, bits written, function of the value, and of the lane's number).
STORES: dict = {}


def lanes(value, bits):
    return [extract(value, 128, at, bits) for at in range(0, 128, bits)]


def vector(values, bits):
    return concat([(bits, value) for value in values])


def concrete(value, what='an operand'):
    if type(value) is not int:
        raise Symbolic(f'{what} is {value}')
    return value


def is_set(value, bits=32):
    """Returns one bit: if the value is not zero."""
    if type(value) is not int and value.kind == 'concat':
        (size, low), *rest = value.args
        if size == 1 and all(part == 0 for _, part in rest):
            return low
    return icmp('ne', value, 0, bits)


def resized(value, from_bits, bits):
    return extract(value, from_bits, 0, bits) if bits < from_bits else zext(value, from_bits, bits)


def extended(value, from_bits, bits, sign):
    return (sext if sign == 's' else zext)(value, from_bits, bits)


def shift(kind, bits, from_bits=None):
    """Returns a shift by a number modulo the width, which has `from_bits`."""
    def run(value, count):
        count = op('and', count, bits - 1, from_bits or bits)
        return op(kind, value, count if from_bits is None else resized(count, from_bits, bits), bits)
    return run


def rotate(bits, sign):
    def run(value, count):
        if type(count) is int:
            return funnel(value, value, sign * count % bits, bits)
        left = op('and', op('mul', count, sign % (1 << bits), bits), bits - 1, bits)
        right = op('and', op('sub', 0, left, bits), bits - 1, bits)
        return op('or', op('shl', value, left, bits), op('lshr', value, right, bits), bits)
    return run


def divide(bits, sign, remainder):
    def run(one, other):
        one, other = concrete(one), concrete(other)
        if sign == 's':
            one, other = signed(one, bits), signed(other, bits)
        if other == 0 or not remainder and sign == 's' and one == -1 << bits - 1 and other == -1:
            raise Trap('a division')
        quotient = abs(one) // abs(other)
        if (one < 0) != (other < 0):
            quotient = -quotient
        return (one - quotient * other if remainder else quotient) & ones(bits)
    return run


def count_leading(value, bits):
    return bits - concrete(value).bit_length()


def count_trailing(value, bits):
    return ((concrete(value) | 1 << bits) & -(value | 1 << bits)).bit_length() - 1


def count_ones(value, bits):
    if type(value) is int:
        return value.bit_count()
    total = 0
    for at in range(bits):
        total = op('add', total, zext(extract(value, bits, at, 1), 1, bits), bits)
    return total


def predicate(name):
    """Returns LLVM's name of a comparison."""
    if name in ('eq', 'ne'):
        return name
    relation, sign = name.split('_')
    return sign + relation


def extreme(name, bits):
    chosen = predicate(name)
    return lambda x, y: select(icmp(chosen, x, y, bits), x, y, bits)


def saturated(value, from_bits, bits, sign):
    """Returns the nearest number of `bits` to a signed one."""
    least, most = (-1 << bits - 1, ones(bits - 1)) if sign == 's' else (0, ones(bits))
    value = select(icmp('slt', value, most, from_bits), value, most, from_bits)
    least &= ones(from_bits)
    return extract(select(icmp('sgt', value, least, from_bits), value, least, from_bits), from_bits, 0, bits)


def saturating(kind, bits, sign):
    wide = bits + 2
    return lambda x, y: saturated(
        op(kind, extended(x, bits, wide, sign), extended(y, bits, wide, sign), wide), wide, bits, sign)


def average(bits):
    wide = bits + 1

    def run(x, y):
        total = op('add', op('add', zext(x, bits, wide), zext(y, bits, wide), wide), 1, wide)
        return extract(total, wide, 1, bits)
    return run


def _scalar(kind, bits):
    def define(name, function, operands=2, result=kind):
        OPERATIONS[f'{kind}.{name}'] = ((kind,) * operands, result, function)

    def comparison(name):
        chosen = predicate(name)
        return lambda x, y: zext(icmp(chosen, x, y, bits), 1, 32)

    def calculation(name):
        return lambda x, y: op(name, x, y, bits)

    define('eqz', lambda x: zext(op('xor', is_set(x, bits), 1, 1), 1, 32), 1, 'i32')
    for name in _COMPARISONS.split():
        define(name, comparison(name), 2, 'i32')
    for name in ('add', 'sub', 'mul', 'and', 'or', 'xor'):
        define(name, calculation(name))
    for name, shifts in (('shl', 'shl'), ('shr_s', 'ashr'), ('shr_u', 'lshr')):
        define(name, shift(shifts, bits))
    define('rotl', rotate(bits, 1))
    define('rotr', rotate(bits, -1))
    for sign in 'su':
        define(f'div_{sign}', divide(bits, sign, False))
        define(f'rem_{sign}', divide(bits, sign, True))
    for name, counts in (('clz', count_leading), ('ctz', count_trailing), ('popcnt', count_ones)):
        define(name, lambda x, counts=counts: counts(x, bits), 1)
    for size in (8, 16, 32):
        if size < bits:
            define(f'extend{size}_s', lambda x, size=size: sext(extract(x, bits, 0, size), size, bits), 1)
            for sign in 'su':
                LOADS[f'{kind}.load{size}_{sign}'] = (
                    kind, size, lambda x, size=size, sign=sign: extended(x, size, bits, sign))
            STORES[f'{kind}.store{size}'] = (kind, size, lambda x, size=size: extract(x, bits, 0, size))
    LOADS[f'{kind}.load'] = (kind, bits, lambda x: x)
    STORES[f'{kind}.store'] = (kind, bits, lambda x: x)

    def truncation(sign):
        least, most = (-1 << bits - 1, ones(bits - 1)) if sign == 's' else (0, ones(bits))
        return lambda x: 0 if x != x else int(max(least, min(most, x))) & ones(bits)

    for sign in 'su':
        OPERATIONS[f'{kind}.trunc_sat_f64_{sign}'] = (('f64',), kind, truncation(sign))


_scalar('i32', 32)
_scalar('i64', 64)
OPERATIONS['i32.wrap_i64'] = (('i64',), 'i32', lambda x: extract(x, 64, 0, 32))
OPERATIONS['i64.extend_i32_s'] = (('i32',), 'i64', lambda x: sext(x, 32, 64))
OPERATIONS['i64.extend_i32_u'] = (('i32',), 'i64', lambda x: zext(x, 32, 64))


def _vector(shape, bits):
    def define(name, function, operands='v128 v128', result='v128'):
        OPERATIONS[f'{shape}.{name}'] = (tuple(operands.split()), result, function)

    def each(name, function, operands=2):
        def run(*values):
            return vector([function(*xs) for xs in zip(*(lanes(x, bits) for x in values))], bits)
        define(name, run, ' '.join(['v128'] * operands))

    def mask(name):
        chosen = predicate(name)
        return lambda x, y: sext(icmp(chosen, x, y, bits), 1, bits)

    count = 128 // bits
    scalar, size = ('i64', 64) if bits == 64 else ('i32', 32)
    define('splat', lambda x: vector([resized(x, size, bits)] * count, bits), scalar)
    if bits < 32:
        for sign in 'su':
            define(f'extract_lane_{sign}', lambda x, lane, sign=sign: extended(
                extract(x, 128, lane * bits, bits), bits, 32, sign), 'v128', scalar)
    else:
        define('extract_lane', lambda x, lane: extract(x, 128, lane * bits, bits), 'v128', scalar)
    define('replace_lane', lambda x, y, lane: replaced(x, resized(y, size, bits), lane, bits),
           f'v128 {scalar}')
    for name in ('eq ne lt_s gt_s le_s ge_s' if bits == 64 else _COMPARISONS).split():
        each(name, mask(name))
    for name in ('add', 'sub', *(('mul',) if bits > 8 else ())):
        each(name, lambda x, y, name=name: op(name, x, y, bits))
    each('neg', lambda x: op('sub', 0, x, bits), 1)
    each('abs', lambda x: select(extract(x, bits, bits - 1, 1), op('sub', 0, x, bits), x, bits), 1)
    for name, kind in (('shl', 'shl'), ('shr_s', 'ashr'), ('shr_u', 'lshr')):
        define(name, lambda x, k, shifted=shift(kind, bits, 32): vector(
            [shifted(y, k) for y in lanes(x, bits)], bits), 'v128 i32')
    if bits < 64:
        for sign in 'su':
            each(f'min_{sign}', extreme(f'lt_{sign}', bits))
            each(f'max_{sign}', extreme(f'gt_{sign}', bits))
    if bits < 32:
        for sign in 'su':
            each(f'add_sat_{sign}', saturating('add', bits, sign))
            each(f'sub_sat_{sign}', saturating('sub', bits, sign))
            define(f'narrow_i{2 * bits}x{count // 2}_{sign}', lambda *values, sign=sign: vector(
                [saturated(x, 2 * bits, bits, sign) for y in values for x in lanes(y, 2 * bits)], bits))
        each('avgr_u', average(bits))
    define('all_true', lambda x: zext(_all(is_set(y, bits) for y in lanes(x, bits)), 1, 32), 'v128', 'i32')
    define('bitmask', lambda x: concat([
        *((1, extract(x, 128, at, 1)) for at in range(bits - 1, 128, bits)), (32 - count, 0)]), 'v128', 'i32')
    if bits > 8:
        _widening(define, bits)


def _all(bits):
    result = 1
    for bit in bits:
        result = op('and', result, bit, 1)
    return result


def _widening(define, bits):
    """Defines the operations that make lanes of `bits` of lanes of half as many."""
    half, count = bits // 2, 128 // bits
    narrow = f'i{half}x{2 * count}'

    def wide(value, sign):
        return [extended(x, half, bits, sign) for x in lanes(value, half)]

    def multiplied(x, y, sign):
        return [op('mul', a, b, bits) for a, b in zip(wide(x, sign), wide(y, sign))]

    for sign in 'su':
        for name, begin in (('low', 0), ('high', count)):
            part = slice(begin, begin + count)
            define(f'extend_{name}_{narrow}_{sign}',
                   lambda x, part=part, sign=sign: vector(wide(x, sign)[part], bits), 'v128')
            define(f'extmul_{name}_{narrow}_{sign}',
                   lambda x, y, part=part, sign=sign: vector(multiplied(x, y, sign)[part], bits))
        LOADS[f'v128.load{half}x{count}_{sign}'] = (
            'v128', 64, lambda x, sign=sign: vector(wide(zext(x, 64, 128), sign)[:count], bits))


def replaced(value, lane_value, lane, bits):
    """Returns a vector with another lane."""
    values = lanes(value, bits)
    values[lane] = lane_value
    return vector(values, bits)


for _shape, _bits in SHAPES.items():
    _vector(_shape, _bits)
    LOADS[f'v128.load{_bits}_splat'] = (
        'v128', _bits, lambda x, bits=_bits: vector([x] * (128 // bits), bits))
    LOADS[f'v128.load{_bits}_lane'] = (
        'v128', _bits, lambda x, value, lane, bits=_bits: replaced(value, x, lane, bits))
    STORES[f'v128.store{_bits}_lane'] = (
        'v128', _bits, lambda x, lane, bits=_bits: extract(x, 128, lane * bits, bits))
    if _bits >= 32:
        LOADS[f'v128.load{_bits}_zero'] = ('v128', _bits, lambda x, bits=_bits: zext(x, bits, 128))
LOADS['v128.load'] = ('v128', 128, lambda x: x)
STORES['v128.store'] = ('v128', 128, lambda x: x)


def _bits_of_vectors(name, operands, function):
    OPERATIONS[f'v128.{name}'] = (('v128',) * operands, 'v128', function)


for _kind in ('and', 'or', 'xor'):
    _bits_of_vectors(_kind, 2, lambda x, y, kind=_kind: op(kind, x, y, 128))
_bits_of_vectors('not', 1, lambda x: op('xor', x, ones(128), 128))
_bits_of_vectors('andnot', 2, lambda x, y: op('and', x, op('xor', y, ones(128), 128), 128))
_bits_of_vectors('bitselect', 3, lambda x, y, mask: op(
    'xor', y, op('and', mask, op('xor', x, y, 128), 128), 128))
OPERATIONS['v128.any_true'] = (('v128',), 'i32', lambda x: zext(icmp('ne', x, 0, 128), 1, 32))


def shuffle(x, y, *indexes):
    return concat([(8, extract(y if index & 16 else x, 128, 8 * (index & 15), 8)) for index in indexes])


def swizzle(x, indexes):
    def chosen(index):
        if type(index) is int:
            return extract(x, 128, 8 * index, 8) if index < 16 else 0
        values = lanes(x, 8)
        for at in range(4):
            bit = extract(index, 8, at, 1)
            values = [select(bit, b, a, 8) for a, b in zip(values[::2], values[1::2])]
        return select(icmp('eq', extract(index, 8, 4, 4), 0, 4), values[0], 0, 8)
    return vector([chosen(index) for index in lanes(indexes, 8)], 8)


OPERATIONS['i8x16.shuffle'] = (('v128', 'v128'), 'v128', shuffle)
OPERATIONS['i8x16.swizzle'] = (('v128', 'v128'), 'v128', swizzle)
