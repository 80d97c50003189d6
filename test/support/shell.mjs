// A folder with files in it, and the command run there: tests of cli/ read like a session at a
// shell.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { root, temporary } from './child.mjs';

export const command = join(root, 'cli', 'main.js');

/**
 * Runs `body` with a session in a new folder that holds these files.
 *
 * @param {Record<string, string | Buffer>} files by path; folders are made
 * @param {(session: Session) => Promise<void>} body
 */
export async function inFolder(files, body) {
  const session = new Session(temporary());
  try {
    for (const [path, content] of Object.entries(files)) session.write(path, content);
    await body(session);
  } finally {
    // Folders that a test has locked are opened, so that they can be removed.
    spawnSync('chmod', ['-R', 'u+rwX', session.folder]);
    rmSync(session.folder, { recursive: true, force: true });
  }
}

class Session {
  constructor(folder) {
    this.folder = folder;
  }

  path(...parts) {
    return join(this.folder, ...parts);
  }

  write(path, content, mode) {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), content);
    if (mode !== undefined) chmodSync(this.path(path), mode);
  }

  /**
   * Types `millrace LINE`, and compares everything that comes of it.
   *
   * @param {string | string[]} line split at blanks, or as it is
   * @param {{ stdin?: string | Buffer, env?: object, stdout?: string | Buffer | RegExp, stderr?:
   * string | RegExp, code?: number }} expected what is not
   *   named must be empty, the code 0
   */
  async millrace(line, { stdin, env, stdout = '', stderr = '', code = 0 } = {}) {
    const args = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
    const result = await this.start(args, { stdin, env }).ended;
    const title = `millrace ${args.join(' ')}`;
    same(result.stderr.toString(), stderr, `${title}: stderr`);
    same(result.stdout, stdout, `${title}: stdout`);
    assert.equal(result.code, code, `${title}: exit code (signal ${result.signal})`);
    return result;
  }

  /**
   * Starts the same, or another program of Node, without checking it; `child` is for what happens
   * meanwhile.
   */
  start(args, { stdin, env, stdio = ['pipe', 'pipe', 'pipe'], program = [command] } = {}) {
    const child = spawn(process.execPath, [...program, ...args], {
      cwd: this.folder,
      env: { ...process.env, NO_COLOR: '', ...env },
      stdio,
    });
    return { child, ended: gather(child, stdin) };
  }

  /** Runs another program in the folder; returns undefined if it is not there. */
  other(program, args, input) {
    const result = spawnSync(program, args, {
      cwd: this.folder,
      input,
      env: { ...process.env, LC_ALL: 'C' },
      maxBuffer: 2 ** 28,
    });
    return result.error === undefined ? result : undefined;
  }
}

function gather(child, stdin) {
  const streams = { stdout: [], stderr: [] };
  for (const [name, pieces] of Object.entries(streams))
    child[name]?.on('data', (piece) => pieces.push(piece));
  child.stdin?.on('error', () => {}); // it ended without reading all
  if (stdin !== null) child.stdin?.end(stdin);
  return new Promise((resolve) => {
    child.on('close', (code, signal) =>
      resolve({
        code,
        signal,
        stdout: Buffer.concat(streams.stdout),
        stderr: Buffer.concat(streams.stderr),
      }),
    );
  });
}

function same(actual, expected, what) {
  if (expected instanceof RegExp) assert.match(actual.toString(), expected, what);
  else if (Buffer.isBuffer(expected))
    assert.ok(
      actual.equals(expected),
      `${what}: ${actual.length} bytes, not the ${expected.length} expected`,
    );
  else assert.equal(actual.toString(), expected, what);
}

/** Why tests are skipped elsewhere; false on a system that runs them. */
export const windows =
  process.platform === 'win32' && 'not on Windows: needs links, signals or programs of POSIX';
export const notLinux =
  process.platform !== 'linux' && 'only on Linux: needs /proc, /dev/full or namespaces';

/** Returns why a test that needs a program has to be skipped; false if the program runs. */
export function without(program, args = ['--version']) {
  const { error, status } = spawnSync(program, args, { stdio: 'ignore' });
  return error === undefined && status === 0
    ? false
    : `there is no ${[program, ...args].join(' ')}`;
}
