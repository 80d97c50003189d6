"""Terms as polynomials over GF(2): exact for what has exclusive ors, products of few bits and no sums.

A bit is an int whose bits say which monomials it has; the monomial with the number 0 is 1. Two bits
are equal for all inputs if and only if they are the same int.
"""

from __future__ import annotations

import functools
import operator

from .solvers import Failed
from .terms import reachable


class Polynomials:
    """The monomials of one comparison."""

    def __init__(self, atoms=()):
        # Terms whose bits are variables.
        self._atoms = atoms
        self._numbers = {frozenset(): 0}
        self._monomials = [frozenset()]
        self._products = {}

    def variable(self, name: str, index: int) -> int:
        """Returns a bit of a variable."""
        return 1 << self._number(frozenset(((name, index),)))

    def word(self, name: str, bits: int) -> list:
        return [self.variable(name, index) for index in range(bits)]

    def _number(self, monomial):
        if monomial not in self._numbers:
            self._numbers[monomial] = len(self._monomials)
            self._monomials.append(monomial)
        return self._numbers[monomial]

    def times(self, a: int, b: int) -> int:
        """Multiplies two bits."""
        if a in (0, 1) or b in (0, 1):
            return 0 if a == 0 or b == 0 else b if a == 1 else a
        if a is None or b is None:
            return None
        if not a & a - 1 and not b & b - 1:
            return 1 << self._product(a.bit_length() - 1, b.bit_length() - 1)
        return _sum_of(self._product(one, other) for one in _places(a) for other in _places(b))

    def _product(self, one, other):
        """Returns the number of the product of two monomials."""
        key = (one, other) if one <= other else (other, one)
        number = self._products.get(key)
        if number is None:
            number = self._products[key] = self._number(self._monomials[one] | self._monomials[other])
        return number

    def carryless(self, a: list, b: list) -> list:
        """Multiplies two words of 64 bits without carries."""
        result, numbers = [0] * 128, [[] for _ in range(128)]
        others = [(j, y, [*_places(y)]) for j, y in enumerate(b) if y]
        for i, x in enumerate(a):
            places = [*_places(x)] if x else ()
            for j, y, more in others if x else ():
                if x == 1 or y == 1:
                    result[i + j] ^= y if x == 1 else x
                else:
                    numbers[i + j] += [self._product(m, n) for m in places for n in more]
        return [x ^ _sum_of(y) for x, y in zip(result, numbers)]

    def of(self, values) -> list:
        """Returns the bits of each of the (value, bits) pairs."""
        done = {}

        def get(value, bits):
            return [value >> index & 1 for index in range(bits)] if type(value) is int else done[value.id]

        for term in reachable([value for value, _ in values], self._atoms):
            done[term.id] = (self.word(term, term.bits) if term in self._atoms else self._of(term, get))
        return [get(value, bits) for value, bits in values]

    def _of(self, term, get):
        kind, args, bits = term.kind, term.args, term.bits
        if kind == 'var':
            return self.word(args[0], bits)
        if kind == 'extract':
            of, low = args
            value = get(of, of.bits)
            return [value[(low + index) % of.bits] for index in range(bits)]
        if kind == 'concat':
            return [x for size, part in args for x in get(part, size)]
        if kind == 'spread':
            return get(args[0], 1) * bits
        if kind == 'clmul':
            return self.carryless(get(args[0], 64), get(args[1], 64))
        if kind == 'bool':
            result = [0] * bits
            for mask, leaves in args:
                product = [mask >> index & 1 for index in range(bits)]
                for leaf in leaves:
                    product = [self.times(x, y) for x, y in zip(product, get(leaf, bits))]
                result = [None if x is None or y is None else x ^ y for x, y in zip(result, product)]
            return result
        if kind == 'mul':
            return self._apart(get(args[0], bits), get(args[1], bits), bits)
        if kind == 'ite':
            bit, = get(args[0], 1)
            return [y ^ self.times(bit, x ^ y) for x, y in zip(get(args[1], bits), get(args[2], bits))]
        if kind == 'sum' and (found := self._shifted(args, bits, get)):
            return found
        raise Failed(f'{kind} is not a polynomial of few bits')

    def _apart(self, a, b, bits):
        """Multiplies words with so few ones that no carry reaches a place of a product; carries are unknown."""
        numbers = [[] for _ in range(bits)]
        for i, x in enumerate(a):
            for j, y in enumerate(b[:bits - i]):
                if x != 0 and y != 0:
                    numbers[i + j].append(self.times(x, y))
        result = [0] * bits
        for place, products in enumerate(numbers):
            if products:
                if None in products or result[place] is None:
                    raise Failed('a product with carries')
                result[place] = functools.reduce(operator.xor, products)
                for carry in range(place + 1, min(bits, place + len(products).bit_length())):
                    if numbers[carry]:
                        raise Failed('a product with carries')
                    result[carry] = None
        return result

    def _shifted(self, args, bits, get):
        """Returns a sum of which at most one summand has each bit."""
        constant, summands = args
        result = [constant >> index & 1 for index in range(bits)]
        for value, k in summands:
            if k & (k - 1):
                return None
            zeros = k.bit_length() - 1
            shifted = [0] * zeros + get(value, bits)[:bits - zeros]
            if any(x and y for x, y in zip(result, shifted)):
                return None
            result = [x | y for x, y in zip(result, shifted)]
        return result


def _sum_of(numbers):
    """Returns the sum of the monomials with these numbers."""
    numbers = list(numbers)
    first, result = min(numbers, default=0), 0
    for number in numbers:
        result ^= 1 << number - first
    return result << first


def _places(bit):
    while bit:
        lowest = bit & -bit
        yield lowest.bit_length() - 1
        bit ^= lowest


def require_equal(pairs, polynomials: Polynomials | None = None):
    """Requires that (value, expected, bits) are equal, where `expected` may be a list of bits; raises Failed."""
    ring = polynomials or Polynomials()
    for index, (value, expected, bits) in enumerate(pairs):
        found, = ring.of([(value, bits)])
        if type(expected) is not list:
            expected, = ring.of([(expected, bits)])
        # What is unknown is equal to nothing.
        if found != expected or None in found:
            raise Failed(f'value {index} differs')
    return ['polynomials over GF(2)']


def step_is_right(kind, operands, result, bits, atoms) -> bool:
    """Returns whether a concatenation, an extraction or an exclusive or of terms is the result."""
    ring = Polynomials(atoms)
    try:
        if kind == 'concat':
            found = [x for size, value in operands if size for x in ring.of([(value, size)])[0]]
        elif kind == 'extract':
            value, low = operands
            found = ring.of([(value, value.bits)])[0][low:low + bits]
        elif kind == 'xor':
            one, other = ring.of([(value, bits) for value in operands])
            found = [x ^ y for x, y in zip(one, other)]
        else:
            return False
        return None not in found and [found] == ring.of([(result, len(found))])
    except Failed:
        return False
