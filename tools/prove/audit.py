"""The audit of the normal form: each step that a proof rests upon is put to both solvers.

A step is an operation of terms.py on operands in normal form, and its result. What the step does not
look into is a variable in the question: sums, products and functions under an operation on bits.
Steps that differ in names alone are one question.
Sums and exclusive ors need no solver: their coefficients and products are added once more. Two functions
of bits in a sum may have become one: their product must be zero.
"""

from __future__ import annotations

from . import gf2, terms
from .solvers import Failed, step_is_right
from .terms import _bool, _node, _products, _xor, operands

# Nodes that are the operation itself.
DEFINED = frozenset(('mul', 'ite', 'cmp', 'shift'))
SUMS = frozenset(('add', 'sub', 'mul'))

# Steps of more atoms are decided as polynomials over GF(2) first.
LONG = 24


class Audit:
    """Collects the questions while terms are made."""

    def __init__(self):
        # Shape -> (atoms, {(operands, result)}), and shapes of deeper questions -> whether they hold.
        self.questions: dict = {}
        self._answers: dict = {}
        self.steps = 0

    def __enter__(self):
        terms.watch = self._seen
        return self

    def __exit__(self, *_):
        terms.watch = None

    def _seen(self, kind, given, bits, result):
        if type(result) is not int and result.kind in DEFINED:
            return
        self.steps += 1
        if kind in SUMS and _adds_up(kind, *given, bits, result) or kind == 'xor' and _cancels((*given, result), bits):
            return
        if kind == 'or' and not any(type(x) is not int and x.kind == 'concat' for x in (*given, result)):
            # The exclusive or of both and of the result is what `and` makes of them.
            kind, result = 'and', _exclusive((*given, result), bits)
        if kind == 'concat':
            result = _whole(result, _functions_below([x for _, x in given]))
        elif kind in ('and', 'extract'):
            below = _functions_below([result])
            given = tuple(_whole(x, below) for x in given)
            result = _whole(result, _functions_below(given) if kind == 'and' else ())
        if kind == 'concat':
            widths, values = zip(*given)
        elif kind == 'extract':
            given = _overlapped(*given, bits)
            widths, values = given[1:], given[:1]
        else:
            widths, values = (), given
        atoms: dict = {}
        shape = (kind, bits, widths, *(_shape(x, atoms, kind in SUMS) for x in (*values, result)))
        self.questions.setdefault(shape, (atoms, {}))[1][given, result] = None

    def ask(self, known: set):
        """Puts what is not known yet to the solvers; raises Failed."""
        for shape, (atoms, steps) in self.questions.items():
            if shape in known:
                continue
            kind, bits = shape[:2]
            if _right(kind, *next(iter(steps)), bits, atoms):
                known.add(shape)
                continue
            for given, result in steps:
                if not any(self._deeper(known, kind, given, result, bits, *way) for way in _ways(kind, given)):
                    raise Failed(f'the normal form: {kind} of {given} is not {result}')

    def _deeper(self, known, kind, given, result, bits, inner, whole) -> bool:
        """Asks about a step, looking into nodes of the kinds `inner` but those of `whole`."""
        values, numbers, atoms = [*_values(kind, given), result], {}, {}
        widths = tuple(size for size, _ in given) if kind == 'concat' else given[1:] if kind == 'extract' else ()
        shape = (kind, bits, widths, inner, *(_structure(x, numbers, atoms, inner, whole) for x in values))
        if shape not in self._answers:
            self._answers[shape] = shape in known or _right(kind, given, result, bits, atoms)
            if self._answers[shape]:
                known.add(shape)
        return self._answers[shape]


def _values(kind, given):
    return [x for _, x in given] if kind == 'concat' else given[:1] if kind == 'extract' else list(given)


def _ways(kind, given):
    """Returns what else a question may look into, and which functions of bits it takes as variables."""
    bits = ('concat', 'extract', 'bool', 'spread')
    whole = frozenset(x for x in _values(kind, given) if type(x) is not int and x.kind == 'bool')
    return ((('concat', 'extract'), ()), (('concat', 'extract', 'sum'), ()), (bits, whole), (bits, ()),
            ((*bits, 'sum'), ()))


def _right(kind, given, result, bits, atoms):
    # Long exclusive ors are hard for solvers.
    return len(atoms) > LONG and gf2.step_is_right(kind, given, result, bits, atoms) \
        or step_is_right(kind, given, bits, result, atoms)


def _overlapped(value, low, count):
    """Leaves out the parts that an extract does not reach."""
    if value.kind != 'concat':
        return value, low
    parts, at, begin = [], 0, 0
    for size, part in value.args:
        if at < low + count and at + size > low:
            parts.append((size, part))
        elif at + size <= low:
            begin = at + size
        at += size
    if len(parts) == len(value.args) or type(parts[0][1]) is int and len(parts) == 1:
        return value, low
    return (parts[0][1] if len(parts) == 1 else _node('concat', sum(x for x, _ in parts), tuple(parts))), low - begin


def _adds_up(kind, one, other, bits, result):
    """Returns true if the coefficients of a sum are those that its operands' coefficients give."""
    if kind == 'mul' and type(one) is int:
        one, other = other, one
    if kind == 'mul' and type(other) is not int:
        return False
    parts = ((one, other), (result, -1)) if kind == 'mul' else (
        (one, 1), (other, 1 if kind == 'add' else -1), (result, -1))
    total: dict = {}
    for value, factor in parts:
        constant, summands = value.args if type(value) is not int and value.kind == 'sum' else (
            (value, ()) if type(value) is int else (0, ((value, 1),)))
        for x, k in (*summands, (None, constant)):
            total[x] = total.get(x, 0) + factor * k
    rest = {x: k % (1 << bits) for x, k in total.items() if k % (1 << bits)}
    return not rest or _joined(rest, bits)


def _joined(rest, bits):
    """Returns true if all that is left of a sum is parts of words less the words, or x + y - (x ^ y) of x and y
    that exclude each other.
    """
    for x, k in rest.items():
        for y, coefficient in rest.items():
            both = _side_by_side(x, y, bits)
            if both and both in rest and (rest[both] + k) % (1 << bits) == 0 \
                    and coefficient == (k << bits - x.args[-1][0]) % (1 << bits):
                left = {z: n for z, n in rest.items() if z not in (x, y, both)}
                return not left or _joined(left, bits)
    functions = [x for x in rest if x is not None and x.kind == 'bool']
    for at, x in enumerate(functions):
        for y in functions[:at]:
            both = _exclusive((x, y), bits)
            if rest[x] == rest[y] and (rest.get(both, 0) + rest[x]) % (1 << bits) == 0 and _product((x, y)) == {}:
                left = {z: k for z, k in rest.items() if z not in (x, y, both)}
                return not left or _joined(left, bits)
    return False


def _side_by_side(x, y, bits):
    """Returns the word that has the bits of `y` above those of `x`, or None."""
    if x is None or y is None or any(z.kind != 'concat' or z.args[-1][1] != 0 for z in (x, y)):
        return None
    rest = x.args[-1][0] + y.args[-1][0] - bits
    return terms.concat([*x.args[:-1], *y.args[:-1], (rest, 0)]) if rest >= 0 else None


def _product(values):
    """Returns the product of functions of bits: {atoms: mask}."""
    total = {frozenset(): -1}
    for value in values:
        made: dict = {}
        for leaves, mask in total.items():
            for more_mask, more in value.args:
                made[leaves | more] = made.get(leaves | more, 0) ^ mask & more_mask
        total = {leaves: mask for leaves, mask in made.items() if mask}
    return total


def _functions_below(values):
    """Returns what values are made of, and that whole of which they are bits."""
    found = set()
    for value in values:
        if type(value) is not int:
            found.update(operands(value) if value.kind == 'bool' else (value,))
    return {x.args[0] if x.kind == 'extract' else x for x in found if type(x) is not int}


def _whole(value, below):
    """Takes a function that is an exclusive or with some that are in `below` as such."""
    if type(value) is int or value.kind != 'bool':
        return value
    products, full = _products(value, value.bits), terms.ones(value.bits)
    wholes = [x for x in below if x.kind == 'bool' and x.bits == value.bits]
    if wholes:
        # The one that leaves the fewest products.
        x = min(wholes, key=lambda x: (len(_xor(products, _products(x, x.bits))), x.id))
        rest = _xor(products, _products(x, x.bits))
        if len(rest) < len(products):
            products = _xor(rest, {frozenset((x,)): full})
    return _node('bool', value.bits, frozenset((mask, leaves) for leaves, mask in products.items()))


def _cancels(values, bits):
    """Returns true if the products of these values add up to nothing."""
    return _exclusive(values, bits) == 0


def _exclusive(values, bits):
    """Returns the exclusive or of values by their products."""
    total: dict = {}
    for value in values:
        if type(value) is int:
            products = ((value, frozenset()),)
        else:
            products = value.args if value.kind == 'bool' else ((terms.ones(bits), frozenset((value,))),)
        for mask, leaves in products:
            total[leaves] = total.get(leaves, 0) ^ mask
    return _bool(total, bits)


def _structure(value, numbers, atoms, inner, whole):
    """Returns the structure of a value, in which nodes that appear again are numbers."""
    if type(value) is int:
        return value
    if value in numbers:
        return 'node', numbers[value]
    numbers[value] = len(numbers)
    kind, args, bits = value.kind, value.args, value.bits
    if kind not in inner or value in whole:
        atoms[value] = numbers[value]
        return bits, numbers[value]

    def below(x):
        return _structure(x, numbers, atoms, inner, whole)

    if kind == 'concat':
        return kind, tuple((size, below(x)) for size, x in args)
    if kind == 'extract':
        return kind, bits, args[1], below(args[0])
    if kind == 'spread':
        return kind, bits, below(args[0])
    if kind == 'bool':
        return kind, bits, tuple((mask, tuple(below(x) for x in leaves)) for mask, leaves in _sorted_products(args))
    return kind, bits, args[0], tuple((k, below(x)) for x, k in sorted(args[1], key=lambda entry: _order(entry[0])))


def _sorted_products(products):
    return sorted(((mask, sorted(leaves, key=_order)) for mask, leaves in products),
                  key=lambda entry: (entry[0], [_order(x) for x in entry[1]]))


def _shape(value, atoms, sums=False):
    """Returns the structure of a value, in which atoms have numbers in the order of appearance."""
    if type(value) is int:
        return value
    kind, args, bits = value.kind, value.args, value.bits
    if sums:
        if kind == 'concat' and len(args) == 2 and args[0][1] == 0 and (of := _first_bits_of(args[1], bits)):
            return 'shifted', args[0][0], _shape(of, atoms, True)
        # The numbers of the summands: those of the result are the operands', in another order.
        summands = sorted(args[1], key=lambda entry: entry[0].id) if kind == 'sum' else [(value, 1)]
        return bits, args[0] if kind == 'sum' else 0, tuple(sorted(
            (atoms.setdefault(x, len(atoms)), k) for x, k in summands))
    if kind == 'concat':
        return kind, tuple((size, _shape(x, atoms)) for size, x in args)
    if kind == 'extract':
        of = args[0]
        inner = (of.bits, atoms.setdefault(of, len(atoms))) if of.kind == 'bool' else _shape(of, atoms)
        return kind, bits, args[1], inner
    if kind == 'spread':
        return kind, bits, _shape(args[0], atoms)
    if kind == 'bool':
        return kind, bits, tuple(
            (mask, tuple(atoms.setdefault(x, len(atoms)) if x.kind == 'bool' else _shape(x, atoms)
                         for x in leaves)) for mask, leaves in _sorted_products(args))
    return bits, atoms.setdefault(value, len(atoms))


def _first_bits_of(part, bits):
    """Returns the sum of so many bits that a (size, value) pair is the first bits of, or None."""
    of = part[1].args[0] if type(part[1]) is not int and part[1].kind == 'extract' else None
    return of if of is not None and part[1].args[1] == 0 and of.kind == 'sum' and of.bits == bits else None


def _order(term):
    """Orders atoms so that questions that differ in names are the same, as far as possible."""
    place = term.args[1] if term.kind == 'extract' else -1
    return term.kind, term.bits, place, term.id
