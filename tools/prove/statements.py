"""What is proved: statements about functions of the compiled core, each with its controls.

A statement runs an entry, a Rust function that is appended to a copy of a source file, on symbolic
inputs, and pairs each value that it made with what the standard says. It holds if all pairs are equal
for all inputs. Its controls are the same run with one constant of the compiled code changed, which
must be refuted.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import sweep, terms, wasm
from .audit import Audit
from .execution import Recorder, execute, runs_here
from .compile import ROOT
from .llvm import Symbolic, Unsupported
from .solvers import Failed, refuted_by_example

# Changed constants that are refuted for each statement, where numbers do it, otherwise one; and how
# many are tried for that: some change nothing, as those of a path that the statement does not take.
CONTROLS = 3
TRIED = 48
# Seconds of the processor for each of them, besides four times those of the proof.
CONTROL_SECONDS = 20
# Rust code for the value without bytes that says that the CPU has the instructions.
PROOF = 'std::mem::transmute(())'


class TooLong(Exception):
    """Changed code runs for too long."""


@dataclass(frozen=True)
class Entry:
    """A function appended to `file` in crates/core/src: `code` is its parameters and its body."""

    file: str
    name: str
    code: str
    features: str = ''
    architecture: str = 'x86_64'

    @property
    def symbol(self) -> str:
        return f'prove_{self.name}'


@dataclass(frozen=True)
class Shipped:
    """A WebAssembly module of the package: its bytes."""

    family: str
    architecture: str = 'wasm32'
    features: str = ''

    @property
    def path(self) -> Path:
        return ROOT / 'dist' / 'edge' / 'wasm' / f'{self.family}.wasm'


@dataclass
class Result:
    """What a proof found."""

    seconds: float
    # The solvers that were asked about the result; none if the normal forms are the same.
    deciders: list
    # Bytes that the CPU made, too, on random inputs; None where it lacks the instructions.
    compared: int | None
    # The numbers of debug locations of what was executed.
    executed: set
    controls: list = field(default_factory=list)


@dataclass
class Statement:
    """A sentence about compiled code, and its proof."""

    name: str
    sentence: str
    tier: str
    check: object
    entry: Entry | Shipped
    method: str = 'normal form'
    trusted: tuple = ()
    # True for deciders that look at each bit, and need no normal form of functions of bits.
    as_given: bool = False
    # (pairs) -> names of the deciders, or raises Failed.
    decider: object = None

    def _machine(self, module):
        return wasm.Instance(module) if self.entry.architecture == 'wasm32' else Recorder(module)

    def _differs(self, module, change, sample) -> bool:
        """Returns true if the code with a changed constant is refuted, for variables or a sample of numbers."""
        terms.reset()
        terms.sample = sample
        machine = self._machine(module)
        if change:
            machine.change(change)
        try:
            return self._refuted(self.check(machine))
        finally:
            terms.sample = None

    def prove(self, module, library, known: set) -> Result:
        """Proves the statement for a module of compiled code; raises Failed or Unsupported.

        `library` is the same code for this machine, or None. `known` has the steps of the normal form
        that the solvers were asked about.
        """
        begin = time.monotonic()
        self._reset()
        with Audit() as audit:
            machine = self._machine(module)
            deciders = self._decide(self.check(machine))
        audit.ask(known)
        compared = None
        if library and runs_here(self.entry.features) and not machine.replace:
            compared = execute(machine, library)
        executed = machine.executed if isinstance(machine, Recorder) else set()
        seconds = time.monotonic() - begin
        return Result(seconds, deciders, compared, executed, self._controls(module, machine, seconds))

    def _decide(self, pairs):
        if not pairs:
            raise Failed('nothing to compare')
        if self.decider:
            return self.decider(pairs)
        rest = [(one, other, bits) for one, other, bits in pairs if one is not other and one != other]
        if any(one is None for one, _, _ in rest):
            raise Failed('an undefined value')
        if not rest:
            return []
        if refuted_by_example(rest):
            raise Failed('an example differs')
        return sweep.require_equal(rest)

    def _refuted(self, pairs) -> bool:
        if self.decider is None:
            return refuted_by_example(pairs)
        try:
            self.decider(pairs)
        except Failed:
            return True
        return False

    def is_refuted(self, module) -> bool:
        """Returns true if an example, or the method of the statement, shows it false for a module."""
        self._reset()
        return self._refuted(self.check(self._machine(module)))

    def _reset(self):
        terms.limit, terms.as_given = None, self.as_given
        terms.reset()

    def _takes_numbers(self, module) -> bool:
        """Returns true if numbers, which are faster than variables, take the same way through the code."""
        try:
            return self.decider is None and not self._differs(module, None, 1)
        except AttributeError:
            # The statement looks into terms.
            return False

    def _controls(self, module, machine, seconds):
        """Changes constants of what was executed, one at a time, until enough are refuted."""
        choose = random.Random(self.name)
        terms.limit = 2 * terms.count() + 1000
        signal.signal(signal.SIGVTALRM, _ring)
        samples, wanted = ([1, 2], CONTROLS) if self._takes_numbers(module) else ([None], 1)
        candidates = list(machine.changeable())
        choose.shuffle(candidates)
        found = []
        for change in candidates[:TRIED]:
            signal.setitimer(signal.ITIMER_VIRTUAL, CONTROL_SECONDS + 4 * seconds)
            try:
                if any(self._differs(module, change, sample) for sample in samples):
                    found.append(describe(change))
            except (TooLong, terms.TooMany, Unsupported, Symbolic, wasm.Symbolic, wasm.Trap, LookupError,
                    AttributeError, TypeError, ValueError):
                # The changed code leaves the memory or the ways that it has, or has terms or loops without end.
                continue
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            if len(found) == wanted:
                return found
        raise Failed(f'only {len(found)} of {min(TRIED, len(candidates))} changed constants were refuted')


def _ring(*_):
    raise TooLong


def describe(change):
    """Says which constant was changed."""
    if len(change) == 2:
        return f'byte {change[1]} of {change[0]}'
    if len(change) == 3:
        return f'{change[1]} at {change[0]:#x}'
    text = re.sub(r', !.*', '', change[3])
    return text if len(text) < 100 else text[:97] + '...'


def pairs_of(found, expected, bits: int) -> list:
    """Pairs values of as many bits."""
    return [(*pair, bits) for pair in zip(found, expected, strict=True)]


_statements: dict = {}


def statement(*, name, sentence, tier, entry, **options):
    """Registers the decorated function, machine -> pairs, as a statement."""
    def register(check):
        assert name not in _statements, name
        _statements[name] = Statement(name, sentence, tier, check, entry, **options)
        return check
    return register


def all_statements() -> list:
    """Returns all statements, in the order of the files in kernels/ and in these."""
    from . import kernels
    for module in sorted(x.name for x in pkgutil.iter_modules(kernels.__path__)):
        importlib.import_module(f'{kernels.__name__}.{module}')
    return list(_statements.values())
