"""Writes docs/proofs.md: what is proved, with which compiler, which functions that covers, what is not."""

from __future__ import annotations

import re
from pathlib import Path

from . import compile

PAGE = compile.ROOT / 'docs' / 'proofs.md'
# What bounded checks in Rust cover, by hand.
LENGTHS = Path(__file__).with_name('lengths.md')

# Why functions have no statement: the beginning of a path, and the reason.
NO_STATEMENT = 'no statement yet'
REASONS = {
    'cipher::field': 'the products of this build are those of the crate `polyval`, which a release lacks',
    'cipher::poly1305': 'calls what has statements',
    'cpu::any::keccak_p': 'calls what has statements',
    'cpu::any::scrypt': 'names functions that have statements',
    'cpu::any::sha512': 'says that there is no kernel',
    'cpu::any::xxh': 'runs in WebAssembly only, of which whole modules have statements',
    'hash::compression::keccak_p': 'asks for the CPU and calls what has statements',
    'kdf::bcrypt::blowfish': 'writes tables that it reads at secret places, for which there is no model',
    'hash::crc::field': 'runs in the compiler: what it made is in the statements of CRC',
}

HEAD = '''# Proofs of kernels

`npm run prove` compiles the core, takes the code that the compiler's optimizer made (LLVM IR) and proves
the statements below about it: for **all** inputs of the size that a statement names, the code computes
what the standard says. The command writes this page (`npm run prove -- --write`). A proof shows what is
stated here and no more; [what is not proved](#what-is-not-proved) is as important. Tests compare
everything, proved or not, with other libraries and published vectors ([for an audit](audit.md)).

## Method

- **Code.** Entries, which call a kernel with all its parameters, are appended to a copy of the sources.
  The copy is compiled with the toolchain, profile and lock file of a release, but without link-time
  optimization, and with the crates of RustCrypto in place of AWS-LC.
- **Execution.** A symbolic executor runs an entry. Lengths and addresses are concrete, so that loops and
  branches are; keys, states and texts are variables. It makes a formula of each output.
- **Standard.** The same formulas are written from the standard's text, in Python, and tested with its
  vectors.
- **Decision.** Formulas are brought into a normal form; both sides are equal if their normal forms are
  the same. What is left is put to two solvers, Bitwuzla and Z3, and both must agree. The steps of the
  normal form that were used are checked one by one. The coefficients of sums and the products of
  exclusive ors are added once more by other code, which also decides the sum of two functions of bits
  that exclude each other. All other steps, an `or` as an `and`, are put to both solvers; those of more
  than 24 terms are first compared as polynomials over GF(2).
  Some statements have another method, which the table names: polynomials over GF(2) or over the
  integers, or, for AES in slices of bits, sums of functions of single bytes. Those are in code of this
  repository.
- **Controls.** For each statement constants of the compiled code are changed, one at a time, until three
  of the changes are refuted by random numbers, or one by the method of the statement. A statement that
  accepts changed code would prove nothing.
'''

NOT_PROVED = '''## What is not proved

- **The machine code.** LLVM's back end, which selects instructions and registers, the assembler, the
  linker and the CPU are trusted. So is link-time optimization: the binary is optimized once more, across
  crates, after the code that is proved here.
- **The executor and its models.** The executor, the models of instructions that LLVM leaves as calls, and
  the normal form are code of this repository, some thousand lines of Python. The executor is compared
  with a CPU on random inputs where the table says so, the normal form's steps are checked by the solvers,
  but neither is proved. The solvers are trusted where both agree.
- **The standards as written here.** A reference in Python with a mistake, in which the kernel has the
  same mistake, proves the mistake. Published vectors test the references.
- **Sizes and pointers.** A statement holds for the lengths, alignments and numbers of blocks that it
  names. Other lengths, tails and the loops around kernels are
  [checked up to a bound](#lengths-borders-and-memory), the choice of a kernel by the CPU's features is
  tested. That pointers are in bounds is checked only for the runs of the statements.
- **Side channels.** Nothing is said about time, caches, power or speculative execution, nor about copies
  of secrets in registers and on the stack.
- **Everything around the kernels.** The JavaScript and TypeScript, the binding to Node.js, parsing of
  arguments, threads, memory management and wiping.
- **Other code.** AWS-LC, the crates `blake3` and RustCrypto, Node.js, V8, Rust's standard library beyond
  what a kernel inlines, and the code of other CPUs than those of the table.
- **Protocols.** That an algorithm is secure, or used rightly.
'''


def seconds() -> dict:
    """Returns how long the proof of each statement took when the page was written."""
    rows = re.findall(r'^\| `([^`]+)` \|(?:[^|]*\|){3} ([0-9.]+) \|', PAGE.read_text(), re.M)
    return {name: float(time) for name, time in rows}


def summary(covered) -> list:
    """Returns lines about the functions that statements execute."""
    lines = []
    for architecture, (functions, executed) in covered.items():
        for of, features in (('functions with CPU features', True), ('scalar kernels', False)):
            total, seen = (sum(n for x, n in found.items() if bool(x.features) == features)
                           for found in (functions, executed))
            if total:
                lines.append(f'{architecture}: {seen} of {total} {of} are executed by statements '
                             f'({100 * seen / total:.0f} %)')
    return lines


def write(statements, results, covered):
    """Writes the page."""
    made = compile.compiler()
    parts = [
        HEAD,
        '## Statements\n',
        f'By {made["rustc"]} with LLVM {made["LLVM version"]}. Seconds are those of one core, of the proof '
        'without its controls. Only what the run that wrote this page proved is listed. The column before '
        'the last has how many bytes the executor and the CPU that ran the command made of the same random '
        'inputs, without a difference.\n',
        _table(('name', 'instructions', 'what the compiled code does', 'method', 'seconds', 'controls',
                'compared with a CPU', 'trusted besides'), [_row(x, results[x.name]) for x in statements]),
        '## Functions\n',
        'The compiler lists the functions of the core, after the expansion of macros. A function counts as '
        'executed if a statement executes an instruction of it, inlined or not; statements need not reach '
        'all of its branches, and a function that the optimizer removed altogether does not count.\n',
        '\n'.join(f'- {line}' for line in summary(covered)) + '\n',
        'Functions with CPU features, and scalar kernels, that no statement executes:\n',
        _table(('module', 'functions', 'reason'), _missing(covered)),
        LENGTHS.read_text(),
        NOT_PROVED,
    ]
    PAGE.write_text('\n'.join(parts))


def _row(statement, result):
    return (
        f'`{statement.name}`', statement.tier, statement.sentence, statement.method, f'{result.seconds:.1f}',
        f'{len(result.controls)} refuted', f'{result.compared} bytes' if result.compared else 'no',
        '; '.join(statement.trusted) or 'none')


def _missing(covered):
    modules: dict = {}
    for architecture, (functions, executed) in covered.items():
        for function, count in functions.items():
            if executed[function] < count:
                path = function.module.replace('cpu::kernels', f'cpu::{architecture}')
                name = '::'.join(x for x in (function.type, function.name) if x)
                modules.setdefault(path, {})[name] = True
    return [(f'`{path}`', ', '.join(f'`{name}`' for name in names), _reason(path))
            for path, names in sorted(modules.items())]


def _reason(path):
    return next((reason for begin, reason in REASONS.items() if f'{path}::'.startswith(f'{begin}::')), NO_STATEMENT)


def _table(head, rows):
    lines = [head, ['---'] * len(head), *rows]
    return ''.join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)
