"""The deciders that look at bits, against the values that terms have for random inputs."""

from __future__ import annotations

import random

from . import bytewise, gf2, terms
from .references import aes
from .solvers import Failed
from .terms import W8, W64, evaluate, op, var

CHOOSE = random.Random(5)
EACH_FOURTH = 0x1111111111111111


def value_of_sum(bit, begins, inputs):
    """Returns the value of a bit of bytewise.py, where every byte is a variable."""
    total = bit & 1
    for name, begin in begins.items():
        total ^= bit >> begin + inputs[name] & 1
    return total


def sums_are_what_terms_are():
    names = [f'byte{index}' for index in range(4)]
    values = [var(name, 8) for name in names]
    sums = bytewise.Sums()
    begins = {name: 1 + bytewise.SIZE * index for index, name in enumerate(names)}
    for name in names:
        sums.variable(name, 8)
    made = [aes.sbox(values[0]), aes.sbox(W8.xor(values[1], 0x3a)), aes.inverse_sbox(aes.sbox(values[2]))]
    made.append(W8.and_(W8.xor(values[3], 0x55), W8.rotl(W8.xor(values[3], 0x0f), 3)))
    made.append(W8.and_(made[0], W8.rotl(values[0], 5)))
    made.append(W8.xor(*made, 0x81))
    bits = sums.of([(x, 8) for x in made])
    for _ in range(64):
        inputs = {name: CHOOSE.getrandbits(8) for name in names}
        for expected, found in zip(evaluate(made, inputs), bits):
            assert expected == sum(value_of_sum(bit, begins, inputs) << at for at, bit in enumerate(found))


def sums_of_several_bytes_are_a_new_byte():
    one, other = var('one', 8), var('other', 8)
    both, sums = W8.xor(one, other), bytewise.Sums()
    assert sums.of([(W8.and_(one, other), 8)]) == [[None] * 8]
    substituted, = sums.of([(aes.sbox(both), 8)])
    # The polynomial of an S-box's lowest bit, by products of the same sums.
    table, product = [x & 1 for x in aes.SBOX], [sums._of_one_byte(x) for x in sums.of([(both, 8)])[0]]
    total = 0
    for value in range(256):
        if sum(table[x] for x in range(256) if x & value == x) & 1:
            term = 1
            for at in range(8):
                term = sums.times(term, product[at]) if value >> at & 1 else term
            total ^= term
    assert total == substituted[0]
    refused([(aes.sbox(both), aes.sbox(one), 8)], bytewise.require_equal)
    refused([(W8.and_(one, other), W8.and_(one, other), 8)], bytewise.require_equal)
    assert bytewise.require_equal([(aes.sbox(both), aes.sbox(W8.xor(other, one)), 8)])


def value_of_polynomial(bit, ring, inputs):
    return sum(all(inputs[name] >> at & 1 for name, at in ring._monomials[place])
               for place in range(bit.bit_length()) if bit >> place & 1) & 1


def products_apart_are_what_terms_are():
    a, b = var('a', 64), var('b', 64)
    masked = [op('and', x, EACH_FOURTH << shift, 64) for x, shift in ((a, 1), (b, 2))]
    product = op('and', op('mul', *masked, 64), EACH_FOURTH << 3, 64)
    ring = gf2.Polynomials()
    bits, = ring.of([(product, 64)])
    for _ in range(16):
        inputs = {'a': CHOOSE.getrandbits(64), 'b': CHOOSE.getrandbits(64)}
        expected, = evaluate([product], inputs)
        # The products of a place carry, of which its lowest bit says nothing.
        assert expected == sum(value_of_polynomial(bit, ring, inputs) << at for at, bit in enumerate(bits))
    # Carries are unknown, and products that they reach are no polynomials.
    refused([(op('mul', *masked, 64), 0, 64)], gf2.require_equal)
    refused([(op('mul', *masked, 64), op('mul', *masked, 64), 64)], gf2.require_equal)
    refused([(W64.mul(a, b), 0, 64)], gf2.require_equal)


def refused(pairs, decide):
    try:
        decide(pairs)
    except Failed:
        return
    raise AssertionError(f'{pairs} was accepted')


def main():
    for test in (sums_are_what_terms_are, sums_of_several_bytes_are_a_new_byte, products_apart_are_what_terms_are):
        terms.reset()
        test()
    print('deciders: values agree')


if __name__ == '__main__':
    main()
