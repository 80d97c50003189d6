// The import graph of a Rust crate's modules, from its source text.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The modules of a crate by path (`engines::native`), each with the modules that its paths name.
 * Left out are tests, the crate root, which declares what all modules share, and the relation of a
 * module to its own submodules.
 */
export function rustModules(source) {
  const modules = new Map();
  collect(join(source, 'lib.rs'), [], modules);
  return Object.fromEntries(
    [...modules]
      .filter(([name]) => name !== '')
      .map(([name, module]) => [
        name,
        [...new Set(pathsOf(module).map((path) => longestModule(path, modules)))].filter(
          (other) => other !== '' && !within(name, other) && !within(other, name),
        ),
      ]),
  );
}

function collect(file, path, modules) {
  const code = readFileSync(file, 'utf8')
    .replace(/\/\/.*$/gm, '')
    .replace(/#\[cfg\(test\)\]\s*mod \w+ \{[\s\S]*?^\}/gm, '');
  const folder = /\b(lib|mod)\.rs$/.test(file) ? dirname(file) : file.slice(0, -'.rs'.length);
  const children = [];
  for (const [, attributes, name] of code.matchAll(
    /((?:#\[[^\]]*\]\s*)*)\b(?:pub(?:\([^)]*\))? )?mod (\w+);/g,
  )) {
    if (/cfg\((all\()?(test|loom)/.test(attributes)) continue;
    const given = /path = "([^"]+)"/.exec(attributes)?.[1];
    const child = (
      given === undefined
        ? [join(folder, `${name}.rs`), join(folder, name, 'mod.rs')]
        : [join(dirname(file), given)]
    ).find((each) => existsSync(each));
    if (child === undefined) continue;
    children.push(name);
    collect(child, [...path, name], modules);
  }
  modules.set(path.join('::'), { code, path, children });
}

/** The paths that a module names, from the crate root. */
function pathsOf({ code, path, children }) {
  const trees = [...code.matchAll(/\buse ([^;]+);/g)].flatMap(([, tree]) => expand(tree));
  const others = code
    .replace(/\buse [^;]+;/g, '')
    .matchAll(/\b(?:crate|super|self|[a-z]\w*)(?:::\w+)+/g);
  return [...trees, ...[...others].map(([text]) => text.split('::'))].flatMap((parts) => {
    const [first, ...rest] = parts;
    if (first === 'crate') return [rest];
    if (first === 'self') return [[...path, ...rest]];
    if (children.includes(first)) return [[...path, ...parts]];
    if (first !== 'super') return [];
    const up = parts.filter((part) => part === 'super').length;
    return [[...path.slice(0, -up), ...parts.slice(up)]];
  });
}

/** The paths of a `use` tree: `a::{b, c::d as e}` has `a::b` and `a::c::d`. */
function expand(tree) {
  const open = tree.indexOf('{');
  const parts = (text) =>
    text
      .split('::')
      .map((part) => part.trim().split(/\s/)[0])
      .filter((part) => part !== '');
  if (open < 0) return [parts(tree)];
  const branches = [''];
  let depth = 0;
  for (const character of tree.slice(open + 1, tree.lastIndexOf('}'))) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character === ',' && depth === 0) branches.push('');
    else branches[branches.length - 1] += character;
  }
  return branches
    .filter((branch) => branch.trim() !== '')
    .flatMap(expand)
    .map((rest) => [...parts(tree.slice(0, open)), ...rest]);
}

function longestModule(path, modules) {
  let size = path.length;
  while (size > 0 && !modules.has(path.slice(0, size).join('::'))) size -= 1;
  return path.slice(0, size).join('::');
}

const within = (name, other) => `${name}::`.startsWith(`${other}::`);

/** The groups of modules that name one another in a circle (strongly connected components). */
export function importCycles(graph) {
  const [order, lowest, stack, cycles] = [new Map(), new Map(), [], []];
  const visit = (name) => {
    order.set(name, order.size);
    lowest.set(name, order.get(name));
    stack.push(name);
    for (const next of graph[name] ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(name, Math.min(lowest.get(name), lowest.get(next)));
    }
    if (lowest.get(name) !== order.get(name)) return;
    const group = stack.splice(stack.indexOf(name));
    if (group.length > 1) cycles.push(group.sort());
  };
  for (const name of Object.keys(graph)) if (!order.has(name)) visit(name);
  return cycles.sort();
}
