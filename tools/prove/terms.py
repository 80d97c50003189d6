"""Bit-vector terms in a normal form.

A value is an `int` (a constant, whose width the operation names) or a `Term`. Terms are made by the
functions below only, which fold constants and keep a normal form, so that two computations become
the same object if they differ in the order of sums, in shifts instead of rotations, in vectors
instead of words, in the way to select bits or in the place of a byte swap:

- wiring (extraction, extension, shifts by constants, masks, rotations) is a `concat` of cyclic
  `extract`s of atoms;
- `xor`, `and`, `or`, `not` are a `bool`: the exclusive or of products of atoms under a mask, which
  is unique (algebraic normal form);
- sums are a `sum`: a constant, and coefficients of atoms.

The form need not be complete: what differs is left to the solvers. That no step changes a value is
for audit.py to show.
"""

from __future__ import annotations

import random

# A product with more terms has its factors as atoms.
PRODUCT_TERMS = 16
# Bits of a function of more terms are taken of the whole function.
PUSHED_TERMS = 4
# A mask with more runs of ones stays a mask.
MASK_RUNS = 8


class Term:
    """A node; equal nodes are the same object, and those it is made of have smaller numbers.

    kind     args
    var      (name,)
    extract  (atom, first bit): `bits` bits from there on, after the last the first again
    concat   ((bits, value), ...), the lowest first, at least two
    bool     {(mask, {atom, ...}), ...}: exclusive or of products under masks
    sum      (constant, {(atom, coefficient), ...}) modulo 2^bits
    mul      (factor, factor)
    spread   (bit,): one bit in all places
    ite      (bit, if one, if zero)
    cmp      (eq, ult or slt, value, value)
    shift    (shl, lshr or ashr, value, number)
    clmul    (factor, factor) of 64 bits, without carries
    opaque   (name, values, attributes)
    """

    __slots__ = ('args', 'bits', 'id', 'kind')

    def __repr__(self):
        return f'{self.kind}{self.id}:{self.bits}'


_nodes: dict = {}
_extracted: dict = {}
_apart: dict = {}
# Called with (operation, operands, bits, result) for each step, while not None. The operands of
# `extract` are (value, first bit), those of `concat` (bits, value) pairs.
watch = None
# While true, functions of bits are nodes as they are, without a normal form: a decider looks at each bit.
as_given = False
# While not None, variables are numbers that follow from it and their names.
sample = None
# Nodes beyond which no more are made: changed code may have terms without end.
limit = None


class TooMany(Exception):
    """There are more terms than `limit`."""


# name -> function of (bits, values, attributes) that returns an int: what `evaluate` takes for it.
meanings: dict = {}


def count() -> int:
    """Returns the number of terms."""
    return len(_nodes)


def reset():
    """Forgets all terms: between statements."""
    _nodes.clear()
    _extracted.clear()
    _apart.clear()


def _node(kind, bits, args):
    key = (kind, bits, args)
    found = _nodes.get(key)
    if found is None:
        if limit and len(_nodes) > limit:
            raise TooMany
        found = Term()
        found.kind, found.bits, found.args, found.id = kind, bits, args, len(_nodes)
        _nodes[key] = found
    return found


def var(name: str, bits: int) -> Term:
    """Returns the variable of that name."""
    if sample is not None:
        return random.Random(f'{sample} {name}').getrandbits(bits)
    return _node('var', bits, (name,))


def opaque(name: str, bits: int, values, attributes=()) -> Term:
    """Returns a function that solvers take as uninterpreted, of (bits, value) pairs."""
    return _node('opaque', bits, (name, tuple(values), tuple(attributes)))


def ones(bits: int) -> int:
    return (1 << bits) - 1


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


# Wiring

def extract(a, bits: int, low: int, count: int):
    """Returns `count` bits of `a`, which has `bits`, from bit `low` on."""
    if type(a) is int:
        return a >> low & ones(count)
    assert a.bits == bits and 0 <= low and 0 < count and low + count <= bits, (a, bits, low, count)
    result = _cyclic(a, low, count)
    if watch:
        watch('extract', (a, low), count, result)
    return result


def cyclic(a, low, count, bits):
    """Returns `count` bits of `a`, which has `bits`, from `low` on; after the last comes the first."""
    return (a | a << bits) >> low & ones(count) if type(a) is int else _cyclic(a, low, count)


def _cyclic(a, low, count):
    bits = a.bits
    if count == bits and low == 0:
        return a
    key = (a, low, count)
    found = _extracted.get(key)
    if found is None:
        found = _extracted[key] = _cyclic_of(a, bits, low, count)
    return found


def _cyclic_of(a, bits, low, count):
    kind = a.kind
    if kind == 'concat':
        parts = []
        for shift in (0, bits):
            at = shift
            for size, part in a.args:
                begin, end = max(low, at), min(low + count, at + size)
                if begin < end:
                    parts.append((end - begin, extract(part, size, begin - at, end - begin)))
                at += size
        return concat(parts)
    if kind == 'extract':
        of, at = a.args
        # Within an extract that is not a whole rotation the end does not meet the beginning.
        if low + count <= bits or bits == of.bits:
            return _atom_extract(of, (at + low) % of.bits, count)
        first = bits - low
        return concat([(first, _cyclic(a, low, first)), (count - first, _cyclic(a, 0, count - first))])
    if kind == 'spread':
        return _spread(a.args[0], count)
    if kind == 'bool' and not as_given and _size(_products(a, bits)) <= PUSHED_TERMS:
        result = 0
        for mask, leaves in a.args:
            product = (mask | mask << bits) >> low & ones(count)
            for leaf in leaves:
                if product == 0:
                    break
                product = _bitwise('and', _cyclic(leaf, low, count), product, count)
            result = _bitwise('xor', result, product, count)
        return result
    if kind == 'bool' and not as_given and (plain := _uncomplemented(a)) is not a:
        return _bitwise('xor', _cyclic(plain, low, count), ones(count), count)
    return _atom_extract(a, low, count)


def _atom_extract(atom, low, count):
    return atom if low == 0 and count == atom.bits else _node('extract', count, (atom, low))


def concat(parts):
    """Joins (bits, value) pairs, the lowest first."""
    flat = []
    for size, part in parts:
        if type(part) is int:
            pieces = ((size, part & ones(size)),) if size else ()
        elif part.kind == 'concat':
            pieces = part.args
        else:
            assert part.bits == size, (part, size)
            pieces = ((size, part),)
        for piece in pieces:
            joined = _adjacent(flat[-1], piece) if flat else None
            if joined:
                flat[-1] = joined
            else:
                flat.append(piece)
    if len(flat) == 1:
        result = flat[0][1]
    else:
        result = _node('concat', sum(size for size, _ in flat), tuple(flat))
    if watch:
        watch('concat', tuple(parts), 0, result)
    return result


def _adjacent(low, high):
    """Returns both as one piece, or None."""
    (m, a), (n, b) = low, high
    if type(a) is int or type(b) is int:
        return (m + n, a | b << m) if type(a) is type(b) else None
    if a.kind == 'bool' and b.kind == 'bool':
        return None if as_given else _adjacent_bools(m, a, n, b)
    if a.kind == 'spread' and (b is a.args[0] or b.kind == 'spread' and b.args[0] is a.args[0]):
        return m + n, _spread(a.args[0], m + n)
    if a is b and m == 1:
        return 2, _spread(a, 2)
    if b.kind != 'extract' or m == a.bits and a.kind != 'extract':
        return None
    of, at = a.args
    if b.args[0] is of and (at + m) % of.bits == b.args[1] and m + n <= of.bits:
        return m + n, _atom_extract(of, at, m + n)
    return None


def _adjacent_bools(m, a, n, b):
    """Joins one function of neighbouring bits of the same atoms."""
    others = {leaves: mask for mask, leaves in b.args}
    joined = {}
    for mask, leaves in a.args:
        if not leaves:
            joined[leaves] = mask | others.pop(leaves, 0) << m
            continue
        expected, whole = [], []
        for leaf in leaves:
            if leaf.kind != 'extract':
                return None
            of, at = leaf.args
            if m + n > of.bits:
                return None
            expected.append(_atom_extract(of, (at + m) % of.bits, n))
            whole.append(_atom_extract(of, at, m + n))
        other = others.pop(frozenset(expected), None)
        if other is None:
            return None
        joined[frozenset(whole)] = mask | other << m
    if NONE in others:
        joined[NONE] = others.pop(NONE) << m
    if others:
        return None
    result = 0
    for leaves, mask in joined.items():
        product = mask
        for leaf in leaves:
            product = _combine('and', leaf, product, m + n)
        result = _combine('xor', result, product, m + n)
    return m + n, result


NONE = frozenset()


def _spread(bit, count):
    if type(bit) is int:
        return ones(count) if bit else 0
    if bit.kind == 'spread':
        bit = bit.args[0]
    return bit if count == 1 else _node('spread', count, (bit,))


def zext(a, from_bits: int, bits: int):
    """Extends with zeros."""
    return concat([(from_bits, a), (bits - from_bits, 0)])


def sext(a, from_bits: int, bits: int):
    """Extends with the sign."""
    if type(a) is int:
        return signed(a, from_bits) & ones(bits)
    sign = extract(a, from_bits, from_bits - 1, 1)
    return concat([(from_bits, a), (bits - from_bits, _spread(sign, bits - from_bits))])


def rotl(a, k: int, bits: int):
    """Rotates to the left."""
    k %= bits
    if k == 0:
        return a
    return concat([(k, extract(a, bits, bits - k, k)), (bits - k, extract(a, bits, 0, bits - k))])


def funnel(high, low, k: int, bits: int):
    """Returns the upper half of both words side by side, shifted to the left by `k` bits."""
    k %= bits
    if k == 0:
        return high
    return concat([(k, extract(low, bits, bits - k, k)), (bits - k, extract(high, bits, 0, bits - k))])


# Functions of bits

def _bool(products, bits):
    """Makes {atoms: mask} a term."""
    entries = [(mask, leaves) for leaves, mask in products.items() if mask]
    if not entries:
        return 0
    if len(entries) == 1:
        mask, leaves = entries[0]
        if not leaves:
            return mask
        if len(leaves) == 1 and mask == ones(bits):
            return next(iter(leaves))
    return _node('bool', bits, frozenset(entries))


def _products(a, bits):
    if type(a) is int:
        return {NONE: a} if a else {}
    if a.kind == 'bool':
        return {leaves: mask for mask, leaves in a.args}
    return {frozenset((a,)): ones(bits)}


def _runs(mask, bits):
    """Returns where bits of a mask begin to differ from those below."""
    changes = (mask ^ mask << 1) & ones(bits) & ~1
    found = []
    while changes:
        lowest = changes & -changes
        found.append(lowest.bit_length() - 1)
        changes ^= lowest
    return found


def _cuts(a):
    if type(a) is int or a.kind != 'concat':
        return ()
    cuts, at = [], 0
    for size, _ in a.args[:-1]:
        at += size
        cuts.append(at)
    return cuts


def _bitwise(kind, a, b, bits):
    if type(a) is int:
        a, b = b, a
    if type(a) is int:
        return a & b if kind == 'and' else a | b if kind == 'or' else a ^ b
    if type(b) is int:
        if kind == 'or':
            return a if b == 0 else ones(bits) if b == ones(bits) else _pieces(kind, a, b, bits)
        if b == 0:
            return a if kind == 'xor' else 0
        if kind == 'and' and b == ones(bits):
            return a
    elif a is b:
        return 0 if kind == 'xor' else a
    return _pieces(kind, a, b, bits)


def _as_given(kind, a, b, bits):
    """Makes a function of two operands a node."""
    if type(b) is int:
        if kind == 'and':
            return _bool({frozenset((a,)): b}, bits)
        products = {frozenset((a,)): ones(bits) if kind == 'xor' else ones(bits) ^ b, NONE: b}
    else:
        products = {frozenset((a, b)): ones(bits)} if kind != 'xor' else {}
        if kind != 'and':
            products |= {frozenset((a,)): ones(bits), frozenset((b,)): ones(bits)}
    return _bool(products, bits)


def _pieces(kind, a, b, bits):
    if as_given:
        return _as_given(kind, a, b, bits)
    cuts = {*_cuts(a), *_cuts(b)}
    if type(b) is int and kind != 'xor':
        runs = _runs(b, bits)
        if len(runs) <= MASK_RUNS:
            cuts.update(runs)
    if not cuts:
        return _combine(kind, a, b, bits)
    parts, at = [], 0
    for end in [*sorted(cuts), bits]:
        size = end - at
        x, y = extract(a, bits, at, size), extract(b, bits, at, size)
        parts.append((size, _bitwise(kind, x, y, size)))
        at = end
    return concat(parts)


def _combine(kind, a, b, bits):
    one, other = _products(a, bits), _products(b, bits)
    if kind == 'xor':
        return _bool(_xor(one, other), bits)
    if _size(one) * _size(other) > PRODUCT_TERMS:
        one, other = (x if _size(x) == 1 else _factor(y, bits) for x, y in ((one, a), (other, b)))
    product = {}
    for leaves, mask in one.items():
        for leaves_b, mask_b in other.items():
            both = leaves | leaves_b
            product[both] = product.get(both, 0) ^ mask & mask_b
    for leaves in [x for x in product if len(x) == 1]:
        leaf, = leaves
        if leaf.kind == 'bool':
            mask = product.pop(leaves)
            product = _xor(product, {x: k & mask for x, k in _products(leaf, bits).items() if k & mask})
    if kind == 'or':
        product = _xor(product, _xor(_products(a, bits), _products(b, bits)))
    return _bool(product, bits)


def _size(products):
    """Returns the number of products, which a complement has, too."""
    return len(products) - (NONE in products)


def _uncomplemented(a):
    """Returns a function or its complement: the one that has no constant in the lowest bit."""
    products = _products(a, a.bits)
    return _bool(_xor(products, {NONE: ones(a.bits)}), a.bits) if products.get(NONE, 0) & 1 else a


def _factor(a, bits):
    """Takes a function as an atom, or as the complement of one."""
    plain = _uncomplemented(a)
    return {frozenset((plain,)): ones(bits)} | ({} if plain is a else {NONE: ones(bits)})


def _xor(one, other):
    if len(one) < len(other):
        one, other = other, one
    result = dict(one)
    for leaves, mask in other.items():
        rest = result.get(leaves, 0) ^ mask
        if rest:
            result[leaves] = rest
        else:
            result.pop(leaves, None)
    return result


# Sums and products

def _terms(a, bits):
    """Returns the constant and {atom: coefficient} of a value."""
    if type(a) is int:
        return a, {}
    if a.kind == 'sum':
        return a.args[0], dict(a.args[1])
    if a.kind == 'concat' and a.args[0][1] == 0 and len(a.args) == 2:
        zeros, (_, rest) = a.args[0][0], a.args[1]
        if type(rest) is not int and rest.kind == 'extract' and rest.args[1] == 0 and rest.args[0].bits == bits:
            constant, terms = _terms(rest.args[0], bits)
            modulus = ones(bits)
            return constant << zeros & modulus, {x: k << zeros & modulus for x, k in terms.items()}
    return 0, {a: 1}


def _sum(constant, terms, bits, added=()):
    constant &= ones(bits)
    terms = {x: k & ones(bits) for x, k in terms.items() if k & ones(bits)}
    if not terms:
        return constant
    terms = _joined(terms, added, bits)
    if constant == 0 and len(terms) == 1:
        (x, k), = terms.items()
        if k & (k - 1) == 0:
            zeros = k.bit_length() - 1
            return concat([(zeros, 0), (bits - zeros, extract(x, bits, 0, bits - zeros))])
    return _node('sum', bits, (constant, frozenset(terms.items())))


def _joined(terms, added, bits):
    """Joins two summands that are never one in the same place: two parts of a word, or two functions of bits.

    One of the two is among those that were `added` last.
    """
    added = [x for x in added if x in terms and _may_join(x)]
    parts = [x for x in terms if _may_join(x)] if added else ()
    for x in added:
        for y in parts:
            for low, high in ((x, y), (y, x)) if x.kind == y.kind and x is not y else ():
                both = _together(low, terms[low], high, terms[high], bits)
                if both is not None and both not in terms and both.kind != 'sum':
                    rest = {z: k for z, k in terms.items() if z is not x and z is not y}
                    return _joined(rest | {both: terms[low]}, [*added, both], bits)
    return terms


def _may_join(x):
    """Returns true for a product of bits or one more term, and for the lower part of a word."""
    if x.kind == 'bool':
        return len(x.args) <= 2 and any(len(leaves) > 1 for _, leaves in x.args)
    return x.kind == 'concat' and x.args[-1][1] == 0


def _together(a, one, b, other, bits):
    """Returns what has the bits of both, for coefficients of both, or None; `b` is the upper part of a word."""
    if a.kind == 'bool':
        if one == other and _excluded(a, b, bits):
            return _bool(_xor(_products(a, bits), _products(b, bits)), bits)
    elif a.args[-1][1] == b.args[-1][1] == 0:
        size = bits - a.args[-1][0]
        rest = b.args[-1][0] - size
        if rest >= 0 and other == one << size & ones(bits):
            return concat([*a.args[:-1], *b.args[:-1], (rest, 0)])
    return None


def _excluded(a, b, bits):
    """Returns true if the product of two functions, which have few terms, is zero."""
    key = (a, b)
    if key not in _apart:
        one, other, product = _products(a, bits), _products(b, bits), {}
        if _size(one) * _size(other) <= PUSHED_TERMS:
            for leaves, mask in one.items():
                for more, mask_b in other.items():
                    product[leaves | more] = product.get(leaves | more, 0) ^ mask & mask_b
            _apart[key] = not any(product.values())
        else:
            _apart[key] = False
    return _apart[key]


def _disjoint(a, b, bits):
    """Returns true if no bit can be one in both."""
    at = 0
    for end in sorted({*_cuts(a), *_cuts(b), bits}):
        x, y = extract(a, bits, at, end - at), extract(b, bits, at, end - at)
        if type(x) is int and type(y) is int:
            if x & y:
                return False
        elif x != 0 and y != 0:
            return False
        at = end
    return True


def _add(a, b, bits, sign=1):
    if sign == 1 and not (type(a) is not int and a.kind == 'sum') and not (type(b) is not int and b.kind == 'sum') \
            and (_cuts(a) or _cuts(b)) and _disjoint(a, b, bits):
        return _bitwise('or', a, b, bits)
    constant, terms = _terms(a, bits)
    other, more = _terms(b, bits)
    added = more if len(more) < len(terms) else list(terms)
    for x, k in more.items():
        terms[x] = terms.get(x, 0) + sign * k
    return _sum(constant + sign * other, terms, bits, added)


def _mul(a, b, bits):
    if type(a) is int:
        a, b = b, a
    if type(b) is int:
        constant, terms = _terms(a, bits)
        return _sum(constant * b, {x: k * b for x, k in terms.items()}, bits)
    return _node('mul', bits, (a, b) if a.id <= b.id else (b, a))


def _shift(kind, a, b, bits):
    if type(b) is not int:
        return _node('shift', bits, (kind, a, b))
    if b >= bits:
        # Beyond the width LLVM's result is poison; the vector instructions have zeros.
        return _spread(extract(a, bits, bits - 1, 1), bits) if kind == 'ashr' else 0
    if b == 0:
        return a
    if kind == 'shl':
        return concat([(b, 0), (bits - b, extract(a, bits, 0, bits - b))])
    high = (b, 0 if kind == 'lshr' else _spread(extract(a, bits, bits - 1, 1), b))
    return concat([(bits - b, extract(a, bits, b, bits - b)), high])


def op(kind: str, a, b, bits: int):
    """Computes add, sub, mul, and, or, xor, shl, lshr or ashr."""
    if kind in ('and', 'or', 'xor'):
        result = _bitwise(kind, a, b, bits)
    elif kind == 'add':
        result = (a + b) & ones(bits) if type(a) is type(b) is int else _add(a, b, bits)
    elif kind == 'sub':
        result = (a - b) & ones(bits) if type(a) is type(b) is int else _add(a, b, bits, -1)
    elif kind == 'mul':
        result = a * b & ones(bits) if type(a) is type(b) is int else _mul(a, b, bits)
    else:
        result = _shift(kind, a, b, bits)
    if watch:
        watch(kind, (a, b), bits, result)
    return result


def icmp(predicate: str, a, b, bits: int):
    """Compares by LLVM's name of the predicate; the result has one bit."""
    if predicate in ('ne', 'uge', 'sge', 'ule', 'sle'):
        opposite = {'ne': 'eq', 'uge': 'ult', 'sge': 'slt', 'ule': 'ugt', 'sle': 'sgt'}[predicate]
        return op('xor', icmp(opposite, a, b, bits), 1, 1)
    if predicate in ('ugt', 'sgt'):
        return icmp('ult' if predicate == 'ugt' else 'slt', b, a, bits)
    if type(a) is int and type(b) is int:
        if predicate == 'slt':
            a, b = signed(a, bits), signed(b, bits)
        return int(a == b if predicate == 'eq' else a < b)
    if a is b:
        return int(predicate == 'eq')
    if predicate == 'slt' and b == 0:
        result = extract(a, bits, bits - 1, 1)
    elif predicate == 'eq' and bits == 1:
        result = op('xor', op('xor', a, b, 1), 1, 1)
    else:
        result = _node('cmp', 1, (predicate, a, b))
    if watch:
        watch(predicate, (a, b), bits, result)
    return result


def select(bit, a, b, bits: int):
    """Returns `a` where the bit is one, else `b`."""
    if type(bit) is int:
        return a if bit else b
    if a is b or type(a) is int and a == b:
        return a
    if bits == 1:
        result = op('xor', b, op('and', bit, op('xor', a, b, 1), 1), 1)
    else:
        result = _node('ite', bits, (bit, a, b))
    if watch:
        watch('ite', (bit, a, b), bits, result)
    return result


def clmul(a, b):
    """Multiplies two words of 64 bits without carries."""
    if type(a) is int and type(b) is int:
        return carryless(a, b)
    if type(a) is int or type(b) is not int and b.id < a.id:
        a, b = b, a
    if type(b) is int and b & (b - 1) == 0:
        zeros = b.bit_length() - 1
        return concat([(zeros, 0), (64, a), (64 - zeros, 0)]) if b else 0
    return _node('clmul', 128, (a, b))


def carryless(a: int, b: int) -> int:
    product = 0
    while b:
        if b & 1:
            product ^= a
        a, b = a << 1, b >> 1
    return product


# Values

def operands(term):
    """Returns the values that a term is made of directly, constants too."""
    kind, args = term.kind, term.args
    if kind == 'concat':
        return [part for _, part in args]
    if kind == 'extract':
        return [args[0]]
    if kind == 'bool':
        return [leaf for _, leaves in args for leaf in leaves]
    if kind == 'sum':
        return [x for x, _ in args[1]]
    if kind == 'opaque':
        return [value for _, value in args[1]]
    if kind in ('cmp', 'shift'):
        return list(args[1:])
    return [] if kind == 'var' else list(args)


def reachable(values, stop=()):
    """Returns all terms below, in an order in which each comes after those it is made of.

    What is below the terms of `stop` is not among them.
    """
    seen, stack = {}, [value for value in values if type(value) is not int]
    while stack:
        term = stack.pop()
        if term.id not in seen:
            seen[term.id] = term
            if term in stop:
                continue
            stack.extend(x for x in operands(term) if type(x) is not int)
    return [seen[number] for number in sorted(seen)]


def evaluate(values, inputs):
    """Computes values, where `inputs` has an int for the name of each variable."""
    done = {}

    def get(value):
        return value if type(value) is int else done[value.id]

    for term in reachable(values):
        done[term.id] = _value(term, get, inputs) & ones(term.bits)
    return [get(value) for value in values]


def _value(term, get, inputs):
    kind, args, bits = term.kind, term.args, term.bits
    if kind == 'var':
        return inputs[args[0]]
    if kind == 'extract':
        value = get(args[0])
        return (value | value << args[0].bits) >> args[1]
    if kind == 'concat':
        value = at = 0
        for size, part in args:
            value |= get(part) << at
            at += size
        return value
    if kind == 'bool':
        value = 0
        for mask, leaves in args:
            for leaf in leaves:
                mask &= get(leaf)
            value ^= mask
        return value
    if kind == 'sum':
        return args[0] + sum(k * get(x) for x, k in args[1])
    if kind == 'mul':
        return get(args[0]) * get(args[1])
    if kind == 'spread':
        return ones(bits) * get(args[0])
    if kind == 'ite':
        return get(args[1]) if get(args[0]) else get(args[2])
    if kind == 'cmp':
        width = next(x.bits for x in args[1:] if type(x) is not int)
        return icmp(args[0], get(args[1]), get(args[2]), width)
    if kind == 'shift':
        return _shift(args[0], get(args[1]), get(args[2]), bits)
    if kind == 'clmul':
        return carryless(get(args[0]), get(args[1]))
    if kind == 'opaque':
        name, values, attributes = args
        return meanings[name](bits, [get(value) for _, value in values], attributes)
    raise NotImplementedError(kind)


class Width:
    """Operations on words of one width, for references: on constants and terms alike."""

    def __init__(self, bits: int):
        self.bits = bits

    def add(self, *values):
        result = 0
        for value in values:
            result = op('add', result, value, self.bits)
        return result

    def sub(self, a, b):
        return op('sub', a, b, self.bits)

    def mul(self, a, b):
        return op('mul', a, b, self.bits)

    def xor(self, *values):
        result = 0
        for value in values:
            result = op('xor', result, value, self.bits)
        return result

    def and_(self, a, b):
        return op('and', a, b, self.bits)

    def or_(self, a, b):
        return op('or', a, b, self.bits)

    def not_(self, a):
        return op('xor', a, ones(self.bits), self.bits)

    def rotl(self, a, k: int):
        return rotl(a, k, self.bits)

    def rotr(self, a, k: int):
        return rotl(a, -k, self.bits)

    def shl(self, a, k: int):
        return op('shl', a, k, self.bits)

    def shr(self, a, k: int):
        return op('lshr', a, k, self.bits)

    def bit(self, a, index: int):
        return extract(a, self.bits, index, 1)

    def to_bytes(self, a, order: str):
        """Returns the bytes in 'little' or 'big' endian order."""
        found = [extract(a, self.bits, at, 8) for at in range(0, self.bits, 8)]
        return found if order == 'little' else found[::-1]

    def from_bytes(self, values, order: str):
        """Joins bytes in 'little' or 'big' endian order."""
        values = list(values) if order == 'little' else list(values)[::-1]
        assert 8 * len(values) == self.bits
        return concat([(8, value) for value in values])


W8, W32, W64, W128 = Width(8), Width(32), Width(64), Width(128)
