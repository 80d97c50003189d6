"""Two solvers for bit-vectors, each of which must find that nothing differs."""

from __future__ import annotations

import operator
import random

import bitwuzla
import z3

from .terms import evaluate, ones, reachable

# Milliseconds for each question to each solver.
LIMIT = 120_000
STEP_LIMIT = 10_000


class Failed(Exception):
    """A statement is refuted, or not decided. `example` has inputs that refute it, if known."""

    example = None


class _Bitwuzla:
    name = 'Bitwuzla'

    def __init__(self):
        self.terms, self.sorts, self.variables, self.example = bitwuzla.TermManager(), {}, {}, None
        self.kinds = {name: getattr(bitwuzla.Kind, f'BV_{name}') for name in (
            'ADD', 'SUB', 'MUL', 'AND', 'OR', 'XOR', 'SHL', 'SHR', 'ASHR', 'ULT', 'SLT', 'CONCAT')}

    def _sort(self, bits):
        if bits not in self.sorts:
            self.sorts[bits] = self.terms.mk_bv_sort(bits)
        return self.sorts[bits]

    def const(self, value, bits):
        return self.terms.mk_bv_value(self._sort(bits), value)

    def var(self, name, bits):
        self.variables[name] = self.terms.mk_const(self._sort(bits), name)
        return self.variables[name]

    def function(self, name, bits, values, widths):
        sort = self.terms.mk_fun_sort([self._sort(x) for x in widths], self._sort(bits))
        key = (name, bits, tuple(widths))
        if key not in self.sorts:
            self.sorts[key] = self.terms.mk_const(sort, name)
        return self.terms.mk_term(bitwuzla.Kind.APPLY, [self.sorts[key], *values])

    def op(self, name, *values):
        return self.terms.mk_term(self.kinds[name], list(values))

    def extract(self, value, low, count):
        return self.terms.mk_term(bitwuzla.Kind.BV_EXTRACT, [value], [low + count - 1, low])

    def spread(self, value, count):
        return self.terms.mk_term(bitwuzla.Kind.BV_SIGN_EXTEND, [value], [count - 1])

    def truth(self, formula):
        return self.terms.mk_term(bitwuzla.Kind.ITE, [formula, self.const(1, 1), self.const(0, 1)])

    def equal(self, a, b):
        return self.terms.mk_term(bitwuzla.Kind.EQUAL, [a, b])

    def ite(self, bit, a, b):
        return self.terms.mk_term(bitwuzla.Kind.ITE, [self.equal(bit, self.const(1, 1)), a, b])

    def differs(self, pairs, limit=LIMIT):
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        options.set(bitwuzla.Option.TIME_LIMIT_PER, limit)
        solver = bitwuzla.Bitwuzla(self.terms, options)
        distinct = [self.terms.mk_term(bitwuzla.Kind.DISTINCT, list(pair)) for pair in pairs]
        solver.assert_formula(distinct[0] if len(distinct) == 1 else self.terms.mk_term(bitwuzla.Kind.OR, distinct))
        answer = solver.check_sat().name
        if answer == 'SAT':
            self.example = {name: int(solver.get_value(x).value(10)) for name, x in self.variables.items()}
        return {'SAT': 'differs', 'UNSAT': 'equal'}.get(answer, 'not decided')


class _Z3:
    name = 'Z3'
    kinds = {
        'ADD': operator.add, 'SUB': operator.sub, 'MUL': operator.mul, 'AND': operator.and_, 'OR': operator.or_,
        'XOR': operator.xor, 'SHL': operator.lshift, 'SHR': z3.LShR, 'ASHR': operator.rshift,
        'ULT': z3.ULT, 'SLT': operator.lt, 'CONCAT': z3.Concat,
    }

    def const(self, value, bits):
        return z3.BitVecVal(value, bits)

    def var(self, name, bits):
        return z3.BitVec(name, bits)

    def function(self, name, bits, values, widths):
        return z3.Function(name, *[z3.BitVecSort(x) for x in widths], z3.BitVecSort(bits))(*values)

    def op(self, name, *values):
        return self.kinds[name](*values)

    def extract(self, value, low, count):
        return z3.Extract(low + count - 1, low, value)

    def spread(self, value, count):
        return z3.SignExt(count - 1, value)

    def truth(self, formula):
        return z3.If(formula, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))

    def equal(self, a, b):
        return a == b

    def ite(self, bit, a, b):
        return z3.If(bit == 1, a, b)

    def differs(self, pairs, limit=LIMIT):
        solver = z3.SolverFor('QF_UFBV')
        solver.set('timeout', limit)
        solver.add(z3.Or([a != b for a, b in pairs]))
        return {'sat': 'differs', 'unsat': 'equal'}.get(str(solver.check()), 'not decided')


def translated(solver, values, atoms=None):
    """Translates (value, bits) pairs. `atoms` numbers terms that are variables, whatever they are."""
    done = {}

    def get(value, bits):
        return solver.const(value & ones(bits), bits) if type(value) is int else done[value.id]

    found = reachable([value for value, _ in values], stop=atoms or ())
    for term in found:
        if atoms and term in atoms:
            done[term.id] = solver.var(f'atom{atoms[term]}', term.bits)
        else:
            done[term.id] = _formula(solver, term, get)
    return [get(value, bits) for value, bits in values]


def _formula(solver, term, get):
    kind, args, bits = term.kind, term.args, term.bits
    if kind == 'var':
        return solver.var(args[0], bits)
    if kind == 'extract':
        of, low = args
        value, rest = get(of, of.bits), of.bits - low
        if bits <= rest:
            return solver.extract(value, low, bits)
        return solver.op('CONCAT', solver.extract(value, 0, bits - rest), solver.extract(value, low, rest))
    if kind == 'concat':
        result = get(args[0][1], args[0][0])
        for size, part in args[1:]:
            result = solver.op('CONCAT', get(part, size), result)
        return result
    if kind == 'bool':
        return _folded(solver, 'XOR', [
            _folded(solver, 'AND', [
                *([] if leaves and mask == ones(bits) else [solver.const(mask, bits)]),
                *(get(leaf, bits) for leaf in sorted(leaves, key=_number))])
            for mask, leaves in sorted(args, key=lambda x: (x[0], sorted(map(_number, x[1]))))])
    if kind == 'sum':
        products = [get(x, bits) if k == 1 else solver.op('MUL', solver.const(k, bits), get(x, bits))
                    for x, k in sorted(args[1], key=lambda x: x[0].id)]
        return _folded(solver, 'ADD', [*products, *([solver.const(args[0], bits)] if args[0] else [])])
    if kind == 'mul':
        return solver.op('MUL', get(args[0], bits), get(args[1], bits))
    if kind == 'spread':
        return solver.spread(get(args[0], 1), bits)
    if kind == 'ite':
        return solver.ite(get(args[0], 1), get(args[1], bits), get(args[2], bits))
    if kind == 'cmp':
        width = next(x.bits for x in args[1:] if type(x) is not int)
        one, other = get(args[1], width), get(args[2], width)
        return solver.truth(solver.equal(one, other) if args[0] == 'eq' else solver.op(args[0].upper(), one, other))
    if kind == 'shift':
        name = {'shl': 'SHL', 'lshr': 'SHR', 'ashr': 'ASHR'}[args[0]]
        return solver.op(name, get(args[1], bits), get(args[2], bits))
    if kind == 'clmul':
        return solver.function('clmul', 128, [get(args[0], 64), get(args[1], 64)], [64, 64])
    name, values, attributes = args
    name = '-'.join([name, *map(str, attributes)])
    return solver.function(name, bits, [get(x, width) for width, x in values], [width for width, _ in values])


def step_is_right(kind, operands, bits, result, atoms) -> bool:
    """Returns whether both solvers find an operation of terms.py equal to its result.

    `atoms` numbers the terms that are variables.
    """
    if kind == 'concat':
        values = [(value, size) for size, value in operands if size]
        bits = sum(size for _, size in values)
    elif kind == 'extract':
        values = [(operands[0], operands[0].bits)]
    elif kind == 'ite':
        values = [(operands[0], 1), *((x, bits) for x in operands[1:])]
    else:
        values = [(x, bits) for x in operands]
    if kind in ('eq', 'ult', 'slt'):
        bits = 1
    for solver in (_Bitwuzla(), _Z3()):
        *inputs, found = translated(solver, [*values, (result, bits)], atoms)
        if kind == 'concat':
            raw = _folded(solver, 'CONCAT', inputs[::-1])
        elif kind == 'extract':
            raw = solver.extract(inputs[0], operands[1], bits)
        elif kind == 'ite':
            raw = solver.ite(*inputs)
        elif kind == 'eq':
            raw = solver.truth(solver.equal(*inputs))
        elif kind in ('ult', 'slt'):
            raw = solver.truth(solver.op(kind.upper(), *inputs))
        else:
            raw = solver.op({'lshr': 'SHR'}.get(kind, kind.upper()), *inputs)
        if solver.differs([(raw, found)], STEP_LIMIT) != 'equal':
            return False
    return True


def _number(term):
    return term.id


def _folded(solver, name, values):
    result = values[0]
    for value in values[1:]:
        result = solver.op(name, result, value)
    return result


def refuted_by_example(pairs, rounds=4) -> bool:
    """Returns true if random inputs are found for which the (value, value, bits) pairs differ."""
    choose = random.Random(1)
    values = [x for one, other, _ in pairs for x in (one, other)]
    if None in values:
        return True
    variables = [x for x in reachable(values) if x.kind == 'var']
    for _ in range(rounds):
        found = evaluate(values, {x.args[0]: choose.getrandbits(x.bits) for x in variables})
        if found[::2] != found[1::2]:
            return True
    return False


def decide(pairs, atoms=None, limit=LIMIT):
    """Requires that both solvers find the (value, value, bits) pairs equal for all inputs; returns their names."""
    for solver in (_Bitwuzla(), _Z3()):
        flat = translated(solver, [(x, bits) for one, other, bits in pairs for x in (one, other)], atoms)
        answer = solver.differs(list(zip(flat[::2], flat[1::2])), limit)
        if answer != 'equal':
            failed = Failed(f'{solver.name}: {answer}')
            failed.example = getattr(solver, 'example', None) if atoms is None else None
            raise failed
    return [_Bitwuzla.name, _Z3.name]
