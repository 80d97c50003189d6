"""Bits as sums of functions of single bytes, over GF(2): exact for AES in slices of bits.

A sum is an int. Its lowest bit is the constant 1. After it each byte has the truth table of its function,
256 bits, whose first is zero. A product must be of functions of the same byte, and an S-box is of eight
bits. Where those are sums of several bytes, the eight sums become a new byte, and so does every exclusive
or of them in what is compared. That holds for more than the sums that occur, so equality is for all inputs.
"""

from __future__ import annotations

from .solvers import Failed
from .terms import meanings, reachable

SIZE = 256
ALL = (1 << SIZE) - 1
# The truth table of each bit of a byte.
BITS = [sum(1 << value for value in range(SIZE) if value >> index & 1) for index in range(8)]


class Sums:
    """The bytes of one comparison. A bit is an int, or None if it is no such sum."""

    def __init__(self):
        self._bytes = 0
        self._variables: dict = {}
        # Sums of several bytes that are linear functions of a new byte.
        self._known: dict = {}
        # Number of an opaque term -> its bits.
        self._made: dict = {}

    def _new_byte(self):
        """Returns where the truth table of a new byte begins."""
        self._bytes += 1
        return 1 + SIZE * (self._bytes - 1)

    def variable(self, name, bits: int) -> list:
        """Returns the bits of a variable."""
        if name not in self._variables:
            begins = [self._new_byte() for _ in range(-(-bits // 8))]
            self._variables[name] = [BITS[index % 8] << begins[index // 8] for index in range(bits)]
        return self._variables[name]

    def _begin(self, value):
        """Returns where the table of the only byte of a sum without constant begins, or None."""
        begin = ((value & -value).bit_length() - 2) // SIZE * SIZE + 1
        return None if value >> begin + SIZE else begin

    def times(self, a, b):
        """Multiplies two bits."""
        if a in (0, 1) or b in (0, 1):
            return 0 if a == 0 or b == 0 else b if a == 1 else a
        if a is None or b is None:
            return None
        one, other = a & 1, b & 1
        a, b = self._of_one_byte(a & ~1), self._of_one_byte(b & ~1)
        begin = self._begin(a)
        if begin is None or self._begin(b) != begin:
            return None
        return a & b ^ (b if one else 0) ^ (a if other else 0) | one & other

    def _of_one_byte(self, value):
        """Returns a sum as a function of the byte that was made last of those in it, if it is one."""
        if value in self._known:
            return self._known[value]
        begin = (value.bit_length() - 2) // SIZE * SIZE + 1
        own = value >> begin << begin
        linear = self._known.get(value ^ own, 0)
        return own ^ linear if linear >> begin else value

    def substituted(self, bits: list, table: list):
        """Returns the bits of a table's entry, whose index has these bits."""
        if None in bits:
            return [None] * 8
        constant = sum((bit & 1) << index for index, bit in enumerate(bits))
        sums = [bit & ~1 for bit in bits]
        begins = {self._begin(x) for x in sums if x}
        if not begins:
            return [table[constant] >> index & 1 for index in range(8)]
        if len(begins) == 1 and None not in begins:
            begin, = begins
            inner = [x >> begin for x in sums]
            values = [sum((x >> value & 1) << index for index, x in enumerate(inner)) for value in range(SIZE)]
        else:
            begin, values = self._new_byte(), range(SIZE)
            self._cut(sums, begin)
        found = []
        for index in range(8):
            made = sum((table[value ^ constant] >> index & 1) << at for at, value in enumerate(values))
            found.append((made ^ ALL) << begin | 1 if made & 1 else made << begin)
        return found

    def _cut(self, sums, begin):
        """Makes eight sums a byte."""
        total, linear = [0] * SIZE, [0] * SIZE
        for value in range(1, SIZE):
            lowest = (value & -value).bit_length() - 1
            rest = value & value - 1
            total[value], linear[value] = total[rest] ^ sums[lowest], linear[rest] ^ BITS[lowest]
            self._known[total[value]] = linear[value] << begin

    def of(self, values) -> list:
        """Returns the bits of each (value, bits) pair."""
        terms = reachable([value for value, _ in values])
        needed = {term.id: 0 for term in terms}
        for value, bits in values:
            if type(value) is not int:
                needed[value.id] = (1 << bits) - 1
        for term in reversed(terms):
            for of, mask in _needs(term, needed[term.id]):
                needed[of.id] |= mask
        done: dict = {}

        def get(value, bits):
            return [value >> index & 1 for index in range(bits)] if type(value) is int else done[value.id]

        for term in terms:
            done[term.id] = self._of(term, get, needed[term.id])
        return [get(value, bits) for value, bits in values]

    def _of(self, term, get, needed):
        kind, args, bits = term.kind, term.args, term.bits
        if kind == 'var':
            return self.variable(args[0], bits)
        if kind == 'extract':
            value = get(args[0], args[0].bits)
            return [value[(args[1] + index) % len(value)] for index in range(bits)]
        if kind == 'concat':
            return [x for size, part in args for x in get(part, size)]
        if kind == 'spread':
            return get(args[0], 1) * bits
        if kind == 'opaque' and bits == 8 and args[1][0][0] == 8 and len(args[1]) == 1:
            if term not in self._made:
                table = [meanings[args[0]](8, [value], args[2]) for value in range(SIZE)]
                self._made[term] = self.substituted(get(args[1][0][1], 8), table)
            return self._made[term]
        if kind != 'bool':
            return [None] * bits
        result = [None] * bits
        products = [(mask, [get(leaf, bits) for leaf in leaves]) for mask, leaves in args]
        for index in range(bits):
            if needed >> index & 1:
                result[index] = self._bit(index, products)
        return result

    def _bit(self, index, products):
        total = 0
        for mask, leaves in products:
            product = mask >> index & 1
            for leaf in leaves if product else ():
                product = self.times(product, leaf[index])
            if product is None:
                return None
            total ^= product
        return total


def _needs(term, needed):
    """Returns (operand, bits of it) that bits of a term are made of."""
    kind, args = term.kind, term.args
    if not needed:
        return
    if kind == 'extract':
        of, low = args
        both = needed << low
        yield of, (both | both >> of.bits) & (1 << of.bits) - 1
    elif kind == 'concat':
        at = 0
        for size, part in args:
            if type(part) is not int:
                yield part, needed >> at & (1 << size) - 1
            at += size
    elif kind == 'bool':
        for mask, leaves in args:
            for leaf in leaves:
                yield leaf, mask & needed
    elif kind == 'spread':
        yield args[0], 1
    elif kind == 'opaque':
        for size, value in args[1]:
            if type(value) is not int:
                yield value, (1 << size) - 1


def require_equal(pairs):
    """Requires that values are what is expected, whose S-boxes are opaque functions of bytes; raises Failed."""
    sums = Sums()
    expected = sums.of([(value, bits) for _, value, bits in pairs])
    found = sums.of([(value, bits) for value, _, bits in pairs])
    for index, (one, other) in enumerate(zip(found, expected)):
        if None in one or one != other:
            raise Failed(f'value {index} differs')
    return ['sums of functions of bytes']
