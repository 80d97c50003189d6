// The files that operands name, in the order in which they are told: operands as given, what is in a folder by name, byte by byte, so
// that two runs over the same files give the same list.

'use strict';

const { fstatSync, readdirSync, statSync } = require('node:fs');

/** @typedef {{ name: string | Buffer, path?: string | Buffer, error?: Error }} Entry as it is told and as it is opened; without a path it is standard input */

/**
 * In a folder symbolic links are not followed, and what is no regular file is passed over: the list is about what the folder holds, and
 * it ends. A link that is itself an operand is followed.
 *
 * @param {readonly (string | Buffer)[]} operands
 * @returns {Generator<Entry>}
 */
function* walk(operands, recursive) {
  // What has not been looked at yet, the next last. One generator and not one a folder: handing up through each costs as much as reading.
  const pending = operands.map((operand) => ({ name: operand, path: operand, operand: true })).reverse();
  while (pending.length > 0) {
    const { name, path, operand, isFolder } = pending.pop();
    if (operand && path === '-') yield { name };
    else if (!(isFolder || (operand && recursive && leadsToFolder(path)))) yield { name, path };
    else {
      const found = inFolder(path);
      if (found instanceof Error) yield { name, path, error: found };
      else for (let index = found.length - 1; index >= 0; index--) pending.push(found[index]);
    }
  }
}

/** Files and folders in a folder, by name. */
function inFolder(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
    // A name that is not text is asked for again as bytes.
    if (entries.some(({ name }) => name.includes('\ufffd'))) entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }).map(asText);
  } catch (error) {
    return error;
  }
  entries.sort((left, right) => order(left.name, right.name));
  const found = [];
  for (const entry of entries) {
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) continue;
    const path = join(folder, entry.name);
    found.push({ name: path, path, operand: false, isFolder });
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
  if (typeof path === 'string' && typeof name === 'string') return path.endsWith('/') ? path + name : `${path}/${name}`;
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

/** How many bytes there are in all: a second walk, a few milliseconds at a time, while the progress of the first is shown. */
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
      else this.#count(value);
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
