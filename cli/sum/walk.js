// The files that operands name, in the order in which they are told: operands as given, what is in
// a folder by name, byte by byte, so that two runs over the same files give the same list.

'use strict';

const { fstatSync, readdirSync, statSync } = require('node:fs');

/**
 * @typedef {{ name: string | Buffer, path: string | Buffer | undefined, error: Error | undefined }}
 * Entry as it is told and as it is opened; without a path it is standard input
 */

/**
 * In a folder symbolic links are not followed, and what is no regular file is passed over: the list
 * is about what the folder holds, and it ends. A link that is itself an operand is followed.
 *
 * Comes in groups, a folder's files that stand together at most: handing on one by one costs as
 * much as reading a small file.
 *
 * @param {readonly (string | Buffer)[]} operands
 * @returns {Generator<Entry[]>}
 */
function* walk(operands, recursive) {
  for (const operand of operands) {
    if (recursive && operand !== '-' && leadsToFolder(operand)) yield* inFolders(operand);
    else yield [{ name: operand, path: operand === '-' ? undefined : operand, error: undefined }];
  }
}

function* inFolders(top) {
  // What has not been looked at yet, the next last.
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

/** What is in a folder, by name: the path of a folder, or files that stand between two of them. */
function parts(folder) {
  let entries = readdirSync(folder, { withFileTypes: true });
  // A name that is not text is asked for again as bytes.
  if (entries.some(({ name }) => name.includes('\ufffd')))
    entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }).map(asText);
  entries.sort((left, right) => order(left.name, right.name));
  const found = [];
  let files;
  for (const entry of entries) {
    if (entry.isDirectory()) {
      found.push(join(folder, entry.name));
      files = undefined;
    } else if (entry.isFile()) {
      const path = join(folder, entry.name);
      if (files === undefined) found.push((files = []));
      files.push({ name: path, path, error: undefined });
    }
  }
  return found;
}

/** Bytes stay bytes only where they are no text. */
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

function leadsToFolder(path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // reading it will say why
  }
}

/**
 * How many bytes there are in all: a second walk, a few milliseconds at a time, while the progress
 * of the first is shown.
 */
class Survey {
  #entries;
  bytes = 0;
  /** Known when all of them have been looked at; never if the size of one cannot be known. */
  complete = false;
  #hopeless = false;

  constructor(operands, recursive) {
    this.#entries = walk(operands, recursive);
  }

  /** @returns {number | undefined} the total, once it is known */
  advance(milliseconds = 4) {
    const end = performance.now() + milliseconds;
    while (!this.complete && !this.#hopeless && performance.now() < end) {
      const { done, value } = this.#entries.next();
      if (done) this.complete = true;
      else value.forEach((entry) => this.#count(entry));
    }
    return this.complete ? this.bytes : undefined;
  }

  #count({ path, error }) {
    if (error !== undefined) return;
    try {
      const stats = path === undefined ? fstatSync(0) : statSync(path);
      if (stats.isFile()) this.bytes += stats.size;
      else if (!stats.isDirectory()) this.#hopeless = true;
    } catch {
      // Nothing of it will be read either.
    }
  }
}

module.exports = { Survey, walk };
