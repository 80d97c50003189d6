// One line a step: its name and how long it took. The output of a step is shown only if it fails.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean }} Options */

/** Ends the run; only the message is printed. */
export class Stop extends Error {
  name = 'Stop';
}

const live = process.stderr.isTTY === true && !process.env.CI;

/**
 * Runs a command without showing its output. Resolves to its standard output, or with `output:
 * 'all'` to standard error too. If the command fails it prints the output, or only standard error
 * with `errorOutput: 'stderr'`, and rejects with Stop. With `mustFail` the command must fail, with
 * an output that matches: the control of a step that looks for failures.
 *
 * @param {string} title
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Options & {
 *   errorOutput?: 'all' | 'stderr', output?: 'stdout' | 'all', mustFail?: RegExp
 * }} options
 */
export async function step(
  title,
  command,
  args,
  { errorOutput = 'all', output = 'stdout', mustFail, ...options } = {},
) {
  const clock = startClock(title);
  const { code, ...told } = await collect(command, args, options).catch(cannotStart);
  const right = mustFail === undefined ? code === 0 : code !== 0 && mustFail.test(told.all);
  if (!right) {
    clock.stop('failed');
    const text = told[errorOutput];
    process.stderr.write(text.endsWith('\n') || text === '' ? text : `${text}\n`);
    throw new Stop(`millrace: ${title} failed: ${[command, ...args].join(' ')}`);
  }
  clock.stop('ok');
  return told[output];
}

/**
 * Runs a command and shows its output (tests, the demo, the bench). Resolves to its exit code.
 */
export function stream(command, args, { cwd = root, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
    // Ctrl-C reaches the child as well; it decides how to end, and we follow it.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGINT', ignore);
      if (signal !== null && signal !== 'SIGINT') console.error(`millrace: ended by ${signal}`);
      resolve(code ?? 1);
    });
  });
}

/** What {@link skipped} said in this run: `TITLE: REASON`. */
export const skippedSteps = [];

/** Prints a line about a skipped step. */
export function skipped(title, reason) {
  skippedSteps.push(`${title}: ${reason}`);
  told(title, `skipped: ${reason}`);
}

/** Prints a line about a step that needed no time. */
export function told(title, text) {
  process.stderr.write(`${live ? clearLine : ''}  ${title.padEnd(width)} ${text}\n`);
}

/** Runs a command without showing it. Resolves to undefined when it cannot be started. */
export async function probe(command, args, options = {}) {
  try {
    return await collect(command, args, options);
  } catch {
    return undefined;
  }
}

const width = 38;

/** The steps that run now, by title, with the times they started at. */
const running = new Map();
let redraw;

function startClock(title) {
  const start = performance.now();
  running.set(title, start);
  if (live) {
    draw();
    redraw ??= setInterval(draw, 1000);
  }
  return {
    stop(result) {
      running.delete(title);
      const seconds = secondsSince(start, 1);
      const text = result === 'ok' ? seconds : `${result} after ${seconds}`;
      process.stderr.write(`${live ? clearLine : ''}  ${title.padEnd(width)} ${text}\n`);
      if (!live) return;
      if (running.size > 0) return draw();
      clearInterval(redraw);
      redraw = undefined;
    },
  };
}

const clearLine = '\r\x1b[2K';
const secondsSince = (start, digits) => `${((performance.now() - start) / 1000).toFixed(digits)} s`;

/** Draws one line with all running steps. */
function draw() {
  const texts = [...running].map(([title, start]) => `${title} ... ${secondsSince(start, 0)}`);
  process.stderr.write(`${clearLine}  ${texts.join(', ')}`);
}

// A missing command fails like a command that ran and failed.
function cannotStart({ message }) {
  return { code: 127, stdout: '', stderr: message, all: message };
}

/** The processes of steps. They end with this one, if another step fails. */
const children = new Set();
process.once('exit', () => {
  for (const child of children) child.kill();
});

/** @param {string} command @param {readonly string[]} args @param {Options} options */
function collect(command, args, { cwd = root, env = process.env, shell = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    children.add(child);
    const chunks = { stdout: [], stderr: [], all: [] };
    for (const name of ['stdout', 'stderr']) {
      child[name].on('data', (chunk) => {
        chunks[name].push(chunk);
        chunks.all.push(chunk);
      });
    }
    const text = (name) => Buffer.concat(chunks[name]).toString();
    child.once('error', reject);
    child.once('close', (code) => {
      children.delete(child);
      resolve({
        code: code ?? 1,
        stdout: text('stdout'),
        stderr: text('stderr'),
        all: text('all'),
      });
    });
  });
}
