"""Terms as polynomials over the integers with intervals, for products modulo a prime.

The value of each term is a polynomial in the variables and in unknown quotients: floor(P / 2^k) for a
polynomial P. The bits of P from k on are that quotient, those below are P - 2^k quotient, and a sum
or a product P of n bits is P - 2^n quotient, where the interval of P often says that the quotient is
0. What has no polynomial is an unknown, and so is a factor that is a sum. All of this is exact:
what is equal as polynomials is equal for all inputs. No step requires that nothing overflows: a
quotient that should be 0 and is not known to be 0 remains in the result.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from .solvers import Failed
from .terms import evaluate, ones, reachable

# A polynomial of more monomials is an error: sums in which quotients vanish are small.
MONOMIALS = 20_000
EXAMPLES = 4


class Poly:
    """{sorted names: coefficient} without zeros."""

    __slots__ = ('of', '_key')

    def __init__(self, of):
        self.of, self._key = of, None

    @staticmethod
    def variable(name: str) -> Poly:
        return Poly({(name,): 1})

    @property
    def key(self):
        if self._key is None:
            self._key = frozenset(self.of.items())
        return self._key

    def __add__(self, other):
        result = dict(self.of)
        for names, k in polynomial(other).of.items():
            k += result.get(names, 0)
            if k:
                result[names] = k
            else:
                del result[names]
        return Poly(result)

    def __sub__(self, other):
        return self + polynomial(other) * -1

    def __mul__(self, other):
        if type(other) is int:
            return Poly({names: k * other for names, k in self.of.items()} if other else {})
        result = {}
        for names, k in self.of.items():
            for more, m in other.of.items():
                both = tuple(sorted(names + more)) if names and more else names or more
                result[both] = result.get(both, 0) + k * m
            if len(result) > MONOMIALS:
                raise ValueError('a polynomial of too many monomials')
        return Poly({names: k for names, k in result.items() if k})

    def evaluated(self, inputs) -> int:
        return sum(k * math.prod(inputs[x] for x in names) for names, k in self.of.items())

    __radd__, __rmul__ = __add__, __mul__


def polynomial(value) -> Poly:
    return Poly({(): value} if value else {}) if type(value) is int else value


@dataclass(frozen=True)
class Given:
    """The assumption that a variable is at most `maximum`."""

    name: str
    maximum: int


@dataclass(frozen=True)
class Number:
    """A name for the number that limbs are: variables, of which the first begins at bit 0."""

    name: str
    limbs: tuple
    places: tuple


@dataclass(frozen=True)
class AtMost:
    """The claim that a value is at most `maximum`."""

    value: object
    maximum: int

    def values(self):
        return [self.value]

    def holds(self, values, inputs):
        return values[0] <= self.maximum

    def require(self, ring):
        _, high = ring.interval(ring.of(self.value))
        if high > self.maximum:
            raise Failed(f'a value may be {high:#x}, which is more than {self.maximum:#x}')


@dataclass(frozen=True)
class Congruent:
    """The claim that limbs, which begin at bits `places`, are `expected` modulo `modulus`."""

    limbs: tuple
    places: tuple
    expected: Poly
    modulus: int

    def values(self):
        return self.limbs

    def holds(self, values, inputs):
        number = sum(value << place for value, place in zip(values, self.places))
        return (number - self.expected.evaluated(inputs)) % self.modulus == 0

    def require(self, ring):
        difference = self.expected * -1
        for limb, place in zip(self.limbs, self.places):
            difference += ring.of(limb) * (1 << place)
        if not ring.is_zero(difference, self.modulus):
            raise Failed('a number is not congruent to what is expected')


class Ring:
    """The polynomials of terms under assumptions."""

    def __init__(self, maxima, numbers):
        self._maxima, self._numbers = maxima, numbers
        # Name of a variable or unknown -> its interval; name of a quotient -> what it is of.
        self._intervals: dict = {}
        self._quotients: dict = {}
        self._divided: dict = {}
        # The unknowns for factors, in the order in which they were made: (factor, name).
        self._factors: dict = {}
        # Intervals of polynomials that are known from how they were made.
        self._known: dict = {}
        self._done: dict = {}

    def of(self, value) -> Poly:
        """Returns the polynomial of a value."""
        if type(value) is int:
            return polynomial(value)
        for term in reachable([value], self._done):
            if term not in self._done:
                found = self._of(term)
                self._note(found, 0, ones(term.bits))
                self._done[term] = found
        return self._done[value]

    def interval(self, poly: Poly):
        """Returns the least and the greatest value that are known."""
        low = high = 0
        for names, k in poly.of.items():
            least = greatest = k
            for name in names:
                a, b = self._intervals[name]
                products = least * a, least * b, greatest * a, greatest * b
                least, greatest = min(products), max(products)
            low, high = low + least, high + greatest
        least, greatest = self._known.get(poly.key, (low, high))
        return max(low, least), min(high, greatest)

    def _note(self, poly, low, high):
        least, greatest = self._known.get(poly.key, (low, high))
        self._known[poly.key] = max(low, least), min(high, greatest)

    def _unknown(self, name, low, high):
        self._intervals.setdefault(name, (low, high))
        return Poly.variable(name)

    def _quotient(self, poly: Poly, k: int) -> Poly:
        """Returns floor(poly / 2^k)."""
        if k == 0:
            return poly
        whole = Poly({names: c >> k for names, c in poly.of.items() if not c & ones(k)})
        rest = Poly({names: c for names, c in poly.of.items() if c & ones(k)})
        low, high = self.interval(rest)
        if low >> k == high >> k:
            return whole + (low >> k)
        common = 0
        while not any(c >> common & 1 for c in rest.of.values()):
            common += 1
        if common:
            odd = Poly({names: c >> common for names, c in rest.of.items()})
            return whole + self._quotient(odd, k - common)
        if len(rest.of) == 1:
            (names, c), = rest.of.items()
            if c == 1 and len(names) == 1 and names[0] in self._quotients:
                of, shift = self._quotients[names[0]]
                return whole + self._quotient(of, shift + k)
        name = self._divided.setdefault((rest.key, k), f'q{len(self._divided)}')
        self._quotients[name] = rest, k
        return whole + self._unknown(name, low >> k, high >> k)

    def _factor(self, poly):
        """Returns an unknown in place of a factor, but for one of an input alone."""
        if len(poly.of) < 2 and not any(len(x) > 1 or x[0] in self._quotients for x in poly.of if x):
            return poly
        common = math.gcd(*poly.of.values())
        part = Poly({names: k // common for names, k in poly.of.items()})
        _, name = self._factors.setdefault(part.key, (part, f'f{len(self._factors)}'))
        low, high = self.interval(poly)
        return self._unknown(name, -(-low // common), high // common) * common

    def is_zero(self, poly: Poly, modulus: int) -> bool:
        """Returns true if the polynomial is a multiple of the modulus."""
        relations = Relations(modulus)
        for number in self._numbers:
            relations.define(number)
        for factor, name in self._factors.values():
            relations.add(name, factor)
        return not relations.reduced(poly).of

    def _reduced(self, poly, bits):
        return poly - self._quotient(poly, bits) * (1 << bits)

    def _bits(self, value, low, count):
        """Returns `count` bits of a polynomial from `low` on."""
        first = self._quotient(value, low)
        least, greatest = self.interval(value)
        self._note(first, least >> low, greatest >> low)
        result = first - self._quotient(value, low + count) * (1 << count)
        if least >> low >= 0:
            self._note(result, 0, min(greatest >> low, ones(count)))
        return result

    def _weighted(self, constant, summands):
        """Returns the sum of (value, weight) pairs, whose interval follows from those of the values."""
        result, low, high = polynomial(constant), constant, constant
        for value, weight in summands:
            poly = self.of(value)
            ends = [weight * x for x in self.interval(poly)]
            result, low, high = result + poly * weight, low + min(ends), high + max(ends)
        self._note(result, low, high)
        return result

    def _of(self, term) -> Poly:
        kind, args, bits = term.kind, term.args, term.bits
        if kind == 'var':
            return self._unknown(args[0], 0, self._maxima.get(args[0], ones(bits)))
        if kind == 'concat':
            at, summands = 0, []
            for size, part in args:
                summands.append((part, 1 << at))
                at += size
            return self._weighted(0, summands)
        if kind == 'extract':
            of, low = args
            value, first = self.of(of), min(bits, of.bits - low)
            result = self._bits(value, low, first)
            return result + self._bits(value, 0, bits - first) * (1 << first) if first < bits else result
        if kind == 'sum':
            signed = [k - (1 << bits) if k >> (bits - 1) else k for k in (args[0], *(k for _, k in args[1]))]
            return self._reduced(self._weighted(signed[0], zip((x for x, _ in args[1]), signed[1:])), bits)
        if kind == 'mul':
            one, other = (self._factor(self.of(x)) for x in args)
            product = one * other
            (a, b), (c, d) = self.interval(one), self.interval(other)
            self._note(product, a * c, b * d)
            return self._reduced(product, bits)
        if kind == 'spread':
            return self.of(args[0]) * ones(bits)
        if kind == 'ite':
            bit, one, other = (self.of(x) for x in args)
            result = other + bit * (one - other)
            ends = self.interval(one), self.interval(other)
            self._note(result, min(x for x, _ in ends), max(x for _, x in ends))
            return result
        if kind == 'cmp' and args[0] == 'ult':
            width = next(x.bits for x in args[1:] if type(x) is not int)
            return self._quotient(self._weighted(0, [(args[1], 1), (args[2], -1)]), width) * -1
        if kind == 'bool' and len(args) == 2:
            products = {leaves: mask for mask, leaves in args}
            if products.pop(frozenset(), None) == ones(bits):
                (leaves, mask), = products.items()
                if mask == ones(bits) and len(leaves) == 1:
                    return self._weighted(ones(bits), [(*leaves, -1)])
        return self._unknown(f'{kind} {term.id}', 0, ones(bits))


class Relations:
    """What is known of unknowns modulo a number, for reductions to what is linear in them.

    The limbs of a number have quotients, which vanish in the number: of as many limbs one follows
    from the others and the number. Rules say so, and are applied within monomials. Other relations
    have a monomial of their own each, as Gauss has it.
    """

    def __init__(self, modulus):
        self._modulus = modulus
        self._rules: dict = {}
        self._rows: dict = {}
        # Names of numbers and of other inputs that are no limbs: monomials of these are independent.
        self._free: set = set()

    def define(self, number: Number):
        first, *others = number.limbs
        rule = Poly.variable(number.name)
        for limb, place in zip(others, number.places[1:]):
            rule -= Poly.variable(limb) * (1 << place)
        self._rules[first] = rule
        self._free.update(others)

    def add(self, name, factor: Poly):
        """Adds the relation that the unknown is the factor."""
        self._free.add(name)
        row = self.reduced(factor - Poly.variable(name))
        pivot = max(row.of, key=self._order)
        scaled = self._modulo(row * pow(row.of[pivot], -1, self._modulus) - Poly({pivot: 1}))
        if self._order(pivot)[0] == 1:
            self._rules[pivot[0]] = self._modulo(scaled * -1)
        else:
            self._rows[pivot] = scaled

    def _order(self, names):
        """Monomials to get rid of come last, then unknowns for factors in the order of their making."""
        if len(names) == 1 and names[0] in self._free and names[0][0] == 'f':
            return 1, int(names[0][1:]), names
        return 2 * any(x in self._free or x[0] == 'q' for x in names), 0, names

    def _modulo(self, poly):
        return Poly({names: k % self._modulus for names, k in poly.of.items() if k % self._modulus})

    def reduced(self, poly: Poly) -> Poly:
        """Returns what is congruent, without what there are rules for."""
        done = Poly({})
        for names, k in poly.of.items():
            product = Poly({(): k})
            for name in names:
                product *= self._rules.get(name) or Poly.variable(name)
            done += product
        if any(name in self._rules for names in done.of for name in names):
            return self.reduced(self._modulo(done))
        done = self._modulo(done)
        while pivots := [x for x in done.of if x in self._rows]:
            pivot = max(pivots, key=self._order)
            k = done.of[pivot]
            done = self._modulo(done - Poly({pivot: k}) - self._rows[pivot] * k)
        return done


def _example_differs(claims, maxima, numbers) -> bool:
    """Returns true if a claim does not hold for the greatest or for random values of the variables."""
    choose = random.Random(1)
    values = [x for claim in claims for x in claim.values()]
    variables = [x for x in reachable(values) if x.kind == 'var']
    for example in range(EXAMPLES):
        inputs = {name: choose.randrange(maximum + 1) if example else maximum
                  for name, maximum in maxima.items()}
        for variable in variables:
            inputs.setdefault(variable.args[0], choose.getrandbits(variable.bits))
        found = iter(evaluate(values, inputs))
        for number in numbers:
            inputs[number.name] = sum(inputs[x] << place for x, place in zip(number.limbs, number.places))
        if not all(claim.holds([next(found) for _ in claim.values()], inputs) for claim in claims):
            return True
    return False


def require(statements):
    """Requires that the claims follow from the assumptions among the statements; raises Failed."""
    maxima = {x.name: x.maximum for x in statements if type(x) is Given}
    numbers = [x for x in statements if type(x) is Number]
    claims = [x for x in statements if type(x) in (AtMost, Congruent)]
    if _example_differs(claims, maxima, numbers):
        raise Failed('an example differs')
    ring = Ring(maxima, numbers)
    for claim in claims:
        claim.require(ring)
    return ['polynomials over the integers']
