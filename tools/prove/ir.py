"""Reads the text of LLVM IR: functions, constants, and the source functions of an instruction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from .llvm import split, take_type

_NAME = r'"[^"]*"|[\w.$-]+'
_FUNCTION = re.compile(rf'^define [^\n]*?@({_NAME})\(', re.M)
_CONSTANT = re.compile(rf'^@({_NAME}) = [^\n]*?\b(?:constant|global) ([^\n]*)', re.M)
_ALIAS = re.compile(rf'^@({_NAME}) = [^\n]*?\balias [^\n]*@({_NAME})$', re.M)
_TYPE = re.compile(rf'^(%(?:{_NAME})) = type ([^\n]*)', re.M)
_LABEL = re.compile(rf'({_NAME}):')
# What follows an instruction: its metadata, the first of them often the place in the source.
_METADATA = re.compile(r'(?:, ![\w.]+ !\d+)+$')
_PLACE = re.compile(r', !dbg !(\d+)')


@dataclass(frozen=True)
class Function:
    """A function: blocks of (instruction, number of its debug location or None) by their labels."""

    name: str
    parameters: list
    blocks: dict
    first: str


class SourceFunction(NamedTuple):
    """A function of the sources: `path` are its namespaces, from the crate on."""

    file: str
    line: int
    name: str
    path: tuple
    symbol: str


class Module:
    """The IR of a crate. The body of a function is read when it is asked for."""

    def __init__(self, path):
        self.text = Path(path).read_text()
        # Types with a name, in place of it.
        for name, body in _TYPE.findall(self.text):
            self.text = re.sub(rf'{re.escape(name)}(?![\w.$-])', lambda match, body=body: body, self.text)
        self._begins = {_unquoted(match[1]): match.start() for match in _FUNCTION.finditer(self.text)}
        self._constants = {_unquoted(match[1]): match[2] for match in _CONSTANT.finditer(self.text)}
        # Functions with equal code are merged.
        self._aliases = {_unquoted(match[1]): _unquoted(match[2]) for match in _ALIAS.finditer(self.text)}
        self._functions: dict = {}
        self._chains: dict = {}

    def names(self):
        """Returns the names of all functions that have a body."""
        return [*self._begins, *self._aliases]

    def function(self, name: str):
        """Returns a function by its name without `@`, or None if it has no body here."""
        name = self._aliases.get(name, name)
        if name not in self._functions:
            begin = self._begins.get(name)
            if begin is None:
                return None
            self._functions[name] = _function(name, self.text[begin:self.text.index('\n}\n', begin)])
        return self._functions[name]

    def constant(self, name: str):
        """Returns the type, initializer and attributes of a global, or None for what is none."""
        return self._constants.get(_unquoted(name.removeprefix('@')))

    def source_functions(self, place: int) -> list:
        """Returns the function that a debug location is in, then those that it is inlined in."""
        if place not in self._chains:
            fields = self._metadata(place)
            chain = [self._source_function(int(fields['scope']))]
            if 'inlinedAt' in fields:
                chain += self.source_functions(int(fields['inlinedAt']))
            self._chains[place] = chain
        return self._chains[place]

    def _source_function(self, scope):
        line = self._metadata_lines[scope]
        while 'DISubprogram' not in line[:40]:
            line = self._metadata_lines[int(_fields(line)['scope'])]
        fields = _fields(line)
        file = self._metadata(int(fields['file']))['filename']
        # A function without a mangled name is an entry.
        return SourceFunction(file, int(fields['line']), fields['name'], self._path(fields.get('scope')),
                              fields.get('linkageName', fields['name']))

    def _path(self, scope):
        """Returns the names of a scope and those around it, the outermost first."""
        path = []
        while scope is not None:
            fields = self._metadata(int(scope))
            path.append(fields.get('name', ''))
            scope = fields.get('scope')
        return tuple(reversed(path))

    def _metadata(self, number):
        return _fields(self._metadata_lines[number])

    @cached_property
    def _metadata_lines(self):
        return {int(match[1]): match[2] for match in re.finditer(r'^!(\d+) = ([^\n]*)', self.text, re.M)}


def _unquoted(name):
    return name.strip('"')


def _fields(line):
    """Reads the fields of metadata that are numbers, names or strings."""
    return {name: text if number == '' else number
            for name, number, text in re.findall(r'\b(\w+): (?:!?(\d+)\b|"([^"]*)")', line)}


def _function(name, text):
    head, *lines = text.split('\n')
    parameters = []
    for part in split(_parameters(head)):
        kind, rest = take_type(part)
        parameters.append((kind, re.search(rf'%(?:{_NAME})$', rest)[0]))
    # A first block without a name has the number after the parameters without a name.
    label = str(sum(parameter[1:].isdigit() for _, parameter in parameters))
    blocks: dict = {}
    for line in lines:
        if not line.strip() or line.lstrip().startswith(';'):
            continue
        if line[0] != ' ':
            label = _unquoted(_LABEL.match(line)[1])
            blocks[label] = []
        elif line.startswith(('    ', '  ]')):
            blocks[label][-1] += ' ' + line.strip()
        else:
            blocks.setdefault(label, []).append(line.strip())
    return Function(name, parameters, {x: [_instruction(y) for y in block] for x, block in blocks.items()},
                    next(iter(blocks)))


def _parameters(head):
    """Returns what is between the brackets after the function's name."""
    begin = _FUNCTION.match(head).end()
    depth = 1
    for index in range(begin, len(head)):
        depth += {'(': 1, ')': -1}.get(head[index], 0)
        if depth == 0:
            return head[begin:index]
    raise ValueError(head)


def _instruction(line):
    metadata = _METADATA.search(line)
    if metadata is None:
        return line, None
    place = _PLACE.search(metadata[0])
    return line[:metadata.start()], int(place[1]) if place else None
