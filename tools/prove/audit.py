"""The audit of the normal form: each step that a proof rests upon is put to both solvers.

A step is an operation of terms.py on operands in normal form, and its result. What the step does not
look into is a variable in the question: sums, products and functions under an operation on bits.
Steps that differ in names alone are one question.
Sums and exclusive ors need no solver: their coefficients and products are added once more.
"""

from __future__ import annotations

from . import gf2, terms
from .solvers import Failed, step_is_right
from .terms import _node, operands

# Nodes that are the operation itself.
DEFINED = frozenset(('mul', 'ite', 'cmp', 'shift'))
# What a question looks into if less does not answer it.
DEEPER = (('concat', 'extract'), ('concat', 'extract', 'bool', 'spread'), ('concat', 'extract', 'bool', 'spread', 'sum'))
SUMS = frozenset(('add', 'sub', 'mul'))

# Steps of more atoms are decided as polynomials over GF(2) first.
LONG = 24


class Audit:
    """Collects the questions while terms are made."""

    def __init__(self):
        self.questions: dict = {}
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
            # What is below the atoms, too: steps of one shape may differ there.
            for given, result in steps:
                values = [x for _, x in given] if kind == 'concat' else given[:1] if kind == 'extract' else given
                atoms = {}
                for value in (*values, result):
                    _shape(value, atoms, kind in SUMS)
                if not any(_right(kind, given, result, bits, found) for found in (
                        atoms, _large(atoms, values), _leaves((*values, result)), *(_atoms_below((*values, result), inner) for inner in DEEPER))):
                    raise Failed(f'the normal form: {kind} of {given} is not {result}')


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
    return all(k % (1 << bits) == 0 for k in total.values())


def _cancels(values, bits):
    """Returns true if the products of these values add up to nothing."""
    total: dict = {}
    for value in values:
        if type(value) is int:
            products = ((value, frozenset()),)
        else:
            products = value.args if value.kind == 'bool' else ((terms.ones(bits), frozenset((value,))),)
        for mask, leaves in products:
            total[leaves] = total.get(leaves, 0) ^ mask
    return not any(total.values())


def _large(atoms, values):
    """Takes operands as atoms, too, that are functions of bits: for steps that use them as a whole."""
    found = dict(atoms)
    for value in values:
        if type(value) is not int and value.kind == 'bool':
            found.setdefault(value, len(found))
    return found


def _leaves(values):
    """Looks into functions of bits, and one level deeper: a function and its complement have the same leaves."""
    found = [x for x in values if type(x) is not int]
    for _ in range(2):
        whole = [x.args[0] if x.kind == 'extract' and x.args[0].kind == 'bool' else x for x in found]
        found = [leaf for x in whole for leaf in (operands(x) if x.kind == 'bool' else [x])]
    return {leaf: number for number, leaf in enumerate(dict.fromkeys(found))}


def _atoms_below(values, inner):
    """Looks into nodes of the kinds `inner`, at any depth."""
    atoms, seen = {}, set()
    stack = [x for x in values if type(x) is not int]
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if term.kind in inner:
            stack.extend(x for x in operands(term) if type(x) is not int)
        else:
            atoms.setdefault(term, len(atoms))
    return atoms


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
        products = sorted(((mask, sorted(leaves, key=_order)) for mask, leaves in args),
                          key=lambda entry: (entry[0], [_order(x) for x in entry[1]]))
        return kind, bits, tuple(
            (mask, tuple(atoms.setdefault(x, len(atoms)) if x.kind == 'bool' else _shape(x, atoms)
                         for x in leaves)) for mask, leaves in products)
    return bits, atoms.setdefault(value, len(atoms))


def _first_bits_of(part, bits):
    """Returns the sum of so many bits that a (size, value) pair is the first bits of, or None."""
    of = part[1].args[0] if type(part[1]) is not int and part[1].kind == 'extract' else None
    return of if of is not None and part[1].args[1] == 0 and of.kind == 'sum' and of.bits == bits else None


def _order(term):
    """Orders atoms so that questions that differ in names are the same, as far as possible."""
    place = term.args[1] if term.kind == 'extract' else -1
    return term.kind, term.bits, place, term.id
