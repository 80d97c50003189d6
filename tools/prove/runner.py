"""Proves the statements of kernels/: `npm run prove -- [NAME...] [--fast] [--write]`.

Without a name it proves all; --fast only those of x86-64 and WebAssembly that took at most half a second
when docs/proofs.md was written. --write writes that page.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import io
import multiprocessing
import pkgutil
import resource
import signal
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed

from . import compile, coverage, ir, page, wasm
from .planted import MISTAKES
from .statements import Entry, Shipped, all_statements

PROCESSES = 2
# Seconds of the processor for each statement, its controls included.
LIMIT = 240
# Seconds that a fast statement took for its proof when the page was written.
FAST = 0.5
# Bytes of address space of each process: a statement that needs more fails, and takes no other program with it.
MEMORY = 8 << 30

# The questions about the normal form that this process has put to the solvers.
_known: set = set()


class TimeLimit(Exception):
    """A statement takes too long."""


@functools.cache
def _module(path):
    return wasm.Module(path.read_bytes()) if path.suffix == '.wasm' else ir.Module(path)


@functools.cache
def _by_name():
    return {statement.name: statement for statement in all_statements()}


def _prove(name, path, library):
    """Returns the result, with source functions in place of debug locations, or what failed."""
    def ring(*_):
        raise TimeLimit(f'not decided after {LIMIT} s')

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        module = _module(path)
        result = _by_name()[name].prove(module, library, _known)
        result.executed = {(function.path, function.symbol) for place in result.executed
                           for function in module.source_functions(place)}
        return result
    except Exception as error:
        detail = '' if str(error) else traceback.format_exc()
        return f'{type(error).__name__}: {error}{detail}'
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _tests():
    """Returns the modules that test parts of the prover, each by its function `main`."""
    package = importlib.import_module(__package__)
    return [x.name for x in pkgutil.walk_packages(package.__path__, f'{__package__}.')
            if x.name.endswith('_test')]


def _test(name):
    """Runs the test of a part of the prover; returns what failed, or None."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            importlib.import_module(name).main()
    except Exception:
        return traceback.format_exc()
    return None


def _planted() -> int:
    """Makes each mistake of planted.py in the sources; its statement must be refuted."""
    missed = 0
    entries = [x.entry for x in _by_name().values() if isinstance(x.entry, Entry)]
    for mistake in MISTAKES:
        statement = _by_name()[mistake.statement]
        built = compile.build([x for x in entries if x.architecture == statement.entry.architecture], mistake)
        refuted = statement.is_refuted(ir.Module(built[statement.entry.architecture].ir))
        missed += not refuted
        print(f'{"refuted" if refuted else "MISSED "}  {mistake.kind} in {mistake.file}: {mistake.before} '
              f'made {mistake.after} ({mistake.statement})', flush=True)
    return 1 if missed else 0


def _code(entry, built):
    """Returns what is executed, and the library for this CPU or None."""
    if isinstance(entry, Shipped):
        return entry.path, None
    return built[entry.architecture].ir, built[entry.architecture].library


def main() -> int:
    parser = argparse.ArgumentParser(prog='npm run prove --')
    parser.add_argument('names', nargs='*', metavar='NAME', help='a statement, or the beginning of names')
    parser.add_argument('--fast', action='store_true', help='only statements that took half a second at most')
    parser.add_argument('--write', action='store_true', help='write docs/proofs.md')
    parser.add_argument('--planted', action='store_true', help='plant mistakes in the sources, which must be refuted')
    options = parser.parse_args()
    if options.planted:
        return _planted()
    begin = time.monotonic()
    every = list(_by_name().values())
    took = page.seconds()
    chosen = [x for x in every if (not options.names or x.name.startswith(tuple(options.names)))
              and (not options.fast or x.entry.architecture != 'aarch64' and took.get(x.name, LIMIT) <= FAST)]
    if not chosen:
        parser.error('there is no such statement; there are ' + ', '.join(x.name for x in every))
    if options.write and chosen != every:
        parser.error('--write needs all statements')
    # All entries of an architecture, whatever is chosen: what is inlined depends on what is compiled together.
    architectures = {x.entry.architecture for x in chosen}
    built = compile.build(
        x.entry for x in every if isinstance(x.entry, Entry) and x.entry.architecture in architectures)
    print(f'{compile.compiler()["rustc"]}, LLVM {compile.compiler()["LLVM version"]}; '
          f'compiled in {time.monotonic() - begin:.0f} s', flush=True)
    results, failed = {}, []
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context('spawn')) as pool:
        tests = [] if options.names or options.fast else _tests()
        for name, fault in zip(tests, pool.map(_test, tests)):
            print(f'FAILED  {name}: {fault}' if fault else f'        {name}: passed', flush=True)
            failed += [name] if fault else []
        # What takes long begins first.
        order = sorted(chosen, key=lambda x: -took.get(x.name, LIMIT))
        tasks = {pool.submit(_prove, x.name, *_code(x.entry, built)): x for x in order}
        for task in as_completed(tasks):
            statement, result = tasks[task], task.result()
            if isinstance(result, str):
                failed.append(statement.name)
                print(f'FAILED  {statement.name}: {result}', flush=True)
            else:
                results[statement.name] = result
                print(f'{result.seconds:5.1f} s {statement.name}: proved; '
                      f'{len(result.controls)} changed constants refuted', flush=True)
    print(f'{len(results)} of {len(chosen)} proved in {time.monotonic() - begin:.0f} s')
    if chosen == every:
        covered = _coverage(every, results)
        for line in page.summary(covered):
            print(line)
        if options.write and not failed:
            page.write(every, results, covered)
    return 1 if failed else 0


def _coverage(statements, results):
    """Returns (functions, those that passed statements execute) for each architecture.

    Scalar kernels are compiled for x86-64 alone.
    """
    found = {}
    for architecture in compile.TARGETS:
        functions = coverage.kernels(compile.expanded(architecture), scalar=architecture == 'x86_64')
        seen = set().union(*(
            results[x.name].executed for x in statements
            if x.name in results and x.entry.architecture == architecture))
        found[architecture] = functions, coverage.executed(functions, seen)
    return found
