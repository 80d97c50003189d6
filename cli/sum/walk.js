// Lists the files of the operands: operands in their order, directory entries sorted by bytes, so
// that two runs over the same files print the same list.

'use strict';

const { fstatSync, readdirSync, statSync } = require('node:fs');

/** The time slice of counting bytes. */
const COUNTING_MS = 4;

/**
 * @typedef {{ name: string | Buffer, path: string | Buffer | undefined, error: Error | undefined }}
 *   Entry the name that is printed and the path that is opened; without a path, standard input
 */

/**
 * Walks through operands. In directories, symbolic links are not followed and only regular files
 * are listed, so that the walk ends. A link that is an operand is followed.
 *
 * Yields groups of consecutive files of a directory: one yield a file costs as much as reading a
 * small file.
 *
 * @param {readonly (string | Buffer)[]} operands
 * @returns {Generator<Entry[]>}
 */
function* walk(operands, recursive) {
  for (const operand of operands) {
    if (recursive && operand !== '-' && isDirectory(operand)) yield* inDirectory(operand);
    else yield [{ name: operand, path: operand === '-' ? undefined : operand, error: undefined }];
  }
}

function* inDirectory(top) {
  // A stack: the next item is last.
  const pending = [top];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) {
      yield next;
      continue;
    }
    try {
      pending.push(...parts(next).reverse());
    } catch (error) {
      yield [{ name: next, path: next, error }];
    }
  }
}

/** Returns the sorted entries: paths of directories, and groups of the files between them. */
function parts(directory) {
  let entries = readdirSync(directory, { withFileTypes: true });
  // A name that is not UTF-8 is read again as bytes.
  if (entries.some(({ name }) => name.includes('\ufffd')))
    entries = readdirSync(directory, { withFileTypes: true, encoding: 'buffer' }).map(asText);
  entries.sort((left, right) => order(left.name, right.name));
  const found = [];
  let files;
  for (const entry of entries) {
    if (entry.isDirectory()) {
      found.push(join(directory, entry.name));
      files = undefined;
    } else if (entry.isFile()) {
      const path = join(directory, entry.name);
      if (files === undefined) found.push((files = []));
      files.push({ name: path, path, error: undefined });
    }
  }
  return found;
}

/** Converts the name to text if it is UTF-8. */
function asText(entry) {
  const text = entry.name.toString();
  if (!text.includes('\ufffd')) entry.name = text;
  return entry;
}

const order = (left, right) => {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : 1;
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
};

function join(path, name) {
  if (typeof path === 'string' && typeof name === 'string')
    return path.endsWith('/') ? path + name : `${path}/${name}`;
  const head = Buffer.from(path);
  return Buffer.concat([head, Buffer.from(head.at(-1) === 47 ? '' : '/'), Buffer.from(name)]);
}

function isDirectory(path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // opening it reports the reason
  }
}

/**
 * Counts the bytes of all files for the progress line: a second walk, in short time slices. Returns
 * a function that counts on and returns the total, once it is known.
 */
function sizeCounter(operands, recursive) {
  const groups = walk(operands, recursive);
  let bytes = 0;
  let complete = false;
  let unknown = false;
  const count = ({ path, error }) => {
    if (error !== undefined) return;
    try {
      const stats = path === undefined ? fstatSync(0) : statSync(path);
      if (stats.isFile()) bytes += stats.size;
      else if (!stats.isDirectory()) unknown = true;
    } catch {
      // It cannot be read, so it adds no bytes.
    }
  };
  return () => {
    const end = performance.now() + COUNTING_MS;
    while (!complete && !unknown && performance.now() < end) {
      const { done, value = [] } = groups.next();
      complete = done;
      for (const entry of value) count(entry);
    }
    return complete ? bytes : undefined;
  };
}

module.exports = { sizeCounter, walk };
