"""The normal form: each step keeps the value, the audit accepts the steps, and rejects wrong ones."""

from __future__ import annotations

import random

from . import audit, terms
from .solvers import Failed
from .terms import W32, evaluate, extract, icmp, op, ones, select, var

CHOOSE = random.Random(7)
KINDS = ('add', 'sub', 'mul', 'and', 'or', 'xor', 'rotl', 'shl', 'lshr', 'ashr', 'swapped', 'select', 'masked', 'not',
         'chosen', 'halves')
MASKS = 0xff, 0xffff0000, 0x55555555, 0x0ff00ff0
NAMES = 'x', 'y', 'z'


def expression(depth):
    """Makes a random term."""
    if depth == 0:
        return CHOOSE.choice([*(var(name, 32) for name in NAMES), CHOOSE.getrandbits(32)])
    kind = CHOOSE.choice(KINDS)
    a, b = expression(depth - 1), expression(CHOOSE.randrange(depth))
    if kind == 'rotl':
        return W32.rotl(a, CHOOSE.randrange(32))
    if kind in ('shl', 'lshr', 'ashr'):
        return op(kind, a, CHOOSE.randrange(32), 32) if type(a) is not int else a
    if kind == 'swapped':
        return W32.from_bytes(W32.to_bytes(a, 'big'), 'little')
    if kind == 'select':
        return select(icmp(CHOOSE.choice(['eq', 'ult', 'slt', 'sge', 'ugt']), a, b, 32), a, b, 32)
    if kind == 'masked':
        return W32.and_(a, CHOOSE.choice(MASKS))
    if kind == 'not':
        return W32.not_(a)
    if kind == 'chosen':
        # Functions of bits that exclude each other.
        c = expression(0)
        return W32.add(W32.and_(a, b), c, W32.and_(W32.not_(a), c))
    if kind == 'halves':
        low, high = W32.and_(a, 0xffff), W32.shr(a, 16)
        return W32.add(W32.shl(W32.mul(high, 0x9e3779b1), 16), b, W32.mul(low, 0x9e3779b1))
    return op(kind, a, b, 32)


def values_are_kept():
    steps = 0

    def check(kind, given, bits, result):
        nonlocal steps
        terms.watch = None
        inputs, steps = {name: CHOOSE.getrandbits(32) for name in NAMES}, steps + 1
        if kind == 'extract':
            value, found = evaluate([given[0], result], inputs)
            expected = value >> given[1] & ones(bits)
        elif kind == 'concat':
            *values, found = evaluate([*(part for _, part in given), result], inputs)
            expected = at = 0
            for (size, _), value in zip(given, values):
                expected, at = expected | (value & ones(size)) << at, at + size
        elif kind in ('add', 'sub', 'mul', 'and', 'or', 'xor'):
            a, b, found = evaluate([*given, result], inputs)
            expected = {'add': a + b, 'sub': a - b, 'mul': a * b, 'and': a & b, 'or': a | b, 'xor': a ^ b}[kind]
            expected &= ones(bits)
        else:
            expected = found = None
        assert found == expected, (kind, given, result)
        terms.watch = check

    terms.watch = check
    for _ in range(1500):
        expression(CHOOSE.randrange(1, 7))
    terms.watch = None
    assert steps > 20000, steps


def the_audit_accepts_steps():
    with audit.Audit() as found:
        for _ in range(150):
            expression(CHOOSE.randrange(1, 5))
    found.ask(set())
    assert found.steps > 1500 and len(found.questions) > 100, (found.steps, len(found.questions))


def the_audit_rejects_wrong_steps():
    x, y, z = (var(name, 32) for name in NAMES)
    both = W32.add(W32.and_(x, y), W32.and_(W32.not_(x), z))
    high = W32.shl(W32.mul(W32.shr(x, 16), 5), 16)
    for kind, given, result in (
            ('add', (x, y), W32.add(x, y, 1)),
            ('add', (W32.mul(x, 3), y), W32.add(W32.mul(x, 5), y)),
            ('add', (W32.and_(x, y), W32.and_(x, z)), W32.xor(W32.and_(x, y), W32.and_(x, z))),
            ('add', (W32.and_(x, y), z), both),
            ('add', (high, W32.mul(W32.and_(x, 0xffff), 3)), W32.mul(x, 5)),
            ('xor', (x, y), W32.xor(x, y, z)),
            ('or', (x, y), W32.xor(x, y)),
            ('and', (x, y), W32.and_(x, z)),
            ('extract', (W32.xor(x, y), 8), extract(W32.xor(x, y), 32, 9, 16)),
            ('concat', ((32, x),), W32.rotl(x, 1))):
        with audit.Audit() as found:
            terms.watch(kind, given, 16 if kind == 'extract' else 32, result)
        try:
            found.ask(set())
        except Failed:
            continue
        raise AssertionError(f'{kind} of {given} was accepted as {result}')


def main():
    for test in (values_are_kept, the_audit_accepts_steps, the_audit_rejects_wrong_steps):
        terms.reset()
        test()
    print('the normal form keeps values')


if __name__ == '__main__':
    main()
