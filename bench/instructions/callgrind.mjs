// Runs the calls under valgrind and reads what callgrind wrote down.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { calls, timesOf } from './calls.mjs';

const run = promisify(execFile);
const program = fileURLToPath(new URL('program.mjs', import.meta.url));

const sections = 3; // of each call

/**
 * @typedef {object} Count instructions of one call
 * @property {number} native of millrace.node
 * @property {number} total of the process
 * @property {number} [javascript] of compiled JavaScript
 * @property {number} [node] of the node executable: V8 and Node-API
 */

/**
 * Counts the instructions of the named calls.
 *
 * JavaScript is interpreted, so that its count does not depend on when V8 compiles a function;
 * with `optimised` the compilers take part. Everything that depends on the time, on the addresses
 * or on a second thread is switched off, and the young generation is so large that nothing is
 * collected.
 *
 * @param {string[]} names
 * @param {{ optimised?: boolean }} options
 * @returns {Promise<Map<string, Count>>}
 */
export async function countInstructions(names, { optimised = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-instructions-'));
  const few = optimised ? 64 : 8;
  try {
    await run(
      'valgrind',
      [
        '--tool=callgrind',
        `--callgrind-out-file=${join(folder, 'out')}`,
        '--dump-before=getuid',
        '--smc-check=all-non-file',
        process.execPath,
        ...(optimised ? [] : ['--jitless', '--no-lazy-feedback-allocation']),
        '--single-threaded',
        '--predictable',
        '--hash-seed=1',
        '--random-seed=1',
        '--min-semi-space-size=128',
        '--max-semi-space-size=128',
        program,
        ...[optimised ? 4000 : 16, few].map(String),
        // None means all.
        ...(names.length === calls.length ? [] : names),
      ],
      { env: { PATH: process.env.PATH, MILLRACE_COST: 'table' }, maxBuffer: 2 ** 26 },
    ).catch(({ stderr }) => {
      const own = String(stderr)
        .split('\n')
        .filter((line) => !line.startsWith('=='));
      throw new Error(`the calls failed under valgrind:\n${own.join('\n').trim()}`);
    });
    const chosen = calls.filter(({ name }) => names.includes(name));
    const files = readdirSync(folder)
      .map((file) => ({ file, part: Number(/\.(\d+)$/.exec(file)?.[1]) }))
      .filter(({ part }) => part > 0)
      .sort((one, other) => one.part - other.part)
      // Node.js calls getuid when it starts, too.
      .slice(-sections * chosen.length)
      .map(({ file }) => costsOf(readFileSync(join(folder, file), 'utf8')));
    if (files.length < sections * chosen.length)
      throw new Error('callgrind has not seen the calls of getuid');
    return new Map(
      chosen.map((call, index) => {
        const [, short, long] = files.slice(index * sections, (index + 1) * sections);
        return [call.name, difference(long, short, timesOf(call))];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns {Count} */
function difference(long, short, times) {
  const of = (kind) => ((long.get(kind) ?? 0) - (short.get(kind) ?? 0)) / times;
  const kinds = [...new Set([...long.keys(), ...short.keys()])];
  return {
    native: of('native'),
    javascript: of('javascript'),
    node: of('node'),
    total: kinds.reduce((sum, kind) => sum + of(kind), 0),
  };
}

/**
 * Returns the cost of each object of one file in callgrind's format 1: `ob=(id) name` names the
 * object of the lines after it, and the line after `calls=` is the cost of the called function,
 * which is counted where it is.
 *
 * @param {string} text
 */
export function costsOf(text) {
  const costs = new Map();
  const names = new Map();
  let object = '';
  let called = false;
  for (const line of text.split('\n')) {
    const named = /^(c?)ob=\((\d+)\)(?: (.*))?$/.exec(line);
    if (named !== null) {
      const [, callee, id, name] = named;
      if (name !== undefined) names.set(id, kindOf(name));
      if (callee === '') object = names.get(id);
    } else if (line.startsWith('calls=')) {
      called = true;
    } else if (/^[+\-*\d]/.test(line)) {
      if (!called) costs.set(object, (costs.get(object) ?? 0) + Number(line.split(' ')[1]));
      called = false;
    }
  }
  return costs;
}

function kindOf(path) {
  if (path.endsWith('.node')) return 'native';
  if (path === '???') return 'javascript';
  return path === process.execPath || basename(path) === 'node' ? 'node' : 'libraries';
}
