"""Equality by parts: of two computations that differ inside, equal parts are found and made one.

Values that agree on examples are candidates. Both solvers decide each, from the smallest on, and what
is above is made anew of the parts that are equal, until the results are the same terms or small.
"""

from __future__ import annotations

import random

from . import terms
from .solvers import Failed, decide
from .terms import Term, evaluate, ones, reachable

EXAMPLES = 40
# How often terms are made of equal parts, each time with the inputs that told others apart.
PASSES = 8
# Terms with more parts that the other lacks are not compared: smaller ones come first.
OWN_TERMS = 24
# Larger terms are only compared with what they share as variables.
WHOLE_TERMS = 200
# Milliseconds for a question about a part.
PART_LIMIT = 3000


def examples(variables, seed=7):
    """Returns inputs: random ones, and such with few or nearly all bits, for carries."""
    choose = random.Random(seed)

    def value(bits, near):
        number = choose.getrandbits(choose.randint(1, min(bits, 8)) if near else bits)
        return number if choose.random() < 0.5 else ones(bits) ^ number

    return [{x.args[0]: value(x.bits, index % 2) for x in variables} for index in range(EXAMPLES)]


def rebuilt(term, get):
    """Makes a term again of other operands."""
    kind, args, bits = term.kind, term.args, term.bits
    if kind == 'var':
        return term
    if kind == 'extract':
        return terms.cyclic(get(args[0]), args[1], bits, args[0].bits)
    if kind == 'concat':
        return terms.concat([(size, get(part)) for size, part in args])
    if kind == 'bool':
        result = 0
        for mask, leaves in args:
            product = mask
            for leaf in leaves:
                product = terms.op('and', get(leaf), product, bits)
            result = terms.op('xor', result, product, bits)
        return result
    if kind == 'sum':
        result = args[0]
        for x, k in args[1]:
            result = terms.op('add', result, terms.op('mul', get(x), k, bits), bits)
        return result
    if kind == 'mul':
        return terms.op('mul', get(args[0]), get(args[1]), bits)
    if kind == 'spread':
        return terms.sext(get(args[0]), 1, bits)
    if kind == 'ite':
        return terms.select(get(args[0]), get(args[1]), get(args[2]), bits)
    if kind == 'cmp':
        width = next(x.bits for x in args[1:] if type(x) is not int)
        return terms.icmp(args[0], get(args[1]), get(args[2]), width)
    if kind == 'shift':
        return terms.op(args[0], get(args[1]), get(args[2]), bits)
    if kind == 'clmul':
        return terms.clmul(get(args[0]), get(args[1]))
    return terms.opaque(args[0], bits, [(size, get(x)) for size, x in args[1]], args[2])


def require_equal(pairs):
    """Requires that the (value, value, bits) pairs are equal for all inputs; returns the solvers' names."""
    nodes = reachable([x for one, other, _ in pairs for x in (one, other) if type(x) is not int])
    variables = [x for x in nodes if x.kind == 'var']
    inputs, more, deciders = [], examples(variables), set()
    columns = [() for _ in nodes]
    for _ in range(PASSES):
        inputs = more
        for example in inputs:
            columns = [(*column, x) for column, x in zip(columns, evaluate(nodes, example))]
        more = []
        made = _made_of_equal_parts(nodes, columns, deciders, more)
        rest = [tuple(x if type(x) is int else made[x] for x in pair[:2]) + pair[2:] for pair in pairs]
        rest = [pair for pair in rest if pair[0] is not pair[1] and pair[0] != pair[1]]
        if not rest or not more:
            break
        more = [{x.args[0]: example.get(x.args[0], 0) for x in variables} for example in more]
    return sorted(deciders | set(decide(rest) if rest else ()))


def _made_of_equal_parts(nodes, columns, deciders, more):
    """Makes all terms of parts that are proved equal; adds inputs that tell others apart to `more`."""
    made, classes = {}, {}

    def get(value):
        return value if type(value) is int else made[value]

    for node, signature in zip(nodes, columns):
        term = rebuilt(node, get)
        if type(term) is Term:
            members = classes.setdefault((node.bits, signature), [])
            constant = [signature[0]] if len(set(signature)) == 1 else []
            for member in members + constant:
                if member is term or _equal(term, member, deciders, more):
                    term = member
                    break
            else:
                if len(members) < 2:
                    members.append(term)
        made[node] = term
    return made


def _equal(one, other, deciders, more) -> bool:
    """Decides whether two terms are equal, with what both are made of as variables if that suffices."""
    below = reachable([one])
    shared = set(below) & set(reachable([other])) if type(other) is Term else set()
    if len(below) - len(shared) > OWN_TERMS:
        return False
    frontier = {x: n for n, x in enumerate(sorted(shared - {one, other}, key=lambda x: x.id)) if x.kind != 'var'}
    for atoms in (frontier, None):
        if atoms is None and len(below) > WHOLE_TERMS:
            break
        try:
            deciders.update(decide([(one, other, one.bits)], atoms, limit=PART_LIMIT))
            return True
        except Failed as failed:
            if failed.example:
                more.append(failed.example)
    return False
