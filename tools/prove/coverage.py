"""Which functions with instructions of a CPU, and which scalar kernels, passed statements execute.

The compiler lists the functions: it expands all macros, so that a function that a macro makes for
two sets of instructions is two. Debug information says which functions an executed instruction is
of, inlined ones too.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

# Modules whose functions count as kernels without instructions of a CPU; the others of cpu::any stand
# in for kernels that a CPU lacks.
SCALAR = (*(f'cpu::any::{name}' for name in ('argon2', 'crc', 'keccak_p', 'scrypt', 'sha512', 'xxh', 'xxh3')),
          'cipher::chacha::state', 'cipher::field', 'cipher::poly1305', 'hash::compression::keccak_p',
          'hash::compression::plain', 'hash::crc::field', 'kdf::bcrypt::blowfish')
# Methods of traits that compute nothing.
DERIVED = ('clone', 'drop', 'fmt', 'default', 'eq')

_LITERALS = re.compile(
    r'''//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^']+|[^'\\])\'''', re.S)
_TOKENS = re.compile(
    r'#\[target_feature\(enable|\bmacro_rules! \w+|\bmod (?P<module>\w+)\s*\{|\bfn (?P<function>\w+)|'
    r'(?<=[\]};{])\s*(?:unsafe )?impl\b(?P<head>[^{;]*)\{|[{};]')


@dataclass(frozen=True)
class Listed:
    """A function of the sources: its module, the type that it is of or '', and its features or ''."""

    module: str
    type: str
    name: str
    features: str

    def __str__(self):
        return '::'.join(x for x in (self.module, self.type, self.name) if x)


def listed(expanded: str) -> Counter:
    """Lists the functions in the expanded text of a crate; a constant may have several of a name."""
    found: Counter = Counter()
    text = _LITERALS.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), expanded)
    blocks, pending, features = [], ('', ''), ''
    for match in _TOKENS.finditer(text):
        token = match[0]
        if token.startswith('#'):
            # In the definition of a macro it may be a parameter.
            features = re.match(r' *= *("[^"]*"|)', expanded[match.end():match.end() + 200])[1].strip('"')
        elif token.startswith('macro_rules'):
            pending = ('macro', '')
        elif match['module']:
            blocks.append(('module', match['module']))
        elif match['head'] is not None:
            blocks.append(('type', _last_name(match['head'])))
        elif match['function']:
            if not any(kind == 'macro' for kind, _ in blocks):
                module = '::'.join(name for kind, name in blocks if kind == 'module')
                of = [name for kind, name in blocks if kind == 'type'][-1:]
                found[Listed(module, *of or [''], match['function'], features)] += 1
            features = ''
        elif token == '{':
            blocks.append(pending)
            pending = ('', '')
        elif token == '}':
            blocks.pop()
    return found


def kernels(expanded: str, scalar: bool) -> Counter:
    """Lists the functions with CPU features, and with `scalar` the scalar kernels."""
    return Counter({function: count for function, count in listed(expanded).items()
                    if function.features or scalar and is_scalar(function)})


def _last_name(head):
    """Returns the name of the type in `<T> Trait for a::Type<T> where ...`."""
    head = re.split(r'\bwhere\b', head)[0]
    head = re.split(r'\bfor (?!<)', head)[-1]
    while re.search(r'<[^<>]*>', head):
        head = re.sub(r'<[^<>]*>', '', head)
    return (re.findall(r'\w+', head) or [''])[-1]


def executed(functions, source_functions) -> Counter:
    """Counts the listed functions among (path, symbol) of executed source functions."""
    by_name: dict = {}
    for function in functions:
        by_name.setdefault(function.name, []).append(function)
    seen: dict = {}
    for path, symbol in source_functions:
        names = symbol_names(symbol)
        if not names:
            continue
        of = _self_type(names) if any(x.startswith('{impl') for x in path) else path[-1]
        within = '::'.join(x for x in path[1:] if not x.startswith('{'))
        candidates = [x for x in by_name.get(names[-1], ()) if f'{within}::'.startswith(f'{x.module}::')]
        types = {x.type for x in candidates}
        # An alias of a type has another name in symbols.
        if of in types or len(types) > 1:
            candidates = [x for x in candidates if x.type == (of if of in types else '')]
        if candidates:
            seen.setdefault(max(candidates, key=lambda x: len(x.module)), set()).add(symbol)
    return Counter({function: min(len(symbols), functions[function]) for function, symbols in seen.items()})


def symbol_names(symbol: str) -> list:
    """Returns the names in a mangled symbol, without its hash."""
    names, at = [], 3
    while match := re.compile(r'\d+').match(symbol, at):
        end = match.end() + int(match[0])
        names.append(symbol[match.end():end])
        at = end
    return names[:-1] if symbol.startswith('_ZN') else []


def _self_type(names):
    before = names[-2] if len(names) > 1 else ''
    if match := re.match(r'_?\$LT\$(?:impl\$u20\$)?(.*?)(?:\$u20\$as\$u20\$.*)?\$GT\$$', before):
        before = re.sub(r'\$LT\$.*', '', match[1])
    return (re.findall(r'\w+', before.replace('$', '.')) or [''])[-1]


def is_scalar(function) -> bool:
    """Returns True for a kernel without instructions of a CPU."""
    return not function.features and function.name not in DERIVED and any(
        f'{function.module}::'.startswith(f'{x}::') for x in SCALAR)
