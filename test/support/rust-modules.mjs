// The import graph of a Rust crate's modules, from its source text.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the modules of a crate by path (`cipher::gcm`), each with the modules that its paths
 * name, through `use` and re-exports too. Left out are tests, the crate root, which declares what
 * all modules share, and the relation of a module to its own submodules.
 */
export function rustModules(source) {
  const modules = new Map();
  collect(join(source, 'lib.rs'), [], modules);
  return Object.fromEntries(
    [...modules]
      .filter(([name]) => name !== '')
      .map(([name, module]) => [
        name,
        [...new Set(pathsOf(module).map((path) => moduleOf(path, modules)))].filter(
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
  modules.set(path.join('::'), { code, path, children, uses: usesOf(code) });
}

/** Returns the names that a module's `use` declarations bring in, each with its path. */
function usesOf(code) {
  return new Map(
    [...code.matchAll(/\buse ([^;]+);/g)]
      .flatMap(([, tree]) => expand(tree))
      .map(({ name, path }) => [name, path]),
  );
}

/** Returns the paths that a module names, from the crate root. */
function pathsOf(module) {
  const others = module.code
    .replace(/\buse [^;]+;/g, '')
    .matchAll(/\b(?:crate|super|self|[a-z]\w*)(?:::\w+)+/g);
  return [...module.uses.values(), ...[...others].map(([text]) => text.split('::'))]
    .map((parts) => absolute(parts, module))
    .filter((path) => path !== undefined);
}

/** Returns a path from the crate root, undefined if it leads to another crate. */
function absolute(parts, { path, children, uses }) {
  const [first, ...rest] = parts;
  if (first === 'crate') return rest;
  if (first === 'self') return [...path, ...rest];
  if (first === 'super') {
    const up = parts.filter((part) => part === 'super').length;
    return [...path.slice(0, -up), ...parts.slice(up)];
  }
  if (children.includes(first)) return [...path, ...parts];
  const used = uses.get(first);
  if (used === undefined || used[0] === first) return undefined;
  return absolute([...used, ...rest], { path, children, uses: new Map() });
}

/**
 * Returns the names of a `use` tree with their paths: `a::{b, c::d as e}` has `b` of `a::b` and `e`
 * of `a::c::d`.
 */
function expand(tree) {
  const open = tree.indexOf('{');
  const parts = (text) =>
    text
      .split('::')
      .map((part) => part.trim().split(/\s/)[0])
      .filter((part) => part !== '');
  if (open < 0) {
    const path = parts(tree);
    const name = /\bas (\w+)\s*$/.exec(tree)?.[1] ?? path.at(-1);
    return path.at(-1) === 'self'
      ? [{ name: path.at(-2), path: path.slice(0, -1) }]
      : [{ name, path }];
  }
  const branches = [''];
  let depth = 0;
  for (const character of tree.slice(open + 1, tree.lastIndexOf('}'))) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character === ',' && depth === 0) branches.push('');
    else branches[branches.length - 1] += character;
  }
  const prefix = parts(tree.slice(0, open));
  return branches
    .filter((branch) => branch.trim() !== '')
    .flatMap(expand)
    .map(({ name, path }) =>
      path.length === 0
        ? { name: prefix.at(-1), path: prefix }
        : { name, path: [...prefix, ...path] },
    );
}

/**
 * Returns the module in which a path ends; names that a module re-exports lead to where they come
 * from.
 */
function moduleOf(path, modules) {
  let size = path.length;
  while (size > 0 && !modules.has(path.slice(0, size).join('::'))) size -= 1;
  const module = modules.get(path.slice(0, size).join('::'));
  const used = module?.uses.get(path[size]);
  const target = used && absolute(used, module);
  return target === undefined || target.join('::') === path.slice(0, size + 1).join('::')
    ? path.slice(0, size).join('::')
    : moduleOf([...target, ...path.slice(size + 1)], modules);
}

const within = (name, other) => `${name}::`.startsWith(`${other}::`);

/**
 * Returns the groups of modules that name one another in a circle (strongly connected components).
 */
export function importCycles(graph) {
  const reach = (name, seen) => {
    for (const next of graph[name] ?? []) if (!seen.has(next)) reach(next, seen.add(next));
    return seen;
  };
  const names = Object.keys(graph);
  const reached = new Map(names.map((name) => [name, reach(name, new Set())]));
  const groups = names.map((name) =>
    names.filter((other) => reached.get(name).has(other) && reached.get(other).has(name)).sort(),
  );
  const cycles = groups.filter(({ length }) => length > 1);
  return [...new Map(cycles.map((group) => [`${group}`, group])).values()].sort();
}
